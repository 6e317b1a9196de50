//! Programs from text to result, each result compared with an independent computation.

use std::sync::Arc;

use tilewright::runtime::registry;
use tilewright::{CompileOptions, Executable, IRModule, SourceFile, Tensor, Value, VirtualMachine};

fn parse(text: &str) -> IRModule {
    match tilewright::parse_module(&SourceFile::new("test.py", text)) {
        Ok(module) => module,
        Err(found) => panic!("{found}"),
    }
}

fn machine(text: &str) -> VirtualMachine {
    match tilewright::compile(&parse(text), &CompileOptions::default()) {
        Ok(executable) => VirtualMachine::new(executable, &[]).unwrap(),
        Err(error) => panic!("{error}"),
    }
}

fn call(machine: &VirtualMachine, function: &str, args: &[Tensor]) -> Result<Value, tilewright::runtime::Error> {
    let args: Vec<Value> = args.iter().cloned().map(Value::from).collect();
    machine.function(function)?.call(&args)
}

fn floats(value: &Value) -> Vec<f32> {
    value.as_tensor().unwrap().to_vec().unwrap()
}

/// A wave between -1 and 1: negative and positive values in every row.
fn wave(shape: &[i64], seed: f32) -> Tensor {
    let count: i64 = shape.iter().product();
    Tensor::from_vec(shape, (0..count).map(|i| ((i as f32 + seed) * 0.7311).sin()).collect()).unwrap()
}

/// `x @ w.T + b` in f64 for one row.
fn linear(x: &[f64], w: &Tensor, b: &Tensor) -> Vec<f64> {
    let (w, b): (Vec<f32>, Vec<f32>) = (w.to_vec().unwrap(), b.to_vec().unwrap());
    let row = |j: usize| w[j * x.len()..][..x.len()].iter().zip(x).map(|(w, x)| f64::from(*w) * x).sum::<f64>();
    b.iter().enumerate().map(|(j, b)| row(j) + f64::from(*b)).collect()
}

fn assert_close(got: &[f32], expected: &[f64], tolerance: f64) {
    assert_eq!(got.len(), expected.len());
    for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
        let error = (f64::from(*got) - expected).abs();
        assert!(error <= tolerance * expected.abs().max(1.0), "element {i}: {got} instead of {expected}");
    }
}

