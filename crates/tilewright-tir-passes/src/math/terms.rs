//! The embedded language of the formulas: values of any number of lanes, their arithmetic, and names for intermediate
//! values.
//!
//! A formula is written once for scalars and vectors and for both widths: a number in it is a constant in every lane,
//! of the type of its other operand. Products inside sums may be rounded once with them (`tilewright_expr::semantics`
//! and the code generators say when), so that every formula holds its bound with and without that. A named value
//! ([`Steps::keep`]) is rounded as it stands: formulas that rely on a product's own rounding name it.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Shl, Shr, Sub};

use tilewright_ir::tir::{BinOp, CmpOp, Expr, ExprKind, ForeignCallee, Intrinsic, Var};
use tilewright_tensor::{DataType, TypeCode};

/// A value in every lane.
#[derive(Clone, Debug)]
pub(super) struct Term(Expr);

/// The other operand of a term: another term, or a number that becomes a constant of the term's type.
pub(super) trait Operand {
    fn matching(self, term: &Term) -> Term;
}

impl Operand for Term {
    fn matching(self, _: &Term) -> Term {
        self
    }
}

impl Operand for &Term {
    fn matching(self, _: &Term) -> Term {
        self.clone()
    }
}

impl Operand for f64 {
    fn matching(self, term: &Term) -> Term {
        debug_assert!(term.dtype().is_float(), "a float with an operand of type {}", term.dtype());
        Term(Expr::float(self, term.dtype()))
    }
}

impl Operand for i64 {
    fn matching(self, term: &Term) -> Term {
        debug_assert!(term.dtype().is_int(), "an integer with an operand of type {}", term.dtype());
        Term(Expr::int(self, term.dtype()))
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:ident;)*) => {$(
        impl<R: Operand> $trait<R> for &Term {
            type Output = Term;
            fn $method(self, other: R) -> Term {
                self.binary(BinOp::$op, other)
            }
        }
        impl<R: Operand> $trait<R> for Term {
            type Output = Term;
            fn $method(self, other: R) -> Term {
                self.binary(BinOp::$op, other)
            }
        }
    )*};
}

operators! {
    Add add Add;
    Sub sub Sub;
    Mul mul Mul;
    Div div Div;
    BitAnd bitand BitAnd;
    BitOr bitor BitOr;
    BitXor bitxor BitXor;
    Shl shl Shl;
    Shr shr Shr;
}

/// Arithmetic and comparisons.
impl Term {
    pub(super) fn new(expr: Expr) -> Self {
        Self(expr)
    }

    pub(super) fn dtype(&self) -> DataType {
        self.0.dtype
    }

    fn binary(&self, op: BinOp, other: impl Operand) -> Self {
        let other = other.matching(self);
        debug_assert!(self.dtype() == other.dtype(), "{op:?} of {} and {}", self.dtype(), other.dtype());
        Self(Expr::raw(self.dtype(), ExprKind::Binary(op, self.0.clone(), other.0)))
    }

    /// The smaller one; NaN if either is.
    pub(super) fn min(&self, other: impl Operand) -> Self {
        self.binary(BinOp::Min, other)
    }

    /// The larger one; NaN if either is.
    pub(super) fn max(&self, other: impl Operand) -> Self {
        self.binary(BinOp::Max, other)
    }

    /// Both, of bools.
    pub(super) fn and(&self, other: &Self) -> Self {
        self.binary(BinOp::And, other)
    }

    /// Either, of bools.
    pub(super) fn or(&self, other: &Self) -> Self {
        self.binary(BinOp::Or, other)
    }

    pub(super) fn not(&self) -> Self {
        Self(Expr::raw(self.dtype(), ExprKind::Not(self.0.clone())))
    }

    fn compare(&self, op: CmpOp, other: impl Operand) -> Self {
        let other = other.matching(self);
        let bools = DataType::BOOL.with_lanes(self.dtype().lanes);
        Self(Expr::raw(bools, ExprKind::Compare(op, self.0.clone(), other.0)))
    }

    pub(super) fn eq(&self, other: impl Operand) -> Self {
        self.compare(CmpOp::Eq, other)
    }

    pub(super) fn ne(&self, other: impl Operand) -> Self {
        self.compare(CmpOp::Ne, other)
    }

    pub(super) fn lt(&self, other: impl Operand) -> Self {
        self.compare(CmpOp::Lt, other)
    }

    pub(super) fn gt(&self, other: impl Operand) -> Self {
        self.compare(CmpOp::Gt, other)
    }

    pub(super) fn is_nan(&self) -> Self {
        self.ne(self)
    }

    /// Where this bool holds the first value, elsewhere the second; a number takes the other value's type.
    pub(super) fn pick(&self, then: &Self, otherwise: impl Operand) -> Self {
        let otherwise = otherwise.matching(then);
        let (condition, then) = (self.0.clone(), then.0.clone());
        Self(Expr::raw(then.dtype, ExprKind::Select { condition, then, otherwise: otherwise.0 }))
    }

