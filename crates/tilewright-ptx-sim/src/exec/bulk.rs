//! `cp.async.bulk`: copies of many bytes by a unit of its own, of rows of bytes or of a box of a tensor.

use super::context::Context;
use super::scalar::resolve;
use super::units::Deferred;
use super::warp::Warp;
use super::{Block, Env, Flow};
use crate::decode::{Address, PARAM_WINDOW, Slot};
use crate::fault::FaultKind;
use crate::lanes::lanes_of;
use crate::memory::shared::Who;
use crate::memory::{Checked, Touch, in_lane, trouble, trouble_at};
use crate::module::Space;
use crate::tensor_map::{Fill, MAP_BYTES, Swizzle, TensorMap};

#[derive(Debug)]
pub(crate) enum BulkOp {
    /// Global → shared; the bytes are reported to an mbarrier.
    In {
        to: Address,
        from: Address,
        bytes: Slot,
        barrier: Address,
    },
    /// Shared → global, in a group of the thread.
    Out {
        to: Address,
        from: Address,
        bytes: Slot,
    },
    TensorIn {
        to: Address,
        map: Address,
        corner: Vec<Slot>,
        barrier: Address,
    },
    TensorOut {
        map: Address,
        corner: Vec<Slot>,
        from: Address,
    },
    Commit,
    /// The groups that may be under way; with `read`, it is enough that shared memory was read.
    Wait {
        pending: u32,
        read: bool,
    },
}

/// A part of shared memory and where it belongs in global memory.
#[derive(Clone, Copy, Debug)]
struct Piece {
    shared: usize,
    global: u64,
    bytes: usize,
    /// What fills it where it is outside the tensor.
    fill: Option<u8>,
}

/// A copy to shared memory.
#[derive(Debug)]
pub(crate) struct Inbound {
    pieces: Vec<Piece>,
    total: u64,
    barrier: u64,
}

/// A copy to global memory.
#[derive(Debug)]
pub(crate) struct Outbound {
    warp: usize,
    lane: usize,
    group: u32,
    pieces: Vec<Piece>,
    /// The bytes, once they were read.
    data: Option<Vec<u8>>,
}

pub(super) fn run(
    cx: &Context<'_>,
    env: &mut Env<'_>,
    block: &mut Block,
    warp: &mut Warp,
    mask: u32,
    op: &BulkOp,
) -> Checked<Flow> {
    for lane in lanes_of(mask) {
        let result = match op {
            BulkOp::Commit => {
                warp.bulk_groups[lane] += 1;
                Ok(())
            }
            BulkOp::Wait { pending, read } => wait(env, block, warp, lane, *pending, *read),
            _ => issue(cx, env, block, warp, lane, op),
        };
        in_lane(result, lane)?;
    }
    Ok(Flow::Next)
}

fn address(warp: &Warp, lane: usize, address: Address) -> u64 {
    warp.get(address.base)[lane].wrapping_add(address.offset)
}

fn shared_address(warp: &Warp, lane: usize, of: Address) -> u64 {
    resolve(address(warp, lane, of)).1
}

fn issue(
    cx: &Context<'_>,
    env: &mut Env<'_>,
    block: &mut Block,
    warp: &mut Warp,
    lane: usize,
    op: &BulkOp,
) -> Checked<()> {
    match op {
        BulkOp::In { to, from, bytes, barrier } => {
            let bytes = warp.get(*bytes)[lane] & 0xffff_ffff;
            let pieces = row(block, shared_address(warp, lane, *to), resolve(address(warp, lane, *from)).1, bytes)?;
            let barrier = shared_address(warp, lane, *barrier);
            inbound(cx, env, block, warp, lane, Inbound { pieces, total: bytes, barrier })
        }
        BulkOp::Out { to, from, bytes } => {
            let bytes = warp.get(*bytes)[lane] & 0xffff_ffff;
            let pieces = row(block, shared_address(warp, lane, *from), resolve(address(warp, lane, *to)).1, bytes)?;
            outbound(cx, env, block, warp, lane, pieces)
        }
        BulkOp::TensorIn { to, map, corner, barrier } => {
            let map = tensor_map(cx, env, address(warp, lane, *map))?;
            let corner = coordinates(warp, lane, corner, &map)?;
            let pieces = tiles(block, &map, &corner, shared_address(warp, lane, *to))?;
            let barrier = shared_address(warp, lane, *barrier);
            inbound(cx, env, block, warp, lane, Inbound { pieces, total: map.box_bytes(), barrier })
        }
        BulkOp::TensorOut { map, corner, from } => {
            let map = tensor_map(cx, env, address(warp, lane, *map))?;
            let corner = coordinates(warp, lane, corner, &map)?;
            let pieces = tiles(block, &map, &corner, shared_address(warp, lane, *from))?;
            outbound(cx, env, block, warp, lane, pieces)
        }
        BulkOp::Commit | BulkOp::Wait { .. } => Ok(()),
    }
}

