//! Register tiles: sums that stay in registers while a step goes along the depth.

use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ForKind, Scope, Stmt, StmtKind, Var};

use super::cx::{Gemm, KBlock, Task};
use super::dot_product::Start;
use super::prefetch_b::NextPanel;

use crate::facts::exprs::{binary, compare, stored, substituted, typed};
use crate::facts::fault::Fault;
use crate::facts::loops::{looped, memory, only_if, serial, with_names};
use crate::facts::size::ceil_div;
use crate::plan::cpu::gemm::{PackA, PackB};

/// As many vectors in a row of a tile are narrower than registers.
const MANY: i64 = 5;
/// The most lanes of what is computed at once.
const WIDEST: i64 = 64;

/// Where the sums of a tile go.
#[derive(Clone)]
pub(super) enum Partial {
    /// To the result, which holds partial sums between steps.
    InResult,
    /// Nowhere: one step makes them complete, and what follows takes them out of the registers.
    InRegisters,
    /// To memory of a tile; one step makes them complete.
    OfTile(Buffer),
    /// To memory of a task, which holds partial sums between steps.
    OfTask(Buffer),
    /// To memory of all tasks, which holds partial sums between steps.
    OfAll(Buffer),
}

impl Partial {
    /// Whether the buffer has the partial sums of all tasks.
    pub(super) fn is_of_all(&self, buffer: &Buffer) -> bool {
        matches!(self, Self::OfAll(sums) if sums == buffer)
    }
}

/// What register tiles are made from.
pub(super) struct Micro<'a> {
    pub(super) p: &'a Gemm<'a>,
    pub(super) task: &'a Task,
    pub(super) step: &'a KBlock,
    /// Copies of the factors, where there are such.
    pub(super) rows: Option<Buffer>,
    pub(super) columns: Option<Buffer>,
    pub(super) partial: Partial,
    /// The number of the panel in the task.
    pub(super) panel: Expr,
    /// Whether the step is the last one.
    pub(super) last: Expr,
    /// Whether there is only one step.
    pub(super) single: bool,
    /// What sums begin with where that is not zero.
    pub(super) start: Option<Start>,
    /// The panel with wide elements, where the task makes one.
    pub(super) wide: Option<Buffer>,
    /// What comes near while a panel is multiplied.
    pub(super) next: Option<NextPanel>,
}

/// A register tile: how many rows it has, and its first row in the task.
pub(super) struct Tile {
    pub(super) size: i64,
    pub(super) start: Expr,
    /// Which of a panel's tiles it is, where it asks for its share of the next panel. What is left of rows that are known only
    /// when the function runs has none: its tiles are a few of many, and each of their sizes would have one more loop.
    pub(super) number: Option<Expr>,
}

/// The loops over a tile's columns: which piece of so many, which lane.
struct Lanes {
    v: Var,
    j: Var,
    width: i64,
}

