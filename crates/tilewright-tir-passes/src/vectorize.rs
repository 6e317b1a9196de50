//! `vectorize`: the iterations of a vectorised loop become the lanes of vectors.
//!
//! A loop of few iterations becomes one vector. A longer one, or one of unknown extent, is strip-mined into pieces as
//! wide as [`VECTOR_BYTES`] of its widest elements, and a masked tail. The pieces of a loop that fills a part of an
//! argument are aligned to cache lines, so that each fills whole lines: the first piece is masked too (peeled). Loads
//! and stores under a condition that depends on the lane are masked. Asserts that depend on the lane are made by a loop
//! of their own in front, if the body does not write the memory that they read.
//!
//! Statements without a form in lanes (an inner loop whose extent depends on the lane, lanes that store to one element,
//! a temporary per iteration, a division under a mask) leave the whole loop serial.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{VarId, walk};
use tilewright_ir::low::ALIGNED;
use tilewright_ir::tir::{
    BinOp, Buffer, CmpOp, Expr, ExprKind, ForKind, Intrinsic, PrimFunc, Range, Stmt, StmtKind, Var, written_data,
};
use tilewright_ir::{Attr, Attrs};
use tilewright_support::Set;
use tilewright_target::NEAR_BYTES;

use crate::lanes::Lanes;
use crate::stmt::{Result, analyzer_of, map_below, reads, typed, with_body};
use crate::substitute::{Substitute, copy_with};

/// Iterations up to which a loop becomes one vector.
pub const MAX_LANES: i64 = 64;
/// Bytes of a vector of the widest elements of a longer loop: the widest registers of CPUs. Narrower ones take several.
const VECTOR_BYTES: i64 = 64;
/// Pieces of a loop from which aligning them to cache lines outweighs the cost of the masks.
const MIN_ALIGNED_PIECES: i64 = 4;

pub fn vectorize(function: &PrimFunc) -> Result<PrimFunc> {
    let written = written_data(&function.body);
    let arguments: Set<VarId> =
        function.params.iter().filter_map(|p| p.buffer.as_ref()).map(|buffer| buffer.data.id()).collect();
    let constant = arguments.iter().copied().filter(|id| !written.contains(id)).collect();
    let mut cx = Vectorize { analyzer: analyzer_of(function), constant, arguments };
    let body = cx.visit(&function.body)?;
    Ok(with_body(function, body))
}

struct Vectorize {
    analyzer: Analyzer,
    /// Data variables of arguments that the function does not write.
    constant: Set<VarId>,
    /// Data variables of all arguments.
    arguments: Set<VarId>,
}

/// A loop while it is vectorised.
struct Loop<'a> {
    var: &'a Var,
    min: &'a Expr,
    body: &'a Stmt,
}

impl Vectorize {
    fn visit(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let scope = self.analyzer.enter();
        match &stmt.kind {
            StmtKind::For { var, min, extent, .. } => self.analyzer.bind(var, &Range::new(min.clone(), extent.clone())),
            StmtKind::Let { var, value, .. } => self.analyzer.bind_value(var, value),
            _ => {}
        }
        let below = map_below(stmt, &mut |s| self.visit(s));
        self.analyzer.leave(scope);
        let below = below?;
        let StmtKind::For { var, min, extent, kind: ForKind::Vectorized, body, .. } = &below.kind else {
            return Ok(below);
        };
        let serial = |body: &Stmt| Stmt::for_loop(var, min.clone(), extent.clone(), ForKind::Serial, body.clone());
        let (asserts, work) = without_asserts(body);
        let vectors = match &work {
            Some(work) => self.loop_in_lanes(&Loop { var, min, body: work }, extent)?,
            None => None,
        };
        Ok(match vectors {
            Some(vectors) => {
                let checks = asserts.map(|asserts| copy_with(&serial(&asserts), []));
                Stmt::seq(checks.into_iter().chain([vectors]))
            }
            None => serial(body),
        })
    }

    fn loop_in_lanes(&mut self, l: &Loop<'_>, extent: &Expr) -> Result<Option<Stmt>> {
        let extent = self.analyzer.simplify(extent);
        // Pieces and tail would evaluate the bounds again, and these read memory.
        if reads(l.min) || reads(&extent) {
            return Ok(None);
        }
        if let Some(shift) = self.shift(l, &extent)
            && let Some(aligned) = self.aligned(l, &extent, shift)?
        {
            return Ok(Some(aligned));
        }
        match extent.as_int() {
            Some(..=0) => Ok(Some(Stmt::nothing())),
            // Elements of a gather are loaded one by one, and each is inserted into a register.
            Some(count @ ..=MAX_LANES) if !(has_index_from_memory(l.body) && count > lanes_of(l.body)) => {
                self.few(l, l.min, count)
            }
            Some(count) => {
                let lanes = lanes_of(l.body);
                let (pieces, rest) = (Expr::int(count / lanes, l.var.dtype), count % lanes);
                let Some(main) = self.pieces(l, &pieces, lanes)? else { return Ok(None) };
                let rest = match rest {
                    0 => Some(Stmt::nothing()),
                    rest => self.few(l, &(l.min + (count - rest)), rest)?,
                };
                Ok(rest.map(|rest| Stmt::seq([main, rest])))
            }
            None => self.many(l, &extent),
        }
    }

