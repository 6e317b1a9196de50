//! Instructions of each lane for itself.

use super::Env;
use super::context::Context;
use super::warp::Warp;
use crate::decode::{Join, LOCAL_WINDOW, Op, PARAM_WINDOW, Product, SHARED_WINDOW, Slot, WINDOW_BYTES, window};
use crate::lanes::{Lanes, WARP, lanes_of};
use crate::module::Space;
use crate::scalar::bits::sign_extend;
use crate::types::mask as low_bits;

/// Runs `op`; false when it is none of these instructions.
pub(super) fn run(cx: &Context<'_>, env: &Env<'_>, warp: &mut Warp, mask: u32, op: &Op) -> bool {
    let mut out = [0; WARP];
    let d = mapped(cx, warp, mask, op, &mut out).or_else(|| chosen(env, warp, op, &mut out));
    let Some(d) = d else {
        return predicates(warp, mask, op) || several(warp, mask, op) || addresses(warp, mask, op);
    };
    warp.set(d, mask, &out);
    true
}

/// Functions of the operands; the register of the result.
fn mapped(cx: &Context<'_>, warp: &Warp, mask: u32, op: &Op, out: &mut Lanes) -> Option<Slot> {
    Some(match *op {
        Op::Map1 { f, d, a } => {
            f(warp.get(a), out);
            d
        }
        Op::Map2 { f, d, a, b } => {
            f(warp.get(a), warp.get(b), out);
            d
        }
        Op::Map3 { f, d, a, b, c } => {
            f(warp.get(a), warp.get(b), warp.get(c), out);
            d
        }
        Op::Move { d, a } => {
            *out = *warp.get(a);
            d
        }
        Op::Map4 { f, d, abcd: [a, b, c, e] } => {
            let (a, b, c, e) = (warp.get(a), warp.get(b), warp.get(c), warp.get(e));
            for lane in 0..WARP {
                out[lane] = f(a[lane], b[lane], c[lane], e[lane]);
            }
            d
        }
        Op::Float { ref op, d, abc: [a, b, c] } => {
            let (a, b, c) = (warp.get(a), warp.get(b), warp.get(c));
            for lane in lanes_of(mask) {
                out[lane] = op.eval(a[lane], b[lane], c[lane]);
            }
            d
        }
        Op::Approx { op, d, a, b } => {
            let (a, b) = (warp.get(a), warp.get(b));
            for lane in lanes_of(mask) {
                out[lane] = op.eval(a[lane], b[lane], cx.seed);
            }
            d
        }
        Op::Convert { ref op, d, a, b } => {
            let (a, b) = (warp.get(a), warp.get(b));
            for lane in lanes_of(mask) {
                out[lane] = op.eval(a[lane], b[lane]);
            }
            d
        }
        _ => return None,
    })
}

/// Selections, and values that are put together; the register of the result.
fn chosen(env: &Env<'_>, warp: &Warp, op: &Op, out: &mut Lanes) -> Option<Slot> {
    Some(match *op {
        Op::Select { d, a, b, p } => {
            let p = warp.predicate(p);
            let (a, b) = (warp.get(a), warp.get(b));
            for lane in 0..WARP {
                out[lane] = if p >> lane & 1 == 1 { a[lane] } else { b[lane] };
            }
            d
        }
        Op::SelectSign { f, d, abc: [a, b, c] } => {
            let (a, b, c) = (warp.get(a), warp.get(b), warp.get(c));
            for lane in 0..WARP {
                out[lane] = if f(c[lane]) { a[lane] } else { b[lane] };
            }
            d
        }
        Op::Set { f, d, a, b, join, one } => {
            let holds = joined(warp, f(warp.get(a), warp.get(b)), join);
            for (lane, out) in out.iter_mut().enumerate() {
                *out = if holds >> lane & 1 == 1 { one } else { 0 };
            }
            d
        }
        Op::SetHalves { f, d, a, b, one } => {
            for (f, one) in f.iter().zip(one) {
                let holds = f(warp.get(a), warp.get(b));
                for (lane, out) in out.iter_mut().enumerate() {
                    *out |= if holds >> lane & 1 == 1 { one } else { 0 };
                }
            }
            d
        }
        Op::Pack { d, ref parts, bits } => {
            for (index, &part) in parts.iter().enumerate() {
                let part = warp.get(part);
                for lane in 0..WARP {
                    out[lane] |= (part[lane] & low_bits(bits)) << (index as u32 * bits);
                }
            }
            d
        }
        Op::Clock { d, bits } => {
            out.fill(env.executed & low_bits(bits));
            d
        }
        _ => return None,
    })
}

fn joined(warp: &Warp, holds: u32, join: Option<(Join, crate::decode::Guard)>) -> u32 {
    match join {
        None => holds,
        Some((Join::And, guard)) => holds & warp.predicate(guard),
        Some((Join::Or, guard)) => holds | warp.predicate(guard),
        Some((Join::Xor, guard)) => holds ^ warp.predicate(guard),
    }
}

