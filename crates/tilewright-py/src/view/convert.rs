//! Fields to Python objects, and arguments from them.

use std::sync::Arc;

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use tilewright::expr::{Buffer, Expr, Range, Var};
use tilewright::ir::Attrs;
use tilewright::ir::relax::{self, StructInfo};
use tilewright::ir::tir::{BufferRegion, IterVar, MatchBuffer, Stmt, StmtKind};
use tilewright::{DataType, Tensor};

use super::{Node, attrs, node_of, wrap};
use crate::tensor::NdArray;
use crate::{dlpack, error};

/// The value of an attribute of a node.
pub(crate) enum Field {
    None,
    Bool(bool),
    Int(i64),
    /// An integer that is an attribute: Python's `int` that also has a `value` and a `dtype`.
    AttrInt(i64),
    /// An integer that only fits without a sign.
    Unsigned(u64),
    Float(f64),
    Text(Arc<str>),
    Node(Node),
    List(Vec<Field>),
    /// In order.
    Dict(Vec<(Field, Field)>),
    /// Attributes by name, in order.
    Attrs(Vec<(Field, Field)>),
    Tensor(Tensor),
    /// The initial indices and the final ones of a `tilewright.tir.IndexMap`.
    IndexMap(Vec<Field>, Vec<Field>),
}

impl Field {
    pub(crate) fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn dtype(dtype: DataType) -> Self {
        Self::text(if dtype.is_void() { String::new() } else { dtype.to_string() })
    }

    pub(crate) fn scalar(expr: &Expr) -> Self {
        Self::Node(Node::Scalar(expr.clone()))
    }

    pub(crate) fn scalars<'a>(exprs: impl IntoIterator<Item = &'a Expr>) -> Self {
        Self::List(exprs.into_iter().map(Self::scalar).collect())
    }

    pub(crate) fn var(var: &Var) -> Self {
        Self::Node(Node::Scalar(Expr::var(var)))
    }

    pub(crate) fn stmt(stmt: &Stmt) -> Self {
        Self::Node(Node::Stmt(stmt.clone()))
    }

    pub(crate) fn info(info: &StructInfo) -> Self {
        Self::Node(Node::Info(info.clone()))
    }

    pub(crate) fn relax(expr: &relax::Expr) -> Self {
        Self::Node(Node::Relax(expr.clone()))
    }

    pub(crate) fn relax_var(var: &relax::Var) -> Self {
        Self::Node(Node::Relax(relax::Expr::var(var)))
    }

    pub(crate) fn list<T>(items: impl IntoIterator<Item = T>, each: impl Fn(T) -> Self) -> Self {
        Self::List(items.into_iter().map(each).collect())
    }

    pub(crate) fn optional<T>(item: Option<T>, some: impl FnOnce(T) -> Self) -> Self {
        item.map_or(Self::None, some)
    }

    /// The Python object of the value: lists are `tilewright.ir.Array`, dicts `tilewright.ir.Map`, attributes
    /// `tilewright.ir.DictAttrs`.
    pub(crate) fn view(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok(match self {
            Self::None => py.None().into_bound(py),
            Self::Bool(value) => PyBool::new(py, value).to_owned().into_any(),
            Self::Int(value) => value.into_pyobject(py)?.into_any(),
            Self::AttrInt(value) => py.import("tilewright.ir.attrs")?.getattr("AttrInt")?.call1((value,))?,
            Self::Unsigned(value) => value.into_pyobject(py)?.into_any(),
            Self::Float(value) => value.into_pyobject(py)?.into_any(),
            Self::Text(text) => PyString::new(py, &text).into_any(),
            Self::Node(node) => wrap(py, node)?,
            Self::Tensor(tensor) => Bound::new(py, NdArray(tensor))?.into_any(),
            Self::IndexMap(initial, results) => {
                let class = py.import("tilewright.tir.function")?.getattr("IndexMap")?;
                class.call1((Self::List(initial).view(py)?, Self::List(results).view(py)?))?
            }
            Self::List(items) => {
                let items = items.into_iter().map(|item| item.view(py)).collect::<PyResult<Vec<_>>>()?;
                container(py, "Array")?.call1((PyTuple::new(py, items)?,))?
            }
            Self::Dict(items) => container(py, "Map")?.call1((dict(py, items)?,))?,
            Self::Attrs(items) => py.import("tilewright.ir.attrs")?.getattr("DictAttrs")?.call1((dict(py, items)?,))?,
        })
    }
}

