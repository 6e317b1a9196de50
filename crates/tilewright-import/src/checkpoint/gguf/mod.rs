//! GGUF, versions 2 and 3: metadata, then the tensors' names, shapes, types and offsets, then aligned elements.
//!
//! `"GGUF"`, the version, the numbers of tensors and of metadata; a metadatum is a key, a type and a value; a tensor is
//! a name, its dimensions (the innermost first), its type and its offset in the data. Numbers are little-endian. The
//! data begins at the next multiple of `general.alignment`. [`BlockType`] has the types in blocks.

mod blocks;

use std::ops::Range;

use tilewright_tensor::{DataType, SharedBytes, Tensor};

use super::entry::{Entry, Stored, refuse_overlaps};
use super::{Contents, Meta};
use crate::ImportError;

pub use blocks::BlockType;

pub(super) const NAME: &str = "gguf";
pub(super) const MAGIC: [u8; 4] = *b"GGUF";

const DEFAULT_ALIGNMENT: u64 = 32;
/// Dimensions of a tensor, at most; the format's own library has 4.
const MAX_DIMS: u32 = 8;
/// Arrays of metadata inside each other, at most.
const MAX_DEPTH: usize = 8;
/// Bytes of the shortest metadatum: the length of a key, a type, a value of one byte.
const MIN_METADATUM: u64 = 13;
/// Bytes of the shortest tensor: the length of a name, a number of dimensions, a type, an offset.
const MIN_TENSOR: u64 = 24;

/// A place in the header.
struct Reader<'a> {
    bytes: &'a SharedBytes,
    at: usize,
}

type Res<T> = Result<T, ImportError>;

pub(super) fn read(bytes: &SharedBytes) -> Res<Contents> {
    let mut reader = Reader { bytes, at: MAGIC.len() };
    let version = reader.u32()?;
    match version {
        2 | 3 => {}
        1 => return Err(reader.error("version 1 is not read: convert the file to version 3")),
        _ if matches!(version.swap_bytes(), 1..=16) => {
            return Err(reader.error("a big-endian file: only little-endian ones are read"));
        }
        _ => return Err(reader.error(format!("versions 2 and 3 are read, found {version}"))),
    }
    let (tensors, metadata) = (reader.u64()?, reader.u64()?);
    reader.has_room(metadata, MIN_METADATUM, "metadata")?;
    reader.has_room(tensors, MIN_TENSOR, "tensors")?;
    let mut contents = Contents::default();
    for _ in 0..metadata {
        let key = reader.string()?;
        let kind = reader.u32()?;
        let value = reader.value(kind, 0)?;
        contents.metadata.push((key, value));
    }
    refuse_duplicates(&contents.metadata)?;
    let infos: Vec<Info> = (0..tensors).map(|_| reader.info()).collect::<Res<_>>()?;
    let alignment = alignment(&contents.metadata)?;
    let data = (reader.at as u64).checked_next_multiple_of(alignment).unwrap_or(u64::MAX);
    let mut ranges = Vec::with_capacity(infos.len());
    for info in &infos {
        ranges.push(info.range(data, alignment, bytes.len())?);
    }
    let entries = infos.into_iter().zip(ranges);
    contents
        .entries
        .extend(entries.map(|(info, range)| Entry::compact(info.name, info.shape, info.stored, bytes, range)));
    refuse_overlaps(NAME, &contents.entries)?;
    Ok(contents)
}

fn alignment(metadata: &[(String, Meta)]) -> Res<u64> {
    let Some((_, value)) = metadata.iter().find(|(key, _)| key == "general.alignment") else {
        return Ok(DEFAULT_ALIGNMENT);
    };
    let found = value.as_u64().filter(|alignment| alignment.is_power_of_two() && *alignment <= 1 << 20);
    found.ok_or_else(|| ImportError::new(NAME, format!("`general.alignment` is {value}, expected a power of two")))
}

fn refuse_duplicates(metadata: &[(String, Meta)]) -> Res<()> {
    let mut keys: Vec<&str> = metadata.iter().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    match keys.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(ImportError::new(NAME, format!("the key {:?} of the metadata is there twice", pair[0]))),
        None => Ok(()),
    }
}

/// What the header says of a tensor.
struct Info {
    name: String,
    shape: Vec<i64>,
    stored: Stored,
    /// Of all elements.
    bytes: u64,
    offset: u64,
}

impl Info {
    /// Where the elements are in the file.
    fn range(&self, data: u64, alignment: u64, file: usize) -> Res<Range<usize>> {
        let wrong = |message: String| ImportError::new(NAME, format!("the tensor {:?} {message}", self.name));
        if !self.offset.is_multiple_of(alignment) {
            return Err(wrong(format!("begins at {}, which is no multiple of the alignment {alignment}", self.offset)));
        }
        let begin = data.checked_add(self.offset);
        let end = begin.and_then(|begin| begin.checked_add(self.bytes)).filter(|end| *end <= file as u64);
        let (Some(begin), Some(end)) = (begin, end) else {
            let message =
                format!("takes {} bytes from {} of the data on: the file is cut off", self.bytes, self.offset);
            return Err(wrong(message));
        };
        Ok(begin as usize..end as usize)
    }
}

/// The plain type of a number of an element type.
fn plain(number: u32) -> Option<DataType> {
    Some(match number {
        0 => DataType::F32,
        1 => DataType::F16,
        24 => DataType::I8,
        25 => DataType::I16,
        26 => DataType::I32,
        27 => DataType::I64,
        28 => DataType::F64,
        30 => DataType::BF16,
        _ => return None,
    })
}

