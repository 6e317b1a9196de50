//! `FuseTIR`: functions that fusion has made become PrimFuncs.
//!
//! A private function with the attribute `Primitive` that consists of calls of PrimFuncs becomes one PrimFunc of the
//! same name, with the bodies of those in sequence (see `body`): intermediate tensors become temporaries. Its calls
//! become `R.call_tir`, or `R.call_tir_inplace` where a result overwrites an argument. PrimFuncs that are no longer
//! called are removed. Loops are not fused here: that is up to schedules.
//!
//! A function stays as it is if its body has anything but such calls, a check or an operator; if it overwrites an
//! argument without returning it; if it is used as a value; or if a PrimFunc requires strides, memory or addresses that
//! no compact tensor has. As a function it means the same.

mod body;
mod splice;

use std::sync::Arc;

use tilewright_expr as scalar;
use tilewright_expr::node::{AnyHandle, rewrite, walk};
use tilewright_ir::analysis::used_global_vars;
use tilewright_ir::analysis::vars::{each_binding, value_of};
use tilewright_ir::calls::TirCall;
use tilewright_ir::op::{DimBindings, InferCx, InferError, check_against};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, GlobalVar, StructInfo};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, GlobalFunc, IRModule};
use tilewright_support::{Diagnostic, Map, OrderedMap, Set};

use crate::normalize::normalized;
use crate::outline::{CODEGEN, PRIMITIVE};
use crate::sequence::{Emitter, Rebuild, defect, map_functions, rebuild};
use body::{Fused, Input, Tree, fused};

/// Makes PrimFuncs of functions that fusion has made.
#[derive(Clone, Copy, Debug)]
pub struct FuseTIR;

const NAME: &str = "FuseTIR";

impl Pass for FuseTIR {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let made = all_fused(&module);
        if made.is_empty() {
            return Ok(module);
        }
        let params = |name: &Arc<str>| {
            module.relax(name).map(|function| function.params.iter().map(|p| p.struct_info.clone()).collect())
        };
        let params: Map<Arc<str>, Vec<StructInfo>> =
            made.keys().filter_map(|name| Some((name.clone(), params(name)?))).collect();
        let mut parts: Set<Arc<str>> = Set::default();
        let mut whole = module.clone();
        for (name, fused) in &made {
            parts.extend(fused.parts.iter().cloned());
            whole.insert(name.clone(), fused.function.clone());
        }
        let globals = made.keys().filter_map(|name| Some((name.clone(), whole.global_var(name)?))).collect();
        let mut calls = Calls { cx: InferCx::default(), made: &made, params, globals };
        let whole = map_functions(NAME, &whole, |function, diagnostics| {
            let mut function = normalized(function);
            function.body = rebuild(&function.body, &mut calls, diagnostics);
            function
        })?;
        Ok(without_unused(&whole, &parts))
    }
}

/// The functions that become PrimFuncs.
fn all_fused(module: &IRModule) -> OrderedMap<Arc<str>, Fused> {
    let is_made = |function: &tilewright_ir::relax::Function| {
        let primitive = function.attrs.get(PRIMITIVE).is_some_and(Attr::is_true);
        primitive && !function.attrs.contains_key(CODEGEN) && function.global_symbol().is_none()
    };
    let mut made: OrderedMap<Arc<str>, Fused> = OrderedMap::default();
    for (name, function) in module.iter() {
        if let GlobalFunc::Relax(function) = function
            && is_made(function)
            && let Some(fused) = fused(module, function)
        {
            made.insert(name.clone(), fused);
        }
    }
    let values = used_as_values(module);
    made.retain(|name, _| !values.contains(name));
    made
}

