//! Flat functions written by constructors, compiled, linked, loaded and run: what the tests of machine code share.

use std::sync::{Arc, Mutex, PoisonError};

use tilewright_expr::semantics::Scalar;
use tilewright_ir::Attrs;
use tilewright_ir::low::LowTir;
use tilewright_ir::tir::{Buffer, Expr, ForKind, Param, PrimFunc, Stmt, Var};
use tilewright_runtime::{Executable, Value, VirtualMachine, set_num_threads};
use tilewright_target::Target;
use tilewright_tensor::guard::Edge;
use tilewright_tensor::{DataType, Tensor};
use tilewright_vm_program::{
    Access, DeviceIndex, FunctionBuilder, Kernel, Kind, Package, ProgramBuilder, Scalar as MachineScalar, TargetInfo,
};

/// A flat function of buffers and scalars, in this order.
pub(crate) fn flat(symbol: &str, buffers: &[&Buffer], scalars: &[&Var], body: Stmt) -> LowTir {
    let buffers = buffers.iter().map(|buffer| Param::buffer(buffer));
    let params = buffers.chain(scalars.iter().map(|var| Param::scalar(var))).collect();
    let function = PrimFunc { params, attrs: Attrs::new(), body, origins: Default::default() };
    LowTir::new(symbol, function).unwrap_or_else(|problems| panic!("{symbol}: {}", problems.render(false)))
}

/// The function after the steps of lowering that the flat form still needs before code is made for a target.
pub(crate) fn lowered(target: &Target, low: &LowTir) -> LowTir {
    let steps = tilewright_tir_passes::lowering_passes().iter();
    let last = steps.skip_while(|(name, _)| *name != "truncate_divisions");
    let function = last.fold(low.function().clone(), |function, (_, step)| step.run_for(target, &function).unwrap());
    LowTir::new(low.symbol(), function).unwrap_or_else(|problems| panic!("{}", problems.render(false)))
}

/// A buffer of one dimension.
pub(crate) fn buffer(name: &str, elements: i64, dtype: DataType) -> Buffer {
    Buffer::new(name, vec![Expr::i64(elements)], dtype)
}

/// `lanes` neighbours from `base` on; `base` itself for one.
pub(crate) fn neighbours(base: &Expr, lanes: u16) -> Expr {
    if lanes == 1 { base.clone() } else { Expr::ramp(base, &Expr::int(1, base.dtype), lanes).unwrap() }
}

/// `for i in range(extent): body(i)`.
pub(crate) fn serial(extent: i64, body: impl FnOnce(&Expr) -> Stmt) -> Stmt {
    let var = Var::new("i", DataType::I64);
    let body = body(&Expr::var(&var));
    Stmt::for_loop(&var, Expr::i64(0), Expr::i64(extent), ForKind::Serial, body)
}

/// A machine with a function for each flat function, which runs it on the caller's tensors and scalars.
pub(crate) fn machine(functions: &[LowTir], target: &Target) -> VirtualMachine {
    let bytes = package(functions, target).encode().unwrap();
    VirtualMachine::new(Arc::new(Executable::load(bytes).unwrap()), &[]).unwrap()
}

/// The executable of such a machine.
pub(crate) fn package(functions: &[LowTir], target: &Target) -> Package {
    let compiled = tilewright_llvm::compile(functions, target, &Default::default()).unwrap_or_else(|e| panic!("{e}"));
    let linked = tilewright_build::link::link(&[&compiled.elf]).unwrap_or_else(|e| panic!("{e}"));
    let mut program = ProgramBuilder::default();
    let exports = linked.exports.clone();
    let image = program.image(linked);
    for (low, kernel) in functions.iter().zip(&compiled.kernels) {
        let name = format!("{}{}", tilewright_llvm::SYMBOL_PREFIX, kernel.symbol);
        let export = exports.iter().position(|export| export.name == name).unwrap() as u32;
        let access = |written: &bool| if *written { Access::Write } else { Access::Read };
        let kernel = program.kernel(Kernel {
            image,
            export,
            tensors: kernel.writes.iter().map(access).collect(),
            scalars: kernel.scalars.clone(),
            scratch_bytes: kernel.scratch_bytes,
            device: DeviceIndex::FIRST,
            packed: vec![],
        });
        let mut function = FunctionBuilder::new(low.symbol());
        let (mut tensors, mut scalars) = (Vec::new(), Vec::new());
        for param in &low.function().params {
            let name = &param.var.name;
            match &param.buffer {
                Some(buffer) => {
                    let kind = Kind::Tensor { dtype: Some(buffer.dtype), dims: None, device: DeviceIndex::FIRST };
                    tensors.push(function.param(name, kind));
                }
                None => scalars.push(MachineScalar::Reg(function.param(name, Kind::prim(param.var.dtype)))),
            }
        }
        function.call_kernel(kernel, &tensors, &scalars);
        function.ret_none();
        program.function(function);
    }
    let info = TargetInfo { triple: target.triple.clone(), features: target.required_features() };
    Package::new(info, program.finish().unwrap())
}

