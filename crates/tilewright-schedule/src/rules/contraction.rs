//! `contraction`: functions whose only reduction sums products. What comes before it is computed where it is read, its
//! epilogue on finished tiles.
//!
//! | candidate | for |
//! |---|---|
//! | `gemm` | every contraction |
//! | `gemm_channels` | convolutions with constant weights: channels are N, so that weights lie ready in panels and pixels are read in place; results are transposed back |
//! | `direct_conv` | convolutions of wide floats: windows are read from a padded image, without im2col |
//!
//! Convolutions of known sizes compare the three by their costs (`plan::cpu::convolution`); a GEMM has the cost of its
//! plan.

use tilewright_expr::node::walk;
use tilewright_ir::tir::{Buffer, Expr, ExprKind, Intrinsic, PrimFunc, StmtKind, Var};
use tilewright_ir::{Attr, IndexMap};
use tilewright_target::Target;
use tilewright_tensor::DataType;

use super::candidate::{Candidate, Offer};
use super::fallback;
use super::inline::cheap_temporaries;
use super::nests::{gone, heavy_stage};
use super::primitive_calls::attempt;
use super::primitive_calls::{int, text};
use super::{Declined, Offers, Rule};
use crate::Schedule;
use crate::build::exprs::mentions;
use crate::families::contraction::outputs::matrices;
use crate::families::contraction::{Contraction, is_constant};
use crate::families::window::Windows;
use crate::kernels::cpu::direct_conv::DIRECT_CONV;
use crate::kernels::cpu::gemm::GEMM;
use crate::plan::Cost;
use crate::plan::cpu::convolution::Convolution;
use crate::plan::cpu::direct_conv::{DirectConvPlan, channels};
use crate::plan::cpu::gemm::extents::K_BLOCK;
use crate::plan::cpu::gemm::k_block::even_blocks;
use crate::plan::cpu::gemm::{GemmPlan, block_scaled, choose, packed_codes};
use crate::primitive::{CACHE_WRITE, COMPUTE_INLINE, PARALLEL, TRANSFORM_LAYOUT, VECTORIZE};
use crate::trace::{Arg, Rv};
use crate::units::ceil_div;

/// The candidate whose kernel is a GEMM of another layout; the others are called as their kernels.
const GEMM_CHANNELS: &str = "gemm_channels";

pub(super) const CONTRACTION: Rule = Rule {
    name: "contraction",
    doc: "A sum of products (a matrix product, a convolution): register tiles, blocks by cache, its epilogue on finished tiles.",
    kernels: &[GEMM.method, GEMM_CHANNELS, DIRECT_CONV.method],
    offers: Offers::Several(offer),
};

fn offer<'a>(start: &'a Schedule, target: &'a Target) -> Result<Offer<'a>, Declined> {
    let mut schedule = start.clone();
    let heavy = heavy_stage(&mut schedule)?;
    let (function, site) = schedule.site(heavy).ok_or_else(gone)?;
    let c = Contraction::of(function, &site)?;
    let constant_weights = is_constant(function, &c.a) && c.out.dtype.is_float();
    let mut offer = Offer::default();
    let Some(conv) = Convolution::of(&c, target) else {
        offer.add(DIRECT_CONV.method, Err(Declined::because("it is no convolution of known sizes")));
        offer.add(GEMM_CHANNELS, Err(Declined::because("it is no convolution of known sizes")));
        offer.add(GEMM.method, gemm(start, target));
        return Ok(offer);
    };
    let direct = direct_conv(start, target, &conv, &c);
    // A GEMM reads windows of strided convolutions from a padded image in memory.
    let padding = direct.as_ref().map_or(0.0, |direct| direct.padding);
    offer.add(DIRECT_CONV.method, direct.map(|direct| direct.candidate));
    let channels = match constant_weights {
        true => conv.gemm_channels().and_then(|cost| gemm_channels(start, target, &c, cost.with("pad image", padding))),
        false => Err(Declined::because("it is no convolution with constant weights")),
    };
    offer.add(GEMM_CHANNELS, channels);
    offer.add(GEMM.method, Ok(gemm_of_conv(start, target, conv.gemm().with("pad image", padding))));
    Ok(offer)
}

/// A direct convolution, and the cycles that a GEMM has to pay for the padded image.
struct Direct<'a> {
    candidate: Candidate<'a>,
    padding: f64,
}

