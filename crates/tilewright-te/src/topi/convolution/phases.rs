//! Transposed convolutions by phases: results whose places leave the same rest, divided by the stride.
//!
//! `y + before = stride * i + tap` says which element `i` of the data meets which tap of the kernel. With
//! `y = stride * q + phase` the taps of a phase are `stride * t + (phase + before) % stride`, and their elements
//! `q + (phase + before) // stride - t`: a convolution of its own, without zeros between the data's elements. A kernel whose
//! taps no stride divides evenly has one less in some phases: there both factors are zero.

use tilewright_arith::Analyzer;
use tilewright_expr::Expr;
use tilewright_tensor::DataType;

use super::{Conv, extent, product};
use crate::topi::{all_of, padded, wide};
use crate::{TeError, Tensor, Value, compute_over, reduce_axis};

/// The phases of a transposed convolution.
pub(super) struct Phases {
    dims: Vec<Dim>,
    batch: Expr,
    channels: (Expr, Expr),
}

/// What becomes of a spatial dimension.
struct Dim {
    stride: i64,
    before: i64,
    taps: i64,
    /// The most taps of a phase.
    own: i64,
    /// Results of a phase.
    results: Expr,
    /// Zeros in front of the data and behind it, and where the first window of the first phase begins.
    border: (i64, i64),
    first: i64,
}

/// The phases, where there are several and the taps of each are known.
pub(super) fn of(conv: &Conv, data: &[Expr], result: &[Expr], taps: &[Expr]) -> Result<Option<Phases>, TeError> {
    let plain = conv.groups == 1 && (0..conv.spatial()).all(|d| conv.along(d).dilation == 1);
    if !plain || conv.strides.iter().all(|&stride| stride == 1) {
        return Ok(None);
    }
    let mut dims = Vec::with_capacity(conv.spatial());
    for d in 0..conv.spatial() {
        let Some(dim) = dim(conv, d, &extent(data, d + 2)?, &extent(result, d + 2)?, &extent(taps, d + 2)?)? else {
            return Ok(None);
        };
        dims.push(dim);
    }
    let channels = (extent(taps, 0)?, extent(taps, 1)?);
    Ok(Some(Phases { dims, batch: extent(result, 0)?, channels }))
}

fn dim(conv: &Conv, d: usize, data: &Expr, result: &Expr, taps: &Expr) -> Result<Option<Dim>, TeError> {
    let (along, analyzer) = (conv.along(d), Analyzer::new());
    let (stride, before) = (along.stride, along.before);
    let Some(taps) = taps.as_int().filter(|&taps| taps > 0 && stride > 0 && before >= 0) else { return Ok(None) };
    let own = (taps + stride - 1) / stride;
    let results = analyzer.simplify(&result.ceil_div(stride)?);
    let in_front = (own - 1 - before / stride).max(0);
    let first = before / stride + in_front - (own - 1);
    // The last phase begins one element later where the border is not a multiple of the stride.
    let reach = results.clone() + (own + first + i64::from(before % stride != 0) - 1);
    let behind = analyzer.simplify(&(reach - data.clone() - in_front));
    let Some(behind) = behind.as_int() else { return Ok(None) };
    Ok(Some(Dim { stride, before, taps, own, results, border: (in_front, behind.max(0)), first }))
}

