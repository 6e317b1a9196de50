//! Convolutions, and images of another size.

use tilewright_expr as scalar;
use tilewright_expr::BinOp;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::add;
use tilewright_ops::image::resize2d;
use tilewright_ops::manipulate::{expand_dims, squeeze};
use tilewright_ops::nn::{conv1d, conv1d_transpose, conv2d, conv2d_transpose, conv3d, conv3d_transpose, pad};

use super::super::rule::{Rule, rule};
use crate::common::{Args, Cx, Number, Op, Refused, Res, ToAttr, Value};

/// The parameters of a convolution, which its module has too.
const FORWARD: &str = "input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, padding_mode=zeros";
const TRANSPOSED: &str = "input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1, \
                          padding_mode=zeros, output_size=None";

pub const RULES: &[Rule] = &[
    rule("conv1d", FORWARD, |cx, args| forward(cx, args, 1)),
    rule("conv2d", FORWARD, |cx, args| forward(cx, args, 2)),
    rule("conv3d", FORWARD, |cx, args| forward(cx, args, 3)),
    rule("conv_transpose1d", TRANSPOSED, |cx, args| transposed(cx, args, 1)),
    rule("conv_transpose2d", TRANSPOSED, |cx, args| transposed(cx, args, 2)),
    rule("conv_transpose3d", TRANSPOSED, |cx, args| transposed(cx, args, 3)),
    rule(
        "convolution _convolution",
        "input, weight, bias, stride, padding, dilation, transposed, output_padding, groups",
        either,
    ),
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

const OPS: [[Op; 3]; 2] =
    [[&conv1d::OP, &conv2d::OP, &conv3d::OP], [&conv1d_transpose::OP, &conv2d_transpose::OP, &conv3d_transpose::OP]];

/// The data with the batch that PyTorch lets callers leave out, and whether it was.
fn batched(cx: &Cx<'_>, x: Expr, spatial: usize) -> Res<(Expr, bool)> {
    match cx.rank(&x)? {
        rank if rank == spatial + 1 => Ok((cx.call(&expand_dims::OP, &[&x], [("axis", vec![0i64].to_attr())])?, true)),
        _ => Ok((x, false)),
    }
}

/// The result with its bias, one number for each channel, and without a batch that was put in.
fn finished(cx: &Cx<'_>, found: Expr, bias: Option<Expr>, spatial: usize, added: bool) -> Res {
    let mut found = found;
    if let Some(bias) = bias {
        let channels = cx.product(&cx.shape(&bias)?);
        let mut dims = vec![scalar::Expr::i64(1); spatial + 2];
        dims[1] = channels;
        found = cx.call(&add::OP, &[&found, &cx.reshape(&bias, dims)?], [])?;
    }
    match added {
        true => cx.call(&squeeze::OP, &[&found], [("axis", vec![0i64].to_attr())]).map(Value::Tensor),
        false => Ok(Value::Tensor(found)),
    }
}

/// The widths of the border before and behind each dimension.
fn border(cx: &Cx<'_>, args: &Args, weight: &Expr, dilation: &[i64]) -> Res<(Vec<i64>, Vec<i64>)> {
    let spatial = dilation.len();
    match args.get("padding") {
        Value::Str(mode) if mode == "valid" => Ok((vec![0; spatial], vec![0; spatial])),
        Value::Str(mode) if mode == "same" => {
            let sizes = cx.shape(weight)?;
            let extra = sizes.iter().skip(2).zip(dilation).map(|(size, dilation)| match size.as_int() {
                Some(size) => Ok(dilation * (size - 1)),
                None => Err(Refused::new("a border of \"same\" needs a kernel of known size")),
            });
            let extra = extra.collect::<Res<Vec<_>>>()?;
            Ok((extra.iter().map(|all| all / 2).collect(), extra.iter().map(|all| all - all / 2).collect()))
        }
        _ => args.ints_of("padding", spatial).map(|widths| (widths.clone(), widths)),
    }
}

fn forward(cx: &mut Cx<'_>, args: &Args, spatial: usize) -> Res {
    let (mut x, added) = batched(cx, args.tensor("input")?, spatial)?;
    let (weight, dilation) = (args.tensor("weight")?, args.ints_of("dilation", spatial)?);
    let (mut before, mut behind) = border(cx, args, &weight, &dilation)?;
    let mode = args.text("padding_mode")?;
    if mode != "zeros" {
        let widths = before.iter().zip(&behind).flat_map(|(before, behind)| [*before, *behind]);
        let widths: Vec<i64> = [0; 4].into_iter().chain(widths).collect();
        let mode = if mode == "replicate" { "edge" } else { mode };
        x = cx.call(&pad::OP, &[&x], [("pad_width", widths.to_attr()), ("pad_mode", mode.to_attr())])?;
        (before, behind) = (vec![0; spatial], vec![0; spatial]);
    }
    before.append(&mut behind);
    let attrs = [
        ("strides", args.ints_of("stride", spatial)?.to_attr()),
        ("padding", before.to_attr()),
        ("dilation", dilation.to_attr()),
        ("groups", args.int("groups")?.to_attr()),
    ];
    let found = cx.call(OPS[0][spatial - 1], &[&x, &weight], attrs)?;
    finished(cx, found, args.optional_tensor("bias")?, spatial, added)
}

fn transposed(cx: &mut Cx<'_>, args: &Args, spatial: usize) -> Res {
    if args.has("output_size") {
        return Err(Refused::new("`output_size` has no rule: say `output_padding`"));
    }
    let (x, added) = batched(cx, args.tensor("input")?, spatial)?;
    let padding = args.ints_of("padding", spatial)?;
    let attrs = [
        ("strides", args.ints_of("stride", spatial)?.to_attr()),
        ("padding", [padding.as_slice(), &padding].concat().to_attr()),
        ("output_padding", args.ints_of("output_padding", spatial)?.to_attr()),
        ("dilation", args.ints_of("dilation", spatial)?.to_attr()),
        ("groups", args.int("groups")?.to_attr()),
    ];
    let found = cx.call(OPS[1][spatial - 1], &[&x, &args.tensor("weight")?], attrs)?;
    finished(cx, found, args.optional_tensor("bias")?, spatial, added)
}

/// ATen's own operator, whose arguments say which convolution it is.
fn either(cx: &mut Cx<'_>, args: &Args) -> Res {
    let spatial = cx.rank(&args.tensor("weight")?)?.saturating_sub(2);
    match (spatial, args.flag("transposed")?) {
        (1..=3, true) => transposed(cx, args, spatial),
        (1..=3, false) => forward(cx, args, spatial),
        _ => Err(Refused(format!("a convolution over {spatial} dimensions has no rule"))),
    }
}

/// The rows and columns of an image.
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
        true => Err(Refused::new("`recompute_scale_factor` beside `antialias` has no rule: say `size`")),
        false => super::antialias::smoothed(cx, &x, size, &twice(args.get("scale_factor")), mode, align_corners),
    }
}

