//! Attention of `com.microsoft`: with packed projections, with heads apart, with caches and groups of queries.

use tilewright_expr as scalar;
use tilewright_expr::BinOp;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{
    add, divide, greater, greater_equal, less, less_equal, logical_and, maximum, multiply, not_equal, subtract,
};
use tilewright_ops::indexed::gather_nd;
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::manipulate::{broadcast_to, expand_dims, stack};
use tilewright_ops::nn::{attention, softmax};
use tilewright_ops::unary::tanh;
use tilewright_tensor::DataType;

use super::super::super::rule::{Args, Rule, bound, rule};
use super::super::super::values::Val;
use super::super::attention::{join_heads, repeated_heads, rotated, split_heads, with_past};
use super::super::elementwise::broadcast_call;
use super::super::gather::taken;
use super::super::shape::{joined, parts_of};
use super::quantised::real_product;
use super::{one, plus};
use crate::common::{Cx, Refused, Res, ToAttr, Value};

pub const RULES: &[Rule] = &[
    rule(
        "Attention",
        "input weights bias? mask_index? past? attention_bias?",
        "do_rotary mask_filter_value num_heads past_present_share_buffer qkv_hidden_sizes rotary_embedding_dim scale \
        unidirectional",
        |cx, args| {
            let product = cx.call(&matmul::OP, &[&args.tensor(cx, 0)?, &args.tensor(cx, 1)?], [])?;
            let all = plus(cx, product, args.optional(cx, 2)?)?;
            packed_attention(cx, args, all, &Optional { mask: 3, past: 4, bias: Some(5) })
        },
    ),
    rule(
        "QAttention",
        "input weight bias input_scale weight_scale mask_index? input_zero_point? weight_zero_point? past?",
        "do_rotary mask_filter_value num_heads past_present_share_buffer scale unidirectional",
        |cx, args| {
            let product = real_product(cx, args, [0, 3, 6], [1, 4, 7])?;
            let all = plus(cx, product, args.optional(cx, 2)?)?;
            packed_attention(cx, args, all, &Optional { mask: 5, past: 8, bias: None })
        },
    ),
    rule(
        "MultiHeadAttention",
        "query key? value? bias? key_padding_mask? attention_bias? past_key? past_value?",
        "mask_filter_value num_heads scale unidirectional",
        multi_head,
    ),
    rule(
        "RotaryEmbedding",
        "input position_ids cos_cache sin_cache",
        "interleaved is_packed_batching num_heads rotary_embedding_dim scale",
        rotary,
    ),
    rule(
        "GroupQueryAttention",
        "query key? value? past_key? past_value? seqlens_k total_sequence_length cos_cache? sin_cache? position_ids? \
        attention_bias? head_sink?",
        "causal do_rotary kv_cache_bit_width kv_num_heads k_quant_type local_window_size num_heads qk_norm_epsilon \
        qk_output rotary_interleaved scale sliding_window_cache smooth_softmax softcap v_quant_type",
        group_query,
    ),
];

/// Which inputs hold what a node may have besides its projections.
struct Optional {
    mask: usize,
    past: usize,
    bias: Option<usize>,
}

/// What becomes of scores before they are weights.
#[derive(Default)]
struct Scores {
    /// The factor of products of queries and keys; one over the root of the width where there is none.
    scale: Option<f64>,
    softcap: f64,
    /// Terms that are added.
    biases: Vec<Expr>,
    /// Whether a query attends to a key.
    allowed: Option<Expr>,
    /// Keys after a query's own position are hidden: both sequences end together.
    causal: bool,
    /// The score of a key without a value, `(1, heads, 1, 1)`.
    sink: Option<Expr>,
}

/// What is added to scores of shape `(batch, heads, queries, keys)` where a mask hides keys.
fn mask_bias(cx: &mut Cx<'_>, args: &Args<'_>, mask: &Expr, query: &Expr, keys: &scalar::Expr) -> Res<Expr> {
    let (shape, batch, dtype) = (cx.shape(mask)?, cx.extent(query, 0)?, cx.dtype(query)?);
    let allowed = match shape.as_slice() {
        [count] => key_range(cx, mask, count, &batch, keys)?,
        [batch, all] => {
            let mask = cx.reshape(mask, vec![batch.clone(), one(1), one(1), all.clone()])?;
            cx.with_number(&not_equal::OP, &mask, 0i64)?
        }
        [batch, queries, all] => {
            let mask = cx.reshape(mask, vec![batch.clone(), one(1), queries.clone(), all.clone()])?;
            cx.with_number(&not_equal::OP, &mask, 0i64)?
        }
        _ => return Err(Refused(format!("a mask of {} dimensions has no rule", shape.len()))),
    };
    let hidden = cx.number(args.float("mask_filter_value", -10000.0)?, dtype)?;
    cx.choose(&allowed, &cx.number(0.0, dtype)?, &hidden)
}

