//! Files of every version of the format that is read, kept as they were written: `tests/corpus/vN/NAME.twx`, with the
//! text of their programs next to them.
//!
//! `UPDATE_EXPECT=1` writes the text, and the files of the current version: the program that uses everything, and the
//! files of machine code of the version before, read and written again. Those of the first version were made by
//! `tilewright compile tests/corpus/kernels.py`, for the baseline of the processor in their name.

use std::path::{Path, PathBuf};

use tilewright_vm_program::*;

use crate::format::package;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

fn updating() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some()
}

/// The files of a version, in order of their names.
fn files(version: u32) -> Vec<PathBuf> {
    let folder = corpus().join(format!("v{version}"));
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "twx"));
    files.sort();
    files
}

/// Writes the files of the current version.
fn update() {
    let folder = corpus().join(format!("v{FORMAT_VERSION}"));
    std::fs::create_dir_all(&folder).unwrap();
    let save = |name: &str, package: &Package| {
        std::fs::write(folder.join(name), package.encode().unwrap().as_slice()).unwrap();
    };
    save("everything.twx", &package());
    for path in files(FORMAT_VERSION - 1) {
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with("kernels") {
            save(name, &Package::decode(&read(&path)).unwrap().0);
        }
    }
}

fn read(path: &Path) -> ExecutableBytes {
    ExecutableBytes::copy_from(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn every_kept_file_is_read_as_it_was_meant() {
    if updating() {
        update();
    }
    for version in OLDEST_FORMAT_VERSION..=FORMAT_VERSION {
        let files = files(version);
        let names: Vec<_> = files.iter().map(|path| path.file_stem().unwrap().to_str().unwrap()).collect();
        for needed in ["everything", "kernels-aarch64", "kernels-x86_64"] {
            assert!(names.contains(&needed), "version {version} has no {needed}");
        }
        for path in &files {
            let file = read(path);
            assert_eq!(file.as_slice()[8..12], version.to_le_bytes(), "{}", path.display());
            let (read, checksums) = Package::decode(&file).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            for constant in 0..read.program.constants.len() {
                checksums.check(&read.program, constant).unwrap();
            }
            let text = format!("{:?}\n{:?}\n{}", read.target, read.metadata, read.program.as_text());
            let expected = path.with_extension("txt");
            if updating() {
                std::fs::write(&expected, &text).unwrap();
            }
            assert_eq!(std::fs::read_to_string(&expected).unwrap(), text, "{}", path.display());
            // Written again, it is a file of the current version with the same meaning.
            let again = read.encode().unwrap();
            assert_eq!(Package::decode(&again).unwrap().0, read, "{}", path.display());
        }
    }
}

#[test]
fn the_written_bytes_equal_the_kept_file_of_this_version() {
    let kept = corpus().join(format!("v{FORMAT_VERSION}/everything.twx"));
    let message = "the format changed without its version: see the rule in `file`";
    assert!(updating() || std::fs::read(kept).unwrap() == package().encode().unwrap().as_slice(), "{message}");
}

#[test]
fn sections_of_later_versions_are_passed_over_if_they_may_be() {
    let bytes = package().encode().unwrap().as_slice().to_vec();
    let (expected, _) = Package::decode(&ExecutableBytes::copy_from(&bytes).unwrap()).unwrap();
    // All sections move back by 64 bytes, so that the table has room for one more line.
    let count = bytes[16] as usize;
    let end = 24 + 24 * count;
    for (kind, passes) in [(77 | 1 << 31, true), (77, false), (2, false)] {
        let mut longer = bytes.clone();
        longer.splice(end..end, [0; 64]);
        for section in 0..count {
            let at = 24 + 24 * section + 8;
            let offset = u64::from_le_bytes(longer[at..at + 8].try_into().unwrap()) + 64;
            longer[at..at + 8].copy_from_slice(&offset.to_le_bytes());
        }
        longer[16] += 1;
        longer[end..end + 4].copy_from_slice(&u32::to_le_bytes(kind));
        crate::format::mend(&mut longer);
        let outcome = Package::decode(&ExecutableBytes::copy_from(&longer).unwrap());
        match outcome {
            Ok((read, _)) => assert!(passes && read == expected, "section {kind}"),
            Err(error) => {
                let text = error.to_string();
                assert!(!passes && (text.contains("section 77") || text.contains("program")), "{text}");
            }
        }
    }
}
