//! The taps of a window that are inside the data for some result.
//!
//! If a window is dilated as far as the data are long, or the data are shorter than a window, some of its taps are in
//! the border for every result. They are left out, and so is the part of the border that only they reach: of a three by
//! three window with a dilation beyond the data's extent, one product of nine remains.

use tilewright_expr::Expr;

use super::{Conv, extent};
use crate::TeError;

/// The taps that are used along one dimension.
pub(super) struct Used {
    /// The first of them, and their number.
    pub(super) first: i64,
    pub(super) count: Expr,
    /// Their distance.
    pub(super) distance: i64,
    /// The widths of the border that they reach.
    pub(super) before: i64,
    pub(super) after: i64,
    /// The index of the first result's first tap in the data with that border.
    pub(super) start: i64,
}

/// The taps that are used along each spatial dimension; all of them where sizes are not known.
pub(super) fn used(conv: &Conv, data: &[Expr], kernel: &[Expr]) -> Result<Vec<Used>, TeError> {
    let results = conv.result(data, kernel)?;
    let of = |d: usize| -> Result<Used, TeError> {
        let (along, taps) = (conv.along(d), extent(kernel, d + 2)?);
        let sizes = [extent(data, d + 2)?, taps.clone(), extent(&results, d + 2)?].map(|size| size.as_int());
        let (before, after) = (along.before, along.after);
        let all = Used { first: 0, count: taps, distance: along.dilation, before, after, start: 0 };
        let [Some(size), Some(taps), Some(results)] = sizes else { return Ok(all) };
        let last = results.saturating_sub(1).saturating_mul(along.stride);
        // The index of the tap in the data for the first result.
        let position = |tap: i64| tap.saturating_mul(along.dilation).saturating_sub(along.before);
        let dilation = along.dilation.max(1);
        let first = along.before.saturating_sub(last).max(0).saturating_add(dilation - 1) / dilation;
        let until = size.saturating_sub(1).saturating_add(along.before).max(0) / dilation;
        let until = until.min(taps - 1);
        if results < 1 || size < 1 || first > until || (first == 0 && until + 1 == taps) {
            return Ok(all);
        }
        let (start, end) = (position(first), position(until).saturating_add(last));
        Ok(Used {
            first,
            count: Expr::int(until + 1 - first, all.count.dtype),
            distance: if first == until { 1 } else { along.dilation },
            before: (-start).max(0),
            after: end.saturating_sub(size - 1).max(0),
            start: start.max(0),
        })
    };
    (0..conv.spatial()).map(of).collect()
}
