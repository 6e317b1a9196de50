//! Programs that mutation starts from: together they use every instruction in ways that succeed.

use tilewright_tensor::{DataType, Tensor};
use tilewright_vm_program::*;

use crate::engine::whole;

/// The files of all seeds.
pub(crate) fn all() -> Vec<Vec<u8>> {
    let programs = [shapes(), branches(), closures(), recursion(), kernels()];
    programs
        .into_iter()
        .map(|(target, program)| {
            let mut package = Package::new(target, program.finish().unwrap());
            package.metadata.insert("source".into(), "seed".into());
            whole(&package)
        })
        .collect()
}

type Seed = (TargetInfo, ProgramBuilder);

/// Symbolic sizes, the arena, constants and calls of the process.
fn shapes() -> Seed {
    let mut program = ProgramBuilder::default();
    let (first, tensor) = (program.packed("fuzz.first"), program.packed("fuzz.tensor"));
    let weights = program.constant(&Tensor::from_vec(&[2, 3], vec![1.0f32; 6]).unwrap()).unwrap();
    let mut main = FunctionBuilder::new("main");
    let n = main.slot("n");
    let x = main.param("x", Kind::tensor(DataType::F32, &[DimPattern::Slot(n), DimPattern::Any]));
    let m = main.param("m", Kind::Prim { dtype: DataType::I64, value: DimPattern::Slot(n) });
    main.arena_bytes(1024);
    let half = main.compute_dim("half", ScalarOp::FloorDiv, Dim::Slot(n), Dim::Const(2));
    let more = main.compute_dim("more", ScalarOp::Add, half, Dim::Const(1));
    let inner = main.alloc(DataType::F32, &[more, Dim::Slot(n)], Storage::Arena { offset: 0, bytes: 512 });
    let fixed = main.alloc(DataType::I8, &[Dim::Const(8), Dim::Const(8)], Storage::Arena { offset: 512, bytes: 64 });
    main.call_dps_packed(first, &[inner, fixed, m]);
    main.kill(inner);
    let made = main.call_packed(tensor, &[x]);
    let made_kind = Kind::tensor(DataType::F32, &[DimPattern::Const(2), DimPattern::Const(3)]);
    main.match_kind(made, made_kind, "what was made");
    let weights = main.load_const(weights);
    let shape = main.make_shape(&[more, Dim::Const(7)]);
    let fresh = main.alloc(DataType::F64, &[more], Storage::Fresh);
    let result = main.make_tuple(&[made, weights, shape, fresh, x]);
    main.ret(result);
    program.function(main);
    (TargetInfo::portable(), program)
}

/// Branches that land in one place, tuples and literals.
fn branches() -> Seed {
    let mut program = ProgramBuilder::default();
    let (first, fail) = (program.packed("fuzz.first"), program.packed("fuzz.fail"));
    let mut main = FunctionBuilder::new("main");
    let flags = main.param("flags", Kind::Tuple(vec![Kind::prim(DataType::BOOL), Kind::prim(DataType::F32)]));
    let flag = main.get_item(flags, 0);
    let result = main.register();
    let otherwise = main.branch(flag);
    let text = main.load_literal(Literal::Str("then".into()));
    let called = main.call_packed(first, &[text]);
    main.move_to(result, called);
    let end = main.goto();
    main.land(otherwise);
    let float = main.load_literal(Literal::Float(1.5));
    main.call_dps_packed(fail, &[float]);
    main.move_to(result, float);
    main.land(end);
    let kind = main.load_literal(Literal::DataType(DataType::BF16));
    let pair = main.make_tuple(&[result, kind]);
    main.kill(result);
    main.ret(pair);
    program.function(main);
    (TargetInfo::portable(), program)
}

/// Closures with what they captured, function values, numbers of other types, origins.
fn closures() -> Seed {
    let mut program = ProgramBuilder::default();
    let (first, call) = (program.packed("fuzz.first"), program.packed("fuzz.call"));
    let inner = program.declare("inner");
    let file = program.file("model.py");
    let mut main = FunctionBuilder::new("main");
    let n = main.slot("n");
    let x = main.param("x", Kind::Shape { dims: Some(vec![DimPattern::Slot(n), DimPattern::Any]) });
    let function = main.param("f", Kind::Function);
    main.origin(file, 3);
    let root = main.compute("root", ScalarOp::Cast(DataType::F32), DataType::I64, &[Dim::Slot(n)]);
    let root = main.compute("root", ScalarOp::Math(MathOp::Sqrt), DataType::F32, &[root]);
    let large = main.compute("large", ScalarOp::Greater, DataType::F32, &[root, Dim::Const(1.0f64.to_bits() as i64)]);
    let picked = main.compute("picked", ScalarOp::Select, DataType::I64, &[large, Dim::Slot(n), Dim::Const(-1)]);
    let picked = main.make_scalar(DataType::I64, picked);
    main.origin(file, 4);
    let closure = main.make_closure(inner, &[picked, function]);
    let once = main.call_closure(closure, &[x]);
    let packed = main.load_packed(first);
    let twice = main.call_closure(packed, &[once]);
    let through = main.call_packed(call, &[closure, twice]);
    let result = main.make_tuple(&[through, closure, packed]);
    main.ret(result);
    program.function(main);
    let mut body = FunctionBuilder::new("inner");
    let k = body.slot("k");
    body.param("k", Kind::Prim { dtype: DataType::I64, value: DimPattern::Slot(k) });
    let function = body.param("f", Kind::Function);
    let y = body.param("y", Kind::Object);
    let result = body.call_closure(function, &[y]);
    body.ret(result);
    program.define(inner, body);
    (TargetInfo::portable(), program)
}

