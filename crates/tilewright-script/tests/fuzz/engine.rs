//! Damaged scripts, made and read: `tests/fuzz` does so a bounded number of times and `benches/fuzz` as often as one
//! likes.
//!
//! An input takes a script of the corpus and changes it a few times: bytes; tokens, which are dropped, doubled, swapped
//! or replaced by those of any script; whole lines, also of other scripts; names, data types, numbers, brackets and
//! indentation. What a parser makes of it has to hold: it gives definitions or diagnostics that can be rendered; the
//! definitions are printed, read again and the same, and their print does not change by that.

use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tilewright_ir::IRModule;
use tilewright_ir::verify::{Form, verify};
use tilewright_script::parse::{Definition, Item, NoHost, Source, parse_file};
use tilewright_script::print::{PrintOptions, print_function, print_module, print_prim_func};
use tilewright_support::SourceFile;

use crate::corpus::{Corpus, Kind, Script};

/// The length at which inputs are cut: long inputs are the subject of another bench.
const MAX_INPUT: usize = 8_000;

const NUMBERS: [&str; 22] = [
    "0",
    "1",
    "2",
    "-1",
    "3",
    "4",
    "7",
    "127",
    "128",
    "255",
    "65536",
    "2147483647",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "0.5",
    "1e999",
    "1e-400",
    "0x10",
    "1j",
];
const DTYPES: [&str; 16] = [
    "bool",
    "int4",
    "int8",
    "int32",
    "int64",
    "uint8",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "float32x4",
    "boolx4",
    "handle",
    "void",
    "float8_e4m3fn",
];
const BYTES: [u8; 20] = *b"\0\t\n\r\x0c \"#'()*,-.:=[\\]";

/// A small, fast generator; what is needed is variety.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 16) % bound.max(1) as u64) as usize
    }

    fn pick<'x, T>(&mut self, items: &'x [T]) -> &'x T {
        &items[self.below(items.len())]
    }

    fn text<'x, T: AsRef<str>>(&mut self, items: &'x [T]) -> &'x str {
        items[self.below(items.len())].as_ref()
    }
}

/// Statistics of the inputs so far.
#[derive(Default, Debug, Clone)]
pub(crate) struct Tally {
    pub(crate) refused: u64,
    /// Read, with at least one definition in them.
    pub(crate) read: u64,
    /// Of those, how many the verifier takes.
    pub(crate) verified: u64,
    pub(crate) not_text: u64,
    pub(crate) slowest: Duration,
}

#[derive(Debug)]
pub(crate) struct Engine {
    random: Random,
    corpus: Arc<Corpus>,
    input: Vec<u8>,
    pub(crate) tally: Tally,
}

impl Engine {
    pub(crate) fn new(corpus: &Arc<Corpus>, seed: u64) -> Self {
        let random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        Self { random, corpus: corpus.clone(), input: Vec::new(), tally: Tally::default() }
    }

    pub(crate) fn input(&self) -> &[u8] {
        &self.input
    }

    /// Makes the next input.
    pub(crate) fn make(&mut self) {
        let corpus = self.corpus.clone();
        let random = &mut self.random;
        let script = random.pick(&corpus.scripts);
        let mut pieces: Vec<&str> = script.tokens.iter().map(|(_, range)| &script.text[range.clone()]).collect();
        let mut kinds: Vec<Kind> = script.tokens.iter().map(|(kind, _)| *kind).collect();
        let few = [1, 1, 1, 2, 2, 3, 8];
        for _ in 0..*random.pick(&few) {
            if !pieces.is_empty() {
                change(random, &corpus, &mut pieces, &mut kinds);
            }
        }
        self.input.clear();
        self.input.extend(pieces.iter().flat_map(|piece| piece.as_bytes()));
        if self.random.below(4) == 0 {
            self.change_bytes();
        }
        self.input.truncate(MAX_INPUT);
    }

    fn change_bytes(&mut self) {
        for _ in 0..self.random.below(4) + 1 {
            if self.input.is_empty() {
                return;
            }
            let at = self.random.below(self.input.len());
            match self.random.below(8) {
                0..=1 => self.input[at] = *self.random.pick(&BYTES),
                2 => self.input[at] = self.random.below(128) as u8,
                3 => self.input[at] ^= 1 << self.random.below(8),
                4 => self.input.insert(at, *self.random.pick(&BYTES)),
                5 => {
                    self.input.remove(at);
                }
                6 => self.input.truncate(at),
                _ => {
                    self.input.splice(at..at, "ü\u{feff}\u{2028}".bytes());
                }
            }
        }
    }

