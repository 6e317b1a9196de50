//! The micro-kernel: a register tile of C over one K block.

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, Scope, Stmt};

use super::k_loop::KLoop;
use super::operands::Operands;
use super::prefetch_b::NextPanel;
use super::register_tile::{Tile, accumulator, set_accumulator};
use super::tile_store::{PartialSums, TileStore};
use crate::build::exprs::{binary, compare, stored, typed};
use crate::build::loops::only_if;
use crate::fault::Fault;
use crate::units::ceil_div;

/// The micro-kernels of one panel.
pub(super) struct MicroKernel<'a> {
    pub(super) o: Operands<'a>,
    pub(super) partial_sums: PartialSums,
    /// What the accumulators of each column begin with where that is not zero.
    pub(super) compensation: Option<Buffer>,
    /// What is prefetched meanwhile.
    pub(super) next: Option<NextPanel>,
}

impl MicroKernel<'_> {
    /// All tiles of the panel, and their registers.
    pub(super) fn tiles(&self) -> Result<(Stmt, Vec<Buffer>), Fault> {
        let mut registers = Vec::new();
        let mut tile =
            |mr: i64, m_start: Expr, number: Option<Expr>| self.tile(&Tile { mr, m_start, number }, &mut registers);
        let stmts = match self.o.task.m_count.as_int() {
            Some(count) if !self.o.p.plan.matrix_tiles => self.tiles_of(count, &mut tile)?,
            _ => self.tiles_of_unknown_m(&mut tile)?,
        };
        Ok((Stmt::seq(stmts), registers))
    }

    /// Tiles of about the same size.
    fn tiles_of(
        &self,
        count: i64,
        tile: &mut dyn FnMut(i64, Expr, Option<Expr>) -> Result<Stmt, Fault>,
    ) -> Result<Vec<Stmt>, Fault> {
        let (p, mut stmts) = (self.o.p, Vec::new());
        let (mut m_start, mut before) = (0, 0);
        for (mr, tiles) in even_tiles(count, p.plan.mr) {
            let loop_of = p.serial("t", &p.int(tiles), |t| tile(mr, &(t * mr) + m_start, Some(t + before)))?;
            stmts.push(loop_of);
            m_start += mr * tiles;
            before += tiles;
        }
        Ok(stmts)
    }

    /// Whole tiles, and edge tiles of powers of two.
    fn tiles_of_unknown_m(
        &self,
        tile: &mut dyn FnMut(i64, Expr, Option<Expr>) -> Result<Stmt, Fault>,
    ) -> Result<Vec<Stmt>, Fault> {
        let (p, task, mr) = (self.o.p, self.o.task, self.o.p.plan.mr);
        let whole = p.floor_div(&task.m_count, mr)?;
        let mut stmts = vec![p.serial("t", &whole, |t| {
            let inside = compare(CmpOp::Le, &(&(t * mr) + mr), &task.m_count)?;
            Ok(only_if(inside, tile(mr, t * mr, Some(t.clone()))?))
        })?];
        let tail = p.floor_mod(&task.m_count, mr)?;
        let mut size = (mr as u64).next_power_of_two() as i64 / 2;
        while size >= 1 {
            let before = p.floor_div(&tail, 2 * size)?;
            let m_start = &(&whole * mr) + &(&before * (2 * size));
            let taken = compare(CmpOp::Ge, &p.floor_mod(&tail, 2 * size)?, &p.int(size))?;
            // Follows from M; stated over the indices, so that they need no bounds check.
            let end = &m_start + size;
            let in_block = compare(CmpOp::Le, &end, &p.int(p.plan.mc))?;
            let in_m = compare(CmpOp::Le, &(&task.m_start + &end), &p.c.m.size)?;
            let condition = binary(BinOp::And, &taken, &binary(BinOp::And, &in_block, &in_m)?)?;
            stmts.push(only_if(condition, tile(size, m_start, None)?));
            size /= 2;
        }
        Ok(stmts)
    }

    fn tile(&self, tile: &Tile, registers: &mut Vec<Buffer>) -> Result<Stmt, Fault> {
        let p = self.o.p;
        let accumulators = &match p.is_of_matrix_unit(tile.mr) {
            true => p.accumulators("tile", tile.mr).derive(|node| node.scope = Scope::Global),
            false => p.accumulators("tile", tile.mr),
        };
        registers.push(accumulators.clone());
        let zero = Expr::number(0, accumulators.dtype);
        let init = p.for_each(tile.mr, |i, l| match &self.compensation {
            Some(first) => set_accumulator(accumulators, i, l, &typed(Expr::load(first, vec![l.lane()]))?),
            None => set_accumulator(accumulators, i, l, &zero),
        })?;
        let updates = if let Some(groups) = &p.scaled_groups {
            let (stmt, sums) = self.over_scaled_groups(groups, tile, accumulators)?;
            registers.push(sums);
            stmt
        } else if p.is_of_matrix_unit(tile.mr) {
            return self.with_matrix_unit(tile, accumulators, init);
        } else if p.grouping.is_some() {
            self.over_groups(tile.mr, accumulators, |i, group, sum, b| {
                let size = p.group();
                let a = self.o.a(&(&tile.m_start + i), &self.contiguous(&(group * size), size)?)?;
                p.dot(sum, &a, b)
            })?
        } else {
            KLoop { o: &self.o, tile, next: self.next.as_ref() }.over(|index| {
                p.for_each(tile.mr, |i, l| {
                    let a = self.o.a_at(&(&tile.m_start + i), index)?;
                    let b = self.o.b_at(l.lane(), index)?;
                    let sum = binary(BinOp::Add, &accumulator(accumulators, i, l)?, &binary(BinOp::Mul, &a, &b)?)?;
                    set_accumulator(accumulators, i, l, &sum)
                })
            })?
        };
        let store = TileStore { o: &self.o, partial_sums: &self.partial_sums };
        Ok(Stmt::seq([init, updates, store.finish(tile, accumulators)?]))
    }

    /// The compensation of each column of the panel, which is subtracted, goes to `to`. With its registers.
    pub(super) fn compensation(&self, to: &Buffer) -> Result<(Stmt, Buffer), Fault> {
        let p = self.o.p;
        let sums = p.accumulators("compensation", 1);
        let zero = Expr::number(0, sums.dtype);
        let init = p.for_each(1, |i, l| set_accumulator(&sums, i, l, &zero))?;
        let update = self.over_groups(1, &sums, |_, _, sum, b| p.dot_of_high_bits(sum, b))?;
        let kept =
            p.for_each(1, |i, l| stored(to, vec![l.lane()], &binary(BinOp::Sub, &zero, &accumulator(&sums, i, l)?)?))?;
        Ok((Stmt::seq([init, update, kept]), sums))
    }

    /// The loop over groups of the K block: `dot` is of the row, the group, an accumulator and the group of a column.
    fn over_groups(
        &self,
        mr: i64,
        accumulators: &Buffer,
        dot: impl Fn(&Expr, &Expr, &Expr, &Expr) -> Result<Expr, Fault>,
    ) -> Result<Stmt, Fault> {
        let (p, t) = (self.o.p, self.o.p.plan);
        p.serial("k", &p.groups_in(&self.o.block.count)?, |group| {
            p.unrolled("i", mr, |i| {
                p.unrolled("v", t.nr_vectors, |v| {
                    let at = vec![i.clone(), v.clone(), self.contiguous(&p.int(0), t.lanes)?];
                    let b = self.o.b(self.contiguous(&(v * t.lanes), t.lanes)?, group)?;
                    let sum = dot(i, group, &typed(Expr::load(accumulators, at.clone()))?, &b)?;
                    stored(accumulators, at, &sum)
                })
            })
        })
    }

    /// A vector of neighbouring indices.
    fn contiguous(&self, first: &Expr, count: i64) -> Result<Expr, Fault> {
        let lanes = u16::try_from(count).map_err(|_| Fault::of_call("too many lanes"))?;
        typed(Expr::ramp(first, &self.o.p.int(1), lanes))
    }
}

/// As few tiles of at most `mr` rows as there must be, which differ by at most one row: sizes, and how many of each.
fn even_tiles(m: i64, mr: i64) -> Vec<(i64, i64)> {
    if m <= 0 {
        return Vec::new();
    }
    let count = ceil_div(m, mr);
    let (small, larger) = (m / count, m % count);
    [(small + 1, larger), (small, count - larger)].into_iter().filter(|(_, count)| *count > 0).collect()
}
