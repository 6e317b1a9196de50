//! PrimFuncs that only give a tensor another shape.

use tilewright_arith::Analyzer;

use crate::nest::Nest;
use crate::tir::{BinOp, Buffer, Expr, ExprKind, PrimFunc, Stmt};

/// Whether the function copies its first buffer to its last one in row-major order, element by element: a reshape.
pub fn has_reshape_pattern(function: &PrimFunc) -> bool {
    let mut buffers = function.params.iter().filter_map(|param| param.buffer.as_ref());
    let (Some(from), Some(to)) = (buffers.next(), buffers.next_back()) else { return false };
    let Some(root) = function.root_block() else { return false };
    if !root.alloc_buffers.is_empty() || !is_compact(from) || !is_compact(to) || from.dtype != to.dtype {
        return false;
    }
    copies_in_order(&root.body, from, to).unwrap_or(false)
}

/// Whether the elements lie in row-major order without gaps.
fn is_compact(buffer: &Buffer) -> bool {
    buffer.strides.is_empty() && buffer.elem_offset.is_none() && buffer.axis_separators.is_empty()
}

fn copies_in_order(stmt: &Stmt, from: &Buffer, to: &Buffer) -> Option<bool> {
    let nest = Nest::of(stmt)?;
    if !nest.runs_each_instance_once() || nest.predicate.as_int() != Some(1) {
        return None;
    }
    let (stored, indices_of_store, value) = nest.single_store()?;
    let ExprKind::Load { buffer: loaded, indices, predicate: None } = &value.kind else { return None };
    if stored != to || loaded != from {
        return None;
    }
    let mut analyzer = Analyzer::new();
    for dim in from.shape.iter().chain(&to.shape).filter_map(Expr::as_var) {
        analyzer.bind_bounds(dim, Some(0), None);
    }
    for iter in &nest.block.iters {
        analyzer.bind(&iter.var, &iter.domain);
    }
    // All of the result is written, and each element comes from the same linear index.
    let elements = flat(&to.shape, &vec![Expr::i64(0); to.rank()])?.1;
    let domain = nest.block.iters.iter().map(|iter| iter.domain.extent.cast(elements.dtype).ok());
    let instances = product(domain.collect::<Option<Vec<_>>>()?)?;
    let (read, written) = (flat(&from.shape, indices)?, flat(&to.shape, indices_of_store)?);
    Some(
        analyzer.prove_equal(&instances, &elements)
            && analyzer.prove_equal(&read.1, &written.1)
            && analyzer.prove_equal(&read.0, &written.0),
    )
}

/// The row-major linear index of the element in a tensor of this shape, and the number of elements.
fn flat(shape: &[Expr], indices: &[Expr]) -> Option<(Expr, Expr)> {
    let wide = |expr: &Expr| expr.cast(tilewright_tensor::DataType::I64).ok();
    let (mut linear, mut count) = (Expr::i64(0), Expr::i64(1));
    for (extent, index) in shape.iter().zip(indices) {
        let (extent, index) = (wide(extent)?, wide(index)?);
        let scaled = Expr::binary(BinOp::Mul, &linear, &extent).ok()?;
        linear = Expr::binary(BinOp::Add, &scaled, &index).ok()?;
        count = Expr::binary(BinOp::Mul, &count, &extent).ok()?;
    }
    Some((linear, count))
}

fn product(factors: Vec<Expr>) -> Option<Expr> {
    factors.iter().try_fold(Expr::i64(1), |product, factor| Expr::binary(BinOp::Mul, &product, factor).ok())
}
