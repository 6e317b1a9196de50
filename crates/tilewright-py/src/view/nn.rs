//! The functions of tensors of `tilewright::nn::op` as Python functions: `nn.op.relu(x)`, by the entries of the table.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use tilewright::DataType;
use tilewright::ir::Attr;
use tilewright::ir::relax::{Expr, ExprKind, StructInfo};
use tilewright::nn::op::{self, Arg, Kind, Literal, OpFn, Param, Value};
use tilewright::nn::{self, Dim, Exporter, Graph, LayerDef, Tensor, Weights};

use super::builder::PyBuilder;
use super::op::constant;
use super::{Node, attr_of, node_of, wrap};
use crate::error;
use crate::module::PyModule;

fn lookup(py: Python<'_>, name: &str) -> PyResult<&'static OpFn> {
    op::lookup(name).ok_or_else(|| error::unknown_name(py, format_args!("there is no operation `{name}` of layers")))
}

/// The names of the operations of layers that Rust and Python have alike.
#[pyfunction]
pub(crate) fn nn_op_names() -> Vec<&'static str> {
    op::all().map(|entry| entry.name).collect()
}

/// A parameter: its name, its type in Python, and a tuple of its default, if it has one.
type Parameter<'py> = (&'static str, &'static str, Bound<'py, PyTuple>);

/// An operation of layers: its parameters, the type of its result, and its documentation.
#[pyfunction]
pub(crate) fn nn_op_signature<'py>(
    py: Python<'py>,
    name: &str,
) -> PyResult<(Vec<Parameter<'py>>, &'static str, &'static str)> {
    let entry = lookup(py, name)?;
    let defaults = |literal: Option<Literal>| -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, literal.map(|literal| default(py, literal)).transpose()?)
    };
    let params = entry.params.iter().map(|param| Ok((param.name, param.kind.in_python(), defaults(param.default)?)));
    let named = ("name", "str", defaults(Some(Literal::Str(entry.result_name)))?);
    let params = params.chain([Ok(named)]).collect::<PyResult<Vec<_>>>()?;
    Ok((params, entry.result, entry.doc.trim()))
}

fn default(py: Python<'_>, literal: Literal) -> PyResult<Bound<'_, PyAny>> {
    match literal {
        Literal::Nothing => Ok(py.None().into_bound(py)),
        Literal::Bool(value) => value.into_bound_py_any(py),
        Literal::Int(value) => value.into_bound_py_any(py),
        Literal::Float(value) => value.into_bound_py_any(py),
        Literal::Str(text) => text.into_bound_py_any(py),
    }
}

/// Writes an operation of layers into the function that the builder has open: `args` and `kwargs` are as the operation
/// has them in Python. The results are values of the graph; of an operation that gives an argument back, the argument.
#[pyfunction]
pub(crate) fn nn_call<'py>(
    builder: &Bound<'py, PyBuilder>,
    name: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    Given::of(lookup(args.py(), name)?, args, kwargs)?.write(builder)
}

/// Writes the function of a layer: `inputs` are what its call gives, everything else that the function takes is an
/// attribute of the layer.
#[pyfunction]
pub(crate) fn nn_layer_call<'py>(
    builder: &Bound<'py, PyBuilder>,
    name: &str,
    layer: &Bound<'py, PyAny>,
    inputs: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    Given::of_layer(layer_of(inputs.py(), name)?, layer, inputs)?.write(builder)
}

fn layer_of(py: Python<'_>, name: &str) -> PyResult<&'static LayerDef> {
    nn::layer(name).ok_or_else(|| error::unknown_name(py, format_args!("there is no layer `{name}`")))
}

/// The names of the layers that Rust and Python have alike.
#[pyfunction]
pub(crate) fn nn_layer_names() -> Vec<&'static str> {
    nn::LAYERS.iter().map(|layer| layer.name).collect()
}

