//! Small programs, one idea each.

use tilewright_ir::tir::{
    BinOp, Block, Buffer, BufferRegion, CmpOp, Expr, ForKind, IterKind, MatchBuffer, Range, Stmt, StmtKind, Var,
};
use tilewright_tensor::DataType;

use super::build::*;
use super::{F32, Input, check, check_with};

fn floats(shape: &[i64]) -> Input {
    Input::F32(shape.to_vec())
}

/// `C = A @ B` with the reduction split into `ko` and `ki`, in blocks.
fn matmul(order: fn([Var; 4]) -> Vec<(Var, i64)>) -> tilewright_ir::tir::PrimFunc {
    let (a, b, c) = (buffer("A", &[4, 6]), buffer("B", &[6, 5]), buffer("C", &[4, 5]));
    let [i, j, ko, ki] = ["i", "j", "ko", "ki"].map(var);
    let [vi, vj, vk] = ["vi", "vj", "vk"].map(var);
    let at = [of(&vi), of(&vj)];
    let product = binary(BinOp::Mul, &load(&a, &[of(&vi), of(&vk)]), &load(&b, &[of(&vk), of(&vj)]));
    let iters = vec![axis(&vi, 4, IterKind::Spatial), axis(&vj, 5, IterKind::Spatial), axis(&vk, 6, IterKind::Reduce)];
    let reads = vec![element(&a, &[of(&vi), of(&vk)]), element(&b, &[of(&vk), of(&vj)])];
    let update = store(&c, &at, &binary(BinOp::Add, &load(&c, &at), &product));
    let mut body = block("matmul", iters, vec![element(&c, &at)], reads, update);
    body.init = Some(store(&c, &at, &float(0.0)));
    let k = &(&of(&ko) * 4) + &of(&ki);
    let stmt = realize(&[of(&i), of(&j), k.clone()], less(&k, &int(6)), body);
    let loops = order([i, j, ko, ki]);
    function(&[&a, &b, &c], &[], nest(loops.iter().map(|(var, n)| serial(var, *n)), stmt))
}

const MATMUL: fn() -> [Input; 3] = || [floats(&[4, 6]), floats(&[6, 5]), floats(&[4, 5])];

#[test]
fn an_init_stays_under_its_condition_where_the_reduction_has_a_predicate() {
    let text = check(&matmul(|[i, j, ko, ki]| vec![(i, 4), (j, 5), (ko, 2), (ki, 4)]), &MATMUL());
    assert!(text.contains("C[(i * 5 + j)] = 0.0"), "{text}");
}

#[test]
fn an_init_under_an_outer_reduction_runs_in_its_first_iterations() {
    check(&matmul(|[i, j, ko, ki]| vec![(ko, 2), (i, 4), (ki, 4), (j, 5)]), &MATMUL());
}

#[test]
fn an_init_moves_in_front_of_the_loops_that_only_reduce() {
    let (a, c) = (buffer("A", &[3, 8]), buffer("C", &[3]));
    let [i, ko, ki, vi, vk] = ["i", "ko", "ki", "vi", "vk"].map(var);
    let at = [of(&vi)];
    let update = store(&c, &at, &binary(BinOp::Max, &load(&c, &at), &load(&a, &[of(&vi), of(&vk)])));
    let iters = vec![axis(&vi, 3, IterKind::Spatial), axis(&vk, 8, IterKind::Reduce)];
    let reads = vec![element(&a, &[of(&vi), of(&vk)])];
    let mut body = block("rowmax", iters, vec![element(&c, &at)], reads, update);
    body.init = Some(store(&c, &at, &float(-100.0)));
    let stmt = realize(&[of(&i), &(&of(&ko) * 4) + &of(&ki)], Expr::bool(true), body);
    let f = function(&[&a, &c], &[], nest([serial(&i, 3), serial(&ko, 2), serial(&ki, 4)], stmt));
    let text = check(&f, &[floats(&[3, 8]), floats(&[3])]);
    assert_eq!(
        text,
        "for i in 0+3:\n  C[i] = -100.0\n  for ko in 0+2:\n    for ki in 0+4:\n      C[i] = Max(C[i], A[((i * 8 + ko * 4) + ki)])\n"
    );
}

