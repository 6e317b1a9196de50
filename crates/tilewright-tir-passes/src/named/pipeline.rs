//! `InjectSoftwarePipeline`: loops whose statements belong to stages, of which later ones work on earlier iterations.
//!
//! The annotation `software_pipeline_stage` of a loop gives each statement of its body a stage, and
//! `software_pipeline_order` its place. A statement of stage `s` runs `s` iterations after the first stage: in front of
//! the loop stands a prologue in which the later stages rest, and after it an epilogue for them; where there may be
//! fewer iterations than stages, the epilogue leaves out what the prologue did. What one stage writes and a later one
//! reads has as many versions as there are iterations between the two. Refused are pipelines in which two accesses to
//! one element change places, of one iteration or of different ones.
//!
//! Statements of the stages in `software_pipeline_async_stages` are asynchronous: they are marked as such, with the
//! queue that they are committed to, and readers wait until as few commits are in flight as leave their own done.

use std::sync::Arc;

use tilewright_arith::Analyzer;
use tilewright_expr::node::{VarId, rewrite};
use tilewright_ir::tir::{
    BinOp, Block, Buffer, BufferRegion, Builtin, CmpOp, Expr, ForKind, PrimFunc, Range, Stmt, StmtKind, Var,
};
use tilewright_ir::{Attr, Attrs};
use tilewright_support::{Map, Set};

use super::blocks::around;
use super::carried::{Carried, check_order};
use super::{Options, below, refuse, with};
use crate::stmt::{Result, analyzer_of, typed};
use crate::substitute::{Owners, Substitute, reindex};

pub(super) fn inject_software_pipeline(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let mut analyzer = analyzer_of(function);
    let body = injected(&Owners::of(function), &mut analyzer, &function.body)?;
    Ok(with(function, body))
}

const STAGE: &str = "software_pipeline_stage";
const ORDER: &str = "software_pipeline_order";
const ASYNC: &str = "software_pipeline_async_stages";

fn injected(owners: &Owners, analyzer: &mut Analyzer, stmt: &Stmt) -> Result<Stmt> {
    let StmtKind::For { var, min, extent, annotations, .. } = &stmt.kind else {
        return below(stmt, &mut |s| injected(owners, analyzer, s));
    };
    let scope = analyzer.enter();
    analyzer.bind(var, &Range::new(min.clone(), extent.clone()));
    let inside = below(stmt, &mut |s| injected(owners, analyzer, s));
    analyzer.leave(scope);
    let inside = inside?;
    match (annotations.contains_key(STAGE), annotations.contains_key(ORDER)) {
        (true, true) => Pipeline::of(owners, analyzer, &inside)?.stmts(analyzer),
        (false, false) => Ok(inside),
        _ => refuse(format!("the loop over `{}` needs both `{STAGE}` and `{ORDER}`", var.name)),
    }
}

/// A statement of the body.
pub(super) struct Part {
    pub(super) block: Block,
    pub(super) stage: i64,
    pub(super) order: i64,
}

struct Pipeline<'a> {
    owners: &'a Owners,
    var: Var,
    min: Expr,
    extent: Expr,
    kind: ForKind,
    /// Of the loop, without those of the pipeline.
    annotations: Attrs,
    /// In the order in which they run.
    parts: Vec<Part>,
    temporaries: Vec<Buffer>,
    asynchronous: Set<i64>,
    /// Temporaries with several versions: the buffer with all of them, and how many.
    versions: Map<VarId, (Buffer, Buffer, i64)>,
}

fn numbers(annotations: &Attrs, key: &str) -> Result<Vec<i64>> {
    let Some(value) = annotations.get(key) else { return Ok(Vec::new()) };
    let one = |value: &Attr| match value {
        Attr::Expr(value) => value.as_int(),
        other => other.as_int(),
    };
    let found = match value {
        Attr::Array(items) => items.iter().map(one).collect::<Option<Vec<_>>>(),
        other => other.as_ints(),
    };
    found.map_or_else(|| refuse(format!("the annotation `{key}` is a list of integers")), Ok)
}

fn realized(predicate: Expr, block: Block) -> Stmt {
    StmtKind::Block { values: Vec::new(), predicate, block }.into()
}

fn part_of(stmt: &Stmt) -> Block {
    match &stmt.kind {
        StmtKind::Block { predicate, block, .. } if predicate.as_int() == Some(1) && block.iters.is_empty() => {
            block.clone()
        }
        _ => around(Vec::new(), stmt.clone()),
    }
}

