//! Calls that leave the IR, compiled and run: intrinsics of LLVM by name, C functions, packed functions.

use crate::flat::{buffer, elements, flat, machine, neighbours, run, tensor};
use tilewright_expr::semantics::Scalar;
use tilewright_ir::low::LowTir;
use tilewright_ir::tir::{Expr, ForeignCallee, Stmt};
use tilewright_target::Target;
use tilewright_tensor::{DataType, Tensor};

const F32: DataType = DataType::F32;
const I32: DataType = DataType::I32;

fn llvm(dtype: DataType, name: &str, args: &[Expr]) -> Expr {
    Expr::foreign(dtype, ForeignCallee::Llvm(name.into()), args.to_vec())
}

/// `R[0 : lanes] = call(A[0 : lanes] of each type)`.
fn calling(name: &str, types: &[DataType], result: DataType, more: &[Expr]) -> LowTir {
    let buffers: Vec<_> = types.iter().map(|dtype| buffer("A", i64::from(dtype.lanes), dtype.element())).collect();
    let load = |(b, dtype): (_, &DataType)| Expr::load(b, vec![neighbours(&Expr::i64(0), dtype.lanes)]).unwrap();
    let args: Vec<Expr> = buffers.iter().zip(types).map(load).chain(more.iter().cloned()).collect();
    let r = buffer("R", i64::from(result.lanes), result.element());
    let store = Stmt::store(&r, vec![neighbours(&Expr::i64(0), result.lanes)], &llvm(result, name, &args)).unwrap();
    flat("f", &buffers.iter().chain([&r]).collect::<Vec<_>>(), &[], store)
}

fn refusal(low: &LowTir, target: &str) -> String {
    let target = Target::parse(target).unwrap();
    tilewright_llvm::compile(std::slice::from_ref(low), &target, &Default::default()).unwrap_err().to_string()
}

#[test]
fn an_intrinsic_of_every_target_is_called_by_its_name() {
    let low = calling("llvm.fshl.v4i32", &[I32.with_lanes(4); 3], I32.with_lanes(4), &[]);
    let column = |values: [i64; 4]| tensor(I32, &values.map(|x| Scalar::from_int(x, I32)));
    let (a, b, by) = (column([1, -1, 7, 0]), column([-1, 0, 1 << 30, 5]), column([4, 8, 2, 31]));
    let result = Tensor::zeros(I32, &[4]).unwrap();
    run(&machine(&[low], &Target::host()), "f", &[a.into(), b.into(), by.into(), result.clone().into()]).unwrap();
    assert_eq!(result.to_vec::<i32>().unwrap(), [0x1f, -256, 7 << 2 | 1, 2]);
}

#[test]
fn products_of_bfloat16_pairs_are_one_instruction_where_the_processor_has_it() {
    let host = Target::host();
    let (sums, pairs) = (F32.with_lanes(16), DataType::BF16.with_lanes(32));
    let low = calling("llvm.x86.avx512bf16.dpbf16ps.512", &[sums, pairs, pairs], sums, &[]);
    let zen4 = Target::parse("llvm -mcpu=znver4").unwrap();
    let asm = tilewright_llvm::emit_asm(std::slice::from_ref(&low), &zen4, &Default::default()).unwrap();
    assert_eq!(asm.matches("vdpbf16ps").count(), 1, "{asm}");
    if !host.has("avx512bf16") {
        return;
    }
    let start: Vec<Scalar> = (0..16).map(|i| Scalar::from_float(f64::from(i), F32)).collect();
    let [a, b] = [3, 5].map(|step| {
        (0..32).map(|i| Scalar::from_float(f64::from(i * step % 17 - 8), DataType::BF16)).collect::<Vec<_>>()
    });
    let result = Tensor::zeros(F32, &[16]).unwrap();
    let args = [tensor(F32, &start), tensor(DataType::BF16, &a), tensor(DataType::BF16, &b), result.clone()];
    run(&machine(&[low], &host), "f", &args.map(Into::into)).unwrap();
    for (i, found) in elements(&result).into_iter().enumerate() {
        let pair = |k: usize| a[k].as_float() * b[k].as_float();
        assert_eq!(found.as_float(), i as f64 + pair(2 * i) + pair(2 * i + 1), "{i}");
    }
}

