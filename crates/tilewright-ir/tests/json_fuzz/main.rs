//! Damaged texts of saved IR are read or refused; nothing else happens. `benches/json_fuzz` does the same by the
//! million.
//!
//! The corpus is written by the test `saved` of `tilewright-script`, from random modules.

mod engine;

use std::alloc::System;

use cap::Cap;
use engine::{Corpus, Tally, execute};

/// Damaged texts of one run.
const INPUTS: u64 = 3_000;
/// Bytes that reading a few kilobytes takes at most, the corpus included.
const MEMORY: usize = 256 << 20;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

#[test]
fn damaged_texts_are_read_or_refused() {
    let corpus = Corpus::load();
    ALLOCATOR.set_limit(ALLOCATOR.allocated() + MEMORY).unwrap();
    let mut tally = Tally::default();
    for number in 0..INPUTS {
        let input = corpus.input(1, number);
        if let Err(reason) = execute(&input, &mut tally) {
            panic!("input {number}: {reason}\n--- input:\n{}", String::from_utf8_lossy(&input));
        }
    }
    assert!(tally.read > INPUTS / 20 && tally.refused > INPUTS / 5 && tally.ill_formed > INPUTS / 50, "{tally:?}");
}

#[test]
fn the_corpus_is_read() {
    let mut tally = Tally::default();
    for path in engine::files() {
        assert_eq!(execute(&std::fs::read(path).unwrap(), &mut tally), Ok(()));
    }
    assert!(tally.read >= 12 && tally.refused == 0 && tally.ill_formed == 0, "{tally:?}");
}
