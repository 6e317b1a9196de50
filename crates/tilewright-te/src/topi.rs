//! Patterns that many formulas share. What an op computes stands in its declaration; here is only how tensors are run
//! over.

use tilewright_expr::Expr;

use crate::{TeError, Tensor, Value, compute};

/// `f` of each element.
pub fn elementwise(x: &Tensor, name: &str, f: impl FnOnce(Value) -> Value) -> Result<Tensor, TeError> {
    compute(x.shape(), name, |i| f(x.at_all(i)))
}

/// `f` of the elements of two tensors whose shapes broadcast to `shape`, NumPy's way.
pub fn broadcast(
    a: &Tensor,
    b: &Tensor,
    shape: &[Expr],
    name: &str,
    f: impl FnOnce(Value, Value) -> Value,
) -> Result<Tensor, TeError> {
    compute(shape, name, |i| f(at_broadcast(a, i, shape), at_broadcast(b, i, shape)))
}

/// The element of `x` that stands at `i` of a broadcast shape: trailing dimensions match, those of size 1 repeat.
pub fn at_broadcast(x: &Tensor, i: &[Value], shape: &[Expr]) -> Value {
    let Some(skipped) = i.len().checked_sub(x.rank()) else {
        return Value::wrong(TeError(format!("`{}` has more dimensions than it is broadcast to", x.name())));
    };
    let indices: Vec<Value> = x
        .shape()
        .iter()
        .zip(i.iter().zip(shape).skip(skipped))
        .map(|(extent, (index, wide))| broadcast_index(extent, index, wide))
        .collect();
    x.at_all(&indices)
}

/// The index into a dimension of `extent` at `index` of the dimension that it broadcasts to: 0 where it repeats.
pub fn broadcast_index(extent: &Expr, index: &Value, wide: &Expr) -> Value {
    let repeats = extent.as_int() == Some(1) && wide.as_int() != Some(1);
    if repeats { Value::from(Expr::int(0, extent.dtype)) } else { index.clone() }
}

/// The tensor with dimension `axes[d]` of `x` as its dimension `d`.
pub fn permute(x: &Tensor, axes: &[usize], name: &str) -> Result<Tensor, TeError> {
    let mut sorted = axes.to_vec();
    sorted.sort_unstable();
    if sorted != (0..x.rank()).collect::<Vec<_>>() {
        return Err(TeError(format!("{axes:?} is no order of the {} dimensions of `{}`", x.rank(), x.name())));
    }
    let shape: Vec<Expr> = axes.iter().map(|&axis| x.dim(axis)).collect();
    compute(&shape, name, |i| {
        let mut indices = i.to_vec();
        for (&axis, index) in axes.iter().zip(i) {
            indices[axis] = index.clone();
        }
        x.at_all(&indices)
    })
}
