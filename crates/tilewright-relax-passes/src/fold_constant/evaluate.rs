//! One call of constants, computed.

use std::rc::Rc;
use std::sync::Arc;

use tilewright_expr as scalar;
use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::interface::KernelInterface;
use tilewright_ir::legalize::LegalizeCx;
use tilewright_ir::op::OpCall;
use tilewright_ir::pass::Evaluator;
use tilewright_ir::relax::{Callee, Constant, Expr, ExprKind, StructInfo};
use tilewright_ir::tir::{ForeignCallee, PrimFunc};
use tilewright_ir::{Attrs, IRModule};
use tilewright_support::Map;
use tilewright_tensor::Tensor;

use super::{FREE_BYTES, GROWTH, view};
use crate::equal_calls::{Asked, EqualCalls};

/// The computation of a call of constants.
struct Computation {
    function: PrimFunc,
    /// The results that are views of arguments.
    views: Option<view::Views>,
}

/// The computations of calls, by their keys: a model has few distinct ones.
#[derive(Default)]
pub(super) struct Computations {
    of_ops: EqualCalls<Option<Rc<Computation>>>,
    /// By the function's name, and how many of its parameters are inputs in the call.
    of_prims: Map<(Arc<str>, usize), Option<Rc<Computation>>>,
}

impl Computations {
    /// The computation of the call; `None` if it is not to be folded.
    fn of(
        &mut self,
        module: &IRModule,
        callee: &Callee,
        args: &[Expr],
        attrs: &Attrs,
        inputs: usize,
    ) -> Option<Rc<Computation>> {
        match callee {
            Callee::Tir(global) => {
                let function = module.prim(&global.name)?;
                if !args.iter().all(|arg| tensor(arg).is_some()) {
                    return Computation::of(with_scalars(function, args)?, inputs);
                }
                let key = (global.name.clone(), inputs);
                if let Some(known) = self.of_prims.get(&key) {
                    return known.clone();
                }
                let found = Computation::of(with_scalars(function, args)?, inputs);
                self.of_prims.insert(key, found.clone());
                found
            }
            Callee::Op(op) if op.properties.pure => {
                let call = OpCall { op: *op, args, attrs };
                let asked = Asked::of(&call);
                if let Some(known) = asked.as_ref().and_then(|asked| self.of_ops.get(asked)) {
                    return known.clone();
                }
                // It runs on the machine that compiles, whatever the module is for.
                let found = op
                    .legalize
                    .prim_func(&LegalizeCx::default(), &call)
                    .ok()
                    .and_then(|function| Computation::of(function, inputs));
                if let Some(asked) = asked {
                    self.of_ops.put(asked, found.clone());
                }
                found
            }
            Callee::Op(_) | Callee::TirInplace { .. } | Callee::DpsPacked(_) | Callee::Packed(_) | Callee::Value(_) => {
                None
            }
        }
    }
}

impl Computation {
    fn of(function: PrimFunc, inputs: usize) -> Option<Rc<Self>> {
        let alone = only_reads(&function, inputs);
        alone.then(|| Rc::new(Self { views: view::Views::of(&function, inputs), function }))
    }
}

/// The result of the call as a constant, or a tuple of constants; `None` if it is not to be folded, or fails.
pub(super) fn call(
    evaluator: &dyn Evaluator,
    computations: &mut Computations,
    module: &IRModule,
    callee: &Callee,
    args: &[Expr],
    attrs: &Attrs,
    result: &StructInfo,
) -> Option<Expr> {
    let fields = |arg: &Expr| match &arg.kind {
        ExprKind::Tuple(fields) => fields.clone(),
        _ => vec![arg.clone()],
    };
    let given: Vec<Expr> = args.iter().flat_map(fields).collect();
    let inputs: Vec<Tensor> =
        given.iter().filter_map(tensor).map(Tensor::to_contiguous).collect::<Result<_, _>>().ok()?;
    let shapes = result.tensors()?.into_iter().map(constant_shape).collect::<Option<Vec<_>>>()?;
    let needed =
        shapes.iter().try_fold(0, |bytes: usize, (dtype, shape)| bytes.checked_add(bytes_of(*dtype, shape)?))?;
    let given: usize = inputs.iter().map(Tensor::num_bytes).sum();
    if needed > given.saturating_mul(GROWTH).saturating_add(FREE_BYTES) {
        return None;
    }
    let computation = computations.of(module, callee, args, attrs, inputs.len())?;
    if let Some(views) = computation.views.as_ref().and_then(|views| views.of_inputs(&inputs)) {
        return constants(views, result);
    }
    let results: Vec<Tensor> =
        shapes.iter().map(|(dtype, shape)| Tensor::zeros_to_keep(*dtype, shape)).collect::<Result<_, _>>().ok()?;
    let all: Vec<Tensor> = inputs.into_iter().chain(results.iter().cloned()).collect();
    evaluator.run(&computation.function, &all).ok()?;
    drop(all);
    // Nothing else refers to the tensors, so sealing needs no copy for the executable.
    constants(results.into_iter().map(Tensor::sealed).collect::<Result<_, _>>().ok()?, result)
}

