//! `RewriteDataflowReshape`: a reshaped tensor shares the memory of its source.
//!
//! ```text
//! y = call_tir(cls.reshape, (x,), out_sinfo=R.Tensor((6,)))   ⇒   y = memory.view(x, shape=(6,))
//! ```
//!
//! From any form to any form; after `LegalizeOps` there is something to find. The pass changes calls in dataflow blocks
//! of PrimFuncs that copy one tensor element by element in row-major order, whatever operator they were: `reshape`,
//! `expand_dims`, `squeeze`, `flatten`. A result that leaves its block is copied still: it may leave the function. A
//! function with calls that overwrite what they are given, or may do so, stays as it is.

use tilewright_ir::IRModule;
use tilewright_ir::analysis::has_reshape_pattern;
use tilewright_ir::op::InferCx;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, StructInfo};
use tilewright_ir::verify::Form;
use tilewright_ops::memory::view;
use tilewright_support::Map;
use tilewright_tensor::DataType;

use crate::eliminate_common_subexpr::overwrites;
use crate::normalize::normalized;
use crate::sequence::{bound_value, map_dataflow, map_functions};

/// Makes views of copies that only change the shape.
#[derive(Clone, Copy, Debug)]
pub struct RewriteDataflowReshape;

const NAME: &str = "RewriteDataflowReshape";

impl Pass for RewriteDataflowReshape {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut reshapes: Map<String, bool> = Map::default();
        let mut is_reshape = |name: &str| {
            let found = || module.prim(name).is_some_and(|function| has_reshape_pattern(function));
            *reshapes.entry(name.to_owned()).or_insert_with(found)
        };
        map_functions(NAME, &module, |function, _| {
            let mut function = normalized(function);
            if !overwrites(&function) {
                function.body = map_dataflow(&function.body, &mut |mut bindings| {
                    bindings.iter_mut().for_each(|binding| {
                        if let Some(view) = viewed(binding, &mut is_reshape) {
                            binding.value = BindingValue::Expr(view);
                        }
                    });
                    bindings
                });
            }
            function
        })
    }
}

/// The view that does for the binding's copy.
fn viewed(binding: &Binding, is_reshape: &mut dyn FnMut(&str) -> bool) -> Option<Expr> {
    let value = bound_value(binding).filter(|_| binding.var.dataflow)?;
    let ExprKind::Call { callee: Callee::Tir(global), args, sinfo_args, .. } = &value.kind else { return None };
    let mut tensors = args.iter().filter(|arg| matches!(arg.struct_info, StructInfo::Tensor { .. }));
    let (Some(source), None, [result]) = (tensors.next(), tensors.next(), sinfo_args.as_slice()) else { return None };
    let alike = source.struct_info.dtype() == result.dtype() && source.struct_info.vdevice() == result.vdevice();
    let is_variable = source.as_var().is_some();
    if !alike || !is_variable || !is_reshape(&global.name) {
        return None;
    }
    let shape = Expr::shape(result.dims()?.to_vec());
    let view = view::call(&InferCx::default(), source.clone(), shape, DataType::VOID, 0).ok()?;
    view.struct_info.equal(&value.struct_info).then_some(view)
}
