//! Damaged checkpoints, made and read: what `tests/fuzz` does a bounded number of times and `benches/fuzz` as often as
//! one likes.
//!
//! An execution takes a file in its parts from a pool, changes a few bytes, numbers or ranges of a part, puts the parts
//! together with right lengths and directories, sometimes changes the whole again, and opens it. Of what opens, the
//! listing is printed and compared and small tensors are read; they must be as the listing says. A file that behaves as
//! none before it did joins the pool. Most executions start from files that open: what is damaged already is mostly
//! refused for that.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use tilewright_import::checkpoint::{Checkpoint, Expected};
use tilewright_import::onnx;
use tilewright_tensor::SharedBytes;

use crate::seeds::{self, Kind, Seed};

/// Files of a kind, opened or refused, that mutation starts from.
const MAX_POOL: usize = 512;
/// Bytes of a file; larger ones do not join the pool.
const MAX_FILE: usize = 16 << 10;
/// Tensors of more elements are not read.
const MAX_ELEMENTS: i64 = 1 << 16;

/// A small, fast generator; what is needed is variety.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 16) % bound.max(1) as u64) as usize
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

const BYTES: [u8; 16] = [0, 1, 2, 4, 8, 31, 32, 64, 127, 128, 255, b'"', b'{', b'9', b'.', b'R'];
const WORDS: [u64; 12] =
    [0, 1, 2, 32, 255, 0xffff, 0x7fff_ffff, 0xffff_ffff, 1 << 47, i64::MAX as u64, i64::MIN as u64, u64::MAX];

/// One change somewhere in a part; `donor` is a part of another file.
fn change(random: &mut Random, bytes: &mut Vec<u8>, donor: &[u8]) {
    if bytes.is_empty() {
        return bytes.push(random.pick(&BYTES));
    }
    let at = random.below(bytes.len());
    match random.below(16) {
        0..=2 => bytes[at] = random.pick(&BYTES),
        3 => bytes[at] = random.below(256) as u8,
        4..=5 => bytes[at] ^= 1 << random.below(8),
        6..=8 => bytes[at] = bytes[at].wrapping_add(random.pick(&[1, 255, 2, 254])),
        9..=10 => {
            let word = random.pick(&WORDS).to_le_bytes();
            let width = random.pick(&[2, 4, 8, 8]).min(bytes.len() - at);
            bytes[at..at + width].copy_from_slice(&word[..width]);
        }
        11 => {
            let width = random.below(16).min(bytes.len() - at);
            bytes.drain(at..at + width);
        }
        12 => {
            let (from, width) = (random.below(bytes.len()), random.below(64));
            let copied = bytes[from..(from + width).min(bytes.len())].to_vec();
            bytes.splice(at..at, copied);
        }
        13 => {
            let other = random.below(bytes.len());
            bytes.swap(at, other);
        }
        _ if donor.is_empty() => bytes.truncate(at),
        _ => {
            let from = random.below(donor.len());
            let copied = &donor[from..(from + random.below(64)).min(donor.len())];
            let replaced = if random.one_in(2) { copied.len().min(bytes.len() - at) } else { 0 };
            bytes.splice(at..at + replaced, copied.iter().copied());
        }
    }
}

/// What became of the executions so far.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    pub(crate) refused: u64,
    pub(crate) opened: u64,
    pub(crate) tensors_read: u64,
    pub(crate) tensors_refused: u64,
    pub(crate) pool: usize,
}

pub(crate) struct Engine {
    random: Random,
    /// Files that open, and files that are refused.
    pools: [Vec<Seed>; 2],
    seen: HashSet<u64>,
    seed: Seed,
    /// The file that is opened, and the one that it may name.
    files: (Vec<u8>, Vec<u8>),
    pub(crate) tally: Tally,
}

impl Engine {
    pub(crate) fn new(seed: u64) -> Self {
        let pool = seeds::all();
        Self {
            random: Random(seed | 1),
            seed: pool[0].clone(),
            pools: [pool.clone(), pool],
            seen: HashSet::new(),
            files: Default::default(),
            tally: Tally::default(),
        }
    }

    /// The file that was made last, after the one that it names.
    pub(crate) fn file(&self) -> Vec<u8> {
        [self.files.1.as_slice(), self.files.0.as_slice()].concat()
    }

    /// Makes the next file.
    pub(crate) fn make(&mut self) {
        let random = &mut self.random;
        let pool = &self.pools[usize::from(random.one_in(8))];
        let mut seed = pool[random.below(pool.len())].clone();
        let donor = random.below(pool.len());
        // Mostly one change: what is wrong in many ways is refused for the first of them.
        for _ in 0..random.pick(&[1, 1, 1, 1, 2, 2, 3, 5]) {
            let part = random.below(seed.parts.len());
            // Headers have the most to say.
            let part = if random.one_in(3) { part } else { 0 };
            let donor = &pool[donor].parts;
            let donor = donor.get(part).or(donor.first()).map_or(&[][..], Vec::as_slice);
            change(random, &mut seed.parts[part], donor);
        }
        self.files = seed.files();
        if random.one_in(8) {
            change(random, &mut self.files.0, &[]);
        }
        if random.one_in(64) {
            let length = random.below(self.files.0.len());
            self.files.0.truncate(length);
        }
        self.seed = seed;
    }

