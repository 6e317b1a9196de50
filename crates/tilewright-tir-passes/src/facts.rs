//! Facts that hold at a point in a function: bounds of variables, and conditions.

use tilewright_arith::{Analyzer, Scope};
use tilewright_expr::node::{VarId, walk};
use tilewright_ir::tir::{Buffer, Expr, ExprKind, PrimFunc, Range, Stmt, StmtKind, Var, written_data};
use tilewright_support::Set;

use crate::magnitude::Magnitudes;
use crate::stmt::{analyzer_of, conjuncts};

/// An analyser that learns variables and conditions, restricted to facts that hold in 64-bit arithmetic too.
pub(crate) struct Facts {
    pub(crate) analyzer: Analyzer,
    pub(crate) magnitudes: Magnitudes,
    /// Data variables of the memory that the function writes: conditions on it may stop to hold.
    pub(crate) written: Set<VarId>,
    /// Lower bounds of variables under the assumption that the enclosing loops have iterations: no factor of an extent
    /// is 0.
    pub(crate) running: Vec<(VarId, i64)>,
}

impl Facts {
    pub(crate) fn of(function: &PrimFunc) -> Self {
        Self {
            analyzer: analyzer_of(function),
            magnitudes: Magnitudes::of(function),
            written: written_data(&function.body),
            running: Vec::new(),
        }
    }

    pub(crate) fn enter(&self) -> Scope {
        self.analyzer.enter()
    }

    /// Opens a scope that assumes that the enclosing loops have iterations.
    fn enter_running(&mut self) -> Scope {
        let scope = self.enter();
        self.running.iter().for_each(|&(var, least)| self.analyzer.learn_least(var, least));
        scope
    }

    /// Forgets what was learnt since the scope was opened.
    pub(crate) fn leave(&mut self, scope: Scope) {
        self.analyzer.leave(scope);
    }

    /// A loop's variable.
    pub(crate) fn bind(&mut self, var: &Var, min: &Expr, extent: &Expr) {
        self.analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
        let scope = self.enter_running();
        self.magnitudes.bind(&self.analyzer, var, min, extent);
        self.leave(scope);
    }

    /// Learns that an enclosing loop of that extent has an iteration.
    pub(crate) fn runs(&mut self, extent: &Expr) {
        let natural = Magnitudes::natural_factors(&self.analyzer, extent);
        self.running.extend(natural.into_iter().map(|var| (var, 1)));
        let scope = self.enter_running();
        let fits = self.magnitudes.factors_fit(&self.analyzer, extent);
        let found = if fits { self.analyzer.least_where_positive(extent) } else { Vec::new() };
        self.leave(scope);
        self.running.extend(found);
    }

    /// Whether a condition holds if the enclosing loops have iterations.
    pub(crate) fn where_it_runs(&mut self, holds: impl FnOnce(&Self) -> bool) -> bool {
        if self.running.is_empty() {
            return false;
        }
        let scope = self.enter_running();
        let answer = holds(self);
        self.leave(scope);
        answer
    }

    pub(crate) fn bind_value(&mut self, var: &Var, value: &Expr) {
        self.analyzer.bind_value(var, value);
        // The body of a loop without iterations does not run.
        let scope = self.enter_running();
        self.magnitudes.bind_value(&self.analyzer, var, value);
        self.leave(scope);
    }

    /// The variable that the statement binds, where it binds one.
    pub(crate) fn bind_in(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::For { var, min, extent, .. } => self.bind(var, min, extent),
            StmtKind::Let { var, value, .. } => self.bind_value(var, value),
            _ => {}
        }
    }

    /// Learns that a condition holds from here on, unless it depends on memory that changes or on arithmetic that may
    /// have overflowed. The negation of a comparison of loaded data is no bounds check of that data.
    pub(crate) fn assume(&mut self, condition: &Expr) {
        for part in &conjuncts(condition) {
            let trusts = |facts: &Self| facts.magnitudes.trusts(&facts.analyzer, part);
            let mut stable = trusts(self) || self.where_it_runs(trusts);
            stable &= !matches!(part.kind, ExprKind::Not(_)) || self.analyzer.is_index(part);
            walk(part, |buffer: &Buffer| stable &= !self.written.contains(&buffer.data.id()));
            if stable {
                self.analyzer.assume(part);
            }
        }
    }
}
