//! Tokenizers, and the text around them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use tilewright_engine::Guide;
use tilewright_text::{
    ChatInputs, ChatTemplate, Constraint, DecodeStream, Error, Grammar, GrammarTokens, MetadataValue, Stop,
    StopStrings, Tokenizer, TokenizerConfig, Vocabulary,
};

use crate::engine::PyGuide;
use crate::error;

fn text_error(py: Python<'_>, found: &Error) -> PyErr {
    error::general(py, found)
}

/// A tokenizer: text to tokens and back.
#[pyclass(frozen, name = "Tokenizer", module = "tilewright._core")]
#[derive(Debug)]
pub(crate) struct PyTokenizer {
    inner: Arc<Tokenizer>,
    config: Option<TokenizerConfig>,
    /// The vocabulary as grammars need it, with the tokens that end a text: made when it is first asked for.
    grammar: Mutex<Option<(Vec<u32>, Arc<GrammarTokens>)>>,
}

impl PyTokenizer {
    fn of(inner: Tokenizer, config: Option<TokenizerConfig>) -> Self {
        Self { inner: Arc::new(inner), config, grammar: Mutex::new(None) }
    }

    fn grammar_tokens(&self, ends: Vec<u32>) -> Result<Arc<GrammarTokens>, Error> {
        let mut known = self.grammar.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, tokens)) = known.as_ref().filter(|(own, _)| *own == ends) {
            return Ok(tokens.clone());
        }
        let made = Arc::new(GrammarTokens::with_ends(&self.inner, &ends)?);
        *known = Some((ends, made.clone()));
        Ok(made)
    }
}

/// A value of a GGUF file's metadata.
#[derive(FromPyObject)]
enum Value {
    Flag(bool),
    Number(f64),
    Text(String),
    Numbers(Vec<f64>),
    Texts(Vec<String>),
}

impl From<Value> for MetadataValue {
    fn from(value: Value) -> Self {
        match value {
            Value::Flag(flag) => Self::Flag(flag),
            Value::Number(number) => Self::Number(number),
            Value::Text(text) => Self::Text(text),
            Value::Numbers(numbers) => Self::Numbers(numbers),
            Value::Texts(texts) => Self::Texts(texts),
        }
    }
}

#[pymethods]
impl PyTokenizer {
    /// Of the bytes of `tokenizer.json`, and of `tokenizer_config.json` where there is one.
    #[staticmethod]
    #[pyo3(signature = (json, config = None))]
    fn from_json(py: Python<'_>, json: Vec<u8>, config: Option<Vec<u8>>) -> PyResult<Self> {
        let made = py.detach(|| {
            let config = config.map(|json| TokenizerConfig::from_json(&json)).transpose()?;
            let mut tokenizer = Tokenizer::from_json(&json)?;
            if let Some(config) = &config {
                tokenizer.set_roles(config);
            }
            Ok((tokenizer, config))
        });
        let (inner, config) = made.map_err(|e: Error| text_error(py, &e))?;
        Ok(Self::of(inner, config))
    }

    /// Of the metadata of a GGUF file, the keys `tokenizer.ggml.*`; arrays are lists.
    #[staticmethod]
    fn from_metadata(py: Python<'_>, mut metadata: HashMap<String, Value>) -> PyResult<Self> {
        let made = py.detach(|| {
            let vocabulary = Vocabulary::from_metadata(|key| metadata.remove(key).map(MetadataValue::from))?;
            Tokenizer::from_vocabulary(&vocabulary)
        });
        Ok(Self::of(made.map_err(|e| text_error(py, &e))?, None))
    }

    /// Of the bytes of SentencePiece's `tokenizer.model`.
    #[staticmethod]
    fn from_sentencepiece(py: Python<'_>, model: Vec<u8>) -> PyResult<Self> {
        let made = py.detach(|| Tokenizer::from_sentencepiece(&model)).map_err(|e| text_error(py, &e))?;
        Ok(Self::of(made, None))
    }

    /// The tokens of a text. Control tokens that it spells are text; with `markup` they are tokens.
    fn encode(&self, py: Python<'_>, text: &str, add_special: bool, markup: bool) -> PyResult<Vec<u32>> {
        let made = py.detach(|| match markup {
            true => self.inner.encode_markup(text, add_special),
            false => self.inner.encode(text, add_special),
        });
        made.map_err(|e| text_error(py, &e))
    }

    fn decode(&self, py: Python<'_>, ids: Vec<u32>, skip_special: bool) -> String {
        py.detach(|| self.inner.decode(&ids, skip_special))
    }

