//! `UpdateParamStructInfo`: parameters have other types, as the user says, and all that is computed of them has.
//!
//! ```text
//! def main(x: Tensor(("n", 4))): y = add(x, x)    ⇒    def main(x: Tensor((8, 4))): y = add(x, x)  # of shape (8, 4)
//! ```
//!
//! From any form to any form. The user's function is called for each parameter of each graph function; if it returns a
//! type, the parameter has that, and what the function computes is typed anew. Operators that do not bear the types are
//! an error.

use std::fmt;
use std::sync::Arc;

use tilewright_ir::builder::{BlockBuilder, map_exprs, mutate_module, with_params};
use tilewright_ir::op::AttrDefault;
use tilewright_ir::pass::{CallbackValue, ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::relax::{Expr, StructInfo, Var};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, GlobalFunc, IRModule};
use tilewright_support::Diagnostic;

use crate::sequence::located;

/// Gives parameters other types.
#[derive(Clone)]
pub struct UpdateParamStructInfo {
    /// The type that a parameter gets; nothing where it keeps its own.
    pub sinfo_func: ParamInfo,
}

/// The new type of a parameter, if it changes.
pub type ParamInfo = Arc<dyn Fn(&Var) -> Result<Option<StructInfo>, String> + Send + Sync>;

const NAME: &str = "UpdateParamStructInfo";

impl UpdateParamStructInfo {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "Parameters have other types, and all that is computed of them has.",
        params: &[ParamDef {
            name: "sinfo_func",
            kind: ParamKind::Callback,
            default: AttrDefault::Required,
            doc: "A function of a parameter that gives its type, or None where it keeps its own.",
        }],
        make: |args| {
            let asked = args.callback("sinfo_func").ok_or_else(|| format!("`{NAME}` needs a function"))?;
            let sinfo_func: ParamInfo = Arc::new(move |param| match asked(&[CallbackValue::Expr(Expr::var(param))])? {
                CallbackValue::StructInfo(info) => Ok(Some(info)),
                CallbackValue::Data(Attr::None) => Ok(None),
                _ => Err("expected a struct info or None".to_owned()),
            });
            Ok(Arc::new(Self { sinfo_func }))
        },
    };
}

impl fmt::Debug for UpdateParamStructInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAME)
    }
}

impl Pass for UpdateParamStructInfo {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut updated = module.clone();
        for (name, function) in module.iter() {
            let GlobalFunc::Relax(function) = function else { continue };
            let failed = |message: String| {
                let error =
                    Diagnostic::error("TW0731", format!("the parameters of `{name}` cannot be changed: {message}"));
                PassError::new(NAME, located(error, &function.origins))
            };
            let mut changed = false;
            let params = function.params.iter().map(|param| {
                let info = (self.sinfo_func)(param)?.filter(|info| !info.equal(&param.struct_info));
                changed |= info.is_some();
                Ok(info.map_or_else(|| param.clone(), |info| param.with_struct_info(info)))
            });
            let params = params.collect::<Result<Vec<Var>, String>>().map_err(failed)?;
            if changed {
                let mut bb = BlockBuilder::with_module(updated.clone());
                let typed = with_params(&mut bb, function, params, &mut map_exprs(|_, _| Ok(None)));
                updated.insert(name.clone(), typed.map_err(|error| failed(error.to_string()))?);
            }
        }
        let renewed = mutate_module(&updated, &mut map_exprs(|_, _| Ok(None)));
        renewed.map_err(|error| PassError::new(NAME, Diagnostic::error("TW0731", error.to_string())))
    }
}
