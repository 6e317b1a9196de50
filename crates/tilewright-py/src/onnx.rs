//! ONNX models: from a file or its bytes to a module.

use std::path::PathBuf;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple, PyType};
use tilewright::expr::Expr as Scalar;
use tilewright::import::common::NO_RULE;
use tilewright::import::onnx::{Options, Size, from_onnx};
use tilewright::{DataType, Tensor};
use tilewright_cli::onnx::{folder_of, read_in_folder};

use crate::error;
use crate::module::PyModule;
use crate::view::argument;

/// The module of an ONNX model, which is a path or the bytes of a file. `options` are those of the importer: `shapes`,
/// `values` and `dtypes` by the names of inputs, `opset`, `params_as_input`, `sanitize_input_names`.
#[pyfunction]
pub(crate) fn import_onnx(model: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<PyModule> {
    let py = model.py();
    let options = options_of(options)?;
    let (bytes, folder) = match model.cast::<PyBytes>() {
        Ok(bytes) => (bytes.as_bytes().to_vec(), None),
        Err(_) => {
            let path: PathBuf = model.extract()?;
            let bytes = std::fs::read(&path)
                .map_err(|error| PyOSError::new_err((error.raw_os_error(), error.to_string(), path.clone())))?;
            (bytes, Some(folder_of(&path)))
        }
    };
    let module = py.detach(|| match folder {
        Some(folder) => {
            let external =
                |location: &str, offset: u64, length: Option<u64>| read_in_folder(&folder, location, offset, length);
            from_onnx(&bytes, &options, Some(&external))
        }
        None => from_onnx(&bytes, &options, None),
    });
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

fn options_of(options: &Bound<'_, PyDict>) -> PyResult<Options> {
    let mut found = Options::default();
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
            "sanitize_input_names" => found.sanitize_input_names = value.is_truthy()?,
            other => return Err(pyo3::exceptions::PyValueError::new_err(format!("there is no option `{other}`"))),
        }
    }
    Ok(found)
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
