//! Operators of the domain `com.microsoft`, into which ONNX Runtime fuses others.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{
    add, bitwise_and, divide, less, less_equal, logical_and, multiply, right_shift, subtract,
};
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::manipulate::{expand_dims, stack};
use tilewright_ops::nn::{attention, gelu, gelu_tanh, leakyrelu, relu, softmax};
use tilewright_ops::statistical::sum;
use tilewright_ops::unary::{sigmoid, tanh};
use tilewright_tensor::DataType;

use super::super::rule::{Args, Rule, bound, rule};
use super::super::values::Val;
use super::activation::hard_sigmoid;
use super::attention::{join_heads, repeated_heads, rotated, split_heads, with_past};
use super::convolution::{forward, with_bias};
use super::elementwise::broadcast_call;
use super::gather::taken;
use super::normalise::{layer, moments, rms};
use super::reduce::reduced;
use super::shape::{joined, parts_of};
use crate::common::{Cx, Op, Refused, Res, ToAttr, Value};

pub const RULES: &[Rule] = &[
    rule("Gelu", "X", "", |cx, args| Ok(cx.call(&gelu::OP, &[&args.tensor(cx, 0)?], [])?.into())),
    rule("BiasGelu", "A B", "", |cx, args| with_bias_of(cx, args, &gelu::OP)),
    rule("FastGelu", "X bias?", "", |cx, args| with_bias_of(cx, args, &gelu_tanh::OP)),
    rule("QuickGelu", "X", "alpha", |cx, args| {
        let x = args.bound(cx, 0)?;
        let scaled = cx.with_number(&multiply::OP, &x, args.float("alpha", 1.702)?)?;
        Ok(cx.call(&multiply::OP, &[&x, &cx.call(&sigmoid::OP, &[&scaled], [])?], [])?.into())
    }),
    rule("SimplifiedLayerNormalization", "X scale", "axis epsilon stash_type", |cx, args| {
        let (x, weight) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
        let axis = cx.axis(args.int("axis", -1)?, cx.rank(&x)?)?;
        rms(cx, &x, &weight, axis, args.float("epsilon", 1e-5)?).map(Val::from)
    }),
    rule("SkipLayerNormalization", "input skip gamma beta? bias?", "epsilon", |cx, args| {
        let sum = summed(cx, args, &[0, 1, 4])?;
        let (axis, epsilon) = (cx.rank(&sum)? - 1, args.float("epsilon", 1e-12)?);
        let found = layer(cx, &sum, &args.tensor(cx, 2)?, args.optional(cx, 3)?, axis, epsilon)?;
        let (mean, inverse) = moments(cx, &sum, axis, epsilon)?;
        Ok(Val::Outputs(vec![found.into(), mean.into(), inverse.into(), sum.into()]))
    }),
    rule("SkipSimplifiedLayerNormalization", "input skip gamma bias?", "epsilon", |cx, args| {
        let sum = summed(cx, args, &[0, 1, 3])?;
        let (axis, epsilon) = (cx.rank(&sum)? - 1, args.float("epsilon", 1e-5)?);
        let found = rms(cx, &sum, &args.tensor(cx, 2)?, axis, epsilon)?;
        Ok(Val::Outputs(vec![found.into(), Val::Absent, Val::Absent, sum.into()]))
    }),
    rule(
        "EmbedLayerNormalization",
        "input_ids segment_ids? word_embedding position_embedding segment_embedding? gamma beta mask? position_ids?",
        "epsilon mask_index_type",
        embed,
    ),
    rule(
        "Attention",
        "input weights bias? mask_index? past? attention_bias?",
        "do_rotary mask_filter_value num_heads past_present_share_buffer qkv_hidden_sizes rotary_embedding_dim scale \
        unidirectional",
        packed_attention,
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
        "query key? value? past_key? past_value? seqlens_k total_sequence_length cos_cache? sin_cache?",
        "do_rotary kv_num_heads local_window_size num_heads rotary_interleaved scale smooth_softmax softcap",
        group_query,
    ),
    rule("MatMulNBits", "A B scales zero_points? g_idx? bias?", "K N accuracy_level bits block_size", matmul_n_bits),
    rule("FusedMatMul TransposeMatMul", "A B", "alpha transA transB transBatchA transBatchB", fused_matmul),
    rule(
        "FusedConv",
        "X W B? Z?",
        "activation activation_params auto_pad dilations group kernel_shape pads strides",
        fused_conv,
    ),
    rule("FusedGemm", "A B C?", "activation activation_alpha alpha beta transA transB", fused_gemm),
    rule("DynamicQuantizeMatMul", "A B b_scale b_zero_point? bias?", "", |cx, args| {
        // The product in floats, of which the other is an approximation.
        let b = real(cx, args, [1, 2, 3], -1)?;
        let found = cx.call(&matmul::OP, &[&args.tensor(cx, 0)?, &b], [])?;
        plus(cx, found, args.optional(cx, 4)?)
    }),
    rule("MatMulIntegerToFloat", "A B a_scale b_scale a_zero_point? b_zero_point? bias?", "", |cx, args| {
        let (a, b) = (real(cx, args, [0, 2, 4], -2)?, real(cx, args, [1, 3, 5], -1)?);
        let found = cx.call(&matmul::OP, &[&a, &b], [])?;
        plus(cx, found, args.optional(cx, 6)?)
    }),
    rule("QLinearAdd", "A a_scale a_zero B b_scale b_zero C_scale C_zero", "", |cx, args| q_binary(cx, args, &add::OP)),
    rule("QLinearMul", "A a_scale a_zero B b_scale b_zero C_scale C_zero", "", |cx, args| {
        q_binary(cx, args, &multiply::OP)
    }),
    rule("QLinearSigmoid", "X X_scale X_zero Y_scale Y_zero", "", |cx, args| {
        let x = real(cx, args, [0, 1, 2], 0)?;
        let found = cx.call(&sigmoid::OP, &[&x], [])?;
        quantised(cx, args, &found, [3, 4])
    }),
    rule("QLinearLeakyRelu", "X X_scale X_zero Y_scale Y_zero", "alpha", |cx, args| {
        let x = real(cx, args, [0, 1, 2], 0)?;
        let found = cx.call(&leakyrelu::OP, &[&x], [("alpha", args.float("alpha", 0.01)?.to_attr())])?;
        quantised(cx, args, &found, [3, 4])
    }),
    rule("QLinearGlobalAveragePool", "X x_scale x_zero y_scale y_zero", "channels_last", |cx, args| {
        let x = real(cx, args, [0, 1, 2], 0)?;
        let rank = cx.rank(&x)? as i64;
        let axes = if args.flag("channels_last", false)? { (1..rank - 1).collect() } else { (2..rank).collect() };
        let found = reduced(cx, &x, Some(axes), true, &tilewright_ops::statistical::mean::OP)?;
        quantised(cx, args, &found, [3, 4])
    }),
    rule("QLinearConcat", "Y_scale Y_zero *inputs", "axis", |cx, args| {
        let mut parts = Vec::new();
        for at in (2..args.inputs.len()).step_by(3) {
            parts.push(real(cx, args, [at, at + 1, at + 2], 0)?);
        }
        let found = joined(cx, parts, args.int("axis", 0)?)?;
        quantised(cx, args, &found, [0, 1])
    }),
];

