//! Calls that are prepared, watched, timed and profiled; what machines see of the registry.
#![cfg(target_arch = "x86_64")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tilewright_runtime::{Action, CallKind, Error, ErrorKind, Instrument, Timing, Value, VirtualMachine, registry};
use tilewright_tensor::{DataType, Tensor};
use tilewright_vm_program::*;

use crate::code::{Code, builder, floats, machine, row};

fn elements(value: &Value) -> Vec<f32> {
    value.as_tensor().unwrap().to_vec().unwrap()
}

/// `main(x, y) = note(sum(x, y)) + x`, where `sum` is a function of the program and `note` one of the process.
fn network(note: &str) -> VirtualMachine {
    let mut program = builder();
    let size = |n| [Scalar::Dim(Dim::Slot(n))];
    let mut sum = FunctionBuilder::new("sum");
    let n = sum.slot("n");
    let (x, y) = (sum.param("x", row(n)), sum.param("y", row(n)));
    let out = sum.alloc(DataType::F32, &[Dim::Slot(n)], Storage::Fresh);
    sum.call_kernel(Code::Add as u32, &[x, y, out], &size(n));
    sum.ret(out);
    let sum = program.function(sum);
    let note = program.packed(note);
    let mut main = FunctionBuilder::new("main");
    let n = main.slot("n");
    let (x, y) = (main.param("x", row(n)), main.param("y", row(n)));
    let inner = main.call_function(sum, &[x, y]);
    let noted = main.call_packed(note, &[inner]);
    main.match_kind(noted, row(n), "the result of \"note\"");
    let out = main.alloc(DataType::F32, &[Dim::Slot(n)], Storage::Fresh);
    main.call_kernel(Code::Add as u32, &[noted, x, out], &size(n));
    main.ret(out);
    program.function(main);
    machine(program)
}

fn same(args: &[Value]) -> tilewright_runtime::Result<Value> {
    Ok(args[0].clone())
}

#[test]
fn inputs_are_set_before_the_call_and_outputs_fetched_after_it() {
    registry::register_override("machines.tests.stateful", same);
    let machine = network("machines.tests.stateful");
    let (x, y) = (Value::from(floats(&[1.0, 2.0])), Value::from(floats(&[10.0, 20.0])));
    let error = machine.invoke_stateful("main").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoInputs { .. }), "{error}");
    assert!(machine.get_outputs("main").unwrap_err().to_string().contains("no outputs yet"));
    let error = machine.set_input("main", std::slice::from_ref(&x)).unwrap_err();
    assert_eq!(error.to_string(), "main takes 2 arguments (x, y), 1 given");
    assert!(machine.set_input("maim", &[]).unwrap_err().to_string().contains("did you mean \"main\"?"));

    machine.set_input("main", &[x.clone(), y.clone()]).unwrap();
    // A clone is the same machine.
    machine.clone().invoke_stateful("main").unwrap();
    assert_eq!(elements(&machine.get_outputs("main").unwrap()), [12.0, 24.0]);
    machine.set_input("main", &[y, x]).unwrap();
    assert_eq!(elements(&machine.get_outputs("main").unwrap()), [12.0, 24.0], "until the next call");
    machine.invoke_stateful("main").unwrap();
    assert_eq!(elements(&machine.get_outputs("main").unwrap()), [21.0, 42.0]);
    // A failing call leaves the outputs of the last one.
    machine.set_input("main", &[Value::None, Value::None]).unwrap();
    assert!(matches!(machine.invoke_stateful("main").unwrap_err().kind(), ErrorKind::Argument { .. }));
    assert_eq!(elements(&machine.get_outputs("main").unwrap()), [21.0, 42.0]);
}

