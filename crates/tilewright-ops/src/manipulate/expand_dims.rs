//! Dimensions of size 1 put in.

use tilewright_expr::Expr;
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;

use super::legalize_regrouped;
use crate::{attributes, gradient, shapes};

op! {
    /// Inserts dimensions of size 1 at these positions of the result.
    "expand_dims" {
        args: { x: Tensor, "The input tensor."; }
        attrs: {
            axis: Ints = AttrDefault::Required,
                "The positions in the result, each once; negative numbers count from its end.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize_regrouped),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        loops: "expand_dims", "expand_dims",
        gradient: |cx, call, adjoint| {
            let axes = attributes::ints(call, "axis")?;
            gradient::unary(cx, call, adjoint, |g, _, _| g.squeeze(&axes))
        },
    }
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    let given = attributes::ints(call, "axis")?;
    let positions = |rank: usize| attributes::axes(call, &given, rank + given.len());
    let expanded = |dims: &[Expr]| {
        let (positions, mut own) = (positions(dims.len())?, dims.iter());
        let dim = |at| if positions.contains(&at) { Some(Expr::i64(1)) } else { own.next().cloned() };
        Ok((0..dims.len() + given.len()).filter_map(dim).collect())
    };
    let shape = shapes::map_shape(shape, expanded, |rank| Ok(positions(rank)?.len() + rank))?;
    Ok(StructInfo::tensor_with(shape, dtype))
}