    /// `count` iterations from `start` on as one vector, padded with inactive lanes to a size of registers.
    fn few(&mut self, l: &Loop<'_>, start: &Expr, count: i64) -> Result<Option<Stmt>> {
        let body = copy_with(l.body, []);
        let whole = count <= 4 || count % 4 == 0 || only_local(l.body);
        if !whole {
            let lanes = (count as u64).next_power_of_two() as i64;
            let rest = Expr::int(count, l.var.dtype);
            if let Some(masked) = self.masked(&Loop { body: &body, ..*l }, start, &rest, lanes)? {
                return Ok(Some(masked));
            }
        }
        self.piece(l.var, start, count, &body)
    }

    /// A loop whose extent is known at run time: whole pieces, then a masked tail.
    fn many(&mut self, l: &Loop<'_>, extent: &Expr) -> Result<Option<Stmt>> {
        let lanes = lanes_of(l.body);
        let divisor = Expr::int(lanes, extent.dtype);
        let pieces = self.analyzer.simplify(&typed(Expr::binary(BinOp::FloorDiv, extent, &divisor))?);
        let rest = self.analyzer.simplify(&typed(Expr::binary(BinOp::FloorMod, extent, &divisor))?);
        let Some(main) = self.pieces(l, &pieces, lanes)? else { return Ok(None) };
        if rest.as_int() == Some(0) {
            return Ok(Some(main));
        }
        let start = self.analyzer.simplify(&(l.min + &(&pieces * lanes)));
        let body = copy_with(l.body, []);
        let rest_loop = Loop { body: &body, ..*l };
        let tail = match self.masked(&rest_loop, &start, &rest, lanes)? {
            Some(masked) => masked,
            None => copy_with(&Stmt::for_loop(l.var, start, rest.clone(), ForKind::Serial, body.clone()), []),
        };
        // The remainder of a negative extent is positive.
        let zero = Expr::int(0, extent.dtype);
        let mut some = typed(Expr::compare(CmpOp::Gt, &rest, &zero))?;
        if !self.analyzer.bounds(extent).at_least(0) {
            let runs = typed(Expr::compare(CmpOp::Gt, extent, &zero))?;
            some = typed(Expr::binary(BinOp::And, &runs, &some))?;
        }
        let tail = StmtKind::If { condition: some, then: tail, otherwise: None };
        Ok(Some(Stmt::seq([main, tail.into()])))
    }

    /// The misalignment of a long loop: elements from the start of a cache line of the argument that it fills to its
    /// first element; `None` if it is certainly 0.
    fn shift(&self, l: &Loop<'_>, extent: &Expr) -> Option<Expr> {
        let lanes = lanes_of(l.body);
        let StmtKind::Store { buffer, indices, .. } = &l.body.kind else { return None };
        let [index] = indices.as_slice() else { return None };
        let short = extent.as_int().is_some_and(|extent| extent < MIN_ALIGNED_PIECES * lanes);
        if short || has_index_from_memory(l.body) || reads(index) || !self.arguments.contains(&buffer.data.id()) {
            return None;
        }
        let linear = self.analyzer.linear_in(index, std::slice::from_ref(l.var))?;
        if linear.coefficients.as_slice() != [1] || linear.rest.dtype != l.var.dtype {
            return None;
        }
        let lines = Expr::int(lanes, l.var.dtype);
        let shift = Expr::binary(BinOp::FloorMod, &(&linear.rest + l.min), &lines).ok()?;
        Some(self.analyzer.simplify(&shift)).filter(|shift| shift.as_int() != Some(0))
    }

