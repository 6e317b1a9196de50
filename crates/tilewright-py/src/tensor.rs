//! `NDArray` and `Device`.

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};
use tilewright::runtime::{self, DeviceKind};
use tilewright::tensor::dlpack::DEVICE_CPU;
use tilewright::{DataType, Tensor};

use crate::{dlpack, error};

/// A place for tensors: a kind of device and its index.
#[pyclass(frozen, eq, hash, module = "tilewright.runtime.device")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Device(pub(crate) runtime::Device);

impl Device {
    /// An error unless tensors can live here in this version.
    pub(crate) fn check(&self, py: Python<'_>) -> PyResult<()> {
        self.0.require().map_err(|e| error::general(py, e))
    }
}

#[pymethods]
impl Device {
    #[new]
    fn new(py: Python<'_>, kind: &str, index: u32) -> PyResult<Self> {
        let kind = match kind {
            "cpu" => DeviceKind::Cpu,
            "cuda" => DeviceKind::Cuda,
            _ => {
                let message = format_args!("unknown kind of device `{kind}`: expected cpu or cuda");
                return Err(error::general(py, message));
            }
        };
        Ok(Self(runtime::Device { kind, index }))
    }

    /// Whether the device is there and can be used.
    #[getter]
    fn exist(&self) -> bool {
        self.0.exists()
    }

    /// DLPack's number for the kind of device.
    #[getter]
    fn device_type(&self) -> i32 {
        match self.0.kind {
            DeviceKind::Cpu => DEVICE_CPU,
            DeviceKind::Cuda => 2,
        }
    }

    #[getter]
    fn device_id(&self) -> u32 {
        self.0.index
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        self.0.to_string()
    }
}

/// A tensor. Clones, views through DLPack and arguments of callbacks share its memory.
#[pyclass(frozen, name = "NDArray", module = "tilewright.runtime.ndarray")]
#[derive(Debug)]
pub(crate) struct NdArray(pub(crate) Tensor);

fn parse_dtype(py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<DataType> {
    let text = name.str()?.to_string();
    text.parse().map_err(|_| error::general(py, format_args!("unknown data type `{text}`")))
}

#[pymethods]
impl NdArray {
    /// A copy of anything with `__dlpack__`.
    #[staticmethod]
    fn copy_of(source: &Bound<'_, PyAny>, device: &Device) -> PyResult<Self> {
        let py = source.py();
        device.check(py)?;
        dlpack::import(source)?.copied().map(Self).map_err(|e| error::tensor(py, &e))
    }

    /// A tensor over the memory of anything with `__dlpack__`.
    #[staticmethod]
    fn from_dlpack(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        dlpack::import(source).map(Self)
    }

    /// A tensor of zeros.
    #[staticmethod]
    fn empty(py: Python<'_>, shape: Vec<i64>, dtype: &Bound<'_, PyAny>, device: &Device) -> PyResult<Self> {
        device.check(py)?;
        Tensor::zeros(parse_dtype(py, dtype)?, &shape).map(Self).map_err(|e| error::tensor(py, &e))
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.shape())
    }

    #[getter]
    fn dtype(&self) -> String {
        self.0.dtype().to_string()
    }

    #[getter]
    fn ndim(&self) -> usize {
        self.0.ndim()
    }

    #[getter]
    fn device(&self) -> Device {
        Device(runtime::Device::cpu())
    }

    /// A NumPy array with a copy of the values.
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let copy = Self(self.0.copied().map_err(|e| error::tensor(py, &e))?);
        let array = py.import("numpy")?.call_method1("from_dlpack", (copy,))?;
        // NumPy before 2.1 marks what comes through DLPack as read-only.
        if array.getattr("flags")?.getattr("writeable")?.extract()? { Ok(array) } else { array.call_method0("copy") }
    }

    /// Copies the values into another tensor of the same shape and type, or into a new one on a device.
    fn copyto<'py>(&self, target: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = target.py();
        if let Ok(device) = target.cast::<Device>() {
            device.get().check(py)?;
            let copy = self.0.copied().map_err(|e| error::tensor(py, &e))?;
            return Ok(Bound::new(py, Self(copy))?.into_any());
        }
        let Ok(other) = target.cast::<Self>() else {
            let found = target.get_type().name()?;
            return Err(PyTypeError::new_err(format!("copyto takes an NDArray or a device, not {found}")));
        };
        copy_values(&self.0, &other.get().0).map_err(|message| error::general(py, message))?;
        Ok(target.clone())
    }

    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = stream; // Streams order work on devices; main memory has none.
        if dl_device.is_some_and(|device| device != self.__dlpack_device__()) {
            return Err(PyBufferError::new_err("the tensor lives in main memory, and exports to there alone"));
        }
        let tensor = match copy {
            Some(true) => self.0.copied().map_err(|e| error::tensor(py, &e))?,
            _ => self.0.clone(),
        };
        dlpack::export(py, tensor, max_version)
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        (DEVICE_CPU, 0)
    }

    /// So that NumPy's own functions take a tensor; the array is a copy.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = copy; // What this returns is always a copy.
        let array = self.numpy(py)?;
        match dtype {
            None => Ok(array),
            Some(dtype) => {
                let options = PyDict::new(py);
                options.set_item("copy", false)?;
                array.call_method("astype", (dtype,), Some(&options))
            }
        }
    }

    fn __len__(&self) -> PyResult<usize> {
        let first = self.0.shape().first();
        first.map(|&n| n as usize).ok_or_else(|| PyTypeError::new_err("len() of a tensor without dimensions"))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.numpy(py)?.str()?.to_string())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<NDArray {:?}, {}, cpu(0)>\n{}", self.0.shape(), self.0.dtype(), self.__str__(py)?))
    }
}

/// Copies values between tensors of the same shape and type; the target must be compact and writable.
fn copy_values(source: &Tensor, target: &Tensor) -> Result<(), String> {
    if source.shape() != target.shape() || source.dtype() != target.dtype() {
        let (from, to) = ((source.shape(), source.dtype()), (target.shape(), target.dtype()));
        return Err(format!(
            "copyto needs the same shape and type: shape {:?} of {} does not go into shape {:?} of {}",
            from.0, from.1, to.0, to.1
        ));
    }
    if target.is_read_only() {
        return Err("the tensor to copy into is read-only".to_owned());
    }
    if !target.is_contiguous() {
        return Err(format!("the tensor to copy into has strides {:?}, expected compact rows", target.strides()));
    }
    let source = source.to_contiguous().map_err(|e| e.to_string())?;
    // SAFETY: both are compact with `num_bytes` bytes each, the target may be written, and `copy` allows overlap.
    unsafe { std::ptr::copy(source.data_ptr(), target.data_ptr(), source.num_bytes()) };
    Ok(())
}
