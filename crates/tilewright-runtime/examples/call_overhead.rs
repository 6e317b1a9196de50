//! What calls cost, apart from the work in them: `cargo run --release -p tilewright-runtime --example call_overhead`.
//!
//! Each row is the least time per call over many rounds, so that other processes do not count.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use tilewright_runtime::{Executable, Value, VirtualMachine, num_threads, registry};
use tilewright_tensor::{DataType, Tensor};
use tilewright_vm_program::*;

const ROUNDS: usize = 200;
const CALLS: u32 = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let machine = machine()?;
    let x = Value::from(Tensor::zeros(DataType::F32, &[1, 784])?);
    println!("{:<44} {:>10}", "call", "ns");
    for (name, what) in [
        ("empty", "empty function: returns its argument"),
        ("symbolic", "the same, two symbolic dimensions checked"),
        ("fresh", "a new tensor of 3 kB"),
        ("planned", "ten tensors in the arena"),
        ("packed", "a packed function"),
        ("nested", "a function that calls \"empty\""),
        ("kernels", "ten kernels that do nothing"),
        ("region", "a parallel region whose tasks do nothing"),
    ] {
        let Ok(function) = machine.function(name) else { continue };
        let mut best = f64::INFINITY;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            for _ in 0..CALLS {
                function.call(std::slice::from_ref(&x))?;
            }
            best = best.min(start.elapsed().as_nanos() as f64 / f64::from(CALLS));
        }
        println!("{what:<44} {best:>10.1}");
    }
    println!("threads: {}", num_threads());
    Ok(())
}

fn machine() -> Result<VirtualMachine, Box<dyn Error>> {
    let mut program = ProgramBuilder::default();
    let constant_shape = Kind::static_tensor(DataType::F32, &[1, 784]);
    let function = |name: &str| {
        let mut function = FunctionBuilder::new(name);
        let x = function.param("x", constant_shape.clone());
        (function, x)
    };
    let (mut empty, x) = function("empty");
    empty.ret(x);
    let empty = program.function(empty);

    let mut symbolic = FunctionBuilder::new("symbolic");
    let dims = [DimPattern::Slot(symbolic.slot("n")), DimPattern::Slot(symbolic.slot("m"))];
    let x = symbolic.param("x", Kind::tensor(DataType::F32, &dims));
    symbolic.ret(x);
    program.function(symbolic);

    let shape = [Dim::Const(1), Dim::Const(784)];
    let (mut fresh, _) = function("fresh");
    let y = fresh.alloc(DataType::F32, &shape, Storage::Fresh);
    fresh.ret(y);
    program.function(fresh);

    let (mut planned, x) = function("planned");
    planned.arena_bytes(3136);
    for _ in 0..10 {
        planned.alloc(DataType::F32, &shape, Storage::Arena { offset: 0, bytes: 3136 });
    }
    planned.ret(x);
    program.function(planned);

    registry::register("call_overhead.first", |args| Ok(args.first().cloned().unwrap_or_default()))?;
    let first = program.packed("call_overhead.first");
    let (mut packed, x) = function("packed");
    let y = packed.call_packed(first, &[x]);
    packed.ret(y);
    program.function(packed);

    let (mut nested, x) = function("nested");
    let y = nested.call_function(empty, &[x]);
    nested.ret(y);
    program.function(nested);

    let mut target = TargetInfo::portable();
    if cfg!(target_arch = "x86_64") {
        target.triple = "x86_64-unknown-linux-gnu".to_owned();
        add_kernels(&mut program, function);
    }
    let bytes = Package::new(target, program.finish()?).encode()?;
    Ok(VirtualMachine::new(Arc::new(Executable::load(bytes)?), &[])?)
}

/// Functions over two kernels: `xor eax, eax; ret`, and a region of 16 tasks whose body is that.
fn add_kernels(program: &mut ProgramBuilder, function: impl Fn(&str) -> (FunctionBuilder, Reg)) {
    let nothing = [0x31, 0xc0, 0xc3];
    // `mov ecx, 16; xor edx, edx; lea rsi, [rip - 17]; jmp [rdi]`: parallel_for(cx, nothing, null, 16).
    let region = [0xb9, 16, 0, 0, 0, 0x31, 0xd2, 0x48, 0x8d, 0x35, 0xef, 0xff, 0xff, 0xff, 0xff, 0x27];
    let exports = [("nothing", 0), ("region", 3)];
    let image = program.image(Image {
        text: nothing.into_iter().chain(region).collect(),
        exports: exports.map(|(name, offset)| Export { name: name.into(), offset }).into(),
        ..Image::default()
    });
    let mut kernel = |export, tensors| {
        program.kernel(Kernel {
            image,
            export,
            tensors,
            scalars: vec![],
            scratch_bytes: 0,
            device: DeviceIndex::FIRST,
            packed: vec![],
        })
    };
    let (nothing, region) = (kernel(0, vec![Access::Read; 3]), kernel(1, vec![]));
    let (mut kernels, x) = function("kernels");
    for _ in 0..10 {
        kernels.call_kernel(nothing, &[x, x, x], &[]);
    }
    kernels.ret(x);
    program.function(kernels);
    let (mut regions, x) = function("region");
    regions.call_kernel(region, &[], &[]);
    regions.ret(x);
    program.function(regions);
}
