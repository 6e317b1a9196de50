//! Formulas to loops: one nest with one block for each tensor that is no input.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{rewrite, walk};
use tilewright_expr::{Buffer, Expr, Range, Var};
use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{Block, ForKind, IterKind, IterVar, Param, PrimFunc, Stmt, StmtKind, attr_names};
use tilewright_ir::{Attr, Attrs};
use tilewright_support::{Map, Origins, Set};

use crate::tensor::Stage;
use crate::{TeError, Tensor};

/// The function whose parameters are these tensors, in this order: placeholders are read, the others are computed.
/// Tensors that they need and that are not listed become temporaries. The function has no global symbol; its buffers
/// do not overlap (`tir.noalias`).
pub fn create_prim_func(tensors: &[Tensor]) -> Result<PrimFunc, TeError> {
    create_with_scalars(tensors, &[], tensors.len())
}

/// As [`create_prim_func`], with scalar parameters before tensor number `at`.
pub(crate) fn create_with_scalars(tensors: &[Tensor], scalars: &[Var], at: usize) -> Result<PrimFunc, TeError> {
    for (i, tensor) in tensors.iter().enumerate() {
        if tensors[..i].contains(tensor) {
            return Err(TeError(format!("tensor `{}` is listed twice as a parameter", tensor.name())));
        }
    }
    let order = stages(tensors);
    if let Some(missing) = order.iter().find(|t| t.stage().is_none() && !tensors.contains(t)) {
        return Err(TeError(format!("placeholder `{}` is read but is no parameter", missing.name())));
    }
    let temporaries = order.iter().filter(|t| !tensors.contains(t)).map(|t| t.buffer().clone()).collect();
    let nests = order.iter().filter_map(|t| t.stage().map(|stage| nest(t, stage))).collect::<Result<Vec<_>, _>>()?;
    let mut params: Vec<Param> = tensors.iter().map(|t| Param::buffer(t.buffer())).collect();
    params.splice(at..at, scalars.iter().map(Param::scalar));
    let attrs = Attrs::from([(attr_names::NOALIAS.into(), Attr::Bool(true))]);
    Ok(renewed(PrimFunc::with_root(params, attrs, temporaries, Stmt::seq(nests.concat()), Origins::default())))
}

/// All tensors below and among `outputs`, each after those that it reads.
fn stages(outputs: &[Tensor]) -> Vec<Tensor> {
    let (mut order, mut seen) = (Vec::new(), Set::default());
    let mut pending: Vec<(Tensor, bool)> = outputs.iter().rev().map(|t| (t.clone(), false)).collect();
    while let Some((tensor, inputs_done)) = pending.pop() {
        if inputs_done {
            order.push(tensor);
        } else if seen.insert(tensor.buffer().id()) {
            let inputs = tensor.stage().map_or(&[][..], |stage| &stage.inputs);
            let below: Vec<_> = inputs.iter().rev().map(|t| (t.clone(), false)).collect();
            pending.push((tensor, true));
            pending.extend(below);
        }
    }
    order
}

/// The axes of a block under construction: the index that the formula speaks of, its values, its kind.
type Axes = Vec<(Var, Range, IterKind)>;

/// The loops and blocks that compute one tensor.
///
/// A block's init runs where the reduce axes have their first value, so a reduction over nothing would leave its result
/// undefined: unless it certainly runs over something wherever there is a result, its start is a block of its own.
fn nest(tensor: &Tensor, stage: &Stage) -> Result<Vec<Stmt>, TeError> {
    let (out, name) = (tensor.buffer(), tensor.name());
    let spatial = stage.axes.iter().zip(tensor.shape());
    let mut axes: Axes =
        spatial.map(|(axis, extent)| (axis.clone(), Range::up_to(extent.clone()), IterKind::Spatial)).collect();
    let result = Expr::load(out, axes.iter().map(|(axis, ..)| Expr::var(axis)).collect())?;
    let Some((reducer, reduced)) = &stage.reduction else {
        return Ok(vec![block_nest(out, name, &axes, None, &stage.value)?]);
    };
    let identity = reducer.identity(out.dtype);
    let update = reducer.combine(&result, &stage.value)?;
    let start = axes.clone();
    axes.extend(reduced.iter().map(|(axis, range)| (axis.clone(), range.clone(), IterKind::Reduce)));
    if reduced.iter().all(|(_, range)| is_never_empty(&range.extent, tensor.shape())) {
        return Ok(vec![block_nest(out, name, &axes, Some(&identity), &update)?]);
    }
    let mut nests = vec![block_nest(out, &format!("{name}_init"), &start, None, &identity)?];
    if !reduced.iter().any(|(_, range)| range.extent.as_int() == Some(0)) {
        nests.push(block_nest(out, &format!("{name}_update"), &axes, None, &update)?);
    }
    Ok(nests)
}

/// Whether there is something along an axis wherever a result of this shape has elements.
fn is_never_empty(extent: &Expr, shape: &[Expr]) -> bool {
    let mut analyzer = Analyzer::new();
    walk(&vec![extent.clone()], |var: &Var| analyzer.bind_bounds(var, Some(0), None));
    analyzer.bounds(extent).at_least(1) || shape.iter().any(|dim| analyzer.prove_equal(dim, extent))
}

/// A loop for each axis around one block that stores `value`, a formula over the axes, at the spatial ones.
fn block_nest(out: &Buffer, name: &str, axes: &Axes, identity: Option<&Expr>, value: &Expr) -> Result<Stmt, TeError> {
    let iters: Vec<IterVar> = axes
        .iter()
        .map(|(axis, domain, kind)| IterVar {
            var: Var::new(format!("v_{}", axis.name), axis.dtype),
            domain: domain.clone(),
            kind: *kind,
        })
        .collect();
    let renaming: Map<_, _> = axes.iter().zip(&iters).map(|((axis, ..), iter)| (axis.id(), iter.var.clone())).collect();
    // The whole is wrapped, because a rewriting looks below its root.
    let renamed = rewrite(&vec![value.clone()], |var: &Var| renaming.get(&var.id()).cloned());
    let value = renamed.and_then(|mut renamed| renamed.pop()).unwrap_or_else(|| value.clone());
    let indices: Vec<Expr> =
        iters.iter().filter(|iter| iter.kind == IterKind::Spatial).map(|iter| Expr::var(&iter.var)).collect();
    let mut block = Block {
        name: name.into(),
        iters,
        alloc_buffers: Vec::new(),
        match_buffers: Vec::new(),
        reads: Vec::new(),
        writes: Vec::new(),
        annotations: Attrs::new(),
        init: identity.map(|identity| Stmt::store(out, indices.clone(), identity)).transpose()?,
        body: Stmt::store(out, indices, &value)?,
        origins: Origins::default(),
    };
    let regions = block_regions(&block);
    (block.reads, block.writes) = (regions.reads, regions.writes);
    let loops: Vec<Var> = axes.iter().map(|(axis, ..)| axis.renewed()).collect();
    let values = loops.iter().map(Expr::var).collect();
    let realize = Stmt::from(StmtKind::Block { values, predicate: Expr::bool(true), block });
    Ok(loops.iter().zip(axes).rev().fold(realize, |body, (var, (_, range, _))| {
        Stmt::for_loop(var, range.min.clone(), range.extent.clone(), ForKind::Serial, body)
    }))
}

/// The function with buffers of its own: the tensors may be used in other functions too.
fn renewed(function: PrimFunc) -> PrimFunc {
    let renew = |buffer: &Buffer| {
        Some(buffer.derive(|node| node.data = node.data.renewed())) //
    };
    rewrite(&function, renew).unwrap_or(function)
}
