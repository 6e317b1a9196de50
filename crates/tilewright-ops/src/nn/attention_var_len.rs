//! Attention of sequences of several lengths.

use tilewright_expr::{CmpOp, Expr};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{Tensor, Value, compute, legalize as legalize_formula, reduce_axis, sum};
use tilewright_tensor::DataType;

use super::attended::{Mask, attended, infer_attention, scale};
use crate::elementwise::{block_name, check_dtype, integer, wide};
use crate::indexed::guarded;
use crate::shapes::is_empty;

op! {
    /// The attention of `nn.attention` within each of several sequences, which are concatenated along the second
    /// dimension.
    ///
    /// Queries after the last sequence get zeros. Starts of sequences are clamped to the extents of their tensors.
    "nn.attention_var_len" {
        args: {
            queries: Tensor, "The queries, `(1, positions of all sequences, heads, width)`.";
            keys: Tensor, "The keys, of the width of the queries.";
            values: Tensor, "The values, one for each key.";
            seqstart_q: Tensor, "Integers: where each sequence of queries begins, and last the end of them all.";
            seqstart_k: Tensor, "Integers: where each sequence of keys begins, and last the end of them all.";
            max_seqlen_q: Value, "The length of the longest sequence of queries, for targets that ask for it.";
            max_seqlen_k: Value, "The length of the longest sequence of keys, for targets that ask for it.";
        }
        attrs: {
            scale: OptionalFloat = AttrDefault::None, "The factor; `None`: one over the root of the width.";
            causal_mask: OptionalStr = AttrDefault::None, "`TopLeft`, `BottomRight` or `None`, within each sequence.";
            window_size: OptionalInt = AttrDefault::None, "How many positions a query attends to, including its own.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    for arg in [3, 4] {
        let (shape, dtype) = call.tensor(arg)?;
        check_dtype(call, arg, dtype, integer)?;
        if let Some(rank) = shape.rank().filter(|rank| *rank != 1) {
            let message = format!("the starts of sequences are a tensor of 1 dimension, found {rank}");
            return Err(InferError::at(arg, message));
        }
        if let TensorShape::Known(dims) = shape
            && dims.first().is_some_and(|ends| is_empty(cx, ends))
        {
            return Err(InferError::at(arg, "`nn.attention_var_len` needs the end of the last sequence"));
        }
    }
    infer_attention(cx, call)
}

/// The element of a tensor of starts at an index that is held within it.
fn start(starts: &Tensor, index: &Value) -> Value {
    starts.at(&[&guarded(index, &starts.dim(0))]).cast(DataType::I64)
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let mask = Mask::of(call)?;
    let name = block_name(call);
    legalize_formula(call, |inputs| {
        let [queries, keys, values, starts_q, starts_k, ..] = inputs else { return Ok(Vec::new()) };
        let scale = scale(call, &queries.dim(3), wide(queries.dtype()));
        // The sequence of each query: the number of sequences that end at its position or before.
        let ends = reduce_axis(Expr::i64(1), starts_q.dim(0), "sequence");
        let sequence = compute(&[queries.dim(1)], &format!("{name}_sequence"), |i| {
            let ended = starts_q.at(&[&ends]).cast(DataType::I64).compare(CmpOp::Le, &i[0]);
            sum(ended.cast(DataType::I64), &[&ends])
        })?;
        let sees = |at: &[Value]| {
            let [_, _, i, j] = at else { return None };
            let own = sequence.at(&[i]);
            let next = &own + 1;
            let (first_q, end_q) = (start(starts_q, &own), start(starts_q, &next));
            let (first_k, end_k) = (start(starts_k, &own), start(starts_k, &next));
            let inside = i.compare(CmpOp::Ge, &first_q).and(i.compare(CmpOp::Lt, &end_q));
            let inside = inside.and(j.compare(CmpOp::Ge, &first_k)).and(j.compare(CmpOp::Lt, &end_k));
            let within = mask.sees((&(i - &first_q), &(&end_q - &first_q)), (&(j - &first_k), &(&end_k - &first_k)));
            Some(match within {
                Some(seen) => inside.and(seen),
                None => inside,
            })
        };
        Ok(vec![attended([queries, keys, values], &scale, None, sees, &name)?])
    })
}
