//! Properties of the machine code of a few kernels, and errors of functions that have none.

use tilewright_ir::Attrs;
use tilewright_ir::low::LowTir;
use tilewright_ir::tir::{
    BinOp, Buffer, CmpOp, Expr, ExprKind, ForKind, ForeignCallee, Param, PrimFunc, Scope, Stmt, StmtKind, Var,
};
use tilewright_target::Target;
use tilewright_tensor::DataType;

use crate::{OptLevel, Options, compile, emit_asm, emit_llvm_ir};

fn haswell() -> Target {
    Target::parse("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=haswell").unwrap()
}

fn kernel(symbol: &str, params: Vec<Param>, body: Stmt) -> LowTir {
    let function = PrimFunc { params, attrs: Attrs::new(), body, origins: Default::default() };
    LowTir::new(symbol, function).unwrap_or_else(|d| panic!("{}", d.render(false)))
}

fn buffer(name: &str, elements: i64, dtype: DataType) -> Buffer {
    Buffer::new(name, vec![Expr::i64(elements)], dtype)
}

fn add(a: &Expr, b: &Expr) -> Expr {
    Expr::binary(BinOp::Add, a, b).unwrap()
}

fn mul(a: &Expr, b: &Expr) -> Expr {
    Expr::binary(BinOp::Mul, a, b).unwrap()
}

/// Eight contiguous elements of a buffer, from `base` on.
fn eight(base: &Expr) -> Vec<Expr> {
    vec![Expr::ramp(base, &Expr::i32(1), 8).unwrap()]
}

/// `c[6, 16] = a[k, 6]^T @ b[k, 16]` with packed panels and twelve accumulators.
fn register_tile(k: i32) -> LowTir {
    let (rows, columns) = (6, 16);
    let (k64, f32) = (i64::from(k), DataType::F32);
    let (a, b, c) = (buffer("A", k64 * 6, f32), buffer("B", k64 * 16, f32), buffer("C", 96, f32));
    let acc = buffer("acc", 96, f32).derive(|node| node.scope = Scope::Local);
    let step = Var::new("k", DataType::I32);
    let at = |row: i32, half: i32| eight(&Expr::i32(row * columns + half * 8));
    let (mut zero, mut update, mut write) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..rows {
        for half in 0..2 {
            zero.push(Stmt::store(&acc, at(row, half), &Expr::float(0.0, f32).broadcast(8).unwrap()).unwrap());
            let from_a = add(&mul(&Expr::var(&step), &Expr::i32(rows)), &Expr::i32(row));
            let from_a = Expr::load(&a, vec![from_a]).unwrap().broadcast(8).unwrap();
            let from_b = add(&mul(&Expr::var(&step), &Expr::i32(columns)), &Expr::i32(half * 8));
            let from_b = Expr::load(&b, eight(&from_b)).unwrap();
            let sum = add(&Expr::load(&acc, at(row, half)).unwrap(), &mul(&from_a, &from_b));
            update.push(Stmt::store(&acc, at(row, half), &sum).unwrap());
            write.push(Stmt::store(&c, at(row, half), &Expr::load(&acc, at(row, half)).unwrap()).unwrap());
        }
    }
    let run = Stmt::for_loop(&step, Expr::i32(0), Expr::i32(k), ForKind::Serial, Stmt::seq(update));
    let body = Stmt::seq(zero.into_iter().chain([run]).chain(write));
    let body = StmtKind::Allocate { buffer: acc, body }.into();
    kernel("tile", vec![Param::buffer(&a), Param::buffer(&b), Param::buffer(&c)], body)
}

#[test]
fn a_register_tile_stays_in_registers() {
    let asm = emit_asm(&[register_tile(256)], &haswell(), &Options::default()).unwrap();
    let multiply_adds = asm.matches("vfmadd").count();
    assert_eq!(multiply_adds, 12, "{asm}");
    assert!(!asm.contains("rsp)"), "a spill:\n{asm}");
}

