//! Boolean masks: `nonzero`, elements selected by a mask, masks as tensors of indices.
//!
//! The number of elements that a mask selects is known when the module runs: it is a symbolic dimension of its own, and
//! dimensions that must equal it are checked then.

use tilewright_expr as scalar;
use tilewright_expr::CmpOp;
use tilewright_ir::relax::Expr;
use tilewright_ops::indexed::take;
use tilewright_ops::manipulate::{broadcast_to, concat};
use tilewright_ops::set::nonzero;
use tilewright_ops::shapes::dims_text;
use tilewright_ops::statistical::cumsum;
use tilewright_tensor::DataType;

use super::super::rule::{Rule, rule};
use crate::common::{Args, Cx, Refused, Res, ToAttr, Value, new_size};

pub const RULES: &[Rule] = &[
    rule("nonzero", "input, as_tuple=False", nonzero),
    rule("argwhere", "input", nonzero),
    rule("masked_select", "input, mask", masked_select),
    rule("masked_scatter", "input, mask, source", masked_scatter),
];

/// Whether an index is a mask rather than a tensor of indices.
pub fn is_mask(cx: &Cx<'_>, index: &Expr) -> Res<bool> {
    Ok(matches!(cx.dtype(index)?, dtype if dtype.is_bool() || dtype == DataType::U8))
}

/// The indices of the elements that are not 0: a row for each, or a tensor for each dimension.
fn nonzero(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    if args.flag("as_tuple")? {
        return indices_by_dimension(cx, &x);
    }
    let found = nonzero_indices(cx, &x)?;
    cx.permute(&found, vec![1, 0]).map(Value::Tensor)
}

/// The indices of the elements that are not 0, a row for each dimension; their number is a new symbolic dimension.
fn nonzero_indices(cx: &mut Cx<'_>, x: &Expr) -> Res<Expr> {
    let rank = cx.rank(x)?.max(1) as i64;
    let found = cx.call(&nonzero::OP, &[x], [])?;
    cx.match_cast(&found, vec![scalar::Expr::i64(rank), new_size()])
}

/// The indices of the elements that are not 0, a tensor for each dimension.
pub fn indices_by_dimension(cx: &mut Cx<'_>, x: &Expr) -> Res {
    of_mask(cx, x).map(|rows| Value::List(rows.into_iter().map(Value::Tensor).collect()))
}

/// The indices at which a mask is true: a tensor for each of its dimensions.
fn of_mask(cx: &mut Cx<'_>, mask: &Expr) -> Res<Vec<Expr>> {
    let rank = cx.rank(mask)?.max(1) as i64;
    let found = nonzero_indices(cx, mask)?;
    (0..rank).map(|axis| row(cx, &found, axis)).collect()
}

fn row(cx: &Cx<'_>, x: &Expr, at: i64) -> Res<Expr> {
    cx.call(&take::OP, &[x, &cx.number(at, DataType::I64)?], [("axis", 0i64.to_attr())])
}

/// The mask with the shape of the first of these dimensions: proven, or checked when the module runs.
pub fn checked_mask(cx: &mut Cx<'_>, mask: &Expr, dims: &[scalar::Expr]) -> Res<Expr> {
    let own = cx.shape(mask)?;
    let Some(covered) = dims.get(..own.len()) else {
        return Err(Refused(format!("a mask of {} dimensions for {}", own.len(), dims.len())));
    };
    with_checked_shape(cx, mask, &own, covered, "a mask")
}

/// The tensor with this shape instead of its own: proven equal, or checked when the module runs.
pub fn with_checked_shape(
    cx: &mut Cx<'_>,
    x: &Expr,
    own: &[scalar::Expr],
    dims: &[scalar::Expr],
    what: &str,
) -> Res<Expr> {
    let analyzer = &cx.bb.infer_cx().analyzer;
    if own.iter().zip(dims).any(|(one, other)| analyzer.decide(CmpOp::Ne, one, other) == Some(true)) {
        return Err(Refused(format!("{what} of shape {} for {}", dims_text(own), dims_text(dims))));
    }
    match own.iter().zip(dims).all(|(one, other)| analyzer.prove_equal(one, other)) {
        true => Ok(x.clone()),
        false => cx.match_cast(x, dims.to_vec()),
    }
}

/// The elements for which the mask is true. It covers the first dimensions; the others are taken whole.
pub fn masked(cx: &mut Cx<'_>, x: &Expr, mask: &Expr) -> Res<Expr> {
    let (shape, covered) = (cx.shape(x)?, cx.rank(mask)?);
    let mask = checked_mask(cx, mask, &shape)?;
    let (covered, rest) = shape.split_at(covered);
    let all = cx.product(covered);
    let flat = cx.reshape(x, [std::slice::from_ref(&all), rest].concat())?;
    let mask = cx.reshape(&mask, vec![all])?;
    let found = nonzero_indices(cx, &mask)?;
    let found = row(cx, &found, 0)?;
    cx.call(&take::OP, &[&flat, &found], [("axis", 0i64.to_attr())])
}

