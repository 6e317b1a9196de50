//! Compiled mathematical functions against their exact values: the worst error over all inputs, and the time.
//!
//! ```text
//! cargo bench -p tilewright-build --bench math_ulp                        all functions, all 2^32 float32 inputs
//! cargo bench -p tilewright-build --bench math_ulp -- exp sin             these functions
//! cargo bench -p tilewright-build --bench math_ulp -- --step 4099         every 4099th input or pair
//! cargo bench -p tilewright-build --bench math_ulp -- --target "llvm -mcpu=haswell"
//! cargo bench -p tilewright-build --bench math_ulp -- --dtype float64     10^9 random float64 inputs
//! ```
//!
//! Functions of one operand see every float32. Functions of two see `--pairs` pairs (10^9), half of them any bits, the
//! others moderate numbers and special values; float64 sees so many inputs of the same sorts. The reference is
//! `tilewright_expr::semantics::real`, in f64. Its own error is below 2^-50: it does not count for float32, and for
//! float64 it makes two units more than the bound pass. `ulps.rs` says how an error is counted.
//!
//! The time is that of one core on 16 Ki ordinary inputs in cache. Ends with failure where a bound is exceeded.

mod inputs;
mod kernels;
mod ulps;

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use inputs::Inputs;
use tilewright_expr::MATH_ULPS;
use tilewright_expr::semantics::real;
use tilewright_ir::tir::Intrinsic;
use tilewright_runtime::{Function, Value};
use tilewright_target::Target;
use tilewright_tensor::{DataType, Tensor};

/// Inputs of one call.
const CHUNK: usize = 1 << 14;

struct Options {
    target: Target,
    dtype: DataType,
    step: u64,
    pairs: u64,
    threads: usize,
    functions: Vec<Intrinsic>,
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        target: Target::host(),
        dtype: DataType::F32,
        step: 1,
        pairs: 1_000_000_000,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        functions: Vec::new(),
    };
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    while let Some(arg) = args.next() {
        if !arg.starts_with("--") {
            let known = Intrinsic::by_name(&arg).filter(|&f| is_measured(f));
            options.functions.push(known.ok_or_else(|| format!("no function `{arg}` to measure"))?);
            continue;
        }
        let value = args.next().ok_or_else(|| format!("{arg} needs a value"))?;
        let number = || value.parse::<u64>().ok().filter(|&n| n > 0).ok_or_else(|| format!("{arg} {value}: a number?"));
        match arg.as_str() {
            "--target" => options.target = Target::parse(&value).map_err(|e| e.to_string())?,
            "--dtype" => {
                let measured = |dtype: &DataType| [DataType::F32, DataType::F64].contains(dtype);
                let dtype = value.parse().ok().filter(measured);
                options.dtype = dtype.ok_or_else(|| format!("--dtype {value}: float32 or float64?"))?;
            }
            "--step" => options.step = number()?,
            "--pairs" => options.pairs = number()?,
            "--threads" => options.threads = number()? as usize,
            _ => return Err(format!("no option `{arg}`")),
        }
    }
    if options.functions.is_empty() {
        options.functions = Intrinsic::ALL.iter().copied().filter(|&f| is_measured(f)).collect();
    }
    Ok(options)
}

