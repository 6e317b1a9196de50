//! Relations of `setp` and `set`.

use std::cmp::Ordering::{Equal, Greater, Less};

use super::format;
use crate::lanes::{Relation, relation};
use crate::types::Type;

macro_rules! table {
    ($name:expr, |$a:ident, $b:ident| $left:expr, $right:expr, floats: $floats:expr) => {
        match $name {
            "eq" => relation!(|$a, $b| $left == $right),
            "ne" if $floats => relation!(|$a, $b| matches!($left.partial_cmp(&$right), Some(Less | Greater))),
            "ne" | "neu" => relation!(|$a, $b| $left != $right),
            "lt" | "lo" => relation!(|$a, $b| $left < $right),
            "le" | "ls" => relation!(|$a, $b| $left <= $right),
            "gt" | "hi" => relation!(|$a, $b| $left > $right),
            "ge" | "hs" => relation!(|$a, $b| $left >= $right),
            "equ" => relation!(|$a, $b| matches!($left.partial_cmp(&$right), None | Some(Equal))),
            "ltu" => relation!(|$a, $b| matches!($left.partial_cmp(&$right), None | Some(Less))),
            "leu" => relation!(|$a, $b| matches!($left.partial_cmp(&$right), None | Some(Less | Equal))),
            "gtu" => relation!(|$a, $b| matches!($left.partial_cmp(&$right), None | Some(Greater))),
            "geu" => relation!(|$a, $b| matches!($left.partial_cmp(&$right), None | Some(Greater | Equal))),
            "num" => relation!(|$a, $b| $left.partial_cmp(&$right).is_some()),
            "nan" => relation!(|$a, $b| $left.partial_cmp(&$right).is_none()),
            _ => return None,
        }
    };
}

/// The relation of that name for values of `ty`.
pub(crate) fn relation(name: &str, ty: Type) -> Option<Relation> {
    let only_floats = matches!(name, "equ" | "neu" | "ltu" | "leu" | "gtu" | "geu" | "num" | "nan");
    if only_floats && !ty.is_float() {
        return None;
    }
    Some(match ty {
        Type::U16 | Type::B16 => table!(name, |a, b| a as u16, b as u16, floats: false),
        Type::S16 => table!(name, |a, b| a as i16, b as i16, floats: false),
        Type::U32 | Type::B32 => table!(name, |a, b| a as u32, b as u32, floats: false),
        Type::S32 => table!(name, |a, b| a as i32, b as i32, floats: false),
        Type::U64 | Type::B64 => table!(name, |a, b| a, b, floats: false),
        Type::S64 => table!(name, |a, b| a as i64, b as i64, floats: false),
        Type::F32 => table!(name, |a, b| f32::from_bits(a as u32), f32::from_bits(b as u32), floats: true),
        Type::F64 => table!(name, |a, b| f64::from_bits(a), f64::from_bits(b), floats: true),
        Type::F16 => table!(name, |a, b| format::F16.widen(a & 0xffff), format::F16.widen(b & 0xffff), floats: true),
        Type::BF16 => {
            table!(name, |a, b| format::BF16.widen(a & 0xffff), format::BF16.widen(b & 0xffff), floats: true)
        }
        _ => return None,
    })
}

/// The relation of float32 values whose subnormal numbers are zeros.
pub(crate) fn flushed(name: &str) -> Option<Relation> {
    fn value(bits: u64) -> f32 {
        f32::from_bits(format::F32.flush(bits & 0xffff_ffff) as u32)
    }
    Some(table!(name, |a, b| value(a), value(b), floats: true))
}

/// The relation of the upper halves.
pub(crate) fn upper(name: &str, ty: Type) -> Option<Relation> {
    Some(match ty {
        Type::F16 => {
            table!(name, |a, b| format::F16.widen(a >> 16 & 0xffff), format::F16.widen(b >> 16 & 0xffff), floats: true)
        }
        Type::BF16 => table!(
            name,
            |a, b| format::BF16.widen(a >> 16 & 0xffff),
            format::BF16.widen(b >> 16 & 0xffff),
            floats: true
        ),
        _ => return None,
    })
}

/// `testp`: the class of a number.
pub(crate) fn class(name: &str, ty: Type) -> Option<Relation> {
    macro_rules! classes {
        ($T:ty, |$a:ident| $value:expr) => {
            match name {
                "finite" => relation!(|$a, _b| $value.is_finite()),
                "infinite" => relation!(|$a, _b| $value.is_infinite()),
                "number" => relation!(|$a, _b| !$value.is_nan()),
                "notanumber" => relation!(|$a, _b| $value.is_nan()),
                "normal" => relation!(|$a, _b| $value.is_normal()),
                "subnormal" => relation!(|$a, _b| $value.is_subnormal()),
                _ => return None,
            }
        };
    }
    Some(match ty {
        Type::F32 => classes!(f32, |a| f32::from_bits(a as u32)),
        Type::F64 => classes!(f64, |a| f64::from_bits(a)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::WARP;

    #[test]
    fn floats_compare_as_the_names_say() {
        let values = [0.0f32, -0.0, 1.0, -1.0, f32::NAN, f32::INFINITY, 1e-45];
        for a in values {
            for b in values {
                let unordered = a.is_nan() || b.is_nan();
                let right = |name: &str| match name {
                    "eq" => a == b,
                    "ne" => !unordered && a != b,
                    "lt" => a < b,
                    "le" => a <= b,
                    "gt" => a > b,
                    "ge" => a >= b,
                    "equ" => unordered || a == b,
                    "neu" => a != b,
                    "ltu" => unordered || a < b,
                    "leu" => unordered || a <= b,
                    "gtu" => unordered || a > b,
                    "geu" => unordered || a >= b,
                    "num" => !unordered,
                    _ => unordered,
                };
                for name in ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]
                {
                    let f = relation(name, Type::F32).unwrap_or_else(|| panic!("{name}"));
                    let mask = f(&[a.to_bits().into(); WARP], &[b.to_bits().into(); WARP]);
                    assert_eq!(mask, if right(name) { u32::MAX } else { 0 }, "{a} {name} {b}");
                }
            }
        }
        assert!(relation("ltu", Type::S32).is_none());
    }

    #[test]
    fn integers_compare_with_and_without_sign() {
        let (a, b) = ([0xffff_ffff; WARP], [1; WARP]);
        assert_eq!(relation("lt", Type::S32).expect("lt")(&a, &b), u32::MAX);
        assert_eq!(relation("lt", Type::U32).expect("lt")(&a, &b), 0);
        assert_eq!(relation("hi", Type::U32).expect("hi")(&a, &b), u32::MAX);
        assert_eq!(relation("lt", Type::S16).expect("lt")(&[0x8000; WARP], &b), u32::MAX);
    }
}
