//! Damaged executables, made, read and run: what `tests/fuzz` does a bounded number of times and `benches/fuzz` as
//! often as one likes.
//!
//! An execution takes a file from a pool, changes a few bytes, numbers or ranges inside its sections or its table,
//! makes all checksums right, and hands the bytes to the runtime as anyone would. What loads is printed, written again
//! and read back; its functions are called with values of the kinds that they declare, and sometimes of others. Machine
//! code is trusted and no part of this: programs with images run with images whose kernels do nothing.
//!
//! A file that behaves as none before it did, by what it holds and by what it says when it is refused or fails, joins
//! the pool. A run may make [`MAX_CALLS`] calls; programs that ask for much memory are not run.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tilewright_runtime::{Action, Error, Event, Executable, Instrument, Result, Value, VirtualMachine, registry};
use tilewright_tensor::{DataType, Tensor};
use tilewright_vm_program::{
    Dim, DimPattern, ExecutableBytes, Function, Instruction, Kind, Package, Program, TargetInfo,
};

use crate::seeds;

/// Calls that one run may make before it is stopped.
const MAX_CALLS: usize = 200;
/// Programs that declare more bytes for one tensor or arena are not run.
const MAX_BYTES: u64 = 1 << 20;
/// Files that mutation starts from.
const MAX_POOL: usize = 512;
/// Bytes of a file; larger ones do not join the pool.
const MAX_FILE: usize = 16 << 10;

/// A small, fast generator; what is needed is variety.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
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

/// A file in its parts.
#[derive(Clone)]
struct Parts {
    version: u32,
    abi_version: u32,
    sections: Vec<(u32, Vec<u8>)>,
}

const HEADER: usize = 24;
const ENTRY: usize = 24;

fn number(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

fn small_number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

impl Parts {
    /// Of a file that is whole.
    fn of(file: &[u8]) -> Self {
        let section = |entry: usize| {
            let at = HEADER + entry * ENTRY;
            let (offset, length) = (number(file, at + 8), number(file, at + 16));
            (small_number(file, at), file[offset..offset + length].to_vec())
        };
        let count = small_number(file, 16) as usize;
        let sections = (0..count).map(section).collect();
        Self { version: small_number(file, 8), abi_version: small_number(file, 12), sections }
    }

    /// The file, with all checksums right, and where its table ends.
    fn assemble(&self, file: &mut Vec<u8>) -> usize {
        file.clear();
        file.extend(b"TILEWRT\0");
        for word in [self.version, self.abi_version, self.sections.len() as u32, 0] {
            file.extend(word.to_le_bytes());
        }
        let table = HEADER + self.sections.len() * ENTRY;
        let mut offset = table;
        for (kind, bytes) in &self.sections {
            offset = offset.next_multiple_of(64);
            file.extend(kind.to_le_bytes());
            file.extend(crc32fast::hash(bytes).to_le_bytes());
            file.extend((offset as u64).to_le_bytes());
            file.extend((bytes.len() as u64).to_le_bytes());
            offset += bytes.len();
        }
        for (_, bytes) in &self.sections {
            file.resize(file.len().next_multiple_of(64), 0);
            file.extend(bytes);
        }
        table
    }
}

/// Makes the checksum of the header and the table right.
fn seal(file: &mut [u8], table: usize) {
    file[20..24].fill(0);
    let checksum = crc32fast::hash(&file[..table]);
    file[20..24].copy_from_slice(&checksum.to_le_bytes());
}

const BYTES: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 31, 32, 64, 127, 128, 255];
const WORDS: [u64; 16] = [
    0,
    1,
    2,
    3,
    7,
    63,
    64,
    65,
    255,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 47,
    i64::MAX as u64,
    i64::MIN as u64,
    u64::MAX,
];