/// The functions with uses other than calls with known results.
fn used_as_values(module: &IRModule) -> Set<Arc<str>> {
    let (mut named, mut called): (Map<usize, Arc<str>>, Set<usize>) = (Map::default(), Set::default());
    let mut found: Set<Arc<str>> = Set::default();
    for (_, function) in module.iter() {
        let GlobalFunc::Relax(function) = function else { continue };
        walk(&**function, |expr: &Expr| match &expr.kind {
            ExprKind::GlobalVar(global) => drop(named.insert(expr.address(), global.name.clone())),
            ExprKind::Call { callee, args, .. } => {
                // One node may be called here and an argument there.
                found.extend(args.iter().filter_map(global_name));
                if let Callee::Value(callee) = callee
                    && is_known(&expr.struct_info)
                {
                    called.insert(callee.address());
                }
            }
            ExprKind::Tuple(fields) => found.extend(fields.iter().filter_map(global_name)),
            _ => {}
        });
        each_binding(&function.body, &mut |binding| found.extend(global_name(value_of(binding))));
        found.extend(global_name(&function.body.result));
    }
    found.extend(named.into_iter().filter(|(address, _)| !called.contains(address)).map(|(_, name)| name));
    found
}

fn global_name(expr: &Expr) -> Option<Arc<str>> {
    match &expr.kind {
        ExprKind::GlobalVar(global) => Some(global.name.clone()),
        _ => None,
    }
}

/// Whether every tensor in it has a known shape and type.
fn is_known(info: &StructInfo) -> bool {
    match info {
        StructInfo::Tensor { .. } => info.dims().is_some() && info.dtype().is_some(),
        StructInfo::Tuple(fields) => fields.iter().all(is_known),
        _ => false,
    }
}

/// Rewrites calls of the functions that became PrimFuncs.
struct Calls<'m> {
    cx: InferCx,
    made: &'m OrderedMap<Arc<str>, Fused>,
    /// The original parameters of the functions.
    params: Map<Arc<str>, Vec<StructInfo>>,
    globals: Map<Arc<str>, GlobalVar>,
}

impl Rebuild for Calls<'_> {
    fn binding(&mut self, binding: Binding, dataflow: bool, out: &mut Vec<Binding>) -> Result<(), Box<Diagnostic>> {
        if let BindingValue::Expr(value) = &binding.value
            && let ExprKind::Call { callee: Callee::Value(callee), args, .. } = &value.kind
            && let ExprKind::GlobalVar(global) = &callee.kind
            && let Some(fused) = self.made.get(&global.name)
        {
            let mut emitter = Emitter { dataflow, origins: &binding.origins, out };
            let made = self.call(&mut emitter, fused, &global.name, args, &value.struct_info);
            let value = made.map_err(|error| Box::new(defect(&error)))?;
            out.push(Binding { value: BindingValue::Expr(value), ..binding });
            return Ok(());
        }
        out.push(binding);
        Ok(())
    }
}

impl Emitter<'_> {
    /// A field of a field of … a value.
    fn field(&mut self, value: &Expr, path: &[usize]) -> Result<Expr, InferError> {
        let mut value = value.clone();
        for &index in path {
            value = match &value.kind {
                ExprKind::Tuple(fields) if index < fields.len() => fields[index].clone(),
                _ => self.bind(Expr::tuple_get(value, index)?),
            };
        }
        Ok(value)
    }
}

impl Calls<'_> {
    /// The value of a call, from the function's arguments and what it gave.
    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        fused: &Fused,
        name: &Arc<str>,
        args: &[Expr],
        given: &StructInfo,
    ) -> Result<Expr, InferError> {
        let (Some(global), Some(params)) = (self.globals.get(name), self.params.get(name)) else {
            return Err(InferError::new(format!("`{name}` is no function")));
        };
        let mut inputs = Vec::new();
        for input in &fused.inputs {
            inputs.push(argument(emitter, input, args)?);
        }
        let mut infos = vec![None; fused.results.len()];
        results(&fused.result, given, &mut infos);
        let infos: Vec<StructInfo> = infos.into_iter().flatten().collect();
        let all: Vec<&StructInfo> = args.iter().map(|arg| &arg.struct_info).collect();
        let bound = check_against(&self.cx, &format!("`{name}`"), params, &all)?;
        let tir_vars: Vec<_> = fused.dims.iter().map(|dim| known(dim, &bound)).collect();
        let call = match fused.results.iter().any(Option::is_some) {
            true => {
                let inplace = fused.results.clone();
                Expr::call_tir_inplace_with(&self.cx, global.clone(), inputs, inplace, infos, tir_vars)?
            }
            false => {
                let said = TirCall { tir_vars, te_grad: None };
                Expr::call_tir_with(&self.cx, global.clone(), inputs, infos, said)?
            }
        };
        if is_flat(&fused.result, fused.results.len()) {
            return Ok(call);
        }
        let call = emitter.bind(call);
        let fields: Vec<Expr> = match fused.results.len() {
            1 => vec![call],
            many => {
                let fields = (0..many).map(|i| Ok(emitter.bind(Expr::tuple_get(call.clone(), i)?)));
                fields.collect::<Result<_, InferError>>()?
            }
        };
        assembled(emitter, &fused.result, &fields, args)
    }
}

