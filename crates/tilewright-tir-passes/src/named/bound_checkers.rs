//! `InstrumentBoundCheckers`: an assertion in front of each statement that the indices of its accesses are within their
//! buffers, where that is not proven.
//!
//! Accesses in the branches of `T.if_then_else`, and on the right of `and` and `or`, are checked where they are
//! evaluated. Lowering has checks of its own; the pass writes them out.

use std::sync::Arc;

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ExprKind, Intrinsic, PrimFunc, Range, Stmt, StmtKind};
use tilewright_support::with_stack;

use super::{Options, below, seq, with};
use crate::stmt::{Result, analyzer_of, reads, typed};

pub(super) fn instrument_bound_checkers(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let mut analyzer = analyzer_of(function);
    let body = checked(&mut analyzer, &function.body)?;
    Ok(with(function, body))
}

fn checked(analyzer: &mut Analyzer, stmt: &Stmt) -> Result<Stmt> {
    let mut found = Checks { analyzer, all: Vec::new() };
    let always = Expr::bool(true);
    if let StmtKind::Store { buffer, indices, .. } = &stmt.kind {
        found.access(buffer, indices, &always)?;
    }
    // A block is evaluated with its regions, a declaration not at all.
    if !matches!(stmt.kind, StmtKind::Allocate { .. } | StmtKind::AllocateConst { .. }) {
        for expr in stmt.own_exprs() {
            found.expr(&expr, &always)?;
        }
    }
    let Checks { all, .. } = found;
    let scope = analyzer.enter();
    match &stmt.kind {
        StmtKind::For { var, min, extent, .. } => analyzer.bind(var, &Range::new(min.clone(), extent.clone())),
        StmtKind::Block { block, .. } => block.iters.iter().for_each(|iter| analyzer.bind(&iter.var, &iter.domain)),
        _ => {}
    }
    let inside = match &stmt.kind {
        StmtKind::If { condition, then, otherwise } => {
            let mut branch = |condition: &Expr, stmt: &Stmt| {
                let scope = analyzer.enter();
                if !reads(condition) {
                    analyzer.assume(condition);
                }
                let done = with_stack(|| checked(analyzer, stmt));
                analyzer.leave(scope);
                done
            };
            let then = branch(condition, then);
            let opposite = typed(condition.not());
            let otherwise = otherwise.as_ref().map(|stmt| branch(&opposite?, stmt)).transpose();
            then.and_then(|then| Ok(StmtKind::If { condition: condition.clone(), then, otherwise: otherwise? }.into()))
        }
        _ => below(stmt, &mut |s| checked(analyzer, s)),
    };
    analyzer.leave(scope);
    let inside = inside?;
    let asserts = all.into_iter().map(|(name, condition)| {
        let message = Arc::from(format!("an index of buffer {name} is out of bounds"));
        StmtKind::Assert { condition, message }.into()
    });
    let asserts: Vec<Stmt> = asserts.collect();
    Ok(if asserts.is_empty() { inside } else { seq(asserts.into_iter().chain([inside])) })
}

struct Checks<'a> {
    analyzer: &'a Analyzer,
    /// What has to hold, with the names of the buffers.
    all: Vec<(Arc<str>, Expr)>,
}

impl Checks<'_> {
    fn access(&mut self, buffer: &Buffer, indices: &[Expr], under: &Expr) -> Result<()> {
        for (index, extent) in indices.iter().zip(&buffer.shape) {
            let ends = match &index.kind {
                _ if index.dtype.is_scalar() => vec![index.clone()],
                ExprKind::Broadcast(value) => vec![value.clone()],
                ExprKind::Ramp { base, stride } => {
                    let last = Expr::int(i64::from(index.dtype.lanes) - 1, base.dtype);
                    vec![base.clone(), typed(Expr::binary(BinOp::Add, base, &(stride * &last)))?]
                }
                _ => continue,
            };
            for index in ends {
                let zero = Expr::int(0, index.dtype);
                for condition in
                    [typed(Expr::compare(CmpOp::Le, &zero, &index))?, typed(Expr::compare(CmpOp::Lt, &index, extent))?]
                {
                    self.needs(&buffer.name, condition, under)?;
                }
            }
        }
        Ok(())
    }

    fn needs(&mut self, name: &Arc<str>, condition: Expr, under: &Expr) -> Result<()> {
        if self.analyzer.prove(&condition) {
            return Ok(());
        }
        let condition = match under.as_int() {
            Some(1) => condition,
            _ => typed(Expr::binary(BinOp::Or, &typed(under.not())?, &condition))?,
        };
        let condition = if reads(&condition) { condition } else { self.analyzer.simplify(&condition) };
        let known = self.all.iter().any(|(_, known)| known.equal(&condition));
        if condition.as_int() != Some(1) && !known {
            self.all.push((name.clone(), condition));
        }
        Ok(())
    }

    /// The accesses of an expression that is evaluated where `under` holds.
    fn expr(&mut self, expr: &Expr, under: &Expr) -> Result<()> {
        let both = |condition: &Expr| -> Result<Expr> {
            if under.as_int() == Some(1) {
                Ok(condition.clone())
            } else {
                typed(Expr::binary(BinOp::And, under, condition))
            }
        };
        match &expr.kind {
            ExprKind::Load { buffer, indices, predicate: None } => {
                for index in indices {
                    with_stack(|| self.expr(index, under))?;
                }
                self.access(buffer, indices, under)
            }
            ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } if args.len() == 3 => {
                with_stack(|| self.expr(&args[0], under))?;
                let opposite = typed(args[0].not())?;
                with_stack(|| self.expr(&args[1], &both(&args[0])?))?;
                with_stack(|| self.expr(&args[2], &both(&opposite)?))
            }
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) if expr.dtype.is_scalar() => {
                with_stack(|| self.expr(a, under))?;
                let first = if *op == BinOp::And { a.clone() } else { typed(a.not())? };
                with_stack(|| self.expr(b, &both(&first)?))
            }
            // Its variable is known inside of the expression alone.
            ExprKind::Let { value, .. } => with_stack(|| self.expr(value, under)),
            kind => {
                let mut parts: Vec<Expr> = Vec::new();
                tilewright_expr::node::walk_some(kind, |node| {
                    if let Some(part) = node.downcast::<Expr>() {
                        parts.push(part.clone());
                        return false;
                    }
                    true
                });
                parts.iter().try_for_each(|part| with_stack(|| self.expr(part, under)))
            }
        }
    }
}
