//! Grids, regions and boxes of images; losses; `Col2Im`; bits.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, greater_equal, less_equal, logical_and, maximum, minimum, multiply, subtract};
use tilewright_ops::create::full;
use tilewright_ops::image::{grid_sample, non_max_suppression};
use tilewright_ops::indexed::{gather_nd, scatter_elements, take};
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::manipulate::{broadcast_to, concat, expand_dims};
use tilewright_ops::memory::view;
use tilewright_ops::nn::{conv1d, log_softmax, nll_loss, silu};
use tilewright_ops::set::nonzero;
use tilewright_ops::statistical::{max, mean};
use tilewright_ops::unary::{floor, sigmoid};
use tilewright_tensor::{DataType, Tensor};

use super::super::rule::{Args, Rule, bound, rule};
use super::super::tensors::dtype_of;
use super::super::values::{Val, unflattened};
use super::convolution::with_bias;
use super::reduce::reduced;
use super::shape::{joined, with_border};
use crate::common::{Cx, Op, Refused, Res, ToAttr, new_size};

pub const RULES: &[Rule] = &[
    rule("GridSample", "X grid", "align_corners mode padding_mode", sampled),
    rule("AffineGrid", "theta size", "align_corners", affine_grid),
    rule(
        "NonMaxSuppression",
        "boxes scores max_output_boxes_per_class? iou_threshold? score_threshold?",
        "center_point_box",
        suppressed,
    ),
    rule(
        "RoiAlign",
        "X rois batch_indices",
        "coordinate_transformation_mode mode output_height output_width sampling_ratio spatial_scale",
        roi_align,
    ),
    rule(
        "DeformConv",
        "X W offset B? mask?",
        "dilations group kernel_shape offset_group pads strides",
        super::deform::deformed_convolution,
    ),
    rule("NegativeLogLikelihoodLoss", "input target weight?", "ignore_index reduction", |cx, args| {
        let x = args.tensor(cx, 0)?;
        loss(cx, args, &x)
    }),
    rule("SoftmaxCrossEntropyLoss", "scores labels weights?", "ignore_index reduction", |cx, args| {
        let x = args.tensor(cx, 0)?;
        let logarithms = cx.call(&log_softmax::OP, &[&x], [("axis", 1i64.to_attr())])?;
        let logarithms = bound(cx, logarithms)?;
        let found = loss(cx, args, &logarithms)?;
        Ok(Val::Outputs(vec![found, logarithms.into()]))
    }),
    rule("Col2Im", "input image_shape block_shape", "dilations pads strides", col2im),
    rule("BitCast", "X", "to", |cx, args| {
        let (x, dtype) = (args.tensor(cx, 0)?, dtype_of(args.int("to", 0)?)?);
        if cx.dtype(&x)?.is_bool() && dtype.is_int() && dtype.bytes() == 1 {
            return Ok(cx.astype(&x, dtype)?.into());
        }
        if cx.dtype(&x)?.bytes() != dtype.bytes() || dtype.is_bool() || cx.dtype(&x)?.is_bool() {
            return Err(Refused(format!("the bits of {} as {dtype} have no rule", cx.dtype(&x)?)));
        }
        let shape = Expr::shape(cx.shape(&x)?);
        Ok(cx.call(&view::OP, &[&x, &shape], [("dtype", dtype.to_attr())])?.into())
    }),
    rule("SwiGLU", "A B", "alpha", |cx, args| {
        let (a, b) = (args.bound(cx, 0)?, args.tensor(cx, 1)?);
        let gate = cx.call(&sigmoid::OP, &[&cx.with_number(&multiply::OP, &a, args.float("alpha", 1.0)?)?], [])?;
        Ok(cx.call(&multiply::OP, &[&cx.call(&multiply::OP, &[&a, &gate], [])?, &b], [])?.into())
    }),
    rule("CausalConvWithState", "input weight bias? past_state?", "activation", causal_convolution),
];

fn one(value: i64) -> scalar::Expr {
    scalar::Expr::i64(value)
}

