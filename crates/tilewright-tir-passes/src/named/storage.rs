//! `StorageRewrite`: temporaries that are never needed at the same time share memory.
//!
//! Allocations of constant size move to the start of the function, or of the outermost loop over threads or parallel
//! loop around them. There each gets the memory of one whose last use is before its own first use, if there is one of
//! the same scope: at most 16 times larger or smaller, a smaller one only of the same type. Where one store reads the
//! last of one temporary and writes the first of another at the same index, and nothing else of the two is in the
//! innermost loop, the memory is shared too.
//!
//! Memory of a thread's own and single elements of up to 32 bits keep what they have: these become registers.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{AnyHandle, VarId, walk, walk_some};
use tilewright_ir::tir::{Buffer, Expr, ExprKind, ForKind, PrimFunc, Scope, Stmt, StmtKind, Var};
use tilewright_support::{Map, Set, with_stack};

use super::{Options, below, with};
use crate::stmt::Result;
use crate::substitute::Substitute;

pub(super) fn storage_rewrite(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let mut cx = Uses::default();
    cx.stmt(&function.body, Place { address: 0, thread: false });
    let plan = Plan::of(cx);
    let body = plan.stmt(&function.body)?;
    let mut views = Substitute::default();
    views.buffers.extend(plan.views.iter().map(|(id, view)| (*id, view.clone())));
    let body = plan.at_start(0, views.apply(&body));
    Ok(with(function, body))
}

/// How much larger or smaller shared memory may be.
const MATCH_RANGE: u64 = 16;
/// Bits of a temporary that becomes a register.
const REGISTER_BITS: u64 = 32;

/// Where allocations go: the address of the statement, 0 for the function.
#[derive(Clone, Copy)]
struct Place {
    address: usize,
    thread: bool,
}

/// A temporary: from the first to the last moment in which it is used.
struct Temporary {
    buffer: Buffer,
    bits: Option<u64>,
    place: usize,
    first: usize,
    last: usize,
    /// The beginning of the last statement next to the allocation that uses it.
    last_begin: usize,
    /// Statements in that which use it.
    touches: usize,
    /// Loops around the allocation.
    depth: usize,
    /// Whether something else than loads and stores of this type uses the memory.
    given_away: bool,
}

#[derive(Default)]
struct Uses {
    all: Vec<Temporary>,
    by_memory: Map<VarId, usize>,
    now: usize,
    /// The moments at which the loops around begin, their variables and extents.
    loops: Vec<(usize, Option<(Var, i64)>)>,
    /// Uses inside of loops that are around them and inside of the allocation, until the end of these: by loop.
    pending: Vec<Set<usize>>,
    /// Temporaries whose first store reads another one at the same index: the other one, and when the statement begins.
    in_place: Map<usize, (usize, usize)>,
}

impl Uses {
    fn touch(&mut self, memory: VarId) {
        let Some(&at) = self.by_memory.get(&memory) else { return };
        let now = self.now;
        let Some(temporary) = self.all.get_mut(at) else { return };
        // In a loop inside of the allocation, all of the loop uses it.
        let begin = self.loops.get(temporary.depth).map_or(now, |(begin, _)| *begin);
        temporary.first = temporary.first.min(begin);
        temporary.last = temporary.last.max(now);
        temporary.touches = if temporary.last_begin == begin { temporary.touches + 1 } else { 1 };
        temporary.last_begin = begin;
        if temporary.touches > 1 {
            self.in_place.retain(|to, (from, other)| *other != begin || (*to != at && *from != at));
        }
        if let Some(pending) = self.pending.get_mut(temporary.depth) {
            pending.insert(at);
        }
    }

