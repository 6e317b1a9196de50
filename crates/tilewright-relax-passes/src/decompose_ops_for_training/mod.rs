//! `DecomposeOpsForTraining`: replaces operators by simpler ones whose derivatives are known.
//!
//! ```text
//! y = nn.layer_norm(x, gamma, beta, axes=-1)
//!     ⇒   y = (x - mean(x)) / sqrt(variance(x) + 1e-5) * gamma + beta    # over the last dimension
//! ```
//!
//! From any form to any form. An operator changes whose declaration says how ([`tilewright_ir::op::OpDef::decompose`]):
//! `nn.batch_norm`, with the mean and variance that the call takes, and `nn.layer_norm`. A call with operands of
//! unknown shape stays.

use std::sync::Arc;

use tilewright_ir::IRModule;
use tilewright_ir::op::Purpose;
use tilewright_ir::pass::{Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::verify::Form;

use crate::decompose::{FUNC_NAME, decomposed};

/// Decomposes operators for training.
#[derive(Clone, Debug, Default)]
pub struct DecomposeOpsForTraining {
    /// The only function that changes.
    pub func_name: Option<String>,
}

const NAME: &str = "DecomposeOpsForTraining";

impl DecomposeOpsForTraining {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "Operators without derivatives of their own become simpler ones that have them.",
        params: &[FUNC_NAME],
        make: |args| Ok(Arc::new(Self { func_name: args.text(FUNC_NAME.name).map(str::to_owned) })),
    };
}

impl Pass for DecomposeOpsForTraining {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        decomposed(NAME, &module, self.func_name.as_deref(), Purpose::Training)
    }
}
