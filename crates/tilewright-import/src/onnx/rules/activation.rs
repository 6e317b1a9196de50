//! Activations, softmax and what inference leaves of dropout.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, divide, equal, greater, less, maximum, minimum, multiply, subtract};
use tilewright_ops::create::full;
use tilewright_ops::nn::{gelu, gelu_tanh, leakyrelu, log_softmax, relu, softmax, softplus};
use tilewright_ops::statistical::argmax;
use tilewright_ops::unary::{abs, exp, sigmoid, tanh};
use tilewright_tensor::DataType;

use super::super::rule::{Args, Rule, bound, rule, unary};
use super::super::values::Val;
use super::elementwise::broadcast_call;
use crate::common::{Cx, Op, Refused, Res, ToAttr};

pub const RULES: &[Rule] = &[
    rule("Relu", "X", "", |cx, args| {
        let x = args.tensor(cx, 0)?;
        match cx.dtype(&x)?.is_float() {
            true => Ok(cx.call(&relu::OP, &[&x], [])?.into()),
            false => Ok(cx.with_number(&maximum::OP, &x, 0i64)?.into()),
        }
    }),
    rule("LeakyRelu", "X", "alpha", |cx, args| {
        let alpha = ("alpha", args.float("alpha", 0.01)?.to_attr());
        Ok(cx.call(&leakyrelu::OP, &[&args.tensor(cx, 0)?], [alpha])?.into())
    }),
    rule("PRelu", "X slope", "", prelu),
    rule("Elu", "X", "alpha", |cx, args| exponential(cx, args, args.float("alpha", 1.0)?, 1.0)),
    rule("Selu", "X", "alpha gamma", |cx, args| {
        let (alpha, gamma) = (args.float("alpha", SELU_ALPHA)?, args.float("gamma", SELU_GAMMA)?);
        exponential(cx, args, alpha, gamma)
    }),
    rule("Celu", "X", "alpha", celu),
    rule("Gelu", "X", "approximate", |cx, args| {
        let op: Op = match args.text("approximate", "none")?.as_str() {
            "none" => &gelu::OP,
            "tanh" => &gelu_tanh::OP,
            other => return Err(Refused(format!("`approximate` is none or tanh, found \"{other}\""))),
        };
        Ok(cx.call(op, &[&args.tensor(cx, 0)?], [])?.into())
    }),
    rule("HardSigmoid", "X", "alpha beta", |cx, args| {
        let x = args.tensor(cx, 0)?;
        Ok(hard_sigmoid(cx, &x, args.float("alpha", 0.2)?, args.float("beta", 0.5)?)?.into())
    }),
    rule("HardSwish", "X", "", |cx, args| {
        let x = args.bound(cx, 0)?;
        let gate = hard_sigmoid(cx, &x, 1.0 / 6.0, 0.5)?;
        Ok(cx.call(&multiply::OP, &[&x, &gate], [])?.into())
    }),
    rule("Mish", "X", "", |cx, args| {
        let x = args.bound(cx, 0)?;
        let gate = cx.call(&tanh::OP, &[&cx.call(&softplus::OP, &[&x], [])?], [])?;
        Ok(cx.call(&multiply::OP, &[&x, &gate], [])?.into())
    }),
    rule("Swish", "X", "alpha", |cx, args| {
        let x = args.bound(cx, 0)?;
        let scaled = cx.with_number(&multiply::OP, &x, args.float("alpha", 1.0)?)?;
        Ok(cx.call(&multiply::OP, &[&x, &cx.call(&sigmoid::OP, &[&scaled], [])?], [])?.into())
    }),
    unary("Softplus", &softplus::OP),
    rule("Softsign", "X", "", |cx, args| softsign(cx, args.tensor(cx, 0)?).map(Val::from)),
    rule("ThresholdedRelu", "X", "alpha", |cx, args| {
        thresholded(cx, args.tensor(cx, 0)?, args.float("alpha", 1.0)?).map(Val::from)
    }),
    rule("Shrink", "X", "bias lambd", shrink),
    rule("Softmax", "X", "axis", |cx, args| along(cx, args, &softmax::OP)),
    rule("LogSoftmax", "X", "axis", |cx, args| along(cx, args, &log_softmax::OP)),
    rule("Hardmax", "X", "axis", hardmax),
    rule("Dropout", "data ratio? training_mode?", "ratio seed is_test", dropout),
];

/// The constants of the self-normalising unit, as ONNX has them.
const SELU_ALPHA: f64 = 1.673_263_192_176_818_8;
const SELU_GAMMA: f64 = 1.050_701_022_148_132_3;

/// The activations that take a first parameter, and those that take a second one, as recurrent layers name them.
const WITH_ALPHA: &[&str] =
    &["affine", "elu", "hardsigmoid", "leakyrelu", "scaledtanh", "thresholdedrelu", "parametricsoftplus"];
const WITH_BETA: &[&str] = &["affine", "hardsigmoid", "scaledtanh", "parametricsoftplus"];

