//! Language models as they are used: sequences of tokens over a compiled model, and what chooses the next token.
//!
//! Reading order: [`LanguageModel`] (an executable with weights) and [`Sequence`] (tokens that the model has seen),
//! then [`Sampler`] and [`SamplerConfig`] (logits of a position to a token), then [`PromptLookup`] (tokens that may
//! come next, from the text so far), then [`Generator`], which uses all of them, and the [`Guide`] that it follows.
//! [`Sequence::save`] is a sequence as bytes.
//!
//! Invariants: this crate knows no tokenizer, no grammar and no HTTP: ids, logits and masks of bits are all it sees.
//! The same seed gives the same tokens, whatever else runs. Nothing here compiles, or reads a clock or the process's
//! random numbers.

mod error;
mod generate;
mod model;
mod propose;
mod random;
mod sampler;
mod saved;

pub use error::{Error, Result};
pub use generate::{End, Generator, GeneratorConfig, Guide, Step};
pub use model::{LanguageModel, Limits, Sequence};
pub use propose::{LookupConfig, PromptLookup};
pub use random::Random;
pub use sampler::{Choice, Sampler, SamplerConfig, SamplerError};
