//! Other names for the functions of a module.

use std::fmt;
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

/// Why functions cannot have other names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenameError {
    /// The module has no function of this name, only those.
    Missing { name: Arc<str>, known: Vec<Arc<str>> },
    /// Two functions would have one name.
    Clash { first: Arc<str>, second: Arc<str>, name: Arc<str> },
}

impl RenameError {
    /// The error for a name that no function of the module has.
    pub fn missing(module: &IRModule, name: impl Into<Arc<str>>) -> Self {
        let known = module.sorted().into_iter().map(|(name, _)| name.clone()).collect();
        Self::Missing { name: name.into(), known }
    }
}

impl fmt::Display for RenameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { name, known } => {
                write!(f, "the module has no function `{name}`, only {}", known.join(", "))
            }
            Self::Clash { first, second, name } => write!(f, "`{first}` and `{second}` would both be called `{name}`"),
        }
    }
}

impl std::error::Error for RenameError {}

/// The module whose functions have other names, from old to new, each reference to them too. A symbol that is the old
/// name becomes the new one.
pub fn replace_global_vars(
    module: &IRModule,
    replacements: impl IntoIterator<Item = (Arc<str>, Arc<str>)>,
) -> Result<IRModule, RenameError> {
    let mut names: Map<Arc<str>, Arc<str>> = module.iter().map(|(name, _)| (name.clone(), name.clone())).collect();
    for (old, new) in replacements {
        let Some(known) = names.get_mut(&old) else {
            return Err(RenameError::missing(module, old));
        };
        *known = new;
    }
    let mut taken: Map<&Arc<str>, &Arc<str>> = Map::default();
    for (old, _) in module.iter() {
        let Some(new) = names.get(old) else { continue };
        if let Some(first) = taken.insert(new, old) {
            return Err(RenameError::Clash { first: first.clone(), second: old.clone(), name: new.clone() });
        }
    }
    let mut renamed = rename_functions(module, &names);
    for (old, new) in names.iter().filter(|(old, new)| old != new) {
        if let Some(function) = renamed.get(new).filter(|function| function.global_symbol() == Some(&**old)) {
            let function = function.clone().with_symbol(new.clone());
            renamed.insert(new.clone(), function);
        }
    }
    Ok(renamed)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Attrs;
    use crate::relax::{SeqExpr, StructInfo};
    use crate::tir::attr_names;

    fn module() -> IRModule {
        let function = |body: Expr| Function {
            params: Vec::new(),
            body: SeqExpr { blocks: Vec::new(), result: body },
            ret: StructInfo::Object,
            attrs: Attrs::new(),
            pure: true,
            origins: Default::default(),
        };
        let mut module = IRModule::new();
        let first = module.insert("first", GlobalFunc::from(function(Expr::tuple(Vec::new()))).with_symbol("first"));
        module.insert("second", GlobalFunc::from(function(Expr::global(&first))).with_symbol("seen"));
        module
    }

    #[test]
    fn names_references_and_symbols_that_are_names_change() {
        let renamed = replace_global_vars(&module(), [("first".into(), "one".into()), ("second".into(), "two".into())]);
        let renamed = renamed.unwrap();
        let symbol = |name: &str| renamed.get(name).and_then(GlobalFunc::global_symbol).map(str::to_owned);
        assert_eq!((symbol("one"), symbol("two")), (Some("one".to_owned()), Some("seen".to_owned())));
        let ExprKind::GlobalVar(global) = &renamed.relax("two").unwrap().body.result.kind else {
            panic!("no reference")
        };
        assert_eq!(&*global.name, "one");
        assert!(renamed.get("one").unwrap().attrs().contains_key(attr_names::GLOBAL_SYMBOL));
    }

    #[test]
    fn a_name_that_is_not_there_or_taken_is_an_error() {
        let error =
            |old: &str, new: &str| replace_global_vars(&module(), [(old.into(), new.into())]).unwrap_err().to_string();
        assert_eq!(error("third", "one"), "the module has no function `third`, only first, second");
        assert_eq!(error("first", "second"), "`first` and `second` would both be called `second`");
    }
}
