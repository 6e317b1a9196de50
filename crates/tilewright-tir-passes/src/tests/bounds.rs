//! Unreliable bounds: they overflow, are read from memory that changes, or fault.

use tilewright_interp::Random;
use tilewright_ir::Attrs;
use tilewright_ir::interface::KernelInterface;
use tilewright_ir::tir::{
    BinOp, Buffer, CmpOp, Expr, ForKind, ForeignCallee, Param, PrimFunc, Scope, Stmt, StmtKind, Var,
};
use tilewright_support::Origins;
use tilewright_tensor::DataType;

use super::build::*;
use super::{Input, check, random_tensors, run};

fn i64_var(name: &str) -> Var {
    Var::new(name, DataType::I64)
}

fn with_scalars(a: &Buffer, scalars: &[&Var], body: Stmt) -> PrimFunc {
    let params = std::iter::once(Param::buffer(a)).chain(scalars.iter().map(|var| Param::scalar(var))).collect();
    PrimFunc::with_root(params, Attrs::new(), Vec::new(), body, Origins::default())
}

/// The result of the lowered function for these scalars on 16 numbers.
fn outcome(f: &PrimFunc, scalars: &[i64]) -> Result<Vec<Vec<u8>>, String> {
    let flat = crate::lower("main", f).unwrap();
    let tensors = random_tensors(&[Input::F32(vec![16])], &mut Random::new(5));
    run(flat.function(), Some((&KernelInterface::of(f), scalars)), &tensors)
}

#[test]
fn a_check_is_made_once_only_where_its_limit_does_not_overflow() {
    let a = buffer("A", &[16]);
    let [n, m, i, j] = ["n", "m", "i", "j"].map(i64_var);
    for kind in [ForKind::Serial, ForKind::Vectorized] {
        // The last index, 8 * 2^61 + m, is m in 64 bits.
        let at = &(&of(&i) * 8) + &of(&m);
        let body = Stmt::for_loop(&i, Expr::i64(0), of(&n), kind, store(&a, &[at], &float(1.0)));
        let f = with_scalars(&a, &[&n, &m], body);
        let error = outcome(&f, &[(1 << 61) + 1, 0]).unwrap_err();
        assert!(error.contains("index out of range: dimension 0 of buffer `A`"), "{error}");
        assert!(outcome(&f, &[2, 7]).is_ok());
    }
    // 2^62 - 1 + 2^63 - 2 is negative in 64 bits.
    let inner = store(&a, &[&of(&i) + &of(&j)], &float(1.0));
    let inner = Stmt::for_loop(&j, Expr::i64(0), of(&m), ForKind::Serial, inner);
    let f = with_scalars(&a, &[&n, &m], Stmt::for_loop(&i, Expr::i64(0), of(&n), ForKind::Serial, inner));
    let error = outcome(&f, &[1 << 62, i64::MAX]).unwrap_err();
    assert!(error.contains("index out of range: dimension 0 of buffer `A`"), "{error}");
}

#[test]
fn a_sum_that_wraps_around_proves_nothing_of_its_parts() {
    let a = buffer("A", &[16]);
    let [n, m] = ["n", "m"].map(i64_var);
    let positive = |var: &Var| Expr::compare(CmpOp::Le, &Expr::i64(0), &of(var)).unwrap();
    let write = store(&a, &[of(&n)], &float(1.0));
    let inner = when(less(&(&of(&n) + &of(&m)), &Expr::i64(16)), write, None);
    let f = with_scalars(&a, &[&n, &m], when(positive(&n), when(positive(&m), inner, None), None));
    let error = outcome(&f, &[i64::MAX, 5]).unwrap_err();
    assert!(error.contains("index out of range: dimension 0 of buffer `A`"), "{error}");
    assert!(outcome(&f, &[7, 5]).is_ok());
}

#[test]
fn a_choice_that_may_fault_stays_in_a_loop_that_may_not_run() {
    let a = buffer("A", &[16]);
    let [n, m, i] = ["n", "m", "i"].map(i64_var);
    let positive = Expr::compare(CmpOp::Gt, &binary(BinOp::FloorDiv, &Expr::i64(1), &of(&m)), &Expr::i64(0)).unwrap();
    let body = when(positive, store(&a, &[of(&i)], &float(1.0)), None);
    let f = with_scalars(&a, &[&n, &m], Stmt::for_loop(&i, Expr::i64(0), of(&n), ForKind::Serial, body));
    assert!(outcome(&f, &[0, 0]).is_ok());
    assert!(outcome(&f, &[1, 0]).unwrap_err().contains("division by zero"));
}

#[test]
fn bounds_that_are_read_from_memory_are_read_once() {
    let a = buffer("A", &[64]);
    let count = buffer("N", &[64]).derive(|node| node.dtype = DataType::I32);
    let i = var("i");
    let mut numbers = vec![0; 64];
    numbers[0] = 30;
    let inputs = || [Input::F32(vec![64]), Input::I32(numbers.clone())];
    let first = load(&count, &[int(0)]);
    let overwrite = store(&count, &[of(&i)], &int(3));
    let write = store(&a, &[of(&i)], &float(1.0));
    // In parts, by the condition.
    let choice = when(less(&of(&i), &int(20)), Stmt::seq([write.clone(), overwrite.clone()]), Some(write.clone()));
    let body = Stmt::for_loop(&i, int(0), first.clone(), ForKind::Serial, choice);
    check(&function(&[&a, &count], &[], body), &inputs());
    let both = Stmt::seq([overwrite, write]);
    let body = Stmt::for_loop(&i, int(0), first.clone(), ForKind::Vectorized, both.clone());
    check(&function(&[&a, &count], &[], body), &inputs());
    // The body overwrites the loop's own lower bound.
    let change = Stmt::seq([store(&count, &[int(0)], &int(5)), both]);
    for (extent, kind) in [(1, ForKind::Serial), (4, ForKind::Unrolled)] {
        let body = Stmt::for_loop(&i, first.clone(), int(extent), kind, change.clone());
        check(&function(&[&a, &count], &[], body), &inputs());
    }
}

#[test]
fn inactive_lanes_read_no_registers_out_of_bounds() {
    let (a, b, t) = (buffer("A", &[9]), buffer("B", &[9]), local("T", &[9]));
    assert_eq!(t.scope, Scope::Local);
    let i = var("i");
    let fill = nest([serial(&i, 9)], store(&t, &[of(&i)], &load(&a, &[of(&i)])));
    let product = binary(BinOp::Mul, &load(&t, &[of(&i)]), &load(&t, &[&int(8) - &of(&i)]));
    let work = nest([(&i, 9, ForKind::Vectorized)], store(&b, &[of(&i)], &product));
    let f = function(&[&a, &b], &[&t], Stmt::seq([fill, work]));
    let text = check(&f, &[Input::F32(vec![9]), Input::F32(vec![9])]);
    assert_eq!(text.matches("where").count(), 3, "{text}");
}

#[test]
fn a_bounds_check_does_not_repeat_the_calls_in_an_index() {
    let a = buffer("A", &[16]);
    let called = Expr::foreign(DataType::I32, ForeignCallee::Extern("rand".into()), Vec::new());
    let error =
        crate::lower("main", &function(&[&a], &[], store(&a, std::slice::from_ref(&called), &float(1.0)))).unwrap_err();
    assert!(error.to_string().contains("depends on a call"), "{error}");
    let index = var("index");
    let named = StmtKind::Let { var: index.clone(), value: called, body: store(&a, &[of(&index)], &float(1.0)) };
    assert!(crate::lower("main", &function(&[&a], &[], named.into())).is_ok());
}
