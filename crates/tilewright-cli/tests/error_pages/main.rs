//! The documentation's pages of errors, executed: the wrong example of a page gives exactly the printed text,
//! the right one passes.
//!
//! A page (`docs/errors/TWxxxx.md`) has a title, prose, and the sections `Wrong` and `Right` with an example each. An
//! example in Python is the file `example.py` of a command that the page names; one in Rust is a function of
//! [`planted`], for what no text can say: IR that is built by hand, programs that fail when they are called. With
//! `UPDATE_EXPECT=1` the texts, the Rust examples and the index are written anew.

mod page;
mod planted;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};
use tilewright::codes;

fn main() {
    let args = Arguments::from_args();
    let mut trials: Vec<Trial> =
        codes::ALL.iter().map(|page| Trial::test(page.code, || page::check(page.code).map_err(Failed::from))).collect();
    trials.push(Trial::test("codes_of_the_sources_have_pages", || sources().map_err(Failed::from)));
    trials.push(Trial::test("pages_are_of_codes", || files().map_err(Failed::from)));
    trials.push(Trial::test("the_index_lists_the_codes", || index().map_err(Failed::from)));
    trials.push(Trial::test("planted_examples_are_of_pages", || planted::all_have_pages().map_err(Failed::from)));
    libtest_mimic::run(&args, trials).exit();
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn folder() -> PathBuf {
    root().join("docs/errors")
}

/// Whether expectations are written anew.
fn updating() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some()
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Every code in a source of a crate has a page, and every page's code is in a source.
fn sources() -> Result<(), String> {
    let mut named = BTreeSet::new();
    let crates = fs::read_dir(root().join("crates")).map_err(|error| error.to_string())?;
    let mut folders: Vec<PathBuf> = crates.flatten().map(|entry| entry.path().join("src")).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            // Tests make up codes of their own.
            if path.file_stem().is_some_and(|name| name == "tests") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("src/codes.rs") {
                named.extend(codes_of(&read(&path)?));
            }
        }
    }
    let known: BTreeSet<String> = codes::ALL.iter().map(|page| page.code.to_owned()).collect();
    match named.symmetric_difference(&known).cloned().collect::<Vec<_>>() {
        odd if odd.is_empty() => Ok(()),
        odd => Err(format!("named in a source but not in `codes::ALL`, or the other way round: {}", odd.join(", "))),
    }
}

/// The codes in a text: `TW` and four digits.
fn codes_of(text: &str) -> Vec<String> {
    let digits = |code: &&str| code.len() == 6 && code.bytes().skip(2).all(|byte| byte.is_ascii_digit());
    text.match_indices("TW").filter_map(|(at, _)| text.get(at..at + 6)).filter(digits).map(str::to_owned).collect()
}

/// Every file of the folder is the page of a code, or the index.
fn files() -> Result<(), String> {
    let entries = fs::read_dir(folder()).map_err(|error| error.to_string())?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let odd = names.filter(|name| {
        let code = name.strip_suffix(".md").and_then(codes::page);
        name != "README.md" && code.is_none_or(|page| format!("{}.md", page.code) != *name)
    });
    match odd.collect::<Vec<_>>() {
        odd if odd.is_empty() => Ok(()),
        odd => Err(format!("no pages of codes: {}", odd.join(", "))),
    }
}

/// The subjects of the hundreds of codes.
const SECTIONS: [(&str, &str); 8] = [
    ("TW01", "The text's form"),
    ("TW02", "Names"),
    ("TW03", "Types, shapes and arguments"),
    ("TW04", "Statements and functions"),
    ("TW05", "Well-formed modules, and lowering"),
    ("TW06", "Code generation"),
    ("TW07", "Passes, loading and running"),
    ("TW08", "Models of other frameworks"),
];

fn index() -> Result<(), String> {
    let mut text =
        "# Errors\n\nEvery error has a code, which means the same in every version. `tilewright explain CODE` \
                    prints the page of one.\n"
            .to_owned();
    for (prefix, title) in SECTIONS {
        let _ = writeln!(text, "\n## {title}\n\n| code | meaning |\n|---|---|");
        for page in codes::ALL.iter().filter(|page| page.code.starts_with(prefix)) {
            let _ = writeln!(text, "| [{0}]({0}.md) | {1} |", page.code, page.title());
        }
    }
    let path = folder().join("README.md");
    if updating() {
        return write(&path, &text);
    }
    match read(&path)? == text {
        true => Ok(()),
        false => Err("the index is not that of the codes: UPDATE_EXPECT=1 writes it".to_owned()),
    }
}
