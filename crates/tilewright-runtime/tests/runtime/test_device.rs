//! Programs on the test device, and what it shows of mistakes.
#![cfg(target_arch = "x86_64")]

use std::sync::Arc;

use tilewright_runtime::device::test_device::{self, Fault, MESSAGE};
use tilewright_runtime::device::{Launch, copy_elements};
use tilewright_runtime::{Device, Error, Executable, Function, Value, VirtualMachine, registry};
use tilewright_tensor::{DataType, Layout, Tensor, TensorError};
use tilewright_vm_program::*;

use crate::code::{Code, builder_for};

const HOST: DeviceIndex = DeviceIndex(1);

fn vector(values: [f32; 4]) -> Tensor {
    Tensor::from_vec(&[4], values.to_vec()).unwrap()
}

fn floats() -> Arc<Layout> {
    Arc::new(Layout::compact(DataType::F32, &[4]).unwrap())
}

fn kind(device: DeviceIndex) -> Kind {
    Kind::Tensor { dtype: Some(DataType::F32), dims: Some(vec![DimPattern::Const(4)]), device }
}

/// The elements, wherever they are.
fn elements(value: &Value) -> Vec<f32> {
    Device::cpu().copy_of(value.as_tensor().unwrap()).unwrap().to_vec().unwrap()
}

/// `main` of a program for the test device, with the kernels and packed functions of [`builder_for`].
fn on_device(devices: &[Device], write: impl FnOnce(&mut ProgramBuilder, &mut FunctionBuilder)) -> Function {
    machine(devices, write).unwrap()
}

fn machine(
    devices: &[Device],
    write: impl FnOnce(&mut ProgramBuilder, &mut FunctionBuilder),
) -> Result<Function, Error> {
    let mut program = builder_for(DeviceKind::ExtDev);
    let mut main = FunctionBuilder::new("main");
    write(&mut program, &mut main);
    program.function(main);
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let package = Package::new(TargetInfo { triple, features: vec![] }, program.finish().unwrap());
    let executable = Executable::load(package.encode().unwrap())?;
    VirtualMachine::new(Arc::new(executable), devices)?.function("main")
}

fn add(main: &mut FunctionBuilder, a: Reg, b: Reg, out: Reg) {
    main.call_kernel(Code::Add as u32, &[a, b, out], &[Scalar::Dim(Dim::Const(4))]);
}

/// `x + x + constant`, by way of the arena.
fn sums(program: &mut ProgramBuilder, main: &mut FunctionBuilder) {
    let constant = program.constant(&vector([1.0, 2.0, 3.0, 4.0])).unwrap();
    let x = main.param("x", kind(DeviceIndex::FIRST));
    main.arena_bytes(64);
    let twice = main.alloc(DataType::F32, &[Dim::Const(4)], Storage::Arena { offset: 0, bytes: 64 });
    add(main, x, x, twice);
    let constant = main.load_const(constant);
    let out = main.alloc(DataType::F32, &[Dim::Const(4)], Storage::Fresh);
    add(main, twice, constant, out);
    main.ret(out);
}

/// A function of the process reads a copy, and a branch after it reads its condition.
fn read_by_the_host(program: &mut ProgramBuilder, main: &mut FunctionBuilder) {
    registry::register_override("test_device.doubled", |args| {
        let doubled = args[0].as_tensor()?.to_vec::<f32>()?.iter().map(|x| 2.0 * x).collect();
        Ok(Tensor::from_vec(&[4], doubled)?.into())
    });
    let name = program.packed("test_device.doubled");
    let x = main.param("x", kind(DeviceIndex::FIRST));
    let sum = main.alloc(DataType::F32, &[Dim::Const(4)], Storage::Fresh);
    add(main, x, x, sum);
    let here = main.copy(sum, HOST);
    main.sync();
    let doubled = main.call_packed(name, &[here]);
    main.match_kind(doubled, kind(HOST), "the result");
    let there = main.copy(doubled, DeviceIndex::FIRST);
    add(main, there, x, sum);
    main.ret(sum);
}

