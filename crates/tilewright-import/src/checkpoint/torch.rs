//! Files of `torch.save`: a zip archive with a pickle and the storages, or the stream of versions before 1.6.
//!
//! The pickle is read by the reader that knows tensors and plain containers and calls nothing else. What it holds,
//! often dictionaries in dictionaries, becomes a list: tensors by the path of keys to them (`model.layers.0.weight`),
//! and the rest as metadata by the same paths. A tensor is a view of its storage in the file, with its strides.

use std::cell::RefCell;

use tilewright_support::OrderedMap;
use tilewright_tensor::{DataType, SharedBytes, Tensor};

use super::entry::Entry;
use super::{Contents, Meta};
use crate::pickle::{Place, Value, read_torch};
use crate::{ImportError, zip};

pub(super) const NAME: &str = "torch";

/// How a file before version 1.6 begins: a pickle of a long integer.
const OLD_MAGIC: &[u8] = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
/// Containers inside each other, of which tensors get names.
const MAX_DEPTH: usize = 32;

fn wrong(message: impl Into<String>) -> ImportError {
    ImportError::new(NAME, message)
}

/// The folder of an archive that holds the pickle, with its slash; none where it is no file of `torch.save`.
pub(super) fn folder_of(members: &[zip::Member]) -> Option<String> {
    let folder = |member: &zip::Member| match member.name.strip_suffix("data.pkl") {
        Some(folder) if folder.is_empty() || folder.ends_with('/') => Some(folder.to_owned()),
        _ => None,
    };
    members.iter().find_map(folder)
}

pub(super) fn read(bytes: &SharedBytes, members: &[zip::Member], folder: &str) -> Result<Contents, ImportError> {
    let mut sorted: Vec<&zip::Member> = members.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    let find = |name: &str| {
        let name = format!("{folder}{name}");
        let place = sorted.binary_search_by(|member| member.name.as_str().cmp(&name)).ok()?;
        sorted.get(place).copied()
    };
    if find("constants.pkl").is_some() && members.iter().any(|member| member.name.contains("/code/")) {
        return Err(wrong("a TorchScript program, of which no code is read: save its `state_dict()` with torch.save"));
    }
    let text = |name: &str| find(name).map(|member| member.read(bytes, all)).transpose().map_err(wrong);
    if text("byteorder")?.is_some_and(|order| order != b"little") {
        return Err(wrong("the file is big-endian: only little-endian ones are read"));
    }
    let pickle = text("data.pkl")?.ok_or_else(|| wrong("the archive has no `data.pkl`"))?;
    let mut storage = |key: &str, _: u64| {
        let member = find(&format!("data/{key}")).ok_or_else(|| format!("the archive has no storage {key:?}"))?;
        let range = member.range().ok_or_else(|| format!("the storage {key:?} is compressed, and is not read"))?;
        Ok(Some(Place { bytes: bytes.clone(), range }))
    };
    let (value, _) = read_torch(&pickle, &mut storage)?;
    flatten(value, bytes.len())
}

/// All that a reader gives: its size was checked when the archive was opened.
fn all(reader: &mut dyn std::io::Read) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// Whether the bytes are a file of `torch.save` before version 1.6.
pub(super) fn is_of_old_form(bytes: &[u8]) -> bool {
    bytes.starts_with(OLD_MAGIC)
}

/// Pickles one after the other: the magic number, the version, facts about the machine, the value, the keys of the
/// storages; then the number of elements and the elements of each storage.
pub(super) fn read_old_form(bytes: &SharedBytes) -> Result<Contents, ImportError> {
    let mut at = OLD_MAGIC.len();
    let sizes: RefCell<OrderedMap<String, u64>> = RefCell::default();
    // Which storages there are is known at the end: a first pass collects their sizes.
    let mut collect = |key: &str, size: u64| {
        sizes.borrow_mut().insert(key.to_owned(), size);
        Ok(None)
    };
    let mut next = |at: &mut usize| -> Result<Value, ImportError> {
        let (value, length) = read_torch(bytes.get(*at..).unwrap_or(&[]), &mut collect)?;
        *at += length;
        Ok(value)
    };
    if next(&mut at)? != Value::Int(1001) {
        return Err(wrong("the version of the stream is not 1001"));
    }
    let machine = next(&mut at)?;
    if machine.get("little_endian").is_some_and(|little| *little != Value::Bool(true)) {
        return Err(wrong("the file is big-endian: only little-endian ones are read"));
    }
    let start = at;
    next(&mut at)?;
    let Value::List(keys) = next(&mut at)? else { return Err(wrong("expected the keys of the storages")) };
    let mut places: OrderedMap<&str, Place> = OrderedMap::default();
    let sizes = sizes.into_inner();
    for key in &keys {
        let Value::Str(key) = key else { return Err(wrong("the key of a storage is no text")) };
        let size = *sizes.get(key).ok_or_else(|| wrong(format!("no tensor has the storage {key:?}")))?;
        let begin = at.saturating_add(8);
        let end = usize::try_from(size).ok().and_then(|size| begin.checked_add(size));
        let end = end.filter(|end| *end <= bytes.len());
        let end = end.ok_or_else(|| wrong(format!("the storage {key:?} of {size} bytes is cut off")))?;
        places.insert(key, Place { bytes: bytes.clone(), range: begin..end });
        at = end;
    }
    let mut find = |key: &str, _: u64| {
        places.get(key).cloned().map(Some).ok_or_else(|| format!("the file has no storage {key:?}"))
    };
    let (value, _) = read_torch(bytes.get(start..).unwrap_or(&[]), &mut find)?;
    flatten(value, bytes.len())
}

