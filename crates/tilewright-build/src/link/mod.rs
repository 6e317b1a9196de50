//! The linker: relocatable ELF objects → one flat position-independent [`Image`].
//!
//! The story in four steps. *Gather* the sections that exist at run time, all code, then all
//! constants, and note symbols and relocations. The code of each object is followed by its *island*: 16 bytes for each
//! symbol that the object does not define. *Resolve*: a symbol is a place of the image, in this object or another, one
//! of the few names of [`EXTERNAL_SYMBOLS`], or a function that the program asks the process for by name; the addresses
//! of the last two are in slots after the image. *Lay out*: islands get their jumps (through the slot, or to a place
//! that the caller's instruction does not reach), and places whose address is loaded from a table (GOT) get a word of
//! data. *Apply* the relocations; words that hold addresses are listed in the image, for the loader to add the image's
//! own.
//!
//! What is refused, always with the name of the section, symbol or relocation: any other undefined symbol, a relocation
//! that is not position-independent or not known, writable or thread-local data, a reference that does not reach its
//! target. Unwind tables are left out: nothing is thrown through a kernel.

mod aarch64;
mod apply;
mod gather;
mod x86_64;

use std::collections::BTreeMap;
use std::fmt;

use object::Endianness;
use object::elf;
use object::read::elf::{ElfFile64, FileHeader};
use object::{Architecture, Object};
use tilewright_tensor::abi::{EXTERNAL_SYMBOLS, IMPORT_PREFIX};
use tilewright_vm_program::{Export, Image, Symbol};

/// Why objects could not be linked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkError(pub String);

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot link: {}", self.0)
    }
}

impl std::error::Error for LinkError {}

type Result<T> = std::result::Result<T, LinkError>;

fn refuse<T>(message: impl Into<String>) -> Result<T> {
    Err(LinkError(message.into()))
}

impl From<object::Error> for LinkError {
    fn from(error: object::Error) -> Self {
        Self(format!("the object is damaged: {error}"))
    }
}

/// Bytes of a jump in an island, on every architecture.
const JUMP_BYTES: usize = 16;

/// Bytes that the code, and the constants, of an image may have: what 32-bit references reach.
const MAX_PART: usize = i32::MAX as usize / 2;

/// A part of the image. Constants get their offsets in the image once the code's length is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Part {
    Text,
    Data,
}

/// A location in the image. The *place* of a relocation is the term of the ELF specifications for what it changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Place {
    part: Part,
    offset: usize,
}

/// A relocation, before its target has an address.
struct Reference {
    /// Where it applies.
    place: Place,
    /// The architecture's number of the kind.
    kind: elf::RelocationType,
    addend: i64,
    target: Target,
    /// Where the island of its object has a jump to the target; for symbols that the object does not define.
    jump: Option<usize>,
    /// For messages.
    section: String,
}

/// What a relocation refers to.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Target {
    Place(Place),
    /// A symbol that another object may define.
    Named(String),
}

/// A relocation with all addresses, which are offsets in the image.
struct Fixup {
    place: i64,
    kind: elf::RelocationType,
    /// Of the target, or of the jump to an external one; with the addend.
    target: i64,
    /// Of the word that holds the target's address, with the addend, for the kinds that go through one.
    slot: Option<i64>,
    /// Of a jump near the place, for a target that a call does not reach.
    jump: Option<i64>,
}

/// What became of a place.
enum Applied {
    Relative,
    /// The word at the place holds an offset in the image; the loader has to add the image's address.
    Absolute,
}

/// The relocations and jumps of an architecture.
struct RelocationRules {
    elf: elf::Machine,
    /// Whether references of this kind go through a word that holds the target's address.
    through_slot: fn(kind: elf::RelocationType) -> bool,
    /// A jump at `place` through the address in `slot`.
    jump_through: fn(place: i64, slot: i64) -> Option<[u8; JUMP_BYTES]>,
    /// A jump at `place` to `target`.
    jump_to: fn(place: i64, target: i64) -> Option<[u8; JUMP_BYTES]>,
    /// Changes the bytes from the fixup's place on; `Err` says what is wrong with it.
    apply: fn(bytes: &mut [u8], fixup: &Fixup) -> std::result::Result<Applied, String>,
}

