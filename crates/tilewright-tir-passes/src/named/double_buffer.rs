//! `InjectDoubleBuffer`: a temporary that a loop fills, and then reads, is filled for the next iteration while the
//! current one reads it.
//!
//! The temporary is allocated in the loop, and an attribute `double_buffer_scope` of its memory is around what fills
//! it, in front of everything else that uses it. Buffers of the same shape that view the temporary count as it. The
//! option `split_loop` (by default 1) writes out that many iterations.

use std::sync::Arc;

use tilewright_arith::{Analyzer, worked_out};
use tilewright_expr::node::walk;
use tilewright_ir::Attrs;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ForKind, PrimFunc, Stmt, StmtKind, Var, written_data};

use super::{Options, below, refuse, seq, with};
use crate::stmt::{Result, analyzer_of, mentions, typed, uses_memory};
use crate::substitute::{Owners, Substitute, moved_by};

pub(super) fn inject_double_buffer(options: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let split = options.get("split_loop").and_then(tilewright_ir::Attr::as_int).unwrap_or(1);
    if !(0..=1024).contains(&split) {
        return refuse(format!("the option `split_loop` is from 0 to 1024, found {split}"));
    }
    let cx = Inject { split, analyzer: analyzer_of(function), owners: Owners::of(function) };
    Ok(with(function, cx.stmt(&function.body)?))
}

struct Inject {
    split: i64,
    analyzer: Analyzer,
    owners: Owners,
}

/// A temporary of a loop's body.
struct Doubled {
    buffer: Buffer,
    fill: Stmt,
    rest: Stmt,
}

impl Inject {
    fn stmt(&self, stmt: &Stmt) -> Result<Stmt> {
        let stmt = below(stmt, &mut |s| self.stmt(s))?;
        let StmtKind::For { var, kind, .. } = &stmt.kind else { return Ok(stmt) };
        if matches!(kind, ForKind::ThreadBinding(_)) {
            return Ok(stmt);
        }
        match doubled(&stmt, var)? {
            Some(found) => self.pipelined(&stmt, &found),
            None => Ok(stmt),
        }
    }

    fn pipelined(&self, stmt: &Stmt, found: &Doubled) -> Result<Stmt> {
        let StmtKind::For { var, min, extent, kind, annotations, .. } = &stmt.kind else { return Ok(stmt.clone()) };
        let Doubled { buffer, fill, rest } = found;
        let first = buffer.shape.first().cloned().unwrap_or_else(|| Expr::i32(1));
        let all = typed(worked_out(BinOp::Mul, &first, &Expr::int(2, first.dtype)))?;
        let many = buffer.derive(|node| match node.shape.first_mut() {
            Some(extent) => *extent = all,
            None => node.shape.push(Expr::i32(2)),
        });
        let number = |at: &Expr| -> Expr { if min.as_int() == Some(0) { at.clone() } else { at - min } };
        let part = |stmt: &Stmt, at: &Expr| -> Result<Stmt> {
            let half = typed(Expr::binary(BinOp::FloorMod, &number(at), &Expr::int(2, at.dtype)))?;
            let half = match number(at).as_int() {
                Some(number) => Expr::int(number.rem_euclid(2), at.dtype),
                None => half,
            };
            let start = typed(worked_out(BinOp::Mul, &typed(half.cast(first.dtype))?, &first))?;
            let moved = moved_by(stmt, buffer, &many, &start)?;
            Ok(self.owners.copy_with(&moved, [(var.clone(), at.clone())]))
        };
        let end = &(min + extent);
        let iteration = |at: &Expr| -> Result<Stmt> {
            let next = typed(worked_out(BinOp::Add, at, &Expr::int(1, at.dtype)))?;
            let ahead = part(fill, &next)?;
            let (node, key) = (Expr::var(&many.data), Arc::from("double_buffer_write"));
            let ahead: Stmt = StmtKind::Attr { node, key, value: Expr::i32(1), body: ahead }.into();
            let condition = typed(Expr::compare(CmpOp::Lt, &next, &self.analyzer.simplify(end)))?;
            let ahead = StmtKind::If { condition, then: ahead, otherwise: None }.into();
            Ok(seq([ahead, part(rest, at)?]))
        };
        let start = part(fill, min)?;
        // A loop that may have no iteration fills nothing.
        let runs = typed(Expr::compare(CmpOp::Gt, extent, &Expr::int(0, extent.dtype)))?;
        let start = match self.analyzer.prove(&runs) {
            true => start,
            false => StmtKind::If { condition: runs, then: start, otherwise: None }.into(),
        };
        let again = |extent: Expr, var: &Var, min: Expr, body: Stmt| -> Stmt {
            let annotations: Attrs = annotations.clone();
            StmtKind::For { var: var.clone(), min, extent, kind: kind.clone(), annotations, body }.into()
        };
        let mut stmts = vec![start];
        if self.split == 0 {
            let own = var.renewed();
            stmts.push(again(extent.clone(), &own, min.clone(), iteration(&Expr::var(&own))?));
        } else {
            stmts.extend(self.written_out(var, min, extent, &again, &iteration)?);
        }
        Ok(StmtKind::Allocate { buffer: many, body: seq(stmts) }.into())
    }

