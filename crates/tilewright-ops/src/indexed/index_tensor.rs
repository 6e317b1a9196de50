//! Elements or slices by tensors of indices.

use tilewright_ir::op::{Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{compute, legalize as legalize_formula, topi};

use super::{broadcast_indices, guarded};
use crate::elementwise::block_name;
use crate::shapes;

op! {
    /// The slices of `data` that the indices name along its first dimensions, as NumPy's `data[i, j]`: tensors of
    /// indices broadcast, and their dimensions replace those that they index.
    ///
    /// Negative indices count from the end; one that is out of range is held within its dimension.
    "index_tensor" {
        args: {
            data: Tensor, "The input tensor.";
            indices: Tuple, "Tensors of integers, at most one for each dimension of `data`.";
        }
        attrs: {}
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Injective },
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    let (count, of_indices) = broadcast_indices(cx, call, 1)?;
    let shape = match (shape, &of_indices) {
        (TensorShape::Known(dims), TensorShape::Known(of_indices)) => {
            TensorShape::Known([of_indices.as_slice(), &dims[count..]].concat())
        }
        _ => match (shape.rank(), of_indices.rank()) {
            (Some(rank), Some(of_indices)) => TensorShape::Rank(rank - count + of_indices),
            _ => TensorShape::Unknown,
        },
    };
    Ok(StructInfo::tensor_with(shape, dtype))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let dims = shapes::result_dims(call)?;
    let rank = shapes::dims_of(call, 0)?.len();
    legalize_formula(call, |inputs| {
        let [x, indices @ ..] = inputs else { return Ok(Vec::new()) };
        let of_indices = dims.len() + indices.len() - rank;
        let result = compute(&dims, &block_name(call), |i| {
            let (which, slice) = i.split_at(of_indices);
            let element = |(at, index): (usize, &tilewright_te::Tensor)| {
                guarded(&topi::at_broadcast(index, which, &dims[..of_indices]), &x.dim(at))
            };
            let mut elements: Vec<_> = indices.iter().enumerate().map(element).collect();
            elements.extend_from_slice(slice);
            x.at_all(&elements)
        });
        Ok(vec![result?])
    })
}
