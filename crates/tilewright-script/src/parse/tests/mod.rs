//! Tests of the parser: text in; structure, or the exact text of the diagnostics, out.

mod files;
mod graphs;
mod hostile;
mod messages;
mod prim_funcs;
mod programs;
mod regions;

use tilewright_ir::tir::PrimFunc;
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::SourceFile;

use super::{Definition, NoHost, parse_file, parse_function, parse_module};

/// The module of a text in which all is well.
fn module(text: &str) -> IRModule {
    match parse_module(&SourceFile::new("test.py", text), &NoHost) {
        Ok(module) => module,
        Err(diagnostics) => panic!("{diagnostics}"),
    }
}

/// The PrimFunc whose parameters and body these are.
fn prim(params: &str, body: &str) -> PrimFunc {
    let text = format!("@T.prim_func\ndef f({params}):\n{}", indent(body));
    match parse_function(&SourceFile::new("test.py", text), &NoHost) {
        Ok(Definition::Prim(function)) => (*function).clone(),
        Ok(_) => panic!("no PrimFunc"),
        Err(diagnostics) => panic!("{diagnostics}"),
    }
}

/// The only Relax function of a text that is a function or a module.
fn relax(text: &str) -> tilewright_ir::relax::Function {
    let parsed = match parse_file(&SourceFile::new("test.py", text), &NoHost) {
        Ok(parsed) => parsed,
        Err(diagnostics) => panic!("{diagnostics}"),
    };
    match &parsed.items.last().expect("a definition").definition {
        Definition::Relax(function) => (**function).clone(),
        Definition::Module(module) => match module.get("main") {
            Some(GlobalFunc::Relax(function)) => (**function).clone(),
            _ => panic!("no function `main`"),
        },
        Definition::Prim(_) => panic!("a PrimFunc"),
    }
}

/// What is wrong with a text.
fn errors(text: &str) -> String {
    match parse_file(&SourceFile::new("test.py", text), &NoHost) {
        Ok(parsed) => panic!("no error: {parsed:?}"),
        Err(diagnostics) => diagnostics.to_string(),
    }
}

/// What is wrong with the body of a PrimFunc.
fn prim_errors(params: &str, body: &str) -> String {
    errors(&format!("@T.prim_func\ndef f({params}):\n{}", indent(body)))
}

fn indent(body: &str) -> String {
    body.lines().map(|line| format!("    {line}\n")).collect()
}
