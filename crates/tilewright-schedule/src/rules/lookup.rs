//! `lookup`: rows of elements that are looked up, where what they are looked up in, or by, is computed before.
//!
//! An image that is made wider looks its elements up in rows between the rows of the data. Such a row is computed in
//! vectors right before the row that looks into it, and is in the first-level cache. An image that is read at given
//! places looks elements of all channels up by the same numbers: those of a row of places are computed before the row
//! is read of each channel. Tables that are the same for all rows are computed first.

use tilewright_expr::node::walk;
use tilewright_ir::tir::{Buffer, Expr, ExprKind};
use tilewright_target::Target;

use super::accesses::{Access, PlainNest};
use super::{Declined, Offers, Rule, inline, rows, stream};
use crate::Schedule;

pub(super) const LOOKUP: Rule = Rule {
    name: "lookup",
    doc: "Rows of elements that are looked up in, or by, rows of temporaries: both at once, a row after the other, in parallel.",
    kernels: &["lookup"],
    offers: Offers::One(apply),
};

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    inline::cheap_temporaries(schedule)?;
    let stages = schedule.stages()?;
    let nests = stages.iter().map(|&block| PlainNest::of(schedule, block)).collect::<Result<Vec<_>, _>>()?;
    let Some((last, temporaries)) = nests.split_last() else { return Err(Declined::because("there is no stage")) };
    if temporaries.is_empty() || !nests.iter().all(PlainNest::is_spatial) {
        return Err(Declined::because("there is no temporary, or a stage is a reduction"));
    }
    let Some(along) = last.along_result().filter(|at| at + 1 == last.loops.len()) else {
        return Err(Declined::because("the result does not lie along its innermost loop"));
    };
    if !last.reads.iter().any(|read| is_looked_up(read, along)) {
        return Err(Declined::because("nothing is looked up"));
    }
    let rows_of = |nest: &PlainNest| {
        let written = &nest.writes.first().ok_or_else(|| Declined::because("a stage writes nothing"))?.buffer;
        rows_of(last, written, along)
    };
    let named = temporaries.iter().map(rows_of).collect::<Result<Vec<_>, _>>()?;
    let Some(names) = named.iter().find(|names| !names.is_empty()) else {
        return Err(Declined::because("no temporary has rows"));
    };
    if named.iter().any(|own| !own.is_empty() && own != names) {
        return Err(Declined::because("temporaries have rows of different sorts"));
    }
    let of_rows = |(nest, own): (&PlainNest, &Vec<usize>)| (!own.is_empty()).then_some(nest.block);
    let in_rows: Vec<_> = temporaries.iter().zip(&named).filter_map(of_rows).chain([last.block]).collect();
    for table in temporaries.iter().filter(|nest| !in_rows.contains(&nest.block)) {
        stream::stream(schedule, target, table)?;
    }
    let together = in_rows.iter().map(|&block| PlainNest::of(schedule, block)).collect::<Result<Vec<_>, _>>()?;
    let last = together.last().ok_or_else(|| Declined::because("there is no stage"))?;
    rows::row_by_row(schedule, target, &together, last, names)
}

/// Whether neighbours along a loop may lie anywhere.
fn is_looked_up(read: &Access, along: usize) -> bool {
    read.strides.get(along).is_some_and(Option::is_none)
}

/// The loops that say which row of a temporary the last stage reads: none for a table, which is the same for all of
/// them.
fn rows_of(last: &PlainNest, temporary: &Buffer, along: usize) -> Result<Vec<usize>, Declined> {
    if !has_one_row(last, temporary) {
        return Err(Declined::because("a temporary is read in several rows, or not at all"));
    }
    let reads = || last.reads.iter().filter(|read| read.buffer == *temporary);
    let varies = |at: &usize| last.extent(*at) != Some(1) && reads().any(|read| last.step(read, *at) != Some(0));
    Ok((0..last.loops.len()).filter(|&at| at != along).filter(varies).collect())
}

/// Whether all elements that an instance reads of the temporary lie in one of its rows, a row of its own: whatever the
/// last index is, those before are axes.
fn has_one_row(last: &PlainNest, temporary: &Buffer) -> bool {
    let mut row: Option<Vec<Expr>> = None;
    let mut one = true;
    walk(&last.nest.block.body, |e: &Expr| {
        let ExprKind::Load { buffer, indices, .. } = &e.kind else { return };
        let Some((_, names)) = indices.split_last().filter(|_| buffer == temporary) else { return };
        one &= names.iter().all(|name| name.as_var().is_some() || name.as_int() == Some(0));
        let known = row.get_or_insert_with(|| names.to_vec());
        one &= known.len() == names.len() && known.iter().zip(names).all(|(a, b)| a.equal(b));
    });
    one && row.is_some()
}
