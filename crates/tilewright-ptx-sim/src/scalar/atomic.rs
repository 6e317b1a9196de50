//! What atomic operations make of the value in memory.

use super::float::{FloatOp, Kind};
use super::format::{self, Format, Round};
use crate::types::Type;

/// Old value and operands → new value.
pub(crate) type Function = fn(u64, u64, u64) -> u64;

fn add(format: Format, halves: bool, a: u64, b: u64) -> u64 {
    let op = FloatOp {
        kind: Kind::Add,
        format,
        halves,
        round: Round::NearestEven,
        flush: false,
        saturate: false,
        relu: false,
        nan: false,
        xor_sign: false,
    };
    op.eval(a, b, 0)
}

pub(crate) fn function(name: &str, ty: Type) -> Option<Function> {
    use Type::*;
    Some(match (name, ty) {
        ("add", U32 | S32) => |old, b, _| u64::from((old as u32).wrapping_add(b as u32)),
        ("add", U64 | S64) => |old, b, _| old.wrapping_add(b),
        ("add", F32) => |old, b, _| add(format::F32, false, old, b),
        ("add", F64) => |old, b, _| add(format::F64, false, old, b),
        ("add", F16) => |old, b, _| add(format::F16, false, old, b),
        ("add", BF16) => |old, b, _| add(format::BF16, false, old, b),
        ("add", F16x2) => |old, b, _| add(format::F16, true, old, b),
        ("add", BF16x2) => |old, b, _| add(format::BF16, true, old, b),
        ("min", U32) => |old, b, _| u64::from((old as u32).min(b as u32)),
        ("min", S32) => |old, b, _| u64::from((old as i32).min(b as i32) as u32),
        ("min", U64) => |old, b, _| old.min(b),
        ("min", S64) => |old, b, _| (old as i64).min(b as i64) as u64,
        ("max", U32) => |old, b, _| u64::from((old as u32).max(b as u32)),
        ("max", S32) => |old, b, _| u64::from((old as i32).max(b as i32) as u32),
        ("max", U64) => |old, b, _| old.max(b),
        ("max", S64) => |old, b, _| (old as i64).max(b as i64) as u64,
        ("inc", U32) => |old, b, _| if old >= b { 0 } else { old + 1 },
        ("dec", U32) => |old, b, _| if old == 0 || old > b { b } else { old - 1 },
        ("cas", B16 | B32 | B64 | U32 | U64 | S32 | S64) => |old, b, c| if old == b { c } else { old },
        ("exch", B32 | B64 | U32 | U64 | S32 | S64) => |_, b, _| b,
        ("and", B32 | B64) => |old, b, _| old & b,
        ("or", B32 | B64) => |old, b, _| old | b,
        ("xor", B32 | B64) => |old, b, _| old ^ b,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_wrap_at_their_bound() {
        let inc = function("inc", Type::U32).expect("inc");
        let dec = function("dec", Type::U32).expect("dec");
        assert_eq!([inc(3, 4, 0), inc(4, 4, 0), inc(9, 4, 0)], [4, 0, 0]);
        assert_eq!([dec(3, 4, 0), dec(0, 4, 0), dec(9, 4, 0)], [2, 4, 4]);
    }

    #[test]
    fn halves_are_added_apart() {
        let f = function("add", Type::F16x2).expect("add");
        assert_eq!(f(0x3c00_4000, 0x3c00_3c00, 0), 0x4000_4200);
    }

    #[test]
    fn signed_and_unsigned_extremes_differ() {
        let signed = function("min", Type::S32).expect("min");
        let unsigned = function("min", Type::U32).expect("min");
        assert_eq!(signed(0xffff_ffff, 1, 0), 0xffff_ffff);
        assert_eq!(unsigned(0xffff_ffff, 1, 0), 1);
    }
}
