//! Costs of candidates, in cycles of one core, by what the cycles are spent on.

use std::fmt;

/// An estimate of a kernel's cycles. Terms add up; each is named after what the core does in it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Cost {
    terms: Vec<(&'static str, f64)>,
}

impl Cost {
    /// The same with one more term, in cycles; none of 0.
    #[must_use]
    pub fn with(mut self, term: &'static str, cycles: f64) -> Self {
        if cycles != 0.0 {
            self.terms.push((term, cycles));
        }
        self
    }

    /// Every term multiplied.
    #[must_use]
    pub fn times(mut self, factor: f64) -> Self {
        self.terms.iter_mut().for_each(|(_, cycles)| *cycles *= factor);
        self
    }

    /// The terms with their cycles, in the order in which they were added.
    pub fn terms(&self) -> &[(&'static str, f64)] {
        &self.terms
    }

    /// All cycles.
    pub fn total(&self) -> f64 {
        self.terms.iter().map(|(_, cycles)| cycles).sum()
    }
}

/// `1.2e6 cycles: multiply 1.0e6, im2col 2.0e5`.
impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2e} cycles", self.total())?;
        for (at, (term, cycles)) in self.terms.iter().enumerate() {
            write!(f, "{}{term} {cycles:.2e}", if at == 0 { ": " } else { ", " })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_add_up_and_are_shown() {
        let cost = Cost::default().with("multiply", 1e6).with("im2col", 2e5);
        assert_eq!(cost.total(), 1.2e6);
        assert_eq!(cost.to_string(), "1.20e6 cycles: multiply 1.00e6, im2col 2.00e5");
        assert_eq!(cost.times(2.0).terms(), [("multiply", 2e6), ("im2col", 4e5)]);
    }
}
