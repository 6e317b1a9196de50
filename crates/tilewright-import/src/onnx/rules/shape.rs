//! Shapes: reshapes, permutations, concatenation, splits, slices, padding.

use tilewright_expr as scalar;
use tilewright_expr::{BinOp, CmpOp};
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, less, logical_and, maximum};
use tilewright_ops::create::{tril, triu};
use tilewright_ops::indexed::{dynamic_strided_slice, strided_slice};
use tilewright_ops::manipulate::{broadcast_to, concat, expand_dims, split, squeeze, tile};
use tilewright_ops::nn::pad;
use tilewright_ops::system::shape_to_tensor;
use tilewright_tensor::{DataType, Tensor};

use super::super::rule::{Args, Rule, bound, rule, sizes_of};
use super::super::values::{Known, Val};
use crate::common::{Cx, Op, Refused, Res, ToAttr, new_size};

pub const RULES: &[Rule] = &[
    rule("Shape", "X", "start end", |cx, args| {
        let shape = Expr::shape(cx.shape(&args.tensor(cx, 0)?)?);
        Ok(cx.call(&shape_to_tensor::OP, &[&shape], [])?.into())
    }),
    rule("Size", "X", "", |cx, args| Ok(Known::scalar(cx.product(&cx.shape(&args.tensor(cx, 0)?)?)).into())),
    rule("Reshape", "data shape?", "shape allowzero", reshape),
    rule("Flatten", "X", "axis", |cx, args| {
        let x = args.tensor(cx, 0)?;
        let shape = cx.shape(&x)?;
        let axis = args.int("axis", 1)?;
        let axis = if axis == shape.len() as i64 { shape.len() } else { cx.axis(axis, shape.len())? };
        Ok(cx.reshape(&x, vec![cx.product(&shape[..axis]), cx.product(&shape[axis..])])?.into())
    }),
    rule("Transpose", "X", "perm", |cx, args| {
        let x = args.tensor(cx, 0)?;
        let axes = args.ints("perm")?;
        let axes = match axes {
            Some(axes) => axes,
            None => (0..cx.rank(&x)? as i64).rev().collect(),
        };
        Ok(if axes.is_empty() { x } else { cx.permute(&x, axes)? }.into())
    }),
    rule("Squeeze", "data axes?", "axes", |cx, args| {
        let x = args.tensor(cx, 0)?;
        let mut axes = args.ints_either(1, "axes")?;
        if axes.is_none() {
            let shape = cx.shape(&x)?;
            if shape.iter().any(|size| size.as_int().is_none()) {
                return Err(Refused::new(
                    "whether a symbolic size is 1 is known in the run alone: fix it, or say `axes`",
                ));
            }
            let of_one = shape.iter().enumerate().filter(|(_, size)| size.as_int() == Some(1));
            axes = Some(of_one.map(|(at, _)| at as i64).collect());
        }
        if axes.as_ref().is_some_and(Vec::is_empty) {
            return Ok(x.into());
        }
        Ok(cx.call(&squeeze::OP, &[&x], [("axis", axes.to_attr())])?.into())
    }),
    rule("Unsqueeze", "data axes?", "axes", |cx, args| {
        let axes = args.ints_either(1, "axes")?.ok_or_else(|| Refused::new("`axes` is missing"))?;
        let x = args.tensor(cx, 0)?;
        if axes.is_empty() {
            return Ok(x.into());
        }
        Ok(cx.call(&expand_dims::OP, &[&x], [("axis", axes.to_attr())])?.into())
    }),
    rule("Concat", "*inputs", "axis", |cx, args| {
        let parts = args.tensors(cx, 0)?;
        joined(cx, parts, args.int("axis", 1)?).map(Val::from)
    }),
    rule("Split", "X split?", "axis split num_outputs", divided),
    rule("Slice", "data starts? ends? axes? steps?", "starts ends axes", slice),
    rule("Pad", "data pads? value? axes?", "pads value mode paddings", padded),
    rule("Tile", "X repeats tiles?", "", tiled),
    rule("Expand", "X shape", "", expanded),
    rule("Trilu", "X k?", "upper", |cx, args| {
        let k = if args.has(1) { args.int_at(1)? } else { 0 };
        let op: Op = if args.flag("upper", true)? { &triu::OP } else { &tril::OP };
        Ok(cx.call(op, &[&args.tensor(cx, 0)?], [("k", k.to_attr())])?.into())
    }),
    rule("DepthToSpace", "X", "blocksize mode", depth_to_space),
    rule("SpaceToDepth", "X", "blocksize mode", space_to_depth),
    rule("CenterCropPad", "X shape", "axes", center_crop_pad),
];

