//! Folders of caches: files by key, of which those used longest ago go when there are too many bytes.
//!
//! A folder is shared by any number of processes. A file appears under its name by renaming, whole or not at all. A use
//! sets the file's time; when the files exceed the bound, those used longest ago are removed. The bound is one for all
//! processes: each counts the files, whoever wrote them, the more often the less room is left. Who may write to the
//! folder decides what code runs: it is made for its owner alone, and one that is there already is used only if it is
//! this user's or the administrator's, and nobody else may write to it.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use tilewright_runtime::environment;
use tilewright_runtime::fork::Lock;

/// The variable that names the folder of the kernels, in which those of other caches are.
pub(crate) const FOLDER: &str = "TILEWRIGHT_CACHE_DIR";

/// Temporary files older than this were left by a process that ended.
const STALE: Duration = Duration::from_secs(3600);

/// What an entry is found by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key(blake3::Hash);

impl Key {
    /// The hash of a list of texts, of which none runs into the next.
    pub fn new(parts: &[&str]) -> Self {
        let mut hasher = KeyHasher::default();
        parts.iter().for_each(|part| hasher.add(part.as_bytes()));
        hasher.finish()
    }

    pub(crate) fn as_bytes(&self) -> &[u8; blake3::OUT_LEN] {
        self.0.as_bytes()
    }

    pub(crate) fn from_bytes(bytes: [u8; blake3::OUT_LEN]) -> Self {
        Self(blake3::Hash::from_bytes(bytes))
    }
}

/// Makes a key of parts, of which none runs into the next.
#[derive(Default, Debug)]
pub struct KeyHasher(blake3::Hasher);

impl KeyHasher {
    pub fn add(&mut self, part: &[u8]) {
        self.0.update(&(part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    pub fn finish(&self) -> Key {
        Key(self.0.finalize())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex())
    }
}

/// The folder of a cache, as the environment asks for it: `TILEWRIGHT_CACHE_DIR` for kernels, else the one of this name
/// in it or in the user's folder of caches. None where the environment keeps caches off the disk.
pub fn from_environment(name: &str) -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(FOLDER) {
        let folder = (!folder.is_empty()).then(|| PathBuf::from(folder));
        return folder.map(|folder| if name == "kernels" { folder } else { folder.join(name) });
    }
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(base.join("tilewright").join(name))
}

/// A folder with files by key. May be used by any number of threads.
#[derive(Debug)]
pub struct CacheFolder {
    folder: PathBuf,
    bound: u64,
    /// Bytes that this process may write before it counts the files again.
    room: Lock<u64>,
}

impl CacheFolder {
    /// A folder with files of at most so many bytes, which is made when something is written.
    pub fn new(folder: impl Into<PathBuf>, bound: u64) -> Self {
        Self { folder: folder.into(), bound, room: Lock::new(0) }
    }

    /// The file of the key, whether it is there or not.
    ///
    /// # Errors
    /// If others may write to the folder, or if it is not there.
    pub fn entry(&self, key: &Key) -> io::Result<PathBuf> {
        match is_private(&self.folder) {
            true => Ok(self.folder.join(key.to_string())),
            false => Err(io::Error::from(io::ErrorKind::PermissionDenied)),
        }
    }

    /// Notes that a file was used.
    pub fn used(&self, file: &File) {
        // Whether the time can be set or not: the entry is right.
        let _ = file.set_modified(SystemTime::now());
    }

    /// Lets `write` make the file of the key, under another name; then it appears under its own.
    ///
    /// # Errors
    /// If the folder or the file cannot be written.
    pub fn write(&self, key: &Key, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        make_folder(&self.folder)?;
        let path = self.entry(key)?;
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let temporary = self.folder.join(format!("{key}.{}-{number}.tmp", std::process::id()));
        let outcome = write(&temporary).and_then(|()| fs::rename(&temporary, &path));
        if outcome.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        outcome?;
        self.make_room(fs::metadata(&path).map_or(0, |found| found.len()));
        Ok(())
    }

    /// Accounts for a new file, and removes old ones if there are too many bytes. Other processes write too: what is
    /// left below the bound is divided, so that eight of them together keep it.
    fn make_room(&self, added: u64) {
        let mut room = self.room.lock();
        if added <= *room {
            *room -= added;
            return;
        }
        drop(room);
        // Outside of the lock: the folder may be slow. Two threads that come here count the same.
        let total = self.files().iter().map(|file| file.bytes).sum();
        let total = if total > self.bound { self.shrink(self.bound / 4 * 3) } else { total };
        *self.room.lock() = self.bound.saturating_sub(total) / 8;
    }

    /// Removes the files used longest ago until so many bytes are left; gives the bytes that are.
    fn shrink(&self, bytes: u64) -> u64 {
        let mut files = self.files();
        files.sort_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
        let mut left: u64 = files.iter().map(|file| file.bytes).sum();
        for file in files {
            let stale = file.is_temporary && file.used.elapsed().is_ok_and(|age| age > STALE);
            if stale || (left > bytes && !file.is_temporary) {
                // Another process may have been faster.
                let _ = fs::remove_file(&file.path);
                left -= file.bytes;
            }
        }
        left
    }

    fn files(&self) -> Vec<CacheFile> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        entries.filter_map(|entry| CacheFile::of(&entry.ok()?)).collect()
    }
}

struct CacheFile {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
    is_temporary: bool,
}

impl CacheFile {
    /// None for what is not the cache's: its folder may be the user's choice.
    fn of(entry: &fs::DirEntry) -> Option<Self> {
        let name = entry.file_name().into_string().ok()?;
        let (stem, rest) = name.split_at_checked(2 * blake3::OUT_LEN)?;
        let is_temporary = rest.ends_with(".tmp");
        if !stem.bytes().all(|byte| byte.is_ascii_hexdigit()) || !(rest.is_empty() || is_temporary) {
            return None;
        }
        let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some(Self { path: entry.path(), bytes: metadata.len(), used: metadata.modified().ok()?, is_temporary })
    }
}

/// Whether nobody but this user and the administrator may write to the folder.
#[cfg(unix)]
pub(crate) fn is_private(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    fs::metadata(folder).is_ok_and(|found| {
        let others_write = found.mode() & 0o022 != 0;
        found.is_dir() && !others_write && [0, environment::user()].contains(&found.uid())
    })
}

#[cfg(not(unix))]
pub(crate) fn is_private(folder: &Path) -> bool {
    folder.is_dir()
}

/// Makes a folder that only its owner may enter.
fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
