//! Reductions: sums, extremes with their indices, moments, norms, medians.

use tilewright_expr as scalar;
use tilewright_ir::Attr;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, divide, greater, maximum, minimum, multiply, not_equal, power, subtract};
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::manipulate::{expand_dims, flatten, squeeze};
use tilewright_ops::statistical;
use tilewright_ops::statistical::{argmax, argmin, max, mean, median, min, prod, sum, variance};
use tilewright_ops::unary::{abs, exp, isfinite, log, sqrt, square};
use tilewright_tensor::DataType;

use super::super::promotion::{as_bool, as_float, call_promoted};
use super::super::rule::{Rule, in_float32, rule};
use crate::common::{Args, Cx, Op, Refused, Res, ToAttr, Value, is};

pub const RULES: &[Rule] = &[
    rule("sum", "input, dim|axis=None, keepdim|keepdims=False, dtype=None", |cx, args| total(cx, args, &sum::OP)),
    rule("prod", "input, dim|axis=None, keepdim|keepdims=False, dtype=None", |cx, args| total(cx, args, &prod::OP)),
    rule("mean", "input, dim|axis=None, keepdim|keepdims=False, dtype=None", mean),
    rule("amax", "input, dim=[], keepdim=False", |cx, args| over_dims(cx, args, &max::OP).map(Value::Tensor)),
    rule("amin", "input, dim=[], keepdim=False", |cx, args| over_dims(cx, args, &min::OP).map(Value::Tensor)),
    rule("max", "input, dim|other|axis=None, keepdim|keepdims=False", |cx, args| extreme(cx, args, &MAX)),
    rule("min", "input, dim|other|axis=None, keepdim|keepdims=False", |cx, args| extreme(cx, args, &MIN)),
    rule("argmax", "input, dim|axis=None, keepdim|keepdims=False", |cx, args| arg_reduced(cx, args, &argmax::OP)),
    rule("argmin", "input, dim|axis=None, keepdim|keepdims=False", |cx, args| arg_reduced(cx, args, &argmin::OP)),
    in_float32(rule(
        "std",
        "input, dim|axis|unbiased=None, unbiased_or_keepdim|unbiased=None, keepdim=False, correction=None",
        |cx, args| variance_or_std(cx, args, &statistical::std::OP).map(Value::Tensor),
    )),
    in_float32(rule(
        "var",
        "input, dim|axis|unbiased=None, unbiased_or_keepdim|unbiased=None, keepdim=False, correction=None",
        |cx, args| variance_or_std(cx, args, &variance::OP).map(Value::Tensor),
    )),
    in_float32(rule(
        "var_mean",
        "input, dim|axis=None, unbiased_or_keepdim|unbiased=None, keepdim=False, correction=None",
        |cx, args| with_mean(cx, args, &variance::OP),
    )),
    in_float32(rule(
        "std_mean",
        "input, dim|axis=None, unbiased_or_keepdim|unbiased=None, keepdim=False, correction=None",
        |cx, args| with_mean(cx, args, &statistical::std::OP),
    )),
    rule("any", "input, dim|axis=None, keepdim|keepdims=False", |cx, args| any_or_all(cx, args, &max::OP)),
    rule("all", "input, dim|axis=None, keepdim|keepdims=False", |cx, args| any_or_all(cx, args, &min::OP)),
    in_float32(rule("norm linalg_vector_norm", "input, p|ord=2.0, dim=None, keepdim=False, dtype=None", norm)),
    rule("median", "input, dim=None, keepdim=False", median),
    in_float32(rule("cdist _cdist_forward", "x1|input, x2, p=2.0, compute_mode=None", cdist)),
    in_float32(rule("logsumexp", "input, dim, keepdim=False", logsumexp)),
    rule("count_nonzero", "input, dim=None", count_nonzero),
];

/// The reduction of `x` over the dimensions that `dim` says, all where it says none.
pub fn reduced(cx: &Cx<'_>, x: &Expr, dims: Option<Vec<i64>>, keep: bool, op: Op) -> Res<Expr> {
    if cx.rank(x)? == 0 {
        return Ok(x.clone());
    }
    let attrs = [("axis", dims.to_attr()), ("keepdims", keep.to_attr())];
    if !cx.dtype(x)?.is_bool() {
        return cx.call(op, &[x], attrs);
    }
    // The largest of nothing is below 0, and it is False as well.
    let found = cx.call(op, &[&cx.astype(x, DataType::I8)?], attrs)?;
    cx.with_number(&greater::OP, &found, 0i64)
}

