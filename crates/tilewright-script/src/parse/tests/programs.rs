//! The programs of the Python tests, in both dialects.

use std::path::Path;
use std::sync::Arc;

use tilewright_support::SourceFile;

use crate::parse::{NoHost, ParsedFile, parse_file};

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
        // Others build their modules from code.
        let has_script = ["@T.prim_func", "@R.function", "ir_module"].iter().any(|word| file.text.contains(word));
        assert_eq!(!read(&file).items.is_empty(), has_script, "{}", file.name);
    }
}

#[test]
fn printed_text_is_the_same_program() {
    for file in programs() {
        for item in read(&file).items {
            super::same_when_printed(&item.name, &item.definition);
        }
    }
}
