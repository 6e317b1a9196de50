//! To come.

use super::context::Context;
use super::warp::Warp;
use super::{Block, Flow};
use crate::memory::Checked;

#[derive(Debug)]
pub(crate) enum TensorOp {}

pub(super) fn run(_cx: &Context<'_>, _block: &mut Block, _warp: &mut Warp, _mask: u32, op: &TensorOp) -> Checked<Flow> {
    match *op {}
}
