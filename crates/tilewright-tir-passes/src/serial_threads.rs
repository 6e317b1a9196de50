//! `serialise_threads`: the threads of a GPU as loops of a processor.
//!
//! Blocks become iterations of parallel loops, and the threads of a block become iterations of serial ones. Where the
//! threads wait for each other, a loop over threads ends and another one begins: all threads do what comes before a
//! barrier, then all do what follows it (loop fission; Stratton et al., MCUDA, 2008). Loops and conditions around a
//! barrier are the same for all threads of a block, by the rules of barriers, and are evaluated once, as the first
//! thread evaluates them.
//!
//! What lives across a barrier and belongs to one thread, local memory and the values of `Let`, gets a dimension for
//! each loop over threads. A total that threads add to is complete when the loop over them ends, and no earlier.
//! Shared memory belongs to one iteration of the loop over blocks.

use std::sync::Arc;

use tilewright_expr::node::{AnyHandle, VarId, walk};
use tilewright_ir::tir::{
    Buffer, BuiltinEffect, Expr, ExprKind, ForKind, IterKind, IterVar, PrimFunc, Scope, Stmt, StmtKind, Var,
};
use tilewright_support::{Map, Origins, with_stack};

use crate::named;
use crate::stmt::{Result, error_with_help, map_below, map_own, mentions, reads, typed, uses_memory, with_body};
use crate::substitute::{Substitute, reindex};

/// Makes one loop of the loops of a kernel that bind one thread, where they belong together: with barriers between
/// accesses to what the threads share. Loops inside of such loops are work that the threads do together, such as to
/// fetch a tile; loops next to each other belong together if a thread keeps local memory from one to the other.
pub fn join_threads(function: &PrimFunc) -> Result<PrimFunc> {
    if !binds_again(&function.body) {
        return Ok(function.clone());
    }
    let steps = [
        totals_are_shared,
        named::plan_allocations,
        named::convert_blocks_to_opaque,
        named::lift_threads,
        named::unify_threads,
        crate::lower_blocks,
        named::synchronise_threads,
    ];
    steps.iter().try_fold(function.clone(), |current, step| step(&current))
}

/// Whether loops bind the same threads, one in another, or with local memory that outlives one of them.
fn binds_again(stmt: &Stmt) -> bool {
    let mut found = false;
    let mut users: Map<(VarId, Arc<str>), usize> = Map::default();
    walk(stmt, |stmt: &Stmt| {
        let StmtKind::For { kind: ForKind::ThreadBinding(tag), body, .. } = &stmt.kind else { return };
        let mut used: Map<VarId, ()> = Map::default();
        walk(body, |buffer: &Buffer| {
            if buffer.scope.plain() == Scope::Local && !allocates_block(body, buffer) {
                used.insert(buffer.data.id(), ());
            }
        });
        if tag.starts_with("threadIdx") {
            used.into_keys().for_each(|data| *users.entry((data, tag.clone())).or_default() += 1);
        }
        walk(body, |inner: &Stmt| {
            found |= matches!(&inner.kind, StmtKind::For { kind: ForKind::ThreadBinding(own), .. } if own == tag);
        });
    });
    found || users.values().any(|loops| *loops > 1)
}

fn allocates_block(stmt: &Stmt, buffer: &Buffer) -> bool {
    let mut found = false;
    walk(stmt, |stmt: &Stmt| {
        if let StmtKind::Block { block, .. } = &stmt.kind {
            found |= block.alloc_buffers.iter().any(|own| own.data == buffer.data);
        }
    });
    found
}

/// A total over threads, in local memory, is one for all of them.
fn totals_are_shared(function: &PrimFunc) -> Result<PrimFunc> {
    let mut threads: Vec<Var> = Vec::new();
    walk(&function.body, |stmt: &Stmt| {
        if let StmtKind::For { var, kind: ForKind::ThreadBinding(tag), .. } = &stmt.kind
            && tag.starts_with("threadIdx")
        {
            threads.push(var.clone());
        }
    });
    let mut shared = Substitute::default();
    walk(&function.body, |stmt: &Stmt| {
        let StmtKind::Block { values, block, .. } = &stmt.kind else { return };
        let reduces = |(iter, value): (&IterVar, &Expr)| iter.kind == IterKind::Reduce && mentions(value, &threads);
        if !block.iters.iter().zip(values).any(reduces) {
            return;
        }
        for write in block.writes.iter().filter(|write| write.buffer.scope.plain() == Scope::Local) {
            shared.buffers.insert(write.buffer.id(), write.buffer.derive(|node| node.scope = Scope::Shared));
        }
    });
    let body = if shared.buffers.is_empty() { function.body.clone() } else { shared.apply(&function.body) };
    Ok(with_body(function, body))
}

