//! `LazyGetInput`: a function asks for its weights one by one, when it needs them.
//!
//! ```text
//! def main(x, w):  # num_input = 1        def main(x, fget_param):  # num_input = 2
//!     return matmul(x, w)            ⇒        w_untyped = fget_param(0, "w")
//!                                             w = match_cast(w_untyped, R.Tensor((4, 5), "float32"))
//!                                             return matmul(x, w)
//! ```
//!
//! From any form to any form. The weights of a visible function are its parameters after the first `num_input`, or all
//! of them where it has no such attribute. Each is asked for before its first use, by its number and its name; one that
//! is not used is not asked for.

use tilewright_expr::Expr as Scalar;
use tilewright_expr::node::VarId;
use tilewright_ir::analysis::{definable_dims, erase_dims, renewed};
use tilewright_ir::op::InferCx;
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingValue, Expr, Function, StructInfo, Var, attr_names};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, IRModule};
use tilewright_support::{Diagnostics, Origins, Set};
use tilewright_tensor::DataType;

use crate::hiding::{hidden, with_fields};
use crate::normalize::normalized;
use crate::sequence::{defect, map_functions};

/// Asks for weights when they are needed.
#[derive(Clone, Copy, Debug)]
pub struct LazyGetInput;

const NAME: &str = "LazyGetInput";

impl Pass for LazyGetInput {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        map_functions(NAME, &module, asking)
    }
}

fn asking(function: &Function, diagnostics: &mut Diagnostics) -> Function {
    let given = function.attrs.get(attr_names::NUM_INPUT).and_then(Attr::as_int);
    let inputs = given.and_then(|inputs| usize::try_from(inputs).ok()).unwrap_or(0);
    let Some(weights) = function.params.get(inputs..).filter(|weights| !weights.is_empty()) else {
        return function.clone();
    };
    if function.global_symbol().is_none() {
        return function.clone();
    }
    let params = Some(vec![StructInfo::Prim { dtype: DataType::I64, value: None }, StructInfo::Object]);
    let asked = StructInfo::Func { params, ret: Box::new(StructInfo::Object), pure: true };
    let fget = Var::new("fget_param", asked);
    let mut fields = Vec::new();
    for (index, weight) in weights.iter().enumerate() {
        let args = vec![Expr::prim(Scalar::i64(index as i64)), Expr::str(weight.name.clone())];
        match Expr::call_value(&InferCx::default(), Expr::var(&fget), args) {
            Ok(call) => fields.push(asked_for(weight, call)),
            Err(error) => diagnostics.push(defect(&error)),
        }
    }
    let untyped: Vec<Var> = fields.iter().map(|field| field[0].var.clone()).collect();
    let body = with_fields(&normalized(function).body, fields);
    let params: Vec<Var> = function.params[..inputs].iter().cloned().chain([fget]).collect();
    let known: Set<VarId> =
        params.iter().flat_map(|param| definable_dims(&param.struct_info)).map(|dim| dim.id()).collect();
    let ret = erase_dims(&function.ret, &|dim| known.contains(&dim.id()));
    let mut attrs = function.attrs.clone();
    attrs.insert(attr_names::NUM_INPUT.into(), Attr::Int(inputs as i64 + 1));
    let lazy = Function { params, body, ret, attrs, ..function.clone() };
    renewed(&hidden(&lazy, &|var| weights.contains(var) || untyped.contains(var)))
}

/// The bindings of a weight that is asked for.
fn asked_for(weight: &Var, call: Expr) -> Vec<Binding> {
    let untyped = Var::new(format!("{}_untyped", weight.name), call.struct_info.clone());
    let struct_info = weight.struct_info.clone();
    let value = BindingValue::MatchCast { value: Expr::var(&untyped), struct_info };
    let typed = Binding { var: weight.clone(), value, origins: Origins::default() };
    vec![Binding::new(untyped, call, Origins::default()), typed]
}
