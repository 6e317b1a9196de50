//! `tilewright check`: read files and report all that is wrong.

use std::path::PathBuf;
use std::sync::Arc;

use tilewright::ir::verify::{Form, verify};
use tilewright::script::parse::{Definition, NoHost, parse_file};
use tilewright::{Diagnostics, GlobalFunc, IRModule, SourceFile};

use crate::failure::{ErrorFormat, Failure, Outcome};
use crate::output::say;
use crate::read_source;

#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// TVMScript files.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, format: ErrorFormat) -> Outcome {
    let mut failed = 0;
    for path in &arguments.files {
        let problems = read_source(path).and_then(|file| check(&file, format));
        match problems {
            Ok(summary) => say!("{}: {summary}", path.display())?,
            Err(failure) => {
                failed += 1;
                format.report(&failure);
            }
        }
    }
    match failed {
        0 => Ok(()),
        n => {
            let all = arguments.files.len();
            if all > 1 {
                format.remark(&format!("{n} of {all} files have errors"));
            }
            Err(Failure::Reported)
        }
    }
}

/// Everything that is wrong with a file, or how much is in it.
fn check(file: &Arc<SourceFile>, format: ErrorFormat) -> Outcome<String> {
    let parsed = parse_file(file, &NoHost)?;
    let mut found = Diagnostics::default();
    let (mut modules, mut functions) = (0, 0);
    for item in &parsed.items {
        let module = match &item.definition {
            Definition::Module(module) => {
                modules += 1;
                module.clone()
            }
            Definition::Prim(function) => alone(&item.name, GlobalFunc::Prim(function.clone())),
            Definition::Relax(function) => alone(&item.name, GlobalFunc::Relax(function.clone())),
        };
        functions += module.len();
        found.0.extend(verify(&module, Form::Any).err().unwrap_or_default().0);
    }
    if found.has_errors() {
        found.sort();
        return Err(found.into());
    }
    if !parsed.warnings.0.is_empty() {
        format.show(&parsed.warnings);
    }
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    Ok(format!("ok, {} and {}", count(modules, "module"), count(functions, "function")))
}

/// A module of one function.
fn alone(name: &str, function: GlobalFunc) -> IRModule {
    let mut module = IRModule::new();
    module.insert(name, function);
    module
}
