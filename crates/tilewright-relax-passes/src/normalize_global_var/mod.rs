//! `NormalizeGlobalVar`: a visible function has one name, inside the module and outside.
//!
//! A function whose symbol is not its name is renamed, and so are all references to it. A private function that has the
//! wanted name gets another.

use std::sync::Arc;

use tilewright_expr::node::rewrite;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Callee, Expr, ExprKind, Function, GlobalVar};
use tilewright_ir::verify::Form;
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::Map;

/// Renames functions to their symbols.
#[derive(Clone, Copy, Debug)]
pub struct NormalizeGlobalVar;

const NAME: &str = "NormalizeGlobalVar";

impl Pass for NormalizeGlobalVar {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let names = names(&module);
        if names.iter().all(|(old, new)| old == new) {
            return Ok(module);
        }
        let mut renamed = IRModule::new();
        renamed.attrs = module.attrs.clone();
        for (name, function) in module.iter() {
            let name = names.get(name).unwrap_or(name).clone();
            renamed.insert(
                name,
                match function {
                    GlobalFunc::Relax(function) => GlobalFunc::from(references(function, &names)),
                    GlobalFunc::Prim(_) => function.clone(),
                },
            );
        }
        Ok(renamed)
    }
}

/// The new name of every function.
fn names(module: &IRModule) -> Map<Arc<str>, Arc<str>> {
    let mut names: Map<Arc<str>, Arc<str>> = Map::default();
    // Symbols are unique: visible functions first, in order, then the private ones take what is left.
    for (name, function) in module.iter() {
        if let Some(symbol) = function.global_symbol() {
            names.insert(name.clone(), symbol.into());
        }
    }
    let mut taken: Vec<Arc<str>> = names.values().cloned().collect();
    for (name, _) in module.iter().filter(|(_, function)| function.global_symbol().is_none()) {
        let numbered = (1..).map(|i| Arc::from(format!("{name}{i}")));
        let free = |wish: &Arc<str>| !taken.contains(wish) && (wish == name || module.get(wish).is_none());
        let new = std::iter::once(name.clone()).chain(numbered).find(free).unwrap_or_else(|| name.clone());
        taken.push(new.clone());
        names.insert(name.clone(), new);
    }
    names
}

/// The function with references to the new names.
fn references(function: &Function, names: &Map<Arc<str>, Arc<str>>) -> Function {
    let renamed = |global: &GlobalVar| {
        let name = names.get(&global.name).filter(|name| **name != global.name)?;
        Some(GlobalVar { name: name.clone(), signature: global.signature.clone() })
    };
    let changed = rewrite(function, |expr: &Expr| match &expr.kind {
        ExprKind::GlobalVar(global) => renamed(global).map(|global| Expr::global(&global)),
        ExprKind::Call { callee, args, attrs, sinfo_args } => {
            let callee = match callee {
                Callee::Tir(global) => Callee::Tir(renamed(global)?),
                Callee::TirInplace { function, results } => {
                    Callee::TirInplace { function: renamed(function)?, results: results.clone() }
                }
                Callee::Op(_) | Callee::DpsPacked(_) | Callee::Packed(_) | Callee::Value(_) => return None,
            };
            let (args, attrs, sinfo_args) = (args.clone(), attrs.clone(), sinfo_args.clone());
            Some(Expr::raw(expr.struct_info.clone(), ExprKind::Call { callee, args, attrs, sinfo_args }))
        }
        _ => None,
    });
    changed.unwrap_or_else(|| function.clone())
}
