//! `LowerRuntimeBuiltin`: operators that the runtime implements become calls of its functions by name.
//!
//! ```text
//! s = R.shape_of(x)          ⇒    s = R.call_packed("vm.builtin.shape_of", x)
//! y = R.unique(x)            ⇒    y = R.call_packed("relax.run.unique", True, False, False, False, none, x)
//! R.vm.call_tir_dyn(f, t)    ⇒    f(t[0], …)
//! R.memory.kill_tensor(x)    ⇒    R.vm.kill_object(x)
//! ```
//!
//! From the machine-ready form to it. A function of the runtime gets the operator's attributes in the order of their
//! declaration, then the arguments, as the machine passes them anyway: `default_build` does not need the pass. It is
//! for users who want to see these calls, or to replace them by functions of the process. Operators that the machine
//! has instructions for stay: planned memory, allocation, the end of lifetimes, closures, and aliases.

use tilewright_expr as scalar;
use tilewright_ir::builder::typed;
use tilewright_ir::op::{Builtin, InferCx, InferError, Legalize, MachineOp, OpRef};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, StructInfo, Var};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, Attrs, IRModule};
use tilewright_ops::vm::kill_object;
use tilewright_support::{Diagnostic, Origins};

use crate::purity::without_purity;
use crate::sequence::{Rebuild, bound_value, defect, map_functions, rebuild};

/// Names the runtime's functions.
#[derive(Clone, Copy, Debug)]
pub struct LowerRuntimeBuiltin;

const NAME: &str = "LowerRuntimeBuiltin";

impl Pass for LowerRuntimeBuiltin {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::MachineReady, to: Form::MachineReady }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        map_functions(NAME, &without_purity(NAME, &module)?, |function, diagnostics| {
            let mut function = function.clone();
            function.body = rebuild(&function.body, &mut Lower(InferCx::default()), diagnostics);
            function
        })
    }
}

struct Lower(InferCx);

impl Rebuild for Lower {
    fn binding(&mut self, mut binding: Binding, _: bool, out: &mut Vec<Binding>) -> Result<(), Box<Diagnostic>> {
        if let Some(value) = bound_value(&binding)
            && let ExprKind::Call { callee: Callee::Op(op), args, attrs, .. } = &value.kind
            && let Legalize::Machine(machine) = op.legalize
        {
            let lowered = match machine {
                MachineOp::Builtin(builtin) => {
                    named(builtin, *op, args, attrs, &value.struct_info, &binding.origins, out).map(Some)
                }
                MachineOp::CallPrimFunc => self.prim_func(args).map(Some),
                MachineOp::Kill => args.first().map(|arg| kill_object::call(&self.0, arg.clone())).transpose(),
                MachineOp::AllocTensor
                | MachineOp::AllocStorage
                | MachineOp::TensorInStorage
                | MachineOp::Same
                | MachineOp::Closure => Ok(None),
            };
            if let Some(lowered) = lowered.map_err(|error| Box::new(defect(&error)))? {
                binding.value = BindingValue::Expr(lowered);
            }
        }
        out.push(binding);
        Ok(())
    }
}

impl Lower {
    /// The PrimFunc on the fields, the dimensions of a shape that ends them as scalars.
    fn prim_func(&self, args: &[Expr]) -> Result<Expr, InferError> {
        let [function, given] = args else { return Err(InferError::new("expected a PrimFunc and a tuple")) };
        let ExprKind::Tuple(fields) = &given.kind else {
            return Err(InferError::at(1, "the arguments are a tuple that is written out"));
        };
        let mut fields = fields.clone();
        if let Some(StructInfo::Shape(_)) = fields.last().map(|last| &last.struct_info) {
            let dims = fields.pop().and_then(|shape| shape.struct_info.dims().map(<[_]>::to_vec));
            let dims = dims.ok_or_else(|| InferError::at(1, "the dimensions of a shape among them are not known"))?;
            fields.extend(dims.into_iter().map(Expr::prim));
        }
        let callee = Callee::Value(function.clone());
        let kind = ExprKind::Call { callee, args: fields, attrs: Attrs::new(), sinfo_args: Vec::new() };
        typed(&self.0, kind, &StructInfo::Tuple(Vec::new()))
    }
}

/// The call of the runtime's function.
fn named(
    builtin: Builtin,
    op: OpRef,
    args: &[Expr],
    attrs: &Attrs,
    info: &StructInfo,
    origins: &Origins,
    out: &mut Vec<Binding>,
) -> Result<Expr, InferError> {
    let mut all = Vec::new();
    for def in op.attrs {
        all.push(match attrs.get(def.name) {
            Some(Attr::Int(value)) => Expr::prim(scalar::Expr::i64(*value)),
            Some(Attr::Bool(value)) => Expr::prim(scalar::Expr::bool(*value)),
            Some(Attr::Str(text)) => Expr::str(text.clone()),
            Some(Attr::DType(dtype)) => Expr::dtype_value(*dtype),
            Some(Attr::None) => {
                let none = Expr::call_packed(Builtin::NullValue.name(), Vec::new(), vec![StructInfo::Object]);
                let var = Var::new("none", StructInfo::Object);
                out.push(Binding::new(var.clone(), none, origins.clone()));
                Expr::var(&var)
            }
            other => return Err(InferError::new(format!("attribute `{}` of `{}` is {other:?}", def.name, op.name))),
        });
    }
    all.extend_from_slice(args);
    let said = vec![info.clone()];
    Ok(match op.properties.pure {
        true => Expr::call_pure_packed(builtin.name(), all, said),
        false => Expr::call_packed(builtin.name(), all, said),
    })
}
