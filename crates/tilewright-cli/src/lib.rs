//! The command line: `tilewright check | opt | compile | run | profile | bench | compare | tune | inspect | doctor |
//! explain`.
//!
//! Reading order: [`main`], then one file for each command in `commands`; `failure` (errors), `output` (what is
//! written where) and `progress`.
//!
//! Invariants: a command parses its arguments, calls the crate `tilewright`, and writes its result to standard output
//! or a file; messages for people go to standard error. Nothing here transforms IR. The exit status is 0 for success, 1
//! where the user's input is at fault, 2 for a wrong command line; `compare` has its own. A closed output pipe is no
//! failure.

mod checkpoint;
mod commands;
mod failure;
pub mod onnx;
mod output;
mod peers;
mod progress;

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anstream::ColorChoice;
use clap::{Parser, Subcommand, ValueEnum};
use tilewright::tune::Database;
use tilewright::{CompileOptions, Executable, IRModule, SourceFile, Target, tuning};

pub use crate::progress::Progress;

use crate::failure::{ErrorFormat, Failure, Outcome};

/// Compile machine-learning models and run them.
#[derive(Parser, Debug)]
#[command(
    name = "tilewright",
    version,
    about = "Compile machine-learning models and run them.",
    after_help = "With the Python package: `tilewright chat PATH` talks with a language model, `tilewright generate PATH \
                  PROMPT` continues a text, `tilewright embed PATH TEXT` gives its vector, `tilewright llm` converts, \
                  checks and measures language models; each has a --help of its own."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// How problems are written to standard error.
    #[arg(long, global = true, value_enum, value_name = "FORMAT", default_value_t = ErrorFormat::Human)]
    error_format: ErrorFormat,
    /// Whether problems are coloured; `auto` colours them on a terminal, unless NO_COLOR is set.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    color: Color,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// Decides for everything that this process writes.
    fn choose(self) {
        let choice = match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
        };
        choice.write_global();
    }
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Read TVMScript files and report everything that is wrong with them.
    Check(commands::check::Arguments),
    /// Run passes over a TVMScript module and print the result.
    Opt(commands::opt::Arguments),
    /// Compile a TVMScript module or an ONNX model into an executable file, which the runtime alone can run, or show a
    /// stage before.
    Compile(commands::compile::Arguments),
    /// Call a function of a TVMScript module, of an ONNX model or of an executable.
    Run(commands::run::Arguments),
    /// Show the time of a function, kernel by kernel, compared with the machine's lower bound.
    Profile(commands::profile::Arguments),
    /// Measure the latency and the throughput of a function, compared with other runtimes that are installed.
    Bench(commands::bench::Arguments),
    /// Run a model here and with another runtime, and find the first tensor that differs. The exit status is 0 where
    /// they agree, 1 where they differ, 2 where they could not be compared.
    Compare(commands::compare::Arguments),
    /// Search for faster schedules of a module's kernels by measuring them.
    Tune(commands::tune::Arguments),
    /// Answer the requests of a tuner, a line of JSON each.
    #[command(hide = true)]
    TuneWorker,
    /// Show what an executable, an ONNX model or a checkpoint holds and needs.
    Inspect(commands::inspect::Arguments),
    /// Show what this machine has and whether everything works.
    Doctor(commands::doctor::Arguments),
    /// Explain the code of an error, or why a kernel of a module is as it is.
    Explain(commands::explain::Arguments),
}