fn known_sizes(cx: &Cx<'_>, x: &Expr) -> Res<Vec<i64>> {
    let sizes = cx.shape(x)?.iter().map(scalar::Expr::as_int).collect::<Option<Vec<_>>>();
    sizes.ok_or_else(|| Refused::new("this needs a tensor of known size"))
}

/// ONNX has the coordinates of a point as the last dimension of the grid, the operator as the second, like channels.
fn sampled(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, grid) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
    let rank = cx.rank(&x)?;
    let layout = match rank {
        4 => "NCHW",
        5 => "NCDHW",
        _ => return Err(Refused(format!("a grid over an image of {rank} dimensions has no rule"))),
    };
    let method = match args.text("mode", "linear")?.as_str() {
        "linear" | "bilinear" => "bilinear",
        "cubic" | "bicubic" => "bicubic",
        "nearest" => "nearest",
        other => return Err(Refused(format!("the mode \"{other}\" has no rule"))),
    };
    let last = rank as i64 - 1;
    let dtype = cx.dtype(&x)?;
    let grid = cx.permute(&cx.astype(&grid, dtype)?, [0, last].into_iter().chain(1..last).collect())?;
    let attrs = [
        ("method", method.to_attr()),
        ("layout", layout.to_attr()),
        ("padding_mode", args.text("padding_mode", "zeros")?.as_str().to_attr()),
        ("align_corners", args.flag("align_corners", false)?.to_attr()),
    ];
    Ok(cx.call(&grid_sample::OP, &[&x, &grid], attrs)?.into())
}

/// The points of an image of known size, transformed by a matrix for each image.
fn affine_grid(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (theta, size) = (args.tensor(cx, 0)?, args.ints_at(1)?);
    let (image, aligned) = (size.get(2..).unwrap_or_default(), args.flag("align_corners", false)?);
    let count = image.iter().try_fold(1i64, |count, size| count.checked_mul(*size)).filter(|count| *count <= 1 << 24);
    let (Some(count), 2 | 3) = (count, image.len()) else {
        return Err(Refused(format!("a grid of the shape {size:?} has no rule")));
    };
    let coordinate = |at: i64, size: i64| match aligned {
        true if size > 1 => -1.0 + 2.0 * at as f64 / (size - 1) as f64,
        true => 0.0,
        false => (2 * at + 1) as f64 / size as f64 - 1.0,
    };
    let mut points = Vec::new();
    for flat in 0..count {
        let index = unflattened(flat, image);
        points.extend(index.iter().zip(image).rev().map(|(at, size)| coordinate(*at, *size)));
        points.push(1.0);
    }
    let points = Expr::constant(Tensor::from_vec(&[count, image.len() as i64 + 1], points)?);
    let points = cx.astype(&points, cx.dtype(&theta)?)?;
    let found = cx.call(&matmul::OP, &[&points, &cx.permute(&theta, vec![0, 2, 1])?], [])?;
    let batch = cx.extent(&theta, 0)?;
    let dims = [batch].into_iter().chain(image.iter().map(|size| one(*size))).chain([one(image.len() as i64)]);
    Ok(cx.reshape(&found, dims.collect())?.into())
}

fn loss(cx: &mut Cx<'_>, args: &Args<'_>, logarithms: &Expr) -> Res<Val> {
    let (target, weight) = (args.tensor(cx, 1)?, args.optional(cx, 2)?);
    let attrs = [
        ("reduction", args.text("reduction", "mean")?.as_str().to_attr()),
        // No class is the least integer.
        ("ignore_index", args.int("ignore_index", i64::from(i32::MIN))?.to_attr()),
    ];
    let weight = weight.unwrap_or_else(|| Expr::tuple(Vec::new()));
    Ok(cx.call(&nll_loss::OP, &[logarithms, &target, &weight], attrs)?.into())
}

