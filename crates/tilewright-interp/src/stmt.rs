//! Statements.

use tilewright_expr::node::{AnyHandle, mentions, walk};
use tilewright_expr::semantics::{Scalar, wrap};
use tilewright_ir::tir::{Buffer, Expr, ExprKind, ForKind, ForeignCallee, IterKind, Stmt, StmtKind, Var};
use tilewright_support::{Map, with_stack};
use tilewright_tensor::DataType;

use crate::error::ErrorKind;
use crate::interpreter::{Among, Interpreter, Race, Res};
use crate::scalar::Val;
use crate::threads::is_block;

impl<'a> Interpreter<'a> {
    pub(crate) fn exec(&mut self, stmt: &'a Stmt) -> Res<()> {
        with_stack(|| self.exec_kind(&stmt.kind))
    }

    fn exec_kind(&mut self, stmt: &'a StmtKind) -> Res<()> {
        match stmt {
            StmtKind::Store { buffer, indices, value, predicate } => {
                self.exec_store(buffer, indices, value, predicate.as_ref())
            }
            StmtKind::For { var, min, extent, kind, body, .. } => self.exec_for(var, min, extent, kind, body),
            StmtKind::While { condition, body } => {
                while self.truth(condition)? {
                    self.exec(body)?;
                }
                Ok(())
            }
            StmtKind::If { condition, then, otherwise } => match (self.truth(condition)?, otherwise) {
                (true, _) => self.exec(then),
                (false, Some(otherwise)) => self.exec(otherwise),
                (false, None) => Ok(()),
            },
            StmtKind::Let { var, value, body } if var.dtype.is_handle() => {
                let address = self.address(value)?;
                self.data.insert(var.id(), address);
                self.exec(body)?;
                self.data.remove(&var.id());
                Ok(())
            }
            StmtKind::Let { var, value, body } => {
                let value = self.value(value)?;
                self.vars.insert(var.id(), value);
                self.exec(body)?;
                self.vars.remove(&var.id());
                Ok(())
            }
            StmtKind::Assert { condition, message } => {
                if self.truth(condition)? {
                    Ok(())
                } else {
                    Err(ErrorKind::Assert(message.to_string()).into())
                }
            }
            StmtKind::Seq(stmts) => stmts.iter().try_for_each(|stmt| self.exec(stmt)),
            StmtKind::Evaluate(expr) => match &expr.kind {
                // The result is dropped: the function may give anything, or nothing.
                ExprKind::Foreign { callee: callee @ ForeignCallee::Packed(_), args } => {
                    self.foreign(callee, args, DataType::VOID).map(drop)
                }
                _ => self.value(expr).map(drop),
            },
            StmtKind::Block { values, predicate, block } => self.exec_block(values, predicate, block),
            // Attributes are for passes and targets.
            StmtKind::Attr { body, .. } => self.exec(body),
            StmtKind::AllocateConst { buffer, data, body } => {
                self.allocate_constant(buffer, &data.0)?;
                self.exec(body)?;
                self.free(buffer);
                Ok(())
            }
            // The declaration of a view: its memory is there.
            StmtKind::Allocate { buffer, body } if self.data.contains_key(&buffer.data.id()) => {
                let view = self.view(buffer)?;
                self.views.insert(buffer.id(), view);
                self.exec(body)?;
                self.views.remove(&buffer.id());
                Ok(())
            }
            StmtKind::Allocate { buffer, body } => {
                self.allocate(buffer)?;
                self.exec(body)?;
                self.free(buffer);
                Ok(())
            }
        }
    }

