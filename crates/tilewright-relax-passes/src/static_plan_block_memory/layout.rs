//! Places for tensors with lifetimes.
//!
//! Greedy by size: the largest tensor first, each at the lowest offset at which no tensor that lives at the same time
//! lies. (Y. Pisarchyk and J. Lee, "Efficient memory management for deep neural net inference", 2020: within a few
//! percent of the lower bound on common networks.)

use tilewright_expr::node::VarId;
use tilewright_support::Map;
use tilewright_tensor::abi::TENSOR_ALIGN;

use super::lifetime::Planned;

/// The offset of each tensor, and the bytes of all together.
pub(super) fn places(tensors: &[Planned]) -> (Map<VarId, i64>, i64) {
    let mut order: Vec<&Planned> = tensors.iter().collect();
    // A stable sort: tensors of one size keep their order in the function, so that the result is always the same.
    order.sort_by_key(|tensor| std::cmp::Reverse(tensor.bytes));
    let mut placed: Vec<(&Planned, i64)> = Vec::new();
    let mut total = 0;
    for tensor in order {
        let mut taken: Vec<(i64, i64)> = placed
            .iter()
            .filter(|(other, _)| other.first <= tensor.last && tensor.first <= other.last)
            .map(|(other, offset)| (*offset, offset + other.bytes))
            .collect();
        taken.sort_unstable();
        let mut offset = 0;
        for (from, to) in taken {
            if offset + tensor.bytes <= from {
                break;
            }
            offset = offset.max(aligned(to));
        }
        total = total.max(offset + tensor.bytes);
        placed.push((tensor, offset));
    }
    (placed.into_iter().map(|(tensor, offset)| (tensor.var, offset)).collect(), total)
}

fn aligned(bytes: i64) -> i64 {
    let align = TENSOR_ALIGN as i64;
    (bytes + align - 1) / align * align
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(bytes: i64, first: usize, last: usize) -> Planned {
        Planned { var: VarId::fresh(), bytes, first, last }
    }

    #[test]
    fn tensors_that_live_together_never_overlap_and_begin_at_aligned_offsets() {
        let tensors: Vec<Planned> = (0..40)
            .map(|i| {
                let first = i * 7 % 23;
                tensor((i as i64 * 37 % 11) * 24, first, first + i % 6)
            })
            .collect();
        let (places, total) = places(&tensors);
        for (i, a) in tensors.iter().enumerate() {
            let from = places[&a.var];
            assert!(from % 64 == 0 && from + a.bytes <= total);
            for b in &tensors[..i] {
                let apart = from + a.bytes <= places[&b.var] || places[&b.var] + b.bytes <= from;
                assert!(apart || a.last < b.first || b.last < a.first, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn a_chain_needs_the_two_largest_neighbours_only() {
        let tensors = [tensor(640, 0, 2), tensor(1280, 2, 4), tensor(640, 4, 6), tensor(64, 6, 8)];
        assert_eq!(places(&tensors).1, 1920);
    }
}
