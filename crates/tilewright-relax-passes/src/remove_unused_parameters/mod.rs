//! `RemoveUnusedParameters`: private functions lose unused parameters.
//!
//! ```text
//! def f(x, unused): return abs(x)            def f(x): return abs(x)
//! y = f(a, b)                           ⇒    y = f(a)
//! ```
//!
//! From any form to any form. A private function that is only called loses the parameters that its body does not
//! mention; calls lose the arguments. If an unused tensor is all that determines a symbolic dimension of the function,
//! a shape replaces it as the last parameter. A parameter stays if it checks a call: if the argument is not known to
//! have the parameter's type. Private callers then lose unused parameters too.

use std::sync::Arc;

use tilewright_expr as scalar;
use tilewright_expr::node::{IrNode, VarId, walk};
use tilewright_ir::analysis::effects::callees_first;
use tilewright_ir::analysis::{BaseCheck, definable_dims, struct_info_base_check};
use tilewright_ir::op::{DimBindings, InferCx, check_against, substitute_dims};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Callee, Expr, ExprKind, Function, StructInfo, TensorShape, Var, attr_names};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, GlobalFunc, IRModule};
use tilewright_support::{Map, OrderedMap, Set};

use crate::normalize::normalized;
use crate::private_calls::only_called;
use crate::sequence::{map_calls, map_functions, with_renewed_references};

/// Removes parameters of private functions that nothing uses.
#[derive(Clone, Copy, Debug)]
pub struct RemoveUnusedParameters;

const NAME: &str = "RemoveUnusedParameters";

impl Pass for RemoveUnusedParameters {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut module = map_functions(NAME, &module, |function, _| normalized(function))?;
        loop {
            let plans = plans(&module);
            if plans.is_empty() {
                return Ok(module);
            }
            for (name, (function, plan)) in &plans {
                module.insert(name.clone(), plan.function(function));
            }
            module = map_functions(NAME, &module, |function, _| Function {
                body: map_calls(&function.body, &mut |call| rewritten(call, &plans)),
                ..function.clone()
            })?;
            module = with_renewed_references(NAME, &module)?;
        }
    }
}

/// The changes to the parameters of a function.
struct Plan {
    /// Those that stay.
    kept: Vec<usize>,
    /// The dimensions that none of them tells any more.
    dims: Vec<scalar::Var>,
}

type Plans = OrderedMap<Arc<str>, (Arc<Function>, Plan)>;

/// The plans of a round: a function is looked at when those of its callees are made, without the arguments that they
/// drop.
fn plans(module: &IRModule) -> Plans {
    let mut plans = Plans::default();
    let calls = calls(module);
    let private: Map<Arc<str>, Arc<Function>> = only_called(module).into_iter().collect();
    for name in callees_first(module) {
        let Some(function) = private.get(&name) else { continue };
        let body = map_calls(&function.body, &mut |call| rewritten(call, &plans));
        let changed = Function { body, ..(**function).clone() };
        if let Some(plan) = plan(&changed, calls.get(&name).map_or(&[], Vec::as_slice)) {
            plans.insert(name, (function.clone(), plan));
        }
    }
    plans
}

/// By function, the arguments of all its calls.
fn calls(module: &IRModule) -> Map<Arc<str>, Vec<Vec<Expr>>> {
    let mut found: Map<Arc<str>, Vec<Vec<Expr>>> = Map::default();
    for (_, function) in module.iter() {
        let GlobalFunc::Relax(function) = function else { continue };
        walk(&**function, |expr: &Expr| {
            if let Some((name, args)) = called(expr) {
                found.entry(name.into()).or_default().push(args.to_vec());
            }
        });
    }
    found
}

fn called(expr: &Expr) -> Option<(&str, &[Expr])> {
    let ExprKind::Call { callee: Callee::Value(callee), args, .. } = &expr.kind else { return None };
    let ExprKind::GlobalVar(global) = &callee.kind else { return None };
    Some((&global.name, args))
}

/// The removed parameters; `None` if all stay.
fn plan(function: &Function, calls: &[Vec<Expr>]) -> Option<Plan> {
    let mut used: Set<VarId> = Set::default();
    walk(&function.body, |var: &Var| used.extend([var.id()]));
    let told_by_calls = |at: usize| calls.iter().all(|args| is_unchecked(function, args, at));
    let is_needed = |at: usize| used.contains(&function.params[at].id()) || !told_by_calls(at);
    let mut kept: Vec<usize> = (0..function.params.len()).filter(|&at| is_needed(at)).collect();
    // A scalar or shape stays if it determines a dimension, and a tensor if its callers cannot determine the dimension
    // otherwise.
    loop {
        let dims = untold(function, &kept);
        let tells = |at: &usize| {
            let param = &function.params[*at];
            let tells = definable_dims(&param.struct_info).into_iter().any(|dim| dims.contains(dim));
            let cheap = !matches!(param.struct_info, StructInfo::Tensor { .. });
            tells && (cheap || !calls.iter().all(|args| dims_at(function, args, &dims).is_some()))
        };
        let Some(more) = (0..function.params.len()).find(|at| !kept.contains(at) && tells(at)) else {
            return (kept.len() < function.params.len()).then_some(Plan { kept, dims });
        };
        kept.push(more);
        kept.sort_unstable();
    }
}

