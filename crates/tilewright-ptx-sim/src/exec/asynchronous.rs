//! Asynchronous operations.

use super::context::Context;
use super::copy::{self, CopyOp};
use super::warp::Warp;
use super::{Block, Env, Flow};
use crate::memory::Checked;

#[derive(Debug)]
pub(crate) enum AsyncOp {
    Copy(CopyOp),
    CopyCommit,
    /// The groups that may be under way; all copies are waited for without a number.
    CopyWait(Option<u32>),
}

pub(super) fn run(
    cx: &Context<'_>,
    env: &mut Env<'_>,
    block: &mut Block,
    warp: &mut Warp,
    mask: u32,
    op: &AsyncOp,
) -> Checked<Flow> {
    match op {
        AsyncOp::Copy(op) => copy::issue(cx, env, block, warp, mask, op),
        AsyncOp::CopyCommit => {
            copy::commit(warp, mask);
            Ok(Flow::Next)
        }
        AsyncOp::CopyWait(pending) => copy::wait(env, block, warp, mask, *pending),
    }
}