/// Runs the command line (the program's name first) and gives the exit status.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are "errors" of clap that succeed.
            let status = error.exit_code();
            return if error.print().is_ok() { status as u8 } else { 2 };
        }
    };
    arguments.color.choose();
    let format = arguments.error_format;
    let outcome = match arguments.command {
        Command::Check(arguments) => commands::check::run(&arguments, format),
        Command::Opt(arguments) => commands::opt::run(&arguments),
        Command::Compile(arguments) => commands::compile::run(&arguments),
        Command::Run(arguments) => commands::run::run(&arguments),
        Command::Profile(arguments) => commands::profile::run(&arguments),
        Command::Bench(arguments) => commands::bench::run(&arguments),
        Command::Compare(arguments) => return commands::compare::run(&arguments, format),
        Command::Tune(arguments) => commands::tune::run(&arguments),
        Command::TuneWorker => commands::tune::serve(),
        Command::Inspect(arguments) => commands::inspect::run(&arguments),
        Command::Doctor(arguments) => commands::doctor::run(&arguments, format),
        Command::Explain(arguments) => commands::explain::run(&arguments),
    };
    outcome.map_or_else(|failure| format.report(&failure), |()| 0)
}

/// How an executable begins; no text does.
const EXECUTABLE_MAGIC: &[u8] = b"TILEWRT\0";

/// Whether the file is an executable, by its first bytes. A pipe is none: bytes that are read of it are lost.
fn is_executable(path: &Path) -> Outcome<bool> {
    if path.exists() && !path.is_file() {
        return Ok(false);
    }
    let mut first = Vec::new();
    let read = File::open(path).and_then(|file| file.take(EXECUTABLE_MAGIC.len() as u64).read_to_end(&mut first));
    read.map_err(|error| Failure::file("read", path, &error))?;
    Ok(first == EXECUTABLE_MAGIC)
}

fn open_executable(path: &Path) -> Outcome<Arc<Executable>> {
    Executable::open(path).map(Arc::new).map_err(|error| Failure::of_executable(path, &error))
}

/// Reads a source file; a file that is not UTF-8 is an error with the position of the first wrong byte.
fn read_source(path: &Path) -> Outcome<Arc<SourceFile>> {
    let bytes = std::fs::read(path).map_err(|error| Failure::file("read", path, &error))?;
    if bytes.starts_with(EXECUTABLE_MAGIC) {
        let message =
            "this is an executable already: `tilewright run`, `tilewright inspect` and `tilewright explain` take it";
        return Err(Failure::of_file(path, message));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(SourceFile::new(path.display().to_string(), text)),
        Err(error) => Err(Failure::of_file(path, not_utf8(error.as_bytes()))),
    }
}

/// Where a text is not UTF-8.
fn not_utf8(bytes: &[u8]) -> String {
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        return "this is UTF-16 text: save it as UTF-8".to_owned();
    }
    let before = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let (line, column) = SourceFile::new("", before).line_column(before.len());
    format!("not UTF-8 text: the byte at line {line}, column {column} is invalid")
}

/// The one module of a source file, or that of an ONNX model.
fn read_module(path: &Path) -> Outcome<IRModule> {
    if onnx::is_onnx(path) {
        return onnx::read(path);
    }
    Ok(tilewright::parse_module(&read_source(path)?)?)
}

/// The target of a text; without one, this machine.
fn target(text: Option<&str>) -> Outcome<Target> {
    Ok(match text {
        Some(text) => Target::parse(text)?,
        None => Target::host(),
    })
}

/// The database argument.
#[derive(clap::Args, Debug)]
struct Tuned {
    /// A database of `tilewright tune`: kernels that are faster with its schedules get them.
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
}

impl Tuned {
    /// How to compile for a target.
    fn options(&self, target: Target) -> Outcome<CompileOptions> {
        let Some(path) = &self.database else { return Ok(CompileOptions::for_target(target)) };
        if !path.exists() {
            return Err(Failure::of_file(path, "there is no such database: `tilewright tune` writes one"));
        }
        let database = Database::open(path).map_err(|error| Failure::Message(error.to_string()))?;
        Ok(tuning::options_with(target, database))
    }
}

/// A file argument.
#[derive(clap::Args, Debug)]
struct Input {
    /// A TVMScript file, or a model of ONNX (`.onnx`).
    file: PathBuf,
}
