//! The tensor.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::device::DeviceMemory;
use crate::dlpack::{DEVICE_CPU, DLDevice};
use crate::storage::Storage;
use crate::{DataType, Element, Layout, TensorError};

/// A tensor: a [`Layout`] over a piece of memory that other tensors may share. Cloning copies one pointer.
///
/// The memory is the host's, or a device's ([`Tensor::on_device`]). Of a tensor on a device, the host knows type,
/// shape, strides and place, and nothing else: each function here that reads or writes elements gives
/// [`TensorError::OnDevice`], which names the device. Two such tensors are equal when they are the same elements of the
/// same memory.
///
/// Memory is owned (zeroed, aligned to [`crate::abi::TENSOR_ALIGN`]) or foreign (a `Vec`, DLPack, a mapped file), and
/// lives until its last tensor is dropped. Two tensors are equal when type, shape and bytes are, element by element:
/// the equality of constants, in which NaN equals itself and 0.0 differs from -0.0.
///
/// Sharing: like an array of NumPy, a tensor can be written through any other tensor over the same memory, by a
/// kernel or by another library. Whoever lets that happen sees to it that no slice from [`Tensor::as_slice`] is in
/// use meanwhile. A *sealed* tensor is one whose memory nobody can write any more: [`Tensor::sealed`].
#[derive(Clone)]
pub struct Tensor(Arc<Inner>);

struct Inner {
    storage: Arc<Storage>,
    layout: Arc<Layout>,
    /// From the start of the storage to the first element. The layout's extent from there lies within the storage.
    byte_offset: usize,
    access: Access,
}

/// What a handle may do with the memory, and what others may.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Write,
    /// Other handles, or another owner, may write.
    Read,
    /// Nobody writes to the memory any more: every handle of it is sealed.
    Sealed,
}

impl Tensor {
    /// A compact tensor of zeros.
    pub fn zeros(dtype: DataType, shape: &[i64]) -> Result<Self, TensorError> {
        Self::zeros_with(Arc::new(Layout::compact(dtype, shape)?))
    }

    /// A tensor of zeros with an existing compact layout.
    pub fn zeros_with(layout: Arc<Layout>) -> Result<Self, TensorError> {
        let storage = Arc::new(Storage::zeroed(layout.num_bytes())?);
        Self::over(storage, layout, 0, Access::Write)
    }

    /// A compact tensor of zeros, for what is filled once and then kept, such as a weight: getting its memory costs
    /// least, and what makes reading it cheapest is done when it is [`Tensor::sealed`].
    pub fn zeros_to_keep(dtype: DataType, shape: &[i64]) -> Result<Self, TensorError> {
        let layout = Layout::compact(dtype, shape)?;
        let storage = Arc::new(Storage::zeroed_to_keep(layout.num_bytes())?);
        Self::over(storage, Arc::new(layout), 0, Access::Write)
    }

    /// A compact tensor over the vector's own memory, without a copy.
    pub fn from_vec<T: Element>(shape: &[i64], mut values: Vec<T>) -> Result<Self, TensorError> {
        let layout = Layout::compact(T::DTYPE, shape)?;
        if layout.num_elements() != values.len() {
            let expected = layout.num_elements();
            return Err(TensorError::ElementCount { shape: shape.into(), expected, found: values.len() });
        }
        let address = values.as_mut_ptr().cast::<u8>();
        let bytes = layout.num_bytes();
        // SAFETY: the vector's elements are `bytes` plain bytes, and the vector, which moves but never reallocates, is
        // their keeper.
        let storage = unsafe { Storage::foreign(address, bytes, Box::new(values)) };
        Self::over(Arc::new(storage), Arc::new(layout), 0, Access::Write)
    }

    /// A tensor without dimensions.
    pub fn scalar<T: Element>(value: T) -> Self {
        match Self::from_vec(&[], vec![value]) {
            Ok(tensor) => tensor,
            Err(_) => unreachable!("one element always fits the empty shape"),
        }
    }

    /// A compact tensor with a copy of these bytes, aligned to [`crate::abi::TENSOR_ALIGN`].
    pub fn from_bytes(dtype: DataType, shape: &[i64], bytes: &[u8]) -> Result<Self, TensorError> {
        let tensor = Self::zeros(dtype, shape)?;
        if tensor.num_bytes() != bytes.len() {
            let found = bytes.len() / dtype.bytes().max(1);
            return Err(TensorError::ElementCount { shape: shape.into(), expected: tensor.num_elements(), found });
        }
        // SAFETY: the tensor was just made with room for exactly this many bytes, and nobody else knows of it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), tensor.data_ptr(), bytes.len()) };
        tensor.clear_padding();
        Ok(tensor)
    }

