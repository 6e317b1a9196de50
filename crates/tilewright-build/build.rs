//! Gives the crate a fingerprint of the sources that decide what a PrimFunc becomes in machine code, for the cache of
//! kernels: `TILEWRIGHT_LOWERING_SOURCES`.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{fs, io};

const CRATES: [&str; 10] =
    ["support", "macros", "tensor", "expr", "arith", "ir", "target", "tir-passes", "llvm", "build"];

fn main() -> io::Result<()> {
    let mut files = Vec::new();
    for name in CRATES {
        let folder = PathBuf::from(format!("../tilewright-{name}/src"));
        println!("cargo::rerun-if-changed={}", folder.display());
        collect(&folder, &mut files)?;
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        file.hash(&mut hasher);
        fs::read(&file)?.hash(&mut hasher);
    }
    println!("cargo::rustc-env=TILEWRIGHT_LOWERING_SOURCES={:016x}", hasher.finish());
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}
