//! Programs built by hand, run through the public interface. Tests with machine code of their own run on x86-64.

mod code;
mod devices;
mod files;
mod kernels;
mod packed;
mod programs;
