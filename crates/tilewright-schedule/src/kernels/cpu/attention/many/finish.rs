//! The end of a task: sums of values become results, rows in memory again.

use tilewright_ir::tir::{CmpOp, Expr, Stmt, StmtKind, Var};

use super::Task;
use crate::facts::exprs::compare;
use crate::facts::fault::Fault;
use crate::facts::loops::{load, store};
use crate::kernels::cpu::attention::Tiling;

impl Task<'_> {
    /// The results of the queries that there are.
    pub(super) fn write(&self, width: i64) -> Result<Stmt, Fault> {
        let (m, memory) = (self.m, self.memory);
        // What corrects sums is not needed any more.
        let (to, mut result, mut reciprocal) = (&memory.correction, m.a.result.clone(), None);
        let mut stmts = Vec::new();
        if let Some((product, var, value)) = m.by_reciprocal()? {
            stmts.push(self.lanes(|i| store(to, &[i], &m.with(&value, &m.a.total, &load(&memory.total, &[i])?)))?);
            (result, reciprocal) = (product, Some(var));
        }
        let formula = Formula { result, reciprocal };
        if self.tiling.parts > 1 {
            stmts.push(self.results_of_parts(width)?);
            stmts.push(m.serial("i", &m.int(self.tiling.queries()), |i| {
                self.row(&formula, i, width, |w| load(&memory.rows, &[i, w]))
            })?);
            return Ok(Stmt::seq(stmts));
        }
        stmts.push(m.serial("vector", &m.int(self.tiling.vectors), |vector| {
            let first = vector * m.tiling.lanes;
            let turned = m.turned_results(&first, &memory.mixed, &memory.rows)?;
            let is_turned = turned.is_some();
            let rows = m.serial("i", &m.int(m.tiling.lanes), |i| {
                let lane = &first + i;
                self.row(&formula, &lane, width, |w| match is_turned {
                    true => load(&memory.rows, &[i, w]),
                    false => load(&memory.mixed, &[w, &lane]),
                })
            })?;
            Ok(Stmt::seq(turned.into_iter().chain([rows])))
        })?);
        Ok(Stmt::seq(stmts))
    }

    /// The result of the task's query of a number, if there is such a query.
    fn row(
        &self,
        formula: &Formula,
        number: &Expr,
        width: i64,
        mixed: impl Fn(&Expr) -> Result<Expr, Fault>,
    ) -> Result<Stmt, Fault> {
        let (m, a, memory) = (self.m, self.m.a, self.memory);
        let query = &self.first + number;
        let lane = if self.tiling.parts == 1 { number.clone() } else { number * self.tiling.parts };
        let (total, reciprocal) = (load(&memory.total, &[&lane])?, load(&memory.correction, &[&lane])?);
        let columns = m.tiles("column", width, m.tiling.lanes, |first, lanes| {
            m.vectorized("c", lanes, |c| {
                let w = first + c;
                let mixed = mixed(&w)?;
                let places = [(&a.mixed, &mixed), (&a.total, &total), (&a.query.var, &query), (&a.width.var, &w)];
                let own = formula.reciprocal.iter().map(|var| (var, &reciprocal));
                let values: Vec<(&Var, &Expr)> = places.into_iter().chain(own).collect();
                let indices: Vec<Expr> = a.indices.iter().map(|index| m.at(index, &places, self.batch)).collect();
                store(&a.out, &indices.iter().collect::<Vec<_>>(), &m.at(&formula.result, &values, self.batch))
            })
        })?;
        if self.is_full {
            return Ok(columns);
        }
        let condition = m.known.simplify(&compare(CmpOp::Lt, &query, &a.query.extent)?);
        Ok(StmtKind::If { condition, then: columns, otherwise: None }.into())
    }

    /// The copy of the results of such queries, one line for each.
    fn results_of_parts(&self, width: i64) -> Result<Stmt, Fault> {
        let (m, memory, Tiling { parts, .. }) = (self.m, self.memory, self.tiling);
        m.unrolled("i", self.tiling.queries(), |i| {
            m.serial("w", &m.int(width / parts), |w| {
                m.vectorized("c", parts, |c| {
                    let value = load(&memory.mixed, &[w, &(&(i * parts) + c)])?;
                    store(&memory.rows, &[i, &(&(w * parts) + c)], &value)
                })
            })
        })
    }
}

/// The formula of a result, and what in it stands for the reciprocal of a query's divisor.
struct Formula {
    result: Expr,
    reciprocal: Option<Var>,
}
