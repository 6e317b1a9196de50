//! Products.

pub mod matmul;

use tilewright_ir::op::OpDef;

/// The family, in the order of the reference page.
pub const OPS: &[&OpDef] = &[
    &matmul::OP, //
];
