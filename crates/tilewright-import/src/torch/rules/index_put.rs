//! `index_put` and its relatives: tensors in which some elements are replaced, or added to.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, multiply};
use tilewright_ops::indexed::index_put;
use tilewright_ops::manipulate::broadcast_to;
use tilewright_tensor::DataType;

use super::super::operands::binary;
use super::super::promotion::as_bool;
use super::super::rule::{Rule, change, rule};
use super::indexing::indexed;
use super::masks::{checked_mask, is_mask, with_checked_shape, without_masks};
use crate::common::{Args, Cx, Refused, Res, ToAttr, Value};

pub const RULES: &[Rule] = &[
    change("setitem", "input, index, value", set_item),
    rule("index_copy", "input, dim, index, source|tensor", |cx, args| along(cx, args, args.get("source"), false)),
    rule("index_fill", "input, dim, index, value", |cx, args| along(cx, args, args.get("value"), false)),
    rule("index_add", "input, dim, index, source, alpha=1", |cx, args| {
        let source = match args.get("alpha") {
            Value::Int(1) => args.get("source").clone(),
            alpha => binary(cx, &multiply::OP, args.get("source"), alpha)?,
        };
        along(cx, args, &source, true)
    }),
    rule("index_put _index_put_impl", "input, indices, values, accumulate=False, unsafe=False", index_put),
];

/// The linear index of each element, in the shape of the tensor.
pub fn linear_indices(cx: &mut Cx<'_>, x: &Expr) -> Res<Expr> {
    let shape = cx.shape(x)?;
    let indices = cx.reshape(&cx.arange(&cx.product(&shape))?, shape)?;
    cx.emit(indices)
}

/// The tensor with values for the elements at these linear indices, or with the values added there.
pub fn with_values(cx: &Cx<'_>, x: &Expr, indices: &Expr, values: &Expr, accumulate: bool) -> Res {
    let operands = [&cx.flat(x)?, &Expr::tuple(vec![cx.flat(indices)?]), &cx.flat(values)?];
    let put = cx.call(&index_put::OP, &operands, [("accumulate", accumulate.to_attr())])?;
    cx.reshape(&put, cx.shape(x)?).map(Value::Tensor)
}

/// `input[index] = value`: the same index applied to the linear indices of the elements says where the values go.
fn set_item(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    let (dtype, linear) = (cx.dtype(&x)?, linear_indices(cx, &x)?);
    let indices = match args.get("index") {
        Value::List(items) => items.clone(),
        one => vec![one.clone()],
    };
    let Value::Tensor(targets) = indexed(cx, &linear, indices)? else {
        return Err(Refused::new("expected indices of a tensor"));
    };
    let (targets, mut values) = (cx.emit(targets)?, cx.operand(args.get("value"), dtype)?);
    let own = cx.shape(&values)?;
    let more = own.len().saturating_sub(cx.rank(&targets)?);
    if more > 0 {
        if own[..more].iter().any(|dim| dim.as_int() != Some(1)) {
            return Err(Refused::new("there are more values than indexed elements"));
        }
        values = cx.reshape(&values, own[more..].to_vec())?;
    }
    let [targets, values] = cx.broadcastable([targets, values])?;
    let values = cx.call(&broadcast_to::OP, &[&values, &Expr::shape(cx.shape(&targets)?)], [])?;
    with_values(cx, &x, &targets, &values, false)
}

/// The tensor with values at indices along a dimension, or with the values added there.
fn along(cx: &mut Cx<'_>, args: &Args, values: &Value, accumulate: bool) -> Res {
    let x = args.tensor("input")?;
    let shape = cx.shape(&x)?;
    if shape.is_empty() {
        return Err(Refused::new("a tensor without dimensions has none to index along"));
    }
    let axis = cx.axis(args.int("dim")?, shape.len())?;
    let index = cx.flat(&cx.astype(&args.tensor("index")?, DataType::I64)?)?;
    let mut values = cx.operand(values, cx.dtype(&x)?)?;
    if cx.rank(&values)? == shape.len() {
        values = cx.permute_to_front(&values, &[axis])?;
    }
    let operands = [&cx.permute_to_front(&x, &[axis])?, &Expr::tuple(vec![index]), &values];
    let put = cx.call(&index_put::OP, &operands, [("accumulate", accumulate.to_attr())])?;
    // The first dimension moves back to `axis`.
    let order = (1..=axis).chain([0]).chain(axis + 1..shape.len()).map(|at| at as i64).collect();
    cx.permute(&put, order).map(Value::Tensor)
}

