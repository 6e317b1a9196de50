//! Every rule on random values: both sides are evaluated by the table of semantics.

use tilewright_expr::node::VarId;
use tilewright_expr::semantics::{self, Scalar};
use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, ExprKind, Intrinsic, Range, Var};
use tilewright_support::Map;
use tilewright_tensor::DataType;

use crate::{Analyzer, ConstIntBound, IntBounds, ModularSet};

/// Values of variables; `None` where an operation faults.
pub(crate) fn eval(expr: &Expr, env: &Map<VarId, i64>) -> Option<Scalar> {
    Some(match &expr.kind {
        ExprKind::Int(value) => Scalar::from_int(*value, expr.dtype),
        ExprKind::Float(value) => Scalar::from_float(value.0, expr.dtype),
        ExprKind::Var(var) => Scalar::from_int(*env.get(&var.id())?, expr.dtype),
        ExprKind::Binary(op, a, b) => semantics::binary(*op, eval(a, env)?, eval(b, env)?).ok()?,
        ExprKind::Compare(op, a, b) => semantics::compare(*op, eval(a, env)?, eval(b, env)?),
        ExprKind::Not(a) => Scalar::from_bool(!eval(a, env)?.as_bool()),
        ExprKind::Cast(a) => semantics::cast(eval(a, env)?, expr.dtype),
        ExprKind::Select { condition, then, otherwise } => {
            let (c, a, b) = (eval(condition, env)?, eval(then, env)?, eval(otherwise, env)?);
            if c.as_bool() { a } else { b }
        }
        ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => {
            eval(&args[if eval(&args[0], env)?.as_bool() { 1 } else { 2 }], env)?
        }
        ExprKind::Call { intrinsic, args } => {
            let args = args.iter().map(|arg| eval(arg, env)).collect::<Option<Vec<_>>>()?;
            semantics::intrinsic(*intrinsic, &args).ok()?
        }
        _ => return None,
    })
}

/// A small generator, so that a failure comes back on every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    pub(crate) fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len() as u64) as usize]
    }
}

fn binary(op: BinOp, a: &Expr, b: &Expr) -> Expr {
    Expr::binary(op, a, b).unwrap()
}

fn compare(op: CmpOp, a: &Expr, b: &Expr) -> Expr {
    Expr::compare(op, a, b).unwrap()
}

/// Counts of bits to shift by to the left: few, as sums of indices do not wrap around, or those of the width or more.
const LEFT: [i64; 6] = [0, 1, 2, 3, 64, -1];
const RIGHT: [i64; 9] = [0, 1, 2, 3, 31, 32, 40, 64, -1];

pub(crate) fn random_int(random: &mut Random, vars: &[Expr], depth: u32) -> Expr {
    if depth == 0 || random.below(8) == 0 {
        return match random.below(3) {
            0 => Expr::int(random.below(13) as i64 - 4, vars[0].dtype),
            _ => random.pick(vars).clone(),
        };
    }
    let a = random_int(random, vars, depth - 1);
    let b = random_int(random, vars, depth - 1);
    let divisor = Expr::int(*random.pick(&[1, 2, 3, 4, 6, 8, 12]), a.dtype);
    match random.below(18) {
        0..=2 => &a + &b,
        3 | 4 => &a - &b,
        5 => &a * &divisor,
        6 => binary(BinOp::FloorDiv, &a, &divisor),
        7 => binary(BinOp::FloorMod, &a, &divisor),
        8 => binary(*random.pick(&[BinOp::Div, BinOp::Mod]), &a, &divisor),
        9 => binary(BinOp::Min, &a, &b),
        10 => binary(BinOp::Max, &a, &b),
        11 => Expr::select(&random_bool(random, vars, depth - 1), &a, &b).unwrap(),
        12 => binary(*random.pick(&[BinOp::FloorDiv, BinOp::FloorMod]), &a, &b),
        13 => binary(*random.pick(&[BinOp::Div, BinOp::Mod]), &a, &b),
        14 => Expr::call(Intrinsic::Abs, &[a]).unwrap(),
        15 => binary(BinOp::Shl, &a, &Expr::int(*random.pick(&LEFT), a.dtype)),
        16 => binary(BinOp::Shr, &a, &Expr::int(*random.pick(&RIGHT), a.dtype)),
        _ => &a * &b,
    }
}

