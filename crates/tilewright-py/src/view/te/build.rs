//! Construction of tensors, and of PrimFuncs from them.

use std::cell::RefCell;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use tilewright::DataType;
use tilewright::expr::{Buffer, Expr, Range, Var};
use tilewright::ir::Attr;
use tilewright::ir::calls::TirCall;
use tilewright::ir::legalize::LegalizeCx;
use tilewright::ir::op::{Fusion, OpCall};
use tilewright::ir::relax;
use tilewright::ir::tir::{IterKind, IterVar, PrimFunc, Stmt, attr_names};
use tilewright::te::{
    self, CommReducer, CreateOptions, Operation, ReduceAxis, Reducer, TeError, TeParam, Tensor, Value, reduce_axis,
};

use super::{Te, known};
use crate::error;
use crate::view::builder::PyBuilder;
use crate::view::{FromPython, Node, argument, attrs, node_of, wrap};

pub(super) fn failed(py: Python<'_>, reason: impl std::fmt::Display) -> PyErr {
    error::general(py, reason)
}

pub(super) fn tensor(py: Python<'_>, tensor: Tensor) -> PyResult<Bound<'_, PyAny>> {
    known::add(tensor.op());
    wrap(py, Node::Te(Te::Tensor(tensor)))
}

/// The tensor of an operation, or a list of them.
fn results(py: Python<'_>, op: Operation) -> PyResult<Bound<'_, PyAny>> {
    let mut made = op.outputs();
    match made.pop() {
        Some(one) if made.is_empty() => tensor(py, one),
        last => {
            let all = made.into_iter().chain(last).map(|one| tensor(py, one)).collect::<PyResult<Vec<_>>>()?;
            Ok(PyList::new(py, all)?.into_any())
        }
    }
}

/// Extents of one type: constants take that of the others, and the widest wins.
pub(super) fn shape(object: &Bound<'_, PyAny>) -> PyResult<Vec<Expr>> {
    let dims: Vec<Expr> = argument(object, "shape")?;
    let bits = dims.iter().filter(|dim| dim.dtype.is_int()).map(|dim| dim.dtype.bits).max();
    let wide = |dim: Expr| match (dim.as_int(), bits) {
        (Some(_), Some(64)) => dim.cast(DataType::I64).unwrap_or(dim),
        _ => dim,
    };
    Ok(dims.into_iter().map(wide).collect())
}

/// An input.
#[pyfunction]
pub(crate) fn te_placeholder<'py>(
    shape: &Bound<'py, PyAny>,
    dtype: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let dims = self::shape(shape)?;
    let dtype = argument(dtype, "dtype")?;
    if let Some(dim) = dims.iter().find(|dim| !dim.dtype.is_int() || dim.as_int().is_some_and(|dim| dim < 0)) {
        let found = tilewright::script::print::print_expr(dim);
        return Err(failed(shape.py(), format_args!("te.placeholder: `{found}` is no extent of a dimension")));
    }
    tensor(shape.py(), te::placeholder(&dims, dtype, name))
}

/// The placeholder for a value of a graph.
#[pyfunction]
pub(crate) fn te_tensor<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let expr: relax::Expr = argument(value, "value")?;
    tensor(value.py(), te::te_tensor(&expr, name).map_err(|error| failed(value.py(), error))?)
}

/// The axis of a reduction from the first index to the last but one.
#[pyfunction]
pub(crate) fn te_reduce_axis<'py>(domain: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = domain.py();
    let axis = match Range::from_python(domain)? {
        Some(range) if node_of(domain).is_some() => ReduceAxis::of(Var::new(name, range.extent.dtype), range),
        Some(ends) => reduce_axis(ends.min, ends.extent, name),
        None => {
            return Err(error::wrong_type("te.reduce_axis: argument `dom` is a Range, or its (begin, end)", domain));
        }
    };
    axis.expr().map_err(|error| failed(py, error))?;
    known::add_axis(axis.var());
    let iter = IterVar { var: axis.var().clone(), domain: axis.range().clone(), kind: IterKind::Reduce };
    wrap(py, Node::IterVar(iter))
}

