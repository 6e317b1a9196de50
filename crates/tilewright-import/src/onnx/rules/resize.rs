//! `Resize` and `Upsample`.
//!
//! Images of four dimensions whose rows and columns are resized become the operator `image.resize2d`, where that has
//! the coordinates of ONNX; their sizes may be symbolic. All else is computed dimension by dimension: each is a product
//! with a matrix of weights, or for the nearest element a selection, both constants.

use tilewright_expr as scalar;
use tilewright_expr::CmpOp;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::add;
use tilewright_ops::image::resize2d;
use tilewright_ops::linear_algebra::matmul;
use tilewright_tensor::{DataType, Tensor};

use super::super::rule::{Args, Rule, rule};
use super::super::values::Val;
use super::gather::taken;
use crate::common::{Cx, Refused, Res, ToAttr};

pub const RULES: &[Rule] = &[
    rule(
        "Resize",
        "X roi? scales? sizes?",
        "antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value \
        keep_aspect_ratio_policy mode nearest_mode",
        resize,
    ),
    rule("Upsample", "X scales?", "mode scales height_scale width_scale", upsample),
];

/// The rounding before version 11, which has no name there: down where a dimension grows, up where it shrinks.
const BY_DIRECTION: &str = "";

/// How elements of a dimension are found.
struct Method {
    mode: String,
    coordinates: String,
    nearest: String,
    cubic: f64,
    exclude_outside: bool,
    antialias: bool,
    extrapolation: f64,
}

/// A dimension in another size.
struct Axis {
    axis: usize,
    /// The new size over the old one, as the model says it.
    scale: f64,
    size: i64,
    roi: [f64; 2],
}

fn upsample(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let scales = match args.floats("scales")? {
        Some(scales) => scales,
        None if args.has(1) => args.floats_at(1)?,
        None => vec![1.0, 1.0, args.float("height_scale", 1.0)?, args.float("width_scale", 1.0)?],
    };
    let mode = args.text("mode", "nearest")?;
    let method = Method {
        mode: if mode == "bilinear" { "linear".to_owned() } else { mode },
        coordinates: "asymmetric".to_owned(),
        nearest: BY_DIRECTION.to_owned(),
        cubic: -0.75,
        exclude_outside: false,
        antialias: false,
        extrapolation: 0.0,
    };
    let x = args.tensor(cx, 0)?;
    scaled(cx, &x, &scales, &method)
}

/// Version 10 has the scales as its second input, and the coordinates of `Upsample`.
fn resize(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    let old = args.opset < 11;
    let method = Method {
        mode: args.text("mode", "nearest")?,
        coordinates: args.text("coordinate_transformation_mode", if old { "asymmetric" } else { "half_pixel" })?,
        nearest: args.text("nearest_mode", if old { BY_DIRECTION } else { "round_prefer_floor" })?,
        cubic: args.float("cubic_coeff_a", -0.75)?,
        exclude_outside: args.flag("exclude_outside", false)?,
        antialias: args.flag("antialias", false)?,
        extrapolation: args.float("extrapolation_value", 0.0)?,
    };
    let rank = cx.rank(&x)?;
    let axes = match args.ints("axes")? {
        Some(axes) => axes.iter().map(|axis| cx.axis(*axis, rank)).collect::<Res<Vec<_>>>()?,
        None => (0..rank).collect(),
    };
    if old {
        return scaled(cx, &x, &args.floats_at(1)?, &method);
    }
    let is_empty = |at: usize| args.input(at).known().is_some_and(|known| known.items.is_empty());
    if args.has(2) && !is_empty(2) {
        let mut scales = vec![1.0; rank];
        axes.iter().zip(args.floats_at(2)?).for_each(|(axis, scale)| scales[*axis] = scale);
        if method.coordinates == "tf_crop_and_resize" {
            return in_region(cx, args, &x, &axes, &method);
        }
        return scaled(cx, &x, &scales, &method);
    }
    let sizes = args.dims_at(cx, 3)?;
    if sizes.len() != axes.len() {
        return Err(Refused(format!("{} sizes for {} dimensions", sizes.len(), axes.len())));
    }
    if method.coordinates == "tf_crop_and_resize" {
        return in_region(cx, args, &x, &axes, &method);
    }
    let policy = args.text("keep_aspect_ratio_policy", "stretch")?;
    if policy != "stretch" {
        return with_ratio(cx, &x, &axes, &sizes, &policy, &method);
    }
    let shape = cx.shape(&x)?;
    let mut wanted = shape.clone();
    axes.iter().zip(sizes).for_each(|(axis, size)| wanted[*axis] = size);
    if let Some(found) = as_image(cx, &x, &wanted, &method)? {
        return Ok(found.into());
    }
    let mut all = Vec::new();
    for (axis, size) in wanted.iter().enumerate() {
        if cx.bb.infer_cx().analyzer.prove_equal(size, &shape[axis]) {
            continue;
        }
        let (own, size) = (known_size(&shape[axis])?, known_size(size)?);
        all.push(Axis { axis, scale: size as f64 / own as f64, size, roi: [0.0, 1.0] });
    }
    by_axes(cx, &x, &all, &method).map(Val::from)
}

