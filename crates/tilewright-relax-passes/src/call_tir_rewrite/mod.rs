//! `CallTIRRewrite`: destinations become explicit.
//!
//! `y = R.call_tir(cls.f, (x,), out_sinfo)` becomes an allocation of `y` and the call `cls.f(x, y)` for its effect;
//! `R.call_dps_packed` likewise, with `R.call_packed`. Several results are allocated one by one and bound as a tuple. A
//! result of `R.call_tir_inplace` that overwrites an argument is an alias of it. Scalars that a call passes after its
//! destinations (`tir_vars`) become arguments after them. Dataflow blocks become plain blocks, and functions are no
//! longer marked pure: they consist of calls for their effect.

use tilewright_ir::calls::tir_vars;
use tilewright_ir::op::{InferCx, InferError};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, StructInfo, Var};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attrs, IRModule};
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
            && let ExprKind::Call { callee, args, attrs, sinfo_args } = &value.kind
            && matches!(callee, Callee::Tir(_) | Callee::TirInplace { .. } | Callee::DpsPacked(_))
        {
            return self
                .call(&binding, callee, args, attrs, sinfo_args, out)
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
        attrs: &Attrs,
        results: &[StructInfo],
        out: &mut Vec<Binding>,
    ) -> Result<(), InferError> {
        let origins = &binding.origins;
        let inplace: &[Option<usize>] = match callee {
            Callee::TirInplace { results, .. } => results,
            _ => &[],
        };
        let alone = results.len() == 1 && inplace.is_empty();
        let (mut destinations, mut allocated) = (Vec::new(), Vec::new());
        for (i, info) in results.iter().enumerate() {
            if let Some(argument) = inplace.get(i).copied().flatten().and_then(|position| args.get(position)) {
                destinations.push(argument.clone());
                continue;
            }
            let var = if alone { binding.var.clone() } else { Var::new("alloc", info.clone()) };
            out.push(Binding::new(var.clone(), self.allocation(info)?, origins.clone()));
            destinations.push(Expr::var(&var));
            allocated.push(Expr::var(&var));
        }
        let scalars = tir_vars(attrs).into_iter().map(Expr::prim);
        let all: Vec<Expr> = args.iter().chain(&allocated).cloned().chain(scalars).collect();
        match callee {
            Callee::Tir(function) | Callee::TirInplace { function, .. } => {
                out.push(effect(Expr::call_value(&self.0, Expr::global(function), all)?, origins));
            }
            Callee::DpsPacked(name) => out.push(effect(Expr::call_packed(name.clone(), all, Vec::new()), origins)),
            Callee::Op(_) | Callee::Packed(_) | Callee::Value(_) => {}
        }
        let value = match (results.len(), destinations.pop()) {
            (1, Some(destination)) => destination,
            (_, last) => Expr::tuple(destinations.into_iter().chain(last).collect()),
        };
        if !alone {
            out.push(Binding::new(binding.var.clone(), value, origins.clone()));
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
