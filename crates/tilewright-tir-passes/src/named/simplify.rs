//! `Simplify`: expressions in their simplest form under the facts that hold there, and conditions that are decided.
//! Loops stay, those of one iteration too.
//!
//! Options: `transitively_prove_inequalities` (what follows of several inequalities), `convert_boolean_to_and_of_ors`,
//! `propagate_knowns_to_prove_conditional` and `propagate_knowns_to_simplify_expressions` (what stores and assumptions
//! in front say of elements of buffers, for conditions and for values).
//!
//! A `let` of an integer that follows from its operands is written out where it is used; it stays where a buffer is
//! declared with its variable.

use tilewright_expr::node::{VarId, rewrite, walk};
use tilewright_ir::tir::{
    BinOp, Block, Buffer, BufferRegion, Builtin, CmpOp, Expr, ExprKind, PrimFunc, Range, Stmt, StmtKind, Var,
};
use tilewright_support::{Set, with_stack};
use tilewright_tensor::DataType;

use super::inequalities::Inequalities;
use super::knowns::Knowns;
use super::{Options, below, is_on, no_op, seq, with};
use crate::facts::Facts;
use crate::no_op::stores_own_value;
use crate::stmt::{Result, conjuncts, is_foreign, reads, typed};
use crate::substitute::Substitute;

pub(super) fn simplify(options: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let mut cx = Simplify {
        facts: Facts::of(function),
        declared: declared_with(&function.body),
        known: Vec::new(),
        clauses: Vec::new(),
        orders: is_on(options, "transitively_prove_inequalities").then(Inequalities::default),
        elements: Knowns::default(),
        of_conditions: is_on(options, "propagate_knowns_to_prove_conditional"),
        of_values: is_on(options, "propagate_knowns_to_simplify_expressions"),
        and_of_ors: is_on(options, "convert_boolean_to_and_of_ors"),
    };
    cx.facts.analyzer.keep_variables();
    let body = cx.stmt(&function.body)?;
    Ok(with(function, body))
}

/// The variables that declarations of buffers mention.
fn declared_with(body: &Stmt) -> Set<VarId> {
    let mut found = Set::default();
    walk(body, |buffer: &Buffer| {
        found.insert(buffer.data.id());
        for expr in buffer.shape.iter().chain(&buffer.strides).chain(&buffer.elem_offset) {
            walk(expr, |var: &Var| {
                found.insert(var.id());
            });
        }
    });
    found
}

/// The condition of `T.assume(condition)`.
fn assumed(value: &Expr) -> Option<&Expr> {
    match &value.kind {
        ExprKind::Foreign { callee, args } if callee.is(Builtin::ASSUME) => args.first(),
        _ => None,
    }
}

struct Simplify {
    facts: Facts,
    declared: Set<VarId>,
    /// Conditions that are decided here.
    known: Vec<(Expr, bool)>,
    /// Of each of these, at least one condition holds here.
    clauses: Vec<Vec<Expr>>,
    /// What follows of several inequalities, if the options ask for it.
    orders: Option<Inequalities>,
    /// What elements of buffers hold, where the options ask for it: in conditions, in values.
    elements: Knowns,
    of_conditions: bool,
    of_values: bool,
    and_of_ors: bool,
}

/// Terms of an `and` of `or`s up to which one is written.
const MAX_CLAUSES: usize = 64;

/// The condition as clauses that all hold; `None` where these are too many.
fn clauses(condition: &Expr) -> Option<Vec<Expr>> {
    let ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) = &condition.kind else {
        return Some(vec![condition.clone()]);
    };
    let (a, b) = (with_stack(|| clauses(a))?, with_stack(|| clauses(b))?);
    if *op == BinOp::And {
        return Some(a.into_iter().chain(b).collect());
    }
    if a.len() * b.len() > MAX_CLAUSES {
        return None;
    }
    a.iter().flat_map(|x| b.iter().map(move |y| Expr::binary(BinOp::Or, x, y).ok())).collect()
}

/// The conditions that all hold where this one does, by De Morgan's laws too.
fn all_of(condition: &Expr) -> Vec<Expr> {
    let parts = conjuncts(condition).into_iter().flat_map(|part| match &part.kind {
        ExprKind::Not(inside) => match &inside.kind {
            ExprKind::Binary(BinOp::Or, a, b) => match (a.not(), b.not()) {
                (Ok(a), Ok(b)) => [with_stack(|| all_of(&a)), all_of(&b)].concat(),
                _ => vec![part],
            },
            _ => vec![part],
        },
        _ => vec![part],
    });
    parts.collect()
}