/// A mask of one dimension: the ends of the keys of each sequence, or these and their starts.
fn key_range(
    cx: &mut Cx<'_>,
    mask: &Expr,
    count: &scalar::Expr,
    batch: &scalar::Expr,
    keys: &scalar::Expr,
) -> Res<Expr> {
    let analyzer = &cx.bb.infer_cx().analyzer;
    let (has_ends, has_starts) =
        (analyzer.prove_equal(count, batch), analyzer.prove_equal(count, &cx.simplified(&(batch * 2))));
    let wide = cx.astype(mask, DataType::I64)?;
    let wide = bound(cx, wide)?;
    let all = cx.arange(keys)?;
    if has_starts && !has_ends {
        let ends = cx.slice(&wide, 0, &one(0), batch, 1)?;
        let starts = cx.slice(&wide, 0, batch, count, 1)?;
        let (ends, starts) = (cx.along_axis(&ends, 0, 4)?, cx.along_axis(&starts, 0, 4)?);
        let before = broadcast_call(cx, &less::OP, all.clone(), ends)?;
        let after = broadcast_call(cx, &greater_equal::OP, all, starts)?;
        return cx.call(&logical_and::OP, &[&before, &after], []);
    }
    if let (Some(count), Some(batch)) = (count.as_int(), batch.as_int())
        && count != batch
    {
        return Err(Refused(format!("a mask of {count} numbers for a batch of {batch} has no rule")));
    }
    let ends = cx.along_axis(&wide, 0, 4)?;
    broadcast_call(cx, &less::OP, all, ends)
}

/// Attention of heads `(batch, heads, positions, width)`, joined.
fn of_heads(cx: &mut Cx<'_>, [query, key, value]: [&Expr; 3], how: Scores) -> Res<Expr> {
    let width = cx.extent(query, 3)?.as_int().ok_or_else(|| Refused::new("the width of a head must be known"))?;
    let scale = how.scale.filter(|scale| *scale != 0.0).unwrap_or(1.0 / (width as f64).sqrt());
    if how.biases.is_empty() && how.allowed.is_none() && how.sink.is_none() && how.softcap == 0.0 {
        let [q, k, v] = [query, key, value].map(|x| cx.permute(x, vec![0, 2, 1, 3]));
        let causal = ("causal_mask", if how.causal { "BottomRight".to_attr() } else { tilewright_ir::Attr::None });
        let found = cx.call(&attention::OP, &[&q?, &k?, &v?], [("scale", scale.to_attr()), causal])?;
        let found = cx.permute(&found, vec![0, 2, 1, 3])?;
        return join_heads(cx, &found);
    }
    let product = cx.call(&matmul::OP, &[query, &cx.permute(key, vec![0, 1, 3, 2])?], [])?;
    let mut scores = cx.with_number(&multiply::OP, &product, scale)?;
    if how.softcap != 0.0 {
        let bent = cx.call(&tanh::OP, &[&cx.with_number(&divide::OP, &scores, how.softcap)?], [])?;
        scores = cx.with_number(&multiply::OP, &bent, how.softcap)?;
    }
    for bias in how.biases {
        scores = broadcast_call(cx, &add::OP, scores, bias)?;
    }
    let dtype = cx.dtype(query)?;
    let hidden = cx.number(if dtype == DataType::F16 { -65504.0 } else { f64::from(f32::MIN) }, dtype)?;
    let mut allowed: Vec<Expr> = how.allowed.into_iter().collect();
    if how.causal {
        let (queries, keys) = (cx.extent(query, 2)?, cx.extent(key, 2)?);
        allowed.push(causal_positions(cx, &queries, &keys)?);
    }
    for allowed in allowed {
        scores = cx.choose(&allowed, &scores, &hidden)?;
    }
    let weights = match how.sink {
        Some(sink) => with_sink(cx, scores, &sink)?,
        None => cx.call(&softmax::OP, &[&scores], [("axis", (-1i64).to_attr())])?,
    };
    let found = cx.call(&matmul::OP, &[&weights, value], [])?;
    join_heads(cx, &found)
}

