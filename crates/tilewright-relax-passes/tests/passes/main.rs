//! Graph passes on graphs built by hand: the resulting text, and unchanged meaning.
//!
//! Results are compared with formulas over plain numbers; the interpreter runs the module before and after each pass.

mod bind;
mod graph;
mod layouts;
mod memory;
mod ops;
mod random;
mod sizes;
mod weights;

use tilewright_expr::{Expr as Scalar, Var as ScalarVar};
use tilewright_ir::op::{InferCx, Legalize, MachineOp};
use tilewright_ir::relax::{
    Binding, BindingBlock, BindingValue, Callee, Expr, ExprKind, Function, SeqExpr, StructInfo, Var,
};
use tilewright_ir::{Attr, Attrs, GlobalFunc, IRModule};
use tilewright_ops::{binary, create, linear_algebra::matmul, manipulate::permute_dims, nn, unary};
use tilewright_relax_passes::{CallTIRRewrite, DeadCodeElimination, LegalizeOps, Normalize, ToNonDataflow, all_passes};
use tilewright_support::Origins;
use tilewright_tensor::{DataType, Tensor};

use graph::{
    Build, F32, bindings, calls, function, functions, means_the_same, message, module_of, numbers, pipeline, run,
    run_unchecked, tensor_info,
};

/// `relu(x @ w0.T + b0) @ w1.T + b1`.
pub(crate) fn two_layers() -> IRModule {
    let mut b = Build::new();
    let x = b.param("x", tensor_info(&[3, 4]));
    let (w0, b0) = (b.param("w0", tensor_info(&[5, 4])), b.param("b0", tensor_info(&[5])));
    let (w1, b1) = (b.param("w1", tensor_info(&[2, 5])), b.param("b1", tensor_info(&[2])));
    let layer = |b: &mut Build, x: Expr, w: Expr, bias: Expr| {
        let transposed = b.bind(permute_dims::call(&InferCx::default(), w, None));
        let product = b.bind(matmul::call(&InferCx::default(), x, transposed, DataType::VOID));
        b.bind(binary::add::call(&InferCx::default(), product, bias))
    };
    let hidden = layer(&mut b, x, w0, b0);
    let hidden = b.bind(nn::relu::call(&InferCx::default(), hidden));
    let out = layer(&mut b, hidden, w1, b1);
    module_of(b.finish(&out))
}

pub(crate) fn two_layers_args() -> Vec<Tensor> {
    [&[3, 4][..], &[5, 4], &[5], &[2, 5], &[2]].iter().enumerate().map(|(i, s)| numbers(s, i as u32)).collect()
}

pub(crate) fn two_layers_expected(args: &[Tensor]) -> Vec<f32> {
    let v: Vec<Vec<f32>> = args.iter().map(|t| t.to_vec().unwrap()).collect();
    let linear = |x: &[f32], w: &[f32], b: &[f32]| -> Vec<f32> {
        let k = w.len() / b.len();
        let rows = x.chunks(k);
        rows.flat_map(|row| {
            b.iter()
                .enumerate()
                .map(move |(j, bias)| row.iter().zip(&w[j * k..]).map(|(a, b)| a * b).sum::<f32>() + bias)
        })
        .collect()
    };
    let hidden: Vec<f32> = linear(&v[0], &v[1], &v[2]).iter().map(|h| h.max(0.0)).collect();
    linear(&hidden, &v[3], &v[4])
}

#[test]
fn a_network_means_the_same_after_every_pass() {
    let args = two_layers_args();
    let module = two_layers();
    let last = means_the_same(&module, &args, &two_layers_expected(&args));
    assert_eq!(
        functions(&last),
        ["add", "add1", "matmul", "matmul1", "relu", "transpose", "transpose1", "main"],
        "functions are named after their operators"
    );
    // The input is as it was.
    assert!(module.compare(&two_layers()).is_ok() && module.len() == 1);
}

#[test]
fn planned_tensors_share_one_storage_and_the_result_has_its_own_memory() {
    let last = pipeline().iter().fold(two_layers(), |module, pass| run(pass.as_ref(), &module));
    let calls = calls(&last);
    assert_eq!(calls[0], "memory.alloc_storage");
    assert_eq!(calls.iter().filter(|c| *c == "memory.alloc_storage").count(), 1);
    assert_eq!(calls.iter().filter(|c| *c == "memory.alloc_tensor").count(), 6);
    assert_eq!(calls.iter().filter(|c| *c == "builtin.alloc_tensor").count(), 1);
    let storage = &bindings(&last)[0];
    let bytes = storage.var.struct_info.dims().unwrap()[0].as_int().unwrap();
    // One after the other the tensors need 6 * 64 + some; two live at any time, none of more than 128 bytes.
    assert!(bytes <= 256, "{bytes}");
    // The storage holds all planned tensors.
    assert!(storage.origins.spans().len() >= 6);
}

