//! Indices of tensors. What NumPy calls basic indexing (integers, slices, `...`, `None`) is a view of the same memory;
//! arrays and lists as indices copy, as they do there.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PySlice, PyTuple};
use tilewright::Tensor;

use crate::{dlpack, error};

/// One part of a basic index.
enum Part<'py> {
    At(isize),
    Slice(Bound<'py, PySlice>),
    Rest,
    NewAxis,
}

/// The parts of a basic index; none for an index that copies.
fn parts<'py>(key: &Bound<'py, PyAny>) -> PyResult<Option<Vec<Part<'py>>>> {
    let items: Vec<Bound<'py, PyAny>> = match key.cast::<PyTuple>() {
        Ok(tuple) => tuple.iter().collect(),
        Err(_) => vec![key.clone()],
    };
    let mut parts = Vec::with_capacity(items.len());
    for item in items {
        let part = if item.is_none() {
            Part::NewAxis
        } else if item.is_instance_of::<PyEllipsis>() {
            Part::Rest
        } else if let Ok(slice) = item.cast::<PySlice>() {
            Part::Slice(slice.clone())
        } else if !item.is_instance_of::<PyBool>()
            && item.hasattr("__index__")?
            && let Ok(index) = item.extract()
        {
            Part::At(index)
        } else {
            return Ok(None);
        };
        parts.push(part);
    }
    Ok(Some(parts))
}

/// The part of a tensor that a basic index names, as a view; none for an index that copies.
pub(crate) fn view(tensor: &Tensor, key: &Bound<'_, PyAny>) -> PyResult<Option<Tensor>> {
    let py = key.py();
    let Some(parts) = parts(key)? else { return Ok(None) };
    let named = parts.iter().filter(|part| matches!(part, Part::At(_) | Part::Slice(_))).count();
    let rests = parts.iter().filter(|part| matches!(part, Part::Rest)).count();
    if named > tensor.ndim() || rests > 1 {
        let (rank, given) = (tensor.ndim(), parts.len());
        return Err(PyIndexError::new_err(match rests {
            0 | 1 => format!("{given} indices for a tensor of {rank} dimensions"),
            _ => "an index may hold one `...`".to_owned(),
        }));
    }
    let mut walk = Walk { tensor, shape: Vec::new(), strides: Vec::new(), offset: 0, dim: 0 };
    for part in &parts {
        match part {
            Part::NewAxis => walk.push(1, 0),
            Part::Rest => (0..tensor.ndim() - named).for_each(|_| walk.keep()),
            Part::At(index) => walk.at(*index)?,
            Part::Slice(slice) => walk.slice(slice)?,
        }
    }
    while walk.dim < tensor.ndim() {
        walk.keep();
    }
    let empty = walk.shape.contains(&0);
    let offset = if empty { 0 } else { walk.offset * tensor.dtype().element_bytes() as i64 };
    tensor.view(&walk.shape, &walk.strides, offset).map(Some).map_err(|e| error::tensor(py, &e))
}

/// The dimensions of the view so far, and the next one of the tensor.
struct Walk<'a> {
    tensor: &'a Tensor,
    shape: Vec<i64>,
    strides: Vec<i64>,
    /// In elements.
    offset: i64,
    dim: usize,
}

impl Walk<'_> {
    fn push(&mut self, size: i64, stride: i64) {
        self.shape.push(size);
        self.strides.push(stride);
    }

    /// Size and stride of the tensor's next dimension. There is one: the indices were counted.
    fn next(&mut self) -> (i64, i64) {
        let dim = self.dim;
        self.dim += 1;
        (self.tensor.shape()[dim], self.tensor.strides()[dim])
    }

    fn keep(&mut self) {
        let (size, stride) = self.next();
        self.push(size, stride);
    }

    fn at(&mut self, index: isize) -> PyResult<()> {
        let dim = self.dim;
        let (size, stride) = self.next();
        let index = index as i64;
        let position = if index < 0 { index + size } else { index };
        if !(0..size).contains(&position) {
            let message = format!("index {index} is out of range for dimension {dim} of size {size}");
            return Err(PyIndexError::new_err(message));
        }
        self.offset += position * stride;
        Ok(())
    }

    fn slice(&mut self, slice: &Bound<'_, PySlice>) -> PyResult<()> {
        let (size, stride) = self.next();
        let indices = slice.indices(size as isize)?;
        self.offset += indices.start as i64 * stride;
        self.push(indices.slicelength as i64, indices.step as i64 * stride);
        Ok(())
    }
}

/// The elements that any other index names, copied by NumPy.
pub(crate) fn copy(array: &Bound<'_, PyAny>, key: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let py = array.py();
    let picked = array.get_item(key)?;
    let picked = py.import("numpy")?.call_method1("asarray", (picked,))?;
    dlpack::import(&picked)?.copied().map_err(|e| error::tensor(py, &e))
}
