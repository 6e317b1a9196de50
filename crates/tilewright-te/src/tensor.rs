//! Tensors: inputs, and those that a formula or a function of loops defines.

use std::sync::Arc;

use tilewright_expr::node::{VarId, walk};
use tilewright_expr::{Buffer, Expr, ExprKind, Var};
use tilewright_ir::Attrs;
use tilewright_tensor::DataType;

use crate::external::Extern;
use crate::index_bounds::check_indices;
use crate::reduce::Reduction;
use crate::{TeError, Value};

/// How the elements of an operation's tensors come about.
#[derive(Clone, Debug)]
pub enum Body {
    /// They are given.
    Placeholder,
    /// By a formula for each.
    Compute(Compute),
    /// By statements.
    Extern(Extern),
}

/// Formulas over indices.
#[derive(Clone, Debug)]
pub struct Compute {
    /// One for each dimension: the index that the formulas refer to.
    pub axes: Vec<Var>,
    /// One for each tensor; of a reduction what it combines.
    pub values: Vec<Expr>,
    pub reduction: Option<Arc<Reduction>>,
}

#[derive(Debug)]
struct OpNode {
    name: Arc<str>,
    outputs: Vec<Buffer>,
    body: Body,
    inputs: Vec<Tensor>,
    attrs: Attrs,
    tag: Arc<str>,
}

/// The operation that defines one tensor or several. Cheap to clone; equal to itself only.
#[derive(Clone, Debug)]
pub struct Operation(Arc<OpNode>);

/// A tensor: an input, or a formula for its elements. Cheap to clone; equal to itself only.
#[derive(Clone, Debug)]
pub struct Tensor {
    op: Operation,
    /// Its number among the operation's tensors.
    index: usize,
}

impl PartialEq for Operation {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
impl Eq for Operation {}

impl PartialEq for Tensor {
    fn eq(&self, other: &Self) -> bool {
        self.op == other.op && self.index == other.index
    }
}
impl Eq for Tensor {}

/// A chain of tensors is dropped iteratively: recursion would overflow the stack on a long one.
impl Drop for OpNode {
    fn drop(&mut self) {
        let mut pending = std::mem::take(&mut self.inputs);
        while let Some(tensor) = pending.pop() {
            if let Some(mut node) = Arc::into_inner(tensor.op.0) {
                pending.extend(std::mem::take(&mut node.inputs));
            }
        }
    }
}

impl Operation {
    pub(crate) fn new(name: &str, outputs: Vec<Buffer>, body: Body, inputs: Vec<Tensor>, attrs: Attrs) -> Self {
        Self(Arc::new(OpNode { name: name.into(), outputs, body, inputs, attrs, tag: "".into() }))
    }

    /// The operation with a word for its sort, such as `broadcast`, which nothing here looks at. Only for an operation
    /// that has no other owner yet; else it is unchanged.
    #[must_use]
    pub fn tagged(mut self, tag: &str) -> Self {
        if let Some(node) = Arc::get_mut(&mut self.0) {
            node.tag = tag.into();
        }
        self
    }

    pub fn name(&self) -> &str {
        &self.0.name
    }

    pub fn body(&self) -> &Body {
        &self.0.body
    }

    /// The tensors that it reads, each once.
    pub fn inputs(&self) -> &[Tensor] {
        &self.0.inputs
    }

    /// Attributes of the blocks made of it.
    pub fn attrs(&self) -> &Attrs {
        &self.0.attrs
    }

    /// The word for its sort, where it has one.
    pub fn tag(&self) -> &str {
        &self.0.tag
    }

    /// The tensors that it makes.
    pub fn outputs(&self) -> Vec<Tensor> {
        (0..self.0.outputs.len()).map(|index| Tensor { op: self.clone(), index }).collect()
    }

    /// A number that no other operation has while this one exists.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Whether anything but `handles` clones of it refers to the operation or to elements of its tensors.
    pub fn is_used_beyond(&self, handles: usize) -> bool {
        use tilewright_expr::node::AnyHandle as _;
        Arc::strong_count(&self.0) > handles || self.0.outputs.iter().any(|buffer| buffer.is_shared())
    }
}

impl Tensor {
    /// The base name of blocks and buffers.
    pub fn name(&self) -> &str {
        &self.buffer().name
    }

    pub fn dtype(&self) -> DataType {
        self.buffer().dtype
    }

    /// Extent of each dimension, in elements.
    pub fn shape(&self) -> &[Expr] {
        &self.buffer().shape
    }

    pub fn rank(&self) -> usize {
        self.buffer().rank()
    }

