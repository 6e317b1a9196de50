//! Matches of patterns become functions, and neighbouring ones are merged.

use std::sync::{Arc, Mutex};

use tilewright_expr::node::walk;
use tilewright_interp::Random;
use tilewright_ir::pass::{CallbackValue, PassCx};
use tilewright_ir::relax::{Callee, Expr, ExprKind, Function, StructInfo};
use tilewright_ir::{Attr, GlobalFunc, IRModule};
use tilewright_relax_passes::pattern::{Pattern, fused_bias_activation};
use tilewright_relax_passes::{
    FuseAttention, FuseOpsByPattern, FusionPattern, MergeCompositeFunctions, PASSES, RunCodegen,
};
use tilewright_target::Target;
use tilewright_tensor::DataType;

use super::random::graph;
use super::{call, floats, integers, means_the_same, module, parsed};

fn fused(module: &IRModule, pass: &FuseOpsByPattern) -> IRModule {
    PassCx::default().run(pass, module.clone()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn attention_is_fused_where_the_target_has_a_kernel_for_it() {
    let fuses = |dtype: &str, target: &str| {
        let text = format!(
            "(q: R.Tensor((2, 8, 4), \"{dtype}\"), k: R.Tensor((2, 4, 8), \"{dtype}\"), v: R.Tensor((2, 8, 4), \"{dtype}\")):
        with R.dataflow():
            s = R.matmul(q, k)
            w = R.nn.softmax(s, axis=-1)
            o = R.matmul(w, v)
            R.output(o)
        return o"
        );
        let mut cx = PassCx { target: Some(Target::parse(target).unwrap()), ..PassCx::default() };
        cx.run(&FuseAttention, module(&text)).unwrap().relax("fused_attention").is_some()
    };
    assert!(fuses("float32", "haswell") && fuses("float32", "neoverse-n1"));
    assert!(!fuses("float32", "cuda") && !fuses("float64", "haswell") && !fuses("float16", "haswell"));
}

fn merged(module: &IRModule) -> IRModule {
    PassCx::default().run(&MergeCompositeFunctions, module.clone()).unwrap_or_else(|error| panic!("{error}"))
}

/// The functions other than `main` by their names, with the attribute.
fn made(module: &IRModule, attr: &str) -> Vec<(String, String)> {
    let said = |f: &GlobalFunc| f.attrs().get(attr).and_then(Attr::as_str).map(str::to_owned);
    module.sorted().into_iter().filter_map(|(name, f)| Some((name.to_string(), said(f)?))).collect()
}

fn relax<'m>(module: &'m IRModule, name: &str) -> &'m Function {
    module.relax(name).unwrap()
}

fn fusing(patterns: Vec<FusionPattern>) -> FuseOpsByPattern {
    FuseOpsByPattern { patterns, ..FuseOpsByPattern::default() }
}

fn layer() -> Pattern {
    fused_bias_activation("relax.matmul", true, Some("relax.nn.relu")).unwrap()
}

const LAYERS: &str = r#"(x: R.Tensor(("n", 3), "float32"), w: R.Tensor((3, 3), "float32"), b: R.Tensor((3,), "float32")):
        with R.dataflow():
            m = R.matmul(x, w)
            s = R.add(m, b)
            r = R.nn.relu(s)
            m1 = R.matmul(r, w)
            s1 = R.add(m1, b)
            r1 = R.nn.relu(s1)
            o = R.add(r1, s1)
            R.output(o)
        return o"#;

