//! Syntax errors in one function leave the others readable.
//!
//! An open bracket swallows all text after it. So when a text does not parse, it is cut by its lines into the decorated
//! functions; each is parsed by itself, and the text of those that fail is blanked out, byte for byte, before the whole
//! is parsed again. Cutting by lines may be wrong inside of strings, which only matters to text that is wrong anyway.
//!
//! If the brackets of a function do not match, that is its error: the parser's errors after that location are only
//! consequences.

use ruff_python_ast as ast;
use ruff_python_parser::{Mode, ParseError, ParseErrorType, ParseOptions, Parsed, parse_unchecked};
use ruff_text_size::{Ranged, TextRange, TextSize};

/// A decorated function, from its first decorator to the last line of its body.
struct Piece {
    range: std::ops::Range<usize>,
    indent: usize,
    name: String,
}

/// A text without the functions that do not parse.
pub(super) struct Recovered {
    pub(super) text: String,
    pub(super) parsed: Parsed<ast::Mod>,
    /// The ranges and names of the functions.
    pub(super) left_out: Vec<(TextRange, String)>,
    /// The syntax errors in them.
    pub(super) errors: Vec<ParseError>,
}

/// Leaves out the functions that do not parse.
pub(super) fn recover(text: &str) -> Recovered {
    let mut blanked = text.as_bytes().to_vec();
    let mut left_out = Vec::new();
    let mut errors = Vec::new();
    for piece in pieces(text) {
        let Some(own) = text.get(piece.range.clone()) else { continue };
        let mut found = errors_of(own, piece.indent, piece.range.start);
        if found.is_empty() {
            continue;
        }
        if let Some((at, message)) = mismatched(own) {
            let at = piece.range.start + at;
            found.retain(|error| usize::from(error.range().start()) < at);
            let location = TextRange::new(size(at), size(at + 1));
            found.push(ParseError { error: ParseErrorType::OtherError(message), location });
        }
        // After the first error, one at the very end of the function says only that something before is open.
        let end = piece.range.start + own.trim_end().len();
        errors.extend(
            found
                .into_iter()
                .enumerate()
                .filter(|(at, e)| *at == 0 || usize::from(e.range().start()) < end)
                .map(|(_, e)| e),
        );
        blank(&mut blanked, &piece);
        let range = TextRange::new(size(piece.range.start), size(piece.range.end));
        left_out.push((range, piece.name));
    }
    // Whole bytes of ASCII replace whole lines: the text stays valid.
    let text = String::from_utf8(blanked).unwrap_or_default();
    let parsed = parse_unchecked(&text, ParseOptions::from(Mode::Module));
    Recovered { text, parsed, left_out, errors }
}

fn size(at: usize) -> TextSize {
    TextSize::new(u32::try_from(at).unwrap_or(u32::MAX))
}

/// The syntax errors of a function by itself, at their offsets in the whole text.
fn errors_of(own: &str, indent: usize, start: usize) -> Vec<ParseError> {
    const HEAD: &str = "if 1:\n";
    let head = if indent > 0 { HEAD } else { "" };
    let parsed = parse_unchecked(&format!("{head}{own}"), ParseOptions::from(Mode::Module));
    let offset = |at: TextSize| size((usize::from(at) + start).saturating_sub(head.len()));
    let shifted = parsed.errors().iter().map(|error| ParseError {
        error: error.error.clone(),
        location: TextRange::new(offset(error.range().start()), offset(error.range().end())),
    });
    shifted.collect()
}

/// The bracket that has no partner, and what to say of it; `None` also where a string is in error.
fn mismatched(text: &str) -> Option<(usize, String)> {
    let bytes = text.as_bytes();
    let (mut open, mut at): (Vec<usize>, usize) = (Vec::new(), 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'#' => at += bytes[at..].iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(bytes.len() - at),
            b'"' | b'\'' => at = end_of_string(bytes, at)?,
            b'(' | b'[' | b'{' => open.push(at),
            b')' | b']' | b'}' => {
                let opening = match byte {
                    b')' => b'(',
                    b']' => b'[',
                    _ => b'{',
                };
                let (this, opening) = (char::from(byte), char::from(opening));
                match open.pop().map(|at| char::from(bytes[at])) {
                    Some(before) if before == opening => {}
                    Some(before) => return Some((at, format!("`{this}` does not close `{before}`"))),
                    None => return Some((at, format!("`{this}` closes nothing"))),
                }
            }
            _ => {}
        }
        at += 1;
    }
    open.pop().map(|at| (at, format!("`{}` is never closed", char::from(bytes[at]))))
}

/// The last byte of the string that begins at a quote; `None` if it does not end.
fn end_of_string(bytes: &[u8], start: usize) -> Option<usize> {
    let quote = bytes[start];
    let triple = bytes[start..].starts_with(&[quote; 3]);
    let mut at = start + if triple { 3 } else { 1 };
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 2,
            b'\n' | b'\r' if !triple => return None,
            byte if byte == quote && !triple => return Some(at),
            byte if byte == quote && bytes[at..].starts_with(&[quote; 3]) => return Some(at + 2),
            _ => at += 1,
        }
    }
}

/// Blanks a function, and replaces it by a statement that does nothing.
fn blank(text: &mut [u8], piece: &Piece) {
    let own = &mut text[piece.range.clone()];
    own.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    if let Some(body) = own.get_mut(piece.indent..piece.indent + 4)
        && body.iter().all(|&byte| byte == b' ')
    {
        body.copy_from_slice(b"pass");
    }
}

/// The decorated functions of a text, by its lines.
fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut open: Option<Piece> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let body = line.trim_start_matches([' ', '\t']);
        let indent = line.len() - body.len();
        let begins = |word: &str| body.strip_prefix(word).is_some_and(|rest| rest.starts_with([' ', '\t']));
        let (is_def, is_class) = (begins("def"), begins("class"));
        if let Some(piece) = open.as_mut() {
            let in_head = piece.name.is_empty();
            let is_word = body.starts_with(|c: char| c.is_alphanumeric() || "_@".contains(c));
            let ends = match indent.cmp(&piece.indent) {
                std::cmp::Ordering::Less => is_word,
                std::cmp::Ordering::Equal => is_word && (!in_head || is_class),
                std::cmp::Ordering::Greater => false,
            };
            if !ends {
                if in_head && is_def && indent == piece.indent {
                    let name = body.trim_start_matches("def").trim_start();
                    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(name.len());
                    piece.name = name[..end].to_owned();
                }
                piece.range.end = at;
                continue;
            }
            pieces.extend(open.take().filter(|piece| !piece.name.is_empty()));
        }
        if body.starts_with('@') {
            open = Some(Piece { range: start..at, indent, name: String::new() });
        }
    }
    pieces.extend(open.filter(|piece| !piece.name.is_empty()));
    pieces
}
