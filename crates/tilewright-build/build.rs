//! Gives the crate fingerprints of sources, for the cache of kernels: of those that decide what a PrimFunc becomes in
//! machine code, `TILEWRIGHT_LOWERING_SOURCES`, and of those that decide what LLVM's text becomes,
//! `TILEWRIGHT_CODEGEN_SOURCES`. The packages of others count for both, by their versions.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// This crate, and those that it lowers and makes machine code with: `cargo xtask tidy` compares them with the crate
/// graph.
const CRATES: [&str; 10] =
    ["support", "macros", "tensor", "expr", "arith", "ir", "target", "tir-passes", "llvm", "build"];
/// The crate that makes machine code of text.
const CODEGEN: [&str; 1] = ["llvm"];
/// The versions of all packages.
const LOCK: &str = "../../Cargo.lock";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed={LOCK}");
    println!("cargo::rustc-env=TILEWRIGHT_LOWERING_SOURCES={:016x}", fingerprint(&CRATES)?);
    println!("cargo::rustc-env=TILEWRIGHT_CODEGEN_SOURCES={:016x}", fingerprint(&CODEGEN)?);
    Ok(())
}

fn fingerprint(crates: &[&str]) -> io::Result<u64> {
    let mut files = vec![PathBuf::from(LOCK)];
    for name in crates {
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
    Ok(hasher.finish())
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
