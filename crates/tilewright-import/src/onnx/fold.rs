//! Operators over values that are known when the model is imported: sizes, and what exporters compute of them.
//!
//! Where an operator or its operands have no evaluation here, nothing is said, and its rule makes IR of it.

use std::rc::Rc;

use tilewright_expr as scalar;
use tilewright_tensor::DataType;

use super::rule::Args;
use super::rules::shape::equal_sizes;
use super::tensors::dtype_of;
use super::values::{Known, MAX_KNOWN, Val, combined, float_of, is_constant, of_one, unflattened};
use crate::common::Cx;

/// The value of a node whose operands are known.
pub fn folded(cx: &Cx<'_>, args: &Args<'_>) -> Option<Val> {
    match args.op {
        "Shape" => return shape(cx, args),
        "Size" => {
            let count = cx.product(&dims_of(cx, args.input(0))?);
            return Some(Known::scalar(count).into());
        }
        "ConstantOfShape" | "Constant" => return None,
        _ => {}
    }
    let inputs: Vec<Option<Rc<Known>>> = args.inputs.iter().map(Val::known).collect();
    let given = args.inputs.iter().zip(&inputs);
    if inputs.is_empty() || given.clone().any(|(input, known)| known.is_none() && !matches!(input, Val::Absent)) {
        return None;
    }
    // A constant that is no part of a computation of sizes is left to the passes.
    let is_size = |known: &Rc<Known>| !known.dtype.is_float() || known.items.len() <= 1;
    if !inputs.iter().flatten().all(is_size) && !matches!(args.op, "Gather" | "Cast" | "Squeeze" | "Unsqueeze") {
        let moves = matches!(args.op, "Concat" | "Slice" | "Reshape" | "Mul" | "Floor" | "Ceil" | "Div");
        if !moves || inputs.iter().flatten().any(|known| known.items.len() > 8) {
            return None;
        }
    }
    let first = inputs.first()?.clone()?;
    let x = &*first;
    let at = |at: usize| inputs.get(at).cloned().flatten();
    let found = match args.op {
        "Add" | "Sub" | "Mul" | "Div" | "Mod" | "Pow" | "Equal" | "Less" | "LessOrEqual" | "Greater"
        | "GreaterOrEqual" | "And" | "Or" | "Xor" | "Min" | "Max"
            if inputs.len() == 2 =>
        {
            if args.int("fmod", 0).ok()? != 0 || args.has_attribute("broadcast") || args.has_attribute("axis") {
                return None;
            }
            combined(cx, args.op, x, &*at(1)?)?
        }
        "Not" | "Neg" | "Abs" | "Floor" | "Ceil" | "Round" | "Sqrt" | "Reciprocal" | "Relu" => {
            let items = x.items.iter().map(|item| of_one(args.op, item)).collect::<Option<_>>()?;
            Known::new(x.dtype, x.dims.clone(), items)
        }
        "Identity" => x.clone(),
        "Cast" => cast(x, dtype_of(args.int("to", 0).ok()?).ok()?)?,
        "Gather" => gather(x, &*at(1)?, args.int("axis", 0).ok()?)?,
        "Concat" => {
            let parts = inputs.iter().cloned().collect::<Option<Vec<_>>>()?;
            concat(&parts, args.maybe_int("axis").ok()??)?
        }
        "Unsqueeze" => {
            let axes = args.ints_either(1, "axes").ok()??;
            let rank = x.dims.len() + axes.len();
            let mut dims = x.dims.clone();
            let mut axes = axes.iter().map(|axis| from_start(*axis, rank)).collect::<Option<Vec<_>>>()?;
            axes.sort_unstable();
            axes.into_iter().try_for_each(|axis| (axis <= dims.len()).then(|| dims.insert(axis, 1)))?;
            Known { dims, ..x.clone() }
        }
        "Split" if x.dims.len() == 1 => return split(x, args),
        "Squeeze" => squeeze(x, args.ints_either(1, "axes").ok()?)?,
        "Reshape" => reshape(x, &args.ints_either(1, "shape").ok()??, args.flag("allowzero", false).ok()?)?,
        "Slice" => slice(x, args)?,
        "Where" => {
            let (condition, x, y) = (x, at(1)?, at(2)?);
            chosen(condition, &x, &y)?
        }
        "Expand" => expand(x, &args.ints_at(1).ok()?)?,
        "Range" => range(x, &*at(1)?, &*at(2)?)?,
        "ReduceProd" | "ReduceSum" | "ReduceMax" | "ReduceMin" => reduced(cx, args, x)?,
        "Transpose" => transpose(x, args.ints("perm").ok()?)?,
        _ => return None,
    };
    (found.dtype.is_int() || found.is_constant()).then(|| found.into())
}