fn direct_conv<'a>(
    start: &Schedule,
    target: &'a Target,
    conv: &Convolution<'_>,
    c: &Contraction,
) -> Result<Direct<'a>, Declined> {
    if !c.out.dtype.is_float() || c.out.dtype.bits < 32 || c.b_is_narrow() {
        return Err(Declined::because("it is no convolution of wide floats"));
    }
    let mut schedule = start.clone();
    cheap_temporaries(&mut schedule)?;
    let heavy = heavy_stage(&mut schedule)?;
    let (function, site) = schedule.site(heavy).ok_or_else(gone)?;
    let windows = Windows::of(function, &site)?;
    let (plan, cost) = channels::choose(&windows, target)?;
    // Images that are N of one GEMM, as those of a volume are, are images of their own here.
    let pixels = windows.height.saturating_mul(windows.width).max(1);
    let steps = conv.steps() * ceil_div(conv.pixels(), pixels).max(1) as f64;
    let slides = c.k.axes.iter().skip(1).any(|axis| axis.extent.as_int() != Some(1));
    let padding = channels::padding(&windows) * steps;
    let build = move || build_direct_conv(schedule, target, &plan, slides);
    Ok(Direct { candidate: Candidate::new(DIRECT_CONV.method, Some(cost.times(steps)), build), padding })
}

fn build_direct_conv(
    mut schedule: Schedule,
    target: &Target,
    plan: &DirectConvPlan,
    slides: bool,
) -> Result<Schedule, Declined> {
    let heavy = heavy_stage(&mut schedule)?;
    let mut after = stages_after(&mut schedule, heavy)?;
    schedule.build(&DIRECT_CONV, heavy, plan)?;
    // What is no epilogue on finished tiles is still there.
    after.retain(|stage| schedule.stmt(*stage).is_some());
    if !slides && !after.is_empty() {
        return Err(Declined::because(
            "windows of one pixel whose results are put elsewhere are a product as they lie",
        ));
    }
    for stage in after {
        attempt(&mut schedule, |schedule| fallback::stage(schedule, target, stage));
    }
    Ok(schedule)
}

/// The results become a temporary whose channels are neighbours in memory; a stage after the GEMM transposes them.
fn gemm_channels<'a>(
    start: &'a Schedule,
    target: &'a Target,
    c: &Contraction,
    cost: Cost,
) -> Result<Candidate<'a>, Declined> {
    let map = channels_innermost(c).ok_or_else(|| Declined::because("channels have no dimension of their own"))?;
    let out = c.out.clone();
    let build = move || {
        let mut schedule = start.clone();
        let heavy = heavy_stage(&mut schedule)?;
        let (function, _) = schedule.site(heavy).ok_or_else(gone)?;
        let root = function.root_block().ok_or_else(gone)?;
        if !root.alloc_buffers.contains(&out) {
            schedule.call(&CACHE_WRITE, vec![Arg::Rv(heavy), int(0), text("global")])?;
        }
        let none = Arg::Attr(Attr::None);
        let args = vec![Arg::Rv(heavy), int(0), Arg::Attr(Attr::IndexMap(map)), none, Arg::Attr(Attr::Bool(false))];
        schedule.call(&TRANSFORM_LAYOUT, args)?;
        for stage in stages_after(&mut schedule, heavy)? {
            if !attempt(&mut schedule, |schedule| Ok(schedule.on_block(&COMPUTE_INLINE, stage)?)) {
                fallback::stage(&mut schedule, target, stage)?;
            }
        }
        build_gemm(prepared(schedule, target)?, target)
    };
    Ok(Candidate::new(GEMM_CHANNELS, Some(cost), build))
}

/// The result's dimensions in another order: that of channels is the innermost one.
fn channels_innermost(c: &Contraction) -> Option<IndexMap> {
    let channels: Vec<Var> = c.m.axes.iter().map(|axis| axis.var.clone()).collect();
    let dims: Vec<Var> = (0..c.indices.len()).map(|at| Var::new(format!("i{at}"), DataType::I64)).collect();
    let of_channels = |at: &usize| c.indices.get(*at).is_some_and(|index| mentions(index, &channels));
    let (inner, outer): (Vec<usize>, Vec<usize>) = (0..dims.len()).partition(of_channels);
    let order = outer.iter().chain(&inner).filter_map(|&at| dims.get(at)).map(Expr::var).collect();
    if inner.is_empty() || outer.is_empty() { None } else { IndexMap::new(dims, order).ok() }
}

/// A GEMM, of the cost of its plan.
fn gemm<'a>(start: &Schedule, target: &'a Target) -> Result<Candidate<'a>, Declined> {
    let prepared = prepared(start.clone(), target)?;
    Ok(Candidate::new(GEMM.method, Some(prepared.cost.clone()), move || build_gemm(prepared, target)))
}

/// A convolution as a GEMM, of the cost by which it is compared with the other kernels.
fn gemm_of_conv<'a>(start: &'a Schedule, target: &'a Target, cost: Cost) -> Candidate<'a> {
    Candidate::new(GEMM.method, Some(cost), move || build_gemm(prepared(start.clone(), target)?, target))
}

/// A schedule whose contraction has a plan.
struct Prepared {
    schedule: Schedule,
    heavy: Rv,
    plan: GemmPlan,
    cost: Cost,
    /// Stages that choose between elements and something else, and those after the contraction.
    padded: Vec<Rv>,
    after: Vec<Rv>,
}

