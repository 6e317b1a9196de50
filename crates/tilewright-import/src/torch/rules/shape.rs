//! Shapes: sizes, reshapes, permutations, concatenation, splits, padding.

use tilewright_expr as scalar;
use tilewright_expr::BinOp;
use tilewright_ir::relax::Expr;
use tilewright_ops::create::{tril, triu};
use tilewright_ops::manipulate::{
    broadcast_to, concat, expand_dims, flatten, flip, repeat, split, squeeze, stack, tile,
};
use tilewright_ops::nn::pad;

use super::super::promotion::promote_types;
use super::super::rule::{Rule, rule, view};
use crate::common::{Args, Cx, Op, Refused, Res, ToAttr, Value, is_one_at_most};

pub const RULES: &[Rule] = &[
    rule("size sym_size", "input, dim=None", size),
    rule("dim ndimension", "input", |cx, args| Ok(Value::Int(cx.rank(&args.tensor("input")?)? as i64))),
    rule("numel nelement sym_numel", "input", |cx, args| {
        Ok(Value::int(cx.product(&cx.shape(&args.tensor("input")?)?)))
    }),
    rule("len", "input", length),
    view("reshape view _unsafe_view view_copy", "input, *shape|size", reshape),
    view("reshape_as view_as", "input, other", |cx, args| {
        cx.reshape(&args.tensor("input")?, cx.shape(&args.tensor("other")?)?).map(Value::Tensor)
    }),
    view("flatten", "input, start_dim=0, end_dim=-1", flatten),
    view("ravel", "input", |cx, args| cx.op(&flatten::OP, &[&args.tensor("input")?])),
    view("unflatten", "input, dim, *sizes", unflatten),
    view("permute permute_copy", "input, *dims", |cx, args| {
        cx.permute(&args.tensor("input")?, args.ints("dims")?).map(Value::Tensor)
    }),
    view("transpose swapaxes swapdims transpose_copy", "input, dim0|axis0, dim1|axis1", transpose),
    view("t t_copy adjoint mT mH T H", "input", last_two),
    view("numpy_T", "input", |cx, args| {
        let x = args.tensor("input")?;
        let axes = (0..cx.rank(&x)? as i64).rev().collect();
        cx.permute(&x, axes).map(Value::Tensor)
    }),
    view("atleast_1d", "input", |cx, args| at_least(cx, args, 1)),
    view("atleast_2d", "input", |cx, args| at_least(cx, args, 2)),
    view("movedim moveaxis", "input, source, destination", movedim),
    view("squeeze squeeze_copy", "input, dim=None", squeeze),
    view("aten.squeeze aten.squeeze_copy", "input, dim=None", squeeze_known),
    view("unsqueeze unsqueeze_copy", "input, dim", unsqueeze),
    view("expand expand_copy", "input, *size", expand),
    view("expand_as", "input, other", |cx, args| {
        let shape = Expr::shape(cx.shape(&args.tensor("other")?)?);
        cx.op(&broadcast_to::OP, &[&args.tensor("input")?, &shape])
    }),
    view("broadcast_to", "input, *size|shape", expand),
    rule("repeat", "input, *repeats|sizes", repeat),
    rule("tile", "input, *dims", repeat),
    rule("repeat_interleave", "input, repeats, dim=None, output_size=None", repeat_interleave),
    rule("cat concat concatenate", "tensors, dim|axis=0", cat),
    rule("stack", "tensors, dim=0", |cx, args| {
        let tensors = Expr::tuple(alike(cx, args.tensors("tensors")?)?);
        cx.call(&stack::OP, &[&tensors], [("axis", args.int("dim")?.to_attr())]).map(Value::Tensor)
    }),
    view(
        "split split_with_sizes split_copy split_with_sizes_copy",
        "input, split_size_or_sections|split_size|split_sizes, dim=0",
        split,
    ),
    view("chunk", "input, chunks, dim=0", chunk),
    view("tensor_split", "input, indices_or_sections|sections|indices, dim=0", tensor_split),
    view("unbind unbind_copy", "input, dim=0", unbind),
    rule("flip", "input, *dims", flip),
    rule("roll", "input, shifts, dims=None", roll),
    rule("pixel_shuffle", "input, upscale_factor", pixel_shuffle),
    rule("pixel_unshuffle", "input, downscale_factor", pixel_unshuffle),
    rule("channel_shuffle", "input, groups", channel_shuffle),
    rule("pad", "input, pad, mode=constant, value=None", pad),
    rule("constant_pad_nd", "input, pad, value=0, mode=constant", pad),
    rule("tril", "input, diagonal=0", |cx, args| triangle(cx, args, &tril::OP)),
    rule("triu", "input, diagonal=0", |cx, args| triangle(cx, args, &triu::OP)),
];

