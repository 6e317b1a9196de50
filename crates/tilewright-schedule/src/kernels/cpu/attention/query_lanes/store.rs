//! The end of a task: weighted sums become results, rows in memory again.

use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::tir::{BinOp, CmpOp, Expr, ExprKind, Stmt, StmtKind, Var};

use super::task::Task;
use crate::build::exprs::{binary, compare, mentions_var, substituted};
use crate::build::loops::{load, store};
use crate::families::attention::Attention;
use crate::families::attention::weights::is_divisor;
use crate::fault::Fault;

/// Constants in a divisor are zero or at least this, so that no reciprocal is infinite but that of zero.
const MIN_CONSTANT: f64 = 1e-30;

/// The formula of a result, and what in it stands for the reciprocal of a query's divisor.
struct Formula {
    result: Expr,
    reciprocal: Option<Var>,
}

impl Task<'_> {
    /// The results of the queries that exist.
    pub(super) fn write(&self) -> Result<Stmt, Fault> {
        let (p, memory, tiling) = (self.p, &self.kind.memory, &self.kind.tiling);
        // The memory of the rescaling factors is free.
        let reciprocals = &memory.rescale;
        let mut formula = Formula { result: p.a.result.clone(), reciprocal: None };
        let mut stmts = Vec::new();
        if let Some((product, var, value)) = by_reciprocal(p.a)? {
            stmts.push(self.lanes(|i| {
                let sum = [(p.a.weight_sum.clone(), load(&memory.weight_sum, &[i])?)];
                store(reciprocals, &[i], &substituted(&value, &sum))
            })?);
            formula = Formula { result: product, reciprocal: Some(var) };
        }
        if tiling.lanes_per_query > 1 {
            stmts.push(self.rows_of_several_lanes()?);
            stmts.push(
                p.serial("i", &p.int(tiling.queries()), |i| self.row(&formula, i, |w| load(&memory.rows, &[i, w])))?,
            );
            return Ok(Stmt::seq(stmts));
        }
        stmts.push(p.serial("vector", &p.int(tiling.vectors), |vector| {
            let first = vector * p.tiling.lanes;
            let transposed = p.transposed_results(&first, &memory.weighted, &memory.rows)?;
            let is_transposed = transposed.is_some();
            let rows = p.serial("i", &p.int(p.tiling.lanes), |i| {
                let lane = &first + i;
                self.row(&formula, &lane, |w| match is_transposed {
                    true => load(&memory.rows, &[i, w]),
                    false => load(&memory.weighted, &[w, &lane]),
                })
            })?;
            Ok(Stmt::seq(transposed.into_iter().chain([rows])))
        })?);
        Ok(Stmt::seq(stmts))
    }

    /// The result of the task's query of a number, if that exists.
    fn row(
        &self,
        formula: &Formula,
        number: &Expr,
        weighted: impl Fn(&Expr) -> Result<Expr, Fault>,
    ) -> Result<Stmt, Fault> {
        let (p, a, memory) = (self.p, self.p.a, &self.kind.memory);
        let query = &self.first + number;
        let lane = match self.kind.tiling.lanes_per_query {
            1 => number.clone(),
            lanes => number * lanes,
        };
        let (weight_sum, reciprocal) = (load(&memory.weight_sum, &[&lane])?, load(&memory.rescale, &[&lane])?);
        let columns = p.tiles("column", p.value_dim, p.tiling.lanes, |first, lanes| {
            p.vector("c", lanes, |c| {
                let w = first + c;
                let weighted = weighted(&w)?;
                let indices = [
                    (&a.weighted, &weighted),
                    (&a.weight_sum, &weight_sum),
                    (&a.query.var, &query),
                    (&a.value_dim.var, &w),
                ];
                let own = formula.reciprocal.iter().map(|var| (var, &reciprocal));
                let values: Vec<(&Var, &Expr)> = indices.into_iter().chain(own).collect();
                let at: Vec<Expr> = a.indices.iter().map(|index| p.at(index, &indices, self.batch)).collect();
                store(&a.out, &at.iter().collect::<Vec<_>>(), &p.at(&formula.result, &values, self.batch))
            })
        })?;
        if self.kind.queries.is_full {
            return Ok(columns);
        }
        let condition = p.simple(&compare(CmpOp::Lt, &query, &a.query.extent)?);
        Ok(StmtKind::If { condition, then: columns, otherwise: None }.into())
    }

    /// The weighted sums of queries that have several lanes, one row for each.
    fn rows_of_several_lanes(&self) -> Result<Stmt, Fault> {
        let (p, memory, lanes) = (self.p, &self.kind.memory, self.kind.tiling.lanes_per_query);
        p.unrolled("i", self.kind.tiling.queries(), |i| {
            p.serial("w", &p.int(p.value_dim / lanes), |w| {
                p.vector("c", lanes, |c| {
                    let value = load(&memory.weighted, &[w, &(&(i * lanes) + c)])?;
                    store(&memory.rows, &[i, &(&(w * lanes) + c)], &value)
                })
            })
        })
    }
}

/// The result with a product for the quotient by a formula of the sum of weights: the variable of its reciprocal, which
/// is computed once for a query, and that. The sum is zero or about one at least, for the greatest score has the weight
/// one. So a reciprocal is infinite only where the quotient of the zeros is NaN.
fn by_reciprocal(a: &Attention) -> Result<Option<(Expr, Var, Expr)>, Fault> {
    let mut divisor = None;
    walk(&a.result, |e: &Expr| {
        if let ExprKind::Binary(BinOp::Div, of, by) = &e.kind
            && mentions_var(of, &a.weighted)
            && has_reciprocal(a, by)
        {
            divisor = Some(by.clone());
        }
    });
    let Some(divisor) = divisor else { return Ok(None) };
    let reciprocal = Var::new("reciprocal", a.dtype);
    let product = rewrite(&a.result, |e: &Expr| match &e.kind {
        ExprKind::Binary(BinOp::Div, of, by) if by.equal(&divisor) => {
            binary(BinOp::Mul, of, &Expr::var(&reciprocal)).ok()
        }
        _ => None,
    });
    let Some(product) = product else { return Ok(None) };
    Ok(Some((product, reciprocal, binary(BinOp::Div, &Expr::float(1.0, a.dtype), &divisor)?)))
}

/// Whether a formula divides by the sum of weights in a way that its reciprocal is a number: none of its constants is
/// tiny.
fn has_reciprocal(a: &Attention, formula: &Expr) -> bool {
    let mut fits = is_divisor(formula, &a.weight_sum) && formula.dtype == a.dtype;
    walk(formula, |e: &Expr| {
        if let ExprKind::Float(bits) = &e.kind {
            fits &= bits.0 == 0.0 || bits.0.abs() >= MIN_CONSTANT;
        }
    });
    fits
}
