//! Automation that needs more than a line of shell: `cargo xtask tidy` and `cargo xtask touched NAME`.
//!
//! Reading order: [`source`] (the files of the project and their text without comments), [`edges`] (the crate graph
//! against the table in `ARCHITECTURE.md`), [`tidy`] (every rule that can be read off the text) with [`words`],
//! [`touched`].
//!
//! Invariants: nothing here changes a file, and nothing here is part of what a user installs.

mod edges;
mod glossary;
mod layers;
mod source;
mod targets;
mod tidy;
mod touched;
mod words;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask tidy            check the rules of the house
       cargo xtask touched NAME    list the files and lines that name a thing";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["tidy"] => tidy::run(),
        ["touched", name] => touched::run(name),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
