//! A tensor of a checkpoint: how it is stored, and how it is read.

use std::fmt;

use tilewright_tensor::{DataType, SharedBytes, Tensor};

use super::gguf::BlockType;
use crate::{ImportError, npy, zip};

/// How the elements of a tensor are stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stored {
    /// As tensors have them.
    Plain(DataType),
    /// In blocks of GGUF, which are read as float32.
    Blocks(BlockType),
    /// Float32, of which the upper halves are stored.
    HalvesOfFloat32,
    /// As no tensor has them: they are listed, and not read.
    Other(&'static str),
}

impl Stored {
    /// The data type of the tensor that is read; none where it is not read.
    pub fn dtype(self) -> Option<DataType> {
        match self {
            Self::Plain(dtype) => Some(dtype),
            Self::Blocks(block) => block.is_decoded().then_some(DataType::F32),
            Self::HalvesOfFloat32 => Some(DataType::F32),
            Self::Other(_) => None,
        }
    }
}

impl fmt::Display for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(dtype) => write!(f, "{dtype}"),
            Self::Blocks(block) => f.write_str(block.name()),
            Self::HalvesOfFloat32 => f.write_str("f32-to-bf16"),
            Self::Other(name) => f.write_str(name),
        }
    }
}

/// A tensor of a checkpoint.
#[derive(Clone, Debug)]
pub struct Entry {
    name: String,
    shape: Vec<i64>,
    stored: Stored,
    bytes: u64,
    source: Source,
    /// The number of the file.
    pub(super) file: usize,
}

/// Where the elements are.
#[derive(Clone, Debug)]
enum Source {
    /// In row-major order from an offset on.
    Compact(SharedBytes, usize),
    /// A view of a file, or a tensor that a file's reader made.
    Tensor(Tensor),
    /// An array of an archive.
    Member(SharedBytes, zip::Member),
}

impl Entry {
    /// A tensor whose elements lie in row-major order in `bytes`, within `range`.
    pub(super) fn compact(
        name: String,
        shape: Vec<i64>,
        stored: Stored,
        bytes: &SharedBytes,
        range: std::ops::Range<usize>,
    ) -> Self {
        let source = Source::Compact(bytes.clone(), range.start);
        Self { name, shape, stored, bytes: range.len() as u64, source, file: 0 }
    }

    pub(super) fn of_tensor(name: String, tensor: Tensor) -> Self {
        let (shape, stored) = (tensor.shape().to_vec(), Stored::Plain(tensor.dtype()));
        Self { name, shape, stored, bytes: tensor.num_bytes() as u64, source: Source::Tensor(tensor), file: 0 }
    }

