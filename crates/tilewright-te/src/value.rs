//! Scalar formulas over elements of tensors.

use std::fmt;
use std::sync::Arc;

use tilewright_expr::{BinOp, CmpOp, Expr, Intrinsic, TypeMismatch};
use tilewright_tensor::DataType;

use crate::Tensor;
use crate::reduce::Reduction;

/// A formula that cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeError(pub String);

impl fmt::Display for TeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TeError {}

impl From<TypeMismatch> for TeError {
    fn from(error: TypeMismatch) -> Self {
        Self(error.0)
    }
}

impl From<TeError> for tilewright_ir::op::InferError {
    fn from(error: TeError) -> Self {
        Self::new(error.0)
    }
}

/// A scalar formula with the tensors that it reads; wrong operands make it carry their error on.
#[derive(Clone, Debug)]
pub struct Value {
    expr: Result<Expr, TeError>,
    /// Each tensor once, in order of first mention.
    reads: Vec<Tensor>,
    /// Set on the result of a reduction, which must be the whole formula of its tensor.
    reduction: Option<Arc<Reduction>>,
}

/// The formula, the tensors that it reads, and the reduction that it is, if it is one.
pub(crate) type Parts = (Expr, Vec<Tensor>, Option<Arc<Reduction>>);

/// The other operand of an operator: a value, or a number that takes the first operand's type.
#[derive(Clone, Debug)]
pub enum Operand {
    Value(Value),
    Int(i64),
    Float(f64),
}

impl From<Value> for Operand {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}
impl From<&Value> for Operand {
    fn from(value: &Value) -> Self {
        Self::Value(value.clone())
    }
}
impl From<i64> for Operand {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}
impl From<f64> for Operand {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}
impl From<Expr> for Value {
    fn from(expr: Expr) -> Self {
        Self { expr: Ok(expr), reads: Vec::new(), reduction: None }
    }
}

impl Value {
    pub(crate) fn wrong(error: impl Into<TeError>) -> Self {
        Self { expr: Err(error.into()), reads: Vec::new(), reduction: None }
    }

    pub(crate) fn of_reduction(reduction: Reduction, reads: Vec<Tensor>) -> Self {
        Self { expr: Ok(reduction.value.clone()), reads, reduction: Some(Arc::new(reduction)) }
    }

    /// The formula, or what is wrong with it.
    pub fn expr(&self) -> Result<&Expr, TeError> {
        self.expr.as_ref().map_err(Clone::clone)
    }

    /// The type of the value, where it has one.
    pub fn dtype(&self) -> Option<DataType> {
        self.expr.as_ref().ok().map(|e| e.dtype)
    }

    pub(crate) fn into_parts(self) -> Result<Parts, TeError> {
        Ok((self.expr?, self.reads, self.reduction))
    }

    /// A value made of others by a checked constructor.
    pub(crate) fn made(operands: &[&Self], make: impl FnOnce(&[Expr]) -> Result<Expr, TypeMismatch>) -> Self {
        if operands.iter().any(|v| v.reduction.is_some()) {
            return Self::wrong(TeError("a reduction must be the whole formula of its tensor".into()));
        }
        let exprs = operands.iter().map(|v| v.expr.clone()).collect::<Result<Vec<_>, _>>();
        let expr = exprs.and_then(|exprs| make(&exprs).map_err(TeError::from));
        let mut reads = Vec::new();
        for tensor in operands.iter().flat_map(|v| &v.reads) {
            if !reads.contains(tensor) {
                reads.push(tensor.clone());
            }
        }
        Self { expr, reads, reduction: None }
    }

    pub(crate) fn element(tensor: &Tensor, indices: &[&Self]) -> Self {
        let mut value = Self::made(indices, |indices| Expr::load(tensor.buffer(), indices.to_vec()));
        if !value.reads.contains(tensor) {
            value.reads.push(tensor.clone());
        }
        value
    }

    fn operand(&self, other: Operand) -> Self {
        let dtype = self.dtype().unwrap_or(DataType::F32);
        match other {
            Operand::Value(value) => value,
            Operand::Int(value) => Expr::number(value, dtype).into(),
            Operand::Float(value) if dtype.is_float() => Expr::float(value, dtype).into(),
            Operand::Float(value) => Expr::float(value, DataType::F32).into(),
        }
    }

    /// A binary operation; operands of different types meet as [`Expr::matched`] says.
    pub fn binary(&self, op: BinOp, other: impl Into<Operand>) -> Self {
        Self::made(&[self, &self.operand(other.into())], |e| Expr::binary(op, &e[0], &e[1]))
    }

    pub fn compare(&self, op: CmpOp, other: impl Into<Operand>) -> Self {
        Self::made(&[self, &self.operand(other.into())], |e| Expr::compare(op, &e[0], &e[1]))
    }

    /// The larger operand; NaN if either is.
    pub fn max(&self, other: impl Into<Operand>) -> Self {
        self.binary(BinOp::Max, other)
    }

    /// The smaller operand; NaN if either is.
    pub fn min(&self, other: impl Into<Operand>) -> Self {
        self.binary(BinOp::Min, other)
    }

    /// An operation by name on this value alone.
    pub fn intrinsic(&self, intrinsic: Intrinsic) -> Self {
        Self::made(&[self], |e| Expr::call(intrinsic, e))
    }

    pub fn cast(&self, dtype: DataType) -> Self {
        Self::made(&[self], |e| e[0].cast(dtype))
    }

    /// `then` where this value (a bool) is true; both are evaluated.
    pub fn select(&self, then: &Self, otherwise: &Self) -> Self {
        Self::made(&[self, then, otherwise], |e| Expr::select(&e[0], &e[1], &e[2]))
    }

    /// `then` where this value (a bool) is true; only the one that is taken is evaluated.
    pub fn if_then_else(&self, then: &Self, otherwise: &Self) -> Self {
        Self::made(&[self, then, otherwise], |e| Expr::call(Intrinsic::IfThenElse, e))
    }
}

macro_rules! operator {
    ($($trait:ident $method:ident $op:ident;)*) => { $(
        impl<R: Into<Operand>> std::ops::$trait<R> for &Value {
            type Output = Value;
            fn $method(self, other: R) -> Value {
                self.binary(BinOp::$op, other)
            }
        }
        impl<R: Into<Operand>> std::ops::$trait<R> for Value {
            type Output = Value;
            fn $method(self, other: R) -> Value {
                self.binary(BinOp::$op, other)
            }
        }
    )* };
}
operator! {
    Add add Add;
    Sub sub Sub;
    Mul mul Mul;
    Div div Div;
}

impl std::ops::Neg for &Value {
    type Output = Value;
    /// Floats by the sign, so that the negative of 0 is -0: multiplied by -1.
    fn neg(self) -> Value {
        self.binary(BinOp::Mul, -1)
    }
}
