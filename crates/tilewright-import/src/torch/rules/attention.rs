//! Attention.

use tilewright_ir::relax::Expr;

use super::super::args::Args;
use super::super::cx::{Cx, ToAttr};
use super::super::value::{Refused, Res, Value};
use super::{Rule, rule};

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
];

/// `softmax(query @ key.T * scale + mask) @ value`, over the last two dimensions. A mask of bools says which keys count.
fn attention(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (query, key, value) = (args.tensor("query")?, args.tensor("key")?, args.tensor("value")?);
    if args.flag("enable_gqa")? {
        return Err(Refused::new("`enable_gqa` has no rule: repeat keys and values"));
    }
    let (rank, dtype) = (cx.rank(&query)?, cx.dtype(&query)?);
    let mut axes: Vec<i64> = (0..rank as i64).collect();
    if rank < 2 {
        return Err(Refused::new("expected at least two dimensions"));
    }
    axes.swap(rank - 2, rank - 1);
    let products = cx.call("matmul", &[&query, &cx.permute(&key, axes)?], [])?;
    let mut scores = cx.call("multiply", &[&products, &scale(cx, args, &query)?], [])?;
    if args.flag("is_causal")? {
        scores = masked(cx, &scores, &causal(cx, &scores)?)?;
    }
    if let Some(mask) = args.optional_tensor("attn_mask")? {
        scores = match cx.dtype(&mask)?.is_bool() {
            true => masked(cx, &scores, &mask)?,
            false => cx.call("add", &[&scores, &cx.astype(&mask, dtype)?], [])?,
        };
    }
    let weights = cx.call("nn.softmax", &[&scores], [("axis", (-1i64).to_attr())])?;
    cx.op("matmul", &[&weights, &value])
}

/// One divided by the root of the last dimension, unless another scale is given.
fn scale(cx: &Cx<'_>, args: &Args, query: &Expr) -> Res<Expr> {
    let dtype = cx.dtype(query)?;
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

/// Whether a key stands no further behind than the query.
fn causal(cx: &Cx<'_>, scores: &Expr) -> Res<Expr> {
    let shape = cx.shape(scores)?;
    let last_two = Expr::shape(shape[shape.len().saturating_sub(2)..].to_vec());
    let ones = cx.call("ones", &[&last_two], [("dtype", tilewright_tensor::DataType::I8.to_attr())])?;
    cx.with_number("not_equal", &cx.call("tril", &[&ones], [])?, 0i64)
}
