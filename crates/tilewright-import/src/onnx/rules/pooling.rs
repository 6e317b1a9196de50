//! Pooling: maxima, means and norms of windows.

use tilewright_expr as scalar;
use tilewright_expr::BinOp;
use tilewright_ir::Attr;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, greater, maximum, multiply, power};
use tilewright_ops::create::full;
use tilewright_ops::indexed::scatter_elements;
use tilewright_ops::nn::{avg_pool1d, avg_pool2d, avg_pool3d, max_pool1d, max_pool2d, max_pool3d};
use tilewright_ops::statistical::{max, mean, sum};
use tilewright_ops::unary::abs;
use tilewright_tensor::{DataType, Tensor};

use super::super::rule::{Args, Rule, bound, rule};
use super::super::values::Val;
use super::convolution::{border, sizes, spatial};
use super::reduce::reduced;
use super::shape::with_border;
use crate::common::{Cx, Op, Refused, Res, ToAttr};

pub const RULES: &[Rule] = &[
    rule("MaxPool", "X", "auto_pad ceil_mode dilations kernel_shape pads storage_order strides", max_pool),
    rule("AveragePool", "X", "auto_pad ceil_mode count_include_pad dilations kernel_shape pads strides", |cx, args| {
        let x = args.tensor(cx, 0)?;
        average_of(cx, args, &x).map(Val::from)
    }),
    rule("LpPool", "X", "auto_pad ceil_mode dilations kernel_shape p pads strides", lp_pool),
    rule("GlobalMaxPool", "X", "", |cx, args| global(cx, args, &max::OP)),
    rule("GlobalAveragePool", "X", "", |cx, args| global(cx, args, &mean::OP)),
    rule("GlobalLpPool", "X", "p", |cx, args| {
        let (x, p) = (args.tensor(cx, 0)?, args.float("p", 2.0)?);
        let powers = cx.with_number(&power::OP, &cx.call(&abs::OP, &[&x], [])?, p)?;
        let axes = (2..cx.rank(&x)? as i64).collect();
        let total = reduced(cx, &powers, Some(axes), true, &sum::OP)?;
        Ok(cx.with_number(&power::OP, &total, 1.0 / p)?.into())
    }),
    rule("MaxUnpool", "X I output_shape?", "kernel_shape pads strides", max_unpool),
];

const MAX: [Op; 3] = [&max_pool1d::OP, &max_pool2d::OP, &max_pool3d::OP];
const AVERAGE: [Op; 3] = [&avg_pool1d::OP, &avg_pool2d::OP, &avg_pool3d::OP];

fn global(cx: &mut Cx<'_>, args: &Args<'_>, op: Op) -> Res<Val> {
    let x = args.tensor(cx, 0)?;
    let axes = (2..cx.rank(&x)? as i64).collect();
    reduced(cx, &x, Some(axes), true, op).map(Val::from)
}

/// Windows over the spatial dimensions.
struct Windows {
    size: Vec<i64>,
    strides: Vec<i64>,
    dilations: Vec<i64>,
    before: Vec<i64>,
    after: Vec<i64>,
    ceil_mode: bool,
}

impl Windows {
    fn of(cx: &Cx<'_>, args: &Args<'_>, x: &Expr) -> Res<Self> {
        let count = spatial(cx, x)?;
        let size = args.ints("kernel_shape")?.ok_or_else(|| Refused::new("`kernel_shape` is missing"))?;
        if size.len() != count {
            return Err(Refused(format!("a window of {} dimensions for data of {count}", size.len())));
        }
        super::check_table(&size)?;
        let (before, after) = border(cx, args, x, &size)?;
        Ok(Self {
            strides: args.ints_of("strides", count, 1)?,
            dilations: args.ints_of("dilations", count, 1)?,
            before,
            after,
            // `auto_pad` says the number of windows itself.
            ceil_mode: args.flag("ceil_mode", false)? && !args.text("auto_pad", "")?.starts_with("SAME"),
            size,
        })
    }

