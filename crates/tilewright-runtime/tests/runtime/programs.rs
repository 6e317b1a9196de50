//! The machine's instructions and its checks of arguments.

use std::sync::Arc;

use tilewright_runtime::{Value, VirtualMachine};
use tilewright_tensor::{DataType, Tensor};
use tilewright_vm_program::*;

use crate::code::{Code, builder, floats, machine, portable, row};

fn call(machine: &VirtualMachine, args: &[Value]) -> Value {
    machine.function("main").unwrap().call(args).unwrap()
}

fn error(machine: &VirtualMachine, args: &[Value]) -> String {
    machine.function("main").unwrap().call(args).unwrap_err().to_string()
}

/// `main(x, y) = (x + y) + x`, rows of any length, the inner sum in the arena.
fn sums() -> VirtualMachine {
    let mut program = builder();
    let mut main = FunctionBuilder::new("main");
    let n = main.slot("n");
    let (x, y) = (main.param("x", row(n)), main.param("y", row(n)));
    main.arena_bytes(4096);
    let inner = main.alloc(DataType::F32, &[Dim::Slot(n)], Storage::Arena { offset: 0, bytes: 4096 });
    let outer = main.alloc(DataType::F32, &[Dim::Slot(n)], Storage::Fresh);
    let size = [Scalar::Dim(Dim::Slot(n))];
    main.call_kernel(Code::Add as u32, &[x, y, inner], &size);
    main.call_kernel(Code::Add as u32, &[inner, x, outer], &size);
    main.ret(outer);
    program.function(main);
    machine(program)
}

#[test]
fn an_argument_comes_back() {
    let mut main = FunctionBuilder::new("main");
    let x = main.param("x", Kind::Object);
    main.ret(x);
    let machine = portable(main);
    let x = floats(&[1.0, 2.0]);
    assert!(call(&machine, &[Value::from(&x)]).as_tensor().unwrap().same(&x));
}

#[test]
fn unknown_functions_get_a_suggestion() {
    let mut main = FunctionBuilder::new("main");
    main.ret_none();
    let machine = portable(main);
    let error = machine.function("maim").unwrap_err();
    assert_eq!(error.to_string(), "the executable has no function \"maim\"; did you mean \"main\"?");
}

#[test]
fn arguments_that_do_not_fit_are_described() {
    let mut main = FunctionBuilder::new("main");
    let n = main.slot("n");
    let x = main.param("x", Kind::tensor(DataType::F32, &[DimPattern::Slot(n), DimPattern::Const(3)]));
    main.param("y", Kind::Tuple(vec![row(n), Kind::prim(DataType::I8)]));
    main.ret(x);
    let machine = portable(main);
    let tensor = |shape: &[i64]| Value::from(Tensor::zeros(DataType::F32, shape).unwrap());
    let pair = |n, k: i64| Value::tuple([tensor(&[n]), Value::Int(k)]);
    call(&machine, &[tensor(&[2, 3]), pair(2, -128)]);

    let matrix = Tensor::from_vec(&[3, 2], vec![0.0f32; 6]).unwrap();
    let transposed = matrix.view(&[2, 3], &[1, 2], 0).unwrap();
    let reversed = matrix.view(&[2, 3], &[-3, -1], 20).unwrap();
    let layout = Arc::new(tilewright_tensor::Layout::compact(DataType::F32, &[2, 3]).unwrap());
    let bytes = Tensor::zeros(DataType::U8, &[100]).unwrap();
    let misaligned = bytes.view_as(layout, 1).unwrap();
    let cases: [(&str, Vec<Value>); 11] = [
        ("main takes 2 arguments (x, y), 1 given", vec![tensor(&[2, 3])]),
        ("main: argument 0 (\"x\"): expected Tensor((n, 3), float32), found an int", vec![Value::Int(3), pair(2, 0)]),
        (
            "main: argument 0 (\"x\"): the elements are float64, expected float32",
            vec![Tensor::zeros(DataType::F64, &[2, 3]).unwrap().into(), pair(2, 0)],
        ),
        ("main: argument 0 (\"x\"): the shape [2] has 1 dimensions, expected 2", vec![tensor(&[2]), pair(2, 0)]),
        (
            "main: argument 0 (\"x\"): dimension 1 is 4, expected 3 (the shape is [2, 4])",
            vec![tensor(&[2, 4]), pair(2, 0)],
        ),
        (
            "main: argument 1 (\"y\"[0]): dimension 0 is 5, but n is 2 by argument 0 (\"x\")",
            vec![tensor(&[2, 3]), pair(5, 0)],
        ),
        ("main: argument 1 (\"y\"[1]): 128 does not fit int8", vec![tensor(&[2, 3]), pair(2, 128)]),
        (
            "main: argument 1 (\"y\"): the tuple has 1 fields, expected 2",
            vec![tensor(&[2, 3]), Value::tuple([Value::None])],
        ),
        ("numpy.ascontiguousarray", vec![transposed.into(), pair(2, 0)]),
        ("strides [-3, -1]", vec![reversed.into(), pair(2, 0)]),
        ("are not aligned for float32", vec![misaligned.into(), pair(2, 0)]),
    ];
    for (expected, args) in cases {
        let found = error(&machine, &args);
        assert!(found.contains(expected), "expected \"{expected}\", found \"{found}\"");
    }
}