/// The number of threads belongs to the process: runs take turns.
static TURNS: Mutex<()> = Mutex::new(());

/// Runs a function on the caller's tensors; the error's text is what a user would read.
///
/// It runs several times on copies of the tensors, with a forbidden page directly before them, then directly after
/// them, and all that with 1, 2 and 5 threads. So a stray access ends the test, and all runs have to give the same, bit
/// by bit. (A packed function that it calls is called as often.) Tensors that share memory, or are not compact, make
/// the call fail before anything runs: those are passed as they are.
pub(crate) fn run(machine: &VirtualMachine, name: &str, args: &[Value]) -> Result<(), String> {
    let function = machine.function(name).unwrap();
    let call = |args: &[Value]| function.call(args).map(drop).map_err(|error| error.to_string());
    let tensors: Vec<&Tensor> = args.iter().filter_map(|arg| arg.as_tensor().ok()).collect();
    let share = |i: usize| tensors[..i].iter().any(|other| other.overlaps(tensors[i]));
    if (0..tensors.len()).any(share) || tensors.iter().any(|tensor| !tensor.is_contiguous()) {
        return call(args);
    }
    let _turn = TURNS.lock().unwrap_or_else(PoisonError::into_inner);
    let mut first: Option<(Vec<Value>, Result<(), String>)> = None;
    for threads in [1, 2, 5] {
        set_num_threads(threads);
        for edge in Edge::BOTH {
            let copies: Vec<Value> = args.iter().map(|arg| guarded(arg, edge)).collect();
            let outcome = call(&copies);
            match &first {
                None => first = Some((copies, outcome)),
                Some((expected, expected_outcome)) => {
                    let run = format!("{name} with {threads} threads, at the {edge:?}");
                    assert_eq!(outcome, *expected_outcome, "{run}");
                    // Where a failing run stops is up to the threads.
                    assert!(outcome.is_err() || same_bits(&copies, expected), "{run}");
                }
            }
        }
    }
    let (copies, outcome) = first.unwrap();
    for (arg, copy) in args.iter().zip(&copies) {
        if let (Value::Tensor(tensor), Value::Tensor(copy)) = (arg, copy)
            && !tensor.is_read_only()
        {
            tensor.overwrite(copy.as_bytes().unwrap()).unwrap();
        }
    }
    outcome
}

fn guarded(arg: &Value, edge: Edge) -> Value {
    match arg {
        Value::Tensor(tensor) => tensor.guarded(edge).unwrap().into(),
        other => other.clone(),
    }
}

fn same_bits(a: &[Value], b: &[Value]) -> bool {
    a.iter().zip(b).all(|(a, b)| match (a, b) {
        (Value::Tensor(a), Value::Tensor(b)) => a == b,
        _ => true,
    })
}

/// A tensor of these elements, all of the type.
pub(crate) fn tensor(dtype: DataType, elements: &[Scalar]) -> Tensor {
    let width = dtype.element_bytes();
    let bytes: Vec<u8> = elements.iter().flat_map(|e| e.bits().to_le_bytes()[..width].to_vec()).collect();
    Tensor::from_bytes(dtype, &[elements.len() as i64], &bytes).unwrap()
}

/// The elements of a tensor.
pub(crate) fn elements(tensor: &Tensor) -> Vec<Scalar> {
    let (dtype, bytes) = (tensor.dtype(), tensor.as_bytes().unwrap());
    let element = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        Scalar::from_bits(dtype, u64::from_le_bytes(word))
    };
    bytes.chunks(dtype.element_bytes()).map(element).collect()
}

/// Equal bit by bit, but that any NaN is as good as another.
pub(crate) fn same(a: Scalar, b: Scalar) -> bool {
    a == b || (a.dtype() == b.dtype() && a.dtype().is_float() && a.as_float().is_nan() && b.as_float().is_nan())
}
