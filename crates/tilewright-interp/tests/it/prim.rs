//! Results of PrimFuncs, against formulas written in Rust.

use crate::programs::*;
use tilewright_expr::semantics::Scalar;
use tilewright_expr::{BinOp, Buffer, Expr, Range, Scope, Var};
use tilewright_interp::{ErrorKind, InterpCx};
use tilewright_ir::Attrs;
use tilewright_ir::tir::{Block, BufferRegion, ForKind, IterKind, MatchBuffer, Param, PrimFunc, Stmt, StmtKind};
use tilewright_support::Origins;
use tilewright_tensor::{DataType, Tensor};

fn expected_matmul(a: &Tensor, b: &Tensor, [n, m, k]: [i64; 3]) -> Vec<f32> {
    let (a, b) = (a.to_vec::<f32>().unwrap(), b.to_vec::<f32>().unwrap());
    let (n, m, k) = (n as usize, m as usize, k as usize);
    let mut c = vec![0f32; n * m];
    for i in 0..n {
        for j in 0..m {
            for l in 0..k {
                c[i * m + j] += a[i * k + l] * b[l * m + j];
            }
        }
    }
    c
}

#[test]
fn a_matrix_product_is_the_sum_in_order() {
    let matmul = Matmul::new(3, 4, 5);
    let (a, b) = (data(&[3, 5], 1), data(&[5, 4], 2));
    let c = run(&matmul.function(), &[&a, &b], &[3, 4], 0).unwrap();
    assert_eq!(c.to_vec::<f32>().unwrap(), expected_matmul(&a, &b, matmul.sizes));
}

#[test]
fn parallel_and_vectorised_spatial_loops_change_nothing() {
    let mut matmul = Matmul::new(3, 4, 5);
    matmul.loops = [ForKind::Parallel, ForKind::Vectorized, ForKind::Serial];
    let (a, b) = (data(&[3, 5], 1), data(&[5, 4], 2));
    for seed in 0..5 {
        let c = run(&matmul.function(), &[&a, &b], &[3, 4], seed).unwrap();
        assert_eq!(c.to_vec::<f32>().unwrap(), expected_matmul(&a, &b, matmul.sizes));
    }
}

#[test]
fn the_layer_of_the_documents_is_computed() {
    let matmul = Matmul::new(1, 128, 784);
    let (a, b) = (data(&[1, 784], 1), data(&[784, 128], 2));
    let c = run(&matmul.function(), &[&a, &b], &[1, 128], 0).unwrap();
    assert_eq!(c.to_vec::<f32>().unwrap(), expected_matmul(&a, &b, matmul.sizes));
}

#[test]
fn a_temporary_lives_in_the_root_block() {
    let (a, t, b) = (buffer("A", &[8]), buffer("T", &[8]), buffer("B", &[8]));
    let body = Stmt::seq([relu(&a, &t, 8, ForKind::Serial), relu(&t, &b, 8, ForKind::Parallel)]);
    let x = data(&[8], 3);
    let y = run(&function("twice", &[&a, &b], &[&t], body), &[&x], &[8], 0).unwrap();
    let expected: Vec<f32> = x.to_vec::<f32>().unwrap().into_iter().map(|v| v.max(0.0)).collect();
    assert_eq!(y.to_vec::<f32>().unwrap(), expected);
}

#[test]
fn symbolic_dimensions_and_strides_come_from_the_arguments() {
    let (n, s) = (index("n"), index("s"));
    let a = Buffer::new("A", vec![Expr::var(&n)], F32).derive(|b| b.strides = vec![Expr::var(&s)]);
    let b = Buffer::new("B", vec![&Expr::var(&n) * 2], F32);
    let v = index("v");
    let store = |to: Expr, value: &Expr| Stmt::store(&b, vec![to], value).unwrap();
    let body =
        Stmt::seq([store(Expr::var(&v), &at(&a, &[&v])), store(&Expr::var(&v) + &Expr::var(&n), &at(&a, &[&v]))]);
    let body = Stmt::for_loop(&v, i(0), Expr::var(&n), ForKind::Serial, body);
    let f = function("repeat", &[&a, &b], &[], body);
    let x = data(&[3, 2], 1).view(&[3], &[2], 0).unwrap();
    let y = run(&f, &[&x], &[6], 0).unwrap();
    let x = x.to_vec::<f32>().unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [x.clone(), x.clone()].concat());
    let error = run(&f, &[&data(&[3], 1)], &[5], 0).unwrap_err().to_string();
    assert!(error.contains("parameter `B`: expected shape [6], found [5]"), "{error}");
}