pub fn serialise_threads(function: &PrimFunc) -> Result<PrimFunc> {
    if !has_threads(&function.body) {
        return Ok(function.clone());
    }
    let body = Threads { origins: &function.origins }.blocks(&private_to_threads(&function.body)?)?;
    Ok(with_body(function, shared_as_local(&body)))
}

/// Whether loops are bound to blocks or threads.
pub(crate) fn has_threads(stmt: &Stmt) -> bool {
    let mut found = false;
    walk(stmt, |stmt: &Stmt| found |= matches!(&stmt.kind, StmtKind::For { kind: ForKind::ThreadBinding(_), .. }));
    found
}

/// Local memory that is allocated around the loop over threads that uses it moves into the loop, as that of a thread.
fn private_to_threads(stmt: &Stmt) -> Result<Stmt> {
    if let StmtKind::Allocate { buffer, body } = &stmt.kind
        && buffer.scope.plain() == Scope::Local
        && let Some(moved) = inside_of_threads(buffer, body)?
    {
        return private_to_threads(&moved);
    }
    map_below(stmt, &mut |s| private_to_threads(s))
}

/// The statement with the buffer allocated in the innermost loop over threads that has all uses, if there is one.
fn inside_of_threads(buffer: &Buffer, stmt: &Stmt) -> Result<Option<Stmt>> {
    let uses = |stmt: &Stmt| {
        let mut found = false;
        walk(stmt, |own: &Buffer| found |= own.data == buffer.data);
        walk(stmt, |own: &Var| found |= *own == buffer.data);
        found
    };
    match &stmt.kind {
        StmtKind::Seq(stmts) => {
            let mut using = stmts.iter().enumerate().filter(|(_, stmt)| uses(stmt));
            let (Some((at, only)), None) = (using.next(), using.next()) else { return Ok(None) };
            let moved = with_stack(|| inside_of_threads(buffer, only))?;
            Ok(moved.map(|new| {
                let others = stmts.iter().enumerate();
                Stmt::seq(others.map(|(i, own)| if i == at { new.clone() } else { own.clone() }))
            }))
        }
        StmtKind::For { body, kind: ForKind::ThreadBinding(_), .. } => {
            let inner = with_stack(|| inside_of_threads(buffer, body))?;
            let body =
                inner.unwrap_or_else(|| StmtKind::Allocate { buffer: buffer.clone(), body: body.clone() }.into());
            Ok(Some(map_below(stmt, &mut |_| Ok(body.clone()))?))
        }
        StmtKind::Allocate { body, .. } => {
            let inner = with_stack(|| inside_of_threads(buffer, body))?;
            inner.map(|new| map_below(stmt, &mut |_| Ok(new.clone()))).transpose()
        }
        _ => Ok(None),
    }
}

fn is_barrier(stmt: &Stmt) -> bool {
    let StmtKind::Evaluate(value) = &stmt.kind else { return false };
    let ExprKind::Foreign { callee, .. } = &value.kind else { return false };
    callee.builtin().is_some_and(|row| row.effect == BuiltinEffect::Barrier)
}

fn has_barrier(stmt: &Stmt) -> bool {
    let mut found = false;
    walk(stmt, |stmt: &Stmt| found |= is_barrier(stmt));
    found
}

/// What the threads of a block share is private to the iteration that the block becomes.
fn shared_as_local(body: &Stmt) -> Stmt {
    let mut all = Substitute::default();
    walk(body, |stmt: &Stmt| {
        if let StmtKind::Allocate { buffer, .. } = &stmt.kind
            && buffer.scope.plain() == Scope::Shared
        {
            all.buffers.insert(buffer.id(), buffer.derive(|node| node.scope = Scope::Local));
        }
    });
    if all.buffers.is_empty() { body.clone() } else { all.apply(body) }
}

/// A loop over threads.
#[derive(Clone)]
struct Thread {
    var: Var,
    min: Expr,
    extent: Expr,
}

struct Threads<'a> {
    origins: &'a Origins,
}