impl Reader<'_> {
    fn error(&self, message: impl Into<String>) -> ImportError {
        ImportError::at(NAME, self.at, message)
    }

    /// Refuses a number of things that the bytes left cannot hold.
    fn has_room(&self, count: u64, least: u64, kind: &str) -> Res<()> {
        let left = (self.bytes.len() - self.at) as u64;
        match count.checked_mul(least).is_some_and(|bytes| bytes <= left) {
            true => Ok(()),
            false => Err(self.error(format!("{count} {kind} do not fit into the {left} bytes that are left"))),
        }
    }

    fn take(&mut self, count: u64) -> Res<&[u8]> {
        let start = self.at;
        let end = usize::try_from(count).ok().and_then(|count| start.checked_add(count));
        let end = end.filter(|end| *end <= self.bytes.len()).ok_or_else(|| {
            self.error(format!("{count} bytes are needed, and {} are left: it is cut off", self.bytes.len() - start))
        })?;
        self.at = end;
        Ok(&self.bytes[start..end])
    }

    fn array<const N: usize>(&mut self) -> Res<[u8; N]> {
        let mut taken = [0; N];
        taken.copy_from_slice(self.take(N as u64)?);
        Ok(taken)
    }

    fn u32(&mut self) -> Res<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Res<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn string(&mut self) -> Res<String> {
        let length = self.u64()?;
        let start = self.at;
        let text = std::str::from_utf8(self.take(length)?).map(str::to_owned);
        text.map_err(|error| ImportError::at(NAME, start + error.valid_up_to(), "a text that is not UTF-8"))
    }

    fn value(&mut self, kind: u32, depth: usize) -> Res<Meta> {
        Ok(match kind {
            0 => Meta::UInt(self.array::<1>()?[0].into()),
            1 => Meta::Int(i8::from_le_bytes(self.array()?).into()),
            2 => Meta::UInt(u16::from_le_bytes(self.array()?).into()),
            3 => Meta::Int(i16::from_le_bytes(self.array()?).into()),
            4 => Meta::UInt(self.u32()?.into()),
            5 => Meta::Int(i32::from_le_bytes(self.array()?).into()),
            6 => Meta::Float(f32::from_le_bytes(self.array()?).into()),
            7 => match self.array::<1>()?[0] {
                value @ (0 | 1) => Meta::Bool(value == 1),
                value => return Err(self.error(format!("a bool of the value {value}"))),
            },
            8 => Meta::Text(self.string()?),
            9 => self.list(depth)?,
            10 => Meta::UInt(self.u64()?),
            11 => Meta::Int(i64::from_le_bytes(self.array()?)),
            12 => Meta::Float(f64::from_le_bytes(self.array()?)),
            _ => return Err(self.error(format!("{kind} is no type of metadata"))),
        })
    }

    fn list(&mut self, depth: usize) -> Res<Meta> {
        if depth >= MAX_DEPTH {
            return Err(self.error(format!("arrays that are nested deeper than {MAX_DEPTH}")));
        }
        let (kind, count) = (self.u32()?, self.u64()?);
        let types = [
            DataType::U8,
            DataType::I8,
            DataType::U16,
            DataType::I16,
            DataType::U32,
            DataType::I32,
            DataType::F32,
            DataType::BOOL,
        ];
        let dtype = match kind {
            0..=7 => types[kind as usize],
            10 => DataType::U64,
            11 => DataType::I64,
            12 => DataType::F64,
            8 | 9 => {
                self.has_room(count, if kind == 8 { 8 } else { 12 }, "items of an array")?;
                let items = (0..count).map(|_| self.value(kind, depth + 1));
                return items.collect::<Res<_>>().map(Meta::List);
            }
            _ => return Err(self.error(format!("{kind} is no type of the items of an array"))),
        };
        self.has_room(count, dtype.bytes() as u64, "items of an array")?;
        let start = self.at;
        self.take(count * dtype.bytes() as u64)?;
        let made = Tensor::from_shared_compact(self.bytes, dtype, &[count as i64], start);
        made.map(Meta::Numbers).map_err(|error| ImportError::at(NAME, start, error.to_string()))
    }

    fn info(&mut self) -> Res<Info> {
        let name = self.string()?;
        let wrong = |reader: &Self, message: String| reader.error(format!("the tensor {name:?}: {message}"));
        let dims = self.u32()?;
        if dims > MAX_DIMS {
            return Err(wrong(self, format!("{dims} dimensions are more than {MAX_DIMS}")));
        }
        let mut shape = Vec::with_capacity(dims as usize);
        for _ in 0..dims {
            let dim = self.u64()?;
            shape.push(i64::try_from(dim).map_err(|_| wrong(self, format!("{dim} is larger than any size")))?);
        }
        let row = shape.first().copied().unwrap_or(1) as u64;
        shape.reverse();
        let elements = shape.iter().try_fold(1u64, |product, &dim| product.checked_mul(dim as u64));
        let kind = self.u32()?;
        let (stored, per_block, block_bytes) = match (plain(kind), BlockType::of_number(kind)) {
            (Some(dtype), _) => (Stored::Plain(dtype), 1, dtype.bytes()),
            (None, Some(block)) => (Stored::Blocks(block), block.elements(), block.bytes()),
            (None, None) => return Err(wrong(self, format!("{kind} is no element type that is known"))),
        };
        if !row.is_multiple_of(per_block as u64) {
            return Err(wrong(self, format!("rows of {row} elements are no whole blocks of {per_block} ({stored})")));
        }
        let bytes = elements.and_then(|elements| (elements / per_block as u64).checked_mul(block_bytes as u64));
        let bytes = bytes.ok_or_else(|| wrong(self, format!("the shape {shape:?} is larger than any memory")))?;
        Ok(Info { name, shape, stored, bytes, offset: self.u64()? })
    }
}
