//! Special functions: the complement of the error function and the logarithm of the gamma function.

use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, divide, greater, less, multiply, subtract};
use tilewright_ops::unary::{abs, erf, exp, isinf, log, negative, round, sin, square};
use tilewright_tensor::DataType;

use super::super::promotion::as_float;
use super::super::rule::{Rule, rule};
use crate::common::{Args, Cx, Res, Value};

pub const RULES: &[Rule] = &[rule("erfc special_erfc", "input", erfc), rule("lgamma special_gammaln", "input", lgamma)];

/// A polynomial, the highest coefficient first.
fn polynomial(cx: &mut Cx<'_>, x: &Expr, coefficients: &[f64]) -> Res<Expr> {
    let dtype = cx.dtype(x)?;
    let mut found = cx.number(coefficients.first().copied().unwrap_or(0.0), dtype)?;
    for coefficient in coefficients.iter().skip(1) {
        found = cx.with_number(&add::OP, &cx.call(&multiply::OP, &[&found, x], [])?, *coefficient)?;
    }
    cx.emit(found)
}

fn quotient(cx: &mut Cx<'_>, x: &Expr, above: &[f64], below: &[f64]) -> Res<Expr> {
    let (above, below) = (polynomial(cx, x, above)?, polynomial(cx, x, below)?);
    cx.call(&divide::OP, &[&above, &below], [])
}

/// The function evaluated in float64, and converted to the operand's type.
fn in_double(cx: &mut Cx<'_>, args: &Args, function: fn(&mut Cx<'_>, &Expr) -> Res<Expr>) -> Res {
    let x = as_float(cx, &args.tensor("input")?)?;
    let dtype = cx.dtype(&x)?;
    let wide = cx.astype(&x, DataType::F64)?;
    let wide = cx.emit(wide)?;
    let found = function(cx, &wide)?;
    cx.astype(&found, dtype).map(Value::Tensor)
}

/// `erfc(y) exp(y^2)` for `y` from 1/2 to 4, and `(1/sqrt(pi) - y erfc(y) exp(y^2)) y^2` in `1/y^2` for larger ones, as
/// quotients of polynomials: W. J. Cody, "Rational Chebyshev approximations for the error function", Mathematics of
/// Computation 23 (1969).
const MIDDLE: [&[f64]; 2] = [
    &[
        2.1531153547440383e-08,
        0.5641884969886701,
        8.883149794388377,
        66.11919063714163,
        298.6351381974001,
        881.952221241769,
        1712.0476126340707,
        2051.0783778260716,
        1230.3393547979972,
    ],
    &[
        1.0,
        15.744926110709835,
        117.6939508913125,
        537.1811018620099,
        1621.3895745666903,
        3290.7992357334597,
        4362.619090143247,
        3439.3676741437216,
        1230.3393548037495,
    ],
];
const LARGE: [&[f64]; 2] = [
    &[
        0.016315387137302097,
        0.30532663496123236,
        0.36034489994980445,
        0.12578172611122926,
        0.016083785148742275,
        0.0006587491615298378,
    ],
    &[1.0, 2.568520192289822, 1.8729528499234673, 0.5279051029514285, 0.06051834131244132, 0.0023352049762686918],
];

fn erfc(cx: &mut Cx<'_>, args: &Args) -> Res {
    in_double(cx, args, |cx, x| {
        let y = cx.emit(cx.call(&abs::OP, &[x], [])?)?;
        // From 27 on the result is 0; larger numbers would only overflow on the way.
        let y = cx.emit(cx.clip(&y, 0.5, 27.0)?)?;
        let square = cx.emit(cx.call(&square::OP, &[&y], [])?)?;
        let middle = quotient(cx, &y, MIDDLE[0], MIDDLE[1])?;
        let one = cx.number(1.0, DataType::F64)?;
        let inverse = cx.emit(cx.call(&divide::OP, &[&one, &square], [])?)?;
        let rest = quotient(cx, &inverse, LARGE[0], LARGE[1])?;
        let rest = cx.call(&multiply::OP, &[&rest, &inverse], [])?;
        let limit = cx.number(1.0 / std::f64::consts::PI.sqrt(), DataType::F64)?;
        let large = cx.call(&divide::OP, &[&cx.call(&subtract::OP, &[&limit, &rest], [])?, &y], [])?;
        let scaled = cx.choose(&cx.with_number(&less::OP, &y, 4.0)?, &middle, &large)?;
        let power = cx.call(&exp::OP, &[&cx.call(&negative::OP, &[&square], [])?], [])?;
        let tail = cx.emit(cx.call(&multiply::OP, &[&scaled, &power], [])?)?;
        let two = cx.number(2.0, DataType::F64)?;
        let below = cx.call(&subtract::OP, &[&two, &tail], [])?;
        let outer = cx.choose(&cx.with_number(&less::OP, x, 0.0)?, &below, &tail)?;
        let inner = cx.call(&subtract::OP, &[&one, &cx.call(&erf::OP, &[x], [])?], [])?;
        // A NaN is neither above nor below, and goes through `erf`.
        let is_outer = cx.with_number(&greater::OP, &cx.call(&abs::OP, &[x], [])?, 0.5)?;
        cx.choose(&is_outer, &outer, &inner)
    })
}