impl Micro<'_> {
    /// All tiles of a panel, and their registers.
    pub(super) fn tiles(&self) -> Result<(Stmt, Vec<Buffer>), Fault> {
        let (mut stmts, mut registers) = (Vec::new(), Vec::new());
        let mut tile = |size: i64, start: &Expr, number: Option<Expr>| -> Result<Stmt, Fault> {
            let shape = [size, self.p.plan.nr_vectors, self.p.plan.lanes].map(|n| self.p.int(n)).to_vec();
            let sums = memory("tile", shape, self.p.c.out.dtype, Scope::Local);
            registers.push(sums.clone());
            self.tile(&Tile { size, start: start.clone(), number }, &sums)
        };
        match self.task.rows.as_int() {
            Some(rows) => {
                let (mut start, mut before) = (0, 0);
                for (size, count) in even_tiles(rows, self.p.plan.mr) {
                    let t = self.p.var("t");
                    let first = &(&Expr::var(&t) * size) + start;
                    let number = &Expr::var(&t) + before;
                    stmts.push(serial(&t, &self.p.int(count), tile(size, &first, Some(number))?));
                    start += size * count;
                    before += count;
                }
            }
            None => {
                let most = self.p.plan.mr;
                let t = self.p.var("t");
                let whole = self.p.floor_div(&self.task.rows, most)?;
                let inside = compare(CmpOp::Le, &(&(&Expr::var(&t) * most) + most), &self.task.rows)?;
                let body = tile(most, &(&Expr::var(&t) * most), Some(Expr::var(&t)))?;
                stmts.push(serial(&t, &whole, only_if(inside, body)));
                let rest = self.p.floor_mod(&self.task.rows, most)?;
                let mut size = (most as u64).next_power_of_two() as i64 / 2;
                while size >= 1 {
                    let before = self.p.floor_div(&rest, 2 * size)?;
                    let start = &(&whole * most) + &(&before * (2 * size));
                    let taken = compare(CmpOp::Ge, &self.p.floor_mod(&rest, 2 * size)?, &self.p.int(size))?;
                    // What follows from the number of rows, in the words of the indices: so that they need no check.
                    let end = &start + size;
                    let in_block = compare(CmpOp::Le, &end, &self.p.int(self.p.plan.mc))?;
                    let in_all = compare(CmpOp::Le, &(&self.task.row + &end), &self.p.c.m.size)?;
                    let inside = binary(BinOp::And, &in_block, &in_all)?;
                    let condition = binary(BinOp::And, &taken, &inside)?;
                    stmts.push(only_if(condition, tile(size, &start, None)?));
                    size /= 2;
                }
            }
        }
        Ok((Stmt::seq(stmts), registers))
    }

    /// The sums of a tile.
    fn tile(&self, tile: &Tile, sums: &Buffer) -> Result<Stmt, Fault> {
        let (size, start) = (tile.size, &tile.start);
        let zero = Expr::number(0, sums.dtype);
        let clear = self.for_each(size, |i, l| match &self.start {
            Some(Start(first)) => self.set(sums, i, l, &typed(Expr::load(first, vec![self.lane(l)]))?),
            None => self.set(sums, i, l, &zero),
        })?;
        let summed = if self.p.grouping.is_some() {
            let k = self.p.var("k");
            let dots = self.dots(size, sums, &Expr::var(&k), |i, sum, b| {
                let group = self.group_of_rows(&(start + i), &Expr::var(&k))?;
                self.p.dot(sum, &group, b)
            })?;
            serial(&k, &self.p.groups_in(&self.step.depth)?, dots)
        } else {
            self.along_depth(tile, |place| {
                self.for_each(size, |i, l| {
                    let a = self.a_at_place(&(start + i), place)?;
                    let b = self.b_at_place(self.lane(l), place)?;
                    let product = binary(BinOp::Mul, &a, &b)?;
                    self.set(sums, i, l, &binary(BinOp::Add, &self.get(sums, i, l)?, &product)?)
                })
            })?
        };
        let finish = self.finish(size, start, sums)?;
        Ok(Stmt::seq([clear, summed, finish]))
    }

    /// What the sums of a panel begin with: one row of sums, whose sign is changed. With its registers.
    pub(super) fn starts(&self, to: &Buffer) -> Result<(Stmt, Buffer), Fault> {
        let shape = [1, self.p.plan.nr_vectors, self.p.plan.lanes].map(|n| self.p.int(n)).to_vec();
        let sums = memory("start", shape, self.p.c.out.dtype, Scope::Local);
        let zero = Expr::number(0, sums.dtype);
        let clear = self.for_each(1, |i, l| self.set(&sums, i, l, &zero))?;
        let k = self.p.var("k");
        let update = self.dots(1, &sums, &Expr::var(&k), |_, sum, b| self.p.dot_of_highs(sum, b))?;
        let kept = self
            .for_each(1, |i, l| stored(to, vec![self.lane(l)], &binary(BinOp::Sub, &zero, &self.get(&sums, i, l)?)?))?;
        let groups = self.p.groups_in(&self.step.depth)?;
        Ok((Stmt::seq([clear, serial(&k, &groups, update), kept]), sums))
    }

    /// What `dot` makes of the sums of a tile and a group of each of its columns, given the row's number in the tile.
    fn dots(
        &self,
        size: i64,
        sums: &Buffer,
        group: &Expr,
        dot: impl Fn(&Expr, &Expr, &Expr) -> Result<Expr, Fault>,
    ) -> Result<Stmt, Fault> {
        let t = self.p.plan;
        let (i, v) = (self.p.var("i"), self.p.var("v"));
        let at = vec![Expr::var(&i), Expr::var(&v), self.run(self.p.int(0), t.lanes)?];
        let b = self.b_at(self.run(&Expr::var(&v) * t.lanes, t.lanes)?, group)?;
        let sum = dot(&Expr::var(&i), &typed(Expr::load(sums, at.clone()))?, &b)?;
        let body = stored(sums, at, &sum)?;
        let vectors = looped(&v, &self.p.int(t.nr_vectors), ForKind::Unrolled, body);
        Ok(looped(&i, &self.p.int(size), ForKind::Unrolled, vectors))
    }

    /// The elements of a group of a row.
    fn group_of_rows(&self, row: &Expr, group: &Expr) -> Result<Expr, Fault> {
        let size = self.p.group();
        self.a_at(row, &self.run(group * size, size)?)
    }

    /// So many places from the first one on.
    fn run(&self, first: Expr, count: i64) -> Result<Expr, Fault> {
        let lanes = u16::try_from(count).map_err(|_| Fault::of_call("too many lanes"))?;
        typed(Expr::ramp(&first, &self.p.int(1), lanes))
    }

    /// The statement for each vector of a tile, written out.
    fn for_each(&self, size: i64, body: impl Fn(&Expr, &Lanes) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        let i = self.p.var("i");
        let lanes = self.lanes(self.p.plan.lanes);
        let inner = body(&Expr::var(&i), &lanes)?;
        let lane_loop = looped(&lanes.j, &self.p.int(self.p.plan.lanes), ForKind::Vectorized, inner);
        let vectors = looped(&lanes.v, &self.p.int(self.p.plan.nr_vectors), ForKind::Unrolled, lane_loop);
        Ok(looped(&i, &self.p.int(size), ForKind::Unrolled, vectors))
    }

    fn get(&self, sums: &Buffer, i: &Expr, l: &Lanes) -> Result<Expr, Fault> {
        typed(Expr::load(sums, vec![i.clone(), Expr::var(&l.v), Expr::var(&l.j)]))
    }

    fn set(&self, sums: &Buffer, i: &Expr, l: &Lanes, value: &Expr) -> Result<Stmt, Fault> {
        stored(sums, vec![i.clone(), Expr::var(&l.v), Expr::var(&l.j)], value)
    }

    pub(super) fn a_at(&self, row: &Expr, k: &Expr) -> Result<Expr, Fault> {
        match (&self.rows, self.p.plan.pack_a) {
            (Some(packed), PackA::ColumnMajor) => typed(Expr::load(packed, vec![k.clone(), row.clone()])),
            (Some(packed), _) => typed(Expr::load(packed, vec![row.clone(), k.clone()])),
            (None, _) => self.p.a_at(self.task, &(&self.task.row + row), &(&self.step.start + k)),
        }
    }

    /// The factor of the columns at a column of the panel and a place of the step.
    pub(super) fn b_at(&self, lane: Expr, k: &Expr) -> Result<Expr, Fault> {
        if let Some(wide) = &self.wide {
            return typed(Expr::load(wide, vec![k.clone(), lane]));
        }
        match (&self.columns, self.p.plan.pack_b) {
            (Some(packed), PackB::PerTask) => self.p.widened(&typed(Expr::load(packed, vec![k.clone(), lane]))?),
            (Some(packed), _) => {
                let batch = self.batch_of_packed();
                let start = self.p.floor_div(&self.step.start, self.p.group())?;
                let place = [&self.task.panel + &self.panel, &start + k, lane];
                self.p.widened(&typed(Expr::load(packed, batch.chain(place).collect()))?)
            }
            (None, _) => self.p.b_at(&self.task.batch, &self.column_at(&lane), &(&self.step.start + k)),
        }
    }

    /// The column at a lane of the panel.
    pub(super) fn column_at(&self, lane: &Expr) -> Expr {
        &(&(&self.task.panel + &self.panel) * self.p.plan.panel()) + lane
    }

    /// The places of copied columns in the axes of the batch.
    pub(super) fn batch_of_packed(&self) -> impl Iterator<Item = Expr> {
        self.p.batch_of_columns().into_iter().filter_map(|axis| self.of_batch(&axis.var))
    }

    fn lanes(&self, width: i64) -> Lanes {
        Lanes { v: self.p.var("v"), j: self.p.var("j"), width }
    }

    /// Columns that what follows is computed of at once. Many vectors are narrower than registers, which formulas with tables
    /// want whole: then all of them.
    fn piece_behind(&self) -> i64 {
        let t = self.p.plan;
        match t.nr_vectors {
            MANY.. if t.panel() <= WIDEST => t.panel(),
            vectors if vectors % 2 == 0 => 2 * t.lanes,
            _ => t.lanes,
        }
    }

    /// The column in the panel.
    fn lane(&self, l: &Lanes) -> Expr {
        &(&Expr::var(&l.v) * l.width) + &Expr::var(&l.j)
    }

    /// The column of the result.
    fn column(&self, l: &Lanes) -> Expr {
        self.column_at(&self.lane(l))
    }

    /// The statement where the column is one of the result.
    fn where_inside(&self, l: &Lanes, stmt: Stmt) -> Result<Stmt, Fault> {
        if !self.p.is_ragged()? {
            return Ok(stmt);
        }
        Ok(only_if(compare(CmpOp::Lt, &self.column(l), &self.p.c.n.size)?, stmt))
    }

    /// A finished tile goes where it belongs.
    fn finish(&self, size: i64, start: &Expr, tile: &Buffer) -> Result<Stmt, Fault> {
        match &self.partial {
            Partial::InResult => self.to_result(size, start, tile),
            Partial::InRegisters => self.for_each(size, |i, l| {
                let mut values = self.values(&(start + i), l)?;
                values.push((self.p.outputs.sum.clone(), self.get(tile, i, l)?));
                self.behind(l, &values)
            }),
            Partial::OfTile(sums) => {
                let kept = self.for_each(size, |i, l| {
                    let value = self.get(tile, i, l)?;
                    stored(sums, vec![i.clone(), self.lane(l)], &value)
                })?;
                let behind =
                    self.rows_behind(size, start, |i, l| typed(Expr::load(sums, vec![i.clone(), self.lane(l)])))?;
                Ok(Stmt::seq([kept, behind]))
            }
            Partial::OfTask(sums) | Partial::OfAll(sums) => {
                let at = |i: &Expr, l: &Lanes| self.place_of_sum(&(start + i), l);
                let kept = self.added(size, tile, |i, l| Ok((sums.clone(), at(i, l))))?;
                let behind = self.rows_behind(size, start, |i, l| typed(Expr::load(sums, at(i, l))))?;
                Ok(Stmt::seq([kept, only_if(self.last.clone(), behind)]))
            }
        }
    }

    /// Where a partial sum of a row of the task is.
    fn place_of_sum(&self, row: &Expr, l: &Lanes) -> Vec<Expr> {
        if matches!(self.partial, Partial::OfAll(_)) {
            let batch = self.p.c.batch.axes.iter().filter_map(|axis| self.of_batch(&axis.var));
            return batch.chain([&self.task.row + row, self.column(l)]).collect();
        }
        vec![row.clone(), &(&self.panel * self.p.plan.panel()) + &self.lane(l)]
    }

    /// The value of an axis of the batch.
    fn of_batch(&self, var: &Var) -> Option<Expr> {
        self.task.batch.iter().find(|(own, _)| own == var).map(|(_, value)| value.clone())
    }

    /// The tile goes to the elements, behind the first step added to what is there.
    fn added(
        &self,
        size: i64,
        tile: &Buffer,
        element: impl Fn(&Expr, &Lanes) -> Result<(Buffer, Vec<Expr>), Fault>,
    ) -> Result<Stmt, Fault> {
        let put = |more: bool| {
            self.for_each(size, |i, l| {
                let (buffer, indices) = element(i, l)?;
                let mut value = self.get(tile, i, l)?;
                if more {
                    value = binary(BinOp::Add, &typed(Expr::load(&buffer, indices.clone()))?, &value)?;
                }
                let stmt = stored(&buffer, indices, &value)?;
                if matches!(self.partial, Partial::InResult) { self.where_inside(l, stmt) } else { Ok(stmt) }
            })
        };
        if self.single {
            return put(false);
        }
        let first = compare(CmpOp::Eq, &self.step.number, &self.p.int(0))?;
        let kind = StmtKind::If { condition: first, then: put(false)?, otherwise: Some(put(true)?) };
        Ok(kind.into())
    }

    fn to_result(&self, size: i64, start: &Expr, tile: &Buffer) -> Result<Stmt, Fault> {
        self.added(size, tile, |i, l| {
            let values = self.values(&(start + i), l)?;
            let output = self.p.outputs.all.first().ok_or_else(|| Fault::of_call("nothing is written"))?;
            let indices = output.indices.iter().map(|index| substituted(index, &values)).collect();
            Ok((output.buffer.clone(), indices))
        })
    }

    /// The values of the contraction's spatial axes at a row of the task and a column of the panel.
    fn values(&self, row: &Expr, l: &Lanes) -> Result<Vec<(Var, Expr)>, Fault> {
        let mut values = self.p.c.m.values(&self.p.known, &(&self.task.row + row))?;
        values.extend(self.p.c.n.values(&self.p.known, &self.column(l))?);
        values.extend(self.task.batch.iter().cloned());
        Ok(values)
    }

    /// What is computed of finished sums, row by row.
    fn rows_behind(
        &self,
        size: i64,
        start: &Expr,
        sum: impl Fn(&Expr, &Lanes) -> Result<Expr, Fault>,
    ) -> Result<Stmt, Fault> {
        let (piece, lanes) = (self.p.var("piece"), self.lanes(self.piece_behind()));
        let across = self.p.plan.panel() / lanes.width;
        let row = self.p.floor_div(&Expr::var(&piece), across)?;
        let mut values = self.values(&(start + &row), &lanes)?;
        values.push((self.p.outputs.sum.clone(), sum(&row, &lanes)?));
        let body = self.behind(&lanes, &values)?;
        let lane_loop = looped(&lanes.j, &self.p.int(lanes.width), ForKind::Vectorized, body);
        // One loop, not one over rows and one over pieces: to LLVM a nest inside seems to run more often than the loop over
        // the depth, and what it has of constants would have the registers of the sums.
        let number = self.p.floor_mod(&Expr::var(&piece), across)?;
        Ok(serial(&piece, &self.p.int(size * across), with_names(vec![(lanes.v, number)], lane_loop)))
    }

    /// What is computed of one finished sum, with the values of the axes and the sum.
    fn behind(&self, l: &Lanes, values: &[(Var, Expr)]) -> Result<Stmt, Fault> {
        let mut stmts = Vec::new();
        for output in &self.p.outputs.all {
            let indices = output.indices.iter().map(|index| substituted(index, values)).collect();
            let value = substituted(&output.value, values);
            stmts.push(self.where_inside(l, stored(&output.buffer, indices, &value)?)?);
        }
        Ok(Stmt::seq(stmts))
    }
}

/// So many rows in as few tiles as there must be, which differ by at most one row: sizes and how many of each.
fn even_tiles(rows: i64, most: i64) -> Vec<(i64, i64)> {
    if rows <= 0 {
        return Vec::new();
    }
    let count = ceil_div(rows, most);
    let (small, larger) = (rows / count, rows % count);
    [(small + 1, larger), (small, count - larger)].into_iter().filter(|(_, count)| *count > 0).collect()
}
