//! Large pieces of memory: pages of the system, huge ones where it has them.
//!
//! An address in a huge page is found without a walk through tables, and touching a new one costs one fault instead of
//! hundreds. Pages come zeroed, and take memory only once they are touched.
//!
//! In a virtual machine, a new huge page may be memory that the host has to find first, one small page after the other,
//! while small pages are available at once: getting huge pages took a second for the
//! weights of a model, and small ones a tenth of that. So memory that is filled once, and kept, is filled in small
//! pages, and huge ones are requested afterwards: the system makes them one by one, of some megabytes in each second.

use std::ptr::{self, NonNull};

/// Pieces from this size on are pages of their own.
pub(crate) const WORTH_PAGES: usize = 2 * HUGE_PAGE;
/// Bytes of a huge page. Where the system has them in other sizes, asking for them does no harm.
const HUGE_PAGE: usize = 2 << 20;

/// Zeroed pages.
pub(crate) struct Pages {
    base: NonNull<u8>,
    /// Of the whole mapping: more than is used, so that a huge page can begin where the first byte is.
    bytes: usize,
}

impl Pages {
    /// Pages for so many bytes; none if there is no such memory.
    pub(crate) fn new(used: usize) -> Option<Self> {
        let bytes = used.checked_add(HUGE_PAGE)?;
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: new pages at an address of the system's choice.
        let base = unsafe { libc::mmap(ptr::null_mut(), bytes, access, kind, -1, 0) };
        if base == libc::MAP_FAILED {
            return None;
        }
        Some(Self { base: NonNull::new(base.cast())?, bytes })
    }

    /// The first byte, at a multiple of [`HUGE_PAGE`].
    pub(crate) fn first(&self) -> NonNull<u8> {
        let skipped = self.base.align_offset(HUGE_PAGE);
        // SAFETY: less than `HUGE_PAGE`, by which the mapping is longer than what is used.
        unsafe { self.base.add(skipped) }
    }

    /// Asks for huge pages where all of their bytes are used: those that are not touched yet are huge from the
    /// beginning.
    #[cfg(target_os = "linux")]
    pub(crate) fn make_huge(&self, used: usize) {
        let whole = used.min(self.bytes - HUGE_PAGE) / HUGE_PAGE * HUGE_PAGE;
        // SAFETY: the pages are ours, and advice changes nothing that they hold. A system that does not take it answers
        // with an error, which does not matter.
        unsafe { libc::madvise(self.first().as_ptr().cast(), whole, libc::MADV_HUGEPAGE) };
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn make_huge(&self, _used: usize) {}
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the whole of what `new` mapped, and nobody uses it any more.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}
