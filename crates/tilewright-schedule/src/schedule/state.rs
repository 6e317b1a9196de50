//! A schedule's module as a tree of loops and blocks: where each is, how blocks depend on each other, and what is known
//! of a block.
//!
//! A [`StmtRef`] refers to a loop or a block as a handle does, without being one: it is in no trace. The blocks
//! directly inside of a block are its *stages*, and one depends on an earlier one where both use a buffer and one of
//! them writes it. A stage's reads are *covered* where the earlier stages, at each loop or block that they share with
//! it, write all that it reads of their buffers. A scope is a *stage pipeline* where that holds of every stage and none
//! overwrites what an earlier one reads.

use std::sync::Arc;

use tilewright_arith::{
    Analyzer, IntSet, IterMapLevel, detect_iter_map, estimate_region_strict_bound, estimate_region_upper_bound,
};
use tilewright_ir::tir::{Block, Buffer, BufferRegion, CmpOp, Expr, PrimFunc, Range, Stmt, StmtKind, Var};
use tilewright_ir::{GlobalFunc, IRModule};

use super::{Handle, Schedule};
use crate::analysis::guard::known_around;
use crate::analysis::required::loops_to;
use crate::build::exprs::{mentions, substituted};
use crate::build::rewrite::path_of;
use crate::site::{Key, Site, axis_values, below, blocks_below, find, follow, key_at, loop_of, search};
use crate::trace::Rv;

/// A loop or a block of a module.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StmtRef {
    pub(crate) function: Arc<str>,
    pub(crate) key: Key,
}

impl StmtRef {
    /// Whether it is a block's.
    pub fn is_block(&self) -> bool {
        !matches!(self.key, Key::Loop(_))
    }
}

/// Why a stage comes after an earlier one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DepKind {
    ReadAfterWrite,
    WriteAfterWrite,
    WriteAfterRead,
}

/// An earlier stage, a later one that depends on it, and why.
#[derive(Clone, Debug)]
pub struct Dependency {
    pub source: StmtRef,
    pub target: StmtRef,
    pub kind: DepKind,
}

/// What is known of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockFlags {
    /// The values of its axes are an affine map of the loops around it.
    pub affine_binding: bool,
    /// Its reads are covered.
    pub region_cover: bool,
    /// Its stages are a pipeline.
    pub stage_pipeline: bool,
}

impl Schedule {
    /// Where the loop or block of a handle is; `None` where it is gone.
    pub fn stmt_ref(&self, rv: Rv) -> Option<StmtRef> {
        match self.handles.get(rv.number)? {
            Handle::Place(function, key) => {
                self.stmt(rv)?;
                Some(StmtRef { function: function.clone(), key: key.clone() })
            }
            Handle::Expr(_) | Handle::Removed => None,
        }
    }

    /// Where this very loop is in the module.
    pub fn ref_of_loop(&self, stmt: &Stmt) -> Option<StmtRef> {
        let var = loop_of(stmt)?.var;
        self.ref_by(|found| found.same(stmt) && loop_of(found).is_some_and(|l| l.var == var))
    }

    /// Where this very block is in the module.
    pub fn ref_of_block(&self, block: &Block) -> Option<StmtRef> {
        let axes = |block: &Block| block.iters.iter().map(|iter| iter.var.id()).collect::<Vec<_>>();
        self.ref_by(|found| match &found.kind {
            StmtKind::Block { block: other, .. } => {
                other.body.same(&block.body) && other.name == block.name && axes(other) == axes(block)
            }
            _ => false,
        })
    }

    fn ref_by(&self, is_it: impl Fn(&Stmt) -> bool) -> Option<StmtRef> {
        prims(&self.module).find_map(|(name, function)| {
            let path = search(&function.body, |stmt, path| is_it(stmt).then(|| path.to_vec()))?;
            let site = follow(&function.body, &path)?;
            Some(StmtRef { function: name.clone(), key: key_at(&function.body, &site)? })
        })
    }

    fn site_at(&self, stmt_ref: &StmtRef) -> Option<(&PrimFunc, Site)> {
        let function = self.module.prim(&stmt_ref.function)?;
        Some((function, find(&function.body, &stmt_ref.key)?))
    }

    /// The loop or block referred to; `None` where it is gone.
    pub fn stmt_at(&self, stmt_ref: &StmtRef) -> Option<Stmt> {
        self.site_at(stmt_ref).map(|(_, site)| site.stmt)
    }

