//! A rectified linear unit with a learnt slope.

use tilewright_expr::{CmpOp, Expr};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Layouts, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{Value, compute, legalize as legalize_formula};

use crate::elementwise::{block_name, float};
use crate::{attributes, shapes};

op! {
    /// `data` where it is positive, else `alpha * data`, with an `alpha` for each channel or one for all.
    "nn.prelu" {
        args: {
            data: Tensor, "The input tensor.";
            alpha: Tensor, "The slope below 0, of one dimension: for each channel, or one.";
        }
        attrs: { axis: Int = AttrDefault::Int(1), "The dimension of the channels; negative numbers count from the end."; }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Broadcast },
        loops: "prelu", "compute",
        layouts: Layouts::Numbered(&["axis"]),
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let dtype = call.tensor(0)?.1;
    if cx.for_loops {
        shapes::all_of_dtype(call, &[0, 1], float)?;
    }
    let (data, alpha) = (call.tensor(0)?.0, call.tensor(1)?.0);
    if let Some(rank) = alpha.rank().filter(|rank| *rank != 1) {
        return Err(InferError::at(1, format!("`nn.prelu`: `alpha` must have 1 dimension, found {rank}")));
    }
    let axis = data.rank().map(|rank| attributes::axis_attr(call, "axis", rank)).transpose()?;
    if let (Some(axis), TensorShape::Known(dims), TensorShape::Known(slopes)) = (axis, data, alpha)
        && slopes[0].as_int() != Some(1)
        && cx.clash(&dims[axis], &slopes[0])
    {
        let (channels, slopes) = (shapes::dim_text(&dims[axis]), shapes::dim_text(&slopes[0]));
        let message = format!("`nn.prelu`: `data` has {channels} channels, `alpha` is of {slopes}");
        return Err(InferError::at(1, message));
    }
    Ok(StructInfo::tensor_with(data.clone(), dtype))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let axis = attributes::axis_attr(call, "axis", shapes::dims_of(call, 0)?.len())?;
    legalize_formula(call, |inputs| {
        let [x, alpha] = inputs else { return Ok(Vec::new()) };
        let one = alpha.dim(0).as_int() == Some(1);
        let result = compute(x.shape(), &block_name(call), |i| {
            let (element, channel) = (x.at_all(i), if one { Expr::i64(0).into() } else { i[axis].clone() });
            Value::from(Expr::number(0, x.dtype()))
                .compare(CmpOp::Lt, &element)
                .select(&element, &(&element * alpha.at(&[&channel])))
        });
        Ok(vec![result?])
    })
}
