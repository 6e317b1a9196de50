//! Windows that are reduced to one element: pools, over any number of spatial dimensions.
//!
//! Axes are in the order batch, channels, spatial ones; the layouts say where they are. A pool is a border round the
//! data (where there is one), a reduction over the window, and for averages a division.

use tilewright_arith::Analyzer;
use tilewright_expr::{BinOp, Expr};
use tilewright_ir::{Attr, Attrs};
use tilewright_tensor::DataType;

use super::convolution::Along;
use super::layout::{Layout, times};
use super::positions::positions;
use super::{all_of, padded, wide};
use crate::{ReduceAxis, Reducer, TeError, Tensor, Value, compute_op, compute_over, max_over, reduce_axis, sum};

/// The reduction of a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PoolKind {
    /// NaN if any element is.
    Max,
    /// The mean of the elements, with those of the border if `with_border`.
    Average { with_border: bool },
}

/// How a window moves over data. All lists are of one length, the number of spatial dimensions; `padding` has the
/// widths before each of them, then those after.
#[derive(Clone, Debug)]
pub struct Pool {
    pub kind: PoolKind,
    pub window: Vec<i64>,
    pub strides: Vec<i64>,
    pub padding: Vec<i64>,
    pub dilation: Vec<i64>,
    /// Whether a window that begins before the trailing border may extend beyond it.
    pub ceil: bool,
    pub data: Layout,
    pub out: Layout,
}

fn floor_div(a: &Expr, b: i64) -> Result<Expr, TeError> {
    Ok(Expr::binary(BinOp::FloorDiv, a, &Expr::int(b, a.dtype))?)
}

