//! Asynchronous operations, by their units.

use super::bulk::{self, BulkOp};
use super::context::Context;
use super::copy::{self, CopyOp};
use super::mbarrier::{self, BarrierOp};
use super::warp::Warp;
use super::wgmma::{self, WgmmaOp};
use super::{Block, Env, Flow};
use crate::decode::Address;
use crate::fault::FaultKind;
use crate::memory::{Checked, trouble};

#[derive(Debug)]
pub(crate) enum AsyncOp {
    Copy(CopyOp),
    CopyCommit,
    /// The groups that may be under way; all copies are waited for without a number.
    CopyWait(Option<u32>),
    Barrier(Address, BarrierOp),
    Bulk(BulkOp),
    Wgmma(WgmmaOp),
    WgmmaFence,
    WgmmaCommit,
    WgmmaWait(u32),
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
        AsyncOp::Copy(op) => return copy::issue(cx, env, block, warp, mask, op),
        AsyncOp::CopyCommit => copy::commit(warp, mask),
        AsyncOp::CopyWait(pending) => return copy::wait(env, block, warp, mask, *pending),
        AsyncOp::Barrier(address, op) => return mbarrier::run(cx, env, block, warp, mask, *address, *op),
        AsyncOp::Bulk(op) => return bulk::run(cx, env, block, warp, mask, op),
        _ if mask != u32::MAX && warp.can_park() => return Ok(Flow::Again),
        _ if mask != u32::MAX => {
            let message = format!("an instruction of a whole warp, executed by lanes {mask:#x}");
            return trouble(FaultKind::Undefined, message);
        }
        AsyncOp::Wgmma(op) => return wgmma::issue(cx, env, block, warp, op),
        AsyncOp::WgmmaFence => wgmma::fence(warp),
        AsyncOp::WgmmaCommit => wgmma::commit(block, warp),
        AsyncOp::WgmmaWait(pending) => return wgmma::wait(cx, block, warp, *pending),
    }
    Ok(Flow::Next)
}
