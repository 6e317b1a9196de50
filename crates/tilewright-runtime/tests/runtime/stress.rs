//! Many threads call functions of one machine, with callbacks, failing callbacks and failing kernels among them, while
//! others load and save executables, replace functions of the process and change the number of threads. Every call has
//! one right outcome, which only its own arguments decide; so a result or an error that reaches a caller whose it is
//! not shows.
#![cfg(target_arch = "x86_64")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tilewright_runtime::{Error, Executable, Function, Result, Value, VirtualMachine, registry, set_num_threads};
use tilewright_tensor::abi::{PackedArg, PackedTag};
use tilewright_tensor::{DataType, Tensor};
use tilewright_vm_program::*;

use crate::code::{Code, builder, executable, floats, over_kernel, row};

/// What was done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    pub(crate) calls: u64,
    pub(crate) expected_errors: u64,
    pub(crate) loads: u64,
}

/// Runs everything; panics at the first outcome that is not the right one.
pub(crate) fn run(threads: u64, calls: u64) -> Counts {
    register();
    let executable = executable(program());
    let machine = VirtualMachine::new(Arc::clone(&executable), &[]).unwrap();
    let folder = std::env::temp_dir().join(format!("tilewright-stress-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (done, loads, errors) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let callers: Vec<_> = (0..threads)
            .map(|thread| {
                let (machine, errors) = (&machine, &errors);
                scope.spawn(move || {
                    let caller = Caller::new(machine);
                    let mut random = Random(thread * 0x9e37_79b9 + 1);
                    let failed = (0..calls).filter(|_| caller.call(&mut random)).count();
                    errors.fetch_add(failed as u64, Ordering::Relaxed);
                })
            })
            .collect();
        for loader in 0..2 {
            let (executable, folder, done, loads) = (&executable, &folder, &done, &loads);
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    load_and_save(executable, folder, loader);
                    loads.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for threads in [2, 1, 5, 3] {
                    set_num_threads(threads);
                    registry::register_override("stress.other", |_| Ok(Value::None));
                    std::thread::sleep(std::time::Duration::from_millis(1));
                    registry::unregister("stress.other");
                }
            }
        });
        let outcomes: Vec<_> = callers.into_iter().map(|caller| caller.join()).collect();
        done.store(true, Ordering::Relaxed);
        outcomes.into_iter().for_each(|outcome| outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
    });
    set_num_threads(0);
    std::fs::remove_dir_all(&folder).unwrap();
    Counts { calls: threads * calls, expected_errors: errors.into_inner(), loads: loads.into_inner() }
}

/// The functions of the process that the program calls.
fn register() {
    registry::register_override("stress.double", |args| {
        let doubled = args[0].as_tensor()?.as_slice::<f32>()?.iter().map(|x| 2.0 * x).collect::<Vec<_>>();
        Ok(Tensor::from_vec(&[doubled.len() as i64], doubled)?.into())
    });
    registry::register_override("stress.refuse", |args| {
        let first = args[0].as_tensor()?.as_slice::<f32>()?.first().copied();
        Err(Error::callback(format!("refused {first:?}")))
    });
    // In place, for kernels.
    registry::register_override("stress.negate", |args| {
        let (tensor, token) = (args[0].as_tensor()?, args[1].as_int()?);
        if token % 3 == 0 {
            return Err(Error::callback(format!("token {token}")));
        }
        let negated = tensor.as_slice::<i64>()?.iter().map(|x| -x).collect::<Vec<_>>();
        tensor.overwrite(Tensor::from_vec(tensor.shape(), negated)?.as_bytes()?)?;
        Ok(Value::Int(token + 1))
    });
}

/// `through(x) = name(x + x)` for both callbacks, with the sum in the arena, and functions over single kernels.
fn program() -> ProgramBuilder {
    let mut program = builder();
    for (name, packed) in [("double", "stress.double"), ("refuse", "stress.refuse")] {
        let packed = program.packed(packed);
        let mut through = FunctionBuilder::new(name);
        let n = through.slot("n");
        let x = through.param("x", row(n));
        let sum = through.alloc(DataType::F32, &[Dim::Slot(n)], Storage::Fresh);
        through.call_kernel(Code::Add as u32, &[x, x, sum], &[Scalar::Dim(Dim::Slot(n))]);
        let result = through.call_packed(packed, &[sum]);
        through.ret(result);
        program.function(through);
    }
    let param = |name: &str| Param { name: name.into(), kind: row(0) };
    let params = vec![param("x"), param("y"), param("z")];
    program.function(over_kernel("add", params, &["n"], Code::Add, &[Scalar::Dim(Dim::Slot(0))]));
    for (name, code, tensors, ints) in [
        ("parallel", Code::Parallel, 1, 1),
        ("parallel_fail", Code::ParallelFail, 0, 2),
        ("status", Code::Status, 0, 1),
        ("temporaries", Code::Temporaries, 1, 2),
        ("packed", Code::Packed, 3, 2),
    ] {
        let tensor = |i: u32| Param {
            name: format!("t{i}"),
            kind: Kind::Tensor { dtype: None, dims: None, device: DeviceIndex::FIRST },
        };
        let int = |i: u32| Param { name: format!("i{i}"), kind: Kind::prim(DataType::I64) };
        let params = (0..tensors).map(tensor).chain((0..ints).map(int)).collect();
        let scalars: Vec<_> = (tensors..tensors + ints).map(|i| Scalar::Reg(Reg(i))).collect();
        program.function(over_kernel(name, params, &[], code, &scalars));
    }
    program
}

