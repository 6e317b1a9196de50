//! `cvt`, and conversions of addresses.

use super::builder::Builder;
use super::op::Op;
use super::opcode::Opcode;
use super::{Decoded, wrong};
use crate::module::Space;
use crate::parse::{Operand, Statement};
use crate::scalar::convert::Convert;
use crate::scalar::format::Round;
use crate::types::Type;

pub(super) fn decode<'a>(
    cx: &mut Builder<'a, '_>,
    opcode: &Opcode<'a>,
    statement: &Statement<'a>,
) -> Decoded<Option<Op>> {
    match opcode.name {
        "cvt" => convert(cx, opcode, &statement.operands),
        "cvta" => address(cx, opcode, &statement.operands),
        "isspacep" => {
            let [d, a] = statement.operands.as_slice() else { return wrong("expected two operands") };
            let Some(space) = space_of(opcode) else { return Ok(None) };
            let a = cx.source(a, Type::U64)?;
            Ok(Some(Op::IsSpace { space, d: cx.predicate_destination(d)?, a }))
        }
        _ => Ok(None),
    }
}

/// The space that a modifier names.
pub(super) fn space_of(opcode: &Opcode<'_>) -> Option<Space> {
    opcode.modifiers.iter().find_map(|word| {
        Some(match *word {
            "global" => Space::Global,
            "shared" | "shared::cta" | "shared::cluster" => Space::Shared,
            "local" => Space::Local,
            "const" => Space::Const,
            "param" | "param::entry" | "param::func" => Space::Param,
            _ => return None,
        })
    })
}

fn address<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Option<Op>> {
    let [d, a] = operands else { return wrong("expected two operands") };
    let Some(space) = space_of(opcode) else { return Ok(None) };
    let a = cx.source(a, Type::U64)?;
    let d = cx.destination(d)?;
    Ok(Some(if opcode.has("to") { Op::FromGeneric { space, d, a } } else { Op::ToGeneric { space, d, a } }))
}

const MODIFIERS: [&str; 14] =
    ["rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi", "ftz", "sat", "satfinite", "relu", "pack"];

fn convert<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Option<Op>> {
    let [to, from] = opcode.types.as_slice() else { return Ok(None) };
    let (to, from) = (*to, *from);
    if opcode.unknown(&MODIFIERS).is_some() || opcode.has("pack") {
        return Ok(None);
    }
    let packed = matches!(to, Type::F16x2 | Type::BF16x2 | Type::E4M3x2 | Type::E5M2x2) && from == Type::F32;
    if operands.len() != if packed { 3 } else { 2 } {
        return wrong(format!("{} operands of `{}`", operands.len(), opcode.text));
    }
    let known = packed
        || match (from, to) {
            (Type::F16x2, Type::E4M3x2 | Type::E5M2x2) | (Type::E4M3x2 | Type::E5M2x2, Type::F16x2) => true,
            (from, to) => !multiple(from) && !multiple(to) && from.bits() <= 64 && to.bits() <= 64,
        };
    if !known || from == Type::Pred || to == Type::Pred || from == Type::TF32 {
        return Ok(None);
    }
    let rounds = |integral: bool| {
        opcode.modifiers.iter().filter(|word| word.ends_with('i') == integral).find_map(|word| Round::parse(word))
    };
    let (d, register) = cx.wide_destination(&operands[0])?;
    let op = Convert {
        from,
        to,
        round: rounds(false).unwrap_or(Round::NearestEven),
        integral: rounds(true),
        flush: opcode.has("ftz"),
        saturate: opcode.has("sat"),
        finite: opcode.has("satfinite"),
        relu: opcode.has("relu"),
        register,
    };
    let a = cx.source(&operands[1], from)?;
    let b = match operands.get(2) {
        Some(b) => cx.source(b, from)?,
        None => a,
    };
    Ok(Some(match op.fast() {
        Some(f) => Op::Map1 { f, d, a },
        None => Op::Convert { op: Box::new(op), d, a, b },
    }))
}

fn multiple(ty: Type) -> bool {
    matches!(ty, Type::F16x2 | Type::BF16x2 | Type::E4M3x2 | Type::E5M2x2 | Type::U16x2 | Type::S16x2 | Type::B128)
}
