//! Places for tensors with lifetimes.
//!
//! Greedy in a fixed order, each tensor into the smallest gap that fits between those that are needed at the same time
//! and have an offset already. (Y. Pisarchyk and J. Lee, "Efficient memory management for deep neural net inference",
//! 2020: by size, this comes within a few percent of the lower bound on common networks.) Three orders are tried, and
//! the smallest result is taken: by size, by size times lifetime, and as the tensors begin.

use std::cmp::Reverse;

use tilewright_tensor::abi::TENSOR_ALIGN;

use crate::lifetimes::{Lifetime, peak};

/// A tensor to place.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) lifetime: Lifetime,
    pub(super) bytes: i64,
}

/// The offset of each tensor, and the bytes of all together.
pub(super) fn offsets(tensors: &[Planned]) -> (Vec<i64>, i64) {
    let span = |tensor: &Planned| tensor.lifetime.needed.iter().map(|(first, last)| last - first + 1).sum::<usize>();
    let conflicts = conflicts(tensors);
    let sized: Vec<(&Lifetime, i64)> = tensors.iter().map(|tensor| (&tensor.lifetime, tensor.bytes)).collect();
    let lowest = peak(&sized);
    let as_begun: Vec<usize> = (0..tensors.len()).collect();
    // Stable sorts: equal tensors keep their order in the function, so that the result is always the same.
    let (mut by_size, mut by_area) = (as_begun.clone(), as_begun.clone());
    by_size.sort_by_key(|&i| Reverse(tensors[i].bytes));
    by_area.sort_by_key(|&i| Reverse(i128::from(tensors[i].bytes) * span(&tensors[i]) as i128));
    let mut best: Option<(Vec<i64>, i64)> = None;
    for order in [by_size, by_area, as_begun] {
        let found = in_order(tensors, &conflicts, &order);
        if best.as_ref().is_none_or(|(_, total)| found.1 < *total) {
            best = Some(found);
        }
        if best.as_ref().is_some_and(|(_, total)| *total <= lowest) {
            break;
        }
    }
    best.unwrap_or_default()
}

/// For each tensor those that are needed at the same time.
fn conflicts(tensors: &[Planned]) -> Vec<Vec<usize>> {
    let mut conflicts = vec![Vec::new(); tensors.len()];
    for (i, tensor) in tensors.iter().enumerate() {
        for (j, other) in tensors.iter().enumerate().take(i) {
            if tensor.lifetime.meets(&other.lifetime) {
                conflicts[i].push(j);
                conflicts[j].push(i);
            }
        }
    }
    conflicts
}

fn in_order(tensors: &[Planned], conflicts: &[Vec<usize>], order: &[usize]) -> (Vec<i64>, i64) {
    let mut offsets: Vec<Option<i64>> = vec![None; tensors.len()];
    let mut total = 0;
    for &i in order {
        let bytes = tensors[i].bytes;
        let mut taken: Vec<(i64, i64)> = conflicts[i]
            .iter()
            .filter_map(|&other| offsets[other].map(|offset| (offset, offset + tensors[other].bytes)))
            .collect();
        taken.sort_unstable();
        let offset = smallest_gap(&taken, bytes);
        total = total.max(offset + bytes);
        offsets[i] = Some(offset);
    }
    (offsets.into_iter().map(Option::unwrap_or_default).collect(), total)
}

/// The start of the smallest gap between the taken ranges that holds the bytes; the end of all if none does.
fn smallest_gap(taken: &[(i64, i64)], bytes: i64) -> i64 {
    let (mut end, mut best) = (0, None);
    for &(from, to) in taken {
        let gap = from - end;
        if gap >= bytes && best.is_none_or(|(_, smallest)| gap < smallest) {
            best = Some((end, gap));
        }
        end = end.max(aligned(to));
    }
    best.map_or(end, |(offset, _)| offset)
}

fn aligned(bytes: i64) -> i64 {
    let align = TENSOR_ALIGN as i64;
    (bytes + align - 1) / align * align
}

#[cfg(test)]
mod tests {
    use tilewright_ir::relax::{StructInfo, Var};

    use super::*;

    fn tensor(bytes: i64, first: usize, last: usize) -> Planned {
        let var = Var::new("t", StructInfo::Object);
        Planned { lifetime: Lifetime::for_test(var, vec![(first, last)], Vec::new()), bytes }
    }

    #[test]
    fn tensors_that_live_together_never_overlap_and_begin_at_aligned_offsets() {
        let tensors: Vec<Planned> = (0..40)
            .map(|i| {
                let first = i * 7 % 23;
                tensor((i as i64 * 37 % 11) * 24, first, first + i % 6)
            })
            .collect();
        let (offsets, total) = offsets(&tensors);
        for (i, a) in tensors.iter().enumerate() {
            assert!(offsets[i] % 64 == 0 && offsets[i] + a.bytes <= total);
            for (j, b) in tensors[..i].iter().enumerate() {
                let disjoint = offsets[i] + a.bytes <= offsets[j] || offsets[j] + b.bytes <= offsets[i];
                let ((first, last), (begin, end)) = (a.lifetime.needed[0], b.lifetime.needed[0]);
                assert!(disjoint || last < begin || end < first, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn a_chain_needs_the_two_largest_neighbours_only() {
        let tensors = [tensor(640, 0, 2), tensor(1280, 2, 4), tensor(640, 4, 6), tensor(64, 6, 8)];
        assert_eq!(offsets(&tensors).1, 1920);
    }

    #[test]
    fn a_tensor_gets_the_smallest_gap_that_holds_it() {
        // Gaps of 128 bytes at 64 and of 64 bytes at 256, and unlimited space from 384 on.
        let taken = [(0, 64), (192, 256), (320, 384)];
        assert_eq!([64, 65, 128, 129].map(|bytes| smallest_gap(&taken, bytes)), [256, 64, 64, 384]);
        assert_eq!(smallest_gap(&[(0, 10)], 1), 64);
    }
}
