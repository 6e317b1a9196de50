//! The gradient of the means of windows over two spatial dimensions.

use tilewright_expr::Expr;
use tilewright_ir::op::{AttrDefault, Fusion, InferError, Legalize, OpCall, Properties};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::topi::pooling::Pool;
use tilewright_te::{ReduceAxis, TeError, Tensor, Value, compute, legalize as legalize_formula, sum};
use tilewright_tensor::DataType;

use super::pooling::{between, gathered, infer, tapped, taps};
use crate::attributes;
use crate::elementwise::{block_name, wide};
use crate::nn::pooling::{AVERAGE, parameters};
use crate::reduction::converted;

op! {
    /// The gradient of `nn.avg_pool2d` with respect to its data: that of each window is shared equally by its elements.
    "grad.avg_pool2d_backward" {
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
            count_include_pad: Bool = AttrDefault::Bool(false), "Whether elements of the border count.";
            layout: Str = AttrDefault::Str("NCHW"), "The order of the data's dimensions.";
            out_layout: Str = AttrDefault::Of("layout"), "The order of the gradient's dimensions.";
        }
        infer: |cx, call| infer(cx, call, &parameters(call, 2, AVERAGE)?),
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let (pool, name) = (parameters(call, 2, AVERAGE)?, block_name(call));
    let with_border = attributes::flag(call, "count_include_pad");
    legalize_formula(call, |inputs| {
        let [grad, data] = inputs else { return Ok(Vec::new()) };
        let shape = pool.data.logical_shape(data.shape())?;
        let (windows, dtype) = (pool.result(&shape)?, wide(data.dtype()));
        let counts = counts(&pool, &shape, &windows, with_border, &name)?;
        let sum = gathered(&pool, data, &windows, dtype, &format!("{name}_sum"), |window, _| {
            let count = counts.at(&[&window[2], &window[3]]).max(1).cast(dtype);
            grad.at_all(&pool.out.physical(window)).cast(dtype) / count
        })?;
        Ok(vec![converted(&sum, data.dtype(), &name)?])
    })
}

/// The number of elements that each window's mean is of.
fn counts(pool: &Pool, shape: &[Expr], windows: &[Expr], with_border: bool, name: &str) -> Result<Tensor, TeError> {
    let over = taps(pool);
    let axes: Vec<&ReduceAxis> = over.iter().collect();
    compute(&windows[2..], &format!("{name}_count"), |i| {
        let counted = |d: usize| {
            let (before, after) = if with_border { (pool.padding[d], pool.padding[d + 2]) } else { (0, 0) };
            let index: Value = tapped(pool, d, &i[d], &over[d]);
            between(&index, Expr::i64(-before), shape[d + 2].clone() + after)
        };
        sum(counted(0).and(counted(1)).cast(DataType::I64), &axes)
    })
}
