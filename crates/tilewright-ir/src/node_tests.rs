//! The derived traversals, seen through the IR's own nodes.

use tilewright_expr::node::{EqCx, FreeVariables, HashCx, rewrite, walk};
use tilewright_expr::{Buffer, Expr, Var};
use tilewright_support::Origins;
use tilewright_tensor::DataType;

use crate::tir::{ForKind, Param, PrimFunc, Stmt};
use crate::{Attrs, IRModule};

/// `for i in range(n): B[i] = A[i] + A[i]`, with fresh variables under the given names.
fn twice(i: &str, a: &str) -> PrimFunc {
    let n = Var::new("n", DataType::I64);
    let index = Var::new(i, DataType::I64);
    let source = Buffer::new(a, vec![Expr::var(&n)], DataType::F32);
    let target = Buffer::new("B", vec![Expr::var(&n)], DataType::F32);
    let element = Expr::load(&source, vec![Expr::var(&index)]).unwrap();
    let store = Stmt::store(&target, vec![Expr::var(&index)], &(&element + &element)).unwrap();
    let body = Stmt::for_loop(&index, Expr::i64(0), Expr::var(&n), ForKind::Serial, store);
    let params = vec![Param::buffer(&source), Param::buffer(&target)];
    PrimFunc::with_root(params, Attrs::new(), Vec::new(), body, Origins::default())
}

#[test]
fn names_do_not_matter_but_roles_do() {
    let (a, b) = (twice("i", "A"), twice("j", "X"));
    assert_eq!(EqCx::compare(&a, &b), Ok(()));
    assert_eq!(HashCx::hash(&a), HashCx::hash(&b));
    let (mut one, mut two) = (IRModule::new(), IRModule::new());
    one.insert("f", a.clone());
    two.insert("f", b);
    assert_eq!(one.compare(&two), Ok(()));

    // The same function reading its own output is another function.
    let (source, target) = (a.params[0].buffer.clone().unwrap(), a.params[1].buffer.clone().unwrap());
    let swapped = rewrite(&a.body, |b: &Buffer| (*b == source).then(|| target.clone())).unwrap();
    let other = PrimFunc { body: swapped, ..a.clone() };
    let mismatch = EqCx::compare(&a, &other).unwrap_err();
    assert_eq!(mismatch.to_string(), "<root>.body.block.body.body.value.a.buffer");
}

#[test]
fn a_changed_shape_replaces_the_buffer_everywhere() {
    let f = twice("i", "A");
    let n = f.params[0].buffer.as_ref().unwrap().shape[0].as_var().cloned().unwrap();
    let fixed = rewrite(&f, |e: &Expr| (e.as_var() == Some(&n)).then(|| Expr::i64(8))).unwrap();
    let params: Vec<_> = fixed.params.iter().map(|p| p.buffer.clone().unwrap()).collect();
    assert!(params.iter().all(|b| b.constant_shape() == Some(vec![8])));
    walk(&fixed.body, |b: &Buffer| assert!(params.contains(b), "a use of the old buffer is left"));
}

#[test]
fn shared_nodes_are_looked_at_once() {
    let make = || {
        let mut x = Expr::var(&Var::new("x", DataType::I64));
        for _ in 0..60 {
            x = &x * &x;
        }
        x
    };
    let (a, b) = (make(), make());
    let mut count = 0;
    walk(&a, |_: &Expr| count += 1);
    assert_eq!(count, 61);
    assert_eq!(EqCx::compare_with(&a, &b, FreeVariables::MayStandForOthers), Ok(()));
    assert_eq!(HashCx::hash(&a), HashCx::hash(&b));
    let mut rewritten = 0;
    let changed = rewrite(&a, |e: &Expr| {
        rewritten += 1;
        e.as_var().map(|_| Expr::i64(2))
    });
    assert!(changed.is_some());
    assert_eq!(rewritten, 61);
}

#[test]
fn deep_nesting_neither_overflows_nor_leaks_onto_the_stack() {
    let one = Expr::i64(1);
    let make = || (0..200_000).fold(Expr::var(&Var::new("x", DataType::I64)), |x, _| &x + &one);
    let (a, b) = (make(), make());
    assert_eq!(EqCx::compare_with(&a, &b, FreeVariables::MayStandForOthers), Ok(()));
    assert!(rewrite(&a, |e: &Expr| e.as_var().map(|_| Expr::i64(0))).is_some());
}

#[test]
fn unchanged_nodes_are_not_copied() {
    let f = twice("i", "A");
    assert!(rewrite(&f, |_: &Expr| None).is_none());
}

/// `let <name> = 2 in <name> * x`, bound by a variable of its own.
fn double(name: &str, x: &Expr) -> Expr {
    let var = Var::new(name, DataType::I64);
    Expr::bind(&var, &Expr::i64(2), &(&Expr::var(&var) * x)).unwrap()
}

