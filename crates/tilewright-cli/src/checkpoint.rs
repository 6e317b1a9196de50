//! Checkpoints, as `tilewright inspect` shows them: a table of tensors, or everything as JSON.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde_json::{Map, Value, json};
use tilewright::import::checkpoint::{self, Checkpoint, CheckpointError, Entry, Meta};
use tilewright::tensor::Element;
use tilewright::{DataType, Tensor};

use crate::failure::{Failure, Outcome};

/// Whether the path is a folder or begins as a checkpoint does.
pub(crate) fn is_checkpoint(path: &Path) -> Outcome<bool> {
    checkpoint::is_checkpoint(path).map_err(|error| Failure::file("read", path, &error))
}

/// What the checkpoint at the path holds.
pub(crate) fn describe(path: &Path, as_json: bool) -> Outcome<String> {
    let checkpoint = Checkpoint::open(path).map_err(|error| match error {
        CheckpointError::Io { path, error } => Failure::file("read", &path, &error),
        error @ CheckpointError::Contents { .. } => Failure::Message(error.to_string()),
    })?;
    Ok(match as_json {
        true => format!("{:#}\n", to_json(&checkpoint)),
        false => table(path, &checkpoint),
    })
}

/// Sums over the tensors: their elements, their stored bytes, and how many there are of each type.
fn totals(checkpoint: &Checkpoint) -> (u128, u64, BTreeMap<String, usize>) {
    let mut types = BTreeMap::new();
    let (mut elements, mut bytes) = (0, 0u64);
    for entry in checkpoint.entries() {
        elements += entry.shape().iter().map(|&dim| dim as u128).product::<u128>();
        bytes = bytes.saturating_add(entry.bytes());
        *types.entry(entry.stored().to_string()).or_insert(0) += 1;
    }
    (elements, bytes, types)
}

fn table(path: &Path, checkpoint: &Checkpoint) -> String {
    let (elements, bytes, types) = totals(checkpoint);
    let mut out = format!("{}: {}\n", path.display(), checkpoint.format());
    // Writing to a string does not fail.
    let _ = (|| -> std::fmt::Result {
        if checkpoint.files().len() > 1 || checkpoint.files().first().is_some_and(|file| file != path) {
            writeln!(out, "\nfiles")?;
            for file in checkpoint.files() {
                writeln!(out, "  {}", file.display())?;
            }
        }
        if !checkpoint.metadata().is_empty() {
            writeln!(out, "\nmetadata")?;
            for (key, value) in checkpoint.metadata() {
                writeln!(out, "  {}: {value}", key.escape_debug())?;
            }
        }
        rows(&mut out, checkpoint.entries())?;
        let types: Vec<String> = types.iter().map(|(name, count)| format!("{count} {name}")).collect();
        let count = checkpoint.entries().len();
        writeln!(out, "\n{count} tensors of {elements} elements in {bytes} bytes: {}", types.join(", "))
    })();
    out
}

/// Name, shape, type and bytes of each tensor, in columns.
fn rows(out: &mut String, entries: &[Entry]) -> std::fmt::Result {
    let cells: Vec<[String; 4]> = entries
        .iter()
        .map(|entry| {
            let name = entry.name().escape_debug().to_string();
            [name, format!("{:?}", entry.shape()), entry.stored().to_string(), entry.bytes().to_string()]
        })
        .collect();
    if cells.is_empty() {
        return Ok(());
    }
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let [name, shape, stored, bytes] = [width(0), width(1), width(2), width(3)];
    writeln!(out, "\ntensors")?;
    for row in &cells {
        writeln!(out, "  {:<name$}  {:<shape$}  {:<stored$}  {:>bytes$}", row[0], row[1], row[2], row[3])?;
    }
    Ok(())
}

fn to_json(checkpoint: &Checkpoint) -> Value {
    let (elements, bytes, types) = totals(checkpoint);
    let file = |number: usize| checkpoint.files().get(number).map(|file| file.display().to_string());
    let tensor = |entry: &Entry| {
        json!({
            "name": entry.name(),
            "shape": entry.shape(),
            "stored": entry.stored().to_string(),
            "dtype": entry.stored().dtype().map(|dtype| dtype.to_string()),
            "bytes": entry.bytes(),
            "file": file(entry.file()),
        })
    };
    let metadata: Map<String, Value> =
        checkpoint.metadata().iter().map(|(key, value)| (key.clone(), meta_json(value))).collect();
    json!({
        "format": checkpoint.format(),
        "files": checkpoint.files().iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
        "metadata": metadata,
        "tensors": checkpoint.entries().iter().map(tensor).collect::<Vec<_>>(),
        "totals": {
            "tensors": checkpoint.entries().len(),
            "elements": u64::try_from(elements).ok(),
            "bytes": bytes,
            "types": types,
        },
    })
}

/// Numbers that JSON lacks (NaN, infinities) become null.
fn meta_json(value: &Meta) -> Value {
    match value {
        Meta::Null => Value::Null,
        Meta::Bool(value) => json!(value),
        Meta::Int(value) => json!(value),
        Meta::UInt(value) => json!(value),
        Meta::Float(value) => json!(value),
        Meta::Text(text) => json!(text),
        Meta::Numbers(tensor) => numbers_json(tensor),
        Meta::List(items) => items.iter().map(meta_json).collect(),
        Meta::Map(items) => {
            let items: Map<String, Value> = items.iter().map(|(key, value)| (key.clone(), meta_json(value))).collect();
            Value::Object(items)
        }
    }
}

fn numbers_json(tensor: &Tensor) -> Value {
    fn of<T: Element + Into<Value>>(tensor: &Tensor) -> Value {
        tensor.to_vec::<T>().map_or(Value::Null, |values| values.into_iter().map(Into::into).collect())
    }
    match tensor.dtype() {
        DataType::BOOL => of::<bool>(tensor),
        DataType::U8 => of::<u8>(tensor),
        DataType::I8 => of::<i8>(tensor),
        DataType::U16 => of::<u16>(tensor),
        DataType::I16 => of::<i16>(tensor),
        DataType::U32 => of::<u32>(tensor),
        DataType::I32 => of::<i32>(tensor),
        DataType::U64 => of::<u64>(tensor),
        DataType::I64 => of::<i64>(tensor),
        DataType::F32 => of::<f32>(tensor),
        DataType::F64 => of::<f64>(tensor),
        _ => json!(format!("{} values of {}", tensor.num_elements(), tensor.dtype())),
    }
}
