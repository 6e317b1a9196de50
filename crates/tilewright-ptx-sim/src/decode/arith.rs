//! Arithmetic, bits, comparisons, selections and moves.

use super::builder::{Builder, Register};
use super::op::{Guard, Join, Op, Product, Slot};
use super::opcode::Opcode;
use super::{Decoded, unsupported, wrong};
use crate::lanes::Map4;
use crate::parse::{Operand, Statement};
use crate::scalar::approx::{Approx, Function};
use crate::scalar::float::{self, Fast, FloatOp, Kind};
use crate::scalar::format::{self, Round};
use crate::scalar::{bits, compare, int};
use crate::types::Type;

pub(super) fn decode<'a>(
    cx: &mut Builder<'a, '_>,
    opcode: &Opcode<'a>,
    statement: &Statement<'a>,
) -> Decoded<Option<Op>> {
    let operands = &statement.operands;
    Ok(Some(match opcode.name {
        "mov" => moves(cx, opcode, operands)?,
        "setp" => set_predicate(cx, opcode, operands)?,
        "set" => set(cx, opcode, operands)?,
        "selp" => select(cx, opcode, operands)?,
        "slct" => select_sign(cx, opcode, operands)?,
        "testp" => test_class(cx, opcode, operands)?,
        "addc" | "subc" | "madc" => carry(cx, opcode, operands)?,
        "add" | "sub" | "mad" if opcode.has("cc") => carry(cx, opcode, operands)?,
        "bfi" | "lop3" => four(cx, opcode, operands)?,
        _ => match opcode.ty() {
            Some(Type::Pred) => return predicates(cx, opcode, operands),
            Some(ty) if ty.is_float() => return floats(cx, opcode, ty, operands),
            Some(ty) => return integers(cx, opcode, ty, operands),
            None => return Ok(None),
        },
    }))
}

