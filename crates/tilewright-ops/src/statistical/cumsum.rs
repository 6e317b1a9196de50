//! Sums of all elements up to each.

use tilewright_expr::BinOp;
use tilewright_ir::Attr;
use tilewright_ir::legalize::Candidate;
use tilewright_ir::op::{Adjoint, AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::Expr;
use tilewright_te::algorithms::scan;
use tilewright_tensor::DataType;

use super::scan::{Combine, infer_scan, legalize_scan};
use crate::gradient::Rule;
use crate::{attributes, gradient};

const SUM: Combine = Combine { op: BinOp::Add, identity: 0 };

op! {
    /// The sum of all elements up to each along a dimension. Of float16 and bfloat16 it is worked out in float32.
    "cumsum" {
        args: { data: Tensor, "The input tensor."; }
        attrs: {
            axis: OptionalInt = AttrDefault::None, "The dimension; `None`: that of the flattened tensor.";
            dtype: DType = AttrDefault::DType(DataType::VOID), "The data type of the result; `void`: that of `data`.";
            exclusive: Bool = AttrDefault::Bool(false), "Whether each element stays out of its own result.";
        }
        infer: infer_scan,
        legalize: Legalize::FirstOf(&[
            Candidate::for_those_with(scan::VECTORS, |cx, call| legalize_scan(cx, call, SUM, scan::vectorized)),
            Candidate::for_any(|cx, call| legalize_scan(cx, call, SUM, scan::sequential)),
        ]),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
        gradient: gradient,
    }
}

/// Each element gets the gradients from its own on: all of them without those before.
fn gradient(cx: &InferCx, call: &OpCall<'_>, adjoint: Adjoint<'_>) -> Rule {
    let axis = call.attr("axis").and_then(Attr::as_int);
    let dtype = call.tensor(0)?.1.ok_or_else(|| InferError::at(0, "the data type of `data` must be known"))?;
    gradient::of_first(cx, call, adjoint, |g, x, _| {
        let all = g.sum(axis.as_ref().map(std::slice::from_ref), true);
        let after = all - g.map(|cx, g| call_cumsum(cx, g, axis));
        let own = if axis.is_none() { g.flatten() } else { g.clone() };
        let from_own = if attributes::flag(call, "exclusive") { after } else { after + own };
        Ok((if axis.is_none() { from_own.reshape_like(x) } else { from_own }).astype(dtype))
    })
}

fn call_cumsum(cx: &InferCx, data: Expr, axis: Option<i64>) -> Result<Expr, InferError> {
    self::call(cx, data, axis, DataType::VOID, false)
}
