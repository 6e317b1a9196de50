//! Formulas in the interpreter: what they compute where no code generator joins or reorders anything.

use tilewright_expr::node::walk;
use tilewright_expr::semantics::{Scalar, intrinsic};
use tilewright_interp::{Arg, InterpCx};
use tilewright_ir::tir::{Buffer, Expr, ExprKind, ForKind, Intrinsic, Param, PrimFunc, Stmt, Var};
use tilewright_tensor::{DataType, Tensor};

use super::expand_math;

const COUNT: i64 = 96;

/// `out[i] = f(a[i], b[i])`, in so many lanes.
fn elementwise(function: Intrinsic, dtype: DataType, lanes: u16) -> PrimFunc {
    let buffer = |name: &str| Buffer::new(name, vec![Expr::i64(COUNT)], dtype);
    let inputs: Vec<Buffer> = ["a", "b"][..function.arity()].iter().map(|name| buffer(name)).collect();
    let i = Var::new("i", DataType::I64);
    let base = &Expr::var(&i) * i64::from(lanes);
    let at = if lanes == 1 { base } else { Expr::ramp(&base, &Expr::i64(1), lanes).unwrap() };
    let args: Vec<Expr> = inputs.iter().map(|a| Expr::load(a, vec![at.clone()]).unwrap()).collect();
    let value = Expr::call(function, &args).unwrap();
    let out = Buffer::new("out", vec![Expr::i64(COUNT)], value.dtype.element());
    let store = Stmt::store(&out, vec![at], &value).unwrap();
    let body = Stmt::for_loop(&i, Expr::i64(0), Expr::i64(COUNT / i64::from(lanes)), ForKind::Serial, store);
    let params = inputs.iter().chain([&out]).map(Param::buffer).collect();
    PrimFunc { params, attrs: Default::default(), body, origins: Default::default() }
}

fn sample(dtype: DataType) -> Vec<Vec<Scalar>> {
    let special = [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-40, 3e4, -3e4, 1e30, 5e-324];
    let value = |i: usize| special.get(i).copied().unwrap_or(i as f64 * 0.13 - 5.0);
    let column = |step: usize| (0..COUNT as usize).map(|i| Scalar::from_float(value(i * step % 96), dtype)).collect();
    vec![column(1), column(29)]
}

fn run(function: &PrimFunc, columns: &[Vec<Scalar>], out: DataType) -> Vec<Scalar> {
    let tensor = |column: &Vec<Scalar>| {
        let width = column[0].dtype().element_bytes();
        let bytes: Vec<u8> = column.iter().flat_map(|x| x.bits().to_le_bytes()[..width].to_vec()).collect();
        Tensor::from_bytes(column[0].dtype(), &[COUNT], &bytes).unwrap()
    };
    let result = Tensor::zeros(out, &[COUNT]).unwrap();
    let args: Vec<Arg> = columns.iter().map(tensor).chain([result.clone()]).map(Arg::Tensor).collect();
    InterpCx::new(1).run_prim_func(function, &args).unwrap();
    let mut bits = vec![0; COUNT as usize];
    for (bits, bytes) in bits.iter_mut().zip(result.as_bytes().unwrap().chunks(out.element_bytes())) {
        *bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
    }
    bits.into_iter().map(|bits| Scalar::from_bits(out, bits)).collect()
}

/// Whether two results are the same up to some units in the last place.
fn close(a: Scalar, b: Scalar) -> bool {
    let (x, y) = (a.as_float(), b.as_float());
    let (relative, absolute) = match a.dtype().bits {
        64 => (2f64.powi(-50), 2f64.powi(-1072)),
        32 => (2f64.powi(-21), 2f64.powi(-147)),
        _ => (2f64.powi(-7), 2f64.powi(-24)),
    };
    (x.is_nan() && y.is_nan()) || x == y || (x - y).abs() <= y.abs() * relative + absolute
}

#[test]
fn formulas_mean_what_the_functions_do() {
    for &function in Intrinsic::ALL.iter().filter(|f| super::formula(**f).is_some()) {
        for dtype in [DataType::F32, DataType::F64, DataType::F16, DataType::BF16] {
            for lanes in [1, 3, 16] {
                let kernel = elementwise(function, dtype, lanes);
                let expanded = expand_math(&kernel).unwrap();
                walk(&expanded.body, |e: &Expr| {
                    if let ExprKind::Call { intrinsic, .. } = &e.kind {
                        assert!(super::formula(*intrinsic).is_none(), "{} is left", intrinsic.name());
                    }
                });
                let columns = &sample(dtype)[..function.arity()];
                let out = function.result(&vec![dtype; function.arity()]).unwrap();
                for (i, found) in run(&expanded, columns, out).into_iter().enumerate() {
                    let args: Vec<Scalar> = columns.iter().map(|column| column[i]).collect();
                    let expected = intrinsic(function, &args).unwrap();
                    let same = if out.is_bool() { found == expected } else { close(found, expected) };
                    assert!(same, "{} of {args:?} in {lanes} lanes: {found:?}, not {expected:?}", function.name());
                }
            }
        }
    }
}

#[test]
fn every_function_without_a_single_right_result_has_a_formula() {
    for function in Intrinsic::ALL {
        assert!(function.is_exact() || super::formula(*function).is_some(), "{}", function.name());
    }
}