#[test]
fn a_temporary_shrinks_to_the_region_of_one_iteration() {
    let (a, b, t) = (buffer("A", &[8, 16]), buffer("B", &[8, 16]), buffer("T", &[8, 16]));
    let [i, j, k] = ["i", "j", "k"].map(var);
    let first = nest([serial(&j, 16)], store(&t, &[of(&i), of(&j)], &(load_twice(&a, &[of(&i), of(&j)]))));
    let second = nest([serial(&k, 16)], store(&b, &[of(&i), of(&k)], &load(&t, &[of(&i), &int(15) - &of(&k)])));
    let body = nest([(&i, 8, ForKind::Parallel)], Stmt::seq([first, second]));
    let text = check(&function(&[&a, &b], &[&t], body), &[floats(&[8, 16]), floats(&[8, 16])]);
    assert!(text.contains("alloc T[16] global"), "{text}");
}

fn load_twice(a: &Buffer, at: &[Expr]) -> Expr {
    binary(BinOp::Add, &load(a, at), &load(a, at))
}

#[test]
fn a_temporary_that_carries_values_between_iterations_stays_outside() {
    let (a, t) = (buffer("A", &[8]), local("T", &[1]));
    let i = var("i");
    let start = when(less(&of(&i), &int(1)), store(&t, &[int(0)], &float(0.0)), None);
    let step = store(&t, &[int(0)], &binary(BinOp::Add, &load(&t, &[int(0)]), &float(1.0)));
    let body = nest([serial(&i, 8)], Stmt::seq([start, step, store(&a, &[of(&i)], &load(&t, &[int(0)]))]));
    let text = check(&function(&[&a], &[&t], body), &[floats(&[8])]);
    assert!(text.starts_with("alloc T[1] local\nfor i"), "{text}");
}

fn map1(n: i64, kind: ForKind, value: impl Fn(&Buffer, &Expr) -> Expr) -> (tilewright_ir::tir::PrimFunc, [Input; 2]) {
    let (a, b, i) = (buffer("A", &[n]), buffer("B", &[n]), var("i"));
    let body = nest([(&i, n, kind)], store(&b, &[of(&i)], &value(&a, &of(&i))));
    (function(&[&a, &b], &[], body), [floats(&[n]), floats(&[n])])
}

#[test]
fn loops_become_vectors_long_ones_in_pieces() {
    let (f, inputs) = map1(8, ForKind::Vectorized, |a, i| load_twice(a, std::slice::from_ref(i)));
    assert_eq!(check(&f, &inputs), "B[0:8] = (A[0:8] + A[0:8])\n");
    let (f, inputs) = map1(100, ForKind::Vectorized, |a, i| load(a, std::slice::from_ref(i)));
    let text = check(&f, &inputs);
    assert_eq!(text, "for i_outer in 0+6:\n  B[i_outer * 16:16] = A[i_outer * 16:16]\nB[96:4] = A[96:4]\n");
}

#[test]
fn loads_with_gaps_are_vectors_of_strided_indices() {
    let (f, inputs) = map1(8, ForKind::Vectorized, |a, i| load(a, &[binary(BinOp::FloorDiv, i, &int(2))]));
    check(&f, &inputs);
    let (a, b, i) = (buffer("A", &[4, 8]), buffer("B", &[4, 4]), var("i"));
    let body = nest([(&i, 4, ForKind::Vectorized)], store(&b, &[int(1), of(&i)], &load(&a, &[of(&i), int(3)])));
    let text = check(&function(&[&a, &b], &[], body), &[floats(&[4, 8]), floats(&[4, 4])]);
    assert_eq!(text, "B[4:4] = A[3:4:8]\n");
    let body = nest([(&i, 4, ForKind::Vectorized)], store(&b, &[of(&i), int(0)], &load(&a, &[int(0), of(&i)])));
    let text = check(&function(&[&a, &b], &[], body), &[floats(&[4, 8]), floats(&[4, 4])]);
    assert_eq!(text, "for i in 0+4:\n  B[i * 4] = A[i]\n");
}

#[test]
fn lanes_out_of_range_are_masked_only_in_loops_that_need_it() {
    let (a, b) = (buffer("A", &[20]), buffer("B", &[20]));
    let [io, ii] = ["io", "ii"].map(var);
    let at = &(&of(&io) * 8) + &of(&ii);
    let inside = less(&at, &int(20));
    let at = [at];
    let guarded = when(inside, store(&b, &at, &load(&a, &at)), None);
    let body = nest([serial(&io, 3), (&ii, 8, ForKind::Vectorized)], guarded);
    let text = check(&function(&[&a, &b], &[], body), &[floats(&[20]), floats(&[20])]);
    assert_eq!(text, "for io in 0+3:\n  B[io * 8:8] = A[io * 8:8 where io * 8:8 < x8(20)] where io * 8:8 < x8(20)\n");
}