/// The softmax of scores and one more, whose weight is dropped.
fn with_sink(cx: &mut Cx<'_>, scores: Expr, sink: &Expr) -> Res<Expr> {
    let scores = bound(cx, scores)?;
    let mut shape = cx.shape(&scores)?;
    let keys = std::mem::replace(&mut shape[3], one(1));
    let sink = cx.call(&broadcast_to::OP, &[sink, &Expr::shape(shape)], [])?;
    let both = joined(cx, vec![scores, sink], 3)?;
    let weights = cx.call(&softmax::OP, &[&both], [("axis", (-1i64).to_attr())])?;
    cx.slice(&weights, 3, &one(0), &keys, 1)
}

/// Whether a key is at the position of the query, or before it: both end together.
fn causal_positions(cx: &mut Cx<'_>, queries: &scalar::Expr, keys: &scalar::Expr) -> Res<Expr> {
    let before = cx.operand(&Value::int(cx.simplified(&(keys - queries))), DataType::I64)?;
    let own = cx.call(&add::OP, &[&cx.along_axis(&cx.arange(queries)?, 0, 2)?, &before], [])?;
    broadcast_call(cx, &less_equal::OP, cx.arange(keys)?, own)
}

fn known_width(cx: &Cx<'_>, x: &Expr) -> Res<i64> {
    cx.extent(x, cx.rank(x)? - 1)?.as_int().ok_or_else(|| Refused::new("the width must be known"))
}

/// Parts along the last dimension, each with its heads apart.
fn heads_of(cx: &mut Cx<'_>, all: &Expr, sizes: &[i64; 3], heads: [i64; 3]) -> Res<[Expr; 3]> {
    let mut parts = Vec::new();
    for (part, heads) in parts_of(cx, all, sizes, 2)?.into_iter().zip(heads) {
        let part = part.to_expr(cx)?;
        parts.push(split_heads(cx, &part, heads)?);
    }
    <[Expr; 3]>::try_from(parts).map_err(|_| Refused::new("expected three parts"))
}

/// Attention of the packed queries, keys and values that are the projections of an input.
fn packed_attention(cx: &mut Cx<'_>, args: &Args<'_>, all: Val, optional: &Optional) -> Res<Val> {
    if args.flag("do_rotary", false)? || args.flag("past_present_share_buffer", false)? {
        return Err(Refused::new("`do_rotary` and shared buffers have no rule"));
    }
    let all = all.to_expr(cx)?;
    let (all, heads) = (bound(cx, all)?, args.int("num_heads", 0)?);
    let sizes = match args.ints("qkv_hidden_sizes")? {
        Some(sizes) => <[i64; 3]>::try_from(sizes).map_err(|_| Refused::new("`qkv_hidden_sizes` are three"))?,
        None => [known_width(cx, &all)? / 3; 3],
    };
    let [query, key, value] = heads_of(cx, &all, &sizes, [heads; 3])?;
    let [past_key, past_value] = match args.optional(cx, optional.past)? {
        Some(past) => {
            let past = bound(cx, past)?;
            [Some(cx.select(&past, 0, &one(0))?), Some(cx.select(&past, 0, &one(1))?)]
        }
        None => [None, None],
    };
    let (key, value) = (with_past(cx, past_key, key)?, with_past(cx, past_value, value)?);
    let keys = cx.extent(&key, 2)?;
    let mut how =
        Scores { scale: args.maybe_float("scale")?, causal: args.flag("unidirectional", false)?, ..Scores::default() };
    if let Some(mask) = args.optional(cx, optional.mask)? {
        how.biases.push(mask_bias(cx, args, &mask, &query, &keys)?);
    }
    if let Some(at) = optional.bias {
        how.biases.extend(args.optional(cx, at)?);
    }
    let found = of_heads(cx, [&query, &key, &value], how)?;
    let mut outputs = vec![Val::from(found)];
    if args.wants(1) {
        let both = Expr::tuple(vec![key, value]);
        outputs.push(cx.call(&stack::OP, &[&both], [("axis", 0i64.to_attr())])?.into());
    }
    Ok(Val::Outputs(outputs))
}

