//! Statements.

use std::sync::Arc;

use tilewright_ir::low::INDEX_GUARD;
use tilewright_ir::tir::{Expr, ExprKind, ForKind, ForeignCallee, Stmt, StmtKind, Var};
use tilewright_support::with_stack;
use tilewright_tensor::DataType;
use tilewright_tensor::abi::Status;

use super::function::{FnCx, Position, Result};
use super::text::{Reg, Value, int};

/// Instructions of a loop above which LLVM's loop vectoriser is off: it takes quadratic time (20 s for 32,000
/// instructions).
const MAX_VECTORISED_INSTRUCTIONS: usize = 1000;

impl FnCx<'_, '_> {
    pub(crate) fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
        with_stack(|| self.stmt_kind(stmt))
    }

    fn stmt_kind(&mut self, stmt: &Stmt) -> Result<()> {
        match &stmt.kind {
            StmtKind::Store { buffer, indices, value, predicate } => {
                self.begin_statement()?;
                self.store(buffer, indices, value, predicate.as_ref())
            }
            StmtKind::For { var, min, extent, kind, body, annotations: _ } => {
                self.for_loop(var, min, extent, kind, body)
            }
            StmtKind::While { condition, body } => self.while_loop(condition, body),
            StmtKind::If { condition, then, otherwise } => self.if_else(condition, then, otherwise.as_ref()),
            StmtKind::Let { var, value, body } => {
                self.begin_statement()?;
                self.check_let(var, value)?;
                let result = self.value(value, Position::Value)?;
                self.note_loaded(var, value);
                self.note_vector(var, value);
                self.bind(var, result)?;
                self.stmt(body)?;
                self.unbind(var);
                Ok(())
            }
            StmtKind::Assert { condition, message } => self.assert(condition, message),
            StmtKind::Seq(stmts) => stmts.iter().try_for_each(|stmt| self.stmt(stmt)),
            StmtKind::Evaluate(expr) => {
                self.begin_statement()?;
                match &expr.kind {
                    // The result is dropped: the function may give anything, or nothing.
                    ExprKind::Foreign { callee: ForeignCallee::Packed(name), args } if !self.unit.is_device() => {
                        self.call_packed(name, args, DataType::VOID).map(drop)
                    }
                    _ => self.value(expr, Position::Value).map(drop),
                }
            }
            StmtKind::Allocate { buffer, body } => self.allocate(buffer, body),
            StmtKind::Block { block, .. } => {
                Err(self.unit.malformed(format!("block `{}` in a flat function", block.name)))
            }
            StmtKind::Attr { key, .. } => Err(self.unit.malformed(format!("attribute `{key}` in a flat function"))),
            StmtKind::AllocateConst { buffer, .. } => {
                Err(self.unit.malformed(format!("constant memory `{}` in a flat function", buffer.name)))
            }
        }
    }

    /// Checks the types of a `Let`.
    pub(crate) fn check_let(&self, var: &Var, value: &Expr) -> Result<()> {
        if var.dtype != value.dtype {
            let what = format!("variable `{}` is {}, its value {}", var.name, var.dtype, value.dtype);
            return Err(self.unit.malformed(what));
        }
        self.unit.check_type(var.dtype)
    }

    fn for_loop(&mut self, var: &Var, min: &Expr, extent: &Expr, kind: &ForKind, body: &Stmt) -> Result<()> {
        match kind {
            ForKind::Parallel => self.parallel_loop(var, min, extent, body),
            ForKind::Serial => {
                self.begin_statement()?;
                self.note_bounds(var, min, extent);
                let constant = extent.as_int();
                if constant.is_some_and(|extent| extent <= 0) {
                    return Ok(());
                }
                let (min, extent) = (self.loop_bound(min, var)?, self.loop_bound(extent, var)?);
                self.serial_loop(var, &min, &extent, constant, body)
            }
            ForKind::ThreadBinding(tag) if self.unit.is_device() => self.axis(tag, var, extent, body),
            ForKind::Vectorized | ForKind::Unrolled | ForKind::ThreadBinding(_) => {
                Err(self.unit.malformed(format!("loop over `{}` is neither serial nor parallel", var.name)))
            }
        }
    }

    /// A loop that tests its end after the body; a non-constant extent is tested before the first iteration too.
    pub(crate) fn serial_loop(
        &mut self,
        var: &Var,
        min: &Value,
        extent: &Value,
        constant: Option<i64>,
        body: &Stmt,
    ) -> Result<()> {
        self.enter_loop()?;
        let ty = Reg(var.dtype);
        let (start, done) = (self.body.label(), self.body.label());
        if constant.is_none() {
            let some = self.body.assign(format_args!("icmp sgt {ty} {extent}, 0"));
            let enter = self.body.label();
            self.body.branch(&some, enter, done);
            self.body.start(enter);
        }
        // The bounds may be user data, so the sum may overflow and has no `nsw` flag.
        let end =
            if min.is_zero() { extent.clone() } else { self.body.assign(format_args!("add {ty} {min}, {extent}")) };
        let (before, length) = (self.body.open(), self.body.length);
        self.body.jump(start);
        self.body.start(start);
        // The phi names the latch block, which follows the body, and the next index in it.
        let (latch, next) = (self.body.label(), self.body.register());
        let index = self.body.assign(format_args!("phi {ty} [ {min}, %{before} ], [ {next}, %{latch} ]"));
        self.bind(var, index.clone())?;
        self.stmt(body)?;
        self.unbind(var);
        self.body.jump(latch);
        self.body.start(latch);
        self.body.line(format_args!("{next} = add nsw {ty} {index}, 1"));
        let again = self.body.assign(format_args!("icmp slt {ty} {next}, {end}"));
        match self.body.length - length > MAX_VECTORISED_INSTRUCTIONS {
            true => self.body.branch_of_long_loop(&again, start, done),
            false => self.body.branch(&again, start, done),
        }
        self.body.start(done);
        self.loops -= 1;
        Ok(())
    }

    fn while_loop(&mut self, condition: &Expr, body: &Stmt) -> Result<()> {
        self.enter_loop()?;
        let (check, start, done) = (self.body.label(), self.body.label(), self.body.label());
        self.body.jump(check);
        self.body.start(check);
        self.begin_statement()?;
        let again = self.condition(condition)?;
        self.body.branch(&again, start, done);
        self.body.start(start);
        self.stmt(body)?;
        self.body.jump(check);
        self.body.start(done);
        self.loops -= 1;
        Ok(())
    }

    fn if_else(&mut self, condition: &Expr, then: &Stmt, otherwise: Option<&Stmt>) -> Result<()> {
        self.begin_statement()?;
        let condition = self.condition(condition)?;
        let (yes, done) = (self.body.label(), self.body.label());
        let no = if otherwise.is_some() { self.body.label() } else { done };
        self.body.branch(&condition, yes, no);
        self.body.start(yes);
        self.stmt(then)?;
        self.body.jump(done);
        if let Some(otherwise) = otherwise {
            self.body.start(no);
            self.stmt(otherwise)?;
            self.body.jump(done);
        }
        self.body.start(done);
        Ok(())
    }

    fn assert(&mut self, condition: &Expr, message: &Arc<str>) -> Result<()> {
        self.begin_statement()?;
        let holds = self.condition(condition)?;
        let (fails, go_on) = (self.body.label(), self.body.label());
        self.body.branch(&holds, go_on, fails);
        self.body.start(fails);
        let (text, length) = (self.unit.message(message), int(message.len() as i64, DataType::I64));
        let status = if message.starts_with(INDEX_GUARD) { Status::IndexOutOfRange } else { Status::AssertionFailed };
        self.fail(status, &text, &length);
        self.body.start(go_on);
        Ok(())
    }

    fn condition(&mut self, condition: &Expr) -> Result<Value> {
        if condition.dtype != DataType::BOOL {
            return Err(self.unit.malformed(format!("a condition is {}", condition.dtype)));
        }
        self.value(condition, Position::Value)
    }
}