fn known_size(size: &scalar::Expr) -> Res<i64> {
    size.as_int().ok_or_else(|| Refused::new("this needs data of known size"))
}

/// The region of the data that is resized, by its share of each dimension.
fn in_region(cx: &mut Cx<'_>, args: &Args<'_>, x: &Expr, axes: &[usize], method: &Method) -> Res<Val> {
    let roi = args.floats_at(1)?;
    if roi.len() != 2 * axes.len() {
        return Err(Refused(format!("a region of {} numbers for {} dimensions", roi.len(), axes.len())));
    }
    let shape = cx.shape(x)?;
    let scales = if args.has(2) { args.floats_at(2)? } else { Vec::new() };
    let sizes = if args.has(3) { args.ints_at(3)? } else { Vec::new() };
    let mut all = Vec::new();
    for (at, axis) in axes.iter().enumerate() {
        let own = known_size(&shape[*axis])?;
        let (scale, size) = match (scales.get(at), sizes.get(at)) {
            (Some(scale), _) => (*scale, (own as f64 * scale).floor() as i64),
            (None, Some(size)) => (*size as f64 / own as f64, *size),
            _ => return Err(Refused::new("neither scales nor sizes")),
        };
        all.push(Axis { axis: *axis, scale, size, roi: [roi[at], roi[at + axes.len()]] });
    }
    by_axes(cx, x, &all, method).map(Val::from)
}

/// One scale for all dimensions, so that none is larger, or none is smaller, than its size.
fn with_ratio(
    cx: &mut Cx<'_>,
    x: &Expr,
    axes: &[usize],
    sizes: &[scalar::Expr],
    policy: &str,
    method: &Method,
) -> Res<Val> {
    let shape = cx.shape(x)?;
    let own = axes.iter().map(|axis| known_size(&shape[*axis])).collect::<Res<Vec<_>>>()?;
    let sizes = sizes.iter().map(known_size).collect::<Res<Vec<_>>>()?;
    let scales = sizes.iter().zip(&own).map(|(size, own)| *size as f64 / *own as f64);
    let scale = match policy {
        "not_larger" => scales.fold(f64::INFINITY, f64::min),
        "not_smaller" => scales.fold(f64::NEG_INFINITY, f64::max),
        other => return Err(Refused(format!("the policy \"{other}\" has no rule"))),
    };
    let all = axes.iter().zip(&own).map(|(axis, own)| {
        let size = (scale * *own as f64 + 0.5).floor() as i64;
        Axis { axis: *axis, scale, size, roi: [0.0, 1.0] }
    });
    by_axes(cx, x, &all.collect::<Vec<_>>(), method).map(Val::from)
}

/// Sizes are rounded down; where that changes none, an image may be of symbolic size.
fn scaled(cx: &mut Cx<'_>, x: &Expr, scales: &[f64], method: &Method) -> Res<Val> {
    let shape = cx.shape(x)?;
    if scales.len() != shape.len() || scales.iter().any(|scale| !(*scale > 0.0 && scale.is_finite())) {
        return Err(Refused(format!("the scales {scales:?} for {} dimensions", shape.len())));
    }
    let size = |(own, scale): (&scalar::Expr, &f64)| match own.as_int() {
        Some(own) if (own as f64 * scale).fract() == 0.0 => Some(scalar::Expr::i64((own as f64 * scale) as i64)),
        None if scale.fract() == 0.0 => Some(cx.simplified(&(own * (*scale as i64)))),
        _ => None,
    };
    if let Some(wanted) = shape.iter().zip(scales).map(size).collect::<Option<Vec<_>>>()
        && let Some(found) = as_image(cx, x, &wanted, method)?
    {
        return Ok(found.into());
    }
    let mut all = Vec::new();
    for (axis, scale) in scales.iter().enumerate().filter(|(_, scale)| **scale != 1.0) {
        let size = (known_size(&shape[axis])? as f64 * scale).floor() as i64;
        all.push(Axis { axis, scale: *scale, size, roi: [0.0, 1.0] });
    }
    by_axes(cx, x, &all, method).map(Val::from)
}

