//! `LowerCrossThreadReduction`: a reduction whose loops are bound to threads becomes one of each thread, which
//! `tvm_thread_allreduce` combines over the threads, and a store of the result.
//!
//! The loops of the reduction, bound or not, are the innermost ones around the block, with nothing else inside. Where
//! some of them are not bound, each thread first reduces its own part into memory of its own.

use std::sync::Arc;

use tilewright_expr::node::walk;
use tilewright_ir::nest::{Loop, Nest};
use tilewright_ir::tir::{
    BinOp, Block, Buffer, BufferRegion, Builtin, CmpOp, Expr, ExprKind, ForKind, IterKind, IterVar, PrimFunc, Range,
    Scope, Stmt, StmtKind, Var,
};
use tilewright_support::{Origins, with_stack};
use tilewright_tensor::DataType;

use super::reducer::{Reduction, null};
use super::{Options, below, refuse, with};
use crate::stmt::{Result, conjuncts, mentions, typed};
use crate::substitute::Substitute;

pub(super) fn lower_cross_thread_reduction(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let mut cx = Lower { made: Vec::new(), threads: Vec::new() };
    let body = cx.stmt(&function.body)?;
    Ok(with(function, body))
}

struct Lower {
    /// Memory of threads that is new in the current block.
    made: Vec<Buffer>,
    /// Variables of threads of a block that are bound around.
    threads: Vec<Var>,
}

fn is_thread(kind: &ForKind) -> bool {
    matches!(kind, ForKind::ThreadBinding(tag) if tag.starts_with("threadIdx"))
}

/// Whether a reduce axis of the block follows the variable.
fn reduces(nest: &Nest, var: &Var) -> bool {
    let axes = nest.block.iters.iter().zip(&nest.values);
    axes.filter(|(iter, _)| iter.kind == IterKind::Reduce).any(|(_, value)| mentions(value, std::slice::from_ref(var)))
}

impl Lower {
    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        match &stmt.kind {
            StmtKind::For { var, kind, .. } => {
                if let Some(nest) = Nest::of(stmt)
                    && reduces(&nest, var)
                    && nest.loops.iter().any(|l| is_thread(&l.kind) && reduces(&nest, &l.var))
                {
                    return self.reduction(nest);
                }
                let bound = is_thread(kind);
                if bound {
                    self.threads.push(var.clone());
                }
                let inside = below(stmt, &mut |s| self.stmt(s));
                if bound {
                    self.threads.pop();
                }
                inside
            }
            StmtKind::Block { values, predicate, block } => {
                let axes = block.iters.iter().zip(values);
                let reduced =
                    axes.filter(|(iter, _)| iter.kind == IterKind::Reduce).any(|(_, v)| mentions(v, &self.threads));
                if reduced && block.init.is_some() {
                    return refuse(format!(
                        "cross-thread reduction requires all the reduction-related loops to be the deepest loops around \
                         block `{}`, and nothing else in them",
                        block.name
                    ));
                }
                let before = std::mem::take(&mut self.made);
                let init = block.init.as_ref().map(|init| self.stmt(init)).transpose()?;
                let body = with_stack(|| self.stmt(&block.body))?;
                let mut alloc_buffers = block.alloc_buffers.clone();
                alloc_buffers.extend(std::mem::replace(&mut self.made, before));
                let block = Block { init, body, alloc_buffers, ..block.clone() };
                Ok(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into())
            }
            _ => below(stmt, &mut |s| self.stmt(s)),
        }
    }

    fn reduction(&mut self, nest: Nest) -> Result<Stmt> {
        let Nest { loops, values, predicate, block } = &nest;
        if let Some(other) = loops.iter().find(|l| !reduces(&nest, &l.var)) {
            return refuse(format!(
                "cross-thread reduction requires all the reduction-related loops to be the deepest loops around block \
                 `{}`: the loop over `{}` is inside of them",
                block.name, other.var.name
            ));
        }
        let found = Reduction::of(block)?;
        let (threads, own): (Vec<Loop>, Vec<Loop>) = loops.iter().cloned().partition(|l| is_thread(&l.kind));
        let vars: Vec<Var> = loops.iter().map(|l| l.var.clone()).collect();
        if threads.iter().any(|l| mentions(&l.min, &vars) || mentions(&l.extent, &vars)) {
            return refuse(format!("the threads that reduce block `{}` differ between its loops", block.name));
        }
        let crossing = scratch("cross_thread", &found.buffers);
        let in_thread = if own.is_empty() { Vec::new() } else { scratch("in_thread", &found.buffers) };
        self.made.extend(crossing.iter().chain(&in_thread).cloned());
        let parts = Parts { block, values, predicate, found: &found };
        let mut stmts = Vec::new();
        if !own.is_empty() {
            stmts.push(parts.init(&in_thread)?);
            let update = parts.update(&in_thread)?;
            stmts.push(own.into_iter().rev().fold(update, looped));
        }
        stmts.push(parts.crossing(&crossing, &in_thread, &threads)?);
        stmts.push(parts.write_back(&crossing, &threads, loops)?);
        Ok(threads.into_iter().rev().fold(Stmt::seq(stmts), looped))
    }
}

