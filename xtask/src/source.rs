//! The project's own files, and Rust text reduced to what is code.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}

/// Every file that git tracks or would track, relative to the root, sorted; files deleted from disk are left out.
pub(crate) fn files() -> Result<Vec<String>, String> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .map_err(|e| format!("cannot run git: {e}"))?;
    if !output.status.success() {
        return Err(format!("git ls-files failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let mut files: Vec<String> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter(|path| root().join(path).is_file())
        .map(str::to_owned)
        .collect();
    files.sort();
    files.dedup();
    Ok(files)
}

/// The text of a file of the project; `None` when it is not UTF-8.
pub(crate) fn text(path: &str) -> Option<String> {
    std::fs::read_to_string(root().join(path)).ok()
}

/// The kinds of pieces of Rust text that the rules distinguish.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Code,
    LineComment,
    BlockComment(u32),
    Text,
    RawText(usize),
}

/// The parts that [`code`] blanks out, besides comments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Strings {
    Blank,
    Keep,
}

/// Rust text with its comments (and, on request, the insides of its string literals) replaced by spaces.
/// Lines keep their numbers and columns.
pub(crate) fn code(text: &str, strings: Strings) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut mode = Mode::Code;
    let mut at = 0;
    while at < chars.len() {
        let (taken, next, shown) = step(&chars, at, mode, strings);
        for &c in &chars[at..at + taken] {
            out.push(if shown || c == '\n' { c } else { ' ' });
        }
        at += taken;
        mode = next;
    }
    out
}

/// How many characters to take at `at`, the mode after them, and whether they stay visible.
fn step(chars: &[char], at: usize, mode: Mode, strings: Strings) -> (usize, Mode, bool) {
    let c = chars[at];
    let next = chars.get(at + 1).copied();
    let keep = strings == Strings::Keep;
    match mode {
        Mode::Code => match (c, next) {
            ('/', Some('/')) => (2, Mode::LineComment, false),
            ('/', Some('*')) => (2, Mode::BlockComment(1), false),
            ('"', _) => (1, Mode::Text, true),
            ('r', Some('"' | '#')) if !at.checked_sub(1).is_some_and(|i| is_word(chars[i])) => {
                let hashes = chars[at + 1..].iter().take_while(|&&c| c == '#').count();
                if chars.get(at + 1 + hashes) == Some(&'"') {
                    (hashes + 2, Mode::RawText(hashes), true)
                } else {
                    (1, Mode::Code, true)
                }
            }
            ('\'', Some('\\')) => {
                let end = chars.iter().skip(at + 3).position(|&c| c == '\'').map_or(1, |i| i + 4);
                (end.min(chars.len() - at), Mode::Code, true)
            }
            ('\'', Some(_)) if chars.get(at + 2) == Some(&'\'') => (3, Mode::Code, keep),
            _ => (1, Mode::Code, true),
        },
        Mode::LineComment => (1, if c == '\n' { Mode::Code } else { mode }, false),
        Mode::BlockComment(depth) => match (c, next) {
            ('*', Some('/')) if depth == 1 => (2, Mode::Code, false),
            ('*', Some('/')) => (2, Mode::BlockComment(depth - 1), false),
            ('/', Some('*')) => (2, Mode::BlockComment(depth + 1), false),
            _ => (1, mode, false),
        },
        Mode::Text => match c {
            '"' => (1, Mode::Code, true),
            '\\' => (2.min(chars.len() - at), mode, keep),
            _ => (1, mode, keep),
        },
        Mode::RawText(hashes) => {
            let closes = c == '"' && chars[at + 1..].iter().take(hashes).filter(|&&c| c == '#').count() == hashes;
            if closes { (1 + hashes, Mode::Code, true) } else { (1, mode, keep) }
        }
    }
}

/// Whether a character may be part of an identifier.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Blanks the `#[cfg(test)]` modules of text that [`code`] has already reduced (with strings blanked, so that braces
/// can be counted), marking in `visible` which lines are outside them.
pub(crate) fn lines_outside_tests(code: &str) -> Vec<bool> {
    let mut visible = Vec::new();
    let mut pending = false;
    let mut depth: i64 = 0;
    for line in code.lines() {
        let opens = line.contains("#[cfg(test)]");
        pending |= opens;
        let inside = pending || depth > 0;
        visible.push(!inside);
        if inside {
            depth += line.matches('{').count() as i64 - line.matches('}').count() as i64;
            let ends = depth <= 0 && (line.contains(';') || line.contains('}')) && !opens;
            if line.contains('{') || ends {
                pending = false;
            }
            depth = depth.max(0);
        }
    }
    visible
}

/// The paths, without `.rs`, of modules that are compiled for tests only.
pub(crate) fn test_modules(files: &[String]) -> Vec<String> {
    let rust = files.iter().filter(|path| path.ends_with(".rs"));
    rust.flat_map(|path| text(path).map(|text| declared_for_tests(path, &text)).unwrap_or_default()).collect()
}

fn declared_for_tests(path: &str, text: &str) -> Vec<String> {
    let stem = path.trim_end_matches(".rs");
    let root = ["/mod", "/lib", "/main"].iter().find_map(|name| stem.strip_suffix(name));
    let folder = root.unwrap_or(stem);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let pairs = lines.iter().zip(lines.iter().skip(1));
    let modules = pairs.filter(|(first, _)| **first == "#[cfg(test)]").filter_map(|(_, second)| {
        let declaration = second.trim_start_matches("pub(crate) ").strip_prefix("mod ")?;
        Some(format!("{folder}/{}", declaration.strip_suffix(';')?))
    });
    modules.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_blanked_in_place() {
        let text = "let a = \"unsafe // no\"; // unsafe\n/* unsafe /* deep */ */ let b = r#\"x\"y\"#;";
        assert_eq!(
            code(text, Strings::Blank),
            "let a = \"            \";          \n                        let b = r#\"   \"#;"
        );
    }

    #[test]
    fn quotes_as_characters_do_not_open_strings() {
        assert_eq!(code("('\"', '\\'') // x", Strings::Keep), "('\"', '\\'')     ");
        assert_eq!(code("fn f<'a>(x: &'a str) {}", Strings::Blank), "fn f<'a>(x: &'a str) {}");
    }

    #[test]
    fn test_modules_are_invisible() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n  fn b() {}\n}\nfn c() {}";
        assert_eq!(lines_outside_tests(text), [true, false, false, false, false, true]);
    }

    #[test]
    fn modules_for_tests_are_found_from_their_declarations() {
        let text = "mod a;\n#[cfg(test)]\nmod b;\n#[cfg(test)]\nmod c {}\n";
        assert_eq!(declared_for_tests("crates/x/src/lib.rs", text), ["crates/x/src/b"]);
        assert_eq!(declared_for_tests("crates/x/src/y.rs", text), ["crates/x/src/y/b"]);
    }

    #[test]
    fn a_test_module_in_a_file_of_its_own_hides_one_line() {
        assert_eq!(lines_outside_tests("#[cfg(test)]\nmod tests;\nfn c() {}"), [false, false, true]);
    }
}
