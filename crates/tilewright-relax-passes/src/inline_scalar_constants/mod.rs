//! `InlineScalarConstants`: PrimFuncs get the scalar constants that they are called with.
//!
//! ```text
//! y = R.call_tir(cls.multiply, (x, R.const(0.5)), …)       ⇒     y = R.call_tir(cls.multiply1, (x,), …)
//!
//! multiply:  y[i] = x[i] * s[()]                           ⇒     multiply1:  y[i] = x[i] * T.float32(0.5)
//! ```
//!
//! From any form to any form before explicit destinations (`CallTIRRewrite`). The pass changes arguments of
//! `R.call_tir` that are floats or bools of one element, and whose parameters are only read, at their single element. A
//! NaN stays a tensor: programs have one NaN, tensors many. Calls with equal constants share a function.

use std::sync::Arc;

use tilewright_expr::node::{VarId, rewrite, walk};
use tilewright_expr::semantics::Scalar;
use tilewright_ir::analysis::tir::renew_defs;
use tilewright_ir::analysis::vars::each_binding;
use tilewright_ir::calls::TirCall;
use tilewright_ir::op::InferCx;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Constant, Expr, ExprKind, GlobalVar};
use tilewright_ir::tir::{self, Block, Buffer, PrimFunc, Stmt, StmtKind, attr_names};
use tilewright_ir::verify::Form;
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::{Diagnostic, Map};
use tilewright_tensor::{DataType, Tensor};

use crate::normalize::normalized;
use crate::sequence::{Rebuild, bound_value, defect, map_functions, rebuild};

/// Writes constants of one element into the functions that are called with them.
#[derive(Clone, Copy, Debug)]
pub struct InlineScalarConstants;

const NAME: &str = "InlineScalarConstants";
/// The types whose numbers programs have.
const NUMBERS: [DataType; 5] = [DataType::F16, DataType::BF16, DataType::F32, DataType::F64, DataType::BOOL];

impl Pass for InlineScalarConstants {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 1, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut calls =
            Calls { cx: InferCx::default(), module: module.clone(), known: Map::default(), made: Map::default() };
        let graphs = map_functions(NAME, &module, |function, diagnostics| {
            let mut function = normalized(function);
            calls.known.clear();
            each_binding(&function.body, &mut |binding| {
                if let Some(number) = bound_value(binding).and_then(number) {
                    calls.known.insert(binding.var.id(), number);
                }
            });
            function.body = rebuild(&function.body, &mut calls, diagnostics);
            function
        })?;
        let mut result = calls.module;
        for (name, function) in graphs.iter() {
            if let GlobalFunc::Relax(function) = function {
                result.insert(name.clone(), (**function).clone());
            }
        }
        Ok(result)
    }
}

/// The number that a constant of one element is.
pub(crate) fn number(value: &Expr) -> Option<tir::Expr> {
    let ExprKind::Constant(Constant(tensor)) = &value.kind else { return None };
    let dtype = tensor.dtype();
    if tensor.num_elements() != 1 || !(NUMBERS.contains(&dtype) || dtype.is_int() && dtype.bits <= 64) {
        return None;
    }
    let scalar = Scalar::from_bits(dtype, bits(tensor)?);
    match dtype.is_float() {
        true if scalar.as_float().is_nan() => None,
        true => Some(tir::Expr::float(scalar.as_float(), dtype)),
        false if dtype.is_bool() => Some(tir::Expr::bool(scalar.as_bool())),
        false => Some(tir::Expr::int(scalar.as_int(), dtype)),
    }
}

fn bits(tensor: &Tensor) -> Option<u64> {
    let tensor = tensor.to_contiguous().ok()?;
    let bytes = tensor.as_bytes().ok()?;
    let mut wide = [0; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u64::from_le_bytes(wide))
}

struct Calls {
    cx: InferCx,
    module: IRModule,
    /// The numbers that variables are.
    known: Map<VarId, tir::Expr>,
    /// The functions that were made, by the function and the numbers of its parameters.
    made: Map<(Arc<str>, String), Option<GlobalVar>>,
}