/// Whether the activation of this name takes a first and a second parameter.
pub fn takes_parameters(name: &str) -> [bool; 2] {
    let name = name.to_ascii_lowercase();
    [WITH_ALPHA, WITH_BETA].map(|names| names.contains(&name.as_str()))
}

/// The activation that an attribute of another operator names, with its parameters or the usual ones.
pub fn by_name(cx: &mut Cx<'_>, x: Expr, name: &str, [alpha, beta]: [Option<f64>; 2]) -> Res<Expr> {
    let plain = |op: Op| cx.call(op, &[&x], []);
    match name.to_ascii_lowercase().as_str() {
        "" => Ok(x),
        "sigmoid" => plain(&sigmoid::OP),
        "tanh" => plain(&tanh::OP),
        "relu" => plain(&relu::OP),
        "softplus" => plain(&softplus::OP),
        "leakyrelu" => cx.call(&leakyrelu::OP, &[&x], [("alpha", alpha.unwrap_or(0.01).to_attr())]),
        "hardsigmoid" => hard_sigmoid(cx, &x, alpha.unwrap_or(0.2), beta.unwrap_or(0.5)),
        "elu" => elu(cx, &x, alpha.unwrap_or(1.0), 1.0),
        "selu" => elu(cx, &x, SELU_ALPHA, SELU_GAMMA),
        "thresholdedrelu" => thresholded(cx, x, alpha.unwrap_or(1.0)),
        "affine" => {
            let scaled = cx.with_number(&multiply::OP, &x, alpha.unwrap_or(1.0))?;
            cx.with_number(&add::OP, &scaled, beta.unwrap_or(0.0))
        }
        "scaledtanh" => {
            let inner = cx.call(&tanh::OP, &[&cx.with_number(&multiply::OP, &x, beta.unwrap_or(1.0))?], [])?;
            cx.with_number(&multiply::OP, &inner, alpha.unwrap_or(1.0))
        }
        "parametricsoftplus" => {
            let inner = cx.call(&softplus::OP, &[&cx.with_number(&multiply::OP, &x, beta.unwrap_or(1.0))?], [])?;
            cx.with_number(&multiply::OP, &inner, alpha.unwrap_or(1.0))
        }
        "softsign" => softsign(cx, x),
        "clip" => cx.clip(&x, alpha.unwrap_or(f64::NEG_INFINITY), beta.unwrap_or(f64::INFINITY)),
        _ => Err(Refused(format!("the activation `{name}` has no rule"))),
    }
}

/// `x / (1 + |x|)`.
fn softsign(cx: &mut Cx<'_>, x: Expr) -> Res<Expr> {
    let x = bound(cx, x)?;
    let size = cx.with_number(&add::OP, &cx.call(&abs::OP, &[&x], [])?, 1.0)?;
    cx.call(&divide::OP, &[&x, &size], [])
}

/// Elements above a threshold, 0 for others.
fn thresholded(cx: &mut Cx<'_>, x: Expr, threshold: f64) -> Res<Expr> {
    let x = bound(cx, x)?;
    let above = cx.with_number(&greater::OP, &x, threshold)?;
    cx.choose(&above, &x, &cx.number(0.0, cx.dtype(&x)?)?)
}

/// `max(0, min(1, alpha * x + beta))`.
pub fn hard_sigmoid(cx: &Cx<'_>, x: &Expr, alpha: f64, beta: f64) -> Res<Expr> {
    cx.clip(&cx.with_number(&add::OP, &cx.with_number(&multiply::OP, x, alpha)?, beta)?, 0.0, 1.0)
}

fn prelu(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, mut slope) = (args.bound(cx, 0)?, args.tensor(cx, 1)?);
    if args.opset < 7 && cx.rank(&slope)? == 1 && cx.rank(&x)? > 1 && cx.extent(&slope, 0)?.as_int() != Some(1) {
        // One for each channel.
        slope = cx.along_axis(&slope, 1, cx.rank(&x)?)?;
    }
    let bent = broadcast_call(cx, &multiply::OP, x.clone(), slope)?;
    let below = cx.with_number(&less::OP, &x, 0i64)?;
    Ok(cx.choose(&below, &bent, &x)?.into())
}

/// `gamma * x` for positive elements, `gamma * alpha * (exp(x) - 1)` for others.
fn exponential(cx: &mut Cx<'_>, args: &Args<'_>, alpha: f64, gamma: f64) -> Res<Val> {
    let x = args.bound(cx, 0)?;
    Ok(elu(cx, &x, alpha, gamma)?.into())
}

pub fn elu(cx: &mut Cx<'_>, x: &Expr, alpha: f64, gamma: f64) -> Res<Expr> {
    let x = bound(cx, x.clone())?;
    let zero = cx.number(0.0, cx.dtype(&x)?)?;
    let below = cx.call(&minimum::OP, &[&x, &zero], [])?;
    let bent = cx.with_number(&subtract::OP, &cx.call(&exp::OP, &[&below], [])?, 1.0)?;
    let bent = cx.with_number(&multiply::OP, &bent, alpha * gamma)?;
    let straight = if gamma == 1.0 { x.clone() } else { cx.with_number(&multiply::OP, &x, gamma)? };
    cx.choose(&cx.with_number(&greater::OP, &x, 0.0)?, &straight, &bent)
}

