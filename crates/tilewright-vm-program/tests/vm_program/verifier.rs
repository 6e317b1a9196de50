//! One broken program for each property that the verifier checks.

use tilewright_tensor::DataType;
use tilewright_vm_program::*;

use crate::programs::{everything, image};

const ROW: [Dim; 1] = [Dim::Const(16)];

/// A program around `main`: one image, a kernel that reads one tensor and writes another, one packed name, and a
/// function "other" of one parameter.
fn verify(main: FunctionBuilder) -> Result<(), String> {
    let mut program = ProgramBuilder::default();
    let image = program.image(image());
    program.kernel(Kernel {
        image,
        export: 0,
        tensors: vec![Access::Read, Access::Write],
        scalars: vec![],
        scratch_bytes: 0,
        device: DeviceIndex::FIRST,
        packed: vec![],
    });
    program.packed("p");
    let mut other = FunctionBuilder::new("other");
    let x = other.param("x", Kind::Object);
    other.ret(x);
    program.function(other);
    program.function(main);
    program.finish().map(|_| ()).map_err(|error| error.to_string())
}

#[track_caller]
fn refused(expected: &str, build: impl FnOnce(&mut FunctionBuilder)) {
    let mut main = FunctionBuilder::new("main");
    build(&mut main);
    let error = verify(main).unwrap_err();
    assert!(error.contains(expected), "expected \"{expected}\", found \"{error}\"");
}

#[test]
fn names_that_do_not_exist() {
    refused("register 9 of 0", |f| f.ret(Reg(9)));
    refused("kernel 4 of 1", |f| {
        f.call_kernel(4, &[], &[]);
        f.ret_none();
    });
    refused("packed name 7 of 1", |f| {
        f.call_dps_packed(7, &[]);
        f.ret_none();
    });
    refused("constant 0 of 0", |f| {
        f.load_const(0);
        f.ret_none();
    });
    refused("function 3 of 2", |f| {
        f.call_function(3, &[]);
        f.ret_none();
    });
    refused("slot 2 of 0", |f| {
        f.make_shape(&[Dim::Slot(2)]);
        f.ret_none();
    });
    refused("slot 5 of 0", |f| {
        f.param("x", Kind::tensor(DataType::F32, &[DimPattern::Slot(5)]));
        f.ret_none();
    });
}

#[test]
fn counts_that_do_not_fit() {
    refused("1 tensors, expected 2", |f| {
        let x = f.param("x", Kind::Object);
        f.call_kernel(0, &[x], &[]);
        f.ret_none();
    });
    refused("0 arguments, expected 1", |f| {
        f.call_function(0, &[]);
        f.ret_none();
    });
    refused("registers for", |f| {
        for _ in 0..10 {
            f.register();
        }
        f.ret_none();
    });
}

#[test]
fn ways_out_of_the_code() {
    refused("no instructions", |_| {});
    refused("not a return", |f| {
        f.load_literal(Literal::None);
    });
    refused("expected a later instruction", |f| {
        f.push(Instruction::Goto { target: 0 });
        f.ret_none();
    });
    refused("expected a later instruction", |f| {
        f.push(Instruction::Goto { target: 99 });
        f.ret_none();
    });
}

#[test]
fn values_that_are_not_there_on_every_path() {
    refused("read before it is written", |f| {
        let reg = f.register();
        f.ret(reg);
    });
    refused("read before it is written", |f| {
        let x = f.param("x", Kind::Object);
        f.kill(x);
        f.ret(x);
    });
    refused("read before it is written", |f| {
        let cond = f.param("c", Kind::prim(DataType::BOOL));
        let reg = f.register();
        let otherwise = f.branch(cond);
        f.move_to(reg, cond);
        f.land(otherwise);
        f.ret(reg);
    });
    refused("\"n\" is read before it has a value", |f| {
        let n = f.slot("n");
        let shape = f.make_shape(&[Dim::Slot(n)]);
        f.ret(shape);
    });
}

#[test]
fn both_arms_of_a_branch_may_write_a_result() {
    let mut f = FunctionBuilder::new("main");
    let cond = f.param("c", Kind::prim(DataType::BOOL));
    let reg = f.register();
    let otherwise = f.branch(cond);
    f.move_to(reg, cond);
    let end = f.goto();
    f.land(otherwise);
    f.push(Instruction::LoadLiteral { dst: reg, value: Literal::Int(1) });
    f.land(end);
    f.ret(reg);
    assert_eq!(verify(f), Ok(()));
}

