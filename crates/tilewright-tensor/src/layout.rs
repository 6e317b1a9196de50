//! How a tensor's elements lie in memory, apart from where.

use crate::{DataType, TensorError};

/// Element type, shape and strides, with all sizes checked once.
///
/// Strides count elements and may be zero or negative. A layout is *contiguous* when its elements lie one behind the
/// other in row-major order (strides of dimensions of size 1, and of empty tensors, do not matter).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    dtype: DataType,
    shape: Box<[i64]>,
    strides: Box<[i64]>,
    elements: usize,
    contiguous: bool,
    /// Bytes from the first element to the lowest and to behind the highest one.
    low: i64,
    high: i64,
}

impl Layout {
    /// A row-major layout without gaps.
    pub fn compact(dtype: DataType, shape: &[i64]) -> Result<Self, TensorError> {
        let elements = count(dtype, shape)?;
        let mut strides = vec![0i64; shape.len()];
        let mut step = 1i64;
        for (stride, &dim) in strides.iter_mut().zip(shape).rev() {
            *stride = step;
            // An empty tensor may have other dimensions whose product overflows; its strides are never used.
            step = step.saturating_mul(dim.max(1));
        }
        let high = dtype.bytes_of(elements).unwrap_or(0) as i64;
        Ok(Self { dtype, shape: shape.into(), strides: strides.into(), elements, contiguous: true, low: 0, high })
    }

    /// A layout with strides in elements.
    pub fn strided(dtype: DataType, shape: &[i64], strides: &[i64]) -> Result<Self, TensorError> {
        if shape.len() != strides.len() {
            return Err(TensorError::RankMismatch { shape: shape.len(), strides: strides.len() });
        }
        let elements = count(dtype, shape)?;
        let compact = Self::compact(dtype, shape)?;
        let contiguous =
            elements == 0 || strides.iter().zip(&compact.strides).zip(shape).all(|((a, b), &dim)| a == b || dim == 1);
        if dtype.is_packed() {
            // Elements that share a byte lie one behind the other, or nowhere.
            let strided = || TensorError::NotContiguous { shape: shape.into(), strides: strides.into() };
            return if contiguous { Ok(compact) } else { Err(strided()) };
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
        Ok(Self { dtype, shape: shape.into(), strides: strides.into(), elements, contiguous, low, high })
    }

    pub fn dtype(&self) -> DataType {
        self.dtype
    }

    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// In elements, one per dimension.
    pub fn strides(&self) -> &[i64] {
        &self.strides
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

    /// The bytes that the elements touch, relative to the first element: from the lowest to behind the highest.
    pub fn extent(&self) -> (i64, i64) {
        (self.low, self.high)
    }
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