fn dict(py: Python<'_>, items: Vec<(Field, Field)>) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in items {
        dict.set_item(key.view(py)?, value.view(py)?)?;
    }
    Ok(dict)
}

fn container<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("tilewright.ir.container")?.getattr(name)
}

/// A part of the IR from a Python object; `None` where the object is something else.
pub(crate) trait FromPython: Sized {
    /// The expected kind, for messages.
    const EXPECTED: &'static str;
    /// Whether `EXPECTED` says what an item of a list is.
    const MANY: bool = false;
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>>;
}

/// A number, with the type that the script gives it.
fn number(object: &Bound<'_, PyAny>) -> PyResult<Option<Expr>> {
    if object.is_instance_of::<PyBool>() {
        return Ok(Some(Expr::bool(object.extract()?)));
    }
    if object.is_instance_of::<PyInt>() {
        let value: i64 = object.extract()?;
        return Ok(Some(i32::try_from(value).map_or_else(|_| Expr::i64(value), Expr::i32)));
    }
    if object.is_instance_of::<PyFloat>() {
        let value: f64 = object.extract()?;
        // A finite number that float32 cannot hold is a float64.
        let wide = value.is_finite() && value.abs() > f64::from(f32::MAX);
        return Ok(Some(Expr::float(value, if wide { DataType::F64 } else { DataType::F32 })));
    }
    // NumPy's scalars.
    if object.hasattr("dtype")? && object.hasattr("item")? && object.getattr("ndim")?.extract::<usize>()? == 0 {
        let dtype: DataType = parse_dtype(&object.getattr("dtype")?)?.unwrap_or(DataType::F32);
        let value = object.call_method0("item")?;
        return Ok(Some(if dtype.is_float() {
            Expr::float(value.extract()?, dtype)
        } else {
            Expr::int(value.extract()?, dtype)
        }));
    }
    Ok(None)
}

impl FromPython for Expr {
    const EXPECTED: &'static str = "a scalar expression or a number";
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        match node_of(object) {
            Some(Node::Scalar(expr)) => return Ok(Some(expr.clone())),
            Some(Node::IterVar(iter)) => return Ok(Some(Self::var(&iter.var))),
            Some(Node::Relax(expr)) if let relax::ExprKind::Prim(value) = &expr.kind => return Ok(Some(value.clone())),
            Some(_) => return Ok(None),
            None => {}
        }
        if object.is_instance_of::<PyString>() {
            return Ok(Some(Self::str(object.extract::<String>()?)));
        }
        if object.hasattr("asobject")? {
            return Self::from_python(&object.call_method0("asobject")?);
        }
        number(object)
    }
}

impl FromPython for Var {
    const EXPECTED: &'static str = "a tir.Var";
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        Ok(match node_of(object) {
            Some(Node::Scalar(expr)) => expr.as_var().cloned(),
            Some(Node::IterVar(iter)) => Some(iter.var.clone()),
            _ => None,
        })
    }
}

macro_rules! nodes {
    ($($type:ty, $expected:literal, $variant:pat => $value:expr;)*) => {$(
        impl FromPython for $type {
            const EXPECTED: &'static str = $expected;
            fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
                Ok(match node_of(object) {
                    Some($variant) => Some($value),
                    _ => None,
                })
            }
        }
    )*};
}

nodes! {
    Buffer, "a tir.Buffer", Node::Buffer(buffer) => buffer.clone();
    BufferRegion, "a tir.BufferRegion", Node::Region(region) => region.clone();
    IterVar, "a tir.IterVar", Node::IterVar(iter) => iter.clone();
    MatchBuffer, "a tir.MatchBufferRegion", Node::MatchBuffer(matched) => matched.clone();
    relax::VDevice, "a VDevice", Node::VDevice(device) => device.clone();
    Arc<tilewright::ir::tir::Block>, "a tir.Block", Node::Block(block) => block.clone();
    Arc<relax::Binding>, "a relax.Binding", Node::Binding(binding) => binding.clone();
    Arc<relax::BindingBlock>, "a relax.BindingBlock", Node::BindingBlock(block) => block.clone();
    (Arc<str>, Arc<tilewright::ir::tir::PrimFunc>), "a tir.PrimFunc", Node::PrimFunc(name, func) => (name.clone(), func.clone());
}

