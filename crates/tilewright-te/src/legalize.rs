//! From a call on graph values to the PrimFunc that computes it.

use tilewright_expr::node::walk;
use tilewright_expr::{Expr, Var};
use tilewright_ir::op::{InferError, OpCall};
use tilewright_ir::relax;
use tilewright_ir::tir::PrimFunc;

use crate::{CreateOptions, TeError, TeParam, Tensor, create_prim_func_with, te_tensor};

/// The PrimFunc of an op's call: `formula` gets a placeholder for each tensor argument (each field of a tuple) and
/// gives the results.
///
/// Parameters are the tensor arguments, then variables that no tensor's shape says by itself, then the
/// results. They bear the caller's names. Symbolic dimensions are the call's own variables: who puts the function into
/// a module renews them.
pub fn legalize(
    call: &OpCall<'_>,
    formula: impl FnOnce(&[Tensor]) -> Result<Vec<Tensor>, TeError>,
) -> Result<PrimFunc, InferError> {
    let mut inputs = Vec::new();
    let mut scalars = Vec::new();
    for (i, (arg, def)) in call.args.iter().zip(call.op.args).enumerate() {
        known_scalars(&arg.struct_info, &mut scalars);
        for tensor in (OpCall { args: std::slice::from_ref(arg), ..*call }).tensors()? {
            inputs.push(te_tensor(&tensor, def.name).map_err(|error| InferError::at(i, error.0))?);
        }
    }
    Ok(of_inputs(inputs, &scalars, formula)?)
}

/// The values of scalar arguments, those in tuples too: the formula may refer to their variables.
fn known_scalars(info: &relax::StructInfo, found: &mut Vec<Expr>) {
    match info {
        relax::StructInfo::Prim { value: Some(value), .. } => found.push(value.clone()),
        relax::StructInfo::Tuple(fields) => fields.iter().for_each(|field| known_scalars(field, found)),
        _ => {}
    }
}

/// The PrimFunc of a formula on graph values (tensors of known shape and type), as `legalize` makes it for an op.
pub fn prim_func_of(
    args: &[relax::Expr],
    formula: impl FnOnce(&[Tensor]) -> Result<Vec<Tensor>, TeError>,
) -> Result<PrimFunc, TeError> {
    of_inputs(args.iter().map(|arg| te_tensor(arg, "x")).collect::<Result<_, _>>()?, &[], formula)
}

fn of_inputs(
    inputs: Vec<Tensor>,
    values: &[Expr],
    formula: impl FnOnce(&[Tensor]) -> Result<Vec<Tensor>, TeError>,
) -> Result<PrimFunc, TeError> {
    let outputs = formula(&inputs)?;
    let scalars = untold(&inputs, &outputs, values);
    let tensors = |tensors: &[Tensor]| tensors.iter().cloned().map(TeParam::Tensor).collect::<Vec<_>>();
    let params = [tensors(&inputs), scalars.into_iter().map(TeParam::Scalar).collect(), tensors(&outputs)].concat();
    create_prim_func_with(&params, &CreateOptions::default())
}

/// Variables of tensors' dimensions and of `values` that no tensor's shape says by itself.
pub(crate) fn untold(inputs: &[Tensor], outputs: &[Tensor], values: &[Expr]) -> Vec<Var> {
    let told: Vec<&Var> = inputs.iter().chain(outputs).flat_map(|t| t.shape()).filter_map(|dim| dim.as_var()).collect();
    let mut scalars: Vec<Var> = Vec::new();
    for dim in inputs.iter().chain(outputs).flat_map(|t| t.shape()).chain(values) {
        walk(&vec![dim.clone()], |var: &Var| {
            if !told.contains(&var) && !scalars.contains(var) {
                scalars.push(var.clone());
            }
        });
    }
    scalars
}
