//! Analyses and rewriting of loops.
//!
//! [`walks`]: visiting and rewriting statements and expressions. [`purity`], [`work`](mod@work), [`blocks`],
//! [`memory`]: what functions do. [`op_pattern`](mod@op_pattern): the class that decides about fusion.

pub mod amount;
pub mod blocks;
pub mod device;
pub mod memory;
pub mod op_pattern;
pub mod purity;
pub mod specialize;
pub mod walks;
pub mod work;

use tilewright_support::Diagnostic;

use crate::GlobalFunc;
use crate::tir::PrimFunc;

pub use amount::Amount;
pub use blocks::{AccessRegions, find_anchor_block, get_block_access_region};
pub use device::{Needs, allocated_bytes, constant_bytes, kernel_needs, out_of_bounds, touched_by_host, verify_ssa};
pub use memory::{calculate_workspace_bytes, detect_buffer_access_lca, undefined_vars, with_declared_allocations};
pub use op_pattern::{OpPattern, op_pattern};
pub use purity::{assert_pure_function, is_pure_function};
pub use specialize::{Known, specialize};
pub use walks::{
    Node, Replace, Transform, expr_deep_equal, ir_transform, post_order_visit, pre_order_visit, renew_defs, substitute,
};
pub use work::{Work, estimate_tir_flops, work};

/// The faults of the function, each with its code and origin; empty if it is well-formed.
pub fn verify_well_formed(function: &PrimFunc) -> Vec<Diagnostic> {
    super::well_formed_function(&GlobalFunc::from(function.clone()), None)
}