#[test]
fn relu_is_a_comparison_and_a_mask() {
    let (a, r) = (buffer("A", 8, DataType::F32), buffer("R", 8, DataType::F32));
    let value = Expr::load(&a, eight(&Expr::i32(0))).unwrap();
    let zero = Expr::float(0.0, DataType::F32).broadcast(8).unwrap();
    let value = Expr::binary(BinOp::Max, &value, &zero).unwrap();
    let body = Stmt::store(&r, eight(&Expr::i32(0)), &value).unwrap();
    let asm = emit_asm(&[kernel("relu", vec![Param::buffer(&a), Param::buffer(&r)], body)], &haswell(), &plain());
    let asm = asm.unwrap();
    let body: Vec<&str> = asm.lines().filter(|line| line.contains("ymm")).collect();
    assert!(body.len() <= 4 && asm.contains("vcmp") && asm.contains("vand"), "{asm}");
}

fn plain() -> Options {
    Options::default()
}

/// A kernel that stores one value to `R[0]`.
fn storing(symbol: &str, params: &[&Var], value: &Expr) -> LowTir {
    let r = buffer("R", 1, value.dtype.element());
    let index = if value.dtype.is_vector() {
        Expr::ramp(&Expr::i32(0), &Expr::i32(1), value.dtype.lanes).unwrap()
    } else {
        Expr::i32(0)
    };
    let body = Stmt::store(&r, vec![index], value).unwrap();
    let params = [Param::buffer(&r)].into_iter().chain(params.iter().map(|var| Param::scalar(var))).collect();
    kernel(symbol, params, body)
}

fn refused(functions: &[LowTir]) -> String {
    compile(functions, &haswell(), &plain()).unwrap_err().to_string()
}

#[test]
fn unsupported_features_are_errors_that_name_them() {
    let half = Expr::float(1.0, DataType::F16);
    // Lowering has put such arithmetic into float32.
    assert!(refused(&[storing("f", &[], &add(&half, &half))]).contains("arithmetic on float16"));
    let wide = Expr::i32(1).broadcast(4096).unwrap();
    assert!(refused(&[storing("f", &[], &wide)]).contains("lanes"));
}

#[test]
fn ill_typed_functions_are_errors_before_llvm_believes_them() {
    let x = Var::new("x", DataType::I64);
    let lie = Expr::raw(DataType::I32, ExprKind::Var(x.clone()));
    let sum = Expr::raw(DataType::I32, ExprKind::Binary(BinOp::Add, lie.clone(), Expr::i32(1)));
    let function = PrimFunc {
        params: vec![Param::scalar(&x)],
        attrs: Attrs::new(),
        body: StmtKind::Evaluate(sum).into(),
        origins: Default::default(),
    };
    // Whoever checks first may refuse it; nobody may compile it.
    if let Ok(low) = LowTir::new("f", function) {
        assert!(compile(&[low], &haswell(), &plain()).is_err());
    }
}

#[test]
fn names_of_kernels_are_the_users_own() {
    let one = Expr::i32(1);
    let names = ["memset", "llvm.sqrt.f32", "a b\"c\\", "größe", "k0.1", "main"];
    let kernels: Vec<LowTir> = names.iter().map(|name| storing(name, &[], &one)).collect();
    let object = compile(&kernels, &haswell(), &plain()).unwrap();
    let symbols: Vec<&str> = object.kernels.iter().map(|kernel| kernel.symbol.as_str()).collect();
    assert_eq!(symbols, names);
    assert!(refused(&[storing("", &[], &one)]).contains("name"));
    assert!(refused(&[storing("a\0b", &[], &one)]).contains("name"));
    assert!(refused(&[storing("f", &[], &one), storing("f", &[], &one)]).contains("two kernels"));
}

/// A nest of `depth` loops.
fn nest(depth: usize) -> LowTir {
    let r = buffer("R", 1, DataType::I32);
    let zero = vec![Expr::i32(0)];
    let mut body = Stmt::store(&r, zero.clone(), &add(&Expr::load(&r, zero).unwrap(), &Expr::i32(1))).unwrap();
    let n = Var::new("n", DataType::I64);
    for _ in 0..depth {
        let var = Var::new("i", DataType::I64);
        body = Stmt::for_loop(&var, Expr::i64(0), Expr::var(&n), ForKind::Serial, body);
    }
    kernel("nest", vec![Param::buffer(&r), Param::scalar(&n)], body)
}

