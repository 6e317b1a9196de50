//! `rfactor(loop, factor_axis)`: a reduction becomes two. The iterations of one of its loops are reduced each for
//! itself, into a temporary that has a dimension more (`factor_axis` says which); then these parts are reduced.
//!
//! `C[i] += A[i, k_0 * 4 + k_1]` becomes `C_rf[k_1, i] += A[i, k_0 * 4 + k_1]` and `C[i] += C_rf[k_1, i]`. Every part
//! begins with what changes nothing when it is combined, also a part that conditions leave without an iteration. The
//! result is that of another order of the reduction: sums of floats are regrouped.

use tilewright_ir::nest::Loop;
use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{
    BinOp, Block, Buffer, CmpOp, Expr, ExprKind, ForKind, Intrinsic, IterKind, IterVar, PrimFunc, Range, Stmt,
    StmtKind, Var,
};
use tilewright_support::Set;

use super::call::{Call, Default, Outcome, Primitive, Results};
use super::decompose_reduction::without_reduction;
use super::split::plain_loop;
use crate::analysis::dependence::{check_affine, driven_axes, has_effects};
use crate::analysis::guard::known_around;
use crate::build::exprs::{binary, compare, mentions, mentions_var, stored, substituted, typed};
use crate::build::rewrite::{path_of, with_block};
use crate::build::unique::renewed_axes;
use crate::fault::Fault;
use crate::site::{Key, Site, around, blocks_below, loop_of};
use tilewright_tir_passes::reduction::{Part, Reducer};

pub(crate) const RFACTOR: Primitive = Primitive {
    name: "RFactor",
    method: "rfactor",
    doc: "Reduces the iterations of a loop each for itself, into a temporary, and then these.",
    params: &[("loop", Default::Required), ("factor_axis", Default::Int(0))],
    plan: None,
    gives_list: false,
    run,
};

/// The reduction that is factored.
struct Reduction<'a> {
    site: &'a Site,
    block: &'a Block,
    values: &'a [Expr],
    /// The loop whose iterations become parts.
    over: Loop,
    /// The loops around the block and nothing else, from outside inwards.
    nest: Vec<Loop>,
    reducer: Reducer,
}

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let at = call.loop_at(0)?;
    let site = match blocks_below(&at).as_slice() {
        [only] => only.clone(),
        _ => return Err(Fault::at(&at, "expected one block inside of the loop")),
    };
    let reduction = reduction(call.function, &at, &site)?;
    let dims = part_dims(&reduction, call.int(1)?)?;
    let temporaries = temporaries(&reduction, &dims)?;
    let conditions = Conditions::of(call.function, &reduction)?;
    let parts = parts_nest(&reduction, &temporaries, &dims, &conditions)?;
    let (whole, moved) = whole_nest(&reduction, &temporaries, &dims, &conditions)?;
    let (parts, key) = parts;
    let top = nest_site(&site, reduction.nest.len()).ok_or_else(|| Fault::at(&site, "the loops are gone"))?;
    let scope = site.expect_scope()?;
    let function = PrimFunc { body: top.replaced(Stmt::seq([parts, whole])), ..call.function.clone() };
    let function = with_block(&function, &path_of(&scope), |block| block.alloc_buffers.extend(temporaries))?;
    Ok(Outcome { function: Some(function), results: Results::One(key), moved: moved.into_iter().collect() })
}

/// The outermost of the `depth` loops directly around a block.
fn nest_site(site: &Site, depth: usize) -> Option<Site> {
    let at = site.above.len().checked_sub(depth)?;
    let (above, rest) = site.above.split_at(at);
    Some(Site { above: above.to_vec(), stmt: rest.first()?.0.clone() })
}

/// The reduction, if its iterations of this loop may be reduced each for itself.
fn reduction<'a>(function: &PrimFunc, at: &Site, site: &'a Site) -> Result<Reduction<'a>, Fault> {
    let (block, (values, _)) = (site.expect_block()?, site.expect_binding()?);
    if has_effects(block) || !block.alloc_buffers.is_empty() || !block.match_buffers.is_empty() {
        return Err(Fault::at(site, format!("block `{}` does more than a reduction", block.name)));
    }
    check_affine(function, site)?;
    let (over, _) = plain_loop(at)?;
    let around_block = site.above.iter().rev().map_while(|(stmt, _)| loop_of(stmt));
    let mut nest: Vec<Loop> = around_block.collect();
    nest.reverse();
    if !nest.iter().any(|l| l.var == over.var) {
        return Err(Fault::at(at, format!("something else than loops is between the loop and block `{}`", block.name)));
    }
    let reducer = Reducer::going_on(block).map_err(|message| Fault::at(site, message))?;
    let found = Reduction { site, block, values, over, nest, reducer };
    found.check_loops(at)?;
    Ok(found)
}

