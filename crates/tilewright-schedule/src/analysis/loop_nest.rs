//! A nest of loops around a block, and how it goes through memory: how far apart the elements are that neighbouring
//! iterations of each loop touch.

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_ir::nest::{Loop, Nest};
use tilewright_ir::tir::{
    BinOp, Buffer, CmpOp, Expr, ExprKind, ForKind, Intrinsic, IterKind, IterVar, PrimFunc, Range, Stmt, StmtKind, Var,
};

use crate::analysis::guard::known_around;
use crate::analysis::size::operations;
use crate::analysis::stride::{Stride, stride};
use crate::build::exprs::{mentions, substituted};
use crate::fault::Fault;
use crate::site::{Site, axis_values};

/// The elements of a buffer that one load or store touches.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) buffer: Buffer,
    /// Of each loop of the nest.
    pub(crate) strides: Vec<Stride>,
}

/// A block in a plain nest: every loop is serial and drives axes of one sort, bounds do not depend on each other, and
/// there is no condition.
#[derive(Debug)]
pub(crate) struct LoopNest {
    pub(crate) loops: Vec<Loop>,
    /// What each loop drives.
    pub(crate) kinds: Vec<IterKind>,
    pub(crate) reads: Vec<Access>,
    pub(crate) writes: Vec<Access>,
    pub(crate) cost: Cost,
    /// Loops that a condition in the block varies with.
    pub(crate) decides: Vec<bool>,
    /// Those of them on which such conditions are bounds, and which each of these conditions varies with alone: the
    /// loop's iterations are parts in which all conditions are decided.
    pub(crate) cuts: Vec<bool>,
    pub(crate) nest: Nest,
    known: Analyzer,
}

/// What an iteration of the innermost loop costs, roughly.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    pub(crate) bytes: u64,
    pub(crate) operations: u64,
}

impl LoopNest {
    /// The nest of the block at the site, and of so many loops around it.
    pub(crate) fn of(function: &PrimFunc, site: &Site, loops: usize) -> Result<Self, Fault> {
        let depth = site.above.len().saturating_sub(loops);
        let outer = site.above.get(depth).map_or(&site.stmt, |(stmt, _)| stmt);
        let nest = Nest::of(outer).ok_or_else(|| Fault::of_call("a stage is no nest of loops around one block"))?;
        let around = Site { above: site.above.get(..depth).unwrap_or_default().to_vec(), stmt: outer.clone() };
        let mut known = known_around(function, &around);
        let kinds = kinds(&nest)?;
        for l in &nest.loops {
            known.bind(&l.var, &Range::new(l.min.clone(), l.extent.clone()));
        }
        let values = axis_values(&nest.block, &nest.values);
        let body = substituted(&nest.block.body, &values);
        let vars: Vec<Var> = nest.loops.iter().map(|l| l.var.clone()).collect();
        let (reads, writes) = accesses(&known, &vars, &body);
        let cost = cost_of(&body);
        let conditions = conditions(&body);
        let decides =
            vars.iter().map(|var| conditions.iter().any(|c| mentions(c, std::slice::from_ref(var)))).collect();
        let cuts = vars.iter().map(|var| cuts(&known, &conditions, &vars, var)).collect();
        let loops = nest.loops.clone();
        Ok(Self { loops, kinds, reads, writes, cost, decides, cuts, nest, known })
    }

    pub(crate) fn accesses(&self) -> impl Iterator<Item = &Access> {
        self.reads.iter().chain(&self.writes)
    }

    pub(crate) fn is_spatial(&self) -> bool {
        self.nest.block.init.is_none() && self.kinds.iter().all(|kind| *kind == IterKind::Spatial)
    }

    /// Whether the loop drives axes of a reduction.
    pub(crate) fn reduces(&self, at: usize) -> bool {
        self.kinds.get(at) == Some(&IterKind::Reduce)
    }

    pub(crate) fn all_loops(&self) -> Vec<usize> {
        (0..self.loops.len()).collect()
    }

    /// The loops that drive axes of this sort, from outside inwards.
    pub(crate) fn loops_of(&self, kind: IterKind) -> Vec<usize> {
        (0..self.loops.len()).filter(|&at| self.kinds.get(at) == Some(&kind)).collect()
    }