#[test]
fn deep_nests_of_loops_compile_or_are_refused() {
    compile(&[nest(60)], &haswell(), &plain()).unwrap();
    assert!(refused(&[nest(1000)]).contains("loops inside each other"));
}

#[test]
fn kernels_report_what_they_write_and_need() {
    let (a, r, scratch) =
        (buffer("A", 1, DataType::F32), buffer("R", 1, DataType::F32), buffer("t", 100, DataType::F32));
    let n = Var::new("n", DataType::I64);
    let at = vec![Expr::i32(0)];
    let copy =
        |to: &Buffer, from: &Buffer| Stmt::store(to, at.clone(), &Expr::load(from, at.clone()).unwrap()).unwrap();
    let body =
        StmtKind::Allocate { buffer: scratch.clone(), body: Stmt::seq([copy(&scratch, &a), copy(&r, &scratch)]) };
    let low = kernel("f", vec![Param::buffer(&a), Param::buffer(&r), Param::scalar(&n)], body.into());
    let object = compile(&[low], &haswell(), &plain()).unwrap();
    let kernel = &object.kernels[0];
    assert_eq!((&kernel.writes[..], &kernel.scalars[..]), (&[false, true][..], &[DataType::I64][..]));
    assert_eq!(kernel.scratch_bytes, 448);
}

#[test]
fn the_text_can_be_looked_at_before_and_after_the_passes() {
    let low = register_tile(4);
    let before = emit_llvm_ir(std::slice::from_ref(&low), &haswell(), &Options { level: OptLevel::None }).unwrap();
    assert!(before.contains("alloca") && before.contains("noalias"), "{before}");
    let after = emit_llvm_ir(&[low], &haswell(), &plain()).unwrap();
    assert!(!after.contains("alloca") && after.contains("phi <8 x float>"), "{after}");
}

#[test]
fn a_processor_grants_only_what_the_features_say() {
    let careful = Target::parse("llvm -mtriple=x86_64-linux-gnu -mcpu=haswell -mattr=-fma").unwrap();
    let asm = emit_asm(&[register_tile(256)], &careful, &plain()).unwrap();
    assert!(!asm.contains("vfmadd") && asm.contains("vmulps"), "{asm}");
}

#[test]
fn the_other_architecture_has_its_own_instructions() {
    let arm = Target::parse("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1").unwrap();
    let asm = emit_asm(&[register_tile(256)], &arm, &plain()).unwrap();
    assert!(asm.contains("fmla"), "{asm}");
}

#[test]
fn large_write_only_tensors_get_non_temporal_stores() {
    let asm = |elements: i64, value: &dyn Fn(&Buffer, &Buffer, &[Expr]) -> Expr| {
        let (a, r) = (buffer("A", elements, DataType::F32), buffer("R", elements, DataType::F32));
        let i = Var::new("i", DataType::I32);
        let at = eight(&mul(&Expr::var(&i), &Expr::i32(8)));
        let body = Stmt::store(&r, at.clone(), &value(&a, &r, &at)).unwrap();
        let count = Expr::i32(i32::try_from(elements / 8).unwrap());
        let body = Stmt::for_loop(&i, Expr::i32(0), count, ForKind::Parallel, body);
        let low = kernel("copy", vec![Param::buffer(&a), Param::buffer(&r)], body);
        emit_asm(&[low], &haswell(), &plain()).unwrap()
    };
    let copy = |a: &Buffer, _: &Buffer, at: &[Expr]| Expr::load(a, at.to_vec()).unwrap();
    let large = asm(1 << 26, &copy);
    // A locked instruction is LLVM's fence here: it waits for the stores.
    assert!(large.contains("vmovntps") && (large.contains("lock") || large.contains("mfence")), "{large}");
    assert!(!asm(1 << 16, &copy).contains("vmovnt"));
    assert!(
        large.contains("prefetcht0") && !asm(1 << 16, &copy).contains("prefetch"),
        "prefetch of a tensor that is read once"
    );
    let same = |a: &Buffer, _: &Buffer, _: &[Expr]| Expr::load(a, eight(&Expr::i32(0))).unwrap();
    let same = asm(1 << 26, &same);
    assert!(
        same.contains("vmovntps") && !same.contains("prefetch"),
        "no prefetch of a tensor that is read many times: {same}"
    );
    let update = |_: &Buffer, r: &Buffer, at: &[Expr]| {
        let old = Expr::load(r, at.to_vec()).unwrap();
        add(&old, &old)
    };
    assert!(!asm(1 << 26, &update).contains("vmovnt"));
}

