//! Relocations and jumps of x86-64 (System V ABI, "Relocation Types").

use object::elf;

use super::{Applied, Fixup, JUMP_BYTES, RelocationRules, put};

pub(super) static RULES: RelocationRules =
    RelocationRules { elf: elf::EM_X86_64, through_slot, jump_through, jump_to, apply };

fn through_slot(kind: elf::RelocationType) -> bool {
    matches!(
        kind,
        elf::R_X86_64_GOTPCREL
            | elf::R_X86_64_GOTPCRELX
            | elf::R_X86_64_REX_GOTPCRELX
            | elf::R_X86_64_CODE_4_GOTPCRELX
            | elf::R_X86_64_GOTPCREL64
    )
}

/// An instruction of an opcode and a 32-bit distance from its end, filled up with `int3`.
fn jump(opcode: &[u8], place: i64, target: i64) -> Option<[u8; JUMP_BYTES]> {
    let mut code = [0xcc; JUMP_BYTES];
    let end = opcode.len() + 4;
    code[..opcode.len()].copy_from_slice(opcode);
    let distance = i32::try_from(target - (place + end as i64)).ok()?;
    code[opcode.len()..end].copy_from_slice(&distance.to_le_bytes());
    Some(code)
}

/// `jmp *[rip + slot]`.
fn jump_through(place: i64, slot: i64) -> Option<[u8; JUMP_BYTES]> {
    jump(&[0xff, 0x25], place, slot)
}

/// `jmp target`.
fn jump_to(place: i64, target: i64) -> Option<[u8; JUMP_BYTES]> {
    jump(&[0xe9], place, target)
}

fn apply(bytes: &mut [u8], fixup: &Fixup) -> Result<Applied, String> {
    let target = if through_slot(fixup.kind) { fixup.slot.ok_or("its slot is out of reach")? } else { fixup.target };
    let distance = target - fixup.place;
    match fixup.kind {
        elf::R_X86_64_PC64 | elf::R_X86_64_GOTPCREL64 => put(bytes, distance.to_le_bytes())?,
        elf::R_X86_64_64 => {
            put(bytes, target.to_le_bytes())?;
            return Ok(Applied::Absolute);
        }
        elf::R_X86_64_PC32 | elf::R_X86_64_PLT32 => near(bytes, distance)?,
        kind if through_slot(kind) => near(bytes, distance)?,
        _ => return Err("this kind is not position-independent or not known".into()),
    }
    Ok(Applied::Relative)
}

fn near(bytes: &mut [u8], distance: i64) -> Result<(), String> {
    put(bytes, i32::try_from(distance).map_err(|_| "the target is out of reach")?.to_le_bytes())
}
