//! Convolutions, transposed convolutions, and what they share with pooling: borders.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::add;
use tilewright_ops::nn::{conv1d, conv1d_transpose, conv2d, conv2d_transpose, conv3d, conv3d_transpose};
use tilewright_tensor::DataType;

use super::super::rule::{Args, Rule, rule};
use super::super::values::Val;
use super::shape::with_border;
use crate::common::{Cx, Op, Refused, Res, ToAttr};

pub const ATTRIBUTES: &str = "auto_pad dilations group kernel_shape pads strides";

pub const RULES: &[Rule] = &[
    rule("Conv", "X W B?", ATTRIBUTES, |cx, args| {
        let (x, weight) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
        let found = forward(cx, args, &x, &weight, None)?;
        with_bias(cx, found, args.optional(cx, 2)?).map(Val::from)
    }),
    rule(
        "ConvTranspose",
        "X W B?",
        "auto_pad dilations group kernel_shape output_padding output_shape pads strides",
        transposed,
    ),
];

const FORWARD: [Op; 3] = [&conv1d::OP, &conv2d::OP, &conv3d::OP];
const TRANSPOSED: [Op; 3] = [&conv1d_transpose::OP, &conv2d_transpose::OP, &conv3d_transpose::OP];

/// The number of spatial dimensions.
pub fn spatial(cx: &Cx<'_>, x: &Expr) -> Res<usize> {
    match cx.rank(x)? {
        rank @ 3..=5 => Ok(rank - 2),
        rank => Err(Refused(format!("data of {rank} dimensions has no rule: a batch, channels and 1 to 3 more"))),
    }
}

/// The constant sizes of the spatial dimensions.
pub fn sizes(cx: &Cx<'_>, x: &Expr) -> Res<Vec<Option<i64>>> {
    let sizes: Vec<Option<i64>> = cx.shape(x)?.iter().skip(2).map(scalar::Expr::as_int).collect();
    match sizes.iter().flatten().find(|size| i32::try_from(**size).is_err()) {
        Some(size) => Err(Refused(format!("a dimension of {size} has no rule"))),
        None => Ok(sizes),
    }
}

/// The widths of the border before and after each spatial dimension, for windows of these sizes.
pub fn border(cx: &Cx<'_>, args: &Args<'_>, x: &Expr, window: &[i64]) -> Res<(Vec<i64>, Vec<i64>)> {
    let count = window.len();
    let (strides, dilations) = (args.ints_of("strides", count, 1)?, args.ints_of("dilations", count, 1)?);
    let mode = args.text("auto_pad", "NOTSET")?;
    match mode.as_str() {
        "NOTSET" | "" => {
            let pads = args.ints_of("pads", 2 * count, 0)?;
            if pads.iter().any(|width| *width < 0) {
                return Err(Refused(format!("`pads` is {} widths of 0 or more, found {pads:?}", 2 * count)));
            }
            Ok((pads[..count].to_vec(), pads[count..].to_vec()))
        }
        "VALID" => Ok((vec![0; count], vec![0; count])),
        "SAME_UPPER" | "SAME_LOWER" => {
            let (mut before, mut after) = (Vec::new(), Vec::new());
            for (at, size) in sizes(cx, x)?.into_iter().enumerate() {
                let reach = (window[at] - 1) * dilations[at] + 1;
                let all = match size {
                    // As many windows as strides fit, rounded up.
                    Some(size) => {
                        (((size + strides[at] - 1) / strides[at].max(1) - 1) * strides[at] + reach - size).max(0)
                    }
                    None if strides[at] == 1 => reach - 1,
                    None => return Err(Refused::new("`auto_pad` with strides needs data of known size")),
                };
                let (less, more) = (all / 2, all - all / 2);
                let lower = mode == "SAME_LOWER";
                before.push(if lower { more } else { less });
                after.push(if lower { less } else { more });
            }
            Ok((before, after))
        }
        other => Err(Refused(format!("`auto_pad` is \"{other}\""))),
    }
}

/// The sizes of the windows: those of the weights.
fn window_of(cx: &Cx<'_>, weight: &Expr) -> Res<Vec<i64>> {
    let window = sizes(cx, weight)?.into_iter().collect::<Option<Vec<_>>>();
    window.ok_or_else(|| Refused::new("weights of symbolic size have no rule"))
}