#[test]
fn tensors_read_in_several_nests_are_not_prefetched() {
    let elements = 1 << 26;
    let [a, r, s] = ["A", "R", "S"].map(|name| buffer(name, elements, DataType::F32));
    let nest = |from: &Buffer, to: &Buffer| {
        let i = Var::new("i", DataType::I32);
        let at = eight(&mul(&Expr::var(&i), &Expr::i32(8)));
        let body = Stmt::store(to, at.clone(), &Expr::load(from, at).unwrap()).unwrap();
        Stmt::for_loop(&i, Expr::i32(0), Expr::i32(1 << 23), ForKind::Parallel, body)
    };
    let asm = |body: Stmt| {
        let low = kernel("copies", [&a, &r, &s].map(Param::buffer).to_vec(), body);
        emit_asm(&[low], &haswell(), &plain()).unwrap()
    };
    let (once, twice) = (asm(nest(&a, &r)), asm(Stmt::seq([nest(&a, &r), nest(&a, &s)])));
    assert!(once.contains("prefetcht0"), "{once}");
    assert!(twice.contains("vmovntps") && !twice.contains("prefetch"), "{twice}");
}

#[test]
fn only_sizes_of_tensors_promise_that_indices_do_not_overflow() {
    let (n, k) = (Var::new("n", DataType::I64), Var::new("k", DataType::I64));
    let a = Buffer::new("A", vec![Expr::var(&n)], DataType::F32);
    let (i, j) = (Var::new("i", DataType::I64), Var::new("j", DataType::I64));
    let zero = Expr::float(0.0, DataType::F32);
    let at = |e: &Expr| Stmt::store(&a, vec![mul(e, &Expr::i64(3))], &zero).unwrap();
    let up_to = |var: &Var, end: &Var, body| Stmt::for_loop(var, Expr::i64(0), Expr::var(end), ForKind::Serial, body);
    for (body, promised) in [
        (at(&Expr::var(&n)), true),
        (at(&Expr::var(&k)), false),
        (up_to(&i, &n, at(&Expr::var(&i))), true),
        (up_to(&j, &k, at(&Expr::var(&j))), false),
    ] {
        let low = kernel("f", vec![Param::buffer(&a), Param::scalar(&k), Param::scalar(&n)], body);
        let text = emit_llvm_ir(&[low], &haswell(), &Options { level: OptLevel::None }).unwrap();
        assert_eq!(text.contains("mul nsw i64"), promised, "{text}");
    }
}

#[test]
fn half_floats_are_converted_by_the_processor_or_by_arithmetic() {
    let target = |text: &str| Target::parse(text).unwrap();
    for (from, to, cpu, instruction) in [
        (DataType::F32, DataType::F16, "haswell", "vcvtps2ph"),
        (DataType::F64, DataType::F16, "haswell", "vcvtps2ph"),
        (DataType::F16, DataType::F32, "haswell", "vcvtph2ps"),
        (DataType::F32, DataType::F16, "x86-64", "shr"),
        (DataType::F16, DataType::F64, "x86-64", "mulss"),
        (DataType::F32, DataType::BF16, "znver4", "shr"),
        (DataType::F32, DataType::F16, "neoverse-n1", "fcvt"),
    ] {
        let x = Var::new("x", from);
        let low = storing("f", &[&x], &Expr::var(&x).cast(to).unwrap());
        let asm = emit_asm(&[low], &target(&format!("llvm -mcpu={cpu}")), &plain()).unwrap();
        assert!(asm.contains(instruction) && !asm.contains("__"), "{from} to {to} on {cpu}:\n{asm}");
        // The processor's own conversion to bfloat16 takes denormals for zero.
        assert!(!asm.contains("cvtneps2bf16"), "{asm}");
    }
}