/// The module that Rust writes for one operation of layers: its function `forward` has a parameter for each of the
/// variables among the arguments. The tests compare it with Python's.
#[pyfunction]
pub(crate) fn nn_module(name: &str, args: &Bound<'_, PyTuple>, kwargs: &Bound<'_, PyDict>) -> PyResult<PyModule> {
    Given::of(lookup(args.py(), name)?, args, kwargs)?.module(args.py(), &[])
}

/// The same for a layer, whose weights are variables too.
#[pyfunction]
pub(crate) fn nn_layer_module<'py>(
    name: &str,
    layer: &Bound<'py, PyAny>,
    inputs: &Bound<'py, PyTuple>,
) -> PyResult<PyModule> {
    let def = layer_of(inputs.py(), name)?;
    Given::of_layer(def, layer, inputs)?.module(inputs.py(), def.weights)
}

/// An argument before it belongs to a graph function.
enum Argument {
    Value(Expr),
    Values(Vec<Expr>),
    Data(Attr),
}

/// The arguments of a call, one for each parameter.
struct Given<'py> {
    entry: &'static OpFn,
    args: Vec<(Argument, Option<Bound<'py, PyAny>>)>,
    name: String,
}

impl<'py> Given<'py> {
    fn of(entry: &'static OpFn, args: &Bound<'py, PyTuple>, kwargs: &Bound<'py, PyDict>) -> PyResult<Self> {
        let (name, py) = (entry.name, args.py());
        let names: Vec<&str> = entry.params.iter().map(|param| param.name).chain(["name"]).collect();
        if args.len() > names.len() {
            return Err(PyTypeError::new_err(format!("{name}() takes at most {} arguments", names.len())));
        }
        let mut objects: Vec<Option<Bound<'py, PyAny>>> = args.iter().map(Some).collect();
        objects.resize(names.len(), None);
        for (key, object) in kwargs {
            let key: String = key.extract()?;
            let Some(at) = names.iter().position(|known| *known == key) else {
                return Err(PyTypeError::new_err(format!(
                    "{name}() has no argument `{key}`, only {}",
                    names.join(", ")
                )));
            };
            if objects[at].replace(object).is_some() {
                return Err(PyTypeError::new_err(format!("{name}() got two values for the argument `{key}`")));
            }
        }
        let wish = objects.pop().flatten().filter(|wish| !wish.is_none());
        let wish = wish.map_or_else(|| Ok(entry.result_name.to_owned()), |wish| wish.extract())?;
        let mut all = Vec::new();
        for (param, object) in entry.params.iter().zip(objects) {
            all.push(match (object, param.default) {
                (Some(object), _) => (argument(entry, param, &object)?, Some(object)),
                (None, Some(literal)) => (Argument::Data(attr_of(&default(py, literal)?)?), None),
                (None, None) => {
                    return Err(PyTypeError::new_err(format!("{name}() needs the argument `{}`", param.name)));
                }
            });
        }
        Ok(Self { entry, args: all, name: wish })
    }

    /// The arguments of a layer's function.
    fn of_layer(def: &'static LayerDef, layer: &Bound<'py, PyAny>, inputs: &Bound<'py, PyTuple>) -> PyResult<Self> {
        let named = PyDict::new(layer.py());
        for (name, input) in def.inputs.iter().zip(inputs) {
            named.set_item(name, input)?;
        }
        for param in def.forward.params.iter().filter(|param| !def.inputs.contains(&param.name)) {
            named.set_item(param.name, layer.getattr(param.name)?)?;
        }
        Self::of(def.forward, &PyTuple::empty(layer.py()), &named)
    }

