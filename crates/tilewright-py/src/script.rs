//! Text to IR: the host of scripts that Python reads.

use pyo3::exceptions::{PyTypeError, PyUserWarning};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use tilewright::expr::Expr;
use tilewright::ir::GlobalInfo;
use tilewright::ir::relax::{Expr as GraphExpr, ExprKind};
use tilewright::script::parse::{self, Definition, Host, HostValue, Item, Names, NoHost, ParsedFile, Source};
use tilewright::support::{Diagnostics, SourceFile, Span};
use tilewright::{DataType, GlobalFunc, Tensor};

use crate::module::{PyModule, function_object};
use crate::target::PyTarget;
use crate::tensor::NdArray;
use crate::view::{self, Node};
use crate::{dlpack, error};

/// Evaluates expressions with a Python function from their text to their value.
struct PythonHost<'a, 'py>(&'a Bound<'py, PyAny>);

impl Host for PythonHost<'_, '_> {
    fn eval(&self, expression: &str, _: &Span) -> Result<HostValue, String> {
        let value = self.0.call1((expression,)).and_then(|value| host_value(&value));
        value.map_err(|error| error.to_string())
    }

    fn eval_with(&self, expression: &str, _: &Span, locals: &[(String, HostValue)]) -> Result<HostValue, String> {
        let evaluated = || {
            let names = PyDict::new(self.0.py());
            for (name, value) in locals {
                names.set_item(name, host_object(self.0.py(), value)?)?;
            }
            host_value(&self.0.call1((expression, names))?)
        };
        evaluated().map_err(|error| error.to_string())
    }
}

/// The Python object of a value of the script.
fn host_object<'py>(py: Python<'py>, value: &HostValue) -> PyResult<Bound<'py, PyAny>> {
    let node = match value {
        HostValue::Tuple(items) => {
            let items =
                view::nested(py, || items.iter().map(|item| host_object(py, item)).collect::<PyResult<Vec<_>>>());
            return Ok(PyList::new(py, items?)?.into_any());
        }
        HostValue::Dict(items) => {
            let dict = PyDict::new(py);
            for (key, value) in items {
                dict.set_item(key, view::nested(py, || host_object(py, value))?)?;
            }
            return Ok(dict.into_any());
        }
        HostValue::Module(functions) => {
            let names = PyDict::new(py);
            for global in functions {
                names.set_item(&*global.name, view::wrap(py, Node::Relax(GraphExpr::global(global)))?)?;
            }
            return py.import("types")?.getattr("SimpleNamespace")?.call((), Some(&names));
        }
        HostValue::None => return Ok(py.None().into_bound(py)),
        HostValue::Bool(value) => return Ok(PyBool::new(py, *value).to_owned().into_any()),
        HostValue::Int(value) => return Ok(value.into_pyobject(py)?.into_any()),
        HostValue::Float(value) => return Ok(PyFloat::new(py, *value).into_any()),
        HostValue::Str(text) => return Ok(PyString::new(py, text).into_any()),
        HostValue::DType(dtype) => return Ok(PyString::new(py, &dtype.to_string()).into_any()),
        HostValue::Tensor(tensor) => Node::Relax(GraphExpr::constant(tensor.clone())),
        HostValue::Graph(expr) => Node::Relax(expr.clone()),
        HostValue::Scalar(expr) => Node::Scalar(expr.clone()),
        HostValue::Buffer(buffer) => Node::Buffer(buffer.clone()),
        HostValue::StructInfo(info) => Node::Info(info.clone()),
        HostValue::GlobalVar(global) => Node::Relax(GraphExpr::global(global)),
        HostValue::GlobalInfo(GlobalInfo::VDevice(device)) => Node::VDevice(device.clone()),
        HostValue::GlobalInfo(GlobalInfo::Dummy) => Node::DummyInfo,
        HostValue::PrimFunc(function) => Node::PrimFunc("".into(), function.clone()),
        HostValue::Function(function) => Node::Function("".into(), function.clone()),
        _ => return Err(PyTypeError::new_err("a value that Python has no object for")),
    };
    view::wrap(py, node)
}