fn expect_operands<const N: usize>(operands: &[Operand<'_>]) -> Decoded<()> {
    if operands.len() == N { Ok(()) } else { wrong(format!("expected {N} operands, found {}", operands.len())) }
}

/// The table's name of an opcode: `mul.wide`, `bfind.shiftamt`.
fn table_name(opcode: &Opcode<'_>) -> String {
    let mut name = opcode.name.to_owned();
    for modifier in &opcode.modifiers {
        if Type::parse(modifier).is_none() {
            name.push('.');
            name.push_str(modifier);
        }
    }
    name
}

fn integers<'a>(
    cx: &mut Builder<'a, '_>,
    opcode: &Opcode<'a>,
    ty: Type,
    operands: &[Operand<'a>],
) -> Decoded<Option<Op>> {
    let name = table_name(opcode);
    // Of `dp4a.u32.s32` the first type is a part of the name.
    let (name, first) = match (opcode.name, opcode.types.as_slice()) {
        ("dp4a", [Type::U32, _]) => ("dp4a.u32".to_owned(), ty),
        ("dp4a", [Type::S32, _]) => ("dp4a.s32".to_owned(), ty),
        _ => (name, ty),
    };
    if let Some(f) = int::unary(&name, first).or_else(|| bits::unary(&name, first)) {
        expect_operands::<2>(operands)?;
        let (d, a) = (cx.destination(&operands[0])?, cx.source(&operands[1], ty)?);
        return Ok(Some(Op::Map1 { f, d, a }));
    }
    if let Some(f) = int::binary(&name, first).or_else(|| bits::binary(&name, first)) {
        expect_operands::<3>(operands)?;
        let second = if matches!(opcode.name, "shl" | "shr") { Type::U32 } else { ty };
        let (d, a) = (cx.destination(&operands[0])?, cx.source(&operands[1], ty)?);
        let b = cx.source(&operands[2], second)?;
        return Ok(Some(Op::Map2 { f, d, a, b }));
    }
    if let Some(f) = int::ternary(&name, first).or_else(|| bits::ternary(&name, first)) {
        expect_operands::<4>(operands)?;
        let counts = opcode.name == "bfe";
        let d = cx.destination(&operands[0])?;
        let a = cx.source(&operands[1], ty)?;
        let b = cx.source(&operands[2], if counts { Type::U32 } else { ty })?;
        let wide = opcode.has("wide");
        let c = cx.source(
            &operands[3],
            if wide {
                Type::U64
            } else if counts {
                Type::U32
            } else {
                ty
            },
        )?;
        return Ok(Some(Op::Map3 { f, d, a, b, c }));
    }
    Ok(None)
}

fn four<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Op> {
    expect_operands::<5>(operands)?;
    let (f, ty): (Map4, Type) = match (opcode.name, opcode.ty()) {
        ("bfi", Some(Type::B32)) => (bits::insert32, Type::B32),
        ("bfi", Some(Type::B64)) => (bits::insert64, Type::B64),
        ("lop3", Some(Type::B32)) if opcode.modifiers.len() == 1 => (bits::lop3, Type::B32),
        _ => return unsupported(format!("`{}`", opcode.text)),
    };
    let (third, fourth) = if opcode.name == "bfi" { (Type::U32, Type::U32) } else { (ty, Type::U32) };
    let d = cx.destination(&operands[0])?;
    let abcd = [
        cx.source(&operands[1], ty)?,
        cx.source(&operands[2], ty)?,
        cx.source(&operands[3], third)?,
        cx.source(&operands[4], fourth)?,
    ];
    Ok(Op::Map4 { f, d, abcd })
}

fn approximate(opcode: &Opcode<'_>, ty: Type) -> Option<Approx> {
    let format = format::of(ty)?;
    let (function, error) = match (opcode.name, ty) {
        ("rcp", _) => (Function::Reciprocal, -23.0),
        ("sqrt", _) => (Function::Sqrt, -23.0),
        ("rsqrt", _) => (Function::ReciprocalSqrt, -22.9),
        ("sin", _) => (Function::Sin, -20.5),
        ("cos", _) => (Function::Cos, -20.5),
        ("lg2", _) => (Function::Lg2, -22.0),
        ("ex2", Type::F16 | Type::F16x2) => (Function::Ex2, -9.9),
        ("ex2", Type::BF16 | Type::BF16x2) => (Function::Ex2, -7.0),
        ("ex2", _) => (Function::Ex2, -22.5),
        ("tanh", Type::F32) => (Function::Tanh, -11.0),
        ("tanh", Type::F16 | Type::F16x2) => (Function::Tanh, -10.987),
        ("tanh", _) => (Function::Tanh, -8.0),
        ("div", Type::F32) => (Function::Div, -22.0),
        _ => return None,
    };
    // The result is rounded as well: half a unit of the format is a part of the bound.
    let rounding = match ty {
        Type::F32 => 2f64.powi(-24),
        Type::F64 => 0.0,
        _ => 0.0,
    };
    let error = (2f64.powf(error) - rounding).max(0.0);
    let halves = matches!(ty, Type::F16x2 | Type::BF16x2);
    Some(Approx { function, format, halves, flush: opcode.has("ftz"), error })
}

const FLOAT_MODIFIERS: [&str; 13] =
    ["rn", "rz", "rm", "rp", "ftz", "sat", "relu", "NaN", "xorsign", "abs", "approx", "full", "noftz"];

fn floats<'a>(
    cx: &mut Builder<'a, '_>,
    opcode: &Opcode<'a>,
    ty: Type,
    operands: &[Operand<'a>],
) -> Decoded<Option<Op>> {
    if opcode.unknown(&FLOAT_MODIFIERS).is_some() {
        return Ok(None);
    }
    let signed = if opcode.has("ftz") { format!("{}.ftz", opcode.name) } else { opcode.name.to_owned() };
    if let Some(f) = float::sign(&signed, ty).or_else(|| float::sign(opcode.name, ty)) {
        expect_operands::<2>(operands)?;
        let (d, a) = (cx.destination(&operands[0])?, cx.source(&operands[1], ty)?);
        return Ok(Some(Op::Map1 { f, d, a }));
    }
    if opcode.name == "copysign"
        && let Some(f) = float::copy_sign(ty)
    {
        expect_operands::<3>(operands)?;
        let (d, a) = (cx.destination(&operands[0])?, cx.source(&operands[1], ty)?);
        return Ok(Some(Op::Map2 { f, d, a, b: cx.source(&operands[2], ty)? }));
    }
    let always = matches!(opcode.name, "ex2" | "lg2" | "sin" | "cos" | "rsqrt" | "tanh");
    if (opcode.has("approx") || opcode.has("full") || always)
        && let Some(op) = approximate(opcode, ty)
    {
        let d = cx.destination(operands.first().unwrap_or(&Operand::Word("")))?;
        let Some(first) = operands.get(1) else { return wrong("expected an operand") };
        let a = cx.source(first, ty)?;
        let b = match operands.get(2) {
            Some(second) => cx.source(second, ty)?,
            None => a,
        };
        return Ok(Some(Op::Approx { op, d, a, b }));
    }
    arithmetic(cx, opcode, ty, operands)
}

fn arithmetic<'a>(
    cx: &mut Builder<'a, '_>,
    opcode: &Opcode<'a>,
    ty: Type,
    operands: &[Operand<'a>],
) -> Decoded<Option<Op>> {
    let kind = match opcode.name {
        "add" => Kind::Add,
        "sub" => Kind::Sub,
        "mul" => Kind::Mul,
        "fma" | "mad" => Kind::Fma,
        "div" => Kind::Div,
        "min" => Kind::Min,
        "max" => Kind::Max,
        "sqrt" => Kind::Sqrt,
        "rcp" => Kind::Rcp,
        _ => return Ok(None),
    };
    let Some(format) = format::of(ty) else { return Ok(None) };
    let round = opcode.modifiers.iter().find_map(|word| Round::parse(word)).unwrap_or(Round::NearestEven);
    if format == format::F64 && kind == Kind::Fma && round != Round::NearestEven {
        return Ok(None);
    }
    let op = FloatOp {
        kind,
        format,
        halves: matches!(ty, Type::F16x2 | Type::BF16x2),
        round,
        flush: opcode.has("ftz"),
        saturate: opcode.has("sat"),
        relu: opcode.has("relu"),
        nan: opcode.has("NaN"),
        xor_sign: opcode.has("xorsign"),
    };
    let count = match kind {
        Kind::Sqrt | Kind::Rcp => 1,
        Kind::Fma => 3,
        _ => 2,
    };
    if operands.len() != count + 1 {
        // `min` and `max` of three operands are of later architectures.
        return unsupported(format!("`{}` with {} operands", opcode.text, operands.len()));
    }
    let d = cx.destination(&operands[0])?;
    let mut abc = [0; 3];
    for (slot, operand) in abc.iter_mut().zip(&operands[1..]) {
        *slot = cx.source(operand, ty)?;
    }
    let [a, b, c] = abc;
    Ok(Some(match op.fast() {
        Some(Fast::One(f)) => Op::Map1 { f, d, a },
        Some(Fast::Two(f)) => Op::Map2 { f, d, a, b },
        Some(Fast::Three(f)) => Op::Map3 { f, d, a, b, c },
        None => Op::Float { op: Box::new(op), d, abc },
    }))
}

fn predicates<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Option<Op>> {
    let (f, count): (fn(u32, u32) -> u32, usize) = match opcode.name {
        "and" => (|a, b| a & b, 2),
        "or" => (|a, b| a | b, 2),
        "xor" => (|a, b| a ^ b, 2),
        "not" => (|a, _| !a, 1),
        _ => return Ok(None),
    };
    if operands.len() != count + 1 {
        return wrong(format!("expected {} operands, found {}", count + 1, operands.len()));
    }
    let d = cx.predicate_destination(&operands[0])?;
    let a = cx.predicate_source(&operands[1])?;
    let b = if count == 2 { cx.predicate_source(&operands[2])? } else { Guard::TRUE };
    Ok(Some(Op::PredMap { f, d, a, b }))
}

fn moves<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Op> {
    expect_operands::<2>(operands)?;
    let Some(ty) = opcode.ty() else { return wrong("`mov` needs a type") };
    if ty == Type::Pred {
        let d = cx.predicate_destination(&operands[0])?;
        let a = cx.predicate_source(&operands[1])?;
        return Ok(Op::PredMap { f: |a, _| a, d, a, b: Guard::TRUE });
    }
    match (&operands[0], &operands[1]) {
        (Operand::Vector(to), from) => {
            let bits = part_bits(ty, to.len())?;
            let a = cx.source(from, ty)?;
            let parts = to.iter().map(|part| cx.destination(part)).collect::<Decoded<_>>()?;
            Ok(if ty == Type::B128 { Op::Split { parts, a } } else { Op::Unpack { parts, bits, a } })
        }
        (to, Operand::Vector(from)) => {
            let bits = part_bits(ty, from.len())?;
            let part = Type::parse(&format!("b{bits}")).unwrap_or(ty);
            let parts: Box<[Slot]> = from.iter().map(|from| cx.source(from, part)).collect::<Decoded<_>>()?;
            let d = cx.destination(to)?;
            Ok(if ty == Type::B128 { Op::Join { d, parts } } else { Op::Pack { d, parts, bits } })
        }
        _ if ty == Type::B128 => {
            let (d, a) = (cx.destination(&operands[0])?, cx.source(&operands[1], ty)?);
            Ok(Op::Join { d, parts: Box::new([a, a + 1]) })
        }
        _ => {
            let a = cx.source(&operands[1], ty)?;
            Ok(Op::Move { d: cx.destination(&operands[0])?, a })
        }
    }
}

fn part_bits(ty: Type, count: usize) -> Decoded<u32> {
    match count {
        2 | 4 | 8 if (ty.bits() as usize / count) >= 8 => Ok(ty.bits() / count as u32),
        _ => wrong(format!("{count} parts of {} bits", ty.bits())),
    }
}

/// The relation, and how it is joined with a predicate: the modifiers between the name and the types.
fn relation_name<'a>(opcode: &Opcode<'a>) -> Decoded<(&'a str, Option<Join>)> {
    let mut words = opcode.modifiers.iter().copied().filter(|word| *word != "ftz" && Type::parse(word).is_none());
    let Some(name) = words.next() else { return wrong("expected a relation") };
    let join = match words.next() {
        None => None,
        Some("and") => Some(Join::And),
        Some("or") => Some(Join::Or),
        Some("xor") => Some(Join::Xor),
        Some(_) => return unsupported(format!("`{}`", opcode.text)),
    };
    Ok((name, join))
}

