//! Divisors that are symbols: quotients and remainders of a linear index in symbolic dimensions.

use tilewright_expr::node::VarId;
use tilewright_expr::semantics::Scalar;
use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Range, Var};
use tilewright_support::Map;
use tilewright_tensor::DataType;

use crate::tests::{Random, eval};
use crate::{Analyzer, IntBounds};

fn div(a: &Expr, b: &Expr) -> Expr {
    Expr::binary(BinOp::FloorDiv, a, b).unwrap()
}

fn rem(a: &Expr, b: &Expr) -> Expr {
    Expr::binary(BinOp::FloorMod, a, b).unwrap()
}

fn compare(op: CmpOp, a: &Expr, b: &Expr) -> Expr {
    Expr::compare(op, a, b).unwrap()
}

fn inside(index: &Expr, extent: &Expr) -> Expr {
    let from = compare(CmpOp::Ge, index, &Expr::int(0, index.dtype));
    Expr::binary(BinOp::And, &from, &compare(CmpOp::Lt, index, extent)).unwrap()
}

/// The number of pieces of `size`.
fn pieces(n: &Expr, size: i64) -> Expr {
    div(&(n + (size - 1)), &Expr::int(size, n.dtype))
}

/// `a`, `b` and `c`, which are at least that, and `t` among their product, in a loop that runs.
fn linear_indices(least: Option<i64>, dtype: DataType) -> (Analyzer, [Var; 4]) {
    let vars = ["a", "b", "c", "t"].map(|name| Var::new(name, dtype));
    let mut cx = Analyzer::new();
    vars[..3].iter().for_each(|var| cx.bind_bounds(var, least, None));
    let [a, b, c, _] = vars.clone().map(|var| Expr::var(&var));
    let all = &(&a * &b) * &c;
    cx.bind(&vars[3], &Range::up_to(all.clone()));
    cx.assume_positive(&all);
    (cx, vars)
}

#[test]
fn a_place_among_all_elements_has_indices_inside_of_the_dimensions() {
    for dtype in [DataType::I32, DataType::I64] {
        let (cx, vars) = linear_indices(Some(0), dtype);
        let [a, b, c, t] = vars.map(|var| Expr::var(&var));
        let (two, zero) = (&b * &c, Expr::int(0, dtype));
        for index in [(div(&t, &two), &a), (rem(&div(&t, &c), &b), &b), (rem(&t, &c), &c), (div(&t, &c), &(&a * &b))] {
            assert!(cx.prove(&inside(&index.0, index.1)), "{index:?}");
            assert!(!cx.prove(&inside(&index.0, &(index.1 - 1))), "{index:?}");
            assert!(!cx.prove(&compare(CmpOp::Ge, &index.0, &Expr::int(1, dtype))), "{index:?}");
            assert!(cx.prove(&compare(CmpOp::Le, &index.0, &t)), "{index:?}");
        }
        // A piece of a piece, and sums of both.
        let piece = &(&rem(&t, &c) * 32) + 31;
        assert!(cx.prove(&inside(&piece, &(&c * 32))) && !cx.prove(&inside(&piece, &(&(&c * 32) - 1))));
        let both = &(&rem(&div(&t, &c), &b) * &c) + &rem(&t, &c);
        assert!(!cx.prove(&compare(CmpOp::Lt, &both, &c)) && cx.prove(&compare(CmpOp::Ge, &both, &zero)));
        // Others' dimensions bound nothing.
        assert!(!cx.prove(&inside(&div(&t, &c), &b)) && !cx.prove(&inside(&rem(&div(&t, &c), &b), &c)));
        assert!(!cx.prove(&inside(&div(&t, &a), &a)) && !cx.prove(&inside(&rem(&t, &a), &b)));
        assert!(!cx.prove(&inside(&div(&(&t + 1), &two), &a)) && !cx.prove(&inside(&div(&(&t - 1), &two), &a)));
    }
}

#[test]
fn pieces_of_dimensions_divide_as_dimensions_do() {
    let vars = ["n", "m", "k", "t"].map(|name| Var::new(name, DataType::I64));
    let mut cx = Analyzer::new();
    vars[..3].iter().for_each(|var| cx.bind_bounds(var, Some(0), None));
    let [n, m, k, t] = vars.clone().map(|var| Expr::var(&var));
    let (rows, columns) = (pieces(&m, 256), pieces(&k, 32));
    let all = &(&n * &rows) * &columns;
    cx.bind(&vars[3], &Range::up_to(all.clone()));
    let outermost = div(&t, &(&rows * &columns));
    assert!(!cx.prove(&inside(&outermost, &n)), "without an iteration there may be no columns");
    cx.assume_positive(&all);
    for var in &vars[..3] {
        assert_eq!(cx.bounds(&Expr::var(var)), IntBounds::new(Some(1), None));
    }
    let (row, column) = (rem(&div(&t, &columns), &rows), rem(&t, &columns));
    assert!(
        cx.prove(&inside(&outermost, &n)) && cx.prove(&inside(&row, &rows)) && cx.prove(&inside(&column, &columns))
    );
    // The last piece may be longer than what is left of the dimension.
    let last = &(&column * 32) + 31;
    assert!(!cx.prove(&inside(&last, &k)));
    assert!(cx.prove(&inside(&last, &(&k + 32))) && !cx.prove(&inside(&last, &(&k + 30))));
    let mut inner = |at: &Expr| {
        let scope = cx.enter();
        cx.assume(&compare(CmpOp::Lt, &last, &k));
        let proven = cx.prove(&inside(at, &k));
        cx.leave(scope);
        proven
    };
    assert!(inner(&(&column * 32)) && inner(&(&last - 3)) && !inner(&(&last + 1)));
}

