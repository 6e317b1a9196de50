//! Attention, rotary embeddings.

use tilewright_expr as scalar;
use tilewright_expr::BinOp;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, divide, equal, less, less_equal, logical_and, multiply, subtract};
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::manipulate::{concat, repeat, stack};
use tilewright_ops::nn::{attention, softmax};
use tilewright_ops::statistical::max;
use tilewright_ops::unary::tanh;
use tilewright_tensor::DataType;

use super::super::rule::{Args, Rule, bound, rule};
use super::super::tensors::dtype_of;
use super::super::values::Val;
use super::elementwise::broadcast_call;
use super::gather::taken;
use super::reduce::reduced;
use super::shape::{joined, with_border};
use crate::common::{Cx, Refused, Res, ToAttr, Value};

pub const RULES: &[Rule] = &[
    rule(
        "Attention",
        "Q K V attn_mask? past_key? past_value? nonpad_kv_seqlen?",
        "is_causal kv_num_heads left_window_size q_num_heads qk_matmul_output_mode right_window_size scale softcap \
        softmax_precision",
        attended,
    ),
    rule(
        "RotaryEmbedding",
        "X cos_cache sin_cache position_ids?",
        "interleaved num_heads rotary_embedding_dim",
        rotary_embedding,
    ),
    rule(
        "LinearAttention",
        "query key value past_state? decay? beta?",
        "chunk_size kv_num_heads q_num_heads scale update_rule",
        super::linear_attention::linear_attention,
    ),
];

fn one(value: i64) -> scalar::Expr {
    scalar::Expr::i64(value)
}

/// `(batch, positions, heads * width)` as `(batch, heads, positions, width)`.
pub fn split_heads(cx: &mut Cx<'_>, x: &Expr, heads: i64) -> Res<Expr> {
    let shape = cx.shape(x)?;
    let ([batch, positions, all], true) = (shape.as_slice(), heads > 0) else {
        return Err(Refused::new("expected batch, positions and width, and a number of heads"));
    };
    let width = cx.integer(BinOp::FloorDiv, all, &one(heads))?;
    let apart = cx.reshape(x, vec![batch.clone(), positions.clone(), one(heads), width])?;
    cx.permute(&apart, vec![0, 2, 1, 3])
}

/// `(batch, heads, positions, width)` as `(batch, positions, heads * width)`.
pub fn join_heads(cx: &mut Cx<'_>, x: &Expr) -> Res<Expr> {
    let shape = cx.shape(x)?;
    let [batch, heads, positions, width] = shape.as_slice() else { return Err(Refused::new("expected heads")) };
    let joined = vec![batch.clone(), positions.clone(), cx.product(&[heads.clone(), width.clone()])];
    cx.reshape(&cx.permute(x, vec![0, 2, 1, 3])?, joined)
}

/// Heads of keys or values repeated, so that there are as many as those of queries.
pub fn repeated_heads(cx: &mut Cx<'_>, x: &Expr, heads: &scalar::Expr) -> Res<Expr> {
    let own = cx.extent(x, 1)?;
    if cx.bb.infer_cx().analyzer.prove_equal(&own, heads) {
        return Ok(x.clone());
    }
    let count = cx.integer(BinOp::FloorDiv, heads, &own)?.as_int();
    let count = count.ok_or_else(|| Refused::new("the number of heads must be known"))?;
    cx.call(&repeat::OP, &[x], [("repeats", count.to_attr()), ("axis", 1i64.to_attr())])
}

/// Sequences one after the other: what a cache holds, and the new one.
pub fn with_past(cx: &mut Cx<'_>, past: Option<Expr>, x: Expr) -> Res<Expr> {
    match past {
        None => bound(cx, x),
        Some(past) => {
            let both = cx.call(&concat::OP, &[&Expr::tuple(vec![past, x])], [("axis", 2i64.to_attr())])?;
            cx.emit(both)
        }
    }
}

/// Where a query attends to a key by their positions: `(…, queries, keys)`, true for those that are.
struct Reach {
    causal: bool,
    left: i64,
    right: i64,
}

