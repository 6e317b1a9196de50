//! The context of operators' inference rules.

use std::cell::RefCell;

use tilewright_arith::Analyzer;
use tilewright_expr::{BinOp, CmpOp, Expr};

/// Facts about symbolic dimensions, for inference.
///
/// A rule that needs two sizes to be equal asks whether they [clash](Self::clash). If only the run can tell, it
/// continues as if they were equal; the emitter of the call reads what was [assumed](Self::assumed), and lets the run
/// check it.
#[derive(Debug, Default)]
pub struct InferCx {
    pub analyzer: Analyzer,
    /// Whether the call is to become loops. A type can be inferred for more calls than there are loops for: the sum of
    /// truths has a type, but no loops add truths.
    pub for_loops: bool,
    assumed: Option<RefCell<Vec<EqualSizes>>>,
}

/// Two sizes that an operator's rule takes to be equal, though only the run can tell.
#[derive(Clone, Debug)]
pub struct EqualSizes {
    pub found: Expr,
    pub wanted: Expr,
}

impl InferCx {
    /// One that remembers what rules assume.
    pub fn remembering() -> Self {
        Self { assumed: Some(RefCell::default()), ..Self::default() }
    }

    /// One for calls that are to become loops.
    pub fn for_loops() -> Self {
        Self { for_loops: true, ..Self::default() }
    }

    /// Whether sizes that have to be equal are known to differ. If that is not known, the rule assumes that they are
    /// equal.
    pub fn clash(&self, wanted: &Expr, found: &Expr) -> bool {
        if self.analyzer.prove_different(wanted, found) {
            return true;
        }
        if let Some(assumed) = &self.assumed
            && !self.analyzer.prove_equal(wanted, found)
        {
            assumed.borrow_mut().push(EqualSizes { found: found.clone(), wanted: wanted.clone() });
        }
        false
    }

    /// Whether a size that broadcasting makes another one is known to be neither 1 nor that size. If that is not known,
    /// the rule assumes that it is one of them.
    pub fn cannot_broadcast(&self, own: &Expr, wide: &Expr) -> bool {
        let one = Expr::int(1, own.dtype);
        if self.analyzer.prove_equal(own, &one) || self.analyzer.prove_equal(own, wide) {
            return false;
        }
        let is_one = Expr::compare(CmpOp::Eq, own, &one);
        match is_one.and_then(|is_one| Expr::select(&is_one, wide, own)) {
            Ok(repeated) if !self.analyzer.prove_different(own, &one) => {
                self.clash(wide, &self.analyzer.simplify(&repeated))
            }
            _ => self.clash(wide, own),
        }
    }

    /// Whether a size that must not be larger than another is known to be. If that is not known, the rule assumes that
    /// it is not.
    pub fn exceeds(&self, size: &Expr, limit: &Expr) -> bool {
        match self.analyzer.decide(CmpOp::Lt, limit, size) {
            Some(exceeds) => exceeds,
            // The larger one of both is the limit.
            None => Expr::binary(BinOp::Max, size, limit).is_ok_and(|larger| self.clash(limit, &larger)),
        }
    }

    /// Whether a size is known not to be divisible by `parts`. If that is not known, the rule assumes that it is.
    pub fn leaves_rest(&self, size: &Expr, parts: i64) -> bool {
        let rest = Expr::binary(BinOp::FloorMod, size, &Expr::int(parts, size.dtype));
        parts != 0 && rest.is_ok_and(|rest| self.clash(&Expr::int(0, size.dtype), &self.analyzer.simplify(&rest)))
    }

    /// The assumptions of rules since the last call, each pair once.
    pub fn assumed(&self) -> Vec<EqualSizes> {
        let mut all: Vec<EqualSizes> = Vec::new();
        for sizes in self.assumed.iter().flat_map(RefCell::take) {
            if !all.iter().any(|known| known.found.equal(&sizes.found) && known.wanted.equal(&sizes.wanted)) {
                all.push(sizes);
            }
        }
        all
    }
}
