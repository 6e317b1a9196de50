//! `tilewright compare`: run a model here and with another runtime, or two models, and find the first tensor that
//! differs.
//!
//! First the models are compared as they are. Where an output differs, both run again with the values of all nodes as
//! outputs, and these are compared in topological order.

mod report;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use tilewright::compare::{Deviation, Observed, Tolerance, further_outputs, observe};
use tilewright::import::onnx::{Model, read};
use tilewright::support::Map;
use tilewright::{CompileOptions, LinkedEvaluator, PassCx, Tensor, Value, VirtualMachine};

use super::call::CallArguments;
use crate::failure::{ErrorFormat, Failure, Outcome};
use crate::output::print;
use crate::peers::{Absent, Peer, Scratch, inputs, interpreter};
use crate::progress::Progress;
use crate::{onnx, target};

use report::{Report, Sides};

#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// A model of ONNX (`.onnx`), or a program of `torch.export` (`.pt2`).
    file: PathBuf,
    /// The reference: `onnxruntime`, `torch` for a `.pt2` file, or another model of ONNX with the same inputs and the
    /// same names of tensors.
    #[arg(long, value_name = "RUNTIME|FILE")]
    against: String,
    #[command(flatten)]
    call: CallArguments,
    /// The target, such as "llvm -mcpu=haswell".
    #[arg(long)]
    target: Option<String>,
    /// The largest deviation that is none, as a part of the largest magnitude in the tensor of the reference.
    #[arg(long, value_name = "PART", default_value_t = Tolerance::default().relative)]
    tolerance: f64,
    /// A deviation that is none in any tensor.
    #[arg(long, value_name = "NUMBER", default_value_t = Tolerance::default().absolute)]
    absolute: f64,
    /// A deviation that is none in tensors of integers: with 1, values of a quantised model may be rounded differently.
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    steps: u32,
    /// Compare the values of all nodes even where the outputs agree.
    #[arg(long)]
    all: bool,
    /// The Python interpreter in which the other runtime is installed.
    #[arg(long, value_name = "FILE")]
    python: Option<PathBuf>,
    /// Write one object of JSON.
    #[arg(long)]
    json: bool,
}

/// The exit status: 0 where the models agree, 1 where they differ, 2 where they could not be compared.
pub(crate) fn run(arguments: &Arguments, format: ErrorFormat) -> u8 {
    match compare(arguments) {
        Ok(is_equal) => u8::from(!is_equal),
        Err(failure) => match format.report(&failure) {
            0 => 0,
            _ => 2,
        },
    }
}

fn compare(arguments: &Arguments) -> Outcome<bool> {
    let path = &arguments.file;
    if path.extension().is_some_and(|extension| extension == "pt2") {
        return torch(arguments);
    }
    if !onnx::is_onnx(path) {
        return Err(Failure::of_file(path, "expected a model of ONNX (.onnx) or of torch.export (.pt2)"));
    }
    let limits = [("--tolerance", arguments.tolerance), ("--absolute", arguments.absolute)];
    if let Some((option, number)) = limits.iter().find(|(_, number)| number.is_nan() || *number < 0.0) {
        return Err(Failure::Message(format!("expected a number from 0 on for {option}, found {number}")));
    }
    let reference = Path::new(&arguments.against);
    match arguments.against.as_str() {
        "onnxruntime" => {}
        "torch" => {
            return Err(Failure::of_file(path, "torch runs no ONNX: compare with onnxruntime, or the .pt2 file"));
        }
        _ if onnx::is_onnx(reference) => {}
        other => {
            return Err(Failure::Message(format!("`{other}` is no reference: give onnxruntime, torch or FILE.onnx")));
        }
    }
    let bytes = file(path)?;
    let model = read(&bytes).map_err(|error| Failure::of_file(path, error))?;
    let progress = Progress::new();
    let scratch = Scratch::new()?;
    let own = own_outputs(arguments, path, &model, None, &progress)?;
    let other_bytes = if onnx::is_onnx(reference) { file(reference)? } else { Vec::new() };
    let mut other = match arguments.against.as_str() {
        "onnxruntime" => Reference::of_runtime(arguments, &model, &own.inputs, &scratch)?,
        _ => Reference::Model(Box::new(read(&other_bytes).map_err(|error| Failure::of_file(reference, error))?)),
    };
    let there = other.outputs(arguments, &own.inputs, &[], &scratch, &progress)?;
    let sides =
        Sides { model: &model, path, inputs: &own.inputs, other: other.model(), against: other.name(arguments) };
    let names: Vec<&str> = model.graph.outputs.iter().map(|output| output.name).collect();
    let tolerance =
        Tolerance { relative: arguments.tolerance, absolute: arguments.absolute, steps: f64::from(arguments.steps) };
    let mut report = Report::new(&sides, tolerance, &names, &own.outputs, &there)?;
    if arguments.all || !report.is_equal() {
        let mut observed_model = model.clone();
        let observed = observe(&mut observed_model);
        let all = own_outputs(arguments, path, &observed_model, Some(&own.inputs), &progress);
        let result = all.and_then(|all| {
            let there = other.outputs(arguments, &own.inputs, &observed, &scratch, &progress)?;
            report.observe(&sides, &observed, &all.outputs, &there)
        });
        if let Err(failure) = result {
            progress.finish();
            if report.is_equal() {
                return Err(failure);
            }
            report.unobserved = Some(text_of(&failure));
        }
    }
    progress.finish();
    print(&if arguments.json { report.json(&sides) } else { report.text(&sides) })?;
    Ok(report.is_equal())
}