    /// The loop in aligned pieces, the first of which begins `shift` elements before the loop; these lanes are
    /// inactive.
    fn aligned(&mut self, l: &Loop<'_>, extent: &Expr, shift: Expr) -> Result<Option<Stmt>> {
        let (lanes, dtype) = (lanes_of(l.body), l.var.dtype);
        let Ok(width) = u16::try_from(lanes) else { return Ok(None) };
        let (by, zero) = (Expr::int(lanes, dtype), Expr::int(0, dtype));
        let name = |text: &str, value: Expr| (Var::new(text, dtype), value);
        let before = name("shift", shift);
        let skipped = Expr::var(&before.0);
        let all = name("shifted", &skipped + extent);
        let end = Expr::var(&all.0);
        let begin = l.min - &skipped;
        let pieces = typed(Expr::binary(BinOp::FloorDiv, &end, &by))?;
        let rest = typed(Expr::binary(BinOp::FloorMod, &end, &by))?;
        // Whole pieces begin after the one in which the loop begins.
        let first = typed(Expr::binary(BinOp::Min, &skipped, &Expr::int(1, dtype)))?;

        let numbers = typed(Expr::ramp(&zero, &Expr::int(1, dtype), width))?;
        let after_start = typed(Expr::compare(CmpOp::Ge, &numbers, &typed(skipped.broadcast(width))?))?;
        let ahead = typed(Expr::compare(CmpOp::Lt, &numbers, &typed(end.broadcast(width))?))?;
        let inside = typed(Expr::binary(BinOp::And, &after_start, &ahead))?;
        let head = self.under_mask(l, &begin, inside, !has_choice(l.body))?;
        let marks = [(ALIGNED.into(), Attr::Bool(true))].into();
        let main = self.pieces_from(l, &begin, (&first, &(&pieces - &first)), lanes, marks)?;
        let tail = self.masked(l, &(&begin + &(&pieces * lanes)), &rest, lanes)?;
        let (Some(head), Some(main), Some(tail)) = (head, main, tail) else { return Ok(None) };
        let prefetch = self.prefetch_of_last_line(l, extent)?;

        let some = typed(Expr::compare(CmpOp::Gt, &skipped, &zero))?;
        let left = typed(Expr::compare(CmpOp::Gt, &rest, &zero))?;
        let is_after_first = typed(Expr::compare(CmpOp::Ge, &pieces, &first))?;
        let left = typed(Expr::binary(BinOp::And, &is_after_first, &left))?;
        let when = |condition: Expr, then: Stmt| StmtKind::If { condition, then, otherwise: None }.into();
        let mut body = Stmt::seq([prefetch, when(some, head), main, when(left, tail)]);
        if !self.analyzer.bounds(extent).at_least(1) {
            body = when(typed(Expr::compare(CmpOp::Gt, extent, &zero))?, body);
        }
        let bound = |body, (var, value)| StmtKind::Let { var, value, body }.into();
        Ok(Some([all, before].into_iter().fold(body, bound)))
    }

    /// A prefetch of the cache line in which the loop ends, if the argument is large. Another loop writes a part of
    /// that line, so that it is read before it is written, and later stores would wait for that read.
    fn prefetch_of_last_line(&self, l: &Loop<'_>, extent: &Expr) -> Result<Stmt> {
        let StmtKind::Store { buffer, indices, .. } = &l.body.kind else { return Ok(Stmt::nothing()) };
        let elements = buffer.shape.first().and_then(Expr::as_int).unwrap_or(i64::MAX);
        if elements.saturating_mul(buffer.dtype.element_bytes() as i64) < NEAR_BYTES.cast_signed() {
            return Ok(Stmt::nothing());
        }
        let last = &(l.min + extent) - 1;
        let index = indices.iter().map(|index| Substitute::value(l.var, last.clone()).apply(index));
        typed(Stmt::prefetch(buffer, index.map(|index| self.analyzer.simplify(&index)).collect(), true, 3))
    }

    /// Whole pieces, one after the other.
    fn pieces(&mut self, l: &Loop<'_>, pieces: &Expr, lanes: i64) -> Result<Option<Stmt>> {
        self.pieces_from(l, l.min, (&Expr::int(0, l.var.dtype), pieces), lanes, Attrs::new())
    }

    /// The whole pieces from `begin` on, without the `first` ones.
    fn pieces_from(
        &mut self,
        l: &Loop<'_>,
        begin: &Expr,
        (first, pieces): (&Expr, &Expr),
        lanes: i64,
        annotations: Attrs,
    ) -> Result<Option<Stmt>> {
        let outer = Var::new(format!("{}_outer", l.var.name), l.var.dtype);
        let start = begin + &(&Expr::var(&outer) * lanes);
        let scope = self.analyzer.enter();
        self.analyzer.bind(&outer, &Range::new(first.clone(), pieces.clone()));
        let body = copy_with(l.body, []);
        let main = self.piece(l.var, &start, lanes, &body);
        self.analyzer.leave(scope);
        let Some(body) = main? else { return Ok(None) };
        let (min, extent, kind) = (first.clone(), pieces.clone(), ForKind::Serial);
        Ok(Some(StmtKind::For { var: outer, min, extent, kind, annotations, body }.into()))
    }

