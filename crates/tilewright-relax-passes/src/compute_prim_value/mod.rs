//! `ComputePrimValue`: scalars that depend on sizes are computed by PrimFuncs.
//!
//! ```text
//! if R.prim_value(n % 16 == 0): …    ⇒    alloc = R.builtin.alloc_tensor(R.shape([1]), "int64")
//!                                         cls.compute_prim_value(alloc, n)
//!                                         if R.vm.make_prim_value(alloc, slot=0, dtype="bool"): …
//! ```
//!
//! From any form to any form. A PrimFunc returns no value but writes one, here to a tensor of one element, as in the
//! heap of [`crate::VMShapeLower`]. In a dataflow block, which holds no call for its effect, the PrimFunc is called by
//! `R.call_tir`. Equal computations share a PrimFunc. Constants and bare symbolic dimensions stay, and so do the
//! dimensions of shapes. The relation of such a scalar to the sizes is unknown afterwards.
//!
//! `default_build` does not need it: the machine computes such scalars by instructions. It is for users who want them
//! as functions.

use tilewright_expr as scalar;
use tilewright_expr::node::{EqCx, HashCx, rewrite};
use tilewright_ir::IRModule;
use tilewright_ir::builder::{BlockBuilder, BuildError, map_exprs, mutate_module};
use tilewright_ir::calls::TirCall;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Expr, ExprKind, GlobalVar, StructInfo};
use tilewright_ir::verify::Form;
use tilewright_ops::builtin::alloc_tensor;
use tilewright_ops::vm::make_prim_value;
use tilewright_support::{Diagnostic, Map};
use tilewright_tensor::DataType;

use crate::number_heap;
use crate::sequence::defect;

/// Makes PrimFuncs of scalars that are computed of sizes.
#[derive(Clone, Copy, Debug)]
pub struct ComputePrimValue;

const NAME: &str = "ComputePrimValue";

impl Pass for ComputePrimValue {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        computed(NAME, &module)
    }
}

/// The module whose scalars are numbers, symbolic dimensions and results of calls.
pub(crate) fn computed(pass: &'static str, module: &IRModule) -> Result<IRModule, PassError> {
    let mut functions = Functions::default();
    let mut mutator = map_exprs(|bb: &mut BlockBuilder, expr: &Expr| match &expr.kind {
        ExprKind::Prim(value) if is_computed(value) => functions.call(bb, value).map(Some),
        _ => Ok(None),
    });
    mutate_module(module, &mut mutator).map_err(|error| {
        let error = match error {
            BuildError::Infer(error) => defect(&error),
            BuildError::State(message) => Diagnostic::error("TW0604", message),
        };
        PassError::new(pass, error)
    })
}

/// Whether the number is neither a constant nor a bare variable.
pub(crate) fn is_computed(number: &scalar::Expr) -> bool {
    use scalar::ExprKind as S;
    !matches!(number.kind, S::Int(_) | S::Float(_) | S::Var(_))
}

/// The PrimFuncs that were made, by their structure.
#[derive(Default)]
struct Functions(Map<u64, Vec<GlobalVar>>);

impl Functions {
    /// The replacement of a scalar; emits the call that computes it.
    fn call(&mut self, bb: &mut BlockBuilder, value: &scalar::Expr) -> Result<Expr, BuildError> {
        let dims = number_heap::dims_of(value);
        let function = self.function(bb, value, &dims)?;
        let dims = dims.iter().map(scalar::Expr::var);
        let heap = if bb.in_dataflow() {
            let out = vec![StructInfo::tensor_of(&[1], DataType::I64)];
            let said = TirCall { tir_vars: dims.collect(), te_grad: None };
            let call = Expr::call_tir_with(bb.infer_cx(), function, Vec::new(), out, said)?;
            Expr::var(&bb.emit(&call)?)
        } else {
            let one = Expr::shape(vec![scalar::Expr::i64(1)]);
            let heap = alloc_tensor::call(bb.infer_cx(), one, DataType::I64, 0, "global")?;
            let heap = Expr::var(&bb.emit_named(&heap, Some("alloc"))?);
            let args = std::iter::once(heap.clone()).chain(dims.map(Expr::prim)).collect();
            let call = Expr::call_value(bb.infer_cx(), Expr::global(&function), args)?;
            bb.emit_named(&call, Some("_"))?;
            heap
        };
        Ok(make_prim_value::call(bb.infer_cx(), heap, 0, value.dtype)?)
    }

    fn function(
        &mut self,
        bb: &mut BlockBuilder,
        value: &scalar::Expr,
        dims: &[scalar::Var],
    ) -> Result<GlobalVar, BuildError> {
        let own: Vec<scalar::Var> = dims.iter().map(scalar::Var::renewed).collect();
        let renamed = |var: &scalar::Var| dims.iter().position(|dim| dim == var).and_then(|at| own.get(at)).cloned();
        let value = rewrite(value, renamed).unwrap_or_else(|| value.clone());
        let heap = number_heap::heap(scalar::Expr::i64(1));
        let mut function = number_heap::computing(&heap, &own, &[(0, value)])?;
        function.origins = bb.origins().clone();
        let known = self.0.entry(HashCx::hash(&function)).or_default();
        let same = |global: &&GlobalVar| {
            bb.get().prim(&global.name).is_some_and(|known| EqCx::compare(&**known, &function).is_ok())
        };
        if let Some(global) = known.iter().find(same) {
            return Ok(global.clone());
        }
        let global = bb.add_func(function, "compute_prim_value");
        known.push(global.clone());
        Ok(global)
    }
}