/// Blocks added at their places in images.
fn col2im(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, image, block) = (args.tensor(cx, 0)?, args.ints_at(1)?, args.ints_at(2)?);
    let count = image.len();
    let (strides, dilations) = (args.ints_of("strides", count, 1)?, args.ints_of("dilations", count, 1)?);
    let pads = args.ints_of("pads", 2 * count, 0)?;
    let sizes = known_sizes(cx, &x)?;
    let ([batch, rows, blocks], true) = (sizes.as_slice(), block.len() == count) else {
        return Err(Refused::new("blocks are of batch, elements and places"));
    };
    let wide: Vec<i64> = (0..count).map(|at| image[at] + pads[at] + pads[at + count]).collect();
    let places: Vec<i64> = (0..count)
        .map(|at| (wide[at] - dilations[at] * (block[at] - 1) - 1).div_euclid(strides[at].max(1)) + 1)
        .collect();
    super::check_table(&block)?;
    super::check_table(&places)?;
    let elements: i64 = block.iter().product();
    if places.iter().product::<i64>() != *blocks || elements < 1 || rows % elements != 0 {
        return Err(Refused(format!("{blocks} blocks of {rows} elements do not fit the image {image:?}")));
    }
    super::check_table(&[elements, *blocks])?;
    let mut index = Vec::new();
    for element in 0..elements {
        let inside = unflattened(element, &block);
        for place in 0..*blocks {
            let at = unflattened(place, &places);
            let flat = (0..count)
                .fold(0, |flat, axis| flat * wide[axis] + at[axis] * strides[axis] + inside[axis] * dilations[axis]);
            index.push(flat);
        }
    }
    let channels = rows / elements;
    let index = Expr::constant(Tensor::from_vec(&[1, elements * blocks], index)?);
    let shape = vec![one(batch * channels), one(elements * blocks)];
    let index = cx.call(&broadcast_to::OP, &[&index, &Expr::shape(shape.clone())], [])?;
    let zeros = Expr::shape(vec![one(batch * channels), one(wide.iter().product())]);
    let zeros = cx.call(&full::OP, &[&zeros, &cx.number(0.0, cx.dtype(&x)?)?], [])?;
    let attrs = [("axis", 1i64.to_attr()), ("reduction", "add".to_attr())];
    let found = cx.call(&scatter_elements::OP, &[&zeros, &index, &cx.reshape(&x, shape)?], attrs)?;
    let dims = [*batch, channels].into_iter().chain(wide).map(one).collect();
    let found = cx.reshape(&found, dims)?;
    let widths: Vec<[i64; 2]> =
        [[0, 0]; 2].into_iter().chain((0..count).map(|at| [-pads[at], -pads[at + count]])).collect();
    with_border(cx, &found, &widths, "constant", 0.0).map(Val::from)
}

fn causal_convolution(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, weight) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
    let (channels, taps) = (cx.extent(&x, 1)?.as_int(), cx.extent(&weight, 2)?.as_int());
    let (Some(channels), Some(taps)) = (channels, taps) else {
        return Err(Refused::new("the numbers of channels and of taps must be known"));
    };
    let wide = match args.optional(cx, 3)? {
        Some(past) => joined(cx, vec![past, x], 2)?,
        None => with_border(cx, &x, &[[0, 0], [0, 0], [taps - 1, 0]], "constant", 0.0)?,
    };
    let wide = bound(cx, wide)?;
    let found = cx.call(&conv1d::OP, &[&wide, &weight], [("groups", channels.to_attr())])?;
    let found = with_bias(cx, found, args.optional(cx, 2)?)?;
    let found = match args.text("activation", "none")?.as_str() {
        "none" => found,
        "silu" | "swish" => cx.call(&silu::OP, &[&found], [])?,
        other => return Err(Refused(format!("the activation \"{other}\" has no rule"))),
    };
    let length = cx.extent(&wide, 2)?;
    let begin = cx.simplified(&(&length - (taps - 1)));
    let state = cx.slice(&wide, 2, &begin, &length, 1)?;
    Ok(Val::Outputs(vec![found.into(), state.into()]))
}

