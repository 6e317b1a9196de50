//! The start of a task, and what of a block of keys is copied before it is read: queries, masks, keys and values.

use tilewright_ir::tir::{Buffer, Expr, Stmt};

use super::task::{Operand, Task};
use crate::build::loops::{load, store};
use crate::fault::Fault;
use crate::kernels::cpu::attention::cx::KeyBlock;
use crate::kernels::cpu::attention::lanes_per_query::Row;
use crate::kernels::cpu::attention::transpose::QueryRange;

impl Task<'_> {
    /// The queries are copied, and maxima and sums begin.
    pub(super) fn init(&self) -> Result<Stmt, Fault> {
        let (p, memory, tiling) = (self.p, &self.kind.memory, &self.kind.tiling);
        let queries = self.load_queries()?;
        let max = self.lanes(|i| store(&memory.max, &[i], &p.float(f64::NEG_INFINITY)))?;
        let weight_sum = self.lanes(|i| store(&memory.weight_sum, &[i], &p.float(0.0)))?;
        let mut stmts = vec![queries, max, weight_sum];
        if let (Some(to), Some(registers)) = (&memory.masked_values, &memory.masked_columns) {
            stmts.push(self.masked_values(to, registers)?);
        }
        if let Some(rows) = &memory.mask_rows {
            // Whole vectors of them are transposed, of which the last one may go beyond the keys.
            stmts.push(p.serial("i", &p.int(tiling.lanes), |i| {
                p.elements("j", tiling.key_block, |j| store(rows, &[i, j], &p.float(0.0)))
            })?);
        }
        let lanes = tiling.lanes_per_query;
        stmts.push(p.serial("w", &p.int(p.value_dim / lanes), |w| match &memory.masked_values {
            Some(values) if lanes > 1 => {
                let row = Row { of: &memory.weighted, at: w };
                tiling.set_repeated(&row, &load(values, &[&(w * lanes)])?)
            }
            Some(values) => {
                let value = load(values, &[w])?;
                self.lanes(|i| store(&memory.weighted, &[w, i], &value))
            }
            None => self.lanes(|i| store(&memory.weighted, &[w, i], &p.float(0.0))),
        })?);
        Ok(Stmt::seq(stmts))
    }

    /// The copy of the queries.
    fn load_queries(&self) -> Result<Stmt, Fault> {
        let (p, a, to) = (self.p, self.p.a, &self.kind.memory.queries);
        if self.kind.tiling.lanes_per_query > 1 {
            return self.queries_of_several_lanes();
        }
        let end = (!self.kind.queries.is_full).then_some(&a.query.extent);
        let queries = QueryRange { count: self.kind.tiling.queries(), first: &self.first, end };
        if let Some(transposed) = p.transposed_queries(&queries, self.batch, to)? {
            return Ok(transposed);
        }
        if p.computes_queries() {
            return self.computed_queries();
        }
        p.serial("d", &a.head_dim.extent, |d| self.lanes(|i| store(to, &[d, i], &self.q(&self.query(i)?, d))))
    }

    /// The copy of queries that are computed by vectors along the head dimension, and transposed then.
    fn computed_queries(&self) -> Result<Stmt, Fault> {
        let (p, memory) = (self.p, &self.kind.memory);
        p.serial("vector", &p.int(self.kind.tiling.vectors), |vector| {
            let first = vector * p.tiling.lanes;
            let computed = p.serial("i", &p.int(p.tiling.lanes), |i| {
                let query = self.query(&(&first + i))?;
                p.elements("d", p.head_dim, |d| store(&memory.rows, &[i, d], &self.q(&query, d)))
            })?;
            let transposed = p.transposed_rows(&memory.rows, &p.a.head_dim.extent, &first, &memory.queries)?;
            Ok(Stmt::seq([computed].into_iter().chain(transposed)))
        })
    }

    /// The copy of queries that have several lanes each.
    fn queries_of_several_lanes(&self) -> Result<Stmt, Fault> {
        let (p, lanes) = (self.p, self.kind.tiling.lanes_per_query);
        p.unrolled("i", self.kind.tiling.queries(), |i| {
            let query = self.clamped(i)?;
            p.serial("d", &p.int(p.head_dim / lanes), |d| {
                p.vector("c", lanes, |c| {
                    let value = self.q(&query, &(&(d * lanes) + c));
                    store(&self.kind.memory.queries, &[d, &(&(i * lanes) + c)], &value)
                })
            })
        })
    }

    /// A block of a mask, transposed.
    pub(super) fn load_mask(&self, keys: &KeyBlock, mask: &Expr, to: &Buffer) -> Result<Stmt, Fault> {
        let (p, a) = (self.p, self.p.a);
        let rows = self.kind.memory.mask_rows.as_ref().ok_or_else(|| Fault::of_call("a mask has no rows"))?;
        let float = p.float_of_mask(mask)?;
        p.serial("vector", &p.int(self.kind.tiling.vectors), |vector| {
            let first = vector * p.tiling.lanes;
            let computed = p.serial("i", &p.int(p.tiling.lanes), |i| {
                let query = self.query(&(&first + i))?;
                let element = |j: &Expr| {
                    let key = &keys.start + j;
                    store(rows, &[i, j], &p.at(&float, &[(&a.query.var, &query), (&a.key.var, &key)], self.batch))
                };
                match keys.count.as_int() {
                    Some(count) => p.elements("j", count, element),
                    None => p.vectorized("j", &keys.count, element),
                }
            })?;
            // There is room for whole vectors.
            let whole = p.simple(&(&p.ceil_div(&keys.count, p.tiling.lanes)? * p.tiling.lanes));
            let transposed = p.transposed_rows(rows, &whole, &first, to)?;
            let transposed = transposed.ok_or_else(|| Fault::of_call("vectors of these lanes are not transposed"))?;
            Ok(Stmt::seq([computed, transposed]))
        })
    }

    /// The copy of a block of keys or values, if there is one, in the type of the sums.
    pub(super) fn copy(&self, keys: &KeyBlock, operand: &Operand<'_>, columns: i64) -> Result<Option<Stmt>, Fault> {
        let (p, Some(to)) = (self.p, operand.copy) else { return Ok(None) };
        let stmt = p.serial("j", &keys.count, |j| {
            let key = &keys.start + j;
            p.tiles("column", columns, p.tiling.lanes, |first, lanes| {
                p.vector("c", lanes, |c| {
                    let c = first + c;
                    let indices = [(&p.a.key.var, &key), (&operand.axis.var, &c)];
                    store(to, &[j, &c], &p.at(operand.of, &indices, self.batch))
                })
            })
        })?;
        Ok(Some(stmt))
    }
}
