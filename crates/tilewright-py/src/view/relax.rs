//! Graph expressions, bindings and blocks of bindings.

use std::sync::Arc;

use pyo3::prelude::*;
use tilewright::DataType;
use tilewright::expr::Expr as Scalar;
use tilewright::ir::op::InferCx;
use tilewright::ir::relax::{
    Binding, BindingBlock, BindingValue, Constant, Expr, ExprKind, Function, GlobalVar, SeqExpr, StructInfo, Var,
};
use tilewright::support::Origins;

use super::{Args, Field, Node, info};

pub(super) fn kind_of(e: &Expr) -> &'static str {
    match &e.kind {
        ExprKind::Var(var) if var.dataflow => "relax.DataflowVar",
        ExprKind::Var(_) => "relax.Var",
        ExprKind::GlobalVar(_) => "ir.GlobalVar",
        ExprKind::ExternFunc(_) => "relax.ExternFunc",
        ExprKind::Constant(_) => "relax.Constant",
        ExprKind::Call { .. } => "relax.Call",
        ExprKind::Tuple(_) => "relax.Tuple",
        ExprKind::TupleGet { .. } => "relax.TupleGetItem",
        ExprKind::Shape(_) => "relax.ShapeExpr",
        ExprKind::Prim(_) => "relax.PrimValue",
        ExprKind::Str(_) => "relax.StringImm",
        ExprKind::DType(_) => "relax.DataTypeImm",
        ExprKind::If { .. } => "relax.If",
        ExprKind::Function(_) => "relax.Function",
    }
}

pub(super) fn field(e: &Expr, name: &str) -> Option<Field> {
    Some(match (&e.kind, name) {
        (_, "span") => Field::None,
        (ExprKind::Function(function), _) => return super::function::field(function, name),
        (_, "struct_info_" | "struct_info") => Field::info(&e.struct_info),
        (ExprKind::Var(var), "name_hint") => Field::text(var.name.clone()),
        (ExprKind::GlobalVar(global), "name_hint") => Field::text(global.name.clone()),
        (ExprKind::ExternFunc(name), "global_symbol") => Field::text(name.clone()),
        (ExprKind::ExternFunc(_), "attrs") => Field::Dict(Vec::new()),
        (ExprKind::Constant(Constant(tensor)), "data") => Field::Tensor(tensor.clone()),
        (ExprKind::Call { .. }, "op" | "args" | "attrs" | "sinfo_args") => return super::graph_call::field(e, name),
        (ExprKind::Tuple(fields), "fields") => Field::list(fields, Field::relax),
        (ExprKind::TupleGet { tuple, .. }, "tuple_value") => Field::relax(tuple),
        (ExprKind::TupleGet { index, .. }, "index") => Field::Int(*index as i64),
        (ExprKind::Shape(dims), "values") => Field::scalars(dims),
        (ExprKind::Prim(value), "value") => Field::scalar(value),
        (ExprKind::Str(text), "value") => Field::text(text.clone()),
        (ExprKind::DType(dtype), "value") => Field::dtype(*dtype),
        (ExprKind::If { condition, .. }, "cond") => Field::relax(condition),
        (ExprKind::If { then, .. }, "true_branch") => Field::Node(Node::Seq(Arc::new(then.clone()))),
        (ExprKind::If { otherwise, .. }, "false_branch") => Field::Node(Node::Seq(Arc::new(otherwise.clone()))),
        _ => return None,
    })
}

pub(super) fn binding_kind(binding: &Binding) -> &'static str {
    match binding.value {
        BindingValue::Expr(_) => "relax.VarBinding",
        BindingValue::MatchCast { .. } => "relax.MatchCast",
    }
}

pub(super) fn binding_field(binding: &Binding, name: &str) -> Option<Field> {
    Some(match (&binding.value, name) {
        (_, "span") => Field::None,
        (_, "var") => Field::relax_var(&binding.var),
        (BindingValue::Expr(value) | BindingValue::MatchCast { value, .. }, "value") => Field::relax(value),
        (BindingValue::MatchCast { struct_info, .. }, "struct_info") => Field::info(struct_info),
        _ => return None,
    })
}

pub(super) fn block_kind(block: &BindingBlock) -> &'static str {
    if block.dataflow { "relax.DataflowBlock" } else { "relax.BindingBlock" }
}

pub(super) fn block_field(block: &BindingBlock, name: &str) -> Option<Field> {
    match name {
        "bindings" => {
            Some(Field::list(&block.bindings, |binding| Field::Node(Node::Binding(Arc::new(binding.clone())))))
        }
        "span" => Some(Field::None),
        _ => None,
    }
}

pub(super) fn seq_field(seq: &SeqExpr, name: &str) -> Option<Field> {
    Some(match name {
        "blocks" => Field::list(&seq.blocks, |block| Field::Node(Node::BindingBlock(Arc::new(block.clone())))),
        "body" => Field::relax(&seq.result),
        "struct_info" | "struct_info_" => Field::info(&seq.result.struct_info),
        "span" => Field::None,
        _ => return None,
    })
}

/// A function as a value.
pub(super) fn function_value(function: &Arc<Function>) -> Expr {
    Expr::raw(function.signature(), ExprKind::Function(Box::new((**function).clone())))
}

