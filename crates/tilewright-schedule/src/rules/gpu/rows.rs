//! `row_reduction` of a GPU: reductions of rows and what is computed from them, in one launch: softmax, norms,
//! argreduce.
//!
//! | candidate | a row is that of |
//! |---|---|
//! | `rows_by_warp` | a warp, or a part of one: its numbers go through shuffles, and no thread waits for another warp |
//! | `rows_by_block` | a block |
//! | `rows_side_by_side` | several warps, each of as many rows as it has threads, where rows are neighbours in memory |
//!
//! Every stage of a row is computed before the next one: reductions are shared among the threads of the row, totals are
//! in registers of each of them, and temporaries as long as the row in shared memory.

use tilewright_ir::tir::Expr;
use tilewright_target::Target;

use super::stage::bind_rest;
use crate::Schedule;
use crate::kernels::gpu::row_memory::ROW_MEMORY;
use crate::plan::gpu::Device;
use crate::plan::gpu::reduce::is_along_row;
use crate::plan::gpu::rows::{self, RowThreads};
use crate::primitive::{BIND, COMPUTE_AT, MULTIPLY_BY_RECIPROCAL, VECTORIZE};
use crate::rules::candidate::{Candidate, Offer};
use crate::rules::contiguous_reduction::{reduced, row_loops, with_groups_split};
use crate::rules::nests::{PlainNest, extent_of, gone};
use crate::rules::primitive_calls::{int, text};
use crate::rules::{Declined, Offers, Rule, inline};
use crate::trace::{Arg, Rv};

const BY_WARP: &str = "rows_by_warp";
const BY_BLOCK: &str = "rows_by_block";
const SIDE_BY_SIDE: &str = "rows_side_by_side";

pub(crate) const ROW_REDUCTION: Rule = Rule {
    name: "row_reduction",
    doc: "Reductions of rows with their producers and consumers: a row for a warp, a block, or the lanes of several warps.",
    kernels: &[BY_WARP, BY_BLOCK, SIDE_BY_SIDE],
    offers: Offers::Several(offer),
};

/// A function of rows: its stages, the last of which gives the result, and that one's loops that name a row.
#[derive(Clone)]
struct Rows {
    schedule: Schedule,
    stages: Vec<Rv>,
    last: Rv,
    rows: Vec<usize>,
    shape: rows::Shape,
}

fn offer<'a>(start: &'a Schedule, target: &'a Target) -> Result<Offer<'a>, Declined> {
    let device = Device::of(target)?;
    let rows = Rows::of(start)?;
    let mut offer = Offer::default();
    let plans = [
        (BY_WARP, rows::by_warp(&rows.shape, &device)),
        (BY_BLOCK, rows::by_block(&rows.shape, &device)),
        (SIDE_BY_SIDE, rows::side_by_side(&rows.shape, &device)),
    ];
    for (name, plan) in plans {
        let candidate = plan.map(|(plan, cost)| {
            let own = rows.clone();
            Candidate::new(name, Some(cost), move || own.built(&device, plan))
        });
        offer.add(name, candidate);
    }
    Ok(offer)
}

impl Rows {
    fn of(start: &Schedule) -> Result<Self, Declined> {
        let mut schedule = start.clone();
        inline::cheap_temporaries(&mut schedule)?;
        // Divisions by a softmax's sum or by the root of a norm's, which only the last stage has.
        if let Some(&last) = schedule.stages()?.last() {
            let _ = schedule.on_block(&MULTIPLY_BY_RECIPROCAL, last);
        }
        let stages = schedule.stages()?;
        let nests = stages.iter().map(|&block| PlainNest::of(&mut schedule, block)).collect::<Result<Vec<_>, _>>()?;
        let Some((last, producers)) = nests.split_last() else { return Err(gone()) };
        if producers.is_empty() || nests.iter().all(|nest| nest.is_spatial()) {
            return Err(Declined::because("there are not several stages one of which reduces"));
        }
        let reduced = reduced(producers);
        let last = with_groups_split(&mut schedule, last, &reduced)?;
        let rows = row_loops(&last, &reduced);
        if rows.is_empty() {
            return Err(Declined::because("everything is one row"));
        }
        let shape = shape(&nests, &last, &rows)?;
        Ok(Self { schedule, stages, last: last.block, rows, shape })
    }

