//! Damaged texts of saved IR, made and read: `tests/json_fuzz` does so a bounded number of times and
//! `benches/json_fuzz` as often as one likes.
//!
//! An input takes a text of the corpus and changes it a few times. Most changes keep it JSON: values are replaced by
//! others of the corpus, by labels nearby, by extreme numbers and odd texts; items are dropped or doubled. Some change
//! bytes. What is read has to hold: saved again and read again it is the same, with the same hash and the same bytes.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use cpu_time::ThreadTime;
use tilewright_expr::node::{EqCx, FreeVariables};
use tilewright_ir::json::{Error, load, save};
use tilewright_ir::op::OpTable;

/// A guard against an input that hangs, not a measure: of a processor's time a few kilobytes take milliseconds.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "63",
    "64",
    "65535",
    "65536",
    "2147483648",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "1e999",
    "-0.0",
    "0.5",
];
const TEXTS: [&str; 20] = [
    "",
    "inf",
    "-inf",
    "nan:7ff8000000000001",
    "int64",
    "int32",
    "bool",
    "uint8",
    "float32",
    "float16",
    "float32x4",
    "boolx65535",
    "handle",
    "void",
    "int4",
    "global",
    "shared.dyn",
    "\\u0000",
    "%18446744073709551616",
    "@0",
];
const BYTES: [u8; 16] = *b"{}[]\",:\\0-%@ \n\xff\x80";

/// A small, fast generator; what is needed is variety.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 16) % bound.max(1) as u64) as usize
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// A text with the positions of its values, and of its items with the comma before them.
#[derive(Debug)]
struct Saved {
    text: String,
    values: Vec<Range<usize>>,
    items: Vec<Range<usize>>,
    numbers: Vec<Range<usize>>,
    labels: Vec<Range<usize>>,
    texts: Vec<Range<usize>>,
    /// The sort of each entry.
    sorts: Vec<String>,
}

impl Saved {
    fn of(text: String) -> Self {
        let (mut values, mut items, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        let (mut labels, mut texts, mut open) = (Vec::new(), Vec::new(), Vec::new());
        let (mut at, mut comma) = (0, None);
        while let Some(byte) = text.as_bytes().get(at).copied() {
            let start = at;
            at += 1;
            match byte {
                b'{' | b'[' => {
                    open.push((start, comma.take()));
                    continue;
                }
                b'}' | b']' => {
                    let Some((start, before)) = open.pop() else { continue };
                    values.push(start..at);
                    items.extend(before.map(|before| before..at));
                    continue;
                }
                b',' => {
                    comma = Some(start);
                    continue;
                }
                b'"' => {
                    at += text[at..].find('"').map_or(0, |end| end + 1);
                    let label = text[start + 1..].starts_with(['%', '@']);
                    if label { labels.push(start..at) } else { texts.push(start..at) }
                }
                b'-' | b'0'..=b'9' => {
                    let end = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'));
                    at = start + text[start..].find(end).unwrap_or(text.len() - start);
                    numbers.push(start..at);
                }
                b'a'..=b'z' => at = start + text[start..].find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(1),
                _ => continue,
            }
            values.push(start..at);
            items.extend(comma.take().map(|before| before..at));
        }
        let sort = |line: &str| line.strip_prefix("[\"%")?.split('"').nth(2).map(str::to_owned);
        let sorts = text.lines().filter_map(sort).collect();
        Self { text, values, items, numbers, labels, texts, sorts }
    }
}

/// The texts that inputs are made from.
#[derive(Debug)]
pub(crate) struct Corpus(Vec<Saved>);

/// The files of the corpus, in order.
pub(crate) fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/json_fuzz/corpus");
    let files = std::fs::read_dir(folder).expect("the corpus");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file of the corpus").path()).collect();
    files.sort();
    files
}

impl Corpus {
    pub(crate) fn load() -> Self {
        let read = |path: PathBuf| Saved::of(std::fs::read_to_string(path).expect("a text of the corpus"));
        Self(files().into_iter().map(read).collect())
    }

    /// The input of this number.
    pub(crate) fn input(&self, seed: u64, number: u64) -> Vec<u8> {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mut random = Random(state | 1);
        let saved = &self.0[random.below(self.0.len())];
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        for _ in 0..random.pick(&[1, 1, 1, 1, 2, 2, 3, 6]) {
            edits.extend(self.edit(&mut random, saved));
        }
        edits.sort_by_key(|(range, _)| (range.start, range.end));
        let mut input = Vec::with_capacity(saved.text.len() + 64);
        let mut done = 0;
        for (range, text) in edits {
            if range.start >= done {
                input.extend_from_slice(&saved.text.as_bytes()[done..range.start]);
                input.extend_from_slice(text.as_bytes());
                done = range.end;
            }
        }
        input.extend_from_slice(&saved.text.as_bytes()[done..]);
        if random.below(6) == 0 {
            change_bytes(&mut random, &mut input);
        }
        input
    }

