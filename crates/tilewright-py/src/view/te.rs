//! Tensor expressions as Python sees them: tensors, what makes them, and reductions.
//!
//! Python's formulas are scalar expressions in which a load from a tensor's buffer is an element of the tensor.
//! `known` finds the tensor of such a buffer again; `build` holds the functions that make tensors and PrimFuncs of
//! them, `formulas` those of the library.

pub(crate) mod build;
pub(crate) mod formulas;
mod known;

use std::sync::Arc;

use pyo3::prelude::*;
use tilewright::expr::{Expr, Range, Var};
use tilewright::ir::tir::{IterKind, IterVar};
use tilewright::script::print;
use tilewright::te::{Body, CommReducer, Operation, ReduceAxis, Reduction, Tensor, Value};

pub(super) use known::tensor_of;

use super::{Args, Field, FromPython, Node, attrs, node_of};

/// A part of a tensor expression that Python can hold besides scalar expressions.
#[derive(Clone, Debug)]
pub(crate) enum Te {
    Tensor(Tensor),
    Op(Operation),
    Reducer(Arc<CommReducer>),
    /// A result of a reduction.
    Reduce(Value),
}

pub(super) fn kind(te: &Te) -> &'static str {
    match te {
        Te::Tensor(_) => "te.Tensor",
        Te::Op(op) => match op.body() {
            Body::Placeholder => "te.PlaceholderOp",
            Body::Compute(_) => "te.ComputeOp",
            Body::Extern(_) => "te.ExternOp",
        },
        Te::Reducer(_) => "tir.CommReducer",
        Te::Reduce(_) => "tir.Reduce",
    }
}

fn node(te: Te) -> Field {
    Field::Node(Node::Te(te))
}

/// A tensor as the value of an attribute.
pub(super) fn tensor_field(tensor: Tensor) -> Field {
    node(Te::Tensor(tensor))
}

pub(super) fn field(te: &Te, name: &str) -> Option<Field> {
    match te {
        Te::Tensor(tensor) => of_tensor(tensor, name),
        Te::Op(op) => of_operation(op, name),
        Te::Reducer(reducer) => of_reducer(reducer, name),
        Te::Reduce(value) => of_reduce(value, name),
    }
}

fn of_tensor(tensor: &Tensor, name: &str) -> Option<Field> {
    Some(match name {
        "shape" => Field::scalars(tensor.shape()),
        "dtype" => Field::dtype(tensor.dtype()),
        "name" => Field::text(tensor.name()),
        "ndim" => Field::Int(tensor.rank() as i64),
        "op" => node(Te::Op(tensor.op().clone())),
        "value_index" => Field::Int(tensor.index() as i64),
        _ => return None,
    })
}

fn axis((var, range): (&Var, Range), kind: IterKind) -> Field {
    Field::Node(Node::IterVar(IterVar { var: var.clone(), domain: range, kind }))
}

fn of_operation(op: &Operation, name: &str) -> Option<Field> {
    let first = op.outputs().into_iter().next();
    Some(match (name, op.body()) {
        ("name", _) => Field::text(op.name()),
        ("tag", _) => Field::text(op.tag()),
        ("attrs", _) => attrs::map(op.attrs()),
        ("num_outputs", _) => Field::Int(op.outputs().len() as i64),
        ("input_tensors" | "inputs", _) => Field::list(op.inputs(), |tensor| node(Te::Tensor(tensor.clone()))),
        ("shape", Body::Placeholder) => Field::scalars(first?.shape()),
        ("dtype", Body::Placeholder) => Field::dtype(first?.dtype()),
        ("axis", Body::Compute(compute)) => {
            let ranges = first.iter().flat_map(|tensor| tensor.shape()).map(|extent| Range::up_to(extent.clone()));
            Field::list(compute.axes.iter().zip(ranges), |at| axis(at, IterKind::Spatial))
        }
        ("reduce_axis", Body::Compute(compute)) => {
            let axes = compute.reduction.iter().flat_map(|reduction| &reduction.axes);
            Field::list(axes, |(var, range)| axis((var, range.clone()), IterKind::Reduce))
        }
        ("body", Body::Compute(compute)) => match &compute.reduction {
            None => Field::scalars(&compute.values),
            Some(reduction) => {
                let all =
                    (0..compute.values.len()).map(|at| Value::of_reduction(reduction, at, Vec::new(), Vec::new()));
                Field::list(all, |value| node(Te::Reduce(value)))
            }
        },
        ("body", Body::Extern(stage)) => Field::stmt(&stage.body),
        ("input_placeholders", Body::Extern(stage)) => {
            Field::list(&stage.ins, |buffer| Field::Node(Node::Buffer(buffer.clone())))
        }
        ("output_placeholders", Body::Extern(stage)) => {
            Field::list(&stage.outs, |buffer| Field::Node(Node::Buffer(buffer.clone())))
        }
        _ => return None,
    })
}

