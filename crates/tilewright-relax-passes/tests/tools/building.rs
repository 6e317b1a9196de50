//! The block builder, and mutators over it.

use tilewright_expr::{Expr as Scalar, Var as ScalarVar};
use tilewright_ir::analysis::well_formed;
use tilewright_ir::builder::{BlockBuilder, BuildError, map_exprs, mutate_module, with_params};
use tilewright_ir::relax::{Callee, Expr, ExprKind, StructInfo, TensorShape, Var};
use tilewright_tensor::{DataType, Tensor};

use super::{checked, floats, module, names, op, relax, run};

const F32: DataType = DataType::F32;

fn tensor(shape: &[i64]) -> StructInfo {
    StructInfo::tensor_of(shape, F32)
}

#[test]
fn nested_calls_get_variables_in_the_order_of_evaluation() {
    let mut bb = BlockBuilder::new();
    let x = Var::new("x", tensor(&[3]));
    bb.begin_function("main", vec![x.clone()]);
    bb.begin_dataflow().unwrap();
    let x = Expr::var(&x);
    let shared = op("add", &[&x, &x]);
    let value = op("multiply", &[&op("nn.relu", &[&shared]), &op("subtract", &[&shared, &x])]);
    let bound = bb.emit(&value).unwrap();
    assert!(
        matches!(&bb.lookup_binding(&bound).unwrap().kind, ExprKind::Call { args, .. } if args.iter().all(|arg| arg.as_var().is_some()))
    );
    let out = bb.emit_output(&Expr::var(&bound)).unwrap();
    let block = bb.end_dataflow().unwrap();
    assert_eq!(
        names(block.bindings.iter().map(|b| &b.var)),
        ["lv", "lv1", "lv2", "lv3", "gv"],
        "the shared one is bound once"
    );
    bb.emit_func_output(&Expr::var(&out)).unwrap();
    let module = checked(bb.finalize().unwrap());
    // relu(2x) * x
    let expected = [-1.0_f32, 0.0, 3.0].map(|x| (2.0 * x).max(0.0) * x);
    assert_eq!(run(&module, "main", &[floats(&[-1.0, 0.0, 3.0])]), expected);
}

#[test]
fn a_stale_struct_info_is_put_right_and_a_wrong_call_is_refused() {
    let mut bb = BlockBuilder::new();
    let x = Var::new("x", tensor(&[2, 3]));
    bb.begin_function("main", vec![x.clone()]);
    let relu = op("nn.relu", &[&Expr::var(&x)]);
    let stale = Expr::raw(tensor(&[7]), relu.kind.clone());
    assert!(bb.normalize(&stale).unwrap().struct_info.equal(&tensor(&[2, 3])));
    let (y, z) = (Var::new("y", tensor(&[5])), Expr::var(&x));
    let wrong = match &op("add", &[&z, &z]).kind {
        ExprKind::Call { callee, attrs, .. } => {
            let args = vec![z.clone(), Expr::var(&y)];
            ExprKind::Call { callee: callee.clone(), args, attrs: attrs.clone(), sinfo_args: Vec::new() }
        }
        _ => panic!("a call"),
    };
    let error = bb.emit(&Expr::raw(StructInfo::Object, wrong)).unwrap_err();
    assert!(matches!(error, BuildError::Infer(_)), "{error}");
    // Nothing of it is left.
    bb.emit_func_output(&z).unwrap();
    let module = checked(bb.finalize().unwrap());
    assert!(relax(&module, "main").body.blocks.is_empty());
}

#[test]
fn match_cast_defines_dimensions_that_the_result_does_not_speak_of() {
    let mut bb = BlockBuilder::new();
    let unknown = StructInfo::Tensor { shape: TensorShape::Rank(1), dtype: Some(F32), vdevice: None };
    let x = Var::new("x", unknown);
    bb.begin_function("main", vec![x.clone()]);
    let n = ScalarVar::new("n", DataType::I64);
    let cast = bb.emit_match_cast(&Expr::var(&x), StructInfo::tensor(vec![Scalar::var(&n)], F32)).unwrap();
    assert!(bb.defines(&n));
    let sum = bb.emit(&op("add", &[&Expr::var(&cast), &Expr::var(&cast)])).unwrap();
    assert!(sum.struct_info.equal(&StructInfo::tensor(vec![Scalar::var(&n)], F32)));
    assert!(matches!(bb.emit_match_cast(&Expr::var(&x), tensor(&[2, 2])), Err(BuildError::State(_))));
    bb.emit_func_output(&Expr::var(&sum)).unwrap();
    assert!(!bb.defines(&n));
    let module = checked(bb.finalize().unwrap());
    assert!(matches!(relax(&module, "main").ret, StructInfo::Tensor { shape: TensorShape::Rank(1), .. }));
    assert_eq!(run(&module, "main", &[floats(&[1.5, -2.0])]), [3.0, -4.0]);
}

