//! What chooses tokens of a language model: sampling from logits, and proposing tokens ahead.
//!
//! Reading order: [`Sampler`] and [`SamplerConfig`] (logits of a position to a token), then [`PromptLookup`] (tokens
//! that may come next, from the text so far).
//!
//! Invariants: this crate knows no tokenizer, no grammar and no HTTP: ids, logits and masks of bits are all it sees.
//! The same seed gives the same tokens, whatever else runs. Nothing here reads a clock or the process's random
//! numbers.

mod propose;
mod random;
mod sampler;

pub use propose::{LookupConfig, PromptLookup};
pub use random::Random;
pub use sampler::{Choice, Sampler, SamplerConfig, SamplerError};
