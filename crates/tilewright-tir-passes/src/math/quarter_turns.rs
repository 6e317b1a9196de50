//! Angles as a number of quarter turns and a rest: `|x| = n π/2 + r` with `|r| <= π/4`, n modulo 4.
//!
//! Angles below [`MAX_CODY_WAITE_SINGLE`] and [`MAX_CODY_WAITE_DOUBLE`] (Cody and Waite): `n` is the integer nearest to
//! `|x| 2/π`, and `n π/2` is subtracted in parts, whose products with n are exact but for the last.
//!
//! All others (Payne and Hanek): with `|x| = M 2^E`, M an integer, only those bits of `M 2^E 2/π` matter that are below
//! 4. They come from the words of 2/π around bit E, by integer products: enough that the rest has full precision even
//! where it is as small as it can become for any x. A vector without such an angle skips this.

use super::exp::nearest;
use super::pair::{Pair, product, sum};
use super::terms::{Steps, Term, two_to};
use tilewright_ir::tir::Expr;
use tilewright_tensor::DataType;

/// π/2 as a sum.
struct Parts {
    /// Their products with n leave an angle without rounding.
    exact: &'static [f64],
    /// Its product with n is exact, but what it leaves is rounded.
    middle: f64,
    last: f64,
}

/// Up to here n has 13 bits; with the 11 bits of the first parts of π/2 the products have 24.
const MAX_CODY_WAITE_SINGLE: f64 = 12800.0;
/// Parts of 11, 11, 11 and 24 bits; the error is 2^-63.
const PARTS_SINGLE: Parts =
    Parts { exact: &[1.5703125, 0.0004837512969970703], middle: 7.549533620476723e-08, last: 2.5633440682570896e-12 };

/// Up to here n has 20 bits; with the 33 bits of the first parts of π/2 the products have 53.
const MAX_CODY_WAITE_DOUBLE: f64 = 1.6e6;
/// Parts of 33, 33 and 53 bits; the error is 2^-122.
const PARTS_DOUBLE: Parts =
    Parts { exact: &[1.5707963267341256], middle: 6.077100506303966e-11, last: 2.0222662487959506e-21 };

/// The fraction bits of 2/π, 32 at a time.
const TWO_OVER_PI: [u32; 37] = [
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a,
    0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41,
    0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf,
    0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08,
    0x56033046,
];

/// π/2 as the sum of two f64.
const HALF_PI: (f64, f64) = (std::f64::consts::FRAC_PI_2, 6.123233995736766e-17);

/// An angle of n quarter turns and r radians.
pub(super) struct Angle {
    /// An integer as wide as the angle, of which the lowest two bits count.
    pub(super) n: Term,
    pub(super) r: Term,
}

/// Applies `finish` to the magnitude of `x`, reduced to n and r.
pub(super) fn reduced(steps: &mut Steps, x: &Term, finish: impl Fn(&mut Steps, &Angle) -> Term) -> Term {
    let x = steps.keep("x", x.abs());
    let close = cody_waite(steps, &x);
    let far = steps.keep("far", x.gt(x.by_width(MAX_CODY_WAITE_SINGLE, MAX_CODY_WAITE_DOUBLE)));
    let common = with_steps(|steps| finish(steps, &close));
    let rare = with_steps(|steps| {
        let Angle { n, r } = if x.is_single() { far_single(steps, &x) } else { far_double(steps, &x) };
        // Infinity and NaN become NaN here.
        let r = r + &x * 0.0;
        let angle = Angle { n: steps.keep("n", far.pick(&n, &close.n)), r: steps.keep("r", far.pick(&r, &close.r)) };
        finish(steps, &angle)
    });
    far.any().choose(rare, common)
}

/// An expression with named values of its own.
fn with_steps(f: impl FnOnce(&mut Steps) -> Term) -> Expr {
    let mut steps = Steps::default();
    let result = f(&mut steps);
    steps.result(result)
}

fn cody_waite(steps: &mut Steps, x: &Term) -> Angle {
    let (n, whole) = nearest(steps, x * std::f64::consts::FRAC_2_PI);
    let parts = x.by_width(PARTS_SINGLE, PARTS_DOUBLE);
    let exact = parts.exact.iter().fold(x.clone(), |rest, &part| rest - &whole * part);
    let exact = steps.keep("exact", exact);
    let rest = steps.keep("rest", &exact - &whole * parts.middle);
    // The rounding error of this difference is added to the last one, so that r is rounded once.
    let lost = (exact - &rest) - &whole * parts.middle;
    let r = rest + (lost - whole * parts.last);
    Angle { n: steps.keep("n", n), r: steps.keep("r", r) }
}

/// `count` of the words from the one with this number on, of 2/π with `zeros` words of zero in front. Numbers go up to
/// `1 << bits`. A choice for each bit of the number, the highest first, shifts the list by that many words.
fn window(steps: &mut Steps, number: &Term, zeros: usize, bits: usize, count: usize) -> Vec<Term> {
    let words = std::iter::repeat_n(0, zeros).chain(TWO_OVER_PI).map(|word| number.constant(i64::from(word)));
    let mut words: Vec<Term> = words.collect();
    for bit in (0..=bits).rev() {
        let distance = 1 << bit;
        let moves = steps.keep("moves", (number & distance as i64).ne(0));
        let needed = words.len().min(count + distance - 1);
        let chosen = |at: usize| match (words.get(at), words.get(at + distance)) {
            (Some(here), Some(there)) => Some(moves.pick(there, here)),
            (here, _) => here.cloned(),
        };
        let chosen: Vec<Term> = (0..needed).filter_map(chosen).collect();
        words = chosen.into_iter().map(|word| steps.keep("word", word)).collect();
    }
    words
}