#[test]
fn branches_are_sequences() {
    let mut bb = BlockBuilder::new();
    let (x, yes) = (Var::new("x", tensor(&[2])), Var::new("yes", StructInfo::tensor_of(&[], DataType::BOOL)));
    bb.begin_function("main", vec![x.clone(), yes.clone()]);
    let branch = |bb: &mut BlockBuilder, name: &str| {
        bb.begin_sequence();
        let value = bb.emit(&op(name, &[&Expr::var(&x), &Expr::var(&x)])).unwrap();
        bb.end_sequence(&Expr::var(&value)).unwrap()
    };
    let (then, otherwise) = (branch(&mut bb, "add"), branch(&mut bb, "multiply"));
    let choice = Expr::conditional(Expr::var(&yes), then, otherwise).unwrap();
    let chosen = bb.emit(&choice).unwrap();
    bb.emit_func_output(&Expr::var(&chosen)).unwrap();
    let module = checked(bb.finalize().unwrap());
    for (flag, expected) in [(true, [6.0, -8.0]), (false, [9.0, 16.0])] {
        let flag = Tensor::from_vec(&[], vec![flag]).unwrap();
        assert_eq!(run(&module, "main", &[floats(&[3.0, -4.0]), flag]), expected);
    }
}

#[test]
fn impossible_edits_are_errors_with_the_reason() {
    let x = Expr::var(&Var::new("x", tensor(&[2])));
    let message = |error: BuildError| error.to_string();
    let mut bb = BlockBuilder::new();
    assert_eq!(
        message(bb.emit(&x).unwrap_err()),
        "nothing can be emitted here: no function is open, or it has its output already"
    );
    assert_eq!(message(bb.begin_dataflow().unwrap_err()), "a dataflow block is begun outside of a function");
    assert_eq!(message(bb.emit_func_output(&x).unwrap_err()), "no function is open, or it has its output already");
    assert_eq!(message(bb.end_scope().unwrap_err()), "no scope is open");
    bb.begin_function("f", vec![]);
    assert_eq!(message(bb.end_dataflow().unwrap_err()), "no dataflow block is open");
    assert_eq!(message(bb.emit_output(&x).unwrap_err()), "an output is emitted, but no dataflow block is open");
    bb.begin_dataflow().unwrap();
    assert_eq!(message(bb.begin_dataflow().unwrap_err()), "a dataflow block is open already");
    assert_eq!(message(bb.emit_func_output(&x).unwrap_err()), "a dataflow block is still open");
    bb.end_dataflow().unwrap();
    bb.begin_sequence();
    assert_eq!(message(bb.emit_func_output(&x).unwrap_err()), "the function ends while a sequence inside it is open");
    bb.abandon_sequence();
    bb.emit(&Expr::call_packed("print", vec![], vec![])).unwrap();
    let error = message(bb.emit_func_output(&Expr::tuple(vec![])).unwrap_err());
    assert_eq!(error, "function `f` says that it is pure, and calls packed function `print`");
    bb.begin_function("g", vec![]);
    assert_eq!(message(bb.finalize().unwrap_err()), "function `g` is not finished");
}

#[test]
fn functions_are_added_once_and_updated() {
    let other = module(
        r#"    @R.function(private=True)
    def f(x: R.Tensor((2,), "float32")):
        return x"#,
    );
    let f = other.get("f").unwrap().clone();
    let mut bb = BlockBuilder::new();
    let (first, second) = (bb.add_func(f.clone(), "g"), bb.add_func(f.clone(), "h"));
    assert_eq!((&*first.name, &*second.name), ("g", "g"), "the very same function is in the module already");
    let third = bb.add_func(relax(&other, "f"), "g");
    assert_eq!(&*third.name, "g1");
    assert!(bb.update_func(&third, f.clone()).is_ok());
    let unknown = tilewright_ir::relax::GlobalVar { name: "no".into(), signature: StructInfo::Object };
    assert_eq!(bb.update_func(&unknown, f).unwrap_err().to_string(), "the module has no function `no`");
}