impl<'a> Pipeline<'a> {
    fn of(owners: &'a Owners, analyzer: &mut Analyzer, stmt: &Stmt) -> Result<Self> {
        let StmtKind::For { var, min, extent, kind, annotations, body } = &stmt.kind else {
            return refuse("a pipeline is a loop");
        };
        let (body, temporaries) = match &body.kind {
            StmtKind::Block { block, predicate, .. } if block.iters.is_empty() && predicate.as_int() == Some(1) => {
                (&block.body, block.alloc_buffers.clone())
            }
            _ => (body, Vec::new()),
        };
        let StmtKind::Seq(stmts) = &body.kind else {
            return refuse(format!(
                "the body of the software pipeline over `{}` is no sequence of statements",
                var.name
            ));
        };
        let (stages, orders) = (numbers(annotations, STAGE)?, numbers(annotations, ORDER)?);
        if stages.len() != stmts.len() || orders.len() != stmts.len() {
            return refuse(format!(
                "the loop over `{}` has {} statements, and its annotations give {} of them stages and {} an order",
                var.name,
                stmts.len(),
                stages.len(),
                orders.len()
            ));
        }
        let mut parts: Vec<Part> = Vec::new();
        for ((stmt, &stage), &order) in stmts.iter().zip(&stages).zip(&orders) {
            if !(0..=64).contains(&stage) || parts.iter().any(|part| part.order == order) {
                return refuse("the stages of a pipeline are from 0 to 64, and each statement has an order of its own");
            }
            parts.push(Part { block: part_of(stmt), stage, order });
        }
        check_order(&parts)?;
        let versions = versions(&temporaries, &parts, annotations);
        let loop_range = Range::new(min.clone(), extent.clone());
        Carried { analyzer, var, range: &loop_range, temporaries: &temporaries, versions: &versions }.check(&parts)?;
        parts.sort_by_key(|part| part.order);
        let kept = annotations.iter().filter(|(key, _)| ![STAGE, ORDER, ASYNC].contains(&&***key));
        Ok(Self {
            owners,
            var: var.clone(),
            min: min.clone(),
            extent: extent.clone(),
            kind: kind.clone(),
            annotations: kept.map(|(key, value)| (key.clone(), value.clone())).collect(),
            parts,
            temporaries,
            asynchronous: numbers(annotations, ASYNC)?.into_iter().collect(),
            versions,
        })
    }

    fn stmts(&self, analyzer: &mut Analyzer) -> Result<Stmt> {
        let last = self.parts.iter().map(|part| part.stage).max().unwrap_or(0);
        let first = self.parts.iter().map(|part| part.stage).min().unwrap_or(0);
        let depth = Expr::int(last, self.min.dtype);
        let full = analyzer.simplify(&(&self.min + &depth));
        let end = analyzer.simplify(&(&self.min + &self.extent));
        let after = analyzer.simplify(&(&end + &depth));
        let mut stmts = Vec::new();
        if last > first || last > 0 {
            stmts.push(self.emit(analyzer, (&self.min, &full), Some(ForKind::Unrolled), None)?);
        }
        stmts.push(self.emit(analyzer, (&full, &end), None, None)?);
        if last > 0 {
            // The prologue did what is in front of `full`.
            let (start, least) = match analyzer.decide(CmpOp::Ge, &end, &full) {
                Some(true) => (&end, None),
                Some(false) => (&full, None),
                None => (&end, Some(&full)),
            };
            stmts.push(self.emit(analyzer, (start, &after), Some(ForKind::Unrolled), least)?);
        }
        let buffers = self.temporaries.iter().map(|buffer| match self.versions.get(&buffer.id()) {
            Some((_, many, _)) => many.clone(),
            None => buffer.clone(),
        });
        let block = around(buffers.collect(), Stmt::seq(stmts.into_iter().flatten()));
        Ok(realized(Expr::bool(true), block))
    }

    /// The iterations from a start to an end, those of the first stage counted, from `least` on; `None` where no stage
    /// works there.
    fn emit(
        &self,
        analyzer: &mut Analyzer,
        (start, end): (&Expr, &Expr),
        kind: Option<ForKind>,
        least: Option<&Expr>,
    ) -> Result<Option<Stmt>> {
        let count = analyzer.simplify(&(end - start));
        if count.as_int().is_some_and(|count| count <= 0) {
            return Ok(None);
        }
        let single = count.as_int() == Some(1);
        let own = Var::new(self.var.name.clone(), self.var.dtype);
        let (now, shift) = match single {
            true => (start.clone(), None),
            false => (Expr::var(&own), Some(analyzer.simplify(&(start - &self.min)))),
        };
        let scope = analyzer.enter();
        if !single {
            analyzer.bind(&own, &Range::new(self.min.clone(), count.clone()));
        }
        // The iteration of the first stage, whose numbers begin with the loop's own.
        let head = match &shift {
            Some(shift) => analyzer.simplify(&(&now + shift)),
            None => now,
        };
        let made = self.parts_at(analyzer, &head, least);
        analyzer.leave(scope);
        let stmts = made?;
        if stmts.is_empty() {
            return Ok(None);
        }
        let body = Stmt::seq(stmts);
        let body = match single {
            true => body,
            false => StmtKind::For {
                var: own,
                min: self.min.clone(),
                extent: count,
                kind: kind.unwrap_or_else(|| self.kind.clone()),
                annotations: self.annotations.clone(),
                body,
            }
            .into(),
        };
        let body = self.owners.copy_with(&body, []);
        Ok(Some(match &body.kind {
            StmtKind::Block { .. } => body,
            _ => realized(Expr::bool(true), around(Vec::new(), body)),
        }))
    }