/// One change somewhere in a section; `donor` is a section of another file.
fn change(random: &mut Random, bytes: &mut Vec<u8>, donor: &[u8]) {
    if bytes.is_empty() {
        return bytes.push(random.pick(&BYTES));
    }
    let at = random.below(bytes.len());
    match random.below(16) {
        0..=3 => bytes[at] = random.pick(&BYTES),
        4 => bytes[at] = random.below(256) as u8,
        5..=6 => bytes[at] ^= 1 << random.below(8),
        7..=10 => bytes[at] = bytes[at].wrapping_add(random.pick(&[1, 255, 2, 254])),
        11 => {
            let word = random.pick(&WORDS).to_le_bytes();
            let width = random.pick(&[2, 4, 4, 8]).min(bytes.len() - at);
            bytes[at..at + width].copy_from_slice(&word[..width]);
        }
        12 => {
            let width = random.below(16).min(bytes.len() - at);
            bytes.drain(at..at + width);
        }
        13 => {
            let (from, width) = (random.below(bytes.len()), random.below(32));
            let copied = bytes[from..(from + width).min(bytes.len())].to_vec();
            bytes.splice(at..at, copied);
        }
        14 => {
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

/// Changes numbers of the header and the table.
fn change_table(random: &mut Random, file: &mut [u8], table: usize) {
    let at = 8 + random.below(table.saturating_sub(8));
    match random.below(3) {
        0 => file[at] = random.pick(&BYTES),
        1 => file[at] ^= 1 << random.below(8),
        _ => {
            let word = random.pick(&WORDS).to_le_bytes();
            let width = random.pick(&[4, 8]).min(table - at);
            file[at..at + width].copy_from_slice(&word[..width]);
        }
    }
}

/// What became of the executions so far.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    pub(crate) refused: u64,
    pub(crate) loaded: u64,
    pub(crate) calls_returned: u64,
    pub(crate) calls_failed: u64,
    pub(crate) pool: usize,
}

pub(crate) struct Engine {
    random: Random,
    pool: Vec<Parts>,
    seen: HashSet<u64>,
    file: Vec<u8>,
    /// What the file was assembled from.
    parts: Option<Parts>,
    calls: Arc<AtomicUsize>,
    pub(crate) tally: Tally,
}

impl Engine {
    /// Starts from the seeds and from the kept files of all versions.
    pub(crate) fn new(seed: u64) -> Self {
        register();
        let mut pool: Vec<Parts> = seeds::all().iter().map(|bytes| Parts::of(bytes)).collect();
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tilewright-vm-program/tests/corpus");
        for folder in std::fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()).filter(|p| p.is_dir()) {
            let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
            files.retain(|path| path.extension().is_some_and(|extension| extension == "twx"));
            files.sort();
            pool.extend(files.iter().map(|path| Parts::of(&std::fs::read(path).unwrap())));
        }
        Self {
            random: Random(seed | 1),
            pool,
            seen: HashSet::new(),
            file: Vec::new(),
            parts: None,
            calls: Arc::default(),
            tally: Tally::default(),
        }
    }

    /// The file that was made last.
    pub(crate) fn file(&self) -> &[u8] {
        &self.file
    }

    /// Makes the next file.
    pub(crate) fn make(&mut self) {
        self.parts = Some(self.mutate());
    }

    /// Loads and runs the file. If that panics, the file is kept, and the error is where.
    pub(crate) fn execute(&mut self) -> std::result::Result<(), PathBuf> {
        let Ok(behaviour) = catch_unwind(AssertUnwindSafe(|| self.load())) else { return Err(keep(&self.file)) };
        if let Some(parts) = self.parts.take()
            && self.seen.insert(behaviour)
            && self.file.len() <= MAX_FILE
        {
            if self.pool.len() < MAX_POOL {
                self.pool.push(parts);
            } else {
                let place = self.random.below(MAX_POOL);
                self.pool[place] = parts;
            }
            self.tally.pool = self.pool.len();
        }
        Ok(())
    }

    /// Makes the next file; gives the parts that it was assembled from.
    fn mutate(&mut self) -> Parts {
        let random = &mut self.random;
        let mut parts = self.pool[random.below(self.pool.len())].clone();
        let donor = random.below(self.pool.len());
        // Mostly one change: what is wrong in many ways is refused for the first of them.
        let changes = random.pick(&[1, 1, 1, 1, 2, 2, 3, 5]);
        for _ in 0..changes {
            // Mostly the program; it is the section with the most to say.
            let program = parts.sections.iter().position(|(kind, _)| *kind == 2).filter(|_| !random.one_in(4));
            let section = program.unwrap_or_else(|| random.below(parts.sections.len()));
            if let Some((kind, bytes)) = parts.sections.get_mut(section) {
                let donor = self.pool[donor].sections.iter().find(|(other, _)| other == kind);
                change(random, bytes, donor.map_or(&[], |(_, bytes)| bytes));
            }
        }
        if random.one_in(64) && parts.sections.len() > 1 {
            let gone = random.below(parts.sections.len());
            parts.sections.remove(gone);
        }
        let table = parts.assemble(&mut self.file);
        if random.one_in(16) {
            change_table(random, &mut self.file, table);
        }
        // The table may claim another length by now; what is sealed is what the reader takes for the table.
        let claimed = HEADER + small_number(&self.file, 16) as usize * ENTRY;
        let claimed = claimed.min(self.file.len());
        seal(&mut self.file, claimed);
        if random.one_in(64) {
            let length = random.below(self.file.len());
            self.file.truncate(length);
        }
        parts
    }

    /// Loads and runs the file; gives a number for how it behaved.
    fn load(&mut self) -> u64 {
        let mut behaviour = DefaultHasher::new();
        let executable = match Executable::load_copy(&self.file) {
            Ok(executable) => executable,
            Err(error) => {
                self.tally.refused += 1;
                words(&error.to_string()).hash(&mut behaviour);
                return behaviour.finish();
            }
        };
        self.tally.loaded += 1;
        let program = executable.program();
        let text = program.as_text();
        assert!(text.len() < 4096 + 256 * self.file.len(), "{} bytes make {} of text", self.file.len(), text.len());
        let stats = format!("{}", program.stats());
        stats.hash(&mut behaviour);
        for function in &program.functions {
            for instruction in &function.instructions {
                std::mem::discriminant(instruction).hash(&mut behaviour);
            }
        }
        let package = executable.package();
        let again = package.encode().unwrap();
        let (read, _) = Package::decode(&again).unwrap();
        assert_eq!(read.encode().unwrap(), again, "writing is deterministic");
        if let Some(executable) = runnable(executable) {
            self.run(executable, &mut behaviour);
        }
        behaviour.finish()
    }

    fn run(&mut self, executable: Executable, behaviour: &mut DefaultHasher) {
        let machine = match VirtualMachine::new(Arc::new(executable), &[]) {
            Ok(machine) => machine,
            Err(error) => return words(&error.to_string()).hash(behaviour),
        };
        let calls = Arc::clone(&self.calls);
        machine.set_instrument(Some(Instrument::new(move |_: &Event<'_>| {
            match calls.fetch_add(1, Ordering::Relaxed) < MAX_CALLS {
                true => Ok(Action::Run),
                false => Err(Error::callback("enough calls")),
            }
        })));
        let names: Vec<String> = machine.function_names().take(4).map(str::to_owned).collect();
        for name in names {
            let function = machine.function(&name).unwrap();
            for _ in 0..2 {
                let Some(args) = arguments(&mut self.random, function.signature()) else { continue };
                self.calls.store(0, Ordering::Relaxed);
                match function.call(&args) {
                    Ok(value) => {
                        self.tally.calls_returned += 1;
                        value.kind_name().hash(behaviour);
                    }
                    Err(error) => {
                        self.tally.calls_failed += 1;
                        words(&error.to_string()).hash(behaviour);
                    }
                }
            }
        }
    }
}

