//! Sharing, depth, and random programs.

use tilewright_interp::Random;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ForKind, PrimFunc, Stmt, Var};
use tilewright_tensor::DataType;

use super::build::*;
use super::{Input, check};

#[test]
fn shared_expressions_stay_shared() {
    let (a, b, i) = (buffer("A", &[4]), buffer("B", &[4]), var("i"));
    let x = load(&a, &[of(&i)]);
    let doubled = (0..60).fold(x.clone(), |x, _| binary(BinOp::Add, &x, &x));
    let chosen = (0..60).fold(x, |x, _| {
        let positive = Expr::compare(CmpOp::Gt, &x, &float(0.0)).unwrap();
        Expr::select(&positive, &x, &binary(BinOp::Mul, &x, &x)).unwrap()
    });
    for (kind, value) in [(ForKind::Serial, &doubled), (ForKind::Vectorized, &doubled), (ForKind::Vectorized, &chosen)]
    {
        let body = nest([(&i, 4, kind)], store(&b, &[of(&i)], value));
        crate::lower("main", &function(&[&a, &b], &[], body)).unwrap();
    }
    let mut at = of(&i);
    for _ in 0..60 {
        at = binary(BinOp::FloorMod, &(&at + &at), &int(4));
    }
    let body = nest([serial(&i, 4)], store(&b, &[of(&i)], &load(&a, &[at])));
    crate::lower("main", &function(&[&a, &b], &[], body)).unwrap();
}

#[test]
fn depth_is_no_danger() {
    let (a, b, i) = (buffer("A", &[4]), buffer("B", &[4]), var("i"));
    let x = load(&a, &[of(&i)]);
    let deep = (0..10_000).fold(x, |x, _| binary(BinOp::Add, &float(0.5), &x));
    let body = nest([(&i, 4, ForKind::Vectorized)], store(&b, &[of(&i)], &deep));
    crate::lower("main", &function(&[&a, &b], &[], body)).unwrap();
    let mut nested = store(&b, &[int(0)], &float(1.0));
    for _ in 0..3_000 {
        nested = when(less(&load(&a, &[int(0)]), &float(1.0)), nested, None);
    }
    crate::lower("main", &function(&[&a, &b], &[], nested)).unwrap();
}

/// A random nest over three loops that writes each element of `B` once, through temporaries.
struct Program<'r> {
    random: &'r mut Random,
    loops: Vec<(Var, i64)>,
    a: Buffer,
    t: Buffer,
}

impl Program<'_> {
    fn pick(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    /// An index below `extent`.
    fn index(&mut self, extent: i64) -> Expr {
        let (var, n) = self.loops[self.random.below(self.loops.len())].clone();
        let shift = self.pick(4) as i64;
        let factor = 1 + self.pick(3) as i64;
        let sum = &(&of(&var) * factor) + shift;
        let other = self.loops[self.random.below(self.loops.len())].0.clone();
        match self.pick(4) {
            0 if (n - 1) * factor + shift < extent => sum,
            1 => binary(BinOp::Min, &sum, &int(extent - 1)),
            2 => binary(BinOp::FloorMod, &(&sum + &of(&other)), &int(extent)),
            _ => binary(BinOp::Max, &int(0), &binary(BinOp::Min, &(&sum - &of(&other)), &int(extent - 1))),
        }
    }

    fn condition(&mut self) -> Expr {
        let (x, y) = (self.index(8), self.index(8));
        let op = CmpOp::ALL[self.pick(CmpOp::ALL.len())];
        if self.pick(3) == 0 {
            return Expr::compare(op, &load(&self.a, &[x, y]), &float(0.1)).unwrap();
        }
        Expr::compare(op, &x, &y).unwrap()
    }

    fn value(&mut self, depth: usize) -> Expr {
        let at = [self.index(8), self.index(8)];
        let read = load(&self.a, &at);
        if depth == 0 {
            return read;
        }
        let (x, y) = (self.value(depth - 1), self.value(depth - 1));
        match self.pick(6) {
            0 => if_then_else(&self.condition(), &x, &y),
            1 => Expr::select(&self.condition(), &x, &y).unwrap(),
            2 => self.index(9).cast(DataType::F32).unwrap(),
            3 => binary(BinOp::Mul, &x, &y),
            4 => binary(BinOp::Max, &x, &y),
            _ => binary(BinOp::Add, &x, &read),
        }
    }
}

