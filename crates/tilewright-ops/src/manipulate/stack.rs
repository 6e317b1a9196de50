//! Tensors as a dimension.

use tilewright_expr::{CmpOp, Expr};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{Tensor, Value, compute, legalize as legalize_formula};

use crate::elementwise::block_name;
use crate::{attributes, shapes};

op! {
    /// Tensors of one shape along a dimension of their own.
    "stack" {
        args: { tensors: Tuple, "The tensors, of one shape and type."; }
        attrs: {
            axis: Int = AttrDefault::Int(0), "The position of the dimension in the result; negative ones count from its end.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Injective },
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let fields = shapes::alike_fields(call)?;
    let Some(rank) = fields.rank else { return Ok(StructInfo::tensor_with(TensorShape::Unknown, fields.dtype)) };
    let axis = attributes::axis_attr(call, "axis", rank + 1)?;
    let Some(all) = fields.known() else {
        return Ok(StructInfo::tensor_with(TensorShape::Rank(rank + 1), fields.dtype));
    };
    let mut dims = all.first().map(|first| first.to_vec()).unwrap_or_default();
    for other in &all[1..] {
        shapes::check_equal_dims(cx, call, &dims, other, None)?;
    }
    dims.insert(axis, Expr::i64(all.len() as i64));
    Ok(StructInfo::tensor_with(TensorShape::Known(dims), fields.dtype))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let dims = shapes::result_dims(call)?;
    let axis = attributes::axis_attr(call, "axis", dims.len())?;
    legalize_formula(call, |inputs| {
        Ok(vec![compute(&dims, &block_name(call), |i| {
            let mut own = i.to_vec();
            let which = own.remove(axis);
            element(inputs, &own, &which, 0)
        })?])
    })
}

/// The element at `i` of the tensor number `which`, the first of these having number `first`.
fn element(tensors: &[Tensor], i: &[Value], which: &Value, first: i64) -> Value {
    match tensors {
        [] => which.clone(),
        [only] => only.at_all(i),
        [one, rest @ ..] => {
            which.compare(CmpOp::Eq, first).if_then_else(&one.at_all(i), &element(rest, i, which, first + 1))
        }
    }
}
