//! What elements of buffers hold at a point of a function: from stores and assumptions in front of it.
//!
//! A fact is `buffer[indices] == value`, for all values of some variables within their ranges. It holds until the
//! memory is written; a loop forgets in front of its body what the body writes.

use tilewright_arith::Analyzer;
use tilewright_expr::node::rewrite;
use tilewright_ir::tir::{Buffer, Builtin, CmpOp, Expr, ExprKind, ForKind, Range, Stmt, StmtKind, Var, written_data};

use crate::stmt::{is_foreign, mentions, reads};
use crate::substitute::Substitute;

#[derive(Clone, Debug)]
pub(super) struct Known {
    buffer: Buffer,
    vars: Vec<(Var, Range)>,
    indices: Vec<Expr>,
    value: Expr,
    /// Whether the statement stores it; else it is assumed.
    stored: bool,
}

#[derive(Clone, Default, Debug)]
pub(super) struct Knowns(Vec<Known>);

/// The store or assumption that a statement is, with the loops around it.
pub(super) fn element_of(stmt: &Stmt) -> Option<Known> {
    let (mut vars, mut inner) = (Vec::new(), stmt);
    loop {
        match &inner.kind {
            StmtKind::For { var, min, extent, kind, body, .. } if !matches!(kind, ForKind::ThreadBinding(_)) => {
                vars.push((var.clone(), Range::new(min.clone(), extent.clone())));
                inner = body;
            }
            StmtKind::Store { buffer, indices, value, predicate: None } => {
                return Known::new(buffer, vars, indices, value, true);
            }
            StmtKind::Evaluate(value) => {
                let [condition] = value.builtin_args(Builtin::ASSUME)? else { return None };
                let ExprKind::Compare(CmpOp::Eq, a, b) = &condition.kind else { return None };
                let (load, value) = if matches!(a.kind, ExprKind::Load { .. }) { (a, b) } else { (b, a) };
                let ExprKind::Load { buffer, indices, predicate: None } = &load.kind else { return None };
                return Known::new(buffer, vars, indices, value, false);
            }
            _ => return None,
        }
    }
}

impl Known {
    fn new(buffer: &Buffer, vars: Vec<(Var, Range)>, indices: &[Expr], value: &Expr, stored: bool) -> Option<Self> {
        let own: Vec<Var> = vars.iter().map(|(var, _)| var.clone()).collect();
        let mut used: Vec<Var> = Vec::new();
        for index in indices {
            match index.as_var().filter(|var| own.contains(var)) {
                Some(var) if used.contains(var) => return None,
                Some(var) => used.push(var.clone()),
                None if mentions(index, &own) || !index.dtype.is_scalar() || reads(index) => return None,
                None => {}
            }
        }
        // Every loop gives an element of its own, and no range depends on another loop.
        let apart = own.iter().all(|var| used.contains(var));
        let plain = vars.iter().all(|(_, r)| !mentions(r, &own) && !reads(&r.min) && !reads(&r.extent));
        let scalar = value.dtype.is_scalar() && value.dtype == buffer.dtype;
        if !apart || !plain || !scalar {
            return None;
        }
        Some(Self { buffer: buffer.clone(), vars, indices: indices.to_vec(), value: value.clone(), stored })
    }

    /// The elements of the fact as ranges, one for each dimension.
    fn ranges(&self) -> Vec<Range> {
        let range = |index: &Expr| {
            let bound = self.vars.iter().find(|(var, _)| index.as_var() == Some(var));
            bound.map_or_else(|| Range::new(index.clone(), Expr::int(1, index.dtype)), |(_, range)| range.clone())
        };
        self.indices.iter().map(range).collect()
    }

    /// Whether all elements of the other fact are among those of this one.
    pub(super) fn covers(&self, analyzer: &Analyzer, other: &Self) -> bool {
        let holds = |op: CmpOp, a: &Expr, b: &Expr| analyzer.decide(op, a, b) == Some(true);
        self.buffer == other.buffer
            && self.indices.len() == other.indices.len()
            && self.ranges().iter().zip(other.ranges()).all(|(own, other)| {
                let alike = own.min.dtype == other.min.dtype;
                alike
                    && holds(CmpOp::Le, &own.min, &other.min)
                    && holds(CmpOp::Ge, &(&own.min + &own.extent), &(&other.min + &other.extent))
            })
    }

