//! Kernels run end to end, from text.

mod asynchronous;
mod elementwise;
mod faults;
mod gemm;
mod harness;
mod language;
mod mutations;
mod scalar;
mod tensor;
