//! Passes by name, and those that take arguments.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use tilewright::ir::pass::{CONTEXT_OPTIONS, Callback, CallbackValue, PassArg};
use tilewright::ir::relax::Expr;
use tilewright::ir::tir::PrimFunc;
use tilewright::relax_passes::{
    self, AlterOpImpl, BindParams, BindSymbolicVars, DimKey, Gradient, LoopGradient, ParamKey, Replacement, Wanted,
};
use tilewright::support::parallel_map;
use tilewright::{passes, pipelines};

use crate::dlpack;
use crate::error;
use crate::kept::Kept;
use crate::module::PyModule;
use crate::pass::PyPass;
use crate::tensor::NdArray;
use crate::view::builder::PyBuilder;
use crate::view::{Field, FromPython, Node, attr_field, attr_of, index_map, node_of};

/// The names of all passes that there are.
#[pyfunction]
pub(crate) fn pass_names() -> Vec<&'static str> {
    passes::defs().map(|def| def.name).chain(relax_passes::OTHER_PASSES.iter().copied()).collect()
}

/// The names of those among them that are passes of graphs.
#[pyfunction]
pub(crate) fn graph_pass_names() -> Vec<&'static str> {
    relax_passes::PASSES.iter().map(|def| def.name).collect()
}

/// A parameter of a pass: its name, its default in a tuple of one (an empty one where it must be given), what it is and
/// what it is for.
type Param<'py> = (&'static str, Vec<Bound<'py, PyAny>>, &'static str, &'static str);

/// The description of a pass, and its parameters in order.
#[pyfunction]
pub(crate) fn pass_signature<'py>(py: Python<'py>, name: &str) -> PyResult<(&'static str, Vec<Param<'py>>)> {
    let def = passes::def(name).map_err(|message| error::general(py, message))?;
    let params = def.params.iter().map(|param| {
        let default = param.default.value().map(|value| attr_field(Some(&value)).view(py)).transpose()?;
        Ok((param.name, Vec::from_iter(default), param.kind.in_words(), param.doc))
    });
    Ok((def.doc, params.collect::<PyResult<_>>()?))
}

/// A pass by its name and the arguments that it takes.
#[pyfunction]
pub(crate) fn make_pass(py: Python<'_>, name: &str, args: &Bound<'_, PyDict>) -> PyResult<PyPass> {
    let def = passes::def(name).map_err(|message| error::general(py, message))?;
    let mut given = Vec::new();
    for (param, value) in args {
        let arg = match value.is_callable() && attr_of(&value).is_err() {
            true => PassArg::Callback(callback(value.unbind())),
            false => PassArg::Data(attr_of(&value)?),
        };
        given.push((param.extract::<String>()?, arg));
    }
    def.with(given).map(PyPass::native).map_err(|message| error::general(py, message))
}

/// A Python function that a pass asks.
fn callback(function: Py<PyAny>) -> Callback {
    let function = Kept::new(function);
    Arc::new(move |args| {
        let answer = Python::attach(|py| {
            let args = args.iter().map(|arg| told(arg).view(py)).collect::<PyResult<Vec<_>>>()?;
            let answer = function.bind(py).call1(PyTuple::new(py, args)?)?;
            Ok(match node_of(&answer) {
                Some(Node::Relax(expr)) => CallbackValue::Expr(expr.clone()),
                Some(Node::Info(info)) => CallbackValue::StructInfo(info.clone()),
                _ => CallbackValue::Data(attr_of(&answer)?),
            })
        });
        answer.map_err(|raised: PyErr| Python::attach(|py| error::raised_in_callback(py, raised)))
    })
}

fn told(value: &CallbackValue) -> Field {
    match value {
        CallbackValue::Data(data) => attr_field(Some(data)),
        CallbackValue::Expr(expr) => Field::relax(expr),
        CallbackValue::Exprs(exprs) => Field::list(exprs, Field::relax),
        CallbackValue::StructInfo(info) => Field::info(info),
    }
}

/// The options that passes of the compiler, and the context itself, read.
#[pyfunction]
pub(crate) fn option_names() -> Vec<&'static str> {
    let of_passes = relax_passes::all_passes().into_iter().flat_map(|pass| pass.options());
    CONTEXT_OPTIONS.iter().chain(of_passes).map(|option| option.name).collect()
}

/// The names of all pipelines.
#[pyfunction]
pub(crate) fn pipeline_names() -> Vec<&'static str> {
    pipelines::ALL.iter().map(|(name, _)| *name).collect()
}

/// Binds parameters of the function `name`, by their names or positions, to tensors; the tensors are copied, since a
/// module's constants never change.
#[pyfunction]
pub(crate) fn bind_params(name: String, params: &Bound<'_, PyDict>) -> PyResult<PyPass> {
    let py = params.py();
    let mut bound = Vec::new();
    for (param, value) in params {
        let tensor = match value.cast::<NdArray>() {
            Ok(tensor) => tensor.get().on_host(py)?,
            Err(_) if dlpack::is_exporter(&value)? => dlpack::import(&value)?,
            Err(_) => {
                let expected = format!("parameter {} takes a tensor or an array", param.repr()?);
                return Err(error::wrong_type(expected, &value));
            }
        };
        let key = match param.extract::<usize>() {
            Ok(index) => ParamKey::Index(index),
            Err(_) => {
                let name = param.extract().or_else(|_| param.getattr("name_hint")?.extract());
                let expected = "a parameter is given by its name or its position";
                ParamKey::Name(name.map_err(|_| error::wrong_type(expected, &param))?)
            }
        };
        bound.push((key, tensor));
    }
    let copies = py.detach(|| parallel_map(&bound, |(_, tensor)| tensor.clone().sealed()));
    let keys = bound.into_iter().map(|(key, _)| key);
    let bound = keys.zip(copies).map(|(key, copy)| Ok((key, copy.map_err(|e| error::tensor(py, &e))?)));
    let bound = bound.collect::<PyResult<Vec<_>>>()?;
    Ok(PyPass::native(Arc::new(BindParams::new(name, bound))))
}

