//! Statements and expressions in lanes, for `vectorize`. `Ok(None)` is "has no form in lanes".

use tilewright_arith::Analyzer;
use tilewright_expr::node::{AnyHandle, VarId, Visitor, walk};
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ExprKind, Intrinsic, Range, Scope, Stmt, StmtKind, Var};
use tilewright_support::{Map, Set, with_stack};

use crate::stmt::{Result, conjuncts, mentions, typed};
use crate::substitute::Substitute;
use crate::vectorize::both;

/// Unpacks what has a form in lanes.
macro_rules! some {
    ($value:expr) => {
        match $value {
            Some(value) => value,
            None => return Ok(None),
        }
    };
}

/// A loop while it is vectorised.
pub(crate) struct Lanes<'a> {
    analyzer: &'a mut Analyzer,
    /// Variables that differ from lane to lane: the loop's first.
    varying: Vec<Var>,
    /// Their vectors.
    values: Map<VarId, Expr>,
    start: Expr,
    lanes: u16,
    /// Whether the first lane is certainly active: invariant expressions are evaluated for it.
    first: bool,
    /// Data variables of arguments that the function does not write.
    constant: &'a Set<VarId>,
    /// Expressions that vary by lane, by address; the loop keeps them alive.
    differs: Map<usize, bool>,
    /// Expressions that are index arithmetic, by address.
    indices: Map<usize, bool>,
    /// Vectors by address of the shared scalar, under one mask.
    memo: Map<usize, (Expr, Expr)>,
}

impl<'a> Lanes<'a> {
    pub(crate) fn new(
        analyzer: &'a mut Analyzer,
        constant: &'a Set<VarId>,
        var: &Var,
        start: &Expr,
        lanes: u16,
    ) -> Self {
        let one = Expr::int(1, start.dtype);
        let ramp = ExprKind::Ramp { base: start.clone(), stride: one };
        let mut values = Map::default();
        values.insert(var.id(), Expr::raw(start.dtype.with_lanes(lanes), ramp));
        let (varying, start) = (vec![var.clone()], start.clone());
        Self {
            analyzer,
            varying,
            values,
            start,
            lanes,
            first: true,
            constant,
            differs: Map::default(),
            indices: Map::default(),
            memo: Map::default(),
        }
    }

    /// The same, with whether the first lane, or another one in its stead, is active.
    pub(crate) fn where_first(mut self, first: bool) -> Self {
        self.first = first;
        self
    }

    /// Whether the expression differs from lane to lane.
    fn varies(&mut self, expr: &Expr) -> bool {
        if let ExprKind::Var(var) = &expr.kind {
            return self.varying.contains(var);
        }
        if let Some(&known) = self.differs.get(&expr.address()) {
            return known;
        }
        // A foreign call runs in every lane.
        if matches!(expr.kind, ExprKind::Foreign { .. }) {
            return true;
        }
        let mut below = Below(Vec::new());
        expr.visit_inside(&mut below);
        let varies = with_stack(|| below.0.iter().any(|e| self.varies(e)));
        self.differs.insert(expr.address(), varies);
        varies
    }

    /// The statement for all lanes, or for the active ones.
    pub(crate) fn stmt(&mut self, stmt: &Stmt, mask: Option<&Expr>) -> Result<Option<Stmt>> {
        with_stack(|| self.stmt_kind(stmt, mask))
    }