pub(crate) fn random_bool(random: &mut Random, vars: &[Expr], depth: u32) -> Expr {
    if depth > 0 && random.below(3) == 0 {
        let a = random_bool(random, vars, depth - 1);
        let b = random_bool(random, vars, depth - 1);
        return match random.below(3) {
            0 => binary(BinOp::And, &a, &b),
            1 => binary(BinOp::Or, &a, &b),
            _ => a.not().unwrap(),
        };
    }
    let a = random_int(random, vars, depth.saturating_sub(1));
    let b = random_int(random, vars, depth.saturating_sub(1));
    compare(*random.pick(&CmpOp::ALL), &a, &b)
}

struct Setting {
    analyzer: Analyzer,
    vars: Vec<Var>,
    ranges: Vec<(i64, i64)>,
}

impl Setting {
    /// `n` with constant bounds, `i` and `j` below constants, `k` in `0..n`.
    fn new(dtype: DataType) -> Self {
        let vars: Vec<Var> = ["n", "i", "j", "k"].map(|name| Var::new(name, dtype)).to_vec();
        let mut analyzer = Analyzer::new();
        analyzer.bind_bounds(&vars[0], Some(1), Some(9));
        analyzer.bind(&vars[1], &Range::up_to(Expr::int(4, dtype)));
        analyzer.bind(&vars[2], &Range::new(Expr::int(-3, dtype), Expr::int(8, dtype)));
        analyzer.bind(&vars[3], &Range::up_to(Expr::var(&vars[0])));
        Self { analyzer, vars, ranges: vec![(1, 9), (0, 3), (-3, 4), (0, 8)] }
    }

    fn draw(&self, random: &mut Random) -> Map<VarId, i64> {
        let mut env = Map::default();
        for (var, &(low, high)) in self.vars.iter().zip(&self.ranges) {
            env.insert(var.id(), low + random.below((high - low + 1) as u64) as i64);
        }
        let n = env[&self.vars[0].id()];
        env.insert(self.vars[3].id(), random.below(n as u64) as i64);
        env
    }

    fn exprs(&self) -> Vec<Expr> {
        self.vars.iter().map(Expr::var).collect()
    }
}

#[test]
fn simplified_expressions_have_the_same_value_and_lie_in_their_bounds() {
    let mut compared = 0;
    for dtype in [DataType::I32, DataType::I64] {
        let setting = Setting::new(dtype);
        let vars = setting.exprs();
        let mut random = Random(7);
        for round in 0..12_000 {
            let expr =
                if round % 3 == 0 { random_bool(&mut random, &vars, 3) } else { random_int(&mut random, &vars, 4) };
            let simple = setting.analyzer.simplify(&expr);
            let canonical = setting.analyzer.canonical_simplify(&expr);
            let IntBounds { min, max } = setting.analyzer.bounds(&expr);
            let modular = setting.analyzer.modular_set(&expr);
            for _ in 0..6 {
                let env = setting.draw(&mut random);
                let Some(expected) = eval(&expr, &env) else { continue };
                compared += 1;
                assert_eq!(eval(&simple, &env), Some(expected), "{expr:?}\n=> {simple:?}\n{env:?}");
                assert_eq!(eval(&canonical, &env), Some(expected), "{expr:?}\n=> {canonical:?}\n{env:?}");
                let value = expected.as_int();
                assert!(
                    min.is_none_or(|m| m <= value) && max.is_none_or(|m| value <= m),
                    "{value} in {min:?}..{max:?}"
                );
                assert!(modular.contains(value), "{value} in {modular:?}: {expr:?}");
            }
        }
    }
    assert!(compared > 100_000, "{compared}");
}