/// The positions of queries, from the number of keys before the first of them on: `(queries, 1)` or
/// `(batch, 1, queries, 1)`.
fn query_positions(cx: &mut Cx<'_>, args: &Args<'_>, queries: &scalar::Expr) -> Res<Expr> {
    let index = cx.along_axis(&cx.arange(queries)?, 0, 2)?;
    if let Val::Tensor(past) = args.input(4) {
        let offset = cx.operand(&Value::int(cx.extent(past, 2)?), DataType::I64)?;
        return cx.call(&add::OP, &[&index, &offset], []);
    }
    if args.has(6) {
        let lengths = cx.along_axis(&cx.astype(&args.tensor(cx, 6)?, DataType::I64)?, 0, 4)?;
        let count = cx.operand(&Value::int(queries.clone()), DataType::I64)?;
        let offset = cx.call(&subtract::OP, &[&lengths, &count], [])?;
        return broadcast_call(cx, &add::OP, index, offset);
    }
    Ok(index)
}

/// What is added to the scores; nothing where all keys are attended to.
fn bias(
    cx: &mut Cx<'_>,
    args: &Args<'_>,
    reach: &Reach,
    [queries, keys]: [&scalar::Expr; 2],
    dtype: DataType,
) -> Res<Option<Expr>> {
    let (nothing, never) = (cx.number(0.0, dtype)?, cx.number(f64::NEG_INFINITY, dtype)?);
    let as_bias = |cx: &mut Cx<'_>, allowed: &Expr| cx.choose(allowed, &nothing, &never);
    let mut all: Option<Expr> = None;
    if let Some(mut mask) = args.optional(cx, 3)? {
        let rank = cx.rank(&mask)?;
        let is_bool = cx.dtype(&mask)?.is_bool();
        let own = cx.extent(&mask, rank.saturating_sub(1))?;
        if let (Some(own), Some(keys)) = (own.as_int(), keys.as_int())
            && own < keys
        {
            let mut widths = vec![[0, 0]; rank];
            widths[rank - 1][1] = keys - own;
            mask = with_border(cx, &mask, &widths, "constant", if is_bool { 0.0 } else { f64::NEG_INFINITY })?;
        }
        all = Some(if is_bool { as_bias(cx, &mask)? } else { cx.astype(&mask, dtype)? });
    }
    let mut allowed: Option<Expr> = None;
    if reach.causal || reach.left >= 0 || reach.right >= 0 {
        let positions = query_positions(cx, args, queries)?;
        let distance = broadcast_call(cx, &subtract::OP, positions, cx.arange(keys)?)?;
        let distance = bound(cx, distance)?;
        let mut also = |cx: &mut Cx<'_>, rule: Expr| -> Res<()> {
            allowed = Some(match allowed.take() {
                None => rule,
                Some(before) => cx.call(&logical_and::OP, &[&before, &rule], [])?,
            });
            Ok(())
        };
        let least = if reach.causal { Some(0) } else { (reach.right >= 0).then_some(-reach.right) };
        if let Some(least) = least {
            let rule = cx.call(&less_equal::OP, &[&cx.number(least, DataType::I64)?, &distance], [])?;
            also(cx, rule)?;
        }
        if reach.left >= 0 {
            let rule = cx.with_number(&less_equal::OP, &distance, reach.left)?;
            also(cx, rule)?;
        }
    }
    if args.has(6) {
        let lengths = cx.along_axis(&cx.astype(&args.tensor(cx, 6)?, DataType::I64)?, 0, 4)?;
        let inside = broadcast_call(cx, &less::OP, cx.arange(keys)?, lengths)?;
        allowed = Some(match allowed.take() {
            None => inside,
            Some(before) => broadcast_call(cx, &logical_and::OP, before, inside)?,
        });
    }
    if let Some(allowed) = allowed {
        let more = as_bias(cx, &allowed)?;
        all = Some(match all {
            None => more,
            Some(all) => broadcast_call(cx, &add::OP, all, more)?,
        });
    }
    Ok(all)
}

