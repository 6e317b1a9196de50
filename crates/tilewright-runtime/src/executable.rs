//! Executables: a file's bytes, decoded, with their machine code mapped when a machine needs it.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use memmap2::Mmap;
use tilewright_tensor::{DataType, Layout, Tensor};
use tilewright_vm_program::{ConstantChecksums, ExecutableBytes, Package, Program, TargetInfo};

use crate::code::Code;
use crate::cpu;
use crate::error::{ErrorKind, Result};
use crate::fork::Lock;

/// A loaded executable. Can be inspected and saved on any machine; [`crate::VirtualMachine::new`] refuses one whose
/// machine code this machine cannot run.
///
/// Its machine code runs with all rights of the process: load only what you would load as a shared library.
#[derive(Debug)]
pub struct Executable {
    bytes: ExecutableBytes,
    package: Package,
    checksums: ConstantChecksums,
    /// Which constants were found to match their checksums.
    checked: Vec<AtomicBool>,
    code: Lock<Option<Arc<Code>>>,
}

impl Executable {
    /// Decodes and verifies bytes. Constants' checksums are looked at when they are first used.
    pub fn load(bytes: ExecutableBytes) -> Result<Self> {
        let (package, checksums) = Package::decode(&bytes)?;
        let checked = package.program.constants.iter().map(|_| AtomicBool::new(false)).collect();
        Ok(Self { bytes, package, checksums, checked, code: Lock::default() })
    }

    /// As [`Executable::load`], of bytes that lie anywhere.
    pub fn load_copy(bytes: &[u8]) -> Result<Self> {
        Self::load(ExecutableBytes::copy_from(bytes)?)
    }

    /// Opens a file. Its weights are mapped and read when they are used: the file must not be changed meanwhile
    /// (replacing it by another is fine).
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::load(map_file(path).map_err(io_error(path))??)
    }

    /// Writes the bytes to a file, in the place of what was there; the file is whole at any time. What is no file, such
    /// as a device or a pipe, is written into and stays what it is.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        Ok(write_file(path, &self.bytes).map_err(io_error(path))?)
    }

    /// The file's bytes, as loaded.
    pub fn bytes(&self) -> &ExecutableBytes {
        &self.bytes
    }

    pub fn package(&self) -> &Package {
        &self.package
    }

    pub fn program(&self) -> &Program {
        &self.package.program
    }

    /// The machine that the executable was compiled for.
    pub fn target(&self) -> &TargetInfo {
        &self.package.target
    }

    /// An error unless this machine can run the machine code; it names what is missing.
    pub fn check_machine(&self) -> Result<()> {
        if !self.program().images.iter().any(|image| image.is_native()) { Ok(()) } else { cpu::require(self.target()) }
    }

    /// The constant, read-only, after its checksum was found right.
    pub(crate) fn constant(&self, index: u32) -> Result<Tensor> {
        let checked = &self.checked[index as usize];
        if !checked.load(Ordering::Acquire) {
            self.checksums.check(self.program(), index as usize)?;
            checked.store(true, Ordering::Release);
        }
        Ok(self.program().constants[index as usize].clone())
    }

    /// The machine code in memory; an error if this machine cannot run it.
    pub(crate) fn code(&self) -> Result<Arc<Code>> {
        if let Some(code) = &*self.code.lock() {
            return Ok(Arc::clone(code));
        }
        self.check_machine()?;
        // Mapped outside of the lock, which is for short work. Another thread may be faster; then its code stays.
        let mapped = Arc::new(Code::map(self.program())?);
        Ok(Arc::clone(self.code.lock().get_or_insert_with(|| Arc::clone(&mapped))))
    }
}

fn io_error(path: &Path) -> impl Fn(io::Error) -> ErrorKind {
    move |source| ErrorKind::Io { path: path.display().to_string(), source }
}

fn map_file(path: &Path) -> io::Result<Result<ExecutableBytes>> {
    let file = File::open(path)?;
    let found = file.metadata()?;
    if found.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    if found.len() == 0 {
        return Ok(ExecutableBytes::copy_from(&[]).map_err(Into::into));
    }
    // SAFETY: the mapping is read-only; that nobody changes the file is the documented condition of `open`.
    let map = unsafe { Mmap::map(&file)? };
    let layout = match Layout::compact(DataType::U8, &[map.len() as i64]) {
        Ok(layout) => Arc::new(layout),
        Err(error) => return Ok(Err(error.into())),
    };
    let address = map.as_ptr().cast_mut();
    // SAFETY: the map has exactly the layout's bytes, and is the keeper; the tensor is read-only, and so is the map,
    // whose file nobody changes.
    let tensor = unsafe { Tensor::from_foreign(address, layout, true, Box::new(map)).assume_sealed() };
    Ok(ExecutableBytes::new(tensor).map_err(Into::into))
}

fn write_file(path: &Path, bytes: &ExecutableBytes) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => replace_file(&fs::canonicalize(path)?, bytes),
        Ok(found) if found.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        Ok(_) => write_pieces(&File::options().write(true).open(path)?, bytes),
        Err(_) => replace_file(path, bytes),
    }
}

/// Weights go from where they lie; what is small is collected.
fn write_pieces(file: &File, bytes: &ExecutableBytes) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    bytes.pieces().try_for_each(|piece| file.write_all(piece))?;
    file.flush()
}

/// Writes a temporary file in the same folder, then renames it: an executable that is mapped from the same path keeps
/// its bytes, and whoever opens the path finds the old file or the new one, whole, even if the machine stops in
/// between.
fn replace_file(path: &Path, bytes: &ExecutableBytes) -> io::Result<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let Some(name) = path.file_name() else { return Err(io::Error::from(io::ErrorKind::InvalidFilename)) };
    let mut temporary_name = name.to_owned();
    temporary_name.push(format!(".{}-{}.tmp", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed)));
    let temporary = path.with_file_name(temporary_name);
    let written = File::create_new(&temporary).and_then(|file| {
        write_pieces(&file, bytes)?;
        file.sync_all()
    });
    let outcome = written.and_then(|()| fs::rename(&temporary, path));
    if outcome.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    outcome
}