/// Computes what comes before and after the contraction where it is used, as far as that goes, and chooses a plan.
fn prepared(mut schedule: Schedule, target: &Target) -> Result<Prepared, Declined> {
    let heavy = heavy_stage(&mut schedule)?;
    let (mut padded, mut after, mut is_after) = (Vec::new(), Vec::new(), false);
    for stage in schedule.stages()? {
        if is_same(&schedule, stage, heavy) {
            is_after = true;
            continue;
        }
        if is_after {
            after.push(stage);
        }
        if is_choice(&schedule, stage) {
            padded.push(stage);
        } else {
            // What has to stay is refused by name by the GEMM itself.
            let _ = schedule.on_block(&COMPUTE_INLINE, stage);
        }
    }
    let (function, site) = schedule.site(heavy).ok_or_else(gone)?;
    let c = Contraction::of(function, &site)?;
    let constant = is_constant(function, &c.b);
    let has_costly_epilogue = computes_exponentials(function) && !c.needs_im2col();
    let batch = matrices(function, &site, &c);
    let of_codes = || packed_codes::choose(&c, batch, target);
    let (mut plan, cost) = match block_scaled::choose(&c, target).or_else(of_codes) {
        Some(chosen) => chosen,
        None => choose::choose(&c, batch, constant, target)?,
    };
    if has_costly_epilogue && c.m.size.as_int().is_none_or(|m| m > plan.mr) {
        plan.kc = even_blocks(plan.kc, plan.lanes, K_BLOCK);
    }
    Ok(Prepared { schedule, heavy, plan, cost, padded, after })
}

fn build_gemm(prepared: Prepared, target: &Target) -> Result<Schedule, Declined> {
    let Prepared { mut schedule, heavy, plan, padded, mut after, .. } = prepared;
    padded.into_iter().try_for_each(|stage| line_by_line(&mut schedule, stage))?;
    schedule.build(&GEMM, heavy, &plan)?;
    // What is no epilogue on finished tiles is still there.
    after.retain(|stage| schedule.stmt(*stage).is_some());
    for stage in after {
        attempt(&mut schedule, |schedule| fallback::stage(schedule, target, stage));
    }
    Ok(schedule)
}

/// Whether an epilogue follows whose many constants LLVM keeps in the registers of the accumulators, where there is but
/// one K block and it is sure to be computed.
fn computes_exponentials(function: &PrimFunc) -> bool {
    let mut found = false;
    walk(function, |e: &Expr| {
        found |= matches!(
            &e.kind,
            ExprKind::Call { intrinsic: Intrinsic::Exp | Intrinsic::Tanh | Intrinsic::Sigmoid | Intrinsic::Erf, .. }
        );
    });
    found
}

/// The last loop of a stage in vectors, those around it in parallel.
fn line_by_line(schedule: &mut Schedule, stage: Rv) -> Result<(), Declined> {
    let loops = schedule.loops_around(stage)?;
    let Some((&last, outer)) = loops.split_last() else { return Ok(()) };
    if !outer.is_empty() {
        let rows = schedule.fuse_all(outer)?;
        schedule.on_loop(&PARALLEL, rows)?;
    }
    schedule.on_loop(&VECTORIZE, last)?;
    Ok(())
}

/// Whether a stage chooses between elements and something else, as borders are made: the choice is made once for each
/// element, not wherever the element is used.
fn is_choice(schedule: &Schedule, stage: Rv) -> bool {
    let Some(stmt) = schedule.stmt(stage) else { return false };
    let StmtKind::Block { block, .. } = &stmt.kind else { return false };
    let StmtKind::Store { value, .. } = &block.body.kind else { return false };
    let chooses = matches!(&value.kind, ExprKind::Call { intrinsic: Intrinsic::IfThenElse, .. });
    chooses && block.reads.iter().all(|read| reads_argument(schedule, &read.buffer))
}

/// Whether a buffer is an argument of the function.
fn reads_argument(schedule: &Schedule, buffer: &Buffer) -> bool {
    let name = schedule.working_on().and_then(|name| schedule.module().prim(name));
    name.is_some_and(|function| function.params.iter().any(|param| param.buffer.as_ref() == Some(buffer)))
}

fn is_same(schedule: &Schedule, a: Rv, b: Rv) -> bool {
    matches!((schedule.stmt(a), schedule.stmt(b)), (Some(a), Some(b)) if a.same(&b))
}

fn stages_after(schedule: &mut Schedule, heavy: Rv) -> Result<Vec<Rv>, Declined> {
    let mut stages = schedule.stages()?;
    let at = stages.iter().position(|&stage| is_same(schedule, stage, heavy)).ok_or_else(gone)?;
    Ok(stages.split_off(at + 1))
}
