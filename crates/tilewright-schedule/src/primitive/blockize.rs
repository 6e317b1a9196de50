//! `blockize(target, preserve_unit_iters)`: what is inside of a loop becomes one block, whose instances are the
//! iterations of the loops outside.
//!
//! In `for i_0, i_1 in T.grid(4, 16)` around block `B` with `vi = i_0 * 16 + i_1`, the loop `i_1` becomes block `B_o`
//! with an axis `vi_o = i_0`; inside, `B` has an axis `vi_i = i_1` of extent 16, and says `vi_o * 16 + vi_i` for `vi`.
//! An axis that has one value inside is one of the new block alone. Where loops outside drive a reduction, its init
//! becomes that of the new block: all elements of a tile begin before the first of its updates.

use tilewright_arith::{Analyzer, DividedIter, IterMapLevel, IterMark, IterSource, subspace_divide};
use tilewright_ir::Attrs;
use tilewright_ir::nest::Loop;
use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{BinOp, Block, BufferRegion, Expr, IterKind, IterVar, PrimFunc, Range, Stmt, StmtKind, Var};
use tilewright_support::Origins;

use super::call::{Call, Default, Outcome, Primitive, Results};
use super::decompose_reduction::{init_block, with_own_loops, without_reduction};
use crate::analysis::dependence::driven_axes;
use crate::analysis::guard::{known_around, known_inside};
use crate::build::exprs::{binary, mentions, substituted};
use crate::fault::Fault;
use crate::site::{Key, Site, around, blocks_below, key_at, loop_of};

pub(crate) const BLOCKIZE: Primitive = Primitive {
    name: "Blockize",
    method: "blockize",
    doc: "Makes a block of what is inside of a loop.",
    params: &[("target", Default::Required), ("preserve_unit_iters", Default::Bool(true))],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let made = blockize(call.function, &call.loop_at(0)?, call.flag(1)?)?;
    Ok(Outcome { function: Some(made.function), results: Results::One(made.key), moved: vec![made.moved] })
}

/// The function with a block in place of a loop.
pub(super) struct Blockized {
    pub(super) function: PrimFunc,
    /// The new block's.
    pub(super) key: Key,
    /// Those of the block inside, before and after.
    moved: (Key, Key),
}

/// The block below a loop, as what is inside of the loop and outside of it make it up.
struct Divided<'a> {
    /// The loop that becomes a block.
    at: &'a Site,
    site: &'a Site,
    block: &'a Block,
    /// The loops from the given one inwards.
    inside: Vec<Loop>,
    /// For each axis its value outside, how many values it has inside, and its value inside.
    axes: Vec<(Expr, Expr, Expr, Expr)>,
    outside_condition: Expr,
    inside_condition: Expr,
}

/// Makes a block of what is inside of a loop.
pub(super) fn blockize(function: &PrimFunc, at: &Site, keep_units: bool) -> Result<Blockized, Fault> {
    let site = match blocks_below(at).as_slice() {
        [only] => only.clone(),
        _ => return Err(Fault::at(at, "expected one block inside of the loop")),
    };
    let block = site.expect_block()?;
    let divided = divided(function, at, &site, block)?;
    let made = divided.block(function, keep_units)?;
    let body = at.replaced(made);
    let made = at.again_in(&body)?;
    let inside = made.child(0).and_then(|inside| blocks_below(&inside).first().cloned());
    let moved = key_at(&function.body, &site).zip(inside.and_then(|inside| key_at(&body, &inside)));
    let (key, moved) = key_at(&body, &made).zip(moved).ok_or_else(|| Fault::at(at, "the loop is gone"))?;
    Ok(Blockized { function: PrimFunc { body, ..function.clone() }, key, moved })
}

