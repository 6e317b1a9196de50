//! Loads, stores and atomic operations.

use super::context::Context;
use super::scalar::resolve;
use super::sync;
use super::traffic;
use super::warp::Warp;
use super::{Block, Env, Flow};
use crate::decode::{Access, Order, PARAM_WINDOW, Place, Slot};
use crate::fault::FaultKind;
use crate::lanes::{WARP, lanes_of};
use crate::memory::global::Found;
use crate::memory::shared::Who;
use crate::memory::{self, Checked, Touch, in_lane, trouble_at};
use crate::module::Space;
use crate::scalar::bits::sign_extend;

/// Elements of one access at most.
const MAX_ELEMENTS: usize = 8;

/// Memory that an access has found.
#[derive(Clone, Copy, Debug)]
enum Spot {
    Global(Found),
    Shared(usize),
    Local(usize),
    Param(usize),
    Frame(usize),
}

/// Checks bounds, alignment and races of an access of a lane.
fn locate(
    cx: &Context<'_>,
    env: &mut Env<'_>,
    block: &mut Block,
    warp: &mut Warp,
    access: &Access,
    lane: usize,
    bytes: u32,
    touch: Touch,
) -> Checked<Spot> {
    let Some((space, address)) = place(warp, access, lane) else {
        let address = warp.get(access.address.base)[lane].wrapping_add(access.address.offset);
        return frame(cx, warp, lane, address, bytes);
    };
    match space {
        Space::Global | Space::Const | Space::Generic => {
            let found = env.memory.locate(address, bytes, access.align, touch.writes(), &mut warp.hint)?;
            if cx.options.check_races && touch != Touch::Rewrite {
                env.memory.touch(&block.actor(warp.index, lane), found, bytes, touch)?;
            }
            if touch.is_strong() {
                strong(env, block, warp, (0, address), access.order, touch);
            }
            Ok(Spot::Global(found))
        }
        Space::Shared => {
            let at = block.shared.locate(address, bytes, access.align)?;
            if touch != Touch::Rewrite {
                block.shared.touch(&block.clocks, Who { agent: warp.index, lane }, at, bytes, touch)?;
            }
            if touch.is_strong() {
                strong(env, block, warp, (block.number, address), access.order, touch);
            }
            Ok(Spot::Shared(at))
        }
        Space::Local => {
            check(address, bytes, access.align, warp.local_bytes, "local memory")?;
            Ok(Spot::Local(lane * warp.local_bytes + address as usize))
        }
        Space::Param => {
            if touch.writes() {
                return trouble_at(FaultKind::ReadOnly, address, "a store to a parameter of the kernel");
            }
            let at = address.wrapping_sub(PARAM_WINDOW);
            check(at, bytes, access.align, cx.params.len(), "the parameters of the kernel")?;
            Ok(Spot::Param(at as usize))
        }
    }
}

fn strong(env: &mut Env<'_>, block: &mut Block, warp: &mut Warp, key: (u32, u64), order: Order, touch: Touch) {
    // A strong write of `atom` reads too; that of `st` has no order that a read would need.
    sync::strong(env, block, warp, key, order, true, touch.writes());
}

fn check(address: u64, bytes: u32, align: u32, size: usize, name: &str) -> Checked<()> {
    if address.checked_add(bytes.into()).is_none_or(|end| end > size as u64) {
        let message = format!("an access of {bytes} bytes outside the {size} bytes of {name}");
        return trouble_at(FaultKind::OutOfBounds, address, message);
    }
    if !address.is_multiple_of(align.into()) {
        let message = format!("an access to {name} needs a multiple of {align} as address");
        return trouble_at(FaultKind::Misaligned, address, message);
    }
    Ok(())
}

fn frame(cx: &Context<'_>, warp: &Warp, lane: usize, address: u64, bytes: u32) -> Checked<Spot> {
    let frame = warp.frame();
    let size = cx.code(frame.function).frame_bytes as usize;
    check(address, bytes, 1, size, "the parameters of functions")?;
    Ok(Spot::Frame(frame.memory + lane * size + address as usize))
}

fn touch_of(order: Order, writes: bool) -> Touch {
    match (order, writes) {
        (Order::Weak, false) => Touch::Read,
        (Order::Weak, true) => Touch::Write,
        (_, false) => Touch::StrongRead,
        (_, true) => Touch::StrongWrite,
    }
}

fn read(cx: &Context<'_>, env: &Env<'_>, block: &Block, warp: &Warp, spot: Spot, offset: usize, bytes: u32) -> u64 {
    match spot {
        Spot::Global(found) => memory::load(env.memory.bytes(found), offset, bytes),
        Spot::Shared(at) => block.shared.load(at + offset, bytes),
        Spot::Local(at) => memory::load(&warp.local, at + offset, bytes),
        Spot::Param(at) => memory::load(cx.params, at + offset, bytes),
        Spot::Frame(at) => memory::load(&warp.memory, at + offset, bytes),
    }
}

fn write(env: &mut Env<'_>, block: &mut Block, warp: &mut Warp, spot: Spot, offset: usize, bytes: u32, value: u64) {
    match spot {
        Spot::Global(found) => memory::store(env.memory.bytes_mut(found), offset, bytes, value),
        Spot::Shared(at) => block.shared.store(at + offset, bytes, value),
        Spot::Local(at) => memory::store(&mut warp.local, at + offset, bytes, value),
        Spot::Param(_) => {}
        Spot::Frame(at) => memory::store(&mut warp.memory, at + offset, bytes, value),
    }
}

