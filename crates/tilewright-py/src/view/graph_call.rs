//! Calls on the graph level, as Python sees them: an operator or function, and its arguments.
//!
//! What is a kind of callee in the IR is an operator here: `call_tir(f, (x, y))` is a call of the operator
//! `relax.call_tir` with the arguments `f` and the tuple `(x, y)`.

use std::sync::Arc;

use pyo3::prelude::*;
use tilewright::ir::Attrs;
use tilewright::ir::op::InferError;
use tilewright::ir::relax::{Callee, Expr, ExprKind, GlobalVar, StructInfo};
use tilewright::ops;

use super::relax::infer;
use super::{Args, Field, Node, attrs, call, node_of};

/// The operator and the arguments of a call.
fn parts(callee: &Callee, args: &[Expr], said: &Attrs) -> (Field, Vec<Expr>) {
    let op = |name: &str| Field::Node(Node::Op(name.into()));
    let packed = |function: Expr| vec![function, Expr::tuple(args.to_vec())];
    match callee {
        Callee::Op(def) => (op(&format!("relax.{}", def.name)), args.to_vec()),
        Callee::Tir(function) => (op("relax.call_tir"), packed(Expr::global(function))),
        Callee::TirInplace { function, .. } => (op("relax.call_tir_inplace"), packed(Expr::global(function))),
        Callee::DpsPacked(name) => (op("relax.call_dps_packed"), packed(Expr::extern_func(name.clone()))),
        Callee::Packed(name) => (Field::relax(&Expr::extern_func(name.clone())), args.to_vec()),
        Callee::Value(function) if tilewright::ir::op::is_said_pure(said) => {
            (op("relax.invoke_pure_closure"), packed(function.clone()))
        }
        Callee::Value(function) => (Field::relax(function), args.to_vec()),
    }
}

pub(super) fn field(e: &Expr, name: &str) -> Option<Field> {
    let ExprKind::Call { callee, args, attrs: said, sinfo_args } = &e.kind else { return None };
    Some(match name {
        "op" => parts(callee, args, said).0,
        "args" => Field::List(parts(callee, args, said).1.iter().map(Field::relax).collect()),
        "attrs" => attributes(callee, said),
        "sinfo_args" => Field::list(sinfo_args, Field::info),
        _ => return None,
    })
}

/// The attributes of a call, with what the callee itself says.
fn attributes(callee: &Callee, said: &Attrs) -> Field {
    match callee {
        Callee::TirInplace { results, .. } => {
            let indices = Field::list(results, |result| Field::Int(result.map_or(-1, |index| index as i64)));
            Field::Dict(vec![(Field::text("inplace_indices"), indices)])
        }
        _ => attrs::map(said),
    }
}

/// `(op, args, attrs, sinfo_args)`.
pub(super) fn make(args: &Args<'_, '_>) -> PyResult<Expr> {
    let operands: Vec<Expr> = args.get(1, "args")?;
    let said = attrs::attrs_of(&args.object(2)?)?;
    let sinfo_args = args.get::<Option<Vec<StructInfo>>>(3, "sinfo_args")?.unwrap_or_default();
    let callee = args.object(0)?;
    if let Some(Node::Op(name)) = node_of(&callee) {
        return args.made(of_op(name, operands, said, sinfo_args));
    }
    let callee: Expr = args.get(0, "op")?;
    args.made(of_value(callee, operands, said, sinfo_args))
}

/// A call of the operator of this full name.
fn of_op(name: &Arc<str>, operands: Vec<Expr>, said: Attrs, sinfo_args: Vec<StructInfo>) -> Result<Expr, InferError> {
    if call::SYSTEM.contains(&&**name) {
        return of_system(name, operands, said, sinfo_args);
    }
    match name.strip_prefix("relax.").and_then(ops::lookup) {
        Some(op) => Expr::call_op(&infer(), op, operands, said),
        None => Err(InferError::new(format!("there is no graph operator `{name}`"))),
    }
}

/// The functions and tuples of a cross-level call.
fn of_system(name: &str, operands: Vec<Expr>, said: Attrs, sinfo_args: Vec<StructInfo>) -> Result<Expr, InferError> {
    let mut operands = operands.into_iter();
    let Some(function) = operands.next() else { return Err(InferError::new(format!("`{name}` needs a function"))) };
    let arguments = match operands.next() {
        None => Vec::new(),
        Some(tuple) => match &tuple.kind {
            ExprKind::Tuple(fields) => fields.clone(),
            _ => vec![tuple],
        },
    };
    match (name, &function.kind) {
        ("relax.call_tir", ExprKind::GlobalVar(global)) => {
            Expr::call_tir(&infer(), known(global), arguments, sinfo_args)
        }
        ("relax.call_tir_inplace", ExprKind::GlobalVar(global)) => {
            let results = match said.get("inplace_indices").and_then(tilewright::ir::Attr::as_ints) {
                Some(indices) => indices.into_iter().map(|index| usize::try_from(index).ok()).collect(),
                None => return Err(InferError::new("`relax.call_tir_inplace` needs `inplace_indices`")),
            };
            Expr::call_tir_inplace(&infer(), known(global), arguments, results, sinfo_args)
        }
        ("relax.call_dps_packed", ExprKind::ExternFunc(symbol)) => {
            Expr::call_dps_packed(symbol.clone(), arguments, sinfo_args)
        }
        ("relax.invoke_closure" | "relax.invoke_pure_closure", _) => {
            let pure = name == "relax.invoke_pure_closure";
            Expr::invoke_closure(&infer(), function, arguments, sinfo_args, pure)
        }
        _ => Err(InferError::new(format!("`{name}` does not call this kind of function"))),
    }
}

fn known(global: &GlobalVar) -> GlobalVar {
    global.clone()
}

fn of_value(callee: Expr, operands: Vec<Expr>, said: Attrs, sinfo_args: Vec<StructInfo>) -> Result<Expr, InferError> {
    match &callee.kind {
        ExprKind::ExternFunc(name) => Ok(Expr::call_packed(name.clone(), operands, sinfo_args)),
        _ if tilewright::ir::op::is_said_pure(&said) => {
            Expr::invoke_closure(&infer(), callee, operands, sinfo_args, true)
        }
        _ => Expr::call_value(&infer(), callee, operands),
    }
}
