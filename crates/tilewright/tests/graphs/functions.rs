//! Functions as values: local ones and what they capture, those of the module and of the process, PrimFuncs.

use std::sync::Arc;

use tilewright::runtime::registry;

use super::*;

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
    // A returned function can be called from outside, after the machine is dropped.
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
fn closures_are_invoked_with_the_declared_result() {
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
fn a_closure_whose_result_is_not_the_declared_one_is_an_error() {
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
    // Without its table of origins, the program does not know the location.
    let executable = both.machine.executable();
    let mut package = executable.package().clone();
    package.program.strip_origins();
    let bytes = package.encode().unwrap();
    assert!(bytes.as_slice().len() < executable.bytes().as_slice().len());
    let machine = VirtualMachine::new(Arc::new(tilewright::Executable::load(bytes).unwrap()), &[]).unwrap();
    let error = machine.function("main").unwrap().call(&[wave(3), tensor(&[4, 2])]).unwrap_err();
    assert_eq!(error.to_string(), expected.trim_end_matches(" (model.py:7)"));
}
