//! Effects, recursion, and what is known before a function is called.

use std::sync::Arc;

use tilewright_expr::node::{IrNode, VarId, walk, walk_some};
use tilewright_support::{Map, OrderedMap, Set};

use super::vars::{each_binding, used_global_vars, value_of};
use crate::calls::packed_inplace;
use crate::op::is_said_pure;
use crate::relax::{Callee, Expr, ExprKind, Function, StructInfo, Var, attr_names};
use crate::{Attr, GlobalFunc, IRModule};

/// The callees in `root` (a function, a sequence, an expression) that have an effect; not what closures in it would
/// call if they were called.
pub fn find_impure_call<N: IrNode>(root: &N) -> Option<String> {
    find_impure_call_but(root, None)
}

/// Whether a call in `root` has an effect. Calls of `own` count as pure: what a function calls itself is judged with
/// it.
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
            && packed_inplace(attrs).is_none()
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
        Callee::Op(op) => op.has_effect().then(|| format!("operator `{}`", op.name)),
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

/// The functions of a module by number, with the numbers of those that each names.
struct Calls<'m> {
    names: Vec<&'m Arc<str>>,
    named: Vec<Vec<usize>>,
}

impl<'m> Calls<'m> {
    fn of(module: &'m IRModule) -> Self {
        let names: Vec<&Arc<str>> = module.iter().map(|(name, _)| name).collect();
        let number: Map<&str, usize> = names.iter().enumerate().map(|(at, name)| (&***name, at)).collect();
        let named = module.iter().map(|(_, function)| match function {
            GlobalFunc::Relax(function) => {
                used_global_vars(&**function).iter().filter_map(|name| number.get(&**name).copied()).collect()
            }
            GlobalFunc::Prim(_) => Vec::new(),
        });
        Self { named: named.collect(), names }
    }

    /// Every function after those that it names, as far as there is no cycle.
    fn callees_first(&self) -> Vec<usize> {
        let (mut order, mut met) = (Vec::new(), vec![false; self.names.len()]);
        for root in 0..self.names.len() {
            // With the number of callees that have been looked at.
            let mut open = vec![(root, 0)];
            if std::mem::replace(&mut met[root], true) {
                continue;
            }
            while let Some((function, next)) = open.last_mut() {
                match self.named[*function].get(*next).copied() {
                    Some(callee) => {
                        *next += 1;
                        if !std::mem::replace(&mut met[callee], true) {
                            open.push((callee, 0));
                        }
                    }
                    None => {
                        order.push(*function);
                        open.pop();
                    }
                }
            }
        }
        order
    }

    /// For each function the number of its group: functions are in one if they reach each other. Those that reach a
    /// function are met before it where they are looked at callers first; of those the ones that it reaches are its
    /// group (Kosaraju).
    fn groups(&self) -> Vec<usize> {
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); self.names.len()];
        for (caller, callees) in self.named.iter().enumerate() {
            callees.iter().for_each(|&callee| callers[callee].push(caller));
        }
        let mut group: Vec<Option<usize>> = vec![None; self.names.len()];
        for first in self.callees_first().into_iter().rev() {
            let mut pending = vec![first];
            while let Some(function) = pending.pop() {
                if group[function].is_none() {
                    group[function] = Some(first);
                    pending.extend(&callers[function]);
                }
            }
        }
        group.into_iter().flatten().collect()
    }
}

/// The names of the module's functions, each after those that it names, unless one of these names it in turn.
pub fn callees_first(module: &IRModule) -> Vec<Arc<str>> {
    let calls = Calls::of(module);
    calls.callees_first().into_iter().map(|function| calls.names[function].clone()).collect()
}

/// The functions that call each other in a circle, each group in the order of the module. A function alone is one if it
/// calls itself.
pub fn detect_recursion(module: &IRModule) -> Vec<Vec<Arc<str>>> {
    let calls = Calls::of(module);
    let mut groups: OrderedMap<usize, Vec<usize>> = OrderedMap::default();
    for (function, group) in calls.groups().into_iter().enumerate() {
        groups.entry(group).or_default().push(function);
    }
    let is_circle = |group: &Vec<usize>| group.len() > 1 || group.iter().all(|&one| calls.named[one].contains(&one));
    let names = |group: Vec<usize>| group.into_iter().map(|function| calls.names[function].clone()).collect();
    groups.into_values().filter(is_circle).map(names).collect()
}

/// The variables that can be computed before the function is called: pure work on constants and on the parameters after
/// the first `num_input`. In program order; empty if the function has no such attribute.
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