fn over_dims(cx: &Cx<'_>, args: &Args, op: Op) -> Res<Expr> {
    reduced(cx, &args.tensor("input")?, args.axes("dim")?, args.flag("keepdim")?, op)
}

/// Sums and products of bools and narrow integers are int64.
pub fn summable(cx: &Cx<'_>, args: &Args) -> Res<Expr> {
    let x = args.tensor("input")?;
    match (args.dtype("dtype")?, cx.dtype(&x)?) {
        (Some(dtype), _) => cx.astype(&x, dtype),
        (None, dtype) if dtype.is_float() => Ok(x),
        (None, _) => cx.astype(&x, DataType::I64),
    }
}

fn total(cx: &mut Cx<'_>, args: &Args, op: Op) -> Res {
    let x = summable(cx, args)?;
    reduced(cx, &x, args.axes("dim")?, args.flag("keepdim")?, op).map(Value::Tensor)
}

fn mean(cx: &mut Cx<'_>, args: &Args) -> Res {
    let mut x = args.tensor("input")?;
    if let Some(dtype) = args.dtype("dtype")? {
        x = cx.astype(&x, dtype)?;
    }
    reduced(cx, &x, args.axes("dim")?, args.flag("keepdim")?, &mean::OP).map(Value::Tensor)
}

/// The operators of a minimum or maximum.
struct Extreme {
    /// The reduction along dimensions.
    reduce: Op,
    /// The index of the extreme along a dimension.
    index: Op,
    /// The elementwise operator of two tensors.
    elementwise: Op,
}

const MAX: Extreme = Extreme { reduce: &max::OP, index: &argmax::OP, elementwise: &maximum::OP };
const MIN: Extreme = Extreme { reduce: &min::OP, index: &argmin::OP, elementwise: &minimum::OP };

/// The extreme of all elements, those along one dimension with their indices, or the elementwise extreme of two
/// tensors.
fn extreme(cx: &mut Cx<'_>, args: &Args, extreme: &Extreme) -> Res {
    match args.get("dim") {
        Value::None => over_dims(cx, args, extreme.reduce).map(Value::Tensor),
        Value::Int(dim) => {
            let (x, keep) = (cx.emit(args.tensor("input")?)?, args.flag("keepdim")?);
            let values = reduced(cx, &x, Some(vec![*dim]), keep, extreme.reduce)?;
            let indices = arg_extreme(cx, &x, *dim, keep, extreme.index)?;
            Ok(Value::List(vec![Value::Tensor(values), Value::Tensor(indices)]))
        }
        other => call_promoted(cx, extreme.elementwise, args.get("input"), other).map(Value::Tensor),
    }
}

fn arg_extreme(cx: &Cx<'_>, x: &Expr, dim: i64, keep: bool, op: Op) -> Res<Expr> {
    if cx.rank(x)? == 0 {
        return cx.number(0i64, DataType::I64);
    }
    cx.call(op, &[x], [("axis", dim.to_attr()), ("keepdims", keep.to_attr())])
}

fn arg_reduced(cx: &mut Cx<'_>, args: &Args, op: Op) -> Res {
    let x = args.tensor("input")?;
    if args.has("dim") {
        return arg_extreme(cx, &x, args.int("dim")?, args.flag("keepdim")?, op).map(Value::Tensor);
    }
    cx.call(op, &[&x], [("axis", Attr::None), ("keepdims", args.flag("keepdim")?.to_attr())]).map(Value::Tensor)
}

/// The number of elements that the dimensions have together.
fn count(cx: &Cx<'_>, x: &Expr, dims: Option<&[i64]>) -> Res<scalar::Expr> {
    let shape = cx.shape(x)?;
    let extents = match dims {
        None => shape.clone(),
        Some(dims) => dims.iter().map(|dim| Ok(shape[cx.axis(*dim, shape.len())?].clone())).collect::<Res<Vec<_>>>()?,
    };
    Ok(cx.product(&extents))
}