/// The coefficients of C. Lanczos's approximation with `g = 7` ("A precision approximation of the gamma function", SIAM
/// Journal on Numerical Analysis 1, 1964): what `1 / (x + k)` is multiplied with, from `k = 1` on.
const LANCZOS: [f64; 8] = [
    676.5203681218851,
    -1259.1392167224028,
    771.3234287776531,
    -176.6150291621406,
    12.507343278686905,
    -0.13857109526572012,
    9.984369578019572e-06,
    1.5056327351493116e-07,
];

/// From 1/2 on by Lanczos's sum; below by the reflection `log(pi) - log |sin(pi x)| - lgamma(1 - x)`, the sine that of
/// the distance to the nearest integer, which is exact.
fn lgamma(cx: &mut Cx<'_>, args: &Args) -> Res {
    in_double(cx, args, |cx, x| {
        let one = cx.number(1.0, DataType::F64)?;
        let reflects = cx.emit(cx.with_number(&less::OP, x, 0.5)?)?;
        let reflected = cx.call(&subtract::OP, &[&one, x], [])?;
        // The argument less 1.
        let z = cx.with_number(&subtract::OP, &cx.choose(&reflects, &reflected, x)?, 1.0)?;
        let z = cx.emit(z)?;
        let mut sum = cx.number(0.999_999_999_999_809_9, DataType::F64)?;
        for (k, coefficient) in LANCZOS.into_iter().enumerate() {
            let divisor = cx.with_number(&add::OP, &z, (k + 1) as f64)?;
            let part = cx.call(&divide::OP, &[&cx.number(coefficient, DataType::F64)?, &divisor], [])?;
            sum = cx.call(&add::OP, &[&sum, &part], [])?;
        }
        let t = cx.emit(cx.with_number(&add::OP, &z, 7.5)?)?;
        // (z + 1/2) log(t) - t, of which neither part alone is finite at infinity.
        let logarithm = cx.with_number(&subtract::OP, &cx.call(&log::OP, &[&t], [])?, 1.0)?;
        let power = cx.call(&multiply::OP, &[&cx.with_number(&add::OP, &z, 0.5)?, &logarithm], [])?;
        let half = 0.5 * (2.0 * std::f64::consts::PI).ln() - 7.0;
        let rest = cx.with_number(&add::OP, &cx.call(&log::OP, &[&sum], [])?, half)?;
        let above = cx.emit(cx.call(&add::OP, &[&power, &rest], [])?)?;
        let part = cx.call(&subtract::OP, &[x, &cx.call(&round::OP, &[x], [])?], [])?;
        let sine = cx.call(&sin::OP, &[&cx.with_number(&multiply::OP, &part, std::f64::consts::PI)?], [])?;
        let sine = cx.call(&log::OP, &[&cx.call(&abs::OP, &[&sine], [])?], [])?;
        let poles = cx.call(&subtract::OP, &[&cx.number(std::f64::consts::PI.ln(), DataType::F64)?, &sine], [])?;
        let below = cx.call(&subtract::OP, &[&poles, &above], [])?;
        let found = cx.choose(&reflects, &below, &above)?;
        let infinity = cx.number(f64::INFINITY, DataType::F64)?;
        cx.choose(&cx.call(&isinf::OP, &[x], [])?, &infinity, &found)
    })
}