#[test]
fn equal_functions_are_shared_with_the_origins_of_all_calls() {
    let mut b = Build::new();
    let mut x = b.param("x", tensor_info(&[4]));
    for _ in 0..3 {
        x = b.bind(nn::relu::call(&InferCx::default(), x));
    }
    let y = b.bind(unary::negative::call(&InferCx::default(), x));
    let module = run(&LegalizeOps::default(), &module_of(b.finish(&y)));
    assert_eq!(functions(&module), ["relu", "tir_negative", "main"]);
    let relu = module.prim("relu").unwrap();
    assert_eq!((relu.origins.spans().len(), relu.global_symbol()), (3, None));
    // Legalising again changes nothing.
    assert!(run(&LegalizeOps::default(), &module).compare(&module).is_ok());
}

#[test]
fn a_taken_name_is_not_replaced() {
    let mut b = Build::new();
    let x = b.param("x", tensor_info(&[4]));
    let y = b.bind(nn::relu::call(&InferCx::default(), x));
    let main = b.finish(&y);
    let mut module = module_of(main.clone());
    module.insert("relu", Function { attrs: Attrs::new(), ..main });
    let module = run(&LegalizeOps::default(), &module);
    assert!(module.relax("relu").is_some() && module.prim("relu1").is_some());
}

#[test]
fn symbolic_dimensions_pass_through_all_passes() {
    let n = Scalar::var(&ScalarVar::new("n", DataType::I64));
    let mut b = Build::new();
    let x = b.param("x", StructInfo::tensor(vec![n.clone(), Scalar::i64(3)], F32));
    let y = b.param("y", StructInfo::tensor(vec![Scalar::i64(3)], F32));
    let sum = b.bind(binary::add::call(&InferCx::default(), x, y));
    let relu = b.bind(nn::relu::call(&InferCx::default(), sum));
    let module = module_of(b.finish(&relu));
    let (x, y) = (numbers(&[2, 3], 1), numbers(&[3], 2));
    let (xs, ys) = (x.to_vec::<f32>().unwrap(), y.to_vec::<f32>().unwrap());
    let expected: Vec<f32> = xs.iter().enumerate().map(|(i, x)| (x + ys[i % 3]).max(0.0)).collect();
    let last = means_the_same(&module, &[x, y], &expected);
    assert!(!calls(&last).iter().any(|c| c.starts_with("memory.")), "symbolic sizes are not planned");
}

#[test]
fn dimensions_that_no_buffer_tells_are_passed_as_scalars() {
    let n = Scalar::var(&ScalarVar::new("n", DataType::I64));
    let mut b = Build::new();
    let x = b.param("x", StructInfo::tensor(vec![n.clone()], F32));
    let doubled = b.param("y", StructInfo::tensor(vec![&n * 2], F32));
    let _ = x;
    let relu = b.bind(nn::relu::call(&InferCx::default(), doubled));
    let module = module_of(b.finish(&relu));
    let legal = run(&LegalizeOps::default(), &module);
    let relu = legal.prim("relu").unwrap();
    assert_eq!(relu.params.iter().map(|p| p.buffer.is_some()).collect::<Vec<_>>(), [true, false, true]);
    let (x, y) = (numbers(&[2], 1), numbers(&[4], 2));
    let expected: Vec<f32> = y.to_vec::<f32>().unwrap().iter().map(|v| v.max(0.0)).collect();
    means_the_same(&module, &[x, y], &expected);
}

#[test]
fn nested_calls_are_taken_apart_and_shared_nodes_computed_once() {
    let mut b = Build::new();
    let x = b.param("x", tensor_info(&[4]));
    let mut sum = x;
    for _ in 0..40 {
        sum = binary::add::call(&b.cx, sum.clone(), sum).unwrap();
    }
    let halves = unary::abs::call(&b.cx, sum).unwrap();
    let module = module_of(b.finish(&halves));
    let normal = run(&Normalize, &module);
    assert_eq!(calls(&normal).len(), 41);
    let x = numbers(&[4], 3);
    let expected: Vec<f32> = x.to_vec::<f32>().unwrap().iter().map(|v| v.abs() * 2f32.powi(40)).collect();
    means_the_same(&module, &[x], &expected);
}

