//! Tasks of many queries, which are the lanes of vectors.

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, Stmt, StmtKind, Var};

use super::reference;
use super::task::{Keys, Maker, exp, is_load};
use crate::guard::{binary, compare, greater};
use crate::loops::{load, store};
use crate::primitive::Fault;

/// The memory of a task; the last axis of each is the queries.
struct Memory {
    /// The queries, one line for each place of the depth.
    queries: Buffer,
    /// One line for each key: products, then scores, then weights.
    scores: Buffer,
    /// One line for each column of the values.
    mixed: Buffer,
    best: Buffer,
    total: Buffer,
    /// What sums so far are multiplied by.
    correction: Buffer,
    /// What scores are taken from before they are exponents.
    reference: Buffer,
    /// Copies of a block of keys and values, where these are not plain elements.
    keys: Option<Buffer>,
    values: Option<Buffer>,
    /// What the values of keys that no query of the task sees add to each column, where there are such keys.
    unseen: Option<Buffer>,
}

/// A task at its place.
struct Task<'a> {
    m: &'a Maker<'a>,
    memory: &'a Memory,
    batch: &'a [(Var, Expr)],
    /// The first query.
    first: Expr,
    /// Keys that the task's queries see at most.
    seen: Expr,
}

impl Maker<'_> {
    /// The parallel loop over blocks of queries.
    pub(super) fn many(&self) -> Result<Stmt, Fault> {
        let queries = self.tiling.queries();
        let (depth, width) = (constant(&self.a.depth.extent)?, constant(&self.a.width.extent)?);
        let seen = self.a.seen(&self.known);
        let copy = |name: &str, of: &Expr, columns: i64| {
            (!is_load(of)).then(|| self.memory(name, &[self.tiling.keys, columns]))
        };
        let memory = Memory {
            queries: self.memory("queries", &[depth, queries]),
            scores: self.memory("scores", &[self.tiling.keys, queries]),
            mixed: self.memory("mixed", &[width, queries]),
            best: self.memory("best", &[queries]),
            total: self.memory("total", &[queries]),
            correction: self.memory("correction", &[queries]),
            reference: self.memory("reference", &[queries]),
            keys: copy("keys", &self.a.of_key, depth),
            values: copy("values", &self.a.of_value, width),
            unseen: seen.is_some().then(|| self.memory("unseen", &[width])),
        };
        let (tile, sums) = (self.registers("tile", &[self.tiling.rows, queries]), self.registers("sums", &[queries]));
        let tiles = [self.registers("mixed_tile", &[self.tiling.rows, queries]), tile, sums];
        let Memory { queries: of_depth, scores, mixed, best, total, correction, reference, keys, values, unseen } =
            &memory;
        let mut buffers: Vec<Buffer> =
            [of_depth, scores, mixed, best, total, correction, reference].map(Buffer::clone).to_vec();
        buffers.extend(keys.iter().chain(values).chain(unseen).chain(&tiles).cloned());
        let columns = self.columns(width);
        buffers.extend(unseen.iter().map(|_| columns.clone()));
        let blocks = self.ceil_div(&self.a.query.extent, queries)?;
        self.tasks(&blocks, &buffers, |batch, number| {
            let mut task =
                Task { m: self, memory: &memory, batch, first: number * queries, seen: self.a.key.extent.clone() };
            let limit = seen.as_ref().map(|seen| task.limit(seen)).transpose()?;
            let var = self.var("seen");
            if limit.is_some() {
                task.seen = Expr::var(&var);
            }
            let block = |keys: &Keys| task.block(keys, &tiles, (depth, width));
            let blocks = match task.seen.as_int() {
                Some(all) => self.constant_key_blocks(all, block)?,
                None => self.key_blocks(&task.seen, block)?,
            };
            let body = Stmt::seq([task.start(width, &columns)?, blocks, task.write(width)?]);
            Ok(limit.into_iter().fold(body, |body, value| StmtKind::Let { var: var.clone(), value, body }.into()))
        })
    }
}

fn constant(extent: &Expr) -> Result<i64, Fault> {
    extent.as_int().ok_or_else(|| Fault::of_call("the depth or the width is not constant"))
}

