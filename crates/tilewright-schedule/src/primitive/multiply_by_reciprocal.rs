//! `multiply_by_reciprocal(block)`: a block that divides by the sums of a softmax, or by square roots of a norm's,
//! multiplies by their reciprocals, each of which is computed once.
//!
//! ```text
//! for i, k in T.grid(N, K):                      for i in range(N):
//!     with T.block("norm"):              ─►          R[i] = 1 / S[i]
//!         Y[i, k] = E[i, k] / S[i]               for i, k in T.grid(N, K):
//!                                                    Y[i, k] = E[i, k] * R[i]
//! ```
//!
//! The result is rounded twice, which is all that changes where a reciprocal neither overflows nor is subnormal. So the
//! primitive takes only sums that are known to be 1 at least: `S[i]` sums `exp(X[i, k] - M[i])`, and `M[i]` is the
//! maximum of the same `X[i, k]`. Where a row has NaN or an infinite maximum, both forms give NaN. Square roots may be
//! of any reduced number: that of the smallest and that of the largest have normal reciprocals, and 0, infinities and
//! NaN give the same both ways.

use tilewright_expr::node::{rewrite, walk};
use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{
    BinOp, Block, Buffer, Expr, ExprKind, Intrinsic, IterKind, IterVar, PrimFunc, Stmt, StmtKind, Var,
};

use super::call::{Call, Default, Outcome, Primitive, Results};
use crate::analysis::guard::known_around;
use crate::analysis::required::{index_vars, outermost_free, spatial_block, written_box};
use crate::analysis::stages::{scope_stages, touches, writes};
use crate::build::exprs::{binary, loaded_buffers, mentions, mentions_var, reads_memory, stored, substituted, typed};
use crate::build::rewrite::{Formula, axes_of, path_of, with_block};
use crate::fault::Fault;
use crate::site::{Site, loop_of};
use tilewright_tir_passes::reduction::{Part, Reducer};

pub(crate) const MULTIPLY_BY_RECIPROCAL: Primitive = Primitive {
    name: "MultiplyByReciprocal",
    method: "multiply_by_reciprocal",
    doc: "Lets a block that divides by the sums of a softmax, or by square roots of reduced numbers, multiply by their reciprocals, computed once each.",
    params: &[("block", Default::Required)],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let formula = Formula::of(&site)?;
    let Division { value: division, dividend, divisor, of, indices } = division(&site, &formula)?;
    let scope = site.expect_scope()?;
    let reciprocal = Buffer::new(format!("{}_reciprocal", of.name), of.shape.clone(), division.dtype);
    let begin = outermost_free(&site, |stmt| written_box(stmt, &of).is_some());
    if begin.above.iter().skip(scope.above.len()).any(|(stmt, _)| loop_of(stmt).is_some()) {
        return Err(Fault::at(&site, format!("the block is in a loop in which `{}` is computed", of.name)));
    }
    let first = reciprocals(call.function, &begin, &of, &divisor, &reciprocal)?;
    let product = binary(BinOp::Mul, &dividend, &typed(Expr::load(&reciprocal, indices))?)?;
    let value = rewrite(&formula.value, |e: &Expr| e.equal(&division).then(|| product.clone()));
    let body = Stmt::store(&formula.buffer, formula.indices.clone(), &value.unwrap_or(product))
        .map_err(|mismatch| Fault::at(&site, mismatch.to_string()))?;
    let function = with_block(call.function, &path_of(&site), |block| {
        block.body = body;
        let found = block_regions(block);
        (block.reads, block.writes) = (found.reads, found.writes);
    })?;
    let begin = begin.again_in(&function.body)?;
    let function = PrimFunc { body: begin.replaced(Stmt::seq([first, begin.stmt.clone()])), ..function };
    let function = with_block(&function, &path_of(&scope), |block| block.alloc_buffers.push(reciprocal))?;
    Ok(Outcome::changed(function, Results::Nothing))
}

