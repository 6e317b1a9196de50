//! Programs built by hand, run through the public interface. Tests with machine code of their own run on x86-64.

mod announce;
mod calls;
mod code;
mod devices;
mod files;
mod forks;
mod kernels;
mod machines;
mod memory;
mod packed;
mod pool;
mod programs;
mod protocol;
mod selection;
mod stress;
mod test_device;
mod values;

/// The number of threads belongs to the process: tests that set it take turns.
#[cfg(target_arch = "x86_64")]
static THREADS: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// Runs one test alone in a process of its own, in which `ALONE` is set. False in that process.
#[cfg(target_arch = "x86_64")]
fn alone(test: &str, environment: &[(&str, &str)]) -> bool {
    const ALONE: &str = "TILEWRIGHT_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return false;
    }
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--test-threads=1"]).env(ALONE, "1");
    let output = command.envs(environment.iter().copied()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&output.stderr));
    true
}