    /// Writes the operation into the function that the builder has open.
    fn write(&self, builder: &Bound<'py, PyBuilder>) -> PyResult<Bound<'py, PyAny>> {
        let py = builder.py();
        let result = Graph::within(&mut builder.get().lock(), |graph| self.call(graph, Clone::clone));
        match result.map_err(|reason| error::general(py, reason))? {
            Value::One(tensor) => match self.argument_that_is(tensor.expr()) {
                Some(object) => Ok(object.clone()),
                None => wrap(py, Node::Relax(tensor.expr().clone())),
            },
            Value::Several(tensors) => {
                let fields = tensors.iter().map(|tensor| wrap(py, Node::Relax(tensor.expr().clone())));
                Ok(PyTuple::new(py, fields.collect::<PyResult<Vec<_>>>()?)?.into_any())
            }
        }
    }

    /// Writes the operation; `value` gives the graph's own value for each of the arguments'.
    fn call(&self, graph: &Graph, value: impl Fn(&Expr) -> Expr) -> tilewright::nn::Result<Value> {
        let tensor = |expr: &Expr| -> Tensor { graph.tensor(value(expr)) };
        let arg = |(argument, _): &(Argument, _)| match argument {
            Argument::Value(expr) => Arg::Tensor(tensor(expr)),
            Argument::Values(exprs) => Arg::Tensors(exprs.iter().map(tensor).collect()),
            Argument::Data(attr) => Arg::Attr(attr.clone()),
        };
        self.entry.call(graph, self.args.iter().map(arg).collect(), &self.name)
    }

    /// The module whose function `forward` is the operation. Its parameters are the variables among the arguments;
    /// those of the parameters in `weights` are weights, under these names.
    fn module(&self, py: Python<'_>, weights: &[&str]) -> PyResult<PyModule> {
        let written = || {
            let declared = Weights::new(DataType::F32);
            let root = declared.root();
            let mut made = Vec::new();
            let mut inputs = Vec::new();
            for (param, (argument, _)) in self.entry.params.iter().zip(&self.args) {
                for variable in variables(argument) {
                    match weights.contains(&param.name) {
                        true => {
                            let weight = root.weight_of(param.name, &variable.dims, variable.dtype);
                            made.push((variable.value, weight));
                        }
                        false => inputs.push(variable),
                    }
                }
            }
            let mut exporter = Exporter::new(&declared);
            let mut method = exporter.method("forward");
            for (at, input) in inputs.iter().enumerate() {
                if !inputs[..at].iter().any(|other| other.name == input.name) {
                    method = method.tensor(&input.name, &input.dims, input.dtype);
                }
            }
            method.write(|args| {
                let values: Vec<(Expr, Tensor)> = made
                    .iter()
                    .map(|(value, weight)| Ok((value.clone(), args.graph().weight(weight)?)))
                    .chain(inputs.iter().map(|input| Ok((input.value.clone(), args.tensor(&input.name)?))))
                    .collect::<nn::Result<_>>()?;
                self.call(args.graph(), |expr| {
                    let found = values.iter().find(|(value, _)| value.same(expr));
                    found.map_or_else(|| expr.clone(), |(_, own)| own.expr().clone())
                })
            })?;
            exporter.finish()
        };
        written().map(PyModule::of).map_err(|reason| error::general(py, reason))
    }

    /// The argument that is this value.
    fn argument_that_is(&self, result: &Expr) -> Option<&Bound<'py, PyAny>> {
        let is = |argument: &Argument| matches!(argument, Argument::Value(expr) if expr.same(result));
        self.args.iter().find(|(argument, _)| is(argument)).and_then(|(_, object)| object.as_ref())
    }
}

/// A variable of the graph among arguments.
struct Variable {
    value: Expr,
    name: String,
    dims: Vec<Dim>,
    dtype: DataType,
}

fn variables(argument: &Argument) -> Vec<Variable> {
    let values = match argument {
        Argument::Value(expr) => std::slice::from_ref(expr),
        Argument::Values(exprs) => exprs,
        Argument::Data(_) => &[],
    };
    let dim = |dim: &tilewright::expr::Expr| match (dim.as_int(), dim.as_var()) {
        (Some(size), _) => Dim::Known(size),
        (None, Some(var)) => Dim::Named(var.name.to_string()),
        (None, None) => Dim::Known(1),
    };
    let variable = |value: &Expr| match (&value.kind, &value.struct_info) {
        (ExprKind::Var(var), StructInfo::Tensor { dtype: Some(dtype), .. }) => Some(Variable {
            value: value.clone(),
            name: var.name.to_string(),
            dims: value.struct_info.dims().unwrap_or_default().iter().map(dim).collect(),
            dtype: *dtype,
        }),
        _ => None,
    };
    values.iter().filter_map(variable).collect()
}