/// The conditions of which at least one holds where this one does.
fn any_of(condition: &Expr) -> Vec<Expr> {
    match &condition.kind {
        ExprKind::Binary(BinOp::Or, a, b) => [with_stack(|| any_of(a)), any_of(b)].concat(),
        ExprKind::Not(inside) => match &inside.kind {
            ExprKind::Binary(BinOp::And, a, b) => match (a.not(), b.not()) {
                (Ok(a), Ok(b)) => [with_stack(|| any_of(&a)), any_of(&b)].concat(),
                _ => vec![condition.clone()],
            },
            _ => vec![condition.clone()],
        },
        _ => vec![condition.clone()],
    }
}

impl Simplify {
    /// The expression in its simplest form, conditions that are known here replaced by what they are.
    fn simple(&self, expr: &Expr) -> Expr {
        let simple = match self.of_values {
            true => self.reduced(&self.elements.inserted(&self.facts.analyzer, expr)),
            false => self.reduced(expr),
        };
        let simple = match self.known.is_empty() && self.orders.is_none() {
            true => simple,
            false => {
                let decided = rewrite(&simple, |e: &Expr| self.decided(e)).unwrap_or_else(|| simple.clone());
                if decided.same(&simple) { simple } else { self.reduced(&decided) }
            }
        };
        if self.and_of_ors && simple.dtype == DataType::BOOL {
            let all = clauses(&simple).and_then(|all| {
                all.into_iter().map(Some).reduce(|all, next| Expr::binary(BinOp::And, &all?, &next?).ok()).flatten()
            });
            return all.unwrap_or(simple);
        }
        simple
    }

    fn decided(&self, expr: &Expr) -> Option<Expr> {
        if expr.dtype != DataType::BOOL || expr.as_int().is_some() {
            return None;
        }
        let known = self.known.iter().find(|(condition, _)| condition.equal(expr)).map(|(_, holds)| *holds);
        let follows = || self.orders.as_ref().and_then(|orders| orders.decide(&self.facts.analyzer, expr));
        known.or_else(follows).map(Expr::bool)
    }

    /// The condition of a choice, which the values of elements may decide.
    fn condition(&self, expr: &Expr) -> Expr {
        let simple = self.simple(expr);
        if self.of_conditions && simple.as_int().is_none() {
            let inserted = self.elements.inserted(&self.facts.analyzer, &simple);
            let decided = if inserted.same(&simple) { None } else { self.simple(&inserted).as_int() };
            if let Some(value) = decided {
                return Expr::bool(value != 0);
            }
        }
        simple
    }

    /// The condition holds from here on. Index arithmetic is that of the integers; what depends on memory that the
    /// function writes is not remembered.
    fn learn(&mut self, condition: &Expr) {
        self.facts.assume(condition);
        for part in all_of(condition) {
            if is_foreign(&part) {
                continue;
            }
            let mut stable = true;
            walk(&part, |buffer: &Buffer| stable &= !self.facts.written.contains(&buffer.data.id()));
            if let ExprKind::Load { buffer, .. } = &part.kind {
                stable &= !self.facts.written.contains(&buffer.data.id());
            }
            if !stable {
                continue;
            }
            if !reads(&part) {
                self.facts.analyzer.assume(&part);
                if let Some(orders) = &mut self.orders {
                    orders.learn(&self.facts.analyzer, &part);
                }
            }
            let opposite = part.not().ok().map(|opposite| self.facts.analyzer.simplify(&opposite));
            self.known.extend(opposite.map(|opposite| (opposite, false)));
            let some = any_of(&part);
            if some.len() > 1 {
                self.clauses.push(some);
            }
            self.known.push((part, true));
        }
        self.propagate();
    }

    /// Of a clause all but one of whose conditions are known to fail, the last one holds.
    fn propagate(&mut self) {
        let fails = |expr: &Expr| {
            let known = self.known.iter().any(|(condition, holds)| !holds && condition.equal(expr));
            known || (!reads(expr) && self.facts.analyzer.simplify(expr).as_int() == Some(0))
        };
        let single = self.clauses.iter().find_map(|clause| {
            let mut open = clause.iter().filter(|expr| !fails(expr));
            let last = open.next().filter(|_| open.next().is_none())?;
            let new = !self.known.iter().any(|(condition, holds)| *holds && condition.equal(last));
            new.then(|| last.clone())
        });
        if let Some(last) = single {
            self.learn(&last);
        }
    }

