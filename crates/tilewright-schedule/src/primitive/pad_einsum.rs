//! `pad_einsum(block, padding)`: the extents of a sum of products are filled up to multiples.
//!
//! Every operand is copied to a temporary of full tiles first, padded with zeros; the sums go to a temporary, too,
//! if they have dimensions that were filled up, and what is in range is copied from there. Zeros add nothing only if
//! the term is zero where one of its operands is: every factor must have the axis that is filled up, since zero times
//! infinity is no zero.

use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::nest::{Loop, same_indices};
use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{
    BinOp, Block, Buffer, CmpOp, Expr, ExprKind, Intrinsic, IterKind, IterVar, PrimFunc, Range, Stmt, StmtKind, Var,
};

use super::call::{Call, Default, Outcome, Primitive, Results};
use super::split::plain_loop;
use crate::analysis::dependence::has_effects;
use crate::analysis::guard::known_around;
use crate::analysis::required::{index_vars, spatial_block};
use crate::build::exprs::{binary, compare, stored, typed};
use crate::build::rewrite::{path_of, with_block, with_buffer_in};
use crate::fault::Fault;
use crate::site::{Site, around};
use tilewright_tir_passes::reduction::Reducer;

pub(crate) const PAD_EINSUM: Primitive = Primitive {
    name: "PadEinsum",
    method: "pad_einsum",
    doc: "Fills the extents of a sum of products up to multiples of these numbers.",
    params: &[("block", Default::Required), ("padding", Default::Required)],
    plan: None,
    gives_list: false,
    run,
};

/// A sum of products with a loop for each axis.
struct Einsum<'a> {
    site: &'a Site,
    block: &'a Block,
    /// Where its outermost loop is.
    top: Site,
    loops: Vec<Loop>,
    buffer: Buffer,
    indices: Vec<Expr>,
    term: Expr,
    /// The extents of the axes, filled up.
    extents: Vec<Expr>,
    /// Which axes have become longer.
    longer: Vec<bool>,
}

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let block = site.expect_block()?;
    let sum = einsum(call.function, &site, block, &call.ints(1)?)?;
    sum.check_terms(&sum.term)?;
    let mut known = known_around(call.function, &sum.top);
    let (mut before, mut temporaries, mut body) = (Vec::new(), Vec::new(), block.clone());
    for (buffer, indices) in sum.operands()? {
        let padded = sum.padded(&buffer, &indices)?;
        before.push(sum.filled(&mut known, &buffer, &padded, &indices)?);
        body = with_loads_of(&body, &buffer, &indices, &padded);
        temporaries.push(padded);
    }
    let mut after = None;
    if sum.indices.iter().any(|index| sum.is_longer(index)) {
        let padded = sum.padded(&sum.buffer, &sum.indices)?;
        after = Some(sum.copied_back(&mut known, &padded)?);
        body = with_buffer_in(&body, &sum.buffer, &padded);
        temporaries.push(padded);
    }
    let nest = sum.nest(body)?;
    let stmts = before.into_iter().chain([nest]).chain(after);
    let scope = site.expect_scope()?;
    let function = PrimFunc { body: sum.top.replaced(Stmt::seq(stmts)), ..call.function.clone() };
    let function = with_block(&function, &path_of(&scope), |block| block.alloc_buffers.extend(temporaries))?;
    Ok(Outcome::changed(function, Results::Nothing))
}