#[test]
fn a_strided_destination_is_written_in_place() {
    let (a, b) = (buffer("A", &[3]), buffer("B", &[3]).derive(|b| b.strides = vec![i(2)]));
    let f = function("relu", &[&a, &b], &[], relu(&a, &b, 3, ForKind::Serial));
    let whole = filled(&[3, 2], 7.0);
    let column = whole.view(&[3], &[2], 4).unwrap();
    InterpCx::default().run_prim_func(&f, &[filled(&[3], 1.0).into(), column.into()]).unwrap();
    assert_eq!(whole.to_vec::<f32>().unwrap(), [7.0, 1.0, 7.0, 1.0, 7.0, 1.0]);
}

#[test]
fn flat_form_with_ramps_masks_shuffles_and_local_memory() {
    let (a, b) = (buffer("A", &[8]), buffer("B", &[8]));
    let local = buffer("acc", &[4]).derive(|b| b.scope = Scope::Local);
    let lanes = |base: i64, n: u16| Expr::ramp(&i(base), &i(1), n).unwrap();
    let first = Expr::load(&a, vec![lanes(0, 4)]).unwrap();
    let mask = Expr::compare(tilewright_expr::CmpOp::Lt, &lanes(4, 4), &i(6)).unwrap();
    let second = Expr::load_where(&a, vec![lanes(4, 4)], Some(mask.clone())).unwrap();
    let reversed = Expr::shuffle(vec![Expr::load(&local, vec![lanes(0, 4)]).unwrap()], vec![3, 2, 1, 0]).unwrap();
    let body = Stmt::seq([
        Stmt::store(&local, vec![lanes(0, 4)], &Expr::binary(BinOp::Add, &first, &second).unwrap()).unwrap(),
        Stmt::store(&b, vec![lanes(0, 4)], &reversed).unwrap(),
        Stmt::store_where(&b, vec![lanes(4, 4)], &f32(9.0), Some(mask)).unwrap(),
    ]);
    let body: Stmt = StmtKind::Allocate { buffer: local, body }.into();
    let params = vec![Param::buffer(&a), Param::buffer(&b)];
    let f = PrimFunc { params, attrs: Attrs::new(), body, origins: Origins::default() };
    let x = Tensor::from_vec::<f32>(&[8], (0..8).map(|v| v as f32).collect()).unwrap();
    let y = filled(&[8], -1.0);
    InterpCx::default().run_prim_func(&f, &[x.into(), y.clone().into()]).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [3.0, 2.0, 6.0, 4.0, 9.0, 9.0, -1.0, -1.0]);
}

#[test]
fn a_matched_buffer_views_a_region_and_learns_its_strides() {
    let (a, b) = (buffer("A", &[4, 6]), buffer("B", &[2, 3]));
    let (s0, offset) = (index("s0"), index("off"));
    let sub = buffer("sub", &[2, 3]).derive(|n| {
        n.strides = vec![Expr::var(&s0), i(1)];
        n.elem_offset = Some(Expr::var(&offset));
    });
    let region = vec![Range::new(i(1), i(2)), Range::new(i(2), i(3))];
    let whole = |b: &Buffer, n: i64, m: i64| BufferRegion {
        buffer: b.clone(),
        region: vec![Range::new(i(0), i(n)), Range::new(i(0), i(m))],
    };
    let (x, y) = (index("x"), index("y"));
    let inner = Stmt::for_loop(&y, i(0), i(3), ForKind::Serial, put(&b, &[&x, &y], &at(&sub, &[&x, &y])));
    let inner = Stmt::for_loop(&x, i(0), i(2), ForKind::Serial, inner);
    let check = Expr::compare(tilewright_expr::CmpOp::Eq, &Expr::var(&offset), &i(8)).unwrap();
    let inner = Stmt::seq([StmtKind::Assert { condition: check, message: "offset".into() }.into(), inner]);
    let source = BufferRegion { buffer: a.clone(), region };
    let mut copy = block("copy", &[], vec![source.clone()], vec![whole(&b, 2, 3)], None, inner);
    copy.match_buffers.push(MatchBuffer { buffer: sub.clone(), source });
    let f = function("copy", &[&a, &b], &[], nest(copy.clone(), &[]));
    let x = data(&[4, 6], 5);
    let y = run(&f, &[&x], &[2, 3], 0).unwrap();
    let x = x.to_vec::<f32>().unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [&x[8..11], &x[14..17]].concat());
    // The declared region is smaller than what is read through the view.
    copy.reads[0].region[1].extent = i(2);
    let f = function("copy", &[&a, &b], &[], nest(copy, &[]));
    let error = run(&f, &[&data(&[4, 6], 5)], &[2, 3], 0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Undeclared { buffer, .. } if buffer == "sub"), "{error}");
}

