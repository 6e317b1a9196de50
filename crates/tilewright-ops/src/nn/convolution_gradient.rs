//! The gradients of convolutions, which are convolutions themselves.
//!
//! That of the data is the transposed convolution of the result's gradient. That of the kernel is the convolution of
//! the data with the result's gradient as kernel, in which channels and batch exchange their roles, and so do strides
//! and dilation; layouts say so, no element moves.

use tilewright_expr::{BinOp, Expr as Dim};
use tilewright_ir::op::{Adjoint, InferCx, InferError, OpCall, OpRef, Partials};
use tilewright_ir::relax::Expr;
use tilewright_ir::{Attr, Attrs};

use super::convolution::{at_least, axes};
use crate::gradient::{Rule, Term, terms};
use crate::indexed::strided_slice;
use crate::manipulate::{permute_dims, reshape};
use crate::{attributes, shapes};

/// The rule of a convolution over so many spatial dimensions, given its transposed one.
pub(crate) fn gradient(
    cx: &InferCx,
    call: &OpCall<'_>,
    (spatial, transposed): (usize, OpRef),
    adjoint: Adjoint<'_>,
) -> Rule {
    let [data, weight] = &terms(cx, call)[..] else { return Err(InferError::new("two operands are expected")) };
    let grad = Term::new(cx, adjoint.grad.clone());
    let grad = match call.tensor(0)?.1 {
        Some(dtype) => grad.astype(dtype),
        None => grad,
    };
    let of_data = grad.map(|cx, grad| of_data(cx, call, (spatial, transposed), &grad));
    let of_weight = data.map(|cx, data| of_weight(cx, call, spatial, data, grad.clone().finish()?));
    let of_weight = of_weight.map(|cx, found| cropped(cx, found, weight));
    Ok(Partials::exact(vec![Some(of_data.finish()?), Some(of_weight.finish()?)]))
}

fn of_data(
    cx: &InferCx,
    call: &OpCall<'_>,
    (spatial, transposed): (usize, OpRef),
    grad: &Expr,
) -> Result<Expr, InferError> {
    let more = output_padding(cx, call, spatial)?;
    let [data, kernel, out] = layouts(call);
    let attrs = given(call, &["strides", "padding", "dilation", "groups"])
        .chain([
            ("output_padding", ints(&more)),
            ("data_layout", Attr::str(out)),
            ("kernel_layout", Attr::str(&*exchanged(kernel, ['O', 'I']))),
            ("out_layout", Attr::str(data)),
        ])
        .map(|(name, value)| (name.into(), value))
        .collect::<Attrs>();
    Expr::call_op(cx, transposed, vec![grad.clone(), call.args[1].clone()], attrs)
}

fn of_weight(cx: &InferCx, call: &OpCall<'_>, spatial: usize, data: Expr, grad: Expr) -> Result<Expr, InferError> {
    let [data_layout, kernel, out] = layouts(call);
    let groups = attributes::int(call, "groups")?;
    let plain = axes(spatial)[0];
    let (data, data_layout) = match groups {
        1 => (data, data_layout),
        _ => (grouped(cx, data, data_layout, plain, groups)?, plain),
    };
    // The batch of this convolution are the data's channels, its channels the batch.
    let attrs = [
        ("strides", call.attr("dilation").cloned().unwrap_or(Attr::Int(1))),
        ("dilation", call.attr("strides").cloned().unwrap_or(Attr::Int(1))),
        ("padding", call.attr("padding").cloned().unwrap_or(Attr::Int(0))),
        ("groups", Attr::Int(groups)),
        ("data_layout", Attr::str(&*exchanged(data_layout, ['N', 'C']))),
        ("kernel_layout", Attr::str(&*renamed(out, [('N', 'I'), ('C', 'O')]))),
        ("out_layout", Attr::str(&*renamed(kernel, [('O', 'C'), ('I', 'N')]))),
    ];
    let attrs = attrs.into_iter().map(|(name, value)| (name.into(), value)).collect::<Attrs>();
    Expr::call_op(cx, call.op, vec![data, grad], attrs)
}

