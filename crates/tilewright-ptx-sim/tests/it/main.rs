//! Kernels run end to end, from text.

mod elementwise;
mod faults;
mod harness;
mod language;
