//! `scaled_dot_product_attention`, and the module `MultiheadAttention`.

use tilewright_expr as scalar;
use tilewright_expr::BinOp;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, divide, equal, less_equal, multiply, subtract};
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::manipulate::{expand_dims, repeat, split};
use tilewright_ops::nn::softmax;
use tilewright_ops::statistical::{max, mean, sum};
use tilewright_ops::unary::{exp, logical_not};
use tilewright_tensor::DataType;

use super::super::rule::{Rule, rule};
use crate::common::{Args, Cx, Refused, Res, ToAttr, Value};

pub const RULES: &[Rule] = &[
    rule(
        "scaled_dot_product_attention",
        "query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, \
        enable_gqa=False",
        attention,
    ),
    rule(
        "_scaled_dot_product_flash_attention_for_cpu",
        "query, key, value, dropout_p=0.0, is_causal=False, \
        attn_mask=None, scale=None",
        |cx, args| Ok(Value::List(vec![attention(cx, args)?, Value::None])),
    ),
    rule(
        "multi_head_attention",
        "query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True, \
            is_causal=False, in_proj_weight=None, in_proj_bias=None, out_weight=None, out_bias=None, num_heads=1, \
            batch_first=False, bias_k=None, add_zero_attn=False",
        multi_head,
    ),
];

/// `softmax(query @ key.T * scale + mask) @ value`, over the last two dimensions. A mask of bools is true for the
/// keys that count. Narrow floats are computed in float32.
fn attention(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (query, mut key, mut value) = (args.tensor("query")?, args.tensor("key")?, args.tensor("value")?);
    if args.flag("enable_gqa")? {
        (key, value) = (repeat_heads(cx, &query, &key)?, repeat_heads(cx, &query, &value)?);
    }
    let (rank, dtype) = (cx.rank(&query)?, cx.dtype(&query)?);
    let mut axes: Vec<i64> = (0..rank as i64).collect();
    if rank < 2 {
        return Err(Refused::new("expected at least two dimensions"));
    }
    axes.swap(rank - 2, rank - 1);
    let wide = if [DataType::F16, DataType::BF16].contains(&dtype) { DataType::F32 } else { dtype };
    let out = [("out_dtype", wide.to_attr())];
    let products = cx.call(&matmul::OP, &[&query, &cx.permute(&key, axes)?], out)?;
    let mut scores = cx.call(&multiply::OP, &[&products, &scale(cx, args, &query, wide)?], [])?;
    if args.flag("is_causal")? {
        scores = masked(cx, &scores, &causal(cx, &scores)?)?;
    }
    if let Some(mask) = args.optional_tensor("attn_mask")? {
        scores = match cx.dtype(&mask)?.is_bool() {
            true => masked(cx, &scores, &mask)?,
            false => cx.call(&add::OP, &[&scores, &cx.astype(&mask, wide)?], [])?,
        };
    }
    let weights = match args.has("attn_mask") {
        true => softmax_or_zeros(cx, scores)?,
        false => cx.call(&softmax::OP, &[&scores], [("axis", (-1i64).to_attr())])?,
    };
    let found = cx.call(&matmul::OP, &[&weights, &cx.astype(&value, wide)?], [])?;
    cx.astype(&found, dtype).map(Value::Tensor)
}

/// Keys or values with their heads repeated for the heads of queries that share them (grouped-query attention).
fn repeat_heads(cx: &Cx<'_>, query: &Expr, x: &Expr) -> Res<Expr> {
    let heads = |x: &Expr| {
        let shape = cx.shape(x)?;
        let heads = shape.len().checked_sub(3).and_then(|at| shape[at].as_int());
        heads.ok_or_else(|| Refused::new("`enable_gqa` needs numbers of heads that are known"))
    };
    match (heads(query)?, heads(x)?) {
        (all, own) if all == own => Ok(x.clone()),
        (all, own) if own > 0 && all % own == 0 => {
            cx.call(&repeat::OP, &[x], [("repeats", (all / own).to_attr()), ("axis", (-3i64).to_attr())])
        }
        (all, own) => Err(Refused(format!("{all} heads of queries do not divide among {own} of keys or values"))),
    }
}

