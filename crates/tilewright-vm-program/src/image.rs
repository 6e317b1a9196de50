//! Machine code as it lies in a file: linked, but for the addresses of a few known functions.

use tilewright_tensor::abi::EXTERNAL_SYMBOLS;

/// Distance of the slot table's start from page boundaries: the largest page size of the supported systems, so that
/// one image serves them all. The gap costs address space only.
pub const IMAGE_PAGE: usize = 65_536;

/// A position-independent piece of machine code.
///
/// In memory it is two parts: `text` from offset 0 on (readable and executable), and from [`Image::slot_table`] on one
/// 8-byte address per external symbol, which the loader writes before it makes the table read-only. References between
/// the parts are relative and already resolved. Code reaches an external symbol through a stub in the text
/// (`jmp *[rip + slot]`) or by loading the slot's value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Image {
    /// Code, stubs and read-only data.
    pub text: Vec<u8>,
    /// Slot `i` gets the address of `EXTERNAL_SYMBOLS[externals[i]]`.
    pub externals: Vec<u32>,
    /// The kernels; other functions have no name here.
    pub exports: Vec<Export>,
}

/// A kernel's entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Export {
    pub name: String,
    /// Of the first instruction, in bytes from the start of the text.
    pub offset: u32,
}

impl Image {
    /// Where the slot table begins behind a text of so many bytes.
    pub const fn slot_table(text_bytes: usize) -> usize {
        text_bytes.next_multiple_of(IMAGE_PAGE)
    }

    /// Bytes of address space that the mapped image takes.
    pub fn mapped_bytes(&self) -> usize {
        Self::slot_table(self.text.len()) + self.externals.len() * 8
    }

    /// Whether every offset and symbol is one that exists; else what is wrong.
    pub fn verify(&self) -> Result<(), String> {
        if self.text.len() > i32::MAX as usize || self.externals.len() > EXTERNAL_SYMBOLS.len() {
            return Err(format!("{} bytes of text with {} externals", self.text.len(), self.externals.len()));
        }
        for export in &self.exports {
            if export.offset as usize >= self.text.len() {
                let (name, offset, end) = (&export.name, export.offset, self.text.len());
                return Err(format!("kernel \"{name}\" begins at byte {offset} of a text of {end} bytes"));
            }
        }
        for &symbol in &self.externals {
            if symbol as usize >= EXTERNAL_SYMBOLS.len() {
                return Err(format!("external symbol {symbol} of {}", EXTERNAL_SYMBOLS.len()));
            }
        }
        Ok(())
    }
}
