//! Windows of the data: their largest elements and their means.

use tilewright_ir::Attr;
use tilewright_ir::relax::Expr;

use super::super::args::Args;
use super::super::cx::{Cx, ToAttr};
use super::super::value::{Refused, Res, Value};
use super::{Rule, rule};

const MAX: &str = "input, kernel_size, stride=[], padding=0, dilation=1, ceil_mode=False, return_indices=False";
const AVERAGE: &str =
    "input, kernel_size, stride=[], padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None";

pub const RULES: &[Rule] = &[
    rule("max_pool1d", MAX, |cx, args| largest(cx, args, "nn.max_pool1d", 1)),
    rule("max_pool2d", MAX, |cx, args| largest(cx, args, "nn.max_pool2d", 2)),
    rule("max_pool3d", MAX, |cx, args| largest(cx, args, "nn.max_pool3d", 3)),
    rule("max_pool2d_with_indices", MAX, |cx, args| {
        // The places of the largest elements are of use in training alone.
        Ok(Value::List(vec![largest(cx, args, "nn.max_pool2d", 2)?, Value::None]))
    }),
    rule("avg_pool1d", AVERAGE, |cx, args| average(cx, args, "nn.avg_pool1d", 1)),
    rule("avg_pool2d", AVERAGE, |cx, args| average(cx, args, "nn.avg_pool2d", 2)),
    rule("avg_pool3d", AVERAGE, |cx, args| average(cx, args, "nn.avg_pool3d", 3)),
    rule("adaptive_avg_pool1d", "input, output_size", |cx, args| adaptive(cx, args, "nn.adaptive_avg_pool1d", 1)),
    rule("adaptive_avg_pool2d _adaptive_avg_pool2d", "input, output_size", |cx, args| {
        adaptive(cx, args, "nn.adaptive_avg_pool2d", 2)
    }),
    rule("adaptive_avg_pool3d _adaptive_avg_pool3d", "input, output_size", |cx, args| {
        adaptive(cx, args, "nn.adaptive_avg_pool3d", 3)
    }),
    rule("adaptive_max_pool1d", "input, output_size, return_indices=False", |cx, args| adaptive_largest(cx, args, 1)),
    rule("adaptive_max_pool2d", "input, output_size, return_indices=False", |cx, args| adaptive_largest(cx, args, 2)),
    rule("adaptive_max_pool3d", "input, output_size, return_indices=False", |cx, args| adaptive_largest(cx, args, 3)),
];

/// The operator on data with a batch, which PyTorch lets callers leave out.
fn pooled<const N: usize>(cx: &Cx<'_>, x: &Expr, op: &str, spatial: usize, attrs: [(&str, Attr); N]) -> Res {
    if cx.rank(x)? != spatial + 1 {
        return cx.call(op, &[x], attrs).map(Value::Tensor);
    }
    let batched = cx.call("expand_dims", &[x], [("axis", vec![0i64].to_attr())])?;
    let found = cx.call(op, &[&batched], attrs)?;
    cx.call("squeeze", &[&found], [("axis", vec![0i64].to_attr())]).map(Value::Tensor)
}

/// The size of a window, its steps, which are its size where none are said, and the border.
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

fn largest(cx: &mut Cx<'_>, args: &Args, op: &str, spatial: usize) -> Res {
    if args.flag("return_indices")? {
        return Err(Refused::new("`return_indices` has no rule"));
    }
    let [size, strides, padding] = window(args, spatial)?;
    let dilation = ("dilation", args.ints_of("dilation", spatial)?.to_attr());
    let ceil_mode = ("ceil_mode", args.flag("ceil_mode")?.to_attr());
    pooled(cx, &args.tensor("input")?, op, spatial, [size, strides, padding, dilation, ceil_mode])
}

