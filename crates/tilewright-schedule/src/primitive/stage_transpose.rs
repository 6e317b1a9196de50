//! `stage_transpose(block, lanes, ahead)`: what a block reads along another loop than it writes along comes through a
//! temporary that is contiguous along the loop that is written along.
//!
//! ```text
//! for r, w in T.grid(R, W):                      transposed[0 : R, 0 : W] = A[0 : W, 0 : R].T
//!     with T.block("sum"):              ─►       for r in range(R):
//!         B[r, w] = A[w, r] + C[r, w]                for w in T.vectorized(W):
//!                                                        B[r, w] = transposed[r, w] + C[r, w]
//! ```
//!
//! Tiles of `lanes` by `lanes` elements are transposed in registers, as `vectorize_transpose` does it, those along what
//! is read one after the other. Rows of the result are then written from start to end: in vectors, and in whole cache
//! lines wherever a row may begin. What is read lies in runs of `R` elements, what is written in runs of `W`: of two
//! lines or more, for single lines far from each other have half of memory's bandwidth. With `ahead` the following
//! elements along what is read are prefetched, a part with each row, so that reads and writes of memory overlap. Where
//! the number of iterations along what is read is not known, this is done for `lanes` of them at a time.
//!
//! Preconditions: the block is one store of a value that is computed without conditions; the two innermost loops around
//! it are serial, and the one that is written along has a constant extent; at least one element that is read is
//! contiguous along the other one; conditions are upper bounds of one of the two; no index is data.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::nest::Loop;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ExprKind, ForKind, Intrinsic, PrimFunc, Scope, Stmt, Var};
use tilewright_tensor::DataType;

use super::call::{Call, Default, Outcome, Primitive};
use super::vectorize_transpose::{
    Bounds, Edges, Transpose, formula_of_loops, in_one_block, is_along, lanes_of, sorted_bounds, two_loops,
};
use crate::analysis::dependence::check_affine;
use crate::analysis::guard::known_around;
use crate::build::exprs::{binary, compare, prefetch, reads_memory, stored, substituted, typed};
use crate::build::loops::{looped, memory, only_if, serial, serial_loop};
use crate::build::rewrite::Formula;
use crate::fault::Fault;
use crate::site::Site;
use crate::units::{LINE, ceil_div};

pub(crate) const STAGE_TRANSPOSE: Primitive = Primitive {
    name: "StageTranspose",
    method: "stage_transpose",
    doc: "Transposes what is read along one loop and written along another in tiles, and writes whole rows of the result.",
    params: &[("block", Default::Required), ("lanes", Default::Required), ("ahead", Default::Bool(false))],
    plan: None,
    gives_list: false,
    run,
};

/// Elements of a row that is written at once, and rows that are transposed together, at most.
const MAX_ROW: i64 = 4096;
const MAX_ROWS: i64 = 1024;

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let lanes = lanes_of(call)?;
    check_affine(call.function, &site)?;
    let (stage, outer) = Stage::of(call.function, &site, lanes, call.flag(2)?)?;
    let element = stored(&stage.to, stage.to_indices.clone(), &stage.value)?;
    let (body, own) = stage.in_tiles()?;
    call.with_block_for(&site, &outer, in_one_block(&site, element, [&stage.read, &stage.write], body, own)?)
}

/// `to[…, write] = value`, in terms of the loops.
struct Stage {
    lanes: i64,
    ahead: bool,
    to: Buffer,
    to_indices: Vec<Expr>,
    value: Expr,
    /// The elements in the value that are contiguous along the loop `read`.
    crossing: Vec<Expr>,
    read: Loop,
    write: Loop,
    /// Iterations of the loop that is written along.
    width: i64,
    edges: Edges,
    /// Whether each row is whole cache lines.
    fills_lines: bool,
}

impl Stage {
    /// What a block does, and the site of the outer of its two loops.
    fn of(function: &PrimFunc, site: &Site, lanes: i64, ahead: bool) -> Result<(Self, Site), Fault> {
        let refuse = |message: &str| Fault::at(site, message.to_owned());
        let (Formula { buffer: to, indices: to_indices, value }, predicate) = formula_of_loops(site)?;
        let loads =
            loads_of(&value).ok_or_else(|| refuse("an element is read under a condition, or its index is data"))?;
        let ([a, b], outer) = two_loops(site)?;
        let known = known_around(function, site);
        let (read, write) = if is_along(&known, &to_indices, &b.var) { (a, b) } else { (b, a) };
        let width = write.extent.as_int().filter(|width| (1..=MAX_ROW).contains(width));
        let width = width.ok_or_else(|| refuse("the loop that is written along has no constant extent"))?;
        let vars = [read.var.clone(), write.var.clone()];
        let crossing: Vec<Expr> = loads.iter().filter(|load| crosses(&known, load, &vars)).cloned().collect();
        let reads_result =
            loads.iter().any(|load| matches!(&load.kind, ExprKind::Load { buffer, .. } if buffer.data == to.data));
        if !is_along(&known, &to_indices, &write.var) || crossing.is_empty() || reads_result {
            return Err(refuse("nothing is read along one of the loops while the other is written along"));
        }
        let edges = sorted_bounds(&known, &vars, predicate)
            .ok_or_else(|| refuse("a condition is no upper bound of one of the two loops"))?;
        let fills_lines = fills_lines(&known, &to, &to_indices, &write.var, width);
        let stage = Self { lanes, ahead, to, to_indices, value, crossing, read, write, width, edges, fills_lines };
        Ok((stage, outer))
    }

