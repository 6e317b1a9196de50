//! Constant bounds with open ends, read off an expression as it is written.
//!
//! [`Analyzer::bounds`] simplifies first and cuts what it finds to the values of the type. Programs that ask for a
//! [`ConstIntBound`] expect the arithmetic of the written expression instead: a variable that was told to have no upper
//! bound has none, whatever its type holds, and a sum of two `int8` may be 254.

use tilewright_expr::node::VarId;
use tilewright_expr::{BinOp, Expr, ExprKind, Intrinsic};
use tilewright_support::{Map, with_stack};
use tilewright_tensor::{DataType, TypeCode};

use crate::Analyzer;
use crate::bounds::IntBounds;

/// The values that a type holds; an end that `i64` cannot say is open.
fn of_type(dtype: DataType) -> IntBounds {
    match dtype.code {
        TypeCode::UInt if dtype.bits == 64 => IntBounds::new(Some(0), None),
        _ => IntBounds::of_type(dtype),
    }
}

pub(crate) struct OpenBounds<'a> {
    cx: &'a Analyzer,
    /// Variables of `Let`, by their values.
    local: Map<VarId, IntBounds>,
    done: Map<usize, IntBounds>,
}

impl<'a> OpenBounds<'a> {
    pub(crate) fn new(cx: &'a Analyzer) -> Self {
        Self { cx, local: Map::default(), done: Map::default() }
    }

    pub(crate) fn of(&mut self, expr: &Expr) -> IntBounds {
        use tilewright_expr::node::AnyHandle;
        if let Some(&known) = self.done.get(&expr.address()) {
            return known;
        }
        let found = with_stack(|| self.node(expr));
        if expr.is_shared() {
            self.done.insert(expr.address(), found);
        }
        found
    }

    fn node(&mut self, expr: &Expr) -> IntBounds {
        let of_type = of_type(expr.dtype);
        match &expr.kind {
            ExprKind::Int(value) => IntBounds::constant(*value),
            ExprKind::Var(var) => match self.local.get(&var.id()) {
                Some(&bounds) => bounds,
                None => self.cx.told_bounds(var.id()).unwrap_or(of_type),
            },
            ExprKind::Binary(op, a, b) if expr.dtype.element().is_int() => {
                let (a, b) = (self.of(a), self.of(b));
                binary(*op, a, b, of_type)
            }
            ExprKind::Select { then, otherwise, .. } => self.of(then).hull(self.of(otherwise)),
            ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } if args.len() == 3 => {
                self.of(&args[1]).hull(self.of(&args[2]))
            }
            ExprKind::Call { intrinsic: Intrinsic::Clz | Intrinsic::Popcount, args } => {
                let bits = args.first().map_or(64, |arg| i64::from(arg.dtype.bits));
                IntBounds::new(Some(0), Some(bits))
            }
            ExprKind::Cast(value) if value.dtype.element().is_int() || value.dtype.element().is_bool() => {
                let inner = self.of(value);
                if inner.within(of_type) { inner } else { of_type }
            }
            ExprKind::Ramp { base, stride } => {
                let (base, stride) = (self.of(base), self.of(stride));
                base.hull(base.plus(stride.scaled(i64::from(expr.dtype.lanes) - 1)))
            }
            ExprKind::Broadcast(value) => self.of(value),
            ExprKind::Let { var, value, body } => {
                let value = self.of(value);
                self.local.insert(var.id(), value);
                self.of(body)
            }
            _ => of_type,
        }
    }
}

