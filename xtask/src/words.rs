//! Words with private meanings, and the length of lines of comments, counted per crate against an allowance.
//!
//! `docs/glossary.md` has the terms of this code. The [`BANNED`] words once stood for some of them (`behind` for
//! "after", "at a higher address" and "covered by"; `turned` for "transposed"; `lot` for a vector of rows), which
//! nobody can search for. They count in identifiers, comments and texts of Rust files alike, as whole words between
//! underscores and other characters. A function whose name begins with `what_` counts, too: a name says what a thing
//! is.
//!
//! [`ALLOWED`] has the numbers that a crate may still have. A higher count is a complaint; a lower one is printed, so
//! that the number is lowered with the change that earns it. Numbers never rise: a new crate has none.

use std::collections::BTreeMap;

/// Words that name nothing in this code.
const BANNED: [&str; 8] = ["behind", "beside", "turned", "crowd", "crowds", "crowded", "lot", "lots"];

/// Characters of a line of a comment at most, as of a line of code (`rustfmt` does not break comments).
const MAX_COMMENT_CHARS: usize = 120;

/// What a crate may have: its name, banned words, lines of comments that are too long.
const ALLOWED: &[(&str, Count)] = &[
    ("nn", Count { words: 0, long_comments: 1 }),
    // `lot` is an alias of an argument that old traces have.
    ("schedule", Count { words: 1, long_comments: 0 }),
    ("vm-program", Count { words: 0, long_comments: 1 }),
];

/// The counts of a crate.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(crate) struct Count {
    words: usize,
    long_comments: usize,
}

/// The counts by crate.
#[derive(Default)]
pub(crate) struct Counts(BTreeMap<String, Count>);

impl Counts {
    /// Adds a Rust file.
    pub(crate) fn add(&mut self, path: &str, text: &str) {
        if path == "xtask/src/words.rs" {
            return;
        }
        let count = self.0.entry(crate_of(path).to_owned()).or_default();
        count.words += banned_words(text);
        count.long_comments += text.lines().filter(|line| is_long_comment(line)).count();
    }

    /// Complaints about crates above their allowance, and hints for those below.
    pub(crate) fn judged(&self) -> (Vec<String>, Vec<String>) {
        let (mut problems, mut hints) = (Vec::new(), Vec::new());
        for (name, found) in &self.0 {
            let allowed = ALLOWED.iter().find(|(known, _)| known == name).map_or(Count::default(), |(_, count)| *count);
            let kinds = [
                ("words with private meanings (docs/glossary.md)", found.words, allowed.words),
                ("comment lines over 120 characters", found.long_comments, allowed.long_comments),
            ];
            for (kind, found, allowed) in kinds {
                if found > allowed {
                    problems
                        .push(format!("`{name}` has {found} {kind}, and {allowed} are allowed in xtask/src/words.rs"));
                } else if found < allowed {
                    hints.push(format!("`{name}` has {found} {kind}: lower the {allowed} in xtask/src/words.rs"));
                }
            }
        }
        (problems, hints)
    }
}

/// The crate of a file, by the name that it has in the table of `ARCHITECTURE.md`; another folder's own name.
fn crate_of(path: &str) -> &str {
    let mut parts = path.split('/');
    let first = parts.next().unwrap_or_default();
    if first != "crates" {
        return first;
    }
    let name = parts.next().unwrap_or_default();
    name.strip_prefix("tilewright-").unwrap_or(name)
}

fn banned_words(text: &str) -> usize {
    let words = text.split(|c: char| !c.is_ascii_alphabetic());
    let banned = words.filter(|word| BANNED.iter().any(|banned| banned.eq_ignore_ascii_case(word))).count();
    banned + text.matches("fn what_").count()
}

/// Whether the line is a comment alone that is too long. Rows of tables, addresses and examples cannot be broken.
fn is_long_comment(line: &str) -> bool {
    let comment = line.trim_start();
    let text = comment.trim_start_matches(['/', '!']).trim_start();
    let is_breakable = text.contains(' ') && !text.starts_with(['|', '{']);
    comment.starts_with("//") && is_breakable && line.chars().count() > MAX_COMMENT_CHARS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_in_identifiers_comments_and_texts() {
        assert_eq!(banned_words("fn rows_behind(x: T) {} // Beside it.\nlet a = \"turned\";"), 3);
        assert_eq!(banned_words("let slot = returned; // allotted"), 0);
        assert_eq!(banned_words("fn what_is_read() {}"), 1);
    }

    #[test]
    fn long_comments_count_unless_they_cannot_be_broken() {
        let words = "word ".repeat(30);
        assert!(is_long_comment(&format!("    /// {words}")));
        assert!(!is_long_comment(&format!("//! | {words} |")));
        assert!(!is_long_comment(&format!("// {}", "x".repeat(200))));
        assert!(!is_long_comment(&format!("let a = \"{words}\"; // short")));
    }

    #[test]
    fn a_crate_above_its_allowance_is_a_complaint() {
        let mut counts = Counts::default();
        counts.add("crates/tilewright-new/src/lib.rs", "fn rows_behind() {}");
        let (problems, _) = counts.judged();
        assert!(problems.join("\n").contains("`new` has 1 words"), "{problems:?}");
    }
}
