//! The layout of a tensor's elements in memory: type, shape and strides.

use crate::{DataType, TensorError};

/// Element type, shape and strides, with all sizes checked once.
///
/// Strides count elements and may be zero or negative. A layout is *contiguous* when its elements are adjacent in
/// row-major order (strides of dimensions of size 1, and of empty tensors, do not matter).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    dtype: DataType,
    /// The shape, then the strides: as many.
    numbers: Box<[i64]>,
    elements: usize,
    contiguous: bool,
    /// Byte offsets from the first element to the start of the lowest one and the end of the highest one.
    low: i64,
    high: i64,
}

impl Layout {
    /// A row-major layout without gaps.
    pub fn compact(dtype: DataType, shape: &[i64]) -> Result<Self, TensorError> {
        let elements = count(dtype, shape)?;
        let mut numbers = Vec::with_capacity(2 * shape.len());
        numbers.extend_from_slice(shape);
        numbers.resize(2 * shape.len(), 0);
        for (stride, step) in numbers.iter_mut().rev().zip(steps(shape)) {
            *stride = step;
        }
        let (high, numbers) = (dtype.bytes_of(elements).unwrap_or(0) as i64, numbers.into_boxed_slice());
        Ok(Self { dtype, numbers, elements, contiguous: true, low: 0, high })
    }

    /// A layout with strides in elements.
    pub fn strided(dtype: DataType, shape: &[i64], strides: &[i64]) -> Result<Self, TensorError> {
        if shape.len() != strides.len() {
            return Err(TensorError::RankMismatch { shape: shape.len(), strides: strides.len() });
        }
        if strides.iter().rev().copied().eq(steps(shape)) {
            return Self::compact(dtype, shape);
        }
        let elements = count(dtype, shape)?;
        let same = |((&stride, step), &dim): ((&i64, i64), &i64)| stride == step || dim == 1;
        let contiguous = elements == 0 || strides.iter().rev().zip(steps(shape)).zip(shape.iter().rev()).all(same);
        if dtype.is_packed() {
            // Elements that share a byte must be contiguous.
            let strided = || TensorError::NotContiguous { shape: shape.into(), strides: strides.into() };
            return if contiguous { Self::compact(dtype, shape) } else { Err(strided()) };
        }
        let too_large = || TensorError::TooLarge { dtype, shape: shape.into() };
        let (mut low, mut high) = (0i64, 0i64);
        if elements > 0 {
            let bytes = dtype.bytes() as i64;
            for (&dim, &stride) in shape.iter().zip(strides) {
                let reach = (dim - 1).checked_mul(stride).and_then(|r| r.checked_mul(bytes)).ok_or_else(too_large)?;
                let end = if reach < 0 { &mut low } else { &mut high };
                *end = end.checked_add(reach).ok_or_else(too_large)?;
            }
            high = high.checked_add(bytes).ok_or_else(too_large)?;
        }
        let numbers = [shape, strides].concat().into_boxed_slice();
        Ok(Self { dtype, numbers, elements, contiguous, low, high })
    }

    pub fn dtype(&self) -> DataType {
        self.dtype
    }

    pub fn shape(&self) -> &[i64] {
        &self.numbers[..self.numbers.len() / 2]
    }

    /// In elements, one per dimension.
    pub fn strides(&self) -> &[i64] {
        &self.numbers[self.numbers.len() / 2..]
    }

    pub fn num_elements(&self) -> usize {
        self.elements
    }

    /// Bytes of all elements without gaps.
    pub fn num_bytes(&self) -> usize {
        self.dtype.bytes_of(self.elements).unwrap_or(0)
    }

    pub fn is_contiguous(&self) -> bool {
        self.contiguous
    }

    /// The bytes that the elements touch, relative to the first element: from the start of the lowest to the end of the
    /// highest.
    pub fn extent(&self) -> (i64, i64) {
        (self.low, self.high)
    }
}

/// Strides of a row-major layout without gaps, the last one first.
fn steps(shape: &[i64]) -> impl Iterator<Item = i64> {
    // An empty tensor may have other dimensions whose product overflows; its strides are never used.
    shape.iter().rev().scan(1i64, |next, &dim| Some(std::mem::replace(next, next.saturating_mul(dim.max(1)))))
}

/// Elements of a shape, if all of them can be addressed.
fn count(dtype: DataType, shape: &[i64]) -> Result<usize, TensorError> {
    if !dtype.is_tensor_element() {
        return Err(TensorError::UnsupportedType { dtype });
    }
    if shape.iter().any(|&dim| dim < 0) {
        return Err(TensorError::NegativeDimension { shape: shape.into() });
    }
    if shape.contains(&0) {
        return Ok(0);
    }
    let too_large = || TensorError::TooLarge { dtype, shape: shape.into() };
    let elements = shape.iter().try_fold(1i64, |n, &dim| n.checked_mul(dim)).ok_or_else(too_large)?;
    let elements = usize::try_from(elements).map_err(|_| too_large())?;
    dtype.bytes_of(elements).filter(|&bytes| isize::try_from(bytes).is_ok()).ok_or_else(too_large)?;
    Ok(elements)
}
