//! Reductions over nothing: where a loop of a reduction has no iteration, what is left of it is its init.
//!
//! A block's init runs in the instances whose reduce axes have their first value. Where a loop that drives these axes
//! has no iteration there is no such instance, and the init runs by itself, once for each iteration of the other loops:
//! the sum of no numbers is zero, and no element stays unwritten.

use tilewright_expr::node::{AnyHandle, Mapper, mentions};
use tilewright_support::with_stack;

use crate::nest::{Loop, Nest};
use crate::tir::{BinOp, Block, CmpOp, Expr, ExprKind, IterKind, PrimFunc, Stmt, StmtKind, Var};

/// The inits that run where a loop has no iteration: for each block inside whose reduction the loop drives, its init in
/// the loops inside that do not drive it. `around` are the variables of the loops around.
///
/// Blocks with memory of their own have none, nor have those for which a loop drives a spatial axis as well, or a
/// condition or the bounds of a loop mix both sorts.
pub fn inits_alone(around: &[Var], stmt: &Stmt) -> Vec<Nest> {
    let mut found = Vec::new();
    if let Some((outer, body)) = loop_and_body(stmt) {
        collect(&Empty { outer: &outer, around }, &mut Vec::new(), body, &mut found);
    }
    found
}

/// Whether a loop has no iteration, unless that is known to be false.
pub fn has_no_iteration(extent: &Expr) -> Option<Expr> {
    match extent.as_int() {
        Some(1..) => None,
        _ => Expr::compare(CmpOp::Le, extent, &Expr::int(0, extent.dtype)).ok(),
    }
}

/// The function with a condition in front of every loop that may leave a reduction without iterations; `None` where
/// there is no such loop.
pub fn with_inits_alone(function: &PrimFunc) -> Option<PrimFunc> {
    let body = WriteOut { around: Vec::new() }.stmt(&function.body)?;
    Some(PrimFunc { body, ..function.clone() })
}

/// The loop without an iteration, and the loops around it.
struct Empty<'a> {
    outer: &'a Loop,
    around: &'a [Var],
}

fn loop_and_body(stmt: &Stmt) -> Option<(Loop, &Stmt)> {
    let StmtKind::For { var, min, extent, kind, annotations, body } = &stmt.kind else { return None };
    let (min, extent) = (min.clone(), extent.clone());
    let (kind, annotations) = (kind.clone(), annotations.clone());
    Some((Loop { var: var.clone(), min, extent, kind, annotations }, body))
}

fn collect(empty: &Empty<'_>, inside: &mut Vec<Loop>, stmt: &Stmt, found: &mut Vec<Nest>) {
    match &stmt.kind {
        StmtKind::For { .. } => {
            if let Some((inner, body)) = loop_and_body(stmt) {
                inside.push(inner);
                collect(empty, inside, body, found);
                inside.pop();
            }
        }
        StmtKind::Seq(stmts) => stmts.iter().for_each(|stmt| collect(empty, inside, stmt, found)),
        StmtKind::Block { values, predicate, block } => {
            found.extend(init_alone(empty, inside, &Instance { values, predicate, block }));
        }
        _ => {}
    }
}

/// A block with the values of its axes.
struct Instance<'a> {
    values: &'a [Expr],
    predicate: &'a Expr,
    block: &'a Block,
}

impl Instance<'_> {
    fn drives(&self, var: &Var, reduces: bool) -> bool {
        let mut axes = self.block.iters.iter().zip(self.values);
        axes.any(|(iter, value)| {
            (iter.kind == IterKind::Reduce) == reduces && mentions(value, std::slice::from_ref(var))
        })
    }

    fn reduces(&self, var: &Var) -> bool {
        self.drives(var, true)
    }
}