fn one(value: i64) -> scalar::Expr {
    scalar::Expr::i64(value)
}

/// 0 keeps a dimension, -1 is what the others leave.
fn reshape(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    let wanted = match args.ints("shape")? {
        Some(shape) => shape.into_iter().map(one).collect(),
        None if args.input(1).known().is_none() => return reshape_in_run(cx, args, &x),
        None => args.dims_at(cx, 1)?,
    };
    let own = cx.shape(&x)?;
    let keep_zero = args.flag("allowzero", false)?;
    let mut dims = Vec::new();
    for (at, size) in wanted.iter().enumerate() {
        dims.push(match size.as_int() {
            Some(0) if !keep_zero => {
                own.get(at).cloned().ok_or_else(|| Refused(format!("a 0 at {at} for {} dimensions", own.len())))?
            }
            _ => size.clone(),
        });
    }
    if let Some(at) = dims.iter().position(|size| size.as_int() == Some(-1)) {
        dims[at] = rest_of(cx, &own, &dims, at)?;
    }
    Ok(cx.reshape(&x, dims)?.into())
}

/// A shape that is known in the run alone, with 0 and -1 as above: it is read as numbers that are one more.
fn reshape_in_run(cx: &mut Cx<'_>, args: &Args<'_>, x: &Expr) -> Res<Val> {
    let (own, shape) = (cx.shape(x)?, args.tensor(cx, 1)?);
    let rank = cx.shape(&shape)?.first().and_then(scalar::Expr::as_int);
    let rank = rank.and_then(|rank| usize::try_from(rank).ok());
    let rank = rank.ok_or_else(|| Refused::new("the number of dimensions must be known"))?;
    let more = cx.with_number(&add::OP, &cx.astype(&shape, DataType::I64)?, 1i64)?;
    let more = bound(cx, more)?;
    let wanted: Vec<scalar::Expr> = sizes_of(cx, &more, rank)?.iter().map(|size| size - 1).collect();
    let keep_zero = args.flag("allowzero", false)?;
    let is = |size: &scalar::Expr, value: i64| scalar::Expr::compare(CmpOp::Eq, size, &one(value));
    let mut dims = Vec::new();
    for (at, size) in wanted.iter().enumerate() {
        dims.push(match own.get(at) {
            Some(own) if !keep_zero => scalar::Expr::select(&is(size, 0)?, own, size)?,
            _ => size.clone(),
        });
    }
    let parts = dims.iter().map(|size| scalar::Expr::select(&is(size, -1)?, &one(1), size));
    let others = parts.collect::<Result<Vec<_>, _>>()?.into_iter().fold(one(1), |all, size| all * size);
    let least = scalar::Expr::binary(BinOp::Max, &others, &one(1))?;
    let rest = scalar::Expr::binary(BinOp::FloorDiv, &cx.product(&own), &least)?;
    let dims =
        dims.iter().map(|size| scalar::Expr::select(&is(size, -1)?, &rest, size)).collect::<Result<Vec<_>, _>>()?;
    Ok(cx.reshape(x, dims)?.into())
}

/// The size of a dimension that all others leave: sizes that stand on both sides are cancelled.
fn rest_of(cx: &Cx<'_>, own: &[scalar::Expr], dims: &[scalar::Expr], at: usize) -> Res<scalar::Expr> {
    let mut left: Vec<scalar::Expr> = own.to_vec();
    let mut divisor = Vec::new();
    for (_, size) in dims.iter().enumerate().filter(|(other, _)| *other != at) {
        match left.iter().position(|own| size.as_int().is_none() && cx.bb.infer_cx().analyzer.prove_equal(own, size)) {
            Some(found) => drop(left.remove(found)),
            None => divisor.push(size.clone()),
        }
    }
    let (all, by) = (cx.product(&left), cx.product(&divisor));
    match by.as_int() {
        Some(0) => Err(Refused::new("a -1 with a dimension of size 0")),
        Some(1) => Ok(all),
        _ => cx.integer(BinOp::FloorDiv, &all, &by),
    }
}

