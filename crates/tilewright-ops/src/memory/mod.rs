//! Planned memory: storage of a call, and tensors that lie in it.

pub mod alloc_storage;
pub mod alloc_tensor;
pub mod kill_tensor;

use tilewright_ir::op::OpDef;

/// The family, in the order of the reference page.
pub const OPS: &[&OpDef] = &[
    &alloc_storage::OP, //
    &alloc_tensor::OP,
    &kill_tensor::OP,
];
