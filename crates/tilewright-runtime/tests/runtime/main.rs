//! Programs built by hand, run through the public interface. Tests with machine code of their own run on x86-64.

mod calls;
mod code;
mod data_dependent;
mod devices;
mod files;
mod forks;
mod jit_symbols;
mod kernels;
mod machines;
mod memory;
mod packed;
mod pool;
mod programs;
mod protocol;
mod sessions;
mod stress;
mod test_device;
mod values;

/// The number of threads belongs to the process: tests that set it take turns.
#[cfg(target_arch = "x86_64")]
static THREADS: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// For what never comes: on a machine that has other work, everything may take its time.
#[cfg(target_arch = "x86_64")]
const HANG: std::time::Duration = std::time::Duration::from_secs(120);

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

/// Waits for a child, and says whether it ends with 42.
#[cfg(target_arch = "x86_64")]
fn ends(child: libc::pid_t) -> bool {
    assert!(child > 0);
    // Looks are counted, not time: the machine may stop both for as long as it likes.
    let (mut status, mut looks) = (0, 0_u128);
    // SAFETY: waits for the child that was just made; `status` is a place for the answer.
    while unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } != child {
        looks += 1;
        if looks > HANG.as_millis() {
            // SAFETY: ends the child that hangs.
            unsafe { libc::kill(child, libc::SIGKILL) };
            return false;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 42
}