#[test]
fn padding_in_lanes_reads_nothing_outside() {
    let (f, inputs) = map1(8, ForKind::Vectorized, |a, i| {
        let before = i - 1;
        if_then_else(&less(&int(0), i), &load(a, &[before]), &float(0.0))
    });
    let text = check(&f, &inputs);
    assert!(text.contains("select(") && text.contains("where"), "{text}");
}

#[test]
fn a_condition_on_both_branches_in_lanes() {
    let (a, b, i) = (buffer("A", &[8]), buffer("B", &[8]), var("i"));
    let at = [of(&i)];
    let positive = Expr::compare(CmpOp::Gt, &load(&a, &at), &float(0.0)).unwrap();
    let body = when(positive, store(&b, &at, &load(&a, &at)), Some(store(&b, &at, &float(0.5))));
    let text =
        check(&function(&[&a, &b], &[], nest([(&i, 8, ForKind::Vectorized)], body)), &[floats(&[8]), floats(&[8])]);
    assert!(text.contains("let mask"), "{text}");
}

#[test]
fn loops_without_a_form_in_lanes_stay_serial() {
    let (a, b) = (buffer("A", &[8, 8]), buffer("B", &[8]));
    let [i, j] = ["i", "j"].map(var);
    let sum = store(&b, &[of(&i)], &binary(BinOp::Add, &load(&b, &[of(&i)]), &load(&a, &[of(&i), of(&j)])));
    let triangle = Stmt::for_loop(&j, int(0), &of(&i) + 1, ForKind::Serial, sum);
    let body = nest([(&i, 8, ForKind::Vectorized)], triangle);
    let text = check(&function(&[&a, &b], &[], body), &[floats(&[8, 8]), floats(&[8])]);
    assert!(text.starts_with("for i in 0+8:\n  for j in 0+(i + 1):"), "{text}");
}

#[test]
fn indices_are_data_too() {
    let b = Buffer::new("B", vec![int(8)], DataType::I32);
    let i = var("i");
    let body = nest([(&i, 8, ForKind::Vectorized)], store(&b, &[of(&i)], &(&(&of(&i) * 3) - 5)));
    check(&function(&[&b], &[], body), &[Input::I32(vec![0; 8])]);
    let (c, j) = (buffer("C", &[8]), var("j"));
    let value = (&of(&j) * &of(&j)).cast(F32).unwrap();
    check(&function(&[&c], &[], nest([serial(&j, 8)], store(&c, &[of(&j)], &value))), &[floats(&[8])]);
}

#[test]
fn loaded_indices_are_checked_unless_proven() {
    let index = Buffer::new("I", vec![int(4)], DataType::I32);
    let (a, b, i) = (buffer("A", &[10]), buffer("B", &[4]), var("i"));
    let at = load(&index, &[of(&i)]);
    let gather = |at: &Expr| {
        let body = nest([serial(&i, 4)], store(&b, &[of(&i)], &load(&a, std::slice::from_ref(at))));
        function(&[&index, &a, &b], &[], body)
    };
    let inputs = || [Input::I32(vec![3, 0, 9, 9]), floats(&[10]), floats(&[4])];
    let text = check(&gather(&at), &inputs());
    assert!(text.contains("index out of range: dimension 0 of buffer `A`"), "{text}");
    let clipped = binary(BinOp::Max, &binary(BinOp::Min, &at, &int(9)), &int(0));
    let text = check(&gather(&clipped), &inputs());
    assert!(!text.contains("assert"), "{text}");
    // The check is under the same condition as the access.
    let known = Expr::compare(CmpOp::Ge, &at, &int(0)).unwrap();
    let value = if_then_else(&known, &load(&a, &[at]), &float(7.0));
    let body = nest([serial(&i, 4)], store(&b, &[of(&i)], &value));
    let text = check(
        &function(&[&index, &a, &b], &[], body),
        &[Input::I32(vec![3, -1, i32::MIN, 9]), floats(&[10]), floats(&[4])],
    );
    assert!(text.contains("assert"), "{text}");
}

