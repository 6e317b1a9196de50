//! `lower_init`: the `init` of a block becomes statements of its own.
//!
//! An init runs in the instances whose reduce axes all have their first value. Where the loops right around the block
//! only drive its reduce axes, and reach those first values together and only in their first iterations, the init moves
//! in front of these loops, as a block without reduce axes. Otherwise it stays inside, under a condition on the axes;
//! and where one of the loops may have no iteration, the init runs in front of it in that case (`ir::empty_reduction`).

use tilewright_arith::Analyzer;
use tilewright_ir::empty_reduction::{has_no_iteration, inits_alone};
use tilewright_ir::nest::Nest;
use tilewright_ir::tir::{BinOp, Block, CmpOp, Expr, ForKind, IterKind, PrimFunc, Range, Stmt, StmtKind, Var};

use crate::stmt::{Result, analyzer_of, map_below, mentions, typed, uses_memory, with_body};
use crate::substitute::copy_with;

pub fn lower_init(function: &PrimFunc) -> Result<PrimFunc> {
    let mut analyzer = analyzer_of(function);
    let body = lower(&mut analyzer, &mut Vec::new(), &function.body)?;
    Ok(with_body(function, body))
}

/// A loop of a nest, without its body.
struct Loop<'a> {
    stmt: &'a Stmt,
    var: &'a Var,
    min: &'a Expr,
    extent: &'a Expr,
    kind: &'a ForKind,
}

/// `around` are the variables of the loops around.
fn lower(analyzer: &mut Analyzer, around: &mut Vec<Var>, stmt: &Stmt) -> Result<Stmt> {
    match &stmt.kind {
        StmtKind::For { var, min, extent, .. } => {
            if let Some(hoisted) = hoist(analyzer, stmt)? {
                return lower(analyzer, around, &hoisted);
            }
            let alone = init_of_nothing(analyzer, around, stmt)?;
            let scope = analyzer.enter();
            analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
            around.push(var.clone());
            let lowered = map_below(stmt, &mut |s| lower(analyzer, around, s));
            around.pop();
            analyzer.leave(scope);
            Ok(Stmt::seq(alone.into_iter().chain([lowered?])))
        }
        StmtKind::Block { values, predicate, block } => {
            let scope = analyzer.enter();
            for iter in &block.iters {
                analyzer.bind(&iter.var, &iter.domain);
            }
            let block = without_init(block)?;
            let body = lower(analyzer, around, &block.body);
            analyzer.leave(scope);
            let block = Block { body: body?, ..block };
            Ok(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into())
        }
        _ => map_below(stmt, &mut |s| lower(analyzer, around, s)),
    }
}

/// The block with its init under a condition in its body.
fn without_init(block: &Block) -> Result<Block> {
    let Some(init) = &block.init else { return Ok(block.clone()) };
    let init = in_first_instance(block, init)?;
    Ok(with_updates_as_reads(block, Stmt::seq([init, block.body.clone()])))
}

/// The statement in the instances of the block whose reduce axes all have their first value.
pub(crate) fn in_first_instance(block: &Block, init: &Stmt) -> Result<Stmt> {
    let mut condition: Option<Expr> = None;
    for iter in block.iters.iter().filter(|iter| iter.kind == IterKind::Reduce) {
        let first = typed(Expr::compare(CmpOp::Eq, &Expr::var(&iter.var), &iter.domain.min))?;
        condition = Some(match condition {
            None => first,
            Some(condition) => typed(Expr::binary(BinOp::And, &condition, &first))?,
        });
    }
    Ok(match condition {
        None => init.clone(),
        Some(condition) => StmtKind::If { condition, then: init.clone(), otherwise: None }.into(),
    })
}

/// The block with a new body and no init: the updated elements count as read.
fn with_updates_as_reads(block: &Block, body: Stmt) -> Block {
    let mut reads = block.reads.clone();
    for write in &block.writes {
        let known = reads.iter().any(|read| read.buffer == write.buffer);
        if !known && loads(&block.body, write) {
            reads.push(write.clone());
        }
    }
    Block { init: None, reads, body, ..block.clone() }
}

fn loads(body: &Stmt, write: &tilewright_ir::tir::BufferRegion) -> bool {
    let mut found = false;
    tilewright_expr::node::walk(body, |e: &Expr| {
        found |= matches!(e.kind, tilewright_ir::tir::ExprKind::Load { .. }) && uses_memory(e, &write.buffer.data);
    });
    found
}