fn divided<'a>(function: &PrimFunc, at: &'a Site, site: &'a Site, block: &'a Block) -> Result<Divided<'a>, Fault> {
    let (values, predicate) = site.expect_binding()?;
    let between: Option<Vec<Loop>> = site.above.iter().skip(at.above.len()).map(|(stmt, _)| loop_of(stmt)).collect();
    let inside = between.ok_or_else(|| {
        Fault::at(at, format!("something else than loops is between the loop and block `{}`", block.name))
    })?;
    let loops = site.loops();
    let range = |l: &Loop| (l.var.clone(), Range::new(l.min.clone(), l.extent.clone()));
    let iters: Vec<(Var, Range)> = loops.iter().map(range).collect();
    let inner: Vec<Var> = inside.iter().map(|l| l.var.clone()).collect();
    if let Some(l) =
        inside.iter().find(|l| mentions(&l.extent, &loop_vars(&loops)) || mentions(&l.min, &loop_vars(&loops)))
    {
        return Err(Fault::at(at, format!("the bounds of loop `{}` depend on other loops", l.var.name)));
    }
    let refuse = || {
        let message = format!(
            "the axes of block `{}` are no sum of a part outside of the loop and one inside, or a condition mixes both",
            block.name
        );
        Fault::at(site, message)
    };
    let mut known = known_inside(function, &site.scope().unwrap_or_else(|| Site::root(&function.body)));
    let level = IterMapLevel::Surjective;
    let (parts, outside_condition, inside_condition) =
        subspace_divide(&mut known, values, &iters, &inner, predicate, level).ok_or_else(refuse)?;
    let mut axes = Vec::with_capacity(parts.len());
    iters.iter().for_each(|(var, range)| known.bind(var, range));
    for (DividedIter { outer, inner }, value) in parts.iter().zip(values) {
        let expr = |mark: &IterMark| match &mark.source {
            IterSource::Var { var, min } => known.simplify(&(&Expr::var(var) - min)),
            IterSource::Sum(sum) => known.simplify(&sum.to_expr(&known)),
        };
        let (from_outside, size, from_inside) = (expr(outer), known.simplify(&inner.extent), expr(inner));
        let whole = &(&from_outside * &size) + &from_inside;
        if !known.prove_equal(&whole, value) {
            return Err(refuse());
        }
        // The new axis counts from 0.
        let least = known.int_set_over(&from_outside, &iters).min_value().cloned().ok_or_else(refuse)?;
        let from_inside = known.simplify(&(&from_inside + &(&least * &size)));
        let from_outside = known.simplify(&(&from_outside - &least));
        axes.push((from_outside, known.simplify(&outer.extent), size, from_inside));
    }
    Ok(Divided { at, site, block, inside, axes, outside_condition, inside_condition })
}

fn loop_vars(loops: &[Loop]) -> Vec<Var> {
    loops.iter().map(|l| l.var.clone()).collect()
}

/// The axes of the new block with their values, the block inside with its own, and the values of those.
struct Axes {
    iters: Vec<IterVar>,
    values: Vec<Expr>,
    inner: Block,
    inner_values: Vec<Expr>,
}

/// The block without its init, which reads what it updates.
fn updating(block: Block) -> Block {
    let missing = |write: &&BufferRegion| block.reads.iter().all(|read| read.buffer != write.buffer);
    let reads = block.writes.iter().filter(missing).chain(&block.reads).cloned().collect();
    Block { init: None, reads, ..block }
}