/// A message without its numbers and names: what kind of message it is.
fn words(message: &str) -> String {
    let mut inside = false;
    let mut kept = String::new();
    for c in message.chars() {
        match c {
            '"' => inside = !inside,
            _ if inside || c.is_ascii_digit() => {}
            c => kept.push(c),
        }
        if kept.len() > 80 {
            break;
        }
    }
    kept
}

/// The executable as it may be run: its kernels do nothing, and it asks for little memory.
fn runnable(executable: Executable) -> Option<Executable> {
    let program = executable.program();
    if !program.functions.iter().all(is_small) || program.kernels.iter().any(|kernel| kernel.scratch_bytes > MAX_BYTES)
    {
        return None;
    }
    if program.images.is_empty() {
        return Some(executable);
    }
    if !cfg!(target_arch = "x86_64") {
        return None;
    }
    let mut program: Program = program.clone();
    for image in &mut program.images {
        // `ret` everywhere, and where there is room, `xor eax, eax; ret` at the kernels' entries.
        image.text.fill(0xc3);
        let text = image.text.len();
        let entries: Vec<usize> = image.exports.iter().map(|export| export.offset as usize).collect();
        let is_apart = |entry: usize| !entries.iter().any(|&e| e > entry && e < entry + 3) && entry + 3 <= text;
        for &entry in entries.iter().filter(|entry| is_apart(**entry)) {
            image.text[entry..entry + 3].copy_from_slice(&[0x31, 0xc0, 0xc3]);
        }
    }
    let target = TargetInfo { triple: "x86_64-unknown-linux-gnu".into(), features: vec![] };
    Some(Executable::load(Package::new(target, program).encode().unwrap()).unwrap())
}

