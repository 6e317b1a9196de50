//! NPZ: arrays by name, a zip archive of `.npy` files.

use tilewright_tensor::Tensor;

use crate::{Format, ImportError, npy, zip};

/// The tensors of an `.npz` file by name, in the file's order.
///
/// # Errors
/// If the bytes are no zip archive, or an entry is no array that [`crate::read_npy`] reads.
pub fn read_npz(bytes: &[u8]) -> Result<Vec<(String, Tensor)>, ImportError> {
    let members = zip::members(bytes).map_err(wrong)?;
    let mut tensors = Vec::with_capacity(members.len());
    for member in members {
        let name = array_name(&member)?;
        let tensor = member.read(bytes, |reader| npy::read_from(reader));
        let tensor = tensor.map_err(|message| wrong(format!("array {name:?}: {message}")))?;
        tensors.push((name.to_owned(), tensor));
    }
    Ok(tensors)
}

/// The name of the array of a member.
pub(crate) fn array_name(member: &zip::Member) -> Result<&str, ImportError> {
    member
        .name
        .strip_suffix(".npy")
        .ok_or_else(|| wrong(format!("the entry {:?} is no array: expected a name that ends in `.npy`", member.name)))
}

fn wrong(message: String) -> ImportError {
    ImportError::new(Format::Npz.name(), message)
}
