//! Damaged scripts are read or refused; nothing else happens. `benches/fuzz` does the same by the million.

mod corpus;
mod engine;
#[path = "../random/mod.rs"]
mod random;

use std::alloc::System;
use std::sync::Arc;
use std::time::Duration;

use cap::Cap;
use corpus::Corpus;
use engine::Engine;

/// Damaged scripts of one run.
const INPUTS: u64 = 1_500;
/// A guard against an input that hangs, not a measure: a few kilobytes take milliseconds, and a machine that has other
/// work a multiple of that.
const HANG: Duration = Duration::from_secs(300);
/// Bytes that reading a few kilobytes takes at most, the corpus included.
const MEMORY: usize = 256 << 20;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

#[test]
fn damaged_scripts_are_read_or_refused() {
    let corpus = Arc::new(Corpus::load());
    assert!(corpus.scripts.len() > 150 && corpus.functions.len() > 100);
    ALLOCATOR.set_limit(ALLOCATOR.allocated() + MEMORY).unwrap();
    let mut engine = Engine::new(&corpus, 1);
    for number in 0..INPUTS {
        engine.make();
        if let Err(reason) = engine.execute() {
            panic!("input {number}: {reason}\n--- input:\n{}", String::from_utf8_lossy(engine.input()));
        }
    }
    let tally = &engine.tally;
    assert!(tally.read > INPUTS / 20 && tally.verified > INPUTS / 50 && tally.refused > INPUTS / 5, "{tally:?}");
    assert!(tally.slowest < HANG, "{tally:?}");
}

#[test]
fn inputs_that_once_broke_something() {
    for (path, bytes) in Corpus::kept() {
        let name = path.display();
        if let Err(reason) = engine::examine_whole(&bytes) {
            panic!("{name}: {reason}");
        }
    }
}
