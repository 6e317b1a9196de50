//! `reverse_compute_inline(block)`: a block that reads one temporary element by element goes away; the block that
//! computes the temporary computes what it does with each element, at once.

use tilewright_expr::node::walk;
use tilewright_ir::tir::{Block, Buffer, BufferRegion, CmpOp, Expr, ExprKind, IterKind, PrimFunc, Stmt, StmtKind, Var};

use super::call::{Call, Default, Outcome, Primitive, Results};
use super::compute_inline::{check_plain_loads, check_temporary};
use crate::analysis::dependence::{check_affine, has_effects};
use crate::analysis::guard::known_around;
use crate::analysis::stages::{stages, touches};
use crate::build::exprs::{mentions, substituted};
use crate::build::rewrite::{Formula, axes_of, path_of, with_block, with_loads_replaced, with_regions_anew, without};
use crate::fault::Fault;
use crate::site::{Site, find, key_at};

pub(crate) const REVERSE_COMPUTE_INLINE: Primitive = Primitive {
    name: "ReverseComputeInline",
    method: "reverse_compute_inline",
    doc: "Removes a block: what it does with each element its producer does at once.",
    params: &[("block", Default::Required)],
    plan: None,
    gives_list: false,
    run,
};

/// What the consumer reads, and from whom.
struct Flow {
    buffer: Buffer,
    producer: Site,
    /// The axis of the consumer that is each index of the buffer; where there is none the index is 0.
    axes: Vec<Option<Var>>,
}

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let formula = Formula::of(&site)?;
    let scope = site.expect_scope()?;
    let (block, around) = (site.expect_block()?, scope.expect_block()?);
    if has_effects(block) {
        return Err(Fault::at(&site, format!("block `{}` calls a function with effects of its own", block.name)));
    }
    let flow = flow_into(&site, block, around, &formula)?;
    check_temporary(&site, around, &flow.buffer)?;
    check_plain_loads(&scope, &flow.buffer)?;
    check_whole(call.function, &site, block, &flow)?;
    let made = Formula::of(&flow.producer)?;
    let at = |indices: &[Expr]| -> Option<Vec<(Var, Expr)>> {
        let values = flow.axes.iter().zip(indices).filter_map(|(axis, index)| Some((axis.clone()?, index)));
        values.map(|(var, index)| Some((var.clone(), index.cast(var.dtype).ok()?))).collect()
    };
    let values = at(&made.indices).ok_or_else(|| Fault::at(&flow.producer, "the indices have no common type"))?;
    let value = substituted(&formula.value, &values);
    let value_stmt: Stmt = StmtKind::Evaluate(value).into();
    let value_stmt = with_loads_replaced(&value_stmt, &flow.buffer, &|_| Some(made.value.clone()));
    let StmtKind::Evaluate(value) = &value_stmt.kind else { return Err(Fault::at(&site, "expected a value")) };
    let indices = formula.indices.iter().map(|index| substituted(index, &values)).collect();
    let store =
        Stmt::store(&formula.buffer, indices, value).map_err(|mismatch| Fault::at(&site, mismatch.to_string()))?;
    let producer =
        key_at(&call.function.body, &flow.producer).ok_or_else(|| Fault::at(&site, "the producer is gone"))?;
    let (scope_path, buffer) = (path_of(&scope), flow.buffer);
    let function = PrimFunc { body: without(&site), ..call.function.clone() };
    let producer = find(&function.body, &producer).ok_or_else(|| Fault::of_call("the producer is gone"))?;
    let function = with_block(&function, &path_of(&producer), |block| block.body = store)?;
    let function = with_block(&function, &scope_path, |block| block.alloc_buffers.retain(|known| *known != buffer))?;
    let producer = producer.again_in(&function.body)?;
    let everything = |_: &BufferRegion| true;
    let anew = with_regions_anew(&producer.stmt, &|_: &Block| true, &everything);
    Ok(Outcome::changed(PrimFunc { body: producer.replaced(anew), ..function }, Results::Nothing))
}