impl RelocationRules {
    /// The name of a kind of relocation, or its number.
    fn relocation_name(&self, kind: elf::RelocationType) -> String {
        elf::machine_names(self.elf).r.name(kind).map_or_else(|| kind.0.to_string(), str::to_owned)
    }
}

/// An object whose kernel gets names of its own in the image.
#[derive(Clone, Copy, Debug)]
pub struct KernelObject<'a> {
    pub elf: &'a [u8],
    /// The global symbol of the kernel in the object.
    pub symbol: &'a str,
    /// The names under which the image exports it.
    pub names: &'a [String],
}

/// Links relocatable objects of one architecture; the image exports their global functions under their own names.
pub fn link(objects: &[&[u8]]) -> Result<Image> {
    let whole = |elf| KernelObject { elf, symbol: "", names: &[] };
    link_kernels(objects.iter().map(|elf| whole(elf)))
}

/// Links objects of one architecture and renames a kernel of each.
pub fn link_kernels<'a>(objects: impl IntoIterator<Item = KernelObject<'a>>) -> Result<Image> {
    let mut linker = Linker::default();
    let mut rules: Option<&'static RelocationRules> = None;
    for object in objects {
        let file = ElfFile64::<Endianness>::parse(object.elf)?;
        let found: &'static RelocationRules = match file.architecture() {
            Architecture::X86_64 => &x86_64::RULES,
            Architecture::Aarch64 => &aarch64::RULES,
            other => return refuse(format!("objects for {other:?} are not known")),
        };
        if rules.is_some_and(|known| !std::ptr::eq(known, found)) {
            return refuse("the objects are for different processors");
        }
        if file.elf_header().e_type(file.endian()) != elf::ET_REL || !file.is_little_endian() {
            return refuse("expected a relocatable little-endian object");
        }
        rules = Some(found);
        linker.add(&file, &object)?;
    }
    match rules {
        Some(rules) => linker.finish(rules),
        None => refuse("there is nothing to link"),
    }
}

#[derive(Default)]
struct Linker {
    text: Vec<u8>,
    data: Vec<u8>,
    /// Global symbols by name.
    globals: BTreeMap<String, Place>,
    exports: Vec<Export>,
    symbols: Vec<Symbol>,
    references: Vec<Reference>,
}

impl Linker {
    fn part(&mut self, part: Part) -> &mut Vec<u8> {
        match part {
            Part::Text => &mut self.text,
            Part::Data => &mut self.data,
        }
    }

    /// The external symbols in use, in slot order: indices in [`EXTERNAL_SYMBOLS`], and names of the process's
    /// functions.
    fn externals(&self) -> Result<(Vec<u32>, Vec<String>)> {
        let (mut externals, mut imports) = (Vec::new(), Vec::new());
        for reference in &self.references {
            if let Target::Named(name) = &reference.target
                && !self.globals.contains_key(name)
            {
                let known = EXTERNAL_SYMBOLS.iter().position(|known| known == name);
                match (known, name.strip_prefix(IMPORT_PREFIX)) {
                    (Some(external), _) => externals.push(external as u32),
                    (None, Some(import)) => imports.push(import.to_owned()),
                    (None, None) => return refuse(format!("symbol `{name}` is not one that the runtime provides")),
                }
            }
        }
        externals.sort_unstable();
        externals.dedup();
        imports.sort_unstable();
        imports.dedup();
        Ok((externals, imports))
    }
}

/// Overwrites the first bytes.
fn put<const N: usize>(bytes: &mut [u8], value: [u8; N]) -> std::result::Result<(), String> {
    *bytes.first_chunk_mut().ok_or("it reaches past the section")? = value;
    Ok(())
}
