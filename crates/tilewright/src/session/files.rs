//! The files of an ONNX model's folder.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The folder of a model.
pub fn folder_of(path: &Path) -> PathBuf {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

/// A part of a file in the folder of a model. A link that leads out of the folder is refused.
///
/// # Errors
/// If there is no such part, or if it is outside of the folder.
pub fn read_in_folder(folder: &Path, location: &str, offset: u64, length: Option<u64>) -> Result<Vec<u8>, String> {
    let text = |error: std::io::Error| error.to_string();
    let (inside, path) = (folder.canonicalize().map_err(text)?, folder.join(location).canonicalize().map_err(text)?);
    if !path.starts_with(&inside) {
        return Err("a link that leads out of the model's folder, which is not read".to_owned());
    }
    let mut file = File::open(path).map_err(text)?;
    let size = file.metadata().map_err(text)?.len();
    let left =
        size.checked_sub(offset).ok_or_else(|| format!("it has {size} bytes, and its part begins at {offset}"))?;
    let length = length.unwrap_or(left);
    if length > left {
        return Err(format!("it has {left} bytes from {offset} on, and {length} are needed"));
    }
    file.seek(SeekFrom::Start(offset)).map_err(text)?;
    let mut bytes = vec![0; usize::try_from(length).map_err(|error| error.to_string())?];
    file.read_exact(&mut bytes).map_err(text)?;
    Ok(bytes)
}