    /// The statements that work while the first stage is at iteration `head`, if that is at least `least`.
    fn parts_at(&self, analyzer: &mut Analyzer, head: &Expr, least: Option<&Expr>) -> Result<Vec<Stmt>> {
        let end = &self.min + &self.extent;
        let mut stmts = Vec::new();
        let mut done: Set<i64> = Set::default();
        for part in &self.parts {
            let at = analyzer.simplify(&(head - part.stage));
            let lower = typed(Expr::compare(CmpOp::Le, &self.min, &at))?;
            let upper = typed(Expr::compare(CmpOp::Lt, &at, &end))?;
            let mut inbound = typed(Expr::binary(BinOp::And, &lower, &upper))?;
            if let Some(least) = least {
                let later = typed(Expr::compare(CmpOp::Le, least, head))?;
                inbound = typed(Expr::binary(BinOp::And, &inbound, &later))?;
            }
            let inbound = analyzer.simplify(&inbound);
            if inbound.as_int() == Some(0) {
                continue;
            }
            let mut block = self.versioned(&part.block)?;
            if self.asynchronous.contains(&part.stage) {
                let body = marked("async_scope", 1, block.body.clone());
                block.body = marked("async_commit_queue_scope", part.stage, body);
                done.insert(part.stage);
            }
            let block = Substitute::value(&self.var, at.clone()).apply(&block);
            let block = self.waiting(analyzer, part, &at, head, &done, block)?;
            stmts.push(realized(inbound, block));
        }
        Ok(stmts)
    }

    /// The block, with a wait for the asynchronous statements that write what it reads.
    fn waiting(
        &self,
        analyzer: &Analyzer,
        part: &Part,
        at: &Expr,
        head: &Expr,
        done: &Set<i64>,
        mut block: Block,
    ) -> Result<Block> {
        let mut waits: Vec<(i64, Expr)> = Vec::new();
        for writer in self.parts.iter().filter(|writer| self.asynchronous.contains(&writer.stage)) {
            let reads =
                part.block.reads.iter().any(|read| writer.block.writes.iter().any(|write| write.buffer == read.buffer));
            if !reads || writer.order == part.order || writer.stage == part.stage {
                continue;
            }
            // The last iteration whose commit is made by then.
            let newest = head - writer.stage;
            let newest = if done.contains(&writer.stage) { newest } else { &newest - 1 };
            let last = &(&self.min + &self.extent) - 1;
            let newest = typed(Expr::binary(BinOp::Min, &newest, &last))?;
            let flying = analyzer.simplify(&(&newest - at));
            waits.retain(|(stage, _)| *stage != writer.stage);
            waits.push((writer.stage, flying));
        }
        for (stage, flying) in waits {
            let flying = match flying.as_int() {
                Some(count) => Expr::i32(i32::try_from(count).unwrap_or(i32::MAX)),
                None => flying,
            };
            let key = Arc::from("async_wait_inflight_count");
            let body = StmtKind::Attr { node: Expr::i32(0), key, value: flying, body: block.body.clone() }.into();
            block.body = marked("async_wait_queue_scope", stage, body);
        }
        Ok(block)
    }

    /// The version of this iteration.
    fn version(&self, count: i64) -> Result<Expr> {
        let progress = match self.min.as_int() {
            Some(0) => Expr::var(&self.var),
            _ => &Expr::var(&self.var) - &self.min,
        };
        typed(Expr::binary(BinOp::FloorMod, &progress, &Expr::int(count, self.var.dtype)))
    }

