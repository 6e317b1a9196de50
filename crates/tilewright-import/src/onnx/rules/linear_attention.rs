//! Linear attention: a state of keys times values, to which each position adds, unrolled over a known length.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, multiply, subtract};
use tilewright_ops::create::full;
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::manipulate::stack;
use tilewright_ops::unary::exp;
use tilewright_tensor::DataType;

use super::super::rule::{Args, bound};
use super::super::values::Val;
use super::attention::{join_heads, repeated_heads, split_heads};
use super::elementwise::broadcast_call;
use crate::common::{Cx, Refused, Res, ToAttr};

/// Positions that are unrolled at most.
const MAX_POSITIONS: i64 = 1024;

fn one(value: i64) -> scalar::Expr {
    scalar::Expr::i64(value)
}

/// The state, in float32, is `(batch, heads, width of keys, width of values)`. At each position it decays, takes the
/// key times the value, from which the delta rules subtract what the state has for the key already, and the query reads
/// it.
pub fn linear_attention(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (heads, groups) = (args.int("q_num_heads", 0)?, args.int("kv_num_heads", 0)?);
    let rule = args.text("update_rule", "gated_delta")?;
    let (gated, delta) = match rule.as_str() {
        "linear" => (false, false),
        "gated" => (true, false),
        "delta" => (false, true),
        "gated_delta" => (true, true),
        other => return Err(Refused(format!("the rule \"{other}\" is unknown"))),
    };
    let query = args.tensor(cx, 0)?;
    let dtype = cx.dtype(&query)?;
    let split = |cx: &mut Cx<'_>, x: Expr, heads: i64| -> Res<Expr> {
        let x = cx.astype(&x, DataType::F32)?;
        let x = split_heads(cx, &x, heads)?;
        bound(cx, x)
    };
    let query = split(cx, query, heads)?;
    let (key, value) = (args.tensor(cx, 1)?, args.tensor(cx, 2)?);
    let (key, value) = (split(cx, key, groups)?, split(cx, value, groups)?);
    let [batch, _, positions, width] = &cx.shape(&key)?[..] else { return Err(Refused::new("expected heads")) };
    let (Some(count), Some(width)) = (positions.as_int().filter(|count| *count <= MAX_POSITIONS), width.as_int())
    else {
        return Err(Refused(format!("only up to {MAX_POSITIONS} positions of known width have a rule")));
    };
    let of_values = cx.extent(&value, 3)?;
    let decay = match args.optional(cx, 4)? {
        Some(decay) if gated => {
            let decay = split(cx, decay, groups)?;
            let powers = cx.call(&exp::OP, &[&decay], [])?;
            Some(cx.emit(powers)?)
        }
        None if !gated => None,
        _ => return Err(Refused(format!("the rule \"{rule}\" and `decay` do not fit"))),
    };
    let beta = match args.optional(cx, 5)? {
        Some(beta) if delta => {
            let last = cx.extent(&beta, 2)?.as_int().unwrap_or(0);
            Some(split(cx, beta, last)?)
        }
        None if !delta => None,
        _ => return Err(Refused(format!("the rule \"{rule}\" and `beta` do not fit"))),
    };
    let (mut state, kept) = match args.optional(cx, 3)? {
        Some(state) => (cx.astype(&state, DataType::F32)?, cx.dtype(&state)?),
        None => {
            let shape = Expr::shape(vec![batch.clone(), one(groups), one(width), of_values]);
            (cx.call(&full::OP, &[&shape, &cx.number(0.0, DataType::F32)?], [])?, dtype)
        }
    };
    let scale = match args.float("scale", 0.0)? {
        0.0 => 1.0 / (width as f64).sqrt(),
        scale => scale,
    };
    let mut outputs = Vec::new();
    for at in 0..count {
        // Rows, `(batch, heads, 1, width)`.
        let row = |cx: &Cx<'_>, x: &Expr| cx.slice(x, 2, &one(at), &one(at + 1), 1);
        let (own_key, mut own_value) = (row(cx, &key)?, row(cx, &value)?);
        if let Some(decay) = &decay {
            let transposed = cx.permute(&row(cx, decay)?, vec![0, 1, 3, 2])?;
            state = broadcast_call(cx, &multiply::OP, state, transposed)?;
        }
        state = bound(cx, state)?;
        if let Some(beta) = &beta {
            let known = cx.call(&matmul::OP, &[&own_key, &state], [])?;
            let rest = cx.call(&subtract::OP, &[&own_value, &known], [])?;
            own_value = broadcast_call(cx, &multiply::OP, row(cx, beta)?, rest)?;
        }
        let product = cx.call(&matmul::OP, &[&cx.permute(&own_key, vec![0, 1, 3, 2])?, &own_value], [])?;
        state = cx.emit(cx.call(&add::OP, &[&state, &product], [])?)?;
        let read = repeated_heads(cx, &state, &one(heads))?;
        let found = cx.call(&matmul::OP, &[&row(cx, &query)?, &read], [])?;
        outputs.push(cx.select(&cx.with_number(&multiply::OP, &found, scale)?, 2, &one(0))?);
    }
    let all = cx.call(&stack::OP, &[&Expr::tuple(outputs)], [("axis", 2i64.to_attr())])?;
    let all = join_heads(cx, &all)?;
    Ok(Val::Outputs(vec![cx.astype(&all, dtype)?.into(), cx.astype(&state, kept)?.into()]))
}