fn from_start(axis: i64, rank: usize) -> Option<usize> {
    let axis = if axis < 0 { axis.checked_add(rank as i64)? } else { axis };
    usize::try_from(axis).ok().filter(|axis| *axis < rank.max(1))
}

fn dims_of(cx: &Cx<'_>, value: &Val) -> Option<Vec<scalar::Expr>> {
    match value {
        Val::Tensor(x) => cx.shape(x).ok(),
        Val::Known(known) => Some(known.dims.iter().map(|dim| scalar::Expr::i64(*dim)).collect()),
        _ => None,
    }
}

fn shape(cx: &Cx<'_>, args: &Args<'_>) -> Option<Val> {
    let dims = dims_of(cx, args.input(0))?;
    let rank = dims.len() as i64;
    let bound = |value: i64| (if value < 0 { value + rank } else { value }).clamp(0, rank) as usize;
    let (start, end) = (bound(args.int("start", 0).ok()?), bound(args.int("end", rank).ok()?));
    Some(Known::ints(dims.get(start..end.max(start))?.to_vec()).into())
}

fn cast(x: &Known, dtype: DataType) -> Option<Known> {
    let one = |item: &scalar::Expr| {
        if item.dtype == dtype {
            return Some(item.clone());
        }
        match (float_of(item), item.as_int()) {
            (_, Some(value)) if dtype.is_bool() => Some(scalar::Expr::bool(value != 0)),
            (Some(value), None) if dtype.is_bool() => Some(scalar::Expr::bool(value != 0.0)),
            (Some(value), None) if dtype.is_int() => {
                (value.is_finite() && value.abs() < 9e15).then(|| scalar::Expr::int(value as i64, dtype))
            }
            (Some(value), _) if dtype.is_float() => Some(scalar::Expr::float(value, dtype)),
            (_, Some(value)) => Some(scalar::Expr::int(value, dtype)),
            // Sizes fit into int32 as exporters have it; the elements stay those of int64.
            _ if dtype.is_int() => item.cast(dtype).ok(),
            _ => None,
        }
    };
    if !(dtype.is_int()
        || dtype.is_bool()
        || matches!(dtype, DataType::F32 | DataType::F64 | DataType::F16 | DataType::BF16))
    {
        return None;
    }
    Some(Known::new(dtype, x.dims.clone(), x.items.iter().map(one).collect::<Option<_>>()?))
}

fn gather(x: &Known, indices: &Known, axis: i64) -> Option<Known> {
    let axis = from_start(axis, x.dims.len())?;
    let extent = *x.dims.get(axis)?;
    let inner: i64 = x.dims[axis + 1..].iter().product();
    let outer: i64 = x.dims[..axis].iter().product();
    let mut items = Vec::new();
    for at in 0..outer {
        for index in &indices.items {
            let index = index.as_int()?;
            let index = if index < 0 { index.checked_add(extent)? } else { index };
            if !(0..extent).contains(&index) {
                return None;
            }
            let first = ((at * extent + index) * inner) as usize;
            items.extend(x.items.get(first..first + inner as usize)?.iter().cloned());
            if items.len() > MAX_KNOWN {
                return None;
            }
        }
    }
    let dims = [&x.dims[..axis], &indices.dims, &x.dims[axis + 1..]].concat();
    Some(Known::new(x.dtype, dims, items))
}

fn concat(parts: &[Rc<Known>], axis: i64) -> Option<Known> {
    let first = parts.first()?;
    let axis = from_start(axis, first.dims.len())?;
    let like = |part: &Rc<Known>| {
        part.dtype == first.dtype
            && part.dims.len() == first.dims.len()
            && part.dims.iter().enumerate().all(|(at, dim)| at == axis || *dim == first.dims[at])
    };
    if !parts.iter().all(like) || axis >= first.dims.len() {
        return None;
    }
    let mut dims = first.dims.clone();
    dims[axis] = parts.iter().map(|part| part.dims[axis]).sum();
    let outer: i64 = dims[..axis].iter().product();
    let mut items = Vec::new();
    for at in 0..outer as usize {
        for part in parts {
            let length = part.dims[axis..].iter().product::<i64>() as usize;
            items.extend(part.items.get(at * length..(at + 1) * length)?.iter().cloned());
        }
    }
    Some(Known::new(first.dtype, dims, items))
}

