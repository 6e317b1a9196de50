//! Set conflicts: how many cache lines of a strided access fall into one set of a cache.

use crate::units::{LINE, ceil_div};

/// The most of `count` lines, each `stride` bytes after the one before, that map to one set of a cache whose sets
/// repeat every `set_stride` bytes.
pub(crate) fn max_set_conflicts(stride: i64, count: i64, set_stride: i64) -> i64 {
    let sets = set_stride / LINE;
    let mut lines = vec![0_i64; usize::try_from(sets).unwrap_or(1).max(1)];
    // Neighbours that are closer than a line are in few lines.
    let (stride, count) = match stride {
        1..LINE => (LINE, ceil_div(count.saturating_mul(stride), LINE)),
        _ => (stride, count),
    };
    for number in 0..count.clamp(0, 1 << 14) {
        let set = (number.wrapping_mul(stride).rem_euclid(set_stride) / LINE).rem_euclid(sets.max(1));
        if let Some(line) = usize::try_from(set).ok().and_then(|set| lines.get_mut(set)) {
            *line += 1;
        }
    }
    lines.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_a_set_stride_apart_share_a_set() {
        const WAY: i64 = 4096;
        assert_eq!(max_set_conflicts(WAY, 12, WAY), 12);
        assert_eq!(max_set_conflicts(WAY / 2, 12, WAY), 6);
        assert_eq!(max_set_conflicts(WAY + LINE, 12, WAY), 1);
        assert_eq!(max_set_conflicts(0, 3, WAY), 3);
        assert_eq!(max_set_conflicts(4, 25, WAY), 1);
        assert_eq!(max_set_conflicts(WAY, 0, WAY), 0);
    }
}
