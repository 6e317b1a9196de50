//! Communication between the workers that run one model. There is one worker, to which it means nothing.

use super::table::op_fns;
use super::{Call, Value};
use crate::{Error, Result};

op_fns! {
    TABLE;
    /// The sum, product, smallest, largest or mean of the workers' tensors: refused.
    ccl_allreduce(x: Tensor; op_type: Str = Str("sum"), in_group: Bool = Bool(true)) -> Tensor
        => |call| Err(absent(call));
    /// The workers' tensors concatenated; of one worker its own.
    ccl_allgather(x: Tensor, num_workers: Int) -> Tensor => gathered;
    /// The first worker's tensor: refused.
    ccl_broadcast_from_worker0(x: Tensor) as "broadcast_from_worker0" -> Tensor => |call| Err(absent(call));
}

fn absent(call: &Call<'_>) -> Error {
    call.refused("a model runs on one worker here; collective operations are not supported")
}

fn gathered(call: &Call<'_>) -> Result<Value> {
    match call.int("num_workers")? {
        1 => Ok(call.tensor("x")?.clone().into()),
        _ => Err(absent(call)),
    }
}
