//! Loops over threads whose bodies have barriers: all threads go through the statements together.
//!
//! A statement without a barrier is run by one thread after the other, in random order. One with a barrier inside is
//! split: the threads run its first part, then its second. A barrier is then the end of a part. That requires
//! threads that agree on the way: bounds of loops and conditions around a barrier have one value for all of them, as
//! targets ask too; where they have not, the barrier is never reached by all, which is an error.
//!
//! Each thread has what was bound since the threads began, and `local` memory of its own; `shared` memory is that of
//! all of them. Threads of different blocks (`blockIdx`) go together only where a barrier says `global`.

use std::rc::Rc;

use tilewright_expr::node::{AnyHandle, VarId, walk_some};
use tilewright_expr::semantics::Scalar;
use tilewright_ir::tir::{Block, Buffer, BuiltinEffect, Expr, ExprKind, ForKind, Scope, Stmt, StmtKind, Var};
use tilewright_support::with_stack;

use crate::block::Frame;
use crate::error::ErrorKind;
use crate::interpreter::{Interpreter, Res};
use crate::memory::{Memory, View};
use crate::scalar::Val;

/// The state that is private to a thread.
#[derive(Clone, Default)]
pub(crate) struct Thread<'a> {
    vars: Vec<(VarId, Val)>,
    data: Vec<(VarId, (usize, i64))>,
    views: Vec<(VarId, Rc<View>)>,
    frames: Vec<Frame<'a>>,
    loops: Vec<(&'a str, i64)>,
    /// Its own contents of memory that is private to a thread, by the memory's index.
    private: Vec<(usize, Memory)>,
}

impl Thread<'_> {
    /// Forgets the variable of the innermost loop.
    fn leave_loop(&mut self) {
        self.vars.pop();
        self.loops.pop();
    }
}

/// Threads that go together.
type Threads<'a> = Vec<Thread<'a>>;

/// Whether the loop's threads belong to different blocks.
pub(crate) fn is_block(tag: &str) -> bool {
    tag.starts_with("blockIdx")
}

/// Whether a thread waits for others somewhere in the statement; of blocks, for threads of other blocks.
fn waits(stmt: &Stmt, blocks: bool) -> bool {
    let mut found = false;
    walk_some(stmt, |node| {
        if let Some(ExprKind::Foreign { callee, args }) = node.downcast::<Expr>().map(|expr| &expr.kind)
            && callee.builtin().is_some_and(|row| row.effect == BuiltinEffect::Barrier)
        {
            let global =
                matches!(args.first().map(|arg| &arg.kind), Some(ExprKind::Str(scope)) if &**scope == "global");
            found |= !blocks || global;
        }
        !found
    });
    found
}

impl<'a> Interpreter<'a> {
    /// Whether the loop over these threads has to split its body.
    pub(crate) fn goes_together(&mut self, tag: &str, body: &Stmt) -> bool {
        let key = (body.address(), is_block(tag));
        if let Some(&known) = self.barriers.get(&key) {
            return known;
        }
        let found = waits(body, is_block(tag));
        self.barriers.insert(key, found);
        found
    }

    fn has_barrier(&mut self, stmt: &Stmt) -> bool {
        self.goes_together("", stmt)
    }

    /// Runs a loop over threads with barriers inside.
    pub(crate) fn exec_threads(&mut self, var: &'a Var, min: i64, extent: i64, body: &'a Stmt) -> Res<()> {
        let one = vec![Thread::default()];
        let mut threads = self.fork(one, var, min, extent);
        let is_private = |memory: &Memory| memory.scope.plain() == Scope::Local;
        let private: Vec<usize> = (0..self.memories.len()).filter(|&at| is_private(&self.memories[at])).collect();
        for thread in &mut threads {
            thread.private = private.iter().map(|&at| (at, self.memories[at].clone())).collect();
        }
        self.together(body, &mut threads)?;
        // The contents of a thread's private memory are dropped.
        for at in private {
            self.memories[at].spoil();
        }
        Ok(())
    }

