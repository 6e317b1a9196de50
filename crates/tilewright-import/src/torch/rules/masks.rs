//! Places that data name: elements that are not 0, those that a mask picks, and values put in places.
//!
//! How many places a mask picks is known when the module runs: it is a symbolic dimension of its own, and what has to
//! go along with it is checked then.

use tilewright_expr as scalar;
use tilewright_expr::CmpOp;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::add;
use tilewright_ops::indexed::{index_put, take};
use tilewright_ops::manipulate::{broadcast_to, concat};
use tilewright_ops::set::nonzero;
use tilewright_ops::shapes::dims_text;
use tilewright_ops::statistical::cumsum;
use tilewright_tensor::DataType;

use super::super::promotion::as_bool;
use super::super::rule::{Rule, rule};
use crate::common::{Args, Cx, Refused, Res, ToAttr, Value, new_size};

pub const RULES: &[Rule] = &[
    rule("nonzero", "input, as_tuple=False", nonzero),
    rule("argwhere", "input", nonzero),
    rule("masked_select", "input, mask", masked_select),
    rule("masked_scatter", "input, mask, source", masked_scatter),
    rule("index_put _index_put_impl", "input, indices, values, accumulate=False, unsafe=False", index_put),
];

/// Whether a tensor in brackets says for each element if it is meant.
pub fn is_mask(cx: &Cx<'_>, index: &Expr) -> Res<bool> {
    Ok(matches!(cx.dtype(index)?, dtype if dtype.is_bool() || dtype == DataType::U8))
}

/// The indices of the elements that are not 0: a row for each, or a tensor for each dimension.
fn nonzero(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    if args.flag("as_tuple")? {
        return place_of_each(cx, &x);
    }
    let found = places(cx, &x)?;
    cx.permute(&found, vec![1, 0]).map(Value::Tensor)
}

/// The indices of the elements that are not 0, a row for each dimension; how many there are has a name of its own.
fn places(cx: &mut Cx<'_>, x: &Expr) -> Res<Expr> {
    let rank = cx.rank(x)?.max(1) as i64;
    let found = cx.call(&nonzero::OP, &[x], [])?;
    cx.match_cast(&found, vec![scalar::Expr::i64(rank), new_size()])
}

/// The indices of the elements that are not 0, a tensor for each dimension.
pub fn place_of_each(cx: &mut Cx<'_>, x: &Expr) -> Res {
    of_mask(cx, x).map(|rows| Value::List(rows.into_iter().map(Value::Tensor).collect()))
}

/// The places where a mask holds, as a tensor of indices for each of its dimensions.
fn of_mask(cx: &mut Cx<'_>, mask: &Expr) -> Res<Vec<Expr>> {
    let rank = cx.rank(mask)?.max(1) as i64;
    let found = places(cx, mask)?;
    (0..rank).map(|axis| row(cx, &found, axis)).collect()
}

fn row(cx: &Cx<'_>, x: &Expr, at: i64) -> Res<Expr> {
    cx.call(&take::OP, &[x, &cx.number(at, DataType::I64)?], [("axis", 0i64.to_attr())])
}

/// The mask, of the shape of the first of the dimensions: known to be, or checked when the module runs.
fn fitted(cx: &mut Cx<'_>, mask: &Expr, dims: &[scalar::Expr]) -> Res<Expr> {
    let own = cx.shape(mask)?;
    let Some(covered) = dims.get(..own.len()) else {
        return Err(Refused(format!("a mask of {} dimensions for {}", own.len(), dims.len())));
    };
    matching(cx, mask, &own, covered, "a mask")
}

