//! Modular sets: the remainder of an integer modulo a constant.

use tilewright_expr::{BinOp, Intrinsic};

use crate::linear::{Linear, gcd};
use crate::session::{Id, Session, Tag, is_index_type};

/// The integers `coeff · k + base` for all `k`; a `coeff` of 0 leaves only `base`. `0 <= base < coeff` otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ModularSet {
    pub coeff: i64,
    pub base: i64,
}

impl Default for ModularSet {
    fn default() -> Self {
        Self::ANY
    }
}

impl ModularSet {
    /// Every integer.
    pub const ANY: Self = Self { coeff: 1, base: 0 };

    /// `coeff · k + base`, brought to its normal form.
    pub fn new(coeff: i64, base: i64) -> Self {
        match coeff.checked_abs() {
            Some(0) => Self { coeff: 0, base },
            Some(coeff) => Self { coeff, base: base.rem_euclid(coeff) },
            None => Self::ANY,
        }
    }

    pub const fn constant(value: i64) -> Self {
        Self { coeff: 0, base: value }
    }

    pub fn contains(self, value: i64) -> bool {
        match self.coeff {
            0 => value == self.base,
            coeff => i128::from(value).rem_euclid(coeff.into()) == self.base.into(),
        }
    }

    /// The smallest set that contains both.
    pub fn union(self, other: Self) -> Self {
        match self.base.checked_sub(other.base) {
            Some(difference) => Self::new(gcd(gcd(self.coeff, other.coeff), difference), self.base),
            None => Self::ANY,
        }
    }

    /// A set that contains what is in both; one of them, where nothing is or it does not fit.
    pub fn intersect(self, other: Self) -> Self {
        let (fine, coarse) = if self.coeff == 0 || (other.coeff != 0 && self.coeff >= other.coeff) {
            (self, other)
        } else {
            (other, self)
        };
        if fine.coeff == 0 || coarse.coeff <= 1 {
            return fine;
        }
        let common = gcd(fine.coeff, coarse.coeff);
        let Some(coeff) = (fine.coeff / common).checked_mul(coarse.coeff) else { return fine };
        // Steps of the finer set until the coarser one is met: no more than it has classes.
        if coarse.coeff / common > 4096 {
            return fine;
        }
        let met = (0..coarse.coeff / common)
            .filter_map(|k| fine.coeff.checked_mul(k)?.checked_add(fine.base))
            .find(|&value| coarse.contains(value));
        met.map_or(fine, |base| Self::new(coeff, base))
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        self.base.checked_add(other.base).map_or(Self::ANY, |base| Self::new(gcd(self.coeff, other.coeff), base))
    }

    pub(crate) fn scaled(self, factor: i64) -> Self {
        match (self.coeff.checked_mul(factor), self.base.checked_mul(factor)) {
            (Some(coeff), Some(base)) => Self::new(coeff, base),
            (None, _) | (_, None) if factor != i64::MIN => Self::new(factor, 0),
            _ => Self::ANY,
        }
    }

    fn times(self, other: Self) -> Self {
        // (c·k + b)·(d·l + e) = b·e + multiples of c·d, c·e and d·b
        let products = (|| {
            let coeff = gcd(
                self.coeff.checked_mul(other.coeff)?,
                gcd(self.coeff.checked_mul(other.base)?, other.coeff.checked_mul(self.base)?),
            );
            Some(Self::new(coeff, self.base.checked_mul(other.base)?))
        })();
        products.unwrap_or(Self::ANY)
    }

    /// The set of the quotient that rounds down, by a positive constant.
    fn divided(self, c: i64) -> Self {
        match self.coeff % c {
            0 => Self::new(self.coeff / c, self.base.div_euclid(c)),
            _ => Self::ANY,
        }
    }

    /// The set of the remainder of [`ModularSet::divided`].
    pub(crate) fn remainder(self, c: i64) -> Self {
        match self.coeff % c {
            0 => Self::constant(self.base.rem_euclid(c)),
            _ => Self::new(gcd(self.coeff, c), self.base),
        }
    }

    /// Whether it is certain that the value is not zero.
    pub(crate) fn excludes_zero(self) -> bool {
        !self.contains(0)
    }
}

impl Session<'_> {
    /// Remainders of the sum over the mathematical integers.
    pub(crate) fn linear_modular(&self, linear: &Linear) -> ModularSet {
        if linear.overflow {
            return ModularSet::ANY;
        }
        let constant = ModularSet::constant(linear.constant);
        linear.terms.iter().fold(constant, |sum, (&id, &c)| sum.plus(self.node(id).modular.scaled(c)))
    }

    /// Remainders of an operation on interned nodes, over the mathematical integers.
    pub(crate) fn modular_of(&self, tag: &Tag, ids: &[Id], lanes: u16) -> ModularSet {
        let at = |i: usize| ids.get(i).map_or(ModularSet::ANY, |&id| self.node(id).modular);
        let divisor = || ids.get(1).and_then(|&id| self.lane_value(id)).filter(|&c| c > 0);
        let shift = || ids.get(1).and_then(|&id| self.lane_value(id));
        match tag {
            Tag::Int(value) => ModularSet::constant(*value),
            Tag::Var(var) => self.facts.var_modular(*var),
            Tag::Linear(coefficients, constant) => ids
                .iter()
                .zip(coefficients)
                .fold(ModularSet::constant(*constant), |sum, (&id, &c)| sum.plus(self.node(id).modular.scaled(c))),
            Tag::Binary(op) => match (op, divisor()) {
                (BinOp::Add, _) => at(0).plus(at(1)),
                (BinOp::Sub, _) => at(0).plus(at(1).scaled(-1)),
                (BinOp::Mul, _) => at(0).times(at(1)),
                (BinOp::FloorDiv, Some(c)) => at(0).divided(c),
                (BinOp::FloorMod, Some(c)) => at(0).remainder(c),
                (BinOp::Div, Some(c)) if at(0).base % c == 0 && at(0).coeff % c == 0 => at(0).divided(c),
                (BinOp::Mod, Some(c)) if at(0).base % c == 0 && at(0).coeff % c == 0 => ModularSet::constant(0),
                (BinOp::Min | BinOp::Max, _) => at(0).union(at(1)),
                (BinOp::Shl, _) if let Some(by @ 0..=62) = shift() => at(0).scaled(1 << by),
                (BinOp::Shr, _) if let Some(by @ 0..=62) = shift() => at(0).divided(1 << by),
                // The lowest bits are a remainder.
                (BinOp::BitAnd, Some(mask)) if mask < i64::MAX && (mask + 1) & mask == 0 => at(0).remainder(mask + 1),
                _ => ModularSet::ANY,
            },
            Tag::Select | Tag::Call(Intrinsic::IfThenElse) => at(1).union(at(2)),
            Tag::Cast if is_index_type(self.dtype(ids[0]).element()) => at(0),
            Tag::Broadcast => at(0),
            Tag::Let(_) => at(1),
            Tag::Ramp if lanes > 1 => at(0).union(at(0).plus(at(1))),
            _ => ModularSet::ANY,
        }
    }
}