/// A fixed sequence for each caller.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % bound) as i64
    }
}

/// One thread's handles to the functions of the shared machine.
struct Caller {
    add: Function,
    double: Function,
    refuse: Function,
    parallel: Function,
    parallel_fail: Function,
    status: Function,
    temporaries: Function,
    packed: Function,
}

impl Caller {
    fn new(machine: &VirtualMachine) -> Self {
        let function = |name: &str| machine.function(name).unwrap();
        Self {
            add: function("add"),
            double: function("double"),
            refuse: function("refuse"),
            parallel: function("parallel"),
            parallel_fail: function("parallel_fail"),
            status: function("status"),
            temporaries: function("temporaries"),
            packed: function("packed"),
        }
    }

    /// One call of any kind, with its outcome checked; whether it was an error.
    fn call(&self, random: &mut Random) -> bool {
        match random.below(8) {
            0 => self.adds(random),
            1 => self.doubles(random),
            2 => self.refuses(random),
            3 => self.sums(random),
            4 => self.fails_in_a_region(random),
            5 => self.stops(random),
            6 => self.allocates(random),
            _ => self.calls_back(random),
        }
    }

    fn adds(&self, random: &mut Random) -> bool {
        let (n, m) = (random.below(300), random.below(300));
        let x: Vec<f32> = (0..n).map(|_| random.below(1000) as f32).collect();
        let y: Vec<f32> = (0..n).map(|_| random.below(1000) as f32).collect();
        let z = Tensor::zeros(DataType::F32, &[if n % 4 == 0 { m } else { n }]).unwrap();
        let outcome = self.add.call(&[floats(&x).into(), floats(&y).into(), (&z).into()]);
        if z.shape() != [n] {
            let expected = format!("add: argument 2 (\"z\"): dimension 0 is {m}, but n is {n} by argument 0 (\"x\")");
            return expect_error(outcome, &expected);
        }
        outcome.unwrap();
        assert!(z.as_slice::<f32>().unwrap().iter().zip(x.iter().zip(&y)).all(|(z, (x, y))| *z == x + y));
        false
    }

    fn doubles(&self, random: &mut Random) -> bool {
        let x: Vec<f32> = (0..random.below(500)).map(|_| random.below(1000) as f32).collect();
        let result = self.double.call(&[floats(&x).into()]).unwrap();
        let expected: Vec<_> = x.iter().map(|x| 4.0 * x).collect();
        assert_eq!(result.as_tensor().unwrap().as_slice::<f32>().unwrap(), expected);
        false
    }

    fn refuses(&self, random: &mut Random) -> bool {
        let token = random.below(1 << 20) as f32;
        let outcome = self.refuse.call(&[floats(&[token, 0.0]).into()]);
        expect_error(outcome, &format!("packed function \"stress.refuse\" failed: refused {:?}", Some(2.0 * token)))
    }

    fn sums(&self, random: &mut Random) -> bool {
        let tasks = random.below(100);
        let sums = Tensor::zeros(DataType::I64, &[tasks]).unwrap();
        self.parallel.call(&[(&sums).into(), Value::Int(tasks)]).unwrap();
        let sums = sums.as_slice::<i64>().unwrap();
        assert!(sums.iter().zip(0..).all(|(&sum, task)| sum == 1000 * task), "{tasks}: {sums:?}");
        false
    }

    fn fails_in_a_region(&self, random: &mut Random) -> bool {
        let (tasks, from) = (random.below(100), random.below(100));
        let outcome = self.parallel_fail.call(&[Value::Int(tasks), Value::Int(from)]);
        if from >= tasks {
            outcome.unwrap();
            return false;
        }
        expect_error(outcome, &format!("kernel \"parallel_fail\": {}", from % 10))
    }

    fn stops(&self, random: &mut Random) -> bool {
        let status = random.below(1000) + 10;
        let outcome = self.status.call(&[Value::Int(status)]);
        expect_error(outcome, &format!("kernel \"status\": stopped with status {status}"))
    }