/// A function value as the function that it is; another expression stays itself.
pub(super) fn plain(expr: Expr) -> Node {
    match &expr.kind {
        ExprKind::Function(function) => {
            let name = function.global_symbol().unwrap_or("function").into();
            Node::Function(name, Arc::new((**function).clone()))
        }
        _ => Node::Relax(expr),
    }
}

/// An expression as the body of a function or branch: bindings stay, an expression alone has none.
pub(super) fn body(args: &Args<'_, '_>, i: usize, name: &str) -> PyResult<SeqExpr> {
    match super::node_of(&args.object(i)?) {
        Some(Node::Seq(seq)) => Ok((**seq).clone()),
        _ => Ok(SeqExpr { blocks: Vec::new(), result: args.get(i, name)? }),
    }
}

pub(super) fn make(args: &Args<'_, '_>) -> PyResult<Option<Node>> {
    let expr = match args.kind() {
        "relax.Var" => Expr::var(&Var::new(args.get::<Arc<str>>(0, "name_hint")?, struct_info(args, 1)?)),
        "relax.DataflowVar" => Expr::var(&Var::dataflow(args.get::<Arc<str>>(0, "name_hint")?, struct_info(args, 1)?)),
        "relax.ExternFunc" => match args.get::<Option<StructInfo>>(1, "struct_info")? {
            None => Expr::extern_func(args.get::<Arc<str>>(0, "global_symbol")?),
            Some(info) => Expr::raw(info, ExprKind::ExternFunc(args.get(0, "global_symbol")?)),
        },
        "relax.Constant" => Expr::constant(args.get(0, "data")?),
        "relax.Call" => super::graph_call::make(args)?,
        "relax.Tuple" => Expr::tuple(args.get(0, "fields")?),
        "relax.TupleGetItem" => {
            let index: i64 = args.get(1, "index")?;
            let index = usize::try_from(index).map_err(|_| format!("a field has a number from 0 on, found {index}"));
            args.made(Expr::tuple_get(args.get(0, "tuple_value")?, args.made(index)?))?
        }
        "relax.ShapeExpr" => Expr::shape(args.made(info::dims(args.get(0, "values")?))?),
        "relax.PrimValue" => prim(args)?,
        "relax.StringImm" => Expr::str(args.get::<Arc<str>>(0, "value")?),
        "relax.DataTypeImm" => Expr::dtype_value(args.get::<DataType>(0, "value")?),
        "relax.If" => {
            let (then, otherwise) = (body(args, 1, "true_branch")?, body(args, 2, "false_branch")?);
            args.made(Expr::conditional(args.get(0, "cond")?, then, otherwise))?
        }
        "relax.VarBinding" => {
            let binding = Binding::new(args.get(0, "var")?, args.get(1, "value")?, Origins::default());
            return Ok(Some(Node::Binding(Arc::new(binding))));
        }
        "relax.MatchCast" => {
            let value =
                BindingValue::MatchCast { value: args.get(1, "value")?, struct_info: args.get(2, "struct_info")? };
            let binding = Binding { value, var: args.get(0, "var")?, origins: Origins::default() };
            return Ok(Some(Node::Binding(Arc::new(binding))));
        }
        "relax.BindingBlock" | "relax.DataflowBlock" => {
            let bindings = args.get::<Vec<Arc<Binding>>>(0, "bindings")?;
            let bindings = bindings.iter().map(|binding| (**binding).clone()).collect();
            let dataflow = args.kind() == "relax.DataflowBlock";
            return Ok(Some(Node::BindingBlock(Arc::new(BindingBlock { dataflow, bindings }))));
        }
        "relax.SeqExpr" => {
            let blocks = args.get::<Vec<Arc<BindingBlock>>>(0, "blocks")?;
            let blocks = blocks.iter().map(|block| (**block).clone()).collect();
            return Ok(Some(Node::Seq(Arc::new(SeqExpr { blocks, result: args.get(1, "body")? }))));
        }
        _ => return Ok(None),
    };
    Ok(Some(Node::Relax(expr)))
}

/// The struct info that the caller gives; without it, anything.
fn struct_info(args: &Args<'_, '_>, i: usize) -> PyResult<StructInfo> {
    Ok(args.get::<Option<StructInfo>>(i, "struct_info")?.unwrap_or(StructInfo::Object))
}

/// Plain integers are int64, plain floats float64.
fn prim(args: &Args<'_, '_>) -> PyResult<Expr> {
    let value: Scalar = args.get(0, "value")?;
    args.made(info::no_text(&value))?;
    let value = match value.as_int() {
        Some(number) if super::node_of(&args.object(0)?).is_none() && !value.dtype.is_bool() => Scalar::i64(number),
        _ if super::node_of(&args.object(0)?).is_none() && value.dtype.is_float() => {
            args.made(value.cast(DataType::F64))?
        }
        _ => value,
    };
    Ok(Expr::prim(value))
}

/// A reference to a function by name alone: nothing is known of its signature.
pub(super) fn global_var(name: Arc<str>) -> Expr {
    let signature = StructInfo::Func { params: None, ret: Box::new(StructInfo::Object), pure: false };
    Expr::global(&GlobalVar { name, signature })
}

/// The context of inference when an expression is made by itself: no facts about dimensions.
pub(super) fn infer() -> InferCx {
    InferCx::default()
}
