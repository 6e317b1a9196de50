//! Activations, and identities of inference such as `dropout`.

use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, divide, greater, less_equal, minimum, multiply, subtract};
use tilewright_ops::manipulate::split;
use tilewright_ops::nn::{gelu, gelu_tanh, leakyrelu, log_softmax, relu, silu, softmax, softplus};
use tilewright_ops::unary::{abs, exp, negative, sigmoid, tanh};

use super::super::promotion::as_float;
use super::super::rule::{Memory, Precision, Rule, in_float32, real, rule, same, unary, with};
use crate::common::{Args, Cx, Op, Refused, Res, ToAttr, Value};

/// The second parameter after `input` is the stack level in `torch.nn.functional`, the data type in `torch`, and
/// `half_to_float` in ATen.
const SOFTMAX: &str = "input, dim=None, level_or_dtype|_stacklevel|half_to_float=None, dtype=None";

pub const RULES: &[Rule] = &[
    unary("relu", &relu::OP),
    real("silu", &silu::OP),
    rule("relu6", "input, inplace=False", |cx, args| clipped(cx, args, 0.0, 6.0)),
    rule("hardtanh", "input, min_val=-1.0, max_val=1.0, inplace=False", hardtanh),
    with(
        Precision::Float32ForNumbers("negative_slope"),
        rule("leaky_relu", "input, negative_slope=0.01, inplace=False", leaky_relu),
    ),
    in_float32(rule(
        "rrelu",
        "input, lower=0.125, upper=0.3333333333333333, training=False, inplace=False",
        |cx, args| {
            // In inference, the slope is the mean of the bounds.
            let slope = f64::midpoint(args.float("lower")?, args.float("upper")?);
            cx.call(&leakyrelu::OP, &[&args.tensor("input")?], [("alpha", slope.to_attr())]).map(Value::Tensor)
        },
    )),
    rule("gelu", "input, approximate=none", gelu),
    rule("softmax _softmax", SOFTMAX, |cx, args| softmax(cx, args, &softmax::OP)),
    rule("log_softmax _log_softmax", SOFTMAX, |cx, args| softmax(cx, args, &log_softmax::OP)),
    rule("aten.softmax", "input, dim, dtype=None", |cx, args| softmax(cx, args, &softmax::OP)),
    rule("aten.log_softmax", "input, dim, dtype=None", |cx, args| softmax(cx, args, &log_softmax::OP)),
    in_float32(rule("softmin", SOFTMAX, softmin)),
    in_float32(rule("softplus", "input, beta=1.0, threshold=20.0", softplus)),
    in_float32(rule("logsigmoid log_sigmoid", "input", log_sigmoid)),
    in_float32(rule("hardsigmoid", "input, inplace=False", hardsigmoid)),
    in_float32(rule("hardswish", "input, inplace=False", hardswish)),
    in_float32(rule("mish", "input, inplace=False", mish)),
    in_float32(rule("elu", "input, alpha=1.0, scale=1.0, input_scale=1.0, inplace=False", elu)),
    in_float32(rule("selu", "input, inplace=False", |cx, args| {
        exponential(cx, &args.tensor("input")?, SELU_ALPHA, SELU_SCALE)
    })),
    in_float32(rule("celu", "input, alpha=1.0, inplace=False", celu)),
    rule("prelu _prelu_kernel", "input, weight", prelu),
    in_float32(rule("glu", "input, dim=-1", glu)),
    in_float32(rule("softsign", "input", softsign)),
    in_float32(rule("tanhshrink", "input", tanhshrink)),
    rule("hardshrink", "input, lambd=0.5", hardshrink),
    rule("softshrink", "input, lambd=0.5", softshrink),
    rule("threshold _threshold", "input, threshold, value, inplace=False", threshold),
    same(
        "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout feature_dropout",
        "input, p=0.5, training|train=True, inplace=False",
    ),
    // A copy has its own memory.
    Rule {
        memory: Memory::Own,
        ..same("clone lift_fresh_copy detach_copy alias_copy", "input, memory_format=None, *rest=None")
    },
    Rule { memory: Memory::Either, ..same("contiguous", "input, memory_format=None") },
    same(
        "identity detach alias lift_fresh positive requires_grad stochastic_depth cpu cuda",
        "input, p=None, mode=None, training=False",
    ),
];

