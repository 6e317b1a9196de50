//! Operands at which something may go wrong.

use tilewright_expr::semantics::Scalar;
use tilewright_tensor::DataType;

/// Values at which something may go wrong.
pub(super) fn extremes(dtype: DataType) -> Vec<Scalar> {
    if dtype.is_bool() {
        return vec![Scalar::from_bool(false), Scalar::from_bool(true)];
    }
    if dtype.is_float() { extreme_floats(dtype) } else { extreme_integers(dtype) }
}

fn extreme_floats(dtype: DataType) -> Vec<Scalar> {
    let positive = [
        0.0,
        0.1,
        0.5,
        1.0,
        1.5,
        2.5,
        3.0,
        127.5,
        255.9,
        2049.0,
        65535.5,
        2147483647.0,
        2147483648.0,
        4294967296.0,
        9.3e18,
        1.9e19,
        1e30,
        f64::INFINITY,
        f64::NAN,
    ];
    // The least and the greatest denormal, the least normal, the greatest finite number, a signalling NaN.
    let infinity = Scalar::from_float(f64::INFINITY, dtype).bits();
    let least_normal = infinity & infinity.wrapping_neg();
    let bits = [1, least_normal - 1, least_normal, infinity - 1, infinity + 1];
    let sign = 1 << (dtype.bits - 1);
    let named = positive.iter().flat_map(|&x| [x, -x]).map(|x| Scalar::from_float(x, dtype));
    let mut values: Vec<Scalar> =
        named.chain(bits.iter().flat_map(|&b| [b, b | sign]).map(|b| Scalar::from_bits(dtype, b))).collect();
    let mut seen = std::collections::BTreeSet::new();
    values.retain(|value| seen.insert(value.bits()));
    values
}

fn extreme_integers(dtype: DataType) -> Vec<Scalar> {
    let width = i64::from(dtype.bits);
    let greatest = if dtype.is_signed() { i64::MAX >> (64 - width) } else { -1 };
    let small = [0, 1, 2, 3, 7, 100, width - 1, width, width + 1];
    let large = [greatest, greatest.wrapping_sub(1), greatest.wrapping_add(1), 1 << (width - 1)];
    let mut all: Vec<i64> = small.into_iter().chain(small.map(|x| -x)).chain(large).collect();
    all.sort_unstable();
    all.dedup();
    let mut values: Vec<Scalar> = all.into_iter().map(|x| Scalar::from_int(x, dtype)).collect();
    values.dedup();
    values
}

/// As many values of any bits, the same in every run.
pub(super) fn random(dtype: DataType, count: usize, seed: u64) -> Vec<Scalar> {
    let mut state = seed ^ 0x9E37_79B9_7F4A_7C15;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let value =
        |bits: u64| if dtype.is_bool() { Scalar::from_bool(bits & 1 == 1) } else { Scalar::from_bits(dtype, bits) };
    (0..count).map(|_| value(next())).collect()
}

/// Pairs of which the first is an integer multiple of the second one, or one or two ulps away from it: of up to as many
/// times as there are digits, and more.
pub(super) fn near_multiples(dtype: DataType) -> Vec<Vec<Scalar>> {
    let mut pairs = Vec::new();
    for (at, random) in random(DataType::U64, 400, 3).into_iter().enumerate() {
        let bits = random.bits();
        // From 1 to 2, as many digits as there are.
        let divisor = Scalar::from_float(1.0 + (bits >> 12) as f64 / (1u64 << 52) as f64, dtype);
        let times = ((bits << 7 | 1 << 63) >> (63 - at as u32 % 60)) as f64;
        let near = Scalar::from_float(divisor.as_float() * times, dtype);
        for ulps in [0, 1, u64::MAX, 2, u64::MAX - 1] {
            let dividend = Scalar::from_bits(dtype, near.bits().wrapping_add(ulps));
            let negative = Scalar::from_float(-dividend.as_float(), dtype);
            pairs.extend([vec![dividend, divisor], vec![negative, divisor]]);
        }
    }
    pairs
}

/// Every pair of extreme values, and some of random bits.
pub(super) fn pairs(dtype: DataType) -> Vec<Vec<Scalar>> {
    let values = extremes(dtype);
    let random = random(dtype, 64, 1).into_iter().zip(random(dtype, 64, 2)).map(|(a, b)| vec![a, b]);
    values.iter().flat_map(|&a| values.iter().map(move |&b| vec![a, b])).chain(random).collect()
}

/// Every value of a type of up to 16 bits; of wider ones the extreme ones, and some of random bits.
pub(super) fn all(dtype: DataType) -> Vec<Scalar> {
    match dtype.bits {
        _ if dtype.is_bool() => extremes(dtype),
        bits @ (8 | 16) => (0..1u64 << bits).map(|bits| Scalar::from_bits(dtype, bits)).collect(),
        _ => extremes(dtype).into_iter().chain(random(dtype, 256, 3)).collect(),
    }
}

/// Values of a float type in the middle between neighbours of a narrower one, and an ulp away: the conversion
/// between the two goes wrong there if it rounds twice, or away from even.
pub(super) fn ties(from: DataType, to: DataType) -> Vec<Scalar> {
    if !(from.is_float() && to.is_float() && from.bits > to.bits) {
        return Vec::new();
    }
    let infinity = Scalar::from_float(f64::INFINITY, to).bits();
    let some = random(DataType::U64, 96, 4).into_iter().map(|word| word.bits() % infinity);
    let mut values = Vec::new();
    for low in some.chain([0, 1, 2, infinity / 2, infinity - 2, infinity - 1]) {
        let [a, b] = [low, low + 1].map(|bits| Scalar::from_bits(to, bits).as_float());
        // Beyond the greatest number the next step would be as wide as the last.
        let middle =
            if b.is_finite() { a / 2.0 + b / 2.0 } else { a + (a - Scalar::from_bits(to, low - 1).as_float()) / 2.0 };
        let middle = Scalar::from_float(middle, from);
        for bits in [middle.bits() - 1, middle.bits(), middle.bits() + 1] {
            values.push(Scalar::from_bits(from, bits));
            values.push(Scalar::from_bits(from, bits | 1 << (from.bits - 1)));
        }
    }
    values
}
