//! Matching and rewriting of expressions.

use tilewright_expr::Expr as Scalar;
use tilewright_ir::analysis::var_to_value;
use tilewright_ir::relax::{Expr, ExprKind, StructInfo, Var};
use tilewright_ir::{Attr, Attrs};
use tilewright_relax_passes::pattern::{ArgPatterns, Matches, Pattern, fused_bias_activation, match_expr};
use tilewright_tensor::{DataType, Tensor};

use super::{call, floats, impure_module, integers, main_of, means_the_same, module, op, ops, rewritten, var};

const LAYER: &str = r#"(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 4), "float32"), b: R.Tensor((4,), "float32")):
        with R.dataflow():
            m = R.matmul(x, w)
            s = R.add(m, b)
            r = R.nn.relu(s)
            t = R.permute_dims(r, axes=[1, 0])
            p = (t, s)
            o = p[0]
            R.output(o)
        return o"#;

/// The match of the pattern with the value of the variable of [`LAYER`].
fn fits(pattern: &Pattern, name: &str) -> Option<Matches> {
    let module = module(LAYER);
    let values = var_to_value(&main_of(&module));
    match_expr(pattern, &Expr::var(&var(&module, name)), &|var: &Var| values.get(var).cloned())
}

#[test]
fn calls_are_found_through_variables() {
    let (x, w, b) = (Pattern::wildcard(), Pattern::wildcard(), Pattern::wildcard());
    let product = call("relax.matmul", &[&x, &w]);
    let layer = call("nn.relu", &[&call("add", &[&product, &b])]);
    let found = fits(&layer, "r").unwrap();
    let name = |pattern| found.get(pattern).and_then(Expr::as_var).map(|var| var.name.to_string());
    assert_eq!((name(&x), name(&w), name(&b)), (Some("x".into()), Some("w".into()), Some("b".into())));
    assert_eq!(found.var(&product).map(|var| &*var.name), Some("m"));
    assert!(matches!(found.get(&product).unwrap().kind, ExprKind::Call { .. }));
    assert!(fits(&layer, "s").is_none(), "an addition is no relu");
    assert!(fits(&call("add", &[&b, &product]), "s").is_none(), "the order of arguments counts");
    assert!(fits(&fused_bias_activation("relax.matmul", true, Some("relax.nn.relu")).unwrap(), "r").is_some());
    assert!(fits(&fused_bias_activation("relax.matmul", false, Some("relax.nn.relu")).unwrap(), "r").is_none());
}

#[test]
fn one_pattern_is_one_value() {
    let (a, b) = (Pattern::wildcard(), Pattern::wildcard());
    assert!(fits(&call("matmul", &[&a, &b]), "m").is_some());
    assert!(fits(&call("matmul", &[&a, &a]), "m").is_none());
    let constant = Pattern::constant();
    assert!(fits(&call("matmul", &[&a, &constant.or(&b)]), "m").is_some());
    assert!(fits(&call("matmul", &[&a, &a.dup()]), "m").is_some(), "a duplicate stands for something of its own");
}

#[test]
fn alternatives_conjunctions_and_negations() {
    let any = Pattern::wildcard();
    let (add, relu) = (call("add", &[&any, &Pattern::wildcard()]), call("nn.relu", &[&Pattern::wildcard()]));
    for (name, either) in [("s", true), ("r", true), ("m", false)] {
        assert_eq!(fits(&add.or(&relu), name).is_some(), either, "{name}");
        assert_eq!(fits(&add.not().and(&relu.not()), name).is_some(), !either, "{name}");
    }
    // A failed alternative is undone: `any` matches the matmul in the first, nothing in the second.
    let first = call("nn.relu", &[&call("add", &[&any, &any])]);
    let second = call("nn.relu", &[&call("add", &[&Pattern::wildcard(), &any])]);
    let found = fits(&first.or(&second), "r").unwrap();
    assert_eq!(found.get(&any).and_then(Expr::as_var).map(|var| var.name.to_string()), Some("b".into()));
    let bias = Pattern::wildcard();
    let maybe = call("matmul", &[&Pattern::wildcard(), &Pattern::wildcard()]).optional(|m| call("add", &[m, &bias]));
    assert!(fits(&maybe, "m").unwrap().get(&bias).is_none());
    assert!(fits(&maybe, "s").unwrap().get(&bias).is_some());
}

