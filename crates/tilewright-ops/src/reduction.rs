//! Shared by reductions: the reduced dimensions, the shape of the result, and the loops.

use tilewright_expr::{Expr, Intrinsic};
use tilewright_ir::Attr;
use tilewright_ir::op::{InferCx, InferError, OpCall};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{ReduceAxis, TeError, Tensor, Value, compute, legalize, reduce_axis, sum, topi};
use tilewright_tensor::DataType;

use crate::elementwise::{Takes, block_name, check_loops, wide};
use crate::gradient::Term;
use crate::{attributes, gradient, shapes};

/// The dimensions that a call reduces: those of the attribute `axis`, all where it is `None`.
pub fn reduced_axes(call: &OpCall<'_>, rank: usize) -> Result<Vec<usize>, InferError> {
    match call.attr("axis") {
        Some(Attr::Int(axis)) => Ok(vec![attributes::axis(call, *axis, rank)?]),
        Some(axes @ Attr::Array(_)) => attributes::axes(call, &axes.as_ints().unwrap_or_default(), rank),
        _ => Ok((0..rank).collect()),
    }
}

/// The rule of reductions over `axis`, whose dimensions stay with size 1 if `keepdims`.
pub fn infer_reduced(
    cx: &InferCx,
    call: &OpCall<'_>,
    takes: Takes,
    gives: Option<DataType>,
) -> Result<StructInfo, InferError> {
    let (shape, dtype) = call.tensor(0)?;
    check_loops(cx, call, 0, dtype, takes)?;
    let keeps = attributes::flag(call, "keepdims");
    let all = matches!(call.attr("axis"), None | Some(Attr::None));
    let shape = match shape {
        TensorShape::Rank(_) | TensorShape::Unknown if all && !keeps => TensorShape::Known(Vec::new()),
        TensorShape::Rank(rank) if all => TensorShape::Known(vec![Expr::i64(1); *rank]),
        shape => shapes::map_shape(
            shape,
            |dims| Ok(left_dims(dims, &reduced_axes(call, dims.len())?, keeps)),
            |rank| Ok(if keeps { rank } else { rank - reduced_axes(call, rank)?.len() }),
        )?,
    };
    Ok(StructInfo::tensor_with(shape, gives.or(dtype)))
}

/// The dimensions that a reduction over these axes leaves.
pub fn left_dims(dims: &[Expr], axes: &[usize], keeps: bool) -> Vec<Expr> {
    let left = |(at, dim): (usize, &Expr)| match axes.contains(&at) {
        true => keeps.then(|| Expr::i64(1)),
        false => Some(dim.clone()),
    };
    dims.iter().enumerate().filter_map(left).collect()
}

/// A reduction of `x` over `axes`: `f` gets the indices of an element and the axes that it runs over.
pub fn reduced(
    x: &Tensor,
    axes: &[usize],
    keeps: bool,
    name: &str,
    f: impl FnOnce(&[Value], &[&ReduceAxis]) -> Value,
) -> Result<Tensor, TeError> {
    let over: Vec<(usize, ReduceAxis)> =
        axes.iter().map(|&at| (at, reduce_axis(Expr::i64(0), x.dim(at), &format!("k{at}")))).collect();
    // A reduction over no dimension runs over the element itself.
    let alone = reduce_axis(Expr::i64(0), Expr::i64(1), "k");
    compute(&left_dims(x.shape(), axes, keeps), name, |i| {
        let mut spatial = i.iter().enumerate().filter(|(at, _)| !keeps || !axes.contains(at)).map(|(_, i)| i);
        let index = |at: usize| match over.iter().find(|(axis, _)| *axis == at) {
            Some((_, axis)) => Value::clone(axis),
            None => spatial.next().cloned().unwrap_or_else(|| Expr::i64(0).into()),
        };
        let indices: Vec<Value> = (0..x.rank()).map(index).collect();
        let mut running: Vec<&ReduceAxis> = over.iter().map(|(_, axis)| axis).collect();
        if running.is_empty() {
            running.push(&alone);
        }
        f(&indices, &running)
    })
}

/// The tensor in another element type, itself where it has that type.
pub fn converted(x: &Tensor, dtype: DataType, name: &str) -> Result<Tensor, TeError> {
    if x.dtype() == dtype { Ok(x.clone()) } else { topi::elementwise(x, name, |x| x.cast(dtype)) }
}

/// The number of elements along the axes, as a float.
fn count(x: &Tensor, axes: &[usize], dtype: DataType) -> Value {
    let count = axes.iter().fold(Expr::i64(1), |count, &at| count * x.dim(at));
    Value::from(InferCx::default().analyzer.simplify(&count)).cast(dtype)
}