/// The constants of the self-normalising unit (Klambauer and others, 2017).
const SELU_ALPHA: f64 = 1.673_263_242_354_377_2;
const SELU_SCALE: f64 = 1.050_700_987_355_480_5;

/// The elements clamped to an interval. NaN stays NaN.
fn clipped(cx: &Cx<'_>, args: &Args, min: f64, max: f64) -> Res {
    cx.clip(&args.tensor("input")?, min, max).map(Value::Tensor)
}

fn hardtanh(cx: &mut Cx<'_>, args: &Args) -> Res {
    clipped(cx, args, args.float("min_val")?, args.float("max_val")?)
}

fn leaky_relu(cx: &mut Cx<'_>, args: &Args) -> Res {
    let slope = args.float("negative_slope")?;
    cx.call(&leakyrelu::OP, &[&args.tensor("input")?], [("alpha", slope.to_attr())]).map(Value::Tensor)
}

fn gelu(cx: &mut Cx<'_>, args: &Args) -> Res {
    match args.text("approximate")? {
        "none" => cx.op(&gelu::OP, &[&args.tensor("input")?]),
        "tanh" => cx.op(&gelu_tanh::OP, &[&args.tensor("input")?]),
        other => Err(Refused(format!("`approximate` is \"none\" or \"tanh\", found \"{other}\""))),
    }
}

/// The dimension that is meant where none is given, as `torch.nn.functional` chooses it.
fn usual_dim(rank: usize) -> i64 {
    if matches!(rank, 0 | 1 | 3) { 0 } else { 1 }
}

fn along(cx: &Cx<'_>, x: &Expr, args: &Args, op: Op) -> Res<Expr> {
    let dim = if args.has("dim") { args.int("dim")? } else { usual_dim(cx.rank(x)?) };
    cx.call(op, &[x], [("axis", dim.to_attr())])
}

/// The input of a softmax, in the data type of the arguments.
fn softmax_input(cx: &Cx<'_>, args: &Args) -> Res<Expr> {
    let x = args.tensor("input")?;
    let dtype = match args.get("level_or_dtype") {
        Value::DType(dtype) => Some(*dtype),
        _ => args.dtype("dtype")?,
    };
    as_float(cx, &dtype.map_or_else(|| Ok(x.clone()), |dtype| cx.astype(&x, dtype))?)
}

fn softmax(cx: &mut Cx<'_>, args: &Args, op: Op) -> Res {
    along(cx, &softmax_input(cx, args)?, args, op).map(Value::Tensor)
}

fn softmin(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.call(&negative::OP, &[&softmax_input(cx, args)?], [])?;
    along(cx, &x, args, &softmax::OP).map(Value::Tensor)
}

fn softplus(cx: &mut Cx<'_>, args: &Args) -> Res {
    let attrs = [("beta", args.float("beta")?.to_attr()), ("threshold", args.float("threshold")?.to_attr())];
    cx.call(&softplus::OP, &[&args.tensor("input")?], attrs).map(Value::Tensor)
}

/// `min(x, 0) - log(1 + exp(-|x|))`, which does not overflow.
fn log_sigmoid(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(args.tensor("input")?)?;
    let negative = cx.call(&negative::OP, &[&x], [])?;
    let plus = cx.call(&softplus::OP, &[&negative], [])?;
    cx.op(&negative::OP, &[&plus])
}

/// `relu6(x + 3) / 6`.
fn hard(cx: &Cx<'_>, x: &Expr) -> Res<Expr> {
    cx.with_number(&divide::OP, &cx.clip(&cx.with_number(&add::OP, x, 3.0)?, 0.0, 6.0)?, 6.0)
}

fn hardsigmoid(cx: &mut Cx<'_>, args: &Args) -> Res {
    hard(cx, &args.tensor("input")?).map(Value::Tensor)
}

fn hardswish(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(args.tensor("input")?)?;
    cx.op(&multiply::OP, &[&x, &hard(cx, &x)?])
}

fn mish(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(args.tensor("input")?)?;
    let bent = cx.call(&tanh::OP, &[&cx.call(&softplus::OP, &[&x], [])?], [])?;
    cx.op(&multiply::OP, &[&x, &bent])
}

