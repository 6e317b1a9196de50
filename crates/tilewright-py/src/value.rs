//! Python objects to and from the values that functions take and give.

use std::any::Any;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use tilewright::Value;
use tilewright::runtime::{Error, ErrorKind, PackedFunc};
use tilewright::vm_program::MAX_NESTING;

use crate::device::Device;
use crate::function::Function;
use crate::kept::{Kept, Once};
use crate::tensor::NdArray;
use crate::{dlpack, error};

/// A Python object that the machine only hands on.
struct Opaque(Kept<Py<PyAny>>);

/// An object of the runtime that Python only hands on, such as a cache.
#[pyclass(frozen, name = "RuntimeObject", module = "tilewright.runtime.object")]
pub(crate) struct Held(Arc<dyn Any + Send + Sync>);

/// The values of a call's arguments.
pub(crate) fn arguments(args: &Bound<'_, PyTuple>) -> PyResult<Vec<Value>> {
    let mut values = Vec::with_capacity(args.len());
    for (index, arg) in args.iter_borrowed().enumerate() {
        values.push(from_python(&arg).map_err(|error| error::in_argument(args.py(), index, error))?);
    }
    Ok(values)
}

/// The value of an object: tensors and anything with `__dlpack__` share their memory.
pub(crate) fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    from_nested(object, MAX_NESTING)
}

/// `depth` bounds what lists may nest in it: one may even hold itself.
fn from_nested(object: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    if let Ok(tensor) = object.cast::<NdArray>() {
        return Ok(Value::Tensor(tensor.get().0.clone()));
    }
    if object.is_none() {
        return Ok(Value::None);
    }
    if object.is_instance_of::<PyBool>() {
        return object.extract().map(Value::Bool);
    }
    if object.is_instance_of::<PyInt>() {
        let too_large = |_| error::general(object.py(), format_args!("an integer is of 64 bits, found {object}"));
        return object.extract().map(Value::Int).map_err(too_large);
    }
    if object.is_instance_of::<PyFloat>() {
        return object.extract().map(Value::Float);
    }
    if object.is_instance_of::<PyString>() {
        return Ok(Value::from(object.extract::<&str>()?));
    }
    if object.is_instance_of::<PyTuple>() && object.get_type().is(shape_class(object.py())?) {
        let dims: Vec<i64> = object.extract()?;
        return Ok(Value::Shape(dims.into()));
    }
    if object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>() {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(error::general(object.py(), format_args!("tuples are nested more than {MAX_NESTING} deep")));
        };
        let items = object.try_iter()?.map(|item| from_nested(&item?, depth)).collect::<PyResult<Vec<_>>>()?;
        return Ok(Value::tuple(items));
    }
    from_other(object)
}

fn from_other(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(device) = object.cast::<Device>() {
        return Ok(Value::Device(device.get().0));
    }
    if let Ok(function) = object.cast::<Function>() {
        return Ok(function.get().to_value());
    }
    if let Ok(Held(object)) = object.cast::<Held>().map(Bound::get) {
        return Ok(Value::Object(object.clone()));
    }
    if let Some(tensor) = dlpack::import_if_exporter(object)? {
        return Ok(Value::Tensor(tensor));
    }
    if is_array_scalar(object)? {
        return from_python(&object.call_method0("item")?);
    }
    if object.is_callable() {
        return Ok(Value::Function(packed(object.clone().unbind())));
    }
    Ok(Value::Object(Arc::new(Opaque(Kept::new(object.clone().unbind())))))
}

/// The class of shapes, a tuple of integers.
fn shape_class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static SHAPE: Once<Py<PyType>> = Once::new();
    SHAPE.import(py, "tilewright.runtime.container", "ShapeTuple")
}

/// Whether this is a scalar of NumPy's (`numpy.int64(4)`): without dimensions, and with a Python number inside.
fn is_array_scalar(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(object.hasattr("item")? && object.getattr_opt("ndim")?.is_some_and(|n| n.extract::<i64>().is_ok_and(|n| n == 0)))
}

/// The object of a value.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::None => py.None().into_bound(py),
        Value::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Int(value) => value.into_pyobject(py)?.into_any(),
        Value::Float(value) => value.into_pyobject(py)?.into_any(),
        Value::Str(text) => PyString::new(py, text).into_any(),
        Value::DataType(dtype) => PyString::new(py, &dtype.to_string()).into_any(),
        Value::Device(device) => Bound::new(py, Device(*device))?.into_any(),
        Value::Shape(dims) => shape_class(py)?.call1((PyTuple::new(py, dims.iter())?,))?,
        Value::Tensor(tensor) => Bound::new(py, NdArray(tensor.clone()))?.into_any(),
        Value::Tuple(items) => {
            let items = items.iter().map(|item| to_python(py, item)).collect::<PyResult<Vec<_>>>()?;
            PyTuple::new(py, items)?.into_any()
        }
        Value::Function(function) => Bound::new(py, Function::packed("function", function.clone()))?.into_any(),
        Value::Closure(function) => Bound::new(py, Function::machine(function.clone()))?.into_any(),
        Value::Object(object) => match object.downcast_ref::<Opaque>() {
            Some(Opaque(object)) => object.bind(py).clone(),
            None => Bound::new(py, Held(object.clone()))?.into_any(),
        },
    })
}

/// A Python function as the runtime calls it. Its exception travels as itself.
pub(crate) fn packed(function: Py<PyAny>) -> PackedFunc {
    let function = Kept::new(function);
    Arc::new(move |args| {
        Python::attach(|py| {
            let arguments = args.iter().map(|arg| to_python(py, arg)).collect::<PyResult<Vec<_>>>()?;
            from_python(&function.bind(py).call1(PyTuple::new(py, arguments)?)?)
        })
        .map_err(raised)
    })
}

/// A Python exception as the runtime hands it on.
pub(crate) fn raised(exception: PyErr) -> Error {
    Error::callback(Kept::new(exception))
}

/// An error of the runtime: a Python exception that a callback raised comes back as itself.
pub(crate) fn runtime_error(py: Python<'_>, mut error: Error) -> PyErr {
    loop {
        if !matches!(error.kind(), ErrorKind::Callback { .. }) {
            return error::runtime(py, &error);
        }
        match error.into_kind() {
            ErrorKind::Callback { name, source } => match source.downcast::<Kept<PyErr>>() {
                Ok(exception) => return exception.clone_ref(py),
                Err(source) => match source.downcast::<Error>() {
                    Ok(inner) => error = *inner,
                    Err(source) => return error::runtime(py, &ErrorKind::Callback { name, source }.into()),
                },
            },
            kind => return error::runtime(py, &kind.into()),
        }
    }
}
