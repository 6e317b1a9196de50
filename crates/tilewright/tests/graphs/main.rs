//! Graph programs from text to result: functions as values, numbers, tuples, branches. Each result is compared with the
//! interpreter's, which runs the module before any pass.

mod default_build;
mod fusion;
mod system;

use std::sync::Arc;

use tilewright::expr::semantics::Scalar;
use tilewright::runtime::{Error, registry};
use tilewright::tensor::TypeCode;
use tilewright::{CompileOptions, DataType, IRModule, SourceFile, Tensor, Value, VirtualMachine};
use tilewright_interp::{InterpCx, Value as Expected};

struct Both {
    module: IRModule,
    machine: VirtualMachine,
    interp: InterpCx,
}

/// A program on both sides.
fn program(body: &str) -> Both {
    let module = parse(body);
    let machine = match tilewright::compile(&module, &CompileOptions::default()) {
        Ok(executable) => VirtualMachine::new(executable, &[]).unwrap(),
        Err(error) => panic!("{error}"),
    };
    Both { module, machine, interp: InterpCx::new(7) }
}

fn parse(body: &str) -> IRModule {
    let text = format!("@I.ir_module\nclass Module:\n{body}");
    match tilewright::parse_module(&SourceFile::new("model.py", text.as_str())) {
        Ok(module) => module,
        Err(found) => panic!("{found}"),
    }
}

/// The same numbers for the same seed.
struct Dice(u64);

impl Dice {
    /// A number below `sides`.
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// An argument as the interpreter takes it; ints are `int64`.
fn expected_of(value: &Value) -> Expected {
    match value {
        Value::Tensor(tensor) => Expected::Tensor(tensor.clone()),
        Value::Int(value) => Expected::Scalar(Scalar::from_int(*value, DataType::I64)),
        Value::Bool(value) => Expected::Scalar(Scalar::from_bool(*value)),
        Value::Shape(dims) => Expected::Shape(dims.to_vec()),
        Value::Tuple(items) => Expected::Tuple(items.iter().map(expected_of).collect()),
        other => panic!("{other:?}"),
    }
}

fn same(found: &Value, expected: &Expected) -> bool {
    match (found, expected) {
        (Value::Tensor(a), Expected::Tensor(b)) => a == b,
        (Value::Shape(a), Expected::Shape(b)) => **a == **b,
        (Value::Tuple(a), Expected::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Str(a), Expected::Str(b)) => a == b,
        (Value::DataType(a), Expected::DType(b)) => a == b,
        (Value::Bool(a), Expected::Scalar(b)) => b.dtype().is_bool() && *a == b.as_bool(),
        (Value::Int(a), Expected::Scalar(b)) => b.dtype().is_int() && *a == b.as_int(),
        (Value::Float(a), Expected::Scalar(b)) => {
            b.dtype().is_float() && (a.to_bits() == b.as_float().to_bits() || (a.is_nan() && b.as_float().is_nan()))
        }
        _ => false,
    }
}

impl Both {
    /// Calls `main` on both sides; the results are the same.
    #[track_caller]
    fn agrees(&self, args: &[Value]) -> Value {
        let found = self.machine.function("main").unwrap().call(args).unwrap();
        let args: Vec<_> = args.iter().map(expected_of).collect();
        let expected = self.interp.run_function(&self.module, "main", &args).unwrap();
        assert!(same(&found, &expected), "found {found:?}, expected {expected:?}");
        found
    }

    /// Both sides refuse; gives the machine's error.
    #[track_caller]
    fn refuses(&self, args: &[Value]) -> Error {
        let error = self.machine.function("main").unwrap().call(args).unwrap_err();
        let args: Vec<_> = args.iter().map(expected_of).collect();
        self.interp.run_function(&self.module, "main", &args).unwrap_err();
        error
    }
}

fn row(values: &[f32]) -> Value {
    Tensor::from_vec(&[values.len() as i64], values.to_vec()).unwrap().into()
}

fn wave(n: usize) -> Value {
    row(&(0..n).map(|i| (i as f32 * 1.37 - 2.0).sin() * 9.0).collect::<Vec<_>>())
}

const SPECIAL: [f32; 6] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, f32::MIN_POSITIVE, f32::MAX];