    fn own(&mut self, stmt: &Stmt) {
        self.now += 1;
        let mut memory: Vec<VarId> = Vec::new();
        let mut given: Vec<VarId> = Vec::new();
        if let StmtKind::Store { buffer, .. } = &stmt.kind {
            memory.push(buffer.data.id());
        }
        for expr in stmt.own_exprs() {
            walk_some(&expr, |node| {
                if let Some(buffer) = node.downcast::<Buffer>() {
                    memory.push(buffer.data.id());
                    return false;
                }
                if let Some(expr) = node.downcast::<Expr>() {
                    match &expr.kind {
                        ExprKind::AddressOf { buffer, .. } => given.push(buffer.data.id()),
                        ExprKind::Var(var) => given.push(var.id()),
                        _ => {}
                    }
                }
                true
            });
        }
        memory.extend(given.iter().copied());
        let memory: Set<VarId> = memory.into_iter().collect();
        memory.into_iter().for_each(|memory| self.touch(memory));
        for memory in given {
            if let Some(temporary) = self.by_memory.get(&memory).and_then(|&at| self.all.get_mut(at)) {
                temporary.given_away = true;
            }
        }
        self.note_in_place(stmt);
    }

    /// A store of a value of one temporary, at the same index as it is read, and of nothing else of the two.
    fn note_in_place(&mut self, stmt: &Stmt) {
        let StmtKind::Store { buffer, indices, value, predicate: None } = &stmt.kind else { return };
        let Some(&to) = self.by_memory.get(&buffer.data.id()) else { return };
        let mut from: Option<usize> = None;
        let mut plain = true;
        walk(value, |expr: &Expr| {
            let ExprKind::Load { buffer: read, indices: at, .. } = &expr.kind else {
                plain &= !matches!(expr.kind, ExprKind::Foreign { .. });
                return;
            };
            let same = at.len() == indices.len() && at.iter().zip(indices).all(|(a, b)| a.equal(b));
            let Some(&number) = self.by_memory.get(&read.data.id()) else { return };
            plain &= read.data != buffer.data;
            if same && read.dtype == buffer.dtype && from.is_none_or(|from| from == number) {
                from = Some(number);
            } else if from == Some(number) {
                plain = false;
            }
        });
        let Some(from) = from.filter(|_| plain) else { return };
        let (Some(a), Some(b)) = (self.all.get(from), self.all.get(to)) else { return };
        let inner = self.loops.get(b.depth..).unwrap_or_default();
        let alone = a.touches == 1 && b.touches == 1;
        if alone && a.depth == b.depth && a.last_begin == b.last_begin && reaches_once(indices, inner) {
            let begin = b.last_begin;
            self.in_place.insert(to, (from, begin));
        }
    }

    fn stmt(&mut self, stmt: &Stmt, scope: Place) {
        let own = !matches!(stmt.kind, StmtKind::Seq(_) | StmtKind::Allocate { .. });
        if own {
            self.own(stmt);
        }
        let begins = !scope.thread && begins_scope(stmt);
        let inner = if begins { Place { address: stmt.address(), thread: true } } else { scope };
        let is_loop = matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. });
        if is_loop {
            let var = match &stmt.kind {
                StmtKind::For { var, extent, .. } => extent.as_int().map(|extent| (var.clone(), extent)),
                _ => None,
            };
            self.loops.push((self.now, var));
            self.pending.push(Set::default());
        }
        if let StmtKind::Allocate { buffer, .. } = &stmt.kind {
            self.allocate(buffer, scope);
        }
        with_stack(|| self.inside(stmt, inner));
        if is_loop {
            self.now += 1;
            self.loops.pop();
            let now = self.now;
            for at in self.pending.pop().unwrap_or_default() {
                if let Some(temporary) = self.all.get_mut(at) {
                    temporary.last = temporary.last.max(now);
                }
            }
        }
    }

    fn inside(&mut self, stmt: &Stmt, scope: Place) {
        match &stmt.kind {
            StmtKind::Seq(stmts) => stmts.iter().for_each(|stmt| self.stmt(stmt, scope)),
            StmtKind::For { body, .. }
            | StmtKind::While { body, .. }
            | StmtKind::Let { body, .. }
            | StmtKind::Attr { body, .. }
            | StmtKind::AllocateConst { body, .. }
            | StmtKind::Allocate { body, .. } => self.stmt(body, scope),
            StmtKind::If { then, otherwise, .. } => {
                self.stmt(then, scope);
                otherwise.iter().for_each(|stmt| self.stmt(stmt, scope));
            }
            StmtKind::Block { block, .. } => {
                block.init.iter().for_each(|stmt| self.stmt(stmt, scope));
                self.stmt(&block.body, scope);
            }
            StmtKind::Store { .. } | StmtKind::Assert { .. } | StmtKind::Evaluate(_) => {}
        }
    }

    fn allocate(&mut self, buffer: &Buffer, scope: Place) {
        if self.by_memory.contains_key(&buffer.data.id()) {
            // A view; of another type or layout, the memory keeps to itself.
            if let Some(temporary) = self.by_memory.get(&buffer.data.id()).and_then(|&at| self.all.get_mut(at)) {
                temporary.given_away = true;
            }
            return;
        }
        let elements = buffer
            .constant_shape()
            .and_then(|shape| shape.iter().try_fold(1u64, |all, &extent| all.checked_mul(u64::try_from(extent).ok()?)));
        let plain = buffer.strides.is_empty() && buffer.elem_offset.is_none() && buffer.rank() == 1;
        let bits = elements.and_then(|count| count.checked_mul(buffer.dtype.bits.into())).filter(|_| plain);
        self.by_memory.insert(buffer.data.id(), self.all.len());
        let (place, depth) = (scope.address, self.loops.len());
        self.all.push(Temporary {
            buffer: buffer.clone(),
            bits,
            place,
            first: usize::MAX,
            last: 0,
            last_begin: usize::MAX,
            touches: 0,
            depth,
            given_away: false,
        });
    }
}

