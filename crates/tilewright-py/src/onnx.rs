//! ONNX models: from a file or its bytes to a module.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple, PyType};
use tilewright::expr::Expr as Scalar;
use tilewright::import::common::{NO_RULE, Refused, Value};
use tilewright::import::onnx::model::AttributeValue;
use tilewright::import::onnx::tensors::tensor_of;
use tilewright::import::onnx::{Custom, Foreign, Options, Resources, Size, from_onnx_with};
use tilewright::ir::builder::BlockBuilder;
use tilewright::ir::relax::Expr;
use tilewright::session::ExternalFiles;
use tilewright::tensor::SharedBytes;
use tilewright::{DataType, Tensor};

use crate::error;
use crate::module::PyModule;
use crate::torch::{to_python, value_of};
use crate::view::builder::PyBuilder;
use crate::view::{Node, argument, wrap};

/// The bytes of a model, which is a path or bytes, and the files that the model of a path may name.
fn bytes_of(model: &Bound<'_, PyAny>) -> PyResult<(SharedBytes, Option<ExternalFiles>)> {
    if let Ok(bytes) = model.cast::<PyBytes>() {
        return Ok((bytes.as_bytes().to_vec().into(), None));
    }
    let path: PathBuf = model.extract()?;
    let bytes = SharedBytes::map(&path)
        .map_err(|error| PyOSError::new_err((error.raw_os_error(), error.to_string(), path.clone())))?;
    Ok((bytes, Some(ExternalFiles::of(&path))))
}

/// The module of an ONNX model, which is a path or the bytes of a file. `options` are those of the importer: `shapes`,
/// `values` and `dtypes` by the names of inputs, `opset`, `params_as_input`, `sanitize_input_names`, and in `custom`
/// the operators that `translate` translates, with `None` among them for all nodes that have no rule or are refused.
/// It is called with a node as plain data, and builds with `builder`.
#[pyfunction]
pub(crate) fn import_onnx(
    model: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
    builder: &Bound<'_, PyBuilder>,
    translate: &Bound<'_, PyAny>,
) -> PyResult<PyModule> {
    let py = model.py();
    let (options, operators, takes_unsupported) = options_of(options)?;
    let (bytes, files) = bytes_of(model)?;
    let raised: Mutex<Option<PyErr>> = Mutex::new(None);
    let (builder, translate) = (builder.clone().unbind(), translate.clone().unbind());
    let call = |bb: &mut BlockBuilder, node: &Foreign<'_>| {
        Python::attach(|py| {
            let held = builder.bind(py).get();
            // The function builds with the very builder, which Python holds.
            std::mem::swap(bb, &mut *held.lock());
            let made = translated(translate.bind(py), node);
            std::mem::swap(bb, &mut *held.lock());
            made.map_err(|error| {
                let reason = match &node.reason {
                    Some(reason) => format!("{reason}; {error}"),
                    None => error.to_string(),
                };
                // What a user's function raises is told as it is.
                if node.reason.is_none() {
                    raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
                Refused::new(reason)
            })
        })
    };
    let custom = Custom { operators: &operators, takes_unsupported, translate: &call };
    let custom = (takes_unsupported || !operators.is_empty()).then_some(&custom);
    let module = py.detach(|| match &files {
        Some(files) => {
            let external = |location: &str, offset: u64, length: Option<u64>| files.part(location, offset, length);
            from_onnx_with(&bytes, &options, &Resources { external: Some(&external), custom })
        }
        None => from_onnx_with(&bytes, &options, &Resources { external: None, custom }),
    });
    if let Some(error) = raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    match module {
        Ok(module) => Ok(PyModule::of(module)),
        Err(failed) => {
            let found = &failed.diagnostics;
            let error = match found.0.iter().all(|one| one.code == NO_RULE) {
                true => {
                    let class = py.import("tilewright.error")?.getattr("OpNotImplemented")?.cast_into::<PyType>()?;
                    error::of_class(py, &class, &found.render(false), &found.0)
                }
                false => error::diagnostics(py, found),
            };
            error.value(py).setattr("nodes", failed.nodes)?;
            Err(error)
        }
    }
}