/// The one piece of a copy of bytes.
fn row(block: &Block, shared: u64, global: u64, bytes: u64) -> Checked<Vec<Piece>> {
    if !bytes.is_multiple_of(16) || !global.is_multiple_of(16) {
        let message = format!("a bulk copy of {bytes} bytes: addresses and sizes are multiples of 16");
        return trouble_at(FaultKind::Misaligned, global, message);
    }
    let at = block.shared.locate(shared, bytes as u32, 16)?;
    Ok(vec![Piece { shared: at, global, bytes: bytes as usize, fill: None }])
}

/// The tensor map at a generic address.
fn tensor_map(cx: &Context<'_>, env: &Env<'_>, address: u64) -> Checked<TensorMap> {
    if !address.is_multiple_of(64) {
        return trouble_at(FaultKind::Misaligned, address, "a tensor map needs a multiple of 64 as address");
    }
    let (space, _) = resolve(address);
    let bytes = match space {
        Space::Param => {
            let at = address.wrapping_sub(PARAM_WINDOW) as usize;
            cx.params.get(at..).and_then(|bytes| bytes.get(..MAP_BYTES))
        }
        Space::Global => {
            let found = env.memory.find(address, MAP_BYTES as u64, &mut 0)?;
            env.memory.bytes(found).get(..MAP_BYTES)
        }
        _ => None,
    };
    match bytes.and_then(TensorMap::decode) {
        Some(map) => Ok(map),
        None => trouble_at(FaultKind::Undefined, address, "there is no tensor map here"),
    }
}

fn coordinates(warp: &Warp, lane: usize, corner: &[Slot], map: &TensorMap) -> Checked<Vec<i32>> {
    if corner.len() != map.extents.len() {
        let message = format!("{} coordinates in a tensor of {}", corner.len(), map.extents.len());
        return trouble(FaultKind::Undefined, message);
    }
    Ok(corner.iter().map(|slot| warp.get(*slot)[lane] as i32).collect())
}

/// The pieces of a box: chunks of 16 bytes where they are swizzled, else rows.
fn tiles(block: &Block, map: &TensorMap, corner: &[i32], shared: u64) -> Checked<Vec<Piece>> {
    let base = block.shared.locate(shared, map.box_bytes() as u32, 128)? as u64;
    let fill = if map.fill == Fill::Nan { 0xff } else { 0 };
    let pitch = map.row_bytes();
    let mut pieces = Vec::new();
    for (index, row) in map.rows(corner).iter().enumerate() {
        let begin = index as u64 * pitch;
        let mut at = 0;
        while at < pitch {
            // Up to the next border: of a chunk, and of the part that is inside.
            let chunk = if map.swizzle == Swizzle::None { pitch } else { (at / 16 + 1) * 16 };
            let inside = row.bytes > 0 && at >= row.skip && at < row.skip + row.bytes;
            let border = if inside {
                row.skip + row.bytes
            } else if at < row.skip && row.bytes > 0 {
                row.skip
            } else {
                pitch
            };
            let end = chunk.min(border).min(pitch);
            let permuted = map.swizzle.apply(shared + begin + at) - shared + base;
            pieces.push(Piece {
                shared: permuted as usize,
                global: if inside { row.address + (at - row.skip) } else { 0 },
                bytes: (end - at) as usize,
                fill: (!inside).then_some(fill),
            });
            at = end;
        }
    }
    Ok(pieces)
}

fn inbound(
    cx: &Context<'_>,
    env: &mut Env<'_>,
    block: &mut Block,
    warp: &mut Warp,
    lane: usize,
    copy: Inbound,
) -> Checked<()> {
    block.units.barrier(copy.barrier)?;
    for piece in &copy.pieces {
        if piece.fill.is_none() {
            let found = env.memory.find(piece.global, piece.bytes as u64, &mut warp.hint)?;
            if cx.options.check_races {
                env.memory.touch(&block.actor(warp.index, lane), found, piece.bytes as u32, Touch::Read)?;
            }
        }
        let who = Who { agent: warp.index, lane };
        block.shared.begin(&block.clocks, who, piece.shared, piece.bytes as u32)?;
    }
    block.units.deferred.push(Deferred::Inbound(copy));
    Ok(())
}