#[test]
fn remainders_are_known_and_used() {
    let mut cx = Analyzer::new();
    let var = Var::new("n", DataType::I64);
    let n = Expr::var(&var);
    let rem = |a: &Expr, c| binary(BinOp::FloorMod, a, &Expr::i64(c));
    let div = |a: &Expr, c| binary(BinOp::FloorDiv, a, &Expr::i64(c));
    assert_eq!(cx.modular_set(&(&(&n * 6) + 4)), ModularSet { coeff: 6, base: 4 });
    let scope = cx.enter();
    cx.assume(&compare(CmpOp::Eq, &rem(&n, 8), &Expr::i64(0)));
    check(&cx, &rem(&n, 4), &Expr::i64(0));
    check(&cx, &(&div(&n, 8) * 8), &n);
    check(&cx, &rem(&(&n + 3), 4), &Expr::i64(3));
    assert!(cx.prove_different(&n, &Expr::i64(4)));
    cx.leave(scope);
    assert!(!cx.prove(&compare(CmpOp::Eq, &rem(&n, 4), &Expr::i64(0))));
    cx.update_modular(&var, ModularSet::new(12, 7));
    cx.update_modular(&var, ModularSet::new(8, 3));
    assert_eq!(cx.modular_set(&n), ModularSet { coeff: 24, base: 19 });
    let (m, set) = (Var::new("m", DataType::I64), ConstIntBound::new(ConstIntBound::NEG_INF, 9));
    cx.update_bound(&m, set);
    assert_eq!(cx.const_int_bound(&Expr::var(&m)), set);
    assert_eq!(cx.const_int_bound(&Expr::var(&m)).to_string(), "ConstIntBound[neg_inf, 9]");
    cx.bind_replaced(&m, &(&n + 1));
    check(&cx, &(&Expr::var(&m) * 2), &(&(&n * 2) + 2));
}

#[test]
fn the_canonical_order_depends_on_names_only() {
    let vars = ["b", "a", "c"].map(|name| Expr::var(&Var::new(name, DataType::I64)));
    let [b, a, c] = &vars;
    let cx = Analyzer::new();
    let min = |x: &Expr, y: &Expr| binary(BinOp::Min, x, y);
    let product = |x: &Expr, y: &Expr| x * y;
    for (left, right) in
        [(&(a + b) + c, &(c + b) + a), (min(&(a + b), c), min(c, &(b + a))), (&product(b, c) + a, a + &product(c, b))]
    {
        let (left, right) = (cx.canonical_simplify(&left), cx.canonical_simplify(&right));
        assert!(left.equal(&right), "{left:?}\n{right:?}");
    }
    assert!(cx.canonical_simplify(&(b + a)).equal(&(a + b)));
}

#[test]
fn proofs_hold() {
    let setting = Setting::new(DataType::I64);
    let vars = setting.exprs();
    let mut random = Random(99);
    let mut proven = 0;
    for _ in 0..8_000 {
        let condition = random_bool(&mut random, &vars, 3);
        if !setting.analyzer.prove(&condition) {
            continue;
        }
        proven += 1;
        for _ in 0..12 {
            let env = setting.draw(&mut random);
            assert_ne!(eval(&condition, &env).map(Scalar::as_bool), Some(false), "{condition:?}");
        }
    }
    assert!(proven > 1000, "{proven}");
}

#[test]
fn assumptions_are_used_and_dropped_with_their_scope() {
    let setting = Setting::new(DataType::I64);
    let vars = setting.exprs();
    let mut random = Random(5);
    for _ in 0..4_000 {
        let mut analyzer = Setting { analyzer: Analyzer::new(), vars: Vec::new(), ranges: Vec::new() }.analyzer;
        let (assumed, condition) = (random_bool(&mut random, &vars, 2), random_bool(&mut random, &vars, 2));
        analyzer.assume(&assumed);
        let simple = analyzer.simplify(&condition);
        for _ in 0..12 {
            let env = setting.draw(&mut random);
            if eval(&assumed, &env).is_some_and(Scalar::as_bool)
                && let Some(expected) = eval(&condition, &env)
            {
                assert_eq!(eval(&simple, &env), Some(expected), "{assumed:?}\n{condition:?}\n{simple:?}");
            }
        }
    }
    let (mut analyzer, a, b) = (Analyzer::new(), &vars[1], &vars[2]);
    let scope = analyzer.enter();
    analyzer.assume(&compare(CmpOp::Lt, a, b));
    assert!(analyzer.prove(&compare(CmpOp::Le, &(a + 1), b)));
    analyzer.leave(scope);
    assert!(!analyzer.prove(&compare(CmpOp::Le, &(a + 1), b)));
}

#[track_caller]
fn check(analyzer: &Analyzer, expr: &Expr, expected: &Expr) {
    let simple = analyzer.simplify(expr);
    assert!(simple.equal(expected), "{expr:?}\n=> {simple:?}\nexpected {expected:?}");
}