    /// The stages of a row inside of loops over rows.
    fn built(self, device: &Device, plan: RowThreads) -> Result<Schedule, Declined> {
        let Self { schedule: mut made, stages, last, rows, .. } = self;
        let schedule = &mut made;
        let last = PlainNest::of(schedule, last)?;
        let others = (0..last.loops.len()).filter(|at| !rows.contains(at));
        let order = last.handles(&rows.iter().copied().chain(others).collect::<Vec<_>>());
        schedule.reorder_to(&order)?;
        let row = schedule.fuse_all(order.get(..rows.len()).unwrap_or_default())?;
        for &producer in stages.iter().rev().filter(|stage| **stage != last.block) {
            schedule.move_to(&COMPUTE_AT, producer, row)?;
        }
        let (mut shared, mut temporaries) = (0, Vec::new());
        for &stage in stages.iter() {
            let (scope, bytes) = in_row(schedule, stage, row, &plan, stage == last.block)?;
            if stage != last.block {
                temporaries.push((stage, scope));
                shared = bytes.saturating_add(shared);
            }
        }
        if shared > device.shared_bytes() {
            return Err(Declined::because("temporaries of a row do not fit into shared memory"));
        }
        let mut own = row;
        match plan.rows {
            1 => bind(schedule, row, "blockIdx.x")?,
            several => {
                let parts = schedule.split_by(row, &[None, Some(Expr::i64(several))])?;
                let [blocks, inner] = parts.as_slice() else { return Err(gone()) };
                bind(schedule, *blocks, "blockIdx.x")?;
                bind(schedule, *inner, plan.tags().0)?;
                own = *inner;
            }
        }
        for (stage, scope) in temporaries {
            schedule.call(&ROW_MEMORY, vec![Arg::Rv(stage), Arg::Rv(own), int(plan.rows), text(scope)])?;
        }
        bind_rest(schedule, device)?;
        Ok(made)
    }
}

/// Where temporaries of a row lie: numbers in registers of each thread, the rest in memory that threads share.
const LOCAL: &str = "local";
const SHARED: &str = "shared";

/// Binds what a stage computes of a row to the threads of the row; gives where it can lie, and the bytes of all rows of
/// a block.
fn in_row(
    schedule: &mut Schedule,
    stage: Rv,
    row: Rv,
    plan: &RowThreads,
    is_last: bool,
) -> Result<(&'static str, i64), Declined> {
    let around = schedule.loops_around(stage)?;
    let place = |schedule: &Schedule, rv: Rv| schedule.place_of(rv).map(|(_, key)| key.clone());
    let wanted = place(schedule, row);
    let skipped = around.iter().position(|&rv| place(schedule, rv) == wanted).map_or(0, |at| at + 1);
    let nest = PlainNest::inside(schedule, stage, skipped)?;
    let (own, others) = nest.reduced_and_others();
    let results = nest.iterations(&others);
    let width = nest.writes.first().map_or(16, |write| write.buffer.dtype.bytes() as i64);
    let place = match results {
        Some(1) => (LOCAL, 0),
        Some(results) => (SHARED, results.saturating_mul(width).saturating_mul(plan.rows)),
        // Of the last stage it is of no matter; others cannot have it.
        None => (SHARED, i64::MAX),
    };
    let loops = match (own.is_empty(), results) {
        // A number of the row is computed by each of its threads, and a result written by one.
        (true, Some(1)) if !is_last => return Ok(place),
        (true, _) => nest.handles(&nest.all_loops()),
        (false, Some(1)) => {
            let order = nest.handles(&[others, own.clone()].concat());
            if order != nest.rvs {
                schedule.reorder_to(&order)?;
            }
            nest.handles(&own)
        }
        (false, _) => return Err(Declined::because("a row has several reductions of one stage")),
    };
    if loops.is_empty() {
        return Ok(place);
    }
    let along = schedule.fuse_all(&loops)?;
    if plan.threads == 1 {
        return Ok(place);
    }
    let even = extent_of(schedule, along)?.as_int().is_some_and(|all| all % plan.vector == 0);
    let mut vectors = along;
    if plan.vector > 1 && even {
        let parts = schedule.split_by(along, &[None, Some(Expr::i64(plan.vector))])?;
        let [outer, lanes] = parts.as_slice() else { return Err(gone()) };
        vectors = *outer;
        if own.is_empty() {
            schedule.on_loop(&VECTORIZE, *lanes)?;
        }
    }
    let parts = schedule.split_by(vectors, &[None, Some(Expr::i64(plan.threads))])?;
    let threads = parts.last().copied().ok_or_else(gone)?;
    bind(schedule, threads, plan.tags().1)?;
    Ok(place)
}

fn bind(schedule: &mut Schedule, l: Rv, tag: &str) -> Result<(), Declined> {
    schedule.call(&BIND, vec![Arg::Rv(l), text(tag)])?;
    Ok(())
}

/// What plans need to know of rows.
fn shape(nests: &[PlainNest], last: &PlainNest, rows: &[usize]) -> Result<rows::Shape, Declined> {
    let own = |nest: &&PlainNest| !nest.is_spatial();
    let elements = nests.iter().filter(own).map(|nest| nest.iterations(&nest.reduced_and_others().0));
    let elements = elements.reduce(|a, b| Some(a?.max(b?))).flatten();
    let bytes = nests.iter().map(|nest| nest.cost.bytes).max().unwrap_or(4);
    let along = nests.iter().filter(own).all(|nest| is_along_row(nest));
    let rows_together = last.along_result().is_some_and(|at| rows.contains(&at));
    if !along && !rows_together {
        return Err(Declined::because("neither elements of a row nor rows lie together in memory"));
    }
    let stages = nests.iter().filter(own).count() as i64;
    let accesses = nests.iter().flat_map(|nest| nest.accesses());
    let widest = accesses.map(|access| access.buffer.dtype.element_bytes() as i64).max().unwrap_or(4);
    Ok(rows::Shape { rows: last.iterations(rows), elements, bytes: bytes as i64, stages, along, widest })
}
