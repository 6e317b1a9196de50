//! The linker: relocatable ELF objects → one flat position-independent [`Image`].
//!
//! The story in four steps: *gather* the sections that exist at run time and lay them out one behind the other; *collect*
//! the symbols that the objects define; *resolve* each relocation to another place of the image, or, for the few names
//! of [`EXTERNAL_SYMBOLS`], to a slot of the table behind the text, calls going through a stub of 16 bytes; *apply* it.
//!
//! What is refused, always with the name of the section or symbol: any other undefined symbol, a relocation of another
//! kind (an absolute address would need the loader), writable data, a reference that does not reach its target.

mod aarch64;
mod x86_64;

use std::collections::BTreeMap;
use std::fmt;

use object::elf;
use object::read::elf::{ElfFile64, FileHeader};
use object::{
    Architecture, Endianness, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionFlags,
    SectionIndex, SymbolKind, SymbolSection,
};
use tilewright_support::Map;
use tilewright_tensor::abi::EXTERNAL_SYMBOLS;
use tilewright_vm_program::{Export, Image};

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

/// Bytes of a stub, on every architecture.
const STUB_BYTES: usize = 16;

/// A relocation of a known kind, before its target has an address.
struct Fixup {
    /// Where it applies, in bytes from the start of the image.
    place: usize,
    /// The architecture's number of the kind.
    kind: u32,
    addend: i64,
    target: Target,
    /// For messages.
    section: String,
}

/// What a relocation refers to.
#[derive(Clone, Copy, PartialEq)]
enum Target {
    /// A place of the image.
    Place(usize),
    /// An external symbol, by its index in [`EXTERNAL_SYMBOLS`].
    External(usize),
}

/// Where things are, once everything is laid out.
struct Layout {
    /// Offset of the first stub; one follows for each external symbol in use.
    stubs: usize,
    /// Offset of the slot table.
    slots: usize,
    /// The external symbols in use, in slot order.
    externals: Vec<usize>,
}

impl Layout {
    fn number(&self, external: usize) -> usize {
        self.externals.iter().position(|&e| e == external).unwrap_or_default()
    }

    fn stub(&self, external: usize) -> usize {
        self.stubs + self.number(external) * STUB_BYTES
    }

    fn slot(&self, external: usize) -> usize {
        self.slots + self.number(external) * 8
    }
}

/// What an architecture knows of itself.
struct Machine {
    /// Writes a stub at `stub` that jumps to the address in the slot.
    stub: fn(image: &mut [u8], stub: usize, slot: usize) -> Option<()>,
    /// Applies a fixup; `Err` says what is wrong with it.
    apply: fn(image: &mut [u8], fixup: &Fixup, layout: &Layout) -> std::result::Result<(), String>,
}

/// Links relocatable objects of one architecture.
pub fn link(objects: &[&[u8]]) -> Result<Image> {
    let mut linker = Linker::default();
    let mut machine: Option<&'static Machine> = None;
    for bytes in objects {
        let file = ElfFile64::<Endianness>::parse(*bytes)?;
        let found: &'static Machine = match file.architecture() {
            Architecture::X86_64 => &x86_64::MACHINE,
            Architecture::Aarch64 => &aarch64::MACHINE,
            other => return refuse(format!("objects for {other:?} are not known")),
        };
        if machine.is_some_and(|known| !std::ptr::eq(known, found)) {
            return refuse("the objects are for different processors");
        }
        if file.elf_header().e_type(file.endian()) != elf::ET_REL || !file.is_little_endian() {
            return refuse("expected a relocatable little-endian object");
        }
        machine = Some(found);
        linker.add(&file)?;
    }
    match machine {
        Some(machine) => linker.finish(machine),
        None => refuse("there is nothing to link"),
    }
}

#[derive(Default)]
struct Linker {
    text: Vec<u8>,
    /// Global symbols by name.
    globals: BTreeMap<String, usize>,
    exports: Vec<Export>,
    fixups: Vec<Fixup>,
    /// References to symbols that another object may define, by the index of their fixup.
    pending: Vec<(usize, String)>,
}

