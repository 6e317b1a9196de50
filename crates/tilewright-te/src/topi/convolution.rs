//! Convolutions and their adjoints (transposed convolutions), over any number of spatial dimensions.
//!
//! Both are a border round the data (where there is one), and one reduction over the channels of a group and the
//! window. Axes are in the order batch, channels, spatial ones of data, and results, inputs, spatial ones of kernels;
//! the layouts say where they are. Sums of narrow floats are computed in float32.

mod phases;
mod taps;

use tilewright_arith::Analyzer;
use tilewright_expr::{BinOp, Expr};
use tilewright_tensor::DataType;

use super::layout::{Layout, times};
use super::positions::{in_order, positions};
use super::{all_of, elementwise, padded, wide};
use crate::{ReduceAxis, TeError, Tensor, Value, compute, compute_over, reduce_axis, sum};

/// How a window moves over data. All lists are of one length, the number of spatial dimensions; `padding` has the
/// widths before each of them, then those after.
#[derive(Clone, Debug)]
pub struct Conv {
    pub strides: Vec<i64>,
    pub padding: Vec<i64>,
    pub dilation: Vec<i64>,
    pub groups: i64,
    pub data: Layout,
    pub kernel: Layout,
    pub out: Layout,
}

/// A window's parameters along one dimension.
#[derive(Clone, Copy, Debug)]
pub(super) struct Along {
    pub(super) stride: i64,
    pub(super) before: i64,
    pub(super) after: i64,
    pub(super) dilation: i64,
}

/// The names of the loops over the spatial dimensions of a result and over those of a window.
const SPATIAL: [(&str, &str); 3] = [("yy", "ry"), ("xx", "rx"), ("zz", "rz")];

/// The extent of a window of `taps`, dilated.
pub(super) fn span(taps: &Expr, dilation: i64) -> Expr {
    if dilation == 1 { taps.clone() } else { (taps.clone() - 1) * dilation + 1 }
}

impl Conv {
    /// The number of spatial dimensions.
    pub fn spatial(&self) -> usize {
        self.strides.len()
    }

    fn along(&self, d: usize) -> Along {
        let of = |list: &[i64], at: usize, default| list.get(at).copied().unwrap_or(default);
        Along {
            stride: of(&self.strides, d, 1),
            before: of(&self.padding, d, 0),
            after: of(&self.padding, d + self.spatial(), 0),
            dilation: of(&self.dilation, d, 1),
        }
    }

    /// The data's extent along a spatial dimension with its border, and what the window covers.
    pub fn reach(&self, d: usize, data: &Expr, taps: &Expr) -> (Expr, Expr) {
        let analyzer = Analyzer::new();
        let along = self.along(d);
        let whole = data.clone() + (along.before + along.after);
        (analyzer.simplify(&whole), analyzer.simplify(&span(taps, along.dilation)))
    }

    /// The extents of the axes of a convolution's result, of those of data and kernel.
    pub fn result(&self, data: &[Expr], kernel: &[Expr]) -> Result<Vec<Expr>, TeError> {
        let mut result = vec![extent(data, 0)?, extent(kernel, 0)?];
        for d in 0..self.spatial() {
            let (whole, window) = self.reach(d, &extent(data, d + 2)?, &extent(kernel, d + 2)?);
            result.push(positions(&(whole - window), self.along(d).stride)?);
        }
        Ok(result)
    }

    /// The extents of the axes of a transposed convolution's result. The kernel's first axis is that of the data's
    /// channels, its second that of the result's in one group.
    pub fn transposed(&self, data: &[Expr], kernel: &[Expr], more: &[i64]) -> Result<Vec<Expr>, TeError> {
        let analyzer = Analyzer::new();
        let channels = extent(kernel, 1)? * self.groups;
        let mut result = vec![extent(data, 0)?, analyzer.simplify(&channels)];
        for d in 0..self.spatial() {
            let along = self.along(d);
            let steps = (extent(data, d + 2)? - 1) * along.stride;
            let window = span(&extent(kernel, d + 2)?, along.dilation);
            let more = more.get(d).copied().unwrap_or(0) - along.before - along.after;
            result.push(in_order(&(steps + window + more)));
        }
        Ok(result)
    }

    /// `conv2d_nchw`, `group_conv2d_nhwc`.
    fn name(&self, suffix: &str) -> String {
        let group = if self.groups == 1 { "" } else { "group_" };
        format!("{group}conv{}d{suffix}_{}", self.spatial(), self.out.to_string().to_lowercase())
    }

    /// The names of the loops over the result.
    fn names(&self) -> Vec<String> {
        self.out.by_dim(|axis, part| {
            let name = match axis {
                0 => "nn",
                1 => "ff",
                _ => SPATIAL.get(axis - 2).map_or("ss", |names| names.0),
            };
            if part { format!("{name}_i") } else { name.to_owned() }
        })
    }

    /// The axes of the window, and of the channels before them.
    fn window(&self, channels: Expr, kernel: &[Expr]) -> Vec<ReduceAxis> {
        let taps = kernel.iter().skip(2).zip(SPATIAL).map(|(taps, names)| (taps.clone(), names.1));
        let all = std::iter::once((channels, "rc")).chain(taps);
        all.map(|(extent, name)| reduce_axis(Expr::int(0, extent.dtype), extent, name)).collect()
    }
}

