//! Operators expressed by simpler ones, as their declarations say.

use tilewright_ir::op::{AttrDefault, InferCx, OpCall, Purpose};
use tilewright_ir::pass::{ParamDef, ParamKind, PassError};
use tilewright_ir::relax::{Binding, BindingValue, Callee, ExprKind};
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::{Diagnostic, nearest};

use crate::normalize::normalized;
use crate::sequence::{Rebuild, defect, map_functions, rebuild};

/// The parameter of the passes that name the function in which they work.
pub(crate) const FUNC_NAME: ParamDef = ParamDef {
    name: "func_name",
    kind: ParamKind::OptionalStr,
    default: AttrDefault::None,
    doc: "The function that changes; all of the module, if none is named.",
};

/// The module with what the operators say of themselves in the place of their calls, in one function or in all.
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
        normalized(&function)
    })?;
    let mut module = module.clone();
    for (name, function) in part.iter() {
        module.insert(name.clone(), function.clone());
    }
    Ok(module)
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