#[test]
fn a_match_becomes_a_function_unless_its_inside_is_used_elsewhere() {
    let before = module(LAYERS);
    let after = fused(&before, &fusing(vec![FusionPattern::new("lib.layer", &layer())]));
    // `s1` is used by `o` too.
    assert_eq!(made(&after, "Composite"), [("fused_relax_matmul_relax_add_relax_nn_relu".into(), "lib.layer".into())]);
    let function = relax(&after, "fused_relax_matmul_relax_add_relax_nn_relu");
    let names: Vec<_> = function.params.iter().map(|param| param.name.to_string()).collect();
    assert_eq!(names, ["x", "w", "b"]);
    assert!(function.attrs.contains_key("Primitive") && function.global_symbol().is_none());
    for rows in [0, 1, 4] {
        means_the_same(&before, &after, &[floats(&[rows, 3], 1), floats(&[3, 3], 2), floats(&[3], 3)]);
    }
}

#[test]
fn earlier_patterns_come_first_and_checks_decide() {
    let before = module(LAYERS);
    let product = call("matmul", &[&Pattern::wildcard(), &Pattern::wildcard()]);
    let both = vec![FusionPattern::new("lib.layer", &layer()), FusionPattern::new("lib.matmul", &product)];
    let names = |after: &IRModule| made(after, "Composite").into_iter().map(|(_, name)| name).collect::<Vec<_>>();
    assert_eq!(names(&fused(&before, &fusing(both.clone()))), ["lib.matmul", "lib.layer"]);
    let reversed = fused(&before, &fusing(both.into_iter().rev().collect()));
    assert_eq!(names(&reversed), ["lib.matmul", "lib.matmul"]);
    let annotations = vec![("product".to_owned(), product.clone())];
    let check: tilewright_relax_passes::Check = Arc::new(|found| {
        let product = found.annotated_expr.get("product").ok_or("no product")?;
        assert_eq!(found.matched_bindings.len(), 1);
        assert!(product.same(&found.matched_expr));
        // Only the second one: its operand is no parameter.
        Ok(found.var_usages.keys().any(|var| &*var.name == "r") && format!("{product:?}").contains("\"r\""))
    });
    let picky = FusionPattern { annotations, check: Some(check), ..FusionPattern::new("lib.second", &product) };
    let after = fused(&before, &fusing(vec![picky]));
    assert_eq!(names(&after), ["lib.second"]);
    let failing: tilewright_relax_passes::Check = Arc::new(|_| Err("the check fails".to_owned()));
    let failing = FusionPattern { check: Some(failing), ..FusionPattern::new("lib.no", &product) };
    let error = PassCx::default().run(&fusing(vec![failing]), before).unwrap_err().to_string();
    assert!(error.contains("the check fails"), "{error}");
}

#[test]
fn constants_stay_or_become_arguments_and_untold_dimensions_are_passed() {
    // Nothing but `s` tells what `n` is inside: the parameter has `n * 2` rows.
    let before = module(
        r#"(x: R.Tensor(("n * 2", 3), "float32"), y: R.Tensor(("n",), "float32")):
        with R.dataflow():
            c = R.const([1.5, -2.0, 0.25], "float32")
            a = R.add(x, R.const([1.5, -2.0, 0.25], "float32"))
            r = R.nn.relu(a)
            R.output(r)
        return r"#,
    );
    let bias = call("nn.relu", &[&call("add", &[&Pattern::wildcard(), &Pattern::constant()])]);
    let patterns = vec![FusionPattern::new("lib.bias", &bias)];
    for (lift_constants, params) in [(false, 2), (true, 3)] {
        let after = fused(&before, &FuseOpsByPattern { lift_constants, ..fusing(patterns.clone()) });
        let function = relax(&after, &made(&after, "Composite")[0].0);
        assert_eq!(function.params.len(), params, "{:?}", function.params);
        means_the_same(&before, &after, &[floats(&[4, 3], 1), floats(&[2], 2)]);
    }
}