#[test]
fn memory_that_does_not_fit() {
    refused("64 bytes at 64 of an arena of 100 bytes", |f| {
        f.arena_bytes(100);
        f.alloc(DataType::F32, &ROW, Storage::Arena { offset: 64, bytes: 64 });
        f.ret_none();
    });
    refused("expected a multiple of 64", |f| {
        f.arena_bytes(1000);
        f.alloc(DataType::F32, &ROW, Storage::Arena { offset: 4, bytes: 64 });
        f.ret_none();
    });
    refused("64 bytes in a place of 32", |f| {
        f.arena_bytes(64);
        f.alloc(DataType::F32, &ROW, Storage::Arena { offset: 0, bytes: 32 });
        f.ret_none();
    });
    refused("64 bytes at 18446744073709551552", |f| {
        f.arena_bytes(64);
        f.alloc(DataType::F32, &ROW, Storage::Arena { offset: u64::MAX - 63, bytes: 64 });
        f.ret_none();
    });
    refused("larger than the address space", |f| {
        f.alloc(DataType::F32, &[Dim::Const(i64::MAX)], Storage::Fresh);
        f.ret_none();
    });
    refused("a dimension of size -1", |f| {
        f.alloc(DataType::F32, &[Dim::Const(-1)], Storage::Fresh);
        f.ret_none();
    });
    refused("an arena of 18446744073709551615 bytes", |f| {
        f.arena_bytes(u64::MAX);
        f.ret_none();
    });
}

#[test]
fn arena_tensors_that_leave() {
    let arena = Storage::Arena { offset: 0, bytes: 64 };
    refused("is returned", |f| {
        f.arena_bytes(64);
        let x = f.alloc(DataType::F32, &ROW, arena);
        f.ret(x);
    });
    refused("is returned", |f| {
        f.arena_bytes(64);
        let x = f.alloc(DataType::F32, &ROW, arena);
        let tuple = f.make_tuple(&[x]);
        f.ret(tuple);
    });
}

/// A program whose kernel takes tensors of these places in an arena, a written one where the third is true.
fn sharing(places: &[(u64, u64, bool)]) -> Result<(), VerifyError> {
    let mut program = ProgramBuilder::default();
    let image = program.image(image());
    let access = |&(_, _, written): &(u64, u64, bool)| if written { Access::Write } else { Access::Read };
    let tensors = places.iter().map(access).collect();
    let device = DeviceIndex::FIRST;
    program.kernel(Kernel { image, export: 0, tensors, scalars: vec![], scratch_bytes: 0, device, packed: vec![] });
    let mut main = FunctionBuilder::new("main");
    main.arena_bytes(1 << 40);
    let alloc = |&(offset, bytes, _): &(u64, u64, bool)| {
        main.alloc(DataType::U8, &[Dim::Const(bytes as i64)], Storage::Arena { offset, bytes })
    };
    let registers: Vec<Reg> = places.iter().map(alloc).collect();
    main.call_kernel(0, &registers, &[]);
    main.ret_none();
    program.function(main);
    program.finish().map(drop)
}

#[test]
fn places_are_compared_as_if_each_with_each() {
    // Multiples of 64 from a small range, so that many sets share and many do not.
    let mut seed = 7u64;
    let mut below = |bound: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % bound
    };
    let mut refused = 0;
    for _ in 0..2000 {
        let count = 1 + below(5);
        let places: Vec<_> =
            (0..count).map(|_| (64 * below(12), below(4) * 64 / (1 + below(2)), below(2) == 0)).collect();
        let shares = |(i, a): (usize, &(u64, u64, bool))| {
            let overlaps = |b: &(u64, u64, bool)| a.0.max(b.0) < (a.0 + a.1).min(b.0 + b.1);
            a.2 && places.iter().enumerate().any(|(j, b)| i != j && overlaps(b))
        };
        let expected = places.iter().enumerate().any(shares);
        refused += usize::from(expected);
        assert_eq!(sharing(&places).is_err(), expected, "{places:?}");
    }
    assert!((200..1800).contains(&refused), "{refused}");
}

