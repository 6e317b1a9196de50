//! From a call on graph values to the PrimFunc that computes it.

use tilewright_expr::Var;
use tilewright_expr::node::walk;
use tilewright_ir::op::{InferError, OpCall};
use tilewright_ir::relax;
use tilewright_ir::tir::PrimFunc;

use crate::prim_func::create_with_scalars;
use crate::{TeError, Tensor, placeholder};

/// The PrimFunc of an op's call: `formula` gets a placeholder for each tensor argument and gives the results.
///
/// Parameters are the tensor arguments, then symbolic dimensions that no argument's shape says by itself, then the
/// results. They bear the caller's names. Symbolic dimensions are the call's own variables: who puts the function into
/// a module renews them.
pub fn legalize(
    call: &OpCall<'_>,
    formula: impl FnOnce(&[Tensor]) -> Result<Vec<Tensor>, TeError>,
) -> Result<PrimFunc, InferError> {
    let mut inputs = Vec::new();
    for (i, (arg, def)) in call.args.iter().zip(call.op.args).enumerate() {
        if matches!(arg.struct_info, relax::StructInfo::Tensor { .. }) {
            inputs.push(input(arg, def.name).map_err(|error| InferError::at(i, error.0))?);
        }
    }
    Ok(of_inputs(inputs, formula)?)
}

/// The PrimFunc of a formula on graph values (tensors of known shape and type), as `legalize` makes it for an op.
pub fn prim_func_of(
    args: &[relax::Expr],
    formula: impl FnOnce(&[Tensor]) -> Result<Vec<Tensor>, TeError>,
) -> Result<PrimFunc, TeError> {
    of_inputs(args.iter().map(|arg| input(arg, "x")).collect::<Result<_, _>>()?, formula)
}

fn input(arg: &relax::Expr, name: &str) -> Result<Tensor, TeError> {
    let name = arg.as_var().map_or(name, |var| &*var.name);
    let (Some(dims), Some(dtype)) = (arg.struct_info.dims(), arg.struct_info.dtype()) else {
        return Err(TeError(format!(
            "the shape and data type of `{name}` must be known here; `R.match_cast` can state them"
        )));
    };
    Ok(placeholder(dims, dtype, name))
}

fn of_inputs(
    inputs: Vec<Tensor>,
    formula: impl FnOnce(&[Tensor]) -> Result<Vec<Tensor>, TeError>,
) -> Result<PrimFunc, TeError> {
    let outputs = formula(&inputs)?;
    let mut all = inputs.clone();
    all.extend(outputs);
    let told: Vec<&Var> = inputs.iter().flat_map(|t| t.shape()).filter_map(|dim| dim.as_var()).collect();
    let mut scalars: Vec<Var> = Vec::new();
    for dim in all.iter().flat_map(|t| t.shape()) {
        walk(&vec![dim.clone()], |var: &Var| {
            if !told.contains(&var) && !scalars.contains(var) {
                scalars.push(var.clone());
            }
        });
    }
    create_with_scalars(&all, &scalars, inputs.len())
}
