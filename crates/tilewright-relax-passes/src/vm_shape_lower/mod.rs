//! `VMShapeLower`: the sizes of tensors are numbers in a heap, and computations with them are explicit calls.
//!
//! ```text
//! def main(x: Tensor(("n", 4))):            def main(x: Tensor(ndim=2)):
//!     y = alloc_tensor(R.shape([n * 2]))        shape_heap = alloc_tensor(R.shape([2]), "int64")
//!     …                                ⇒        vm.match_shape(x, shape_heap, 1, 0, 0, 4)
//!                                               cls.shape_func(shape_heap)    # heap[1] = heap[0] * 2
//!                                               sizes = vm.make_shape(shape_heap, 1, 1)
//!                                               y = alloc_tensor(sizes)
//! ```
//!
//! From the machine-ready form to it. Afterwards no graph function mentions a symbolic dimension: rank and data type
//! remain in types. Each function has a heap of its own, as runs of it may be nested, and each dimension and each
//! computed size a slot in it, which is written once. Dimensions come from where they were defined: parameters and
//! `R.match_cast`, which become `R.vm.match_shape` and `R.vm.match_prim_value`; these also compare known dimensions, as
//! the machine did: of arguments, and of the results of unverified functions. Sizes are computed by PrimFuncs, where
//! they are first needed, on every path that needs them. A function inside a function copies the numbers of those
//! around that it mentions into its own heap. Scalars that are computed become calls as [`crate::ComputePrimValue`]
//! makes them.
//!
//! `default_build` does not need it: in the machine a symbolic dimension is a slot of the function, matched when it is
//! entered and read by the instructions that allocate and call, without a call in between. The pass is for those who
//! want the sizes in the module's own words: a program that keeps to tensors, packed functions and PrimFuncs, as other
//! machines run it. Two things differ. Sizes are computed as PrimFuncs compute integers, so that a product that leaves
//! 64 bits wraps where the machine ends the run; and a kernel's arguments, of which only the rank is known, are matched
//! at each of its calls.

mod heap;
mod lower;

use std::sync::Arc;

use tilewright_expr as scalar;
use tilewright_expr::node::walk;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Function, StructInfo, TensorShape};
use tilewright_ir::verify::Form;
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::{Diagnostics, with_stack};

use crate::compute_prim_value::computed;
use crate::purity::without_purity;
use crate::sequence::{defect, located, with_renewed_references};

/// Makes what is done with sizes explicit.
#[derive(Clone, Copy, Debug)]
pub struct VMShapeLower;

const NAME: &str = "VMShapeLower";

impl Pass for VMShapeLower {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::MachineReady, to: Form::MachineReady }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let module = without_purity(NAME, &computed(NAME, &module)?)?;
        let functions: Vec<(Arc<str>, Arc<Function>)> = module
            .iter()
            .filter_map(|(name, function)| match function {
                GlobalFunc::Relax(function) => Some((name.clone(), function.clone())),
                GlobalFunc::Prim(_) => None,
            })
            .collect();
        let mut lowered = module;
        let mut diagnostics = Diagnostics::default();
        for (name, function) in functions {
            match lower::function(&mut lowered, &function) {
                Ok(function) => drop(lowered.insert(name, function)),
                Err(error) => diagnostics.push(located(defect(&error), &function.origins)),
            }
        }
        if diagnostics.has_errors() {
            return Err(PassError { pass: NAME, diagnostics });
        }
        with_renewed_references(NAME, &lowered)
    }
}

/// The info without symbolic dimensions: of a shape with one the rank is left, of a scalar the data type.
fn erased(info: &StructInfo) -> StructInfo {
    let all = |infos: &[StructInfo]| infos.iter().map(|info| with_stack(|| erased(info))).collect();
    let shape = |shape: &TensorShape| match shape {
        TensorShape::Known(dims) if dims.iter().any(is_symbolic) => TensorShape::Rank(dims.len()),
        _ => shape.clone(),
    };
    match info {
        StructInfo::Object => StructInfo::Object,
        StructInfo::Prim { dtype, value } => {
            StructInfo::Prim { dtype: *dtype, value: value.clone().filter(|value| !is_symbolic(value)) }
        }
        StructInfo::Shape(dims) => StructInfo::Shape(shape(dims)),
        StructInfo::Tensor { shape: dims, dtype, vdevice } => {
            StructInfo::Tensor { shape: shape(dims), dtype: *dtype, vdevice: vdevice.clone() }
        }
        StructInfo::Tuple(fields) => StructInfo::Tuple(all(fields)),
        StructInfo::Func { params, ret, pure } => StructInfo::Func {
            params: params.as_ref().map(|params| all(params)),
            ret: Box::new(with_stack(|| erased(ret))),
            pure: *pure,
        },
    }
}

fn is_symbolic(dim: &scalar::Expr) -> bool {
    let mut found = false;
    walk(dim, |_: &scalar::Var| found = true);
    found
}