/// Rows of a tensor from a loop over all of its elements in pieces, the last of which is partial.
#[test]
fn quotients_are_bounded_by_assumptions_about_their_sum() {
    for (piece, row, rows) in [(6, 2, 8), (23_552, 1024, 256), (12, 4, 5)] {
        let [o, i] = ["o", "i"].map(|name| Var::new(name, DataType::I64));
        let mut analyzer = Analyzer::new();
        let end = Expr::i64(rows * row);
        analyzer.bind(&o, &Range::up_to(Expr::i64(rows * row / piece + 1)));
        analyzer.bind(&i, &Range::up_to(Expr::i64(piece)));
        let at = &(&Expr::var(&o) * piece) + &Expr::var(&i);
        let quotient = binary(BinOp::FloorDiv, &at, &Expr::i64(row));
        assert!(!analyzer.prove(&compare(CmpOp::Lt, &quotient, &Expr::i64(rows))));
        analyzer.assume(&compare(CmpOp::Lt, &at, &end));
        assert!(analyzer.prove(&compare(CmpOp::Lt, &quotient, &Expr::i64(rows))), "{piece} {row} {rows}");
        assert!(!analyzer.prove(&compare(CmpOp::Lt, &quotient, &Expr::i64(rows - 1))));
    }
}

fn tile(dtype: DataType) -> (Analyzer, [Expr; 4]) {
    let vars = ["io", "ii", "n", "m"].map(|name| Var::new(name, dtype));
    let mut analyzer = Analyzer::new();
    analyzer.bind(&vars[0], &Range::up_to(Expr::int(16, dtype)));
    analyzer.bind(&vars[1], &Range::up_to(Expr::int(8, dtype)));
    analyzer.bind_bounds(&vars[2], Some(1), None);
    analyzer.bind(&vars[3], &Range::up_to(Expr::var(&vars[2])));
    (analyzer, vars.map(|var| Expr::var(&var)))
}

#[test]
fn split_and_fused_indices_come_back() {
    let (cx, [io, ii, n, m]) = tile(DataType::I64);
    let div = |a: &Expr, b: &Expr| binary(BinOp::FloorDiv, a, b);
    let rem = |a: &Expr, b: &Expr| binary(BinOp::FloorMod, a, b);
    let eight = Expr::i64(8);
    let fused = &(&io * &eight) + &ii;
    check(&cx, &div(&fused, &eight), &io);
    check(&cx, &rem(&fused, &eight), &ii);
    check(&cx, &(&(&div(&n, &eight) * 8) + &rem(&n, &eight)), &n);
    // The same with a symbolic extent.
    let fused = &(&io * &n) + &m;
    check(&cx, &div(&fused, &n), &io);
    check(&cx, &rem(&fused, &n), &m);
    check(&cx, &div(&div(&n, &eight), &Expr::i64(4)), &div(&n, &Expr::i64(32)));
    check(&cx, &rem(&rem(&n, &Expr::i64(32)), &eight), &rem(&n, &eight));
    check(&cx, &div(&(&(&n * 4) + 3), &eight), &div(&n, &Expr::i64(2)));
    check(&cx, &div(&(&div(&n, &eight) + 2), &Expr::i64(3)), &div(&(&n + 16), &Expr::i64(24)));
    check(&cx, &div(&div(&(&n - 2), &Expr::i64(5)), &Expr::i64(3)), &(&div(&(&n + 13), &Expr::i64(15)) - 1));
}

#[test]
fn truncated_remainders_are_no_further_from_zero_than_the_dividend() {
    let z = Var::new("z", DataType::I64);
    let mut cx = Analyzer::new();
    cx.bind(&z, &Range::new(Expr::i64(-5), Expr::i64(10)));
    let z = Expr::var(&z);
    let rem = |a: &Expr, b: i64| binary(BinOp::Mod, a, &Expr::i64(b));
    assert_eq!(cx.const_int_bound(&rem(&z, 16)), ConstIntBound::new(-5, 4));
    assert_eq!(cx.const_int_bound(&rem(&z, 3)), ConstIntBound::new(-2, 2));
    check(&cx, &rem(&z, 16), &z);
    check(&cx, &rem(&rem(&z, 3), 8), &rem(&z, 3));
    check(&cx, &binary(BinOp::Div, &z, &Expr::i64(6)), &Expr::i64(0));
    check(&cx, &binary(BinOp::Div, &z, &Expr::i64(5)), &binary(BinOp::Div, &z, &Expr::i64(5)));
}

