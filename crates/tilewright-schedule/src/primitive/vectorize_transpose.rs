//! `vectorize_transpose(block, lanes, ahead)`: a copy that reads along one loop what it writes along another is
//! transposed in registers.
//!
//! ```text
//! for r, w in T.grid(R, W):                      for rb, wb in T.grid(R / lanes, W / lanes):
//!     with T.block("copy"):              ─►          row0, …  = A[wb * lanes + 0, rb * lanes :][: lanes], …
//!         B[r, w] = A[w, r]                          column0, … = shuffles of row0, …
//!                                                    B[rb * lanes + 0, wb * lanes :][: lanes], … = column0, …
//! ```
//!
//! A tile of `lanes` by `lanes` elements is as many vectors. Neighbouring elements of two rows are exchanged within 16
//! bytes, then pieces of 16 bytes are, each of the `log2(lanes)` stages with one shuffle for each vector. Lanes of edge
//! tiles are masked; whole tiles have no masks. With `ahead` tiles follow each other along what is read, which the
//! hardware prefetcher recognises, and the elements that the next tile writes are prefetched: they are in rows of their
//! own, which it does not.
//!
//! Preconditions: the block is one store of what it loads from another buffer; the two innermost loops around it are
//! serial; what is read is contiguous along one of them, what is written along the other; conditions are upper
//! bounds of one of the two; no index is data.

use tilewright_arith::Analyzer;
use tilewright_ir::nest::Loop;
use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{
    BinOp, Block, Buffer, CmpOp, Expr, ExprKind, ForKind, Intrinsic, PrimFunc, Stmt, StmtKind, Var,
};

use super::call::{Call, Default, Outcome, Primitive};
use crate::analysis::dependence::check_affine;
use crate::analysis::guard::known_around;
use crate::build::exprs::{
    binary, compare, mentions, mentions_var, prefetch, reads_memory, stored, substituted, typed, typed_stmt,
};
use crate::build::loops::only_if;
use crate::build::rewrite::Formula;
use crate::fault::Fault;
use crate::site::{Site, around, axis_values, loop_of};

pub(crate) const VECTORIZE_TRANSPOSE: Primitive = Primitive {
    name: "VectorizeTranspose",
    method: "vectorize_transpose",
    doc: "Copies what is read along one loop and written along another in tiles that are transposed in registers.",
    params: &[("block", Default::Required), ("lanes", Default::Required), ("ahead", Default::Bool(false))],
    plan: None,
    gives_list: false,
    run,
};

/// Bytes within which one instruction exchanges elements of two vectors.
const SHUFFLE_BYTES: usize = 16;

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let lanes = lanes_of(call)?;
    check_affine(call.function, &site)?;
    let (transpose, outer) = Transpose::of(call.function, &site, lanes as usize)?;
    let body = transpose.in_tiles(call.flag(2)?)?;
    let element = typed(Expr::load(&transpose.from, transpose.from_indices.clone()))?;
    let element = stored(&transpose.to, transpose.to_indices.clone(), &element)?;
    let loops = [&transpose.read, &transpose.write];
    call.with_block_for(&site, &outer, in_one_block(&site, element, loops, body, Vec::new())?)
}

/// The lanes of the vectors that are transposed, the second argument.
pub(crate) fn lanes_of(call: &Call<'_>) -> Result<i64, Fault> {
    match call.int(1)? {
        lanes @ (2 | 4 | 8 | 16) => Ok(lanes),
        other => Err(Fault::of_call(format!("argument 2: expected 2, 4, 8 or 16, found {other}"))),
    }
}