fn of_reducer(reducer: &CommReducer, name: &str) -> Option<Field> {
    Some(match name {
        "lhs" => Field::list(&reducer.lhs, Field::var),
        "rhs" => Field::list(&reducer.rhs, Field::var),
        "result" => Field::scalars(&reducer.result),
        "identity_element" => Field::scalars(&reducer.identity),
        _ => return None,
    })
}

fn of_reduce(value: &Value, name: &str) -> Option<Field> {
    let (reduction, index) = value.reduction()?;
    Some(match name {
        "dtype" => Field::dtype(value.dtype()?),
        "combiner" => node(Te::Reducer(Arc::new(reduction.reducer.clone()))),
        "source" => Field::scalars(&reduction.values),
        "init" => Field::scalars(if starts_itself(reduction) { &[] } else { &reduction.init[..] }),
        "axis" => Field::list(&reduction.axes, |(var, range)| axis((var, range.clone()), IterKind::Reduce)),
        // A condition is part of the source.
        "condition" => Field::scalar(&Expr::bool(true)),
        "value_index" => Field::Int(index as i64),
        "span" => Field::None,
        _ => return None,
    })
}

/// Whether a reduction begins with its identity.
fn starts_itself(reduction: &Reduction) -> bool {
    reduction.init.iter().zip(&reduction.reducer.identity).all(|(a, b)| a.equal(b))
}

pub(super) fn same(a: &Te, b: &Te) -> bool {
    match (a, b) {
        (Te::Tensor(a), Te::Tensor(b)) => a == b,
        (Te::Op(a), Te::Op(b)) => a == b,
        (Te::Reducer(a), Te::Reducer(b)) => Arc::ptr_eq(a, b),
        (Te::Reduce(a), Te::Reduce(b)) => match (a.reduction(), b.reduction()) {
            (Some((a, i)), Some((b, j))) => std::ptr::eq(a, b) && i == j,
            _ => false,
        },
        _ => false,
    }
}

pub(super) fn identity(te: &Te) -> usize {
    match te {
        Te::Tensor(tensor) => tensor.op().address() + tensor.index(),
        Te::Op(op) => op.address(),
        Te::Reducer(reducer) => Arc::as_ptr(reducer) as usize,
        Te::Reduce(value) => {
            value.reduction().map_or(0, |(reduction, index)| std::ptr::from_ref(reduction) as usize + index)
        }
    }
}

