//! `contraction` of a GPU: functions whose only reduction sums products. What comes before is computed where it is
//! loaded, the epilogue on the sums of a thread.
//!
//! | candidate | for |
//! |---|---|
//! | `tiled_gemm` | every contraction, in tiles of several sizes |
//!
//! Products with a vector, or with few rows, have no tiles: they are reductions (`row_reduction`, `fallback`), which
//! read the matrix once.

use tilewright_target::Target;

use super::stage::{self, bind_rest};
use crate::Schedule;
use crate::families::contraction::Contraction;
use crate::kernels::gpu::gemm::TILED_GEMM;
use crate::plan::gpu::Device;
use crate::plan::gpu::gemm::{TiledGemmPlan, candidates};
use crate::primitive::COMPUTE_INLINE;
use crate::rules::candidate::{Candidate, Offer};
use crate::rules::nests::{gone, heavy_stage};
use crate::rules::primitive_calls::attempt;
use crate::rules::{Declined, Offers, Rule};
use crate::trace::Rv;

pub(crate) const CONTRACTION: Rule = Rule {
    name: "contraction",
    doc: "A sum of products (a matrix product, a convolution): tiles through shared memory to registers, its epilogue on sums.",
    kernels: &[TILED_GEMM.method],
    offers: Offers::Several(offer),
};

/// Rows, or columns, of a product that is none of tiles.
const FEW: i64 = 4;
/// Elements of K, or of what a block of results reads, that are worth shared memory.
const MIN_K: i64 = 8;

fn offer<'a>(start: &'a Schedule, target: &'a Target) -> Result<Offer<'a>, Declined> {
    let device = Device::of(target)?;
    let mut schedule = start.clone();
    let heavy = heavy_stage(&mut schedule)?;
    // What has to stay is refused by name by the kernel itself.
    for stage in schedule.stages()? {
        let _ = schedule.on_block(&COMPUTE_INLINE, stage);
    }
    let (function, site) = schedule.site(heavy).ok_or_else(gone)?;
    let c = Contraction::of(function, &site)?;
    let few = |size: Option<i64>, least: i64| size.is_some_and(|size| size <= least);
    let rows = c.m.size.as_int().zip(c.batch.size.as_int()).map(|(m, batch)| m.saturating_mul(batch));
    if few(rows, FEW) || few(c.m.size.as_int(), 1) || few(c.n.size.as_int(), FEW) {
        return Err(Declined::because("it is a product with few rows or columns"));
    }
    if few(c.k.size.as_int(), MIN_K - 1) {
        return Err(Declined::because("few products make a sum"));
    }
    let mut offer = Offer::default();
    for (plan, cost) in candidates(&c, &device)? {
        let schedule = schedule.clone();
        let build = move || build(schedule, heavy, &plan, &device);
        offer.add(TILED_GEMM.method, Ok(Candidate::new(TILED_GEMM.method, Some(cost), build)));
    }
    Ok(offer)
}

fn build(mut schedule: Schedule, heavy: Rv, plan: &TiledGemmPlan, device: &Device) -> Result<Schedule, Declined> {
    let stages = schedule.stages()?;
    schedule.build(&TILED_GEMM, heavy, plan)?;
    // What is neither computed where it is loaded nor an epilogue is still there.
    for stage in stages {
        if schedule.stmt(stage).is_some() {
            attempt(&mut schedule, |schedule| stage::any(schedule, device, stage));
        }
    }
    bind_rest(&mut schedule, device)?;
    Ok(schedule)
}