#[test]
fn a_task_knows_the_size_of_its_scratch_memory() {
    let (n, i) = (Var::new("n", DataType::I64), Var::new("i", DataType::I64));
    let a = buffer("A", 4, DataType::F32);
    let t = Buffer::new("T", vec![Expr::var(&n)], DataType::F32);
    let callee = ForeignCallee::Extern("use".into());
    let call = Expr::foreign(DataType::F32, callee, vec![Expr::address_of(&t, vec![Expr::i64(0)]).unwrap()]);
    let store = Stmt::store(&a, vec![Expr::var(&i)], &call).unwrap();
    let body = StmtKind::Allocate { buffer: t, body: store }.into();
    let body = Stmt::for_loop(&i, Expr::i64(0), Expr::i64(4), ForKind::Parallel, body);
    let low = kernel("f", vec![Param::buffer(&a), Param::scalar(&n)], body);
    assert!(compile(&[low], &haswell(), &Options::default()).is_ok());
}

/// `for i in parallel(n): for j in range(m): B[i * m + j] = A[i * m + j] * 2` as it is handed to the runtime: tasks and
/// nanoseconds; none where the calling thread just runs it. With `open` the sizes are variables, which LLVM learns.
fn handed_out(n: i64, m: i64, open: bool) -> Option<(i64, i64)> {
    let (a, b) = (buffer("A", n * m, DataType::F32), buffer("B", n * m, DataType::F32));
    let [i, j, rows, columns] = ["i", "j", "n", "m"].map(|name| Var::new(name, DataType::I64));
    let size = |var: &Var, value| if open { Expr::var(var) } else { Expr::i64(value) };
    let (n_expr, m_expr) = (size(&rows, n), size(&columns, m));
    let at = vec![add(&mul(&Expr::var(&i), &m_expr), &Expr::var(&j))];
    let value = mul(&Expr::load(&a, at.clone()).unwrap(), &Expr::float(2.0, DataType::F32));
    let body = Stmt::for_loop(&j, Expr::i64(0), m_expr, ForKind::Serial, Stmt::store(&b, at, &value).unwrap());
    let mut body = Stmt::for_loop(&i, Expr::i64(0), n_expr, ForKind::Parallel, body);
    for (var, value) in [(rows, n), (columns, m)] {
        body = StmtKind::Let { var, value: Expr::i64(value), body }.into();
    }
    let low = kernel("double", vec![Param::buffer(&a), Param::buffer(&b)], body);
    let text = emit_llvm_ir(&[low], &haswell(), &Options::default()).unwrap();
    region(&text)
}

/// Tasks and nanoseconds of the text's first region, if it has one.
fn region(text: &str) -> Option<(i64, i64)> {
    let call = text.lines().find(|line| line.contains("call i32 %"))?;
    let number = |text: &str| text.split([',', ')']).next().and_then(|number| number.parse().ok());
    let mut numbers = call.split("i64 ").skip(1).map(|rest| number(rest).unwrap_or_else(|| panic!("{call}")));
    Some((numbers.next()?, numbers.next()?))
}

#[test]
fn parallel_loops_have_tasks_of_at_least_the_grain_size() {
    // A microsecond of work wakes no worker.
    assert_eq!(handed_out(100, 4, false), None);
    for open in [false, true] {
        // Rows of 10 ns are grouped into tasks of microseconds; rows of milliseconds are a task each.
        for (n, m) in [(3, 1 << 20), (10_000, 8), (1 << 20, 8), (1 << 20, 1 << 10), (5, 100_000)] {
            let (tasks, nanoseconds) = handed_out(n, m, open).unwrap();
            let each = nanoseconds / tasks;
            assert!(tasks <= 1024 && tasks <= n, "{n} {m}: {tasks}");
            assert!(each >= 1_000 || tasks == 1, "{n} {m}: {tasks} tasks of {each} ns");
            let iteration = nanoseconds / n;
            assert!(each <= iteration.max(4_000) || tasks >= 500, "{n} {m}: {tasks} tasks of {each} ns");
        }
    }
    // Extents known at run time give the same tasks as constant ones; a short loop is one task then.
    assert_eq!(handed_out(100, 4, true).map(|(tasks, _)| tasks), Some(1));
    assert_eq!(handed_out(10_000, 8, true), handed_out(10_000, 8, false));
    assert_eq!(handed_out(0, 8, true).map(|(tasks, _)| tasks), None);
}