fn resized_as(cx: &mut Cx<'_>, args: &Args, mode: &str) -> Res {
    let (x, align_corners) = (args.tensor("input")?, args.flag("align_corners")?);
    if args.has("output_size") && args.has("scale_factors") {
        return Err(Refused::new("a size beside factors has no rule"));
    }
    match args.has("output_size") {
        true => resized(cx, &x, args.dims("output_size")?, mode, align_corners),
        false => scaled(cx, &x, args.get("scale_factors"), mode, align_corners, align_corners),
    }
}

/// The image by factors: sizes are rounded down. Where elements are taken follows from the sizes (`by_size`) or from
/// the factors themselves; then what lies behind the elements that are taken is cut off, so that both say the same.
fn scaled(cx: &Cx<'_>, x: &Expr, factors: &Value, mode: &str, align_corners: bool, by_size: bool) -> Res {
    let factors = match factors {
        Value::List(factors) => factors.clone(),
        one => vec![one.clone(); 2],
    };
    let (mut x, mut size) = (x.clone(), Vec::new());
    for (axis, (extent, factor)) in extents(cx, &x)?.into_iter().zip(&factors).enumerate() {
        let factor = Number::of(factor).map_or(f64::NAN, |factor| factor.as_f64());
        let (apart, floor) = (1.0 / factor, |extent: i64| (extent as f64 * factor).floor());
        match extent.as_int() {
            _ if factor.is_nan() || factor <= 0.0 => return Err(Refused::new("a `scale_factor` is a positive number")),
            _ if factor.fract() == 0.0 => size.push(cx.simplified(&(&extent * factor as i64))),
            Some(extent) if by_size || floor(extent) == extent as f64 * factor => {
                size.push(scalar::Expr::i64(floor(extent) as i64));
            }
            _ if apart.fract() == 0.0 && (by_size || !mode.contains("cubic")) => {
                let apart = scalar::Expr::i64(apart as i64);
                let small = cx.integer(BinOp::FloorDiv, &extent, &apart)?;
                if !by_size {
                    let used = cx.integer(BinOp::Mul, &small, &apart)?;
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
    let (method, place, rounding) = match (mode, align_corners) {
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
        ("coordinate_transformation_mode", place.to_attr()),
        ("rounding_method", rounding.to_attr()),
        // As PyTorch has it.
        ("cubic_alpha", (-0.75f64).to_attr()),
    ];
    cx.call(&resize2d::OP, &[x, &Expr::shape(size)], attrs).map(Value::Tensor)
}