/// The tensors as a constant, or as a tuple of constants.
fn constants(tensors: Vec<Tensor>, result: &StructInfo) -> Option<Expr> {
    let mut constants: Vec<Expr> = tensors.into_iter().map(Expr::constant).collect();
    match result {
        StructInfo::Tuple(_) => Some(Expr::tuple(constants)),
        _ => constants.pop(),
    }
}

fn tensor(arg: &Expr) -> Option<&Tensor> {
    match &arg.kind {
        ExprKind::Constant(Constant(tensor)) => Some(tensor),
        _ => None,
    }
}

fn constant_shape(info: &StructInfo) -> Option<(tilewright_tensor::DataType, Vec<i64>)> {
    Some((info.dtype()?, info.dims()?.iter().map(scalar::Expr::as_int).collect::<Option<_>>()?))
}

fn bytes_of(dtype: tilewright_tensor::DataType, shape: &[i64]) -> Option<usize> {
    shape.iter().try_fold(dtype.bytes(), |bytes, dim| bytes.checked_mul(usize::try_from(*dim).ok()?))
}

/// The PrimFunc of tensors alone: scalar parameters have the values of their arguments.
fn with_scalars(function: &PrimFunc, args: &[Expr]) -> Option<PrimFunc> {
    let mut values: Vec<(scalar::Var, scalar::Expr)> = Vec::new();
    for (param, arg) in function.params.iter().zip(args) {
        match (&param.buffer, &arg.kind) {
            (Some(_), ExprKind::Constant(_)) => {}
            (None, ExprKind::Prim(value)) if value.dtype == param.var.dtype => {
                values.push((param.var.clone(), value.clone()));
            }
            _ => return None,
        }
    }
    let mut function = function.clone();
    function.params.retain(|param| !values.iter().any(|(var, _)| *var == param.var));
    let value = |expr: &scalar::Expr| {
        let var = expr.as_var()?;
        values.iter().find(|(known, _)| known == var).map(|(_, value)| value.clone())
    };
    Some(rewrite(&function, value).unwrap_or(function))
}

/// Whether the function has only tensor parameters, leaves the first ones unchanged, and calls nothing outside: the
/// effects of a host function are unknown.
fn only_reads(function: &PrimFunc, inputs: usize) -> bool {
    let interface = KernelInterface::of(function);
    let mut alone = true;
    walk(&function.body, |expr: &scalar::Expr| {
        alone &= !matches!(
            &expr.kind,
            scalar::ExprKind::Foreign {
                callee: ForeignCallee::Extern(_)
                    | ForeignCallee::PureExtern(_)
                    | ForeignCallee::Packed(_)
                    | ForeignCallee::Function(_)
                    | ForeignCallee::Builtin(_),
                ..
            }
        );
    });
    alone
        && function.params.iter().all(|param| param.buffer.is_some())
        && interface.tensors.iter().all(|tensor| tensor.param >= inputs || !tensor.written)
}

/// Whether the scalar is written out.
pub(super) fn is_number(value: &scalar::Expr) -> bool {
    matches!(value.kind, scalar::ExprKind::Int(_) | scalar::ExprKind::Float(_))
}

/// The truth of a constant condition.
pub(super) fn truth(condition: &Expr) -> Option<bool> {
    match &condition.kind {
        ExprKind::Constant(Constant(tensor)) if tensor.num_elements() == 1 => {
            tensor.to_vec::<bool>().ok()?.first().copied()
        }
        ExprKind::Prim(value) if value.dtype.is_bool() => value.as_int().map(|value| value != 0),
        _ => None,
    }
}
