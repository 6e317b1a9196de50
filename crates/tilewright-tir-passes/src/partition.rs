//! `partition_loops`: loop partition and peeling. A loop with conditions on its variable is split into parts: one in
//! which they certainly hold, one in which they certainly do not, and the iterations in between, which keep them.
//!
//! A condition is a comparison of index arithmetic anywhere in the body: of an `If`, an assert, a choice inside an
//! expression, or of `min` and `max`, which compare too. Its two sides differ by a sum `c · x + rest`. Over all values
//! of the loops further inside the difference has a least and a greatest value; where the least one is not negative the
//! condition holds for all of them, and because it is linear in `x`, that is so up to (or from) one value of `x` on.
//!
//! Each condition splits one loop, the innermost long one that it varies with: register tiles and vectors inside stay
//! whole, and an outer loop has nothing to gain. A parallel loop is not split, since its parts would wait for each
//! other: its body chooses between the two versions. A vectorised loop of many iterations is split by conditions that
//! vary with no enclosing loop, so that the parts run in whole vectors. One that becomes a single vector is split by
//! conditions that select the elements to read, so that each part is a contiguous load instead of a gather.
//!
//! A vectorised loop of many iterations under a limit that is known only at run time, such as the end of a row of
//! unknown length, ends at the limit: its remaining lanes do not run under a mask.
//!
//! A loop whose bounds read memory is not split, since its parts would read them again; nor at a limit that might
//! overflow.
//!
//! A part that may be empty is a loop of an extent that is not positive. Bodies are copied, up to a size.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{AnyHandle, Mapper, Memo, walk};
use tilewright_ir::Attrs;
use tilewright_ir::tir::{BinOp, CmpOp, Expr, ExprKind, ForKind, PrimFunc, Range, Stmt, StmtKind, Var};
use tilewright_support::{Map, Set, with_stack};

use crate::magnitude::Magnitudes;
use crate::stmt::{Result, analyzer_of, conjuncts, map_below, mentions, reads, typed, with_body};
use crate::substitute::copy_with;
use crate::vectorize::MAX_LANES;

/// Statements at most that the copies of bodies add to a function.
const MAX_ADDED_STATEMENTS: usize = 8 * 1024;
/// Iterations up to which a loop is taken for a register tile, and not split.
const MAX_TILE_ITERATIONS: i64 = 16;
/// Lanes up to which a vector's elements are loaded one by one.
const MAX_SCALAR_LOADS: i64 = 8;
/// Iterations from which a vectorised loop is also split by conditions on the elements to read that vary with enclosing
/// loops: computing the limit is then cheap relative to its vectors.
const MIN_LONG_ITERATIONS: i64 = 512;

pub fn partition_loops(function: &PrimFunc) -> Result<PrimFunc> {
    let (analyzer, magnitudes) = (analyzer_of(function), Magnitudes::of(function));
    let mut cx = Partition { analyzer, magnitudes, around: Vec::new(), room: MAX_ADDED_STATEMENTS };
    let body = cx.stmt(&function.body)?;
    Ok(with_body(function, body))
}

struct Partition {
    analyzer: Analyzer,
    magnitudes: Magnitudes,
    /// Variables of the loops around.
    around: Vec<Var>,
    room: usize,
}

/// A loop's parts, except its body.
struct Loop<'a> {
    var: &'a Var,
    min: &'a Expr,
    extent: &'a Expr,
    kind: &'a ForKind,
    annotations: &'a Attrs,
}

/// A condition, solved for the loop's variable `x`.
struct Condition {
    /// The comparison, or the `min` or `max`.
    node: Expr,
    /// Whether it holds for small `x`; for large ones otherwise.
    below: bool,
    /// It certainly holds for `x` below this (or from this on).
    holds: Expr,
    /// It certainly does not from this on (or below this).
    fails: Option<Expr>,
    /// The least value of the difference that is non-negative exactly if it holds.
    least: Expr,
}

impl Condition {
    /// Whether it decides a choice, not only a value.
    fn is_guard(&self) -> bool {
        matches!(self.node.kind, ExprKind::Compare(..))
    }
}

