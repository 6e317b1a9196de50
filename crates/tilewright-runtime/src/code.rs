//! Machine code in memory: images mapped writable, filled, then made executable; never both at once.

use std::io;

use memmap2::MmapMut;
use tilewright_tensor::abi::KernelFn;
use tilewright_vm_program::{DeviceKind, Image, Kernel, Program};

use crate::error::{ErrorKind, Result};
use crate::external_symbols;
use crate::foreign;
use crate::jit_symbols::{self, RegisteredImage};

/// A program's images for the host in memory.
#[derive(Debug)]
pub(crate) struct Code {
    /// One for each image of the program; none for those of other devices.
    images: Vec<Option<LoadedImage>>,
}

impl Code {
    /// Maps the host's images of a verified program. Whether this machine can run them was checked before.
    pub(crate) fn map(program: &Program) -> Result<Self> {
        let map = |image: &Image| (image.kind == DeviceKind::Cpu).then(|| LoadedImage::load(image)).transpose();
        Ok(Self { images: program.images.iter().map(map).collect::<Result<_>>()? })
    }

    /// The kernel's entry, if it is the host's.
    pub(crate) fn entry(&self, kernel: &Kernel) -> Option<KernelFn> {
        self.images.get(kernel.image as usize)?.as_ref()?.entry(kernel.export)
    }
}

/// One image in memory, and the entries of its exports.
#[derive(Debug)]
pub(crate) struct LoadedImage {
    /// Keeps the entries valid; none for an image without code.
    _mapped: Option<MappedImage>,
    entries: Vec<KernelFn>,
}

impl LoadedImage {
    /// Maps a verified image.
    pub(crate) fn load(image: &Image) -> Result<Self> {
        let failed = |source| ErrorKind::Io { path: "memory for machine code".to_owned(), source };
        let mapped = MappedImage::map(image, &imports(image)?).map_err(failed)?;
        let entries = image.exports.iter().map(|export| mapped.as_ref()?.entry(export.offset));
        let entries = entries.collect::<Option<Vec<_>>>();
        let entries = entries.ok_or_else(|| failed(io::Error::other("a kernel lies outside its image")))?;
        Ok(Self { _mapped: mapped, entries })
    }

    /// The entry of an export.
    pub(crate) fn entry(&self, export: u32) -> Option<KernelFn> {
        self.entries.get(export as usize).copied()
    }
}

/// The addresses of the functions of the process that an image calls.
fn imports(image: &Image) -> Result<Vec<usize>> {
    image.imports.iter().map(|name| foreign::address(name)).collect()
}

#[derive(Debug)]
struct MappedImage {
    // Taken back before the memory is gone.
    _registered: RegisteredImage,
    memory: MmapMut,
    text_bytes: usize,
}

impl MappedImage {
    /// The image in memory, with the addresses of the functions that it imports; none if it is empty.
    fn map(image: &Image, imports: &[usize]) -> io::Result<Option<Self>> {
        if image.text.is_empty() {
            return Ok(None);
        }
        let mut memory = MmapMut::map_anon(image.mapped_bytes())?;
        let base = memory.as_ptr() as u64;
        let (data_start, slot_table) = (image.data_start(), image.slot_table());
        memory[..image.text.len()].copy_from_slice(&image.text);
        memory[data_start..][..image.data.len()].copy_from_slice(&image.data);
        for &place in &image.relocations {
            let word: &mut [u8] = &mut memory[data_start + place as usize..][..8];
            let mut offset = [0; 8];
            offset.copy_from_slice(word);
            word.copy_from_slice(&base.wrapping_add(u64::from_le_bytes(offset)).to_le_bytes());
        }
        let missing = |symbol| io::Error::other(format!("symbol {symbol}"));
        let known =
            image.externals.iter().map(|&symbol| external_symbols::address(symbol).ok_or_else(|| missing(symbol)));
        for (slot, address) in known.chain(imports.iter().map(|&address| Ok(address))).enumerate() {
            let address = address?;
            memory[slot_table + slot * 8..][..8].copy_from_slice(&(address as u64).to_le_bytes());
        }
        let (text, constants) = memory.split_at_mut(data_start);
        protect(text, libc::PROT_READ | libc::PROT_EXEC)?;
        if !constants.is_empty() {
            protect(constants, libc::PROT_READ)?;
        }
        synchronize_instructions(&memory);
        let registered = jit_symbols::image(image, base as usize);
        Ok(Some(Self { _registered: registered, memory, text_bytes: image.text.len() }))
    }

    fn entry(&self, offset: u32) -> Option<KernelFn> {
        if offset as usize >= self.text_bytes {
            return None;
        }
        let address = self.memory.as_ptr().wrapping_add(offset as usize);
        // SAFETY: the address lies in executable memory that `self` keeps mapped, and the image says that a kernel
        // begins there. That it does is what makes an executable trusted.
        Some(unsafe { std::mem::transmute::<*const u8, KernelFn>(address) })
    }
}

/// Changes what may be done with whole pages from `memory`'s start to the end of its last page.
fn protect(memory: &mut [u8], protection: libc::c_int) -> io::Result<()> {
    // SAFETY: the bytes are pages of a private anonymous mapping that nobody else refers to; the slice begins at the
    // start of a page, because the mapping does and the image's parts lie at multiples of the largest page size.
    let status = unsafe { libc::mprotect(memory.as_mut_ptr().cast(), memory.len(), protection) };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Makes the processor fetch what was written; x86 does so by itself.
#[cfg(not(target_arch = "aarch64"))]
fn synchronize_instructions(_memory: &[u8]) {}

/// Makes the processor fetch what was written.
#[cfg(target_arch = "aarch64")]
fn synchronize_instructions(memory: &[u8]) {
    unsafe extern "C" {
        fn __clear_cache(start: *mut u8, end: *mut u8);
    }
    let range = memory.as_ptr_range();
    // SAFETY: the range is mapped, and the function only flushes caches.
    unsafe { __clear_cache(range.start.cast_mut(), range.end.cast_mut()) }
}
