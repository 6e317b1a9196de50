//! The whole tensor repeated.

use tilewright_expr::{BinOp, Expr};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{Tensor, Value, compute, legalize as legalize_formula};

use crate::elementwise::block_name;
use crate::{attributes, shapes};

op! {
    /// The tensor as a whole repeated along its dimensions, as `numpy.tile` has it: numbers and dimensions align at the
    /// end; missing dimensions have size 1, missing numbers are 1.
    "tile" {
        args: { data: Tensor, "The input tensor."; }
        attrs: { repeats: Ints = AttrDefault::Required, "How often, for each dimension."; }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Injective },
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    let repeats = attributes::ints(call, "repeats")?;
    if let Some(negative) = repeats.iter().find(|count| **count < 0) {
        return Err(InferError::new(format!("`tile` cannot repeat {negative} times")));
    }
    let shape = match shape {
        TensorShape::Known(dims) => {
            let rank = dims.len().max(repeats.len());
            let dim = |at: usize| (at + dims.len()).checked_sub(rank).map_or(Expr::i64(1), |at| dims[at].clone());
            let count = |at: usize| (at + repeats.len()).checked_sub(rank).map_or(1, |at| repeats[at]);
            TensorShape::Known((0..rank).map(|at| cx.analyzer.simplify(&(dim(at) * count(at)))).collect())
        }
        TensorShape::Rank(rank) => TensorShape::Rank(repeats.len().max(*rank)),
        TensorShape::Unknown => TensorShape::Unknown,
    };
    Ok(StructInfo::tensor_with(shape, dtype))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let dims = shapes::result_dims(call)?;
    legalize_formula(call, |inputs| {
        let tiled = |x: &Tensor| {
            let missing = dims.len() - x.rank();
            compute(&dims, &block_name(call), |i| {
                let own = x.shape().iter().zip(&dims[missing..]).zip(&i[missing..]);
                let index = |((extent, wide), index): ((&Expr, &Expr), &Value)| match extent.as_int() {
                    Some(0) => index.clone(),
                    _ if extent.equal(wide) => index.clone(),
                    _ => index.binary(BinOp::FloorMod, Value::from(extent.clone())),
                };
                x.at_all(&own.map(index).collect::<Vec<_>>())
            })
        };
        inputs.iter().map(tiled).collect()
    })
}
