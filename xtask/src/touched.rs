//! `cargo xtask touched NAME`: the files and lines that name a thing, to see that an addition is in one place.
//!
//! A file counts when it has the name in code: in `crates/` or `python/`, outside of comments, documentation, examples,
//! tests (with the crate that runs the textual ones and its planted faults) and test modules. Words are compared
//! without case and underscores, so `permute_dims` finds `PermuteDims` and `PERMUTE_DIMS`; of a dotted name such as
//! `nn.relu` the last part is looked for, and the whole written as one word (`nn_relu`).
//!
//! Files come in two groups: those that define the thing, and the [`LIBRARIES`] that offer operators further
//! under names of their own. An operator is complete without the latter.

use std::fmt::Write as _;

use crate::source::{self, Strings};

/// The folders in which ops are declared, a file each, and passes, a folder each.
const DECLARATIONS: [&str; 2] = ["crates/tilewright-ops/src/", "crates/tilewright-relax-passes/src/"];
/// Algorithms, layers, formulas, importers, patterns of other libraries' kernels, language models and older spellings,
/// each of which names the operators that it is written with or for.
const LIBRARIES: [&str; 8] = [
    "crates/tilewright-te/src/algorithms/",
    "crates/tilewright-nn/",
    "crates/tilewright-import/",
    "python/tilewright/llm/",
    "python/tilewright/relax/frontend/",
    "python/tilewright/relax/backend/",
    "python/tilewright/relax/op/__init__.py",
    "python/tilewright/topi/",
];
/// The crate that runs the textual tests.
const TEXTUAL_TESTS: &str = "crates/tilewright-filetests/";
/// Names of instructions of GPUs, some of which are operators' names too.
const SIMULATOR: &str = "crates/tilewright-ptx-sim/";

pub(crate) fn run(name: &str) -> Result<(), String> {
    print!("{}", report(name)?);
    Ok(())
}

/// The text that the command prints.
fn report(name: &str) -> Result<String, String> {
    let wanted = forms(name);
    if wanted.iter().any(String::is_empty) {
        return Err(format!("`{name}` is not a name"));
    }
    let all = source::files()?;
    let tests = source::test_modules(&all);
    let is_test =
        |path: &str| tests.iter().any(|test| path == format!("{test}.rs") || path.starts_with(&format!("{test}/")));
    let (mut lines, mut files, mut libraries) = (String::new(), 0, Vec::new());
    for path in all.iter().filter(|path| counts(path) && !is_test(path)) {
        let Some(text) = source::text(path) else { continue };
        let folded = fold(&text);
        if !wanted.iter().any(|name| folded.contains(name)) {
            continue;
        }
        let hits = hits(path, &text, &wanted);
        if hits.is_empty() {
            continue;
        }
        if LIBRARIES.iter().any(|folder| path.starts_with(folder)) {
            libraries.push(path.as_str());
            continue;
        }
        files += 1;
        let mark = if is_declaration(path, &wanted) { "  (declaration)" } else { "" };
        let _ = writeln!(lines, "{path}: {}{mark}", counted(hits.len(), "line"));
        for (number, line) in hits {
            let _ = writeln!(lines, "  {number:>5}  {}", line.trim());
        }
    }
    let _ = writeln!(lines, "`{name}` is named in {}", counted(files, "file"));
    if !libraries.is_empty() {
        let _ = writeln!(lines, "and offered further by algorithms, layers, formulas, importers and patterns:");
        libraries.iter().for_each(|path| _ = writeln!(lines, "  {path}"));
    }
    Ok(lines)
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
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
    let test = path.split('/').any(|part| matches!(part, "tests" | "benches" | "testing" | "examples"))
        || path.ends_with("tests.rs")
        || path.starts_with(TEXTUAL_TESTS)
        || path.starts_with(SIMULATOR);
    !test
        && (path.starts_with("crates/") && path.ends_with(".rs")
            || path.starts_with("python/") && path.ends_with(".py"))
}

