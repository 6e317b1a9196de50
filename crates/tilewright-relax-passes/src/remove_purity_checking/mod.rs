//! `RemovePurityChecking`: functions no longer say that they have no side effects.
//!
//! What follows may bind calls for their effects, which the verifier refuses in a function that says it is pure. Dataflow
//! blocks have to be plain already, as [`crate::ToNonDataflow`] leaves them: they hold no call of a function with effects.

use tilewright_ir::IRModule;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::verify::Form;

use crate::purity::without_purity;

/// Makes every function one that may have side effects.
#[derive(Clone, Copy, Debug)]
pub struct RemovePurityChecking;

const NAME: &str = "RemovePurityChecking";

impl Pass for RemovePurityChecking {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        without_purity(NAME, &module)
    }
}
