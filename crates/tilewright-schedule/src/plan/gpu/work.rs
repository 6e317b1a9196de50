//! The work of a function on a GPU: what any schedule of it costs at least.

use tilewright_ir::tir::{PrimFunc, StmtKind};

use super::Device;
use crate::plan::Cost;
use crate::plan::cpu::work::assumed;

/// Each argument once from or to memory, and a launch for each statement of the root block.
pub(crate) fn cost(function: &PrimFunc, device: &Device) -> Cost {
    let bytes = function.params.iter().filter_map(|param| param.buffer.as_ref()).map(|buffer| {
        let elements: f64 = buffer.shape.iter().map(assumed).product();
        elements * buffer.dtype.bytes() as f64
    });
    let kernels = match function.root_block().map(|root| &root.body.kind) {
        Some(StmtKind::Seq(stmts)) => stmts.len(),
        _ => 1,
    };
    let launches = kernels as f64 * device.launch_cycles();
    Cost::default().with("read and write", device.memory_cycles(bytes.sum())).with("launch", launches)
}
