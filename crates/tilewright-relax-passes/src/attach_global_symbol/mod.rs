//! `AttachGlobalSymbol`: every function becomes visible outside the module, under the name that it has inside.
//!
//! A function that has a symbol keeps it. Afterwards each PrimFunc can be called by itself, on the caller's own
//! tensors.

use tilewright_ir::IRModule;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::verify::Form;

/// Gives every function a symbol.
#[derive(Clone, Copy, Debug)]
pub struct AttachGlobalSymbol;

const NAME: &str = "AttachGlobalSymbol";

impl Pass for AttachGlobalSymbol {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut visible = module.clone();
        for (name, function) in module.iter().filter(|(_, function)| function.global_symbol().is_none()) {
            let function = function.clone().with_symbol(name.clone());
            visible.insert(name.clone(), function);
        }
        Ok(visible)
    }
}
