//! The exponentials that `softmax` and `log_softmax` share: the largest element is subtracted first, so that none
//! overflows. Narrow floats are worked out in float32.

use tilewright_expr::Intrinsic;
use tilewright_ir::op::{InferCx, InferError, OpCall};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{Value, compute, legalize, max_over, sum};

use crate::elementwise::{block_name, check_dtype, float, wide};
use crate::reduction::{kept_index, reduced};
use crate::{attributes, shapes};

pub(super) fn infer_along_axis(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    check_dtype(call, 0, call.tensor(0)?.1, float)?;
    shapes::infer_axis_kept(cx, call)
}

/// The result of an element, as a function of its distance from the maximum, its exponential, and the sum of those
/// along the axis.
pub(super) type Share = fn(&Value, &Value, &Value) -> Value;

/// The loops of an op that gives a share of each element. Each exponential is worked out once.
pub(super) fn legalize_exponentials(call: &OpCall<'_>, share: Share) -> Result<PrimFunc, InferError> {
    let axes = [attributes::axis_attr(call, "axis", shapes::dims_of(call, 0)?.len())?];
    let name = block_name(call);
    legalize(call, |inputs| {
        let [x] = inputs else { return Ok(Vec::new()) };
        let dtype = wide(x.dtype());
        let largest = reduced(x, &axes, true, &format!("{name}_maxelem"), |i, over| max_over(x.at_all(i), over))?;
        let distance = |i: &[Value]| x.at_all(i).cast(dtype) - largest.at_all(&kept_index(i, &axes)).cast(dtype);
        let exponential = compute(x.shape(), &format!("{name}_exp"), |i| distance(i).intrinsic(Intrinsic::Exp))?;
        let total =
            reduced(&exponential, &axes, true, &format!("{name}_expsum"), |i, over| sum(exponential.at_all(i), over))?;
        let result = compute(x.shape(), &name, |i| {
            share(&distance(i), &exponential.at_all(i), &total.at_all(&kept_index(i, &axes))).cast(x.dtype())
        });
        Ok(vec![result?])
    })
}
