//! Colours for terminals and for pages: one reading of the text, two ways of writing its pieces.

/// The kinds of pieces of a script, by colour.
#[derive(Clone, Copy)]
enum Style {
    Keyword,
    Namespace,
    Number,
    Text,
    Comment,
    Defined,
}

impl Style {
    /// The sequence that turns the colour on.
    fn ansi(self) -> &'static str {
        match self {
            Self::Keyword => "\x1b[35m",
            Self::Namespace => "\x1b[36m",
            Self::Number => "\x1b[33m",
            Self::Text => "\x1b[32m",
            Self::Comment => "\x1b[90m",
            Self::Defined => "\x1b[34m",
        }
    }

    /// A colour that can be read on white and on black.
    fn html(self) -> &'static str {
        match self {
            Self::Keyword => "#b14fd0",
            Self::Namespace => "#0f8f9f",
            Self::Number => "#b5731c",
            Self::Text => "#3d8f3d",
            Self::Comment => "#808080",
            Self::Defined => "#4078f2",
        }
    }
}

/// The escape sequence that turns a terminal's colour off.
const RESET: &str = "\x1b[0m";

/// The same text with ANSI colours for keywords, namespaces, numbers, strings and comments.
pub fn highlight(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for_each_piece(text, |piece, style| match style {
        Some(style) => out.extend([style.ansi(), piece, RESET]),
        None => out.push_str(piece),
    });
    out
}

/// The same text as a `<pre>` of HTML in the same colours, which needs no style sheet; what it says is escaped.
pub fn highlight_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 3);
    out.push_str("<pre>");
    for_each_piece(text, |piece, style| match style {
        Some(style) => {
            out.extend(["<span style=\"color: ", style.html(), "\">"]);
            push_escaped(&mut out, piece);
            out.push_str("</span>");
        }
        None => push_escaped(&mut out, piece),
    });
    out.push_str("</pre>");
    out
}

fn push_escaped(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
}

/// Tokenises the text: the pieces, concatenated, are the text.
fn for_each_piece<'t>(text: &'t str, mut take: impl FnMut(&'t str, Option<Style>)) {
    let mut rest = text;
    let mut defines = false;
    while let Some(first) = rest.chars().next() {
        let (length, style) = piece(rest, first, defines);
        let (token, after) = rest.split_at(length);
        if !token.trim().is_empty() {
            defines = matches!(token, "def" | "class");
        }
        take(token, style);
        rest = after;
    }
}

/// The length in bytes of the token that the text begins with, and what it is.
fn piece(text: &str, first: char, defines: bool) -> (usize, Option<Style>) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let up_to = |end: fn(char) -> bool| text.find(end).unwrap_or(text.len());
    match first {
        '#' => (up_to(|c| c == '\n'), Some(Style::Comment)),
        quote @ ('"' | '\'') => (string_length(text, quote), Some(Style::Text)),
        c if c.is_ascii_digit() => {
            (text.find(|c: char| !(is_word(c) || c == '.')).unwrap_or(text.len()), Some(Style::Number))
        }
        c if is_word(c) || c == '@' => {
            let name = c.len_utf8() + text[c.len_utf8()..].find(|c| !is_word(c)).unwrap_or(text.len() - c.len_utf8());
            (name, word_style(&text[..name], text[name..].starts_with('.'), defines))
        }
        c => (c.len_utf8(), None),
    }
}

fn word_style(word: &str, before_dot: bool, defines: bool) -> Option<Style> {
    match word {
        "class" | "def" | "for" | "in" | "with" | "as" | "if" | "else" | "while" | "return" | "assert" | "pass"
        | "and" | "or" | "not" | "True" | "False" | "None" => Some(Style::Keyword),
        "I" | "R" | "T" | "@I" | "@R" | "@T" | "cls" if before_dot => Some(Style::Namespace),
        _ if defines => Some(Style::Defined),
        _ => None,
    }
}

fn string_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            c if c == quote && !escaped => return at + 1,
            '\n' => return at,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str =
        "# é\n@T.prim_func\ndef f(x: T.Buffer((1,), \"a\\\"b\")):\n    x[0] = T.float32(1.5) < 'm' & \"open\n\"";

    #[test]
    fn colours_change_nothing_but_the_look() {
        let colored = highlight(SCRIPT);
        for part in ["\x1b[90m# é\x1b[0m", "\x1b[35mdef\x1b[0m \x1b[34mf\x1b[0m", "\x1b[33m1.5\x1b[0m", "\x1b[36m@T"] {
            assert!(colored.contains(part), "{colored:?}");
        }
        assert!(colored.contains("\x1b[32m'm'\x1b[0m"), "{colored:?}");
        assert_eq!(without(&colored, "\x1b[", "m"), SCRIPT);
    }

    #[test]
    fn pages_say_the_same_with_nothing_left_to_interpret() {
        let page = highlight_html(SCRIPT);
        assert!(page.contains("<span style=\"color: #3d8f3d\">&quot;a\\&quot;b&quot;</span>"), "{page}");
        assert!(page.starts_with("<pre>") && page.ends_with("</pre>"), "{page}");
        let mut plain = without(&page, "<", ">");
        assert!(!plain.contains(['<', '>', '"', '\'']), "{plain}");
        for (entity, c) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
            plain = plain.replace(entity, c);
        }
        assert_eq!(plain, SCRIPT);
    }

    #[test]
    fn markup_in_a_text_is_escaped() {
        let page = highlight_html("# <script>alert(1)</script> &lt;");
        assert_eq!(without(&page, "<", ">"), "# &lt;script&gt;alert(1)&lt;/script&gt; &amp;lt;");
    }

    /// The text without the parts from each `open` to the next `close`.
    fn without(text: &str, open: &str, close: &str) -> String {
        let mut parts = text.split(open);
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |kept, part| kept + part.split_once(close).map_or("", |(_, after)| after))
    }
}
