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
//! kernels, packed names, where the constants are), images, constants, metadata. The constants' bytes are not touched
//! when a file is opened, so that a mapped file's weights are read when they are used; each constant has a checksum of
//! its own, for the first use.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use tilewright_tensor::abi::{ABI_VERSION, TENSOR_ALIGN};
use tilewright_tensor::{DataType, Layout, Tensor, TensorError};

use crate::encode;
use crate::program::Program;
use crate::verify::VerifyError;
use crate::wire::{Reader, WireError, WireResult, Writer};

const MAGIC: &[u8; 8] = b"TILEWRT\0";
const FORMAT_VERSION: u32 = 1;
const HEADER_BYTES: usize = 24;
const ENTRY_BYTES: usize = 24;
/// Where the header's checksum stands.
const HEADER_CHECKSUM: usize = 20;

/// The sections in the order of the file, by the numbers that stand for them.
const SECTIONS: [(u32, &str); 5] = [(1, "target"), (2, "program"), (3, "images"), (4, "constants"), (5, "metadata")];
const CONSTANTS: usize = 3;

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
    Version { found: u32, expected: u32 },
    AbiVersion { found: u32, expected: u32 },
    Checksum { section: String },
    Malformed { section: &'static str, message: String },
    Invalid(VerifyError),
    Tensor(TensorError),
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnExecutable => f.write_str("not a Tilewright executable: the file's first bytes are others"),
            Self::Version { found, expected } => {
                write!(
                    f,
                    "the executable has format version {found}, this runtime reads version {expected}: build the model again"
                )
            }
            Self::AbiVersion { found, expected } => write!(
                f,
                "the executable's machine code has ABI version {found}, this runtime calls version {expected}: build the model again"
            ),
            Self::Checksum { section } => write!(f, "the executable is damaged: {section} does not match its checksum"),
            Self::Malformed { section, message } => write!(f, "the executable's {section} is malformed: {message}"),
            Self::Invalid(error) => write!(f, "the executable's program is invalid: {error}"),
            Self::Tensor(error) => write!(f, "{error}"),
        }
    }
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

fn malformed(section: &'static str) -> impl Fn(WireError) -> FormatError {
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
        let mut target = Writer::default();
        target.string(&self.target.triple);
        target.list(&self.target.features, |w, feature| w.string(feature));
        let mut metadata = Writer::default();
        metadata.count(self.metadata.len());
        for (key, value) in &self.metadata {
            metadata.string(key);
            metadata.string(value);
        }
        let mut images = Writer::default();
        images.list(&self.program.images, encode::write_image);
        let (program, constants_bytes) = self.write_program()?;
        let lengths =
            [target.bytes.len(), program.bytes.len(), images.bytes.len(), constants_bytes, metadata.bytes.len()];

        let mut offsets = [0usize; SECTIONS.len()];
        let mut end = HEADER_BYTES + SECTIONS.len() * ENTRY_BYTES;
        for (offset, length) in offsets.iter_mut().zip(lengths) {
            *offset = end.next_multiple_of(TENSOR_ALIGN);
            end = *offset + length;
        }
        // The file is written straight into its aligned place, so that weights are copied once.
        let mut file = Tensor::zeros(DataType::U8, &[end as i64])?;
        let bytes = file.as_mut_slice::<u8>()?;
        for (index, section) in [(0, &target), (1, &program), (2, &images), (4, &metadata)] {
            bytes[offsets[index]..][..lengths[index]].copy_from_slice(&section.bytes);
        }
        let mut offset = offsets[CONSTANTS];
        for tensor in &self.program.constants {
            offset = offset.next_multiple_of(TENSOR_ALIGN);
            bytes[offset..][..tensor.num_bytes()].copy_from_slice(tensor.as_bytes()?);
            offset += tensor.num_bytes();
        }
        write_header(bytes, offsets, lengths);
        Ok(ExecutableBytes::new(file)?)
    }

    /// The program section, and the number of bytes that the constants section takes.
    fn write_program(&self) -> Result<(Writer, usize), FormatError> {
        let mut w = Writer::default();
        w.list(&self.program.functions, encode::write_function);
        w.list(&self.program.kernels, encode::write_kernel);
        w.list(&self.program.packed_names, |w, name| w.string(name));
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
        let sections = read_sections(file.as_slice())?;
        let mut r = Reader::new(sections[0].bytes);
        let target = (|| {
            let target = TargetInfo { triple: r.string()?, features: r.list(Reader::string)? };
            r.finish()?;
            Ok(target)
        })()
        .map_err(malformed("target"))?;
        let mut r = Reader::new(sections[4].bytes);
        let metadata = (|| {
            let pairs = r.list(|r| Ok((r.string()?, r.string()?)))?;
            r.finish()?;
            Ok(pairs.into_iter().collect())
        })()
        .map_err(malformed("metadata"))?;
        let mut r = Reader::new(sections[2].bytes);
        let images = (|| {
            let images = r.list(encode::read_image)?;
            r.finish()?;
            Ok(images)
        })()
        .map_err(malformed("images"))?;
        let (mut program, places) = read_program(sections[1].bytes).map_err(malformed("program"))?;
        program.images = images;
        let mut checksums = Vec::new();
        for place in places {
            program.constants.push(place.tensor(file, &sections[CONSTANTS])?);
            checksums.push(place.checksum);
        }
        program.verify()?;
        Ok((Self { target, program, metadata }, ConstantChecksums(checksums)))
    }
}

