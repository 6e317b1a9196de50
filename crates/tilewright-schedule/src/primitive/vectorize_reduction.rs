//! `vectorize_reduction(block, lanes, accumulators)`: a reduction runs in vectors along its innermost loop.
//!
//! ```text
//! for k in range(n):                             sums[u, l] = 0 for each accumulator and lane
//!     with T.block("sum"):                       for k in range(n / (accumulators * lanes)):
//!         with T.init():                 ─►          sums[u, l] += A[i, (k * accumulators + u) * lanes + l]
//!             B[i] = 0                           sums[0, l] += sums[u, l]; halves of sums[0, :] onto each other
//!         B[i] = B[i] + A[i, k]                  B[i] = sums[0, 0]
//! ```
//!
//! Each accumulator is a vector that depends on no other, so that they hide each other's latency. What becomes one
//! block has the reduction's loops inside. The operation combines values in another order than before: of `+` and `*`
//! on floats that rounds otherwise; `min` and `max` give NaN if there is one in whatever order.
//!
//! Preconditions: the block updates one element, `B[…] = B[…] ⊕ value` with an operation whose operands may come in any
//! order; the loops that drive its reduction are the innermost ones, with bounds that do not depend on each other, and
//! run each instance once; neither the value nor the indices read the buffer. Without an init it goes on from what is
//! there.

use tilewright_arith::Analyzer;
use tilewright_ir::nest::{Loop, same_indices};
use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{BinOp, Block, Buffer, CmpOp, Expr, ForKind, IterKind, Scope, Stmt, StmtKind, Var};
use tilewright_tensor::DataType;

use super::call::{Call, Default, Outcome, Primitive};
use crate::analysis::dependence::{check_affine, has_effects};
use crate::analysis::guard::known_around;
use crate::build::exprs::{binary, compare, mentions, mentions_var, stored, substituted, typed};
use crate::build::loops::{folded, load, store};
use crate::fault::Fault;
use crate::site::{Site, around};
use tilewright_tir_passes::reduction::{is_in, update_of};

pub(crate) const VECTORIZE_REDUCTION: Primitive = Primitive {
    name: "VectorizeReduction",
    method: "vectorize_reduction",
    doc: "Makes the iterations of a reduction the lanes of vector operations.",
    params: &[("block", Default::Required), ("lanes", Default::Required), ("accumulators", Default::Int(4))],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let (lanes, accumulators) = (call.power_of_two(1, "lanes", 64)?, call.power_of_two(2, "accumulators", 64)?);
    let (block, (values, predicate)) = (site.expect_block()?, site.expect_binding()?);
    check_affine(call.function, &site)?;
    let (reduction, outer) = Reduction::of(&site, block, values, predicate)?;
    let tile = Tile::of(reduction.buffer.dtype, lanes, accumulators);
    let body = reduction.in_vectors(&known_around(call.function, &site), &tile)?;
    let is_kept = |iter: &tilewright_ir::tir::IterVar| iter.kind == IterKind::Spatial;
    let kept = block.iters.iter().zip(values).filter(|(iter, _)| is_kept(iter)).map(|(_, value)| value.clone());
    let mut whole = Block {
        iters: block.iters.iter().filter(|iter| is_kept(iter)).cloned().collect(),
        body: reduction.loops.iter().rev().fold(reduction.update.clone(), |body, l| around(l.clone(), body)),
        ..block.clone()
    };
    let found = block_regions(&whole);
    whole = Block {
        reads: found.reads,
        writes: found.writes,
        alloc_buffers: vec![tile.sums.clone(), tile.halves.clone()],
        init: None,
        body,
        ..whole
    };
    let new: Stmt = StmtKind::Block { values: kept.collect(), predicate: predicate.clone(), block: whole }.into();
    call.with_block_for(&site, &outer, new)
}

/// The partial results.
struct Tile {
    lanes: i64,
    accumulators: i64,
    /// Of each accumulator and lane.
    sums: Buffer,
    /// Of each lane, on the way to one value.
    halves: Buffer,
}

