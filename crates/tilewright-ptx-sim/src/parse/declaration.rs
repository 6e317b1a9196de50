//! Declarations of variables: `.global .align 4 .u32 g[2] = {1, 2}`.

use super::cursor::Cursor;
use super::lexer::{Literal, Token};
use crate::fault::ParseError;
use crate::module::{Initial, Space, Variable};
use crate::types::Type;

/// The memory that one variable may have, so that no text makes the host run out of memory.
const MAX_BYTES: u64 = 1 << 32;

/// The words before the names of a declaration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) align: u64,
    /// Bytes of one element.
    pub(super) element: u64,
    pub(super) ty: Type,
}

/// `.align 4 .v2 .b32`, after the space, with the attributes of parameters.
pub(super) fn head(cursor: &mut Cursor<'_>) -> Result<Head, ParseError> {
    let mut align = 0;
    let mut lanes = 1;
    loop {
        let word = cursor.word("a type")?;
        match word {
            ".align" => align = cursor.integer()?,
            ".v2" => lanes = 2,
            ".v4" => lanes = 4,
            ".ptr" | ".global" | ".shared" | ".const" | ".local" => {}
            ".attribute" => cursor.skip_past(b')')?,
            _ => {
                let Some(ty) = Type::parse(&word[1..]) else {
                    return cursor.error(format!("`{word}` is no type of a variable"));
                };
                let element = u64::from(ty.bits().div_ceil(8)) * lanes;
                // The attributes of a pointer follow its type: `.u64 .ptr .global .align 16 name`.
                let mut natural = element;
                while let Some(Token::Word(".ptr" | ".global" | ".shared" | ".const" | ".local" | ".align")) =
                    cursor.peek()
                {
                    if cursor.word("an attribute")? == ".align" {
                        cursor.integer()?;
                    }
                }
                if align != 0 {
                    natural = align;
                }
                if !natural.is_power_of_two() || natural > 1 << 20 {
                    return cursor.error(format!("an alignment of {natural} is no power of two that memory has"));
                }
                return Ok(Head { align: natural, element, ty });
            }
        }
    }
}

/// `name[4][2] = {…}`: one variable of `space`.
pub(super) fn variable(cursor: &mut Cursor<'_>, head: Head, space: Space) -> Result<(String, Variable), ParseError> {
    let name = cursor.word("the name of a variable")?.to_owned();
    let mut count = Some(1u64);
    let mut open = false;
    while cursor.eat(b'[') {
        if cursor.eat(b']') {
            open = true;
            continue;
        }
        let extent = cursor.integer()?;
        count = count.and_then(|count| count.checked_mul(extent));
        cursor.expect(b']')?;
    }
    let mut initial = Vec::new();
    if cursor.eat(b'=') {
        values(cursor, head, &mut initial, 0)?;
    }
    let mut bytes = match count.and_then(|count| count.checked_mul(head.element)) {
        Some(bytes) if bytes <= MAX_BYTES => bytes,
        _ => return cursor.error(format!("variable `{name}` is too large")),
    };
    let written = initial.iter().map(|(offset, _, width)| offset + u64::from(*width)).max().unwrap_or(0);
    if open {
        bytes = written;
    }
    if written > bytes {
        return cursor.error(format!("variable `{name}` has more initial values than elements"));
    }
    let dynamic = open && written == 0;
    Ok((name.clone(), Variable { name, space, align: head.align, bytes, dynamic, initial }))
}

fn values(
    cursor: &mut Cursor<'_>,
    head: Head,
    out: &mut Vec<(u64, Initial, u32)>,
    depth: u32,
) -> Result<(), ParseError> {
    let width = head.ty.bits().div_ceil(8);
    if cursor.eat(b'{') {
        if depth > 8 {
            return cursor.error("initial values are nested too deep");
        }
        while !cursor.eat(b'}') {
            values(cursor, head, out, depth + 1)?;
            if !cursor.eat(b',') {
                cursor.expect(b'}')?;
                break;
            }
        }
        return Ok(());
    }
    let offset = out.len() as u64 * u64::from(width);
    let value = match cursor.peek() {
        Some(Token::Word(word)) => address(cursor, word)?,
        _ => Initial::Bits(constant(cursor.literal()?, head.ty)),
    };
    out.push((offset, value, width));
    Ok(())
}

/// `name`, `name+8` or `generic(name)`.
fn address(cursor: &mut Cursor<'_>, word: &str) -> Result<Initial, ParseError> {
    cursor.next();
    let generic = word == "generic" && cursor.eat(b'(');
    let name = if generic { cursor.word("the name of a variable")? } else { word };
    let mut offset = 0;
    if cursor.eat(b'+') {
        offset = cursor.integer()?;
    }
    if generic {
        cursor.expect(b')')?;
    }
    Ok(Initial::Address { name: name.to_owned(), offset, generic })
}

/// The bits of a literal as a value of `ty`.
pub(crate) fn constant(literal: Literal, ty: Type) -> u64 {
    let bits = match literal {
        Literal::Int(value) => value,
        Literal::F32(bits) if ty.bits() == 64 && ty.is_float() => f64::from(f32::from_bits(bits)).to_bits(),
        Literal::F32(bits) => u64::from(bits),
        Literal::F64(bits) if ty.bits() == 32 => u64::from((f64::from_bits(bits) as f32).to_bits()),
        Literal::F64(bits) => bits,
    };
    bits & ty.mask()
}