fn attended(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let inputs = [args.tensor(cx, 0)?, args.tensor(cx, 1)?, args.tensor(cx, 2)?];
    let flat = cx.rank(&inputs[0])? == 3;
    let [query, key, value] = match flat {
        true => {
            let (heads, of_keys) = (args.int("q_num_heads", 0)?, args.int("kv_num_heads", 0)?);
            let [q, k, v] = inputs;
            [split_heads(cx, &q, heads)?, split_heads(cx, &k, of_keys)?, split_heads(cx, &v, of_keys)?]
        }
        false => inputs,
    };
    let (past_key, past_value) = (args.optional(cx, 4)?, args.optional(cx, 5)?);
    let (key, value) = (with_past(cx, past_key, key)?, with_past(cx, past_value, value)?);
    let query = bound(cx, query)?;
    let (heads, dtype) = (cx.extent(&query, 1)?, cx.dtype(&query)?);
    let (all_keys, all_values) = (repeated_heads(cx, &key, &heads)?, repeated_heads(cx, &value, &heads)?);
    let reach = Reach {
        causal: args.flag("is_causal", false)?,
        left: args.int("left_window_size", -1)?,
        right: args.int("right_window_size", -1)?,
    };
    let (queries, keys) = (cx.extent(&query, 2)?, cx.extent(&all_keys, 2)?);
    let width = cx.extent(&query, 3)?.as_int().ok_or_else(|| Refused::new("the width of a head must be known"))?;
    let scale = args.float("scale", 1.0 / (width as f64).sqrt())?;
    let bias = bias(cx, args, &reach, [&queries, &keys], dtype)?;
    let softcap = args.float("softcap", 0.0)?;
    if bias.is_none() && softcap == 0.0 && !args.wants(3) {
        let transposed = [&query, &all_keys, &all_values].map(|x| cx.permute(x, vec![0, 2, 1, 3]));
        let [q, k, v] = transposed;
        let found = cx.call(&attention::OP, &[&q?, &k?, &v?], [("scale", scale.to_attr())])?;
        let found = cx.permute(&found, vec![0, 2, 1, 3])?;
        return outputs(cx, found, flat, [key, value], None);
    }
    let scores = scores(cx, &query, &all_keys, scale)?;
    let scores = if softcap > 0.0 { capped(cx, &scores, softcap)? } else { scores };
    let scores = bound(cx, scores)?;
    let biased = match &bias {
        Some(bias) => broadcast_call(cx, &add::OP, scores.clone(), bias.clone())?,
        None => scores.clone(),
    };
    let biased = bound(cx, biased)?;
    let work = match args.maybe_int("softmax_precision")? {
        Some(number) => dtype_of(number)?,
        None => dtype,
    };
    let weights = weights(cx, &cx.astype(&biased, work)?, bias.as_ref())?;
    let weights = cx.astype(&weights, dtype)?;
    let weights = bound(cx, weights)?;
    let found = cx.call(&matmul::OP, &[&weights, &all_values], [])?;
    let shown = match args.int("qk_matmul_output_mode", 0)? {
        2 => biased,
        3 => weights,
        1 => scores,
        // Without the cap.
        _ if softcap > 0.0 => self::scores(cx, &query, &all_keys, scale)?,
        _ => scores,
    };
    outputs(cx, found, flat, [key, value], Some(shown))
}

/// Queries times keys; each is scaled by the root.
fn scores(cx: &mut Cx<'_>, query: &Expr, keys: &Expr, scale: f64) -> Res<Expr> {
    let transposed = cx.permute(keys, vec![0, 1, 3, 2])?;
    if scale < 0.0 {
        let product = cx.call(&matmul::OP, &[query, &transposed], [])?;
        return cx.with_number(&multiply::OP, &product, scale);
    }
    let (query, transposed) = (
        cx.with_number(&multiply::OP, query, scale.sqrt())?,
        cx.with_number(&multiply::OP, &transposed, scale.sqrt())?,
    );
    cx.call(&matmul::OP, &[&query, &transposed], [])
}

fn capped(cx: &mut Cx<'_>, x: &Expr, cap: f64) -> Res<Expr> {
    let bent = cx.call(&tanh::OP, &[&cx.with_number(&divide::OP, x, cap)?], [])?;
    cx.with_number(&multiply::OP, &bent, cap)
}