impl Tile {
    fn of(dtype: DataType, lanes: i64, accumulators: i64) -> Self {
        let local = |name: &str, shape: Vec<i64>| {
            let shape = shape.into_iter().map(Expr::i64).collect();
            Buffer::new(name, shape, dtype).derive(|node| node.scope = Scope::Local)
        };
        let (sums, halves) = (local("partial", vec![accumulators, lanes]), local("halves", vec![lanes]));
        Self { lanes, accumulators, sums, halves }
    }

    /// The statement for each of the first accumulators and each lane.
    fn each(&self, accumulators: i64, body: impl Fn(&Expr, &Expr) -> Result<Stmt, Fault>) -> Result<Stmt, Fault> {
        let (u, l) = (Var::new("u", DataType::I64), Var::new("l", DataType::I64));
        let body = body(&Expr::var(&u), &Expr::var(&l))?;
        let vector = counted(&l, self.lanes, ForKind::Vectorized, body);
        Ok(counted(&u, accumulators, ForKind::Unrolled, vector))
    }
}

fn counted(var: &Var, count: i64, kind: ForKind, body: Stmt) -> Stmt {
    Stmt::for_loop(var, Expr::int(0, var.dtype), Expr::int(count, var.dtype), kind, body)
}

/// `buffer[indices] = buffer[indices] ⊕ value`, over loops.
struct Reduction {
    /// From outside inwards.
    loops: Vec<Loop>,
    op: BinOp,
    buffer: Buffer,
    indices: Vec<Expr>,
    /// What the element begins with: itself, where the block has no init.
    first: Expr,
    /// In terms of the loops.
    value: Expr,
    /// Under which an iteration takes part, in terms of the loops.
    condition: Option<Expr>,
    /// The block's body in terms of the loops.
    update: Stmt,
}

impl Reduction {
    /// The reduction that a block does, and the site of its outermost loop.
    fn of(site: &Site, block: &Block, values: &[Expr], predicate: &Expr) -> Result<(Self, Site), Fault> {
        let refuse = |message: &str| Fault::at(site, format!("block `{}` {message}", block.name));
        let plain = block.alloc_buffers.is_empty() && block.match_buffers.is_empty() && !has_effects(block);
        let (condition, body) = match &block.body.kind {
            StmtKind::If { condition, then, otherwise: None } => (Some(condition), then),
            _ => (None, &block.body),
        };
        let (StmtKind::Store { buffer, indices, value, predicate: None }, true) = (&body.kind, plain) else {
            return Err(refuse("is no update of one element"));
        };
        let (op, value) =
            update_of(buffer, indices, value).ok_or_else(|| refuse("does not combine an element with a value"))?;
        let first = match block.init.as_ref().map(|init| &init.kind) {
            Some(StmtKind::Store { buffer: begun, indices: at, value, predicate: None })
                if begun == buffer && same_indices(at, indices) && !is_in(buffer, value) =>
            {
                value.clone()
            }
            Some(_) => return Err(refuse("begins another element than it updates")),
            None => typed(Expr::load(buffer, indices.clone()))?,
        };
        let reduced = block.iters.iter().zip(values).filter(|(iter, _)| iter.kind == IterKind::Reduce);
        let reduced: Vec<(Var, Expr)> = reduced.map(|(iter, value)| (iter.var.clone(), value.clone())).collect();
        let axes: Vec<Var> = reduced.iter().map(|(var, _)| var.clone()).collect();
        if condition.is_some_and(|condition| is_in(buffer, condition))
            || block.iters.iter().any(|iter| !matches!(iter.kind, IterKind::Spatial | IterKind::Reduce))
            || mentions(indices, &axes)
            || mentions(&first, &axes)
        {
            return Err(refuse("has axes that are neither spatial nor of the reduction of one element"));
        }
        let (loops, outer) = own_loops(site, &reduced).ok_or_else(|| refuse("has not its reduction innermost"))?;
        let vars: Vec<Var> = loops.iter().map(|l| l.var.clone()).collect();
        let others = block.iters.iter().zip(values).filter(|(iter, _)| iter.kind != IterKind::Reduce);
        if others.map(|(_, value)| value).chain([predicate]).any(|value| mentions(value, &vars)) {
            return Err(refuse("has other axes or conditions that depend on its reduction"));
        }
        let value = substituted(&value, &reduced);
        let update = substituted(&block.body, &reduced);
        let condition = condition.map(|condition| substituted(condition, &reduced));
        let (buffer, indices) = (buffer.clone(), indices.clone());
        Ok((Self { loops, op, buffer, indices, first, value, condition, update }, outer))
    }

