//! Shared by the decompositions of normalisations. Like the loops, they compute in float32 if elements are narrower.

use tilewright_ir::op::{InferCx, InferError};
use tilewright_ir::relax::Expr;
use tilewright_tensor::{DataType, Tensor};

use crate::binary::{add, divide, multiply, subtract};
use crate::create::astype;
use crate::manipulate::expand_dims;
use crate::unary::sqrt;

/// Calls of a decomposition; the type in which they work is that of `dtype`.
pub(super) struct Calls<'c> {
    pub(super) cx: &'c InferCx,
    pub(super) dtype: DataType,
}

impl Calls<'_> {
    pub(super) fn converted(&self, x: &Expr, dtype: DataType) -> Result<Expr, InferError> {
        match x.struct_info.dtype() {
            Some(own) if own == dtype => Ok(x.clone()),
            _ => astype::call(self.cx, x.clone(), dtype),
        }
    }

    pub(super) fn wide(&self, x: &Expr) -> Result<Expr, InferError> {
        self.converted(x, self.dtype)
    }

    pub(super) fn number(&self, value: f64) -> Expr {
        Expr::constant(if self.dtype == DataType::F64 { Tensor::scalar(value) } else { Tensor::scalar(value as f32) })
    }

    /// A parameter, in the wide type, whose dimensions are `axes` of a tensor of this rank.
    pub(super) fn spread(&self, parameter: &Expr, axes: &[usize], rank: usize) -> Result<Expr, InferError> {
        let others: Vec<i64> = (0..rank).filter(|axis| !axes.contains(axis)).map(|axis| axis as i64).collect();
        let wide = self.wide(parameter)?;
        if others.is_empty() { Ok(wide) } else { expand_dims::call(self.cx, wide, &others) }
    }

    /// `(x - mean) / sqrt(variance + epsilon)`.
    pub(super) fn standard(&self, x: Expr, mean: Expr, variance: Expr, epsilon: f64) -> Result<Expr, InferError> {
        let centred = subtract::call(self.cx, x, mean)?;
        let shifted = add::call(self.cx, variance, self.number(epsilon))?;
        divide::call(self.cx, centred, sqrt::call(self.cx, shifted)?)
    }

    pub(super) fn scaled(&self, x: Expr, scale: Option<Expr>, shift: Option<Expr>) -> Result<Expr, InferError> {
        let x = scale.map_or(Ok(x.clone()), |scale| multiply::call(self.cx, x, scale))?;
        shift.map_or(Ok(x.clone()), |shift| add::call(self.cx, x, shift))
    }

    /// `(1 - momentum) * moving + momentum * batch`, in the type of `moving`.
    pub(super) fn moved(&self, moving: &Expr, batch: Expr, momentum: f64) -> Result<Expr, InferError> {
        let kept = multiply::call(self.cx, self.wide(moving)?, self.number(1.0 - momentum))?;
        let sum = add::call(self.cx, kept, multiply::call(self.cx, batch, self.number(momentum))?)?;
        self.converted(&sum, moving.struct_info.dtype().unwrap_or(self.dtype))
    }
}