#[test]
fn properties_of_values() {
    let any = Pattern::wildcard();
    let dims = |dims: &[i64]| dims.iter().map(|dim| Scalar::i64(*dim)).collect::<Vec<_>>();
    assert!(fits(&any.has_shape(dims(&[2, 4])), "s").is_some());
    assert!(fits(&any.has_shape(dims(&[2, 5])), "s").is_none());
    assert!(fits(&any.has_dtype(DataType::F32), "s").is_some());
    assert!(fits(&any.has_dtype(DataType::I32), "s").is_none());
    let info = StructInfo::tensor_of(&[2, 4], DataType::F32);
    assert!(fits(&any.has_struct_info(info.clone()), "s").is_some());
    assert!(fits(&any.has_struct_info(info), "m").is_some());
    assert!(fits(&any.has_struct_info(StructInfo::tensor_of(&[4, 2], DataType::F32)), "s").is_none());
    let permuted = |axes: &[i64]| {
        let axes = Attr::Array(axes.iter().copied().map(Attr::Int).collect());
        call("permute_dims", &[&Pattern::wildcard()]).has_attr(Attrs::from([("axes".into(), axes)]))
    };
    assert!(fits(&permuted(&[1, 0]), "t").is_some());
    assert!(fits(&permuted(&[0, 1]), "t").is_none());
    let (m, b) = (Pattern::wildcard(), Pattern::wildcard());
    assert!(fits(&call("add", &[&m, &b.same_shape_as(&m)]), "s").is_none(), "(4,) is not (2, 4)");
    let sum = call("add", &[&m, &b]);
    assert!(fits(&call("nn.relu", &[&sum.same_shape_as(&m)]), "r").is_some());
}

#[test]
fn variables_and_tuples() {
    assert!(fits(&Pattern::var(Some("s")), "s").is_some() && fits(&Pattern::var(Some("m")), "s").is_none());
    assert!(fits(&Pattern::dataflow_var(None), "s").is_some() && fits(&Pattern::dataflow_var(None), "x").is_none());
    let (relu, sum) =
        (call("nn.relu", &[&Pattern::wildcard()]), call("add", &[&Pattern::wildcard(), &Pattern::wildcard()]));
    let transposed = call("permute_dims", &[&relu]);
    let pair = Pattern::tuple(vec![transposed.clone(), sum.clone()]);
    assert!(fits(&pair, "p").is_some());
    assert!(fits(&Pattern::tuple(vec![sum.clone(), transposed.clone()]), "p").is_none());
    assert!(fits(&Pattern::unordered_tuple(vec![sum.clone(), transposed]), "p").is_some());
    assert!(fits(&Pattern::unordered_tuple(vec![sum.clone(), sum]), "p").is_none());
    assert!(fits(&Pattern::tuple_get(&pair, Some(0)), "o").is_some());
    assert!(fits(&Pattern::tuple_get(&pair, None), "o").is_some());
    assert!(fits(&Pattern::tuple_get(&pair, Some(1)), "o").is_none());
    let first = Pattern::op("matmul").unwrap().call_with(ArgPatterns::First(vec![Pattern::var(Some("x"))]));
    assert!(fits(&first, "m").is_some());
    assert!(fits(&Pattern::op("matmul").unwrap(), "m").is_some(), "an operator alone is a call of it");
}

#[test]
fn an_unknown_operator_is_an_error_that_names_a_near_one() {
    assert_eq!(
        Pattern::op("relax.matmull").unwrap_err(),
        "there is no operator `relax.matmull`: did you mean `matmul`?"
    );
}

/// `a + a` to `2 * a`.
fn doubling(module: &tilewright_ir::IRModule) -> Option<tilewright_ir::IRModule> {
    let x = Pattern::wildcard();
    let two = Expr::constant(Tensor::from_vec(&[], vec![2.0_f32]).unwrap());
    rewritten(module, &call("add", &[&x, &x]), &mut |_, found| Ok(op("multiply", &[found.get(&x).unwrap(), &two])))
}

#[test]
fn matches_are_replaced_without_changing_results() {
    let before = module(
        r#"(x: R.Tensor((3, 5), "float32"), y: R.Tensor((5,), "float32")):
        with R.dataflow():
            a = R.add(x, x)
            b = R.add(a, y)
            c = R.add(b, b)
            R.output(c)
        return c"#,
    );
    let after = doubling(&before).unwrap();
    assert_eq!(ops(&after), ["multiply", "add", "multiply"]);
    means_the_same(&before, &after, &[floats(&[3, 5], 1), floats(&[5], 2)]);
    let replaced = |name| var(&after, name).struct_info.clone();
    assert!(replaced("c").equal(&StructInfo::tensor_of(&[3, 5], DataType::F32)));
}

#[test]
fn without_a_match_the_function_stays_as_it_was() {
    // Not in normal form, and with an unused binding.
    let before = module(
        r#"(x: R.Tensor((3,), "float32"), y: R.Tensor((3,), "float32")):
        unused = R.add(x, y)
        return R.nn.relu(R.add(x, y))"#,
    );
    assert!(doubling(&before).is_none());
}

#[test]
fn symbolic_shapes_branches_and_closures() {
    let before = module(
        r#"(x: R.Tensor(("n", 3), "float32"), yes: R.Tensor((), "bool")):
        n = T.int64()
        @R.function
        def twice(v: R.Tensor((n, 3), "float32")) -> R.Tensor((n, 3), "float32"):
            w = R.add(v, v)
            return w
        if yes:
            a = R.add(x, x)
            r = R.nn.relu(a)
        else:
            r = twice(x)
        return r"#,
    );
    let after = doubling(&before).unwrap();
    assert_eq!(ops(&after), ["multiply", "multiply", "nn.relu"]);
    for rows in [0, 1, 4] {
        for yes in [false, true] {
            let flag = Tensor::from_vec(&[], vec![yes]).unwrap();
            means_the_same(&before, &after, &[floats(&[rows, 3], 3), flag]);
        }
    }
}