    fn combine(&self, a: &Expr, b: &Expr) -> Result<Expr, Fault> {
        binary(self.op, a, b)
    }

    /// The reduction by partial results in vectors.
    fn in_vectors(&self, known: &Analyzer, tile: &Tile) -> Result<Stmt, Fault> {
        let identity = self
            .op
            .identity(self.buffer.dtype)
            .ok_or_else(|| Fault::of_call("the operation has no value that changes nothing"))?;
        let begin = tile.each(tile.accumulators, |u, l| store(&tile.sums, &[u, l], &identity))?;
        let main = self.main(known, tile)?;
        let mut steps = vec![begin, main];
        steps.extend(folded(&tile.sums, &tile.halves, &|a, b| self.combine(a, b))?);
        let zero = Expr::i64(0);
        let total = load(&tile.halves, &[&zero])?;
        let total = if self.first.equal(&identity) { total } else { self.combine(&self.first, &total)? };
        steps.push(stored(&self.buffer, self.indices.clone(), &total)?);
        Ok(Stmt::seq(steps))
    }

    /// All values onto the accumulators.
    fn main(&self, known: &Analyzer, tile: &Tile) -> Result<Stmt, Fault> {
        let Some((inner, outer)) = self.loops.split_last() else { return Err(Fault::of_call("there is no loop")) };
        let dtype = inner.var.dtype;
        let step = tile.lanes * tile.accumulators;
        let block = Var::new(format!("{}_block", inner.var.name), dtype);
        let count = known.simplify(&typed(inner.extent.ceil_div(step))?);
        let rest = binary(BinOp::FloorMod, &inner.extent, &Expr::int(step, dtype))?;
        let exact = known.simplify(&rest).as_int() == Some(0);
        let body = tile.each(tile.accumulators, |u, l| {
            let within = typed((&(u * tile.lanes) + l).cast(dtype))?;
            let at = &(&Expr::var(&block) * step) + &within;
            let here = [(inner.var.clone(), &inner.min + &at)];
            let sum = self.combine(&load(&tile.sums, &[u, l])?, &substituted(&self.value, &here))?;
            let mut update = store(&tile.sums, &[u, l], &sum)?;
            let inside = if exact { None } else { Some(compare(CmpOp::Lt, &at, &inner.extent)?) };
            let own = self.condition.as_ref().map(|condition| substituted(condition, &here));
            for condition in own.into_iter().chain(inside) {
                update = StmtKind::If { condition, then: update, otherwise: None }.into();
            }
            Ok(update)
        })?;
        let blocks = Stmt::for_loop(&block, Expr::int(0, dtype), count, ForKind::Serial, body);
        Ok(outer.iter().rev().fold(blocks, |body, l| around(l.clone(), body)))
    }
}

/// The innermost loops around a block that drive its reduction; and the site of the outermost of them.
fn own_loops(site: &Site, reduced: &[(Var, Expr)]) -> Option<(Vec<Loop>, Site)> {
    let all = site.loops();
    let drives = |l: &Loop| reduced.iter().any(|(_, value)| mentions_var(value, &l.var));
    let count = all.iter().rev().take_while(|l| drives(l)).count();
    let loops = all.get(all.len() - count..)?.to_vec();
    let depth = site.above.len() - count;
    let vars: Vec<Var> = loops.iter().map(|l| l.var.clone()).collect();
    let alone = site.above.iter().skip(depth).all(|(stmt, _)| matches!(stmt.kind, StmtKind::For { .. }));
    let plain = |l: &Loop| l.kind == ForKind::Serial && !mentions(&l.min, &vars) && !mentions(&l.extent, &vars);
    let outside = all.get(..all.len() - count)?;
    if loops.is_empty() || !alone || !loops.iter().all(plain) || outside.iter().any(drives) {
        return None;
    }
    let (above, rest) = site.above.split_at(depth);
    Some((loops, Site { above: above.to_vec(), stmt: rest.first()?.0.clone() }))
}