#[test]
fn a_local_function_captures_variables_and_dimensions() {
    let both = program(
        r#"
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")):
        n = T.int64()
        twice = R.add(y, y)
        @R.function
        def inner(z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            s = R.add(z, x)
            t = R.multiply(s, twice)
            return t
        first = inner(y)
        second = inner(first)
        return second
"#,
    );
    for n in [0, 1, 7] {
        both.agrees(&[wave(n), wave(n)]);
    }
    both.agrees(&[row(&SPECIAL), row(&SPECIAL)]);
    let error = both.refuses(&[wave(2), wave(3)]);
    assert_eq!(error.to_string(), "main: argument 1 (\"y\"): dimension 0 is 3, but n is 2 by argument 0 (\"x\")");
    assert_eq!(error.code(), "TW0762");
    let text = both.machine.executable().program().as_text();
    assert!(text.contains("closure main.inner("), "{text}");
}

#[test]
fn functions_are_passed_and_returned() {
    let both = program(
        r#"
    @R.function
    def shift(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = R.add(x, R.const([1.0, -2.0, 3.0, 0.5], "float32"))
        return y
    @R.function
    def twice(f: R.Callable((R.Tensor((4,), "float32"),), R.Tensor((4,), "float32"), True), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = f(x)
        z = f(y)
        return z
    @R.function
    def scaled(k: R.Tensor((4,), "float32")) -> R.Callable((R.Tensor((4,), "float32"),), R.Tensor((4,), "float32"), True):
        @R.function
        def by(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            y = R.multiply(x, k)
            return y
        return by
    @R.function
    def main(x: R.Tensor((4,), "float32"), k: R.Tensor((4,), "float32")):
        cls = Module
        a = cls.twice(cls.shift, x)
        f = cls.scaled(k)
        b = cls.twice(f, a)
        return (a, b)
"#,
    );
    both.agrees(&[wave(4), row(&[2.0, -1.0, 0.0, f32::INFINITY])]);
    // What a function returns can be called from outside, with the machine gone.
    let k = row(&[2.0, -1.0, 0.0, 1.0]);
    let closure = both.machine.function("scaled").unwrap().call(&[k]).unwrap();
    let x = row(&[1.0, 2.0, 3.0, -4.0]);
    let product = both.machine.invoke_closure(&closure, std::slice::from_ref(&x)).unwrap();
    assert_eq!(product.as_tensor().unwrap().to_vec::<f32>().unwrap(), [2.0, -2.0, 0.0, -4.0]);
    drop(both);
    assert_eq!(closure.call(&[x]).unwrap().as_tensor().unwrap().num_elements(), 4);
    let error = closure.call(&[wave(3)]).unwrap_err().to_string();
    assert!(error.contains("scaled.by: argument 0 (\"x\"): dimension 0 is 3, expected 4"), "{error}");
    let error = closure.call(&[]).unwrap_err().to_string();
    assert_eq!(error, "scaled.by takes 1 argument (x), 0 given");
}

#[test]
fn closures_are_invoked_with_what_the_caller_says_of_their_results() {
    let both = program(
        r#"
    @R.function
    def first(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        return x
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module
        a = R.invoke_pure_closure(cls.first, (x, y), sinfo_args=(R.Tensor((n,), dtype="float32"),))
        b = R.invoke_closure(cls.first, (y, x), sinfo_args=(R.Tensor((n,), dtype="float32"),))
        c = R.add(a, b)
        return c
"#,
    );
    both.agrees(&[wave(5), row(&[1.0, 2.0, 3.0, 4.0, 5.0])]);
    let printed = tilewright::print_module(&both.module);
    assert!(printed.contains("R.invoke_pure_closure(") && printed.contains("R.invoke_closure("), "{printed}");
    let again = tilewright::parse_module(&SourceFile::new("again.py", printed.as_str())).unwrap();
    assert_eq!(tilewright::print_module(&again), printed);
}

#[test]
fn a_function_of_the_module_has_another_name() {
    let both = program(
        r#"
    @R.function
    def first(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        return x
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")):
        cls = Module
        f = cls.first
        a = f(x, y)
        g = f
        b = g(y, x)
        c = R.add(a, b)
        return c
"#,
    );
    both.agrees(&[wave(5), row(&[1.0, 2.0, 3.0, 4.0, 5.0])]);
}

#[test]
fn a_closure_whose_result_is_not_what_the_caller_says_is_an_error() {
    let both = program(
        r#"
    @R.function
    def main(x: R.Tensor(("n",), "float32"), w: R.Tensor(("m",), "float32")):
        n = T.int64()
        m = T.int64()
        @R.function
        def other(z: R.Tensor((n,), "float32")) -> R.Tensor((m,), "float32"):
            return w
        y = R.invoke_pure_closure(other, (x,), sinfo_args=(R.Tensor((n,), dtype="float32"),))
        z = R.add(x, y)
        return z
"#,
    );
    let error = both.refuses(&[wave(3), wave(6)]);
    let expected = "main: the result of `other`: dimension 0 is 6, but n is 3 by argument 0 (\"x\") (model.py:11)";
    assert_eq!(error.to_string(), expected);
    assert_eq!((error.code(), error.place()), ("TW0763", Some("model.py:11")));
    both.agrees(&[wave(4), wave(4)]);
}

#[test]
fn local_functions_call_themselves() {
    let both = program(
        r#"
    @R.function
    def main(x: R.Tensor((2,), "float32"), steps: R.Shape(["n"])):
        n = T.int64()
        @R.function
        def go(y: R.Tensor((2,), "float32"), left: R.Shape(["m"])) -> R.Tensor((2,), "float32"):
            m = T.int64()
            more = R.prim_value(m > 0)
            if more:
                z = R.add(y, x)
                r = go(z, R.shape([m - 1]))
            else:
                r = y
            return r
        out = go(x, steps)
        return out
"#,
    );
    for steps in [0, 1, 20] {
        both.agrees(&[row(&[0.5, -3.0]), Value::shape(&[steps])]);
    }
    let printed = tilewright::print_module(&both.module);
    let again = tilewright::parse_module(&SourceFile::new("again.py", printed.as_str())).unwrap();
    assert_eq!(tilewright::print_module(&again), printed);
    let main = both.machine.function("main").unwrap();
    let deep = main.call(&[row(&[1.0, -1.0]), Value::shape(&[9_000])]).unwrap();
    assert_eq!(deep.as_tensor().unwrap().to_vec::<f32>().unwrap(), [9001.0, -9001.0]);
    let error = main.call(&[row(&[1.0, -1.0]), Value::shape(&[10_001])]).unwrap_err().to_string();
    assert!(error.starts_with("main.go: more than 10000 calls within one another"), "{error}");
    // The machine is as good as before.
    both.agrees(&[row(&[0.5, -3.0]), Value::shape(&[3])]);
}

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
fn functions_of_the_process_are_values_too() {
    let double = |args: &[Value]| {
        let doubled = args[0].as_tensor()?.to_vec::<f32>()?.iter().map(|x| 2.0 * x).collect();
        Ok(Tensor::from_vec(args[0].as_tensor()?.shape(), doubled)?.into())
    };
    registry::register_override("test.graphs.double", double);
    registry::register_override("test.graphs.apply", |args| args[0].call(&args[1..]));
    let module = r#"
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        f = R.ExternFunc("test.graphs.double")
        y = R.invoke_closure(f, (x,), sinfo_args=(R.Tensor((n,), dtype="float32"),))
        @R.function(pure=False)
        def own(z: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            s = R.add(z, x)
            return s
        w = R.call_packed("test.graphs.apply", own, y, sinfo_args=R.Tensor((n,), "float32"))
        v = R.call_packed("test.graphs.apply", f, w, sinfo_args=R.Tensor((n,), "float32"))
        return v
"#;
    let machine = program(module).machine;
    let main = machine.function("main").unwrap();
    for n in [0, 1, 5] {
        let x = wave(n);
        let expected: Vec<f32> =
            x.as_tensor().unwrap().to_vec::<f32>().unwrap().iter().map(|x| 2.0 * (2.0 * x + x)).collect();
        let result = main.call(&[x]).unwrap();
        assert_eq!(result.as_tensor().unwrap().to_vec::<f32>().unwrap(), expected);
    }
    // Another function under the name is called from the next call on.
    registry::register_override("test.graphs.double", |args| Ok(args[0].clone()));
    let result = main.call(&[row(&[1.0, -2.0])]).unwrap();
    assert_eq!(result.as_tensor().unwrap().to_vec::<f32>().unwrap(), [2.0, -4.0]);
}

#[test]
fn prim_funcs_are_values() {
    registry::register_override("test.graphs.run", |args| args[0].call(&args[1..]));
    let both = program(
        r#"
    @T.prim_func(private=True)
    def negate(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            with T.block("B"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi] * T.float32(-1)
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")):
        cls = Module
        r = R.call_packed("test.graphs.run", cls.negate, x, y, sinfo_args=R.Tuple())
        return y
"#,
    );
    let y = row(&[0.0; 3]);
    both.machine.function("main").unwrap().call(&[row(&[1.0, -2.0, f32::INFINITY]), y.clone()]).unwrap();
    assert_eq!(y.as_tensor().unwrap().to_vec::<f32>().unwrap(), [-1.0, 2.0, f32::NEG_INFINITY]);
}

#[test]
fn errors_name_the_value_inside_the_function() {
    let both = program(
        r#"
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor):
        n = T.int64()
        z = R.match_cast(y, R.Tensor((n, 2), "float32"))
        return z
"#,
    );
    let tensor = |shape: &[i64]| Value::from(Tensor::zeros(DataType::F32, shape).unwrap());
    both.agrees(&[wave(3), tensor(&[3, 2])]);
    let error = both.refuses(&[wave(3), tensor(&[4, 2])]);
    let expected = "main: \"z\": dimension 0 is 4, but n is 3 by argument 0 (\"x\") (model.py:7)";
    assert_eq!(error.to_string(), expected);
    assert_eq!(format!("{error:#}"), format!("error[TW0763]: {expected}"));
    // Without its table of origins, the program does not know the place.
    let executable = both.machine.executable();
    let mut package = executable.package().clone();
    package.program.strip_origins();
    let bytes = package.encode().unwrap();
    assert!(bytes.as_slice().len() < executable.bytes().as_slice().len());
    let machine = VirtualMachine::new(Arc::new(tilewright::Executable::load(bytes).unwrap()), &[]).unwrap();
    let error = machine.function("main").unwrap().call(&[wave(3), tensor(&[4, 2])]).unwrap_err();
    assert_eq!(error.to_string(), expected.trim_end_matches(" (model.py:7)"));
}

#[test]
fn scalars_mean_what_the_table_of_semantics_says() {
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
        // What leaves the type is an error here, and wraps around in the table; values beyond int are not made.
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