fn joined<'a>(cx: &mut Builder<'a, '_>, join: Option<Join>, rest: &[Operand<'a>]) -> Decoded<Option<(Join, Guard)>> {
    match (join, rest) {
        (None, []) => Ok(None),
        (Some(join), [predicate]) => Ok(Some((join, cx.predicate_source(predicate)?))),
        _ => wrong("a predicate is joined with `.and`, `.or` or `.xor`"),
    }
}

fn set_predicate<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Op> {
    let Some(ty) = opcode.ty() else { return wrong("`setp` needs a type") };
    let (name, join) = relation_name(opcode)?;
    let [to, a, b, rest @ ..] = operands else { return wrong("expected a predicate and two operands") };
    let (a, b) = (cx.source(a, ty)?, cx.source(b, ty)?);
    let join = joined(cx, join, rest)?;
    let (d, e) = match to {
        Operand::Pair(pair) => (cx.predicate_destination(&pair.0)?, Some(cx.predicate_destination(&pair.1)?)),
        to => (cx.predicate_destination(to)?, None),
    };
    let half = match ty {
        Type::F16x2 => Some(Type::F16),
        Type::BF16x2 => Some(Type::BF16),
        _ => None,
    };
    if let (Some(half), Some(e)) = (half, e) {
        let (Some(low), Some(high)) = (compare::relation(name, half), compare::upper(name, half)) else {
            return unsupported(format!("`{}`", opcode.text));
        };
        cx.emit(Op::Compare { f: low, d, e: None, a, b, join });
        return Ok(Op::Compare { f: high, d: e, e: None, a, b, join });
    }
    let f = if opcode.has("ftz") && ty == Type::F32 { compare::flushed(name) } else { compare::relation(name, ty) };
    match f {
        Some(f) => Ok(Op::Compare { f, d, e, a, b, join }),
        None => unsupported(format!("`{}`", opcode.text)),
    }
}

