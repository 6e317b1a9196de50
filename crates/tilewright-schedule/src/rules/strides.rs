//! How elements of a factor of a product lie in memory, and whether the caches hold what of it is used together.

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{Expr, ExprKind, Var};
use tilewright_target::NEAR_WAY_BYTES;

use crate::facts::size::{LINE, PAGE, ceil_div};

/// Bytes behind which addresses meet the same places of the first-level cache.
pub(super) const L1_WAY: i64 = PAGE;
/// Bytes behind which addresses meet the same places of the second-level cache.
pub(super) const L2_WAY: i64 = NEAR_WAY_BYTES.cast_signed();

/// The bytes from an element of the factor to its neighbour along an axis, where the factor is elements of one buffer as
/// they are, and this is a constant.
pub(super) fn stride(factor: &Expr, axis: Option<&Var>) -> Option<i64> {
    let (ExprKind::Load { buffer, indices, predicate: None }, Some(axis)) = (&factor.kind, axis) else { return None };
    let elements = crate::facts::stride::stride(&Analyzer::new(), axis, buffer, indices)?.as_int()?;
    elements.checked_mul(buffer.dtype.element_bytes() as i64)
}

/// The most of so many lines, each so many bytes behind the one before, that fall on one place of a cache whose places
/// repeat after `way` bytes.
pub(super) fn crowd(stride: i64, count: i64, way: i64) -> i64 {
    let places = way / LINE;
    let mut lines = vec![0_i64; usize::try_from(places).unwrap_or(1).max(1)];
    // Neighbours that are closer than a line are in few lines.
    let (stride, count) = match stride {
        1..LINE => (LINE, ceil_div(count.saturating_mul(stride), LINE)),
        _ => (stride, count),
    };
    for number in 0..count.clamp(0, 1 << 14) {
        let place = (number.wrapping_mul(stride).rem_euclid(way) / LINE).rem_euclid(places.max(1));
        if let Some(line) = usize::try_from(place).ok().and_then(|place| lines.get_mut(place)) {
            *line += 1;
        }
    }
    lines.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_a_way_apart_meet_on_one_place() {
        assert_eq!(crowd(L1_WAY, 12, L1_WAY), 12);
        assert_eq!(crowd(L1_WAY / 2, 12, L1_WAY), 6);
        assert_eq!(crowd(L1_WAY + LINE, 12, L1_WAY), 1);
        assert_eq!(crowd(0, 3, L1_WAY), 3);
        assert_eq!(crowd(4, 25, L1_WAY), 1);
        assert_eq!(crowd(L1_WAY, 0, L1_WAY), 0);
    }
}
