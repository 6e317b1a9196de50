//! Reductions: axes that a formula runs over, and the operations that combine what it gives.

use std::ops::Deref;

use tilewright_expr::{BinOp, Expr, Range, TypeMismatch, Var};
use tilewright_tensor::{DataType, TypeCode};

use crate::{TeError, Value};

/// An axis that a reduction runs over; as a value it is the index along it.
#[derive(Clone, Debug)]
pub struct ReduceAxis {
    pub(crate) var: Var,
    pub(crate) range: Range,
    value: Value,
}

impl Deref for ReduceAxis {
    type Target = Value;
    fn deref(&self) -> &Value {
        &self.value
    }
}

/// The integers from `min` up to and without `end`.
pub fn reduce_axis(min: Expr, end: Expr, name: &str) -> ReduceAxis {
    let extent = match (min.as_int(), end.as_int()) {
        (Some(0), _) => Ok(end),
        (Some(a), Some(b)) => Ok(Expr::int(b.saturating_sub(a), end.dtype)),
        _ => Expr::binary(BinOp::Sub, &end, &min),
    };
    let (range, error) = match extent {
        Ok(extent) => (min.cast(extent.dtype).map(|min| Range::new(min, extent.clone())), None),
        Err(error) => (Ok(Range::up_to(Expr::i64(0))), Some(error)),
    };
    let (range, error) = match range {
        Ok(range) => (range, error),
        Err(mismatch) => (Range::up_to(Expr::i64(0)), Some(mismatch)),
    };
    let var = Var::new(name, range.extent.dtype);
    let value = match error {
        None => Value::from(Expr::var(&var)),
        Some(error) => Value::wrong(error),
    };
    ReduceAxis { var, range, value }
}

/// An associative operation with a neutral element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reducer {
    Sum,
    Prod,
    /// NaN if any element is.
    Max,
    /// NaN if any element is.
    Min,
}

impl Reducer {
    fn op(self) -> BinOp {
        match self {
            Self::Sum => BinOp::Add,
            Self::Prod => BinOp::Mul,
            Self::Max => BinOp::Max,
            Self::Min => BinOp::Min,
        }
    }

    /// What nothing at all reduces to.
    pub fn identity(self, dtype: DataType) -> Expr {
        match self {
            Self::Sum => Expr::number(0, dtype),
            Self::Prod => Expr::number(1, dtype),
            Self::Max if dtype.is_float() => Expr::float(f64::NEG_INFINITY, dtype),
            Self::Min if dtype.is_float() => Expr::float(f64::INFINITY, dtype),
            Self::Max => Expr::int(least(dtype), dtype),
            Self::Min => Expr::int(greatest(dtype), dtype),
        }
    }

    pub(crate) fn combine(self, sofar: &Expr, next: &Expr) -> Result<Expr, TypeMismatch> {
        Expr::binary(self.op(), sofar, next)
    }
}

fn least(dtype: DataType) -> i64 {
    match dtype.code {
        TypeCode::Int if dtype.bits >= 64 => i64::MIN,
        TypeCode::Int => -(1 << (dtype.bits - 1)),
        _ => 0,
    }
}

/// The greatest integer of the type; of `uint64` its bits.
fn greatest(dtype: DataType) -> i64 {
    match dtype.code {
        TypeCode::Bool => 1,
        TypeCode::Int if dtype.bits >= 64 => i64::MAX,
        TypeCode::Int => (1 << (dtype.bits - 1)) - 1,
        _ if dtype.bits >= 64 => -1,
        _ => (1 << dtype.bits) - 1,
    }
}

/// What a reduction's tensor computes for each of its elements.
#[derive(Clone, Debug)]
pub(crate) struct Reduction {
    pub(crate) reducer: Reducer,
    pub(crate) axes: Vec<(Var, Range)>,
    pub(crate) value: Expr,
}

/// Combines the value over all indices along the axes.
pub fn reduce(reducer: Reducer, value: Value, axes: &[&ReduceAxis]) -> Value {
    // The axes go through `made`, so that an axis that went wrong is heard of.
    let mut operands = vec![&value];
    operands.extend(axes.iter().map(|axis| &axis.value));
    let checked = Value::made(&operands, |exprs| {
        reducer.combine(&exprs[0], &exprs[0])?;
        Ok(exprs[0].clone())
    });
    match checked.into_parts() {
        Err(error) => Value::wrong(error),
        Ok(_) if axes.is_empty() => Value::wrong(TeError("a reduction needs at least one axis".into())),
        Ok((value, reads, _)) => {
            let axes = axes.iter().map(|axis| (axis.var.clone(), axis.range.clone())).collect();
            Value::of_reduction(Reduction { reducer, axes, value }, reads)
        }
    }
}

pub fn sum(value: Value, axes: &[&ReduceAxis]) -> Value {
    reduce(Reducer::Sum, value, axes)
}

pub fn prod(value: Value, axes: &[&ReduceAxis]) -> Value {
    reduce(Reducer::Prod, value, axes)
}

pub fn max_over(value: Value, axes: &[&ReduceAxis]) -> Value {
    reduce(Reducer::Max, value, axes)
}

pub fn min_over(value: Value, axes: &[&ReduceAxis]) -> Value {
    reduce(Reducer::Min, value, axes)
}
