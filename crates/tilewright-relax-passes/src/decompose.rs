//! Operators expressed by simpler ones, as their declarations say.

use tilewright_expr::node::{VarId, rewrite};
use tilewright_ir::analysis::vars::each_binding;
use tilewright_ir::op::{AttrDefault, InferCx, OpCall, Purpose};
use tilewright_ir::pass::{ParamDef, ParamKind, PassError};
use tilewright_ir::relax::{Binding, BindingValue, Callee, Expr, ExprKind, Function};
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::{Diagnostic, Map, nearest};

use crate::normalize::normalized;
use crate::sequence::{Rebuild, bound_value, defect, map_functions, rebuild};

/// The parameter of the passes that name the function in which they work.
pub(crate) const FUNC_NAME: ParamDef = ParamDef {
    name: "func_name",
    kind: ParamKind::OptionalStr,
    default: AttrDefault::None,
    doc: "The function that changes; all of the module, if none is named.",
};

/// Replaces calls of operators by their decompositions, in one function or in all.
pub(crate) fn decomposed(
    pass: &'static str,
    module: &IRModule,
    only: Option<&str>,
    purpose: Purpose,
) -> Result<IRModule, PassError> {
    if let Some(name) = only.filter(|name| module.relax(name).is_none()) {
        let error = Diagnostic::error("TW0701", format!("the module has no function `{name}`"));
        let graphs = module.iter().map(|(name, _)| &**name).filter(|name| module.relax(name).is_some());
        let near = nearest(name, graphs);
        let error = near.map_or(error.clone(), |near| error.help(format!("did you mean `{near}`?")));
        return Err(PassError::new(pass, error));
    }
    let mut part = IRModule::new();
    for (name, function) in module.iter() {
        if only.is_none_or(|only| only == &**name)
            && let GlobalFunc::Relax(function) = function
        {
            part.insert(name.clone(), GlobalFunc::Relax(function.clone()));
        }
    }
    let part = map_functions(pass, &part, |function, diagnostics| {
        let mut function = normalized(function);
        function.body = rebuild(&function.body, &mut Decompose { cx: InferCx::default(), purpose }, diagnostics);
        let function = normalized(&function);
        match purpose {
            Purpose::Run => with_known_fields(&function),
            Purpose::Inference | Purpose::Training => function,
        }
    })?;
    let mut module = module.clone();
    for (name, function) in part.iter() {
        module.insert(name.clone(), function.clone());
    }
    Ok(module)
}

/// Propagates the fields of tuples that a dataflow block constructs to their uses.
fn with_known_fields(function: &Function) -> Function {
    let (mut tuples, mut fields): (Map<VarId, Vec<Expr>>, Map<VarId, Expr>) = (Map::default(), Map::default());
    each_binding(&function.body, &mut |binding| {
        let Some(value) = bound_value(binding).filter(|_| binding.var.dataflow) else { return };
        match &value.kind {
            ExprKind::Tuple(known) => drop(tuples.insert(binding.var.id(), known.clone())),
            ExprKind::TupleGet { tuple, index } => {
                let known = tuple.as_var().and_then(|var| tuples.get(&var.id())?.get(*index));
                let field = known.filter(|field| matches!(field.kind, ExprKind::Var(_) | ExprKind::Constant(_)));
                let resolved = |field: &Expr| field.as_var().and_then(|var| fields.get(&var.id()).cloned());
                let field = field.map(|field| resolved(field).unwrap_or_else(|| field.clone()));
                fields.extend(field.map(|field| (binding.var.id(), field)));
            }
            _ => {}
        }
    });
    let known = |expr: &Expr| expr.as_var().and_then(|var| fields.get(&var.id()).cloned());
    rewrite(function, known).unwrap_or_else(|| function.clone())
}

struct Decompose {
    cx: InferCx,
    purpose: Purpose,
}

impl Rebuild for Decompose {
    fn binding(&mut self, mut binding: Binding, _: bool, out: &mut Vec<Binding>) -> Result<(), Box<Diagnostic>> {
        if let BindingValue::Expr(value) = &binding.value
            && let ExprKind::Call { callee: Callee::Op(op), args, attrs, .. } = &value.kind
            && let Some(decompose) = op.decompose
        {
            let call = OpCall { op: *op, args, attrs };
            let simpler = decompose(&self.cx, &call, self.purpose).map_err(|error| Box::new(defect(&error)))?;
            if let Some(simpler) = simpler.filter(|simpler| simpler.struct_info.equal(&value.struct_info)) {
                binding.value = BindingValue::Expr(simpler);
            }
        }
        out.push(binding);
        Ok(())
    }
}