/// An image whose rows and columns alone change, by the operator for images; nothing where that is another one.
fn as_image(cx: &Cx<'_>, x: &Expr, wanted: &[scalar::Expr], method: &Method) -> Res<Option<Expr>> {
    let shape = cx.shape(x)?;
    let analyzer = &cx.bb.infer_cx().analyzer;
    let same = |at: usize| analyzer.prove_equal(&shape[at], &wanted[at]);
    let coordinates = method.coordinates.as_str();
    let known = matches!(coordinates, "half_pixel" | "align_corners" | "asymmetric" | "pytorch_half_pixel");
    let is_image = shape.len() == 4 && same(0) && same(1) && known && cx.dtype(x)?.is_float();
    if !is_image || method.antialias || method.exclude_outside {
        return Ok(None);
    }
    let (name, rounding) = match method.mode.as_str() {
        "nearest" if method.nearest == BY_DIRECTION => {
            match shape.iter().zip(wanted).all(|(own, size)| analyzer.decide(CmpOp::Le, own, size) == Some(true)) {
                true => ("nearest_neighbor", "floor"),
                false => return Ok(None),
            }
        }
        "nearest" => ("nearest_neighbor", method.nearest.as_str()),
        "linear" => ("linear", ""),
        "cubic" => ("cubic", ""),
        _ => return Ok(None),
    };
    let attrs = [
        ("layout", "NCHW".to_attr()),
        ("method", name.to_attr()),
        ("coordinate_transformation_mode", coordinates.to_attr()),
        ("rounding_method", rounding.to_attr()),
        ("cubic_alpha", method.cubic.to_attr()),
    ];
    cx.call(&resize2d::OP, &[x, &Expr::shape(wanted[2..].to_vec())], attrs).map(Some)
}

/// The number of weights of a dimension, its old size times its new one, at most.
const MAX_WEIGHTS: i64 = 1 << 24;

fn by_axes(cx: &mut Cx<'_>, x: &Expr, axes: &[Axis], method: &Method) -> Res<Expr> {
    let mut x = x.clone();
    for one in axes {
        let own = known_size(&cx.extent(&x, one.axis)?)?;
        if one.size < 1 || own < 1 || own.checked_mul(one.size).is_none_or(|all| all > MAX_WEIGHTS) {
            return Err(Refused(format!("{} elements instead of {own} have no rule", one.size)));
        }
        x = resized(cx, &x, own, one, method)?;
    }
    Ok(x)
}

/// One dimension in its new size.
fn resized(cx: &mut Cx<'_>, x: &Expr, own: i64, one: &Axis, method: &Method) -> Res<Expr> {
    let rows = (0..one.size).map(|at| weights(own, at, one, method)).collect::<Res<Vec<_>>>()?;
    let inside = rows.iter().all(|row| row.is_some());
    if method.mode == "nearest" && inside {
        let first = |row: &Option<Vec<(i64, f64)>>| {
            row.iter().flatten().find(|(_, weight)| *weight != 0.0).map_or(0, |(index, _)| *index)
        };
        let indices = Expr::constant(Tensor::from_vec(&[one.size], rows.iter().map(first).collect::<Vec<i64>>())?);
        return taken(cx, x, &indices, one.axis);
    }
    let mut table = vec![0f64; (own * one.size) as usize];
    let mut outside = vec![0f64; one.size as usize];
    for (at, row) in rows.into_iter().enumerate() {
        match row {
            Some(row) => {
                row.into_iter().for_each(|(index, weight)| table[index as usize * one.size as usize + at] += weight)
            }
            None => outside[at] = method.extrapolation,
        }
    }
    let dtype = cx.dtype(x)?;
    let work = if dtype == DataType::F64 { dtype } else { DataType::F32 };
    let constant = |shape: &[i64], values: Vec<f64>| -> Res<Expr> {
        let tensor = match work {
            DataType::F64 => Tensor::from_vec(shape, values)?,
            _ => Tensor::from_vec(shape, values.into_iter().map(|value| value as f32).collect())?,
        };
        Ok(Expr::constant(tensor))
    };
    let rank = cx.rank(x)? as i64;
    let axis = one.axis as i64;
    let to_last: Vec<i64> = (0..rank).filter(|at| *at != axis).chain([axis]).collect();
    let mut back: Vec<i64> = (0..rank - 1).collect();
    back.insert(one.axis, rank - 1);
    let moved = cx.permute(&cx.astype(x, work)?, to_last)?;
    let mut found = cx.call(&matmul::OP, &[&moved, &constant(&[own, one.size], table)?], [])?;
    if outside.iter().any(|value| *value != 0.0) {
        found = cx.call(&add::OP, &[&found, &constant(&[one.size], outside)?], [])?;
    }
    cx.astype(&cx.permute(&found, back)?, dtype)
}