#[test]
fn a_saved_function_has_its_arguments() {
    registry::register_override("machines.tests.saved", same);
    let machine = network("machines.tests.saved");
    let (x, y) = (Value::from(floats(&[1.0, 2.0])), Value::from(floats(&[10.0, 20.0])));
    machine.save_function("main", "of_x", std::slice::from_ref(&x)).unwrap();
    machine.save_function("of_x", "of_both", std::slice::from_ref(&y)).unwrap();
    assert_eq!(elements(&machine.function("of_x").unwrap().call(std::slice::from_ref(&y)).unwrap()), [12.0, 24.0]);
    assert_eq!(elements(&machine.function("of_both").unwrap().call(&[]).unwrap()), [12.0, 24.0]);
    let error = machine.function("of_both").unwrap().call(std::slice::from_ref(&x)).unwrap_err();
    assert_eq!(error.to_string(), "main takes 0 arguments (), 1 given");
    for (from, to, args) in [("main", "main", 0), ("main", "of_x", 0), ("main", "new", 3), ("of_x", "new", 2)] {
        let error = machine.save_function(from, to, &vec![x.clone(); args]).unwrap_err();
        let expected = if to == "new" { "TW0761" } else { "TW0768" };
        assert_eq!(error.code(), expected, "{from} as {to}: {error}");
    }
    machine.set_input("of_x", &[y]).unwrap();
    machine.invoke_stateful("of_x").unwrap();
    assert_eq!(elements(&machine.get_outputs("of_x").unwrap()), [12.0, 24.0]);
}

#[test]
fn an_instrument_is_told_of_every_call() {
    registry::register_override("machines.tests.watched", same);
    let machine = network("machines.tests.watched");
    let (x, y) = (Value::from(floats(&[1.0, 2.0])), Value::from(floats(&[10.0, 20.0])));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    machine.set_instrument(Some(Instrument::new(move |event| {
        sink.lock().unwrap().push((event.kind, event.name.to_owned(), event.args.len(), event.result.is_some()));
        Ok(Action::Run)
    })));
    let result = machine.function("main").unwrap().call(&[x.clone(), y.clone()]).unwrap();
    assert_eq!(elements(&result), [12.0, 24.0]);
    let call = |kind, name: &str, args, after| (kind, name.to_owned(), args, after);
    let expected = [
        call(CallKind::Function, "sum", 2, false),
        call(CallKind::Kernel, "add", 4, false),
        call(CallKind::Kernel, "add", 4, true),
        call(CallKind::Function, "sum", 2, true),
        call(CallKind::Packed, "machines.tests.watched", 1, false),
        call(CallKind::Packed, "machines.tests.watched", 1, true),
        call(CallKind::Kernel, "add", 4, false),
        call(CallKind::Kernel, "add", 4, true),
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
    machine.set_instrument(None);
    machine.function("main").unwrap().call(&[x, y]).unwrap();
    assert_eq!(seen.lock().unwrap().len(), expected.len());
}

#[test]
fn a_tensor_that_an_instrument_keeps_is_not_written_by_later_runs() {
    let mut program = builder();
    let mut main = FunctionBuilder::new("main");
    let n = main.slot("n");
    let x = main.param("x", row(n));
    main.arena_bytes(64);
    let size = [Scalar::Dim(Dim::Slot(n))];
    let inner = main.alloc(DataType::F32, &[Dim::Slot(n)], Storage::Arena { offset: 0, bytes: 64 });
    let outer = main.alloc(DataType::F32, &[Dim::Slot(n)], Storage::Fresh);
    main.call_kernel(Code::Add as u32, &[x, x, inner], &size);
    main.call_kernel(Code::Add as u32, &[inner, x, outer], &size);
    main.ret(outer);
    program.function(main);
    let machine = machine(program);
    let kept = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&kept);
    machine.set_instrument(Some(Instrument::new(move |event| {
        // Of the first kernel the result, which lies in the arena.
        if event.result.is_some() && sink.lock().unwrap().is_empty() {
            sink.lock().unwrap().push(event.args[2].clone());
        }
        Ok(Action::Run)
    })));
    let main = machine.function("main").unwrap();
    assert_eq!(elements(&main.call(&[floats(&[1.0, 2.0]).into()]).unwrap()), [3.0, 6.0]);
    machine.set_instrument(None);
    assert_eq!(elements(&main.call(&[floats(&[10.0, 20.0]).into()]).unwrap()), [30.0, 60.0]);
    assert_eq!(elements(&kept.lock().unwrap()[0]), [2.0, 4.0]);
}