#[test]
fn a_rewriting_is_not_applied_to_its_own_results() {
    let before = module(
        r#"(x: R.Tensor((4,), "int32"), y: R.Tensor((4,), "int32")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.add(a, x)
            R.output(b)
        return b"#,
    );
    let (a, b) = (Pattern::wildcard(), Pattern::wildcard());
    let mut times = 0;
    let after = rewritten(&before, &call("add", &[&a, &b]), &mut |expr, found| {
        times += 1;
        // Itself again, below another one like it.
        let zero = op("subtract", &[found.get(&a).unwrap(), found.get(&a).unwrap()]);
        Ok(op("add", &[expr, &zero]))
    });
    let after = after.unwrap();
    assert_eq!(times, 2);
    assert_eq!(ops(&after), ["add", "subtract", "add", "add", "subtract", "add"]);
    means_the_same(&before, &after, &[integers(&[4], 1), integers(&[4], 2)]);
}

#[test]
fn struct_infos_follow_upwards_to_the_result() {
    let before = module(
        r#"(x: R.Tensor(("n", 3), "float32")) -> R.Tensor((3, "n"), "float32"):
        with R.dataflow():
            t = R.permute_dims(x, axes=[1, 0])
            r = R.nn.relu(t)
            R.output(r)
        return r"#,
    );
    let x = Pattern::wildcard();
    let after = rewritten(&before, &call("permute_dims", &[&x]), &mut |_, found| Ok(found.get(&x).unwrap().clone()));
    let (after, given) = (main_of(&after.unwrap()), main_of(&before).params[0].struct_info.clone());
    assert!(after.ret.equal(&given), "{:?}", after.ret);
    assert!(after.body.result.struct_info.equal(&given));
}

#[test]
fn a_replacement_that_does_not_fit_its_users_is_an_error_with_the_reason() {
    let before = module(
        r#"(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            t = R.nn.relu(x)
            r = R.add(t, y)
            R.output(r)
        return r"#,
    );
    let x = Pattern::wildcard();
    let mut bb = tilewright_ir::builder::BlockBuilder::new();
    let mut transpose = |_: &Expr, found: &Matches| Ok(op("permute_dims", &[found.get(&x).unwrap()]));
    let pattern = call("nn.relu", &[&x]);
    let error = tilewright_relax_passes::pattern::rewrite_call(&mut bb, &pattern, &mut transpose, &main_of(&before));
    let message = error.unwrap_err().to_string();
    assert!(message.contains("2") && message.contains("3"), "{message}");
}

#[test]
fn values_of_a_dataflow_block_that_is_over_are_not_written_anew_outside() {
    let before = module(
        r#"(x: R.Tensor((3,), "float32")):
        with R.dataflow():
            hidden = R.nn.relu(x)
            shown = R.add(hidden, hidden)
            R.output(shown)
        z = R.nn.relu(shown)
        return z"#,
    );
    let (a, b) = (Pattern::wildcard(), Pattern::wildcard());
    let inner = call("add", &[&a, &b]);
    let whole = call("nn.relu", &[&inner]);
    assert!(
        rewritten(&before, &whole, &mut |_, found| Ok(op("add", &[found.get(&a).unwrap(), found.get(&b).unwrap()])))
            .is_none()
    );
    // Inside the block, and for values of what is visible, it is.
    let again = call("nn.relu", &[&Pattern::wildcard()]);
    let found = rewritten(&before, &again, &mut |expr, _| Ok(op("nn.relu", &[expr]))).unwrap();
    assert_eq!(ops(&found), ["nn.relu", "nn.relu", "add", "nn.relu", "nn.relu"]);
    means_the_same(&before, &found, &[floats(&[3], 9)]);
}

#[test]
fn calls_with_effects_stay_when_their_results_are_unused() {
    let before = impure_module(
        r#"(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        a = R.call_packed("note", x, sinfo_args=[R.Tensor((3,), "float32")])
        b = R.add(a, a)
        c = R.nn.relu(b)
        return c"#,
    );
    let note = Pattern::call_packed(Some("note"), ArgPatterns::Any);
    let whole = call("nn.relu", &[&call("add", &[&note, &note])]);
    let after = rewritten(&before, &whole, &mut |_, found| {
        let ExprKind::Call { args, .. } = &found.get(&note).unwrap().kind else { panic!("a call") };
        Ok(op("multiply", &[&args[0], &args[0]]))
    });
    let after = main_of(&after.unwrap());
    let names: Vec<_> = after.body.blocks.iter().flat_map(|b| &b.bindings).map(|b| b.var.name.to_string()).collect();
    assert_eq!(names, ["a", "c"], "the call stays, the sum goes");
}
