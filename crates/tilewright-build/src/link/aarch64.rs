//! Relocations and stubs of AArch64 (ELF for the Arm 64-bit Architecture, "Relocation codes").

use object::elf;

use super::{Fixup, Layout, Machine, Target, bytes_at, with_addend};

pub(super) static MACHINE: Machine = Machine { stub, apply };

/// `adrp x16, slot; ldr x16, [x16, slot]; br x16; nop`.
fn stub(image: &mut [u8], stub: usize, slot: usize) -> Option<()> {
    let page = page_distance(slot as i64, stub as i64)?;
    let words =
        [with_page(0x9000_0010, page), 0xf940_0210 | ((slot as u32 & 0xfff) >> 3) << 10, 0xd61f_0200, 0xd503_201f];
    for (i, word) in words.into_iter().enumerate() {
        *bytes_at(image, stub + 4 * i)? = word.to_le_bytes();
    }
    Some(())
}

/// Pages of 4 KiB from one place to another, if an `adrp` reaches so far.
fn page_distance(target: i64, place: i64) -> Option<i32> {
    let pages = (target >> 12) - (place >> 12);
    (-(1 << 20)..1 << 20).contains(&pages).then_some(pages as i32)
}

/// An `adrp` with its number of pages.
fn with_page(instruction: u32, pages: i32) -> u32 {
    let pages = pages as u32;
    (instruction & 0x9f00_001f) | (pages & 3) << 29 | ((pages >> 2) & 0x7_ffff) << 5
}

/// The shift of the scaled offset of a load or store, by its relocation.
fn scale(kind: elf::RelocationType) -> Option<u32> {
    match kind {
        elf::R_AARCH64_ADD_ABS_LO12_NC | elf::R_AARCH64_LDST8_ABS_LO12_NC => Some(0),
        elf::R_AARCH64_LDST16_ABS_LO12_NC => Some(1),
        elf::R_AARCH64_LDST32_ABS_LO12_NC => Some(2),
        elf::R_AARCH64_LDST64_ABS_LO12_NC | elf::R_AARCH64_LD64_GOT_LO12_NC => Some(3),
        elf::R_AARCH64_LDST128_ABS_LO12_NC => Some(4),
        _ => None,
    }
}

fn apply(image: &mut [u8], fixup: &Fixup, layout: &Layout) -> Result<(), String> {
    let kind = elf::RelocationType(fixup.kind);
    let through_slot = matches!(kind, elf::R_AARCH64_ADR_GOT_PAGE | elf::R_AARCH64_LD64_GOT_LO12_NC);
    let target = match (fixup.target, through_slot) {
        (Target::Place(place), false) => with_addend(place, fixup)?,
        (Target::External(external), false) => with_addend(layout.stub(external), fixup)?,
        (Target::External(external), true) => layout.slot(external) as i64,
        (Target::Place(_), true) => {
            return Err("the address of a symbol of the image itself is asked for by a slot".into());
        }
    };
    let place = fixup.place as i64;
    let bytes: &mut [u8; 4] = bytes_at(image, fixup.place).ok_or("it reaches past the section")?;
    let old = u32::from_le_bytes(*bytes);
    let new = match kind {
        elf::R_AARCH64_PREL32 => i32::try_from(target - place).map_err(|_| "out of reach")? as u32,
        elf::R_AARCH64_CALL26 | elf::R_AARCH64_JUMP26 => {
            let words = (target - place) >> 2;
            if !(-(1 << 25)..1 << 25).contains(&words) {
                return Err("out of reach".into());
            }
            (old & 0xfc00_0000) | (words as u32 & 0x03ff_ffff)
        }
        elf::R_AARCH64_ADR_PREL_PG_HI21 | elf::R_AARCH64_ADR_GOT_PAGE => {
            with_page(old, page_distance(target, place).ok_or("out of reach")?)
        }
        _ => {
            let shift = scale(kind).ok_or("this kind is not position-independent or not known")?;
            let low = target as u32 & 0xfff;
            if low & ((1 << shift) - 1) != 0 {
                return Err("the target is not aligned for this access".into());
            }
            (old & !(0xfff << 10)) | (low >> shift) << 10
        }
    };
    *bytes = new.to_le_bytes();
    Ok(())
}