/// The one buffer that the consumer reads at its own axes and that another stage writes.
fn flow_into(site: &Site, block: &Block, around: &Block, formula: &Formula) -> Result<Flow, Fault> {
    let (before, _, after) = stages(site)?;
    let writes = |stage: &Site, buffer: &Buffer| {
        stage.block().is_some_and(|other| other.writes.iter().any(|write| write.buffer.data == buffer.data))
    };
    let mut candidates =
        block.reads.iter().map(|read| read.buffer.clone()).filter(|buffer| around.alloc_buffers.contains(buffer));
    let found = candidates.find_map(|buffer| {
        let writers: Vec<&Site> = before.iter().filter(|stage| writes(stage, &buffer)).collect();
        let axes = read_axes(&formula.value, &buffer, block)?;
        let [producer] = writers.as_slice() else { return None };
        Formula::of(producer).ok().map(|_| Flow { buffer, producer: (*producer).clone(), axes })
    });
    let message =
        "expected to read, at its own axes, each once, a temporary that one block without a reduction computes";
    let flow = found.ok_or_else(|| Fault::at(site, message))?;
    let producer = path_of(&flow.producer);
    let between: Vec<&Site> = before.iter().filter(|stage| path_of(stage) >= producer).collect();
    if let Some(other) =
        before.iter().chain(&after).find(|stage| path_of(stage) != producer && touches(&stage.stmt, &flow.buffer))
    {
        return Err(Fault::at(other, format!("`{}` is used by another block, too", flow.buffer.name)));
    }
    for read in block.reads.iter().filter(|read| read.buffer != flow.buffer) {
        if let Some(other) = between.iter().find(|stage| writes(stage, &read.buffer)) {
            return Err(Fault::at(other, format!("`{}` is written after the element is computed", read.buffer.name)));
        }
    }
    if let Some(other) = between.iter().find(|stage| touches(&stage.stmt, &formula.buffer)) {
        return Err(Fault::at(other, format!("`{}` is used before the block writes it", formula.buffer.name)));
    }
    Ok(flow)
}

/// The axes at which every load of the buffer reads it, if these are all of the block's, each once.
fn read_axes(value: &Expr, buffer: &Buffer, block: &Block) -> Option<Vec<Option<Var>>> {
    let mut all: Vec<Vec<Expr>> = Vec::new();
    walk(value, |e: &Expr| {
        if let ExprKind::Load { buffer: loaded, indices, .. } = &e.kind
            && loaded == buffer
        {
            all.push(indices.clone());
        }
    });
    let first = all.first()?;
    let alike = all.iter().all(|other| other.iter().zip(first).all(|(a, b)| a.equal(b)));
    axes_of(first, block).filter(|_| alike)
}

/// The consumer takes every element that the producer makes, and no instance of either runs under a condition that the
/// other does not have.
fn check_whole(function: &PrimFunc, site: &Site, block: &Block, flow: &Flow) -> Result<(), Fault> {
    let known = known_around(function, site);
    let predicate = site.binding().map(|(_, predicate)| predicate.clone());
    if predicate.is_none_or(|predicate| predicate.as_int() != Some(1)) {
        return Err(Fault::at(site, format!("block `{}` runs under a condition", block.name)));
    }
    check_affine(function, site)?;
    let covers = flow.axes.iter().zip(&flow.buffer.shape).all(|(axis, extent)| match axis {
        Some(axis) => block.iters.iter().any(|iter| {
            iter.var == *axis
                && iter.kind == IterKind::Spatial
                && iter.domain.min.as_int() == Some(0)
                && known.decide(CmpOp::Eq, &iter.domain.extent, extent) == Some(true)
        }),
        None => extent.as_int() == Some(1),
    });
    let others: Vec<Var> = block
        .iters
        .iter()
        .map(|iter| iter.var.clone())
        .filter(|var| !flow.axes.iter().flatten().any(|axis| axis == var))
        .collect();
    if !covers || mentions(&block.body, &others) {
        return Err(Fault::at(
            site,
            format!("block `{}` does not take each element of `{}` once", block.name, flow.buffer.name),
        ));
    }
    Ok(())
}