    fn stmt_kind(&mut self, stmt: &Stmt, mask: Option<&Expr>) -> Result<Option<Stmt>> {
        self.memo.clear();
        match &stmt.kind {
            StmtKind::Store { buffer, indices, value, predicate: None } => self.store(buffer, indices, value, mask),
            StmtKind::For { var, min, extent, kind, annotations, body } => {
                if self.varies(min) || self.varies(extent) || !self.may_run(min, mask) || !self.may_run(extent, mask) {
                    return Ok(None);
                }
                let scope = self.analyzer.enter();
                self.analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
                let body = self.stmt(body, mask);
                self.analyzer.leave(scope);
                let (var, min, extent, kind) = (var.clone(), min.clone(), extent.clone(), kind.clone());
                let body = some!(body?);
                Ok(Some(StmtKind::For { var, min, extent, kind, annotations: annotations.clone(), body }.into()))
            }
            StmtKind::If { condition, then, otherwise } => self.choice(condition, then, otherwise.as_ref(), mask),
            StmtKind::Let { var, value, body } => {
                if !self.varies(value) {
                    if !self.may_run(value, mask) {
                        return Ok(None);
                    }
                    let body = some!(self.stmt(body, mask)?);
                    return Ok(Some(StmtKind::Let { var: var.clone(), value: value.clone(), body }.into()));
                }
                let value = some!(self.expr(value, mask)?);
                let vector = self.vary(var);
                let body = some!(self.stmt(body, mask)?);
                Ok(Some(StmtKind::Let { var: vector, value, body }.into()))
            }
            StmtKind::Assert { condition, .. } if mask.is_none() && !self.varies(condition) => Ok(Some(stmt.clone())),
            StmtKind::Seq(stmts) => {
                let mut all = Vec::with_capacity(stmts.len());
                for stmt in stmts {
                    all.push(some!(self.stmt(stmt, mask)?));
                }
                Ok(Some(Stmt::seq(all)))
            }
            StmtKind::Store { .. }
            | StmtKind::While { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Evaluate(_)
            | StmtKind::Block { .. }
            | StmtKind::Attr { .. }
            | StmtKind::AllocateConst { .. }
            | StmtKind::Allocate { .. } => Ok(None),
        }
    }

    /// A variable that differs from lane to lane, as a vector.
    fn vary(&mut self, var: &Var) -> Var {
        let vector = Var::new(var.name.clone(), var.dtype.with_lanes(self.lanes));
        self.varying.push(var.clone());
        self.differs.clear();
        self.values.insert(var.id(), Expr::var(&vector));
        vector
    }

    fn store(&mut self, buffer: &Buffer, indices: &[Expr], value: &Expr, mask: Option<&Expr>) -> Result<Option<Stmt>> {
        let [index] = indices else { return Ok(None) };
        // Lanes that store to one element depend on each other; a copy with gaps is faster lane by lane.
        let (base, step) = some!(self.steps(index));
        if step == 0
            || (step != 1 && matches!(value.kind, ExprKind::Load { .. } | ExprKind::Int(_) | ExprKind::Float(_)))
        {
            return Ok(None);
        }
        let value = some!(self.wide(value, mask)?);
        let index = typed(Expr::ramp(&base, &Expr::int(step, base.dtype), self.lanes))?;
        typed(Stmt::store_where(buffer, vec![index], &value, mask.cloned())).map(Some)
    }

    fn choice(
        &mut self,
        condition: &Expr,
        then: &Stmt,
        otherwise: Option<&Stmt>,
        mask: Option<&Expr>,
    ) -> Result<Option<Stmt>> {
        if !self.varies(condition) {
            if !self.may_run(condition, mask) {
                return Ok(None);
            }
            let then = some!(self.stmt(then, mask)?);
            let otherwise = match otherwise {
                Some(otherwise) => Some(some!(self.stmt(otherwise, mask)?)),
                None => None,
            };
            return Ok(Some(StmtKind::If { condition: condition.clone(), then, otherwise }.into()));
        }
        let first = self.in_first_lane(condition).filter(|_| self.first);
        let certain = first.as_ref().is_some_and(|first| self.analyzer.prove(first));
        let wide = some!(self.wide(condition, mask)?);
        if let Some(stmt) = self.branches(&wide, certain, then, otherwise, mask)? {
            return Ok(Some(stmt));
        }
        // Without a first lane there is no active lane.
        let (Some(first), false, None) = (first, certain, otherwise) else { return Ok(None) };
        let then = some!(self.branches(&wide, true, then, None, mask)?);
        Ok(Some(StmtKind::If { condition: first, then, otherwise: None }.into()))
    }

    /// Both branches, each in its lanes; `certain` says that the first lane takes the first one.
    fn branches(
        &mut self,
        condition: &Expr,
        certain: bool,
        then: &Stmt,
        otherwise: Option<&Stmt>,
        mask: Option<&Expr>,
    ) -> Result<Option<Stmt>> {
        if let (StmtKind::Store { .. }, None) = (&then.kind, otherwise) {
            let mask = both(mask, condition)?;
            return self.with_first(certain, |cx| cx.stmt(then, Some(&mask)));
        }
        // The branches may change what the condition reads: its value is kept.
        let kept = Var::new("mask", condition.dtype);
        let holds = Expr::var(&kept);
        let taken = both(mask, &holds)?;
        let then = some!(self.with_first(certain, |cx| cx.stmt(then, Some(&taken)))?);
        let otherwise = match otherwise {
            Some(otherwise) => {
                let left = both(mask, &typed(holds.not())?)?;
                some!(self.with_first(false, |cx| cx.stmt(otherwise, Some(&left)))?)
            }
            None => Stmt::nothing(),
        };
        let body = Stmt::seq([then, otherwise]);
        Ok(Some(StmtKind::Let { var: kept, value: condition.clone(), body }.into()))
    }

    fn with_first<T>(&mut self, certain: bool, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.first;
        self.first &= certain;
        let result = f(self);
        self.first = outer;
        result
    }

    /// The condition in the first lane, if it holds in the lanes up to some lane and in no other: comparisons of index
    /// arithmetic whose room shrinks from lane to lane.
    fn in_first_lane(&mut self, condition: &Expr) -> Option<Expr> {
        let (var, others) = self.varying.split_first()?;
        for part in conjuncts(condition) {
            let ExprKind::Compare(op, a, b) = &part.kind else { return None };
            let (small, large) = match op {
                CmpOp::Lt | CmpOp::Le => (a, b),
                CmpOp::Gt | CmpOp::Ge => (b, a),
                CmpOp::Eq | CmpOp::Ne => return None,
            };
            if !a.dtype.is_scalar() || !self.analyzer.is_index(small) || !self.analyzer.is_index(large) {
                return None;
            }
            let room = self.analyzer.linear_in(&(large - small), std::slice::from_ref(var))?;
            if room.coefficients.first().is_none_or(|&c| c > 0) || mentions(&part, others) {
                return None;
            }
        }
        let mut first = Substitute::value(var, self.start.clone());
        Some(self.analyzer.simplify(&first.apply(condition)))
    }

    /// The index as its first value and its step from lane to lane.
    fn steps(&mut self, index: &Expr) -> Option<(Expr, i64)> {
        if index.dtype.is_vector() {
            return None;
        }
        let linear = self.analyzer.linear_in(index, &self.varying)?;
        let (&step, others) = linear.coefficients.split_first()?;
        if others.iter().any(|&c| c != 0) {
            return None;
        }
        let base = match step {
            0 => linear.rest,
            step => &linear.rest + &(&self.start * step),
        };
        Some((self.analyzer.simplify(&base), step))
    }

    /// The value in every lane.
    fn wide(&mut self, expr: &Expr, mask: Option<&Expr>) -> Result<Option<Expr>> {
        let value = some!(self.expr(expr, mask)?);
        typed(value.broadcast(self.lanes)).map(Some)
    }

    /// A vector, or the scalar itself where all lanes agree. Loads are masked.
    fn expr(&mut self, expr: &Expr, mask: Option<&Expr>) -> Result<Option<Expr>> {
        if !self.varies(expr) {
            return Ok((expr.dtype.is_scalar() && self.may_run(expr, mask)).then(|| expr.clone()));
        }
        if let Some((_, known)) = self.memo.get(&expr.address()) {
            return Ok(Some(known.clone()));
        }
        let vector = some!(with_stack(|| self.expr_kind(expr, mask))?);
        if expr.is_shared() {
            self.memo.insert(expr.address(), (expr.clone(), vector.clone()));
        }
        Ok(Some(vector))
    }

    fn expr_kind(&mut self, expr: &Expr, mask: Option<&Expr>) -> Result<Option<Expr>> {
        if let Some((base, step)) = self.index_steps(expr) {
            return typed(Expr::ramp(&base, &Expr::int(step, base.dtype), self.lanes)).map(Some);
        }
        Ok(Some(match &expr.kind {
            ExprKind::Var(var) => some!(self.values.get(&var.id()).cloned()),
            ExprKind::Binary(op, a, b) => {
                if mask.is_some() && divides(*op, expr) && b.as_int().is_none_or(|c| c == 0) {
                    return Ok(None);
                }
                let (a, b) = (some!(self.wide(a, mask)?), some!(self.wide(b, mask)?));
                typed(Expr::binary(*op, &a, &b))?
            }
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (some!(self.wide(a, mask)?), some!(self.wide(b, mask)?));
                typed(Expr::compare(*op, &a, &b))?
            }
            ExprKind::Not(a) => typed(some!(self.wide(a, mask)?).not())?,
            ExprKind::Select { condition, then, otherwise } => {
                let [c, a, b] = some!(self.three([condition, then, otherwise], mask)?);
                typed(Expr::select(&c, &a, &b))?
            }
            ExprKind::Cast(a) => typed(some!(self.wide(a, mask)?).cast(expr.dtype))?,
            ExprKind::Load { buffer, indices, predicate: None } => some!(self.load(buffer, indices, mask)?),
            ExprKind::Let { var, value, body } => {
                let value = some!(self.wide(value, mask)?);
                let vector = self.vary(var);
                typed(Expr::bind(&vector, &value, &some!(self.wide(body, mask)?)))?
            }
            ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => some!(self.if_then_else(args, mask)?),
            ExprKind::Call { intrinsic, args } => {
                let mut vectors = Vec::with_capacity(args.len());
                for arg in args {
                    vectors.push(some!(self.wide(arg, mask)?));
                }
                typed(Expr::call(*intrinsic, &vectors))?
            }
            ExprKind::Reinterpret(a) if a.dtype.is_scalar() => {
                typed(some!(self.wide(a, mask)?).reinterpret(expr.dtype.with_lanes(self.lanes)))?
            }
            ExprKind::Reinterpret(a) if mask.is_none() => some!(self.adjacent_words(a, expr)?),
            ExprKind::Reinterpret(_) | ExprKind::AddressOf { .. } | ExprKind::Foreign { .. } => return Ok(None),
            ExprKind::Load { .. }
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Ramp { .. }
            | ExprKind::Broadcast(_)
            | ExprKind::Shuffle { .. } => return Ok(None),
        }))
    }