/// The tensor with values at the elements that tensors of indices or masks select.
fn index_put(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, Value::List(items)) = (args.tensor("input")?, args.get("indices")) else {
        return Err(Refused::new("expected a list of indices"));
    };
    let (values, accumulate) = (cx.operand(args.get("values"), cx.dtype(&x)?)?, args.flag("accumulate")?);
    let indices: Vec<Option<Expr>> = items.iter().map(|item| item.tensor().cloned()).collect();
    if let Some(found) = by_one_mask(cx, &x, &indices, &values, accumulate)? {
        return Ok(Value::Tensor(found));
    }
    let indices = without_masks(cx, &cx.shape(&x)?, &indices)?;
    let at: Vec<usize> = (0..indices.len()).filter(|at| indices[*at].is_some()).collect();
    let (Some(first), Some(last)) = (at.first(), at.last()) else { return Err(Refused::new("expected indices")) };
    let given = indices.iter().flatten().map(|index| cx.astype(index, DataType::I64)).collect::<Res<Vec<_>>>()?;
    let indexed = broadcast_shape_of(cx, &given)?;
    // The operator indexes the first dimensions: others move after them. So do those of the values if the indexed
    // dimensions are adjacent; otherwise the indexed dimensions are first already.
    let before = if last - first + 1 == at.len() { *first } else { 0 };
    let moved = cx.permute_to_front(&x, &at)?;
    let values = indices_first(cx, &values, &indexed, before, cx.rank(&x)? - at.len())?;
    let put =
        cx.call(&index_put::OP, &[&moved, &Expr::tuple(given), &values], [("accumulate", accumulate.to_attr())])?;
    let rank = cx.rank(&x)?;
    let others = (0..rank).filter(|axis| !at.contains(axis));
    let order: Vec<usize> = at.iter().copied().chain(others).collect();
    let mut back = vec![0; rank];
    for (at, axis) in order.into_iter().enumerate() {
        back[axis] = at as i64;
    }
    cx.permute(&put, back).map(Value::Tensor)
}

/// The shape to which tensors of indices broadcast.
fn broadcast_shape_of(cx: &Cx<'_>, indices: &[Expr]) -> Res<Vec<scalar::Expr>> {
    let Some((first, others)) = indices.split_first() else { return Ok(Vec::new()) };
    let mut all = first.clone();
    for index in others {
        all = cx.call(&add::OP, &[&all, index], [])?;
    }
    cx.shape(&all)
}

/// The values with the `indexed` dimensions first, which are after `before` of the `rest` others. A symbolic dimension
/// of `indexed` is one of the values, too.
fn indices_first(cx: &mut Cx<'_>, values: &Expr, indexed: &[scalar::Expr], before: usize, rest: usize) -> Res<Expr> {
    let own = cx.shape(values)?;
    let after = rest.saturating_sub(before);
    if own.len() <= after {
        return Ok(values.clone());
    }
    let whole = indexed.len() + rest;
    let missing =
        whole.checked_sub(own.len()).ok_or_else(|| Refused::new("there are more values than indexed elements"))?;
    let lifted = [&vec![scalar::Expr::i64(1); missing][..], &own].concat();
    let mut dims = lifted.clone();
    for (dim, count) in dims[before..].iter_mut().zip(indexed) {
        if dim.as_int() != Some(1) && count.as_int().is_none() {
            *dim = count.clone();
        }
    }
    let values = cx.reshape(values, lifted.clone())?;
    let values = with_checked_shape(cx, &values, &lifted, &dims, "values")?;
    cx.permute_to_front(&values, &(before..before + indexed.len()).collect::<Vec<_>>())
}

/// `where(mask, values, x)`, if the only index is one mask, and the values are the same for all elements that it
/// selects; otherwise `None`.
fn by_one_mask(
    cx: &mut Cx<'_>,
    x: &Expr,
    indices: &[Option<Expr>],
    values: &Expr,
    accumulate: bool,
) -> Res<Option<Expr>> {
    let Some(at) = indices.iter().position(Option::is_some) else { return Ok(None) };
    let (Some(mask), true) = (&indices[at], indices[at + 1..].iter().all(Option::is_none)) else { return Ok(None) };
    if !is_mask(cx, mask)? {
        return Ok(None);
    }
    let shape = cx.shape(x)?;
    let mask = checked_mask(cx, mask, &shape[at.min(shape.len())..])?;
    let covered = cx.shape(&mask)?;
    let after = shape.len().saturating_sub(at + covered.len());
    let own = cx.shape(values)?;
    // Dimensions of the values before those that the mask does not cover belong to the selected elements.
    let leading = own.len().saturating_sub(after);
    if !own[..leading].iter().all(|dim| dim.as_int() == Some(1)) {
        return Ok(None);
    }
    let values = if leading == 0 { values.clone() } else { cx.reshape(values, own[leading..].to_vec())? };
    let mask = as_bool(cx, &mask)?;
    let mask = cx.reshape(&mask, [&covered[..], &vec![scalar::Expr::i64(1); after]].concat())?;
    let values = if accumulate { cx.call(&add::OP, &[x, &values], [])? } else { values };
    cx.choose(&mask, &values, x).map(Some)
}
