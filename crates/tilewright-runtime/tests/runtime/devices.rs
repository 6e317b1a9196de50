//! Devices and processors that are not there.

use std::sync::Arc;

use tilewright_runtime::{Device, ErrorKind, Executable, Value, VirtualMachine};
use tilewright_vm_program::*;

use crate::code::{builder, portable};

fn load(target: TargetInfo) -> Arc<Executable> {
    let mut program = builder();
    let mut main = FunctionBuilder::new("main");
    main.ret_none();
    program.function(main);
    let bytes = Package::new(target, program.finish().unwrap()).encode().unwrap();
    Arc::new(Executable::load(bytes).unwrap())
}

#[test]
fn a_missing_device_is_named() {
    let mut main = FunctionBuilder::new("main");
    main.ret_none();
    let executable = Arc::clone(portable(main).executable());
    let error = VirtualMachine::new(Arc::clone(&executable), &[Device::cpu(), Device::cuda(1)]).unwrap_err();
    assert_eq!(error.to_string(), "the device cuda(1) does not exist on this machine; use cpu(0)");
    let machine = VirtualMachine::new(executable, &[Device::cpu()]).unwrap();
    assert!(matches!(machine.function("main").unwrap().call(&[]).unwrap(), Value::None));
}

#[test]
fn missing_processor_features_are_named() {
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let features = vec!["+warp-drive".to_owned(), "-avx512f".to_owned(), "tea".to_owned()];
    let executable = load(TargetInfo { triple, features });
    let error = VirtualMachine::new(Arc::clone(&executable), &[]).unwrap_err();
    assert_eq!(error.to_string(), "the executable needs processor features that this machine lacks: warp-drive, tea");
    assert_eq!(executable.program().functions.len(), 1, "it can still be looked at");
}

#[test]
fn code_for_another_processor_is_refused() {
    let executable = load(TargetInfo { triple: "riscv64-unknown-linux-gnu".into(), features: vec![] });
    let error = VirtualMachine::new(executable, &[]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::WrongMachine { .. }), "{error}");
    assert!(error.to_string().contains("riscv64-unknown-linux-gnu"), "{error}");
}