    /// A word of several elements in each lane, where those of neighbouring lanes are adjacent in memory.
    fn adjacent_words(&mut self, elements: &Expr, word: &Expr) -> Result<Option<Expr>> {
        let ExprKind::Load { buffer, indices, predicate: None } = &elements.kind else { return Ok(None) };
        let [index] = indices.as_slice() else { return Ok(None) };
        let ExprKind::Ramp { base, stride } = &index.kind else { return Ok(None) };
        let count = elements.dtype.lanes;
        let (base, step) = some!(self.steps(base));
        let lanes = count.checked_mul(self.lanes).filter(|_| stride.as_int() == Some(1) && step == i64::from(count));
        let all = typed(Expr::ramp(&base, stride, some!(lanes)))?;
        let all = typed(Expr::load(buffer, vec![all]))?;
        typed(all.reinterpret(word.dtype.with_lanes(self.lanes))).map(Some)
    }

    /// Index arithmetic that is linear in the lane; integers from memory may wrap around and are no such arithmetic.
    fn index_steps(&mut self, expr: &Expr) -> Option<(Expr, i64)> {
        if !matches!(expr.kind, ExprKind::Var(_) | ExprKind::Binary(..)) || !self.is_index(expr) {
            return None;
        }
        self.steps(expr).filter(|&(_, step)| step != 0)
    }

