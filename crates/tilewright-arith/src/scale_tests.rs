//! Inputs of a size that would not end, or would overflow the stack, if the work were not linear in the expression.

use tilewright_expr::{BinOp, CmpOp, Expr, ExprKind, Intrinsic, Range, Var};
use tilewright_tensor::DataType;

use crate::{Analyzer, IntSet, IterMapLevel, detect_iter_map, detect_linear_equation};

/// A sum is one pass; other chains have a rule to try at every link.
const SUM: usize = 1_000_000;
const CHAIN: usize = 100_000;
const DEEP: usize = 10_000;
/// Levels of a DAG whose tree has two to the power of `LEVELS` leaves.
const LEVELS: usize = 200;

fn raw(op: BinOp, a: &Expr, b: &Expr) -> Expr {
    Expr::raw(a.dtype, ExprKind::Binary(op, a.clone(), b.clone()))
}

fn var(name: &str) -> Expr {
    Expr::var(&Var::new(name, DataType::I64))
}

fn vars(count: usize) -> Vec<Expr> {
    (0..count).map(|i| var(&format!("x{i}"))).collect()
}

#[test]
fn long_chains_end() {
    let cx = Analyzer::new();
    let few = vars(50);
    let at = |i: usize| &few[i % few.len()];
    let sum = (0..SUM).fold(Expr::i64(0), |sum, i| raw(if i % 3 == 0 { BinOp::Sub } else { BinOp::Add }, &sum, at(i)));
    assert!(cx.prove_equal(&sum, &sum) && !cx.bounds(&sum).at_least(0));
    for op in [BinOp::Min, BinOp::Mul, BinOp::FloorDiv, BinOp::FloorMod, BinOp::BitXor] {
        let chain = (0..CHAIN).fold(at(7).clone(), |chain, i| raw(op, &chain, at(i)));
        cx.simplify(&chain);
    }
    let halves = (0..CHAIN).fold(at(1).clone(), |x, _| raw(BinOp::FloorDiv, &x, &Expr::i64(2)));
    cx.simplify(&halves);
    let below = |i: usize| Expr::compare(CmpOp::Lt, at(i), at(i + 1 + i % 7)).unwrap();
    let all = (0..CHAIN).fold(below(0), |all, i| raw(BinOp::And, &all, &below(i)));
    cx.simplify(&all);
    assert!(!cx.prove(&all));
}

#[test]
fn sums_of_many_distinct_terms_end() {
    let cx = Analyzer::new();
    let many = vars(30_000);
    let sum = many.iter().fold(Expr::i64(0), |sum, x| raw(BinOp::Add, &sum, x));
    assert!(cx.prove_equal(&raw(BinOp::Sub, &sum, &sum), &Expr::i64(0)));
    let pieces = many.iter().fold(Expr::i64(0), |sum, x| {
        let whole = &raw(BinOp::FloorDiv, x, &Expr::i64(4)) * 4;
        raw(BinOp::Add, &raw(BinOp::Add, &sum, &whole), &raw(BinOp::FloorMod, x, &Expr::i64(4)))
    });
    assert!(cx.prove_equal(&pieces, &sum), "every quotient finds its remainder");
    let all: Vec<Var> = many.iter().filter_map(|x| x.as_var().cloned()).collect();
    assert_eq!(cx.linear_in(&sum, &all).map(|form| form.coefficients), Some(vec![1; many.len()]));
    let some = detect_linear_equation(&cx, &sum, &all[..3]).unwrap();
    assert!(some.coefficients.iter().all(|c| c.as_int() == Some(1)));
    let smallest = many.iter().fold(many[0].clone(), |m, x| raw(BinOp::Min, &m, x));
    cx.simplify(&smallest);
    cx.int_set(&smallest, &[(all[5].clone(), IntSet::interval(None, Some(Expr::i64(3))))]);
}

