//! Resolving, laying out and applying: from gathered parts to an image.

use std::collections::BTreeMap;

use tilewright_tensor::abi::{EXTERNAL_SYMBOLS, IMPORT_PREFIX};
use tilewright_vm_program::Image;

use super::{Applied, Fixup, LinkError, Linker, Part, Place, Reference, RelocationRules, Result, Target};

/// Words of the data that hold the addresses of places: by place, their offsets in the data.
type Words = BTreeMap<Place, usize>;

/// Text and data at their distance in memory.
struct Memory {
    bytes: Vec<u8>,
    data_start: usize,
    slot_table: usize,
}

impl Memory {
    fn of(image: &Image) -> Self {
        let (data_start, slot_table) = (image.data_start(), image.slot_table());
        let mut bytes = image.text.clone();
        bytes.resize(data_start, 0);
        bytes.extend_from_slice(&image.data);
        Self { bytes, data_start, slot_table }
    }

    fn address(&self, place: Place) -> usize {
        match place.part {
            Part::Text => place.offset,
            Part::Data => self.data_start + place.offset,
        }
    }

    fn write(&mut self, address: usize, bytes: &[u8]) {
        if let Some(there) = self.bytes.get_mut(address..).and_then(|rest| rest.get_mut(..bytes.len())) {
            there.copy_from_slice(bytes);
        }
    }
}

impl Linker {
    /// Resolves the references, fills the islands, and applies everything.
    pub(super) fn finish(mut self, rules: &RelocationRules) -> Result<Image> {
        let (externals, imports) = self.externals()?;
        let words = self.make_words(rules);
        let text = std::mem::take(&mut self.text);
        let data = std::mem::take(&mut self.data);
        let mut image = Image { text, data, externals, imports, ..Image::default() };
        let mut memory = Memory::of(&image);
        let mut absolute = Vec::new();
        for (&place, &word) in &words {
            let address = memory.address(place) as u64;
            memory.write(memory.data_start + word, &address.to_le_bytes());
            absolute.push(word as u32);
        }
        for reference in &self.references {
            let outcome = self.apply(rules, &image, &words, &mut memory, reference);
            let outcome = match (outcome, reference.place.part) {
                (Ok(Applied::Absolute), Part::Text) => Err("code cannot hold an address".to_owned()),
                (outcome, _) => outcome,
            };
            match outcome {
                Ok(Applied::Relative) => {}
                Ok(Applied::Absolute) => absolute.push(reference.place.offset as u32),
                Err(what) => {
                    let (name, section) = (rules.relocation_name(reference.kind), &reference.section);
                    return Err(LinkError(format!("relocation {name} in `{section}`: {what}")));
                }
            }
        }
        absolute.sort_unstable();
        image.relocations = absolute;
        image.data = memory.bytes.split_off(memory.data_start);
        memory.bytes.truncate(image.text.len());
        image.text = memory.bytes;
        self.exports.sort_by(|a, b| a.name.cmp(&b.name));
        self.symbols.sort_by(|a, b| (a.offset, &a.name).cmp(&(b.offset, &b.name)));
        (image.exports, image.symbols) = (self.exports, self.symbols);
        image.verify().map_err(LinkError)?;
        Ok(image)
    }

    /// Makes a GOT word for each place whose address is loaded from one.
    fn make_words(&mut self, rules: &RelocationRules) -> Words {
        let mut words = Words::new();
        for reference in self.references.iter().filter(|reference| (rules.through_slot)(reference.kind)) {
            if let Some(place) = self.inside(&reference.target) {
                words.insert(place, 0);
            }
        }
        for word in words.values_mut() {
            *word = self.data.len().next_multiple_of(8);
            self.data.resize(*word + 8, 0);
        }
        words
    }

    /// The target's place in the image; none for an external symbol.
    fn inside(&self, target: &Target) -> Option<Place> {
        match target {
            Target::Place(place) => Some(*place),
            Target::Named(name) => self.globals.get(name).copied(),
        }
    }

    fn apply(
        &self,
        rules: &RelocationRules,
        image: &Image,
        words: &Words,
        memory: &mut Memory,
        reference: &Reference,
    ) -> std::result::Result<Applied, String> {
        let (target, slot) = match (self.inside(&reference.target), &reference.target) {
            (Some(place), _) => (Some(memory.address(place)), words.get(&place).map(|word| memory.data_start + word)),
            (None, Target::Named(name)) => (None, slot_of(image, name).map(|slot| memory.slot_table + 8 * slot)),
            (None, Target::Place(_)) => (None, None),
        };
        if let Some(jump) = reference.jump {
            let code = match (target, slot) {
                (Some(target), _) => (rules.jump_to)(jump as i64, target as i64),
                (None, Some(slot)) => (rules.jump_through)(jump as i64, slot as i64),
                (None, None) => None,
            };
            memory.write(jump, &code.ok_or("the target is out of reach of a jump")?);
        }
        let with_addend = |address: usize| (address as i64).checked_add(reference.addend).filter(is_near);
        let place = memory.address(reference.place);
        let fixup = Fixup {
            place: place as i64,
            kind: reference.kind,
            target: target.or(reference.jump).and_then(with_addend).ok_or("the target is out of reach")?,
            slot: slot.and_then(with_addend),
            jump: reference.jump.map(|jump| jump as i64),
        };
        let bytes = memory.bytes.get_mut(place..).ok_or("it lies outside the image")?;
        (rules.apply)(bytes, &fixup)
    }
}

/// The number of the slot with the address of a symbol that the image does not define.
fn slot_of(image: &Image, name: &str) -> Option<usize> {
    let is_it = |&external: &u32| EXTERNAL_SYMBOLS.get(external as usize).is_some_and(|known| *known == name);
    let import = || image.imports.iter().position(|import| name.strip_prefix(IMPORT_PREFIX) == Some(import));
    image.externals.iter().position(is_it).or_else(|| Some(image.externals.len() + import()?))
}

/// Whether an address lies near the image: no code refers to anything else, and what follows does not overflow.
fn is_near(address: &i64) -> bool {
    i32::try_from(*address).is_ok()
}
