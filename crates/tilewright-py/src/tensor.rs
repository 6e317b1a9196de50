//! `NDArray`.

use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyIterator, PyList, PyTuple};
use tilewright::expr::semantics::{Scalar, cast, is_float8};
use tilewright::runtime;
use tilewright::runtime::device::copy_elements;
use tilewright::tensor::{Layout, TensorError, UnknownDataType};
use tilewright::{DataType, Tensor};

use crate::device::Device;
use crate::value::runtime_error;
use crate::{argument, dlpack, error, indexing};

/// A data type by its name: the name as it is written, the code that DLPack has for it, bits and lanes.
#[pyfunction]
pub(crate) fn data_type_parts(text: &str) -> PyResult<(String, u8, u8, u16)> {
    let dtype: DataType =
        text.parse().map_err(|unknown: UnknownDataType| PyValueError::new_err(unknown.to_string()))?;
    Ok((dtype.to_string(), dtype.code as u8, dtype.bits, dtype.lanes))
}

/// A tensor. Clones, views through indices or DLPack, and arguments of callbacks share its memory.
#[pyclass(frozen, name = "NDArray", module = "tilewright.runtime.ndarray")]
#[derive(Debug)]
pub(crate) struct NdArray(pub(crate) Tensor);

fn parse_dtype(name: &Bound<'_, PyAny>) -> PyResult<DataType> {
    let text = match name.getattr_opt("name")? {
        Some(text) if !text.is_none() => text.str()?.to_string(),
        _ => name.str()?.to_string(),
    };
    // `torch.float32` is written with its module, and `numpy.float32` is a class that has no `name`.
    let text = text.trim_start_matches("torch.").trim_start_matches("<class 'numpy.").trim_end_matches("'>");
    let is_held = |dtype: &DataType| DataType::TENSOR_ELEMENTS.contains(dtype) || is_float8(*dtype);
    text.parse().ok().filter(is_held).ok_or_else(|| {
        let known: Vec<String> = DataType::TENSOR_ELEMENTS.iter().map(ToString::to_string).collect();
        let message = format_args!("no tensor holds the data type `{text}`: expected one of {}", known.join(", "));
        error::general(name.py(), message)
    })
}

impl NdArray {
    /// The tensor where the host reads it: itself, or a copy of what is on a device.
    pub(crate) fn on_host(&self, py: Python<'_>) -> PyResult<Tensor> {
        if self.0.is_on_host() {
            return Ok(self.0.clone());
        }
        py.detach(|| runtime::Device::cpu().copy_of(&self.0)).map_err(|e| runtime_error(py, e))
    }

    /// A tensor on the device of this one: itself, or a copy of what was made on the host.
    fn on_same_device(&self, py: Python<'_>, tensor: Tensor) -> PyResult<Self> {
        if self.0.is_on_host() {
            return Ok(Self(tensor));
        }
        let copy = py.detach(|| runtime::Device::of(&self.0)?.copy_of(&tensor));
        copy.map(Self).map_err(|e| runtime_error(py, e))
    }

    /// A copy on a device.
    fn copied(&self, py: Python<'_>, device: runtime::Device) -> PyResult<Self> {
        let copy = || {
            if runtime::Device::of(&self.0)? != device {
                return device.copy_of(&self.0);
            }
            if self.0.is_on_host() {
                return Ok(self.0.copied()?);
            }
            let copy = device.empty(Layout::compact(self.0.dtype(), self.0.shape())?.into())?;
            copy_elements(&copy, &self.0).map(|()| copy)
        };
        py.detach(copy).map(Self).map_err(|e| runtime_error(py, e))
    }

