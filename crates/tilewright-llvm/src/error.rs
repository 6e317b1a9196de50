//! Why a function does not compile.

use std::fmt;

/// A function that code generation refuses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CodegenError {
    /// Well-formed, but not something that this target or version can do: what, and why.
    Unsupported { symbol: String, what: String },
    /// Not in the flat form, or ill-typed: the function should not have got here.
    Malformed { symbol: String, what: String },
    /// Names of kernels that are empty, taken twice or not printable.
    Name(String),
    /// The target is not one that compiles.
    Target(String),
    /// LLVM refused what it was given: a mistake of the compiler, with LLVM's words.
    Llvm(String),
}

impl CodegenError {
    /// The error as one about the function of this name.
    pub fn of(self, name: &str) -> Self {
        let symbol = name.to_owned();
        match self {
            Self::Unsupported { what, .. } => Self::Unsupported { symbol, what },
            Self::Malformed { what, .. } => Self::Malformed { symbol, what },
            other => other,
        }
    }
}

impl fmt::Display for CodegenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported { symbol, what } => write!(f, "cannot compile `{symbol}`: {what}"),
            Self::Malformed { symbol, what } => write!(f, "`{symbol}` is not in the flat form: {what}"),
            Self::Name(what) | Self::Target(what) => f.write_str(what),
            Self::Llvm(what) => write!(f, "internal error, LLVM refuses generated code: {what}"),
        }
    }
}

impl std::error::Error for CodegenError {}