/// Counts the traffic of an access of the lanes of `mask`.
fn count_traffic(cx: &Context<'_>, env: &mut Env<'_>, warp: &Warp, mask: u32, access: &Access, bytes: u32) {
    if !cx.options.count_traffic {
        return;
    }
    let base = warp.get(access.address.base);
    let (mut global, mut shared) = (Vec::new(), Vec::new());
    for lane in lanes_of(mask) {
        let address = base[lane].wrapping_add(access.address.offset);
        match access.place {
            Place::Frame => {}
            Place::Space(Space::Generic) => match resolve(address) {
                (Space::Shared, address) => shared.push(address),
                (Space::Global, address) => global.push(address),
                _ => {}
            },
            Place::Space(Space::Shared) => shared.push(address),
            Place::Space(Space::Global) => global.push(address),
            Place::Space(_) => {}
        }
    }
    env.sectors += traffic::sectors(&global, bytes);
    env.passes += traffic::passes(&shared, bytes);
}

pub(super) fn load(
    cx: &Context<'_>,
    env: &mut Env<'_>,
    block: &mut Block,
    warp: &mut Warp,
    mask: u32,
    access: &Access,
    d: &[Slot],
    sign: Option<(u32, u32)>,
) -> Checked<Flow> {
    let mut out = [[0; WARP]; MAX_ELEMENTS];
    let count = d.len().min(MAX_ELEMENTS);
    let touch = touch_of(access.order, false);
    for lane in lanes_of(mask) {
        let spot = in_lane(locate(cx, env, block, warp, access, lane, access.bytes * count as u32, touch), lane)?;
        for (index, out) in out[..count].iter_mut().enumerate() {
            out[lane] = read(cx, env, block, warp, spot, index * access.bytes as usize, access.bytes);
        }
    }
    count_traffic(cx, env, warp, mask, access, access.bytes * d.len() as u32);
    for (slot, value) in d.iter().zip(&mut out) {
        if let Some((from, to)) = sign {
            *value = value.map(|x| sign_extend(x, from, to));
        }
        warp.set(*slot, mask, value);
    }
    Ok(if access.order == Order::Weak { Flow::Next } else { Flow::Yield })
}

/// The space and the address of a lane's access; none in the frame of a function.
fn place(warp: &Warp, access: &Access, lane: usize) -> Option<(Space, u64)> {
    let address = warp.get(access.address.base)[lane].wrapping_add(access.address.offset);
    match access.place {
        Place::Frame => None,
        Place::Space(Space::Generic) => Some(resolve(address)),
        Place::Space(space) => Some((space, address)),
    }
}

/// Whether memory of the device or the block holds what the lane stores there.
fn holds(env: &Env<'_>, block: &Block, warp: &Warp, access: &Access, lane: usize, a: &[Slot]) -> bool {
    let (width, mut hint) = (access.bytes as usize, warp.hint);
    let bytes = width * a.len();
    let held = match place(warp, access, lane) {
        Some((Space::Global | Space::Generic, address)) => match env.memory.find(address, bytes as u64, &mut hint) {
            Ok(found) => env.memory.bytes(found).get(..bytes),
            Err(_) => None,
        },
        Some((Space::Shared, address)) => match block.shared.locate(address, bytes as u32, access.align) {
            Ok(at) => Some(block.shared.slice(at, bytes)),
            Err(_) => None,
        },
        _ => None,
    };
    let given = a.iter().flat_map(|slot| warp.get(*slot)[lane].to_le_bytes().into_iter().take(width));
    width <= 8 && held.is_some_and(|held| given.eq(held.iter().copied()))
}

pub(super) fn store(
    cx: &Context<'_>,
    env: &mut Env<'_>,
    block: &mut Block,
    warp: &mut Warp,
    mask: u32,
    access: &Access,
    a: &[Slot],
) -> Checked<Flow> {
    let usual = touch_of(access.order, true);
    for lane in lanes_of(mask) {
        let same = cx.options.check_races && usual == Touch::Write && holds(env, block, warp, access, lane, a);
        let touch = if same { Touch::Rewrite } else { usual };
        let spot = in_lane(locate(cx, env, block, warp, access, lane, access.bytes * a.len() as u32, touch), lane)?;
        for (index, slot) in a.iter().enumerate() {
            let value = warp.get(*slot)[lane];
            write(env, block, warp, spot, index * access.bytes as usize, access.bytes, value);
        }
    }
    count_traffic(cx, env, warp, mask, access, access.bytes * a.len() as u32);
    Ok(Flow::Next)
}

/// Lanes take their turns in an order of chance.
pub(super) fn atomic(
    cx: &Context<'_>,
    env: &mut Env<'_>,
    block: &mut Block,
    warp: &mut Warp,
    mask: u32,
    access: &Access,
    f: fn(u64, u64, u64) -> u64,
    [d, b, c]: [Slot; 3],
) -> Checked<Flow> {
    let (b, c) = (*warp.get(b), *warp.get(c));
    let mut out = [0; WARP];
    let turn = env.rng.below(WARP) as u32;
    for lane in lanes_of(mask.rotate_right(turn)).map(|lane| (lane + turn as usize) % WARP) {
        let spot = in_lane(locate(cx, env, block, warp, access, lane, access.bytes, Touch::StrongWrite), lane)?;
        let old = read(cx, env, block, warp, spot, 0, access.bytes);
        write(env, block, warp, spot, 0, access.bytes, f(old, b[lane], c[lane]));
        out[lane] = old;
    }
    warp.set(d, mask, &out);
    Ok(Flow::Yield)
}