impl Reduction<'_> {
    fn drives(&self, l: &Loop, kind: IterKind) -> bool {
        let driven = driven_axes(self.block, self.values, std::slice::from_ref(&l.var));
        driven.into_iter().any(|at| self.block.iters.get(at).is_some_and(|iter| iter.kind == kind))
    }

    fn reduces(&self, l: &Loop) -> bool {
        self.drives(l, IterKind::Reduce)
    }

    /// The loops of the reduction other than the one whose iterations become parts.
    fn others(&self) -> Vec<Loop> {
        self.nest.iter().filter(|l| l.var != self.over.var && self.reduces(l)).cloned().collect()
    }

    fn check_loops(&self, at: &Site) -> Result<(), Fault> {
        let (name, block) = (&self.over.var.name, &self.block.name);
        if let Some(iter) = self.block.iters.iter().find(|i| !matches!(i.kind, IterKind::Spatial | IterKind::Reduce)) {
            let message = format!("axis `{}` of block `{block}` is neither spatial nor of a reduction", iter.var.name);
            return Err(Fault::at(self.site, message));
        }
        if !self.reduces(&self.over) {
            return Err(Fault::at(at, format!("loop `{name}` drives no reduction of block `{block}`")));
        }
        let outside = self.site.loops();
        let outside = outside.iter().take(outside.len().saturating_sub(self.nest.len()));
        if let Some(l) = outside.clone().find(|l| self.reduces(l)) {
            let message =
                format!("loop `{}` drives the reduction, and has more than block `{block}` inside", l.var.name);
            return Err(Fault::at(self.site, message));
        }
        let vars: Vec<Var> = self.nest.iter().map(|l| l.var.clone()).collect();
        for l in &self.nest {
            if self.reduces(l) && self.drives(l, IterKind::Spatial) {
                let message =
                    format!("loop `{}` drives the reduction and a spatial axis of block `{block}`", l.var.name);
                return Err(Fault::at(at, message));
            }
            if mentions(&l.min, &vars) || mentions(&l.extent, &vars) {
                return Err(Fault::at(at, format!("the bounds of loop `{}` depend on a loop of the nest", l.var.name)));
            }
        }
        let outside: Vec<Var> = outside.map(|l| l.var.clone()).collect();
        if mentions(&self.over.extent, &outside) || mentions(&self.over.min, &outside) {
            return Err(Fault::at(at, format!("the bounds of loop `{name}` depend on a loop around it")));
        }
        Ok(())
    }
}

/// Where in the elements' indices the number of the part stands, for each part of the reduction.
fn part_dims(reduction: &Reduction<'_>, axis: i64) -> Result<Vec<usize>, Fault> {
    let dim = |indices: &Vec<Expr>| {
        let rank = indices.len() as i64;
        let dim = if axis < 0 { axis + rank + 1 } else { axis };
        let message = format!("the parts have {} dimensions, found factor axis {axis}", rank + 1);
        usize::try_from(dim).ok().filter(|_| dim <= rank).ok_or_else(|| Fault::at(reduction.site, message))
    };
    reduction.reducer.parts.iter().map(|part| dim(&part.indices)).collect()
}

/// A buffer for the parts of each buffer that is reduced into.
fn temporaries(reduction: &Reduction<'_>, dims: &[usize]) -> Result<Vec<Buffer>, Fault> {
    let temporary = |(part, dim): (&Part, &usize)| {
        let mut shape = part.buffer.shape.clone();
        let extent = &reduction.over.extent;
        let dtype = shape.first().filter(|_| extent.as_int().is_some()).map_or(extent.dtype, |first| first.dtype);
        shape.insert(*dim, typed(extent.cast(dtype))?);
        let buffer = Buffer::new(format!("{}_rf", part.buffer.name), shape, part.buffer.dtype);
        Ok(buffer.derive(|node| node.scope = part.buffer.scope.clone()))
    };
    reduction.reducer.parts.iter().zip(dims).map(temporary).collect()
}

/// A buffer, and the indices of an element.
type Element = (Buffer, Vec<Expr>);