/// In float32, as several operators would round narrow types several times.
fn celu(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, alpha) = (args.tensor(cx, 0)?, args.float("alpha", 1.0)?);
    let dtype = cx.dtype(&x)?;
    let wide = if dtype == DataType::F64 { x } else { cx.astype(&x, DataType::F32)? };
    let x = bound(cx, wide)?;
    let scaled = cx.with_number(&divide::OP, &x, alpha)?;
    let bent = elu(cx, &scaled, alpha, 1.0)?;
    let found = cx.choose(&cx.with_number(&greater::OP, &x, 0.0)?, &x, &bent)?;
    Ok(cx.astype(&found, dtype)?.into())
}

fn shrink(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, lambda, bias) = (args.bound(cx, 0)?, args.float("lambd", 0.5)?, args.float("bias", 0.0)?);
    let dtype = cx.dtype(&x)?;
    let below = cx.choose(
        &cx.with_number(&less::OP, &x, -lambda)?,
        &cx.with_number(&add::OP, &x, bias)?,
        &cx.number(0.0, dtype)?,
    )?;
    let above = cx.with_number(&subtract::OP, &x, bias)?;
    Ok(cx.choose(&cx.with_number(&greater::OP, &x, lambda)?, &above, &below)?.into())
}

/// Since version 13 the softmax of one dimension, before that of all from `axis` on as one.
fn along(cx: &mut Cx<'_>, args: &Args<'_>, op: Op) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    let axis = args.int("axis", if args.opset >= 13 { -1 } else { 1 })?;
    along_since(cx, &x, args.opset, axis, op).map(Val::from)
}

fn along_since(cx: &Cx<'_>, x: &Expr, opset: i64, axis: i64, op: Op) -> Res<Expr> {
    if opset >= 13 {
        return cx.call(op, &[x], [("axis", axis.to_attr())]);
    }
    let (flat, shape) = as_rows(cx, axis, x)?;
    let found = cx.call(op, &[&flat], [("axis", (-1i64).to_attr())])?;
    match shape {
        Some(shape) => cx.reshape(&found, shape),
        None => Ok(found),
    }
}

/// The softmax as this version of the operator has it.
pub fn softmax_since(cx: &Cx<'_>, x: &Expr, opset: i64, axis: i64) -> Res<Expr> {
    along_since(cx, x, opset, axis, &softmax::OP)
}

/// The dimensions from `axis` on as one, and the shape to go back to where that is another one.
fn as_rows(cx: &Cx<'_>, axis: i64, x: &Expr) -> Res<(Expr, Option<Vec<scalar::Expr>>)> {
    let shape = cx.shape(x)?;
    let axis = cx.axis(axis, shape.len())?;
    if axis + 1 == shape.len() {
        return Ok((x.clone(), None));
    }
    let flat = cx.reshape(x, vec![cx.product(&shape[..axis]), cx.product(&shape[axis..])])?;
    Ok((flat, Some(shape)))
}

/// 1 at the first largest element, 0 elsewhere.
fn hardmax(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    let (x, axis, shape) = match args.opset >= 13 {
        true => (x.clone(), cx.axis(args.int("axis", -1)?, cx.rank(&x)?)?, None),
        false => {
            let (x, shape) = as_rows(cx, args.int("axis", 1)?, &x)?;
            let axis = cx.rank(&x)? - 1;
            (x, axis, shape)
        }
    };
    let dtype = cx.dtype(&x)?;
    let depth = cx.extent(&x, axis)?;
    let largest = cx.call(&argmax::OP, &[&x], [("axis", (axis as i64).to_attr()), ("keepdims", true.to_attr())])?;
    let all = cx.along_axis(&cx.arange(&depth)?, axis, cx.rank(&x)?)?;
    let hit = broadcast_call(cx, &equal::OP, cx.astype(&largest, DataType::I64)?, all)?;
    let found = cx.astype(&hit, dtype)?;
    Ok(match shape {
        Some(shape) => cx.reshape(&found, shape)?.into(),
        None => found.into(),
    })
}

/// In inference the data itself, and a mask that keeps everything. Before version 12, where the mask of inference has
/// no meaning, it is 0, and before version 10 it has the type of the data.
fn dropout(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    if args.has(2) && super::super::fold::is_true(args.input(2)) != Some(false) {
        let rate = if args.has(1) { args.float_at(1)? } else { 0.5 };
        if rate != 0.0 {
            return Err(Refused::new("training has no rule"));
        }
    }
    if !args.wants(1) {
        return Ok(x.into());
    }
    let dtype = if args.opset < 10 { cx.dtype(&x)? } else { DataType::BOOL };
    let kept = cx.number(i64::from(args.opset >= 12), dtype)?;
    let mask = cx.call(&full::OP, &[&Expr::shape(cx.shape(&x)?), &kept], [])?;
    Ok(Val::Outputs(vec![x.into(), mask.into()]))
}
