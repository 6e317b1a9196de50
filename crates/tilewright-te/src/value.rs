//! Scalar formulas over elements of tensors.

use std::fmt;
use std::sync::Arc;

use tilewright_expr::{BinOp, CmpOp, Expr, Intrinsic, TypeMismatch, Var};
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
    /// Axes of reductions that the formula refers to and that no reduction in it runs over.
    over: Vec<Var>,
    /// Set on a result of a reduction, which must be the whole formula of its tensor: its number among the results.
    reduction: Option<(Arc<Reduction>, usize)>,
}

/// The contents of a valid [`Value`].
pub(crate) struct Parts {
    pub(crate) expr: Expr,
    pub(crate) reads: Vec<Tensor>,
    pub(crate) over: Vec<Var>,
    pub(crate) reduction: Option<(Arc<Reduction>, usize)>,
}

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
impl From<Expr> for Operand {
    fn from(value: Expr) -> Self {
        Self::Value(value.into())
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
        Self::reading(expr, Vec::new(), Vec::new())
    }
}

/// Whether a type represents the number; a negative one may be the bits of an unsigned number.
fn fits(value: i64, dtype: DataType) -> bool {
    let bits = u32::from(dtype.bits);
    if !dtype.is_int() || bits >= 64 {
        return true;
    }
    let (min, max) = (-(1_i64 << (bits - 1)), 1_i64 << (bits - u32::from(dtype.is_signed())));
    (min..max).contains(&value)
}

/// The tensors and axes of both lists, each once.
fn joined<'a, T: PartialEq + Clone + 'a>(lists: impl IntoIterator<Item = &'a Vec<T>>) -> Vec<T> {
    let mut all = Vec::new();
    for item in lists.into_iter().flatten() {
        if !all.contains(item) {
            all.push(item.clone());
        }
    }
    all
}

impl Value {
    /// A formula that cannot be.
    pub fn wrong(error: impl Into<TeError>) -> Self {
        Self { expr: Err(error.into()), reads: Vec::new(), over: Vec::new(), reduction: None }
    }

    /// A finished expression with the tensors whose elements it loads and the axes of reductions that it refers to.
    pub fn reading(expr: Expr, reads: Vec<Tensor>, over: Vec<Var>) -> Self {
        Self { expr: Ok(expr), reads, over, reduction: None }
    }

    /// Result number `index` of a reduction.
    pub fn of_reduction(reduction: &Arc<Reduction>, index: usize, reads: Vec<Tensor>, over: Vec<Var>) -> Self {
        let expr = reduction.values.get(index).cloned();
        let expr = expr.ok_or_else(|| TeError(format!("a reduction has no result number {index}")));
        Self { expr, reads, over, reduction: Some((reduction.clone(), index)) }
    }

    /// The reduction that the value is a result of, and which of its results.
    pub fn reduction(&self) -> Option<(&Reduction, usize)> {
        self.reduction.as_ref().map(|(reduction, index)| (&**reduction, *index))
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
        Ok(Parts { expr: self.expr?, reads: self.reads, over: self.over, reduction: self.reduction })
    }

    /// A value made of others by a checked constructor.
    pub(crate) fn made(operands: &[&Self], make: impl FnOnce(&[Expr]) -> Result<Expr, TypeMismatch>) -> Self {
        if operands.iter().any(|v| v.reduction.is_some()) {
            return Self::wrong(TeError("a reduction must be the whole formula of its tensor".into()));
        }
        let exprs = operands.iter().map(|v| v.expr.clone()).collect::<Result<Vec<_>, _>>();
        let expr = exprs.and_then(|exprs| make(&exprs).map_err(TeError::from));
        let reads = joined(operands.iter().map(|v| &v.reads));
        let over = joined(operands.iter().map(|v| &v.over));
        Self { expr, reads, over, reduction: None }
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
            Operand::Int(value) if fits(value, dtype.element()) => Expr::number(value, dtype).into(),
            Operand::Int(value) => Self::wrong(TeError(format!("{value} is out of the range of {dtype}"))),
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

    /// An operation by name on several values.
    pub fn call(intrinsic: Intrinsic, operands: &[&Self]) -> Self {
        Self::made(operands, |e| Expr::call(intrinsic, e))
    }

    pub fn cast(&self, dtype: DataType) -> Self {
        Self::made(&[self], |e| e[0].cast(dtype))
    }

    /// Whether both are true.
    pub fn and(&self, other: impl Into<Operand>) -> Self {
        self.binary(BinOp::And, other)
    }

    /// Whether one of both is true.
    pub fn or(&self, other: impl Into<Operand>) -> Self {
        self.binary(BinOp::Or, other)
    }

    /// The quotient of integers, rounded down.
    pub fn floor_div(&self, other: impl Into<Operand>) -> Self {
        self.binary(BinOp::FloorDiv, other)
    }

    /// The remainder of [`Value::floor_div`], of the divisor's sign.
    pub fn floor_mod(&self, other: impl Into<Operand>) -> Self {
        self.binary(BinOp::FloorMod, other)
    }

    pub fn lt(&self, other: impl Into<Operand>) -> Self {
        self.compare(CmpOp::Lt, other)
    }

    pub fn le(&self, other: impl Into<Operand>) -> Self {
        self.compare(CmpOp::Le, other)
    }

    pub fn gt(&self, other: impl Into<Operand>) -> Self {
        self.compare(CmpOp::Gt, other)
    }

    pub fn ge(&self, other: impl Into<Operand>) -> Self {
        self.compare(CmpOp::Ge, other)
    }

    /// Whether the two are equal, as a formula.
    pub fn equals(&self, other: impl Into<Operand>) -> Self {
        self.compare(CmpOp::Eq, other)
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
        impl std::ops::$trait<Value> for i64 {
            type Output = Value;
            fn $method(self, other: Value) -> Value {
                other.operand(self.into()).binary(BinOp::$op, other)
            }
        }
        impl std::ops::$trait<Value> for f64 {
            type Output = Value;
            fn $method(self, other: Value) -> Value {
                other.operand(self.into()).binary(BinOp::$op, other)
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

impl std::ops::Neg for Value {
    type Output = Value;
    /// As of a reference.
    fn neg(self) -> Value {
        -&self
    }
}

impl std::ops::Not for Value {
    type Output = Value;
    /// Whether this value (a bool) is false.
    fn not(self) -> Value {
        Value::made(&[&self], |e| e[0].not())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_the_other_operand_s_type_does_not_hold_is_refused() {
        let byte = Value::from(Expr::int(1, DataType::I8));
        assert!((&byte + 127).expr().is_ok() && (&byte * -128).expr().is_ok());
        assert_eq!((&byte + 300).expr().unwrap_err().0, "300 is out of the range of int8");
        let unsigned = Value::from(Expr::int(1, DataType::U8));
        assert!((&unsigned + 255).expr().is_ok() && (-&unsigned).expr().is_ok());
        assert!((&unsigned + 256).expr().is_err());
    }
}
