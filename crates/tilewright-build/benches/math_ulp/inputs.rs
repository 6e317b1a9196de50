//! The inputs that functions see.

use tilewright_ir::tir::Intrinsic;
use tilewright_tensor::DataType;

/// All inputs of a function, in chunks.
pub(crate) struct Inputs {
    pub(crate) dtype: DataType,
    pub(crate) operands: usize,
    /// Every so many of them.
    pub(crate) step: u64,
    /// Where there are too many to see all: so many.
    pub(crate) random: u64,
}

fn from_bits(bits: u64, dtype: DataType) -> f64 {
    if dtype.bits == 32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) }
}

/// The number rounded to the type.
fn rounded(value: f64, dtype: DataType) -> f64 {
    if dtype.bits == 32 { f64::from(value as f32) } else { value }
}

impl Inputs {
    /// Whether every value is seen.
    fn all(&self) -> bool {
        self.operands == 1 && self.dtype.bits == 32
    }

    pub(crate) fn count(&self) -> u64 {
        let all = if self.all() { 1 << 32 } else { self.random };
        all.div_ceil(self.step)
    }

    /// The operands of a chunk. The last one may repeat what others have.
    pub(crate) fn fill(&self, chunk: u64, operands: &mut [Vec<f64>]) {
        let size = operands[0].len() as u64;
        if self.all() {
            for (x, i) in operands[0].iter_mut().zip(chunk * size..) {
                *x = from_bits(i.wrapping_mul(self.step), self.dtype);
            }
            return;
        }
        let mut random = Random(chunk.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d);
        for x in operands.iter_mut().flatten() {
            *x = random.operand(self.dtype);
        }
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Between 0 and 1.
    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 * 2f64.powi(-53)
    }

    fn operand(&mut self, dtype: DataType) -> f64 {
        let (choice, bits) = (self.next() % 16, self.next());
        let special = SPECIAL[(bits % SPECIAL.len() as u64) as usize];
        match choice {
            0..8 => from_bits(bits, dtype),
            8..12 => rounded((self.fraction() - 0.5) * 2f64.powi((bits % 24) as i32 - 8), dtype),
            // Close to 1, where logarithms vanish.
            12..14 => rounded(1.0 + (self.fraction() - 0.5) * 2f64.powi(-((bits % 24) as i32)), dtype),
            14 => rounded(special, dtype),
            _ => rounded((self.fraction() * 200.0).round() - 100.0, dtype),
        }
    }
}

const SPECIAL: [f64; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    1e-45,
    -1e-45,
    1.1754943508222875e-38,
    3.4028234663852886e38,
    -3.4028234663852886e38,
    5e-324,
    1.7976931348623157e308,
    16777215.0,
    -16777217.0,
    9007199254740991.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1e300,
];

/// Inputs such as programs have, of the function's domain.
pub(crate) fn ordinary(function: Intrinsic, dtype: DataType, operands: &mut [Vec<f64>]) {
    let (low, high) = match function {
        Intrinsic::Log | Intrinsic::Log2 | Intrinsic::Log10 | Intrinsic::Rsqrt | Intrinsic::Pow => (0.01, 10.0),
        Intrinsic::Asin | Intrinsic::Acos | Intrinsic::Atanh => (-0.99, 0.99),
        Intrinsic::Acosh => (1.0, 20.0),
        Intrinsic::Log1p => (-0.9, 10.0),
        _ => (-5.0, 5.0),
    };
    let mut random = Random(1);
    for x in operands.iter_mut().flatten() {
        *x = rounded(low + (high - low) * random.fraction(), dtype);
    }
}