/// `dividend / divisor`, where the divisor is computed from one element of a buffer.
struct Division {
    value: Expr,
    dividend: Expr,
    divisor: Expr,
    of: Buffer,
    indices: Vec<Expr>,
}

/// The division of a block whose divisors have reciprocals that are as good.
fn division(site: &Site, formula: &Formula) -> Result<Division, Fault> {
    let mut found = None;
    walk(&formula.value, |e: &Expr| found = found.take().or_else(|| by_square_root(site, e)));
    if let Some(found) = found.filter(|found| found.of != formula.buffer) {
        return Ok(found);
    }
    let ExprKind::Binary(BinOp::Div, dividend, divisor) = &formula.value.kind else {
        return Err(Fault::at(site, "the block does not divide"));
    };
    let ExprKind::Load { buffer: sum, indices, predicate: None } = &divisor.kind else {
        return Err(Fault::at(site, "the block does not divide by an element of a buffer"));
    };
    if sum.dtype.bits < 32 {
        return Err(Fault::at(site, format!("reciprocals of {} may be subnormal", sum.dtype)));
    }
    let stages = scope_stages(site)?;
    let block = stages.iter().position(|stage| path_of(stage) == path_of(site)).unwrap_or(stages.len());
    Softmax { stages, block }
        .check(sum)
        .map_err(|why| Fault::at(site, format!("`{}` is not known to have the sums of a softmax: {why}", sum.name)))?;
    Ok(Division {
        value: formula.value.clone(),
        dividend: dividend.clone(),
        divisor: divisor.clone(),
        of: sum.clone(),
        indices: indices.clone(),
    })
}

/// The division, where it is by the square root of what is computed from one element, which several elements of the
/// block have in common, and which the scope reduces: there are no more reciprocals than results of reductions, and a
/// row that needs such a result needs its reciprocal and no other.
fn by_square_root(site: &Site, value: &Expr) -> Option<Division> {
    let ExprKind::Binary(BinOp::Div, dividend, divisor) = &value.kind else { return None };
    let ExprKind::Call { intrinsic: Intrinsic::Sqrt, args } = &divisor.kind else { return None };
    let load = element_of(args.first()?)?;
    let ExprKind::Load { buffer: of, indices, predicate: None } = &load.kind else { return None };
    let axes: Vec<Var> = site.block()?.iters.iter().filter(|axis| is_wide(axis)).map(|axis| axis.var.clone()).collect();
    let is_shared = axes.iter().any(|axis| !mentions_var(indices, axis));
    let fits = value.dtype.is_float() && matches!(value.dtype.bits, 32 | 64) && value.dtype.is_scalar();
    (fits && is_shared && !indices.iter().any(reads_memory) && is_reduced_before(site, of)).then(|| Division {
        value: value.clone(),
        dividend: dividend.clone(),
        divisor: divisor.clone(),
        of: of.clone(),
        indices: indices.clone(),
    })
}

/// The one load that the value is computed from, with arithmetic on floats that has a result whatever the element is:
/// the block may divide under a condition, under which alone an integer division would have one.
fn element_of(value: &Expr) -> Option<Expr> {
    let (mut found, mut pending): (Option<Expr>, Vec<&Expr>) = (None, vec![value]);
    while let Some(e) = pending.pop() {
        match &e.kind {
            ExprKind::Load { .. } if found.as_ref().is_none_or(|known| known.equal(e)) => found = Some(e.clone()),
            ExprKind::Float(_) => {}
            ExprKind::Cast(of) if e.dtype.is_float() => pending.push(of),
            ExprKind::Binary(op, a, b) if e.dtype.is_float() && has_every_result(*op) => pending.extend([a, b]),
            _ => return None,
        }
    }
    found
}

/// Whether the operator has a result for all floats.
fn has_every_result(op: BinOp) -> bool {
    matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Min | BinOp::Max)
}

