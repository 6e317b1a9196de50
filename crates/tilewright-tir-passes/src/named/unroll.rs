//! `UnrollLoop`: loops that ask for it, or that are short enough by the options, as one copy of the body for each
//! iteration.
//!
//! Options: `auto_max_step` (statements of the written-out loop up to which a serial loop is unrolled, by default 0),
//! `auto_max_depth` (loops inside up to which, by default 8), `auto_max_extent`, `explicit_unroll` (by default true; if
//! not, a loop that would be unrolled is only marked as one).
//!
//! A loop whose copies would be too many, or whose first value is read from memory, which its body may write, stays.

use tilewright_ir::tir::{Expr, ForKind, PrimFunc, Stmt, StmtKind};
use tilewright_support::with_stack;

use super::{Options, below, is_no_op, no_op, seq, with};
use crate::stmt::{Result, reads};
use crate::substitute::Owners;
use crate::unroll::MAX_STATEMENTS;

pub(super) fn unroll_loop(options: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let number = |name: &str, default: i64| options.get(name).and_then(tilewright_ir::Attr::as_int).unwrap_or(default);
    let mut cx = Unroll {
        max_step: number("auto_max_step", 0),
        max_depth: number("auto_max_depth", 8),
        max_extent: number("auto_max_extent", 0),
        explicit: number("explicit_unroll", 1) != 0,
        size: Size::default(),
        owners: Owners::of(function),
    };
    let body = cx.stmt(&function.body)?;
    Ok(with(function, body))
}

/// What was found below a statement.
#[derive(Clone, Copy, Default)]
struct Size {
    /// Loops inside each other that are not unrolled.
    loops: i64,
    /// Loops inside each other that are.
    unrolled: i64,
    /// Stores and calls.
    steps: i64,
    /// Statements of all kinds.
    statements: i64,
}

struct Unroll {
    max_step: i64,
    max_depth: i64,
    max_extent: i64,
    explicit: bool,
    size: Size,
    owners: Owners,
}

impl Unroll {
    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        self.size.statements = self.size.statements.saturating_add(1);
        match &stmt.kind {
            StmtKind::For { .. } => self.loop_over(stmt),
            StmtKind::Attr { key, value, body, .. }
                if matches!(&**key, "pragma_auto_unroll_max_step" | "pragma_unroll_explicit") =>
            {
                let number = value.as_int().unwrap_or(0);
                let before = (self.max_step, self.explicit);
                match &**key {
                    "pragma_auto_unroll_max_step" => self.max_step = number,
                    _ => self.explicit = number != 0,
                }
                let body = with_stack(|| self.stmt(body));
                (self.max_step, self.explicit) = before;
                body
            }
            StmtKind::Store { .. } | StmtKind::Evaluate(_) => {
                self.size.steps += 1;
                Ok(stmt.clone())
            }
            StmtKind::Seq(stmts) => {
                let mut all = Size::default();
                let mut done = Vec::with_capacity(stmts.len());
                for stmt in stmts {
                    self.size = Size::default();
                    done.push(with_stack(|| self.stmt(stmt))?);
                    all.steps = all.steps.saturating_add(self.size.steps);
                    all.statements = all.statements.saturating_add(self.size.statements);
                    all.loops = all.loops.max(self.size.loops);
                    all.unrolled = all.unrolled.max(self.size.unrolled);
                }
                self.size = all;
                Ok(seq(done))
            }
            _ => below(stmt, &mut |s| self.stmt(s)),
        }
    }

    fn loop_over(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let done = below(stmt, &mut |s| self.stmt(s))?;
        let StmtKind::For { var, min, extent, kind, annotations, body } = &done.kind else { return Ok(done) };
        let count = extent.as_int();
        let automatic = count.is_some_and(|count| {
            *kind == ForKind::Serial
                && count >= 0
                && self.size.loops == 0
                && (self.size.steps.saturating_mul(count) <= self.max_step || count <= self.max_extent)
                && self.size.unrolled < self.max_depth
        });
        if *kind == ForKind::Unrolled && count.is_none() {
            return super::refuse(format!(
                "the loop over `{}` is to be unrolled, and its extent is no constant",
                var.name
            ));
        }
        let copies = self.size.statements.saturating_mul(count.unwrap_or(0).max(0));
        let stays = copies > MAX_STATEMENTS as i64 || reads(min);
        if stays || (!automatic && *kind != ForKind::Unrolled) {
            self.size.loops += 1;
            return Ok(done);
        }
        self.size.unrolled += 1;
        self.size.steps = self.size.steps.saturating_mul(count.unwrap_or(1));
        self.size.statements = copies.max(1);
        if !self.explicit {
            let (min, extent, annotations) = (min.clone(), extent.clone(), annotations.clone());
            let (var, body) = (var.clone(), body.clone());
            return Ok(StmtKind::For { var, min, extent, kind: ForKind::Unrolled, annotations, body }.into());
        }
        if is_no_op(body) {
            return Ok(no_op());
        }
        let copies = (0..count.unwrap_or(0)).map(|number| {
            let value = match min.as_int().and_then(|min| min.checked_add(number)) {
                Some(value) => Expr::int(value, var.dtype),
                None => min + number,
            };
            self.owners.copy_with(body, [(var.clone(), value)])
        });
        Ok(seq(copies.collect::<Vec<_>>()))
    }
}
