//! Integer arithmetic.

use crate::lanes::{Map1, Map2, Map3, map1, map2, map3};
use crate::types::Type;

/// A function of operands of an integer type: `$T` is the type in Rust, `$U` the unsigned one, `$W` the one twice
/// as wide.
macro_rules! by_type {
    ($make:ident, $ty:expr, $T:ident, $W:ident, |$($a:ident),*| $body:expr) => {
        match $ty {
            Type::U16 | Type::B16 => by_type!(@arm $make, $T = u16, $W = u32, u16, |$($a),*| $body),
            Type::S16 => by_type!(@arm $make, $T = i16, $W = i32, u16, |$($a),*| $body),
            Type::U32 | Type::B32 => by_type!(@arm $make, $T = u32, $W = u64, u32, |$($a),*| $body),
            Type::S32 => by_type!(@arm $make, $T = i32, $W = i64, u32, |$($a),*| $body),
            Type::U64 | Type::B64 => by_type!(@arm $make, $T = u64, $W = u128, u64, |$($a),*| $body),
            Type::S64 => by_type!(@arm $make, $T = i64, $W = i128, u64, |$($a),*| $body),
            _ => return None,
        }
    };
    (@arm $make:ident, $T:ident = $type:ty, $W:ident = $wide:ty, $unsigned:ty, |$($a:ident),*| $body:expr) => {
        $make!(|$($a),*| {
            type $T = $type;
            type $W = $wide;
            // Not every operation names it.
            let _: Option<$W> = None;
            $(let $a = $a as $T;)*
            let result: $T = $body;
            u64::from(result as $unsigned)
        })
    };
}

/// Like `by_type`, for results that are twice as wide.
macro_rules! widening {
    ($make:ident, $ty:expr, $W:ident, |$($a:ident),*| $body:expr) => {
        match $ty {
            Type::U16 => widening!(@arm $make, u16, $W = u32, u32, |$($a),*| $body),
            Type::S16 => widening!(@arm $make, i16, $W = i32, u32, |$($a),*| $body),
            Type::U32 => widening!(@arm $make, u32, $W = u64, u64, |$($a),*| $body),
            Type::S32 => widening!(@arm $make, i32, $W = i64, u64, |$($a),*| $body),
            _ => return None,
        }
    };
    (@arm $make:ident, $type:ty, $W:ident = $wide:ty, $unsigned:ty, |$a:ident, $b:ident $(, $c:ident)?| $body:expr) => {
        $make!(|$a, $b $(, $c)?| {
            type $W = $wide;
            let ($a, $b) = ($W::from($a as $type), $W::from($b as $type));
            $(let $c = $c as $W;)?
            let result: $W = $body;
            u64::from(result as $unsigned)
        })
    };
}

pub(crate) fn unary(name: &str, ty: Type) -> Option<Map1> {
    Some(match name {
        "neg" => by_type!(map1, ty, T, W, |a| T::wrapping_neg(a)),
        "abs" if ty.is_signed() => match ty {
            Type::S16 => map1!(|a| u64::from((a as i16).wrapping_abs() as u16)),
            Type::S32 => map1!(|a| u64::from((a as i32).wrapping_abs() as u32)),
            Type::S64 => map1!(|a| (a as i64).wrapping_abs() as u64),
            _ => return None,
        },
        "not" => by_type!(map1, ty, T, W, |a| !a),
        "cnot" => by_type!(map1, ty, T, W, |a| T::from(a == 0)),
        _ => return None,
    })
}

pub(crate) fn binary(name: &str, ty: Type) -> Option<Map2> {
    if matches!(ty, Type::U16x2 | Type::S16x2) {
        return halves(name, ty);
    }
    Some(match name {
        "add" => by_type!(map2, ty, T, W, |a, b| T::wrapping_add(a, b)),
        "sub" => by_type!(map2, ty, T, W, |a, b| T::wrapping_sub(a, b)),
        "add.sat" if ty == Type::S32 => map2!(|a, b| u64::from((a as i32).saturating_add(b as i32) as u32)),
        "sub.sat" if ty == Type::S32 => map2!(|a, b| u64::from((a as i32).saturating_sub(b as i32) as u32)),
        "mul.lo" => by_type!(map2, ty, T, W, |a, b| T::wrapping_mul(a, b)),
        "mul.hi" => by_type!(map2, ty, T, W, |a, b| (W::from(a).wrapping_mul(W::from(b)) >> T::BITS) as T),
        "mul.wide" => widening!(map2, ty, W, |a, b| W::wrapping_mul(a, b)),
        "mul24.lo" => match ty {
            Type::U32 => map2!(|a, b| ((a & 0xff_ffff) * (b & 0xff_ffff)) & 0xffff_ffff),
            Type::S32 => map2!(|a, b| (signed24(a).wrapping_mul(signed24(b)) as u64) & 0xffff_ffff),
            _ => return None,
        },
        // A division by zero gives all ones here; PTX leaves it open.
        "div" => by_type!(map2, ty, T, W, |a, b| if b == 0 { !0 } else { T::wrapping_div(a, b) }),
        "rem" => by_type!(map2, ty, T, W, |a, b| if b == 0 { a } else { T::wrapping_rem(a, b) }),
        "min" => by_type!(map2, ty, T, W, |a, b| a.min(b)),
        "max" => by_type!(map2, ty, T, W, |a, b| a.max(b)),
        "and" => by_type!(map2, ty, T, W, |a, b| a & b),
        "or" => by_type!(map2, ty, T, W, |a, b| a | b),
        "xor" => by_type!(map2, ty, T, W, |a, b| a ^ b),
        _ => return shift(name, ty),
    })
}