/// A layer as a loop nest in the spelling of 2022: `T.Buffer[…]`, an explicit `global_symbol`.
fn layer(name: &str, rows: i64, columns: i64) -> String {
    format!(
        r#"
    @T.prim_func
    def {name}(X: T.Buffer[(1, {columns}), "float32"], W: T.Buffer[({rows}, {columns}), "float32"],
               B: T.Buffer[({rows},), "float32"], Z: T.Buffer[(1, {rows}), "float32"]) -> None:
        T.func_attr({{"global_symbol": "{name}", "tir.noalias": True}})
        Y = T.alloc_buffer((1, {rows}), "float32")
        for i, j, k in T.grid(1, {rows}, {columns}):
            with T.block("Y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + X[vi, vk] * W[vj, vk]
        for i, j in T.grid(1, {rows}):
            with T.block("Z"):
                vi, vj = T.axis.remap("SS", [i, j])
                Z[vi, vj] = Y[vi, vj] + B[vj]
"#
    )
}

const RELU: &str = r#"
    @T.prim_func
    def relu0(X: T.Buffer[(1, 128), "float32"], Y: T.Buffer[(1, 128), "float32"]):
        T.func_attr({"global_symbol": "relu0", "tir.noalias": True})
        for i, j in T.grid(1, 128):
            with T.block("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.max(X[vi, vj], T.float32(0))
"#;

fn two_layers() -> String {
    let main = r#"
    @R.function
    def main(x: Tensor((1, 784), "float32"), w0: Tensor((128, 784), "float32"), b0: Tensor((128,), "float32"),
             w1: Tensor((10, 128), "float32"), b1: Tensor((10,), "float32")):
        with R.dataflow():
            lv0 = R.call_tir(linear0, (x, w0, b0), (1, 128), dtype="float32")
            lv1 = R.call_tir(relu0, (lv0,), (1, 128), dtype="float32")
            out = R.call_tir(linear1, (lv1, w1, b1), (1, 10), dtype="float32")
            R.output(out)
        return out
"#;
    let (first, second) = (layer("linear0", 128, 784), layer("linear1", 10, 128));
    format!("@tvm.script.ir_module\nclass MyModule:{RELU}{first}{second}{main}")
}

fn two_layer_arguments() -> Vec<Tensor> {
    let shapes: [&[i64]; 5] = [&[1, 784], &[128, 784], &[128], &[10, 128], &[10]];
    shapes.iter().enumerate().map(|(i, shape)| wave(shape, i as f32 * 17.3)).collect()
}

fn two_layer_result(args: &[Tensor]) -> Vec<f64> {
    let x: Vec<f64> = args[0].to_vec::<f32>().unwrap().into_iter().map(f64::from).collect();
    let hidden: Vec<f64> = linear(&x, &args[1], &args[2]).into_iter().map(|v| v.max(0.0)).collect();
    linear(&hidden, &args[3], &args[4])
}

#[test]
fn the_two_layer_network_gives_the_formula_s_numbers() {
    let args = two_layer_arguments();
    let machine = machine(&two_layers());
    for _ in 0..2 {
        let result = call(&machine, "main", &args).unwrap();
        // Sums of 784 products of numbers below 1, in f32.
        assert_close(&floats(&result), &two_layer_result(&args), 1e-4);
    }
}

#[test]
fn a_saved_executable_is_the_one_in_memory() {
    let executable = tilewright::compile(&parse(&two_layers()), &CompileOptions::default()).unwrap();
    let path = std::env::temp_dir().join(format!("tilewright-saved-{}.twx", std::process::id()));
    executable.save(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), executable.bytes().as_slice());
    let machine = VirtualMachine::new(Arc::new(Executable::open(&path).unwrap()), &[]).unwrap();
    std::fs::remove_file(&path).unwrap();
    let args = two_layer_arguments();
    assert_close(&floats(&call(&machine, "main", &args).unwrap()), &two_layer_result(&args), 1e-4);
}

#[test]
fn the_same_module_gives_the_same_bytes() {
    let compile = || tilewright::compile(&parse(&two_layers()), &CompileOptions::default()).unwrap();
    assert_eq!(compile().bytes().as_slice(), compile().bytes().as_slice());
}

#[test]
fn operators_are_legalised_and_run_on_negative_numbers() {
    let machine = machine(
        r#"
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 784), "float32"), w: R.Tensor((10, 784), "float32"), b: R.Tensor((1, 10), "float32")):
        with R.dataflow():
            lv = R.permute_dims(w, axes=None)
            lv1 = R.matmul(x, lv, out_dtype="void")
            lv2 = R.add(lv1, b)
            gv = R.nn.relu(lv2)
            R.output(gv)
        return gv
"#,
    );
    let (x, w, b) = (wave(&[1, 784], 0.0), wave(&[10, 784], 3.0), wave(&[1, 10], 9.0));
    let row: Vec<f64> = x.to_vec::<f32>().unwrap().into_iter().map(f64::from).collect();
    let expected: Vec<f64> = linear(&row, &w, &b).into_iter().map(|v| v.max(0.0)).collect();
    assert!(expected.contains(&0.0) && expected.iter().any(|v| *v > 0.0));
    assert_close(&floats(&call(&machine, "main", &[x, w, b]).unwrap()), &expected, 1e-4);
}

