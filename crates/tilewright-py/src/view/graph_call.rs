//! Calls on the graph level, as Python sees them: an operator or function, and its arguments.
//!
//! A kind of callee in the IR is an operator here: `call_tir(f, (x, y))` is a call of the operator
//! `relax.call_tir` with the arguments `f` and the tuple `(x, y)`.

use std::sync::Arc;

use pyo3::prelude::*;
use tilewright::ir::calls::{self, TirCall, names};
use tilewright::ir::op::InferError;
use tilewright::ir::relax::{self, Callee, Expr, ExprKind, StructInfo};
use tilewright::ir::{Attr, Attrs};
use tilewright::ops;

use super::relax::infer;
use super::{Args, Field, Node, attrs, call, memory, node_of};

/// The operator and the arguments of a call.
fn parts(callee: &Callee, args: &[Expr], said: &Attrs, sinfo_args: &[StructInfo]) -> (Field, Vec<Expr>) {
    let op = |name: &str| Field::Node(Node::Op(name.into()));
    let packed = |function: Expr| vec![function, Expr::tuple(args.to_vec())];
    let with_callee = |function: Expr| std::iter::once(function).chain(args.iter().cloned()).collect();
    match callee {
        Callee::Op(def) => (op(&format!("relax.{}", def.name)), memory::shown(def.name, args, said)),
        Callee::Tir(function) if said.contains_key(names::TE_GRAD_NAME) => {
            (op("relax.call_tir_with_grad"), packed(Expr::global(function)))
        }
        Callee::Tir(function) => (op("relax.call_tir"), packed(Expr::global(function))),
        Callee::TirInplace { function, .. } => (op("relax.call_tir_inplace"), packed(Expr::global(function))),
        Callee::DpsPacked(name) => (op("relax.call_dps_packed"), packed(Expr::extern_func(name.clone()))),
        Callee::Packed(name) => {
            let function = Expr::extern_func(name.clone());
            if calls::is_said_pure(said) {
                (op("relax.call_pure_packed"), with_callee(function))
            } else if said.contains_key(names::INPLACE_INDICES) {
                (op("relax.call_inplace_packed"), with_callee(function))
            } else if calls::takes_context(said) {
                (op("relax.call_builtin_with_ctx"), packed(function))
            } else {
                (Field::relax(&function), args.to_vec())
            }
        }
        Callee::Value(function) if calls::is_said_pure(said) => {
            (op("relax.invoke_pure_closure"), packed(function.clone()))
        }
        Callee::Value(function) if !sinfo_args.is_empty() => (op("relax.invoke_closure"), packed(function.clone())),
        Callee::Value(function) => (Field::relax(function), args.to_vec()),
    }
}

pub(super) fn field(e: &Expr, name: &str) -> Option<Field> {
    let ExprKind::Call { callee, args, attrs: said, sinfo_args } = &e.kind else { return None };
    Some(match name {
        "op" => parts(callee, args, said, sinfo_args).0,
        "args" => Field::List(parts(callee, args, said, sinfo_args).1.iter().map(Field::relax).collect()),
        "attrs" => attributes(callee, said),
        "sinfo_args" if is_by_destination(callee) && sinfo_args.len() > 1 => {
            Field::list(&[StructInfo::Tuple(sinfo_args.clone())], Field::info)
        }
        "sinfo_args" => Field::list(sinfo_args, Field::info),
        _ => return None,
    })
}

/// Whether what is called fills results that the call allocates. Several results are one tuple in Python.
fn is_by_destination(callee: &Callee) -> bool {
    matches!(callee, Callee::Tir(_) | Callee::TirInplace { .. } | Callee::DpsPacked(_))
}

/// The attributes of a call, with what the callee itself says, and without what the operator says already.
fn attributes(callee: &Callee, said: &Attrs) -> Field {
    let mut shown = said.clone();
    match callee {
        Callee::TirInplace { results, .. } => {
            let argument = |result: &Option<usize>| Attr::Int(result.map_or(-1, |index| index as i64));
            shown.insert(names::INPLACE_INDICES.into(), Attr::Array(results.iter().map(argument).collect()));
        }
        Callee::Packed(_) | Callee::Value(_) => {
            shown.remove(names::PURE);
            shown.remove(names::WITH_CTX);
        }
        Callee::Op(_) | Callee::Tir(_) | Callee::DpsPacked(_) => {}
    }
    attrs::map(&shown)
}

/// The operators that call functions which fill their results.
const BY_DESTINATION: [&str; 4] =
    ["relax.call_tir", "relax.call_tir_inplace", "relax.call_tir_with_grad", "relax.call_dps_packed"];