#[test]
fn functions_for_code_generators_hold_the_composite_ones() {
    let before = module(LAYERS);
    let pass = FuseOpsByPattern { annotate_codegen: true, ..fusing(vec![FusionPattern::new("lib.layer", &layer())]) };
    let after = fused(&before, &pass);
    assert!(made(&after, "Composite").is_empty(), "they are closures");
    let name = "fused_relax_matmul_relax_add_relax_nn_relu_lib";
    assert_eq!(made(&after, "Codegen"), [(name.into(), "lib".into())]);
    assert_eq!(relax(&after, name).global_symbol(), Some(name));
    means_the_same(&before, &after, &[floats(&[2, 3], 1), floats(&[3, 3], 2), floats(&[3], 3)]);
}

/// Each operator for a code generator of its own.
fn single_ops(names: &[(&str, &str)]) -> FuseOpsByPattern {
    let pattern = |(op, library): &(&str, &str)| {
        let args = if op.starts_with("nn.") { 1 } else { 2 };
        let args: Vec<Pattern> = (0..args).map(|_| Pattern::wildcard()).collect();
        FusionPattern::new(format!("{library}.{op}"), &call(op, &args.iter().collect::<Vec<_>>()))
    };
    fusing(names.iter().map(pattern).collect())
}

#[test]
fn a_group_does_not_wait_for_itself() {
    // a, b and d are for one library. b waits for c, which waits for a.
    let before = module(
        r#"(x: R.Tensor((3,), "int32"), y: R.Tensor((3,), "int32")):
        with R.dataflow():
            a = R.add(x, y)
            c = R.subtract(a, y)
            b = R.add(a, c)
            d = R.add(b, x)
            R.output(d)
        return d"#,
    );
    let fused = fused(&before, &single_ops(&[("add", "p")]));
    assert_eq!(made(&fused, "Composite").len(), 3);
    let after = merged(&fused);
    assert_eq!(made(&after, "Codegen").len(), 2, "{:?}", made(&after, "Codegen"));
    assert!(made(&after, "Composite").is_empty());
    means_the_same(&before, &after, &[integers(&[3], 1), integers(&[3], 2)]);
}

#[test]
fn neighbours_with_several_results_become_one() {
    let before = module(
        r#"(x: R.Tensor((3,), "int32"), y: R.Tensor((3,), "int32")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.multiply(a, x)
            c = R.add(b, a)
            d = R.subtract(b, c)
            R.output(d, a)
        return (d, a)"#,
    );
    let after = merged(&fused(&before, &single_ops(&[("add", "p"), ("multiply", "p")])));
    assert_eq!(made(&after, "Codegen").len(), 1);
    means_the_same(&before, &after, &[integers(&[3], 1), integers(&[3], 2)]);
}

#[test]
fn random_graphs_are_fused_and_merged_and_mean_the_same() {
    let mut random = Random::new(4);
    let (a, b, c) = (Pattern::wildcard(), Pattern::wildcard(), Pattern::wildcard());
    let (mut composites, mut groups) = (0, 0);
    for round in 0..40 {
        let before = graph(&mut random, 14);
        let mut pass = single_ops(&[("add", "p"), ("multiply", "q"), ("maximum", "p")]);
        let pair = call("subtract", &[&call("add", &[&a, &b]), &c]);
        pass.patterns.insert(0, FusionPattern::new("q.pair", &pair));
        let fused = fused(&before, &pass);
        let after = merged(&fused);
        let args = [integers(&[5], round), integers(&[5], round + 50)];
        means_the_same(&before, &fused, &args);
        means_the_same(&before, &after, &args);
        composites += made(&fused, "Composite").len();
        groups += made(&after, "Codegen").len();
    }
    assert!(groups > 40 && groups < composites, "{groups} groups of {composites} functions");
}

