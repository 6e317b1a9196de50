//! `StaticPlanBlockMemory`: tensors that do not leave a function share memory by lifetime.
//!
//! An allocation whose tensor stays inside the function is placed in the function's *storage*, by its constant size, or
//! by an upper bound of its size: symbolic dimensions have upper bounds if the function declares them
//! (`R.func_attr({"tir_var_upper_bound": {"n": 1024}})`) or where they follow, as of `min(n, 64)`. Two tensors share
//! bytes only if no run of the function needs both at one position; the branches of a conditional share theirs. A run
//! whose dimensions exceed the bounds ends with an error.
//!
//! A tensor of symbolic size without a bound is allocated at run time. It takes the memory of an earlier tensor of the
//! same type that is not needed any more, if their dimensions are provably equal.
//!
//! Tensors that *escape* stay as they are: those that are returned, alone or in a tuple, or passed to a callee that may
//! keep them (a packed function, a Relax function, a closure, an operator that the machine runs itself).
//!
//! Phases: [`crate::lifetimes`] finds the tensors and when they are needed, [`sizes`] how large they become, [`layout`]
//! gives each an offset, [`shared`] finds memory for those without a bound, then the bindings are rewritten.

mod layout;
mod shared;
mod sizes;

use tilewright_expr as scalar;
use tilewright_expr::node::VarId;
use tilewright_ir::IRModule;
use tilewright_ir::op::{InferCx, InferError, Legalize, MachineOp};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingBlock, BindingValue, Callee, Expr, ExprKind, Function, Var};
use tilewright_ir::verify::Form;
use tilewright_ops::memory::{alloc_storage, alloc_tensor};
use tilewright_support::{Diagnostic, Map, Origins};
use tilewright_tensor::DataType;

use self::layout::Planned;
use self::sizes::Sizes;
use crate::lifetimes::{Lifetime, TupleFields, lifetimes};
use crate::sequence::{Rebuild, defect, located, map_functions, rebuild};

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
            let plan = Plan::of(&module, function);
            let storage = match storage(plan.bytes) {
                Ok(storage) => storage,
                Err(error) => {
                    diagnostics.push(located(defect(&error), &function.origins));
                    return function.clone();
                }
            };
            let used = !plan.offsets.is_empty();
            let mut rewrite = Rewrite { cx: InferCx::default(), storage, plan, fields: TupleFields::default() };
            let mut function = function.clone();
            function.body = rebuild(&function.body, &mut rewrite, diagnostics);
            if used {
                put_first(&mut function, rewrite.storage);
            }
            function
        })
    }
}

/// The memory of each tensor of a function.
struct Plan {
    /// Offsets and bytes in the storage.
    offsets: Map<VarId, (i64, i64)>,
    /// The variables of the tensors whose memory others take.
    takes: Map<VarId, Var>,
    /// The size of the storage.
    bytes: i64,
}

impl Plan {
    fn of(module: &IRModule, function: &Function) -> Self {
        let sizes = Sizes::of(function);
        let begins = |binding: &Binding| allocated(binding).is_some();
        let (mut planned, mut others): (Vec<Planned>, Vec<Lifetime>) = (Vec::new(), Vec::new());
        for lifetime in lifetimes(module, function, &begins).into_iter().filter(|tensor| !tensor.escapes) {
            match sizes.bytes(&lifetime.var.struct_info) {
                Some(bytes) => planned.push(Planned { lifetime, bytes }),
                None => others.push(lifetime),
            }
        }
        let (offsets, bytes) = layout::offsets(&planned);
        let entry = |(tensor, offset): (&Planned, i64)| (tensor.lifetime.var.id(), (offset, tensor.bytes));
        let offsets = planned.iter().zip(offsets).map(entry).collect();
        Self { offsets, takes: shared::takes(others), bytes }
    }
}

/// Shape and element type of the tensor that a binding allocates in memory of its own.
fn allocated(binding: &Binding) -> Option<(Vec<scalar::Expr>, DataType)> {
    let BindingValue::Expr(value) = &binding.value else { return None };
    match &value.kind {
        ExprKind::Call { callee: Callee::Op(op), .. }
            if matches!(op.legalize, Legalize::Machine(MachineOp::AllocTensor)) =>
        {
            Some((value.struct_info.dims()?.to_vec(), value.struct_info.dtype()?))
        }
        _ => None,
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

/// Rewrites allocations to tensors in the storage.
struct Rewrite {
    cx: InferCx,
    storage: Binding,
    plan: Plan,
    fields: TupleFields,
}

impl Rebuild for Rewrite {
    fn binding(&mut self, mut binding: Binding, _: bool, out: &mut Vec<Binding>) -> Result<(), Box<Diagnostic>> {
        self.fields.binding(&mut binding);
        if let Some(owner) = self.plan.takes.get(&binding.var.id()) {
            binding.value = BindingValue::Expr(Expr::var(owner));
        } else if let Some(&(offset, bytes)) = self.plan.offsets.get(&binding.var.id())
            && let Some((dims, dtype)) = allocated(&binding)
        {
            let storage = Expr::var(&self.storage.var);
            let value = alloc_tensor::call(&self.cx, storage, Expr::shape(dims), offset, dtype, bytes)
                .map_err(|error| Box::new(defect(&error)))?;
            self.storage.origins = self.storage.origins.merge(&binding.origins);
            binding.value = BindingValue::Expr(value);
        }
        out.push(binding);
        Ok(())
    }
}