impl Partition {
    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let StmtKind::For { var, min, extent, kind, annotations, body } = &stmt.kind else {
            return self.below(stmt);
        };
        let l = Loop { var, min, extent, kind, annotations };
        if let Some(ended) = self.ended(&l, body) {
            return with_stack(|| self.stmt(&ended));
        }
        let cut = is_long(kind, extent) && !reads(min) && !reads(extent);
        let mut conditions = if cut { self.conditions(&l, body) } else { Vec::new() };
        if *kind == ForKind::Vectorized && extent.as_int().is_some_and(|extent| extent <= MAX_LANES) {
            let indices = indices(body);
            conditions.retain(|condition| indices.contains(&condition.node.address()));
        }
        let size = count(body);
        if conditions.is_empty() || size.saturating_mul(4) > self.room {
            return self.below(stmt);
        }
        self.room -= size * 4;
        match kind {
            ForKind::Parallel => self.choose(&l, &conditions, body),
            _ => self.cut(&l, &conditions, body),
        }
    }

    /// The statement with its loops partitioned.
    fn below(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let scope = self.analyzer.enter();
        let around = self.around.len();
        match &stmt.kind {
            StmtKind::For { var, min, extent, .. } => {
                self.analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
                self.magnitudes.bind(&self.analyzer, var, min, extent);
                self.around.push(var.clone());
            }
            StmtKind::Let { var, value, .. } => {
                self.analyzer.bind_value(var, value);
                self.magnitudes.bind_value(&self.analyzer, var, value);
            }
            _ => {}
        }
        let below = map_below(stmt, &mut |s| self.stmt(s));
        self.analyzer.leave(scope);
        self.around.truncate(around);
        below
    }

    /// The parts one after the other: in the order of `x`, fails or between, holds, between or fails.
    fn cut(&mut self, l: &Loop<'_>, conditions: &[Condition], body: &Stmt) -> Result<Stmt> {
        let end = l.min + l.extent;
        let within = |at: &Expr, from: &Expr| -> Result<Expr> {
            let at = typed(Expr::binary(BinOp::Min, at, &end))?;
            typed(Expr::binary(BinOp::Max, &at, from))
        };
        let join = |side: &[&Condition], of: &dyn Fn(&Condition) -> Option<Expr>, op: BinOp| -> Result<Option<Expr>> {
            let all: Option<Vec<Expr>> = side.iter().map(|c| of(c)).collect();
            let mut all = all.unwrap_or_default().into_iter();
            let Some(first) = all.next() else { return Ok(None) };
            all.try_fold(first, |a, b| typed(Expr::binary(op, &a, &b))).map(Some)
        };
        let side = |below: bool| conditions.iter().filter(move |c| c.below == below);
        // Statements whose guards fail are removed, whatever the limits of `min` and `max` are.
        let guarded = conditions.iter().any(Condition::is_guard);
        let failing = |below: bool| side(below).filter(|c| c.is_guard() == guarded).collect::<Vec<_>>();
        let (holds, fails) = (|c: &Condition| Some(c.holds.clone()), |c: &Condition| c.fails.clone());
        let (lower, upper) = (side(false).collect::<Vec<_>>(), side(true).collect::<Vec<_>>());
        let from = match join(&lower, &holds, BinOp::Max)? {
            Some(from) => within(&from, l.min)?,
            None => l.min.clone(),
        };
        let to = match join(&upper, &holds, BinOp::Min)? {
            Some(to) => within(&to, &from)?,
            None => end.clone(),
        };
        // Below `first` all lower guards fail, from `last` on all upper ones.
        let first = match join(&failing(false), &fails, BinOp::Min)? {
            Some(first) => within(&first, l.min)?,
            None => l.min.clone(),
        };
        let last = match join(&failing(true), &fails, BinOp::Max)? {
            Some(last) => within(&last, &to)?,
            None => end.clone(),
        };
        let fail = |below: bool| failing(below).into_iter().map(|c| (c, false)).collect::<Vec<_>>();
        let parts = [
            (l.min, &first, fail(false)),
            (&first, &from, Vec::new()),
            (&from, &to, conditions.iter().map(|c| (c, true)).collect()),
            (&to, &last, Vec::new()),
            (&last, &end, fail(true)),
        ];
        let mut all = Vec::new();
        for (from, to, known) in parts {
            all.push(self.part(l, from, to, body, (conditions, known))?);
        }
        Ok(Stmt::seq(all))
    }

    /// The loop from `from` to `to`, with its own variables, under known conditions. It may have further conditions,
    /// nested in those or with other limits, by which it is split again.
    fn part(
        &mut self,
        l: &Loop<'_>,
        from: &Expr,
        to: &Expr,
        body: &Stmt,
        (conditions, mut known): (&[Condition], Vec<(&Condition, bool)>),
    ) -> Result<Stmt> {
        let (from, to) = (self.analyzer.simplify(from), self.analyzer.simplify(to));
        let extent = self.analyzer.simplify(&(&to - &from));
        if extent.as_int().is_some_and(|extent| extent <= 0) {
            return Ok(Stmt::nothing());
        }
        for condition in conditions {
            if !known.iter().any(|(other, _)| std::ptr::eq(*other, condition))
                && let Some(holds) = self.settled(condition, &from, &to)
            {
                known.push((condition, holds));
            }
        }
        let is_again = !known.is_empty() && (extent.as_int().is_some() || *l.kind == ForKind::Vectorized);
        let (var, annotations) = (l.var.clone(), l.annotations.clone());
        let body = decided(body, known.into_iter());
        let part = StmtKind::For { var, min: from, extent, kind: l.kind.clone(), annotations, body };
        let part = copy_with(&part.into(), []);
        if is_again { with_stack(|| self.stmt(&part)) } else { self.below(&part) }
    }

    /// Whether a condition certainly holds from `from` to `to`, or certainly does not.
    fn settled(&self, condition: &Condition, from: &Expr, to: &Expr) -> Option<bool> {
        let proved = |a: &Expr, b: &Expr| self.analyzer.decide(CmpOp::Ge, a, b) == Some(true);
        // The first value from which it certainly is so, or one past the last.
        let reaches = |limit: &Expr, below: bool| if below { proved(limit, to) } else { proved(from, limit) };
        if reaches(&condition.holds, condition.below) {
            return Some(true);
        }
        condition.fails.as_ref().is_some_and(|limit| reaches(limit, !condition.below)).then_some(false)
    }

    /// A choice between the body with its conditions decided, if all of them hold, and the unchanged body.
    fn choose(&mut self, l: &Loop<'_>, conditions: &[Condition], body: &Stmt) -> Result<Stmt> {
        let mut all: Option<Expr> = None;
        for condition in conditions {
            let holds = typed(Expr::compare(CmpOp::Ge, &condition.least, &Expr::int(0, condition.least.dtype)))?;
            all = Some(match all {
                Some(all) => typed(Expr::binary(BinOp::And, &all, &holds))?,
                None => holds,
            });
        }
        let Some(all) = all else { return Ok(Stmt::nothing()) };
        let then = copy_with(&decided(body, conditions.iter().map(|c| (c, true))), []);
        let choice = StmtKind::If { condition: all, then, otherwise: Some(body.clone()) };
        let (var, min, extent) = (l.var.clone(), l.min.clone(), l.extent.clone());
        let (kind, annotations) = (l.kind.clone(), l.annotations.clone());
        self.below(&StmtKind::For { var, min, extent, kind, annotations, body: choice.into() }.into())
    }

    /// Shortens a vectorised loop of many iterations whose body is empty from a limit of unknown size on. A loop that
    /// becomes a single vector is left alone: its values stay in registers.
    fn ended(&mut self, l: &Loop<'_>, body: &Stmt) -> Option<Stmt> {
        let StmtKind::If { condition, otherwise: None, .. } = &body.kind else { return None };
        let is_meant = *l.kind == ForKind::Vectorized && l.extent.as_int().is_some_and(|extent| extent > MAX_LANES);
        if !is_meant || reads(l.min) {
            return None;
        }
        let parts: Set<usize> = conjuncts(condition).iter().map(Expr::address).collect();
        let mut limits = self.found(l, body);
        limits.retain(|limit| {
            limit.below && parts.contains(&limit.node.address()) && mentions_other(&limit.holds, &self.around)
        });
        if limits.is_empty() {
            return None;
        }
        let left = |limit: &Condition| &limit.holds - l.min;
        let extent = limits
            .iter()
            .try_fold(l.extent.clone(), |least, limit| typed(Expr::binary(BinOp::Min, &left(limit), &least)).ok())?;
        let extent = self.analyzer.simplify(&extent);
        let body = decided(body, limits.iter().map(|limit| (limit, true)));
        let (var, min, kind, annotations) = (l.var.clone(), l.min.clone(), l.kind.clone(), l.annotations.clone());
        Some(StmtKind::For { var, min, extent, kind, annotations, body }.into())
    }

    /// The conditions in the body by which the loop is split.
    fn conditions(&mut self, l: &Loop<'_>, body: &Stmt) -> Vec<Condition> {
        let found = self.found(l, body);
        let is_long = l.extent.as_int().is_none_or(|extent| extent >= MIN_LONG_ITERATIONS);
        let indices = if *l.kind == ForKind::Vectorized && is_long { indices(body) } else { Set::default() };
        let own = |condition: &Condition| {
            *l.kind != ForKind::Vectorized
                || !mentions(&condition.node, &self.around)
                || indices.contains(&condition.node.address())
        };
        found.into_iter().filter(own).collect()
    }

    /// The conditions in the body that vary with the loop.
    fn found(&mut self, l: &Loop<'_>, body: &Stmt) -> Vec<Condition> {
        let scope = self.analyzer.enter();
        self.analyzer.bind(l.var, &Range::new(l.min.clone(), l.extent.clone()));
        self.magnitudes.bind(&self.analyzer, l.var, l.min, l.extent);
        let mut search = Search {
            analyzer: &mut self.analyzer,
            magnitudes: &self.magnitudes,
            var: l.var,
            inside: Vec::new(),
            long: Vec::new(),
            scopes: Vec::new(),
            bindings: 0,
            seen: Map::default(),
            found: Vec::new(),
        };
        search.stmt(body);
        let found = std::mem::take(&mut search.found);
        self.analyzer.leave(scope);
        found.into_iter().flatten().collect()
    }
}

