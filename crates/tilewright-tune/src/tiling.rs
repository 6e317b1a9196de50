//! Traces of tilings: each loop in tiles whose sizes are drawn, the outer ones shared among threads, the innermost one
//! in vectors.
//!
//! ```text
//! spatial loops i, j and reduce loop k:
//!     parallel(i0 j0)  k0  i1 j1  k1  i2 vectorised(j2)
//! ```

use tilewright_ir::Attr;
use tilewright_ir::tir::{Block, Expr, IterKind, StmtKind, Var};
use tilewright_schedule::{Arg, Rv, Schedule, ScheduleError, Trace};

/// Tiles of a spatial loop, and of one of a reduction.
const SPATIAL_TILES: i64 = 3;
const REDUCE_TILES: i64 = 2;
/// Iterations of an innermost tile at most.
const MAX_INNERMOST: i64 = 64;

/// The tilings of a function, as traces with decisions: of its largest block, with the blocks around it computed where
/// their results are used. None where the function has no block with loops of constant extents.
pub(crate) fn tilings(start: &Schedule) -> Vec<Trace> {
    let mut found: Vec<Trace> = Vec::new();
    for unrolled in [false, true] {
        if let Ok(Some(trace)) = tiling(start, unrolled) {
            found.push(trace);
        }
    }
    found
}

fn tiling(start: &Schedule, unrolled: bool) -> Result<Option<Trace>, ScheduleError> {
    let mut schedule = start.clone();
    let Some(block) = heavy_block(&mut schedule)? else { return Ok(None) };
    let Some(nest) = nest_of(&mut schedule, block)? else { return Ok(None) };
    let tile = |schedule: &mut Schedule, loops: &[Rv], tiles: i64| -> Result<Vec<Vec<Rv>>, ScheduleError> {
        loops.iter().map(|&l| tiles_of(schedule, l, tiles)).collect()
    };
    let spatial = tile(&mut schedule, &nest.spatial, SPATIAL_TILES)?;
    let reduce = tile(&mut schedule, &nest.reduce, REDUCE_TILES)?;
    let level = |tiles: &[Vec<Rv>], at: usize| -> Vec<Rv> { tiles.iter().map(|parts| parts[at]).collect() };
    let (outer, inner) = (level(&spatial, 0), level(&spatial, 2));
    let (steps, sums) = (level(&reduce, 0), level(&reduce, 1));
    let order = [outer.as_slice(), &steps, &level(&spatial, 1), &sums, &inner].concat();
    call(&mut schedule, "reorder", handles(&order))?;
    let shared = match outer.as_slice() {
        [one] => *one,
        several => one_of(&call(&mut schedule, "fuse", handles(several))?)?,
    };
    call(&mut schedule, "parallel", vec![Arg::Rv(shared)])?;
    if let Some(&last) = inner.last() {
        call(&mut schedule, "vectorize", vec![Arg::Rv(last)])?;
    }
    if unrolled {
        for &l in sums.iter().chain(inner.iter().rev().skip(1)) {
            call(&mut schedule, "unroll", vec![Arg::Rv(l)])?;
        }
    }
    if let Some(&first) = steps.first() {
        call(&mut schedule, "decompose_reduction", vec![Arg::Rv(block), Arg::Rv(first)])?;
    }
    Ok(Some(schedule.trace().clone()))
}

/// A loop in tiles of drawn sizes, from outside inwards.
fn tiles_of(schedule: &mut Schedule, l: Rv, tiles: i64) -> Result<Vec<Rv>, ScheduleError> {
    let args = vec![Arg::Rv(l), int(tiles), int(MAX_INNERMOST)];
    let sizes = call(schedule, "sample_perfect_tile", args)?;
    let sizes = sizes.into_iter().map(Arg::Rv).collect();
    call(schedule, "split", vec![Arg::Rv(l), Arg::List(sizes)])
}

