//! Forgetting which functions have no side effects, where calls for their effects are about to be bound.

use tilewright_expr::node::rewrite;
use tilewright_ir::IRModule;
use tilewright_ir::pass::PassError;
use tilewright_ir::relax::{Expr, ExprKind, Function, StructInfo, Var};
use tilewright_support::with_stack;

use crate::sequence::{map_functions, with_renewed_references};

/// The module in which no function says that it is pure: functions of the module, functions inside them, and the types
/// of everything that holds a function.
pub(crate) fn without_purity(pass: &'static str, module: &IRModule) -> Result<IRModule, PassError> {
    let module = map_functions(pass, module, |function, _| Function { pure: false, ..function.clone() })?;
    let module = with_renewed_references(pass, &module)?;
    let module = map_functions(pass, &module, |function, _| {
        let function = rewrite(function, renewed_variable).unwrap_or_else(|| function.clone());
        let mut function = rewrite(&function, renewed_value).unwrap_or(function);
        if let Some(ret) = impure(&function.ret) {
            function.ret = ret;
        }
        function
    })?;
    with_renewed_references(pass, &module)
}

fn renewed_variable(var: &Var) -> Option<Var> {
    impure(&var.struct_info).map(|info| var.with_struct_info(info))
}

fn renewed_value(expr: &Expr) -> Option<Expr> {
    let kind = match &expr.kind {
        ExprKind::Function(function) if function.pure => {
            let ret = impure(&function.ret).unwrap_or_else(|| function.ret.clone());
            Some(ExprKind::Function(Box::new(Function { pure: false, ret, ..(**function).clone() })))
        }
        _ => None,
    };
    let info = impure(&expr.struct_info);
    if kind.is_none() && info.is_none() {
        return None;
    }
    let info = info.unwrap_or_else(|| expr.struct_info.clone());
    Some(Expr::raw(info, kind.unwrap_or_else(|| expr.kind.clone())))
}

/// The info without a function that is said to be pure; `None` if there is none in it.
fn impure(info: &StructInfo) -> Option<StructInfo> {
    let all = |infos: &[StructInfo]| {
        let changed: Vec<_> = infos.iter().map(|info| with_stack(|| impure(info))).collect();
        changed.iter().any(Option::is_some).then(|| {
            changed.into_iter().zip(infos).map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect::<Vec<_>>()
        })
    };
    match info {
        StructInfo::Tuple(fields) => all(fields).map(StructInfo::Tuple),
        StructInfo::Func { params, ret, pure } => {
            let new_params = params.as_ref().and_then(|params| all(params));
            let new_ret = with_stack(|| impure(ret));
            if !pure && new_params.is_none() && new_ret.is_none() {
                return None;
            }
            let params = new_params.or_else(|| params.clone());
            let ret = new_ret.map_or_else(|| ret.clone(), Box::new);
            Some(StructInfo::Func { params, ret, pure: false })
        }
        StructInfo::Object | StructInfo::Prim { .. } | StructInfo::Shape(_) | StructInfo::Tensor { .. } => None,
    }
}
