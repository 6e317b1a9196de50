//! Epilogues: what follows a contraction, or another reduction, and is computed on its finished tiles.

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_ir::nest::same_indices;
use tilewright_ir::tir::{Block, Buffer, Expr, ExprKind, PrimFunc, Stmt, StmtKind, Var};

use crate::analysis::dependence::has_effects;
use crate::analysis::guard::known_around;
use crate::analysis::stages::own_nest;
use crate::build::exprs::{substituted, typed};
use crate::build::loops::check_own_loops;
use crate::build::rewrite::{Formula, with_loads_replaced};
use crate::fault::Fault;
use crate::site::Site;

/// Nodes of the formula of a function of floats, such as `exp`.
const FUNCTION_NODES: usize = 60;

/// The results of a reduction that is alone in its nest.
pub(crate) struct Produced<'a> {
    pub(crate) out: &'a Buffer,
    /// Over the reduction's axes.
    pub(crate) indices: &'a [Expr],
    /// What is read for them.
    pub(crate) read: Vec<&'a Expr>,
    /// Whether the results are needed as they are, even if they are a temporary.
    pub(crate) stays: bool,
}

/// A buffer that is written from finished sums.
pub(crate) struct Output {
    pub(crate) buffer: Buffer,
    /// Over the axes of the reduction.
    pub(crate) indices: Vec<Expr>,
    /// Over the axes of the reduction and the sum.
    pub(crate) value: Expr,
}

/// Everything that is written of a reduction.
pub(crate) struct Outputs {
    /// The variable of a finished sum.
    pub(crate) sum: Var,
    pub(crate) all: Vec<Output>,
}

impl Outputs {
    /// Whether sums are written as they are to one buffer, which can then hold partial ones.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.all.as_slice(), [only] if only.value.as_var() == Some(&self.sum))
    }

    /// The nodes of all values; those of functions such as `exp` count as many as their formulas have.
    pub(crate) fn nodes(&self) -> usize {
        let mut nodes = 0_usize;
        for output in &self.all {
            walk(&output.value, |e: &Expr| {
                nodes += match &e.kind {
                    ExprKind::Call { intrinsic, .. } if intrinsic.is_of_floats() => FUNCTION_NODES,
                    _ => 1,
                };
            });
        }
        nodes
    }

    /// Whether something is computed from what it is written over.
    pub(crate) fn reads_own(&self) -> bool {
        self.all.iter().any(|output| !reads_only(&output.value, output, false))
    }
}

/// What is written of the reduction and by the blocks after it.
pub(crate) fn outputs(
    function: &PrimFunc,
    site: &Site,
    scope: &Site,
    produced: &Produced<'_>,
    after: &[Site],
) -> Result<Outputs, Fault> {
    let around = scope.expect_block()?;
    let sum = Var::new("sum", produced.out.dtype);
    let mut all = Vec::new();
    if produced.stays || !around.alloc_buffers.contains(produced.out) {
        let value = Expr::var(&sum);
        all.push(Output { buffer: produced.out.clone(), indices: produced.indices.to_vec(), value });
    }
    for stage in after {
        let output = output_of(function, stage, produced, &sum)?;
        if around.alloc_buffers.contains(&output.buffer) {
            return Err(Fault::at(stage, format!("`{}` is a temporary: compute it inline", output.buffer.name)));
        }
        all.push(output);
    }
    if all.is_empty() {
        return Err(Fault::at(site, "nothing is written"));
    }
    for (number, output) in all.iter().enumerate() {
        let others = all.iter().enumerate().filter(|(at, _)| *at != number).map(|(_, other)| other);
        for other in others {
            if other.buffer.data == output.buffer.data {
                return Err(Fault::at(site, format!("`{}` is written twice", other.buffer.name)));
            }
        }
        for reader in all.iter() {
            let mut plain = produced.read.iter().copied().chain(produced.indices).chain(&reader.indices);
            let is_read = plain.any(|read| !reads_only(read, output, false));
            if is_read || !reads_only(&reader.value, output, std::ptr::eq(reader, output)) {
                return Err(Fault::at(site, format!("`{}` is read, too", output.buffer.name)));
            }
        }
    }
    Ok(Outputs { sum, all })
}