#[test]
fn the_work_of_a_triangle_is_half_of_the_square() {
    let work = |triangle: bool| {
        let (a, n) = (buffer("A", 1 << 20, DataType::F32), 1024);
        let [i, j] = ["i", "j"].map(|name| Var::new(name, DataType::I64));
        let extent = if triangle { add(&Expr::var(&i), &Expr::i64(1)) } else { Expr::i64(n) };
        let at = vec![add(&mul(&Expr::var(&i), &Expr::i64(n)), &Expr::var(&j))];
        let body = Stmt::store(&a, at, &Expr::float(1.0, DataType::F32)).unwrap();
        let body = Stmt::for_loop(&j, Expr::i64(0), extent, ForKind::Serial, body);
        let body = Stmt::for_loop(&i, Expr::i64(0), Expr::i64(n), ForKind::Parallel, body);
        let text = emit_llvm_ir(&[kernel("f", vec![Param::buffer(&a)], body)], &haswell(), &plain()).unwrap();
        region(&text).unwrap().1 as f64
    };
    assert!((work(true) / work(false) - 0.5).abs() < 0.01);
}

#[test]
fn masked_accesses_may_begin_outside_their_buffer() {
    let text = |predicate: Option<Expr>, index: Expr| {
        let r = buffer("R", 64, DataType::F32);
        let body = Stmt::store_where(&r, vec![index], &Expr::float(1.0, DataType::F32), predicate).unwrap();
        let low = kernel("f", vec![Param::buffer(&r)], body);
        emit_llvm_ir(&[low], &haswell(), &Options { level: OptLevel::None }).unwrap()
    };
    let lanes = Expr::ramp(&Expr::i64(-3), &Expr::i64(1), 8).unwrap();
    let zeros = Expr::i64(0).broadcast(8).unwrap();
    let there = Expr::compare(CmpOp::Ge, &lanes, &zeros).unwrap();
    let masked = text(Some(there), lanes);
    assert!(masked.contains("getelementptr float") && !masked.contains("getelementptr inbounds float"), "{masked}");
    let whole = text(None, Expr::ramp(&Expr::i64(0), &Expr::i64(1), 8).unwrap());
    assert!(whole.contains("getelementptr inbounds float"), "{whole}");
}

/// LLVM stores one lane as an element, which must be as long as the element is.
#[test]
fn a_single_truncated_lane_gets_a_scalar_store() {
    let target = Target::parse("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=skylake-avx512").unwrap();
    let asm = |dtype: DataType, set: i64| {
        let (a, r) = (buffer("A", 16, DataType::I32), buffer("R", 16, dtype));
        let lanes = Expr::ramp(&Expr::i64(0), &Expr::i64(1), 16).unwrap();
        let there = Expr::compare(CmpOp::Lt, &lanes, &Expr::i64(set).broadcast(16).unwrap()).unwrap();
        let value = Expr::load(&a, vec![lanes.clone()]).unwrap().cast(dtype.with_lanes(16)).unwrap();
        let body = Stmt::store_where(&r, vec![lanes], &value, Some(there)).unwrap();
        emit_asm(&[kernel("f", vec![Param::buffer(&a), Param::buffer(&r)], body)], &target, &Options::default())
            .unwrap()
    };
    for (dtype, store) in [(DataType::I16, ["movw\t%", "vpextrw"]), (DataType::I8, ["movb\t%", "vpextrb"])] {
        for set in [1, 9] {
            let asm = asm(dtype, set);
            assert!(store.iter().any(|name| asm.contains(name)), "{set} of {dtype}:\n{asm}");
            assert!(!asm.contains("vmovss") && !asm.contains("vmovd\t%xmm"), "{set} of {dtype}:\n{asm}");
        }
    }
}