/// The convolution without a bias.
pub fn forward(cx: &mut Cx<'_>, args: &Args<'_>, x: &Expr, weight: &Expr, out: Option<DataType>) -> Res<Expr> {
    let count = spatial(cx, x)?;
    let window = window_of(cx, weight)?;
    if window.len() != count {
        return Err(Refused(format!("weights of {} spatial dimensions for data of {count}", window.len())));
    }
    let (mut before, mut after) = border(cx, args, x, &window)?;
    before.append(&mut after);
    let attrs = [
        ("strides", args.ints_of("strides", count, 1)?.to_attr()),
        ("padding", before.to_attr()),
        ("dilation", args.ints_of("dilations", count, 1)?.to_attr()),
        ("groups", args.int("group", 1)?.to_attr()),
        ("out_dtype", out.map_or_else(|| "void".to_attr(), ToAttr::to_attr)),
    ];
    match out {
        Some(_) => cx.call(FORWARD[count - 1], &[x, weight], attrs),
        None => {
            let [strides, padding, dilation, groups, _] = attrs;
            cx.call(FORWARD[count - 1], &[x, weight], [strides, padding, dilation, groups])
        }
    }
}

pub fn with_bias(cx: &mut Cx<'_>, found: Expr, bias: Option<Expr>) -> Res<Expr> {
    let Some(bias) = bias else { return Ok(found) };
    let mut dims = vec![scalar::Expr::i64(1); cx.rank(&found)?];
    dims[1] = cx.product(&cx.shape(&bias)?);
    cx.call(&add::OP, &[&found, &cx.reshape(&bias, dims)?], [])
}

/// The wanted sizes decide about the border: as `output_shape`, or `auto_pad` with the size times the stride.
pub fn transposed(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, weight) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
    let count = spatial(cx, &x)?;
    let window = window_of(cx, &weight)?;
    if window.len() != count {
        return Err(Refused(format!("weights of {} spatial dimensions for data of {count}", window.len())));
    }
    let (strides, dilations) = (args.ints_of("strides", count, 1)?, args.ints_of("dilations", count, 1)?);
    let mut more = args.ints_of("output_padding", count, 0)?;
    let mode = args.text("auto_pad", "NOTSET")?;
    let wanted = match args.ints("output_shape")? {
        Some(shape) if shape.iter().any(|size| i32::try_from(*size).is_err()) => {
            return Err(Refused(format!("`output_shape` is {shape:?}")));
        }
        Some(shape) if shape.len() >= count => Some(shape[shape.len() - count..].to_vec()),
        Some(_) => return Err(Refused::new("`output_shape` has too few sizes")),
        None if mode.starts_with("SAME") => {
            let own = sizes(cx, &x)?;
            let sizes = own.iter().zip(&strides).map(|(size, stride)| size.map(|size| size * stride));
            let sizes = sizes.collect::<Option<Vec<_>>>();
            Some(sizes.ok_or_else(|| Refused::new("`auto_pad` needs data of known size"))?)
        }
        None => None,
    };
    let (mut before, mut after) = match wanted {
        None => border(cx, args, &x, &window)?,
        Some(wanted) => {
            let own = sizes(cx, &x)?;
            let (mut before, mut after) = (Vec::new(), Vec::new());
            for at in 0..count {
                let size = own[at].ok_or_else(|| Refused::new("`output_shape` needs data of known size"))?;
                let whole = strides[at] * (size - 1) + more[at] + (window[at] - 1) * dilations[at] + 1;
                let all = whole - wanted[at];
                let (less, rest) = (all.max(0) / 2, all.max(0) - all.max(0) / 2);
                // A border that would be negative is more of the result.
                more[at] += (-all).max(0);
                let upper = mode == "SAME_UPPER";
                before.push(if upper { less } else { rest });
                after.push(if upper { rest } else { less });
            }
            (before, after)
        }
    };
    // What the operator takes of additional elements is less than a stride; the rest is a border of zeros.
    let beyond: Vec<i64> = (0..count).map(|at| (more[at] - (strides[at] - 1).max(0)).max(0)).collect();
    let more: Vec<i64> = more.iter().zip(&beyond).map(|(more, beyond)| more - beyond).collect();
    before.append(&mut after);
    let attrs = [
        ("strides", strides.to_attr()),
        ("padding", before.to_attr()),
        ("output_padding", more.to_attr()),
        ("dilation", dilations.to_attr()),
        ("groups", args.int("group", 1)?.to_attr()),
    ];
    let found = cx.call(TRANSPOSED[count - 1], &[&x, &weight], attrs)?;
    let widths: Vec<[i64; 2]> = [[0, 0]; 2].into_iter().chain(beyond.iter().map(|width| [0, *width])).collect();
    let found = with_border(cx, &found, &widths, "constant", 0.0)?;
    with_bias(cx, found, args.optional(cx, 2)?).map(Val::from)
}