fn init_alone(empty: &Empty<'_>, inside: &[Loop], instance: &Instance<'_>) -> Option<Nest> {
    let Instance { values, predicate, block } = instance;
    let init = block.init.clone()?;
    let outer = empty.outer;
    if !block.alloc_buffers.is_empty() || !block.match_buffers.is_empty() || !instance.reduces(&outer.var) {
        return None;
    }
    // Where the number of iterations depends on the reduction itself, another iteration may have begun it.
    let earlier: Vec<Var> = empty.around.iter().filter(|var| instance.reduces(var)).cloned().collect();
    let (reducing, others): (Vec<Loop>, Vec<Loop>) = inside.iter().cloned().partition(|l| instance.reduces(&l.var));
    let gone: Vec<Var> = std::iter::once(outer).chain(&reducing).map(|l| l.var.clone()).collect();
    let is_bound_by = |l: &Loop, vars: &[Var]| mentions(&l.min, vars) || mentions(&l.extent, vars);
    if is_bound_by(outer, &earlier)
        || gone.iter().any(|var| instance.drives(var, false))
        || others.iter().any(|l| is_bound_by(l, &gone))
    {
        return None;
    }
    let around = empty.around.iter().filter(|var| !instance.reduces(var));
    let stays: Vec<Var> = around.chain(others.iter().map(|l| &l.var)).cloned().collect();
    let predicate = conditions_of(predicate, &gone, &stays)?;
    let is_spatial = |at: &usize| block.iters[*at].kind != IterKind::Reduce;
    let spatial: Vec<usize> = (0..block.iters.len()).filter(is_spatial).collect();
    let values = spatial.iter().filter_map(|&at| values.get(at).cloned()).collect();
    let block = Block {
        name: format!("{}_init", block.name).into(),
        iters: spatial.iter().map(|&at| block.iters[at].clone()).collect(),
        reads: Vec::new(),
        init: None,
        body: init,
        ..(*block).clone()
    };
    Some(Nest { loops: others, values, predicate, block })
}

/// The conditions of the predicate without those of loops that are gone; `None` where one mixes these with others.
fn conditions_of(predicate: &Expr, gone: &[Var], stays: &[Var]) -> Option<Expr> {
    let (mut kept, mut pending) = (Vec::new(), vec![predicate]);
    while let Some(part) = pending.pop() {
        match &part.kind {
            ExprKind::Binary(BinOp::And, a, b) => pending.extend([b, a]),
            _ if !mentions(part, gone) => kept.push(part.clone()),
            _ if mentions(part, stays) => return None,
            _ => {}
        }
    }
    kept.into_iter().try_fold(Expr::bool(true), |all, one| match all.as_int() {
        Some(1) => Some(one),
        _ => Expr::binary(BinOp::And, &all, &one).ok(),
    })
}

/// Puts the inits of empty loops in front of these.
struct WriteOut {
    around: Vec<Var>,
}

impl Mapper for WriteOut {
    fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        let stmt = node.downcast::<Stmt>()?;
        with_stack(|| self.stmt(stmt)).map(|stmt| Box::new(stmt) as Box<dyn AnyHandle>)
    }
}

impl WriteOut {
    /// The statement with what runs in front of it, or `None` where nothing changes.
    fn stmt(&mut self, stmt: &Stmt) -> Option<Stmt> {
        let StmtKind::For { var, extent, .. } = &stmt.kind else { return stmt.map_inside(self).and_then(into_stmt) };
        let alone = has_no_iteration(extent).map(|condition| (condition, inits_alone(&self.around, stmt)));
        self.around.push(var.clone());
        let inside = stmt.map_inside(self).and_then(into_stmt);
        self.around.pop();
        let Some((condition, nests)) = alone.filter(|(_, nests)| !nests.is_empty()) else { return inside };
        let then = Stmt::seq(nests.into_iter().map(Nest::into_stmt));
        let alone: Stmt = StmtKind::If { condition, then, otherwise: None }.into();
        Some(Stmt::seq([alone, inside.unwrap_or_else(|| stmt.clone())]))
    }
}

fn into_stmt(node: Box<dyn AnyHandle>) -> Option<Stmt> {
    node.downcast::<Stmt>().cloned()
}
