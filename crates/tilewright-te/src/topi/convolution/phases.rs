//! Transposed convolutions by polyphase components (*phases*): the results of one residue modulo the stride.
//!
//! `y + before = stride * i + tap` relates the element `i` of the data and the tap of the kernel that meet in result
//! `y`. With `y = stride * q + phase` the taps of a phase are `stride * t + (phase + before) % stride`, and their
//! elements `q + (phase + before) // stride - t`: a convolution of its own, without zeros between the data's elements.
//! A kernel whose taps the stride does not divide has one tap less in some phases: there both factors are zero.

use tilewright_arith::Analyzer;
use tilewright_expr::Expr;
use tilewright_tensor::DataType;

use super::{Conv, extent, product};
use crate::topi::{all_of, padded, wide};
use crate::{TeError, Tensor, Value, compute_over, reduce_axis};

/// The polyphase components of a transposed convolution.
pub(super) struct Phases {
    dims: Vec<Dim>,
    batch: Expr,
    channels: (Expr, Expr),
}

/// The decomposition of a spatial dimension.
struct Dim {
    stride: i64,
    before: i64,
    taps: i64,
    /// The largest number of taps of a phase.
    own: i64,
    /// Results of a phase.
    results: Expr,
    /// Zeros before the data and after them, and the index of the first window of the first phase.
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
    let after = analyzer.simplify(&(reach - data.clone() - in_front));
    let Some(after) = after.as_int() else { return Ok(None) };
    Ok(Some(Dim { stride, before, taps, own, results, border: (in_front, after.max(0)), first }))
}

impl Phases {
    /// The sums, indexed by batch, phases, channel, and position in the phase.
    pub(super) fn sums(&self, data: &Tensor, kernel: &Tensor, conv: &Conv, dtype: DataType) -> Result<Tensor, TeError> {
        let border = |of: fn(&Dim) -> i64| {
            conv.data.by_dim(|axis, _| axis.checked_sub(2).and_then(|d| self.dims.get(d)).map_or(0, of))
        };
        let zero = Value::from(Expr::number(0, data.dtype()));
        let data = padded(data, &border(|dim| dim.border.0), &border(|dim| dim.border.1), &zero, "data_pad")?;
        let phases = self.dims.iter().map(|dim| Expr::int(dim.stride, dim.results.dtype));
        let positions = self.dims.iter().map(|dim| dim.results.clone());
        let shape: Vec<Expr> = std::iter::once(self.batch.clone())
            .chain(phases)
            .chain([self.channels.1.clone()])
            .chain(positions)
            .collect();
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
            let Some((f, positions)) = rest.split_first() else {
                return Value::wrong(TeError("a convolution has channels".into()));
            };
            self.sum(&SumIndex { n, f, c, phase, positions, window }, (&data, kernel), conv, wide(dtype), &over)
        })
    }

    fn sum(
        &self,
        at: &SumIndex<'_>,
        (data, kernel): (&Tensor, &Tensor),
        conv: &Conv,
        dtype: DataType,
        over: &[crate::ReduceAxis],
    ) -> Value {
        let (mut element, mut tap, mut inside) =
            (vec![at.n.clone(), at.c.clone()], vec![at.c.clone(), at.f.clone()], Vec::new());
        let positions = self.dims.iter().zip(at.phase).zip(at.positions.iter().zip(at.window));
        for (dim, phase, position, own) in positions.map(|((dim, phase), (position, own))| (dim, phase, position, own))
        {
            let rest = dim.before % dim.stride;
            let shifted = if rest == 0 { phase.clone() } else { phase.clone() + rest };
            let later = if rest == 0 { position + own } else { position + own + shifted.floor_div(dim.stride) };
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
        let Some(inside) = all_of(inside) else {
            return product(data, &element, kernel, &tap, dtype, &over.iter().collect::<Vec<_>>());
        };
        let or_zero = |value: Value| {
            let zero = Value::from(Expr::number(0, dtype));
            inside.if_then_else(&value.cast(dtype), &zero)
        };
        let both = or_zero(data.at_all(&element)) * or_zero(kernel.at_all(&tap));
        crate::sum(both, &over.iter().collect::<Vec<_>>())
    }

    /// The index of a result's sum.
    pub(super) fn sum_index(&self, result: &[Value]) -> Vec<Value> {
        let ([n, f, spatial @ ..], dims) = (result, &self.dims) else { return result.to_vec() };
        let phase = spatial.iter().zip(dims).map(|(y, dim)| y.floor_mod(dim.stride));
        let position = spatial.iter().zip(dims).map(|(y, dim)| y.floor_div(dim.stride));
        std::iter::once(n.clone()).chain(phase).chain([f.clone()]).chain(position).collect()
    }
}

/// The indices of a sum and of its reduction axes.
struct SumIndex<'a> {
    n: &'a Value,
    f: &'a Value,
    c: &'a Value,
    phase: &'a [Value],
    positions: &'a [Value],
    window: &'a [Value],
}
