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
//! kernels, packed names, where the constants are, devices, names of source files), images, constants, metadata, symbols.
//! The constants' bytes are not touched when a file is opened, so that a mapped file's weights are read when they are
//! used; each constant has a checksum of its own, for the first use.
//!
//! # Versions
//!
//! A file says with which version of the format it was written. This crate writes [`FORMAT_VERSION`] and reads every
//! version from [`OLDEST_FORMAT_VERSION`] on, which is at least one before. The rule for those who change the format:
//!
//! - Any change to the bytes takes the next [`FORMAT_VERSION`]: a new instruction, a new field, a new section.
//! - The reader of what changed asks `Reader::version` and reads older bytes as they were, giving the new fields the
//!   meaning that their absence had. Numbers that stood for something are not used for something else.
//! - `tests/corpus` keeps files of every version that is read, with their text; the tests read all of them. A new version
//!   adds a folder.
//! - A section whose kind has its highest bit set may be passed over by those who do not know it; an unknown section
//!   without it is refused.
//! - Machine code has a version of its own, [`tilewright_tensor::abi::ABI_VERSION`], and a window of its own.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use tilewright_tensor::abi::{ABI_VERSION, OLDEST_ABI_VERSION, TENSOR_ALIGN};
use tilewright_tensor::{DataType, Layout, Tensor, TensorError};

use crate::encode;
use crate::image::Image;
use crate::program::{DeviceKind, Program};
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

/// The bytes of an executable, in memory or mapped: a read-only byte tensor whose address is a multiple of 64. What
/// `compile` holds, what is saved and what is loaded are these same bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExecutableBytes(Tensor);

/// The checksums of a package's constants, for use when they are first read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConstantChecksums(Vec<u32>);

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

    /// A byte tensor that is already at hand, such as a mapped file. Copied if its address is not aligned.
    pub fn new(bytes: Tensor) -> Result<Self, TensorError> {
        if bytes.dtype() != DataType::U8 {
            return Err(TensorError::WrongType { expected: DataType::U8, found: bytes.dtype() });
        }
        let bytes = match bytes.is_contiguous() && (bytes.data_ptr() as usize).is_multiple_of(TENSOR_ALIGN) {
            true => bytes,
            false => bytes.copied()?,
        };
        Ok(Self(bytes.reshape(&[bytes.num_elements() as i64])?.to_read_only()))
    }

    pub fn as_slice(&self) -> &[u8] {
        // `new` made sure that the tensor is contiguous.
        self.0.as_bytes().unwrap_or_default()
    }

    /// What the file's header and table say.
    pub fn info(&self) -> Result<FileInfo, FormatError> {
        Sections::read(self.as_slice()).map(|sections| sections.info())
    }
}

impl ConstantChecksums {
    /// Whether the constant's bytes are those that were written.
    pub fn check(&self, program: &Program, index: usize) -> Result<(), FormatError> {
        let damaged = || FormatError::Checksum { section: format!("constant {index}") };
        let (Some(tensor), Some(&expected)) = (program.constants.get(index), self.0.get(index)) else {
            return Err(damaged());
        };
        if crc32fast::hash(tensor.as_bytes()?) == expected { Ok(()) } else { Err(damaged()) }
    }
}

impl Package {
    pub fn new(target: TargetInfo, program: Program) -> Self {
        Self { target, program, metadata: BTreeMap::new() }
    }