/// The indices of an element of a part.
fn part_indices(indices: &[Expr], dim: usize, axis: &Var, over: &Loop) -> Result<Vec<Expr>, Fault> {
    let number = match over.min.as_int() {
        Some(0) => Expr::var(axis),
        _ => binary(BinOp::Sub, &Expr::var(axis), &over.min)?,
    };
    let mut all = indices.to_vec();
    all.insert(dim.min(all.len()), number);
    Ok(all)
}

/// The block's conditions by where they go.
struct Conditions {
    /// Those without loops of the reduction.
    spatial: Expr,
    /// Those of loops of the reduction.
    reducing: Vec<Expr>,
    /// Whether every part has a first iteration, which begins it.
    begins: bool,
    /// What has to hold for the reduction to begin at all.
    some: Vec<Expr>,
}

impl Conditions {
    fn of(function: &PrimFunc, reduction: &Reduction<'_>) -> Result<Self, Fault> {
        let site = reduction.site;
        let predicate = site.binding().map_or_else(|| Expr::bool(true), |(_, predicate)| predicate.clone());
        let others = reduction.others();
        let all: Vec<Loop> = others.iter().chain([&reduction.over]).cloned().collect();
        let spatial = without_reduction(function, site, &predicate, &all)?;
        let vars: Vec<Var> = all.iter().map(|l| l.var.clone()).collect();
        let reducing: Vec<Expr> = parts_of(&predicate).into_iter().filter(|part| mentions(part, &vars)).collect();
        let top = nest_site(site, reduction.nest.len()).unwrap_or_else(|| site.clone());
        let mut known = known_around(function, &top);
        let at_first = |condition: &Expr, loops: &[Loop]| {
            let firsts: Vec<(Var, Expr)> = loops.iter().map(|l| (l.var.clone(), l.min.clone())).collect();
            substituted(condition, &firsts)
        };
        // A reduction one of whose loops has no iteration is its init, whatever the conditions say.
        let mut is_empty = Vec::new();
        for l in &all {
            let runs = compare(CmpOp::Gt, &l.extent, &Expr::int(0, l.extent.dtype))?;
            if !known.prove(&runs) {
                is_empty.push(compare(CmpOp::Le, &l.extent, &Expr::int(0, l.extent.dtype))?);
                known.assume(&runs);
            }
        }
        // Where one of them does not hold, nobody reads the parts: what follows may take them for granted.
        let mut some = Vec::new();
        for condition in reducing.iter().map(|condition| at_first(condition, &all)) {
            if !known.prove(&condition) {
                let begun = known.simplify(&condition);
                some.push(is_empty.iter().try_fold(begun, |begun, empty| binary(BinOp::Or, &begun, empty))?);
                known.assume(&condition);
            }
        }
        known.bind(&reduction.over.var, &Range::new(reduction.over.min.clone(), reduction.over.extent.clone()));
        let begins = reducing.iter().all(|condition| known.prove(&at_first(condition, &others)));
        Ok(Self { spatial, reducing, begins, some })
    }
}

/// The conditions that hold together where the condition does.
fn parts_of(condition: &Expr) -> Vec<Expr> {
    let (mut found, mut pending) = (Vec::new(), vec![condition.clone()]);
    while let Some(part) = pending.pop() {
        match &part.kind {
            ExprKind::Binary(BinOp::And, a, b) => pending.extend([b.clone(), a.clone()]),
            ExprKind::Int(1) => {}
            _ => found.push(part),
        }
    }
    found
}

fn joined(first: Expr, others: &[Expr]) -> Result<Expr, Fault> {
    others.iter().try_fold(first, |all, one| match all.as_int() {
        Some(1) => Ok(one.clone()),
        _ => binary(BinOp::And, &all, one),
    })
}

/// An axis over the iterations of a loop.
fn axis_of(l: &Loop, kind: IterKind) -> IterVar {
    let domain = Range::new(l.min.clone(), l.extent.clone());
    IterVar { var: Var::new(format!("v{}", l.var.name), l.var.dtype), domain, kind }
}

