//! `ToNonDataflow`: dataflow blocks become plain ones.
//!
//! Later passes bind calls for their effect (kernels that write their destinations), which a dataflow block does not
//! allow.

use tilewright_expr::node::rewrite;
use tilewright_ir::IRModule;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, Function, Var};
use tilewright_ir::verify::Form;
use tilewright_support::{Diagnostic, Diagnostics};

use crate::sequence::{Rebuild, map_functions, rebuild};

/// Makes dataflow blocks plain.
#[derive(Clone, Copy, Debug)]
pub struct ToNonDataflow;

const NAME: &str = "ToNonDataflow";

impl Pass for ToNonDataflow {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        map_functions(NAME, &module, plain)
    }
}

/// The function without dataflow blocks and variables.
pub(crate) fn plain(function: &Function, diagnostics: &mut Diagnostics) -> Function {
    struct Plain;
    impl Rebuild for Plain {
        fn binding(&mut self, binding: Binding, _: bool, out: &mut Vec<Binding>) -> Result<(), Box<Diagnostic>> {
            out.push(binding);
            Ok(())
        }
        fn keeps_dataflow(&self) -> bool {
            false
        }
    }
    let function = Function { body: rebuild(&function.body, &mut Plain, diagnostics), ..function.clone() };
    let visible = |var: &Var| var.dataflow.then(|| Var::new(var.name.clone(), var.struct_info.clone()));
    rewrite(&function, visible).unwrap_or(function)
}