fn looped(body: Stmt, l: Loop) -> Stmt {
    let Loop { var, min, extent, kind, annotations } = l;
    StmtKind::For { var, min, extent, kind, annotations, body }.into()
}

fn zero() -> Vec<Expr> {
    vec![Expr::i32(0)]
}

/// An element of a thread's own for each buffer.
fn scratch(name: &str, buffers: &[Buffer]) -> Vec<Buffer> {
    let make = |buffer: &Buffer| {
        Buffer::new(format!("{name}_{}", buffer.name), vec![Expr::i32(1)], buffer.dtype).derive(|node| {
            node.scope = Scope::Local;
            node.strides = vec![Expr::i32(1)];
        })
    };
    buffers.iter().map(make).collect()
}

fn elements(buffers: &[Buffer]) -> Vec<BufferRegion> {
    let range = || vec![Range::new(Expr::i32(0), Expr::i32(1))];
    buffers.iter().map(|buffer| BufferRegion { buffer: buffer.clone(), region: range() }).collect()
}

/// What a load reads.
fn element_of(load: &Expr) -> Option<BufferRegion> {
    let ExprKind::Load { buffer, indices, .. } = &load.kind else { return None };
    let region = indices.iter().map(|at| Range::new(at.clone(), Expr::int(1, at.dtype))).collect();
    Some(BufferRegion { buffer: buffer.clone(), region })
}

/// The parts of one reduction.
struct Parts<'a> {
    block: &'a Block,
    values: &'a [Expr],
    predicate: &'a Expr,
    found: &'a Reduction,
}

