//! Launch plans: as bytes, and what is wrong with one.

use tilewright_tensor::DataType;
use tilewright_vm_program::*;

fn launch(memory: u32, blocks: Dim) -> LaunchStep {
    LaunchStep::Launch(KernelLaunch {
        symbol: "kernel_0".into(),
        grid: [blocks, Dim::Const(1), Dim::Const(1)],
        block: [128, 1, 1],
        shared_bytes: 0,
        memory: vec![0, memory],
        scalars: vec![Dim::Slot(0)],
    })
}

fn plan(steps: Vec<LaunchStep>) -> LaunchPlan {
    LaunchPlan { slots: 3, memories: 3, steps }
}

fn blocks() -> LaunchStep {
    let args = vec![Dim::Slot(0), Dim::Const(128)];
    LaunchStep::Compute { dst: 1, op: ScalarOp::FloorDiv, dtype: DataType::I64, args }
}

#[test]
fn a_plan_is_read_as_it_was_written() {
    let inside = vec![launch(2, Dim::Slot(2))];
    let steps = vec![
        blocks(),
        LaunchStep::Check { condition: Dim::Slot(1), message: "no block".into() },
        LaunchStep::Allocate { memory: 2, bytes: Dim::Slot(0) },
        LaunchStep::Repeat { slot: 2, from: Dim::Const(1), count: Dim::Slot(1), steps: inside.clone() },
        LaunchStep::Choose { condition: Dim::Slot(1), then: vec![launch(1, Dim::Slot(1))], otherwise: Vec::new() },
        LaunchStep::Free { memory: 2 },
    ];
    let plan = plan(steps);
    assert_eq!(plan.verify(2, 1), Ok(()));
    assert_eq!(LaunchPlan::decode(&plan.encode()), Ok(plan.clone()));
    for length in 0..plan.encode().len() {
        assert!(LaunchPlan::decode(&plan.encode()[..length]).is_err(), "{length} bytes");
    }
}

#[test]
fn steps_with_things_that_are_missing_are_refused() {
    let free = LaunchStep::Free { memory: 2 };
    let allocate = LaunchStep::Allocate { memory: 2, bytes: Dim::Const(4) };
    let many = LaunchStep::Launch(KernelLaunch { block: [1024, 2, 1], ..first(launch(1, Dim::Const(1))) });
    let float = LaunchStep::Compute { dst: 1, op: ScalarOp::Copy, dtype: DataType::F32, args: vec![Dim::Const(0)] };
    let leaks = LaunchStep::Choose { condition: Dim::Const(1), then: vec![allocate.clone()], otherwise: vec![] };
    for (steps, expected) in [
        (vec![launch(2, Dim::Const(1))], "memory 2 of 3 is not there"),
        (vec![launch(1, Dim::Slot(1))], "slot 1 of 3 has no value"),
        (vec![allocate.clone(), free.clone(), launch(2, Dim::Const(1))], "memory 2 of 3 is not there"),
        (vec![allocate.clone(), allocate], "cannot be allocated"),
        (vec![LaunchStep::Free { memory: 0 }], "is a tensor's"),
        (vec![many], "2048 threads"),
        (vec![float], "Copy of 1 numbers of float32"),
        (vec![leaks], "not freed"),
    ] {
        let found = plan(steps).verify(2, 1).unwrap_err();
        assert!(found.contains(expected), "{found}");
    }
    assert!(plan(Vec::new()).verify(4, 1).is_err());
}

fn first(step: LaunchStep) -> KernelLaunch {
    match step {
        LaunchStep::Launch(launch) => launch,
        other => panic!("{other:?}"),
    }
}