/// The block with other statements and memory of its own, which touches what `element` does in all iterations of two
/// loops.
pub(crate) fn in_one_block(
    site: &Site,
    element: Stmt,
    [read, write]: [&Loop; 2],
    body: Stmt,
    alloc_buffers: Vec<Buffer>,
) -> Result<Stmt, Fault> {
    let block = site.expect_block()?;
    let whole = [write, read].into_iter().fold(element, |body, l| around(l.clone(), body));
    let found = block_regions(&Block { iters: Vec::new(), body: whole, ..block.clone() });
    let (reads, writes) = (found.reads, found.writes);
    let block = Block { iters: Vec::new(), reads, writes, body, alloc_buffers, ..block.clone() };
    Ok(StmtKind::Block { values: Vec::new(), predicate: Expr::bool(true), block }.into())
}

/// What a block stores, in terms of the loops around it, and under which condition.
pub(crate) fn formula_of_loops(site: &Site) -> Result<(Formula, &Expr), Fault> {
    let Formula { buffer, indices, value } = Formula::of(site)?;
    let (block, (values, predicate)) = (site.expect_block()?, site.expect_binding()?);
    let own = axis_values(block, values);
    Ok((Formula { buffer, indices: substituted(&indices, &own), value: substituted(&value, &own) }, predicate))
}

/// Upper bounds, `a < b`.
pub(crate) type Bounds = Vec<(Expr, Expr)>;

/// `to[…, write] = from[…, read]`, in terms of the loops.
#[derive(Clone)]
pub(crate) struct Transpose {
    pub(crate) lanes: usize,
    pub(crate) from: Buffer,
    pub(crate) from_indices: Vec<Expr>,
    /// Neighbours in `from` whose bits are one element of `to`; their number divides all lengths where it is not 1.
    pub(crate) word: u16,
    pub(crate) to: Buffer,
    pub(crate) to_indices: Vec<Expr>,
    /// The loop along what is read.
    pub(crate) read: Loop,
    /// The loop along what is written.
    pub(crate) write: Loop,
    pub(crate) edges: Edges,
}

/// Where a copy ends: upper bounds, `a < b`, and conditions that depend on neither loop.
#[derive(Clone, Default)]
pub(crate) struct Edges {
    /// Bounds of the loop along what is read.
    pub(crate) read: Bounds,
    /// Bounds of the loop along what is written.
    pub(crate) write: Bounds,
    /// Bounds of the loop along what is written beyond which nothing is read, and zeros are written.
    pub(crate) zeros: Bounds,
    pub(crate) conditions: Vec<Expr>,
}

impl Transpose {
    /// The copy that a block does, and the site of the outer of its two loops.
    fn of(function: &PrimFunc, site: &Site, lanes: usize) -> Result<(Self, Site), Fault> {
        let refuse = |message: &str| Fault::at(site, message.to_owned());
        let (Formula { buffer: to, indices: to_indices, value }, predicate) = formula_of_loops(site)?;
        let ExprKind::Load { buffer: from, indices: from_indices, predicate: None } = &value.kind else {
            return Err(refuse("the block stores something else than what it loads"));
        };
        if from.data == to.data || from.dtype != to.dtype || to.dtype.is_bool() {
            return Err(refuse("the block is no copy from one buffer to another"));
        }
        // Lanes beyond an edge have no element, and so no index that could be looked up for one.
        if from_indices.iter().chain(&to_indices).any(reads_memory) {
            return Err(refuse("an index is data"));
        }
        let ([a, b], outer) = two_loops(site)?;
        let known = known_around(function, site);
        let along = |indices: &[Expr], l: &Loop| is_along(&known, indices, &l.var);
        let (read, write) = match () {
            () if along(from_indices, &a) && along(&to_indices, &b) => (a, b),
            () if along(from_indices, &b) && along(&to_indices, &a) => (b, a),
            () => {
                return Err(refuse(
                    "what is read is not contiguous along one of the loops, and what is written along the other",
                ));
            }
        };
        let mut transpose = Self {
            lanes,
            from: from.clone(),
            from_indices: from_indices.clone(),
            word: 1,
            to,
            to_indices,
            read: read.clone(),
            write: write.clone(),
            edges: Edges::default(),
        };
        transpose
            .learn_bounds(&known_around(function, &outer), &known, &[&read, &write], predicate)
            .ok_or_else(|| refuse("a condition is no upper bound of one of the two loops"))?;
        Ok((transpose, outer))
    }