    /// The attributes of the operators of windows.
    fn attrs(&self) -> [(&'static str, Attr); 5] {
        [
            ("pool_size", self.size.clone().to_attr()),
            ("strides", self.strides.clone().to_attr()),
            ("padding", [self.before.as_slice(), &self.after].concat().to_attr()),
            ("dilation", self.dilations.clone().to_attr()),
            ("ceil_mode", self.ceil_mode.to_attr()),
        ]
    }

    /// How many windows there are along a dimension of this size. With `ceil_mode` the last one may go beyond the
    /// border, as long as it begins inside of the data or the border before it.
    fn count(&self, at: usize, extent: i64) -> i64 {
        let room = extent + self.before[at] + self.after[at] - (self.size[at] - 1) * self.dilations[at] - 1;
        let stride = self.strides[at].max(1);
        if !self.ceil_mode {
            return room.div_euclid(stride) + 1;
        }
        let count = (room + stride - 1).div_euclid(stride) + 1;
        if (count - 1) * stride >= extent + self.before[at] { count - 1 } else { count }
    }
}

/// The maxima of windows of an image.
pub fn maximum_of(cx: &mut Cx<'_>, args: &Args<'_>, x: &Expr) -> Res<Expr> {
    let windows = Windows::of(cx, args, x)?;
    cx.call(MAX[windows.size.len() - 1], &[x], windows.attrs())
}

fn max_pool(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.bound(cx, 0)?;
    if !args.wants(1) {
        return maximum_of(cx, args, &x).map(Val::from);
    }
    let windows = Windows::of(cx, args, &x)?;
    let (values, indices) = with_indices(cx, &x, &windows, args.int("storage_order", 0)? == 1)?;
    Ok(Val::Outputs(vec![values.into(), indices.into()]))
}

/// Maxima with the linear indices of the first of them: element by element of the window, the elements at that place
/// of all windows.
fn with_indices(cx: &mut Cx<'_>, x: &Expr, windows: &Windows, column_major: bool) -> Res<(Expr, Expr)> {
    let shape = cx.shape(x)?;
    let own = shape.iter().map(scalar::Expr::as_int).collect::<Option<Vec<_>>>();
    let own = own.ok_or_else(|| Refused::new("indices of data of symbolic size have no rule"))?;
    super::check_table(&own)?;
    let counts: Vec<i64> = (0..windows.size.len()).map(|at| windows.count(at, own[at + 2])).collect();
    let places: i64 = windows.size.iter().product();
    if !(1..=1024).contains(&places) {
        return Err(Refused(format!("indices of windows of {places} elements have no rule")));
    }
    let dtype = cx.dtype(x)?;
    let numbers: Vec<i64> = linear_indices(&own, column_major);
    let numbers = Expr::constant(Tensor::from_vec(&own, numbers)?);
    let least = if dtype.is_float() { f64::NEG_INFINITY } else { -128.0 };
    let reach = |at: usize| {
        (counts[at] - 1) * windows.strides[at] + (windows.size[at] - 1) * windows.dilations[at] + 1
            - own[at + 2]
            - windows.before[at]
    };
    let widths: Vec<[i64; 2]> = [[0, 0]; 2]
        .into_iter()
        .chain((0..windows.size.len()).map(|at| [windows.before[at], reach(at).max(0)]))
        .collect();
    let wide = with_border(cx, x, &widths, "constant", if dtype == DataType::U8 { 0.0 } else { least })?;
    let wide = bound(cx, wide)?;
    let indices = with_border(cx, &numbers, &widths, "constant", 0.0)?;
    let indices = bound(cx, indices)?;
    let mut best: Option<(Expr, Expr)> = None;
    for place in 0..places {
        let at = super::super::values::unflattened(place, &windows.size);
        let mut pair = [wide.clone(), indices.clone()];
        for part in &mut pair {
            for (axis, count) in counts.iter().enumerate() {
                let begin = at[axis] * windows.dilations[axis];
                let end = begin + (count - 1) * windows.strides[axis] + 1;
                *part = cx.slice(
                    part,
                    axis + 2,
                    &scalar::Expr::i64(begin),
                    &scalar::Expr::i64(end),
                    windows.strides[axis],
                )?;
            }
        }
        let [value, index] = pair;
        best = Some(match best {
            None => (value, index),
            Some((old, old_index)) => {
                let (old, value) = (bound(cx, old)?, bound(cx, value)?);
                let better = cx.call(&greater::OP, &[&value, &old], [])?;
                let better = cx.emit(better)?;
                (cx.call(&maximum::OP, &[&value, &old], [])?, cx.choose(&better, &index, &old_index)?)
            }
        });
    }
    best.ok_or_else(|| Refused::new("a window without elements"))
}

fn linear_indices(own: &[i64], column_major: bool) -> Vec<i64> {
    let count: i64 = own.iter().product();
    if !column_major {
        return (0..count).collect();
    }
    let image: i64 = own[2..].iter().product();
    let one = |flat: i64| {
        let (plane, rest) = (flat / image.max(1), flat % image.max(1));
        let index = super::super::values::unflattened(rest, &own[2..]);
        let swapped = index.iter().zip(&own[2..]).rev().fold(0, |at, (index, extent)| at * extent + index);
        plane * image + swapped
    };
    (0..count).map(one).collect()
}

/// The means of windows of an image.
pub fn average_of(cx: &mut Cx<'_>, args: &Args<'_>, x: &Expr) -> Res<Expr> {
    let windows = Windows::of(cx, args, x)?;
    let [size, strides, padding, dilation, ceil_mode] = windows.attrs();
    let counts_border = ("count_include_pad", args.flag("count_include_pad", false)?.to_attr());
    let attrs = [size, strides, padding, dilation, ceil_mode, counts_border];
    cx.call(AVERAGE[windows.size.len() - 1], &[x], attrs)
}

/// The root of the sum of powers: the mean with a border of zeros, times the size of the window.
fn lp_pool(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, p) = (args.tensor(cx, 0)?, args.float("p", 2.0)?);
    let windows = Windows::of(cx, args, &x)?;
    let powers = cx.with_number(&power::OP, &cx.call(&abs::OP, &[&x], [])?, p)?;
    let mut widths: Vec<[i64; 2]> = vec![[0, 0]; 2];
    let own = sizes(cx, &x)?;
    for (at, extent) in own.iter().enumerate() {
        // A window beyond the border is over zeros.
        let beyond = match *extent {
            Some(extent) if windows.ceil_mode => {
                let reach = (windows.size[at] - 1) * windows.dilations[at] + 1;
                (windows.count(at, extent) - 1) * windows.strides[at] + reach - extent - windows.before[at]
            }
            _ => windows.after[at],
        };
        widths.push([windows.before[at], beyond.max(windows.after[at])]);
    }
    let wide = with_border(cx, &powers, &widths, "constant", 0.0)?;
    let attrs = [
        ("pool_size", windows.size.clone().to_attr()),
        ("strides", windows.strides.clone().to_attr()),
        ("dilation", windows.dilations.clone().to_attr()),
        ("count_include_pad", true.to_attr()),
    ];
    let mean = cx.call(AVERAGE[windows.size.len() - 1], &[&wide], attrs)?;
    let total = cx.with_number(&multiply::OP, &mean, windows.size.iter().product::<i64>() as f64)?;
    Ok(cx.with_number(&power::OP, &total, 1.0 / p)?.into())
}

