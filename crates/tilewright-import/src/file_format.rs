//! Detection of the format of a file, and the named tensors of files of any format.

use tilewright_tensor::Tensor;

use crate::{ImportError, Value, gzip, idx, npy, read_idx, read_npy, read_npz, read_pickle, zip};

/// The formats that are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Npy,
    Npz,
    Idx,
    Pickle,
}

impl Format {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Npy => "npy",
            Self::Npz => "npz",
            Self::Idx => "idx",
            Self::Pickle => "pickle",
        }
    }

    /// The format by the first bytes. Bytes without the magic number of another format may be a pickle of protocol 0.
    pub fn detect(bytes: &[u8]) -> Self {
        if bytes.starts_with(&npy::MAGIC) {
            Self::Npy
        } else if bytes.starts_with(&zip::MAGIC) || bytes.starts_with(&zip::EMPTY_MAGIC) {
            Self::Npz
        } else if bytes.starts_with(&gzip::MAGIC) || idx::is_idx(bytes) {
            Self::Idx
        } else {
            Self::Pickle
        }
    }
}

/// The tensors of a file by name, whatever its format: those of an archive or of a pickled dictionary by their keys,
/// those of a pickled list by their index, a single one under the name `data`.
///
/// # Errors
/// If the bytes are of no known format, or hold something else than tensors.
pub fn read_tensors(bytes: &[u8]) -> Result<Vec<(String, Tensor)>, ImportError> {
    let single = |tensor| vec![("data".to_owned(), tensor)];
    match Format::detect(bytes) {
        Format::Npy => read_npy(bytes).map(single),
        Format::Npz => read_npz(bytes),
        Format::Idx => read_idx(bytes).map(single),
        Format::Pickle => tensors_of(read_pickle(bytes)?),
    }
}

fn tensors_of(value: Value) -> Result<Vec<(String, Tensor)>, ImportError> {
    let named: Vec<(String, Value)> = match value {
        Value::Dict(items) => items
            .into_iter()
            .map(|(key, value)| match key {
                Value::Str(name) => Ok((name, value)),
                other => Err(wrong(&format!("a key of the dictionary is {}, expected a text", other.kind()))),
            })
            .collect::<Result<_, _>>()?,
        Value::List(items) | Value::Tuple(items) => {
            items.into_iter().enumerate().map(|(i, value)| (i.to_string(), value)).collect()
        }
        single => vec![("data".to_owned(), single)],
    };
    named
        .into_iter()
        .map(|(name, value)| match value {
            Value::Array(tensor) => Ok((name, tensor)),
            other => Err(wrong(&format!("{name:?} is {}, expected an array", other.kind()))),
        })
        .collect()
}

fn wrong(message: &str) -> ImportError {
    ImportError::new(Format::Pickle.name(), message)
}