fn one(value: i64) -> scalar::Expr {
    scalar::Expr::i64(value)
}

fn plus(cx: &mut Cx<'_>, x: Expr, bias: Option<Expr>) -> Res<Val> {
    match bias {
        Some(bias) => broadcast_call(cx, &add::OP, x, bias).map(Val::from),
        None => Ok(x.into()),
    }
}

fn with_bias_of(cx: &mut Cx<'_>, args: &Args<'_>, op: Op) -> Res<Val> {
    let x = summed(cx, args, &[0, 1])?;
    Ok(cx.call(op, &[&x], [])?.into())
}

/// The sum of the inputs that are given.
fn summed(cx: &mut Cx<'_>, args: &Args<'_>, inputs: &[usize]) -> Res<Expr> {
    let mut total: Option<Expr> = None;
    for at in inputs {
        if let Some(x) = args.optional(cx, *at)? {
            total = Some(match total {
                None => x,
                Some(total) => broadcast_call(cx, &add::OP, total, x)?,
            });
        }
    }
    let total = total.ok_or_else(|| Refused::new("nothing to add"))?;
    bound(cx, total)
}

fn embed(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let ids = args.tensor(cx, 0)?;
    let mut total = taken(cx, &args.tensor(cx, 2)?, &ids, 0)?;
    let positions = match args.optional(cx, 8)? {
        Some(positions) => positions,
        None => cx.arange(&cx.extent(&ids, 1)?)?,
    };
    let positions = taken(cx, &args.tensor(cx, 3)?, &positions, 0)?;
    total = broadcast_call(cx, &add::OP, total, positions)?;
    if let (Some(segments), Some(table)) = (args.optional(cx, 1)?, args.optional(cx, 4)?) {
        let segments = taken(cx, &table, &segments, 0)?;
        total = broadcast_call(cx, &add::OP, total, segments)?;
    }
    let total = bound(cx, total)?;
    let (axis, epsilon) = (cx.rank(&total)? - 1, args.float("epsilon", 1e-12)?);
    let found = layer(cx, &total, &args.tensor(cx, 5)?, args.optional(cx, 6)?, axis, epsilon)?;
    let lengths = match args.optional(cx, 7)? {
        Some(mask) => reduced(cx, &cx.astype(&mask, DataType::I32)?, Some(vec![1]), false, &sum::OP)?.into(),
        None => Val::Absent,
    };
    Ok(Val::Outputs(vec![found.into(), lengths, total.into()]))
}

