//! `VectorizeLoop`: a vectorised loop as one vector of as many lanes as it has iterations.
//!
//! What has no form in lanes becomes a serial loop of its own around that statement: a choice by lane, a loop whose
//! extent depends on the lane, a call with effects. A temporary that is allocated in the loop gets an element for each
//! lane. With `enable_vectorize` false, the loops become serial ones.

use std::cell::RefCell;

use tilewright_arith::{Analyzer, worked_out};
use tilewright_expr::node::{AnyHandle, VarId, walk_some};
use tilewright_ir::tir::{
    BinOp, Buffer, CmpOp, Expr, ExprKind, ForKind, ForeignCallee, Intrinsic, PrimFunc, Range, Stmt, StmtKind, Var,
};
use tilewright_support::{Map, with_stack};
use tilewright_tensor::DataType;

use super::{Options, below, no_op, refuse, seq, with};
use crate::stmt::{Result, analyzer_of, typed};
use crate::substitute::{Substitute, reindex};

pub(super) fn vectorize_loop(options: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let enabled = options.get("enable_vectorize").is_none_or(tilewright_ir::Attr::is_true);
    let mut analyzer = analyzer_of(function);
    let body = loops(&mut analyzer, enabled, &function.body)?;
    Ok(with(function, body))
}

fn loops(analyzer: &mut Analyzer, enabled: bool, stmt: &Stmt) -> Result<Stmt> {
    let StmtKind::For { var, min, extent, kind, annotations, body } = &stmt.kind else {
        return below(stmt, &mut |s| loops(analyzer, enabled, s));
    };
    let scope = analyzer.enter();
    analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
    let inside = loop_of(analyzer, enabled, stmt);
    analyzer.leave(scope);
    match (inside?, kind) {
        (Some(vector), _) => Ok(vector),
        (None, _) => {
            let body = with_stack(|| loops(analyzer, enabled, body))?;
            let kind = if *kind == ForKind::Vectorized { ForKind::Serial } else { kind.clone() };
            let (min, extent, annotations) = (min.clone(), extent.clone(), annotations.clone());
            Ok(StmtKind::For { var: var.clone(), min, extent, kind, annotations, body }.into())
        }
    }
}

/// The vectorised loop in lanes; `None` for other loops.
fn loop_of(analyzer: &Analyzer, enabled: bool, stmt: &Stmt) -> Result<Option<Stmt>> {
    let StmtKind::For { var, min, extent, kind: ForKind::Vectorized, body, .. } = &stmt.kind else { return Ok(None) };
    if !enabled {
        return Ok(None);
    }
    let Some(count) = extent.as_int() else {
        return refuse(format!("the loop over `{}` is vectorised, and its extent is no constant", var.name));
    };
    let lanes = match u16::try_from(count) {
        Ok(0) => return Ok(Some(no_op())),
        Ok(1) => return Ok(Some(Substitute::value(var, min.clone()).apply(body))),
        Ok(lanes) => lanes,
        Err(_) => return refuse(format!("the loop over `{}` has {count} iterations: too many lanes", var.name)),
    };
    let ramp = typed(Expr::ramp(min, &Expr::int(1, min.dtype), lanes))?;
    let mut cx = Lanes { analyzer, var, min, lanes, ramp, lets: Map::default(), memo: RefCell::default() };
    // Values by lane that a statement without a form in lanes needs: the loop as a whole stays serial.
    Ok(cx.stmt(body).ok())
}

/// There is no form in lanes.
struct NoForm;

type InLanes<T> = std::result::Result<T, NoForm>;

struct Lanes<'a> {
    analyzer: &'a Analyzer,
    var: &'a Var,
    min: &'a Expr,
    lanes: u16,
    /// The variable's values.
    ramp: Expr,
    /// Variables of lets that are vectors.
    lets: Map<VarId, Var>,
    /// What was made of expressions under these lets, by address; the expression is kept alive.
    memo: RefCell<Map<usize, (Expr, Expr)>>,
}

fn checked<T, E>(result: std::result::Result<T, E>) -> InLanes<T> {
    result.map_err(|_| NoForm)
}

fn parts(ramp: &Expr) -> Option<(&Expr, &Expr)> {
    match &ramp.kind {
        ExprKind::Ramp { base, stride } => Some((base, stride)),
        _ => None,
    }
}

fn scalar(op: BinOp, a: &Expr, b: &Expr) -> InLanes<Expr> {
    checked(worked_out(op, a, b))
}

