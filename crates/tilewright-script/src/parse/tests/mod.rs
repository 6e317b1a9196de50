//! Tests of the parser: text in; structure, or the exact text of the diagnostics, out.

mod files;
mod graph_messages;
mod graphs;
mod hostile;
mod layout;
mod messages;
mod mistakes;
mod prim_funcs;
mod programs;
mod regions;
mod relax_texts;
mod wording;

use tilewright_ir::node::EqCx;
use tilewright_ir::relax::Function;
use tilewright_ir::tir::PrimFunc;
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::SourceFile;

use super::{Definition, NoHost, ParsedFile, parse_file};
use crate::print::{PrintOptions, print_function, print_module, print_prim_func};

/// The definitions of a text in which all is well; each has been printed and read again, with the same result.
fn good(text: &str) -> ParsedFile {
    let parsed = match parse_file(&SourceFile::new("test.py", text), &NoHost) {
        Ok(parsed) => parsed,
        Err(diagnostics) => panic!("{diagnostics}"),
    };
    for item in &parsed.items {
        same_when_printed(&item.name, &item.definition);
    }
    parsed
}

/// Printed text has to be read as the same.
fn same_when_printed(name: &str, definition: &Definition) {
    let options = PrintOptions { show_meta: true, ..PrintOptions::default() };
    let text = match definition {
        Definition::Module(module) => print_module(module, &options),
        Definition::Prim(f) => print_prim_func(name, f, &options),
        Definition::Relax(f) => print_function(name, f, &options),
    };
    let back = match parse_file(&SourceFile::new("printed.py", text.as_str()), &NoHost) {
        Ok(parsed) => parsed,
        Err(diagnostics) => panic!("{diagnostics}\n{text}"),
    };
    let same = match (definition, &back.items[0].definition) {
        (Definition::Module(a), Definition::Module(b)) => a.compare(b).map_err(|at| at.to_string()),
        (Definition::Prim(a), Definition::Prim(b)) => EqCx::compare(&**a, &**b).map_err(|at| at.to_string()),
        (Definition::Relax(a), Definition::Relax(b)) => EqCx::compare(&**a, &**b).map_err(|at| at.to_string()),
        _ => Err("the kind of definition".to_owned()),
    };
    assert_eq!(same, Ok(()), "{text}");
}

fn module(text: &str) -> IRModule {
    match &good(text).items[0].definition {
        Definition::Module(module) => module.clone(),
        _ => panic!("no module"),
    }
}

/// The PrimFunc whose parameters and body these are.
fn prim(params: &str, body: &str) -> PrimFunc {
    match &good(&format!("@T.prim_func\ndef f({params}):\n{}", indent(body))).items[0].definition {
        Definition::Prim(function) => (**function).clone(),
        _ => panic!("no PrimFunc"),
    }
}

/// The last Relax function of a text, or `main` of its module.
fn relax(text: &str) -> Function {
    match &good(text).items.last().expect("a definition").definition {
        Definition::Relax(function) => (**function).clone(),
        Definition::Module(module) => match module.get("main") {
            Some(GlobalFunc::Relax(function)) => (**function).clone(),
            _ => panic!("no function `main`"),
        },
        Definition::Prim(_) => panic!("a PrimFunc"),
    }
}

/// The errors of a text.
fn errors(text: &str) -> String {
    match parse_file(&SourceFile::new("test.py", text), &NoHost) {
        Ok(parsed) => panic!("no error: {parsed:?}"),
        Err(diagnostics) => diagnostics.to_string(),
    }
}

/// The errors of the body of a PrimFunc.
fn prim_errors(params: &str, body: &str) -> String {
    errors(&format!("@T.prim_func\ndef f({params}):\n{}", indent(body)))
}

fn indent(body: &str) -> String {
    body.lines().map(|line| format!("    {line}\n")).collect()
}