    fn exec_store(&mut self, buffer: &Buffer, indices: &[Expr], value: &Expr, mask: Option<&Expr>) -> Res<()> {
        let indices = indices.iter().map(|i| self.index(i)).collect::<Res<Vec<_>>>()?;
        let value = self.value(value)?;
        let mask = match mask {
            Some(mask) => Some(self.value(mask)?),
            None => None,
        };
        let view = self.view(buffer)?;
        let lanes = indices.iter().map(Val::lanes).max().unwrap_or(1);
        let mut at = Vec::with_capacity(indices.len());
        for lane in 0..lanes {
            if mask.as_ref().is_some_and(|mask| !mask.lane(lane).as_bool()) {
                continue;
            }
            at.clear();
            at.extend(indices.iter().map(|index| index.lane(lane).as_int()));
            let element = value.lane(lane);
            if element.dtype() != view.dtype {
                let what = format!("value stored to buffer `{}`", buffer.name);
                let (expected, found) = (view.dtype.to_string(), element.dtype().to_string());
                return Err(ErrorKind::Mismatch { what, expected, found }.into());
            }
            self.store(buffer, &view, &at, element)?;
        }
        Ok(())
    }

    fn exec_for(&mut self, var: &'a Var, min: &Expr, extent: &Expr, kind: &ForKind, body: &'a Stmt) -> Res<()> {
        let (min, extent) = (self.int(min)?, self.int(extent)?);
        let last = min.checked_add(extent.max(1) - 1).filter(|&last| wrap(last, var.dtype) == last);
        if extent > 0 && last.is_none() {
            return Err(ErrorKind::IndexOverflow { dtype: var.dtype.to_string() }.into());
        }
        if let ForKind::ThreadBinding(tag) = kind
            && self.goes_together(tag, body)
        {
            return self.exec_threads(var, min, extent, body);
        }
        let among = match kind {
            ForKind::Serial | ForKind::Unrolled => None,
            ForKind::Parallel | ForKind::Vectorized => Some(Among::Iterations),
            ForKind::ThreadBinding(tag) if is_block(tag) => Some(Among::Blocks),
            // Threads that share a reduction all have its result, whatever memory that is.
            ForKind::ThreadBinding(_) if self.drives_a_reduction(var, body) => None,
            ForKind::ThreadBinding(_) => Some(Among::Threads),
        };
        let racing = among.is_some();
        if let Some(among) = among {
            let watermark = self.serial + 1;
            self.races.push(Race { loop_var: &var.name, iteration: 0, watermark, touched: Map::default(), among });
        }
        self.loops.push((&var.name, 0));
        match kind {
            ForKind::Serial | ForKind::Unrolled => {
                (0..extent).try_for_each(|i| self.exec_iteration(var, min, i, racing, body))?;
            }
            // Threads that share a reduction combine their parts, from the first one on, which begins it.
            ForKind::ThreadBinding(_) if self.drives_a_reduction(var, body) => {
                (0..extent).try_for_each(|i| self.exec_iteration(var, min, i, racing, body))?;
            }
            ForKind::Parallel | ForKind::Vectorized | ForKind::ThreadBinding(_) => {
                let mut order = self.random.order(extent);
                order.try_for_each(|i| self.exec_iteration(var, min, i, racing, body))?;
            }
        }
        self.loops.pop();
        if racing {
            self.races.pop();
        }
        self.vars.remove(&var.id());
        Ok(())
    }

    /// Whether the loop drives a reduction that begins with an init.
    fn drives_a_reduction(&mut self, var: &Var, body: &Stmt) -> bool {
        if let Some(&known) = self.shared_reductions.get(&body.address()) {
            return known;
        }
        let mut found = false;
        walk(body, |stmt: &Stmt| {
            if let StmtKind::Block { values, block, .. } = &stmt.kind {
                let mut axes = block.iters.iter().zip(values).filter(|(iter, _)| iter.kind == IterKind::Reduce);
                found |= block.init.is_some() && axes.any(|(_, value)| mentions(value, std::slice::from_ref(var)));
            }
        });
        self.shared_reductions.insert(body.address(), found);
        found
    }

    fn exec_iteration(&mut self, var: &Var, min: i64, i: i64, racing: bool, body: &'a Stmt) -> Res<()> {
        self.vars.insert(var.id(), Val::One(Scalar::from_int(min + i, var.dtype)));
        if let Some(innermost) = self.loops.last_mut() {
            innermost.1 = min + i;
        }
        if racing && let Some(race) = self.races.last_mut() {
            race.iteration = min + i;
        }
        self.exec(body)
    }
}