fn signed24(x: u64) -> i64 {
    (x as i64) << 40 >> 40
}

/// Shifts by 32 bits of `b`; amounts above the width are those of the width.
fn shift(name: &str, ty: Type) -> Option<Map2> {
    Some(match (name, ty.bits()) {
        ("shl", 16) => map2!(|a, b| (a as u16).checked_shl(b as u32).unwrap_or(0).into()),
        ("shl", 32) => map2!(|a, b| (a as u32).checked_shl(b as u32).unwrap_or(0).into()),
        ("shl", 64) => map2!(|a, b| a.checked_shl(b as u32).unwrap_or(0)),
        ("shr", 16) if ty.is_signed() => map2!(|a, b| u64::from(((a as i16) >> (b as u32).min(15)) as u16)),
        ("shr", 32) if ty.is_signed() => map2!(|a, b| u64::from(((a as i32) >> (b as u32).min(31)) as u32)),
        ("shr", 64) if ty.is_signed() => map2!(|a, b| ((a as i64) >> (b as u32).min(63)) as u64),
        ("shr", 16) => map2!(|a, b| (a as u16).checked_shr(b as u32).unwrap_or(0).into()),
        ("shr", 32) => map2!(|a, b| (a as u32).checked_shr(b as u32).unwrap_or(0).into()),
        ("shr", 64) => map2!(|a, b| a.checked_shr(b as u32).unwrap_or(0)),
        _ => return None,
    })
}

/// Two 16-bit integers in 32 bits.
fn halves(name: &str, ty: Type) -> Option<Map2> {
    macro_rules! halves {
        ($T:ty, |$a:ident, $b:ident| $body:expr) => {
            map2!(|a, b| {
                let half = |$a: $T, $b: $T| -> u64 { u64::from(($body) as u16) };
                half(a as $T, b as $T) | half((a >> 16) as $T, (b >> 16) as $T) << 16
            })
        };
    }
    Some(match (name, ty) {
        ("add", Type::U16x2 | Type::S16x2) => halves!(u16, |a, b| a.wrapping_add(b)),
        ("sub", Type::U16x2 | Type::S16x2) => halves!(u16, |a, b| a.wrapping_sub(b)),
        ("min", Type::U16x2) => halves!(u16, |a, b| a.min(b)),
        ("max", Type::U16x2) => halves!(u16, |a, b| a.max(b)),
        ("min", Type::S16x2) => halves!(i16, |a, b| a.min(b)),
        ("max", Type::S16x2) => halves!(i16, |a, b| a.max(b)),
        _ => return None,
    })
}

