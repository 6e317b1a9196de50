//! Machine code: arguments, scratch, parallel regions, failures, and calls on the user's own tensors.
#![cfg(target_arch = "x86_64")]

use tilewright_runtime::{ErrorKind, Function, Value, set_num_threads};
use tilewright_tensor::{DataType, Tensor};
use tilewright_vm_program::*;

use crate::THREADS;
use crate::code::{Code, builder, floats, machine, over_kernel, row};

/// `main(out, n)`: a kernel over the user's tensor and an int.
fn over(code: Code, dtype: DataType) -> Function {
    let mut program = builder();
    let params = vec![
        Param { name: "out".into(), kind: Kind::tensor(dtype, &[DimPattern::Any]) },
        Param { name: "n".into(), kind: Kind::prim(DataType::I64) },
    ];
    let scalars = [Scalar::Reg(Reg(1))];
    program.function(over_kernel("main", params, &[], code, &scalars));
    machine(program).function("main").unwrap()
}

/// `main(x, y, z)`: `z = x + y` in place.
fn add() -> Function {
    let mut program = builder();
    let param = |name: &str| Param { name: name.into(), kind: row(0) };
    let params = vec![param("x"), param("y"), param("z")];
    let scalars = [Scalar::Dim(Dim::Slot(0))];
    let add = over_kernel("main", params, &["n"], Code::Add, &scalars);
    program.function(add);
    machine(program).function("main").unwrap()
}

#[test]
fn a_kernel_writes_the_users_tensor() {
    let (x, y, z) = (floats(&[1.0, -2.0]), floats(&[0.5, 0.25]), floats(&[9.0, 9.0]));
    add().call(&[Value::from(&x), Value::from(&y), Value::from(&z)]).unwrap();
    assert_eq!(z.as_slice::<f32>().unwrap(), [1.5, -1.75]);
    add().call(&[Value::from(&x), Value::from(&x), Value::from(&z)]).unwrap();
    assert_eq!(z.as_slice::<f32>().unwrap(), [2.0, -4.0]);
}

#[test]
fn a_written_tensor_may_not_be_passed_twice() {
    let (x, y) = (floats(&[1.0, 2.0, 3.0]), floats(&[0.0; 2]));
    let error = |z: &Tensor, x: &Tensor| {
        add().call(&[Value::from(x), Value::from(&y), Value::from(z)]).unwrap_err().to_string()
    };
    let (head, tail) = (x.view(&[2], &[1], 0).unwrap(), x.view(&[2], &[1], 4).unwrap());
    let expected = "main: argument 2 (\"z\") and argument 0 (\"x\") share memory, but kernel \"add\" writes the first: \
                    pass a copy of one of them";
    assert_eq!(error(&head, &head), expected);
    assert_eq!(error(&head, &tail), expected);
    let read_only = floats(&[0.0; 2]).to_read_only();
    let expected = "main: argument 2 (\"z\") is read-only, but kernel \"add\" writes it";
    assert_eq!(error(&read_only, &head), expected);
    assert_eq!(x.as_slice::<f32>().unwrap(), [1.0, 2.0, 3.0]);
}

#[test]
fn scalars_reach_the_kernel_by_their_bits() {
    let mut program = builder();
    let mut main = FunctionBuilder::new("main");
    let out = main.param("out", Kind::static_tensor(DataType::I64, &[5]));
    let float = main.param("f", Kind::prim(DataType::F32));
    let flag = main.param("b", Kind::prim(DataType::BOOL));
    let scalars =
        [Scalar::Dim(Dim::Const(-3)), Scalar::Reg(float), Scalar::Reg(float), Scalar::Reg(flag), Scalar::Reg(float)];
    main.call_kernel(Code::Scalars as u32, &[out], &scalars);
    main.ret_none();
    program.function(main);
    let main = machine(program).function("main").unwrap();
    let out = Tensor::zeros(DataType::I64, &[5]).unwrap();
    main.call(&[Value::from(&out), Value::Float(-1.5), Value::Bool(true)]).unwrap();
    let expected = [-3, i64::from((-1.5f32).to_bits()), (-1.5f64).to_bits() as i64, 1, 0xbe00];
    assert_eq!(out.as_slice::<i64>().unwrap(), expected);
}

#[test]
fn code_reaches_the_c_library_through_its_slots() {
    let x = floats(&[1.0, 2.0, 3.0]);
    over(Code::Zero, DataType::F32).call(&[Value::from(&x), Value::Int(8)]).unwrap();
    assert_eq!(x.as_slice::<f32>().unwrap(), [0.0, 0.0, 3.0]);
}

