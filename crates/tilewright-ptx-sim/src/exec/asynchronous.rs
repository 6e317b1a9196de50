//! To come.

use super::context::Context;
use super::warp::Warp;
use super::{Block, Env, Flow};
use crate::memory::Checked;

#[derive(Debug)]
pub(crate) enum AsyncOp {}

#[derive(Debug, Default)]
pub(crate) struct Copies {}

#[derive(Debug, Default)]
pub(crate) struct Units {}

pub(super) fn run(
    _cx: &Context<'_>,
    _env: &mut Env<'_>,
    _block: &mut Block,
    _warp: &mut Warp,
    _mask: u32,
    op: &AsyncOp,
) -> Checked<Flow> {
    match *op {}
}