    /// Reads the input. The error says what does not hold.
    pub(crate) fn execute(&mut self) -> Result<(), String> {
        let start = Instant::now();
        let render = self.random.below(8) == 0;
        let outcome = catch_unwind(AssertUnwindSafe(|| examine(&self.input, render)));
        self.tally.slowest = self.tally.slowest.max(start.elapsed());
        match outcome.unwrap_or_else(|panic| Err(panic_text(&*panic)))? {
            Outcome::NotText => self.tally.not_text += 1,
            Outcome::Refused => self.tally.refused += 1,
            Outcome::Read { verified } => {
                self.tally.read += 1;
                self.tally.verified += u64::from(verified);
            }
        }
        Ok(())
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    format!("panic: {}", text.unwrap_or_default())
}

/// One change of the tokens.
fn change<'c>(random: &mut Random, corpus: &'c Corpus, pieces: &mut Vec<&'c str>, kinds: &mut Vec<Kind>) {
    let at = random.below(pieces.len());
    let of_kind = |random: &mut Random, kinds: &[Kind], kind: Kind| {
        let from = random.below(kinds.len());
        (from..kinds.len()).chain(0..from).find(|&at| kinds[at] == kind)
    };
    match random.below(16) {
        0 => {
            pieces.remove(at);
            kinds.remove(at);
        }
        1 => pieces[at] = random.text(&corpus.words),
        2 => {
            pieces.insert(at, random.text(&corpus.words));
            kinds.insert(at, Kind::Sign);
        }
        3 => {
            let other = random.below(pieces.len());
            pieces.swap(at, other);
        }
        // A name for another one of the same text.
        4 | 5 => {
            if let (Some(a), Some(b)) = (of_kind(random, kinds, Kind::Word), of_kind(random, kinds, Kind::Word)) {
                pieces[a] = pieces[b];
            }
        }
        6 | 7 => {
            if let Some(at) = of_kind(random, kinds, Kind::Number) {
                pieces[at] = random.text(&NUMBERS);
            }
        }
        8 => {
            if let Some(at) = of_kind(random, kinds, Kind::Text) {
                pieces[at] = random.text(&TEXTS);
            }
        }
        // Another function of the namespace.
        9 | 10 => {
            let found = (0..pieces.len()).filter(|&at| at > 0 && pieces[at - 1] == "." && kinds[at] == Kind::Word);
            let found: Vec<usize> = found.collect();
            if !found.is_empty() {
                let at = *random.pick(&found);
                pieces[at] = if random.below(3) == 0 { random.text(&DTYPES) } else { random.text(&corpus.functions) };
            }
        }
        // A bracket or another sign.
        11 => {
            if let Some(at) = of_kind(random, kinds, Kind::Sign) {
                pieces[at] = if random.below(2) == 0 { "" } else { random.text(&SIGNS) };
            }
        }
        12 => {
            if let Some(at) = of_kind(random, kinds, Kind::Line) {
                pieces[at] = random.text(&LINES);
            }
        }
        _ => change_lines(random, corpus, pieces, kinds),
    }
}

/// Drops, doubles or moves lines, or brings some of another script.
fn change_lines<'c>(random: &mut Random, corpus: &'c Corpus, pieces: &mut Vec<&'c str>, kinds: &mut Vec<Kind>) {
    let ends = |kinds: &[Kind]| -> Vec<usize> { (0..kinds.len()).filter(|&at| kinds[at] == Kind::Line).collect() };
    let own = ends(kinds);
    if own.len() < 2 {
        return;
    }
    let some_lines = |random: &mut Random, ends: &[usize]| {
        let first = random.below(ends.len() - 1);
        let last = (first + 1 + random.below(4)).min(ends.len() - 1);
        ends[first]..ends[last]
    };
    let range = some_lines(random, &own);
    match random.below(4) {
        0 => {
            pieces.drain(range.clone());
            kinds.drain(range);
        }
        1 => {
            let copied = (pieces[range.clone()].to_vec(), kinds[range.clone()].to_vec());
            let to = *random.pick(&own);
            pieces.splice(to..to, copied.0);
            kinds.splice(to..to, copied.1);
        }
        2 => {
            pieces.truncate(range.start);
            kinds.truncate(range.start);
        }
        _ => {
            let donor: &Script = random.pick(&corpus.scripts);
            let donor_kinds: Vec<Kind> = donor.tokens.iter().map(|(kind, _)| *kind).collect();
            let theirs = ends(&donor_kinds);
            if theirs.len() < 2 {
                return;
            }
            let lines = some_lines(random, &theirs);
            let copied = donor.tokens[lines].iter();
            let to = range.start;
            pieces.splice(to..to, copied.clone().map(|(_, range)| &donor.text[range.clone()]));
            kinds.splice(to..to, copied.map(|(kind, _)| *kind));
        }
    }
}