    /// A loop of several iterations at once, and what is left over.
    fn written_out(
        &self,
        var: &Var,
        min: &Expr,
        extent: &Expr,
        again: &dyn Fn(Expr, &Var, Expr, Stmt) -> Stmt,
        iteration: &dyn Fn(&Expr) -> Result<Stmt>,
    ) -> Result<Vec<Stmt>> {
        let split = Expr::int(self.split, extent.dtype);
        let one = Expr::int(1, extent.dtype);
        let outer = typed(Expr::binary(BinOp::FloorDiv, &(extent - &one), &split))?;
        // A loop without iterations has none in front of its start.
        let outer = typed(Expr::binary(BinOp::Max, &outer, &Expr::int(0, outer.dtype)))?;
        let outer = self.analyzer.simplify(&outer);
        let own = Var::new(format!("{}_outer", var.name), var.dtype);
        let from = |progress: &Expr| -> Result<Expr> {
            if min.as_int() == Some(0) { Ok(progress.clone()) } else { typed(Expr::binary(BinOp::Add, min, progress)) }
        };
        let at = |base: &Expr, number: i64| -> Result<Expr> {
            let scaled = typed(worked_out(BinOp::Mul, base, &split))?;
            let scaled = if self.split == 1 { base.clone() } else { scaled };
            let moved = typed(worked_out(BinOp::Add, &scaled, &Expr::int(number, base.dtype)))?;
            from(if number == 0 { &scaled } else { &moved })
        };
        let mut body = Vec::new();
        let mut tail = Vec::new();
        for number in 0..self.split {
            body.push(iteration(&at(&Expr::var(&own), number)?)?);
            let last = at(&outer, number)?;
            let inside = typed(Expr::compare(CmpOp::Lt, &last, &self.analyzer.simplify(&(min + extent))))?;
            let last = iteration(&last)?;
            tail.push(StmtKind::If { condition: inside, then: last, otherwise: None }.into());
        }
        let body = again(outer, &own, Expr::int(0, own.dtype), seq(body));
        Ok(std::iter::once(body).chain(tail).collect())
    }
}

/// The body in which buffers that are declared for memory of the same shape are those that own it.
fn without_views(body: &Stmt) -> Stmt {
    let mut owners: Vec<Buffer> = Vec::new();
    let mut same = Substitute::default();
    let mut inner = body;
    while let StmtKind::Allocate { buffer, body } = &inner.kind {
        let alike = |owner: &&Buffer| {
            let shapes =
                owner.rank() == buffer.rank() && owner.shape.iter().zip(&buffer.shape).all(|(a, b)| a.equal(b));
            let plain = buffer.elem_offset.is_none() && buffer.strides.is_empty() && owner.strides.is_empty();
            owner.data == buffer.data && shapes && plain && owner.dtype == buffer.dtype
        };
        match owners.iter().find(alike) {
            Some(owner) => drop(same.buffers.insert(buffer.id(), owner.clone())),
            None => owners.push(buffer.clone()),
        }
        inner = body;
    }
    if same.buffers.is_empty() {
        return body.clone();
    }
    let inner = same.apply(inner);
    owners.into_iter().rev().fold(inner, |body, buffer| StmtKind::Allocate { buffer, body }.into())
}

/// The first temporary of the loop's body that is filled ahead.
fn doubled(stmt: &Stmt, var: &Var) -> Result<Option<Doubled>> {
    let StmtKind::For { body, .. } = &stmt.kind else { return Ok(None) };
    let body = without_views(body);
    let mut around: Vec<&Buffer> = Vec::new();
    let mut inner = &body;
    while let StmtKind::Allocate { buffer, body } = &inner.kind {
        around.push(buffer);
        inner = body;
    }
    let stmts = match &inner.kind {
        StmtKind::Seq(stmts) => stmts.as_slice(),
        _ => std::slice::from_ref(inner),
    };
    let found = stmts.iter().enumerate().find_map(|(at, stmt)| match &stmt.kind {
        StmtKind::Attr { node, key, body, .. } if &**key == "double_buffer_scope" => {
            let buffer = around.iter().find(|buffer| node.as_var() == Some(&buffer.data))?;
            Some((at, *buffer, body))
        }
        _ => None,
    });
    let Some((at, buffer, fill)) = found else { return Ok(None) };
    let before = stmts.get(..at).unwrap_or_default();
    if before.iter().any(|stmt| uses_memory(stmt, &buffer.data)) {
        return refuse(format!("`{}` is used in front of the statement that fills it", buffer.name));
    }
    let outside = |other: &&&Buffer| **other != buffer && uses_memory(fill, &other.data);
    if around.iter().any(|other| outside(&other)) || buffer.shape.iter().any(|e| mentions(e, std::slice::from_ref(var)))
    {
        return refuse(format!("`{}` is filled from memory of the same iteration", buffer.name));
    }
    let rest = seq(before.iter().chain(stmts.get(at + 1..).unwrap_or_default()).cloned());
    let written = written_data(&rest);
    let mut changes = false;
    walk(fill, |used: &Buffer| changes |= used != buffer && written.contains(&used.data.id()));
    if changes {
        return refuse(format!("what `{}` is filled from is written in the same loop", buffer.name));
    }
    let rest = around
        .iter()
        .rev()
        .filter(|other| **other != buffer)
        .fold(rest, |body, other| StmtKind::Allocate { buffer: (*other).clone(), body }.into());
    Ok(Some(Doubled { buffer: buffer.clone(), fill: fill.clone(), rest }))
}
