//! A statement of the root block, whatever it is, on threads of a GPU: what is always right.
//!
//! | statement | becomes |
//! |---|---|
//! | a nest around one block, whose spatial loops are independent | a thread for each iteration of these (`map`) |
//! | a parallel loop around anything | a thread for each of its iterations |
//! | a block without axes, a serial loop or a condition around such statements | launches of these in order |
//! | everything else | one thread |
//!
//! What stands around launches is computed by the host, so that it may not read memory: a loop whose bounds are data
//! runs on one thread, with all that is in it. Temporaries of blocks that several launches use become those of the
//! root block.

use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::Attrs;
use tilewright_ir::nest::Loop;
use tilewright_ir::tir::{
    BinOp, Block, Buffer, BufferRegion, CmpOp, Expr, ForKind, PrimFunc, Range, Stmt, StmtKind, Var,
};
use tilewright_support::with_stack;

use super::map::spread;
use crate::analysis::dependence::{has_threads, is_global};
use crate::build::exprs::{binary, compare, mentions, reads_memory, substituted};
use crate::build::loops::used_in;
use crate::build::rewrite::with_block;
use crate::build::unique::with_unique_keys;
use crate::fault::Fault;
use crate::plan::gpu::map::MapPlan;
use crate::primitive::call::{Call, Default, Outcome, Primitive, Results};
use crate::site::{Site, around, below, follow, loop_of};

pub(crate) const RUN_ON_THREADS: Primitive = Primitive {
    name: "RunOnThreads",
    method: "run_on_threads",
    doc: "Runs a statement of the root block, by its number, on threads of a GPU: each independent loop on as many in \
          a block, or with `threads=1` all of it on one.",
    params: &[("statement", Default::Required), ("threads", Default::Required)],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (number, threads) = (call.size(0, "statement", 0..=i64::MAX)?, call.size(1, "threads", 1..=1024)?);
    let (function, at) = statement(call.function, number)?;
    let bound = match threads {
        1 => one_thread(&function, &at)?,
        _ => launches(&function, &at, &MapPlan { threads, vector: 1, per_thread: 1 })?,
    };
    Ok(Outcome::changed(with_unique_keys(&bound), Results::Nothing))
}

/// The way to a statement of the root block from the function's body; of a function without one there is one statement,
/// its body.
fn statement(function: &PrimFunc, number: i64) -> Result<(PrimFunc, Vec<usize>), Fault> {
    let none = || Fault::of_call(format!("the function has no statement {number}"));
    let at = usize::try_from(number).map_err(|_| none())?;
    let path = match function.root_block().map(|root| &root.body.kind) {
        None if at == 0 => Vec::new(),
        Some(StmtKind::Seq(stmts)) if at < stmts.len() => vec![0, at],
        Some(other) if at == 0 && !matches!(other, StmtKind::Seq(_)) => vec![0],
        _ => return Err(none()),
    };
    Ok((function.clone(), path))
}

/// How many statements there are, and which of them run on no threads yet.
pub(crate) fn unbound(function: &PrimFunc) -> Vec<i64> {
    let stmts: Vec<Stmt> = match function.root_block().map(|root| &root.body.kind) {
        Some(StmtKind::Seq(stmts)) => stmts.clone(),
        Some(_) => function.root_block().map(|root| root.body.clone()).into_iter().collect(),
        None => vec![function.body.clone()],
    };
    let bare = |stmt: &Stmt| !has_threads(stmt) && !is_nothing(stmt);
    (0..).zip(&stmts).filter(|(_, stmt)| bare(stmt)).map(|(at, _)| at).collect()
}

fn is_nothing(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Seq(stmts) if stmts.is_empty())
}

/// The function with the statement on one thread.
pub(crate) fn one_thread(function: &PrimFunc, way: &[usize]) -> Result<PrimFunc, Fault> {
    let gone = || Fault::of_call("the statement is gone");
    let mut site = follow(&function.body, way).ok_or_else(gone)?;
    // Memory of the function itself, of one that has no root block, is the device's.
    while matches!(site.stmt.kind, StmtKind::Allocate { .. } | StmtKind::AllocateConst { .. }) && way.is_empty() {
        site = site.child(0).ok_or_else(gone)?;
    }
    let function = PrimFunc { body: site.replaced(on_one_thread(&serial(&site.stmt))), ..function.clone() };
    Ok(with_temporaries_at_root(&function, &site))
}

/// The statement inside of loops over one block and one thread.
pub(crate) fn on_one_thread(stmt: &Stmt) -> Stmt {
    let one = Expr::i64(1);
    let inner = thread_loop("tx", "threadIdx.x", &one, stmt.clone());
    thread_loop("bx", "blockIdx.x", &one, inner)
}

