//! Branches, calls, exits and barriers.

use super::builder::Builder;
use super::op::{BarrierKind, CallOp, Guard, Op, Sink};
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
        "bra" => {
            let [Operand::Word(label)] = operands.as_slice() else { return wrong("expected a label") };
            cx.jump(label);
            Op::Branch { target: 0, reconverge: 0 }
        }
        "brx" => {
            let [index, Operand::Word(list)] = operands.as_slice() else { return wrong("expected a list of labels") };
            let index = cx.source(index, Type::U32)?;
            let targets = cx.targets(list)?;
            for label in &targets {
                cx.jump(label);
            }
            Op::BranchTable { index, targets: vec![0; targets.len()].into(), reconverge: 0 }
        }
        "ret" => Op::Return,
        "exit" => Op::Exit,
        "trap" => Op::Trap,
        "brkpt" | "nanosleep" | "pmevent" | "griddepcontrol" => Op::Nop,
        "call" => call(cx, operands)?,
        "bar" | "barrier" => return barrier(cx, opcode, operands),
        _ => return Ok(None),
    }))
}

fn call<'a>(cx: &mut Builder<'a, '_>, operands: &[Operand<'a>]) -> Decoded<Op> {
    let (results, name, arguments): (&[Operand<'a>], &str, &[Operand<'a>]) = match operands {
        [Operand::Word(name)] => (&[], name, &[]),
        [Operand::Word(name), Operand::List(arguments)] => (&[], name, arguments),
        [Operand::List(results), Operand::Word(name)] => (results, name, &[]),
        [Operand::List(results), Operand::Word(name), Operand::List(arguments)] => (results, name, arguments),
        _ => return unsupported("a call by address"),
    };
    if cx.named(name).is_some() {
        return unsupported("a call by address");
    }
    let line = cx.line;
    let function = cx.symbols.function(name, line);
    cx.code.callees.push(function);
    let arguments = arguments.iter().map(|operand| cx.frame_variable(operand)).collect::<Decoded<_>>()?;
    let results = results.iter().map(|operand| cx.frame_variable(operand)).collect::<Decoded<_>>()?;
    Ok(Op::Call(Box::new(CallOp { function, arguments, results })))
}

fn barrier<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Option<Op>> {
    let has = |word: &str| opcode.has(word);
    if has("cluster") {
        // A cluster of one block: arriving is nothing, waiting is a barrier of the block.
        return Ok(Some(if has("arrive") { Op::ClusterArrive } else { Op::ClusterWait }));
    }
    if has("warp") {
        let [members] = operands else { return wrong("expected a mask of lanes") };
        return Ok(Some(Op::WarpBarrier { members: cx.source(members, Type::B32)? }));
    }
    let mut rest = operands;
    let mut result = Sink::None;
    let mut kind = match (has("sync"), has("arrive"), has("red")) {
        (true, false, false) => BarrierKind::Sync,
        (false, true, false) => BarrierKind::Arrive,
        (false, false, true) => BarrierKind::Popc,
        _ => return Ok(None),
    };
    let mut input = Guard::TRUE;
    if kind == BarrierKind::Popc {
        let [d, middle @ .., p] = rest else { return wrong("expected a result and a predicate") };
        (kind, result) = match (has("popc"), has("and"), has("or")) {
            (true, ..) => (BarrierKind::Popc, Sink::Reg(cx.destination(d)?)),
            (_, true, _) => (BarrierKind::And, Sink::Pred(cx.predicate_destination(d)?)),
            (_, _, true) => (BarrierKind::Or, Sink::Pred(cx.predicate_destination(d)?)),
            _ => return Ok(None),
        };
        input = cx.predicate_source(p)?;
        rest = middle;
    }
    let (id, count) = match rest {
        [] => (cx.bits(0), None),
        [id] => (cx.source(id, Type::U32)?, None),
        [id, count] => (cx.source(id, Type::U32)?, Some(cx.source(count, Type::U32)?)),
        _ => return wrong("too many operands of a barrier"),
    };
    if kind == BarrierKind::Arrive && count.is_none() {
        return wrong("`arrive` needs the number of threads");
    }
    Ok(Some(Op::Barrier { kind, id, count, input, result }))
}
