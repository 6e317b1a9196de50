//! `elementwise`: functions whose stages each compute every element of their result from elements of the arguments.
//!
//! A stage goes through memory in the order of its result. Loops that are contiguous in all tensors become one; the
//! innermost runs in vectors, those around it in parallel tasks of some microseconds. Temporaries that are computed
//! element by element are computed where they are read.

use tilewright_expr::node::walk;
use tilewright_ir::tir::{BinOp, Expr, ExprKind, Stmt, Var};
use tilewright_target::Target;

use super::accesses::PlainNest;
use super::stream::stream;
use super::{Declined, Offers, Rule, inline, transpose};
use crate::Schedule;
use crate::trace::Rv;

pub(super) const ELEMENTWISE: Rule = Rule {
    name: "elementwise",
    doc: "Stages without reductions: contiguous loops fused, the innermost in vectors, the others in parallel.",
    kernels: &["elementwise"],
    offers: Offers::One(apply),
};

/// Elements that are worth a loop of their own where they are read again and again: a vector of the widest.
const LEAST_PERIOD: i64 = 16;
fn apply(schedule: &mut Schedule, target: &Target) -> Result<(), Declined> {
    inline::cheap_temporaries(schedule)?;
    let stages = schedule.stages()?;
    let nests = stages.into_iter().map(|block| with_periods_split(schedule, block)).collect::<Result<Vec<_>, _>>()?;
    if nests.iter().any(|nest| !nest.is_spatial()) {
        return Err(Declined::because("a stage is a reduction"));
    }
    nests.iter().try_for_each(|nest| match transpose::crossed(nest, target) {
        Some(crossed) => transpose::in_squares(schedule, target, nest, crossed),
        None => stream(schedule, target, nest),
    })
}

/// Where elements are read again and again, `a[i % size]`, the loop becomes one over the repetitions and one over what
/// is repeated, along which neighbours are read.
fn with_periods_split(schedule: &mut Schedule, block: Rv) -> Result<PlainNest, Declined> {
    let nest = PlainNest::of(schedule, block)?;
    let mut periods: Vec<(Rv, i64, i64)> = Vec::new();
    for (at, l) in nest.loops.iter().enumerate() {
        let mut axes = nest.nest.block.iters.iter().zip(&nest.nest.values);
        let axis = axes.find(|(_, value)| value.as_var() == Some(&l.var));
        let (Some((axis, _)), Some(extent), Some(&rv)) = (axis, nest.extent(at), nest.rvs.get(at)) else { continue };
        let sizes = periods_of(&nest.nest.block.body, &axis.var);
        if let &[size] = sizes.as_slice()
            && (LEAST_PERIOD..extent).contains(&size)
            && extent % size == 0
        {
            periods.push((rv, extent / size, size));
        }
    }
    if periods.is_empty() {
        return Ok(nest);
    }
    for (rv, count, size) in periods {
        schedule.split_by(rv, &[Some(Expr::i64(count)), Some(Expr::i64(size))])?;
    }
    PlainNest::of(schedule, block)
}

/// After how many values of the axis loads read the same elements again: the sizes of `a[i % size]`, without those of
/// `a[i // size, i % size]`, which reads on.
fn periods_of(body: &Stmt, axis: &Var) -> Vec<i64> {
    let mut sizes: Vec<i64> = Vec::new();
    walk(body, |e: &Expr| {
        let ExprKind::Load { indices, .. } = &e.kind else { return };
        let (mut rests, mut wholes) = (Vec::new(), Vec::new());
        walk(indices, |part: &Expr| match &part.kind {
            ExprKind::Binary(BinOp::FloorMod | BinOp::Mod, a, b) if a.as_var() == Some(axis) => {
                rests.extend(b.as_int())
            }
            ExprKind::Binary(BinOp::FloorDiv | BinOp::Div, a, b) if a.as_var() == Some(axis) => {
                wholes.extend(b.as_int());
            }
            _ => {}
        });
        sizes.extend(rests.into_iter().filter(|size| !wholes.contains(size)));
    });
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}
