//! `InlinePrivateFunctions`: calls of private Relax functions become their bodies.
//!
//! A function that can reach itself stays, and so does one with attributes of its own: they mean that someone treats the
//! function as a whole. A private function that nothing mentions any more goes.
//!
//! What the call would check is still checked: where an argument is not known to be what the parameter says, it goes
//! through `R.match_cast`. A call of which a symbolic dimension of the callee cannot be told so stays a call.

mod renewed;

use std::sync::Arc;

use tilewright_expr::node::walk;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, Function, GlobalVar};
use tilewright_ir::verify::Form;
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::{Diagnostic, Map, Set, with_stack};

use crate::normalize::normalized;
use crate::sequence::{Rebuild, map_functions, rebuild};

/// Puts the bodies of private functions where they are called.
#[derive(Clone, Copy, Debug)]
pub struct InlinePrivateFunctions;

const NAME: &str = "InlinePrivateFunctions";

impl Pass for InlinePrivateFunctions {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 1, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut inline = Inline { bodies: bodies(&module) };
        let mut module = map_functions(NAME, &module, |function, diagnostics| {
            let function = normalized(function);
            Function { body: rebuild(&function.body, &mut inline, diagnostics), ..function }
        })?;
        while let Some(unused) = unused(&module, &inline.bodies) {
            module.remove(&unused);
        }
        Ok(module)
    }
}

/// The functions that can be put where they are called, normalised.
fn bodies(module: &IRModule) -> Map<Arc<str>, Arc<Function>> {
    let wanted = |function: &Function| function.attrs.is_empty() && function.global_symbol().is_none();
    module
        .iter()
        .filter_map(|(name, function)| match function {
            GlobalFunc::Relax(function) if wanted(function) && !reaches_itself(module, name, function) => {
                Some((name.clone(), Arc::new(normalized(function))))
            }
            _ => None,
        })
        .collect()
}

fn reaches_itself(module: &IRModule, name: &Arc<str>, function: &Function) -> bool {
    let mut reached: Set<Arc<str>> = Set::default();
    let mut pending = mentioned(function);
    while let Some(next) = pending.pop() {
        if reached.insert(next.clone())
            && let Some(function) = module.relax(&next)
        {
            pending.extend(mentioned(function));
        }
    }
    reached.contains(name)
}

/// The Relax functions that a function names.
fn mentioned(function: &Function) -> Vec<Arc<str>> {
    let mut names = Vec::new();
    walk(function, |expr: &Expr| {
        if let ExprKind::GlobalVar(GlobalVar { name, .. }) = &expr.kind {
            names.push(name.clone());
        }
    });
    names
}

/// One of the functions that no function names.
fn unused(module: &IRModule, candidates: &Map<Arc<str>, Arc<Function>>) -> Option<Arc<str>> {
    let mut used: Set<Arc<str>> = Set::default();
    for (_, function) in module.iter() {
        if let GlobalFunc::Relax(function) = function {
            used.extend(mentioned(function));
        }
    }
    module.iter().map(|(name, _)| name).find(|name| candidates.contains_key(*name) && !used.contains(*name)).cloned()
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
    /// The bindings that stand for one that calls a private function.
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
