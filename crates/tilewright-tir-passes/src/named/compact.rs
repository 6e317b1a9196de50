//! `CompactBufferAllocation`: temporaries shrink to the region that is used of them.
//!
//! The region is an interval for each dimension around all indices, over the loops between the allocation and the
//! access, under the conditions there. Loops on threads outside of the allocation count too, where the threads share
//! the memory. An address that is given away uses the whole buffer. A dimension whose interval depends on a loop inside
//! of the allocation stays whole, and so does one whose interval depends on memory. A loop that may have no iterations
//! leaves no negative extent.

use tilewright_arith::{Analyzer, IntSet, estimate_region_upper_bound, worked_out};
use tilewright_expr::node::{VarId, walk};
use tilewright_ir::tir::{
    BinOp, Block, Buffer, BufferRegion, CmpOp, Expr, ExprKind, ForKind, Intrinsic, PrimFunc, Range, Scope, Stmt,
    StmtKind, Var,
};
use tilewright_support::{Map, Set, with_stack};

use super::{Options, below, is_meant, with};
use crate::stmt::{Result, analyzer_of, conjuncts, mentions, reads};
use crate::substitute::{Substitute, reindex};

pub(super) fn compact_buffer_allocation(options: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let mut cx = Collect {
        analyzer: analyzer_of(function),
        scope: Vec::new(),
        conditions: Vec::new(),
        axes: Vec::new(),
        found: Map::default(),
        memory: Set::default(),
    };
    cx.stmt(&function.body);
    let regions = cx.found.into_iter().filter_map(|(id, found)| Some((id, found.done?)));
    let regions: Map<VarId, Compacted> =
        regions.filter(|(_, compacted)| is_meant(options, &compacted.buffer)).collect();
    let body = rewritten(&regions, &function.body)?;
    Ok(with(function, body))
}

/// A buffer with its smaller one, and where that begins.
struct Compacted {
    buffer: Buffer,
    mins: Vec<Expr>,
}

/// What is known of a temporary.
struct Found {
    buffer: Buffer,
    /// Loops outside of the allocation.
    outside: usize,
    /// Conditions outside of the allocation.
    conditions: usize,
    sets: Option<Vec<IntSet>>,
    whole: bool,
    done: Option<Compacted>,
}

struct Loop {
    var: Var,
    range: Range,
    tag: Option<std::sync::Arc<str>>,
}

struct Collect {
    analyzer: Analyzer,
    scope: Vec<Loop>,
    conditions: Vec<Expr>,
    /// Axes of blocks and names of values, by what they are.
    axes: Vec<(Var, Expr)>,
    found: Map<VarId, Found>,
    /// Memory that has an owner: a second buffer of it is a view.
    memory: Set<VarId>,
}

fn relaxes(scope: &Scope, tag: &str) -> bool {
    match scope.plain() {
        Scope::Global => true,
        Scope::Shared => tag.starts_with("threadIdx") || tag.starts_with("vthread"),
        _ => false,
    }
}

impl Collect {
    fn open(&mut self, buffer: &Buffer) {
        if !self.memory.insert(buffer.data.id()) {
            return;
        }
        let (outside, conditions) = (self.scope.len(), self.conditions.len());
        let buffer = buffer.clone();
        let id = buffer.id();
        self.found.insert(id, Found { buffer, outside, conditions, sets: None, whole: false, done: None });
    }

    fn close(&mut self, buffer: &Buffer) {
        let Some(found) = self.found.get(&buffer.id()) else { return };
        let Some(sets) = found.sets.clone().filter(|_| !found.whole && found.buffer.strides.is_empty()) else { return };
        let inner: Vec<Var> = self.scope.iter().skip(found.outside).map(|l| l.var.clone()).collect();
        let zero = |like: &Expr| Expr::int(0, like.dtype);
        let (mut mins, mut shape, mut smaller) = (Vec::new(), Vec::new(), false);
        for (set, extent) in sets.iter().zip(&found.buffer.shape) {
            let outside = |e: &Expr| !mentions(e, &inner) && !reads(e);
            let part = self.part(set, extent).filter(|(min, size)| outside(min) && outside(size));
            let (min, size) = part.unwrap_or_else(|| (zero(extent), extent.clone()));
            smaller |= !size.equal(extent) || min.as_int() != Some(0);
            mins.push(min);
            shape.push(size);
        }
        if smaller && sets.len() == found.buffer.rank() {
            let buffer = found.buffer.derive(|node| node.shape = shape);
            if let Some(found) = self.found.get_mut(&found.buffer.id()) {
                found.done = Some(Compacted { buffer, mins });
            }
        }
    }

