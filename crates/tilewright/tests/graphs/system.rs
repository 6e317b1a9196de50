//! Ops that talk to the machine and the process: conditions, lines, calls of every kind, devices.

use std::sync::Mutex;

use tilewright::runtime::registry;

use super::*;

/// The errors of a failing run in the interpreter and in compiled code.
fn failures(both: &Both, name: &str, args: &[Value]) -> [String; 2] {
    let expected: Vec<Expected> = args.iter().map(expected_of).collect();
    let meant = both.interp.run_function(&both.module, name, &expected).unwrap_err();
    let found = both.machine.function(name).unwrap().call(args).unwrap_err();
    [meant.to_string(), found.to_string()]
}

#[test]
fn conditions_that_fail_say_so_in_the_words_of_the_program() {
    let both = program(
        r#"    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32"), n: R.Prim(value="n"), ok: R.Tensor((), "bool")):
        n = T.int64()
        _ = R.assert_op(R.prim_value(n > 0), R.prim_value(n), x, format="n is {}, not for {1}")
        _1 = R.assert_op(ok)
        return x

    @R.function
    def shape(x: R.Tensor((2,), "int64")) -> R.Shape(ndim=2):
        s = R.tensor_to_shape(x)
        return s

    @R.function
    def view(x: R.Tensor(("n",), "float32")):
        y = R.memory.view(x, R.shape([4]))
        return y
"#,
    );
    let x: Value = Tensor::from_vec(&[2], vec![1.5f32, -2.0]).unwrap().into();
    let flag = |ok: bool| Value::Tensor(Tensor::scalar(ok));
    for message in failures(&both, "main", &[x.clone(), Value::Int(0), flag(true)]) {
        assert!(message.contains("n is 0, not for [1.5, -2.0]"), "{message}");
    }
    for message in failures(&both, "main", &[x.clone(), Value::Int(1), flag(false)]) {
        assert!(message.to_lowercase().contains("assertion failed"), "{message}");
    }
    let passed = both.machine.function("main").unwrap().call(&[x.clone(), Value::Int(1), flag(true)]).unwrap();
    assert_eq!(passed.as_tensor().unwrap(), x.as_tensor().unwrap());
    let dims: Value = Tensor::from_vec(&[2], vec![3i64, -1]).unwrap().into();
    for message in failures(&both, "shape", &[dims]) {
        assert!(message.contains("a shape cannot have a dimension of -1"), "{message}");
    }
    for message in failures(&both, "view", &[Tensor::zeros(DataType::F32, &[3]).unwrap().into()]) {
        assert!(message.contains("16 bytes at 0 do not lie inside a tensor of 12 bytes"), "{message}");
    }
}

#[test]
fn lines_go_where_the_process_says() {
    static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let both = program(
        r#"    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32"), n: R.Prim("int64")):
        _ = R.print(x, n, format="{} and {}")
        return x
"#,
    );
    registry::register_override("relax.run.print", |args| {
        LINES.lock().unwrap().push(format!("{args:?}"));
        Ok(Value::None)
    });
    let x: Value = Tensor::from_vec(&[2], vec![1.0f32, 2.0]).unwrap().into();
    both.machine.function("main").unwrap().call(&[x, Value::Int(3)]).unwrap();
    assert!(registry::unregister("relax.run.print"));
    let lines = LINES.lock().unwrap();
    assert_eq!(lines.len(), 1);
    assert!(lines[0].starts_with("[\"{} and {}\", Tensor([2], float32") && lines[0].ends_with(", 3]"), "{}", lines[0]);
}

#[test]
fn functions_of_the_process_are_called_in_every_way() {
    let text = r#"    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")):
        a = R.call_pure_packed("graphs.twice", x, sinfo_args=(R.Tensor((2,), "float32"),))
        b = R.call_inplace_packed("graphs.twice", a, inplace_indices=[0], sinfo_args=(R.Tensor((2,), "float32"),))
        c = R.call_builtin_with_ctx("graphs.second", (b, x), sinfo_args=(R.Tensor((2,), "float32"),))
        f: R.Callable = R.ExternFunc("graphs.twice")
        d = f(c)
        e = R.match_cast(d, R.Tensor((2,), "float32"))
        return (a, b, c, e)
"#;
    let twice = |tensor: &Tensor| {
        let doubled = tensor.to_vec::<f32>().unwrap().iter().map(|x| 2.0 * x).collect();
        Tensor::from_vec(tensor.shape(), doubled).unwrap()
    };
    registry::register_override("graphs.twice", move |args| Ok(twice(args[0].as_tensor()?).into()));
    registry::register_override("graphs.second", |args| match args {
        [Value::Object(_), _, second] => Ok(second.clone()),
        other => panic!("{other:?}"),
    });
    let mut both = program(text);
    let take =
        |args: &[Expected], at: usize| args.get(at).and_then(Expected::as_tensor).cloned().ok_or("a tensor".to_owned());
    both.interp = both
        .interp
        .with_packed("graphs.twice", move |args| take(args, 0).map(|tensor| twice(&tensor).into()))
        .with_packed("graphs.second", move |args| take(args, 2).map(Expected::from));
    let x = Tensor::from_vec(&[2], vec![1.0f32, -3.0]).unwrap();
    let found = both.machine.function("main").unwrap().call(&[x.clone().into()]).unwrap();
    let meant = both.interp.run_function(&both.module, "main", &[Expected::Tensor(x)]).unwrap();
    assert!(same(&found, &meant), "{found:?} {meant:?}");
    let last = found.as_tuple().unwrap()[3].as_tensor().unwrap().to_vec::<f32>().unwrap();
    assert_eq!(last, [2.0, -6.0]);
}

#[test]
fn devices_that_the_program_does_not_have_are_refused_by_name() {
    for body in [
        "    @R.function\n    def main(x: R.Tensor((2,), \"float32\")):\n        y = R.to_vdevice(x, I.vdevice(\"cuda\", 1))\n        return y\n",
        "    @R.function\n    def main(x: R.Tensor((2,), \"float32\", I.vdevice(\"cuda\", 1))):\n        return x\n",
    ] {
        let error = tilewright::compile(&parse(body), &CompileOptions::default()).unwrap_err().to_string();
        assert!(error.contains("cuda, device 1") && error.contains("one device, the processor"), "{error}");
    }
}
