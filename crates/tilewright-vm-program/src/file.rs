//! The executable file.
//!
//! ```text
//! 0   magic "TILEWRT\0"
//! 8   format version, kernel ABI version, number of sections, checksum of the header and the section table   (u32 each)
//! 24  section table: kind, checksum (u32 each), offset, length (u64 each)
//!     sections, each aligned to 64 bytes
//! ```
//!
//! All numbers are little-endian, checksums are CRC-32. Sections: target, program (functions with their signatures,
//! kernels, packed names, where the constants are, devices, names of source files), images, constants, metadata,
//! symbols. The constants' bytes are not touched when a file is opened, so that a mapped file's weights are read when
//! they are used; each constant has a checksum of its own, for the first use.
//!
//! # Versions
//!
//! A file says with which version of the format it was written. This crate writes [`FORMAT_VERSION`] and reads every
//! version from [`OLDEST_FORMAT_VERSION`] on, which is at least one before. The rule for those who change the format:
//!
//! - Any change to the bytes takes the next [`FORMAT_VERSION`]: a new instruction, a new field, a new section.
//! - The reader of what changed asks `Reader::version` and reads older bytes as they were, giving the new fields the
//!   meaning that their absence had. Numbers that stood for something are not used for something else.
//! - `tests/corpus` keeps files of every version that is read, with their text; the tests read all of them. A new
//!   version adds a folder.
//! - A section whose kind has its highest bit set may be passed over by those who do not know it; an unknown section
//!   without it is refused.
//! - Machine code has a version of its own, [`tilewright_tensor::abi::ABI_VERSION`], and a window of its own.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};

use crc32fast::Hasher;
use tilewright_support::parallel_map;
use tilewright_tensor::abi::{ABI_VERSION, OLDEST_ABI_VERSION, TENSOR_ALIGN};
use tilewright_tensor::{DataType, DeviceKind, Layout, Tensor, TensorError};

use crate::encode;
use crate::image::Image;
use crate::program::Program;
use crate::sections::{self, FORMAT_VERSION, FileInfo, Kind, OLDEST_FORMAT_VERSION, Plan, Section, Sections};
use crate::verify::VerifyError;
use crate::wire::{Reader, WireError, WireResult, Writer};

/// The machine that an executable needs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TargetInfo {
    /// LLVM's name of the machine, such as `x86_64-unknown-linux-gnu`; empty when there is no machine code.
    pub triple: String,
    /// Processor features by LLVM's names, such as `avx2`.
    pub features: Vec<String>,
}

impl TargetInfo {
    /// Of a program without machine code.
    pub fn portable() -> Self {
        Self::default()
    }
}

/// What an executable file holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Package {
    pub target: TargetInfo,
    pub program: Program,
    /// Free text by key, for tools: where the model came from, what compiled it.
    pub metadata: BTreeMap<String, String>,
}

/// The bytes of an executable. What `compile` holds, what is saved and what is loaded are these same bytes.
///
/// They lie in one piece, in memory or mapped, or in several: an executable that was just made has its constants where
/// they were computed, because weights are large. Nobody writes to them ([`Tensor::is_sealed`]), and all pieces begin
/// at multiples of 64. Their checksums are for those who read a file: they are computed when the bytes
/// are requested, and who runs what was just made reads no weight for them.
#[derive(Clone, Debug)]
pub struct ExecutableBytes {
    /// The bytes from the first one on: all of them, or those in front of the constants.
    head: Tensor,
    /// What makes the head that of a file, where the checksums of constants are not in it.
    unsummed: Option<Arc<Unsummed>>,
    /// Constants in rising order, with their offsets in the file. Between them, and in front of them, are zeros.
    constants: Vec<(usize, Tensor)>,
    /// How many bytes there are.
    length: usize,
    /// All bytes in one piece, made when somebody wants that.
    whole: Arc<OnceLock<Vec<u8>>>,
}

/// The checksums of a package's constants, for use when they are first read. None for a constant that was never out of
/// this process's memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConstantChecksums(Vec<Option<u32>>);

