//! Elements read and written at indices.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, equal, floor_mod};
use tilewright_ops::indexed::{gather_elements, gather_nd, scatter_elements, scatter_nd, take};
use tilewright_ops::manipulate::{broadcast_to, expand_dims};
use tilewright_ops::set::{nonzero, unique};
use tilewright_tensor::{DataType, Tensor};

use super::super::rule::{Args, Rule, bound, rule};
use super::super::values::Val;
use super::elementwise::broadcast_call;
use crate::common::{Cx, Refused, Res, ToAttr, Value, new_size};

pub const RULES: &[Rule] = &[
    rule("Gather", "data indices", "axis", |cx, args| {
        let (x, indices) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
        let axis = cx.axis(args.int("axis", 0)?, cx.rank(&x)?)?;
        taken(cx, &x, &indices, axis).map(Val::from)
    }),
    rule("GatherElements", "data indices", "axis", |cx, args| {
        let (x, indices) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
        let axis = cx.axis(args.int("axis", 0)?, cx.rank(&x)?)? as i64;
        Ok(cx.call(&gather_elements::OP, &[&x, &indices], [("axis", axis.to_attr())])?.into())
    }),
    rule("GatherND", "data indices", "batch_dims", |cx, args| {
        let attrs = [("batch_dims", args.int("batch_dims", 0)?.to_attr())];
        Ok(cx.call(&gather_nd::OP, &[&args.tensor(cx, 0)?, &args.tensor(cx, 1)?], attrs)?.into())
    }),
    rule("ScatterElements Scatter", "data indices updates", "axis reduction", |cx, args| {
        let x = args.tensor(cx, 0)?;
        let axis = cx.axis(args.int("axis", 0)?, cx.rank(&x)?)? as i64;
        let attrs = [("axis", axis.to_attr()), ("reduction", reduction(args)?.to_attr())];
        Ok(cx.call(&scatter_elements::OP, &[&x, &args.tensor(cx, 1)?, &args.tensor(cx, 2)?], attrs)?.into())
    }),
    rule("ScatterND", "data indices updates", "reduction", |cx, args| {
        let attrs = [("reduction", reduction(args)?.to_attr())];
        let operands = [args.tensor(cx, 0)?, args.tensor(cx, 1)?, args.tensor(cx, 2)?];
        Ok(cx.call(&scatter_nd::OP, &operands.each_ref(), attrs)?.into())
    }),
    rule("TensorScatter", "past_cache update write_indices?", "axis mode", tensor_scatter),
    rule("OneHot", "indices depth values", "axis", one_hot),
    rule("NonZero", "X", "", |cx, args| {
        let x = args.tensor(cx, 0)?;
        let rank = cx.rank(&x)?.max(1) as i64;
        let found = cx.call(&nonzero::OP, &[&x], [])?;
        Ok(cx.match_cast(&found, vec![scalar::Expr::i64(rank), new_size()])?.into())
    }),
    rule("Compress", "input condition", "axis", compress),
    rule("Unique", "X", "axis sorted", distinct),
    rule("ReverseSequence", "input sequence_lens", "batch_axis time_axis", reverse_sequence),
];

/// `take` along a dimension; negative indices count from the end.
pub fn taken(cx: &Cx<'_>, x: &Expr, indices: &Expr, axis: usize) -> Res<Expr> {
    cx.call(&take::OP, &[x, indices], [("axis", (axis as i64).to_attr()), ("mode", "wrap".to_attr())])
}

fn reduction(args: &Args<'_>) -> Res<&'static str> {
    Ok(match args.text("reduction", "none")?.as_str() {
        "none" => "update",
        "add" => "add",
        "mul" => "mul",
        "min" => "min",
        "max" => "max",
        other => return Err(Refused(format!("the reduction \"{other}\" has no rule"))),
    })
}

/// An index that counts from the end where it is negative; others stay, those out of range too.
fn from_start(cx: &mut Cx<'_>, index: &Expr, extent: &scalar::Expr) -> Res<Expr> {
    let index = cx.astype(index, DataType::I64)?;
    let index = bound(cx, index)?;
    let below = cx.with_number(&tilewright_ops::binary::less::OP, &index, 0i64)?;
    let extent = cx.operand(&Value::int(extent.clone()), DataType::I64)?;
    cx.choose(&below, &cx.call(&add::OP, &[&index, &extent], [])?, &index)
}

/// A new dimension that holds the second value at the index, the first elsewhere.
fn one_hot(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (index, values) = (args.tensor(cx, 0)?, args.tensor(cx, 2)?);
    let depth = args.dims_at(cx, 1)?.first().cloned().ok_or_else(|| Refused::new("`depth` is empty"))?;
    let rank = cx.rank(&index)? + 1;
    let axis = cx.axis(args.int("axis", -1)?, rank)?;
    let index = from_start(cx, &index, &depth)?;
    let index = cx.call(&expand_dims::OP, &[&index], [("axis", vec![axis as i64].to_attr())])?;
    let all = cx.along_axis(&cx.arange(&depth)?, axis, rank)?;
    let hit = broadcast_call(cx, &equal::OP, index, all)?;
    let values = bound(cx, values)?;
    let (off, on) = (cx.select(&values, 0, &scalar::Expr::i64(0))?, cx.select(&values, 0, &scalar::Expr::i64(1))?);
    Ok(cx.choose(&hit, &on, &off)?.into())
}

/// The slices for which the condition holds; without a dimension, elements of the flattened tensor.
fn compress(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, condition) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
    let (x, axis) = match args.maybe_int("axis")? {
        Some(axis) => (x.clone(), cx.axis(axis, cx.rank(&x)?)?),
        None => (cx.flat(&x)?, 0),
    };
    if let Some(known) = args.input(1).known() {
        let kept = known.items.iter().enumerate().filter(|(_, item)| item.as_int() == Some(1));
        let kept: Vec<i64> = kept.map(|(at, _)| at as i64).collect();
        let kept = Expr::constant(Tensor::from_vec(&[kept.len() as i64], kept)?);
        return taken(cx, &x, &kept, axis).map(Val::from);
    }
    let found = cx.call(&nonzero::OP, &[&condition], [])?;
    let found = cx.match_cast(&found, vec![scalar::Expr::i64(1), new_size()])?;
    let found = cx.flat(&found)?;
    cx.call(&take::OP, &[&x, &found], [("axis", (axis as i64).to_attr())]).map(Val::from)
}