fn extent(shape: &[Expr], axis: usize) -> Result<Expr, TeError> {
    shape.get(axis).cloned().ok_or_else(|| TeError(format!("a shape of {} axes has no axis {axis}", shape.len())))
}

/// The channels of one group.
fn of_group(channels: &Expr, groups: i64) -> Result<Expr, TeError> {
    let own = Expr::binary(BinOp::FloorDiv, channels, &Expr::int(groups, channels.dtype))?;
    Ok(Analyzer::new().simplify(&own))
}

/// The channel of the data that is number `c` of the `channels` in the group of `f`, of whose results there are `own`.
fn of_data(f: &Value, own: &Expr, channels: &Expr, c: &Value) -> Value {
    let group = if own.as_int() == Some(1) { f.clone() } else { f.floor_div(own.clone()) };
    let first = if channels.as_int() == Some(1) { group } else { group * channels.clone() };
    first + c
}

/// `result[n, f, y] = sum over c, r of data[n, group(f) + c, y * stride + r * dilation - before] * kernel[f, c, r]`,
/// with the sums in `dtype`. Taps of the window that are in the border for every result contribute nothing, and are
/// left out.
pub fn conv(data: &Tensor, kernel: &Tensor, conv: &Conv, dtype: DataType) -> Result<Tensor, TeError> {
    let data_shape = conv.data.logical_shape(data.shape())?;
    let taps = conv.kernel.logical_shape(kernel.shape())?;
    let result = conv.out.physical_shape(&conv.result(&data_shape, &taps)?)?;
    let (channels, own) = (extent(&taps, 1)?, of_group(&extent(&taps, 0)?, conv.groups)?);
    let used = taps::used(conv, &data_shape, &taps)?;
    let border = |before: bool| {
        conv.data.by_dim(|axis, _| match axis.checked_sub(2).and_then(|d| used.get(d)) {
            Some(used) => {
                if before {
                    used.before
                } else {
                    used.after
                }
            }
            None => 0,
        })
    };
    let zero = Value::from(Expr::number(0, data.dtype()));
    let (before, after) = (border(true), border(false));
    let data = match before.iter().chain(&after).all(|&width| width == 0) {
        // Programs name the padded data, which is the data here, as a stage.
        true => elementwise(data, "pad_temp", |x| x)?,
        false => padded(data, &before, &after, &zero, "pad_temp")?,
    };
    let counts = used.iter().map(|used| used.count.clone());
    let over = conv.window(channels.clone(), &taps.iter().take(2).cloned().chain(counts).collect::<Vec<_>>());
    // Where the channels are the last dimension, their loop is the innermost.
    let channels_last = conv.data.by_dim(|axis, _| axis).last() == Some(&1) && !conv.data.splits(1);
    let formula = |i: &[Value]| {
        let (at, r) = (conv.out.logical(i), over.iter().map(|axis| Value::clone(axis)).collect::<Vec<_>>());
        let ([n, f, spatial @ ..], [c, window @ ..]) = (at.as_slice(), r.as_slice()) else {
            return Value::wrong(TeError("a convolution has a batch and channels".into()));
        };
        let of_data = if conv.groups == 1 { c.clone() } else { of_data(f, &own, &channels, c) };
        let elements =
            spatial.iter().zip(window).zip(&used).enumerate().map(|(d, ((y, r), used))| {
                offset_by(times(y, conv.along(d).stride) + times(r, used.distance), used.start)
            });
        let elements: Vec<Value> = [n.clone(), of_data].into_iter().chain(elements).collect();
        let of_window = window.iter().zip(&used).map(|(r, used)| offset_by(r.clone(), used.first));
        let of_kernel: Vec<Value> = [f.clone(), c.clone()].into_iter().chain(of_window).collect();
        let mut axes: Vec<&ReduceAxis> = over.iter().collect();
        axes.rotate_left(usize::from(channels_last));
        product(&data, &conv.data.physical(&elements), kernel, &conv.kernel.physical(&of_kernel), wide(dtype), &axes)
    };
    narrowed(compute_over(&result, &conv.name(""), &conv.names(), formula)?, dtype)
}

/// A position plus an offset.
fn offset_by(position: Value, count: i64) -> Value {
    if count == 0 { position } else { position + count }
}

/// The sum over the axes of the products of an element of the data and one of the kernel.
fn product(
    data: &Tensor,
    element: &[Value],
    kernel: &Tensor,
    tap: &[Value],
    dtype: DataType,
    over: &[&ReduceAxis],
) -> Value {
    sum(data.at_all(element).cast(dtype) * kernel.at_all(tap).cast(dtype), over)
}

fn narrowed(wide: Tensor, dtype: DataType) -> Result<Tensor, TeError> {
    if wide.dtype() == dtype {
        return Ok(wide);
    }
    elementwise(&wide, &format!("{}_narrow", wide.name()), |x| x.cast(dtype))
}

