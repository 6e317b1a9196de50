//! Accesses of a statement to one buffer: whether it writes every element before it reads it, and the bounding box of
//! the elements that it touches.

use tilewright_expr::node::walk;
use tilewright_ir::tir::{Buffer, CmpOp, Expr, ExprKind, Stmt, StmtKind, Var};
use tilewright_support::with_stack;

use crate::access::Accesses;
use crate::facts::Facts;
use crate::reach::Kind;
use crate::stmt::{conjuncts, mentions};
use crate::uses::Uses;

/// Written boxes at most that the analysis keeps.
const MAX_BOXES: usize = 32;

/// The indices of a box in one dimension: from `low` to `high`, and of those the ones from `from` on and below `below`.
#[derive(Clone)]
struct Side {
    low: Expr,
    high: Expr,
    from: Option<Expr>,
    below: Option<Expr>,
}

/// Elements that are written where these conditions hold.
#[derive(Clone)]
struct Box {
    sides: Vec<Side>,
    under: Vec<Expr>,
}

/// Whether one run of the statement reads only what it has written before.
pub(crate) fn writes_before_it_reads(facts: &mut Facts, uses: &mut Uses, buffer: &Buffer, stmt: &Stmt) -> bool {
    Coverage { facts, uses, buffer, inside: Vec::new(), path: Vec::new() }.run(stmt, &mut Vec::new())
}

struct Coverage<'a> {
    facts: &'a mut Facts,
    uses: &'a mut Uses,
    buffer: &'a Buffer,
    /// Variables bound inside the statement around the current node.
    inside: Vec<Var>,
    /// The conditions around the current node.
    path: Vec<Expr>,
}

