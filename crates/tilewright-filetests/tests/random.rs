//! Every graph pass on random modules: the module means the same before and after it.

use tilewright::relax_passes::all_passes;
use tilewright_filetests::faults;
use tilewright_filetests::random::{Sampled, keeps_meaning};

/// Modules of the tests; there are more in the bench.
const SEEDS: std::ops::Range<u64> = 0..24;

fn samples() -> impl Iterator<Item = (u64, Sampled)> {
    SEEDS.filter_map(|seed| Some((seed, Sampled::new(seed).ok()?)))
}

#[test]
fn most_random_modules_run() {
    let found: Vec<Result<Sampled, String>> = SEEDS.map(Sampled::new).collect();
    let wrong: Vec<&String> = found.iter().filter_map(|sampled| sampled.as_ref().err()).collect();
    assert!(wrong.len() * 4 <= found.len(), "{wrong:?}");
}

#[test]
fn every_pass_keeps_the_meaning() {
    let mut wrong = String::new();
    for pass in all_passes() {
        let kept = |(seed, sampled): (u64, Sampled)| {
            let found = keeps_meaning(pass.as_ref(), &sampled, None);
            found.map_err(|why| format!("seed {seed}, {}: {why}\n", pass.info().name))
        };
        if let Err(why) = samples().try_for_each(kept) {
            wrong.push_str(&why);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Random modules alone, without the tests that are written for a pass, see most faults.
#[test]
fn planted_faults_change_the_meaning() {
    let passes = all_passes();
    let (mut seen, mut missed) = (Vec::new(), Vec::new());
    for fault in faults::ALL {
        let Some(pass) = passes.iter().find(|pass| pass.info().name == fault.pass) else { continue };
        let caught = samples().any(|(_, sampled)| keeps_meaning(pass.as_ref(), &sampled, Some(fault)).is_err());
        if caught { &mut seen } else { &mut missed }.push(format!("{}: {}", fault.pass, fault.name));
    }
    assert!(seen.len() >= 20 && seen.len() > missed.len(), "seen: {seen:?}\nmissed: {missed:?}");
}