#[test]
fn every_device_keeps_the_rules_of_streams() {
    // The kernels are the processor's machine code.
    let runs = |device: &Device| match device.kind {
        DeviceKind::Cpu => true,
        DeviceKind::ExtDev => device.index < 2,
        _ => false,
    };
    for device in Device::all().filter(runs) {
        let program = builder_for(device.kind).finish().unwrap();
        let open = device.open().unwrap();
        assert_eq!((open.device(), device.exists()), (device, true));
        let (module, stream) = (open.load(&program.images[0]).unwrap(), open.stream().unwrap());
        let export = |code: Code| program.kernels[code as usize].export;
        let [a, b, out] = [(); 3].map(|()| open.alloc(floats()).unwrap());
        for (target, values) in [(&a, [1.0, 2.0, 3.0, 4.0]), (&b, [0.5; 4])] {
            let source = vector(values);
            stream.copy(target, &source).unwrap();
            // The source was read.
            source.overwrite(&[0; 16]).unwrap();
        }
        let tensors = [a, b, out.clone()];
        let launch = |export, tensors: &[Tensor], scalars: &[i64]| {
            let launch = Launch { module: &module, export, name: "kernel", tensors, scalars, scratch_bytes: 64 };
            // SAFETY: the kernels read and write as many elements as the numbers say, which the tensors have.
            unsafe { stream.launch(launch) }
        };
        launch(export(Code::Add), &tensors, &[4]).unwrap();
        // Nobody else holds the operands while the work waits.
        drop(tensors);
        let host = Tensor::zeros(DataType::F32, &[4]).unwrap();
        stream.copy(&host, &out).unwrap();
        stream.synchronise().unwrap();
        assert_eq!(host.to_vec::<f32>().unwrap(), [1.5, 2.5, 3.5, 4.5], "{device}");
        // The first failure is told, once, and stops nothing.
        launch(export(Code::Status), &[], &[3]).unwrap();
        launch(export(Code::Status), &[], &[2]).unwrap();
        stream.copy(&out, &vector([7.0; 4])).unwrap();
        let error = stream.synchronise().unwrap_err().to_string();
        assert!(error.contains("an index lies outside"), "{device}: {error}");
        stream.synchronise().unwrap();
        assert_eq!(elements(&out.clone().into()), [7.0; 4]);
        // A module of another kind of device.
        let wrong = Image { kind: DeviceKind::Cuda, ..program.images[0].clone() };
        let Err(error) = open.load(&wrong) else { panic!("loaded") };
        let expected = format!("{device}: it runs code for {}, and is given code for cuda", device.kind.name());
        assert!(error.to_string().contains(&expected), "{error}");
    }
}

#[test]
fn tensors_go_to_devices_and_back() {
    let (first, second) = (test_device::device(0), test_device::device(1));
    let matrix = Tensor::from_vec(&[2, 3], (0..6).map(|x| x as f32).collect()).unwrap();
    let transposed = matrix.view(&[3, 2], &[1, 3], 0).unwrap();
    let there = first.copy_of(&transposed).unwrap();
    assert_eq!(Device::of(&there).unwrap(), first);
    assert_eq!(there.as_bytes().unwrap_err().to_string(), TensorError::OnDevice { device: there.device() }.to_string());
    assert!(first.copy_of(&there).unwrap().same(&there));
    // From device to device, and of a view with strides.
    let other = second.copy_of(&there).unwrap();
    let view = other.view(&[2, 3], &[1, 2], 0).unwrap().view(&[2], &[-3], 8);
    assert!(view.is_err());
    let column = other.view(&[2], &[2], 4).unwrap();
    assert_eq!(Device::cpu().copy_of(&other).unwrap(), transposed.copied().unwrap());
    assert_eq!(elements(&column.into()), [3.0, 4.0]);
    copy_elements(&there, &other.reshape(&[3, 2]).unwrap()).unwrap();
    copy_elements(&matrix, &there.reshape(&[2, 3]).unwrap()).unwrap();
    assert_eq!(matrix.to_vec::<f32>().unwrap(), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    let error = copy_elements(&there, &matrix).unwrap_err().to_string();
    assert!(error.contains("shape [2, 3] of float32 does not go into shape [3, 2] of float32"), "{error}");
    assert!(first.copy_of(&matrix.to_read_only()).unwrap().is_read_only());
    let missing = Device { kind: DeviceKind::Vulkan, index: 3 };
    let error = missing.copy_of(&matrix).unwrap_err().to_string();
    assert_eq!(error, "the device vulkan(3) does not exist on this machine; use cpu(0)");
}

#[test]
fn programs_run_on_a_device() {
    for device in [test_device::device(0), test_device::device(1)] {
        let x = device.copy_of(&vector([1.0, -1.0, 0.5, 8.0])).unwrap();
        let main = on_device(&[device], sums);
        let read = on_device(&[device], read_by_the_host);
        for _ in 0..3 {
            let result = main.call(&[x.clone().into()]).unwrap();
            assert_eq!(Device::of(result.as_tensor().unwrap()).unwrap(), device);
            assert_eq!(elements(&result), [3.0, 0.0, 4.0, 20.0]);
            assert_eq!(elements(&read.call(&[x.clone().into()]).unwrap()), [5.0, -5.0, 2.5, 40.0]);
        }
        // Many threads on one machine, each with its own stream.
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (main, device) = (&main, device);
                scope.spawn(move || {
                    let number = thread as f32;
                    let x = device.copy_of(&vector([number; 4])).unwrap();
                    for _ in 0..50 {
                        let found = elements(&main.call(&[x.clone().into()]).unwrap());
                        assert_eq!(found, [1.0, 2.0, 3.0, 4.0].map(|c| 2.0 * number + c));
                    }
                });
            }
        });
    }
}

