//! Functions of both levels, and references to them.

use std::sync::Arc;

use pyo3::prelude::*;
use tilewright::expr::Var;
use tilewright::ir::analysis::{definable_dims, erase_dims};
use tilewright::ir::relax::{Expr, Function, StructInfo};
use tilewright::ir::tir::{Buffer, Param, PrimFunc};
use tilewright::support::Origins;

use super::{Args, Field, Node, attrs, relax};
use crate::error;

pub(super) fn prim_field(func: &PrimFunc, name: &str) -> Option<Field> {
    Some(match name {
        "params" => Field::list(&func.params, |param| Field::var(&param.var)),
        "body" => Field::stmt(&func.body),
        "attrs" => attrs::map(&func.attrs),
        "buffer_map" => {
            let pair = |param: &Param| {
                let buffer = param.buffer.clone()?;
                Some((Field::var(&param.var), Field::Node(Node::Buffer(buffer))))
            };
            Field::Dict(func.params.iter().filter_map(pair).collect())
        }
        "span" => Field::None,
        "struct_info" | "struct_info_" => Field::info(&func.signature()),
        _ => return None,
    })
}

pub(super) fn field(func: &Function, name: &str) -> Option<Field> {
    Some(match name {
        "params" => Field::list(&func.params, Field::relax_var),
        "body" => Field::Node(Node::Seq(Arc::new(func.body.clone()))),
        "ret_struct_info" => Field::info(&func.ret),
        "is_pure" => Field::Bool(func.pure),
        "attrs" => attrs::map(&func.attrs),
        "span" => Field::None,
        "struct_info" | "struct_info_" => Field::info(&func.signature()),
        _ => return None,
    })
}

pub(super) fn make(args: &Args<'_, '_>) -> PyResult<Option<Node>> {
    Ok(Some(match args.kind() {
        "tir.PrimFunc" => {
            let func = prim_func(args)?;
            Node::PrimFunc(func.global_symbol().unwrap_or("main").into(), Arc::new(func))
        }
        "relax.Function" => {
            let func = function(args)?;
            Node::Function(func.global_symbol().unwrap_or("main").into(), Arc::new(func))
        }
        "ir.GlobalVar" => {
            let info: Option<StructInfo> = args.get(1, "struct_info")?;
            let name: Arc<str> = args.get(0, "name_hint")?;
            Node::Relax(match info {
                None => relax::global_var(name),
                Some(signature) => Expr::global(&tilewright::ir::relax::GlobalVar { name, signature }),
            })
        }
        _ => return Ok(None),
    }))
}

/// `(params, body, buffer_map, attrs)`: a parameter is a variable, or a buffer.
fn prim_func(args: &Args<'_, '_>) -> PyResult<PrimFunc> {
    let map = args.object(2)?;
    if !map.is_none() && (!map.hasattr("get")? || super::node_of(&map).is_some()) {
        return Err(error::wrong_type("tir.PrimFunc: argument `buffer_map` is a dict from variables to buffers", &map));
    }
    let mut params = Vec::new();
    let given = args.object(0)?;
    let items = given.try_iter().map_err(|_| {
        error::wrong_type(format_args!("{}: argument `params` is a list of variables and buffers", args.kind()), &given)
    })?;
    for object in items {
        let object = object?;
        if let Some(Node::Buffer(buffer)) = super::node_of(&object) {
            params.push(Param::buffer(buffer));
            continue;
        }
        let (items, kind) = (pyo3::types::PyTuple::new(args.py(), [&object])?, args.kind());
        let var: Var = Args::new(kind, &items).get(0, "params")?;
        let found =
            if map.is_none() { None } else { map.call_method1("get", (&object,)).ok().filter(|b| !b.is_none()) };
        let buffer: Option<Buffer> = match found {
            Some(buffer) => {
                let items = pyo3::types::PyTuple::new(args.py(), [&buffer])?;
                Some(Args::new(kind, &items).get(0, "buffer_map")?)
            }
            None => None,
        };
        params.push(Param { var, buffer });
    }
    let matched = params.iter().filter(|param| param.buffer.is_some()).count();
    if !map.is_none() && map.len()? > matched {
        let reason = "`buffer_map` has a key that is no parameter";
        return Err(super::refused(args.py(), args.kind(), reason));
    }
    let attrs = args.attrs(3, "attrs")?;
    Ok(PrimFunc { params, attrs, body: args.get(1, "body")?, origins: Origins::default() })
}

/// `(params, body, ret_struct_info, is_pure, attrs)`.
fn function(args: &Args<'_, '_>) -> PyResult<Function> {
    let body = relax::body(args, 1, "body")?;
    let ret = args.get::<Option<StructInfo>>(2, "ret_struct_info")?;
    let params: Vec<tilewright::ir::relax::Var> = args.get(0, "params")?;
    // Missing parts follow from the result, as far as the parameters' dimensions determine it.
    let ret = ret.unwrap_or_else(|| {
        let defined: Vec<_> = params.iter().flat_map(|param| definable_dims(&param.struct_info)).collect();
        erase_dims(&body.result.struct_info, &|dim| defined.contains(&dim))
    });
    Ok(Function {
        params,
        ret,
        body,
        pure: args.get(3, "is_pure")?,
        attrs: args.attrs(4, "attrs")?,
        origins: Origins::default(),
    })
}

/// A function with an attribute more, or with another value for it.
#[pyfunction]
pub(crate) fn with_attr<'py>(
    function: &Bound<'py, PyAny>,
    name: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let value = attrs::attr_of(value)?;
    changed(function, |attrs| drop(attrs.insert(name.into(), value)))
}

/// A function without an attribute.
#[pyfunction]
pub(crate) fn without_attr<'py>(function: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    changed(function, |attrs| drop(attrs.remove(name)))
}

fn changed<'py>(
    object: &Bound<'py, PyAny>,
    change: impl FnOnce(&mut tilewright::ir::Attrs),
) -> PyResult<Bound<'py, PyAny>> {
    let node = match super::node_of(object) {
        Some(Node::PrimFunc(name, func)) => {
            let mut func = (**func).clone();
            change(&mut func.attrs);
            let name = func.global_symbol().map_or_else(|| name.clone(), Into::into);
            Node::PrimFunc(name, Arc::new(func))
        }
        Some(Node::Function(name, func)) => {
            let mut func = (**func).clone();
            change(&mut func.attrs);
            let name = func.global_symbol().map_or_else(|| name.clone(), Into::into);
            Node::Function(name, Arc::new(func))
        }
        _ => return Err(error::wrong_type("expected a function", object)),
    };
    super::wrap(object.py(), node)
}