    /// A NumPy array over the tensor's own memory, or of a constant over a copy; of `bfloat16`, which NumPy lacks, over
    /// its bits.
    fn bits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let tensor = self.on_host(py)?;
        let tensor = match tensor.dtype() {
            DataType::BF16 => retyped(&tensor, DataType::U16).map_err(|e| error::tensor(py, &e))?,
            _ => tensor,
        };
        py.import("numpy")?.call_method1("from_dlpack", (Self(tensor),))
    }

    /// A tensor that NumPy knows, with the same values.
    fn widened(&self, py: Python<'_>) -> PyResult<Self> {
        match self.0.dtype() {
            DataType::BF16 => self.converted(py, DataType::F32),
            _ => Ok(Self(self.0.clone())),
        }
    }

    /// The elements as another type.
    fn converted(&self, py: Python<'_>, dtype: DataType) -> PyResult<Self> {
        let tensor = self.on_host(py)?;
        let converted = py.detach(|| convert(&tensor, dtype)).map_err(|e| error::tensor(py, &e))?;
        self.on_same_device(py, converted)
    }

    /// Values to be written into this tensor, in its type and shape: NumPy converts and broadcasts.
    fn fitted(&self, values: &Bound<'_, PyAny>) -> PyResult<Tensor> {
        let py = values.py();
        let (shape, dtype) = (self.0.shape(), self.0.dtype());
        let same = values.cast::<Self>().ok().map(|other| &other.get().0);
        if let Some(other) = same.filter(|other| other.shape() == shape && other.dtype() == dtype) {
            return Ok(other.clone());
        }
        let through = if dtype == DataType::BF16 { DataType::F32 } else { dtype };
        let source = match values.cast::<Self>() {
            Ok(other) => other.get().converted(py, through)?.bits(py)?,
            Err(_) => values.clone(),
        };
        let numpy = py.import("numpy")?;
        let array = numpy.call_method1("asarray", (source, through.to_string()))?;
        let array = numpy.call_method1("broadcast_to", (array, PyTuple::new(py, shape)?))?;
        let array = numpy.call_method1("ascontiguousarray", (array,))?;
        let tensor = dlpack::import(&array)?;
        convert(&tensor, dtype).and_then(|tensor| tensor.reshape(shape)).map_err(|e| error::tensor(py, &e))
    }

    fn overwrite(&self, py: Python<'_>, values: &Tensor) -> PyResult<()> {
        if !(values.is_on_host() && self.0.is_on_host()) {
            return py.detach(|| copy_elements(&self.0, values)).map_err(|e| runtime_error(py, e));
        }
        // A source that overlaps the target is read as a whole before the first write.
        let values = if values.overlaps(&self.0) { values.copied() } else { values.to_contiguous() };
        let written = values.and_then(|values| self.0.overwrite(values.as_bytes()?));
        written.map_err(|e| error::tensor(py, &e))
    }

    fn only_element<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.0.num_elements() != 1 {
            let message = format_args!("expected a tensor of one element, found shape {:?}", self.0.shape());
            return Err(error::general(py, message));
        }
        self.widened(py)?.bits(py)?.call_method0("item")
    }
}

#[pymethods]
impl NdArray {
    /// A copy of anything with `__dlpack__`.
    #[staticmethod]
    fn copy_of(source: &Bound<'_, PyAny>, #[pyo3(from_py_with = argument::device)] device: Device) -> PyResult<Self> {
        let py = source.py();
        device.check(py)?;
        Self(dlpack::import(source)?).copied(py, device.0)
    }

    /// A tensor over the memory of anything with `__dlpack__`.
    #[staticmethod]
    fn from_dlpack(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        if !dlpack::is_exporter(source)? {
            return Err(error::wrong_type("expected something with `__dlpack__`", source));
        }
        dlpack::import(source).map(Self)
    }

