//! The addresses of [`EXTERNAL_SYMBOLS`]: all functions outside of its image that machine code may call.
//!
//! Half-precision values travel in vector registers, in the low 16 bits; a function that takes or gives an `f32` with
//! those bits has the same calling convention on x86-64 and AArch64.

use std::ffi::{c_int, c_void};

use tilewright_tensor::abi::EXTERNAL_SYMBOLS;
use tilewright_tensor::{bf16, f16};

use libc::size_t;

// The C library's functions, by their C signatures; `libc` declares only some of them.
unsafe extern "C" {
    fn bcmp(a: *const c_void, b: *const c_void, n: size_t) -> c_int;
}

macro_rules! math {
    ($($name:ident($($arg:ident),*) -> $type:ty),* $(,)?) => {
        unsafe extern "C" {
            $(fn $name($($arg: $type),*) -> $type;)*
        }
        /// The address of one of the C library's functions over floats.
        fn math_address(name: &str) -> Option<usize> {
            match name {
                $(stringify!($name) => Some($name as *const () as usize),)*
                _ => None,
            }
        }
    };
}

math! {
    fmod(a, b) -> f64, fmodf(a, b) -> f32, fma(a, b, c) -> f64, fmaf(a, b, c) -> f32,
    floor(a) -> f64, floorf(a) -> f32, ceil(a) -> f64, ceilf(a) -> f32, trunc(a) -> f64, truncf(a) -> f32,
    round(a) -> f64, roundf(a) -> f32, rint(a) -> f64, rintf(a) -> f32, nearbyint(a) -> f64, nearbyintf(a) -> f32,
    exp(a) -> f64, expf(a) -> f32, exp2(a) -> f64, exp2f(a) -> f32, log(a) -> f64, logf(a) -> f32,
    log2(a) -> f64, log2f(a) -> f32, log10(a) -> f64, log10f(a) -> f32, pow(a, b) -> f64, powf(a, b) -> f32,
    sin(a) -> f64, sinf(a) -> f32, cos(a) -> f64, cosf(a) -> f32, tan(a) -> f64, tanf(a) -> f32,
    asin(a) -> f64, asinf(a) -> f32, acos(a) -> f64, acosf(a) -> f32, atan(a) -> f64, atanf(a) -> f32,
    atan2(a, b) -> f64, atan2f(a, b) -> f32, sinh(a) -> f64, sinhf(a) -> f32, cosh(a) -> f64, coshf(a) -> f32,
    tanh(a) -> f64, tanhf(a) -> f32,
}

extern "C" fn roundeven(a: f64) -> f64 {
    a.round_ties_even()
}

extern "C" fn roundevenf(a: f32) -> f32 {
    a.round_ties_even()
}

extern "C" fn truncate_f32_to_f16(a: f32) -> f32 {
    f32::from_bits(u32::from(f16::from_f32(a).to_bits()))
}

extern "C" fn truncate_f64_to_f16(a: f64) -> f32 {
    truncate_f32_to_f16(round_to_odd(a))
}

extern "C" fn extend_f16_to_f32(a: f32) -> f32 {
    f16::from_bits(a.to_bits() as u16).to_f32()
}

extern "C" fn truncate_f32_to_bf16(a: f32) -> f32 {
    f32::from_bits(u32::from(bf16::from_f32(a).to_bits()))
}

extern "C" fn truncate_f64_to_bf16(a: f64) -> f32 {
    truncate_f32_to_bf16(round_to_odd(a))
}

/// Cuts an `f64` to an `f32` and sets the last bit if anything was lost. Rounding the result again to a type with at
/// least two bits less gives what rounding the `f64` at once would give.
pub(crate) fn round_to_odd(a: f64) -> f32 {
    let nearest = a as f32;
    if a.is_nan() || f64::from(nearest) == a {
        return nearest;
    }
    let bits = nearest.to_bits();
    let cut = if f64::from(nearest).abs() > a.abs() { bits - 1 } else { bits };
    f32::from_bits(cut | 1)
}

/// The address of `EXTERNAL_SYMBOLS[index]`.
pub(crate) fn address(index: u32) -> Option<usize> {
    let name = *EXTERNAL_SYMBOLS.get(index as usize)?;
    let address: *const () = match name {
        "memset" => libc::memset as *const (),
        "memcpy" => libc::memcpy as *const (),
        "memmove" => libc::memmove as *const (),
        "memcmp" => libc::memcmp as *const (),
        "bcmp" => bcmp as *const (),
        "roundeven" => roundeven as *const (),
        "roundevenf" => roundevenf as *const (),
        "__truncsfhf2" => truncate_f32_to_f16 as *const (),
        "__truncdfhf2" => truncate_f64_to_f16 as *const (),
        "__extendhfsf2" => extend_f16_to_f32 as *const (),
        "__truncsfbf2" => truncate_f32_to_bf16 as *const (),
        "__truncdfbf2" => truncate_f64_to_bf16 as *const (),
        name => return math_address(name),
    };
    Some(address as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_symbol_has_an_address() {
        for (index, name) in EXTERNAL_SYMBOLS.iter().enumerate() {
            assert!(address(index as u32).is_some_and(|address| address != 0), "{name}");
        }
        assert_eq!(address(EXTERNAL_SYMBOLS.len() as u32), None);
    }

    #[test]
    fn narrowing_from_double_rounds_once() {
        // Just above the middle of two f16 values, by less than f32 can say: rounding twice would go to the even one.
        let a = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
        assert_eq!(truncate_f64_to_f16(a).to_bits(), 0x3c01);
        assert_eq!(truncate_f64_to_f16(-a).to_bits(), 0xbc01);
        assert_eq!(truncate_f64_to_f16(1.0 + 2f64.powi(-11)).to_bits(), 0x3c00);
        assert_eq!(truncate_f64_to_f16(1e300).to_bits(), 0x7c00);
        assert_eq!(truncate_f64_to_f16(f64::NAN).to_bits() & 0x7c00, 0x7c00);
        let b = 1.0 + 2f64.powi(-8) + 2f64.powi(-40);
        assert_eq!(truncate_f64_to_bf16(b).to_bits(), 0x3f81);
        assert_eq!(extend_f16_to_f32(f32::from_bits(0x3c00)), 1.0);
    }
}
