//! Asynchronous copies, mbarriers and products of warpgroups.

use super::builder::{Builder, Register};
use super::op::{Address, Guard, Op, Slot};
use super::opcode::Opcode;
use super::{Decoded, tensor, wrong};
use crate::exec::asynchronous::AsyncOp;
use crate::exec::bulk::BulkOp;
use crate::exec::copy::CopyOp;
use crate::exec::mbarrier::BarrierOp;
use crate::exec::wgmma::{Source, WgmmaOp};
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
        text if text.starts_with("cp.async.mbarrier.arrive.") => {
            let [barrier] = operands.as_slice() else { return wrong("expected an address") };
            let counted = opcode.has("noinc");
            Some(AsyncOp::Barrier(cx.address(barrier)?, BarrierOp::CopiesArrive { counted }))
        }
        text if text.starts_with("cp.async.bulk.prefetch") => return Ok(Some(Op::Nop)),
        text if text.starts_with("cp.async.bulk.") => bulk(cx, opcode, operands)?.map(AsyncOp::Bulk),
        "wgmma.fence.sync.aligned" => Some(AsyncOp::WgmmaFence),
        "wgmma.commit_group.sync.aligned" => Some(AsyncOp::WgmmaCommit),
        "wgmma.wait_group.sync.aligned" => Some(AsyncOp::WgmmaWait(count(operands)?)),
        text if text.starts_with("wgmma.mma_async.sync.aligned.") => wgmma(cx, opcode, operands)?.map(AsyncOp::Wgmma),
        text if text.starts_with("mbarrier.") => return mbarrier(cx, opcode, operands),
        text if text.starts_with("setmaxnreg.") => return Ok(Some(Op::Nop)),
        text if text.starts_with("mapa.") => {
            // A cluster of one block: the address is that of the block itself.
            let [d, a, _] = operands.as_slice() else { return wrong("expected three operands") };
            let a = cx.source(a, Type::U64)?;
            return Ok(Some(Op::Move { d: cx.destination(d)?, a }));
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
        Some(Operand::Word(name)) if matches!(cx.named(name), Some(Register::Predicate(_))) => {
            ignore = Some(cx.predicate_source(&rest[0])?);
        }
        Some(Operand::Not(_)) => ignore = Some(cx.predicate_source(&rest[0])?),
        Some(operand) => source_bytes = Some(cx.source(operand, Type::U32)?),
    }
    Ok(CopyOp { to: cx.address(to)?, from: cx.address(from)?, bytes, source_bytes, ignore })
}

fn bulk<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Option<BulkOp>> {
    const KNOWN: [&str; 16] = [
        "async",
        "bulk",
        "tensor",
        "1d",
        "2d",
        "3d",
        "4d",
        "5d",
        "shared::cluster",
        "shared::cta",
        "global",
        "tile",
        "mbarrier::complete_tx::bytes",
        "bulk_group",
        "L2::cache_hint",
        "read",
    ];
    if opcode.has("commit_group") {
        return Ok(Some(BulkOp::Commit));
    }
    if opcode.has("wait_group") {
        return Ok(Some(BulkOp::Wait { pending: count(operands)?, read: opcode.has("read") }));
    }
    if opcode.unknown(&KNOWN).is_some() {
        return Ok(None);
    }
    let inbound = opcode.has("mbarrier::complete_tx::bytes");
    Ok(Some(match (opcode.has("tensor"), inbound, operands) {
        (true, true, [to, tensor, barrier, ..]) => {
            let (map, corner) = corner(cx, tensor)?;
            BulkOp::TensorIn { to: cx.address(to)?, map, corner, barrier: cx.address(barrier)? }
        }
        (true, false, [tensor, from, ..]) => {
            let (map, corner) = corner(cx, tensor)?;
            BulkOp::TensorOut { map, corner, from: cx.address(from)? }
        }
        (false, true, [to, from, bytes, barrier, ..]) => BulkOp::In {
            to: cx.address(to)?,
            from: cx.address(from)?,
            bytes: cx.source(bytes, Type::U32)?,
            barrier: cx.address(barrier)?,
        },
        (false, false, [to, from, bytes, ..]) if opcode.has("bulk_group") && opcode.has("global") => {
            BulkOp::Out { to: cx.address(to)?, from: cx.address(from)?, bytes: cx.source(bytes, Type::U32)? }
        }
        _ => return Ok(None),
    }))
}

/// `[map, {x, y}]`.
fn corner<'a>(cx: &mut Builder<'a, '_>, operand: &Operand<'a>) -> Decoded<(Address, Vec<Slot>)> {
    let Operand::Bracket(parts) = operand else { return wrong("expected a tensor map and coordinates") };
    let [map, Operand::Vector(corner)] = parts.as_slice() else {
        return wrong("expected a tensor map and coordinates");
    };
    let corner = corner.iter().map(|part| cx.source(part, Type::S32)).collect::<Decoded<_>>()?;
    Ok((cx.inner_address(map)?, corner))
}

