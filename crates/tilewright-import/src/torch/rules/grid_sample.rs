//! `grid_sample`: images sampled at the coordinates of a grid.

use tilewright_ir::relax::Expr;
use tilewright_ops::image::grid_sample;

use super::super::rule::{Rule, in_float32, rule};
use crate::common::{Args, Cx, Refused, Res, ToAttr, Value};

/// With numbers for the modes of interpolation and padding.
const ATEN: &str = "input, grid, interpolation_mode, padding_mode, align_corners";

pub const RULES: &[Rule] = &[
    in_float32(rule("grid_sampler grid_sampler_2d grid_sampler_3d", ATEN, of_aten)),
    in_float32(rule(
        "grid_sample",
        "input, grid, mode=bilinear, padding_mode=zeros, align_corners=None",
        |cx, args| sampled(cx, args, args.text("mode")?, args.text("padding_mode")?),
    )),
];

fn of_aten(cx: &mut Cx<'_>, args: &Args) -> Res {
    let named = |number: i64, names: [&'static str; 3]| {
        let name = usize::try_from(number).ok().and_then(|number| names.get(number).copied());
        name.ok_or_else(|| Refused(format!("the mode number {number} of a grid has no rule")))
    };
    let mode = named(args.int("interpolation_mode")?, ["bilinear", "nearest", "bicubic"])?;
    let outside = named(args.int("padding_mode")?, ["zeros", "border", "reflection"])?;
    sampled(cx, args, mode, outside)
}

/// PyTorch has the coordinates of a point as the last dimension of the grid, the operator as the second, like channels.
fn sampled(cx: &mut Cx<'_>, args: &Args, mode: &str, outside: &str) -> Res {
    let (x, grid): (Expr, Expr) = (args.tensor("input")?, args.tensor("grid")?);
    let rank = cx.rank(&x)?;
    let layout = match rank {
        4 => "NCHW",
        5 => "NCDHW",
        _ => return Err(Refused(format!("a grid over an image of {rank} dimensions has no rule"))),
    };
    let last = rank as i64 - 1;
    let grid = cx.permute(&grid, [0, last].into_iter().chain(1..last).collect())?;
    let attrs = [
        ("method", mode.to_attr()),
        ("layout", layout.to_attr()),
        ("padding_mode", outside.to_attr()),
        ("align_corners", args.flag("align_corners")?.to_attr()),
    ];
    cx.call(&grid_sample::OP, &[&x, &grid], attrs).map(Value::Tensor)
}