/// The softmax over the last dimension, with zeros for rows of only minus infinity: queries whose keys are all masked.
fn softmax_or_zeros(cx: &mut Cx<'_>, scores: Expr) -> Res<Expr> {
    let dtype = cx.dtype(&scores)?;
    let rows = || [("axis", vec![-1i64].to_attr()), ("keepdims", true.to_attr())];
    let [lowest, zero, one] = [cx.number(f64::NEG_INFINITY, dtype)?, cx.number(0.0, dtype)?, cx.number(1.0, dtype)?];
    let scores = cx.emit(scores)?;
    let largest = cx.emit(cx.call(&max::OP, &[&scores], rows())?)?;
    let largest = cx.choose(&cx.call(&equal::OP, &[&largest, &lowest], [])?, &zero, &largest)?;
    let exps = cx.emit(cx.call(&exp::OP, &[&cx.call(&subtract::OP, &[&scores, &largest], [])?], [])?)?;
    let total = cx.emit(cx.call(&sum::OP, &[&exps], rows())?)?;
    let total = cx.choose(&cx.call(&equal::OP, &[&total, &zero], [])?, &one, &total)?;
    cx.call(&divide::OP, &[&exps, &total], [])
}

/// `1 / sqrt(head dimension)`, unless another scale is given.
fn scale(cx: &Cx<'_>, args: &Args, query: &Expr, dtype: DataType) -> Res<Expr> {
    if args.has("scale") {
        return cx.number(args.float("scale")?, dtype);
    }
    match cx.shape(query)?.last().and_then(|last| last.as_int()) {
        Some(last) => cx.number(1.0 / (last as f64).sqrt(), dtype),
        None => Err(Refused::new("the last dimension of the query must be known")),
    }
}

/// The scores where the mask is true, minus infinity elsewhere.
fn masked(cx: &Cx<'_>, scores: &Expr, mask: &Expr) -> Res<Expr> {
    let nothing = cx.number(f64::NEG_INFINITY, cx.dtype(scores)?)?;
    cx.choose(mask, scores, &nothing)
}

/// The causal mask: true where the index of the key is at most that of the query.
fn causal(cx: &Cx<'_>, scores: &Expr) -> Res<Expr> {
    let shape = cx.shape(scores)?;
    let [.., queries, keys] = &shape[..] else { return Err(Refused::new("expected at least two dimensions")) };
    let queries = cx.call(&expand_dims::OP, &[&cx.arange(queries)?], [("axis", vec![1i64].to_attr())])?;
    cx.call(&less_equal::OP, &[&cx.arange(keys)?, &queries], [])
}

/// The module `MultiheadAttention`: projections, attention of each head, and an output projection. The result is a
/// tuple of its output and the attention weights.
fn multi_head(cx: &mut Cx<'_>, args: &Args) -> Res {
    if args.has("bias_k") {
        return Err(Refused::new("`bias_k` has no rule"));
    }
    if args.flag("add_zero_attn")? || !args.has("in_proj_weight") {
        return Err(Refused::new("`add_zero_attn`, and keys and values of other sizes than the query, have no rule"));
    }
    let [query, key, value] = projected(cx, args)?;
    let transposed = cx.permute(&key, vec![0, 1, 3, 2])?;
    let products = cx.call(&matmul::OP, &[&query, &transposed], [])?;
    let mut scores = cx.call(&multiply::OP, &[&products, &scale(cx, args, &query, cx.dtype(&query)?)?], [])?;
    if let Some(mask) = args.optional_tensor("attn_mask")? {
        let shape = cx.shape(&scores)?;
        let mask = if cx.rank(&mask)? == 3 { cx.reshape(&mask, shape)? } else { mask };
        scores = with_module_mask(cx, &scores, &mask)?;
    }
    if let Some(mask) = args.optional_tensor("key_padding_mask")? {
        let [batch, keys] = &cx.shape(&mask)?[..] else {
            return Err(Refused::new("`key_padding_mask` must have the dimensions batch and keys"));
        };
        let one = scalar::Expr::i64(1);
        let mask = cx.reshape(&mask, vec![batch.clone(), one.clone(), one, keys.clone()])?;
        scores = with_module_mask(cx, &scores, &mask)?;
    }
    let weights = cx.emit(cx.call(&softmax::OP, &[&scores], [("axis", (-1i64).to_attr())])?)?;
    let heads = cx.permute(&cx.call(&matmul::OP, &[&weights, &value], [])?, vec![0, 2, 1, 3])?;
    let found = joined(cx, args, &heads)?;
    let weights = match (args.flag("need_weights")?, args.flag("average_attn_weights")?) {
        (false, _) => Value::None,
        (true, false) => Value::Tensor(weights),
        (true, true) => Value::Tensor(cx.call(&mean::OP, &[&weights], [("axis", vec![1i64].to_attr())])?),
    };
    Ok(Value::List(vec![Value::Tensor(found), weights]))
}

