//! Loops over K, axis by axis: no index along K is divided to find the tap of a window that it is.

use tilewright_ir::tir::{BinOp, Expr, ForKind, Stmt, Var};

use super::cx::Gemm;
use crate::analysis::axes::Axis;
use crate::build::exprs::binary;
use crate::build::loops::looped;
use crate::families::contraction::is_one;
use crate::fault::Fault;
use crate::plan::cpu::gemm::{PackA, PackB};

/// Taps of the inner axes of K at most, between whose runs something may be prefetched. The windows of a volume of 3 x
/// 7 x 7 are among them.
const MAX_INNER_K: i64 = 160;

/// An index along a block of K.
pub(super) struct KIndex {
    /// From the block's start.
    pub(super) k: Expr,
    /// The values of the axes of K, where these have loops of their own.
    pub(super) axes: Option<Vec<(Var, Expr)>>,
}

impl KIndex {
    pub(super) const fn flat(k: Expr) -> Self {
        Self { k, axes: None }
    }
}

/// Loops over the axes of K.
pub(super) struct KNest {
    /// The loop over the outermost axis, and its iterations in the block.
    pub(super) outer: Var,
    pub(super) outer_count: Expr,
    /// The others, from outside inwards, and their extents.
    inner: Vec<(Var, Expr)>,
    /// The index along the block.
    pub(super) k: Expr,
    /// The values of the axes of K.
    pub(super) axes: Vec<(Var, Expr)>,
}

impl KNest {
    /// The loops over the inner axes.
    pub(super) fn inner_loops(&self, stmt: Stmt, innermost: impl Fn(&Expr) -> ForKind) -> Stmt {
        let loops = self.inner.iter().rev().enumerate();
        loops.fold(stmt, |body, (at, (var, extent))| {
            let kind = if at == 0 { innermost(extent) } else { ForKind::Serial };
            looped(var, extent, kind, body)
        })
    }
}

impl Gemm<'_> {
    /// Loops over `count` indices along these axes, those of K, from `start` on. Both are multiples of `inner`, the
    /// product of the inner extents.
    pub(super) fn k_nest(&self, of: &[Axis], start: &Expr, count: &Expr, inner: i64) -> Result<KNest, Fault> {
        let mut loops: Vec<(Var, Expr)> = of.iter().map(|axis| (axis.var.renewed(), axis.extent.clone())).collect();
        let (mut k, mut axes) = (self.int(0), Vec::new());
        for (at, (axis, (var, extent))) in of.iter().zip(&loops).enumerate() {
            let own = if at > 0 && is_one(extent) { self.int(0) } else { Expr::var(var) };
            k = self.simple(&(&binary(BinOp::Mul, &k, extent)? + &own));
            let start = if at == 0 { self.floor_div(start, inner)? } else { self.int(0) };
            axes.push((axis.var.clone(), &start + &own));
        }
        if loops.is_empty() {
            return Err(Fault::of_call("K has no axis"));
        }
        let (outer, _) = loops.remove(0);
        loops.retain(|(_, extent)| !is_one(extent));
        Ok(KNest { outer, outer_count: self.floor_div(count, inner)?, inner: loops, k, axes })
    }

    /// The product of the inner extents of K, where micro-kernels loop over K axis by axis: A, or a B of overlapping
    /// windows, is read in place, and K blocks are multiples of it.
    pub(super) fn inner_k(&self) -> Option<i64> {
        let t = self.plan;
        let in_windows = match t.pack_b {
            PackB::InPlace => self.windows_overlap(),
            PackB::Ahead | PackB::PerTask => t.pack_a == PackA::InPlace,
        };
        let inner: i64 = self.c.k.axes.iter().skip(1).map(|axis| axis.extent.as_int()).product::<Option<i64>>()?;
        let single = self.c.k.size.as_int().is_some_and(|k| k <= t.kc);
        let whole = (2..=MAX_INNER_K).contains(&inner) && (t.kc % inner == 0 || single);
        (in_windows && self.grouping.is_none() && whole).then_some(inner)
    }
}
