//! `tilewright inspect`: the contents and requirements of an executable, without running it; what models of ONNX and
//! checkpoints hold.

use std::fmt::Write;
use std::path::PathBuf;

use tilewright::Executable;
use tilewright::profile::KERNEL;
use tilewright::vm_program::{FileInfo, Function, Program};

use crate::failure::{Failure, Outcome};
use crate::output::print;
use crate::{checkpoint, is_executable, onnx, open_executable};

#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// An executable, as `tilewright compile` writes it, a model of ONNX, or a checkpoint: safetensors, GGUF, a file of
    /// torch.save, npz, an index of such files, `ndarray-cache.json`, or a folder with one of these.
    file: PathBuf,
    /// Print the machine's program as text instead.
    #[arg(long)]
    text: bool,
    /// Print the machine's program as a listing in Python's syntax instead.
    #[arg(long, conflicts_with = "text")]
    python: bool,
    /// Print what a checkpoint holds as JSON instead.
    #[arg(long, conflicts_with_all = ["text", "python"])]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let path = &arguments.file;
    let is_model = onnx::is_onnx(path);
    if !is_model && checkpoint::is_checkpoint(path)? {
        return print(&checkpoint::describe(path, arguments.json)?);
    }
    if arguments.json {
        return Err(Failure::of_file(path, "this is no checkpoint, and only those are shown as JSON"));
    }
    if is_model {
        return print(&onnx::describe(path)?);
    }
    if !is_executable(path)? {
        let message = "this is no executable and no checkpoint: a module is compiled with `tilewright compile`";
        return Err(Failure::of_file(path, message));
    }
    let executable = open_executable(path)?;
    if arguments.text {
        return print(&executable.program().as_text());
    }
    if arguments.python {
        return print(&executable.program().as_python());
    }
    let file = executable.bytes().info().map_err(|error| Failure::of_file(path, error))?;
    let mut text = format!("{}: {} bytes\n", path.display(), executable.bytes().len());
    // Writing to a string does not fail.
    let _ = describe(&mut text, &executable, &file);
    print(&text)
}

fn describe(out: &mut String, executable: &Executable, file: &FileInfo) -> std::fmt::Result {
    let program = executable.program();
    let target = executable.target();
    writeln!(out, "format        version {}, kernel ABI {}", file.format_version, file.abi_version)?;
    writeln!(out, "target        {}", if target.triple.is_empty() { "any machine" } else { &target.triple })?;
    writeln!(out, "features      {}", or_none(&target.features))?;
    match executable.check_machine() {
        Ok(()) => writeln!(out, "this machine  can run it")?,
        Err(error) => writeln!(out, "this machine  cannot run it: {error}")?,
    }
    // Details of kernels are for `tilewright profile`.
    for (key, value) in executable.package().metadata.iter().filter(|(key, _)| !key.starts_with(KERNEL)) {
        writeln!(out, "{key:<13} {value}")?;
    }
    write!(out, "{}", program.stats())?;
    writeln!(out, "packed        {}", or_none(&program.packed_names))?;
    writeln!(out, "\nfunctions")?;
    for function in &program.functions {
        writeln!(out, "  {}", signature(function))?;
    }
    describe_kernels(out, program)?;
    writeln!(out, "\nsections")?;
    for section in &file.sections {
        writeln!(out, "  {:<10} {:>12} bytes at {}", section.name, section.bytes, section.offset)?;
    }
    Ok(())
}

fn describe_kernels(out: &mut String, program: &Program) -> std::fmt::Result {
    if program.kernels.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nkernels")?;
    for kernel in &program.kernels {
        let (name, tensors, scalars) = (program.kernel_name(kernel), kernel.tensors.len(), kernel.scalars.len());
        writeln!(out, "  {name}: {tensors} tensors, {scalars} scalars, {} bytes of scratch", kernel.scratch_bytes)?;
    }
    Ok(())
}

fn signature(function: &Function) -> String {
    let slots = &function.slots;
    let params: Vec<String> =
        function.params.iter().map(|param| format!("{}: {}", param.name, param.kind.display(slots))).collect();
    format!("{}({}) -> {}", function.name, params.join(", "), function.result.display(slots))
}

fn or_none(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(" ") }
}
