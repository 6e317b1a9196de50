//! Errors of functions that cannot be lowered.

use tilewright_ir::tir::{Buffer, BufferRegion, Expr, ForKind, MatchBuffer, PrimFunc, Range, Stmt, Var};
use tilewright_tensor::DataType;

use super::build::*;

#[track_caller]
fn refused(function: &PrimFunc, code: &str, part: &str) {
    let error = crate::lower("main", function).expect_err("an error").to_string();
    assert!(error.contains(code) && error.contains(part), "{error}");
}

#[test]
fn a_total_that_threads_share_is_read_after_their_loop() {
    let (a, b, total, i) = (buffer("A", &[4]), buffer("B", &[4]), buffer("T", &[1]), var("i"));
    let added = |part: &Expr| store(&total, &[int(0)], &(&load(&total, &[int(0)]) + part));
    let add = added(&load(&a, &[of(&i)]));
    let read = store(&b, &[of(&i)], &load(&total, &[int(0)]));
    let kind = || ForKind::ThreadBinding("threadIdx.x".into());
    let together = nest([(&i, 4, kind())], Stmt::seq([add.clone(), read]));
    refused(&function(&[&a, &b, &total], &[], together), "TW0561", "`T` is read in the loop over threads");
    let alone = nest([(&i, 4, kind())], add);
    assert!(crate::lower("main", &function(&[&a, &b, &total], &[], alone)).is_ok());
}

#[test]
fn indices_that_are_certainly_outside_are_found_at_compile_time() {
    let (a, i) = (buffer("A", &[4]), var("i"));
    let constant = store(&a, &[int(4)], &float(1.0));
    refused(&function(&[&a], &[], constant), "TW0562", "index 4 is out of range for dimension 0 of buffer `A`");
    let loops = nest([serial(&i, 4)], store(&a, &[&of(&i) + 1], &float(1.0)));
    refused(&function(&[&a], &[], loops), "TW0562", "whose extent is 4");
    let guarded = when(less(&of(&i), &int(3)), store(&a, &[&of(&i) + 1], &float(1.0)), None);
    assert!(crate::lower("main", &function(&[&a], &[], nest([serial(&i, 4)], guarded))).is_ok());
}

/// `view` matched with this part of `A[4, 6]`.
fn matching(view: Buffer, region: [(i64, i64); 2]) -> PrimFunc {
    let a = buffer("A", &[4, 6]);
    let region = region.map(|(min, extent)| Range::new(int(min), int(extent))).to_vec();
    let source = BufferRegion { buffer: a.clone(), region };
    let zero = vec![int(0); view.rank()];
    let mut body = block("b", Vec::new(), vec![source.clone()], Vec::new(), store(&view, &zero, &float(1.0)));
    body.match_buffers = vec![MatchBuffer { buffer: view, source }];
    function(&[&a], &[], realize(&[], Expr::bool(true), body))
}

#[test]
fn matched_buffers_must_agree_with_their_regions() {
    let view = |shape: &[i64], strides: &[i64]| {
        buffer("X", shape).derive(|node| node.strides = strides.iter().map(|&s| int(s)).collect())
    };
    assert!(crate::lower("main", &matching(view(&[2, 3], &[6, 1]), [(1, 2), (2, 3)])).is_ok());
    assert!(crate::lower("main", &matching(view(&[3], &[]), [(1, 1), (2, 3)])).is_ok());
    for (view, region, part) in [
        (view(&[2, 3], &[]), [(1, 2), (2, 3)], "their strides differ"),
        (view(&[2, 3], &[3, 1]), [(1, 2), (2, 3)], "their strides differ"),
        (view(&[2, 2], &[6, 1]), [(1, 2), (2, 3)], "their shapes differ"),
        (view(&[3], &[]), [(1, 2), (2, 3)], "a dimension that it lacks is not of extent 1"),
        (view(&[1, 2, 3], &[]), [(1, 2), (2, 3)], "it has more dimensions"),
    ] {
        refused(&matching(view, region), "TW0563", part);
    }
}

#[test]
fn views_of_another_width_are_refused() {
    let (a, i) = (buffer("A", &[4]), var("i"));
    let wide = Buffer::new("W", vec![int(2)], DataType::F64).derive(|node| node.data = a.data.clone());
    let body = nest([serial(&i, 2)], Stmt::store(&wide, vec![of(&i)], &Expr::float(1.0, DataType::F64)).unwrap());
    refused(&function(&[&a], &[], body), "TW0563", "buffer `W` views memory of float32 as float64");
}

#[test]
fn undefined_strides_and_dimensions_have_different_errors() {
    let (n, s) = (Var::new("n", DataType::I64), Var::new("s", DataType::I64));
    let strided = Buffer::new("A", vec![Expr::var(&n), Expr::var(&n)], DataType::F32);
    let own = strided.derive(|node| node.strides = vec![Expr::var(&s), Expr::i64(1)]);
    let names = |buffer: &Buffer| {
        let zero = vec![Expr::i64(0), Expr::i64(0)];
        let f = function(&[buffer], &[], store(buffer, &zero, &float(1.0)));
        let scalars = tilewright_ir::interface::KernelInterface::of(&f).scalars;
        scalars.iter().map(|s| s.var.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(&own), ["n"]);
    let doubled = strided.derive(|node| node.strides = vec![&Expr::var(&s) * 2, Expr::i64(1)]);
    assert_eq!(names(&doubled), ["n", "s"]);
}
