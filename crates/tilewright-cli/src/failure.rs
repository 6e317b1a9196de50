//! Why a command fails, and how that is shown.

use std::fmt;
use std::io;
use std::path::Path;

use clap::ValueEnum;
use tilewright::import::ImportError;
use tilewright::runtime;
use tilewright::support::{Diagnostic, Diagnostics};
use tilewright::target::TargetError;
use tilewright::tensor::TensorError;
use tilewright::{CompileError, PassError};

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The problem, in a sentence that names the file or the argument.
    Message(String),
    /// The problems of a source or a program, with their locations.
    Diagnostics(Diagnostics),
    /// All is said already; only the exit status is missing.
    Reported,
    /// Nobody reads the output any more, which is not the user's mistake: `tilewright … | head`.
    OutputClosed,
}

pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// How problems are written to standard error.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ErrorFormat {
    /// Text with excerpts of the source.
    Human,
    /// One JSON object on one line for each problem.
    Json,
}

impl ErrorFormat {
    /// Writes diagnostics to standard error.
    pub(crate) fn show(self, found: &Diagnostics) {
        match self {
            Self::Human => anstream::eprintln!("{}", found.render(true)),
            Self::Json => anstream::eprint!("{}", found.to_json()),
        }
    }

    /// Writes a line that only people need, such as a summary.
    pub(crate) fn remark(self, line: &str) {
        if self == Self::Human {
            anstream::eprintln!("{line}");
        }
    }

    /// Tells the user of a failure, on standard error; the result is the exit status.
    pub(crate) fn report(self, failure: &Failure) -> u8 {
        match failure {
            Failure::Message(message) => self.show(&Diagnostic::error("", message).into()),
            Failure::Diagnostics(found) => self.show(found),
            Failure::Reported => {}
            Failure::OutputClosed => return 0,
        }
        1
    }
}

impl Failure {
    /// The purpose for which a file could not be used.
    pub(crate) fn file(doing: &str, path: &Path, error: &io::Error) -> Self {
        Self::Message(format!("cannot {doing} {}: {error}", path.display()))
    }

    /// The failure of something that was done for a file.
    pub(crate) fn of_file(path: &Path, error: impl fmt::Display) -> Self {
        Self::Message(format!("{}: {error}", path.display()))
    }

    /// An executable that cannot be loaded.
    pub(crate) fn of_executable(path: &Path, error: &runtime::Error) -> Self {
        Self::Diagnostics(Diagnostic::error(error.code(), format!("{}: {error}", path.display())).into())
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

impl From<runtime::Error> for Failure {
    fn from(error: runtime::Error) -> Self {
        Self::Diagnostics(Diagnostic::error(error.code(), error.to_string()).into())
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

from_text!(ImportError, TargetError, TensorError);
