//! The interpreter's tests: one binary.

mod faults;
mod graph;
mod prim;
mod programs;
mod scripts;
mod threads;