/// The data's part in what a convolution of these parameters was made of: each element of the data times the kernel,
/// added at the window's positions. `more` is the output padding: trailing elements that no window reaches.
///
/// It is the convolution by the mirrored kernel of the data with `stride - 1` zeros between its elements
/// (zero-stuffing). Results at one residue modulo the stride meet the same taps and no zeros: without groups, they are
/// computed together as a *polyphase component* (phase), and the phases are then interleaved.
pub fn conv_transpose(
    data: &Tensor,
    kernel: &Tensor,
    conv: &Conv,
    more: &[i64],
    dtype: DataType,
) -> Result<Tensor, TeError> {
    let data_shape = conv.data.logical_shape(data.shape())?;
    let taps = conv.kernel.logical_shape(kernel.shape())?;
    let logical = conv.transposed(&data_shape, &taps, more)?;
    let result = conv.out.physical_shape(&logical)?;
    if let Some(phases) = phases::of(conv, &data_shape, &logical, &taps)? {
        let wide = phases.sums(data, kernel, conv, dtype)?;
        let side_by_side = |i: &[Value]| wide.at_all(&phases.sum_index(&conv.out.logical(i))).cast(dtype);
        return compute_over(&result, &conv.name("_transpose"), &conv.names(), side_by_side);
    }
    let (channels, own) = (of_group(&extent(&taps, 0)?, conv.groups)?, extent(&taps, 1)?);
    let data = spread(data, conv, &data_shape, &logical, &taps)?;
    let over = conv.window(channels.clone(), &taps);
    let formula = |i: &[Value]| {
        let (at, r) = (conv.out.logical(i), over.iter().map(|axis| Value::clone(axis)).collect::<Vec<_>>());
        let ([n, f, spatial @ ..], [c, window @ ..]) = (at.as_slice(), r.as_slice()) else {
            return Value::wrong(TeError("a convolution has a batch and channels".into()));
        };
        let (of_data, of_result) = match conv.groups {
            1 => (c.clone(), f.clone()),
            _ => (of_data(f, &own, &channels, c), f.floor_mod(own.clone())),
        };
        let elements = spatial.iter().zip(window).enumerate();
        let elements = elements.map(|(d, (y, r))| y + times(r, conv.along(d).dilation));
        let elements: Vec<Value> = [n.clone(), of_data.clone()].into_iter().chain(elements).collect();
        let last = |taps: &Expr| Value::from(Analyzer::new().simplify(&(taps.clone() - 1)));
        let mirrored = taps.iter().skip(2).zip(window).map(|(taps, r)| last(taps) - r);
        let tap: Vec<Value> = [of_data, of_result].into_iter().chain(mirrored).collect();
        product(
            &data,
            &conv.data.physical(&elements),
            kernel,
            &conv.kernel.physical(&tap),
            wide(dtype),
            &over.iter().collect::<Vec<_>>(),
        )
    };
    narrowed(compute_over(&result, &conv.name("_transpose"), &conv.names(), formula)?, dtype)
}

/// The data with zeros between its elements and round them, so that a window of `taps` moves over the result by single
/// steps.
fn spread(data: &Tensor, conv: &Conv, shape: &[Expr], result: &[Expr], taps: &[Expr]) -> Result<Tensor, TeError> {
    let analyzer = Analyzer::new();
    let mut logical = shape.to_vec();
    // For each spatial dimension the index of the first element and one past that of the last.
    let mut elements: Vec<(Expr, Expr)> = Vec::new();
    for d in 0..conv.spatial() {
        let along = conv.along(d);
        let before = analyzer.simplify(&(span(&extent(taps, d + 2)?, along.dilation) - (1 + along.before)));
        let end = analyzer.simplify(&((extent(shape, d + 2)? - 1) * along.stride + before.clone() + 1));
        let reach = extent(result, d + 2)? + span(&extent(taps, d + 2)?, along.dilation) - 1;
        logical[d + 2] = analyzer.simplify(&reach);
        elements.push((before, end));
    }
    let still = conv.strides.iter().all(|&stride| stride == 1)
        && elements.iter().all(|(before, _)| before.as_int() == Some(0))
        && logical.iter().zip(shape).all(|(a, b)| analyzer.prove_equal(a, b));
    if still {
        return Ok(data.clone());
    }
    compute(&conv.data.physical_shape(&logical)?, "data_pad", |i| {
        let mut at = conv.data.logical(i);
        let mut conditions = Vec::new();
        for ((index, (before, end)), &stride) in at.iter_mut().skip(2).zip(&elements).zip(&conv.strides) {
            let own = if before.as_int() == Some(0) { index.clone() } else { &*index - Value::from(before.clone()) };
            conditions.extend([Value::from(before.clone()).le(&*index), index.lt(Value::from(end.clone()))]);
            if stride != 1 {
                conditions.push(own.floor_mod(stride).equals(0));
            }
            *index = if stride == 1 { own } else { own.floor_div(stride) };
        }
        let zero = Value::from(Expr::number(0, data.dtype()));
        let element = data.at_all(&conv.data.physical(&at));
        all_of(conditions).map_or(element.clone(), |inside| inside.if_then_else(&element, &zero))
    })
}