/// Looks for conditions.
struct Search<'a> {
    analyzer: &'a mut Analyzer,
    magnitudes: &'a Magnitudes,
    var: &'a Var,
    /// Variables bound in the body around the current node.
    inside: Vec<Var>,
    /// Those of them that belong to long loops.
    long: Vec<Var>,
    /// The enclosing binding statements, by number: a variable may be bound twice.
    scopes: Vec<usize>,
    bindings: usize,
    /// The scopes in which a node was first visited, and its index in `found`.
    seen: Map<usize, (Vec<usize>, Option<usize>)>,
    /// `None` if a second visit withdrew the condition.
    found: Vec<Option<Condition>>,
}

impl Search<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        let mut below = Vec::new();
        for expr in stmt.own_exprs() {
            self.expr(&expr);
        }
        let scope = self.analyzer.enter();
        let (inside, long) = (self.inside.len(), self.long.len());
        if matches!(stmt.kind, StmtKind::For { .. } | StmtKind::Let { .. }) {
            self.bindings += 1;
            self.scopes.push(self.bindings);
        }
        match &stmt.kind {
            StmtKind::For { var, min, extent, kind, .. } => {
                self.analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
                self.inside.push(var.clone());
                if !is_tile(extent) && matches!(kind, ForKind::Serial | ForKind::Parallel) {
                    self.long.push(var.clone());
                }
            }
            StmtKind::Let { var, value, .. } => {
                self.analyzer.bind_value(var, value);
                self.inside.push(var.clone());
            }
            _ => {}
        }
        // Never fails: nothing is changed.
        let _ = map_below(stmt, &mut |s| {
            below.push(s.clone());
            Ok(s.clone())
        });
        for stmt in below {
            with_stack(|| self.stmt(&stmt));
        }
        self.analyzer.leave(scope);
        self.inside.truncate(inside);
        self.scopes.truncate(inside);
        self.long.truncate(long);
    }

    fn expr(&mut self, expr: &Expr) {
        let mut nodes = Vec::new();
        let mut bound = Vec::new();
        let mut note = |e: &Expr| match &e.kind {
            ExprKind::Compare(..) | ExprKind::Binary(BinOp::Min | BinOp::Max, ..) => nodes.push(e.clone()),
            ExprKind::Let { var, .. } => bound.push(var.clone()),
            _ => {}
        };
        walk(expr, &mut note);
        for node in nodes {
            if let Some((inside, number)) = self.seen.get(&node.address()) {
                // The same node in another scope: it may be decided in one of them only.
                if *inside != self.scopes
                    && let &Some(number) = number
                {
                    self.found[number] = None;
                }
                continue;
            }
            let condition = self.condition(&node, &bound);
            let number = condition.is_some().then_some(self.found.len());
            self.seen.insert(node.address(), (self.scopes.clone(), number));
            self.found.extend(condition.map(Some));
        }
    }

    fn condition(&self, node: &Expr, bound: &[Var]) -> Option<Condition> {
        let difference = difference(node)?;
        if difference.dtype != self.var.dtype || !mentions(&difference, std::slice::from_ref(self.var)) {
            return None;
        }
        let coefficients = self.analyzer.linear_in(&difference, &self.long)?.coefficients;
        if coefficients.iter().any(|&c| c != 0) {
            return None;
        }
        let (least, greatest) = self.analyzer.extremes(&difference, &self.inside)?;
        let only = std::slice::from_ref(self.var);
        let (low, high) = (self.analyzer.linear_in(&least, only)?, self.analyzer.linear_in(&greatest, only)?);
        let (&[c], &[d]) = (low.coefficients.as_slice(), high.coefficients.as_slice()) else { return None };
        let known = |e: &Expr| !mentions(e, &self.inside) && !mentions(e, bound) && self.analyzer.is_index(e);
        let fits = |e: &Expr| self.magnitudes.fits(self.analyzer, e);
        if c == 0 || !known(&low.rest) || !fits(&least) || !fits(&greatest) {
            return None;
        }
        // c·x + r >= 0 exactly if x <= r // -c, c < 0; exactly if x >= -(r // c), c > 0.
        let limit = |rest: &Expr, c: i64| {
            let by = Expr::int(c.checked_abs()?, rest.dtype);
            let quotient = Expr::binary(BinOp::FloorDiv, rest, &by).ok()?;
            let limit = if c < 0 { &quotient + 1 } else { &Expr::int(0, rest.dtype) - &quotient };
            Some(self.analyzer.simplify(&limit))
        };
        let fails = (d.signum() == c.signum() && known(&high.rest)).then(|| limit(&high.rest, d)).flatten();
        Some(Condition { node: node.clone(), below: c < 0, holds: limit(&low.rest, c)?, fails, least })
    }
}