/// Tensors one after the other along a dimension.
pub fn joined(cx: &mut Cx<'_>, mut parts: Vec<Expr>, axis: i64) -> Res<Expr> {
    match parts.len() {
        0 => Err(Refused::new("it needs an input")),
        1 => Ok(parts.remove(0)),
        _ => {
            let axis = cx.axis(axis, cx.rank(&parts[0])?)? as i64;
            cx.call(&concat::OP, &[&Expr::tuple(parts)], [("axis", axis.to_attr())])
        }
    }
}

/// The parts of these sizes along a dimension.
pub fn parts_of(cx: &mut Cx<'_>, x: &Expr, sizes: &[i64], axis: usize) -> Res<Vec<Val>> {
    if sizes.len() == 1 {
        return Ok(vec![x.clone().into()]);
    }
    let mut ends = Vec::new();
    let mut end = 0i64;
    for size in &sizes[..sizes.len().saturating_sub(1)] {
        end = end.saturating_add(*size);
        ends.push(end);
    }
    let attrs = [("indices_or_sections", ends.to_attr()), ("axis", (axis as i64).to_attr())];
    let fields = cx.fields(cx.call(&split::OP, &[x], attrs)?)?;
    fields
        .into_iter()
        .map(|field| match field {
            crate::common::Value::Tensor(part) => Ok(part.into()),
            _ => Err(Refused::new("expected tensors")),
        })
        .collect()
}

/// The sizes of `count` equal parts, of which the last one may be smaller.
pub fn equal_sizes(extent: i64, count: i64) -> Vec<i64> {
    let size = extent.saturating_add(count - 1).div_euclid(count.max(1)).max(0);
    (0..count).map(|at| (extent - at * size).clamp(0, size)).collect()
}

fn divided(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.bound(cx, 0)?;
    let axis = cx.axis(args.int("axis", 0)?, cx.rank(&x)?)?;
    let extent = cx.extent(&x, axis)?;
    if let Some(sizes) = args.ints_either(1, "split")? {
        if let Some(extent) = extent.as_int()
            && sizes.iter().try_fold(0i64, |sum, size| sum.checked_add(*size)) != Some(extent)
        {
            return Err(Refused(format!("parts of sizes {sizes:?} of a dimension of {extent}")));
        }
        return parts_of(cx, &x, &sizes, axis).map(Val::Outputs);
    }
    let count = args.int("num_outputs", args.wanted.len() as i64)?;
    if !(1..=1 << 16).contains(&count) {
        return Err(Refused(format!("{count} parts")));
    }
    match extent.as_int() {
        Some(extent) => parts_of(cx, &x, &equal_sizes(extent, count), axis).map(Val::Outputs),
        None => {
            let size = extent.ceil_div(count)?;
            let part = |at: i64| -> Res<Val> {
                let (begin, end) = (cx.simplified(&(&size * at)), cx.simplified(&(&size * (at + 1))));
                Ok(cx.slice(&x, axis, &begin, &end, 1)?.into())
            };
            (0..count).map(part).collect::<Res<_>>().map(Val::Outputs)
        }
    }
}

fn slice(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let mut x = args.tensor(cx, 0)?;
    let in_run = |at: usize| args.has(at) && args.input(at).known().is_none();
    if in_run(1) || in_run(2) || in_run(4) {
        return slice_in_run(cx, args, &x);
    }
    let mut sizes = |at: usize, name: &str| -> Res<Option<Vec<scalar::Expr>>> {
        match args.has(at) {
            true => args.dims_at(cx, at).map(Some),
            false => Ok(args.ints(name)?.map(|ints| ints.into_iter().map(one).collect())),
        }
    };
    let missing = || Refused::new("`starts` and `ends` are missing");
    let starts = sizes(1, "starts")?.ok_or_else(missing)?;
    let ends = sizes(2, "ends")?.ok_or_else(missing)?;
    let axes = args.ints_either(3, "axes")?.unwrap_or_else(|| (0..starts.len() as i64).collect());
    let steps = if args.has(4) { args.ints_at(4)? } else { vec![1; starts.len()] };
    if starts.len() != ends.len() || starts.len() != axes.len() || starts.len() != steps.len() {
        return Err(Refused::new("`starts`, `ends`, `axes` and `steps` have different lengths"));
    }
    for (at, axis) in axes.iter().enumerate() {
        let axis = cx.axis(*axis, cx.rank(&x)?)?;
        x = sliced(cx, &x, axis, [&starts[at], &ends[at]], steps[at])?;
    }
    Ok(x.into())
}