#[test]
fn loaded_indices_that_are_outside_stop_the_function() {
    let index = Buffer::new("I", vec![int(2)], DataType::I32);
    let (a, i) = (buffer("A", &[4]), var("i"));
    let body = nest([serial(&i, 2)], store(&a, &[load(&index, &[of(&i)])], &float(1.0)));
    let low = crate::lower("scatter", &function(&[&index, &a], &[], body)).unwrap();
    for (values, fails) in [([0, 3], false), ([0, 4], true), ([-1, 0], true)] {
        let args = [
            tilewright_interp::Arg::Tensor(tilewright_tensor::Tensor::from_vec(&[2], values.to_vec()).unwrap()),
            tilewright_interp::Arg::Tensor(tilewright_tensor::Tensor::from_vec(&[4], vec![0f32; 4]).unwrap()),
        ];
        let result = tilewright_interp::InterpCx::new(1).run_low(&low, &args);
        let message = result.map_or_else(|e| e.to_string(), |()| String::new());
        assert_eq!(message.contains("index out of range: dimension 0"), fails, "{values:?} {message}");
    }
}

#[test]
fn matched_regions_are_views_of_their_source() {
    let (a, b) = (buffer("A", &[4, 6]), buffer("B", &[4, 6]));
    let [i, j, vi] = ["i", "j", "vi"].map(var);
    let row = |buffer: &Buffer, name: &str| {
        let view = Buffer::new(name, vec![int(6)], F32);
        let region = vec![Range::new(of(&vi), int(1)), Range::new(int(0), int(6))];
        (MatchBuffer { buffer: view.clone(), source: BufferRegion { buffer: buffer.clone(), region } }, view)
    };
    let ((from, source), (to, target)) = (row(&a, "X"), row(&b, "Y"));
    let copy = nest([serial(&j, 6)], store(&target, &[&int(5) - &of(&j)], &load(&source, &[of(&j)])));
    let region = |m: &MatchBuffer| m.source.clone();
    let mut body = block("row", vec![axis(&vi, 4, IterKind::Spatial)], vec![region(&to)], vec![region(&from)], copy);
    body.match_buffers = vec![from, to];
    let f = function(&[&a, &b], &[], nest([serial(&i, 4)], realize(&[of(&i)], Expr::bool(true), body)));
    let text = check(&f, &[floats(&[4, 6]), floats(&[4, 6])]);
    assert_eq!(text, "for i in 0+4:\n  for j in 0+6:\n    B[((i * 6 - j) + 5)] = A[(i * 6 + j)]\n");
}

#[test]
fn symbolic_dimensions_are_scalar_parameters() {
    let n = Var::new("n", DataType::I64);
    let shape = || vec![Expr::var(&n), int(4).cast(DataType::I64).unwrap()];
    let (a, b) = (Buffer::new("A", shape(), F32), Buffer::new("B", shape(), F32));
    let f = Var::new("f", DataType::I64);
    let four = Expr::i64(4);
    let at = [binary(BinOp::FloorDiv, &of(&f), &four), binary(BinOp::FloorMod, &of(&f), &four)];
    let body = store(&b, &at, &load_twice(&a, &at));
    let body = Stmt::for_loop(&f, Expr::i64(0), &Expr::var(&n) * 4, ForKind::Parallel, body);
    let function = function(&[&a, &b], &[], body);
    for size in [0, 1, 3] {
        let text = check_with(&function, &[floats(&[size, 4]), floats(&[size, 4])], &[size]);
        assert_eq!(text, "for f in 0+n * 4 Parallel:\n  B[f] = (A[f] + A[f])\n");
    }
}

#[test]
fn parallel_loops_are_one_level() {
    let (a, b) = (buffer("A", &[4, 6]), buffer("B", &[4, 6]));
    let [i, j, k] = ["i", "j", "k"].map(var);
    let body = store(&b, &[of(&i), of(&j)], &load_twice(&a, &[of(&i), of(&j)]));
    let parallel = ForKind::Parallel;
    let fused = nest([(&i, 4, parallel.clone()), (&j, 6, parallel.clone())], body.clone());
    let text = check(&function(&[&a, &b], &[], fused), &[floats(&[4, 6]), floats(&[4, 6])]);
    assert_eq!(text, "for i_j_fused in 0+24 Parallel:\n  B[i_j_fused] = (A[i_j_fused] + A[i_j_fused])\n");
    let apart = nest([(&i, 4, parallel.clone()), serial(&k, 2), (&j, 6, parallel)], body);
    let text = check(&function(&[&a, &b], &[], apart), &[floats(&[4, 6]), floats(&[4, 6])]);
    assert_eq!(text.matches("Parallel").count(), 1, "{text}");
}

