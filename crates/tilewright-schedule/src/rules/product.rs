//! `product`: functions whose heavy stage sums products, with what comes before computed where it is read and what follows
//! computed on finished tiles. How large tiles, steps and tasks are, says [`super::tiling`].

use tilewright_expr::node::walk;
use tilewright_ir::tir::{Buffer, Expr, ExprKind, Intrinsic, IterKind, PrimFunc, StmtKind};
use tilewright_target::Target;

use super::accesses::gone;
use super::depths::{STEP, steps};
use super::fallback::{self, attempt};
use super::tiling::tiling;
use super::{Declined, Rule};
use crate::Schedule;
use crate::families::contraction::outputs::matrices;
use crate::families::contraction::{Contraction, is_constant};
use crate::kernels::cpu::gemm::GEMM;
use crate::primitive::{COMPUTE_INLINE, PARALLEL, VECTORIZE};
use crate::trace::Rv;

pub(super) const PRODUCT: Rule = Rule {
    name: "product",
    doc: "A sum of products (a matrix product, a convolution): register tiles, blocks by cache, what follows on finished tiles.",
    apply,
};

fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    let heavy = heavy_stage(schedule)?;
    let (mut padded, mut behind, mut is_behind) = (Vec::new(), Vec::new(), false);
    for stage in schedule.stages()? {
        if is_same(schedule, stage, heavy) {
            is_behind = true;
            continue;
        }
        if is_behind {
            behind.push(stage);
        }
        if is_choice(schedule, stage) {
            padded.push(stage);
        } else {
            // What has to stay is refused by name by the product itself.
            let _ = schedule.on_block(&COMPUTE_INLINE, stage);
        }
    }
    let (function, site) = schedule.site(heavy).ok_or_else(gone)?;
    let contraction = Contraction::of(function, &site).map_err(|fault| Declined::because(fault.message))?;
    let constant = is_constant(function, &contraction.b);
    let crowded = computes_exponentials(function) && !contraction.needs_im2col();
    let batch = matrices(function, &site, &contraction);
    let mut tiling = tiling(&contraction, batch, constant, target)?;
    if crowded && contraction.m.size.as_int().is_none_or(|rows| rows > tiling.mr) {
        tiling.kc = steps(tiling.kc, tiling.lanes, STEP);
    }
    padded.into_iter().try_for_each(|stage| line_by_line(schedule, stage))?;
    schedule.build(&GEMM, heavy, &tiling)?;
    // What is not computed on finished tiles is still there.
    behind.retain(|stage| schedule.stmt(*stage).is_some());
    for stage in behind {
        attempt(schedule, |schedule| fallback::stage(schedule, target, stage));
    }
    Ok(())
}

/// Whether something follows whose many constants LLVM keeps in the registers of the sums, where there is but one step and
/// it is sure to be computed.
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
    chooses && block.reads.iter().all(|read| schedule_reads_argument(schedule, &read.buffer))
}

/// Whether a buffer is an argument of the function.
fn schedule_reads_argument(schedule: &Schedule, buffer: &Buffer) -> bool {
    let name = schedule.working_on().and_then(|name| schedule.module().prim(name));
    name.is_some_and(|function| function.params.iter().any(|param| param.buffer.as_ref() == Some(buffer)))
}

pub(super) fn is_same(schedule: &Schedule, a: Rv, b: Rv) -> bool {
    matches!((schedule.stmt(a), schedule.stmt(b)), (Some(a), Some(b)) if a.same(&b))
}

/// The only stage that reduces.
pub(super) fn heavy_stage(schedule: &mut Schedule) -> Result<Rv, Declined> {
    let mut found = None;
    for stage in schedule.stages()? {
        let stmt = schedule.stmt(stage).ok_or_else(gone)?;
        let StmtKind::Block { block, .. } = &stmt.kind else { continue };
        if block.iters.iter().any(|iter| iter.kind != IterKind::Spatial) && found.replace(stage).is_some() {
            return Err(Declined::because("several stages reduce"));
        }
    }
    found.ok_or_else(|| Declined::because("no stage reduces"))
}
