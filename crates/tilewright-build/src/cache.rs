//! The kernel cache: objects that LLVM made, by everything that decides what LLVM makes.
//!
//! An object's [`Key`] is the BLAKE3 hash of the kernel as it is handed to LLVM (under a symbol that is the same for
//! all, so that a PrimFunc's name does not matter), of the target, of the options, and of the versions of LLVM and of
//! the code generator. What is cached is the object, before linking. Another entry leads to it from the PrimFunc as it
//! is written: its key is the hash of that, and of the sources of all that lowers it (`objects`).
//!
//! Two levels. *In the process*, the entries used last are kept, up to [`MEMORY_BYTES`]. *On disk*, one file per entry
//! in a folder that processes share ([`CacheFolder`]): it begins with a hash of its contents and key, and one that does
//! not match is ignored, and replaced when the kernel has been compiled again. A cache is never the reason of an error:
//! what cannot be read is compiled, what cannot be written is not kept.
//!
//! The environment decides on the process's own cache, [`KernelCache::process`]: `TILEWRIGHT_CACHE_DIR` is the folder,
//! by default `tilewright/kernels` in `XDG_CACHE_HOME` or `~/.cache`, and an empty value keeps it off the disk;
//! `TILEWRIGHT_CACHE_BYTES` is the bound, by default 512 MiB.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use tilewright_runtime::environment::{self, setting};
use tilewright_runtime::fork::Lock;
use tilewright_support::Map;

pub use crate::cache_folder::Key;
use crate::cache_folder::{self, CacheFolder, FOLDER, is_private};

/// Bound of the entries in the process.
const MEMORY_BYTES: usize = 64 << 20;

/// Default bound of the entries on disk.
const DISK_BYTES: u64 = 512 << 20;

/// Objects by key. May be used by any number of threads.
#[derive(Debug)]
pub struct KernelCache {
    memory: Lock<Memory>,
    disk: Option<CacheFolder>,
}

impl KernelCache {
    /// The process's own cache, as the environment describes it.
    pub fn process() -> &'static Self {
        static CACHE: OnceLock<KernelCache> = OnceLock::new();
        CACHE.get_or_init(|| {
            let bound = setting("TILEWRIGHT_CACHE_BYTES", "a number of bytes", |text| text.parse().ok());
            match default_folder() {
                Some(folder) => {
                    // A folder that the user named; the default one may be kept from being used without a word.
                    if folder.exists() && !is_private(&folder) && std::env::var_os(FOLDER).is_some() {
                        let expected = "a folder that only its owner, you, may write to";
                        environment::complain(FOLDER, folder.as_os_str(), expected);
                    }
                    Self::on_disk(folder, bound.unwrap_or(DISK_BYTES))
                }
                None => Self::in_memory(),
            }
        })
    }

    /// A cache of its own, that ends with the process.
    pub fn in_memory() -> Self {
        Self { memory: Lock::default(), disk: None }
    }

    /// A cache with files in a folder, of at most so many bytes.
    pub fn on_disk(folder: impl Into<PathBuf>, bytes: u64) -> Self {
        Self { memory: Lock::default(), disk: Some(CacheFolder::new(folder, bytes)) }
    }

    /// The object, if it is here.
    pub fn get(&self, key: &Key) -> Option<Arc<[u8]>> {
        if let Some(object) = self.memory.lock().get(key) {
            return Some(object);
        }
        let object: Arc<[u8]> = read(self.disk.as_ref()?, key).ok()?.into();
        self.memory.lock().put(*key, &object);
        Some(object)
    }

    /// Keeps an object.
    pub fn put(&self, key: Key, object: &Arc<[u8]>) {
        self.memory.lock().put(key, object);
        if let Some(disk) = &self.disk {
            // A full or read-only disk costs time later, nothing else.
            let _ = write(disk, &key, object);
        }
    }
}

/// The folder that the environment asks for; none keeps the cache off the disk.
pub fn default_folder() -> Option<PathBuf> {
    cache_folder::from_environment("kernels")
}

/// Entries of this process, with the number of their last use.
#[derive(Default, Debug)]
struct Memory {
    entries: Map<Key, (u64, Arc<[u8]>)>,
    bytes: usize,
    uses: u64,
}