/// `scale * x` where `x` is positive, else `scale * alpha * (exp(x) - 1)`, for which positive elements count as 0.
fn exponential(cx: &mut Cx<'_>, x: &Expr, alpha: f64, scale: f64) -> Res {
    let x = cx.emit(x.clone())?;
    let zero = cx.number(0.0, cx.dtype(&x)?)?;
    let below = cx.call(&minimum::OP, &[&x, &zero], [])?;
    let bent = cx.with_number(&subtract::OP, &cx.call(&exp::OP, &[&below], [])?, 1.0)?;
    let bent = cx.with_number(&multiply::OP, &bent, alpha * scale)?;
    let straight = if scale == 1.0 { x.clone() } else { cx.with_number(&multiply::OP, &x, scale)? };
    cx.choose(&cx.with_number(&greater::OP, &x, 0.0)?, &straight, &bent).map(Value::Tensor)
}

fn elu(cx: &mut Cx<'_>, args: &Args) -> Res {
    if args.float("input_scale")? != 1.0 {
        return Err(Refused::new("only an `input_scale` of 1 has a rule"));
    }
    exponential(cx, &args.tensor("input")?, args.float("alpha")?, args.float("scale")?)
}

fn celu(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, alpha) = (args.tensor("input")?, args.float("alpha")?);
    if alpha == 0.0 {
        return Err(Refused::new("`alpha` of celu cannot be 0"));
    }
    let x = cx.emit(x)?;
    let scaled = cx.with_number(&divide::OP, &x, alpha)?;
    let Value::Tensor(bent) = exponential(cx, &scaled, alpha, 1.0)? else { return Err(Refused::new("no tensor")) };
    cx.choose(&cx.with_number(&greater::OP, &x, 0.0)?, &x, &bent).map(Value::Tensor)
}

/// The slopes are of the second dimension, or one for all.
fn prelu(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, weight) = (cx.emit(args.tensor("input")?)?, args.tensor("weight")?);
    let (rank, slopes) = (cx.rank(&x)?, cx.shape(&weight)?);
    let weight = match slopes.as_slice() {
        [slopes] if rank > 2 && slopes.as_int() != Some(1) => {
            let mut dims = vec![tilewright_expr::Expr::i64(1); rank - 1];
            dims[0] = slopes.clone();
            cx.reshape(&weight, dims)?
        }
        _ => weight,
    };
    let bent = cx.call(&multiply::OP, &[&x, &weight], [])?;
    cx.choose(&cx.with_number(&greater::OP, &x, 0.0)?, &x, &bent).map(Value::Tensor)
}

fn glu(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    let attrs = [("indices_or_sections", 2i64.to_attr()), ("axis", args.int("dim")?.to_attr())];
    let halves = cx.fields(cx.call(&split::OP, &[&x], attrs)?)?;
    let [Value::Tensor(a), Value::Tensor(b)] = halves.as_slice() else { return Err(Refused::new("expected halves")) };
    cx.op(&multiply::OP, &[a, &cx.call(&sigmoid::OP, &[b], [])?])
}

fn softsign(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(args.tensor("input")?)?;
    let size = cx.with_number(&add::OP, &cx.call(&abs::OP, &[&x], [])?, 1.0)?;
    cx.op(&divide::OP, &[&x, &size])
}

fn tanhshrink(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(args.tensor("input")?)?;
    cx.op(&subtract::OP, &[&x, &cx.call(&tanh::OP, &[&x], [])?])
}

fn hardshrink(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(args.tensor("input")?)?;
    let inside = cx.with_number(&less_equal::OP, &cx.call(&abs::OP, &[&x], [])?, args.float("lambd")?)?;
    cx.choose(&inside, &cx.number(0.0, cx.dtype(&x)?)?, &x).map(Value::Tensor)
}

fn softshrink(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, lambda) = (cx.emit(args.tensor("input")?)?, args.float("lambd")?);
    cx.op(&subtract::OP, &[&x, &cx.clip(&x, -lambda, lambda)?])
}

fn threshold(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(args.tensor("input")?)?;
    let below = cx.with_number(&less_equal::OP, &x, args.float("threshold")?)?;
    cx.choose(&below, &cx.number(args.float("value")?, cx.dtype(&x)?)?, &x).map(Value::Tensor)
}
