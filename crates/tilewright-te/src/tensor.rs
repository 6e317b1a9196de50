//! Tensors: inputs, and those that a formula defines.

use std::sync::Arc;

use tilewright_expr::{Buffer, Expr, Range, Var};
use tilewright_tensor::DataType;

use crate::reduce::Reducer;
use crate::{TeError, Value};

/// How a tensor's elements come about.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    /// One for each dimension: the index that the formula speaks of.
    pub(crate) axes: Vec<Var>,
    pub(crate) value: Expr,
    /// The axes of a reduction and its operation.
    pub(crate) reduction: Option<(Reducer, Vec<(Var, Range)>)>,
    pub(crate) inputs: Vec<Tensor>,
}

#[derive(Debug)]
struct TensorNode {
    buffer: Buffer,
    /// `None` for a placeholder.
    stage: Option<Stage>,
}

/// A tensor: an input, or a formula for its elements. Cheap to clone; equal to itself only.
#[derive(Clone, Debug)]
pub struct Tensor(Arc<TensorNode>);

impl PartialEq for Tensor {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
impl Eq for Tensor {}

/// A chain of tensors is taken apart link by link: recursion would not bear a long one.
impl Drop for TensorNode {
    fn drop(&mut self) {
        let take =
            |stage: &mut Option<Stage>| stage.as_mut().map(|s| std::mem::take(&mut s.inputs)).unwrap_or_default();
        let mut pending = take(&mut self.stage);
        while let Some(tensor) = pending.pop() {
            if let Some(mut node) = Arc::into_inner(tensor.0) {
                pending.extend(take(&mut node.stage));
            }
        }
    }
}

impl Tensor {
    pub fn name(&self) -> &str {
        &self.0.buffer.name
    }

    pub fn dtype(&self) -> DataType {
        self.0.buffer.dtype
    }

    /// Extent of each dimension, in elements.
    pub fn shape(&self) -> &[Expr] {
        &self.0.buffer.shape
    }

    pub fn rank(&self) -> usize {
        self.0.buffer.rank()
    }

    /// The extent of a dimension.
    ///
    /// # Panics
    /// If there is no such dimension.
    pub fn dim(&self, axis: usize) -> Expr {
        self.0.buffer.shape[axis].clone()
    }

    /// The element at these indices: one integer for each dimension.
    pub fn at(&self, indices: &[&Value]) -> Value {
        Value::element(self, indices)
    }

    /// The element at these indices.
    pub fn at_all(&self, indices: &[Value]) -> Value {
        Value::element(self, &indices.iter().collect::<Vec<_>>())
    }

    pub(crate) fn buffer(&self) -> &Buffer {
        &self.0.buffer
    }

    pub(crate) fn stage(&self) -> Option<&Stage> {
        self.0.stage.as_ref()
    }
}

/// An input.
pub fn placeholder(shape: &[Expr], dtype: DataType, name: &str) -> Tensor {
    Tensor(Arc::new(TensorNode { buffer: Buffer::new(name, shape.to_vec(), dtype), stage: None }))
}

/// The tensor whose element at `i` is `formula(i)`; its axes are called `i0`, `i1`, …
pub fn compute(shape: &[Expr], name: &str, formula: impl FnOnce(&[Value]) -> Value) -> Result<Tensor, TeError> {
    let names: Vec<String> = (0..shape.len()).map(|i| format!("i{i}")).collect();
    compute_over(shape, name, &names, formula)
}

/// As [`compute`], with names for the axes.
pub fn compute_over<S: AsRef<str>>(
    shape: &[Expr],
    name: &str,
    axes: &[S],
    formula: impl FnOnce(&[Value]) -> Value,
) -> Result<Tensor, TeError> {
    if axes.len() != shape.len() {
        return Err(TeError(format!(
            "tensor `{name}` has {} dimensions, but {} axes are named",
            shape.len(),
            axes.len()
        )));
    }
    if let Some(extent) = shape.iter().find(|extent| !extent.dtype.is_int() || !extent.dtype.is_scalar()) {
        return Err(TeError(format!("a dimension of tensor `{name}` must be an integer, found {}", extent.dtype)));
    }
    let axes: Vec<Var> = axes.iter().zip(shape).map(|(axis, extent)| Var::new(axis.as_ref(), extent.dtype)).collect();
    let indices: Vec<Value> = axes.iter().map(|axis| Value::from(Expr::var(axis))).collect();
    let (value, inputs, reduction) =
        formula(&indices).into_parts().map_err(|error| TeError(format!("tensor `{name}`: {error}")))?;
    if !value.dtype.is_scalar() || value.dtype.is_handle() {
        return Err(TeError(format!("an element of tensor `{name}` must be a scalar, found {}", value.dtype)));
    }
    let reduction = reduction.map(|r| (r.reducer, r.axes.clone()));
    let buffer = Buffer::new(name, shape.to_vec(), value.dtype);
    Ok(Tensor(Arc::new(TensorNode { buffer, stage: Some(Stage { axes, value, reduction, inputs }) })))
}
