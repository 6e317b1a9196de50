//! Tasks of many queries, which are the lanes of vectors.
//!
//! Queries that do not fill a task's vectors have tasks of fewer vectors: one task, where their number is constant, and else as
//! many of one vector as there are.

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, Stmt, StmtKind, Var};

use super::task::{Keys, Maker, exp, is_load};
use super::turned::Rows;
use super::{Tiling, reference};
use crate::exprs::{binary, compare, greater};
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
    /// Results, one line for each query of a vector.
    rows: Buffer,
    /// Copies of a block of keys and values, where these are not plain elements, or far apart.
    keys: Option<Buffer>,
    values: Option<Buffer>,
    /// What the values of keys that no query of the task sees add to each column, where there are such keys.
    unseen: Option<Buffer>,
}

/// Tasks of one size.
struct Kind {
    tiling: Tiling,
    /// How many there are for one place of the batch.
    count: Expr,
    /// The first query of the first one.
    first: Expr,
    /// Whether every lane is a query that there is.
    is_full: bool,
    memory: Memory,
    /// Registers: of columns of the values, of scores, and of sums.
    tiles: [Buffer; 3],
}

/// A task at its place.
struct Task<'a> {
    m: &'a Maker<'a>,
    tiling: Tiling,
    is_full: bool,
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
        let width = constant(&self.a.width.extent)?;
        let seen = self.a.seen(&self.known);
        let columns = self.columns(width);
        let kinds = self.kinds(seen.is_some())?;
        let mut buffers: Vec<Buffer> = kinds.iter().flat_map(Kind::buffers).collect();
        buffers.extend(seen.iter().map(|_| columns.clone()));
        let zero = self.int(0);
        let count = kinds.iter().fold(zero, |count, kind| &count + &kind.count);
        self.tasks(&self.known.simplify(&count), &buffers, |batch, number| {
            let body = |kind: &Kind, number: &Expr| self.task(kind, number, batch, (seen.as_ref(), &columns));
            match kinds.as_slice() {
                [one] => body(one, number),
                [whole, rest, ..] => {
                    let condition = compare(CmpOp::Lt, number, &whole.count)?;
                    let (then, otherwise) = (body(whole, number)?, body(rest, &(number - &whole.count))?);
                    Ok(StmtKind::If { condition, then, otherwise: Some(otherwise) }.into())
                }
                [] => Err(Fault::of_call("there are no queries")),
            }
        })
    }

    /// The sizes of tasks: those of all vectors, and those of the queries that are left.
    fn kinds(&self, has_unseen: bool) -> Result<Vec<Kind>, Fault> {
        let (all, tiling, zero) = (&self.a.query.extent, self.tiling, self.int(0));
        let queries = tiling.queries();
        let whole = self.known.simplify(&binary(BinOp::FloorDiv, all, &self.int(queries))?);
        let done = self.known.simplify(&(&whole * queries));
        let left = self.known.simplify(&(all - &done));
        let rest = tiling.of_vectors(left.as_int().map_or(1, |left| (left + tiling.lanes - 1) / tiling.lanes));
        if left.as_int() == Some(0) {
            return Ok(vec![self.kind(tiling, (whole, zero), true, has_unseen)?]);
        }
        if rest.vectors == tiling.vectors {
            let count = self.ceil_div(all, queries)?;
            return Ok(vec![self.kind(tiling, (count, zero), false, has_unseen)?]);
        }
        let count = self.ceil_div(&left, rest.queries())?;
        let is_full = left.as_int().is_some_and(|left| left % rest.queries() == 0);
        let rest = self.kind(rest, (count, done), is_full, has_unseen)?;
        if whole.as_int() == Some(0) {
            return Ok(vec![rest]);
        }
        Ok(vec![self.kind(tiling, (whole, zero), true, has_unseen)?, rest])
    }

    fn kind(
        &self,
        tiling: Tiling,
        (count, first): (Expr, Expr),
        is_full: bool,
        has_unseen: bool,
    ) -> Result<Kind, Fault> {
        let queries = tiling.queries();
        let (depth, width) = (constant(&self.a.depth.extent)?, constant(&self.a.width.extent)?);
        let copy = |name: &str, of: &Expr, copied: bool, columns: i64| {
            (copied || !is_load(of)).then(|| self.memory(name, &[tiling.keys, columns]))
        };
        let memory = Memory {
            queries: self.memory("queries", &[depth, queries]),
            scores: self.memory("scores", &[tiling.keys, queries]),
            mixed: self.memory("mixed", &[width, queries]),
            best: self.memory("best", &[queries]),
            total: self.memory("total", &[queries]),
            correction: self.memory("correction", &[queries]),
            reference: self.memory("reference", &[queries]),
            rows: self.memory("rows", &[tiling.lanes, (width + tiling.lanes - 1) / tiling.lanes * tiling.lanes]),
            keys: copy("keys", &self.a.of_key, tiling.copied[0], depth),
            values: copy("values", &self.a.of_value, tiling.copied[1], width),
            unseen: has_unseen.then(|| self.memory("unseen", &[width])),
        };
        let (tile, sums) = (self.registers("tile", &[tiling.rows, queries]), self.registers("sums", &[queries]));
        let tiles = [self.registers("mixed_tile", &[tiling.rows, queries]), tile, sums];
        Ok(Kind { tiling, count, first, is_full, memory, tiles })
    }

    /// The task of that number among those of a size.
    fn task(
        &self,
        kind: &Kind,
        number: &Expr,
        batch: &[(Var, Expr)],
        (seen, columns): (Option<&Expr>, &Buffer),
    ) -> Result<Stmt, Fault> {
        let (tiling, is_full, memory) = (kind.tiling, kind.is_full, &kind.memory);
        let (depth, width) = (constant(&self.a.depth.extent)?, constant(&self.a.width.extent)?);
        let first = self.known.simplify(&(&kind.first + &(number * tiling.queries())));
        let mut task = Task { m: self, tiling, is_full, memory, batch, first, seen: self.a.key.extent.clone() };
        let limit = seen.map(|seen| task.limit(seen)).transpose()?;
        let var = self.var("seen");
        if limit.is_some() {
            task.seen = Expr::var(&var);
        }
        let block = |keys: &Keys| task.block(keys, &kind.tiles, (depth, width));
        let blocks = match task.seen.as_int() {
            Some(all) => self.constant_key_blocks(all, block)?,
            None => self.key_blocks(&task.seen, block)?,
        };
        let body = Stmt::seq([task.start(width, columns)?, blocks, task.write(width)?]);
        Ok(limit.into_iter().fold(body, |body, value| StmtKind::Let { var: var.clone(), value, body }.into()))
    }
}