    /// The package as a file's bytes: the same package gives the same bytes. Verifies the program first.
    pub fn encode(&self) -> Result<ExecutableBytes, FormatError> {
        self.program.verify()?;
        let (program, constants_bytes) = self.write_program()?;
        let small = [
            (Kind::TARGET, self.write_target()),
            (Kind::PROGRAM, program),
            (Kind::IMAGES, self.write_images(Image::write)),
            (Kind::METADATA, self.write_metadata()),
            (Kind::SYMBOLS, self.write_images(Image::write_symbols)),
        ];
        let mut plans: Vec<Plan> = small.iter().map(|(kind, w)| Plan { kind: *kind, bytes: w.bytes.len() }).collect();
        plans.push(Plan { kind: Kind::CONSTANTS, bytes: constants_bytes });
        let (offsets, end) = sections::lay_out(&plans);
        // The file is written straight into its aligned place, so that weights are copied once.
        let mut file = Tensor::zeros(DataType::U8, &[end as i64])?;
        let bytes = file.as_mut_slice::<u8>()?;
        for ((_, section), &offset) in small.iter().zip(&offsets) {
            bytes[offset..][..section.bytes.len()].copy_from_slice(&section.bytes);
        }
        let mut offset = offsets[small.len()];
        for tensor in &self.program.constants {
            offset = offset.next_multiple_of(TENSOR_ALIGN);
            bytes[offset..][..tensor.num_bytes()].copy_from_slice(tensor.as_bytes()?);
            offset += tensor.num_bytes();
        }
        sections::write_header(bytes, &plans, &offsets);
        Ok(ExecutableBytes::new(file)?)
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

    /// The program section, and the number of bytes that the constants section takes.
    fn write_program(&self) -> Result<(Writer, usize), FormatError> {
        let mut w = Writer::default();
        w.list(&self.program.functions, encode::write_function);
        w.list(&self.program.kernels, encode::write_kernel);
        w.list(&self.program.packed_names, |w, name| w.string(name));
        w.list(&self.program.devices, encode::write_device_kind);
        w.list(&self.program.files, |w, name| w.string(name));
        w.count(self.program.constants.len());
        let mut end = 0usize;
        for tensor in &self.program.constants {
            let start = end.next_multiple_of(TENSOR_ALIGN);
            encode::write_dtype(&mut w, tensor.dtype());
            w.list(tensor.shape(), |w, dim| w.i64(*dim));
            w.u64(start as u64);
            w.u32(crc32fast::hash(tensor.as_bytes()?));
            end = start + tensor.num_bytes();
        }
        Ok((w, end))
    }

    /// The package in a file's bytes, verified. The constants are views of the bytes and are not read here:
    /// [`ConstantChecksums::check`] does that when one is first used.
    pub fn decode(file: &ExecutableBytes) -> Result<(Self, ConstantChecksums), FormatError> {
        let sections = Sections::read(file.as_slice())?;
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
            checksums.push(place.checksum);
        }
        program.verify()?;
        let metadata = metadata.into_iter().collect();
        Ok((Self { target, program, metadata }, ConstantChecksums(checksums)))
    }
}

/// Where a constant lies in its section.
struct Place {
    dtype: DataType,
    shape: Vec<i64>,
    start: u64,
    checksum: u32,
}

impl Place {
    fn tensor(&self, file: &ExecutableBytes, section: Option<Section<'_>>) -> Result<Tensor, FormatError> {
        let layout = Layout::compact(self.dtype, &self.shape)?;
        let place = section.and_then(|section| {
            let start = usize::try_from(self.start).ok()?;
            let end = start.checked_add(layout.num_bytes())?;
            if end <= section.bytes.len() { section.offset.checked_add(start) } else { None }
        });
        match place {
            Some(place) if place.is_multiple_of(TENSOR_ALIGN) => Ok(file.0.view_as(Arc::new(layout), place as i64)?),
            _ => {
                let message = format!("a constant of shape {:?} at byte {} of the section", self.shape, self.start);
                Err(FormatError::Malformed { section: "constants", message })
            }
        }
    }
}

fn read_program(r: &mut Reader<'_>) -> WireResult<(Program, Vec<Place>)> {
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
        Ok(Place { dtype: encode::read_dtype(r)?, shape: r.list(Reader::i64)?, start: r.u64()?, checksum: r.u32()? })
    })?;
    Ok((program, places))
}