/// The variance or its square root, with the divisor `count - correction`. The second argument may be a bool: whether
/// the correction is 1.
fn variance_or_std(cx: &mut Cx<'_>, args: &Args, op: Op) -> Res<Expr> {
    let x = cx.emit(args.tensor("input")?)?;
    let (dims, unbiased) = match args.get("dim") {
        Value::Bool(unbiased) => (None, Some(*unbiased)),
        _ => (args.axes("dim")?, None),
    };
    let unbiased = match args.get("unbiased_or_keepdim") {
        Value::Bool(unbiased) => Some(*unbiased),
        _ => unbiased,
    };
    let correction = match args.get("correction") {
        Value::None => f64::from(u8::from(unbiased.unwrap_or(true))),
        _ => args.float("correction")?,
    };
    let found = reduced(cx, &x, dims.clone(), args.flag("keepdim")?, op)?;
    if correction == 0.0 {
        return Ok(found);
    }
    let dtype = cx.dtype(&x)?;
    let count = cx.operand(&Value::int(count(cx, &x, dims.as_deref())?), dtype)?;
    // A divisor below 0 counts as 0.
    let zero = cx.number(0.0, dtype)?;
    let divisor = cx.call(&maximum::OP, &[&cx.with_number(&subtract::OP, &count, correction)?, &zero], [])?;
    let ratio = cx.call(&divide::OP, &[&count, &divisor], [])?;
    let ratio = if is(op, &statistical::std::OP) { cx.call(&sqrt::OP, &[&ratio], [])? } else { ratio };
    cx.call(&multiply::OP, &[&found, &ratio], [])
}

fn with_mean(cx: &mut Cx<'_>, args: &Args, op: Op) -> Res {
    let found = variance_or_std(cx, args, op)?;
    let dims = if matches!(args.get("dim"), Value::Bool(_)) { None } else { args.axes("dim")? };
    let mean = reduced(cx, &args.tensor("input")?, dims, args.flag("keepdim")?, &mean::OP)?;
    Ok(Value::List(vec![Value::Tensor(found), Value::Tensor(mean)]))
}

fn any_or_all(cx: &mut Cx<'_>, args: &Args, op: Op) -> Res {
    let truth = as_bool(cx, &args.tensor("input")?)?;
    let found = reduced(cx, &truth, args.axes("dim")?, args.flag("keepdim")?, op)?;
    // Of bytes, the results are bytes too.
    let dtype = cx.dtype(&args.tensor("input")?)?;
    if dtype == DataType::U8 { cx.astype(&found, dtype).map(Value::Tensor) } else { Ok(Value::Tensor(found)) }
}

/// The lower median of all elements, or along a dimension with its index.
fn median(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    if cx.rank(&x)? == 0 {
        let index = cx.number(0i64, DataType::I64)?;
        let both = vec![Value::Tensor(x.clone()), Value::Tensor(index)];
        return Ok(if args.has("dim") { Value::List(both) } else { Value::Tensor(x) });
    }
    if args.has("dim") {
        let axis = [("axis", vec![args.int("dim")?].to_attr()), ("keepdims", args.flag("keepdim")?.to_attr())];
        let both = cx.call(&median::OP, &[&x], axis)?;
        return cx.fields(both).map(Value::List);
    }
    let all = cx.call(&flatten::OP, &[&x], [])?;
    let both = cx.call(&median::OP, &[&all], [("axis", vec![0i64].to_attr())])?;
    Ok(cx.fields(both)?.swap_remove(0))
}

/// The pairwise distances of the vectors of two tensors. Euclidean distances of more than 25 vectors are computed as
/// PyTorch does on a CPU: `sqrt(|a|² + |b|² - 2ab)` by a GEMM, less exact for vectors that are close to each other.
/// `compute_mode` chooses one form.
fn cdist(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (a, b, p) = (cx.emit(args.tensor("x1")?)?, cx.emit(args.tensor("x2")?)?, args.float("p")?);
    let (rank, own) = (cx.rank(&b)?, cx.dtype(&a)?);
    let many = |cx: &Cx<'_>, x: &Expr| -> Res<bool> {
        let dims = cx.shape(x)?;
        let count = dims.len().checked_sub(2).and_then(|at| dims[at].as_int());
        Ok(count.is_none_or(|count| count > 25))
    };
    let by_product = match args.get("compute_mode") {
        Value::Str(mode) if mode == "use_mm_for_euclid_dist" => true,
        Value::Str(mode) if mode == "donot_use_mm_for_euclid_dist" => false,
        Value::None | Value::Str(_) => many(cx, &a)? || many(cx, &b)?,
        _ => match args.int("compute_mode")? {
            0 => many(cx, &a)? || many(cx, &b)?,
            mode => mode == 1,
        },
    };
    let axis = |axis: i64| [("axis", vec![axis].to_attr())];
    if p != 2.0 || !by_product || rank < 2 || !matches!(own, DataType::F32 | DataType::F64) {
        let (a, b) = (cx.call(&expand_dims::OP, &[&a], axis(-2))?, cx.call(&expand_dims::OP, &[&b], axis(-3))?);
        let difference = cx.call(&subtract::OP, &[&a, &b], [])?;
        return p_norm(cx, &difference, p, Some(vec![-1]), false).map(Value::Tensor);
    }
    let squares = |cx: &Cx<'_>, x: &Expr| cx.call(&sum::OP, &[&cx.call(&multiply::OP, &[x, x], [])?], axis(-1));
    let of_a = cx.call(&expand_dims::OP, &[&squares(cx, &a)?], axis(-1))?;
    let of_b = cx.call(&expand_dims::OP, &[&squares(cx, &b)?], axis(-2))?;
    let transposed = (0..rank as i64 - 2).chain([rank as i64 - 1, rank as i64 - 2]).collect();
    let product = cx.call(&matmul::OP, &[&a, &cx.permute(&b, transposed)?], [])?;
    let sums = cx.call(
        &add::OP,
        &[&cx.call(&add::OP, &[&cx.with_number(&multiply::OP, &product, -2.0)?, &of_a], [])?, &of_b],
        [],
    )?;
    cx.call(&sqrt::OP, &[&cx.with_number(&maximum::OP, &sums, 0.0)?], []).map(Value::Tensor)
}