/// Whether the iterations of the loops all have an index of their own: each loop moves the index by more than all loops
/// inside of it together.
fn reaches_once(indices: &[Expr], loops: &[(usize, Option<(Var, i64)>)]) -> bool {
    let [index] = indices else { return false };
    let known: Option<Vec<(Var, i64)>> = loops.iter().map(|(_, var)| var.clone()).collect();
    let Some(known) = known else { return false };
    let vars: Vec<Var> = known.iter().map(|(var, _)| var.clone()).collect();
    let Some(linear) = Analyzer::new().linear_in(index, &vars) else { return false };
    let mut steps: Vec<(i64, i64)> = linear
        .coefficients
        .iter()
        .zip(&known)
        .filter(|(_, (_, extent))| *extent != 1)
        .map(|(factor, (_, extent))| (factor.saturating_abs(), *extent))
        .collect();
    steps.sort_unstable();
    let mut reach: i64 = 0;
    steps.iter().all(|&(factor, extent)| {
        let apart = factor > reach;
        reach = reach.saturating_add(factor.saturating_mul(extent.saturating_sub(1)));
        apart
    })
}

fn begins_scope(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::For { kind, .. } => matches!(kind, ForKind::Parallel | ForKind::ThreadBinding(_)),
        StmtKind::Attr { key, .. } => {
            matches!(&**key, "thread_extent" | "virtual_thread" | "pipeline_exec_scope" | "device_scope")
                || key.starts_with("pragma_")
        }
        _ => false,
    }
}

/// Memory that several temporaries have one after the other.
struct Memory {
    owner: Buffer,
    bits: u64,
    place: usize,
    last: usize,
    last_user: usize,
}

struct Plan {
    memory: Vec<Memory>,
    /// By the data variable of a temporary: the memory that it has.
    given: Map<VarId, usize>,
    /// Buffers with the memory of others.
    views: Map<VarId, Buffer>,
}