    fn call(&self, intrinsic: Intrinsic, others: &[&Self]) -> Self {
        let args = [self].into_iter().chain(others.iter().copied()).map(|term| term.0.clone()).collect();
        Self(Expr::raw(self.dtype(), ExprKind::Call { intrinsic, args }))
    }

    pub(super) fn abs(&self) -> Self {
        self.call(Intrinsic::Abs, &[])
    }

    pub(super) fn sqrt(&self) -> Self {
        self.call(Intrinsic::Sqrt, &[])
    }

    /// This magnitude with the sign of another value.
    pub(super) fn with_sign_of(&self, other: &Self) -> Self {
        self.call(Intrinsic::Copysign, &[other])
    }

    pub(super) fn negated(&self) -> Self {
        self * -1.0
    }

    /// This times another value, plus a third one, rounded once.
    pub(super) fn fused(&self, factor: &Self, addend: &Self) -> Self {
        self.call(Intrinsic::Fma, &[factor, addend])
    }

    /// Minus the magnitude.
    pub(super) fn negative(&self) -> Self {
        (self.bits() | self.sign_bit()).float()
    }

    /// The number as a constant of this term's type.
    pub(super) fn constant(&self, value: impl Operand) -> Self {
        value.matching(self)
    }

    /// Conversion of every lane.
    pub(super) fn cast(&self, element: DataType) -> Self {
        let dtype = element.with_lanes(self.dtype().lanes);
        if dtype == self.dtype() { self.clone() } else { Self(Expr::raw(dtype, ExprKind::Cast(self.0.clone()))) }
    }

    /// A range of lanes; those beyond the vector are 0. A scalar is in all of them.
    pub(super) fn lanes_from(&self, first: u16, lanes: u16) -> Self {
        let (all, dtype) = (self.dtype().lanes, self.dtype().with_lanes(lanes));
        match all {
            1 => Self(Expr::raw(dtype, ExprKind::Broadcast(self.0.clone()))),
            _ if (first, lanes) == (0, all) => self.clone(),
            _ => {
                let taken = (first..first + lanes).map(|lane| usize::from(lane.min(all))).collect();
                let vectors = vec![self.0.clone(), Expr::number(0, self.dtype())];
                Self(Expr::raw(dtype, ExprKind::Shuffle { vectors, lanes: taken }))
            }
        }
    }

    /// Concatenates the first lanes of two vectors of one type.
    pub(super) fn before(&self, other: &Self, lanes: u16) -> Self {
        let kind = ExprKind::Shuffle {
            vectors: vec![self.0.clone(), other.0.clone()],
            lanes: (0..usize::from(lanes)).collect(),
        };
        Self(Expr::raw(self.dtype().with_lanes(lanes), kind))
    }

    /// The first lanes of a vector; a scalar where it is one.
    pub(super) fn first_lanes(&self, lanes: u16) -> Self {
        if self.dtype().lanes == lanes {
            return self.clone();
        }
        let kind = ExprKind::Shuffle { vectors: vec![self.0.clone()], lanes: (0..usize::from(lanes)).collect() };
        Self(Expr::raw(self.dtype().with_lanes(lanes), kind))
    }

    /// A vector of these numbers.
    pub(super) fn numbers(values: &[f64], element: DataType) -> Self {
        let vectors = values.iter().map(|&value| Expr::float(value, element)).collect();
        let kind = ExprKind::Shuffle { vectors, lanes: (0..values.len()).collect() };
        Self(Expr::raw(element.with_lanes(values.len() as u16), kind))
    }

    pub(super) fn integer(value: i64, dtype: DataType) -> Self {
        Self(Expr::int(value, dtype))
    }

    /// A call of an LLVM intrinsic.
    pub(super) fn by_llvm(name: String, dtype: DataType, args: &[&Self]) -> Self {
        let args = args.iter().map(|arg| arg.0.clone()).collect();
        Self(Expr::foreign(dtype, ForeignCallee::Llvm(name.into()), args))
    }

    fn reinterpret(&self, dtype: DataType) -> Self {
        Self(Expr::raw(dtype, ExprKind::Reinterpret(self.0.clone())))
    }

    /// The bits of a float as a signed integer; of an integer, the same bits signed.
    pub(super) fn bits(&self) -> Self {
        self.reinterpret(DataType { code: TypeCode::Int, ..self.dtype() })
    }

    /// The bits as an unsigned integer.
    pub(super) fn unsigned_bits(&self) -> Self {
        self.reinterpret(DataType { code: TypeCode::UInt, ..self.dtype() })
    }

    /// The f32 or f64 of these bits.
    pub(super) fn float(&self) -> Self {
        self.reinterpret(DataType { code: TypeCode::Float, ..self.dtype() })
    }

