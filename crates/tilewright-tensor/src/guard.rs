//! Tensors next to guard pages: an access beyond their end stops the process instead of going unseen.
//! For tests of machine code, which no bounds check watches.

use std::io;
use std::ptr;
use std::sync::Arc;

use crate::{Layout, Tensor, TensorError};

/// Which end of a guarded tensor is adjacent to a guard page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    /// The first element begins where the page before it ends.
    Start,
    /// The last element ends where the guard page begins; the first has the alignment of its type, and no larger one.
    End,
}

impl Edge {
    pub const BOTH: [Self; 2] = [Self::Start, Self::End];
}

impl Tensor {
    /// A compact copy with a guard page directly at one edge, and another at most a page from the other edge. A copy of
    /// a read-only tensor is read-only.
    pub fn guarded(&self, edge: Edge) -> Result<Self, TensorError> {
        let layout = Arc::new(Layout::compact(self.dtype(), self.shape())?);
        let bytes = self.num_bytes();
        let pages = GuardedPages::new(bytes).map_err(|_| TensorError::OutOfMemory { bytes })?;
        let first = match edge {
            Edge::Start => pages.inside(),
            Edge::End => pages.inside().wrapping_add(pages.usable - bytes),
        };
        // SAFETY: the pages between the guard pages have room for `bytes` bytes from there on, may be read and
        // written, and are kept; their ends are aligned to a page, and the size is a multiple of the elements'.
        let copy = unsafe { Self::from_foreign(first, layout, false, Box::new(pages)) };
        let elements = self.to_contiguous()?;
        copy.overwrite(elements.as_bytes()?)?;
        Ok(if self.is_read_only() { copy.to_read_only() } else { copy })
    }
}

/// Pages that can be used, with one that cannot on each side.
struct GuardedPages {
    base: *mut u8,
    page: usize,
    /// Bytes between the guard pages.
    usable: usize,
}

// SAFETY: the pages are plain memory, and who reads or writes them is up to the tensors over them.
unsafe impl Send for GuardedPages {}
// SAFETY: as above.
unsafe impl Sync for GuardedPages {}

impl GuardedPages {
    fn new(bytes: usize) -> io::Result<Self> {
        let too_large = || io::Error::from(io::ErrorKind::OutOfMemory);
        // SAFETY: reads a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).map_err(|_| too_large())?;
        let usable = bytes.checked_next_multiple_of(page).ok_or_else(too_large)?;
        let total = usable.checked_add(2 * page).ok_or_else(too_large)?;
        // SAFETY: new pages at an address of the system's choice.
        let base = unsafe {
            libc::mmap(ptr::null_mut(), total, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let pages = Self { base: base.cast(), page, usable };
        if usable > 0 {
            // SAFETY: these pages are ours, and nobody knows of them yet.
            let status = unsafe { libc::mprotect(pages.inside().cast(), usable, libc::PROT_READ | libc::PROT_WRITE) };
            if status != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(pages)
    }

    fn inside(&self) -> *mut u8 {
        self.base.wrapping_add(self.page)
    }
}

impl Drop for GuardedPages {
    fn drop(&mut self) {
        // SAFETY: the whole of what `new` mapped; the tensors over it are gone.
        unsafe { libc::munmap(self.base.cast(), self.usable + 2 * self.page) };
    }
}
