//! The plan of a reduction whose elements threads of a block share (`kernels::gpu::reduce`).

use tilewright_ir::tir::IterKind;
use tilewright_macros::{Choice, Plan};

use super::Device;
use crate::analysis::loop_nest::{Access, LoopNest};
use crate::fault::Fault;
use crate::plan::check_power_of_two;
use crate::units::ceil_div;

/// What neighbouring threads do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Choice)]
pub(crate) enum Neighbours {
    /// Elements of one reduction, which lie together in memory: their partial results go through shuffles.
    #[choice = "elements"]
    Elements,
    /// Different results, which lie together in memory.
    #[choice = "results"]
    Results,
}

/// How many threads share a reduction, and how many reductions a block has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Plan)]
#[plan(check = ReducePlan::check)]
pub(crate) struct ReducePlan {
    /// Threads that share a reduction.
    #[plan(range = 1..=1024)]
    pub(crate) threads: i64,
    /// Results of a block.
    #[plan(range = 1..=1024)]
    pub(crate) results: i64,
    /// What neighbouring threads do.
    #[plan(default = Neighbours::Elements)]
    pub(crate) neighbours: Neighbours,
}

/// Elements of a reduction that a thread takes at least, where more threads than a warp share it.
const MIN_EACH: i64 = 8;
/// Threads that share a reduction at most, and of a block with several results.
const MAX_THREADS: i64 = 512;
const SMALL_BLOCK: i64 = 128;
/// Reductions of fewer elements are those of one thread.
const SHORT: i64 = 4;
/// Elements of a reduction, and of a part of it, at least where it is taken in parts: of one along what lies together,
/// and of one across memory, for which a block has fewer threads.
const LONG: (i64, i64) = (1 << 14, 1 << 11);
const LONG_ACROSS: (i64, i64) = (1 << 11, 1 << 8);
/// Threads of a part.
const PART_THREADS: i64 = 256;
/// Elements of a reduction that is only known when it runs.
const ASSUMED: i64 = 1 << 12;

impl ReducePlan {
    fn check(&self) -> Result<(), Fault> {
        check_power_of_two("threads", self.threads)?;
        match self.threads * self.results {
            ..=1024 => Ok(()),
            threads => Err(Fault::of_call(format!("a block has no {threads} threads"))),
        }
    }
}

/// The number of results and of elements of each, as far as they are known.
fn sizes(nest: &LoopNest) -> (Option<i64>, Option<i64>) {
    (nest.iterations(&nest.loops_of(IterKind::Spatial)), nest.iterations(&nest.loops_of(IterKind::Reduce)))
}

/// The plan of a reduction along what lies together; none where a thread for each result is enough.
pub(crate) fn along_row(nest: &LoopNest, device: &Device) -> Option<ReducePlan> {
    let (results, elements) = sizes(nest);
    if elements.is_some_and(|elements| elements <= SHORT) {
        return None;
    }
    let threads = row_threads(results, elements, device);
    let block = device.threads(SMALL_BLOCK.max(threads));
    let results = (block / threads).max(1).min(results.map_or(i64::MAX, |all| all.max(1)));
    Some(ReducePlan { threads, results, neighbours: Neighbours::Elements })
}

/// Threads for a row: a part of a warp for a short one, else a warp, unless there are too few rows to fill the device.
pub(crate) fn row_threads(rows: Option<i64>, elements: Option<i64>, device: &Device) -> i64 {
    let elements = elements.unwrap_or(ASSUMED).max(1);
    let enough = |each: i64| 1 << i64::max(1, ceil_div(elements, each)).ilog2();
    if elements < device.warp() * 2 {
        return device.threads(device.warp().min(i64::max(1, enough(2))));
    }
    let wanted = device.multiprocessors() * i64::from(device.gpu.threads_per_multiprocessor) / 2;
    let shared = rows.map_or(device.warp(), |rows| wanted / rows.max(1));
    let most = enough(MIN_EACH).max(device.warp());
    // A warp reads whole lines; long rows need more loads that wait at once.
    let long = if elements >= 4096 { 256 } else { device.warp() };
    device.threads(shared.max(long).clamp(device.warp(), most.min(MAX_THREADS)))
}

