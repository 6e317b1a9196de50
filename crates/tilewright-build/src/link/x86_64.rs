//! Relocations and stubs of x86-64 (System V ABI, "Relocation Types").

use object::elf;

use super::{Fixup, Layout, Machine, Target, bytes_at, with_addend};

pub(super) static MACHINE: Machine = Machine { stub, apply };

/// `jmp *[rip + slot]`, filled up with `int3`.
fn stub(image: &mut [u8], stub: usize, slot: usize) -> Option<()> {
    let distance = i32::try_from(slot as i64 - (stub as i64 + 6)).ok()?;
    let bytes: &mut [u8; 16] = bytes_at(image, stub)?;
    *bytes = [0xcc; 16];
    bytes[..2].copy_from_slice(&[0xff, 0x25]);
    bytes[2..6].copy_from_slice(&distance.to_le_bytes());
    Some(())
}

fn apply(image: &mut [u8], fixup: &Fixup, layout: &Layout) -> Result<(), String> {
    let through_slot = match elf::RelocationType(fixup.kind) {
        elf::R_X86_64_PC32 | elf::R_X86_64_PLT32 => false,
        elf::R_X86_64_GOTPCREL | elf::R_X86_64_GOTPCRELX | elf::R_X86_64_REX_GOTPCRELX => true,
        elf::R_X86_64_PC64 => return relative_64(image, fixup),
        _ => return Err("this kind is not position-independent or not known".into()),
    };
    let target = match (fixup.target, through_slot) {
        (Target::Place(place), false) => place,
        (Target::External(external), false) => layout.stub(external),
        (Target::External(external), true) => layout.slot(external),
        (Target::Place(_), true) => {
            return Err("the address of a symbol of the image itself is asked for by a slot".into());
        }
    };
    let value = i32::try_from(with_addend(target, fixup)? - fixup.place as i64).map_err(|_| "out of reach")?;
    *bytes_at(image, fixup.place).ok_or("it reaches past the section")? = value.to_le_bytes();
    Ok(())
}

fn relative_64(image: &mut [u8], fixup: &Fixup) -> Result<(), String> {
    let Target::Place(target) = fixup.target else { return Err("an external symbol has no place in the image".into()) };
    let value = with_addend(target, fixup)? - fixup.place as i64;
    *bytes_at(image, fixup.place).ok_or("it reaches past the section")? = value.to_le_bytes();
    Ok(())
}
