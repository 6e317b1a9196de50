//! Loads, stores, atomic operations and fences.

use super::builder::Builder;
use super::convert::space_of;
use super::op::{Access, Op, Order, Place, Slot};
use super::opcode::Opcode;
use super::{Decoded, unsupported, wrong};
use crate::module::Space;
use crate::parse::{Operand, Statement};
use crate::scalar::atomic;
use crate::types::Type;

pub(super) fn decode<'a>(
    cx: &mut Builder<'a, '_>,
    opcode: &Opcode<'a>,
    statement: &Statement<'a>,
) -> Decoded<Option<Op>> {
    let operands = &statement.operands;
    match opcode.name {
        "ld" | "ldu" => load(cx, opcode, operands).map(Some),
        "st" if !opcode.has("async") && !opcode.has("bulk") => store(cx, opcode, operands).map(Some),
        "atom" => atom(cx, opcode, operands, true).map(Some),
        "red" if !opcode.has("async") => atom(cx, opcode, operands, false).map(Some),
        "fence" if opcode.has("proxy") && opcode.has("async") => Ok(Some(Op::ProxyFence)),
        "fence" if opcode.has("proxy") => Ok(None),
        "fence" | "membar" => Ok(Some(Op::Fence)),
        "prefetch" | "prefetchu" | "discard" | "applypriority" => Ok(Some(Op::Nop)),
        "createpolicy" => {
            let d = cx.destination(operands.first().unwrap_or(&Operand::Word("")))?;
            let a = cx.bits(0);
            Ok(Some(Op::Move { d, a }))
        }
        _ => Ok(None),
    }
}

/// Modifiers that say where data may stay, which changes no result.
fn is_hint(word: &str) -> bool {
    word.starts_with("L1::")
        || word.starts_with("L2::")
        || matches!(word, "ca" | "cg" | "cs" | "lu" | "cv" | "wb" | "wt")
}

const MEMORY: [&str; 27] = [
    "weak",
    "volatile",
    "relaxed",
    "acquire",
    "release",
    "acq_rel",
    "mmio",
    "cta",
    "cluster",
    "gpu",
    "sys",
    "global",
    "shared",
    "shared::cta",
    "local",
    "const",
    "param",
    "param::entry",
    "param::func",
    "nc",
    "v2",
    "v4",
    "v8",
    "noftz",
    "unified",
    "shared::cluster",
    "generic",
];

fn order(opcode: &Opcode<'_>) -> Order {
    opcode
        .modifiers
        .iter()
        .find_map(|word| {
            Some(match *word {
                "volatile" | "relaxed" | "mmio" => Order::Relaxed,
                "acquire" => Order::Acquire,
                "release" => Order::Release,
                "acq_rel" => Order::AcquireRelease,
                _ => return None,
            })
        })
        .unwrap_or(Order::Weak)
}

/// Where the access goes, its type and how many elements it has.
fn access<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, address: &Operand<'a>) -> Decoded<(Access, usize)> {
    if let Some(word) =
        opcode.modifiers.iter().find(|word| !MEMORY.contains(word) && !is_hint(word) && Type::parse(word).is_none())
    {
        return unsupported(format!("`.{word}` of `{}`", opcode.text));
    }
    let Some(ty) = opcode.ty() else { return wrong("a memory access needs a type") };
    if ty == Type::Pred {
        return wrong("predicates cannot be in memory");
    }
    let mut count = 1;
    for (word, lanes) in [("v2", 2), ("v4", 4), ("v8", 8)] {
        if opcode.has(word) {
            count = lanes;
        }
    }
    let whole = ty.bits() / 8 * count as u32;
    let (bytes, count) = if ty == Type::B128 { (8, 2 * count) } else { (ty.bits() / 8, count) };
    let place = match space_of(opcode) {
        Some(Space::Param) if cx.is_frame(address) => Place::Frame,
        Some(space) => Place::Space(space),
        None => Place::Space(Space::Generic),
    };
    let address = cx.address(address)?;
    Ok((Access { place, order: order(opcode), bytes, align: whole, address }, count))
}

fn load<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Op> {
    let [to, from, ..] = operands else { return wrong("expected a register and an address") };
    let (access, count) = access(cx, opcode, from)?;
    let ty = opcode.ty().unwrap_or(Type::B32);
    let mut width = 0;
    let mut d: Vec<Slot> = Vec::new();
    let parts = match to {
        Operand::Vector(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    for part in parts {
        let (slot, bits) = cx.wide_destination(part)?;
        width = bits;
        d.push(slot);
        if ty == Type::B128 {
            d.push(slot + 1);
        }
    }
    if d.len() != count {
        return wrong(format!("{} registers for {count} elements", d.len()));
    }
    let sign = (ty.is_signed() && width > ty.bits()).then_some((ty.bits(), width));
    Ok(Op::Load { access, d: d.into(), sign })
}

fn store<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Op> {
    let [to, from, ..] = operands else { return wrong("expected an address and a value") };
    let (access, count) = access(cx, opcode, to)?;
    let ty = opcode.ty().unwrap_or(Type::B32);
    let parts = match from {
        Operand::Vector(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut a: Vec<Slot> = Vec::new();
    for part in parts {
        let slot = cx.source(part, ty)?;
        a.push(slot);
        if ty == Type::B128 {
            a.push(slot + 1);
        }
    }
    if a.len() != count {
        return wrong(format!("{} values for {count} elements", a.len()));
    }
    Ok(Op::Store { access, a: a.into() })
}

fn atom<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>], returns: bool) -> Decoded<Op> {
    const NAMES: [&str; 10] = ["add", "min", "max", "inc", "dec", "cas", "exch", "and", "or", "xor"];
    let Some(name) = opcode.modifiers.iter().find(|word| NAMES.contains(word)) else {
        return unsupported(format!("`{}`", opcode.text));
    };
    let known =
        |word: &&&str| NAMES.contains(*word) || MEMORY.contains(*word) || is_hint(word) || Type::parse(word).is_some();
    if opcode.modifiers.iter().filter(known).count() != opcode.modifiers.len() || opcode.has("v2") || opcode.has("v4") {
        return unsupported(format!("`{}`", opcode.text));
    }
    let Some(ty) = opcode.ty() else { return wrong("an atomic operation needs a type") };
    let Some(f) = atomic::function(name, ty) else { return unsupported(format!("`{}`", opcode.text)) };
    let (to, rest) = match (returns, operands) {
        (true, [to, rest @ ..]) => (to, rest),
        (false, rest) => (&Operand::Word("_"), rest),
        _ => return wrong("expected operands"),
    };
    let [address, b, more @ ..] = rest else { return wrong("expected an address and a value") };
    let d = cx.destination(to)?;
    let place = Place::Space(space_of(opcode).unwrap_or(Space::Generic));
    let bytes = ty.bits() / 8;
    let order = match order(opcode) {
        Order::Weak => Order::Relaxed,
        order => order,
    };
    let access = Access { place, order, bytes, align: bytes, address: cx.address(address)? };
    let b = cx.source(b, ty)?;
    let c = match more.first() {
        Some(c) if *name == "cas" => cx.source(c, ty)?,
        None if *name == "cas" => return wrong("`cas` needs two values"),
        _ => b,
    };
    Ok(Op::Atomic { access, f, d, b, c })
}
