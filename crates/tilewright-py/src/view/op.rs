//! Calls of graph operators as Python functions: `relax.op.add(x, y)`, by the operators' own declarations.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tilewright::expr::{Expr as Scalar, ExprKind};
use tilewright::ir::op::{ArgDef, ArgKind, AttrDefault, AttrKind, Legalize, OpRef, Properties};
use tilewright::ir::relax::Expr;
use tilewright::ir::{Attr, Attrs};
use tilewright::ops;

use super::{FromPython, Node, attrs, info, relax, wrap};
use crate::error;

fn lookup(py: Python<'_>, name: &str) -> PyResult<OpRef> {
    ops::lookup(name).ok_or_else(|| error::general(py, format_args!("there is no graph operator `{name}`")))
}

/// An argument in the form that the operator takes.
fn operand(op: OpRef, def: &ArgDef, object: &Bound<'_, PyAny>) -> PyResult<Expr> {
    if object.is_none() && def.kind.is_optional() {
        return Ok(Expr::tuple(Vec::new()));
    }
    if matches!(def.kind, ArgKind::Shape | ArgKind::OptionalShape | ArgKind::ResultShape)
        && super::node_of(object).is_none()
        && let Some(dims) = Vec::<Scalar>::from_python(object)?
    {
        let dims =
            info::dims(dims).map_err(|reason| error::general(object.py(), format_args!("{}: {reason}", op.name)));
        return dims.map(Expr::shape);
    }
    Expr::from_python(object)?.ok_or_else(|| {
        error::wrong_type(format_args!("{}: argument `{}` is {}", op.name, def.name, Expr::EXPECTED), object)
    })
}

/// A call of a graph operator: positional arguments are its arguments, then its attributes; both may be given by name.
#[pyfunction]
pub(crate) fn call_op<'py>(
    name: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = args.py();
    let op = lookup(py, name)?;
    let open = op.args.last().is_some_and(|last| last.kind == ArgKind::Values);
    let names: Vec<&str> = op.args.iter().map(|arg| arg.name).chain(op.attrs.iter().map(|attr| attr.name)).collect();
    let mut given: Vec<Option<Bound<'py, PyAny>>> = vec![None; names.len()];
    let mut operands = Vec::new();
    for (i, object) in args.iter().enumerate() {
        match op.args.last() {
            Some(last) if open && i + 1 >= op.args.len() => operands.push(operand(op, last, &object)?),
            _ if i < names.len() => given[i] = Some(object),
            _ => return Err(PyTypeError::new_err(format!("{name}() takes at most {} arguments", names.len()))),
        }
    }
    for (key, object) in kwargs {
        let key: String = key.extract()?;
        let Some(at) = names.iter().position(|known| *known == key) else {
            return Err(PyTypeError::new_err(format!("{name}() has no argument `{key}`, only {}", names.join(", "))));
        };
        if given[at].replace(object).is_some() {
            return Err(PyTypeError::new_err(format!("{name}() got two values for the argument `{key}`")));
        }
    }
    let (given_args, given_attrs) = given.split_at(op.args.len());
    let declared = if open { op.args.len() - 1 } else { op.args.len() };
    let mut all = Vec::new();
    for (def, object) in op.args.iter().zip(given_args).take(declared) {
        all.push(match object {
            Some(object) => operand(op, def, object)?,
            None if def.kind.is_optional() => Expr::tuple(Vec::new()),
            None => return Err(PyTypeError::new_err(format!("{name}() needs the argument `{}`", def.name))),
        });
    }
    all.extend(operands);
    let mut said = Attrs::new();
    for (def, object) in op.attrs.iter().zip(given_attrs) {
        // `None` means the default.
        let unsaid = matches!(def.default, AttrDefault::Required | AttrDefault::None);
        if let Some(object) = object.as_ref().filter(|object| unsaid || !object.is_none()) {
            let value = match def.kind {
                AttrKind::IndexMap => Attr::IndexMap(attrs::index_map(object)?),
                _ => constant(attrs::attr_of(object)?),
            };
            said.insert(def.name.into(), value);
        }
    }
    let call = Expr::call_op(&relax::infer(), op, all, said);
    wrap(py, Node::Relax(call.map_err(|reason| super::refused(py, name, reason.message))?))
}

/// Constants that are given as expressions are plain data in an operator's attributes.
pub(super) fn constant(attr: Attr) -> Attr {
    match attr {
        Attr::Expr(expr) => match &expr.kind {
            ExprKind::Float(value) => Attr::Float(*value),
            _ => expr.as_int().map_or(Attr::Expr(expr.clone()), Attr::Int),
        },
        Attr::Array(items) => Attr::Array(items.into_iter().map(constant).collect()),
        other => other,
    }
}

/// A parameter of an operator with its default, as Python writes it.
type Parameter = (&'static str, Option<String>);

/// The signature and the documentation of a graph operator: its parameters as `(name, default or None)`, and the text.
#[pyfunction]
pub(crate) fn op_signature(py: Python<'_>, name: &str) -> PyResult<(Vec<Parameter>, String)> {
    let op = lookup(py, name)?;
    let optional = |kind: ArgKind| kind.is_optional().then(|| "None".to_owned());
    let args = op.args.iter().map(|arg| (arg.name, optional(arg.kind)));
    let attrs = op.attrs.iter().map(|attr| {
        let default = match attr.default {
            AttrDefault::Required => None,
            AttrDefault::None | AttrDefault::Of(_) => Some("None".to_owned()),
            AttrDefault::Bool(value) => Some(if value { "True" } else { "False" }.to_owned()),
            AttrDefault::Int(value) => Some(value.to_string()),
            AttrDefault::Float(value) => Some(format!("{value:?}")),
            AttrDefault::Str(value) => Some(format!("{value:?}")),
            AttrDefault::DType(value) => Some(format!("\"{value}\"")),
        };
        (attr.name, default)
    });
    let described =
        op.args.iter().map(|arg| (arg.name, arg.doc)).chain(op.attrs.iter().map(|attr| (attr.name, attr.doc)));
    let described: Vec<String> = described.map(|(name, doc)| format!("{name}: {doc}")).collect();
    Ok((args.chain(attrs).collect(), format!("{}\n\n{}", op.doc, described.join("\n"))))
}

/// A parameter of an operator: its name, what it is, and what is said of it.
type Described = (&'static str, &'static str, &'static str);

/// Page; documentation; arguments; attributes; how it fuses; whether it is pure; whether the virtual machine does it
/// itself.
type Entry = (&'static str, &'static str, Vec<Described>, Vec<Described>, &'static str, bool, bool);

/// The reference of a graph operator: its page; its documentation; its arguments and its attributes as `(name,
/// what it is, documentation)`; how it fuses; whether it is pure; whether the virtual machine does it itself.
#[pyfunction]
pub(crate) fn op_reference(py: Python<'_>, name: &str) -> PyResult<Entry> {
    let op = lookup(py, name)?;
    let args = op.args.iter().map(|arg| (arg.name, arg.kind.in_words(), arg.doc)).collect();
    let attrs = op.attrs.iter().map(|attr| (attr.name, attr.kind.in_words(), attr.doc)).collect();
    let by_machine = matches!(op.legalize, Legalize::Machine(_));
    let Properties { pure, fusion, .. } = op.properties;
    Ok((ops::page_of(op), op.0.doc, args, attrs, fusion.in_words(), pure, by_machine))
}

/// The names of the graph operators without `R.`.
#[pyfunction]
pub(crate) fn graph_op_names() -> Vec<&'static str> {
    ops::all().map(|op| op.0.name).collect()
}
