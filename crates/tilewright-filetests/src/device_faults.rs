//! Faults of devices, and of programs for devices, and that run lines show them.
//!
//! A copy or a wait that the machine forgets is one that the device never hears of: [`Fault`] has a device for each.
//! One that the compiler forgets is an instruction that is missing: each copy to the host, each copy back and each wait
//! of a program is taken out in turn.

use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use tilewright::runtime::device::test_device::{self, Fault};
use tilewright::runtime::program::{DeviceKind, Instruction, Package};
use tilewright::runtime::{Device, Error, Executable, VirtualMachine, registry};
use tilewright::{CompileOptions, SourceFile, Target, Tensor, Value, parse_module};

use crate::TestFile;
use crate::run::{check_runs, register, runs_on};

/// How many files of operators are run on each device with a fault.
const FILES: usize = 12;

/// What the host does with what the device computes: reads it, branches by it, writes it, and calls back.
const READ_BY_HOST: &str = r#"
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        y = R.add(x, x)
        found = R.unique(y)
        flag = R.less(R.min(y), R.const(3.0, "float32"))
        if flag:
            z = R.multiply(y, y)
        else:
            z = R.add(y, y)
        w = R.call_pure_packed("test.doubled", z, sinfo_args=R.Tensor((4,), "float32"))
        v = R.call_dps_packed("test.copy", (w,), out_sinfo=R.Tensor((4,), "float32"))
        return (v, found)
"#;

/// Tensors whose struct infos name the host.
const ON_HOST: &str = r#"
@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((4,), "float32"), h: R.Tensor((4,), "float32", I.vdevice("llvm", 0))
    ):
        y = R.add(x, x)
        here = R.to_vdevice(y, I.vdevice("llvm", 0))
        z = R.add(here, h)
        w = R.multiply(x, R.hint_on_device(z, I.vdevice("llvm", 0)))
        return (here, z, w)
"#;

/// A trial for each fault.
pub(crate) fn trials(trials: &mut Vec<Trial>, tests: &Arc<[Arc<TestFile>]>) {
    for fault in Fault::ALL {
        let tests = Arc::clone(tests);
        let name = format!("fault of a device: {fault:?}");
        trials.push(Trial::test(name, move || shows(fault, &tests).map_err(Failed::from)));
    }
    trials.push(Trial::test("programs for devices name the host", || names_the_host().map_err(Failed::from)));
    trials.push(Trial::test("faults of programs for devices", || every_instruction_counts().map_err(Failed::from)));
}

/// Whether all of some operators' files fail on the device with the fault.
fn shows(fault: Fault, tests: &[Arc<TestFile>]) -> Result<(), String> {
    let device = fault.device();
    // What tensors are like is known on the host: `inspect` reads no elements.
    let of_operators = |test: &&Arc<TestFile>| {
        let family = test.name.strip_prefix("crates/tilewright-ops/src/");
        family.is_some_and(|name| !name.starts_with("inspect/")) && runs_on(test, device)
    };
    let files: Vec<_> = tests.iter().filter(of_operators).collect();
    let step = (files.len() / FILES).max(1);
    let unseen: Vec<_> = files.iter().step_by(step).filter(|test| check_runs(test, device).is_ok()).collect();
    match unseen.is_empty() {
        true => Ok(()),
        false => {
            Err(unseen.iter().map(|test| format!("{} does not show it", test.name)).collect::<Vec<_>>().join("\n"))
        }
    }
}

