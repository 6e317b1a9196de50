//! Programs to test with.

use tilewright_tensor::{DataType, Tensor};
use tilewright_vm_program::*;

pub(crate) fn image() -> Image {
    Image {
        kind: DeviceKind::Cpu,
        text: vec![0x31, 0xc0, 0xc3, 0x90],
        externals: vec![0, 2],
        imports: vec!["my_function".into()],
        exports: vec![Export { name: "copy".into(), offset: 0 }, Export { name: "scale".into(), offset: 2 }],
        data: vec![1, 0, 0, 0, 0, 0, 0, 0, 9],
        relocations: vec![0],
        symbols: vec![Symbol { name: "copy".into(), offset: 0, bytes: 3 }],
        plans: vec![LaunchPlan::default(), plan()],
    }
}

/// A plan that uses every step.
fn plan() -> LaunchPlan {
    let launch = |blocks, memory| {
        LaunchStep::Launch(KernelLaunch {
            symbol: "kernel_0".into(),
            grid: [blocks, Dim::Const(2), Dim::Const(1)],
            block: [128, 2, 1],
            shared_bytes: 4096,
            memory: vec![0, memory],
            scalars: vec![Dim::Slot(0), Dim::Const(-3)],
        })
    };
    let args = vec![Dim::Slot(0), Dim::Const(128)];
    let steps = vec![
        LaunchStep::Compute { dst: 1, op: ScalarOp::FloorDiv, dtype: DataType::I64, args },
        LaunchStep::Check { condition: Dim::Slot(1), message: "there is a block".into() },
        LaunchStep::Allocate { memory: 2, bytes: Dim::Slot(0) },
        LaunchStep::Repeat { slot: 2, from: Dim::Const(0), count: Dim::Slot(1), steps: vec![launch(Dim::Slot(2), 2)] },
        LaunchStep::Choose { condition: Dim::Slot(1), then: vec![launch(Dim::Slot(1), 1)], otherwise: Vec::new() },
        LaunchStep::Free { memory: 2 },
    ];
    LaunchPlan { slots: 3, memories: 3, steps }
}