fn size(cx: &mut Cx<'_>, args: &Args) -> Res {
    let shape = cx.shape(&args.tensor("input")?)?;
    match args.has("dim") {
        true => Ok(Value::int(shape[cx.axis(args.int("dim")?, shape.len())?].clone())),
        false => Ok(Value::ints(&shape)),
    }
}

fn length(cx: &mut Cx<'_>, args: &Args) -> Res {
    match args.get("input") {
        Value::List(items) => Ok(Value::Int(items.len() as i64)),
        _ => match cx.shape(&args.tensor("input")?)?.first() {
            Some(first) => Ok(Value::int(first.clone())),
            None => Err(Refused::new("a tensor without dimensions has no length")),
        },
    }
}

/// The dimensions with -1 replaced by the number of elements divided by the product of the others.
fn resolved(cx: &Cx<'_>, x: &Expr, mut dims: Vec<scalar::Expr>) -> Res<Vec<scalar::Expr>> {
    let Some(open) = dims.iter().position(|dim| dim.as_int() == Some(-1)) else { return Ok(dims) };
    let all = cx.product(&cx.shape(x)?);
    let others: Vec<_> = dims.iter().enumerate().filter(|(at, _)| *at != open).map(|(_, dim)| dim.clone()).collect();
    let others = cx.product(&others);
    if others.as_int() == Some(0) {
        return Err(Refused::new("a dimension of -1 is ambiguous with one of 0"));
    }
    dims[open] = cx.integer(BinOp::FloorDiv, &all, &others)?;
    Ok(dims)
}

fn reshape(cx: &mut Cx<'_>, args: &Args) -> Res {
    if let Value::DType(_) = args.get("shape") {
        return Err(Refused::new("a view of another data type has no rule"));
    }
    let x = args.tensor("input")?;
    let dims = resolved(cx, &x, args.dims("shape")?)?;
    cx.reshape(&x, dims).map(Value::Tensor)
}

/// The tensor with leading dimensions of 1 up to a rank.
fn at_least(cx: &mut Cx<'_>, args: &Args, rank: usize) -> Res {
    let x = args.tensor("input")?;
    let mut dims = cx.shape(&x)?;
    while dims.len() < rank {
        dims.insert(0, scalar::Expr::i64(1));
    }
    cx.reshape(&x, dims).map(Value::Tensor)
}

fn flatten(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    let shape = cx.shape(&x)?;
    if shape.is_empty() {
        return cx.reshape(&x, vec![scalar::Expr::i64(1)]).map(Value::Tensor);
    }
    let (start, end) = (cx.axis(args.int("start_dim")?, shape.len())?, cx.axis(args.int("end_dim")?, shape.len())?);
    if start > end {
        return Err(Refused(format!("`start_dim` {start} is after `end_dim` {end}")));
    }
    let dims = [&shape[..start], &[cx.product(&shape[start..=end])], &shape[end + 1..]].concat();
    cx.reshape(&x, dims).map(Value::Tensor)
}

fn unflatten(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    let shape = cx.shape(&x)?;
    let dim = cx.axis(args.int("dim")?, shape.len())?;
    let mut sizes = args.dims("sizes")?;
    if let Some(open) = sizes.iter().position(|size| size.as_int() == Some(-1)) {
        sizes[open] = scalar::Expr::i64(1);
        sizes[open] = cx.integer(BinOp::FloorDiv, &shape[dim], &cx.product(&sizes))?;
    }
    cx.reshape(&x, [&shape[..dim], &sizes, &shape[dim + 1..]].concat()).map(Value::Tensor)
}

/// The permutation that swaps two dimensions.
fn swapped(rank: usize, a: usize, b: usize) -> Vec<i64> {
    let mut axes: Vec<i64> = (0..rank as i64).collect();
    axes.swap(a, b);
    axes
}

