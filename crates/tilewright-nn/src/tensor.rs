//! Tensors of the function that is being written.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use tilewright_expr::Expr as Scalar;
use tilewright_ir::builder::{BlockBuilder, BuildError};
use tilewright_ir::op::{InferError, OpDef, OpRef};
use tilewright_ir::relax::{Expr, StructInfo, Var};
use tilewright_ir::{Attr, Attrs};
use tilewright_te::TeError;
use tilewright_tensor::DataType;

use crate::op::Arg;
use crate::{Weight, op};

/// Why a model cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub String);

/// The result types of models' functions.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// An error of an operator's call, which says once which operator it is.
    fn of_op(name: &str, error: &InferError) -> Self {
        match error.message.contains(&format!("`{name}`")) {
            true => Self(error.message.clone()),
            false => Self(format!("{name}: {}", error.message)),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl From<BuildError> for Error {
    fn from(error: BuildError) -> Self {
        Self(error.to_string())
    }
}

impl From<InferError> for Error {
    fn from(error: InferError) -> Self {
        Self(error.to_string())
    }
}

impl From<TeError> for Error {
    fn from(error: TeError) -> Self {
        Self(error.to_string())
    }
}

/// The function under construction: the builder, and the values of weights and states in the open function.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub(crate) builder: BlockBuilder,
    pub(crate) weights: Vec<Var>,
    pub(crate) states: Vec<Expr>,
}

/// The function that is being written.
#[derive(Clone, Debug)]
pub struct Graph(pub(crate) Rc<RefCell<Writer>>);

impl Graph {
    /// Writes into the function that a builder has open.
    pub fn within<R>(builder: &mut BlockBuilder, write: impl FnOnce(&Self) -> R) -> R {
        let writer = Writer { builder: std::mem::take(builder), ..Writer::default() };
        let graph = Self(Rc::new(RefCell::new(writer)));
        let written = write(&graph);
        *builder = graph.0.take().builder;
        written
    }

    /// Binds a value to a variable of this name.
    pub fn emit(&self, value: &Expr, name: &str) -> Result<Tensor> {
        let var = self.0.borrow_mut().builder.emit_named(value, Some(name))?;
        Ok(self.tensor(Expr::var(&var)))
    }

    /// A value of the function as a tensor of it.
    pub fn tensor(&self, expr: Expr) -> Tensor {
        Tensor { graph: self.clone(), expr }
    }

    /// A call of a graph operator, bound to a variable of this name. Attributes that are not given have their defaults.
    pub fn call(
        &self,
        op: &'static OpDef,
        args: Vec<Expr>,
        attrs: impl IntoIterator<Item = (&'static str, Attr)>,
        name: &str,
    ) -> Result<Tensor> {
        let attrs: Attrs = attrs.into_iter().map(|(name, value)| (name.into(), value)).collect();
        let call = Expr::call_op(self.0.borrow().builder.infer_cx(), OpRef(op), args, attrs);
        self.emit(&call.map_err(|error| Error::of_op(op.name, &error))?, name)
    }

    /// The tensor of a weight.
    pub fn weight(&self, weight: &Weight) -> Result<Tensor> {
        let var = self.0.borrow().weights.get(weight.index).cloned();
        let var = var.filter(|var| *var.name == *weight.name());
        let var = var.ok_or_else(|| Error::new(format!("`{}` is no weight of the exported model", weight.name())))?;
        Ok(self.tensor(Expr::var(&var)))
    }
}

/// A value of the function that is being written.
#[derive(Clone, Debug)]
pub struct Tensor {
    graph: Graph,
    expr: Expr,
}

impl Tensor {
    /// The function that it belongs to.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The graph's own value.
    pub fn expr(&self) -> &Expr {
        &self.expr
    }

    /// The dimensions; an error where they are not known.
    pub fn shape(&self) -> Result<&[Scalar]> {
        let known = self.expr.struct_info.dims();
        known.ok_or_else(|| Error::new("a tensor has an unknown shape where the shape is needed"))
    }

    /// The dimension with this number; negative ones count from the last.
    pub fn dim(&self, axis: isize) -> Result<Scalar> {
        let shape = self.shape()?;
        let index = if axis < 0 { shape.len().checked_add_signed(axis) } else { usize::try_from(axis).ok() };
        let dim = index.and_then(|index| shape.get(index)).cloned();
        dim.ok_or_else(|| Error::new(format!("a tensor of {} dimensions has no dimension {axis}", shape.len())))
    }

    /// The data type; an error where it is not known.
    pub fn dtype(&self) -> Result<DataType> {
        let known = self.expr.struct_info.dtype();
        known.ok_or_else(|| Error::new("a tensor has an unknown type where the type is needed"))
    }

    /// The elements converted to another data type.
    pub fn astype(&self, dtype: DataType) -> Result<Self> {
        op::astype(self, dtype)
    }

    /// The elements in another shape, in which one dimension may be -1.
    pub fn reshape(&self, shape: impl Into<Arg>) -> Result<Self> {
        op::reshape(self, shape)
    }

    /// The axes in another order.
    pub fn permute_dims(&self, axes: impl Into<Arg>) -> Result<Self> {
        op::permute_dims::with(self, op::permute_dims::Options { axes: axes.into() })
    }

    /// Every element several times along an axis, or along the flat tensor.
    pub fn repeat(&self, repeats: i64, axis: Option<i64>) -> Result<Self> {
        op::repeat::with(self, repeats, op::repeat::Options { axis: axis.into() })
    }

    /// The fields of a tuple, each bound to a variable.
    pub(crate) fn fields(&self, name: &str) -> Result<Vec<Self>> {
        let StructInfo::Tuple(fields) = &self.expr.struct_info else {
            return Err(Error::new("expected several tensors, found one"));
        };
        let field = |at: usize| {
            let value = Expr::tuple_get(self.expr.clone(), at)?;
            self.graph.emit(&value, &format!("{name}.{at}"))
        };
        (0..fields.len()).map(field).collect()
    }
}
