//! `tilewright run`: call a function of a module, or of an executable.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tilewright::explain::Kernels;
use tilewright::{Executable, LinkedEvaluator, PassCx, Tensor, Value, VirtualMachine};

use super::call::CallArguments;
use crate::failure::{Failure, Outcome};
use crate::output::say;
use crate::progress::Progress;
use crate::{Input, Tuned, is_executable, open_executable, read_module, target};

#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// The function to call.
    #[arg(long, default_value = "main")]
    function: String,
    #[command(flatten)]
    call: CallArguments,
    /// The target, such as "llvm -mcpu=haswell"; not for a file that is compiled already.
    #[arg(long)]
    target: Option<String>,
    #[command(flatten)]
    tuned: Tuned,
    /// Call the function this number of times and report the median time.
    #[arg(long, value_name = "CALLS")]
    time: Option<usize>,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let started = Instant::now();
    let executable = load(&arguments.input.file, arguments.target.as_deref(), &arguments.tuned)?;
    let loaded = started.elapsed();
    let machine = VirtualMachine::new(executable, &[])?;
    let function = machine.function(&arguments.function)?;
    let values = arguments.call.values(function.signature())?;
    print_value(&function.call(&values)?, 0)?;
    if let Some(calls) = arguments.time {
        let mut times: Vec<Duration> = Vec::new();
        for _ in 0..calls.max(1) {
            let started = Instant::now();
            function.call(&values)?;
            times.push(started.elapsed());
        }
        times.sort();
        let (median, calls) = (times[times.len() / 2], times.len());
        eprintln!("ready in {loaded:.1?}; a call takes {median:.2?} (median of {calls})");
    }
    Ok(())
}

/// Opens an executable; compiles anything else.
pub(super) fn load(path: &Path, wanted: Option<&str>, tuned: &Tuned) -> Outcome<Arc<Executable>> {
    if is_executable(path)? {
        if wanted.is_some() || tuned.database.is_some() {
            let option = if wanted.is_some() { "--target" } else { "--database" };
            let message = format!("{} is compiled already: {option} is for a TVMScript file", path.display());
            return Err(Failure::Message(message));
        }
        return open_executable(path);
    }
    let options = tuned.options(target(wanted)?)?;
    let progress = Progress::new();
    let bytes = with_passes(&progress, |cx| {
        tilewright::build_executable(cx, &read_module(path)?, &options).map_err(Into::into)
    });
    progress.finish();
    Ok(Arc::new(Executable::load(bytes?)?))
}

/// As [`load`] for anything that is no executable, with what the passes made of its kernels.
pub(super) fn load_with_kernels(
    path: &Path,
    wanted: Option<&str>,
    tuned: &Tuned,
) -> Outcome<(Arc<Executable>, Kernels)> {
    let options = tuned.options(target(wanted)?)?;
    let progress = Progress::new();
    let made = with_passes(&progress, |cx| {
        let kernels = Kernels::of(cx, &read_module(path)?, &options)?;
        Ok((kernels.build()?, kernels))
    });
    progress.finish();
    let (bytes, kernels) = made?;
    Ok((Arc::new(Executable::load(bytes)?), kernels))
}

/// Does something with a context in which constants are folded by compiled code and progress is shown.
fn with_passes<T>(progress: &Progress, act: impl FnOnce(&mut PassCx<'_>) -> Outcome<T>) -> Outcome<T> {
    let evaluator = LinkedEvaluator::default();
    let mut cx = PassCx { evaluator: Some(&evaluator), ..PassCx::default() };
    cx.instruments.push(Box::new(progress.clone()));
    act(&mut cx)
}

/// Prints a result: tensors with type, shape and their first elements.
fn print_value(value: &Value, depth: usize) -> Outcome {
    let indent = "  ".repeat(depth);
    match value {
        Value::Tensor(tensor) => say!("{indent}{}", describe(tensor)),
        Value::Tuple(items) => {
            say!("{indent}tuple of {}", items.len())?;
            items.iter().try_for_each(|item| print_value(item, depth + 1))
        }
        other => say!("{indent}{other:?}"),
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
