//! A block of keys: scores, weights, and the weighted sums of values.

use tilewright_ir::tir::{BinOp, Buffer, Expr, Stmt, Var};

use super::task::Task;
use crate::analysis::axes::Axis;
use crate::build::exprs::{binary, greater};
use crate::build::loops::{load, serial, store};
use crate::fault::Fault;
use crate::kernels::cpu::attention::cx::{KeyBlock, exp, shift, weight};
use crate::kernels::cpu::attention::lanes_per_query::Row;
use crate::kernels::cpu::attention::masks::Masked;
use crate::units::ceil_div;

/// A register tile: rows of vectors of queries.
struct Tile<'a> {
    registers: &'a Buffer,
    rows: i64,
}

impl Task<'_> {
    pub(super) fn block(&self, keys: &KeyBlock) -> Result<Stmt, Fault> {
        let (p, memory, tiling) = (self.p, &self.kind.memory, &self.kind.tiling);
        let mut stmts = Vec::new();
        stmts.extend(self.copy(keys, &self.keys(), p.head_dim)?);
        stmts.extend(self.copy(keys, &self.values(), p.value_dim)?);
        let masked = p.masked();
        for ((_, mask), to) in masked.masks.iter().zip(&memory.masks) {
            stmts.push(self.load_mask(keys, mask, to)?);
        }
        stmts.extend([self.scores(keys, &masked)?, self.weights(keys)?]);
        let columns = p.value_dim / tiling.lanes_per_query;
        let rows = match tiling.lanes_per_query {
            1 => tiling.rows,
            // Tiles of about the same size: a small one would wait for its own sums.
            _ => ceil_div(columns, ceil_div(columns, tiling.rows)),
        };
        stmts.push(p.tiles("value_tile", columns, rows, |first, rows| self.weighted(keys, first, rows))?);
        Ok(Stmt::seq(stmts))
    }

    /// The scores of the block, tile by tile.
    fn scores(&self, keys: &KeyBlock, masked: &Masked) -> Result<Stmt, Fault> {
        let (p, rows) = (self.p, self.kind.tiling.rows);
        match keys.count.as_int() {
            Some(count) => p.tiles("tile", count, rows, |first, rows| self.score_tile(keys, masked, first, rows)),
            None => p.serial("tile", &p.ceil_div(&keys.count, rows)?, |number| {
                self.score_tile(keys, masked, &(number * rows), rows)
            }),
        }
    }

    /// The scores of so many keys.
    fn score_tile(&self, keys: &KeyBlock, masked: &Masked, first: &Expr, rows: i64) -> Result<Stmt, Fault> {
        let (p, a, memory, tiling) = (self.p, self.p.a, &self.kind.memory, &self.kind.tiling);
        let tile = Tile { registers: &memory.score_tile, rows };
        let over = Axis { var: p.var("d"), extent: p.int(p.head_dim / tiling.lanes_per_query) };
        let sum = self.products(&tile, &over, &memory.queries, |r, d| {
            self.element(&self.keys(), keys, &(first + r), &self.column(d))
        })?;
        let write = self.each(rows, |r, i| {
            let j = first + r;
            let (query, key) = (self.query(i)?, p.key(keys, &j)?);
            let elements = self.elements_of_masks(keys, &j, i)?;
            let product = load(tile.registers, &[r, i])?;
            let indices = [(&a.product, &product), (&a.query.var, &query), (&a.key.var, &key)];
            let masks = masked.masks.iter().map(|(var, _)| var).zip(&elements);
            let indices: Vec<(&Var, &Expr)> = indices.into_iter().chain(masks).collect();
            store(&memory.scores, &[&j, i], &p.at(&masked.scores, &indices, self.batch))
        })?;
        let reduced = (tiling.lanes_per_query > 1)
            .then(|| p.unrolled("r", rows, |r| tiling.reduce_lanes(&Row { of: tile.registers, at: r })))
            .transpose()?;
        Ok(Stmt::seq([sum].into_iter().chain(reduced).chain([write])))
    }

    /// The elements of the transposed masks for a key of the block.
    fn elements_of_masks(&self, keys: &KeyBlock, j: &Expr, lane: &Expr) -> Result<Vec<Expr>, Fault> {
        let j = match keys.count.as_int() {
            Some(_) => j.clone(),
            None => binary(BinOp::Min, j, &(&keys.count - 1))?,
        };
        self.kind.memory.masks.iter().map(|mask| load(mask, &[&j, lane])).collect()
    }

    /// Scores become weights; maxima and sums take in the block.
    fn weights(&self, keys: &KeyBlock) -> Result<Stmt, Fault> {
        let (p, memory) = (self.p, &self.kind.memory);
        let sums = &memory.sums;
        let score = |j: &Expr, i: &Expr| load(&memory.scores, &[j, i]);
        let before = self.lanes(|i| store(sums, &[i], &load(&memory.max, &[i])?))?;
        let max = p.serial("j", &keys.count, |j| {
            self.lanes(|i| store(sums, &[i], &greater(&load(sums, &[i])?, &score(j, i)?)?))
        })?;
        let shifts = self.lanes(|i| store(&memory.shift, &[i], &shift(&load(sums, &[i])?)?))?;
        let rescale = self.lanes(|i| {
            let distance = binary(BinOp::Sub, &load(&memory.max, &[i])?, &load(&memory.shift, &[i])?)?;
            store(&memory.rescale, &[i], &exp(&distance)?)
        })?;
        let keep = self.lanes(|i| store(&memory.max, &[i], &load(sums, &[i])?))?;
        let zero = self.lanes(|i| store(sums, &[i], &p.float(0.0)))?;
        let weights = p.serial("j", &keys.count, |j| {
            let weight = self.lanes(|i| {
                let distance = binary(BinOp::Sub, &score(j, i)?, &load(&memory.shift, &[i])?)?;
                store(&memory.scores, &[j, i], &weight(&distance)?)
            })?;
            let sum = self.lanes(|i| store(sums, &[i], &binary(BinOp::Add, &load(sums, &[i])?, &score(j, i)?)?))?;
            Ok(Stmt::seq([weight, sum]))
        })?;
        let weight_sum = self.lanes(|i| {
            let before = binary(BinOp::Mul, &load(&memory.weight_sum, &[i])?, &load(&memory.rescale, &[i])?)?;
            store(&memory.weight_sum, &[i], &binary(BinOp::Add, &before, &load(sums, &[i])?)?)
        })?;
        Ok(Stmt::seq([before, max, shifts, rescale, keep, zero, weights, weight_sum]))
    }

    /// Columns of the values, weighted and added to the rescaled sums of the blocks before.
    fn weighted(&self, keys: &KeyBlock, first: &Expr, rows: i64) -> Result<Stmt, Fault> {
        let (p, memory) = (self.p, &self.kind.memory);
        let tile = Tile { registers: &memory.weighted_tile, rows };
        let over = Axis { var: p.var("j"), extent: keys.count.clone() };
        let sum = self.products(&tile, &over, &memory.scores, |r, j| {
            self.element(&self.values(), keys, j, &self.column(&(first + r)))
        })?;
        let write = self.each(rows, |r, i| {
            let w = first + r;
            let before = binary(BinOp::Mul, &load(&memory.weighted, &[&w, i])?, &load(&memory.rescale, &[i])?)?;
            store(&memory.weighted, &[&w, i], &binary(BinOp::Add, &before, &load(tile.registers, &[r, i])?)?)
        })?;
        Ok(Stmt::seq([sum, write]))
    }

    /// A register tile of sums of products over an axis: of `element`, of a row and an index, and the row of `vectors`
    /// at the index.
    fn products(
        &self,
        tile: &Tile<'_>,
        over: &Axis,
        vectors: &Buffer,
        element: impl Fn(&Expr, &Expr) -> Result<Expr, Fault>,
    ) -> Result<Stmt, Fault> {
        let (p, tiling, registers) = (self.p, &self.kind.tiling, tile.registers);
        let init = self.each(tile.rows, |r, i| store(registers, &[r, i], &p.float(0.0)))?;
        let at = &Expr::var(&over.var);
        let update = if tiling.lanes_per_query > 1 {
            p.unrolled("r", tile.rows, |r| {
                let (sums, vector) = (Row { of: registers, at: r }, Row { of: vectors, at });
                tiling.add_products(&sums, &element(r, at)?, &vector)
            })?
        } else {
            self.each(tile.rows, |r, i| {
                let term = binary(BinOp::Mul, &element(r, at)?, &load(vectors, &[at, i])?)?;
                store(registers, &[r, i], &binary(BinOp::Add, &load(registers, &[r, i])?, &term)?)
            })?
        };
        Ok(Stmt::seq([init, serial(&over.var, &over.extent, update)]))
    }

    /// The first column of those that the lanes of a query share.
    fn column(&self, row: &Expr) -> Expr {
        match self.kind.tiling.lanes_per_query {
            1 => row.clone(),
            lanes => row * lanes,
        }
    }

    /// The statement for each vector of a tile.
    fn each(&self, rows: i64, body: impl Fn(&Expr, &Expr) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        self.p.unrolled("r", rows, |r| self.lanes(|i| body(r, i)))
    }
}
