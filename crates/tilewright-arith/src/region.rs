//! Regions of buffers that loops touch: one range of indices for each dimension, over the values of loop variables.

use tilewright_expr::{BinOp, CmpOp, Expr, ExprKind, Range, Var};

use crate::iter_map::{IterMapLevel, IterSumExpr, detect_iter_map};
use crate::{Analyzer, IntSet};

fn operation(op: BinOp, a: &Expr, b: &Expr) -> Expr {
    Expr::raw(a.dtype, ExprKind::Binary(op, a.clone(), b.clone()))
}

/// The set that every dimension takes, where the region is exactly their product: the dimensions' starts are
/// independent iterator maps without gaps. `None` where that is not known.
pub fn estimate_region_strict_bound(
    cx: &mut Analyzer,
    region: &[Range],
    loops: &[(Var, Range)],
    predicate: &Expr,
) -> Option<Vec<IntSet>> {
    let starts: Vec<Expr> = region.iter().map(|range| range.min.clone()).collect();
    let maps = detect_iter_map(cx, &starts, loops, predicate, IterMapLevel::Surjective, true).indices;
    if maps.len() != region.len() {
        return None;
    }
    let vars: Vec<Var> = loops.iter().map(|(var, _)| var.clone()).collect();
    maps.iter().zip(region).map(|(map, range)| covered(cx, map, &range.extent, &vars)).collect()
}

/// The values of `map + 0..extent`, if there is no gap between them.
fn covered(cx: &Analyzer, map: &IterSumExpr, extent: &Expr, loops: &[Var]) -> Option<IntSet> {
    if tilewright_expr::node::mentions(extent, loops) {
        return None;
    }
    let one = Expr::int(1, map.base.dtype);
    let above = operation(BinOp::Sub, &operation(BinOp::Add, &map.base, extent), &one);
    let [split] = map.args.as_slice() else {
        return map.args.is_empty().then(|| IntSet::interval(Some(map.base.clone()), Some(cx.simplify(&above))));
    };
    let zero = Expr::int(0, map.base.dtype);
    let reach = operation(BinOp::Mul, &operation(BinOp::Sub, &split.extent, &one), &split.scale);
    let proves = |op, a: &Expr, b: &Expr| cx.decide(op, a, b) == Some(true);
    let size = if proves(CmpOp::Gt, &split.scale, &zero) {
        split.scale.clone()
    } else if proves(CmpOp::Lt, &split.scale, &zero) {
        operation(BinOp::Sub, &zero, &split.scale)
    } else {
        return None;
    };
    // Steps that are no longer than the extent leave no gap.
    if !proves(CmpOp::Ge, extent, &size) {
        return None;
    }
    let end = operation(BinOp::Add, &above, &reach);
    let start = operation(BinOp::Add, &map.base, &reach);
    let (min, max) = match proves(CmpOp::Gt, &split.scale, &zero) {
        true => (map.base.clone(), end),
        false => (start, above),
    };
    Some(IntSet::interval(Some(cx.simplify(&min)), Some(cx.simplify(&max))))
}

/// Sets whose product is certainly touched: those of [`estimate_region_strict_bound`].
pub fn estimate_region_lower_bound(
    cx: &mut Analyzer,
    region: &[Range],
    loops: &[(Var, Range)],
    predicate: &Expr,
) -> Option<Vec<IntSet>> {
    estimate_region_strict_bound(cx, region, loops, predicate)
}

/// Sets outside of whose product nothing is touched: exact where the region is known exactly, dimension by dimension,
/// and else what the loops' ranges allow.
pub fn estimate_region_upper_bound(
    cx: &mut Analyzer,
    region: &[Range],
    loops: &[(Var, Range)],
    predicate: &Expr,
) -> Vec<IntSet> {
    if let Some(exact) = estimate_region_strict_bound(cx, region, loops, predicate) {
        return exact;
    }
    let mut sets = Vec::with_capacity(region.len());
    for range in region {
        let alone = estimate_region_strict_bound(cx, std::slice::from_ref(range), loops, predicate);
        sets.push(match alone.and_then(|sets| sets.into_iter().next()) {
            Some(set) => set,
            None => relaxed(cx, range, loops),
        });
    }
    sets
}

fn relaxed(cx: &mut Analyzer, range: &Range, loops: &[(Var, Range)]) -> IntSet {
    let scope = cx.enter();
    loops.iter().for_each(|(var, range)| cx.bind(var, range));
    let one = Expr::int(1, range.min.dtype);
    let last = operation(BinOp::Sub, &operation(BinOp::Add, &range.min, &range.extent), &one);
    let (first, last) = (cx.int_set_over(&range.min, loops), cx.int_set_over(&last, loops));
    cx.leave(scope);
    IntSet::interval(first.min_value().cloned(), last.max_value().cloned())
}
