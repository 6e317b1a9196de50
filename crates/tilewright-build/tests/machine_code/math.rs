//! Mathematical functions, compiled, against their exact values, in samples: `benches/math_ulp` takes all inputs.

#[path = "../../benches/math_ulp/kernels.rs"]
mod kernels;
#[path = "../../benches/math_ulp/ulps.rs"]
mod ulps;

use kernels::{elementwise, machine};
use tilewright_expr::MATH_ULPS;
use tilewright_expr::semantics::{Scalar, real};
use tilewright_interp::{Arg, InterpCx};
use tilewright_ir::low::LowTir;
use tilewright_ir::tir::Intrinsic;
use tilewright_runtime::{Value, VirtualMachine};
use tilewright_target::Target;
use tilewright_tensor::abi::EXTERNAL_SYMBOLS;
use tilewright_tensor::{DataType, Tensor};
use ulps::{is_within, ulps};

use crate::aarch64;
use crate::flat::{elements, run, tensor};

const BOUND: f64 = MATH_ULPS as f64;

/// Functions of real numbers without a single right result.
fn functions() -> impl Iterator<Item = Intrinsic> {
    Intrinsic::ALL.iter().copied().filter(|f| !f.is_exact())
}

/// Every function of a buffer of so many elements, ready for the target's code generation.
fn lowered(target: &Target, dtype: DataType, elements: i64) -> Vec<LowTir> {
    let kernel = |f: Intrinsic| elementwise(f.name(), f, dtype, elements);
    let lower = |f: Intrinsic| tilewright_tir_passes::lower_for(target, f.name(), &kernel(f));
    functions().map(|f| lower(f).unwrap()).collect()
}

/// All that the machine here has; no AVX-512; neither that nor fused products.
fn targets() -> [Target; 3] {
    let host = Target::host();
    let baseline = Target::parse(&format!("llvm -mtriple={}", host.triple)).unwrap();
    let middle = if host.has("avx2") { Target::parse("llvm -mcpu=haswell").unwrap() } else { baseline.clone() };
    [host, middle, baseline]
}

/// Where some formula changes, something overflows, or a result vanishes.
const PLACES: [f64; 34] = [
    0.0,
    1.1754943508222875e-38,
    2.98e-8,
    2.44e-4,
    0.25,
    0.34657359,
    0.5,
    std::f64::consts::FRAC_1_SQRT_2,
    std::f64::consts::FRAC_PI_4,
    0.9375,
    1.0,
    std::f64::consts::SQRT_2,
    std::f64::consts::FRAC_PI_2,
    2.0,
    std::f64::consts::PI,
    4.0,
    9.0,
    17.5,
    38.53,
    45.15,
    87.34,
    88.02969,
    88.72284,
    89.41599,
    103.28,
    103.97,
    126.0,
    128.0,
    149.5,
    12800.0,
    16777216.0,
    67108864.0,
    16367173.0 * 4722366482869645213696.0,
    3.4028234663852886e38,
];

/// Every exponent with many fractions, and the neighbours of all places.
fn singles() -> Vec<u64> {
    let fractions = (0..40u64).map(|i| (i * i * i * 1_000_003) & 0x7f_ffff).chain([1, 2, 0x3504f2, 0x3504f3, 0x3504f4]);
    let fractions: Vec<u64> = fractions.chain([0x40_0000, 0x7f_fffe, 0x7f_ffff]).collect();
    let everywhere = (0..512u64).flat_map(|upper| fractions.iter().map(move |fraction| upper << 23 | fraction));
    let close = PLACES.iter().flat_map(|&place| {
        let bits = u64::from((place as f32).to_bits());
        (bits.saturating_sub(30)..bits + 30).flat_map(|bits| [bits, bits | 1 << 31])
    });
    everywhere.chain(close).collect()
}

fn scalars(bits: &[u64], dtype: DataType) -> Vec<Scalar> {
    bits.iter().map(|&bits| Scalar::from_bits(dtype, bits)).collect()
}

/// The operands: for two, the second has the same values in another order.
fn columns(function: Intrinsic, first: &[Scalar]) -> Vec<Vec<Scalar>> {
    let mut columns = vec![first.to_vec()];
    if function.arity() == 2 {
        columns.push((0..first.len()).map(|i| first[i * 7919 % first.len()]).collect());
    }
    columns
}

fn call(machine: &VirtualMachine, symbol: &str, columns: &[Vec<Scalar>]) -> Vec<Scalar> {
    call_by(|args| run(machine, symbol, args), columns)
}