/// The scores with a mask of `MultiheadAttention`: of bools that are true for keys to hide, or of numbers to add.
fn with_module_mask(cx: &Cx<'_>, scores: &Expr, mask: &Expr) -> Res<Expr> {
    match cx.dtype(mask)?.is_bool() {
        true => masked(cx, scores, &cx.call(&logical_not::OP, &[mask], [])?),
        false => cx.call(&add::OP, &[scores, mask], []),
    }
}

/// Query, key and value of each head: `(batch, heads, sequence, head dimension)`.
fn projected(cx: &mut Cx<'_>, args: &Args) -> Res<[Expr; 3]> {
    let heads = args.int("num_heads")?;
    let thirds = [("indices_or_sections", 3i64.to_attr()), ("axis", 0i64.to_attr())];
    let weights = cx.fields(cx.call(&split::OP, &[&args.tensor("in_proj_weight")?], thirds.clone())?)?;
    let biases = match args.optional_tensor("in_proj_bias")? {
        Some(bias) => cx.fields(cx.call(&split::OP, &[&bias], thirds)?)?,
        None => vec![Value::None; 3],
    };
    let one = |name: &str, weight: &Value, bias: &Value| {
        let (mut x, Value::Tensor(weight)) = (args.tensor(name)?, weight) else {
            return Err(Refused::new("expected the weights of the projections"));
        };
        if cx.rank(&x)? != 3 {
            return Err(Refused::new("attention without a batch has no rule"));
        }
        if !args.flag("batch_first")? {
            x = cx.permute(&x, vec![1, 0, 2])?;
        }
        let bias = if let Value::Tensor(bias) = bias { Some(bias.clone()) } else { None };
        let found = super::linear::affine(cx, &x, weight, bias)?;
        let [batch, sequence, size] = &cx.shape(&found)?[..] else { return Err(Refused::new("expected a batch")) };
        let each = cx.integer(BinOp::FloorDiv, size, &scalar::Expr::i64(heads.max(1)))?;
        let apart = cx.reshape(&found, vec![batch.clone(), sequence.clone(), scalar::Expr::i64(heads), each])?;
        cx.permute(&apart, vec![0, 2, 1, 3])
    };
    let [query, key, value] = ["query", "key", "value"];
    Ok([one(query, &weights[0], &biases[0])?, one(key, &weights[1], &biases[1])?, one(value, &weights[2], &biases[2])?])
}

/// The heads concatenated, and projected.
fn joined(cx: &Cx<'_>, args: &Args, heads: &Expr) -> Res<Expr> {
    let [batch, sequence, count, size] = &cx.shape(heads)?[..] else { return Err(Refused::new("expected heads")) };
    let concatenated =
        cx.reshape(heads, vec![batch.clone(), sequence.clone(), cx.product(&[count.clone(), size.clone()])])?;
    let found =
        super::linear::affine(cx, &concatenated, &args.tensor("out_weight")?, args.optional_tensor("out_bias")?)?;
    if args.flag("batch_first")? { Ok(found) } else { cx.permute(&found, vec![1, 0, 2]) }
}