fn thread_loop(name: &str, tag: &str, extent: &Expr, body: Stmt) -> Stmt {
    let var = Var::new(name, extent.dtype);
    bound_loop(&var, tag, extent, body)
}

fn bound_loop(var: &Var, tag: &str, extent: &Expr, body: Stmt) -> Stmt {
    let kind = ForKind::ThreadBinding(tag.into());
    let min = Expr::int(0, var.dtype);
    around(Loop { var: var.clone(), min, extent: extent.clone(), kind, annotations: Attrs::new() }, body)
}

/// The statement with parallel loops as serial ones: they are those of one thread.
fn serial(stmt: &Stmt) -> Stmt {
    let changed = rewrite(stmt, |stmt: &Stmt| match &stmt.kind {
        StmtKind::For { kind: ForKind::Parallel, .. } => {
            let (l, body) = (loop_of(stmt)?, below(stmt).first().map(|body| (*body).clone())?);
            Some(around(Loop { kind: ForKind::Serial, ..l }, serial(&body)))
        }
        _ => None,
    });
    changed.unwrap_or_else(|| stmt.clone())
}

/// The function with the temporaries of one thread in the root block, where they are large or their sizes are not
/// constant: threads have no memory of a size that only a run knows. Those whose sizes loops change stay.
fn with_temporaries_at_root(function: &PrimFunc, site: &Site) -> PrimFunc {
    if site.above.is_empty() || function.root_block().is_none() {
        return function.clone();
    }
    let way: Vec<usize> = site.above.iter().map(|(_, at)| *at).collect();
    let Some(site) = follow(&function.body, &way) else { return function.clone() };
    let own = bound_vars(&site.stmt);
    let mut moved: Vec<Buffer> = Vec::new();
    let changed = rewrite(&site.stmt, |stmt: &Stmt| hoisted(stmt, &own, &mut moved));
    let Some(changed) = changed.filter(|_| !moved.is_empty()) else { return function.clone() };
    let body = PrimFunc { body: site.replaced(changed), ..function.clone() };
    with_block(&body, &[], |root| root.alloc_buffers.extend(moved)).unwrap_or_else(|_| function.clone())
}

/// A block without those of its temporaries that can be the root's. What is no block's own any more, the blocks around
/// it read and write, if they say at all what they do.
fn hoisted(stmt: &Stmt, own: &[Var], moved: &mut Vec<Buffer>) -> Option<Stmt> {
    let StmtKind::Block { values, predicate, block } = &stmt.kind else { return None };
    let goes = |buffer: &Buffer| is_large(buffer) && is_global(buffer) && !mentions(&buffer.shape, own);
    let (own_buffers, kept): (Vec<Buffer>, Vec<Buffer>) = block.alloc_buffers.iter().cloned().partition(goes);
    let takes = !own_buffers.is_empty();
    moved.extend(own_buffers);
    let used = used_in(&block.body, moved.clone());
    if used.is_empty() && !takes {
        return None;
    }
    let says = !block.reads.is_empty() || !block.writes.is_empty();
    let regions: Vec<BufferRegion> = used.iter().filter(|_| says).map(whole).collect();
    let with = |declared: &[BufferRegion]| declared.iter().chain(&regions).cloned().collect();
    let (reads, writes) = (with(&block.reads), with(&block.writes));
    let block = Block { alloc_buffers: kept, reads, writes, ..block.clone() };
    Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into())
}

fn whole(buffer: &Buffer) -> BufferRegion {
    let region = buffer.shape.iter().map(|extent| Range::up_to(extent.clone())).collect();
    BufferRegion { buffer: buffer.clone(), region }
}

/// The variables of loops, axes and names in a statement.
fn bound_vars(stmt: &Stmt) -> Vec<Var> {
    let mut found = Vec::new();
    walk(stmt, |stmt: &Stmt| match &stmt.kind {
        StmtKind::For { var, .. } | StmtKind::Let { var, .. } => found.push(var.clone()),
        StmtKind::Block { block, .. } => found.extend(block.iters.iter().map(|iter| iter.var.clone())),
        _ => {}
    });
    found
}

/// The function with the statement as launches.
pub(crate) fn launches(function: &PrimFunc, way: &[usize], plan: &MapPlan) -> Result<PrimFunc, Fault> {
    let site = follow(&function.body, way).ok_or_else(|| Fault::of_call("the statement is gone"))?;
    if let Ok(bound) = spread(function, &site, plan) {
        return Ok(bound);
    }
    let mut cx = Launches { threads: plan.threads, temporaries: Vec::new() };
    let made = cx.launches(&site.stmt).ok_or_else(|| Fault::at(&site, "no loop is known to be independent"))?;
    let function = PrimFunc { body: site.replaced(made), ..function.clone() };
    match cx.temporaries.is_empty() {
        true => Ok(function),
        false => with_block(&function, &[], |root| root.alloc_buffers.extend(cx.temporaries)),
    }
}