#[test]
fn conditions_inside_tiles_vanish_and_tails_stay() {
    let (mut cx, [io, ii, n, m]) = tile(DataType::I64);
    let fused = &(&io * 8) + &ii;
    check(&cx, &compare(CmpOp::Lt, &fused, &Expr::i64(128)), &Expr::bool(true));
    check(&cx, &compare(CmpOp::Lt, &fused, &Expr::i64(127)), &compare(CmpOp::Lt, &fused, &Expr::i64(127)));
    check(&cx, &compare(CmpOp::Ge, &m, &n), &Expr::bool(false));
    check(&cx, &compare(CmpOp::Gt, &(&n + 1), &n), &Expr::bool(true));
    check(&cx, &compare(CmpOp::Lt, &(&io * 8), &Expr::i64(60)), &compare(CmpOp::Lt, &io, &Expr::i64(8)));
    // A tail loop: `j` below `min(8, n - 8·io)` keeps `8·io + j` below `n`.
    let j = Var::new("j", DataType::I64);
    let room = &n - &(&io * 8);
    cx.bind(&j, &Range::up_to(binary(BinOp::Min, &Expr::i64(8), &room)));
    assert!(cx.prove(&compare(CmpOp::Lt, &(&(&io * 8) + &Expr::var(&j)), &n)));
    assert!(!cx.prove(&compare(CmpOp::Lt, &(&(&io * 8) + &ii), &n)));
}

#[test]
fn different_and_equal_dimensions_are_told_apart() {
    let (cx, [io, ii, n, m]) = tile(DataType::I64);
    assert!(cx.prove_different(&(&n + 1), &n) && !cx.prove_different(&n, &io));
    assert!(cx.prove_different(&(&n * 2), &(&(&m * 4) + 1)));
    assert!(cx.prove_equal(&(&(&n + 1) * &m), &(&(&m * &n) + &m)));
    assert!(cx.prove_equal(&(&io + &ii), &(&ii + &io)));
    let narrow = Var::new("i", DataType::I32);
    let wide = Expr::var(&narrow).cast(DataType::I64).unwrap();
    assert!(cx.prove_equal(&(&Expr::var(&narrow) + 1).cast(DataType::I64).unwrap(), &(&wide + 1)));
}

#[test]
fn integers_from_memory_may_wrap_around() {
    let cx = Analyzer::new();
    let buffer = Buffer::new("A", vec![Expr::i32(4)], DataType::I32);
    let loaded = Expr::load(&buffer, vec![Expr::i32(0)]).unwrap();
    let greater = compare(CmpOp::Lt, &loaded, &(&loaded + 1));
    assert!(cx.simplify(&greater).as_int().is_none());
    check(&cx, &(&(&loaded + 1) - 1), &loaded);
    assert_eq!(cx.bounds(&(&loaded + 1)), IntBounds::of_type(DataType::I32));
    let byte = Expr::load(&Buffer::new("B", vec![Expr::i32(4)], DataType::U8), vec![Expr::i32(0)]).unwrap();
    let index = byte.cast(DataType::I32).unwrap();
    assert!(cx.prove(&compare(CmpOp::Lt, &(&index + 1), &Expr::i32(257))));
}

#[test]
fn vectors_stay_ramps_and_masks_vanish_where_they_are_full() {
    let (cx, [io, _, n, _]) = tile(DataType::I64);
    let ramp = |base: &Expr, stride| Expr::ramp(base, &Expr::i64(stride), 8).unwrap();
    let lanes = |e: &Expr| e.broadcast(8).unwrap();
    check(&cx, &(&ramp(&(&io * 8), 1) + &lanes(&n)), &ramp(&(&(&io * 8) + &n), 1));
    check(&cx, &(&ramp(&io, 1) * &lanes(&Expr::i64(4))), &ramp(&(&io * 4), 4));
    let full = compare(CmpOp::Lt, &ramp(&(&io * 8), 1), &lanes(&Expr::i64(128)));
    check(&cx, &full, &lanes(&Expr::bool(true)));
    let tail = compare(CmpOp::Lt, &ramp(&(&io * 8), 1), &lanes(&Expr::i64(127)));
    assert!(cx.simplify(&tail).equal(&tail));
}