impl Divided<'_> {
    /// The instance of the new block.
    fn block(&self, function: &PrimFunc, keep_units: bool) -> Result<Stmt, Fault> {
        let mut known = known_inside(function, self.site);
        let ranges = self.inside.iter().map(|l| (l.var.clone(), Range::new(l.min.clone(), l.extent.clone())));
        ranges.for_each(|(var, range)| known.bind(&var, &range));
        let Axes { iters, values, inner, inner_values } = self.axes_anew(&mut known, keep_units)?;
        let lifts = self.block.init.is_some() && self.reduces_outside();
        let init = if lifts { Some(self.init(function, &inner, &inner_values)?) } else { None };
        let inner = if lifts { updating(inner) } else { inner };
        let predicate = self.inside_condition.clone();
        let inner: Stmt = StmtKind::Block { values: inner_values, predicate, block: inner }.into();
        let body = self.inside.iter().rev().fold(inner, |body, l| around(l.clone(), body));
        let made = Block {
            name: format!("{}_o", self.block.name).into(),
            iters,
            alloc_buffers: Vec::new(),
            match_buffers: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            annotations: Attrs::new(),
            init,
            body,
            origins: Origins::default(),
        };
        let found = block_regions(&made);
        let simple = |range: &Range| Range::new(known.simplify(&range.min), known.simplify(&range.extent));
        let simple = |region: BufferRegion| BufferRegion {
            region: region.region.iter().map(simple).collect(),
            buffer: region.buffer,
        };
        let (reads, writes) = (found.reads.into_iter().map(simple), found.writes.into_iter().map(simple));
        let made = Block { reads: reads.collect(), writes: writes.collect(), ..made };
        Ok(StmtKind::Block { values, predicate: self.outside_condition.clone(), block: made }.into())
    }

    /// Whether a loop outside drives the reduction.
    fn reduces_outside(&self) -> bool {
        let outside = self.site.loops();
        let outside =
            loop_vars(outside.get(..outside.len() - self.inside.len().min(outside.len())).unwrap_or_default());
        let values: Vec<Expr> = self.site.binding().map(|(values, _)| values.to_vec()).unwrap_or_default();
        let driven = driven_axes(self.block, &values, &outside);
        driven.iter().any(|&at| self.block.iters.get(at).is_some_and(|iter| iter.kind != IterKind::Spatial))
    }

    /// The axes of the new block, and the block inside with its own.
    fn axes_anew(&self, known: &mut Analyzer, keep_units: bool) -> Result<Axes, Fault> {
        let (mut iters, mut values) = (Vec::new(), Vec::new());
        let (mut inner_iters, mut inner_values, mut said) = (Vec::new(), Vec::new(), Vec::new());
        for (iter, (value, extent, size, inside)) in self.block.iters.iter().zip(&self.axes) {
            let dtype = iter.var.dtype;
            let mut sum = Expr::int(0, dtype);
            if extent.as_int() != Some(1) || keep_units {
                let var = Var::new(format!("{}_o", iter.var.name), dtype);
                sum = &Expr::var(&var) * &typed_as(size, dtype)?;
                iters.push(IterVar { var, domain: Range::up_to(typed_as(extent, dtype)?), kind: iter.kind });
                values.push(typed_as(value, dtype)?);
            }
            if size.as_int() == Some(1) {
                sum = &sum + &typed_as(inside, dtype)?;
            } else {
                let var = Var::new(format!("{}_i", iter.var.name), dtype);
                sum = &sum + &Expr::var(&var);
                inner_iters.push(IterVar { var, domain: Range::up_to(typed_as(size, dtype)?), kind: iter.kind });
                inner_values.push(typed_as(inside, dtype)?);
            }
            said.push((iter.var.clone(), sum));
        }
        iters.iter().chain(&inner_iters).for_each(|iter| known.bind(&iter.var, &iter.domain));
        let said: Vec<(Var, Expr)> = said.into_iter().map(|(var, sum)| (var, known.simplify(&sum))).collect();
        let inner_values: Vec<Expr> = inner_values.iter().map(|value| known.simplify(value)).collect();
        let inner = Block { iters: inner_iters, ..self.block.clone() };
        let bare: Stmt = StmtKind::Block { values: Vec::new(), predicate: Expr::bool(true), block: inner }.into();
        match substituted(&bare, &said).kind.clone() {
            StmtKind::Block { block: inner, .. } => Ok(Axes { iters, values, inner, inner_values }),
            _ => Err(Fault::at(self.site, "expected a block")),
        }
    }

    /// The init of all elements of a tile, in loops of its own.
    fn init(&self, function: &PrimFunc, inner: &Block, values: &[Expr]) -> Result<Stmt, Fault> {
        let Some(init) = &inner.init else { return Ok(Stmt::nothing()) };
        let drives = |l: &Loop, kind: IterKind| {
            let driven = driven_axes(inner, values, std::slice::from_ref(&l.var));
            driven.iter().any(|&at| inner.iters.get(at).is_some_and(|iter| iter.kind == kind))
        };
        let (reduce, spatial): (Vec<Loop>, Vec<Loop>) =
            self.inside.iter().cloned().partition(|l| drives(l, IterKind::Reduce));
        // Inside of a loop it would be known that the loop has iterations.
        let known = known_around(function, self.at);
        for l in &reduce {
            if drives(l, IterKind::Spatial) {
                let message = format!("loop `{}` drives the reduction and a spatial axis", l.var.name);
                return Err(Fault::at(self.site, message));
            }
        }
        let predicate = without_reduction(function, self.site, &self.inside_condition, &reduce)?;
        let firsts: Vec<(Var, Expr)> = reduce.iter().map(|l| (l.var.clone(), l.min.clone())).collect();
        let at_first = substituted(&self.inside_condition, &firsts);
        let implied = known.simplify(&binary(BinOp::Or, &typed_not(&predicate)?, &at_first)?);
        if implied.as_int() != Some(1) && !known.prove(&at_first) && !predicate.equal(&self.inside_condition) {
            return Err(Fault::at(
                self.site,
                "a condition may leave a tile without the first iteration of its reduction",
            ));
        }
        let start = init_block(inner, init);
        let stays = inner.iters.iter().zip(values).filter(|(iter, _)| iter.kind != IterKind::Reduce);
        let values = stays.map(|(_, value)| value.clone()).collect();
        let start: Stmt = StmtKind::Block { values, predicate, block: start }.into();
        Ok(with_own_loops(&spatial, start))
    }
}

fn typed_as(value: &Expr, dtype: tilewright_tensor::DataType) -> Result<Expr, Fault> {
    crate::build::exprs::typed(value.cast(dtype))
}

fn typed_not(value: &Expr) -> Result<Expr, Fault> {
    crate::build::exprs::typed(value.not())
}