#[test]
fn unsupported_llvm_intrinsics_are_errors_that_name_them() {
    let (f8, i8) = (F32.with_lanes(8), I32.with_lanes(8));
    for (low, target, name, reason) in [
        (calling("llvm.gcroot", &[F32], F32, &[]), "llvm", "llvm.gcroot", "may call"),
        (calling("llvm.x86.seh.ehguard", &[F32], F32, &[]), "llvm -mcpu=haswell", "llvm.x86.seh", "may be called"),
        (calling("llvm.x86.avx2.nonsense", &[i8], i8, &[]), "llvm -mcpu=haswell", "avx2.nonsense", "unknown intrinsic"),
        (calling("llvm.x86.avx2.nonsense", &[i8], i8, &[]), "llvm -mcpu=x86-64", "avx2.nonsense", "\"avx2\""),
        (
            calling("llvm.aarch64.neon.sqabs.v4i32", &[i8], i8, &[]),
            "llvm -mcpu=haswell",
            "sqabs",
            "another architecture",
        ),
        (calling("llvm.sqrt.v8f32", &[i8], f8, &[]), "llvm -mcpu=haswell", "llvm.sqrt", "LLVM"),
        (calling("llvm.sqrt.v8f32", &[f8, f8], f8, &[]), "llvm -mcpu=haswell", "llvm.sqrt", "LLVM"),
        (calling("llvm.x86.avx.round.ps.256", &[f8, I32], f8, &[]), "llvm -mcpu=haswell", "round.ps.256", "immarg"),
        (calling("sqrtf", &[F32], F32, &[]), "llvm -mcpu=haswell", "sqrtf", "begins with"),
        (calling("llvm.sqrt.f32(float 0)\n", &[F32], F32, &[]), "llvm -mcpu=haswell", "llvm.sqrt", "not the name"),
    ] {
        let error = refusal(&low, target);
        assert!(error.contains(name) && error.contains(reason), "{name}: {error}");
    }
}

#[test]
fn fatal_errors_of_llvm_end_the_job_and_not_the_process() {
    // The feature is there, but not the one for vectors of this length: LLVM finds no instruction.
    let (sums, pairs) = (F32.with_lanes(4), DataType::BF16.with_lanes(8));
    let low = calling("llvm.x86.avx512bf16.dpbf16ps.128", &[sums, pairs, pairs], sums, &[]);
    for _ in 0..2 {
        let error = refusal(&low, "llvm -mcpu=skylake-avx512 -mattr=+avx512bf16,-avx512vl");
        assert!(error.contains("dpbf16ps.128") && error.contains("annot select"), "{error}");
    }
    let fine = tilewright_llvm::compile(&[low], &Target::parse("llvm -mcpu=znver4").unwrap(), &Default::default());
    assert!(fine.is_ok());
}

fn c(dtype: DataType, name: &str, args: &[Expr]) -> Expr {
    Expr::foreign(dtype, ForeignCallee::Extern(name.into()), args.to_vec())
}

