//! `ldmatrix`, `stmatrix` and `mma.sync`.

use super::builder::Builder;
use super::convert::space_of;
use super::op::{Op, Slot};
use super::opcode::Opcode;
use super::{Decoded, wrong};
use crate::exec::tensor::{Mma, TensorOp};
use crate::module::Space;
use crate::parse::{Operand, Statement};
use crate::types::Type;

pub(super) fn decode<'a>(
    cx: &mut Builder<'a, '_>,
    opcode: &Opcode<'a>,
    statement: &Statement<'a>,
) -> Decoded<Option<Op>> {
    let operands = &statement.operands;
    let op = match opcode.name {
        "ldmatrix" | "stmatrix" => matrix(cx, opcode, operands)?,
        "mma" => multiply(cx, opcode, operands)?.map(TensorOp::Mma),
        _ => None,
    };
    Ok(op.map(|op| Op::Tensor(Box::new(op))))
}

/// The registers of a vector operand, or of one register.
pub(super) fn registers<'a>(cx: &mut Builder<'a, '_>, operand: &Operand<'a>, written: bool) -> Decoded<Vec<Slot>> {
    let parts = match operand {
        Operand::Vector(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    parts.iter().map(|part| if written { cx.destination(part) } else { cx.source(part, Type::B32) }).collect()
}

fn matrix<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Option<TensorOp>> {
    const KNOWN: [&str; 9] = ["sync", "aligned", "m8n8", "x1", "x2", "x4", "trans", "shared", "shared::cta"];
    if opcode.unknown(&KNOWN).is_some() || opcode.ty() != Some(Type::B16) {
        return Ok(None);
    }
    let [first, second] = operands else { return wrong("expected registers and an address") };
    let load = opcode.name == "ldmatrix";
    let (registers_operand, address) = if load { (first, second) } else { (second, first) };
    let slots = registers(cx, registers_operand, load)?;
    let count = [("x1", 1), ("x2", 2), ("x4", 4)].iter().find(|(word, _)| opcode.has(word)).map(|(_, count)| *count);
    if count != Some(slots.len()) {
        return wrong(format!("{} registers of `{}`", slots.len(), opcode.text));
    }
    let address = cx.address(address)?;
    let generic = space_of(opcode) != Some(Space::Shared);
    let transposed = opcode.has("trans");
    Ok(Some(if load {
        TensorOp::LoadMatrix { d: slots, address, generic, transposed }
    } else {
        TensorOp::StoreMatrix { a: slots, address, generic, transposed }
    }))
}

fn multiply<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Option<Mma>> {
    let words: Vec<&str> = opcode.modifiers.iter().copied().filter(|word| *word != "satfinite").collect();
    let ["sync", "aligned", shape, "row", "col", d_type, a_type, b_type, c_type] = words.as_slice() else {
        return Ok(None);
    };
    let k = match *shape {
        "m16n8k4" => 4,
        "m16n8k8" => 8,
        "m16n8k16" => 16,
        "m16n8k32" => 32,
        _ => return Ok(None),
    };
    let packed = |name: &str| match name {
        "e4m3" => Some(Type::E4M3x2),
        "e5m2" => Some(Type::E5M2x2),
        name => Type::parse(name),
    };
    let (Some(sum_type), Some(a_type), Some(b_type)) = (Type::parse(d_type), packed(a_type), packed(b_type)) else {
        return Ok(None);
    };
    use Type::{BF16, E4M3x2, E5M2x2, F16, F32, S8, S32, TF32, U8};
    let bits = match (sum_type, a_type, b_type) {
        (F32 | F16, F16, F16) | (F32, BF16, BF16) => 16,
        (F32, TF32, TF32) => 32,
        (S32, S8 | U8, S8 | U8) => 8,
        (F32, E4M3x2 | E5M2x2, E4M3x2 | E5M2x2) => 8,
        _ => return Ok(None),
    };
    // Registers of A: 16 rows of k elements in 32 lanes.
    let a_count = 16 * k * bits / 32 / 32;
    if d_type != c_type || !(a_count == 2 || a_count == 4) {
        return Ok(None);
    }
    let [d, a, b, c] = operands else { return wrong("expected four operands") };
    let op = Mma {
        k,
        a_type,
        b_type,
        sum_type,
        saturate: opcode.has("satfinite"),
        a: registers(cx, a, false)?,
        b: registers(cx, b, false)?,
        c: match c {
            Operand::Vector(parts) => parts.iter().map(|part| cx.source(part, sum_type)).collect::<Decoded<_>>()?,
            one => vec![cx.source(one, sum_type)?],
        },
        d: registers(cx, d, true)?,
    };
    let sums = if sum_type == F16 { 2 } else { 4 };
    if [op.d.len(), op.a.len(), op.b.len(), op.c.len()] != [sums, a_count, a_count / 2, sums] {
        return wrong(format!("`{}` has other numbers of registers", opcode.text));
    }
    Ok(Some(op))
}