#[test]
fn unrolled_loops_are_written_out_with_variables_of_their_own() {
    let (a, b, t) = (buffer("A", &[6]), buffer("B", &[6]), local("T", &[1]));
    let [i, j] = ["i", "j"].map(var);
    let at = [&(&of(&i) * 2) + &of(&j)];
    let body = Stmt::seq([store(&t, &[int(0)], &load(&a, &at)), store(&b, &at, &load(&t, &[int(0)]))]);
    let body = nest([(&i, 3, ForKind::Unrolled), serial(&j, 2)], body);
    let text = check(&function(&[&a, &b], &[&t], body), &[floats(&[6]), floats(&[6])]);
    assert_eq!(text.matches("for j").count(), 3, "{text}");
}

#[test]
fn a_loop_with_a_condition_of_data() {
    let index = Buffer::new("I", vec![int(4)], DataType::I32);
    let (a, t) = (buffer("A", &[4]), Buffer::new("T", vec![int(1)], DataType::I32));
    let zero = [int(0)];
    let current = load(&t, &zero);
    let more = Expr::compare(CmpOp::Ne, &load(&index, std::slice::from_ref(&current)), &int(0)).unwrap();
    let step = Stmt::seq([
        store(&a, std::slice::from_ref(&current), &float(2.0)),
        store(&t, &zero, &load(&index, std::slice::from_ref(&current))),
    ]);
    let walk = StmtKind::While { condition: more, body: step }.into();
    let body = Stmt::seq([store(&t, &zero, &int(0)), walk]);
    let text = check(&function(&[&index, &a], &[&t], body), &[Input::I32(vec![2, 0, 1, 0]), floats(&[4])]);
    assert!(text.matches("assert").count() >= 2, "{text}");
}

#[test]
fn temporaries_of_inner_blocks_live_there() {
    let (a, b, t) = (buffer("A", &[4, 8]), buffer("B", &[4, 8]), local("T", &[8]));
    let [i, j, k, vi] = ["i", "j", "k", "vi"].map(var);
    let fill = nest([(&j, 8, ForKind::Vectorized)], store(&t, &[of(&j)], &load(&a, &[of(&vi), of(&j)])));
    let write = nest([(&k, 8, ForKind::Vectorized)], store(&b, &[of(&vi), of(&k)], &load(&t, &[of(&k)])));
    let row = |buffer: &Buffer| BufferRegion {
        buffer: buffer.clone(),
        region: vec![Range::new(of(&vi), int(1)), Range::new(int(0), int(8))],
    };
    let body = Block {
        alloc_buffers: vec![t.clone()],
        ..block("row", vec![axis(&vi, 4, IterKind::Spatial)], vec![row(&b)], vec![row(&a)], Stmt::seq([fill, write]))
    };
    let f = function(&[&a, &b], &[], nest([(&i, 4, ForKind::Parallel)], realize(&[of(&i)], Expr::bool(true), body)));
    let text = check(&f, &[floats(&[4, 8]), floats(&[4, 8])]);
    assert_eq!(text, "for i in 0+4 Parallel:\n  alloc T[8] local\n  T[0:8] = A[i * 8:8]\n  B[i * 8:8] = T[0:8]\n");
}

#[test]
fn an_init_whose_first_value_never_comes_never_runs() {
    let (a, c) = (buffer("A", &[3, 8]), buffer("C", &[3]));
    let [i, k, vi, vk] = ["i", "k", "vi", "vk"].map(var);
    let at = [of(&vi)];
    let update = store(&c, &at, &binary(BinOp::Add, &load(&c, &at), &load(&a, &[of(&vi), of(&vk)])));
    let iters = vec![axis(&vi, 3, IterKind::Spatial), axis(&vk, 8, IterKind::Reduce)];
    let reads = vec![element(&a, &[of(&vi), of(&vk)])];
    let mut body = block("rest", iters, vec![element(&c, &at)], reads, update);
    body.init = Some(store(&c, &at, &float(0.0)));
    let stmt = realize(&[of(&i), &of(&k) + 1], Expr::bool(true), body);
    let f = function(&[&a, &c], &[], nest([serial(&i, 3), serial(&k, 7)], stmt));
    let text = check(&f, &[floats(&[3, 8]), floats(&[3])]);
    assert!(!text.contains("= 0.0"), "{text}");
}

