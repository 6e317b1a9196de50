//! `StaticPlanBlockMemory`: tensors that do not leave a function share memory by lifetime.
//!
//! An allocation of constant size whose tensor stays inside the function is placed in the function's *storage*. Two
//! tensors share bytes only if no position of the function needs both. What stays as it is: tensors of symbolic size,
//! and tensors that *escape*: that are returned, alone or in a tuple, or handed to someone who may keep them (a packed
//! function, a Relax function, a closure, an operator that the machine runs itself).
//!
//! Phases: [`lifetime`] finds the tensors and their lifetimes, [`layout`] gives each a place, then the bindings are
//! rewritten.

mod layout;
mod lifetime;

use tilewright_expr::node::VarId;
use tilewright_ir::IRModule;
use tilewright_ir::op::{InferCx, InferError};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingBlock, Expr, Function, StructInfo, Var};
use tilewright_ir::verify::Form;
use tilewright_ops::memory::{alloc_storage, alloc_tensor};
use tilewright_support::{Diagnostic, Map, Origins};

use crate::sequence::{Rebuild, located, map_functions, rebuild};

/// Places tensors that do not leave a function in one storage.
#[derive(Clone, Copy, Debug)]
pub struct StaticPlanBlockMemory;

const NAME: &str = "StaticPlanBlockMemory";

impl Pass for StaticPlanBlockMemory {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::DestinationPassing, to: Form::MachineReady }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        map_functions(NAME, &module, |function, diagnostics| {
            let tensors = lifetime::planned(&module, function);
            let (places, bytes) = layout::places(&tensors);
            if tensors.is_empty() {
                return function.clone();
            }
            match storage(bytes) {
                Ok(storage) => {
                    let mut place = Place { cx: InferCx::default(), storage, places };
                    let mut function = function.clone();
                    function.body = rebuild(&function.body, &mut place, diagnostics);
                    put_first(&mut function, place.storage);
                    function
                }
                Err(error) => {
                    diagnostics.push(located(Diagnostic::error("TW0731", error.message), &function.origins));
                    function.clone()
                }
            }
        })
    }
}

fn storage(bytes: i64) -> Result<Binding, InferError> {
    let value = alloc_storage::call(&InferCx::default(), bytes)?;
    Ok(Binding::new(Var::new("storage", value.struct_info.clone()), value, Origins::default()))
}

fn put_first(function: &mut Function, binding: Binding) {
    let blocks = &mut function.body.blocks;
    match blocks.first_mut() {
        Some(first) if !first.dataflow => first.bindings.insert(0, binding),
        _ => blocks.insert(0, BindingBlock { dataflow: false, bindings: vec![binding] }),
    }
}

/// Puts tensors in their places.
struct Place {
    cx: InferCx,
    storage: Binding,
    places: Map<VarId, i64>,
}

impl Rebuild for Place {
    fn binding(&mut self, binding: Binding, _: bool, out: &mut Vec<Binding>) -> Result<(), Box<Diagnostic>> {
        if let Some(&offset) = self.places.get(&binding.var.id())
            && let Some((dims, dtype)) = lifetime::allocated(&binding)
            && let StructInfo::Tensor { .. } = &binding.var.struct_info
        {
            let storage = Expr::var(&self.storage.var);
            let value = alloc_tensor::call(&self.cx, storage, Expr::shape(dims), offset, dtype)
                .map_err(|error| Box::new(Diagnostic::error("TW0731", error.message)))?;
            self.storage.origins = self.storage.origins.merge(&binding.origins);
            out.push(Binding::new(binding.var, value, binding.origins));
        } else {
            out.push(binding);
        }
        Ok(())
    }
}
