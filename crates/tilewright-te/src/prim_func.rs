//! Formulas to loops: one nest with one block for each tensor that is no input.

use tilewright_expr::node::rewrite;
use tilewright_expr::{Buffer, Expr, Range, Var};
use tilewright_ir::tir::{Block, ForKind, IterKind, IterVar, Param, PrimFunc, Stmt, StmtKind, attr_names};
use tilewright_ir::{Attr, Attrs};
use tilewright_support::{Map, Origins, Set};

use crate::tensor::Stage;
use crate::{TeError, Tensor, regions};

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
    let computed = || order.iter().filter(|t| t.stage().is_some());
    let temporaries = computed().filter(|t| !tensors.contains(t)).map(|t| t.buffer().clone()).collect();
    let body = computed().filter_map(|t| t.stage().map(|stage| nest(t, stage))).collect::<Result<Vec<_>, _>>()?;
    let mut params: Vec<Param> = tensors.iter().map(|t| Param::buffer(t.buffer())).collect();
    params.splice(at..at, scalars.iter().map(Param::scalar));
    let attrs = Attrs::from([(attr_names::NOALIAS.into(), Attr::Bool(true))]);
    Ok(renewed(PrimFunc::with_root(params, attrs, temporaries, Stmt::seq(body), Origins::default())))
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

/// The loops and the block that compute one tensor.
fn nest(tensor: &Tensor, stage: &Stage) -> Result<Stmt, TeError> {
    let spatial = stage.axes.iter().zip(tensor.shape()).map(|(axis, extent)| {
        (axis, Range::up_to(extent.clone()), IterKind::Spatial) //
    });
    let reduced = stage.reduction.iter().flat_map(|(_, axes)| axes);
    let reduced = reduced.map(|(axis, range)| (axis, range.clone(), IterKind::Reduce));
    let axes: Vec<_> = spatial.chain(reduced).collect();

    let iters: Vec<IterVar> = axes
        .iter()
        .map(|(axis, domain, kind)| IterVar {
            var: Var::new(format!("v_{}", axis.name), axis.dtype),
            domain: domain.clone(),
            kind: *kind,
        })
        .collect();
    let renaming: Map<_, _> = axes.iter().zip(&iters).map(|((axis, ..), iter)| (axis.id(), iter.var.clone())).collect();
    let value = rewrite(&vec![stage.value.clone()], |var: &Var| renaming.get(&var.id()).cloned());
    let value = value.and_then(|mut v| v.pop()).unwrap_or_else(|| stage.value.clone());

    let out = tensor.buffer();
    let indices: Vec<Expr> = iters[..stage.axes.len()].iter().map(|iter| Expr::var(&iter.var)).collect();
    let (init, update) = match &stage.reduction {
        None => (None, value.clone()),
        Some((reducer, _)) => {
            let identity = Stmt::store(out, indices.clone(), &reducer.identity(out.dtype))?;
            (Some(identity), reducer.combine(&Expr::load(out, indices.clone())?, &value)?)
        }
    };
    let block = Block {
        name: tensor.name().into(),
        iters,
        alloc_buffers: Vec::new(),
        match_buffers: Vec::new(),
        reads: regions::reads(&value, out),
        writes: vec![regions::element(out, &indices)],
        annotations: Attrs::new(),
        init,
        body: Stmt::store(out, indices, &update)?,
        origins: Origins::default(),
    };
    let loops: Vec<Var> = axes.iter().map(|(axis, ..)| axis.renewed()).collect();
    let values = loops.iter().map(Expr::var).collect();
    let realize = Stmt::from(StmtKind::Block { values, predicate: Expr::bool(true), block });
    Ok(loops.iter().zip(&axes).rev().fold(realize, |body, (var, (_, range, _))| {
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