/// Queries, keys and values as they are given: apart, or the last ones packed as `(batch, positions, heads, 2 or 3,
/// width)`.
fn given_parts(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<[Expr; 3]> {
    let unpacked = |cx: &mut Cx<'_>, all: &Expr, count: i64| -> Res<Vec<Expr>> {
        let all = bound(cx, all.clone())?;
        let shape = cx.shape(&all)?;
        let [batch, positions, heads, _, width] = shape.as_slice() else {
            return Err(Refused::new("packed tensors have five dimensions"));
        };
        let flat = vec![batch.clone(), positions.clone(), cx.product(&[heads.clone(), width.clone()])];
        (0..count).map(|at| cx.reshape(&cx.select(&all, 3, &one(at))?, flat.clone())).collect()
    };
    let query = args.tensor(cx, 0)?;
    let parts = match (args.optional(cx, 1)?, args.optional(cx, 2)?) {
        (Some(key), Some(value)) => vec![query, key, value],
        (Some(both), None) => [vec![query], unpacked(cx, &both, 2)?].concat(),
        _ => unpacked(cx, &query, 3)?,
    };
    <[Expr; 3]>::try_from(parts).map_err(|_| Refused::new("expected three parts"))
}

fn multi_head(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let heads = args.int("num_heads", 0)?;
    let given = given_parts(cx, args)?;
    let biases = match args.optional(cx, 3)? {
        Some(bias) => {
            let mut sizes = Vec::new();
            for x in &given {
                let own = known_width(cx, x)?;
                sizes.push(if cx.rank(x)? == 4 { own * heads } else { own });
            }
            parts_of(cx, &bias, &sizes, 0)?.into_iter().map(Some).collect()
        }
        None => vec![None, None, None],
    };
    let mut parts = Vec::new();
    for (x, bias) in given.into_iter().zip(biases) {
        // Keys and values of another layer have their heads apart already.
        if cx.rank(&x)? == 4 {
            parts.push(x);
            continue;
        }
        let bias = bias.map(|bias: Val| bias.to_expr(cx)).transpose()?;
        let x = plus(cx, x, bias)?.to_expr(cx)?;
        parts.push(split_heads(cx, &x, heads)?);
    }
    let [query, key, value] = <[Expr; 3]>::try_from(parts).map_err(|_| Refused::new("expected three parts"))?;
    let (past_key, past_value) = (args.optional(cx, 6)?, args.optional(cx, 7)?);
    let (key, value) = (with_past(cx, past_key, key)?, with_past(cx, past_value, value)?);
    let keys = cx.extent(&key, 2)?;
    let mut how =
        Scores { scale: args.maybe_float("scale")?, causal: args.flag("unidirectional", false)?, ..Scores::default() };
    if let Some(mask) = args.optional(cx, 4)? {
        how.biases.push(mask_bias(cx, args, &mask, &query, &keys)?);
    }
    how.biases.extend(args.optional(cx, 5)?);
    let found = of_heads(cx, [&query, &key, &value], how)?;
    Ok(Val::Outputs(vec![found.into(), key.into(), value.into()]))
}

/// Rows of a cache of cosines or sines for positions `(batch, positions)`: `(batch, 1, positions, half the width)`.
fn cache_rows(cx: &mut Cx<'_>, cache: &Expr, positions: &Expr) -> Res<Expr> {
    let rows = taken(cx, cache, positions, 0)?;
    let rows = cx.call(&expand_dims::OP, &[&rows], [("axis", vec![1i64].to_attr())])?;
    cx.emit(rows)
}

/// One position is that of the first row of each sequence.
fn rotary(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, mut positions) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
    let flat = cx.rank(&x)? == 3;
    let cos = args.tensor(cx, 2)?;
    let half = cx.extent(&cos, 1)?.as_int().ok_or_else(|| Refused::new("the width of a cache must be known"))?;
    let count = match args.int("rotary_embedding_dim", 0)? {
        0 => 2 * half,
        count => count,
    };
    let heads = match args.int("num_heads", 0)? {
        0 if flat => known_width(cx, &x)? / count.max(1),
        heads => heads,
    };
    let x = if flat { split_heads(cx, &x, heads)? } else { x };
    let x = bound(cx, x)?;
    if cx.rank(&positions)? == 1 {
        let steps = cx.arange(&cx.extent(&x, 2)?)?;
        let first = cx.reshape(&cx.astype(&positions, DataType::I64)?, vec![one(1), one(1)])?;
        positions = broadcast_call(cx, &add::OP, first, steps)?;
    }
    let (cos, sin) = (cache_rows(cx, &cos, &positions)?, cache_rows(cx, &args.tensor(cx, 3)?, &positions)?);
    let found = rotated(cx, &x, [&cos, &sin], count, args.flag("interleaved", false)?)?;
    Ok(if flat { join_heads(cx, &found)? } else { found }.into())
}

