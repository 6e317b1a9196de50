//! Operations on bits.

use crate::lanes::{Map1, Map2, Map3, map1, map2, map3};
use crate::types::{Type, mask};

pub(crate) fn unary(name: &str, ty: Type) -> Option<Map1> {
    Some(match (name, ty) {
        ("popc", Type::B32 | Type::B64) => map1!(|a| u64::from(a.count_ones())),
        ("clz", Type::B32) => map1!(|a| u64::from((a as u32).leading_zeros())),
        ("clz", Type::B64) => map1!(|a| u64::from(a.leading_zeros())),
        ("brev", Type::B32) => map1!(|a| u64::from((a as u32).reverse_bits())),
        ("brev", Type::B64) => map1!(|a| a.reverse_bits()),
        ("bfind", Type::U32 | Type::U64) => map1!(|a| highest(a)),
        ("bfind", Type::S32) => map1!(|a| highest(u64::from((a as i32 ^ (a as i32 >> 31)) as u32))),
        ("bfind", Type::S64) => map1!(|a| highest((a as i64 ^ (a as i64 >> 63)) as u64)),
        ("bfind.shiftamt", Type::U32) => map1!(|a| shift_amount(highest(a), 31)),
        ("bfind.shiftamt", Type::U64) => map1!(|a| shift_amount(highest(a), 63)),
        ("bfind.shiftamt", Type::S32) => {
            map1!(|a| shift_amount(highest(u64::from((a as i32 ^ (a as i32 >> 31)) as u32)), 31))
        }
        ("bfind.shiftamt", Type::S64) => map1!(|a| shift_amount(highest((a as i64 ^ (a as i64 >> 63)) as u64), 63)),
        _ => return None,
    })
}

/// The place of the highest set bit; all ones without one.
fn highest(a: u64) -> u64 {
    if a == 0 { 0xffff_ffff } else { u64::from(63 - a.leading_zeros()) }
}

fn shift_amount(highest: u64, top: u64) -> u64 {
    if highest == 0xffff_ffff { highest } else { top - highest }
}

pub(crate) fn binary(name: &str, ty: Type) -> Option<Map2> {
    Some(match (name, ty) {
        ("szext.wrap", Type::U32) => map2!(|a, b| a & mask((b & 31) as u32)),
        ("szext.clamp", Type::U32) => map2!(|a, b| a & mask(b.min(32) as u32)),
        ("szext.wrap", Type::S32) => map2!(|a, b| sign_extend(a, (b & 31) as u32, 32)),
        ("szext.clamp", Type::S32) => map2!(|a, b| sign_extend(a, b.min(32) as u32, 32)),
        ("bmsk.wrap", Type::B32) => map2!(|a, b| (mask((b & 31) as u32) << (a & 31)) & 0xffff_ffff),
        ("bmsk.clamp", Type::B32) => {
            map2!(|a, b| mask(b.min(32) as u32).checked_shl(a.min(64) as u32).unwrap_or(0) & 0xffff_ffff)
        }
        _ => return None,
    })
}

/// The lowest `from` bits as a signed number of `to` bits.
pub(crate) fn sign_extend(value: u64, from: u32, to: u32) -> u64 {
    if from == 0 {
        return 0;
    }
    let shift = 64 - from.min(64);
    (((value << shift) as i64) >> shift) as u64 & mask(to)
}

