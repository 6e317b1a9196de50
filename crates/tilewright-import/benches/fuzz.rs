//! Damaged checkpoints by the million: `cargo bench -p tilewright-import --bench fuzz -- [COUNT [SEED]]`.
//!
//! Ends with what became of them, how fast, and the most memory that the process had. A file that makes the process
//! panic, or keeps it busy for a minute, is written to `target/fuzz` and named; the outcome is then a failure.

#[path = "../tests/fuzz/engine.rs"]
mod engine;
#[path = "../../tilewright-runtime/benches/fuzz_driver/mod.rs"]
mod fuzz_driver;
#[path = "../tests/fuzz/seeds.rs"]
mod seeds;

fn main() -> std::process::ExitCode {
    fuzz_driver::run()
}
