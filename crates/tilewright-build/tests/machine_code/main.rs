//! Machine code, from flat functions through LLVM, the linker and the loader to results.

mod aarch64;
mod flat;
mod foreign;
mod kernels;
mod link;
mod lowering;
mod masks;
mod math;
mod matrix;
mod relocations;
mod scalar_table;