/// What is added to scores of shape `(batch, heads, queries, keys)` where a mask hides keys.
fn mask_bias(cx: &mut Cx<'_>, args: &Args<'_>, mask: &Expr, keys: &scalar::Expr, dtype: DataType) -> Res<Expr> {
    let shape = cx.shape(mask)?;
    let allowed = match shape.as_slice() {
        // Numbers of keys.
        [_] => {
            let lengths = cx.along_axis(&cx.astype(mask, DataType::I64)?, 0, 4)?;
            broadcast_call(cx, &less::OP, cx.arange(keys)?, lengths)?
        }
        [batch, all] => {
            let mask = cx.reshape(mask, vec![batch.clone(), one(1), one(1), all.clone()])?;
            cx.with_number(&tilewright_ops::binary::not_equal::OP, &mask, 0i64)?
        }
        [batch, queries, all] => {
            let mask = cx.reshape(mask, vec![batch.clone(), one(1), queries.clone(), all.clone()])?;
            cx.with_number(&tilewright_ops::binary::not_equal::OP, &mask, 0i64)?
        }
        _ => return Err(Refused(format!("a mask of {} dimensions has no rule", shape.len()))),
    };
    let hidden = cx.number(args.float("mask_filter_value", -10000.0)?, dtype)?;
    cx.choose(&allowed, &cx.number(0.0, dtype)?, &hidden)
}

