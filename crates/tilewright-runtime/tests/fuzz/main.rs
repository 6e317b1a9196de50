//! Executables of hostile bytes: a bounded number of those that `benches/fuzz.rs` runs by the million.

mod engine;
mod seeds;

use engine::Engine;

#[test]
fn damaged_executables_are_refused_or_run_in_order() {
    let mut engine = Engine::new(0x9e37_79b9_7f4a_7c15);
    for number in 0..200_000 {
        engine.make();
        if let Err(path) = engine.execute() {
            panic!("execution {number}, of the file {} with {} bytes", path.display(), engine.file().len());
        }
    }
    let tally = &engine.tally;
    // All ways are taken: refused, loaded, calls that return and calls that fail.
    let least = tally.refused.min(tally.loaded).min(tally.calls_returned).min(tally.calls_failed);
    assert!(least > 1_000 && tally.pool > 100, "{tally:?}");
}
