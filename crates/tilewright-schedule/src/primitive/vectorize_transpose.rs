//! `vectorize_transpose(block, lanes)`: a copy that reads along one loop what it writes along another goes through registers.
//!
//! ```text
//! for r, w in T.grid(R, W):                      for rb, wb in T.grid(R / lanes, W / lanes):
//!     with T.block("copy"):              ─►          row0, …  = A[wb * lanes + 0, rb * lanes :][: lanes], …
//!         B[r, w] = A[w, r]                          column0, … = shuffles of row0, …
//!                                                    B[rb * lanes + 0, wb * lanes :][: lanes], … = column0, …
//! ```
//!
//! A tile of `lanes` by `lanes` elements is as many vectors. Neighbouring elements of two rows change places inside of 16
//! bytes, then pieces of 16 bytes do, each of the `log2(lanes)` stages with one shuffle for each vector. Lanes of tiles
//! at the edges are masked; whole tiles have no masks.
//!
//! Preconditions: the block is one store of what it loads from another buffer; the two innermost loops around it are
//! serial; along one of them what is read lies together in memory, along the other what is written; conditions are upper
//! bounds of one of the two; no index is data.

use tilewright_arith::Analyzer;
use tilewright_ir::nest::Loop;
use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{BinOp, Block, Buffer, CmpOp, Expr, ExprKind, ForKind, PrimFunc, Stmt, StmtKind, Var};

use super::{Call, Default, Fault, Outcome, Primitive, Results};
use crate::guard::{binary, compare, known_around, mentions, reads_memory, stored, substituted, typed, typed_stmt};
use crate::independent::{check_affine, has_effects};
use crate::tree::{Site, around, key_at};

pub(super) const VECTORIZE_TRANSPOSE: Primitive = Primitive {
    name: "VectorizeTranspose",
    method: "vectorize_transpose",
    params: &[("block", Default::Required), ("lanes", Default::Required)],
    gives_list: false,
    run,
};

/// Bytes inside of which elements of two vectors change places in one instruction.
const PIECE: usize = 16;

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let lanes = match call.int(1)? {
        lanes @ (2 | 4 | 8 | 16) => lanes as usize,
        other => return Err(Fault::of_call(format!("argument 2: expected 2, 4, 8 or 16, found {other}"))),
    };
    check_affine(call.function, &site)?;
    let (copy, outer) = Copy::of(call.function, &site, lanes)?;
    let body = copy.in_tiles()?;
    let Some(block) = site.block() else { return Err(Fault::at(&site, "expected a block")) };
    let element = stored(&copy.to, copy.to_indices.clone(), &typed(copy.element())?)?;
    let found = block_regions(&Block {
        iters: Vec::new(),
        body: [&copy.write, &copy.read].into_iter().fold(element, |body, l| around(l.clone(), body)),
        ..block.clone()
    });
    let whole = Block { iters: Vec::new(), reads: found.reads, writes: found.writes, body, ..block.clone() };
    let new: Stmt = StmtKind::Block { values: Vec::new(), predicate: Expr::bool(true), block: whole }.into();
    let function = PrimFunc { body: outer.replaced(new), ..call.function.clone() };
    let key = key_at(&function.body, &outer).ok_or_else(|| Fault::of_call("the block is gone"))?;
    let moved = key_at(&call.function.body, &site).into_iter().map(|was| (was, key.clone())).collect();
    Ok(Outcome { function: Some(function), results: Results::One(key), moved })
}

/// `to[…, write] = from[…, read]`, in terms of the loops.
struct Copy {
    lanes: usize,
    from: Buffer,
    from_indices: Vec<Expr>,
    to: Buffer,
    to_indices: Vec<Expr>,
    /// The loop along what is read.
    read: Loop,
    /// The loop along what is written.
    write: Loop,
    /// Upper bounds, `a < b`, of the one and of the other loop, and conditions on neither.
    read_bounds: Vec<(Expr, Expr)>,
    write_bounds: Vec<(Expr, Expr)>,
    conditions: Vec<Expr>,
}

