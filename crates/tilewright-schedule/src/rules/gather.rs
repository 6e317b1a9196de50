//! `gather`: rows of elements that are looked up, where what they are looked up in, or by, is computed before.
//!
//! An image that is made wider looks its elements up in rows between the rows of the data. Such a row is computed in
//! vectors right before the row that looks into it, and is in the first-level cache. An image that is read at given
//! places looks elements of all channels up by the same numbers: those of a row of places are computed before the row
//! is read of each channel. Tables that are the same for all rows are computed first.

use tilewright_target::Target;

use super::nests::PlainNest;
use super::{Declined, Offers, Rule, contiguous_reduction, inline, spatial};
use crate::Schedule;
use crate::families::gather::Gather;

pub(super) const GATHER: Rule = Rule {
    name: "gather",
    doc: "Rows of elements that are looked up in, or by, rows of temporaries: both at once, a row after the other, in parallel.",
    kernels: &["gather"],
    offers: Offers::One(apply),
};

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    inline::cheap_temporaries(schedule)?;
    let stages = schedule.stages()?;
    let nests = stages.iter().map(|&block| PlainNest::of(schedule, block)).collect::<Result<Vec<_>, _>>()?;
    let gather = Gather::of(&nests.iter().map(|nest| &**nest).collect::<Vec<_>>())?;
    let mut in_rows = Vec::new();
    // The last stage, too, is of rows.
    for (nest, has_rows) in nests.iter().zip(gather.has_rows.into_iter().chain([true])) {
        match has_rows {
            true => in_rows.push(nest.block),
            false => spatial::spatial_order(schedule, target, nest)?,
        }
    }
    let together = in_rows.iter().map(|&block| PlainNest::of(schedule, block)).collect::<Result<Vec<_>, _>>()?;
    let last = together.last().ok_or_else(|| Declined::because("there is no stage"))?;
    contiguous_reduction::row_by_row(schedule, target, &together, last, &gather.rows)
}