struct Launches {
    threads: i64,
    /// What several launches use.
    temporaries: Vec<Buffer>,
}

impl Launches {
    /// The statement as launches, where some of it is parallel, and the host can do what is around that.
    fn launches(&mut self, stmt: &Stmt) -> Option<Stmt> {
        if !has_parallel(stmt) {
            return None;
        }
        with_stack(|| self.parallel(stmt))
    }

    fn parallel(&mut self, stmt: &Stmt) -> Option<Stmt> {
        match &stmt.kind {
            StmtKind::For { kind: ForKind::Parallel, .. } => self.parallel_loop(stmt),
            StmtKind::For { min, extent, kind: ForKind::Serial, .. } if !reads_memory(min) && !reads_memory(extent) => {
                let (l, body) = (loop_of(stmt)?, below(stmt).first().map(|body| (*body).clone())?);
                Some(around(l, self.launches(&body)?))
            }
            StmtKind::Seq(stmts) => {
                let each = stmts.iter().map(|stmt| match has_parallel(stmt) {
                    true => self.launches(stmt),
                    false => Some(on_one_thread(stmt)),
                });
                Some(Stmt::seq(each.collect::<Option<Vec<_>>>()?))
            }
            StmtKind::Block { values, predicate, block } if values.is_empty() && predicate.as_int() == Some(1) => {
                let plain = block.match_buffers.is_empty() && block.init.is_none();
                // Memory of a loop's iteration, of a size that the loop says, is none of the root block.
                if !plain || !block.alloc_buffers.iter().all(is_global) {
                    return None;
                }
                self.temporaries.extend(block.alloc_buffers.iter().cloned());
                self.launches(&block.body)
            }
            StmtKind::Let { var, value, body } if !reads_memory(value) => {
                self.launches(&substituted(body, &[(var.clone(), value.clone())]))
            }
            _ => None,
        }
    }

    fn parallel_loop(&self, stmt: &Stmt) -> Option<Stmt> {
        let (l, body) = (loop_of(stmt)?, below(stmt).first().map(|body| (*body).clone())?);
        if reads_memory(&l.min) || reads_memory(&l.extent) || has_large_memory(&body) {
            return None;
        }
        let dtype = l.var.dtype;
        let threads = l.extent.as_int().map_or(self.threads, |extent| extent.clamp(1, self.threads));
        let (b, t) = (Var::new("bx", dtype), Var::new("tx", dtype));
        let number = &(&Expr::var(&b) * threads) + &Expr::var(&t);
        let blocks = l.extent.ceil_div(threads).ok()?;
        let value = binary(BinOp::Add, &l.min, &number).ok()?;
        let body = substituted(&serial(&body), &[(l.var.clone(), value)]);
        let inside = match l.extent.as_int() {
            Some(extent) if extent % threads == 0 => body,
            _ => {
                let condition = compare(CmpOp::Lt, &number, &l.extent).ok()?;
                StmtKind::If { condition, then: body, otherwise: None }.into()
            }
        };
        let inner = bound_loop(&t, "threadIdx.x", &Expr::int(threads, dtype), inside);
        Some(bound_loop(&b, "blockIdx.x", &blocks, inner))
    }
}

fn has_parallel(stmt: &Stmt) -> bool {
    let mut found = false;
    walk(stmt, |stmt: &Stmt| found |= matches!(&stmt.kind, StmtKind::For { kind: ForKind::Parallel, .. }));
    found
}

/// Bytes of memory that a thread may have for itself.
const MAX_THREAD_BYTES: i64 = 16 << 10;

/// Whether the statement has memory of its own that is too much for each of many threads, or of unknown size.
fn has_large_memory(stmt: &Stmt) -> bool {
    let mut found = false;
    walk(stmt, |stmt: &Stmt| match &stmt.kind {
        StmtKind::Block { block, .. } => found |= block.alloc_buffers.iter().any(is_large),
        StmtKind::Allocate { buffer, .. } => found |= is_large(buffer),
        _ => {}
    });
    found
}

fn is_large(buffer: &Buffer) -> bool {
    let all = |all: i64, extent: &Expr| all.checked_mul(extent.as_int()?);
    let bytes = buffer.shape.iter().try_fold(buffer.dtype.bytes() as i64, all);
    bytes.is_none_or(|bytes| bytes > MAX_THREAD_BYTES)
}