impl Threads<'_> {
    /// Statements of the host and of blocks.
    fn blocks(&self, stmt: &Stmt) -> Result<Stmt> {
        match &stmt.kind {
            StmtKind::For { kind: ForKind::ThreadBinding(tag), .. } if tag.starts_with("blockIdx") => {
                map_below(&with_kind(stmt, ForKind::Parallel), &mut |s| self.blocks(s))
            }
            StmtKind::For { kind: ForKind::ThreadBinding(_), .. } => self.threads(stmt),
            StmtKind::Evaluate(_) if is_barrier(stmt) => Ok(Stmt::nothing()),
            _ => map_below(stmt, &mut |s| self.blocks(s)),
        }
    }

    /// A nest of loops over threads.
    fn threads(&self, stmt: &Stmt) -> Result<Stmt> {
        if !has_barrier(stmt) {
            return self.serial(stmt);
        }
        let (threads, body) = self.thread_nest(stmt)?;
        let body = self.with_private_memory(&threads, &body)?;
        self.fission(&threads, &body)
    }

    /// The statement with serial loops in the place of those over threads.
    fn serial(&self, stmt: &Stmt) -> Result<Stmt> {
        match &stmt.kind {
            StmtKind::For { var, kind: ForKind::ThreadBinding(_), body, .. } => {
                self.check_totals(std::slice::from_ref(var), body)?;
                map_below(&with_kind(stmt, ForKind::Serial), &mut |s| self.serial(s))
            }
            _ => map_below(stmt, &mut |s| self.serial(s)),
        }
    }

    /// An error where a total that threads share is read before the loop over them ends.
    fn check_totals(&self, threads: &[Var], body: &Stmt) -> Result<()> {
        let mut totals: Vec<(Stmt, Buffer)> = Vec::new();
        walk(body, |stmt: &Stmt| {
            if let StmtKind::Store { buffer, indices, value, .. } = &stmt.kind
                && uses_memory(value, &buffer.data)
                && !indices.iter().any(|index| mentions(index, threads) || reads(index))
                && !allocates(body, buffer)
            {
                totals.push((stmt.clone(), buffer.clone()));
            }
        });
        for (total, buffer) in &totals {
            let mut read = false;
            walk(body, |stmt: &Stmt| {
                let own = stmt.own_exprs();
                read |= stmt.address() != total.address() && own.iter().any(|expr| loads_from(expr, &buffer.data));
            });
            if read {
                let message = format!("`{}` is read in the loop over threads that share it as a total", buffer.name);
                return self.refuse(message);
            }
        }
        Ok(())
    }

    /// The loops over threads that a nest begins with, through memory that is allocated in between, and what they do.
    fn thread_nest(&self, stmt: &Stmt) -> Result<(Vec<Thread>, Stmt)> {
        let mut threads: Vec<Thread> = Vec::new();
        let body = self.collect_threads(stmt, &mut threads)?;
        for (at, thread) in threads.iter().enumerate() {
            let earlier: Vec<Var> = threads[..at].iter().map(|thread| thread.var.clone()).collect();
            if mentions(&thread.extent, &earlier) || reads(&thread.extent) {
                return self.refuse(format!("the number of threads `{}` differs between threads", thread.var.name));
            }
        }
        Ok((threads, body))
    }

    fn collect_threads(&self, stmt: &Stmt, threads: &mut Vec<Thread>) -> Result<Stmt> {
        match &stmt.kind {
            StmtKind::For { var, min, extent, kind: ForKind::ThreadBinding(_), body, .. } => {
                threads.push(Thread { var: var.clone(), min: min.clone(), extent: extent.clone() });
                with_stack(|| self.collect_threads(body, threads))
            }
            StmtKind::Allocate { .. } | StmtKind::AllocateConst { .. } | StmtKind::Attr { .. } => {
                map_below(stmt, &mut |s| self.collect_threads(s, threads))
            }
            _ => {
                let mut late = None;
                walk(stmt, |inner: &Stmt| {
                    if let StmtKind::For { var, kind: ForKind::ThreadBinding(_), .. } = &inner.kind
                        && has_barrier(inner)
                    {
                        late.get_or_insert(var.name.clone());
                    }
                });
                match late {
                    Some(name) => self.refuse(format!("loop `{name}` over threads has a barrier and is not outermost")),
                    None => Ok(stmt.clone()),
                }
            }
        }
    }

    /// Local memory that is allocated inside of a nest, around barriers, with a dimension for each loop over threads.
    fn with_private_memory(&self, threads: &[Thread], body: &Stmt) -> Result<Stmt> {
        let mut private: Map<VarId, Buffer> = Map::default();
        let mut owners: Map<VarId, VarId> = Map::default();
        walk(body, |stmt: &Stmt| {
            if let StmtKind::Allocate { buffer, body } = &stmt.kind
                && buffer.scope.plain() == Scope::Local
                && has_barrier(body)
            {
                let extents = threads.iter().map(|thread| thread.extent.clone());
                let shape = extents.chain(buffer.shape.iter().cloned()).collect();
                owners.insert(buffer.data.id(), buffer.id());
                private.insert(buffer.id(), buffer.derive(|node| node.shape = shape));
            }
        });
        let mut view = None;
        walk(body, |buffer: &Buffer| {
            let is_view = owners.get(&buffer.data.id()).is_some_and(|owner| *owner != buffer.id());
            if is_view || (private.contains_key(&buffer.id()) && !buffer.strides.is_empty()) {
                view.get_or_insert(buffer.name.clone());
            }
        });
        if let Some(name) = view {
            return self.refuse(format!("local memory `{name}` lives across a barrier and is a view"));
        }
        let numbers: Vec<Expr> = threads.iter().map(|thread| &Expr::var(&thread.var) - &thread.min).collect();
        let body = reindex(body, |buffer, indices| {
            let own = private.get(&buffer.id())?;
            Some((own.clone(), numbers.iter().chain(indices).cloned().collect()))
        });
        let mut declared = Substitute::default();
        declared.buffers = private;
        Ok(declared.apply(&body))
    }

    /// What all threads do of a statement, in loops over threads between its barriers.
    fn fission(&self, threads: &[Thread], stmt: &Stmt) -> Result<Stmt> {
        if is_barrier(stmt) {
            return Ok(Stmt::nothing());
        }
        if !has_barrier(stmt) {
            return self.for_all(threads, &self.serial(stmt)?);
        }
        match &stmt.kind {
            StmtKind::Seq(stmts) => {
                let mut pieces = Vec::new();
                for run in stmts.chunk_by(|a, b| !has_barrier(a) && !has_barrier(b)) {
                    pieces.push(with_stack(|| self.fission(threads, &Stmt::seq(run.iter().cloned())))?);
                }
                Ok(Stmt::seq(pieces))
            }
            StmtKind::Let { var, value, body } if self.differs(threads, value) => {
                let value_of_each = self.let_as_memory(threads, var, value, body)?;
                self.fission(threads, &value_of_each)
            }
            StmtKind::Block { .. } => self.refuse("a block is around a barrier".to_owned()),
            _ => {
                let mut first = Substitute::default();
                first.values.extend(threads.iter().map(|thread| (thread.var.id(), thread.min.clone())));
                let stmt = map_own(stmt, &mut |expr| first.apply(expr));
                map_below(&stmt, &mut |s| self.fission(threads, s))
            }
        }
    }

    /// Whether the value is another one for other threads, or at another time.
    fn differs(&self, threads: &[Thread], value: &Expr) -> bool {
        let vars: Vec<Var> = threads.iter().map(|thread| thread.var.clone()).collect();
        mentions(value, &vars) || reads(value)
    }

    /// A `Let` around a barrier as memory of each thread, which is written before.
    fn let_as_memory(&self, threads: &[Thread], var: &Var, value: &Expr, body: &Stmt) -> Result<Stmt> {
        let shape = threads.iter().map(|thread| thread.extent.clone()).collect();
        let memory = Buffer::new(var.name.clone(), shape, var.dtype).derive(|node| node.scope = Scope::Local);
        let numbers: Vec<Expr> = threads.iter().map(|thread| &Expr::var(&thread.var) - &thread.min).collect();
        let store = typed(Stmt::store(&memory, numbers.clone(), value))?;
        let load = typed(Expr::load(&memory, numbers))?;
        let body = Substitute::value(var, load).apply(body);
        Ok(StmtKind::Allocate { buffer: memory, body: Stmt::seq([store, body]) }.into())
    }

    /// The statement in a serial loop over each kind of threads; the loops have variables of their own.
    fn for_all(&self, threads: &[Thread], stmt: &Stmt) -> Result<Stmt> {
        let vars: Vec<Var> = threads.iter().map(|thread| thread.var.clone()).collect();
        self.check_totals(&vars, stmt)?;
        let fresh: Vec<Var> = threads.iter().map(|thread| thread.var.renewed()).collect();
        let mut own = Substitute::default();
        let pairs = threads.iter().zip(&fresh).map(|(thread, var)| (thread.var.id(), Expr::var(var)));
        own.values.extend(pairs);
        let mut body = own.apply(stmt);
        for (Thread { min, extent, .. }, var) in threads.iter().zip(fresh).rev() {
            let (min, extent) = (min.clone(), extent.clone());
            let annotations = Default::default();
            body = StmtKind::For { var, min, extent, kind: ForKind::Serial, annotations, body }.into();
        }
        Ok(body)
    }

    fn refuse<T>(&self, message: String) -> Result<T> {
        let help = "a CPU runs threads as loops that end at barriers: put a barrier where all threads come";
        Err(error_with_help("TW0561", self.origins, message, help))
    }
}

fn allocates(stmt: &Stmt, buffer: &Buffer) -> bool {
    let mut found = false;
    walk(stmt, |stmt: &Stmt| {
        found |= matches!(&stmt.kind, StmtKind::Allocate { buffer: own, .. } if own.data == buffer.data);
    });
    found
}

fn loads_from(expr: &Expr, data: &Var) -> bool {
    let mut found = false;
    walk(expr, |e: &Expr| {
        found |= matches!(&e.kind, ExprKind::Load { buffer, .. } if buffer.data == *data);
    });
    found
}

fn with_kind(stmt: &Stmt, to: ForKind) -> Stmt {
    let mut kind = stmt.kind.clone();
    if let StmtKind::For { kind, .. } = &mut kind {
        *kind = to;
    }
    kind.into()
}
