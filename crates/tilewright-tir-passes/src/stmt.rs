//! Traversal of statements, and constructors that passes share.

use tilewright_arith::Analyzer;
pub(crate) use tilewright_expr::node::mentions;
use tilewright_expr::node::{AnyHandle, IrNode, walk, walk_some};
use tilewright_ir::interface::KernelInterface;
use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, Intrinsic, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::{Diagnostic, Diagnostics, Origins, Set, with_stack};

pub(crate) type Result<T> = std::result::Result<T, Diagnostics>;

/// The statement with `f` applied to each of its direct sub-statements.
pub(crate) fn map_below(stmt: &Stmt, f: &mut dyn FnMut(&Stmt) -> Result<Stmt>) -> Result<Stmt> {
    let mut kind = stmt.kind.clone();
    match &mut kind {
        StmtKind::Store { .. } | StmtKind::Assert { .. } | StmtKind::Evaluate(_) => return Ok(stmt.clone()),
        StmtKind::For { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::Let { body, .. }
        | StmtKind::Attr { body, .. }
        | StmtKind::AllocateConst { body, .. }
        | StmtKind::Allocate { body, .. } => *body = with_stack(|| f(body))?,
        StmtKind::If { then, otherwise, .. } => {
            *then = with_stack(|| f(then))?;
            if let Some(otherwise) = otherwise {
                *otherwise = with_stack(|| f(otherwise))?;
            }
        }
        StmtKind::Seq(stmts) => {
            let mapped = stmts.iter().map(|s| with_stack(|| f(s))).collect::<Result<Vec<_>>>()?;
            return Ok(Stmt::seq(mapped));
        }
        StmtKind::Block { block, .. } => {
            if let Some(init) = &mut block.init {
                *init = with_stack(|| f(init))?;
            }
            block.body = with_stack(|| f(&block.body))?;
        }
    }
    Ok(kind.into())
}

/// The statement with `f` applied to each of its own expressions, except those of a declaration.
pub fn map_own(stmt: &Stmt, f: &mut dyn FnMut(&Expr) -> Expr) -> Stmt {
    let mut kind = stmt.kind.clone();
    let mut on = |e: &mut Expr| *e = f(e);
    match &mut kind {
        StmtKind::Store { indices, value, predicate, .. } => {
            indices.iter_mut().chain([value]).chain(predicate).for_each(on);
        }
        StmtKind::For { min, extent, .. } => [min, extent].into_iter().for_each(on),
        StmtKind::While { condition, .. } | StmtKind::If { condition, .. } | StmtKind::Assert { condition, .. } => {
            on(condition);
        }
        StmtKind::Let { value, .. } | StmtKind::Evaluate(value) => on(value),
        StmtKind::Attr { node, value, .. } => [node, value].into_iter().for_each(on),
        StmtKind::Block { values, predicate, .. } => values.iter_mut().chain([predicate]).for_each(on),
        StmtKind::Seq(_) | StmtKind::Allocate { .. } | StmtKind::AllocateConst { .. } => return stmt.clone(),
    }
    kind.into()
}

/// The function with another body.
pub(crate) fn with_body(function: &PrimFunc, body: Stmt) -> PrimFunc {
    PrimFunc { body, ..function.clone() }
}

/// An analyser with the facts that hold everywhere in the function: dimensions are not negative.
pub fn analyzer_of(function: &PrimFunc) -> Analyzer {
    let mut analyzer = Analyzer::new();
    for scalar in KernelInterface::scalars_of(function) {
        if scalar.param.is_none() {
            analyzer.bind_bounds(&scalar.var, Some(0), None);
        }
    }
    analyzer
}

/// The conditions that all hold where this one does: the sides of an `and`, or of the choice that it has become.
pub(crate) fn conjuncts(condition: &Expr) -> Vec<Expr> {
    let mut open = vec![condition.clone()];
    let mut parts = Vec::new();
    let mut seen = Set::default();
    while let Some(next) = open.pop() {
        if !seen.insert(next.address()) {
            continue;
        }
        match &next.kind {
            ExprKind::Binary(BinOp::And, a, b) => open.extend([b.clone(), a.clone()]),
            ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => match args.as_slice() {
                [a, b, otherwise] if otherwise.as_int() == Some(0) => open.extend([b.clone(), a.clone()]),
                _ => parts.push(next),
            },
            _ => parts.push(next),
        }
    }
    parts
}

/// Whether the statement or expression uses the memory of a data variable.
pub(crate) fn uses_memory<N: IrNode>(node: &N, data: &Var) -> bool {
    let mut found = false;
    walk(node, |buffer: &Buffer| found |= buffer.data == *data);
    found
}

/// Whether evaluating the expression calls a function that the IR does not know, and that may have effects.
pub(crate) fn is_foreign(expr: &Expr) -> bool {
    let mut found = false;
    walk(expr, |e: &Expr| found |= matches!(e.kind, ExprKind::Foreign { .. }));
    found
}

/// Whether the expression's value depends on memory, or on the result of a foreign function.
pub(crate) fn reads(expr: &Expr) -> bool {
    let mut found = false;
    walk(expr, |e: &Expr| found |= matches!(e.kind, ExprKind::Load { .. } | ExprKind::Foreign { .. }));
    found
}

/// Whether evaluating the expression may divide integers by 0, or by -1, which overflows. What a lazy choice guards
/// does not count.
pub(crate) fn may_fault(expr: &Expr) -> bool {
    evaluates(expr, |e| match &e.kind {
        ExprKind::Binary(BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod, _, divisor) => {
            e.dtype.is_int() && divisor.as_int().is_none_or(|c| c <= 0)
        }
        _ => false,
    })
}

/// Whether evaluating the expression certainly evaluates one that `is` holds for: values of lazy choices, and the right
/// sides of `and` and `or` of scalars, are not looked at.
pub(crate) fn evaluates(expr: &Expr, mut is: impl FnMut(&Expr) -> bool) -> bool {
    let (mut open, mut seen, mut found) = (vec![expr.clone()], Set::default(), false);
    while let Some(next) = open.pop() {
        walk_some(&next, |node| {
            let Some(e) = node.downcast::<Expr>() else { return !found };
            if found || !seen.insert(e.address()) {
                return false;
            }
            found = is(e);
            match &e.kind {
                ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => open.extend(args.first().cloned()),
                ExprKind::Binary(BinOp::And | BinOp::Or, a, _) if e.dtype.is_scalar() => open.push(a.clone()),
                _ => return !found,
            }
            false
        });
    }
    found
}

pub(crate) fn is_nothing(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Seq(stmts) if stmts.is_empty())
}

/// An error at the first known origin.
pub(crate) fn error(code: &'static str, origins: &Origins, message: impl Into<String>) -> Diagnostics {
    placed(Diagnostic::error(code, message), origins)
}

/// An error with a help text.
pub(crate) fn error_with_help(
    code: &'static str,
    origins: &Origins,
    message: impl Into<String>,
    help: &str,
) -> Diagnostics {
    placed(Diagnostic::error(code, message).help(help), origins)
}

fn placed(mut diagnostic: Diagnostic, origins: &Origins) -> Diagnostics {
    diagnostic.span = origins.headline().first().cloned();
    diagnostic.into()
}

/// A comparison or arithmetic whose operands are integers: the constructors cannot fail on them.
pub(crate) fn typed<T>(result: std::result::Result<T, tilewright_ir::tir::TypeMismatch>) -> Result<T> {
    result.map_err(|mismatch| Diagnostic::error("TW0563", mismatch.to_string()).into())
}
