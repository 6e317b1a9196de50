//! Attention with a bias.

use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};

use super::attended::infer_attention;
use super::attention;
use crate::elementwise::float;
use crate::shapes;

op! {
    /// `softmax(query @ keyᵀ * scale + bias) @ value`; all else as of `nn.attention`.
    "nn.attention_bias" {
        args: {
            query: Tensor, "The queries.";
            key: Tensor, "The keys, of the width of the queries.";
            value: Tensor, "The values, one for each key.";
            bias: Tensor, "What is added to the scores: `(batch, heads, queries, keys)`, each dimension that or 1.";
        }
        attrs: {
            scale: OptionalFloat = AttrDefault::None, "The factor; `None`: one over the root of the width.";
            causal_mask: OptionalStr = AttrDefault::None, "`TopLeft`, `BottomRight` or `None`.";
            window_size: OptionalInt = AttrDefault::None, "How many positions a query attends to, including its own.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(attention::legalize),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let info = infer_attention(cx, call)?;
    shapes::all_of_dtype(call, &[0, 3], float)?;
    let bias = call.tensor(3)?.0;
    if let Some(rank) = bias.rank().filter(|rank| *rank != 4) {
        let message = format!("`nn.attention_bias` needs a bias of 4 dimensions, found {rank}");
        return Err(InferError::at(3, message));
    }
    let (TensorShape::Known(queries), TensorShape::Known(keys)) = (call.tensor(0)?.0, call.tensor(1)?.0) else {
        return Ok(info);
    };
    let TensorShape::Known(bias) = bias else { return Ok(info) };
    let scores = [&queries[0], &queries[2], &queries[1], &keys[1]];
    for (at, (own, wanted)) in bias.iter().zip(scores).enumerate() {
        if own.as_int() != Some(1) && cx.clash(own, wanted) {
            let (own, wanted) = (shapes::dim_text(own), shapes::dim_text(wanted));
            let message = format!("`nn.attention_bias`: dimension {at} of the bias must be {wanted} or 1, found {own}");
            return Err(InferError::at(3, message));
        }
    }
    Ok(info)
}
