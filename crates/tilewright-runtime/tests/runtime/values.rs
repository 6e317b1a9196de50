//! Values in registers: functions, numbers, objects, and what killing one of two registers leaves.

use std::sync::Arc;

use tilewright_runtime::{Device, DeviceKind, ErrorKind, Executable, Value, VirtualMachine, registry};
use tilewright_tensor::{DataType, Tensor};
use tilewright_vm_program::*;

use crate::code::{floats, portable};

fn call(machine: &VirtualMachine, args: &[Value]) -> Result<Value, String> {
    machine.function("main").unwrap().call(args).map_err(|error| error.to_string())
}

#[test]
fn killing_one_register_leaves_the_other() {
    let mut main = FunctionBuilder::new("main");
    let x = main.param("x", Kind::Object);
    let alias = main.register();
    main.move_to(alias, x);
    main.kill(x);
    let tuple = main.make_tuple(&[alias, alias]);
    main.kill(alias);
    let back = main.get_item(tuple, 1);
    main.kill(tuple);
    main.ret(back);
    let x = floats(&[1.0, -2.0]);
    assert!(call(&portable(main), &[Value::from(&x)]).unwrap().as_tensor().unwrap().same(&x));
}

#[test]
fn objects_of_the_process_pass_through() {
    let mut main = FunctionBuilder::new("main");
    let x = main.param("x", Kind::Object);
    let none = main.load_literal(Literal::None);
    let tuple = main.make_tuple(&[x, none]);
    main.ret(tuple);
    let object: Arc<dyn std::any::Any + Send + Sync> = Arc::new(String::from("kept"));
    let result = call(&portable(main), &[Value::Object(Arc::clone(&object))]).unwrap();
    let Value::Object(back) = &result.as_tuple().unwrap()[0] else { panic!() };
    assert_eq!(back.downcast_ref::<String>().unwrap(), "kept");
    drop(result);
    assert_eq!(Arc::strong_count(&object), 1, "an idle frame holds nothing");
}

#[test]
fn calling_a_value_that_is_no_function_is_an_error() {
    let mut main = FunctionBuilder::new("main");
    let f = main.param("f", Kind::Object);
    let result = main.call_closure(f, &[]);
    main.ret(result);
    let machine = portable(main);
    assert_eq!(call(&machine, &[Value::Int(3)]).unwrap_err(), "main: an int is called, expected a function");
    let function = Value::Function(Arc::new(|args| Ok(Value::Int(args.len() as i64))));
    assert_eq!(call(&machine, &[function]).unwrap().as_int().unwrap(), 0);
    let failing = Value::Function(Arc::new(|_| Err(ErrorKind::AlreadyRegistered { name: "x".into() }.into())));
    let error = call(&machine, &[failing]).unwrap_err();
    assert!(error.starts_with("packed function \"a function value\" failed"), "{error}");
}

#[test]
fn a_parameter_of_function_type_takes_functions_only() {
    let mut main = FunctionBuilder::new("main");
    let f = main.param("f", Kind::Function);
    main.ret(f);
    let machine = portable(main);
    assert_eq!(call(&machine, &[Value::None]).unwrap_err(), "main: argument 0 (\"f\"): expected Function, found None");
    let itself = Value::from(machine.function("main").unwrap());
    assert!(matches!(call(&machine, &[itself]).unwrap(), Value::Closure(_)));
}

#[test]
fn recursion_through_the_process_ends_too() {
    let mut main = FunctionBuilder::new("main");
    let f = main.param("f", Kind::Object);
    let result = main.call_closure(f, &[f]);
    main.ret(result);
    let machine = portable(main);
    let inner = machine.function("main").unwrap();
    let again = Value::Function(Arc::new(move |args| inner.call(&[args[0].clone()])));
    let error = call(&machine, &[again]).unwrap_err();
    assert!(error.contains("more than 10000 calls within one another"), "{error}");
    let once = Value::Function(Arc::new(|_| Ok(Value::Int(1))));
    assert_eq!(call(&machine, &[once]).unwrap().as_int().unwrap(), 1, "the next call begins anew");
}

