//! `DecomposeOpsForInference`: replaces operators by simpler ones without the parts that only training needs.
//!
//! ```text
//! bn = nn.batch_norm(x, gamma, beta, mean, var, axis=1)
//!     ⇒   bn = ((x - mean) / sqrt(var + 1e-5) * gamma + beta, mean, var)    # with the channels at dimension 1
//! ```
//!
//! From any form to any form. An operator changes whose declaration says how ([`tilewright_ir::op::OpDef::decompose`]):
//! `nn.batch_norm`, which takes the moving mean and variance and leaves them, whether the call was made for training or
//! not. A call with operands of unknown shape stays. [`DecomposeOps`](crate::DecomposeOps) keeps the meaning of calls.

use std::sync::Arc;

use tilewright_ir::IRModule;
use tilewright_ir::op::Purpose;
use tilewright_ir::pass::{Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::verify::Form;

use crate::decompose::{FUNC_NAME, decomposed};

/// Decomposes operators for inference.
#[derive(Clone, Debug, Default)]
pub struct DecomposeOpsForInference {
    /// The only function that changes.
    pub func_name: Option<String>,
}

const NAME: &str = "DecomposeOpsForInference";

impl DecomposeOpsForInference {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "Operators that training needs, or that only it needs, become simpler ones.",
        params: &[FUNC_NAME],
        make: |args| Ok(Arc::new(Self { func_name: args.text(FUNC_NAME.name).map(str::to_owned) })),
    };
}

impl Pass for DecomposeOpsForInference {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        decomposed(NAME, &module, self.func_name.as_deref(), Purpose::Inference)
    }
}
