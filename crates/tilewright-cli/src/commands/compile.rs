//! `tilewright compile`: compile a module into an executable file.

use std::path::PathBuf;

use tilewright::{CompileOptions, PassCx, Target};

use crate::{Failure, Input, Outcome, read_source};

#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Where to write the executable.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The target, such as "llvm -mcpu=haswell"; by default this machine.
    #[arg(long)]
    target: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let file = read_source(&arguments.input.file)?;
    let module = tilewright::parse_module(&file).map_err(|found| Failure(found.render(true)))?;
    let target = match &arguments.target {
        Some(text) => Target::parse(text)?,
        None => Target::host(),
    };
    let bytes = tilewright::build_executable(&mut PassCx::default(), &module, &CompileOptions::for_target(target))?;
    std::fs::write(&arguments.output, bytes.as_slice())
        .map_err(|error| Failure(format!("cannot write {}: {error}", arguments.output.display())))?;
    println!("{}: {} bytes", arguments.output.display(), bytes.as_slice().len());
    Ok(())
}