fn random_program(random: &mut Random) -> (PrimFunc, [Input; 2]) {
    let (a, t) = (buffer("A", &[8, 8]), buffer("T", &[4, 6]));
    let names = ["i", "j", "k"].map(var);
    let extents = [1 + random.below(5) as i64, [1, 4, 6, 8][random.below(4)], [1, 3, 4][random.below(3)]];
    let b = buffer("B", &extents);
    let loops: Vec<(Var, i64)> = names.iter().cloned().zip(extents).collect();
    let mut program = Program { random, loops, a: a.clone(), t };
    let fill = {
        let [x, y] = ["x", "y"].map(var);
        let value = program.value(1);
        let kind = [ForKind::Serial, ForKind::Vectorized, ForKind::Unrolled][program.pick(3)].clone();
        nest([serial(&x, 4), (&y, 6, kind)], store(&program.t, &[of(&x), of(&y)], &value))
    };
    let at = [program.index(4), program.index(6)];
    let read = load(&program.t, &at);
    let value = binary(BinOp::Add, &program.value(2), &read);
    let write = store(&b, &names.clone().map(|v| of(&v)), &value);
    let guarded = match program.pick(3) {
        0 => when(program.condition(), write.clone(), None),
        1 => when(program.condition(), write.clone(), Some(store(&b, &names.clone().map(|v| of(&v)), &float(3.0)))),
        _ => write,
    };
    // Temporaries are filled inside the outer loops, before the innermost one reads them.
    let inner = [ForKind::Serial, ForKind::Vectorized, ForKind::Unrolled][program.pick(3)].clone();
    let middle = [ForKind::Serial, ForKind::Unrolled][program.pick(2)].clone();
    let last = (&names[2], extents[2], inner);
    let outer = (&names[0], extents[0], ForKind::Serial);
    let innermost = nest([last], guarded);
    let body = nest([outer, (&names[1], extents[1], middle)], Stmt::seq([without(&fill, &names[2]), innermost]));
    let temporary = program.t.clone();
    (function(&[&a, &b], &[&temporary], body), [Input::F32(vec![8, 8]), Input::F32(extents.to_vec())])
}

/// The statement where the variable is 0: it stands outside of the variable's loop.
fn without(stmt: &Stmt, var: &Var) -> Stmt {
    crate::substitute::copy_with(stmt, [(var.clone(), int(0))])
}

#[test]
fn random_programs_keep_their_results() {
    let mut random = Random::new(17);
    for _ in 0..150 {
        let (function, inputs) = random_program(&mut random);
        check(&function, &inputs);
    }
}

/// `B[i] = C[C[…C[i]…]]`.
fn nested_loads(depth: usize) -> (PrimFunc, [Input; 2]) {
    let [b, c] = ["B", "C"].map(integers);
    let i = var("i");
    let value = (0..depth).fold(of(&i), |at, _| load(&c, &[at]));
    let body = nest([serial(&i, 8)], store(&b, &[of(&i)], &value));
    (function(&[&b, &c], &[], body), [Input::I32(vec![0; 8]), Input::I32(vec![3, 7, 1, 0, 2, 6, 5, 4])])
}

#[test]
fn long_chains_of_loads_are_checked_step_by_step() {
    for depth in [1, 8, 9, 10, 40] {
        let (function, inputs) = nested_loads(depth);
        check(&function, &inputs);
    }
    // Each check with the whole chain inside would be thousands of times as much.
    let (function, _) = nested_loads(2_000);
    crate::lower("main", &function).unwrap();
}

