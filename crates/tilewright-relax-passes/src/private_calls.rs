//! Callers of functions: private functions all of whose uses are calls, and functions without calls in the module.

use std::sync::Arc;

use tilewright_expr::node::walk_some;
use tilewright_ir::analysis::used_global_vars;
use tilewright_ir::relax::{Callee, Expr, ExprKind, Function, attr_names};
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::Set;

/// The graph functions of the module that are private and that it only calls, in its order.
pub(crate) fn only_called(module: &IRModule) -> Vec<(Arc<str>, Arc<Function>)> {
    let mut values: Set<Arc<str>> = Set::default();
    let graphs = || {
        module.iter().filter_map(|(name, function)| match function {
            GlobalFunc::Relax(function) => Some((name, function)),
            GlobalFunc::Prim(_) => None,
        })
    };
    for (_, function) in graphs() {
        walk_some(&**function, |node| {
            let Some(expr) = node.downcast::<Expr>() else { return true };
            match &expr.kind {
                ExprKind::GlobalVar(global) => drop(values.insert(global.name.clone())),
                ExprKind::Call { callee: Callee::Value(callee), args, .. } => {
                    // The callee itself is no value; what it is given may be.
                    let is_name = matches!(callee.kind, ExprKind::GlobalVar(_));
                    if is_name {
                        args.iter().for_each(|arg| values_of(arg, &mut values));
                    }
                    return !is_name;
                }
                _ => {}
            }
            true
        });
    }
    let private =
        |(name, function): &(&Arc<str>, &Arc<Function>)| function.global_symbol().is_none() && !values.contains(*name);
    graphs().filter(private).map(|(name, function)| (name.clone(), function.clone())).collect()
}

fn values_of(arg: &Expr, values: &mut Set<Arc<str>>) {
    match &arg.kind {
        ExprKind::GlobalVar(global) => drop(values.insert(global.name.clone())),
        ExprKind::Tuple(fields) => fields.iter().for_each(|field| values_of(field, values)),
        _ => {}
    }
}

/// The graph functions that say how many of their parameters are inputs of a run, with that number, except for those
/// that others name: the arguments of their callers are not changed.
pub(crate) fn with_weights(module: &IRModule) -> Vec<(Arc<str>, Arc<Function>, usize)> {
    let mut named: Set<Arc<str>> = Set::default();
    for (_, function) in module.iter() {
        if let GlobalFunc::Relax(function) = function {
            named.extend(used_global_vars(&**function));
        }
    }
    let found = module.iter().filter_map(|(name, function)| {
        let GlobalFunc::Relax(function) = function else { return None };
        let inputs = usize::try_from(function.attrs.get(attr_names::NUM_INPUT)?.as_int()?).ok()?;
        (inputs <= function.params.len() && !named.contains(name)).then(|| (name.clone(), function.clone(), inputs))
    });
    found.collect()
}
