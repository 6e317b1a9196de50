//! What programs of the virtual machine are made of.

pub mod alloc_tensor;

use tilewright_ir::op::OpDef;

/// The family, in the order of the reference page.
pub const OPS: &[&OpDef] = &[
    &alloc_tensor::OP, //
];
