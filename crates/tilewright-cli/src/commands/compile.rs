//! `tilewright compile`: compile a module into an executable file, or stop before that and show what there is.

use std::path::PathBuf;

use clap::ValueEnum;
use tilewright::ir::pass::Sequential;
use tilewright::{CompileError, CompileOptions, Emitted, LinkedEvaluator, PassCx, Stage, passes};

use crate::failure::{Failure, Outcome};
use crate::output::{self, say};
use crate::progress::Progress;
use crate::{Input, Tuned, onnx, read_module, target};

#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Where to write the result; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The machine to compile for, such as haswell or "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1"; by default
    /// this one.
    #[arg(long)]
    target: Option<String>,
    #[command(flatten)]
    tuned: Tuned,
    /// The output to write.
    #[arg(long, value_enum, default_value_t = Emit::Exe)]
    emit: Emit,
    /// How much the passes may do, from 0 (only what is needed) to 3.
    #[arg(long, value_name = "LEVEL", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=3))]
    opt_level: u8,
    /// Passes and pipelines to run instead of `default_build`, by name, in order. All but `script` need a module that
    /// such a pipeline has made ready for the machine.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    passes: Option<Vec<String>>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Emit {
    /// The module after the passes, as TVMScript.
    Script,
    /// Every kernel in its lowered form, as TVMScript.
    Low,
    /// The kernels as LLVM IR.
    Llvm,
    /// The kernels as assembly.
    Asm,
    /// The kernels as an ELF object.
    Obj,
    /// The executable, which the runtime alone can run.
    Exe,
}

impl Emit {
    fn stage(self) -> Stage {
        match self {
            Self::Script => Stage::Script,
            Self::Low => Stage::Low,
            Self::Llvm => Stage::Llvm,
            Self::Asm => Stage::Asm,
            Self::Obj => Stage::Obj,
            Self::Exe => Stage::Exe,
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let target = target(arguments.target.as_deref())?;
    let mut options = arguments.tuned.options(target)?;
    if let Some(names) = &arguments.passes {
        let pass = |name: &String| passes::by_name(name, &options.target);
        let passes = names.iter().map(pass).collect::<Result<Vec<_>, _>>()?;
        options.pipeline = Sequential { name: "passes", passes };
    }
    refuse_to_overwrite_the_input(arguments)?;
    let progress = Progress::new();
    options.watch = Some(progress.watch());
    options.model = onnx::info(&arguments.input.file);
    let outcome = compile(arguments, &options, &progress);
    progress.finish();
    let emitted = outcome?;
    let path = &arguments.output;
    match &emitted {
        Emitted::Text(text) => output::write_text(path, text)?,
        Emitted::Object(_) | Emitted::Executable(_) => output::write_binary(path, emitted.as_bytes())?,
    }
    if output::is_stdout(path) {
        return Ok(());
    }
    say!("{}: {} bytes for {}", path.display(), emitted.as_bytes().len(), options.target)
}

fn compile(arguments: &Arguments, options: &CompileOptions, progress: &Progress) -> Outcome<Emitted> {
    progress.step("reading");
    let module = read_module(&arguments.input.file)?;
    let evaluator = LinkedEvaluator::default();
    let mut cx = PassCx { opt_level: arguments.opt_level, evaluator: Some(&evaluator), ..PassCx::default() };
    cx.instruments.push(Box::new(progress.clone()));
    tilewright::emit(&mut cx, &module, options, arguments.emit.stage()).map_err(|error| match error {
        CompileError::Module(mut found) if arguments.passes.is_some() => {
            if let Some(last) = found.0.last_mut() {
                last.help = Some("the machine takes what `default_build` leaves: end --passes with it".to_owned());
            }
            found.into()
        }
        error => error.into(),
    })
}

fn refuse_to_overwrite_the_input(arguments: &Arguments) -> Outcome {
    let real = |path: &PathBuf| std::fs::canonicalize(path).ok();
    match (real(&arguments.input.file), real(&arguments.output)) {
        (Some(input), Some(output)) if input == output => {
            let path = arguments.output.display();
            Err(Failure::Message(format!("{path} is the input: it would be lost; give another file to -o")))
        }
        _ => Ok(()),
    }
}
