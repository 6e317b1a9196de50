//! The language of the operators' gradient rules: formulas of terms, which are calls of operators.
//!
//! A rule is one formula in its op's file (`gradient: …`, see [`crate::declare`]), of the gradient of the result `g`,
//! the operands and the result: that of `sin` is `g * x.cos()`. A [`Term`] carries the first error of its parts, so
//! that formulas read as such; [`unary`], [`binary`] and [`of_first`] make rules of them.

use std::ops::{Add, Div, Mul, Neg, Sub};

use tilewright_expr::Expr as Dim;
use tilewright_expr::semantics::Scalar;
use tilewright_ir::Attr;
use tilewright_ir::op::{Adjoint, InferCx, InferError, OpCall, Partials};
use tilewright_ir::relax::{Expr, ExprKind};
use tilewright_tensor::{DataType, Tensor};

use crate::binary::{add, divide, equal, greater_equal, less, multiply, power, subtract, r#where};
use crate::create::{astype, ones};
use crate::linear_algebra::matmul;
use crate::manipulate::{
    broadcast_to, collapse_sum_like, collapse_sum_to, expand_dims, flatten, permute_dims, reshape, squeeze,
};
use crate::statistical::{mean, sum};
use crate::system::shape_of;
use crate::unary::{cos, cosh, erf, exp, log, negative, sigmoid, sin, sinh, sqrt};

/// The gradients of a call's arguments.
pub type Rule = Result<Partials, InferError>;

/// A value of a formula, or the reason why there is none.
#[derive(Clone, Debug)]
pub struct Term<'c> {
    cx: &'c InferCx,
    value: Result<Expr, InferError>,
}

impl<'c> Term<'c> {
    pub fn new(cx: &'c InferCx, value: Expr) -> Self {
        Self { cx, value: Ok(value) }
    }

    pub fn finish(self) -> Result<Expr, InferError> {
        self.value
    }

