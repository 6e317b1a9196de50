//! Patterns that many formulas share: elementwise, broadcast, permutation. The formula of an op is in its declaration.

pub mod border;
pub mod convolution;
pub mod depth_to_space;
pub mod layout;
pub mod pooling;
mod positions;

use tilewright_arith::Analyzer;
use tilewright_expr::{BinOp, Expr};
use tilewright_tensor::DataType;

use crate::{TeError, Tensor, Value, compute, compute_over, reduce_axis, sum};

pub use border::{Border, bordered, padded};

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

/// The element type in which sums and long formulas of this type are computed: float32 for narrower floats.
pub fn wide(dtype: DataType) -> DataType {
    if dtype.is_float() && dtype.bits < 32 { DataType::F32 } else { dtype }
}

/// Whether all of these hold; `None` of none.
pub fn all_of(conditions: impl IntoIterator<Item = Value>) -> Option<Value> {
    conditions.into_iter().reduce(|all, one| all.binary(BinOp::And, one))
}

/// The element of `x` at index `i` of a broadcast shape: trailing dimensions match, those of size 1 repeat.
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

/// The index into a dimension of `extent` at `index` of the dimension that it broadcasts to: 0 where it repeats, which
/// only the run can tell of an extent that may be 1.
pub fn broadcast_index(extent: &Expr, index: &Value, wide: &Expr) -> Value {
    let first = || Value::from(Expr::int(0, extent.dtype));
    match extent.as_int() {
        Some(1) if wide.as_int() != Some(1) => first(),
        None if !extent.equal(wide) && !Analyzer::new().prove_equal(extent, wide) => {
            Value::from(extent.clone()).equals(1).select(&first(), index)
        }
        _ => index.clone(),
    }
}

/// `x @ w.T`: rows of `x` (its dimensions before the last are a batch) times rows of `w`, summed in `dtype`.
pub fn dense(x: &Tensor, w: &Tensor, dtype: DataType) -> Result<Tensor, TeError> {
    let ([.., inner], [outer, width]) = (x.shape(), w.shape()) else {
        let (x, w) = (x.rank(), w.rank());
        return Err(TeError(format!("expected at least 1 dimension of data and 2 of weights, found {x} and {w}")));
    };
    if let (Some(a), Some(b)) = (inner.as_int(), width.as_int())
        && a != b
    {
        return Err(TeError(format!("rows of `{}` have {a} elements, those of `{}` {b}", x.name(), w.name())));
    }
    let mut shape = x.shape().to_vec();
    shape.pop();
    let batch = shape.len();
    shape.push(outer.clone());
    let names: Vec<String> = match batch {
        1 => vec!["i".into(), "j".into()],
        _ => (0..=batch).map(|i| format!("i{i}")).collect(),
    };
    let k = reduce_axis(Expr::int(0, inner.dtype), inner.clone(), "k");
    compute_over(&shape, "T_matmul_NT", &names, |i| {
        let (Some(j), rows) = (i.last(), &i[..i.len().saturating_sub(1)]) else {
            return Value::wrong(TeError("a product has a column".into()));
        };
        let left: Vec<&Value> = rows.iter().chain([&*k]).collect();
        sum(x.at(&left).cast(dtype) * w.at(&[j, &k]).cast(dtype), &[&k])
    })
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