/// A function that calls itself `n` times, with an arena each time: more frames than a run keeps.
#[test]
fn functions_that_call_functions_keep_their_arenas_apart() {
    let device = test_device::device(0);
    let main = on_device(&[device], |program, main| {
        let again = program.declare("again");
        let mut body = FunctionBuilder::new("again");
        let n = body.slot("n");
        let x = body.param("x", kind(DeviceIndex::FIRST));
        body.param("n", Kind::Prim { dtype: DataType::I64, value: DimPattern::Slot(n) });
        body.arena_bytes(64);
        let own = body.alloc(DataType::F32, &[Dim::Const(4)], Storage::Arena { offset: 0, bytes: 64 });
        let one = body.alloc(DataType::F32, &[Dim::Const(4)], Storage::Fresh);
        let ones = program.constant(&vector([1.0; 4])).unwrap();
        let ones = body.load_const(ones);
        add(&mut body, x, ones, own);
        let more = body.compute("more", ScalarOp::Greater, DataType::I64, &[Dim::Slot(n), Dim::Const(1)]);
        let flag = body.make_scalar(DataType::BOOL, more);
        let end = body.branch(flag);
        let next = body.compute("next", ScalarOp::Sub, DataType::I64, &[Dim::Slot(n), Dim::Const(1)]);
        let next = body.make_scalar(DataType::I64, next);
        let rest = body.call_function(again, &[own, next]);
        body.match_kind(rest, kind(DeviceIndex::FIRST), "the rest");
        // The own tensor is still what it was.
        add(&mut body, own, rest, one);
        body.ret(one);
        body.land(end);
        add(&mut body, own, own, one);
        body.ret(one);
        program.define(again, body);
        let x = main.param("x", kind(DeviceIndex::FIRST));
        let n = main.param("n", Kind::prim(DataType::I64));
        let result = main.call_function(again, &[x, n]);
        main.ret(result);
    });
    let x = device.copy_of(&vector([0.0; 4])).unwrap();
    for n in [1, 5, 60] {
        let result = main.call(&[x.clone().into(), Value::Int(n)]).unwrap();
        let expected = (1..=n).sum::<i64>() + n;
        assert_eq!(elements(&result), [expected as f32; 4], "{n}");
    }
}

#[test]
fn failures_of_a_device_end_the_call() {
    let device = test_device::device(0);
    let main = on_device(&[device], |_, main| {
        let status = main.param("status", Kind::prim(DataType::I64));
        let again = main.param("again", Kind::prim(DataType::I64));
        for status in [status, again] {
            main.call_kernel(Code::Status as u32, &[], &[Scalar::Reg(status)]);
        }
        main.ret_none();
    });
    let call = |first, second| main.call(&[Value::Int(first), Value::Int(second)]);
    call(0, 0).unwrap();
    let error = call(3, 2).unwrap_err().to_string();
    assert_eq!(error, "kernel \"status\": an index lies outside its buffer");
    call(0, 0).unwrap();
    assert!(call(0, 2).is_err());
}

