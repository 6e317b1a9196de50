//! Damaged texts of saved IR by the million: `cargo bench -p tilewright-ir --bench json_fuzz -- [COUNT [SEED
//! [START]]]`.
//!
//! Inputs have numbers, and an input follows from the seed and its number: `COUNT` of them from `START` on are made and
//! read on all processors. Ends with what became of them, how fast, the slowest, and the most memory that was in use. A
//! panic, a broken promise, an input that takes longer than [`PATIENCE`] or memory beyond [`MEMORY`] is a failure that
//! names the input; the last two end the process.

#[path = "../tests/json_fuzz/engine.rs"]
mod engine;

use std::alloc::System;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cap::Cap;
use engine::{Corpus, PATIENCE, Tally, execute};

const COUNT: u64 = 1_000_000;
/// Bytes that reading a few kilobytes takes at most on every processor, the corpus included.
const MEMORY: usize = 512 << 20;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// The state of a worker: the number of its input, and the ticks of the clock since it began.
#[derive(Default)]
struct Desk {
    number: AtomicU64,
    strikes: AtomicU64,
}

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let count = numbers.first().copied().unwrap_or(COUNT);
    let seed = numbers.get(1).copied().unwrap_or(1);
    let first = numbers.get(2).copied().unwrap_or(0);
    let corpus = Corpus::load();
    let _ = ALLOCATOR.set_limit(MEMORY);
    std::panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let workers = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let desks: Vec<Desk> = (0..workers).map(|_| Desk::default()).collect();
    let next = AtomicU64::new(first);
    let over = AtomicBool::new(false);
    let (mut total, mut failures) = (Tally::default(), 0);
    std::thread::scope(|scope| {
        scope.spawn(|| watch(&desks, &over));
        let work = |desk| {
            let (corpus, next) = (&corpus, &next);
            move || work(corpus, seed, next, first + count, desk)
        };
        let handles: Vec<_> = desks.iter().map(|desk| scope.spawn(work(desk))).collect();
        for handle in handles {
            if let Ok((tally, failed)) = handle.join() {
                total.refused += tally.refused;
                total.ill_formed += tally.ill_formed;
                total.read += tally.read;
                total.slowest = total.slowest.max(tally.slowest);
                failures += failed;
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    let seconds = start.elapsed().as_secs_f64();
    let rate = count as f64 / seconds;
    println!("{count} inputs of seed {seed} in {seconds:.0} s, {rate:.0} a second on {workers} processors; {total:?}");
    println!("at most {} MiB in use; {failures} failures", ALLOCATOR.max_allocated() >> 20);
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn work(corpus: &Corpus, seed: u64, next: &AtomicU64, end: u64, desk: &Desk) -> (Tally, u64) {
    let (mut tally, mut failures) = (Tally::default(), 0);
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= end {
            return (tally, failures);
        }
        desk.number.store(number, Ordering::Relaxed);
        desk.strikes.store(0, Ordering::Relaxed);
        let input = corpus.input(seed, number);
        if let Err(reason) = execute(&input, &mut tally) {
            failures += 1;
            println!("input {number} of seed {seed} fails: {reason}");
        }
    }
}

/// Ends the process where an input takes too long.
fn watch(desks: &[Desk], over: &AtomicBool) {
    while !over.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(200));
        for desk in desks {
            let strikes = desk.strikes.fetch_add(1, Ordering::Relaxed);
            // Time of the clock: on a busy machine a worker waits for a processor.
            if u128::from(strikes) * 200 > 4 * PATIENCE.as_millis() && !over.load(Ordering::Relaxed) {
                println!("input {} hangs", desk.number.load(Ordering::Relaxed));
                std::process::exit(1);
            }
        }
    }
}