    /// Of an expression with foreign calls only their arguments are simplified, so that each call happens as often as
    /// before.
    fn reduced(&self, expr: &Expr) -> Expr {
        if !is_foreign(expr) {
            return self.facts.analyzer.simplify(expr);
        }
        let calls = rewrite(expr, |e: &Expr| {
            let ExprKind::Foreign { callee, args } = &e.kind else { return None };
            let args =
                args.iter().map(|arg| if is_foreign(arg) { arg.clone() } else { self.facts.analyzer.simplify(arg) });
            Some(Expr::foreign(e.dtype, callee.clone(), args.collect()))
        });
        calls.unwrap_or_else(|| expr.clone())
    }

    fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let (scope, known, clauses) = (self.facts.enter(), self.known.len(), self.clauses.len());
        let orders = self.orders.clone();
        let result = with_stack(|| f(self));
        self.facts.leave(scope);
        self.known.truncate(known);
        self.clauses.truncate(clauses);
        self.orders = orders;
        result
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        if !self.of_conditions && !self.of_values {
            return self.simplified(stmt);
        }
        match &stmt.kind {
            StmtKind::For { var, extent, .. } => {
                self.elements.forget(&self.facts.analyzer, stmt);
                let before = self.elements.clone();
                let done = self.simplified(stmt)?;
                self.elements.leave(var);
                self.elements.forget(&self.facts.analyzer, &done);
                // What the body says holds after the loop if that ran.
                let zero = Expr::int(0, extent.dtype);
                if self.facts.analyzer.decide(CmpOp::Gt, extent, &zero) != Some(true) {
                    self.elements.meet(&before);
                }
                self.elements.learn(&done);
                Ok(done)
            }
            StmtKind::Store { .. } => {
                let done = self.simplified(stmt)?;
                self.elements.forget(&self.facts.analyzer, stmt);
                self.elements.learn(stmt);
                Ok(done)
            }
            StmtKind::Evaluate(_) => {
                let done = self.simplified(stmt)?;
                self.elements.forget(&self.facts.analyzer, stmt);
                self.elements.learn(&done);
                Ok(done)
            }
            StmtKind::While { .. } => {
                self.elements.forget(&self.facts.analyzer, stmt);
                let before = self.elements.clone();
                let done = self.simplified(stmt)?;
                self.elements.forget(&self.facts.analyzer, stmt);
                self.elements.meet(&before);
                Ok(done)
            }
            StmtKind::Block { .. } => {
                self.elements = Knowns::default();
                let done = self.simplified(stmt);
                self.elements = Knowns::default();
                done
            }
            StmtKind::Let { var, .. } => {
                let done = self.simplified(stmt)?;
                self.elements.leave(var);
                Ok(done)
            }
            _ => self.simplified(stmt),
        }
    }

    fn simplified(&mut self, stmt: &Stmt) -> Result<Stmt> {
        match &stmt.kind {
            StmtKind::Store { buffer, indices, value, predicate } => {
                let predicate = predicate.as_ref().map(|p| self.simple(p));
                let (indices, value) = (indices.iter().map(|e| self.simple(e)).collect(), self.simple(value));
                let store: Stmt = StmtKind::Store { buffer: buffer.clone(), indices, value, predicate }.into();
                Ok(if stores_own_value(&store) { no_op() } else { store })
            }
            StmtKind::For { var, min, extent, kind, annotations, body } => {
                let (min, extent) = (self.simple(min), self.simple(extent));
                let body = self.scoped(|cx| {
                    cx.facts.bind(var, &min, &extent);
                    cx.stmt(body)
                })?;
                let (kind, annotations) = (kind.clone(), annotations.clone());
                Ok(StmtKind::For { var: var.clone(), min, extent, kind, annotations, body }.into())
            }
            StmtKind::While { condition, body } => {
                let condition = self.simple(condition);
                let body = self.scoped(|cx| {
                    cx.learn(&condition);
                    cx.stmt(body)
                })?;
                Ok(StmtKind::While { condition, body }.into())
            }
            StmtKind::If { condition, then, otherwise } => self.choice(condition, then, otherwise.as_ref()),
            StmtKind::Let { var, value, body } => self.let_in(var, value, body),
            StmtKind::Assert { condition, message } => {
                let condition = self.simple(condition);
                if condition.as_int() == Some(1) {
                    return Ok(no_op());
                }
                Ok(StmtKind::Assert { condition, message: message.clone() }.into())
            }
            StmtKind::Seq(stmts) => self.scoped(|cx| {
                let mut simple = Vec::with_capacity(stmts.len());
                for stmt in stmts {
                    let stmt = with_stack(|| cx.stmt(stmt))?;
                    match &stmt.kind {
                        StmtKind::Assert { condition, .. } => cx.learn(condition),
                        StmtKind::Evaluate(value) => {
                            if let Some(condition) = assumed(value) {
                                cx.learn(condition);
                            }
                        }
                        _ => {}
                    }
                    simple.push(stmt);
                }
                Ok(seq(simple))
            }),
            StmtKind::Evaluate(value) => Ok(StmtKind::Evaluate(self.simple(value)).into()),
            StmtKind::Attr { node, key, value, body } => {
                let body = with_stack(|| self.stmt(body))?;
                let (node, value) = (node.clone(), self.simple(value));
                Ok(StmtKind::Attr { node, key: key.clone(), value, body }.into())
            }
            StmtKind::Allocate { .. } | StmtKind::AllocateConst { .. } => below(stmt, &mut |s| self.stmt(s)),
            StmtKind::Block { values, predicate, block } => {
                let values = values.iter().map(|e| self.simple(e)).collect();
                let predicate = self.simple(predicate);
                let block = self.scoped(|cx| cx.block(block))?;
                Ok(StmtKind::Block { values, predicate, block }.into())
            }
        }
    }

    fn block(&mut self, block: &Block) -> Result<Block> {
        for iter in &block.iters {
            self.facts.analyzer.bind(&iter.var, &iter.domain);
        }
        let regions = |cx: &Self, all: &[BufferRegion]| -> Vec<BufferRegion> {
            let range = |r: &Range| Range::new(cx.simple(&r.min), cx.simple(&r.extent));
            let region = |r: &BufferRegion| BufferRegion {
                buffer: r.buffer.clone(),
                region: r.region.iter().map(range).collect(),
            };
            all.iter().map(region).collect()
        };
        let (reads, writes) = (regions(self, &block.reads), regions(self, &block.writes));
        let init = block.init.as_ref().map(|init| self.stmt(init)).transpose()?;
        let body = self.stmt(&block.body)?;
        Ok(Block { reads, writes, init, body, ..block.clone() })
    }

    fn choice(&mut self, condition: &Expr, then: &Stmt, otherwise: Option<&Stmt>) -> Result<Stmt> {
        let condition = self.condition(condition);
        match condition.as_int() {
            Some(0) => return otherwise.map_or_else(|| Ok(no_op()), |stmt| self.stmt(stmt)),
            Some(_) => return self.stmt(then),
            None => {}
        }
        let before = self.elements.clone();
        let then = self.scoped(|cx| {
            cx.learn(&condition);
            cx.stmt(then)
        })?;
        let after = std::mem::replace(&mut self.elements, before);
        let opposite = self.simple(&typed(condition.not())?);
        let otherwise = otherwise.map(|stmt| {
            self.scoped(|cx| {
                cx.learn(&opposite);
                cx.stmt(stmt)
            })
        });
        let otherwise = otherwise.transpose()?;
        self.elements.meet(&after);
        Ok(StmtKind::If { condition, then, otherwise }.into())
    }

    fn let_in(&mut self, var: &Var, value: &Expr, body: &Stmt) -> Result<Stmt> {
        let value = self.simple(value);
        let pure = value.dtype.is_int() && !reads(&value) && !is_foreign(&value);
        let constant = matches!(value.kind, ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Var(_));
        if (constant || pure) && !self.declared.contains(&var.id()) {
            let body = Substitute::value(var, value).apply(body);
            return with_stack(|| self.stmt(&body));
        }
        let body = self.scoped(|cx| {
            cx.facts.bind_value(var, &value);
            cx.stmt(body)
        })?;
        Ok(StmtKind::Let { var: var.clone(), value, body }.into())
    }
}
