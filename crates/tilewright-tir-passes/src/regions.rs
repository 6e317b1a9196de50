//! What a statement does to the memory of one buffer: whether it writes every element before it reads it, and which
//! box of elements it touches.

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_ir::tir::{Buffer, CmpOp, Expr, ExprKind, Range, Stmt, StmtKind, Var};
use tilewright_support::with_stack;

/// Least and greatest index in each dimension.
type Box = Vec<(Expr, Expr)>;

/// The boxes known to be written are no more than this many.
const MAX_BOXES: usize = 32;

/// Whether one run of the statement reads only what it has written before.
pub(crate) fn writes_before_it_reads(analyzer: &mut Analyzer, buffer: &Buffer, stmt: &Stmt) -> bool {
    Coverage { analyzer, buffer }.run(stmt, &mut Vec::new())
}

struct Coverage<'a> {
    analyzer: &'a mut Analyzer,
    buffer: &'a Buffer,
}

impl Coverage<'_> {
    /// Goes through the statement in order; `written` are boxes that are certainly written. False on an uncovered read.
    fn run(&mut self, stmt: &Stmt, written: &mut Vec<Box>) -> bool {
        with_stack(|| match &stmt.kind {
            StmtKind::Store { buffer, indices, value, predicate } => {
                let exprs = || indices.iter().chain([value]).chain(predicate);
                if !exprs().all(|e| self.reads(e, written))
                    || (buffer.data == self.buffer.data && buffer != self.buffer)
                {
                    return false;
                }
                let whole = predicate.is_none() && indices.iter().all(|index| index.dtype.is_scalar());
                if buffer == self.buffer && whole {
                    add(written, indices.iter().map(|index| (index.clone(), index.clone())).collect());
                }
                true
            }
            StmtKind::For { var, min, extent, body, .. } => {
                if !self.reads(min, written) || !self.reads(extent, written) {
                    return false;
                }
                let known = written.len();
                let scope = self.analyzer.enter();
                self.analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
                let covered = self.run(body, written);
                let inside = written.split_off(known.min(written.len()));
                let swept: Vec<Box> = inside.into_iter().filter_map(|b| self.sweep(b, var, extent)).collect();
                self.analyzer.leave(scope);
                let some = Expr::compare(CmpOp::Gt, extent, &Expr::int(0, extent.dtype));
                if some.is_ok_and(|some| self.analyzer.prove(&some)) {
                    swept.into_iter().for_each(|b| add(written, b));
                }
                covered
            }
            StmtKind::While { condition, body } => {
                self.reads(condition, written) && self.run(body, &mut written.clone())
            }
            StmtKind::If { condition, then, otherwise } => {
                self.reads(condition, written)
                    && self.run(then, &mut written.clone())
                    && otherwise.as_ref().is_none_or(|s| self.run(s, &mut written.clone()))
            }
            StmtKind::Let { var, value, body } => {
                let scope = self.analyzer.enter();
                self.analyzer.bind_value(var, value);
                let known = written.len();
                let covered = self.reads(value, written) && self.run(body, written);
                self.analyzer.leave(scope);
                // Boxes may name the variable.
                written.truncate(known);
                covered
            }
            StmtKind::Assert { condition, .. } => self.reads(condition, written),
            StmtKind::Evaluate(e) => self.reads(e, written),
            StmtKind::Seq(stmts) => stmts.iter().all(|s| self.run(s, written)),
            StmtKind::Allocate { body, .. } => self.run(body, written),
            StmtKind::Block { .. } => false,
        })
    }

    /// Whether every load of the buffer in the expression lies in a written box.
    fn reads(&self, expr: &Expr, written: &[Box]) -> bool {
        let mut covered = true;
        walk(expr, |e: &Expr| match &e.kind {
            ExprKind::Load { buffer, indices, .. } if buffer.data == self.buffer.data => {
                covered &= buffer == self.buffer && written.iter().any(|b| self.contains(b, indices));
            }
            ExprKind::AddressOf { buffer, .. } => covered &= buffer.data != self.buffer.data,
            _ => {}
        });
        covered
    }

    fn contains(&self, b: &Box, indices: &[Expr]) -> bool {
        b.len() == indices.len()
            && b.iter().zip(indices).all(|((low, high), index)| {
                index.dtype.is_scalar()
                    && self.analyzer.decide(CmpOp::Le, low, index) == Some(true)
                    && self.analyzer.decide(CmpOp::Le, index, high) == Some(true)
            })
    }

    /// The box that the boxes of all iterations make together, if they leave no gap.
    fn sweep(&self, b: Box, var: &Var, extent: &Expr) -> Option<Box> {
        let vars = std::slice::from_ref(var);
        let moving: Vec<usize> = (0..b.len())
            .filter(|&i| crate::stmt::mentions(&b[i].0, vars) || crate::stmt::mentions(&b[i].1, vars))
            .collect();
        let mut swept = b;
        match moving.as_slice() {
            [] => Some(swept),
            &[dim] => {
                let (low, high) = swept.get(dim)?.clone();
                let (first, last) = (self.analyzer.linear_in(&low, vars)?, self.analyzer.linear_in(&high, vars)?);
                let (&[step], &[same]) = (first.coefficients.as_slice(), last.coefficients.as_slice()) else {
                    return None;
                };
                let width = self.analyzer.bounds(&(&(&high - &low) + 1));
                if step < 1 || step != same || !(width.at_least(step) || extent.as_int() == Some(1)) {
                    return None;
                }
                let low = self.analyzer.extremes(&low, vars)?.0;
                let high = self.analyzer.extremes(&high, vars)?.1;
                swept[dim] = (low, high);
                Some(swept)
            }
            _ => None,
        }
    }
}

