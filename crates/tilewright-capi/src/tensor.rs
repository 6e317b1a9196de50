//! Tensors of C, both ways.

use std::ffi::{c_int, c_void};
use std::fmt;
use std::ptr;
use std::sync::Arc;

use tilewright_runtime::tensor::{DataType, Layout, Tensor};

use crate::Outcome;

/// The types of elements, by their numbers in the header, from 1 on.
const DTYPES: [DataType; 13] = [
    DataType::BOOL,
    DataType::I8,
    DataType::I16,
    DataType::I32,
    DataType::I64,
    DataType::U8,
    DataType::U16,
    DataType::U32,
    DataType::U64,
    DataType::F16,
    DataType::BF16,
    DataType::F32,
    DataType::F64,
];

pub(crate) fn dtype_of(number: c_int) -> Option<DataType> {
    DTYPES.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
}

/// The number of a type; none of one that C has no name for.
pub(crate) fn number_of(dtype: DataType) -> Option<c_int> {
    let at = DTYPES.iter().position(|known| *known == dtype)?;
    c_int::try_from(at + 1).ok()
}

/// `tw_tensor`.
#[repr(C)]
pub struct CTensor {
    pub data: *mut c_void,
    pub shape: *const i64,
    pub rank: i32,
    pub dtype: c_int,
    pub owner: *mut c_void,
}

impl fmt::Debug for CTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tw_tensor(rank {}, type {})", self.rank, self.dtype)
    }
}

impl CTensor {
    /// The tensor over the caller's memory, which nobody writes to; `what` names it in messages.
    ///
    /// # Safety
    /// The shape has `rank` sizes and the data all elements, until the tensor and all that shares it are dropped.
    pub(crate) unsafe fn borrowed(&self, what: &str) -> Outcome<Tensor> {
        let layout = Arc::new(self.layout(what)?);
        if self.data.is_null() && layout.num_elements() > 0 {
            return Err(format!("the data of {what} is NULL"));
        }
        // SAFETY: by the caller's promise.
        Ok(unsafe { Tensor::from_foreign(self.data.cast(), layout, true, Box::new(())) })
    }

    fn layout(&self, what: &str) -> Outcome<Layout> {
        let dtype = dtype_of(self.dtype).ok_or_else(|| format!("{what} has the type {}, which is none", self.dtype))?;
        let rank = usize::try_from(self.rank).map_err(|_| format!("{what} has the rank {}", self.rank))?;
        // SAFETY: by the promise of `borrowed`.
        let shape = unsafe { slice(self.shape, rank) }.ok_or_else(|| format!("the shape of {what} is NULL"))?;
        Layout::compact(dtype, shape).map_err(|error| format!("{what}: {error}"))
    }

    /// Whether the result can be stored here; `what` names the output.
    pub(crate) fn check(&self, result: &Tensor, what: &str) -> Outcome<()> {
        if self.data.is_null() {
            return number_of(result.dtype()).map(drop).ok_or_else(|| {
                format!("{what} has the data type {}, for which this interface has no name", result.dtype())
            });
        }
        let layout = self.layout(what)?;
        if layout.dtype() != result.dtype() || layout.shape() != result.shape() {
            return Err(format!(
                "{what} is {}{:?}, the tensor given for it is {}{:?}",
                result.dtype(),
                result.shape(),
                layout.dtype(),
                layout.shape()
            ));
        }
        Ok(())
    }

    /// Stores a result that [`CTensor::check`] has found to fit: copied into the caller's memory, or handed over.
    ///
    /// # Safety
    /// The data, where there are any, have all elements and are nobody else's.
    pub(crate) unsafe fn store(&mut self, result: &Tensor) -> Outcome<()> {
        if !self.data.is_null() {
            let contiguous = result.to_contiguous().map_err(|error| error.to_string())?;
            let bytes = contiguous.as_bytes().map_err(|error| error.to_string())?;
            // SAFETY: the caller's memory has as many bytes, and is nobody else's.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.data.cast::<u8>(), bytes.len()) };
            return Ok(());
        }
        // What the caller may write to is its own: not a constant, or an input that is handed back.
        let own = match result.is_unique() && result.is_contiguous() && !result.is_read_only() {
            true => result.clone(),
            false => result.copied().map_err(|error| error.to_string())?,
        };
        let owner = Box::new(own);
        self.data = owner.data_ptr().cast();
        self.shape = owner.shape().as_ptr();
        self.rank = i32::try_from(owner.ndim()).unwrap_or(i32::MAX);
        self.dtype = number_of(owner.dtype()).unwrap_or_default();
        self.owner = Box::into_raw(owner).cast();
        Ok(())
    }

    /// Gives back what [`CTensor::store`] handed over.
    ///
    /// # Safety
    /// The owner is NULL or from `store`, and was not given back before.
    pub(crate) unsafe fn release(&mut self) {
        let owner = std::mem::replace(&mut self.owner, ptr::null_mut());
        if !owner.is_null() {
            (self.data, self.shape, self.rank) = (ptr::null_mut(), ptr::null(), 0);
            // SAFETY: a box of `store`.
            drop(unsafe { Box::from_raw(owner.cast::<Tensor>()) });
        }
    }
}

/// So many items from an address; none from NULL, where there are any.
///
/// # Safety
/// The address is NULL or has so many items, for as long as the result is used.
pub(crate) unsafe fn slice<'a, T>(first: *const T, count: usize) -> Option<&'a [T]> {
    match count {
        0 => Some(&[]),
        _ if first.is_null() => None,
        // SAFETY: by the caller's promise.
        _ => Some(unsafe { std::slice::from_raw_parts(first, count) }),
    }
}

/// As [`slice`], to write to.
///
/// # Safety
/// As [`slice`], and nobody else has the items.
pub(crate) unsafe fn slice_mut<'a, T>(first: *mut T, count: usize) -> Option<&'a mut [T]> {
    match count {
        0 => Some(&mut []),
        _ if first.is_null() => None,
        // SAFETY: by the caller's promise.
        _ => Some(unsafe { std::slice::from_raw_parts_mut(first, count) }),
    }
}
