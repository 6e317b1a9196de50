//! Colours for terminals.

const KEYWORD: &str = "\x1b[35m";
const NAMESPACE: &str = "\x1b[36m";
const NUMBER: &str = "\x1b[33m";
const STRING: &str = "\x1b[32m";
const COMMENT: &str = "\x1b[90m";
const DEFINED: &str = "\x1b[34m";
const RESET: &str = "\x1b[0m";

/// The same text with ANSI colours for keywords, namespaces, numbers, strings and comments.
pub fn highlight(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut rest = text;
    let mut defines = false;
    while let Some(first) = rest.chars().next() {
        let (length, color) = piece(rest, first, defines);
        let (token, behind) = rest.split_at(length);
        if !token.trim().is_empty() {
            defines = matches!(token, "def" | "class");
        }
        match color {
            Some(color) => {
                out.push_str(color);
                out.push_str(token);
                out.push_str(RESET);
            }
            None => out.push_str(token),
        }
        rest = behind;
    }
    out
}

/// The length in bytes of the token that the text begins with, and its colour.
fn piece(text: &str, first: char, defines: bool) -> (usize, Option<&'static str>) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let up_to = |end: fn(char) -> bool| text.find(end).unwrap_or(text.len());
    match first {
        '#' => (up_to(|c| c == '\n'), Some(COMMENT)),
        '"' => (string_length(text), Some(STRING)),
        c if c.is_ascii_digit() => (text.find(|c: char| !(is_word(c) || c == '.')).unwrap_or(text.len()), Some(NUMBER)),
        c if is_word(c) || c == '@' => {
            let name = c.len_utf8() + text[c.len_utf8()..].find(|c| !is_word(c)).unwrap_or(text.len() - c.len_utf8());
            (name, word_color(&text[..name], text[name..].starts_with('.'), defines))
        }
        c => (c.len_utf8(), None),
    }
}

fn word_color(word: &str, before_dot: bool, defines: bool) -> Option<&'static str> {
    match word {
        "class" | "def" | "for" | "in" | "with" | "as" | "if" | "else" | "while" | "return" | "assert" | "pass"
        | "and" | "or" | "not" | "True" | "False" | "None" => Some(KEYWORD),
        "I" | "R" | "T" | "@I" | "@R" | "@T" | "cls" if before_dot => Some(NAMESPACE),
        _ if defines => Some(DEFINED),
        _ => None,
    }
}

fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            '\n' => return at,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_change_nothing_but_the_look() {
        let text = "# é\n@T.prim_func\ndef f(x: T.Buffer((1,), \"a\\\"b\")):\n    x[0] = T.float32(1.5) \"open\n\"";
        let colored = highlight(text);
        for part in ["\x1b[90m# é\x1b[0m", "\x1b[35mdef\x1b[0m \x1b[34mf\x1b[0m", "\x1b[33m1.5\x1b[0m", "\x1b[36m@T"] {
            assert!(colored.contains(part), "{colored:?}");
        }
        let mut plain = colored;
        for code in [KEYWORD, NAMESPACE, NUMBER, STRING, COMMENT, DEFINED, RESET] {
            plain = plain.replace(code, "");
        }
        assert_eq!(plain, text);
    }
}
