//! Solutions checked by trying all small values.

use tilewright_expr::node::VarId;
use tilewright_expr::{BinOp, CmpOp, Expr, Range, Var};
use tilewright_support::Map;
use tilewright_tensor::DataType;

use super::{
    IntConstraints, deduce_bound, detect_clip_bound, detect_linear_equation, smith_normal_form,
    solve_inequalities_to_range, solve_linear_equations, solve_linear_inequalities,
};
use crate::tests::{Random, eval, random_bool, random_int};
use crate::{Analyzer, IntSet};

type Env = Map<VarId, i64>;

fn vars(names: &[&str]) -> Vec<Var> {
    names.iter().map(|name| Var::new(*name, DataType::I64)).collect()
}

fn value(expr: &Expr, env: &Env) -> Option<i64> {
    eval(expr, env).map(|value| value.as_int())
}

fn holds(condition: &Expr, env: &Env) -> bool {
    value(condition, env) == Some(1)
}

fn op(op: BinOp, a: &Expr, b: &Expr) -> Expr {
    Expr::binary(op, a, b).unwrap()
}

/// Every assignment of values from `low` to `high`.
fn points(vars: &[Var], low: i64, high: i64) -> Vec<Env> {
    let side = high - low + 1;
    let count = side.pow(vars.len() as u32);
    let point = |mut n: i64| {
        let values = vars.iter().map(|var| {
            let value = low + n % side;
            n /= side;
            (var.id(), value)
        });
        values.collect()
    };
    (0..count).map(point).collect()
}

fn random_sum(random: &mut Random, vars: &[Var], size: u64) -> Expr {
    let coefficient = |random: &mut Random| random.below(2 * size + 1) as i64 - size as i64;
    let start = Expr::i64(coefficient(random));
    vars.iter().fold(start, |sum, var| &sum + &(&Expr::var(var) * coefficient(random)))
}

fn product(a: &[Vec<i64>], b: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let columns = b.first().map_or(0, Vec::len);
    let entry = |row: &Vec<i64>, j: usize| row.iter().zip(b).map(|(x, other)| x * other[j]).sum();
    a.iter().map(|row| (0..columns).map(|j| entry(row, j)).collect()).collect()
}

#[test]
fn the_normal_form_is_diagonal_and_its_steps_can_be_taken_back() {
    let mut random = Random(19);
    for _ in 0..3_000 {
        let (rows, columns) = (1 + random.below(4) as usize, 1 + random.below(4) as usize);
        let matrix: Vec<Vec<i64>> =
            (0..rows).map(|_| (0..columns).map(|_| random.below(15) as i64 - 7).collect()).collect();
        let form = smith_normal_form(&matrix, columns).unwrap();
        for (i, row) in product(&product(&form.left, &matrix), &form.right).iter().enumerate() {
            for (j, &entry) in row.iter().enumerate() {
                assert_eq!(entry, if i == j { form.diagonal[i] } else { 0 }, "{matrix:?}");
            }
        }
        let one = product(&form.right, &form.right_inverse);
        assert!(one.iter().enumerate().all(|(i, row)| row.iter().enumerate().all(|(j, &e)| e == i64::from(i == j))));
        let divides = |pair: &[i64]| pair[0] >= 0 && if pair[0] == 0 { pair[1] == 0 } else { pair[1] % pair[0] == 0 };
        assert!(form.diagonal.windows(2).all(divides), "{:?}", form.diagonal);
    }
    assert_eq!(smith_normal_form(&[vec![2, 4], vec![6, 8]], 2).unwrap().diagonal, [2, 4]);
    assert!(smith_normal_form(&[vec![1], vec![1, 2]], 1).is_none());
}

#[test]
fn equations_have_the_solutions_of_their_parameters() {
    let mut random = Random(5);
    let (mut solved, mut impossible) = (0, 0);
    for _ in 0..400 {
        let x = vars(&["x", "y", "z"]);
        let equations = 1 + random.below(2);
        let mut relations: Vec<Expr> = Vec::new();
        for _ in 0..equations {
            let sum = random_sum(&mut random, &x, 4);
            relations.push(Expr::compare(CmpOp::Eq, &sum, &Expr::i64(0)).unwrap());
        }
        let range = Range::new(Expr::i64(-4), Expr::i64(9));
        let ranges = x.iter().map(|var| (var.clone(), range.clone())).collect();
        let system = IntConstraints { variables: x.clone(), ranges, relations: relations.clone() };
        let cx = Analyzer::new();
        let found = solve_linear_equations(&cx, &system);
        let mut any = false;
        for env in points(&x, -4, 4).iter().filter(|env| relations.iter().all(|r| holds(r, env))) {
            any = true;
            let there: Env = found.dst_to_src.iter().map(|(var, e)| (var.id(), value(e, env).unwrap())).collect();
            assert!(found.dst.relations.iter().all(|r| holds(r, &there)), "{:?}", found.dst.relations);
            for (var, e) in &found.src_to_dst {
                assert_eq!(value(e, &there), env.get(&var.id()).copied());
            }
            for (var, range) in &found.dst.ranges {
                let at = there[&var.id()] - value(&range.min, &there).unwrap();
                assert!((0..value(&range.extent, &there).unwrap()).contains(&at));
            }
        }
        for there in points(&found.dst.variables, -3, 3) {
            if found.dst.relations.iter().all(|r| holds(r, &there)) {
                any = true;
                let back: Env = found.src_to_dst.iter().map(|(var, e)| (var.id(), value(e, &there).unwrap())).collect();
                assert!(relations.iter().all(|r| holds(r, &back)), "{relations:?}");
            }
        }
        let never = found.dst.relations.iter().any(|r| r.as_int() == Some(0));
        assert!(!(never && any));
        solved += usize::from(any);
        impossible += usize::from(never);
    }
    assert!(solved > 250 && impossible > 20, "{solved} {impossible}");
}