fn add(written: &mut Vec<Box>, b: Box) {
    if written.len() < MAX_BOXES {
        written.push(b);
    }
}

/// For each dimension the least index that the statement touches and a constant number of indices from there on, in
/// terms of what is bound outside of the statement; `None` where that is not known.
pub(crate) fn touched(analyzer: &mut Analyzer, buffer: &Buffer, stmt: &Stmt) -> Vec<Option<(Expr, i64)>> {
    let mut cx = Touched { analyzer, buffer, inside: Vec::new(), boxes: vec![Some(Vec::new()); buffer.rank()] };
    if cx.stmt(stmt).is_none() {
        return vec![None; buffer.rank()];
    }
    let boxes = std::mem::take(&mut cx.boxes);
    boxes.into_iter().map(|dim| cx.join(dim?)).collect()
}

struct Touched<'a> {
    analyzer: &'a mut Analyzer,
    buffer: &'a Buffer,
    /// Variables bound inside of the statement.
    inside: Vec<Var>,
    /// Extremes of every access, by dimension.
    boxes: Vec<Option<Vec<(Expr, Expr)>>>,
}

impl Touched<'_> {
    /// `None` where a view shares the memory: indices of two kinds.
    fn stmt(&mut self, stmt: &Stmt) -> Option<()> {
        with_stack(|| {
            let scope = self.analyzer.enter();
            let known = self.inside.len();
            let done = self.stmt_kind(stmt);
            self.inside.truncate(known);
            self.analyzer.leave(scope);
            done
        })
    }

    fn stmt_kind(&mut self, stmt: &Stmt) -> Option<()> {
        match &stmt.kind {
            StmtKind::Store { buffer, indices, value, predicate } => {
                self.access(buffer, indices)?;
                indices.iter().chain([value]).chain(predicate).try_for_each(|e| self.expr(e))
            }
            StmtKind::For { var, min, extent, body, .. } => {
                self.expr(min)?;
                self.expr(extent)?;
                self.analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
                self.inside.push(var.clone());
                self.stmt(body)
            }
            StmtKind::While { condition, body } => {
                self.expr(condition)?;
                self.stmt(body)
            }
            StmtKind::If { condition, then, otherwise } => {
                self.expr(condition)?;
                self.stmt(then)?;
                otherwise.as_ref().map_or(Some(()), |s| self.stmt(s))
            }
            StmtKind::Let { var, value, body } => {
                self.expr(value)?;
                self.analyzer.bind_value(var, value);
                self.inside.push(var.clone());
                self.stmt(body)
            }
            StmtKind::Assert { condition, .. } => self.expr(condition),
            StmtKind::Evaluate(e) => self.expr(e),
            StmtKind::Seq(stmts) => stmts.iter().try_for_each(|s| self.stmt(s)),
            StmtKind::Allocate { body, .. } => self.stmt(body),
            StmtKind::Block { .. } => None,
        }
    }

    fn expr(&mut self, expr: &Expr) -> Option<()> {
        let mut loads = Vec::new();
        let mut plain = true;
        let mut escapes = false;
        walk(expr, |e: &Expr| match &e.kind {
            ExprKind::Load { buffer, indices, .. } => loads.push((buffer.clone(), indices.clone())),
            ExprKind::AddressOf { buffer, .. } => escapes |= buffer.data == self.buffer.data,
            ExprKind::Let { .. } => plain = false,
            _ => {}
        });
        // Variables of a `Let` inside the expression are not known here.
        if escapes || !plain && loads.iter().any(|(buffer, _)| buffer.data == self.buffer.data) {
            return None;
        }
        loads.iter().try_for_each(|(buffer, indices)| self.access(buffer, indices))
    }

    fn access(&mut self, buffer: &Buffer, indices: &[Expr]) -> Option<()> {
        if buffer.data != self.buffer.data {
            return Some(());
        }
        if buffer != self.buffer {
            return None;
        }
        for (dim, index) in indices.iter().enumerate() {
            let extremes = Some(index)
                .filter(|index| index.dtype.is_scalar())
                .and_then(|index| self.analyzer.extremes(index, &self.inside));
            match (self.boxes.get_mut(dim), extremes) {
                (Some(Some(all)), Some(extremes)) => all.push(extremes),
                (Some(slot), None) => *slot = None,
                _ => {}
            }
        }
        Some(())
    }

    /// The hull of all extremes, if one of them is the least and the width is bounded.
    fn join(&self, extremes: Vec<(Expr, Expr)>) -> Option<(Expr, i64)> {
        let mut all = extremes.into_iter();
        let (mut low, high) = all.next()?;
        let mut highs = vec![high];
        for (l, h) in all {
            match self.analyzer.decide(CmpOp::Le, &low, &l) {
                Some(true) => {}
                Some(false) => low = l,
                None if self.analyzer.decide(CmpOp::Le, &l, &low) == Some(true) => low = l,
                None => return None,
            }
            highs.push(h);
        }
        let width = |high: &Expr| self.analyzer.bounds(&(&(high - &low) + 1)).max;
        let widths = highs.iter().map(width).collect::<Option<Vec<i64>>>()?;
        widths.into_iter().max().filter(|&width| width > 0).map(|width| (low, width))
    }
}