    /// The value of an operator of one tensor.
    pub fn map(&self, f: impl FnOnce(&'c InferCx, Expr) -> Result<Expr, InferError>) -> Self {
        Self { cx: self.cx, value: self.value.clone().and_then(|value| f(self.cx, value)) }
    }

    fn with(&self, other: &Self, f: fn(&InferCx, Expr, Expr) -> Result<Expr, InferError>) -> Self {
        self.map(|cx, value| f(cx, value, other.value.clone()?))
    }

    /// A number in the data type of this term.
    pub fn number(&self, number: f64) -> Self {
        self.map(|_, value| match value.struct_info.dtype() {
            Some(dtype) => constant(number, dtype),
            None => Err(InferError::new("the gradient of a tensor of unknown data type is not known")),
        })
    }

    /// The known dimensions.
    pub fn dims(&self) -> Result<Vec<Dim>, InferError> {
        let value = self.value.as_ref().map_err(Clone::clone)?;
        let dims = value.struct_info.dims().map(<[Dim]>::to_vec);
        dims.ok_or_else(|| InferError::new("a gradient needs a tensor of known shape"))
    }

    /// The number of dimensions.
    pub fn rank(&self) -> Result<usize, InferError> {
        let value = self.value.as_ref().map_err(Clone::clone)?;
        value.struct_info.rank().ok_or_else(|| InferError::new("a gradient needs a tensor of known rank"))
    }

    /// The shape as a value.
    pub fn shape(&self) -> Result<Expr, InferError> {
        let value = self.value.clone()?;
        match value.struct_info.dims() {
            Some(dims) => Ok(Expr::shape(dims.to_vec())),
            None => shape_of::call(self.cx, value),
        }
    }
}

/// Elementwise functions.
impl Term<'_> {
    pub fn cos(&self) -> Self {
        self.map(cos::call)
    }
    pub fn cosh(&self) -> Self {
        self.map(cosh::call)
    }
    pub fn erf(&self) -> Self {
        self.map(erf::call)
    }
    pub fn exp(&self) -> Self {
        self.map(exp::call)
    }
    pub fn log(&self) -> Self {
        self.map(log::call)
    }
    pub fn sigmoid(&self) -> Self {
        self.map(sigmoid::call)
    }
    pub fn sin(&self) -> Self {
        self.map(sin::call)
    }
    pub fn sinh(&self) -> Self {
        self.map(sinh::call)
    }
    pub fn sqrt(&self) -> Self {
        self.map(sqrt::call)
    }
    pub fn pow(&self, exponent: &Self) -> Self {
        self.with(exponent, power::call)
    }
    /// The value where this exponent is not 0, else 0: `x ** 0` is 1 everywhere.
    pub fn unless_zero(&self, value: &Self) -> Self {
        if self.value.as_ref().is_ok_and(is_constant_without_zeros) {
            return value.clone();
        }
        self.with(&self.number(0.0), equal::call).select(&value.number(0.0), value)
    }
    /// The value where this base is not 0, or the exponent is negative; else 0: powers of 0 are constant there.
    pub fn unless_zero_power(&self, exponent: &Self, value: &Self) -> Self {
        if self.value.as_ref().is_ok_and(is_constant_without_zeros) {
            return value.clone();
        }
        let powers = exponent.greater_equal(&exponent.number(0.0)).select(&value.number(0.0), value);
        self.with(&self.number(0.0), equal::call).select(&powers, value)
    }
    pub fn less(&self, other: &Self) -> Self {
        self.with(other, less::call)
    }
    pub fn greater_equal(&self, other: &Self) -> Self {
        self.with(other, greater_equal::call)
    }
    pub fn select(&self, then: &Self, otherwise: &Self) -> Self {
        self.map(|cx, value| r#where::call(cx, value, then.value.clone()?, otherwise.value.clone()?))
    }
}

/// Functions that change the shape.
impl Term<'_> {
    pub fn sum(&self, axes: Option<&[i64]>, keepdims: bool) -> Self {
        self.map(|cx, value| sum::call(cx, value, axes, keepdims))
    }
    pub fn mean(&self, axes: Option<&[i64]>, keepdims: bool) -> Self {
        self.map(|cx, value| mean::call(cx, value, axes, keepdims))
    }
    pub fn expand_dims(&self, axes: &[i64]) -> Self {
        self.map(|cx, value| expand_dims::call(cx, value, axes))
    }
    pub fn squeeze(&self, axes: &[i64]) -> Self {
        self.map(|cx, value| squeeze::call(cx, value, Some(axes)))
    }
    pub fn flatten(&self) -> Self {
        self.map(flatten::call)
    }
    pub fn permute(&self, axes: Option<&[i64]>) -> Self {
        self.map(|cx, value| permute_dims::call(cx, value, axes))
    }
    /// The elements in the shape of another tensor.
    pub fn reshape_like(&self, other: &Self) -> Self {
        self.map(|cx, value| reshape::call(cx, value, other.shape()?))
    }
    /// Repeated to the shape of another tensor.
    pub fn broadcast_like(&self, other: &Self) -> Self {
        self.map(|cx, value| broadcast_to::call(cx, value, other.shape()?))
    }
    /// Summed to the shape of another tensor.
    pub fn collapse_like(&self, other: &Self) -> Self {
        self.map(|cx, value| collapsed(cx, value, &other.value.clone()?))
    }
    pub fn matmul(&self, other: &Self) -> Self {
        self.map(|cx, value| matmul::call(cx, value, other.value.clone()?, DataType::VOID))
    }
    pub fn astype(&self, dtype: DataType) -> Self {
        self.map(|cx, value| match value.struct_info.dtype() {
            Some(own) if own == dtype => Ok(value),
            _ => astype::call(cx, value, dtype),
        })
    }
    /// The number of elements along axes, as a number or as a tensor that counts them.
    pub fn count(&self, axes: &[usize]) -> Self {
        self.map(|cx, value| {
            let dims = Term::new(cx, value.clone()).dims()?;
            let along: Vec<Dim> = axes.iter().filter_map(|&axis| dims.get(axis).cloned()).collect();
            let dtype = value.struct_info.dtype().unwrap_or(DataType::F32);
            match along.iter().try_fold(1.0, |count, dim| Some(count * dim.as_int()? as f64)) {
                Some(count) => constant(count, dtype),
                None => sum::call(cx, ones::call(cx, Expr::shape(along), dtype)?, None, false),
            }
        })
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $op:ident) => {
        impl<'c> $trait<&Term<'c>> for &Term<'c> {
            type Output = Term<'c>;
            fn $method(self, other: &Term<'c>) -> Term<'c> {
                self.with(other, $op::call)
            }
        }
        impl<'c> $trait<Term<'c>> for &Term<'c> {
            type Output = Term<'c>;
            fn $method(self, other: Term<'c>) -> Term<'c> {
                self.with(&other, $op::call)
            }
        }
        impl<'c> $trait<&Term<'c>> for Term<'c> {
            type Output = Term<'c>;
            fn $method(self, other: &Term<'c>) -> Term<'c> {
                self.with(other, $op::call)
            }
        }
        impl<'c> $trait<Term<'c>> for Term<'c> {
            type Output = Term<'c>;
            fn $method(self, other: Term<'c>) -> Term<'c> {
                self.with(&other, $op::call)
            }
        }
        impl<'c> $trait<&Term<'c>> for f64 {
            type Output = Term<'c>;
            fn $method(self, other: &Term<'c>) -> Term<'c> {
                other.number(self).with(other, $op::call)
            }
        }
        impl<'c> $trait<Term<'c>> for f64 {
            type Output = Term<'c>;
            fn $method(self, other: Term<'c>) -> Term<'c> {
                other.number(self).with(&other, $op::call)
            }
        }
    };
}

operator!(Add, add, add);
operator!(Sub, sub, subtract);
operator!(Mul, mul, multiply);
operator!(Div, div, divide);

impl<'c> Neg for &Term<'c> {
    type Output = Term<'c>;
    fn neg(self) -> Term<'c> {
        self.map(negative::call)
    }
}

impl<'c> Neg for Term<'c> {
    type Output = Term<'c>;
    fn neg(self) -> Term<'c> {
        -&self
    }
}