#[test]
fn divisors_that_may_not_be_positive_prove_nothing() {
    for least in [None, Some(-3)] {
        let (cx, vars) = linear_indices(least, DataType::I64);
        let [a, b, c, t] = vars.map(|var| Expr::var(&var));
        let zero = Expr::i64(0);
        for index in [div(&t, &(&b * &c)), rem(&div(&t, &c), &b), rem(&t, &c), div(&t, &c)] {
            assert!(!cx.prove(&compare(CmpOp::Ge, &index, &zero)), "{index:?}");
            assert!(!cx.prove(&compare(CmpOp::Lt, &index, &a)), "{index:?}");
        }
    }
    let [t, d] = ["t", "d"].map(|name| Var::new(name, DataType::I64));
    for (min, max) in [(Some(0), None), (None, Some(-1)), (Some(-8), Some(8))] {
        let mut cx = Analyzer::new();
        cx.bind_bounds(&t, Some(0), None);
        cx.bind_bounds(&d, min, max);
        let (t, d) = (Expr::var(&t), Expr::var(&d));
        assert!(!cx.prove(&inside(&rem(&t, &d), &d)), "{min:?} {max:?}");
        assert!(!cx.prove(&compare(CmpOp::Ge, &(&div(&t, &d) * &d), &(&t - &d))), "{min:?} {max:?}");
    }
}

#[test]
fn values_from_memory_may_wrap_around_and_are_not_multiplied() {
    let (cx, vars) = linear_indices(Some(0), DataType::I32);
    let [a, b, c, t] = vars.map(|var| Expr::var(&var));
    let buffer = Buffer::new("A", vec![Expr::i32(4)], DataType::I32);
    let loaded = Expr::load(&buffer, vec![Expr::i32(0)]).unwrap();
    assert!(!cx.prove(&compare(CmpOp::Lt, &div(&t, &(&b * &c)), &(&a * &loaded))));
    assert!(!cx.prove(&inside(&rem(&loaded, &(&b * &loaded)), &(&b * &loaded))));
}

#[test]
fn factors_of_a_positive_product_are_positive() {
    let vars = ["n", "m", "k"].map(|name| Var::new(name, DataType::I64));
    let [n, m, k] = vars.clone().map(|var| Expr::var(&var));
    let least = |expr: &Expr, lows: [Option<i64>; 3]| {
        let mut cx = Analyzer::new();
        vars.iter().zip(lows).for_each(|(var, low)| cx.bind_bounds(var, low, None));
        let scope = cx.enter();
        cx.assume_positive(expr);
        let known = vars.clone().map(|var| cx.bounds(&Expr::var(&var)).min);
        cx.leave(scope);
        assert_eq!(vars.clone().map(|var| cx.bounds(&Expr::var(&var)).min), lows);
        known
    };
    let natural = [Some(0); 3];
    assert_eq!(least(&(&n * &m), natural), [Some(1), Some(1), Some(0)]);
    assert_eq!(least(&(&(&n * &pieces(&m, 8)) * 4), natural), [Some(1), Some(1), Some(0)]);
    assert_eq!(least(&(&n * &m), [None, Some(0), Some(0)]), [None, Some(0), Some(0)]);
    assert_eq!(least(&(&n * &m), [Some(-1), Some(0), Some(0)]), [Some(-1), Some(0), Some(0)]);
    assert_eq!(least(&div(&(&k - 1), &Expr::i64(4)), natural), [Some(0), Some(0), Some(5)]);
    assert_eq!(least(&(&(&n * 3) - 7), natural), [Some(3), Some(0), Some(0)]);
    let smaller = Expr::binary(BinOp::Min, &n, &(&m - 2)).unwrap();
    assert_eq!(least(&smaller, [None; 3]), [Some(1), Some(3), None]);
    // A sum or a maximum is positive without each part.
    assert_eq!(least(&(&n + &m), natural), natural);
    assert_eq!(least(&Expr::binary(BinOp::Max, &n, &m).unwrap(), natural), natural);
    assert_eq!(least(&(&Expr::i64(0) - &n), [None; 3]), [None; 3]);
    assert_eq!(least(&div(&n, &m), natural), natural);
}

