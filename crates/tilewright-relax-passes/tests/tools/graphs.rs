//! Variables, effects and recursion of graphs.

use tilewright_ir::GlobalFunc;
use tilewright_ir::analysis::{
    all_global_vars, all_vars, bound_vars, computable_at_compile_time, contains_impure_call, detect_recursion,
    free_vars, name_to_binding, remove_all_unused, udchain, used_global_vars, var_to_value, well_formed,
    well_formed_function,
};
use tilewright_ir::relax::{ExprKind, Function};

use super::{checked, floats, module, names, relax, run};

const NESTED: &str = r#"    @R.function
    def main(x: R.Tensor((2,), "float32"), yes: R.Tensor((), "bool")):
        with R.dataflow():
            a = R.add(x, x)
            dead = R.multiply(a, x)
            R.output(a)
        @R.function
        def inner(v: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            w = R.add(v, a)
            lost = R.nn.relu(w)
            return w
        if yes:
            gone = R.nn.relu(a)
            t = inner(a)
            r = R.nn.relu(t)
        else:
            r = x
        return r"#;

#[test]
fn variables_are_bound_free_or_used() {
    let main = relax(&module(NESTED), "main");
    assert!(free_vars(&main).is_empty());
    let bound = names(&bound_vars(&main));
    assert_eq!(
        bound,
        ["x", "yes", "a", "dead", "v", "w", "lost", "inner", "gone", "t", "r", "r"].map(String::from)[..bound.len()]
    );
    let inner = var_to_value(&main).into_iter().find(|(var, _)| &*var.name == "inner").unwrap().1;
    assert_eq!(names(&free_vars(&inner)), ["a"]);
    assert_eq!(names(&bound_vars(&inner)), ["v", "w", "lost"]);
    assert_eq!(names(&free_vars(&main.body)), ["x", "yes"]);
    assert_eq!(names(&all_vars(&inner)), ["v", "w", "a", "lost"].map(String::from));
    assert_eq!(name_to_binding(&main).get("w").map(Vec::len), Some(1));
}

#[test]
fn uses_and_outputs_of_a_block() {
    let main = relax(&module(NESTED), "main");
    let chain = udchain(&main.body.blocks[0]);
    let users: Vec<_> = chain.users.iter().map(|(var, users)| (var.name.to_string(), names(users))).collect();
    let expected = [("a", vec!["dead"]), ("x", vec!["a", "dead"]), ("dead", vec![])];
    for (name, users_of) in expected {
        let found = users.iter().find(|(var, _)| var == name).unwrap();
        assert_eq!(found.1, users_of, "{name}");
    }
    assert_eq!(names(&chain.outputs), ["a"]);
}

#[test]
fn unused_bindings_go_everywhere_and_the_meaning_stays() {
    let before = module(NESTED);
    let after = remove_all_unused(&relax(&before, "main"));
    assert_eq!(names(&bound_vars(&after)).iter().filter(|n| ["dead", "lost", "gone"].contains(&n.as_str())).count(), 0);
    let mut shorter = before.clone();
    shorter.insert("main", after);
    let shorter = checked(shorter);
    for yes in [true, false] {
        let args = [floats(&[1.0, -2.0]), tilewright_tensor::Tensor::from_vec(&[], vec![yes]).unwrap()];
        assert_eq!(run(&before, "main", &args), run(&shorter, "main", &args));
    }
}

#[test]
fn effects_and_casts_are_not_unused() {
    let main = relax(
        &module(
            r#"    @R.function(pure=False)
    def main(x: R.Tensor(ndim=1, dtype="float32")) -> R.Tensor(ndim=1, dtype="float32"):
        n = T.int64()
        seen = R.call_packed("note", x, sinfo_args=[R.Tensor(ndim=1, dtype="float32")])
        cast = R.match_cast(x, R.Tensor((n,), "float32"))
        twice = R.add(x, x)
        return x"#,
        ),
        "main",
    );
    assert_eq!(names(&bound_vars(&remove_all_unused(&main))), ["x", "seen", "cast"]);
    assert!(contains_impure_call(&main, None));
    let inside = GlobalFunc::from(Function { pure: true, ..main });
    let faults = well_formed_function(&inside, None);
    assert_eq!(faults.iter().map(|fault| fault.code).collect::<Vec<_>>(), ["TW0523"]);
    assert!(faults[0].span.as_ref().is_some_and(|span| span.line_column().0 == 6), "the place of the call");
}

const CIRCLES: &str = r#"    @R.function
    def a(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Module
        y: R.Tensor((2,), "float32") = cls.b(x)
        return y

    @R.function
    def b(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Module
        y: R.Tensor((2,), "float32") = cls.a(x)
        z: R.Tensor((2,), "float32") = cls.c(y)
        return z

    @R.function
    def c(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        return x

    @R.function
    def d(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Module
        y: R.Tensor((2,), "float32") = cls.d(x)
        return y"#;

#[test]
fn circles_of_calls_are_found() {
    let module = module(CIRCLES);
    let groups: Vec<Vec<String>> =
        detect_recursion(&module).iter().map(|group| group.iter().map(|name| name.to_string()).collect()).collect();
    assert_eq!(groups, [vec!["a", "b"], vec!["d"]]);
    assert_eq!(used_global_vars(&relax(&module, "b")).iter().map(|n| n.to_string()).collect::<Vec<_>>(), ["a", "c"]);
    assert_eq!(all_global_vars(&relax(&module, "c")).len(), 0);
    assert!(well_formed(&module).is_empty());
}

#[test]
fn values_of_constants_and_known_parameters_are_computable() {
    let main = relax(
        &module(
            r#"    @R.function
    def main(x: R.Tensor((2,), "float32"), w: R.Tensor((2,), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a = R.add(w, w)
            b = R.add(x, a)
            c = R.nn.relu(a)
            d = R.add(b, c)
            R.output(d)
        return d"#,
        ),
        "main",
    );
    assert_eq!(names(&computable_at_compile_time(&main)), ["a", "c"]);
    let mut without = main.clone();
    without.attrs.remove("num_input");
    assert!(computable_at_compile_time(&without).is_empty());
    let all = var_to_value(&main);
    assert!(matches!(all[&computable_at_compile_time(&main)[0]].kind, ExprKind::Call { .. }));
}