/// The results of a kernel on these operands.
fn call_by(run: impl FnOnce(&[Value]) -> Result<(), String>, columns: &[Vec<Scalar>]) -> Vec<Scalar> {
    let dtype = columns[0][0].dtype();
    let result = Tensor::zeros(dtype, &[columns[0].len() as i64]).unwrap();
    let inputs = columns.iter().map(|column| Value::from(tensor(dtype, column)));
    let args: Vec<Value> = inputs.chain([result.clone().into()]).collect();
    run(&args).unwrap();
    elements(&result)
}

/// Compares results with the exact values of the function.
fn check(function: Intrinsic, columns: &[Vec<Scalar>], found: &[Scalar], bound: f64, what: &str) {
    for (i, found) in found.iter().enumerate() {
        let args: Vec<f64> = columns.iter().map(|column| column[i].as_float()).collect();
        let (exact, found, dtype) = (real(function, &args).unwrap(), found.as_float(), found.dtype());
        if !is_within(found, exact, bound, dtype) {
            let error = ulps(found, exact, dtype);
            assert!(error <= bound, "{} of {args:?} on {what}: {found:e}, {error} from {exact:e}", function.name());
        }
    }
}

#[test]
fn float32_functions_are_within_the_bound() {
    let sample = scalars(&singles(), DataType::F32);
    for target in targets() {
        let kernels = functions().map(|f| elementwise(f.name(), f, DataType::F32, sample.len() as i64));
        let machine = machine(kernels, &target);
        for function in functions() {
            let columns = columns(function, &sample);
            check(function, &columns, &call(&machine, function.name(), &columns), BOUND, &target.cpu);
        }
    }
}

#[test]
fn aarch64_functions_are_within_the_bound() {
    if !aarch64::available("math::aarch64_functions_are_within_the_bound") {
        return;
    }
    let target = aarch64::target("neoverse-n1");
    let sample = scalars(&singles(), DataType::F32);
    let emulated = aarch64::Emulated::new(&lowered(&target, DataType::F32, sample.len() as i64), &target);
    for function in functions() {
        let columns = columns(function, &sample);
        let found = call_by(|args| emulated.run(function.name(), args), &columns);
        check(function, &columns, &found, BOUND, &target.cpu);
    }
}

#[test]
fn all_16_bit_floats_are_rounded_once() {
    // 4 units of float32 are less than a thousandth of float16's and bfloat16's.
    let bound = 0.501;
    for dtype in [DataType::F16, DataType::BF16] {
        let all = scalars(&(0..1 << 16).collect::<Vec<_>>(), dtype);
        let machine = machine(functions().map(|f| elementwise(f.name(), f, dtype, 1 << 16)), &Target::host());
        for function in functions() {
            let columns = columns(function, &all);
            check(function, &columns, &call(&machine, function.name(), &columns), bound, &dtype.to_string());
        }
    }
}

#[test]
fn numbers_of_lanes_make_no_difference() {
    let sizes = [1, 2, 3, 4, 8, 17, 65];
    // One angle in a hundred is large, so that most vectors have none and some have one.
    let value = |i: usize| if i.is_multiple_of(97) { 1e20 } else { (i as f64 - 400.0) * 0.02 };
    let sample: Vec<Scalar> = (0..65 * 12).map(|i| Scalar::from_float(value(i), DataType::F32)).collect();
    for size in sizes {
        let kernels = functions().map(|f| elementwise(f.name(), f, DataType::F32, size as i64));
        let machine = machine(kernels, &Target::host());
        for function in functions() {
            for part in sample.chunks_exact(size) {
                let columns = columns(function, part);
                check(function, &columns, &call(&machine, function.name(), &columns), BOUND, "some lanes");
            }
        }
    }
}

#[test]
fn no_function_calls_a_library() {
    let baselines = ["llvm -mtriple=x86_64-unknown-linux-gnu", "llvm -mtriple=aarch64-linux-gnu"];
    for target in baselines.map(|text| Target::parse(text).unwrap()) {
        for dtype in [DataType::F16, DataType::BF16, DataType::F32, DataType::F64] {
            let object = tilewright_llvm::compile(&lowered(&target, dtype, 19), &target, &Default::default()).unwrap();
            let image = tilewright_build::link::link(&[&object.elf]).unwrap();
            let called = image.externals.iter().map(|&symbol| EXTERNAL_SYMBOLS[symbol as usize]);
            assert_eq!(called.collect::<Vec<_>>(), [""; 0], "{dtype} on {}", target.triple);
        }
    }
}