    pub(super) fn of_member(
        name: String,
        (dtype, shape): (DataType, Vec<i64>),
        archive: &SharedBytes,
        member: zip::Member,
    ) -> Self {
        let (bytes, stored) = (member.stored_bytes() as u64, Stored::Plain(dtype));
        Self { name, shape, stored, bytes, source: Source::Member(archive.clone(), member), file: 0 }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    pub fn stored(&self) -> Stored {
        self.stored
    }

    /// Bytes of the file that the elements take.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The number of the file in [`super::Checkpoint::files`] that the elements are in.
    pub fn file(&self) -> usize {
        self.file
    }

    /// The tensor, with the data type of [`Stored::dtype`]. Elements that lie in the file as tensors have them,
    /// aligned, are not copied; that tensor is read-only.
    ///
    /// # Errors
    /// If the elements are of a type that is not read, or damaged.
    pub fn tensor(&self) -> Result<Tensor, ImportError> {
        let made = match (&self.source, self.stored) {
            (Source::Compact(bytes, offset), Stored::Plain(dtype)) => {
                Tensor::from_shared_compact(bytes, dtype, &self.shape, *offset).map_err(|error| error.to_string())
            }
            (Source::Compact(..), Stored::Blocks(block)) => self
                .stored_bytes()
                .and_then(|bytes| block.decode(bytes))
                .and_then(|values| Tensor::from_vec(&self.shape, values).map_err(|error| error.to_string())),
            (Source::Compact(..), Stored::HalvesOfFloat32) => self.stored_bytes().and_then(|bytes| {
                let halves =
                    bytes.chunks_exact(2).map(|half| f32::from_bits(u32::from_le_bytes([0, 0, half[0], half[1]])));
                Tensor::from_vec(&self.shape, halves.collect()).map_err(|error| error.to_string())
            }),
            (Source::Compact(..), Stored::Other(name)) => {
                Err(format!("elements of type {name} are not read; their bytes are"))
            }
            (Source::Tensor(tensor), _) => checked(tensor),
            (Source::Member(archive, member), _) => member.read(archive, |reader| npy::read_from(reader)),
        };
        made.map_err(|message| self.error(&message))
    }

    /// The bytes of the elements as the file has them, as a vector of uint8, without a copy.
    ///
    /// # Errors
    /// If the elements are not stored in row-major order.
    pub fn raw(&self) -> Result<Tensor, ImportError> {
        let made = match &self.source {
            Source::Compact(bytes, offset) => {
                let length = i64::try_from(self.bytes).unwrap_or(i64::MAX);
                Tensor::from_shared_compact(bytes, DataType::U8, &[length], *offset).map_err(|error| error.to_string())
            }
            Source::Tensor(_) | Source::Member(..) => {
                Err("the file does not have its elements in row-major order at one place: take the tensor".to_owned())
            }
        };
        made.map_err(|message| self.error(&message))
    }

    fn stored_bytes(&self) -> Result<&[u8], String> {
        let Source::Compact(bytes, offset) = &self.source else { return Err("it is not stored as bytes".to_owned()) };
        let end = usize::try_from(self.bytes).ok().and_then(|length| offset.checked_add(length));
        end.and_then(|end| bytes.get(*offset..end)).ok_or_else(|| "its bytes are not all in the file".to_owned())
    }

    fn error(&self, message: &str) -> ImportError {
        ImportError::new("checkpoint", format!("the tensor {:?}: {message}", self.name))
    }
}

/// Refuses entries that have bytes of a file in common.
pub(super) fn refuse_overlaps(format: &'static str, entries: &[Entry]) -> Result<(), ImportError> {
    let place = |entry: &Entry| match &entry.source {
        Source::Compact(_, offset) if entry.bytes > 0 => Some((entry.file, *offset as u64)),
        _ => None,
    };
    let mut sorted: Vec<&Entry> = entries.iter().filter(|entry| place(entry).is_some()).collect();
    sorted.sort_by_key(|entry| place(entry));
    let overlap = |pair: &&[&Entry]| match (place(pair[0]), place(pair[1])) {
        (Some((file, first)), Some((other, second))) => file == other && second - first < pair[0].bytes,
        _ => false,
    };
    match sorted.windows(2).find(overlap) {
        Some(pair) => {
            Err(ImportError::new(format, format!("the tensors {:?} and {:?} overlap", pair[0].name, pair[1].name)))
        }
        None => Ok(()),
    }
}

/// A view as it is, or a copy where tensors promise something that it does not keep.
fn checked(tensor: &Tensor) -> Result<Tensor, String> {
    let tensor =
        if tensor.is_aligned() { tensor.clone() } else { tensor.copied().map_err(|error| error.to_string())? };
    if tensor.dtype().is_bool() {
        let compact = tensor.to_contiguous().map_err(|error| error.to_string())?;
        let bytes = compact.as_bytes().map_err(|error| error.to_string())?;
        if let Some(byte) = bytes.iter().find(|&&byte| byte > 1) {
            return Err(format!("a bool holds the byte {byte}, expected 0 or 1"));
        }
    }
    Ok(tensor)
}