fn average(cx: &mut Cx<'_>, args: &Args, op: &str, spatial: usize) -> Res {
    let [size, strides, padding] = window(args, spatial)?;
    let ceil_mode = ("ceil_mode", args.flag("ceil_mode")?.to_attr());
    if args.has("divisor_override") {
        // The sum over a number: the mean of whole windows times their size over it.
        if args.flag("ceil_mode")? {
            return Err(Refused::new("`divisor_override` beside `ceil_mode` has no rule"));
        }
        let elements: i64 = args.ints_of("kernel_size", spatial)?.into_iter().product();
        let count = ("count_include_pad", true.to_attr());
        let Value::Tensor(mean) = pooled(cx, &args.tensor("input")?, op, spatial, [size, strides, padding, count])?
        else {
            return Err(Refused::new("expected a tensor"));
        };
        let factor = elements as f64 / args.float("divisor_override")?;
        return cx.with_number("multiply", &mean, factor).map(Value::Tensor);
    }
    let count = ("count_include_pad", args.flag("count_include_pad")?.to_attr());
    pooled(cx, &args.tensor("input")?, op, spatial, [size, strides, padding, ceil_mode, count])
}

/// The sizes that `output_size` says; `None` in it keeps the data's own.
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

fn adaptive(cx: &mut Cx<'_>, args: &Args, op: &str, spatial: usize) -> Res {
    let x = args.tensor("input")?;
    let size = output_size(cx, args, &x, spatial)?;
    pooled(cx, &x, op, spatial, [("output_size", size.to_attr())])
}

/// Windows of one size, where the sizes divide the data's.
fn adaptive_largest(cx: &mut Cx<'_>, args: &Args, spatial: usize) -> Res {
    if args.flag("return_indices")? {
        return Err(Refused::new("`return_indices` has no rule"));
    }
    let x = args.tensor("input")?;
    let (size, shape) = (output_size(cx, args, &x, spatial)?, cx.shape(&x)?);
    let first = shape.len().saturating_sub(spatial);
    let own = shape[first..].iter().map(|own| own.as_int());
    let own = own.collect::<Option<Vec<i64>>>().ok_or_else(|| Refused::new("images of symbolic size have no rule"))?;
    if own.iter().zip(&size).all(|(own, size)| *size > 0 && own % size == 0) {
        let window: Vec<i64> = own.iter().zip(&size).map(|(own, size)| own / size).collect();
        let op = ["nn.max_pool1d", "nn.max_pool2d", "nn.max_pool3d"][spatial - 1];
        return pooled(cx, &x, op, spatial, [("pool_size", window.clone().to_attr()), ("strides", window.to_attr())]);
    }
    let mut found = x;
    for (axis, (own, size)) in own.into_iter().zip(size).enumerate() {
        found = largest_along(cx, &found, first + axis, own, size)?;
    }
    Ok(Value::Tensor(found))
}

/// The largest elements of windows of different sizes along a dimension: window `i` of `m` goes from `i * n / m`, rounded
/// down, to `(i + 1) * n / m`, rounded up. Where one is smaller than the others, its last element counts again.
fn largest_along(cx: &Cx<'_>, x: &Expr, axis: usize, n: i64, m: i64) -> Res<Expr> {
    if n < 1 || m < 1 {
        return Err(Refused(format!("{m} windows of a dimension of {n} have no rule")));
    }
    let windows: Vec<(i64, i64)> = (0..m).map(|i| (i * n / m, ((i + 1) * n + m - 1) / m)).collect();
    let widest = windows.iter().map(|(begin, end)| end - begin).max().unwrap_or(1);
    let place = |(begin, end): (i64, i64)| (0..widest).map(move |at| (begin + at).min(end - 1));
    let places = windows.into_iter().flat_map(place).collect::<Vec<i64>>();
    let places = Expr::constant(tilewright_tensor::Tensor::from_vec(&[m, widest], places)?);
    let inside = cx.call("take", &[x, &places], [("axis", (axis as i64).to_attr())])?;
    cx.call("max", &[&inside], [("axis", vec![axis as i64 + 1].to_attr())])
}
