//! NPZ: arrays by name, a zip archive of `.npy` files.

use std::io::Cursor;

use tilewright_tensor::Tensor;
use zip::ZipArchive;

use crate::{Format, ImportError, npy};

pub(crate) const MAGIC: [u8; 4] = *b"PK\x03\x04";
/// An archive without entries begins like this.
pub(crate) const EMPTY_MAGIC: [u8; 4] = *b"PK\x05\x06";

/// The tensors of an `.npz` file by name, in the file's order.
///
/// # Errors
/// If the bytes are no zip archive, or an entry is no array that [`crate::read_npy`] reads.
pub fn read_npz(bytes: &[u8]) -> Result<Vec<(String, Tensor)>, ImportError> {
    let wrong = |message: String| ImportError::new(Format::Npz.name(), message);
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| wrong(error.to_string()))?;
    let mut tensors = Vec::new();
    for i in 0..archive.len() {
        let entry = archive.by_index(i).map_err(|error| wrong(error.to_string()))?;
        let file = entry.name().map_err(|error| wrong(error.to_string()))?.into_owned();
        let Some(name) = file.strip_suffix(".npy") else {
            return Err(wrong(format!("the entry {file:?} is no array: expected a name that ends in `.npy`")));
        };
        let tensor = npy::read_from(entry).map_err(|message| wrong(format!("array {name:?}: {message}")))?;
        tensors.push((name.to_owned(), tensor));
    }
    Ok(tensors)
}