pub(crate) fn text(te: &Te) -> String {
    let list = |exprs: &[Expr]| exprs.iter().map(print::print_expr).collect::<Vec<_>>().join(", ");
    let names = |vars: &[Var]| vars.iter().map(|var| &*var.name).collect::<Vec<_>>().join(", ");
    match te {
        Te::Tensor(tensor) => format!("Tensor(shape=[{}], op.name={})", list(tensor.shape()), tensor.op().name()),
        Te::Op(op) => {
            let kind = kind(te).trim_start_matches("te.").trim_end_matches("Op").to_lowercase();
            format!("{kind}({})", op.name())
        }
        Te::Reducer(reducer) => format!(
            "comm_reducer(result=[{}], lhs=[{}], rhs=[{}], identity_element=[{}])",
            list(&reducer.result),
            names(&reducer.lhs),
            names(&reducer.rhs),
            list(&reducer.identity)
        ),
        Te::Reduce(value) => match value.reduction() {
            Some((reduction, index)) => {
                let axes: Vec<Var> = reduction.axes.iter().map(|(var, _)| var.clone()).collect();
                let combiner = text(&Te::Reducer(Arc::new(reduction.reducer.clone())));
                let source = list(&reduction.values);
                let axes = names(&axes);
                format!("reduce(combiner={combiner}, source=[{source}], axis=[{axes}], value_index={index})")
            }
            None => "reduce()".to_owned(),
        },
    }
}

pub(super) fn make(args: &Args<'_, '_>) -> PyResult<Option<Node>> {
    Ok(Some(Node::Te(match args.kind() {
        "tir.CommReducer" => {
            let (lhs, rhs) = (args.get(0, "lhs")?, args.get(1, "rhs")?);
            let made = CommReducer::new(lhs, rhs, args.get(2, "result")?, args.get(3, "identity_element")?);
            Te::Reducer(Arc::new(args.made(made)?))
        }
        "tir.Reduce" => reduce(args)?,
        "tir.ProducerLoad" => {
            let (tensor, indices): (Tensor, Vec<Expr>) = (args.get(0, "producer")?, args.get(1, "indices")?);
            let load = args.made(Expr::load(tensor.buffer(), indices))?;
            return Ok(Some(Node::Scalar(load)));
        }
        _ => return Ok(None),
    })))
}

/// `Reduce(combiner, source, axes, condition, value_index, init)`.
fn reduce(args: &Args<'_, '_>) -> PyResult<Te> {
    let combiner: Arc<CommReducer> = args.get(0, "combiner")?;
    let values: Vec<Value> = args.get(1, "source")?;
    let axes: Vec<ReduceAxis> = args.get(2, "axes")?;
    let condition: Option<Value> = args.get(3, "condition")?;
    let init: Option<Vec<Expr>> = args.get(5, "init")?;
    let axes: Vec<&ReduceAxis> = axes.iter().collect();
    let init = init.filter(|init| !init.is_empty());
    let results = combiner.over_where(&values, &axes, condition.as_ref(), init);
    let index: i64 = args.get(4, "value_index")?;
    let result = usize::try_from(index).ok().and_then(|index| results.into_iter().nth(index));
    let result = args.made(result.ok_or_else(|| format!("a reduction has no result number {index}")))?;
    args.made(result.expr().map(drop))?;
    Ok(Te::Reduce(result))
}

impl FromPython for Tensor {
    const EXPECTED: &'static str = "a te.Tensor";
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        Ok(match node_of(object) {
            Some(Node::Te(Te::Tensor(tensor))) => Some(tensor.clone()),
            _ => None,
        })
    }
}

impl FromPython for Arc<CommReducer> {
    const EXPECTED: &'static str = "a tir.CommReducer";
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        Ok(match node_of(object) {
            Some(Node::Te(Te::Reducer(reducer))) => Some(reducer.clone()),
            _ => None,
        })
    }
}

impl FromPython for Value {
    const EXPECTED: &'static str = "a scalar expression, a number or a reduction";
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if let Some(Node::Te(Te::Reduce(value))) = node_of(object) {
            return Ok(Some(value.clone()));
        }
        Ok(Expr::from_python(object)?.map(known::value))
    }
}

impl FromPython for ReduceAxis {
    const EXPECTED: &'static str = "a te.reduce_axis";
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        Ok(match node_of(object) {
            Some(Node::IterVar(iter)) if iter.kind == IterKind::Reduce => {
                Some(Self::of(iter.var.clone(), iter.domain.clone()))
            }
            _ => None,
        })
    }
}