fn integers(name: &str) -> Buffer {
    buffer(name, &[8]).derive(|node| node.dtype = DataType::I32)
}

fn above(value: &Expr, limit: i64) -> Expr {
    Expr::compare(CmpOp::Gt, value, &int(limit)).unwrap()
}

/// `x = C[x] if C[i] > k else x`, so many times.
fn shared_choices(count: i64) -> PrimFunc {
    let [b, c] = ["B", "C"].map(integers);
    let i = var("i");
    let first = load(&c, &[of(&i)]);
    let value = (0..count)
        .fold(first.clone(), |x, k| if_then_else(&above(&first, k % 5), &load(&c, std::slice::from_ref(&x)), &x));
    function(&[&b, &c], &[], nest([serial(&i, 8)], store(&b, &[of(&i)], &value)))
}

/// The asserts that guard the function's indices.
fn asserts(function: &PrimFunc) -> usize {
    let passes = crate::lowering_passes().iter().take_while(|(name, _)| *name != "hoist_guards");
    let guarded = passes.fold(function.clone(), |f, (_, step)| step.run(&f).unwrap());
    let mut number = 0;
    tilewright_expr::node::walk(&guarded.body, |stmt: &Stmt| {
        number += usize::from(matches!(stmt.kind, tilewright_ir::tir::StmtKind::Assert { .. }));
    });
    number
}

#[test]
fn a_check_under_one_of_two_conditions_says_nothing_elsewhere() {
    let [a, b, c, d] = ["A", "B", "C", "D"].map(integers);
    let i = var("i");
    let at = load(&c, &[of(&i)]);
    let under = |limit, buffer| {
        if_then_else(&above(&load(&d, &[of(&i)]), limit), &load(buffer, std::slice::from_ref(&at)), &int(0))
    };
    let shared = load(&a, std::slice::from_ref(&at));
    let shared = |limit| if_then_else(&above(&load(&d, &[of(&i)]), limit), &shared, &int(0));
    let value = &(&shared(3) + &shared(5)) + &under(0, &d);
    let body = nest([serial(&i, 8)], store(&b, &[of(&i)], &value));
    assert_eq!(asserts(&function(&[&a, &b, &c, &d], &[], body)), 2);
}

#[test]
fn a_load_on_both_sides_of_a_choice_is_checked_once() {
    let inputs = || [Input::I32(vec![0; 8]), Input::I32(vec![3, 7, 1, 0, 2, 6, 5, 4])];
    for count in [1, 3, 8] {
        check(&shared_choices(count), &inputs());
    }
    assert_eq!(asserts(&shared_choices(100)), 100);
}

#[test]
fn conditions_may_depend_on_each_other_crosswise() {
    let [b, c, d] = ["B", "C", "D"].map(integers);
    let i = var("i");
    let no = Expr::bool(false);
    // Outside of the conditions, the indices are out of range.
    let x = above(&load(&c, &[load(&d, &[of(&i)])]), 2);
    let y = above(&load(&c, &[&load(&d, &[of(&i)]) + 1]), 3);
    let positive = Expr::compare(CmpOp::Ge, &load(&d, &[of(&i)]), &int(0)).unwrap();
    let even = Expr::compare(CmpOp::Eq, &binary(BinOp::FloorMod, &of(&i), &int(2)), &int(0)).unwrap();
    let both = |first: &Expr, second: &Expr| if_then_else(&positive, &if_then_else(first, second, &no), &no);
    let one = if_then_else(&even, &both(&x, &y), &no);
    let other = if_then_else(&even, &no, &both(&y, &x));
    let value = if_then_else(&one, &int(1), &if_then_else(&other, &int(2), &int(3)));
    let body = nest([serial(&i, 8)], store(&b, &[of(&i)], &value));
    let inputs = [vec![0; 8], vec![3, 7, 1, 0, 2, 6, 5, 4], vec![0, 1, -5, -9, 3, 4, 5, 6]].map(Input::I32);
    check(&function(&[&b, &c, &d], &[], body), &inputs);
}
