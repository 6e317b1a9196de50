//! Constant sizes: a run that is refused stays refused.

use tilewright_interp::{InterpCx, Value};
use tilewright_ir::IRModule;
use tilewright_ir::pass::{Pass, PassCx};
use tilewright_relax_passes::{CallTIRRewrite, LegalizeOps, LowerRuntimeBuiltin, StaticPlanBlockMemory, VMShapeLower};
use tilewright_script::parse::{NoHost, parse_module};
use tilewright_support::SourceFile;
use tilewright_tensor::Tensor;

const SIZED: &str = r#"
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("n * 2",), "float32"), z: R.Tensor(("k",), "float32")):
        n = T.int64()
        k = T.int64()
        a = R.match_cast(z, R.Tensor((n + k - n,), "float32"))
        b = R.match_cast(a, R.Tensor((n * 3,), "float32"))
        return (y, R.shape([k // n]))
"#;

fn lowered() -> [IRModule; 3] {
    let module = parse_module(&SourceFile::new("sized.py", SIZED), &NoHost).unwrap();
    let run = |module: IRModule, pass: &dyn Pass| PassCx::default().run(pass, module).unwrap();
    let before: [&dyn Pass; 3] = [&LegalizeOps::default(), &CallTIRRewrite, &StaticPlanBlockMemory];
    let sizes = run(before.into_iter().fold(module.clone(), run), &VMShapeLower);
    let named = run(sizes.clone(), &LowerRuntimeBuiltin);
    [module, sizes, named]
}

/// The result of a run with arguments of these shapes, or its error.
fn outcome(module: &IRModule, shapes: [&[i64]; 3]) -> Result<Value, String> {
    let args = shapes.map(|shape| {
        let count = shape.iter().product::<i64>();
        Value::Tensor(Tensor::from_vec(shape, (0..count).map(|i| i as f32).collect()).unwrap())
    });
    InterpCx::new(1).run_function(module, "main", &args).map_err(|error| error.to_string())
}

#[test]
fn fitting_sizes_give_the_same_result_and_others_are_refused() {
    let modules = lowered();
    let fits = [([2, 4], [4], [6]), ([1, 4], [2], [3])];
    for (x, y, z) in &fits {
        let [expected, found, named] = [0, 1, 2].map(|i| outcome(&modules[i], [x, y, z]).unwrap());
        assert!(expected.same(&found) && expected.same(&named), "{x:?} {y:?} {z:?}");
    }
    let wrong: [([i64; 2], [i64; 1], [i64; 1]); 4] =
        [([2, 3], [4], [6]), ([2, 4], [5], [6]), ([2, 4], [4], [7]), ([0, 4], [0], [0])];
    for (x, y, z) in &wrong {
        for (module, form) in modules.iter().zip(["before", "with sizes", "with names"]) {
            assert!(outcome(module, [x, y, z]).is_err(), "{form}: {x:?} {y:?} {z:?}");
        }
    }
    let why = outcome(&modules[1], [&[2, 3], &[4], &[6]]).unwrap_err();
    assert!(why.contains("expected 4, found 3"), "{why}");
}