fn einsum<'a>(function: &PrimFunc, site: &'a Site, block: &'a Block, padding: &[i64]) -> Result<Einsum<'a>, Fault> {
    let refuse = |what: &str| Fault::at(site, format!("block `{}` {what}", block.name));
    let reducer = Reducer::of(block).map_err(|message| Fault::at(site, message))?;
    let [part] = reducer.parts.as_slice() else { return Err(refuse("does more than one sum")) };
    if part.op != Some(BinOp::Add) || has_effects(block) || !block.alloc_buffers.is_empty() {
        return Err(refuse("is no sum of products"));
    }
    if padding.len() != block.iters.len() {
        let message = format!("has {} axes, found padding for {}", block.iters.len(), padding.len());
        return Err(refuse(&message));
    }
    let (values, predicate) = site.binding().ok_or_else(|| refuse("is not one"))?;
    let plain = "has not a loop for each axis, and nothing else around";
    let depth = site.above.len().checked_sub(block.iters.len()).ok_or_else(|| refuse(plain))?;
    let mut loops = Vec::with_capacity(block.iters.len());
    for at in depth..site.above.len() {
        let (above, rest) = site.above.split_at(at);
        let stmt = rest.first().map(|(stmt, _)| stmt.clone()).ok_or_else(|| refuse(plain))?;
        let (l, _) = plain_loop(&Site { above: above.to_vec(), stmt }).map_err(|_| refuse(plain))?;
        loops.push(l);
    }
    let known = known_around(function, site);
    let whole = |(iter, value): (&IterVar, &Expr)| {
        let own = loops.iter().find(|l| value.as_var() == Some(&l.var));
        own.is_some_and(|l| l.min.as_int() == Some(0) && known.prove_equal(&l.extent, &iter.domain.extent))
            && iter.domain.min.as_int() == Some(0)
    };
    let kinds = |iter: &IterVar| matches!(iter.kind, IterKind::Spatial | IterKind::Reduce);
    if !block.iters.iter().zip(values).all(whole) || !block.iters.iter().all(kinds) || predicate.as_int() != Some(1) {
        return Err(refuse(plain));
    }
    let (mut extents, mut longer) = (Vec::new(), Vec::new());
    for (iter, size) in block.iters.iter().zip(padding) {
        if *size < 1 {
            return Err(refuse(&format!("cannot be filled up to multiples of {size}")));
        }
        let extent = &iter.domain.extent;
        let whole = known.simplify(&(typed(extent.ceil_div(*size))? * *size));
        longer.push(!known.prove_equal(&whole, extent));
        extents.push(if known.prove_equal(&whole, extent) { extent.clone() } else { whole });
    }
    let (above, rest) = site.above.split_at(depth);
    let stmt = rest.first().map_or_else(|| site.stmt.clone(), |(stmt, _)| stmt.clone());
    let top = Site { above: above.to_vec(), stmt };
    let (buffer, indices, term) = (part.buffer.clone(), part.indices.clone(), part.value.clone());
    Ok(Einsum { site, block, top, loops, buffer, indices, term, extents, longer })
}