/// `main(x, twice)` of four numbers: twice the sum of `x` and a constant, or the constant itself. The sum lies in the
/// arena.
fn with_constant() -> VirtualMachine {
    let mut program = builder();
    let constant = program.constant(&floats(&[1.0, 2.0, 3.0, 4.0])).unwrap();
    let mut main = FunctionBuilder::new("main");
    let x = main.param("x", Kind::static_tensor(DataType::F32, &[4]));
    let twice = main.param("twice", Kind::prim(DataType::BOOL));
    main.arena_bytes(64);
    let size = [Scalar::Dim(Dim::Const(4))];
    let constant = main.load_const(constant);
    let jump = main.branch(twice);
    let sum = main.alloc(DataType::F32, &[Dim::Const(4)], Storage::Arena { offset: 0, bytes: 64 });
    main.call_kernel(Code::Add as u32, &[x, constant, sum], &size);
    main.kill(constant);
    let result = main.alloc(DataType::F32, &[Dim::Const(4)], Storage::Fresh);
    main.call_kernel(Code::Add as u32, &[sum, sum, result], &size);
    main.kill(sum);
    main.ret(result);
    main.land(jump);
    main.ret(constant);
    program.function(main);
    machine(program)
}

#[test]
fn kept_registers_of_a_frame_are_equal_in_each_run() {
    let machine = with_constant();
    let main = machine.function("main").unwrap();
    let call = |x: f32, twice| main.call(&[floats(&[x; 4]).into(), Value::Bool(twice)]).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut results = Vec::new();
    for round in 0..4 {
        let x = round as f32;
        results.push(call(x, true));
        assert_eq!(elements(&call(x, false)), [1.0, 2.0, 3.0, 4.0]);
        let sink = Arc::clone(&seen);
        machine.set_instrument(Some(Instrument::new(move |event| {
            // The sum, and what it is the sum of: `x` and the constant.
            if event.result.is_some() && event.args.len() == 4 {
                sink.lock().unwrap().push(event.args.to_vec());
            }
            Ok(Action::Run)
        })));
        results.push(call(10.0 * x, true));
        machine.set_instrument(None);
        results.push(call(x, true));
    }
    // What the caller and the instrument hold has nothing to do with later runs.
    for (round, three) in results.chunks(3).enumerate() {
        let x = round as f32;
        for (result, x) in three.iter().zip([x, 10.0 * x, x]) {
            assert_eq!(elements(result), [1.0, 2.0, 3.0, 4.0].map(|c| 2.0 * (x + c)));
        }
    }
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 8);
    for (round, calls) in seen.chunks(2).enumerate() {
        assert_eq!(elements(&calls[0][1]), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(elements(&calls[0][2]), [1.0, 2.0, 3.0, 4.0].map(|c| 10.0 * round as f32 + c));
    }
}

#[test]
fn an_instrument_may_skip_a_call_or_end_the_run() {
    registry::register_override("machines.tests.skipped", same);
    let machine = network("machines.tests.skipped");
    let args = [Value::from(floats(&[1.0])), Value::from(floats(&[10.0]))];
    let main = machine.function("main").unwrap();
    machine.set_instrument(Some(Instrument::new(|event| {
        Ok(if event.kind == CallKind::Packed { Action::Skip } else { Action::Run })
    })));
    // Nobody noted the sum, and the program checks what it gets.
    let error = main.call(&args).unwrap_err().to_string();
    assert_eq!(error, "main: the result of \"note\": expected Tensor((n,), float32), found None");
    machine.set_instrument(Some(Instrument::new(|event| match event.result {
        Some(_) if event.kind == CallKind::Kernel => Err(Error::callback("enough")),
        _ => Ok(Action::Run),
    })));
    assert!(main.call(&args).unwrap_err().to_string().contains("enough"));
    machine.set_instrument(None);
    assert_eq!(elements(&main.call(&args).unwrap()), [12.0]);
}

