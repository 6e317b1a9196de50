//! Masks and biases with an element for each query and key, which are contiguous along the keys in memory, while
//! queries are lanes: a block of each is transposed in registers, for gathered elements would take as long as the
//! products.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::tir::{CmpOp, Expr, ExprKind, Range, Var};
use tilewright_tensor::DataType;

use super::cx::Flash;
use crate::build::exprs::{compare, mentions_var, reads_memory, reads_under_condition, typed};
use crate::fault::Fault;
use crate::primitive::vectorize_transpose::is_along;

/// Masks that are transposed, at most; others are read in place.
const MAX_MASKS: usize = 3;

/// The scores, with variables for elements of masks.
#[derive(Clone, Debug)]
pub(super) struct Masked {
    pub(super) scores: Expr,
    /// The variable of an element as a float, and the element.
    pub(super) masks: Vec<(Var, Expr)>,
}

impl Flash<'_> {
    pub(super) fn masked(&self) -> Masked {
        let mut masked = Masked { scores: self.a.scores.clone(), masks: Vec::new() };
        if self.transposed_lanes().is_none() {
            return masked;
        }
        let mut found: Vec<Expr> = Vec::new();
        walk(&self.a.scores, |e: &Expr| {
            if found.len() < MAX_MASKS && found.iter().all(|other| !other.equal(e)) && self.is_mask(e) {
                found.push(e.clone());
            }
        });
        for (number, mask) in found.into_iter().enumerate() {
            let var = Var::new(format!("mask{number}"), self.a.dtype);
            let Ok(element) = self.element_of_mask(&Expr::var(&var), mask.dtype) else { continue };
            if let Some(scores) = rewrite(&masked.scores, |e: &Expr| e.equal(&mask).then(|| element.clone())) {
                masked.scores = scores;
                masked.masks.push((var, mask));
            }
        }
        masked
    }

    fn is_mask(&self, e: &Expr) -> bool {
        let (a, ExprKind::Load { indices, predicate: None, .. }) = (self.a, &e.kind) else { return false };
        let mut known = Analyzer::default();
        known.bind(&a.key.var, &Range::up_to(a.key.extent.clone()));
        let of_each = [&a.query.var, &a.key.var].into_iter().all(|var| mentions_var(e, var));
        [DataType::BOOL, DataType::F32, DataType::F16, DataType::BF16].contains(&e.dtype)
            && of_each
            && is_along(&known, indices, &a.key.var)
            && !indices.iter().any(reads_memory)
            && !reads_under_condition(&a.scores, |other| other.equal(e))
    }

    /// An element of a mask as a float.
    pub(super) fn float_of_mask(&self, mask: &Expr) -> Result<Expr, Fault> {
        match mask.dtype.is_bool() {
            true => typed(Expr::select(mask, &self.float(1.0), &self.float(0.0))),
            false => typed(mask.cast(self.a.dtype)),
        }
    }

    /// The element that such a float was.
    fn element_of_mask(&self, float: &Expr, dtype: DataType) -> Result<Expr, Fault> {
        match dtype.is_bool() {
            true => compare(CmpOp::Ne, float, &self.float(0.0)),
            false => typed(float.cast(dtype)),
        }
    }
}