#[test]
fn symbolic_dimensions_take_any_size() {
    let machine = machine(
        r#"
@I.ir_module
class Module:
    @T.prim_func
    def double(x: T.handle, y: T.handle):
        T.func_attr({"tir.noalias": True})
        n = T.int64()
        X = T.match_buffer(x, (n,), "float32")
        Y = T.match_buffer(y, (n,), "float32")
        for i in T.parallel(n):
            with T.block("Y"):
                vi = T.axis.spatial(n, i)
                Y[vi] = X[vi] * T.float32(2)

    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.double, (x,), out_sinfo=R.Tensor((n,), dtype="float32"))
            z = R.add(y, x)
            R.output(z)
        return z
"#,
    );
    for size in [0, 1, 5, 1000] {
        let x = wave(&[size], 0.5);
        let expected: Vec<f64> = x.to_vec::<f32>().unwrap().into_iter().map(|v| f64::from(3.0 * v)).collect();
        assert_close(&floats(&call(&machine, "main", &[x]).unwrap()), &expected, 1e-6);
    }
    let error = call(&machine, "main", &[wave(&[2, 2], 0.0)]).unwrap_err().to_string();
    assert!(error.contains("main") && error.contains("\"x\""), "{error}");
}

#[test]
fn side_effects_stand_between_dataflow_blocks() {
    let machine = machine(
        r#"
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            lv = R.add(x, x)
            R.output(lv)
        spare = R.alloc_tensor((4,), dtype="float32")
        note = R.call_packed("test.end_to_end.note", lv, sinfo_args=R.Object)
        with R.dataflow():
            out = R.multiply(lv, x)
            R.output(out)
        return out
"#,
    );
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let sink = seen.clone();
    registry::register_override("test.end_to_end.note", move |args| {
        sink.lock().unwrap().push(args[0].as_tensor()?.to_vec::<f32>()?);
        Ok(Value::None)
    });
    let x = Tensor::from_vec(&[4], vec![1.0f32, -2.0, 0.5, 3.0]).unwrap();
    assert_eq!(floats(&call(&machine, "main", &[x]).unwrap()), [2.0, 8.0, 0.5, 18.0]);
    assert_eq!(*seen.lock().unwrap(), [vec![2.0, -4.0, 1.0, 6.0]]);
}

#[test]
fn registered_functions_write_their_destination() {
    let text = r#"
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            lv = R.call_dps_packed("test.end_to_end.negate", (x,), out_sinfo=R.Tensor((2, 3), dtype="float32"))
            out = R.add(lv, x)
            R.output(out)
        return out
"#;
    let machine = machine(text);
    let error = call(&machine, "main", &[wave(&[2, 3], 0.0)]).unwrap_err().to_string();
    assert!(error.contains("test.end_to_end.negate"), "{error}");
    registry::register_override("test.end_to_end.negate", |args| {
        let negated: Vec<u8> = args[0].as_tensor()?.to_vec::<f32>()?.iter().flat_map(|v| (-v).to_le_bytes()).collect();
        args[1].as_tensor()?.overwrite(&negated)?;
        Ok(Value::None)
    });
    assert_eq!(floats(&call(&machine, "main", &[wave(&[2, 3], 0.0)]).unwrap()), [0.0; 6]);
}

#[test]
fn a_prim_func_runs_on_the_caller_s_own_tensors() {
    let machine = machine(&two_layers());
    let x = wave(&[1, 128], 0.0);
    let y = Tensor::zeros(tilewright::DataType::F32, &[1, 128]).unwrap();
    call(&machine, "relu0", &[x.clone(), y.clone()]).unwrap();
    let expected: Vec<f64> = x.to_vec::<f32>().unwrap().into_iter().map(|v| f64::from(v.max(0.0))).collect();
    assert_close(&y.to_vec::<f32>().unwrap(), &expected, 0.0);
    let error = call(&machine, "relu0", &[y.clone(), y]).unwrap_err().to_string();
    assert!(error.contains("share memory"), "{error}");
}