fn text_of(failure: &Failure) -> String {
    match failure {
        Failure::Message(message) => message.clone(),
        Failure::Diagnostics(found) => found.0.first().map_or_else(String::new, |one| one.message.clone()),
        Failure::Reported | Failure::OutputClosed => String::new(),
    }
}

fn file(path: &Path) -> Outcome<Vec<u8>> {
    std::fs::read(path).map_err(|error| Failure::file("read", path, &error))
}

/// Tensors by name; what is no tensor is left out.
pub(super) type Tensors = Map<String, Tensor>;

/// A run of a model here.
struct Run {
    inputs: Vec<Value>,
    outputs: Tensors,
}

/// Compiles a model, and runs it with these inputs or those of the command line.
fn own_outputs(
    arguments: &Arguments,
    path: &Path,
    model: &Model<'_>,
    inputs: Option<&[Value]>,
    progress: &Progress,
) -> Outcome<Run> {
    progress.step("compiling");
    let module = onnx::module(path, model)?;
    let options = CompileOptions::for_target(target(arguments.target.as_deref())?);
    let evaluator = LinkedEvaluator::default();
    let mut cx = PassCx { evaluator: Some(&evaluator), ..PassCx::default() };
    cx.instruments.push(Box::new(progress.clone()));
    let bytes = tilewright::build_executable(&mut cx, &module, &options)?;
    let executable = tilewright::Executable::load(bytes)?;
    let machine = VirtualMachine::new(executable.into(), &[])?;
    let function = machine.function("main")?;
    let inputs = match inputs {
        Some(inputs) => inputs.to_vec(),
        None => arguments.call.values_or_random(function.signature(), 0)?,
    };
    let expected = function.signature().params.len();
    if expected != inputs.len() {
        let message = format!("it has {expected} inputs, and {} has {}", arguments.file.display(), inputs.len());
        return Err(Failure::of_file(path, message));
    }
    progress.step("running");
    let values = match function.call(&inputs)? {
        Value::Tuple(items) if model.graph.outputs.len() != 1 => items.iter().cloned().collect(),
        one => vec![one],
    };
    let mut outputs = Tensors::default();
    for (output, value) in model.graph.outputs.iter().zip(values) {
        if let Value::Tensor(tensor) = value {
            let tensor = tensor.to_contiguous().map_err(|error| Failure::Message(error.to_string()))?;
            outputs.insert(output.name.to_owned(), tensor);
        }
    }
    Ok(Run { inputs, outputs })
}

/// What the model is compared with.
enum Reference<'a> {
    Runtime { peer: Box<Peer>, version: String, inputs: serde_json::Value },
    Model(Box<Model<'a>>),
}

impl<'a> Reference<'a> {
    fn of_runtime(arguments: &Arguments, model: &Model<'_>, values: &[Value], scratch: &Scratch) -> Outcome<Self> {
        let python = interpreter(arguments.python.as_deref());
        let peer = Peer::start("onnxruntime", &python, scratch).map_err(|reason| cannot_run(&python, &reason))?;
        Ok(Self::Runtime { peer: Box::new(peer), version: String::new(), inputs: inputs(model, values, scratch)? })
    }

    fn name(&self, arguments: &Arguments) -> String {
        match self {
            Self::Runtime { version, .. } => format!("onnxruntime {version}"),
            Self::Model(_) => arguments.against.clone(),
        }
    }