impl Kind {
    fn buffers(&self) -> Vec<Buffer> {
        let Memory { queries, scores, mixed, best, total, correction, reference, rows, keys, values, unseen } =
            &self.memory;
        let always = [queries, scores, mixed, best, total, correction, reference, rows];
        always.into_iter().chain(keys).chain(values).chain(unseen).chain(&self.tiles).cloned().collect()
    }
}

fn constant(extent: &Expr) -> Result<i64, Fault> {
    extent.as_int().ok_or_else(|| Fault::of_call("the depth or the width is not constant"))
}

impl Task<'_> {
    /// The query of a lane, held within the queries that there are.
    fn query(&self, lane: &Expr) -> Result<Expr, Fault> {
        let (place, all) = (&self.first + lane, &self.m.a.query.extent);
        if self.is_full { Ok(place) } else { binary(BinOp::Min, &place, &(all - 1)) }
    }

    /// How many keys the last of the task's queries sees at most.
    fn limit(&self, seen: &Expr) -> Result<Expr, Fault> {
        let (m, a) = (self.m, self.m.a);
        let last = self.query(&m.int(self.tiling.queries() - 1))?;
        let limit = m.at(seen, &[(&a.query.var, &last)], self.batch);
        Ok(m.known.simplify(&binary(BinOp::Max, &m.least(&limit, &a.key.extent)?, &m.int(0))?))
    }

    fn lanes(&self, body: impl FnOnce(&Expr) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        let Tiling { lanes, vectors, .. } = self.tiling;
        if vectors == 1 {
            return self.m.vectorized("i", lanes, body);
        }
        self.m.unrolled("v", vectors, |v| self.m.vectorized("i", lanes, |i| body(&(&(v * lanes) + i))))
    }

    /// The queries are copied, and nothing was seen yet.
    fn start(&self, width: i64, columns: &Buffer) -> Result<Stmt, Fault> {
        let m = self.m;
        let queries = self.queries()?;
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

    /// The copy of the queries.
    fn queries(&self) -> Result<Stmt, Fault> {
        let (m, a, to) = (self.m, self.m.a, &self.memory.queries);
        let end = (!self.is_full).then_some(&a.query.extent);
        let rows = Rows { count: self.tiling.queries(), first: &self.first, end };
        if let Some(turned) = m.turned_queries(&rows, self.batch, to)? {
            return Ok(turned);
        }
        m.serial("d", &a.depth.extent, |d| {
            self.lanes(|i| {
                let query = self.query(i)?;
                let value = m.at(&a.of_query, &[(&a.query.var, &query), (&a.depth.var, d)], self.batch);
                store(to, &[d, i], &value)
            })
        })
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
        let rows = self.tiling.rows;
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
        let (m, rows) = (self.m, self.tiling.rows);
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
        let (m, memory) = (self.m, self.memory);
        // What corrects sums is not needed any more.
        let (to, mut result, mut reciprocal) = (&memory.correction, m.a.result.clone(), None);
        let mut stmts = Vec::new();
        if let Some((product, var, value)) = m.by_reciprocal()? {
            stmts.push(self.lanes(|i| store(to, &[i], &m.with(&value, &m.a.total, &load(&memory.total, &[i])?)))?);
            (result, reciprocal) = (product, Some(var));
        }
        let formula = Formula { result, reciprocal };
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

    /// The result of a query, if there is such a query.
    fn row(
        &self,
        formula: &Formula,
        lane: &Expr,
        width: i64,
        mixed: impl Fn(&Expr) -> Result<Expr, Fault>,
    ) -> Result<Stmt, Fault> {
        let (m, a, memory) = (self.m, self.m.a, self.memory);
        let query = &self.first + lane;
        let (total, reciprocal) = (load(&memory.total, &[lane])?, load(&memory.correction, &[lane])?);
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
}

/// The formula of a result, and what in it stands for the reciprocal of a query's divisor.
struct Formula {
    result: Expr,
    reciprocal: Option<Var>,
}
