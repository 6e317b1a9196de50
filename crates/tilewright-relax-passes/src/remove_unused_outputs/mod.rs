//! `RemoveUnusedOutputs`: private functions return only the fields that their callers take.
//!
//! ```text
//! def f(x): return (a, b, c)                 def f(x): return (a, c)
//! t = f(x); y = t[0]; z = t[2]          ⇒    t = f(x); y = t[0]; z = t[1]
//! ```
//!
//! From any form to any form. The pass changes private functions that are only called and return a tuple; a field is
//! removed that no call takes out of its result. A single field that is left is the result itself. A function none of
//! whose fields is taken stays as it is: `DeadCodeElimination` removes its calls. It also removes what only computed
//! the fields that went.

use std::collections::BTreeSet;
use std::sync::Arc;

use tilewright_expr::node::{VarId, rewrite, walk_some};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingBlock, BindingValue, Callee, Expr, ExprKind, Function, StructInfo, Var};
use tilewright_ir::verify::Form;
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::{Map, OrderedMap, Origins, Set};

use crate::normalize::normalized;
use crate::private_calls::only_called;
use crate::sequence::{bound_value, map_blocks, map_functions, push_block, with_renewed_references};

/// Removes fields of the results of private functions that no caller takes.
#[derive(Clone, Copy, Debug)]
pub struct RemoveUnusedOutputs;

const NAME: &str = "RemoveUnusedOutputs";

impl Pass for RemoveUnusedOutputs {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut module = map_functions(NAME, &module, |function, _| normalized(function))?;
        let kept = kept_fields(&module);
        for (name, kept) in &kept {
            if let Some(function) = module.relax(name).cloned() {
                module.insert(name.clone(), with_fields(&function, kept));
            }
        }
        let module = map_functions(NAME, &module, |function, _| with_taken(function, &kept))?;
        with_renewed_references(NAME, &module)
    }
}

/// Of functions that lose fields those that stay.
type Kept = OrderedMap<Arc<str>, Vec<usize>>;

fn kept_fields(module: &IRModule) -> Kept {
    let mut taken: OrderedMap<Arc<str>, Option<BTreeSet<usize>>> = OrderedMap::default();
    for (_, function) in module.iter() {
        let GlobalFunc::Relax(function) = function else { continue };
        let uses = Uses::of(function);
        let _ = map_blocks(&function.body, &mut |block| {
            for binding in &block.bindings {
                let Some(name) = bound_value(binding).and_then(called).cloned() else { continue };
                let fields = uses.fields(&binding.var);
                let known = taken.entry(name).or_insert_with(|| Some(BTreeSet::new()));
                *known = known.take().zip(fields).map(|(known, fields)| &known | &fields);
            }
            vec![block]
        });
    }
    let mut kept = Kept::default();
    for (name, function) in only_called(module) {
        let (StructInfo::Tuple(fields), Some(Some(taken))) = (&function.ret, taken.get(&name)) else { continue };
        if !taken.is_empty() && taken.len() < fields.len() {
            kept.insert(name, taken.iter().copied().collect());
        }
    }
    kept
}

fn called(value: &Expr) -> Option<&Arc<str>> {
    let ExprKind::Call { callee: Callee::Value(callee), .. } = &value.kind else { return None };
    match &callee.kind {
        ExprKind::GlobalVar(global) => Some(&global.name),
        _ => None,
    }
}

/// How the variables of a function are used.
#[derive(Default)]
struct Uses {
    fields: Map<VarId, BTreeSet<usize>>,
    whole: Set<VarId>,
}

impl Uses {
    fn of(function: &Function) -> Self {
        let mut uses = Self::default();
        walk_some(function, |node| {
            let Some(expr) = node.downcast::<Expr>() else { return true };
            match &expr.kind {
                ExprKind::TupleGet { tuple, index } => match tuple.as_var() {
                    Some(var) => {
                        uses.fields.entry(var.id()).or_default().insert(*index);
                        false
                    }
                    None => true,
                },
                ExprKind::Var(var) => {
                    uses.whole.insert(var.id());
                    false
                }
                _ => true,
            }
        });
        uses
    }

    /// The fields that are taken of a tuple; nothing if it is used as a whole.
    fn fields(&self, var: &Var) -> Option<BTreeSet<usize>> {
        (!self.whole.contains(&var.id())).then(|| self.fields.get(&var.id()).cloned().unwrap_or_default())
    }
}

/// The function that gives only these fields.
fn with_fields(function: &Function, kept: &[usize]) -> Function {
    let mut body = function.body.clone();
    let field = |at: usize| match &body.result.kind {
        ExprKind::Tuple(fields) => fields.get(at).cloned(),
        _ => Expr::tuple_get(body.result.clone(), at).ok(),
    };
    let Some(fields) = kept.iter().map(|&at| field(at)).collect::<Option<Vec<Expr>>>() else { return function.clone() };
    let mut taken = Vec::new();
    let fields = fields.into_iter().map(|field| match field.kind {
        ExprKind::TupleGet { .. } => {
            let var = Var::new("gv", field.struct_info.clone());
            taken.push(Binding::new(var.clone(), field, Origins::default()));
            Expr::var(&var)
        }
        _ => field,
    });
    let fields: Vec<Expr> = fields.collect();
    push_block(&mut body.blocks, BindingBlock { dataflow: false, bindings: taken });
    body.result = one_or_tuple(fields, Expr::tuple);
    let ret = match &function.ret {
        StructInfo::Tuple(infos) => {
            let infos = kept.iter().filter_map(|&at| infos.get(at).cloned()).collect();
            one_or_tuple(infos, StructInfo::Tuple)
        }
        other => other.clone(),
    };
    Function { body, ret, ..function.clone() }
}

fn one_or_tuple<T>(mut items: Vec<T>, tuple: impl FnOnce(Vec<T>) -> T) -> T {
    match items.pop() {
        Some(one) if items.is_empty() => one,
        Some(last) => {
            items.push(last);
            tuple(items)
        }
        None => tuple(items),
    }
}

/// The function with results of calls that have only the fields that are left.
fn with_taken(function: &Function, kept: &Kept) -> Function {
    let mut results: Map<VarId, (Var, &[usize])> = Map::default();
    let body = map_blocks(&function.body, &mut |mut block| {
        for binding in &mut block.bindings {
            let Some(kept) = bound_value(binding).and_then(called).and_then(|name| kept.get(name)) else { continue };
            let BindingValue::Expr(value) = &mut binding.value else { continue };
            let StructInfo::Tuple(infos) = &value.struct_info else { continue };
            let infos: Vec<StructInfo> = kept.iter().filter_map(|&at| infos.get(at).cloned()).collect();
            let info = one_or_tuple(infos, StructInfo::Tuple);
            let var = binding.var.with_struct_info(info.clone());
            *value = Expr::raw(info, value.kind.clone());
            results.insert(binding.var.id(), (var.clone(), kept));
            binding.var = var;
        }
        vec![block]
    });
    let field = |expr: &Expr| {
        let ExprKind::TupleGet { tuple, index } = &expr.kind else { return None };
        let (var, kept) = results.get(&tuple.as_var()?.id())?;
        let at = kept.iter().position(|known| known == index)?;
        if kept.len() == 1 { Some(Expr::var(var)) } else { Expr::tuple_get(Expr::var(var), at).ok() }
    };
    let body = rewrite(&body, field).unwrap_or(body);
    Function { body, ..function.clone() }
}
