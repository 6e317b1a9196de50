//! Formulas on values of a graph under construction: a PrimFunc of the module, and a `call_tir` of it.
//!
//! ```
//! use tilewright_expr::Expr;
//! use tilewright_ir::builder::BlockBuilder;
//! use tilewright_ir::relax::{self, StructInfo, Var};
//! use tilewright_te::{compute, emit_te};
//! use tilewright_tensor::DataType;
//!
//! let x = Var::new("x", StructInfo::tensor(vec![Expr::i64(4)], DataType::F32));
//! let mut bb = BlockBuilder::new();
//! bb.begin_function("main", vec![x.clone()]);
//! let y = emit_te(&mut bb, "twice", &[relax::Expr::var(&x)], |inputs| match inputs {
//!     [x] => Ok(vec![compute(x.shape(), "Y", |i| x.at_all(i) * 2)?]),
//!     _ => Ok(Vec::new()),
//! })?;
//! bb.emit_func_output(&relax::Expr::var(&y))?;
//! assert!(bb.finalize()?.get("twice").is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use tilewright_expr::Expr;
use tilewright_expr::node::EqCx;
use tilewright_ir::analysis::tir::walks::renew_defs;
use tilewright_ir::builder::BlockBuilder;
use tilewright_ir::calls::TirCall;
use tilewright_ir::relax::{self, GlobalVar, StructInfo};
use tilewright_ir::tir::PrimFunc;
use tilewright_ir::{Attrs, GlobalFunc};
use tilewright_tensor::DataType;

use crate::legalize::untold;
use crate::prim_func::dims_spoken_of;
use crate::{CreateOptions, TeError, TeParam, Tensor, create_prim_func_with, placeholder};

/// The placeholder for a value of a graph: a tensor of known shape and type.
pub fn te_tensor(value: &relax::Expr, name: &str) -> Result<Tensor, TeError> {
    let name = value.as_var().map_or(name, |var| &*var.name);
    let (Some(dims), Some(dtype)) = (value.struct_info.dims(), value.struct_info.dtype()) else {
        return Err(TeError(format!(
            "the shape and data type of `{name}` must be known here; `R.match_cast` can state them"
        )));
    };
    Ok(placeholder(dims, dtype, name))
}

/// A call of what the formula makes of the values; the function gets this name or one like it.
pub fn call_te(
    bb: &mut BlockBuilder,
    name: &str,
    args: &[relax::Expr],
    formula: impl FnOnce(&[Tensor]) -> Result<Vec<Tensor>, TeError>,
) -> Result<relax::Expr, TeError> {
    let inputs = args.iter().enumerate().map(|(i, arg)| te_tensor(arg, &letter(i))).collect::<Result<Vec<_>, _>>()?;
    let outputs = formula(&inputs)?;
    te_call(bb, name, args, &inputs, &outputs, Attrs::new(), TirCall::default())
}

/// As [`call_te`], bound to a variable.
pub fn emit_te(
    bb: &mut BlockBuilder,
    name: &str,
    args: &[relax::Expr],
    formula: impl FnOnce(&[Tensor]) -> Result<Vec<Tensor>, TeError>,
) -> Result<relax::Var, TeError> {
    let call = call_te(bb, name, args, formula)?;
    bb.emit(&call).map_err(|error| TeError(error.to_string()))
}

/// The name of the placeholder of argument number `i` where the value has no name: `A`, `B`, …
fn letter(i: usize) -> String {
    match u8::try_from(i).ok().filter(|&i| i < 26) {
        Some(i) => char::from(b'A' + i).to_string(),
        None => format!("input{i}"),
    }
}

