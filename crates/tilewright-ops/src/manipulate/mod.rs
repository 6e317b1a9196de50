//! Ops that move elements without computing.

pub mod permute_dims;

use tilewright_ir::op::OpDef;

/// The family, in the order of the reference page.
pub const OPS: &[&OpDef] = &[
    &permute_dims::OP, //
];
