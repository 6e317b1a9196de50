//! Loops in parts: the conditions that leave them, and random ones.

use tilewright_interp::Random;
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ForKind, PrimFunc, Stmt, StmtKind, Var};
use tilewright_tensor::DataType;

use super::build::*;
use super::{F32, Input, check, check_with};

#[test]
fn a_guard_on_a_fused_index_leaves_whole_tiles_without_conditions() {
    let (a, b) = (buffer("A", &[100]), buffer("B", &[100]));
    let [tile, i] = ["tile", "i"].map(var);
    let at = &(&of(&tile) * 8) + &of(&i);
    let copy = store(&b, std::slice::from_ref(&at), &load(&a, std::slice::from_ref(&at)));
    let guarded = when(less(&at, &int(100)), copy, None);
    let body = nest([serial(&tile, 20), (&i, 8, ForKind::Vectorized)], guarded);
    let text = check(&function(&[&a, &b], &[], body), &[Input::F32(vec![100]), Input::F32(vec![100])]);
    let expected = "for tile in 0+12:\n  B[tile * 8:8] = A[tile * 8:8]\n\
                    B[96:8] = A[96:8 where 0:8 < x8(4)] where 0:8 < x8(4)\n";
    assert_eq!(text, expected);
}

#[test]
fn a_parallel_loop_chooses_inside() {
    let n = Var::new("n", DataType::I64);
    let (a, b) = (Buffer::new("A", vec![Expr::var(&n)], F32), Buffer::new("B", vec![Expr::var(&n)], F32));
    let [tile, i] = ["tile", "i"].map(|name| Var::new(name, DataType::I64));
    let at = [&(&of(&tile) * 4) + &of(&i)];
    let guarded = when(less(&at[0], &of(&n)), store(&b, &at, &load(&a, &at)), None);
    let rows = Stmt::for_loop(&i, Expr::i64(0), Expr::i64(4), ForKind::Unrolled, guarded);
    let tiles = binary(BinOp::FloorDiv, &(&of(&n) + 3), &Expr::i64(4));
    let body = Stmt::for_loop(&tile, Expr::i64(0), tiles, ForKind::Parallel, rows);
    let f = function(&[&a, &b], &[], body);
    for size in [0, 1, 3, 4, 9] {
        let text = check_with(&f, &[Input::F32(vec![size]), Input::F32(vec![size])], &[size]);
        assert_eq!(text.matches("Parallel").count(), 1, "{text}");
        // The choice, and those of the rows that only the last tile may lack: one of them is there, one is not.
        assert_eq!(text.matches("if ").count(), 3, "{text}");
    }
}

#[test]
fn rows_past_the_last_one_are_not_computed() {
    // The tile is computed whole and written under a guard: where no row is left there is nothing to do.
    let (a, b, t) = (buffer("A", &[40]), buffer("B", &[40]), local("T", &[4]));
    let [tile, i, j, k] = ["tile", "i", "j", "k"].map(var);
    let row = |i: &Var| &(&of(&tile) * 4) + &of(i);
    let clamped = binary(BinOp::Min, &row(&i), &int(39));
    let fill = nest([(&i, 4, ForKind::Unrolled)], store(&t, &[of(&i)], &load(&a, &[clamped])));
    let twice = binary(BinOp::Add, &load(&t, &[of(&j)]), &load(&t, &[of(&j)]));
    let double = nest([(&j, 4, ForKind::Unrolled)], store(&t, &[of(&j)], &twice));
    let write = when(less(&row(&k), &int(30)), store(&b, &[row(&k)], &load(&t, &[of(&k)])), None);
    let write = nest([(&k, 4, ForKind::Unrolled)], write);
    let body = nest([serial(&tile, 20)], Stmt::seq([fill, double, write]));
    let text = check(&function(&[&a, &b], &[&t], body), &[Input::F32(vec![40]), Input::F32(vec![40])]);
    assert_eq!(text.matches("for ").count(), 1, "{text}");
    assert!(text.starts_with("for tile in 0+7:"), "{text}");
}

/// Random comparisons of sums of the loops' variables, in statements, in expressions, in asserts that hold.
struct Guards<'r> {
    random: &'r mut Random,
    vars: Vec<Var>,
}

impl Guards<'_> {
    fn sum(&mut self) -> Expr {
        let mut sum = int(self.random.below(40) as i64 - 20);
        for var in self.vars.clone() {
            let factor = self.random.below(9) as i64 - 4;
            sum = &sum + &(&of(&var) * factor);
        }
        sum
    }

    fn condition(&mut self) -> Expr {
        let op = CmpOp::ALL[self.random.below(CmpOp::ALL.len())];
        let one = Expr::compare(op, &self.sum(), &self.sum()).unwrap();
        match self.random.below(4) {
            0 => binary(BinOp::And, &one, &less(&self.sum(), &int(15))),
            1 => binary(BinOp::Or, &one, &less(&self.sum(), &int(3))),
            2 => one.not().unwrap(),
            _ => one,
        }
    }

    /// An index into 64 elements.
    fn index(&mut self) -> Expr {
        let low = binary(BinOp::Max, &self.sum(), &int(0));
        binary(BinOp::Min, &low, &int(63))
    }
}

fn random_guards(random: &mut Random) -> (PrimFunc, [Input; 2]) {
    let vars = ["x", "y", "z"].map(var);
    let extents = [18 + random.below(20) as i64, [3, 20][random.below(2)], [1, 4, 17][random.below(3)]];
    let (a, b) = (buffer("A", &[64]), buffer("B", &extents));
    let mut guards = Guards { random, vars: vars.to_vec() };
    let at = vars.clone().map(|v| of(&v));
    let value = if_then_else(&guards.condition(), &load(&a, &[guards.index()]), &float(7.0));
    let write = store(&b, &at, &binary(BinOp::Add, &value, &load(&b, &at)));
    let (c, d) = (guards.condition(), guards.condition());
    let otherwise = (guards.random.below(2) == 0).then(|| store(&b, &at, &float(0.5)));
    let holds = binary(BinOp::Or, &c, &c.not().unwrap());
    let checked = Stmt::seq([StmtKind::Assert { condition: holds, message: "holds".into() }.into(), write]);
    let body = when(c, checked, otherwise);
    let body = if guards.random.below(2) == 0 { when(d, body, None) } else { body };
    let kinds = [ForKind::Serial, ForKind::Vectorized, ForKind::Unrolled, ForKind::Parallel];
    let pick = |random: &mut Random, n: usize| kinds[random.below(n)].clone();
    let (inner, middle) = (pick(guards.random, 3), pick(guards.random, 1));
    let outer = if guards.random.below(3) == 0 { ForKind::Parallel } else { ForKind::Serial };
    let loops = [(&vars[0], extents[0], outer), (&vars[1], extents[1], middle), (&vars[2], extents[2], inner)];
    (function(&[&a, &b], &[], nest(loops, body)), [Input::F32(vec![64]), Input::F32(extents.to_vec())])
}

#[test]
fn random_guards_keep_their_results() {
    let mut random = Random::new(23);
    for _ in 0..60 {
        let (function, inputs) = random_guards(&mut random);
        check(&function, &inputs);
    }
}
