//! Numbers, sizes, tuples, names and branches.

use std::sync::Arc;

use tilewright::runtime::registry;
use tilewright::tensor::TypeCode;

use super::*;

#[test]
fn numbers_are_computed_from_dimensions() {
    let both = program(
        r#"
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32")):
        n = T.int64()
        m = T.int64()
        sizes = R.shape([n * m + 1, T.max(n - m, 0), T.min(n, m), (n + 3) // 4, n % 5, T.if_then_else(m == 0, 7, n // T.max(m, 1))])
        a = R.prim_value(n * 2 - m)
        b = R.prim_value(n > m)
        c = R.prim_value(T.And(n >= m, T.Not(n == 3)))
        d = R.prim_value(T.Cast("float32", n) / T.float32(3) + T.sqrt(T.Cast("float32", m)))
        e = R.prim_value(T.Cast("float16", n) * T.float16(0.1))
        f = R.prim_value(T.Select(n < m, n, m) * -3)
        g = R.prim_value(T.Cast("int8", n % 100) + T.int8(1))
        h = R.prim_value(T.shift_left(n, T.int64(3)))
        return (sizes, a, b, c, d, e, f, g, h)
"#,
    );
    let zeros = |n: i64, m: i64| Value::from(Tensor::zeros(DataType::F32, &[n, m]).unwrap());
    for (n, m) in [(0, 0), (1, 0), (0, 5), (3, 3), (7, 2), (2, 9), (1000, 3)] {
        both.agrees(&[zeros(n, m)]);
    }
}

#[test]
fn only_the_operand_that_is_taken_is_computed() {
    let both = program(
        r#"
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32")):
        n = T.int64()
        m = T.int64()
        a = R.prim_value(T.if_then_else(m != 0, n // m, -1))
        return a
"#,
    );
    let zeros = |n: i64, m: i64| Value::from(Tensor::zeros(DataType::F32, &[n, m]).unwrap());
    both.agrees(&[zeros(7, 2)]);
    both.agrees(&[zeros(7, 0)]);
}

#[test]
fn sizes_that_have_no_value_are_errors_with_both_numbers() {
    let both = program(
        r#"
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32")):
        n = T.int64()
        m = T.int64()
        a = R.shape([n // m])
        return a
"#,
    );
    let zeros = |n: i64, m: i64| Value::from(Tensor::zeros(DataType::F32, &[n, m]).unwrap());
    both.agrees(&[zeros(7, 2)]);
    let error = both.refuses(&[zeros(7, 0)]);
    assert_eq!(error.to_string(), "main: the size size, computed from 7 and 0, divides by zero (model.py:8)");
}

#[test]
fn scalar_parameters_define_dimensions() {
    let both = program(
        r#"
    @R.function
    def main(k: R.Prim(value="k"), x: R.Tensor(("k", "n"), "float32")) -> R.Prim(value="k * n + 1"):
        k = T.int64()
        n = T.int64()
        r = R.prim_value(k * n + 1)
        return r
"#,
    );
    let zeros = |n: i64, m: i64| Value::from(Tensor::zeros(DataType::F32, &[n, m]).unwrap());
    both.agrees(&[Value::Int(3), zeros(3, 5)]);
    let error = both.refuses(&[Value::Int(4), zeros(3, 5)]).to_string();
    assert_eq!(error, "main: argument 1 (\"x\"): dimension 0 is 3, but k is 4 by argument 0 (\"k\")");
}

#[test]
fn tuples_nest() {
    let both = program(
        r#"
    @R.function
    def main(x: R.Tensor((2,), "float32"), t: R.Tuple(R.Tensor((2,), "float32"), R.Tuple(R.Shape(["n"]), R.Tuple()))):
        n = T.int64()
        a = t[0]
        b = t[1]
        s = b[0]
        y = R.add(x, a)
        inner = (y, (a, (b, R.prim_value(n), R.str("text"), R.dtype("int8"), R.tuple())))
        q = inner[1]
        return (inner, q, s)
"#,
    );
    let unit = Value::tuple([]);
    let tuple = Value::tuple([wave(2), Value::tuple([Value::shape(&[5]), unit.clone()])]);
    both.agrees(&[wave(2), tuple]);
    let wrong = Value::tuple([wave(3), Value::tuple([Value::shape(&[5]), unit])]);
    let error = both.refuses(&[wave(2), wrong]).to_string();
    assert_eq!(error, "main: argument 1 (\"t\"[0]): dimension 0 is 3, expected 2 (the shape is [3])");
    let wrong = Value::tuple([wave(2), Value::tuple([Value::shape(&[5]), Value::Int(3)])]);
    let error = both.machine.function("main").unwrap().call(&[wave(2), wrong]).unwrap_err().to_string();
    assert_eq!(error, "main: argument 1 (\"t\"[1][1]): expected Tuple(), found an int");
}

#[test]
fn deep_tuples_come_and_go() {
    let depth = 60;
    let (open, close) = ("R.Tuple(".repeat(depth), ")".repeat(depth));
    let both = program(&format!(
        "    @R.function\n    def main(x: {open}R.Tensor((1,), \"float32\"){close}):\n        y = (x, x)\n        return y\n"
    ));
    both.agrees(&[(0..depth).fold(wave(1), |value, _| Value::tuple([value]))]);
}

#[test]
fn a_value_is_not_nested_without_end() {
    registry::register_override("test.graphs.wrap", |args| Ok(Value::tuple([args[0].clone()])));
    let both = program(
        r#"
    @R.function(pure=False)
    def main(x: R.Object, left: R.Shape(["n"])) -> R.Object:
        n = T.int64()
        cls = Module
        more = R.prim_value(n > 0)
        if more:
            y = R.call_packed("test.graphs.wrap", x, sinfo_args=R.Object)
            z = cls.main(y, R.shape([n - 1]))
        else:
            z = x
        return z
"#,
    );
    let main = both.machine.function("main").unwrap();
    let Value::Tuple(nested) = main.call(&[wave(1), Value::shape(&[500])]).unwrap() else { panic!() };
    assert_eq!(nested.depth(), 500);
    let error = main.call(&[wave(1), Value::shape(&[2000])]).unwrap_err().to_string();
    assert!(error.contains("argument 0 (\"x\"): values are nested deeper than 1000"), "{error}");
}

#[test]
fn the_end_of_a_name_is_not_the_end_of_the_value() {
    let both = program(
        r#"
    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")):
        a = R.add(x, x)
        b = a
        c = R.match_cast(b, R.Tensor((2,), "float32"))
        _ = R.memory.kill_tensor(b)
        d = R.add(a, c)
        _1 = R.memory.kill_tensor(a)
        e = R.add(d, c)
        _2 = R.memory.kill_tensor(c)
        return e
"#,
    );
    both.agrees(&[row(&[1.5, f32::NEG_INFINITY])]);
    let text = both.machine.executable().program().as_text();
    assert_eq!(text.matches("kill ").count(), 1, "one register holds all three: {text}");
}

#[test]
fn branches_follow_tensors_and_scalars() {
    let both = program(
        r#"
    @R.function
    def main(c: R.Tensor((), "bool"), d: R.Prim("bool"), x: R.Tensor(("n",), "float32")):
        n = T.int64()
        if c:
            e = R.add(x, x)
            if d:
                y = R.multiply(e, x)
            else:
                y = R.subtract(e, x)
            r = y
        else:
            r = x
        small = R.prim_value(n < 3)
        if small:
            s = R.add(r, r)
        else:
            s = R.multiply(r, x)
        return s
"#,
    );
    for n in [0, 2, 3, 8] {
        for (c, d) in [(false, false), (false, true), (true, false), (true, true)] {
            both.agrees(&[Tensor::scalar(c).into(), Value::Bool(d), wave(n)]);
        }
    }
}

#[test]
fn scalars_follow_the_table_of_semantics() {
    use tilewright::expr::semantics;
    use tilewright::expr::{BinOp, CmpOp, Intrinsic};
    use tilewright::vm_program::{Dim, FunctionBuilder, Kind, MathOp, Package, ProgramBuilder, ScalarOp, TargetInfo};

    let number = |value: Scalar| match value.dtype().is_float() {
        true => value.as_float().to_bits() as i64,
        false => value.as_int(),
    };
    let run = |op: ScalarOp, dtype: DataType, result: DataType, args: &[Scalar]| {
        let mut main = FunctionBuilder::new("main");
        main.result(Kind::Object);
        let args: Vec<_> = args.iter().map(|&arg| Dim::Const(number(arg))).collect();
        let sum = main.compute("r", op, dtype, &args);
        let value = main.make_scalar(result, sum);
        main.ret(value);
        let mut program = ProgramBuilder::default();
        program.function(main);
        let bytes = Package::new(TargetInfo::portable(), program.finish().unwrap()).encode().unwrap();
        let machine = VirtualMachine::new(Arc::new(tilewright::Executable::load(bytes).unwrap()), &[]).unwrap();
        machine.function("main").unwrap().call(&[]).ok()
    };
    let agrees = |found: Option<Value>, expected: Option<Scalar>, exact: bool| match (found, expected) {
        (Some(Value::Float(a)), Some(b)) if !exact => {
            let b = b.as_float();
            a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-3 * b.abs()
        }
        (Some(found), Some(expected)) => same(&found, &Expected::Scalar(expected)),
        // An overflow of the type is an error here, and wraps around in the table; values beyond int are not made.
        (None, _) => true,
        (Some(_), None) => false,
    };
    for dtype in DataType::TENSOR_ELEMENTS {
        let samples: Vec<Scalar> = if dtype.is_float() {
            let floats = [0.0, -0.0, 1.0, -1.0, 2.5, -0.5, 1e30, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-40];
            floats.iter().map(|&x| Scalar::from_float(x, dtype)).collect()
        } else if dtype.is_bool() {
            vec![Scalar::from_bool(false), Scalar::from_bool(true)]
        } else {
            [0, 1, -1, 2, 3, -5, 63, 64, i64::MIN, i64::MAX, 127, -128, 255]
                .iter()
                .map(|&x| Scalar::from_int(x, dtype))
                .collect()
        };
        for &a in &samples {
            for &b in &samples {
                for op in BinOp::ALL.into_iter().filter(|op| op.takes(dtype)) {
                    let expected = semantics::binary(op, a, b).ok();
                    let scalar_op = scalar_op(op);
                    let found = run(scalar_op, dtype, dtype, &[a, b]);
                    let fits = found.is_some() || dtype.is_int();
                    assert!(
                        fits && agrees(found.clone(), expected, true),
                        "{op:?} {a:?} {b:?}: {found:?}, {expected:?}"
                    );
                }
                for (op, scalar_op) in CmpOp::ALL.into_iter().zip([
                    ScalarOp::Equal,
                    ScalarOp::NotEqual,
                    ScalarOp::Less,
                    ScalarOp::LessEqual,
                    ScalarOp::Greater,
                    ScalarOp::GreaterEqual,
                ]) {
                    let found = run(scalar_op, dtype, DataType::BOOL, &[a, b]);
                    let expected = semantics::compare(op, a, b);
                    assert!(found.is_some() && agrees(found, Some(expected), true), "{op:?} {a:?} {b:?}");
                }
            }
            for to in DataType::TENSOR_ELEMENTS {
                let expected = semantics::cast(a, to);
                let found = run(ScalarOp::Cast(to), dtype, to, &[a]);
                let beyond = to.code == TypeCode::UInt && expected.as_int() < 0;
                assert!(
                    (found.is_some() || beyond) && agrees(found.clone(), Some(expected), true),
                    "{a:?} to {to}: {found:?} instead of {expected:?}"
                );
            }
            for &op in Intrinsic::ALL {
                let Some(math) = MathOp::ALL.into_iter().find(|math| math.name() == op.name()) else {
                    assert_eq!(op, Intrinsic::IfThenElse);
                    continue;
                };
                let args: Vec<_> = std::iter::once(a).chain(samples.iter().copied()).take(op.arity()).collect();
                let types: Vec<_> = args.iter().map(|arg| arg.dtype()).collect();
                let Some(result) = op.result(&types) else { continue };
                let expected = semantics::intrinsic(op, &args).ok();
                let found = run(ScalarOp::Math(math), dtype, result, &args);
                let beyond = result.code == TypeCode::UInt;
                assert!(
                    (found.is_some() || beyond) && agrees(found.clone(), expected, op.is_exact()),
                    "{op:?} {args:?}: {found:?} instead of {expected:?}"
                );
            }
        }
    }

    fn scalar_op(op: BinOp) -> ScalarOp {
        match op {
            BinOp::Add => ScalarOp::Add,
            BinOp::Sub => ScalarOp::Sub,
            BinOp::Mul => ScalarOp::Mul,
            BinOp::Div => ScalarOp::Div,
            BinOp::Mod => ScalarOp::Mod,
            BinOp::FloorDiv => ScalarOp::FloorDiv,
            BinOp::FloorMod => ScalarOp::FloorMod,
            BinOp::Min => ScalarOp::Min,
            BinOp::Max => ScalarOp::Max,
            BinOp::And | BinOp::BitAnd => ScalarOp::And,
            BinOp::Or | BinOp::BitOr => ScalarOp::Or,
            BinOp::BitXor => ScalarOp::Xor,
            BinOp::Shl => ScalarOp::Shl,
            BinOp::Shr => ScalarOp::Shr,
        }
    }
}