/// Tensors and metadata by the paths of keys to them. `length` is that of the file, which bounds the names.
pub(super) fn flatten(value: Value, length: usize) -> Result<Contents, ImportError> {
    let mut list = Flat { contents: Contents::default(), budget: length.saturating_mul(16).saturating_add(1 << 16) };
    if let Value::Array(tensor) = value {
        list.contents.entries.push(Entry::of_tensor("data".to_owned(), tensor));
    } else if let Some(meta) = list.add(value, "", 0)? {
        match meta {
            Meta::Map(items) => list.contents.metadata.extend(items),
            other => list.contents.metadata.push(("value".to_owned(), other)),
        }
    }
    Ok(list.contents)
}

struct Flat {
    contents: Contents,
    /// Bytes that names may still take.
    budget: usize,
}

impl Flat {
    /// Adds the tensors of a value, and the metadata next to them. A value without tensors comes back as metadata.
    fn add(&mut self, value: Value, path: &str, depth: usize) -> Result<Option<Meta>, ImportError> {
        let parts: Vec<(String, Value)> = match value {
            Value::Array(tensor) => {
                self.contents.entries.push(Entry::of_tensor(path.to_owned(), tensor));
                return Ok(None);
            }
            Value::Dict(items) => items.into_iter().map(|(key, value)| (key_text(&key), value)).collect(),
            Value::List(items) | Value::Tuple(items) | Value::Set(items) => {
                let has_tensors = items.iter().any(|item| has_tensors(item, depth));
                if !has_tensors {
                    return Ok(Some(Meta::List(items.into_iter().map(plain).collect())));
                }
                items.into_iter().enumerate().map(|(number, item)| (number.to_string(), item)).collect()
            }
            other => return Ok(Some(plain(other))),
        };
        if depth >= MAX_DEPTH {
            return Err(wrong(format!("containers are nested deeper than {MAX_DEPTH}")));
        }
        let (before, mut metadata) = (self.contents.entries.len(), Vec::new());
        for (key, value) in parts {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            self.budget = self.budget.checked_sub(path.len()).ok_or_else(|| wrong("names that are far too long"))?;
            if let Some(meta) = self.add(value, &path, depth + 1)? {
                metadata.push((key, path, meta));
            }
        }
        if self.contents.entries.len() == before && depth > 0 {
            return Ok(Some(Meta::Map(metadata.into_iter().map(|(key, _, meta)| (key, meta)).collect())));
        }
        self.contents.metadata.extend(metadata.into_iter().map(|(_, path, meta)| (path, meta)));
        Ok(None)
    }
}

fn has_tensors(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(_) => true,
        Value::Dict(items) => depth < MAX_DEPTH && items.iter().any(|(_, item)| has_tensors(item, depth + 1)),
        Value::List(items) | Value::Tuple(items) | Value::Set(items) => {
            depth < MAX_DEPTH && items.iter().any(|item| has_tensors(item, depth + 1))
        }
        _ => false,
    }
}

fn key_text(key: &Value) -> String {
    match key {
        Value::Str(text) => text.clone(),
        Value::Int(number) => number.to_string(),
        other => plain(other.clone()).to_string(),
    }
}

/// A value without tensors.
fn plain(value: Value) -> Meta {
    match value {
        Value::None => Meta::Null,
        Value::Bool(value) => Meta::Bool(value),
        Value::Int(value) => Meta::Int(value),
        Value::Float(value) => Meta::Float(value),
        Value::Str(text) => Meta::Text(text),
        Value::Bytes(bytes) => {
            let length = bytes.len() as i64;
            Tensor::from_bytes(DataType::U8, &[length], &bytes).map_or(Meta::Null, Meta::Numbers)
        }
        Value::List(items) | Value::Tuple(items) | Value::Set(items) => {
            Meta::List(items.into_iter().map(plain).collect())
        }
        Value::Dict(items) => Meta::Map(items.into_iter().map(|(key, value)| (key_text(&key), plain(value))).collect()),
        Value::Array(tensor) => Meta::Numbers(tensor),
    }
}
