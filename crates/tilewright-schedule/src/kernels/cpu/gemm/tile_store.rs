//! Finished register tiles: partial sums go to memory, complete ones through the epilogue to the outputs.

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ForKind, Stmt, StmtKind, Var};

use super::operands::Operands;
use super::register_tile::{Lanes, Tile, accumulator};
use crate::build::exprs::{binary, compare, stored, substituted, typed};
use crate::build::loops::{looped, only_if, serial, with_names};
use crate::fault::Fault;

/// Vectors of a tile from which on they are narrower than registers.
const MIN_NARROW_VECTORS: i64 = 5;
/// Lanes of an epilogue that are computed at once, at most.
const MAX_EPILOGUE_LANES: i64 = 64;

/// Where the sums of a tile go.
#[derive(Clone)]
pub(super) enum PartialSums {
    /// To the result, which holds partial sums between K blocks.
    InResult,
    /// Nowhere: one K block makes them complete, and the epilogue takes them out of the registers.
    InRegisters,
    /// To memory of a tile; one K block makes them complete.
    OfTile(Buffer),
    /// To memory of a task, which holds partial sums between K blocks.
    OfTask(Buffer),
    /// To memory of all tasks, which holds partial sums between K blocks.
    OfAll(Buffer),
}

pub(super) struct TileStore<'a> {
    pub(super) o: &'a Operands<'a>,
    pub(super) partial_sums: &'a PartialSums,
}

