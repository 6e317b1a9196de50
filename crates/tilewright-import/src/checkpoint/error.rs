//! Why a checkpoint could not be opened.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::ImportError;

/// A file that cannot be read, or is not what it should be.
#[derive(Debug)]
pub enum CheckpointError {
    /// The system's error.
    Io { path: PathBuf, error: io::Error },
    /// The contents break the rules of the format.
    Contents { path: PathBuf, error: ImportError },
}

impl CheckpointError {
    pub(super) fn io(path: &Path, error: io::Error) -> Self {
        Self::Io { path: path.to_owned(), error }
    }

    pub(super) fn contents(path: &Path, error: ImportError) -> Self {
        Self::Contents { path: path.to_owned(), error }
    }
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Contents { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for CheckpointError {}
