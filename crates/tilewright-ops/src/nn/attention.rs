//! Attention.

use tilewright_ir::op::{AttrDefault, Fusion, InferError, Legalize, OpCall, Properties};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{Tensor, Value, legalize as legalize_formula};

use super::attended::{Mask, attended, infer_attention, scale};
use crate::elementwise::{block_name, wide};

op! {
    /// `softmax(query @ keyᵀ * scale) @ value` for each element of a batch and each head; all tensors are
    /// `(batch, positions, heads, width)`.
    ///
    /// With a causal mask a query attends to the keys up to its own position: `TopLeft` aligns the first query to the
    /// first key, `BottomRight` the last query to the last key. With a window it attends only to keys whose distance
    /// from its position is less. A query without keys gets zeros. Narrow floats are computed in float32.
    "nn.attention" {
        args: {
            query: Tensor, "The queries.";
            key: Tensor, "The keys, of the width of the queries.";
            value: Tensor, "The values, one for each key.";
        }
        attrs: {
            scale: OptionalFloat = AttrDefault::None, "The factor; `None`: one over the root of the width.";
            causal_mask: OptionalStr = AttrDefault::None, "`TopLeft`, `BottomRight` or `None`.";
            window_size: OptionalInt = AttrDefault::None, "How many positions a query attends to, including its own.";
        }
        infer: infer_attention,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

/// With a bias or without.
pub(super) fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let mask = Mask::of(call)?;
    legalize_formula(call, |inputs| {
        let [query, key, value, bias @ ..] = inputs else { return Ok(Vec::new()) };
        let scale = scale(call, &query.dim(3), wide(query.dtype()));
        let positions = |x: &Tensor| Value::from(x.dim(1));
        let sees = |at: &[Value]| match at {
            [_, _, i, j] => mask.sees((i, &positions(query)), (j, &positions(key))),
            _ => None,
        };
        Ok(vec![attended([query, key, value], &scale, bias.first(), sees, &block_name(call))?])
    })
}
