//! Indexing in brackets: numbers, slices, masks and tensors of indices; `select`, `narrow`, `index`.

use tilewright_expr as scalar;
use tilewright_ir::relax::{Expr, StructInfo};
use tilewright_ops::binary::{add, floor_mod, multiply};
use tilewright_ops::indexed::take;
use tilewright_ops::manipulate::expand_dims;
use tilewright_tensor::DataType;

use super::super::operands::binary;
use super::super::rule::{Rule, rule, view};
use super::gather_scatter::taken;
use super::masks::{is_mask, masked, without_masks};
use crate::common::{Args, Cx, Refused, Res, ToAttr, Value};

pub const RULES: &[Rule] = &[
    view("getitem", "input, index", getitem),
    view("getattr", "input, name", getattr),
    view("select select_copy", "input, dim, index", select),
    view("slice slice_copy", "input, dim=0, start=None, end=None, step=1", aten_slice),
    view("narrow narrow_copy", "input, dim, start, length", narrow),
    rule("index", "input, indices", index),
];

/// An attribute of a tensor.
fn getattr(cx: &mut Cx<'_>, args: &Args) -> Res {
    if let Value::List(results) = args.get("input") {
        return result_of(results, args.text("name")?);
    }
    let x = args.tensor("input")?;
    match args.text("name")? {
        "shape" => Ok(Value::ints(&cx.shape(&x)?)),
        "ndim" => Ok(Value::Int(cx.rank(&x)? as i64)),
        "dtype" => Ok(Value::DType(cx.dtype(&x)?)),
        "device" => Ok(Value::Opaque("device".to_owned())),
        "is_cuda" | "requires_grad" => Ok(Value::Bool(false)),
        "data" => Ok(Value::Tensor(x)),
        "T" | "mT" => {
            let rank = cx.rank(&x)? as i64;
            let axes = if args.text("name")? == "T" { (0..rank).rev().collect() } else { matrix_axes(rank) };
            cx.permute(&x, axes).map(Value::Tensor)
        }
        other => Err(Refused(format!("the attribute `{other}` of a tensor has no rule"))),
    }
}

/// One of several results by its name: extremes and sorted elements have `values` and their `indices`.
fn result_of(results: &[Value], name: &str) -> Res {
    let at = match name {
        "values" => 0,
        "indices" => 1,
        other => return Err(Refused(format!("the attribute `{other}` of several results has no rule"))),
    };
    results.get(at).cloned().ok_or_else(|| Refused(format!("there are no `{name}`")))
}

fn matrix_axes(rank: i64) -> Vec<i64> {
    (0..rank)
        .map(|axis| {
            if axis == rank - 1 {
                rank - 2
            } else if axis == rank - 2 {
                rank - 1
            } else {
                axis
            }
        })
        .collect()
}

/// An item or a slice of a list, with the semantics of Python.
fn item(items: &[Value], index: &Value) -> Res {
    match index {
        Value::Int(at) => {
            let from_start = if *at < 0 { *at + items.len() as i64 } else { *at };
            let found = usize::try_from(from_start).ok().and_then(|at| items.get(at));
            found.cloned().ok_or_else(|| Refused(format!("a list of {} has no item {at}", items.len())))
        }
        Value::Slice(parts) => {
            let [start, stop, step] = &**parts;
            let bound = |value: &Value, default: i64| match value {
                Value::None => Ok(default),
                Value::Int(at) => {
                    Ok((if *at < 0 { *at + items.len() as i64 } else { *at }).clamp(0, items.len() as i64))
                }
                other => Err(Refused(format!("a list is cut at integers, found {}", other.in_words()))),
            };
            let step = if let Value::Int(step) = step { *step } else { 1 };
            let (start, stop) = (bound(start, 0)?, bound(stop, items.len() as i64)?);
            if step < 1 {
                return Err(Refused::new("lists are cut in steps of 1 or more"));
            }
            let range = (start..stop).step_by(step as usize);
            Ok(Value::List(range.filter_map(|at| items.get(at as usize).cloned()).collect()))
        }
        other => Err(Refused(format!("{} is no index of a list", other.in_words()))),
    }
}

/// An index is recorded as a list of one entry per dimension, or as the entry if there is one.
fn getitem(cx: &mut Cx<'_>, args: &Args) -> Res {
    match args.get("input") {
        Value::List(items) => item(items, args.get("index")),
        Value::Tensor(x) if matches!(x.struct_info, StructInfo::Tuple(_)) => match args.get("index") {
            Value::Int(at) if *at >= 0 => Ok(Value::Tensor(Expr::tuple_get(x.clone(), *at as usize)?)),
            other => Err(Refused(format!("{} is no field of a tuple", other.in_words()))),
        },
        Value::Tensor(x) => {
            let indices = match args.get("index") {
                Value::List(items) => items.clone(),
                one => vec![one.clone()],
            };
            indexed(cx, x, indices)
        }
        other => Err(Refused(format!("{} has no items", other.in_words()))),
    }
}