/// The boxes of each class that overlap no better ones.
fn suppressed(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (boxes, scores) = (args.bound(cx, 0)?, args.bound(cx, 1)?);
    let most = if args.has(2) { args.int_at(2)? } else { 0 };
    if most < 1 {
        return Ok(Expr::constant(Tensor::from_vec::<i64>(&[0, 3], Vec::new())?).into());
    }
    let dtype = cx.dtype(&scores)?;
    let threshold = |cx: &mut Cx<'_>, at: usize, default: f64| -> Res<Expr> {
        let Some(one) = args.optional(cx, at)? else { return cx.number(default, dtype) };
        let one = cx.reshape(&cx.astype(&one, dtype)?, Vec::new())?;
        bound(cx, one)
    };
    let (overlap, least) = (threshold(cx, 3, 0.0)?, threshold(cx, 4, f64::NEG_INFINITY)?);
    let attrs = [("max_boxes", most.to_attr()), ("center_point_box", args.flag("center_point_box", false)?.to_attr())];
    let chosen = cx.call(&non_max_suppression::OP, &[&boxes, &scores, &overlap, &least], attrs)?;
    let chosen = bound(cx, chosen)?;
    let valid = cx.call(&greater_equal::OP, &[&chosen, &cx.number(0.0, DataType::I64)?], [])?;
    selected(cx, &chosen, &valid).map(Val::from)
}

/// Rows of batch, class and box for all chosen boxes.
fn selected(cx: &mut Cx<'_>, chosen: &Expr, valid: &Expr) -> Res<Expr> {
    let places = cx.call(&nonzero::OP, &[valid], [])?;
    let places = cx.match_cast(&places, vec![one(3), new_size()])?;
    let rows = cx.emit(cx.permute(&places, vec![1, 0])?)?;
    let boxes = cx.call(&gather_nd::OP, &[chosen, &rows], [])?;
    let boxes = cx.call(&expand_dims::OP, &[&boxes], [("axis", vec![1i64].to_attr())])?;
    let first = cx.slice(&rows, 1, &one(0), &one(2), 1)?;
    cx.call(&concat::OP, &[&Expr::tuple(vec![first, boxes])], [("axis", 1i64.to_attr())])
}

