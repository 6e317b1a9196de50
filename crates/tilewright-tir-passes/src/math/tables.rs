//! Formulas for machines whose look-up of sixteen float32 in a register (AVX-512 permute) is as fast as a
//! multiplication.
//!
//! A function is a short polynomial around the middle of each of 16 or 32 pieces, whose coefficients are looked up. The
//! piece is the integer nearest to the argument in widths of a piece, which adding a [`rounder`] leaves in the lowest
//! bits of the sum: a look-up reads no others. A power of two is one instruction, for subnormal results and overflow
//! too.
//!
//! All arguments are float32, and products inside of sums are rounded with them. Functions that are not here have the
//! formulas of all machines.

use tilewright_ir::tir::Intrinsic;

use super::mantissa;
use super::terms::{Steps, Term, two_to};

/// The formula of an intrinsic for one float32, if tables make it cheaper.
pub(super) fn formula(intrinsic: Intrinsic) -> Option<fn(&mut Steps, &Term) -> Term> {
    Some(match intrinsic {
        Intrinsic::Exp => exp,
        Intrinsic::Exp2 => exp2,
        Intrinsic::Sigmoid => sigmoid,
        Intrinsic::Tanh => |steps, x| TANH.of(steps, &x.abs()).with_sign_of(x),
        Intrinsic::Log => mantissa::log,
        Intrinsic::Log1p => mantissa::log1p,
        Intrinsic::Erf => |steps, x| ERF.of(steps, &x.abs()).with_sign_of(x),
        _ => return None,
    })
}

/// 1.5 times the float whose neighbours differ by `spacing`, a power of two.
fn rounder(spacing: f64) -> f64 {
    1.5 * two_to(23) * spacing
}

/// `2^(j / 16)`.
#[expect(clippy::approx_constant, reason = "one of a row of powers, each to float32's precision")]
const POWERS: [f64; 16] = [
    1.0, 1.0442737, 1.0905077, 1.1387886, 1.1892071, 1.2418578, 1.2968396, 1.3542556, 1.4142135, 1.4768262, 1.5422108,
    1.6104903, 1.6817929, 1.7562522, 1.8340081, 1.9152066,
];
const SIXTEENTH: f64 = 0.0625;
/// `(e^r - 1 - r) / r²` on [-0.02169, 0.02169]; error relative to `e^r`: 2^-29.2.
const EXP: [f64; 2] = [0.5000162, 0.16666718];
/// ln 2 in two parts, of which the first has 12 bits: its products with up to 150 in sixteenths are exact.
const LN2: (f64, f64) = (0.693115234375, 3.1946183e-05);

/// `2^n e^r` for n in sixteenths, given with its rounder as well.
fn power(steps: &mut Steps, sum: &Term, n: &Term, r: &Term) -> Term {
    let first = steps.looked_up(sum, &POWERS);
    let slope = steps.keep("slope", (r * EXP[1] + EXP[0]) * r + 1.0);
    let beyond = steps.keep("beyond", slope * r);
    steps.scaled(&first * beyond + &first, n)
}

/// Below this x, `e^x` rounds to 0.
const MIN_EXP_ARGUMENT: f64 = -104.0;

/// `power` where x is not less than the bound, else 0. Processors are slow on results close to the smallest number, and
/// inactive lanes are not computed: masked scores of attention end here.
fn zero_below(x: &Term, bound: f64, power: &Term) -> Term {
    x.lt(bound).not().pick(power, 0.0)
}

/// `e^x` for x up to 104.
fn exp_of_bounded(steps: &mut Steps, x: &Term) -> Term {
    let sum = steps.keep("sum", x * std::f64::consts::LOG2_E + rounder(SIXTEENTH));
    let n = steps.keep("n", &sum - rounder(SIXTEENTH));
    let r = steps.keep("r", (x - &n * LN2.0) - &n * LN2.1);
    let power = power(steps, &sum, &n, &r);
    zero_below(x, MIN_EXP_ARGUMENT, &power)
}

/// NaN goes through; from 88.73 on infinity, from -103.98 down 0.
fn exp(steps: &mut Steps, x: &Term) -> Term {
    let x = steps.keep("x", x.min(90.0));
    exp_of_bounded(steps, &x)
}

fn exp2(steps: &mut Steps, x: &Term) -> Term {
    let x = steps.keep("x", x.min(129.0));
    let sum = steps.keep("sum", &x + rounder(SIXTEENTH));
    let n = steps.keep("n", &sum - rounder(SIXTEENTH));
    let r = steps.keep("r", (&x - &n) * std::f64::consts::LN_2);
    let power = power(steps, &sum, &n, &r);
    zero_below(&x, -151.0, &power)
}