#[test]
fn scalars_give_slots_their_numbers() {
    let mut main = FunctionBuilder::new("main");
    let (n, r) = (main.slot("n"), main.slot("r"));
    main.param("n", Kind::Prim { dtype: DataType::I32, value: DimPattern::Slot(n) });
    main.param("r", Kind::Prim { dtype: DataType::F32, value: DimPattern::Slot(r) });
    main.param("again", Kind::Prim { dtype: DataType::I32, value: DimPattern::Slot(n) });
    main.param("seven", Kind::Prim { dtype: DataType::U8, value: DimPattern::Const(7) });
    let twice = main.compute("twice", ScalarOp::Add, DataType::I32, &[Dim::Slot(n), Dim::Slot(n)]);
    let half = main.compute("half", ScalarOp::Mul, DataType::F32, &[Dim::Slot(r), Dim::Const(0.5f64.to_bits() as i64)]);
    let (twice, half) = (main.make_scalar(DataType::I32, twice), main.make_scalar(DataType::F32, half));
    let pair = main.make_tuple(&[twice, half]);
    main.ret(pair);
    let machine = portable(main);
    let args = |n, r, again, seven| [Value::Int(n), Value::Float(r), Value::Int(again), Value::Int(seven)];
    let result = call(&machine, &args(21, 0.1, 21, 7)).unwrap();
    let [Value::Int(42), Value::Float(half)] = result.as_tuple().unwrap() else { panic!("{result:?}") };
    assert_eq!(*half, f64::from(0.1f32 * 0.5f32));
    for (args, expected) in [
        (args(1, 0.0, 2, 7), "main: argument 2 (\"again\"): the value is 2, but n is 1 by argument 0 (\"n\")"),
        (args(1, 0.0, 1, 8), "main: argument 3 (\"seven\"): the value is 8, expected 7"),
        (args(1 << 40, 0.0, 1, 7), "main: argument 0 (\"n\"): 1099511627776 does not fit int32"),
        (
            args(1 << 30, 0.0, 1 << 30, 7),
            "main: the size twice, computed from 1073741824 and 1073741824, overflows int32",
        ),
    ] {
        assert_eq!(call(&machine, &args).unwrap_err(), expected);
    }
}

#[test]
fn none_is_the_tuple_without_fields() {
    let mut main = FunctionBuilder::new("main");
    let x = main.param("x", Kind::Tuple(vec![Kind::Tuple(vec![]), Kind::Object]));
    main.ret(x);
    let machine = portable(main);
    call(&machine, &[Value::tuple([Value::None, Value::None])]).unwrap();
    call(&machine, &[Value::tuple([Value::tuple([]), Value::None])]).unwrap();
    let error = call(&machine, &[Value::tuple([Value::Int(0), Value::None])]).unwrap_err();
    assert_eq!(error, "main: argument 0 (\"x\"[0]): expected Tuple(), found an int");
}

#[test]
fn a_closure_that_captured_an_arena_tensor_keeps_it_as_it_is() {
    registry::register_override("values.tests.call", |args| args[0].call(&args[1..]));
    let mut program = ProgramBuilder::default();
    let keep = program.packed("values.tests.keep");
    let mut inner = FunctionBuilder::new("inner");
    let tensor = inner.param("tensor", Kind::Object);
    inner.ret(tensor);
    let inner = program.function(inner);
    let mut main = FunctionBuilder::new("main");
    main.arena_bytes(64);
    let tensor = main.alloc(DataType::F32, &[Dim::Const(2)], Storage::Arena { offset: 0, bytes: 64 });
    let closure = main.make_closure(inner, &[tensor]);
    let kept = main.call_packed(keep, &[closure]);
    main.ret(kept);
    program.function(main);
    let bytes = Package::new(TargetInfo::portable(), program.finish().unwrap()).encode().unwrap();
    let machine = VirtualMachine::new(Arc::new(Executable::load(bytes).unwrap()), &[]).unwrap();
    registry::register_override("values.tests.keep", |args| Ok(args[0].clone()));
    let addresses: Vec<_> = (0..3)
        .map(|_| {
            let closure = call(&machine, &[]).unwrap();
            let tensor = closure.call(&[]).unwrap();
            (tensor.as_tensor().unwrap().data_ptr() as usize, closure)
        })
        .collect();
    let mut distinct: Vec<_> = addresses.iter().map(|(address, _)| *address).collect();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 3, "each closure has a tensor of its own");
}

#[test]
fn a_program_gets_a_device_of_the_kind_for_each_that_it_names() {
    let executable = |kinds: &[DeviceKind]| {
        let mut program = ProgramBuilder::default();
        let last = kinds.iter().map(|&kind| program.device(kind)).last().unwrap_or(DeviceIndex::FIRST);
        let mut main = FunctionBuilder::new("main");
        let x = main.param("x", Kind::Tensor { dtype: None, dims: None, device: last });
        main.ret(x);
        program.function(main);
        let bytes = Package::new(TargetInfo::portable(), program.finish().unwrap()).encode().unwrap();
        Arc::new(Executable::load(bytes).unwrap())
    };
    let two = VirtualMachine::new(executable(&[DeviceKind::Cpu]), &[Device::cpu()]).unwrap();
    assert_eq!(two.devices(), [Device::cpu(); 2]);
    let x = Value::from(Tensor::scalar(1.0f32));
    call(&two, &[x]).unwrap();
    let error = VirtualMachine::new(executable(&[DeviceKind::Cuda]), &[Device::cpu()]).unwrap_err();
    assert_eq!(error.to_string(), "the program's device 1 is of kind cuda, and no device is given for it");
    let error = VirtualMachine::new(executable(&[DeviceKind::Cuda]), &[Device::cpu(); 2]).unwrap_err();
    assert_eq!(error.to_string(), "the program's device 1 is of kind cuda, but cpu(0) is given for it");
    assert_eq!(error.code(), "TW0757");
}
