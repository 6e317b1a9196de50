//! Decomposes a strided transposed convolution into its polyphase components: transposed convolutions without stride,
//! whose results are interleaved.
//!
//! Along one dimension result `y` meets tap `r` of the kernel where `y + before - dilation * r` is a multiple of the
//! stride: of the results of one residue modulo the stride, the *phase* `f`, each meets the same taps `first, first +
//! step, …`, and with `y = stride * q + f` they meet the elements `q + cut - dilation * step / stride * t`. That is a
//! transposed convolution without a stride, by a part of the kernel, from whose result `cut` elements are cut in front.
//!
//! The loops of the undecomposed operator compute products with zeros for a kernel that the stride does not divide, a
//! dilated one, or one of groups; the components do not. A three by three kernel with a stride of two has components of
//! one, two, two and four taps.

use tilewright_expr::Expr as Scalar;
use tilewright_ir::Attr;
use tilewright_ir::op::{InferCx, InferError, OpCall, Purpose};
use tilewright_ir::relax::{Expr, TensorShape};
use tilewright_te::topi::convolution::Conv;

use super::{convolution, pad};
use crate::attributes;
use crate::indexed::strided_slice;
use crate::manipulate::{concat, expand_dims, permute_dims, reshape};

/// The largest number of components.
const MAX_COMPONENTS: i64 = 32;

/// One phase along one dimension.
struct Phase {
    /// Its first tap of the kernel, and the distance of the others.
    first: i64,
    step: i64,
    dilation: i64,
    /// The widths cropped from the result before and after; negative for elements added to the data.
    cut: (i64, i64),
}

/// The components of a transposed convolution over `spatial` dimensions, interleaved, in a graph for inference; `None`
/// if one loop nest computes no zeros either, or too little is known.
pub(super) fn decompose(
    cx: &InferCx,
    call: &OpCall<'_>,
    spatial: usize,
    purpose: Purpose,
) -> Result<Option<Expr>, InferError> {
    let [x, weight] = call.args else { return Ok(None) };
    let (conv, more) = convolution::transposed_parameters(call, spatial)?;
    let [order, _, of_kernel] = convolution::axes(spatial);
    let in_order = [("data_layout", order), ("out_layout", order), ("kernel_layout", of_kernel)]
        .iter()
        .all(|(name, order)| attributes::text(call, name) == *order);
    if purpose != Purpose::Run || !in_order {
        return Ok(None);
    }
    let (TensorShape::Known(data), TensorShape::Known(kernel)) = (call.tensor(0)?.0, call.tensor(1)?.0) else {
        return Ok(None);
    };
    let kernel: Option<Vec<i64>> = kernel.iter().map(Scalar::as_int).collect();
    let Some(kernel) = kernel else { return Ok(None) };
    let [_, _, taps @ ..] = kernel.as_slice() else { return Ok(None) };
    let uneven = taps.iter().zip(&conv.strides).any(|(taps, stride)| taps % stride != 0);
    let in_groups = conv.groups > 1 || conv.dilation.iter().any(|&dilation| dilation > 1);
    let count = conv.strides.iter().try_fold(1_i64, |count, stride| count.checked_mul(*stride));
    if !(uneven || in_groups) || !count.is_some_and(|count| (2..=MAX_COMPONENTS).contains(&count)) {
        return Ok(None);
    }
    let dims: Vec<Scalar> = kernel.iter().map(|&extent| Scalar::i64(extent)).collect();
    let result = conv.transposed(data, &dims, &more)?;
    let mut along = Vec::with_capacity(taps.len());
    for (d, &taps) in taps.iter().enumerate() {
        let counts =
            cx.analyzer.simplify(&result[d + 2].ceil_div(conv.strides[d]).map_err(|error| InferError::new(error.0))?);
        let phases = (0..conv.strides[d]).map(|f| phase(cx, &conv, (d, f), &data[d + 2], taps, &counts));
        let Some(phases) = phases.collect::<Option<Vec<_>>>() else { return Ok(None) };
        along.push((phases, counts));
    }
    // Zeros that the data needs round it, for any of the phases.
    let border = |of: fn(&Phase) -> i64| -> Vec<i64> {
        along.iter().map(|(phases, _)| phases.iter().map(|phase| -of(phase)).max().unwrap_or(0).max(0)).collect()
    };
    let (front, after) = (border(|phase| phase.cut.0), border(|phase| phase.cut.1));
    let widths = front.iter().zip(&after).flat_map(|(&front, &after)| [front, after]);
    let widths: Vec<i64> = [0; 4].into_iter().chain(widths).collect();
    let x = match widths.iter().any(|&width| width > 0) {
        true => pad::call(cx, x.clone(), &widths, 0.0, "constant")?,
        false => x.clone(),
    };
    let of_part = |number: i64| -> Result<Expr, InferError> {
        let (mut chosen, mut rest) = (Vec::new(), number);
        for (phases, _) in along.iter().rev() {
            let count = phases.len() as i64;
            chosen.extend(phases.get((rest % count) as usize));
            rest /= count;
        }
        chosen.reverse();
        let part = part_of(cx, weight, &chosen, taps)?;
        let all = |of: &dyn Fn(&Phase) -> i64| Attr::Array(chosen.iter().map(|phase| Attr::Int(of(phase))).collect());
        let cut_in_front = chosen.iter().zip(&front).map(|(phase, front)| phase.cut.0 + front);
        let cut_after = chosen.iter().zip(&after).map(|(phase, after)| phase.cut.1 + after);
        let cut = cut_in_front.chain(cut_after).map(Attr::Int).collect();
        let mut attrs = call.attrs.clone();
        attrs.insert("strides".into(), all(&|_| 1));
        attrs.insert("output_padding".into(), all(&|_| 0));
        attrs.insert("dilation".into(), all(&|phase| phase.dilation));
        attrs.insert("padding".into(), Attr::Array(cut));
        expand_dims::call(cx, Expr::call_op(cx, call.op, vec![x.clone(), part], attrs)?, &[2])
    };
    let parts = (0..count.unwrap_or(1)).map(of_part).collect::<Result<Vec<_>, _>>()?;
    let counts: Vec<Scalar> = along.into_iter().map(|(_, counts)| counts).collect();
    interleaved(cx, concat::call(cx, Expr::tuple(parts), Some(2))?, &conv, &counts, &result).map(Some)
}