impl Memory {
    fn get(&mut self, key: &Key) -> Option<Arc<[u8]>> {
        self.uses += 1;
        let (used, object) = self.entries.get_mut(key)?;
        *used = self.uses;
        Some(Arc::clone(object))
    }

    fn put(&mut self, key: Key, object: &Arc<[u8]>) {
        self.uses += 1;
        self.bytes += object.len();
        if let Some((_, old)) = self.entries.insert(key, (self.uses, Arc::clone(object))) {
            self.bytes -= old.len();
        }
        if self.bytes > MEMORY_BYTES {
            self.shrink(MEMORY_BYTES / 4 * 3);
        }
    }

    /// Removes the entries used longest ago, until so many bytes are left.
    fn shrink(&mut self, bytes: usize) {
        let mut by_use: Vec<(u64, Key)> = self.entries.iter().map(|(key, (used, _))| (*used, *key)).collect();
        by_use.sort_unstable_by_key(|(used, _)| *used);
        for (_, key) in by_use {
            if self.bytes <= bytes {
                break;
            }
            if let Some((_, object)) = self.entries.remove(&key) {
                self.bytes -= object.len();
            }
        }
    }
}

fn read(folder: &CacheFolder, key: &Key) -> io::Result<Vec<u8>> {
    let mut file = File::open(folder.entry(key)?)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let damaged = || io::Error::from(io::ErrorKind::InvalidData);
    let (claimed, object) = bytes.split_first_chunk::<{ blake3::OUT_LEN }>().ok_or_else(damaged)?;
    if seal(key, object) != *claimed {
        return Err(damaged());
    }
    folder.used(&file);
    Ok(bytes.split_off(blake3::OUT_LEN))
}

fn write(folder: &CacheFolder, key: &Key, object: &[u8]) -> io::Result<()> {
    folder.write(key, |temporary| {
        let mut file = File::create_new(temporary)?;
        file.write_all(seal(key, object).as_bytes())?;
        file.write_all(object)
    })
}

