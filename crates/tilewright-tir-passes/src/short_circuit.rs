//! `short_circuit`: the right side of `and` and `or` is evaluated only where the left one does not decide.
//!
//! `i < n and A[i] > 0` reads nothing outside of `A`. Where the right side may fault or read out of bounds, the
//! operation becomes a choice: `a and b` is `b` if `a`, else false. Elsewhere the difference is unobservable, and
//! evaluating both sides is faster. Vectors evaluate both sides in every lane.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{AnyHandle, Mapper, Memo, walk};
use tilewright_ir::tir::{BinOp, CmpOp, Expr, ExprKind, Intrinsic, PrimFunc, Range, Stmt, StmtKind};
use tilewright_support::{Map, with_stack};

use crate::stmt::{Result, analyzer_of, map_below, with_body};

pub fn short_circuit(function: &PrimFunc) -> Result<PrimFunc> {
    let mut analyzer = analyzer_of(function);
    let body = stmt(&mut analyzer, &function.body)?;
    Ok(with_body(function, body))
}

fn stmt(analyzer: &mut Analyzer, s: &Stmt) -> Result<Stmt> {
    let mut kind = s.kind.clone();
    let scope = analyzer.enter();
    let mut choose = Choose { analyzer, memo: Memo::default(), safe: Map::default() };
    let mut on = |e: &mut Expr| {
        if let Some(changed) = choose.map(e).and_then(|e| e.into_any().downcast::<Expr>().ok()) {
            *e = *changed;
        }
    };
    match &mut kind {
        StmtKind::Store { indices, value, predicate, .. } => {
            indices.iter_mut().chain([value]).chain(predicate).for_each(&mut on);
        }
        StmtKind::For { min, extent, .. } => [min, extent].into_iter().for_each(&mut on),
        StmtKind::While { condition, .. } | StmtKind::If { condition, .. } | StmtKind::Assert { condition, .. } => {
            on(condition);
        }
        StmtKind::Let { value, .. } | StmtKind::Evaluate(value) => on(value),
        StmtKind::Attr { node, value, .. } => [node, value].into_iter().for_each(&mut on),
        StmtKind::Seq(_) | StmtKind::Block { .. } | StmtKind::Allocate { .. } | StmtKind::AllocateConst { .. } => {}
    }
    match &kind {
        StmtKind::For { var, min, extent, .. } => analyzer.bind(var, &Range::new(min.clone(), extent.clone())),
        StmtKind::Let { var, value, .. } => analyzer.bind_value(var, value),
        _ => {}
    }
    let below = map_below(&kind.into(), &mut |s| stmt(analyzer, s));
    analyzer.leave(scope);
    below
}

struct Choose<'a> {
    analyzer: &'a Analyzer,
    memo: Memo,
    /// By address; the statement keeps the nodes alive.
    safe: Map<usize, bool>,
}

impl Choose<'_> {
    fn replace(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        let inside = with_stack(|| node.map_inside(self));
        let original = node.downcast::<Expr>()?;
        let ExprKind::Binary(op @ (BinOp::And | BinOp::Or), _, right) = &original.kind else { return inside };
        if original.dtype.is_vector() || self.may_run(right) {
            return inside;
        }
        let current = inside.as_deref().unwrap_or(node).downcast::<Expr>()?;
        let ExprKind::Binary(_, left, right) = &current.kind else { return inside };
        let args = match op {
            BinOp::And => vec![left.clone(), right.clone(), Expr::bool(false)],
            _ => vec![left.clone(), Expr::bool(true), right.clone()],
        };
        let choice = ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args };
        Some(Box::new(Expr::raw(original.dtype, choice)))
    }

    /// Whether the expression can be evaluated unconditionally: it neither faults nor reads out of bounds.
    fn may_run(&mut self, expr: &Expr) -> bool {
        if let Some(&known) = self.safe.get(&expr.address()) {
            return known;
        }
        let mut safe = true;
        walk(expr, |e: &Expr| {
            safe &= match &e.kind {
                ExprKind::Load { buffer, indices, .. } => {
                    indices.iter().zip(&buffer.shape).all(|(index, extent)| self.inside(index, extent))
                }
                ExprKind::Binary(BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod, _, divisor) => {
                    e.dtype.is_float() || divisor.as_int().is_some_and(|c| c > 0)
                }
                ExprKind::Foreign { .. } => false,
                // The variable's range is not known here.
                ExprKind::Let { .. } => false,
                _ => true,
            };
        });
        self.safe.insert(expr.address(), safe);
        safe
    }

    fn inside(&self, index: &Expr, extent: &Expr) -> bool {
        let zero = Expr::int(0, index.dtype.element());
        index.dtype.is_scalar()
            && self.analyzer.decide(CmpOp::Le, &zero, index) == Some(true)
            && self.analyzer.decide(CmpOp::Lt, index, extent) == Some(true)
    }
}

impl Mapper for Choose<'_> {
    fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        if let Some(known) = self.memo.get(node) {
            return known;
        }
        // A buffer's own expressions are its declaration.
        let result = if node.downcast::<tilewright_ir::tir::Buffer>().is_some() { None } else { self.replace(node) };
        self.memo.put(node, &result);
        result
    }
}