    /// A tensor of these bytes, in row-major order.
    #[staticmethod]
    fn from_bytes(
        dtype: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::shape)] shape: Vec<i64>,
        data: &[u8],
    ) -> PyResult<Self> {
        Tensor::from_bytes(parse_dtype(dtype)?, &shape, data).map(Self).map_err(|e| error::tensor(dtype.py(), &e))
    }

    /// A tensor of zeros.
    #[staticmethod]
    fn empty(
        py: Python<'_>,
        #[pyo3(from_py_with = argument::shape)] shape: Vec<i64>,
        dtype: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::device)] device: Device,
    ) -> PyResult<Self> {
        device.check(py)?;
        let zeros = Tensor::zeros(parse_dtype(dtype)?, &shape).map_err(|e| error::tensor(py, &e))?;
        py.detach(|| device.0.copy_of(&zeros)).map(Self).map_err(|e| runtime_error(py, e))
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

    /// The number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.0.num_elements()
    }

    /// Elements from one to the next of each dimension.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.strides())
    }

    /// Whether the elements are contiguous in row-major order.
    fn is_contiguous(&self) -> bool {
        self.0.is_contiguous()
    }

    #[getter]
    fn device(&self, py: Python<'_>) -> PyResult<Device> {
        runtime::Device::of(&self.0).map(Device).map_err(|e| runtime_error(py, e))
    }

    /// Whether the memory is this tensor's alone: no other tensor shares it, and it may be written to. Results that are
    /// arguments of a call, constants of a program, or two of one memory, are not.
    fn is_exclusive(&self) -> bool {
        self.0.is_unique() && !self.0.is_read_only()
    }

    /// Whether both are the same elements of the same memory.
    fn same_as(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| {
            let (a, b) = (&self.0, &other.get().0);
            a.same(b) || (a.data_ptr() == b.data_ptr() && a.layout() == b.layout())
        })
    }

    /// A NumPy array with a copy of the values. NumPy has no `bfloat16`: the error says what to do instead.
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.0.dtype() == DataType::BF16 {
            return Err(error::general(
                py,
                "NumPy has no bfloat16: take the values with .astype(\"float32\").numpy(), the bits with \
                 .view(\"uint16\").numpy(), or a tensor of PyTorch with torch.from_dlpack",
            ));
        }
        let array = self.copied(py, runtime::Device::cpu())?.bits(py)?;
        // NumPy before 2.1 marks what comes through DLPack as read-only.
        if array.getattr("flags")?.getattr("writeable")?.extract()? { Ok(array) } else { array.call_method0("copy") }
    }

    /// As `numpy`.
    fn asnumpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.numpy(py)
    }

    /// A tensor with the elements converted, as programs of the compiler convert them; a copy in any case.
    fn astype(&self, dtype: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.converted(dtype.py(), parse_dtype(dtype)?)
    }

    /// The same memory with its bits read as another type of the same width.
    fn view(&self, dtype: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (from, to) = (self.0.dtype(), parse_dtype(dtype)?);
        if from.element_bytes() != to.element_bytes() || (to.is_bool() && !from.is_bool()) {
            let message = format_args!("the bits of {from} cannot be read as {to}");
            return Err(error::general(dtype.py(), message));
        }
        retyped(&self.0, to).map(Self).map_err(|e| error::tensor(dtype.py(), &e))
    }

    /// The same elements in another shape: a view where they are contiguous, else a copy.
    fn reshape(&self, py: Python<'_>, #[pyo3(from_py_with = argument::shape)] shape: Vec<i64>) -> PyResult<Self> {
        let reshaped = self.0.to_contiguous().and_then(|tensor| tensor.reshape(&shape));
        reshaped.map(Self).map_err(|e| error::tensor(py, &e))
    }

    /// A tensor of another shape, and perhaps type, over this one's memory, from so many bytes after its first element
    /// on.
    #[pyo3(signature = (shape, dtype=None, relative_byte_offset=0))]
    fn _create_view(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::shape)] shape: Vec<i64>,
        dtype: Option<&Bound<'_, PyAny>>,
        relative_byte_offset: usize,
    ) -> PyResult<Self> {
        let dtype = dtype.map_or(Ok(self.0.dtype()), parse_dtype)?;
        if !self.0.is_contiguous() {
            return Err(error::general(py, "a view of other dimensions is one of a compact tensor"));
        }
        let width = |tensor: &Tensor| tensor.num_elements() * tensor.dtype().element_bytes();
        let view = || {
            let layout = Layout::compact(dtype, &shape)?;
            let end = relative_byte_offset.checked_add(layout.num_bytes());
            let is_aligned = relative_byte_offset.is_multiple_of(dtype.element_bytes().max(1));
            let fits = is_aligned && end.is_some_and(|end| end <= width(&self.0));
            let offset = i64::try_from(relative_byte_offset).unwrap_or(i64::MAX);
            fits.then(|| self.0.view_as(layout.into(), offset)).transpose()
        };
        match view().map_err(|e| error::tensor(py, &e))? {
            Some(view) => Ok(Self(view)),
            None => {
                let message = format_args!(
                    "a view of shape {shape:?} and type {dtype} at byte {relative_byte_offset} does not lie within the \
                     {} bytes of the tensor",
                    width(&self.0)
                );
                Err(error::general(py, message))
            }
        }
    }

    /// The tensor as a capsule of DLPack.
    fn to_dlpack<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        self.__dlpack__(py, None, None, None, None)
    }

    /// The only element, as a number of Python.
    fn item<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.only_element(py)
    }

    /// The elements as lists of numbers.
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.widened(py)?.bits(py)?.call_method0("tolist")
    }

    fn __float__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<pyo3::types::PyFloat>().call1((self.only_element(py)?,))
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<pyo3::types::PyInt>().call1((self.only_element(py)?,))
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        self.only_element(py)?.is_truthy()
    }

    /// `a[0]`, `a[1:, ::2]`, `a[..., None]`: views that share memory. Lists, arrays and bools as indices give copies.
    fn __getitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Some(view) = indexing::view(&self.0, key)? {
            return Ok(Self(view));
        }
        let copied = indexing::copy(&self.bits(key.py())?, key)?;
        let dtype = if self.0.dtype() == DataType::BF16 { DataType::BF16 } else { copied.dtype() };
        let copied = retyped(&copied, dtype).map_err(|e| error::tensor(key.py(), &e))?;
        self.on_same_device(key.py(), copied)
    }

    /// Writes the elements that an index of integers and slices names; NumPy converts and broadcasts the values.
    fn __setitem__(&self, key: &Bound<'_, PyAny>, values: &Bound<'_, PyAny>) -> PyResult<()> {
        match indexing::view(&self.0, key)? {
            Some(view) => Self(view).assign(values),
            None => Err(error::wrong_type("elements are written by integers, slices and `...`", key)),
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let count = self.__len__(py)?;
        let items = (0..count).map(|index| self.__getitem__(&index.into_pyobject(py)?.into_any()));
        PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.try_iter()
    }

    /// Copies the values into another tensor of the same shape and type, or into a new one on a device.
    fn copyto<'py>(&self, target: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = target.py();
        if let Ok(device) = target.cast::<Device>() {
            device.get().check(py)?;
            return Ok(Bound::new(py, self.copied(py, device.get().0)?)?.into_any());
        }
        let Ok(other) = target.cast::<Self>() else {
            return Err(error::wrong_type("copyto takes an NDArray or a device", target));
        };
        let (from, to) = (&self.0, &other.get().0);
        if from.shape() != to.shape() || from.dtype() != to.dtype() {
            let (shape, dtype, shape_to, dtype_to) = (from.shape(), from.dtype(), to.shape(), to.dtype());
            return Err(error::general(
                py,
                format_args!(
                    "copyto needs the same shape and type: shape {shape:?} of {dtype} does not go into shape \
                     {shape_to:?} of {dtype_to}"
                ),
            ));
        }
        other.get().overwrite(py, from)?;
        Ok(target.clone())
    }

    /// Overwrites the elements with values that NumPy converts and broadcasts; gives the tensor back.
    fn copyfrom<'py>(slf: &Bound<'py, Self>, values: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        slf.get().assign(values)?;
        Ok(slf.clone())
    }

    /// The tensor on a device: itself where it lives there already.
    fn to_device<'py>(
        slf: &Bound<'py, Self>,
        #[pyo3(from_py_with = argument::device)] device: Device,
    ) -> PyResult<Bound<'py, Self>> {
        let (py, tensor) = (slf.py(), &slf.get().0);
        device.check(py)?;
        if runtime::Device::of(tensor).is_ok_and(|place| place == device.0) {
            return Ok(slf.clone());
        }
        Bound::new(py, slf.get().copied(py, device.0)?)
    }

    /// As `to_device`.
    fn to<'py>(
        slf: &Bound<'py, Self>,
        #[pyo3(from_py_with = argument::device)] device: Device,
    ) -> PyResult<Bound<'py, Self>> {
        Self::to_device(slf, device)
    }

    /// Shares the memory, unless an executable keeps it: such memory is read-only, and not every consumer that is told
    /// so heeds it. So it is copied, or refused where `copy=False` insists.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = stream; // Calls end when devices have done their work: whatever the stream is, it may begin.
        if dl_device.is_some_and(|device| device != self.__dlpack_device__()) {
            let message = match self.0.is_on_host() {
                true => "the tensor lives in main memory, and exports to there alone".to_owned(),
                false => format!("the tensor lives on {}, and exports to there alone", self.0.device()),
            };
            return Err(PyBufferError::new_err(message));
        }
        let tensor = match (copy, self.0.is_sealed()) {
            (Some(false), true) => {
                return Err(PyBufferError::new_err("the memory of a constant is not shared: leave out copy=False"));
            }
            (Some(false) | None, false) => self.0.clone(),
            (Some(true), _) | (None, true) => self.copied(py, self.device(py)?.0)?.0,
        };
        dlpack::export(py, tensor, max_version)
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        let device = self.0.device();
        (device.device_type, device.device_id)
    }

    /// So that NumPy's own functions take a tensor; the array is a copy.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = copy; // The result is always a copy.
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

    /// Pickles and copies as type, shape and bytes.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let whole = self.on_host(py)?.to_contiguous().map_err(|e| error::tensor(py, &e))?;
        let bytes = PyBytes::new(py, whole.as_bytes().map_err(|e| error::tensor(py, &e))?);
        let parts = (self.dtype(), self.shape(py)?, bytes).into_pyobject(py)?;
        Ok((py.import("tilewright.runtime.ndarray")?.getattr("from_bytes")?, parts))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        let first = self.0.shape().first();
        first.map(|&n| n as usize).ok_or_else(|| error::wrong(py, "a tensor without dimensions has no length"))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.widened(py)?.bits(py)?.str()?.to_string())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (shape, dtype, device) = (self.0.shape(), self.0.dtype(), self.0.device());
        Ok(format!("<NDArray {shape:?}, {dtype}, {device}>\n{}", self.__str__(py)?))
    }
}