/// The plan of a reduction across memory: neighbouring results, and as many threads for each as fill the device. None
/// where one is enough.
pub(crate) fn across(nest: &LoopNest, device: &Device) -> Option<ReducePlan> {
    let (results, elements) = sizes(nest);
    let elements = elements.unwrap_or(ASSUMED);
    let wanted = device.multiprocessors() * i64::from(device.gpu.threads_per_multiprocessor) / 2;
    let shared = results.map_or(1, |results| ceil_div(wanted, results.max(1)));
    let most = ceil_div(elements, MIN_EACH).max(1);
    let columns = results.map_or(device.warp(), |all| all.clamp(1, device.warp()));
    let block = device.threads(MAX_THREADS);
    let threads = 1 << shared.min(most).clamp(1, (block / columns).max(1)).ilog2();
    (threads > 1).then_some(ReducePlan { threads, results: columns, neighbours: Neighbours::Results })
}

/// The loop along which the largest part of what is read lies together.
fn along_most(nest: &LoopNest) -> Option<usize> {
    let size = |read: &Access| {
        let varies = |at: &usize| nest.step(read, *at) != Some(0);
        let loops = (0..nest.loops.len()).filter(varies);
        loops.fold(1i64, |all, at| all.saturating_mul(nest.extent(at).unwrap_or(ASSUMED)))
    };
    let along = |read: &Access| (0..nest.loops.len()).rev().find(|&at| nest.step(read, at) == Some(1));
    let others = nest.reads.iter().filter(|read| nest.writes.iter().all(|write| write.buffer != read.buffer));
    others.filter_map(|read| Some((size(read), along(read)?))).max_by_key(|(size, _)| *size).map(|(_, at)| at)
}

/// Whether neighbouring elements of a reduction, not of neighbouring results, lie together in memory.
pub(crate) fn is_along_row(nest: &LoopNest) -> bool {
    let wide = |at: &usize| nest.extent(*at) != Some(1);
    match along_most(nest) {
        Some(at) => nest.reduces(at),
        None => (0..nest.loops.len()).filter(wide).all(|at| nest.reduces(at)),
    }
}

/// Whether neighbouring results are read from neighbours in memory.
fn is_across(nest: &LoopNest) -> bool {
    nest.along_result().is_some_and(|at| !nest.reduces(at)) && !is_along_row(nest)
}

/// Into how many parts a reduction of few results and many elements is taken first, each of which is then a result.
pub(crate) fn parts(nest: &LoopNest, device: &Device) -> Option<i64> {
    let (Some(results), elements) = sizes(nest) else { return None };
    let (columns, (long, part)) = if is_across(nest) { (device.warp(), LONG_ACROSS) } else { (1, LONG) };
    let blocks = ceil_div(results.max(1), columns);
    let wanted = device.multiprocessors() * 2;
    let few = results > 0 && blocks <= device.multiprocessors() / 2 && elements.is_none_or(|all| all >= long);
    let most = elements.map_or(wanted, |all| all / part);
    let parts = (wanted / blocks).min(most);
    // Most sizes are multiples of powers of two: parts of these are even.
    (few && parts > 1).then(|| 1 << parts.ilog2())
}

/// The plan of the parts, whatever conditions they have.
pub(crate) fn of_parts(nest: &LoopNest, device: &Device) -> ReducePlan {
    let threads = device.threads(PART_THREADS);
    match is_across(nest) {
        true => {
            let results = device.threads(device.warp());
            ReducePlan { threads: (threads / results).max(1), results, neighbours: Neighbours::Results }
        }
        false => ReducePlan { threads, results: 1, neighbours: Neighbours::Elements },
    }
}
