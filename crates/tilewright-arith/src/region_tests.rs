//! Regions, against the elements that loops really touch.

use std::collections::BTreeSet;

use tilewright_expr::{BinOp, CmpOp, Expr, Range, Var};
use tilewright_support::Map;
use tilewright_tensor::DataType;

use crate::tests::{Random, eval};
use crate::{Analyzer, IntSet, estimate_region_lower_bound, estimate_region_strict_bound, estimate_region_upper_bound};

fn ends(set: &IntSet) -> (i64, i64) {
    let end = |end: Option<&Expr>| end.and_then(Expr::as_int).expect("constant extents have constant regions");
    (end(set.min_value()), end(set.max_value()))
}

#[test]
fn strict_regions_are_touched_wholly_and_upper_ones_are_never_left() {
    let mut random = Random(3);
    let (mut strict, mut upper_only) = (0, 0);
    for _ in 0..2_000 {
        let extents = [1 + random.below(4) as i64, 1 + random.below(5) as i64];
        let vars = ["i", "j"].map(|name| Var::new(name, DataType::I64));
        let loops: Vec<(Var, Range)> =
            vars.iter().zip(extents).map(|(var, extent)| (var.clone(), Range::up_to(Expr::i64(extent)))).collect();
        let [i, j] = [0, 1].map(|at| Expr::var(&vars[at]));
        let scale = |random: &mut Random, e: &Expr| e * *random.pick(&[1, 2, 3, 4, 5, -1]);
        let start = |random: &mut Random| match random.below(5) {
            0 => scale(random, &i),
            1 => &scale(random, &j) + 2,
            2 => &scale(random, &i) + &j,
            3 => Expr::binary(BinOp::FloorDiv, &(&(&i * extents[1]) + &j), &Expr::i64(2)).unwrap(),
            _ => Expr::binary(BinOp::Mul, &i, &j).unwrap(),
        };
        let region: Vec<Range> = (0..1 + random.below(2))
            .map(|_| Range::new(start(&mut random), Expr::i64(1 + random.below(4) as i64)))
            .collect();
        let predicate = match random.below(3) {
            0 => Expr::compare(CmpOp::Lt, &(&(&i * extents[1]) + &j), &Expr::i64(extents[0] * extents[1] - 1)).unwrap(),
            _ => Expr::bool(true),
        };
        let mut touched: BTreeSet<Vec<i64>> = BTreeSet::new();
        for at in 0..extents[0] * extents[1] {
            let env = Map::from_iter([(vars[0].id(), at / extents[1]), (vars[1].id(), at % extents[1])]);
            if !eval(&predicate, &env).is_some_and(|holds| holds.as_bool()) {
                continue;
            }
            let mut boxes = vec![Vec::new()];
            for range in &region {
                let first = eval(&range.min, &env).unwrap().as_int();
                let indices = first..first + range.extent.as_int().unwrap();
                let longer = |point: &Vec<i64>| {
                    indices.clone().map(|index| [point.clone(), vec![index]].concat()).collect::<Vec<_>>()
                };
                boxes = boxes.iter().flat_map(longer).collect();
            }
            touched.extend(boxes);
        }
        let mut cx = Analyzer::new();
        let upper: Vec<(i64, i64)> =
            estimate_region_upper_bound(&mut cx, &region, &loops, &predicate).iter().map(ends).collect();
        let inside = |point: &Vec<i64>| point.iter().zip(&upper).all(|(at, (low, high))| low <= at && at <= high);
        assert!(touched.iter().all(inside), "{region:?} {upper:?}");
        let Some(exact) = estimate_region_strict_bound(&mut cx, &region, &loops, &predicate) else {
            upper_only += 1;
            continue;
        };
        strict += 1;
        let size: i64 = exact.iter().map(ends).map(|(low, high)| high - low + 1).product();
        assert_eq!(size as usize, touched.len(), "{region:?} {extents:?} {predicate:?}\n{exact:?}");
        assert!(estimate_region_lower_bound(&mut cx, &region, &loops, &predicate).is_some());
    }
    assert!(strict > 500 && upper_only > 300, "{strict} {upper_only}");
}
