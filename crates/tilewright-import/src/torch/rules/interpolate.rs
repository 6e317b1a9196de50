//! Resizing of images: `interpolate`, and with `antialias` a weighted mean of all elements under each.

use tilewright_expr as scalar;
use tilewright_expr::BinOp;
use tilewright_ir::relax::Expr;
use tilewright_ops::image::resize2d;
use tilewright_ops::linear_algebra::matmul;
use tilewright_tensor::{DataType, Tensor};

use super::super::rule::{Rule, rule};
use crate::common::{Args, Cx, Number, Refused, Res, ToAttr, Value};

/// Sizes, alignment of corners, and scale factors, which ATen has as a list or one by one.
const ATEN: &str = "input, output_size, align_corners, scale_factors|scales_h=None, scales_w=None";

pub const RULES: &[Rule] = &[
    rule("_upsample_bilinear2d_aa", ATEN, |cx, args| of_aten(cx, args, "bilinear")),
    rule("_upsample_bicubic2d_aa", ATEN, |cx, args| of_aten(cx, args, "bicubic")),
    rule(
        "interpolate upsample",
        "input, size=None, scale_factor=None, mode=nearest, align_corners=None, \
        recompute_scale_factor=None, antialias=False",
        interpolate,
    ),
    rule("_upsample_nearest_exact2d", "input, output_size, scale_factors=None", |cx, args| {
        resized_as(cx, args, "nearest-exact")
    }),
    rule("upsample_nearest2d", "input, output_size, scale_factors=None", |cx, args| resized_as(cx, args, "nearest")),
    rule("upsample_bilinear2d", "input, output_size, align_corners, scale_factors=None", |cx, args| {
        resized_as(cx, args, "bilinear")
    }),
    rule("upsample_bicubic2d", "input, output_size, align_corners, scale_factors=None", |cx, args| {
        resized_as(cx, args, "bicubic")
    }),
];

/// The rows and columns of a batch of images.
fn extents(cx: &Cx<'_>, x: &Expr) -> Res<[scalar::Expr; 2]> {
    match cx.shape(x)?.as_slice() {
        [_, _, rows, columns] => Ok([rows.clone(), columns.clone()]),
        other => Err(Refused(format!("only images (of 4 dimensions) have a rule, found {} dimensions", other.len()))),
    }
}

fn interpolate(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (mode, align_corners) = (args.text("mode")?, args.flag("align_corners")?);
    if args.flag("antialias")? {
        return antialiased(cx, args, mode, align_corners).map(Value::Tensor);
    }
    if args.has("size") {
        return resized(cx, &args.tensor("input")?, size_of_image(args)?, mode, align_corners);
    }
    let by_size = align_corners || args.flag("recompute_scale_factor")?;
    scaled(cx, &args.tensor("input")?, args.get("scale_factor"), mode, align_corners, by_size)
}

/// The size of an image; one number means both.
fn size_of_image(args: &Args) -> Res<Vec<scalar::Expr>> {
    let size = args.dims("size")?;
    Ok(if let [one] = &size[..] { vec![one.clone(); 2] } else { size })
}

fn antialiased(cx: &mut Cx<'_>, args: &Args, mode: &str, align_corners: bool) -> Res<Expr> {
    let twice = |one: &Value| match one {
        Value::List(items) => items.clone(),
        one => vec![one.clone(); 2],
    };
    let x = args.tensor("input")?;
    let size = match args.has("size") {
        true => Some(size_of_image(args)?),
        false => None,
    };
    match args.flag("recompute_scale_factor")? && size.is_none() {
        true => Err(Refused::new("`recompute_scale_factor` with `antialias` has no rule: say `size`")),
        false => antialiased_image(cx, &x, size, &twice(args.get("scale_factor")), mode, align_corners),
    }
}

fn resized_as(cx: &mut Cx<'_>, args: &Args, mode: &str) -> Res {
    let (x, align_corners) = (args.tensor("input")?, args.flag("align_corners")?);
    if args.has("output_size") && args.has("scale_factors") {
        return Err(Refused::new("`output_size` with `scale_factors` has no rule"));
    }
    match args.has("output_size") {
        true => resized(cx, &x, args.dims("output_size")?, mode, align_corners),
        false => scaled(cx, &x, args.get("scale_factors"), mode, align_corners, align_corners),
    }
}

