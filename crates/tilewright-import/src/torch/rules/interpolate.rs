//! Images in other sizes, of which each element is a weighted mean of all that lie under it, so that fine patterns do
//! not become coarse ones.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::linear_algebra::matmul;
use tilewright_tensor::{DataType, Tensor};

use super::super::rule::{Rule, rule};
use crate::common::{Args, Cx, Number, Refused, Res, Value};

/// Sizes, whether corners lie on corners, and the factors, which ATen has as a list or one by one.
const ATEN: &str = "input, output_size, align_corners, scale_factors|scales_h=None, scales_w=None";

pub const RULES: &[Rule] = &[
    rule("_upsample_bilinear2d_aa", ATEN, |cx, args| of_aten(cx, args, "bilinear")),
    rule("_upsample_bicubic2d_aa", ATEN, |cx, args| of_aten(cx, args, "bicubic")),
];

/// The most weights of a dimension: its old size times its new one.
const MOST_WEIGHTS: i64 = 1 << 24;

fn of_aten(cx: &mut Cx<'_>, args: &Args, mode: &str) -> Res {
    let factors = match args.get("scale_factors") {
        Value::List(factors) => factors.clone(),
        one => vec![one.clone(), args.get("scales_w").clone()],
    };
    let x = args.tensor("input")?;
    let sizes = if args.has("output_size") { Some(args.dims("output_size")?) } else { None };
    smoothed(cx, &x, sizes, &factors, mode, args.flag("align_corners")?).map(Value::Tensor)
}

/// The image in other sizes, or by factors; where both are given, the factors say where elements lie.
pub fn smoothed(
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
        let too_many = extent.checked_mul(size).is_none_or(|all| all > MOST_WEIGHTS);
        if size < 1 || extent < 1 || too_many || !scale.is_finite() {
            return Err(Refused(format!("{size} elements instead of {extent} have no rule")));
        }
        let (table, dtype) = (table(extent, size, scale, mode)?, cx.dtype(x)?);
        let table = match dtype {
            DataType::F64 => Tensor::from_vec(&[size, extent], table)?,
            _ => Tensor::from_vec(&[size, extent], table.into_iter().map(|weight| weight as f32).collect())?,
        };
        weights.push(cx.astype(&Expr::constant(table), dtype)?);
    }
    let narrow = cx.call(&matmul::OP, &[x, &cx.permute(&weights[1], vec![1, 0])?], [])?;
    cx.call(&matmul::OP, &[&weights[0], &narrow], [])
}

/// For each of `size` elements, which lie `scale` apart, how much each of `extent` counts: less with the distance, as
/// far as the filter reaches, and 1 together.
fn table(extent: i64, size: i64, scale: f64, mode: &str) -> Res<Vec<f64>> {
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
        let weight = |place: i64| match (begin..end).contains(&place) {
            true => filter((place as f64 - center + 0.5) / widening),
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
