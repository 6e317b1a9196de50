//! What is outside functions: directives, variables, kernels and declarations.

use super::body;
use super::cursor::Cursor;
use super::declaration::{head, variable};
use super::lexer::{Token, tokens};
use crate::decode::{Builder, Symbols};
use crate::fault::ParseError;
use crate::module::{Module, Parameter, Space};

pub(crate) fn parse(text: &str) -> Result<Module, ParseError> {
    let mut cursor = Cursor::new(tokens(text)?);
    let mut symbols = Symbols::default();
    let mut target = String::new();
    while let Some(token) = cursor.peek() {
        let Token::Word(word) = token else {
            return cursor.error(format!("expected a directive, found {}", cursor.found()));
        };
        cursor.next();
        match word {
            ".version" => cursor.skip_line(),
            ".target" => {
                target = cursor.word("a target")?.to_owned();
                cursor.skip_line();
            }
            ".address_size" => {
                if cursor.integer()? != 64 {
                    return cursor.error("only addresses of 64 bits are known");
                }
            }
            ".file" | ".loc" => cursor.skip_line(),
            ".pragma" | ".alias" => cursor.skip_past(b';')?,
            ".section" => cursor.skip_past(b'}')?,
            ".visible" | ".extern" | ".weak" | ".common" => {}
            ".entry" => function(&mut cursor, &mut symbols, true)?,
            ".func" => function(&mut cursor, &mut symbols, false)?,
            _ => match space(word) {
                Some(space) => variables(&mut cursor, &mut symbols, space)?,
                None => return cursor.error(format!("`{word}` is no directive of a module")),
            },
        }
    }
    symbols.finish(target)
}

pub(super) fn space(word: &str) -> Option<Space> {
    Some(match word {
        ".global" => Space::Global,
        ".const" => Space::Const,
        ".shared" => Space::Shared,
        ".local" => Space::Local,
        _ => return None,
    })
}

fn variables(cursor: &mut Cursor<'_>, symbols: &mut Symbols, space: Space) -> Result<(), ParseError> {
    let head = head(cursor)?;
    loop {
        let line = cursor.line();
        let (name, variable) = variable(cursor, head, space)?;
        symbols.declare(&name, variable, line)?;
        if !cursor.eat(b',') {
            return cursor.expect(b';');
        }
    }
}

/// The parameters of a function: names and sizes.
type Parameters<'a> = Vec<(&'a str, Parameter)>;

fn parameters<'a>(cursor: &mut Cursor<'a>) -> Result<Parameters<'a>, ParseError> {
    let mut out: Parameters<'a> = Vec::new();
    let mut offset: u64 = 0;
    cursor.expect(b'(')?;
    if cursor.eat(b')') {
        return Ok(out);
    }
    loop {
        if !cursor.eat_word(".param") {
            return cursor.error("parameters are of the space `.param`");
        }
        let head = head(cursor)?;
        let Some(Token::Word(name)) = cursor.peek() else {
            return cursor.error(format!("expected the name of a parameter, found {}", cursor.found()));
        };
        let (_, variable) = variable(cursor, head, Space::Param)?;
        offset = offset.next_multiple_of(variable.align);
        if offset + variable.bytes > 1 << 16 {
            return cursor.error("the parameters take more than 64 KiB");
        }
        let (bytes, align) = (variable.bytes as u32, variable.align as u32);
        out.push((name, Parameter { bytes, align, offset: offset as u32 }));
        offset += variable.bytes;
        if cursor.eat(b')') {
            return Ok(out);
        }
        cursor.expect(b',')?;
    }
}

fn function(cursor: &mut Cursor<'_>, symbols: &mut Symbols, is_kernel: bool) -> Result<(), ParseError> {
    let line = cursor.line();
    cursor.eat_word(".noreturn");
    let returns = if cursor.peek() == Some(Token::Punct(b'(')) { parameters(cursor)? } else { Vec::new() };
    let name = cursor.word("the name of a function")?;
    let params = if cursor.peek() == Some(Token::Punct(b'(')) { parameters(cursor)? } else { Vec::new() };
    let mut builder = Builder::new(symbols, name, is_kernel);
    attributes(cursor, &mut builder)?;
    for (name, parameter) in &params {
        builder.parameter(name, *parameter);
    }
    for (name, parameter) in &returns {
        builder.returned(name, *parameter);
    }
    if cursor.eat(b';') {
        builder.declared();
        return Ok(());
    }
    cursor.expect(b'{')?;
    body::parse(cursor, &mut builder)?;
    builder.finish(line)
}

fn extents(cursor: &mut Cursor<'_>) -> Result<[u32; 3], ParseError> {
    let mut out = [1; 3];
    for (axis, extent) in out.iter_mut().enumerate() {
        if axis > 0 && !cursor.eat(b',') {
            break;
        }
        *extent = cursor.small()?;
    }
    Ok(out)
}

fn attributes(cursor: &mut Cursor<'_>, builder: &mut Builder<'_, '_>) -> Result<(), ParseError> {
    while let Some(Token::Word(word)) = cursor.peek() {
        cursor.next();
        match word {
            ".maxntid" => builder.kernel.max_threads = Some(extents(cursor)?),
            ".reqntid" => builder.kernel.required_threads = Some(extents(cursor)?),
            ".minnctapersm" | ".maxnctapersm" | ".maxnreg" | ".maxclusterrank" => {
                cursor.small()?;
            }
            ".reqnctapercluster" => {
                let line = cursor.line();
                let cluster = extents(cursor)?;
                if cluster != [1; 3] {
                    builder.unsupported(line, format!("clusters of {cluster:?} blocks"));
                }
            }
            ".noreturn" | ".explicitcluster" | ".blocksareclusters" => {}
            ".pragma" => cursor.skip_past(b';')?,
            _ => return cursor.error(format!("`{word}` is no attribute of a function")),
        }
    }
    Ok(())
}