/// A phase along a dimension, with its number; `None` if it meets no tap of the kernel.
fn phase(cx: &InferCx, conv: &Conv, (d, f): (usize, i64), data: &Scalar, taps: i64, count: &Scalar) -> Option<Phase> {
    let (stride, dilation, before) = (conv.strides[d], conv.dilation[d], *conv.padding.get(d)?);
    let begin = f.checked_add(before)?;
    let first = (0..taps.min(stride)).find(|&r| (begin - r * dilation) % stride == 0)?;
    let step = (1..=stride).find(|step| step * dilation % stride == 0)?;
    let (cut, distance) = ((begin - first * dilation) / stride, step * dilation / stride);
    let reach = ((taps - 1 - first) / step).checked_mul(distance)?;
    let after = cx.analyzer.simplify(&(&(data + (reach - cut)) - count)).as_int()?;
    Some(Phase { first, step, dilation: distance, cut: (cut, after) })
}

/// The taps of the kernel that one combination of phases meets.
fn part_of(cx: &InferCx, weight: &Expr, phases: &[&Phase], taps: &[i64]) -> Result<Expr, InferError> {
    let list = |of: &mut dyn Iterator<Item = i64>| Expr::tuple(of.map(|one| Expr::prim(Scalar::i64(one))).collect());
    let axes = list(&mut (2..).take(phases.len()));
    let begin = list(&mut phases.iter().map(|phase| phase.first));
    let steps = list(&mut phases.iter().map(|phase| phase.step));
    strided_slice::call(cx, weight.clone(), axes, begin, list(&mut taps.iter().copied()), steps, false)
}

/// Interleaves the results of all phases, which are concatenated along dimension 2.
fn interleaved(
    cx: &InferCx,
    parts: Expr,
    conv: &Conv,
    counts: &[Scalar],
    result: &[Scalar],
) -> Result<Expr, InferError> {
    let (outer, spatial) = result.split_at(2.min(result.len()));
    let strides: Vec<Scalar> = conv.strides.iter().map(|&stride| Scalar::i64(stride)).collect();
    let separated = [outer, &strides, counts].concat();
    let count = counts.len() as i64;
    let order: Vec<i64> = [0, 1].into_iter().chain((2..2 + count).flat_map(|d| [d + count, d])).collect();
    let parts = permute_dims::call(cx, reshape::call(cx, parts, Expr::shape(separated))?, Some(&order))?;
    let whole: Vec<Scalar> =
        counts.iter().zip(&conv.strides).map(|(count, &stride)| cx.analyzer.simplify(&(count * stride))).collect();
    let found = reshape::call(cx, parts, Expr::shape([outer, &whole].concat()))?;
    if whole.iter().zip(spatial).all(|(whole, extent)| cx.analyzer.prove_equal(whole, extent)) {
        return Ok(found);
    }
    let list = |of: Vec<Scalar>| Expr::tuple(of.into_iter().map(Expr::prim).collect());
    let axes = list((2..2 + count).map(Scalar::i64).collect());
    let each = |value: i64| list(vec![Scalar::i64(value); counts.len()]);
    strided_slice::call(cx, found, axes, each(0), list(spatial.to_vec()), each(1), true)
}
