//! From a model to graph functions.
//!
//! Each method becomes a function whose parameters are its arguments, then the states, then the weights; its attribute
//! `num_input` counts all but the weights. A function with states gives a pair of its result and a tuple of the states,
//! and `_initialize_effect` makes the first ones. Dimensions of one name are one variable in a function, and another
//! one in the next.

use std::cell::RefCell;
use std::rc::Rc;

use tilewright_expr::{Expr as Scalar, Var as DimVar};
use tilewright_ir::relax::{Expr, StructInfo, Var};
use tilewright_ir::{Attr, Attrs, IRModule};
use tilewright_tensor::DataType;

use crate::tensor::Writer;
use crate::{Dim, Error, Graph, Result, Tensor, Weights, op};

/// Writes the functions of one model.
#[derive(Debug)]
pub struct Exporter {
    weights: Weights,
    graph: Graph,
    begun: bool,
}

impl Exporter {
    pub fn new(weights: &Weights) -> Self {
        let graph = Graph(Rc::new(RefCell::new(Writer::default())));
        Self { weights: weights.clone(), graph, begun: false }
    }

    /// A function that is about to be written.
    pub fn method(&mut self, name: &str) -> Method<'_> {
        Method { exporter: self, name: name.to_owned(), args: Vec::new(), dims: Vec::new() }
    }

    /// The module with all functions that were written.
    pub fn finish(self) -> Result<IRModule> {
        let writer = self.graph.0.take();
        Ok(writer.builder.finalize()?)
    }

    /// The function that makes the first states, written before all others.
    fn begin(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.begun, true) || self.weights.states().is_empty() {
            return Ok(());
        }
        let mut writer = self.graph.0.borrow_mut();
        writer.builder.begin_function("_initialize_effect", Vec::new());
        writer.builder.begin_dataflow()?;
        let made: Result<Vec<Expr>> = self.weights.states().iter().map(|state| state.create(&mut writer)).collect();
        let output = writer.builder.emit_output(&Expr::tuple(made?))?;
        writer.builder.end_dataflow()?;
        writer.builder.emit_func_output(&Expr::var(&output))?;
        Ok(())
    }
}

/// The parameters of a model's method.
#[derive(Debug)]
pub struct Method<'e> {
    exporter: &'e mut Exporter,
    name: String,
    args: Vec<Arg>,
    dims: Vec<DimVar>,
}

#[derive(Clone, Debug)]
struct Arg {
    var: Var,
    /// The number that a shape of one dimension carries.
    int: Option<DimVar>,
}

impl Method<'_> {
    /// A tensor.
    #[must_use]
    pub fn tensor(mut self, name: &str, shape: &[Dim], dtype: DataType) -> Self {
        let dims = shape.iter().map(|dim| self.dim(dim)).collect();
        self.args.push(Arg { var: Var::new(name, StructInfo::tensor(dims, dtype)), int: None });
        self
    }

    /// An integer, which may be a dimension too.
    #[must_use]
    pub fn int(mut self, name: &str) -> Self {
        let int = self.named(name);
        let info = StructInfo::Shape(tilewright_ir::relax::TensorShape::Known(vec![Scalar::var(&int)]));
        self.args.push(Arg { var: Var::new(name, info), int: Some(int) });
        self
    }

    fn named(&mut self, name: &str) -> DimVar {
        if let Some(known) = self.dims.iter().find(|dim| *dim.name == *name) {
            return known.clone();
        }
        self.dims.push(DimVar::new(name, DataType::I64));
        self.dims[self.dims.len() - 1].clone()
    }

    fn dim(&mut self, dim: &Dim) -> Scalar {
        match dim {
            Dim::Known(size) => Scalar::i64(*size),
            Dim::Named(name) => Scalar::var(&self.named(name)),
        }
    }

    /// Writes the function with the body that `forward` writes.
    pub fn write<R: Returned>(mut self, forward: impl FnOnce(&Args) -> Result<R>) -> Result<()> {
        self.exporter.begin()?;
        let (graph, states) = (self.exporter.graph.clone(), self.exporter.weights.states());
        let weights: Vec<Var> = self
            .exporter
            .weights
            .all()
            .iter()
            .map(|weight| {
                let dims = weight.shape.iter().map(|dim| self.dim(dim)).collect();
                Var::new(weight.name.as_str(), StructInfo::tensor(dims, weight.dtype))
            })
            .collect();
        let state_vars: Vec<Var> =
            states.iter().map(|state| Var::new(state.name.as_str(), StructInfo::Object)).collect();
        let inputs: Vec<Var> = self.args.iter().map(|arg| arg.var.clone()).chain(state_vars.iter().cloned()).collect();
        let attrs = Attrs::from([
            ("global_symbol".into(), Attr::str(&*self.name)),
            ("num_input".into(), Attr::Int(inputs.len() as i64)),
        ]);
        {
            let mut writer = graph.0.borrow_mut();
            let params = [inputs, weights.clone()].concat();
            writer.builder.begin_function_with(&self.name, params, attrs, true);
            writer.builder.begin_dataflow()?;
            writer.weights = weights;
            writer.states = state_vars.iter().map(Expr::var).collect();
        }
        let result = forward(&Args { graph: graph.clone(), args: self.args })?.into_expr();
        let mut writer = graph.0.borrow_mut();
        let states = std::mem::take(&mut writer.states);
        let result = if states.is_empty() { result } else { Expr::tuple(vec![result, Expr::tuple(states)]) };
        let output = writer.builder.emit_output(&result)?;
        writer.builder.end_dataflow()?;
        writer.builder.emit_func_output(&Expr::var(&output))?;
        Ok(())
    }
}

/// The arguments of a method in the function that is being written.
#[derive(Debug)]
pub struct Args {
    graph: Graph,
    args: Vec<Arg>,
}

impl Args {
    /// The function that is being written.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    fn arg(&self, name: &str) -> Result<&Arg> {
        let found = self.args.iter().find(|arg| *arg.var.name == *name);
        found.ok_or_else(|| Error::new(format!("the method has no argument `{name}`")))
    }

    /// The tensor of this name.
    pub fn tensor(&self, name: &str) -> Result<Tensor> {
        Ok(self.graph.tensor(Expr::var(&self.arg(name)?.var)))
    }

    /// The integer of this name.
    pub fn int(&self, name: &str) -> Result<Scalar> {
        let int = self.arg(name)?.int.as_ref();
        int.map(Scalar::var).ok_or_else(|| Error::new(format!("the argument `{name}` is a tensor")))
    }
}

/// The results of a method's body: a tensor, or several.
pub trait Returned {
    fn into_expr(self) -> Expr;
}

impl Returned for Tensor {
    fn into_expr(self) -> Expr {
        self.expr().clone()
    }
}

impl Returned for Vec<Tensor> {
    fn into_expr(self) -> Expr {
        Expr::tuple(self.into_iter().map(Returned::into_expr).collect())
    }
}

impl Returned for op::Value {
    fn into_expr(self) -> Expr {
        match self {
            Self::One(tensor) => tensor.into_expr(),
            Self::Several(tensors) => tensors.into_expr(),
        }
    }
}

impl<A: Returned, B: Returned> Returned for (A, B) {
    fn into_expr(self) -> Expr {
        Expr::tuple(vec![self.0.into_expr(), self.1.into_expr()])
    }
}