/// Attention of heads `(batch, heads, positions, width)` with what is added to the scores, joined.
fn of_heads(
    cx: &mut Cx<'_>,
    [query, key, value]: [&Expr; 3],
    biases: Vec<Expr>,
    scale: Option<f64>,
    causal: bool,
) -> Res<Expr> {
    let width = cx.extent(query, 3)?.as_int().ok_or_else(|| Refused::new("the width of a head must be known"))?;
    let scale = scale.filter(|scale| *scale != 0.0).unwrap_or(1.0 / (width as f64).sqrt());
    if biases.is_empty() {
        let [q, k, v] = [query, key, value].map(|x| cx.permute(x, vec![0, 2, 1, 3]));
        let causal = ("causal_mask", if causal { "BottomRight".to_attr() } else { tilewright_ir::Attr::None });
        let found = cx.call(&attention::OP, &[&q?, &k?, &v?], [("scale", scale.to_attr()), causal])?;
        let found = cx.permute(&found, vec![0, 2, 1, 3])?;
        return join_heads(cx, &found);
    }
    let product = cx.call(&matmul::OP, &[query, &cx.permute(key, vec![0, 1, 3, 2])?], [])?;
    let mut scores = cx.with_number(&multiply::OP, &product, scale)?;
    for bias in biases {
        scores = broadcast_call(cx, &add::OP, scores, bias)?;
    }
    if causal {
        let (queries, keys) = (cx.extent(query, 2)?, cx.extent(key, 2)?);
        let allowed = causal_positions(cx, &queries, &keys)?;
        let hidden = cx.number(f64::from(f32::MIN), cx.dtype(query)?)?;
        scores = cx.choose(&allowed, &scores, &hidden)?;
    }
    let weights = cx.call(&softmax::OP, &[&scores], [("axis", (-1i64).to_attr())])?;
    let found = cx.call(&matmul::OP, &[&weights, value], [])?;
    join_heads(cx, &found)
}

/// Whether a key is at the position of the query, or before it: both end together.
fn causal_positions(cx: &mut Cx<'_>, queries: &scalar::Expr, keys: &scalar::Expr) -> Res<Expr> {
    let before = cx.operand(&Value::int(cx.simplified(&(keys - queries))), DataType::I64)?;
    let own = cx.call(&add::OP, &[&cx.along_axis(&cx.arange(queries)?, 0, 2)?, &before], [])?;
    broadcast_call(cx, &less_equal::OP, cx.arange(keys)?, own)
}

fn packed_attention(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    if args.flag("do_rotary", false)? || args.flag("past_present_share_buffer", false)? {
        return Err(Refused::new("`do_rotary` and shared buffers have no rule"));
    }
    let (x, heads) = (args.tensor(cx, 0)?, args.int("num_heads", 0)?);
    let product = cx.call(&matmul::OP, &[&x, &args.tensor(cx, 1)?], [])?;
    let Val::Tensor(all) = plus(cx, product, args.optional(cx, 2)?)? else { return Err(Refused::new("no tensor")) };
    let all = bound(cx, all)?;
    let sizes = match args.ints("qkv_hidden_sizes")? {
        Some(sizes) => sizes,
        None => {
            let all = cx.extent(&all, 2)?.as_int().ok_or_else(|| Refused::new("the width must be known"))?;
            vec![all / 3; 3]
        }
    };
    let mut parts = Vec::new();
    for part in parts_of(cx, &all, &sizes, 2)? {
        let part = part.to_expr(cx)?;
        parts.push(split_heads(cx, &part, heads)?);
    }
    let [query, key, value] = <[Expr; 3]>::try_from(parts).map_err(|_| Refused::new("expected three parts"))?;
    let past = match args.optional(cx, 4)? {
        Some(past) => {
            let past = bound(cx, past)?;
            [Some(cx.select(&past, 0, &one(0))?), Some(cx.select(&past, 0, &one(1))?)]
        }
        None => [None, None],
    };
    let [past_key, past_value] = past;
    let (key, value) = (with_past(cx, past_key, key)?, with_past(cx, past_value, value)?);
    let (keys, dtype) = (cx.extent(&key, 2)?, cx.dtype(&query)?);
    let mut biases = Vec::new();
    if let Some(mask) = args.optional(cx, 3)? {
        biases.push(mask_bias(cx, args, &mask, &keys, dtype)?);
    }
    biases.extend(args.optional(cx, 5)?);
    let causal = args.flag("unidirectional", false)?;
    let found = of_heads(cx, [&query, &key, &value], biases, args.maybe_float("scale")?, causal)?;
    let mut outputs = vec![Val::from(found)];
    if args.wants(1) {
        let both = Expr::tuple(vec![key, value]);
        outputs.push(cx.call(&stack::OP, &[&both], [("axis", 0i64.to_attr())])?.into());
    }
    Ok(Val::Outputs(outputs))
}