#[test]
fn scalars_predicates_conditions_and_while_loops_run() {
    let (a, n) = (buffer("A", &[4]), Var::new("n", DataType::I32));
    let counter = Buffer::new("t", vec![i(1)], DataType::I32).derive(|b| b.scope = Scope::Local);
    let count = || Expr::load(&counter, vec![i(0)]).unwrap();
    let body = Stmt::seq([
        Stmt::store(&counter, vec![i(0)], &Expr::i32(0)).unwrap(),
        StmtKind::While {
            condition: less(&count(), &Expr::var(&n)),
            body: Stmt::seq([
                StmtKind::If {
                    condition: less(&count(), &Expr::i32(2)),
                    then: Stmt::store(&a, vec![count()], &f32(1.0)).unwrap(),
                    otherwise: Some(Stmt::store(&a, vec![count()], &f32(2.0)).unwrap()),
                }
                .into(),
                Stmt::store(&counter, vec![i(0)], &(&count() + 1)).unwrap(),
            ]),
        }
        .into(),
    ]);
    let body = StmtKind::Allocate { buffer: counter.clone(), body }.into();
    let params = vec![Param::buffer(&a), Param::scalar(&n)];
    let f = PrimFunc { params, attrs: Attrs::new(), body, origins: Origins::default() };
    let x = filled(&[4], 0.0);
    InterpCx::default().run_prim_func(&f, &[x.clone().into(), Scalar::from_int(3, DataType::I32).into()]).unwrap();
    assert_eq!(x.to_vec::<f32>().unwrap(), [1.0, 1.0, 2.0, 0.0]);
}

#[test]
fn shared_and_deep_expressions_stay_linear() {
    let b = buffer("B", &[1]);
    let mut value = f32(1.0);
    for _ in 0..60 {
        value = Expr::binary(BinOp::Add, &value, &value).unwrap();
    }
    for _ in 0..10_000 {
        value = Expr::binary(BinOp::Mul, &value, &f32(1.0)).unwrap();
    }
    let mut body = Stmt::store(&b, vec![i(0)], &value).unwrap();
    for _ in 0..10_000 {
        body = StmtKind::If { condition: Expr::bool(true), then: body, otherwise: None }.into();
    }
    let y = run(&function("deep", &[&b], &[], body), &[], &[1], 0).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [(1u64 << 60) as f32]);
}

#[test]
fn an_expression_let_is_seen_in_its_body_only() {
    let (b, v) = (buffer("B", &[2]), Var::new("v", F32));
    let double = Expr::binary(BinOp::Add, &Expr::var(&v), &Expr::var(&v)).unwrap();
    // The same node under two bindings of the variable has two values.
    let one = Expr::bind(&v, &f32(1.0), &double).unwrap();
    let two = Expr::bind(&v, &f32(2.0), &double).unwrap();
    let body = Stmt::store(&b, vec![i(0)], &Expr::binary(BinOp::Mul, &one, &two).unwrap()).unwrap();
    let body = Stmt::seq([body, Stmt::store(&b, vec![i(1)], &Expr::var(&v)).unwrap()]);
    let error = run(&function("bind", &[&b], &[], body), &[], &[2], 0).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Unbound { name: "v".into() });
}

#[test]
fn lazy_conditions_guard_accesses_and_select_does_not() {
    let (a, b, v) = (buffer("A", &[4]), buffer("B", &[6]), index("v"));
    let inside = less(&Expr::var(&v), &i(4));
    let padded = |lazy: bool| {
        let value = if lazy {
            if_then_else(&inside, &at(&a, &[&v]), &f32(0.0))
        } else {
            Expr::select(&inside, &at(&a, &[&v]), &f32(0.0)).unwrap()
        };
        function("pad", &[&a, &b], &[], Stmt::for_loop(&v, i(0), i(6), ForKind::Serial, put(&b, &[&v], &value)))
    };
    let x = filled(&[4], 3.0);
    let y = run(&padded(true), &[&x], &[6], 0).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [3.0, 3.0, 3.0, 3.0, 0.0, 0.0]);
    let error = run(&padded(false), &[&x], &[6], 0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::OutOfRange { indices, .. } if indices == &[4]), "{error}");
}

#[test]
fn a_block_outside_its_domain_is_skipped_by_its_predicate_or_an_error() {
    let (a, b, v, l) = (buffer("A", &[5]), buffer("B", &[5]), index("v"), index("l"));
    let make = |guarded: bool| {
        let block: Block = block(
            "copy",
            &[(&v, 5, IterKind::Spatial)],
            vec![points(&a, &[&v])],
            vec![points(&b, &[&v])],
            None,
            put(&b, &[&v], &at(&a, &[&v])),
        );
        let predicate = if guarded { less(&Expr::var(&l), &i(5)) } else { Expr::bool(true) };
        let stmt = StmtKind::Block { values: vec![Expr::var(&l)], predicate, block }.into();
        function("copy", &[&a, &b], &[], Stmt::for_loop(&l, i(0), i(8), ForKind::Serial, stmt))
    };
    assert!(run(&make(true), &[&filled(&[5], 1.0)], &[5], 0).is_ok());
    let error = run(&make(false), &[&filled(&[5], 1.0)], &[5], 0).unwrap_err();
    assert!(error.to_string().contains("axis `v` of block `copy` has the value 5"), "{error}");
}