impl FromPython for relax::Var {
    const EXPECTED: &'static str = "a relax.Var";
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        Ok(match node_of(object) {
            Some(Node::Relax(expr)) => expr.as_var().cloned(),
            _ => None,
        })
    }
}

impl FromPython for Stmt {
    const EXPECTED: &'static str = "a statement";
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        Ok(match node_of(object) {
            Some(Node::Stmt(stmt)) => Some(stmt.clone()),
            Some(Node::Scalar(expr)) => Some(StmtKind::Evaluate(expr.clone()).into()),
            Some(Node::Block(block)) if block.iters.is_empty() => Some(
                StmtKind::Block { values: Vec::new(), predicate: Expr::bool(true), block: (**block).clone() }.into(),
            ),
            _ => None,
        })
    }
}

impl FromPython for Range {
    const EXPECTED: &'static str = "a Range, or its (min, extent)";
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if let Some(Node::Range(range)) = node_of(object) {
            return Ok(Some(range.clone()));
        }
        if let Ok(pair) = object.cast::<PyTuple>()
            && pair.len() == 2
        {
            let (min, extent) = (Expr::from_python(&pair.get_item(0)?)?, Expr::from_python(&pair.get_item(1)?)?);
            return Ok(min.zip(extent).map(|(min, extent)| Self::new(min, extent)));
        }
        Ok(None)
    }
}

impl FromPython for StructInfo {
    const EXPECTED: &'static str = "a struct info";
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        Ok(match node_of(object) {
            Some(Node::Info(info)) => Some(info.clone()),
            Some(_) => None,
            // `R.Tensor((3, 4), "float32")`, as annotations have it.
            None => match object.getattr_opt("from_script")? {
                Some(written) => match node_of(&written.call0()?) {
                    Some(Node::Info(info)) => Some(info.clone()),
                    _ => None,
                },
                None => None,
            },
        })
    }
}

impl FromPython for relax::Expr {
    const EXPECTED: &'static str = "a graph expression";
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        match node_of(object) {
            Some(Node::Relax(expr)) => return Ok(Some(expr.clone())),
            Some(Node::Scalar(expr)) => {
                return Ok(Some(match &expr.kind {
                    tilewright::expr::ExprKind::Str(text) => Self::str(text.clone()),
                    _ => Self::prim(expr.clone()),
                }));
            }
            Some(Node::Function(_, function)) => return Ok(Some(super::relax::function_value(function))),
            Some(Node::Seq(seq)) if seq.blocks.is_empty() => return Ok(Some(seq.result.clone())),
            Some(_) => return Ok(None),
            None => {}
        }
        if object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>() {
            let fields = Vec::<Self>::from_python(object)?;
            return Ok(fields.map(Self::tuple));
        }
        if object.is_instance_of::<PyString>() {
            return Ok(Some(Self::str(object.extract::<String>()?)));
        }
        if object.is_instance_of::<PyInt>() && !object.is_instance_of::<PyBool>() {
            return Ok(Some(Self::prim(Expr::i64(object.extract()?))));
        }
        if let Ok(tensor) = object.cast::<NdArray>() {
            return Ok(Some(Self::constant(tensor.get().on_host(object.py())?)));
        }
        Ok(number(object)?.map(Self::prim))
    }
}

/// How deep lists and dicts may nest in arguments: one may even hold itself.
const MAX_NESTING: usize = 200;

/// Reads what is inside of a list or dict.
pub(crate) fn nested<T>(py: Python<'_>, read: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    thread_local! { static DEPTH: std::cell::Cell<usize> = const { std::cell::Cell::new(0) }; }
    let depth = DEPTH.get();
    if depth >= MAX_NESTING {
        return Err(error::general(py, format_args!("lists are nested more than {MAX_NESTING} deep")));
    }
    DEPTH.set(depth + 1);
    let read = read();
    DEPTH.set(depth);
    read
}