impl NdArray {
    fn assign(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = values.py();
        let fitted = self.fitted(values)?;
        self.overwrite(py, &fitted)
    }
}

/// The same memory, its elements read as another type of the same width.
fn retyped(tensor: &Tensor, dtype: DataType) -> Result<Tensor, TensorError> {
    let layout = Layout::strided(dtype, tensor.shape(), tensor.strides())?;
    tensor.view_as(layout.into(), 0)
}

/// A copy with the elements converted by the compiler's own rules.
fn convert(tensor: &Tensor, dtype: DataType) -> Result<Tensor, TensorError> {
    let from = tensor.dtype();
    if from == dtype {
        return tensor.copied();
    }
    let source = tensor.to_contiguous()?;
    let (width_from, width_to) = (from.element_bytes(), dtype.element_bytes());
    let mut bytes = Vec::with_capacity(source.num_elements() * width_to);
    for element in source.as_bytes()?.chunks_exact(width_from) {
        let mut bits = [0; 8];
        bits[..width_from].copy_from_slice(element);
        let converted = cast(Scalar::from_bits(from, u64::from_le_bytes(bits)), dtype);
        bytes.extend_from_slice(&converted.bits().to_le_bytes()[..width_to]);
    }
    Tensor::from_bytes(dtype, tensor.shape(), &bytes)
}
