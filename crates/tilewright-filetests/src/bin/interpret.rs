//! The reference interpreter for tests in other languages: a request a line in, an answer a line out.
//!
//! The form of both is documented in [`tilewright_filetests::requests`].

use std::io::{self, BufRead, Write};

use tilewright_filetests::requests::answer;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        writeln!(out, "{}", answer(&line?))?;
        out.flush()?;
    }
    Ok(())
}
