//! Operators of the domain `com.microsoft`, into which ONNX Runtime fuses others: activations, norms, products and
//! convolutions with what follows them.

pub mod attention;
pub mod quantised;

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, multiply, subtract};
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::manipulate::expand_dims;
use tilewright_ops::nn::{gelu, gelu_tanh};
use tilewright_ops::statistical::sum;
use tilewright_ops::unary::{sigmoid, sqrt, square};
use tilewright_tensor::DataType;

use super::super::model::{Attribute, AttributeValue};
use super::super::rule::{Args, Rule, bound, rule};
use super::super::values::Val;
use super::activation::by_name;
use super::convolution::{forward, transposed, with_bias};
use super::elementwise::broadcast_call;
use super::gather::taken;
use super::normalise::{layer, moments, rms};
use super::reduce::reduced;
use super::shape::parts_of;
use crate::common::{Cx, Op, Refused, Res, ToAttr};

pub const RULES: &[Rule] = &[
    rule("Gelu", "X", "", |cx, args| Ok(cx.call(&gelu::OP, &[&args.tensor(cx, 0)?], [])?.into())),
    rule("BiasGelu", "A B", "", |cx, args| with_bias_of(cx, args, &gelu::OP)),
    rule("FastGelu", "X bias?", "", |cx, args| with_bias_of(cx, args, &gelu_tanh::OP)),
    rule("QuickGelu", "X", "alpha", |cx, args| {
        let x = args.bound(cx, 0)?;
        let scaled = cx.with_number(&multiply::OP, &x, args.float("alpha", 1.702)?)?;
        Ok(cx.call(&multiply::OP, &[&x, &cx.call(&sigmoid::OP, &[&scaled], [])?], [])?.into())
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
    rule("FusedMatMul TransposeMatMul", "A B", "alpha transA transB transBatchA transBatchB", fused_matmul),
    rule(
        "FusedConv",
        "X W B? Z?",
        "activation activation_params auto_pad dilations group kernel_shape pads strides",
        fused_conv,
    ),
    rule("FusedGemm", "A B C?", "activation activation_alpha alpha beta transA transB", fused_gemm),
    rule("BiasSplitGelu", "X bias", "", |cx, args| {
        let x = summed(cx, args, &[0, 1])?;
        let last = cx.rank(&x)? - 1;
        let width = cx.extent(&x, last)?.as_int().ok_or_else(|| Refused::new("the width must be known"))?;
        let parts = parts_of(cx, &x, &[width / 2, width - width / 2], last)?;
        let [left, right] = parts.as_slice() else { return Err(Refused::new("expected two parts")) };
        let gate = cx.call(&gelu::OP, &[&right.to_expr(cx)?], [])?;
        Ok(cx.call(&multiply::OP, &[&left.to_expr(cx)?, &gate], [])?.into())
    }),
    rule("ExpandDims", "X axis", "", |cx, args| {
        let axis = vec![args.int_at(1)?].to_attr();
        Ok(cx.call(&expand_dims::OP, &[&args.tensor(cx, 0)?], [("axis", axis)])?.into())
    }),
    rule("CDist", "A B", "metric", distances),
    rule(
        "ConvTransposeWithDynamicPads",
        "X W Pads? B?",
        "auto_pad dilations group kernel_shape output_padding strides",
        |cx, args| {
            let mut inner = args.with_inputs([0, 1, 3].map(|at| args.input(at).clone()).to_vec());
            if args.has(2) {
                let pads = Attribute { name: "pads", value: AttributeValue::Ints(args.ints_at(2)?) };
                inner.attributes.to_mut().push(pads);
            }
            transposed(cx, &inner)
        },
    ),
];

pub(super) fn one(value: i64) -> scalar::Expr {
    scalar::Expr::i64(value)
}

pub(super) fn plus(cx: &mut Cx<'_>, x: Expr, bias: Option<Expr>) -> Res<Val> {
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

pub(super) fn embed(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
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

fn fused_matmul(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    // With a transposed batch the first dimension is that of the rows, and the batch comes after it.
    let transposed = |cx: &Cx<'_>, x: Expr, batch: bool, matrix: bool| -> Res<Expr> {
        let rank = cx.rank(&x)? as i64;
        let mut axes: Vec<i64> = (0..rank).collect();
        if batch && rank > 2 {
            axes[..rank as usize - 1].rotate_left(1);
        }
        if matrix && rank > 1 {
            axes.swap(rank as usize - 1, rank as usize - 2);
        }
        if axes.iter().copied().eq(0..rank) { Ok(x) } else { cx.permute(&x, axes) }
    };
    let a = transposed(cx, args.tensor(cx, 0)?, args.flag("transBatchA", false)?, args.flag("transA", false)?)?;
    let b = transposed(cx, args.tensor(cx, 1)?, args.flag("transBatchB", false)?, args.flag("transB", false)?)?;
    let found = cx.call(&matmul::OP, &[&a, &b], [])?;
    let alpha = args.float("alpha", 1.0)?;
    Ok(if alpha == 1.0 { found } else { cx.with_number(&multiply::OP, &found, alpha)? }.into())
}

/// The activation that follows, by its name and parameters.
fn activated(cx: &mut Cx<'_>, args: &Args<'_>, x: Expr, parameters: [Option<f64>; 2]) -> Res<Val> {
    by_name(cx, x, &args.text("activation", "")?, parameters).map(Val::from)
}

fn fused_conv(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, weight) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
    let found = forward(cx, args, &x, &weight, None)?;
    let mut found = with_bias(cx, found, args.optional(cx, 2)?)?;
    if let Some(more) = args.optional(cx, 3)? {
        found = broadcast_call(cx, &add::OP, found, more)?;
    }
    let parameters = args.floats("activation_params")?.unwrap_or_default();
    activated(cx, args, found, [0, 1].map(|at| parameters.get(at).copied()))
}

fn fused_gemm(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let found = super::linear::gemm(cx, args)?.to_expr(cx)?;
    let parameters = [args.maybe_float("activation_alpha")?, args.maybe_float("activation_beta")?];
    activated(cx, args, found, parameters)
}

/// The distances of all pairs of rows.
fn distances(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (a, b) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
    let (a, b) = (
        cx.call(&expand_dims::OP, &[&a], [("axis", vec![1i64].to_attr())])?,
        cx.call(&expand_dims::OP, &[&b], [("axis", vec![0i64].to_attr())])?,
    );
    let off = broadcast_call(cx, &subtract::OP, a, b)?;
    let total = reduced(cx, &cx.call(&square::OP, &[&off], [])?, Some(vec![2]), false, &sum::OP)?;
    match args.text("metric", "sqeuclidean")?.as_str() {
        "sqeuclidean" => Ok(total.into()),
        "euclidean" => Ok(cx.call(&sqrt::OP, &[&total], [])?.into()),
        other => Err(Refused(format!("the metric \"{other}\" has no rule"))),
    }
}