fn transpose(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    let rank = cx.rank(&x)?;
    let (a, b) = (cx.axis(args.int("dim0")?, rank)?, cx.axis(args.int("dim1")?, rank)?);
    if rank < 2 { Ok(Value::Tensor(x)) } else { cx.permute(&x, swapped(rank, a, b)).map(Value::Tensor) }
}

fn last_two(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    let rank = cx.rank(&x)?;
    if rank < 2 { Ok(Value::Tensor(x)) } else { cx.permute(&x, swapped(rank, rank - 2, rank - 1)).map(Value::Tensor) }
}

fn movedim(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    let rank = cx.rank(&x)?;
    let axes_of = |name| args.ints(name)?.iter().map(|dim| cx.axis(*dim, rank)).collect::<Res<Vec<_>>>();
    let (from, to) = (axes_of("source")?, axes_of("destination")?);
    if from.len() != to.len() {
        return Err(Refused(format!("{} dimensions cannot move to {} positions", from.len(), to.len())));
    }
    let mut others = (0..rank).filter(|dim| !from.contains(dim));
    let axis = |at: usize| match to.iter().position(|axis| *axis == at) {
        Some(moved) => from.get(moved).copied(),
        None => others.next(),
    };
    let axes: Option<Vec<usize>> = (0..rank).map(axis).collect();
    let axes = axes.ok_or_else(|| Refused::new("two dimensions move to the same position"))?;
    cx.permute(&x, axes.into_iter().map(|axis| axis as i64).collect()).map(Value::Tensor)
}

/// Dimensions that are not 1 stay. Of a symbolic one that is named, or is 1 at most, the run checks that it is 1:
/// whether it stays would change the number of dimensions. Others that are symbolic are taken to be larger, as
/// `torch.export` does.
fn squeeze(cx: &mut Cx<'_>, args: &Args) -> Res {
    let named = args.has("dim");
    squeezed(cx, args, |size| if named { size.as_int().is_none() } else { is_one_at_most(size) })
}

/// What was exported says of each size whether it is 1.
fn squeeze_known(cx: &mut Cx<'_>, args: &Args) -> Res {
    squeezed(cx, args, is_one_at_most)
}

/// The dimensions of 1 taken out, and those symbolic ones that go as well.
fn squeezed(cx: &mut Cx<'_>, args: &Args, goes: impl Fn(&scalar::Expr) -> bool) -> Res {
    let x = args.tensor("input")?;
    let shape = cx.shape(&x)?;
    let mut dims = Vec::new();
    for dim in args.axes("dim")?.unwrap_or_else(|| (0..shape.len() as i64).collect()) {
        dims.push(cx.axis(dim, shape.len())? as i64);
    }
    dims.retain(|dim| shape.get(*dim as usize).is_some_and(|size| size.as_int() == Some(1) || goes(size)));
    match dims.is_empty() {
        true => Ok(Value::Tensor(x)),
        false => cx.call(&squeeze::OP, &[&x], [("axis", dims.to_attr())]).map(Value::Tensor),
    }
}

fn unsqueeze(cx: &mut Cx<'_>, args: &Args) -> Res {
    cx.call(&expand_dims::OP, &[&args.tensor("input")?], [("axis", vec![args.int("dim")?].to_attr())])
        .map(Value::Tensor)
}

/// A dimension of -1 is that of the tensor.
fn expand(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    let (shape, mut dims) = (cx.shape(&x)?, args.dims("size")?);
    let before = dims.len().checked_sub(shape.len());
    let before = before.ok_or_else(|| Refused(format!("{} dimensions cannot become {}", shape.len(), dims.len())))?;
    for (at, dim) in dims.iter_mut().enumerate().filter(|(_, dim)| dim.as_int() == Some(-1)) {
        let own = at.checked_sub(before).and_then(|at| shape.get(at));
        *dim = own.cloned().ok_or_else(|| Refused::new("a new dimension cannot be -1"))?;
    }
    cx.op(&broadcast_to::OP, &[&x, &Expr::shape(dims)])
}

fn repeat(cx: &mut Cx<'_>, args: &Args) -> Res {
    let name = if args.has("repeats") { "repeats" } else { "dims" };
    cx.call(&tile::OP, &[&args.tensor("input")?], [("repeats", args.ints(name)?.to_attr())]).map(Value::Tensor)
}

