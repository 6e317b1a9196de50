//! Why bytes could not be read.

use std::fmt;

/// Bytes that are not what they should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// The format, such as `npy`.
    pub format: &'static str,
    /// The offset of the error in the bytes, if known.
    pub offset: Option<usize>,
    /// What was expected and found.
    pub message: String,
}

impl ImportError {
    pub(crate) fn new(format: &'static str, message: impl Into<String>) -> Self {
        Self { format, offset: None, message: message.into() }
    }

    pub(crate) fn at(format: &'static str, offset: usize, message: impl Into<String>) -> Self {
        Self { format, offset: Some(offset), message: message.into() }
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.format, self.message)?;
        match self.offset {
            Some(offset) => write!(f, " (at byte {offset})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ImportError {}