/// `1 / (1 + e^-x)`, for negative x `e^x / (1 + e^x)`: the exponential never overflows, and small results are its own.
fn sigmoid(steps: &mut Steps, x: &Term) -> Term {
    let bounded = steps.keep("bounded", x.negative());
    let e = exp_of_bounded(steps, &bounded);
    let e = steps.keep("e", e);
    x.lt(0.0).pick(&e, 1.0) / (&e + 1.0)
}

/// A piecewise polynomial of magnitudes: `c[0] + c[1] d + …` in the distance d from the middle of a piece. Beyond the
/// last piece it is constant.
struct Pieces<const N: usize, const TERMS: usize> {
    /// Width of a piece; a half of the first one is used.
    width: f64,
    /// The end of the last piece.
    end: f64,
    coefficients: [[f64; N]; TERMS],
}

/// erf, whose value from 3.875 on is 1. The error in a piece, relative to erf: 2^-25.7; in the last one 2^-24.9, so
/// that its end is 1.
#[expect(clippy::approx_constant, reason = "one of a table of coefficients, each to float32's precision")]
const ERF: Pieces<16, 6> = Pieces {
    width: 0.25,
    end: 3.8749998,
    coefficients: [
        [
            0.0, 0.2763264, 0.5204999, 0.71115565, 0.8427008, 0.92290014, 0.96610516, 0.9866717, 0.9953223, 0.9985373,
            0.999593, 0.9998994, 0.9999779, 0.9999957, 0.9999993, 0.9999999,
        ],
        [
            1.1283792,
            1.0600142,
            0.87878263,
            0.6429311,
            0.41510752,
            0.23652112,
            0.11893029,
            0.05277499,
            0.020666983,
            0.0071423184,
            0.0021782846,
            0.0005862777,
            0.00013925333,
            2.9189148e-05,
            5.3994686e-06,
            1.081444e-06,
        ],
        [
            2.232141e-07,
            -0.2649981,
            -0.43938446,
            -0.48219463,
            -0.4151081,
            -0.2956543,
            -0.17839809,
            -0.09235748,
            -0.041334037,
            -0.016069822,
            -0.005445327,
            -0.0016120346,
            -0.00041765737,
            -9.4827876e-05,
            -1.8887205e-05,
            -3.3026872e-06,
        ],
        [
            -0.37613952,
            -0.3091912,
            -0.14647838,
            0.026779726,
            0.13836518,
            0.16753557,
            0.13875373,
            0.09015911,
            0.048223913,
            0.021724747,
            0.008349934,
            0.002760202,
            0.00078898726,
            0.00019576019,
            4.2278505e-05,
            7.9648435e-06,
        ],
        [
            0.00025758008,
            0.12604228,
            0.18191253,
            0.15005864,
            0.06929013,
            -0.005662466,
            -0.044146877,
            -0.047891866,
            -0.034433782,
            -0.019151011,
            -0.008687847,
            -0.0032969925,
            -0.0010617521,
            -0.00029278026,
            -6.9554466e-05,
            -1.4297677e-05,
        ],
        [
            0.11108906,
            0.080831684,
            0.008159744,
            -0.052476987,
            -0.06873213,
            -0.04710988,
            -0.015032145,
            0.0064318124,
            0.01298485,
            0.010636648,
            0.0061341748,
            0.0027759557,
            0.0010287634,
            0.0003191278,
            8.3945626e-05,
            1.8883893e-05,
        ],
    ],
};

