//! Integers with a scale for each group of neighbours along K (`families::contraction::block_scaled`).
//!
//! Dot-product instructions for bytes (AVX512-VNNI) sum a group in int32; its scales then multiply the sum, which goes
//! to the float32 accumulators of the tile:
//!
//! ```text
//! for g in the groups of the K block
//!   group_sums = -zero * sum of a_code over the group            prepared ahead of all tasks
//!   for word of the group                                        unrolled
//!     group_sums += dot(a word, b word)
//!   tile += f32(group_sums) * (a_scale * b_scale) [+ a_scale * sum of a_code * b_min]
//! ```
//!
//! Both operands are read in place: B lies in words already, and four codes of A are a word.

use tilewright_ir::tir::{BinOp, Buffer, Expr, ExprKind, ForKind, ForeignCallee, Scope, Stmt, Var};
use tilewright_tensor::DataType;

use super::cx::{Gemm, Packed};
use super::dot_product::dot_of_word;
use super::micro_kernel::MicroKernel;
use super::operands::Operands;
use super::register_tile::{Tile, accumulator, set_accumulator};
use crate::build::exprs::{binary, stored, substituted, typed};
use crate::build::loops::{looped, memory, serial, task_block, with_names};
use crate::families::contraction::block_scaled::{BlockScaled, WORD_CODES, Word};
use crate::families::contraction::dot_groups::{Grouping, WORD};
use crate::fault::Fault;

/// Signed bytes of A, and unsigned ones of B.
const BYTES: Grouping = Grouping::Bytes { a_signed: true, b_signed: false };
/// Rows of A up to which their sums are prepared without threads.
const MAX_SERIAL_ROWS: i64 = 16;

/// The groups of a contraction, and what is prepared of them.
pub(super) struct ScaledGroups<'a> {
    pub(super) spec: &'a BlockScaled,
    /// What the sums of each group begin with, by row and group, where that is not zero.
    first: Option<Buffer>,
    /// The sums of A's values in each group.
    a_sums: Option<Buffer>,
}

impl<'a> ScaledGroups<'a> {
    pub(super) const fn of(spec: &'a BlockScaled) -> Self {
        Self { spec, first: None, a_sums: None }
    }
}

/// The values of the axes of the batch.
type Batch = Vec<(Var, Expr)>;

/// A row of A in a batch, and one of its groups.
struct Row<'a> {
    batch: &'a Batch,
    m: Expr,
    group: Expr,
}

