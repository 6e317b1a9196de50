//! Instructions that lanes of a warp execute together.

use super::builder::Builder;
use super::op::{Op, ShuffleMode, Sink, VoteMode};
use super::opcode::Opcode;
use super::{Decoded, unsupported, wrong};
use crate::parse::{Operand, Statement};
use crate::types::Type;

pub(super) fn decode<'a>(
    cx: &mut Builder<'a, '_>,
    opcode: &Opcode<'a>,
    statement: &Statement<'a>,
) -> Decoded<Option<Op>> {
    let operands = &statement.operands;
    Ok(Some(match opcode.name {
        "shfl" => shuffle(cx, opcode, operands)?,
        "vote" => vote(cx, opcode, operands)?,
        "match" => matches(cx, opcode, operands)?,
        "redux" => redux(cx, opcode, operands)?,
        "elect" => {
            let [Operand::Pair(to), members] = operands.as_slice() else { return wrong("expected `d|p, mask`") };
            let members = cx.source(members, Type::B32)?;
            Op::Elect { d: cx.destination(&to.0)?, p: cx.predicate_destination(&to.1)?, members }
        }
        "activemask" => {
            let [d] = operands.as_slice() else { return wrong("expected a register") };
            Op::ActiveMask { d: cx.destination(d)? }
        }
        _ => return Ok(None),
    }))
}

fn shuffle<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Op> {
    let mode = match opcode.modifiers.as_slice() {
        ["sync", "up", "b32"] => ShuffleMode::Up,
        ["sync", "down", "b32"] => ShuffleMode::Down,
        ["sync", "bfly", "b32"] => ShuffleMode::Butterfly,
        ["sync", "idx", "b32"] => ShuffleMode::Index,
        _ => return unsupported(format!("`{}`", opcode.text)),
    };
    let [to, a, b, c, members] = operands else { return wrong("expected five operands") };
    let (a, b) = (cx.source(a, Type::B32)?, cx.source(b, Type::U32)?);
    let (c, members) = (cx.source(c, Type::U32)?, cx.source(members, Type::B32)?);
    let (d, p) = match to {
        Operand::Pair(pair) => (cx.destination(&pair.0)?, Some(cx.predicate_destination(&pair.1)?)),
        to => (cx.destination(to)?, None),
    };
    Ok(Op::Shuffle { mode, d, p, a, b, c, members })
}

fn vote<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Op> {
    let mode = match opcode.modifiers.as_slice() {
        ["sync", "all", "pred"] => VoteMode::All,
        ["sync", "any", "pred"] => VoteMode::Any,
        ["sync", "uni", "pred"] => VoteMode::Uni,
        ["sync", "ballot", "b32"] => VoteMode::Ballot,
        _ => return unsupported(format!("`{}`", opcode.text)),
    };
    let [d, a, members] = operands else { return wrong("expected three operands") };
    let (a, members) = (cx.predicate_source(a)?, cx.source(members, Type::B32)?);
    let d = match mode {
        VoteMode::Ballot => Sink::Reg(cx.destination(d)?),
        _ => Sink::Pred(cx.predicate_destination(d)?),
    };
    Ok(Op::Vote { mode, d, a, members })
}

fn matches<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Op> {
    let (all, ty) = match opcode.modifiers.as_slice() {
        ["any", "sync", "b32"] => (false, Type::B32),
        ["any", "sync", "b64"] => (false, Type::B64),
        ["all", "sync", "b32"] => (true, Type::B32),
        ["all", "sync", "b64"] => (true, Type::B64),
        _ => return unsupported(format!("`{}`", opcode.text)),
    };
    let [to, a, members] = operands else { return wrong("expected three operands") };
    let (a, members) = (cx.source(a, ty)?, cx.source(members, Type::B32)?);
    let (d, p) = match to {
        Operand::Pair(pair) if all => (cx.destination(&pair.0)?, Some(cx.predicate_destination(&pair.1)?)),
        to => (cx.destination(to)?, None),
    };
    Ok(Op::Match { all, bits: ty.bits(), d, p, a, members })
}

fn redux<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Op> {
    let f: fn(u32, u32) -> u32 = match opcode.modifiers.as_slice() {
        ["sync", "add", "u32" | "s32"] => u32::wrapping_add,
        ["sync", "min", "u32"] => |a, b| a.min(b),
        ["sync", "max", "u32"] => |a, b| a.max(b),
        ["sync", "min", "s32"] => |a, b| (a as i32).min(b as i32) as u32,
        ["sync", "max", "s32"] => |a, b| (a as i32).max(b as i32) as u32,
        ["sync", "and", "b32"] => |a, b| a & b,
        ["sync", "or", "b32"] => |a, b| a | b,
        ["sync", "xor", "b32"] => |a, b| a ^ b,
        _ => return unsupported(format!("`{}`", opcode.text)),
    };
    let [d, a, members] = operands else { return wrong("expected three operands") };
    let (a, members) = (cx.source(a, Type::B32)?, cx.source(members, Type::B32)?);
    Ok(Op::Redux { f, d: cx.destination(d)?, a, members })
}