fn is_small(function: &Function) -> bool {
    let tensor = |instruction: &Instruction| match instruction {
        Instruction::AllocTensor { dtype, shape, .. } => {
            let size = |dim: &Dim| match dim {
                Dim::Const(size) => *size as u64,
                Dim::Slot(_) => 1,
            };
            let elements = shape.iter().fold(1u64, |product, dim| product.saturating_mul(size(dim)));
            elements.saturating_mul(dtype.bytes() as u64) <= MAX_BYTES
        }
        _ => true,
    };
    function.arena_bytes <= MAX_BYTES && function.instructions.iter().all(tensor)
}

/// Values for the parameters, mostly of the kinds that they declare; none where that would take much memory.
fn arguments(random: &mut Random, function: &Function) -> Option<Vec<Value>> {
    let slots: Vec<i64> = function.slots.iter().map(|_| random.below(5) as i64).collect();
    function.params.iter().map(|param| value(random, &slots, &param.kind)).collect()
}

fn value(random: &mut Random, slots: &[i64], kind: &Kind) -> Option<Value> {
    if random.one_in(24) {
        return Some(random.below(4)).map(|choice| match choice {
            0 => Value::None,
            1 => Value::Int(-1),
            2 => Value::shape(&[3, 0]),
            _ => Value::tuple([]),
        });
    }
    let size = |random: &mut Random, dim: &DimPattern| match dim {
        DimPattern::Const(size) => *size,
        DimPattern::Slot(slot) => slots.get(*slot as usize).copied().unwrap_or(0),
        DimPattern::Any => random.below(4) as i64,
    };
    let sizes = |random: &mut Random, dims: &Option<Vec<DimPattern>>| -> Vec<i64> {
        match dims {
            Some(dims) => dims.iter().map(|dim| size(random, dim)).collect(),
            None => (0..random.below(4)).map(|_| random.below(4) as i64).collect(),
        }
    };
    Some(match kind {
        Kind::Object => Value::Str("an object".into()),
        Kind::Function => Value::Function(registry::get("fuzz.first").ok()?),
        Kind::Tensor { dtype, dims, .. } => {
            let shape = sizes(random, dims);
            let elements = shape.iter().try_fold(1i64, |product, dim| product.checked_mul(*dim));
            elements.filter(|elements| (0..=4096).contains(elements))?;
            Value::Tensor(Tensor::zeros(dtype.unwrap_or(DataType::F32), &shape).ok()?)
        }
        Kind::Shape { dims } => Value::shape(&sizes(random, dims)),
        Kind::Prim { dtype, value } => {
            let number = size(random, value);
            match dtype.is_float() {
                _ if dtype.is_bool() => Value::Bool(number & 1 == 1),
                true => Value::Float(number as f64),
                false => Value::Int(number),
            }
        }
        Kind::Tuple(fields) if fields.len() <= 64 => {
            let fields: Option<Vec<Value>> = fields.iter().map(|field| value(random, slots, field)).collect();
            Value::tuple(fields?)
        }
        Kind::Tuple(_) => return None,
    })
}

/// Functions that the seeds call.
fn register() {
    type Body = fn(&[Value]) -> Result<Value>;
    let functions: [(&str, Body); 5] = [
        ("fuzz.first", |args| Ok(args.first().cloned().unwrap_or_default())),
        ("fuzz.fail", |_| Err(Error::callback("as it should"))),
        ("fuzz.tensor", |_| Ok(Tensor::zeros(DataType::F32, &[2, 3])?.into())),
        ("fuzz.call", |args| args.first().map_or(Ok(Value::None), |function| function.call(&args[1..]))),
        ("env.log", |_| Ok(Value::None)),
    ];
    for (name, body) in functions {
        // A second engine of the process finds them there.
        let _ = registry::register(name, body);
    }
}

/// A file that is known to be whole.
pub(crate) fn whole(package: &Package) -> Vec<u8> {
    let bytes: ExecutableBytes = package.encode().unwrap();
    bytes.as_slice().to_vec()
}

/// Writes a file that shows a fault; gives its path.
pub(crate) fn keep(file: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/fuzz");
    let path = folder.join(format!("{:08x}.twx", crc32fast::hash(file)));
    let _ = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, file));
    path
}
