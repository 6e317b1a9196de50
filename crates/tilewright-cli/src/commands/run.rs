//! `tilewright run`: compile a module and call one of its functions.

use std::path::{Path, PathBuf};
use std::time::Instant;

use tilewright::ir::relax::StructInfo;
use tilewright::support::{Map, nearest};
use tilewright::{CompileOptions, DataType, IRModule, Target, Tensor, Value, VirtualMachine};

use crate::{Failure, Input, Outcome, read_source};

#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// The function to call.
    #[arg(long, default_value = "main")]
    function: String,
    /// An argument: a parameter's name and a .npy file.
    #[arg(long = "input", value_name = "NAME=FILE")]
    inputs: Vec<String>,
    /// A .npz or .pkl file with arguments by parameter name.
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    /// Fill the other arguments with random numbers from this seed.
    #[arg(long, value_name = "SEED")]
    random: Option<u64>,
    /// The target, such as "llvm -mcpu=haswell".
    #[arg(long)]
    target: Option<String>,
    /// Call the function so many times and report the median time.
    #[arg(long, value_name = "CALLS")]
    time: Option<usize>,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let file = read_source(&arguments.input.file)?;
    let module = tilewright::parse_module(&file).map_err(|found| Failure(found.render(true)))?;
    let target = match &arguments.target {
        Some(text) => Target::parse(text)?,
        None => Target::host(),
    };
    let values = call_arguments(&module, arguments)?;
    let started = Instant::now();
    let executable = tilewright::compile(&module, &CompileOptions::for_target(target))?;
    let compiled = started.elapsed();
    let machine = VirtualMachine::new(executable, &[])?;
    let function = machine.function(&arguments.function)?;
    let result = function.call(&values)?;
    print_value(&result, 0);
    if let Some(calls) = arguments.time {
        let mut times = Vec::with_capacity(calls.max(1));
        for _ in 0..calls.max(1) {
            let started = Instant::now();
            function.call(&values)?;
            times.push(started.elapsed());
        }
        times.sort();
        eprintln!(
            "compiled in {compiled:.1?}; a call takes {:.2?} (median of {})",
            times[times.len() / 2],
            times.len()
        );
    }
    Ok(())
}

/// The function's parameters by name and struct info.
fn parameters(module: &IRModule, name: &str) -> Result<Vec<(String, StructInfo)>, Failure> {
    match module.get(name) {
        Some(tilewright::GlobalFunc::Relax(f)) => {
            Ok(f.params.iter().map(|p| (p.name.to_string(), p.struct_info.clone())).collect())
        }
        Some(tilewright::GlobalFunc::Prim(f)) => {
            let StructInfo::Func { params: Some(infos), .. } = f.signature() else { return Ok(Vec::new()) };
            Ok(f.params.iter().map(|p| p.var.name.to_string()).zip(infos).collect())
        }
        None => {
            let near = nearest(name, module.iter().map(|(known, _)| &**known));
            let hint = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
            Err(Failure(format!("the module has no function `{name}`{hint}")))
        }
    }
}

fn call_arguments(module: &IRModule, arguments: &Arguments) -> Result<Vec<Value>, Failure> {
    let mut given: Map<String, Tensor> = Map::default();
    if let Some(path) = &arguments.params {
        given.extend(read_params(path)?);
    }
    for input in &arguments.inputs {
        let Some((name, path)) = input.split_once('=') else {
            return Err(Failure(format!("expected NAME=FILE for --input, found `{input}`")));
        };
        given.insert(name.to_owned(), tilewright::import::read_npy(&read_bytes(Path::new(path))?)?);
    }
    let parameters = parameters(module, &arguments.function)?;
    for name in given.keys() {
        if arguments.params.is_none() && !parameters.iter().any(|(known, _)| known == name) {
            return Err(Failure(format!("function `{}` has no parameter `{name}`", arguments.function)));
        }
    }
    let mut random = arguments.random.map(Random);
    parameters
        .into_iter()
        .map(|(name, info)| match (given.remove(&name), &mut random) {
            (Some(tensor), _) => Ok(Value::from(tensor)),
            (None, Some(random)) => random.tensor(&name, &info).map(Value::from),
            (None, None) => Err(Failure(format!(
                "no argument for parameter `{name}`: give --input {name}=FILE.npy, --params FILE.npz or --random SEED"
            ))),
        })
        .collect()
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure(format!("cannot read {}: {error}", path.display())))
}

fn read_params(path: &Path) -> Result<Vec<(String, Tensor)>, Failure> {
    Ok(tilewright::import::read_tensors(&read_bytes(path)?)?)
}

/// A small generator of numbers (SplitMix64): the same seed gives the same arguments everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Floats in [-1, 1), integers in [-10, 10], bools; symbolic dimensions cannot be made up.
    fn tensor(&mut self, name: &str, info: &StructInfo) -> Result<Tensor, Failure> {
        let dims: Option<Vec<i64>> = info.dims().and_then(|dims| dims.iter().map(|d| d.as_int()).collect());
        let (Some(shape), Some(dtype)) = (dims, info.dtype()) else {
            return Err(Failure(format!("parameter `{name}` is no tensor of constant shape: give it with --input")));
        };
        let tensor = Tensor::zeros(dtype, &shape)?;
        let count = tensor.num_elements();
        let mut unit = || (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        Ok(match dtype {
            DataType::F32 => Tensor::from_vec(&shape, (0..count).map(|_| unit() as f32).collect())?,
            DataType::F64 => Tensor::from_vec(&shape, (0..count).map(|_| unit()).collect())?,
            _ => {
                use tilewright::expr::semantics::{Scalar, cast};
                let mut bytes = Vec::with_capacity(tensor.num_bytes());
                for _ in 0..count {
                    let value = if dtype.is_float() { unit() } else { (unit() * 10.0).round() };
                    let scalar = cast(Scalar::from_float(value, DataType::F64), dtype);
                    bytes.extend_from_slice(&scalar.bits().to_le_bytes()[..dtype.element_bytes()]);
                }
                Tensor::from_bytes(dtype, &shape, &bytes)?
            }
        })
    }
}

/// Prints a result: tensors with type, shape and their first elements.
fn print_value(value: &Value, depth: usize) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Tensor(tensor) => println!("{indent}{}", describe(tensor)),
        Value::Tuple(items) => {
            println!("{indent}tuple of {}", items.len());
            items.iter().for_each(|item| print_value(item, depth + 1));
        }
        other => println!("{indent}{other:?}"),
    }
}

fn describe(tensor: &Tensor) -> String {
    const SHOWN: usize = 16;
    use tilewright::expr::semantics::Scalar;
    let dtype = tensor.dtype();
    let bytes = tensor.as_bytes().unwrap_or_default();
    let texts: Vec<String> = bytes
        .chunks_exact(dtype.element_bytes().max(1))
        .take(SHOWN)
        .map(|chunk| {
            let mut bits = [0; 8];
            bits[..chunk.len()].copy_from_slice(chunk);
            let scalar = Scalar::from_bits(dtype, u64::from_le_bytes(bits));
            if dtype.is_float() { format!("{:.6}", scalar.as_float()) } else { scalar.as_int().to_string() }
        })
        .collect();
    let more = if tensor.num_elements() > SHOWN { ", …" } else { "" };
    format!("{dtype}{:?} [{}{more}]", tensor.shape(), texts.join(", "))
}