/// A list inside the brackets, as a tensor of indices or of bools.
fn listed(items: &[Value]) -> Res<Expr> {
    let (mut shape, mut flat) = (Vec::new(), Vec::new());
    flattened(items, 0, &mut shape, &mut flat)?;
    let bools = flat.iter().map(|item| if let Value::Bool(value) = item { Some(*value) } else { None });
    if let Some(bools) = bools.collect::<Option<Vec<bool>>>().filter(|bools| !bools.is_empty()) {
        return Ok(Expr::constant(tilewright_tensor::Tensor::from_vec(&shape, bools)?));
    }
    let ints = flat.iter().map(|item| match item {
        Value::Int(value) => Ok(*value),
        other => Err(Refused(format!("{} is no index", other.in_words()))),
    });
    Ok(Expr::constant(tilewright_tensor::Tensor::from_vec(&shape, ints.collect::<Res<Vec<i64>>>()?)?))
}

/// The items of lists in lists, in order, and the shape that the lists have.
fn flattened<'a>(items: &'a [Value], depth: usize, shape: &mut Vec<i64>, flat: &mut Vec<&'a Value>) -> Res<()> {
    let size = items.len() as i64;
    match shape.get(depth) {
        None if depth == shape.len() && flat.is_empty() => shape.push(size),
        Some(own) if *own == size => {}
        _ => return Err(Refused::new("lists of different lengths are no tensor of indices")),
    }
    for item in items {
        match item {
            Value::List(inner) => flattened(inner, depth + 1, shape, flat)?,
            item if depth + 1 == shape.len() => flat.push(item),
            _ => return Err(Refused::new("lists and numbers together are no tensor of indices")),
        }
    }
    Ok(())
}

/// `x[indices]`: first slices and single indices of each dimension, then the tensors of indices.
pub fn indexed(cx: &mut Cx<'_>, x: &Expr, mut indices: Vec<Value>) -> Res {
    for index in &mut indices {
        if let Value::List(items) = index {
            *index = Value::Tensor(listed(items)?);
        }
    }
    if let [Value::Tensor(mask)] = indices.as_slice()
        && is_mask(cx, mask)?
    {
        return masked(cx, x, mask).map(Value::Tensor);
    }
    let rank = cx.rank(x)?;
    let used = indices.iter().map(|index| covered(cx, index)).sum::<Res<usize>>()?;
    let rest = rank.checked_sub(used).ok_or_else(|| Refused(format!("{used} indices for {rank} dimensions")))?;
    let mut found = x.clone();
    let mut tensors: Vec<Option<Expr>> = Vec::new();
    let (mut axis, mut ellipsis) = (0, false);
    for index in indices {
        // Dimensions before `axis` have their final number.
        match index {
            Value::Ellipsis if ellipsis => return Err(Refused::new("an index has one ellipsis at most")),
            Value::Ellipsis => {
                ellipsis = true;
                axis += rest;
                tensors.extend(std::iter::repeat_n(None, rest));
            }
            Value::None | Value::Bool(true) => {
                found = cx.call(&expand_dims::OP, &[&found], [("axis", vec![axis as i64].to_attr())])?;
                axis += 1;
                tensors.push(None);
            }
            Value::Slice(parts) => {
                found = sliced(cx, &found, axis, &parts)?;
                axis += 1;
                tensors.push(None);
            }
            Value::Tensor(_) => {
                axis += covered(cx, &index)?;
                tensors.push(index.tensor().cloned());
            }
            Value::Bool(false) => return Err(Refused::new("the index `False`, which selects nothing, has no rule")),
            one => match one.as_scalar() {
                Some(at) => found = cx.select(&found, axis, &at)?,
                None => return Err(Refused(format!("{} is no index", one.in_words()))),
            },
        }
    }
    let dims = cx.shape(&found)?;
    let tensors = without_masks(cx, &dims, &tensors)?;
    by_tensors(cx, &found, &tensors).map(Value::Tensor)
}

/// How many dimensions an index stands for.
fn covered(cx: &Cx<'_>, index: &Value) -> Res<usize> {
    match index {
        Value::None | Value::Ellipsis | Value::Bool(_) => Ok(0),
        Value::Tensor(index) if is_mask(cx, index)? => cx.rank(index),
        _ => Ok(1),
    }
}

