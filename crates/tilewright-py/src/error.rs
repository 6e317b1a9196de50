//! The one mapping of errors to Python exceptions. The classes are Python's own, in `tilewright/error.py`.

use std::cell::RefCell;
use std::ffi::CString;
use std::fmt::Display;

use pyo3::exceptions::{PyException, PyUserWarning};
use pyo3::prelude::*;
use pyo3::types::PyType;
use tilewright::runtime::{self, ErrorKind};
use tilewright::support::{Diagnostic, Diagnostics, Span};
use tilewright::tensor::TensorError;

use crate::kept::Once;

/// A class of `tilewright.error`.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Text or IR that is wrong.
    Diagnostic,
    /// An object of a class that does not fit.
    WrongType,
    /// A name that nothing has.
    UnknownName,
    /// A property that a program demands and that does not hold.
    CheckFailed,
    /// Everything else.
    General,
}

fn class(py: Python<'_>, kind: Kind) -> PyResult<&Bound<'_, PyType>> {
    static DIAGNOSTIC: Once<Py<PyType>> = Once::new();
    static WRONG_TYPE: Once<Py<PyType>> = Once::new();
    static UNKNOWN_NAME: Once<Py<PyType>> = Once::new();
    static CHECK_FAILED: Once<Py<PyType>> = Once::new();
    static GENERAL: Once<Py<PyType>> = Once::new();
    match kind {
        Kind::Diagnostic => DIAGNOSTIC.import(py, "tilewright.error", "DiagnosticError"),
        Kind::WrongType => WRONG_TYPE.import(py, "tilewright.error", "WrongTypeError"),
        Kind::UnknownName => UNKNOWN_NAME.import(py, "tilewright.error", "UnknownNameError"),
        Kind::CheckFailed => CHECK_FAILED.import(py, "tilewright.error", "CheckFailedError"),
        Kind::General => GENERAL.import(py, "tilewright.error", "TVMError"),
    }
}

/// A location of a diagnostic, in the order of the fields of `DiagnosticSpan`.
type Location<'a> = (&'a str, bool, u32, u32, usize, usize, usize, usize, &'a str);

/// A diagnostic, in the order of the fields of `Diagnostic`.
type Parts<'a> = (&'static str, Option<&'a str>, &'a str, Vec<Location<'a>>, Vec<&'a str>, Option<&'a str>, String);

fn location<'a>((primary, span, label): (bool, &'a Span, &'a str)) -> Location<'a> {
    let (line, column) = span.line_column();
    let (end_line, end_column) = span.file.line_column(span.end as usize);
    (&span.file.name, primary, span.start, span.end, line, column, end_line, end_column, label)
}

fn parts(diagnostic: &Diagnostic) -> Parts<'_> {
    (
        diagnostic.severity.name(),
        Some(diagnostic.code).filter(|code| !code.is_empty()),
        &diagnostic.message,
        diagnostic.places().map(location).collect(),
        diagnostic.notes.iter().map(String::as_str).collect(),
        diagnostic.help.as_deref(),
        diagnostic.render(false),
    )
}

fn make(py: Python<'_>, kind: Kind, message: &str, found: &[Diagnostic]) -> PyErr {
    let made = class(py, kind).and_then(|class| {
        let make = py.import("tilewright.error")?.getattr("make")?;
        make.call1((class, message, found.iter().map(parts).collect::<Vec<_>>()))
    });
    made.map_or_else(|error| error, PyErr::from_value)
}

/// An error of a class that a module of the package has, below `TVMError`.
pub(crate) fn of_class(py: Python<'_>, class: &Bound<'_, PyType>, message: &str, found: &[Diagnostic]) -> PyErr {
    let make = || py.import("tilewright.error")?.getattr("make");
    let made = make().and_then(|make| make.call1((class, message, found.iter().map(parts).collect::<Vec<_>>())));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// Warnings of the compiler as Python's, in the caller's line.
pub(crate) fn warn(py: Python<'_>, warnings: &Diagnostics) -> PyResult<()> {
    for warning in &warnings.0 {
        let message = CString::new(warning.message.replace('\0', "\\0"))?;
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 1)?;
    }
    Ok(())
}