impl Copy {
    /// The copy that a block does, and the place of the outer of its two loops.
    fn of(function: &PrimFunc, site: &Site, lanes: usize) -> Result<(Self, Site), Fault> {
        let refuse = |message: &str| Fault::at(site, message.to_owned());
        let (Some(block), Some((values, predicate))) = (site.block(), site.binding()) else {
            return Err(refuse("expected a block"));
        };
        let plain = block.alloc_buffers.is_empty() && block.match_buffers.is_empty() && !has_effects(block);
        let StmtKind::Store { buffer: to, indices: to_indices, value, predicate: None } = &block.body.kind else {
            return Err(refuse("the block is no store"));
        };
        let ExprKind::Load { buffer: from, indices: from_indices, predicate: None } = &value.kind else {
            return Err(refuse("the block stores something else than what it loads"));
        };
        if !plain || block.init.is_some() || from.data == to.data || from.dtype != to.dtype || to.dtype.is_bool() {
            return Err(refuse("the block is no copy from one buffer to another"));
        }
        let own: Vec<(Var, Expr)> =
            block.iters.iter().map(|iter| iter.var.clone()).zip(values.iter().cloned()).collect();
        let (from_indices, to_indices) = (substituted(from_indices, &own), substituted(to_indices, &own));
        // Lanes of an edge have no element, and so no place that could be looked up for one.
        if from_indices.iter().chain(&to_indices).any(reads_memory) {
            return Err(refuse("an index is data"));
        }
        let depth = site.above.len().checked_sub(2).ok_or_else(|| refuse("there are no two loops around the block"))?;
        let (above, rest) = site.above.split_at(depth);
        let inner: Vec<Loop> = rest.iter().filter_map(|(stmt, _)| crate::tree::loop_of(stmt)).collect();
        let outer = Site { above: above.to_vec(), stmt: rest.first().ok_or_else(|| refuse("no loop"))?.0.clone() };
        let [a, b] = inner.as_slice() else { return Err(refuse("there are no two loops around the block")) };
        let known = known_around(function, site);
        let serial = |l: &Loop| l.kind == ForKind::Serial && l.min.as_int() == Some(0);
        let along = |indices: &[Expr], l: &Loop| is_along(&known, indices, &l.var);
        if !serial(a) || !serial(b) || mentions(&b.extent, std::slice::from_ref(&a.var)) {
            return Err(refuse("the two innermost loops are not serial loops with bounds of their own"));
        }
        let (read, write) = match () {
            () if along(&from_indices, a) && along(&to_indices, b) => (a, b),
            () if along(&from_indices, b) && along(&to_indices, a) => (b, a),
            () => {
                return Err(refuse(
                    "what is read does not lie along one of the loops, and what is written along the other",
                ));
            }
        };
        let mut copy = Self {
            lanes,
            from: from.clone(),
            from_indices,
            to: to.clone(),
            to_indices,
            read: read.clone(),
            write: write.clone(),
            read_bounds: Vec::new(),
            write_bounds: Vec::new(),
            conditions: Vec::new(),
        };
        copy.learn_bounds(&known_around(function, &outer), &known, &[read, write], predicate)
            .ok_or_else(|| refuse("a condition is no upper bound of one of the two loops"))?;
        Ok((copy, outer))
    }

