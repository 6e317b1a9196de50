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
    rule("Softsign", "X", "", |cx, args| {
        let x = args.bound(cx, 0)?;
        let size = cx.with_number(&add::OP, &cx.call(&abs::OP, &[&x], [])?, 1.0)?;
        Ok(cx.call(&divide::OP, &[&x, &size], [])?.into())
    }),
    rule("ThresholdedRelu", "X", "alpha", |cx, args| {
        let x = args.bound(cx, 0)?;
        let above = cx.with_number(&greater::OP, &x, args.float("alpha", 1.0)?)?;
        Ok(cx.choose(&above, &x, &cx.number(0.0, cx.dtype(&x)?)?)?.into())
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
    if args.opset >= 13 {
        return Ok(cx.call(op, &[&x], [("axis", args.int("axis", -1)?.to_attr())])?.into());
    }
    let (flat, shape) = as_rows(cx, args, &x)?;
    let found = cx.call(op, &[&flat], [("axis", (-1i64).to_attr())])?;
    Ok(match shape {
        Some(shape) => cx.reshape(&found, shape)?.into(),
        None => found.into(),
    })
}

/// The dimensions from `axis` on as one, and the shape to go back to where that is another one.
fn as_rows(cx: &Cx<'_>, args: &Args<'_>, x: &Expr) -> Res<(Expr, Option<Vec<scalar::Expr>>)> {
    let shape = cx.shape(x)?;
    let axis = cx.axis(args.int("axis", 1)?, shape.len())?;
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
            let (x, shape) = as_rows(cx, args, &x)?;
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

/// In inference the data itself, and a mask that keeps everything.
fn dropout(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    if args.has(2) && super::super::fold::is_true(args.input(2)) != Some(false) {
        let rate = if args.has(1) { args.float_at(1)? } else { 0.5 };
        if rate != 0.0 {
            return Err(Refused::new("training has no rule"));
        }
    }
    let mask = cx.call(&full::OP, &[&Expr::shape(cx.shape(&x)?), &cx.number(1i64, DataType::BOOL)?], [])?;
    Ok(Val::Outputs(if args.wants(1) { vec![x.into(), mask.into()] } else { vec![x.into()] }))
}