pub fn sliced(cx: &mut Cx<'_>, x: &Expr, axis: usize, [start, stop, step]: &[Value; 3]) -> Res<Expr> {
    let step = match step {
        Value::None => 1,
        Value::Int(step) if *step > 0 => *step,
        other => return Err(Refused(format!("a tensor is cut in steps of 1 or more, found {}", other.in_words()))),
    };
    let extent =
        cx.shape(x)?.get(axis).cloned().ok_or_else(|| Refused::new("there are more indices than dimensions"))?;
    let bound = |value: &Value, default: scalar::Expr| match value {
        Value::None => Ok(default),
        value => value.as_scalar().ok_or_else(|| Refused(format!("{} is no index", value.in_words()))),
    };
    let (start, stop) = (bound(start, scalar::Expr::i64(0))?, bound(stop, extent.clone())?);
    let whole = start.as_int() == Some(0) && step == 1;
    if whole && (cx.bb.infer_cx().analyzer.prove_equal(&stop, &extent) || stop.as_int() == Some(i64::MAX)) {
        return Ok(x.clone());
    }
    cx.slice(x, axis, &start, &stop, step)
}

/// The elements at tensors of indices. One tensor indexes its dimension; several of adjacent dimensions broadcast, and
/// index together.
fn by_tensors(cx: &mut Cx<'_>, x: &Expr, tensors: &[Option<Expr>]) -> Res<Expr> {
    let at: Vec<usize> = tensors.iter().enumerate().filter(|(_, index)| index.is_some()).map(|(at, _)| at).collect();
    let given: Vec<Expr> = tensors.iter().flatten().cloned().collect();
    let (Some(first), Some(last)) = (at.first(), at.last()) else { return Ok(x.clone()) };
    if let [one] = given.as_slice() {
        return taken(cx, x, *first, one);
    }
    if last - first + 1 != at.len() {
        // With dimensions between them, the indexed dimensions come first.
        let moved = cx.permute_to_front(x, &at)?;
        return by_tensors(cx, &moved, &given.into_iter().map(Some).collect::<Vec<_>>());
    }
    // Linear indices of the flattened dimensions.
    let shape = cx.shape(x)?;
    let mut joined: Option<Value> = None;
    for (axis, index) in at.iter().zip(&given) {
        let index = Value::Tensor(wrapped(cx, index, &shape[*axis])?);
        joined = Some(match joined {
            None => index,
            Some(before) => {
                let rows = binary(cx, &multiply::OP, &before, &Value::int(shape[*axis].clone()))?;
                binary(cx, &add::OP, &rows, &index)?
            }
        });
    }
    let Some(Value::Tensor(joined)) = joined else { return Err(Refused::new("expected tensors of indices")) };
    let flat = [&shape[..*first], &[cx.product(&shape[*first..=*last])], &shape[last + 1..]].concat();
    let flat = cx.reshape(x, flat)?;
    cx.call(&take::OP, &[&flat, &joined], [("axis", (*first as i64).to_attr())])
}

/// Indices with negative ones, which count from the end, made positive.
fn wrapped(cx: &Cx<'_>, index: &Expr, extent: &scalar::Expr) -> Res<Expr> {
    let index = cx.astype(index, DataType::I64)?;
    let extent = cx.operand(&Value::int(extent.clone()), DataType::I64)?;
    cx.call(&floor_mod::OP, &[&index, &extent], [])
}

fn select(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    let axis = cx.axis(args.int("dim")?, cx.rank(&x)?)?;
    cx.select(&x, axis, &args.dim("index")?).map(Value::Tensor)
}

fn aten_slice(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    let axis = cx.axis(args.int("dim")?, cx.rank(&x)?)?;
    let parts = [args.get("start").clone(), args.get("end").clone(), args.get("step").clone()];
    sliced(cx, &x, axis, &parts).map(Value::Tensor)
}

fn narrow(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    let axis = cx.axis(args.int("dim")?, cx.rank(&x)?)?;
    let start = args.dim("start")?;
    let end = cx.simplified(&(&start + &args.dim("length")?));
    cx.slice(&x, axis, &start, &end, 1).map(Value::Tensor)
}

fn index(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, Value::List(items)) = (args.tensor("input")?, args.get("indices")) else {
        return Err(Refused::new("expected a list of indices"));
    };
    let whole = || Value::Slice(Box::new([Value::None, Value::None, Value::None]));
    let indices = items.iter().map(|item| if matches!(item, Value::None) { whole() } else { item.clone() });
    indexed(cx, &x, indices.collect())
}
