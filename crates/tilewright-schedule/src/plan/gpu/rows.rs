//! The plan of rows all of whose stages run in one launch: how many threads a row has, and how many rows a block.

use super::reduce::row_threads;
use super::{Device, VECTOR_BYTES};
use crate::plan::{Cost, Declined};
use crate::units::ceil_div;

/// What is known of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// How many there are, and elements of each, as far as they are known.
    pub(crate) rows: Option<i64>,
    pub(crate) elements: Option<i64>,
    /// Bytes that are read and written for an element.
    pub(crate) bytes: i64,
    /// Reductions, each of which waits for the one before.
    pub(crate) stages: i64,
    /// Whether the elements of a row lie together in memory; else rows do.
    pub(crate) along: bool,
    /// Bytes of the widest of them.
    pub(crate) widest: i64,
}

/// Threads of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RowThreads {
    /// Of a row.
    pub(crate) threads: i64,
    /// Rows of a block.
    pub(crate) rows: i64,
    /// Whether neighbouring threads are those of neighbouring rows.
    pub(crate) side_by_side: bool,
    /// Neighbouring elements of a row that a thread takes together.
    pub(crate) vector: i64,
}

impl RowThreads {
    /// The names of the threads over rows, and of those of a row.
    pub(crate) fn tags(&self) -> (&'static str, &'static str) {
        if self.side_by_side { ("threadIdx.x", "threadIdx.y") } else { ("threadIdx.y", "threadIdx.x") }
    }
}

/// Sizes that are taken for those that only a run knows.
const ASSUMED_ROWS: i64 = 1 << 12;
const ASSUMED_ELEMENTS: i64 = 1 << 12;
/// Threads of a block of several rows, and of one row at most.
const BLOCK: i64 = 128;
const MAX_THREADS: i64 = 512;
/// Cycles of a load from memory until its element is there; each stage waits for some of its own.
const LOAD_CYCLES: f64 = 600.0;
/// Cycles to combine the numbers of the threads of a warp, and of a block.
const WARP_CYCLES: f64 = 150.0;
const BLOCK_CYCLES: f64 = 400.0;
/// Cycles of a thread for an element of a stage, where others take turns with it.
const ELEMENT_CYCLES: f64 = 8.0;

fn declined<T>(reason: &str) -> Result<T, Declined> {
    Err(Declined::because(reason))
}

/// Lanes of vectors that make up a row, of which there is one for each thread.
fn vector(shape: &Shape, threads: i64) -> i64 {
    let widest = VECTOR_BYTES / shape.widest.clamp(1, VECTOR_BYTES);
    let halves = std::iter::successors(Some(widest), |lanes| Some(lanes / 2)).take_while(|lanes| *lanes > 1);
    let fits = |lanes: &i64| shape.elements.is_some_and(|all| all % lanes == 0 && all >= lanes * threads);
    halves.into_iter().find(fits).unwrap_or(1)
}

/// A warp for each row, a part of one for short rows.
pub(crate) fn by_warp(shape: &Shape, device: &Device) -> Result<(RowThreads, Cost), Declined> {
    if !shape.along {
        return declined("the elements of a row do not lie together");
    }
    let elements = shape.elements.unwrap_or(ASSUMED_ELEMENTS);
    let part = 1 << ceil_div(elements.max(1), 2).max(1).ilog2();
    let threads = device.threads(device.warp().min(part));
    let rows = (device.threads(BLOCK) / threads).max(1);
    let plan = RowThreads { threads, rows, side_by_side: false, vector: vector(shape, threads) };
    Ok((plan, cost(shape, &plan, WARP_CYCLES, device)))
}

/// A block for each row.
pub(crate) fn by_block(shape: &Shape, device: &Device) -> Result<(RowThreads, Cost), Declined> {
    if !shape.along {
        return declined("the elements of a row do not lie together");
    }
    let threads = row_threads(shape.rows, shape.elements, device).clamp(2 * device.warp(), MAX_THREADS);
    if shape.elements.is_some_and(|elements| elements <= threads) || device.threads(threads) < threads {
        return declined("a row has fewer elements than a block has threads");
    }
    let plan = RowThreads { threads, rows: 1, side_by_side: false, vector: vector(shape, threads) };
    Ok((plan, cost(shape, &plan, BLOCK_CYCLES, device)))
}

/// Rows whose neighbours are neighbours in memory: a warp has as many of them as threads, several warps share these.
pub(crate) fn side_by_side(shape: &Shape, device: &Device) -> Result<(RowThreads, Cost), Declined> {
    if shape.along {
        return declined("the elements of a row lie together");
    }
    let rows = device.threads(device.warp()).min(shape.rows.unwrap_or(device.warp()).max(1));
    let elements = shape.elements.unwrap_or(ASSUMED_ELEMENTS);
    let wanted = device.multiprocessors() * i64::from(device.gpu.threads_per_multiprocessor) / 2;
    let shared = wanted / shape.rows.unwrap_or(ASSUMED_ROWS).max(1);
    let most = (device.threads(MAX_THREADS) / rows).max(1).min(ceil_div(elements.max(1), 2));
    let threads = 1 << shared.clamp(1, most).ilog2();
    let plan = RowThreads { threads, rows, side_by_side: true, vector: 1 };
    Ok((plan, cost(shape, &plan, BLOCK_CYCLES, device)))
}

/// All that is read and written once from or to memory, or the time of the threads, whichever is longer.
fn cost(shape: &Shape, plan: &RowThreads, combine: f64, device: &Device) -> Cost {
    let (rows, elements) = (shape.rows.unwrap_or(ASSUMED_ROWS), shape.elements.unwrap_or(ASSUMED_ELEMENTS));
    let bytes = rows as f64 * elements as f64 * shape.bytes as f64;
    let threads = (plan.threads * plan.rows).max(1);
    let at_once = device.multiprocessors() * (i64::from(device.gpu.threads_per_multiprocessor) / threads).max(1);
    let waves = ceil_div(ceil_div(rows.max(1), plan.rows), at_once) as f64;
    let each = ceil_div(elements.max(1), plan.threads) as f64;
    let stages = shape.stages as f64;
    // The result is computed from what was read before, and written.
    let computes = waves * (stages + 1.0) * (each * ELEMENT_CYCLES + LOAD_CYCLES);
    let memory = device.memory_cycles(bytes);
    Cost::default()
        .with("read and write", memory)
        .with("wait for elements", (computes - memory).max(0.0))
        .with("combine", waves * stages * combine)
        .with("launch", device.launch_cycles())
}