fn write_header(bytes: &mut [u8], offsets: [usize; SECTIONS.len()], lengths: [usize; SECTIONS.len()]) {
    let mut w = Writer::default();
    w.bytes.extend_from_slice(MAGIC);
    w.u32(FORMAT_VERSION);
    w.u32(ABI_VERSION);
    w.count(SECTIONS.len());
    w.u32(0);
    for (((kind, _), offset), length) in SECTIONS.into_iter().zip(offsets).zip(lengths) {
        w.u32(kind);
        w.u32(crc32fast::hash(&bytes[offset..][..length]));
        w.u64(offset as u64);
        w.u64(length as u64);
    }
    let checksum = crc32fast::hash(&w.bytes);
    w.bytes[HEADER_CHECKSUM..][..4].copy_from_slice(&checksum.to_le_bytes());
    bytes[..w.bytes.len()].copy_from_slice(&w.bytes);
}

struct Section<'a> {
    offset: usize,
    bytes: &'a [u8],
}

/// The sections in the order of [`SECTIONS`], with all checksums right but that of the constants, which is not looked at.
fn read_sections(file: &[u8]) -> Result<[Section<'_>; SECTIONS.len()], FormatError> {
    let mut r = Reader::new(file);
    if r.take(MAGIC.len()) != Ok(MAGIC.as_slice()) {
        return Err(FormatError::NotAnExecutable);
    }
    let header = (|| Ok([r.u32()?, r.u32()?, r.u32()?, r.u32()?]))().map_err(malformed("header"))?;
    let [version, abi_version, count, checksum] = header;
    if version != FORMAT_VERSION {
        return Err(FormatError::Version { found: version, expected: FORMAT_VERSION });
    }
    if abi_version != ABI_VERSION {
        return Err(FormatError::AbiVersion { found: abi_version, expected: ABI_VERSION });
    }
    if count as usize != SECTIONS.len() {
        let message = format!("{count} sections, expected {}", SECTIONS.len());
        return Err(FormatError::Malformed { section: "header", message });
    }
    let Some(table) = file.get(..HEADER_BYTES + SECTIONS.len() * ENTRY_BYTES) else {
        let message = "the section table is cut short".to_owned();
        return Err(FormatError::Malformed { section: "header", message });
    };
    let mut zeroed = table.to_vec();
    zeroed[HEADER_CHECKSUM..][..4].fill(0);
    if crc32fast::hash(&zeroed) != checksum {
        return Err(FormatError::Checksum { section: "the header".to_owned() });
    }
    let mut sections = [const { Section { offset: 0, bytes: &[] } }; SECTIONS.len()];
    for (index, ((expected_kind, name), section)) in SECTIONS.into_iter().zip(&mut sections).enumerate() {
        let entry = (|| Ok((r.u32()?, r.u32()?, r.u64()?, r.u64()?)))().map_err(malformed("header"))?;
        let (kind, checksum, offset, length) = entry;
        let bytes = usize::try_from(offset)
            .ok()
            .filter(|_| kind == expected_kind)
            .and_then(|offset| file.get(offset..)?.get(..usize::try_from(length).ok()?));
        let Some(bytes) = bytes else {
            let message = format!("section {kind} with {length} bytes at {offset} in a file of {} bytes", file.len());
            return Err(FormatError::Malformed { section: name, message });
        };
        if index != CONSTANTS && crc32fast::hash(bytes) != checksum {
            return Err(FormatError::Checksum { section: format!("section \"{name}\"") });
        }
        *section = Section { offset: offset as usize, bytes };
    }
    Ok(sections)
}

/// Where a constant lies in its section.
struct Place {
    dtype: DataType,
    shape: Vec<i64>,
    start: u64,
    checksum: u32,
}

impl Place {
    fn tensor(&self, file: &ExecutableBytes, section: &Section<'_>) -> Result<Tensor, FormatError> {
        let layout = Layout::compact(self.dtype, &self.shape)?;
        let start = usize::try_from(self.start)
            .ok()
            .filter(|start| start.checked_add(layout.num_bytes()).is_some_and(|end| end <= section.bytes.len()));
        let place = start.and_then(|start| section.offset.checked_add(start));
        match place {
            Some(place) if place.is_multiple_of(TENSOR_ALIGN) => Ok(file.0.view_as(Arc::new(layout), place as i64)?),
            _ => {
                let message = format!("a constant of shape {:?} at byte {} of the section", self.shape, self.start);
                Err(FormatError::Malformed { section: "constants", message })
            }
        }
    }
}

fn read_program(bytes: &[u8]) -> WireResult<(Program, Vec<Place>)> {
    let mut r = Reader::new(bytes);
    let program = Program {
        functions: r.list(encode::read_function)?,
        kernels: r.list(encode::read_kernel)?,
        packed_names: r.list(Reader::string)?,
        constants: Vec::new(),
        images: Vec::new(),
    };
    let places = r.list(|r| {
        Ok(Place { dtype: encode::read_dtype(r)?, shape: r.list(Reader::i64)?, start: r.u64()?, checksum: r.u32()? })
    })?;
    r.finish()?;
    Ok((program, places))
}
