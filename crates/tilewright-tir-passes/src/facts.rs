//! What a pass knows at a place in a function: bounds of variables, and conditions that hold.

use tilewright_arith::{Analyzer, Scope};
use tilewright_expr::node::{VarId, walk};
use tilewright_ir::tir::{Buffer, Expr, PrimFunc, Range, Stmt, StmtKind, Var, written_data};
use tilewright_support::Set;

use crate::magnitude::Magnitudes;
use crate::stmt::{analyzer_of, conjuncts};

/// An analyser that is told of variables and conditions, and not of more than what holds in 64 bits.
pub(crate) struct Facts {
    pub(crate) analyzer: Analyzer,
    pub(crate) magnitudes: Magnitudes,
    /// Data variables of the memory that the function writes: conditions on it say nothing for long.
    pub(crate) written: Set<VarId>,
}

impl Facts {
    pub(crate) fn of(function: &PrimFunc) -> Self {
        Self {
            analyzer: analyzer_of(function),
            magnitudes: Magnitudes::of(function),
            written: written_data(&function.body),
        }
    }

    pub(crate) fn enter(&self) -> Scope {
        self.analyzer.enter()
    }

    /// Forgets what was learnt since the scope was opened.
    pub(crate) fn leave(&mut self, scope: Scope) {
        self.analyzer.leave(scope);
    }

    /// A loop's variable.
    pub(crate) fn bind(&mut self, var: &Var, min: &Expr, extent: &Expr) {
        self.analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
        self.magnitudes.bind(&self.analyzer, var, min, extent);
    }

    /// A loop of that extent has an iteration, the one around: none of the factors is 0.
    pub(crate) fn runs(&mut self, extent: &Expr) {
        if self.magnitudes.factors_fit(&self.analyzer, extent) {
            self.analyzer.assume_positive(extent);
        }
    }

    pub(crate) fn bind_value(&mut self, var: &Var, value: &Expr) {
        self.analyzer.bind_value(var, value);
        self.magnitudes.bind_value(&self.analyzer, var, value);
    }

    /// The variable that the statement binds, where it binds one.
    pub(crate) fn bind_in(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::For { var, min, extent, .. } => self.bind(var, min, extent),
            StmtKind::Let { var, value, .. } => self.bind_value(var, value),
            _ => {}
        }
    }

    /// Learns that a condition holds from here on, as far as it does not depend on memory that changes. Of a sum that may
    /// have wrapped around a comparison says nothing.
    pub(crate) fn assume(&mut self, condition: &Expr) {
        for part in &conjuncts(condition) {
            let mut stable = self.magnitudes.trusts(&self.analyzer, part);
            walk(part, |buffer: &Buffer| stable &= !self.written.contains(&buffer.data.id()));
            if stable {
                self.analyzer.assume(part);
            }
        }
    }
}
