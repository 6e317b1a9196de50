//! `fork` while other threads are inside the runtime: the child finds every lock free, and all data whole.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tilewright_runtime::fork::Lock;
use tilewright_runtime::{Function, Value, registry, set_affinity};
use tilewright_tensor::DataType;
use tilewright_vm_program::*;

use crate::code::{Code, builder, floats, machine, row};
use crate::{alone, ends};

/// `main(x) = note(x + x)`: takes frames, memory for the sum, and looks the packed function up.
fn doubling() -> Function {
    let mut program = builder();
    let note = program.packed("forks.tests.note");
    let mut main = FunctionBuilder::new("main");
    let n = main.slot("n");
    let x = main.param("x", row(n));
    let sum = main.alloc(DataType::F32, &[Dim::Slot(n)], Storage::Fresh);
    main.call_kernel(Code::Add as u32, &[x, x, sum], &[Scalar::Dim(Dim::Slot(n))]);
    let noted = main.call_packed(note, &[sum]);
    main.ret(noted);
    program.function(main);
    machine(program).function("main").unwrap()
}

fn is_right(main: &Function) -> bool {
    let result = main.call(&[Value::from(floats(&[1.0, -2.5]))]).unwrap();
    result.as_tensor().unwrap().to_vec::<f32>().unwrap() == [2.0, -5.0]
}

fn note(args: &[Value]) -> tilewright_runtime::Result<Value> {
    Ok(args[0].clone())
}

/// Touches what the process shares; always the same names, whose functions are replaced.
fn use_registry() {
    for number in 0..20 {
        registry::register_override(&format!("forks.tests.{number}"), note);
    }
    registry::register_override("forks.tests.note", note);
    assert!(registry::names().len() >= 20);
}

#[test]
fn a_child_waits_for_nobody_who_is_not_there() {
    if alone("forks::a_child_waits_for_nobody_who_is_not_there", &[]) {
        return;
    }
    use_registry();
    let main = doubling();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let (main, done) = (&main, &done);
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    match thread {
                        0 => use_registry(),
                        _ => assert!(is_right(main)),
                    }
                }
            });
        }
        let all_end = (0..200).all(|_| {
            // SAFETY: the child uses the runtime, whose locks are free in it, and leaves without destructors.
            match unsafe { libc::fork() } {
                0 => {
                    use_registry();
                    set_affinity(&[]).unwrap();
                    let right = is_right(&main) && is_right(&doubling());
                    // SAFETY: ends the process at once.
                    unsafe { libc::_exit(if right { 42 } else { 1 }) }
                }
                child => ends(child),
            }
        });
        done.store(true, Ordering::Relaxed);
        assert!(all_end);
    });
    assert!(is_right(&main));
}

/// On a busy machine a thread waits for its turn, however short its work is.
#[test]
fn a_section_whose_thread_gets_no_processor_for_seconds_ends_before_the_child_is_made() {
    static NUMBER: Lock<i32> = Lock::new(1);
    let (entered, good) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut number = NUMBER.lock();
            entered.store(true, Ordering::Release);
            std::thread::sleep(Duration::from_millis(2500));
            *number += 1;
        });
        while !entered.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        // SAFETY: the child uses a lock that is free in it, and leaves without destructors.
        match unsafe { libc::fork() } {
            // SAFETY: ends the process at once.
            0 => unsafe { libc::_exit(if *NUMBER.lock() == 2 { 42 } else { 1 }) },
            child => good.store(ends(child), Ordering::Relaxed),
        }
    });
    assert!(good.into_inner());
}
