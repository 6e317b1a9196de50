//! What all files of the GEMM share: the contraction with its plan, where a task and a K block are, and arithmetic of sizes.

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{BinOp, Buffer, Expr, Stmt, Var};

use crate::facts::epilogue::Outputs;
use crate::facts::exprs::binary;
use crate::facts::fault::Fault;
use crate::families::contraction::Contraction;
use crate::families::contraction::dot_groups::Grouping;
use crate::plan::cpu::gemm::GemmPlan;

/// Statements and the memory that they need.
pub(super) struct Made {
    pub(super) body: Stmt,
    pub(super) temporaries: Vec<Buffer>,
}

/// What the loops are made from.
pub(super) struct Gemm<'a> {
    pub(super) c: &'a Contraction,
    pub(super) plan: &'a GemmPlan,
    pub(super) outputs: &'a Outputs,
    /// How elements are grouped that one instruction multiplies and sums.
    pub(super) grouping: Option<Grouping>,
    /// What copies have of the factor of the columns: where this only widens something, that.
    pub(super) columns: &'a Expr,
    pub(super) known: Analyzer,
    /// See [`prefetched_a`].
    pub(super) prefetched_a: Option<i64>,
}

/// Where a task is: its rows and columns, and the batch.
pub(super) struct Task {
    /// The values of the batch's axes.
    pub(super) batch: Vec<(Var, Expr)>,
    /// The first row, and how many there are.
    pub(super) row: Expr,
    pub(super) rows: Expr,
    /// The first panel, and how many there are.
    pub(super) panel: Expr,
    pub(super) panels: Expr,
}

/// The part of the depth that a step sums up: its number, its first place, and how many there are.
#[derive(Clone)]
pub(super) struct KBlock {
    pub(super) number: Expr,
    pub(super) start: Expr,
    pub(super) depth: Expr,
}

impl Gemm<'_> {
    pub(super) fn int(&self, value: i64) -> Expr {
        Expr::int(value, self.c.index)
    }

    pub(super) fn simple(&self, expr: &Expr) -> Expr {
        self.known.simplify(expr)
    }

    pub(super) fn floor_div(&self, a: &Expr, by: i64) -> Result<Expr, Fault> {
        Ok(self.simple(&binary(BinOp::FloorDiv, a, &self.int(by))?))
    }

    pub(super) fn floor_mod(&self, a: &Expr, by: i64) -> Result<Expr, Fault> {
        Ok(self.simple(&binary(BinOp::FloorMod, a, &self.int(by))?))
    }

    pub(super) fn ceil_div(&self, a: &Expr, by: i64) -> Result<Expr, Fault> {
        self.floor_div(&(a + (by - 1)), by)
    }

    /// The lesser of two sizes, where it is not clear which it is.
    pub(super) fn least(&self, a: &Expr, b: &Expr) -> Result<Expr, Fault> {
        Ok(self.simple(&binary(BinOp::Min, a, b)?))
    }

    pub(super) fn var(&self, name: &str) -> Var {
        Var::new(name, self.c.index)
    }

    /// All panels.
    pub(super) fn panels(&self) -> Result<Expr, Fault> {
        self.ceil_div(&self.c.n.size, self.plan.panel())
    }

    /// Whether the last panel may have fewer columns than the others.
    pub(super) fn is_ragged(&self) -> Result<bool, Fault> {
        Ok(self.floor_mod(&self.c.n.size, self.plan.panel())?.as_int() != Some(0))
    }

    /// How many steps there are. Where sums are cleared whatever the depth, there is one that does so.
    pub(super) fn steps(&self) -> Result<Expr, Fault> {
        let steps = self.ceil_div(&self.c.k.size, self.plan.kc)?;
        if self.c.cleared.is_none() {
            return Ok(steps);
        }
        Ok(self.simple(&binary(BinOp::Max, &steps, &self.int(1))?))
    }
}