/// The elements and their weights that make up a new element; nothing for one outside of the region.
fn weights(own: i64, at: i64, one: &Axis, method: &Method) -> Res<Option<Vec<(i64, f64)>>> {
    let (x, width, wanted) = (at as f64, own as f64, one.scale * own as f64);
    // In float32, as scales are: whether a position is that of an element or below it depends on the rounding.
    let centre = || f64::from((at as f32 + 0.5) / one.scale as f32 - 0.5);
    let position = match method.coordinates.as_str() {
        "align_corners" if wanted == 1.0 => 0.0,
        "align_corners" => x * (width - 1.0) / (wanted - 1.0),
        "asymmetric" => f64::from(at as f32 / one.scale as f32),
        "pytorch_half_pixel" if one.size == 1 => 0.0,
        "half_pixel" | "pytorch_half_pixel" => centre(),
        "half_pixel_symmetric" => {
            let offset = width / 2.0 * (1.0 - one.size as f64 / wanted);
            offset + (x + 0.5) / one.scale - 0.5
        }
        "tf_half_pixel_for_nn" => f64::from((at as f32 + 0.5) / one.scale as f32),
        "tf_crop_and_resize" => {
            let [begin, end] = one.roi;
            let inside = match one.size == 1 {
                true => (end - begin) * (width - 1.0) / 2.0,
                false => x * (end - begin) * (width - 1.0) / (one.size - 1) as f64,
            };
            let position = inside + begin * (width - 1.0);
            if position < 0.0 || position > width - 1.0 {
                return Ok(None);
            }
            position
        }
        other => return Err(Refused(format!("the coordinates \"{other}\" have no rule"))),
    };
    let base = position.ceil() - 1.0;
    let weights = coefficients(position - base, one.scale, method)?;
    let first = base as i64 - weights.len() as i64 / 2 + 1;
    let mut found: Vec<(i64, f64)> = (first..).zip(weights).collect();
    if method.exclude_outside {
        found.retain(|(index, _)| (0..own).contains(index));
        let total: f64 = found.iter().map(|(_, weight)| weight).sum();
        found.iter_mut().for_each(|(_, weight)| *weight /= total);
    }
    found.iter_mut().for_each(|(index, _)| *index = (*index).clamp(0, own - 1));
    Ok(Some(found))
}

/// The weights of the elements around a position, of which `ratio` in (0, 1] is the distance from the one before it.
fn coefficients(ratio: f64, scale: f64, method: &Method) -> Res<Vec<f64>> {
    let a = method.cubic;
    let cubic = |x: f64| {
        let x = x.abs();
        match x {
            0.0..=1.0 => ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0,
            1.0..2.0 => ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a,
            _ => 0.0,
        }
    };
    let linear = |x: f64| (1.0 - x.abs()).max(0.0);
    let reach = |radius: f64| {
        let scale = if method.antialias { scale.min(1.0) } else { 1.0 };
        let first = (-radius / scale).floor() as i64 + 1;
        (first..2 - first).map(move |at| (at as f64 - ratio) * scale)
    };
    let normalised = |weights: Vec<f64>| {
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / total).collect()
    };
    Ok(match method.mode.as_str() {
        "nearest" => {
            let upper = ratio == 1.0
                || match method.nearest.as_str() {
                    BY_DIRECTION => scale < 1.0,
                    "floor" => false,
                    "ceil" => true,
                    "round_prefer_floor" => ratio > 0.5,
                    "round_prefer_ceil" => ratio >= 0.5,
                    other => return Err(Refused(format!("the rounding \"{other}\" has no rule"))),
                };
            if upper { vec![0.0, 1.0] } else { vec![1.0, 0.0] }
        }
        "linear" => normalised(reach(1.0).map(linear).collect()),
        "cubic" => normalised(reach(2.0).map(cubic).collect()),
        other => return Err(Refused(format!("the mode \"{other}\" has no rule"))),
    })
}
