//! Seeded random numbers: garbage and orders.

use tilewright_tensor::{DataType, TypeCode};

/// The number of values that are kept in memory to be shuffled.
const FEW: i64 = 1 << 16;

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

    /// The numbers below `count` in random order: any order where they are few, else by steps of a random length.
    pub(crate) fn order(&mut self, count: i64) -> Box<dyn Iterator<Item = i64>> {
        if count <= FEW {
            let mut order: Vec<i64> = (0..count).collect();
            for i in (1..order.len()).rev() {
                order.swap(i, self.below(i + 1));
            }
            return Box::new(order.into_iter());
        }
        let (step, start) = (self.coprime(count), self.below(count as usize) as i128);
        let at = move |i: i64| ((start + i128::from(i) * step) % i128::from(count)) as i64;
        Box::new((0..count).map(at))
    }

    /// A number below `count` that has no factor in common with it.
    fn coprime(&mut self, count: i64) -> i128 {
        let divisor = |mut a: i64, mut b: i64| {
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        loop {
            let step = self.below(count as usize) as i64;
            if divisor(count, step) == 1 {
                return i128::from(step);
            }
        }
    }

    /// Overwrites elements with garbage: NaNs and arbitrary values for floats, arbitrary bits for integers, truth
    /// values for bools (other bytes are not values of the type).
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_has_every_number_once() {
        for count in [0, 1, 2, 1000, FEW + 1, 3 * FEW] {
            let mut order: Vec<i64> = Random::new(7).order(count).collect();
            assert!(count < 10 || !order.is_sorted());
            order.sort_unstable();
            assert_eq!(order, (0..count).collect::<Vec<_>>());
        }
        let mut long = Random::new(7).order(1 << 61);
        assert!(long.by_ref().take(1000).all(|i| (0..1 << 61).contains(&i)));
    }
}
