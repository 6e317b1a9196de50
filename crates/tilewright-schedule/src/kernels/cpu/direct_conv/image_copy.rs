//! The padded copy of the part of an image that a block needs, its halo included.

use tilewright_ir::tir::{Buffer, Expr, ForKind, Stmt, Var};

use super::cx::DirectConv;
use crate::build::exprs::stored;
use crate::build::loops::{looped, serial};
use crate::families::window::Read;
use crate::fault::Fault;

/// Vectors of a row whose copies are unrolled, at most.
const MAX_UNROLLED_VECTORS: i64 = 8;

impl DirectConv<'_> {
    /// Zeros for the elements after the last row that masked columns read, once in a task.
    pub(super) fn masked_zeros(&self, read: &Read, copy: &Buffer) -> Result<Stmt, Fault> {
        let (count, from) = (self.masked_tail(read), self.extents(read).iter().product::<i64>());
        if count == 0 {
            return Ok(Stmt::nothing());
        }
        self.vector("l", count, |l| stored(copy, vec![l + from], &Expr::number(0, copy.dtype)))
    }

    pub(super) fn image_copy(&self, read: &Read, copy: &Buffer) -> Result<Stmt, Fault> {
        let (extents, lanes, phases) = (self.extents(read), self.plan.lanes, self.phases(read));
        let vars: Vec<Var> = extents.iter().map(|_| self.var("i")).collect();
        let Some((&pitch, outer)) = extents.split_last() else { return Err(Fault::of_call("a buffer has dimensions")) };
        let length = pitch / phases;
        let (phase, piece, lane) = (self.var("phase"), self.var("piece"), self.var("lane"));
        let of_phase = if phases == 1 { self.int(0) } else { Expr::var(&phase) };
        let along_phase = &(&Expr::var(&piece) * lanes) + &Expr::var(&lane);
        let outer_indices = || vars.iter().take(outer.len()).map(Expr::var);
        let to: Vec<Expr> = outer_indices().chain([&(&of_phase * length) + &along_phase]).collect();
        let from = outer_indices().chain([&(&along_phase * phases) + &of_phase]);
        let indices = read.along.iter().zip(from).map(|(along, from)| {
            let mut first = &along.base + &(&Expr::var(&self.row_start) * along.y);
            if self.w.symbolic_width.is_some() {
                first = &first + &(&Expr::var(&self.column_start) * along.x);
            }
            self.simple(&(&first + &from))
        });
        let indices: Vec<Expr> = indices.collect();
        let value = read.element(&indices, &self.may_be_outside(read, &extents))?;
        let body = stored(copy, vec![self.flat(read, &to)], &value)?;
        let body = looped(&lane, &self.int(lanes), ForKind::Vectorized, body);
        // Unrolled, vectors inside of the image have no masks, and those at its borders constant ones.
        let is_short = self.w.symbolic_width.is_none() && pitch / lanes <= MAX_UNROLLED_VECTORS;
        let kind = if is_short { ForKind::Unrolled } else { ForKind::Serial };
        let pieces = match (&self.w.symbolic_width, read.along.last()) {
            (Some(_), Some(along)) => self.blocks_of(&self.blocks_of(&self.elements_across(along), phases)?, lanes)?,
            _ => self.int(length / lanes),
        };
        let body = looped(&piece, &self.simple(&pieces), kind.clone(), body);
        let body = if phases == 1 { body } else { looped(&phase, &self.int(phases), kind, body) };
        let counts = read.along.iter().zip(outer).map(|(along, &extent)| match &self.w.symbolic_height {
            Some(_) if along.y > 0 => self.simple(&self.elements_down(along)),
            _ => self.int(extent),
        });
        let counts: Vec<Expr> = counts.collect();
        Ok(vars.iter().zip(&counts).rev().fold(body, |body, (var, count)| serial(var, count, body)))
    }
}