    fn is_index(&mut self, expr: &Expr) -> bool {
        if let Some(&known) = self.indices.get(&expr.address()) {
            return known;
        }
        let is = match &expr.kind {
            ExprKind::Int(_) => true,
            ExprKind::Var(_) => self.analyzer.is_index(expr),
            ExprKind::Binary(_, a, b) => expr.dtype.is_int() && with_stack(|| self.is_index(a) && self.is_index(b)),
            ExprKind::Cast(a) => expr.dtype.is_int() && with_stack(|| self.is_index(a)),
            _ => false,
        };
        self.indices.insert(expr.address(), is);
        is
    }

    /// Whether the scalar can be evaluated: if possibly no lane is active, it must not fault.
    fn may_run(&self, expr: &Expr, mask: Option<&Expr>) -> bool {
        let mut safe = true;
        if mask.is_some() {
            walk(expr, |e: &Expr| {
                safe &= match &e.kind {
                    ExprKind::Load { buffer, indices, .. } => {
                        self.first || indices.iter().all(|i| self.is_readable(buffer, i))
                    }
                    ExprKind::Binary(op, _, b) => self.first || !divides(*op, e) || b.as_int().is_some_and(|c| c != 0),
                    ExprKind::Foreign { .. } => false,
                    _ => true,
                };
            });
        }
        safe
    }

