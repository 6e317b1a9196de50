//! `structure_returns`: statements of a kernel that returns early, as conditions.
//!
//! A kernel gives no value, so that `T.ret(0)` only ends it. What follows one runs under a condition on a flag that
//! the return sets, loops around it run their further iterations without effect, and at the end of the kernel it is
//! nothing. A return within a parallel loop is refused, as other iterations would not see it.

use tilewright_expr::node::walk;
use tilewright_ir::tir::{BinOp, Buffer, Builtin, CmpOp, Expr, ForKind, PrimFunc, Scope, Stmt, StmtKind};
use tilewright_support::{Origins, with_stack};
use tilewright_tensor::DataType;

use crate::stmt::{Result, error_with_help, map_below, typed, with_body};

pub fn structure_returns(function: &PrimFunc) -> Result<PrimFunc> {
    if !returns(&function.body) {
        return Ok(function.clone());
    }
    let flag = Buffer::new("returned", vec![Expr::i32(1)], DataType::I32).derive(|node| node.scope = Scope::Local);
    let mut cx = Structure { flag, used: false, origins: &function.origins };
    let inside = |cx: &mut Structure<'_>, body: &Stmt| -> Result<Stmt> {
        let body = cx.stmt(body, true)?;
        if !cx.used {
            return Ok(body);
        }
        let body = Stmt::seq([cx.set(0)?, body]);
        Ok(StmtKind::Allocate { buffer: cx.flag.clone(), body }.into())
    };
    let body = match &function.body.kind {
        // The root block stays around everything.
        StmtKind::Block { block, .. } if block.iters.is_empty() => {
            map_below(&function.body, &mut |s| inside(&mut cx, s))?
        }
        _ => inside(&mut cx, &function.body)?,
    };
    Ok(with_body(function, body))
}

fn returns(stmt: &Stmt) -> bool {
    let mut found = false;
    walk(stmt, |expr: &Expr| found |= expr.builtin_args(Builtin::RET).is_some());
    found
}

struct Structure<'a> {
    flag: Buffer,
    used: bool,
    origins: &'a Origins,
}

impl Structure<'_> {
    fn set(&self, value: i32) -> Result<Stmt> {
        typed(Stmt::store(&self.flag, vec![Expr::i32(0)], &Expr::i32(value)))
    }

    fn runs(&self) -> Result<Expr> {
        let flag = typed(Expr::load(&self.flag, vec![Expr::i32(0)]))?;
        typed(Expr::compare(CmpOp::Eq, &flag, &Expr::i32(0)))
    }

    fn unless_returned(&self, then: Stmt) -> Result<Stmt> {
        Ok(StmtKind::If { condition: self.runs()?, then, otherwise: None }.into())
    }

    /// The statement; with `last`, nothing runs after it.
    fn stmt(&mut self, stmt: &Stmt, last: bool) -> Result<Stmt> {
        if !returns(stmt) {
            return Ok(stmt.clone());
        }
        match &stmt.kind {
            StmtKind::Evaluate(value) => self.returned(value, last),
            StmtKind::Seq(stmts) => {
                let first = stmts.iter().position(returns).unwrap_or(0);
                let (before, rest) = stmts.split_at(first);
                let Some((own, after)) = rest.split_first() else { return Ok(stmt.clone()) };
                let own = with_stack(|| self.stmt(own, last && after.is_empty()))?;
                let mut done = before.to_vec();
                done.push(own);
                if !after.is_empty() {
                    let after = with_stack(|| self.stmt(&Stmt::seq(after.to_vec()), last))?;
                    done.push(self.unless_returned(after)?);
                }
                Ok(Stmt::seq(done))
            }
            StmtKind::For { var, kind, .. } => {
                if !matches!(kind, ForKind::Serial | ForKind::Unrolled) {
                    let message = format!("`T.ret` in the loop over `{}`, whose iterations run together", var.name);
                    return Err(self.refused(&message, "return after the loop, or make it a serial one"));
                }
                map_below(stmt, &mut |body| {
                    let body = self.stmt(body, false)?;
                    self.unless_returned(body)
                })
            }
            StmtKind::While { condition, body } => {
                let body = with_stack(|| self.stmt(body, false))?;
                let condition = typed(Expr::binary(BinOp::And, &self.runs()?, condition))?;
                Ok(StmtKind::While { condition, body }.into())
            }
            _ => map_below(stmt, &mut |body| self.stmt(body, last)),
        }
    }

    fn returned(&mut self, value: &Expr, last: bool) -> Result<Stmt> {
        let value = value.builtin_args(Builtin::RET).map(|args| args.first().map(Expr::as_int));
        if !matches!(value, Some(None | Some(Some(0)))) {
            return Err(self.refused(
                "`T.ret` of a value: a kernel gives none",
                "write the value into a buffer, and end the kernel with `T.ret(0)`",
            ));
        }
        if last {
            return Ok(StmtKind::Evaluate(Expr::i32(0)).into());
        }
        self.used = true;
        self.set(1)
    }

    fn refused(&self, message: &str, help: &str) -> tilewright_support::Diagnostics {
        error_with_help("TW0561", self.origins, message, help)
    }
}