impl TileStore<'_> {
    /// The accumulators of a tile go where they belong.
    pub(super) fn finish(&self, tile: &Tile, accumulators: &Buffer) -> Result<Stmt, Fault> {
        let p = self.o.p;
        match self.partial_sums {
            PartialSums::InResult => self.to_result(tile, accumulators),
            PartialSums::InRegisters => p.for_each(tile.mr, |i, l| {
                let mut values = self.values(&(&tile.m_start + i), l)?;
                values.push((p.outputs.sum.clone(), accumulator(accumulators, i, l)?));
                self.outputs(l, &values)
            }),
            PartialSums::OfTile(sums) => {
                let kept = p.for_each(tile.mr, |i, l| {
                    stored(sums, vec![i.clone(), l.lane()], &accumulator(accumulators, i, l)?)
                })?;
                let epilogue = self.epilogue(tile, |i, l| typed(Expr::load(sums, vec![i.clone(), l.lane()])))?;
                Ok(Stmt::seq([kept, epilogue]))
            }
            PartialSums::OfTask(_) | PartialSums::OfAll(_) => {
                let kept = self.added(tile, accumulators, |i, l| {
                    let sum = self.partial_sum(&(&tile.m_start + i), &l.lane());
                    let (sums, at) = sum.ok_or_else(|| Fault::of_call("partial sums are not in memory"))?;
                    Ok((sums.clone(), at))
                })?;
                Ok(Stmt::seq([kept, self.finish_in_memory(tile)?]))
            }
        }
    }

    /// The memory of partial sums between K blocks, and in it the element at `m` of the task and a lane of the panel;
    /// `None` where it is the result.
    pub(super) fn partial_sum(&self, m: &Expr, lane: &Expr) -> Option<(&Buffer, Vec<Expr>)> {
        let o = self.o;
        match self.partial_sums {
            PartialSums::OfAll(sums) => {
                let batch = o.p.c.batch.axes.iter().filter_map(|axis| o.batch_index(&axis.var));
                Some((sums, batch.chain([&o.task.m_start + m, o.n(lane)]).collect()))
            }
            PartialSums::OfTask(sums) => Some((sums, vec![m.clone(), &(&o.panel * o.p.plan.panel()) + lane])),
            PartialSums::InResult | PartialSums::InRegisters | PartialSums::OfTile(_) => None,
        }
    }

    /// The epilogue of a tile whose partial sums are in memory, after the last K block.
    pub(super) fn finish_in_memory(&self, tile: &Tile) -> Result<Stmt, Fault> {
        let epilogue = self.epilogue(tile, |i, l| {
            let sum = self.partial_sum(&(&tile.m_start + i), &l.lane());
            let (sums, at) = sum.ok_or_else(|| Fault::of_call("partial sums are not in memory"))?;
            typed(Expr::load(sums, at))
        })?;
        Ok(only_if(self.o.block.is_last.clone(), epilogue))
    }

    /// The accumulators go to elements, after the first K block added to what is there.
    fn added(
        &self,
        tile: &Tile,
        accumulators: &Buffer,
        element: impl Fn(&Expr, &Lanes) -> Result<(Buffer, Vec<Expr>), Fault>,
    ) -> Result<Stmt, Fault> {
        let store = |is_update: bool| {
            self.o.p.for_each(tile.mr, |i, l| {
                let (buffer, indices) = element(i, l)?;
                let mut value = accumulator(accumulators, i, l)?;
                if is_update {
                    value = binary(BinOp::Add, &typed(Expr::load(&buffer, indices.clone()))?, &value)?;
                }
                let stmt = stored(&buffer, indices, &value)?;
                if matches!(self.partial_sums, PartialSums::InResult) { self.masked(l, stmt) } else { Ok(stmt) }
            })
        };
        if self.o.block.is_only() {
            return store(false);
        }
        let is_first = compare(CmpOp::Eq, &self.o.block.number, &self.o.p.int(0))?;
        Ok(StmtKind::If { condition: is_first, then: store(false)?, otherwise: Some(store(true)?) }.into())
    }

    fn to_result(&self, tile: &Tile, accumulators: &Buffer) -> Result<Stmt, Fault> {
        self.added(tile, accumulators, |i, l| {
            let values = self.values(&(&tile.m_start + i), l)?;
            let output = self.o.p.outputs.all.first().ok_or_else(|| Fault::of_call("nothing is written"))?;
            let indices = output.indices.iter().map(|index| substituted(index, &values)).collect();
            Ok((output.buffer.clone(), indices))
        })
    }

    /// The values of the contraction's spatial axes at `m` of the task and a lane of the panel.
    fn values(&self, m: &Expr, l: &Lanes) -> Result<Vec<(Var, Expr)>, Fault> {
        let (p, task) = (self.o.p, self.o.task);
        let mut values = p.c.m.values(&p.known, &(&task.m_start + m))?;
        values.extend(p.c.n.values(&p.known, &self.o.n(&l.lane()))?);
        values.extend(task.batch.iter().cloned());
        Ok(values)
    }

    /// The epilogue on sums in memory, row by row.
    fn epilogue(&self, tile: &Tile, sum: impl Fn(&Expr, &Lanes) -> Result<Expr, Fault>) -> Result<Stmt, Fault> {
        let p = self.o.p;
        let (piece, lanes) = (p.var("piece"), p.lanes(self.epilogue_lanes()));
        let across = p.plan.panel() / lanes.width;
        let row = p.floor_div(&Expr::var(&piece), across)?;
        let mut values = self.values(&(&tile.m_start + &row), &lanes)?;
        values.push((p.outputs.sum.clone(), sum(&row, &lanes)?));
        let body = self.outputs(&lanes, &values)?;
        let vector = looped(&lanes.j, &p.int(lanes.width), ForKind::Vectorized, body);
        // One loop, not one over rows and one over pieces: LLVM would take an inner nest to run more often than the
        // loop over K, and give its constants the registers of the accumulators.
        let number = p.floor_mod(&Expr::var(&piece), across)?;
        Ok(serial(&piece, &p.int(tile.mr * across), with_names(vec![(lanes.v, number)], vector)))
    }

    /// Lanes that the epilogue computes at once. Vectors narrower than registers are joined, since formulas with tables
    /// need whole registers: then all of them.
    fn epilogue_lanes(&self) -> i64 {
        let t = self.o.p.plan;
        match t.nr_vectors {
            MIN_NARROW_VECTORS.. if t.panel() <= MAX_EPILOGUE_LANES => t.panel(),
            vectors if vectors % 2 == 0 => 2 * t.lanes,
            _ => t.lanes,
        }
    }

    /// The outputs of one complete sum, at the values of the axes and the sum.
    fn outputs(&self, l: &Lanes, values: &[(Var, Expr)]) -> Result<Stmt, Fault> {
        let mut stmts = Vec::new();
        for output in &self.o.p.outputs.all {
            let indices = output.indices.iter().map(|index| substituted(index, values)).collect();
            let value = substituted(&output.value, values);
            stmts.push(self.masked(l, stored(&output.buffer, indices, &value)?)?);
        }
        Ok(Stmt::seq(stmts))
    }

    /// The statement, masked in the tail of N.
    fn masked(&self, l: &Lanes, stmt: Stmt) -> Result<Stmt, Fault> {
        let p = self.o.p;
        if !p.has_n_tail()? {
            return Ok(stmt);
        }
        Ok(only_if(compare(CmpOp::Lt, &self.o.n(&l.lane()), &p.c.n.size)?, stmt))
    }
}
