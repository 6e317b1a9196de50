//! What can go wrong when a model is run.

use std::error::Error as StdError;
use std::fmt;

use crate::sampler::SamplerError;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a model cannot be run, or a step of it failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The runtime's own.
    Runtime(tilewright_runtime::Error),
    /// The executable is none of a language model.
    NoModel { function: &'static str, found: Vec<String> },
    /// A prompt, with what is generated after it, is longer than the context.
    TooLong { tokens: usize, context: usize },
    /// A token that the vocabulary does not have.
    NoToken { token: u32, vocabulary: usize },
    /// A step without tokens.
    NoTokens,
    /// The model gave something else than logits.
    NoLogits { found: String },
    /// The model does not give the logits of all tokens of a step, or its state does not take tokens back.
    NoVerification,
    /// No next token could be chosen.
    Sampler(SamplerError),
    /// Bytes that are no sequence of this model, or a model whose sequences cannot be kept.
    Saved(String),
    /// The guide of a generation, such as a grammar, failed.
    Guide(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Runtime(error) => error.fmt(f),
            Self::NoModel { function, found } => write!(
                f,
                "the executable has no function `{function}`, which a language model has; it has {}",
                found.join(", ")
            ),
            Self::TooLong { tokens, context } => {
                write!(f, "{tokens} tokens do not fit the context of {context}: give fewer, or a larger context")
            }
            Self::NoToken { token, vocabulary } => {
                write!(f, "token {token} is none of the vocabulary's {vocabulary}")
            }
            Self::NoTokens => f.write_str("a step needs a token at least"),
            Self::NoLogits { found } => write!(f, "expected logits of float32 from the model, found {found}"),
            Self::NoVerification => f.write_str("the model cannot verify several tokens in one step"),
            Self::Sampler(error) => error.fmt(f),
            Self::Saved(why) | Self::Guide(why) => f.write_str(why),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Runtime(error) => Some(error),
            Self::Sampler(error) => Some(error),
            _ => None,
        }
    }
}

impl From<tilewright_runtime::Error> for Error {
    fn from(error: tilewright_runtime::Error) -> Self {
        Self::Runtime(error)
    }
}

impl From<tilewright_tensor::TensorError> for Error {
    fn from(error: tilewright_tensor::TensorError) -> Self {
        Self::Runtime(error.into())
    }
}

impl From<SamplerError> for Error {
    fn from(error: SamplerError) -> Self {
        Self::Sampler(error)
    }
}
