//! What a language model's text needs around its tensors: tokenizers, chat templates, conversations, stop strings and
//! grammars.
//!
//! Reading order: [`Vocabulary`] (what a model file says about its tokens) and [`Tokenizer`] (text to ids and back),
//! then [`DecodeStream`] and [`StopStrings`] (text while ids arrive), then [`ChatTemplate`] and [`Conversation`]
//! (messages to a prompt), then [`Constraint`] (which tokens a grammar allows next).
//!
//! Invariants: this is the only crate that sees `tokenizers`, `minijinja` and `llguidance`, and none of their types
//! is in its interface. It knows no model, no tensor and no network, reads no file and no clock, and prints nothing.
//! Every input may be hostile, model files included: what is malformed or too large is an [`Error`], never a panic.

mod constraint;
mod conversation;
mod decode;
mod error;
mod stop;
mod template;
mod tokenizer;

pub use constraint::{Constraint, Grammar, GrammarTokens, TokenMask};
pub use conversation::{Conversation, Turn};
pub use decode::DecodeStream;
pub use error::Error;
pub use stop::{Stop, StopStrings};
pub use template::{ChatInputs, ChatTemplate, Limits, Prompt};
pub use tokenizer::{MetadataValue, TokenType, Tokenizer, TokenizerConfig, Vocabulary, pre_tokenizer_names};