/// Why bytes are no executable of this version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FormatError {
    NotAnExecutable,
    /// The file's version is outside of what this crate reads.
    Version {
        found: u32,
    },
    /// The machine code's version is outside of what this runtime calls.
    AbiVersion {
        found: u32,
    },
    Checksum {
        section: String,
    },
    Malformed {
        section: &'static str,
        message: String,
    },
    Invalid(VerifyError),
    Tensor(TensorError),
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnExecutable => f.write_str("not a Tilewright executable: the file's first bytes are others"),
            Self::Version { found } => {
                let window = OLDEST_FORMAT_VERSION..=FORMAT_VERSION;
                write_outside(f, "the executable has format version", *found, "this runtime reads", window)
            }
            Self::AbiVersion { found } => {
                let window = OLDEST_ABI_VERSION..=ABI_VERSION;
                write_outside(f, "the executable's machine code has ABI version", *found, "this runtime calls", window)
            }
            Self::Checksum { section } => write!(f, "the executable is damaged: {section} does not match its checksum"),
            Self::Malformed { section, message } => write!(f, "the executable's {section} is malformed: {message}"),
            Self::Invalid(error) => write!(f, "the executable's program is invalid: {error}"),
            Self::Tensor(error) => write!(f, "{error}"),
        }
    }
}

/// A version outside of a window, with what helps.
fn write_outside(
    f: &mut fmt::Formatter<'_>,
    what: &str,
    found: u32,
    who: &str,
    window: RangeInclusive<u32>,
) -> fmt::Result {
    let help = if found > *window.end() { "use a newer runtime" } else { "build the model again" };
    write!(f, "{what} {found}, {who} versions {} to {}: {help}", window.start(), window.end())
}

impl std::error::Error for FormatError {}

impl From<VerifyError> for FormatError {
    fn from(error: VerifyError) -> Self {
        Self::Invalid(error)
    }
}

impl From<TensorError> for FormatError {
    fn from(error: TensorError) -> Self {
        Self::Tensor(error)
    }
}

pub(crate) fn malformed(section: &'static str) -> impl Fn(WireError) -> FormatError {
    move |WireError(message)| FormatError::Malformed { section, message }
}

impl ExecutableBytes {
    /// Bytes read from somewhere, copied to an aligned place.
    pub fn copy_from(bytes: &[u8]) -> Result<Self, TensorError> {
        Self::new(Tensor::from_bytes(DataType::U8, &[bytes.len() as i64], bytes)?)
    }

    /// An existing byte tensor, such as a mapped file. Copied if its address is not aligned, or if
    /// somebody may write to it ([`Tensor::is_sealed`]): what is executed never changes.
    pub fn new(bytes: Tensor) -> Result<Self, TensorError> {
        if bytes.dtype() != DataType::U8 {
            return Err(TensorError::WrongType { expected: DataType::U8, found: bytes.dtype() });
        }
        let bytes = bytes.sealed()?;
        let length = bytes.num_elements();
        let head = bytes.reshape(&[length as i64])?;
        Ok(Self { head, unsummed: None, constants: Vec::new(), length, whole: Arc::default() })
    }

    pub fn len(&self) -> usize {
        self.length
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The bytes in one piece; for several, this makes a copy, which is kept.
    pub fn as_slice(&self) -> &[u8] {
        match self.constants.is_empty() {
            true => bytes(&self.head),
            false => self.whole.get_or_init(|| self.pieces().collect::<Vec<_>>().concat()),
        }
    }

    /// The bytes in pieces, from the first to the last.
    pub fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        let mut end = self.head.num_bytes();
        let constants = self.constants.iter().map(|(offset, tensor)| (*offset, bytes(tensor)));
        // Where the last constants have no elements, zeros are the file's end.
        let all = constants.chain([(self.length, [].as_slice())]);
        let padded = all.flat_map(move |(offset, constant)| {
            let padding = &PADDING[..offset - end];
            end = offset + constant.len();
            [padding, constant]
        });
        std::iter::once(self.summed_head()).chain(padded)
    }

    /// The head with the checksums of all constants.
    fn summed_head(&self) -> &[u8] {
        match &self.unsummed {
            Some(unsummed) => unsummed.head.get_or_init(|| unsummed.sum(bytes(&self.head), &self.constants)),
            None => bytes(&self.head),
        }
    }

