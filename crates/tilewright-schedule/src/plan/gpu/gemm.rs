//! The plan of a GEMM whose tiles go through shared memory (`kernels::gpu::gemm`).

use tilewright_macros::Plan;

use super::Device;
use crate::families::contraction::{Contraction, unwidened};
use crate::fault::Fault;
use crate::plan::cpu::work::assumed;
use crate::plan::{Cost, Declined};

/// Sizes of a tiled GEMM.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Plan)]
#[plan(check = TiledGemmPlan::check)]
pub(crate) struct TiledGemmPlan {
    /// Rows (M) of the tile of a block.
    #[plan(range = 1..=256)]
    pub(crate) block_m: i64,
    /// Columns (N) of the tile of a block.
    #[plan(range = 1..=256)]
    pub(crate) block_n: i64,
    /// K of a step: elements of both operands that lie in shared memory at once.
    #[plan(range = 1..=128)]
    pub(crate) block_k: i64,
    /// Rows (M) of the register tile of a thread.
    #[plan(range = 1..=16)]
    pub(crate) thread_m: i64,
    /// Columns (N) of the register tile of a thread.
    #[plan(range = 1..=16)]
    pub(crate) thread_n: i64,
}

/// Elements that a thread reads from shared memory at once: 16 bytes of float32.
pub(crate) const SHARED_LANES: i64 = 4;

impl TiledGemmPlan {
    fn check(&self) -> Result<(), Fault> {
        let whole = self.block_m % self.thread_m == 0 && self.block_n % self.thread_n == 0;
        let loads =
            (self.block_m * self.block_k) % self.threads() == 0 && (self.block_n * self.block_k) % self.threads() == 0;
        match () {
            () if !whole => Err(Fault::of_call("register tiles do not make up the tile of a block")),
            () if self.threads() > 1024 => Err(Fault::of_call(format!("a block has no {} threads", self.threads()))),
            () if !loads => Err(Fault::of_call("threads do not share the loads of a step evenly")),
            () => Ok(()),
        }
    }

    /// Threads of a block.
    pub(crate) fn threads(&self) -> i64 {
        (self.block_m / self.thread_m) * (self.block_n / self.thread_n)
    }
}

/// Elements between the rows of a tile in shared memory beyond the tile's own: those of a column are in other banks.
pub(crate) const PADDING: i64 = 4;

/// Tiles that are compared: rows and columns of a block, of a thread, and the part of the multiply-adds of the device
/// that a thread of such a register tile reaches, which loads from shared memory bound for small ones.
const TILES: [(i64, i64, i64, i64, f64); 9] = [
    (128, 128, 8, 8, 0.8),
    (128, 64, 8, 4, 0.65),
    (64, 128, 4, 8, 0.65),
    (64, 64, 4, 4, 0.5),
    (32, 128, 4, 4, 0.5),
    (32, 64, 4, 4, 0.5),
    (64, 32, 4, 4, 0.5),
    (32, 32, 4, 2, 0.35),
    (16, 64, 4, 2, 0.35),
];
const BLOCK_K: i64 = 16;
/// Bandwidth of the second-level cache to that of memory.
const L2_RATE: f64 = 2.5;
/// Cycles of a step until what it loads is in shared memory, which other blocks of the multiprocessor hide in part.
const STEP_CYCLES: f64 = 300.0;

/// The plans that the device can run, with their costs.
pub(crate) fn candidates(c: &Contraction, device: &Device) -> Result<Vec<(TiledGemmPlan, Cost)>, Declined> {
    let bytes = [&c.a, &c.b].map(|operand| unwidened(operand).dtype.bytes() as i64);
    let plans = TILES.map(|(block_m, block_n, thread_m, thread_n, part)| {
        let plan = TiledGemmPlan { block_m, block_n, block_k: BLOCK_K, thread_m, thread_n };
        (plan, part)
    });
    let fits = |plan: &TiledGemmPlan| {
        let shared = (plan.block_m + PADDING) * bytes[0] + (plan.block_n + PADDING) * bytes[1];
        plan.threads() <= i64::from(device.limits.max_threads_per_block)
            && shared * plan.block_k <= device.shared_bytes()
    };
    let fitting = plans.into_iter().filter(|(plan, _)| fits(plan));
    let found: Vec<(TiledGemmPlan, Cost)> = fitting.map(|(plan, part)| (plan, cost(c, &plan, part, device))).collect();
    if found.is_empty() {
        return Err(Declined::because("no tile fits the limits of the device"));
    }
    Ok(found)
}

/// Tiles take turns on multiprocessors; the slower of arithmetic and loads, from memory and from the caches, counts.
fn cost(c: &Contraction, plan: &TiledGemmPlan, part: f64, device: &Device) -> Cost {
    let [m, n, k, batch] = [&c.m, &c.n, &c.k, &c.batch].map(|group| assumed(&group.size).max(1.0));
    let (tiles_m, tiles_n) = ((m / plan.block_m as f64).ceil(), (n / plan.block_n as f64).ceil());
    let tiles = batch * tiles_m * tiles_n;
    let multiprocessors = device.multiprocessors() as f64;
    let area = (plan.block_m * plan.block_n) as f64;
    let steps = (k / plan.block_k as f64).ceil();
    let products = steps * plan.block_k as f64 * area / (device.gpu.f32_fma_per_cycle * part);
    let waves = (tiles / multiprocessors).ceil();
    // Blocks that are on a multiprocessor at once wait together.
    let resident = (f64::from(device.gpu.threads_per_multiprocessor) / plan.threads() as f64).clamp(1.0, waves);
    let waits = steps * STEP_CYCLES * waves / resident;
    let width = unwidened(&c.a).dtype.bytes().max(unwidened(&c.b).dtype.bytes()) as f64;
    let cached = device.memory_cycles(tiles * k * (plan.block_m + plan.block_n) as f64 * width / L2_RATE);
    let memory = device.memory_cycles(batch * ((m + n) * k * width + m * n * c.out.dtype.bytes() as f64));
    let multiply = waves * products;
    Cost::default()
        .with("multiply", multiply)
        .with("wait for steps", waits)
        .with("load", (cached.max(memory) - multiply).max(0.0))
        .with("launch", device.launch_cycles())
}