/// Whether the block's scope computes the buffer before it, by a reduction or from the results of one.
fn is_reduced_before(site: &Site, buffer: &Buffer) -> bool {
    let mut reduced: Vec<Buffer> = Vec::new();
    let stages = scope_stages(site).unwrap_or_default();
    for stage in stages.iter().take_while(|stage| path_of(stage) != path_of(site)) {
        let Some(block) = stage.block() else { continue };
        let is_reduction = !block.iters.iter().all(is_spatial);
        if is_reduction || loaded_buffers(&block.body).iter().any(|read| reduced.contains(read)) {
            reduced.extend(block.writes.iter().map(|write| write.buffer.clone()));
        }
    }
    reduced.contains(buffer)
}

/// The block that computes the reciprocals of all divisors, each of which is of one element.
fn reciprocals(
    function: &PrimFunc,
    begin: &Site,
    of: &Buffer,
    divisor: &Expr,
    reciprocal: &Buffer,
) -> Result<Stmt, Fault> {
    let mut known = known_around(function, begin);
    spatial_block(&mut known, reciprocal.name.clone(), &index_vars(of), &Expr::bool(true), |indices| {
        let (one, element) = (Expr::number(1, reciprocal.dtype), typed(Expr::load(of, indices.to_vec()))?);
        let here = |e: &Expr| matches!(&e.kind, ExprKind::Load { .. }).then(|| element.clone());
        let divisor = rewrite(divisor, here).unwrap_or_else(|| element.clone());
        stored(reciprocal, indices.to_vec(), &binary(BinOp::Div, &one, &divisor)?)
    })
}

/// The blocks that a softmax may consist of, in their order, and the number of the one that divides.
struct Softmax {
    stages: Vec<Site>,
    block: usize,
}

/// A reduction of one element, over these axes.
struct Reduction<'a> {
    at: usize,
    part: Part,
    axes: Vec<&'a IterVar>,
}

impl Softmax {
    /// Whether the buffer has sums of the exponentials of the differences of numbers and their maximum; else why not.
    fn check(&self, sum: &Buffer) -> Result<(), String> {
        let sums = self.reduction(sum, BinOp::Add)?;
        if !matches!(&sums.part.init.kind, ExprKind::Float(init) if init.0 == 0.0) {
            return Err("they do not begin with 0".to_owned());
        }
        if sums.axes.iter().any(|axis| axis.domain.extent.as_int().is_none_or(|extent| extent < 1)) {
            return Err("they may be of nothing".to_owned());
        }
        let (computed, exponential) = self.element(&sums.part.value)?;
        let ExprKind::Call { intrinsic: Intrinsic::Exp, args } = &exponential.kind else {
            return Err("they are no sums of exponentials".to_owned());
        };
        let difference = args.first().map(|argument| &argument.kind);
        let Some(ExprKind::Binary(BinOp::Sub, number, max)) = difference else {
            return Err("nothing is subtracted in the exponents".to_owned());
        };
        let ExprKind::Load { buffer: max, indices, predicate: None } = &max.kind else {
            return Err("what is subtracted in the exponents is no element of a buffer".to_owned());
        };
        let own: Vec<Var> = sums.axes.iter().map(|axis| axis.var.clone()).collect();
        let maxima = self.reduction(max, BinOp::Max)?;
        let lowest = matches!(&maxima.part.init.kind, ExprKind::Float(init) if init.0 <= f64::from(f32::MIN));
        let same_axes = maxima.axes.len() == own.len()
            && maxima
                .axes
                .iter()
                .zip(&sums.axes)
                .all(|(a, b)| a.domain.min.equal(&b.domain.min) && a.domain.extent.equal(&b.domain.extent));
        if !lowest || !same_axes || indices.iter().any(|index| mentions(index, &own)) {
            return Err(format!("`{}` is not the maximum of what is in the exponents", max.name));
        }
        // Each is there when it is read.
        let order = [Some(maxima.at), computed, Some(sums.at), Some(self.block)];
        if !order.into_iter().flatten().is_sorted_by(|before, after| before < after) {
            return Err("the blocks come in another order".to_owned());
        }
        let block = self.stages.get(maxima.at).and_then(Site::block).ok_or("a block is gone")?;
        let spatial =
            Block { iters: block.iters.iter().filter(|axis| is_spatial(axis)).cloned().collect(), ..block.clone() };
        let mut values = at(&maxima.part.indices, &spatial, indices).ok_or("indices are not axes")?;
        values.extend(maxima.axes.iter().map(|axis| axis.var.clone()).zip(own.iter().map(Expr::var)));
        if !substituted(&maxima.part.value, &values).equal(number) {
            return Err(format!("`{}` is the maximum of other numbers", max.name));
        }
        // What was the largest is so still.
        let mut later = self.stages.iter().skip(maxima.at + 1).filter_map(Site::block);
        let evaluated: Stmt = StmtKind::Evaluate(number.clone()).into();
        match later.find(|block| block.writes.iter().any(|write| touches(&evaluated, &write.buffer))) {
            Some(block) => Err(format!("block `{}` changes what is in the exponents", block.name)),
            None => Ok(()),
        }
    }

