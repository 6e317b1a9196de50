//! `ExpandTupleArguments`: private functions take the fields of tuples.
//!
//! ```text
//! def f(t): return add(t[0], t[1])            def f(t_0, t_1): t = (t_0, t_1); return add(t[0], t[1])
//! y = f((a, b))                          ⇒    y = f(a, b)
//! ```
//!
//! From any form to any form. The pass changes private functions that are only called, and whose every call gives a
//! tuple that is known to have the fields; fields that are tuples are expanded too. `CanonicalizeBindings` uses the
//! fields themselves, `RemoveUnusedParameters` drops those that nothing needs.

use std::sync::Arc;

use tilewright_expr::node::walk;
use tilewright_ir::op::InferError;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{
    Binding, BindingBlock, Callee, Expr, ExprKind, Function, SeqExpr, StructInfo, Var, attr_names,
};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, GlobalFunc, IRModule};
use tilewright_support::{OrderedMap, Set};

use crate::normalize::normalized;
use crate::private_calls::only_called;
use crate::sequence::{map_calls, map_functions, push_block, with_renewed_references};

/// Passes the fields of tuples.
#[derive(Clone, Copy, Debug)]
pub struct ExpandTupleArguments;

const NAME: &str = "ExpandTupleArguments";

type Expanded = OrderedMap<Arc<str>, Arc<Function>>;

impl Pass for ExpandTupleArguments {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut module = map_functions(NAME, &module, |function, _| normalized(function))?;
        let expanded = expanded(&module);
        for (name, function) in &expanded {
            module.insert(name.clone(), with_fields(function));
        }
        let module = map_functions(NAME, &module, |function, _| {
            let body = map_calls(&function.body, &mut |call| rewritten(call, &expanded));
            normalized(&Function { body, ..function.clone() })
        })?;
        with_renewed_references(NAME, &module)
    }
}

/// The functions whose tuples are expanded, as they were.
fn expanded(module: &IRModule) -> Expanded {
    let takes_tuple =
        |function: &Function| function.params.iter().any(|param| matches!(param.struct_info, StructInfo::Tuple(_)));
    let mut found: Expanded = only_called(module).into_iter().filter(|(_, function)| takes_tuple(function)).collect();
    let mut unfit: Set<Arc<str>> = Set::default();
    for (_, function) in module.iter() {
        let GlobalFunc::Relax(function) = function else { continue };
        walk(&**function, |expr: &Expr| {
            if let Some((name, args)) = called(expr)
                && let Some(callee) = found.get(name)
                && fields_of(callee, args).is_err()
            {
                unfit.insert(name.clone());
            }
        });
    }
    found.retain(|name, _| !unfit.contains(name));
    found
}

fn called(expr: &Expr) -> Option<(&Arc<str>, &[Expr])> {
    let ExprKind::Call { callee: Callee::Value(callee), args, .. } = &expr.kind else { return None };
    let ExprKind::GlobalVar(global) = &callee.kind else { return None };
    Some((&global.name, args))
}

/// The arguments with the fields of those that are tuples.
fn fields_of(function: &Function, args: &[Expr]) -> Result<Vec<Expr>, InferError> {
    let mut fields = Vec::new();
    for (param, arg) in function.params.iter().zip(args) {
        spread(arg, &param.struct_info, &mut fields)?;
    }
    Ok(fields)
}

fn spread(arg: &Expr, info: &StructInfo, out: &mut Vec<Expr>) -> Result<(), InferError> {
    let StructInfo::Tuple(infos) = info else {
        out.push(arg.clone());
        return Ok(());
    };
    if !matches!(&arg.struct_info, StructInfo::Tuple(found) if found.len() == infos.len()) {
        return Err(InferError::new("the fields of the tuple are not known"));
    }
    for (index, info) in infos.iter().enumerate() {
        let field = match &arg.kind {
            ExprKind::Tuple(fields) => fields.get(index).cloned(),
            _ => None,
        };
        let field = field.map_or_else(|| Expr::tuple_get(arg.clone(), index), Ok)?;
        spread(&field, info, out)?;
    }
    Ok(())
}

fn rewritten(call: &Expr, expanded: &Expanded) -> Option<Expr> {
    let (name, args) = called(call)?;
    let args = fields_of(expanded.get(name)?, args).ok()?;
    let ExprKind::Call { callee, attrs, sinfo_args, .. } = &call.kind else { return None };
    let (callee, attrs, sinfo_args) = (callee.clone(), attrs.clone(), sinfo_args.clone());
    Some(Expr::raw(call.struct_info.clone(), ExprKind::Call { callee, args, attrs, sinfo_args }))
}

/// The function that takes the fields, and makes the tuples of them.
fn with_fields(function: &Function) -> Function {
    let (mut params, mut bindings) = (Vec::new(), Vec::new());
    let mut attrs = function.attrs.clone();
    for (at, param) in function.params.iter().enumerate() {
        if let Some(Attr::Int(inputs)) = function.attrs.get(attr_names::NUM_INPUT)
            && usize::try_from(*inputs) == Ok(at)
        {
            attrs.insert(attr_names::NUM_INPUT.into(), Attr::Int(params.len() as i64));
        }
        match &param.struct_info {
            StructInfo::Tuple(_) => {
                let tuple = gathered(&param.name, &param.struct_info, &mut params);
                bindings.push(Binding::new(param.clone(), tuple, function.origins.clone()));
            }
            _ => params.push(param.clone()),
        }
    }
    if let Some(Attr::Int(inputs)) = attrs.get_mut(attr_names::NUM_INPUT)
        && usize::try_from(*inputs) == Ok(function.params.len())
    {
        *inputs = params.len() as i64;
    }
    let mut blocks = Vec::new();
    push_block(&mut blocks, BindingBlock { dataflow: false, bindings });
    function.body.blocks.iter().for_each(|block| push_block(&mut blocks, block.clone()));
    let body = SeqExpr { blocks, result: function.body.result.clone() };
    Function { params, body, attrs, ..function.clone() }
}

/// The tuple of new parameters for its fields.
fn gathered(name: &str, info: &StructInfo, params: &mut Vec<Var>) -> Expr {
    match info {
        StructInfo::Tuple(fields) => {
            let fields = fields.iter().enumerate();
            Expr::tuple(fields.map(|(at, info)| gathered(&format!("{name}_{at}"), info, params)).collect())
        }
        _ => {
            let param = Var::new(name, info.clone());
            params.push(param.clone());
            Expr::var(&param)
        }
    }
}