/// Zeros, with the elements at the linear indices from which `MaxPool` took them.
fn max_unpool(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let (x, indices) = (args.tensor(cx, 0)?, args.tensor(cx, 1)?);
    let count = spatial(cx, &x)?;
    let window = args.ints_of("kernel_shape", count, 1)?;
    let (strides, pads) = (args.ints_of("strides", count, 1)?, args.ints_of("pads", 2 * count, 0)?);
    let shape = cx.shape(&x)?;
    let mut own: Vec<scalar::Expr> = shape[..2].to_vec();
    for at in 0..count {
        let whole = cx.simplified(&(&(&shape[at + 2] - 1) * strides[at]));
        own.push(cx.simplified(&(&whole + (window[at] - pads[at] - pads[at + count]))));
    }
    let wanted = if args.has(2) { args.dims_at(cx, 2)? } else { own.clone() };
    // The indices are those of the whole tensor, of the size that the pooling had.
    let all = cx.product(&wanted);
    let zeros = cx.call(&full::OP, &[&Expr::shape(vec![all]), &cx.number(0.0, cx.dtype(&x)?)?], [])?;
    let (flat, mut places) = (cx.flat(&x)?, cx.flat(&indices)?);
    if args.has(2) {
        places = in_other_shape(cx, &places, &own, &wanted)?;
    }
    let found = cx.call(&scatter_elements::OP, &[&zeros, &places, &flat], [("axis", 0i64.to_attr())])?;
    Ok(cx.reshape(&found, wanted)?.into())
}

/// Linear indices of a shape as those of another one of the same rank.
fn in_other_shape(cx: &mut Cx<'_>, places: &Expr, own: &[scalar::Expr], wanted: &[scalar::Expr]) -> Res<Expr> {
    use tilewright_ops::binary::{floor_divide, floor_mod};
    let mut rest = bound(cx, places.clone())?;
    let (mut total, mut step): (Option<Expr>, scalar::Expr) = (None, scalar::Expr::i64(1));
    for (own, wanted) in own.iter().zip(wanted).rev() {
        let size = cx.operand(&crate::common::Value::int(own.clone()), DataType::I64)?;
        let index = cx.call(&floor_mod::OP, &[&rest, &size], [])?;
        let by = cx.operand(&crate::common::Value::int(step.clone()), DataType::I64)?;
        let part = cx.call(&multiply::OP, &[&index, &by], [])?;
        total = Some(match total {
            None => part,
            Some(total) => cx.call(&add::OP, &[&total, &part], [])?,
        });
        rest = cx.emit(cx.call(&floor_divide::OP, &[&rest, &size], [])?)?;
        step = cx.integer(BinOp::Mul, &step, wanted)?;
    }
    total.ok_or_else(|| Refused::new("indices without dimensions"))
}