    /// The tokens of a conversation in a chat template (Jinja), by default the configuration's, and the prompt's text.
    /// `inputs` is an object of JSON with `messages`, and perhaps `tools`, `documents`, `variables` and `now_s`.
    /// Control tokens are those of the template, never such that a message spells.
    #[pyo3(signature = (inputs, template = None))]
    fn chat(&self, py: Python<'_>, inputs: &str, template: Option<&str>) -> PyResult<(Vec<u32>, String)> {
        let mut inputs = ChatInputs::from_json(inputs).map_err(|e| text_error(py, &e))?;
        let own = self.config.as_ref().and_then(|config| config.chat_template(!inputs.tools.is_null()));
        let Some(source) = template.or(own) else {
            return Err(error::general(py, "the model has no chat template: give one, or generate from a prompt"));
        };
        let name = |id: Option<u32>| id.and_then(|id| self.inner.token_of(id));
        (inputs.bos_token, inputs.eos_token) = (name(self.inner.bos()), name(self.inner.eos().first().copied()));
        let made = py.detach(|| {
            let prompt = ChatTemplate::new(source)?.render_prompt(&inputs, self.inner.special_texts())?;
            Ok((self.inner.encode_prompt(&prompt)?, prompt.text()))
        });
        made.map_err(|e: Error| text_error(py, &e))
    }

    fn id_of(&self, token: &str) -> Option<u32> {
        self.inner.id_of(token)
    }

    fn token_of(&self, id: u32) -> Option<String> {
        self.inner.token_of(id)
    }

    #[getter]
    fn vocab_size(&self) -> usize {
        self.inner.vocab_size()
    }

    #[getter]
    fn bos(&self) -> Option<u32> {
        self.inner.bos()
    }

    /// The tokens that end a text.
    #[getter]
    fn eos(&self) -> Vec<u32> {
        self.inner.eos().to_vec()
    }

    /// What a text must be: `kind` is `"json_schema"`, `"json_object"`, `"regex"` or `"lark"`, `text` the schema, the
    /// expression or the grammar; `ends` are the tokens that end a text.
    fn constraint(&self, py: Python<'_>, kind: &str, text: &str, ends: Vec<u32>) -> PyResult<PyGuide> {
        let grammar = match kind {
            "json_schema" => Grammar::JsonSchema(text),
            "json_object" => Grammar::JsonObject,
            "regex" => Grammar::Regex(text),
            "lark" => Grammar::Lark(text),
            _ => {
                return Err(error::general(
                    py,
                    format!("a grammar is json_schema, json_object, regex or lark, found {kind}"),
                ));
            }
        };
        let made = py.detach(|| self.grammar_tokens(ends)?.constraint(grammar));
        Ok(PyGuide::new(ByGrammar(made.map_err(|e| text_error(py, &e))?)))
    }

    /// A stream that decodes tokens as they come, and ends at any of these strings.
    fn stream(&self, py: Python<'_>, stop: Vec<String>) -> PyResult<PyTextStream> {
        let stop = StopStrings::new(stop).map_err(|e| text_error(py, &e))?;
        let state = Mutex::new(StreamState { decode: DecodeStream::continuing(true), stop });
        Ok(PyTextStream { tokenizer: self.inner.clone(), state })
    }
}

/// A grammar as the guide of a generation.
struct ByGrammar(Constraint);

impl Guide for ByGrammar {
    fn mask(&mut self) -> Result<Vec<u32>, String> {
        self.0.mask().map(|mask| mask.words().to_vec()).map_err(|e| e.to_string())
    }

    fn accept(&mut self, token: u32) -> Result<(), String> {
        self.0.accept(token).map_err(|e| e.to_string())
    }

    fn allowed_prefix(&mut self, tokens: &[u32]) -> Result<usize, String> {
        self.0.allowed_prefix(tokens).map_err(|e| e.to_string())
    }

    fn is_finished(&self) -> bool {
        self.0.is_finished()
    }
}

#[derive(Debug)]
struct StreamState {
    decode: DecodeStream,
    stop: StopStrings,
}

/// Text of tokens that come one after another: never half a character, and nothing from a stop string on.
#[pyclass(frozen, name = "TextStream", module = "tilewright._core")]
#[derive(Debug)]
pub(crate) struct PyTextStream {
    tokenizer: Arc<Tokenizer>,
    state: Mutex<StreamState>,
}

#[pymethods]
impl PyTextStream {
    /// The text that a token completes, and whether a stop string ends it.
    fn push(&self, id: u32) -> (String, bool) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let text = state.decode.push(&self.tokenizer, id);
        match state.stop.push(&text) {
            Stop::Text(text) => (text, false),
            Stop::Found { text, .. } => (text, true),
        }
    }

    /// The rest.
    fn finish(&self) -> String {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = state.decode.finish();
        match state.stop.push(&rest) {
            Stop::Text(text) => text + &state.stop.finish(),
            Stop::Found { text, .. } => text,
        }
    }
}
