//! The fundamental types of PTX.

/// A type as an opcode's suffix names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    Pred,
    B8,
    B16,
    B32,
    B64,
    B128,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    BF16,
    TF32,
    F16x2,
    BF16x2,
    F32,
    F64,
    E4M3x2,
    E5M2x2,
    U16x2,
    S16x2,
}

impl Type {
    /// The type of that name, without its dot.
    pub(crate) fn parse(name: &str) -> Option<Type> {
        use Type::*;
        Some(match name {
            "pred" => Pred,
            "b8" => B8,
            "b16" => B16,
            "b32" => B32,
            "b64" => B64,
            "b128" => B128,
            "u8" => U8,
            "u16" => U16,
            "u32" => U32,
            "u64" => U64,
            "s8" => S8,
            "s16" => S16,
            "s32" => S32,
            "s64" => S64,
            "f16" => F16,
            "bf16" => BF16,
            "tf32" => TF32,
            "f16x2" => F16x2,
            "bf16x2" => BF16x2,
            "f32" => F32,
            "f64" => F64,
            "e4m3x2" => E4M3x2,
            "e5m2x2" => E5M2x2,
            "u16x2" => U16x2,
            "s16x2" => S16x2,
            _ => return None,
        })
    }

    pub(crate) fn bits(self) -> u32 {
        use Type::*;
        match self {
            Pred => 1,
            B8 | U8 | S8 => 8,
            B16 | U16 | S16 | F16 | BF16 | E4M3x2 | E5M2x2 => 16,
            B32 | U32 | S32 | F32 | TF32 | F16x2 | BF16x2 | U16x2 | S16x2 => 32,
            B64 | U64 | S64 | F64 => 64,
            B128 => 128,
        }
    }

    pub(crate) fn mask(self) -> u64 {
        mask(self.bits())
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Type::S8 | Type::S16 | Type::S32 | Type::S64 | Type::S16x2)
    }

    pub(crate) fn is_float(self) -> bool {
        use Type::*;
        matches!(self, F16 | BF16 | TF32 | F16x2 | BF16x2 | F32 | F64 | E4M3x2 | E5M2x2)
    }
}

/// The lowest `bits` bits.
pub(crate) fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}
