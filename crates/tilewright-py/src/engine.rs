//! Language models and their sequences.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use tilewright::Tensor;
use tilewright_engine::{Error, LanguageModel, Limits, Sampler, SamplerConfig, Sequence};

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

    /// Makes these tokens the sequence's, and gives the logits of the last one. Those that it begins with already are
    /// not computed again, but for the last.
    fn replace(&self, py: Python<'_>, tokens: Vec<u32>) -> PyResult<NdArray> {
        self.logits(py, |sequence| sequence.replace(&tokens))
    }

    /// Forgets all tokens but the first ones.
    fn truncate(&self, py: Python<'_>, count: usize) -> PyResult<()> {
        self.with(py, |sequence| sequence.truncate(count))
    }
}

/// Chooses the tokens of one sequence.
#[pyclass(frozen, name = "Sampler", module = "tilewright._core")]
#[derive(Debug)]
pub(crate) struct PySampler(Mutex<Sampler>);

#[pymethods]
impl PySampler {
    /// The tokens are those of the prompt, which penalties count.
    #[new]
    fn new(
        py: Python<'_>,
        temperature: f32,
        top_k: usize,
        top_p: f32,
        min_p: f32,
        repetition_penalty: f32,
        seed: u64,
        tokens: Vec<u32>,
    ) -> PyResult<Self> {
        let config =
            SamplerConfig { temperature, top_k, top_p, min_p, repetition_penalty, seed, ..SamplerConfig::default() };
        let mut sampler = Sampler::new(config).map_err(|e| error::general(py, e))?;
        sampler.see_prompt(&tokens);
        Ok(Self(Mutex::new(sampler)))
    }

    /// The next token, after these logits.
    fn choose(&self, py: Python<'_>, logits: &NdArray) -> PyResult<u32> {
        let logits = logits.on_host(py)?;
        let logits = logits.as_slice::<f32>().map_err(|e| error::tensor(py, &e))?;
        let mut sampler = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let chosen = sampler.sample(logits, None).map_err(|e| error::general(py, e))?;
        sampler.accept(chosen.token);
        Ok(chosen.token)
    }
}
