//! `product`: functions whose heavy stage sums products, with what comes before computed where it is read and what follows
//! computed on finished tiles. How large tiles, steps and tasks are, says [`super::tiling`].

use tilewright_expr::node::walk;
use tilewright_ir::Attr;
use tilewright_ir::tir::{Buffer, Expr, ExprKind, Intrinsic, IterKind, PrimFunc, StmtKind};
use tilewright_target::Target;

use super::accesses::gone;
use super::calls::{int, text};
use super::depths::{STEP, steps};
use super::fallback::{self, attempt};
use super::tiling::tiling;
use super::{Declined, Rule};
use crate::Schedule;
use crate::primitive::tile_product::{Contraction, Narrow, is_constant, matrices};
use crate::trace::{Arg, Rv};

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
            let _ = schedule.on_block("compute_inline", stage);
        }
    }
    let (function, site) = schedule.site(heavy).ok_or_else(gone)?;
    let contraction = Contraction::of(function, &site).map_err(|fault| Declined::because(fault.message))?;
    let constant = is_constant(function, &contraction.of_columns);
    let crowded = computes_exponentials(function) && !contraction.has_lines();
    let batch = matrices(function, &site, &contraction);
    let mut tiling = tiling(&contraction, batch, constant, target)?;
    if crowded && contraction.rows.size.as_int().is_none_or(|rows| rows > tiling.rows) {
        tiling.depth = steps(tiling.depth, tiling.lanes, STEP);
    }
    padded.into_iter().try_for_each(|stage| line_by_line(schedule, stage))?;
    let sizes = [tiling.rows, tiling.vectors, tiling.lanes, tiling.depth, tiling.row_block, tiling.column_block];
    let args = std::iter::once(Arg::Rv(heavy))
        .chain(sizes.map(int))
        .chain([text(tiling.pack_rows.name()), text(tiling.pack_columns.name())])
        .chain([Narrow::Grouped, Narrow::WidenedInPanels].map(|way| Arg::Attr(Attr::Bool(tiling.narrow == way))))
        .chain([tiling.outer_steps, tiling.ask_near].map(|flag| Arg::Attr(Attr::Bool(flag))))
        .collect();
    schedule.apply_named("tile_product", args)?;
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
        schedule.on_loop("parallel", rows)?;
    }
    schedule.on_loop("vectorize", last)?;
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
