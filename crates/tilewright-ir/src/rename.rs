//! Other names for the functions of a module.

use std::sync::Arc;

use tilewright_expr::node::rewrite;
use tilewright_support::Map;

use crate::relax::{Callee, Expr, ExprKind, Function, GlobalVar};
use crate::{GlobalFunc, IRModule};

/// The module whose functions have these names, each reference to them too; a function without a new one keeps its own.
/// Two of one name become one: who calls this has looked that there are none. Symbols stay as they are.
pub fn rename_functions(module: &IRModule, names: &Map<Arc<str>, Arc<str>>) -> IRModule {
    let mut renamed = IRModule::new();
    (renamed.attrs, renamed.global_infos) = (module.attrs.clone(), module.global_infos.clone());
    for (name, function) in module.iter() {
        let function = match function {
            GlobalFunc::Relax(function) => GlobalFunc::from(with_references(function, names)),
            GlobalFunc::Prim(_) => function.clone(),
        };
        renamed.insert(names.get(name).unwrap_or(name).clone(), function);
    }
    renamed
}

/// The function with references to the new names.
fn with_references(function: &Function, names: &Map<Arc<str>, Arc<str>>) -> Function {
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