/// The bounds of `a op b` over the integers.
fn binary(op: BinOp, a: IntBounds, b: IntBounds, of_type: IntBounds) -> IntBounds {
    match op {
        // Nothing is known of what has no value.
        BinOp::Div | BinOp::FloorDiv | BinOp::Mod | BinOp::FloorMod if b.at_least(0) && b.at_most(0) => of_type,
        BinOp::Add => a.plus(b),
        BinOp::Sub => a.plus(b.scaled(-1)),
        BinOp::Mul => times(a, b),
        BinOp::Div => quotient(a, b, |x, y| x / y),
        BinOp::FloorDiv => quotient(a, b, |x, y| x.div_euclid(y) - i128::from(y < 0 && x.rem_euclid(y) != 0)),
        BinOp::FloorMod => floor_remainder(a, divisor(b), of_type),
        BinOp::Mod => remainder(a, divisor(b), of_type),
        BinOp::Min => IntBounds { max: least(a.max, b.max), ..a.hull(b) },
        BinOp::Max => IntBounds { min: greatest(a.min, b.min), ..a.hull(b) },
        BinOp::BitAnd if a.at_least(0) && b.at_least(0) => IntBounds::new(Some(0), least(a.max, b.max)),
        BinOp::BitAnd if a.at_least(0) => IntBounds::new(Some(0), a.max),
        BinOp::BitAnd if b.at_least(0) => IntBounds::new(Some(0), b.max),
        BinOp::Shr if b.at_least(0) => shifted_down(a, b),
        BinOp::Shl if b.at_least(0) && b.max.is_some_and(|by| by < 63) => {
            let powers = IntBounds::new(b.min.map(|by| 1 << by), b.max.map(|by| 1 << by));
            let product = times(a, powers);
            if product.within(of_type) { product } else { of_type }
        }
        _ => of_type,
    }
}

fn least(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    a.into_iter().chain(b).min()
}

fn greatest(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    a.into_iter().chain(b).max()
}

/// An end, as a number beyond all of `i64` where it is open.
const OPEN: i128 = 1 << 80;

fn ends(bounds: IntBounds) -> (i128, i128) {
    (bounds.min.map_or(-OPEN, i128::from), bounds.max.map_or(OPEN, i128::from))
}

fn closed(low: i128, high: i128) -> IntBounds {
    let end = |value: i128| i64::try_from(value).ok();
    IntBounds::new(end(low), end(high))
}

fn corners(a: IntBounds, b: IntBounds, f: impl Fn(i128, i128) -> i128) -> IntBounds {
    let ((low_a, high_a), (low_b, high_b)) = (ends(a), ends(b));
    let all = [f(low_a, low_b), f(low_a, high_b), f(high_a, low_b), f(high_a, high_b)];
    closed(all.into_iter().min().unwrap_or(-OPEN), all.into_iter().max().unwrap_or(OPEN))
}

fn times(a: IntBounds, b: IntBounds) -> IntBounds {
    corners(a, b, |x, y| x.saturating_mul(y))
}

/// A divisor is never 0: an interval that ends there ends one further.
fn divisor(b: IntBounds) -> IntBounds {
    match (b.min, b.max) {
        (Some(0), _) => IntBounds::new(Some(1), b.max),
        (_, Some(0)) => IntBounds::new(b.min, Some(-1)),
        _ => b,
    }
}

fn quotient(a: IntBounds, b: IntBounds, divide: impl Fn(i128, i128) -> i128 + Copy) -> IntBounds {
    let b = divisor(b);
    if b.at_least(1) || b.at_most(-1) {
        return quotient_of_one_sign(a, b, divide);
    }
    let below = quotient_of_one_sign(a, IntBounds::new(b.min, Some(-1)), divide);
    below.hull(quotient_of_one_sign(a, IntBounds::new(Some(1), b.max), divide))
}

/// An open end divided by an open divisor is open: the dividend may be the larger one.
fn quotient_of_one_sign(a: IntBounds, b: IntBounds, divide: impl Fn(i128, i128) -> i128) -> IntBounds {
    let by = |x: i128, y: i128| match (x.abs() >= OPEN, y.abs() >= OPEN) {
        (true, _) => x.signum() * y.signum() * OPEN,
        (false, _) => divide(x, y),
    };
    corners(a, b, by)
}

fn floor_remainder(a: IntBounds, b: IntBounds, of_type: IntBounds) -> IntBounds {
    if b.at_least(1) {
        let below = b.max.map(|b| b - 1);
        if a.at_least(0) {
            let untouched = a.max.zip(b.min).is_some_and(|(a, b)| a < b);
            return if untouched { a } else { IntBounds::new(Some(0), least(a.max, below)) };
        }
        return IntBounds::new(Some(0), below);
    }
    let low = b.min.map_or(of_type.min, |b| Some(b.saturating_add(1).min(0)));
    let high = b.max.map_or(of_type.max, |b| Some(b.saturating_sub(1).max(0)));
    IntBounds::new(low, high)
}