/// The image scaled by factors; sizes are rounded down. Coordinates follow from the sizes (`by_size`) or from the
/// factors themselves; in that case elements after the last sampled one are cut off, so that both give the same.
fn scaled(cx: &Cx<'_>, x: &Expr, factors: &Value, mode: &str, align_corners: bool, by_size: bool) -> Res {
    let factors = match factors {
        Value::List(factors) => factors.clone(),
        one => vec![one.clone(); 2],
    };
    let (mut x, mut size) = (x.clone(), Vec::new());
    for (axis, (extent, factor)) in extents(cx, &x)?.into_iter().zip(&factors).enumerate() {
        let factor = Number::of(factor).map_or(f64::NAN, |factor| factor.as_f64());
        let (inverse, floor) = (1.0 / factor, |extent: i64| (extent as f64 * factor).floor());
        match extent.as_int() {
            _ if factor.is_nan() || factor <= 0.0 => return Err(Refused::new("a `scale_factor` is a positive number")),
            _ if factor.fract() == 0.0 => size.push(cx.simplified(&(&extent * factor as i64))),
            Some(extent) if by_size || floor(extent) == extent as f64 * factor => {
                size.push(scalar::Expr::i64(floor(extent) as i64));
            }
            _ if inverse.fract() == 0.0 && (by_size || !mode.contains("cubic")) => {
                let divisor = scalar::Expr::i64(inverse as i64);
                let small = cx.integer(BinOp::FloorDiv, &extent, &divisor)?;
                if !by_size {
                    let used = cx.integer(BinOp::Mul, &small, &divisor)?;
                    x = cx.slice(&x, axis + 2, &scalar::Expr::i64(0), &used, 1)?;
                }
                size.push(small);
            }
            _ => return Err(Refused::new("a `scale_factor` that gives no whole size has no rule: say `size`")),
        }
    }
    resized(cx, &x, size, mode, align_corners)
}

fn resized(cx: &Cx<'_>, x: &Expr, size: Vec<scalar::Expr>, mode: &str, align_corners: bool) -> Res {
    extents(cx, x)?;
    let (method, coordinates, rounding) = match (mode, align_corners) {
        ("nearest", _) => ("nearest_neighbor", "asymmetric", "floor"),
        ("nearest-exact", _) => ("nearest_neighbor", "half_pixel", "round_prefer_ceil"),
        ("bilinear" | "linear", true) => ("linear", "align_corners", ""),
        ("bilinear" | "linear", false) => ("linear", "half_pixel", ""),
        ("bicubic" | "cubic", true) => ("cubic", "align_corners", ""),
        ("bicubic" | "cubic", false) => ("cubic", "half_pixel", ""),
        _ => return Err(Refused(format!("the mode \"{mode}\" has no rule"))),
    };
    let attrs = [
        ("layout", "NCHW".to_attr()),
        ("method", method.to_attr()),
        ("coordinate_transformation_mode", coordinates.to_attr()),
        ("rounding_method", rounding.to_attr()),
        // The coefficient of PyTorch.
        ("cubic_alpha", (-0.75f64).to_attr()),
    ];
    cx.call(&resize2d::OP, &[x, &Expr::shape(size)], attrs).map(Value::Tensor)
}

/// The number of weights of a dimension, its old size times its new one, at most.
const MAX_WEIGHTS: i64 = 1 << 24;

fn of_aten(cx: &mut Cx<'_>, args: &Args, mode: &str) -> Res {
    let factors = match args.get("scale_factors") {
        Value::List(factors) => factors.clone(),
        one => vec![one.clone(), args.get("scales_w").clone()],
    };
    let x = args.tensor("input")?;
    let sizes = if args.has("output_size") { Some(args.dims("output_size")?) } else { None };
    antialiased_image(cx, &x, sizes, &factors, mode, args.flag("align_corners")?).map(Value::Tensor)
}

