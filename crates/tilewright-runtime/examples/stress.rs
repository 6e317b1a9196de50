//! The stress test of the runtime at full length: `stress [threads [calls]]`, by default 16 threads of 10,000 calls
//! each.
//!
//! ```console
//! $ cargo run --release -p tilewright-runtime --example stress
//! ```

#[cfg(target_arch = "x86_64")]
#[path = "../tests/runtime/code.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod code;
#[cfg(target_arch = "x86_64")]
#[path = "../tests/runtime/stress.rs"]
mod stress;

#[cfg(target_arch = "x86_64")]
fn main() {
    let number = |index: usize, default: u64| match std::env::args().nth(index) {
        Some(text) => text.parse().unwrap_or_else(|_| panic!("\"{text}\" is no number")),
        None => default,
    };
    let (threads, calls) = (number(1, 16), number(2, 10_000));
    let start = std::time::Instant::now();
    let counts = stress::run(threads, calls);
    println!(
        "{threads} threads of {calls} calls: {} calls in {:.1} s, every outcome right, {} of them the errors that they \
         had to be; meanwhile {} executables saved, loaded and run",
        counts.calls,
        start.elapsed().as_secs_f64(),
        counts.expected_errors,
        counts.loads,
    );
}

#[cfg(not(target_arch = "x86_64"))]
fn main() {}