fn norm(cx: &mut Cx<'_>, args: &Args) -> Res {
    let mut x = as_float(cx, &args.tensor("input")?)?;
    if let Some(dtype) = args.dtype("dtype")? {
        x = cx.astype(&x, dtype)?;
    }
    let (dims, keep) = (args.axes("dim")?, args.flag("keepdim")?);
    let p = match args.get("p") {
        Value::Str(kind) if kind == "fro" => 2.0,
        Value::None => 2.0,
        _ => args.float("p")?,
    };
    p_norm(cx, &x, p, dims, keep).map(Value::Tensor)
}

/// `sum(|x| ** p) ** (1 / p)`; the extreme of `|x|` for an infinite `p`.
pub fn p_norm(cx: &mut Cx<'_>, x: &Expr, p: f64, dims: Option<Vec<i64>>, keep: bool) -> Res<Expr> {
    let size = cx.call(&abs::OP, &[x], [])?;
    if p.is_infinite() {
        return reduced(cx, &size, dims, keep, if p > 0.0 { &max::OP } else { &min::OP });
    }
    if p == 0.0 {
        let counted = cx.astype(&cx.with_number(&not_equal::OP, x, 0.0)?, cx.dtype(x)?)?;
        return reduced(cx, &counted, dims, keep, &sum::OP);
    }
    if p == 1.0 {
        return reduced(cx, &size, dims, keep, &sum::OP);
    }
    if p == 2.0 {
        let sum = reduced(cx, &cx.call(&square::OP, &[x], [])?, dims, keep, &sum::OP)?;
        return cx.call(&sqrt::OP, &[&sum], []);
    }
    let sum = reduced(cx, &cx.with_number(&power::OP, &size, p)?, dims, keep, &sum::OP)?;
    cx.with_number(&power::OP, &sum, 1.0 / p)
}

/// `m + log(sum(exp(x - m)))` with the largest element `m`, which is taken as 0 where it is infinite.
fn logsumexp(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(as_float(cx, &args.tensor("input")?)?)?;
    let (dims, dtype) = (args.axes("dim")?, cx.dtype(&x)?);
    let largest = cx.emit(reduced(cx, &x, dims.clone(), true, &max::OP)?)?;
    let finite = cx.call(&isfinite::OP, &[&largest], [])?;
    let largest = cx.emit(cx.choose(&finite, &largest, &cx.number(0.0, dtype)?)?)?;
    let exps = cx.call(&exp::OP, &[&cx.call(&subtract::OP, &[&x, &largest], [])?], [])?;
    let sum = cx.call(&log::OP, &[&reduced(cx, &exps, dims.clone(), true, &sum::OP)?], [])?;
    let found = cx.call(&add::OP, &[&sum, &largest], [])?;
    if args.flag("keepdim")? || cx.rank(&x)? == 0 {
        return Ok(Value::Tensor(found));
    }
    let all = || (0..cx.rank(&x).unwrap_or(0) as i64).collect();
    cx.call(&squeeze::OP, &[&found], [("axis", dims.unwrap_or_else(all).to_attr())]).map(Value::Tensor)
}

fn count_nonzero(cx: &mut Cx<'_>, args: &Args) -> Res {
    let truth = as_bool(cx, &args.tensor("input")?)?;
    let ones = cx.astype(&truth, DataType::I64)?;
    if cx.rank(&ones)? == 0 && args.has("dim") {
        return Err(Refused::new("a tensor without dimensions has none to count over"));
    }
    reduced(cx, &ones, args.axes("dim")?, false, &sum::OP).map(Value::Tensor)
}