    /// The float of this type with these bits.
    pub(super) fn float_of(&self, dtype: DataType) -> Self {
        self.reinterpret(dtype)
    }

    /// The bit of a float's sign, alone.
    pub(super) fn sign_bit(&self) -> i64 {
        1 << (self.dtype().bits - 1)
    }

    /// Whether this bool holds in any lane, as a scalar.
    pub(super) fn any(&self) -> Self {
        let (mut all, lanes) = (self.0.clone(), usize::from(self.dtype().lanes));
        let mut width = lanes;
        while width > 1 {
            // The upper half joins the lower one; an odd lane in the middle joins itself.
            let half = width.div_ceil(2);
            let from = |lane: usize| if lane + half < width { lane + half } else { lane };
            let upper = ExprKind::Shuffle { vectors: vec![all.clone()], lanes: (0..lanes).map(from).collect() };
            let upper = Expr::raw(all.dtype, upper);
            all = Expr::raw(all.dtype, ExprKind::Binary(BinOp::Or, all, upper));
            width = half;
        }
        if lanes == 1 {
            return Self(all);
        }
        Self(Expr::raw(DataType::BOOL, ExprKind::Shuffle { vectors: vec![all], lanes: vec![0] }))
    }

    /// The first value where this scalar bool holds, else the second; only that one is computed.
    pub(super) fn choose(&self, then: Expr, otherwise: Expr) -> Self {
        let dtype = then.dtype;
        let args = vec![self.0.clone(), then, otherwise];
        Self(Expr::raw(dtype, ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args }))
    }
}

/// The layout of a float's bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    pub(super) bits: i64,
    /// Bits of the fraction.
    pub(super) fraction: i64,
    /// The exponent's bits for 1.
    pub(super) bias: i64,
}

const SINGLE: Format = Format { bits: 32, fraction: 23, bias: 127 };
const DOUBLE: Format = Format { bits: 64, fraction: 52, bias: 1023 };

impl Format {
    /// 1.5 times the number whose neighbours are 1 apart: adding it rounds a small number to an integer, which is in
    /// the sum's lowest bits.
    pub(super) fn rounder(self) -> f64 {
        1.5 * two_to(self.fraction)
    }

    /// The bits of [`Format::rounder`].
    pub(super) fn rounder_bits(self) -> i64 {
        ((self.bias + self.fraction) << self.fraction) | (1 << (self.fraction - 1))
    }

    /// The least number with a full fraction.
    pub(super) fn least_normal(self) -> f64 {
        two_to(1 - self.bias)
    }
}

/// Floats and their parts.
impl Term {
    pub(super) fn is_single(&self) -> bool {
        self.dtype().bits == 32
    }

    pub(super) fn format(&self) -> Format {
        if self.is_single() { SINGLE } else { DOUBLE }
    }

    /// The float format of this term's width.
    pub(super) fn by_width<T>(&self, single: T, double: T) -> T {
        if self.is_single() { single } else { double }
    }

    /// 2 to the power of these integers, which must be exponents of normal numbers.
    pub(super) fn power_of_two(&self) -> Self {
        let format = self.format();
        ((self + format.bias) << format.fraction).float()
    }

    /// The small integers as floats: exact below a quarter of [`Format::rounder`].
    pub(super) fn small_to_float(&self) -> Self {
        let format = self.format();
        (self + format.rounder_bits()).float() - format.rounder()
    }

    /// `c[0] + c[1] x + c[2] x² + …`
    pub(super) fn polynomial(&self, coefficients: &[f64]) -> Self {
        let mut from_last = coefficients.iter().rev();
        let last = from_last.next().copied().unwrap_or(0.0);
        from_last.fold(self.constant(last), |sum, &c| sum * self + c)
    }
}

/// 2 to an integer power, exactly.
pub(super) fn two_to(exponent: i64) -> f64 {
    2f64.powi(exponent as i32)
}

/// The named values of a formula, in order.
#[derive(Default, Debug)]
pub(super) struct Steps {
    named: Vec<(Var, Expr)>,
    /// Whether the machine rounds a product and a sum once, as quickly as one of them.
    pub(super) has_fused: bool,
}

impl Steps {
    /// Gives a value a name: it is computed once, and rounded as it stands.
    pub(super) fn keep(&mut self, name: &'static str, value: Term) -> Term {
        if matches!(value.0.kind, ExprKind::Var(_)) {
            return value;
        }
        let var = Var::new(name, value.dtype());
        self.named.push((var.clone(), value.0));
        Term(Expr::var(&var))
    }

    /// The result, under the names that it uses.
    pub(super) fn result(self, result: Term) -> Expr {
        self.named.into_iter().rev().fold(result.0, |body, (var, value)| {
            let dtype = body.dtype;
            Expr::raw(dtype, ExprKind::Let { var, value, body })
        })
    }
}
