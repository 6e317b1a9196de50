//! Ops of neural networks.

pub mod relu;

use tilewright_ir::op::OpDef;

/// The family, in the order of the reference page.
pub const OPS: &[&OpDef] = &[
    &relu::OP, //
];