    /// The loops that drive axes of a reduction, and the others.
    pub(crate) fn reduced_and_others(&self) -> (Vec<usize>, Vec<usize>) {
        (0..self.loops.len()).partition(|&at| self.reduces(at))
    }

    /// The axis that has the loop's own value, if there is one.
    pub(crate) fn axis_of(&self, at: usize) -> Option<&IterVar> {
        let var = &self.loops.get(at)?.var;
        let mut axes = self.nest.block.iters.iter().zip(&self.nest.values);
        axes.find(|(_, value)| value.as_var() == Some(var)).map(|(axis, _)| axis)
    }

    pub(crate) fn extent(&self, at: usize) -> Option<i64> {
        self.loops.get(at)?.extent.as_int()
    }

    fn is_unit(&self, at: usize) -> bool {
        self.extent(at) == Some(1)
    }

    /// How far an access goes with a loop, where that is a constant.
    pub(crate) fn step(&self, access: &Access, at: usize) -> Option<i64> {
        let stride = access.strides.get(at)?.as_ref()?;
        if self.is_unit(at) { Some(0) } else { stride.as_int() }
    }

    /// The innermost loop along which the result lies in memory element by element.
    pub(crate) fn along_result(&self) -> Option<usize> {
        let write = self.writes.first()?;
        (0..self.loops.len()).rev().find(|&at| self.step(write, at) == Some(1))
    }

    /// The innermost loop along which what is read lies in memory element by element, by the first read of which there
    /// is such a loop.
    pub(crate) fn along_reads(&self) -> Option<usize> {
        let along = |read: &Access| (0..self.loops.len()).rev().find(|&at| self.step(read, at) == Some(1));
        let temporaries = |read: &&Access| self.writes.iter().all(|write| write.buffer != read.buffer);
        self.reads.iter().filter(temporaries).find_map(along)
    }

    /// How many of the loops, from the last on, go through memory as one, without conditions that vary with them. A
    /// loop of unknown length is the first of them: the iterations of a fused one would be divided by that, each for
    /// itself.
    pub(crate) fn contiguous(&self, order: &[usize]) -> usize {
        let decides = |at: usize| self.decides.get(at).copied().unwrap_or(false);
        // A loop of one iteration is part of what is around it: the loops around and inside it are neighbours.
        let Some(mut inner) = order.last().copied() else { return 0 };
        let joins = |&&outer: &&usize| {
            let joins = !decides(outer) && !decides(inner) && self.same_sort(outer, inner);
            let is_known = self.is_unit(outer) || self.extent(inner).is_some();
            let joins = joins && is_known && self.is_contiguous(outer, inner);
            if joins && !self.is_unit(outer) {
                inner = outer;
            }
            joins
        };
        1 + order.iter().rev().skip(1).take_while(joins).count()
    }

    fn same_sort(&self, a: usize, b: usize) -> bool {
        self.kinds.get(a) == self.kinds.get(b)
    }

    /// Whether the two loops, the outer one first, go through memory as one loop over both does.
    pub(crate) fn is_contiguous(&self, outer: usize, inner: usize) -> bool {
        if self.is_unit(outer) {
            return true;
        }
        let Some(extent) = self.loops.get(inner).map(|l| l.extent.clone()) else { return false };
        self.accesses().all(|access| {
            let (Some(Some(a)), Some(Some(b))) = (access.strides.get(outer), access.strides.get(inner)) else {
                return false;
            };
            if self.is_unit(inner) {
                return true;
            }
            let product = Expr::binary(BinOp::Mul, b, &extent);
            product.is_ok_and(|product| self.known.prove_equal(a, &product))
        })
    }

    /// The iterations of some loops, where their number is a constant.
    pub(crate) fn iterations(&self, loops: &[usize]) -> Option<i64> {
        loops.iter().try_fold(1i64, |product, &at| product.checked_mul(self.extent(at)?))
    }
}