#[test]
fn deep_nests_do_not_overflow_the_stack() {
    let cx = Analyzer::new();
    let (x, y) = (var("x"), var("y"));
    type Layer<'a> = &'a dyn Fn(&Expr, usize) -> Expr;
    let layers: [Layer<'_>; 9] = [
        &|e, _| raw(BinOp::Sub, &y, e),
        &|e, _| raw(BinOp::FloorDiv, &y, e),
        &|e, i| raw(BinOp::FloorDiv, &(e + 1), &Expr::i64(2 + (i % 3) as i64)),
        &|e, i| raw(BinOp::FloorMod, &raw(BinOp::Add, &y, e), &Expr::i64(3 + (i % 5) as i64)),
        &|e, i| raw(if i % 2 == 0 { BinOp::Min } else { BinOp::Max }, &(&y + i as i64), e),
        &|e, _| &raw(BinOp::Mul, e, &x) + &y,
        &|e, _| Expr::select(&Expr::compare(CmpOp::Lt, &x, e).unwrap(), e, &y).unwrap(),
        &|e, _| Expr::bind(&Var::new("t", DataType::I64), e, &(e + 1)).unwrap(),
        &|e, _| {
            Expr::call(Intrinsic::IfThenElse, &[Expr::compare(CmpOp::Eq, e, &y).unwrap(), x.clone(), e.clone()])
                .unwrap()
        },
    ];
    for layer in layers {
        let deep = (0..DEEP).fold(x.clone(), |e, i| layer(&e, i));
        let simple = cx.simplify(&deep);
        cx.canonical_simplify(&simple);
        cx.bounds(&deep);
        cx.int_set(&deep, &[(x.as_var().cloned().unwrap(), IntSet::interval(Some(Expr::i64(0)), Some(Expr::i64(7))))]);
    }
    let start = Expr::compare(CmpOp::Lt, &x, &y).unwrap();
    let flag = |i: usize| Expr::var(&Var::new(format!("p{i}"), DataType::BOOL));
    let nest =
        (0..DEEP).fold(start, |e, i| raw(if i % 2 == 0 { BinOp::And } else { BinOp::Or }, &flag(i), &e.not().unwrap()));
    cx.simplify(&nest);
    cx.simplify(&nest.not().unwrap());
}

#[test]
fn shared_nodes_are_looked_at_once() {
    let mut cx = Analyzer::new();
    let x = var("x");
    let iter = x.as_var().cloned().unwrap();
    type Layer<'a> = &'a dyn Fn(&Expr) -> Expr;
    let layers: [Layer<'_>; 7] = [
        &|e| raw(BinOp::Mul, e, e),
        &|e| raw(BinOp::Min, &raw(BinOp::FloorDiv, e, &Expr::i64(3)), e),
        &|e| raw(BinOp::Add, &raw(BinOp::FloorMod, e, &Expr::i64(7)), e),
        &|e| raw(BinOp::Max, &raw(BinOp::Mul, e, &x), e),
        &|e| Expr::select(&Expr::compare(CmpOp::Lt, e, &x).unwrap(), e, &(e + 1)).unwrap(),
        &|e| raw(BinOp::FloorDiv, &raw(BinOp::Mul, e, &x), e),
        &|e| raw(BinOp::BitXor, e, &raw(BinOp::BitAnd, e, &x)),
    ];
    let set = IntSet::interval(Some(Expr::i64(0)), Some(Expr::i64(7)));
    for layer in layers {
        let shared = (0..LEVELS).fold(x.clone(), |e, _| layer(&e));
        cx.simplify(&shared);
        cx.canonical_simplify(&shared);
        cx.modular_set(&shared);
        cx.int_set(&shared, &[(iter.clone(), set.clone())]);
        let range = [(iter.clone(), Range::up_to(Expr::i64(8)))];
        let yes = Expr::bool(true);
        detect_iter_map(&mut cx, std::slice::from_ref(&shared), &range, &yes, IterMapLevel::Surjective, true);
    }
}

#[test]
fn many_assumptions_are_made_in_linear_time() {
    let mut cx = Analyzer::new();
    let few = vars(2_000);
    let below = |i: usize| Expr::compare(CmpOp::Lt, &few[i], &few[i + 1]).unwrap();
    let all = (0..few.len() - 1).fold(below(0), |all, i| raw(BinOp::And, &all, &below(i)));
    cx.assume(&all);
    let last = few.len() - 2;
    assert!(cx.prove(&below(last)) && !cx.prove(&Expr::compare(CmpOp::Lt, &few[last], &few[0]).unwrap()));
}
