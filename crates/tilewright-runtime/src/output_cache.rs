//! A cache of memory for the results of runs: freed pieces are kept, and reused for results of about the same size.

use std::sync::Arc;

use tilewright_support::Map;
use tilewright_tensor::{DataType, Layout, Tensor, TensorError};

use crate::fork::Lock;
use crate::one_slot::OneSlot;

/// Bytes that lie idle at most, but for a single piece that is larger.
const MAX_IDLE_BYTES: usize = 256 << 20;
/// Bytes of such a piece at most.
const MAX_IDLE_PIECE: usize = 1 << 30;
/// Idle pieces of one size at most.
const MAX_IDLE_PIECES: usize = 16;
/// Bytes, at most, of a piece that may be in a slot of its own, which does not count as idle memory.
const MAX_SLOT_PIECE_BYTES: usize = 64 << 10;
/// The number of such slots.
const SLOTS: usize = 8;

/// A machine's store of idle memory.
#[derive(Debug, Default)]
pub(crate) struct OutputCache {
    /// Small pieces, each in the slot of its size.
    slots: [OneSlot<Tensor>; SLOTS],
    idle: Lock<Idle>,
}

#[derive(Debug, Default)]
struct Idle {
    pieces: Map<usize, Vec<Tensor>>,
    bytes: usize,
}

/// A piece in use; goes back to the cache when the last tensor over it is dropped.
struct Lease {
    piece: Option<Box<Tensor>>,
    cache: Arc<OutputCache>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(piece) = self.piece.take() {
            self.cache.give_back(piece);
        }
    }
}

impl OutputCache {
    /// A tensor with undefined contents (of earlier tensors, or zeros).
    pub(crate) fn tensor(self: &Arc<Self>, layout: Arc<Layout>) -> Result<Tensor, TensorError> {
        let bytes = size_class(layout.num_bytes());
        let piece = match self.take(bytes) {
            Some(piece) => piece,
            None => self.piece(bytes)?,
        };
        let address = piece.data_ptr();
        let lease = Box::new(Lease { piece: Some(piece), cache: Arc::clone(self) });
        // SAFETY: the piece has at least the layout's bytes, aligned for every element type, and the lease keeps it.
        Ok(unsafe { Tensor::from_foreign(address, layout, false, lease) })
    }

    /// A new piece; if there is no memory for it, the idle ones make room.
    fn piece(&self, bytes: usize) -> Result<Box<Tensor>, TensorError> {
        let size = i64::try_from(bytes).map_err(|_| TensorError::OutOfMemory { bytes })?;
        let made = Tensor::zeros(DataType::U8, &[size]).or_else(|_| {
            let idle = std::mem::take(&mut *self.idle.lock());
            drop(idle);
            Tensor::zeros(DataType::U8, &[size])
        });
        made.map(Box::new)
    }

    /// The slot for a piece of this size, if it is small.
    fn slot(&self, bytes: usize) -> Option<&OneSlot<Tensor>> {
        (bytes <= MAX_SLOT_PIECE_BYTES).then(|| &self.slots[bytes / 64 % SLOTS])
    }

    fn take(&self, bytes: usize) -> Option<Box<Tensor>> {
        if let Some(piece) = self.slot(bytes).and_then(OneSlot::take) {
            if piece.num_bytes() == bytes {
                return Some(piece);
            }
            self.lay_down(*piece);
        }
        let mut idle = self.idle.lock();
        let piece = idle.pieces.get_mut(&bytes)?.pop()?;
        idle.bytes -= bytes;
        drop(idle);
        Some(Box::new(piece))
    }

    fn give_back(&self, piece: Box<Tensor>) {
        let rest = match self.slot(piece.num_bytes()) {
            Some(spare) => spare.put(piece),
            None => Some(piece),
        };
        if let Some(piece) = rest {
            self.lay_down(*piece);
        }
    }

    /// Puts a piece to those of its size.
    fn lay_down(&self, piece: Tensor) {
        let bytes = piece.num_bytes();
        let mut idle = self.idle.lock();
        let max = if idle.bytes == 0 { MAX_IDLE_PIECE } else { MAX_IDLE_BYTES };
        if idle.bytes + bytes > max {
            return;
        }
        let pieces = idle.pieces.entry(bytes).or_default();
        if pieces.len() < MAX_IDLE_PIECES {
            pieces.push(piece);
            idle.bytes += bytes;
        }
    }
}

/// The size of the piece for so many bytes: four sizes for each power of two, so that at most a quarter is unused.
fn size_class(bytes: usize) -> usize {
    let bytes = bytes.max(64);
    let step = (bytes.next_power_of_two() / 8).max(64);
    bytes.checked_next_multiple_of(step).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_memory_is_used_again() {
        let cache = Arc::new(OutputCache::default());
        let layout = |n| Arc::new(Layout::compact(DataType::F32, &[n]).unwrap());
        let first = cache.tensor(layout(1000)).unwrap();
        let address = first.data_ptr();
        let second = cache.tensor(layout(1000)).unwrap();
        assert!(!first.overlaps(&second));
        drop(first);
        assert_eq!(cache.tensor(layout(1001)).unwrap().data_ptr(), address);
    }

    #[test]
    fn pieces_of_sizes_that_share_a_place_are_all_used_again() {
        let cache = Arc::new(OutputCache::default());
        let layout = |bytes| Arc::new(Layout::compact(DataType::U8, &[bytes]).unwrap());
        for _ in 0..3 {
            let [a, b, c] = [64, 64, 1024 * 8 + 64].map(|bytes| cache.tensor(layout(bytes)).unwrap());
            let addresses = [a.data_ptr(), b.data_ptr(), c.data_ptr()];
            drop((a, b, c));
            let again = [64, 64, 1024 * 8 + 64].map(|bytes| cache.tensor(layout(bytes)).unwrap());
            assert!(again.iter().all(|tensor| addresses.contains(&tensor.data_ptr())));
            assert!(!again[0].overlaps(&again[1]) && !again[0].overlaps(&again[2]));
        }
    }

    #[test]
    fn one_large_piece_may_lie_idle() {
        let cache = Arc::new(OutputCache::default());
        // Nobody touches the memory: it takes none.
        let layout = |mebibytes: i64| Arc::new(Layout::compact(DataType::U8, &[mebibytes << 20]).unwrap());
        let [first, second] = [320, 640].map(|size| cache.tensor(layout(size)).unwrap());
        let address = first.data_ptr();
        drop(first);
        drop(second);
        assert_eq!(cache.idle.lock().bytes, 320 << 20);
        assert_eq!(cache.tensor(layout(320)).unwrap().data_ptr(), address);
        assert_eq!(cache.idle.lock().bytes, 320 << 20);
        drop(cache.tensor(layout(2048)).unwrap());
        assert_eq!(cache.idle.lock().bytes, 320 << 20);
    }

    #[test]
    fn sizes_waste_at_most_a_quarter() {
        for bytes in (1..5000).chain([1 << 20, (1 << 20) + 1]) {
            let class = size_class(bytes);
            assert!(class >= bytes && (class <= bytes + bytes / 4 || class < bytes + 64), "{bytes} {class}");
        }
    }
}
