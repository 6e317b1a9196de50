//! Errors of a run, with their location.

use std::fmt;

use tilewright_expr::semantics::Fault;
use tilewright_support::Span;
use tilewright_tensor::TensorError;

/// A run that stopped, with the location: function, blocks with their axes, loops.
#[derive(Clone, Debug)]
pub struct InterpError(Box<Report>);

#[derive(Clone, Debug)]
struct Report {
    kind: ErrorKind,
    location: Location,
}

/// The location at which a run stopped. Empty fields are not known or do not apply.
#[derive(Clone, Default, Debug)]
pub struct Location {
    pub function: String,
    /// The blocks around it from outside inwards, each with its axes, such as `matmul(vi = 0, vj = 3)`.
    pub blocks: Vec<String>,
    /// The loops around it with their current values, such as `i = 3`.
    pub loops: Vec<String>,
    /// The variable whose binding was being evaluated, in a graph function.
    pub binding: Option<String>,
    /// The line of the user's source.
    pub span: Option<Span>,
}

/// The kind of an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// An access outside its buffer.
    OutOfRange { buffer: String, indices: Vec<i64>, shape: Vec<i64> },
    /// A view of a buffer that reaches outside the memory under it.
    OutsideMemory { buffer: String, indices: Vec<i64> },
    /// A read of memory that the function allocated and did not write yet.
    Uninitialized { buffer: String, indices: Vec<i64> },
    /// An access that the block does not declare in its reads or writes.
    Undeclared { block: String, access: Access, buffer: String, indices: Vec<i64> },
    /// An axis of a block outside its domain.
    OutsideDomain { block: String, axis: String, value: i64, min: i64, extent: i64 },
    /// Two instances with different spatial axes write one element.
    SpatialConflict { block: String, buffer: String, indices: Vec<i64>, axes: Vec<i64>, before: Vec<i64> },
    /// Iterations of a parallel or vectorised loop meet at an element that one of them writes.
    Race { loop_var: String, buffer: String, indices: Vec<i64>, iterations: [i64; 2] },
    /// Tensors overlap, one of them is written, and the function promises that they do not.
    Overlap { params: Vec<String> },
    /// A write to a read-only tensor.
    ReadOnly { buffer: String },
    /// Index arithmetic left the range of its type.
    IndexOverflow { dtype: String },
    /// An operation without a result.
    Fault(Fault),
    /// A failed assertion of the program.
    Assert(String),
    /// An argument that does not fit its parameter.
    Argument { param: String, problem: String },
    /// A use of something that has no value here: the IR is not well-formed.
    Unbound { name: String },
    /// A value that is not what the IR says: wrong struct info, failed `match_cast`.
    Mismatch { what: String, expected: String, found: String },
    /// A function that does not exist, or a call of something that is none.
    Callee(String),
    /// A host function reported an error.
    Packed { name: String, message: String },
    /// Calls nest too deep.
    Depth { limit: usize },
    /// An operator's rule refused.
    Op { name: String, message: String },
    /// Memory could not be had, or a view does not fit.
    Tensor(TensorError),
    /// Something that the interpreter cannot run, with the reason.
    Unsupported(String),
}

/// How an element is touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Read,
    Write,
}

impl InterpError {
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    pub fn location(&self) -> &Location {
        &self.0.location
    }

    /// Fills in the location if none is known yet.
    pub(crate) fn located(mut self, location: impl FnOnce() -> Location) -> Self {
        if self.0.location.function.is_empty() {
            self.0.location = location();
        }
        self
    }

    /// Adds the binding of a graph function that the error arose in, if no inner one is known.
    pub(crate) fn in_binding(mut self, function: &str, binding: &str, span: Option<Span>) -> Self {
        let location = &mut self.0.location;
        if location.function.is_empty() {
            location.function = function.to_owned();
        }
        if location.binding.is_none() {
            location.binding = Some(binding.to_owned());
        }
        location.span = location.span.take().or(span);
        self
    }
}

impl From<ErrorKind> for InterpError {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(Report { kind, location: Location::default() }))
    }
}

impl From<TensorError> for InterpError {
    fn from(error: TensorError) -> Self {
        ErrorKind::Tensor(error).into()
    }
}

impl std::error::Error for InterpError {}

impl fmt::Display for InterpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.kind)?;
        let location = &self.0.location;
        if !location.function.is_empty() {
            write!(f, "\n  in function `{}`", location.function)?;
        }
        if !location.blocks.is_empty() {
            write!(f, "\n  in block {}", location.blocks.join(" / "))?;
        }
        if !location.loops.is_empty() {
            write!(f, "\n  with {}", location.loops.join(", "))?;
        }
        if let Some(binding) = &location.binding {
            write!(f, "\n  for variable `{binding}`")?;
        }
        if let Some(span) = &location.span {
            write!(f, "\n  at {span}")?;
        }
        Ok(())
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { buffer, indices, shape } => {
                write!(f, "index {indices:?} is outside buffer `{buffer}` of shape {shape:?}")
            }
            Self::OutsideMemory { buffer, indices } => {
                write!(f, "element {indices:?} of buffer `{buffer}` lies outside the memory under it")
            }
            Self::Uninitialized { buffer, indices } => {
                write!(f, "element {indices:?} of buffer `{buffer}` is read before it is written")
            }
            Self::Undeclared { block, access, buffer, indices } => {
                let (verb, declared) = match access {
                    Access::Read => ("reads", "reads"),
                    Access::Write => ("writes", "writes"),
                };
                write!(
                    f,
                    "block `{block}` {verb} element {indices:?} of buffer `{buffer}`, which its declared {declared} do \
                     not contain"
                )
            }
            Self::OutsideDomain { block, axis, value, min, extent } => write!(
                f,
                "axis `{axis}` of block `{block}` has the value {value}, expected one from {min} to {}",
                min + extent - 1
            ),
            Self::SpatialConflict { block, buffer, indices, axes, before } => write!(
                f,
                "block `{block}` writes element {indices:?} of buffer `{buffer}` with spatial axes {axes:?} and with \
                 {before:?}; different spatial axes must write different elements"
            ),
            Self::Race { loop_var, buffer, indices, iterations: [a, b] } => write!(
                f,
                "iterations {a} and {b} of the parallel loop `{loop_var}` both touch element {indices:?} of buffer \
                 `{buffer}`, and one writes it"
            ),
            Self::Overlap { params } => write!(
                f,
                "the tensors for parameters {} overlap, one of them is written, and the function promises `tir.noalias`",
                params.join(", ")
            ),
            Self::ReadOnly { buffer } => write!(f, "buffer `{buffer}` is written, but its tensor is read-only"),
            Self::IndexOverflow { dtype } => write!(f, "index arithmetic leaves the range of {dtype}"),
            Self::Fault(fault) => write!(f, "{fault}"),
            Self::Assert(message) => write!(f, "assertion failed: {message}"),
            Self::Argument { param, problem } => write!(f, "argument for parameter `{param}`: {problem}"),
            Self::Unbound { name } => write!(f, "`{name}` has no value here"),
            Self::Mismatch { what, expected, found } => write!(f, "{what}: expected {expected}, found {found}"),
            Self::Callee(problem) | Self::Unsupported(problem) => f.write_str(problem),
            Self::Packed { name, message } => write!(f, "packed function `{name}` failed: {message}"),
            Self::Depth { limit } => write!(f, "calls nest deeper than {limit}"),
            Self::Op { name, message } => write!(f, "operator `{name}`: {message}"),
            Self::Tensor(error) => write!(f, "{error}"),
        }
    }
}