/// `if p: relu(x) else: x + x`, then `+ x`.
fn branching() -> IRModule {
    let cx = InferCx::default();
    let (p, x) = (Var::new("p", StructInfo::tensor_of(&[], DataType::BOOL)), Var::new("x", tensor_info(&[20])));
    let branch = |value: Expr| {
        let bound = Var::new("gv", value.struct_info.clone());
        let twice = unary::negative::call(&cx, Expr::var(&bound)).unwrap();
        let blocks =
            vec![BindingBlock { dataflow: false, bindings: vec![Binding::new(bound, value, Origins::default())] }];
        SeqExpr { blocks, result: unary::negative::call(&cx, twice).unwrap() }
    };
    let then = branch(nn::relu::call(&cx, Expr::var(&x)).unwrap());
    let otherwise = branch(binary::add::call(&cx, Expr::var(&x), Expr::var(&x)).unwrap());
    let chosen = Expr::conditional(Expr::var(&p), then, otherwise).unwrap();
    let gv = Var::new("gv", chosen.struct_info.clone());
    let blocks =
        vec![BindingBlock { dataflow: false, bindings: vec![Binding::new(gv.clone(), chosen, Origins::default())] }];
    let result = binary::add::call(&cx, Expr::var(&gv), Expr::var(&x)).unwrap();
    module_of(function(vec![p, x], SeqExpr { blocks, result }))
}

#[test]
fn branches_are_rewritten_and_planned_too() {
    let x = numbers(&[20], 4);
    let xs = x.to_vec::<f32>().unwrap();
    for taken in [true, false] {
        let expected: Vec<f32> = xs.iter().map(|v| if taken { v.max(0.0) + v } else { 3.0 * v }).collect();
        let last = means_the_same(&branching(), &[Tensor::scalar(taken), x.clone()], &expected);
        assert_eq!(calls(&last)[0], "memory.alloc_storage");
    }
}

#[test]
fn arguments_of_packed_functions_are_not_planned() {
    let mut b = Build::new();
    let x = b.param("x", tensor_info(&[8]));
    let relu = b.bind(nn::relu::call(&InferCx::default(), x));
    let doubled = b.bind(Expr::call_dps_packed("env.double", vec![relu], vec![tensor_info(&[8])]));
    let negative = b.bind(unary::negative::call(&InferCx::default(), doubled.clone()));
    let sum = b.bind(binary::add::call(&InferCx::default(), negative, doubled));
    let relu = b.bind(nn::relu::call(&InferCx::default(), sum));
    let module = module_of(b.finish(&relu));
    let last = means_the_same(&module, &[numbers(&[8], 5)], &[0.0; 8]);
    assert_eq!(
        calls(&last),
        [
            "memory.alloc_storage",
            "builtin.alloc_tensor",
            "call relu",
            "builtin.alloc_tensor",
            "call_packed env.double",
            "memory.alloc_tensor",
            "call tir_negative",
            "memory.alloc_tensor",
            "call add",
            "builtin.alloc_tensor",
            "call relu",
            "-",
        ]
    );
}

#[test]
fn tensors_in_a_returned_tuple_escape() {
    let mut b = Build::new();
    let x = b.param("x", tensor_info(&[8]));
    let relu = b.bind(nn::relu::call(&InferCx::default(), x.clone()));
    let negative = b.bind(unary::negative::call(&InferCx::default(), x));
    let pair = b.bind(Ok(Expr::tuple(vec![relu, negative])));
    let nested = b.bind(Ok(Expr::tuple(vec![pair.clone(), pair])));
    let field = b.bind(Expr::tuple_get(nested, 1));
    let module = module_of(b.finish(&field));
    let last = pipeline().iter().fold(module, |module, pass| run(pass.as_ref(), &module));
    assert!(!calls(&last).iter().any(|c| c.starts_with("memory.")), "{:?}", calls(&last));
}

