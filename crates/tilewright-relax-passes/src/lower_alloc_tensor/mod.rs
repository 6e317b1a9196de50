//! `LowerAllocTensor`: a tensor in memory of its own is taken in two steps, its storage and the tensor in it.
//!
//! ```text
//! x = R.builtin.alloc_tensor(R.shape([n, 4]), dtype="float32")
//!     ⇒    storage = R.vm.alloc_storage(R.shape([n * 16]), dtype="float32")
//!          x = R.vm.alloc_tensor(storage, R.shape([n, 4]), offset=0, dtype="float32")
//! ```
//!
//! From the machine-ready form to it. A tensor of whose shape only the rank is known stays as it is: its bytes are not
//! known. `default_build` does not need it, as the machine allocates such tensors in one instruction; it is for those
//! who look at storages themselves, to share or to count them.

use tilewright_expr as scalar;
use tilewright_ir::op::{InferCx, InferError, Legalize, MachineOp};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, Var};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, Attrs, IRModule};
use tilewright_ops::vm::{alloc_storage, alloc_tensor};
use tilewright_support::Diagnostic;
use tilewright_tensor::DataType;

use crate::sequence::{Rebuild, bound_value, defect, map_functions, rebuild};

/// Takes tensors of their own from storages of their own.
#[derive(Clone, Copy, Debug)]
pub struct LowerAllocTensor;

const NAME: &str = "LowerAllocTensor";

impl Pass for LowerAllocTensor {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::MachineReady, to: Form::MachineReady }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        map_functions(NAME, &module, |function, diagnostics| {
            let mut function = function.clone();
            function.body = rebuild(&function.body, &mut Lower(InferCx::default()), diagnostics);
            function
        })
    }
}

struct Lower(InferCx);

impl Rebuild for Lower {
    fn binding(&mut self, mut binding: Binding, _: bool, out: &mut Vec<Binding>) -> Result<(), Box<Diagnostic>> {
        if let Some(tensor) = self.in_storage(&binding, out).map_err(|error| Box::new(defect(&error)))? {
            binding.value = BindingValue::Expr(tensor);
        }
        out.push(binding);
        Ok(())
    }
}

impl Lower {
    /// The replacement of an allocation of known size: a tensor in a storage, which `out` binds.
    fn in_storage(&self, binding: &Binding, out: &mut Vec<Binding>) -> Result<Option<Expr>, InferError> {
        let Some((shape, attrs)) = bound_value(binding).and_then(allocated) else { return Ok(None) };
        let Some(dtype) = binding.var.struct_info.dtype() else { return Ok(None) };
        let Some(bytes) = shape.struct_info.dims().and_then(|dims| bytes(dims, dtype)) else { return Ok(None) };
        let device = attrs.get("runtime_device_index").and_then(Attr::as_int).unwrap_or(0);
        let scope = attrs.get("storage_scope").and_then(Attr::as_str).unwrap_or("global");
        let storage = alloc_storage::call(&self.0, Expr::shape(vec![bytes]), device, dtype, scope)?;
        let var = Var::new("storage", storage.struct_info.clone());
        out.push(Binding::new(var.clone(), storage, binding.origins.clone()));
        alloc_tensor::call(&self.0, Expr::var(&var), shape.clone(), 0, dtype).map(Some)
    }
}

/// The shape and the attributes of the allocation that a value is.
fn allocated(value: &Expr) -> Option<(&Expr, &Attrs)> {
    match &value.kind {
        ExprKind::Call { callee: Callee::Op(op), args, attrs, .. }
            if matches!(op.legalize, Legalize::Machine(MachineOp::AllocTensor)) =>
        {
            Some((args.first()?, attrs))
        }
        _ => None,
    }
}

/// The bytes of a tensor of these dimensions; several elements share a byte where they are narrower.
fn bytes(dims: &[scalar::Expr], dtype: DataType) -> Option<scalar::Expr> {
    let elements = dims.iter().fold(scalar::Expr::i64(1), |all, dim| &all * dim);
    if dtype.is_packed() {
        let per_byte = scalar::Expr::i64(8 / i64::from(dtype.bits));
        let whole = &elements + &scalar::Expr::i64(8 / i64::from(dtype.bits) - 1);
        return scalar::Expr::binary(scalar::BinOp::FloorDiv, &whole, &per_byte).ok();
    }
    let bytes = &elements * &scalar::Expr::i64(i64::try_from(dtype.bytes()).ok()?);
    Some(tilewright_arith::Analyzer::new().simplify(&bytes))
}
