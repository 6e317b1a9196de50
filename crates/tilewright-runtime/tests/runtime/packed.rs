//! Functions of the process: their errors, and what they keep.

use std::error::Error as _;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use tilewright_runtime::{Error, ErrorKind, Value, registry};
use tilewright_tensor::{DataType, Tensor};
use tilewright_vm_program::*;

use crate::code::{Code, builder, floats, machine, row};

#[derive(Debug, PartialEq)]
struct Exception(u32);

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exception number {}", self.0)
    }
}

impl std::error::Error for Exception {}

/// `main(x) = name(x + x)`, the sum in the arena.
fn handing_on(name: &str) -> tilewright_runtime::Function {
    let mut program = builder();
    let packed = program.packed(name);
    let mut main = FunctionBuilder::new("main");
    let n = main.slot("n");
    let x = main.param("x", row(n));
    main.arena_bytes(64);
    let sum = main.alloc(DataType::F32, &[Dim::Slot(n)], Storage::Arena { offset: 0, bytes: 64 });
    main.call_kernel(Code::Add as u32, &[x, x, sum], &[Scalar::Dim(Dim::Slot(n))]);
    let result = main.call_packed(packed, &[sum]);
    main.ret(result);
    program.function(main);
    machine(program).function("main").unwrap()
}

#[test]
fn names_are_taken_once() {
    registry::register("packed.tests.once", |_| Ok(Value::None)).unwrap();
    let error = registry::register("packed.tests.once", |_| Ok(Value::None)).unwrap_err();
    assert!(error.to_string().contains("\"packed.tests.once\" is registered already"), "{error}");
    registry::register_override("packed.tests.once", |_| Ok(Value::Int(2)));
    assert_eq!(registry::get("packed.tests.once").unwrap()(&[]).unwrap().as_int().unwrap(), 2);
    let error = registry::get("packed.tests.onec").err().unwrap();
    let expected = "missing packed function \"packed.tests.onec\"; did you mean \"packed.tests.once\"?";
    assert_eq!(error.to_string(), expected);
    assert!(registry::names().contains(&"packed.tests.once".to_owned()));
    assert!(registry::unregister("packed.tests.once") && !registry::unregister("packed.tests.once"));
}

#[test]
fn a_missing_function_is_found_before_anything_runs() {
    let mut program = builder();
    let ran = Arc::new(Mutex::new(false));
    let flag = Arc::clone(&ran);
    registry::register("packed.tests.first", move |_| {
        *flag.lock().unwrap() = true;
        Ok(Value::None)
    })
    .unwrap();
    let (first, missing) = (program.packed("packed.tests.first"), program.packed("zzz.missing"));
    let mut main = FunctionBuilder::new("main");
    main.call_dps_packed(first, &[]);
    main.call_dps_packed(missing, &[]);
    main.ret_none();
    program.function(main);
    let main = machine(program).function("main").unwrap();
    let error = main.call(&[]).unwrap_err();
    assert!(error.to_string().starts_with("missing packed function \"zzz.missing\""), "{error}");
    assert!(!*ran.lock().unwrap());
    registry::register("zzz.missing", |_| Ok(Value::None)).unwrap();
    main.call(&[]).unwrap();
    assert!(*ran.lock().unwrap());
}

#[test]
fn a_missing_function_that_becomes_a_value_is_found_too() {
    static RAN: AtomicBool = AtomicBool::new(false);
    registry::register_override("packed.tests.before", |_| {
        RAN.store(true, Ordering::Relaxed);
        Ok(Value::None)
    });
    let mut program = builder();
    let (before, missing) = (program.packed("packed.tests.before"), program.packed("yyy.missing"));
    let mut main = FunctionBuilder::new("main");
    main.call_dps_packed(before, &[]);
    let value = main.load_packed(missing);
    main.ret(value);
    program.function(main);
    let main = machine(program).function("main").unwrap();
    let error = main.call(&[]).unwrap_err();
    assert!(error.to_string().starts_with("missing packed function \"yyy.missing\""), "{error}");
    assert!(!RAN.load(Ordering::Relaxed));
}

