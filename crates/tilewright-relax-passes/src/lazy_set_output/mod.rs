//! `LazySetOutput`: a function hands each result over as soon as it is computed.
//!
//! ```text
//! def main(w, b):                        def main(w, b, fset_output):
//!     wt = permute_dims(w)                   wt = permute_dims(w)
//!     z = add(b, b)                 ⇒        fset_output(0, wt)
//!     return (wt, z)                         z = add(b, b)
//!                                            fset_output(1, z)
//!                                            return ()
//! ```
//!
//! From any form to any form. A visible function has one result, or the fields of the tuple that it returns. The new
//! parameter comes after the first `num_input` ones, or last where there is no such attribute. Handing a result over is
//! a side effect: the blocks of the function are plain ones afterwards.

use tilewright_expr::Expr as Scalar;
use tilewright_ir::analysis::renewed;
use tilewright_ir::op::InferCx;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingBlock, Expr, ExprKind, Function, SeqExpr, StructInfo, Var, attr_names};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, IRModule};
use tilewright_support::{Diagnostics, Origins};
use tilewright_tensor::DataType;

use crate::normalize::normalized;
use crate::sequence::{defect, map_functions, push_block};
use crate::to_non_dataflow::plain;

/// Hands results over as soon as they are computed.
#[derive(Clone, Copy, Debug)]
pub struct LazySetOutput;

const NAME: &str = "LazySetOutput";

impl Pass for LazySetOutput {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        map_functions(NAME, &module, handing_over)
    }
}

fn handing_over(function: &Function, diagnostics: &mut Diagnostics) -> Function {
    if function.global_symbol().is_none() {
        return function.clone();
    }
    let function = plain(&normalized(function), diagnostics);
    let nothing = StructInfo::Tuple(Vec::new());
    let params = Some(vec![StructInfo::Prim { dtype: DataType::I64, value: None }, StructInfo::Object]);
    let taken = StructInfo::Func { params, ret: Box::new(nothing.clone()), pure: false };
    let fset = Var::new("fset_output", taken);
    let mut waiting: Vec<(Expr, Binding)> = Vec::new();
    for (index, value) in results(&function.body.result).into_iter().enumerate() {
        let args = vec![Expr::prim(Scalar::i64(index as i64)), value.clone()];
        match Expr::call_value(&InferCx::default(), Expr::var(&fset), args) {
            Ok(call) => {
                let handed = Binding::new(Var::new("_", nothing.clone()), call, Origins::default());
                waiting.push((value, handed));
            }
            Err(error) => diagnostics.push(defect(&error)),
        }
    }
    let body = with_calls(&function, waiting);
    let (mut params, mut attrs) = (function.params.clone(), function.attrs.clone());
    let given = attrs.get(attr_names::NUM_INPUT).and_then(Attr::as_int);
    match given.and_then(|inputs| usize::try_from(inputs).ok()).filter(|inputs| *inputs <= params.len()) {
        Some(inputs) => {
            params.insert(inputs, fset);
            attrs.insert(attr_names::NUM_INPUT.into(), Attr::Int(inputs as i64 + 1));
        }
        None => params.push(fset),
    }
    renewed(&Function { params, body, ret: nothing, pure: false, attrs, ..function })
}

fn results(result: &Expr) -> Vec<Expr> {
    match &result.kind {
        ExprKind::Tuple(fields) => fields.clone(),
        _ => vec![result.clone()],
    }
}

/// The body with each call after the binding of its result: at the beginning for parameters, else at the end.
fn with_calls(function: &Function, mut waiting: Vec<(Expr, Binding)>) -> SeqExpr {
    let mut take = |of: &dyn Fn(&Expr) -> bool| -> Vec<Binding> {
        let (ready, rest) = std::mem::take(&mut waiting).into_iter().partition(|(value, _)| of(value));
        waiting = rest;
        let ready: Vec<(Expr, Binding)> = ready;
        ready.into_iter().map(|(_, call)| call).collect()
    };
    let mut blocks = Vec::new();
    let given = take(&|value| value.as_var().is_some_and(|var| function.params.contains(var)));
    push_block(&mut blocks, BindingBlock { dataflow: false, bindings: given });
    for block in &function.body.blocks {
        let mut bindings = Vec::new();
        for binding in &block.bindings {
            bindings.push(binding.clone());
            bindings.extend(take(&|value| value.as_var() == Some(&binding.var)));
        }
        push_block(&mut blocks, BindingBlock { dataflow: false, bindings });
    }
    push_block(&mut blocks, BindingBlock { dataflow: false, bindings: take(&|_| true) });
    SeqExpr { blocks, result: Expr::tuple(Vec::new()) }
}