/// `for i in range(tasks): if i <= tasks - 2: R[16 * i + lanes] = A[…] else: R[16 * (tasks - 1) + lanes] = A[…]`, each
/// store in a loop of `times` iterations, whose variable both indices have.
fn ends_apart(tasks: i64, times: i64, has: bool) -> LowTir {
    let (a, r) = (buffer("A", tasks * times * 16, DataType::F32), buffer("R", tasks * times * 16, DataType::F32));
    let (i, j) = (Var::new("i", DataType::I64), Var::new("j", DataType::I64));
    let copy = |task: &Expr| {
        let inner = if has { Expr::var(&j) } else { Expr::i64(0) };
        let base = mul(&add(&mul(task, &Expr::i64(times)), &inner), &Expr::i64(16));
        let lanes = vec![Expr::ramp(&base, &Expr::i64(1), 16).unwrap()];
        let store = Stmt::store(&r, lanes.clone(), &Expr::load(&a, lanes).unwrap()).unwrap();
        Stmt::for_loop(&j, Expr::i64(0), Expr::i64(times), ForKind::Serial, store)
    };
    let condition = Expr::compare(CmpOp::Le, &Expr::var(&i), &Expr::i64(tasks - 2)).unwrap();
    let (then, otherwise) = (copy(&Expr::var(&i)), Some(copy(&Expr::i64(tasks - 1))));
    let body = StmtKind::If { condition, then, otherwise }.into();
    let body = Stmt::for_loop(&i, Expr::i64(0), Expr::i64(tasks), ForKind::Parallel, body);
    kernel("copy", vec![Param::buffer(&a), Param::buffer(&r)], body)
}

#[test]
fn results_that_fill_the_caches_get_non_temporal_stores_if_each_element_is_written_once() {
    let mut target = haswell();
    target.limits.l3_bytes = 1 << 20;
    let non_temporal_stores = |low: LowTir| emit_asm(&[low], &target, &plain()).unwrap().matches("vmovntps").count();
    // Both branches store half a vector twice; the last task's index has no variable of the tasks.
    assert_eq!(non_temporal_stores(ends_apart(1024, 64, true)), 4);
    assert_eq!(non_temporal_stores(ends_apart(1024, 64, false)), 0, "the same element many times");
    assert_eq!(non_temporal_stores(ends_apart(1024, 4, true)), 0, "half of what the cache holds");
}

#[test]
fn rows_that_begin_inside_a_line_get_non_temporal_stores_of_parts_of_lines() {
    let mut target = haswell();
    target.limits.l3_bytes = 1 << 20;
    let non_temporal_stores = |width: i64| {
        let rows = 1 << 13;
        let [a, r] = ["A", "R"].map(|name| buffer(name, rows * width, DataType::F32));
        let i = Var::new("i", DataType::I64);
        let first = mul(&Expr::var(&i), &Expr::i64(width));
        let lanes = vec![Expr::ramp(&first, &Expr::i64(1), 16).unwrap()];
        let body = Stmt::store(&r, lanes.clone(), &Expr::load(&a, lanes).unwrap()).unwrap();
        let body = Stmt::for_loop(&i, Expr::i64(0), Expr::i64(rows), ForKind::Serial, body);
        let low = kernel("copy", vec![Param::buffer(&a), Param::buffer(&r)], body);
        let text = emit_asm(&[low], &target, &plain()).unwrap();
        ["%ymm", "%xmm"]
            .map(|register| text.lines().filter(|line| line.contains("vmovntps") && line.contains(register)).count())
    };
    assert_eq!(non_temporal_stores(48), [2, 0], "whole lines");
    assert_eq!(non_temporal_stores(40), [2, 0], "halves");
    assert_eq!(non_temporal_stores(36), [0, 4], "quarters");
    assert_eq!(non_temporal_stores(37), [0, 0], "less than any store");
}