impl Plan {
    fn of(uses: Uses) -> Self {
        let Uses { all, in_place, .. } = uses;
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|&at| all.get(at).map_or(0, |temporary| temporary.first));
        let mut plan = Self { memory: Vec::new(), given: Map::default(), views: Map::default() };
        for at in order {
            let Some(temporary) = all.get(at) else { continue };
            let Some(bits) = temporary.bits.filter(|_| temporary.first <= temporary.last) else { continue };
            let becomes_register = temporary.buffer.scope.plain() == Scope::Local || bits <= REGISTER_BITS;
            let found = if becomes_register || temporary.given_away { None } else { plan.free(&all, &in_place, at) };
            let number = found.unwrap_or(plan.memory.len());
            if found.is_none() {
                let (owner, place) = (temporary.buffer.clone(), temporary.place);
                let last = if becomes_register || temporary.given_away { usize::MAX } else { 0 };
                plan.memory.push(Memory { owner, bits, place, last, last_user: at });
            }
            if let Some(memory) = plan.memory.get_mut(number) {
                memory.bits = memory.bits.max(bits);
                memory.last = memory.last.max(temporary.last);
                memory.last_user = at;
                if memory.owner != temporary.buffer {
                    let data = memory.owner.data.clone();
                    let view = temporary.buffer.derive(|node| node.data = data);
                    plan.views.insert(temporary.buffer.id(), view);
                }
            }
            plan.given.insert(temporary.buffer.data.id(), number);
        }
        plan
    }

    /// Memory that nobody needs any more when the temporary is used first: the smallest one that is large enough, or
    /// the largest of the smaller ones.
    fn free(&self, all: &[Temporary], in_place: &Map<usize, (usize, usize)>, at: usize) -> Option<usize> {
        let wanted = all.get(at)?;
        let bits = wanted.bits?;
        let own = wanted.buffer.dtype.bits;
        let fits = |memory: &Memory| {
            let replaces = in_place.get(&at).is_some_and(|&(from, begin)| {
                let last = all.get(from).is_some_and(|other| other.last_begin == begin);
                from == memory.last_user && last && wanted.first == begin && memory.bits == bits
            });
            memory.place == wanted.place
                && memory.owner.scope == wanted.buffer.scope
                && (memory.last < wanted.first || replaces)
                && memory.bits.is_multiple_of(u64::from(own))
                && memory.bits <= bits.saturating_mul(MATCH_RANGE)
                && bits <= memory.bits.saturating_mul(MATCH_RANGE)
                && (memory.bits >= bits || memory.owner.dtype == wanted.buffer.dtype)
        };
        let all = self.memory.iter().enumerate().filter(|(_, memory)| fits(memory));
        let key = |memory: &Memory| (memory.bits < bits, memory.bits.abs_diff(bits));
        all.min_by_key(|(_, memory)| key(memory)).map(|(number, _)| number)
    }

    /// The body with the allocations that belong to the start of this place.
    fn at_start(&self, place: usize, body: Stmt) -> Stmt {
        self.memory.iter().filter(|memory| memory.place == place).rev().fold(body, |body, memory| {
            let bits = u64::from(memory.owner.dtype.bits).max(1);
            let elements = memory.bits.div_ceil(bits);
            let enough = memory.owner.constant_shape().is_some_and(|shape| shape == [elements as i64]);
            if enough {
                return StmtKind::Allocate { buffer: memory.owner.clone(), body }.into();
            }
            let index = memory.owner.shape.first().map_or(tilewright_tensor::DataType::I32, |extent| extent.dtype);
            let large = memory.owner.derive(|node| node.shape = vec![Expr::int(elements as i64, index)]);
            let body = StmtKind::Allocate { buffer: memory.owner.clone(), body }.into();
            StmtKind::Allocate { buffer: large, body }.into()
        })
    }

    fn stmt(&self, stmt: &Stmt) -> Result<Stmt> {
        if let StmtKind::Allocate { buffer, body } = &stmt.kind
            && let Some(memory) = self.given.get(&buffer.data.id()).and_then(|&number| self.memory.get(number))
            && memory.owner == *buffer
        {
            return with_stack(|| self.stmt(body));
        }
        let own = self.memory.iter().any(|memory| memory.place == stmt.address());
        let inside = below(stmt, &mut |s| self.stmt(s))?;
        if !own {
            return Ok(inside);
        }
        let mut kind = inside.kind.clone();
        if let StmtKind::For { body, .. } | StmtKind::Attr { body, .. } = &mut kind {
            *body = self.at_start(stmt.address(), body.clone());
        }
        Ok(kind.into())
    }
}
