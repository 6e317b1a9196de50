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
fn what_llvm_cannot_do_is_an_error_that_names_the_intrinsic() {
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
fn what_makes_llvm_give_up_ends_the_job_and_not_the_process() {
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
