//! Tasks of many queries, which are the lanes of vectors.
//!
//! The sums of a block begin with zero, so that they do not grow with the number of keys before errors of rounding are added up.
//!
//! Queries that do not fill a task's vectors have tasks of fewer vectors: where their number is constant one task, and one more
//! where at most half of a vector is left, whose queries have several lanes each (`parts`); else as many of one vector as there
//! are.

mod finish;

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ForKind, Stmt, StmtKind, Var};

use super::masks::Masked;
use super::task::{Keys, Maker, exp, is_load, weight};
use super::transpose::Rows;
use super::{Tiling, reference};
use crate::facts::axes::Axis;
use crate::facts::exprs::{binary, compare, greater};
use crate::facts::fault::Fault;
use crate::facts::loops::{load, store};
use crate::facts::size::ceil_div;

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
    /// Results, one line for each query of a vector; queries that are worked out before.
    rows: Buffer,
    /// Copies of a block of keys and values, where these are not plain elements, or far apart.
    keys: Option<Buffer>,
    values: Option<Buffer>,
    /// What the values of keys that no query of the task sees add to each column, where there are such keys.
    unseen: Option<Buffer>,
    /// A block of each mask, one line for each key, and rows of a mask before they are turned.
    masks: Vec<Buffer>,
    mask_rows: Option<Buffer>,
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
            self.one_of(&kinds, number, &body)
        })
    }

    /// The task of that number: of the first kind, unless it has fewer.
    fn one_of(
        &self,
        kinds: &[Kind],
        number: &Expr,
        body: &dyn Fn(&Kind, &Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        match kinds {
            [] => Err(Fault::of_call("there are no queries")),
            [one] => body(one, number),
            [first, others @ ..] => {
                let condition = compare(CmpOp::Lt, number, &first.count)?;
                let rest = self.known.simplify(&(number - &first.count));
                let (then, otherwise) = (body(first, number)?, self.one_of(others, &rest, body)?);
                Ok(StmtKind::If { condition, then, otherwise: Some(otherwise) }.into())
            }
        }
    }

    /// The sizes of tasks: those of all vectors, and those of the queries that are left.
    fn kinds(&self, has_unseen: bool) -> Result<Vec<Kind>, Fault> {
        let (all, tiling, zero) = (&self.a.query.extent, self.tiling, self.int(0));
        let queries = tiling.queries();
        let whole = self.known.simplify(&binary(BinOp::FloorDiv, all, &self.int(queries))?);
        let done = self.known.simplify(&(&whole * queries));
        let left = self.known.simplify(&(all - &done));
        if left.as_int() == Some(0) {
            return Ok(vec![self.kind(tiling, (whole, zero), true, has_unseen)?]);
        }
        let rest = self.tilings_of(left.as_int());
        if let [(rest, _)] = rest.as_slice()
            && (rest.vectors, rest.parts) == (tiling.vectors, tiling.parts)
        {
            let count = self.ceil_div(all, queries)?;
            return Ok(vec![self.kind(tiling, (count, zero), false, has_unseen)?]);
        }
        let mut kinds = Vec::new();
        if whole.as_int() != Some(0) {
            kinds.push(self.kind(tiling, (whole, zero), true, has_unseen)?);
        }
        let mut first = done;
        for (tiling, own) in rest {
            let (own, queries) = (own.map_or_else(|| left.clone(), |own| self.int(own)), tiling.queries());
            let is_full = own.as_int().is_some_and(|own| own % queries == 0);
            kinds.push(self.kind(tiling, (self.ceil_div(&own, queries)?, first.clone()), is_full, has_unseen)?);
            first = self.known.simplify(&(&first + &own));
        }
        Ok(kinds)
    }

    /// How the queries that are left are done, fewer than a task has, and how many of them each; `None` is all of an unknown
    /// number.
    fn tilings_of(&self, left: Option<i64>) -> Vec<(Tiling, Option<i64>)> {
        let (tiling, lanes) = (self.tiling, self.tiling.lanes);
        let Some(left) = left else { return vec![(tiling.of_vectors(1), None)] };
        let (vectors, rest) = (left / lanes, left % lanes);
        let parts = self.lanes_of_each(rest);
        if rest == 0 || parts == 1 {
            return vec![(tiling.of_vectors((left + lanes - 1) / lanes), Some(left))];
        }
        let whole = (vectors > 0).then(|| (tiling.of_vectors(vectors), Some(vectors * lanes)));
        whole.into_iter().chain([(tiling.of_parts(parts), Some(rest))]).collect()
    }

    fn kind(
        &self,
        tiling: Tiling,
        (count, first): (Expr, Expr),
        is_full: bool,
        has_unseen: bool,
    ) -> Result<Kind, Fault> {
        let (queries, parts) = (tiling.lanes * tiling.vectors, tiling.parts);
        let (depth, width) = (constant(&self.a.depth.extent)?, constant(&self.a.width.extent)?);
        let copy = |name: &str, of: &Expr, copied: bool, along: &Axis, columns: i64| {
            let is_read = if parts == 1 { is_load(of) } else { self.is_row(of, along) };
            (copied || !is_read).then(|| self.memory(name, &[tiling.keys, columns]))
        };
        let masks = self.masked().masks;
        let masks = masks.iter().map(|(var, _)| self.memory(&var.name, &[tiling.keys, queries])).collect::<Vec<_>>();
        let columns = if self.are_rows_worked_out() { width.max(depth) } else { width };
        let memory = Memory {
            queries: self.memory("queries", &[depth / parts, queries]),
            scores: self.memory("scores", &[tiling.keys, queries]),
            mixed: self.memory("mixed", &[width / parts, queries]),
            best: self.memory("best", &[queries]),
            total: self.memory("total", &[queries]),
            correction: self.memory("correction", &[queries]),
            reference: self.memory("reference", &[queries]),
            rows: self.memory("rows", &[tiling.lanes, (columns + tiling.lanes - 1) / tiling.lanes * tiling.lanes]),
            keys: copy("keys", &self.a.of_key, tiling.copied[0], &self.a.depth, depth),
            values: copy("values", &self.a.of_value, tiling.copied[1], &self.a.width, width),
            unseen: has_unseen.then(|| self.memory("unseen", &[width])),
            mask_rows: (!masks.is_empty()).then(|| self.memory("mask_rows", &[tiling.lanes, tiling.keys])),
            masks,
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
        let Memory { queries, scores, mixed, best, total, correction, reference, rows, .. } = &self.memory;
        let Memory { keys, values, unseen, masks, mask_rows, .. } = &self.memory;
        let always = [queries, scores, mixed, best, total, correction, reference, rows];
        let copies = keys.iter().chain(values).chain(unseen).chain(masks).chain(mask_rows);
        always.into_iter().chain(copies).chain(&self.tiles).cloned().collect()
    }
}

fn constant(extent: &Expr) -> Result<i64, Fault> {
    extent.as_int().ok_or_else(|| Fault::of_call("the depth or the width is not constant"))
}

impl Task<'_> {
    /// The query of a lane.
    fn query(&self, lane: &Expr) -> Result<Expr, Fault> {
        match self.tiling.parts {
            1 => self.query_of(lane),
            parts => self.query_of(&binary(BinOp::FloorDiv, lane, &self.m.int(parts))?),
        }
    }

    /// The task's query of a number, held within the queries that there are.
    fn query_of(&self, number: &Expr) -> Result<Expr, Fault> {
        let (place, all) = (&self.first + number, &self.m.a.query.extent);
        if self.is_full { Ok(place) } else { binary(BinOp::Min, &place, &(all - 1)) }
    }

    /// How many keys the last of the task's queries sees at most.
    fn limit(&self, seen: &Expr) -> Result<Expr, Fault> {
        let (m, a) = (self.m, self.m.a);
        let last = self.query_of(&m.int(self.tiling.queries() - 1))?;
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
        if let Some(rows) = &self.memory.mask_rows {
            // Whole vectors of them are turned, of which the last one may go beyond the keys.
            stmts.push(m.serial("i", &m.int(self.tiling.lanes), |i| {
                m.elements("j", self.tiling.keys, |j| store(rows, &[i, j], &m.float(0.0)))
            })?);
        }
        let parts = self.tiling.parts;
        stmts.push(m.serial("w", &m.int(width / parts), |w| match &self.memory.unseen {
            Some(unseen) if parts > 1 => {
                self.tiling.set_for_each_query((&self.memory.mixed, w), &load(unseen, &[&(w * parts)])?)
            }
            Some(unseen) => {
                let from = load(unseen, &[w])?;
                self.lanes(|i| store(&self.memory.mixed, &[w, i], &from))
            }
            None => self.lanes(|i| store(&self.memory.mixed, &[w, i], &m.float(0.0))),
        })?);
        Ok(Stmt::seq(stmts))
    }

    /// The copy of the queries.
    fn queries(&self) -> Result<Stmt, Fault> {
        let (m, a, to) = (self.m, self.m.a, &self.memory.queries);
        if self.tiling.parts > 1 {
            return self.queries_in_parts();
        }
        let end = (!self.is_full).then_some(&a.query.extent);
        let rows = Rows { count: self.tiling.queries(), first: &self.first, end };
        if let Some(turned) = m.turned_queries(&rows, self.batch, to)? {
            return Ok(turned);
        }
        if m.are_rows_worked_out() {
            return self.rows_of_queries();
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
        let masked = self.m.masked();
        for ((_, mask), to) in masked.masks.iter().zip(&self.memory.masks) {
            stmts.push(self.mask(keys, mask, to)?);
        }
        stmts.extend([self.scores(keys, &masked, tile)?, self.weights(keys, sums)?]);
        let rows = self.tiling.rows;
        let lines = width / self.tiling.parts;
        // Tiles of about the same size: a small one would wait for its own sums.
        let rows = if self.tiling.parts == 1 { rows } else { ceil_div(lines, ceil_div(lines, rows)) };
        stmts.push(self.m.tiles("columns", lines, rows, |first, rows| self.mixed(keys, mixed_tile, first, rows))?);
        Ok(Stmt::seq(stmts))
    }

    /// The copy of queries that are worked out by vectors along their depth, and turned then.
    fn rows_of_queries(&self) -> Result<Stmt, Fault> {
        let (m, a, rows) = (self.m, self.m.a, &self.memory.rows);
        m.serial("vector", &m.int(self.tiling.vectors), |vector| {
            let first = vector * m.tiling.lanes;
            let worked_out = m.serial("i", &m.int(m.tiling.lanes), |i| {
                let query = self.query(&(&first + i))?;
                m.elements("d", constant(&a.depth.extent)?, |d| {
                    store(rows, &[i, d], &m.at(&a.of_query, &[(&a.query.var, &query), (&a.depth.var, d)], self.batch))
                })
            })?;
            Ok(Stmt::seq([worked_out].into_iter().chain(m.turned_rows(rows, &first, &self.memory.queries)?)))
        })
    }

    /// The copy of queries that have several lanes each.
    fn queries_in_parts(&self) -> Result<Stmt, Fault> {
        let (m, a, Tiling { parts, .. }) = (self.m, self.m.a, self.tiling);
        let lines = m.int(constant(&a.depth.extent)? / parts);
        m.unrolled("i", self.tiling.queries(), |i| {
            let query = self.query_of(i)?;
            m.serial("d", &lines, |d| {
                m.vectorized("c", parts, |c| {
                    let depth = &(d * parts) + c;
                    let value = m.at(&a.of_query, &[(&a.query.var, &query), (&a.depth.var, &depth)], self.batch);
                    store(&self.memory.queries, &[d, &(&(i * parts) + c)], &value)
                })
            })
        })
    }

    /// A mask's block, turned.
    fn mask(&self, keys: &Keys, mask: &Expr, to: &Buffer) -> Result<Stmt, Fault> {
        let (m, a) = (self.m, self.m.a);
        let rows = self.memory.mask_rows.as_ref().ok_or_else(|| Fault::of_call("a mask has no rows"))?;
        let float = m.float_of_mask(mask)?;
        m.serial("vector", &m.int(self.tiling.vectors), |vector| {
            let first = vector * m.tiling.lanes;
            let worked_out = m.serial("i", &m.int(m.tiling.lanes), |i| {
                let query = self.query(&(&first + i))?;
                let element = |j: &Expr| {
                    let key = &keys.first + j;
                    store(rows, &[i, j], &m.at(&float, &[(&a.query.var, &query), (&a.key.var, &key)], self.batch))
                };
                match keys.count.as_int() {
                    Some(count) => m.elements("j", count, element),
                    None => m.looped(("j", &keys.count, ForKind::Vectorized), element),
                }
            })?;
            Ok(Stmt::seq([worked_out, m.turned_mask(rows, &keys.count, &first, to)?]))
        })
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
    fn scores(&self, keys: &Keys, masked: &Masked, tile: &Buffer) -> Result<Stmt, Fault> {
        let (m, rows) = (self.m, self.tiling.rows);
        match keys.count.as_int() {
            Some(count) => {
                m.tiles("tile", count, rows, |first, rows| self.score_tile(keys, masked, tile, (first, rows)))
            }
            None => {
                let tiles = m.ceil_div(&keys.count, rows)?;
                m.serial("tile", &tiles, |number| self.score_tile(keys, masked, tile, (&(number * rows), rows)))
            }
        }
    }

    /// The scores of so many keys.
    fn score_tile(
        &self,
        keys: &Keys,
        masked: &Masked,
        tile: &Buffer,
        (first, rows): (&Expr, i64),
    ) -> Result<Stmt, Fault> {
        let (m, a) = (self.m, self.m.a);
        let each =
            |body: &dyn Fn(&Expr, &Expr) -> Result<Stmt, Fault>| m.unrolled("r", rows, |r| self.lanes(|i| body(r, i)));
        let clear = each(&|r, i| store(tile, &[r, i], &m.float(0.0)))?;
        let parts = self.tiling.parts;
        let sum = m.serial("d", &m.int(constant(&a.depth.extent)? / parts), |d| {
            if parts > 1 {
                return m.unrolled("r", rows, |r| {
                    let depth = (&a.depth.var, &(d * parts));
                    let key = self.element(keys, self.memory.keys.as_ref(), &a.of_key, &(first + r), depth)?;
                    self.tiling.add_products((tile, r), &key, (&self.memory.queries, d))
                });
            }
            each(&|r, i| {
                let key = self.element(keys, self.memory.keys.as_ref(), &a.of_key, &(first + r), (&a.depth.var, d))?;
                let term = binary(BinOp::Mul, &key, &load(&self.memory.queries, &[d, i])?)?;
                store(tile, &[r, i], &binary(BinOp::Add, &load(tile, &[r, i])?, &term)?)
            })
        })?;
        let write = each(&|r, i| {
            let place = first + r;
            let (query, key) = (self.query(i)?, m.key(keys, &place)?);
            let own = self.elements_of_masks(keys, &place, i)?;
            let product = load(tile, &[r, i])?;
            let places = [(&a.product, &product), (&a.query.var, &query), (&a.key.var, &key)];
            let masks = masked.masks.iter().map(|(var, _)| var).zip(&own);
            let places: Vec<(&Var, &Expr)> = places.into_iter().chain(masks).collect();
            store(&self.memory.scores, &[&place, i], &m.at(&masked.scores, &places, self.batch))
        })?;
        let fold = (parts > 1).then(|| m.unrolled("r", rows, |r| self.tiling.fold_parts(tile, r))).transpose()?;
        Ok(Stmt::seq([clear, sum].into_iter().chain(fold).chain([write])))
    }

    /// The elements of the turned masks for a key of the block.
    fn elements_of_masks(&self, keys: &Keys, j: &Expr, lane: &Expr) -> Result<Vec<Expr>, Fault> {
        let place = match keys.count.as_int() {
            Some(_) => j.clone(),
            None => binary(BinOp::Min, j, &(&keys.count - 1))?,
        };
        self.memory.masks.iter().map(|mask| load(mask, &[&place, lane])).collect()
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
        let none = self.lanes(|i| store(sums, &[i], &m.float(0.0)))?;
        let weights = m.serial("j", &keys.count, |j| {
            let weight = self.lanes(|i| {
                let distance = binary(BinOp::Sub, &score(j, i)?, &load(&memory.reference, &[i])?)?;
                store(&memory.scores, &[j, i], &weight(&distance)?)
            })?;
            let sum = self.lanes(|i| store(sums, &[i], &binary(BinOp::Add, &load(sums, &[i])?, &score(j, i)?)?))?;
            Ok(Stmt::seq([weight, sum]))
        })?;
        let total = self.lanes(|i| {
            let before = binary(BinOp::Mul, &load(&memory.total, &[i])?, &load(&memory.correction, &[i])?)?;
            store(&memory.total, &[i], &binary(BinOp::Add, &before, &load(sums, &[i])?)?)
        })?;
        Ok(Stmt::seq([before, best, reference, correction, keep, none, weights, total]))
    }

    /// Columns of the values, weighed and added to what was seen before.
    fn mixed(&self, keys: &Keys, tile: &Buffer, first: &Expr, rows: i64) -> Result<Stmt, Fault> {
        let (m, a, memory) = (self.m, self.m.a, self.memory);
        let each =
            |body: &dyn Fn(&Expr, &Expr) -> Result<Stmt, Fault>| m.unrolled("r", rows, |r| self.lanes(|i| body(r, i)));
        let start = each(&|r, i| store(tile, &[r, i], &m.float(0.0)))?;
        let parts = self.tiling.parts;
        let sum = m.serial("j", &keys.count, |j| {
            if parts > 1 {
                return m.unrolled("r", rows, |r| {
                    let column = (&a.width.var, &(&(first + r) * parts));
                    let value = self.element(keys, memory.values.as_ref(), &a.of_value, j, column)?;
                    self.tiling.add_products((tile, r), &value, (&memory.scores, j))
                });
            }
            each(&|r, i| {
                let column = first + r;
                let value = self.element(keys, memory.values.as_ref(), &a.of_value, j, (&a.width.var, &column))?;
                let term = binary(BinOp::Mul, &value, &load(&memory.scores, &[j, i])?)?;
                store(tile, &[r, i], &binary(BinOp::Add, &load(tile, &[r, i])?, &term)?)
            })
        })?;
        let write = each(&|r, i| {
            let place = first + r;
            let before = binary(BinOp::Mul, &load(&memory.mixed, &[&place, i])?, &load(&memory.correction, &[i])?)?;
            store(&memory.mixed, &[&place, i], &binary(BinOp::Add, &before, &load(tile, &[r, i])?)?)
        })?;
        Ok(Stmt::seq([start, sum, write]))
    }
}