    /// The only block that writes the buffer, and where it stands.
    fn writer(&self, buffer: &Buffer) -> Result<(usize, &Site, &Block), String> {
        let mut writers = self.stages.iter().enumerate().filter(|(_, stage)| writes(stage, buffer));
        let (Some((at, site)), None) = (writers.next(), writers.next()) else {
            return Err(format!("`{}` is not written by one block", buffer.name));
        };
        match (site.block(), site.binding()) {
            (Some(block), Some((_, predicate))) if predicate.as_int() == Some(1) => Ok((at, site, block)),
            _ => Err(format!("`{}` is written under a condition", buffer.name)),
        }
    }

    fn reduction(&self, buffer: &Buffer, op: BinOp) -> Result<Reduction<'_>, String> {
        let (at, _, block) = self.writer(buffer)?;
        let mut parts = Reducer::of(block)?.parts;
        let axes = block.iters.iter().filter(|axis| !is_spatial(axis)).collect();
        match (parts.pop(), parts.is_empty()) {
            (Some(part), true) if part.op == Some(op) && part.buffer == *buffer => Ok(Reduction { at, part, axes }),
            _ => Err(format!("`{}` is reduced in another way", buffer.name)),
        }
    }

    /// What an element of a temporary is, by the block that computes it, with its number; another value is itself.
    fn element(&self, value: &Expr) -> Result<(Option<usize>, Expr), String> {
        let ExprKind::Load { buffer, indices, predicate: None } = &value.kind else { return Ok((None, value.clone())) };
        let (number, site, block) = self.writer(buffer)?;
        let formula = Formula::of(site).map_err(|fault| fault.message)?;
        let values = at(&formula.indices, block, indices).ok_or("indices are not axes")?;
        Ok((Some(number), substituted(&formula.value, &values)))
    }
}

fn is_wide(axis: &IterVar) -> bool {
    axis.domain.extent.as_int() != Some(1)
}

fn is_spatial(axis: &IterVar) -> bool {
    axis.kind == IterKind::Spatial
}

/// The values of a block's axes where it stores an element at these indices.
fn at(stored: &[Expr], block: &Block, indices: &[Expr]) -> Option<Vec<(Var, Expr)>> {
    let axes = axes_of(stored, block)?;
    let values = axes.into_iter().zip(indices).filter_map(|(axis, index)| Some((axis?, index.clone())));
    // Axes of one value are nowhere else.
    let mut values: Vec<(Var, Expr)> = values.collect();
    let units = block.iters.iter().filter(|axis| axis.domain.extent.as_int() == Some(1));
    let absent: Vec<(Var, Expr)> = units
        .filter(|axis| values.iter().all(|(var, _)| *var != axis.var))
        .map(|axis| (axis.var.clone(), axis.domain.min.clone()))
        .collect();
    values.extend(absent);
    Some(values)
}