impl Task<'_> {
    /// The query of a lane, held within the queries that there are.
    fn query(&self, lane: &Expr) -> Result<Expr, Fault> {
        let (place, all) = (&self.first + lane, &self.m.a.query.extent);
        if all.as_int().is_some_and(|all| all % self.m.tiling.queries() == 0) {
            return Ok(place);
        }
        binary(BinOp::Min, &place, &(all - 1))
    }

    /// How many keys the last of the task's queries sees at most.
    fn limit(&self, seen: &Expr) -> Result<Expr, Fault> {
        let (m, a) = (self.m, self.m.a);
        let last = self.query(&m.int(m.tiling.queries() - 1))?;
        let limit = m.at(seen, &[(&a.query.var, &last)], self.batch);
        Ok(m.known.simplify(&binary(BinOp::Max, &m.least(&limit, &a.key.extent)?, &m.int(0))?))
    }

    fn lanes(&self, body: impl FnOnce(&Expr) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        self.m.vectorized("i", self.m.tiling.queries(), body)
    }

    /// The queries are copied, and nothing was seen yet.
    fn start(&self, width: i64, columns: &Buffer) -> Result<Stmt, Fault> {
        let (m, a) = (self.m, self.m.a);
        let queries = m.serial("d", &a.depth.extent, |d| {
            self.lanes(|i| {
                let query = self.query(i)?;
                let value = m.at(&a.of_query, &[(&a.query.var, &query), (&a.depth.var, d)], self.batch);
                store(&self.memory.queries, &[d, i], &value)
            })
        })?;
        let best = self.lanes(|i| store(&self.memory.best, &[i], &m.float(f64::NEG_INFINITY)))?;
        let total = self.lanes(|i| store(&self.memory.total, &[i], &m.float(0.0)))?;
        let mut stmts = vec![queries, best, total];
        if let Some(unseen) = &self.memory.unseen {
            stmts.push(m.unseen((unseen, columns), (&self.seen, width), self.batch)?);
        }
        stmts.push(m.serial("w", &m.int(width), |w| {
            let from = self.memory.unseen.as_ref().map_or_else(|| Ok(m.float(0.0)), |unseen| load(unseen, &[w]))?;
            self.lanes(|i| store(&self.memory.mixed, &[w, i], &from))
        })?);
        Ok(Stmt::seq(stmts))
    }

    /// A block of keys.
    fn block(&self, keys: &Keys, tiles: &[Buffer; 3], (depth, width): (i64, i64)) -> Result<Stmt, Fault> {
        let [mixed_tile, tile, sums] = tiles;
        let mut stmts = Vec::new();
        if let Some(copy) = &self.memory.keys {
            stmts.push(self.copy(keys, copy, &self.m.a.of_key, &self.m.a.depth.var, depth)?);
        }
        if let Some(copy) = &self.memory.values {
            stmts.push(self.copy(keys, copy, &self.m.a.of_value, &self.m.a.width.var, width)?);
        }
        stmts.extend([self.scores(keys, tile)?, self.weights(keys, sums)?]);
        let rows = self.m.tiling.rows;
        stmts.push(self.m.tiles("columns", width, rows, |first, rows| self.mixed(keys, mixed_tile, first, rows))?);
        Ok(Stmt::seq(stmts))
    }

    /// Keys or values of the block in the type of the sums.
    fn copy(&self, keys: &Keys, to: &Buffer, of: &Expr, column: &Var, columns: i64) -> Result<Stmt, Fault> {
        let (m, key) = (self.m, &self.m.a.key.var);
        m.serial("j", &keys.count, |j| {
            let place = &keys.first + j;
            m.tiles("column", columns, m.tiling.lanes, |first, lanes| {
                m.vectorized("c", lanes, |c| {
                    let c = first + c;
                    store(to, &[j, &c], &m.at(of, &[(key, &place), (column, &c)], self.batch))
                })
            })
        })
    }

    /// An element of a key or a value.
    fn element(
        &self,
        keys: &Keys,
        copy: Option<&Buffer>,
        of: &Expr,
        j: &Expr,
        column: (&Var, &Expr),
    ) -> Result<Expr, Fault> {
        match copy {
            Some(copy) => {
                let last = &keys.count - 1;
                load(copy, &[&binary(BinOp::Min, j, &last)?, column.1])
            }
            None => Ok(self.m.at(of, &[(&self.m.a.key.var, &self.m.key(keys, j)?), column], self.batch)),
        }
    }

    /// The scores of the block, tile by tile.
    fn scores(&self, keys: &Keys, tile: &Buffer) -> Result<Stmt, Fault> {
        let (m, rows) = (self.m, self.m.tiling.rows);
        match keys.count.as_int() {
            Some(count) => m.tiles("tile", count, rows, |first, rows| self.score_tile(keys, tile, first, rows)),
            None => {
                let tiles = m.ceil_div(&keys.count, rows)?;
                m.serial("tile", &tiles, |number| self.score_tile(keys, tile, &(number * rows), rows))
            }
        }
    }

    /// The scores of so many keys.
    fn score_tile(&self, keys: &Keys, tile: &Buffer, first: &Expr, rows: i64) -> Result<Stmt, Fault> {
        let (m, a) = (self.m, self.m.a);
        let each =
            |body: &dyn Fn(&Expr, &Expr) -> Result<Stmt, Fault>| m.unrolled("r", rows, |r| self.lanes(|i| body(r, i)));
        let clear = each(&|r, i| store(tile, &[r, i], &m.float(0.0)))?;
        let sum = m.serial("d", &a.depth.extent, |d| {
            each(&|r, i| {
                let key = self.element(keys, self.memory.keys.as_ref(), &a.of_key, &(first + r), (&a.depth.var, d))?;
                let term = binary(BinOp::Mul, &key, &load(&self.memory.queries, &[d, i])?)?;
                store(tile, &[r, i], &binary(BinOp::Add, &load(tile, &[r, i])?, &term)?)
            })
        })?;
        let write = each(&|r, i| {
            let place = first + r;
            let (query, key) = (self.query(i)?, m.key(keys, &place)?);
            let places = [(&a.product, &load(tile, &[r, i])?), (&a.query.var, &query), (&a.key.var, &key)];
            store(&self.memory.scores, &[&place, i], &m.at(&a.scores, &places, self.batch))
        })?;
        Ok(Stmt::seq([clear, sum, write]))
    }

    /// Scores become weights; maxima and sums take in the block.
    fn weights(&self, keys: &Keys, sums: &Buffer) -> Result<Stmt, Fault> {
        let (m, memory) = (self.m, self.memory);
        let score = |j: &Expr, i: &Expr| load(&memory.scores, &[j, i]);
        let before = self.lanes(|i| store(sums, &[i], &load(&memory.best, &[i])?))?;
        let best = m.serial("j", &keys.count, |j| {
            self.lanes(|i| store(sums, &[i], &greater(&load(sums, &[i])?, &score(j, i)?)?))
        })?;
        let reference = self.lanes(|i| store(&memory.reference, &[i], &reference(&load(sums, &[i])?)?))?;
        let correction = self.lanes(|i| {
            let distance = binary(BinOp::Sub, &load(&memory.best, &[i])?, &load(&memory.reference, &[i])?)?;
            store(&memory.correction, &[i], &exp(&distance)?)
        })?;
        let keep = self.lanes(|i| store(&memory.best, &[i], &load(sums, &[i])?))?;
        let corrected = self.lanes(|i| {
            store(sums, &[i], &binary(BinOp::Mul, &load(&memory.total, &[i])?, &load(&memory.correction, &[i])?)?)
        })?;
        let weights = m.serial("j", &keys.count, |j| {
            let weight = self.lanes(|i| {
                let distance = binary(BinOp::Sub, &score(j, i)?, &load(&memory.reference, &[i])?)?;
                store(&memory.scores, &[j, i], &exp(&distance)?)
            })?;
            let sum = self.lanes(|i| store(sums, &[i], &binary(BinOp::Add, &load(sums, &[i])?, &score(j, i)?)?))?;
            Ok(Stmt::seq([weight, sum]))
        })?;
        let total = self.lanes(|i| store(&memory.total, &[i], &load(sums, &[i])?))?;
        Ok(Stmt::seq([before, best, reference, correction, keep, corrected, weights, total]))
    }

    /// Columns of the values, weighed and added to what was seen before.
    fn mixed(&self, keys: &Keys, tile: &Buffer, first: &Expr, rows: i64) -> Result<Stmt, Fault> {
        let (m, a, memory) = (self.m, self.m.a, self.memory);
        let each =
            |body: &dyn Fn(&Expr, &Expr) -> Result<Stmt, Fault>| m.unrolled("r", rows, |r| self.lanes(|i| body(r, i)));
        let start = each(&|r, i| {
            let before = load(&memory.mixed, &[&(first + r), i])?;
            store(tile, &[r, i], &binary(BinOp::Mul, &before, &load(&memory.correction, &[i])?)?)
        })?;
        let sum = m.serial("j", &keys.count, |j| {
            each(&|r, i| {
                let column = first + r;
                let value = self.element(keys, memory.values.as_ref(), &a.of_value, j, (&a.width.var, &column))?;
                let term = binary(BinOp::Mul, &value, &load(&memory.scores, &[j, i])?)?;
                store(tile, &[r, i], &binary(BinOp::Add, &load(tile, &[r, i])?, &term)?)
            })
        })?;
        let write = each(&|r, i| store(&memory.mixed, &[&(first + r), i], &load(tile, &[r, i])?))?;
        Ok(Stmt::seq([start, sum, write]))
    }

    /// The results of the queries that there are.
    fn write(&self, width: i64) -> Result<Stmt, Fault> {
        let (m, a) = (self.m, self.m.a);
        m.serial("i", &m.int(m.tiling.queries()), |i| {
            let query = &self.first + i;
            let columns = m.tiles("column", width, m.tiling.lanes, |first, lanes| {
                m.vectorized("c", lanes, |c| {
                    let w = first + c;
                    let (mixed, total) = (load(&self.memory.mixed, &[&w, i])?, load(&self.memory.total, &[i])?);
                    let places = [(&a.mixed, &mixed), (&a.total, &total), (&a.query.var, &query), (&a.width.var, &w)];
                    let indices: Vec<Expr> = a.indices.iter().map(|index| m.at(index, &places, self.batch)).collect();
                    store(&a.out, &indices.iter().collect::<Vec<_>>(), &m.at(&a.result, &places, self.batch))
                })
            })?;
            let condition = m.known.simplify(&compare(CmpOp::Lt, &query, &a.query.extent)?);
            Ok(StmtKind::If { condition, then: columns, otherwise: None }.into())
        })
    }
}