impl Phases {
    /// The sums, by batch, phases, channel, and places in the phase.
    pub(super) fn sums(&self, data: &Tensor, kernel: &Tensor, conv: &Conv, dtype: DataType) -> Result<Tensor, TeError> {
        let border = |of: fn(&Dim) -> i64| {
            conv.data.by_dim(|axis, _| axis.checked_sub(2).and_then(|d| self.dims.get(d)).map_or(0, of))
        };
        let zero = Value::from(Expr::number(0, data.dtype()));
        let data = padded(data, &border(|dim| dim.border.0), &border(|dim| dim.border.1), &zero, "data_pad")?;
        let phases = self.dims.iter().map(|dim| Expr::int(dim.stride, dim.results.dtype));
        let places = self.dims.iter().map(|dim| dim.results.clone());
        let shape: Vec<Expr> =
            std::iter::once(self.batch.clone()).chain(phases).chain([self.channels.1.clone()]).chain(places).collect();
        let taps = self.dims.iter().map(|dim| Expr::int(dim.own, dim.results.dtype));
        let over: Vec<_> = std::iter::once(self.channels.0.clone())
            .chain(taps)
            .map(|extent| reduce_axis(Expr::int(0, extent.dtype), extent, "rt"))
            .collect();
        let names: Vec<String> = shape.iter().enumerate().map(|(at, _)| format!("p{at}")).collect();
        compute_over(&shape, "phases", &names, |i| {
            let r: Vec<Value> = over.iter().map(|axis| Value::clone(axis)).collect();
            let ([n, rest @ ..], [c, window @ ..]) = (i, r.as_slice()) else {
                return Value::wrong(TeError("a convolution has a batch and channels".into()));
            };
            let (phase, rest) = rest.split_at(self.dims.len().min(rest.len()));
            let Some((f, places)) = rest.split_first() else {
                return Value::wrong(TeError("a convolution has channels".into()));
            };
            self.sum(&Place { n, f, c, phase, places, window }, (&data, kernel), conv, wide(dtype), &over)
        })
    }

    fn sum(
        &self,
        at: &Place<'_>,
        (data, kernel): (&Tensor, &Tensor),
        conv: &Conv,
        dtype: DataType,
        over: &[crate::ReduceAxis],
    ) -> Value {
        let (mut element, mut tap, mut inside) =
            (vec![at.n.clone(), at.c.clone()], vec![at.c.clone(), at.f.clone()], Vec::new());
        let places = self.dims.iter().zip(at.phase).zip(at.places.iter().zip(at.window));
        for (dim, phase, place, own) in places.map(|((dim, phase), (place, own))| (dim, phase, place, own)) {
            let rest = dim.before % dim.stride;
            let shifted = if rest == 0 { phase.clone() } else { phase.clone() + rest };
            let later = if rest == 0 { place + own } else { place + own + shifted.floor_div(dim.stride) };
            element.push(if dim.first == 0 { later } else { later + dim.first });
            let mirrored = Value::from(Expr::int(dim.own - 1, dim.results.dtype)) - own;
            let rest_of = if rest == 0 { shifted } else { shifted.floor_mod(dim.stride) };
            let number = mirrored * dim.stride + rest_of;
            if dim.taps % dim.stride != 0 {
                inside.push(number.lt(Value::from(Expr::int(dim.taps, dim.results.dtype))));
            }
            tap.push(number);
        }
        let (element, tap) = (conv.data.physical(&element), conv.kernel.physical(&tap));
        let Some(inside) = all_of(inside) else { return product(data, &element, kernel, &tap, dtype, over) };
        let or_zero = |value: Value| {
            let zero = Value::from(Expr::number(0, dtype));
            inside.if_then_else(&value.cast(dtype), &zero)
        };
        let both = or_zero(data.at_all(&element)) * or_zero(kernel.at_all(&tap));
        crate::sum(both, &over.iter().collect::<Vec<_>>())
    }

    /// Where the sum of a result is.
    pub(super) fn place(&self, result: &[Value]) -> Vec<Value> {
        let ([n, f, spatial @ ..], dims) = (result, &self.dims) else { return result.to_vec() };
        let phase = spatial.iter().zip(dims).map(|(y, dim)| y.floor_mod(dim.stride));
        let place = spatial.iter().zip(dims).map(|(y, dim)| y.floor_div(dim.stride));
        std::iter::once(n.clone()).chain(phase).chain([f.clone()]).chain(place).collect()
    }
}

/// Indices of a sum and of what it goes over.
struct Place<'a> {
    n: &'a Value,
    f: &'a Value,
    c: &'a Value,
    phase: &'a [Value],
    places: &'a [Value],
    window: &'a [Value],
}