/// What a file begins with: a hash of its key and its contents.
fn seal(key: &Key, object: &[u8]) -> blake3::Hash {
    blake3::Hasher::new().update(key.as_bytes()).update(object).finalize()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, SystemTime};

    use super::*;

    /// A folder for a test, empty at its start and gone at its end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("tilewright-cache-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            Self(folder)
        }

        fn cache(&self, bytes: u64) -> KernelCache {
            KernelCache::on_disk(&self.0, bytes)
        }

        fn count(&self) -> usize {
            fs::read_dir(&self.0).map_or(0, Iterator::count)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn object(number: u8) -> Arc<[u8]> {
        vec![number; 1000].into()
    }

    fn key(number: usize) -> Key {
        Key::new(&["test", &number.to_string()])
    }

    #[test]
    fn parts_of_a_key_do_not_run_into_each_other() {
        assert_ne!(Key::new(&["ab", "c"]), Key::new(&["a", "bc"]));
        assert_ne!(Key::new(&["ab"]), Key::new(&["ab", ""]));
        assert_eq!(Key::new(&["ab", "c"]), Key::new(&["ab", "c"]));
    }

    #[test]
    fn another_process_finds_what_one_has_kept() {
        let folder = Folder::new("shared");
        folder.cache(1 << 20).put(key(1), &object(1));
        assert_eq!(folder.cache(1 << 20).get(&key(1)), Some(object(1)));
        assert_eq!(folder.cache(1 << 20).get(&key(2)), None);
        assert_eq!(folder.count(), 1);
    }

    #[test]
    fn a_damaged_entry_is_ignored_and_replaced() {
        let folder = Folder::new("damaged");
        folder.cache(1 << 20).put(key(1), &object(1));
        let path = folder.0.join(key(1).to_string());
        let whole = fs::read(&path).unwrap();
        let mut flipped = whole.clone();
        flipped[500] ^= 1;
        for bytes in [flipped, whole[..700].to_vec(), Vec::new(), [whole, vec![0]].concat()] {
            fs::write(&path, bytes).unwrap();
            let cache = folder.cache(1 << 20);
            assert_eq!(cache.get(&key(1)), None);
            cache.put(key(1), &object(1));
            assert_eq!(folder.cache(1 << 20).get(&key(1)), Some(object(1)));
        }
        // The right contents under another name are wrong too.
        fs::rename(&path, folder.0.join(key(2).to_string())).unwrap();
        assert_eq!(folder.cache(1 << 20).get(&key(2)), None);
    }

    #[test]
    fn the_disk_holds_what_was_used_last() {
        let folder = Folder::new("bound");
        // Ten files fit.
        let cache = folder.cache(10 * 1032);
        let old = SystemTime::now() - Duration::from_secs(1000);
        for number in 0..10 {
            cache.put(key(number), &object(number as u8));
            let file = File::options().append(true).open(folder.0.join(key(number).to_string())).unwrap();
            file.set_modified(old + Duration::from_secs(number as u64)).unwrap();
        }
        fs::write(folder.0.join("notes.txt"), "the user's own").unwrap();
        assert_eq!(folder.cache(10 * 1032).get(&key(0)), Some(object(0)));
        cache.put(key(10), &object(10));
        let kept = |number| folder.cache(10 * 1032).get(&key(number)).is_some();
        assert!(kept(0) && kept(9) && kept(10) && !kept(1) && !kept(2));
        assert_eq!(folder.count(), 7 + 1);
        assert!(folder.0.join("notes.txt").exists());
    }

    #[test]
    fn the_bound_is_one_for_all_processes() {
        let folder = Folder::new("processes");
        // Two processes know of each other only what they see in the folder. Twelve files fit.
        let processes = [folder.cache(12 * 1032), folder.cache(12 * 1032)];
        for number in 0..60 {
            processes[number % 2].put(key(number), &object(number as u8));
            assert!(folder.count() <= 12, "{} files after {number}", folder.count());
        }
        assert!(folder.count() >= 9);
        assert_eq!(folder.cache(12 * 1032).get(&key(59)), Some(object(59)));
    }

    #[test]
    #[cfg(unix)]
    fn a_folder_that_others_may_write_to_is_not_used() {
        use std::os::unix::fs::PermissionsExt;

        let folder = Folder::new("open");
        folder.cache(1 << 20).put(key(1), &object(1));
        for (mode, used) in [(0o700, true), (0o755, true), (0o770, false), (0o702, false), (0o777, false)] {
            fs::set_permissions(&folder.0, fs::Permissions::from_mode(mode)).unwrap();
            let cache = folder.cache(1 << 20);
            assert_eq!(cache.get(&key(1)).is_some(), used, "{mode:o}");
            let before = folder.count();
            cache.put(key(mode as usize), &object(2));
            assert_eq!(folder.count() > before, used, "{mode:o}");
            assert_eq!(cache.get(&key(mode as usize)), Some(object(2)), "in the process");
        }
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o700)).unwrap();
    }

    #[test]
    fn memory_holds_what_was_used_last() {
        let cache = KernelCache::in_memory();
        let large: Arc<[u8]> = vec![0; MEMORY_BYTES / 8].into();
        for number in 0..8 {
            cache.put(key(number), &large);
        }
        assert!(cache.get(&key(0)).is_some());
        cache.put(key(8), &large);
        assert!(cache.get(&key(0)).is_some() && cache.get(&key(1)).is_none() && cache.get(&key(8)).is_some());
        assert!(cache.memory.lock().bytes <= MEMORY_BYTES);
    }

    #[test]
    fn many_writers_leave_whole_entries() {
        let folder = Folder::new("concurrent");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for round in 0..200 {
                        let number = round % 20;
                        let cache = folder.cache(12 * 1032);
                        let found = cache.get(&key(number));
                        assert!(found.is_none_or(|found| found == object(number as u8)));
                        cache.put(key(number), &object(number as u8));
                    }
                });
            }
        });
        assert!(
            folder.count() <= 20
                && fs::read_dir(&folder.0).unwrap().all(|e| e.unwrap().path().extension() != Some("tmp".as_ref()))
        );
    }

    #[test]
    fn a_folder_that_cannot_be_written_costs_nothing_but_time() {
        let cache = KernelCache::on_disk("/proc/no/such/place", 1000);
        cache.put(key(1), &object(1));
        assert_eq!(cache.get(&key(1)), Some(object(1)));
    }
}