    /// Sorts the conditions by the loop that they bound; the end of a loop is one, where tiles may go beyond it.
    fn learn_bounds(
        &mut self,
        outside: &Analyzer,
        known: &Analyzer,
        [read, write]: &[&Loop; 2],
        predicate: &Expr,
    ) -> Option<()> {
        for l in [read, write] {
            let whole = Expr::binary(BinOp::FloorMod, &l.extent, &Expr::int(self.lanes as i64, l.var.dtype)).ok()?;
            if outside.simplify(&whole).as_int() != Some(0) {
                let bounds = if l.var == read.var { &mut self.edges.read } else { &mut self.edges.write };
                bounds.push((Expr::var(&l.var), l.extent.clone()));
            }
        }
        let found = sorted_bounds(known, &[read.var.clone(), write.var.clone()], predicate)?;
        self.edges.read.extend(found.read);
        self.edges.write.extend(found.write);
        self.edges.conditions = found.conditions;
        Some(())
    }

    /// The loops over tiles: those along what is written go inside of those along what is read. With `ahead` it is the
    /// other way round.
    fn in_tiles(&self, ahead: bool) -> Result<Stmt, Fault> {
        let (rows, columns) = (self.tiles_along(&self.read), self.tiles_along(&self.write));
        let tile = self.tile_at(&rows, &columns)?;
        if ahead {
            let body = Stmt::seq([self.prefetches(&rows, &columns)?, tile]);
            let inner = self.over(&rows, &self.read, self.under_conditions(body))?;
            return self.over(&columns, &self.write, inner);
        }
        let inner = self.over(&columns, &self.write, self.under_conditions(tile))?;
        self.over(&rows, &self.read, inner)
    }

    /// The loops over tiles: those along what is read go inside, so that few streams are read at a time.
    pub(crate) fn along_read(&self) -> Result<Stmt, Fault> {
        let (rows, columns) = (self.tiles_along(&self.read), self.tiles_along(&self.write));
        let body = self.tile_at(&rows, &columns)?;
        let inner = self.over(&rows, &self.read, self.under_conditions(body))?;
        self.over(&columns, &self.write, inner)
    }

    /// Prefetches of what the next tile writes: a line is read before a part of it is written.
    fn prefetches(&self, rows: &Var, columns: &Var) -> Result<Stmt, Fault> {
        let lanes = self.lanes as i64;
        let (row, column) = (&(&Expr::var(rows) + 1) * lanes, &Expr::var(columns) * lanes);
        let of_row = |at: i64| {
            let here = [(self.read.var.clone(), &row + at), (self.write.var.clone(), column.clone())];
            prefetch(&self.to, substituted(&self.to_indices, &here), true)
        };
        Ok(Stmt::seq((0..lanes).map(of_row).collect::<Result<Vec<Stmt>, Fault>>()?))
    }

    fn tiles_along(&self, l: &Loop) -> Var {
        Var::new(format!("{}_tile", l.var.name), l.var.dtype)
    }

    /// The loop over the tiles along a loop.
    fn over(&self, var: &Var, l: &Loop, body: Stmt) -> Result<Stmt, Fault> {
        let count = Analyzer::new().simplify(&typed(l.extent.ceil_div(self.lanes as i64))?);
        Ok(Stmt::for_loop(var, Expr::int(0, var.dtype), count, ForKind::Serial, body))
    }