#[test]
fn a_profile_counts_calls_times_and_bytes() {
    registry::register_override("machines.tests.profiled", |args| {
        std::thread::sleep(Duration::from_millis(3));
        same(args)
    });
    let machine = network("machines.tests.profiled");
    let args = [Value::from(floats(&[1.0, 2.0])), Value::from(floats(&[10.0, 20.0]))];
    let (result, report) = machine.profile("main", &args).unwrap();
    assert_eq!(elements(&result), [12.0, 24.0]);
    let found = |name: &str| report.rows.iter().find(|row| row.name == name).unwrap();
    let (add, sum, note) = (found("add"), found("sum"), found("machines.tests.profiled"));
    assert_eq!((add.kind, add.count, add.bytes), (CallKind::Kernel, 2, 48));
    assert_eq!((sum.kind, sum.count, sum.bytes), (CallKind::Function, 1, 16));
    assert_eq!((note.kind, note.count, note.bytes), (CallKind::Packed, 1, 8));
    assert!(note.time >= Duration::from_millis(3) && note.time <= report.total && add.shortest <= add.time / 2);
    assert!(report.rows.is_sorted_by(|a, b| a.time >= b.time), "the longest comes first");
    assert!(report.share(note) > 0.0 && report.share(note) <= 1.0 && report.overhead() <= report.total);
    let text = report.to_string();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 5, "{text}");
    let width = lines[0].chars().count();
    assert!(lines[1..4].iter().all(|line| line.chars().count() == width), "{text}");
}

#[test]
fn a_function_is_timed() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    registry::register_override("machines.tests.timed", |args| {
        CALLS.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(1));
        same(args)
    });
    let machine = network("machines.tests.timed");
    let args = [Value::from(floats(&[1.0])), Value::from(floats(&[2.0]))];
    let timing = Timing { number: 3, repeat: 4, min_repeat: Duration::ZERO, ..Timing::default() };
    let times = machine.time_evaluator("main", &args, timing).unwrap();
    assert_eq!((times.0.len(), CALLS.load(Ordering::Relaxed)), (4, 13));
    assert!(times.min() >= 1e-3 && times.min() <= times.median() && times.median() <= times.max());
    assert!(times.mean() <= times.max() && times.std() <= times.max());
    // As many calls as fill the time that is asked for, however long one takes.
    CALLS.store(0, Ordering::Relaxed);
    let timing = Timing { number: 1, repeat: 1, min_repeat: Duration::from_millis(10), ..Timing::default() };
    let times = machine.time_evaluator("main", &args, timing).unwrap();
    assert!(times.mean() * CALLS.load(Ordering::Relaxed) as f64 >= timing.min_repeat.as_secs_f64());
    assert!(machine.time_evaluator("main", &args[..1], timing).is_err());
}

#[test]
fn a_timing_cools_down_between_repeats() {
    registry::register_override("machines.tests.cooled", same);
    let machine = network("machines.tests.cooled");
    let args = [Value::from(floats(&[1.0])), Value::from(floats(&[2.0]))];
    let cooldown = Duration::from_millis(20);
    let timing = Timing { number: 1, repeat: 5, cooldown, repeats_to_cooldown: 2, ..Timing::default() };
    let start = Instant::now();
    let times = machine.time_evaluator("main", &args, timing).unwrap();
    // After the second and the fourth of five, and in none of the times.
    assert_eq!(times.0.len(), 5);
    let (all, cooled) = (start.elapsed().as_secs_f64(), 2.0 * cooldown.as_secs_f64());
    assert!(times.0.iter().sum::<f64>() + cooled <= all, "{times:?} in {all}");
}

#[test]
fn a_timing_can_be_ended_and_has_bounds() {
    registry::register_override("machines.tests.ended", same);
    let machine = network("machines.tests.ended");
    let args = [Value::from(floats(&[1.0])), Value::from(floats(&[2.0]))];
    let timing = Timing {
        number: Timing::MAX_NUMBER,
        repeat: Timing::MAX_REPEAT,
        min_repeat: Duration::ZERO,
        ..Timing::default()
    };
    let mut pauses = 0;
    let mut pause = || {
        pauses += 1;
        if pauses < 3 { Ok(()) } else { Err(Error::callback("enough")) }
    };
    let error = machine.time_with_pauses("main", &args, timing, &mut pause).unwrap_err();
    assert!(error.to_string().contains("enough"), "{error}");
    assert_eq!(pauses, 3);
    let small = Timing { number: 1, repeat: 1, min_repeat: Duration::ZERO, ..Timing::default() };
    for (timing, name) in [
        (Timing { number: 0, ..small }, "number"),
        (Timing { repeats_to_cooldown: 0, ..small }, "repeats_to_cooldown"),
        (Timing { cooldown: Duration::MAX, ..small }, "cooldown_interval_ms"),
        (Timing { number: Timing::MAX_NUMBER + 1, ..small }, "number"),
        (Timing { repeat: 0, ..small }, "repeat"),
        (Timing { repeat: usize::MAX, ..small }, "repeat"),
        (Timing { min_repeat: Duration::MAX, ..small }, "min_repeat_ms"),
    ] {
        let error = machine.time_evaluator("main", &args, timing).unwrap_err().to_string();
        assert!(error.starts_with(&format!("time_evaluator: {name}: expected")), "{error}");
    }
}

