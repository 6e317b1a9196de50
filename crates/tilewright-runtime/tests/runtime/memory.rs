//! Memory that does not exist, or is used up: an error of the call that asked for it, and nothing else.

use tilewright_runtime::{Function, Value, VirtualMachine};
use tilewright_tensor::{DataType, Tensor};
use tilewright_vm_program::*;

use crate::code::portable;

/// `main(like) = a new tensor of n rows of the type`, where `n` is the size of the argument times 2 to the `exponent`.
fn allocating(dtype: DataType, exponent: u32) -> Function {
    let mut main = FunctionBuilder::new("main");
    let n = main.slot("n");
    main.param("like", Kind::tensor(DataType::U8, &[DimPattern::Slot(n)]));
    let rows = main.compute_dim("rows", ScalarOp::Mul, Dim::Slot(n), Dim::Const(1 << exponent));
    let tensor = main.alloc(dtype, &[rows], Storage::Fresh);
    main.ret(tensor);
    function(portable(main))
}

fn function(machine: VirtualMachine) -> Function {
    machine.function("main").unwrap()
}

fn call(main: &Function, n: i64) -> Result<Tensor, String> {
    let like = Tensor::zeros(DataType::U8, &[n]).unwrap();
    let result = main.call(&[Value::from(like)]).map_err(|error| error.to_string())?;
    Ok(result.as_tensor().unwrap().clone())
}

#[test]
fn sizes_that_do_not_exist_are_errors_of_the_call() {
    for (dtype, exponent, n, expected) in [
        (DataType::U8, 62, 3, "overflows"),
        (DataType::F32, 61, 1, "is larger than the address space"),
        (DataType::F64, 62, 1, "is larger than the address space"),
        // The largest sizes that can be counted in bytes: rounded up, they could not.
        (DataType::U8, 62, 1, "out of memory: the system refuses"),
        (DataType::F32, 58, 7, "out of memory: the system refuses"),
        (DataType::I16, 56, 63, "out of memory: the system refuses"),
        (DataType::F32, 50, 1, "out of memory: the system refuses"),
    ] {
        let main = allocating(dtype, exponent);
        let error = call(&main, n).unwrap_err();
        assert!(error.contains(expected), "{dtype} {n} * 2^{exponent}: {error}");
        // The machine is as good as before.
        assert_eq!(call(&main, 0).unwrap().num_elements(), 0);
    }
    assert_eq!(call(&allocating(DataType::F32, 4), 3).unwrap().shape(), [48]);
}

#[cfg(target_arch = "x86_64")]
mod used_up {
    use tilewright_runtime::set_num_threads;

    use super::*;
    use crate::alone;
    use crate::code::{Code, builder, machine, plain};

    /// Address space that the process may still take.
    const LEFT: u64 = 512 << 20;
    const TOO_MUCH: i64 = 1 << 30;

    fn limit_memory() {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap();
        let pages: u64 = text.split_whitespace().next().unwrap().parse().unwrap();
        let limit = pages * 4096 + LEFT;
        let limit = libc::rlimit { rlim_cur: limit, rlim_max: limit };
        // SAFETY: the call reads the limit that it is given.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }, 0);
    }

    /// `main(out, n)` over the kernel that sums its scratch memory up, with so much of that.
    fn with_scratch(bytes: u64) -> Function {
        let mut program = builder();
        let kernel = Kernel {
            image: 0,
            export: Code::Parallel as u32,
            tensors: vec![Access::Write],
            scalars: vec![DataType::I64],
            scratch_bytes: bytes,
            device: DeviceIndex::FIRST,
            packed: vec![],
        };
        let kernel = program.kernel(kernel);
        let mut main = FunctionBuilder::new("main");
        let out = main.param("out", Kind::tensor(DataType::I64, &[DimPattern::Any]));
        let n = main.param("n", Kind::prim(DataType::I64));
        main.call_kernel(kernel, &[out], &[Scalar::Reg(n)]);
        main.ret_none();
        program.function(main);
        function(machine(program))
    }

    #[test]
    fn a_call_that_needs_more_than_there_is_fails_alone() {
        if alone("memory::used_up::a_call_that_needs_more_than_there_is_fails_alone", &[]) {
            return;
        }
        set_num_threads(3);
        let (temporaries, allocating) = (plain(Code::Temporaries, 1, 2), allocating(DataType::U8, 20));
        let sums = Tensor::zeros(DataType::I64, &[3]).unwrap();
        let temporary = |bytes: i64| {
            let outcome = temporaries.call(&[(&sums).into(), Value::Int(3), Value::Int(bytes)]);
            outcome.map(drop).map_err(|error| error.to_string())
        };
        temporary(8).unwrap();
        limit_memory();
        let args: [Value; 2] = [(&sums).into(), Value::Int(3)];
        for _ in 0..3 {
            let error = temporary(TOO_MUCH).unwrap_err();
            let expected = format!("kernel \"temporaries\": out of memory: the kernel needs {TOO_MUCH} bytes at once");
            assert_eq!(error, expected);
            temporary(100_000).unwrap();
            let error = with_scratch(TOO_MUCH as u64).call(&args).unwrap_err().to_string();
            let expected = "kernel \"parallel\": out of memory: the kernel needs 1073741824 bytes of scratch memory";
            assert_eq!(error, expected);
            with_scratch(64).call(&args).unwrap();
            assert_eq!(sums.as_slice::<i64>().unwrap(), [0, 1000, 2000]);
        }
        // What lies idle is given back before a call has to fail: neither of these leaves room for the other.
        drop(call(&allocating, 200).unwrap());
        drop(call(&allocating, 320).unwrap());
    }

    const LARGE: u64 = 300 << 20;

    #[test]
    fn a_worker_without_scratch_memory_says_so() {
        if alone("memory::used_up::a_worker_without_scratch_memory_says_so", &[]) {
            return;
        }
        set_num_threads(2);
        let sums = Tensor::zeros(DataType::I64, &[10_000]).unwrap();
        let args: [Value; 2] = [(&sums).into(), Value::Int(10_000)];
        with_scratch(64).call(&args).unwrap();
        limit_memory();
        // The caller's own scratch memory leaves no room for the worker's.
        let main = with_scratch(LARGE);
        let error = (0..1000).find_map(|_| main.call(&args).err()).expect("the worker comes at some time");
        let expected = format!("kernel \"parallel\": out of memory: the kernel needs {LARGE} bytes of scratch memory");
        assert_eq!(error.to_string(), expected);
        with_scratch(64).call(&args).unwrap();
    }

    #[test]
    fn much_scratch_memory_is_given_back() {
        if alone("memory::used_up::much_scratch_memory_is_given_back", &[]) {
            return;
        }
        set_num_threads(1);
        let sums = Tensor::zeros(DataType::I64, &[3]).unwrap();
        let args: [Value; 2] = [(&sums).into(), Value::Int(3)];
        limit_memory();
        // Neither leaves room for the other.
        let (one, two) = (with_scratch(LARGE), with_scratch(LARGE + 64));
        for main in [&one, &two, &one] {
            main.call(&args).unwrap();
        }
        assert_eq!(sums.as_slice::<i64>().unwrap(), [0, 1000, 2000]);
    }
}