#[test]
fn a_status_becomes_an_error() {
    let mut program = builder();
    let params = vec![Param { name: "n".into(), kind: Kind::prim(DataType::I64) }];
    let status = over_kernel("main", params, &[], Code::Status, &[Scalar::Reg(Reg(0))]);
    program.function(status);
    let main = machine(program).function("main").unwrap();
    main.call(&[Value::Int(0)]).unwrap();
    let error = main.call(&[Value::Int(3)]).unwrap_err();
    assert_eq!(error.to_string(), "kernel \"status\": an index lies outside its buffer");
    assert!(matches!(error.kind(), ErrorKind::Kernel { status: 3, .. }));
    let error = main.call(&[Value::Int(99)]).unwrap_err();
    assert_eq!(error.to_string(), "kernel \"status\": stopped with status 99");
}

fn check_parallel(main: &Function, tasks: usize) {
    let out = Tensor::zeros(DataType::I64, &[tasks as i64]).unwrap();
    main.call(&[Value::from(&out), Value::Int(tasks as i64)]).unwrap();
    let out = out.as_slice::<i64>().unwrap();
    assert!(out.iter().enumerate().all(|(task, &sum)| sum == 1000 * task as i64), "{out:?}");
}

#[test]
fn every_task_runs_once_on_any_number_of_threads() {
    let _turn = THREADS.lock().unwrap();
    let main = over(Code::Parallel, DataType::I64);
    for threads in [1, 2, 3, 8, 0] {
        set_num_threads(threads);
        for tasks in [0, 1, 2, 7, 500] {
            check_parallel(&main, tasks);
        }
    }
    for _ in 0..300 {
        check_parallel(&main, 4);
    }
}

#[test]
fn regions_on_many_threads_at_once() {
    let _turn = THREADS.lock().unwrap();
    set_num_threads(3);
    let main = over(Code::Parallel, DataType::I64);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..100).for_each(|round| check_parallel(&main, round)));
        }
        // Replacing the pool under their feet leaves every region whole.
        for threads in [2, 5, 1, 4] {
            set_num_threads(threads);
            std::thread::yield_now();
        }
    });
    set_num_threads(0);
}

#[test]
fn the_first_task_that_fails_is_reported() {
    let _turn = THREADS.lock().unwrap();
    let mut program = builder();
    let int = |name: &str| Param { name: name.into(), kind: Kind::prim(DataType::I64) };
    let scalars = [Scalar::Reg(Reg(0)), Scalar::Reg(Reg(1))];
    let params = vec![int("n"), int("from")];
    let main = over_kernel("main", params, &[], Code::ParallelFail, &scalars);
    program.function(main);
    let main = machine(program).function("main").unwrap();
    set_num_threads(4);
    for from in [0, 3, 17, 99] {
        for _ in 0..50 {
            let error = main.call(&[Value::Int(100), Value::Int(from)]).unwrap_err();
            assert_eq!(error.to_string(), format!("kernel \"parallel_fail\": {}", from % 10));
        }
    }
    main.call(&[Value::Int(100), Value::Int(100)]).unwrap();
    set_num_threads(0);
}

#[test]
fn regions_inside_tasks_run_in_place() {
    let main = over(Code::Nested, DataType::I64);
    let out = Tensor::zeros(DataType::I64, &[8 * 50]).unwrap();
    main.call(&[Value::from(&out), Value::Int(50)]).unwrap();
    assert!(out.as_slice::<i64>().unwrap().chunks(8).all(|chunk| chunk == [1, 2, 3, 4, 5, 6, 7, 8]));
}

#[test]
fn a_child_after_fork_has_a_pool_of_its_own() {
    let _turn = THREADS.lock().unwrap();
    set_num_threads(3);
    let main = over(Code::Parallel, DataType::I64);
    check_parallel(&main, 50);
    // Made before the fork, so that the child, in which other threads' locks may be held for ever, need not allocate
    // through anything but the allocator, which the C library makes usable.
    let out = Tensor::zeros(DataType::I64, &[50]).unwrap();
    let args = [Value::from(&out), Value::Int(50)];
    // SAFETY: the child only runs the program and leaves without destructors.
    match unsafe { libc::fork() } {
        0 => {
            let right = (0..20).all(|_| main.call(&args).is_ok())
                && out
                    .as_slice::<i64>()
                    .is_ok_and(|out| out.iter().enumerate().all(|(i, &sum)| sum == 1000 * i as i64));
            // SAFETY: ends the process at once.
            unsafe { libc::_exit(if right { 42 } else { 1 }) }
        }
        child => assert!(crate::ends(child)),
    }
    set_num_threads(0);
    check_parallel(&main, 50);
}

#[cfg(target_os = "linux")]
#[test]
fn no_memory_is_writable_and_executable() {
    let main = over(Code::Zero, DataType::F32);
    main.call(&[Value::from(floats(&[1.0])), Value::Int(4)]).unwrap();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let both = maps.lines().find(|line| line.split_whitespace().nth(1).is_some_and(|p| p.starts_with("rwx")));
    assert_eq!(both, None);
}