/// The tensor with these dimensions in the place of its own: known to be the same, or checked when the module runs.
fn matching(cx: &mut Cx<'_>, x: &Expr, own: &[scalar::Expr], dims: &[scalar::Expr], what: &str) -> Res<Expr> {
    let analyzer = &cx.bb.infer_cx().analyzer;
    if own.iter().zip(dims).any(|(one, other)| analyzer.decide(CmpOp::Ne, one, other) == Some(true)) {
        return Err(Refused(format!("{what} of shape {} for {}", dims_text(own), dims_text(dims))));
    }
    match own.iter().zip(dims).all(|(one, other)| analyzer.prove_equal(one, other)) {
        true => Ok(x.clone()),
        false => cx.match_cast(x, dims.to_vec()),
    }
}

/// The elements for which the mask holds. It covers the first dimensions; of the others all elements are taken.
pub fn masked(cx: &mut Cx<'_>, x: &Expr, mask: &Expr) -> Res<Expr> {
    let (shape, covered) = (cx.shape(x)?, cx.rank(mask)?);
    let mask = fitted(cx, mask, &shape)?;
    let (covered, rest) = shape.split_at(covered);
    let all = cx.product(covered);
    let flat = cx.reshape(x, [std::slice::from_ref(&all), rest].concat())?;
    let mask = cx.reshape(&mask, vec![all])?;
    let found = places(cx, &mask)?;
    let found = row(cx, &found, 0)?;
    cx.call(&take::OP, &[&flat, &found], [("axis", 0i64.to_attr())])
}

/// The argument `mask`, which is of truth values alone.
fn mask_of(cx: &Cx<'_>, args: &Args) -> Res<Expr> {
    let mask = args.tensor("mask")?;
    match cx.dtype(&mask)? {
        dtype if dtype.is_bool() => Ok(mask),
        dtype => Err(Refused(format!("a mask of bool is needed, this is one of {dtype}"))),
    }
}

/// The elements for which the mask holds, where each is made as wide as the other.
fn masked_select(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, mask) = (args.tensor("input")?, mask_of(cx, args)?);
    let wide = cx.choose(&mask, &x, &x)?;
    let wide = cx.emit(wide)?;
    let mask = cx.call(&broadcast_to::OP, &[&mask, &Expr::shape(cx.shape(&wide)?)], [])?;
    masked(cx, &wide, &mask).map(Value::Tensor)
}

/// The tensor with the first elements of the source, in their order, where the mask holds. Elements before the first of
/// them take what stands before the source, which so may be empty. That there are enough of them is checked when the
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
    let wanted = places(cx, &flat)?;
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

/// The indices of a tensor with these dimensions, one for each, with tensors of indices in the place of masks. `None`
/// stands for a dimension that is taken whole.
pub fn without_masks(cx: &mut Cx<'_>, dims: &[scalar::Expr], indices: &[Option<Expr>]) -> Res<Vec<Option<Expr>>> {
    let mut found = Vec::new();
    for index in indices {
        match index {
            Some(mask) if is_mask(cx, mask)? => {
                if cx.rank(mask)? == 0 {
                    return Err(Refused::new("a mask without dimensions has no rule beside other indices"));
                }
                let mask = fitted(cx, mask, dims.get(found.len()..).unwrap_or_default())?;
                found.extend(of_mask(cx, &mask)?.into_iter().map(Some));
            }
            other => found.push(other.clone()),
        }
    }
    side_by_side(cx, found)
}

/// Tensors of indices that pick together: where the last dimension of one is not a constant, that of each is the same,
/// or 1.
fn side_by_side(cx: &mut Cx<'_>, indices: Vec<Option<Expr>>) -> Res<Vec<Option<Expr>>> {
    let lasts = indices.iter().flatten().map(|index| Ok(cx.shape(index)?.last().cloned()));
    let lasts = lasts.collect::<Res<Vec<_>>>()?;
    let Some(count) = lasts.into_iter().flatten().find(|last| last.as_int().is_none()) else { return Ok(indices) };
    indices.into_iter().map(|index| index.map(|index| beside(cx, index, &count)).transpose()).collect()
}