    /// A tile, with masks where it is at an edge.
    fn tile_at(&self, rows: &Var, columns: &Var) -> Result<Stmt, Fault> {
        let lanes = self.lanes as i64;
        let (row, column) = (&Expr::var(rows) * lanes, &Expr::var(columns) * lanes);
        let mut whole: Option<Expr> = None;
        let sides = [
            (&self.edges.read, &self.read, &row),
            (&self.edges.write, &self.write, &column),
            (&self.edges.zeros, &self.write, &column),
        ];
        for (bounds, l, first) in sides {
            for (a, b) in bounds {
                let end = substituted(a, &[(l.var.clone(), first + (lanes - 1))]);
                let inside = compare(CmpOp::Lt, &end, b)?;
                whole = Some(match whole {
                    Some(whole) => binary(BinOp::And, &whole, &inside)?,
                    None => inside,
                });
            }
        }
        let edge = self.tile(&row, &column)?;
        let Some(condition) = whole else { return Ok(edge) };
        let then = Self { edges: Edges::default(), ..self.clone() }.tile(&row, &column)?;
        Ok(StmtKind::If { condition, then, otherwise: Some(edge) }.into())
    }

    fn under_conditions(&self, body: Stmt) -> Stmt {
        self.edges.conditions.iter().rev().fold(body, |body, condition| only_if(condition.clone(), body))
    }

    /// A tile from registers to registers; its lanes are masked where there are bounds.
    fn tile(&self, row: &Expr, column: &Expr) -> Result<Stmt, Fault> {
        let dtype = self.to.dtype.with_lanes(self.lanes as u16);
        let mut named: Vec<(Var, Expr)> = Vec::new();
        let name = |text: &str, value: Expr, named: &mut Vec<(Var, Expr)>| {
            let var = Var::new(text, dtype);
            let value_of = Expr::var(&var);
            named.push((var, value));
            value_of
        };
        let mut vectors = Vec::with_capacity(self.lanes);
        for at in 0..self.lanes as i64 {
            let here = [(self.read.var.clone(), row.clone()), (self.write.var.clone(), column + at)];
            let indices = self.along(&self.from_indices, &here, self.word)?;
            let across: Vec<_> = self.edges.write.iter().chain(&self.edges.zeros).cloned().collect();
            let loaded = typed(Expr::load_where(&self.from, indices, self.mask(&self.edges.read, &here)?))?;
            let loaded = typed(loaded.reinterpret(dtype))?;
            let loaded = match self.condition(&across, &here)? {
                Some(inside) => {
                    let nothing = typed(Expr::number(0, self.to.dtype).broadcast(self.lanes as u16))?;
                    typed(Expr::call(Intrinsic::IfThenElse, &[inside, loaded, nothing]))?
                }
                None => loaded,
            };
            vectors.push(name("row", loaded, &mut named));
        }
        for stage in stages(self.lanes, self.to.dtype.element_bytes()) {
            let mut next = vec![None; self.lanes];
            for Shuffled { of: [a, b], to, lanes } in stage {
                let (Some(a), Some(b)) = (vectors.get(a), vectors.get(b)) else { continue };
                let value = typed(Expr::shuffle(vec![a.clone(), b.clone()], lanes))?;
                if let Some(vector) = next.get_mut(to) {
                    *vector = Some(name("shuffled", value, &mut named));
                }
            }
            vectors = next.into_iter().flatten().collect();
        }
        let mut stores = Vec::with_capacity(self.lanes);
        for (at, vector) in (0..).zip(&vectors) {
            let here = [(self.read.var.clone(), row + at), (self.write.var.clone(), column.clone())];
            let indices = self.along(&self.to_indices, &here, 1)?;
            let mask = self.mask(&self.edges.write, &here)?;
            let store = typed_stmt(Stmt::store_where(&self.to, indices, vector, mask))?;
            stores.push(match self.condition(&self.edges.read, &here)? {
                Some(inside) => only_if(inside, store),
                None => store,
            });
        }
        let name_all = |body, (var, value)| StmtKind::Let { var, value, body }.into();
        Ok(named.into_iter().rev().fold(Stmt::seq(stores), name_all))
    }

