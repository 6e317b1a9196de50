//! Machine code as it lies in a file: linked, but for its own address and the addresses of a few known functions.

use tilewright_tensor::DeviceKind;
use tilewright_tensor::abi::EXTERNAL_SYMBOLS;

use crate::encode;
use crate::launch::LaunchPlan;
use crate::wire::{Reader, WireResult, Writer};

/// Distance of the image's parts from page boundaries: the largest page size of the supported systems, so that one
/// image serves them all. The gaps cost address space only.
pub const IMAGE_PAGE: usize = 65_536;

/// Functions of the process that one image may call.
const MAX_IMPORTS: usize = 1 << 16;

/// A position-independent piece of machine code.
///
/// In memory it is three parts, each beginning at a multiple of [`IMAGE_PAGE`]: `text` from offset 0 on (readable and
/// executable), `data` from [`Image::data_start`] on, and from [`Image::slot_table`] on one 8-byte address per external
/// symbol and imported function. The loader adds the image's address to the words that `relocations` name and writes
/// the slots, before it makes both of these parts read-only. References between the parts are relative and already
/// resolved. Code reaches an external symbol through a stub in the text (`jmp *[rip + slot]`) or by loading the slot's
/// value.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Image {
    /// The kind of device that runs it.
    pub kind: DeviceKind,
    /// Code and stubs.
    pub text: Vec<u8>,
    /// Constants, and words with addresses.
    pub data: Vec<u8>,
    /// Slot `i` gets the address of `EXTERNAL_SYMBOLS[externals[i]]`.
    pub externals: Vec<u32>,
    /// After those, slot by slot, functions that the process has to provide, by their C symbols.
    pub imports: Vec<String>,
    /// Offsets of 8-byte words in the data, in bytes from the data's start and in rising order. Each holds an offset
    /// from the image's start, and an address once the image is in memory.
    pub relocations: Vec<u32>,
    /// The kernels.
    pub exports: Vec<Export>,
    /// Of each kernel, what the host does for it: for devices that are started by launches.
    pub plans: Vec<LaunchPlan>,
    /// All functions, for profilers and debuggers; may be empty.
    pub symbols: Vec<Symbol>,
}

/// Whether the text can be the symbol of a C function.
fn is_c_name(name: &str) -> bool {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    plain && !name.is_empty() && name.len() <= 255 && !name.starts_with(|first: char| first.is_ascii_digit())
}

/// A kernel's entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Export {
    pub name: String,
    /// Of the first instruction, in bytes from the start of the text.
    pub offset: u32,
}

/// A function in the text, for those who look at a running program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    pub name: String,
    pub offset: u32,
    pub bytes: u32,
}

impl Image {
    /// Whether it is machine code of the host's processor, whatever runs it.
    pub const fn is_native(&self) -> bool {
        matches!(self.kind, DeviceKind::Cpu | DeviceKind::ExtDev)
    }

    /// Whether kernels are started by launches.
    pub const fn is_launched(&self) -> bool {
        !self.is_native()
    }

    /// The code of an export that is started by launches: it ends where the next one begins.
    pub fn code(&self, export: usize) -> Option<&[u8]> {
        let start = self.exports.get(export)?.offset as usize;
        let later = self.exports.iter().map(|export| export.offset as usize).filter(|offset| *offset > start);
        self.text.get(start..later.min().unwrap_or(self.text.len()))
    }

    /// Where the data begins.
    pub const fn data_start(&self) -> usize {
        self.text.len().next_multiple_of(IMAGE_PAGE)
    }

    /// Where the slot table begins.
    pub const fn slot_table(&self) -> usize {
        (self.data_start() + self.data.len()).next_multiple_of(IMAGE_PAGE)
    }

    /// Words of the slot table.
    pub const fn slots(&self) -> usize {
        self.externals.len() + self.imports.len()
    }

