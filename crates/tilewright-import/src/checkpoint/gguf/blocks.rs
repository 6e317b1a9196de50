//! GGUF's element types in blocks, and what their elements are as float32.
//!
//! A block holds 32 or 256 elements in few bits and what scales them. The formulas are those of the format; every
//! operation is rounded to float32, in the order in which the formula of the type is written here, so that a value
//! does not depend on the machine. Halves are IEEE's, `d` scales, `m` is added or subtracted. "Low nibbles first" means
//! that the low halves of the bytes are elements 0, 1, …, and the high halves follow after all of them.

use half::f16;

macro_rules! block_types {
    ($($(#[$doc:meta])* $variant:ident = $number:literal, $name:literal, $elements:literal in $bytes:literal;)*) => {
        /// An element type in blocks.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum BlockType {
            $($(#[$doc])* $variant,)*
        }

        impl BlockType {
            /// All of them, in the order of their numbers.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The type of a number in a file.
            pub const fn of_number(number: u32) -> Option<Self> {
                match number {
                    $($number => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// The number in a file.
            pub const fn number(self) -> u32 {
                match self { $(Self::$variant => $number,)* }
            }

            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Elements of a block.
            pub const fn elements(self) -> usize {
                match self { $(Self::$variant => $elements,)* }
            }

            /// Bytes of a block.
            pub const fn bytes(self) -> usize {
                match self { $(Self::$variant => $bytes,)* }
            }
        }
    };
}

block_types! {
    /// `(q - 8) * d`: d, 16 bytes of nibbles.
    Q4_0 = 2, "Q4_0", 32 in 18;
    /// `q * d + m`: d, m, 16 bytes of nibbles.
    Q4_1 = 3, "Q4_1", 32 in 20;
    /// `(q - 16) * d`: d, the fifth bits in 4 bytes, 16 bytes of nibbles.
    Q5_0 = 6, "Q5_0", 32 in 22;
    /// `q * d + m`: d, m, the fifth bits, nibbles.
    Q5_1 = 7, "Q5_1", 32 in 24;
    /// `q * d`: d, 32 signed bytes.
    Q8_0 = 8, "Q8_0", 32 in 34;
    Q8_1 = 9, "Q8_1", 32 in 36;
    /// `(d * sc) * q - (dmin * m)` for 16 groups of 16: 16 bytes of nibbles (sc, m), 64 bytes of 2 bits, d, dmin.
    Q2K = 10, "Q2_K", 256 in 84;
    /// `(d * (sc - 32)) * q` for 16 groups of 16, q from -4 to 3: 32 bytes of third bits, 64 of 2 bits, 12 of 6-bit
    /// scales, d.
    Q3K = 11, "Q3_K", 256 in 110;
    /// `(d * sc) * q - (dmin * m)` for 8 groups of 32: d, dmin, 12 bytes of 6-bit scales, 128 of nibbles.
    Q4K = 12, "Q4_K", 256 in 144;
    /// As Q4_K, with 32 bytes of fifth bits before the nibbles.
    Q5K = 13, "Q5_K", 256 in 176;
    /// `(d * sc) * (q - 32)` for 16 groups of 16: 128 bytes of nibbles, 64 of 2 bits, 16 signed scales, d.
    Q6K = 14, "Q6_K", 256 in 210;
    Q8K = 15, "Q8_K", 256 in 292;
    Iq2Xxs = 16, "IQ2_XXS", 256 in 66;
    Iq2Xs = 17, "IQ2_XS", 256 in 74;
    Iq3Xxs = 18, "IQ3_XXS", 256 in 98;
    Iq1S = 19, "IQ1_S", 256 in 50;
    /// `d * table[q]`: d, 16 bytes of nibbles.
    Iq4Nl = 20, "IQ4_NL", 32 in 18;
    Iq3S = 21, "IQ3_S", 256 in 110;
    Iq2S = 22, "IQ2_S", 256 in 82;
    /// `(d * (ls - 32)) * table[q]` for 8 groups of 32: d, 2 bytes of high and 4 of low bits of ls, 128 of nibbles.
    Iq4Xs = 23, "IQ4_XS", 256 in 136;
    Iq1M = 29, "IQ1_M", 256 in 56;
    Tq1_0 = 34, "TQ1_0", 256 in 54;
    Tq2_0 = 35, "TQ2_0", 256 in 66;
    /// `2^(e - 128) * twice`, where twice is double the value of 4 bits (E2M1): e, 16 bytes of nibbles.
    Mxfp4 = 39, "MXFP4", 32 in 17;
}

/// The values of IQ4_NL and IQ4_XS.
const NON_LINEAR: [f32; 16] =
    [-127.0, -104.0, -83.0, -65.0, -49.0, -35.0, -22.0, -10.0, 1.0, 13.0, 25.0, 38.0, 53.0, 69.0, 89.0, 113.0];
/// Double the values of floats with one sign bit, two of exponent, one of mantissa; the format has no negative zero.
const TWICE_E2M1: [f32; 16] = [0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 0.0, -1.0, -2.0, -3.0, -4.0, -6.0, -8.0, -12.0];

/// Writes the elements of one block.
type Decode = fn(&[u8], &mut [f32]);

impl BlockType {
    fn decoder(self) -> Option<Decode> {
        Some(match self {
            Self::Q4_0 => q4_0,
            Self::Q4_1 => q4_1,
            Self::Q5_0 => q5_0,
            Self::Q5_1 => q5_1,
            Self::Q8_0 => q8_0,
            Self::Q2K => q2_k,
            Self::Q3K => q3_k,
            Self::Q4K => q4_k,
            Self::Q5K => q5_k,
            Self::Q6K => q6_k,
            Self::Iq4Nl => iq4_nl,
            Self::Iq4Xs => iq4_xs,
            Self::Mxfp4 => mxfp4,
            Self::Q8_1
            | Self::Q8K
            | Self::Iq2Xxs
            | Self::Iq2Xs
            | Self::Iq3Xxs
            | Self::Iq1S
            | Self::Iq3S
            | Self::Iq2S
            | Self::Iq1M
            | Self::Tq1_0
            | Self::Tq2_0 => return None,
        })
    }

    /// Whether the elements are read.
    pub fn is_decoded(self) -> bool {
        self.decoder().is_some()
    }

    /// The elements of whole blocks.
    ///
    /// # Errors
    /// If the type is not read, or the bytes are no whole blocks.
    pub fn decode(self, bytes: &[u8]) -> Result<Vec<f32>, String> {
        let decoder = self.decoder();
        let decoder =
            decoder.ok_or_else(|| format!("elements of type {} are not read; their bytes are", self.name()))?;
        if !bytes.len().is_multiple_of(self.bytes()) {
            return Err(format!("{} bytes are no whole blocks of {}", bytes.len(), self.name()));
        }
        let mut values = vec![0.0; bytes.len() / self.bytes() * self.elements()];
        for (block, out) in bytes.chunks_exact(self.bytes()).zip(values.chunks_exact_mut(self.elements())) {
            decoder(block, out);
        }
        Ok(values)
    }
}

/// The half at an offset of a block.
fn half(block: &[u8], at: usize) -> f32 {
    f16::from_le_bytes([block[at], block[at + 1]]).to_f32()
}

/// Both nibbles of the bytes through `value`, low nibbles first.
fn nibbles(bytes: &[u8], out: &mut [f32], value: impl Fn(u8) -> f32) {
    let (low, high) = out.split_at_mut(bytes.len());
    for ((byte, low), high) in bytes.iter().zip(low).zip(high) {
        (*low, *high) = (value(byte & 15), value(byte >> 4));
    }
}

fn q4_0(block: &[u8], out: &mut [f32]) {
    let d = half(block, 0);
    nibbles(&block[2..18], out, |q| (f32::from(q) - 8.0) * d);
}

fn q4_1(block: &[u8], out: &mut [f32]) {
    let (d, m) = (half(block, 0), half(block, 2));
    nibbles(&block[4..20], out, |q| f32::from(q) * d + m);
}

/// The 5-bit numbers of 4 bytes of high bits and 16 of nibbles, through `value`.
fn five_bits(block: &[u8], out: &mut [f32], value: impl Fn(u8) -> f32) {
    let high = u32::from_le_bytes([block[0], block[1], block[2], block[3]]);
    for (number, out) in out.iter_mut().enumerate() {
        let byte = block[4 + number % 16];
        let low = if number < 16 { byte & 15 } else { byte >> 4 };
        *out = value(low | ((high >> number & 1) as u8) << 4);
    }
}

fn q5_0(block: &[u8], out: &mut [f32]) {
    let d = half(block, 0);
    five_bits(&block[2..22], out, |q| (f32::from(q) - 16.0) * d);
}

fn q5_1(block: &[u8], out: &mut [f32]) {
    let (d, m) = (half(block, 0), half(block, 2));
    five_bits(&block[4..24], out, |q| f32::from(q) * d + m);
}

fn q8_0(block: &[u8], out: &mut [f32]) {
    let d = half(block, 0);
    for (byte, out) in block[2..34].iter().zip(out) {
        *out = f32::from(byte.cast_signed()) * d;
    }
}

/// The 2-bit number of an element: 128 elements are four shifts of 32 bytes.
fn two_bits(bytes: &[u8], element: usize) -> u8 {
    let shift = element % 128 / 32 * 2;
    bytes[element / 128 * 32 + element % 32] >> shift & 3
}

fn q2_k(block: &[u8], out: &mut [f32]) {
    let (d, dmin) = (half(block, 80), half(block, 82));
    for (group, out) in out.chunks_exact_mut(16).enumerate() {
        let scales = block[group];
        let (scale, min) = (d * f32::from(scales & 15), dmin * f32::from(scales >> 4));
        for (at, out) in out.iter_mut().enumerate() {
            *out = scale * f32::from(two_bits(&block[16..80], group * 16 + at)) - min;
        }
    }
}

fn q3_k(block: &[u8], out: &mut [f32]) {
    let (d, scales) = (half(block, 108), &block[96..108]);
    for (group, out) in out.chunks_exact_mut(16).enumerate() {
        // Four low bits in 8 bytes of nibbles, two high bits in 4 bytes.
        let low = if group < 8 { scales[group] & 15 } else { scales[group - 8] >> 4 };
        let high = scales[8 + group % 4] >> (group / 4 * 2) & 3;
        let scale = d * (f32::from(low | high << 4) - 32.0);
        for (at, out) in out.iter_mut().enumerate() {
            let element = group * 16 + at;
            let has_third_bit = block[element % 32] >> (element / 32) & 1 == 1;
            let q = f32::from(two_bits(&block[32..96], element)) - if has_third_bit { 0.0 } else { 4.0 };
            *out = scale * q;
        }
    }
}

/// Scale and minimum of a group of 32, from 12 bytes with 6 bits for each.
fn six_bits(scales: &[u8], group: usize) -> (f32, f32) {
    let (scale, min) = match group {
        0..4 => (scales[group] & 63, scales[group + 4] & 63),
        _ => (scales[group + 4] & 15 | scales[group - 4] >> 6 << 4, scales[group + 4] >> 4 | scales[group] >> 6 << 4),
    };
    (f32::from(scale), f32::from(min))
}

/// Q4_K and Q5_K: 64 elements are 32 bytes, low nibbles first; `high` gives the fifth bit of an element as 0 or 16.
fn k_blocks(block: &[u8], nibbles: &[u8], out: &mut [f32], high: impl Fn(usize) -> u8) {
    let (d, dmin) = (half(block, 0), half(block, 2));
    for (group, out) in out.chunks_exact_mut(32).enumerate() {
        let (scale, min) = six_bits(&block[4..16], group);
        let (scale, min) = (d * scale, dmin * min);
        let bytes = &nibbles[group / 2 * 32..][..32];
        for (at, (byte, out)) in bytes.iter().zip(out).enumerate() {
            let low = if group % 2 == 0 { byte & 15 } else { byte >> 4 };
            *out = scale * f32::from(low + high(group * 32 + at)) - min;
        }
    }
}

fn q4_k(block: &[u8], out: &mut [f32]) {
    k_blocks(block, &block[16..144], out, |_| 0);
}

fn q5_k(block: &[u8], out: &mut [f32]) {
    let high = &block[16..48];
    k_blocks(block, &block[48..176], out, |element| (high[element % 32] >> (element / 32) & 1) << 4);
}

fn q6_k(block: &[u8], out: &mut [f32]) {
    let d = half(block, 208);
    for (element, out) in out.iter_mut().enumerate() {
        let scale = d * f32::from(block[192 + element / 16].cast_signed());
        // 128 elements are 64 bytes of nibbles, the low ones of all of them first.
        let (half, within) = (element / 128, element % 128);
        let byte = block[half * 64 + within % 64];
        let low = if within < 64 { byte & 15 } else { byte >> 4 };
        let high = two_bits(&block[128..192], element);
        *out = scale * (f32::from(low | high << 4) - 32.0);
    }
}

fn iq4_nl(block: &[u8], out: &mut [f32]) {
    let d = half(block, 0);
    nibbles(&block[2..18], out, |q| d * NON_LINEAR[usize::from(q)]);
}

fn iq4_xs(block: &[u8], out: &mut [f32]) {
    let (d, high) = (half(block, 0), u16::from_le_bytes([block[2], block[3]]));
    for (group, out) in out.chunks_exact_mut(32).enumerate() {
        let low = block[4 + group / 2] >> (group % 2 * 4) & 15;
        let scale = low | ((high >> (group * 2) & 3) as u8) << 4;
        let scale = d * (f32::from(scale) - 32.0);
        nibbles(&block[8 + group * 16..][..16], out, |q| scale * NON_LINEAR[usize::from(q)]);
    }
}

fn mxfp4(block: &[u8], out: &mut [f32]) {
    // 2^(e - 128) as float32, whose two smallest values are subnormal.
    let e = u32::from(block[0]);
    let d = f32::from_bits(if e < 2 { 0x0020_0000 << e } else { (e - 1) << 23 });
    nibbles(&block[1..17], out, |q| d * TWICE_E2M1[usize::from(q)]);
}