/// For a loop that begins the reduction loops of a block: the init block in front of it, and it without the init.
fn hoist(analyzer: &mut Analyzer, stmt: &Stmt) -> Result<Option<Stmt>> {
    let mut loops = Vec::new();
    let mut inner = stmt;
    while let StmtKind::For { var, min, extent, kind, body, .. } = &inner.kind {
        loops.push(Loop { stmt: inner, var, min, extent, kind });
        inner = body;
    }
    let StmtKind::Block { values, predicate, block } = &inner.kind else { return Ok(None) };
    let Some(init) = &block.init else { return Ok(None) };
    if !block.alloc_buffers.is_empty()
        || !block.match_buffers.is_empty()
        || !only_drive_the_reduction(analyzer, &loops, values, predicate, block)
    {
        return Ok(None);
    }
    let spatial: Vec<usize> = (0..block.iters.len()).filter(|&i| block.iters[i].kind != IterKind::Reduce).collect();
    let start = Block {
        name: format!("{}_init", block.name).into(),
        iters: spatial.iter().map(|&i| block.iters[i].clone()).collect(),
        reads: Vec::new(),
        init: None,
        body: init.clone(),
        ..block.clone()
    };
    let start: Stmt = StmtKind::Block {
        values: spatial.iter().map(|&i| values[i].clone()).collect(),
        predicate: predicate.clone(),
        block: start,
    }
    .into();
    let start = renewed_axes(&start);
    let block = with_updates_as_reads(block, block.body.clone());
    let update: Stmt = StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into();
    let nest = loops.iter().rev().try_fold(update, |body, l| map_below(l.stmt, &mut |_| Ok(body.clone())))?;
    Ok(Some(Stmt::seq([start, nest])))
}

/// The inits that run in front of a loop if it has no iteration, where that may be.
fn init_of_nothing(analyzer: &Analyzer, around: &[Var], stmt: &Stmt) -> Result<Option<Stmt>> {
    let StmtKind::For { extent, .. } = &stmt.kind else { return Ok(None) };
    let Some(condition) = has_no_iteration(extent) else { return Ok(None) };
    let some = typed(Expr::compare(CmpOp::Gt, extent, &Expr::int(0, extent.dtype)))?;
    let nests = inits_alone(around, stmt);
    if nests.is_empty() || analyzer.prove(&some) {
        return Ok(None);
    }
    let then = copy_with(&Stmt::seq(nests.into_iter().map(Nest::into_stmt)), []);
    Ok(Some(StmtKind::If { condition, then, otherwise: None }.into()))
}

/// The init block has axes of its own.
fn renewed_axes(stmt: &Stmt) -> Stmt {
    let mut copy = crate::substitute::Substitute::default();
    if let StmtKind::Block { block, .. } = &stmt.kind {
        for iter in &block.iters {
            copy.binders.insert(iter.var.id(), iter.var.renewed());
        }
    }
    copy.apply(stmt)
}

/// Whether the loops are the whole nest around the block that drives its reduce axes, and only those: each reduce axis
/// is its first value plus a sum of the loops' progress with positive factors, and each loop occurs in one of them.
fn only_drive_the_reduction(
    analyzer: &Analyzer,
    loops: &[Loop<'_>],
    values: &[Expr],
    predicate: &Expr,
    block: &Block,
) -> bool {
    let vars: Vec<Var> = loops.iter().map(|l| l.var.clone()).collect();
    let plain = loops.iter().all(|l| {
        matches!(l.kind, ForKind::Serial | ForKind::Unrolled) && !mentions(l.min, &vars) && !mentions(l.extent, &vars)
    });
    if !plain || mentions(predicate, &vars) || values.len() != block.iters.len() {
        return false;
    }
    let mut driven = vec![false; vars.len()];
    for (iter, value) in block.iters.iter().zip(values) {
        if iter.kind != IterKind::Reduce {
            if mentions(value, &vars) {
                return false;
            }
            continue;
        }
        let Some(linear) = analyzer.linear_in(value, &vars) else { return false };
        let mut first = linear.rest;
        for (i, (&factor, l)) in linear.coefficients.iter().zip(loops).enumerate() {
            if factor < 0 {
                return false;
            }
            driven[i] |= factor > 0;
            first = &first + &(l.min * factor);
        }
        if !analyzer.prove_equal(&first, &iter.domain.min) {
            return false;
        }
    }
    // A loop of one iteration need not drive an axis.
    driven.iter().zip(loops).all(|(&driven, l)| driven || l.extent.as_int() == Some(1))
}