fn test_class<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Op> {
    expect_operands::<2>(operands)?;
    let f = opcode.ty().and_then(|ty| compare::class(opcode.modifiers.first()?, ty));
    let Some(f) = f else { return unsupported(format!("`{}`", opcode.text)) };
    let a = cx.source(&operands[1], opcode.ty().unwrap_or(Type::F32))?;
    let d = cx.predicate_destination(&operands[0])?;
    Ok(Op::Compare { f, d, e: None, a, b: a, join: None })
}

fn set<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Op> {
    let [to, ty] = opcode.types.as_slice() else { return wrong("`set` needs two types") };
    let (to, ty) = (*to, *ty);
    let (name, join) = relation_name(opcode)?;
    let [d, a, b, rest @ ..] = operands else { return wrong("expected three operands") };
    let (a, b) = (cx.source(a, ty)?, cx.source(b, ty)?);
    let join = joined(cx, join, rest)?;
    let d = cx.destination(d)?;
    let one = match format::of(to) {
        Some(format) => format.narrow(1.0, Round::NearestEven),
        None => to.mask(),
    };
    let half = match ty {
        Type::F16x2 => Type::F16,
        Type::BF16x2 => Type::BF16,
        _ => {
            let f =
                if opcode.has("ftz") && ty == Type::F32 { compare::flushed(name) } else { compare::relation(name, ty) };
            let Some(f) = f else { return unsupported(format!("`{}`", opcode.text)) };
            return Ok(Op::Set { f, d, a, b, join, one });
        }
    };
    match (compare::relation(name, half), compare::upper(name, half), join) {
        (Some(low), Some(high), None) => {
            let one = if to.is_float() { one } else { 0xffff };
            Ok(Op::SetHalves { f: [low, high], d, a, b, one: [one, one << 16] })
        }
        _ => unsupported(format!("`{}`", opcode.text)),
    }
}