fn distinct(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.bound(cx, 0)?;
    let shape = cx.shape(&x)?;
    let axis = args.maybe_int("axis")?;
    let axis = axis.map(|axis| cx.axis(axis, shape.len())).transpose()?;
    let attrs = [
        ("sorted", args.flag("sorted", true)?.to_attr()),
        ("return_index", true.to_attr()),
        ("return_inverse", true.to_attr()),
        ("return_counts", true.to_attr()),
        ("axis", axis.map(|axis| axis as i64).to_attr()),
    ];
    let all = cx.fields(cx.call(&unique::OP, &[&x], attrs)?)?;
    let size = new_size();
    let mut outputs = Vec::new();
    for (at, field) in all.into_iter().enumerate() {
        let Value::Tensor(field) = field else { return Err(Refused::new("expected tensors")) };
        let dims = match (at, axis) {
            (0, None) | (1 | 3, _) => vec![size.clone()],
            (0, Some(axis)) => {
                let mut dims = shape.clone();
                dims[axis] = size.clone();
                dims
            }
            (_, None) => vec![cx.product(&shape)],
            (_, Some(axis)) => vec![shape[axis].clone()],
        };
        outputs.push(cx.match_cast(&field, dims)?.into());
    }
    Ok(Val::Outputs(outputs))
}

/// The first `length` elements of each sequence in the opposite order.
fn reverse_sequence(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, lengths) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
    let (batch, time) = (args.int("batch_axis", 1)?, args.int("time_axis", 0)?);
    if !matches!((batch, time), (0, 1) | (1, 0)) {
        return Err(Refused::new("a batch and a time that are not the first two dimensions have no rule"));
    }
    reversed(cx, &x, &lengths, time as usize).map(Val::from)
}

/// The elements along dimension `time`, 0 or 1, in the opposite order up to each sequence's length.
pub fn reversed(cx: &mut Cx<'_>, x: &Expr, lengths: &Expr, time: usize) -> Res<Expr> {
    let shape = cx.shape(x)?;
    if shape.len() < 2 {
        return Err(Refused::new("sequences have at least two dimensions"));
    }
    let steps = cx.along_axis(&cx.arange(&shape[time])?, time, 2)?;
    let lengths = cx.along_axis(&cx.astype(lengths, DataType::I64)?, 1 - time, 2)?;
    let one = cx.number(1i64, DataType::I64)?;
    let back = cx.call(&tilewright_ops::binary::subtract::OP, &[&lengths, &steps], [])?;
    let back = cx.call(&tilewright_ops::binary::subtract::OP, &[&back, &one], [])?;
    let back = bound(cx, back)?;
    let outside = cx.with_number(&tilewright_ops::binary::less::OP, &back, 0i64)?;
    let index = cx.choose(&outside, &steps, &back)?;
    let rank = shape.len();
    let index = cx.reshape(&index, [&shape[..2], &vec![scalar::Expr::i64(1); rank - 2]].concat())?;
    let index = cx.call(&broadcast_to::OP, &[&index, &Expr::shape(shape)], [])?;
    cx.call(&gather_elements::OP, &[x, &index], [("axis", (time as i64).to_attr())])
}

/// A cache with an update written from an index on, which `circular` wraps around.
fn tensor_scatter(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (cache, update) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
    let (rank, shape) = (cx.rank(&cache)?, cx.shape(&update)?);
    let axis = cx.axis(args.int("axis", -2)?, rank)?;
    if shape.len() != rank || rank == 0 {
        return Err(Refused(format!("an update of {} dimensions for a cache of {rank}", shape.len())));
    }
    let mut index = cx.along_axis(&cx.arange(&shape[axis])?, axis, rank)?;
    if let Some(first) = args.optional(cx, 2)? {
        let first = cx.along_axis(&cx.astype(&first, DataType::I64)?, 0, rank)?;
        index = broadcast_call(cx, &add::OP, index, first)?;
    }
    if args.text("mode", "linear")? == "circular" {
        let extent = cx.operand(&Value::int(cx.extent(&cache, axis)?), DataType::I64)?;
        index = cx.call(&floor_mod::OP, &[&index, &extent], [])?;
    }
    let index = cx.call(&broadcast_to::OP, &[&index, &Expr::shape(shape)], [])?;
    Ok(cx.call(&scatter_elements::OP, &[&cache, &index, &update], [("axis", (axis as i64).to_attr())])?.into())
}
