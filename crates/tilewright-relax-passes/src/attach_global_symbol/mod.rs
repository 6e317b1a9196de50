//! `AttachGlobalSymbol`: every function becomes visible outside the module, under the name that it has inside.
//!
//! A function that has a symbol keeps it. Afterwards each PrimFunc can be called by itself, on the caller's own tensors.

use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::Function;
use tilewright_ir::tir::{PrimFunc, attr_names};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, Attrs, GlobalFunc, IRModule};

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
            let with_symbol = |attrs: &Attrs| {
                let mut attrs = attrs.clone();
                attrs.insert(attr_names::GLOBAL_SYMBOL.into(), Attr::str(name.clone()));
                attrs
            };
            let function = match function {
                GlobalFunc::Prim(f) => PrimFunc { attrs: with_symbol(&f.attrs), ..(**f).clone() }.into(),
                GlobalFunc::Relax(f) => GlobalFunc::from(Function { attrs: with_symbol(&f.attrs), ..(**f).clone() }),
            };
            visible.insert(name.clone(), function);
        }
        Ok(visible)
    }
}