/// Whether the value is a float constant of which no element is 0.
fn is_constant_without_zeros(value: &Expr) -> bool {
    let ExprKind::Constant(constant) = &value.kind else { return false };
    let tensor = &constant.0;
    let size = tensor.dtype().element_bytes();
    let Ok(bytes) = tensor.as_bytes() else { return false };
    // A zero has no bits but its sign, the last byte's first.
    let is_zero = |element: &[u8]| {
        element.split_last().is_some_and(|(last, rest)| last & 0x7f == 0 && rest.iter().all(|byte| *byte == 0))
    };
    tensor.dtype().is_float() && size >= 1 && !bytes.chunks(size).any(is_zero)
}

/// A constant without dimensions, rounded to the data type.
pub fn constant(number: f64, dtype: DataType) -> Result<Expr, InferError> {
    let element = match dtype.is_float() {
        true => Scalar::from_float(number, dtype),
        false => Scalar::from_int(number as i64, dtype),
    };
    let bytes = element.bits().to_le_bytes();
    let tensor = Tensor::from_bytes(dtype, &[], &bytes[..dtype.element_bytes().min(8)]);
    Ok(Expr::constant(tensor.map_err(|error| InferError::new(error.to_string()))?))
}

/// A gradient summed to the shape of its operand; itself where it has that shape.
pub fn collapsed(cx: &InferCx, grad: Expr, operand: &Expr) -> Result<Expr, InferError> {
    match (grad.struct_info.dims(), operand.struct_info.dims()) {
        (Some(a), Some(b)) if same_dims(cx, a, b) => Ok(grad),
        (_, Some(dims)) => collapse_sum_to::call(cx, grad, Expr::shape(dims.to_vec())),
        (_, None) => collapse_sum_like::call(cx, grad, operand.clone()),
    }
}

fn same_dims(cx: &InferCx, a: &[Dim], b: &[Dim]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| cx.analyzer.prove_equal(a, b))
}

/// The terms of a call's arguments.
pub fn terms<'c>(cx: &'c InferCx, call: &OpCall<'_>) -> Vec<Term<'c>> {
    call.args.iter().map(|arg| Term::new(cx, arg.clone())).collect()
}

/// The rule of an operator with one tensor, from the gradient, the tensor and the result.
pub fn unary<'c>(
    cx: &'c InferCx,
    call: &OpCall<'_>,
    adjoint: Adjoint<'_>,
    formula: impl FnOnce(&Term<'c>, &Term<'c>, &Term<'c>) -> Term<'c>,
) -> Rule {
    of_first(cx, call, adjoint, |g, x, y| Ok(formula(g, x, y)))
}

/// The rule of an operator of whose arguments only the first has a gradient.
pub fn of_first<'c>(
    cx: &'c InferCx,
    call: &OpCall<'_>,
    adjoint: Adjoint<'_>,
    formula: impl FnOnce(&Term<'c>, &Term<'c>, &Term<'c>) -> Result<Term<'c>, InferError>,
) -> Rule {
    let Some(x) = call.args.first() else { return Ok(Partials::exact(Vec::new())) };
    let of = |value: &Expr| Term::new(cx, value.clone());
    let mut values = vec![None; call.args.len()];
    values[0] = Some(formula(&of(adjoint.grad), &of(x), &of(adjoint.result))?.finish()?);
    Ok(Partials::exact(values))
}

/// The rule of an operator with two tensors that broadcast.
pub fn binary<'c>(
    cx: &'c InferCx,
    call: &OpCall<'_>,
    adjoint: Adjoint<'_>,
    formula: impl FnOnce(&Term<'c>, &Term<'c>, &Term<'c>, &Term<'c>) -> (Term<'c>, Term<'c>),
) -> Rule {
    let [a, b] = call.args else { return Err(InferError::new("two operands are expected")) };
    let of = |value: &Expr| Term::new(cx, value.clone());
    let (left, right) = formula(&of(adjoint.grad), &of(a), &of(b), &of(adjoint.result));
    Ok(Partials::broadcast(vec![Some(left.finish()?), Some(right.finish()?)]))
}

/// The rule of an operator whose result does not depend on the values of its arguments.
pub fn none(_: &InferCx, call: &OpCall<'_>, _: Adjoint<'_>) -> Rule {
    Ok(Partials::exact(vec![None; call.args.len()]))
}

/// The dimensions that an attribute names, `None` where it is left out.
pub fn axes_of(call: &OpCall<'_>) -> Option<Vec<i64>> {
    match call.attr("axis") {
        Some(Attr::Int(axis)) => Some(vec![*axis]),
        other => other.and_then(Attr::as_ints),
    }
}