/// The parts of a list.
fn split(x: &Known, args: &Args<'_>) -> Option<Val> {
    let extent = x.items.len() as i64;
    let sizes = match args.ints_either(1, "split").ok()? {
        Some(sizes) => sizes,
        None => equal_sizes(extent, args.int("num_outputs", args.wanted.len() as i64).ok()?.clamp(1, extent.max(1))),
    };
    if !(args.int("axis", 0).ok()? == 0 || args.int("axis", 0).ok()? == -1) || sizes.iter().any(|size| *size < 0) {
        return None;
    }
    let mut parts = Vec::new();
    let mut begin = 0usize;
    for size in sizes {
        let end = begin.checked_add(usize::try_from(size).ok()?)?;
        parts.push(Known::new(x.dtype, vec![size], x.items.get(begin..end)?.to_vec()).into());
        begin = end;
    }
    (begin == x.items.len()).then_some(Val::Outputs(parts))
}

fn squeeze(x: &Known, axes: Option<Vec<i64>>) -> Option<Known> {
    let rank = x.dims.len();
    let axes = match axes {
        Some(axes) => axes.iter().map(|axis| from_start(*axis, rank)).collect::<Option<Vec<_>>>()?,
        None => (0..rank).filter(|at| x.dims[*at] == 1).collect(),
    };
    if axes.iter().any(|axis| x.dims.get(*axis) != Some(&1)) {
        return None;
    }
    let dims = x.dims.iter().enumerate().filter(|(at, _)| !axes.contains(at)).map(|(_, dim)| *dim).collect();
    Some(Known { dims, ..x.clone() })
}

fn reshape(x: &Known, shape: &[i64], allow_zero: bool) -> Option<Known> {
    let mut dims = Vec::new();
    for (at, size) in shape.iter().enumerate() {
        dims.push(if *size == 0 && !allow_zero { *x.dims.get(at)? } else { *size });
    }
    let count = x.items.len() as i64;
    if let Some(at) = dims.iter().position(|size| *size == -1) {
        let mut sizes = dims.iter().filter(|size| **size != -1);
        let others = sizes.try_fold(1i64, |product, size| product.checked_mul(*size))?;
        dims[at] = count.checked_div(others)?;
    }
    let product = dims.iter().try_fold(1i64, |product, size| product.checked_mul(*size))?;
    (product == count).then(|| Known { dims, ..x.clone() })
}

/// The elements whose indices a function gives for the indices of the result.
fn moved(x: &Known, dims: Vec<i64>, source: impl Fn(&[i64]) -> Vec<i64>) -> Option<Known> {
    let count = dims.iter().try_fold(1i64, |product, size| product.checked_mul(*size))?;
    if count < 0 || count as usize > MAX_KNOWN {
        return None;
    }
    let mut items = Vec::new();
    for flat in 0..count {
        let index = source(&unflattened(flat, &dims));
        let at = index.iter().zip(&x.dims).fold(0, |at, (index, extent)| at * extent + index);
        items.push(x.items.get(usize::try_from(at).ok()?)?.clone());
    }
    Some(Known::new(x.dtype, dims, items))
}

fn slice(x: &Known, args: &Args<'_>) -> Option<Known> {
    let starts = args.ints_either(1, "starts").ok()??;
    let ends = args.ints_either(2, "ends").ok()??;
    let axes = args.ints_either(3, "axes").ok()?.unwrap_or_else(|| (0..starts.len() as i64).collect());
    let steps = if args.has(4) { args.ints_at(4).ok()? } else { vec![1; starts.len()] };
    let (mut dims, mut firsts, mut strides) = (x.dims.clone(), vec![0; x.dims.len()], vec![1; x.dims.len()]);
    for (at, axis) in axes.iter().enumerate() {
        let axis = from_start(*axis, x.dims.len())?;
        let (extent, step) = (*x.dims.get(axis)?, *steps.get(at)?);
        if step == 0 {
            return None;
        }
        // Backwards, the bounds are one less, and -1 is before the first element.
        let (least, greatest) = if step > 0 { (0, extent) } else { (-1, extent - 1) };
        let bound = |value: i64| (if value < 0 { value.saturating_add(extent) } else { value }).clamp(least, greatest);
        let (start, end) = (bound(*starts.get(at)?), bound(*ends.get(at)?));
        // Backwards, a start before the first element is the first one.
        let start = if step < 0 && extent > 0 { start.max(0) } else { start };
        let room = if step > 0 { end - start } else { start - end };
        let size = step.checked_abs()?;
        dims[axis] = room.max(0).checked_add(size - 1)? / size;
        firsts[axis] = start;
        strides[axis] = step;
    }
    moved(x, dims, |index| (0..index.len()).map(|at| firsts[at] + index[at] * strides[at]).collect())
}