#[test]
fn shifts_by_the_width_or_more_leave_nothing() {
    for dtype in [DataType::I32, DataType::I64] {
        let x = Var::new("x", dtype);
        let mut cx = Analyzer::new();
        cx.bind_bounds(&x, Some(-5), Some(-1));
        let shifted = |op, by| binary(op, &Expr::var(&x), &Expr::int(by, dtype));
        for by in [i64::from(dtype.bits), i64::from(dtype.bits) + 8, -1] {
            assert_eq!(cx.bounds(&shifted(BinOp::Shr, by)), IntBounds::constant(0), "{dtype} >> {by}");
            assert_eq!(cx.bounds(&shifted(BinOp::Shl, by)), IntBounds::constant(0), "{dtype} << {by}");
            let negative = compare(CmpOp::Lt, &shifted(BinOp::Shr, by), &Expr::int(0, dtype));
            assert_eq!(cx.simplify(&negative).as_int(), Some(0), "{dtype} >> {by}");
        }
        assert_eq!(cx.bounds(&shifted(BinOp::Shr, i64::from(dtype.bits) - 1)), IntBounds::constant(-1));
        assert_eq!(cx.bounds(&shifted(BinOp::Shr, 1)), IntBounds::new(Some(-3), Some(-1)));
    }
}

#[test]
fn the_size_of_the_least_value_is_not_bounded() {
    let w = Var::new("w", DataType::I64);
    for extreme in [BinOp::Min, BinOp::Max] {
        let least = binary(extreme, &Expr::var(&w), &Expr::i64(i64::MIN));
        let size = Expr::call(Intrinsic::Abs, &[least]).unwrap();
        let simple = Analyzer::new().simplify(&size);
        let IntBounds { min, .. } = Analyzer::new().bounds(&size);
        for value in [i64::MIN, -7, 0, 7] {
            let env: Map<VarId, i64> = [(w.id(), value)].into_iter().collect();
            assert_eq!(eval(&simple, &env), eval(&size, &env), "{value}: {simple:?}");
            assert!(eval(&size, &env).is_some_and(|size| min.is_none_or(|min| min <= size.as_int())), "{value}");
        }
    }
}

#[test]
fn floats_are_folded_and_never_reordered() {
    let cx = Analyzer::new();
    let x = Expr::var(&Var::new("x", DataType::F32));
    let one = Expr::float(1.0, DataType::F32);
    let sum = binary(BinOp::Sub, &binary(BinOp::Add, &x, &one), &one);
    check(&cx, &sum, &sum);
    check(&cx, &binary(BinOp::Add, &one, &one), &Expr::float(2.0, DataType::F32));
}

#[test]
fn long_sums_and_shared_terms_take_linear_time() {
    let cx = Analyzer::new();
    let vars: Vec<Var> = (0..10_000).map(|i| Var::new(format!("x{i}"), DataType::I64)).collect();
    let sum = vars.iter().fold(Expr::i64(0), |sum, var| &sum + &Expr::var(var));
    let twice = &sum + &sum;
    assert!(cx.prove_equal(&(&twice - &sum), &sum));
    assert_eq!(cx.simplify(&(&sum - &sum)).as_int(), Some(0));
    let x = Expr::var(&Var::new("x", DataType::I64));
    let doubled = (0..40).fold(x.clone(), |x, _| &x + &x);
    check(&cx, &doubled, &(&x * (1 << 40)));
    let squares = (0..60).fold(x.clone(), |x, _| binary(BinOp::Max, &binary(BinOp::FloorDiv, &x, &Expr::i64(3)), &x));
    assert_eq!(cx.bounds(&squares), IntBounds::ANY);
    let deep = (0..10_000).fold(x, |x, _| &binary(BinOp::FloorDiv, &x, &Expr::i64(2)) + 1);
    assert!(cx.prove_equal(&deep, &deep));
}

#[test]
fn coefficients_that_do_not_fit_are_left_alone() {
    let cx = Analyzer::new();
    let x = Expr::var(&Var::new("x", DataType::I64));
    let huge = &(&(&x * i64::MAX) * i64::MAX) + i64::MIN;
    let env = Map::from_iter([(x.as_var().unwrap().id(), 3)]);
    assert_eq!(eval(&cx.simplify(&huge), &env), eval(&huge, &env));
}