#[test]
fn symbolic_equations_keep_their_conditions() {
    let [x, n] = <[Var; 2]>::try_from(vars(&["x", "n"])).unwrap();
    let twice = Expr::compare(CmpOp::Eq, &(&Expr::var(&x) * 2), &Expr::var(&n)).unwrap();
    let system = IntConstraints { variables: vec![x], ranges: Vec::new(), relations: vec![twice] };
    let found = solve_linear_equations(&Analyzer::new(), &system);
    let even = Expr::compare(CmpOp::Eq, &op(BinOp::FloorMod, &Expr::var(&n), &Expr::i64(2)), &Expr::i64(0)).unwrap();
    assert!(found.dst.variables.is_empty() && found.dst.relations.len() == 1 && found.dst.relations[0].equal(&even));
    let half = op(BinOp::FloorDiv, &Expr::var(&n), &Expr::i64(2));
    assert!(found.src_to_dst[0].1.equal(&half));
}

#[test]
fn every_solution_of_inequalities_lies_in_their_bounds() {
    let mut random = Random(31);
    let mut met = 0;
    for _ in 0..150 {
        let x = vars(&["x", "y", "z"]);
        let relations: Vec<Expr> = (0..1 + random.below(4))
            .map(|_| {
                let sum = random_sum(&mut random, &x, 3);
                let op = *random.pick(&[CmpOp::Lt, CmpOp::Le, CmpOp::Ge, CmpOp::Gt, CmpOp::Le, CmpOp::Eq, CmpOp::Ne]);
                Expr::compare(op, &sum, &Expr::i64(0)).unwrap()
            })
            .collect();
        let range = Range::new(Expr::i64(-3), Expr::i64(7));
        let ranges = x.iter().map(|var| (var.clone(), range.clone())).collect();
        let system = IntConstraints { variables: x.clone(), ranges, relations: relations.clone() };
        let cx = Analyzer::new();
        let solution = solve_linear_inequalities(&cx, &system);
        let ranges = solve_inequalities_to_range(&cx, &system);
        for env in points(&x, -3, 3).iter().filter(|env| relations.iter().all(|r| holds(r, env))) {
            met += 1;
            assert!(solution.others.iter().all(|r| holds(r, env)), "{relations:?}\n{:?}", solution.others);
            for (var, bounds) in &solution.bounds {
                let at = bounds.coef * env[&var.id()];
                let all = |exprs: &[Expr], f: &dyn Fn(i64) -> bool| exprs.iter().all(|e| f(value(e, env).unwrap()));
                assert!(all(&bounds.lower, &|low| low <= at) && all(&bounds.upper, &|high| at <= high));
                assert!(all(&bounds.equal, &|equal| at == equal));
            }
            for (var, range) in &ranges.ranges {
                let at = env[&var.id()] - value(&range.min, env).unwrap();
                assert!((0..value(&range.extent, env).unwrap()).contains(&at), "{relations:?}\n{range:?}");
            }
            assert!(ranges.relations.iter().all(|r| holds(r, env)));
        }
        // The last variable's bounds are numbers: each is attained, without further conditions.
        let (_, last) = solution.bounds.last().unwrap();
        assert!(last.lower.iter().chain(&last.upper).all(|e| e.as_int().is_some()));
    }
    assert!(met > 3_000, "{met}");
}

#[test]
fn impossible_inequalities_say_so() {
    let x = vars(&["x"]);
    let at = |op, c| Expr::compare(op, &Expr::var(&x[0]), &Expr::i64(c)).unwrap();
    let relations = vec![at(CmpOp::Lt, 0), at(CmpOp::Gt, 3)];
    let system = IntConstraints { variables: x.clone(), ranges: Vec::new(), relations };
    let others = solve_linear_inequalities(&Analyzer::new(), &system).others;
    assert!(others.len() == 1 && others[0].as_int() == Some(0));
}