/// A copy to shared memory is complete.
pub(super) fn arrive(cx: &Context<'_>, env: &mut Env<'_>, block: &mut Block, copy: Inbound) -> Checked<()> {
    let unit = Who { agent: cx.warps, lane: 0 };
    for piece in &copy.pieces {
        match piece.fill {
            Some(fill) => block.shared.slice_mut(piece.shared, piece.bytes).fill(fill),
            None => {
                let found = env.memory.find(piece.global, piece.bytes as u64, &mut 0)?;
                let bytes = &env.memory.bytes(found)[..piece.bytes];
                block.shared.slice_mut(piece.shared, piece.bytes).copy_from_slice(bytes);
            }
        }
        block.shared.finish(&block.clocks, unit, piece.shared, piece.bytes as u32);
    }
    let view = block.clocks.release(unit.agent);
    block.units.barrier(copy.barrier)?.complete_bytes(copy.total, &view);
    Ok(())
}

fn outbound(
    cx: &Context<'_>,
    env: &mut Env<'_>,
    block: &mut Block,
    warp: &mut Warp,
    lane: usize,
    pieces: Vec<Piece>,
) -> Checked<()> {
    for piece in pieces.iter().filter(|piece| piece.fill.is_none()) {
        let found = env.memory.locate(piece.global, piece.bytes as u32, 1, true, &mut warp.hint)?;
        if cx.options.check_races {
            env.memory.touch(&block.actor(warp.index, lane), found, piece.bytes as u32, Touch::Write)?;
        }
        read(block, cx.warps, warp.index, lane, piece)?;
    }
    let group = warp.bulk_groups[lane];
    let mut copy = Outbound { warp: warp.index, lane, group, pieces, data: None };
    if env.rng.one_in(4) {
        take_data(block, &mut copy);
    }
    block.units.outbound.push(copy);
    Ok(())
}

/// The unit reads for a thread.
fn read(block: &mut Block, warps: usize, warp: usize, lane: usize, piece: &Piece) -> Checked<()> {
    let bytes = piece.bytes as u32;
    block.shared.check_proxy(&block.clocks, warp, warps, piece.shared, bytes)?;
    block.shared.touch(&block.clocks, Who { agent: warp, lane }, piece.shared, bytes, Touch::Read)
}

fn take_data(block: &Block, copy: &mut Outbound) {
    if copy.data.is_none() {
        let pieces = copy.pieces.iter().filter(|piece| piece.fill.is_none());
        copy.data = Some(pieces.flat_map(|piece| block.shared.slice(piece.shared, piece.bytes).to_vec()).collect());
    }
}

fn wait(env: &mut Env<'_>, block: &mut Block, warp: &mut Warp, lane: usize, pending: u32, read: bool) -> Checked<()> {
    let committed = warp.bulk_groups[lane];
    let mut left = Vec::new();
    for mut copy in std::mem::take(&mut block.units.outbound) {
        let own = copy.warp == warp.index && copy.lane == lane;
        if !own || copy.group.saturating_add(pending) >= committed {
            left.push(copy);
            continue;
        }
        if copy.data.is_none() {
            // It reads only now: nobody may have written since.
            for piece in copy.pieces.iter().filter(|piece| piece.fill.is_none()) {
                let who = Who { agent: warp.index, lane };
                block.shared.touch(&block.clocks, who, piece.shared, piece.bytes as u32, Touch::Read)?;
            }
            take_data(block, &mut copy);
        }
        if read {
            left.push(copy);
        } else {
            write_out(env, &copy)?;
        }
    }
    block.units.outbound = left;
    Ok(())
}

fn write_out(env: &mut Env<'_>, copy: &Outbound) -> Checked<()> {
    let data = copy.data.as_deref().unwrap_or(&[]);
    let mut at = 0;
    for piece in copy.pieces.iter().filter(|piece| piece.fill.is_none()) {
        let found = env.memory.find(piece.global, piece.bytes as u64, &mut 0)?;
        let bytes = &data[at..at + piece.bytes];
        env.memory.bytes_mut(found)[..piece.bytes].copy_from_slice(bytes);
        at += piece.bytes;
    }
    Ok(())
}

/// The block ends: its copies to global memory have read their bytes, and arrive.
pub(super) fn drain(env: &mut Env<'_>, block: &mut Block) -> Checked<()> {
    for copy in std::mem::take(&mut block.units.outbound) {
        if copy.data.is_none() && copy.pieces.iter().any(|piece| piece.fill.is_none()) {
            let message = "the block ends while a bulk copy reads its shared memory";
            return in_lane(trouble(FaultKind::UnfinishedCopy, message), copy.lane);
        }
        write_out(env, &copy)?;
    }
    Ok(())
}
