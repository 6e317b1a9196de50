//! Layouts of tensors as texts such as `NCHW16c`, as Python sees them.

use pyo3::prelude::*;
use tilewright::expr::Expr;
use tilewright::te::TeError;
use tilewright::te::topi::layout::Layout;

use super::{Field, argument, refused};

/// The letters of a layout's dimensions in order, those of parts with their sizes.
#[pyfunction]
pub(crate) fn layout_letters(py: Python<'_>, text: &str) -> PyResult<Vec<(char, Option<i64>)>> {
    let (layout, _) = Layout::with_axes(text).map_err(|error| refused(py, "tir.Layout", error))?;
    Ok(layout.letters())
}

/// Two layouts of the same axes.
fn both(source: &str, destination: &str) -> Result<(Layout, Layout), TeError> {
    let (source, axes) = Layout::with_axes(source)?;
    Ok((source, Layout::of(destination, &axes)?))
}

/// The shape or the index in the second layout of one in the first.
type Conversion = fn(&Layout, &Layout, &[Expr]) -> Result<Vec<Expr>, TeError>;

/// What a conversion between two layouts of the same axes makes of a list of expressions.
fn converted<'py>(
    source: &str,
    destination: &str,
    given: &Bound<'py, PyAny>,
    convert: Conversion,
) -> PyResult<Bound<'py, PyAny>> {
    let values: Vec<Expr> = argument(given, "values")?;
    let made = both(source, destination).and_then(|(from, to)| convert(&from, &to, &values));
    let made = made.map_err(|error| refused(given.py(), "tir.BijectiveLayout", error))?;
    Field::scalars(&made).view(given.py())
}

/// The shape of a tensor in another layout.
#[pyfunction]
pub(crate) fn layout_shape<'py>(
    source: &str,
    destination: &str,
    shape: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    converted(source, destination, shape, Layout::shape_in)
}

/// The index of an element in another layout.
#[pyfunction]
pub(crate) fn layout_index<'py>(
    source: &str,
    destination: &str,
    index: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    converted(source, destination, index, Layout::index_in)
}
