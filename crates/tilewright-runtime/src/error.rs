//! What can go wrong when a program is loaded or run.

use std::error::Error as StdError;
use std::fmt;
use std::io;

use tilewright_tensor::TensorError;
use tilewright_vm_program::FormatError;

use crate::Device;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why loading or running failed. One pointer wide.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

/// The kinds of [`Error`]. Their texts say what was expected, what was found, and where there is one, the next step.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes are no executable of this version, or damaged.
    Format(FormatError),
    Io {
        path: String,
        source: io::Error,
    },
    Tensor(TensorError),
    /// The machine code is for another kind of processor.
    WrongMachine {
        target: String,
        host: &'static str,
    },
    /// The machine code needs features that this processor does not have.
    MissingFeatures {
        missing: Vec<String>,
    },
    NoDevice {
        device: Device,
    },
    UnknownFunction {
        name: String,
        known: Vec<String>,
        suggestion: Option<String>,
    },
    MissingPacked {
        name: String,
        suggestion: Option<String>,
    },
    AlreadyRegistered {
        name: String,
    },
    /// A call with the wrong number of arguments.
    ArgumentCount {
        function: String,
        expected: Vec<String>,
        found: usize,
    },
    /// An argument that is not what the function takes.
    Argument {
        function: String,
        argument: String,
        message: String,
    },
    /// A step of a function that cannot be done with the values it has.
    Run {
        function: String,
        message: String,
    },
    /// A kernel stopped; `status` is one of [`tilewright_tensor::abi::Status`].
    Kernel {
        kernel: String,
        status: i32,
        message: String,
    },
    /// A packed function failed. `source` is the very error that it gave, such as a Python exception.
    Callback {
        name: String,
        source: Box<dyn StdError + Send + Sync>,
    },
    /// A value of another kind than the one that is asked for.
    WrongValue {
        expected: &'static str,
        found: &'static str,
    },
}

impl Error {
    /// The failure of a packed function, with the error to hand on unchanged. The machine adds the function's name.
    pub fn callback(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        ErrorKind::Callback { name: String::new(), source: source.into() }.into()
    }

    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    pub fn into_kind(self) -> ErrorKind {
        *self.0
    }

    /// Names the packed function that failed, where the error does not say so yet.
    pub(crate) fn in_packed(mut self, function: &str) -> Self {
        if let ErrorKind::Callback { name, .. } = &mut *self.0 {
            if name.is_empty() {
                function.clone_into(name);
            }
            return self;
        }
        ErrorKind::Callback { name: function.to_owned(), source: Box::new(self) }.into()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format(error) => error.fmt(f),
            Self::Io { path, source } => write!(f, "cannot access \"{path}\": {source}"),
            Self::Tensor(error) => error.fmt(f),
            Self::WrongMachine { target, host } => {
                write!(
                    f,
                    "the executable was compiled for {target}, but this machine is {host}: compile it for this one"
                )
            }
            Self::MissingFeatures { missing } => {
                let missing = missing.join(", ");
                write!(f, "the executable needs processor features that this machine lacks: {missing}")
            }
            Self::NoDevice { device } => write!(f, "the device {device} does not exist on this machine; use cpu(0)"),
            Self::UnknownFunction { name, known, suggestion } => {
                write!(f, "the executable has no function \"{name}\"")?;
                match suggestion {
                    Some(suggestion) => write!(f, "; did you mean \"{suggestion}\"?"),
                    None => write!(f, ", only {}", known.join(", ")),
                }
            }
            Self::MissingPacked { name, suggestion } => {
                write!(f, "missing packed function \"{name}\"")?;
                match suggestion {
                    Some(suggestion) => write!(f, "; did you mean \"{suggestion}\"?"),
                    None => f.write_str(": register a function of this name before the call"),
                }
            }
            Self::AlreadyRegistered { name } => {
                write!(f, "a packed function \"{name}\" is registered already: override it explicitly to replace it")
            }
            Self::ArgumentCount { function, expected, found } => {
                let (count, plural) = (expected.len(), if expected.len() == 1 { "" } else { "s" });
                write!(f, "{function} takes {count} argument{plural} ({}), {found} given", expected.join(", "))
            }
            Self::Argument { function, argument, message } => write!(f, "{function}: {argument}: {message}"),
            Self::Run { function, message } => write!(f, "{function}: {message}"),
            Self::Kernel { kernel, message, .. } => write!(f, "kernel \"{kernel}\": {message}"),
            Self::Callback { name, source } => write!(f, "packed function \"{name}\" failed: {source}"),
            Self::WrongValue { expected, found } => write!(f, "expected {expected}, found {found}"),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &*self.0 {
            ErrorKind::Io { source, .. } => Some(source),
            ErrorKind::Callback { source, .. } => Some(&**source),
            _ => None,
        }
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }
}

impl From<FormatError> for Error {
    fn from(error: FormatError) -> Self {
        ErrorKind::Format(error).into()
    }
}

impl From<TensorError> for Error {
    fn from(error: TensorError) -> Self {
        ErrorKind::Tensor(error).into()
    }
}
