//! `BF16ComputeLegalize`: arithmetic on bfloat16 in float32.
//!
//! Values stay float32 from one operation to the next and are rounded where they are stored. Temporaries of bfloat16
//! become ones of float32; parameters keep their type.

use tilewright_expr::node::VarId;
use tilewright_ir::tir::{Buffer, Expr, ExprKind, Intrinsic, PrimFunc, Stmt, StmtKind, Var};
use tilewright_support::{Map, with_stack};
use tilewright_tensor::DataType;

use super::{Options, below, with};
use crate::stmt::{Result, typed};

pub(super) fn bf16_compute_legalize(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let given = function.params.iter().filter_map(|param| param.buffer.as_ref()).map(|buffer| buffer.data.id());
    let mut cx = Legalize { given: given.collect(), buffers: Map::default(), vars: Map::default() };
    let body = cx.stmt(&function.body)?;
    Ok(with(function, body))
}

struct Legalize {
    /// Memory of parameters.
    given: Vec<VarId>,
    buffers: Map<VarId, Buffer>,
    vars: Map<VarId, Var>,
}

fn is_bf16(dtype: DataType) -> bool {
    dtype.element() == DataType::BF16
}

fn wide(dtype: DataType) -> DataType {
    DataType::F32.with_lanes(dtype.lanes)
}

/// The value in float32, if it is a bfloat16.
fn promoted(value: &Expr) -> Expr {
    match &value.kind {
        _ if !is_bf16(value.dtype) => value.clone(),
        ExprKind::Float(number) => Expr::float(number.0, DataType::F32),
        ExprKind::Broadcast(inner) => Expr::raw(wide(value.dtype), ExprKind::Broadcast(promoted(inner))),
        _ => Expr::raw(wide(value.dtype), ExprKind::Cast(value.clone())),
    }
}

impl Legalize {
    fn buffer(&self, buffer: &Buffer) -> Buffer {
        self.buffers.get(&buffer.id()).unwrap_or(buffer).clone()
    }

    fn widen(&mut self, buffer: &Buffer) -> Buffer {
        if !is_bf16(buffer.dtype) || self.given.contains(&buffer.data.id()) {
            return buffer.clone();
        }
        let make = || buffer.derive(|node| node.dtype = DataType::F32);
        self.buffers.entry(buffer.id()).or_insert_with(make).clone()
    }

    fn all(&mut self, exprs: &[Expr]) -> Result<Vec<Expr>> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    /// The expression; of bfloat16 arithmetic its value in float32.
    fn expr(&mut self, expr: &Expr) -> Result<Expr> {
        with_stack(|| self.node(expr))
    }

