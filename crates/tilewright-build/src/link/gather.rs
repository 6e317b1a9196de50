//! Gathering: sections are laid out, symbols and relocations noted.

use object::elf;
use object::read::elf::ElfFile64;
use object::{
    Endianness, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionFlags, SectionIndex,
    SymbolKind, SymbolSection,
};
use tilewright_support::Map;
use tilewright_vm_program::{Export, Symbol};

use super::{JUMP_BYTES, KernelObject, Linker, MAX_PART, Part, Place, Reference, Result, Target, refuse};

type File<'data> = ElfFile64<'data, Endianness>;

/// Where the sections of an object went.
type Places = Map<SectionIndex, Place>;

impl Linker {
    /// Lays out the sections of one object and notes its symbols and relocations.
    pub(super) fn add(&mut self, file: &File<'_>, object: &KernelObject<'_>) -> Result<()> {
        let places = self.sections(file)?;
        for symbol in file.symbols().filter(|symbol| !symbol.is_undefined()) {
            self.symbol(&symbol, &places, object)?;
        }
        let mut island = Map::default();
        for section in file.sections() {
            let Some(&start) = places.get(&section.index()) else { continue };
            for (offset, relocation) in section.relocations() {
                let mut reference = reference(file, &places, start, &section, offset, &relocation)?;
                if let Target::Named(name) = &reference.target {
                    let end = self.text.len().next_multiple_of(JUMP_BYTES);
                    let jump = *island.entry(name.clone()).or_insert(end);
                    if jump == end {
                        self.grow(Part::Text, JUMP_BYTES, JUMP_BYTES)?;
                    }
                    reference.jump = Some(jump);
                }
                self.references.push(reference);
            }
        }
        Ok(())
    }

    fn sections(&mut self, file: &File<'_>) -> Result<Places> {
        let mut places = Places::default();
        for section in file.sections() {
            let Some(part) = part_of(&section)? else { continue };
            let align = usize::try_from(section.align().max(1)).ok().filter(|a| a.is_power_of_two() && *a <= 4096);
            let Some(align) = align else { return refuse("a section has an impossible alignment") };
            let bytes = section.data()?;
            if bytes.len() as u64 != section.size() {
                return refuse(format!("section `{}` has no bytes", section.name()?));
            }
            let offset = self.grow(part, align, bytes.len())?;
            self.part(part)[offset..].copy_from_slice(bytes);
            places.insert(section.index(), Place { part, offset });
        }
        Ok(places)
    }

    /// Adds zeros to a part, and gives their offset.
    fn grow(&mut self, part: Part, align: usize, bytes: usize) -> Result<usize> {
        let content = self.part(part);
        let offset = content.len().next_multiple_of(align);
        match offset.checked_add(bytes).filter(|&end| end <= MAX_PART) {
            Some(end) => content.resize(end, 0),
            None => return refuse("the code is larger than its own references reach"),
        }
        Ok(offset)
    }

    fn symbol<'data>(
        &mut self,
        symbol: &impl ObjectSymbol<'data>,
        places: &Places,
        object: &KernelObject<'_>,
    ) -> Result<()> {
        let is_function = symbol.kind() == SymbolKind::Text;
        if !symbol.is_global() && !is_function {
            return Ok(());
        }
        let Some(place) = defined_at(symbol, places)? else { return Ok(()) };
        let name = symbol.name()?;
        let is_code = is_function && place.part == Part::Text && place.offset < self.text.len();
        let bytes = symbol.size().min((self.text.len() - place.offset.min(self.text.len())) as u64) as u32;
        let mut note = |name: String| {
            let offset = place.offset as u32;
            if is_code {
                self.symbols.push(Symbol { name: name.clone(), offset, bytes });
            }
            if !symbol.is_global() {
                return Ok(());
            }
            if is_code {
                self.exports.push(Export { name: name.clone(), offset });
            }
            match self.globals.insert(name.clone(), place) {
                None => Ok(()),
                Some(_) => refuse(format!("symbol `{name}` is defined twice")),
            }
        };
        match object.names.first() {
            Some(_) if name == object.symbol => object.names.iter().cloned().try_for_each(note),
            // Parts of the kernel, by its first name.
            Some(first) if !symbol.is_global() => note(format!("{first}:{name}")),
            _ => note(name.to_owned()),
        }
    }
}

fn reference<'data>(
    file: &File<'data>,
    places: &Places,
    start: Place,
    section: &impl ObjectSection<'data>,
    offset: u64,
    relocation: &object::Relocation,
) -> Result<Reference> {
    let name = section.name()?.to_owned();
    let RelocationFlags::Elf { r_type: kind } = relocation.flags() else {
        return refuse(format!("a relocation of section `{name}` is not ELF's"));
    };
    let Some(inside) = usize::try_from(offset).ok().filter(|&inside| (inside as u64) < section.size()) else {
        return refuse(format!("a relocation lies outside its section `{name}`"));
    };
    let target = match relocation.target() {
        RelocationTarget::Symbol(index) => {
            let symbol = file.symbol_by_index(index)?;
            match defined_at(&symbol, places)? {
                Some(place) => Target::Place(place),
                None => Target::Named(symbol.name()?.to_owned()),
            }
        }
        other => return refuse(format!("a relocation of `{name}` has the target {other:?}")),
    };
    let place = Place { part: start.part, offset: start.offset + inside };
    Ok(Reference { place, kind, addend: relocation.addend(), target, jump: None, section: name })
}

/// The part of the image that a section belongs to; `None` for those that do not exist at run time.
fn part_of<'data>(section: &impl ObjectSection<'data>) -> Result<Option<Part>> {
    let SectionFlags::Elf { sh_flags: flags, .. } = section.flags() else {
        return refuse("a section is not ELF's");
    };
    let flags = flags.0;
    let name = section.name()?;
    if flags & elf::SHF_ALLOC.0 == 0 || section.size() == 0 || name == ".eh_frame" {
        return Ok(None);
    }
    // What is only written while it is relocated is a constant afterwards.
    let constant = name == ".data.rel.ro" || name.starts_with(".data.rel.ro.");
    if flags & elf::SHF_TLS.0 != 0 || (flags & elf::SHF_WRITE.0 != 0 && !constant) {
        return refuse(format!("section `{name}` is writable: kernels have no state"));
    }
    Ok(Some(if flags & elf::SHF_EXECINSTR.0 != 0 { Part::Text } else { Part::Data }))
}

/// Where a symbol is defined; `None` if it is not.
fn defined_at<'data>(symbol: &impl ObjectSymbol<'data>, places: &Places) -> Result<Option<Place>> {
    match symbol.section() {
        SymbolSection::Section(index) => match places.get(&index) {
            Some(start) => match usize::try_from(symbol.address()).ok().and_then(|a| start.offset.checked_add(a)) {
                Some(offset) if offset <= MAX_PART => Ok(Some(Place { part: start.part, offset })),
                _ => refuse("a symbol lies outside the address space"),
            },
            None => refuse(format!("symbol `{}` is in a section that does not exist at run time", symbol.name()?)),
        },
        SymbolSection::Undefined => Ok(None),
        other => refuse(format!("symbol `{}` is neither code nor data: {other:?}", symbol.name()?)),
    }
}
