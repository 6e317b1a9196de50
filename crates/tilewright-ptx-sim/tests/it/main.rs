//! Kernels run end to end, from text.

mod elementwise;
mod faults;
mod gemm;
mod harness;
mod language;
mod scalar;
