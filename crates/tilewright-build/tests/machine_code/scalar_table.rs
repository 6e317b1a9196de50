//! The table of scalar semantics, row by row: every operation on every type, with extreme values, in vectors of several
//! lengths, interpreted, compiled and run, against `tilewright_expr::semantics`.

mod check;
mod values;

use tilewright_expr::can_reinterpret;
use tilewright_expr::semantics::{self, Fault, Scalar};
use tilewright_ir::tir::{BinOp, CmpOp, Expr, Intrinsic};
use tilewright_tensor::{DataType, Tensor};

use crate::flat::tensor;
use check::{Case, LANES, Runner, check, check_on, filled, kernel};
use values::{all, extremes, pairs, ties};

/// Every type that has arithmetic.
fn types() -> [DataType; 13] {
    DataType::TENSOR_ELEMENTS
}

fn constant(value: Scalar, lanes: u16) -> Expr {
    let dtype = value.dtype();
    let scalar = if dtype.is_float() { Expr::float(value.as_float(), dtype) } else { Expr::int(value.as_int(), dtype) };
    scalar.broadcast(lanes).unwrap()
}

#[test]
fn operators_of_two_operands() {
    let mut cases = Vec::new();
    for dtype in types() {
        for op in BinOp::ALL.into_iter().filter(|op| op.takes(dtype)) {
            cases.push(Case {
                name: format!("{op:?} {dtype}"),
                result: dtype,
                write: Box::new(move |v| Expr::binary(op, &v[0], &v[1]).unwrap()),
                mean: Box::new(move |v| semantics::binary(op, v[0], v[1]).unwrap()),
                rows: pairs(dtype).into_iter().filter(|v| semantics::binary(op, v[0], v[1]).is_ok()).collect(),
            });
        }
    }
    check("operators_of_two_operands", cases);
}

#[test]
fn operators_with_a_constant_operand() {
    let mut cases = Vec::new();
    for dtype in
        [DataType::I32, DataType::U8, DataType::I64, DataType::F16, DataType::F32, DataType::F64, DataType::BOOL]
    {
        let some: Vec<Scalar> = if dtype.is_float() {
            [0.0, -0.0, 1.5, -2.0, f64::NAN, f64::INFINITY].iter().map(|&x| Scalar::from_float(x, dtype)).collect()
        } else {
            [0, 1, -1, 3, -3, 8, 1 << 62, i64::MIN, 33].iter().map(|&x| Scalar::from_int(x, dtype)).collect()
        };
        for op in BinOp::ALL.into_iter().filter(|op| op.takes(dtype)) {
            for &bound in &some {
                let rows = |right: bool| -> Vec<Vec<Scalar>> {
                    let value = |x: Scalar| if right { (x, bound) } else { (bound, x) };
                    let fine = |x: &Scalar| semantics::binary(op, value(*x).0, value(*x).1).is_ok();
                    extremes(dtype).into_iter().filter(fine).map(|x| vec![x]).collect()
                };
                for right in [true, false] {
                    let rows = rows(right);
                    if rows.is_empty() || (!right && is_symmetric(op)) {
                        continue;
                    }
                    cases.push(Case {
                        name: format!("{op:?} {bound:?} {right}"),
                        result: dtype,
                        write: Box::new(move |v| {
                            let bound = constant(bound, v[0].dtype.lanes);
                            let (a, b) = if right { (&v[0], &bound) } else { (&bound, &v[0]) };
                            Expr::binary(op, a, b).unwrap()
                        }),
                        mean: Box::new(move |v| {
                            let (a, b) = if right { (v[0], bound) } else { (bound, v[0]) };
                            semantics::binary(op, a, b).unwrap()
                        }),
                        rows,
                    });
                }
            }
        }
    }
    check_on(cases, &[1, 8], &Runner::native()[..1]);
}

#[test]
fn remainders_of_quotients_close_to_whole_numbers() {
    let mut cases = Vec::new();
    for dtype in types().into_iter().filter(|dtype| dtype.is_float()) {
        for op in [BinOp::Mod, BinOp::FloorMod] {
            cases.push(Case {
                name: format!("{op:?} {dtype}"),
                result: dtype,
                write: Box::new(move |v| Expr::binary(op, &v[0], &v[1]).unwrap()),
                mean: Box::new(move |v| semantics::binary(op, v[0], v[1]).unwrap()),
                rows: values::near_multiples(dtype),
            });
        }
    }
    check("remainders_of_quotients_close_to_whole_numbers", cases);
}

/// Whether a constant on the left is no other case than one on the right.
fn is_symmetric(op: BinOp) -> bool {
    matches!(op, BinOp::Add | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor)
}

#[test]
fn comparisons_and_choices() {
    let mut cases = Vec::new();
    for dtype in types() {
        for op in CmpOp::ALL {
            cases.push(Case {
                name: format!("{op:?} {dtype}"),
                result: DataType::BOOL,
                write: Box::new(move |v| Expr::compare(op, &v[0], &v[1]).unwrap()),
                mean: Box::new(move |v| semantics::compare(op, v[0], v[1])),
                rows: pairs(dtype),
            });
        }
        let choice = |v: &[Scalar]| if v[0].as_bool() { v[1] } else { v[2] };
        let triples: Vec<Vec<Scalar>> = pairs(dtype)
            .into_iter()
            .flat_map(|v| [false, true].map(|c| vec![Scalar::from_bool(c), v[0], v[1]]))
            .collect();
        cases.push(Case {
            name: format!("select {dtype}"),
            result: dtype,
            write: Box::new(|v| Expr::select(&v[0], &v[1], &v[2]).unwrap()),
            mean: Box::new(choice),
            rows: triples,
        });
    }
    cases.push(Case {
        name: "not".into(),
        result: DataType::BOOL,
        write: Box::new(|v| v[0].not().unwrap()),
        mean: Box::new(|v| Scalar::from_bool(!v[0].as_bool())),
        rows: extremes(DataType::BOOL).into_iter().map(|x| vec![x]).collect(),
    });
    check("comparisons_and_choices", cases);
}