/// A call of the function that computes `outputs` from `inputs`, on the values that the inputs represent. A function of
/// the same text and requested name that the module has already is reused. `attrs` are the function's, `said` the
/// call's.
///
/// Dimensions of the graph that formulas use and that no input's shape determines become scalar parameters, after all
/// others.
pub fn te_call(
    bb: &mut BlockBuilder,
    name: &str,
    args: &[relax::Expr],
    inputs: &[Tensor],
    outputs: &[Tensor],
    attrs: Attrs,
    said: TirCall,
) -> Result<relax::Expr, TeError> {
    if outputs.is_empty() {
        return Err(TeError(format!("`{name}` gives no tensor")));
    }
    if let Some(input) = outputs.iter().find(|output| inputs.contains(output)) {
        return Err(TeError(format!(
            "`{name}` gives its argument `{}` back: there is nothing to compute",
            input.name()
        )));
    }
    let spoken_of: Vec<Expr> = dims_spoken_of(outputs).iter().map(Expr::var).collect();
    let scalars = untold(inputs, outputs, &spoken_of);
    let tensors = inputs.iter().chain(outputs).cloned().map(TeParam::Tensor);
    let params: Vec<TeParam> = tensors.chain(scalars.iter().cloned().map(TeParam::Scalar)).collect();
    let options = CreateOptions { index_dtype: Some(DataType::I64), ..CreateOptions::default() };
    let mut function = create_prim_func_with(&params, &options)?;
    function.attrs.extend(attrs);
    let global = shared_or_added(bb, renew_defs(&function), name);
    let out = outputs.iter().map(result_info).collect::<Result<Vec<_>, _>>()?;
    // The function has all indices in one type, whatever that of the caller's variables.
    let values = scalars.iter().map(|var| Expr::var(var).cast(DataType::I64)).collect::<Result<Vec<_>, _>>()?;
    let said = TirCall { tir_vars: values, ..said };
    let call = relax::Expr::call_tir_with(bb.infer_cx(), global, args.to_vec(), out, said);
    call.map_err(|error| TeError(error.to_string()))
}

fn result_info(tensor: &Tensor) -> Result<StructInfo, TeError> {
    let dims = tensor.shape().iter().map(|dim| dim.cast(DataType::I64)).collect::<Result<Vec<_>, _>>()?;
    Ok(StructInfo::tensor(dims, tensor.dtype()))
}

fn shared_or_added(bb: &mut BlockBuilder, function: PrimFunc, name: &str) -> GlobalVar {
    let is_wish =
        |known: &str| known.strip_prefix(name).is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '_'));
    let known = bb.get().iter().filter(|(known, _)| is_wish(known)).find_map(|(known, other)| match other {
        GlobalFunc::Prim(other) if EqCx::compare(&**other, &function).is_ok() => {
            Some(GlobalVar { name: known.clone(), signature: function_signature(other) })
        }
        GlobalFunc::Prim(_) | GlobalFunc::Relax(_) => None,
    });
    known.unwrap_or_else(|| bb.add_func(function, name))
}

fn function_signature(function: &std::sync::Arc<PrimFunc>) -> StructInfo {
    GlobalFunc::Prim(function.clone()).signature()
}

#[cfg(test)]
mod tests {
    use tilewright_expr::Var;

    use super::*;
    use crate::compute;

    #[test]
    fn dimensions_that_only_a_formula_speaks_of_are_passed() {
        let (n, offset) = (Var::new("n", DataType::I64), Var::new("offset", DataType::I64));
        let x = relax::Var::new("x", StructInfo::tensor(vec![Expr::var(&n)], DataType::I64));
        let shape = relax::Var::new("offset", StructInfo::Shape(relax::TensorShape::Known(vec![Expr::var(&offset)])));
        let mut bb = BlockBuilder::new();
        bb.begin_function("main", vec![x.clone(), shape]);
        let shifted = |inputs: &[Tensor]| {
            let x = &inputs[0];
            compute(x.shape(), "Y", |i| x.at_all(i) + (Expr::var(&offset) + Expr::var(&n))).map(|y| vec![y])
        };
        let call = call_te(&mut bb, "shift", &[relax::Expr::var(&x)], shifted).unwrap();
        let var = bb.emit(&call).unwrap();
        bb.emit_func_output(&relax::Expr::var(&var)).unwrap();
        let module = bb.finalize().unwrap();
        assert!(tilewright_ir::verify::verify(&module, tilewright_ir::verify::Form::Any).is_ok());
        let Some(GlobalFunc::Prim(function)) = module.get("shift") else { panic!("no function") };
        assert_eq!(function.params.len(), 3);
        assert_eq!(&*function.params[2].var.name, "offset");
    }
}
