//! Gradients: marks in programs, and the ops that are gradients of others.

use tilewright_ir::op::{InferError, OpCall};
use tilewright_ir::relax::StructInfo;

mod pooling;

family! {
    no_grad,
    start_checkpoint,
    end_checkpoint,
    nll_loss_backward,
    max_pool2d_backward,
    avg_pool2d_backward,
    take_backward,
}

/// The rule of marks: their argument.
fn infer_itself(call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    match call.args.first() {
        Some(value) => Ok(value.struct_info.clone()),
        None => Err(InferError::new(format!("`{}` takes a value", call.op.name))),
    }
}