    /// Reads the file. If that panics, the file is kept, and the error is where.
    pub(crate) fn execute(&mut self) -> Result<(), PathBuf> {
        let Ok((behaviour, is_open)) = catch_unwind(AssertUnwindSafe(|| self.read())) else {
            return Err(keep(&self.file()));
        };
        if self.seen.insert(behaviour) && self.files.0.len() + self.files.1.len() <= MAX_FILE {
            let pool = &mut self.pools[usize::from(!is_open)];
            if pool.len() < MAX_POOL {
                pool.push(self.seed.clone());
            } else {
                let place = self.random.below(MAX_POOL);
                pool[place] = self.seed.clone();
            }
            self.tally.pool = self.pools[0].len();
        }
        Ok(())
    }

    /// Opens the file and reads what it holds; gives a number for how it behaved, and whether it
    /// opens.
    fn read(&mut self) -> (u64, bool) {
        let mut behaviour = DefaultHasher::new();
        self.seed.kind.hash_into(&mut behaviour);
        let (first, second) = &self.files;
        let opened = match self.seed.kind {
            Kind::Onnx => {
                let read = onnx::read(first);
                match &read {
                    Ok(model) => (model.graph.nodes.len(), model.graph.initializers.len()).hash(&mut behaviour),
                    Err(error) => words(&error.to_string()).hash(&mut behaviour),
                }
                return (behaviour.finish(), read.is_ok());
            }
            Kind::Index | Kind::Mlc => {
                let mut open = |location: &str| match location {
                    "s.bin" => Ok(SharedBytes::from(second.clone())),
                    _ => Err("there is no such file".to_owned()),
                };
                Checkpoint::from_listing(first, &mut open)
            }
            _ => Checkpoint::from_bytes(SharedBytes::from(first.clone())),
        };
        let is_open = opened.is_ok();
        match opened {
            Ok(checkpoint) => {
                self.tally.opened += 1;
                self.look_at(&checkpoint, &mut behaviour);
            }
            Err(error) => {
                self.tally.refused += 1;
                words(&error.to_string()).hash(&mut behaviour);
            }
        }
        (behaviour.finish(), is_open)
    }

    fn look_at(&mut self, checkpoint: &Checkpoint, behaviour: &mut DefaultHasher) {
        let length = self.files.0.len() + self.files.1.len();
        let mut printed = 0;
        for (key, value) in checkpoint.metadata() {
            printed += key.len() + value.to_string().len();
        }
        let mut expected = Vec::new();
        for entry in checkpoint.entries() {
            printed += entry.name().len();
            std::mem::discriminant(&entry.stored()).hash(behaviour);
            entry.shape().len().hash(behaviour);
            let shape = entry.shape().iter().map(|dim| Some(*dim)).collect();
            expected.push(Expected { name: entry.name().to_owned(), shape, dtype: entry.stored().dtype() });
            let elements = entry.shape().iter().try_fold(1i64, |product, dim| product.checked_mul(*dim));
            if elements.is_none_or(|elements| elements > MAX_ELEMENTS) {
                continue;
            }
            match entry.tensor() {
                Ok(tensor) => {
                    self.tally.tensors_read += 1;
                    assert_eq!((tensor.shape(), Some(tensor.dtype())), (entry.shape(), entry.stored().dtype()));
                    let bytes = tensor.to_contiguous().unwrap().as_bytes().unwrap().iter().fold(0u8, |a, b| a ^ b);
                    std::hint::black_box(bytes);
                }
                Err(error) => {
                    self.tally.tensors_refused += 1;
                    words(&error.to_string()).hash(behaviour);
                }
            }
            let _ = entry.raw();
        }
        assert!(printed < (1 << 17) + 64 * length, "{length} bytes make {printed} of text");
        let comparison = checkpoint.compare(&expected);
        let readable = expected.iter().filter(|one| one.dtype.is_some()).count();
        assert!(comparison.is_match() && comparison.matched >= readable, "{comparison}");
    }
}

impl Kind {
    fn hash_into(self, behaviour: &mut DefaultHasher) {
        std::mem::discriminant(&self).hash(behaviour);
    }
}

/// A message without its numbers and names: what kind of message it is.
fn words(message: &str) -> String {
    let mut inside = false;
    let mut kept = String::new();
    for c in message.chars() {
        match c {
            '"' | '`' => inside = !inside,
            _ if inside || c.is_ascii_digit() => {}
            c => kept.push(c),
        }
        if kept.len() > 80 {
            break;
        }
    }
    kept
}

/// Writes a file that went wrong where it can be found.
pub(crate) fn keep(file: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/fuzz");
    let mut hasher = DefaultHasher::new();
    file.hash(&mut hasher);
    let path = folder.join(format!("checkpoint-{:016x}.bin", hasher.finish()));
    let _ = std::fs::create_dir_all(&folder);
    let _ = std::fs::write(&path, file);
    path
}
