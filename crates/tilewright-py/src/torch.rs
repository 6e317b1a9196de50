//! Recorded PyTorch graphs: from the plain data that Python records to those of the importer.
//!
//! An argument is plain data: `None`, numbers, texts and lists mean themselves, and a dict with one key gives its kind:
//! `node`, `parameter`, `dtype`, `size`, `slice`, `ellipsis` or `opaque`.

use std::collections::HashMap;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use tilewright::expr::Expr as Scalar;
use tilewright::import::torch::rules::find;
use tilewright::import::torch::{Argument, Graph, Input, Node as Recorded, Options, Refused, Target, Value, translate};
use tilewright::ir::builder::BlockBuilder;
use tilewright::ir::relax::{Expr, StructInfo};
use tilewright::support::{SourceFile, Span, parallel_map};
use tilewright::{DataType, Tensor};

use crate::error;
use crate::view::builder::PyBuilder;
use crate::view::{self, FromPython, Node, argument, wrap};

/// Whether there is a rule for the operator of PyTorch of this name.
#[pyfunction]
pub(crate) fn has_torch_rule(name: &str) -> bool {
    find(name).is_some()
}

/// Adds a recorded graph as the function `main` to the builder's module. `custom` translates the nodes without a
/// target: it gets a node's number and the values of the nodes that it needs, by name. The error of a graph that has no
/// meaning says in `nodes` which nodes have none.
#[pyfunction]
pub(crate) fn import_torch_graph<'py>(
    builder: &Bound<'py, PyBuilder>,
    graph: &Bound<'py, PyDict>,
    options: &Bound<'py, PyDict>,
    custom: &Bound<'py, PyAny>,
) -> PyResult<()> {
    let py = graph.py();
    let options = options_of(options)?;
    let graph = graph_of(graph, &options)?;
    let held = builder.get();
    let mut bb = std::mem::take(&mut *held.lock());
    let mut raised = None;
    // The function of the user's builds with the very builder, which Python holds.
    let result = translate(&mut bb, &graph, &options, &mut |bb, at, values| {
        std::mem::swap(bb, &mut *held.lock());
        let made = translated(custom, at, values);
        std::mem::swap(bb, &mut *held.lock());
        made.map_err(|error| {
            let reason = Refused::new(error.to_string());
            raised.get_or_insert(error);
            reason
        })
    });
    *held.lock() = if result.is_ok() { bb } else { BlockBuilder::new() };
    match (raised, result) {
        (Some(error), _) => Err(error),
        (None, Err(failed)) => {
            let error = error::diagnostics(py, &failed.diagnostics);
            error.value(py).setattr("nodes", failed.nodes)?;
            Err(error)
        }
        (None, Ok(())) => Ok(()),
    }
}

fn translated(custom: &Bound<'_, PyAny>, at: usize, values: &[(String, Value)]) -> PyResult<Value> {
    let known = PyDict::new(custom.py());
    for (name, value) in values {
        known.set_item(name, to_python(custom.py(), value)?)?;
    }
    value_of(&custom.call1((at, known))?)
}

/// A value as the functions of users see it.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::None => py.None().into_bound(py),
        Value::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Int(value) => value.into_pyobject(py)?.into_any(),
        Value::Float(value) => value.into_pyobject(py)?.into_any(),
        Value::Str(text) | Value::Opaque(text) => PyString::new(py, text).into_any(),
        Value::DType(dtype) => PyString::new(py, &dtype.to_string()).into_any(),
        Value::Dim(dim) => wrap(py, Node::Scalar(dim.clone()))?,
        Value::Tensor(expr) => wrap(py, Node::Relax(expr.clone()))?,
        Value::List(items) => {
            PyList::new(py, items.iter().map(|item| to_python(py, item)).collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        Value::Slice(parts) => {
            let [start, stop, step] = &**parts;
            let bounds = (to_python(py, start)?, to_python(py, stop)?, to_python(py, step)?);
            py.import("builtins")?.getattr("slice")?.call1(bounds)?
        }
        Value::Ellipsis => py.Ellipsis().into_bound(py),
    })
}

/// The results of a function of the user's.
pub(crate) fn value_of(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if object.is_none() {
        return Ok(Value::None);
    }
    if object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>() {
        let items = || object.try_iter()?.map(|item| value_of(&item?)).collect();
        return view::nested(object.py(), items).map(Value::List);
    }
    if let Some(Node::Scalar(dim)) = view::node_of(object) {
        return Ok(Value::int(dim.clone()));
    }
    if let Some(plain) = plain_of(object)? {
        return Ok(match plain {
            Argument::Bool(value) => Value::Bool(value),
            Argument::Int(value) => Value::Int(value),
            Argument::Float(value) => Value::Float(value),
            Argument::Str(text) => Value::Str(text),
            _ => Value::None,
        });
    }
    let expected = || error::wrong_type("a function of `custom_convert_map` gives a value of the graph", object);
    Expr::from_python(object)?.map(Value::Tensor).ok_or_else(expected)
}

fn options_of(options: &Bound<'_, PyDict>) -> PyResult<Options> {
    let mut found = Options::default();
    for (key, value) in options {
        match key.extract::<&str>()? {
            "params_as_input" => found.params_as_input = value.extract()?,
            "unwrap_unit_return_tuple" => found.unwrap_unit_return_tuple = value.is_truthy()?,
            "no_bind_return_tuple" => found.no_bind_return_tuple = value.is_truthy()?,
            other => return Err(PyValueError::new_err(format!("there is no option `{other}`"))),
        }
    }
    Ok(found)
}