#[test]
fn arguments_are_not_compared_each_with_each() {
    let (done, verified) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let places: Vec<_> = (0..400_000).map(|number| (number * 64, 64, true)).collect();
        done.send(sharing(&places).map_err(|error| error.to_string()))
    });
    // A guard against what never ends, not a measure: in their order they take about a second, each with each an hour.
    let hang = std::time::Duration::from_secs(300);
    assert_eq!(verified.recv_timeout(hang), Ok(Ok(())));
}

#[test]
fn kernels_whose_arguments_share_memory() {
    refused("writes register 0, whose memory register 0 shares", |f| {
        let x = f.param("x", Kind::static_tensor(DataType::F32, &[16]));
        f.call_kernel(0, &[x, x], &[]);
        f.ret_none();
    });
    refused("writes register 1, whose memory register 0 shares", |f| {
        f.arena_bytes(128);
        let x = f.alloc(DataType::F32, &ROW, Storage::Arena { offset: 0, bytes: 128 });
        let y = f.alloc(DataType::F32, &ROW, Storage::Arena { offset: 64, bytes: 64 });
        f.call_kernel(0, &[x, y], &[]);
        f.ret_none();
    });
}

#[test]
fn tables_that_are_wrong() {
    let broken = |change: &dyn Fn(&mut Program)| {
        let mut program = everything();
        change(&mut program);
        program.verify().unwrap_err().to_string()
    };
    assert!(broken(&|p| p.kernels[0].image = 8).contains("image 8 of 1"));
    assert!(broken(&|p| p.kernels[0].export = 8).contains("export 8 of 2"));
    assert!(broken(&|p| p.kernels[0].scalars[0] = DataType::VOID).contains("type void"));
    assert!(broken(&|p| p.images[0].exports[1].offset = 4).contains("begins at byte 4 of a text of 4"));
    assert!(broken(&|p| p.images[0].externals[0] = 9999).contains("external symbol 9999"));
    for name in ["", "a b", "a\0", "1st", "grün", &"x".repeat(256)] {
        assert!(broken(&|p| p.images[0].imports[0] = name.into()).contains("not the name of a C function"), "{name:?}");
    }
    assert!(broken(&|p| p.functions[0].name = "main".into()).contains("two functions are called \"main\""));
}

