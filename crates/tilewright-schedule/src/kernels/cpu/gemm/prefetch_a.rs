//! Rows that lie in memory far away: constants that are read in place, each once for few columns.
//!
//! A network goes through more weights than its caches hold, and a layer on a small image multiplies each of them with few
//! numbers. So the rows of the next tile are asked for while a tile is summed up: with each line of the cache that it has read
//! of its rows, one of theirs.

use tilewright_ir::tir::{Expr, ExprKind, ForKind, PrimFunc, Stmt};

use super::k_loop::Place;
use super::micro_kernel::{Micro, Tile};
use crate::families::contraction::Contraction;

use crate::facts::exprs::prefetch;
use crate::facts::fault::Fault;
use crate::facts::loops::{looped, serial};
use crate::facts::size::LINE;
use crate::families::contraction::is_constant;
use crate::plan::cpu::gemm::{GemmPlan, PackA};

/// Columns for which rows are fetched from memory about as fast as they are multiplied with them.
const FEW_COLUMNS: i64 = 128;
/// Places of the depth that are written out in each turn of the loop over them.
const TURN: i64 = 4;

/// The elements of a line of the cache of rows that are far away.
pub(super) fn prefetched_a(function: &PrimFunc, c: &Contraction, plan: &GemmPlan) -> Option<i64> {
    let few = c.n.size.as_int().is_some_and(|columns| columns <= FEW_COLUMNS);
    let in_place = matches!(c.a.kind, ExprKind::Load { .. }) && plan.pack_a == PackA::InPlace;
    let length = LINE / i64::from(c.a.dtype.bits).max(8) * 8;
    (few && in_place && length > 1 && is_constant(function, &c.a)).then_some(length)
}

impl Micro<'_> {
    /// The statement for each place of the step's depth, with what is asked for meanwhile.
    pub(super) fn along_depth(
        &self,
        tile: &Tile,
        update: impl Fn(&Place) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        let in_windows = |inner: &i64| self.next.as_ref().is_none_or(|next| next.places == *inner);
        if self.p.prefetched_a.is_none()
            && let Some(inner) = self.p.places_in_window().filter(in_windows)
        {
            let asked = |number: &Expr| match (&self.next, &tile.number) {
                (Some(next), Some(own)) => self.asked(next, own, number),
                _ => Ok(Vec::new()),
            };
            return self.along_windows(inner, asked, update);
        }
        let update = |number: Expr| update(&Place::numbered(number));
        let (line, depth) = (self.p.var("line"), &self.step.depth);
        let (length, asked) = match (self.p.prefetched_a, &self.next, &tile.number) {
            (Some(length), ..) => (length, self.next_rows(tile, &(&Expr::var(&line) * length))?),
            (None, Some(next), Some(number)) => (next.places, self.asked(next, number, &Expr::var(&line))?),
            _ => return self.by_few(depth, &self.p.int(0), update),
        };
        let first = &Expr::var(&line) * length;
        let of_line = self.by_few(&self.p.int(length), &first, update)?;
        let whole = self.p.floor_div(depth, length)?;
        let lines = serial(&line, &whole, Stmt::seq(asked.into_iter().chain([of_line])));
        let rest = self.p.floor_mod(depth, length)?;
        if rest.as_int() == Some(0) {
            return Ok(lines);
        }
        let k = self.p.var("k");
        let behind = &(&whole * length) + &Expr::var(&k);
        Ok(Stmt::seq([lines, serial(&k, &rest, update(self.p.simple(&behind))?)]))
    }

    /// The statement for so many places from the first one on, a few of them written out in each turn where there are whole
    /// turns: where two threads share a core each has half of its instructions, and what counts places has none of the sums.
    fn by_few(&self, count: &Expr, first: &Expr, update: impl Fn(Expr) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        let k = self.p.var("k");
        let turns = self.p.floor_div(count, TURN)?;
        if self.p.floor_mod(count, TURN)?.as_int() != Some(0) {
            return Ok(serial(&k, count, update(self.p.simple(&(first + &Expr::var(&k))))?));
        }
        let own = self.p.var("u");
        let place = &(first + &(&Expr::var(&k) * TURN)) + &Expr::var(&own);
        let body = looped(&own, &self.p.int(TURN), ForKind::Unrolled, update(self.p.simple(&place))?);
        Ok(serial(&k, &turns, body))
    }

    /// Asks for as many rows behind those of a tile, at a place of the depth. They may be another task's, or not be there.
    fn next_rows(&self, tile: &Tile, place: &Expr) -> Result<Vec<Stmt>, Fault> {
        let ask = |i: i64| {
            let row = &(&self.task.row + &tile.start) + (tile.size + i);
            let element = self.p.a_at(self.task, &row, &(&self.step.start + place))?;
            let ExprKind::Load { buffer, indices, .. } = &element.kind else { return Ok(Stmt::nothing()) };
            prefetch(buffer, indices.clone(), false)
        };
        (0..tile.size).map(ask).collect()
    }
}