impl Coverage<'_> {
    /// Visits the statement in program order; `written` are boxes that are certainly written. False on an uncovered
    /// read.
    fn run(&mut self, stmt: &Stmt, written: &mut Vec<Box>) -> bool {
        if !self.uses.has(stmt, self.buffer) {
            return true;
        }
        with_stack(|| stmt.own_exprs().iter().all(|e| self.reads(e, written)) && self.run_kind(stmt, written))
    }

    fn run_kind(&mut self, stmt: &Stmt, written: &mut Vec<Box>) -> bool {
        match &stmt.kind {
            StmtKind::Store { buffer, indices, predicate, .. } => {
                if buffer.data == self.buffer.data && buffer != self.buffer {
                    return false;
                }
                let whole = predicate.is_none() && indices.iter().all(|index| index.dtype.is_scalar());
                if buffer == self.buffer && whole {
                    let point =
                        |index: &Expr| Side { low: index.clone(), high: index.clone(), from: None, below: None };
                    add(written, Box { sides: indices.iter().map(point).collect(), under: Vec::new() });
                }
                true
            }
            StmtKind::For { var, min, extent, body, .. } => self.run_loop((var, min, extent), body, written),
            StmtKind::While { body, .. } => self.run(body, &mut written.clone()),
            StmtKind::If { condition, then, otherwise } => {
                let mut rest = written.clone();
                let known = written.len();
                let covered = self.under(condition, |cx| cx.run(then, written));
                for b in written.split_off(known.min(written.len())) {
                    written.extend(self.only_where(b, condition));
                }
                covered
                    && otherwise.as_ref().is_none_or(|s| match condition.not() {
                        Ok(not) => self.under(&not, |cx| cx.run(s, &mut rest)),
                        Err(_) => self.run(s, &mut rest),
                    })
            }
            StmtKind::Let { var, value, body } => {
                let scope = self.facts.enter();
                self.facts.bind_value(var, value);
                self.inside.push(var.clone());
                let known = written.len();
                let covered = self.run(body, written);
                self.inside.pop();
                self.facts.leave(scope);
                // Boxes may name the variable.
                written.truncate(known);
                covered
            }
            StmtKind::Assert { .. } | StmtKind::Evaluate(_) => true,
            StmtKind::Seq(stmts) => stmts.iter().all(|s| self.run(s, written)),
            StmtKind::Allocate { body, .. } | StmtKind::AllocateConst { body, .. } | StmtKind::Attr { body, .. } => {
                self.run(body, written)
            }
            StmtKind::Block { .. } => false,
        }
    }

    fn run_loop(&mut self, (var, min, extent): (&Var, &Expr, &Expr), body: &Stmt, written: &mut Vec<Box>) -> bool {
        let known = written.len();
        let scope = self.facts.enter();
        self.facts.bind(var, min, extent);
        self.inside.push(var.clone());
        let covered = self.run(body, written);
        self.inside.pop();
        let inside = written.split_off(known.min(written.len()));
        let runs = Expr::compare(CmpOp::Gt, extent, &Expr::int(0, extent.dtype));
        let runs = runs.is_ok_and(|runs| self.facts.analyzer.prove(&runs));
        let swept: Vec<Box> = inside.into_iter().filter_map(|b| self.sweep(b, var, extent, runs)).collect();
        self.facts.leave(scope);
        swept.into_iter().for_each(|b| add(written, b));
        covered
    }

    fn under(&mut self, condition: &Expr, f: impl FnOnce(&mut Self) -> bool) -> bool {
        let (scope, known) = (self.facts.enter(), self.path.len());
        self.facts.assume(condition);
        self.path.extend(conjuncts(condition));
        let result = f(self);
        self.path.truncate(known);
        self.facts.leave(scope);
        result
    }

    /// Whether every load of the buffer in the expression lies in a written box.
    fn reads(&mut self, expr: &Expr, written: &[Box]) -> bool {
        let mut uses = false;
        let mut escapes = false;
        walk(expr, |e: &Expr| match &e.kind {
            ExprKind::Load { buffer, .. } => uses |= buffer.data == self.buffer.data,
            ExprKind::AddressOf { buffer, .. } => escapes |= buffer.data == self.buffer.data,
            _ => {}
        });
        if escapes || !uses {
            return !escapes;
        }
        let Some(mut accesses) = Accesses::of(std::slice::from_ref(expr)) else { return false };
        let mut outside = accesses.outside();
        accesses.all.iter().filter(|access| access.buffer.data == self.buffer.data).all(|access| {
            access.buffer == *self.buffer && {
                let (scope, known) = (self.facts.enter(), self.path.len());
                for reach in accesses.reaches.conditions(access.under) {
                    let Kind::Where { condition, holds, .. } = accesses.reaches.kind(reach) else { continue };
                    let condition = outside.expr(condition);
                    let Ok(condition) = (if *holds { Ok(condition) } else { condition.not() }) else { continue };
                    self.facts.assume(&condition);
                    self.path.extend(conjuncts(&condition));
                }
                let indices: Vec<Expr> = access.indices.iter().map(|index| outside.expr(index)).collect();
                let covered = written.iter().any(|b| self.contains(b, &indices));
                self.path.truncate(known);
                self.facts.leave(scope);
                covered
            }
        })
    }

    fn contains(&self, b: &Box, indices: &[Expr]) -> bool {
        let at_most = |a: &Expr, b: &Expr| self.facts.analyzer.decide(CmpOp::Le, a, b) == Some(true);
        let inside = |(side, index): (&Side, &Expr)| {
            index.dtype.is_scalar()
                && at_most(&side.low, index)
                && at_most(index, &side.high)
                && side.from.as_ref().is_none_or(|from| at_most(from, index))
                && side.below.as_ref().is_none_or(|below| at_most(&(index + 1), below))
        };
        b.sides.len() == indices.len()
            && b.sides.iter().zip(indices).all(inside)
            && b.under.iter().all(|c| self.path.iter().any(|known| known.equal(c)) || self.facts.analyzer.prove(c))
    }

    /// The box written by the iterations under this condition. A comparison of an index with a limit clips the box; any
    /// other condition is kept with it.
    fn only_where(&self, mut b: Box, condition: &Expr) -> Option<Box> {
        let changes = |c: &Expr| {
            let mut changes = false;
            walk(c, |e: &Expr| match &e.kind {
                ExprKind::Load { buffer, .. } => changes |= self.facts.written.contains(&buffer.data.id()),
                ExprKind::Foreign { .. } => changes = true,
                _ => {}
            });
            changes
        };
        for part in conjuncts(condition) {
            if changes(&part) {
                return None;
            }
            if !self.limit(&mut b, &part) {
                b.under.push(part);
            }
        }
        Some(b)
    }

    /// Whether the comparison is one of an index of the box with a limit known outside: then the box has this limit.
    fn limit(&self, b: &mut Box, condition: &Expr) -> bool {
        let ExprKind::Compare(op, x, y) = &condition.kind else { return false };
        if !self.facts.magnitudes.trusts(&self.facts.analyzer, condition) {
            return false;
        }
        let (less, more, strict) = match op {
            CmpOp::Lt => (x, y, true),
            CmpOp::Le => (x, y, false),
            CmpOp::Gt => (y, x, true),
            CmpOp::Ge => (y, x, false),
            CmpOp::Eq | CmpOp::Ne => return false,
        };
        for side in &mut b.sides {
            let index = &side.low;
            if !side.low.same(&side.high) || index.dtype != less.dtype || !self.facts.analyzer.is_index(index) {
                continue;
            }
            // index < limit, where less - more = index - limit; limit < index, where more - less = index - limit.
            let outside = |limit: Expr| Some(limit).filter(|limit| !mentions(limit, &self.inside));
            let (above, below) = (&(less - more), &(more - less));
            if side.below.is_none()
                && let Some(limit) = outside(self.facts.analyzer.simplify(&(index - above)))
            {
                side.below = Some(if strict { limit } else { &limit + 1 });
                return true;
            }
            if side.from.is_none()
                && let Some(limit) = outside(self.facts.analyzer.simplify(&(index - below)))
            {
                side.from = Some(if strict { &limit + 1 } else { limit });
                return true;
            }
        }
        false
    }

    /// The union of the boxes of all iterations, if it has no gaps.
    fn sweep(&self, mut b: Box, var: &Var, extent: &Expr, runs: bool) -> Option<Box> {
        let vars = std::slice::from_ref(var);
        let depends = |e: &Option<Expr>| e.as_ref().is_some_and(|e| mentions(e, vars));
        if mentions(&b.under, vars) || b.sides.iter().any(|s| depends(&s.from) || depends(&s.below)) {
            return None;
        }
        let moves = |side: &Side| mentions(&side.low, vars) || mentions(&side.high, vars);
        let moving: Vec<usize> = (0..b.sides.len()).filter(|&i| moves(&b.sides[i])).collect();
        let &[dim] = moving.as_slice() else {
            return (moving.is_empty() && runs).then_some(b);
        };
        let Side { low, high, .. } = b.sides.get(dim)?.clone();
        let (first, last) = (self.facts.analyzer.linear_in(&low, vars)?, self.facts.analyzer.linear_in(&high, vars)?);
        let (&[step], &[same]) = (first.coefficients.as_slice(), last.coefficients.as_slice()) else {
            return None;
        };
        let width = self.facts.analyzer.bounds(&(&(&high - &low) + 1));
        if step < 1 || step != same || !(width.at_least(step) || extent.as_int() == Some(1)) {
            return None;
        }
        // Without iterations the hull is empty, unless the boxes of neighbouring iterations overlap.
        if !runs && !width.at_most(step) {
            return None;
        }
        b.sides[dim].low = self.facts.analyzer.extremes(&low, vars)?.0;
        b.sides[dim].high = self.facts.analyzer.extremes(&high, vars)?.1;
        Some(b)
    }
}