#[test]
fn loops_of_every_kind_agree() {
    for kind in ["T.serial", "T.parallel", "T.vectorized", "T.unroll"] {
        let machine = machine(&format!(
            r#"
@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((37,), "int32"), B: T.Buffer((37,), "int32")):
        for i in {kind}(37):
            with T.block("B"):
                vi = T.axis.spatial(37, i)
                B[vi] = T.min(A[vi] * 3 - 7, A[36 - vi])
"#
        ));
        let a: Vec<i32> = (0..37).map(|i| (i * 7919) % 101 - 50).collect();
        let b = Tensor::zeros(tilewright::DataType::I32, &[37]).unwrap();
        call(&machine, "f", &[Tensor::from_vec(&[37], a.clone()).unwrap(), b.clone()]).unwrap();
        let expected: Vec<i32> = (0..37).map(|i| (a[i] * 3 - 7).min(a[36 - i])).collect();
        assert_eq!(b.to_vec::<i32>().unwrap(), expected, "{kind}");
    }
}

#[test]
fn division_by_zero_is_an_error_that_leaves_the_process_alive() {
    let machine = machine(
        r#"
@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        for i in T.parallel(8):
            with T.block("B"):
                vi = T.axis.spatial(8, i)
                B[vi] = T.floordiv(T.int32(-7), A[vi])
"#,
    );
    let run = |a: Vec<i32>| {
        let b = Tensor::zeros(tilewright::DataType::I32, &[8]).unwrap();
        call(&machine, "f", &[Tensor::from_vec(&[8], a).unwrap(), b.clone()]).map(|_| b.to_vec::<i32>().unwrap())
    };
    assert_eq!(run(vec![1, 2, 3, 4, -1, -2, -3, -4]).unwrap(), [-7, -4, -3, -2, 7, 3, 2, 1]);
    let error = run(vec![1, 2, 0, 4, 5, 6, 7, 8]).unwrap_err().to_string();
    assert!(error.contains("division"), "{error}");
    assert_eq!(run(vec![7; 8]).unwrap(), [-1; 8]);
}

#[test]
fn many_threads_share_one_machine() {
    let machine = machine(&two_layers());
    let args = two_layer_arguments();
    let expected = two_layer_result(&args);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert_close(&floats(&call(&machine, "main", &args).unwrap()), &expected, 1e-4);
                }
            });
        }
    });
}

#[test]
fn sizes_that_nothing_relates_are_checked_before_memory_is_touched() {
    let machine = machine(
        r#"
@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (m,), "float32")
        for i in range(m):
            with T.block("B"):
                vi = T.axis.spatial(m, i)
                B[vi] = A[vi]
"#,
    );
    let zeros = |size: i64| Tensor::zeros(tilewright::DataType::F32, &[size]).unwrap();
    let b = zeros(3);
    call(&machine, "f", &[wave(&[5], 1.0), b.clone()]).unwrap();
    assert_eq!(b.to_vec::<f32>().unwrap(), wave(&[5], 1.0).to_vec::<f32>().unwrap()[..3]);
    let error = call(&machine, "f", &[wave(&[5], 1.0), zeros(8)]).unwrap_err().to_string();
    assert!(error.contains("buffer `A`"), "{error}");
}

#[test]
fn a_scalar_that_stands_in_a_shape_is_the_tensor_s_own() {
    let fill = r#"
@I.ir_module
class Module:
    @T.prim_func
    def fill(a: T.handle, n: T.int64):
        A = T.match_buffer(a, (n,), "float32")
        for i in range(n):
            A[i] = T.float32(1)
    @T.prim_func
    def twice(a: T.handle, n: T.int64):
        A = T.match_buffer(a, (n * 2,), "float32")
        for i in range(n * 2):
            A[i] = T.float32(2)
"#;
    let machine = machine(fill);
    let x = Tensor::from_vec(&[4], vec![0.0f32; 4]).unwrap();
    for (name, size) in [("fill", 4), ("twice", 2)] {
        let function = machine.function(name).unwrap();
        let error = function.call(&[x.clone().into(), Value::Int(1 << 30)]).unwrap_err().to_string();
        assert!(error.contains("1073741824, but n is 4") || error.contains("dimension 0 is 4"), "{error}");
        function.call(&[x.clone().into(), Value::Int(size)]).unwrap();
    }
    assert_eq!(x.to_vec::<f32>().unwrap(), [2.0; 4]);
}

