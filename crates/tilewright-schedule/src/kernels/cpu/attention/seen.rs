//! Keys that no query of a task sees: where scores are `select(j <= i + c, score, -inf)`, those behind the last query's last.
//!
//! Their weights are zero, so neither their scores nor their weights are worked out. What zero times a value gives is kept:
//! NaN, where a value is no finite number.

use tilewright_arith::Analyzer;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ExprKind, Intrinsic, Stmt, Var};

use super::task::Maker;
use crate::facts::exprs::{binary, reads_memory};
use crate::facts::fault::Fault;
use crate::facts::loops::{load, store};
use crate::families::attention::Attention;
use crate::families::attention::weights::is_float;

/// Vectors of columns whose zeros are summed up beside each other.
const VECTORS: i64 = 8;

impl Attention {
    /// Whether there are keys that a query sees and one before it does not.
    pub(crate) fn is_partly_seen(&self) -> bool {
        self.seen(&Analyzer::default()).is_some()
    }

    /// How many keys a query sees at most, over batch and query, where no query sees fewer than one before it.
    pub(super) fn seen(&self, known: &Analyzer) -> Option<Expr> {
        let (condition, then, otherwise) = choice(&self.scores)?;
        let is_lowest = |e: &Expr| is_float(e, f64::NEG_INFINITY);
        let holds = is_lowest(otherwise);
        if !(holds || is_lowest(then)) || reads_memory(condition) {
            return None;
        }
        self.least_limit(known, condition, holds)
    }

    /// The limit that the condition, or one of those that it joins, sets to the keys where it holds, or where it does not.
    fn least_limit(&self, known: &Analyzer, condition: &Expr, holds: bool) -> Option<Expr> {
        let (op, a, b) = match &condition.kind {
            ExprKind::Binary(BinOp::And | BinOp::BitAnd, a, b) if holds => {
                return self.least_limit(known, a, holds).or_else(|| self.least_limit(known, b, holds));
            }
            ExprKind::Binary(BinOp::Or | BinOp::BitOr, a, b) if !holds => {
                return self.least_limit(known, a, holds).or_else(|| self.least_limit(known, b, holds));
            }
            ExprKind::Not(inner) => return self.least_limit(known, inner, !holds),
            // A bool as a number, compared with zero.
            ExprKind::Compare(op @ (CmpOp::Ne | CmpOp::Eq), a, b) if b.as_int() == Some(0) => {
                let inner = truth(a)?;
                return self.least_limit(known, inner, holds == (*op == CmpOp::Ne));
            }
            ExprKind::Compare(op, a, b) => (*op, a, b),
            _ => return None,
        };
        let (less, greater, own) = match (op, holds) {
            (CmpOp::Le, true) | (CmpOp::Gt, false) => (a, b, 1),
            (CmpOp::Lt, true) | (CmpOp::Ge, false) => (a, b, 0),
            (CmpOp::Ge, true) | (CmpOp::Lt, false) => (b, a, 1),
            (CmpOp::Gt, true) | (CmpOp::Le, false) => (b, a, 0),
            _ => return None,
        };
        if less.dtype != self.index || greater.dtype != self.index {
            return None;
        }
        let distance = known.linear_in(&(less - greater), std::slice::from_ref(&self.key.var))?;
        let limit = known.simplify(&(&Expr::int(own, self.index) - &distance.rest));
        let growth = known.linear_in(&limit, std::slice::from_ref(&self.query.var))?;
        (distance.coefficients == [1] && growth.coefficients.iter().all(|step| *step >= 0)).then_some(limit)
    }
}

fn choice(e: &Expr) -> Option<(&Expr, &Expr, &Expr)> {
    match &e.kind {
        ExprKind::Select { condition, then, otherwise } => Some((condition, then, otherwise)),
        ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => match args.as_slice() {
            [condition, then, otherwise] => Some((condition, then, otherwise)),
            _ => None,
        },
        _ => None,
    }
}

/// The bool that a number is made of: zero where it is false, and else something else.
fn truth(number: &Expr) -> Option<&Expr> {
    match &number.kind {
        ExprKind::Cast(inner) if inner.dtype.is_bool() => Some(inner),
        _ => match choice(number)? {
            (condition, then, otherwise) if otherwise.as_int() == Some(0) => match then.as_int() {
                Some(0) | None => None,
                Some(_) => Some(condition),
            },
            _ => None,
        },
    }
}

impl Maker<'_> {
    /// Zero times the values of all keys from one on, summed up for each column: zeros, or NaN.
    pub(super) fn unseen(
        &self,
        (to, registers): (&Buffer, &Buffer),
        (first, width): (&Expr, i64),
        batch: &[(Var, Expr)],
    ) -> Result<Stmt, Fault> {
        let (a, lanes) = (self.a, self.tiling.lanes);
        let left = self.known.simplify(&(&a.key.extent - first));
        self.tiles("columns", width, lanes * VECTORS, |column, columns| {
            let each = |body: &dyn Fn(&Expr) -> Result<Stmt, Fault>| self.elements("w", columns, body);
            let clear = each(&|w| store(registers, &[w], &self.float(0.0)))?;
            let sum = self.serial("j", &left, |j| {
                each(&|w| {
                    let (key, place) = (first + j, column + w);
                    let value = self.at(&a.of_value, &[(&a.key.var, &key), (&a.width.var, &place)], batch);
                    let term = binary(BinOp::Mul, &self.float(0.0), &value)?;
                    store(registers, &[w], &binary(BinOp::Add, &load(registers, &[w])?, &term)?)
                })
            })?;
            let keep = each(&|w| store(to, &[&(column + w)], &load(registers, &[w])?))?;
            Ok(Stmt::seq([clear, sum, keep]))
        })
    }

    /// Registers for the columns that are summed up at once.
    pub(super) fn columns(&self, width: i64) -> Buffer {
        self.registers("columns", &[width.min(self.tiling.lanes * VECTORS)])
    }
}