    fn model(&self) -> Option<Model<'a>> {
        match self {
            Self::Runtime { .. } => None,
            Self::Model(model) => Some((**model).clone()),
        }
    }

    /// Its outputs, with the values that are to be observed.
    fn outputs(
        &mut self,
        arguments: &Arguments,
        values: &[Value],
        observed: &[Observed<'_>],
        scratch: &Scratch,
        progress: &Progress,
    ) -> Outcome<Tensors> {
        match self {
            Self::Model(model) => {
                let mut model = (**model).clone();
                if !observed.is_empty() {
                    observe(&mut model);
                }
                let path = Path::new(&arguments.against);
                Ok(own_outputs(arguments, path, &model, Some(values), progress)?.outputs)
            }
            Self::Runtime { peer, version, inputs } => {
                progress.step("onnxruntime");
                let mut request = json!({"do": "load", "engine": "onnxruntime", "threads": 1, "inputs": inputs});
                let whole =
                    |path: &Path| std::path::absolute(path).map_err(|error| Failure::file("find", path, &error));
                request["model"] = json!(whole(&arguments.file)?);
                if !observed.is_empty() {
                    let mut bytes = file(&arguments.file)?;
                    let names = further_names(&bytes, observed)?;
                    bytes.extend(further_outputs(names));
                    request["model"] = json!(scratch.write("observed.onnx", &bytes)?);
                    request["folder"] = json!(whole(&tilewright::session::folder_of(&arguments.file))?);
                }
                let python = interpreter(arguments.python.as_deref());
                let failed = |reason: Absent| cannot_run(&python, &reason);
                let answer = peer.ask(&request).map_err(failed)?;
                *version = answer["version"].as_str().unwrap_or("").to_owned();
                let answer = peer.ask(&json!({"do": "results", "folder": scratch.folder()})).map_err(failed)?;
                read_results(&answer)
            }
        }
    }
}

/// The names of values that the model does not give itself.
fn further_names(bytes: &[u8], observed: &[Observed<'_>]) -> Outcome<Vec<String>> {
    let model = read(bytes).map_err(|error| Failure::Message(error.to_string()))?;
    let given = |name: &str| model.graph.outputs.iter().any(|output| output.name == name);
    Ok(observed.iter().map(|one| one.name).filter(|name| !given(name)).map(str::to_owned).collect())
}

fn cannot_run(python: &Path, reason: &Absent) -> Failure {
    match reason {
        Absent::Missing(why) => Failure::Message(format!(
            "onnxruntime does not run in {}: {why}; give an interpreter that has it with --python",
            python.display()
        )),
        Absent::Failed(why) => Failure::Message(format!("onnxruntime: {why}")),
    }
}

fn read_results(answer: &serde_json::Value) -> Outcome<Tensors> {
    let mut tensors = Tensors::default();
    for output in answer["outputs"].as_array().into_iter().flatten() {
        let (Some(name), Some(path)) = (output["name"].as_str(), output["file"].as_str()) else { continue };
        let path = Path::new(path);
        let tensor = tilewright::import::read_npy(&file(path)?);
        tensors.insert(name.to_owned(), tensor.map_err(|error| Failure::of_file(path, error))?);
    }
    Ok(tensors)
}

/// A program of PyTorch is read by PyTorch: the Python package compares it.
fn torch(arguments: &Arguments) -> Outcome<bool> {
    if arguments.against != "torch" {
        let message = format!("a program of torch.export is compared with torch, not with `{}`", arguments.against);
        return Err(Failure::of_file(&arguments.file, message));
    }
    let Some(seed) = arguments.call.only_seed().filter(|_| !arguments.json && arguments.target.is_none()) else {
        let message = "a program of torch.export is compared on random inputs like those that it was exported with: of \
                       the options for inputs, the target and JSON, it takes --random alone";
        return Err(Failure::of_file(&arguments.file, message));
    };
    file(&arguments.file)?;
    let python = interpreter(arguments.python.as_deref());
    let limits = [arguments.tolerance, arguments.absolute].map(|limit| limit.to_string());
    let mut command = Command::new(&python);
    command.args(["-m", "tilewright.driver.compare"]).arg(&arguments.file).arg(seed.to_string()).args(limits);
    command.arg(if arguments.all { "1" } else { "0" });
    let failed = |why: &dyn std::fmt::Display| {
        Failure::Message(format!("the Python package of Tilewright does not run in {}: {why}", python.display()))
    };
    let done = command.output().map_err(|error| failed(&error))?;
    let errors = String::from_utf8_lossy(&done.stderr);
    match done.status.code() {
        Some(status @ (0 | 1)) if !done.stdout.is_empty() => {
            print(&String::from_utf8_lossy(&done.stdout))?;
            Ok(status == 0)
        }
        _ => Err(failed(&errors.trim_end().lines().last().unwrap_or("it wrote no message"))),
    }
}

/// The deviation of a tensor, where both sides have it.
fn deviation(name: &str, here: &Tensors, there: &Tensors, tolerance: Tolerance) -> Outcome<Option<Deviation>> {
    let (Some(here), Some(there)) = (here.get(name), there.get(name)) else { return Ok(None) };
    Deviation::of(here, there, tolerance).map(Some).map_err(Failure::Message)
}
