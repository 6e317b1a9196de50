//! Effects, recursion, and what is known before a function is called.

use std::sync::Arc;

use tilewright_expr::node::{IrNode, VarId, walk, walk_some};
use tilewright_support::{OrderedMap, Set};

use super::vars::{each_binding, used_global_vars, value_of};
use crate::calls::packed_places;
use crate::op::is_said_pure;
use crate::relax::{Callee, Expr, ExprKind, Function, StructInfo, Var, attr_names};
use crate::{Attr, GlobalFunc, IRModule};

/// What is called in `root` (a function, a sequence, an expression) that has an effect; not what closures in it would
/// call if they were called.
pub fn find_impure_call<N: IrNode>(root: &N) -> Option<String> {
    find_impure_call_but(root, None)
}

/// Whether a call in `root` has an effect. Calls of `own` count as pure: what a function calls itself is judged with it.
pub fn contains_impure_call<N: IrNode>(root: &N, own: Option<&Var>) -> bool {
    find_impure_call_but(root, own).is_some()
}

fn find_impure_call_but<N: IrNode>(root: &N, own: Option<&Var>) -> Option<String> {
    let mut found = None;
    walk_some(root, |node| {
        let Some(expr) = node.downcast::<Expr>() else { return false };
        if let ExprKind::Call { callee, attrs, .. } = &expr.kind
            && found.is_none()
            && !is_said_pure(attrs)
            && packed_places(attrs).is_none()
        {
            found = impure_callee(callee, own);
        }
        found.is_none() && !matches!(expr.kind, ExprKind::Function(_))
    });
    found
}

/// The callee in words, if calling it has an effect.
fn impure_callee(callee: &Callee, own: Option<&Var>) -> Option<String> {
    match callee {
        Callee::Op(op) => (!op.properties.pure).then(|| format!("operator `{}`", op.name)),
        Callee::Tir(_) | Callee::TirInplace { .. } | Callee::DpsPacked(_) => None,
        Callee::Packed(name) => Some(format!("packed function `{name}`")),
        Callee::Value(function) => {
            let pure = matches!(function.struct_info, StructInfo::Func { pure: true, .. });
            if pure || (own.is_some() && function.as_var() == own) {
                return None;
            }
            Some(match &function.kind {
                ExprKind::GlobalVar(global) => format!("`{}`", global.name),
                ExprKind::Var(var) => format!("`{}`", var.name),
                _ => "a function value".to_owned(),
            })
        }
    }
}

/// The functions that call each other in a circle, each group in the order of the module. A function alone is one if it
/// calls itself.
pub fn detect_recursion(module: &IRModule) -> Vec<Vec<Arc<str>>> {
    let calls: OrderedMap<Arc<str>, Vec<Arc<str>>> = module
        .iter()
        .map(|(name, function)| match function {
            GlobalFunc::Relax(function) => (name.clone(), used_global_vars(&**function)),
            GlobalFunc::Prim(_) => (name.clone(), Vec::new()),
        })
        .collect();
    let reached: OrderedMap<&Arc<str>, Set<&str>> = calls.keys().map(|name| (name, reachable(&calls, name))).collect();
    let mut groups: Vec<Vec<Arc<str>>> = Vec::new();
    for (name, reach) in &reached {
        if !reach.contains(&***name) || groups.iter().flatten().any(|known| known == *name) {
            continue;
        }
        let together = |other: &&Arc<str>| {
            reach.contains(&***other) && reached.get(*other).is_some_and(|back| back.contains(&***name))
        };
        groups.push(calls.keys().filter(together).cloned().collect());
    }
    groups
}

/// What a function calls, directly or not.
fn reachable<'c>(calls: &'c OrderedMap<Arc<str>, Vec<Arc<str>>>, from: &str) -> Set<&'c str> {
    let mut found: Set<&str> = Set::default();
    let mut todo: Vec<&str> = calls.get(from).into_iter().flatten().map(|name| &**name).collect();
    while let Some(name) = todo.pop() {
        if found.insert(name) {
            todo.extend(calls.get(name).into_iter().flatten().map(|name| &**name));
        }
    }
    found
}

/// The variables that can be computed before the function is called: pure work on constants and on the parameters behind
/// the first `num_input`. In the order of the text; empty where the function has no such attribute.
pub fn computable_at_compile_time(function: &Function) -> Vec<Var> {
    let inputs = function.attrs.get(attr_names::NUM_INPUT).and_then(Attr::as_int);
    let Some(inputs) = inputs else { return Vec::new() };
    let inputs = usize::try_from(inputs).unwrap_or(0);
    let mut known: Set<VarId> = function.params.iter().skip(inputs).map(Var::id).collect();
    let dims: Vec<_> =
        function.params.iter().skip(inputs).flat_map(|p| super::definable_dims(&p.struct_info)).collect();
    let mut found = Vec::new();
    each_binding(&function.body, &mut |binding| {
        let mut computable = find_impure_call(&binding.value).is_none();
        walk(&binding.value, |var: &Var| computable &= known.contains(&var.id()));
        walk(value_of(binding), |dim: &tilewright_expr::Var| computable &= dims.contains(&dim));
        if computable {
            known.insert(binding.var.id());
            found.push(binding.var.clone());
        }
    });
    found
}