#[test]
fn c_functions_are_called_by_the_rules_of_the_platform() {
    let double = DataType::F64;
    let (x, r) = (buffer("X", 4, double), buffer("R", 6, double));
    let at = |i: i64| vec![Expr::i64(i)];
    let number = |x: f64| Expr::float(x, double);
    let results = [
        // The result of one call as the argument of another; integers and floats together.
        c(double, "ldexp", &[c(double, "fabs", &[number(-3.0)]), Expr::i32(4)]),
        c(F32, "fmaf", &[Expr::float(0.5, F32), Expr::float(-3.0, F32), Expr::float(0.25, F32)]).cast(double).unwrap(),
        // Results and arguments of less than a register.
        c(I32, "toupper", &[Expr::i32(i32::from(b'q'))]).cast(double).unwrap(),
        c(DataType::I64, "labs", &[Expr::i64(-(1 << 40))]).cast(double).unwrap(),
        // A text, and the address of an element that the function writes.
        c(DataType::I64, "strlen", &[Expr::str("größe")]).cast(double).unwrap(),
        c(double, "modf", &[number(-2.75), Expr::address_of(&x, at(2)).unwrap()]),
    ];
    let body = results.into_iter().enumerate().map(|(i, e)| Stmt::store(&r, at(i as i64), &e).unwrap());
    let low = flat("f", &[&x, &r], &[], Stmt::seq(body));
    let values = Tensor::from_vec(&[4], vec![1.0f64, 2.0, 3.0, 4.0]).unwrap();
    let result = Tensor::zeros(double, &[6]).unwrap();
    run(&machine(&[low], &Target::host()), "f", &[values.clone().into(), result.clone().into()]).unwrap();
    let expected = [48.0, -1.25, f64::from(b'Q'), f64::powi(2.0, 40), 7.0, -0.75];
    assert_eq!(result.to_vec::<f64>().unwrap(), expected);
    assert_eq!(values.to_vec::<f64>().unwrap(), [1.0, 2.0, -2.0, 4.0]);
}

/// The bytes of an executable with one kernel.
fn executable(low: &LowTir) -> tilewright_vm_program::ExecutableBytes {
    let target = Target::host();
    crate::flat::package(std::slice::from_ref(low), &target).encode().unwrap()
}

#[test]
fn a_c_function_that_is_not_there_is_named_when_the_executable_is_loaded() {
    let r = buffer("R", 1, I32);
    let low = |name: &str, args: &[Expr]| {
        flat("f", &[&r], &[], Stmt::store(&r, vec![Expr::i64(0)], &c(I32, name, args)).unwrap())
    };
    let executable = tilewright_runtime::Executable::load(executable(&low("no_such_function_anywhere", &[]))).unwrap();
    let error = tilewright_runtime::VirtualMachine::new(std::sync::Arc::new(executable), &[]).unwrap_err();
    assert!(error.to_string().contains("no C function `no_such_function_anywhere`"), "{error}");
    for (name, args, reason) in [
        ("two words", vec![], "not the name of a C function"),
        ("llvm.trap", vec![], "not the name of a C function"),
        ("f", vec![Expr::i32(1).broadcast(4).unwrap()], "scalars and addresses"),
    ] {
        let error = refusal(&low(name, &args), "llvm");
        assert!(error.contains(reason), "{error}");
    }
}

mod packed {
    use std::sync::Mutex;

    use super::*;
    use tilewright_interp::{Arg, InterpCx, Value as Meant};
    use tilewright_ir::Attrs;
    use tilewright_ir::tir::{Buffer, ForKind, Param, PrimFunc, StmtKind, Var};
    use tilewright_runtime::{Value, registry};

    fn packed(dtype: DataType, name: &str, args: &[Expr]) -> Expr {
        Expr::foreign(dtype, ForeignCallee::Packed(name.into()), args.to_vec())
    }

    fn whole(buffer: &Buffer) -> Expr {
        Expr::address_of(buffer, vec![Expr::i64(0); buffer.rank()]).unwrap()
    }

    fn function(buffers: &[&Buffer], scalars: &[&Var], body: Stmt) -> PrimFunc {
        let params = buffers.iter().map(|b| Param::buffer(b)).chain(scalars.iter().map(|v| Param::scalar(v))).collect();
        PrimFunc::with_root(params, Attrs::new(), Vec::new(), body, Default::default())
    }

    /// Adds 1 to every element of a tensor of [2, n], and gives what it was called with.
    fn note(shape: &[i64], elements: &mut [f32], text: &str, numbers: [f64; 3]) -> f64 {
        elements.iter_mut().for_each(|x| *x += 1.0);
        shape.iter().sum::<i64>() as f64 + text.len() as f64 + numbers.iter().sum::<f64>()
    }

