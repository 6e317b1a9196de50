//! The default build of graphs: the remaining PrimFuncs, and that schedules of the user do not change.

use std::sync::Arc;

use tilewright::ir::tir::PrimFunc;
use tilewright::ir::{Attr, GlobalFunc};
use tilewright::vm_program::Package;
use tilewright::{CompileOptions, Emitted, IRModule, LinkedEvaluator, PassCx, Stage, Target, passes, pipelines};

use super::{parse, program};

/// A block of an encoder: attention of two heads, and two layers after it.
const ENCODER: &str = r#"
    @R.function
    def main(x: R.Tensor((1, "n", 8), "float32"), mask: R.Tensor((1, 1, 1, "n"), "float32")):
        n = T.int64()
        with R.dataflow():
            wq = R.full((8, 8), R.const(0.5, "float32"))
            wk = R.full((8, 8), R.const(0.25, "float32"))
            wv = R.full((8, 8), R.const(-0.125, "float32"))
            wo = R.full((8, 8), R.const(0.75, "float32"))
            b = R.full((8,), R.const(0.1, "float32"))
            up = R.full((16, 8), R.const(0.3, "float32"))
            down = R.full((8, 16), R.const(0.2, "float32"))
            q = R.permute_dims(R.reshape(R.add(R.matmul(x, R.permute_dims(wq)), b), (1, n, 2, 4)), [0, 2, 1, 3])
            k = R.permute_dims(R.reshape(R.add(R.matmul(x, R.permute_dims(wk)), b), (1, n, 2, 4)), [0, 2, 1, 3])
            v = R.permute_dims(R.reshape(R.add(R.matmul(x, R.permute_dims(wv)), b), (1, n, 2, 4)), [0, 2, 1, 3])
            s = R.add(R.divide(R.matmul(q, R.permute_dims(k, [0, 1, 3, 2])), R.const(2, "float32")), mask)
            a = R.matmul(R.nn.softmax(s, axis=-1), v)
            o = R.matmul(R.reshape(R.permute_dims(a, [0, 2, 1, 3]), (1, n, 8)), R.permute_dims(wo))
            r = R.nn.layer_norm(R.add(x, R.add(o, b)), b, b, axes=[-1])
            h = R.nn.gelu(R.matmul(r, R.permute_dims(up)))
            y = R.nn.layer_norm(R.add(r, R.matmul(h, R.permute_dims(down))), b, b, axes=[-1])
            R.output(y)
        return y
"#;

fn built(module: &IRModule, target: &Target) -> IRModule {
    let evaluator = LinkedEvaluator::default();
    let mut cx = PassCx { evaluator: Some(&evaluator), ..PassCx::default() };
    cx.run(&pipelines::default_build(target), module.clone()).unwrap_or_else(|error| panic!("{error}"))
}

fn prims(module: &IRModule) -> Vec<(&Arc<str>, &Arc<PrimFunc>)> {
    let mut found = Vec::new();
    for (name, function) in module.iter() {
        if let GlobalFunc::Prim(function) = function {
            found.push((name, function));
        }
    }
    found
}