fn chosen(condition: &Known, x: &Known, y: &Known) -> Option<Known> {
    let dims = [&condition.dims, &x.dims, &y.dims].into_iter().max_by_key(|dims| dims.len())?.clone();
    let dims: Vec<i64> = (0..dims.len())
        .map(|at| {
            let own = |known: &Known| (at + known.dims.len()).checked_sub(dims.len()).map_or(1, |own| known.dims[own]);
            let sizes = [own(condition), own(x), own(y)];
            sizes.into_iter().find(|size| *size != 1).unwrap_or(1)
        })
        .collect();
    let (condition, x, y) = (expand(condition, &dims)?, expand(x, &dims)?, expand(y, &dims)?);
    if condition.dims != x.dims || x.dims != y.dims || x.dtype != y.dtype {
        return None;
    }
    let one = |at: usize| match condition.items[at].as_int()? {
        0 => Some(y.items[at].clone()),
        _ => Some(x.items[at].clone()),
    };
    Some(Known::new(x.dtype, x.dims.clone(), (0..x.items.len()).map(one).collect::<Option<_>>()?))
}

fn expand(x: &Known, shape: &[i64]) -> Option<Known> {
    let rank = shape.len().max(x.dims.len());
    let size = |dims: &[i64], at: usize| (at + dims.len()).checked_sub(rank).map_or(1, |own| dims[own]);
    let dims: Vec<i64> = (0..rank)
        .map(|at| match (size(&x.dims, at), size(shape, at)) {
            (own, 1) => Some(own),
            (1, wanted) => Some(wanted),
            (own, wanted) => (own == wanted).then_some(own),
        })
        .collect::<Option<_>>()?;
    moved(x, dims, |index| {
        let own = index[rank - x.dims.len()..].iter().zip(&x.dims);
        own.map(|(index, extent)| if *extent == 1 { 0 } else { *index }).collect()
    })
}

fn range(start: &Known, limit: &Known, step: &Known) -> Option<Known> {
    if !start.dtype.is_int() {
        return None;
    }
    let one = |known: &Known| known.items.first()?.as_int();
    let (start_at, limit, step) = (one(start)?, one(limit)?, one(step)?);
    let count = match step {
        0 => return None,
        step if step > 0 => limit.checked_sub(start_at)?.max(0).checked_add(step - 1)? / step,
        step => {
            let size = step.checked_neg()?;
            start_at.checked_sub(limit)?.max(0).checked_add(size - 1)? / size
        }
    };
    if count as usize > MAX_KNOWN {
        return None;
    }
    let items = (0..count).map(|at| scalar::Expr::int(start_at + at * step, start.dtype)).collect();
    Some(Known::new(start.dtype, vec![count], items))
}

/// The reduction of a list to one number.
fn reduced(cx: &Cx<'_>, args: &Args<'_>, x: &Known) -> Option<Known> {
    let axes = args.ints_either(1, "axes").ok()?;
    if axes.is_none() && args.flag("noop_with_empty_axes", false).ok()? {
        return Some(x.clone());
    }
    if x.dims.len() != 1 || x.items.is_empty() || axes.is_some_and(|axes| !matches!(axes[..], [0 | -1])) {
        return None;
    }
    let op = match args.op {
        "ReduceProd" => "Mul",
        "ReduceSum" => "Add",
        "ReduceMax" => "Max",
        _ => "Min",
    };
    let mut items = x.items.iter().map(|item| Known::scalar(item.clone()));
    let first = items.next()?;
    let found = items.try_fold(first, |all, one| combined(cx, op, &all, &one))?;
    let dims = if args.flag("keepdims", true).ok()? { vec![1] } else { Vec::new() };
    Some(Known { dims, ..found })
}

fn transpose(x: &Known, axes: Option<Vec<i64>>) -> Option<Known> {
    let rank = x.dims.len();
    let axes = axes.unwrap_or_else(|| (0..rank as i64).rev().collect());
    let axes = axes.iter().map(|axis| from_start(*axis, rank)).collect::<Option<Vec<_>>>()?;
    if axes.len() != rank || (0..rank).any(|at| !axes.contains(&at)) {
        return None;
    }
    let dims = axes.iter().map(|axis| x.dims[*axis]).collect();
    moved(x, dims, |index| {
        let mut own = vec![0; rank];
        axes.iter().zip(index).for_each(|(axis, index)| own[*axis] = *index);
        own
    })
}

/// Whether the value is one number that is known.
pub fn is_true(value: &Val) -> Option<bool> {
    let known = value.known()?;
    match known.items.as_slice() {
        [one] if is_constant(one) => Some(float_of(one)? != 0.0),
        _ => None,
    }
}
