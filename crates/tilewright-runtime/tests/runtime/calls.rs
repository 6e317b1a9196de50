//! What kernels ask of the runtime: memory of run-time size, and functions of the process.
#![cfg(target_arch = "x86_64")]

use std::ptr;
use std::sync::Mutex;

use tilewright_runtime::{Error, ErrorKind, Result, Value, registry, set_num_threads};
use tilewright_tensor::abi::{PackedArg, PackedTag, Status};
use tilewright_tensor::{DataType, Tensor};

use crate::THREADS;
use crate::code::{Code, plain};

fn bytes(data: &[u8]) -> Value {
    Tensor::from_bytes(DataType::U8, &[data.len() as i64], data).unwrap().into()
}

/// Lets a kernel call a packed function.
fn call_from_kernel(name: &str, args: &[PackedArg], result: PackedTag) -> Result<PackedArg> {
    // SAFETY: the arguments are plain words in memory.
    let raw = unsafe { std::slice::from_raw_parts(args.as_ptr().cast::<u8>(), size_of_val(args)) };
    let expected = PackedArg { tag: result as u32, ..PackedArg::NONE };
    let place = Tensor::zeros(DataType::U8, &[size_of::<PackedArg>() as i64]).unwrap();
    // SAFETY: the tensor has room for one, and is aligned.
    unsafe { place.data_ptr().cast::<PackedArg>().write(expected) };
    let numbers = [Value::Int(name.len() as i64), Value::Int(args.len() as i64)];
    let [name_length, count] = numbers;
    plain(Code::Packed, 3, 2).call(&[bytes(name.as_bytes()), bytes(raw), (&place).into(), name_length, count])?;
    // SAFETY: as above; the kernel gave the place to the runtime.
    Ok(unsafe { place.data_ptr().cast::<PackedArg>().read() })
}

fn word(tag: PackedTag, value: u64) -> PackedArg {
    PackedArg { tag: tag as u32, value, ..PackedArg::NONE }
}

fn text(text: &str) -> PackedArg {
    PackedArg { length: text.len() as i64, ..word(PackedTag::Str, text.as_ptr() as u64) }
}

/// `shape` is borrowed by address.
fn view<T>(tag: PackedTag, dtype: DataType, first: *const T, shape: &[i64]) -> PackedArg {
    let (length, shape) = (shape.len() as i64, shape.as_ptr());
    PackedArg { dtype: dtype.into(), length, shape, ..word(tag, first as u64) }
}

#[test]
fn arguments_arrive_as_what_they_are() {
    static SEEN: Mutex<String> = Mutex::new(String::new());
    registry::register("calls.tests.seen", |args| {
        *SEEN.lock().unwrap() = format!("{args:?}");
        Ok(Value::None)
    })
    .unwrap();
    let data = [1.5f32, -2.0];
    let args = [
        PackedArg::NONE,
        word(PackedTag::Bool, 1),
        word(PackedTag::Int, -7i64 as u64),
        word(PackedTag::Float, (-0.25f64).to_bits()),
        text("grüße"),
        word(PackedTag::Pointer, 4096),
        view(PackedTag::Tensor, DataType::F32, data.as_ptr(), &[1, 2]),
    ];
    call_from_kernel("calls.tests.seen", &args, PackedTag::None).unwrap();
    let expected = "[None, true, -7, -0.25, \"grüße\", 4096, Tensor([1, 2], float32)]";
    assert_eq!(*SEEN.lock().unwrap(), expected);
    call_from_kernel("calls.tests.seen", &[], PackedTag::None).unwrap();
    assert_eq!(*SEEN.lock().unwrap(), "[]");
}

#[test]
fn results_are_what_the_kernel_expects_or_errors() {
    registry::register("calls.tests.echo", |args| Ok(args[0].clone())).unwrap();
    let echo = |arg: PackedArg, expected: PackedTag| {
        call_from_kernel("calls.tests.echo", &[arg], expected).map(|result| result.value)
    };
    let (int, float, flag) =
        (word(PackedTag::Int, -3i64 as u64), word(PackedTag::Float, 2.5f64.to_bits()), word(PackedTag::Bool, 1));
    assert_eq!(echo(int, PackedTag::Int).unwrap() as i64, -3);
    assert_eq!(f64::from_bits(echo(int, PackedTag::Float).unwrap()), -3.0);
    assert_eq!(f64::from_bits(echo(float, PackedTag::Float).unwrap()), 2.5);
    assert_eq!(echo(flag, PackedTag::Bool).unwrap(), 1);
    assert_eq!(echo(flag, PackedTag::Int).unwrap(), 1);
    assert_eq!(f64::from_bits(echo(flag, PackedTag::Float).unwrap()), 1.0);
    assert_eq!(echo(text("dropped"), PackedTag::None).unwrap(), 0);
    let error = |arg, expected| echo(arg, expected).unwrap_err().to_string();
    let failed = |message: &str| format!("packed function \"calls.tests.echo\" failed: {message}");
    assert_eq!(error(float, PackedTag::Int), failed("expected an int, found a float"));
    assert_eq!(error(int, PackedTag::Bool), failed("expected a bool, found an int"));
    assert_eq!(error(text("a"), PackedTag::Float), failed("expected a float, found a string"));
}