    /// The indices of a vector from there on, of `word` elements in each lane.
    fn along(&self, indices: &[Expr], here: &[(Var, Expr)], word: u16) -> Result<Vec<Expr>, Fault> {
        let mut indices: Vec<Expr> = indices.iter().map(|index| substituted(index, here)).collect();
        if let Some(last) = indices.last_mut() {
            *last = typed(Expr::ramp(last, &Expr::int(1, last.dtype), self.lanes as u16 * word))?;
        }
        Ok(indices)
    }

    /// Which lanes are inside of bounds that go along them.
    fn mask(&self, along: &[(Expr, Expr)], here: &[(Var, Expr)]) -> Result<Option<Expr>, Fault> {
        let lanes = self.lanes as u16;
        let inside = |(a, b): &(Expr, Expr)| {
            let a = substituted(a, here);
            let ramp = typed(Expr::ramp(&a, &Expr::int(1, a.dtype), lanes))?;
            compare(CmpOp::Lt, &ramp, &typed(b.cast(a.dtype).and_then(|b| b.broadcast(lanes)))?)
        };
        all_of(along, inside)
    }

    /// Whether all lanes are inside of bounds that do not go along them.
    fn condition(&self, across: &[(Expr, Expr)], here: &[(Var, Expr)]) -> Result<Option<Expr>, Fault> {
        all_of(across, |(a, b)| compare(CmpOp::Lt, &substituted(a, here), b))
    }
}

/// What holds where all bounds do; none where there are none.
fn all_of(
    bounds: &[(Expr, Expr)],
    inside: impl Fn(&(Expr, Expr)) -> Result<Expr, Fault>,
) -> Result<Option<Expr>, Fault> {
    let mut parts = bounds.iter().map(inside);
    let Some(first) = parts.next() else { return Ok(None) };
    parts.try_fold(first?, |all, part| binary(BinOp::And, &all, &part?)).map(Some)
}

/// The two innermost loops around a block, of which each is serial and has bounds of its own, and the site of the outer
/// one.
pub(crate) fn two_loops(site: &Site) -> Result<([Loop; 2], Site), Fault> {
    let refuse = |message: &str| Fault::at(site, message.to_owned());
    let none = "there are no two loops around the block";
    let (above, rest) =
        site.above.len().checked_sub(2).map(|depth| site.above.split_at(depth)).ok_or_else(|| refuse(none))?;
    let [(first, _), (second, _)] = rest else { return Err(refuse(none)) };
    let (Some(a), Some(b)) = (loop_of(first), loop_of(second)) else { return Err(refuse(none)) };
    let serial = |l: &Loop| l.kind == ForKind::Serial && l.min.as_int() == Some(0);
    if !serial(&a) || !serial(&b) || mentions_var(&b.extent, &a.var) {
        return Err(refuse("the two innermost loops are not serial loops with bounds of their own"));
    }
    Ok(([a, b], Site { above: above.to_vec(), stmt: first.clone() }))
}

/// Whether the elements at these indices are contiguous along a loop: it is a term of the last index, and of no other.
pub(crate) fn is_along(known: &Analyzer, indices: &[Expr], var: &Var) -> bool {
    let var = std::slice::from_ref(var);
    let Some((last, others)) = indices.split_last() else { return false };
    let coefficient = known.linear_in(last, var).and_then(|linear| linear.coefficients.first().copied());
    coefficient == Some(1) && !others.iter().any(|index| mentions(index, var))
}