/// Bounds that are known in the run alone, and so are the sizes of the result.
fn slice_in_run(cx: &mut Cx<'_>, args: &Args<'_>, x: &Expr) -> Res<Val> {
    let (shape, starts, ends) = (cx.shape(x)?, args.tensor(cx, 1)?, args.tensor(cx, 2)?);
    let count = cx.shape(&starts)?.first().and_then(scalar::Expr::as_int);
    let count = count.filter(|count| *count <= shape.len() as i64);
    let count = count.ok_or_else(|| Refused::new("the number of bounds must be known, one for a dimension at most"))?;
    let axes = if args.has(3) { args.ints_at(3)? } else { (0..count).collect() };
    let axes = axes.iter().map(|axis| cx.axis(*axis, shape.len())).collect::<Res<Vec<_>>>()?;
    let steps = args.optional(cx, 4)?;
    // One bound for each dimension.
    let all = |cx: &mut Cx<'_>, given: Option<&Expr>, usual: i64| -> Res<Expr> {
        let usual = Expr::constant(Tensor::from_vec(&[1], vec![usual])?);
        let Some(given) = given else { return joined(cx, vec![usual; shape.len()], 0) };
        let given = cx.astype(given, DataType::I64)?;
        let parts = (0..shape.len()).map(|axis| match axes.iter().position(|own| *own == axis) {
            Some(at) => cx.slice(&given, 0, &one(at as i64), &one(at as i64 + 1), 1),
            None => Ok(usual.clone()),
        });
        let parts = parts.collect::<Res<Vec<_>>>()?;
        joined(cx, parts, 0)
    };
    let (begin, end, step) = (all(cx, Some(&starts), 0)?, all(cx, Some(&ends), i64::MAX)?, all(cx, steps.as_ref(), 1)?);
    let begin = if steps.is_some() { held_at_first(cx, &begin, &step, &shape)? } else { begin };
    let found = cx.call(&dynamic_strided_slice::OP, &[x, &begin, &end, &step], [])?;
    let dims = shape.iter().enumerate();
    let dims = dims.map(|(axis, size)| if axes.contains(&axis) { new_size() } else { size.clone() }).collect();
    Ok(cx.match_cast(&found, dims)?.into())
}

/// Starts of slices, of which those before the first element are the first one where the step is backwards.
fn held_at_first(cx: &mut Cx<'_>, begin: &Expr, step: &Expr, shape: &[scalar::Expr]) -> Res<Expr> {
    let extents = cx.call(&shape_to_tensor::OP, &[&Expr::shape(shape.to_vec())], [])?;
    let begin = bound(cx, begin.clone())?;
    let counted = cx.call(&add::OP, &[&begin, &extents], [])?;
    let before = cx.call(
        &logical_and::OP,
        &[&cx.with_number(&less::OP, step, 0i64)?, &cx.with_number(&less::OP, &begin, 0i64)?],
        [],
    )?;
    let counted = cx.with_number(&maximum::OP, &counted, 0i64)?;
    cx.choose(&before, &counted, &begin)
}

fn sliced(cx: &Cx<'_>, x: &Expr, axis: usize, [start, end]: [&scalar::Expr; 2], step: i64) -> Res<Expr> {
    let extent = cx.extent(x, axis)?;
    if step == 0 {
        return Err(Refused::new("a step of 0"));
    }
    // Exporters write the end of a dimension as the greatest integer, or as a round number.
    let far = |value: &scalar::Expr| value.as_int().is_some_and(|value| value >= 1_000_000_000);
    if step > 0 {
        let end = if far(end) { &extent } else { end };
        let is_whole = start.as_int() == Some(0) && step == 1;
        if is_whole && cx.bb.infer_cx().analyzer.prove_equal(end, &extent) {
            return Ok(x.clone());
        }
        return cx.slice(x, axis, start, end, step);
    }
    let (Some(start), Some(end)) = (start.as_int(), end.as_int()) else {
        return Err(Refused::new("symbolic bounds with a negative step have no rule"));
    };
    let tuple = |value: i64| Expr::tuple(vec![Expr::prim(one(value))]);
    // Backwards, a start before the first element is the first one.
    let start = match extent.as_int() {
        Some(extent) if start < 0 => start.saturating_add(extent).max(0),
        None if start < -1_000_000_000 => 0,
        _ => start,
    };
    let (axes, steps) = (tuple(axis as i64), tuple(step));
    cx.call(&strided_slice::OP, &[x, &axes, &tuple(start), &tuple(end), &steps], [])
}

