//! Tokenizers, and the text around them.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use serde_json::Value as Json;
use tilewright_text::{
    ChatInputs, ChatTemplate, DecodeStream, Error, Stop, StopStrings, TokenType, Tokenizer, TokenizerConfig, Vocabulary,
};

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
}

/// What a model file says of its tokens, of Python's arguments.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Said {
    model: String,
    pre: Option<String>,
    tokens: Vec<String>,
    scores: Vec<f32>,
    token_types: Vec<i64>,
    merges: Vec<String>,
    bos: Option<u32>,
    eos: Option<u32>,
    eot: Option<u32>,
    unk: Option<u32>,
    pad: Option<u32>,
    sep: Option<u32>,
    cls: Option<u32>,
    add_bos: Option<bool>,
    add_eos: Option<bool>,
    add_space_prefix: Option<bool>,
}

impl Said {
    fn vocabulary(self) -> Vocabulary {
        let token_type = |number: i64| TokenType::of_number(number).unwrap_or_default();
        Vocabulary {
            model: self.model,
            pre: self.pre,
            tokens: self.tokens,
            scores: self.scores,
            token_types: self.token_types.into_iter().map(token_type).collect(),
            merges: self.merges,
            bos: self.bos,
            eos: self.eos,
            eot: self.eot,
            unk: self.unk,
            pad: self.pad,
            sep: self.sep,
            cls: self.cls,
            add_bos: self.add_bos,
            add_eos: self.add_eos,
            add_space_prefix: self.add_space_prefix,
            ..Vocabulary::default()
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
        Ok(Self { inner: Arc::new(inner), config })
    }

    /// Of what the metadata of a GGUF file says.
    #[staticmethod]
    fn from_vocabulary(py: Python<'_>, said: Said) -> PyResult<Self> {
        let vocabulary = said.vocabulary();
        let made = py.detach(|| Tokenizer::from_vocabulary(&vocabulary)).map_err(|e| text_error(py, &e))?;
        Ok(Self { inner: Arc::new(made), config: None })
    }

    /// Of the bytes of SentencePiece's `tokenizer.model`.
    #[staticmethod]
    fn from_sentencepiece(py: Python<'_>, model: Vec<u8>) -> PyResult<Self> {
        let made = py.detach(|| Tokenizer::from_sentencepiece(&model)).map_err(|e| text_error(py, &e))?;
        Ok(Self { inner: Arc::new(made), config: None })
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

    /// The tokens of messages (JSON) in a chat template (Jinja), by default the configuration's, and the prompt's text.
    /// Control tokens are those of the template, never such that a message spells.
    #[pyo3(signature = (messages, template = None, tools = None, variables = None, now_s = 0))]
    fn chat(
        &self,
        py: Python<'_>,
        messages: &str,
        template: Option<&str>,
        tools: Option<&str>,
        variables: Option<&str>,
        now_s: i64,
    ) -> PyResult<(Vec<u32>, String)> {
        let json = |text: Option<&str>| match text {
            Some(text) => serde_json::from_str(text).map_err(|e| error::wrong(py, &e.to_string())),
            None => Ok(Json::Null),
        };
        let (messages, tools, variables) = (json(Some(messages))?, json(tools)?, json(variables)?);
        let own = self.config.as_ref().and_then(|config| config.chat_template(!tools.is_null()));
        let Some(source) = template.or(own) else {
            return Err(error::general(py, "the model has no chat template: give one, or generate from a prompt"));
        };
        let name = |id: Option<u32>| id.and_then(|id| self.inner.token_of(id));
        let inputs = ChatInputs {
            messages,
            tools,
            variables,
            now_s,
            bos_token: name(self.inner.bos()),
            eos_token: name(self.inner.eos().first().copied()),
            ..ChatInputs::default()
        };
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

    /// A stream that decodes tokens as they come, and ends at any of these strings.
    fn stream(&self, py: Python<'_>, stop: Vec<String>) -> PyResult<PyTextStream> {
        let stop = StopStrings::new(stop).map_err(|e| text_error(py, &e))?;
        let state = Mutex::new(StreamState { decode: DecodeStream::continuing(true), stop });
        Ok(PyTextStream { tokenizer: self.inner.clone(), state })
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