/// Turns symbolic dimensions, by name, into numbers: in the function of that name, or in all.
#[pyfunction]
pub(crate) fn bind_symbolic_vars(sizes: &Bound<'_, PyDict>, function: Option<String>) -> PyResult<PyPass> {
    let mut values = Vec::new();
    for (var, size) in sizes {
        let expected = "a symbolic dimension is given by its name, or is a variable";
        let key = match var.extract::<String>() {
            Ok(name) => DimKey::Name(name),
            Err(_) => match node_of(&var) {
                Some(Node::Scalar(dim)) if let Some(dim) = dim.as_var() => DimKey::Var(dim.clone()),
                _ => return Err(error::wrong_type(expected, &var)),
            },
        };
        let number = size.extract::<i64>().map_err(|_| error::wrong_type("a size is an integer", &size))?;
        values.push((key, number));
    }
    Ok(PyPass::native(match function {
        Some(function) => Arc::new(BindSymbolicVars::of_function(function, values)),
        None => Arc::new(BindSymbolicVars::of_all(values)),
    }))
}

/// Replaces the PrimFuncs of operators, by their names, by others, on tensors of which the maps of indices say where
/// the elements are.
#[pyfunction]
pub(crate) fn alter_op_impl(functions: &Bound<'_, PyDict>, transforms: &Bound<'_, PyDict>) -> PyResult<PyPass> {
    let py = functions.py();
    let mut pass = AlterOpImpl::default();
    for (operator, function) in functions {
        let operator: String = operator.extract()?;
        let Some((_, function)) = <(Arc<str>, Arc<PrimFunc>)>::from_python(&function)? else {
            return Err(error::wrong_type("a replacement is a tir.PrimFunc", &function));
        };
        let maps = transforms.get_item(&operator)?;
        let maps = maps.ok_or_else(|| error::general(py, format!("`{operator}` has no maps of indices")))?;
        let transforms = maps.try_iter()?.map(|map| index_map(&map?)).collect::<PyResult<_>>()?;
        pass.replacements.insert(operator.into(), Replacement { function: PrimFunc::clone(&function), transforms });
    }
    Ok(PyPass::native(Arc::new(pass)))
}

/// Adds the function that computes gradients. `of_loops` gets the name that a call of a PrimFunc gives for its
/// gradient, the variable and the value of the call, the gradient of its result, and the builder that is writing the
/// function.
#[pyfunction]
pub(crate) fn gradient(
    func_name: String,
    require_grads: Option<&Bound<'_, PyList>>,
    target_index: i64,
    of_loops: Py<PyAny>,
) -> PyResult<PyPass> {
    let wanted = |object: Bound<'_, PyAny>| match node_of(&object) {
        Some(Node::Relax(expr)) if let Some(var) = expr.as_var() => Ok(Wanted::Var(var.clone())),
        _ => match object.extract::<String>() {
            Ok(name) => Ok(Wanted::Name(name)),
            Err(_) => Err(error::wrong_type("a parameter is a variable or its name", &object)),
        },
    };
    let require_grads = require_grads.map(|given| given.iter().map(wanted).collect::<PyResult<_>>()).transpose()?;
    let of_loops = Some(loop_gradient(of_loops));
    Ok(PyPass::native(Arc::new(Gradient { func_name, require_grads, target_index, of_loops })))
}

/// A Python function that writes the gradient of a PrimFunc.
fn loop_gradient(function: Py<PyAny>) -> LoopGradient {
    let function = Kept::new(function);
    Arc::new(move |bb, name, var, call, grad| {
        let answer = Python::attach(|py| {
            let builder = py.import("tilewright.relax.block_builder")?.getattr("BlockBuilder")?.call0()?;
            let [var, call, grad] = [&Expr::var(var), call, grad].map(|expr| Field::relax(expr).view(py));
            let lent = builder.cast::<PyBuilder>()?;
            std::mem::swap(bb, &mut *lent.get().lock());
            let answer = var.and_then(|var| function.bind(py).call1((name, var, call?, grad?, &builder)));
            std::mem::swap(bb, &mut *lent.get().lock());
            match node_of(&answer?) {
                Some(Node::Relax(expr)) => Ok(expr.clone()),
                _ => Err(error::general(py, format!("the gradient `{name}` gives no expression"))),
            }
        });
        answer.map_err(|raised: PyErr| Python::attach(|py| error::raised_in_callback(py, raised)))
    })
}

/// The memory that the tensors of a planned module's functions take, as a table.
#[pyfunction]
pub(crate) fn estimate_memory_usage(module: &PyModule) -> String {
    relax_passes::estimate_memory_usage(&module.ir()).to_string()
}