fn padded(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    let rank = cx.rank(&x)?;
    let given = match args.ints("paddings")? {
        Some(pads) => Some(pads),
        None => args.ints_either(1, "pads")?,
    };
    let pads = given.ok_or_else(|| Refused::new("`pads` is missing"))?;
    let axes = if args.has(3) { args.ints_at(3)? } else { (0..rank as i64).collect() };
    if pads.len() != 2 * axes.len() {
        return Err(Refused(format!("{} widths for {} dimensions", pads.len(), axes.len())));
    }
    let mut widths = vec![[0i64; 2]; rank];
    for (at, axis) in axes.iter().enumerate() {
        widths[cx.axis(*axis, rank)?] = [pads[at], pads[at + axes.len()]];
    }
    let mode = match args.text("mode", "constant")?.as_str() {
        "wrap" => "circular",
        "constant" => "constant",
        "edge" => "edge",
        "reflect" => "reflect",
        other => return Err(Refused(format!("the mode \"{other}\" has no rule"))),
    };
    let value = match args.input(2) {
        Val::Absent => args.float("value", 0.0)?,
        _ => args.float_at(2)?,
    };
    with_border(cx, &x, &widths, mode, value).map(Val::from)
}

/// A border of these widths before and after each dimension; negative ones cut off.
pub fn with_border(cx: &Cx<'_>, x: &Expr, widths: &[[i64; 2]], mode: &str, value: f64) -> Res<Expr> {
    let mut x = x.clone();
    for (axis, [before, after]) in widths.iter().enumerate() {
        if *before < 0 || *after < 0 {
            let extent = cx.extent(&x, axis)?;
            let end = cx.simplified(&(&extent + &one((*after).min(0))));
            x = cx.slice(&x, axis, &one(before.min(&0).saturating_neg()), &end, 1)?;
        }
    }
    let widths: Vec<i64> = widths.iter().flatten().map(|width| *width.max(&0)).collect();
    if widths.iter().all(|width| *width == 0) {
        return Ok(x);
    }
    let dtype = cx.dtype(&x)?;
    let attrs = |value: f64| {
        [("pad_width", widths.clone().to_attr()), ("pad_value", value.to_attr()), ("pad_mode", mode.to_attr())]
    };
    if dtype.is_bool() {
        let found = cx.call(&pad::OP, &[&cx.astype(&x, DataType::I8)?], attrs(value))?;
        return cx.astype(&found, dtype);
    }
    cx.call(&pad::OP, &[&x], attrs(value))
}

fn tiled(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    let repeats = args.dims_at(cx, 1)?;
    let constant = repeats.iter().map(scalar::Expr::as_int).collect::<Option<Vec<i64>>>();
    if let Some(repeats) = constant {
        return Ok(cx.call(&tile::OP, &[&x], [("repeats", repeats.to_attr())])?.into());
    }
    // Each dimension as one of 1 before it, which repeats.
    let own = cx.shape(&x)?;
    let (mut apart, mut wide, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for (size, count) in own.iter().zip(&repeats) {
        apart.extend([one(1), size.clone()]);
        wide.extend([count.clone(), size.clone()]);
        all.push(cx.product(&[count.clone(), size.clone()]));
    }
    let apart = cx.reshape(&x, apart)?;
    let wide = cx.call(&broadcast_to::OP, &[&apart, &Expr::shape(wide)], [])?;
    Ok(cx.reshape(&wide, all)?.into())
}

fn same(cx: &Cx<'_>, a: &scalar::Expr, b: &scalar::Expr) -> bool {
    cx.bb.infer_cx().analyzer.prove_equal(a, b)
}

/// The tensor broadcast with a shape: sizes of 1 in either yield.
fn expanded(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, wanted) = (args.tensor(cx, 0)?, args.dims_at(cx, 1)?);
    let own = cx.shape(&x)?;
    let rank = own.len().max(wanted.len());
    let size = |dims: &[scalar::Expr], at: usize| (at + dims.len()).checked_sub(rank).map(|own| dims[own].clone());
    let mut dims = Vec::new();
    for at in 0..rank {
        dims.push(match (size(&own, at), size(&wanted, at)) {
            // A size other than 1 stays, whatever the run wants.
            (Some(own), Some(wanted)) if wanted.as_int() == Some(1) || own.as_int().is_some_and(|own| own != 1) => own,
            (Some(own), Some(wanted))
                if wanted.as_int().is_none() && own.as_int().is_none() && !same(cx, &own, &wanted) =>
            {
                scalar::Expr::select(&scalar::Expr::compare(CmpOp::Eq, &wanted, &one(1))?, &own, &wanted)?
            }
            (_, Some(wanted)) => wanted,
            (Some(own), None) => own,
            (None, None) => one(1),
        });
    }
    Ok(cx.call(&broadcast_to::OP, &[&x, &Expr::shape(dims)], [])?.into())
}

