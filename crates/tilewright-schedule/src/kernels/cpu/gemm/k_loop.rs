//! The loop of a micro-kernel over its K block, with the prefetches between its iterations.

use tilewright_ir::tir::{Expr, ForKind, Stmt};

use super::k_nest::KIndex;
use super::operands::Operands;
use super::prefetch_a;
use super::prefetch_b::NextPanel;
use super::register_tile::Tile;
use crate::build::loops::serial;
use crate::fault::Fault;

/// Iterations of the loop over K that are unrolled.
const K_UNROLL: i64 = 4;
/// Taps of the innermost axis of a window that are unrolled, at most.
const MAX_UNROLLED_TAPS: i64 = 3;

pub(super) struct KLoop<'a> {
    pub(super) o: &'a Operands<'a>,
    pub(super) tile: &'a Tile,
    pub(super) next: Option<&'a NextPanel>,
}

impl KLoop<'_> {
    /// The statement for each index of the K block.
    pub(super) fn over(&self, update: impl Fn(&KIndex) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        let p = self.o.p;
        let between_windows = |inner: &i64| self.next.is_none_or(|next| next.k_step == *inner);
        if p.prefetched_a.is_none()
            && let Some(inner) = p.inner_k().filter(between_windows)
        {
            return self.axis_by_axis(inner, update);
        }
        let update = |k: &Expr| update(&KIndex::flat(p.simple(k)));
        let (line, count) = (p.var("line"), &self.o.block.count);
        let number = Expr::var(&line);
        let (step, prefetches) = match (p.prefetched_a, self.next) {
            (Some(length), _) => (length, prefetch_a::next_tile(self.o, self.tile, &(&number * length))?),
            (None, Some(next)) if self.tile.number.is_some() => (next.k_step, self.of_next_panel(&number)?),
            _ => return self.unrolled(count, &p.int(0), update),
        };
        let of_step = self.unrolled(&p.int(step), &(&number * step), update)?;
        let whole = p.floor_div(count, step)?;
        let steps = serial(&line, &whole, Stmt::seq(prefetches.into_iter().chain([of_step])));
        let tail = p.floor_mod(count, step)?;
        if tail.as_int() == Some(0) {
            return Ok(steps);
        }
        let tail = p.serial("k", &tail, |k| update(&(&(&whole * step) + k)))?;
        Ok(Stmt::seq([steps, tail]))
    }

    /// The tile's share of the prefetches of the next panel, of the step with this number.
    fn of_next_panel(&self, number: &Expr) -> Result<Vec<Stmt>, Fault> {
        match (self.next, &self.tile.number) {
            (Some(next), Some(tile)) => next.prefetches(self.o, tile, number),
            _ => Ok(Vec::new()),
        }
    }

    /// The statement for `count` indices from `start` on, unrolled where their number is a multiple: where two threads
    /// share a core each has half of its instructions, and those that count iterations have none of the sums.
    fn unrolled(
        &self,
        count: &Expr,
        start: &Expr,
        update: impl Fn(&Expr) -> Result<Stmt, Fault>,
    ) -> Result<Stmt, Fault> {
        let p = self.o.p;
        if !p.divides(K_UNROLL, count)? {
            return p.serial("k", count, |k| update(&(start + k)));
        }
        p.serial("k", &p.floor_div(count, K_UNROLL)?, |k| {
            p.unrolled("u", K_UNROLL, |u| update(&(&(start + &(k * K_UNROLL)) + u)))
        })
    }

    /// The same axis by axis, with prefetches before each iteration of the outermost axis.
    fn axis_by_axis(&self, inner: i64, update: impl Fn(&KIndex) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        let nest = self.o.p.k_nest(&self.o.p.c.k.axes, &self.o.block.start, &self.o.block.count, inner)?;
        let index = KIndex { k: nest.k.clone(), axes: Some(nest.axes.clone()) };
        let is_short = |extent: &Expr| extent.as_int().is_some_and(|extent| extent <= MAX_UNROLLED_TAPS);
        let kind = |extent: &Expr| if is_short(extent) { ForKind::Unrolled } else { ForKind::Serial };
        let window = nest.inner_loops(update(&index)?, kind);
        let prefetches = self.of_next_panel(&Expr::var(&nest.outer))?;
        Ok(serial(&nest.outer, &nest.outer_count, Stmt::seq(prefetches.into_iter().chain([window]))))
    }
}
