//! The files of an ONNX model's folder.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tilewright_import::onnx::Part;
use tilewright_tensor::SharedBytes;
use tilewright_tensor::abi::TENSOR_ALIGN;

/// The folder of a model.
pub fn folder_of(path: &Path) -> PathBuf {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

/// The files of a model's folder that hold its tensors, each mapped once. A link that leads out of the folder is
/// refused.
#[derive(Debug)]
pub struct ExternalFiles {
    folder: PathBuf,
    mapped: Mutex<HashMap<String, SharedBytes>>,
}

impl ExternalFiles {
    /// Those of the model at a path.
    pub fn of(path: &Path) -> Self {
        Self { folder: folder_of(path), mapped: Mutex::default() }
    }

    /// A part of a file: mapped where tensors can be views of it, else read.
    ///
    /// # Errors
    /// If there is no such part, or if it is outside of the folder.
    pub fn part(&self, location: &str, offset: u64, length: Option<u64>) -> Result<Part, String> {
        let bytes = self.file(location)?;
        let size = bytes.len() as u64;
        let left =
            size.checked_sub(offset).ok_or_else(|| format!("it has {size} bytes, and its part begins at {offset}"))?;
        let length = length.unwrap_or(left);
        if length > left {
            return Err(format!("it has {left} bytes from {offset} on, and {length} are needed"));
        }
        if offset.is_multiple_of(TENSOR_ALIGN as u64) {
            let start = offset as usize;
            return Ok(Part { bytes, range: start..start + length as usize });
        }
        // A copy is needed: the pages of the map are left alone, which would take memory as well.
        let mut part = vec![0; length as usize];
        let mut file = File::open(self.folder.join(location)).map_err(|error| error.to_string())?;
        let read = file.seek(SeekFrom::Start(offset)).and_then(|_| file.read_exact(&mut part));
        read.map_err(|error| error.to_string()).map(|()| Part::from(part))
    }

    fn file(&self, location: &str) -> Result<SharedBytes, String> {
        let mut mapped = self.mapped.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = mapped.get(location) {
            return Ok(bytes.clone());
        }
        let text = |error: std::io::Error| error.to_string();
        let inside = self.folder.canonicalize().map_err(text)?;
        let path = self.folder.join(location).canonicalize().map_err(text)?;
        if !path.starts_with(&inside) {
            return Err("a link that leads out of the model's folder, which is not read".to_owned());
        }
        let bytes = SharedBytes::map(&path).map_err(text)?;
        mapped.insert(location.to_owned(), bytes.clone());
        Ok(bytes)
    }
}
