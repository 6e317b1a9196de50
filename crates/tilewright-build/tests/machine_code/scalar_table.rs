//! The table of scalar semantics, row by row: every operation on every type, with extreme values, in 1, 4 and 8 lanes,
//! compiled and run, against `tilewright_expr::semantics`.

use crate::flat::{buffer, elements, flat, machine, neighbours, run, same, serial, tensor};
use tilewright_expr::semantics::{self, Fault, Scalar};
use tilewright_ir::low::LowTir;
use tilewright_ir::tir::{BinOp, CmpOp, Expr, Intrinsic, Stmt};
use tilewright_target::Target;
use tilewright_tensor::{DataType, Tensor};

const LANES: [u16; 3] = [1, 4, 8];

/// The machine here with all that it has, and its architecture's baseline, which calls the runtime for what it lacks.
fn targets() -> [Target; 2] {
    let host = Target::host();
    let baseline = Target::parse(&format!("llvm -mtriple={}", host.triple)).unwrap();
    [host, baseline]
}

fn types() -> impl Iterator<Item = DataType> {
    DataType::TENSOR_ELEMENTS.into_iter().filter(|dtype| !dtype.is_float() || dtype.bits >= 32)
}

/// Values at which something may go wrong.
fn extremes(dtype: DataType) -> Vec<Scalar> {
    if dtype.is_bool() {
        return vec![Scalar::from_bool(false), Scalar::from_bool(true)];
    }
    if dtype.is_float() {
        let least = if dtype.bits == 32 { f64::from(f32::from_bits(1)) } else { f64::from_bits(1) };
        let greatest = if dtype.bits == 32 { f64::from(f32::MAX) } else { f64::MAX };
        let positive = [
            0.0,
            0.1,
            0.5,
            1.0,
            1.5,
            2.5,
            3.0,
            127.5,
            255.9,
            65535.5,
            2147483647.0,
            2147483648.0,
            4294967296.0,
            9.3e18,
            1.9e19,
            1e30,
            least,
            greatest,
            f64::INFINITY,
            f64::NAN,
        ];
        return positive.iter().flat_map(|&x| [x, -x]).map(|x| Scalar::from_float(x, dtype)).collect();
    }
    let width = i64::from(dtype.bits);
    let greatest = if dtype.is_signed() { i64::MAX >> (64 - width) } else { -1 };
    let small = [0, 1, 2, 3, 7, 100, width - 1, width, width + 1];
    let large = [greatest, greatest.wrapping_sub(1), greatest.wrapping_add(1), 1 << (width - 1)];
    let mut all: Vec<i64> = small.into_iter().chain(small.map(|x| -x)).chain(large).collect();
    all.sort_unstable();
    all.dedup();
    let mut values: Vec<Scalar> = all.into_iter().map(|x| Scalar::from_int(x, dtype)).collect();
    values.dedup();
    values
}

/// Rows of operands, filled up with the first row to a multiple of 8.
fn filled(mut rows: Vec<Vec<Scalar>>) -> Vec<Vec<Scalar>> {
    while !rows.len().is_multiple_of(8) {
        rows.push(rows[0].clone());
    }
    rows
}

type Write<'a> = dyn Fn(&[Expr]) -> Expr + 'a;
type Mean<'a> = dyn Fn(&[Scalar]) -> Scalar + 'a;

/// One operation to test: how to write it, what it has to give, and on which operands.
struct Case<'a> {
    name: String,
    result: DataType,
    write: Box<Write<'a>>,
    mean: Box<Mean<'a>>,
    rows: Vec<Vec<Scalar>>,
}

/// The flat function that applies a case to whole buffers: operands, then the result.
fn kernel(case: &Case<'_>, symbol: &str, lanes: u16) -> LowTir {
    let count = case.rows.len() as i64;
    let operands: Vec<_> = case.rows[0].iter().map(|operand| buffer("a", count, operand.dtype())).collect();
    let result = buffer("r", count, case.result);
    let body = serial(count / i64::from(lanes), |i| {
        let at = neighbours(&(i * i64::from(lanes)), lanes);
        let values: Vec<Expr> = operands.iter().map(|b| Expr::load(b, vec![at.clone()]).unwrap()).collect();
        Stmt::store(&result, vec![at], &(case.write)(&values)).unwrap()
    });
    let buffers: Vec<_> = operands.iter().chain([&result]).collect();
    flat(symbol, &buffers, &[], body)
}

fn column(case: &Case<'_>, index: usize) -> Tensor {
    let values: Vec<Scalar> = case.rows.iter().map(|row| row[index]).collect();
    tensor(values[0].dtype(), &values)
}

/// Compiles all cases in all lanes for all targets, and compares.
fn check(cases: Vec<Case<'_>>) {
    check_on(cases, &LANES, &targets());
}

