//! The rules of the house that can be read off the text.
//!
//! 1. The crate graph is the one that `ARCHITECTURE.md` lists ([`edges`]).
//! 2. Each crate's `lib.rs` opens with a `//!` doc that has a paragraph of invariants.
//! 3. `unsafe` occurs only in the crates that may have it, and every use is close to a `SAFETY` comment.
//! 4. No `allow(…)` or `expect(…)` attribute without a reason.
//! 5. No trailing whitespace, no tabs in Rust and Python, a newline at the end of each file.
//! 6. No more words with private meanings, and no more long lines of comments, than each crate is allowed ([`words`]).
//! 7. The glossary has each term once, with a path that exists ([`glossary`]).
//! 8. The folders of the crate `schedule` use only the layers below them ([`layers`]).
//! 9. A library is built for unit tests and searched for examples if it has some, and only then ([`targets`]).
//!
//! It also prints the ten largest source files; those over [`AIM`] lines are a hint to split, not a failure.

use crate::source::{self, Strings};
use crate::words::Counts;
use crate::{edges, glossary, layers, targets};

/// Crates that may contain `unsafe`.
const UNSAFE: [&str; 6] = ["tensor", "support", "runtime", "llvm", "py", "capi"];

/// The number of lines that a source file aims to stay under.
const AIM: usize = 600;

/// Files whose text is the project's own prose or code.
const TEXT: [&str; 8] = ["rs", "py", "pyi", "md", "toml", "sh", "yml", "script"];

pub(crate) fn run() -> Result<(), String> {
    let mut problems = edges::check()?;
    problems.extend(glossary::check());
    problems.extend(layers::check()?);
    let (mut sizes, mut counts) = (Vec::new(), Counts::default());
    let files = source::files()?;
    problems.extend(targets::check(&files));
    for path in files {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        if !TEXT.contains(&extension) && !matches!(path.as_str(), "Makefile" | ".ci/run") {
            continue;
        }
        let Some(text) = source::text(&path) else {
            problems.push(format!("{path}: not UTF-8"));
            continue;
        };
        whitespace(&path, &text, &mut problems);
        if extension == "rs" {
            rust(&path, &text, &mut problems);
            counts.add(&path, &text);
        }
        if matches!(extension, "rs" | "py") {
            sizes.push((text.lines().count(), path));
        }
    }
    print_sizes(sizes);
    let (above, below) = counts.judged();
    problems.extend(above);
    below.iter().for_each(|hint| println!("{hint}"));
    if problems.is_empty() {
        println!("tidy: no complaints");
        return Ok(());
    }
    Err(format!("{}\ntidy: {} complaints", problems.join("\n"), problems.len()))
}

fn print_sizes(mut sizes: Vec<(usize, String)>) {
    sizes.sort_by(|a, b| b.cmp(a));
    println!("the ten largest files:");
    for (lines, path) in sizes.iter().take(10) {
        let mark = if *lines > AIM { "  over the aim" } else { "" };
        println!("{lines:>7}  {path}{mark}");
    }
}

fn whitespace(path: &str, text: &str, problems: &mut Vec<String>) {
    let indents_with_tabs = path == "Makefile";
    for (number, line) in text.lines().enumerate() {
        if line.ends_with([' ', '\t']) {
            problems.push(format!("{path}:{}: trailing whitespace", number + 1));
        } else if line.contains('\t') && !indents_with_tabs {
            problems.push(format!("{path}:{}: a tab", number + 1));
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        problems.push(format!("{path}: no newline at the end"));
    }
}

fn rust(path: &str, text: &str, problems: &mut Vec<String>) {
    let owner = path.strip_prefix("crates/").and_then(|rest| rest.split('/').next());
    let owner = owner.map(|name| name.strip_prefix("tilewright-").unwrap_or(name));
    if owner.is_some() && path.ends_with("/src/lib.rs") && path.matches('/').count() == 3 {
        crate_doc(path, text, problems);
    }
    let code = source::code(text, Strings::Blank);
    let original: Vec<&str> = text.lines().collect();
    for (number, line) in code.lines().enumerate() {
        if words(line).any(|word| word == "unsafe") {
            if owner.is_none_or(|owner| !UNSAFE.contains(&owner)) {
                problems.push(format!("{path}:{}: `unsafe` outside of {}", number + 1, UNSAFE.join(", ")));
            } else if is_unsafe_block(line) && !has_safety_comment(&original, number) {
                problems.push(format!("{path}:{}: an `unsafe` block without a `SAFETY:` comment", number + 1));
            }
        }
        let attribute = ["[allow(", "[expect("].iter().any(|start| line.contains(start));
        if attribute && !code.lines().skip(number).take(6).any(|line| line.contains("reason =")) {
            problems.push(format!("{path}:{}: a lint is silenced without `reason = \"…\"`", number + 1));
        }
    }
}

fn crate_doc(path: &str, text: &str, problems: &mut Vec<String>) {
    let doc: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
    if doc.is_empty() {
        problems.push(format!("{path}: does not open with a `//!` doc that states the crate's role"));
    } else if !doc.iter().any(|line| line.to_lowercase().contains("invariant")) {
        problems.push(format!("{path}: the crate's doc has no paragraph of invariants"));
    }
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c| !source::is_word(c))
}

fn is_unsafe_block(line: &str) -> bool {
    let rest = line.split("unsafe").skip(1);
    rest.into_iter().any(|after| after.trim_start().starts_with('{') || after.trim_start().starts_with("impl"))
}

/// Whether one of the ten lines above (or the line itself) states why the block is sound.
fn has_safety_comment(lines: &[&str], number: usize) -> bool {
    lines.iter().take(number + 1).skip(number.saturating_sub(10)).any(|line| line.contains("SAFETY:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(path: &str, text: &str) -> String {
        let mut problems = Vec::new();
        whitespace(path, text, &mut problems);
        rust(path, text, &mut problems);
        problems.join("\n")
    }

    #[test]
    fn unsafe_is_fenced_and_explained() {
        let text = "fn f() { unsafe { g() } }\n";
        assert!(complaints("crates/tilewright-ir/src/a.rs", text).contains("outside of"));
        assert!(complaints("crates/tilewright-llvm/src/a.rs", text).contains("without a `SAFETY:`"));
        let text = format!("// SAFETY: g has no precondition.\n{text}");
        assert_eq!(complaints("crates/tilewright-llvm/src/a.rs", &text), "");
    }

    #[test]
    fn words_in_comments_and_strings_do_not_count() {
        assert_eq!(complaints("crates/tilewright-ir/src/a.rs", "// unsafe\nconst A: &str = \"unsafe\";\n"), "");
    }

    #[test]
    fn a_crate_states_its_invariants() {
        assert!(complaints("crates/tilewright-ir/src/lib.rs", "//! The IR.\n").contains("invariants"));
        assert_eq!(complaints("crates/tilewright-ir/src/lib.rs", "//! The IR.\n//!\n//! # Invariants\n"), "");
    }

    #[test]
    fn silencing_needs_a_reason() {
        let bare = format!("#[{}(dead_code)]\nfn f() {{}}\n", "expect");
        assert!(complaints("crates/tilewright-ir/src/a.rs", &bare).contains("reason"));
    }

    #[test]
    fn whitespace_is_reported_with_its_line() {
        assert!(complaints("crates/tilewright-ir/src/a.rs", "fn f() {} \n").contains("a.rs:1: trailing"));
    }
}
