//! `cargo xtask touched NAME`: where a thing is named, to see that an addition lands in one place.
//!
//! A place counts when it is code: in `crates/` or `python/`, outside of comments, tests (the crate that runs the textual
//! ones, with the faults that are planted for them, among them) and test modules. Words are
//! compared without case and underscores, so `permute_dims` finds `PermuteDims` and `PERMUTE_DIMS`; of a dotted name such
//! as `nn.relu` the last part is looked for, and the whole written as one word (`nn_relu`).

use crate::source::{self, Strings};

/// The folders in which ops are declared, a file each, and passes, a folder each.
const DECLARATIONS: [&str; 2] = ["crates/tilewright-ops/src/", "crates/tilewright-relax-passes/src/"];
/// The crate that runs the textual tests.
const TEXTUAL_TESTS: &str = "crates/tilewright-filetests/";

pub(crate) fn run(name: &str) -> Result<(), String> {
    let wanted = forms(name);
    if wanted.iter().any(String::is_empty) {
        return Err(format!("`{name}` is not a name"));
    }
    let mut files = 0;
    let all = source::files()?;
    let tests = source::test_modules(&all);
    let is_test =
        |path: &str| tests.iter().any(|test| path == format!("{test}.rs") || path.starts_with(&format!("{test}/")));
    for path in all.iter().filter(|path| counts(path) && !is_test(path)) {
        let Some(text) = source::text(path) else { continue };
        let hits = hits(path, &text, &wanted);
        if hits.is_empty() {
            continue;
        }
        files += 1;
        let mark = if is_declaration(path, &wanted) { "  (declaration)" } else { "" };
        println!("{path}: {} {}{mark}", hits.len(), if hits.len() == 1 { "line" } else { "lines" });
        for (number, line) in hits {
            println!("  {number:>5}  {}", line.trim());
        }
    }
    println!("`{name}` is named in {files} {}", if files == 1 { "file" } else { "files" });
    Ok(())
}

fn fold(word: &str) -> String {
    word.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}

fn forms(name: &str) -> Vec<String> {
    let last = name.rsplit(['.', ':']).next().unwrap_or(name);
    let mut forms = vec![fold(last), fold(&name.replace(['.', ':'], ""))];
    forms.dedup();
    forms
}

fn counts(path: &str) -> bool {
    let test =
        path.split('/').any(|part| matches!(part, "tests" | "benches" | "testing")) || path.ends_with("tests.rs")
            || path.starts_with(TEXTUAL_TESTS);
    !test
        && (path.starts_with("crates/") && path.ends_with(".rs")
            || path.starts_with("python/") && path.ends_with(".py"))
}

/// Whether the file is where the thing is declared: one that bears its name, or stands in the folder that does.
fn is_declaration(path: &str, wanted: &[String]) -> bool {
    let mut parts = path.rsplit('/');
    let stem = parts.next().and_then(|file| file.strip_suffix(".rs"));
    let bearer = if stem == Some("mod") { parts.next() } else { stem };
    DECLARATIONS.iter().any(|folder| path.starts_with(folder)) && bearer.is_some_and(|name| wanted.contains(&fold(name)))
}

fn hits<'t>(path: &str, text: &'t str, wanted: &[String]) -> Vec<(usize, &'t str)> {
    let (code, visible) = if path.ends_with(".rs") {
        (source::code(text, Strings::Keep), source::lines_outside_tests(&source::code(text, Strings::Blank)))
    } else {
        let code = text.lines().map(|line| line.split('#').next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
        let visible = vec![true; text.lines().count()];
        (code, visible)
    };
    let lines = text.lines().zip(code.lines()).zip(visible).enumerate();
    lines
        .filter(|(_, ((_, code), visible))| {
            *visible && code.split(|c| !source::is_word(c)).any(|w| wanted.contains(&fold(w)))
        })
        .map(|(number, ((line, _), _))| (number + 1, line))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_name_is_found() {
        let text = "mod permute_dims;\n&permute_dims::OP,\n// permute_dims\nlet x = PermuteDims;\nlet y = permute;\n";
        let lines: Vec<usize> = hits("crates/a.rs", text, &forms("permute_dims")).iter().map(|hit| hit.0).collect();
        assert_eq!(lines, [1, 2, 4]);
    }

    #[test]
    fn the_last_part_of_a_dotted_name_counts() {
        assert_eq!(hits("crates/a.rs", "op(\"nn.relu\")\nnn_relu\nnn\n", &forms("nn.relu")).len(), 2);
    }

    #[test]
    fn tests_are_left_out() {
        assert!(!counts("crates/tilewright-ops/tests/relu.rs"));
        assert!(!counts("crates/tilewright-filetests/src/faults.rs") && counts("crates/tilewright/src/lib.rs"));
        assert!(hits("crates/a.rs", "#[cfg(test)]\nmod tests {\n  relu();\n}\n", &forms("relu")).is_empty());
    }
}
