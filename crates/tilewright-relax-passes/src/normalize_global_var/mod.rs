//! `NormalizeGlobalVar`: a visible function has one name, inside the module and outside.
//!
//! A function whose symbol is not its name is renamed, and so are all references to it. A private function that has the
//! wanted name gets another.

use std::sync::Arc;

use tilewright_ir::IRModule;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::rename::rename_functions;
use tilewright_ir::verify::Form;
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
        Ok(rename_functions(&module, &names))
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
