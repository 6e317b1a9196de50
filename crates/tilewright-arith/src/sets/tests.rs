//! Sets contain every value: random expressions over random ranges.

use tilewright_expr::{BinOp, Expr, Range, Var};
use tilewright_support::Map;
use tilewright_tensor::DataType;

use crate::tests::{Random, eval, random_int};
use crate::{Analyzer, IntSet};

#[test]
fn sets_contain_every_value_of_an_expression() {
    let dtype = DataType::I64;
    let vars: Vec<Var> = ["n", "i", "j", "k"].iter().map(|name| Var::new(*name, dtype)).collect();
    let exprs: Vec<Expr> = vars.iter().map(Expr::var).collect();
    let mut cx = Analyzer::new();
    cx.bind_bounds(&vars[0], Some(1), Some(9));
    // `j` depends on `i`, and both on the free `n`.
    let sets = [
        (vars[1].clone(), IntSet::from_range(&Range::up_to(exprs[0].clone()))),
        (vars[2].clone(), IntSet::interval(Some(&exprs[1] - 2), Some(exprs[1].clone()))),
        (vars[3].clone(), IntSet::from_range(&Range::new(Expr::i64(-5), Expr::i64(9)))),
    ];
    let mut random = Random(41);
    let mut bounded = 0;
    for _ in 0..4_000 {
        let expr = random_int(&mut random, &exprs, 3);
        let set = cx.int_set(&expr, &sets);
        bounded += usize::from(set.min_value().is_some() && set.max_value().is_some());
        for _ in 0..12 {
            let n = 1 + random.below(9) as i64;
            let i = random.below(n as u64) as i64;
            let values = [n, i, i - random.below(3) as i64, random.below(9) as i64 - 5];
            let env = Map::from_iter(vars.iter().map(tilewright_expr::Var::id).zip(values));
            let Some(value) = eval(&expr, &env) else { continue };
            let end = |end: Option<&Expr>| end.and_then(|end| eval(end, &env)).map(|end| end.as_int());
            let inside = end(set.min_value()).is_none_or(|min| min <= value.as_int())
                && end(set.max_value()).is_none_or(|max| value.as_int() <= max);
            assert!(inside, "{expr:?}: {value:?} in {set:?} with {values:?}");
        }
    }
    assert!(bounded > 2_500, "{bounded}");
}

#[test]
fn unions_and_intersections_keep_to_their_members() {
    let cx = Analyzer::new();
    let at = |min: i64, max: i64| IntSet::interval(Some(Expr::i64(min)), Some(Expr::i64(max)));
    let ends = |set: &IntSet| (set.min_value().and_then(Expr::as_int), set.max_value().and_then(Expr::as_int));
    assert_eq!(ends(&IntSet::union(&cx, &[at(0, 3), IntSet::nothing(), at(7, 9)])), (Some(0), Some(9)));
    assert_eq!(ends(&IntSet::intersect(&cx, &[at(0, 5), at(3, 9)])), (Some(3), Some(5)));
    assert!(IntSet::intersect(&cx, &[at(0, 3), at(7, 9)]).is_nothing());
    assert!(IntSet::union(&cx, &[]).is_nothing() && IntSet::intersect(&cx, &[]).is_everything());
    assert!(at(1, 2).is_subset(&cx, &at(0, 2)) && !at(0, 3).is_subset(&cx, &at(0, 2)));
    assert!(
        at(1, 2).can_prove_positive(&cx) && at(-2, -1).can_prove_negative(&cx) && !at(0, 1).can_prove_positive(&cx)
    );
    let n = Expr::var(&Var::new("n", DataType::I64));
    let point = IntSet::single_point(n.clone());
    assert!(point.is_single_point() && point.point().is_some_and(|p| p.equal(&n)));
    let both =
        IntSet::intersect(&cx, &[IntSet::interval(Some(Expr::i64(0)), None), IntSet::interval(None, Some(n.clone()))]);
    assert!(both.max_value().is_some_and(|max| max.equal(&n)));
    assert!(IntSet::from_range(&Range::up_to(Expr::i64(0))).is_nothing());
}

#[test]
fn vectors_are_the_values_of_their_lanes() {
    let cx = Analyzer::new();
    let x = Expr::var(&Var::new("x", DataType::I64));
    let ramp = Expr::ramp(&x, &Expr::i64(-2), 4).unwrap();
    let set = IntSet::vector(&cx, &ramp);
    assert!(
        set.min_value().is_some_and(|min| min.equal(&(&x - 6))) && set.max_value().is_some_and(|max| max.equal(&x))
    );
    let shared = (0..60).fold(x.clone(), |x, _| Expr::binary(BinOp::Max, &x, &(&x + 1)).unwrap());
    assert!(!cx.int_set(&shared, &[]).is_nothing());
}
