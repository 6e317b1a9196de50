//! `RemoveNoOp`: statements without effect are left out; where one has to stand, it is `Evaluate(0)`.
//!
//! With the option `use_dataflow_analysis`, so are stores of elements that a later statement of the same sequence
//! overwrites, with nothing in between that reads them.

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_ir::tir::{Buffer, Builtin, CmpOp, Expr, ExprKind, PrimFunc, Range, Stmt, StmtKind};
use tilewright_support::with_stack;

use super::knowns::element_of;
use super::{Options, below, is_no_op, is_on, no_op, seq, with};
use crate::no_op::stores_own_value;
use crate::stmt::{Result, analyzer_of, is_foreign, mentions, typed, uses_memory};

pub(super) fn remove_no_op(options: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let mut analyzer = analyzer_of(function);
    let mut body = without(&mut analyzer, &function.body)?;
    if is_on(options, "use_dataflow_analysis") {
        body = without_overwritten(&mut analyzer, &body)?;
        body = without(&mut analyzer, &body)?;
    }
    Ok(with(function, body))
}

/// What evaluating these does besides giving their values.
fn effects<'e>(values: impl IntoIterator<Item = &'e Expr>) -> Stmt {
    seq(values.into_iter().filter(|value| has_effect(value)).map(|value| StmtKind::Evaluate(value.clone()).into()))
}

fn has_effect(value: &Expr) -> bool {
    is_foreign(value)
}

fn without(cx: &mut Analyzer, stmt: &Stmt) -> Result<Stmt> {
    Ok(match &stmt.kind {
        StmtKind::Let { var, value, body } => {
            let scope = cx.enter();
            cx.bind_value(var, value);
            let inside = with_stack(|| without(cx, body));
            cx.leave(scope);
            let body = inside?;
            match () {
                () if is_no_op(&body) => effects([value]),
                () if mentions(&body, std::slice::from_ref(var)) => {
                    StmtKind::Let { var: var.clone(), value: value.clone(), body }.into()
                }
                () => seq([effects([value]), body]),
            }
        }
        StmtKind::For { var, min, extent, kind, annotations, body } => {
            if cx.decide(CmpOp::Le, extent, &Expr::int(0, extent.dtype)) == Some(true) && !is_foreign(extent) {
                return Ok(no_op());
            }
            let scope = cx.enter();
            cx.bind(var, &Range::new(min.clone(), extent.clone()));
            let inside = with_stack(|| without(cx, body));
            cx.leave(scope);
            let body = inside?;
            if is_no_op(&body) {
                return Ok(effects([min, extent]));
            }
            let (min, extent) = (min.clone(), extent.clone());
            let (kind, annotations) = (kind.clone(), annotations.clone());
            StmtKind::For { var: var.clone(), min, extent, kind, annotations, body }.into()
        }
        StmtKind::If { condition, then, otherwise } => return choice(cx, condition, then, otherwise.as_ref()),
        StmtKind::Allocate { buffer, body } => {
            let body = with_stack(|| without(cx, body))?;
            match is_no_op(&body) || !mentions_memory(&body, buffer) {
                true => body,
                false => StmtKind::Allocate { buffer: buffer.clone(), body }.into(),
            }
        }
        StmtKind::Attr { value, body, node, key } => {
            let body = with_stack(|| without(cx, body))?;
            match is_no_op(&body) {
                true => effects([value]),
                false => {
                    let (node, key, value) = (node.clone(), key.clone(), value.clone());
                    StmtKind::Attr { node, key, value, body }.into()
                }
            }
        }
        StmtKind::Store { indices, value, .. } if stores_own_value(stmt) => effects(indices.iter().chain([value])),
        StmtKind::Evaluate(value) => {
            if has_effect(value) {
                stmt.clone()
            } else {
                no_op()
            }
        }
        StmtKind::Assert { condition, .. } if cx.simplify(condition).as_int() == Some(1) => no_op(),
        StmtKind::While { condition, .. } if cx.simplify(condition).as_int() == Some(0) => no_op(),
        _ => below(stmt, &mut |s| without(cx, s))?,
    })
}