#[test]
fn functions_for_code_generators_are_handed_over_and_called_by_name() {
    let before = module(LAYERS);
    let pass = FuseOpsByPattern { annotate_codegen: true, ..fusing(vec![FusionPattern::new("lib.layer", &layer())]) };
    let annotated = fused(&before, &pass);
    let [(symbol, _)] = &made(&annotated, "Codegen")[..] else { panic!("one function is for a code generator") };
    let told = Arc::new(Mutex::new(Vec::new()));
    let seen = told.clone();
    let generate = move |args: &[CallbackValue]| {
        let [CallbackValue::Data(name), CallbackValue::Exprs(functions), CallbackValue::Data(options)] = args else {
            return Err("three values".to_owned());
        };
        seen.lock().unwrap().push((name.in_words(), functions.len(), options.in_words()));
        Ok(CallbackValue::Data(Attr::None))
    };
    let options = Attr::Map([("level".into(), Attr::Int(3))].into_iter().collect());
    let target_options = [("lib".into(), options.clone())].into_iter().collect();
    let run = RunCodegen { target_options, entry_functions: vec!["main".to_owned()], generate: Arc::new(generate) };
    let after = PassCx::default().run(&run, annotated.clone()).unwrap();
    assert_eq!(*told.lock().unwrap(), [(Attr::str("lib").in_words(), 1, options.in_words())]);
    assert!(made(&after, "Codegen").is_empty());
    let mut called = Vec::new();
    walk(relax(&after, "main"), |expr: &Expr| {
        if let ExprKind::Call { callee: Callee::DpsPacked(name), .. } = &expr.kind {
            called.push(name.to_string());
        }
    });
    assert_eq!(called, std::slice::from_ref(symbol));
}

#[test]
fn a_code_generator_that_is_unknown_or_fails_is_an_error() {
    let pass = FuseOpsByPattern { annotate_codegen: true, ..fusing(vec![FusionPattern::new("lib.layer", &layer())]) };
    let annotated = fused(&module(LAYERS), &pass);
    let of_table = PASSES.iter().find(|def| def.name == "RunCodegen").unwrap();
    let error = PassCx::default().run(&*of_table.with([]).unwrap(), annotated.clone()).unwrap_err().to_string();
    assert!(error.contains("the code generator `lib` failed: it is not known"), "{error}");
    let entry_functions = vec!["mian".to_owned()];
    let run =
        RunCodegen { target_options: Default::default(), entry_functions, generate: Arc::new(|_| Err("no".into())) };
    let error = PassCx::default().run(&run, annotated).unwrap_err().to_string();
    assert!(error.contains("the module has no function `mian`"), "{error}");
}

/// The module after `mine`, a code generator that takes everything.
fn handed_over(text: &str) -> Result<IRModule, String> {
    let generate = Arc::new(|_: &[CallbackValue]| Ok(CallbackValue::Data(Attr::None)));
    let run = RunCodegen { target_options: Default::default(), entry_functions: Vec::new(), generate };
    PassCx::default().run(&run, parsed(text)).map_err(|error| error.to_string())
}

#[test]
fn a_call_of_a_code_generators_function_keeps_its_type() {
    let after = handed_over(
        r#"@R.function
    def one(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32")):
        R.func_attr({"Codegen": "mine"})
        y = R.exp(x)
        return (y,)

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            y = cls.one(x)
            R.output(y)
        return y
"#,
    )
    .unwrap();
    let main = relax(&after, "main");
    assert!(main.body.result.struct_info.equal(&main.ret));
    let [call, result] = &main.body.blocks[0].bindings[..] else { panic!("a call, and a tuple of its result") };
    assert!(call.var.dataflow && call.var.struct_info.equal(&StructInfo::tensor_of(&[4], DataType::F32)));
    assert!(result.var.struct_info.equal(&main.ret));
}

#[test]
fn a_function_for_a_code_generator_that_is_a_value_is_an_error() {
    let error = handed_over(
        r#"@R.function
    def one(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"Codegen": "mine"})
        y = R.exp(x)
        return y

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        f = cls.one
        y = f(x)
        return y
"#,
    )
    .unwrap_err();
    assert!(error.contains("TW0732") && error.contains("`one` is handed to a code generator"), "{error}");
}