#[test]
fn the_text_names_everything() {
    let text = everything().as_text();
    for line in [
        "function main(x: Tensor((n, 3, _), float32), alpha: float32, flags: Tuple(bool, Shape((n,)), Object)) -> Tuple(Tensor(any rank, any type), Shape(any rank)):",
        "  0: twice = n * 2",
        "r3 = alloc (n, 4) float32 arena[64, +192]",
        "call copy(r0, out r3; twice)",
        "if r4 else goto 8",
        "packed \"env.log\"(r3, r5)",
        "r6 = const 0  # [2, 3] float32",
        "match r7: Tensor((n,), any type)",
        "match r14: int64(m)  # size",
        "= helper(",
        "  # model.py:12",
        "half = float16(int64 n)",
        "root = sqrt(float16 half)",
        "large = root > 1.5 (float16)",
        "picked = select(large, n, -1)",
        "r18 = float16(root)",
        "r19 = packed \"env.log\"",
        "r20 = closure main.lambda(r18, r19)",
        "r21 = r20(r17)",
        "r21 = const 0 on device 1",
        "r22 = copy r21 to device 1",
        "r23 = copy r22 to device 0",
        "sync",
        "copy r23 into r21",
        "function main.lambda(scale: float16(scale), f: Function, y: Tensor(any rank, any type, device 1)) -> Object:",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let stats = everything().stats();
    assert_eq!((stats.functions, stats.kernel_calls, stats.packed_calls, stats.function_calls), (3, 2, 8, 3));
    assert_eq!((stats.constant_bytes, stats.arena_bytes, stats.code_bytes), (24, 256, 4));
}

#[test]
fn the_listing_has_a_statement_for_every_instruction() {
    let program = everything();
    let listing = program.as_python();
    for line in [
        "program = ProgramBuilder(devices=[\"cpu\", \"cuda\"])",
        "with program.function(\"main\") as f:",
        "    r0 = f.param(\"x\", \"Tensor((n, 3, _), float32)\")",
        "    f.arena(256)",
        "    r3 = f.alloc([s[0], 4], \"float32\", arena=(64, 192))",
        "    f.call_kernel(\"copy\", [r0, r3], [s[1]])",
        "    f.branch(r4, otherwise=\"L8\")",
        "    f.label(\"L8\")",
        "    r8 = True",
        "    r10 = float(\"-inf\")",
        "    # model.py:13",
        "    r20 = f.make_closure(\"main.lambda\", [r18, r19])",
        "    r21 = f.const(0, device=1)",
        "    r22 = f.copy(r21, device=1)",
        "    f.sync()",
        "    f.copy_to(r21, r23)",
    ] {
        assert!(listing.lines().any(|other| other == line), "{line}\n{listing}");
    }
    let instructions: usize = program.functions.iter().map(|function| function.instructions.len()).sum();
    let noted = |line: &&str| line.starts_with("    # ") || line.contains("f.label(") || line.contains("f.param(");
    let extra = listing.lines().filter(noted).count();
    let heads = listing.lines().filter(|line| line.is_empty()).count() * 3 + 1 + 1;
    assert_eq!(listing.lines().count(), instructions + extra + heads, "{listing}");
}

#[test]
fn references_of_closures_numbers_devices_and_origins_exist() {
    refused("function 3 of 2", |f| {
        f.make_closure(3, &[]);
        f.ret_none();
    });
    refused("2 captured values for a function of 1 parameters", |f| {
        let x = f.param("x", Kind::Object);
        f.make_closure(0, &[x, x]);
        f.ret_none();
    });
    refused("read before it is written", |f| {
        let function = f.register();
        let result = f.call_closure(function, &[]);
        f.ret(result);
    });
    refused("packed name 7 of 1", |f| {
        f.load_packed(7);
        f.ret_none();
    });
    refused("2 operands, expected 3", |f| {
        f.compute("n", ScalarOp::Select, DataType::I64, &[Dim::Const(1); 2]);
        f.ret_none();
    });
    refused("the type handle is none", |f| {
        f.compute("n", ScalarOp::Cast(DataType::HANDLE), DataType::I64, &[Dim::Const(1)]);
        f.ret_none();
    });
    refused("is read before it has a value", |f| {
        let n = f.slot("n");
        f.make_scalar(DataType::I64, Dim::Slot(n));
        f.ret_none();
    });
    refused("device 1 of 1", |f| {
        f.param("x", Kind::Tensor { dtype: None, dims: None, device: DeviceIndex(1) });
        f.ret_none();
    });
    refused("source file 0 of 0", |f| {
        f.origin(0, 1);
        f.ret_none();
    });
    let mut program = everything();
    program.functions.iter_mut().find(|f| f.name == "main").unwrap().device = DeviceIndex(1);
    let error = program.verify().unwrap_err().to_string();
    assert!(error.contains("device"), "{error}");
    let mut program = everything();
    let origins = &mut program.functions.iter_mut().find(|f| f.name == "main").unwrap().origins;
    origins.swap(0, 1);
    assert!(program.verify().unwrap_err().to_string().contains("out of order"));
}

/// A program with a kernel on a device and one on the host, and a function that `write` writes with their numbers.
fn on_devices(write: impl FnOnce(&mut FunctionBuilder, [u32; 2])) -> Result<Program, VerifyError> {
    let mut program = ProgramBuilder::for_device(DeviceKind::ExtDev);
    let host = program.host();
    let mut kernel = |kind, device| {
        let image = program.image(Image { kind, ..image() });
        let tensors = vec![Access::Read, Access::Write];
        program.kernel(Kernel { image, export: 0, tensors, scalars: vec![], scratch_bytes: 0, device, packed: vec![] })
    };
    let kernels = [kernel(DeviceKind::ExtDev, DeviceIndex::FIRST), kernel(DeviceKind::Cpu, host)];
    program.packed("env.log");
    let mut function = FunctionBuilder::new("main");
    write(&mut function, kernels);
    program.function(function);
    program.finish()
}

const HOST: DeviceIndex = DeviceIndex(1);

fn vector(device: DeviceIndex) -> Kind {
    Kind::Tensor { dtype: Some(DataType::F32), dims: Some(vec![DimPattern::Const(4)]), device }
}

#[test]
fn a_kernel_gets_tensors_of_its_own_device() {
    let call = |kernel: usize, place: DeviceIndex, copied: bool| {
        on_devices(|f, kernels| {
            let x = f.param("x", vector(place));
            let kernel_device = DeviceIndex(kernel as u32);
            let x = if copied { f.copy(x, kernel_device) } else { x };
            f.sync();
            let out = f.alloc_on(kernel_device, DataType::F32, &[Dim::Const(4)], Storage::Fresh);
            f.call_kernel(kernels[kernel], &[x, out], &[]);
            f.ret(out);
        })
    };
    for (kernel, place) in [(0, DeviceIndex::FIRST), (1, HOST)] {
        call(kernel, place, false).unwrap();
        let other = DeviceIndex(1 - place.0);
        call(kernel, other, true).unwrap();
        let error = call(kernel, other, false).unwrap_err().to_string();
        let expected =
            format!("kernel \"copy\" of device {kernel} is given register 0, which lies on device {}", other.0);
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn pending_copies_are_read_after_a_sync() {
    let read = |synced: bool, moved: bool| {
        on_devices(|f, _| {
            let x = f.param("x", vector(DeviceIndex::FIRST));
            let mut here = f.copy(x, HOST);
            if moved {
                let other = f.register();
                f.move_to(other, here);
                here = other;
            }
            if synced {
                f.sync();
            }
            f.call_dps_packed(0, &[here]);
            f.ret_none();
        })
    };
    for moved in [false, true] {
        read(true, moved).unwrap();
        assert!(read(false, moved).unwrap_err().to_string().contains("is read before a sync"));
    }
    // One path that waits is not enough.
    let on_a_path = on_devices(|f, _| {
        let x = f.param("x", vector(DeviceIndex::FIRST));
        let flag = f.param("flag", Kind::prim(DataType::BOOL));
        let here = f.copy(x, HOST);
        let skip = f.branch(flag);
        f.sync();
        f.land(skip);
        f.ret(here);
    });
    assert!(on_a_path.unwrap_err().to_string().contains("is read before a sync"));
    // Into a tensor of the host, a copy takes its time too; on the host itself it does not.
    let copied = |from: DeviceIndex| {
        on_devices(|f, _| {
            let x = f.param("x", vector(from));
            let here = f.alloc_on(HOST, DataType::F32, &[Dim::Const(4)], Storage::Fresh);
            f.copy_to(here, x);
            f.ret(here);
        })
    };
    copied(HOST).unwrap();
    assert!(copied(DeviceIndex::FIRST).unwrap_err().to_string().contains("is read before a sync"));
}

#[test]
fn images_and_arenas_belong_to_devices() {
    let mut program = everything();
    program.images[0].kind = DeviceKind::ExtDev;
    let error = program.verify().unwrap_err().to_string();
    assert!(error.contains("device 0, which is of kind cpu, but its image is for ext_dev"), "{error}");
    let error = on_devices(|f, _| {
        f.arena_bytes(64);
        f.alloc_on(HOST, DataType::F32, &[Dim::Const(4)], Storage::Arena { offset: 0, bytes: 64 });
        f.ret_none();
    });
    assert!(error.unwrap_err().to_string().contains("a tensor of device 1 in an arena of device 0"));
    // An arena tensor leaves as a copy on another device.
    let leaves = |to: DeviceIndex| {
        on_devices(|f, _| {
            f.arena_bytes(64);
            let x = f.alloc(DataType::F32, &[Dim::Const(4)], Storage::Arena { offset: 0, bytes: 64 });
            let copy = f.copy(x, to);
            f.sync();
            f.ret(copy);
        })
    };
    leaves(HOST).unwrap();
    assert!(leaves(DeviceIndex::FIRST).unwrap_err().to_string().contains("is returned"));
}

#[test]
fn an_arena_tensor_does_not_leave_in_a_closure() {
    refused("is returned", |f| {
        f.arena_bytes(64);
        let x = f.alloc(DataType::F32, &ROW, Storage::Arena { offset: 0, bytes: 64 });
        let closure = f.make_closure(0, &[x]);
        f.ret(closure);
    });
}

#[test]
fn origins_can_be_forgotten() {
    let mut program = everything();
    assert!(program.as_text().contains("model.py"));
    program.strip_origins();
    program.verify().unwrap();
    assert!(!program.as_text().contains("model.py"));
}

#[test]
fn deep_kinds_are_refused_without_overflow() {
    let nested = |depth| (0..depth).fold(Kind::Object, |kind, _| Kind::Tuple(vec![kind]));
    let mut main = FunctionBuilder::new("main");
    main.param("x", nested(MAX_NESTING));
    main.ret_none();
    assert_eq!(verify(main), Ok(()));
    refused("nested deeper than 1000", |f| {
        f.param("x", nested(MAX_NESTING + 1));
        f.ret_none();
    });
}
