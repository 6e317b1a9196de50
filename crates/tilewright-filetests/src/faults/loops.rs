//! Faults of loops: in the statements, the scalars and the attributes of PrimFuncs.

use tilewright::expr::{BinOp, Expr, ExprKind};
use tilewright::ir::node::rewrite;
use tilewright::ir::tir::{Buffer, Stmt, StmtKind, attr_names};
use tilewright::ir::{Attr, IRModule};

use super::{first, prim_funcs, statement};

pub(super) fn dropped_init(module: &IRModule) -> IRModule {
    statement(module, |kind| match kind {
        StmtKind::Block { values, predicate, block } if block.init.is_some() => {
            let mut block = block.clone();
            block.init = None;
            Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block })
        }
        _ => None,
    })
}

/// A reduction that begins with something else.
pub(super) fn changed_init(module: &IRModule) -> IRModule {
    statement(module, |kind| match kind {
        StmtKind::Block { values, predicate, block } => {
            let StmtKind::Store { buffer, indices, value, .. } = &block.init.as_ref()?.kind else { return None };
            let other = Expr::binary(BinOp::Add, value, &Expr::number(1, value.dtype)).ok()?;
            let init = Some(Stmt::store(buffer, indices.clone(), &other).ok()?);
            let block = tilewright::ir::tir::Block { init, ..block.clone() };
            Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block })
        }
        _ => None,
    })
}

/// A matched buffer that views the row after its own.
pub(super) fn shifted_tile(module: &IRModule) -> IRModule {
    statement(module, |kind| match kind {
        StmtKind::Block { values, predicate, block } if !block.match_buffers.is_empty() => {
            let mut block = block.clone();
            let range = block.match_buffers.first_mut()?.source.region.last_mut()?;
            range.min = Expr::binary(BinOp::Sub, &range.extent, &range.min).ok()?;
            Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block })
        }
        _ => None,
    })
}

pub(super) fn short_loop(module: &IRModule) -> IRModule {
    statement(module, |kind| match kind {
        StmtKind::For { var, min, extent, kind, annotations, body } if extent.as_int().is_some_and(|n| n > 1) => {
            Some(StmtKind::For {
                var: var.clone(),
                min: min.clone(),
                extent: Expr::int(extent.as_int()? - 1, extent.dtype),
                kind: kind.clone(),
                annotations: annotations.clone(),
                body: body.clone(),
            })
        }
        _ => None,
    })
}

pub(super) fn shifted_region(module: &IRModule) -> IRModule {
    statement(module, |kind| match kind {
        StmtKind::Block { values, predicate, block } if block.reads.iter().any(|read| !read.region.is_empty()) => {
            let mut block = block.clone();
            let range = block.reads.iter_mut().find_map(|read| read.region.first_mut())?;
            range.min = &range.min + 1;
            Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block })
        }
        _ => None,
    })
}

/// A block runs where it should not.
pub(super) fn lost_condition(module: &IRModule) -> IRModule {
    statement(module, |stmt| match stmt {
        StmtKind::Block { values, predicate, block } if predicate.as_int() != Some(1) => {
            Some(StmtKind::Block { values: values.clone(), predicate: Expr::bool(true), block: block.clone() })
        }
        _ => None,
    })
}

pub(super) fn dropped_assert(module: &IRModule) -> IRModule {
    statement(module, |kind| matches!(kind, StmtKind::Assert { .. }).then(|| StmtKind::Seq(Vec::new())))
}

pub(super) fn dropped_store(module: &IRModule) -> IRModule {
    statement(module, |kind| matches!(kind, StmtKind::Store { .. }).then(|| StmtKind::Seq(Vec::new())))
}

pub(super) fn shifted_index(module: &IRModule) -> IRModule {
    statement(module, |kind| match kind {
        StmtKind::Store { buffer, indices, value, predicate } if !indices.is_empty() => {
            let mut indices = indices.clone();
            indices[0] = Expr::binary(BinOp::Add, &indices[0], &Expr::int(1, indices[0].dtype.element())).ok()?;
            Some(StmtKind::Store {
                buffer: buffer.clone(),
                indices,
                value: value.clone(),
                predicate: predicate.clone(),
            })
        }
        _ => None,
    })
}

pub(super) fn reversed_lanes(module: &IRModule) -> IRModule {
    first(module, |expr: &Expr| match &expr.kind {
        ExprKind::Ramp { base, stride } => {
            let stride = &Expr::int(0, stride.dtype) - stride;
            Some(Expr::raw(expr.dtype, ExprKind::Ramp { base: base.clone(), stride }))
        }
        _ => None,
    })
}

/// For an operator whose operands do not commute.
pub(super) fn swapped_operands(module: &IRModule) -> IRModule {
    first(module, |expr: &Expr| match &expr.kind {
        ExprKind::Binary(op @ (BinOp::Sub | BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod), a, b) => {
            Some(Expr::raw(expr.dtype, ExprKind::Binary(*op, b.clone(), a.clone())))
        }
        _ => None,
    })
}

/// A tensor of a packed call without its last dimension.
pub(super) fn lost_dimension(module: &IRModule) -> IRModule {
    first(module, |expr: &Expr| {
        let ExprKind::Foreign { callee, args } = &expr.kind else { return None };
        let (_, kept) = args.split_last()?;
        let is_tensor = callee.name() == tilewright::ir::low::PACKED_TENSOR;
        is_tensor.then(|| Expr::foreign(expr.dtype, callee.clone(), kept.to_vec()))
    })
}

/// The pattern of each function is another one.
pub(super) fn another_pattern(module: &IRModule) -> IRModule {
    prim_funcs(module, |function| {
        if let Some(Attr::Int(number)) = function.attrs.get_mut("op_pattern") {
            *number = (*number + 1) % 3;
        }
    })
}

pub(super) fn another_parameter(module: &IRModule) -> IRModule {
    prim_funcs(module, |function| {
        if let Some(Attr::Array(numbers)) = function.attrs.get_mut("layout_free_buffers") {
            *numbers = numbers.iter().filter_map(Attr::as_int).map(|at| Attr::Int(at + 1)).collect();
        }
    })
}

/// The first two temporaries of a function that are alike are one.
pub(super) fn shared_temporary(module: &IRModule) -> IRModule {
    statement(module, |kind| match kind {
        StmtKind::Block { values, predicate, block } => {
            let shape = |buffer: &Buffer| buffer.constant_shape();
            let two = block
                .alloc_buffers
                .windows(2)
                .find(|two| shape(&two[0]).is_some() && shape(&two[0]) == shape(&two[1]))?;
            let mut block = rewrite(block, |buffer: &Buffer| (*buffer == two[1]).then(|| two[0].clone()))?;
            block.alloc_buffers.retain(|buffer| *buffer != two[0]);
            block.alloc_buffers.push(two[0].clone());
            Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block })
        }
        _ => None,
    })
}

/// The first dimension that is a number is one larger.
pub(super) fn another_size(module: &IRModule) -> IRModule {
    first(module, |expr: &Expr| Some(Expr::int(expr.as_int()?.checked_add(1)?, expr.dtype)))
}

pub(super) fn lost_noalias(module: &IRModule) -> IRModule {
    prim_funcs(module, |function| drop(function.attrs.remove(attr_names::NOALIAS)))
}