#[test]
fn an_error_comes_back_unchanged() {
    registry::register("packed.tests.raise", |_| Err(Error::callback(Exception(7)))).unwrap();
    let main = handing_on("packed.tests.raise");
    for _ in 0..3 {
        let error = main.call(&[floats(&[1.0]).into()]).unwrap_err();
        assert_eq!(error.to_string(), "packed function \"packed.tests.raise\" failed: exception number 7");
        assert!(error.source().is_some());
        match error.into_kind() {
            ErrorKind::Callback { source, .. } => assert_eq!(*source.downcast::<Exception>().unwrap(), Exception(7)),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn a_wrong_result_does_not_reach_a_kernel() {
    registry::register("packed.tests.wrong", |_| Ok(floats(&[1.0, 2.0]).into())).unwrap();
    let mut program = builder();
    let packed = program.packed("packed.tests.wrong");
    let mut main = FunctionBuilder::new("main");
    let n = main.slot("n");
    let x = main.param("x", row(n));
    let y = main.call_packed(packed, &[]);
    main.match_kind(y, row(n), "the result of \"packed.tests.wrong\"");
    let sum = main.alloc(DataType::F32, &[Dim::Slot(n)], Storage::Fresh);
    main.call_kernel(Code::Add as u32, &[x, y, sum], &[Scalar::Dim(Dim::Slot(n))]);
    main.ret(sum);
    program.function(main);
    let main = machine(program).function("main").unwrap();
    let sum = main.call(&[floats(&[10.0, 20.0]).into()]).unwrap();
    assert_eq!(sum.as_tensor().unwrap().as_slice::<f32>().unwrap(), [11.0, 22.0]);
    let error = main.call(&[floats(&[0.0; 3]).into()]).unwrap_err();
    let expected = "main: the result of \"packed.tests.wrong\": dimension 0 is 2, but n is 3 by argument 0 (\"x\")";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_kept_argument_stays_as_it_is() {
    static KEPT: Mutex<Vec<Tensor>> = Mutex::new(Vec::new());
    registry::register("packed.tests.keep", |args| {
        let tensor = args[0].as_tensor()?;
        // Half of the calls keep the very tensor, the others a view of its memory.
        let mut kept = KEPT.lock().unwrap();
        let keep = if kept.len().is_multiple_of(2) { tensor.clone() } else { tensor.reshape(&[1, 2])? };
        kept.push(keep);
        Ok(Value::None)
    })
    .unwrap();
    let main = handing_on("packed.tests.keep");
    for round in 0..20 {
        main.call(&[floats(&[round as f32, -1.0]).into()]).unwrap();
    }
    for (round, tensor) in KEPT.lock().unwrap().iter().enumerate() {
        assert_eq!(tensor.as_slice::<f32>().unwrap(), [2.0 * round as f32, -2.0]);
    }
}

#[test]
fn an_arena_tensor_that_comes_back_stays_as_it_is() {
    registry::register("packed.tests.same", |args| Ok(args[0].clone())).unwrap();
    let main = handing_on("packed.tests.same");
    let results: Vec<_> = (0..10).map(|round| main.call(&[floats(&[round as f32]).into()]).unwrap()).collect();
    for (round, result) in results.iter().enumerate() {
        assert_eq!(result.as_tensor().unwrap().as_slice::<f32>().unwrap(), [2.0 * round as f32]);
    }
}

#[test]
fn a_callback_may_call_its_own_program() {
    let main: Arc<Mutex<Option<tilewright_runtime::Function>>> = Arc::default();
    let inner = Arc::clone(&main);
    registry::register("packed.tests.again", move |args| {
        let x = args[0].as_tensor()?.copied()?;
        if x.as_slice::<f32>()?[0] > 100.0 {
            return Ok(x.into());
        }
        let main = inner.lock().unwrap().clone();
        main.unwrap().call(&[x.into()])
    })
    .unwrap();
    *main.lock().unwrap() = Some(handing_on("packed.tests.again"));
    let function = main.lock().unwrap().clone().unwrap();
    let result = function.call(&[floats(&[1.0]).into()]).unwrap();
    assert_eq!(result.as_tensor().unwrap().as_slice::<f32>().unwrap(), [128.0]);
}

#[test]
fn a_callback_that_calls_its_own_program_without_end_is_an_error() {
    let mut program = builder();
    let again = program.packed("packed.tests.endless");
    let mut main = FunctionBuilder::new("main");
    let result = main.call_packed(again, &[]);
    main.ret(result);
    program.function(main);
    let main = machine(program).function("main").unwrap();
    let inner = main.clone();
    // Each level takes some of the stack, as a host program's would.
    registry::register("packed.tests.endless", move |_| {
        let mut taken = [0u8; 2048];
        let result = inner.call(&[]);
        std::hint::black_box(&mut taken);
        result
    })
    .unwrap();
    let error = main.call(&[]).unwrap_err().to_string();
    assert!(error.contains("more than 10000 calls within one another"), "{error}");
    registry::unregister("packed.tests.endless");
}