fn repeat_interleave(cx: &mut Cx<'_>, args: &Args) -> Res {
    let axis = if args.has("dim") { Some(args.int("dim")?) } else { None };
    let attrs = [("repeats", args.int("repeats")?.to_attr()), ("axis", axis.to_attr())];
    cx.call(&repeat::OP, &[&args.tensor("input")?], attrs).map(Value::Tensor)
}

/// Tensors in their common data type. Empty ones of one dimension, which PyTorch joins to anything, are left out.
fn alike(cx: &Cx<'_>, tensors: Vec<Expr>) -> Res<Vec<Expr>> {
    let mut dtypes = tensors.iter().map(|x| cx.dtype(x)).collect::<Res<Vec<_>>>()?.into_iter();
    let first = dtypes.next().ok_or_else(|| Refused::new("expected at least one tensor"))?;
    let dtype = dtypes.fold(first, promote_types);
    tensors.iter().map(|x| cx.astype(x, dtype)).collect()
}

fn cat(cx: &mut Cx<'_>, args: &Args) -> Res {
    let mut tensors = args.tensors("tensors")?;
    let is_empty = |x: &Expr| matches!(x.struct_info.dims(), Some([only]) if only.as_int() == Some(0));
    if !tensors.iter().all(is_empty) {
        tensors.retain(|x| !is_empty(x));
    }
    let tensors = Expr::tuple(alike(cx, tensors)?);
    cx.call(&concat::OP, &[&tensors], [("axis", args.int("dim")?.to_attr())]).map(Value::Tensor)
}

/// The parts of these sizes along a dimension; a part is a slice, so that sizes may be symbolic.
fn parts(cx: &mut Cx<'_>, x: &Expr, axis: usize, sizes: &[scalar::Expr]) -> Res {
    let mut begin = scalar::Expr::i64(0);
    let mut found = Vec::new();
    for size in sizes {
        let end = cx.simplified(&(&begin + size));
        found.push(Value::Tensor(cx.slice(x, axis, &begin, &end, 1)?));
        begin = end;
    }
    Ok(Value::List(found))
}

/// The number of parts of a split tensor, at most.
const MAX_PARTS: i64 = 65_536;

/// Equal parts of a size, the last one smaller where it does not divide the dimension, which must be known.
fn equal_parts(cx: &mut Cx<'_>, x: &Expr, axis: usize, size: i64) -> Res {
    let extent = cx.extent(x, axis)?.as_int();
    let extent = extent.ok_or_else(|| Refused::new("how many parts there are depends on a symbolic dimension"))?;
    if size <= 0 || extent / size >= MAX_PARTS {
        return Err(Refused(format!("a dimension of {extent} cannot be split into parts of {size}")));
    }
    let sizes: Vec<_> = (0..extent.max(1)).step_by(size as usize).map(|begin| size.min(extent - begin)).collect();
    parts(cx, x, axis, &sizes.into_iter().map(scalar::Expr::i64).collect::<Vec<_>>())
}

fn split(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(args.tensor("input")?)?;
    let axis = cx.axis(args.int("dim")?, cx.rank(&x)?)?;
    match args.get("split_size_or_sections") {
        Value::List(_) => parts(cx, &x, axis, &args.dims("split_size_or_sections")?),
        Value::Int(size) => equal_parts(cx, &x, axis, *size),
        _ => Err(Refused::new("the size of a part must be known")),
    }
}

fn chunk(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, chunks) = (cx.emit(args.tensor("input")?)?, args.int("chunks")?);
    let axis = cx.axis(args.int("dim")?, cx.rank(&x)?)?;
    if !(1..=MAX_PARTS).contains(&chunks) {
        return Err(Refused(format!("a tensor has from 1 to {MAX_PARTS} chunks, found {chunks}")));
    }
    match cx.extent(&x, axis)?.as_int() {
        Some(extent) if extent > 0 => equal_parts(cx, &x, axis, (extent + chunks - 1).div_euclid(chunks).max(1)),
        // Of nothing there are as many parts as are asked for.
        _ => {
            let attrs = [("indices_or_sections", chunks.to_attr()), ("axis", (axis as i64).to_attr())];
            let tuple = cx.call(&split::OP, &[&x], attrs)?;
            cx.fields(tuple).map(Value::List)
        }
    }
}