/// Functions of real numbers without a single right result.
fn is_measured(intrinsic: Intrinsic) -> bool {
    !intrinsic.is_exact()
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("math_ulp: {problem}");
            return ExitCode::FAILURE;
        }
    };
    let bound = MATH_ULPS as f64 + if options.dtype.bits == 64 { 2.0 } else { 0.0 };
    println!("{} on {}, features {}", options.dtype, options.target.cpu, options.target.required_features().join(" "));
    println!("{:8} {:>12} {:>9}  {:44} {:>10}", "function", "inputs", "worst ulp", "at", "ns/element");
    let mut within = true;
    for &function in &options.functions {
        let symbol = function.name();
        let kernel = kernels::elementwise(symbol, function, options.dtype, CHUNK as i64);
        let machine = kernels::machine([kernel], &options.target);
        let compiled = machine.function(symbol).expect("the function is there");
        let start = Instant::now();
        let worst = measure(&options, function, &compiled);
        let passed = worst.error <= bound;
        within &= passed;
        let at: Vec<String> = worst.at.iter().map(|x| format!("{x:e}")).collect();
        let at = format!("{} -> {:e}", at.join(", "), worst.found);
        let time = time(&options, function, &compiled);
        let mark = if passed { "" } else { "  BEYOND THE BOUND" };
        println!(
            "{symbol:8} {:12} {:9.3}  {at:44} {time:10.3}{mark}  ({:.0} s)",
            worst.inputs,
            worst.error,
            start.elapsed().as_secs_f64()
        );
    }
    if within { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The largest error so far.
#[derive(Clone, Default)]
struct Worst {
    error: f64,
    at: Vec<f64>,
    found: f64,
    inputs: u64,
}

impl Worst {
    fn join(&mut self, other: Self) {
        let inputs = self.inputs + other.inputs;
        if other.error > self.error || self.at.is_empty() {
            *self = other;
        }
        self.inputs = inputs;
    }
}

fn measure(options: &Options, function: Intrinsic, compiled: &Function) -> Worst {
    let inputs = Inputs { dtype: options.dtype, operands: function.arity(), step: options.step, random: options.pairs };
    let chunks = inputs.count().div_ceil(CHUNK as u64);
    let next = AtomicU64::new(0);
    let worst = Mutex::new(Worst::default());
    std::thread::scope(|scope| {
        for _ in 0..options.threads {
            scope.spawn(|| {
                let mut own = Worst::default();
                let mut call = Call::new(options.dtype, function.arity());
                loop {
                    let chunk = next.fetch_add(1, Ordering::Relaxed);
                    if chunk >= chunks {
                        break;
                    }
                    inputs.fill(chunk, &mut call.operands);
                    call.run(compiled);
                    call.judge(function, &mut own);
                }
                worst.lock().unwrap().join(own);
            });
        }
    });
    worst.into_inner().unwrap()
}

/// The operands of a call, and the buffers of its kernel: those of the operands, then the result's.
struct Call {
    operands: Vec<Vec<f64>>,
    tensors: Vec<Tensor>,
    args: Vec<Value>,
}

impl Call {
    fn new(dtype: DataType, operands: usize) -> Self {
        let tensors: Vec<Tensor> =
            (0..=operands).map(|_| Tensor::zeros(dtype, &[CHUNK as i64]).expect("memory for a chunk")).collect();
        let args = tensors.iter().map(|tensor| tensor.clone().into()).collect();
        Self { operands: vec![vec![0.0; CHUNK]; operands], tensors, args }
    }

    fn run(&mut self, compiled: &Function) {
        let mut bytes = Vec::with_capacity(CHUNK * size_of::<f64>());
        for (tensor, operand) in self.tensors.iter().zip(&self.operands) {
            bytes.clear();
            if tensor.dtype() == DataType::F32 {
                operand.iter().for_each(|&x| bytes.extend_from_slice(&(x as f32).to_le_bytes()));
            } else {
                operand.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
            }
            tensor.overwrite(&bytes).expect("as many bytes");
        }
        compiled.call(&self.args).expect("the kernel runs");
    }

    fn judge(&self, function: Intrinsic, worst: &mut Worst) {
        let out = &self.tensors[self.operands.len()];
        match out.as_slice::<f32>() {
            Ok(found) => self.judge_each(function, DataType::F32, found.iter().map(|&x| f64::from(x)), worst),
            Err(_) => {
                let found = out.as_slice::<f64>().expect("float32 or float64");
                self.judge_each(function, DataType::F64, found.iter().copied(), worst);
            }
        }
    }

    fn judge_each(&self, function: Intrinsic, dtype: DataType, found: impl Iterator<Item = f64>, worst: &mut Worst) {
        let (xs, ys) = (&self.operands[0], self.operands.last().expect("a function has operands"));
        let operands = self.operands.len();
        worst.inputs += CHUNK as u64;
        for ((found, &x), &y) in found.zip(xs).zip(ys) {
            let args = &[x, y][..operands];
            let exact = real(function, args).expect("a function of real numbers");
            if ulps::is_within(found, exact, worst.error, dtype) {
                continue;
            }
            let error = ulps::ulps(found, exact, dtype);
            if error > worst.error || worst.at.is_empty() {
                (worst.error, worst.at, worst.found) = (error, args.to_vec(), found);
            }
        }
    }
}

/// Nanoseconds for an element, the best of many calls.
fn time(options: &Options, function: Intrinsic, compiled: &Function) -> f64 {
    let mut call = Call::new(options.dtype, function.arity());
    inputs::ordinary(function, options.dtype, &mut call.operands);
    call.run(compiled);
    let mut best = f64::INFINITY;
    for _ in 0..300 {
        let start = Instant::now();
        compiled.call(&call.args).expect("the kernel runs");
        best = best.min(start.elapsed().as_secs_f64());
    }
    best * 1e9 / CHUNK as f64
}