    /// Bytes of address space that the mapped image takes.
    pub const fn mapped_bytes(&self) -> usize {
        self.slot_table() + self.slots() * 8
    }

    /// Whether every offset and symbol is one that exists; else what is wrong.
    pub fn verify(&self) -> Result<(), String> {
        let (text, data) = (self.text.len(), self.data.len());
        let largest = i32::MAX as usize / 2;
        if text > largest || data > largest || self.externals.len() > EXTERNAL_SYMBOLS.len() {
            return Err(format!("{text} bytes of text, {data} of data, {} externals", self.externals.len()));
        }
        for export in &self.exports {
            if export.offset as usize >= text {
                let (name, offset) = (&export.name, export.offset);
                return Err(format!("kernel \"{name}\" begins at byte {offset} of a text of {text} bytes"));
            }
        }
        for symbol in &self.symbols {
            if symbol.offset as usize + symbol.bytes as usize > text {
                return Err(format!("symbol \"{}\" reaches past the text of {text} bytes", symbol.name));
            }
        }
        for &symbol in &self.externals {
            if symbol as usize >= EXTERNAL_SYMBOLS.len() {
                return Err(format!("external symbol {symbol} of {}", EXTERNAL_SYMBOLS.len()));
            }
        }
        if self.imports.len() > MAX_IMPORTS {
            return Err(format!("{} functions of the process", self.imports.len()));
        }
        if let Some(name) = self.imports.iter().find(|name| !is_c_name(name)) {
            return Err(format!("{name:?} is not the name of a C function"));
        }
        if self.is_launched() && self.plans.len() != self.exports.len() {
            return Err(format!("{} launch plans for {} kernels", self.plans.len(), self.exports.len()));
        }
        let mut free = 0;
        for &place in &self.relocations {
            let place = place as usize;
            if place < free || place + 8 > data {
                return Err(format!("relocation of byte {place} of {data} bytes of data"));
            }
            free = place + 8;
        }
        Ok(())
    }

    pub(crate) fn write(&self, w: &mut Writer) {
        w.blob(&self.text);
        w.list(&self.externals, |w, symbol| w.u32(*symbol));
        w.list(&self.exports, |w, export| {
            w.string(&export.name);
            w.u32(export.offset);
        });
        w.blob(&self.data);
        w.list(&self.relocations, |w, place| w.u32(*place));
        w.list(&self.imports, |w, name| w.string(name));
        encode::write_device_kind(w, &self.kind);
        w.list(&self.plans, |w, plan| plan.write(w));
    }

    /// An image without its symbols, which have a section of their own.
    pub(crate) fn read(r: &mut Reader<'_>) -> WireResult<Self> {
        let mut image = Self {
            text: r.blob()?.to_vec(),
            externals: r.list(Reader::u32)?,
            exports: r.list(|r| Ok(Export { name: r.string()?, offset: r.u32()? }))?,
            ..Self::default()
        };
        // The first version's texts hold the constants too, and no addresses.
        if r.version() >= 2 {
            image.data = r.blob()?.to_vec();
            image.relocations = r.list(Reader::u32)?;
        }
        if r.version() >= 3 {
            image.imports = r.list(Reader::string)?;
        }
        // Before, all images were the processor's.
        if r.version() >= 6 {
            image.kind = encode::read_device_kind(r)?;
        }
        // Before, all kernels were functions that the host calls.
        if r.version() >= 7 {
            image.plans = r.list(LaunchPlan::read)?;
        }
        Ok(image)
    }

    pub(crate) fn write_symbols(&self, w: &mut Writer) {
        w.list(&self.symbols, |w, symbol| {
            w.string(&symbol.name);
            w.u32(symbol.offset);
            w.u32(symbol.bytes);
        });
    }

    pub(crate) fn read_symbols(r: &mut Reader<'_>) -> WireResult<Vec<Symbol>> {
        r.list(|r| Ok(Symbol { name: r.string()?, offset: r.u32()?, bytes: r.u32()? }))
    }
}