impl Parts<'_> {
    fn plain(&self, suffix: &str, reads: Vec<BufferRegion>, writes: Vec<BufferRegion>, body: Stmt) -> Block {
        Block {
            name: Arc::from(format!("{}_{suffix}", self.block.name)),
            iters: Vec::new(),
            alloc_buffers: Vec::new(),
            match_buffers: Vec::new(),
            reads,
            writes,
            annotations: Default::default(),
            init: None,
            body,
            origins: Origins::default(),
        }
    }

    fn init(&self, own: &[Buffer]) -> Result<Stmt> {
        let identities = self.found.reducer.identities.iter();
        let stores = own.iter().zip(identities).map(|(buffer, value)| typed(Stmt::store(buffer, zero(), value)));
        let body = Stmt::seq(stores.collect::<Result<Vec<_>>>()?);
        let block = self.plain("in_thread_init", Vec::new(), elements(own), body);
        Ok(StmtKind::Block { values: Vec::new(), predicate: Expr::bool(true), block }.into())
    }

    /// What the block reads besides what it accumulates.
    fn reads(&self) -> Vec<BufferRegion> {
        let others = self.block.reads.iter().filter(|region| !self.found.buffers.contains(&region.buffer));
        others.cloned().collect()
    }

    /// The original block, with axes and accumulators of its own.
    fn update(&self, own: &[Buffer]) -> Result<Stmt> {
        let loads = own.iter().map(|b| typed(Expr::load(b, zero()))).collect::<Result<Vec<_>>>()?;
        let results = self.found.reducer.combine(&loads, &self.found.operands);
        let body = accumulated(own, &results)?;
        let block = Block {
            name: Arc::from(format!("{}_in_thread", self.block.name)),
            reads: self.reads(),
            writes: elements(own),
            init: None,
            body,
            ..self.block.clone()
        };
        let (values, predicate) = (self.values.to_vec(), self.predicate.clone());
        Ok(renewed_axes(&StmtKind::Block { values, predicate, block }.into()))
    }

    fn crossing(&self, crossing: &[Buffer], in_thread: &[Buffer], threads: &[Loop]) -> Result<Stmt> {
        let mut args = vec![Expr::int(crossing.len() as i64, DataType::U32)];
        let alone = in_thread.is_empty();
        match alone {
            true => args.extend(self.found.operands.iter().cloned()),
            false => {
                for buffer in in_thread {
                    args.push(typed(Expr::load(buffer, zero()))?);
                }
            }
        }
        args.push(if alone { self.predicate.clone() } else { Expr::bool(true) });
        for buffer in crossing {
            args.push(typed(Expr::load(buffer, zero()))?);
        }
        args.extend(threads.iter().map(|l| Expr::var(&l.var)));
        let call = StmtKind::Evaluate(Expr::builtin(Builtin::THREAD_ALLREDUCE, args)).into();
        let (node, key) = (self.found.reducer.call()?, Arc::from("reduce_scope"));
        let body: Stmt = StmtKind::Attr { node, key, value: null(), body: call }.into();
        let reads = if alone { self.reads() } else { elements(in_thread) };
        let mut block = self.plain("cross_thread", reads, elements(crossing), body);
        let mut values = Vec::new();
        if alone {
            block.iters = self.block.iters.clone();
            values = self.values.to_vec();
        }
        Ok(renewed_axes(&StmtKind::Block { values, predicate: Expr::bool(true), block }.into()))
    }

    fn write_back(&self, crossing: &[Buffer], threads: &[Loop], loops: &[Loop]) -> Result<Stmt> {
        let (iters, values): (Vec<IterVar>, Vec<Expr>) = self
            .block
            .iters
            .iter()
            .zip(self.values)
            .filter(|(iter, _)| iter.kind != IterKind::Reduce)
            .map(|(iter, value)| (iter.clone(), value.clone()))
            .unzip();
        let mut results = crossing.iter().map(|from| typed(Expr::load(from, zero()))).collect::<Result<Vec<_>>>()?;
        let mut reads = elements(crossing);
        if let Some(begin) = &self.found.begin {
            results = self.found.reducer.combine(begin, &results);
            for init in begin {
                walk(init, |e: &Expr| reads.extend(element_of(e)));
            }
        }
        let mut stores = Vec::new();
        for ((buffer, indices), value) in self.found.buffers.iter().zip(&self.found.indices).zip(&results) {
            stores.push(typed(Stmt::store(buffer, indices.clone(), value))?);
        }
        let mut block = self.plain("write_back", reads, self.block.writes.clone(), Stmt::seq(stores));
        block.iters = iters;
        let reduced: Vec<Var> = loops.iter().map(|l| l.var.clone()).collect();
        let mut parts: Vec<Expr> = Vec::new();
        // Every thread has the result: of memory that they share, one writes it.
        if self.found.buffers.first().is_some_and(|buffer| buffer.scope.plain() != Scope::Local) {
            for l in threads {
                parts.push(typed(Expr::compare(CmpOp::Eq, &Expr::var(&l.var), &l.min))?);
            }
        }
        parts.extend(conjuncts(self.predicate).into_iter().filter(|part| !mentions(part, &reduced)));
        parts.retain(|part| part.as_int() != Some(1));
        let all = parts.into_iter().map(Ok).reduce(|all, next| typed(Expr::binary(BinOp::And, &all?, &next?)));
        let predicate = all.transpose()?.unwrap_or_else(|| Expr::bool(true));
        Ok(renewed_axes(&StmtKind::Block { values, predicate, block }.into()))
    }
}

/// The stores of the results; several of them are computed before the first store.
fn accumulated(own: &[Buffer], results: &[Expr]) -> Result<Stmt> {
    if let ([buffer], [result]) = (own, results) {
        return typed(Stmt::store(buffer, zero(), result));
    }
    let vars: Vec<Var> = own.iter().map(|buffer| Var::new(format!("v_{}", buffer.name), buffer.dtype)).collect();
    let stores = own.iter().zip(&vars).map(|(buffer, var)| typed(Stmt::store(buffer, zero(), &Expr::var(var))));
    let stores = Stmt::seq(stores.collect::<Result<Vec<_>>>()?);
    Ok(vars
        .iter()
        .zip(results)
        .rev()
        .fold(stores, |body, (var, value)| StmtKind::Let { var: var.clone(), value: value.clone(), body }.into()))
}

fn renewed_axes(stmt: &Stmt) -> Stmt {
    let mut copy = Substitute::default();
    if let StmtKind::Block { block, .. } = &stmt.kind {
        copy.binders.extend(block.iters.iter().map(|iter| (iter.var.id(), iter.var.renewed())));
    }
    copy.apply(stmt)
}