#[test]
fn a_deduced_bound_makes_the_condition_hold() {
    let v = vars(&["v", "r", "n"]);
    let exprs: Vec<Expr> = v.iter().map(Expr::var).collect();
    let mut random = Random(13);
    let mut solved = 0;
    for _ in 0..4_000 {
        let condition = random_bool(&mut random, &exprs, 2);
        let relaxed = [(v[1].clone(), IntSet::interval(Some(Expr::i64(-2)), Some(Expr::i64(3))))];
        let Some(set) = deduce_bound(&Analyzer::new(), &v[0], &condition, &relaxed) else { continue };
        solved += 1;
        for env in points(&v[..1], -9, 9) {
            for n in [-2, 0, 5] {
                let mut env = env.clone();
                env.insert(v[2].id(), n);
                env.insert(v[1].id(), 0);
                let end = |end: Option<&Expr>| end.and_then(|end| value(end, &env));
                let at = env[&v[0].id()];
                let inside = !set.is_nothing()
                    && end(set.min_value()).is_none_or(|min| min <= at)
                    && end(set.max_value()).is_none_or(|max| at <= max);
                for r in -2..=3 {
                    env.insert(v[1].id(), r);
                    assert!(!inside || value(&condition, &env) != Some(0), "{condition:?}\n{set:?} {env:?}");
                }
            }
        }
    }
    assert!(solved > 500, "{solved}");
    let (v, n) = (&exprs[0], &exprs[2]);
    let bound = |condition: &Expr| deduce_bound(&Analyzer::new(), &vars_of(v), condition, &[]).unwrap();
    let below = bound(&Expr::compare(CmpOp::Lt, &op(BinOp::FloorDiv, &(v + 3), &Expr::i64(4)), n).unwrap());
    assert!(below.max_value().is_some_and(|max| max.equal(&(&(n * 4) - 4))), "{below:?}");
}

fn vars_of(expr: &Expr) -> Var {
    expr.as_var().cloned().unwrap()
}

#[test]
fn linear_forms_have_the_value_of_their_expression() {
    let v = vars(&["i", "j", "n", "m"]);
    let exprs: Vec<Expr> = v.iter().map(Expr::var).collect();
    let mut random = Random(71);
    let (mut found, cx) = (0, Analyzer::new());
    for _ in 0..4_000 {
        let expr = random_int(&mut random, &exprs, 3);
        let Some(form) = detect_linear_equation(&cx, &expr, &v[..2]) else { continue };
        found += 1;
        assert!(form.coefficients.iter().chain([&form.base]).all(|e| !tilewright_expr::node::mentions(e, &v[..2])));
        let (i, j) = (&form.coefficients[0] * &exprs[0], &form.coefficients[1] * &exprs[1]);
        let sum = &(&i + &j) + &form.base;
        for _ in 0..8 {
            let env: Env = v.iter().map(|var| (var.id(), random.below(13) as i64 - 6)).collect();
            let Some(expected) = value(&expr, &env) else { continue };
            assert_eq!(value(&sum, &env), Some(expected), "{expr:?}\n{form:?}");
        }
    }
    assert!(found > 1_000, "{found}");
    let form = detect_linear_equation(&cx, &(&(&exprs[0] + 1) * &exprs[2]), &v[..1]).unwrap();
    assert!(form.coefficients[0].equal(&exprs[2]) && form.base.equal(&exprs[2]));
}

#[test]
fn clip_bounds_are_equivalent_to_the_condition() {
    let v = vars(&["i", "j", "n"]);
    let exprs: Vec<Expr> = v.iter().map(Expr::var).collect();
    let mut random = Random(29);
    let mut found = 0;
    for _ in 0..3_000 {
        let compare = |random: &mut Random| {
            let at = random.below(2) as usize;
            let side = &exprs[at] * *random.pick(&[1, -1, 1, 2]);
            let other = &(&exprs[2] * (random.below(3) as i64 - 1)) + (random.below(9) as i64 - 4);
            Expr::compare(*random.pick(&CmpOp::ALL), &side, &other).unwrap()
        };
        let condition = op(BinOp::And, &compare(&mut random), &compare(&mut random));
        let Some(bounds) = detect_clip_bound(&Analyzer::new(), &condition, &v[..2]) else { continue };
        found += 1;
        for env in points(&v, -3, 3) {
            let inside = v.iter().zip(&bounds).all(|(var, bound)| {
                let at = env[&var.id()];
                let end = |end: &Option<Expr>| end.as_ref().and_then(|end| value(end, &env));
                end(&bound.min).is_none_or(|min| min <= at) && end(&bound.max).is_none_or(|max| at <= max)
            });
            assert_eq!(inside, holds(&condition, &env), "{condition:?}\n{bounds:?}");
        }
    }
    assert!(found > 300, "{found}");
}