/// An argument as the entry takes it: tensors of a model are values of the graph, everything else is data.
fn argument(entry: &OpFn, param: &Param, object: &Bound<'_, PyAny>) -> PyResult<Argument> {
    if let Some(expr) = value_of(object)? {
        return Ok(match &expr.kind {
            ExprKind::Shape(dims) => Argument::Data(Attr::Array(dims.iter().cloned().map(dim).collect())),
            ExprKind::Prim(value) => Argument::Data(dim(value.clone())),
            _ => Argument::Value(expr),
        });
    }
    let is_list = object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>();
    let data = |object: &Bound<'_, PyAny>| data(entry, param, object);
    match param.kind {
        Kind::Tensors if let Some(exprs) = values_of(object)? => Ok(Argument::Values(exprs)),
        Kind::DType | Kind::OptionalDType if !object.is_none() && !object.is_instance_of::<PyString>() => {
            Ok(Argument::Data(Attr::str(object.str()?.to_string())))
        }
        Kind::Shape | Kind::Any
            if !is_list && !object.is_instance_of::<PyString>() && object.hasattr("__iter__")? =>
        {
            let items = object.try_iter()?.map(|item| data(&item?)).collect::<PyResult<_>>()?;
            Ok(Argument::Data(Attr::Array(items)))
        }
        _ => data(object).map(Argument::Data),
    }
}

fn dim(value: tilewright::expr::Expr) -> Attr {
    constant(Attr::Expr(value))
}

/// The graph's value that a tensor of a model stands for, or that the object is.
fn value_of(object: &Bound<'_, PyAny>) -> PyResult<Option<Expr>> {
    let held = match node_of(object) {
        None => object.getattr_opt("_expr")?,
        Some(_) => None,
    };
    Ok(match node_of(held.as_ref().unwrap_or(object)) {
        Some(Node::Relax(expr)) => Some(expr.clone()),
        _ => None,
    })
}

/// The values in a list of tensors.
fn values_of(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<Expr>>> {
    if node_of(object).is_some() || object.is_instance_of::<PyString>() || !object.hasattr("__iter__")? {
        return Ok(None);
    }
    object.try_iter()?.map(|item| value_of(&item?)).collect()
}

/// Plain data: lists of it, numbers (those of NumPy too), texts, scalar expressions.
fn data(entry: &OpFn, param: &Param, object: &Bound<'_, PyAny>) -> PyResult<Attr> {
    if object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>() {
        let items =
            || object.try_iter()?.map(|item| data(entry, param, &item?)).collect::<PyResult<_>>().map(Attr::Array);
        return super::nested(object.py(), items);
    }
    let number =
        match node_of(object).is_none() && object.getattr_opt("ndim")?.is_some_and(|n| n.eq(0).unwrap_or(false)) {
            true => object.call_method0("item")?,
            false => object.clone(),
        };
    let read = attr_of(&number).map(constant);
    read.map_err(|_| {
        let found = object.repr().map_or_else(|_| "something else".to_owned(), |text| text.to_string());
        let expected = match param.kind {
            Kind::Operand => "expected a tensor or a number".to_owned(),
            Kind::Tensors => format!("`{}` is a list of tensors and of nothing else", param.name),
            Kind::Tensor | Kind::OptionalTensor => format!("`{}` is a tensor", param.name),
            _ => format!("`{}` is a number, a text, an integer expression, or a list of those", param.name),
        };
        error::general(object.py(), format_args!("op.{}: {expected}, found {found}", entry.name))
    })
}