/// The value of a key that every record of this kind has.
fn entry<'py>(record: &Bound<'py, PyDict>, key: &str) -> PyResult<Bound<'py, PyAny>> {
    record.get_item(key)?.ok_or_else(|| PyValueError::new_err(format!("a recorded graph needs `{key}`")))
}

fn graph_of(record: &Bound<'_, PyDict>, options: &Options) -> PyResult<Graph> {
    let mut graph = Graph::default();
    for input in entry(record, "inputs")?.try_iter()? {
        let (name, info): (String, Bound<'_, PyAny>) = input?.extract()?;
        graph.inputs.push(Input { name, info: argument::<StructInfo>(&info, "info")? });
    }
    let parameters = entry(record, "parameters")?.cast_into::<PyDict>()?.iter();
    let parameters = parameters.map(|(name, value)| Ok((name.extract()?, argument(&value, "parameter")?)));
    let parameters: Vec<(String, Tensor)> = parameters.collect::<PyResult<_>>()?;
    // PyTorch may write to its tensors. Nobody writes to a constant: the executable takes the copy as it is.
    let copy = |(name, tensor): &(String, Tensor)| match options.params_as_input.contains(name) {
        true => tensor.copied(),
        false => tensor.clone().sealed(),
    };
    let copies = record.py().detach(|| parallel_map(&parameters, copy));
    for ((name, _), copied) in parameters.into_iter().zip(copies) {
        graph.parameters.insert(name, copied.map_err(|reason| error::tensor(record.py(), &reason))?);
    }
    let files: HashMap<String, String> = entry(record, "files")?.extract()?;
    let files: HashMap<String, Arc<SourceFile>> =
        files.into_iter().map(|(name, text)| (name.clone(), SourceFile::new(name, text))).collect();
    for node in entry(record, "nodes")?.try_iter()? {
        graph.nodes.push(node_of(&node?.cast_into::<PyDict>()?, &files)?);
    }
    graph.output = argument_of(&entry(record, "output")?)?;
    Ok(graph)
}

fn node_of(record: &Bound<'_, PyDict>, files: &HashMap<String, Arc<SourceFile>>) -> PyResult<Recorded> {
    let target: Option<String> = entry(record, "target")?.extract()?;
    let location: Option<(String, usize)> = entry(record, "place")?.extract()?;
    let mut kwargs = Vec::new();
    for (key, value) in entry(record, "kwargs")?.cast_into::<PyDict>()? {
        kwargs.push((key.extract()?, argument_of(&value)?));
    }
    Ok(Recorded {
        name: entry(record, "name")?.extract()?,
        target: target.map_or(Target::Custom, Target::Rule),
        args: entry(record, "args")?.try_iter()?.map(|item| argument_of(&item?)).collect::<PyResult<_>>()?,
        kwargs,
        said: entry(record, "said")?.extract()?,
        sizes: entry(record, "sizes")?.try_iter()?.map(|size| size_of(&size?)).collect::<PyResult<_>>()?,
        place: location.and_then(|(file, line)| line_of(files.get(&file)?, line)),
    })
}

/// A size that is known, as an integer or an expression.
fn size_of(size: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    if size.is_none() {
        return Ok(None);
    }
    let size = argument::<Scalar>(size, "size")?;
    Ok(Some(size.as_int().map_or(size, Scalar::i64)))
}

/// The text of a line of a file.
fn line_of(file: &Arc<SourceFile>, line: usize) -> Option<Span> {
    let mut start = 0;
    for (at, text) in file.text.split_inclusive('\n').enumerate() {
        if at + 1 == line {
            let indent = text.len() - text.trim_start().len();
            let begin = u32::try_from(start + indent).ok()?;
            let end = u32::try_from(start + text.trim_end().len()).ok()?;
            return Some(Span::new(file, begin, end.max(begin)));
        }
        start += text.len();
    }
    None
}

/// A number, a text, or nothing.
fn plain_of(object: &Bound<'_, PyAny>) -> PyResult<Option<Argument>> {
    Ok(Some(if object.is_none() {
        Argument::None
    } else if object.is_instance_of::<PyBool>() {
        Argument::Bool(object.extract()?)
    } else if object.is_instance_of::<PyInt>() {
        Argument::Int(object.extract()?)
    } else if object.is_instance_of::<PyFloat>() {
        Argument::Float(object.extract()?)
    } else if object.is_instance_of::<PyString>() {
        Argument::Str(object.extract()?)
    } else {
        return Ok(None);
    }))
}

fn argument_of(object: &Bound<'_, PyAny>) -> PyResult<Argument> {
    if let Some(plain) = plain_of(object)? {
        return Ok(plain);
    }
    if object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>() {
        let items = || object.try_iter()?.map(|item| argument_of(&item?)).collect();
        return view::nested(object.py(), items).map(Argument::List);
    }
    let record = object.cast::<PyDict>()?;
    let Some((key, value)) = record.iter().next() else {
        return Err(PyValueError::new_err("an argument that is a dict has a key"));
    };
    Ok(match key.extract::<&str>()? {
        "node" => Argument::Node(value.extract()?),
        "parameter" => Argument::Parameter(value.extract()?),
        "size" => {
            let size = argument::<Scalar>(&value, "size")?;
            Argument::Size(size.as_int().map_or(size, Scalar::i64))
        }
        "dtype" => Argument::DType(argument::<DataType>(&value, "dtype")?),
        "slice" => {
            let [start, stop, step]: [Bound<'_, PyAny>; 3] = value.extract()?;
            Argument::Slice(Box::new([argument_of(&start)?, argument_of(&stop)?, argument_of(&step)?]))
        }
        "ellipsis" => Argument::Ellipsis,
        "opaque" => Argument::Opaque(value.extract()?),
        other => return Err(PyValueError::new_err(format!("an argument cannot be a `{other}`"))),
    })
}
