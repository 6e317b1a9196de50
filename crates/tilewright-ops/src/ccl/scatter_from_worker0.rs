//! The first worker's tensor, divided among all.

use tilewright_expr::{BinOp, Expr};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;

use super::{legalize_alone, workers};
use crate::{attributes, shapes};

op! {
    /// The worker's part of the first worker's tensor, divided evenly along a dimension; of one worker all of it.
    "ccl.scatter_from_worker0" {
        args: { x: Tensor, "The first worker's tensor, of known shape."; }
        attrs: {
            num_workers: Int = AttrDefault::Required, "The number of workers, which divides the dimension.";
            axis: Int = AttrDefault::Int(0), "The dimension; negative numbers count from the end.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize_alone),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (mut dims, workers) = (shapes::dims_of(call, 0)?, workers(call)?);
    let axis = attributes::axis_attr(call, "axis", dims.len())?;
    let size = &dims[axis];
    if size.as_int().is_some_and(|size| size % workers != 0) {
        let size = shapes::dim_text(size);
        let message =
            format!("`ccl.scatter_from_worker0`: {workers} workers do not divide dimension {axis} of size {size}");
        return Err(InferError::at(0, message));
    }
    let part = Expr::binary(BinOp::FloorDiv, size, &Expr::int(workers, size.dtype));
    dims[axis] = cx.analyzer.simplify(&part.map_err(|error| InferError::new(error.0))?);
    Ok(StructInfo::tensor(
        dims,
        call.tensor(0)?.1.ok_or_else(|| InferError::at(0, "the data type of `x` must be known"))?,
    ))
}