    /// A tensor over foreign memory. `first` is the address of the first element (of the element with all indices 0).
    ///
    /// # Safety
    /// All elements of the layout are valid for reads, and for writes unless `read_only`, until `keeper` is dropped,
    /// which may happen on any thread.
    pub unsafe fn from_foreign(
        first: *mut u8,
        layout: Arc<Layout>,
        read_only: bool,
        keeper: Box<dyn Any + Send + Sync>,
    ) -> Self {
        let (low, high) = layout.extent();
        // The storage begins at the lowest element: `low` is never above 0.
        let byte_offset = low.unsigned_abs() as usize;
        let base = if first.is_null() { first } else { first.wrapping_sub(byte_offset) };
        // SAFETY: the bytes from the start of the lowest element to the end of the highest are those of the elements,
        // or lie between them, where nothing ever reads or writes.
        let storage = unsafe { Storage::foreign(base, high.abs_diff(low) as usize, keeper) };
        let access = if read_only { Access::Read } else { Access::Write };
        Self(Arc::new(Inner { storage: Arc::new(storage), layout, byte_offset, access }))
    }

    /// A tensor in a device's memory, `byte_offset` bytes after its start.
    pub fn on_device(
        memory: Arc<dyn DeviceMemory>,
        layout: Arc<Layout>,
        byte_offset: usize,
    ) -> Result<Self, TensorError> {
        let offset = i64::try_from(byte_offset).unwrap_or(i64::MAX);
        Self::over(Arc::new(Storage::on_device(memory)), layout, offset, Access::Write)
    }

    fn over(storage: Arc<Storage>, layout: Arc<Layout>, byte_offset: i64, access: Access) -> Result<Self, TensorError> {
        let (low, high) = layout.extent();
        let available = storage.bytes() as i64;
        let fits = byte_offset >= 0
            && byte_offset <= available
            && byte_offset.checked_add(low).is_some_and(|start| start >= 0)
            && byte_offset.checked_add(high).is_some_and(|end| end <= available);
        if !fits {
            let shape = layout.shape().into();
            return Err(TensorError::OutOfBounds { shape, byte_offset, bytes: storage.bytes() });
        }
        Ok(Self(Arc::new(Inner { storage, layout, byte_offset: byte_offset as usize, access })))
    }

    pub fn dtype(&self) -> DataType {
        self.0.layout.dtype()
    }

    pub fn shape(&self) -> &[i64] {
        self.0.layout.shape()
    }

    pub fn ndim(&self) -> usize {
        self.shape().len()
    }

    /// In elements, one per dimension.
    pub fn strides(&self) -> &[i64] {
        self.0.layout.strides()
    }

    pub fn layout(&self) -> &Arc<Layout> {
        &self.0.layout
    }

    pub fn num_elements(&self) -> usize {
        self.0.layout.num_elements()
    }

    /// Bytes of all elements without gaps.
    pub fn num_bytes(&self) -> usize {
        self.0.layout.num_bytes()
    }

    pub fn is_contiguous(&self) -> bool {
        self.0.layout.is_contiguous()
    }

    /// Whether the first element's address is a multiple of the element's size.
    pub fn is_aligned(&self) -> bool {
        (self.data_ptr() as usize).is_multiple_of(self.dtype().element_bytes().max(1))
    }

    pub fn is_read_only(&self) -> bool {
        self.0.access != Access::Write
    }

    /// Whether the memory keeps its bytes as long as there are handles: see [`Tensor::sealed`].
    pub fn is_sealed(&self) -> bool {
        self.0.access == Access::Sealed
    }

    /// Where the memory is.
    pub fn device(&self) -> DLDevice {
        match self.0.storage.device_memory() {
            Some(memory) => memory.device(),
            None => DLDevice { device_type: DEVICE_CPU, device_id: 0 },
        }
    }

    /// Whether the host can read the elements.
    pub fn is_on_host(&self) -> bool {
        self.0.storage.device_memory().is_none()
    }

    /// The device's memory and the first element's distance from its start in bytes; none on the host.
    pub fn device_memory(&self) -> Option<(&Arc<dyn DeviceMemory>, usize)> {
        self.0.storage.device_memory().map(|memory| (memory, self.0.byte_offset))
    }

    /// An error that names the device, unless the host can read the elements.
    pub fn require_host(&self) -> Result<(), TensorError> {
        match self.is_on_host() {
            true => Ok(()),
            false => Err(TensorError::OnDevice { device: self.device() }),
        }
    }