    /// A function of a symbolic dimension that calls another of the process twice.
    fn calling() -> (PrimFunc, &'static str) {
        let name = "tilewright.test.note";
        let (n, k) = (Var::new("n", DataType::I64), Var::new("k", I32));
        let a = Buffer::new("A", vec![Expr::i64(2), Expr::var(&n)], F32);
        let r = Buffer::new("R", vec![Expr::i64(2)], DataType::F64);
        let temporary = Buffer::new("T", vec![Expr::i64(2), Expr::i64(3)], F32);
        let numbers = |x: f64| [Expr::float(x, DataType::F16), Expr::var(&k), Expr::bool(true)];
        let args = |b: &Buffer, x| [vec![whole(b), Expr::str("größe")], numbers(x).to_vec()].concat();
        let store = |i: i64, e: &Expr| Stmt::store(&r, vec![Expr::i64(i)], e).unwrap();
        let fill = Stmt::seq((0..6).map(|i| {
            let at = vec![Expr::i64(i / 3), Expr::i64(i % 3)];
            Stmt::store(&temporary, at, &Expr::float(i as f64, F32)).unwrap()
        }));
        let element = Expr::load(&temporary, vec![Expr::i64(1), Expr::i64(2)]).unwrap().cast(DataType::F64).unwrap();
        let body = Stmt::seq([
            store(0, &packed(DataType::F64, name, &args(&a, 0.5))),
            fill,
            StmtKind::Evaluate(packed(DataType::VOID, name, &args(&temporary, 2.5))).into(),
            store(1, &element),
        ]);
        let body = StmtKind::Allocate { buffer: temporary, body }.into();
        (function(&[&a, &r], &[&k], body), name)
    }

    #[test]
    fn packed_functions_get_numbers_texts_and_whole_buffers() {
        let (function, name) = calling();
        registry::register_override(name, |args| {
            let tensor = args[0].as_tensor()?;
            let mut elements = tensor.to_vec::<f32>()?;
            let Value::Str(text) = &args[1] else { panic!("{args:?}") };
            let [Value::Float(a), Value::Int(b), Value::Bool(c)] = args[2..] else { panic!("{args:?}") };
            let numbers = [a, b as f64, f64::from(u8::from(c))];
            let result = note(tensor.shape(), &mut elements, text, numbers);
            let bytes: Vec<u8> = elements.iter().flat_map(|x| x.to_le_bytes()).collect();
            tensor.overwrite(&bytes)?;
            Ok(Value::Float(result))
        });
        let low = tilewright_tir_passes::lower("f", &function).unwrap_or_else(|e| panic!("{}", e.render(false)));
        let meaning = InterpCx::new(7).with_packed(name, |args| {
            let tensor = args[0].as_tensor().unwrap();
            let mut elements = tensor.to_vec::<f32>().unwrap();
            let [Meant::Str(text), numbers @ ..] = &args[1..] else { panic!("{args:?}") };
            let number = |i: usize| match &numbers[i] {
                Meant::Scalar(x) if x.dtype().is_float() => x.as_float(),
                Meant::Scalar(x) => x.as_int() as f64,
                other => panic!("{other:?}"),
            };
            let result = note(tensor.shape(), &mut elements, text, [0, 1, 2].map(number));
            tensor.overwrite(&elements.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>()).unwrap();
            Ok(Meant::Scalar(Scalar::from_float(result, DataType::F64)))
        });
        let machine = machine(std::slice::from_ref(&low), &Target::host());
        for n in [0i64, 1, 3] {
            let values: Vec<f32> = (0..2 * n).map(|i| i as f32 - 2.0).collect();
            let fresh =
                || (Tensor::from_vec(&[2, n], values.clone()).unwrap(), Tensor::zeros(DataType::F64, &[2]).unwrap());
            let (before, result) = fresh();
            let k = Scalar::from_int(-3, I32);
            let args = [Arg::from(&before), Arg::from(&result), k.into()];
            meaning.run_prim_func(&function, &args).unwrap_or_else(|e| panic!("{e}"));
            let expected = (2 + n) as f64 + "größe".len() as f64 + 0.5 - 3.0 + 1.0;
            assert_eq!(result.to_vec::<f64>().unwrap(), [expected, 6.0]);
            // The flat function, interpreted and compiled, takes the same elements without their shape.
            let (flat, flat_result) = fresh();
            let flat = flat.reshape(&[2 * n]).unwrap();
            let dim = Scalar::from_int(n, DataType::I64);
            let args = [Arg::from(&flat), Arg::from(&flat_result), k.into(), dim.into()];
            meaning.run_low(&low, &args).unwrap_or_else(|e| panic!("{e}"));
            let (there, there_result) = fresh();
            let there = there.reshape(&[2 * n]).unwrap();
            let args = [there.clone().into(), there_result.clone().into(), Value::Int(-3), Value::Int(n)];
            run(&machine, "f", &args).unwrap();
            let changed: Vec<f32> = values.iter().map(|x| x + 1.0).collect();
            for (tensor, result) in [(&before, &result), (&flat, &flat_result), (&there, &there_result)] {
                assert_eq!(tensor.to_vec::<f32>().unwrap(), changed);
                assert_eq!(result.to_vec::<f64>().unwrap(), [expected, 6.0]);
            }
        }
    }

