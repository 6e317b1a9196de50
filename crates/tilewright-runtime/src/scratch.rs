//! Scratch memory of one thread: kept from kernel to kernel, at an offset in its page that avoids 4K aliasing.
//!
//! A processor compares the low 12 bits of addresses to tell whether a load reads what an earlier store is about to
//! write. Where a kernel walks over a tensor and over scratch memory in step, and the address of the tensor is slightly
//! higher modulo 4096 bytes, loads wait for unrelated stores. Large tensors begin at the start of a page, or up to a
//! cache line after it where an allocator keeps a header in front; hence scratch memory begins in the middle of a page,
//! at the greatest distance from them.

use tilewright_tensor::{DataType, Tensor};

/// The distance in bytes at which addresses alias for store-to-load forwarding.
const PAGE: usize = 4096;
/// The offset of scratch memory in its page.
const OFFSET_IN_PAGE: usize = PAGE / 2;

/// Memory that grows on demand.
#[derive(Default)]
pub(crate) struct Scratch {
    memory: Option<Tensor>,
    /// Where in the memory the first byte in the middle of a page is.
    start: usize,
}

impl Scratch {
    /// At least so many bytes, more than none; none if there is no such memory.
    pub(crate) fn of(&mut self, bytes: usize) -> Option<*mut u8> {
        if self.bytes() < bytes {
            // The old memory goes first, so that both are never held at once.
            self.memory = None;
            let size = i64::try_from(bytes.checked_add(PAGE)?).ok()?;
            let memory = Tensor::zeros(DataType::U8, &[size]).ok()?;
            self.start = (OFFSET_IN_PAGE + PAGE - memory.data_ptr().addr() % PAGE) % PAGE;
            self.memory = Some(memory);
        }
        self.memory.as_ref().map(|memory| memory.data_ptr().wrapping_add(self.start))
    }

    /// Bytes that are there.
    pub(crate) fn bytes(&self) -> usize {
        self.memory.as_ref().map_or(0, |memory| memory.num_bytes() - PAGE)
    }

    /// Gives the memory back if it is more than so many bytes.
    pub(crate) fn shrink_to(&mut self, max_bytes: usize) {
        if self.bytes() > max_bytes {
            self.memory = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_begins_in_the_middle_of_a_page_and_holds_what_was_asked_for() {
        let mut scratch = Scratch::default();
        for bytes in [1, 64, 2048, 4096, 5000, 100_000, 10, 1 << 20] {
            let start = scratch.of(bytes).unwrap();
            assert_eq!(start.addr() % PAGE, OFFSET_IN_PAGE);
            let memory = scratch.memory.as_ref().unwrap();
            let end = memory.data_ptr().addr() + memory.num_bytes();
            assert!(memory.data_ptr() <= start && start.addr() + bytes <= end, "{bytes}");
        }
    }

    #[test]
    fn memory_is_kept_until_more_is_asked_for_or_it_is_too_much() {
        let mut scratch = Scratch::default();
        let first = scratch.of(10_000).unwrap();
        assert_eq!(scratch.of(100), Some(first));
        scratch.shrink_to(10_000);
        assert_eq!(scratch.bytes(), 10_000);
        scratch.shrink_to(9_999);
        assert_eq!(scratch.bytes(), 0);
    }

    #[test]
    fn sizes_that_do_not_exist_are_refused() {
        let mut scratch = Scratch::default();
        assert!(scratch.of(usize::MAX).is_none() && scratch.of(1 << 60).is_none());
        assert!(scratch.of(8).is_some());
    }
}
