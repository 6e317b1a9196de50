//! `vectorize`: the iterations of a vectorised loop become the lanes of vectors.
//!
//! A loop of many iterations runs in pieces of [`LANES`] and a rest. Where a condition depends on the lane, stores and
//! loads under it are masked. What has no form in lanes (an inner loop whose extent depends on the lane, a store with
//! gaps, a temporary of each iteration, a division under a mask) leaves the whole loop serial.

use tilewright_arith::Analyzer;
use tilewright_expr::node::VarId;
use tilewright_ir::tir::{BinOp, Expr, ForKind, PrimFunc, Range, Stmt, StmtKind, Var};
use tilewright_support::{Origins, Set};

use crate::lanes::Lanes;
use crate::stmt::{Result, analyzer_of, error, map_below, typed, with_body, written_data};
use crate::substitute::{Substitute, copy_with};

/// Loops of up to this many iterations become one vector.
const MAX_LANES: i64 = 64;
/// Lanes of a piece of a longer loop.
const LANES: i64 = 16;

pub fn vectorize(function: &PrimFunc) -> Result<PrimFunc> {
    let written = written_data(function);
    let arguments = function.params.iter().filter_map(|p| p.buffer.as_ref()).map(|buffer| buffer.data.id());
    let mut cx = Vectorize {
        analyzer: analyzer_of(function),
        origins: &function.origins,
        constant: arguments.filter(|id| !written.contains(id)).collect(),
    };
    let body = cx.visit(&function.body)?;
    Ok(with_body(function, body))
}

struct Vectorize<'a> {
    analyzer: Analyzer,
    origins: &'a Origins,
    /// Data variables of arguments that the function does not write.
    constant: Set<VarId>,
}

impl Vectorize<'_> {
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
        let Some(count) = self.analyzer.simplify(extent).as_int() else {
            let message = format!("vectorised loop `{}` needs a constant extent", var.name);
            return Err(error("TW0502", self.origins, message));
        };
        match self.loop_in_lanes(var, min, count, body)? {
            Some(vectors) => Ok(vectors),
            None => {
                let (min, extent) = (min.clone(), extent.clone());
                Ok(Stmt::for_loop(var, min, extent, ForKind::Serial, body.clone()))
            }
        }
    }

    fn loop_in_lanes(&mut self, var: &Var, min: &Expr, count: i64, body: &Stmt) -> Result<Option<Stmt>> {
        if count <= 0 {
            return Ok(Some(Stmt::nothing()));
        }
        if count <= MAX_LANES {
            return self.piece(var, min, count, body);
        }
        let (pieces, rest) = (count / LANES, count % LANES);
        let outer = Var::new(format!("{}_outer", var.name), var.dtype);
        let start = min + &(&Expr::var(&outer) * LANES);
        let scope = self.analyzer.enter();
        self.analyzer.bind(&outer, &Range::up_to(Expr::int(pieces, var.dtype)));
        let main = self.piece(var, &start, LANES, body);
        self.analyzer.leave(scope);
        let Some(main) = main? else { return Ok(None) };
        let (zero, pieces) = (Expr::int(0, var.dtype), Expr::int(pieces, var.dtype));
        let main = Stmt::for_loop(&outer, zero, pieces, ForKind::Serial, main);
        if rest == 0 {
            return Ok(Some(main));
        }
        let body = copy_with(body, []);
        let rest = self.piece(var, &(min + (count - rest)), rest, &body)?;
        Ok(rest.map(|rest| Stmt::seq([main, rest])))
    }

    /// `count` iterations from `start` on as one statement.
    fn piece(&mut self, var: &Var, start: &Expr, count: i64, body: &Stmt) -> Result<Option<Stmt>> {
        if count == 1 {
            return Ok(Some(Substitute::value(var, start.clone()).apply(body)));
        }
        let Ok(lanes) = u16::try_from(count) else { return Ok(None) };
        Lanes::new(&mut self.analyzer, &self.constant, var, start, lanes).stmt(body, None)
    }
}

/// Both masks.
pub(crate) fn both(a: Option<&Expr>, b: &Expr) -> Result<Expr> {
    match a {
        Some(a) => typed(Expr::binary(BinOp::And, a, b)),
        None => Ok(b.clone()),
    }
}