/// Whether a call with these arguments is not checked by the parameter.
fn is_unchecked(function: &Function, args: &[Expr], at: usize) -> bool {
    let (Some(param), Some(arg)) = (function.params.get(at), args.get(at)) else { return false };
    let Some(dims) = told(function, args) else { return false };
    let expected = substitute_dims(&param.struct_info, &dims);
    struct_info_base_check(&InferCx::default(), &expected, &arg.struct_info) == BaseCheck::Pass
}

/// The callee's dimensions in terms of the caller's.
fn told(function: &Function, args: &[Expr]) -> Option<DimBindings> {
    let params: Vec<StructInfo> = function.params.iter().map(|param| param.struct_info.clone()).collect();
    let infos: Vec<&StructInfo> = args.iter().map(|arg| &arg.struct_info).collect();
    check_against(&InferCx::default(), "the function", &params, &infos).ok()
}

fn dims_at(function: &Function, args: &[Expr], dims: &[scalar::Var]) -> Option<Vec<scalar::Expr>> {
    let told = told(function, args)?;
    dims.iter().map(|dim| told.iter().find(|(known, _)| known == dim).map(|(_, value)| value.clone())).collect()
}

/// The dimensions that parameters which go tell, none that stays does, and the function speaks of.
fn untold(function: &Function, kept: &[usize]) -> Vec<scalar::Var> {
    let is_kept = |at: &usize| kept.contains(at);
    let tell = |at: usize| definable_dims(&function.params[at].struct_info).into_iter().cloned();
    let told: Set<VarId> = kept.iter().flat_map(|&at| tell(at)).map(|dim| dim.id()).collect();
    let mut spoken: Set<VarId> = Set::default();
    mentioned(&function.body, &mut spoken);
    mentioned(&function.ret, &mut spoken);
    kept.iter().for_each(|&at| mentioned(&function.params[at].struct_info, &mut spoken));
    let mut dims: Vec<scalar::Var> = Vec::new();
    for dim in (0..function.params.len()).filter(|at| !is_kept(at)).flat_map(tell) {
        if spoken.contains(&dim.id()) && !told.contains(&dim.id()) && !dims.contains(&dim) {
            dims.push(dim);
        }
    }
    dims
}

fn mentioned<N: IrNode>(node: &N, found: &mut Set<VarId>) {
    walk(node, |dim: &scalar::Var| found.extend([dim.id()]));
}

impl Plan {
    fn function(&self, function: &Function) -> Function {
        let mut params: Vec<Var> = self.kept.iter().map(|&at| function.params[at].clone()).collect();
        if !self.dims.is_empty() {
            let dims = self.dims.iter().map(scalar::Expr::var).collect();
            params.push(Var::new("dims", StructInfo::Shape(TensorShape::Known(dims))));
        }
        let mut attrs = function.attrs.clone();
        if let Some(Attr::Int(inputs)) = attrs.get_mut(attr_names::NUM_INPUT) {
            *inputs = self.kept.iter().filter(|&&at| (at as i64) < *inputs).count() as i64;
        }
        Function { params, attrs, ..function.clone() }
    }

    fn args(&self, function: &Function, args: &[Expr]) -> Option<Vec<Expr>> {
        let mut kept: Vec<Expr> = self.kept.iter().map(|&at| args.get(at).cloned()).collect::<Option<_>>()?;
        if !self.dims.is_empty() {
            kept.push(Expr::shape(dims_at(function, args, &self.dims)?));
        }
        Some(kept)
    }
}

fn rewritten(call: &Expr, plans: &Plans) -> Option<Expr> {
    let (name, args) = called(call)?;
    let (function, plan) = plans.get(name)?;
    let ExprKind::Call { callee, attrs, sinfo_args, .. } = &call.kind else { return None };
    let args = plan.args(function, args)?;
    let (callee, attrs, sinfo_args) = (callee.clone(), attrs.clone(), sinfo_args.clone());
    Some(Expr::raw(call.struct_info.clone(), ExprKind::Call { callee, args, attrs, sinfo_args }))
}