fn multi_head(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let heads = args.int("num_heads", 0)?;
    let inputs = (0..3).map(|at| args.optional(cx, at)).collect::<Res<Vec<_>>>()?;
    let [Some(query), Some(key), Some(value)] = inputs.as_slice() else {
        return Err(Refused::new("packed queries, keys and values have no rule"));
    };
    let bias = match args.optional(cx, 3)? {
        Some(bias) => {
            let sizes = [query, key, value].map(|x| cx.extent(x, cx.rank(x)? - 1).map(|size| size.as_int()));
            let sizes = sizes.into_iter().map(|size| size?.ok_or_else(|| Refused::new("the widths must be known")));
            let sizes = sizes.collect::<Res<Vec<_>>>()?;
            parts_of(cx, &bias, &sizes, 0)?.into_iter().map(Some).collect()
        }
        None => vec![None, None, None],
    };
    let mut parts = Vec::new();
    for (x, bias) in [query, key, value].into_iter().zip(bias) {
        // Keys and values of another layer have their heads apart already.
        if cx.rank(x)? == 4 {
            parts.push(x.clone());
            continue;
        }
        let bias = bias.map(|bias| bias.to_expr(cx)).transpose()?;
        let Val::Tensor(x) = plus(cx, x.clone(), bias)? else { return Err(Refused::new("no tensor")) };
        parts.push(split_heads(cx, &x, heads)?);
    }
    let [query, key, value] = <[Expr; 3]>::try_from(parts).map_err(|_| Refused::new("expected three parts"))?;
    let (past_key, past_value) = (args.optional(cx, 6)?, args.optional(cx, 7)?);
    let (key, value) = (with_past(cx, past_key, key)?, with_past(cx, past_value, value)?);
    let (keys, dtype) = (cx.extent(&key, 2)?, cx.dtype(&query)?);
    let mut biases = Vec::new();
    if let Some(mask) = args.optional(cx, 4)? {
        biases.push(mask_bias(cx, args, &mask, &keys, dtype)?);
    }
    biases.extend(args.optional(cx, 5)?);
    let causal = args.flag("unidirectional", false)?;
    let found = of_heads(cx, [&query, &key, &value], biases, args.maybe_float("scale")?, causal)?;
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
        0 if flat => {
            let width = cx.extent(&x, 2)?.as_int().ok_or_else(|| Refused::new("the width must be known"))?;
            width / count.max(1)
        }
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

/// Keys and values of all positions: those of the cache, then the new ones. All sequences are of the total length.
fn group_query(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (heads, groups) = (args.int("num_heads", 0)?, args.int("kv_num_heads", 0)?);
    if args.int("local_window_size", -1)? != -1 || args.float("softcap", 0.0)? != 0.0 {
        return Err(Refused::new("windows and caps have no rule"));
    }
    if args.flag("smooth_softmax", false)? {
        return Err(Refused::new("`smooth_softmax` has no rule"));
    }
    let query = args.bound(cx, 0)?;
    let parts = match (args.optional(cx, 1)?, args.optional(cx, 2)?) {
        (Some(key), Some(value)) => [query, key, value],
        _ => {
            let all = cx.extent(&query, 2)?.as_int().ok_or_else(|| Refused::new("the width must be known"))?;
            let width = all / (heads + 2 * groups).max(1);
            let parts = parts_of(cx, &query, &[heads * width, groups * width, groups * width], 2)?;
            let parts = parts.iter().map(|part| part.to_expr(cx)).collect::<Res<Vec<_>>>()?;
            <[Expr; 3]>::try_from(parts).map_err(|_| Refused::new("expected three parts"))?
        }
    };
    let [query, key, value] = parts;
    let mut query = split_heads(cx, &query, heads)?;
    let (mut key, value) = (split_heads(cx, &key, groups)?, split_heads(cx, &value, groups)?);
    let past = args.optional(cx, 3)?;
    if args.flag("do_rotary", false)? {
        let steps = cx.arange(&cx.extent(&query, 2)?)?;
        let before = match &past {
            Some(past) => cx.operand(&Value::int(cx.extent(past, 2)?), DataType::I64)?,
            None => cx.number(0i64, DataType::I64)?,
        };
        let positions = cx.call(&add::OP, &[&cx.along_axis(&steps, 1, 2)?, &before], [])?;
        let (cos, sin) = (args.tensor(cx, 7)?, args.tensor(cx, 8)?);
        let (cos, sin) = (cache_rows(cx, &cos, &positions)?, cache_rows(cx, &sin, &positions)?);
        let count = cx.extent(&cos, 3)?.as_int().ok_or_else(|| Refused::new("the width of a cache must be known"))?;
        let interleaved = args.flag("rotary_interleaved", false)?;
        let (whole_query, whole_key) = (bound(cx, query)?, bound(cx, key)?);
        query = rotated(cx, &whole_query, [&cos, &sin], 2 * count, interleaved)?;
        key = rotated(cx, &whole_key, [&cos, &sin], 2 * count, interleaved)?;
    }
    let past_value = args.optional(cx, 4)?;
    let (key, value) = (with_past(cx, past, key)?, with_past(cx, past_value, value)?);
    let query = bound(cx, query)?;
    let count = one(heads);
    let (all_keys, all_values) = (repeated_heads(cx, &key, &count)?, repeated_heads(cx, &value, &count)?);
    // Sequences may be shorter than the longest.
    let keys = cx.extent(&key, 2)?;
    let lengths = cx.astype(&args.tensor(cx, 5)?, DataType::I64)?;
    let lengths = cx.with_number(&add::OP, &cx.flat(&lengths)?, 1i64)?;
    let lengths = cx.along_axis(&lengths, 0, 4)?;
    let inside = broadcast_call(cx, &less::OP, cx.arange(&keys)?, lengths)?;
    let queries = cx.extent(&query, 2)?;
    let causal = causal_positions(cx, &queries, &keys)?;
    let allowed = broadcast_call(cx, &logical_and::OP, inside, causal)?;
    let dtype = cx.dtype(&query)?;
    let hidden = cx.number(if dtype == DataType::F16 { -65504.0 } else { f64::from(f32::MIN) }, dtype)?;
    let bias = cx.choose(&allowed, &cx.number(0.0, dtype)?, &hidden)?;
    let found = of_heads(cx, [&query, &all_keys, &all_values], vec![bias], args.maybe_float("scale")?, false)?;
    Ok(Val::Outputs(vec![found.into(), key.into(), value.into()]))
}

/// Packed integers as `(rows, blocks, elements)`: the first of a byte in its low bits.
fn unpacked(cx: &mut Cx<'_>, x: &Expr, bits: i64) -> Res<Expr> {
    let each = 8 / bits;
    if each == 1 {
        return cx.astype(x, DataType::I32);
    }
    let wide = cx.emit(cx.astype(x, DataType::I32)?)?;
    let mut parts = Vec::new();
    for at in 0..each {
        let moved = cx.with_number(&right_shift::OP, &wide, at * bits)?;
        parts.push(cx.with_number(&bitwise_and::OP, &moved, (1i64 << bits) - 1)?);
    }
    let rank = cx.rank(&wide)?;
    let both = cx.call(&stack::OP, &[&Expr::tuple(parts)], [("axis", (rank as i64).to_attr())])?;
    let mut shape = cx.shape(&wide)?;
    shape[rank - 1] = cx.product(&[shape[rank - 1].clone(), one(each)]);
    cx.reshape(&both, shape)
}

fn matmul_n_bits(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (a, b, scales) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?, args.tensor(cx, 2)?);
    let (k, n) = (args.int("K", 0)?, args.int("N", 0)?);
    let (bits, block) = (args.int("bits", 4)?, args.int("block_size", 32)?);
    if args.has(4) || !matches!(bits, 2 | 4 | 8) || k < 1 || n < 1 || block < 1 {
        return Err(Refused(format!("{k} x {n} weights of {bits} bits in blocks of {block} have no rule")));
    }
    let (blocks, dtype) = ((k + block - 1) / block, cx.dtype(&a)?);
    let packed = cx.reshape(&b, vec![one(n), one(blocks), one(block * bits / 8)])?;
    let weights = unpacked(cx, &packed, bits)?;
    let weights = cx.astype(&weights, dtype)?;
    let zero = match args.optional(cx, 3)? {
        Some(zero) if cx.dtype(&zero)? == DataType::U8 => {
            let per_row = (blocks * bits + 7) / 8;
            let rows = cx.reshape(&zero, vec![one(n), one(per_row)])?;
            let rows = unpacked(cx, &rows, bits)?;
            let rows = cx.astype(&cx.slice(&rows, 1, &one(0), &one(blocks), 1)?, dtype)?;
            cx.reshape(&rows, vec![one(n), one(blocks), one(1)])?
        }
        Some(zero) => cx.reshape(&cx.astype(&zero, dtype)?, vec![one(n), one(blocks), one(1)])?,
        None => cx.number(f64::from(1u8 << (bits - 1)), dtype)?,
    };
    let scale = cx.reshape(&cx.astype(&scales, dtype)?, vec![one(n), one(blocks), one(1)])?;
    let centred = cx.call(&subtract::OP, &[&weights, &zero], [])?;
    let whole = cx.reshape(&cx.call(&multiply::OP, &[&centred, &scale], [])?, vec![one(n), one(blocks * block)])?;
    let whole = if blocks * block == k { whole } else { cx.slice(&whole, 1, &one(0), &one(k), 1)? };
    let found = cx.call(&matmul::OP, &[&a, &cx.permute(&whole, vec![1, 0])?], [])?;
    plus(cx, found, args.optional(cx, 5)?)
}

