//! `BundleModelParams`: the weights of a function are one tuple.
//!
//! ```text
//! def main(x, w, b):  # num_input = 1        def main(x, model_params):
//!     return add(matmul(x, w), b)       ⇒        w = model_params[0]; b = model_params[1]
//!                                                return add(matmul(x, w), b)
//! ```
//!
//! From any form to any form. The pass changes functions with the attribute `num_input`, the number of their leading
//! parameters that are the inputs of a run. The other parameters become one, a tuple of them in their order; a function
//! that has none gets an empty one, so that all are called alike. Functions that others of the module call stay as they
//! are, as do those whose only parameter after the inputs is a tuple already.

use std::sync::Arc;

use tilewright_ir::IRModule;
use tilewright_ir::analysis::renewed;
use tilewright_ir::op::AttrDefault;
use tilewright_ir::pass::{ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::relax::{Binding, Expr, ExprKind, Function, StructInfo, Var};
use tilewright_ir::verify::Form;
use tilewright_support::Origins;

use crate::hiding::{hidden, with_fields};
use crate::private_calls::with_weights;

/// Makes one tuple of the weights of functions.
#[derive(Clone, Debug)]
pub struct BundleModelParams {
    /// The name of the tuple.
    pub param_tuple_name: String,
}

const NAME: &str = "BundleModelParams";
const TUPLE: &str = "model_params";

impl Default for BundleModelParams {
    fn default() -> Self {
        Self { param_tuple_name: TUPLE.to_owned() }
    }
}

impl BundleModelParams {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "The weights of a function are one tuple.",
        params: &[ParamDef {
            name: "param_tuple_name",
            kind: ParamKind::OptionalStr,
            default: AttrDefault::None,
            doc: "What the tuple is called; `model_params` if nothing is said.",
        }],
        make: |args| {
            let param_tuple_name = args.text("param_tuple_name").unwrap_or(TUPLE).to_owned();
            Ok(Arc::new(Self { param_tuple_name }))
        },
    };
}

impl Pass for BundleModelParams {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, mut module: IRModule) -> Result<IRModule, PassError> {
        for (name, function, inputs) in with_weights(&module) {
            if !matches!(&function.params[inputs..], [one] if matches!(one.struct_info, StructInfo::Tuple(_))) {
                module.insert(name, self.bundled(&function, inputs));
            }
        }
        Ok(module)
    }
}

impl BundleModelParams {
    fn bundled(&self, function: &Function, inputs: usize) -> Function {
        let weights = &function.params[inputs..];
        let infos = weights.iter().map(|weight| weight.struct_info.clone()).collect();
        let tuple = Var::new(self.param_tuple_name.as_str(), StructInfo::Tuple(infos));
        let whole = Expr::var(&tuple);
        let field = |(index, weight): (usize, &Var)| {
            let value = Expr::raw(weight.struct_info.clone(), ExprKind::TupleGet { tuple: whole.clone(), index });
            Binding::new(weight.clone(), value, Origins::default())
        };
        let fields = weights.iter().enumerate().map(|weight| vec![field(weight)]);
        let body = with_fields(&function.body, fields);
        let params = function.params[..inputs].iter().cloned().chain([tuple]).collect();
        let bundled = Function { params, body, ..function.clone() };
        renewed(&hidden(&bundled, &|var| weights.contains(var)))
    }
}