impl<T: FromPython> FromPython for Vec<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    const MANY: bool = true;
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>() {
            return nested(object.py(), || object.try_iter()?.map(|item| T::from_python(&item?)).collect());
        }
        // One alone is a list of one.
        if let Some(one) = T::from_python(object)? {
            return Ok(Some(vec![one]));
        }
        match node_of(object).is_none() && is_iterable(object)? {
            true => object.try_iter()?.map(|item| T::from_python(&item?)).collect(),
            false => Ok(None),
        }
    }
}

/// Whether an object that is no list has items that are meant: those of a text or the keys of a dict are not.
fn is_iterable(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let whole =
        object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() || object.is_instance_of::<PyDict>();
    Ok(!whole && object.getattr_opt("__iter__")?.is_some_and(|iter| !iter.is_none()))
}

impl<T: FromPython> FromPython for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    const MANY: bool = T::MANY;
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if object.is_none() { Ok(Some(None)) } else { Ok(T::from_python(object)?.map(Some)) }
    }
}

impl FromPython for Arc<str> {
    const EXPECTED: &'static str = "a text";
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if let Some(Node::Scalar(expr)) = node_of(object)
            && let tilewright::expr::ExprKind::Str(text) = &expr.kind
        {
            return Ok(Some(text.clone()));
        }
        Ok(object.extract::<String>().ok().map(Into::into))
    }
}

impl FromPython for bool {
    const EXPECTED: &'static str = "True or False";
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        Ok(object.extract().ok())
    }
}

impl FromPython for f64 {
    const EXPECTED: &'static str = "a number";
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        Ok(match node_of(object) {
            Some(Node::Scalar(expr)) => match &expr.kind {
                tilewright::expr::ExprKind::Float(value) => Some(value.0),
                _ => expr.as_int().map(|value| value as Self),
            },
            _ if object.is_instance_of::<PyInt>() => Some(object.extract()?),
            _ => object.extract().ok(),
        })
    }
}

impl FromPython for i64 {
    const EXPECTED: &'static str = "an integer";
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        Ok(match node_of(object) {
            Some(Node::Scalar(expr)) => expr.as_int(),
            _ if object.is_instance_of::<PyInt>() => Some(object.extract()?),
            _ => object.extract().ok(),
        })
    }
}

/// The data type that a text, a DataType, or a type of NumPy or torch names.
fn parse_dtype(object: &Bound<'_, PyAny>) -> PyResult<Option<DataType>> {
    // A list may be too deep to be written as a text.
    if object.is_none() || object.is_instance_of::<PyList>() || object.is_instance_of::<PyDict>() {
        return Ok(None);
    }
    let text = object.str()?.to_string();
    if text.is_empty() {
        return Ok(Some(DataType::VOID));
    }
    Ok(text.strip_prefix("torch.").unwrap_or(&text).parse().ok())
}

impl FromPython for DataType {
    const EXPECTED: &'static str = "a data type such as \"float32\"";
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        parse_dtype(object)
    }
}

impl FromPython for Tensor {
    const EXPECTED: &'static str = "a tensor";
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if let Ok(tensor) = object.cast::<NdArray>() {
            return Ok(Some(tensor.get().on_host(object.py())?));
        }
        if dlpack::is_exporter(object)? { dlpack::import(object).map(Some) } else { Ok(None) }
    }
}

/// An argument of a function by its name, as a part of the IR.
pub(crate) fn argument<T: FromPython>(object: &Bound<'_, PyAny>, name: &str) -> PyResult<T> {
    read(object, &format!("argument `{name}`"))
}

/// The value of the argument that `name` describes; the error gives the expected kind.
fn read<T: FromPython>(object: &Bound<'_, PyAny>, name: &str) -> PyResult<T> {
    let py = object.py();
    match T::from_python(object) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => {
            let listed = if T::MANY { ", or a list of such" } else { "" };
            let expected = format!("{name} is {}{listed}", T::EXPECTED);
            Err(match short_text(object) {
                Some(text) => error::wrong(py, &format!("{expected}, found the text {text:?}")),
                None => error::wrong_type(expected, object),
            })
        }
        Err(cause) if cause.is_instance_of::<PyOverflowError>(py) => {
            Err(error::general(py, format_args!("{name} has more than 64 bits")))
        }
        Err(cause) => Err(cause),
    }
}