    /// The block with accesses to the version of its iteration.
    fn versioned(&self, block: &Block) -> Result<Block> {
        if self.versions.is_empty() {
            return Ok(block.clone());
        }
        let mut failed = None;
        let mut of = |buffer: &Buffer| -> Option<(Buffer, Expr)> {
            let (_, many, count) = self.versions.get(&buffer.id())?;
            match self.version(*count) {
                Ok(version) => Some((many.clone(), version)),
                Err(found) => {
                    failed.get_or_insert(found);
                    None
                }
            }
        };
        let whole = realized(Expr::bool(true), block.clone());
        let moved = reindex(&whole, |buffer, indices| {
            let (many, version) = of(buffer)?;
            Some((many, std::iter::once(version).chain(indices.iter().cloned()).collect()))
        });
        let moved = self.pointers(&moved)?;
        let mut region = |region: &BufferRegion| -> BufferRegion {
            let Some((buffer, version)) = of(&region.buffer) else { return region.clone() };
            let one = Range::new(version, Expr::int(1, self.var.dtype));
            BufferRegion { buffer, region: std::iter::once(one).chain(region.region.iter().cloned()).collect() }
        };
        let declared = rewrite(&moved, |stmt: &Stmt| {
            let StmtKind::Block { values, predicate, block } = &stmt.kind else { return None };
            let mut block = block.clone();
            block.reads = block.reads.iter().map(&mut region).collect();
            block.writes = block.writes.iter().map(&mut region).collect();
            for matched in &mut block.match_buffers {
                matched.source = region(&matched.source);
            }
            Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into())
        });
        if let Some(found) = failed {
            return Err(found);
        }
        match declared.unwrap_or(moved).kind.clone() {
            StmtKind::Block { block, .. } => Ok(block),
            _ => Ok(block.clone()),
        }
    }

    /// Addresses that are given by an offset from the start of the memory.
    fn pointers(&self, stmt: &Stmt) -> Result<Stmt> {
        let mut failed = None;
        let moved = rewrite(stmt, |expr: &Expr| {
            let [kind, data, offset, extent, mask] = expr.builtin_args(Builtin::ACCESS_PTR)? else { return None };
            let var = data.as_var()?;
            let (buffer, _, count) = self.versions.values().find(|(buffer, ..)| buffer.data == *var)?;
            let made = || -> Result<Expr> {
                let size = buffer.shape.iter().try_fold(Expr::int(1, offset.dtype), |all, extent| {
                    typed(Expr::binary(BinOp::Mul, &all, &typed(extent.cast(offset.dtype))?))
                })?;
                let version = typed(self.version(*count)?.cast(offset.dtype))?;
                let offset = offset + &typed(Expr::binary(BinOp::Mul, &version, &size))?;
                let args =
                    vec![kind.clone(), data.clone(), Analyzer::new().simplify(&offset), extent.clone(), mask.clone()];
                Ok(Expr::builtin(Builtin::ACCESS_PTR, args))
            };
            match made() {
                Ok(made) => Some(made),
                Err(found) => {
                    failed.get_or_insert(found);
                    None
                }
            }
        });
        match failed {
            Some(found) => Err(found),
            None => Ok(moved.unwrap_or_else(|| stmt.clone())),
        }
    }
}

fn marked(key: &str, value: i64, body: Stmt) -> Stmt {
    let value = Expr::i32(i32::try_from(value).unwrap_or(i32::MAX));
    StmtKind::Attr { node: Expr::i32(0), key: Arc::from(key), value, body }.into()
}

pub(super) fn touches(regions: &[BufferRegion], buffer: &Buffer) -> bool {
    regions.iter().any(|region| region.buffer == *buffer)
}

/// The temporaries of which several iterations are alive at once.
fn versions(temporaries: &[Buffer], parts: &[Part], annotations: &Attrs) -> Map<VarId, (Buffer, Buffer, i64)> {
    let counts = temporaries.iter().map(|buffer| (buffer, versions_of(buffer, parts, annotations)));
    let several = counts.filter(|(_, count)| *count > 1).map(|(buffer, count)| {
        let many = buffer.derive(|node| {
            let index = node.shape.first().map_or(tilewright_tensor::DataType::I32, |extent| extent.dtype);
            if let (Some(stride), Some(extent)) = (node.strides.first(), node.shape.first()) {
                let whole = stride * extent;
                node.strides.insert(0, whole);
            }
            node.shape.insert(0, Expr::int(count, index));
        });
        (buffer.id(), (buffer.clone(), many, count))
    });
    several.collect()
}

/// How many iterations of a temporary are alive at once.
fn versions_of(buffer: &Buffer, parts: &[Part], annotations: &Attrs) -> i64 {
    let writers = || parts.iter().filter(|part| touches(&part.block.writes, buffer));
    let readers = || parts.iter().filter(|part| touches(&part.block.reads, buffer));
    let (Some(def), Some(last)) = (writers().map(|part| part.stage).min(), readers().map(|part| part.stage).max())
    else {
        return 1;
    };
    let count = last - def + 1;
    // With two of them, the first is read before the second is written where the reader comes first.
    let meets = || writers().any(|w| readers().any(|r| w.stage < r.stage && w.order < r.order));
    let count = if count == 2 && !meets() { 1 } else { count };
    let doubled = annotations.contains_key("double_buffer_scope");
    if count == 1 && doubled { 2 } else { count.max(1) }
}