    /// What the file's header and table say.
    pub fn info(&self) -> Result<FileInfo, FormatError> {
        self.sections().map(|sections| sections.info())
    }

    fn sections(&self) -> Result<Sections<'_>, FormatError> {
        Sections::read(self.head.as_bytes()?, self.length)
    }

    /// The bytes from `start` on as a tensor, without a copy. None where there are none, or not in one piece.
    fn tensor(&self, start: usize, layout: Layout) -> Option<Tensor> {
        if self.constants.is_empty() {
            return self.head.view_as(Arc::new(layout), start as i64).ok();
        }
        if layout.num_bytes() == 0 {
            return Tensor::zeros_with(Arc::new(layout)).and_then(Tensor::sealed).ok();
        }
        let at = self.constants.binary_search_by_key(&start, |(offset, _)| *offset).ok()?;
        let (_, tensor) = self.constants.get(at)?;
        (**tensor.layout() == layout).then(|| tensor.clone())
    }
}

/// The bytes of a tensor that is contiguous.
fn bytes(tensor: &Tensor) -> &[u8] {
    tensor.as_bytes().unwrap_or_default()
}

/// More zeros than lie between two constants.
const PADDING: [u8; TENSOR_ALIGN] = [0; TENSOR_ALIGN];

impl PartialEq for ExecutableBytes {
    fn eq(&self, other: &Self) -> bool {
        self.length == other.length && self.as_slice() == other.as_slice()
    }
}

impl Eq for ExecutableBytes {}

impl ConstantChecksums {
    /// Whether the constant's bytes are those that were written.
    pub fn check(&self, program: &Program, index: usize) -> Result<(), FormatError> {
        let damaged = || FormatError::Checksum { section: format!("constant {index}") };
        let (Some(tensor), Some(&expected)) = (program.constants.get(index), self.0.get(index)) else {
            return Err(damaged());
        };
        match expected {
            Some(expected) if crc32fast::hash(tensor.as_bytes()?) != expected => Err(damaged()),
            _ => Ok(()),
        }
    }
}

impl Package {
    pub fn new(target: TargetInfo, program: Program) -> Self {
        Self { target, program, metadata: BTreeMap::new() }
    }

    /// The package as a file's bytes: the same package gives the same bytes. Verifies the program first. Constants are
    /// not copied where nobody can write to them.
    pub fn encode(&self) -> Result<ExecutableBytes, FormatError> {
        self.program.verify()?;
        let constants = Constants::lay_out(&self.program.constants);
        let mut checksums = Vec::new();
        let small = [
            (Kind::TARGET, self.write_target()),
            (Kind::PROGRAM, self.write_program(&constants, &mut checksums)),
            (Kind::IMAGES, self.write_images(Image::write)),
            (Kind::METADATA, self.write_metadata()),
            (Kind::SYMBOLS, self.write_images(Image::write_symbols)),
        ];
        let mut plans: Vec<Plan> = small.iter().map(|(kind, w)| Plan::of(*kind, &w.bytes)).collect();
        plans.push(Plan { kind: Kind::CONSTANTS, bytes: constants.bytes, checksum: 0 });
        let (offsets, length) = sections::lay_out(&plans);
        let first = offsets[small.len()];
        let mut head = Tensor::zeros(DataType::U8, &[first as i64])?;
        let bytes = head.as_mut_slice::<u8>()?;
        for ((_, section), &offset) in small.iter().zip(&offsets) {
            bytes[offset..][..section.bytes.len()].copy_from_slice(&section.bytes);
        }
        sections::write_header(bytes, &plans, &offsets);
        let constants = constants.with_offsets(&self.program.constants, first)?;
        let unsummed = Unsummed { plans, offsets, checksums, head: OnceLock::new() };
        Ok(ExecutableBytes {
            head: head.sealed()?,
            unsummed: Some(unsummed.into()),
            constants,
            length,
            whole: Arc::default(),
        })
    }

    fn write_target(&self) -> Writer {
        let mut w = Writer::default();
        w.string(&self.target.triple);
        w.list(&self.target.features, |w, feature| w.string(feature));
        w
    }

    fn write_metadata(&self) -> Writer {
        let mut w = Writer::default();
        w.count(self.metadata.len());
        for (key, value) in &self.metadata {
            w.string(key);
            w.string(value);
        }
        w
    }