/// Queries, keys and values with their heads apart: three inputs, or one that is packed.
fn grouped(cx: &mut Cx<'_>, args: &Args<'_>, [heads, groups]: [i64; 2]) -> Res<[Expr; 3]> {
    let query = args.bound(cx, 0)?;
    match (args.optional(cx, 1)?, args.optional(cx, 2)?) {
        (Some(key), Some(value)) => {
            Ok([split_heads(cx, &query, heads)?, split_heads(cx, &key, groups)?, split_heads(cx, &value, groups)?])
        }
        _ => {
            let width = known_width(cx, &query)? / (heads + 2 * groups).max(1);
            let sizes = [heads * width, groups * width, groups * width];
            heads_of(cx, &query, &sizes, [heads, groups, groups])
        }
    }
}

/// Keys and values of all positions: those of a cache, then the new ones. Sequences may have different lengths, and the
/// cache room for more than it holds; all end at the total length at most.
fn group_query(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (heads, groups) = (args.int("num_heads", 0)?, args.int("kv_num_heads", 0)?);
    refuse_variants(args)?;
    let [mut query, mut key, value] = grouped(cx, args, [heads, groups])?;
    let queries = cx.extent(&query, 2)?;
    // The positions that each sequence has before: `(batch, 1)`.
    let last = cx.astype(&args.tensor(cx, 5)?, DataType::I64)?;
    let last = cx.reshape(&last, vec![cx.extent(&query, 0)?, one(1)])?;
    let new = cx.operand(&Value::int(cx.simplified(&(&queries - 1))), DataType::I64)?;
    let before = cx.with_number(&maximum::OP, &cx.call(&subtract::OP, &[&last, &new], [])?, 0i64)?;
    let before = cx.emit(before)?;
    let positions = broadcast_call(cx, &add::OP, before.clone(), cx.arange(&queries)?)?;
    let positions = cx.emit(positions)?;
    if args.flag("do_rotary", false)? {
        let rows = args.optional(cx, 9)?.unwrap_or_else(|| positions.clone());
        let (cos, sin) = (args.tensor(cx, 7)?, args.tensor(cx, 8)?);
        let (cos, sin) = (cache_rows(cx, &cos, &rows)?, cache_rows(cx, &sin, &rows)?);
        let count = 2 * known_width(cx, &cos)?;
        let interleaved = args.flag("rotary_interleaved", false)?;
        let (whole_query, whole_key) = (bound(cx, query)?, bound(cx, key)?);
        query = rotated(cx, &whole_query, [&cos, &sin], count, interleaved)?;
        key = rotated(cx, &whole_key, [&cos, &sin], count, interleaved)?;
    }
    let total = args.dims_at(cx, 6)?.first().cloned().ok_or_else(|| Refused::new("no total length"))?;
    let (past_key, past_value) = (args.optional(cx, 3)?, args.optional(cx, 4)?);
    let (key, value) = (cached(cx, past_key, key, &before, &total)?, cached(cx, past_value, value, &before, &total)?);
    let query = bound(cx, query)?;
    let (used_keys, used_values) = (cx.slice(&key, 2, &one(0), &total, 1)?, cx.slice(&value, 2, &one(0), &total, 1)?);
    let count = one(heads);
    let (all_keys, all_values) = (repeated_heads(cx, &used_keys, &count)?, repeated_heads(cx, &used_values, &count)?);
    let keys = cx.extent(&all_keys, 2)?;
    let how = Scores {
        scale: args.maybe_float("scale")?,
        softcap: args.float("softcap", 0.0)?,
        biases: args.optional(cx, 10)?.into_iter().collect(),
        allowed: Some(within_window(cx, args, &positions, &keys)?),
        causal: false,
        sink: sink_of(cx, args, cx.dtype(&query)?)?,
    };
    let found = of_heads(cx, [&query, &all_keys, &all_values], how)?;
    Ok(Val::Outputs(vec![found.into(), key.into(), value.into()]))
}

