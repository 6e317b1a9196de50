//! Communication between the workers that run one program.
//!
//! Programs run on one worker here: what all workers have in common is its own tensor, and what would need others is
//! refused where it becomes loops.

use tilewright_ir::op::{InferCx, InferError, OpCall};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{legalize, topi};

use crate::attributes;
use crate::elementwise::block_name;

family! {
    allgather,
    allreduce,
    broadcast_from_worker0,
    scatter_from_worker0,
}

/// The number of workers that a call speaks of, at least one.
fn workers(call: &OpCall<'_>) -> Result<i64, InferError> {
    match attributes::int(call, "num_workers")? {
        workers @ 1.. => Ok(workers),
        other => Err(InferError::new(format!("`{}` needs at least one worker, found {other}", call.op.name))),
    }
}

/// The worker's own tensor, copied.
fn legalize_own(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    legalize(call, |inputs| inputs.iter().map(|x| topi::elementwise(x, &block_name(call), |x| x)).collect())
}

/// The worker's own tensor, where it is the only worker.
fn legalize_alone(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    match workers(call)? {
        1 => legalize_own(call),
        workers => {
            Err(InferError::new(format!("`{}` of {workers} workers: a program runs on one worker here", call.op.name)))
        }
    }
}

/// The rule of ops that give a tensor like their own.
fn infer_own(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    call.tensor(0).map(|(shape, dtype)| StructInfo::tensor_with(shape.clone(), dtype))
}