fn select<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Op> {
    expect_operands::<4>(operands)?;
    let Some(ty) = opcode.ty() else { return wrong("`selp` needs a type") };
    let p = cx.predicate_source(&operands[3])?;
    // LLVM selects predicates too.
    if ty == Type::Pred || matches!(&operands[0], Operand::Word(name) if is_predicate(cx, name)) {
        let d = cx.predicate_destination(&operands[0])?;
        let (a, b) = (cx.predicate_source(&operands[1])?, cx.predicate_source(&operands[2])?);
        return Ok(Op::PredSelect { d, a, b, p });
    }
    let d = cx.destination(&operands[0])?;
    Ok(Op::Select { d, a: cx.source(&operands[1], ty)?, b: cx.source(&operands[2], ty)?, p })
}

fn is_predicate(cx: &Builder<'_, '_>, name: &str) -> bool {
    matches!(cx.named(name), Some(Register::Predicate(_)))
}

fn select_sign<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Op> {
    expect_operands::<4>(operands)?;
    let [ty, by] = opcode.types.as_slice() else { return wrong("`slct` needs two types") };
    let f: fn(u64) -> bool = match by {
        Type::S32 => |c| (c as i32) >= 0,
        Type::F32 => |c| f32::from_bits(c as u32) >= 0.0,
        _ => return unsupported(format!("`{}`", opcode.text)),
    };
    let d = cx.destination(&operands[0])?;
    let abc = [cx.source(&operands[1], *ty)?, cx.source(&operands[2], *ty)?, cx.source(&operands[3], *by)?];
    Ok(Op::SelectSign { f, d, abc })
}

fn carry<'a>(cx: &mut Builder<'a, '_>, opcode: &Opcode<'a>, operands: &[Operand<'a>]) -> Decoded<Op> {
    let Some(ty) = opcode.ty() else { return wrong("expected a type") };
    if !matches!(ty.bits(), 32 | 64) {
        return unsupported(format!("`{}`", opcode.text));
    }
    let is_product = matches!(opcode.name, "mad" | "madc");
    let product = match (is_product, opcode.has("lo"), opcode.has("hi")) {
        (false, ..) => None,
        (true, true, false) => Some(Product::Low),
        (true, false, true) => Some(Product::High { signed: ty.is_signed() }),
        _ => return unsupported(format!("`{}`", opcode.text)),
    };
    if operands.len() != if is_product { 4 } else { 3 } {
        return wrong(format!("{} operands of `{}`", operands.len(), opcode.text));
    }
    let d = cx.destination(&operands[0])?;
    let mut abc = [0; 3];
    for (slot, operand) in abc.iter_mut().zip(&operands[1..]) {
        *slot = cx.source(operand, ty)?;
    }
    Ok(Op::Carry {
        bits: ty.bits(),
        subtract: opcode.name.starts_with("sub"),
        carry_in: opcode.name.ends_with('c'),
        carry_out: opcode.has("cc"),
        product,
        d,
        abc,
    })
}