fn fused_matmul(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    if args.flag("transBatchA", false)? || args.flag("transBatchB", false)? {
        return Err(Refused::new("transposed batches have no rule"));
    }
    let transposed = |cx: &Cx<'_>, x: Expr, transpose: bool| -> Res<Expr> {
        let rank = cx.rank(&x)? as i64;
        if !transpose || rank < 2 {
            return Ok(x);
        }
        cx.permute(&x, (0..rank - 2).chain([rank - 1, rank - 2]).collect())
    };
    let a = transposed(cx, args.tensor(cx, 0)?, args.flag("transA", false)?)?;
    let b = transposed(cx, args.tensor(cx, 1)?, args.flag("transB", false)?)?;
    let found = cx.call(&matmul::OP, &[&a, &b], [])?;
    let alpha = args.float("alpha", 1.0)?;
    Ok(if alpha == 1.0 { found } else { cx.with_number(&multiply::OP, &found, alpha)? }.into())
}

/// An activation by its name.
fn activated(cx: &mut Cx<'_>, x: Expr, name: &str, parameters: &[f64]) -> Res<Expr> {
    let nth = |at: usize, usual: f64| parameters.get(at).copied().unwrap_or(usual);
    match name {
        "" => Ok(x),
        "Relu" => cx.call(&relu::OP, &[&x], []),
        "Tanh" => cx.call(&tanh::OP, &[&x], []),
        "Sigmoid" => cx.call(&sigmoid::OP, &[&x], []),
        "LeakyRelu" => cx.call(&leakyrelu::OP, &[&x], [("alpha", nth(0, 0.01).to_attr())]),
        "Clip" => cx.clip(&x, nth(0, f64::NEG_INFINITY), nth(1, f64::INFINITY)),
        "HardSigmoid" => hard_sigmoid(cx, &x, nth(0, 0.2), nth(1, 0.5)),
        other => Err(Refused(format!("the activation `{other}` has no rule"))),
    }
}

