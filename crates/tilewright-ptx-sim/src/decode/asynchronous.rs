//! Asynchronous copies.

use super::builder::Builder;
use super::op::Op;
use super::opcode::Opcode;
use super::{Decoded, wrong};
use crate::exec::asynchronous::AsyncOp;
use crate::exec::copy::CopyOp;
use crate::parse::lexer::Literal;
use crate::parse::{Operand, Statement};
use crate::types::Type;

pub(super) fn decode<'a>(
    cx: &mut Builder<'a, '_>,
    opcode: &Opcode<'a>,
    statement: &Statement<'a>,
) -> Decoded<Option<Op>> {
    let operands = &statement.operands;
    let op = match opcode.text {
        "cp.async.commit_group" => Some(AsyncOp::CopyCommit),
        "cp.async.wait_all" => Some(AsyncOp::CopyWait(None)),
        "cp.async.wait_group" => Some(AsyncOp::CopyWait(Some(count(operands)?))),
        text if text.starts_with("cp.async.ca.") || text.starts_with("cp.async.cg.") => {
            Some(AsyncOp::Copy(copy(cx, operands)?))
        }
        _ => None,
    };
    Ok(op.map(|op| Op::Async(Box::new(op))))
}

/// An operand that is a number.
fn count(operands: &[Operand<'_>]) -> Decoded<u32> {
    match operands {
        [Operand::Number(Literal::Int(value))] => Ok(u32::try_from(*value).unwrap_or(u32::MAX)),
        _ => wrong("expected a number"),
    }
}

fn copy<'a>(cx: &mut Builder<'a, '_>, operands: &[Operand<'a>]) -> Decoded<CopyOp> {
    let [to, from, size, rest @ ..] = operands else { return wrong("expected two addresses and a size") };
    let bytes = count(std::slice::from_ref(size))?;
    if !matches!(bytes, 4 | 8 | 16) {
        return wrong(format!("`cp.async` copies 4, 8 or 16 bytes, not {bytes}"));
    }
    let (mut source_bytes, mut ignore) = (None, None);
    match rest.first() {
        None => {}
        Some(Operand::Word(name)) if is_predicate(cx, name) => ignore = Some(cx.predicate_source(&rest[0])?),
        Some(Operand::Not(_)) => ignore = Some(cx.predicate_source(&rest[0])?),
        Some(operand) => source_bytes = Some(cx.source(operand, Type::U32)?),
    }
    Ok(CopyOp { to: cx.address(to)?, from: cx.address(from)?, bytes, source_bytes, ignore })
}

fn is_predicate(cx: &Builder<'_, '_>, name: &str) -> bool {
    matches!(cx.named(name), Some(super::builder::Register::Predicate(_)))
}
