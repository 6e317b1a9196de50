//! Language models and their sequences.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use tilewright::Tensor;
use tilewright_engine::{
    End, Error, Generator, GeneratorConfig, Guide, LanguageModel, Limits, LookupConfig, SamplerConfig, Sequence, Step,
};

use crate::error;
use crate::executable::PyExecutable;
use crate::tensor::NdArray;
use crate::value::runtime_error;

fn engine_error(py: Python<'_>, found: Error) -> PyErr {
    match found {
        Error::Runtime(own) => runtime_error(py, own),
        other => error::general(py, other),
    }
}

/// The functions of a language model in an executable, with its weights.
#[pyclass(frozen, name = "LanguageModel", module = "tilewright._core")]
#[derive(Debug)]
pub(crate) struct PyLanguageModel(LanguageModel);

#[pymethods]
impl PyLanguageModel {
    /// The weights are in the order in which functions take them; `context` is the number of tokens of a sequence,
    /// `chunk` that of a step, at most, `vocabulary` how many tokens there are.
    #[new]
    fn new(
        py: Python<'_>,
        executable: &PyExecutable,
        weights: Vec<PyRef<'_, NdArray>>,
        context: usize,
        chunk: usize,
        vocabulary: usize,
    ) -> PyResult<Self> {
        let weights: Vec<Tensor> = weights.iter().map(|weight| weight.0.clone()).collect();
        let executable = executable.executable.clone();
        let made = py.detach(|| LanguageModel::new(executable, &weights, Limits { context, chunk, vocabulary }));
        made.map(Self).map_err(|e| engine_error(py, e))
    }

    /// A sequence without tokens, with a cache of its own.
    fn sequence(&self, py: Python<'_>) -> PyResult<PySequence> {
        let made = py.detach(|| self.0.sequence()).map_err(|e| engine_error(py, e))?;
        Ok(PySequence(Mutex::new(made)))
    }
}

/// Tokens that a model has seen.
#[pyclass(frozen, name = "TokenSequence", module = "tilewright._core")]
#[derive(Debug)]
pub(crate) struct PySequence(Mutex<Sequence>);

impl PySequence {
    fn with<T: Send>(&self, py: Python<'_>, run: impl FnOnce(&mut Sequence) -> Result<T, Error> + Send) -> PyResult<T> {
        let result = py.detach(|| run(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)));
        result.map_err(|e| engine_error(py, e))
    }

    fn logits(
        &self,
        py: Python<'_>,
        run: impl FnOnce(&mut Sequence) -> Result<Vec<f32>, Error> + Send,
    ) -> PyResult<NdArray> {
        let logits = self.with(py, run)?;
        let shape = [logits.len() as i64];
        Tensor::from_vec(&shape, logits).map(NdArray).map_err(|e| error::tensor(py, &e))
    }
}

#[pymethods]
impl PySequence {
    #[getter]
    fn tokens(&self, py: Python<'_>) -> PyResult<Vec<u32>> {
        self.with(py, |sequence| Ok(sequence.tokens().to_vec()))
    }

    /// Tokens that fit after those that there are.
    #[getter]
    fn room(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |sequence| Ok(sequence.room()))
    }

    /// Adds tokens, and gives the logits of the last one.
    fn append(&self, py: Python<'_>, tokens: Vec<u32>) -> PyResult<NdArray> {
        self.logits(py, |sequence| sequence.append(&tokens))
    }

    /// Adds tokens, and gives the logits of all of them, `[tokens, vocabulary]`, computed in one step.
    fn append_all(&self, py: Python<'_>, tokens: Vec<u32>) -> PyResult<NdArray> {
        let count = tokens.len();
        let logits = self.with(py, |sequence| sequence.append_all(&tokens))?;
        let shape = [count as i64, (logits.len() / count.max(1)) as i64];
        Tensor::from_vec(&shape, logits).map(NdArray).map_err(|e| error::tensor(py, &e))
    }

    /// Makes these tokens the sequence's, and gives the logits of the last one. Those that it begins with already are
    /// not computed again, but for the last.
    fn replace(&self, py: Python<'_>, tokens: Vec<u32>) -> PyResult<NdArray> {
        self.logits(py, |sequence| sequence.replace(&tokens))
    }

    /// The tokens with what the model keeps of them; `model` are 32 bytes that say which one it is.
    fn save<'py>(&self, py: Python<'py>, model: [u8; 32]) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.with(py, |sequence| sequence.save(&model))?))
    }

    /// Makes this sequence the one of the bytes that `save` gave.
    fn restore(&self, py: Python<'_>, file: PyBackedBytes, model: [u8; 32]) -> PyResult<()> {
        self.with(py, |sequence| sequence.restore(&file, &model))
    }

    /// Forgets all tokens but the first ones.
    fn truncate(&self, py: Python<'_>, count: usize) -> PyResult<()> {
        self.with(py, |sequence| sequence.truncate(count))
    }
}

