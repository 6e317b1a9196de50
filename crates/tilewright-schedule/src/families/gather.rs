//! Gathers: elements that are looked up at indices which are data, or depend on data, where what they are looked up in,
//! or by, is computed before.
//!
//! ```text
//! row[k]     = …                          for each row: a temporary that has a row for each of the result's
//! out[r, i]  = … row[index(r, i)] …       an element of one row of the temporary, at any place in it
//! ```

use tilewright_expr::node::walk;
use tilewright_ir::tir::{Buffer, Expr, ExprKind};

use crate::analysis::loop_nest::{Access, LoopNest};
use crate::fault::Fault;

/// The rows of a gather.
#[derive(Clone, Debug)]
pub(crate) struct Gather {
    /// The loops of the last stage that name a row.
    pub(crate) rows: Vec<usize>,
    /// Whether each stage before the last one has a row for each of the result's. One that has not is a table: the same
    /// for all rows.
    pub(crate) has_rows: Vec<bool>,
}

impl Gather {
    /// The stages as a gather, the last of which gives the result.
    pub(crate) fn of(stages: &[&LoopNest]) -> Result<Self, Fault> {
        let Some((last, temporaries)) = stages.split_last() else { return Err(fault("there is no stage")) };
        if temporaries.is_empty() || !stages.iter().all(|nest| nest.is_spatial()) {
            return Err(fault("there is no temporary, or a stage is a reduction"));
        }
        let Some(along) = last.along_result().filter(|at| at + 1 == last.loops.len()) else {
            return Err(fault("the result does not lie along its innermost loop"));
        };
        if !last.reads.iter().any(|read| is_looked_up(read, along)) {
            return Err(fault("nothing is looked up"));
        }
        let rows_of = |nest: &&LoopNest| {
            let written = &nest.writes.first().ok_or_else(|| fault("a stage writes nothing"))?.buffer;
            rows_of(last, written, along)
        };
        let named = temporaries.iter().map(rows_of).collect::<Result<Vec<_>, _>>()?;
        let Some(rows) = named.iter().find(|rows| !rows.is_empty()) else {
            return Err(fault("no temporary has rows"));
        };
        if named.iter().any(|own| !own.is_empty() && own != rows) {
            return Err(fault("temporaries have rows of different sorts"));
        }
        Ok(Self { rows: rows.clone(), has_rows: named.iter().map(|own| !own.is_empty()).collect() })
    }
}

fn fault(message: &str) -> Fault {
    Fault::of_call(message)
}

/// Whether neighbours along a loop may lie anywhere.
fn is_looked_up(read: &Access, along: usize) -> bool {
    read.strides.get(along).is_some_and(Option::is_none)
}

/// The loops that say which row of a temporary the last stage reads: none for a table, which is the same for all of
/// them.
fn rows_of(last: &LoopNest, temporary: &Buffer, along: usize) -> Result<Vec<usize>, Fault> {
    if !has_one_row(last, temporary) {
        return Err(fault("a temporary is read in several rows, or not at all"));
    }
    let reads = || last.reads.iter().filter(|read| read.buffer == *temporary);
    let varies = |at: &usize| last.extent(*at) != Some(1) && reads().any(|read| last.step(read, *at) != Some(0));
    Ok((0..last.loops.len()).filter(|&at| at != along).filter(varies).collect())
}

/// Whether all elements that an instance reads of the temporary lie in one of its rows, a row of its own: whatever the
/// last index is, those before are axes.
fn has_one_row(last: &LoopNest, temporary: &Buffer) -> bool {
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