/// The statement without stores, and loops around one store, whose elements are all overwritten before they are read.
fn without_overwritten(cx: &mut Analyzer, stmt: &Stmt) -> Result<Stmt> {
    match &stmt.kind {
        StmtKind::For { var, min, extent, .. } => {
            let scope = cx.enter();
            cx.bind(var, &Range::new(min.clone(), extent.clone()));
            let inside = below(stmt, &mut |s| without_overwritten(cx, s));
            cx.leave(scope);
            inside
        }
        StmtKind::Seq(stmts) => {
            let mut kept = Vec::with_capacity(stmts.len());
            for (at, stmt) in stmts.iter().enumerate() {
                if !is_overwritten(cx, stmt, stmts.get(at + 1..).unwrap_or_default()) {
                    kept.push(with_stack(|| without_overwritten(cx, stmt))?);
                }
            }
            Ok(seq(kept))
        }
        _ => below(stmt, &mut |s| without_overwritten(cx, s)),
    }
}

fn is_overwritten(cx: &Analyzer, stmt: &Stmt, later: &[Stmt]) -> bool {
    let Some(own) = element_of(stmt) else { return false };
    let Some(buffer) = own.overwritten() else { return false };
    let mut foreign = false;
    walk(stmt, |expr: &Expr| foreign |= is_foreign(expr));
    if foreign {
        return false;
    }
    for next in later {
        let mut returns = false;
        walk(next, |expr: &Expr| returns |= expr.builtin_args(Builtin::RET).is_some());
        if returns {
            return false;
        }
        let mut read = false;
        walk(next, |expr: &Expr| {
            read |= match &expr.kind {
                ExprKind::Int(_) => false,
                ExprKind::Var(var) => *var == buffer.data,
                _ => uses_memory(expr, &buffer.data),
            }
        });
        if read {
            return false;
        }
        let over = element_of(next).filter(|next| next.overwritten().is_some());
        if over.is_some_and(|next| next.covers(cx, &own)) {
            return true;
        }
    }
    false
}

fn mentions_memory(body: &Stmt, buffer: &Buffer) -> bool {
    let mut found = false;
    tilewright_expr::node::walk(body, |used: &Buffer| found |= used == buffer || used.data == buffer.data);
    tilewright_expr::node::walk(body, |used: &tilewright_ir::tir::Var| found |= *used == buffer.data);
    found
}

fn choice(cx: &mut Analyzer, condition: &Expr, then: &Stmt, otherwise: Option<&Stmt>) -> Result<Stmt> {
    if !is_foreign(condition) {
        match cx.simplify(condition).as_int() {
            Some(0) => return otherwise.map_or_else(|| Ok(no_op()), |stmt| with_stack(|| without(cx, stmt))),
            Some(_) => return with_stack(|| without(cx, then)),
            None => {}
        }
    }
    let mut branch = |condition: &Expr, stmt: &Stmt| {
        let scope = cx.enter();
        if !crate::stmt::reads(condition) {
            cx.assume(condition);
        }
        let inside = with_stack(|| without(cx, stmt));
        cx.leave(scope);
        inside
    };
    let then = branch(condition, then)?;
    let opposite = typed(condition.not())?;
    let otherwise = otherwise.map(|stmt| branch(&opposite, stmt)).transpose()?.filter(|stmt| !is_no_op(stmt));
    match otherwise {
        None if is_no_op(&then) => Ok(effects([condition])),
        Some(other) if is_no_op(&then) => {
            let condition = Expr::raw(condition.dtype, ExprKind::Not(condition.clone()));
            Ok(StmtKind::If { condition, then: other, otherwise: None }.into())
        }
        otherwise => Ok(StmtKind::If { condition: condition.clone(), then, otherwise }.into()),
    }
}