#[test]
fn the_opposite_of_a_comparison_is_assumed() {
    let [n, m] = ["n", "m"].map(|name| Expr::var(&Var::new(name, DataType::I64)));
    for op in CmpOp::ALL {
        let condition = compare(op, &n, &m);
        let mut cx = Analyzer::new();
        cx.assume(&condition.not().unwrap());
        for proven in CmpOp::ALL.into_iter().filter(|&other| cx.prove(&compare(other, &n, &m))) {
            let agrees = |(x, y): (i64, i64)| op.holds(&x, &y) || proven.holds(&x, &y);
            assert!([(0, 1), (1, 1), (1, 0)].into_iter().all(agrees), "{op:?} {proven:?}");
        }
        assert_eq!(cx.prove(&compare(CmpOp::Le, &n, &m)), op == CmpOp::Gt || op == CmpOp::Ge || op == CmpOp::Ne);
    }
    let mut cx = Analyzer::new();
    let [x, y] = ["x", "y"].map(|name| Expr::var(&Var::new(name, DataType::F32)));
    cx.assume(&compare(CmpOp::Lt, &x, &y).not().unwrap());
    assert!(!cx.prove(&compare(CmpOp::Ge, &x, &y)), "neither holds of NaN");
}

fn random_index(random: &mut Random, vars: &[Expr], depth: u32) -> Expr {
    if depth == 0 || random.below(6) == 0 {
        return match random.below(6) {
            0 => Expr::i64(random.below(7) as i64 - 2),
            _ => random.pick(vars).clone(),
        };
    }
    let x = random_index(random, vars, depth - 1);
    let dims = &vars[..3];
    let mut divisor = random.pick(dims).clone();
    match random.below(4) {
        0 => divisor = &divisor * random.pick(dims),
        1 => divisor = pieces(&divisor, 2),
        _ => {}
    }
    match random.below(8) {
        0 | 1 => div(&x, &divisor),
        2 | 3 => rem(&x, &divisor),
        4 => &x * &divisor,
        5 => &x + &random_index(random, vars, depth - 1),
        6 => &x - &random_index(random, vars, depth - 1),
        _ => div(&x, &Expr::i64(2 + random.below(2) as i64)),
    }
}

#[test]
fn proofs_about_symbols_hold() {
    let (cx, vars) = linear_indices(Some(0), DataType::I64);
    let exprs = vars.clone().map(|var| Expr::var(&var));
    let mut random = Random(11);
    let (mut proven, mut values) = (0, Vec::new());
    for [a, b, c] in [[1, 1, 1], [1, 2, 3], [3, 1, 2], [2, 3, 1], [4, 3, 5], [2, 5, 2]] {
        for t in 0..a * b * c {
            values.push(vars.iter().map(Var::id).zip([a, b, c, t]).collect::<Map<VarId, i64>>());
        }
    }
    for _ in 0..10_000 {
        let (x, y) = (random_index(&mut random, &exprs, 3), random_index(&mut random, &exprs, 1));
        let condition = compare(*random.pick(&CmpOp::ALL), &x, &y);
        let (holds, simple) = (cx.prove(&condition), cx.simplify(&x));
        proven += usize::from(holds);
        let IntBounds { min, max } = cx.bounds(&x);
        for env in &values {
            let Some(value) = eval(&x, env) else { continue };
            assert_eq!(eval(&simple, env), Some(value), "{x:?}\n=> {simple:?}\n{env:?}");
            let value = value.as_int();
            assert!(min.is_none_or(|min| min <= value) && max.is_none_or(|max| value <= max), "{x:?}\n{env:?}");
            assert!(!holds || eval(&condition, env).map(Scalar::as_bool) != Some(false), "{condition:?}\n{env:?}");
        }
    }
    assert!(proven > 800, "{proven}");
}

#[test]
fn places_among_pieces_of_several_dimensions_are_in_their_piece() {
    let vars = ["n", "h", "t"].map(|name| Var::new(name, DataType::I64));
    let [n, h, t] = vars.clone().map(|var| Expr::var(&var));
    let of_line = pieces(&h, 256);
    let all = &(&n * &of_line) * 64;
    let mut cx = Analyzer::new();
    vars[..2].iter().for_each(|var| cx.bind_bounds(var, Some(0), None));
    cx.bind(&vars[2], &Range::up_to(all.clone()));
    cx.assume_positive(&all);
    assert_eq!(cx.bounds(&h), IntBounds::new(Some(1), None));
    let (batch, piece) = (div(&t, &of_line), rem(&t, &of_line));
    assert!(cx.prove(&inside(&piece, &of_line)));
    assert!(cx.prove(&inside(&batch, &(&n * 64))));
    assert!(cx.prove(&inside(&rem(&batch, &n), &n)) && cx.prove(&inside(&div(&batch, &n), &Expr::i64(64))));
    assert!(cx.prove(&inside(&rem(&batch, &Expr::i64(64)), &Expr::i64(64))));
    assert!(cx.prove(&inside(&div(&batch, &Expr::i64(64)), &n)));
}
