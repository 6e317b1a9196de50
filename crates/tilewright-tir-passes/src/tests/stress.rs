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
