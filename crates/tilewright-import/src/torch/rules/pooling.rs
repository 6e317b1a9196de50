//! Pooling: maxima and means of windows.

use tilewright_ir::Attr;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::multiply;
use tilewright_ops::manipulate::{expand_dims, squeeze};
use tilewright_ops::nn::{
    adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d, avg_pool1d, avg_pool2d, avg_pool3d, max_pool1d,
    max_pool2d, max_pool3d,
};

use super::super::rule::{Rule, rule};
use super::max_pool_indices::{Windows, max_and_index};
use crate::common::{Args, Cx, Op, Refused, Res, ToAttr, Value};

const MAX: &str = "input, kernel_size, stride=[], padding=0, dilation=1, ceil_mode=False, return_indices=False";
const AVERAGE: &str =
    "input, kernel_size, stride=[], padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None";

const ADAPTIVE: &str = "input, output_size, return_indices=False";
/// ATen's operator, and the `_with_indices` functions, always return indices.
const WITH_INDICES: &str = "input, output_size, return_indices=True";

pub const RULES: &[Rule] = &[
    rule("max_pool1d", MAX, |cx, args| max_pool(cx, args, &max_pool1d::OP, 1)),
    rule("max_pool2d", MAX, |cx, args| max_pool(cx, args, &max_pool2d::OP, 2)),
    rule("max_pool3d", MAX, |cx, args| max_pool(cx, args, &max_pool3d::OP, 3)),
    rule("max_pool1d_with_indices", MAX, |cx, args| max_pool_with_indices(cx, args, &max_pool1d::OP, 1)),
    rule("max_pool2d_with_indices", MAX, |cx, args| max_pool_with_indices(cx, args, &max_pool2d::OP, 2)),
    rule("max_pool3d_with_indices", MAX, |cx, args| max_pool_with_indices(cx, args, &max_pool3d::OP, 3)),
    rule("avg_pool1d", AVERAGE, |cx, args| avg_pool(cx, args, &avg_pool1d::OP, 1)),
    rule("avg_pool2d", AVERAGE, |cx, args| avg_pool(cx, args, &avg_pool2d::OP, 2)),
    rule("avg_pool3d", AVERAGE, |cx, args| avg_pool(cx, args, &avg_pool3d::OP, 3)),
    rule("adaptive_avg_pool1d", "input, output_size", |cx, args| {
        adaptive_avg_pool(cx, args, &adaptive_avg_pool1d::OP, 1)
    }),
    rule("adaptive_avg_pool2d _adaptive_avg_pool2d", "input, output_size", |cx, args| {
        adaptive_avg_pool(cx, args, &adaptive_avg_pool2d::OP, 2)
    }),
    rule("adaptive_avg_pool3d _adaptive_avg_pool3d", "input, output_size", |cx, args| {
        adaptive_avg_pool(cx, args, &adaptive_avg_pool3d::OP, 3)
    }),
    rule("adaptive_max_pool1d_with_indices aten.adaptive_max_pool1d", WITH_INDICES, |cx, args| {
        adaptive_max_pool(cx, args, 1)
    }),
    rule("adaptive_max_pool1d", ADAPTIVE, |cx, args| adaptive_max_pool(cx, args, 1)),
    rule("adaptive_max_pool2d_with_indices aten.adaptive_max_pool2d", WITH_INDICES, |cx, args| {
        adaptive_max_pool(cx, args, 2)
    }),
    rule("adaptive_max_pool2d", ADAPTIVE, |cx, args| adaptive_max_pool(cx, args, 2)),
    rule("adaptive_max_pool3d_with_indices aten.adaptive_max_pool3d", WITH_INDICES, |cx, args| {
        adaptive_max_pool(cx, args, 3)
    }),
    rule("adaptive_max_pool3d", ADAPTIVE, |cx, args| adaptive_max_pool(cx, args, 3)),
];

/// The operator on data with a batch, which PyTorch lets callers leave out.
fn pooled<const N: usize>(cx: &Cx<'_>, x: &Expr, op: Op, spatial: usize, attrs: [(&str, Attr); N]) -> Res {
    if cx.rank(x)? != spatial + 1 {
        return cx.call(op, &[x], attrs).map(Value::Tensor);
    }
    let batched = cx.call(&expand_dims::OP, &[x], [("axis", vec![0i64].to_attr())])?;
    let found = cx.call(op, &[&batched], attrs)?;
    cx.call(&squeeze::OP, &[&found], [("axis", vec![0i64].to_attr())]).map(Value::Tensor)
}