    /// The interval's start and size within the dimension.
    fn part(&self, set: &IntSet, extent: &Expr) -> Option<(Expr, Expr)> {
        let (min, max) = (set.min_value()?, set.max_value()?);
        let cast = |e: &Expr| e.cast(extent.dtype).ok();
        let (min, max) = (cast(min)?, cast(max)?);
        let size = self.analyzer.simplify(&(&(&max - &min) + 1));
        let zero = Expr::int(0, extent.dtype);
        let start = Expr::binary(BinOp::Max, &min, &zero).ok()?;
        let size = match self.analyzer.decide(CmpOp::Le, &size, extent) {
            Some(true) => size,
            Some(false) => extent.clone(),
            None => Expr::binary(BinOp::Min, extent, &size).ok()?,
        };
        let size = match self.analyzer.decide(CmpOp::Ge, &size, &zero) {
            Some(true) => size,
            _ => Expr::binary(BinOp::Max, &size, &zero).ok()?,
        };
        Some((self.analyzer.simplify(&start), self.analyzer.simplify(&size)))
    }

    fn touch(&mut self, buffer: &Buffer, region: Vec<Range>) {
        let Some(found) = self.found.get(&buffer.id()) else {
            // A view of memory may be laid out otherwise.
            let owners = self.found.values_mut().filter(|found| found.buffer.data == buffer.data);
            owners.for_each(|found| found.whole = true);
            return;
        };
        let mut values = Substitute::default();
        for (var, value) in &self.axes {
            let value = values.apply(value);
            values.values.insert(var.id(), value);
        }
        let region: Vec<Range> = region.iter().map(|range| values.apply(range)).collect();
        let loops: Vec<(Var, Range)> = self
            .scope
            .iter()
            .enumerate()
            .filter(|(at, l)| {
                *at >= found.outside || l.tag.as_ref().is_some_and(|tag| relaxes(&found.buffer.scope, tag))
            })
            .map(|(_, l)| (l.var.clone(), l.range.clone()))
            .collect();
        let mut predicate = Expr::bool(true);
        for condition in self.conditions.iter().skip(found.conditions) {
            let condition = values.apply(condition);
            let mut loads = false;
            walk(&condition, |e: &Expr| loads |= matches!(e.kind, ExprKind::Load { .. } | ExprKind::Foreign { .. }));
            if !loads && let Ok(both) = Expr::binary(BinOp::And, &predicate, &condition) {
                predicate = if predicate.as_int() == Some(1) { condition } else { both };
            }
        }
        let sets = self.sets(&region, &loops, &predicate);
        if let Some(found) = self.found.get_mut(&buffer.id()) {
            found.sets = Some(match found.sets.take() {
                None => sets,
                Some(known) => {
                    known.into_iter().zip(sets).map(|(a, b)| IntSet::union(&self.analyzer, &[a, b])).collect()
                }
            });
        }
    }

    /// Each dimension's interval; a loop around another one may give the bounds of its range.
    fn sets(&mut self, region: &[Range], loops: &[(Var, Range)], predicate: &Expr) -> Vec<IntSet> {
        let vectors = region.iter().any(|range| !range.min.dtype.is_scalar());
        if !vectors {
            return estimate_region_upper_bound(&mut self.analyzer, region, loops, predicate);
        }
        let each = |range: &Range| self.analyzer.int_set_over(&range.min, loops);
        region.iter().map(each).collect()
    }