    fn allocates(&self, random: &mut Random) -> bool {
        let (tasks, bytes) = (random.below(30) + 1, random.below(5000) + 8);
        let sums = Tensor::zeros(DataType::I64, &[tasks]).unwrap();
        if bytes % 4 == 0 {
            let absurd = (1 << 60) + bytes;
            let outcome = self.temporaries.call(&[(&sums).into(), Value::Int(tasks), Value::Int(absurd)]);
            let expected = format!("kernel \"temporaries\": out of memory: the kernel needs {absurd} bytes at once");
            return expect_error(outcome, &expected);
        }
        self.temporaries.call(&[(&sums).into(), Value::Int(tasks), Value::Int(bytes)]).unwrap();
        let expected = |task: i64| (0..=task % 5).map(|piece| 2 * (task + piece)).sum::<i64>();
        assert!(sums.as_slice::<i64>().unwrap().iter().zip(0..).all(|(&sum, task)| sum == expected(task)));
        false
    }

    /// A kernel that calls a function of the process with its own memory.
    fn calls_back(&self, random: &mut Random) -> bool {
        const NAME: &str = "stress.negate";
        let (n, token) = (random.below(50), random.below(1 << 20));
        let data = Tensor::from_vec(&[n], (0..n).map(|i| i * token).collect()).unwrap();
        let before = data.copied().unwrap();
        let shape = [n];
        let tensor = PackedArg {
            tag: PackedTag::Tensor as u32,
            dtype: DataType::I64.into(),
            value: data.data_ptr() as u64,
            length: 1,
            shape: shape.as_ptr(),
            ..PackedArg::NONE
        };
        let number = PackedArg { tag: PackedTag::Int as u32, value: token as u64, ..PackedArg::NONE };
        let args = [tensor, number];
        let result = plain_words(&[PackedArg { tag: PackedTag::Int as u32, ..PackedArg::NONE }]);
        let name = Tensor::from_bytes(DataType::U8, &[NAME.len() as i64], NAME.as_bytes()).unwrap();
        let lengths = [Value::Int(NAME.len() as i64), Value::Int(args.len() as i64)];
        let [name_length, count] = lengths;
        let outcome = self.packed.call(&[name.into(), plain_words(&args).into(), (&result).into(), name_length, count]);
        if token % 3 == 0 {
            assert_eq!(data, before);
            return expect_error(outcome, &format!("packed function \"{NAME}\" failed: token {token}"));
        }
        outcome.unwrap();
        assert!(data.as_slice::<i64>().unwrap().iter().zip(0..).all(|(&x, i)| x == -i * token));
        assert_eq!(result.as_slice::<u64>().unwrap()[1] as i64, token + 1);
        false
    }
}

/// Arguments of packed functions as a kernel finds them in memory.
fn plain_words(args: &[PackedArg]) -> Tensor {
    let words = Tensor::zeros(DataType::U64, &[(size_of_val(args) / 8) as i64]).unwrap();
    // SAFETY: the tensor was just made with as many bytes; the arguments are a multiple of a word long and aligned to
    // it.
    unsafe { std::ptr::copy_nonoverlapping(args.as_ptr(), words.data_ptr().cast(), args.len()) };
    words
}

fn expect_error(outcome: Result<Value>, expected: &str) -> bool {
    assert_eq!(outcome.unwrap_err().to_string(), expected);
    true
}

/// Saves an executable where others read and write too, opens what is there, and runs it; and the same with bytes that
/// are no executable.
fn load_and_save(executable: &Executable, folder: &Path, loader: usize) {
    let shared = folder.join("shared.twx");
    executable.save(&shared).unwrap();
    let opened = Executable::open(&shared).unwrap();
    assert_eq!(opened.bytes().as_slice(), executable.bytes().as_slice());
    let machine = VirtualMachine::new(Arc::new(opened), &[]).unwrap();
    let result = machine.function("double").unwrap().call(&[floats(&[1.0, -3.0]).into()]).unwrap();
    assert_eq!(result.as_tensor().unwrap().as_slice::<f32>().unwrap(), [4.0, -12.0]);
    let mut damaged = executable.bytes().as_slice().to_vec();
    let middle = damaged.len() / 2 + loader;
    damaged[middle] ^= 0x10;
    let own: PathBuf = folder.join(format!("damaged-{loader}.twx"));
    std::fs::write(&own, &damaged).unwrap();
    assert!(Executable::open(&own).is_err());
}

#[test]
fn every_outcome_reaches_its_own_caller() {
    let _turn = crate::THREADS.lock().unwrap();
    let counts = run(16, 1000);
    assert!(counts.calls == 16_000 && counts.expected_errors > 4000 && counts.loads > 0, "{counts:?}");
}