    /// The extent of a dimension.
    ///
    /// # Panics
    /// If there is no such dimension.
    pub fn dim(&self, axis: usize) -> Expr {
        self.buffer().shape[axis].clone()
    }

    /// The operation that defines the tensor.
    pub fn op(&self) -> &Operation {
        &self.op
    }

    /// Its number among the tensors that its operation makes.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The element at these indices: one integer for each dimension.
    pub fn at(&self, indices: &[&Value]) -> Value {
        Value::element(self, indices)
    }

    /// The element at these indices.
    pub fn at_all(&self, indices: &[Value]) -> Value {
        Value::element(self, &indices.iter().collect::<Vec<_>>())
    }

    /// The buffer that represents the tensor in expressions: loads from it are elements of the tensor.
    pub fn buffer(&self) -> &Buffer {
        &self.op.0.outputs[self.index]
    }

    /// The identity of [`Tensor::buffer`].
    pub fn id(&self) -> VarId {
        self.buffer().id()
    }

    pub(crate) fn is_placeholder(&self) -> bool {
        matches!(self.op.body(), Body::Placeholder)
    }
}

/// An input.
pub fn placeholder(shape: &[Expr], dtype: DataType, name: &str) -> Tensor {
    let buffer = Buffer::new(name, shape.to_vec(), dtype);
    Tensor { op: Operation::new(name, vec![buffer], Body::Placeholder, Vec::new(), Attrs::new()), index: 0 }
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
    let op = compute_op(shape, name, axes, Attrs::new(), |i| vec![formula(i)])?;
    Ok(Tensor { op, index: 0 })
}

/// As [`compute_over`], with as many indices as there are dimensions, so that a closure can name them.
///
/// ```
/// # use tilewright_te::{compute_nd, placeholder};
/// # use tilewright_expr::Expr;
/// # use tilewright_tensor::DataType;
/// let a = placeholder(&[Expr::i64(3), Expr::i64(4)], DataType::F32, "A");
/// let t = compute_nd([a.dim(1), a.dim(0)], "T", ["i", "j"], |[i, j]| a.at(&[&j, &i]))?;
/// # Ok::<(), tilewright_te::TeError>(())
/// ```
pub fn compute_nd<const N: usize>(
    shape: [Expr; N],
    name: &str,
    axes: [&str; N],
    formula: impl FnOnce([Value; N]) -> Value,
) -> Result<Tensor, TeError> {
    compute_over(&shape, name, &axes, |i| match <[Value; N]>::try_from(i.to_vec()) {
        Ok(i) => formula(i),
        Err(i) => Value::wrong(TeError(format!("expected {N} indices, found {}", i.len()))),
    })
}

/// Several tensors of one shape at once: their elements at `i` are the values of `formula(i)`. They are called
/// `name_v0`, `name_v1`, …
pub fn compute_many<S: AsRef<str>>(
    shape: &[Expr],
    name: &str,
    axes: &[S],
    formula: impl FnOnce(&[Value]) -> Vec<Value>,
) -> Result<Vec<Tensor>, TeError> {
    Ok(compute_op(shape, name, axes, Attrs::new(), formula)?.outputs())
}

/// The operation of [`compute_many`], or of [`compute_over`] where the formula gives one value; `attrs` become
/// annotations of its blocks.
pub fn compute_op<S: AsRef<str>>(
    shape: &[Expr],
    name: &str,
    axes: &[S],
    attrs: Attrs,
    formula: impl FnOnce(&[Value]) -> Vec<Value>,
) -> Result<Operation, TeError> {
    if axes.len() != shape.len() {
        let (dims, named) = (shape.len(), axes.len());
        return Err(TeError(format!("tensor `{name}` has {dims} dimensions, but {named} axes are named")));
    }
    check_shape(shape, name)?;
    let axes: Vec<Var> = axes.iter().zip(shape).map(|(axis, extent)| Var::new(axis.as_ref(), extent.dtype)).collect();
    let indices: Vec<Value> = axes.iter().map(|axis| Value::from(Expr::var(axis))).collect();
    of_values(shape, name, axes, attrs, formula(&indices)).map_err(|error| TeError(format!("tensor `{name}`: {error}")))
}

/// That the extents of a shape are integers that no tensor holds, and none is negative.
pub(crate) fn check_shape(shape: &[Expr], name: &str) -> Result<(), TeError> {
    if let Some(extent) = shape.iter().find(|extent| !extent.dtype.is_int() || !extent.dtype.is_scalar()) {
        return Err(TeError(format!("a dimension of tensor `{name}` must be an integer, found {}", extent.dtype)));
    }
    let mut read = None;
    walk(&shape.to_vec(), |expr: &Expr| {
        if let ExprKind::Load { buffer, .. } = &expr.kind {
            read.get_or_insert_with(|| buffer.name.clone());
        }
    });
    if let Some(read) = read {
        return Err(TeError(format!(
            "a dimension of tensor `{name}` is an element of `{read}`: shapes are known before"
        )));
    }
    match shape.iter().filter_map(Expr::as_int).find(|&extent| extent < 0) {
        Some(extent) => Err(TeError(format!("a dimension of tensor `{name}` is {extent}; the least is 0"))),
        None => Ok(()),
    }
}

fn of_values(
    shape: &[Expr],
    name: &str,
    axes: Vec<Var>,
    attrs: Attrs,
    values: Vec<Value>,
) -> Result<Operation, TeError> {
    let parts = values.into_iter().map(Value::into_parts).collect::<Result<Vec<_>, _>>()?;
    if parts.is_empty() {
        return Err(TeError("its formula gives no value".into()));
    }
    if let Some(axis) = parts.iter().flat_map(|p| &p.over).next() {
        return Err(TeError(format!("reduce axis `{}` is used outside of a reduction over it", axis.name)));
    }
    let dtypes: Vec<DataType> = parts.iter().map(|part| part.expr.dtype).collect();
    if let Some(dtype) = dtypes.iter().find(|dtype| !dtype.is_scalar() || dtype.is_handle() || dtype.is_void()) {
        return Err(TeError(format!("an element must be a scalar, found {dtype}")));
    }
    let reduction = one_reduction(&parts)?;
    let mut inputs: Vec<Tensor> = Vec::new();
    for tensor in parts.iter().flat_map(|part| &part.reads) {
        if !inputs.contains(tensor) {
            inputs.push(tensor.clone());
        }
    }
    let values: Vec<Expr> = match &reduction {
        Some(reduction) => reduction.values.clone(),
        None => parts.into_iter().map(|part| part.expr).collect(),
    };
    check_indices(&values, &axes, shape, reduction.as_deref())?;
    let named = |i: usize| if dtypes.len() == 1 { name.to_owned() } else { format!("{name}_v{i}") };
    let buffers = dtypes.iter().enumerate().map(|(i, &dtype)| Buffer::new(named(i), shape.to_vec(), dtype)).collect();
    let body = Body::Compute(Compute { axes, values, reduction });
    Ok(Operation::new(name, buffers, body, inputs, attrs))
}

/// The reduction that the values are the results of, all of them and in order; `None` where none is one.
fn one_reduction(parts: &[crate::value::Parts]) -> Result<Option<Arc<Reduction>>, TeError> {
    let Some((reduction, _)) = parts.iter().find_map(|part| part.reduction.as_ref()) else { return Ok(None) };
    let in_order = parts.iter().enumerate().all(|(at, part)| {
        part.reduction.as_ref().is_some_and(|(other, index)| Arc::ptr_eq(other, reduction) && *index == at)
    });
    if !in_order || parts.len() != reduction.values.len() {
        let count = reduction.values.len();
        return Err(TeError(format!(
            "the values must be the {count} results of one reduction, in order, and no others"
        )));
    }
    Ok(Some(reduction.clone()))
}

/// The variables that the operation refers to and does not define itself.
pub(crate) fn free_vars(op: &Operation) -> Vec<Var> {
    let mut found: Vec<Var> = Vec::new();
    let mut bound: Vec<Var> = Vec::new();
    let mut exprs: Vec<Expr> = op.0.outputs.iter().flat_map(|buffer| buffer.shape.clone()).collect();
    if let Body::Compute(compute) = op.body() {
        bound.extend(compute.axes.iter().cloned());
        exprs.extend(compute.values.iter().cloned());
        if let Some(reduction) = &compute.reduction {
            bound.extend(reduction.axes.iter().map(|(axis, _)| axis.clone()));
            bound.extend(reduction.reducer.lhs.iter().chain(&reduction.reducer.rhs).cloned());
            exprs.extend(reduction.axes.iter().flat_map(|(_, range)| [range.min.clone(), range.extent.clone()]));
            exprs.extend(reduction.init.iter().chain(&reduction.reducer.result).cloned());
        }
    }
    walk(&exprs, |expr: &Expr| {
        if let ExprKind::Let { var, .. } = &expr.kind {
            bound.push(var.clone());
        }
    });
    walk(&exprs, |var: &Var| {
        // The buffer's data variable is none of the formula's variables.
        if !var.dtype.is_handle() && !bound.contains(var) && !found.contains(var) {
            found.push(var.clone());
        }
    });
    found
}