/// Data whose batch is that of all groups in turn, with the channels of one group.
fn grouped(cx: &InferCx, data: Expr, layout: &str, plain: &str, groups: i64) -> Result<Expr, InferError> {
    let mut term = Term::new(cx, data);
    if layout != plain {
        let from = |axis: char| layout.chars().position(|letter| letter == axis).map(|at| at as i64);
        let order = plain.chars().map(from).collect::<Option<Vec<_>>>();
        let order = order.ok_or_else(|| InferError::new(format!("no gradient is known in the layout `{layout}`")))?;
        term = term.permute(Some(&order));
    }
    let dims = term.dims()?;
    let [batch, channels, space @ ..] = &dims[..] else { return Err(InferError::new("data has channels")) };
    let of_group = cx.analyzer.simplify(
        &Dim::binary(BinOp::FloorDiv, channels, &Dim::int(groups, channels.dtype))
            .map_err(|error| InferError::new(error.0))?,
    );
    let groups = Dim::i64(groups);
    let apart = [&[batch.clone(), groups.clone(), of_group.clone()], space].concat();
    let order: Vec<i64> = [1, 0].into_iter().chain(2..apart.len() as i64).collect();
    let together = [&[cx.analyzer.simplify(&(groups * batch.clone())), of_group], space].concat();
    let apart = reshape::call(cx, term.finish()?, Expr::shape(apart))?;
    reshape::call(cx, permute_dims::call(cx, apart, Some(&order))?, Expr::shape(together))
}

/// Without the elements beyond the kernel: steps that do not reach the end of the data leave some.
fn cropped(cx: &InferCx, found: Expr, weight: &Term<'_>) -> Result<Expr, InferError> {
    let (wide, own) = (Term::new(cx, found.clone()).dims()?, weight.dims()?);
    if wide.iter().zip(&own).all(|(a, b)| cx.analyzer.prove_equal(a, b)) {
        return Ok(found);
    }
    let tuple = |values: Vec<Dim>| Expr::tuple(values.into_iter().map(Expr::prim).collect());
    let axes = tuple((0..own.len() as i64).map(Dim::i64).collect());
    let begin = tuple(vec![Dim::i64(0); own.len()]);
    strided_slice::call(cx, found, axes, begin, tuple(own), Expr::tuple(Vec::new()), false)
}

/// The elements at the end of the data that no window reaches, along each spatial dimension.
fn output_padding(cx: &InferCx, call: &OpCall<'_>, spatial: usize) -> Result<Vec<i64>, InferError> {
    let (strides, padding, dilation) =
        (at_least(call, "strides", 1)?, at_least(call, "padding", 0)?, at_least(call, "dilation", 1)?);
    let [data_layout, kernel_layout, _] = layouts(call);
    let (data, weight) = (shapes::dims_of(call, 0)?, shapes::dims_of(call, 1)?);
    let space = &axes(spatial)[0][2..];
    let along = |(d, axis): (usize, char)| {
        let size =
            |layout: &str, dims: &[Dim]| layout.chars().position(|letter| letter == axis).map(|at| dims[at].clone());
        let (extent, taps) = size(data_layout, &data).zip(size(kernel_layout, &weight))?;
        let whole = extent + (padding[d] + padding[d + spatial]);
        let span = (taps - 1) * dilation[d] + 1;
        let rest = whole - span;
        cx.analyzer.simplify(&Dim::binary(BinOp::FloorMod, &rest, &Dim::int(strides[d], rest.dtype)).ok()?).as_int()
    };
    let unknown = || InferError::new("the gradient of a convolution with strides needs data of constant size");
    space.chars().enumerate().map(|place| along(place).ok_or_else(unknown)).collect()
}

fn layouts<'a>(call: &'a OpCall<'_>) -> [&'a str; 3] {
    ["data_layout", "kernel_layout", "out_layout"].map(|name| attributes::text(call, name))
}

fn given<'a>(call: &'a OpCall<'_>, names: &'a [&'static str]) -> impl Iterator<Item = (&'static str, Attr)> + 'a {
    names.iter().filter_map(|name| Some((*name, call.attr(name)?.clone())))
}

fn ints(values: &[i64]) -> Attr {
    Attr::Array(values.iter().map(|&value| Attr::Int(value)).collect())
}

/// The layout with two axes for each other.
fn exchanged(layout: &str, [a, b]: [char; 2]) -> String {
    renamed(layout, [(a, b), (b, a)])
}

/// The layout with other letters for its axes, and for parts of them.
fn renamed(layout: &str, names: [(char, char); 2]) -> String {
    let name = |letter: char| {
        let of = |(from, to): &(char, char)| match letter {
            _ if letter == *from => Some(*to),
            _ if letter == from.to_ascii_lowercase() => Some(to.to_ascii_lowercase()),
            _ => None,
        };
        names.iter().find_map(of).unwrap_or(letter)
    };
    layout.chars().map(name).collect()
}
