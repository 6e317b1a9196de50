//! Attributes: plain data by name.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use tilewright::expr::Expr as Scalar;
use tilewright::expr::node::FloatBits;
use tilewright::ir::relax::Constant;
use tilewright::ir::{Attr, Attrs, IndexMap};

use super::convert::nested;
use super::{Field, FromPython, Node, node_of};
use crate::error;
use crate::tensor::NdArray;

/// The value of an attribute, as Python holds it.
pub(super) fn value(attr: &Attr) -> Field {
    match attr {
        Attr::None => Field::None,
        Attr::Bool(value) => Field::Bool(*value),
        Attr::Int(value) => Field::AttrInt(*value),
        Attr::Float(value) => Field::Float(value.0),
        Attr::Str(text) => Field::text(text.clone()),
        Attr::DType(dtype) => Field::dtype(*dtype),
        Attr::Array(items) => Field::list(items, value),
        Attr::Map(attrs) => Field::Dict(pairs(attrs)),
        Attr::Expr(expr) => Field::scalar(expr),
        Attr::Tensor(tensor) => Field::Tensor(tensor.0.clone()),
        Attr::IndexMap(map) => Field::IndexMap(
            map.initial().iter().map(Field::var).collect(),
            map.results().iter().map(Field::scalar).collect(),
        ),
    }
}

/// Attributes as a dict.
pub(crate) fn map(attrs: &Attrs) -> Field {
    Field::Attrs(pairs(attrs))
}

fn pairs(attrs: &Attrs) -> Vec<(Field, Field)> {
    attrs.iter().map(|(name, attr)| (Field::text(name.clone()), value(attr))).collect()
}

/// The attribute that a Python object is: plain data, or a scalar expression.
pub(crate) fn attr_of(object: &Bound<'_, PyAny>) -> PyResult<Attr> {
    if object.is_none() {
        return Ok(Attr::None);
    }
    if let Some(Node::Scalar(expr)) = node_of(object) {
        return Ok(match &expr.kind {
            tilewright::expr::ExprKind::Str(text) => Attr::Str(text.clone()),
            _ => Attr::Expr(expr.clone()),
        });
    }
    if object.is_instance_of::<PyBool>() {
        return object.extract().map(Attr::Bool);
    }
    if object.is_instance_of::<PyInt>() {
        return object.extract().map(Attr::Int);
    }
    if object.is_instance_of::<PyFloat>() {
        return Ok(Attr::Float(FloatBits(object.extract()?)));
    }
    if object.is_instance_of::<PyString>() {
        return object.extract::<String>().map(Attr::str);
    }
    if object.hasattr("final_indices")? {
        return index_map(object).map(Attr::IndexMap);
    }
    if object.is_instance_of::<PyDict>() || object.hasattr("items")? {
        return nested(object.py(), || attrs_of(object).map(Attr::Map));
    }
    if object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>() {
        let items = || object.try_iter()?.map(|item| attr_of(&item?)).collect::<PyResult<_>>().map(Attr::Array);
        return nested(object.py(), items);
    }
    if let Ok(tensor) = object.cast::<NdArray>() {
        return Ok(Attr::Tensor(Constant(tensor.get().on_host(object.py())?)));
    }
    let expected = "an attribute is None, a number, a text, a tensor, a list or a dict of such, or a scalar expression";
    Err(error::wrong_type(expected, object))
}

/// The map of a `tilewright.tir.IndexMap`, or of a function of indices.
pub(crate) fn index_map(object: &Bound<'_, PyAny>) -> PyResult<IndexMap> {
    if object.is_callable() {
        let class = object.py().import("tilewright.tir.function")?.getattr("IndexMap")?;
        return index_map(&class.call_method1("from_func", (object,))?);
    }
    let indices = |name: &str| -> PyResult<Vec<Scalar>> {
        let items = object.getattr(name)?;
        Vec::<Scalar>::from_python(&items)?.ok_or_else(|| error::wrong_type("indices are scalar expressions", &items))
    };
    let initial = indices("initial_indices")?.iter().filter_map(|index| index.as_var().cloned()).collect();
    IndexMap::new(initial, indices("final_indices")?)
        .map_err(|why| error::general(object.py(), format_args!("an index map cannot be: {why}")))
}

/// Whether an object has items by name.
pub(super) fn is_dict(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(node_of(object).is_none() && !object.is_instance_of::<PyType>() && object.hasattr("items")?)
}

/// The attributes of a dict (or of `None`: none).
pub(crate) fn attrs_of(object: &Bound<'_, PyAny>) -> PyResult<Attrs> {
    if object.is_none() {
        return Ok(Attrs::new());
    }
    if !is_dict(object)? {
        return Err(error::wrong_type("attributes are a dict by name", object));
    }
    let items = object.call_method0("items")?;
    let pair = |item: PyResult<Bound<'_, PyAny>>| {
        let (name, value): (String, Bound<'_, PyAny>) = item?.extract()?;
        Ok((Arc::from(name), attr_of(&value)?))
    };
    items.try_iter()?.map(pair).collect()
}

/// An attribute that may be absent.
pub(crate) fn optional(attr: Option<&Attr>) -> Field {
    Field::optional(attr, value)
}