/// Sections that differ by one element at most, the larger ones first.
fn tensor_split(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(args.tensor("input")?)?;
    let axis = cx.axis(args.int("dim")?, cx.rank(&x)?)?;
    let extent = cx.extent(&x, axis)?.as_int().ok_or_else(|| Refused::new("the dimension must be known"))?;
    let sizes: Vec<i64> = match args.get("indices_or_sections") {
        Value::Int(sections) if (1..=MAX_PARTS).contains(sections) => {
            (0..*sections).map(|section| extent / sections + i64::from(section < extent % sections)).collect()
        }
        Value::List(_) => {
            let cuts = args.ints("indices_or_sections")?;
            let from_start = |cut: &i64| if *cut < 0 { cut + extent } else { *cut }.clamp(0, extent);
            let ends = cuts.iter().map(from_start).chain([extent]);
            let begins = [0].into_iter().chain(cuts.iter().map(from_start));
            begins.zip(ends).map(|(begin, end)| (end - begin).max(0)).collect()
        }
        other => return Err(Refused(format!("expected a number of sections, found {}", other.in_words()))),
    };
    parts(cx, &x, axis, &sizes.into_iter().map(scalar::Expr::i64).collect::<Vec<_>>())
}

fn unbind(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = cx.emit(args.tensor("input")?)?;
    let axis = cx.axis(args.int("dim")?, cx.rank(&x)?)?;
    match cx.shape(&x)?.get(axis).and_then(|extent| extent.as_int()) {
        Some(extent) if extent <= MAX_PARTS => {
            let one = |at: i64| cx.select(&x, axis, &scalar::Expr::i64(at)).map(Value::Tensor);
            (0..extent).map(one).collect::<Res<_>>().map(Value::List)
        }
        _ => Err(Refused::new("how many tensors there are depends on a symbolic dimension")),
    }
}

fn flip(cx: &mut Cx<'_>, args: &Args) -> Res {
    let mut x = args.tensor("input")?;
    for dim in args.ints("dims")? {
        x = cx.call(&flip::OP, &[&x], [("axis", dim.to_attr())])?;
    }
    Ok(Value::Tensor(x))
}

fn roll(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, shifts) = (args.tensor("input")?, args.ints("shifts")?);
    let Some(dims) = args.axes("dims")? else {
        let flat = cx.call(&flatten::OP, &[&x], [])?;
        let rolled = rolled(cx, &flat, 0, shifts.first().copied().unwrap_or(0))?;
        return cx.reshape(&rolled, cx.shape(&x)?).map(Value::Tensor);
    };
    let rank = cx.rank(&x)?;
    let mut found = x;
    for (dim, shift) in dims.iter().zip(shifts) {
        found = rolled(cx, &found, cx.axis(*dim, rank)?, shift)?;
    }
    Ok(Value::Tensor(found))
}

/// The elements shifted along a dimension, cyclically.
fn rolled(cx: &mut Cx<'_>, x: &Expr, axis: usize, shift: i64) -> Res<Expr> {
    let x = cx.emit(x.clone())?;
    let extent = cx.extent(&x, axis)?;
    if extent.as_int() == Some(0) {
        return Ok(x);
    }
    let cut = cx.integer(BinOp::FloorMod, &scalar::Expr::i64(shift.checked_neg().unwrap_or(0)), &extent)?;
    let back = cx.slice(&x, axis, &cut, &extent, 1)?;
    let front = cx.slice(&x, axis, &scalar::Expr::i64(0), &cut, 1)?;
    cx.call(&concat::OP, &[&Expr::tuple(vec![back, front])], [("axis", (axis as i64).to_attr())])
}

/// The last three dimensions, and those before them.
fn image(cx: &Cx<'_>, x: &Expr) -> Res<(Vec<scalar::Expr>, [scalar::Expr; 3])> {
    match cx.shape(x)?.as_slice() {
        [batch @ .., c, h, w] => Ok((batch.to_vec(), [c.clone(), h.clone(), w.clone()])),
        _ => Err(Refused::new("expected at least three dimensions")),
    }
}

