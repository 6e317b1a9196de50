//! Argreduce: the index of the largest or smallest element, as two reductions: first the element, then the least index
//! of it.

use tilewright_expr::{BinOp, CmpOp, Expr, Intrinsic};
use tilewright_ir::op::{InferCx, InferError, OpCall};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{ReduceAxis, Value, legalize, min_over};
use tilewright_tensor::DataType;

use crate::elementwise::{block_name, number};
use crate::reduction::{infer_reduced, kept_index, reduced, reduced_axes};
use crate::shapes::is_empty;
use crate::{attributes, shapes};

/// The inference rule of argreduce. Dimensions without elements that are known only at run time are refused then.
pub(super) fn infer_place(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let info = infer_reduced(cx, call, number, Some(DataType::I64))?;
    if let TensorShape::Known(dims) = call.tensor(0)?.0
        && let Some(at) = reduced_axes(call, dims.len())?.into_iter().find(|&at| is_empty(cx, &dims[at]))
    {
        let message = format!("`{}`: dimension {at} of {} has no elements", call.op.name, shapes::dims_text(dims));
        return Err(InferError::at(0, message));
    }
    Ok(info)
}

pub(super) fn legalize_place(
    call: &OpCall<'_>,
    extreme: fn(Value, &[&ReduceAxis]) -> Value,
) -> Result<PrimFunc, InferError> {
    let axes = reduced_axes(call, shapes::dims_of(call, 0)?.len())?;
    let (keeps, name) = (attributes::flag(call, "keepdims"), block_name(call));
    legalize(call, |inputs| {
        let [x] = inputs else { return Ok(Vec::new()) };
        let best = reduced(x, &axes, true, &format!("{name}_value"), |i, over| extreme(x.at_all(i), over))?;
        let index = reduced(x, &axes, keeps, &name, |i, over| {
            let element = x.at_all(i);
            let equal = element.compare(CmpOp::Eq, best.at_all(&kept_index(i, &axes)));
            let here = match x.dtype().is_float() {
                // Where there is a NaN the best is NaN, which equals nothing.
                true => equal.binary(BinOp::BitOr, element.intrinsic(Intrinsic::IsNan)),
                false => equal,
            };
            let first = Value::from(Expr::i64(0));
            let linear = axes.iter().fold(first, |linear, &at| linear * Value::from(x.dim(at)) + &i[at]);
            min_over(here.select(&linear.cast(DataType::I64), &Expr::i64(i64::MAX).into()), over)
        });
        Ok(vec![index?])
    })
}