/// What [`READ_BY_HOST`] computes is right, and is not with any copy to the host or any wait taken out.
fn every_instruction_counts() -> Result<(), String> {
    let package = &compiled(READ_BY_HOST)?;
    let expected = run(package)?;
    if expected != [2.0, 8.0, 32.0, 128.0] {
        return Err(format!("it gives {expected:?}"));
    }
    let (mut taken, mut copied_back, mut unseen) = (0, 0, Vec::new());
    for (function, body) in package.program.functions.iter().enumerate() {
        for (at, instruction) in body.instructions.iter().enumerate() {
            let host = |device: usize| package.program.devices[device] == DeviceKind::Cpu;
            let without = match instruction {
                Instruction::Sync => Instruction::Goto { target: at as u32 + 1 },
                Instruction::Copy { dst, src, device } if host(device.0 as usize) => {
                    Instruction::Move { dst: *dst, src: *src }
                }
                Instruction::CopyTo { .. } => Instruction::Goto { target: at as u32 + 1 },
                _ => continue,
            };
            let mut faulty = package.clone();
            faulty.program.functions[function].instructions[at] = without;
            taken += 1;
            match (instruction, run(&faulty).is_ok_and(|found| found == expected)) {
                (Instruction::CopyTo { .. }, false) => copied_back += 1,
                // A tensor that a function only reads is copied back as it was.
                (Instruction::CopyTo { .. }, true) | (_, false) => {}
                (_, true) => unseen.push(format!("instruction {at}, {instruction:?}")),
            }
        }
    }
    match (taken > 0 && copied_back > 0, unseen.is_empty()) {
        (false, _) => Err("the program does not copy, wait and copy back".to_owned()),
        (true, true) => Ok(()),
        (true, false) => {
            let text = package.program.as_text();
            Err(format!("without these, all is as it was:\n{}\n{text}", unseen.join("\n")))
        }
    }
}

/// Whether tensors go to the host where [`ON_HOST`] says so, and results lie where their struct infos say.
fn names_the_host() -> Result<(), String> {
    let package = compiled(ON_HOST)?;
    let device = test_device::device(0);
    let input = |values: [f32; 4]| Tensor::from_vec(&[4], values.to_vec());
    let call = || {
        let (x, h) = (device.copy_of(&input([1.0, 2.0, 3.0, 4.0])?)?, input([0.5; 4])?);
        call(&package, &[x.into(), h.into()])
    };
    let result = call().map_err(|error| error.to_string())?;
    let results = result.as_tuple().map_err(|error| error.to_string())?;
    let expected = [(true, [2.0, 4.0, 6.0, 8.0]), (false, [2.5, 4.5, 6.5, 8.5]), (false, [2.5, 9.0, 19.5, 34.0])];
    for (at, (value, (on_host, values))) in results.iter().zip(expected).enumerate() {
        let tensor = value.as_tensor().map_err(|error| error.to_string())?;
        let found = Device::cpu().copy_of(tensor).and_then(|tensor| Ok(tensor.to_vec::<f32>()?));
        let found = found.map_err(|error| error.to_string())?;
        if tensor.is_on_host() != on_host || found != values {
            return Err(format!("result {at} is {found:?}, on {}", tensor.device()));
        }
    }
    let elsewhere = ON_HOST.replace("I.vdevice(\"llvm\", 0)", "I.vdevice(\"cuda\", 0)");
    match compiled(&elsewhere) {
        Err(error) if error.contains("compiled for ext_dev, device 0, and the processor") => Ok(()),
        other => Err(format!("{:?}", other.map(|_| "compiled"))),
    }
}

/// The text's module as a program for the test device.
fn compiled(text: &str) -> Result<Package, String> {
    register();
    registry::register_override("test.doubled", |args| {
        let doubled: Vec<f32> = args[0].as_tensor()?.to_vec()?.iter().map(|x: &f32| 2.0 * x).collect();
        Ok(Tensor::from_vec(&[4], doubled)?.into())
    });
    let module = parse_module(&SourceFile::new("device_faults", text)).map_err(|e| e.to_string())?;
    let options = CompileOptions::for_target(Target::parse("ext_dev").map_err(|e| e.to_string())?);
    let executable = tilewright::compile(&module, &options).map_err(|e| e.to_string())?;
    Ok(executable.package().clone())
}

/// Calls a program's `main` on the test device.
fn call(package: &Package, args: &[Value]) -> Result<Value, Error> {
    let executable = Arc::new(Executable::load(package.encode()?)?);
    VirtualMachine::new(executable, &[test_device::device(0)])?.function("main")?.call(args)
}

/// The program's first result on the test device.
fn run(package: &Package) -> Result<Vec<f32>, String> {
    let first = || {
        let x = Tensor::from_vec(&[4], vec![0.5f32, 1.0, 2.0, 4.0])?;
        let result = call(package, &[test_device::device(0).copy_of(&x)?.into()])?;
        let result = Device::cpu().value_of(&result)?;
        let Some(Value::Tensor(first)) = result.as_tuple()?.first() else { return Ok(Vec::new()) };
        Ok(first.to_vec::<f32>()?)
    };
    first().map_err(|error: Error| error.to_string())
}