fn argument(emitter: &mut Emitter<'_>, input: &Input, args: &[Expr]) -> Result<Expr, InferError> {
    match input {
        Input::Constant(constant) => Ok(constant.clone()),
        Input::Param(param, path) => match args.get(*param) {
            Some(arg) => emitter.field(arg, path),
            None => Err(InferError::new(format!("no argument {param}"))),
        },
    }
}

/// The results of the PrimFunc, by the function's result.
fn results(tree: &Tree, given: &StructInfo, found: &mut [Option<StructInfo>]) {
    match (tree, given) {
        (Tree::Result(number), info) => found[*number] = Some(info.clone()),
        (Tree::Tuple(fields), StructInfo::Tuple(infos)) => {
            fields.iter().zip(infos).for_each(|(field, info)| results(field, info, found));
        }
        (Tree::Tuple(_) | Tree::Argument(_), _) => {}
    }
}

/// Whether the call gives just what the function gave.
fn is_flat(tree: &Tree, count: usize) -> bool {
    match tree {
        Tree::Result(_) => true,
        Tree::Argument(_) => false,
        Tree::Tuple(fields) => {
            let in_order = |(i, field): (usize, &Tree)| matches!(field, Tree::Result(number) if *number == i);
            count > 1 && fields.len() == count && fields.iter().enumerate().all(in_order)
        }
    }
}

fn assembled(emitter: &mut Emitter<'_>, tree: &Tree, fields: &[Expr], args: &[Expr]) -> Result<Expr, InferError> {
    match tree {
        Tree::Result(number) => Ok(fields[*number].clone()),
        Tree::Argument(input) => argument(emitter, input, args),
        Tree::Tuple(inside) => {
            let inside = inside.iter().map(|tree| assembled(emitter, tree, fields, args));
            Ok(Expr::tuple(inside.collect::<Result<_, _>>()?))
        }
    }
}

/// The dimension of a function as its caller knows it.
fn known(dim: &scalar::Expr, bound: &DimBindings) -> scalar::Expr {
    let value = |e: &scalar::Expr| {
        e.as_var().and_then(|var| bound.iter().find(|(known, _)| known == var)).map(|(_, value)| value.clone())
    };
    rewrite(dim, value).unwrap_or_else(|| dim.clone())
}

/// The module without those of the functions that are private and that no graph function names.
fn without_unused(module: &IRModule, parts: &Set<Arc<str>>) -> IRModule {
    let mut named: Set<Arc<str>> = Set::default();
    for (_, function) in module.iter() {
        if let GlobalFunc::Relax(function) = function {
            named.extend(used_global_vars(&**function));
        } else if let GlobalFunc::Prim(function) = function {
            named.extend(function.called());
        }
    }
    let mut left = IRModule::new();
    (left.attrs, left.global_infos) = (module.attrs.clone(), module.global_infos.clone());
    for (name, function) in module.iter() {
        if named.contains(name) || !parts.contains(name) || function.global_symbol().is_some() {
            left.insert(name.clone(), function.clone());
        }
    }
    left
}