#[test]
fn slots_sizes_tuples_and_branches() {
    let mut main = FunctionBuilder::new("main");
    let n = main.slot("n");
    main.param("x", row(n));
    let flag = main.param("flag", Kind::Object);
    let half = main.compute_dim("half", ScalarOp::FloorDiv, Dim::Slot(n), Dim::Const(2));
    let rest = main.compute_dim("rest", ScalarOp::FloorMod, Dim::Const(-7), Dim::Slot(n));
    let least = main.compute_dim("least", ScalarOp::Min, half, rest);
    let result = main.register();
    let otherwise = main.branch(flag);
    let shape = main.make_shape(&[Dim::Slot(n), half, rest, least]);
    main.move_to(result, shape);
    let end = main.goto();
    main.land(otherwise);
    let text = main.load_literal(Literal::Str("no".into()));
    let pair = main.make_tuple(&[text, flag]);
    let item = main.get_item(pair, 0);
    main.move_to(result, item);
    main.land(end);
    main.ret(result);
    let machine = portable(main);
    let x = Value::from(floats(&[0.0; 5]));
    let condition = |value: bool| Value::from(Tensor::scalar(value));
    let shape = call(&machine, &[x.clone(), condition(true)]);
    assert!(matches!(&shape, Value::Shape(dims) if **dims == [5, 2, 3, 2]), "{shape:?}");
    assert!(matches!(call(&machine, &[x.clone(), Value::Bool(false)]), Value::Str(text) if &*text == "no"));
    assert_eq!(error(&machine, &[x, Value::Float(1.0)]), "main: a condition is a float, expected a bool");
    let empty = Value::from(floats(&[]));
    let message = error(&machine, &[empty, Value::Bool(true)]);
    assert_eq!(message, "main: the size rest, computed from -7 and 0, divides by zero");
}

#[test]
fn results_do_not_share_memory_between_runs() {
    let machine = sums();
    let (x, y) = (floats(&[1.0, -2.0, 3.0]), floats(&[10.0, 20.0, 30.0]));
    let first = call(&machine, &[Value::from(&x), Value::from(&y)]);
    let second = call(&machine, &[Value::from(&y), Value::from(&x)]);
    assert_eq!(first.as_tensor().unwrap().as_slice::<f32>().unwrap(), [12.0, 16.0, 36.0]);
    assert_eq!(second.as_tensor().unwrap().as_slice::<f32>().unwrap(), [21.0, 38.0, 63.0]);
}

#[test]
fn empty_tensors_run() {
    let empty = floats(&[]);
    let result = call(&sums(), &[Value::from(&empty), Value::from(&empty)]);
    assert_eq!(result.as_tensor().unwrap().shape(), [0]);
}

#[test]
fn a_size_beyond_its_plan_is_an_error() {
    let large = floats(&[0.0; 1025]);
    let message = error(&sums(), &[Value::from(&large), Value::from(&large)]);
    assert_eq!(message, "main: a tensor of shape [1025] takes 4100 bytes, but 4096 are planned");
}

#[test]
fn an_input_may_be_passed_twice() {
    let x = floats(&[1.0, 2.0]);
    let result = call(&sums(), &[Value::from(&x), Value::from(&x)]);
    assert_eq!(result.as_tensor().unwrap().as_slice::<f32>().unwrap(), [3.0, 6.0]);
}

#[test]
fn many_threads_share_a_machine() {
    let machine = sums();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let main = machine.function("main").unwrap();
            scope.spawn(move || {
                for round in 0..500 {
                    let value = (thread * 1000 + round) as f32;
                    let x = floats(&[value; 100]);
                    let result = main.call(&[Value::from(&x), Value::from(&x)]).unwrap();
                    let result = result.as_tensor().unwrap().as_slice::<f32>().unwrap();
                    assert!(result.iter().all(|&sum| sum == 3.0 * value));
                }
            });
        }
    });
}

#[test]
fn functions_call_themselves() {
    let mut program = ProgramBuilder::default();
    let count = program.declare("count");
    let next = program.packed("runtime.tests.minus_one");
    tilewright_runtime::registry::register_override("runtime.tests.minus_one", |args| {
        Ok(Value::Int(args[0].as_int()? - 1))
    });
    let mut body = FunctionBuilder::new("count");
    let n = body.param("n", Kind::prim(DataType::I64));
    let end = body.branch(n);
    let less = body.call_packed(next, &[n]);
    let result = body.call_function(count, &[less]);
    body.ret(result);
    body.land(end);
    body.ret(n);
    program.define(count, body);
    let bytes = Package::new(TargetInfo::portable(), program.finish().unwrap()).encode().unwrap();
    let executable = tilewright_runtime::Executable::load(bytes).unwrap();
    let count = VirtualMachine::new(Arc::new(executable), &[]).unwrap().function("count").unwrap();
    assert_eq!(count.call(&[Value::Int(5000)]).unwrap().as_int().unwrap(), 0);
    let error = count.call(&[Value::Int(-1)]).unwrap_err();
    assert_eq!(error.to_string(), "count: more than 10000 calls within one another");
}

#[test]
fn constants_are_read_only_and_shared() {
    let mut program = builder();
    let weights = floats(&[1.0, 2.0, 3.0]);
    let first = program.constant(&weights).unwrap();
    assert_eq!(program.constant(&weights.copied().unwrap()).unwrap(), first, "equal constants are one");
    let mut main = FunctionBuilder::new("main");
    let constant = main.load_const(first);
    main.call_kernel(Code::Zero as u32, &[constant], &[Scalar::Dim(Dim::Const(12))]);
    main.ret(constant);
    program.function(main);
    let mut read = FunctionBuilder::new("read");
    let constant = read.load_const(first);
    read.ret(constant);
    program.function(read);
    let machine = machine(program);
    let message = error(&machine, &[]);
    assert_eq!(message, "main: tensor 0 of the call is read-only, but kernel \"zero\" writes it");
    let read = machine.function("read").unwrap().call(&[]).unwrap();
    assert_eq!(read.as_tensor().unwrap(), &weights);
}
