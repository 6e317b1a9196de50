//! Loops over threads: orders, barriers, and who has which memory.

use tilewright_interp::{Arg, ErrorKind, InterpCx, InterpError};
use tilewright_script::parse::{NoHost, parse_module};
use tilewright_support::SourceFile;
use tilewright_tensor::{DataType, Tensor};

use crate::programs::data;

/// Runs a kernel `f(A, B)` with this body on random values; gives what `B` was and is.
fn launch(shapes: [&[i64]; 2], body: &str, seed: u64) -> Result<[Vec<f32>; 2], InterpError> {
    let dims = |shape: &[i64]| format!("({},)", shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
    let body: String = body.lines().map(|line| format!("        {line}\n")).collect();
    let text = format!(
        "@I.ir_module\nclass Module:\n    @T.prim_func\n    def f(A: T.Buffer({}, \"float32\"), B: T.Buffer({}, \
         \"float32\")):\n{body}",
        dims(shapes[0]),
        dims(shapes[1])
    );
    let file = SourceFile::new("kernel.py", text);
    let module = parse_module(&file, &NoHost).unwrap_or_else(|errors| panic!("{errors}"));
    let f = module.prim("f").expect("the kernel");
    let (a, b) = (data(shapes[0], seed), Tensor::zeros(DataType::F32, shapes[1]).unwrap());
    InterpCx::new(seed).run_prim_func(f, &[Arg::from(&a), Arg::Destination(b.clone())])?;
    Ok([a.to_vec().unwrap(), b.to_vec().unwrap()])
}

/// Reverses rows through shared memory.
const REVERSE: &str = "\
for bx in T.thread_binding(3, thread=\"blockIdx.x\"):
    S = T.decl_buffer((8,), \"float32\", scope=\"shared\")
    for tx in T.thread_binding(8, thread=\"threadIdx.x\"):
        S[tx] = A[bx, tx]
        T.tvm_storage_sync(\"shared\")
        B[bx, tx] = S[7 - tx]";

fn reversed(rows: &[f32], width: usize) -> Vec<f32> {
    rows.chunks(width).flat_map(|row| row.iter().rev().copied()).collect()
}

#[test]
fn threads_see_writes_of_others_before_a_barrier() {
    for seed in 0..20 {
        let [a, b] = launch([&[3, 8], &[3, 8]], REVERSE, seed).unwrap();
        assert_eq!(b, reversed(&a, 8));
    }
}

#[test]
fn a_missing_barrier_shows() {
    let without = REVERSE.replace("        T.tvm_storage_sync(\"shared\")\n", "");
    let failed = (0..20).filter(|&seed| {
        let result = launch([&[3, 8], &[3, 8]], &without, seed);
        matches!(result, Err(error) if matches!(error.kind(), ErrorKind::Uninitialized { .. }))
    });
    assert_eq!(failed.count(), 20);
}

#[test]
fn a_tree_of_barriers_sums_a_row() {
    let body = "\
for bx in T.thread_binding(2, thread=\"blockIdx.x\"):
    S = T.decl_buffer((16,), \"float32\", scope=\"shared\")
    for tx in T.thread_binding(16, thread=\"threadIdx.x\"):
        S[tx] = A[bx, tx]
        for step in range(4):
            T.tvm_storage_sync(\"shared\")
            if tx < T.shift_right(8, step):
                S[tx] = S[tx] + S[tx + T.shift_right(8, step)]
        T.tvm_storage_sync(\"shared\")
        if tx == 0:
            B[bx] = S[0]";
    for seed in 0..10 {
        let [a, b] = launch([&[2, 16], &[2]], body, seed).unwrap();
        for (row, sum) in a.chunks(16).zip(b) {
            let expected: f32 = row.iter().sum();
            assert!((sum - expected).abs() <= 1e-4 * expected.abs().max(1.0), "{sum} {expected}");
        }
    }
}

#[test]
fn local_memory_that_is_declared_around_the_threads_is_each_one_s_own() {
    let body = "\
L = T.decl_buffer((1,), \"float32\", scope=\"local\")
S = T.decl_buffer((8,), \"float32\", scope=\"shared\")
for ty in T.thread_binding(2, thread=\"threadIdx.y\"):
    for tx in T.thread_binding(4, thread=\"threadIdx.x\"):
        L[0] = A[ty * 4 + tx]
        S[ty * 4 + tx] = L[0]
        T.tvm_storage_sync(\"shared\")
        B[ty * 4 + tx] = L[0] - S[7 - ty * 4 - tx]";
    for seed in 0..10 {
        let [a, b] = launch([&[8], &[8]], body, seed).unwrap();
        let expected: Vec<f32> = (0..8).map(|at| a[at] - a[7 - at]).collect();
        assert_eq!(b, expected);
    }
}

#[test]
fn local_memory_of_another_thread_is_not_read() {
    let body = "\
L = T.decl_buffer((1,), \"float32\", scope=\"local\")
for tx in T.thread_binding(4, thread=\"threadIdx.x\"):
    if tx % 2 == 0:
        L[0] = A[tx]
    B[tx] = L[0]";
    let error = launch([&[4], &[4]], body, 1).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Race { .. } | ErrorKind::Uninitialized { .. }), "{error}");
}

#[test]
fn shared_memory_of_another_block_is_not_read() {
    let body = "\
S = T.decl_buffer((1,), \"float32\", scope=\"shared\")
for bx in T.thread_binding(6, thread=\"blockIdx.x\"):
    if bx % 2 == 0:
        S[0] = A[bx]
    B[bx] = S[0]";
    let error = launch([&[6], &[6]], body, 1).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Race { .. } | ErrorKind::Uninitialized { .. }), "{error}");
}

#[test]
fn barriers_work_inside_blocks() {
    let body = "\
with T.block(\"root\"):
    T.reads()
    T.writes()
    S = T.alloc_buffer((8,), \"float32\", scope=\"shared\")
    for tx in T.thread_binding(8, thread=\"threadIdx.x\"):
        with T.block(\"stage\"):
            v = T.axis.spatial(8, tx)
            T.reads(A[v], S[0:8])
            T.writes(S[v], B[v])
            twice: T.float32 = A[v] * T.float32(2)
            S[v] = twice
            T.tvm_storage_sync(\"shared\")
            B[v] = S[7 - v] + twice";
    for seed in 0..5 {
        let [a, b] = launch([&[8], &[8]], body, seed).unwrap();
        let expected: Vec<f32> = (0..8).map(|at| a[7 - at] * 2.0 + a[at] * 2.0).collect();
        assert_eq!(b, expected);
    }
}

#[test]
fn a_block_s_promises_hold_with_barriers() {
    let body = "\
for tx in T.thread_binding(8, thread=\"threadIdx.x\"):
    with T.block(\"copy\"):
        v = T.axis.spatial(8, tx)
        T.reads(A[v])
        T.writes(B[v])
        T.tvm_storage_sync(\"shared\")
        B[v] = A[7 - v]";
    let error = launch([&[8], &[8]], body, 1).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Undeclared { .. }), "{error}");
    assert!(error.to_string().contains("copy(v ="), "{error}");
}

#[test]
fn threads_that_part_before_a_barrier_are_an_error() {
    for (part, what) in [
        ("if tx < 4:\n        T.tvm_storage_sync(\"shared\")", "a condition"),
        ("for i in range(tx):\n        T.tvm_storage_sync(\"shared\")", "the bounds of a loop"),
    ] {
        let body = format!("for tx in T.thread_binding(8, thread=\"threadIdx.x\"):\n    B[tx] = A[tx]\n    {part}");
        let error = launch([&[8], &[8]], &body, 1).unwrap_err().to_string();
        assert!(error.contains(&format!("threads disagree on {what} around a barrier")), "{error}");
    }
}

#[test]
fn a_global_barrier_joins_all_blocks() {
    let body = |scope: &str| {
        format!(
            "\
T0 = T.decl_buffer((12,), \"float32\")
for bx in T.thread_binding(3, thread=\"blockIdx.x\"):
    for tx in T.thread_binding(4, thread=\"threadIdx.x\"):
        T0[bx * 4 + tx] = A[bx * 4 + tx]
        T.tvm_storage_sync(\"{scope}\")
        B[bx * 4 + tx] = T0[11 - bx * 4 - tx]"
        )
    };
    for seed in 0..5 {
        let [a, b] = launch([&[12], &[12]], &body("global"), seed).unwrap();
        assert_eq!(b, reversed(&a, 12));
        assert!(launch([&[12], &[12]], &body("shared"), seed).is_err());
    }
}

#[test]
fn threads_launched_by_attributes_are_the_same_loops() {
    let body = "\
bx = T.env_thread(\"blockIdx.x\")
tx = T.env_thread(\"threadIdx.x\")
with T.launch_thread(bx, 3):
    S = T.allocate([8], \"float32\", \"shared\")
    with T.attr(T.iter_var(tx, None, \"ThreadIndex\", \"threadIdx.x\"), \"thread_extent\", 8):
        S[tx] = A[bx, tx]
        T.sync()
        B[bx, tx] = S[7 - tx]";
    let [a, b] = launch([&[3, 8], &[3, 8]], body, 3).unwrap();
    assert_eq!(b, reversed(&a, 8));
}

#[test]
fn constants_views_and_assumptions() {
    let body = "\
table = T.allocate_const([3, 1, 0, 2], \"int32\", [4])
p: T.handle = T.address_of(A[4])
P = T.Buffer((4,), \"float32\", data=p)
T.evaluate(T.assume(table[0] == 3))
for i in range(4):
    B[i] = P[table[i]]";
    let [a, b] = launch([&[8], &[4]], body, 5).unwrap();
    assert_eq!(b, [a[7], a[5], a[4], a[6]]);
    let error = launch([&[8], &[4]], &body.replace("== 3", "== 4"), 5).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Assert(_)), "{error}");
    let error = launch([&[8], &[4]], &body.replace("B[i] = P", "table[i] = 0\n    B[i] = P"), 5).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::ReadOnly { .. }), "{error}");
    let error = launch([&[8], &[4]], &body.replace("A[4]", "A[6]"), 5).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::OutsideMemory { .. }), "{error}");
}
