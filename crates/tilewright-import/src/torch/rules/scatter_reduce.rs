//! Scatters that reduce the values of equal indices.

use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{divide, floor_divide};
use tilewright_ops::create::ones_like;
use tilewright_ops::manipulate::broadcast_to;
use tilewright_tensor::DataType;

use super::super::rule::{Rule, rule};
use crate::common::{Args, Cx, Refused, Res, Value};

pub const RULES: &[Rule] = &[
    rule("scatter_reduce", "input, dim, index, src, reduce, include_self=True", |cx, args| {
        let index = cx.astype(&args.tensor("index")?, DataType::I64)?;
        reduced(cx, args, &index, &args.tensor("src")?)
    }),
    rule("index_reduce", "input, dim, index, source, reduce, include_self=True", |cx, args| {
        // One index per slice of the source, broadcast to its elements.
        let source = args.tensor("source")?;
        let shape = cx.shape(&source)?;
        let axis = cx.axis(args.int("dim")?, shape.len())?;
        let index = cx.astype(&args.tensor("index")?, DataType::I64)?;
        let column = cx.along_axis(&index, axis, shape.len())?;
        let index = cx.call(&broadcast_to::OP, &[&column, &Expr::shape(shape)], [])?;
        reduced(cx, args, &index, &source)
    }),
    rule("put", "input, index, source, accumulate=False", |cx, args| {
        let index = cx.astype(&args.tensor("index")?, DataType::I64)?;
        let accumulate = args.flag("accumulate")?;
        super::index_put::with_values(cx, &args.tensor("input")?, &index, &args.tensor("source")?, accumulate)
    }),
];

/// The identity of a reduction.
fn identity(how: &str, dtype: DataType) -> Res<f64> {
    let float = dtype.is_float();
    let bits = i32::from(dtype.bits) - i32::from(dtype.is_signed());
    Ok(match how {
        "sum" | "mean" => 0.0,
        "prod" => 1.0,
        "amax" if float => f64::NEG_INFINITY,
        "amin" if float => f64::INFINITY,
        // The extremes of 64-bit integers have no exact float; the greatest of narrower ones is a power of 2 less 1.
        "amax" | "amin" if bits > 53 => {
            return Err(Refused::new("the extremes of 64-bit integers need `include_self`"));
        }
        "amax" if dtype.is_signed() => -(2f64.powi(bits)),
        "amax" => 0.0,
        "amin" => 2f64.powi(bits) - 1.0,
        other => return Err(Refused(format!("the reduction \"{other}\" has no rule"))),
    })
}

fn reduced(cx: &mut Cx<'_>, args: &Args, index: &Expr, source: &Expr) -> Res {
    let (how, itself) = (args.text("reduce")?, args.flag("include_self")?);
    let (x, axis) = (cx.emit(args.tensor("input")?)?, args.int("dim")?);
    let (index, dtype) = (cx.emit(index.clone())?, cx.dtype(&x)?);
    let of_number = |cx: &Cx<'_>, value: f64| {
        let shape = Expr::shape(cx.shape(&index)?);
        cx.call(&broadcast_to::OP, &[&cx.number(value, dtype)?, &shape], [])
    };
    let into = |cx: &mut Cx<'_>, x: &Expr, values: &Expr, how: &str| {
        super::gather_scatter::scattered_into(cx, x, &index, values, axis, how)
    };
    let begun = match itself {
        true => x.clone(),
        false => {
            let identity = of_number(cx, identity(how, dtype)?)?;
            into(cx, &x, &identity, "update")?
        }
    };
    match how {
        "sum" => into(cx, &begun, source, "add").map(Value::Tensor),
        "prod" => into(cx, &begun, source, "mul").map(Value::Tensor),
        "amax" => into(cx, &begun, source, "max").map(Value::Tensor),
        "amin" => into(cx, &begun, source, "min").map(Value::Tensor),
        "mean" => {
            let sum = into(cx, &begun, source, "add")?;
            let ones = cx.call(&ones_like::OP, &[&x], [])?;
            let one = of_number(cx, 1.0)?;
            let begun = match itself {
                true => ones.clone(),
                false => {
                    let none = of_number(cx, 0.0)?;
                    into(cx, &ones, &none, "update")?
                }
            };
            let count = into(cx, &begun, &one, "add")?;
            let op = if dtype.is_float() { &divide::OP } else { &floor_divide::OP };
            cx.op(op, &[&sum, &count])
        }
        other => Err(Refused(format!("the reduction \"{other}\" has no rule"))),
    }
}
