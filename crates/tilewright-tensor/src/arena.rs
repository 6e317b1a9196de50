//! Tensors side by side, for many that are made together and kept together, such as the weights of a model.
//!
//! A tensor of a few megabytes cannot fill huge pages of its own, and small pages take several times as long to get as
//! the bytes in them to write. Side by side, tensors share huge pages. Each goes on its own: the pages that lie in it
//! return to the system, and the address space does with the last one.

use crate::{DataType, Layout, Tensor, TensorError};
#[cfg(unix)]
use crate::{
    abi::TENSOR_ALIGN,
    pages::Pages,
    storage::{Part, Storage},
};

/// Where tensors are put side by side.
#[derive(Default, Debug)]
pub struct TensorArena {
    /// The piece that is being filled, and how many of its bytes are given away.
    #[cfg(unix)]
    piece: Option<(std::sync::Arc<Pages>, usize)>,
}

/// Bytes of address space that are asked for at once; they take memory where they are touched.
#[cfg(unix)]
const PIECE: usize = 64 << 20;
/// What is smaller goes with the allocator's small pages; what is larger fills huge pages well enough.
#[cfg(unix)]
const SHARING: std::ops::RangeInclusive<usize> = 1 << 20..=PIECE / 4;

impl TensorArena {
    /// A compact tensor of zeros.
    pub fn zeros(&mut self, dtype: DataType, shape: &[i64]) -> Result<Tensor, TensorError> {
        let layout = Layout::compact(dtype, shape)?;
        #[cfg(unix)]
        if SHARING.contains(&layout.num_bytes())
            && let Some(part) = self.part(layout.num_bytes())
        {
            return Tensor::over_all_of(Storage::part(part), layout.into());
        }
        Tensor::zeros_with(layout.into())
    }

    /// The next bytes of the piece, or the first of a new one; none if there is no such memory.
    #[cfg(unix)]
    fn part(&mut self, bytes: usize) -> Option<Part> {
        let (pages, start) = match self.piece.take() {
            Some((pages, used)) if used + bytes <= PIECE => (pages, used),
            _ => (Pages::new(PIECE)?.into(), 0),
        };
        self.piece = Some((pages.clone(), (start + bytes).next_multiple_of(TENSOR_ALIGN)));
        Some(Part { pages, start, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_lie_apart_and_go_one_by_one() {
        let mut arena = TensorArena::default();
        // Of sizes that share and that do not, over several pieces, and of none.
        let sizes = [1 << 20, (1 << 20) + 3, 3_000_001, 16 << 20, (16 << 20) + 1, 5, 0];
        let mut tensors = Vec::new();
        for at in 0..42 {
            let mut tensor = arena.zeros(DataType::U8, &[sizes[at % sizes.len()]]).unwrap();
            let bytes = tensor.as_mut_slice::<u8>().unwrap();
            assert!(bytes.iter().all(|byte| *byte == 0));
            bytes.fill(at as u8 + 1);
            assert!((tensor.data_ptr() as usize).is_multiple_of(64));
            tensors.push((at as u8 + 1, tensor));
        }
        drop(arena);
        while !tensors.is_empty() {
            tensors.swap_remove(tensors.len() / 2);
            for (value, tensor) in tensors.iter().filter(|_| tensors.len() % 10 == 1) {
                assert!(tensor.as_slice::<u8>().unwrap().iter().all(|byte| byte == value));
            }
        }
    }

    #[test]
    fn a_tensor_is_sealed_where_it_is() {
        let mut arena = TensorArena::default();
        let (first, second) =
            (arena.zeros(DataType::F32, &[600, 512]).unwrap(), arena.zeros(DataType::F32, &[600, 512]).unwrap());
        assert!(!first.overlaps(&second) && first.is_unique());
        let address = first.data_ptr();
        let sealed = first.sealed().unwrap();
        assert!(sealed.is_sealed() && sealed.data_ptr() == address);
    }
}