    /// The innermost loop or block around it.
    pub fn parent(&self, stmt_ref: &StmtRef) -> Option<StmtRef> {
        let (function, site) = self.site_at(stmt_ref)?;
        let at = site.above.iter().rposition(|(stmt, _)| is_loop_or_block(stmt))?;
        let (above, rest) = site.above.split_at(at);
        let around = Site { above: above.to_vec(), stmt: rest.first()?.0.clone() };
        Some(StmtRef { function: stmt_ref.function.clone(), key: key_at(&function.body, &around)? })
    }

    /// Its number among the statements of the innermost sequence around it, and -1 where none is.
    pub fn number_in_sequence(&self, stmt_ref: &StmtRef) -> i64 {
        let found = self.site_at(stmt_ref).and_then(|(_, site)| match site.above.last() {
            Some((stmt, at)) if matches!(stmt.kind, StmtKind::Seq(_)) => i64::try_from(*at).ok(),
            _ => None,
        });
        found.unwrap_or(-1)
    }

    /// How the stages of a block depend on each other, in order.
    pub fn dependencies(&self, stmt_ref: &StmtRef) -> Vec<Dependency> {
        let Some((function, scope)) = self.site_at(stmt_ref) else { return Vec::new() };
        let stages = stages_of(&scope);
        let named = |site: &Site| {
            let key = key_at(&function.body, site)?;
            Some(StmtRef { function: stmt_ref.function.clone(), key })
        };
        let between = |(source, target, kind)| {
            Some(Dependency { source: named(stages.get(source)?)?, target: named(stages.get(target)?)?, kind })
        };
        dependencies_of(&stages).into_iter().filter_map(between).collect()
    }

    /// What is known of a block; `None` of a loop, or where it is gone.
    pub fn flags(&self, stmt_ref: &StmtRef) -> Option<BlockFlags> {
        let (function, site) = self.site_at(stmt_ref)?;
        site.block()?;
        let region_cover = match site.scope() {
            Some(scope) => {
                let stages = stages_of(&scope);
                let at = stages.iter().position(|stage| path_of(stage) == path_of(&site));
                at.is_none_or(|at| is_covered(function, &stages, at))
            }
            None => true,
        };
        Some(BlockFlags {
            affine_binding: is_affine(function, &site),
            region_cover,
            stage_pipeline: is_pipeline(function, &site),
        })
    }

    /// Puts another block in the place of a block, with the same values of its axes.
    ///
    /// # Errors
    ///
    /// The block is gone, or has other axes.
    pub fn replace_block(&mut self, stmt_ref: &StmtRef, block: Block) -> Result<(), String> {
        let stmt = self.stmt_at(stmt_ref).ok_or("the loop or block is gone")?;
        let StmtKind::Block { values, predicate, .. } = &stmt.kind else {
            return Err("expected a loop, or a block with its values, in the place of a loop".to_owned());
        };
        if values.len() != block.iters.len() {
            let (expected, found) = (values.len(), block.iters.len());
            return Err(format!("expected a block of {expected} axes, found one of {found}"));
        }
        let (values, predicate) = (values.clone(), predicate.clone());
        self.replace(stmt_ref, &StmtKind::Block { values, predicate, block }.into())
    }

    /// Puts another statement in the place of a loop or a block.
    ///
    /// # Errors
    ///
    /// The loop or block is gone.
    pub fn replace(&mut self, stmt_ref: &StmtRef, stmt: &Stmt) -> Result<(), String> {
        let (function, site) = self.site_at(stmt_ref).ok_or("the loop or block is gone")?;
        let body = site.replaced(stmt.clone());
        let changed = PrimFunc { body, ..function.clone() };
        let before = function.clone();
        self.follow_bare(&stmt_ref.function, &before, &changed);
        self.module.insert(stmt_ref.function.clone(), GlobalFunc::from(changed));
        Ok(())
    }
}

fn prims(module: &IRModule) -> impl Iterator<Item = (&Arc<str>, &PrimFunc)> {
    module.iter().filter_map(|(name, _)| Some((name, &**module.prim(name)?)))
}

fn is_loop_or_block(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::For { .. } | StmtKind::Block { .. })
}

/// The blocks directly inside of a block.
fn stages_of(scope: &Site) -> Vec<Site> {
    (0..below(&scope.stmt).len()).filter_map(|at| scope.child(at)).flat_map(|child| blocks_below(&child)).collect()
}

fn shared(a: &[BufferRegion], b: &[BufferRegion]) -> usize {
    a.iter().map(|a| b.iter().filter(|b| a.buffer == b.buffer).count()).sum()
}

/// How many buffers two blocks share in a way.
type Shares = fn(&Block, &Block) -> usize;

