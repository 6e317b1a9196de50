//! Writing results: to standard output, and to files that are whole at any time.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use crate::failure::{Failure, Outcome};

/// Writes text to standard output. A closed pipe is [`Failure::OutputClosed`].
pub(crate) fn print(text: &str) -> Outcome {
    write_stdout(text.as_bytes())
}

fn write_stdout(bytes: &[u8]) -> Outcome {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::OutputClosed,
        _ => Failure::Message(format!("cannot write to standard output: {error}")),
    })
}

/// Prints a line to standard output, formatted as `println!` does.
macro_rules! say {
    ($($format:tt)*) => {
        $crate::output::print(&format!("{}\n", format_args!($($format)*)))
    };
}
pub(crate) use say;

/// Whether the path means standard output.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Writes text to the path; `-` is standard output.
pub(crate) fn write_text(path: &Path, text: &str) -> Outcome {
    if is_stdout(path) { print(text) } else { write_file(path, text.as_bytes()) }
}

/// Writes bytes that are no text to the path; `-` is standard output, unless that is a terminal.
pub(crate) fn write_binary(path: &Path, bytes: &[u8]) -> Outcome {
    if !is_stdout(path) {
        return write_file(path, bytes);
    }
    if io::stdout().is_terminal() {
        return Err(Failure::Message("machine code does not go to a terminal: give a file, or a pipe".to_owned()));
    }
    write_stdout(bytes)
}

/// Writes a temporary file in the same folder, then renames it: a program that has mapped the old file keeps its bytes,
/// and a failure leaves it as it was. What is no regular file (a pipe, a device) is written straight to.
fn write_file(path: &Path, bytes: &[u8]) -> Outcome {
    let special = fs::metadata(path).is_ok_and(|there| !there.is_file());
    let written = if special { fs::write(path, bytes) } else { replace(path, bytes) };
    written.map_err(|error| Failure::file("write", path, &error))
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A link stays a link: its target is replaced.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?.to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = File::create(&temporary).and_then(|mut file| file.write_all(bytes));
    let outcome = written.and_then(|()| fs::rename(&temporary, path));
    if outcome.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    outcome
}
