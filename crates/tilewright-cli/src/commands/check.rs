//! `tilewright check`: read files and report all that is wrong.

use std::path::PathBuf;

use tilewright::ir::verify::{Form, verify};
use tilewright::script::parse::{Definition, NoHost, parse_file};

use crate::{Failure, Outcome, read_source};

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
            Ok(summary) => println!("{}: {summary}", path.display()),
            Err(Failure(message)) => {
                failed += 1;
                anstream::eprintln!("{message}\n");
            }
        }
    }
    match failed {
        0 => Ok(()),
        n => Err(Failure(format!("{n} of {} files have errors", arguments.files.len()))),
    }
}

fn check(file: &std::sync::Arc<tilewright::SourceFile>) -> Result<String, Failure> {
    let parsed = parse_file(file, &NoHost).map_err(|found| Failure(found.render(true)))?;
    let (mut modules, mut functions) = (0, 0);
    for item in &parsed.items {
        match &item.definition {
            Definition::Module(module) => {
                verify(module, Form::Any).map_err(|found| Failure(found.render(true)))?;
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
