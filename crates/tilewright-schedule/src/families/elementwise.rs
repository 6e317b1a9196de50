//! Elementwise stages: every element of the result is computed from elements of the arguments, without a reduction.

use tilewright_expr::node::walk;
use tilewright_ir::tir::{BinOp, Expr, ExprKind, Stmt, Var};

use crate::analysis::loop_nest::LoopNest;
use crate::fault::Fault;

/// Elements that are worth a loop of their own where they are read again and again: a vector of the widest.
const MIN_PERIOD: i64 = 16;

/// A stage of an elementwise function.
#[derive(Clone, Debug)]
pub(crate) struct Elementwise {
    pub(crate) periods: Vec<Period>,
}

/// A loop along which loads read the same `size` elements again and again, `a[i % size]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Period {
    /// The loop, by its number in the nest.
    pub(crate) at: usize,
    /// Repetitions.
    pub(crate) count: i64,
    pub(crate) size: i64,
}

impl Elementwise {
    /// The nest as an elementwise stage.
    pub(crate) fn of(nest: &LoopNest) -> Result<Self, Fault> {
        if !nest.is_spatial() {
            return Err(Fault::of_call("a stage is a reduction"));
        }
        Ok(Self { periods: (0..nest.loops.len()).filter_map(|at| period(nest, at)).collect() })
    }
}

/// The period of a loop, if it has one.
fn period(nest: &LoopNest, at: usize) -> Option<Period> {
    let (axis, extent) = (nest.axis_of(at)?, nest.extent(at)?);
    match periods_of(&nest.nest.block.body, &axis.var).as_slice() {
        &[size] if (MIN_PERIOD..extent).contains(&size) && extent % size == 0 => {
            Some(Period { at, count: extent / size, size })
        }
        _ => None,
    }
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
