//! `AttachAttrLayoutFreeBuffers`: marks parameters of PrimFuncs that are constants at every call.
//!
//! ```text
//! R.call_tir(cls.f, (x, R.const(…)), …)     ⇒     T.func_attr({"layout_free_buffers": [1]})   in `f`
//! ```
//!
//! From any form to any form before explicit destinations (`CallTIRRewrite`). A schedule may then choose the layout of
//! such a parameter: it copies (packs) the parameter first, in a nest of its own, which
//! [`SplitLayoutRewritePreproc`](crate::SplitLayoutRewritePreproc) moves out of the function. A parameter of a graph
//! function is no constant, whatever is bound to it later. Functions that are visible outside, used as values, or never
//! called stay as they are.

use std::sync::Arc;

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::analysis::vars::{each_binding, value_of};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, Function};
use tilewright_ir::tir::PrimFunc;
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, GlobalFunc, IRModule};
use tilewright_support::{OrderedMap, Set};

/// Marks the parameters of PrimFuncs that are always constants.
#[derive(Clone, Copy, Debug)]
pub struct AttachAttrLayoutFreeBuffers;

/// The attribute: numbers of parameters.
pub const LAYOUT_FREE_BUFFERS: &str = "layout_free_buffers";

impl Pass for AttachAttrLayoutFreeBuffers {
    fn info(&self) -> PassInfo {
        PassInfo { name: "AttachAttrLayoutFreeBuffers", opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut uses = Uses::default();
        for (_, function) in module.iter() {
            if let GlobalFunc::Relax(function) = function {
                uses.of_function(function);
            }
        }
        let mut marked = module.clone();
        for (name, constant) in &uses.constant {
            let Some(function) = module.prim(name) else { continue };
            if function.global_symbol().is_some() || uses.values.contains(name) || constant.is_empty() {
                continue;
            }
            let mut function = PrimFunc::clone(function);
            let numbers = constant.iter().filter_map(|&at| i64::try_from(at).ok()).map(Attr::Int).collect();
            function.attrs.insert(LAYOUT_FREE_BUFFERS.into(), Attr::Array(numbers));
            marked.insert(name.clone(), function);
        }
        Ok(marked)
    }
}

/// How the functions of a module are used.
#[derive(Default)]
pub(crate) struct Uses {
    /// For each called PrimFunc, the arguments that are constants in every call.
    constant: OrderedMap<Arc<str>, Vec<usize>>,
    /// Functions with uses other than calls by `call_tir`.
    pub(crate) values: Set<Arc<str>>,
}

impl Uses {
    pub(crate) fn of_function(&mut self, function: &Function) {
        let mut constants: Set<VarId> = Set::default();
        each_binding(&function.body, &mut |binding| {
            if is_constant(&constants, binding) {
                constants.insert(binding.var.id());
            }
        });
        let is_constant = |arg: &Expr| match &arg.kind {
            ExprKind::Constant(_) => true,
            ExprKind::Var(var) => constants.contains(&var.id()),
            _ => false,
        };
        walk(function, |expr: &Expr| match &expr.kind {
            ExprKind::GlobalVar(global) => self.values.extend([global.name.clone()]),
            ExprKind::Call {
                callee: Callee::Tir(global) | Callee::TirInplace { function: global, .. }, args, ..
            } => {
                let found: Vec<usize> = (0..args.len()).filter(|&at| is_constant(&args[at])).collect();
                let known = self.constant.entry(global.name.clone()).or_insert_with(|| found.clone());
                known.retain(|at| found.contains(at));
            }
            _ => {}
        });
    }
}

/// Whether the binding gives a constant a name, or gives it another one.
fn is_constant(constants: &Set<VarId>, binding: &Binding) -> bool {
    match &binding.value {
        BindingValue::Expr(_) => match &value_of(binding).kind {
            ExprKind::Constant(_) => true,
            ExprKind::Var(var) => constants.contains(&var.id()),
            _ => false,
        },
        BindingValue::MatchCast { .. } => false,
    }
}
