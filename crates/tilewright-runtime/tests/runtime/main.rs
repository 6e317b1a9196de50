//! Programs built by hand, run through the public interface. Tests with machine code of their own run on x86-64.

mod announce;
mod calls;
mod code;
mod devices;
mod files;
mod kernels;
mod machines;
mod packed;
mod pool;
mod programs;
mod stress;
mod values;

/// The number of threads belongs to the process: tests that set it take turns.
#[cfg(target_arch = "x86_64")]
static THREADS: std::sync::Mutex<()> = std::sync::Mutex::new(());
