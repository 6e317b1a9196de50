//! The interpreter's tests: one binary.

mod faults;
mod prim;
mod programs;
