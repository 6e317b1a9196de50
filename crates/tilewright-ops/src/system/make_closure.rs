//! A function with some of its arguments given.

use tilewright_ir::op::{Fusion, InferCx, InferError, Legalize, MachineOp, OpCall, Properties};
use tilewright_ir::relax::StructInfo;

op! {
    /// The function with its last arguments bound: called with the others, it gets these after them. The result's type
    /// is unknown; it is called by `invoke_closure`.
    "make_closure" {
        args: {
            func: Function, "The function.";
            args: Tuple, "Its last arguments.";
        }
        attrs: {}
        infer: infer,
        legalize: Legalize::Machine(MachineOp::Closure),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let params = match call.args.first().map(|function| &function.struct_info) {
        Some(StructInfo::Func { params: Some(params), .. }) => Some(params.len()),
        _ => None,
    };
    let given = match call.args.get(1).map(|args| &args.struct_info) {
        Some(StructInfo::Tuple(fields)) => fields.len(),
        _ => 0,
    };
    match params.filter(|params| *params < given) {
        Some(params) => Err(InferError::at(1, format!("{given} arguments are given to a function of {params}"))),
        None => Ok(StructInfo::Object),
    }
}
