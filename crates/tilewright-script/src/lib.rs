//! TVMScript, the text form of the IR: Python's syntax, read without Python.
//!
//! Reading order: `spelling` (how each node is written: the one table that parser and printer share), [`parse`] (text
//! to IR, with diagnostics), [`mod@print`] (IR to text).
//!
//! Two dialects are read, the spellings of 2022 and of 2024; the one of 2024 is printed. What is printed parses back to
//! a structurally equal module.
//!
//! Invariants: this is the only crate that sees `ruff_*`, and no type of it is in the interface. Text is never run:
//! what is not the script's own is handed to a [`parse::Host`]. No text of the user panics, and every error carries a
//! code of [`parse::codes`] and a location in the user's lines. Nothing here knows a target or runs a pass.

pub mod parse;
pub mod print;
mod spelling;