fn check_on(mut cases: Vec<Case<'_>>, lanes: &[u16], targets: &[Target]) {
    for case in &mut cases {
        case.rows = filled(std::mem::take(&mut case.rows));
    }
    let keys: Vec<(usize, u16)> =
        (0..cases.len()).flat_map(|case| lanes.iter().map(move |&lanes| (case, lanes))).collect();
    let symbol = |(case, lanes): (usize, u16)| format!("{} #{case} x{lanes}", cases[case].name);
    let mut wrong = Vec::new();
    for target in targets {
        for keys in keys.chunks(48) {
            let kernels: Vec<LowTir> = keys.iter().map(|&key| kernel(&cases[key.0], &symbol(key), key.1)).collect();
            let machine = machine(&kernels, target);
            for &key in keys {
                let case = &cases[key.0];
                let count = case.rows.len() as i64;
                let result = Tensor::zeros(case.result, &[count]).unwrap();
                let mut args: Vec<_> = (0..case.rows[0].len()).map(|i| column(case, i).into()).collect();
                args.push(result.clone().into());
                run(&machine, &symbol(key), &args).unwrap_or_else(|error| panic!("{}: {error}", symbol(key)));
                for (row, found) in case.rows.iter().zip(elements(&result)) {
                    let expected = (case.mean)(row);
                    if !same(found, expected) {
                        wrong.push(format!("{} of {row:?}: {found:?}, not {expected:?} ({})", symbol(key), target.cpu));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong, among them\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

fn pairs(dtype: DataType) -> Vec<Vec<Scalar>> {
    let values = extremes(dtype);
    values.iter().flat_map(|&a| values.iter().map(move |&b| vec![a, b])).collect()
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
    check(cases);
}

#[test]
fn operators_beside_a_constant() {
    let mut cases = Vec::new();
    for dtype in [DataType::I32, DataType::U8, DataType::I64, DataType::F32, DataType::F64, DataType::BOOL] {
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
    check_on(cases, &[1, 8], &targets()[..1]);
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
        let triples: Vec<Vec<Scalar>> = pairs(dtype)
            .into_iter()
            .flat_map(|v| [false, true].map(|c| vec![Scalar::from_bool(c), v[0], v[1]]))
            .collect();
        cases.push(Case {
            name: format!("select {dtype}"),
            result: dtype,
            write: Box::new(|v| Expr::select(&v[0], &v[1], &v[2]).unwrap()),
            mean: Box::new(|v| if v[0].as_bool() { v[1] } else { v[2] }),
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
    check(cases);
}

#[test]
fn conversions() {
    let mut cases = Vec::new();
    for from in types() {
        for to in types().filter(|&to| to != from) {
            cases.push(Case {
                name: format!("{from} to {to}"),
                result: to,
                write: Box::new(move |v| v[0].cast(to).unwrap()),
                mean: Box::new(move |v| semantics::cast(v[0], to)),
                rows: extremes(from).into_iter().map(|x| vec![x]).collect(),
            });
        }
    }
    check(cases);
}

/// The functions that compiled code has and whose result is exact.
fn is_compiled(intrinsic: Intrinsic) -> bool {
    use Intrinsic::{Abs, Ceil, Copysign, Floor, Fma, Round, Sqrt, Trunc};
    matches!(intrinsic, Abs | Ceil | Copysign | Floor | Fma | Round | Sqrt | Trunc)
}

#[test]
fn functions_called_by_name() {
    let mut cases = Vec::new();
    for dtype in types() {
        for &intrinsic in Intrinsic::ALL.iter().filter(|intrinsic| is_compiled(**intrinsic)) {
            let sample = vec![Expr::number(1, dtype); intrinsic.arity()];
            if dtype.is_bool() || Expr::call(intrinsic, &sample).is_err() {
                continue;
            }
            let rows = match intrinsic.arity() {
                1 => extremes(dtype).into_iter().map(|x| vec![x]).collect(),
                2 => pairs(dtype),
                _ => {
                    let third = [0.0, -1.0, 1e-30, f64::INFINITY].map(|x| Scalar::from_float(x, dtype));
                    pairs(dtype).into_iter().flat_map(|v| third.map(|c| vec![v[0], v[1], c])).collect()
                }
            };
            cases.push(Case {
                name: format!("{} {dtype}", intrinsic.name()),
                result: dtype,
                write: Box::new(move |v| Expr::call(intrinsic, v).unwrap()),
                mean: Box::new(move |v| semantics::intrinsic(intrinsic, v).unwrap()),
                rows,
            });
        }
    }
    check(cases);
}

#[test]
fn a_division_without_a_result_is_an_error_that_says_why() {
    let ops = [BinOp::Div, BinOp::Mod, BinOp::FloorDiv, BinOp::FloorMod];
    let integers: Vec<DataType> = types().filter(|dtype| dtype.is_int()).collect();
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
    let machine = machine(&kernels, &Target::host());
    for &dtype in &integers {
        let least = Scalar::from_int(i64::MIN >> (64 - i64::from(dtype.bits)), dtype);
        let mut faulty = vec![(Scalar::from_int(7, dtype), Scalar::from_int(0, dtype), Fault::DivisionByZero)];
        if dtype.is_signed() {
            faulty.push((least, Scalar::from_int(-1, dtype), Fault::DivisionOverflow));
        }
        for (op, lanes) in ops.into_iter().flat_map(|op| LANES.map(|lanes| (op, lanes))) {
            for (a, b, fault) in &faulty {
                let ones = vec![Scalar::from_int(1, dtype); 8];
                let (mut x, mut y) = (ones.clone(), ones);
                (x[6], y[6]) = (*a, *b);
                let result = Tensor::zeros(dtype, &[8]).unwrap();
                let args = [tensor(dtype, &x).into(), tensor(dtype, &y).into(), result.into()];
                let error = run(&machine, &format!("{op:?} {dtype} {lanes}"), &args).unwrap_err();
                assert!(error.contains(&fault.to_string()), "{op:?} {dtype} x{lanes}: {error}");
            }
        }
    }
}