impl Gemm<'_> {
    /// The values of the axes of K at the first element of a group.
    fn at_group(&self, spec: &BlockScaled, group: &Expr) -> Result<Vec<(Var, Expr)>, Fault> {
        let mut values = self.c.k.values(&self.known, &self.simple(&(group * spec.group)))?;
        values.retain(|(var, _)| *var != spec.inner);
        values.push((spec.inner.clone(), self.int(0)));
        Ok(values)
    }

    /// `count` neighbouring codes of A, from the `first`-th of a group on.
    fn a_codes(&self, spec: &BlockScaled, row: &Row<'_>, first: i64, count: i64) -> Result<Expr, Fault> {
        let values = self.at_row(spec, row)?;
        let ExprKind::Load { buffer, indices, .. } = &spec.a_code.kind else {
            return Err(Fault::of_call("codes of A are not elements of memory"));
        };
        let mut indices: Vec<Expr> = indices.iter().map(|index| self.simple(&substituted(index, &values))).collect();
        if let Some(last) = indices.last_mut() {
            *last = self.vector_from(&self.simple(&(&*last + first)), count)?;
        }
        typed(Expr::load(buffer, indices))
    }

    fn vector_from(&self, first: &Expr, count: i64) -> Result<Expr, Fault> {
        let lanes = u16::try_from(count).map_err(|_| Fault::of_call("too many lanes"))?;
        typed(Expr::ramp(first, &Expr::int(1, first.dtype), lanes))
    }

    /// The values of the axes of A at a row's group.
    fn at_row(&self, spec: &BlockScaled, row: &Row<'_>) -> Result<Vec<(Var, Expr)>, Fault> {
        let mut values = self.c.m.values(&self.known, &row.m)?;
        values.extend(self.at_group(spec, &row.group)?);
        values.extend(row.batch.iter().cloned());
        Ok(values)
    }

    /// The values of the axes of B at a column's group.
    fn at_column(&self, spec: &BlockScaled, batch: &Batch, n: &Expr, group: &Expr) -> Result<Vec<(Var, Expr)>, Fault> {
        let mut values = self.c.n.values(&self.known, n)?;
        values.extend(self.at_group(spec, group)?);
        values.extend(batch.iter().cloned());
        Ok(values)
    }

    /// A word of each column of a vector of B, whose first column is `n`.
    fn b_word(&self, spec: &BlockScaled, batch: &Batch, word: &Word, n: &Expr, group: &Expr) -> Result<Expr, Fault> {
        let values = self.at_column(spec, batch, n, group)?;
        let at = |index: &Expr| self.simple(&substituted(index, &values));
        let mut indices: Vec<Expr> = word.indices.iter().map(at).collect();
        if let Some(last) = indices.last_mut() {
            *last = self.vector_from(last, self.plan.lanes * WORD_CODES)?;
        }
        let lanes = u16::try_from(self.plan.lanes).map_err(|_| Fault::of_call("too many lanes"))?;
        let mut value = typed(typed(Expr::load(&word.buffer, indices))?.reinterpret(WORD.with_lanes(lanes)))?;
        let constant = |value: i64| typed(Expr::int(value, WORD).broadcast(lanes));
        if word.shift > 0 {
            value = binary(BinOp::Shr, &value, &constant(word.shift)?)?;
        }
        if word.bits < 8 {
            let mask = ((1_i64 << word.bits) - 1) * 0x0101_0101;
            value = binary(BinOp::BitAnd, &value, &constant(mask)?)?;
        }
        Ok(value)
    }

    /// What is prepared of A ahead of all tasks.
    pub(super) fn prepared_groups(&self, groups: &mut ScaledGroups<'_>) -> Result<Vec<Packed>, Fault> {
        let spec = groups.spec;
        let batch = || self.c.batch.axes.iter().map(|axis| axis.extent.clone());
        let shape = || -> Result<Vec<Expr>, Fault> {
            let own = [self.c.m.size.clone(), self.floor_div(&self.c.k.size, spec.group)?];
            Ok(batch().chain(own).collect())
        };
        let mut all = Vec::new();
        if spec.zero != 0 {
            let buffer = memory("group_starts", shape()?, DataType::I32, Scope::Global);
            let stmt = self.over_rows_of_a(&buffer, |sum, _| Ok(sum * -spec.zero), spec)?;
            groups.first = Some(buffer.clone());
            all.push(Packed { buffer, stmt });
        }
        if spec.b_min.is_some() {
            let buffer = memory("a_sums", shape()?, DataType::F32, Scope::Global);
            let stmt = self.over_rows_of_a(
                &buffer,
                |sum, row| binary(BinOp::Mul, &typed(sum.cast(DataType::F32))?, &self.a_scale(spec, row)?),
                spec,
            )?;
            groups.a_sums = Some(buffer.clone());
            all.push(Packed { buffer, stmt });
        }
        Ok(all)
    }

    /// For each row and group of A what `value` makes of the sum of its codes.
    fn over_rows_of_a(
        &self,
        to: &Buffer,
        value: impl Fn(&Expr, &Row<'_>) -> Result<Expr, Fault>,
        spec: &BlockScaled,
    ) -> Result<Stmt, Fault> {
        let (number, group) = (self.var("row"), self.var("group"));
        let own: Vec<Var> = self.c.batch.axes.iter().map(|axis| axis.var.renewed()).collect();
        let batch: Batch =
            self.c.batch.axes.iter().zip(&own).map(|(axis, own)| (axis.var.clone(), Expr::var(own))).collect();
        let row = Row { batch: &batch, m: Expr::var(&number), group: Expr::var(&group) };
        let codes = self.a_codes(spec, &row, 0, spec.group)?;
        let wide = typed(codes.cast(DataType::I32.with_lanes(codes.dtype.lanes)))?;
        let name = format!("llvm.vector.reduce.add.v{}i32", spec.group);
        let sum = Expr::foreign(DataType::I32, ForeignCallee::Llvm(name.into()), vec![wide]);
        let stmt = stored(to, self.group_indices(&row), &value(&sum, &row)?)?;
        let extent = to.shape.last().cloned().unwrap_or_else(|| self.int(0));
        let body = serial(&group, &extent, stmt);
        let body = task_block(&to.name, &[&self.c.a], vec![to.clone()], Vec::new(), body);
        let rows = self.product(&self.c.batch.size, &self.c.m.size)?;
        let kind =
            if rows.as_int().is_some_and(|rows| rows <= MAX_SERIAL_ROWS) { ForKind::Serial } else { ForKind::Parallel };
        let rows = looped(&number, &self.c.m.size, kind.clone(), body);
        let outer = own.iter().zip(&self.c.batch.axes).rev();
        Ok(outer.fold(rows, |body, (own, axis)| looped(own, &axis.extent, kind.clone(), body)))
    }

    /// The indices of what is prepared of a row's group.
    fn group_indices(&self, row: &Row<'_>) -> Vec<Expr> {
        let batch = self.c.batch.axes.iter().filter_map(|axis| row.batch.iter().find(|(var, _)| *var == axis.var));
        batch.map(|(_, value)| value.clone()).chain([row.m.clone(), row.group.clone()]).collect()
    }

    fn a_scale(&self, spec: &BlockScaled, row: &Row<'_>) -> Result<Expr, Fault> {
        Ok(substituted(&spec.a_scale, &self.at_row(spec, row)?))
    }

    /// The first column of a vector of the panel. Of vectors past the end of N it is that of the last vector there is:
    /// what they compute is not stored.
    fn first_column(&self, o: &Operands<'_>, v: &Expr) -> Result<Expr, Fault> {
        let lanes = self.plan.lanes;
        let n = self.simple(&o.n(&(v * lanes)));
        if self.divides(self.plan.panel(), &self.c.n.size)? {
            return Ok(n);
        }
        let last = &(&self.ceil_div(&self.c.n.size, lanes)? - 1) * lanes;
        self.min(&n, &self.simple(&last))
    }

    /// `before` plus a group's sum times its scales, at a row's group and a column.
    fn with_group(
        &self,
        groups: &ScaledGroups<'_>,
        before: &Expr,
        sum: &Expr,
        (row, n): (&Row<'_>, &Expr),
    ) -> Result<Expr, Fault> {
        let spec = groups.spec;
        let at = self.at_column(spec, row.batch, n, &row.group)?;
        let scale = binary(BinOp::Mul, &self.a_scale(spec, row)?, &substituted(&spec.b_scale, &at))?;
        let value = binary(BinOp::Add, before, &binary(BinOp::Mul, sum, &scale)?)?;
        let (Some(of_a), Some(min)) = (&groups.a_sums, &spec.b_min) else { return Ok(value) };
        let of_a = typed(Expr::load(of_a, self.group_indices(row)))?;
        binary(BinOp::Add, &value, &binary(BinOp::Mul, &of_a, &substituted(min, &at))?)
    }
}

impl MicroKernel<'_> {
    /// Row `i` of a tile, at a group.
    fn row(&self, tile: &Tile, i: &Expr, group: &Expr) -> Row<'_> {
        let (p, task) = (self.o.p, self.o.task);
        Row { batch: &task.batch, m: p.simple(&(&task.m_start + &(&tile.m_start + i))), group: group.clone() }
    }

    /// The loop over the groups of the K block, and the registers of the groups' sums.
    pub(super) fn over_scaled_groups(
        &self,
        groups: &ScaledGroups<'_>,
        tile: &Tile,
        accumulators: &Buffer,
    ) -> Result<(Stmt, Buffer), Fault> {
        let (p, o, spec) = (self.o.p, &self.o, groups.spec);
        let shape = [tile.mr, p.plan.nr_vectors, p.plan.lanes].map(|n| p.int(n)).to_vec();
        let sums = memory("group_sums", shape, DataType::I32, Scope::Local);
        let first = p.floor_div(&o.block.start, spec.group)?;
        let number = p.var("g");
        let g = p.simple(&(&first + &Expr::var(&number)));
        let row = |i: &Expr| self.row(tile, i, &g);
        let init = p.for_each(tile.mr, |i, l| match &groups.first {
            Some(first) => set_accumulator(&sums, i, l, &typed(Expr::load(first, p.group_indices(&row(i))))?),
            None => set_accumulator(&sums, i, l, &Expr::int(0, DataType::I32)),
        })?;
        let mut stmts = vec![init];
        for (at, word) in spec.words.iter().enumerate() {
            stmts.push(self.dot_of_group(spec, tile, &sums, &g, (at as i64, word))?);
        }
        stmts.push(p.for_each(tile.mr, |i, l| {
            let n = &p.first_column(o, &Expr::var(&l.v))? + &Expr::var(&l.j);
            let sum = typed(accumulator(&sums, i, l)?.cast(DataType::F32))?;
            let value = p.with_group(groups, &accumulator(accumulators, i, l)?, &sum, (&row(i), &n))?;
            set_accumulator(accumulators, i, l, &value)
        })?);
        let count = p.floor_div(&o.block.count, spec.group)?;
        Ok((serial(&number, &count, Stmt::seq(stmts)), sums))
    }

    /// The products of a word with those of all rows.
    fn dot_of_group(
        &self,
        spec: &BlockScaled,
        tile: &Tile,
        sums: &Buffer,
        g: &Expr,
        (at, word): (i64, &Word),
    ) -> Result<Stmt, Fault> {
        let (p, o, t) = (self.o.p, &self.o, self.o.p.plan);
        p.unrolled("v", t.nr_vectors, |v| {
            let b = p.b_word(spec, &o.task.batch, word, &p.first_column(o, v)?, g)?;
            let word = Var::new("b_word", b.dtype);
            let rows = p.unrolled("i", tile.mr, |i| {
                let a = p.a_codes(spec, &self.row(tile, i, g), at * WORD_CODES, WORD_CODES)?;
                let place = vec![i.clone(), v.clone(), p.vector_from(&p.int(0), t.lanes)?];
                let sum = typed(Expr::load(sums, place.clone()))?;
                let dot = dot_of_word(BYTES, &sum, &typed(a.reinterpret(WORD))?, &Expr::var(&word))?;
                stored(sums, place, &dot)
            })?;
            Ok(with_names(vec![(word, b)], rows))
        })
    }
}
