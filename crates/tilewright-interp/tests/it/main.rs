//! The interpreter's tests: one binary.

mod deep;
mod faults;
mod graph;
mod prim;
mod programs;
mod scripts;
mod threads;
