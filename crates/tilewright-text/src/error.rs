//! The errors of this crate: which part refused its input, and why.

use std::fmt;

/// Why an input of this crate was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A tokenizer file or vocabulary that is malformed, or text that its model cannot encode.
    Tokenizer(String),
    /// A chat template that does not parse, fails while it renders, or reaches a limit.
    Template(String),
    /// A conversation template or messages that do not fit it.
    Conversation(String),
    /// A grammar that is malformed or too large, or a token that it does not allow.
    Grammar(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Tokenizer(why) => write!(f, "tokenizer: {why}"),
            Error::Template(why) => write!(f, "chat template: {why}"),
            Error::Conversation(why) => write!(f, "conversation: {why}"),
            Error::Grammar(why) => write!(f, "grammar: {why}"),
        }
    }
}

impl std::error::Error for Error {}

/// Runs `work` of a foreign crate; a panic of it becomes an error of the caller's kind. Inputs are checked before;
/// this is for what such checks miss.
pub(crate) fn guarded<T>(kind: fn(String) -> Error, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(kind("the input is malformed in a way that its reader did not expect".into())))
}