/// A function that calls itself, and another that calls it.
fn recursion() -> Seed {
    let mut program = ProgramBuilder::default();
    let down = program.declare("down");
    let mut body = FunctionBuilder::new("down");
    let n = body.slot("n");
    let value = body.param("n", Kind::Prim { dtype: DataType::I64, value: DimPattern::Slot(n) });
    body.arena_bytes(64);
    body.alloc(DataType::U8, &[Dim::Const(64)], Storage::Arena { offset: 0, bytes: 64 });
    let more = body.compute("more", ScalarOp::Greater, DataType::I64, &[Dim::Slot(n), Dim::Const(0)]);
    let more = body.make_scalar(DataType::BOOL, more);
    let result = body.register();
    body.move_to(result, value);
    let otherwise = body.branch(more);
    let less = body.compute_dim("less", ScalarOp::Sub, Dim::Slot(n), Dim::Const(1));
    let less = body.make_scalar(DataType::I64, less);
    let called = body.call_function(down, &[less]);
    body.move_to(result, called);
    body.land(otherwise);
    body.ret(result);
    program.define(down, body);
    let mut main = FunctionBuilder::new("main");
    let start = main.load_literal(Literal::Int(9));
    let result = main.call_function(down, &[start]);
    main.ret(result);
    program.function(main);
    (TargetInfo::portable(), program)
}

/// Steps of a plan, some inside of others.
fn launches() -> Vec<LaunchStep> {
    let launch = LaunchStep::Launch(KernelLaunch {
        symbol: "kernel_0".into(),
        grid: [Dim::Slot(1), Dim::Const(1), Dim::Const(1)],
        block: [32, 1, 1],
        shared_bytes: 64,
        memory: vec![0, 1],
        scalars: vec![Dim::Slot(0)],
    });
    let inside = vec![LaunchStep::Repeat { slot: 1, from: Dim::Const(0), count: Dim::Slot(0), steps: vec![launch] }];
    let bytes = LaunchStep::Allocate { memory: 1, bytes: Dim::Const(8) };
    vec![
        bytes,
        LaunchStep::Choose { condition: Dim::Slot(0), then: inside, otherwise: Vec::new() },
        LaunchStep::Free { memory: 1 },
    ]
}

/// Kernels, on tensors of the caller and of the arena.
fn kernels() -> Seed {
    let mut program = ProgramBuilder::default();
    let image = program.image(Image {
        kind: DeviceKind::Cpu,
        text: vec![0x31, 0xc0, 0xc3, 0x90, 0x31, 0xc0, 0xc3, 0x90],
        data: vec![0; 24],
        externals: vec![0, 3],
        imports: vec!["abs".into()],
        relocations: vec![0, 16],
        exports: vec![Export { name: "first".into(), offset: 0 }, Export { name: "second".into(), offset: 4 }],
        symbols: vec![Symbol { name: "first".into(), offset: 0, bytes: 3 }],
        plans: vec![LaunchPlan { slots: 2, memories: 2, steps: launches() }],
    });
    let mut kernel = |export, tensors, scalars| {
        let device = DeviceIndex::FIRST;
        program.kernel(Kernel { image, export, tensors, scalars, scratch_bytes: 128, device, packed: vec![] })
    };
    let first = kernel(0, vec![Access::Read, Access::Write], vec![DataType::I64]);
    let second = kernel(1, vec![Access::Write], vec![DataType::F32, DataType::BOOL]);
    let mut main = FunctionBuilder::new("main");
    let n = main.slot("n");
    let x = main.param("x", Kind::tensor(DataType::F32, &[DimPattern::Slot(n)]));
    let alpha = main.param("alpha", Kind::prim(DataType::F32));
    let flag = main.param("flag", Kind::prim(DataType::BOOL));
    main.arena_bytes(256);
    let inner = main.alloc(DataType::F32, &[Dim::Slot(n)], Storage::Arena { offset: 64, bytes: 192 });
    main.call_kernel(first, &[x, inner], &[Scalar::Dim(Dim::Slot(n))]);
    let out = main.alloc(DataType::F32, &[Dim::Slot(n)], Storage::Fresh);
    main.call_kernel(first, &[inner, out], &[Scalar::Dim(Dim::Const(3))]);
    main.call_kernel(second, &[out], &[Scalar::Reg(alpha), Scalar::Reg(flag)]);
    main.ret(out);
    program.function(main);
    let target = TargetInfo { triple: "x86_64-unknown-linux-gnu".into(), features: vec!["sse2".into()] };
    (target, program)
}