    fn node(&mut self, expr: &Expr) -> Result<Expr> {
        Ok(match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_) => expr.clone(),
            ExprKind::Var(var) => self.vars.get(&var.id()).map_or_else(|| expr.clone(), Expr::var),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (promoted(&self.expr(a)?), promoted(&self.expr(b)?));
                typed(Expr::binary(*op, &a, &b))?
            }
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (promoted(&self.expr(a)?), promoted(&self.expr(b)?));
                typed(Expr::compare(*op, &a, &b))?
            }
            ExprKind::Not(a) => typed(self.expr(a)?.not())?,
            ExprKind::Select { condition, then, otherwise } => {
                let (condition, then) = (self.expr(condition)?, promoted(&self.expr(then)?));
                typed(Expr::select(&condition, &then, &promoted(&self.expr(otherwise)?)))?
            }
            ExprKind::Cast(value) => {
                let value = promoted(&self.expr(value)?);
                let dtype = if is_bf16(expr.dtype) { wide(expr.dtype) } else { expr.dtype };
                typed(value.cast(dtype))?
            }
            ExprKind::Load { buffer, indices, predicate } => {
                let buffer = self.buffer(buffer);
                let dtype = buffer.dtype.with_lanes(expr.dtype.lanes);
                let (indices, predicate) = (self.all(indices)?, predicate.clone());
                Expr::raw(dtype, ExprKind::Load { buffer, indices, predicate })
            }
            ExprKind::Broadcast(value) => {
                let value = self.expr(value)?;
                Expr::raw(value.dtype.with_lanes(expr.dtype.lanes), ExprKind::Broadcast(value))
            }
            ExprKind::Ramp { base, stride } => {
                let (base, stride) = (self.expr(base)?, self.expr(stride)?);
                Expr::raw(expr.dtype, ExprKind::Ramp { base, stride })
            }
            ExprKind::Let { var, value, body } => {
                let (var, value) = self.bound(var, value)?;
                let body = self.expr(body)?;
                Expr::raw(body.dtype, ExprKind::Let { var, value, body })
            }
            ExprKind::Call { intrinsic, args } => {
                let args: Vec<Expr> = self.all(args)?.iter().map(promoted).collect();
                match intrinsic {
                    Intrinsic::IfThenElse => {
                        let dtype = args.get(1).map_or(expr.dtype, |arg| arg.dtype);
                        Expr::raw(dtype, ExprKind::Call { intrinsic: *intrinsic, args })
                    }
                    _ => typed(Expr::call(*intrinsic, &args))?,
                }
            }
            ExprKind::Shuffle { .. } | ExprKind::Reinterpret(_) | ExprKind::AddressOf { .. } => expr.clone(),
            ExprKind::Foreign { callee, args } => Expr::foreign(expr.dtype, callee.clone(), self.all(args)?),
        })
    }

    /// A variable and its value, in float32 where it was bfloat16.
    fn bound(&mut self, var: &Var, value: &Expr) -> Result<(Var, Expr)> {
        let value = promoted(&self.expr(value)?);
        if value.dtype == var.dtype {
            return Ok((var.clone(), value));
        }
        let own = Var::new(var.name.clone(), value.dtype);
        self.vars.insert(var.id(), own.clone());
        Ok((own, value))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        Ok(match &stmt.kind {
            StmtKind::Store { buffer, indices, value, predicate } => {
                let (buffer, indices, value) = (self.buffer(buffer), self.all(indices)?, self.expr(value)?);
                let dtype = buffer.dtype.with_lanes(value.dtype.lanes);
                let value = if value.dtype == dtype { value } else { typed(value.cast(dtype))? };
                StmtKind::Store { buffer, indices, value, predicate: predicate.clone() }.into()
            }
            StmtKind::Allocate { buffer, body } => {
                let buffer = self.widen(buffer);
                StmtKind::Allocate { buffer, body: with_stack(|| self.stmt(body))? }.into()
            }
            StmtKind::Let { var, value, body } => {
                let (var, value) = self.bound(var, value)?;
                StmtKind::Let { var, value, body: with_stack(|| self.stmt(body))? }.into()
            }
            StmtKind::If { condition, then, otherwise } => {
                let condition = self.expr(condition)?;
                let then = with_stack(|| self.stmt(then))?;
                let otherwise = otherwise.as_ref().map(|stmt| self.stmt(stmt)).transpose()?;
                StmtKind::If { condition, then, otherwise }.into()
            }
            StmtKind::While { condition, body } => {
                let condition = self.expr(condition)?;
                StmtKind::While { condition, body: with_stack(|| self.stmt(body))? }.into()
            }
            StmtKind::Assert { condition, message } => {
                StmtKind::Assert { condition: self.expr(condition)?, message: message.clone() }.into()
            }
            StmtKind::Evaluate(value) => StmtKind::Evaluate(self.expr(value)?).into(),
            StmtKind::Block { values, predicate, block } => {
                let mut block = block.clone();
                block.alloc_buffers = block.alloc_buffers.iter().map(|buffer| self.widen(buffer)).collect();
                for region in block.reads.iter_mut().chain(&mut block.writes) {
                    region.buffer = self.buffer(&region.buffer);
                }
                block.init = block.init.as_ref().map(|init| self.stmt(init)).transpose()?;
                block.body = with_stack(|| self.stmt(&block.body))?;
                StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into()
            }
            _ => below(stmt, &mut |s| self.stmt(s))?,
        })
    }
}