#[test]
fn float64_functions_are_within_the_bound() {
    let mut rows: Vec<(Intrinsic, Vec<u64>)> = Vec::new();
    for line in include_str!("math_float64.txt").lines() {
        let mut words = line.split(' ');
        let function = Intrinsic::by_name(words.next().unwrap()).unwrap();
        rows.push((function, words.map(|word| u64::from_str_radix(word, 16).unwrap()).collect()));
    }
    for target in targets() {
        let of = |function| rows.iter().filter(move |row| row.0 == function).map(|row| &row.1).collect::<Vec<_>>();
        let kernels = functions().map(|f| elementwise(f.name(), f, DataType::F64, of(f).len() as i64));
        let machine = machine(kernels, &target);
        for function in functions() {
            let rows = of(function);
            assert!(rows.len() > 50, "{} has {} rows", function.name(), rows.len());
            let column = |i: usize| scalars(&rows.iter().map(|row| row[i]).collect::<Vec<_>>(), DataType::F64);
            let columns: Vec<_> = (0..function.arity()).map(column).collect();
            let found = call(&machine, function.name(), &columns);
            for (row, found) in rows.iter().zip(found) {
                // The exact value is rounded: a result within 4 units of it is at most 4 floats away.
                let exact = f64::from_bits(row[function.arity()]);
                let error = ulps(found.as_float(), exact, DataType::F64);
                let args: Vec<f64> = row.iter().map(|&bits| f64::from_bits(bits)).collect();
                assert!(error <= BOUND, "{} of {args:?} on {}: {found:?}, {error}", function.name(), target.cpu);
            }
        }
    }
}

#[test]
fn functions_have_their_limits_to_the_bit() {
    let limits = [
        (Intrinsic::Exp, vec![(0.0, 1.0), (-0.0, 1.0), (-200.0, 0.0), (-3e38, 0.0), (200.0, f64::INFINITY)]),
        (Intrinsic::Exp2, vec![(0.0, 1.0), (10.0, 1024.0), (-149.0, 2f64.powi(-149)), (-3e38, 0.0)]),
        (Intrinsic::Erf, vec![(4.0, 1.0), (-4.0, -1.0), (3e38, 1.0), (-f64::INFINITY, -1.0), (-0.0, -0.0)]),
        (Intrinsic::Tanh, vec![(9.9, 1.0), (-9.9, -1.0), (1e-30, 1e-30f32.into()), (f64::INFINITY, 1.0), (-0.0, -0.0)]),
        (Intrinsic::Sigmoid, vec![(0.0, 0.5), (100.0, 1.0), (3e38, 1.0), (-f64::INFINITY, 0.0)]),
    ];
    for target in targets() {
        for (function, rows) in &limits {
            // One by one, and in vectors with elements after them.
            for copies in [1, 19] {
                let rows: Vec<(f64, f64)> = rows.iter().copied().cycle().take(rows.len() * copies).collect();
                let kernel = elementwise(function.name(), *function, DataType::F32, rows.len() as i64);
                let machine = machine([kernel], &target);
                let column = rows.iter().map(|row| Scalar::from_float(row.0, DataType::F32)).collect();
                for (found, (x, limit)) in call(&machine, function.name(), &[column]).into_iter().zip(&rows) {
                    let found = found.as_float();
                    assert!(
                        found.to_bits() == limit.to_bits(),
                        "{}({x}) on {}: {found:e}",
                        function.name(),
                        target.cpu
                    );
                }
            }
        }
    }
}

