//! The one mapping of errors to Python exceptions. The classes are Python's own, in `tilewright/error.py`.

use std::fmt::Display;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use tilewright::support::{Diagnostics, Severity};
use tilewright::tensor::TensorError;

/// A class of `tilewright.error`.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Text or IR that is wrong.
    Diagnostic,
    /// An object of a class that does not fit.
    WrongType,
    /// Everything else.
    General,
}

fn class(py: Python<'_>, kind: Kind) -> PyResult<&Bound<'_, PyType>> {
    static DIAGNOSTIC: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static WRONG_TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static GENERAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    match kind {
        Kind::Diagnostic => DIAGNOSTIC.import(py, "tilewright.error", "DiagnosticError"),
        Kind::WrongType => WRONG_TYPE.import(py, "tilewright.error", "WrongTypeError"),
        Kind::General => GENERAL.import(py, "tilewright.error", "TVMError"),
    }
}

/// The fields of an exception besides its message.
#[derive(Default)]
pub(crate) struct Place<'a> {
    pub(crate) code: Option<&'a str>,
    pub(crate) file: Option<&'a str>,
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
}

pub(crate) fn make(py: Python<'_>, kind: Kind, message: &str, place: &Place<'_>) -> PyErr {
    let made = class(py, kind).and_then(|class| {
        let make = py.import("tilewright.error")?.getattr("make")?;
        make.call1((class, message, place.code, place.file, place.line, place.column))
    });
    made.map_or_else(|error| error, PyErr::from_value)
}

/// An error that has no place in the user's source.
pub(crate) fn general(py: Python<'_>, error: impl Display) -> PyErr {
    make(py, Kind::General, &error.to_string(), &Place::default())
}

/// Something that its kind of object cannot do.
pub(crate) fn wrong(py: Python<'_>, message: &str) -> PyErr {
    make(py, Kind::WrongType, message, &Place::default())
}

/// An object that is not what was expected.
pub(crate) fn wrong_type(expected: impl Display, found: &Bound<'_, PyAny>) -> PyErr {
    let name = found.get_type().name().map_or_else(|_| "something else".to_owned(), |name| name.to_string());
    wrong(found.py(), &format!("{expected}, found {name}"))
}

/// All that a front end found, with the code and place of the first error.
pub(crate) fn diagnostics(py: Python<'_>, found: &Diagnostics) -> PyErr {
    let first = found.0.iter().find(|d| d.severity == Severity::Error).or(found.0.first());
    let span = first.and_then(|d| d.span.as_ref());
    let (line, column) = span.map(|span| span.line_column()).unzip();
    let file = span.map(|span| span.file.name.as_str());
    let place = Place { code: first.map(|d| d.code), file, line, column };
    make(py, Kind::Diagnostic, &found.render(false), &place)
}

pub(crate) fn tensor(py: Python<'_>, error: &TensorError) -> PyErr {
    general(py, error)
}
