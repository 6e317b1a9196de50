//! The memory of tensors, and its owners.

use std::alloc::{self, Layout as Allocation};
use std::any::Any;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::TensorError;
use crate::abi::TENSOR_ALIGN;
use crate::device::DeviceMemory;
#[cfg(unix)]
use crate::pages::{self, Pages};

/// The alignment that the system allocator gives without asking.
const BASE_ALIGN: usize = 16;

/// Who frees a piece of memory.
enum Owner {
    /// The system allocator, which gave this address for this allocation.
    Heap { base: NonNull<u8>, allocation: Allocation },
    /// The system, which gave these pages.
    #[cfg(unix)]
    Pages { pages: Pages },
    /// Nobody: there are no bytes.
    None,
    /// Whatever the value's destructor does: a `Vec`, a DLPack deleter, a mapped file, a cache's return.
    Foreign { _keeper: Box<dyn Any + Send + Sync> },
    /// A device, in whose memory the bytes are: the host reads and writes none of them.
    Device { memory: Arc<dyn DeviceMemory> },
}

/// A piece of memory with its owner, of the host unless a device owns it. Never moves; freed when dropped.
pub(crate) struct Storage {
    address: NonNull<u8>,
    bytes: usize,
    owner: Owner,
}

// SAFETY: the memory is plain bytes, valid from any thread until `drop`; both kinds of owner may be dropped on any
// thread. Reads and writes go through `Tensor`, whose documentation says who may do which.
unsafe impl Send for Storage {}
// SAFETY: as above; `&Storage` gives only the address and the size.
unsafe impl Sync for Storage {}

impl Storage {
    /// Zeroed memory, aligned to [`TENSOR_ALIGN`].
    pub(crate) fn zeroed(bytes: usize) -> Result<Self, TensorError> {
        let storage = Self::zeroed_to_keep(bytes)?;
        storage.make_huge();
        Ok(storage)
    }

    /// As [`Storage::zeroed`], for what is filled once: [`Storage::make_huge`] is for afterwards.
    pub(crate) fn zeroed_to_keep(bytes: usize) -> Result<Self, TensorError> {
        if bytes == 0 {
            return Ok(Self { address: dangling(), bytes, owner: Owner::None });
        }
        #[cfg(unix)]
        if bytes >= pages::WORTH_PAGES {
            let pages = Pages::new(bytes).ok_or(TensorError::OutOfMemory { bytes })?;
            return Ok(Self { address: pages.first(), bytes, owner: Owner::Pages { pages } });
        }
        // The allocator hands out large pieces of zeros for nothing, but only at its own alignment: for a greater one
        // it would write them. So the piece is a little larger, and begins at the first aligned address in it.
        let allocation = bytes
            .checked_add(TENSOR_ALIGN - BASE_ALIGN)
            .and_then(|size| Allocation::from_size_align(size, BASE_ALIGN).ok())
            .ok_or(TensorError::OutOfMemory { bytes })?;
        // SAFETY: the size is not zero.
        let base =
            NonNull::new(unsafe { alloc::alloc_zeroed(allocation) }).ok_or(TensorError::OutOfMemory { bytes })?;
        let skipped = base.align_offset(TENSOR_ALIGN);
        // SAFETY: a multiple of `BASE_ALIGN` is at most `TENSOR_ALIGN - BASE_ALIGN` below one of `TENSOR_ALIGN`, which
        // is what the allocation has beyond `bytes`.
        let address = unsafe { base.add(skipped) };
        Ok(Self { address, bytes, owner: Owner::Heap { base, allocation } })
    }

    /// Asks for huge pages, where the memory is pages of its own.
    pub(crate) fn make_huge(&self) {
        #[cfg(unix)]
        if let Owner::Pages { pages } = &self.owner {
            pages.make_huge(self.bytes);
        }
    }

    /// Memory of someone else, who is dropped when it is no longer needed. A null address is allowed for 0 bytes.
    ///
    /// # Safety
    /// `address` is valid for `bytes` bytes of reads, and of writes unless every tensor over it is read-only, until
    /// `keeper` is dropped.
    pub(crate) unsafe fn foreign(address: *mut u8, bytes: usize, keeper: Box<dyn Any + Send + Sync>) -> Self {
        let address = NonNull::new(address).unwrap_or(dangling());
        Self { address, bytes, owner: Owner::Foreign { _keeper: keeper } }
    }

    /// Memory of a device. Its address is one of the device's, for comparison alone.
    pub(crate) fn on_device(memory: Arc<dyn DeviceMemory>) -> Self {
        let address = NonNull::new(std::ptr::without_provenance_mut(memory.address())).unwrap_or(dangling());
        Self { address, bytes: memory.bytes(), owner: Owner::Device { memory } }
    }

    /// The device's memory; none where the host can read the bytes.
    pub(crate) fn device_memory(&self) -> Option<&Arc<dyn DeviceMemory>> {
        match &self.owner {
            Owner::Device { memory } => Some(memory),
            _ => None,
        }
    }

    /// Whether it was allocated here, so that nobody knows its address but from a tensor.
    pub(crate) fn is_own(&self) -> bool {
        !matches!(self.owner, Owner::Foreign { .. } | Owner::Device { .. })
    }

    pub(crate) fn address(&self) -> *mut u8 {
        self.address.as_ptr()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// An aligned address for memory of no bytes.
fn dangling() -> NonNull<u8> {
    NonNull::without_provenance(const { std::num::NonZeroUsize::new(TENSOR_ALIGN).unwrap() })
}

impl Drop for Storage {
    fn drop(&mut self) {
        if let Owner::Heap { base, allocation } = self.owner {
            // SAFETY: `zeroed` got this address for this very allocation, and `drop` runs once.
            unsafe { alloc::dealloc(base.as_ptr(), allocation) }
        }
    }
}

impl fmt::Debug for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes at {:p}", self.bytes, self.address)
    }
}