#[test]
fn a_block_of_an_encoder_is_a_few_functions_each_with_a_schedule() {
    let module = built(&parse(ENCODER), &Target::host());
    let names: Vec<&str> = prims(&module).iter().map(|(name, _)| &***name).collect();
    // A product with a bias (three times called), attention, products with what follows them (three), a norm.
    assert!(names.len() <= 6, "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("fused_attention")), "{names:?}");
    for (name, function) in prims(&module) {
        assert!(function.attrs.get("tir.is_scheduled").is_some_and(Attr::is_true), "{name}");
    }
}

const OWN: &str = r#"
    @T.prim_func(private=True)
    def own(x: T.Buffer((64,), "float32"), y: T.Buffer((64,), "float32")):
        for i in T.parallel(8):
            for j in range(8):
                with T.block("y"):
                    vi = T.axis.spatial(64, i * 8 + j)
                    y[vi] = x[vi] * T.float32(2)

    @R.function
    def main(x: R.Tensor((64,), "float32")):
        cls = Module
        with R.dataflow():
            a = R.exp(x)
            b = R.call_tir(cls.own, (a,), out_sinfo=R.Tensor((64,), "float32"))
            c = R.negative(b)
            R.output(c)
        return c
"#;

#[test]
fn a_schedule_of_the_users_own_stays() {
    let module = parse(OWN);
    let after = built(&module, &Target::host());
    let (before, after) =
        (module.prim("own").unwrap(), after.prim("own").unwrap_or_else(|| panic!("`own` is missing")));
    assert!(tilewright::ir::node::EqCx::compare(&before.body, &after.body).is_ok());
    let x: Vec<f32> = (0..64).map(|i| i as f32 / 16.0).collect();
    let machine = program(OWN).machine;
    let argument = tilewright::Tensor::from_vec(&[64], x.clone()).unwrap();
    let found = machine.function("main").unwrap().call(&[argument.into()]).unwrap();
    let found = found.as_tensor().unwrap().to_vec::<f32>().unwrap();
    for (x, y) in x.iter().zip(found) {
        assert!((y + 2.0 * x.exp()).abs() <= 1e-5 * x.exp(), "{x}: {y}");
    }
}

#[test]
fn the_schedule_is_for_the_target() {
    let text = r#"
    @R.function
    def main(x: R.Tensor((64, 64), "float32"), y: R.Tensor((64, 64), "float32")):
        with R.dataflow():
            z = R.matmul(x, y)
            R.output(z)
        return z
"#;
    let of = |target: &str| tilewright::print_module(&built(&parse(text), &Target::parse(target).unwrap()));
    assert_ne!(of("llvm -mcpu=haswell"), of("llvm -mcpu=znver4"));
    assert_eq!(of("llvm -mcpu=haswell"), of("llvm -mcpu=haswell"));
}

/// Two sums of the same, one of which says what it is for.
const TWO_TARGETS: &str = r#"
    @T.prim_func
    def own(A: T.Buffer((4096,), "float32"), B: T.Buffer((4096,), "float32")):
        T.func_attr({"target": {"kind": "llvm", "mcpu": "haswell"}})
        for i in range(4096):
            with T.block("B"):
                vi = T.axis.spatial(4096, i)
                B[vi] = A[vi] + T.float32(1)

    @T.prim_func
    def main(A: T.Buffer((4096,), "float32"), B: T.Buffer((4096,), "float32")):
        for i in range(4096):
            with T.block("B"):
                vi = T.axis.spatial(4096, i)
                B[vi] = A[vi] + T.float32(1)
"#;

#[test]
fn a_function_is_compiled_for_the_target_that_it_says() {
    let module = parse(TWO_TARGETS);
    let assembly = |target: &str, stage: Stage| {
        let options = CompileOptions::for_target(Target::parse(target).unwrap());
        tilewright::emit(&mut PassCx::default(), &module, &options, stage)
    };
    let features = |target: &str| {
        let bytes = assembly(target, Stage::Exe).unwrap_or_else(|error| panic!("{error}"));
        let Emitted::Executable(bytes) = bytes else { panic!("no executable") };
        Package::decode(&bytes).unwrap().0.target.features
    };
    // What the one function needs is asked of the processor, and what the other one needs.
    let (plain, wide) = (features("llvm -mtriple=x86_64-linux-gnu"), features("llvm -mcpu=x86-64-v4"));
    assert!(plain.iter().any(|name| name == "avx2") && !plain.iter().any(|name| name == "avx512f"), "{plain:?}");
    assert!(wide.iter().any(|name| name == "avx512f"), "{wide:?}");
    let error = assembly("llvm -mcpu=neoverse-n1", Stage::Exe).unwrap_err().to_string();
    assert!(error.contains("`own` declares the target") && error.contains("one architecture"), "{error}");
}

#[test]
fn a_function_that_is_for_another_device_is_refused() {
    let module = parse(&TWO_TARGETS.replace(r#"{"kind": "llvm", "mcpu": "haswell"}"#, "\"cuda\""));
    let options = CompileOptions::for_target(Target::host());
    let error = tilewright::emit(&mut PassCx::default(), &module, &options, Stage::Exe).unwrap_err().to_string();
    assert!(error.contains("declares the target \"cuda\"") && error.contains("compiled for"), "{error}");
}

/// A product, twice: its register tile depends on the target.
fn products() -> IRModule {
    let product = |name: &str, attrs: &str| {
        format!(
            r#"
    @T.prim_func
    def {name}(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32")):
        T.func_attr({{{attrs}}})
        for i, j, k in T.grid(64, 64, 64):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
"#
        )
    };
    parse(&(product("own", r#""target": "haswell""#) + &product("main", r#""tir.noalias": True"#)))
}

#[test]
fn passes_without_a_target_of_their_own_take_that_of_the_context() {
    let scheduled = |target: &str, name: &str| {
        let mut cx = PassCx { target: Some(Target::parse(target).unwrap()), ..PassCx::default() };
        let pass = passes::by_name("ApplyDefaultSchedule", &Target::host()).unwrap();
        let module = cx.run(pass.as_ref(), products()).unwrap_or_else(|error| panic!("{error}"));
        let mut alone = IRModule::new();
        alone.insert(name, PrimFunc::clone(module.prim(name).unwrap()));
        tilewright::print_module(&alone)
    };
    assert_ne!(scheduled("haswell", "main"), scheduled("x86-64-v4", "main"));
    // The one that says its own target has the same schedule in both.
    assert_eq!(scheduled("haswell", "own"), scheduled("x86-64-v4", "own"));
}
