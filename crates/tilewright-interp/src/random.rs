//! Seeded random numbers: garbage and orders.

use tilewright_tensor::{DataType, TypeCode};

/// A generator of random numbers (xorshift64*): small, seeded, and good enough to shake programs.
#[derive(Clone, Copy, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03 | 1)
    }

    /// Another generator whose numbers are unlike this one's.
    pub fn fork(&mut self) -> Self {
        Self::new(self.bits())
    }

    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.bits() >> 11) as usize % end }
    }

    /// The numbers below `count` in random order.
    pub(crate) fn order(&mut self, count: i64) -> Vec<i64> {
        let mut order: Vec<i64> = (0..count).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }

    /// Overwrites elements with garbage: NaNs and arbitrary values for floats, arbitrary bits for integers, truth values
    /// for bools (other bytes are not values of the type).
    pub(crate) fn garbage(&mut self, dtype: DataType, bytes: &mut [u8]) {
        for element in bytes.chunks_mut(dtype.element_bytes().max(1)) {
            let bits = self.bits();
            let garbage = match (dtype.code, dtype.bits) {
                (TypeCode::Bool, _) => bits & 1,
                (TypeCode::Float, 32) if bits >> 63 == 1 => 0x7FC0_0000 | (bits & 0xFFFF),
                (TypeCode::Float, 64) if bits >> 63 == 1 => 0x7FF8_0000_0000_0000 | (bits & 0xFFFF),
                (TypeCode::Float, 16) if bits >> 63 == 1 => 0x7E00 | (bits & 0xFF),
                (TypeCode::BFloat, _) if bits >> 63 == 1 => 0x7FC0 | (bits & 0x3F),
                _ => bits,
            };
            let length = element.len().min(8);
            element[..length].copy_from_slice(&garbage.to_le_bytes()[..length]);
        }
    }
}