/// The image in other sizes, or by factors; where both are given, the factors determine the coordinates.
fn antialiased_image(
    cx: &mut Cx<'_>,
    x: &Expr,
    sizes: Option<Vec<scalar::Expr>>,
    factors: &[Value],
    mode: &str,
    align_corners: bool,
) -> Res<Expr> {
    let shape = cx.shape(x)?;
    let ([_, _, rows, columns], true) = (shape.as_slice(), cx.dtype(x)?.is_float()) else {
        return Err(Refused::new("`antialias` is for images of floats, of 4 dimensions"));
    };
    let mut weights = Vec::new();
    for (at, extent) in [rows, columns].into_iter().enumerate() {
        let factor = factors.get(at).and_then(Number::of).map(Number::as_f64);
        let extent = extent.as_int().ok_or_else(|| Refused::new("`antialias` needs an image of known size"))?;
        let size = match (sizes.as_ref().map(|sizes| sizes.get(at).and_then(scalar::Expr::as_int)), factor) {
            (Some(Some(size)), _) => size,
            (None, Some(factor)) => (extent as f64 * factor).floor() as i64,
            _ => return Err(Refused::new("`antialias` needs a known size or a factor")),
        };
        let scale = match (align_corners, factor) {
            (true, _) if size > 1 => (extent - 1) as f64 / (size - 1) as f64,
            (true, _) => 0.0,
            (false, Some(factor)) => 1.0 / factor,
            (false, None) => extent as f64 / size as f64,
        };
        let too_many = extent.checked_mul(size).is_none_or(|all| all > MAX_WEIGHTS);
        if size < 1 || extent < 1 || too_many || !scale.is_finite() {
            return Err(Refused(format!("{size} elements instead of {extent} have no rule")));
        }
        let (table, dtype) = (filter_weights(extent, size, scale, mode)?, cx.dtype(x)?);
        let table = match dtype {
            DataType::F64 => Tensor::from_vec(&[size, extent], table)?,
            _ => Tensor::from_vec(&[size, extent], table.into_iter().map(|weight| weight as f32).collect())?,
        };
        weights.push(cx.astype(&Expr::constant(table), dtype)?);
    }
    let narrow = cx.call(&matmul::OP, &[x, &cx.permute(&weights[1], vec![1, 0])?], [])?;
    cx.call(&matmul::OP, &[&weights[0], &narrow], [])
}

/// The weight of each of `extent` elements in each of `size` elements at distance `scale`: the filter's value at their
/// distance, normalised to a sum of 1.
fn filter_weights(extent: i64, size: i64, scale: f64, mode: &str) -> Res<Vec<f64>> {
    let (filter, reach): (fn(f64) -> f64, f64) = match mode {
        "bilinear" => (triangle, 1.0),
        "bicubic" => (cubic, 2.0),
        other => return Err(Refused(format!("`antialias` is for \"bilinear\" and \"bicubic\", found \"{other}\""))),
    };
    let widening = scale.max(1.0);
    let mut table = Vec::with_capacity((extent * size) as usize);
    for at in 0..size {
        let center = scale * (at as f64 + 0.5);
        let begin = ((center - reach * widening + 0.5) as i64).max(0);
        let end = ((center + reach * widening + 0.5) as i64).min(extent);
        let weight = |index: i64| match (begin..end).contains(&index) {
            true => filter((index as f64 - center + 0.5) / widening),
            false => 0.0,
        };
        let weights: Vec<f64> = (0..extent).map(weight).collect();
        let total: f64 = weights.iter().sum();
        let total = if total == 0.0 { 1.0 } else { total };
        table.extend(weights.into_iter().map(|weight| weight / total));
    }
    Ok(table)
}

fn triangle(x: f64) -> f64 {
    (1.0 - x.abs()).max(0.0)
}

/// The cubic convolution kernel with -1/2, as images are resized with it (R. Keys, "Cubic convolution interpolation for
/// digital image processing", 1981).
fn cubic(x: f64) -> f64 {
    let x = x.abs();
    match x {
        0.0..1.0 => (1.5 * x - 2.5) * x * x + 1.0,
        1.0..2.0 => ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0,
        _ => 0.0,
    }
}