    /// The buffer whose elements the statement overwrites.
    pub(super) fn overwritten(&self) -> Option<&Buffer> {
        self.stored.then_some(&self.buffer)
    }

    fn mentions(&self, vars: &[Var]) -> bool {
        mentions(&self.value, vars)
            || mentions(&self.indices, vars)
            || self.vars.iter().any(|(_, range)| mentions(range, vars))
    }

    /// The value at these indices, where they are among the fact's.
    fn at(&self, analyzer: &Analyzer, indices: &[Expr]) -> Option<Expr> {
        let mut values = Substitute::default();
        for (own, index) in self.indices.iter().zip(indices) {
            if own.dtype != index.dtype {
                return None;
            }
            match self.vars.iter().find(|(var, _)| own.as_var() == Some(var)) {
                Some((var, range)) => {
                    let above = analyzer.decide(CmpOp::Ge, index, &range.min) == Some(true);
                    let end = &range.min + &range.extent;
                    if !above || analyzer.decide(CmpOp::Lt, index, &end) != Some(true) {
                        return None;
                    }
                    values.values.insert(var.id(), index.clone());
                }
                None if analyzer.prove_equal(own, index) => {}
                None => return None,
            }
        }
        Some(values.apply(&self.value))
    }
}

impl Knowns {
    /// The expression with the values of elements that are known.
    pub(super) fn inserted(&self, analyzer: &Analyzer, expr: &Expr) -> Expr {
        if self.0.is_empty() {
            return expr.clone();
        }
        let replaced = rewrite(expr, |e: &Expr| {
            let ExprKind::Load { buffer, indices, predicate: None } = &e.kind else { return None };
            if reads_any(indices) {
                return None;
            }
            self.0.iter().rev().filter(|known| known.buffer == *buffer).find_map(|known| known.at(analyzer, indices))
        });
        replaced.unwrap_or_else(|| expr.clone())
    }

    /// Forgets what the statement may change.
    pub(super) fn forget(&mut self, analyzer: &Analyzer, stmt: &Stmt) {
        if let StmtKind::Store { buffer, indices, .. } = &stmt.kind {
            let other = |a: &Expr, b: &Expr| a.dtype == b.dtype && analyzer.decide(CmpOp::Ne, a, b) == Some(true);
            self.0.retain(|known| {
                known.buffer.data != buffer.data
                    || (known.buffer == *buffer
                        && known.vars.is_empty()
                        && known.indices.iter().zip(indices).any(|(a, b)| other(a, b)))
            });
            return;
        }
        let written = written_data(stmt);
        self.0.retain(|known| !written.contains(&known.buffer.data.id()));
    }

    /// Forgets what is said in terms of a variable whose scope ends.
    pub(super) fn leave(&mut self, var: &Var) {
        self.0.retain(|known| !known.mentions(std::slice::from_ref(var)));
    }

    /// Learns what holds after the statement.
    pub(super) fn learn(&mut self, stmt: &Stmt) {
        self.0.extend(element_of(stmt).filter(|known| !reads(&known.value) && !is_foreign(&known.value)));
    }

    /// What both say.
    pub(super) fn meet(&mut self, other: &Self) {
        let same = |a: &Known, b: &Known| {
            a.buffer == b.buffer
                && a.vars.is_empty()
                && b.vars.is_empty()
                && a.value.equal(&b.value)
                && a.indices.iter().zip(&b.indices).all(|(a, b)| a.equal(b))
        };
        // Ranges are those of one and the same fact where they are shared.
        let shared = |a: &Known, b: &Known| {
            a.buffer == b.buffer
                && a.value.equal(&b.value)
                && a.vars.len() == b.vars.len()
                && a.vars.iter().zip(&b.vars).all(|((a, _), (b, _))| a == b)
        };
        self.0.retain(|known| other.0.iter().any(|other| same(known, other) || shared(known, other)));
    }
}

fn reads_any(indices: &[Expr]) -> bool {
    indices.iter().any(reads)
}
