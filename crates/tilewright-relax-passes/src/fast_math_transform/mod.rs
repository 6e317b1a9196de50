//! `FastMathTransform`: calls exponentials as named functions, which users may replace.
//!
//! ```text
//! y = exp(x)              y = call_tir(cls.fast_exp, (x,))
//! z = nn.softmax(y)   ⇒   z = call_tir(cls.fast_softmax, (y,))
//! ```
//!
//! From any form to any form. The pass changes `exp`, `erf`, `tanh` and `nn.softmax`; calls of unknown shapes or data
//! types stay, and so do those of constants, which are folded. The functions are those of `LegalizeOps`, and as fast:
//! the lowering of an exponential is a short formula with a stated error bound already, and no faster one is exact
//! enough.

use tilewright_ir::IRModule;
use tilewright_ir::op::{OpCall, OpDef, OpRef};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingValue, Callee, ExprKind};
use tilewright_ir::verify::Form;
use tilewright_ops::nn::softmax;
use tilewright_ops::unary::{erf, exp, tanh};
use tilewright_support::Diagnostic;

use crate::legalize_ops::Library;
use crate::normalize::normalized;
use crate::sequence::{Rebuild, bound_value, defect, map_functions, rebuild};

/// Calls exponentials by names of their own.
#[derive(Clone, Copy, Debug)]
pub struct FastMathTransform;

const NAME: &str = "FastMathTransform";
/// The operators and the names of their functions.
const FAST: [(&OpDef, &str); 4] =
    [(&exp::OP, "fast_exp"), (&erf::OP, "fast_erf"), (&tanh::OP, "fast_tanh"), (&softmax::OP, "fast_softmax")];

impl Pass for FastMathTransform {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, cx: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut fast = Fast(Library::of(&module, cx.legalize_cx()));
        let graphs = map_functions(NAME, &module, |function, diagnostics| {
            let mut function = normalized(function);
            function.body = rebuild(&function.body, &mut fast, diagnostics);
            function
        })?;
        Ok(fast.0.with_graphs(&graphs))
    }
}

struct Fast(Library);

impl Rebuild for Fast {
    fn binding(&mut self, mut binding: Binding, _: bool, out: &mut Vec<Binding>) -> Result<(), Box<Diagnostic>> {
        if let Some(value) = bound_value(&binding)
            && let ExprKind::Call { callee: Callee::Op(op), args, attrs, .. } = &value.kind
            && let Some((_, name)) = FAST.iter().find(|(known, _)| *op == OpRef(known))
            && value.struct_info.dims().is_some()
            && args.iter().all(|arg| arg.as_var().is_some() && arg.struct_info.dtype().is_some())
        {
            let call = OpCall { op: *op, args, attrs };
            let fast = self.0.legalized_as(name, &call, args.clone(), &value.struct_info, &binding.origins);
            binding.value = BindingValue::Expr(fast.map_err(|error| Box::new(defect(&error)))?);
        }
        out.push(binding);
        Ok(())
    }
}