#[test]
fn a_binder_met_twice_may_stand_for_two() {
    let x = Expr::var(&Var::new("x", DataType::I64));
    let shared = double("d", &x);
    let shared = &shared + &shared;
    let copies = &double("a", &x) + &double("b", &x);
    for (a, b) in [(&shared, &copies), (&copies, &shared)] {
        assert_eq!(EqCx::compare(a, b), Ok(()));
    }
    assert_eq!(HashCx::hash(&shared), HashCx::hash(&copies));
}

#[test]
fn a_rebound_variable_loses_its_old_value() {
    // The second copy uses the variable of the first.
    let (d, a, b) = (Var::new("d", DataType::I64), Var::new("a", DataType::I64), Var::new("b", DataType::I64));
    let bind = |var: &Var, body: &Var| Expr::bind(var, &Expr::i64(2), &(&Expr::var(body) + &Expr::var(body))).unwrap();
    let shared = bind(&d, &d);
    let shared = &shared * &shared;
    let mixed = &bind(&a, &a) * &bind(&b, &a);
    assert!(EqCx::compare(&shared, &mixed).is_err());
    assert!(EqCx::compare(&mixed, &shared).is_err());
}

#[test]
fn copies_hash_alike_at_any_depth() {
    let x = Var::new("x", DataType::I64);
    let shared = double("d", &Expr::var(&x));
    let under = |name: &str, inner: &Expr| double(name, &(inner + &Expr::var(&x)));
    let (a, b) =
        (&shared * &under("y", &shared), &double("a", &Expr::var(&x)) * &under("z", &double("b", &Expr::var(&x))));
    assert_eq!(EqCx::compare(&a, &b), Ok(()));
    assert_eq!(HashCx::hash(&a), HashCx::hash(&b));
    let bound = |var: &Var| Expr::bind(var, &Expr::i64(2), &(&shared * &(&Expr::var(var) + &shared))).unwrap();
    let copied = |var: &Var| {
        let copy = |name| double(name, &Expr::var(&x));
        Expr::bind(var, &Expr::i64(2), &(&copy("p") * &(&Expr::var(var) + &copy("q")))).unwrap()
    };
    let (u, v) = (Var::new("u", DataType::I64), Var::new("v", DataType::I64));
    let (a, b) = (&bound(&u) + &shared, &copied(&v) + &double("r", &Expr::var(&x)));
    assert_eq!(EqCx::compare(&a, &b), Ok(()));
    assert_eq!(HashCx::hash(&a), HashCx::hash(&b));
    assert_ne!(HashCx::hash(&a), HashCx::hash(&shared));
}

/// A dimension of one function may be mentioned in another, as part of a function's type: it is another dimension
/// there.
#[test]
fn functions_of_a_module_share_no_variables() {
    use crate::relax::{self, Function, SeqExpr, StructInfo};
    let with = |dim: &Var, other: &Var| {
        let function = |name: &str, dim: &Var| {
            let info = StructInfo::tensor(vec![Expr::var(dim)], DataType::F32);
            let param = relax::Var::new(name, info.clone());
            let body = SeqExpr { blocks: Vec::new(), result: relax::Expr::var(&param) };
            let params = vec![param];
            Function { params, body, ret: info, pure: true, attrs: Default::default(), origins: Default::default() }
        };
        let mut module = IRModule::new();
        module.insert("f", function("x", dim));
        module.insert("g", function("y", other));
        module
    };
    let (n, m) = (Var::new("n", DataType::I64), Var::new("m", DataType::I64));
    let (shared, separate) = (with(&n, &n), with(&n, &m));
    assert_eq!(shared.compare(&separate), Ok(()));
    assert_eq!(separate.compare(&shared), Ok(()));
    assert_eq!(HashCx::hash(&shared), HashCx::hash(&separate));
}

/// Two types of functions on the same dimension are as two types on dimensions of their own.
#[test]
fn types_of_functions_share_no_variables() {
    use crate::relax::StructInfo;
    let typed = |dim: &Var| {
        let info = || StructInfo::tensor(vec![Expr::var(dim)], DataType::F32);
        StructInfo::Func { params: Some(vec![info()]), ret: Box::new(info()), pure: true }
    };
    let (n, m) = (Var::new("n", DataType::I64), Var::new("m", DataType::I64));
    let (shared, separate) =
        (StructInfo::Tuple(vec![typed(&n), typed(&n)]), StructInfo::Tuple(vec![typed(&n), typed(&m)]));
    assert_eq!(EqCx::compare(&shared, &separate), Ok(()));
    assert_eq!(EqCx::compare(&separate, &shared), Ok(()));
    assert_eq!(HashCx::hash(&shared), HashCx::hash(&separate));
    // A dimension from outside stays what it is.
    let outside =
        |dim: &Var| StructInfo::Tuple(vec![StructInfo::tensor(vec![Expr::var(dim)], DataType::F32), typed(&n)]);
    assert!(EqCx::compare(&outside(&n), &outside(&m)).is_err());
}
