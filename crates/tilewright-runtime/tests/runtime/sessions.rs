//! Sessions: names of inputs and outputs, and all that may be wrong with inputs.

use std::sync::Arc;

use tilewright_runtime::session::{ModelInfo, Session};
use tilewright_runtime::{Executable, VirtualMachine};
use tilewright_tensor::{DataType, Tensor};
use tilewright_vm_program::{DimPattern, FunctionBuilder, Kind, Package, ProgramBuilder, TargetInfo};

/// `main(x: f32[n, 2], y: i64[n]) = (y, x)`.
fn swap(info: Option<ModelInfo>) -> Session {
    let mut program = ProgramBuilder::default();
    let mut main = FunctionBuilder::new("main");
    let n = DimPattern::Slot(main.slot("n"));
    let kinds = [Kind::tensor(DataType::F32, &[n, DimPattern::Const(2)]), Kind::tensor(DataType::I64, &[n])];
    let [x, y] = ["x", "y"].map(|name| main.param(name, kinds[usize::from(name == "y")].clone()));
    let both = main.make_tuple(&[y, x]);
    main.result(Kind::Tuple(vec![kinds[1].clone(), kinds[0].clone()]));
    main.ret(both);
    program.function(main);
    let mut package = Package::new(TargetInfo::portable(), program.finish().unwrap());
    package.metadata.extend(info.iter().flat_map(ModelInfo::entries));
    Session::new(Arc::new(Executable::load(package.encode().unwrap()).unwrap())).unwrap()
}

fn floats(shape: &[i64]) -> Tensor {
    Tensor::from_vec(shape, (0..shape.iter().product::<i64>()).map(|at| at as f32).collect()).unwrap()
}

fn ints(size: i64) -> Tensor {
    Tensor::from_vec(&[size], (0..size).collect::<Vec<i64>>()).unwrap()
}

fn specs(session: &Session) -> String {
    let all = session.inputs().iter().chain(session.outputs());
    all.map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

#[test]
fn names_are_those_of_the_executable_where_it_says_one_for_each() {
    let names = |inputs: &[&str], outputs: &[&str]| {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let metadata = vec![("classes".to_owned(), "a\n b".to_owned()), (String::new(), "c".to_owned())];
        Some(ModelInfo { inputs: owned(inputs), outputs: owned(outputs), metadata })
    };
    let own = "x: float32[n, 2]; y: int64[n]; output0: int64[n]; output1: float32[n, 2]";
    for (names, expected) in [
        (None, own),
        (names(&[], &[]), own),
        (names(&["a"], &["b", "b"]), own),
        (names(&["a\nb", "c"], &[]), own),
        (
            names(&["in/0", "in 1"], &[]),
            "in/0: float32[n, 2]; in 1: int64[n]; output0: int64[n]; output1: float32[n, 2]",
        ),
        (names(&[], &["p", "q"]), "x: float32[n, 2]; y: int64[n]; p: int64[n]; q: float32[n, 2]"),
    ] {
        let texts: &[(&str, &str)] = if names.is_some() { &[("", "c"), ("classes", "a\n b")] } else { &[] };
        let session = swap(names);
        assert_eq!(specs(&session), expected);
        assert_eq!(session.metadata().collect::<Vec<_>>(), texts);
    }
}

#[test]
fn inputs_by_name_come_in_any_order() {
    let session = swap(None);
    let (x, y) = (floats(&[3, 2]), ints(3));
    let found = session.run(&[("y", y.clone()), ("x", x.clone())]).unwrap();
    assert_eq!(found.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["output0", "output1"]);
    assert!(found[0].1.same(&y) && found[1].1.same(&x));
    // A tensor whose elements do not lie in order is copied.
    let transposed = floats(&[2, 3]).view(&[3, 2], &[1, 3], 0).unwrap();
    let found = session.call(&[transposed, ints(3)]).unwrap();
    assert_eq!(found[1].as_slice::<f32>().unwrap(), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    let session = swap(None);
    let inputs = ". The inputs are x: float32[n, 2], y: int64[n]";
    let by_name = |feeds: &[(&str, Tensor)]| session.run(feeds).unwrap_err().to_string();
    let (x, y) = (floats(&[3, 2]), ints(3));
    assert_eq!(by_name(&[]), format!("`x` is missing: x: float32[n, 2]; `y` is missing: y: int64[n]{inputs}"));
    assert_eq!(
        by_name(&[("x", x.clone()), ("x", x.clone()), ("z", y.clone())]),
        format!("`x` is given twice; `z` is no input; `y` is missing: y: int64[n]{inputs}")
    );
    let in_order = |args: &[Tensor]| session.call(args).unwrap_err().to_string();
    assert_eq!(in_order(std::slice::from_ref(&x)), format!("the model has 2 inputs, 1 are given{inputs}"));
    assert_eq!(
        in_order(&[y.clone(), x.clone()]),
        format!(
            "`x` has the data type int64, float32 is expected; `x` has 1 dimensions, 2 are expected: x: float32[n, 2]; \
             `y` has the data type float32, int64 is expected; `y` has 2 dimensions, 1 are expected: y: int64[n]{inputs}"
        )
    );
    assert_eq!(
        in_order(&[floats(&[3, 4]), ints(5)]),
        format!(
            "dimension 1 of `x` is 4, 2 is expected: x: float32[n, 2]; dimension 0 of `y` is 5, `n` is 3 by dimension 0 \
             of `x`{inputs}"
        )
    );
}

#[test]
fn a_main_that_is_no_function_of_tensors_is_refused() {
    let session = |main: FunctionBuilder| {
        let mut program = ProgramBuilder::default();
        program.function(main);
        let bytes = Package::new(TargetInfo::portable(), program.finish().unwrap()).encode().unwrap();
        let executable = Arc::new(Executable::load(bytes).unwrap());
        assert!(VirtualMachine::new(executable.clone(), &[]).is_ok());
        Session::new(executable).unwrap_err().to_string()
    };
    let mut main = FunctionBuilder::new("main");
    main.param("x", Kind::Object);
    main.ret_none();
    assert_eq!(session(main), "main: \"x\" is no tensor of known type and rank: Object");
    let mut other = FunctionBuilder::new("other");
    other.ret_none();
    assert_eq!(session(other), "the executable has no function \"main\", only other");
}