fn predicates(warp: &mut Warp, mask: u32, op: &Op) -> bool {
    match *op {
        Op::Compare { f, d, e, a, b, join } => {
            let holds = f(warp.get(a), warp.get(b));
            let (first, second) = (joined(warp, holds, join), joined(warp, !holds, join));
            warp.set_predicate(d, mask, first);
            if let Some(e) = e {
                warp.set_predicate(e, mask, second);
            }
        }
        Op::PredMap { f, d, a, b } => {
            let value = f(warp.predicate(a), warp.predicate(b));
            warp.set_predicate(d, mask, value);
        }
        Op::PredSelect { d, a, b, p } => {
            let p = warp.predicate(p);
            let value = (warp.predicate(a) & p) | (warp.predicate(b) & !p);
            warp.set_predicate(d, mask, value);
        }
        _ => return false,
    }
    true
}

/// Instructions with several destinations, and those with the carry flag.
fn several(warp: &mut Warp, mask: u32, op: &Op) -> bool {
    match op {
        Op::Join { d, parts } => {
            let values: Vec<Lanes> = parts.iter().map(|part| *warp.get(*part)).collect();
            for (index, value) in values.iter().enumerate() {
                warp.set(d + index as u32, mask, value);
            }
        }
        Op::Split { parts, a } => {
            for (index, part) in parts.iter().enumerate() {
                let value = *warp.get(a + index as u32);
                warp.set(*part, mask, &value);
            }
        }
        Op::Unpack { parts, bits, a } => {
            let a = *warp.get(*a);
            for (index, part) in parts.iter().enumerate() {
                let value = a.map(|a| a >> (index as u32 * bits) & low_bits(*bits));
                warp.set(*part, mask, &value);
            }
        }
        Op::Carry { .. } => carry(warp, mask, op),
        Op::Nop => {}
        _ => return false,
    }
    true
}

fn carry(warp: &mut Warp, mask: u32, op: &Op) {
    let Op::Carry { bits, subtract, carry_in, carry_out, product, d, abc } = *op else { return };
    let [a, b, c] = abc.map(|slot| *warp.get(slot));
    let mut out = [0; WARP];
    let mut flags = 0;
    for lane in 0..WARP {
        let (left, right) = match product {
            None => (a[lane], b[lane]),
            Some(product) => (multiply(product, bits, a[lane], b[lane]), c[lane]),
        };
        let with = u128::from(carry_in && warp.carry >> lane & 1 == 1);
        let wide = if subtract {
            u128::from(left).wrapping_sub(u128::from(right)).wrapping_sub(with)
        } else {
            u128::from(left) + u128::from(right) + with
        };
        out[lane] = wide as u64 & low_bits(bits);
        flags |= ((wide >> bits & 1) as u32) << lane;
    }
    warp.set(d, mask, &out);
    if carry_out {
        warp.carry = (warp.carry & !mask) | (flags & mask);
    }
}

fn multiply(product: Product, bits: u32, a: u64, b: u64) -> u64 {
    match product {
        Product::Low => a.wrapping_mul(b) & low_bits(bits),
        Product::High { signed: false } => ((u128::from(a) * u128::from(b)) >> bits) as u64 & low_bits(bits),
        Product::High { signed: true } => {
            let value = |x: u64| i128::from(sign_extend(x, bits, 64) as i64);
            ((value(a) * value(b)) >> bits) as u64 & low_bits(bits)
        }
    }
}

/// The space and the address in it of a generic address.
pub(super) fn resolve(address: u64) -> (Space, u64) {
    let inside = |base: u64| address.wrapping_sub(base) < WINDOW_BYTES;
    if inside(SHARED_WINDOW) {
        (Space::Shared, address - SHARED_WINDOW)
    } else if inside(LOCAL_WINDOW) {
        (Space::Local, address - LOCAL_WINDOW)
    } else if inside(PARAM_WINDOW) {
        (Space::Param, address)
    } else {
        (Space::Global, address)
    }
}

fn addresses(warp: &mut Warp, mask: u32, op: &Op) -> bool {
    match *op {
        Op::ToGeneric { space, d, a } => {
            // Parameters have their generic addresses from the beginning.
            let base = if space == Space::Param { 0 } else { window(space).unwrap_or(0) };
            let out = warp.get(a).map(|address| address.wrapping_add(base));
            warp.set(d, mask, &out);
        }
        Op::FromGeneric { space, d, a } => {
            let base = if space == Space::Param { 0 } else { window(space).unwrap_or(0) };
            let out = warp.get(a).map(|address| address.wrapping_sub(base));
            warp.set(d, mask, &out);
        }
        Op::IsSpace { space, d, a } => {
            let mut holds = 0;
            for (lane, &address) in warp.get(a).iter().enumerate() {
                holds |= u32::from(resolve(address).0 == space) << lane;
            }
            warp.set_predicate(d, mask, holds);
        }
        _ => return false,
    }
    true
}
