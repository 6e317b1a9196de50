//! What can go wrong when a program is loaded or run.

use std::error::Error as StdError;
use std::fmt;
use std::io;

use tilewright_tensor::TensorError;
use tilewright_vm_program::FormatError;

use crate::{Device, DeviceKind};

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why loading or running failed. One pointer wide.
///
/// Its text ends with the location in the user's source of the failing instruction, where the program knows
/// it; the alternate form (`{:#}`) begins with the code.
#[derive(Debug)]
pub struct Error(Box<Failure>);

#[derive(Debug)]
struct Failure {
    kind: ErrorKind,
    /// `file:line`.
    place: Option<String>,
}

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
    /// A device of another kind than the program names at this index.
    WrongDevice {
        index: usize,
        expected: DeviceKind,
        found: Option<Device>,
    },
    /// An operation that the device does not support.
    Device {
        device: Device,
        message: String,
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
    /// A C function that kernels call and the process does not have.
    MissingSymbol {
        name: String,
    },
    /// A function that is called with stored arguments, without any.
    NoInputs {
        function: String,
    },
    /// A name for a saved function that another one has.
    FunctionExists {
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
    /// A condition that a program asserts does not hold.
    Assertion {
        message: String,
    },
    /// Inputs of a session that it does not take: all that is wrong with them, and the inputs that it has.
    Inputs {
        problems: Vec<String>,
        inputs: Vec<String>,
    },
    /// A value of another kind than expected.
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
        &self.0.kind
    }

    pub fn into_kind(self) -> ErrorKind {
        self.0.kind
    }

    /// Where in the user's source the failing instruction came from, as `file:line`.
    pub fn place(&self) -> Option<&str> {
        self.0.place.as_deref()
    }

    /// The error's code: the same for all errors of a kind, in every version.
    pub fn code(&self) -> &'static str {
        self.kind().code()
    }

    /// Adds the location, unless it is known already.
    pub(crate) fn at(mut self, place: impl FnOnce() -> Option<String>) -> Self {
        if self.0.place.is_none() {
            self.0.place = place();
        }
        self
    }

    /// Names the packed function that failed, where the error does not say so yet.
    /// A failed assertion is the program's own message, whatever function looks at it.
    pub(crate) fn in_packed(mut self, function: &str) -> Self {
        if matches!(self.0.kind, ErrorKind::Assertion { .. }) {
            return self;
        }
        if let ErrorKind::Callback { name, .. } = &mut self.0.kind {
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
        if f.alternate() {
            write!(f, "error[{}]: ", self.code())?;
        }
        write!(f, "{}", self.0.kind)?;
        match &self.0.place {
            Some(place) => write!(f, " ({place})"),
            None => Ok(()),
        }
    }
}

impl ErrorKind {
    /// See [`Error::code`].
    pub fn code(&self) -> &'static str {
        match self {
            Self::Format(_) => "TW0751",
            Self::Io { .. } => "TW0752",
            Self::Tensor(_) => "TW0753",
            Self::WrongMachine { .. } => "TW0754",
            Self::MissingFeatures { .. } => "TW0755",
            Self::NoDevice { .. } => "TW0756",
            Self::WrongDevice { .. } => "TW0757",
            Self::UnknownFunction { .. } => "TW0758",
            Self::MissingPacked { .. } => "TW0759",
            Self::AlreadyRegistered { .. } => "TW0760",
            Self::ArgumentCount { .. } => "TW0761",
            Self::Argument { .. } => "TW0762",
            Self::Run { .. } => "TW0763",
            Self::Kernel { .. } => "TW0764",
            Self::Callback { .. } => "TW0765",
            Self::WrongValue { .. } => "TW0766",
            Self::NoInputs { .. } => "TW0767",
            Self::FunctionExists { .. } => "TW0768",
            Self::MissingSymbol { .. } => "TW0769",
            Self::Device { .. } => "TW0770",
            Self::Assertion { .. } => "TW0771",
            Self::Inputs { .. } => "TW0772",
        }
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
            Self::WrongDevice { index, expected, found } => {
                write!(f, "the program's device {index} is of kind {}, ", expected.name())?;
                match found {
                    Some(found) => write!(f, "but {found} is given for it"),
                    None => f.write_str("and no device is given for it"),
                }
            }
            Self::Device { device, message } => write!(f, "{device}: {message}"),
            Self::NoInputs { function } => {
                write!(f, "{function} has no stored inputs: set them before the call")
            }
            Self::FunctionExists { name } => {
                write!(f, "the machine has a function \"{name}\" already: save it under another name")
            }
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
            Self::MissingSymbol { name } => write!(
                f,
                "the process has no C function `{name}`, which the executable calls: load the library that has it, or \
                 register its address, before the executable"
            ),
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
            Self::Inputs { problems, inputs } => {
                write!(f, "{}. The inputs are {}", problems.join("; "), inputs.join(", "))
            }
            Self::Assertion { message } => match message.is_empty() {
                true => f.write_str("Assertion Failed"),
                false => write!(f, "Assertion Failed: {message}"),
            },
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.0.kind {
            ErrorKind::Io { source, .. } => Some(source),
            ErrorKind::Callback { source, .. } => Some(&**source),
            _ => None,
        }
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(Failure { kind, place: None }))
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
