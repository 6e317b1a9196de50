//! Bytes that several tensors look at without a copy: of a file that is mapped, or of a vector.

use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use crate::{DataType, Layout, Tensor, TensorError};

/// Bytes that nobody writes through this handle or any tensor over them. Cloning copies one pointer; the bytes stay
/// where they are until the last handle and the last tensor ([`Tensor::from_shared`]) are dropped.
///
/// A mapped file is read by the system page by page, when its bytes are first looked at. Whoever maps a file sees to
/// it that the file is not shortened or overwritten meanwhile: the system answers a read of a page that the file no
/// longer has by ending the process.
#[derive(Clone)]
pub struct SharedBytes(Arc<Source>);

enum Source {
    Mapped(memmap2::Mmap),
    Vector(Vec<u8>),
}

impl SharedBytes {
    /// The bytes of a file, mapped for reading. An empty file, and what is no regular file, is read instead.
    ///
    /// # Errors
    /// If the file cannot be opened, read or mapped.
    pub fn map(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() || metadata.len() == 0 {
            let mut bytes = Vec::new();
            io::Read::read_to_end(&mut file, &mut bytes)?;
            return Ok(Self::from(bytes));
        }
        // SAFETY: the mapping is private and for reading; the documentation of the type passes the duty that the file
        // stays as it is on to the caller.
        let mapped = unsafe { memmap2::Mmap::map(&file)? };
        Ok(Self(Arc::new(Source::Mapped(mapped))))
    }
}

impl From<Vec<u8>> for SharedBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Arc::new(Source::Vector(bytes)))
    }
}

impl Deref for SharedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &*self.0 {
            Source::Mapped(mapped) => mapped,
            Source::Vector(bytes) => bytes,
        }
    }
}

impl fmt::Debug for SharedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &*self.0 {
            Source::Mapped(_) => "mapped",
            Source::Vector(_) => "held",
        };
        write!(f, "{} bytes, {kind}", self.len())
    }
}

impl Tensor {
    /// A sealed tensor over the bytes from `offset` on, in the given layout, without a copy. Its address is aligned
    /// as the bytes happen to be: see [`Tensor::is_aligned`], and [`Tensor::to_contiguous`] for an aligned copy.
    ///
    /// # Errors
    /// If the elements reach outside of the bytes.
    pub fn from_shared(bytes: &SharedBytes, layout: Arc<Layout>, offset: usize) -> Result<Self, TensorError> {
        let (low, high) = layout.extent();
        let start = i64::try_from(offset).unwrap_or(i64::MAX);
        let reach = |end: i64| start.checked_add(end).and_then(|end| usize::try_from(end).ok());
        let inside = reach(low).is_some() && reach(high).is_some_and(|end| end <= bytes.len());
        if !inside || offset > bytes.len() {
            let shape = layout.shape().into();
            return Err(TensorError::OutOfBounds { shape, byte_offset: start, bytes: bytes.len() });
        }
        let first = bytes.as_ptr().wrapping_add(offset).cast_mut();
        // SAFETY: all elements lie within the bytes, which live as long as the keeper.
        let shared = unsafe { Self::from_foreign(first, layout, true, Box::new(bytes.clone())) };
        // SAFETY: nobody writes to the bytes: this type gives no access for that, and files stay as they are.
        Ok(unsafe { shared.assume_sealed() })
    }

    /// As [`Tensor::from_shared`] for compact elements, but for what tensors promise of their elements: a copy where
    /// the bytes are not aligned to the element's size, or where the unused half of the last byte is not zero.
    ///
    /// # Errors
    /// If the elements reach outside of the bytes, or one of a bool tensor is neither 0 nor 1.
    pub fn from_shared_compact(
        bytes: &SharedBytes,
        dtype: DataType,
        shape: &[i64],
        offset: usize,
    ) -> Result<Self, TensorError> {
        let shared = Self::from_shared(bytes, Arc::new(Layout::compact(dtype, shape)?), offset)?;
        if dtype.is_bool()
            && let Some(&byte) = shared.as_bytes()?.iter().find(|&&byte| byte > 1)
        {
            return Err(TensorError::InvalidBool { byte });
        }
        let padded = dtype.is_packed() && !shared.num_elements().is_multiple_of(2);
        match padded || !shared.is_aligned() {
            true => Self::from_bytes(dtype, shape, shared.as_bytes()?),
            false => Ok(shared),
        }
    }
}