const TEXTS: [&str; 16] = [
    "\"\"",
    "\"n\"",
    "\"n + 1\"",
    "\"float32\"",
    "\"int64\"",
    "\"float32x4\"",
    "\"SS\"",
    "\"SR\"",
    "\"global\"",
    "\"local\"",
    "\"threadIdx.x\"",
    "\"T.max(n, 2)\"",
    "\"n *\"",
    "f\"{x}\"",
    "'''a\nb'''",
    "b\"x\"",
];
const SIGNS: [&str; 24] = [
    "(", ")", "[", "]", "{", "}", ",", ":", ".", "=", "+", "-", "*", "/", "//", "%", "<", "==", ":=", "@", "~", "**",
    "not ", ";",
];
const LINES: [&str; 10] =
    ["", "\n", "\n ", "\n    ", "\n        ", "\n            ", "\n                ", "\n\t", "\r\n        ", "  # "];

enum Outcome {
    NotText,
    Refused,
    Read { verified: bool },
}

fn examine(bytes: &[u8], render: bool) -> Result<Outcome, String> {
    let file = match std::str::from_utf8(bytes) {
        Ok(text) => SourceFile::new("input.py", text),
        Err(_) => return Ok(Outcome::NotText),
    };
    let parsed = match parse_file(Source::new(&file), &NoHost) {
        Ok(parsed) => parsed,
        Err(diagnostics) => {
            if diagnostics.0.is_empty() {
                return Err("refused without a reason".to_owned());
            }
            if render {
                black_box(diagnostics.0[0].render(false));
            }
            return Ok(Outcome::Refused);
        }
    };
    let mut verified = true;
    for item in &parsed.items {
        verified &= survives(item)?;
    }
    Ok(if parsed.items.is_empty() { Outcome::Refused } else { Outcome::Read { verified } })
}

/// Printed text is read as the same, and printed as the same. Returns whether the verifier accepts it.
fn survives(item: &Item) -> Result<bool, String> {
    let text = print(&item.name, &item.definition);
    let file = SourceFile::new("printed.py", text.as_str());
    let back = parse_file(&file, &NoHost);
    let module = as_module(&item.definition);
    if verify(&module, Form::Any).is_err() {
        // A name without a definition has no meaning in a text: it only has to be read without harm.
        black_box(back.is_ok());
        return Ok(false);
    }
    let back = back.map_err(|diagnostics| format!("the print is refused: {diagnostics}\n{text}"))?;
    let [read] = back.items.as_slice() else {
        return Err(format!("the print has {} definitions:\n{text}", back.items.len()));
    };
    let (before, after) = (module, as_module(&read.definition));
    // FIXME: structural equality does not pair buffers that no node declares, such as `A = T.Buffer((4,), data=p)`.
    let undeclared = text.contains("= T.Buffer(");
    if let Err(difference) = before.compare(&after)
        && !undeclared
    {
        return Err(format!("the print is read as another: {difference}\n{text}"));
    }
    let again = print(&item.name, &read.definition);
    if again != text {
        return Err(format!("the print changes:\n{text}\n----\n{again}"));
    }
    Ok(true)
}

fn print(name: &str, definition: &Definition) -> String {
    let options = PrintOptions { show_meta: true, ..PrintOptions::default() };
    match definition {
        Definition::Module(module) => print_module(module, &options),
        Definition::Prim(function) => print_prim_func(name, function, &options),
        Definition::Relax(function) => print_function(name, function, &options),
    }
}

fn as_module(definition: &Definition) -> IRModule {
    let mut module = IRModule::new();
    match definition {
        Definition::Module(module) => return module.clone(),
        Definition::Prim(function) => module.insert("f", (**function).clone()),
        Definition::Relax(function) => module.insert("f", (**function).clone()),
    };
    module
}

/// Reads an input that is kept in a file.
pub(crate) fn examine_whole(bytes: &[u8]) -> Result<(), String> {
    examine(bytes, true).map(|_| ())
}