impl Pool {
    /// The number of spatial dimensions.
    pub fn spatial(&self) -> usize {
        self.window.len()
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

    /// The extent of a window along a spatial dimension.
    pub fn span(&self, d: usize) -> i64 {
        let taps = self.window.get(d).copied().unwrap_or(1);
        (taps - 1).saturating_mul(self.along(d).dilation).saturating_add(1)
    }

    /// The extents of the axes of the result, of those of the data.
    ///
    /// With `ceil` there is one more window for remaining elements, if it begins before the trailing border.
    pub fn result(&self, data: &[Expr]) -> Result<Vec<Expr>, TeError> {
        let analyzer = Analyzer::new();
        let mut result = data.to_vec();
        for (d, extent) in result.iter_mut().skip(2).enumerate() {
            let (along, window) = (self.along(d), self.span(d));
            let left = extent.clone() + (along.before + along.after - window);
            let round = if self.ceil { along.stride - 1 } else { 0 };
            let mut windows = positions(&(left + round), along.stride)?;
            if self.ceil && along.stride + along.after > window {
                let beginning = floor_div(&(extent.clone() + (along.before + along.stride - 1)), along.stride)?;
                windows = analyzer.simplify(&Expr::binary(BinOp::Min, &windows, &beginning)?);
            }
            *extent = windows;
        }
        Ok(result)
    }

    /// The width by which the windows reach past the elements.
    fn after(&self, d: usize, data: &Expr, windows: &Expr) -> i64 {
        let along = self.along(d);
        match (data.as_int(), windows.as_int()) {
            _ if !self.ceil => along.after,
            (Some(data), Some(windows)) => {
                let end = (windows - 1).saturating_mul(along.stride).saturating_add(self.span(d));
                along.after.max(end.saturating_sub(data).saturating_sub(along.before))
            }
            _ => along.after + along.stride - 1,
        }
    }

    /// The number of elements of a mean, at the index of a result along a spatial dimension; the first tap may be
    /// before the data, and the last after.
    fn count(&self, d: usize, data: &Expr, y: &Value, with_border: bool) -> Value {
        let (along, taps) = (self.along(d), self.window.get(d).copied().unwrap_or(1));
        // The number of taps before an index that is counted from the start of the border.
        let before = |index: &Expr| {
            let distance = Value::from(Analyzer::new().simplify(index)) - times(y, along.stride);
            match along.dilation {
                1 => distance,
                dilation => (distance + (dilation - 1)).floor_div(dilation),
            }
        };
        let border = if with_border { along.after } else { 0 };
        let last = before(&(data.clone() + (along.before + border))).min(taps);
        match with_border || along.before == 0 {
            true => last.max(1),
            false => (last - before(&Expr::int(along.before, data.dtype)).max(0)).max(1),
        }
    }
}

/// The type in which a mean is computed.
fn mean_type(dtype: DataType) -> DataType {
    match dtype.is_int() && dtype.bits < 32 {
        true => DataType { bits: 32, ..dtype },
        false => wide(dtype),
    }
}

/// The names of the loops over the result.
fn names(out: &Layout) -> Vec<String> {
    (0..out.rank()).map(|at| format!("ax{at}")).collect()
}

/// The indices of the window's elements.
fn taps(extents: &[Expr]) -> Vec<ReduceAxis> {
    let axis = |(d, extent): (usize, &Expr)| reduce_axis(Expr::int(0, extent.dtype), extent.clone(), &format!("rv{d}"));
    extents.iter().enumerate().map(axis).collect()
}

/// The product of a constant and of what varies.
fn count(constant: i64, varying: impl Iterator<Item = Value>) -> Value {
    match varying.reduce(|product, one| product * one) {
        Some(varying) => times(&varying, constant),
        None => Value::from(Expr::i64(constant)),
    }
}

/// The pool of the data.
pub fn pool(data: &Tensor, pool: &Pool) -> Result<Tensor, TeError> {
    let shape = pool.data.logical_shape(data.shape())?;
    let logical = pool.result(&shape)?;
    let result = pool.out.physical_shape(&logical)?;
    let after: Vec<i64> = (0..pool.spatial()).map(|d| pool.after(d, &shape[d + 2], &logical[d + 2])).collect();
    let before = pool.data.by_dim(|axis, _| axis.checked_sub(2).map_or(0, |d| pool.along(d).before));
    let reach = pool.data.by_dim(|axis, _| axis.checked_sub(2).and_then(|d| after.get(d)).copied().unwrap_or(0));
    let (dtype, wide) = (data.dtype(), mean_type(data.dtype()));
    let fill = match pool.kind {
        PoolKind::Max => Reducer::Max.identity(dtype),
        PoolKind::Average { .. } => Expr::number(0, dtype),
    };
    let border = padded(data, &before, &reach, &fill.into(), "pad_temp")?;
    let over = taps(&pool.window.iter().map(|&taps| Expr::i64(taps)).collect::<Vec<_>>());
    let axes: Vec<&ReduceAxis> = over.iter().collect();
    let element = |i: &[Value]| {
        let mut at = pool.out.logical(i);
        for (d, (y, r)) in at.iter_mut().skip(2).zip(&over).enumerate() {
            *y = times(y, pool.along(d).stride) + times(r, pool.along(d).dilation);
        }
        border.at_all(&pool.data.physical(&at))
    };
    let PoolKind::Average { with_border } = pool.kind else {
        return compute_over(&result, "pool_max", &names(&pool.out), |i| max_over(element(i), &axes));
    };
    let total = compute_over(&result, "pool_sum", &names(&pool.out), |i| sum(element(i).cast(wide), &axes))?;
    compute_over(&result, "pool_avg", &names(&pool.out), |i| {
        let at = pool.out.logical(i);
        let whole = |d: usize| {
            let along = pool.along(d);
            (with_border || along.before == 0 && along.after == 0) && after[d] == along.after
        };
        let constant = pool
            .window
            .iter()
            .enumerate()
            .filter(|(d, _)| whole(*d))
            .fold(1, |product: i64, (_, &taps)| product.saturating_mul(taps));
        let varying = (0..pool.spatial()).filter(|d| !whole(*d));
        let varying = varying.map(|d| pool.count(d, &shape[d + 2], &at[d + 2], with_border));
        (total.at_all(i) / count(constant, varying).cast(wide)).cast(dtype)
    })
}

/// Windows that divide the data into as many as `size` says, along each spatial dimension: window `i` of `m` goes from
/// `i * n / m`, rounded down, to `(i + 1) * n / m`, rounded up.
struct Adaptive<'a> {
    data: &'a Tensor,
    size: &'a [Expr],
    from: &'a Layout,
    to: &'a Layout,
    shape: Vec<Expr>,
    result: Vec<Expr>,
    /// The number of elements that are run over, and whether all of them are in each window.
    windows: Vec<(Expr, bool)>,
    over: Vec<ReduceAxis>,
}