    /// The rows that are transposed together: all of them, in whole tiles, where their number is known.
    fn rows(&self) -> i64 {
        let all = self.read.extent.as_int().filter(|rows| (1..=MAX_ROWS).contains(rows));
        all.map_or(self.lanes, |rows| ceil_div(rows, self.lanes) * self.lanes)
    }

    /// The loops over rows that are transposed together, and the temporaries that they go through.
    fn in_tiles(&self) -> Result<(Stmt, Vec<Buffer>), Fault> {
        let (dtype, count) = (self.read.var.dtype, self.rows());
        let (tile, row) = (Var::new(format!("{}_tile", self.read.var.name), dtype), Var::new("row", dtype));
        let first = &Expr::var(&tile) * count;
        let here = [(self.read.var.clone(), &first + &Expr::var(&row))];
        let mut read_bounds: Bounds = self.edges.read.iter().map(|(a, b)| (substituted(a, &here), b.clone())).collect();
        let rest = binary(BinOp::FloorMod, &self.read.extent, &Expr::int(count, dtype))?;
        if Analyzer::new().simplify(&rest).as_int() != Some(0) {
            read_bounds.push((&first + &Expr::var(&row), self.read.extent.clone()));
        }
        let (mut steps, mut value, mut buffers) = (Vec::new(), self.value.clone(), Vec::new());
        for load in &self.crossing {
            let ExprKind::Load { buffer, indices, .. } = &load.kind else { continue };
            let shape = [count, self.row_stride(buffer.dtype)];
            let shape = shape.iter().map(|&size| Expr::int(size, dtype)).collect();
            let transposed = memory(&format!("{}_transposed", buffer.name), shape, buffer.dtype, Scope::Local);
            let from_indices: Vec<Expr> = indices.iter().map(|index| substituted(index, &here)).collect();
            let transpose = self.transpose(buffer, from_indices, &transposed, &row, &read_bounds);
            steps.push(transpose.along_read()?);
            let element = typed(Expr::load(&transposed, vec![Expr::var(&row), Expr::var(&self.write.var)]))?;
            value = rewrite(&value, |e: &Expr| e.equal(load).then(|| element.clone())).unwrap_or(value);
            buffers.push(transposed);
        }
        let mut each = vec![self.row(&substituted(&self.to_indices, &here), &substituted(&value, &here))?];
        if self.ahead {
            each.insert(0, self.prefetches(&first, &row)?);
            if !self.fills_lines {
                steps.insert(0, self.ends(&first, &row)?);
            }
        }
        let inside = read_bounds
            .iter()
            .rev()
            .try_fold(Stmt::seq(each), |body, (a, b)| Ok::<Stmt, Fault>(only_if(compare(CmpOp::Lt, a, b)?, body)))?;
        steps.push(serial(&row, &Expr::int(count, dtype), inside));
        let tiles = typed(self.read.extent.ceil_div(count))?;
        let body = looped(&tile, &Analyzer::new().simplify(&tiles), ForKind::Serial, Stmt::seq(steps));
        let whole = self.edges.conditions.iter().rev().fold(body, |body, condition| only_if(condition.clone(), body));
        Ok((whole, buffers))
    }

    /// Elements from a transposed row to the next: whole cache lines, and an odd number of them, so that the rows of a
    /// tile have no set conflicts.
    fn row_stride(&self, dtype: DataType) -> i64 {
        let line = elements_of_a_line(dtype);
        (ceil_div(ceil_div(self.width, self.lanes) * self.lanes, line) | 1) * line
    }

    /// The copy of a tile's elements into their memory.
    fn transpose(
        &self,
        from: &Buffer,
        from_indices: Vec<Expr>,
        to: &Buffer,
        lane: &Var,
        read_bounds: &Bounds,
    ) -> Transpose {
        let (l, w) = (lane.renewed(), self.write.var.renewed());
        let values = [(lane.clone(), Expr::var(&l)), (self.write.var.clone(), Expr::var(&w))];
        let at = |bounds: &Bounds| bounds.iter().map(|(a, b)| (substituted(a, &values), b.clone())).collect::<Bounds>();
        let mut write = at(&self.edges.write);
        if self.width % self.lanes != 0 {
            write.push((Expr::var(&w), Expr::int(self.width, w.dtype)));
        }
        let side = |var: &Var, extent: i64| serial_loop(var, &Expr::int(extent, var.dtype));
        Transpose {
            lanes: usize::try_from(self.lanes).unwrap_or(1),
            from: from.clone(),
            from_indices: substituted(&from_indices, &values),
            word: 1,
            to: to.clone(),
            to_indices: vec![Expr::var(&l), Expr::var(&w)],
            read: side(&l, self.rows()),
            write: side(&w, self.width),
            edges: Edges { read: at(read_bounds), write, ..Edges::default() },
        }
    }