/// The dependencies between stages, by their numbers: for each stage those of its reads on earlier writes, then those
/// of its writes on earlier writes, then those of its writes on earlier reads.
fn dependencies_of(stages: &[Site]) -> Vec<(usize, usize, DepKind)> {
    let mut all = Vec::new();
    let blocks: Vec<Option<&Block>> = stages.iter().map(Site::block).collect();
    for (target, block) in blocks.iter().enumerate() {
        let Some(block) = block else { continue };
        let earlier = || blocks.iter().take(target).enumerate().filter_map(|(at, b)| b.map(|b| (at, b)));
        let kinds: [(DepKind, Shares); 3] = [
            (DepKind::ReadAfterWrite, |from, to| shared(&to.reads, &from.writes)),
            (DepKind::WriteAfterWrite, |from, to| shared(&to.writes, &from.writes)),
            (DepKind::WriteAfterRead, |from, to| shared(&to.writes, &from.reads)),
        ];
        for (kind, count) in kinds {
            for (source, from) in earlier() {
                all.extend((0..count(from, block)).map(|_| (source, target, kind)));
            }
        }
    }
    all
}

/// Whether the values of a block's axes are an affine map of the loops around it, each with steps of one.
fn is_affine(function: &PrimFunc, site: &Site) -> bool {
    let (Some((values, predicate)), Some(block)) = (site.binding(), site.block()) else { return false };
    let loops: Vec<(Var, Range)> = site.loops().into_iter().map(|l| (l.var, Range::new(l.min, l.extent))).collect();
    if site.scope().is_none() && loops.is_empty() {
        return block.iters.is_empty();
    }
    if loops.is_empty() {
        return true;
    }
    let vars: Vec<Var> = loops.iter().map(|(var, _)| var.clone()).collect();
    if loops.iter().any(|(_, range)| mentions(range, &vars)) {
        return false;
    }
    let mut known = known_around(function, &site.scope().unwrap_or_else(|| Site::root(&function.body)));
    let found = detect_iter_map(&mut known, values, &loops, predicate, IterMapLevel::Surjective, true).indices;
    let unit = |sum: &tilewright_arith::IterSumExpr| sum.args.first().is_none_or(|arg| arg.scale.as_int() == Some(1));
    found.len() == values.len() && found.iter().all(unit)
}

fn is_pipeline(function: &PrimFunc, scope: &Site) -> bool {
    let stages = stages_of(scope);
    let overwrites = dependencies_of(&stages).iter().any(|(_, _, kind)| *kind == DepKind::WriteAfterRead);
    !overwrites && (0..stages.len()).all(|at| is_covered(function, &stages, at))
}

/// How many steps of the paths to two sites are the same, as far as the innermost loop or block around both.
fn shared_depth(a: &Site, b: &Site) -> usize {
    let (left, right) = (path_of(a), path_of(b));
    let same = left.iter().zip(&right).take_while(|(a, b)| a == b).count();
    let around = a.above.iter().take(same + 1).rposition(|(stmt, _)| is_loop_or_block(stmt));
    around.unwrap_or(0)
}

/// Whether the stages before one write all that it reads of their buffers.
fn is_covered(function: &PrimFunc, stages: &[Site], at: usize) -> bool {
    let (Some(consumer), Some(earlier)) = (stages.get(at), stages.get(..at)) else { return true };
    let Some(block) = consumer.block() else { return true };
    let mut depths: Vec<usize> = earlier.iter().map(|producer| shared_depth(consumer, producer)).collect();
    let of_depth = depths.clone();
    depths.sort_unstable();
    depths.dedup();
    block.reads.iter().all(|read| {
        depths.iter().all(|&depth| {
            let producers = earlier.iter().zip(&of_depth).filter(|(_, other)| **other == depth).map(|(site, _)| site);
            let writers: Vec<&Site> = producers.filter(|site| writes(site, &read.buffer)).collect();
            writers.is_empty() || covers(function, depth, &writers, consumer, read)
        })
    })
}

fn writes(site: &Site, buffer: &Buffer) -> bool {
    site.block().is_some_and(|block| block.writes.iter().any(|write| write.buffer == *buffer))
}