/// Calls a function of Python as a formula, and keeps its exception.
struct Formula<'a, 'py> {
    function: &'a Bound<'py, PyAny>,
    raised: RefCell<Option<PyErr>>,
}

impl<'a, 'py> Formula<'a, 'py> {
    fn new(function: &'a Bound<'py, PyAny>) -> Self {
        Self { function, raised: RefCell::new(None) }
    }

    fn values(&self, indices: &[Value]) -> Vec<Value> {
        self.call(indices).unwrap_or_else(|error| {
            self.raised.replace(Some(error));
            vec![Value::wrong(TeError("the formula raised an exception".into()))]
        })
    }

    fn call(&self, indices: &[Value]) -> PyResult<Vec<Value>> {
        let py = self.function.py();
        let index = |value: &Value| {
            let expr = value.expr().map_err(|error| failed(py, error))?;
            wrap(py, Node::Scalar(expr.clone()))
        };
        let indices = indices.iter().map(index).collect::<PyResult<Vec<_>>>()?;
        argument(&self.function.call1(PyTuple::new(py, indices)?)?, "fcompute")
    }

    /// The result, or what Python raised on the way.
    fn result<T>(self, made: Result<T, TeError>) -> PyResult<T> {
        match (made, self.raised.into_inner()) {
            (_, Some(raised)) => Err(raised),
            (Ok(made), None) => Ok(made),
            (Err(error), None) => Err(failed(self.function.py(), error)),
        }
    }
}

/// The tensor, or the list of tensors, whose elements are what the function gives for the indices.
#[pyfunction]
pub(crate) fn te_compute<'py>(
    shape: &Bound<'py, PyAny>,
    function: &Bound<'py, PyAny>,
    name: &str,
    axes: Vec<String>,
    attrs: &Bound<'py, PyAny>,
    tag: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let (dims, attrs) = (self::shape(shape)?, attrs::attrs_of(attrs)?);
    let formula = Formula::new(function);
    let made = te::compute_op(&dims, name, &axes, attrs, |indices| formula.values(indices));
    results(shape.py(), formula.result(made)?.tagged(tag))
}

/// A reduction by its name: `sum`, `prod`, `min`, `max`, `all`, `any`.
#[pyfunction]
pub(crate) fn te_reduce<'py>(
    name: &str,
    expr: &Bound<'py, PyAny>,
    axis: &Bound<'py, PyAny>,
    condition: &Bound<'py, PyAny>,
    init: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = expr.py();
    let reducer = match name {
        "sum" => Reducer::Sum,
        "prod" => Reducer::Prod,
        "min" => Reducer::Min,
        "max" => Reducer::Max,
        "all" => Reducer::All,
        "any" => Reducer::Any,
        _ => return Err(failed(py, format_args!("there is no reduction `{name}`"))),
    };
    let function = format!("te.{name}");
    let value: Value = argument(expr, "expr")?;
    let axes: Vec<ReduceAxis> = argument(axis, "axis")?;
    let condition: Option<Value> = argument(condition, "where")?;
    let init: Option<Expr> = argument(init, "init")?;
    let axes: Vec<&ReduceAxis> = axes.iter().collect();
    let reduced = te::reduce_where(reducer, value, &axes, condition.as_ref(), init);
    reduced.expr().map_err(|error| failed(py, format_args!("{function}: {error}")))?;
    wrap(py, Node::Te(Te::Reduce(reduced)))
}

