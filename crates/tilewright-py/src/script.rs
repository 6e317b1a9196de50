//! Text to IR: the host of scripts that Python reads.

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use tilewright::GlobalFunc;
use tilewright::script::parse::{self, Definition, Host, HostValue, Item, Names, NoHost, ParsedFile, Source};
use tilewright::support::{Diagnostics, SourceFile, Span};

use crate::module::{PyModule, function_object};
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
}

/// What a value of Python is to the script.
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
        return object.extract().map(HostValue::Str);
    }
    if object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>() {
        let items = object.try_iter()?.map(|item| host_value(&item?));
        return items.collect::<PyResult<_>>().map(HostValue::Tuple);
    }
    if let Ok(dict) = object.cast::<PyDict>() {
        let items = dict.iter().map(|(key, value)| Ok((key.extract()?, host_value(&value)?)));
        return items.collect::<PyResult<_>>().map(HostValue::Dict);
    }
    host_object(object)
}

fn host_object(object: &Bound<'_, PyAny>) -> PyResult<HostValue> {
    if let Ok(tensor) = object.cast::<NdArray>() {
        return Ok(HostValue::Tensor(tensor.get().0.clone()));
    }
    match view::node_of(object) {
        Some(Node::PrimFunc(_, function)) => return Ok(HostValue::PrimFunc(function.clone())),
        Some(Node::Function(_, function)) => return Ok(HostValue::Function(function.clone())),
        _ => {}
    }
    // NumPy's scalars are numbers, its types are data types; both have what arrays have, too.
    if let Ok(true) = object.hasattr("__index__") {
        return object.call_method0("__index__")?.extract().map(HostValue::Int);
    }
    if object.hasattr("__float__")? && !object.hasattr("shape").is_ok_and(|has| has && !is_scalar(object)) {
        return object.extract().map(HostValue::Float);
    }
    if dlpack::is_exporter(object)? {
        return dlpack::import(object).map(HostValue::Tensor);
    }
    if let Ok(dtype) = object.str()?.to_string().parse() {
        return Ok(HostValue::DType(dtype));
    }
    let found = object.get_type().fully_qualified_name()?;
    Err(pyo3::exceptions::PyTypeError::new_err(format!("a value of type {found} has no meaning in a script")))
}

/// Whether something with a shape has no dimensions.
fn is_scalar(object: &Bound<'_, PyAny>) -> bool {
    object.getattr("ndim").and_then(|ndim| ndim.extract::<usize>()).is_ok_and(|ndim| ndim == 0)
}

fn object_of(py: Python<'_>, item: Item) -> PyResult<Bound<'_, PyAny>> {
    let name = item.name.into();
    match item.definition {
        Definition::Module(module) => Ok(Bound::new(py, PyModule::of(module))?.into_any()),
        Definition::Prim(function) => function_object(py, &name, &GlobalFunc::Prim(function)),
        Definition::Relax(function) => function_object(py, &name, &GlobalFunc::Relax(function)),
    }
}

/// What was read; warnings become Python's.
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
) -> PyResult<Bound<'py, PyAny>> {
    let py = names.py();
    let names = names.iter().map(|(name, meaning)| Ok((name.extract()?, meaning.extract()?)));
    let names = names.collect::<PyResult<Vec<(String, String)>>>()?.into_iter().collect::<Names>();
    let file = SourceFile::part(filename, text, line.saturating_sub(1));
    let source = Source::new(&file).with_names(names);
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
) -> PyResult<Bound<'py, PyAny>> {
    let file = SourceFile::new(filename, text);
    let parsed = match value {
        Some(value) => parse::parse_file(&file, &PythonHost(value)),
        None => parse::parse_file(&file, &NoHost),
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
