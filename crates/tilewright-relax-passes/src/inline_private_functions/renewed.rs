//! A copy of a function's body with variables and symbolic dimensions of its own, and arguments for its parameters.

use tilewright_expr as scalar;
use tilewright_expr::node::{VarId, rewrite, walk};
use tilewright_ir::op::{DimBindings, InferCx, check_against};
use tilewright_ir::relax::{Binding, BindingValue, Expr, ExprKind, Function, StructInfo, Var};
use tilewright_support::{Map, Origins, Set};

/// The bindings of the body and its result, for these arguments; nothing if a symbolic dimension cannot be told from
/// them.
pub(super) fn body(function: &Function, args: &[Expr], dataflow: bool) -> Option<(Vec<Binding>, Expr)> {
    let dims = dims(function, args)?;
    let function = with_dims(function, &dims);
    let function = with_variables(&function, dataflow);
    let (casts, values) = arguments(&function, args, dataflow)?;
    let value = |e: &Expr| match &e.kind {
        ExprKind::Var(var) => values.get(&var.id()).cloned(),
        // The tuple may be the value of a parameter.
        ExprKind::TupleGet { tuple, index } => match &tuple.kind {
            ExprKind::Tuple(fields) => fields.get(*index).cloned(),
            _ => None,
        },
        _ => None,
    };
    let body = rewrite(&function.body, value).unwrap_or_else(|| function.body.clone());
    let bindings = body.blocks.into_iter().flat_map(|block| block.bindings);
    Some((casts.into_iter().chain(bindings).collect(), body.result))
}

/// The values of the function's symbolic dimensions, from the arguments.
fn dims(function: &Function, args: &[Expr]) -> Option<DimBindings> {
    let params: Vec<StructInfo> = function.params.iter().map(|param| param.struct_info.clone()).collect();
    let infos: Vec<&StructInfo> = args.iter().map(|arg| &arg.struct_info).collect();
    let mut dims = check_against(&InferCx::default(), "the function", &params, &infos).ok()?;
    for (param, arg) in params.iter().zip(&infos) {
        if let StructInfo::Prim { value: Some(value), .. } = param
            && let Some(var) = value.as_var()
            && !dims.iter().any(|(known, _)| known == var)
        {
            let StructInfo::Prim { value: Some(given), .. } = arg else { return None };
            dims.push((var.clone(), given.clone()));
        }
    }
    Some(dims)
}

/// The function with the caller's dimensions, and new ones where the caller does not tell them.
fn with_dims(function: &Function, dims: &DimBindings) -> Function {
    let mut fresh: Map<VarId, scalar::Var> = Map::default();
    let change = |expr: &scalar::Expr| {
        let var = expr.as_var()?;
        Some(match dims.iter().find(|(known, _)| known == var) {
            Some((_, value)) => value.clone(),
            None => scalar::Expr::var(fresh.entry(var.id()).or_insert_with(|| var.renewed())),
        })
    };
    rewrite(function, change).unwrap_or_else(|| function.clone())
}

/// The function with new variables: those of its own blocks of the sort that the caller's block has.
fn with_variables(function: &Function, dataflow: bool) -> Function {
    let bound = |binding: &Binding| binding.var.id();
    let own: Set<VarId> = function.body.blocks.iter().flat_map(|block| &block.bindings).map(bound).collect();
    let params: Set<VarId> = function.params.iter().map(Var::id).collect();
    let mut fresh: Map<VarId, Var> = Map::default();
    let change = |var: &Var| {
        let renew = || {
            let (name, info) = (var.name.clone(), var.struct_info.clone());
            match if own.contains(&var.id()) { dataflow } else { var.dataflow } {
                true => Var::dataflow(name, info),
                false => Var::new(name, info),
            }
        };
        (!params.contains(&var.id())).then(|| fresh.entry(var.id()).or_insert_with(renew).clone())
    };
    let body = rewrite(&function.body, change).unwrap_or_else(|| function.body.clone());
    Function { body, ..function.clone() }
}

/// The value of each parameter, after the checks that it needs.
fn arguments(function: &Function, args: &[Expr], dataflow: bool) -> Option<(Vec<Binding>, Map<VarId, Expr>)> {
    let (mut casts, mut values) = (Vec::new(), Map::default());
    let mut open: Vec<(&Var, &Expr)> = Vec::new();
    for (param, arg) in function.params.iter().zip(args) {
        match &param.struct_info {
            StructInfo::Tensor { .. } | StructInfo::Shape(_) | StructInfo::Tuple(_)
                if !param.struct_info.equal(&arg.struct_info) =>
            {
                open.push((param, arg));
            }
            _ => drop(values.insert(param.id(), arg.clone())),
        }
    }
    let mut known: Set<VarId> = Set::default();
    args.iter().for_each(|arg| known.extend(mentioned(&arg.struct_info)));
    // Those first that define the dimensions that others compute with.
    while !open.is_empty() {
        let ready = open.iter().position(|(param, _)| {
            let defined = bare(&param.struct_info);
            mentioned(&param.struct_info).iter().all(|dim| known.contains(dim) || defined.contains(dim))
        })?;
        let (param, arg) = open.remove(ready);
        let struct_info = param.struct_info.clone();
        known.extend(bare(&struct_info));
        let name = param.name.clone();
        let var = if dataflow { Var::dataflow(name, struct_info.clone()) } else { Var::new(name, struct_info.clone()) };
        values.insert(param.id(), Expr::var(&var));
        let value = BindingValue::MatchCast { value: arg.clone(), struct_info };
        casts.push(Binding { value, var, origins: Origins::default() });
    }
    Some((casts, values))
}

fn mentioned(info: &StructInfo) -> Vec<VarId> {
    let mut found = Vec::new();
    walk(info, |var: &scalar::Var| found.push(var.id()));
    found
}

/// The dimensions that are bare variables: a value of this info determines them.
fn bare(info: &StructInfo) -> Vec<VarId> {
    match info {
        StructInfo::Tuple(fields) => fields.iter().flat_map(bare).collect(),
        _ => info.dims().unwrap_or_default().iter().filter_map(|dim| Some(dim.as_var()?.id())).collect(),
    }
}