#[test]
fn a_kernel_gets_tensors_of_the_shapes_that_it_was_compiled_for() {
    let text = r#"
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def copy(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            with T.block("copy"):
                vi = T.axis.remap("S", [i])
                B[vi] = A[vi]
    @R.function
    def related(x: R.Tensor(("n",), "float32"), y: R.Tensor(("m",), "float32")):
        n = T.int64()
        m = T.int64()
        cls = Module
        z = R.call_tir(cls.copy, (x,), out_sinfo=R.Tensor((m,), "float32"))
        return z
    @R.function
    def of_known_rank(x: R.Tensor("float32", ndim=1)):
        cls = Module
        z = R.call_tir(cls.copy, (x,), out_sinfo=R.Tensor((4,), "float32"))
        return z
    @R.function
    def of_any_type(x: R.Tensor((4,))):
        cls = Module
        z = R.call_tir(cls.copy, (x,), out_sinfo=R.Tensor((4,), "float32"))
        return z
"#;
    let machine = machine(text);
    let (four, five) = (wave(&[4], 1.0), wave(&[5], 2.0));
    let narrow = Tensor::from_vec(&[4], vec![1i8; 4]).unwrap();
    let refused = [
        ("related", vec![four.clone(), five.clone()], "dimension 0 is 5"),
        ("of_known_rank", vec![five.clone()], "dimension 0 is"),
        ("of_any_type", vec![narrow], "expected float32"),
    ];
    for (name, args, part) in refused {
        let error = call(&machine, name, &args).unwrap_err().to_string();
        assert!(error.contains(part), "{name}: {error}");
    }
    let same = four.to_vec::<f32>().unwrap();
    assert_eq!(floats(&call(&machine, "related", &[four.clone(), four.clone()]).unwrap()), same);
    assert_eq!(floats(&call(&machine, "of_known_rank", std::slice::from_ref(&four)).unwrap()), same);
    assert_eq!(floats(&call(&machine, "of_any_type", &[four]).unwrap()), same);
}

#[test]
fn results_of_packed_functions_have_the_computed_size() {
    let text = r#"
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        y = R.call_packed("test.end_to_end.doubled", x, sinfo_args=R.Tensor((n * 2,), "float32"))
        z = R.add(y, y)
        return z
"#;
    registry::register_override("test.end_to_end.doubled", |args| match args {
        // Twice as long, but for tensors of 3 elements.
        [Value::Tensor(x)] => {
            let size = x.num_elements() as i64;
            let size = if size == 3 { 3 } else { 2 * size };
            Ok(Value::from(Tensor::from_vec(&[size], vec![1.0f32; size as usize])?))
        }
        _ => Ok(Value::None),
    });
    let machine = machine(text);
    assert_eq!(floats(&call(&machine, "main", &[wave(&[2], 0.0)]).unwrap()), [2.0; 4]);
    let error = call(&machine, "main", &[wave(&[3], 0.0)]).unwrap_err().to_string();
    assert!(error.contains("dimension 0 is 3"), "{error}");
}

#[test]
fn parameters_with_gaps_are_refused() {
    let text = r#"
@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, B: T.Buffer((4, 4), "float32")):
        A = T.match_buffer(a, (4, 4), "float32", strides=[1000, 1])
        for i, j in T.grid(4, 4):
            with T.block("copy"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj]
"#;
    let error = tilewright::compile(&parse(text), &CompileOptions::default()).unwrap_err().to_string();
    assert!(error.contains("strides that a compact tensor does not have"), "{error}");
}