/// A difference that is non-negative exactly if the comparison holds, or if the first operand of `min` or `max` is the
/// result.
fn difference(node: &Expr) -> Option<Expr> {
    let (op, a, b) = match &node.kind {
        ExprKind::Compare(op, a, b) => (*op, a, b),
        ExprKind::Binary(BinOp::Min, a, b) => (CmpOp::Le, a, b),
        ExprKind::Binary(BinOp::Max, a, b) => (CmpOp::Ge, a, b),
        _ => return None,
    };
    if !a.dtype.is_int() || a.dtype.is_vector() {
        return None;
    }
    Some(match op {
        CmpOp::Lt => &(b - a) - 1,
        CmpOp::Le => b - a,
        CmpOp::Gt => &(a - b) - 1,
        CmpOp::Ge => a - b,
        CmpOp::Eq | CmpOp::Ne => return None,
    })
}

/// The body with these conditions decided.
fn decided<'a>(body: &Stmt, conditions: impl Iterator<Item = (&'a Condition, bool)>) -> Stmt {
    let mut values = Map::default();
    for (condition, holds) in conditions {
        let value = match &condition.node.kind {
            ExprKind::Binary(_, a, b) => if holds { a } else { b }.clone(),
            _ => Expr::bool(holds),
        };
        values.insert(condition.node.address(), value);
    }
    let mut decide = Decide { values, memo: Memo::default() };
    tilewright_expr::node::IrNode::map_children(body, &mut decide).unwrap_or_else(|| body.clone())
}