    /// A change that keeps the text JSON.
    fn edit(&self, random: &mut Random, saved: &Saved) -> Option<(Range<usize>, String)> {
        let some = |random: &mut Random, ranges: &[Range<usize>]| ranges.get(random.below(ranges.len())).cloned();
        let donor = &self.0[random.below(self.0.len())];
        match random.below(16) {
            0..=4 => {
                let range = some(random, &saved.labels)?;
                let label = &saved.text[range.start + 2..range.end - 1];
                let number: usize = label.parse().ok()?;
                let near = number.saturating_add_signed(random.pick(&[-3, -2, -1, 1, 2, -9, -20, 1000]));
                // Mostly another of the same sort.
                let sort = saved.sorts.get(number);
                let from = random.below(number + 1);
                let alike = (from..number).chain(0..from).find(|&other| saved.sorts.get(other) == sort);
                let other = if random.below(5) == 0 { near } else { alike.unwrap_or(near) };
                Some((range.start + 2..range.end - 1, other.to_string()))
            }
            5 | 6 => Some((some(random, &saved.numbers)?, random.pick(&NUMBERS).to_owned())),
            7 => Some((some(random, &saved.texts)?, format!("\"{}\"", random.pick(&TEXTS)))),
            8..=10 => {
                let from = some(random, &donor.texts)?;
                Some((some(random, &saved.texts)?, donor.text[from].to_owned()))
            }
            11 => {
                let from = some(random, &donor.values)?;
                Some((some(random, &saved.values)?, donor.text[from].to_owned()))
            }
            12 => {
                let from = some(random, &saved.values)?;
                Some((some(random, &saved.values)?, saved.text[from].to_owned()))
            }
            13 => Some((some(random, &saved.items)?, String::new())),
            14 => {
                let range = some(random, &saved.items)?;
                Some((range.end..range.end, saved.text[range].to_owned()))
            }
            _ => {
                Some((some(random, &saved.values)?, random.pick(&["null", "[]", "{}", "true", "\"\"", "0"]).to_owned()))
            }
        }
    }
}

fn change_bytes(random: &mut Random, input: &mut Vec<u8>) {
    for _ in 0..random.below(3) + 1 {
        if input.is_empty() {
            return;
        }
        let at = random.below(input.len());
        match random.below(8) {
            0..=1 => input[at] = random.pick(&BYTES),
            2 => input[at] ^= 1 << random.below(8),
            3 => input.insert(at, random.pick(&BYTES)),
            4 => drop(input.remove(at)),
            5 => input.truncate(at),
            6 => {
                let (bracket, times) = (random.pick(b"[{"), random.below(100_000));
                input.splice(at..at, std::iter::repeat_n(bracket, times));
            }
            _ => drop(input.splice(at..at, "\\ud800ü\u{feff}".bytes())),
        }
    }
}

/// Statistics of the inputs so far.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) refused: u64,
    /// Of the format, but not well-formed.
    pub(crate) ill_formed: u64,
    pub(crate) read: u64,
    pub(crate) slowest: Duration,
}

/// Reads an input. The error says what does not hold.
pub(crate) fn execute(input: &[u8], tally: &mut Tally) -> Result<(), String> {
    let start = ThreadTime::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| examine(input)));
    let taken = start.elapsed();
    tally.slowest = tally.slowest.max(taken);
    if taken > PATIENCE {
        return Err(format!("it takes {taken:?}"));
    }
    match outcome {
        Err(panic) => Err(panic_text(&*panic)),
        Ok(Err(problem)) => Err(problem),
        Ok(Ok(Outcome::Refused)) => {
            tally.refused += 1;
            Ok(())
        }
        Ok(Ok(Outcome::IllFormed)) => {
            tally.ill_formed += 1;
            Ok(())
        }
        Ok(Ok(Outcome::Read)) => {
            tally.read += 1;
            Ok(())
        }
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    format!("panic: {}", text.unwrap_or_default())
}

enum Outcome {
    Refused,
    IllFormed,
    Read,
}

fn examine(input: &[u8]) -> Result<Outcome, String> {
    let operators = OpTable(tilewright_ops::lookup);
    let node = match load(input, operators) {
        Ok(node) => node,
        Err(problem) => {
            let text = problem.to_string();
            return match problem {
                _ if text.is_empty() => Err("refused without a reason".to_owned()),
                Error::Text { .. } => Ok(Outcome::Refused),
                Error::IllFormed(_) => Ok(Outcome::IllFormed),
            };
        }
    };
    let text = save(&node);
    let back = load(text.as_bytes(), operators).map_err(|problem| format!("what was saved is refused: {problem}"))?;
    EqCx::compare_with(&node, &back, FreeVariables::MayStandForOthers).map_err(|at| format!("another module: {at}"))?;
    if node.structural_hash() != back.structural_hash() {
        return Err("equal, with another hash".to_owned());
    }
    if save(&back) != text {
        return Err("saved again, the bytes are others".to_owned());
    }
    Ok(Outcome::Read)
}
