//! Attention.

use tilewright_ir::op::{AttrDefault, Fusion, InferError, Legalize, OpCall, Properties};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{Tensor, Value, legalize as legalize_formula};

use super::attended::{Mask, attended, infer_attention, scale};
use crate::elementwise::{block_name, wide};

op! {
    /// `softmax(query @ keyᵀ * scale) @ value` for each element of a batch and each head; all tensors are
    /// `(batch, places, heads, width)`.
    ///
    /// With a mask a query sees the keys up to its own place: `TopLeft` puts the first query at the first key, `BottomRight`
    /// the last query at the last key. With a window it sees those alone whose distance from its place is less. A query that
    /// sees no key gets zeros. Narrow floats are worked out in float32.
    "nn.attention" {
        args: {
            query: Tensor, "The queries.";
            key: Tensor, "The keys, of the width of the queries.";
            value: Tensor, "The values, one for each key.";
        }
        attrs: {
            scale: OptionalFloat = AttrDefault::None, "The factor; `None`: one over the root of the width.";
            causal_mask: OptionalStr = AttrDefault::None, "`TopLeft`, `BottomRight` or `None`.";
            window_size: OptionalInt = AttrDefault::None, "How many places a query sees, its own among them.";
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
        let places = |x: &Tensor| Value::from(x.dim(1));
        let sees = |at: &[Value]| match at {
            [_, _, i, j] => mask.sees((i, &places(query)), (j, &places(key))),
            _ => None,
        };
        Ok(vec![attended([query, key, value], &scale, bias.first(), sees, &block_name(call))?])
    })
}