/// The results of a reduction of one's own on a row of values.
#[pyfunction]
pub(crate) fn te_reduce_by<'py>(
    combiner: &Bound<'py, PyAny>,
    source: &Bound<'py, PyAny>,
    axis: &Bound<'py, PyAny>,
    condition: &Bound<'py, PyAny>,
    init: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = combiner.py();
    let reducer: Arc<CommReducer> = argument(combiner, "combiner")?;
    let (values, axes): (Vec<Value>, Vec<ReduceAxis>) = (argument(source, "expr")?, argument(axis, "axis")?);
    let condition: Option<Value> = argument(condition, "where")?;
    let init: Option<Vec<Expr>> = argument(init, "init")?;
    let axes: Vec<&ReduceAxis> = axes.iter().collect();
    let result = |value: Value| {
        value.expr().map_err(|error| failed(py, error))?;
        wrap(py, Node::Te(Te::Reduce(value)))
    };
    let results = reducer.over_where(&values, &axes, condition.as_ref(), init);
    Ok(PyList::new(py, results.into_iter().map(result).collect::<PyResult<Vec<_>>>()?)?.into_any())
}

/// A tensor that an operation makes, by its number.
#[pyfunction]
pub(crate) fn te_output<'py>(operation: &Bound<'py, PyAny>, index: usize) -> PyResult<Bound<'py, PyAny>> {
    let py = operation.py();
    let Some(Node::Te(Te::Op(op))) = node_of(operation) else {
        return Err(error::wrong_type("expected an Operation", operation));
    };
    match op.outputs().into_iter().nth(index) {
        Some(one) => tensor(py, one),
        None => Err(failed(py, format_args!("`{}` makes no tensor number {index}", op.name()))),
    }
}

/// The tensors of these shapes and types that the statements of a function fill; it gets a list of buffers for the
/// inputs, and one for the outputs.
#[pyfunction]
pub(crate) fn te_extern<'py>(
    outputs: Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
    inputs: &Bound<'py, PyAny>,
    name: &str,
    attrs: &Bound<'py, PyAny>,
    tag: &str,
    function: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = inputs.py();
    let output = |(dims, dtype): &(Bound<'py, PyAny>, Bound<'py, PyAny>)| -> PyResult<(Vec<Expr>, DataType)> {
        Ok((shape(dims)?, argument(dtype, "dtype")?))
    };
    let outputs = outputs.iter().map(output).collect::<PyResult<Vec<_>>>()?;
    let (inputs, attrs): (Vec<Tensor>, _) = (argument(inputs, "inputs")?, attrs::attrs_of(attrs)?);
    let formula = Formula::new(function);
    let buffers = |buffers: &[Buffer]| {
        let all = buffers.iter().map(|buffer| wrap(py, Node::Buffer(buffer.clone()))).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, all)
    };
    let statements = |ins: &[Buffer], outs: &[Buffer]| -> PyResult<Stmt> {
        argument(&function.call1((buffers(ins)?, buffers(outs)?))?, "fcompute")
    };
    let made = te::extern_op(&outputs, &inputs, name, attrs, |ins, outs| {
        statements(ins, outs).map_err(|error| {
            formula.raised.replace(Some(error));
            TeError("the function raised an exception".into())
        })
    });
    results(py, formula.result(made)?.tagged(tag))
}

/// The tensors that a PrimFunc writes, called on these inputs.
#[pyfunction]
pub(crate) fn te_extern_primfunc<'py>(
    inputs: &Bound<'py, PyAny>,
    func: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let py = func.py();
    let inputs: Vec<Tensor> = argument(inputs, "input_tensors")?;
    let (_, function): (Arc<str>, Arc<PrimFunc>) = argument(func, "primfunc")?;
    let made = te::extern_prim_func(&inputs, &function, name).map_err(|error| failed(py, error))?;
    match made.into_iter().next() {
        Some(first) => results(py, first.op().clone()),
        None => Err(failed(py, "the function writes no tensor")),
    }
}