/// The loops that drive a reduction together with the one whose iterations become parts: what one of them drives is in
/// pieces. With an axis for each.
fn pieces(reduction: &Reduction<'_>) -> Vec<(Loop, IterVar)> {
    let mut together: Vec<Var> = vec![reduction.over.var.clone()];
    let reduce = reduction.block.iters.iter().zip(reduction.values).filter(|(iter, _)| iter.kind == IterKind::Reduce);
    let reduce: Vec<&Expr> = reduce.map(|(_, value)| value).collect();
    loop {
        let before = together.len();
        for value in &reduce {
            if !mentions(*value, &together) {
                continue;
            }
            let vars = reduction.nest.iter().map(|l| &l.var).filter(|var| mentions_var(*value, var));
            let new: Vec<Var> = vars.filter(|var| !together.contains(var)).cloned().collect();
            together.extend(new);
        }
        if together.len() == before {
            break;
        }
    }
    let kind = |l: &Loop| if l.var == reduction.over.var { IterKind::Spatial } else { IterKind::Reduce };
    let all = reduction.nest.iter().filter(|l| together.contains(&l.var));
    all.map(|l| (l.clone(), axis_of(l, kind(l)))).collect()
}

/// The nest that reduces each part, and the key of its block.
fn parts_nest(
    reduction: &Reduction<'_>,
    temporaries: &[Buffer],
    dims: &[usize],
    conditions: &Conditions,
) -> Result<(Stmt, Key), Fault> {
    let Reduction { block, values, over, .. } = reduction;
    let pieces = pieces(reduction);
    let loops: Vec<(Var, Expr)> = pieces.iter().map(|(l, iter)| (l.var.clone(), Expr::var(&iter.var))).collect();
    let of_part = pieces.iter().find(|(l, _)| l.var == over.var);
    let (_, part) = of_part.ok_or_else(|| Fault::at(reduction.site, "the loop is gone"))?;
    let mut axes = vec![(part.clone(), Expr::var(&over.var))];
    let mut in_pieces: Vec<(Var, Expr)> = Vec::new();
    let vars: Vec<Var> = pieces.iter().map(|(l, _)| l.var.clone()).collect();
    for (iter, value) in block.iters.iter().zip(*values) {
        if mentions(value, &vars) {
            in_pieces.push((iter.var.clone(), substituted(value, &loops)));
        } else {
            axes.push((iter.clone(), value.clone()));
        }
    }
    let others = pieces.iter().filter(|(l, _)| l.var != over.var);
    axes.extend(others.map(|(l, iter)| (iter.clone(), Expr::var(&l.var))));
    let old = &reduction.reducer.parts;
    let mut stores = Vec::with_capacity(old.len());
    for ((part_of, dim), buffer) in old.iter().zip(dims).zip(temporaries) {
        stores.push((buffer.clone(), part_indices(&part_of.indices, *dim, &part.var, over)?));
    }
    let condition = match conditions.begins {
        true => None,
        false => Some(substituted(&joined(Expr::bool(true), &conditions.reducing)?, &loops)),
    };
    let (values, iters): (Vec<Expr>, Vec<IterVar>) = axes.into_iter().map(|(iter, value)| (value, iter)).unzip();
    let reduces = iters.iter().any(|iter| iter.kind == IterKind::Reduce);
    let (init, body) = match reduces {
        true => reducing_body(reduction, &stores, condition)?,
        false => (None, single_body(reduction, &stores, condition)?),
    };
    let (body, name) = (substituted(&body, &in_pieces), format!("{}_rf", block.name).into());
    let made = with_regions(Block { name, iters, body, init, ..(*block).clone() });
    // The axes of the block stay with the block that has its name.
    let made = renewed_axes(&made);
    let key = made.iters.first().map(|iter| Key::Block(iter.var.id()));
    let key = key.ok_or_else(|| Fault::at(reduction.site, "expected an axis"))?;
    let predicate = match conditions.begins {
        true => joined(conditions.spatial.clone(), &conditions.reducing)?,
        false => conditions.spatial.clone(),
    };
    let inner: Stmt = StmtKind::Block { values, predicate, block: made }.into();
    Ok((reduction.nest.iter().rev().fold(inner, |body, l| around(l.clone(), body)), key))
}

/// Init and body of a block that reduces a part; where the condition does not hold, an iteration brings nothing.
fn reducing_body(
    reduction: &Reduction<'_>,
    elements: &[Element],
    condition: Option<Expr>,
) -> Result<(Option<Stmt>, Stmt), Fault> {
    let parts = &reduction.reducer.parts;
    let neutral: Vec<Expr> = parts.iter().map(Part::neutral).collect();
    let brought: Vec<Expr> = parts.iter().map(|part| part.value.clone()).collect();
    let then = updates(reduction, elements, &brought)?;
    let body = match condition {
        Some(condition) => StmtKind::If { condition, then, otherwise: None }.into(),
        None => then,
    };
    Ok((Some(all_stored(elements, &neutral)?), body))
}

