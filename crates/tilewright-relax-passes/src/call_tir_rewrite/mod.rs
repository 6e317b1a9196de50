//! `CallTIRRewrite`: destinations become explicit.
//!
//! `y = R.call_tir(cls.f, (x,), out_sinfo)` becomes an allocation of `y` and the call `cls.f(x, y)` for its effect;
//! `R.call_dps_packed` likewise, with `R.call_packed`. Several results are allocated one by one and bound as a tuple.
//! Dataflow blocks become plain on the way, and no function is said to be pure any more: calls for their effect are what
//! it is made of.

use tilewright_ir::IRModule;
use tilewright_ir::op::{InferCx, InferError};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, StructInfo, Var};
use tilewright_ir::verify::Form;
use tilewright_ops::builtin::alloc_tensor;
use tilewright_support::{Diagnostic, Origins};

use crate::normalize::normalized;
use crate::purity::without_purity;
use crate::sequence::{Rebuild, map_functions, rebuild};
use crate::to_non_dataflow::plain;

/// Allocates the results of calls in destination-passing style.
#[derive(Clone, Copy, Debug)]
pub struct CallTIRRewrite;

const NAME: &str = "CallTIRRewrite";

impl Pass for CallTIRRewrite {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Legalized, to: Form::DestinationPassing }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let module = map_functions(NAME, &module, |function, diagnostics| {
            let mut function = plain(&normalized(function), diagnostics);
            function.body = rebuild(&function.body, &mut Allocate(InferCx::default()), diagnostics);
            function
        })?;
        without_purity(NAME, &module)
    }
}

struct Allocate(InferCx);

impl Rebuild for Allocate {
    fn binding(&mut self, binding: Binding, _: bool, out: &mut Vec<Binding>) -> Result<(), Box<Diagnostic>> {
        if let BindingValue::Expr(value) = &binding.value
            && let ExprKind::Call { callee: callee @ (Callee::Tir(_) | Callee::DpsPacked(_)), args, sinfo_args, .. } =
                &value.kind
        {
            return self
                .call(&binding, callee, args, sinfo_args, out)
                .map_err(|error| Box::new(Diagnostic::error("TW0721", error.message)));
        }
        out.push(binding);
        Ok(())
    }
}

impl Allocate {
    fn call(
        &self,
        binding: &Binding,
        callee: &Callee,
        args: &[Expr],
        results: &[StructInfo],
        out: &mut Vec<Binding>,
    ) -> Result<(), InferError> {
        let origins = &binding.origins;
        let destinations: Vec<Var> = match results {
            [_] => vec![binding.var.clone()],
            several => several.iter().map(|info| Var::new("alloc", info.clone())).collect(),
        };
        for (var, info) in destinations.iter().zip(results) {
            out.push(Binding::new(var.clone(), self.allocation(info)?, origins.clone()));
        }
        let places: Vec<Expr> = destinations.iter().map(Expr::var).collect();
        let all: Vec<Expr> = args.iter().chain(&places).cloned().collect();
        match callee {
            Callee::Tir(function) => {
                out.push(effect(Expr::call_value(&self.0, Expr::global(function), all)?, origins));
            }
            Callee::DpsPacked(name) => out.push(effect(Expr::call_packed(name.clone(), all, Vec::new()), origins)),
            Callee::Op(_) | Callee::Packed(_) | Callee::Value(_) => {}
        }
        if results.len() != 1 {
            out.push(Binding::new(binding.var.clone(), Expr::tuple(places), origins.clone()));
        }
        Ok(())
    }

    fn allocation(&self, info: &StructInfo) -> Result<Expr, InferError> {
        let (Some(dims), Some(dtype)) = (info.dims(), info.dtype()) else {
            return Err(InferError::new("the shape and data type of a result must be known to allocate it"));
        };
        alloc_tensor::call(&self.0, Expr::shape(dims.to_vec()), dtype, 0, "global")
    }
}

/// A call that is bound for its effect only.
fn effect(call: Expr, origins: &Origins) -> Binding {
    Binding::new(Var::new("_", call.struct_info.clone()), call, origins.clone())
}