/// Whether the value reads nothing of the memory that the output writes, or only the element that is written.
fn reads_only(value: &Expr, output: &Output, own: bool) -> bool {
    let mut fine = true;
    walk(value, |e: &Expr| {
        if let ExprKind::Load { buffer, indices, .. } = &e.kind
            && buffer.data == output.buffer.data
        {
            fine &= own && same_indices(indices, &output.indices) && *buffer == output.buffer;
        }
    });
    fine
}

/// The formula of a block that reads the results element by element, over the reduction's axes.
fn output_of(function: &PrimFunc, stage: &Site, produced: &Produced<'_>, sum: &Var) -> Result<Output, Fault> {
    let formula = Formula::of(stage)?;
    let block = stage.expect_block()?;
    let known = known_around(function, stage);
    check_whole(&known, stage, block)?;
    let message = || format!("block `{}` does not read each sum once, at its own axes", block.name);
    let values = axes_at_sums(&known, block, &formula, produced).ok_or_else(|| Fault::at(stage, message()))?;
    let value: Stmt = StmtKind::Evaluate(substituted(&formula.value, &values)).into();
    let replaced = with_loads_replaced(&value, produced.out, &|_| Some(Expr::var(sum)));
    let StmtKind::Evaluate(value) = &replaced.kind else { return Err(Fault::at(stage, message())) };
    let indices = formula.indices.iter().map(|index| substituted(index, &values)).collect();
    Ok(Output { buffer: formula.buffer, indices, value: value.clone() })
}

/// The block, alone in its nest, runs under no condition, once for all values of its axes, and does nothing but
/// compute.
pub(crate) fn check_whole(known: &Analyzer, stage: &Site, block: &Block) -> Result<(), Fault> {
    let binding = stage.expect_binding()?;
    own_nest(stage)?;
    if has_effects(block) {
        return Err(Fault::at(stage, format!("block `{}` calls a function with effects of its own", block.name)));
    }
    check_own_loops(known, &stage.loops(), block, binding).map_err(|message| Fault::at(stage, message))
}

/// The block's axes, over those of the reduction, where the block handles a sum.
fn axes_at_sums(
    known: &Analyzer,
    block: &Block,
    formula: &Formula,
    produced: &Produced<'_>,
) -> Option<Vec<(Var, Expr)>> {
    let mut loads: Vec<Vec<Expr>> = Vec::new();
    walk(&formula.value, |e: &Expr| {
        if let ExprKind::Load { buffer, indices, .. } = &e.kind
            && buffer == produced.out
        {
            loads.push(indices.clone());
        }
    });
    let first = loads.first()?;
    let alike = loads.iter().all(|other| other.iter().zip(first).all(|(a, b)| a.equal(b)));
    if !alike {
        return None;
    }
    let mut values: Vec<(Var, Expr)> = Vec::new();
    for ((index, own), extent) in first.iter().zip(produced.indices).zip(&produced.out.shape) {
        match index.as_var() {
            Some(var) if values.iter().all(|(known, _)| known != var) => {
                let iter = block.iters.iter().find(|iter| iter.var == *var)?;
                if !known.prove_equal(&iter.domain.extent, extent) {
                    return None;
                }
                values.push((var.clone(), typed(own.cast(var.dtype)).ok()?));
            }
            _ if index.as_int() == Some(0) && extent.as_int() == Some(1) => {}
            _ => return None,
        }
    }
    for iter in &block.iters {
        if values.iter().any(|(var, _)| *var == iter.var) {
            continue;
        }
        if iter.domain.extent.as_int() != Some(1) {
            return None;
        }
        values.push((iter.var.clone(), Expr::int(0, iter.var.dtype)));
    }
    Some(values)
}