pub(crate) fn ternary(name: &str, ty: Type) -> Option<Map3> {
    Some(match (name, ty) {
        ("bfe", Type::U32) => map3!(|a, b, c| extract(a, b, c, 32, false)),
        ("bfe", Type::S32) => map3!(|a, b, c| extract(a, b, c, 32, true)),
        ("bfe", Type::U64) => map3!(|a, b, c| extract(a, b, c, 64, false)),
        ("bfe", Type::S64) => map3!(|a, b, c| extract(a, b, c, 64, true)),
        // `b` above `a`, shifted.
        ("shf.l.wrap", Type::B32) => map3!(|a, b, c| ((b << 32 | a) << (c & 31)) >> 32 & 0xffff_ffff),
        ("shf.l.clamp", Type::B32) => {
            map3!(|a, b, c| shift_left_clamped(b << 32 | a, c))
        }
        ("shf.r.wrap", Type::B32) => map3!(|a, b, c| ((b << 32 | a) >> (c & 31)) & 0xffff_ffff),
        ("shf.r.clamp", Type::B32) => map3!(|a, b, c| ((b << 32 | a) >> (c & 0xffff_ffff).min(32)) & 0xffff_ffff),
        ("prmt", Type::B32) => map3!(|a, b, c| permute(b << 32 | a, c)),
        ("prmt.f4e", Type::B32) => map3!(|a, b, c| select(b << 32 | a, |i| (c & 3) + i)),
        ("prmt.b4e", Type::B32) => map3!(|a, b, c| select(b << 32 | a, |i| ((c & 3) + 8 - i) & 7)),
        ("prmt.rc8", Type::B32) => map3!(|a, b, c| select(b << 32 | a, |_| c & 3)),
        ("prmt.ecl", Type::B32) => map3!(|a, b, c| select(b << 32 | a, |i| i.max(c & 3))),
        ("prmt.ecr", Type::B32) => map3!(|a, b, c| select(b << 32 | a, |i| i.min(c & 3))),
        ("prmt.rc16", Type::B32) => map3!(|a, b, c| select(b << 32 | a, |i| (i & 1) | (c & 1) << 1)),
        ("dp4a.u32", Type::U32) => map3!(|a, b, c| dot(a, b, c, 4, [false; 2])),
        ("dp4a.u32", Type::S32) => map3!(|a, b, c| dot(a, b, c, 4, [false, true])),
        ("dp4a.s32", Type::U32) => map3!(|a, b, c| dot(a, b, c, 4, [true, false])),
        ("dp4a.s32", Type::S32) => map3!(|a, b, c| dot(a, b, c, 4, [true; 2])),
        _ => return None,
    })
}

/// The upper word of `pair`, shifted left by at most 32.
fn shift_left_clamped(pair: u64, amount: u64) -> u64 {
    ((u128::from(pair) << (amount & 0xffff_ffff).min(32)) >> 32) as u64 & 0xffff_ffff
}

fn extract(a: u64, position: u64, length: u64, bits: u32, signed: bool) -> u64 {
    let (position, length) = ((position & 0xff) as u32, (length & 0xff) as u32);
    let sign_at = (u64::from(position) + u64::from(length)).saturating_sub(1).min(u64::from(bits - 1));
    let negative = signed && length > 0 && (a >> sign_at) & 1 == 1;
    let field = a.checked_shr(position).unwrap_or(0);
    // Bits above the top of the word are copies of the sign.
    let have = bits.saturating_sub(position).min(length);
    let value = field & mask(have);
    if negative { (value | !mask(have)) & mask(bits) } else { value }
}

/// The bytes of `value` that the four nibbles of `selector` name; their highest bit spreads the byte's sign.
fn permute(value: u64, selector: u64) -> u64 {
    let mut out = 0;
    for i in 0..4 {
        let nibble = (selector >> (4 * i)) & 15;
        let byte = (value >> (8 * (nibble & 7))) & 0xff;
        let byte = if nibble & 8 == 0 { byte } else { (byte >> 7) * 0xff };
        out |= byte << (8 * i);
    }
    out
}

fn select(value: u64, index: impl Fn(u64) -> u64) -> u64 {
    (0..4).map(|i| ((value >> (8 * (index(i) & 7))) & 0xff) << (8 * i)).sum()
}

/// The dot product of packed bytes, added to `c`.
fn dot(a: u64, b: u64, c: u64, count: u32, signed: [bool; 2]) -> u64 {
    let byte = |word: u64, i: u32, signed: bool| {
        let byte = (word >> (8 * i)) as u8;
        if signed { i64::from(byte as i8) } else { i64::from(byte) }
    };
    let sum: i64 = (0..count).map(|i| byte(a, i, signed[0]) * byte(b, i, signed[1])).sum();
    (c as i64).wrapping_add(sum) as u64 & 0xffff_ffff
}

/// `bfi`: the lowest `d` bits of `a` at place `c` of `b`.
pub(crate) fn insert32(a: u64, b: u64, c: u64, d: u64) -> u64 {
    insert(a, b, c, d) & 0xffff_ffff
}

pub(crate) fn insert64(a: u64, b: u64, c: u64, d: u64) -> u64 {
    insert(a, b, c, d)
}

fn insert(a: u64, b: u64, position: u64, length: u64) -> u64 {
    let (position, length) = ((position & 0xff) as u32, (length & 0xff) as u32);
    let field = mask(length).checked_shl(position).unwrap_or(0);
    (b & !field) | (a.checked_shl(position).unwrap_or(0) & field)
}

