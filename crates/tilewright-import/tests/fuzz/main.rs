//! Checkpoints of hostile bytes: a bounded number of those that `benches/fuzz.rs` reads by the million.

mod engine;
mod seeds;

use engine::Engine;

#[test]
fn damaged_checkpoints_are_refused_or_read_in_order() {
    let mut engine = Engine::new(0x9e37_79b9_7f4a_7c15);
    for number in 0..30_000 {
        engine.make();
        if let Err(path) = engine.execute() {
            panic!("execution {number}, of the file {} with {} bytes", path.display(), engine.file().len());
        }
    }
    let tally = &engine.tally;
    // All ways are taken.
    let least = tally.refused.min(tally.opened).min(tally.tensors_read).min(tally.tensors_refused);
    assert!(least > 1_000 && tally.pool > 20, "{tally:?}");
}
