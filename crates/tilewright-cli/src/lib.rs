//! The command line: `tilewright check | opt | compile | run | doctor`.
//!
//! Reading order: [`main`], then one file for each command in `commands`.
//!
//! Invariants: a command parses its arguments, calls the crate `tilewright`, and writes to standard output; messages for
//! people go to standard error. Nothing here transforms IR. The exit status is 0 for success, 1 where the user's input is
//! at fault, 2 for a wrong command line.

mod commands;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Parser, Subcommand};
use tilewright::SourceFile;

/// Compile machine-learning models and run them.
#[derive(Parser, Debug)]
#[command(name = "tilewright", version, about = "Compile machine-learning models and run them.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Read TVMScript files and report everything that is wrong with them.
    Check(commands::check::Arguments),
    /// Run passes over a TVMScript module and print the result.
    Opt(commands::opt::Arguments),
    /// Compile a TVMScript module into an executable file, which the runtime alone can run.
    Compile(commands::compile::Arguments),
    /// Compile a TVMScript module and run one of its functions.
    Run(commands::run::Arguments),
    /// Show what this machine has and whether everything works.
    Doctor(commands::doctor::Arguments),
}

/// Why a command failed, as it is shown to the user.
#[derive(Debug)]
struct Failure(String);

impl<E: std::fmt::Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

type Outcome = Result<(), Failure>;

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
    let outcome = match arguments.command {
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Opt(arguments) => commands::opt::run(&arguments),
        Command::Compile(arguments) => commands::compile::run(&arguments),
        Command::Run(arguments) => commands::run::run(&arguments),
        Command::Doctor(arguments) => commands::doctor::run(&arguments),
    };
    match outcome {
        Ok(()) => 0,
        Err(Failure(message)) => {
            anstream::eprintln!("{message}");
            1
        }
    }
}

/// Reads a source file; a file that is not UTF-8 is an error with the place of the first wrong byte.
fn read_source(path: &Path) -> Result<Arc<SourceFile>, Failure> {
    let bytes = std::fs::read(path).map_err(|error| Failure(format!("cannot read {}: {error}", path.display())))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(SourceFile::new(path.display().to_string(), text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            Err(Failure(format!("{} is not UTF-8 text: the byte at offset {at} is invalid", path.display())))
        }
    }
}

/// A file argument.
#[derive(clap::Args, Debug)]
struct Input {
    /// A TVMScript file.
    file: PathBuf,
}