    /// Something of each image, in order.
    fn write_images(&self, write: impl Fn(&Image, &mut Writer)) -> Writer {
        let mut w = Writer::default();
        w.list(&self.program.images, |w, image| write(image, w));
        w
    }

    /// Constants have no checksums yet: `checksums` gets where in the section those of constants with bytes belong.
    fn write_program(&self, constants: &Constants, checksums: &mut Vec<usize>) -> Writer {
        let mut w = Writer::default();
        w.list(&self.program.functions, encode::write_function);
        w.list(&self.program.kernels, encode::write_kernel);
        w.list(&self.program.packed_names, |w, name| w.string(name));
        w.list(&self.program.devices, encode::write_device_kind);
        w.list(&self.program.files, |w, name| w.string(name));
        w.list(&constants.planned, |w, constant| {
            encode::write_dtype(w, constant.dtype);
            w.list(&constant.shape, |w, dim| w.i64(*dim));
            w.u64(constant.start);
            if constant.bytes > 0 {
                checksums.push(w.bytes.len());
            }
            // Also the checksum of no bytes.
            w.u32(0);
        });
        w
    }

    /// The package in a file's bytes, verified. The constants are views of the bytes and are not read here:
    /// [`ConstantChecksums::check`] does that when one is first used.
    pub fn decode(file: &ExecutableBytes) -> Result<(Self, ConstantChecksums), FormatError> {
        let sections = file.sections()?;
        let target = sections
            .require(Kind::TARGET, |r| Ok(TargetInfo { triple: r.string()?, features: r.list(Reader::string)? }))?;
        let (mut program, places) = sections.require(Kind::PROGRAM, read_program)?;
        program.images = sections.require(Kind::IMAGES, |r| r.list(Image::read))?;
        if !program.images.is_empty() && !(OLDEST_ABI_VERSION..=ABI_VERSION).contains(&sections.abi_version) {
            return Err(FormatError::AbiVersion { found: sections.abi_version });
        }
        let metadata = sections.require(Kind::METADATA, |r| r.list(|r| Ok((r.string()?, r.string()?))))?;
        if let Some(symbols) = sections.parse(Kind::SYMBOLS, |r| r.list(Image::read_symbols))? {
            for (image, symbols) in program.images.iter_mut().zip(symbols) {
                image.symbols = symbols;
            }
        }
        let mut checksums = Vec::new();
        let mut free = 0;
        for place in places {
            // Otherwise a small file could claim any amount of constants.
            if place.start < free {
                let message = format!("the constant at byte {} of the section overlaps another", place.start);
                return Err(FormatError::Malformed { section: "constants", message });
            }
            let tensor = place.tensor(file, sections.find(Kind::CONSTANTS))?;
            free = place.start + tensor.num_bytes() as u64;
            program.constants.push(tensor);
            checksums.push(file.constants.is_empty().then_some(place.checksum));
        }
        program.verify()?;
        let metadata = metadata.into_iter().collect();
        Ok((Self { target, program, metadata }, ConstantChecksums(checksums)))
    }
}

/// A constant in its section, as the file describes it.
struct StoredConstant {
    dtype: DataType,
    shape: Vec<i64>,
    start: u64,
    checksum: u32,
}

impl StoredConstant {
    fn tensor(&self, file: &ExecutableBytes, section: Option<Section<'_>>) -> Result<Tensor, FormatError> {
        let layout = Layout::compact(self.dtype, &self.shape)?;
        let offset = section.and_then(|section| {
            let start = usize::try_from(self.start).ok()?;
            let end = start.checked_add(layout.num_bytes())?;
            if end <= section.length { section.offset.checked_add(start) } else { None }
        });
        let offset = offset.filter(|offset| offset.is_multiple_of(TENSOR_ALIGN));
        offset.and_then(|offset| file.tensor(offset, layout)).ok_or_else(|| {
            let message = format!("a constant of shape {:?} at byte {} of the section", self.shape, self.start);
            FormatError::Malformed { section: "constants", message }
        })
    }
}

/// A constant with its offset in the section that is to be written.
struct PlannedConstant {
    dtype: DataType,
    shape: Vec<i64>,
    start: u64,
    bytes: usize,
}

