//! `DecomposeOps`: replaces operators by simpler ones that compute the same.
//!
//! ```text
//! bn = nn.batch_norm(x, gamma, beta, mean, var, axis=1, training=False)
//!     ⇒   bn = ((x - mean) / sqrt(var + 1e-5) * gamma + beta, mean, var)    # with the channels at dimension 1
//! ```
//!
//! From any form to any form. An operator changes whose declaration says how ([`tilewright_ir::op::OpDef::decompose`]):
//! `nn.batch_norm`, with the mean and variance that the call takes; `nn.dropout`, which is the identity here; `einsum`,
//! two operands at a time; `nn.conv1d_transpose` to `nn.conv3d_transpose` with strides, where their polyphase
//! components multiply less. `FoldConstant` then computes the constant parts. A call with operands of unknown shape
//! stays. Fields of tuples that a dataflow block constructs are propagated.

use tilewright_ir::IRModule;
use tilewright_ir::op::Purpose;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::verify::Form;

use crate::decompose::decomposed;

/// Decomposes operators for the machine that runs them.
#[derive(Clone, Copy, Debug)]
pub struct DecomposeOps;

const NAME: &str = "DecomposeOps";

impl Pass for DecomposeOps {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        decomposed(NAME, &module, None, Purpose::Run)
    }
}
