//! `tilewright check`: read files and report all that is wrong.

use std::path::PathBuf;

use tilewright::ir::verify::{Form, verify};
use tilewright::script::parse::{Definition, NoHost, parse_file};

use crate::failure::{Failure, Outcome};
use crate::output::say;
use crate::read_source;

#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// TVMScript files.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let mut failed = 0;
    for path in &arguments.files {
        let problems = read_source(path).and_then(|file| check(&file));
        match problems {
            Ok(summary) => say!("{}: {summary}", path.display())?,
            Err(failure) => {
                failed += 1;
                failure.report();
                anstream::eprintln!();
            }
        }
    }
    match failed {
        0 => Ok(()),
        n => {
            anstream::eprintln!("{n} of {} files have errors", arguments.files.len());
            Err(Failure::Reported)
        }
    }
}

fn check(file: &std::sync::Arc<tilewright::SourceFile>) -> Outcome<String> {
    let parsed = parse_file(file, &NoHost)?;
    let (mut modules, mut functions) = (0, 0);
    for item in &parsed.items {
        match &item.definition {
            Definition::Module(module) => {
                verify(module, Form::Any)?;
                modules += 1;
                functions += module.len();
            }
            Definition::Prim(_) | Definition::Relax(_) => functions += 1,
        }
    }
    if !parsed.warnings.0.is_empty() {
        anstream::eprintln!("{}\n", parsed.warnings.render(true));
    }
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    Ok(format!("ok, {} and {}", count(modules, "module"), count(functions, "function")))
}