fn mbarrier<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Option<Op>> {
    const KNOWN: [&str; 18] = [
        "init",
        "inval",
        "arrive",
        "arrive_drop",
        "expect_tx",
        "complete_tx",
        "test_wait",
        "try_wait",
        "parity",
        "noComplete",
        "shared",
        "shared::cta",
        "shared::cluster",
        "release",
        "acquire",
        "relaxed",
        "cta",
        "cluster",
    ];
    if opcode.unknown(&KNOWN).is_some() {
        return Ok(None);
    }
    let has = |word: &str| opcode.has(word);
    let (address, op) = if has("init") {
        let [address, count] = operands else { return wrong("expected an address and a count") };
        (address, BarrierOp::Init { count: cx.source(count, Type::U32)? })
    } else if has("inval") {
        let [address] = operands else { return wrong("expected an address") };
        (address, BarrierOp::Invalidate)
    } else if has("arrive") || has("arrive_drop") {
        arrive(cx, opcode, operands)?
    } else if has("expect_tx") || has("complete_tx") {
        let [address, bytes] = operands else { return wrong("expected an address and a number of bytes") };
        let bytes = cx.source(bytes, Type::U32)?;
        (address, if has("expect_tx") { BarrierOp::Expect { bytes } } else { BarrierOp::Complete { bytes } })
    } else {
        let [done, address, phase, ..] = operands else { return wrong("expected a predicate, an address and a phase") };
        let parity = has("parity");
        let phase = cx.source(phase, if parity { Type::U32 } else { Type::B64 })?;
        let done = cx.predicate_destination(done)?;
        (address, BarrierOp::Wait { done, phase, parity, may_fail: has("try_wait"), acquires: !has("relaxed") })
    };
    let address = cx.address(address)?;
    Ok(Some(Op::Async(Box::new(AsyncOp::Barrier(address, op)))))
}

fn arrive<'a, 'o>(
    cx: &mut Builder<'a, '_>,
    opcode: &Opcode<'a>,
    operands: &'o [Operand<'a>],
) -> Decoded<(&'o Operand<'a>, BarrierOp)> {
    // The state is left out where there is no use for it.
    let (state, address, value) = match operands {
        [address @ Operand::Bracket(_)] => (&Operand::Word("_"), address, None),
        [address @ Operand::Bracket(_), value] => (&Operand::Word("_"), address, Some(value)),
        [state, address] => (state, address, None),
        [state, address, value] => (state, address, Some(value)),
        _ => return wrong("expected a state and an address"),
    };
    let state = cx.destination(state)?;
    let value = value.map(|value| cx.source(value, Type::U32)).transpose()?;
    let (count, expect) = if opcode.has("expect_tx") { (None, value) } else { (value, None) };
    Ok((address, BarrierOp::Arrive { state, count, expect, drop: opcode.has("arrive_drop") }))
}

fn wgmma<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Option<WgmmaOp>> {
    use Type::{BF16, E4M3x2, E5M2x2, F16, F32, S8, S32, TF32, U8};
    let saturate = opcode.has("satfinite");
    let words: Vec<&str> = opcode.modifiers.iter().copied().filter(|word| *word != "satfinite").collect();
    let ["mma_async", "sync", "aligned", shape, d_type, a_type, b_type] = words.as_slice() else { return Ok(None) };
    let Some((n, k)) = shape.strip_prefix("m64n").and_then(|rest| rest.split_once('k')) else { return Ok(None) };
    let (Ok(n), Ok(k)) = (n.parse::<usize>(), k.parse::<usize>()) else { return Ok(None) };
    let packed = |name: &str| match name {
        "e4m3" => Some(E4M3x2),
        "e5m2" => Some(E5M2x2),
        name => Type::parse(name),
    };
    let (Some(sum_type), Some(a_type), Some(b_type)) = (Type::parse(d_type), packed(a_type), packed(b_type)) else {
        return Ok(None);
    };
    let right_k = match (sum_type, a_type, b_type) {
        (F32 | F16, F16, F16) | (F32, BF16, BF16) => 16,
        (F32, TF32, TF32) => 8,
        (F32 | F16, E4M3x2 | E5M2x2, E4M3x2 | E5M2x2) | (S32, S8 | U8, S8 | U8) => 32,
        _ => return Ok(None),
    };
    if k != right_k || !n.is_multiple_of(8) || !(8..=256).contains(&n) {
        return Ok(None);
    }
    let [d, a, b, rest @ ..] = operands else { return wrong("expected registers and two matrices") };
    let (d, b) = (tensor::registers(cx, d, true)?, cx.source(b, Type::B64)?);
    if d.len() != if sum_type == F16 { n / 4 } else { n / 2 } {
        return wrong(format!("{} registers for 64 x {n} sums", d.len()));
    }
    let a = match a {
        Operand::Vector(parts) if parts.len() == 4 => Source::Registers(tensor::registers(cx, a, false)?),
        Operand::Vector(_) => return wrong("A has four registers"),
        a => Source::Descriptor(cx.source(a, Type::B64)?),
    };
    let (accumulate, immediates) = match rest {
        [] => (Guard::TRUE, rest),
        [first, immediates @ ..] => (cx.predicate_source(first)?, immediates),
    };
    let immediate = |at: usize| immediates.get(at).map(|operand| count(std::slice::from_ref(operand))).transpose();
    // Scales are 1 or -1.
    let negative =
        |at: usize| Ok(matches!(immediates.get(at), Some(Operand::Number(Literal::Int(value))) if *value == u64::MAX));
    let from_registers = matches!(a, Source::Registers(_));
    let (transpose_a, transpose_b) =
        if from_registers { (None, immediate(2)?) } else { (immediate(2)?, immediate(3)?) };
    Ok(Some(WgmmaOp {
        n,
        k,
        a_type,
        b_type,
        sum_type,
        d,
        a,
        b,
        accumulate,
        negate: [negative(0)?, negative(1)?],
        transposed: [transpose_a == Some(1), transpose_b == Some(1)],
        saturate,
    }))
}
