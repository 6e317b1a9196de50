//! `tilewright opt`: run passes and print the module.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use tilewright::ir::pass::{Instrument, PassInfo};
use tilewright::script::print::{PrintOptions, print_module};
use tilewright::{IRModule, LinkedEvaluator, PassCx};

use crate::failure::Outcome;
use crate::output::{print, say};
use crate::{read_module, target};

#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// A TVMScript file.
    #[arg(required_unless_present = "list")]
    file: Option<PathBuf>,
    /// A pass or pipeline by name; several run in order.
    #[arg(long = "pass", value_name = "NAME")]
    passes: Vec<String>,
    /// The machine that pipelines are for, such as haswell; by default this one.
    #[arg(long)]
    target: Option<String>,
    /// Print the names of all passes and pipelines.
    #[arg(long)]
    list: bool,
    /// Print the module before every pass.
    #[arg(long)]
    print_before: bool,
    /// Print the module after every pass.
    #[arg(long)]
    print_after: bool,
    /// Report the time that each pass takes.
    #[arg(long)]
    timing: bool,
    /// Write the bytes of constants too, so that the output can be read again.
    #[arg(long)]
    show_meta: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    if arguments.list {
        for name in tilewright::passes::names() {
            say!("{name}")?;
        }
        return Ok(());
    }
    // The command line has a file wherever `--list` is not given.
    let Some(file) = &arguments.file else { return Ok(()) };
    let target = target(arguments.target.as_deref())?;
    let mut module = read_module(file)?;
    let evaluator = LinkedEvaluator::default();
    let mut cx = PassCx { evaluator: Some(&evaluator), target: Some(target.clone()), ..PassCx::default() };
    if arguments.print_before || arguments.print_after {
        let (before, after) = (arguments.print_before, arguments.print_after);
        cx.instruments.push(Box::new(Printing { before, after }));
    }
    if arguments.timing {
        cx.instruments.push(Box::new(Timing { started: Vec::new() }));
    }
    for name in &arguments.passes {
        let pass = tilewright::passes::by_name(name, &target)?;
        module = cx.run(pass.as_ref(), module)?;
    }
    drop(cx);
    print(&print_module(&module, &PrintOptions { show_meta: arguments.show_meta, ..PrintOptions::default() }))
}

/// Prints the module around every pass, to standard error.
struct Printing {
    before: bool,
    after: bool,
}

impl Instrument for Printing {
    fn before(&mut self, info: &PassInfo, module: &IRModule) {
        if self.before {
            eprintln!("# before {}\n{}\n", info.name, tilewright::print_module(module));
        }
    }
    fn after(&mut self, info: &PassInfo, module: &IRModule) {
        if self.after {
            eprintln!("# after {}\n{}\n", info.name, tilewright::print_module(module));
        }
    }
}

/// Reports how long every pass took, to standard error; a pipeline's line follows those of its passes.
struct Timing {
    started: Vec<Instant>,
}

impl Instrument for Timing {
    fn before(&mut self, _: &PassInfo, _: &IRModule) {
        self.started.push(Instant::now());
    }
    fn after(&mut self, info: &PassInfo, _: &IRModule) {
        let took = self.started.pop().map_or(Duration::ZERO, |start| start.elapsed());
        let indent = "  ".repeat(self.started.len());
        eprintln!("{indent}{:<32}{:>10.3} ms", info.name, took.as_secs_f64() * 1e3);
    }
}