/// `(op, args, attrs, sinfo_args)`.
pub(super) fn make(args: &Args<'_, '_>) -> PyResult<Expr> {
    let operands: Vec<Expr> = args.get(1, "args")?;
    let said = args.attrs(2, "attrs")?;
    let sinfo_args = args.get::<Option<Vec<StructInfo>>>(3, "sinfo_args")?.unwrap_or_default();
    let callee = args.object(0)?;
    if let Some(Node::Op(name)) = node_of(&callee) {
        let sinfo_args = match sinfo_args.as_slice() {
            [StructInfo::Tuple(fields)] if BY_DESTINATION.contains(&&**name) => fields.clone(),
            _ => sinfo_args,
        };
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
        Some(op) => {
            let (operands, said) = memory::read(op.name, operands, said);
            Expr::call_op(&infer(), op, operands, said)
        }
        None => Err(InferError::new(format!("there is no graph operator `{name}`"))),
    }
}

/// The parts of a cross-level call, in the form in which Python has it.
struct System<'a> {
    name: &'a str,
    function: Expr,
    /// The arguments after the function.
    rest: Vec<Expr>,
    said: Attrs,
    sinfo_args: Vec<StructInfo>,
}

fn of_system(name: &str, operands: Vec<Expr>, said: Attrs, sinfo_args: Vec<StructInfo>) -> Result<Expr, InferError> {
    let mut operands = operands.into_iter();
    let Some(function) = operands.next() else { return Err(InferError::new(format!("`{name}` needs a function"))) };
    let call = System { name, function, rest: operands.collect(), said, sinfo_args };
    match call.function.kind.clone() {
        ExprKind::GlobalVar(global) if name.starts_with("relax.call_tir") => call.of_prim_func(global),
        ExprKind::ExternFunc(symbol) if name.ends_with("_packed") || name == "relax.call_builtin_with_ctx" => {
            call.of_packed(symbol)
        }
        _ if name.starts_with("relax.invoke_") => {
            let pure = name == "relax.invoke_pure_closure";
            let (function, args) = (call.function.clone(), call.fields()?);
            Expr::invoke_closure(&infer(), function, args, call.sinfo_args, pure)
        }
        _ if let Some(op) = name.strip_prefix("relax.").and_then(ops::lookup) => {
            let operands = std::iter::once(call.function).chain(call.rest).collect();
            Expr::call_op(&infer(), op, operands, call.said)
        }
        _ => Err(InferError::new(format!("`{name}` does not call this kind of function"))),
    }
}

impl System<'_> {
    /// The fields of the one tuple after the function; a value that is no tuple is the only argument.
    fn fields(&self) -> Result<Vec<Expr>, InferError> {
        match self.rest.as_slice() {
            [] => Ok(Vec::new()),
            [tuple] if let ExprKind::Tuple(fields) = &tuple.kind => Ok(fields.clone()),
            [one] => Ok(vec![one.clone()]),
            _ => Err(InferError::new(format!("`{}` takes a function and a tuple of its arguments", self.name))),
        }
    }

    fn of_prim_func(self, global: relax::GlobalVar) -> Result<Expr, InferError> {
        let args = self.fields()?;
        let said = TirCall::of(&self.said);
        match self.name {
            "relax.call_tir_inplace" => match calls::packed_inplace(&self.said) {
                Some(results) => {
                    Expr::call_tir_inplace_with(&infer(), global, args, results, self.sinfo_args, said.tir_vars)
                }
                None => Err(self.lacks(names::INPLACE_INDICES)),
            },
            "relax.call_tir_with_grad" if said.te_grad.is_none() => Err(self.lacks(names::TE_GRAD_NAME)),
            "relax.call_tir" => {
                let said = TirCall { te_grad: None, ..said };
                Expr::call_tir_with(&infer(), global, args, self.sinfo_args, said)
            }
            _ => Expr::call_tir_with(&infer(), global, args, self.sinfo_args, said),
        }
    }

    fn of_packed(self, symbol: Arc<str>) -> Result<Expr, InferError> {
        match self.name {
            "relax.call_dps_packed" => Expr::call_dps_packed(symbol, self.fields()?, self.sinfo_args),
            "relax.call_builtin_with_ctx" => Ok(Expr::call_builtin_with_ctx(symbol, self.fields()?, self.sinfo_args)),
            "relax.call_pure_packed" => Ok(Expr::call_pure_packed(symbol, self.rest, self.sinfo_args)),
            _ => match calls::packed_inplace(&self.said) {
                Some(results) => Expr::call_inplace_packed(&infer(), symbol, self.rest, &results, self.sinfo_args),
                None => Err(self.lacks(names::INPLACE_INDICES)),
            },
        }
    }

    fn lacks(&self, attr: &str) -> InferError {
        InferError::new(format!("`{}` needs the attribute `{attr}`", self.name))
    }
}

fn of_value(callee: Expr, operands: Vec<Expr>, said: Attrs, sinfo_args: Vec<StructInfo>) -> Result<Expr, InferError> {
    match &callee.kind {
        ExprKind::ExternFunc(name) => Ok(Expr::call_packed(name.clone(), operands, sinfo_args)),
        _ if calls::is_said_pure(&said) => Expr::invoke_closure(&infer(), callee, operands, sinfo_args, true),
        _ => Expr::call_value(&infer(), callee, operands),
    }
}