/// The section of constants, before it is written.
struct Constants {
    planned: Vec<PlannedConstant>,
    bytes: usize,
}

impl Constants {
    fn lay_out(tensors: &[Tensor]) -> Self {
        let (mut planned, mut end) = (Vec::new(), 0usize);
        for tensor in tensors {
            let (start, bytes) = (end.next_multiple_of(TENSOR_ALIGN), tensor.num_bytes());
            let (dtype, shape) = (tensor.dtype(), tensor.shape().to_vec());
            planned.push(PlannedConstant { dtype, shape, start: start as u64, bytes });
            end = start + bytes;
        }
        Self { planned, bytes: end }
    }

    /// The constants with their offsets in a file whose section begins at byte `first`.
    fn with_offsets(self, tensors: &[Tensor], first: usize) -> Result<Vec<(usize, Tensor)>, TensorError> {
        let placed = self.planned.into_iter().zip(tensors).filter(|(constant, _)| constant.bytes > 0);
        let seal = |(constant, tensor): (PlannedConstant, &Tensor)| {
            let layout = Layout::compact(constant.dtype, &constant.shape)?;
            Ok((first + constant.start as usize, tensor.clone().sealed()?.view_as(Arc::new(layout), 0)?))
        };
        placed.map(seal).collect()
    }
}

/// The head of an executable whose constants have no checksums yet.
#[derive(Debug)]
struct Unsummed {
    /// The sections and their places.
    plans: Vec<Plan>,
    offsets: Vec<usize>,
    /// Where in the program's section the checksums of the constants belong.
    checksums: Vec<usize>,
    /// The head with all checksums.
    head: OnceLock<Vec<u8>>,
}

impl Unsummed {
    /// The head, with the checksums of these constants and of all that has them in it.
    fn sum(&self, head: &[u8], constants: &[(usize, Tensor)]) -> Vec<u8> {
        let mut head = head.to_vec();
        let sums = parallel_map(constants, |(_, tensor)| crc32fast::hash(bytes(tensor)));
        let mut plans = self.plans.clone();
        let places = plans.iter_mut().zip(&self.offsets);
        for (plan, &offset) in places {
            let end = offset + plan.bytes;
            if plan.kind == Kind::PROGRAM {
                let section = &mut head[offset..end];
                for (&at, sum) in self.checksums.iter().zip(&sums) {
                    section[at..][..4].copy_from_slice(&sum.to_le_bytes());
                }
                plan.checksum = crc32fast::hash(section);
            } else if plan.kind == Kind::CONSTANTS {
                plan.checksum = sum_of_parts(offset, end, constants, &sums);
            }
        }
        sections::write_header(&mut head, &plans, &self.offsets);
        head
    }
}

/// The checksum of the section of constants, which follows from those of its parts and the zeros between them.
fn sum_of_parts(first: usize, last: usize, constants: &[(usize, Tensor)], sums: &[u32]) -> u32 {
    let (mut all, mut end) = (Hasher::new(), first);
    for ((start, tensor), &sum) in constants.iter().zip(sums) {
        all.update(&PADDING[..start - end]);
        all.combine(&Hasher::new_with_initial_len(sum, tensor.num_bytes() as u64));
        end = start + tensor.num_bytes();
    }
    all.update(&PADDING[..last - end]);
    all.finalize()
}

fn read_program(r: &mut Reader<'_>) -> WireResult<(Program, Vec<StoredConstant>)> {
    let mut program = Program {
        functions: r.list(encode::read_function)?,
        kernels: r.list(encode::read_kernel)?,
        packed_names: r.list(Reader::string)?,
        devices: vec![DeviceKind::Cpu],
        ..Program::default()
    };
    // The first version knew one device and no sources.
    if r.version() >= 2 {
        program.devices = r.list(encode::read_device_kind)?;
        program.files = r.list(Reader::string)?;
    }
    let places = r.list(|r| {
        Ok(StoredConstant {
            dtype: encode::read_dtype(r)?,
            shape: r.list(Reader::i64)?,
            start: r.u64()?,
            checksum: r.u32()?,
        })
    })?;
    Ok((program, places))
}