/// The kinds of Python values for the script.
fn host_value(object: &Bound<'_, PyAny>) -> PyResult<HostValue> {
    if object.is_none() {
        return Ok(HostValue::None);
    }
    if object.is_instance_of::<PyBool>() {
        return object.extract().map(HostValue::Bool);
    }
    if object.is_instance_of::<PyInt>() {
        return object.extract().map(HostValue::Int);
    }
    if object.is_instance_of::<PyFloat>() {
        return object.extract().map(HostValue::Float);
    }
    if object.is_instance_of::<PyString>() {
        return object.str()?.extract().map(HostValue::Str);
    }
    if object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>() {
        let items = || object.try_iter()?.map(|item| host_value(&item?)).collect();
        return view::nested(object.py(), items).map(HostValue::Tuple);
    }
    if let Ok(dict) = object.cast::<PyDict>() {
        let items = || dict.iter().map(|(key, value)| Ok((key.extract()?, host_value(&value)?))).collect();
        return view::nested(object.py(), items).map(HostValue::Dict);
    }
    match view::node_of(object) {
        Some(node) => node_value(node).ok_or_else(|| meaningless(object)),
        None => foreign_value(object),
    }
}

/// The part of the IR in a text of another owner.
fn node_value(node: &Node) -> Option<HostValue> {
    Some(match node {
        Node::PrimFunc(_, function) => HostValue::PrimFunc(function.clone()),
        Node::Function(_, function) => HostValue::Function(function.clone()),
        Node::Scalar(expr) => match &expr.kind {
            tilewright::expr::ExprKind::Str(text) => HostValue::Str(text.to_string()),
            _ => HostValue::Scalar(expr.clone()),
        },
        Node::IterVar(iter) => HostValue::Scalar(Expr::var(&iter.var)),
        Node::Buffer(buffer) => HostValue::Buffer(buffer.clone()),
        Node::Info(info) => HostValue::StructInfo(info.clone()),
        Node::VDevice(device) => HostValue::GlobalInfo(GlobalInfo::VDevice(device.clone())),
        Node::DummyInfo => HostValue::GlobalInfo(GlobalInfo::Dummy),
        Node::Relax(expr) => match &expr.kind {
            ExprKind::GlobalVar(global) => HostValue::GlobalVar(global.clone()),
            ExprKind::Prim(value) => HostValue::Scalar(value.clone()),
            ExprKind::Str(text) => HostValue::Str(text.to_string()),
            ExprKind::DType(dtype) => HostValue::DType(*dtype),
            ExprKind::Tuple(fields) => {
                let fields = fields.iter().map(|field| node_value(&Node::Relax(field.clone())));
                HostValue::Tuple(fields.collect::<Option<_>>()?)
            }
            _ => HostValue::Graph(expr.clone()),
        },
        _ => return None,
    })
}

/// The value of another library, or of the runtime, for the script.
fn foreign_value(object: &Bound<'_, PyAny>) -> PyResult<HostValue> {
    let py = object.py();
    let constant = |tensor: Tensor| tensor.copied().map(HostValue::Tensor).map_err(|e| error::tensor(py, &e));
    if let Ok(tensor) = object.cast::<NdArray>() {
        return constant(tensor.get().on_host(py)?);
    }
    if object.is_instance_of::<PyTarget>() {
        return object.str()?.extract().map(HostValue::Str);
    }
    if let Ok(class) = object.cast::<PyType>() {
        return class_dtype(class)?.map(HostValue::DType).ok_or_else(|| meaningless(object));
    }
    // Arrays also have what numbers have, and may hold one element.
    if dlpack::is_exporter(object)? {
        return dlpack::import(object).and_then(constant);
    }
    if object.hasattr("dtype")? && object.hasattr("item")? {
        let item = object.call_method0("item")?;
        return if item.is(object) || view::node_of(&item).is_some() {
            Err(meaningless(object))
        } else {
            host_value(&item)
        };
    }
    let written = object.get_type().getattr("from_script").is_ok();
    if written {
        return host_value(&object.call_method0("from_script")?);
    }
    let text = object.str()?.to_string();
    match text.strip_prefix("torch.").unwrap_or(&text).parse() {
        Ok(dtype) => Ok(HostValue::DType(dtype)),
        Err(_) => Err(meaningless(object)),
    }
}