const CALLS: &str = r#"    @R.function(private=True)
    def half(v: R.Tensor(("n", 3), "float32")) -> R.Tensor((3, "n"), "float32"):
        t = R.permute_dims(v, axes=[1, 0])
        return t

    @R.function
    def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((3, 2), "float32"):
        cls = Module
        h = cls.half(x)
        r = R.nn.relu(h)
        return r"#;

#[test]
fn types_follow_through_the_calls_of_a_module() {
    let before = module(CALLS);
    let after = mutate_module(
        &before,
        &mut map_exprs(|_: &mut BlockBuilder, expr: &Expr| match &expr.kind {
            ExprKind::Call { callee: Callee::Op(op), args, .. } if op.name == "permute_dims" => {
                Ok(Some(args[0].clone()))
            }
            _ => Ok(None),
        }),
    );
    let after = checked(after.unwrap());
    let main = relax(&after, "main");
    assert!(main.ret.equal(&tensor(&[2, 3])), "{:?}", main.ret);
    assert_eq!(names(main.body.blocks.iter().flat_map(|b| &b.bindings).map(|b| &b.var)), ["h", "r"]);
}

#[test]
fn a_function_over_other_parameters_is_typed_anew() {
    let before = module(CALLS);
    let half = relax(&before, "half");
    let param = Var::new("v", tensor(&[4, 3]));
    let mut nothing = map_exprs(|_: &mut BlockBuilder, _: &Expr| Ok(None));
    let new = with_params(&mut BlockBuilder::new(), &half, vec![param], &mut nothing).unwrap();
    assert!(new.ret.equal(&tensor(&[3, 4])), "{:?}", new.ret);
    assert!(
        well_formed(&{
            let mut module = tilewright_ir::IRModule::new();
            module.insert("half", new);
            module
        })
        .is_empty()
    );
    let wrong = Var::new("v", tensor(&[4]));
    let error = with_params(&mut BlockBuilder::new(), &half, vec![wrong], &mut nothing).unwrap_err();
    assert!(matches!(error, BuildError::Infer(_)), "{error}");
}

#[test]
fn mutators_keep_effects_in_order() {
    let before = module(
        r#"    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        a = R.add(x, x)
        b = R.call_packed("note", a, sinfo_args=[R.Tensor((2,), "float32")])
        c = R.call_packed("note", b, sinfo_args=[R.Tensor((2,), "float32")])
        d = R.add(a, a)
        return d"#,
    );
    let after = mutate_module(
        &before,
        &mut map_exprs(|bb: &mut BlockBuilder, expr: &Expr| match &expr.kind {
            ExprKind::Call { callee: Callee::Op(called), args, .. } if called.name == "add" => {
                let twice = bb.emit(&op("subtract", &[&args[0], &args[1]]))?;
                Ok(Some(op("add", &[&op("add", &[&args[0], &args[1]]), &Expr::var(&twice)])))
            }
            _ => Ok(None),
        }),
    );
    let after = checked(after.unwrap());
    let main = relax(&after, "main");
    let packed = |callee: &Callee| matches!(callee, Callee::Packed(_));
    let kinds: Vec<bool> = main.body.blocks.iter().flat_map(|block| &block.bindings).map(|binding| {
        matches!(&tilewright_ir::analysis::vars::value_of(binding).kind, ExprKind::Call { callee, .. } if packed(callee))
    }).collect();
    assert_eq!(kinds, [false, false, false, true, true, false, false, false]);
    let x = [1.5, -2.0];
    assert_eq!(run(&before, "main", &[floats(&x)]), run(&after, "main", &[floats(&x)]));
}

#[test]
fn deep_and_shared_expressions_stay_linear() {
    let mut bb = BlockBuilder::new();
    let x = Var::new("x", tensor(&[1]));
    bb.begin_function("main", vec![x.clone()]);
    let mut value = Expr::var(&x);
    for _ in 0..60 {
        value = op("add", &[&value, &value]);
    }
    for _ in 0..10_000 {
        value = op("nn.relu", &[&value]);
    }
    let bound = bb.emit(&value).unwrap();
    bb.emit_func_output(&Expr::var(&bound)).unwrap();
    let module = bb.finalize().unwrap();
    assert_eq!(relax(&module, "main").body.blocks[0].bindings.len(), 10_060);
}
