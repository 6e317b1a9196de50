//! Relocations and jumps of AArch64 (ELF for the Arm 64-bit Architecture, "Relocation codes").

use object::elf;

use super::{Applied, Fixup, JUMP_BYTES, RelocationRules, put};

pub(super) static RULES: RelocationRules =
    RelocationRules { elf: elf::EM_AARCH64, through_slot, jump_through, jump_to, apply };

fn through_slot(kind: elf::RelocationType) -> bool {
    matches!(kind, elf::R_AARCH64_ADR_GOT_PAGE | elf::R_AARCH64_LD64_GOT_LO12_NC | elf::R_AARCH64_GOTPCREL32)
}

const OUT_OF_REACH: &str = "the target is out of reach";

/// `adrp x16, slot; ldr x16, [x16, slot]; br x16; nop`.
fn jump_through(place: i64, slot: i64) -> Option<[u8; JUMP_BYTES]> {
    let load = 0xf940_0210 | low_bits(slot, 3)? << 10;
    Some(words([with_page(0x9000_0010, page_distance(slot, place)?), load, 0xd61f_0200, 0xd503_201f]))
}

/// `adrp x16, target; add x16, x16, target; br x16; nop`.
fn jump_to(place: i64, target: i64) -> Option<[u8; JUMP_BYTES]> {
    let add = 0x9100_0210 | low_bits(target, 0)? << 10;
    Some(words([with_page(0x9000_0010, page_distance(target, place)?), add, 0xd61f_0200, 0xd503_201f]))
}

fn words(words: [u32; 4]) -> [u8; JUMP_BYTES] {
    let mut bytes = [0; JUMP_BYTES];
    for (bytes, word) in bytes.chunks_exact_mut(4).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// Pages of 4 KiB from one place to another, if an `adrp` reaches so far.
fn page_distance(target: i64, place: i64) -> Option<i32> {
    let pages = (target >> 12) - (place >> 12);
    (-(1 << 20)..1 << 20).contains(&pages).then_some(pages as i32)
}

/// An `adrp` or `adr` with its 21 bits.
fn with_page(instruction: u32, value: i32) -> u32 {
    let value = value as u32;
    (instruction & 0x9f00_001f) | (value & 3) << 29 | ((value >> 2) & 0x7_ffff) << 5
}

/// An address within its page, in units of `1 << shift` bytes; none if it is not a multiple of that.
fn low_bits(address: i64, shift: u32) -> Option<u32> {
    let low = address as u32 & 0xfff;
    (low & ((1 << shift) - 1) == 0).then_some(low >> shift)
}

/// The shift of the scaled offset of an addition, load or store, by its relocation.
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

/// A distance in units of `1 << shift` bytes that fits so many bits, with its sign.
fn distance(fixup: &Fixup, target: i64, bits: u32, shift: u32) -> Option<u32> {
    let distance = target - fixup.place;
    let units = distance >> shift;
    let fits = units << shift == distance && (-(1 << (bits - 1))..1 << (bits - 1)).contains(&units);
    fits.then_some(units as u32 & ((1 << bits) - 1))
}

fn apply(bytes: &mut [u8], fixup: &Fixup) -> Result<Applied, String> {
    let target = if through_slot(fixup.kind) { fixup.slot.ok_or("its slot is out of reach")? } else { fixup.target };
    match fixup.kind {
        elf::R_AARCH64_ABS64 => {
            put(bytes, target.to_le_bytes())?;
            return Ok(Applied::Absolute);
        }
        elf::R_AARCH64_PREL64 => put(bytes, (target - fixup.place).to_le_bytes())?,
        elf::R_AARCH64_PREL32 | elf::R_AARCH64_PLT32 | elf::R_AARCH64_GOTPCREL32 => {
            put(bytes, i32::try_from(target - fixup.place).map_err(|_| OUT_OF_REACH)?.to_le_bytes())?;
        }
        elf::R_AARCH64_PREL16 => {
            put(bytes, i16::try_from(target - fixup.place).map_err(|_| OUT_OF_REACH)?.to_le_bytes())?;
        }
        _ => {
            let old = u32::from_le_bytes(*bytes.first_chunk().ok_or("it reaches past the section")?);
            put(bytes, instruction(old, fixup, target)?.to_le_bytes())?;
        }
    }
    Ok(Applied::Relative)
}

/// The instruction with its immediate filled in.
fn instruction(old: u32, fixup: &Fixup, target: i64) -> Result<u32, String> {
    let reached = |units: Option<u32>| units.ok_or_else(|| OUT_OF_REACH.to_owned());
    Ok(match fixup.kind {
        elf::R_AARCH64_CALL26 | elf::R_AARCH64_JUMP26 => {
            let near = distance(fixup, target, 26, 2);
            let near = near.or_else(|| distance(fixup, fixup.jump?, 26, 2));
            (old & 0xfc00_0000) | reached(near)?
        }
        elf::R_AARCH64_CONDBR19 | elf::R_AARCH64_LD_PREL_LO19 => {
            (old & !(0x7_ffff << 5)) | reached(distance(fixup, target, 19, 2))? << 5
        }
        elf::R_AARCH64_TSTBR14 => (old & !(0x3fff << 5)) | reached(distance(fixup, target, 14, 2))? << 5,
        elf::R_AARCH64_ADR_PREL_LO21 => with_page(old, reached(distance(fixup, target, 21, 0))? as i32),
        elf::R_AARCH64_ADR_PREL_PG_HI21 | elf::R_AARCH64_ADR_PREL_PG_HI21_NC | elf::R_AARCH64_ADR_GOT_PAGE => {
            with_page(old, page_distance(target, fixup.place).ok_or(OUT_OF_REACH)?)
        }
        kind => {
            let shift = scale(kind).ok_or("this kind is not position-independent or not known")?;
            let low = low_bits(target, shift).ok_or("the target is not aligned for this access")?;
            (old & !(0xfff << 10)) | low << 10
        }
    })
}