    /// `count` iterations from `start` on as one statement.
    fn piece(&mut self, var: &Var, start: &Expr, count: i64, body: &Stmt) -> Result<Option<Stmt>> {
        if count == 1 {
            return Ok(Some(Substitute::value(var, start.clone()).apply(body)));
        }
        let Ok(lanes) = u16::try_from(count) else { return Ok(None) };
        Lanes::new(&mut self.analyzer, &self.constant, var, start, lanes).stmt(body, None)
    }

    /// One vector of `lanes`, of which the first `rest` are active.
    fn masked(&mut self, l: &Loop<'_>, start: &Expr, rest: &Expr, lanes: i64) -> Result<Option<Stmt>> {
        let Ok(width) = u16::try_from(lanes) else { return Ok(None) };
        let (zero, one) = (Expr::int(0, rest.dtype), Expr::int(1, rest.dtype));
        let numbers = typed(Expr::ramp(&zero, &one, width))?;
        let inside = typed(Expr::compare(CmpOp::Lt, &numbers, &typed(rest.broadcast(width))?))?;
        self.under_mask(l, start, inside, true)
    }

    /// The active lanes of a mask; `first` says that lane-invariant values may be computed.
    fn under_mask(&mut self, l: &Loop<'_>, start: &Expr, inside: Expr, first: bool) -> Result<Option<Stmt>> {
        // Bounds of such an index hold for the loop's iterations only, not for inactive lanes.
        if has_index_from_memory(l.body) {
            return Ok(None);
        }
        let mask = Var::new("rest", inside.dtype);
        let (holds, body) = (Expr::var(&mask), copy_with(l.body, []));
        let lanes = Lanes::new(&mut self.analyzer, &self.constant, l.var, start, inside.dtype.lanes);
        let body = lanes.where_first(first).stmt(&body, Some(&holds))?;
        Ok(body.map(|body| StmtKind::Let { var: mask, value: inside, body }.into()))
    }
}

/// The asserts of a body, and the body without them; no body if its own stores may change the checked memory.
fn without_asserts(body: &Stmt) -> (Option<Stmt>, Option<Stmt>) {
    let parts = match &body.kind {
        StmtKind::Seq(parts) => parts.as_slice(),
        _ => std::slice::from_ref(body),
    };
    let is_assert = |stmt: &&Stmt| matches!(stmt.kind, StmtKind::Assert { .. });
    let asserts: Vec<Stmt> = parts.iter().filter(is_assert).cloned().collect();
    if asserts.is_empty() {
        return (None, Some(body.clone()));
    }
    let written = written_data(body);
    let asserts = Stmt::seq(asserts);
    let mut changes = false;
    walk(&asserts, |buffer: &Buffer| changes |= written.contains(&buffer.data.id()));
    let work = Stmt::seq(parts.iter().filter(|stmt| !is_assert(stmt)).cloned());
    (Some(asserts), (!changes).then_some(work))
}

/// Whether an index depends on memory.
fn has_index_from_memory(body: &Stmt) -> bool {
    let mut found = false;
    walk(body, |e: &Expr| {
        if let ExprKind::Load { indices, .. } = &e.kind {
            found |= indices.iter().any(reads);
        }
    });
    found
}

/// Whether control flow may diverge between lanes.
fn has_choice(body: &Stmt) -> bool {
    let mut found = false;
    walk(body, |e: &Expr| found |= matches!(&e.kind, ExprKind::Call { intrinsic: Intrinsic::IfThenElse, .. }));
    walk(body, |s: &Stmt| found |= matches!(&s.kind, StmtKind::If { .. }));
    found
}

/// The lanes of a piece.
fn lanes_of(body: &Stmt) -> i64 {
    let mut widest = 1;
    let mut see = |buffer: &Buffer| widest = widest.max(buffer.dtype.element_bytes() as i64);
    walk(body, |stmt: &Stmt| {
        if let StmtKind::Store { buffer, .. } = &stmt.kind {
            see(buffer);
        }
    });
    walk(body, |e: &Expr| {
        if let ExprKind::Load { buffer, .. } = &e.kind {
            see(buffer);
        }
    });
    (VECTOR_BYTES / widest).clamp(2, MAX_LANES)
}

/// Whether all stores are to registers, where a vector of any size can stay whole.
fn only_local(body: &Stmt) -> bool {
    let mut local = true;
    walk(body, |stmt: &Stmt| {
        if let StmtKind::Store { buffer, .. } = &stmt.kind {
            local &= buffer.scope == tilewright_ir::tir::Scope::Local;
        }
    });
    local
}

/// Both masks.
pub(crate) fn both(a: Option<&Expr>, b: &Expr) -> Result<Expr> {
    match a {
        Some(a) => typed(Expr::binary(BinOp::And, a, b)),
        None => Ok(b.clone()),
    }
}