/// Whether the writers, in one iteration of the loops around all of them, write what the consumer reads.
fn covers(function: &PrimFunc, depth: usize, writers: &[&Site], consumer: &Site, read: &BufferRegion) -> bool {
    let (Some(above), Some((shared, _))) = (consumer.above.get(..depth), consumer.above.get(depth)) else {
        return false;
    };
    let shared = Site { above: above.to_vec(), stmt: shared.clone() };
    let mut known = match shared.child(consumer.above.get(depth).map_or(0, |(_, at)| *at)) {
        Some(inside) => known_around(function, &inside),
        None => return false,
    };
    let Some((region, loops)) = unbound(&shared, consumer, &read.region) else { return false };
    let Some((_, predicate)) = consumer.binding() else { return false };
    let needed = estimate_region_upper_bound(&mut known, &region, &loops, predicate);
    let mut boxes: Vec<Vec<(Expr, Expr)>> = Vec::new();
    for writer in writers {
        let (Some(block), Some((_, predicate))) = (writer.block(), writer.binding()) else { continue };
        for write in block.writes.iter().filter(|write| write.buffer == read.buffer) {
            let Some((region, loops)) = unbound(&shared, writer, &write.region) else { continue };
            let sets = estimate_region_strict_bound(&mut known, &region, &loops, predicate);
            boxes.extend(sets.and_then(|sets| sets.iter().map(ends).collect::<Option<Vec<_>>>()));
        }
    }
    let needed: Option<Vec<(Expr, Expr)>> =
        needed.iter().zip(&read.buffer.shape).map(|(set, extent)| within(&known, set, extent)).collect();
    let Some(needed) = needed else { return false };
    while let Some(joined) = joined(&known, &boxes) {
        boxes = joined;
    }
    boxes.iter().any(|given| is_inside(&known, &needed, given))
}

/// A region over loops, and the loops.
type OverLoops = (Vec<Range>, Vec<(Var, Range)>);

/// A region of a block's axes as one of the loops around the block, with those of them that are inside of a site.
fn unbound(shared: &Site, site: &Site, region: &[Range]) -> Option<OverLoops> {
    let (block, (values, _)) = (site.block()?, site.binding()?);
    let axes = axis_values(block, values);
    let inner = Site { above: site.above.get(..=shared.above.len())?.to_vec(), stmt: site.stmt.clone() };
    Some((region.iter().map(|range| substituted(range, &axes)).collect(), loops_to(&inner, site)))
}

/// The first and the last element of an interval.
fn ends(set: &IntSet) -> Option<(Expr, Expr)> {
    Some((set.min_value()?.clone(), set.max_value()?.clone()))
}

/// The part of a set that lies in a buffer's dimension.
fn within(known: &Analyzer, set: &IntSet, extent: &Expr) -> Option<(Expr, Expr)> {
    let (first, last) = (Expr::int(0, extent.dtype), extent - 1);
    let at_least = |value: &Expr, bound: &Expr| known.decide(CmpOp::Ge, value, bound) == Some(true);
    let min = set.min_value().filter(|min| at_least(min, &first)).cloned().unwrap_or(first.clone());
    let max = set.max_value().filter(|max| at_least(&last, max)).cloned().unwrap_or(last.clone());
    Some((min, max))
}

fn is_inside(known: &Analyzer, inner: &[(Expr, Expr)], outer: &[(Expr, Expr)]) -> bool {
    let at_least = |a: &Expr, b: &Expr| known.decide(CmpOp::Ge, a, b) == Some(true);
    inner.len() == outer.len() && inner.iter().zip(outer).all(|(i, o)| at_least(&i.0, &o.0) && at_least(&o.1, &i.1))
}

/// The boxes with two of them joined that are the same in all dimensions but one, in which they have no gap between
/// them.
fn joined(known: &Analyzer, boxes: &[Vec<(Expr, Expr)>]) -> Option<Vec<Vec<(Expr, Expr)>>> {
    let equal = |a: &(Expr, Expr), b: &(Expr, Expr)| known.prove_equal(&a.0, &b.0) && known.prove_equal(&a.1, &b.1);
    let at_least = |a: &Expr, b: &Expr| known.decide(CmpOp::Ge, a, b) == Some(true);
    for (i, a) in boxes.iter().enumerate() {
        for (j, b) in boxes.iter().enumerate().filter(|(j, _)| *j != i) {
            let differing: Vec<usize> =
                a.iter().zip(b).enumerate().filter(|(_, (a, b))| !equal(a, b)).map(|(dim, _)| dim).collect();
            let [dim] = differing.as_slice() else { continue };
            let (Some(low), Some(high)) = (a.get(*dim), b.get(*dim)) else { continue };
            if at_least(&high.0, &low.0) && at_least(&(&low.1 + 1), &high.0) && at_least(&high.1, &low.1) {
                let mut whole = a.clone();
                if let Some(range) = whole.get_mut(*dim) {
                    range.1 = high.1.clone();
                }
                let rest = boxes.iter().enumerate().filter(|(at, _)| *at != i && *at != j).map(|(_, other)| other);
                return Some(rest.cloned().chain([whole]).collect());
            }
        }
    }
    None
}
