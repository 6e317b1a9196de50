//! `DeadCodeElimination`: removes unused bindings without effects, and unreachable functions.
//!
//! A binding is removed if its value is pure and its variable unused; a `match_cast` stays, because it checks. A
//! private function is removed if no externally visible function reaches it; a module without a visible function keeps
//! all of them. With `entry_functions`, these functions are roots as well as the visible ones.

use std::sync::Arc;

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::op::AttrDefault;
use tilewright_ir::pass::{ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingBlock, BindingValue, Expr, ExprKind, Function, GlobalVar, SeqExpr, Var};
use tilewright_ir::verify::Form;
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::{Set, with_stack};

use crate::sequence::map_functions;

/// Removes unused bindings without effects, and private functions that nothing reaches.
#[derive(Clone, Debug, Default)]
pub struct DeadCodeElimination {
    /// Functions that are used though no visible function reaches them.
    pub entry_functions: Vec<String>,
}

const NAME: &str = "DeadCodeElimination";

impl DeadCodeElimination {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "Removes unused bindings without effects, and unreachable private functions.",
        params: &[ParamDef {
            name: "entry_functions",
            kind: ParamKind::OptionalStrs,
            default: AttrDefault::None,
            doc: "The names of further root functions besides the externally visible ones.",
        }],
        make: |args| Ok(Arc::new(Self { entry_functions: args.texts("entry_functions").unwrap_or_default() })),
    };
}

impl Pass for DeadCodeElimination {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 1, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let module = map_functions(NAME, &module, |function, _| Function {
            body: without_dead(&function.body),
            ..function.clone()
        })?;
        Ok(self.reachable_part(module))
    }
}

/// The body of a function without dead bindings.
pub(crate) fn without_dead(body: &SeqExpr) -> SeqExpr {
    live_part(body, &mut Set::default())
}

/// The sequence without dead bindings; `live` collects the variables that it uses.
fn live_part(seq: &SeqExpr, live: &mut Set<VarId>) -> SeqExpr {
    uses(&seq.result, live);
    let mut blocks: Vec<BindingBlock> = Vec::new();
    for block in seq.blocks.iter().rev() {
        let mut bindings: Vec<Binding> = Vec::new();
        for binding in block.bindings.iter().rev() {
            let value = match &binding.value {
                BindingValue::Expr(value) => {
                    if value.is_pure() && !live.contains(&binding.var.id()) {
                        continue;
                    }
                    BindingValue::Expr(live_inside(value, live))
                }
                BindingValue::MatchCast { value, struct_info } => {
                    BindingValue::MatchCast { value: live_inside(value, live), struct_info: struct_info.clone() }
                }
            };
            bindings.push(Binding { value, ..binding.clone() });
        }
        bindings.reverse();
        if !bindings.is_empty() {
            blocks.push(BindingBlock { dataflow: block.dataflow, bindings });
        }
    }
    blocks.reverse();
    SeqExpr { blocks, result: seq.result.clone() }
}

/// The value of a live binding with the sequences inside it cleaned.
fn live_inside(value: &Expr, live: &mut Set<VarId>) -> Expr {
    let kind = match &value.kind {
        ExprKind::If { condition, then, otherwise } => {
            uses(condition, live);
            let (then, otherwise) = with_stack(|| (live_part(then, live), live_part(otherwise, live)));
            ExprKind::If { condition: condition.clone(), then, otherwise }
        }
        ExprKind::Function(function) => {
            let body = with_stack(|| live_part(&function.body, live));
            ExprKind::Function(Box::new(Function { body, ..(**function).clone() }))
        }
        _ => {
            uses(value, live);
            return value.clone();
        }
    };
    Expr::raw(value.struct_info.clone(), kind)
}

fn uses(expr: &Expr, live: &mut Set<VarId>) {
    walk(expr, |var: &Var| {
        live.insert(var.id());
    });
}

impl DeadCodeElimination {
    fn reachable_part(&self, module: IRModule) -> IRModule {
        let named = |name: &Arc<str>| self.entry_functions.iter().any(|entry| **entry == **name);
        let entry = |name: &Arc<str>, function: &GlobalFunc| function.global_symbol().is_some() || named(name);
        if !module.iter().any(|(name, function)| entry(name, function)) {
            return module;
        }
        let mut reached: Set<Arc<str>> = Set::default();
        let mut pending: Vec<Arc<str>> =
            module.iter().filter(|(name, function)| entry(name, function)).map(|(name, _)| name.clone()).collect();
        while let Some(name) = pending.pop() {
            if !reached.insert(name.clone()) {
                continue;
            }
            match module.get(&name) {
                Some(GlobalFunc::Relax(function)) => globals(function, &mut pending),
                Some(GlobalFunc::Prim(function)) => pending.extend(function.called()),
                None => {}
            }
        }
        let dead: Vec<Arc<str>> =
            module.iter().map(|(name, _)| name).filter(|name| !reached.contains(*name)).cloned().collect();
        let mut module = module;
        for name in dead {
            module.remove(&name);
        }
        module
    }
}

/// The functions that a function names.
fn globals(function: &Function, found: &mut Vec<Arc<str>>) {
    use tilewright_ir::relax::Callee;
    walk(function, |expr: &Expr| match &expr.kind {
        ExprKind::GlobalVar(GlobalVar { name, .. })
        | ExprKind::Call {
            callee: Callee::Tir(GlobalVar { name, .. }) | Callee::TirInplace { function: GlobalVar { name, .. }, .. },
            ..
        } => found.push(name.clone()),
        _ => {}
    });
}