/// The loops of a block by the kinds of its axes.
struct Nest {
    spatial: Vec<Rv>,
    reduce: Vec<Rv>,
}

/// The loops around a block where each is one of its axes, of constant extent.
fn nest_of(schedule: &mut Schedule, block: Rv) -> Result<Option<Nest>, ScheduleError> {
    let loops = call(schedule, "get_loops", vec![Arg::Rv(block)])?;
    let Some((block, values)) = realized(schedule, block) else { return Ok(None) };
    let mut nest = Nest { spatial: Vec::new(), reduce: Vec::new() };
    for &rv in &loops {
        let Some(stmt) = schedule.stmt(rv) else { return Ok(None) };
        let StmtKind::For { var, extent, .. } = &stmt.kind else { return Ok(None) };
        let is_axis = |value: &Expr| value.as_var().is_some_and(|bound: &Var| bound == var);
        let axis = values.iter().position(is_axis).and_then(|at| block.iters.get(at));
        match (axis.map(|axis| axis.kind), extent.as_int()) {
            (Some(IterKind::Spatial), Some(1..)) => nest.spatial.push(rv),
            (Some(IterKind::Reduce), Some(1..)) => nest.reduce.push(rv),
            _ => return Ok(None),
        }
    }
    Ok((values.len() == loops.len() && !nest.spatial.is_empty()).then_some(nest))
}

fn realized(schedule: &Schedule, rv: Rv) -> Option<(Block, Vec<Expr>)> {
    let stmt = schedule.stmt(rv)?;
    match &stmt.kind {
        StmtKind::Block { block, values, .. } => Some((block.clone(), values.clone())),
        _ => None,
    }
}

/// The block with the most loops; those of the others that can be are computed where their results are used.
fn heavy_block(schedule: &mut Schedule) -> Result<Option<Rv>, ScheduleError> {
    let root = call(schedule, "get_block", vec![text("root")])?;
    let root = one_of(&root)?;
    let stages = call(schedule, "get_child_blocks", vec![Arg::Rv(root)])?;
    let mut heavy: Option<(usize, Rv)> = None;
    for &stage in &stages {
        let axes = realized(schedule, stage).map_or(0, |(block, _)| {
            let reduces = block.iters.iter().any(|axis| axis.kind == IterKind::Reduce);
            block.iters.len() + if reduces { 100 } else { 0 }
        });
        if axes > 0 && heavy.is_none_or(|(most, _)| axes >= most) {
            heavy = Some((axes, stage));
        }
    }
    let Some((_, heavy)) = heavy else { return Ok(None) };
    for stage in stages.into_iter().filter(|&stage| stage != heavy) {
        let before = schedule.clone();
        if call(schedule, "compute_inline", vec![Arg::Rv(stage)]).is_err() {
            *schedule = before.clone();
            if call(schedule, "reverse_compute_inline", vec![Arg::Rv(stage)]).is_err() {
                *schedule = before;
            }
        }
    }
    Ok(Some(heavy))
}

fn call(schedule: &mut Schedule, name: &str, args: Vec<Arg>) -> Result<Vec<Rv>, ScheduleError> {
    schedule.call_with(name, args, Vec::new()).map(|output| output.rvs().to_vec())
}

fn one_of(rvs: &[Rv]) -> Result<Rv, ScheduleError> {
    let missing = || ScheduleError {
        primitive: "tiling",
        message: "a call gives no handle".to_owned(),
        place: None,
        kind: tilewright_schedule::FaultKind::Unknown,
    };
    rvs.first().copied().ok_or_else(missing)
}

fn handles(rvs: &[Rv]) -> Vec<Arg> {
    rvs.iter().copied().map(Arg::Rv).collect()
}

fn int(value: i64) -> Arg {
    Arg::Attr(Attr::Int(value))
}

fn text(value: &str) -> Arg {
    Arg::Attr(Attr::str(value))
}