/// Whether the file declares the thing: it bears its name, or is in the folder that does.
fn is_declaration(path: &str, wanted: &[String]) -> bool {
    let mut parts = path.rsplit('/');
    let stem = parts.next().and_then(|file| file.strip_suffix(".rs"));
    let bearer = if stem == Some("mod") { parts.next() } else { stem };
    DECLARATIONS.iter().any(|folder| path.starts_with(folder))
        && bearer.is_some_and(|name| wanted.contains(&fold(name)))
}

fn hits<'t>(path: &str, text: &'t str, wanted: &[String]) -> Vec<(usize, &'t str)> {
    let (code, visible) = if path.ends_with(".rs") {
        (source::code(text, Strings::Keep), source::lines_outside_tests(&source::code(text, Strings::Blank)))
    } else {
        let code = python_code(text);
        let visible = vec![true; text.lines().count()];
        (code, visible)
    };
    let lines = text.lines().zip(code.lines()).zip(visible).enumerate();
    lines
        .filter(|(_, ((_, code), visible))| {
            let is_documentation = code.trim_start().starts_with("doc: ");
            *visible && !is_documentation && code.split(|c| !source::is_word(c)).any(|w| wanted.contains(&fold(w)))
        })
        .map(|(number, ((line, _), _))| (number + 1, line))
        .collect()
}

/// Python without comments and docstrings, line by line.
fn python_code(text: &str) -> String {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut code = String::new();
        for (at, part) in line.split("\"\"\"").enumerate() {
            inside ^= at > 0;
            if !inside {
                code.push_str(part);
            }
        }
        lines.push(code.split('#').next().unwrap_or_default().to_owned());
    }
    lines.join("\n")
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

    #[test]
    fn docstrings_are_no_code() {
        let text = "\"\"\"About relu.\n\nrelu(x)\n\"\"\"\ndef f():\n    \"\"\"`relu`.\"\"\"\n    return relu  # relu\n";
        assert_eq!(hits("python/a.py", text, &forms("relu")), [(7, "    return relu  # relu")]);
    }

    #[test]
    fn an_operator_and_a_pass_are_a_file_and_a_line() {
        for (name, declaration, list) in [
            ("nn.relu", "crates/tilewright-ops/src/nn/relu.rs", "crates/tilewright-ops/src/nn/mod.rs"),
            ("nn.conv2d", "crates/tilewright-ops/src/nn/conv2d.rs", "crates/tilewright-ops/src/nn/mod.rs"),
            ("argsort", "crates/tilewright-ops/src/sorting/argsort.rs", "crates/tilewright-ops/src/sorting/mod.rs"),
            (
                "CombineParallelMatmul",
                "crates/tilewright-relax-passes/src/combine_parallel_matmul/mod.rs",
                "crates/tilewright-relax-passes/src/lib.rs",
            ),
        ] {
            let report = report(name).unwrap();
            assert!(report.contains(&format!("`{name}` is named in 2 files\n")), "{report}");
            assert!(report.contains(&format!("{list}: 1 line\n")), "{report}");
            assert!(
                report.lines().any(|line| line.starts_with(declaration) && line.ends_with("(declaration)")),
                "{report}"
            );
        }
    }

    /// The book shows what the command prints; the numbers of the lines, which every addition moves, are not compared.
    #[test]
    fn the_book_shows_what_is_printed() {
        let number = |line: &str| line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).to_owned();
        let without_numbers = |text: &str| text.lines().map(number).collect::<Vec<_>>();
        let mut shown = 0;
        for path in source::files().unwrap().iter().filter(|path| path.starts_with("docs/book/")) {
            let page = source::text(path).unwrap();
            for block in page.split("```console\n").skip(1) {
                let block = block.split("```").next().unwrap_or_default();
                for step in format!("\n{block}").split("\n$ ").skip(1) {
                    let (command, printed) = step.split_once('\n').unwrap_or((step, ""));
                    if let Some(name) = command.strip_prefix("cargo xtask touched ") {
                        assert_eq!(without_numbers(printed), without_numbers(&report(name).unwrap()), "{path}: {name}");
                        shown += 1;
                    }
                }
            }
        }
        assert!(shown > 2, "the book shows {shown} reports");
    }
}