/// Refuses caches of quantised elements, and attention to later positions.
fn refuse_variants(args: &Args<'_>) -> Res<()> {
    let is_plain = |name: &str| Ok::<_, Refused>(matches!(args.text(name, "NONE")?.as_str(), "NONE" | ""));
    if !is_plain("k_quant_type")? || !is_plain("v_quant_type")? {
        return Err(Refused::new("a quantised cache has no rule"));
    }
    if !args.flag("causal", true)? || args.flag("sliding_window_cache", false)? || args.flag("qk_output", false)? {
        return Err(Refused::new("`causal` of 0, `sliding_window_cache` and `qk_output` have no rule"));
    }
    Ok(())
}

/// The score of a key without a value: 0 with `smooth_softmax`, or one for each head.
fn sink_of(cx: &mut Cx<'_>, args: &Args<'_>, dtype: DataType) -> Res<Option<Expr>> {
    match args.optional(cx, 11)? {
        Some(sink) => Ok(Some(cx.along_axis(&cx.astype(&sink, dtype)?, 1, 4)?)),
        None if args.int("smooth_softmax", 0)? == 1 => cx.reshape(&cx.number(0.0, dtype)?, vec![one(1); 4]).map(Some),
        None => Ok(None),
    }
}

/// Whether a query attends to a key: not after its own position, and not before its window.
fn within_window(cx: &mut Cx<'_>, args: &Args<'_>, positions: &Expr, keys: &scalar::Expr) -> Res<Expr> {
    let shape = cx.shape(positions)?;
    let own = cx.reshape(positions, vec![shape[0].clone(), one(1), shape[1].clone(), one(1)])?;
    let own = bound(cx, own)?;
    let all = cx.arange(keys)?;
    let allowed = broadcast_call(cx, &less_equal::OP, all.clone(), own.clone())?;
    let window = args.int("local_window_size", -1)?;
    if window < 0 {
        return Ok(allowed);
    }
    let begin = cx.with_number(&subtract::OP, &own, window)?;
    let inside = broadcast_call(cx, &greater::OP, all, begin)?;
    cx.call(&logical_and::OP, &[&allowed, &inside], [])
}

/// A cache `(batch, groups, positions, width)` with new rows after the `before` first ones of each sequence. It has as
/// many positions as before, or the total length if that is more.
fn cached(cx: &mut Cx<'_>, past: Option<Expr>, new: Expr, before: &Expr, total: &scalar::Expr) -> Res<Expr> {
    let Some(past) = past else { return bound(cx, new) };
    let (room, count) = (cx.extent(&past, 2)?, cx.extent(&new, 2)?);
    if room.as_int() == Some(0) {
        return bound(cx, new);
    }
    let analyzer = &cx.bb.infer_cx().analyzer;
    let is_full = analyzer.prove_equal(&cx.simplified(&(&room + &count)), total);
    if is_full && cx.extent(&new, 0)?.as_int() == Some(1) {
        return with_past(cx, Some(past), new);
    }
    let length = cx.integer(BinOp::Max, &room, total)?;
    let both = joined(cx, vec![past, new], 2)?;
    let both = bound(cx, both)?;
    // Element `at` is the old one before the new ones and after them, as far as there is an old one.
    let (at, room) = (cx.arange(&length)?, cx.operand(&Value::int(room), DataType::I64)?);
    let count = cx.operand(&Value::int(count), DataType::I64)?;
    let distance = broadcast_call(cx, &subtract::OP, at.clone(), before.clone())?;
    let distance = bound(cx, distance)?;
    let started = cx.with_number(&greater_equal::OP, &distance, 0i64)?;
    let is_new = cx.call(&logical_and::OP, &[&started, &cx.call(&less::OP, &[&distance, &count], [])?], [])?;
    let old = cx.call(
        &tilewright_ops::binary::minimum::OP,
        &[&at, &cx.with_number(&subtract::OP, &cx.call(&add::OP, &[&room, &count], [])?, 1i64)?],
        [],
    )?;
    let index = cx.choose(&is_new, &cx.call(&add::OP, &[&distance, &room], [])?, &old)?;
    let index = cx.call(&expand_dims::OP, &[&index], [("axis", vec![2i64].to_attr())])?;
    let rows = cx.permute(&both, vec![0, 2, 1, 3])?;
    let found = cx.call(&gather_nd::OP, &[&rows, &index], [("batch_dims", 1i64.to_attr())])?;
    let found = cx.permute(&found, vec![0, 2, 1, 3])?;
    cx.emit(found)
}
