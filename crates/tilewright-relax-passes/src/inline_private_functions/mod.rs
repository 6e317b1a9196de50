//! `InlinePrivateFunctions`: calls of private Relax functions become their bodies.
//!
//! A function that can reach itself stays, and so does one with attributes of its own: they mean that someone treats
//! the function as a whole. A private function without remaining uses is removed.
//!
//! The checks of the call remain: an argument that is not known to have the parameter's struct info goes through
//! `R.match_cast`. A call stays if the arguments do not determine a symbolic dimension of the callee.

mod renewed;

use std::sync::Arc;

use tilewright_ir::analysis::{detect_recursion, used_global_vars};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingValue, Callee, ExprKind, Function};
use tilewright_ir::verify::Form;
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::{Diagnostic, Diagnostics, Map, Set, with_stack};

use crate::normalize::normalized;
use crate::sequence::{Rebuild, rebuild};

/// Inlines private functions at their calls.
#[derive(Clone, Copy, Debug)]
pub struct InlinePrivateFunctions;

const NAME: &str = "InlinePrivateFunctions";

impl Pass for InlinePrivateFunctions {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 1, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut inline = Inline { bodies: bodies(&module) };
        // Bodies to inline need no inlining themselves, unless they stay because that was not possible everywhere.
        let others = with_bodies(&module, &mut inline, Candidates::Stay)?;
        let module = without_unused(others, &inline.bodies);
        let module = with_bodies(&module, &mut inline, Candidates::Change)?;
        Ok(without_unused(module, &inline.bodies))
    }
}

/// The inlinable functions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Candidates {
    Stay,
    Change,
}

fn with_bodies(module: &IRModule, inline: &mut Inline, candidates: Candidates) -> Result<IRModule, PassError> {
    let mut changed = module.clone();
    let mut diagnostics = Diagnostics::default();
    for (name, function) in module.iter() {
        if let GlobalFunc::Relax(function) = function
            && inline.bodies.contains_key(name) == (candidates == Candidates::Change)
        {
            let function = normalized(function);
            let body = rebuild(&function.body, inline, &mut diagnostics);
            changed.insert(name.clone(), Function { body, ..function });
        }
    }
    if diagnostics.has_errors() { Err(PassError { pass: NAME, diagnostics }) } else { Ok(changed) }
}

/// The inlinable functions, normalised.
fn bodies(module: &IRModule) -> Map<Arc<str>, Arc<Function>> {
    let recursive: Set<Arc<str>> = detect_recursion(module).into_iter().flatten().collect();
    let wanted = |function: &Function| function.attrs.is_empty() && function.global_symbol().is_none();
    module
        .iter()
        .filter_map(|(name, function)| match function {
            GlobalFunc::Relax(function) if wanted(function) && !recursive.contains(name) => {
                Some((name.clone(), Arc::new(normalized(function))))
            }
            _ => None,
        })
        .collect()
}

/// The module without unused functions among those.
fn without_unused(mut module: IRModule, candidates: &Map<Arc<str>, Arc<Function>>) -> IRModule {
    let callees: Map<Arc<str>, Vec<Arc<str>>> = module
        .iter()
        .filter_map(|(name, function)| match function {
            GlobalFunc::Relax(function) => Some((name.clone(), used_global_vars(&**function))),
            GlobalFunc::Prim(_) => None,
        })
        .collect();
    let mut callers: Map<Arc<str>, usize> = Map::default();
    callees.values().flatten().for_each(|name| *callers.entry(name.clone()).or_default() += 1);
    let unused = |name: &&Arc<str>| candidates.contains_key(*name) && !callers.contains_key(*name);
    let mut pending: Vec<Arc<str>> = callees.keys().filter(unused).cloned().collect();
    while let Some(name) = pending.pop() {
        module.remove(&name);
        for callee in callees.get(&name).into_iter().flatten() {
            let left = callers.get_mut(callee).map_or(0, |left| {
                *left -= 1;
                *left
            });
            if left == 0 && candidates.contains_key(callee) {
                pending.push(callee.clone());
            }
        }
    }
    module
}

struct Inline {
    bodies: Map<Arc<str>, Arc<Function>>,
}

impl Rebuild for Inline {
    fn binding(&mut self, binding: Binding, dataflow: bool, out: &mut Vec<Binding>) -> Result<(), Box<Diagnostic>> {
        let Some(inlined) = self.inlined(&binding, dataflow) else {
            out.push(binding);
            return Ok(());
        };
        // The body may call others.
        for inner in inlined {
            with_stack(|| self.binding(inner, dataflow, out))?;
        }
        Ok(())
    }
}

impl Inline {
    /// The bindings that replace a call of a private function.
    fn inlined(&self, binding: &Binding, dataflow: bool) -> Option<Vec<Binding>> {
        let BindingValue::Expr(value) = &binding.value else { return None };
        let ExprKind::Call { callee: Callee::Value(callee), args, sinfo_args, .. } = &value.kind else { return None };
        if !sinfo_args.is_empty() {
            return None;
        }
        let ExprKind::GlobalVar(global) = &callee.kind else { return None };
        let function = self.bodies.get(&global.name)?;
        let mut bindings = renewed::body(function, args, dataflow)?;
        for inner in &mut bindings.0 {
            inner.origins = inner.origins.merge(&binding.origins);
        }
        bindings.0.push(Binding { value: BindingValue::Expr(bindings.1), ..binding.clone() });
        Some(bindings.0)
    }
}