    /// The address of the first element. Dereferencing it is the caller's affair; it is valid while the tensor lives.
    /// Of a tensor on a device it is an address of the device's, which means nothing to the host.
    pub fn data_ptr(&self) -> *mut u8 {
        self.0.storage.address().wrapping_add(self.0.byte_offset)
    }

    /// The elements of a contiguous, aligned tensor of `T`.
    pub fn as_slice<T: Element>(&self) -> Result<&[T], TensorError> {
        if self.dtype() != T::DTYPE {
            return Err(TensorError::WrongType { expected: T::DTYPE, found: self.dtype() });
        }
        let bytes = self.as_bytes()?;
        if !self.is_aligned() {
            return Err(TensorError::Misaligned { dtype: self.dtype(), address: self.data_ptr() as usize });
        }
        if let Some(byte) = T::invalid_byte(bytes) {
            return Err(TensorError::InvalidBool { byte });
        }
        // SAFETY: `bytes` holds `num_elements` elements of `T`, aligned, and every byte pattern that is none of a `T`
        // was refused above.
        Ok(unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast::<T>(), self.num_elements()) })
    }

    /// The elements of a contiguous, aligned tensor of `T` that shares its memory with no other tensor.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T], TensorError> {
        self.as_slice::<T>()?;
        if self.is_read_only() {
            return Err(TensorError::ReadOnly);
        }
        let elements = self.num_elements();
        let inner = Arc::get_mut(&mut self.0).ok_or(TensorError::Shared)?;
        let storage = Arc::get_mut(&mut inner.storage).ok_or(TensorError::Shared)?;
        let first = storage.address().wrapping_add(inner.byte_offset);
        // SAFETY: `as_slice` checked type, alignment and bytes; both counts are 1, so that no other tensor sees the
        // memory while `self` is borrowed.
        Ok(unsafe { std::slice::from_raw_parts_mut(first.cast::<T>(), elements) })
    }

    /// A copy of the elements in row-major order, whatever the strides.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, TensorError> {
        if self.is_contiguous() && self.is_aligned() {
            return Ok(self.as_slice::<T>()?.to_vec());
        }
        Ok(self.copied()?.as_slice::<T>()?.to_vec())
    }

    fn require_contiguous(&self) -> Result<(), TensorError> {
        if self.is_contiguous() {
            return Ok(());
        }
        let (shape, strides) = (self.shape().into(), self.strides().into());
        Err(TensorError::NotContiguous { shape, strides })
    }

    /// The bytes of a contiguous tensor.
    pub fn as_bytes(&self) -> Result<&[u8], TensorError> {
        self.require_host()?;
        self.require_contiguous()?;
        // SAFETY: a contiguous layout's extent is its bytes, which lie within the storage, whose memory is the host's.
        Ok(unsafe { std::slice::from_raw_parts(self.data_ptr(), self.num_bytes()) })
    }

    /// Overwrites all elements with those in `bytes`, which lie in row-major order without gaps. Other handles of this
    /// tensor and other tensors over the same memory see the new elements: see *Sharing* above.
    pub fn overwrite(&self, bytes: &[u8]) -> Result<(), TensorError> {
        self.require_host()?;
        if self.is_read_only() {
            return Err(TensorError::ReadOnly);
        }
        let size = self.dtype().bytes();
        if bytes.len() != self.num_bytes() {
            let (shape, expected) = (self.shape().into(), self.num_elements());
            return Err(TensorError::ElementCount { shape, expected, found: bytes.len() / size.max(1) });
        }
        if self.is_contiguous() {
            // SAFETY: both sides hold `num_bytes` bytes; `copy` allows them to overlap.
            unsafe { std::ptr::copy(bytes.as_ptr(), self.data_ptr(), bytes.len()) };
            self.clear_padding();
            return Ok(());
        }
        let mut source = bytes.chunks_exact(size);
        self.for_each_offset(|offset| {
            let Some(element) = source.next() else { return };
            // SAFETY: `offset` is that of an element, which lies within the storage; `element` holds one element.
            unsafe { std::ptr::copy(element.as_ptr(), self.data_ptr().wrapping_offset(offset), size) };
        });
        Ok(())
    }

    /// Zeroes the half of the last byte that an odd number of 4-bit elements leaves.
    fn clear_padding(&self) {
        if !self.dtype().is_packed() || self.num_elements().is_multiple_of(2) {
            return;
        }
        let last = self.data_ptr().wrapping_add(self.num_bytes() - 1);
        // SAFETY: the tensor is contiguous, as packed ones are, and has at least one byte, of which this is the last.
        unsafe { *last &= 0x0f };
    }

    /// The tensor itself if it is contiguous and aligned, else a compact copy.
    pub fn to_contiguous(&self) -> Result<Self, TensorError> {
        if self.is_contiguous() && self.is_aligned() { Ok(self.clone()) } else { self.copied() }
    }

    /// A compact, aligned, writable copy.
    pub fn copied(&self) -> Result<Self, TensorError> {
        self.require_host()?;
        let copy = Self::zeros(self.dtype(), self.shape())?;
        self.copy_elements(&copy);
        Ok(copy)
    }

    /// Copies the elements to a compact tensor of the same type and shape, whose memory is new. Both are on the host.
    fn copy_elements(&self, copy: &Self) {
        let size = self.dtype().bytes();
        let mut target = copy.data_ptr();
        if self.is_contiguous() {
            // SAFETY: both sides hold `num_bytes` bytes, and the copy's memory is new.
            unsafe { std::ptr::copy_nonoverlapping(self.data_ptr(), target, self.num_bytes()) };
            return;
        }
        self.for_each_offset(|offset| {
            // SAFETY: `offset` is that of an element, which lies within the storage; the copy has one place for each
            // element, and `target` steps through them.
            unsafe { std::ptr::copy_nonoverlapping(self.data_ptr().wrapping_offset(offset), target, size) };
            target = target.wrapping_add(size);
        });
    }

    /// Calls `visit` with each element's distance from the first in bytes, in row-major order.
    fn for_each_offset(&self, mut visit: impl FnMut(isize)) {
        let size = self.dtype().bytes() as isize;
        let mut index = vec![0i64; self.ndim()];
        let mut offset = 0isize;
        for _ in 0..self.num_elements() {
            visit(offset);
            for axis in (0..index.len()).rev() {
                let step = self.strides()[axis] as isize * size;
                index[axis] += 1;
                offset += step;
                if index[axis] < self.shape()[axis] {
                    break;
                }
                offset -= step * index[axis] as isize;
                index[axis] = 0;
            }
        }
    }

    /// A view of the same memory: strides in elements, the first element `byte_offset` bytes after this one's.
    pub fn view(&self, shape: &[i64], strides: &[i64], byte_offset: i64) -> Result<Self, TensorError> {
        let layout = Arc::new(Layout::strided(self.dtype(), shape, strides)?);
        self.view_as(layout, byte_offset)
    }

    /// A view of the same memory with a layout of any type, `byte_offset` bytes after this one's first element.
    pub fn view_as(&self, layout: Arc<Layout>, byte_offset: i64) -> Result<Self, TensorError> {
        let start = (self.0.byte_offset as i64).checked_add(byte_offset).ok_or_else(|| TensorError::OutOfBounds {
            shape: layout.shape().into(),
            byte_offset,
            bytes: self.0.storage.bytes(),
        })?;
        Self::over(Arc::clone(&self.0.storage), layout, start, self.0.access)
    }

    /// The same elements of a contiguous tensor in another shape.
    pub fn reshape(&self, shape: &[i64]) -> Result<Self, TensorError> {
        self.require_contiguous()?;
        let layout = Layout::compact(self.dtype(), shape)?;
        if layout.num_elements() != self.num_elements() {
            let expected = layout.num_elements();
            return Err(TensorError::ElementCount { shape: shape.into(), expected, found: self.num_elements() });
        }
        self.view_as(Arc::new(layout), 0)
    }

    /// The same tensor, not to be written through this handle.
    pub fn to_read_only(&self) -> Self {
        if self.is_read_only() {
            return self.clone();
        }
        let (storage, layout) = (Arc::clone(&self.0.storage), Arc::clone(&self.0.layout));
        Self(Arc::new(Inner { storage, layout, byte_offset: self.0.byte_offset, access: Access::Read }))
    }

    /// The elements in memory that nobody can write from now on, so that it may be shared where a copy would be kept:
    /// compact, and aligned to [`crate::abi::TENSOR_ALIGN`]. The tensor itself where it is that already, its memory
    /// without a copy where this is the only handle and the memory is ours, else a copy.
    pub fn sealed(self) -> Result<Self, TensorError> {
        let aligned = self.is_contiguous() && (self.data_ptr() as usize).is_multiple_of(crate::abi::TENSOR_ALIGN);
        if aligned && self.is_sealed() {
            return Ok(self);
        }
        self.require_host()?;
        let own = match aligned && self.is_unique() && self.0.storage.is_own() {
            true => self,
            false => {
                let copy = Self::zeros_to_keep(self.dtype(), self.shape())?;
                self.copy_elements(&copy);
                copy
            }
        };
        let (storage, layout) = (Arc::clone(&own.0.storage), Arc::clone(&own.0.layout));
        storage.make_huge();
        Ok(Self(Arc::new(Inner { storage, layout, byte_offset: own.0.byte_offset, access: Access::Sealed })))
    }

    /// The same tensor as a sealed one, where that is known from elsewhere, as of a file that is mapped for reading.
    ///
    /// # Safety
    /// Nobody writes to the memory as long as there are handles of it.
    pub unsafe fn assume_sealed(self) -> Self {
        let (storage, layout) = (Arc::clone(&self.0.storage), Arc::clone(&self.0.layout));
        Self(Arc::new(Inner { storage, layout, byte_offset: self.0.byte_offset, access: Access::Sealed }))
    }

    /// The addresses from the first byte of the lowest element to the end of the highest one.
    fn addresses(&self) -> (usize, usize) {
        let (low, high) = self.0.layout.extent();
        let first = self.data_ptr() as usize;
        (first.wrapping_add_signed(low as isize), first.wrapping_add_signed(high as isize))
    }

    /// Whether the address ranges of the two tensors meet. Interleaved views count as overlapping; empty tensors
    /// overlap nothing.
    pub fn overlaps(&self, other: &Self) -> bool {
        let ((a, a_end), (b, b_end)) = (self.addresses(), other.addresses());
        let meet = a < b_end && b < a_end && self.num_elements() > 0 && other.num_elements() > 0;
        // Addresses of two devices are not those of one memory.
        meet && self.device() == other.device()
    }

    /// Whether this is the only handle, and no other tensor looks at the memory.
    pub fn is_unique(&self) -> bool {
        let unique = Arc::strong_count(&self.0) == 1 && Arc::strong_count(&self.0.storage) == 1;
        // What the last other holder did with the memory happens before what we do with it.
        std::sync::atomic::fence(std::sync::atomic::Ordering::Acquire);
        unique
    }

    /// How many handles share this very tensor (views of it not counted), and how many tensors share its memory.
    pub fn sharers(&self) -> (usize, usize) {
        let counts = (Arc::strong_count(&self.0), Arc::strong_count(&self.0.storage));
        std::sync::atomic::fence(std::sync::atomic::Ordering::Acquire);
        counts
    }

    /// Whether both are handles of one tensor.
    pub fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Calls `visit` with runs of bytes that together are the elements in row-major order. The tensor is on the host.
    fn for_each_run(&self, mut visit: impl FnMut(&[u8])) {
        if let Ok(bytes) = self.as_bytes() {
            return visit(bytes);
        }
        let size = self.dtype().bytes();
        self.for_each_offset(|offset| {
            // SAFETY: `offset` is that of an element, which lies within the storage.
            visit(unsafe { std::slice::from_raw_parts(self.data_ptr().wrapping_offset(offset), size) });
        });
    }
}