/// What each loop drives; a nest that is not plain is refused.
fn kinds(nest: &Nest) -> Result<Vec<IterKind>, Fault> {
    let vars: Vec<Var> = nest.loops.iter().map(|l| l.var.clone()).collect();
    let rectangular = nest
        .loops
        .iter()
        .all(|l| l.min.as_int() == Some(0) && l.kind == ForKind::Serial && !mentions(&l.extent, &vars));
    if !rectangular || nest.predicate.as_int() != Some(1) {
        return Err(Fault::of_call("a nest has conditions or bounds that depend on its loops"));
    }
    let axes = || nest.block.iters.iter().zip(&nest.values);
    let kind_of = |l: &Loop| {
        let driven = axes().filter(|(_, value)| mentions(*value, std::slice::from_ref(&l.var)));
        let kinds: Vec<&IterKind> = driven.map(|(iter, _)| &iter.kind).collect();
        match kinds.as_slice() {
            [] => (l.extent.as_int() == Some(1)).then_some(IterKind::Spatial),
            [first, others @ ..] => others.iter().all(|kind| kind == first).then_some(**first),
        }
    };
    let kinds: Option<Vec<IterKind>> = nest.loops.iter().map(kind_of).collect();
    kinds.ok_or_else(|| Fault::of_call("a loop drives no axis, or axes of several sorts"))
}

/// The loads and stores of a statement.
fn accesses(known: &Analyzer, vars: &[Var], body: &Stmt) -> (Vec<Access>, Vec<Access>) {
    let (mut reads, mut writes): (Vec<Access>, Vec<Access>) = (Vec::new(), Vec::new());
    let access = |buffer: &Buffer, indices: &[Expr]| Access {
        buffer: buffer.clone(),
        strides: vars.iter().map(|var| stride(known, var, buffer, indices)).collect(),
    };
    walk(body, |e: &Expr| {
        if let ExprKind::Load { buffer, indices, .. } = &e.kind {
            reads.push(access(buffer, indices));
        }
    });
    walk(body, |s: &Stmt| {
        if let StmtKind::Store { buffer, indices, .. } = &s.kind {
            writes.push(access(buffer, indices));
        }
    });
    (reads, writes)
}

/// The conditions in a statement, each part of a conjunction for itself.
fn conditions(body: &Stmt) -> Vec<Expr> {
    let mut pending = Vec::new();
    walk(body, |e: &Expr| {
        if let ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } = &e.kind {
            pending.extend(args.first().cloned());
        }
    });
    walk(body, |s: &Stmt| {
        if let StmtKind::If { condition, .. } = &s.kind {
            pending.push(condition.clone());
        }
    });
    let mut parts = Vec::new();
    while let Some(condition) = pending.pop() {
        match &condition.kind {
            ExprKind::Binary(BinOp::And, a, b) => pending.extend([a.clone(), b.clone()]),
            _ => parts.push(condition),
        }
    }
    parts
}

/// Whether all conditions that vary with the variable are bounds of it, and vary with none of the others.
fn cuts(known: &Analyzer, conditions: &[Expr], vars: &[Var], var: &Var) -> bool {
    let own = std::slice::from_ref(var);
    let others: Vec<Var> = vars.iter().filter(|other| *other != var).cloned().collect();
    conditions.iter().filter(|condition| mentions(*condition, own)).all(|condition| {
        let ExprKind::Compare(CmpOp::Lt | CmpOp::Le | CmpOp::Gt | CmpOp::Ge, a, b) = &condition.kind else {
            return false;
        };
        let difference = Expr::binary(BinOp::Sub, a, b);
        let bound = |difference: Expr| known.is_index(&difference) && known.linear_in(&difference, own).is_some();
        !mentions(condition, &others) && difference.is_ok_and(bound)
    })
}

fn cost_of(body: &Stmt) -> Cost {
    let mut cost = Cost::default();
    walk(body, |e: &Expr| {
        let is_index = e.dtype.is_int();
        cost.operations += match &e.kind {
            ExprKind::Load { buffer, .. } => {
                cost.bytes += buffer.dtype.element_bytes() as u64;
                0
            }
            ExprKind::Call { intrinsic, args } if intrinsic.is_of_floats() => {
                operations(*intrinsic) * if args.first().is_some_and(|arg| arg.dtype.bits == 64) { 4 } else { 1 }
            }
            ExprKind::Binary(..) | ExprKind::Compare(..) | ExprKind::Select { .. } if !is_index => {
                if e.dtype.bits == 64 { 2 } else { 1 }
            }
            _ => 0,
        };
    });
    walk(body, |s: &Stmt| {
        if let StmtKind::Store { buffer, .. } = &s.kind {
            cost.bytes += buffer.dtype.element_bytes() as u64;
        }
    });
    cost
}
