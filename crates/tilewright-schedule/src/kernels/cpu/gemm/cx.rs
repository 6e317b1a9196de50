//! What all files of the GEMM share: the contraction with its plan, blocks of M, N and K, and elements of A and B.

use std::ops::Deref;

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ExprKind, Intrinsic, Stmt, Var};

use super::block_scaled::ScaledGroups;
use crate::analysis::axes::{Axis, Group};
use crate::analysis::epilogue::Outputs;
use crate::build::exprs::{compare, mentions, mentions_var, substituted, typed};
use crate::families::contraction::Contraction;
use crate::families::contraction::dot_groups::Grouping;
use crate::fault::Fault;
use crate::kernels::cx::IndexCx;
use crate::plan::cpu::gemm::GemmPlan;
use crate::primitive::vectorize_transpose::is_along;

/// Statements and the temporaries that they need.
pub(super) struct Made {
    pub(super) body: Stmt,
    pub(super) temporaries: Vec<Buffer>,
}

/// A packed operand, and the statement that packs it.
pub(super) struct Packed {
    pub(super) buffer: Buffer,
    pub(super) stmt: Stmt,
}

impl Packed {
    /// The buffer, which becomes one of `own`; the statement becomes one of `stmts`.
    pub(super) fn kept_in(self, own: &mut Vec<Buffer>, stmts: &mut Vec<Stmt>) -> Buffer {
        own.push(self.buffer.clone());
        stmts.push(self.stmt);
        self.buffer
    }
}

pub(super) struct Gemm<'a> {
    pub(super) c: &'a Contraction,
    pub(super) plan: &'a GemmPlan,
    pub(super) outputs: &'a Outputs,
    /// The groups that dot-product instructions multiply and sum.
    pub(super) grouping: Option<Grouping>,
    /// The groups of K that have scales of their own, where operands are integers with such.
    pub(super) scaled_groups: Option<ScaledGroups<'a>>,
    /// The element of B that is packed: where B only converts something to a wider type, that.
    pub(super) narrow_b: &'a Expr,
    pub(super) cx: IndexCx,
    /// Elements of a cache line of A, where A is prefetched; see `prefetch_a`.
    pub(super) prefetched_a: Option<i64>,
}

impl Deref for Gemm<'_> {
    type Target = IndexCx;

    fn deref(&self) -> &IndexCx {
        &self.cx
    }
}

/// The block of M and N of a task, and its index in the batch.
pub(super) struct Task {
    /// The values of the batch's axes.
    pub(super) batch: Vec<(Var, Expr)>,
    pub(super) m_start: Expr,
    pub(super) m_count: Expr,
    pub(super) panel_start: Expr,
    pub(super) panels: Expr,
}

/// A block of K.
pub(super) struct KBlock {
    pub(super) number: Expr,
    pub(super) start: Expr,
    pub(super) count: Expr,
    /// Whether it is the last one.
    pub(super) is_last: Expr,
}

impl KBlock {
    /// Whether there is no other one.
    pub(super) fn is_only(&self) -> bool {
        self.number.as_int().is_some()
    }
}

impl Gemm<'_> {
    /// All panels of B.
    pub(super) fn panels(&self) -> Result<Expr, Fault> {
        self.ceil_div(&self.c.n.size, self.plan.panel())
    }

    /// Whether the last panel may have a tail: fewer columns than NR.
    pub(super) fn has_n_tail(&self) -> Result<bool, Fault> {
        Ok(!self.divides(self.plan.panel(), &self.c.n.size)?)
    }

    /// The number of K blocks, one where K is 0: it clears the sums.
    pub(super) fn k_blocks(&self) -> Result<Expr, Fault> {
        self.max(&self.ceil_div(&self.c.k.size, self.plan.kc)?, &self.int(1))
    }

    /// The longest block of K, as far as sizes are constant.
    pub(super) fn longest_k_block(&self) -> i64 {
        self.c.k.size.as_int().unwrap_or(self.plan.kc).min(self.plan.kc)
    }

    /// The element of A at `m` and `k`.
    pub(super) fn a(&self, task: &Task, m: &Expr, k: &Expr) -> Result<Expr, Fault> {
        let mut values = self.c.m.values(&self.known, m)?;
        values.extend(self.c.k.values(&self.known, k)?);
        values.extend(task.batch.iter().cloned());
        Ok(substituted(&self.c.a, &values))
    }

    /// The element of B that is packed at `n` and `k`; zero in the tail of N.
    pub(super) fn b(&self, batch: &[(Var, Expr)], n: &Expr, k: &Expr) -> Result<Expr, Fault> {
        self.b_at_axes(batch, n, self.c.k.values(&self.known, k)?)
    }

    /// The same at values of the axes of K.
    pub(super) fn b_at_axes(&self, batch: &[(Var, Expr)], n: &Expr, k: Vec<(Var, Expr)>) -> Result<Expr, Fault> {
        let mut values = self.c.n.values(&self.known, n)?;
        values.extend(k);
        values.extend(batch.iter().cloned());
        let value = substituted(self.narrow_b, &values);
        if !self.has_n_tail()? {
            return Ok(value);
        }
        let inside = compare(CmpOp::Lt, n, &self.c.n.size)?;
        typed(Expr::call(Intrinsic::IfThenElse, &[inside, value.clone(), Expr::number(0, value.dtype)]))
    }

    /// A packed element of B in the type in which it is multiplied.
    pub(super) fn widened(&self, element: &Expr) -> Result<Expr, Fault> {
        if self.grouping.is_some() {
            return Ok(element.clone());
        }
        typed(element.cast(self.c.b.dtype))
    }

    /// The axes of the batch that B depends on.
    pub(super) fn batch_of_b(&self) -> Vec<Axis> {
        let depends = |axis: &&Axis| mentions_var(&self.c.b, &axis.var);
        self.c.batch.axes.iter().filter(depends).cloned().collect()
    }

    /// Whether B is contiguous along N.
    pub(super) fn b_is_contiguous_along_n(&self) -> Result<bool, Fault> {
        let ExprKind::Load { indices, .. } = &self.narrow_b.kind else { return Ok(true) };
        let n = self.var("n");
        let values = self.c.n.values(&self.known, &Expr::var(&n))?;
        let indices: Vec<Expr> = indices.iter().map(|index| substituted(index, &values)).collect();
        Ok(is_along(&self.known, &indices, &n))
    }

    /// Whether windows of neighbouring columns of B overlap: a panel reads in part what the one before it has read.
    pub(super) fn windows_overlap(&self) -> bool {
        let vars = |group: &Group| group.axes.iter().map(|axis| axis.var.clone()).collect::<Vec<_>>();
        let (n, k) = (vars(&self.c.n), vars(&self.c.k));
        let ExprKind::Load { indices, .. } = &self.narrow_b.kind else { return false };
        indices.iter().any(|index| mentions(index, &n) && mentions(index, &k))
    }

    /// The product of two sizes.
    pub(super) fn product(&self, a: &Expr, b: &Expr) -> Result<Expr, Fault> {
        self.binary(BinOp::Mul, a, b)
    }
}