    #[test]
    fn calls_happen_once_each_in_the_order_of_the_program() {
        static CALLS: Mutex<Vec<i64>> = Mutex::new(Vec::new());
        let name = "tilewright.test.order";
        registry::register_override(name, |args| {
            let number = args[0].as_int()?;
            CALLS.lock().unwrap().push(number);
            if number == 99 { Err(tilewright_runtime::Error::callback("enough")) } else { Ok(Value::Int(number)) }
        });
        let r = Buffer::new("R", vec![Expr::i64(4)], I32);
        let i = Var::new("i", DataType::I64);
        let call = |x: &Expr| packed(I32, name, std::slice::from_ref(x));
        let shared = call(&Expr::i32(7));
        // A shared node is one call; a result that nobody needs is a call all the same.
        let twice = Expr::binary(tilewright_ir::tir::BinOp::Add, &shared, &shared).unwrap();
        let none = Expr::binary(tilewright_ir::tir::BinOp::Mul, &call(&Expr::i32(8)), &Expr::i32(0)).unwrap();
        let index = call(&Expr::var(&i).cast(I32).unwrap());
        let body = Stmt::seq([
            Stmt::store(&r, vec![Expr::i64(0)], &twice).unwrap(),
            Stmt::store(&r, vec![Expr::i64(1)], &none).unwrap(),
            Stmt::for_loop(&i, Expr::i64(0), Expr::i64(3), ForKind::Unrolled, StmtKind::Evaluate(index).into()),
            StmtKind::Evaluate(call(&Expr::i32(99))).into(),
            StmtKind::Evaluate(call(&Expr::i32(100))).into(),
        ]);
        let low = tilewright_tir_passes::lower("f", &function(&[&r], &[], body)).unwrap_or_else(|e| panic!("{e}"));
        let result = Tensor::zeros(I32, &[4]).unwrap();
        let error = run(&machine(&[low], &Target::host()), "f", &[result.clone().into()]).unwrap_err();
        assert!(error.contains("enough"), "{error}");
        // `run` runs a function more than once; each time is the same.
        let calls = CALLS.lock().unwrap().clone();
        assert!(!calls.is_empty() && calls.chunks(6).all(|run| run == [7, 8, 0, 1, 2, 99]), "{calls:?}");
        assert_eq!(result.to_vec::<i32>().unwrap()[..2], [14, 0]);
    }

    #[test]
    fn a_parallel_loop_calls_none() {
        let r = Buffer::new("R", vec![Expr::i64(4)], I32);
        let i = Var::new("i", DataType::I64);
        let body = Stmt::store(&r, vec![Expr::var(&i)], &packed(I32, "my.function", &[])).unwrap();
        let body = Stmt::for_loop(&i, Expr::i64(0), Expr::i64(4), ForKind::Parallel, body);
        let error = tilewright_tir_passes::lower("f", &function(&[&r], &[], body)).unwrap_err();
        assert!(error.to_string().contains("`my.function` is called in the parallel loop over `i`"), "{error}");
    }
}