#[test]
fn arguments_of_module_functions_escape() {
    let mut b = Build::new();
    let y = b.param("y", tensor_info(&[8]));
    let mut module = module_of(b.finish(&y));
    let callee = module.insert("callee", Function { attrs: Attrs::new(), ..(**module.relax("main").unwrap()).clone() });
    let mut b = Build::new();
    let x = b.param("x", tensor_info(&[8]));
    let relu = b.bind(nn::relu::call(&InferCx::default(), x));
    let same = b.bind(Expr::call_value(&InferCx::default(), Expr::global(&callee), vec![relu]));
    module.insert("main", b.finish(&same));
    let x = numbers(&[8], 6);
    let expected: Vec<f32> = x.to_vec::<f32>().unwrap().iter().map(|v| v.max(0.0)).collect();
    let last = means_the_same(&module, &[x], &expected);
    assert!(!calls(&last).iter().any(|c| c.starts_with("memory.")), "{:?}", calls(&last));
}

#[test]
fn several_results_are_allocated_one_by_one() {
    let mut b = Build::new();
    let x = b.param("x", tensor_info(&[8]));
    let several = b.bind(Expr::call_dps_packed("env.split", vec![x], vec![tensor_info(&[4]), tensor_info(&[4])]));
    let first = b.bind(Expr::tuple_get(several, 0));
    let module = run(&CallTIRRewrite, &module_of(b.finish(&first)));
    assert_eq!(
        calls(&module),
        ["builtin.alloc_tensor", "builtin.alloc_tensor", "call_packed env.split", "-", "-", "-"]
    );
    assert!(module.relax("main").unwrap().body.blocks.iter().all(|block| !block.dataflow));
}

#[test]
fn dead_bindings_go_and_effects_stay() {
    let mut b = Build::new();
    let x = b.param("x", tensor_info(&[4]));
    b.bind(nn::relu::call(&InferCx::default(), x.clone()));
    b.bind(Ok(Expr::call_packed("env.log", vec![x.clone()], Vec::new())));
    b.bind(create::alloc_tensor::call(&InferCx::default(), Expr::shape(vec![Scalar::i64(1)]), F32, 0));
    let negative = b.bind(unary::negative::call(&InferCx::default(), x));
    let mut main = b.finish(&negative);
    main.pure = false;
    let module = run(&DeadCodeElimination::default(), &run_unchecked(&ToNonDataflow, &module_of(main)));
    assert_eq!(calls(&module), ["call_packed env.log", "alloc_tensor", "negative", "-"]);
}

#[test]
fn private_functions_that_nothing_reaches_go() {
    let legal = run(&LegalizeOps::default(), &two_layers());
    let mut module = legal.clone();
    module.insert("unused", (**legal.prim("relu").unwrap()).clone());
    module.insert("visible", {
        let mut function = (**legal.prim("relu").unwrap()).clone();
        function.attrs.insert("global_symbol".into(), Attr::str("visible"));
        function
    });
    let names = functions(&run(&DeadCodeElimination::default(), &module));
    assert!(!names.contains(&"unused".to_owned()) && names.contains(&"visible".to_owned()));
    assert_eq!(names.len(), legal.len() + 1);
    // Without a visible function, nothing says what is needed.
    let mut private = IRModule::new();
    private.insert("relu", (**legal.prim("relu").unwrap()).clone());
    assert_eq!(run(&DeadCodeElimination::default(), &private).len(), 1);
}

#[test]
fn an_unknown_shape_cannot_become_loops_and_says_why() {
    let mut b = Build::new();
    let unknown = StructInfo::tensor_with(tilewright_ir::relax::TensorShape::Unknown, Some(F32));
    let x = b.param("x", unknown);
    let y = b.bind(nn::relu::call(&InferCx::default(), x));
    let text = message(&LegalizeOps::default(), &module_of(b.finish(&y)));
    assert!(text.contains("`nn.relu` cannot become loops") && text.contains("R.match_cast"), "{text}");
    assert!(text.contains("graph.py:1:1"), "{text}");
}

#[test]
fn the_list_has_every_pass_once() {
    let mut names: Vec<_> = all_passes().iter().map(|p| p.info().name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all_passes().len());
}

#[test]
fn planned_tensors_lie_inside_their_storage() {
    let last = pipeline().iter().fold(two_layers(), |module, pass| run(pass.as_ref(), &module));
    for (_, function) in last.iter() {
        let GlobalFunc::Relax(function) = function else { continue };
        for binding in function.body.blocks.iter().flat_map(|b| &b.bindings) {
            if let BindingValue::Expr(value) = &binding.value
                && let ExprKind::Call { callee: Callee::Op(op), attrs, .. } = &value.kind
                && matches!(op.legalize, Legalize::Machine(MachineOp::TensorInStorage))
            {
                assert_eq!(attrs["offset"].as_int().unwrap() % 64, 0);
            }
        }
    }
}