/// The word for a sort of operators that `topi.tag` has.
fn tag_of(fusion: Fusion) -> &'static str {
    match fusion {
        Fusion::Elementwise => "elemwise",
        Fusion::Broadcast => "broadcast",
        Fusion::Injective => "injective",
        Fusion::Reduction => "comm_reduce",
        Fusion::OutElementwise | Fusion::Opaque => "",
    }
}

/// The tensors that a call of a graph operator makes of these inputs, by the operator's formula.
#[pyfunction]
pub(crate) fn te_apply<'py>(call: &Bound<'py, PyAny>, inputs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = call.py();
    let (call, inputs): (relax::Expr, Vec<Tensor>) = (argument(call, "call")?, argument(inputs, "inputs")?);
    let relax::ExprKind::Call { callee: relax::Callee::Op(op), args, attrs, .. } = &call.kind else {
        return Err(failed(py, "expected a call of a graph operator"));
    };
    let op = *op;
    if !op.legalize.is_prim_func() {
        return Err(failed(py, format_args!("`{}` has no formula", op.name)));
    }
    let call = OpCall { op, args, attrs };
    let function = op.legalize.prim_func(&LegalizeCx::default(), &call).map_err(|error| failed(py, error))?;
    let made = te::prim_func_op(&inputs, &function, op.name).map_err(|error| failed(py, error))?;
    results(py, made.tagged(tag_of(op.properties.fusion)))
}

impl FromPython for TeParam {
    const EXPECTED: &'static str = "a te.Tensor or a te.var";
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        Ok(match Tensor::from_python(object)? {
            Some(tensor) => Some(Self::Tensor(tensor)),
            None => Var::from_python(object)?.map(Self::Scalar),
        })
    }
}

/// The PrimFunc whose parameters are these tensors and scalars; its name and global symbol is `main`.
#[pyfunction]
pub(crate) fn te_create_prim_func<'py>(
    params: &Bound<'py, PyAny>,
    index_dtype: &Bound<'py, PyAny>,
    inline: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = params.py();
    let given: Vec<TeParam> = argument(params, "ops")?;
    let index_dtype: Option<DataType> = argument(index_dtype, "index_dtype_override")?;
    let inline: Vec<Tensor> = argument(inline, "inline")?;
    let made = te::create_prim_func_with(&given, &CreateOptions { index_dtype, inline });
    let mut function = made.map_err(|error| failed(py, error))?;
    function.attrs.insert(attr_names::GLOBAL_SYMBOL.into(), Attr::str("main"));
    wrap(py, Node::PrimFunc("main".into(), Arc::new(function)))
}

/// A call, in a block builder's function, of the function that computes `outputs` from `inputs`, on the values that the
/// inputs represent.
#[pyfunction]
pub(crate) fn te_call<'py>(
    builder: &Bound<'py, PyBuilder>,
    name: &str,
    args: &Bound<'py, PyAny>,
    inputs: &Bound<'py, PyAny>,
    outputs: &Bound<'py, PyAny>,
    said: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = builder.py();
    let values: Vec<relax::Expr> = argument(args, "args")?;
    let (ins, outs): (Vec<Tensor>, Vec<Tensor>) = (argument(inputs, "args")?, argument(outputs, "func")?);
    let attrs = match said.get_item("primfunc_attrs")? {
        Some(attrs) => attrs::attrs_of(&attrs)?,
        None => tilewright::ir::Attrs::new(),
    };
    let te_grad = match said.get_item("te_grad_name")? {
        Some(name) => {
            let kwargs = said.get_item("te_grad_kwargs")?.unwrap_or_else(|| py.None().into_bound(py));
            Some((name.extract::<String>()?.into(), attrs::attrs_of(&kwargs)?))
        }
        None => None,
    };
    let said = TirCall { te_grad, ..TirCall::default() };
    let mut bb = builder.get().lock();
    let call = te::te_call(&mut bb, name, &values, &ins, &outs, attrs, said).map_err(|error| failed(py, error))?;
    drop(bb);
    wrap(py, Node::Relax(call))
}
