//! Memory, and buffers as views of it.

use std::rc::Rc;

use tilewright_expr::Scope;
use tilewright_expr::semantics::Scalar;
use tilewright_tensor::DataType;

use crate::error::ErrorKind;

/// A piece of memory: a group of arguments that share bytes, or an allocation of the function.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    /// Unlike the memory's index in the interpreter's list, never reused.
    pub(crate) serial: u64,
    pub(crate) bytes: Vec<u8>,
    /// For each byte whether it was written; absent where all bytes have a meaning from the start.
    pub(crate) written: Option<Vec<bool>>,
    pub(crate) read_only: bool,
    /// Whether the function wrote to it at all.
    pub(crate) touched: bool,
    pub(crate) scope: Scope,
}

/// A buffer at run time.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// The memory's index in the interpreter's list.
    pub(crate) memory: usize,
    /// Bytes from the start of the memory to the element with all indices 0.
    pub(crate) offset: i64,
    pub(crate) dtype: DataType,
    pub(crate) shape: Rc<[i64]>,
    /// In elements.
    pub(crate) strides: Rc<[i64]>,
}

/// Strides of a row-major buffer without gaps.
pub(crate) fn compact_strides(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis].max(1);
    }
    strides
}

/// Number of elements, or `None` where there are too many to hold or a dimension is negative.
pub(crate) fn element_count(shape: &[i64]) -> Option<usize> {
    shape.iter().try_fold(1usize, |n, &dim| n.checked_mul(usize::try_from(dim).ok()?))
}

impl View {
    /// Bytes from the start of the memory to an element.
    pub(crate) fn byte(&self, name: &str, indices: &[i64]) -> Result<i64, ErrorKind> {
        let mut element = 0i64;
        for ((&index, &dim), &stride) in indices.iter().zip(self.shape.iter()).zip(self.strides.iter()) {
            if index < 0 || index >= dim {
                return Err(ErrorKind::OutOfRange {
                    buffer: name.to_owned(),
                    indices: indices.to_vec(),
                    shape: self.shape.to_vec(),
                });
            }
            element += index * stride;
        }
        Ok(self.offset + element * self.dtype.bytes() as i64)
    }

    /// The indices of the element at a byte of the memory, if this view's layout has one there.
    pub(crate) fn indices_of(&self, byte: i64) -> Option<Vec<i64>> {
        let size = self.dtype.bytes() as i64;
        let distance = byte - self.offset;
        if distance < 0 || distance % size != 0 {
            return None;
        }
        let mut rest = distance / size;
        let mut by_stride: Vec<usize> = (0..self.shape.len()).collect();
        by_stride.sort_by_key(|&axis| (std::cmp::Reverse(self.strides[axis]), axis));
        let mut indices = vec![0; self.shape.len()];
        for axis in by_stride {
            if self.strides[axis] > 0 && self.shape[axis] > 1 {
                indices[axis] = (rest / self.strides[axis]).min(self.shape[axis] - 1);
                rest -= indices[axis] * self.strides[axis];
            }
        }
        (rest == 0).then_some(indices)
    }
}

impl Memory {
    /// Forgets what was written, where the function itself allocated the memory.
    pub(crate) fn spoil(&mut self) {
        if let Some(written) = &mut self.written {
            written.fill(false);
        }
    }

    fn range(&self, byte: i64, size: usize) -> Option<std::ops::Range<usize>> {
        let start = usize::try_from(byte).ok()?;
        let end = start.checked_add(size)?;
        (end <= self.bytes.len()).then_some(start..end)
    }

    pub(crate) fn read(&self, dtype: DataType, byte: i64) -> Result<Scalar, ReadFailure> {
        let range = self.range(byte, dtype.bytes()).ok_or(ReadFailure::Outside)?;
        if let Some(written) = &self.written
            && !written[range.clone()].iter().all(|&w| w)
        {
            return Err(ReadFailure::Uninitialized);
        }
        let mut bits = [0u8; 8];
        bits[..range.len()].copy_from_slice(&self.bytes[range]);
        Ok(Scalar::from_bits(dtype, u64::from_le_bytes(bits)))
    }

    /// Writes an element; `None` where it lies outside.
    pub(crate) fn write(&mut self, byte: i64, value: Scalar) -> Option<()> {
        let range = self.range(byte, value.dtype().bytes())?;
        self.bytes[range.clone()].copy_from_slice(&value.bits().to_le_bytes()[..range.len()]);
        if let Some(written) = &mut self.written {
            written[range].fill(true);
        }
        self.touched = true;
        Some(())
    }
}

pub(crate) enum ReadFailure {
    Outside,
    Uninitialized,
}
