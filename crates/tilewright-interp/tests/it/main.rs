//! The interpreter's tests: one binary.

mod prim;
mod programs;
