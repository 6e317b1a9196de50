//! Tests of the parser: text in; structure, or the exact text of the diagnostics, out.

mod programs;