impl Linker {
    /// Lays out the sections of one object and notes its symbols and relocations.
    fn add<'data>(&mut self, file: &ElfFile64<'data, Endianness>) -> Result<()> {
        let mut places: Map<SectionIndex, usize> = Map::default();
        for section in file.sections() {
            if let Some(data) = runtime_data(&section)? {
                let align = usize::try_from(section.align().max(1)).ok().filter(|a| a.is_power_of_two() && *a <= 4096);
                let Some(align) = align else { return refuse("a section has an impossible alignment") };
                self.text.resize(self.text.len().next_multiple_of(align), 0);
                places.insert(section.index(), self.text.len());
                self.text.extend_from_slice(data);
                if self.text.len() > i32::MAX as usize / 2 {
                    return refuse("the code is larger than its own references reach");
                }
            }
        }
        for symbol in file.symbols().filter(|s| s.is_global() && !s.is_undefined()) {
            let Some(place) = defined_at(&symbol, &places)? else { continue };
            let name = symbol.name()?.to_owned();
            if self.globals.insert(name.clone(), place).is_some() {
                return refuse(format!("symbol `{name}` is defined twice"));
            }
            if symbol.kind() == SymbolKind::Text {
                self.exports.push(Export { name, offset: place as u32 });
            }
        }
        for section in file.sections() {
            let Some(&start) = places.get(&section.index()) else { continue };
            for (offset, relocation) in section.relocations() {
                self.relocation(file, &places, start, &section, offset, &relocation)?;
            }
        }
        Ok(())
    }

    fn relocation<'data>(
        &mut self,
        file: &ElfFile64<'data, Endianness>,
        places: &Map<SectionIndex, usize>,
        start: usize,
        section: &impl ObjectSection<'data>,
        offset: u64,
        relocation: &object::Relocation,
    ) -> Result<()> {
        let section_name = section.name()?.to_owned();
        let RelocationFlags::Elf { r_type: kind } = relocation.flags() else {
            return refuse(format!("a relocation of section `{section_name}` is not ELF's"));
        };
        let inside = usize::try_from(offset).ok().filter(|&o| (o as u64) < section.size());
        let Some(inside) = inside else {
            return refuse(format!("a relocation lies outside its section `{section_name}`"));
        };
        let target = match relocation.target() {
            RelocationTarget::Symbol(index) => {
                let symbol = file.symbol_by_index(index)?;
                match defined_at(&symbol, places)? {
                    Some(place) => Target::Place(place),
                    None => {
                        self.pending.push((self.fixups.len(), symbol.name()?.to_owned()));
                        Target::Place(0)
                    }
                }
            }
            other => return refuse(format!("a relocation of `{section_name}` has the target {other:?}")),
        };
        let (place, addend) = (start + inside, relocation.addend());
        self.fixups.push(Fixup { place, kind: kind.0, addend, target, section: section_name });
        Ok(())
    }

    /// Resolves what is left open, adds stubs and slots, and applies the fixups.
    fn finish(mut self, machine: &Machine) -> Result<Image> {
        let mut externals = Vec::new();
        for (fixup, name) in std::mem::take(&mut self.pending) {
            let target = match self.globals.get(&name) {
                Some(&place) => Target::Place(place),
                None => match EXTERNAL_SYMBOLS.iter().position(|known| *known == name) {
                    Some(external) => {
                        if !externals.contains(&external) {
                            externals.push(external);
                        }
                        Target::External(external)
                    }
                    None => return refuse(format!("symbol `{name}` is not one that the runtime provides")),
                },
            };
            self.fixups[fixup].target = target;
        }
        externals.sort_unstable();
        let stubs = self.text.len().next_multiple_of(STUB_BYTES);
        self.text.resize(stubs + externals.len() * STUB_BYTES, 0);
        let layout = Layout { stubs, slots: Image::slot_table(self.text.len()), externals };
        for &external in &layout.externals {
            if (machine.stub)(&mut self.text, layout.stub(external), layout.slot(external)).is_none() {
                return refuse("the table of external symbols is out of reach");
            }
        }
        for fixup in &self.fixups {
            (machine.apply)(&mut self.text, fixup, &layout).map_err(|what| {
                LinkError(format!("relocation {} at byte {} in `{}`: {what}", fixup.kind, fixup.place, fixup.section))
            })?;
        }
        self.exports.sort_by(|a, b| a.name.cmp(&b.name));
        let externals = layout.externals.iter().map(|&e| e as u32).collect();
        let image = Image { text: self.text, externals, exports: self.exports };
        image.verify().map_err(LinkError)?;
        Ok(image)
    }
}

/// The bytes of a section that exists at run time; `None` for those that do not.
fn runtime_data<'data>(section: &impl ObjectSection<'data>) -> Result<Option<&'data [u8]>> {
    let SectionFlags::Elf { sh_flags: flags, .. } = section.flags() else {
        return refuse("a section is not ELF's");
    };
    let flags = flags.0;
    let name = section.name()?;
    if flags & elf::SHF_ALLOC.0 == 0 || section.size() == 0 || name == ".eh_frame" {
        return Ok(None);
    }
    if flags & (elf::SHF_WRITE.0 | elf::SHF_TLS.0) != 0 {
        return refuse(format!("section `{name}` is writable: kernels have no state"));
    }
    Ok(Some(section.data()?))
}

/// Where a symbol is defined; `None` if it is not.
fn defined_at<'data>(symbol: &impl ObjectSymbol<'data>, places: &Map<SectionIndex, usize>) -> Result<Option<usize>> {
    match symbol.section() {
        SymbolSection::Section(index) => match places.get(&index) {
            Some(start) => match usize::try_from(symbol.address()).ok().and_then(|a| start.checked_add(a)) {
                Some(place) if place <= i32::MAX as usize => Ok(Some(place)),
                _ => refuse("a symbol lies outside the address space"),
            },
            None => refuse(format!("symbol `{}` is in a section that does not exist at run time", symbol.name()?)),
        },
        SymbolSection::Undefined => Ok(None),
        other => refuse(format!("symbol `{}` is neither code nor data: {other:?}", symbol.name()?)),
    }
}

/// The target's place and the addend: somewhere near the image, for no code refers to anything else.
fn with_addend(place: usize, fixup: &Fixup) -> std::result::Result<i64, String> {
    let near = i64::from(i32::MIN)..=i64::from(i32::MAX);
    if near.contains(&fixup.addend) { Ok(place as i64 + fixup.addend) } else { Err("out of reach".into()) }
}

/// The `N` bytes at a place of the image.
fn bytes_at<const N: usize>(image: &mut [u8], place: usize) -> Option<&mut [u8; N]> {
    image.get_mut(place..)?.first_chunk_mut()
}