/// A text that a message can show.
fn short_text(object: &Bound<'_, PyAny>) -> Option<String> {
    object.extract::<String>().ok().filter(|text| text.len() < 60)
}

/// The arguments of a constructor.
pub(crate) struct Args<'a, 'py> {
    kind: &'a str,
    items: &'a Bound<'py, PyTuple>,
}

impl<'a, 'py> Args<'a, 'py> {
    pub(crate) fn new(kind: &'a str, items: &'a Bound<'py, PyTuple>) -> Self {
        Self { kind, items }
    }

    pub(crate) fn kind(&self) -> &'a str {
        self.kind
    }

    pub(crate) fn py(&self) -> Python<'py> {
        self.items.py()
    }

    /// An argument as Python gave it.
    pub(crate) fn object(&self, i: usize) -> PyResult<Bound<'py, PyAny>> {
        let missing = |_| PyTypeError::new_err(format!("{}: argument {} is missing", self.kind, i + 1));
        self.items.get_item(i).map_err(missing)
    }

    /// The argument at a position; the error names it.
    pub(crate) fn get<T: FromPython>(&self, i: usize, name: &str) -> PyResult<T> {
        read(&self.object(i)?, &format!("{}: argument `{name}`", self.kind))
    }

    /// The attributes that an argument is: a dict by name, or None.
    pub(crate) fn attrs(&self, i: usize, name: &str) -> PyResult<Attrs> {
        let object = self.object(i)?;
        if attrs::is_dict(&object)? || object.is_none() {
            return attrs::attrs_of(&object);
        }
        Err(error::wrong_type(format_args!("{}: argument `{name}` is a dict by name", self.kind), &object))
    }

    /// The result of one of the IR's constructors.
    pub(crate) fn made<T, E: std::fmt::Display>(&self, made: Result<T, E>) -> PyResult<T> {
        made.map_err(|reason| super::refused(self.py(), self.kind, reason))
    }
}

/// A function's name: a text or a GlobalVar.
pub(crate) fn function_name(object: &Bound<'_, PyAny>) -> PyResult<Arc<str>> {
    if let Some(Node::Relax(expr)) = node_of(object)
        && let relax::ExprKind::GlobalVar(global) = &expr.kind
    {
        return Ok(global.name.clone());
    }
    match object.extract::<String>() {
        Ok(name) => Ok(name.into()),
        Err(_) => {
            Err(PyTypeError::new_err(format!("expected a name or a GlobalVar, found {}", object.get_type().name()?)))
        }
    }
}

/// A number or text as a scalar expression; an expression stays itself.
#[pyfunction]
#[pyo3(signature = (value, dtype=None))]
pub(crate) fn to_expr<'py>(
    value: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    let dtype: Option<DataType> = match dtype {
        Some(dtype) if !dtype.is_none() => argument(dtype, "dtype")?,
        _ => None,
    };
    if dtype == Some(DataType::U64)
        && let Ok(bits) = value.extract::<u64>()
    {
        return wrap(py, Node::Scalar(Expr::int(bits as i64, DataType::U64)));
    }
    let expr: Expr = argument(value, "value")?;
    if let (Some(dtype), Some(number)) = (dtype, expr.as_int())
        && dtype.is_int()
        && Expr::int(number, dtype).as_int() != Some(number)
    {
        return Err(super::refused(py, "const", format_args!("{number} is out of the range of {dtype}")));
    }
    let expr = match dtype {
        Some(dtype) if super::scalar::is_number(&expr, value) => super::scalar::held(&expr, value, dtype.element())
            .and_then(|number| number.cast(dtype))
            .map_err(|reason| super::refused(py, "const", reason))?,
        Some(dtype) => expr.cast(dtype).map_err(|reason| super::refused(py, "convert", reason))?,
        None => expr,
    };
    wrap(py, Node::Scalar(expr))
}
