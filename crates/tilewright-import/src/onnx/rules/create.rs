//! Constants and created tensors.

use tilewright_expr as scalar;
use tilewright_ir::relax::{Callee, Expr, ExprKind};
use tilewright_ops::binary::{add, multiply};
use tilewright_ops::create::{arange, astype, eye, full};
use tilewright_ops::manipulate::reshape;
use tilewright_ops::system::shape_to_tensor;
use tilewright_ops::unary::negative;
use tilewright_tensor::{DataType, Tensor};

use super::super::model::AttributeValue;
use super::super::rule::{Args, Rule, rule};
use super::super::tensors::{dtype_of, tensor_of};
use super::super::values::{Known, MAX_KNOWN, Val, float_of};
use crate::common::{Cx, Number, Refused, Res, ToAttr, is};

pub const RULES: &[Rule] = &[
    rule(
        "Constant",
        "",
        "value value_float value_floats value_int value_ints value_string value_strings sparse_value",
        constant,
    ),
    rule("ConstantOfShape", "shape", "value", constant_of_shape),
    rule("EyeLike", "X", "dtype k", eye_like),
    rule("Range", "start limit delta", "", range),
];

fn constant(_: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let [attribute] = &*args.attributes else { return Err(Refused::new("a constant has one value")) };
    let tensor = match &attribute.value {
        AttributeValue::Float(value) => Tensor::scalar(*value as f32),
        AttributeValue::Int(value) => Tensor::scalar(*value),
        AttributeValue::Ints(values) => Tensor::from_vec(&[values.len() as i64], values.clone())?,
        AttributeValue::Floats(values) => {
            Tensor::from_vec(&[values.len() as i64], values.iter().map(|value| *value as f32).collect())?
        }
        other => return Err(Refused(format!("a constant that is {} has no rule", other.in_words()))),
    };
    Ok(Expr::constant(tensor).into())
}

fn constant_of_shape(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let value = match args.tensor_attribute("value")? {
        Some(value) => tensor_of(&value, None)?,
        None => Tensor::scalar(0.0f32),
    };
    if value.num_elements() != 1 {
        return Err(Refused::new("`value` is one element"));
    }
    let dims = args.dims_at(cx, 0)?;
    // A small list of integers may be part of a shape.
    let sizes = dims.iter().map(scalar::Expr::as_int).collect::<Option<Vec<i64>>>();
    if let (Some(sizes), Some(one)) = (sizes, Known::of_tensor(&value)) {
        let count = sizes.iter().try_fold(1i64, |count, size| count.checked_mul(*size));
        if let Some(count) = count.filter(|count| (0..=MAX_KNOWN as i64).contains(count))
            && one.dtype.is_int()
            && sizes.len() <= 1
        {
            return Ok(Known::new(one.dtype, sizes, vec![one.items[0].clone(); count as usize]).into());
        }
    }
    let value = Expr::constant(value.reshape(&[])?);
    Ok(cx.call(&full::OP, &[&Expr::shape(dims), &value], [])?.into())
}

fn eye_like(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    let dtype = match args.maybe_int("dtype")? {
        Some(number) => dtype_of(number)?,
        None => cx.dtype(&x)?,
    };
    let shape = cx.shape(&x)?;
    let [rows, columns] = shape.as_slice() else { return Err(Refused::new("it takes a matrix")) };
    let sizes = [rows, columns].map(|size| Expr::prim(size.clone()));
    let attrs = [("k", args.int("k", 0)?.to_attr()), ("dtype", dtype.to_attr())];
    Ok(cx.call(&eye::OP, &[&sizes[0], &sizes[1]], attrs)?.into())
}

/// Numbers from `start` up to `limit`; of integers the bounds may be symbolic, or known in the run alone where the
/// first is 0 and the step 1.
fn range(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (start, limit, delta) = (args.input(0).known(), args.input(1).known(), args.input(2).known());
    let floats = cx.dtype(&args.tensor(cx, 0)?)?.is_float();
    if floats
        && ![&start, &limit, &delta].into_iter().all(Option::is_some)
        && let Some(bounds) = (0..3).map(|at| integer(cx, args.input(at))).collect::<Option<Vec<_>>>()
    {
        // Integers that an exporter has converted.
        let dtype = cx.dtype(&args.tensor(cx, 0)?)?;
        let [start, limit, delta] = [0, 1, 2].map(|at| Expr::prim(cx.simplified(&bounds[at])));
        let attrs = [("dtype", DataType::I64.to_attr())];
        let found = cx.call(&arange::OP, &[&start, &limit, &delta], attrs)?;
        return Ok(cx.astype(&found, dtype)?.into());
    }
    let (Some(start), Some(delta)) = (start, delta) else {
        return Err(Refused(format!(
            "the input `{}` must be known when the model is imported",
            if args.input(0).known().is_none() { "start" } else { "delta" }
        )));
    };
    let dtype = start.dtype;
    let single = |known: &Known| known.items.first().cloned().ok_or_else(|| Refused::new("a bound is one number"));
    if dtype.is_int() {
        let limit = match limit {
            Some(limit) => single(&limit)?,
            None => args.dims_at(cx, 1)?.first().cloned().ok_or_else(|| Refused::new("a bound is one number"))?,
        };
        let bounds = [single(&start)?, limit, single(&delta)?];
        let [start, limit, delta] = bounds.map(|bound| bound.cast(DataType::I64).map(Expr::prim));
        let attrs = [("dtype", DataType::I64.to_attr())];
        let found = cx.call(&arange::OP, &[&start?, &limit?, &delta?], attrs)?;
        return Ok(cx.astype(&found, dtype)?.into());
    }
    let [start, limit, delta] = [args.float_at(0)?, args.float_at(1)?, args.float_at(2)?];
    let count = ((limit - start) / delta).ceil().max(0.0);
    if count.is_nan() || count > f64::from(1 << 24) {
        return Err(Refused(format!("a range of {count} elements")));
    }
    let steps = cx.astype(&cx.arange(&scalar::Expr::i64(count as i64))?, dtype)?;
    let scaled = cx.with_number(&multiply::OP, &steps, Number::Float(delta))?;
    Ok(cx.with_number(&add::OP, &scaled, Number::Float(start))?.into())
}

/// The integer that a single number is: one that is known, or a symbolic one that was converted or negated.
fn integer(cx: &Cx<'_>, x: &Val) -> Option<scalar::Expr> {
    match x.known() {
        Some(known) => match known.items.as_slice() {
            [one] if known.dtype.is_float() => {
                let value = float_of(one).filter(|value| value.fract() == 0.0 && value.abs() < 9e15)?;
                Some(scalar::Expr::i64(value as i64))
            }
            [one] => one.cast(DataType::I64).ok(),
            _ => None,
        },
        None => match x {
            Val::Tensor(x) => integer_of(cx, x),
            _ => None,
        },
    }
}

fn integer_of(cx: &Cx<'_>, x: &Expr) -> Option<scalar::Expr> {
    let value = x.as_var().and_then(|var| cx.bb.lookup_binding(var)).unwrap_or(x);
    let ExprKind::Call { callee: Callee::Op(op), args, .. } = &value.kind else { return None };
    let from = args.first()?;
    if is(op.0, &astype::OP) || is(op.0, &reshape::OP) {
        return integer_of(cx, from);
    }
    if is(op.0, &negative::OP) {
        return Some(scalar::Expr::i64(0) - integer_of(cx, from)?);
    }
    match &from.kind {
        ExprKind::Shape(items) if is(op.0, &shape_to_tensor::OP) && items.len() == 1 => items.first().cloned(),
        _ => None,
    }
}