#[test]
fn writes_of_a_function_reach_the_kernels_memory() {
    registry::register("calls.tests.negate", |args| {
        for arg in args {
            let tensor = arg.as_tensor()?;
            let negated: Vec<i32> = tensor.to_vec::<i32>()?.iter().map(|x| -x).collect();
            tensor.overwrite(Tensor::from_vec(tensor.shape(), negated)?.as_bytes()?)?;
        }
        Ok(Value::None)
    })
    .unwrap();
    let mut data: Vec<i32> = (1..=12).collect();
    let (first, shape) = (data.as_mut_ptr(), [2, 2]);
    // Every second column of the first two rows of four: the others stay as they are.
    let strides = [4, 2];
    let strided = PackedArg { strides: strides.as_ptr(), ..view(PackedTag::Tensor, DataType::I32, first, &shape) };
    call_from_kernel("calls.tests.negate", &[strided], PackedTag::None).unwrap();
    assert_eq!(data, [-1, 2, -3, 4, -5, 6, -7, 8, 9, 10, 11, 12]);
    // Read-only, and backwards.
    let constant = view(PackedTag::ConstTensor, DataType::I32, first, &[12]);
    let backwards = [-1];
    let backwards =
        PackedArg { strides: backwards.as_ptr(), ..view(PackedTag::Tensor, DataType::I32, &data[11], &[3]) };
    call_from_kernel("calls.tests.negate", &[constant], PackedTag::None).unwrap();
    assert_eq!(data[..4], [-1, 2, -3, 4]);
    call_from_kernel("calls.tests.negate", &[backwards], PackedTag::None).unwrap();
    assert_eq!(data[8..], [9, -10, -11, -12]);
    // Empty tensors have no memory.
    let empty = view(PackedTag::Tensor, DataType::I32, ptr::null::<i32>(), &[0, 5]);
    call_from_kernel("calls.tests.negate", &[empty, empty], PackedTag::None).unwrap();
}

#[test]
fn tensors_that_share_memory_share_it_in_the_function_too() {
    registry::register("calls.tests.share", |args| {
        let [whole, tail, other] = args else { unreachable!() };
        let (whole, tail, other) = (whole.as_tensor()?, tail.as_tensor()?, other.as_tensor()?);
        assert!(whole.overlaps(tail) && !whole.overlaps(other));
        tail.overwrite(Tensor::from_vec(&[2], vec![70i32, 80])?.as_bytes()?)?;
        let seen: i32 = whole.as_slice::<i32>()?.iter().sum();
        Ok(Value::Int(i64::from(seen)))
    })
    .unwrap();
    let data = Mutex::new([1, 2, 3, 4, 5, 6i32]);
    let first = data.lock().unwrap().as_mut_ptr();
    let args = [
        view(PackedTag::Tensor, DataType::I32, first, &[4]),
        view(PackedTag::Tensor, DataType::I32, first.wrapping_add(2), &[2]),
        view(PackedTag::Tensor, DataType::I32, first.wrapping_add(4), &[2]),
    ];
    let sum = call_from_kernel("calls.tests.share", &args, PackedTag::Int).unwrap();
    assert_eq!((sum.value, *data.lock().unwrap()), (153, [1, 2, 70, 80, 5, 6]));
}

#[test]
fn a_tensor_that_a_function_keeps_outlives_the_kernel() {
    static KEPT: Mutex<Vec<Tensor>> = Mutex::new(Vec::new());
    registry::register("calls.tests.keep", |args| {
        KEPT.lock().unwrap().push(args[0].as_tensor()?.clone());
        Ok(Value::None)
    })
    .unwrap();
    for round in 0..10 {
        let data = vec![round as f32; 1000];
        let arg = view(PackedTag::Tensor, DataType::F32, data.as_ptr(), &[1000]);
        call_from_kernel("calls.tests.keep", &[arg], PackedTag::None).unwrap();
    }
    for (round, tensor) in KEPT.lock().unwrap().iter().enumerate() {
        assert!(tensor.as_slice::<f32>().unwrap().iter().all(|&x| x == round as f32));
    }
}

