//! `vectorize`: the iterations of a vectorised loop become the lanes of vectors.
//!
//! A loop of few iterations becomes one vector. A longer one, or one whose number of iterations is known only when it
//! runs, runs in pieces as wide as [`VECTOR_BYTES`] of its widest elements, and a rest: a piece of which the lanes beyond
//! the end are masked off. Where a condition depends on the lane, stores and loads under it are masked too. Asserts that
//! depend on the lane are made by a loop of their own in front, where the body does not write what they read.
//!
//! What has no form in lanes (an inner loop whose extent depends on the lane, lanes that store to one place, a temporary
//! of each iteration, a division under a mask) leaves the whole loop serial.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{VarId, walk};
use tilewright_ir::tir::{
    BinOp, Buffer, CmpOp, Expr, ExprKind, ForKind, PrimFunc, Range, Stmt, StmtKind, Var, written_data,
};
use tilewright_support::Set;

use crate::lanes::Lanes;
use crate::stmt::{Result, analyzer_of, map_below, reads, typed, with_body};
use crate::substitute::{Substitute, copy_with};

/// Loops of up to this many iterations become one vector.
const MAX_LANES: i64 = 64;
/// Bytes of the widest elements in a piece of a longer loop: the widest registers of CPUs. Narrower ones take several.
const VECTOR_BYTES: i64 = 64;

pub fn vectorize(function: &PrimFunc) -> Result<PrimFunc> {
    let written = written_data(&function.body);
    let arguments = function.params.iter().filter_map(|p| p.buffer.as_ref()).map(|buffer| buffer.data.id());
    let mut cx =
        Vectorize { analyzer: analyzer_of(function), constant: arguments.filter(|id| !written.contains(id)).collect() };
    let body = cx.visit(&function.body)?;
    Ok(with_body(function, body))
}

struct Vectorize {
    analyzer: Analyzer,
    /// Data variables of arguments that the function does not write.
    constant: Set<VarId>,
}

/// A loop being vectorised.
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
        // Pieces and a rest would read anew what the bounds read.
        if reads(l.min) || reads(&extent) {
            return Ok(None);
        }
        match extent.as_int() {
            Some(..=0) => Ok(Some(Stmt::nothing())),
            Some(count @ ..=MAX_LANES) => self.few(l, l.min, count),
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

    /// So many iterations from `start` on: one vector, whose last lanes are masked off where registers have no such size.
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

    /// An extent that is known when the loop runs: whole pieces, then one with a mask.
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

    /// Whole pieces, one after the other.
    fn pieces(&mut self, l: &Loop<'_>, pieces: &Expr, lanes: i64) -> Result<Option<Stmt>> {
        let outer = Var::new(format!("{}_outer", l.var.name), l.var.dtype);
        let start = l.min + &(&Expr::var(&outer) * lanes);
        let scope = self.analyzer.enter();
        self.analyzer.bind(&outer, &Range::up_to(pieces.clone()));
        let main = self.piece(l.var, &start, lanes, l.body);
        self.analyzer.leave(scope);
        let Some(main) = main? else { return Ok(None) };
        let zero = Expr::int(0, l.var.dtype);
        Ok(Some(Stmt::for_loop(&outer, zero, pieces.clone(), ForKind::Serial, main)))
    }

    /// `count` iterations from `start` on as one statement.
    fn piece(&mut self, var: &Var, start: &Expr, count: i64, body: &Stmt) -> Result<Option<Stmt>> {
        if count == 1 {
            return Ok(Some(Substitute::value(var, start.clone()).apply(body)));
        }
        let Ok(lanes) = u16::try_from(count) else { return Ok(None) };
        Lanes::new(&mut self.analyzer, &self.constant, var, start, lanes).stmt(body, None)
    }

    /// The first `rest` of so many lanes.
    fn masked(&mut self, l: &Loop<'_>, start: &Expr, rest: &Expr, lanes: i64) -> Result<Option<Stmt>> {
        // What bounds such an index bounds it for the loop's iterations only, not for lanes beyond them.
        if has_index_from_memory(l.body) {
            return Ok(None);
        }
        let Ok(width) = u16::try_from(lanes) else { return Ok(None) };
        let (zero, one) = (Expr::int(0, rest.dtype), Expr::int(1, rest.dtype));
        let numbers = typed(Expr::ramp(&zero, &one, width))?;
        let inside = typed(Expr::compare(CmpOp::Lt, &numbers, &typed(rest.broadcast(width))?))?;
        let mask = Var::new("rest", inside.dtype);
        let holds = Expr::var(&mask);
        let body = Lanes::new(&mut self.analyzer, &self.constant, l.var, start, width).stmt(l.body, Some(&holds))?;
        Ok(body.map(|body| StmtKind::Let { var: mask, value: inside, body }.into()))
    }
}

/// The asserts of a body, and the body without them; no body where its own stores may change what they check.
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

/// Whether an index depends on what is in memory.
fn has_index_from_memory(body: &Stmt) -> bool {
    let mut found = false;
    walk(body, |e: &Expr| {
        if let ExprKind::Load { indices, .. } = &e.kind {
            found |= indices.iter().any(reads);
        }
    });
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

/// Whether all stores go to registers, where a vector of any size can stay whole.
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