/// The window, the strides (the window where none are given), and the padding.
fn window(args: &Args, spatial: usize) -> Res<[(&'static str, Attr); 3]> {
    let size = args.ints_of("kernel_size", spatial)?;
    let strides = match args.axes("stride")? {
        Some(_) => args.ints_of("stride", spatial)?,
        None => size.clone(),
    };
    let padding = args.ints_of("padding", spatial)?;
    let padding = [padding.as_slice(), &padding].concat();
    Ok([("pool_size", size.to_attr()), ("strides", strides.to_attr()), ("padding", padding.to_attr())])
}

/// The maxima, and their linear indices in the image.
fn max_pool_with_indices(cx: &mut Cx<'_>, args: &Args, op: Op, spatial: usize) -> Res {
    let values = max_pool_values(cx, args, op, spatial)?;
    let pooled = values.tensor().ok_or_else(|| Refused::new("expected a tensor"))?;
    let (x, counts) = (cx.emit(args.tensor("input")?)?, cx.shape(pooled)?);
    let shape = cx.shape(&x)?;
    let size = args.ints_of("kernel_size", spatial)?;
    let stride = if args.axes("stride")?.is_some() { args.ints_of("stride", spatial)? } else { size.clone() };
    let (padding, dilation) = (args.ints_of("padding", spatial)?, args.ints_of("dilation", spatial)?);
    let mut windows = Vec::new();
    for (at, size) in size.iter().enumerate() {
        let axis = shape.len() - spatial + at;
        let window = [*size, stride[at], padding[at], dilation[at]];
        windows.push(Windows::regular(cx, counts[axis].clone(), &shape[axis], window)?);
    }
    let [_, indices] = max_and_index(cx, &x, &windows)?;
    Ok(Value::List(vec![values, Value::Tensor(indices)]))
}

fn max_pool(cx: &mut Cx<'_>, args: &Args, op: Op, spatial: usize) -> Res {
    match args.flag("return_indices")? {
        true => max_pool_with_indices(cx, args, op, spatial),
        false => max_pool_values(cx, args, op, spatial),
    }
}

fn max_pool_values(cx: &mut Cx<'_>, args: &Args, op: Op, spatial: usize) -> Res {
    let [size, strides, padding] = window(args, spatial)?;
    let dilation = ("dilation", args.ints_of("dilation", spatial)?.to_attr());
    let ceil_mode = ("ceil_mode", args.flag("ceil_mode")?.to_attr());
    pooled(cx, &args.tensor("input")?, op, spatial, [size, strides, padding, dilation, ceil_mode])
}

fn avg_pool(cx: &mut Cx<'_>, args: &Args, op: Op, spatial: usize) -> Res {
    let [size, strides, padding] = window(args, spatial)?;
    let ceil_mode = ("ceil_mode", args.flag("ceil_mode")?.to_attr());
    if args.has("divisor_override") {
        // The sum divided by a number: the mean of whole windows, times their size over that number.
        if args.flag("ceil_mode")? {
            return Err(Refused::new("`divisor_override` with `ceil_mode` has no rule"));
        }
        let elements: i64 = args.ints_of("kernel_size", spatial)?.into_iter().product();
        let count = ("count_include_pad", true.to_attr());
        let Value::Tensor(mean) = pooled(cx, &args.tensor("input")?, op, spatial, [size, strides, padding, count])?
        else {
            return Err(Refused::new("expected a tensor"));
        };
        let factor = elements as f64 / args.float("divisor_override")?;
        return cx.with_number(&multiply::OP, &mean, factor).map(Value::Tensor);
    }
    let count = ("count_include_pad", args.flag("count_include_pad")?.to_attr());
    pooled(cx, &args.tensor("input")?, op, spatial, [size, strides, padding, ceil_mode, count])
}

/// The sizes of `output_size`; `None` in it keeps the size of the data.
fn output_size(cx: &Cx<'_>, args: &Args, x: &Expr, spatial: usize) -> Res<Vec<i64>> {
    let wanted = match args.get("output_size") {
        Value::List(items) if items.len() == spatial => items.clone(),
        Value::List(items) if items.len() == 1 => vec![items[0].clone(); spatial],
        one => vec![one.clone(); spatial],
    };
    let shape = cx.shape(x)?;
    let own = shape.get(shape.len().saturating_sub(spatial)..).unwrap_or_default();
    let size = |(wanted, own): (&Value, &tilewright_expr::Expr)| match wanted {
        Value::Int(size) => Ok(*size),
        Value::None => own.as_int().ok_or_else(|| Refused::new("`None` needs a dimension of known size")),
        other => Err(Refused(format!("`output_size` is of integers, found {}", other.in_words()))),
    };
    wanted.iter().zip(own).map(size).collect()
}

fn adaptive_avg_pool(cx: &mut Cx<'_>, args: &Args, op: Op, spatial: usize) -> Res {
    let x = args.tensor("input")?;
    let size = output_size(cx, args, &x, spatial)?;
    pooled(cx, &x, op, spatial, [("output_size", size.to_attr())])
}

/// Max pooling with equal windows where the output size divides the size of the data, otherwise with windows of
/// different sizes.
fn adaptive_max_pool(cx: &mut Cx<'_>, args: &Args, spatial: usize) -> Res {
    let x = args.tensor("input")?;
    let (size, shape) = (output_size(cx, args, &x, spatial)?, cx.shape(&x)?);
    let first = shape.len().saturating_sub(spatial);
    let own = shape[first..].iter().map(|own| own.as_int());
    let own = own.collect::<Option<Vec<i64>>>().ok_or_else(|| Refused::new("images of symbolic size have no rule"))?;
    if !args.flag("return_indices")? && own.iter().zip(&size).all(|(own, size)| *size > 0 && own % size == 0) {
        let window: Vec<i64> = own.iter().zip(&size).map(|(own, size)| own / size).collect();
        let op: Op = [&max_pool1d::OP, &max_pool2d::OP, &max_pool3d::OP][spatial - 1];
        return pooled(cx, &x, op, spatial, [("pool_size", window.clone().to_attr()), ("strides", window.to_attr())]);
    }
    let windows =
        own.into_iter().zip(size).map(|(own, size)| Windows::dividing(cx, size, own)).collect::<Res<Vec<_>>>()?;
    let [values, indices] = max_and_index(cx, &x, &windows)?;
    match args.flag("return_indices")? {
        true => Ok(Value::List(vec![Value::Tensor(values), Value::Tensor(indices)])),
        false => Ok(Value::Tensor(values)),
    }
}