/// A program that uses every instruction, every kind and every literal.
pub(crate) fn everything() -> Program {
    let mut program = ProgramBuilder::default();
    let image = program.image(image());
    let packed = program.packed("env.log");
    let copy = program.kernel(Kernel {
        image,
        export: 0,
        tensors: vec![Access::Read, Access::Write],
        scalars: vec![DataType::I64],
        scratch_bytes: 0,
        device: DeviceIndex::FIRST,
        packed: vec![],
    });
    let scale = program.kernel(Kernel {
        image,
        export: 1,
        tensors: vec![Access::Write],
        scalars: vec![DataType::F32, DataType::BOOL],
        scratch_bytes: 4096,
        device: DeviceIndex::FIRST,
        packed: vec![packed],
    });
    let weights = Tensor::from_vec(&[2, 3], vec![1.0f32, -2.0, 3.5, 0.0, -0.0, f32::NAN]).unwrap();
    let weights = program.constant(&weights).unwrap();
    let empty = program.constant(&Tensor::zeros(DataType::BOOL, &[0, 7]).unwrap()).unwrap();
    let helper = program.declare("helper");
    let lambda = program.declare("main.lambda");
    let there = program.device(DeviceKind::Cuda);

    let mut main = FunctionBuilder::new("main");
    let n = main.slot("n");
    let rows = [DimPattern::Slot(n), DimPattern::Const(3), DimPattern::Any];
    let x = main.param("x", Kind::tensor(DataType::F32, &rows));
    let scalar = main.param("alpha", Kind::prim(DataType::F32));
    let flags = main.param(
        "flags",
        Kind::Tuple(vec![
            Kind::prim(DataType::BOOL),
            Kind::Shape { dims: Some(vec![DimPattern::Slot(n)]) },
            Kind::Object,
        ]),
    );
    main.result(Kind::Tuple(vec![
        Kind::Tensor { dtype: None, dims: None, device: DeviceIndex::FIRST },
        Kind::Shape { dims: None },
    ]));
    main.arena_bytes(256);
    let twice = main.compute_dim("twice", ScalarOp::Mul, Dim::Slot(n), Dim::Const(2));
    let temporary =
        main.alloc(DataType::F32, &[Dim::Slot(n), Dim::Const(4)], Storage::Arena { offset: 64, bytes: 192 });
    main.call_kernel(copy, &[x, temporary], &[Scalar::Dim(twice)]);
    let flag = main.get_item(flags, 0);
    let out = main.alloc(DataType::F32, &[twice], Storage::Fresh);
    let otherwise = main.branch(flag);
    main.call_kernel(scale, &[out], &[Scalar::Reg(scalar), Scalar::Reg(flag)]);
    let end = main.goto();
    main.land(otherwise);
    main.call_dps_packed(packed, &[temporary, out]);
    main.land(end);
    main.kill(temporary);
    let constant = main.load_const(weights);
    let result = main.call_packed(packed, &[constant]);
    let kind = Kind::Tensor { dtype: None, dims: Some(vec![DimPattern::Slot(n)]), device: DeviceIndex::FIRST };
    main.match_kind(result, kind, "the result");
    for value in [
        Literal::Bool(true),
        Literal::Int(-5),
        Literal::Float(f64::NEG_INFINITY),
        Literal::Str("näme".into()),
        Literal::DataType(DataType::F32.with_lanes(8)),
        Literal::DataType(DataType::VOID),
    ] {
        let literal = main.load_literal(value);
        main.call_dps_packed(packed, &[literal]);
    }
    let size = main.load_literal(Literal::Int(4));
    let m = main.slot("m");
    main.match_kind(size, Kind::Prim { dtype: DataType::I64, value: DimPattern::Slot(m) }, "size");
    let shape = main.make_shape(&[Dim::Const(3), Dim::Slot(m)]);
    let moved = main.register();
    main.move_to(moved, out);
    let called = main.call_function(helper, &[moved]);
    main.origin(program.file("model.py"), 12);
    let half = main.compute("half", ScalarOp::Cast(DataType::F16), DataType::I64, &[Dim::Slot(n)]);
    let root = main.compute("root", ScalarOp::Math(MathOp::Sqrt), DataType::F16, &[half]);
    let large = main.compute("large", ScalarOp::Greater, DataType::F16, &[root, Dim::Const(1.5f64.to_bits() as i64)]);
    main.compute("picked", ScalarOp::Select, DataType::I64, &[large, Dim::Slot(n), Dim::Const(-1)]);
    let root = main.make_scalar(DataType::F16, root);
    let function = main.load_packed(packed);
    let closure = main.make_closure(lambda, &[root, function]);
    main.origin(program.file("model.py"), 13);
    let called = main.call_closure(closure, &[called]);
    let here = DeviceIndex::FIRST;
    main.push(Instruction::LoadConst { dst: called, constant: weights, device: there });
    let dtype = DataType::I8;
    main.push(Instruction::AllocTensor { dst: called, dtype, shape: vec![], storage: Storage::Fresh, device: here });
    let sent = main.copy(called, there);
    let returned = main.copy(sent, here);
    main.sync();
    main.copy_to(called, returned);
    let tuple = main.make_tuple(&[called, shape]);
    main.ret(tuple);
    program.function(main);

    let mut body = FunctionBuilder::new("main.lambda");
    let scale = Kind::Prim { dtype: DataType::F16, value: DimPattern::Slot(body.slot("scale")) };
    body.param("scale", scale);
    let function = body.param("f", Kind::Function);
    let y = body.param("y", Kind::Tensor { dtype: None, dims: None, device: there });
    let result = body.call_closure(function, &[y]);
    body.ret(result);
    program.define(lambda, body);

    let mut body = FunctionBuilder::new("helper");
    let y = body.param("y", Kind::Object);
    let unused = body.load_const(empty);
    body.kill(unused);
    body.ret(y);
    program.define(helper, body);
    program.finish().unwrap()
}
