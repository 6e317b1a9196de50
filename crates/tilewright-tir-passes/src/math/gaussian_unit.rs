//! The Gaussian error linear unit as one function.
//!
//! `x / 2 (1 + erf(x / sqrt(2)))` is recognised in any order of its factors: a product in which one factor is the sum
//! of a number and the same multiple of erf, whose argument is the product of the others over the root of two. As one
//! function it needs fewer operations.

use tilewright_ir::tir::{BinOp, Expr, ExprKind, Intrinsic};
use tilewright_tensor::DataType;

use super::tables;
use super::terms::{Steps, Term};

/// The tolerance of the number in erf relative to the root of one half: some roundings to float32.
const TOLERANCE: f64 = 2e-7;
/// Factors of a product at most that is recognised.
const MAX_FACTORS: usize = 8;

/// The product in tables, if it is a multiple of the unit.
pub(super) fn in_tables(product: &Expr) -> Option<Expr> {
    if product.dtype.element() != DataType::F32 || !matches!(product.kind, ExprKind::Binary(BinOp::Mul, ..)) {
        return None;
    }
    let mut all = Product::of(product)?;
    let (at, (scale, argument)) =
        all.factors.iter().enumerate().find_map(|(at, factor)| Some((at, one_and_erf(factor)?)))?;
    all.factors.remove(at);
    let inside = Product::of(&argument)?;
    let same = |(a, b): (&Expr, &Expr)| a.equal(b);
    let is_same = inside.factors.len() == all.factors.len() && inside.factors.iter().zip(&all.factors).all(same);
    let is_unit = (inside.number * std::f64::consts::SQRT_2 - 1.0).abs() < TOLERANCE;
    let factor = all.number * scale;
    #[expect(clippy::cast_possible_truncation, reason = "what is left of it is looked at")]
    let twice = (2.0 * factor) as f32;
    if !is_same || !is_unit || factor <= 0.0 || !twice.is_normal() {
        return None;
    }
    let x = all.factors.into_iter().reduce(|a, b| Expr::raw(a.dtype, ExprKind::Binary(BinOp::Mul, a.clone(), b)))?;
    let mut steps = Steps::default();
    let x = steps.keep("x", Term::new(x));
    let result = tables::gaussian_unit(&mut steps, &x, factor);
    Some(steps.result(result))
}

/// The scale and the argument of `scale + scale erf(argument)`.
fn one_and_erf(sum: &Expr) -> Option<(f64, Expr)> {
    let ExprKind::Binary(BinOp::Add, a, b) = &sum.kind else { return None };
    let (scale, multiple) = match (number(a), number(b)) {
        (Some(a), None) => (a, Product::of(b)?),
        (None, Some(b)) => (b, Product::of(a)?),
        _ => return None,
    };
    match multiple.factors.as_slice() {
        [one] if multiple.number == scale => match &one.kind {
            ExprKind::Call { intrinsic: Intrinsic::Erf, args } => Some((scale, args.first()?.clone())),
            _ => None,
        },
        _ => None,
    }
}

/// A product: the numbers among its factors, and the others in their order.
struct Product {
    number: f64,
    factors: Vec<Expr>,
}

impl Product {
    /// `None` where there are many factors.
    fn of(value: &Expr) -> Option<Self> {
        let mut product = Self { number: 1.0, factors: Vec::new() };
        let mut left = vec![value];
        while let Some(value) = left.pop() {
            match (&value.kind, number(value)) {
                (_, Some(factor)) => product.number *= factor,
                (ExprKind::Binary(BinOp::Mul, a, b), _) => left.extend([b, a]),
                (ExprKind::Binary(BinOp::Div, a, b), _) if number(b).is_some() => {
                    product.number /= number(b)?;
                    left.push(a);
                }
                _ => product.factors.push(value.clone()),
            }
            if left.len() + product.factors.len() > MAX_FACTORS {
                return None;
            }
        }
        Some(product)
    }
}

/// The constant in all lanes.
fn number(value: &Expr) -> Option<f64> {
    match &value.kind {
        ExprKind::Float(value) => Some(value.0),
        ExprKind::Broadcast(value) => number(value),
        _ => None,
    }
}