/// An error without a code.
pub(crate) fn general(py: Python<'_>, error: impl Display) -> PyErr {
    make(py, Kind::General, &error.to_string(), &[])
}

/// A name that nothing has.
pub(crate) fn unknown_name(py: Python<'_>, error: impl Display) -> PyErr {
    make(py, Kind::UnknownName, &error.to_string(), &[])
}

/// Something that its kind of object cannot do.
pub(crate) fn wrong(py: Python<'_>, message: &str) -> PyErr {
    make(py, Kind::WrongType, message, &[])
}

/// An object that is not what was expected.
pub(crate) fn wrong_type(expected: impl Display, found: &Bound<'_, PyAny>) -> PyErr {
    let name = found.get_type().name().map_or_else(|_| "something else".to_owned(), |name| name.to_string());
    wrong(found.py(), &format!("{expected}, found {name}"))
}

/// Something that other Python code refused, with its words, and its exception as the cause. What is no `Exception`,
/// such as the user's wish to stop, and what is ours already stay as they are.
pub(crate) fn refused(py: Python<'_>, what: impl Display, cause: PyErr) -> PyErr {
    if !cause.is_instance_of::<PyException>(py) || is_own(py, &cause) {
        return cause;
    }
    let error = general(py, format_args!("{what}: {}", cause.value(py)));
    error.set_cause(py, Some(cause));
    error
}

thread_local! {
    /// The exception that the last function of Python's that a pass called has raised. A pass runs on the thread that
    /// started it.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// The words of an exception of a function that a pass called, for the pass to report; [`caused_by_callback`] makes it
/// the cause of that report.
pub(crate) fn raised_in_callback(py: Python<'_>, raised: PyErr) -> String {
    let words = raised.value(py).to_string();
    let class = raised.get_type(py).name().map_or_else(|_| "an exception".to_owned(), |name| name.to_string());
    RAISED.with(|last| last.replace(Some(raised)));
    format!("{class}: {words}")
}

/// Forgets what functions have raised in earlier runs.
pub(crate) fn forget_callbacks() {
    RAISED.with(RefCell::take);
}

/// The report of a pass that failed, with what a function of the user's raised as its cause. The user's wish to stop
/// is no report: it stays what it is.
pub(crate) fn caused_by_callback(py: Python<'_>, report: PyErr) -> PyErr {
    match RAISED.with(RefCell::take) {
        Some(raised) if !raised.is_instance_of::<PyException>(py) => raised,
        Some(raised) => {
            report.set_cause(py, Some(raised));
            report
        }
        None => report,
    }
}

/// The same error with the name of an argument in front, if it is one of ours without locations.
pub(crate) fn in_argument(py: Python<'_>, index: usize, error: PyErr) -> PyErr {
    let kind = match class(py, Kind::WrongType).is_ok_and(|class| error.is_instance(py, class)) {
        true => Kind::WrongType,
        false => Kind::General,
    };
    if !is_own(py, &error) || !class(py, kind).is_ok_and(|class| error.get_type(py).is(class)) {
        return error;
    }
    let named = make(py, kind, &format!("argument {index}: {}", error.value(py)), &[]);
    named.set_cause(py, error.cause(py));
    named
}

fn is_own(py: Python<'_>, error: &PyErr) -> bool {
    class(py, Kind::General).is_ok_and(|class| error.is_instance(py, class))
}

/// All that a front end found.
pub(crate) fn diagnostics(py: Python<'_>, found: &Diagnostics) -> PyErr {
    make(py, Kind::Diagnostic, &found.render(false), &found.0)
}

/// A program that cannot be loaded, or a call that failed.
pub(crate) fn runtime(py: Python<'_>, error: &runtime::Error) -> PyErr {
    let diagnostic = Diagnostic::error(error.code(), error.to_string());
    let kind = match error.kind() {
        ErrorKind::UnknownFunction { .. } | ErrorKind::MissingPacked { .. } => Kind::UnknownName,
        ErrorKind::Assertion { .. } => Kind::CheckFailed,
        _ => Kind::General,
    };
    make(py, kind, &diagnostic.render(false), std::slice::from_ref(&diagnostic))
}

pub(crate) fn tensor(py: Python<'_>, error: &TensorError) -> PyErr {
    general(py, error)
}
