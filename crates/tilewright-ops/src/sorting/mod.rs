//! Ops that put elements in order.
//!
//! The order is total: equal elements stay in the order in which they stand, and NaN is greater than every number.

use tilewright_expr::Expr;
use tilewright_ir::op::{InferCx, InferError, OpCall};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_tensor::DataType;

use crate::elementwise::{any, check_dtype};
use crate::{attributes, shapes};

family! {
    argsort,
    kthvalue,
    sort,
    topk,
}

/// What the ops say of their result: a tensor of the shape of theirs, `dims` along the dimension `axis`.
fn infer_ordered(
    call: &OpCall<'_>,
    extent: impl Fn(&Expr) -> Result<Expr, InferError>,
) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    check_dtype(call, 0, dtype, any)?;
    let ordered = |dims: &[Expr]| {
        let mut dims = dims.to_vec();
        let axis = attributes::axis_attr(call, "axis", dims.len())?;
        dims[axis] = extent(&dims[axis])?;
        Ok(dims)
    };
    let checked = |rank| attributes::axis_attr(call, "axis", rank).map(|_| rank);
    Ok(StructInfo::tensor_with(shapes::map_shape(shape, ordered, checked)?, dtype))
}

/// The integer type that the attribute `dtype` names, in which every index of the dimension `axis` fits.
fn index_dtype(cx: &InferCx, call: &OpCall<'_>) -> Result<DataType, InferError> {
    let dtype = attributes::dtype(call, "dtype")?.unwrap_or(DataType::I32);
    if !dtype.is_int() {
        return Err(InferError::new(format!("the indices of `{}` are integers, not {dtype}", call.op.name)));
    }
    let bits = u32::from(dtype.bits) - u32::from(dtype.is_signed());
    if let (TensorShape::Known(dims), Some(count)) = (call.tensor(0)?.0, 1_i64.checked_shl(bits)) {
        let extent = &dims[attributes::axis_attr(call, "axis", dims.len())?];
        if bits < 63 && cx.exceeds(extent, &Expr::i64(count)) {
            let extent = shapes::dim_text(extent);
            let message = format!("`{}`: indices of {extent} elements do not fit into {dtype}", call.op.name);
            return Err(InferError::new(message));
        }
    }
    Ok(dtype)
}

/// A tensor like `info` of another element type.
fn with_dtype(info: &StructInfo, dtype: DataType) -> StructInfo {
    match info {
        StructInfo::Tensor { shape, .. } => StructInfo::tensor_with(shape.clone(), Some(dtype)),
        other => other.clone(),
    }
}