fn fused_conv(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, weight) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
    let found = forward(cx, args, &x, &weight, None)?;
    let mut found = with_bias(cx, found, args.optional(cx, 2)?)?;
    if let Some(more) = args.optional(cx, 3)? {
        found = broadcast_call(cx, &add::OP, found, more)?;
    }
    let parameters = args.floats("activation_params")?.unwrap_or_default();
    activated(cx, found, &args.text("activation", "")?, &parameters).map(Val::from)
}

fn fused_gemm(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let found = super::linear::gemm(cx, args)?.to_expr(cx)?;
    let parameters = args.maybe_float("activation_alpha")?.map_or_else(Vec::new, |alpha| vec![alpha]);
    activated(cx, found, &args.text("activation", "")?, &parameters).map(Val::from)
}

/// A parameter of quantisation in a shape that broadcasts with the data.
fn parameter(cx: &Cx<'_>, one: &Expr, x: &Expr, axis: i64) -> Res<Expr> {
    let shape = cx.shape(one)?;
    match shape.as_slice() {
        [size] if size.as_int() == Some(1) => cx.reshape(one, Vec::new()),
        [_] => {
            let rank = cx.rank(x)?;
            cx.along_axis(one, cx.axis(axis, rank)?, rank)
        }
        _ => Ok(one.clone()),
    }
}