/// The data type of a class of NumPy, such as `numpy.float32`.
fn class_dtype(class: &Bound<'_, PyType>) -> PyResult<Option<DataType>> {
    let library = class.module()?.to_string();
    let name = class.name()?.to_string();
    let known = ["numpy", "ml_dtypes"].contains(&library.as_str());
    Ok(if known { name.trim_end_matches('_').parse().ok() } else { None })
}

fn meaningless(object: &Bound<'_, PyAny>) -> PyErr {
    let (what, class) = match object.cast::<PyType>() {
        Ok(class) => ("the class", class.clone()),
        Err(_) => ("a value of type", object.get_type()),
    };
    let name = class.fully_qualified_name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("{what} {name} has no meaning in a script"))
}

fn object_of(py: Python<'_>, item: Item) -> PyResult<Bound<'_, PyAny>> {
    let name = item.name.into();
    match item.definition {
        Definition::Module(module) => Ok(Bound::new(py, PyModule::of(module))?.into_any()),
        Definition::Prim(function) => function_object(py, &name, &GlobalFunc::Prim(function)),
        Definition::Relax(function) => function_object(py, &name, &GlobalFunc::Relax(function)),
    }
}

/// The parsed result; warnings become Python's.
fn finish(py: Python<'_>, parsed: Result<ParsedFile, Diagnostics>) -> PyResult<Vec<Item>> {
    let parsed = parsed.map_err(|found| error::diagnostics(py, &found))?;
    for warning in &parsed.warnings.0 {
        let text = std::ffi::CString::new(warning.render(false).replace('\0', " "))?;
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 3)?;
    }
    Ok(parsed.items)
}

/// Reads a decorated class or function from its own text, which begins at `line` of the file; `names` says which of
/// its plain names are the script's own, `value` evaluates what is not.
#[pyfunction]
pub(crate) fn read_definition<'py>(
    text: String,
    filename: String,
    line: usize,
    names: &Bound<'py, PyDict>,
    value: &Bound<'py, PyAny>,
    check_well_formed: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = names.py();
    let names = names.iter().map(|(name, meaning)| Ok((name.extract()?, meaning.extract()?)));
    let names = names.collect::<PyResult<Vec<(String, String)>>>()?.into_iter().collect::<Names>();
    let file = SourceFile::part(filename, text, line.saturating_sub(1));
    let source = Source::new(&file).with_names(names);
    let source = if check_well_formed { source } else { source.unchecked() };
    let mut items = finish(py, parse::parse_file(source, &PythonHost(value)))?;
    match (items.pop(), items.is_empty()) {
        (Some(item), true) => object_of(py, item),
        _ => Err(error::general(py, format_args!("{}:{line}: expected one definition", file.name))),
    }
}

/// Reads text: the one definition, or a dict of them by name where there are several. Without `value`, what is not the
/// script's own is an error.
#[pyfunction]
pub(crate) fn from_source<'py>(
    py: Python<'py>,
    text: String,
    filename: String,
    value: Option<&Bound<'py, PyAny>>,
    check_well_formed: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let file = SourceFile::new(filename, text);
    let source = if check_well_formed { Source::new(&file) } else { Source::new(&file).unchecked() };
    let parsed = match value {
        Some(value) => parse::parse_file(source, &PythonHost(value)),
        None => parse::parse_file(source, &NoHost),
    };
    let mut items = finish(py, parsed)?;
    if items.len() > 1 {
        let all = PyDict::new(py);
        for item in items {
            all.set_item(item.name.clone(), object_of(py, item)?)?;
        }
        return Ok(all.into_any());
    }
    match items.pop() {
        Some(item) => object_of(py, item),
        None => Err(error::general(py, "the text defines no module and no function of TVMScript")),
    }
}