/// `lop3`: the table `table` of three bits each.
pub(crate) fn lop3(a: u64, b: u64, c: u64, table: u64) -> u64 {
    let mut out = 0;
    for row in 0..8u64 {
        if table >> row & 1 == 1 {
            let pick = |value: u64, bit: u64| if row >> bit & 1 == 1 { value } else { !value };
            out |= pick(a, 2) & pick(b, 1) & pick(c, 0);
        }
    }
    out & 0xffff_ffff
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::WARP;

    fn run(name: &str, ty: Type, a: u64, b: u64, c: u64) -> u64 {
        let mut out = [0; WARP];
        ternary(name, ty).unwrap_or_else(|| panic!("{name}"))(&[a; WARP], &[b; WARP], &[c; WARP], &mut out);
        out[31]
    }

    #[test]
    fn fields_are_extracted_as_the_manual_says() {
        let manual = |a: u64, pos: u64, len: u64, bits: u64, signed: bool| {
            let sbit = if !signed || len == 0 { 0 } else { (a >> (pos + len - 1).min(bits - 1)) & 1 };
            let bit = |i: u64| if i < len && pos + i < bits { (a >> (pos + i)) & 1 } else { sbit };
            (0..bits).map(|i| bit(i) << i).sum::<u64>()
        };
        for a in [0x8765_4321, 0xffff_ffff, 1, 0x8000_0000, 0x7fff_ffff] {
            for pos in [0, 1, 4, 28, 31, 32, 40, 255] {
                for len in [0, 1, 4, 8, 31, 32, 33, 255] {
                    assert_eq!(
                        run("bfe", Type::U32, a, pos, len),
                        manual(a, pos, len, 32, false),
                        "{a:#x} {pos} {len}"
                    );
                    assert_eq!(run("bfe", Type::S32, a, pos, len), manual(a, pos, len, 32, true), "{a:#x} {pos} {len}");
                    let b = a << 32 | a;
                    assert_eq!(run("bfe", Type::S64, b, pos, len), manual(b, pos, len, 64, true), "{b:#x} {pos} {len}");
                }
            }
        }
    }

    #[test]
    fn fields_are_inserted() {
        assert_eq!(insert32(0xff, 0, 4, 4), 0xf0);
        assert_eq!(insert32(0, 0xffff_ffff, 8, 8), 0xffff_00ff);
        assert_eq!(insert32(0xff, 0x1234, 40, 4), 0x1234);
        assert_eq!(insert64(0xff, 0, 60, 8), 0xf000_0000_0000_0000);
        assert_eq!(insert32(0xff, 5, 0, 0), 5);
    }

    #[test]
    fn funnel_shifts_take_bits_of_the_other_word() {
        assert_eq!(run("shf.l.wrap", Type::B32, 0x8000_0000, 1, 1), 3);
        assert_eq!(run("shf.l.wrap", Type::B32, 7, 9, 32), 9);
        assert_eq!(run("shf.l.clamp", Type::B32, 7, 9, 40), 7);
        assert_eq!(run("shf.r.wrap", Type::B32, 2, 1, 1), 0x8000_0001);
        assert_eq!(run("shf.r.clamp", Type::B32, 7, 9, 40), 9);
    }

    #[test]
    fn bytes_are_permuted_and_their_signs_spread() {
        assert_eq!(run("prmt", Type::B32, 0x0302_0180, 0x0706_0504, 0x7531), 0x0705_0301);
        assert_eq!(run("prmt", Type::B32, 0x0302_0180, 0x0706_0504, 0x7538), 0x0705_03ff);
        assert_eq!(run("prmt.rc16", Type::B32, 0x0403_0201, 0, 1), 0x0403_0403);
    }

    #[test]
    fn every_table_of_three_bits() {
        let (a, b, c) = (0xf0, 0xcc, 0xaa);
        for table in 0..256 {
            assert_eq!(lop3(a, b, c, table) & 0xff, table);
        }
    }

    #[test]
    fn counts_and_places_of_bits() {
        let one = |name: &str, ty: Type, a: u64| {
            let mut out = [0; WARP];
            unary(name, ty).unwrap_or_else(|| panic!("{name}"))(&[a; WARP], &mut out);
            out[0]
        };
        assert_eq!(one("clz", Type::B32, 0), 32);
        assert_eq!(one("clz", Type::B64, 1), 63);
        assert_eq!(one("bfind", Type::U32, 0), 0xffff_ffff);
        assert_eq!(one("bfind", Type::S32, 0xffff_ff00), 7);
        assert_eq!(one("bfind.shiftamt", Type::U32, 1), 31);
        assert_eq!(one("brev", Type::B32, 1), 0x8000_0000);
        assert_eq!(one("popc", Type::B64, u64::MAX), 64);
        assert_eq!(run("dp4a.s32", Type::S32, 0xff01_0203, 0x0101_0101, 10), 15);
        assert_eq!(run("dp4a.u32", Type::U32, 0xff01_0203, 0x0101_0101, 10), 271);
    }
}