pub(crate) fn ternary(name: &str, ty: Type) -> Option<Map3> {
    Some(match name {
        "mad.lo" => by_type!(map3, ty, T, W, |a, b, c| T::wrapping_mul(a, b).wrapping_add(c)),
        "mad.hi" => by_type!(map3, ty, T, W, |a, b, c| {
            ((W::from(a).wrapping_mul(W::from(b)) >> T::BITS) as T).wrapping_add(c)
        }),
        "mad.wide" => widening!(map3, ty, W, |a, b, c| W::wrapping_mul(a, b).wrapping_add(c)),
        "mad24.lo" => match ty {
            Type::U32 => map3!(|a, b, c| ((a & 0xff_ffff) * (b & 0xff_ffff)).wrapping_add(c) & 0xffff_ffff),
            Type::S32 => {
                map3!(|a, b, c| (signed24(a).wrapping_mul(signed24(b)) as u64).wrapping_add(c) & 0xffff_ffff)
            }
            _ => return None,
        },
        "sad" => by_type!(map3, ty, T, W, |a, b, c| (a.abs_diff(b) as T).wrapping_add(c)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::WARP;

    const EDGES: [u64; 12] =
        [0, 1, 2, 7, 0x7f, 0x80, 0x7fff, 0x8000, 0x7fff_ffff, 0x8000_0000, i64::MAX as u64, i64::MIN as u64];

    /// Every pair of edge values and their negations, cut to the type.
    fn pairs(ty: Type) -> Vec<(u64, u64)> {
        let values: Vec<u64> = EDGES.iter().flat_map(|edge| [*edge, edge.wrapping_neg()]).collect();
        values.iter().flat_map(|a| values.iter().map(move |b| (a & ty.mask(), b & ty.mask()))).collect()
    }

    fn check2(name: &str, ty: Type, expected: impl Fn(i128, i128) -> i128) {
        let f = binary(name, ty).unwrap_or_else(|| panic!("{name} {ty:?}"));
        let wide = if name == "mul.wide" { ty.bits() * 2 } else { ty.bits() };
        for (a, b) in pairs(ty) {
            let mut out = [0; WARP];
            f(&[a; WARP], &[b; WARP], &mut out);
            let value = |x: u64| {
                let x = i128::from(x);
                if ty.is_signed() && x >> (ty.bits() - 1) == 1 { x - (1 << ty.bits()) } else { x }
            };
            let right = expected(value(a), value(b)) as u64 & crate::types::mask(wide);
            assert_eq!(out[0], right, "{name} {ty:?} of {a:#x} and {b:#x}");
            assert_eq!(out[0], out[31]);
        }
    }

    #[test]
    fn arithmetic_is_that_of_wide_integers_cut_to_the_type() {
        for ty in [Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64] {
            check2("add", ty, |a, b| a + b);
            check2("sub", ty, |a, b| a - b);
            check2("mul.lo", ty, |a, b| a.wrapping_mul(b));
            check2("mul.hi", ty, |a, b| {
                if ty == Type::U64 { ((a as u128 * b as u128) >> 64) as i128 } else { (a * b) >> ty.bits() }
            });
            check2("div", ty, |a, b| if b == 0 { -1 } else { a / b });
            check2("rem", ty, |a, b| if b == 0 { a } else { a % b });
            check2("min", ty, i128::min);
            check2("max", ty, i128::max);
            check2("and", ty, |a, b| a & b);
            check2("or", ty, |a, b| a | b);
            check2("xor", ty, |a, b| a ^ b);
            if ty.bits() < 64 {
                check2("mul.wide", ty, |a, b| a * b);
            }
        }
        check2("add.sat", Type::S32, |a, b| (a + b).clamp(i32::MIN.into(), i32::MAX.into()));
        check2("sub.sat", Type::S32, |a, b| (a - b).clamp(i32::MIN.into(), i32::MAX.into()));
    }

    #[test]
    fn shifts_end_at_the_width() {
        for ty in [Type::B16, Type::B32, Type::B64] {
            for amount in [0, 1, 15, 16, 31, 32, 63, 64, 200] {
                for value in EDGES.map(|edge| edge & ty.mask()) {
                    let mut out = [0; WARP];
                    binary("shl", ty).expect("shl")(&[value; WARP], &[amount; WARP], &mut out);
                    let right = if amount >= ty.bits().into() { 0 } else { (value << amount) & ty.mask() };
                    assert_eq!(out[5], right, "shl {ty:?} {value:#x} {amount}");
                    binary("shr", ty).expect("shr")(&[value; WARP], &[amount; WARP], &mut out);
                    let right = if amount >= ty.bits().into() { 0 } else { value >> amount };
                    assert_eq!(out[5], right, "shr {ty:?} {value:#x} {amount}");
                }
            }
        }
        let mut out = [0; WARP];
        binary("shr", Type::S32).expect("shr")(&[0x8000_0000; WARP], &[99; WARP], &mut out);
        assert_eq!(out[0], 0xffff_ffff);
    }

    #[test]
    fn products_are_added() {
        let mut out = [0; WARP];
        let (a, b, c) = ([0xffff_fffe; WARP], [3; WARP], [10; WARP]);
        ternary("mad.lo", Type::S32).expect("mad")(&a, &b, &c, &mut out);
        assert_eq!(out[0], 4);
        ternary("mad.wide", Type::S32).expect("mad")(&a, &b, &c, &mut out);
        assert_eq!(out[0], 4);
        ternary("mad.wide", Type::U32).expect("mad")(&a, &b, &c, &mut out);
        assert_eq!(out[0], 0xffff_fffe * 3 + 10);
        ternary("mad.hi", Type::U32).expect("mad")(&a, &b, &c, &mut out);
        assert_eq!(out[0], 12);
        ternary("sad", Type::S32).expect("sad")(&a, &b, &c, &mut out);
        assert_eq!(out[0], 15);
    }

    #[test]
    fn halves_do_not_carry() {
        let mut out = [0; WARP];
        binary("add", Type::U16x2).expect("add")(&[0x0001_ffff; WARP], &[0x0001_0001; WARP], &mut out);
        assert_eq!(out[0], 0x0002_0000);
        binary("max", Type::S16x2).expect("max")(&[0x8000_0001; WARP], &[0x0001_ffff; WARP], &mut out);
        assert_eq!(out[0], 0x0001_0001);
    }
}
