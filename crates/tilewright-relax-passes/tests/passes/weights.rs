//! Splitting and bundling of weights: the parts compute together what the function computed.

use tilewright_interp::{InterpCx, Value};
use tilewright_ir::IRModule;
use tilewright_ir::pass::{Evaluator, Pass, PassCx};
use tilewright_ir::relax::{Constant, Expr, ExprKind};
use tilewright_ir::tir::PrimFunc;
use tilewright_relax_passes::{BundleModelParams, FoldConstant, LiftTransformParams, SharedTransform};
use tilewright_script::parse::{NoHost, parse_module};
use tilewright_support::SourceFile;
use tilewright_tensor::Tensor;

use crate::graph::{message, numbers, run};

/// The module of a textual test.
fn module(text: &str) -> IRModule {
    let input = text.split("# expect:").next().unwrap();
    parse_module(&SourceFile::new("weights.py", input), &NoHost).unwrap()
}

fn called(module: &IRModule, name: &str, args: &[Value]) -> Value {
    InterpCx::new(5).run_function(module, name, args).unwrap()
}

fn tensor(value: &Value) -> Vec<f32> {
    value.as_tensor().unwrap().to_vec().unwrap()
}

/// Checks that `name` computes from `inputs` and what `transform` makes of the weights what it computed of the weights.
fn splits(
    before: &IRModule,
    pass: &LiftTransformParams,
    name: &str,
    transform: &str,
    inputs: &[Tensor],
    weights: &[Tensor],
) {
    let values = |tensors: &[Tensor]| tensors.iter().cloned().map(Value::Tensor).collect::<Vec<_>>();
    let all = [values(inputs), values(weights)].concat();
    let expected = tensor(&called(before, name, &all));
    let after = run(pass, before);
    let Value::Tuple(made) = called(&after, transform, &[Value::Tuple(values(weights))]) else { panic!() };
    let args = [values(inputs), made.to_vec()].concat();
    assert_eq!(tensor(&called(&after, name, &args)), expected, "{name}");
    assert!(expected.iter().any(|value| *value != 0.0));
}

#[test]
fn the_parts_of_a_split_function_compute_the_same() {
    let text = module(include_str!("../../src/lift_transform_params/weights.py"));
    let weights: Vec<Tensor> =
        [&[3, 4][..], &[3, 5], &[5], &[9]].iter().enumerate().map(|(i, shape)| numbers(shape, i as u32)).collect();
    let pass = LiftTransformParams::default();
    splits(&text, &pass, "main", "main_transform_params", &[numbers(&[2, 4], 7)], &weights);
    let text = module(include_str!("../../src/lift_transform_params/symbolic.py"));
    for (n, m, k) in [(2, 3, 5), (1, 1, 1), (3, 2, 1)] {
        let (x, w) = (numbers(&[n, 4], 1), numbers(&[m, k], 2));
        splits(&text, &pass, "main", "main_transform_params", &[x], &[w]);
    }
}

#[test]
fn functions_of_one_model_share_common_computations() {
    let text = module(include_str!("../../src/lift_transform_params/shared.py"));
    let weights = [numbers(&[3, 4], 3), numbers(&[3], 4)];
    let named = SharedTransform::Named(vec!["prefill".into(), "decode".into()]);
    for shared in [SharedTransform::All, named] {
        let pass = LiftTransformParams { shared };
        splits(&text, &pass, "decode", "transform_params", &[numbers(&[1, 4], 1)], &weights);
        splits(&text, &pass, "prefill", "transform_params", &[numbers(&[6, 4], 1)], &weights);
    }
    let alone = LiftTransformParams { shared: SharedTransform::Named(vec!["decode".into()]) };
    splits(&text, &alone, "decode", "transform_params", &[numbers(&[1, 4], 1)], &weights);
    assert!(run(&alone, &text).relax("prefill").unwrap().params.len() == 3);
    let unknown = LiftTransformParams { shared: SharedTransform::Named(vec!["encode".into()]) };
    assert!(message(&unknown, &text).contains("no function `encode` with the attribute `num_input`"));
}

#[test]
fn functions_with_other_weights_cannot_share_them() {
    let text =
        include_str!("../../src/lift_transform_params/shared.py").replace("c: R.Tensor((3,)", "c: R.Tensor((1,)");
    let text = message(&LiftTransformParams { shared: SharedTransform::All }, &module(&text));
    assert!(text.contains("functions `decode` and `prefill` have different weights"), "{text}");
}

#[test]
fn bundled_weights_are_the_fields_of_a_tuple() {
    let before = module(include_str!("../../src/bundle_model_params/weights.py"));
    let after = run(&BundleModelParams::default(), &before);
    let (x, w, b) = (numbers(&[2, 4], 1), numbers(&[4, 3], 2), numbers(&[3], 3));
    let values =
        |tensors: &[&Tensor]| tensors.iter().map(|tensor| Value::Tensor((*tensor).clone())).collect::<Vec<_>>();
    let expected = tensor(&called(&before, "main", &values(&[&x, &w, &b])));
    let found = called(&after, "main", &[Value::Tensor(x), Value::Tuple(values(&[&w, &b]))]);
    assert_eq!(tensor(&found), expected);
    // Bundling again changes nothing.
    assert!(run(&BundleModelParams::default(), &after).compare(&after).is_ok());
    let named = BundleModelParams { param_tuple_name: "weights".into() };
    assert_eq!(&*run(&named, &before).relax("main").unwrap().params[1].name, "weights");
    assert_eq!(named.info().name, "BundleModelParams");
}

/// Computes nothing.
struct Refuses;

impl Evaluator for Refuses {
    fn run(&self, _: &PrimFunc, _: &[Tensor]) -> Result<(), String> {
        Err("nothing is computed here".into())
    }
}

#[test]
fn parts_and_other_shapes_of_a_weight_are_its_own_memory() {
    let text = r#"
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            weight = R.reshape(R.const([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0], "float32"), R.shape([4, 3]))
            halves = R.split(weight, 2, axis=0)
            first = R.add(x, halves[0])
            second = R.add(first, halves[1])
            across = R.permute_dims(R.reshape(weight, R.shape([6, 2])), axes=[1, 0])
            third = R.add(second, R.reshape(across, R.shape([2, 2, 3])))
            R.output(third)
        return third
"#;
    let mut cx = PassCx { evaluator: Some(&Refuses), ..PassCx::default() };
    let folded = FoldConstant.run(&mut cx, module(text)).unwrap();
    let mut found: Vec<Tensor> = Vec::new();
    tilewright_ir::node::walk(&folded, |expr: &Expr| {
        if let ExprKind::Constant(Constant(tensor)) = &expr.kind {
            found.push(tensor.clone());
        }
    });
    let [first, second] = [[0.0f32, 1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]].map(|part| {
        found.iter().find(|tensor| tensor.shape() == [2, 3] && tensor.to_vec::<f32>().unwrap() == part).unwrap()
    });
    assert_eq!(second.data_ptr().addr() - first.data_ptr().addr(), 24);
    // A transposed weight has to be computed.
    let transposed = found.iter().filter(|tensor| tensor.num_elements() == 12);
    assert!(
        transposed.clone().count() > 0 && transposed.into_iter().all(|tensor| tensor.shape() == [6, 2]),
        "{found:?}"
    );
}