/// The outputs of a node that a function of Python translates.
fn translated(translate: &Bound<'_, PyAny>, node: &Foreign<'_>) -> PyResult<Vec<Value>> {
    let py = translate.py();
    let record = PyDict::new(py);
    record.set_item("op_type", node.op_type)?;
    record.set_item("domain", node.domain)?;
    record.set_item("name", node.name)?;
    record.set_item("opset", node.opset)?;
    record.set_item("outputs", node.outputs)?;
    record.set_item("reason", &node.reason)?;
    let inputs = node.inputs.iter().map(|value| to_python(py, value)).collect::<PyResult<Vec<_>>>()?;
    record.set_item("inputs", inputs)?;
    let attrs = PyDict::new(py);
    for attribute in node.attributes {
        attrs.set_item(attribute.name, attribute_to_python(py, &attribute.value)?)?;
    }
    record.set_item("attrs", attrs)?;
    if let Some(model) = &node.model {
        record.set_item("model", PyBytes::new(py, &model.bytes))?;
        record.set_item("model_inputs", model.inputs.clone())?;
        let sizes = model.sizes.iter().map(|size| wrap(py, Node::Scalar(size.clone())));
        record.set_item("model_sizes", sizes.collect::<PyResult<Vec<_>>>()?)?;
    }
    match value_of(&translate.call1((record,))?)? {
        Value::List(items) => Ok(items),
        one => Ok(vec![one]),
    }
}

/// An attribute as plain data; a graph is `None`.
fn attribute_to_python<'py>(py: Python<'py>, value: &AttributeValue<'_>) -> PyResult<Bound<'py, PyAny>> {
    let text = |bytes: &[u8]| match std::str::from_utf8(bytes) {
        Ok(text) => PyString::new(py, text).into_any(),
        Err(_) => PyBytes::new(py, bytes).into_any(),
    };
    Ok(match value {
        AttributeValue::Float(value) => value.into_pyobject(py)?.into_any(),
        AttributeValue::Int(value) => value.into_pyobject(py)?.into_any(),
        AttributeValue::Str(bytes) => text(bytes),
        AttributeValue::Floats(values) => PyList::new(py, values)?.into_any(),
        AttributeValue::Ints(values) => PyList::new(py, values)?.into_any(),
        AttributeValue::Strs(values) => PyList::new(py, values.iter().map(|bytes| text(bytes)))?.into_any(),
        AttributeValue::Tensor(proto) => match tensor_of(proto, None) {
            Ok(tensor) => wrap(py, Node::Relax(Expr::constant(tensor)))?,
            Err(_) => py.None().into_bound(py),
        },
        _ => py.None().into_bound(py),
    })
}

/// The options, the operators that the user's functions translate, and whether all unsupported nodes are such.
fn options_of(options: &Bound<'_, PyDict>) -> PyResult<(Options, Vec<String>, bool)> {
    let (mut found, mut operators, mut takes_unsupported) = (Options::default(), Vec::new(), false);
    for (key, value) in options {
        match key.extract::<&str>()? {
            "shapes" => {
                for (name, sizes) in value.cast_into::<PyDict>()? {
                    if sizes.is_none() {
                        found.absent.push(name.extract()?);
                        continue;
                    }
                    let first = sizes.try_iter()?.next().transpose()?;
                    // The shapes of a sequence's tensors.
                    match first
                        .is_some_and(|first| first.is_instance_of::<PyList>() || first.is_instance_of::<PyTuple>())
                    {
                        true => {
                            let shapes = sizes.try_iter()?.map(|shape| shape_of(&shape?)).collect::<PyResult<_>>()?;
                            found.sequences.push((name.extract()?, shapes));
                        }
                        false => found.shapes.push((name.extract()?, shape_of(&sizes)?)),
                    }
                }
            }
            "values" => {
                for (name, value) in value.cast_into::<PyDict>()? {
                    let value = argument::<Tensor>(&value, "values")?;
                    let value = value.copied().and_then(Tensor::sealed);
                    let value = value.map_err(|reason| error::tensor(name.py(), &reason))?;
                    found.values.push((name.extract()?, value));
                }
            }
            "dtypes" => {
                for (name, dtype) in value.cast_into::<PyDict>()? {
                    found.dtypes.push((name.extract()?, argument::<DataType>(&dtype, "dtype_dict")?));
                }
            }
            "opset" => found.opset = Some(value.extract()?),
            "params_as_input" => found.params_as_input = value.is_truthy()?,
            "custom" => {
                for name in value.try_iter()? {
                    match name?.extract::<Option<String>>()? {
                        Some(name) => operators.push(name),
                        None => takes_unsupported = true,
                    }
                }
            }
            "sanitize_input_names" => found.sanitize_input_names = value.is_truthy()?,
            other => return Err(pyo3::exceptions::PyValueError::new_err(format!("there is no option `{other}`"))),
        }
    }
    Ok((found, operators, takes_unsupported))
}

fn shape_of(sizes: &Bound<'_, PyAny>) -> PyResult<Vec<Size>> {
    sizes.try_iter()?.map(|size| size_of(&size?)).collect()
}

/// A size: a number, an expression, or the name of a symbolic dimension.
fn size_of(size: &Bound<'_, PyAny>) -> PyResult<Size> {
    if let Ok(name) = size.cast::<PyString>() {
        return Ok(Size::Symbol(name.to_string()));
    }
    let size = argument::<Scalar>(size, "shape_dict")?;
    Ok(Size::Expr(size.as_int().map_or(size, Scalar::i64)))
}
