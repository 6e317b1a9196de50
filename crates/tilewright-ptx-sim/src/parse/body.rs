//! The statements of a function.

use super::Statement;
use super::cursor::Cursor;
use super::declaration::{head, variable};
use super::lexer::Token;
use super::module::space;
use crate::decode::Builder;
use crate::fault::ParseError;
use crate::module::Space;
use crate::types::Type;

/// Registers that one declaration may name, so that no text makes the host run out of memory.
const MAX_REGISTERS: u64 = 1 << 16;

/// Reads statements up to the `}` of the function.
pub(super) fn parse<'a>(cursor: &mut Cursor<'a>, builder: &mut Builder<'a, '_>) -> Result<(), ParseError> {
    let mut depth = 0;
    loop {
        match cursor.peek() {
            Some(Token::Punct(b'{')) => {
                cursor.next();
                depth += 1;
                builder.open_scope();
            }
            Some(Token::Punct(b'}')) => {
                cursor.next();
                if depth == 0 {
                    return Ok(());
                }
                depth -= 1;
                builder.close_scope();
            }
            Some(Token::Punct(b';')) => {
                cursor.next();
            }
            Some(Token::Punct(b'@')) => {
                cursor.next();
                let negated = cursor.eat(b'!');
                let predicate = cursor.word("a predicate")?;
                instruction(cursor, builder, Some((predicate, negated)))?;
            }
            Some(Token::Word(word)) if cursor.peek_second() == Some(Token::Punct(b':')) => {
                label(cursor, builder, word)?;
            }
            Some(Token::Word(word)) if word.starts_with('.') => {
                cursor.next();
                directive(cursor, builder, word)?;
            }
            Some(Token::Word(_)) => instruction(cursor, builder, None)?,
            _ => return cursor.error(format!("expected a statement, found {}", cursor.found())),
        }
    }
}

fn instruction<'a>(
    cursor: &mut Cursor<'a>,
    builder: &mut Builder<'a, '_>,
    guard: Option<(&'a str, bool)>,
) -> Result<(), ParseError> {
    let line = cursor.line();
    let opcode = cursor.word("an instruction")?;
    let operands = cursor.operands(b';', 0)?;
    builder.statement(&Statement { line, guard, opcode, operands })
}

fn label<'a>(cursor: &mut Cursor<'a>, builder: &mut Builder<'a, '_>, name: &'a str) -> Result<(), ParseError> {
    let line = cursor.line();
    cursor.next();
    cursor.next();
    if cursor.eat_word(".branchtargets") {
        let mut targets = Vec::new();
        loop {
            targets.push(cursor.word("a label")?);
            if !cursor.eat(b',') {
                break;
            }
        }
        cursor.expect(b';')?;
        builder.branch_targets(name, targets);
        return Ok(());
    }
    if cursor.eat_word(".callprototype") {
        return cursor.skip_past(b';');
    }
    builder.label(name, line)
}

fn directive<'a>(cursor: &mut Cursor<'a>, builder: &mut Builder<'a, '_>, word: &str) -> Result<(), ParseError> {
    match word {
        ".loc" | ".file" => cursor.skip_line(),
        ".pragma" => cursor.skip_past(b';')?,
        ".reg" => return registers(cursor, builder),
        _ => {
            let space = if word == ".param" { Some(Space::Param) } else { space(word) };
            let Some(space) = space else {
                return cursor.error(format!("`{word}` is no directive of a function"));
            };
            let head = head(cursor)?;
            loop {
                let line = cursor.line();
                let Some(Token::Word(name)) = cursor.peek() else {
                    return cursor.error(format!("expected the name of a variable, found {}", cursor.found()));
                };
                let (_, variable) = variable(cursor, head, space)?;
                builder.variable(name, variable, line)?;
                if !cursor.eat(b',') {
                    return cursor.expect(b';');
                }
            }
        }
    }
    Ok(())
}

fn registers<'a>(cursor: &mut Cursor<'a>, builder: &mut Builder<'a, '_>) -> Result<(), ParseError> {
    let word = cursor.word("a type")?;
    let Some(ty) = word.strip_prefix('.').and_then(Type::parse) else {
        return cursor.error(format!("`{word}` is no type of a register"));
    };
    loop {
        let name = cursor.word("the name of a register")?;
        if cursor.eat(b'<') {
            let count = cursor.integer()?;
            cursor.expect(b'>')?;
            if count > MAX_REGISTERS {
                return cursor.error(format!("{count} registers are too many"));
            }
            builder.register_range(name, ty, count as u32);
        } else {
            builder.register(name, ty);
        }
        if !cursor.eat(b',') {
            return cursor.expect(b';');
        }
    }
}