impl Rebuild for Calls {
    fn binding(&mut self, mut binding: Binding, _: bool, out: &mut Vec<Binding>) -> Result<(), Box<Diagnostic>> {
        if let BindingValue::Expr(value) = &binding.value
            && let ExprKind::Call { callee: Callee::Tir(global), args, sinfo_args, attrs } = &value.kind
            && let said = TirCall::of(attrs)
            && said.te_grad.is_none()
        {
            let numbers: Vec<Option<tir::Expr>> = args.iter().map(|arg| self.number(arg)).collect();
            if let Some((function, kept)) = self.specialised(&global.name, numbers) {
                let args = kept.into_iter().filter_map(|at| args.get(at).cloned()).collect();
                let call = Expr::call_tir_with(&self.cx, function, args, sinfo_args.clone(), said);
                binding.value = BindingValue::Expr(call.map_err(|error| Box::new(defect(&error)))?);
            }
        }
        out.push(binding);
        Ok(())
    }
}

impl Calls {
    fn number(&self, arg: &Expr) -> Option<tir::Expr> {
        arg.as_var().map_or_else(|| number(arg), |var| self.known.get(&var.id()).cloned())
    }

    /// The function with those of the numbers written in that it only reads, and the arguments that it still takes.
    fn specialised(&mut self, name: &Arc<str>, mut numbers: Vec<Option<tir::Expr>>) -> Option<(GlobalVar, Vec<usize>)> {
        let function = self.module.prim(name)?.clone();
        for (at, number) in numbers.iter_mut().enumerate() {
            let param = function.params.get(at).and_then(|param| param.buffer.as_ref());
            let fits = param.is_some_and(|buffer| is_only_read(&function, buffer));
            *number = number.take().filter(|number| fits && param.is_some_and(|param| param.dtype == number.dtype));
        }
        let kept: Vec<usize> = (0..numbers.len()).filter(|at| numbers[*at].is_none()).collect();
        if kept.len() == numbers.len() {
            return None;
        }
        let key = (name.clone(), format!("{numbers:?}"));
        if let Some(known) = self.made.get(&key) {
            return known.clone().map(|known| (known, kept));
        }
        let made = with_numbers(&function, &numbers).map(|function| self.module.insert_unique(name, function));
        self.made.insert(key, made.clone());
        made.map(|made| (made, kept))
    }
}

/// Whether the function uses the tensor in no other way than to load its element.
fn is_only_read(function: &PrimFunc, buffer: &Buffer) -> bool {
    let (mut loads, mut uses) = (true, true);
    walk(&function.body, |expr: &tir::Expr| match &expr.kind {
        tir::ExprKind::Load { buffer: loaded, predicate, .. } if loaded == buffer => loads &= predicate.is_none(),
        tir::ExprKind::AddressOf { buffer: other, .. } if other == buffer => uses = false,
        tir::ExprKind::Var(var) if *var == buffer.data => uses = false,
        _ => {}
    });
    walk(&function.body, |stmt: &Stmt| match &stmt.kind {
        StmtKind::Store { buffer: stored, .. } if stored == buffer => uses = false,
        StmtKind::Block { block, .. } => {
            uses &= block.match_buffers.iter().all(|view| view.source.buffer != *buffer);
        }
        _ => {}
    });
    walk(&function.body, |other: &Buffer| uses &= other == buffer || other.data != buffer.data);
    loads && uses && buffer.shape.iter().all(|dim| dim.as_int() == Some(1))
}

/// The function with these numbers for its first parameters where there is one.
pub(crate) fn with_numbers(function: &PrimFunc, numbers: &[Option<tir::Expr>]) -> Option<PrimFunc> {
    let mut values: Map<VarId, &tir::Expr> = Map::default();
    for (param, number) in function.params.iter().zip(numbers) {
        values.extend(param.buffer.as_ref().zip(number.as_ref()).map(|(buffer, number)| (buffer.id(), number)));
    }
    let mut made = function.clone();
    made.params.retain(|param| param.buffer.as_ref().is_none_or(|buffer| !values.contains_key(&buffer.id())));
    made.attrs.remove(attr_names::GLOBAL_SYMBOL);
    let number = |expr: &tir::Expr| match &expr.kind {
        tir::ExprKind::Load { buffer, .. } => values.get(&buffer.id()).map(|number| (*number).clone()),
        _ => None,
    };
    made.body = rewrite(&made.body, number)?;
    let read = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Block { values: at, predicate, block } => {
            let is_left = |region: &tir::BufferRegion| !values.contains_key(&region.buffer.id());
            let mut changed = Block::clone(block);
            changed.reads.retain(is_left);
            let (values, predicate) = (at.clone(), predicate.clone());
            (changed.reads.len() < block.reads.len())
                .then(|| StmtKind::Block { values, predicate, block: changed }.into())
        }
        _ => None,
    };
    made.body = rewrite(&made.body, read).unwrap_or(made.body);
    Some(renew_defs(&made))
}
