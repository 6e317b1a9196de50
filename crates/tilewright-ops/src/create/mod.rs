//! Ops that make tensors from nothing.

pub mod alloc_tensor;

use tilewright_ir::op::OpDef;

/// The family, in the order of the reference page.
pub const OPS: &[&OpDef] = &[
    &alloc_tensor::OP, //
];