    /// A row of the result, up to its end.
    fn row(&self, to_indices: &[Expr], value: &Expr) -> Result<Stmt, Fault> {
        let w = &self.write.var;
        let mut extent = Expr::int(self.width, w.dtype);
        for (a, b) in &self.edges.write {
            let start = substituted(a, &[(w.clone(), Expr::int(0, w.dtype))]);
            let left = typed(binary(BinOp::Sub, b, &start)?.cast(w.dtype))?;
            extent = binary(BinOp::Min, &extent, &left)?;
        }
        let store = stored(&self.to, to_indices.to_vec(), value)?;
        Ok(looped(w, &extent, ForKind::Vectorized, store))
    }

    /// Prefetches to L2 what is transposed next, a part of it with each row: of each line the element at its end, for
    /// where rows begin within lines, the line of the first element was the last one of what came before.
    fn prefetches(&self, first: &Expr, row: &Var) -> Result<Stmt, Fault> {
        let mut all = Vec::new();
        for load in &self.crossing {
            let ExprKind::Load { buffer, indices, .. } = &load.kind else { continue };
            let line = elements_of_a_line(buffer.dtype);
            let lines = ceil_div(self.rows(), line);
            let part = ceil_div(self.width * lines, self.rows());
            let at = Var::new("at", row.dtype);
            let number = &(&Expr::var(row) * part) + &Expr::var(&at);
            let by = Expr::int(lines, row.dtype);
            let read = &(first + &(&binary(BinOp::FloorMod, &number, &by)? * line)) + (self.rows() + line - 1);
            let written = typed(binary(BinOp::FloorDiv, &number, &by)?.cast(self.write.var.dtype))?;
            let here = [(self.read.var.clone(), read), (self.write.var.clone(), written)];
            let line = prefetch(buffer, substituted(indices, &here), false)?;
            all.push(serial(&at, &Expr::int(part, at.dtype), line));
        }
        Ok(Stmt::seq(all))
    }

    /// Prefetches of the lines in which the rows begin and end: other rows have parts in them, so that they are read
    /// before they are written.
    fn ends(&self, first: &Expr, row: &Var) -> Result<Stmt, Fault> {
        let row = row.renewed();
        let here = |column: i64| {
            let column = Expr::int(column, self.write.var.dtype);
            [(self.read.var.clone(), first + &Expr::var(&row)), (self.write.var.clone(), column)]
        };
        let end = |column: i64| prefetch(&self.to, substituted(&self.to_indices, &here(column)), true);
        let ends = Stmt::seq([end(0)?, end(self.width - 1)?]);
        Ok(serial(&row, &Expr::int(self.rows(), row.dtype), ends))
    }
}

/// How many elements a cache line has.
fn elements_of_a_line(dtype: DataType) -> i64 {
    LINE / (dtype.element_bytes() as i64).clamp(1, LINE)
}

/// Whether rows of so many elements along the variable are whole cache lines, if the buffer begins where one does.
fn fills_lines(known: &Analyzer, buffer: &Buffer, indices: &[Expr], var: &Var, width: i64) -> bool {
    let line = elements_of_a_line(buffer.dtype);
    let Some((last, _)) = indices.split_last() else { return false };
    let from = substituted(last, &[(var.clone(), Expr::int(0, var.dtype))]);
    let is_multiple = |size: &Expr| {
        let rest = Expr::binary(BinOp::FloorMod, size, &Expr::int(line, size.dtype));
        rest.is_ok_and(|rest| known.simplify(&rest).as_int() == Some(0))
    };
    let row = if buffer.shape.len() > 1 { buffer.shape.last() } else { None };
    buffer.strides.is_empty() && width % line == 0 && row.into_iter().chain([&from]).all(is_multiple)
}

/// Whether a load is contiguous along the loop that is read along, and not along the other.
fn crosses(known: &Analyzer, load: &Expr, [read, write]: &[Var; 2]) -> bool {
    match &load.kind {
        ExprKind::Load { buffer, indices, .. } => {
            !buffer.dtype.is_bool() && is_along(known, indices, read) && !is_along(known, indices, write)
        }
        _ => false,
    }
}

/// The elements that a value is computed from, each once; `None` where one is read under a condition, or has an index
/// that is data: it may not be there to be read with its neighbours.
fn loads_of(value: &Expr) -> Option<Vec<Expr>> {
    let (mut found, mut certain): (Vec<Expr>, bool) = (Vec::new(), true);
    walk(value, |e: &Expr| match &e.kind {
        ExprKind::Load { indices, predicate, .. } => {
            certain &= predicate.is_none() && !indices.iter().any(reads_memory);
            if !found.iter().any(|known| known.equal(e)) {
                found.push(e.clone());
            }
        }
        ExprKind::Call { intrinsic: Intrinsic::IfThenElse, .. } | ExprKind::Let { .. } | ExprKind::Foreign { .. } => {
            certain = false;
        }
        _ => {}
    });
    certain.then_some(found)
}