/// A tensor of indices beside others, of which there are `count`: one for each of them, or one for all.
fn beside(cx: &mut Cx<'_>, index: Expr, count: &scalar::Expr) -> Res<Expr> {
    let own = cx.shape(&index)?;
    match own.split_last() {
        Some((last, before)) if last.as_int() != Some(1) => {
            let dims = [before, std::slice::from_ref(count)].concat();
            matching(cx, &index, &own, &dims, "a tensor of indices")
        }
        _ => Ok(index),
    }
}

/// The tensor with values in the places that tensors of indices or masks name.
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
    let places = of_all(cx, &given)?;
    // The operator names places in the first dimensions: those before them go behind. So do the values' where the
    // indices stand side by side; else the places are first there already.
    let before = if last - first + 1 == at.len() { *first } else { 0 };
    let moved = cx.permute_to_front(&x, &at)?;
    let values = in_order(cx, &values, &places, before, cx.rank(&x)? - at.len())?;
    let put =
        cx.call(&index_put::OP, &[&moved, &Expr::tuple(given), &values], [("accumulate", accumulate.to_attr())])?;
    let rank = cx.rank(&x)?;
    let others = (0..rank).filter(|axis| !at.contains(axis));
    let order: Vec<usize> = at.iter().copied().chain(others).collect();
    let mut back = vec![0; rank];
    for (place, axis) in order.into_iter().enumerate() {
        back[axis] = place as i64;
    }
    cx.permute(&put, back).map(Value::Tensor)
}

/// The dimensions of tensors of indices together.
fn of_all(cx: &Cx<'_>, indices: &[Expr]) -> Res<Vec<scalar::Expr>> {
    let Some((first, others)) = indices.split_first() else { return Ok(Vec::new()) };
    let mut all = first.clone();
    for index in others {
        all = cx.call(&add::OP, &[&all, index], [])?;
    }
    cx.shape(&all)
}

/// The values with the places' dimensions first, which stand behind `before` of the `rest` others. A dimension of the
/// places that is counted when the module runs is the values' too.
fn in_order(cx: &mut Cx<'_>, values: &Expr, places: &[scalar::Expr], before: usize, rest: usize) -> Res<Expr> {
    let own = cx.shape(values)?;
    let behind = rest.saturating_sub(before);
    if own.len() <= behind {
        return Ok(values.clone());
    }
    let whole = places.len() + rest;
    let missing = whole.checked_sub(own.len()).ok_or_else(|| Refused::new("there are more values than places"))?;
    let lifted = [&vec![scalar::Expr::i64(1); missing][..], &own].concat();
    let mut dims = lifted.clone();
    for (dim, place) in dims[before..].iter_mut().zip(places) {
        if dim.as_int() != Some(1) && place.as_int().is_none() {
            *dim = place.clone();
        }
    }
    let values = cx.reshape(values, lifted.clone())?;
    let values = matching(cx, &values, &lifted, &dims, "values")?;
    cx.permute_to_front(&values, &(before..before + places.len()).collect::<Vec<_>>())
}

/// Values where one mask holds that are the same for all its places: a choice between them and the elements. Nothing
/// where there are other indices, or values for each place.
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
    let mask = fitted(cx, mask, &shape[at.min(shape.len())..])?;
    let covered = cx.shape(&mask)?;
    let behind = shape.len().saturating_sub(at + covered.len());
    let own = cx.shape(values)?;
    // The values' dimensions before those that no mask covers are the places', of which there is one.
    let leading = own.len().saturating_sub(behind);
    if !own[..leading].iter().all(|dim| dim.as_int() == Some(1)) {
        return Ok(None);
    }
    let values = if leading == 0 { values.clone() } else { cx.reshape(values, own[leading..].to_vec())? };
    let mask = as_bool(cx, &mask)?;
    let mask = cx.reshape(&mask, [&covered[..], &vec![scalar::Expr::i64(1); behind]].concat())?;
    let values = if accumulate { cx.call(&add::OP, &[x, &values], [])? } else { values };
    cx.choose(&mask, &values, x).map(Some)
}
