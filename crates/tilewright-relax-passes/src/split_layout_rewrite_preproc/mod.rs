//! `SplitLayoutRewritePreproc`: the packing of constants in a PrimFunc becomes a function of its own.
//!
//! ```text
//! f(x, w, y):                                        f_weight_prepack(w, packed):
//!     packed = alloc_buffer(…)                           …the nest that is annotated…
//!     …a nest `packed = …w…`, its block annotated   ⇒
//!     `layout_rewrite_preproc`                       f(x, packed, y):
//!     …the rest, which reads `packed`…                   …the rest…
//!
//! y = call_tir(f, (x, w))                            p = call_tir(f_weight_prepack, (w,)); y = call_tir(f, (x, p))
//! ```
//!
//! From any form to any form before explicit destinations (`CallTIRRewrite`). `FoldConstant` then computes the new
//! calls while compiling, and the original constants go. A nest is split off where all of this holds, and else runs
//! first in every call, as it was written:
//!
//! - it is in the root block and reads nothing but parameters that are constants in every call, by the attribute
//!   `layout_free_buffers` ([`AttachAttrLayoutFreeBuffers`](crate::AttachAttrLayoutFreeBuffers));
//! - it writes one buffer that the root block allocates and that nothing else writes;
//! - all sizes in it are numbers.
//!
//! Parameters that the rest does not read are removed; the new ones replace the first that their nests read.

mod function;

use std::sync::Arc;

use tilewright_expr::Expr as Dim;
use tilewright_ir::calls::TirCall;
use tilewright_ir::op::{InferCx, InferError};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, GlobalVar, StructInfo, Var};
use tilewright_ir::verify::Form;
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::{Diagnostic, OrderedMap};

use crate::attach_attr_layout_free_buffers::Uses;
use crate::normalize::normalized;
use crate::sequence::{Rebuild, defect, map_functions, rebuild};
use function::{Source, Split, split};

/// Makes functions of what others do to constants first.
#[derive(Clone, Copy, Debug)]
pub struct SplitLayoutRewritePreproc;

const NAME: &str = "SplitLayoutRewritePreproc";

impl Pass for SplitLayoutRewritePreproc {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut uses = Uses::default();
        for (_, function) in module.iter() {
            if let GlobalFunc::Relax(function) = function {
                uses.of_function(function);
            }
        }
        let mut whole = module.clone();
        let mut calls = Calls { cx: InferCx::default(), made: OrderedMap::default() };
        for (name, function) in module.iter() {
            let GlobalFunc::Prim(function) = function else { continue };
            if function.global_symbol().is_some() || uses.values.contains(name) {
                continue;
            }
            let Some(Split { function, prepacks, params }) = split(function) else { continue };
            let global = whole.insert(name.clone(), function);
            let prepacks = prepacks.into_iter().map(|prepack| {
                let global = whole.insert_unique(&format!("{name}_weight_prepack"), prepack.function);
                (global, prepack.params)
            });
            calls.made.insert(name.clone(), Made { global, prepacks: prepacks.collect(), params });
        }
        if calls.made.is_empty() {
            return Ok(module);
        }
        map_functions(NAME, &whole, |function, diagnostics| {
            let mut function = normalized(function);
            function.body = rebuild(&function.body, &mut calls, diagnostics);
            function
        })
    }
}

/// A function that was split.
struct Made {
    global: GlobalVar,
    /// The functions that run first, with the numbers of the parameters that they get.
    prepacks: Vec<(GlobalVar, Vec<usize>)>,
    /// Its new parameters; those after the arguments of calls are unchanged.
    params: Vec<Source>,
}

struct Calls {
    cx: InferCx,
    made: OrderedMap<Arc<str>, Made>,
}

impl Rebuild for Calls {
    fn binding(&mut self, mut binding: Binding, dataflow: bool, out: &mut Vec<Binding>) -> Result<(), Box<Diagnostic>> {
        if let BindingValue::Expr(value) = &binding.value
            && let Some(call) = self.call(value, &binding, dataflow, out).map_err(|error| Box::new(defect(&error)))?
        {
            binding.value = BindingValue::Expr(call);
        }
        out.push(binding);
        Ok(())
    }
}

impl Calls {
    /// The call of a function that was split, with those before it in `out`.
    fn call(
        &self,
        value: &Expr,
        binding: &Binding,
        dataflow: bool,
        out: &mut Vec<Binding>,
    ) -> Result<Option<Expr>, InferError> {
        let ExprKind::Call { callee, args, sinfo_args, attrs } = &value.kind else { return Ok(None) };
        let (Callee::Tir(global) | Callee::TirInplace { function: global, .. }) = callee else { return Ok(None) };
        let Some(made) = self.made.get(&global.name) else { return Ok(None) };
        let mut packed = Vec::new();
        for (prepack, params) in &made.prepacks {
            let inputs: Option<Vec<Expr>> = params.iter().map(|&at| args.get(at).cloned()).collect();
            let inputs = inputs.ok_or_else(|| InferError::new(format!("`{}` lacks an argument", global.name)))?;
            let result = prepack_result(prepack, params.len())?;
            let call = Expr::call_tir(&self.cx, prepack.clone(), inputs, vec![result])?;
            let info = call.struct_info.clone();
            let var = if dataflow { Var::dataflow("packed", info) } else { Var::new("packed", info) };
            out.push(Binding::new(var.clone(), call, binding.origins.clone()));
            packed.push(Expr::var(&var));
        }
        let is_given = |source: &&Source| match source {
            Source::Old(at) => *at < args.len(),
            Source::Packed(_) => true,
        };
        let given: Vec<Source> = made.params.iter().filter(is_given).copied().collect();
        let now = given.iter().map(|source| match source {
            Source::Old(at) => args[*at].clone(),
            Source::Packed(at) => packed[*at].clone(),
        });
        let (now, out) = (now.collect(), sinfo_args.clone());
        let said = TirCall::of(attrs);
        let call = match callee {
            Callee::TirInplace { results, .. } => {
                let position = |at: &usize| given.iter().position(|source| *source == Source::Old(*at));
                let results = results.iter().map(|result| result.as_ref().and_then(position)).collect();
                Expr::call_tir_inplace_with(&self.cx, made.global.clone(), now, results, out, said.tir_vars)
            }
            _ => Expr::call_tir_with(&self.cx, made.global.clone(), now, out, said),
        };
        call.map(Some)
    }
}

/// The results of a function that runs first.
fn prepack_result(prepack: &GlobalVar, inputs: usize) -> Result<StructInfo, InferError> {
    let result = match &prepack.signature {
        StructInfo::Func { params: Some(params), .. } => params.get(inputs),
        _ => None,
    };
    let sizes = result.and_then(StructInfo::dims).map(|dims| dims.iter().map(|dim| Some(Dim::i64(dim.as_int()?))));
    match (sizes.and_then(Iterator::collect::<Option<Vec<Dim>>>), result.and_then(StructInfo::dtype)) {
        (Some(sizes), Some(dtype)) => Ok(StructInfo::tensor(sizes, dtype)),
        _ => Err(InferError::new(format!("`{}` has no result of known sizes", prepack.name))),
    }
}
