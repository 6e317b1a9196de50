//! The gradient of the largest elements of windows over two spatial dimensions.

use tilewright_expr::{CmpOp, Expr, Intrinsic};
use tilewright_ir::op::{AttrDefault, Fusion, InferError, Legalize, OpCall, Properties};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::topi::pooling::Pool;
use tilewright_te::{
    ReduceAxis, Reducer, TeError, Tensor, Value, compute, legalize as legalize_formula, max_over, min_over,
};

use super::pooling::{between, gathered, infer, tapped, taps};
use crate::elementwise::{block_name, wide};
use crate::nn::pooling::{MAX, parameters};
use crate::reduction::converted;

op! {
    /// The gradient of `nn.max_pool2d` with respect to its data: that of each window belongs to its largest element, to
    /// the first of several, or to the first NaN.
    "grad.max_pool2d_backward" {
        args: {
            output_grad: Tensor, "The gradient with respect to the pool's result.";
            data: Tensor, "The data of the pool.";
        }
        attrs: {
            pool_size: Each(2) = AttrDefault::Int(1), "The number of the window's elements.";
            strides: Each(2) = AttrDefault::Int(1), "The steps of the window.";
            padding: Sides(2) = AttrDefault::Int(0), "The widths of the border: before, then after.";
            dilation: Each(2) = AttrDefault::Int(1), "The distances of the window's elements.";
            ceil_mode: Bool = AttrDefault::Bool(false),
                "Whether a window that begins before the trailing border may extend beyond it.";
            count_include_pad: Bool = AttrDefault::Bool(false), "It has no meaning for the largest element.";
            layout: Str = AttrDefault::Str("NCHW"), "The order of the data's dimensions.";
            out_layout: Str = AttrDefault::Of("layout"), "The order of the gradient's dimensions.";
        }
        infer: |cx, call| infer(cx, call, &parameters(call, 2, MAX)?),
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let (pool, name) = (parameters(call, 2, MAX)?, block_name(call));
    legalize_formula(call, |inputs| {
        let [grad, data] = inputs else { return Ok(Vec::new()) };
        let shape = pool.data.logical_shape(data.shape())?;
        let windows = pool.result(&shape)?;
        let first = first_largest(&pool, data, &shape, &windows, &name)?;
        let sum = gathered(&pool, data, &windows, wide(data.dtype()), &format!("{name}_sum"), |window, element| {
            let here = number(&shape, element).compare(CmpOp::Eq, first.at_all(window));
            here.select(&grad.at_all(&pool.out.physical(window)), &Expr::float(0.0, grad.dtype()).into())
        })?;
        Ok(vec![converted(&sum, data.dtype(), &name)?])
    })
}

/// The number of an element among those of its channel.
fn number(shape: &[Expr], at: &[Value]) -> Value {
    &at[2] * Value::from(shape[3].clone()) + &at[3]
}

/// The number of the first largest element of each window, by axes; more than any number where a window has none.
fn first_largest(pool: &Pool, data: &Tensor, shape: &[Expr], windows: &[Expr], name: &str) -> Result<Tensor, TeError> {
    let over = taps(pool);
    let axes: Vec<&ReduceAxis> = over.iter().collect();
    let least = Value::from(Reducer::Max.identity(data.dtype()));
    let at = |window: &[Value]| {
        let mut at = window.to_vec();
        for (d, r) in over.iter().enumerate() {
            at[d + 2] = tapped(pool, d, &window[d + 2], r);
        }
        let inside =
            between(&at[2], Expr::i64(0), shape[2].clone()).and(between(&at[3], Expr::i64(0), shape[3].clone()));
        (inside, at)
    };
    let best = compute(windows, &format!("{name}_best"), |i| {
        let (inside, at) = at(i);
        max_over(inside.if_then_else(&data.at_all(&pool.data.physical(&at)), &least), &axes)
    })?;
    compute(windows, &format!("{name}_first"), |i| {
        let (inside, at) = at(i);
        let element = data.at_all(&pool.data.physical(&at));
        // Where there is a NaN the best is NaN, which equals nothing.
        let is_best = element.compare(CmpOp::Eq, best.at_all(i)).or(element.intrinsic(Intrinsic::IsNan));
        let none = Value::from(Expr::i64(i64::MAX));
        min_over(inside.and(is_best).if_then_else(&number(shape, &at), &none), &axes)
    })
}