/// Means or maxima of samples at equal distances in the cells of regions.
fn roi_align(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, rois, batch) = (args.tensor(cx, 0)?, args.bound(cx, 1)?, args.tensor(cx, 2)?);
    let shape = cx.shape(&x)?;
    let [n, c, h, w] = shape.as_slice() else { return Err(Refused::new("an image has four dimensions")) };
    let (Some(rows), Some(columns)) = (h.as_int(), w.as_int()) else {
        return Err(Refused::new("images of symbolic size have no rule"));
    };
    let samples = args.int("sampling_ratio", 0)?;
    if !(1..=64).contains(&samples) {
        return Err(Refused::new("a number of samples that depends on the region has no rule: set `sampling_ratio`"));
    }
    let sizes = [args.int("output_height", 1)?, args.int("output_width", 1)?];
    let scale = args.float("spatial_scale", 1.0)?;
    let half = args.text("coordinate_transformation_mode", "half_pixel")? == "half_pixel" && args.opset >= 16;
    let count = cx.extent(&rois, 0)?;
    let dtype = cx.dtype(&x)?;
    let side = |cx: &mut Cx<'_>, at: i64| -> Res<Expr> {
        let scaled = cx.with_number(&multiply::OP, &cx.select(&rois, 1, &one(at))?, scale)?;
        let moved = if half { cx.with_number(&subtract::OP, &scaled, 0.5)? } else { scaled };
        cx.emit(cx.along_axis(&moved, 0, 2)?)
    };
    // For each region and sample: both neighbours along a dimension, and the weight of the second.
    let axis = |cx: &mut Cx<'_>, low: i64, high: i64, cells: i64, extent: i64| -> Res<[Expr; 4]> {
        let (begin, end) = (side(cx, low)?, side(cx, high)?);
        let length = cx.call(&subtract::OP, &[&end, &begin], [])?;
        let length = if half { length } else { cx.with_number(&maximum::OP, &length, 1.0)? };
        super::check_table(&[cells, samples])?;
        let steps: Vec<f64> = (0..cells * samples).map(|at| (at as f64 + 0.5) / (cells * samples) as f64).collect();
        let steps = cx.astype(&Expr::constant(Tensor::from_vec(&[1, cells * samples], steps)?), dtype)?;
        let at = cx.call(&add::OP, &[&begin, &cx.call(&multiply::OP, &[&length, &steps], [])?], [])?;
        let at = cx.emit(at)?;
        // Samples more than one element outside count as 0.
        let low_enough = cx.with_number(&less_equal::OP, &at, extent as f64)?;
        let high_enough = cx.call(&less_equal::OP, &[&cx.number(-1.0, dtype)?, &at], [])?;
        let inside = cx.call(&logical_and::OP, &[&low_enough, &high_enough], [])?;
        let at = cx.emit(cx.clip(&at, 0.0, (extent - 1) as f64)?)?;
        let first = cx.emit(cx.call(&floor::OP, &[&at], [])?)?;
        let weight = cx.call(&subtract::OP, &[&at, &first], [])?;
        let first = cx.emit(cx.astype(&first, DataType::I64)?)?;
        let second = cx.with_number(&minimum::OP, &cx.with_number(&add::OP, &first, 1i64)?, extent - 1)?;
        Ok([first, second, weight, inside])
    };
    let ys = axis(cx, 1, 3, sizes[0], rows)?;
    let xs = axis(cx, 0, 2, sizes[1], columns)?;
    let (down, across) = (sizes[0] * samples, sizes[1] * samples);
    let wide = |cx: &Cx<'_>, one_axis: &Expr, is_row: bool| -> Res<Expr> {
        let dims = if is_row {
            vec![count.clone(), one(down), one(1), one(1)]
        } else {
            vec![count.clone(), one(1), one(across), one(1)]
        };
        cx.reshape(one_axis, dims)
    };
    // The image as rows of channels.
    let flat = cx
        .reshape(&cx.permute(&x, vec![0, 2, 3, 1])?, vec![cx.product(&[n.clone(), h.clone(), w.clone()]), c.clone()])?;
    let flat = cx.emit(flat)?;
    let image = cx.with_number(&multiply::OP, &cx.astype(&batch, DataType::I64)?, rows * columns)?;
    let image = cx.emit(cx.reshape(&image, vec![count.clone(), one(1), one(1), one(1)])?)?;
    let mut total: Option<Expr> = None;
    let is_max = args.text("mode", "avg")? == "max";
    for corner in 0..4 {
        let (row, column) = (corner / 2, corner % 2);
        let line = cx.with_number(&multiply::OP, &wide(cx, &ys[row], true)?, columns)?;
        let index =
            cx.call(&add::OP, &[&cx.call(&add::OP, &[&image, &line], [])?, &wide(cx, &xs[column], false)?], [])?;
        let index = cx.reshape(&index, vec![count.clone(), one(down), one(across)])?;
        let values = cx.call(&take::OP, &[&flat, &index], [("axis", 0i64.to_attr())])?;
        let share = |cx: &Cx<'_>, parts: &[Expr; 4], second: bool, is_row: bool| -> Res<Expr> {
            let weight = match second {
                true => parts[2].clone(),
                false => cx.call(&subtract::OP, &[&cx.number(1.0, dtype)?, &parts[2]], [])?,
            };
            let weight = cx.choose(&parts[3], &weight, &cx.number(0.0, dtype)?)?;
            wide(cx, &weight, is_row)
        };
        let weight =
            cx.call(&multiply::OP, &[&share(cx, &ys, row == 1, true)?, &share(cx, &xs, column == 1, false)?], [])?;
        let part = cx.call(&multiply::OP, &[&values, &weight], [])?;
        let op: Op = if is_max { &maximum::OP } else { &add::OP };
        total = Some(match total {
            None => part,
            Some(total) => cx.call(op, &[&total, &part], [])?,
        });
    }
    let Some(total) = total else { return Err(Refused::new("no samples")) };
    let apart = vec![count, one(sizes[0]), one(samples), one(sizes[1]), one(samples), c.clone()];
    let op: Op = if is_max { &max::OP } else { &mean::OP };
    let found = reduced(cx, &cx.reshape(&total, apart)?, Some(vec![2, 4]), false, op)?;
    Ok(cx.permute(&found, vec![0, 3, 1, 2])?.into())
}