/// The means over the axes, which stay with size 1, in the wide element type.
pub fn means(x: &Tensor, axes: &[usize], name: &str) -> Result<Tensor, TeError> {
    let dtype = wide(x.dtype());
    let total = reduced(x, axes, true, &format!("{name}_sum"), |i, over| sum(x.at_all(i).cast(dtype), over))?;
    topi::elementwise(&total, &format!("{name}_mean"), |total| total / count(x, axes, dtype))
}

/// The means of the squared distances from the means, which are subtracted first: large means cancel nothing.
pub fn variances(x: &Tensor, means: &Tensor, axes: &[usize], name: &str) -> Result<Tensor, TeError> {
    let dtype = means.dtype();
    let total = reduced(x, axes, true, &format!("{name}_squares"), |i, over| {
        let distance = x.at_all(i).cast(dtype) - means.at_all(&kept_index(i, axes));
        sum(&distance * &distance, over)
    })?;
    topi::elementwise(&total, &format!("{name}_variance"), |total| total / count(x, axes, dtype))
}

/// The index into what a reduction keeps with size 1, at `i` of the tensor.
pub fn kept_index(i: &[Value], axes: &[usize]) -> Vec<Value> {
    let index = |(at, i): (usize, &Value)| if axes.contains(&at) { Expr::i64(0).into() } else { i.clone() };
    i.iter().enumerate().map(index).collect()
}

/// The loops of a reduction that `f` makes of the tensor and its axes with these kept, in any float type.
pub fn legalize_kept(
    call: &OpCall<'_>,
    f: impl Fn(&Tensor, &[usize], &str) -> Result<Tensor, TeError>,
) -> Result<PrimFunc, InferError> {
    let axes = reduced_axes(call, shapes::dims_of(call, 0)?.len())?;
    let (keeps, name) = (attributes::flag(call, "keepdims"), block_name(call));
    legalize(call, |inputs| {
        let [x] = inputs else { return Ok(Vec::new()) };
        let kept = f(x, &axes, &name)?;
        if keeps {
            return Ok(vec![converted(&kept, x.dtype(), &name)?]);
        }
        let result = compute(&left_dims(x.shape(), &axes, false), &name, |i| {
            let mut left = i.iter();
            let index = |at: usize| match axes.contains(&at) {
                true => Expr::i64(0).into(),
                false => left.next().cloned().unwrap_or_else(|| Expr::i64(0).into()),
            };
            kept.at_all(&(0..x.rank()).map(index).collect::<Vec<_>>()).cast(x.dtype())
        });
        Ok(vec![result?])
    })
}

/// The loops of a reduction by one operation, which narrow floats go through in float32.
pub fn legalize_reduced(call: &OpCall<'_>, f: impl Fn(Value, &[&ReduceAxis]) -> Value) -> Result<PrimFunc, InferError> {
    let axes = reduced_axes(call, shapes::dims_of(call, 0)?.len())?;
    let keeps = attributes::flag(call, "keepdims");
    legalize(call, |inputs| {
        let [x] = inputs else { return Ok(Vec::new()) };
        let (dtype, name) = (wide(x.dtype()), format!("{}_red", x.name()));
        let wide = reduced(x, &axes, keeps, &name, |i, over| f(x.at_all(i).cast(dtype), over))?;
        Ok(vec![converted(&wide, x.dtype(), "T_cast")?])
    })
}

/// The loops of the mean, which narrow floats go through in float32.
pub fn legalize_mean(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let axes = reduced_axes(call, shapes::dims_of(call, 0)?.len())?;
    let keeps = attributes::flag(call, "keepdims");
    legalize(call, |inputs| {
        let [x] = inputs else { return Ok(Vec::new()) };
        let (dtype, name) = (wide(x.dtype()), format!("{}_red", x.name()));
        let total = reduced(x, &axes, keeps, &name, |i, over| sum(x.at_all(i).cast(dtype), over))?;
        let mean = topi::elementwise(&total, "T_divide", |total| (total / count(x, &axes, dtype)).cast(x.dtype()))?;
        Ok(vec![mean])
    })
}

/// The square root of each element.
pub fn roots(x: &Tensor, name: &str) -> Result<Tensor, TeError> {
    topi::elementwise(x, name, |x| x.intrinsic(Intrinsic::Sqrt))
}

/// The gradient of a reduction's result with the reduced dimensions kept, where some but not all are dropped.
pub fn kept<'c>(call: &OpCall<'_>, grad: &Term<'c>) -> Term<'c> {
    match gradient::axes_of(call) {
        Some(axes) if !attributes::flag(call, "keepdims") => grad.expand_dims(&axes),
        _ => grad.clone(),
    }
}