/// The argument `mask`, which must have the data type bool.
fn mask_of(cx: &Cx<'_>, args: &Args) -> Res<Expr> {
    let mask = args.tensor("mask")?;
    match cx.dtype(&mask)? {
        dtype if dtype.is_bool() => Ok(mask),
        dtype => Err(Refused(format!("expected a mask of bool, found one of {dtype}"))),
    }
}

/// The elements for which the mask is true, after broadcasting both.
fn masked_select(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, mask) = (args.tensor("input")?, mask_of(cx, args)?);
    let wide = cx.choose(&mask, &x, &x)?;
    let wide = cx.emit(wide)?;
    let mask = cx.call(&broadcast_to::OP, &[&mask, &Expr::shape(cx.shape(&wide)?)], [])?;
    masked(cx, &wide, &mask).map(Value::Tensor)
}

/// The tensor with the first elements of the source, in their order, where the mask is true. The source is padded with
/// one element in front, for the elements before the first masked one. That it has enough elements is checked when the
/// module runs.
fn masked_scatter(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, source) = (args.tensor("input")?, args.tensor("source")?);
    let shape = cx.shape(&x)?;
    let mask = cx.call(&broadcast_to::OP, &[&mask_of(cx, args)?, &Expr::shape(shape.clone())], [])?;
    let mask = cx.emit(mask)?;
    let flat = cx.emit(cx.flat(&mask)?)?;
    let ones = cx.astype(&flat, DataType::I64)?;
    let number = cx.call(&cumsum::OP, &[&ones], [("axis", 0i64.to_attr())])?;
    let before = cx.reshape(&cx.number(0i64, cx.dtype(&source)?)?, vec![scalar::Expr::i64(1)])?;
    let wanted = nonzero_indices(cx, &flat)?;
    let wanted = cx.shape(&wanted)?.split_off(1);
    let source = cx.emit(cx.flat(&source)?)?;
    let first = match wanted.first() {
        Some(count) => cx.slice(&source, 0, &scalar::Expr::i64(0), count, 1)?,
        None => source,
    };
    let first = cx.match_cast(&first, wanted)?;
    let source = cx.call(&concat::OP, &[&Expr::tuple(vec![before, first])], [("axis", 0i64.to_attr())])?;
    let values = cx.call(&take::OP, &[&source, &number], [("axis", 0i64.to_attr())])?;
    cx.choose(&mask, &cx.reshape(&values, shape)?, &x).map(Value::Tensor)
}

/// The indices of a tensor with these dimensions, one for each, with tensors of indices instead of masks. `None` stands
/// for a dimension that is taken whole.
pub fn without_masks(cx: &mut Cx<'_>, dims: &[scalar::Expr], indices: &[Option<Expr>]) -> Res<Vec<Option<Expr>>> {
    let mut found = Vec::new();
    for index in indices {
        match index {
            Some(mask) if is_mask(cx, mask)? => {
                if cx.rank(mask)? == 0 {
                    return Err(Refused::new("a mask without dimensions has no rule together with other indices"));
                }
                let mask = checked_mask(cx, mask, dims.get(found.len()..).unwrap_or_default())?;
                found.extend(of_mask(cx, &mask)?.into_iter().map(Some));
            }
            other => found.push(other.clone()),
        }
    }
    broadcast_counts(cx, found)
}

/// Tensors of indices that broadcast together: if the last dimension of one is symbolic, that of each is equal to it,
/// or 1.
fn broadcast_counts(cx: &mut Cx<'_>, indices: Vec<Option<Expr>>) -> Res<Vec<Option<Expr>>> {
    let lasts = indices.iter().flatten().map(|index| Ok(cx.shape(index)?.last().cloned()));
    let lasts = lasts.collect::<Res<Vec<_>>>()?;
    let Some(count) = lasts.into_iter().flatten().find(|last| last.as_int().is_none()) else { return Ok(indices) };
    indices.into_iter().map(|index| index.map(|index| with_count(cx, index, &count)).transpose()).collect()
}

/// A tensor of indices whose last dimension is `count`, or 1.
fn with_count(cx: &mut Cx<'_>, index: Expr, count: &scalar::Expr) -> Res<Expr> {
    let own = cx.shape(&index)?;
    match own.split_last() {
        Some((last, before)) if last.as_int() != Some(1) => {
            let dims = [before, std::slice::from_ref(count)].concat();
            with_checked_shape(cx, &index, &own, &dims, "a tensor of indices")
        }
        _ => Ok(index),
    }
}