/// A permutation of the dimensions after the batch.
fn permute_image(batch: usize, order: &[usize]) -> Vec<i64> {
    (0..batch).chain(order.iter().map(|axis| batch + axis)).map(|axis| axis as i64).collect()
}

fn pixel_shuffle(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, r) = (args.tensor("input")?, args.int("upscale_factor")?);
    let (batch, [c, h, w]) = image(cx, &x)?;
    let (side, channels) =
        (scalar::Expr::i64(r), cx.integer(BinOp::FloorDiv, &c, &scalar::Expr::i64(r.max(1) * r.max(1)))?);
    let wide = [&batch[..], &[channels.clone(), side.clone(), side, h.clone(), w.clone()]].concat();
    let apart = cx.permute(&cx.reshape(&x, wide)?, permute_image(batch.len(), &[0, 3, 1, 4, 2]))?;
    let dims = [&batch[..], &[channels, cx.simplified(&(h * r)), cx.simplified(&(w * r))]].concat();
    cx.reshape(&apart, dims).map(Value::Tensor)
}

fn pixel_unshuffle(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, r) = (args.tensor("input")?, args.int("downscale_factor")?);
    let (batch, [c, h, w]) = image(cx, &x)?;
    let side = scalar::Expr::i64(r.max(1));
    let (rows, columns) = (cx.integer(BinOp::FloorDiv, &h, &side)?, cx.integer(BinOp::FloorDiv, &w, &side)?);
    let wide = [&batch[..], &[c.clone(), rows.clone(), side.clone(), columns.clone(), side]].concat();
    let apart = cx.permute(&cx.reshape(&x, wide)?, permute_image(batch.len(), &[0, 2, 4, 1, 3]))?;
    let dims = [&batch[..], &[cx.simplified(&(c * (r * r))), rows, columns]].concat();
    cx.reshape(&apart, dims).map(Value::Tensor)
}

fn channel_shuffle(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, groups) = (args.tensor("input")?, args.int("groups")?);
    let shape = cx.shape(&x)?;
    let [batch, channels, rest @ ..] = shape.as_slice() else { return Err(Refused::new("expected channels")) };
    let groups = scalar::Expr::i64(groups.max(1));
    let each = cx.integer(BinOp::FloorDiv, channels, &groups)?;
    let wide = cx.reshape(&x, [&[batch.clone(), groups, each], rest].concat())?;
    let mixed = cx.permute(&wide, swapped(shape.len() + 1, 1, 2))?;
    cx.reshape(&mixed, shape).map(Value::Tensor)
}

/// PyTorch names the widths of the last dimension first. Negative ones cut off.
fn pad(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (mut x, widths) = (args.tensor("input")?, args.ints("pad")?);
    let rank = cx.rank(&x)?;
    if widths.len() % 2 != 0 || widths.len() / 2 > rank {
        return Err(Refused(format!("{} widths do not fit {rank} dimensions", widths.len())));
    }
    let mut all = vec![0; 2 * rank];
    for (k, pair) in widths.chunks(2).enumerate() {
        let axis = rank - 1 - k;
        let cut = |width: i64| scalar::Expr::i64(width.min(0).saturating_neg());
        if pair.iter().any(|width| *width < 0) {
            let end = cx.simplified(&(&cx.extent(&x, axis)? - &cut(pair[1])));
            x = cx.slice(&x, axis, &cut(pair[0]), &end, 1)?;
        }
        all[2 * axis] = pair[0].max(0);
        all[2 * axis + 1] = pair[1].max(0);
    }
    let mode = match args.text("mode")? {
        "replicate" => "edge",
        mode => mode,
    };
    let value = if args.has("value") { args.float("value")? } else { 0.0 };
    if all.iter().all(|width| *width == 0) {
        return Ok(Value::Tensor(x));
    }
    let attrs = [("pad_width", all.to_attr()), ("pad_value", value.to_attr()), ("pad_mode", mode.to_attr())];
    cx.call(&pad::OP, &[&x], attrs).map(Value::Tensor)
}

fn triangle(cx: &mut Cx<'_>, args: &Args, op: Op) -> Res {
    cx.call(op, &[&args.tensor("input")?], [("k", args.int("diagonal")?.to_attr())]).map(Value::Tensor)
}
