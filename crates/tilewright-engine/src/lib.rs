//! Language models as they are used: sequences of tokens over a compiled model, and what chooses the next token.
//!
//! Reading order: [`LanguageModel`] (an executable with weights), [`Sequence`] (tokens that the model has seen).
//!
//! Invariants: this crate knows numbers of tokens and no text; it compiles nothing.

mod error;
mod model;

pub use error::{Error, Result};
pub use model::{LanguageModel, Limits, Sequence};
