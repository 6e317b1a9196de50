//! The regions that a block's formula reads.

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_expr::{Buffer, Expr, ExprKind, Range};
use tilewright_ir::tir::BufferRegion;

/// The region of one element.
pub(crate) fn element(buffer: &Buffer, indices: &[Expr]) -> BufferRegion {
    let region = indices.iter().map(|index| Range::new(index.clone(), Expr::int(1, index.dtype))).collect();
    BufferRegion { buffer: buffer.clone(), region }
}

/// For each buffer that the formula reads, in order of first mention, a box that holds all elements read.
pub(crate) fn reads(value: &Expr, out: &Buffer) -> Vec<BufferRegion> {
    let analyzer = Analyzer::new();
    let mut regions: Vec<BufferRegion> = Vec::new();
    // `walk` looks below a handle, so the formula itself is wrapped.
    walk(&vec![value.clone()], |expr: &Expr| {
        let ExprKind::Load { buffer, indices, .. } = &expr.kind else { return };
        if buffer == out {
            return;
        }
        let found = element(buffer, indices);
        match regions.iter_mut().find(|r| r.buffer == *buffer) {
            None => regions.push(found),
            Some(known) => {
                for (axis, (a, b)) in known.region.iter_mut().zip(&found.region).enumerate() {
                    *a = hull(&analyzer, a, b, &buffer.shape[axis]);
                }
            }
        }
    });
    for region in &mut regions {
        let whole = region.region.iter_mut().zip(&region.buffer.shape);
        for (range, extent) in whole {
            if loads(&range.min) {
                *range = Range::up_to(extent.clone());
            }
        }
    }
    regions
}

fn loads(index: &Expr) -> bool {
    let mut found = false;
    walk(&vec![index.clone()], |e: &Expr| found |= matches!(e.kind, ExprKind::Load { .. }));
    found
}

/// A range that holds both; the whole dimension where their distance is no constant.
fn hull(analyzer: &Analyzer, a: &Range, b: &Range, extent: &Expr) -> Range {
    if analyzer.prove_equal(&a.min, &b.min) && analyzer.prove_equal(&a.extent, &b.extent) {
        return a.clone();
    }
    let distance = analyzer.simplify(&(&b.min - &a.min)).as_int();
    match (distance, a.extent.as_int(), b.extent.as_int()) {
        (Some(distance), Some(of_a), Some(of_b)) => {
            let (from, to) = (distance.min(0), of_a.max(distance.saturating_add(of_b)));
            let min = if from == 0 { a.min.clone() } else { b.min.clone() };
            Range::new(min, Expr::int(to.saturating_sub(from), a.extent.dtype))
        }
        _ => Range::up_to(extent.clone()),
    }
}