/// The softmax of scores; a query that attends to no key has weights of 0.
fn weights(cx: &mut Cx<'_>, scores: &Expr, bias: Option<&Expr>) -> Res<Expr> {
    let found = cx.call(&softmax::OP, &[scores], [("axis", (-1i64).to_attr())])?;
    let Some(bias) = bias else { return Ok(found) };
    let largest = reduced(cx, bias, Some(vec![-1]), true, &max::OP)?;
    let none = cx.with_number(&equal::OP, &largest, f64::NEG_INFINITY)?;
    let nothing = cx.number(0.0, cx.dtype(&found)?)?;
    cx.choose(&none, &nothing, &found)
}

fn outputs(cx: &mut Cx<'_>, found: Expr, flat: bool, cache: [Expr; 2], scores: Option<Expr>) -> Res<Val> {
    let found = if flat { join_heads(cx, &found)? } else { found };
    let [key, value] = cache;
    let mut all = vec![Val::from(found), key.into(), value.into()];
    all.extend(scores.map(Val::from));
    Ok(Val::Outputs(all))
}

fn rotary_embedding(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    let flat = cx.rank(&x)? == 3;
    let x = if flat { split_heads(cx, &x, args.int("num_heads", 0)?)? } else { x };
    let x = bound(cx, x)?;
    let caches = [args.tensor(cx, 1)?, args.tensor(cx, 2)?];
    let positions = args.optional(cx, 3)?;
    // Each `(batch, 1, positions, half the width)`.
    let cache = |cx: &mut Cx<'_>, cache: &Expr| -> Res<Expr> {
        let found = match &positions {
            Some(positions) => taken(cx, cache, positions, 0)?,
            None => cache.clone(),
        };
        let shape = cx.shape(&found)?;
        let [batch, rows, half] = shape.as_slice() else { return Err(Refused::new("a cache of other dimensions")) };
        let found = cx.reshape(&found, vec![batch.clone(), one(1), rows.clone(), half.clone()])?;
        cx.emit(found)
    };
    let [cos, sin] = caches;
    let (cos, sin) = (cache(cx, &cos)?, cache(cx, &sin)?);
    let width = cx.extent(&x, 3)?.as_int().ok_or_else(|| Refused::new("the width of a head must be known"))?;
    let count = match args.int("rotary_embedding_dim", 0)? {
        0 => width,
        count => count,
    };
    let found = rotated(cx, &x, [&cos, &sin], count, args.flag("interleaved", false)?)?;
    Ok(if flat { join_heads(cx, &found)? } else { found }.into())
}

/// Pairs of the first `count` elements of each head rotated: those of both halves, or neighbours.
pub fn rotated(cx: &mut Cx<'_>, x: &Expr, [cos, sin]: [&Expr; 2], count: i64, interleaved: bool) -> Res<Expr> {
    let width = cx.extent(x, 3)?;
    let (first, step, second) = if interleaved { (0, 2, 1) } else { (0, 1, count / 2) };
    let (end, last) = if interleaved { (count, count) } else { (count / 2, count) };
    let a = cx.slice(x, 3, &one(first), &one(end), step)?;
    let b = cx.slice(x, 3, &one(second), &one(last), step)?;
    let (a, b) = (cx.emit(a)?, cx.emit(b)?);
    let product = |cx: &mut Cx<'_>, x: &Expr, y: &Expr| broadcast_call(cx, &multiply::OP, x.clone(), y.clone());
    let (x1, x2) = (product(cx, &a, cos)?, product(cx, &b, sin)?);
    let real = cx.call(&subtract::OP, &[&x1, &x2], [])?;
    let (x1, x2) = (product(cx, &a, sin)?, product(cx, &b, cos)?);
    let imaginary = cx.call(&add::OP, &[&x1, &x2], [])?;
    let rotated = match interleaved {
        true => {
            let pairs = cx.call(&stack::OP, &[&Expr::tuple(vec![real, imaginary])], [("axis", 4i64.to_attr())])?;
            let mut shape = cx.shape(&a)?;
            shape[3] = one(count);
            cx.reshape(&pairs, shape)?
        }
        false => joined(cx, vec![real, imaginary], 3)?,
    };
    if width.as_int() == Some(count) {
        return Ok(rotated);
    }
    let rest = cx.slice(x, 3, &one(count), &width, 1)?;
    joined(cx, vec![rotated, rest], 3)
}
