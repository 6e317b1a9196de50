//! The programs of the Python tests, in both dialects.

use std::path::Path;
use std::sync::Arc;

use tilewright_ir::node::EqCx;
use tilewright_support::SourceFile;

use crate::parse::{Definition, NoHost, ParsedFile, parse_file};
use crate::print::{PrintOptions, print_function, print_module};

fn programs() -> Vec<Arc<SourceFile>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/tests/programs");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let programs = paths.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('p')));
    programs.map(|path| SourceFile::new(path.to_string_lossy(), std::fs::read_to_string(&path).unwrap())).collect()
}

fn read(file: &Arc<SourceFile>) -> ParsedFile {
    match parse_file(file, &NoHost) {
        Ok(parsed) => parsed,
        Err(diagnostics) => panic!("{}:\n{diagnostics}\n{}", file.name, file.text),
    }
}

#[test]
fn every_program_is_read_without_python() {
    let programs = programs();
    assert!(programs.len() > 15, "only {} programs were found", programs.len());
    for file in programs {
        assert!(!read(&file).items.is_empty(), "{}", file.name);
    }
}

#[test]
fn what_is_printed_is_the_same_program() {
    let options = PrintOptions { show_meta: true, ..PrintOptions::default() };
    for file in programs() {
        for item in read(&file).items {
            let text = match &item.definition {
                Definition::Module(module) => print_module(module, &options),
                Definition::Prim(f) => print_function(&item.name, &f.clone().into(), &options),
                Definition::Relax(f) => print_function(&item.name, &f.clone().into(), &options),
            };
            let back = read(&SourceFile::new("printed.py", text));
            let same = match (&item.definition, &back.items[0].definition) {
                (Definition::Module(a), Definition::Module(b)) => a.compare(b),
                (Definition::Prim(a), Definition::Prim(b)) => EqCx::compare(&**a, &**b),
                (Definition::Relax(a), Definition::Relax(b)) => EqCx::compare(&**a, &**b),
                _ => Err("the kind of definition".to_owned()),
            };
            assert_eq!(same, Ok(()), "{}: {}", file.name, item.name);
        }
    }
}
