//! Memory of run-time size for kernels: a stack of pieces, laid into a few blocks that are kept from call to call.

use tilewright_tensor::abi::TENSOR_ALIGN;
use tilewright_tensor::{DataType, Tensor};

/// Bytes of a block, but for a piece that is larger.
const BLOCK_BYTES: usize = 64 << 10;
/// Bytes that are kept between calls at most.
const MAX_IDLE_BYTES: usize = 64 << 20;

/// The pieces that one thread's kernels hold, in the order of their allocation.
///
/// A piece is in the block of its predecessor, after it, or at the start of a later block. Blocks after that of the
/// last piece are idle.
#[derive(Default)]
pub(crate) struct TemporaryStack {
    blocks: Vec<Tensor>,
    pieces: Vec<Piece>,
}

struct Piece {
    block: usize,
    start: usize,
    end: usize,
}

impl TemporaryStack {
    /// A piece of at least so many bytes, aligned to [`TENSOR_ALIGN`]; none if there is no such memory.
    pub(crate) fn alloc(&mut self, bytes: i64) -> Option<*mut u8> {
        let bytes = usize::try_from(bytes).ok()?.max(1).checked_next_multiple_of(TENSOR_ALIGN)?;
        self.pieces.try_reserve(1).ok()?;
        let (block, start) = match self.pieces.last() {
            Some(top) if self.blocks[top.block].num_bytes() - top.end >= bytes => (top.block, top.end),
            Some(top) => (self.block(top.block + 1, bytes)?, 0),
            None => (self.block(0, bytes)?, 0),
        };
        self.pieces.push(Piece { block, start, end: start + bytes });
        Some(self.blocks[block].data_ptr().wrapping_add(start))
    }

    /// Makes block `index`, which is idle or the next new one, at least so large.
    fn block(&mut self, index: usize, bytes: usize) -> Option<usize> {
        if self.blocks.get(index).is_none_or(|block| block.num_bytes() < bytes) {
            // The idle ones go first, so that they and the new one are never held at once.
            self.blocks.truncate(index);
            self.blocks.try_reserve(1).ok()?;
            let bytes = i64::try_from(bytes.max(BLOCK_BYTES)).ok()?;
            self.blocks.push(Tensor::zeros(DataType::U8, &[bytes]).ok()?);
        }
        Some(index)
    }

    /// Frees a piece and those above it. An address that is no piece's changes nothing.
    pub(crate) fn free(&mut self, memory: *mut u8) {
        let address = |piece: &Piece| self.blocks[piece.block].data_ptr().wrapping_add(piece.start);
        if let Some(index) = self.pieces.iter().rposition(|piece| address(piece) == memory) {
            self.pieces.truncate(index);
        }
    }

    /// How many pieces are held.
    pub(crate) fn height(&self) -> usize {
        self.pieces.len()
    }

    /// Frees the pieces above the first `height` ones.
    pub(crate) fn release(&mut self, height: usize) {
        self.pieces.truncate(height);
    }

    /// Frees all pieces, and idle memory above a limit.
    pub(crate) fn clear(&mut self) {
        self.pieces.clear();
        let mut total = 0;
        let kept = self.blocks.iter().take_while(|block| {
            total += block.num_bytes();
            total <= MAX_IDLE_BYTES
        });
        self.blocks.truncate(kept.count());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fills a piece, so that another one over the same bytes would show.
    fn fill(memory: *mut u8, bytes: usize, value: u8) {
        // SAFETY: the piece has so many bytes and is held.
        unsafe { memory.write_bytes(value, bytes) };
    }

    fn holds(memory: *mut u8, bytes: usize, value: u8) -> bool {
        // SAFETY: as above; `fill` wrote all bytes.
        unsafe { std::slice::from_raw_parts(memory, bytes) }.iter().all(|&byte| byte == value)
    }

    #[test]
    fn pieces_are_aligned_and_apart() {
        let mut stack = TemporaryStack::default();
        let sizes = [0, 1, 63, 64, 65, 1000, 70_000, 1, 200_000, 64 << 10, 5];
        let pieces = sizes.map(|bytes| stack.alloc(bytes as i64).unwrap());
        for (index, (&piece, &bytes)) in pieces.iter().zip(&sizes).enumerate() {
            assert!((piece as usize).is_multiple_of(TENSOR_ALIGN));
            fill(piece, bytes, index as u8 + 1);
        }
        for (index, (&piece, &bytes)) in pieces.iter().zip(&sizes).enumerate() {
            assert!(holds(piece, bytes, index as u8 + 1), "piece {index}");
        }
    }

    #[test]
    fn freed_memory_is_given_out_again() {
        let mut stack = TemporaryStack::default();
        let first = stack.alloc(100).unwrap();
        let large = stack.alloc(1 << 20).unwrap();
        stack.free(large);
        assert_eq!(stack.alloc(1 << 19).unwrap(), large);
        // Freeing the lower one takes what was left above it along.
        stack.free(first);
        assert_eq!((stack.height(), stack.alloc(5).unwrap()), (0, first));
        stack.free(std::ptr::null_mut());
        assert_eq!(stack.height(), 1);
        let mark = stack.height();
        for _ in 0..10 {
            stack.alloc(1 << 16).unwrap();
        }
        stack.release(mark);
        assert_eq!(stack.height(), 1);
    }

    #[test]
    fn sizes_that_do_not_exist_are_refused_and_harm_nothing() {
        let mut stack = TemporaryStack::default();
        let first = stack.alloc(8).unwrap();
        fill(first, 8, 7);
        for bytes in [-1, i64::MIN, i64::MAX, i64::MAX - 63, 1 << 60] {
            assert_eq!(stack.alloc(bytes), None, "{bytes}");
        }
        let second = stack.alloc(8).unwrap();
        fill(second, 8, 9);
        assert!(holds(first, 8, 7) && holds(second, 8, 9) && first != second);
    }

    #[test]
    fn little_is_kept_between_calls() {
        let mut stack = TemporaryStack::default();
        stack.alloc(10).unwrap();
        stack.alloc(MAX_IDLE_BYTES as i64).unwrap();
        stack.clear();
        let kept: usize = stack.blocks.iter().map(Tensor::num_bytes).sum();
        assert!(kept > 0 && kept <= MAX_IDLE_BYTES);
    }
}