#[test]
fn a_masked_load_reads_only_inside() {
    let text = r#"
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32"), i: T.int64, n: T.int64, B: T.Buffer((4,), "float32")):
        B[0:4] = A.vload([T.Ramp(i, 1, 4)], predicate=T.Ramp(i, 1, 4) < T.Broadcast(n, 4))
"#;
    let machine = machine(text);
    let main = machine.function("main").unwrap();
    let (a, b) = (Tensor::from_vec(&[4], vec![1.0f32, 2.0, 3.0, 4.0]).unwrap(), wave(&[4], 0.0));
    let run = |i: i64, n: i64| main.call(&[a.clone().into(), Value::Int(i), Value::Int(n), b.clone().into()]);
    run(2, 4).unwrap();
    assert_eq!(b.to_vec::<f32>().unwrap(), [3.0, 4.0, 0.0, 0.0]);
    let error = run(1 << 30, 1 << 40).unwrap_err().to_string();
    assert!(error.contains("index out of range"), "{error}");
}

#[test]
fn an_axis_s_domain_is_no_proof_of_its_value() {
    let text = r#"
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32"), k: T.int32, B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("b"):
                vi = T.axis.spatial(4, i + k)
                B[vi] = A[vi]
"#;
    let machine = machine(text);
    let main = machine.function("main").unwrap();
    let run = |k: i64| main.call(&[wave(&[4], 0.0).into(), Value::Int(k), wave(&[4], 0.0).into()]);
    run(0).unwrap();
    for k in [-1, 1 << 29] {
        let error = run(k).unwrap_err().to_string();
        assert!(error.contains("index out of range"), "{k}: {error}");
    }
}

#[test]
fn a_view_stays_in_the_memory_that_it_views() {
    let text = r#"
@I.ir_module
class Module:
    @T.prim_func
    def wide(A: T.Buffer((4,), "float32"), B: T.Buffer((1048576,), "float32")):
        C = T.Buffer((1048576,), "float32", data=A.data)
        for i in range(1048576):
            B[i] = C[i]
    @T.prim_func
    def flat(A: T.Buffer((2, 2), "float32"), B: T.Buffer((4,), "float32")):
        C = T.Buffer((4,), "float32", data=A.data)
        for i in range(4):
            B[i] = C[i]
    @T.prim_func
    def window(A: T.Buffer((8,), "float32"), B: T.Buffer((2,), "float32"), k: T.int64):
        for i in range(2):
            with T.block("b"):
                vi = T.axis.remap("S", [i])
                C = T.match_buffer(A[k:k + 2], (2,), "float32", offset_factor=1)
                B[vi] = C[vi]
"#;
    let machine = machine(text);
    let four = wave(&[2, 2], 0.0);
    let error = call(&machine, "wide", &[wave(&[4], 0.0), wave(&[1 << 20], 0.0)]).unwrap_err().to_string();
    assert!(error.contains("index out of range"), "{error}");
    let out = wave(&[4], 9.0);
    call(&machine, "flat", &[four.clone(), out.clone()]).unwrap();
    assert_eq!(out.to_vec::<f32>().unwrap(), four.to_vec::<f32>().unwrap());
    let (eight, two) = (wave(&[8], 0.0), wave(&[2], 9.0));
    let window = machine.function("window").unwrap();
    let run = |k: i64| window.call(&[eight.clone().into(), two.clone().into(), Value::Int(k)]);
    run(6).unwrap();
    assert_eq!(two.to_vec::<f32>().unwrap(), eight.to_vec::<f32>().unwrap()[6..]);
    for k in [-1, 7, 1 << 30] {
        let error = run(k).unwrap_err().to_string();
        assert!(error.contains("index out of range"), "{k}: {error}");
    }
}

#[test]
fn the_evaluator_of_passes_runs_compiled_code() {
    use tilewright::ir::pass::Evaluator;
    let module = parse(&two_layers());
    let (x, y) = (wave(&[1, 128], 2.0), Tensor::zeros(tilewright::DataType::F32, &[1, 128]).unwrap());
    tilewright::LinkedEvaluator::default().run(module.prim("relu0").unwrap(), &[x.clone(), y.clone()]).unwrap();
    let expected: Vec<f32> = x.to_vec::<f32>().unwrap().into_iter().map(|v| v.max(0.0)).collect();
    assert_eq!(y.to_vec::<f32>().unwrap(), expected);
}