#[test]
fn a_functions_error_is_the_error_of_the_run() {
    registry::register("calls.tests.fail", |args| match args[0].as_int()? {
        0 => Err(Error::callback("the first way")),
        1 => Err(Tensor::zeros(DataType::F32, &[-1]).unwrap_err().into()),
        _ => Ok(Value::None),
    })
    .unwrap();
    let fail = |way: u64| call_from_kernel("calls.tests.fail", &[word(PackedTag::Int, way)], PackedTag::None);
    let error = fail(0).unwrap_err();
    assert_eq!(error.to_string(), "packed function \"calls.tests.fail\" failed: the first way");
    let ErrorKind::Callback { name, source } = error.into_kind() else { panic!("another kind") };
    assert_eq!((name.as_str(), source.to_string().as_str()), ("calls.tests.fail", "the first way"));
    let expected = "packed function \"calls.tests.fail\" failed: the shape [-1] has a negative dimension";
    assert_eq!(fail(1).unwrap_err().to_string(), expected);
    fail(2).unwrap();
    let error = call_from_kernel("calls.tests.fial", &[], PackedTag::None).unwrap_err();
    let expected = "missing packed function \"calls.tests.fial\"; did you mean \"calls.tests.fail\"?";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn arguments_that_make_no_sense_are_errors() {
    registry::register("calls.tests.any", |_| Ok(Value::None)).unwrap();
    let error = |arg: PackedArg| {
        let args = [PackedArg::NONE, arg];
        let error = call_from_kernel("calls.tests.any", &args, PackedTag::None).unwrap_err().to_string();
        error.strip_prefix("packed function \"calls.tests.any\": argument 1: ").unwrap_or(&error).to_owned()
    };
    assert_eq!(error(PackedArg { tag: 99, ..PackedArg::NONE }), "has the unknown tag 99");
    assert_eq!(error(PackedArg { length: -1, ..text("a") }), "has a length, but no contents");
    let missing = view(PackedTag::Tensor, DataType::F32, ptr::null::<f32>(), &[3]);
    assert_eq!(error(missing), "is a tensor without memory");
    let negative = view(PackedTag::Tensor, DataType::F32, &1.0f32, &[-3]);
    assert_eq!(error(negative), "the shape [-3] has a negative dimension");
    let wide = view(PackedTag::Tensor, DataType::F32.with_lanes(4), &1.0f32, &[1]);
    assert!(error(wide).contains("4 lanes"));
}

#[test]
fn a_panic_goes_on_when_the_kernel_has_returned() {
    registry::register("calls.tests.panic", |_| panic!("as planned")).unwrap();
    let outcome = std::panic::catch_unwind(|| call_from_kernel("calls.tests.panic", &[], PackedTag::None));
    assert_eq!(outcome.unwrap_err().downcast_ref::<&str>(), Some(&"as planned"));
}

#[test]
fn parallel_loops_call_no_packed_functions() {
    registry::register("calls.tests.parallel", |_| Ok(Value::None)).unwrap();
    let main = plain(Code::PackedInRegion, 1, 1);
    let name = "calls.tests.parallel";
    let error = main.call(&[bytes(name.as_bytes()), Value::Int(name.len() as i64)]).unwrap_err();
    let expected = "kernel \"packed_in_region\": packed function \"calls.tests.parallel\" is called from a parallel loop: \
                    call it outside of the loop";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn tasks_have_memory_of_their_own() {
    let _turn = THREADS.lock().unwrap();
    let main = plain(Code::Temporaries, 1, 2);
    for threads in [1, 2, 5] {
        set_num_threads(threads);
        for (tasks, more) in [(0i64, 8), (1, 8), (7, 100), (100, 8), (300, 70_000)] {
            let sums = Tensor::zeros(DataType::I64, &[tasks]).unwrap();
            main.call(&[(&sums).into(), Value::Int(tasks), Value::Int(more)]).unwrap();
            let expected = |task: i64| (0..=task % 5).map(|piece| 2 * (task + piece)).sum::<i64>();
            let sums = sums.as_slice::<i64>().unwrap();
            assert!((0..tasks).all(|task| sums[task as usize] == expected(task)), "{threads} {tasks} {sums:?}");
        }
    }
    set_num_threads(0);
}

#[test]
fn memory_that_does_not_exist_is_an_error_of_the_call() {
    let _turn = THREADS.lock().unwrap();
    let main = plain(Code::Temporaries, 1, 2);
    let sums = Tensor::zeros(DataType::I64, &[50]).unwrap();
    for threads in [1, 2] {
        set_num_threads(threads);
        for bytes in [-1 << 40, i64::MIN, i64::MAX - (50 * 64), 1 << 60] {
            let error = main.call(&[(&sums).into(), Value::Int(50), Value::Int(bytes)]).unwrap_err();
            let expected = format!("kernel \"temporaries\": out of memory: the kernel needs {bytes} bytes at once");
            assert_eq!(error.to_string(), expected);
            assert!(matches!(error.kind(), ErrorKind::Kernel { status, .. } if *status == Status::OutOfMemory as i32));
            main.call(&[(&sums).into(), Value::Int(50), Value::Int(8)]).unwrap();
        }
    }
    set_num_threads(0);
}