fn block(cx: &Cx<'_>, x: &Expr, size: i64) -> Res<[scalar::Expr; 5]> {
    match (cx.shape(x)?.as_slice(), size) {
        ([n, c, h, w], 1..=4096) => Ok([n.clone(), c.clone(), h.clone(), w.clone(), one(size)]),
        _ => Err(Refused::new("it takes an image of 4 dimensions and a block of a positive size")),
    }
}

fn depth_to_space(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    let [n, c, h, w, b] = block(cx, &x, args.int("blocksize", 0)?)?;
    let channels = cx.integer(BinOp::FloorDiv, &c, &(&b * &b))?;
    let (apart, axes) = match args.text("mode", "DCR")?.as_str() {
        "DCR" => {
            (vec![n.clone(), b.clone(), b.clone(), channels.clone(), h.clone(), w.clone()], vec![0, 3, 4, 1, 5, 2])
        }
        "CRD" => {
            (vec![n.clone(), channels.clone(), b.clone(), b.clone(), h.clone(), w.clone()], vec![0, 1, 4, 2, 5, 3])
        }
        other => return Err(Refused(format!("the mode \"{other}\" has no rule"))),
    };
    let mixed = cx.permute(&cx.reshape(&x, apart)?, axes)?;
    Ok(cx.reshape(&mixed, vec![n, channels, cx.product(&[h, b.clone()]), cx.product(&[w, b])])?.into())
}

fn space_to_depth(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    let [n, c, h, w, b] = block(cx, &x, args.int("blocksize", 0)?)?;
    let (rows, columns) = (cx.integer(BinOp::FloorDiv, &h, &b)?, cx.integer(BinOp::FloorDiv, &w, &b)?);
    let apart = vec![n.clone(), c.clone(), rows.clone(), b.clone(), columns.clone(), b.clone()];
    let axes = match args.text("mode", "DCR")?.as_str() {
        "DCR" => vec![0, 3, 5, 1, 2, 4],
        "CRD" => vec![0, 1, 3, 5, 2, 4],
        other => return Err(Refused(format!("the mode \"{other}\" has no rule"))),
    };
    let mixed = cx.permute(&cx.reshape(&x, apart)?, axes)?;
    Ok(cx.reshape(&mixed, vec![n, cx.product(&[c, b.clone(), b]), rows, columns])?.into())
}

fn center_crop_pad(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    let (rank, wanted) = (cx.rank(&x)?, args.ints_at(1)?);
    let axes = args.ints("axes")?.unwrap_or_else(|| (0..rank as i64).collect());
    let mut widths = vec![[0i64; 2]; rank];
    for (axis, size) in axes.iter().zip(&wanted) {
        let axis = cx.axis(*axis, rank)?;
        let own = cx.extent(&x, axis)?.as_int().ok_or_else(|| Refused::new("a symbolic size has no rule"))?;
        let more = size.saturating_sub(own).clamp(-own, i64::from(i32::MAX));
        widths[axis] = if more >= 0 { [more / 2, more - more / 2] } else { [-(-more / 2), more + (-more / 2)] };
    }
    with_border(cx, &x, &widths, "constant", 0.0).map(Val::from)
}
