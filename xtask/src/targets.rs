//! Which libraries are built for unit tests and searched for examples in documentation: those that have some.
//!
//! Cargo builds a test library of every crate, and has rustdoc read every crate, unless its manifest says otherwise.
//! For a crate without tests that is time spent on nothing; for one that says so and has tests, these would never run.

use std::collections::BTreeMap;

use crate::source::{self, Strings};

/// What the sources of a library have to run.
#[derive(Clone, Copy, Default, Debug, PartialEq)]
struct Has {
    tests: bool,
    examples: bool,
}

/// Every library whose manifest does not say what its sources have, as a sentence each.
pub(crate) fn check(files: &[String]) -> Vec<String> {
    let mut crates: BTreeMap<&str, Has> = BTreeMap::new();
    for path in files {
        let Some((owner, file)) = path.strip_prefix("crates/").and_then(|path| path.split_once("/src/")) else {
            continue;
        };
        let is_of_library = file.ends_with(".rs") && file != "main.rs";
        if let Some(text) = source::text(path).filter(|_| is_of_library) {
            let has = crates.entry(owner).or_default();
            has.tests |= has_tests(&text);
            has.examples |= has_examples(&text);
        }
    }
    let manifest = |owner: &str| source::text(&format!("crates/{owner}/Cargo.toml")).unwrap_or_default();
    crates.into_iter().flat_map(|(owner, has)| judge(owner, &manifest(owner), has)).collect()
}

fn judge(owner: &str, manifest: &str, has: Has) -> Vec<String> {
    let library = manifest.split("\n[").find_map(|section| section.strip_prefix("lib]")).unwrap_or_default();
    let is_off = |key: &str| library.lines().any(|line| line.trim() == format!("{key} = false"));
    let kinds = [("test", has.tests, "unit tests"), ("doctest", has.examples, "examples in its documentation")];
    let mut problems = Vec::new();
    for (key, are_there, what) in kinds {
        if are_there && is_off(key) {
            problems.push(format!("crates/{owner}: has {what}, which `{key} = false` keeps from running"));
        } else if !are_there && !is_off(key) {
            problems.push(format!("crates/{owner}: has no {what}; say `{key} = false` under `[lib]`"));
        }
    }
    problems
}

fn has_tests(text: &str) -> bool {
    let code = source::code(text, Strings::Blank);
    code.contains("#[test]") || code.contains("proptest!")
}

/// Whether a block of code in the documentation is one that rustdoc compiles: in no language, or in Rust.
fn has_examples(text: &str) -> bool {
    let mut inside = false;
    for line in text.lines().map(str::trim_start) {
        let doc = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        let Some(language) = doc.and_then(|doc| doc.trim_start().strip_prefix("```")) else {
            inside &= doc.is_some();
            continue;
        };
        let is_rust = language.split(',').all(|word| {
            let word = word.trim();
            word.starts_with("edition") || ["", "rust", "no_run", "should_panic", "compile_fail"].contains(&word)
        });
        if !inside && is_rust {
            return true;
        }
        inside = !inside;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_say_what_there_is() {
        let both = Has { tests: true, examples: true };
        assert_eq!(judge("a", "[package]\n\n[lib]\ntest = false\ndoctest = false\n\n[x]\n", Has::default()), [""; 0]);
        assert_eq!(judge("a", "[package]\n", both), [""; 0]);
        assert_eq!(judge("a", "[package]\n\n[lib]\ntest = false\ndoctest = false\n", both).len(), 2);
        assert_eq!(judge("a", "[package]\n\n[[bin]]\ntest = false\n", Has::default()).len(), 2);
    }

    #[test]
    fn rustdoc_compiles_examples() {
        assert!(has_examples("//! Text.\n//!\n//! ```\n//! let a = 1;\n//! ```\n"));
        assert!(has_examples("    /// ```rust,no_run\n    /// f();\n    /// ```\n"));
        assert!(!has_examples("/// ```text\n/// a\n/// ```\nfn f() {}\n/// ```py\n/// a\n/// ```\n"));
        assert!(!has_examples("// ```\n// a\n// ```\n"));
    }

    #[test]
    fn tests_in_texts_are_none() {
        assert!(has_tests("#[test]\nfn f() {}\n"));
        assert!(!has_tests("const TEXT: &str = \"#[test]\"; // #[test]\n"));
    }
}