/// tanh, which rounds to 1 in the last piece and beyond. The error in a piece, relative to tanh: 2^-23.0.
const TANH: Pieces<32, 6> = Pieces {
    width: 0.3125,
    end: 9.84,
    coefficients: [
        [
            0.0, 0.3027097, 0.5545997, 0.73407155, 0.84828365, 0.91582453, 0.95404524, 0.9751367, 0.9866143, 0.9928128,
            0.99614656, 0.99793553, 0.99889445, 0.99940807, 0.99968314, 0.99983037, 0.9999092, 0.9999514, 0.999974,
            0.99998605, 0.99999255, 0.999996, 0.99999785, 0.99999887, 0.9999994, 0.9999997, 0.9999998, 0.9999999,
            0.99999994, 1.0, 1.0, 1.0,
        ],
        [
            1.0,
            0.90836734,
            0.6924193,
            0.461139,
            0.28041485,
            0.16126539,
            0.08979764,
            0.04910842,
            0.026592227,
            0.014322755,
            0.00769209,
            0.0041246624,
            0.0022098923,
            0.0011834782,
            0.00063364446,
            0.00033921542,
            0.00018158324,
            9.71986e-05,
            5.2027837e-05,
            2.7848831e-05,
            1.4906502e-05,
            7.978903e-06,
            4.270807e-06,
            2.2860006e-06,
            1.2236086e-06,
            6.5495067e-07,
            3.5056988e-07,
            1.8764655e-07,
            1.0043996e-07,
            5.376164e-08,
            2.8776533e-08,
            0.0,
        ],
        [
            9.441722e-07,
            -0.27494806,
            -0.38400748,
            -0.33851463,
            -0.23787643,
            -0.14769267,
            -0.08567123,
            -0.0478872,
            -0.02623603,
            -0.014219646,
            -0.007662347,
            -0.004116089,
            -0.0022074173,
            -0.0011827602,
            -0.00063343433,
            -0.00033915282,
            -0.00018156404,
            -9.7192424e-05,
            -5.2025705e-05,
            -2.7848027e-05,
            -1.4906168e-05,
            -7.9787515e-06,
            -4.270734e-06,
            -2.2859638e-06,
            -1.2235895e-06,
            -6.549406e-07,
            -3.5056456e-07,
            -1.8764372e-07,
            -1.00438456e-07,
            -5.3760832e-08,
            -2.8776102e-08,
            0.0,
        ],
        [
            -0.33338735,
            -0.21963783,
            -0.017863985,
            0.094776176,
            0.10831589,
            0.08150654,
            0.051802345,
            0.030327434,
            0.017020943,
            0.009343286,
            0.0050688377,
            0.0027327293,
            0.0014683593,
            0.0007875745,
            0.00042202254,
            0.0002260255,
            0.00012102089,
            6.478874e-05,
            3.468205e-05,
            1.856486e-05,
            9.937311e-06,
            5.319133e-06,
            2.847148e-06,
            1.5239744e-06,
            8.157265e-07,
            4.3662743e-07,
            2.3370995e-07,
            1.2509597e-07,
            6.695906e-08,
            3.5840603e-08,
            1.9184094e-08,
            0.0,
        ],
        [
            0.0009165302,
            0.15551153,
            0.13701795,
            0.043878667,
            -0.012032209,
            -0.025211286,
            -0.020840257,
            -0.0136353355,
            -0.008074055,
            -0.004554561,
            -0.0025062738,
            -0.0013613702,
            -0.00073441927,
            -0.00039475437,
            -0.00021176993,
            -0.000113487986,
            -6.0784645e-05,
            -3.2546825e-05,
            -1.7424254e-05,
            -9.327447e-06,
            -4.992885e-06,
            -2.6725738e-06,
            -1.4305472e-06,
            -7.657229e-07,
            -4.098637e-07,
            -2.1938475e-07,
            -1.17428335e-07,
            -6.28549e-08,
            -3.3643815e-08,
            -1.800824e-08,
            -9.639117e-09,
            0.0,
        ],
        [
            0.12813562,
            0.04829778,
            -0.05332256,
            -0.052918103,
            -0.019481637,
            -0.0004905429,
            0.0045745736,
            0.0042456063,
            0.0028613522,
            0.0017126405,
            0.00097057247,
            0.0005352537,
            0.0002910598,
            0.0001571068,
            8.447074e-05,
            4.532227e-05,
            2.4290332e-05,
            1.3010583e-05,
            6.9666153e-06,
            3.7296918e-06,
            1.9965696e-06,
            1.0687468e-06,
            5.720761e-07,
            3.062152e-07,
            1.639066e-07,
            8.7733284e-08,
            4.696036e-08,
            2.5136103e-08,
            1.3454396e-08,
            7.201622e-09,
            3.854751e-09,
            0.0,
        ],
    ],
};

