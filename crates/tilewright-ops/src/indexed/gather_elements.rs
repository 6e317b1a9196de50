//! An element for each index of a tensor of indices.

use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{compute, legalize as legalize_formula};

use super::{check_indices, guarded};
use crate::elementwise::block_name;
use crate::{attributes, shapes};

op! {
    /// For each index the element of `data` at the same indices, except along the dimension `axis`, where the index
    /// gives it.
    ///
    /// Negative indices count from the end; one that is out of range is held within the dimension.
    "gather_elements" {
        args: {
            data: Tensor, "The input tensor.";
            indices: Tensor, "Integers, in as many dimensions as `data` has, at most as large except along `axis`.";
        }
        attrs: { axis: Int = AttrDefault::Int(0), "The dimension; negative numbers count from the end."; }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Injective },
        loops: "gather", "T_gather",
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let ((shape, dtype), (indices, _)) = (call.tensor(0)?, call.tensor(1)?);
    check_indices(call, 1)?;
    if let (Some(a), Some(b)) = (shape.rank(), indices.rank())
        && a != b
    {
        return Err(InferError::at(1, format!("`gather_elements`: indices of {b} dimensions for a tensor of {a}")));
    }
    if let Some(rank) = shape.rank().or(indices.rank()) {
        let axis = attributes::axis_attr(call, "axis", rank)?;
        shapes::check_inside(cx, call, 0, 1, axis)?;
    }
    Ok(StructInfo::tensor_with(indices.clone(), dtype))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let axis = attributes::axis_attr(call, "axis", shapes::dims_of(call, 0)?.len())?;
    legalize_formula(call, |inputs| {
        let [x, indices] = inputs else { return Ok(Vec::new()) };
        let result = compute(indices.shape(), &block_name(call), |i| {
            let mut indices_of_x = i.to_vec();
            indices_of_x[axis] = guarded(&indices.at_all(i), &x.dim(axis));
            x.at_all(&indices_of_x)
        });
        Ok(vec![result?])
    })
}