impl Lanes<'_> {
    fn varies(&self, expr: &Expr) -> bool {
        let mut found = false;
        walk_some(expr, |node| {
            found |= node.downcast::<Var>().is_some_and(|var| var == self.var || self.lets.contains_key(&var.id()));
            !found
        });
        found
    }

    fn wide(&self, expr: &Expr) -> InLanes<Expr> {
        checked(expr.broadcast(self.lanes))
    }

    fn expr(&self, expr: &Expr) -> InLanes<Expr> {
        if let Some((_, known)) = self.memo.borrow().get(&expr.address()) {
            return Ok(known.clone());
        }
        let made = if self.varies(expr) { with_stack(|| self.varying(expr))? } else { expr.clone() };
        self.memo.borrow_mut().insert(expr.address(), (expr.clone(), made.clone()));
        Ok(made)
    }

    fn varying(&self, expr: &Expr) -> InLanes<Expr> {
        match &expr.kind {
            ExprKind::Var(var) if var == self.var => Ok(self.ramp.clone()),
            ExprKind::Var(var) => self.lets.get(&var.id()).map(Expr::var).ok_or(NoForm),
            ExprKind::Binary(op, a, b) => self.binary(*op, &self.expr(a)?, &self.expr(b)?),
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (self.wide(&self.expr(a)?)?, self.wide(&self.expr(b)?)?);
                checked(Expr::compare(*op, &a, &b))
            }
            ExprKind::Not(a) => checked(self.expr(a)?.not()),
            ExprKind::Select { condition, then, otherwise } => {
                let [c, t, e] = [condition, then, otherwise].map(|e| self.expr(e).and_then(|e| self.wide(&e)));
                checked(Expr::select(&c?, &t?, &e?))
            }
            ExprKind::Cast(value) => {
                let value = self.expr(value)?;
                let dtype = expr.dtype.with_lanes(value.dtype.lanes);
                Ok(Expr::raw(dtype, ExprKind::Cast(value)))
            }
            ExprKind::Reinterpret(value) => {
                let value = self.expr(value)?;
                Ok(Expr::raw(expr.dtype.with_lanes(value.dtype.lanes), ExprKind::Reinterpret(value)))
            }
            ExprKind::Load { buffer, indices, predicate: None } => {
                let indices = self.indices(indices)?;
                checked(Expr::load(buffer, indices))
            }
            ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => match args.as_slice() {
                [condition, then, otherwise] if !self.varies(condition) => {
                    let (then, otherwise) = (self.wide(&self.expr(then)?)?, self.wide(&self.expr(otherwise)?)?);
                    let args = vec![condition.clone(), then.clone(), otherwise];
                    Ok(Expr::raw(then.dtype, ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args }))
                }
                _ => Err(NoForm),
            },
            ExprKind::Call { intrinsic, args } => {
                let args = args.iter().map(|arg| self.wide(&self.expr(arg)?)).collect::<InLanes<Vec<_>>>()?;
                checked(Expr::call(*intrinsic, &args))
            }
            ExprKind::Foreign { callee: callee @ ForeignCallee::PureExtern(_), args } => {
                let args = args.iter().map(|arg| self.expr(arg)).collect::<InLanes<Vec<_>>>()?;
                Ok(Expr::foreign(expr.dtype.with_lanes(self.lanes), callee.clone(), args))
            }
            _ => Err(NoForm),
        }
    }

    fn binary(&self, op: BinOp, a: &Expr, b: &Expr) -> InLanes<Expr> {
        let positive = |e: &Expr| self.analyzer.decide(CmpOp::Gt, e, &Expr::int(0, e.dtype)) == Some(true);
        let ramp = |base: Expr, stride: Expr| checked(Expr::ramp(&base, &stride, self.lanes));
        match (op, parts(a), parts(b)) {
            (BinOp::Add | BinOp::Sub, Some((base, stride)), None) if b.dtype.is_scalar() => {
                ramp(scalar(op, base, b)?, stride.clone())
            }
            (BinOp::Add, None, Some((base, stride))) if a.dtype.is_scalar() => {
                ramp(scalar(op, a, base)?, stride.clone())
            }
            (BinOp::Sub, None, Some((base, stride))) if a.dtype.is_scalar() => {
                ramp(scalar(op, a, base)?, scalar(op, &Expr::int(0, stride.dtype), stride)?)
            }
            (BinOp::Mul, Some((base, stride)), None) if b.dtype.is_scalar() && positive(b) => {
                ramp(scalar(op, base, b)?, scalar(op, stride, b)?)
            }
            (BinOp::Mul, None, Some((base, stride))) if a.dtype.is_scalar() && positive(a) => {
                ramp(scalar(op, base, a)?, scalar(op, stride, a)?)
            }
            // The right side of a lazy operator is evaluated in every lane.
            (BinOp::And | BinOp::Or, ..) if crate::stmt::reads(b) => Err(NoForm),
            _ => checked(Expr::binary(op, &self.wide(a)?, &self.wide(b)?)),
        }
    }

    /// Only the last index may be a vector.
    fn indices(&self, indices: &[Expr]) -> InLanes<Vec<Expr>> {
        let Some((last, outer)) = indices.split_last() else { return Err(NoForm) };
        if outer.iter().any(|index| self.varies(index)) {
            return Err(NoForm);
        }
        Ok(outer.iter().cloned().chain([self.expr(last)?]).collect())
    }

    /// A serial loop around the statement.
    fn serial(&self, stmt: &Stmt) -> InLanes<Stmt> {
        if !self.lets.is_empty() {
            return Err(NoForm);
        }
        let var = Var::new(format!("{}_s", self.var.name), self.var.dtype);
        let body = Substitute::value(self.var, Expr::var(&var)).apply(stmt);
        let extent = Expr::int(i64::from(self.lanes), var.dtype);
        Ok(Stmt::for_loop(&var, self.min.clone(), extent, ForKind::Serial, body))
    }

    fn stmt(&mut self, stmt: &Stmt) -> InLanes<Stmt> {
        match with_stack(|| self.in_lanes(stmt)) {
            Ok(stmt) => Ok(stmt),
            Err(NoForm) => self.serial(stmt),
        }
    }

    fn in_lanes(&mut self, stmt: &Stmt) -> InLanes<Stmt> {
        let own_vary = stmt.own_exprs().iter().any(|e| self.varies(e));
        match &stmt.kind {
            StmtKind::Store { .. } if !own_vary => Ok(stmt.clone()),
            StmtKind::Store { buffer, indices, value, predicate: None } => {
                let mut indices = self.indices(indices)?;
                let value = self.expr(value)?;
                let last = indices.pop().ok_or(NoForm)?;
                indices.push(self.wide(&last)?);
                let value = self.wide(&value)?;
                checked(Stmt::store(buffer, indices, &value))
            }
            StmtKind::Seq(stmts) => {
                let stmts = stmts.iter().map(|stmt| self.stmt(stmt)).collect::<InLanes<Vec<_>>>()?;
                Ok(seq(stmts))
            }
            StmtKind::For { var, min, extent, annotations, body, kind } if !own_vary => {
                let body = self.stmt(body)?;
                let kind = if *kind == ForKind::Vectorized { ForKind::Serial } else { kind.clone() };
                let (min, extent, annotations) = (min.clone(), extent.clone(), annotations.clone());
                Ok(StmtKind::For { var: var.clone(), min, extent, kind, annotations, body }.into())
            }
            StmtKind::If { condition, then, otherwise } if !own_vary => {
                let then = self.stmt(then)?;
                let otherwise = otherwise.as_ref().map(|stmt| self.stmt(stmt)).transpose()?;
                Ok(StmtKind::If { condition: condition.clone(), then, otherwise }.into())
            }
            StmtKind::Let { var, value, body } => {
                let value = self.expr(value)?;
                if value.dtype.is_scalar() {
                    let body = self.stmt(body)?;
                    return Ok(StmtKind::Let { var: var.clone(), value, body }.into());
                }
                let vector = Var::new(var.name.clone(), value.dtype);
                self.lets.insert(var.id(), vector.clone());
                self.memo.borrow_mut().clear();
                let body = self.stmt(body);
                self.lets.remove(&var.id());
                self.memo.borrow_mut().clear();
                Ok(StmtKind::Let { var: vector, value, body: body? }.into())
            }
            StmtKind::Attr { node, key, value, body } if !own_vary => {
                let (node, key, value) = (node.clone(), key.clone(), value.clone());
                Ok(StmtKind::Attr { node, key, value, body: self.stmt(body)? }.into())
            }
            StmtKind::Allocate { buffer, body } if !own_vary => self.allocation(buffer, body),
            StmtKind::Evaluate(_) | StmtKind::Assert { .. } if !own_vary => Ok(stmt.clone()),
            _ => Err(NoForm),
        }
    }

    /// A temporary of the loop has an element for each lane, next to each other.
    fn allocation(&mut self, buffer: &Buffer, body: &Stmt) -> InLanes<Stmt> {
        if !buffer.strides.is_empty() || buffer.rank() == 0 {
            return Err(NoForm);
        }
        let lanes = |dtype: DataType| Expr::int(i64::from(self.lanes), dtype);
        let mut shape = buffer.shape.clone();
        let last = shape.pop().ok_or(NoForm)?;
        shape.push(scalar(BinOp::Mul, &last, &lanes(last.dtype))?);
        let wide = buffer.derive(|node| node.shape = shape);
        let lane = scalar(BinOp::Sub, &Expr::var(self.var), self.min)?;
        let mut failed = false;
        let body = reindex(body, |used, indices| {
            if used != buffer {
                return None;
            }
            let (last, outer) = indices.split_last()?;
            let spread = || scalar(BinOp::Add, &scalar(BinOp::Mul, last, &lanes(last.dtype))?, &lane);
            match spread() {
                Ok(index) => Some((wide.clone(), outer.iter().cloned().chain([index]).collect())),
                Err(NoForm) => {
                    failed = true;
                    None
                }
            }
        });
        if failed {
            return Err(NoForm);
        }
        let body = self.stmt(&body)?;
        Ok(StmtKind::Allocate { buffer: wide, body }.into())
    }
}