/// Each word shifted left by less than 32 bits, filled from the next; one fewer. 64-bit lanes with 32 bits in use.
fn shifted(steps: &mut Steps, words: &[Term], shift: &Term) -> Vec<Term> {
    let joined = |pair: &[Term]| ((((&pair[0] << 32) | &pair[1]) << shift) >> 32) & 0xffff_ffff;
    words.windows(2).map(|pair| steps.keep("v", joined(pair))).collect()
}

/// For f32, M has 24 bits. `|x| 2/π / 4`, modulo 1, in 64 bits: two for the quarter turns, of the rest at least 31
/// significant ones.
fn far_single(steps: &mut Steps, x: &Term) -> Angle {
    let bits = steps.keep("bits", x.bits());
    // The position of the bit of 2/π that, times M's lowest, is worth 2: all above it give multiples of 4. M's lowest
    // bit is worth 2 to the power of (the exponent's bits - 150); the word of zeros in front moves positions by 32.
    let position = steps.keep("position", (&bits >> 23) - (150 + 2 - 32));
    let words = window(steps, &(&position >> 5), 1, 2, 4);
    let words: Vec<Term> = words.iter().map(|w| steps.keep("w", w.unsigned_bits().cast(DataType::U64))).collect();
    let shift = steps.keep("shift", (position & 31).unsigned_bits().cast(DataType::U64));
    let v = shifted(steps, &words, &shift);
    let m = ((bits & 0x7f_ffff) | 0x80_0000).unsigned_bits().cast(DataType::U64);
    let m = steps.keep("m", m);
    let turns = (((&m * &v[0]) << 32) + &m * &v[1]) + ((&m * &v[2]) >> 32);
    let turns = steps.keep("turns", turns);
    let n = ((&turns >> 62) + ((&turns >> 61) & 1)).cast(DataType::I32);
    // The rest as a signed fraction of a quarter turn, its halves as f64, which hold them exactly.
    let rest = steps.keep("rest", (turns << 2).bits());
    let (high, low) = ((&rest >> 32).small_to_float(), (&rest & 0xffff_ffff).small_to_float());
    let r = ((high * two_to(32) + low) * (HALF_PI.0 * two_to(-64))).cast(DataType::F32);
    Angle { n, r }
}

/// For f64, M has 53 bits, in two words. `|x| 2/π / 4`, modulo 1, in four words: two bits for the quarter turns, of the
/// rest at least 64 significant ones.
fn far_double(steps: &mut Steps, x: &Term) -> Angle {
    let bits = steps.keep("bits", x.bits());
    // As for f32, with two words of zeros in front.
    let position = steps.keep("position", (&bits >> 52) - (1075 + 2 - 64));
    let words = window(steps, &(&position >> 5).unsigned_bits(), 2, 5, 7);
    let v = shifted(steps, &words, &(position & 31).unsigned_bits());
    let m = steps.keep("m", ((bits & ((1 << 52) - 1)) | (1 << 52)).unsigned_bits());
    let (high, low) = (steps.keep("high", &m >> 32), steps.keep("low", &m & 0xffff_ffff));
    // Columns of 32 bits, the lowest first; what is below them is left out, what is above does not count.
    let mut words_of = |m: &Term, i: usize| {
        let product = steps.keep("product", m * &v[i]);
        (&product & 0xffff_ffff, &product >> 32)
    };
    let ((l0, _), (l1, h1), (l2, h2), (l3, h3), (_, h4)) =
        (words_of(&low, 0), words_of(&low, 1), words_of(&low, 2), words_of(&low, 3), words_of(&low, 4));
    let ((l5, _), (l6, h6), (l7, h7), (l8, h8), (_, h9)) =
        (words_of(&high, 1), words_of(&high, 2), words_of(&high, 3), words_of(&high, 4), words_of(&high, 5));
    let columns = [l3 + h4 + l8 + h9, l2 + h3 + l7 + h8, l1 + h2 + l6 + h7, l0 + h1 + l5 + h6];
    let mut carry = m.constant(0);
    let mut digits = Vec::with_capacity(4);
    for column in columns {
        let sum = steps.keep("sum", column + &carry);
        digits.push(steps.keep("digit", &sum & 0xffff_ffff));
        carry = sum >> 32;
    }
    let n = ((&digits[3] >> 30) + ((&digits[3] >> 29) & 1)).bits();
    Angle { n, r: rest_of_digits(steps, &digits) }
}

/// The rest as a signed fraction of a quarter turn: the digits without the first two bits, times π/2.
fn rest_of_digits(steps: &mut Steps, digits: &[Term]) -> Term {
    // Each as a float of its own; the first has the sign.
    let joined = |upper: &Term, lower: &Term| ((upper << 2) | (lower >> 30)) & 0xffff_ffff;
    let first = (((&digits[3] << 34) | (&digits[2] >> 30 << 32)).bits() >> 32).small_to_float();
    let first = steps.keep("first", first * two_to(32));
    let mut float = |term: Term| steps.keep("part", term.bits().small_to_float());
    let second = float(joined(&digits[2], &digits[1]));
    let third = float(joined(&digits[1], &digits[0]));
    let fourth = float(&digits[0] << 2 & 0xffff_ffff);
    // The first is the larger by far, or zero.
    let top = sum(steps, &first, &second);
    let below = steps.keep("below", top.low + (fourth * two_to(-32) + third) * two_to(-32));
    let quarter = Pair { high: below.constant(HALF_PI.0 * two_to(-64)), low: below.constant(HALF_PI.1 * two_to(-64)) };
    let exact = product(steps, &top.high, &quarter.high);
    exact.high + (exact.low + (top.high * quarter.low + below * quarter.high))
}
