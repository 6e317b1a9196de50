//! `expand_math`: mathematical functions become arithmetic.
//!
//! Every intrinsic that has no single right result ([`Intrinsic::is_exact`]) is replaced by a formula of the operations
//! that have one, lane by lane for all lanes at once. The formulas need no library and no table in memory, and branch
//! only where a rare case is worth it and all lanes can skip it together. They are the same for every target, but for a
//! few functions of float32 that a machine's own instructions make much cheaper, and for powers of float64, which
//! compute a product's rounding error by an FMA where a machine has one: [`expand_math_on`] replaces these first.
//!
//! One file for each family. Each formula states its range reduction, its polynomial with interval and error, and the
//! results for special values. All polynomials are minimax approximations in the error that counts (relative to the
//! function's value, unless stated otherwise), computed with Remez's exchange algorithm in 300 bits and rounded to the
//! type.
//!
//! Within [`MATH_ULPS`](tilewright_expr::MATH_ULPS) of the exact value for every input, with fused products or without;
//! subnormal numbers are kept. f16 and bf16 are computed in f32 and rounded.

mod erf;
mod exact;
mod exp;
mod gaussian_unit;
mod hyperbolic;
mod instructions;
mod inverse;
mod log;
mod mantissa;
mod pair;
mod pow;
mod quarter_turns;
mod roots;
mod tables;
mod terms;
mod trigonometric;

#[cfg(test)]
mod tests;

use tilewright_expr::node::rewrite;
use tilewright_ir::tir::{Expr, ExprKind, Intrinsic, PrimFunc};
use tilewright_target::Target;
use tilewright_tensor::DataType;

use crate::stmt::{Result, with_body};
use terms::{Steps, Term};

pub fn expand_math(function: &PrimFunc) -> Result<PrimFunc> {
    Ok(expanded(function, formula))
}

/// Expands the functions for which the target has instructions of its own; leaves the others, and other widths.
pub(crate) fn expand_math_on(target: &Target, function: &PrimFunc) -> PrimFunc {
    let mut function = function.clone();
    if target.has_fused_products() {
        let powers = |intrinsic| (intrinsic == Intrinsic::Pow).then_some(Formula::Binary(pow::with_fused));
        function = expanded(&function, powers);
    }
    if !instructions::available(target) {
        return function;
    }
    let body = rewrite(&function.body, gaussian_unit::in_tables).unwrap_or_else(|| function.body.clone());
    expanded(&with_body(&function, body), |intrinsic| tables::formula(intrinsic).map(Formula::Single))
}

fn expanded(function: &PrimFunc, formula: impl Fn(Intrinsic) -> Option<Formula>) -> PrimFunc {
    let body = rewrite(&function.body, |expr| expand(expr, &formula)).unwrap_or_else(|| function.body.clone());
    with_body(function, body)
}

fn expand(expr: &Expr, formula: impl Fn(Intrinsic) -> Option<Formula>) -> Option<Expr> {
    let ExprKind::Call { intrinsic, args } = &expr.kind else { return None };
    let formula = formula(*intrinsic)?;
    let element = args.first()?.dtype.element();
    if element.bits == 64 && matches!(formula, Formula::Single(_)) {
        return None;
    }
    // Exact functions are so in the type itself.
    let narrow = element.bits == 16 && !intrinsic.is_exact();
    let mut steps = Steps::default();
    let args: Vec<Term> = args
        .iter()
        .map(|arg| {
            let arg = Term::new(arg.clone());
            steps.keep("x", if narrow { arg.cast(DataType::F32) } else { arg })
        })
        .collect();
    let result = match (formula, args.as_slice()) {
        (Formula::Unary(f) | Formula::Single(f), [x]) => f(&mut steps, x),
        (Formula::Binary(f), [x, y]) => f(&mut steps, x, y),
        _ => return None,
    };
    let result = if result.dtype().is_float() { result.cast(element) } else { result };
    Some(steps.result(result))
}

#[derive(Clone, Copy)]
enum Formula {
    Unary(fn(&mut Steps, &Term) -> Term),
    Binary(fn(&mut Steps, &Term, &Term) -> Term),
    /// Of float32 alone.
    Single(fn(&mut Steps, &Term) -> Term),
}

/// The formula of an intrinsic; `None` for those that machines have.
fn formula(intrinsic: Intrinsic) -> Option<Formula> {
    use Formula::{Binary, Unary};
    Some(match intrinsic {
        Intrinsic::Exp => Unary(exp::exp),
        Intrinsic::Exp2 => Unary(exp::exp2),
        Intrinsic::Exp10 => Unary(exp::exp10),
        Intrinsic::Expm1 => Unary(exp::expm1),
        Intrinsic::Sigmoid => Unary(exp::sigmoid),
        Intrinsic::Log => Unary(log::log),
        Intrinsic::Log2 => Unary(log::log2),
        Intrinsic::Log10 => Unary(log::log10),
        Intrinsic::Log1p => Unary(log::log1p),
        Intrinsic::Sin => Unary(trigonometric::sin),
        Intrinsic::Cos => Unary(trigonometric::cos),
        Intrinsic::Tan => Unary(trigonometric::tan),
        Intrinsic::Asin => Unary(inverse::asin),
        Intrinsic::Acos => Unary(inverse::acos),
        Intrinsic::Atan => Unary(inverse::atan),
        Intrinsic::Atan2 => Binary(inverse::atan2),
        Intrinsic::Sinh => Unary(hyperbolic::sinh),
        Intrinsic::Cosh => Unary(hyperbolic::cosh),
        Intrinsic::Tanh => Unary(hyperbolic::tanh),
        Intrinsic::Asinh => Unary(hyperbolic::asinh),
        Intrinsic::Acosh => Unary(hyperbolic::acosh),
        Intrinsic::Atanh => Unary(hyperbolic::atanh),
        Intrinsic::Erf => Unary(erf::erf),
        Intrinsic::Pow => Binary(pow::pow),
        Intrinsic::Rsqrt => Unary(roots::rsqrt),
        Intrinsic::Hypot => Binary(roots::hypot),
        Intrinsic::IsNan => Unary(exact::is_nan),
        Intrinsic::IsInf => Unary(exact::is_inf),
        Intrinsic::IsFinite => Unary(exact::is_finite),
        Intrinsic::Nextafter => Binary(exact::next_after),
        Intrinsic::Sqrt
        | Intrinsic::Abs
        | Intrinsic::Floor
        | Intrinsic::Ceil
        | Intrinsic::Trunc
        | Intrinsic::Round
        | Intrinsic::Popcount
        | Intrinsic::Clz
        | Intrinsic::Copysign
        | Intrinsic::Fma
        | Intrinsic::IfThenElse => return None,
    })
}
