//! Row reductions: each row of a tensor is reduced to a few numbers, and a result is made from these.
//!
//! ```text
//! total[0][row] = reduction over k of term[0](row, k)
//! total[1][row] = reduction over k of term[1](row, k, total[0])
//! out[row, k]   = value(row, k, totals)                 softmax, norms                    (Map::Elements)
//! out[row]      = least k where term == total[0]        argmax, argmin                    (Map::Index)
//! ```
//!
//! Reading order: [`RowProgram`], `recognise` (from TensorIR), `axes` and `layout` (which axes are rows, and how they
//! lie in memory), `argreduce`, `monoid` (reductions as algebra, so that parts of a row can be merged).

mod argreduce;
pub(crate) mod axes;
mod layout;
pub(crate) mod monoid;
mod recognise;

use tilewright_expr::node::walk;
use tilewright_ir::tir::{Buffer, Expr, ExprKind, Intrinsic, Var};

use crate::analysis::axes::{Axis, Group};
use crate::analysis::size::size;
use crate::fault::Fault;

/// Operations of a term at most, as [`size`] counts them: a walk works it out more than once.
pub(crate) const MAX_TERM_COST: usize = 16;

/// A row reduction and what is made of it. All numbers but those of argreduce are float32.
#[derive(Clone, Debug)]
pub(crate) struct RowProgram {
    /// The axes that name a row, without those of `side_by_side`; extents as 64 bits.
    pub(crate) rows: Group,
    /// Rows whose neighbours are neighbours in memory; `None` where the elements of a row are.
    pub(crate) side_by_side: Option<Group>,
    pub(crate) reduced: ReducedAxes,
    /// In the order in which they depend on each other.
    pub(crate) reductions: Vec<Reduction>,
    pub(crate) out: Buffer,
    pub(crate) indices: Vec<Expr>,
    pub(crate) map: Map,
}

/// The reduced axes, from the one that goes furthest in memory on. One alone may have a symbolic extent.
#[derive(Clone, Debug)]
pub(crate) struct ReducedAxes {
    /// Axes around `inner`, of constant extents.
    pub(crate) outer: Group,
    /// The last axes, along which all that is read and written is contiguous (unless rows are side by side).
    pub(crate) inner: Group,
    /// All of them, where what the terms read is contiguous along all.
    pub(crate) whole: Option<Group>,
}

#[derive(Clone, Debug)]
pub(crate) struct Reduction {
    pub(crate) fold: Fold,
    /// What is reduced.
    pub(crate) term: Formula,
    /// The name of the reduced number in formulas.
    pub(crate) total: Var,
    /// The length of the longest chain of reductions that it depends on.
    pub(crate) depth: usize,
    /// The name of the term in the map, where that reads it.
    pub(crate) kept: Option<Var>,
}

/// An associative operation and its identity.
#[derive(Clone, Debug)]
pub(crate) struct Fold {
    pub(crate) op: Combine,
    pub(crate) identity: Expr,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Combine {
    Add,
    /// The greater float; NaN among those that come is passed over.
    Greater,
    /// As the semantics of the IR has them: NaN wins.
    Max,
    Min,
}

/// A formula of one element of a row.
#[derive(Clone, Debug)]
pub(crate) struct Formula {
    pub(crate) value: Expr,
    /// What is worked out once for a row, from the totals, by its name in `value`.
    pub(crate) of_row: Vec<(Var, Expr)>,
}

#[derive(Clone, Debug)]
pub(crate) enum Map {
    /// An element of the result for each element of the row.
    Elements(Formula),
    /// The least index of the row's extreme, and more than any index.
    Index { index: Expr, none_found: Expr },
}

impl RowProgram {
    /// The only reduced axis.
    pub(crate) fn column(&self) -> Result<&Axis, Fault> {
        match (self.reduced.outer.axes.as_slice(), self.reduced.inner.axes.as_slice()) {
            ([], [column]) => Ok(column),
            _ => Err(fault("rows have several axes")),
        }
    }

    /// Rows between the first reductions and the result: how many reductions follow from each other.
    pub(crate) fn depth(&self) -> usize {
        self.reductions.iter().map(|reduction| reduction.depth + 1).max().unwrap_or(0)
    }

    /// The reduction whose terms the map reads again.
    pub(crate) fn kept(&self) -> Option<(&Reduction, &Var)> {
        self.reductions.iter().find_map(|reduction| reduction.kept.as_ref().map(|kept| (reduction, kept)))
    }

    /// The result's formula, unless it is an index.
    pub(crate) fn elements(&self) -> Result<&Formula, Fault> {
        match &self.map {
            Map::Elements(value) => Ok(value),
            Map::Index { .. } => Err(fault("the result is an index in a row")),
        }
    }

    /// Refuses rows that lie side by side.
    pub(crate) fn contiguous(&self) -> Result<(), Fault> {
        match self.side_by_side {
            None => Ok(()),
            Some(_) => Err(fault("columns do not lie together in memory")),
        }
    }

    /// Whether the reductions are the maximum and the sum of exponentials of a softmax.
    pub(crate) fn is_softmax(&self) -> bool {
        self.reductions.iter().any(|reduction| reduction.fold.op == Combine::Greater)
    }

    /// Refuses sums of terms that cost too much to work them out again.
    pub(crate) fn check_cost(&self, reductions: &[Reduction]) -> Result<(), Fault> {
        match !self.is_softmax() && reductions.iter().any(|reduction| size(&reduction.term.value).1 > MAX_TERM_COST) {
            true => Err(fault("the terms of a sum cost much")),
            false => Ok(()),
        }
    }

    /// All that is read for a row.
    pub(crate) fn formulas(&self) -> Vec<Expr> {
        let terms = self.reductions.iter().map(|reduction| reduction.term.value.clone());
        let value = match &self.map {
            Map::Elements(value) => Some(value.value.clone()),
            Map::Index { .. } => None,
        };
        terms.chain(value).collect()
    }
}

fn fault(message: &str) -> Fault {
    Fault::of_call(message)
}

/// Whether more than arithmetic is in a formula that is worked out more than once.
pub(super) fn is_costly(value: &Expr) -> bool {
    let mut found = false;
    walk(value, |e: &Expr| {
        found |= match &e.kind {
            ExprKind::Call { intrinsic, .. } => *intrinsic != Intrinsic::IfThenElse,
            ExprKind::Let { .. } => true,
            _ => false,
        };
    });
    found
}
