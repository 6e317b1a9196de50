//! Binding of parameters.

use tilewright_expr::{Expr as Scalar, Var as ScalarVar};
use tilewright_ir::op::InferCx;
use tilewright_ir::relax::StructInfo;
use tilewright_ops::binary;
use tilewright_relax_passes::{BindParams, LegalizeOps, ParamKey, UpdateParamStructInfo};
use tilewright_tensor::{DataType, Tensor};

use crate::graph::{Build, F32, interpret, means_the_same, message, module_of, numbers, run, tensor_info};
use crate::{two_layers, two_layers_args, two_layers_expected};

#[test]
fn bound_parameters_become_constants() {
    let args = two_layers_args();
    let values = vec![
        (ParamKey::from("w0"), args[1].clone()),
        (ParamKey::from("b0"), args[2].clone()),
        (ParamKey::from(3), args[3].clone()),
        (ParamKey::from(4), args[4].clone()),
    ];
    let module = run(&BindParams::new("main", values), &two_layers());
    let main = module.relax("main").unwrap();
    assert_eq!(main.params.iter().map(|p| &*p.name).collect::<Vec<_>>(), ["x"]);
    means_the_same(&module, &args[..1], &two_layers_expected(&args));
}

#[test]
fn a_bound_value_decides_symbolic_dimensions() {
    let n = Scalar::var(&ScalarVar::new("n", DataType::I64));
    let mut b = Build::new();
    let x = b.param("x", StructInfo::tensor(vec![n.clone(), Scalar::i64(2)], F32));
    let w = b.param("w", StructInfo::tensor(vec![n, Scalar::i64(2)], F32));
    let sum = b.bind(binary::add::call(&InferCx::default(), x, w));
    let module = module_of(b.finish(&sum));
    let bound = run(&BindParams::new("main", [("w".into(), numbers(&[3, 2], 1))]), &module);
    let main = bound.relax("main").unwrap();
    assert!(main.params[0].struct_info.equal(&tensor_info(&[3, 2])) && main.ret.equal(&tensor_info(&[3, 2])));
    let wrong = BindParams::new("main", [("w".into(), numbers(&[3, 2], 1)), ("x".into(), numbers(&[4, 2], 1))]);
    let text = message(&wrong, &module);
    assert!(text.contains("expects shape (n, 2) (with n = 3), found a value of shape (4, 2)"), "{text}");
}

#[test]
fn wrong_bindings_are_all_reported() {
    let module = two_layers();
    let text = message(
        &BindParams::new(
            "main",
            [
                ("w00".into(), numbers(&[5, 4], 0)),
                ("b0".into(), numbers(&[4], 0)),
                ("w1".into(), Tensor::zeros(DataType::F64, &[2, 5]).unwrap()),
                (9.into(), numbers(&[1], 0)),
                ("b1".into(), numbers(&[2, 1], 0)),
            ],
        ),
        &module,
    );
    for part in [
        "`main` has no parameter `w00`",
        "did you mean `w0`?",
        "parameter `b0` of `main` expects shape (5,), found a value of shape (4,)",
        "parameter `w1` of `main` expects data type float32, found a value of float64",
        "`main` has no parameter number 9",
        "it has 5 parameters, counted from 0",
        "parameter `b1` of `main` expects shape (2,), found a value of shape (2, 1)",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(message(&BindParams::new("maim", []), &module).contains("did you mean `main`?"));
    let twice = [("b1".into(), numbers(&[2], 0)), (4.into(), numbers(&[2], 0))];
    assert!(message(&BindParams::new("main", twice), &module).contains("bound twice"));
    let legal = run(&LegalizeOps::default(), &module);
    assert!(message(&BindParams::new("relu", []), &legal).contains("is a PrimFunc"));
}

#[test]
fn changed_parameter_types_propagate_to_results() {
    let info = |param: &tilewright_ir::relax::Var| Ok((&*param.name == "x").then(|| tensor_info(&[7, 4])));
    let pass = UpdateParamStructInfo { sinfo_func: std::sync::Arc::new(info) };
    let module = run(&pass, &two_layers());
    let main = module.relax("main").unwrap();
    assert!(main.ret.equal(&tensor_info(&[7, 2])), "{:?}", main.ret);
    let mut args = two_layers_args();
    args[0] = numbers(&[7, 4], 9);
    let found = interpret(&module, &args).to_vec::<f32>().unwrap();
    let expected = two_layers_expected(&args);
    assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-5), "{found:?} {expected:?}");
    // A parameter that keeps its type keeps its variable.
    let same = UpdateParamStructInfo { sinfo_func: std::sync::Arc::new(|_| Ok(None)) };
    assert!(run(&same, &two_layers()).compare(&two_layers()).is_ok());
    let wrong = UpdateParamStructInfo {
        sinfo_func: std::sync::Arc::new(|param| Ok((&*param.name == "x").then(|| tensor_info(&[7, 5])))),
    };
    let text = message(&wrong, &two_layers());
    assert!(text.contains("the parameters of `main` cannot be changed: `matmul` of shapes"), "{text}");
}