#[test]
fn special_powers_are_those_of_c() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let rows = [
        (nan, 0.0, 1.0),
        (nan, -0.0, 1.0),
        (1.0, nan, 1.0),
        (nan, 1.0, nan),
        (2.0, nan, nan),
        (-1.0, inf, 1.0),
        (-1.0, -inf, 1.0),
        (-1.0, nan, nan),
        (0.0, -3.0, inf),
        (-0.0, -3.0, -inf),
        (-0.0, -2.0, inf),
        (-0.0, -0.5, inf),
        (-0.0, 3.0, -0.0),
        (-0.0, 2.5, 0.0),
        (0.0, inf, 0.0),
        (0.0, -inf, inf),
        (0.5, inf, 0.0),
        (0.5, -inf, inf),
        (-0.5, inf, 0.0),
        (2.0, inf, inf),
        (2.0, -inf, 0.0),
        (inf, 0.5, inf),
        (inf, -0.5, 0.0),
        (-inf, 3.0, -inf),
        (-inf, 2.0, inf),
        (-inf, 0.5, inf),
        (-inf, -3.0, -0.0),
        (-inf, -2.5, 0.0),
        (-8.0, 1.0 / 3.0, nan),
        (-2.0, 3.0, -8.0),
        (-2.0, -2.0, 0.25),
        (10.0, 2.0, 100.0),
    ];
    for dtype in [DataType::F32, DataType::F64] {
        let machine = machine([elementwise("pow", Intrinsic::Pow, dtype, rows.len() as i64)], &Target::host());
        let column = |pick: fn(&(f64, f64, f64)) -> f64| -> Vec<Scalar> {
            rows.iter().map(|row| Scalar::from_float(pick(row), dtype)).collect()
        };
        let found = call(&machine, "pow", &[column(|row| row.0), column(|row| row.1)]);
        for (found, (x, y, expected)) in found.into_iter().zip(rows) {
            let same =
                found.as_float() == expected && found.as_float().is_sign_negative() == expected.is_sign_negative();
            assert!(same || (found.as_float().is_nan() && expected.is_nan()), "{x} to the power of {y}: {found:?}");
        }
    }
}

#[test]
fn exact_functions_agree_with_the_interpreter() {
    let exact = [Intrinsic::IsNan, Intrinsic::IsInf, Intrinsic::IsFinite, Intrinsic::Nextafter];
    for dtype in [DataType::F16, DataType::BF16, DataType::F32, DataType::F64] {
        let values =
            [0.0, -0.0, 1.0, -1.5, 1e-45, 5e-324, 6e-8, 65504.0, f64::MAX, f64::INFINITY, -f64::INFINITY, f64::NAN];
        let pairs: Vec<(f64, f64)> = values.iter().flat_map(|&x| values.map(|y| (x, y))).collect();
        let column = |pick: fn(&(f64, f64)) -> f64| -> Vec<Scalar> {
            pairs.iter().map(|pair| Scalar::from_float(pick(pair), dtype)).collect()
        };
        let both = [column(|pair| pair.0), column(|pair| pair.1)];
        for function in exact {
            let kernel = elementwise(function.name(), function, dtype, pairs.len() as i64);
            let tensors = both[..function.arity()].iter().map(|column| tensor(dtype, column));
            let out = if function.arity() == 2 { dtype } else { DataType::BOOL };
            let results = [0; 2].map(|_| Tensor::zeros(out, &[pairs.len() as i64]).unwrap());
            let tensors: Vec<Tensor> = tensors.collect();
            let args: Vec<Arg> = tensors.iter().chain([&results[0]]).map(|t| Arg::Tensor(t.clone())).collect();
            InterpCx::new(1).run_prim_func(&kernel, &args).unwrap();
            let args: Vec<Value> = tensors.iter().chain([&results[1]]).map(|t| t.clone().into()).collect();
            run(&machine([kernel], &Target::host()), function.name(), &args).unwrap();
            for (i, (a, b)) in elements(&results[0]).into_iter().zip(elements(&results[1])).enumerate() {
                assert!(crate::flat::same(a, b), "{} of {:?} in {dtype}: {b:?}, not {a:?}", function.name(), pairs[i]);
            }
        }
    }
}

#[test]
fn the_interpreter_and_compiled_code_agree_within_the_bound() {
    let values: Vec<Scalar> = (0..200).map(|i| Scalar::from_float(f64::from(i - 60) * 0.07, DataType::F32)).collect();
    for function in functions() {
        let kernel = elementwise(function.name(), function, DataType::F32, values.len() as i64);
        let columns = columns(function, &values);
        let out = Tensor::zeros(DataType::F32, &[values.len() as i64]).unwrap();
        let tensors = columns.iter().map(|column| tensor(DataType::F32, column)).chain([out.clone()]);
        InterpCx::new(1).run_prim_func(&kernel, &tensors.map(Arg::Tensor).collect::<Vec<_>>()).unwrap();
        let found = call(&machine([kernel], &Target::host()), function.name(), &columns);
        for (found, expected) in found.into_iter().zip(elements(&out)) {
            let error = ulps(found.as_float(), expected.as_float(), DataType::F32);
            assert!(error <= BOUND, "{}: {found:?}, interpreted {expected:?}", function.name());
        }
    }
}
