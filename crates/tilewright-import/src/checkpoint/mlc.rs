//! `ndarray-cache.json`: a list of shards, files of bytes, with the tensors that are in each, as MLC-LLM has them.
//!
//! A tensor is stored `raw`, or as `f32-to-bf16`: the upper halves of float32. The checksums of the shards are not
//! compared, because a shard is read only where its tensors are.

use tilewright_tensor::{DataType, Layout, SharedBytes};

use super::entry::{Entry, Stored, refuse_overlaps};
use super::json::Json;
use super::{Contents, Meta};
use crate::ImportError;

pub(super) const NAME: &str = "ndarray-cache";

/// Gives the bytes of a file of the folder, and its number among the files.
pub(super) type OpenFile<'a> = dyn FnMut(&str) -> Result<(SharedBytes, usize), ImportError> + 'a;

/// What the list says of a tensor.
#[derive(Default)]
struct Record {
    name: Option<String>,
    shape: Option<Vec<i64>>,
    dtype: Option<String>,
    format: Option<String>,
    bytes: Option<u64>,
    offset: Option<u64>,
}

pub(super) fn read(text: &[u8], open: &mut OpenFile<'_>) -> Result<Contents, ImportError> {
    let mut json = Json::new(NAME, text, 0)?;
    let mut contents = Contents::default();
    json.object(&mut |json, key| {
        match &*key {
            "metadata" => match json.value()? {
                Meta::Map(items) => contents.metadata = items,
                Meta::Null => {}
                _ => return Err(json.error("`metadata` is no object")),
            },
            "records" => json.array(&mut |json| shard(json, open, &mut contents))?,
            _ => json.skip()?,
        }
        Ok(())
    })?;
    json.end()?;
    refuse_overlaps(NAME, &contents.entries)?;
    Ok(contents)
}

/// Reads the object of a shard and opens its file.
fn shard(json: &mut Json<'_>, open: &mut OpenFile<'_>, contents: &mut Contents) -> Result<(), ImportError> {
    let (mut path, mut length, mut records) = (None, None, Vec::new());
    json.object(&mut |json, key| {
        match &*key {
            "dataPath" => path = Some(json.string()?.into_owned()),
            "nbytes" => length = Some(json.unsigned()?),
            "format" => match json.string()?.as_ref() {
                "raw-shard" => {}
                other => return Err(json.error(format!("shards of the format {other:?} are not read"))),
            },
            "records" => json.array(&mut |json| {
                records.push(record(json)?);
                Ok(())
            })?,
            _ => json.skip()?,
        }
        Ok(())
    })?;
    let path = path.ok_or_else(|| json.error("a shard without its `dataPath`"))?;
    let (bytes, file) = open(&path)?;
    if length.is_some_and(|length| length != bytes.len() as u64) {
        let message = format!("the shard {path:?} should have {} bytes, found {}", length.unwrap_or(0), bytes.len());
        return Err(json.error(message));
    }
    for record in records {
        let mut entry =
            record.entry(&bytes).map_err(|message| ImportError::new(NAME, format!("{path:?}: {message}")))?;
        entry.file = file;
        contents.entries.push(entry);
    }
    Ok(())
}

fn record(json: &mut Json<'_>) -> Result<Record, ImportError> {
    let mut record = Record::default();
    json.object(&mut |json, key| {
        match &*key {
            "name" => record.name = Some(json.string()?.into_owned()),
            "shape" => record.shape = Some(json.sizes()?),
            "dtype" => record.dtype = Some(json.string()?.into_owned()),
            "format" => record.format = Some(json.string()?.into_owned()),
            "nbytes" => record.bytes = Some(json.unsigned()?),
            "byteOffset" => record.offset = Some(json.unsigned()?),
            _ => json.skip()?,
        }
        Ok(())
    })?;
    Ok(record)
}

impl Record {
    fn entry(self, shard: &SharedBytes) -> Result<Entry, String> {
        let name = self.name.ok_or("a tensor without a name")?;
        let wrong = |message: String| format!("the tensor {name:?}: {message}");
        let (Some(shape), Some(dtype), Some(bytes), Some(offset)) = (self.shape, self.dtype, self.bytes, self.offset)
        else {
            return Err(wrong("`shape`, `dtype`, `nbytes` and `byteOffset` are needed".to_owned()));
        };
        let dtype: DataType = dtype.parse().map_err(|_| wrong(format!("{dtype:?} is no data type that is known")))?;
        let (stored, kept) = match self.format.as_deref() {
            Some("f32-to-bf16") if dtype == DataType::F32 => (Stored::HalvesOfFloat32, DataType::BF16),
            Some("raw" | "f32-to-bf16") | None => (Stored::Plain(dtype), dtype),
            Some(other) => return Err(wrong(format!("the format {other:?} is not read"))),
        };
        let layout = Layout::compact(kept, &shape).map_err(|error| wrong(error.to_string()))?;
        if layout.num_bytes() as u64 != bytes {
            let message = format!("shape {shape:?} of {dtype} has {} bytes, and {bytes} are said", layout.num_bytes());
            return Err(wrong(message));
        }
        let end = offset.checked_add(bytes).filter(|end| *end <= shard.len() as u64);
        let end = end.ok_or_else(|| wrong(format!("{bytes} bytes from {offset} on are not in the shard")))?;
        Ok(Entry::compact(name, shape, stored, shard, offset as usize..end as usize))
    }
}