#[test]
fn conversions() {
    let mut cases = Vec::new();
    for from in types() {
        for to in types().into_iter().filter(|&to| to != from) {
            let values = extremes(from).into_iter().chain(values::random(from, 96, 5)).chain(ties(from, to));
            cases.push(Case {
                name: format!("{from} to {to}"),
                result: to,
                write: Box::new(move |v| v[0].cast(to).unwrap()),
                mean: Box::new(move |v| semantics::cast(v[0], to)),
                rows: values.map(|x| vec![x]).collect(),
            });
        }
    }
    check("conversions", cases);
}

#[test]
fn conversions_of_every_value_of_narrow_types() {
    let mut cases = Vec::new();
    for from in types().into_iter().filter(|from| from.bits <= 16) {
        for to in types().into_iter().filter(|&to| to != from) {
            cases.push(Case {
                name: format!("{from} to {to}"),
                result: to,
                write: Box::new(move |v| v[0].cast(to).unwrap()),
                mean: Box::new(move |v| semantics::cast(v[0], to)),
                rows: all(from).into_iter().map(|x| vec![x]).collect(),
            });
        }
    }
    check_on(cases, &[8], &Runner::native());
}

#[test]
fn bits_read_as_another_type() {
    let mut cases = Vec::new();
    for from in types() {
        for to in types().into_iter().filter(|&to| to != from && can_reinterpret(from, to)) {
            cases.push(Case {
                name: format!("{from} as {to}"),
                result: to,
                write: Box::new(move |v| v[0].reinterpret(to.with_lanes(v[0].dtype.lanes)).unwrap()),
                mean: Box::new(move |v| Scalar::from_bits(to, v[0].bits())),
                rows: extremes(from).into_iter().map(|x| vec![x]).collect(),
            });
        }
    }
    check("bits_read_as_another_type", cases);
}

/// The functions whose result is exact; a choice is a case of its own.
fn is_table(intrinsic: Intrinsic) -> bool {
    intrinsic.is_exact() && intrinsic != Intrinsic::IfThenElse
}

#[test]
fn functions_called_by_name() {
    let mut cases = Vec::new();
    for dtype in types() {
        for &intrinsic in Intrinsic::ALL.iter().filter(|intrinsic| is_table(**intrinsic)) {
            let Some(result) = intrinsic.result(&vec![dtype; intrinsic.arity()]) else { continue };
            let rows = match intrinsic.arity() {
                1 => all(dtype).into_iter().map(|x| vec![x]).collect(),
                2 => pairs(dtype),
                _ => {
                    let third = [0.0, -1.0, 1e-30, f64::INFINITY].map(|x| Scalar::from_float(x, dtype));
                    pairs(dtype).into_iter().flat_map(|v| third.map(|c| vec![v[0], v[1], c])).collect()
                }
            };
            cases.push(Case {
                name: format!("{} {dtype}", intrinsic.name()),
                result,
                write: Box::new(move |v| Expr::call(intrinsic, v).unwrap()),
                mean: Box::new(move |v| semantics::intrinsic(intrinsic, v).unwrap()),
                rows,
            });
        }
    }
    check("functions_called_by_name", cases);
}

#[test]
fn a_division_without_a_result_is_an_error_that_says_why() {
    let ops = [BinOp::Div, BinOp::Mod, BinOp::FloorDiv, BinOp::FloorMod];
    let integers: Vec<DataType> = types().into_iter().filter(|dtype| dtype.is_int()).collect();
    let mut kernels = Vec::new();
    for &dtype in &integers {
        for op in ops {
            for lanes in LANES {
                let case = Case {
                    name: String::new(),
                    result: dtype,
                    write: Box::new(move |v| Expr::binary(op, &v[0], &v[1]).unwrap()),
                    mean: Box::new(|v| v[0]),
                    rows: filled(vec![vec![Scalar::from_int(1, dtype); 2]]),
                };
                kernels.push(kernel(&case, &format!("{op:?} {dtype} {lanes}"), lanes));
            }
        }
    }
    for runner in Runner::all("a_division_without_a_result_is_an_error_that_says_why") {
        let loaded = runner.load(&kernels);
        for &dtype in &integers {
            let least = Scalar::from_int(i64::MIN >> (64 - i64::from(dtype.bits)), dtype);
            for (op, lanes) in ops.into_iter().flat_map(|op| LANES.map(|lanes| (op, lanes))) {
                let mut faulty = vec![(Scalar::from_int(7, dtype), Scalar::from_int(0, dtype), Fault::DivisionByZero)];
                if dtype.is_signed() && matches!(op, BinOp::Div | BinOp::FloorDiv) {
                    faulty.push((least, Scalar::from_int(-1, dtype), Fault::DivisionOverflow));
                }
                for (a, b, fault) in &faulty {
                    let (mut x, mut y) = (vec![Scalar::from_int(1, dtype); 80], vec![Scalar::from_int(1, dtype); 80]);
                    (x[46], y[46]) = (*a, *b);
                    let result = Tensor::zeros(dtype, &[80]).unwrap();
                    let name = format!("{op:?} {dtype} {lanes}");
                    let error = loaded.run(&name, &[tensor(dtype, &x), tensor(dtype, &y), result]).unwrap_err();
                    assert!(error.contains(&fault.to_string()), "{name} ({}): {error}", runner.name());
                }
            }
        }
    }
}