    /// Whether every element that the index names is certainly in registers or in an argument that nothing writes.
    fn is_readable(&self, buffer: &Buffer, index: &Expr) -> bool {
        let (first, last) = match &index.kind {
            ExprKind::Ramp { base, stride } => (base.clone(), base + &(stride * i64::from(self.lanes - 1))),
            _ => (index.clone(), index.clone()),
        };
        let Some(size) =
            buffer.shape.first().filter(|_| buffer.scope == Scope::Local || self.constant.contains(&buffer.data.id()))
        else {
            return false;
        };
        let zero = Expr::int(0, first.dtype);
        let at_least = |a: &Expr, b: &Expr| self.analyzer.decide(CmpOp::Ge, a, b) == Some(true);
        at_least(&first, &zero) && at_least(&last, &zero) && {
            let below = |e: &Expr| self.analyzer.decide(CmpOp::Lt, e, size) == Some(true);
            below(&first) && below(&last)
        }
    }

    fn three(&mut self, exprs: [&Expr; 3], mask: Option<&Expr>) -> Result<Option<[Expr; 3]>> {
        let [a, b, c] = exprs;
        let (a, b, c) = (some!(self.wide(a, mask)?), some!(self.wide(b, mask)?), some!(self.wide(c, mask)?));
        Ok(Some([a, b, c]))
    }

    fn load(&mut self, buffer: &Buffer, indices: &[Expr], mask: Option<&Expr>) -> Result<Option<Expr>> {
        let [index] = indices else { return Ok(None) };
        let index = match self.steps(index) {
            Some((base, step)) if step != 0 => typed(Expr::ramp(&base, &Expr::int(step, base.dtype), self.lanes))?,
            _ => some!(self.wide(index, mask)?),
        };
        // Elements that are certainly in registers or in an argument can be read in every lane.
        let mask = mask.filter(|_| !self.is_readable(buffer, &index));
        typed(Expr::load_where(buffer, vec![index], mask.cloned())).map(Some)
    }

    fn if_then_else(&mut self, args: &[Expr], mask: Option<&Expr>) -> Result<Option<Expr>> {
        let [condition, then, otherwise] = args else { return Ok(None) };
        if !self.varies(condition) {
            if !self.may_run(condition, mask) {
                return Ok(None);
            }
            let (then, otherwise) = (some!(self.wide(then, mask)?), some!(self.wide(otherwise, mask)?));
            return typed(Expr::call(Intrinsic::IfThenElse, &[condition.clone(), then, otherwise])).map(Some);
        }
        let first = self.in_first_lane(condition).is_some_and(|first| self.analyzer.prove(&first));
        let condition = some!(self.wide(condition, mask)?);
        let not = typed(condition.not())?;
        let taken = both(mask, &condition)?;
        let then = some!(self.with_first(first, |cx| cx.under(then, &taken))?);
        let left = both(mask, &not)?;
        let otherwise = some!(self.with_first(false, |cx| cx.under(otherwise, &left))?);
        typed(Expr::select(&condition, &then, &otherwise)).map(Some)
    }

    /// The value in every lane under a mask that may be stricter than the enclosing one; shared values are computed
    /// anew.
    fn under(&mut self, expr: &Expr, mask: &Expr) -> Result<Option<Expr>> {
        let outer = std::mem::take(&mut self.memo);
        let value = self.wide(expr, Some(mask));
        self.memo = outer;
        value
    }
}

/// The expressions directly below a node.
struct Below(Vec<Expr>);

impl Visitor for Below {
    fn visit(&mut self, node: &dyn AnyHandle) {
        self.0.extend(node.downcast::<Expr>().cloned());
    }
}

fn divides(op: BinOp, expr: &Expr) -> bool {
    expr.dtype.is_int() && matches!(op, BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod)
}