    /// Each thread once for each value of a loop over threads.
    fn fork(&mut self, threads: Threads<'a>, var: &'a Var, min: i64, extent: i64) -> Threads<'a> {
        let mut forked = Vec::new();
        for thread in threads {
            for value in (min..).take(usize::try_from(extent).unwrap_or(0)) {
                let mut copy = thread.clone();
                copy.vars.push((var.id(), Val::One(Scalar::from_int(value, var.dtype))));
                copy.loops.push((&var.name, value));
                forked.push(copy);
            }
        }
        forked
    }

    /// Runs something as one of the threads. After an error the stacks stay as they are: they are the error's location.
    fn as_thread<R>(&mut self, thread: &mut Thread<'a>, run: impl FnOnce(&mut Self) -> Res<R>) -> Res<R> {
        self.vars.extend(thread.vars.iter().cloned());
        self.data.extend(thread.data.iter().copied());
        self.views.extend(thread.views.iter().cloned());
        let (frames, loops) = (self.frames.len(), self.loops.len());
        self.frames.append(&mut thread.frames);
        self.loops.extend(&thread.loops);
        for (at, memory) in &mut thread.private {
            std::mem::swap(&mut self.memories[*at], memory);
        }
        let result = run(self)?;
        for (at, memory) in &mut thread.private {
            std::mem::swap(&mut self.memories[*at], memory);
        }
        thread.frames = self.frames.split_off(frames);
        self.loops.truncate(loops);
        for (id, _) in &thread.vars {
            self.vars.remove(id);
        }
        for (id, _) in &thread.data {
            self.data.remove(id);
        }
        for (id, _) in &thread.views {
            self.views.remove(id);
        }
        Ok(result)
    }

    /// Runs something as each thread, in random order.
    fn as_each<R>(
        &mut self,
        threads: &mut Threads<'a>,
        mut run: impl FnMut(&mut Self) -> Res<R>,
    ) -> Res<Vec<Option<R>>> {
        let mut results: Vec<Option<R>> = threads.iter().map(|_| None).collect();
        for at in self.random.order(threads.len() as i64) {
            let at = at as usize;
            results[at] = Some(self.as_thread(&mut threads[at], &mut run)?);
        }
        Ok(results)
    }

    /// A value that all threads have to agree on.
    fn agreed<R: PartialEq>(
        &mut self,
        threads: &mut Threads<'a>,
        what: &str,
        run: impl FnMut(&mut Self) -> Res<R>,
    ) -> Res<Option<R>> {
        let mut values = self.as_each(threads, run)?.into_iter().flatten();
        let Some(first) = values.next() else { return Ok(None) };
        if values.all(|value| value == first) {
            return Ok(Some(first));
        }
        let problem = format!("threads disagree on {what} around a barrier: some of them never reach it");
        Err(ErrorKind::Unsupported(problem).into())
    }

    fn together(&mut self, stmt: &'a Stmt, threads: &mut Threads<'a>) -> Res<()> {
        if !self.has_barrier(stmt) {
            self.as_each(threads, |each| each.exec(stmt))?;
            return Ok(());
        }
        with_stack(|| self.together_kind(&stmt.kind, threads))
    }

    fn together_kind(&mut self, stmt: &'a StmtKind, threads: &mut Threads<'a>) -> Res<()> {
        match stmt {
            StmtKind::Seq(stmts) => stmts.iter().try_for_each(|stmt| self.together(stmt, threads)),
            StmtKind::For { var, min, extent, kind, body, .. } => {
                let range = self.agreed(threads, "the bounds of a loop", |m| Ok((m.int(min)?, m.int(extent)?)))?;
                let Some((min, extent)) = range else { return Ok(()) };
                self.loop_together(var, min, extent, kind, body, threads)
            }
            StmtKind::While { condition, body } => {
                while self.agreed(threads, "the condition of a loop", |m| m.truth(condition))? == Some(true) {
                    self.together(body, threads)?;
                }
                Ok(())
            }
            StmtKind::If { condition, then, otherwise } => {
                match (self.agreed(threads, "a condition", |m| m.truth(condition))?, otherwise) {
                    (Some(true), _) => self.together(then, threads),
                    (Some(false), Some(otherwise)) => self.together(otherwise, threads),
                    _ => Ok(()),
                }
            }
            StmtKind::Let { var, value, body } => self.let_together(var, value, body, threads),
            StmtKind::Attr { body, .. } => self.together(body, threads),
            StmtKind::Allocate { buffer, body } => {
                let kept = self.memories.len();
                self.allocate_together(buffer, threads)?;
                self.together(body, threads)?;
                self.release(buffer, threads);
                self.memories.truncate(kept);
                Ok(())
            }
            StmtKind::AllocateConst { buffer, data, body } => {
                self.allocate_constant(buffer, &data.0)?;
                self.together(body, threads)?;
                self.free(buffer);
                Ok(())
            }
            StmtKind::Block { values, predicate, block } => self.block_together(values, predicate, block, threads),
            // Every thread is here.
            StmtKind::Evaluate(_) => Ok(()),
            StmtKind::Store { .. } | StmtKind::Assert { .. } => {
                Err(ErrorKind::Unsupported("a barrier is a statement of its own".to_owned()).into())
            }
        }
    }

    fn loop_together(
        &mut self,
        var: &'a Var,
        min: i64,
        extent: i64,
        kind: &ForKind,
        body: &'a Stmt,
        threads: &mut Threads<'a>,
    ) -> Res<()> {
        match kind {
            ForKind::Serial | ForKind::Unrolled => {
                for value in (min..).take(usize::try_from(extent).unwrap_or(0)) {
                    for thread in threads.iter_mut() {
                        thread.vars.push((var.id(), Val::One(Scalar::from_int(value, var.dtype))));
                        thread.loops.push((&var.name, value));
                    }
                    self.together(body, threads)?;
                    threads.iter_mut().for_each(Thread::leave_loop);
                }
                Ok(())
            }
            ForKind::ThreadBinding(_) if extent <= 0 => Ok(()),
            ForKind::ThreadBinding(_) => {
                let mut all = self.fork(std::mem::take(threads), var, min, extent);
                self.together(body, &mut all)?;
                // The first of each thread's copies continues as the thread; the private memory was that of the copies.
                *threads = all.into_iter().step_by(usize::try_from(extent).unwrap_or(1)).collect();
                threads.iter_mut().for_each(Thread::leave_loop);
                Ok(())
            }
            ForKind::Parallel | ForKind::Vectorized => {
                let problem = format!("a barrier inside of the parallel loop over `{}`", var.name);
                Err(ErrorKind::Unsupported(problem).into())
            }
        }
    }

    fn let_together(&mut self, var: &'a Var, value: &Expr, body: &'a Stmt, threads: &mut Threads<'a>) -> Res<()> {
        if var.dtype.is_handle() {
            let addresses = self.as_each(threads, |each| each.address(value))?;
            for (thread, address) in threads.iter_mut().zip(addresses) {
                thread.data.extend(address.map(|address| (var.id(), address)));
            }
            self.together(body, threads)?;
            for thread in threads.iter_mut() {
                thread.data.pop();
            }
            return Ok(());
        }
        let values = self.as_each(threads, |each| each.value(value))?;
        for (thread, value) in threads.iter_mut().zip(values) {
            thread.vars.extend(value.map(|value| (var.id(), value)));
        }
        self.together(body, threads)?;
        for thread in threads.iter_mut() {
            thread.vars.pop();
        }
        Ok(())
    }

    /// Gives each thread memory of its own, or all of them the same; a view of memory that is there needs none.
    fn allocate_together(&mut self, buffer: &Buffer, threads: &mut Threads<'a>) -> Res<()> {
        let views = self.as_each(threads, |machine| match machine.data.contains_key(&buffer.data.id()) {
            true => machine.view(buffer).map(Some),
            false => Ok(None),
        })?;
        let mut shared = None;
        for (thread, view) in threads.iter_mut().zip(views) {
            if let Some(view) = view.flatten() {
                thread.views.push((buffer.id(), view));
                continue;
            }
            let (memory, view) = match &shared {
                Some(known) if buffer.scope.plain() != Scope::Local => Clone::clone(known),
                _ => self.as_thread(thread, |machine| {
                    machine.allocate(buffer)?;
                    let memory = machine.data.remove(&buffer.data.id()).unwrap_or_default();
                    let view = machine.views.remove(&buffer.id());
                    Ok((memory, view))
                })?,
            };
            shared = Some((memory, view.clone()));
            thread.data.push((buffer.data.id(), memory));
            thread.views.extend(view.map(|view| (buffer.id(), view)));
        }
        Ok(())
    }

    fn release(&mut self, buffer: &Buffer, threads: &mut Threads<'a>) {
        for thread in threads {
            thread.data.retain(|(id, _)| *id != buffer.data.id());
            thread.views.retain(|(id, _)| *id != buffer.id());
        }
    }

    fn block_together(
        &mut self,
        values: &'a [Expr],
        predicate: &Expr,
        block: &'a Block,
        threads: &mut Threads<'a>,
    ) -> Res<()> {
        if self.agreed(threads, "the predicate of a block", |m| m.truth(predicate))? != Some(true) {
            return Ok(());
        }
        let kept = self.memories.len();
        let mut first = Vec::with_capacity(threads.len());
        for thread in threads.iter_mut() {
            let entered = self.as_thread(thread, |machine| {
                let entered = machine.enter_block(values, block)?;
                let var = |id: &VarId| machine.vars.remove(id).map(|value| (*id, value));
                let vars: Vec<_> = entered.bound.iter().filter_map(var).collect();
                let matched = block.match_buffers.iter().map(|matched| &matched.buffer);
                let data = matched.clone().filter_map(|b| Some((b.data.id(), machine.data.remove(&b.data.id())?)));
                let data: Vec<_> = data.collect();
                let views: Vec<_> = matched.filter_map(|b| Some((b.id(), machine.views.remove(&b.id())?))).collect();
                Ok((entered.first, vars, data, views))
            })?;
            let (is_first, vars, data, views) = entered;
            first.push((is_first, vars.len()));
            thread.vars.extend(vars);
            thread.data.extend(data);
            thread.views.extend(views);
        }
        for buffer in &block.alloc_buffers {
            self.allocate_together(buffer, threads)?;
        }
        if let Some(init) = &block.init {
            for (thread, _) in threads.iter_mut().zip(&first).filter(|(_, (is_first, _))| *is_first) {
                self.as_thread(thread, |each| each.exec(init))?;
            }
        }
        self.together(&block.body, threads)?;
        for buffer in block.alloc_buffers.iter().chain(block.match_buffers.iter().map(|matched| &matched.buffer)) {
            self.release(buffer, threads);
        }
        self.memories.truncate(kept);
        for (thread, (_, bound)) in threads.iter_mut().zip(first) {
            thread.frames.pop();
            thread.vars.truncate(thread.vars.len() - bound);
        }
        Ok(())
    }
}