impl<'a> Adaptive<'a> {
    fn new(data: &'a Tensor, size: &'a [Expr], from: &'a Layout, to: &'a Layout) -> Result<Self, TeError> {
        let shape = from.logical_shape(data.shape())?;
        let result = to.physical_shape(&[&shape[..2], size].concat())?;
        let analyzer = Analyzer::new();
        // Where windows differ, all are run over as the longest is.
        let mut windows: Vec<(Expr, bool)> = Vec::new();
        for (n, m) in shape.iter().skip(2).zip(size) {
            let rest = analyzer.simplify(&Expr::binary(BinOp::FloorMod, n, m)?);
            let even = analyzer.simplify(&Expr::binary(BinOp::FloorDiv, n, m)?);
            let whole = rest.as_int() == Some(0);
            windows.push((if whole { even } else { analyzer.simplify(&(even + 2)) }, whole));
        }
        let over = taps(&windows.iter().map(|(extent, _)| extent.clone()).collect::<Vec<_>>());
        Ok(Self { data, size, from, to, shape, result, windows, over })
    }

    /// The start and the end of window `i` along a spatial dimension.
    fn bounds(&self, i: &Value, d: usize) -> (Value, Value) {
        let (n, m) = (&self.shape[d + 2], &self.size[d]);
        let last = Analyzer::new().simplify(&(n.clone() + m.clone() - 1));
        let scaled = i * n.clone();
        (scaled.floor_div(m.clone()), (scaled + last).floor_div(m.clone()))
    }

    /// The element of the windows at `i` at the reduction's index, converted by `cast`; `outside` past the end of a
    /// window.
    fn element(&self, i: &[Value], cast: impl FnOnce(Value) -> Value, outside: &Expr) -> Value {
        let mut at = self.to.logical(i);
        let mut inside = Vec::new();
        for (d, (y, r)) in at.iter_mut().skip(2).zip(&self.over).enumerate() {
            let (extent, whole) = &self.windows[d];
            if *whole {
                *y = &*y * extent.clone() + &**r;
                continue;
            }
            let (start, end) = self.bounds(y, d);
            *y = start + &**r;
            inside.push(y.lt(end));
        }
        let element = cast(self.data.at_all(&self.from.physical(&at)));
        let outside = Value::from(outside.clone());
        all_of(inside).map_or(element.clone(), |inside| inside.if_then_else(&element, &outside))
    }

    /// The number of elements of the windows at `i`.
    fn count(&self, i: &[Value]) -> Value {
        let at = self.to.logical(i);
        let length = |(d, (extent, whole)): (usize, &(Expr, bool))| {
            let (start, end) = self.bounds(&at[d + 2], d);
            if *whole { Value::from(extent.clone()) } else { end - start }
        };
        let known = |extent: &Expr, whole: bool| extent.as_int().filter(|_| whole);
        let constant = self.windows.iter().filter_map(|(extent, whole)| known(extent, *whole)).product();
        let varying = self.windows.iter().enumerate().filter(|(_, (extent, whole))| known(extent, *whole).is_none());
        count(constant, varying.map(length))
    }

    fn axes(&self) -> Vec<&ReduceAxis> {
        self.over.iter().collect()
    }
}

/// Means of windows that divide the data into as many as `size` says, along each spatial dimension.
pub fn adaptive_average(data: &Tensor, size: &[Expr], from: &Layout, to: &Layout) -> Result<Tensor, TeError> {
    let windows = Adaptive::new(data, size, from, to)?;
    let (dtype, wide) = (data.dtype(), mean_type(data.dtype()));
    let zero = Expr::number(0, wide);
    let total = compute_over(&windows.result, "adaptive_pool_sum", &names(to), |i| {
        sum(windows.element(i, |element| element.cast(wide), &zero), &windows.axes())
    })?;
    let attrs = Attrs::from([("schedule_rule".into(), Attr::str("meta_schedule.adaptive_pool_avg"))]);
    let mean = |i: &[Value]| vec![(total.at_all(i) / windows.count(i).cast(wide)).cast(dtype)];
    let mean = compute_op(&windows.result, "adaptive_pool_avg", &names(to), attrs, mean)?;
    mean.outputs().into_iter().next().ok_or_else(|| TeError("a mean has one result".into()))
}

/// The largest elements of windows that divide the data into as many as `size` says, along each spatial dimension.
pub fn adaptive_max(data: &Tensor, size: &[Expr], from: &Layout, to: &Layout) -> Result<Tensor, TeError> {
    let windows = Adaptive::new(data, size, from, to)?;
    let least = Reducer::Max.identity(data.dtype());
    compute_over(&windows.result, "adaptive_pool_max", &names(to), |i| {
        max_over(windows.element(i, |element| element, &least), &windows.axes())
    })
}