/// Replaces nodes by their addresses; the conditions keep them alive.
struct Decide {
    values: Map<usize, Expr>,
    memo: Memo,
}

impl Mapper for Decide {
    fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        if let Some(known) = self.memo.get(node) {
            return known;
        }
        let value = node.downcast::<Expr>().and_then(|e| self.values.get(&e.address()).cloned());
        let result = match value {
            Some(value) => Some(self.map(&value).unwrap_or_else(|| value.boxed())),
            None => with_stack(|| node.map_inside(self)),
        };
        self.memo.put(node, &result);
        result
    }
}

/// Whether the expression depends on more than these variables.
fn mentions_other(expr: &Expr, vars: &[Var]) -> bool {
    let mut found = false;
    walk(expr, |var: &Var| found |= !vars.contains(var));
    found
}

/// Whether a loop may be split.
fn is_long(kind: &ForKind, extent: &Expr) -> bool {
    match kind {
        ForKind::Serial | ForKind::Parallel => !is_tile(extent),
        ForKind::Vectorized => extent.as_int().is_none_or(|extent| extent > MAX_SCALAR_LOADS),
        _ => false,
    }
}

/// The addresses of all nodes in indices of loads.
fn indices(body: &Stmt) -> Set<usize> {
    let mut found = Set::default();
    walk(body, |e: &Expr| {
        if let ExprKind::Load { indices, .. } = &e.kind {
            walk(indices, |index: &Expr| {
                found.insert(index.address());
            });
        }
    });
    found
}

fn is_tile(extent: &Expr) -> bool {
    extent.as_int().is_some_and(|extent| extent <= MAX_TILE_ITERATIONS)
}

/// The number of statements.
fn count(stmt: &Stmt) -> usize {
    let mut number = 1;
    walk(stmt, |_: &Stmt| number += 1);
    number
}
