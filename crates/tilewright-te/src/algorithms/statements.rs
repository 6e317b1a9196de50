//! Statements that algorithms are written with.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Scope, Var};
use tilewright_ir::tir::{Block, ForKind, Stmt, StmtKind};
use tilewright_tensor::DataType;

use crate::TeError;

pub(super) fn looped(var: &Var, extent: &Expr, kind: ForKind, body: Stmt) -> Stmt {
    Stmt::for_loop(var, Expr::i64(0), extent.clone(), kind, body)
}

pub(super) fn serial(var: &Var, extent: &Expr, body: Stmt) -> Stmt {
    looped(var, extent, ForKind::Serial, body)
}

/// Consecutive indices from `begin` on, one per lane; of one lane a scalar.
pub(super) fn vector(begin: &Expr, lanes: u16) -> Result<Expr, TeError> {
    if lanes == 1 { Ok(begin.clone()) } else { Ok(Expr::ramp(begin, &Expr::int(1, begin.dtype), lanes)?) }
}

/// A buffer in local memory of a task.
pub(super) fn local(name: &str, size: i64, dtype: DataType) -> Buffer {
    Buffer::new(name, vec![Expr::i64(size)], dtype).derive(|node| node.scope = Scope::Local)
}

pub(super) fn when(condition: Expr, then: Stmt, otherwise: Option<Stmt>) -> Stmt {
    StmtKind::If { condition, then, otherwise }.into()
}

pub(super) fn both(a: &Expr, b: &Expr) -> Result<Expr, TeError> {
    Ok(Expr::binary(BinOp::And, a, b)?)
}

pub(super) fn compare(op: CmpOp, a: &Expr, b: &Expr) -> Result<Expr, TeError> {
    Ok(Expr::compare(op, a, b)?)
}

/// A mutable scalar, in local memory.
#[derive(Clone)]
pub(super) struct Cell(Buffer);

impl Cell {
    pub(super) fn new(name: &str, dtype: DataType) -> Self {
        Self(local(name, 1, dtype))
    }

    pub(super) fn get(&self) -> Result<Expr, TeError> {
        Ok(Expr::load(&self.0, vec![Expr::i64(0)])?)
    }

    pub(super) fn set(&self, value: &Expr) -> Result<Stmt, TeError> {
        Ok(Stmt::store(&self.0, vec![Expr::i64(0)], value)?)
    }

    pub(super) fn around(&self, body: Stmt) -> Stmt {
        with_local(self.0.clone(), body)
    }
}

/// A sequence of `Let` bindings around the statements that use them.
#[derive(Default)]
pub(super) struct Names(Vec<(Var, Expr)>);

impl Names {
    pub(super) fn name(&mut self, name: &str, value: Expr) -> Expr {
        let var = Var::new(name, value.dtype);
        self.0.push((var.clone(), value));
        Expr::var(&var)
    }

    /// The sum of a vector's lanes.
    pub(super) fn total(&mut self, vector: Expr) -> Result<Expr, TeError> {
        let mut sum = self.name("sum", vector);
        let mut half = usize::from(sum.dtype.lanes) / 2;
        while half > 0 {
            let part = |from: usize| Expr::shuffle(vec![sum.clone()], (from..from + half).collect());
            let next = Expr::binary(BinOp::Add, &part(0)?, &part(half)?)?;
            sum = self.name("sum", next);
            half /= 2;
        }
        Ok(sum.cast(DataType::I64)?)
    }

    pub(super) fn around(self, body: Stmt) -> Stmt {
        self.0.into_iter().rev().fold(body, |body, (var, value)| StmtKind::Let { var, value, body }.into())
    }
}

/// `ceil(number / size)`, for a number that is not negative.
pub(super) fn parts(number: &Expr, size: i64) -> Expr {
    match number.as_int() {
        Some(number) => Expr::i64(number.max(0).saturating_add(size - 1) / size),
        None => number.ceil_div(size).unwrap_or_else(|_| number.clone()),
    }
}

/// The statement with a buffer that is allocated for it.
pub(super) fn with_local(buffer: Buffer, body: Stmt) -> Stmt {
    let block = Block::without_axes("line", vec![buffer], body);
    StmtKind::Block { values: Vec::new(), predicate: Expr::bool(true), block }.into()
}