#[test]
fn tensors_on_the_wrong_device_are_refused_by_name() {
    let (first, second) = (test_device::device(0), test_device::device(1));
    let main = on_device(&[first], sums);
    let error = |tensor: &Tensor| main.call(&[tensor.clone().into()]).unwrap_err().to_string();
    let x = vector([0.0; 4]);
    let expected = |found: &str| {
        format!(
            "main: argument 0 (\"x\"): the tensor is on {found}, expected ext_dev(0): copy it there first, with \
             .to(ext_dev(0)) or nd.array(…, ext_dev(0))"
        )
    };
    assert_eq!(error(&x), expected("cpu(0)"));
    assert_eq!(error(&second.copy_of(&x).unwrap()), expected("ext_dev(1)"));
    // A value of which the program says nothing is refused by the kernel.
    let untyped = on_device(&[first], |_, main| {
        let x = main.param("x", Kind::Object);
        let out = main.alloc(DataType::F32, &[Dim::Const(4)], Storage::Fresh);
        add(main, x, x, out);
        main.ret(out);
    });
    let error = untyped.call(&[x.into()]).unwrap_err().to_string();
    let expected =
        "main: kernel \"add\" runs on ext_dev(0) and is given a tensor on cpu(0): copy it with .to(ext_dev(0)) first";
    assert_eq!(error, expected);
}

#[test]
fn machines_without_the_device_are_refused_by_name() {
    let made = |devices: &[Device]| machine(devices, sums).unwrap_err().to_string();
    assert_eq!(made(&[]), "the program's device 0 is of kind ext_dev, and no device is given for it");
    assert_eq!(made(&[Device::cpu()]), "the program's device 0 is of kind ext_dev, but cpu(0) is given for it");
    let beyond = test_device::device(17);
    assert_eq!(made(&[beyond]), "the device ext_dev(17) does not exist on this machine; use cpu(0)");
}

#[test]
fn work_waits_until_somebody_synchronises() {
    let device = test_device::device(0);
    let there = device.copy_of(&vector([5.0; 4])).unwrap();
    let stream = device.open().unwrap().stream().unwrap();
    let here = Tensor::zeros(DataType::F32, &[4]).unwrap();
    stream.copy(&here, &there).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    assert_eq!(here.to_vec::<f32>().unwrap(), [0.0; 4], "a reader that does not wait sees what was there before");
    stream.synchronise().unwrap();
    assert_eq!(here.to_vec::<f32>().unwrap(), [5.0; 4]);
    // Memory that nothing was written to is full of NaN.
    let empty = device.empty(floats()).unwrap();
    assert!(elements(&empty.into()).iter().all(|x| x.is_nan()));
}

#[test]
fn a_forgotten_copy_or_wait_shows() {
    for fault in Fault::ALL {
        let device = fault.device();
        let x = device.copy_of(&vector([1.0; 4])).unwrap();
        for (program, expected) in [
            (sums as fn(&mut ProgramBuilder, &mut FunctionBuilder), [3.0, 4.0, 5.0, 6.0]),
            (read_by_the_host, [5.0; 4]),
        ] {
            let main = on_device(&[device], program);
            let shows = match main.call(&[x.clone().into()]) {
                Err(_) => true,
                Ok(result) => elements(&result) != expected,
            };
            assert!(shows, "{fault:?}");
        }
    }
}

#[test]
fn a_host_that_touches_its_memory_is_stopped_by_a_message() {
    const TEST: &str = "test_device::a_host_that_touches_its_memory_is_stopped_by_a_message";
    const TOUCHES: &str = "TILEWRIGHT_TEST_TOUCHES";
    if std::env::var_os(TOUCHES).is_some() {
        let tensor = test_device::device(0).copy_of(&vector([1.0; 4])).unwrap();
        let address = std::ptr::with_exposed_provenance::<u8>(tensor.data_ptr().addr());
        // SAFETY: none; this is what must not be done, in a process that exists for it alone.
        let byte = unsafe { address.read_volatile() };
        println!("read {byte}");
        return;
    }
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    let output = command.args(["--exact", TEST, "--test-threads=1"]).env(TOUCHES, "1").output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && errors.contains(MESSAGE), "{errors}");
}