#[test]
fn matched_regions_begin_where_they_begin() {
    let (a, b) = (buffer("A", &[8]), buffer("B", &[8]));
    let [i, j, vi] = ["i", "j", "vi"].map(var);
    let (from, to) = (buffer("X", &[4]), buffer("Y", &[4]));
    let half = |view: &Buffer, buffer: &Buffer, from: Expr| MatchBuffer {
        buffer: view.clone(),
        source: BufferRegion { buffer: buffer.clone(), region: vec![Range::new(from, int(4))] },
    };
    let views = vec![half(&from, &a, &of(&vi) * 4), half(&to, &b, &int(4) - &(&of(&vi) * 4))];
    let copy = nest([serial(&j, 4)], store(&to, &[of(&j)], &load(&from, &[of(&j)])));
    let (writes, reads) = (vec![views[1].source.clone()], vec![views[0].source.clone()]);
    let mut body = block("swap", vec![axis(&vi, 2, IterKind::Spatial)], writes, reads, copy);
    body.match_buffers = views;
    let f = function(&[&a, &b], &[], nest([serial(&i, 2)], realize(&[of(&i)], Expr::bool(true), body)));
    check(&f, &[floats(&[8]), floats(&[8])]);
}

#[test]
fn a_temporary_holds_the_union_of_its_accesses() {
    let (a, b, t) = (buffer("A", &[8, 20]), buffer("B", &[8, 16]), buffer("T", &[8, 20]));
    let [i, j, k] = ["i", "j", "k"].map(var);
    let first = nest([serial(&j, 18)], store(&t, &[of(&i), of(&j)], &load(&a, &[of(&i), of(&j)])));
    let pair = |shift| load(&t, &[of(&i), &of(&k) + shift]);
    let sum = binary(BinOp::Add, &pair(0), &pair(2));
    let second = nest([serial(&k, 16)], store(&b, &[of(&i), of(&k)], &sum));
    let body = nest([serial(&i, 8)], Stmt::seq([first, second]));
    let text = check(&function(&[&a, &b], &[&t], body), &[floats(&[8, 20]), floats(&[8, 16])]);
    assert!(text.contains("alloc T[18] global"), "{text}");
    // The widest access need not be the first one.
    let wide = buffer("W", &[20]);
    let [x, y] = ["x", "y"].map(var);
    let head = store(&wide, &[int(0)], &float(1.0));
    let all = nest([serial(&x, 12)], store(&wide, &[of(&x)], &load(&a, &[int(0), of(&x)])));
    let use_all = nest([serial(&y, 12)], store(&b, &[int(0), of(&y)], &load(&wide, &[of(&y)])));
    let f = function(&[&a, &b], &[&wide], Stmt::seq([head, all, use_all]));
    let text = check(&f, &[floats(&[8, 20]), floats(&[8, 16])]);
    assert!(text.contains("alloc W[12] global"), "{text}");
}

#[test]
fn divisions_round_down_where_the_dividend_may_be_negative() {
    let (f, inputs) = map1(8, ForKind::Serial, |a, i| load(a, &[binary(BinOp::FloorDiv, i, &int(3))]));
    assert!(check(&f, &inputs).contains("A[Div(i, 3)]"));
    let (f, inputs) =
        map1(8, ForKind::Serial, |_, i| binary(BinOp::FloorDiv, &(&int(0) - i), &int(3)).cast(F32).unwrap());
    assert!(check(&f, &inputs).contains("FloorDiv"));
}

#[test]
fn narrow_symbolic_extents_leave_no_conversion_in_indices() {
    let n = Var::new("n", DataType::I32);
    let (a, b) = (Buffer::new("A", vec![Expr::var(&n)], F32), Buffer::new("B", vec![Expr::var(&n)], F32));
    let i = var("i");
    let body = store(&b, &[&(&Expr::var(&n) - 1) - &of(&i)], &load(&a, &[of(&i)]));
    let body = Stmt::for_loop(&i, int(0), Expr::var(&n), ForKind::Serial, body);
    let text = check_with(&function(&[&a, &b], &[], body), &[floats(&[5]), floats(&[5])], &[5]);
    assert_eq!(text, "for i in 0+int64(n):\n  B[((int64(n) - i) - 1)] = A[i]\n");
}
