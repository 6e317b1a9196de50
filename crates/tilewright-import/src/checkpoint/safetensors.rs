//! safetensors: the length of a header in 8 bytes, a header in JSON, the elements.
//!
//! The header is an object of tensors by name, each with `dtype`, `shape` and `data_offsets` (from the end of the
//! header on), and texts in `__metadata__`. The elements fill the rest of the file: no gaps, no overlaps.

use tilewright_tensor::{DataType, SharedBytes};

use super::entry::{Entry, Stored};
use super::json::Json;
use super::{Contents, Meta};
use crate::ImportError;

pub(super) const NAME: &str = "safetensors";
/// Bytes of a header, at most; the format's own library has the same limit.
const MAX_HEADER: u64 = 100_000_000;

/// Element types by their names, with the bits of an element.
const TYPES: [(&str, Stored, u64); 22] = [
    ("BOOL", Stored::Plain(DataType::BOOL), 8),
    ("U8", Stored::Plain(DataType::U8), 8),
    ("I8", Stored::Plain(DataType::I8), 8),
    ("U16", Stored::Plain(DataType::U16), 16),
    ("I16", Stored::Plain(DataType::I16), 16),
    ("U32", Stored::Plain(DataType::U32), 32),
    ("I32", Stored::Plain(DataType::I32), 32),
    ("U64", Stored::Plain(DataType::U64), 64),
    ("I64", Stored::Plain(DataType::I64), 64),
    ("F16", Stored::Plain(DataType::F16), 16),
    ("BF16", Stored::Plain(DataType::BF16), 16),
    ("F32", Stored::Plain(DataType::F32), 32),
    ("F64", Stored::Plain(DataType::F64), 64),
    ("F8_E4M3", Stored::Plain(DataType::F8_E4M3FN), 8),
    ("F8_E5M2", Stored::Plain(DataType::F8_E5M2), 8),
    ("F4", Stored::Plain(DataType::F4_E2M1FN), 4),
    ("F8_E8M0", Stored::Other("F8_E8M0"), 8),
    ("F8_E4M3FNUZ", Stored::Other("F8_E4M3FNUZ"), 8),
    ("F8_E5M2FNUZ", Stored::Other("F8_E5M2FNUZ"), 8),
    ("F6_E2M3", Stored::Other("F6_E2M3"), 6),
    ("F6_E3M2", Stored::Other("F6_E3M2"), 6),
    ("C64", Stored::Other("C64"), 64),
];

/// Whether the bytes begin as such a file does: a plausible length, then an object.
pub(super) fn is_safetensors(bytes: &[u8]) -> bool {
    let length = bytes.first_chunk().map(|length| u64::from_le_bytes(*length));
    length.is_some_and(|length| length <= MAX_HEADER) && bytes.get(8) == Some(&b'{')
}

pub(super) fn read(bytes: &SharedBytes) -> Result<Contents, ImportError> {
    let wrong = |offset: usize, message: String| ImportError::at(NAME, offset, message);
    let length = bytes.first_chunk().map(|length| u64::from_le_bytes(*length));
    let length = length.ok_or_else(|| wrong(0, "the file ends before the length of its header".to_owned()))?;
    if length > MAX_HEADER {
        return Err(wrong(0, format!("a header of {length} bytes is longer than the {MAX_HEADER} that are allowed")));
    }
    let end = 8 + length as usize;
    let header = bytes.get(8..end).ok_or_else(|| {
        wrong(0, format!("the header has {length} bytes, and only {} are left: it is cut off", bytes.len() - 8))
    })?;
    if header.first() != Some(&b'{') {
        return Err(wrong(8, "the header does not begin with `{`".to_owned()));
    }
    let mut json = Json::new(NAME, header, 8)?;
    let mut contents = Contents::default();
    let mut ranges = Vec::new();
    let mut has_metadata = false;
    json.object(&mut |json, name| {
        if name == "__metadata__" {
            if std::mem::replace(&mut has_metadata, true) {
                return Err(json.error("`__metadata__` is there twice"));
            }
            return json.object(&mut |json, key| {
                contents.metadata.push((key.into_owned(), Meta::Text(json.string()?.into_owned())));
                Ok(())
            });
        }
        let (entry, range) = tensor(json, name.into_owned(), bytes, end)?;
        ranges.push((range, contents.entries.len()));
        contents.entries.push(entry);
        Ok(())
    })?;
    json.end()?;
    // A tensor without elements takes no place, and comes before the one that begins where it is.
    ranges.sort_by_key(|((begin, end), _)| (*begin, *end));
    let mut filled = 0;
    for ((begin, end), number) in ranges {
        if begin != filled {
            let kind = if begin < filled { "overlaps the one before it" } else { "begins after a gap" };
            let name = contents.entries[number].name();
            return Err(ImportError::new(
                NAME,
                format!("the tensor {name:?} {kind}: it begins at {begin}, and {filled} bytes of elements are taken"),
            ));
        }
        filled = end;
    }
    let left = (bytes.len() - end) as u64;
    if filled != left {
        let message = format!("the tensors have {filled} bytes, and the file has {left} after its header");
        return Err(ImportError::new(NAME, message));
    }
    Ok(contents)
}

/// The tensor of a value of the header, and the range of its elements from `data`, the header's end, on.
fn tensor(
    json: &mut Json<'_>,
    name: String,
    bytes: &SharedBytes,
    data: usize,
) -> Result<(Entry, (u64, u64)), ImportError> {
    let (mut dtype, mut shape, mut offsets) = (None, None, None);
    json.object(&mut |json, key| {
        let is_new = match &*key {
            "dtype" => dtype.replace(json.string()?).is_none(),
            "shape" => shape.replace(json.sizes()?).is_none(),
            "data_offsets" => offsets.replace(json.sizes()?).is_none(),
            other => return Err(json.error(format!("the tensor {name:?} has an unknown key {other:?}"))),
        };
        is_new.then_some(()).ok_or_else(|| json.error(format!("the tensor {name:?} has the key {key:?} twice")))
    })?;
    let (Some(dtype), Some(shape), Some(offsets)) = (dtype, shape, offsets) else {
        return Err(json.error(format!("the tensor {name:?} needs `dtype`, `shape` and `data_offsets`")));
    };
    let known = TYPES.iter().find(|(known, _, _)| *known == dtype);
    let (_, stored, bits) =
        known.ok_or_else(|| json.error(format!("the tensor {name:?}: {dtype:?} is no element type")))?;
    let [begin, end] = offsets[..] else {
        return Err(json.error(format!("the tensor {name:?}: `data_offsets` are a begin and an end")));
    };
    let (begin, end, left) = (begin as u64, end as u64, (bytes.len() - data) as u64);
    if begin > end || end > left {
        let message = format!("the tensor {name:?} takes the bytes {begin} to {end} of {left}");
        return Err(json.error(message));
    }
    let elements = shape.iter().try_fold(1u64, |product, &dim| product.checked_mul(dim as u64));
    let total = elements.and_then(|elements| elements.checked_mul(*bits)).filter(|bits| bits % 8 == 0);
    if total.map(|bits| bits / 8) != Some(end - begin) {
        let message =
            format!("the tensor {name:?} of shape {shape:?} and type {dtype} cannot have {} bytes", end - begin);
        return Err(json.error(message));
    }
    let range = data + begin as usize..data + end as usize;
    Ok((Entry::compact(name, shape, *stored, bytes, range), (begin, end)))
}