impl PartialEq for Tensor {
    fn eq(&self, other: &Self) -> bool {
        if self.same(other) {
            return true;
        }
        if self.dtype() != other.dtype() || self.shape() != other.shape() {
            return false;
        }
        if !(self.is_on_host() && other.is_on_host()) {
            let place = |tensor: &Self| (tensor.device(), tensor.data_ptr());
            return place(self) == place(other) && self.strides() == other.strides();
        }
        match (self.as_bytes(), other.as_bytes()) {
            (Ok(a), Ok(b)) => a == b,
            _ => {
                let (mut a, mut b) = (Vec::new(), Vec::new());
                self.for_each_run(|run| a.extend_from_slice(run));
                other.for_each_run(|run| b.extend_from_slice(run));
                a == b
            }
        }
    }
}

impl Eq for Tensor {}

impl Hash for Tensor {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.dtype().hash(state);
        self.shape().hash(state);
        if !self.is_on_host() {
            return;
        }
        if let Ok(bytes) = self.as_bytes() {
            return state.write(bytes);
        }
        let mut bytes = Vec::new();
        self.for_each_run(|run| bytes.extend_from_slice(run));
        state.write(&bytes);
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor({:?}, {}", self.shape(), self.dtype())?;
        if !self.is_contiguous() {
            write!(f, ", strides {:?}", self.strides())?;
        }
        if self.is_read_only() {
            f.write_str(", read-only")?;
        }
        if !self.is_on_host() {
            write!(f, ", {}", self.device())?;
        }
        f.write_str(")")
    }
}