    fn element(&self) -> Result<Expr, tilewright_ir::tir::TypeMismatch> {
        Expr::load(&self.from, self.from_indices.clone())
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
                let bounds = if l.var == read.var { &mut self.read_bounds } else { &mut self.write_bounds };
                bounds.push((Expr::var(&l.var), l.extent.clone()));
            }
        }
        let mut pending = vec![predicate.clone()];
        while let Some(condition) = pending.pop() {
            match &condition.kind {
                ExprKind::Binary(BinOp::And, a, b) => pending.extend([b.clone(), a.clone()]),
                ExprKind::Compare(CmpOp::Lt, a, b) => {
                    let vars = [read.var.clone(), write.var.clone()];
                    let difference = Expr::binary(BinOp::Sub, a, b).ok()?;
                    let linear = known.linear_in(&difference, &vars)?;
                    let bound = (a.clone(), b.clone());
                    match linear.coefficients.as_slice() {
                        [1, 0] if !mentions(b, &vars) => self.read_bounds.push(bound),
                        [0, 1] if !mentions(b, &vars) => self.write_bounds.push(bound),
                        [0, 0] => self.conditions.push(condition),
                        _ => return None,
                    }
                }
                _ if condition.as_int() == Some(1) => {}
                _ => return None,
            }
        }
        Some(())
    }

    fn in_tiles(&self) -> Result<Stmt, Fault> {
        let lanes = self.lanes as i64;
        let block_of = |l: &Loop| Var::new(format!("{}_tile", l.var.name), l.var.dtype);
        let (rows, columns) = (block_of(&self.read), block_of(&self.write));
        let (row, column) = (&Expr::var(&rows) * lanes, &Expr::var(&columns) * lanes);
        let mut whole: Option<Expr> = None;
        for (bounds, l, first) in [(&self.read_bounds, &self.read, &row), (&self.write_bounds, &self.write, &column)] {
            for (a, b) in bounds {
                let end = substituted(a, &[(l.var.clone(), first + (lanes - 1))]);
                let inside = compare(CmpOp::Lt, &end, b)?;
                whole = Some(match whole {
                    Some(whole) => binary(BinOp::And, &whole, &inside)?,
                    None => inside,
                });
            }
        }
        let tile = self.tile(&row, &column, false)?;
        let body = match whole {
            Some(condition) => {
                let edge = self.tile(&row, &column, true)?;
                StmtKind::If { condition, then: tile, otherwise: Some(edge) }.into()
            }
            None => tile,
        };
        let body = self.conditions.iter().rev().fold(body, |body, condition| {
            StmtKind::If { condition: condition.clone(), then: body, otherwise: None }.into()
        });
        let tiles = |var: &Var, l: &Loop, body: Stmt| -> Result<Stmt, Fault> {
            let count = binary(BinOp::FloorDiv, &(&l.extent + (lanes - 1)), &Expr::int(lanes, var.dtype))?;
            let count = Analyzer::new().simplify(&count);
            Ok(Stmt::for_loop(var, Expr::int(0, var.dtype), count, ForKind::Serial, body))
        };
        let inner = tiles(&columns, &self.write, body)?;
        tiles(&rows, &self.read, inner)
    }

    /// A tile from registers to registers; its lanes are masked where it is at an edge.
    fn tile(&self, row: &Expr, column: &Expr, masked: bool) -> Result<Stmt, Fault> {
        let dtype = self.from.dtype.with_lanes(self.lanes as u16);
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
            let indices = self.along(&self.from_indices, &here)?;
            let mask = self.mask(masked, [&self.read_bounds, &self.write_bounds], &here)?;
            let loaded = typed(Expr::load_where(&self.from, indices, mask))?;
            vectors.push(name("row", loaded, &mut named));
        }
        for stage in stages(self.lanes, self.from.dtype.element_bytes()) {
            let mut next = vec![None; self.lanes];
            for Shuffled { of: [a, b], to, lanes } in stage {
                let (Some(a), Some(b)) = (vectors.get(a), vectors.get(b)) else { continue };
                let value = typed(Expr::shuffle(vec![a.clone(), b.clone()], lanes))?;
                if let Some(place) = next.get_mut(to) {
                    *place = Some(name("mixed", value, &mut named));
                }
            }
            vectors = next.into_iter().flatten().collect();
        }
        let mut stores = Vec::with_capacity(self.lanes);
        for (at, vector) in (0..).zip(&vectors) {
            let here = [(self.read.var.clone(), row + at), (self.write.var.clone(), column.clone())];
            let indices = self.along(&self.to_indices, &here)?;
            let mask = self.mask(masked, [&self.write_bounds, &self.read_bounds], &here)?;
            stores.push(typed_stmt(Stmt::store_where(&self.to, indices, vector, mask))?);
        }
        let name_all = |body, (var, value)| StmtKind::Let { var, value, body }.into();
        Ok(named.into_iter().rev().fold(Stmt::seq(stores), name_all))
    }

    /// The indices of as many neighbours from there on.
    fn along(&self, indices: &[Expr], here: &[(Var, Expr)]) -> Result<Vec<Expr>, Fault> {
        let mut indices: Vec<Expr> = indices.iter().map(|index| substituted(index, here)).collect();
        if let Some(last) = indices.last_mut() {
            *last = typed(Expr::ramp(last, &Expr::int(1, last.dtype), self.lanes as u16))?;
        }
        Ok(indices)
    }

    /// Which lanes are inside of some bounds, which go along them, and of others, which do not.
    fn mask(
        &self,
        masked: bool,
        [along, across]: [&[(Expr, Expr)]; 2],
        here: &[(Var, Expr)],
    ) -> Result<Option<Expr>, Fault> {
        if !masked {
            return Ok(None);
        }
        let lanes = self.lanes as u16;
        let mut parts = Vec::new();
        for (a, b) in along {
            let a = substituted(a, here);
            let ramp = typed(Expr::ramp(&a, &Expr::int(1, a.dtype), lanes))?;
            parts.push(compare(CmpOp::Lt, &ramp, &typed(b.cast(a.dtype).and_then(|b| b.broadcast(lanes)))?)?);
        }
        for (a, b) in across {
            let inside = compare(CmpOp::Lt, &substituted(a, here), b)?;
            parts.push(typed(inside.broadcast(lanes))?);
        }
        let mut parts = parts.into_iter();
        let Some(first) = parts.next() else { return Ok(None) };
        parts.try_fold(first, |all, part| binary(BinOp::And, &all, &part)).map(Some)
    }
}

/// Whether the elements at these indices lie together along a loop: it is a term of the last index, and of no other.
fn is_along(known: &Analyzer, indices: &[Expr], var: &Var) -> bool {
    let var = std::slice::from_ref(var);
    let Some((last, others)) = indices.split_last() else { return false };
    let coefficient = known.linear_in(last, var).and_then(|linear| linear.coefficients.first().copied());
    coefficient == Some(1) && !others.iter().any(|index| mentions(index, var))
}

/// A vector of a stage: lanes of two vectors of the stage before.
struct Shuffled {
    of: [usize; 2],
    to: usize,
    lanes: Vec<usize>,
}

/// The shuffles that make columns of rows.
fn stages(lanes: usize, bytes: usize) -> Vec<Vec<Shuffled>> {
    let piece = (PIECE / bytes.max(1)).clamp(1, lanes);
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
    // Vector `g * piece + c` has of each piece the column c, for the rows of group g: pieces are transposed against groups.
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
