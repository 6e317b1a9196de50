//! The seeds of mutation: the textual tests of all crates, the inputs that once broke something (`kept`), and the
//! prints of random modules; each cut into tokens.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use tilewright_script::print::{PrintOptions, print_module};

use crate::random::Generator;

/// Larger texts take no part: they would only make each input slower.
const MAX_TEXT: usize = 3_000;
/// Prints of random modules.
const RANDOM_MODULES: u64 = 200;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Word,
    Number,
    Text,
    /// Brackets and operators, each character alone.
    Sign,
    /// A line break with the indentation after it.
    Line,
    Blank,
}

/// A text and its tokens, which are all of it.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) text: String,
    pub(crate) tokens: Vec<(Kind, Range<usize>)>,
}

#[derive(Debug)]
pub(crate) struct Corpus {
    pub(crate) scripts: Vec<Script>,
    /// Every word, number, text and sign of the scripts.
    pub(crate) words: Vec<String>,
    /// A name after `T.`, `R.` or `I.`.
    pub(crate) functions: Vec<String>,
}

impl Corpus {
    pub(crate) fn load() -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut paths = Vec::new();
        // The other crates are siblings of this one.
        scripts_below(&here.join(".."), &mut paths);
        paths.sort();
        let files = paths.iter().filter_map(|path| std::fs::read_to_string(path).ok());
        let options = PrintOptions { show_meta: true, ..PrintOptions::default() };
        let printed = (0..RANDOM_MODULES).map(|seed| print_module(&Generator::new(seed).module(), &options));
        let scripts: Vec<_> = files.chain(printed).filter(|text| text.len() <= MAX_TEXT).map(Script::of).collect();
        let mut words = BTreeSet::new();
        let mut functions = BTreeSet::new();
        for script in &scripts {
            for (at, (kind, range)) in script.tokens.iter().enumerate() {
                let token = &script.text[range.clone()];
                if *kind != Kind::Blank && token.len() < 40 {
                    words.insert(token.to_owned());
                }
                if *kind == Kind::Word && at > 0 && script.text[..range.start].ends_with('.') {
                    functions.insert(token.to_owned());
                }
            }
        }
        Self { scripts, words: words.into_iter().collect(), functions: functions.into_iter().collect() }
    }

    /// The inputs that once broke something.
    pub(crate) fn kept() -> Vec<(PathBuf, Vec<u8>)> {
        let mut paths = Vec::new();
        scripts_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/kept"), &mut paths);
        paths.sort();
        paths.into_iter().filter_map(|path| std::fs::read(&path).ok().map(|bytes| (path, bytes))).collect()
    }
}

fn scripts_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            scripts_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "py") {
            found.push(path);
        }
    }
}

impl Script {
    pub(crate) fn of(text: String) -> Self {
        let mut tokens = Vec::new();
        let mut at = 0;
        while let Some(first) = text[at..].chars().next() {
            let rest = &text[at..];
            let while_true =
                |test: fn(char) -> bool| rest.find(|c: char| !test(c)).unwrap_or(rest.len()).max(first.len_utf8());
            let (kind, length) = match first {
                '\n' => (Kind::Line, 1 + rest[1..].find(|c| c != ' ').unwrap_or(rest.len() - 1)),
                c if c.is_ascii_digit() => (Kind::Number, while_true(|c| c.is_ascii_alphanumeric() || c == '.')),
                c if c.is_alphabetic() || c == '_' => (Kind::Word, while_true(|c| c.is_alphanumeric() || c == '_')),
                ' ' => (Kind::Blank, while_true(|c| c == ' ')),
                '"' => (Kind::Text, rest[1..].find(['"', '\n']).map_or(rest.len(), |end| end + 2)),
                c => (Kind::Sign, c.len_utf8()),
            };
            tokens.push((kind, at..at + length));
            at += length;
        }
        Self { text, tokens }
    }
}