fn remainder(a: IntBounds, b: IntBounds, of_type: IntBounds) -> IntBounds {
    if !b.at_least(1) {
        return of_type;
    }
    let below = b.max.map(|b| b - 1);
    if a.at_least(0) {
        let untouched = a.max.zip(b.min).is_some_and(|(a, b)| a < b);
        return if untouched { a } else { IntBounds::new(Some(0), least(a.max, below)) };
    }
    let low = greatest(a.min, below.map(|b| -b));
    IntBounds::new(low, least(a.max.map(|a| a.max(0)), below))
}

fn shifted_down(a: IntBounds, b: IntBounds) -> IntBounds {
    corners(a, b, |x, y| match x.abs() >= OPEN {
        true => x,
        false => x >> y.clamp(0, 100),
    })
}

#[cfg(test)]
mod tests {
    use tilewright_expr::Var;

    use super::*;
    use crate::ConstIntBound;

    const ANY: (i64, i64) = (i64::MIN, i64::MAX);
    const OF_TYPE: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);

    #[test]
    fn ends_that_are_open_stay_open() {
        use BinOp::{Add, BitAnd, Div, FloorDiv, FloorMod, Max, Min, Mod, Mul, Shr, Sub};
        let (low, high) = (i64::MIN, i64::MAX);
        let cases = [
            (Add, (1, 4), (low, 0), (low, 4)),
            (Sub, (1, 4), (low, 0), (1, high)),
            (Mul, (-10, high), (3, 11), (-110, high)),
            (Div, (-10, 4), (-5, 12), (-10, 10)),
            (Div, (-10, high), (3, 11), (-3, high)),
            (FloorDiv, (-10, 4), (-5, 12), (-10, 10)),
            (FloorDiv, (low, 3), (0, 7), (low, 3)),
            (FloorMod, (-10, 4), (-5, 12), (-4, 11)),
            (FloorMod, (0, high), (0, high), (0, high)),
            (Mod, (low, 3), (0, 7), (-6, 3)),
            (Mod, (0, 4), (1, 10), (0, 4)),
            (Div, (-10, 4), (0, 0), OF_TYPE),
            (FloorDiv, (-10, 4), (0, 0), OF_TYPE),
            (Mod, (-10, 4), (0, 0), OF_TYPE),
            (FloorMod, ANY, (0, 0), OF_TYPE),
            (Min, (1, 4), (low, 0), (low, 0)),
            (Max, (low, high), (-4, 9), (-4, high)),
            (BitAnd, (0, 4), (1, 10), (0, 4)),
            (Shr, (-10, 4), (1, 10), (-5, 2)),
            (Mul, ANY, (0, 0), (0, 0)),
        ];
        let (x, y) = (Var::new("x", DataType::I32), Var::new("y", DataType::I32));
        for (op, of_x, of_y, expected) in cases {
            let mut cx = Analyzer::new();
            for (var, (min, max)) in [(&x, of_x), (&y, of_y)] {
                cx.update_bound(var, ConstIntBound::new(min, max));
            }
            let expr = Expr::binary(op, &Expr::var(&x), &Expr::var(&y)).unwrap();
            let found = cx.const_int_bound(&expr);
            assert_eq!((found.min_value, found.max_value), expected, "{op:?} of {of_x:?} and {of_y:?}");
            // Every pair of small members has its result inside.
            for (a, b) in (-6..=6).flat_map(|a| (-6..=6).map(move |b| (a, b))) {
                let inside = |v: i64, (min, max): (i64, i64)| min <= v && v <= max;
                if inside(a, of_x) && inside(b, of_y) && (b > 0 || !matches!(op, Div | FloorDiv | Mod | FloorMod | Shr))
                {
                    let [a, b] = [a, b].map(|v| tilewright_expr::semantics::Scalar::from_int(v, DataType::I32));
                    let value = tilewright_expr::semantics::binary(op, a, b).unwrap().as_int();
                    assert!(inside(value, expected), "{op:?} {value}");
                }
            }
        }
    }
}
