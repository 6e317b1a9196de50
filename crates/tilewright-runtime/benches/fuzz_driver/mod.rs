//! What fuzzers of files share: executions by the million, with a look whether one hangs, and their sum.
//!
//! Whoever includes this has a module `engine` with an `Engine` that makes a file and executes it, and a function
//! `keep`.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::engine::{Engine, keep};

const COUNT: u64 = 10_000_000;

/// Makes and reads as many files as the first argument says, of the seed that the second one says.
pub(crate) fn run() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let count = numbers.first().copied().unwrap_or(COUNT);
    let seed = numbers.get(1).copied().unwrap_or(1);
    let (done, current) = (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(Vec::new())));
    watch(Arc::clone(&done), Arc::clone(&current));
    let mut engine = Engine::new(seed);
    let start = Instant::now();
    for number in 0..count {
        engine.make();
        if let Ok(mut current) = current.lock() {
            current.clear();
            current.extend(engine.file().iter());
        }
        if let Err(path) = engine.execute() {
            println!("execution {number} of seed {seed} panics: {}", path.display());
            return ExitCode::FAILURE;
        }
        done.store(number + 1, Ordering::Relaxed);
        if (number + 1) % 1_000_000 == 0 {
            println!("{} after {:.0} s: {:?}", number + 1, start.elapsed().as_secs_f64(), engine.tally);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{count} executions of seed {seed} in {seconds:.0} s, {:.0} a second; {:?}; at most {} of memory",
        count as f64 / seconds,
        engine.tally,
        peak_memory()
    );
    ExitCode::SUCCESS
}

/// Ends the process when nothing is done for a minute.
fn watch(done: Arc<AtomicU64>, current: Arc<Mutex<Vec<u8>>>) {
    std::thread::spawn(move || {
        let mut last = u64::MAX;
        loop {
            let now = done.load(Ordering::Relaxed);
            if now == last {
                let path = current.lock().map(|file| keep(&file));
                println!("execution {now} hangs: {path:?}");
                std::process::exit(1);
            }
            last = now;
            std::thread::sleep(Duration::from_secs(60));
        }
    });
}

/// As the system counts it.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("an unknown amount".to_owned(), |amount| amount.trim().to_owned())
}
