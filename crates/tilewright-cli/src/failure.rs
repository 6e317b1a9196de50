//! Why a command fails, and how that is shown.

use std::fmt;
use std::io;
use std::path::Path;

use tilewright::import::ImportError;
use tilewright::runtime;
use tilewright::support::Diagnostics;
use tilewright::target::TargetError;
use tilewright::tensor::TensorError;
use tilewright::{CompileError, PassError};

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What is wrong, in a sentence that names the file or the argument.
    Message(String),
    /// What is wrong with a source, with its places.
    Diagnostics(Diagnostics),
    /// All is said already; only the exit status is missing.
    Reported,
    /// Nobody reads the output any more, which is not the user's mistake: `tilewright … | head`.
    OutputClosed,
}

pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// What a file could not be used for.
    pub(crate) fn file(doing: &str, path: &Path, error: &io::Error) -> Self {
        Self::Message(format!("cannot {doing} {}: {error}", path.display()))
    }

    /// The failure of something that was done for a file.
    pub(crate) fn of_file(path: &Path, error: impl fmt::Display) -> Self {
        Self::Message(format!("{}: {error}", path.display()))
    }

    /// Tells the user, on standard error; the result is the exit status.
    pub(crate) fn report(&self) -> u8 {
        match self {
            Self::Message(message) => anstream::eprintln!("error: {message}"),
            Self::Diagnostics(found) => anstream::eprintln!("{}", found.render(true)),
            Self::Reported => {}
            Self::OutputClosed => return 0,
        }
        1
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self::Message(message)
    }
}

impl From<Diagnostics> for Failure {
    fn from(found: Diagnostics) -> Self {
        Self::Diagnostics(found)
    }
}

impl From<PassError> for Failure {
    fn from(error: PassError) -> Self {
        Self::Diagnostics(error.diagnostics)
    }
}

impl From<CompileError> for Failure {
    fn from(error: CompileError) -> Self {
        match error {
            CompileError::Module(found) => found.into(),
            CompileError::Pass(error) => error.into(),
            CompileError::Load(error) => error.into(),
        }
    }
}

macro_rules! from_text {
    ($($error:ty),*) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::Message(error.to_string())
            }
        }
    )*};
}

from_text!(ImportError, TargetError, TensorError, runtime::Error);
