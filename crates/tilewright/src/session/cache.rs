//! The cache of what was compiled: executables, by the content of what they were compiled from.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tilewright_build::cache_folder::{CacheFolder, Key, KeyHasher, from_environment};
use tilewright_import::onnx;
use tilewright_runtime::environment::own_file;
use tilewright_runtime::{Error, ErrorKind, Executable};

use super::files::ExternalFiles;

/// Bytes that the cache holds, at most; the entries that were not used for the longest time go first.
const MAX_BYTES: u64 = 8 << 30;

/// A folder of executables. What cannot be read is compiled, and what cannot be written is not kept.
#[derive(Debug)]
pub struct SessionCache(CacheFolder);

impl SessionCache {
    /// The cache in a folder, which is made when something is kept. A folder that others may write to is not used.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self(CacheFolder::new(folder, MAX_BYTES))
    }

    /// The user's cache: `models` in the folder that `TILEWRIGHT_CACHE_DIR` names, else in the user's folder of caches.
    pub fn of_user() -> Option<Self> {
        from_environment("models").map(Self::at)
    }

    /// The key of a model of ONNX, of the files that hold its tensors (in the folder of its path), of the compiler,
    /// and of what else decides what it becomes.
    pub fn key(&self, model: &[u8], path: Option<&Path>, said: &[&str]) -> Key {
        let mut key = KeyHasher::default();
        key.add(model);
        if let (Some(files), Ok(model)) = (path.map(ExternalFiles::of), onnx::read(model)) {
            for location in model.external_files() {
                key.add(location.as_bytes());
                // What cannot be read is an error of the import.
                let part = files.part(location, 0, None);
                key.add(part.as_ref().ok().and_then(|part| part.bytes.get(part.range.clone())).unwrap_or_default());
            }
        }
        key.add(compiler().as_bytes());
        said.iter().for_each(|text| key.add(text.as_bytes()));
        key.finish()
    }

    /// The executable of the key, if it is here and whole.
    pub fn read(&self, key: &Key) -> Option<Executable> {
        let path = self.0.entry(key).ok()?;
        let executable = Executable::open(&path).ok()?;
        if let Ok(file) = File::options().append(true).open(&path) {
            self.0.used(&file);
        }
        Some(executable)
    }

    /// Keeps an executable, if that is possible.
    pub fn write(&self, key: &Key, executable: &Executable) {
        let save = |path: &Path| executable.save(path).map_err(as_io);
        // A full or read-only disk costs time later, nothing else.
        let _ = self.0.write(key, save);
    }
}

fn as_io(error: Error) -> io::Error {
    match error.into_kind() {
        ErrorKind::Io { source, .. } => source,
        other => io::Error::other(other.to_string()),
    }
}

/// Which compiler this is: its version, and the size and the time of the file that it is in.
fn compiler() -> String {
    let found = own_file().and_then(|path| path.metadata().ok());
    let file = found.map(|found| {
        let modified = found.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        (found.len(), modified)
    });
    format!("{} {file:?}", env!("CARGO_PKG_VERSION"))
}