impl Einsum<'_> {
    /// The number of the axis that an index is.
    fn axis(&self, index: &Expr) -> Option<usize> {
        let var = index.as_var()?;
        self.block.iters.iter().position(|iter| iter.var == *var)
    }

    fn is_longer(&self, index: &Expr) -> bool {
        self.axis(index).is_some_and(|axis| self.longer.get(axis) == Some(&true))
    }

    /// Refuses terms that may not be zero where an axis of the reduction is out of range.
    fn check_terms(&self, term: &Expr) -> Result<(), Fault> {
        for (axis, iter) in self.block.iters.iter().enumerate() {
            if iter.kind == IterKind::Reduce && self.longer.get(axis) == Some(&true) && !self.is_zero(term, axis) {
                let message = format!(
                    "beyond the end of axis `{}` a term of block `{}` is not known to be zero: not every operand has the axis",
                    iter.var.name, self.block.name
                );
                return Err(Fault::at(self.site, message));
            }
        }
        Ok(())
    }

    /// Whether the term is zero where its loads along the axis are.
    fn is_zero(&self, term: &Expr, axis: usize) -> bool {
        match &term.kind {
            ExprKind::Load { indices, .. } => indices.iter().any(|index| self.axis(index) == Some(axis)),
            ExprKind::Cast(value) => self.is_zero(value, axis),
            ExprKind::Binary(BinOp::Mul, a, b) if term.dtype.is_int() => self.is_zero(a, axis) || self.is_zero(b, axis),
            ExprKind::Binary(BinOp::Mul | BinOp::Add | BinOp::Sub, a, b) => {
                self.is_zero(a, axis) && self.is_zero(b, axis)
            }
            _ => false,
        }
    }

    /// The loads along axes that have become longer.
    fn operands(&self) -> Result<Vec<(Buffer, Vec<Expr>)>, Fault> {
        let mut found: Vec<(Buffer, Vec<Expr>)> = Vec::new();
        let mut plain = true;
        let vars: Vec<Var> = self.block.iters.iter().map(|iter| iter.var.clone()).collect();
        let mut see = |buffer: &Buffer, indices: &[Expr]| {
            plain &=
                indices.iter().all(|index| self.axis(index).is_some() || !crate::build::exprs::mentions(index, &vars));
            let known = |(other, at): &(Buffer, Vec<Expr>)| other == buffer && same_indices(at, indices);
            if indices.iter().any(|index| self.is_longer(index)) && !found.iter().any(known) {
                found.push((buffer.clone(), indices.to_vec()));
            }
        };
        walk(&vec![self.term.clone()], |e: &Expr| {
            if let ExprKind::Load { buffer, indices, .. } = &e.kind {
                see(buffer, indices);
            }
        });
        let axes: Vec<usize> = self.indices.iter().filter_map(|index| self.axis(index)).collect();
        let each_once = axes.iter().enumerate().all(|(at, axis)| !axes[..at].contains(axis));
        if !plain || axes.len() != self.indices.len() || !each_once {
            let message = format!("the indices in block `{}` are not its axes", self.block.name);
            return Err(Fault::at(self.site, message));
        }
        Ok(found)
    }

    /// A temporary for a buffer, as long as the axes that index it.
    fn padded(&self, buffer: &Buffer, indices: &[Expr]) -> Result<Buffer, Fault> {
        let extent = |(index, extent): (&Expr, &Expr)| match self.axis(index) {
            Some(axis) if self.is_longer(index) => {
                let padded = self.extents.get(axis).unwrap_or(extent);
                typed(padded.cast(if padded.as_int().is_some() { extent.dtype } else { padded.dtype }))
            }
            _ => Ok(extent.clone()),
        };
        let shape = indices.iter().zip(&buffer.shape).map(extent).collect::<Result<Vec<_>, _>>()?;
        let padded = Buffer::new(format!("{}_pad", buffer.name), shape, buffer.dtype);
        Ok(padded.derive(|node| node.scope = buffer.scope.clone()))
    }

    /// Whether `padded` indices of the temporary are in range, for indices as these.
    fn in_range(&self, indices: &[Expr], padded: &[Expr]) -> Result<Expr, Fault> {
        let mut all = Expr::bool(true);
        for (index, at) in indices.iter().zip(padded) {
            let Some(iter) = self.axis(index).filter(|_| self.is_longer(index)).and_then(|at| self.block.iters.get(at))
            else {
                continue;
            };
            let inside = compare(CmpOp::Lt, at, &iter.domain.extent)?;
            all = if all.as_int() == Some(1) { inside } else { binary(BinOp::And, &all, &inside)? };
        }
        Ok(all)
    }

    /// The block that fills an operand's temporary.
    fn filled(
        &self,
        known: &mut tilewright_arith::Analyzer,
        buffer: &Buffer,
        padded: &Buffer,
        indices: &[Expr],
    ) -> Result<Stmt, Fault> {
        let vars = index_vars(padded);
        spatial_block(known, padded.name.clone(), &vars, &Expr::bool(true), |at| {
            let load = typed(Expr::load(buffer, at.to_vec()))?;
            let zero = Expr::number(0, buffer.dtype);
            let value = typed(Expr::call(Intrinsic::IfThenElse, &[self.in_range(indices, at)?, load, zero]))?;
            stored(padded, at.to_vec(), &value)
        })
    }

    /// The block that copies the sums from their temporary.
    fn copied_back(&self, known: &mut tilewright_arith::Analyzer, padded: &Buffer) -> Result<Stmt, Fault> {
        let mut summed = index_vars(&self.buffer);
        for ((_, extent), index) in summed.iter_mut().zip(&self.indices) {
            if let Some(iter) = self.axis(index).and_then(|axis| self.block.iters.get(axis)) {
                *extent = iter.domain.extent.clone();
            }
        }
        spatial_block(known, padded.name.clone(), &summed, &Expr::bool(true), |at| {
            stored(&self.buffer, at.to_vec(), &typed(Expr::load(padded, at.to_vec()))?)
        })
    }

    /// The nest with the longer loops.
    fn nest(&self, block: Block) -> Result<Stmt, Fault> {
        let (values, predicate) = self.site.expect_binding()?;
        let longer = block.iters.iter().zip(&self.extents);
        let iters =
            longer.map(|(iter, extent)| IterVar { domain: Range::up_to(extent.clone()), ..iter.clone() }).collect();
        let block = Block { iters, ..block };
        let found = block_regions(&block);
        let block = Block { reads: found.reads, writes: found.writes, ..block };
        let inner: Stmt = StmtKind::Block { values: values.to_vec(), predicate: predicate.clone(), block }.into();
        Ok(self.loops.iter().rev().fold(inner, |body, l| {
            let axis = values.iter().position(|value| value.as_var() == Some(&l.var));
            let extent = axis.and_then(|axis| self.extents.get(axis)).unwrap_or(&l.extent).clone();
            around(Loop { extent, ..l.clone() }, body)
        }))
    }
}

/// The block with loads from another buffer at these indices.
fn with_loads_of(block: &Block, from: &Buffer, indices: &[Expr], to: &Buffer) -> Block {
    let load = |e: &Expr| match &e.kind {
        ExprKind::Load { buffer, indices: at, predicate } if buffer == from && same_indices(at, indices) => {
            let load = ExprKind::Load { buffer: to.clone(), indices: at.clone(), predicate: predicate.clone() };
            Some(Expr::raw(e.dtype, load))
        }
        _ => None,
    };
    Block { body: rewrite(&block.body, load).unwrap_or_else(|| block.body.clone()), ..block.clone() }
}
