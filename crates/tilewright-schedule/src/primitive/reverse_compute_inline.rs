//! `reverse_compute_inline(block)`: a block that reads one temporary element by element goes away; the block that
//! computes the temporary computes what it does with each element, at once.

use tilewright_arith::{IterMapLevel, detect_iter_map, inverse_affine_iter_map};
use tilewright_expr::node::walk;
use tilewright_ir::tir::{
    Block, Buffer, BufferRegion, CmpOp, Expr, ExprKind, IterKind, IterVar, PrimFunc, Range, Stmt, StmtKind, Var,
};
use tilewright_tensor::DataType;

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
    /// The indices at which the consumer reads it.
    read: Vec<Expr>,
}

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let formula = Formula::of(&site)?;
    let scope = site.expect_scope()?;
    let (block, around) = (site.expect_block()?, scope.expect_block()?);
    if has_effects(block) {
        return Err(Fault::at(&site, format!("block `{}` calls a function with effects of its own", block.name)));
    }
    let flow = flow_into(call.function, &site, block, around, &formula)?;
    check_temporary(&site, around, &flow.buffer)?;
    check_plain_loads(&scope, &flow.buffer)?;
    check_whole(call.function, &site, block, &flow)?;
    let made = Formula::of(&flow.producer)?;
    let values = axes_at(call.function, &site, block, &flow.read, &made.indices);
    let values = values.ok_or_else(|| Fault::at(&flow.producer, "the axes do not follow from the indices"))?;
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
fn flow_into(
    function: &PrimFunc,
    site: &Site,
    block: &Block,
    around: &Block,
    formula: &Formula,
) -> Result<Flow, Fault> {
    let (before, _, after) = stages(site)?;
    let writes = |stage: &Site, buffer: &Buffer| {
        stage.block().is_some_and(|other| other.writes.iter().any(|write| write.buffer.data == buffer.data))
    };
    let mut candidates =
        block.reads.iter().map(|read| read.buffer.clone()).filter(|buffer| around.alloc_buffers.contains(buffer));
    let found = candidates.find_map(|buffer| {
        let writers: Vec<&Site> = before.iter().filter(|stage| writes(stage, &buffer)).collect();
        let read = read_indices(&formula.value, &buffer)?;
        axes_at(function, site, block, &read, &read)?;
        let [producer] = writers.as_slice() else { return None };
        Formula::of(producer).ok().map(|_| Flow { buffer, producer: (*producer).clone(), read })
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

/// The indices at which every load of the buffer reads it, if these are the same.
fn read_indices(value: &Expr, buffer: &Buffer) -> Option<Vec<Expr>> {
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
    alike.then(|| first.clone())
}

/// The values of the block's axes where it reads the element at `outputs`, if its indices are the axes, or an affine
/// map that can be inverted.
fn axes_at(
    function: &PrimFunc,
    site: &Site,
    block: &Block,
    read: &[Expr],
    outputs: &[Expr],
) -> Option<Vec<(Var, Expr)>> {
    let cast = |var: &Var, value: &Expr| Some((var.clone(), value.cast(var.dtype).ok()?));
    if let Some(axes) = axes_of(read, block) {
        let own = axes.iter().zip(outputs).filter_map(|(axis, output)| Some((axis.as_ref()?, output)));
        return own.map(|(var, output)| cast(var, output)).collect();
    }
    let mut known = known_around(function, site);
    let iters: Vec<(Var, Range)> = block.iters.iter().map(|iter| (iter.var.clone(), iter.domain.clone())).collect();
    let map = detect_iter_map(&mut known, read, &iters, &Expr::bool(true), IterMapLevel::Bijective, true).indices;
    let found = inverse_affine_iter_map(&known, &map, outputs)?;
    let value_of = |iter: &IterVar| match found.iter().find(|(var, _)| *var == iter.var) {
        Some((var, value)) => cast(var, value),
        None => (iter.domain.extent.as_int() == Some(1)).then(|| (iter.var.clone(), iter.domain.min.clone())),
    };
    block.iters.iter().map(value_of).collect()
}

/// The number of all combinations.
fn product<'a>(extents: impl Iterator<Item = &'a Expr>) -> Option<Expr> {
    let wide = |extent: &Expr| extent.cast(DataType::I64).ok();
    extents.map(wide).try_fold(Expr::i64(1), |all, extent| Some(&all * &extent?))
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
    let axes = axes_of(&flow.read, block);
    let covers = match &axes {
        Some(axes) => axes.iter().zip(&flow.buffer.shape).all(|(axis, extent)| match axis {
            Some(axis) => block.iters.iter().any(|iter| {
                iter.var == *axis
                    && iter.domain.min.as_int() == Some(0)
                    && known.decide(CmpOp::Eq, &iter.domain.extent, extent) == Some(true)
            }),
            None => extent.as_int() == Some(1),
        }),
        // Of a map that can be inverted, each element of the buffer has its instance if there are as many.
        None => product(flow.buffer.shape.iter())
            .zip(product(block.iters.iter().map(|iter| &iter.domain.extent)))
            .is_some_and(|(elements, instances)| known.prove_equal(&elements, &instances)),
    };
    let spatial = block.iters.iter().all(|iter| iter.kind == IterKind::Spatial);
    let is_read = |var: &Var| axes.as_ref().is_none_or(|axes| axes.iter().flatten().any(|axis| axis == var));
    let others: Vec<Var> = block.iters.iter().map(|iter| iter.var.clone()).filter(|var| !is_read(var)).collect();
    if !covers || !spatial || mentions(&block.body, &others) {
        return Err(Fault::at(
            site,
            format!("block `{}` does not take each element of `{}` once", block.name, flow.buffer.name),
        ));
    }
    Ok(())
}
