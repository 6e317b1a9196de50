//! Normalisation by the root of the mean square.

use tilewright_expr::Intrinsic;
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{compute, legalize as legalize_formula, topi};

use super::normalised::{check_parameters, parameter};
use crate::elementwise::{block_name, wide};
use crate::reduction::{kept_index, means};
use crate::{attributes, shapes};

op! {
    /// `data / sqrt(mean(data * data) + epsilon) * weight`, with the mean over `axes`.
    "nn.rms_norm" {
        args: {
            data: Tensor, "The input tensor.";
            weight: Tensor, "The scale, of the shape of the dimensions `axes`.";
        }
        attrs: {
            axes: Ints = AttrDefault::Int(-1), "The dimensions; negative numbers count from the end.";
            epsilon: Float = AttrDefault::Float(1e-5), "What is added to the mean square.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let given = attributes::ints(call, "axes")?;
    check_parameters(cx, call, 1..2, given.len(), &|rank| attributes::axes(call, &given, rank))?;
    shapes::infer_same(cx, call)
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let axes = attributes::axes(call, &attributes::ints(call, "axes")?, shapes::dims_of(call, 0)?.len())?;
    let (epsilon, name) = (attributes::float(call, "epsilon")?, block_name(call));
    legalize_formula(call, |inputs| {
        let [x, weight] = inputs else { return Ok(Vec::new()) };
        let dtype = wide(x.dtype());
        let squares = topi::elementwise(x, &format!("{name}_square"), |x| {
            let x = x.cast(dtype);
            &x * &x
        })?;
        let mean = means(&squares, &axes, &name)?;
        let result = compute(x.shape(), &name, |i| {
            let root = (mean.at_all(&kept_index(i, &axes)) + epsilon).intrinsic(Intrinsic::Sqrt);
            (x.at_all(i).cast(dtype) / root * parameter(weight, i, &axes).cast(dtype)).cast(x.dtype())
        });
        Ok(vec![result?])
    })
}