/// The body of a block whose parts have one iteration each: its value, or where the condition does not hold, nothing.
fn single_body(reduction: &Reduction<'_>, elements: &[Element], condition: Option<Expr>) -> Result<Stmt, Fault> {
    let value = |part: &Part| match &condition {
        Some(condition) => {
            typed(Expr::call(Intrinsic::IfThenElse, &[condition.clone(), part.value.clone(), part.neutral()]))
        }
        None => Ok(part.value.clone()),
    };
    let values = reduction.reducer.parts.iter().map(value).collect::<Result<Vec<_>, _>>()?;
    all_stored(elements, &values)
}

/// The nest that reduces the parts, and where the block's key goes.
fn whole_nest(
    reduction: &Reduction<'_>,
    temporaries: &[Buffer],
    dims: &[usize],
    conditions: &Conditions,
) -> Result<(Stmt, Option<(Key, Key)>), Fault> {
    let Reduction { block, values, over, .. } = reduction;
    let part = axis_of(over, IterKind::Reduce);
    let old = &reduction.reducer.parts;
    let stores: Vec<_> = old.iter().map(|part| (part.buffer.clone(), part.indices.clone())).collect();
    let mut brought = Vec::with_capacity(old.len());
    for ((of, dim), buffer) in old.iter().zip(dims).zip(temporaries) {
        brought.push(typed(Expr::load(buffer, part_indices(&of.indices, *dim, &part.var, over)?))?);
    }
    let body = updates(reduction, &stores, &brought)?;
    let stays = block.iters.iter().zip(*values).filter(|(iter, _)| iter.kind == IterKind::Spatial);
    let stays = stays.map(|(iter, value)| (iter.clone(), value.clone()));
    let axes: Vec<(IterVar, Expr)> = stays.chain([(part, Expr::var(&over.var))]).collect();
    let (iters, values): (Vec<IterVar>, Vec<Expr>) = axes.into_iter().unzip();
    let key = |iters: &[IterVar]| iters.first().map(|iter| Key::Block(iter.var.id()));
    let moved = key(&block.iters).zip(key(&iters)).filter(|(from, to)| from != to);
    let made = with_regions(Block { iters, body, ..(*block).clone() });
    let inner: Stmt = StmtKind::Block { values, predicate: conditions.spatial.clone(), block: made }.into();
    let others: Set<_> = reduction.others().iter().map(|l| l.var.id()).collect();
    let loops = reduction.nest.iter().filter(|l| !others.contains(&l.var.id()));
    let mut nest = loops.rev().fold(inner, |body, l| {
        let var = l.var.renewed();
        let kind = match &l.kind {
            ForKind::ThreadBinding(tag) => ForKind::ThreadBinding(tag.clone()),
            _ => ForKind::Serial,
        };
        let body = substituted(&body, &[(l.var.clone(), Expr::var(&var))]);
        around(Loop { var, kind, ..l.clone() }, body)
    });
    for condition in conditions.some.iter().rev() {
        nest = StmtKind::If { condition: condition.clone(), then: nest, otherwise: None }.into();
    }
    Ok((nest, moved))
}

/// The statements that combine elements with what is brought; several through lets, so that all read what was there.
fn updates(reduction: &Reduction<'_>, elements: &[Element], brought: &[Expr]) -> Result<Stmt, Fault> {
    let load = |(buffer, indices): &Element| typed(Expr::load(buffer, indices.clone()));
    let old = elements.iter().map(load).collect::<Result<Vec<_>, _>>()?;
    let results = reduction.reducer.combined(&old, brought);
    if let [_] = elements {
        return all_stored(elements, &results);
    }
    let vars: Vec<Var> =
        elements.iter().map(|(buffer, _)| Var::new(format!("v_{}", buffer.name), buffer.dtype)).collect();
    let stores = all_stored(elements, &vars.iter().map(Expr::var).collect::<Vec<_>>())?;
    Ok(vars
        .iter()
        .zip(&results)
        .rev()
        .fold(stores, |body, (var, value)| StmtKind::Let { var: var.clone(), value: value.clone(), body }.into()))
}

fn all_stored(elements: &[Element], values: &[Expr]) -> Result<Stmt, Fault> {
    let element = |((buffer, indices), value): (&Element, &Expr)| stored(buffer, indices.clone(), value);
    elements.iter().zip(values).map(element).collect::<Result<Vec<_>, _>>().map(Stmt::seq)
}

/// The block with regions as its body says.
fn with_regions(block: Block) -> Block {
    let found = block_regions(&block);
    Block { reads: found.reads, writes: found.writes, ..block }
}