/// The normal distribution's mass between 0 and x standard deviations; from 6 on one half. The error in a piece:
/// 2^-25.7.
const HALF_OF_NORMAL: Pieces<32, 5> = Pieces {
    width: 0.25,
    end: 6.0,
    coefficients: [
        [
            0.0, 0.09870633, 0.19146246, 0.27337265, 0.34134474, 0.39435023, 0.4331928, 0.45994085, 0.47724986,
            0.48777553, 0.49379033, 0.49702024, 0.4986501, 0.49942297, 0.49976736, 0.49991158, 0.49996832, 0.4999893,
            0.4999966, 0.499999, 0.4999997, 0.4999999, 0.49999997, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5,
        ],
        [
            0.3989421,
            0.3866675,
            0.35206503,
            0.30113742,
            0.241971,
            0.18264948,
            0.1295179,
            0.08627754,
            0.053991016,
            0.031739652,
            0.017528301,
            0.009093562,
            0.0044317916,
            0.002029048,
            0.0008726827,
            0.00035259567,
            0.00013383022,
            4.7718637e-05,
            1.5983742e-05,
            5.029507e-06,
            1.4865939e-06,
            4.1278543e-07,
            1.0767724e-07,
            2.6386328e-08,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
        ],
        [
            1.3103968e-05,
            -0.048333485,
            -0.088015184,
            -0.112927265,
            -0.1209847,
            -0.114156306,
            -0.09713674,
            -0.07549414,
            -0.053989824,
            -0.035710342,
            -0.02190805,
            -0.0125063,
            -0.0066480683,
            -0.0032943476,
            -0.0015237787,
            -0.0006582846,
            -0.0002634229,
            -9.61127e-05,
            -3.601699e-05,
            -1.3872673e-05,
            2.0923662e-06,
            5.7431857e-06,
            5.2303644e-06,
            -2.3565115e-06,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
        ],
        [
            -0.06680744,
            -0.060253948,
            -0.043922592,
            -0.021959355,
            -7.672213e-05,
            0.017011464,
            0.026878895,
            0.029582279,
            0.026961062,
            0.021486206,
            0.015344461,
            0.009959587,
            0.0059286267,
            0.0032434773,
            0.0016416882,
            0.00077065255,
            0.0003360585,
            0.00013639862,
            5.178405e-05,
            1.8199597e-05,
            6.0311268e-06,
            1.8598139e-06,
            5.354279e-07,
            1.4414657e-07,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
        ],
        [
            0.003025706,
            0.011792785,
            0.020065721,
            0.022931129,
            0.020099135,
            0.013688341,
            0.0060258415,
            -0.00030894732,
            -0.0045213653,
            -0.005939544,
            -0.006049581,
            -0.0046145166,
            -0.0033142106,
            -0.002232844,
            -0.0013694337,
            -0.0007740844,
            -0.0005514155,
            -0.00046092537,
            -4.9470447e-05,
            0.000102694314,
            -0.00037839013,
            -0.0004389493,
            -0.00035421035,
            0.00014569856,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
        ],
    ],
};

/// `x factor (1 + erf(x / sqrt(2)))`, for a factor of one half the Gaussian error linear unit. That is `x / 2 + |x|
/// P(|x|)` with the half of the normal distribution, `P`: one rounding, and 0, without a sign, where the parts are the
/// same. It is at most 2^-23.5 |x| from the exact value, and 1.13 ulp where x is positive (59 M inputs). NaN goes
/// through, minus infinity gives NaN as the product does.
pub(super) fn gaussian_unit(steps: &mut Steps, x: &Term, factor: f64) -> Term {
    let magnitude = steps.keep("magnitude", x.abs());
    let half = HALF_OF_NORMAL.of(steps, &magnitude);
    let mean = steps.keep("mean", x * 0.5);
    let unit = magnitude * half + mean;
    if factor == 0.5 { unit } else { steps.keep("unit", unit) * (2.0 * factor) }
}

impl<const N: usize, const TERMS: usize> Pieces<N, TERMS> {
    /// The function of a magnitude.
    fn of(&self, steps: &mut Steps, magnitude: &Term) -> Term {
        let x = steps.keep("bounded", magnitude.min(self.end));
        let (sum, middle) = self.middle(steps, &x);
        let d = steps.keep("d", &x - middle);
        let mut from_last = self.coefficients.iter().rev();
        let mut result = from_last.next().map_or_else(|| d.constant(0.0), |last| steps.looked_up(&sum, last));
        for coefficients in from_last {
            let next = steps.looked_up(&sum, coefficients);
            result = steps.keep("p", result * &d + next);
        }
        result
    }

    /// The middle of the piece of x, and what has the number of the piece in its lowest bits.
    fn middle(&self, steps: &mut Steps, x: &Term) -> (Term, Term) {
        // Widths that are powers of two are what the sum counts.
        if self.width.log2().fract() == 0.0 {
            let sum = steps.keep("sum", x + rounder(self.width));
            let middle = &sum - rounder(self.width);
            return (sum, middle);
        }
        let sum = steps.keep("sum", x * (1.0 / self.width) + rounder(1.0));
        let piece = steps.keep("piece", &sum - rounder(1.0));
        (sum, piece * self.width)
    }
}
