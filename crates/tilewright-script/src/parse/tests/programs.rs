//! The programs of the Python tests, from their files.

use std::path::Path;

use tilewright_support::SourceFile;

use crate::parse::{NoHost, parse_file};

#[test]
fn smoke() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/tests/programs");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    if let Ok(extra) = std::env::var("EXTRA") {
        files.extend(extra.split(',').map(|p| p.into()));
    }
    files.sort();
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let file = SourceFile::new(path.file_name().unwrap().to_string_lossy(), text);
        match parse_file(&file, &NoHost) {
            Ok(parsed) => eprintln!("{}: {:?}", file.name, parsed.items.iter().map(|i| &i.name).collect::<Vec<_>>()),
            Err(e) => eprintln!("{}: ERROR\n{e}", file.name),
        }
    }
}