    fn exprs(&mut self, stmt: &Stmt) {
        for expr in stmt.own_exprs() {
            self.expr(&expr);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Load { buffer, indices, .. } => {
                self.touch(buffer, points(indices));
                indices.iter().for_each(|index| self.expr(index));
            }
            ExprKind::AddressOf { buffer, .. } => self.give_away(buffer),
            ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } if args.len() == 3 => {
                self.expr(&args[0]);
                self.under(&args[0].clone(), |cx| cx.expr(&args[1]));
                match args[0].not() {
                    Ok(opposite) => self.under(&opposite, |cx| cx.expr(&args[2])),
                    Err(_) => self.expr(&args[2]),
                }
            }
            ExprKind::Var(var) => {
                let owners = self.found.values_mut().filter(|found| found.buffer.data == *var);
                owners.for_each(|found| found.whole = true);
            }
            kind => {
                let mut parts: Vec<Expr> = Vec::new();
                tilewright_expr::node::walk_some(kind, |node| {
                    if let Some(part) = node.downcast::<Expr>() {
                        parts.push(part.clone());
                        return false;
                    }
                    true
                });
                parts.iter().for_each(|part| with_stack(|| self.expr(part)));
            }
        }
    }

    fn give_away(&mut self, buffer: &Buffer) {
        let owners = self.found.values_mut().filter(|found| found.buffer.data == buffer.data);
        owners.for_each(|found| found.whole = true);
    }

    fn under(&mut self, condition: &Expr, f: impl FnOnce(&mut Self)) {
        let before = self.conditions.len();
        self.conditions.extend(conjuncts(condition));
        with_stack(|| f(self));
        self.conditions.truncate(before);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.exprs(stmt);
        match &stmt.kind {
            StmtKind::Store { buffer, indices, .. } => self.touch(buffer, points(indices)),
            StmtKind::For { var, min, extent, kind, body, .. } => {
                let tag = match kind {
                    ForKind::ThreadBinding(tag) => Some(tag.clone()),
                    _ => None,
                };
                let range = Range::new(min.clone(), extent.clone());
                let scope = self.analyzer.enter();
                self.analyzer.bind(var, &range);
                self.scope.push(Loop { var: var.clone(), range, tag });
                with_stack(|| self.stmt(body));
                self.scope.pop();
                self.analyzer.leave(scope);
            }
            StmtKind::If { condition, then, otherwise } => {
                self.under(condition, |cx| cx.stmt(then));
                if let Some(otherwise) = otherwise {
                    match condition.not() {
                        Ok(opposite) => self.under(&opposite, |cx| cx.stmt(otherwise)),
                        Err(_) => self.stmt(otherwise),
                    }
                }
            }
            StmtKind::Let { var, value, body } => {
                self.axes.push((var.clone(), value.clone()));
                with_stack(|| self.stmt(body));
                self.axes.pop();
            }
            StmtKind::Allocate { buffer, body } => {
                self.open(buffer);
                with_stack(|| self.stmt(body));
                self.close(buffer);
            }
            StmtKind::Block { values, predicate, block } => {
                let axes = self.axes.len();
                self.axes.extend(block.iters.iter().zip(values).map(|(iter, value)| (iter.var.clone(), value.clone())));
                self.under(predicate, |cx| cx.block(block));
                self.axes.truncate(axes);
            }
            StmtKind::Seq(stmts) => stmts.iter().for_each(|stmt| with_stack(|| self.stmt(stmt))),
            StmtKind::While { body, .. } | StmtKind::Attr { body, .. } | StmtKind::AllocateConst { body, .. } => {
                with_stack(|| self.stmt(body));
            }
            StmtKind::Assert { .. } | StmtKind::Evaluate(_) => {}
        }
    }

    fn block(&mut self, block: &Block) {
        block.alloc_buffers.iter().for_each(|buffer| self.open(buffer));
        for matched in &block.match_buffers {
            self.touch(&matched.source.buffer, matched.source.region.clone());
        }
        block.init.iter().for_each(|init| self.stmt(init));
        self.stmt(&block.body);
        block.alloc_buffers.iter().for_each(|buffer| self.close(buffer));
    }
}

fn points(indices: &[Expr]) -> Vec<Range> {
    indices.iter().map(|index| Range::new(index.clone(), Expr::int(1, index.dtype.element()))).collect()
}

fn rewritten(regions: &Map<VarId, Compacted>, body: &Stmt) -> Result<Stmt> {
    let moved = reindex(body, |buffer, indices| {
        let compacted = regions.get(&buffer.id())?;
        let from = |(index, min): (&Expr, &Expr)| match min.as_int() {
            Some(0) => index.clone(),
            _ => {
                let min = min.broadcast(index.dtype.lanes).unwrap_or_else(|_| min.clone());
                worked_out(BinOp::Sub, index, &min).unwrap_or_else(|_| index - &min)
            }
        };
        Some((compacted.buffer.clone(), indices.iter().zip(&compacted.mins).map(from).collect()))
    });
    declared(regions, &moved)
}

fn declared(regions: &Map<VarId, Compacted>, stmt: &Stmt) -> Result<Stmt> {
    let mut kind = below(stmt, &mut |s| declared(regions, s))?.kind.clone();
    let smaller = |buffer: &mut Buffer| {
        if let Some(compacted) = regions.get(&buffer.id()) {
            *buffer = compacted.buffer.clone();
        }
    };
    match &mut kind {
        StmtKind::Allocate { buffer, .. } => smaller(buffer),
        StmtKind::Block { block, .. } => {
            block.alloc_buffers.iter_mut().for_each(smaller);
            let matched = block.match_buffers.iter_mut().map(|matched| &mut matched.source);
            let all = block.reads.iter_mut().chain(&mut block.writes).chain(matched);
            all.for_each(|region| moved(regions, region));
        }
        _ => {}
    }
    Ok(kind.into())
}

fn moved(regions: &Map<VarId, Compacted>, region: &mut BufferRegion) {
    let Some(compacted) = regions.get(&region.buffer.id()) else { return };
    region.buffer = compacted.buffer.clone();
    for (range, min) in region.region.iter_mut().zip(&compacted.mins) {
        if min.as_int() != Some(0) {
            range.min = worked_out(BinOp::Sub, &range.min, min).unwrap_or_else(|_| &range.min - min);
        }
    }
}