/// How a generation goes, by the names of a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Settings {
    temperature: f32,
    top_k: usize,
    top_p: f32,
    min_p: f32,
    repetition_penalty: f32,
    presence_penalty: f32,
    frequency_penalty: f32,
    logit_bias: Vec<(u32, f32)>,
    seed: u64,
    /// None for no log-probabilities.
    top_logprobs: Option<usize>,
    ends: Vec<u32>,
    max_tokens: usize,
    speculate: bool,
}

impl From<Settings> for GeneratorConfig {
    fn from(own: Settings) -> Self {
        let sampler = SamplerConfig {
            temperature: own.temperature,
            top_k: own.top_k,
            top_p: own.top_p,
            min_p: own.min_p,
            repetition_penalty: own.repetition_penalty,
            presence_penalty: own.presence_penalty,
            frequency_penalty: own.frequency_penalty,
            logit_bias: own.logit_bias,
            seed: own.seed,
            logprobs: own.top_logprobs.is_some(),
            top_logprobs: own.top_logprobs.unwrap_or(0),
        };
        let lookup = own.speculate.then(LookupConfig::default);
        Self { sampler, ends: own.ends, max_tokens: own.max_tokens, lookup }
    }
}

/// What a text must be: a grammar. It is of one generation.
#[pyclass(frozen, name = "Constraint", module = "tilewright._core")]
pub(crate) struct PyGuide(Mutex<Option<Box<dyn Guide>>>);

impl PyGuide {
    #[cfg(feature = "text")]
    pub(crate) fn new(guide: impl Guide + 'static) -> Self {
        Self(Mutex::new(Some(Box::new(guide))))
    }
}

/// A token, the logarithm of its probability, and the likeliest tokens with theirs.
type Chosen = (u32, f32, Vec<(u32, f32)>);

/// One generation: tokens that follow a prompt.
#[pyclass(frozen, name = "Generator", module = "tilewright._core")]
#[derive(Debug)]
pub(crate) struct PyGenerator(Mutex<Generator>);

impl PyGenerator {
    fn with(
        &self,
        py: Python<'_>,
        sequence: &PySequence,
        run: impl FnOnce(&mut Generator, &mut Sequence) -> Result<Step, Error> + Send,
    ) -> PyResult<(Vec<Chosen>, Option<&'static str>)> {
        let step =
            sequence.with(py, |sequence| run(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner), sequence))?;
        let end = step.end.map(|end| match end {
            End::Stop => "stop",
            End::Length => "length",
        });
        Ok((step.choices.into_iter().map(|choice| (choice.token, choice.logprob, choice.top)).collect(), end))
    }
}

#[pymethods]
impl PyGenerator {
    /// `settings` is a dictionary of the sampler's settings, `ends`, `max_tokens` and `speculate`; a constraint is of
    /// one generation.
    #[new]
    #[pyo3(signature = (settings, constraint = None))]
    fn new(py: Python<'_>, settings: Settings, constraint: Option<&PyGuide>) -> PyResult<Self> {
        let guide = match constraint.map(|given| given.0.lock().unwrap_or_else(PoisonError::into_inner).take()) {
            None => None,
            Some(Some(own)) => Some(own),
            Some(None) => return Err(error::general(py, "a constraint is of one generation: make another one")),
        };
        Generator::new(settings.into(), guide).map(|made| Self(Mutex::new(made))).map_err(|e| engine_error(py, e))
    }

    /// Makes the prompt the sequence's tokens, and chooses the first token: the tokens that were chosen, each with the
    /// logarithm of its probability and the likeliest ones with theirs, and why the text ends, if it does.
    fn begin(
        &self,
        py: Python<'_>,
        sequence: &PySequence,
        prompt: Vec<u32>,
    ) -> PyResult<(Vec<Chosen>, Option<&'static str>)> {
        self.with(py, sequence, |generator, sequence| generator.begin(sequence, &prompt))
    }

    /// The next token or tokens, as of `begin`.
    fn step(&self, py: Python<'_>, sequence: &PySequence) -> PyResult<(Vec<Chosen>, Option<&'static str>)> {
        self.with(py, sequence, Generator::step)
    }

    /// How many tokens were proposed, and how many of these accepted.
    #[getter]
    fn proposals(&self) -> (usize, usize) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).proposals()
    }
}