#[test]
fn a_machine_calls_what_is_registered_now() {
    registry::register_override("machines.tests.changing", same);
    let machine = network("machines.tests.changing");
    let main = machine.function("main").unwrap();
    let args = [Value::from(floats(&[1.0])), Value::from(floats(&[2.0]))];
    assert_eq!(elements(&main.call(&args).unwrap()), [4.0]);
    registry::register_override("machines.tests.changing", |_| Ok(floats(&[100.0]).into()));
    assert_eq!(elements(&main.call(&args).unwrap()), [101.0]);
    registry::unregister("machines.tests.changing");
    let error = main.call(&args).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::MissingPacked { .. }), "{error}");
    registry::register("machines.tests.changing", same).unwrap();
    assert_eq!(elements(&main.call(&args).unwrap()), [4.0]);
}

#[test]
fn everything_is_safe_from_many_threads() {
    registry::register_override("machines.tests.threads", same);
    let machine = network("machines.tests.threads");
    let done = Arc::new(AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for thread in 0..4usize {
            let (machine, done) = (machine.clone(), Arc::clone(&done));
            scope.spawn(move || {
                for round in 0..200usize {
                    let value = (thread * 1000 + round) as f32;
                    let size = 1 + (thread + round) % 5;
                    let args = [Value::from(floats(&vec![value; size])), Value::from(floats(&vec![1.0; size]))];
                    let result = machine.function("main").unwrap().call(&args).unwrap();
                    assert_eq!(elements(&result), vec![2.0 * value + 1.0; size]);
                    let wrong = [args[0].clone(), Value::from(floats(&vec![1.0; size + 1]))];
                    assert!(machine.function("main").unwrap().call(&wrong).is_err());
                    let name = format!("saved.{thread}.{round}");
                    machine.save_function("main", &name, &args).unwrap();
                    assert_eq!(elements(&machine.function(&name).unwrap().call(&[]).unwrap())[0], 2.0 * value + 1.0);
                    match round % 20 {
                        0 => registry::register_override("machines.tests.threads", same),
                        1 => machine.set_instrument(Some(Instrument::new(|_| Ok(Action::Run)))),
                        2 => machine.set_instrument(None),
                        3 => drop(machine.profile("main", &args).unwrap()),
                        _ => {}
                    }
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(done.load(Ordering::Relaxed), 800);
}

#[test]
fn a_stored_closure_does_not_keep_its_machine_alive_forever() {
    let mut program = builder();
    let mut inner = FunctionBuilder::new("inner");
    let x = inner.param("x", Kind::Object);
    inner.ret(x);
    let inner = program.function(inner);
    let mut main = FunctionBuilder::new("main");
    let x = main.param("x", Kind::Object);
    let closure = main.make_closure(inner, &[x]);
    main.ret(closure);
    program.function(main);
    let machine = machine(program);
    let tensor = Tensor::from_vec(&[1], vec![1.0f32]).unwrap();
    let alive = Arc::new(());
    let watched = Value::Object(Arc::clone(&alive) as _);
    let closure = machine.function("main").unwrap().call(&[Value::tuple([watched, tensor.into()])]).unwrap();
    machine.set_input("main", std::slice::from_ref(&closure)).unwrap();
    machine.save_function("main", "saved", &[closure]).unwrap();
    assert_eq!(Arc::strong_count(&alive), 2);
    drop(machine);
    assert_eq!(Arc::strong_count(&alive), 1);
}