/// The conditions as bounds of the loop along what is read and of that along what is written.
pub(crate) fn sorted_bounds(known: &Analyzer, vars: &[Var; 2], predicate: &Expr) -> Option<Edges> {
    let mut edges = Edges::default();
    let mut pending = vec![predicate.clone()];
    while let Some(condition) = pending.pop() {
        match &condition.kind {
            ExprKind::Binary(BinOp::And, a, b) => pending.extend([b.clone(), a.clone()]),
            ExprKind::Compare(CmpOp::Lt, a, b) => {
                let difference = Expr::binary(BinOp::Sub, a, b).ok()?;
                let linear = known.linear_in(&difference, vars)?;
                let bound = (a.clone(), b.clone());
                match linear.coefficients.as_slice() {
                    [1, 0] if !mentions(b, vars) => edges.read.push(bound),
                    [0, 1] if !mentions(b, vars) => edges.write.push(bound),
                    [0, 0] => edges.conditions.push(condition),
                    _ => return None,
                }
            }
            _ if condition.as_int() == Some(1) => {}
            _ => return None,
        }
    }
    Some(edges)
}

/// A vector of a stage: lanes of two vectors of the stage before.
struct Shuffled {
    of: [usize; 2],
    to: usize,
    lanes: Vec<usize>,
}

/// The shuffles that make columns of rows.
fn stages(lanes: usize, bytes: usize) -> Vec<Vec<Shuffled>> {
    let piece = (SHUFFLE_BYTES / bytes.max(1)).clamp(1, lanes);
    let mut stages = Vec::new();
    // Inside of pieces: units of the halves of each piece alternate, those of the lower halves in one vector, those of
    // the upper ones in the next.
    let mut unit = 1;
    while unit < piece {
        let mut stage = Vec::new();
        for group in (0..lanes).step_by(2 * unit) {
            for k in 0..unit {
                for half in 0..2 {
                    let source = |lane: usize| {
                        let (start, within) = (lane / piece * piece, lane % piece);
                        let (pair, second, offset) = (within / (2 * unit), within / unit % 2, within % unit);
                        second * lanes + start + half * piece / 2 + pair * unit + offset
                    };
                    let of = [group + k, group + k + unit];
                    stage.push(Shuffled { of, to: group + 2 * k + half, lanes: (0..lanes).map(source).collect() });
                }
            }
        }
        stages.push(stage);
        unit *= 2;
    }
    // Vector `g * piece + c` has of each piece the column c, for the rows of group g: pieces are transposed against
    // groups.
    let mut width = 1;
    while width < lanes / piece {
        let (pieces, groups) = (lanes / piece, lanes / piece / width);
        let mut stage = Vec::new();
        for pair in 0..groups / 2 {
            for part in 0..width {
                for c in 0..piece {
                    for odd in 0..2 {
                        let at = |group: usize, part: usize, of: usize| (group * of + part) * piece + c;
                        let source = |lane: usize| {
                            let (p, within) = (lane / piece, lane % piece);
                            (2 * p + odd) % pieces * piece + within + 2 * p / pieces * lanes
                        };
                        let of = [at(2 * pair, part, width), at(2 * pair + 1, part, width)];
                        let to = at(pair, part + odd * width, 2 * width);
                        stage.push(Shuffled { of, to, lanes: (0..lanes).map(source).collect() });
                    }
                }
            }
        }
        stages.push(stage);
        width *= 2;
    }
    stages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_make_columns_of_rows() {
        for lanes in [2usize, 4, 8, 16] {
            for bytes in [1, 2, 4, 8] {
                let mut vectors: Vec<Vec<(usize, usize)>> =
                    (0..lanes).map(|row| (0..lanes).map(|column| (row, column)).collect()).collect();
                for stage in stages(lanes, bytes) {
                    let mut next = vec![Vec::new(); lanes];
                    for Shuffled { of: [a, b], to, lanes: from } in stage {
                        let both: Vec<_> = vectors[a].iter().chain(&vectors[b]).copied().collect();
                        next[to] = from.iter().map(|&lane| both[lane]).collect();
                    }
                    vectors = next;
                }
                for (column, vector) in vectors.iter().enumerate() {
                    let expected: Vec<_> = (0..lanes).map(|row| (row, column)).collect();
                    assert_eq!(*vector, expected, "{lanes} lanes of {bytes} bytes");
                }
            }
        }
    }
}