/// Quantised elements as floats: data, scale and zero are these inputs.
fn real(cx: &mut Cx<'_>, args: &Args<'_>, [data, scale, zero]: [usize; 3], axis: i64) -> Res<Expr> {
    let (x, scale) = (args.tensor(cx, data)?, args.tensor(cx, scale)?);
    let mut wide = cx.astype(&x, DataType::I32)?;
    if let Some(zero) = args.optional(cx, zero)? {
        let zero = parameter(cx, &cx.astype(&zero, DataType::I32)?, &x, axis)?;
        wide = broadcast_call(cx, &subtract::OP, wide, zero)?;
    }
    let scale = parameter(cx, &scale, &x, axis)?;
    broadcast_call(cx, &multiply::OP, cx.astype(&wide, cx.dtype(&scale)?)?, scale)
}

/// Floats as quantised elements, by the scale and the zero that these inputs are.
fn quantised(cx: &mut Cx<'_>, args: &Args<'_>, x: &Expr, [scale, zero]: [usize; 2]) -> Res<Val> {
    let (scale, zero) = (args.tensor(cx, scale)?, args.optional(cx, zero)?);
    let scale = parameter(cx, &scale, x, -1)?;
    let dtype = match &zero {
        Some(zero) => cx.dtype(zero)?,
        None => DataType::U8,
    };
    let zero = zero.map(|zero| parameter(cx, &zero, x, -1)).transpose()?;
    let steps = cx.call(&divide::OP, &[x, &scale], [])?;
    super::quantise::stored(cx, &steps, zero, dtype).map(Val::from)
}

fn q_binary(cx: &mut Cx<'_>, args: &Args<'_>, op: Op) -> Res<Val> {
    let (a, b) = (real(cx, args, [0, 1, 2], 0)?, real(cx, args, [3, 4, 5], 0)?);
    let found = broadcast_call(cx, op, a, b)?;
    quantised(cx, args, &found, [6, 7])
}