fn add(written: &mut Vec<Box>, b: Box) {
    if written.len() < MAX_BOXES {
        written.push(b);
    }
}

/// For each dimension the least index that the statement touches and a constant number of indices from there on, in
/// terms of what is bound outside of the statement; `None` where that is not known.
pub(crate) fn touched(facts: &mut Facts, uses: &mut Uses, buffer: &Buffer, stmt: &Stmt) -> Vec<Option<(Expr, i64)>> {
    let mut cx = Touched { facts, uses, buffer, inside: Vec::new(), boxes: vec![Some(Vec::new()); buffer.rank()] };
    if cx.stmt(stmt).is_none() {
        return vec![None; buffer.rank()];
    }
    let boxes = std::mem::take(&mut cx.boxes);
    boxes.into_iter().map(|dim| cx.join(dim?)).collect()
}

struct Touched<'a> {
    facts: &'a mut Facts,
    uses: &'a mut Uses,
    buffer: &'a Buffer,
    /// Variables bound inside of the statement.
    inside: Vec<Var>,
    /// Extremes of every access, by dimension.
    boxes: Vec<Option<Vec<(Expr, Expr)>>>,
}

impl Touched<'_> {
    /// `None` where a view shares the memory: indices of two kinds.
    fn stmt(&mut self, stmt: &Stmt) -> Option<()> {
        if !self.uses.has(stmt, self.buffer) {
            return Some(());
        }
        with_stack(|| {
            let scope = self.facts.enter();
            let known = self.inside.len();
            let done = self.stmt_kind(stmt);
            self.inside.truncate(known);
            self.facts.leave(scope);
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
                self.facts.bind(var, min, extent);
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
                self.facts.bind_value(var, value);
                self.inside.push(var.clone());
                self.stmt(body)
            }
            StmtKind::Assert { condition, .. } => self.expr(condition),
            StmtKind::Evaluate(e) => self.expr(e),
            StmtKind::Seq(stmts) => stmts.iter().try_for_each(|s| self.stmt(s)),
            StmtKind::Attr { node, value, body, .. } => {
                self.expr(node)?;
                self.expr(value)?;
                self.stmt(body)
            }
            StmtKind::Allocate { body, .. } | StmtKind::AllocateConst { body, .. } => self.stmt(body),
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
                .and_then(|index| self.facts.analyzer.extremes(index, &self.inside));
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
            match self.facts.analyzer.decide(CmpOp::Le, &low, &l) {
                Some(true) => {}
                Some(false) => low = l,
                None if self.facts.analyzer.decide(CmpOp::Le, &l, &low) == Some(true) => low = l,
                None => return None,
            }
            highs.push(h);
        }
        let width = |high: &Expr| self.facts.analyzer.bounds(&(&(high - &low) + 1)).max;
        let widths = highs.iter().map(width).collect::<Option<Vec<i64>>>()?;
        widths.into_iter().max().filter(|&width| width > 0).map(|width| (low, width))
    }
}
