//! Constant bounds with infinities as numbers, as the field's interfaces have them.

use std::fmt;

use tilewright_expr::{Expr, Var};

use crate::open_bounds::OpenBounds;
use crate::{Analyzer, IntBounds, ModularSet};

/// The integers from `min_value` to `max_value`, both included; the ends of `i64` are the infinities.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ConstIntBound {
    pub min_value: i64,
    pub max_value: i64,
}

impl ConstIntBound {
    pub const NEG_INF: i64 = i64::MIN;
    pub const POS_INF: i64 = i64::MAX;

    pub const fn new(min_value: i64, max_value: i64) -> Self {
        Self { min_value, max_value }
    }
}

impl fmt::Display for ConstIntBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |value: i64| match value {
            Self::NEG_INF => "neg_inf".to_owned(),
            Self::POS_INF => "pos_inf".to_owned(),
            value => value.to_string(),
        };
        write!(f, "ConstIntBound[{}, {}]", end(self.min_value), end(self.max_value))
    }
}

impl From<IntBounds> for ConstIntBound {
    fn from(bounds: IntBounds) -> Self {
        Self::new(bounds.min.unwrap_or(Self::NEG_INF), bounds.max.unwrap_or(Self::POS_INF))
    }
}

impl From<ConstIntBound> for IntBounds {
    fn from(bound: ConstIntBound) -> Self {
        let finite = |value: i64, infinite: i64| Some(value).filter(|&value| value != infinite);
        Self::new(finite(bound.min_value, ConstIntBound::NEG_INF), finite(bound.max_value, ConstIntBound::POS_INF))
    }
}

/// A fact about a variable contradicts what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction(pub String);

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Contradiction {}

impl Analyzer {
    /// Bounds of the integer expression as it is written: ends that nobody told are those of a variable's type, and
    /// arithmetic is that of the integers.
    pub fn const_int_bound(&self, expr: &Expr) -> ConstIntBound {
        if !expr.dtype.element().is_int() && !expr.dtype.element().is_bool() {
            return IntBounds::ANY.into();
        }
        OpenBounds::new(self).of(expr).into()
    }

    /// Replaces all that was known of the variable's values.
    pub fn update_bound(&mut self, var: &Var, bound: ConstIntBound) {
        let bounds = IntBounds::from(bound);
        self.bind_bounds(var, bounds.min, bounds.max);
    }

    /// States bounds of a variable of which none, or the same, were stated before.
    ///
    /// # Errors
    /// Where others were.
    pub fn state_bound(&mut self, var: &Var, bound: ConstIntBound) -> Result<(), Contradiction> {
        match self.told_bounds(var.id()).map(ConstIntBound::from).filter(|known| *known != bound) {
            Some(known) => Err(Contradiction(format!(
                "variable `{}` has the bound {known} already, found {bound}: give `override=True` to replace it",
                var.name
            ))),
            None => {
                self.update_bound(var, bound);
                Ok(())
            }
        }
    }

    /// Adds a remainder of the variable to what is known of it.
    pub fn update_modular(&mut self, var: &Var, modular: ModularSet) {
        self.learn_modular(var.id(), modular);
    }

    /// Replaces what was known of the variable's remainder.
    pub fn replace_modular(&mut self, var: &Var, modular: ModularSet) {
        self.set_modular(var.id(), modular);
    }

    /// States a remainder of a variable of which none, or the same, was stated before.
    ///
    /// # Errors
    /// Where another one was.
    pub fn state_modular(&mut self, var: &Var, modular: ModularSet) -> Result<(), Contradiction> {
        let known = self.var_modular(var.id());
        if known != ModularSet::ANY && known != modular {
            return Err(Contradiction(format!(
                "variable `{}` is {} * k + {} already, found {} * k + {}: give `override=True` to replace it",
                var.name, known.coeff, known.base, modular.coeff, modular.base
            )));
        }
        self.set_modular(var.id(), modular);
        Ok(())
    }
}
