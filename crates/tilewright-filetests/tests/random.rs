//! Every graph pass on random modules: the module means the same before and after it.

use std::sync::Arc;

use tilewright::ir::Attr;
use tilewright::ir::op::{AttrDefault, Layouts};
use tilewright::ir::pass::{Pass, PassArg};
use tilewright::relax_passes::all_passes;
use tilewright_filetests::faults;
use tilewright_filetests::random::{Sampled, keeps_meaning};

/// Modules of the tests; there are more in the bench.
const SEEDS: std::ops::Range<u64> = 0..24;

/// Modules of what is rare: a sum down to a dimension that is 1 only when it runs, products whose operands float16
/// rounds, a tensor planned without a row, a constant among others that float16 rounds, a variable that a closure uses
/// twice.
const RARE: [u64; 6] = [945, 1171, 1183, 1273, 100_252, 102_752];

fn samples() -> impl Iterator<Item = (u64, Sampled)> {
    SEEDS.chain(RARE).filter_map(|seed| Some((seed, Sampled::new(seed).ok()?)))
}

#[test]
fn most_random_modules_run() {
    let found: Vec<Result<Sampled, String>> = SEEDS.map(Sampled::new).collect();
    let wrong: Vec<&String> = found.iter().filter_map(|sampled| sampled.as_ref().err()).collect();
    assert!(wrong.len() * 4 <= found.len(), "{wrong:?}");
}

/// Passes that need arguments, with some that concern every module.
fn passes_with_arguments() -> Vec<Arc<dyn Pass>> {
    let mirrored = tilewright::ops::all().filter_map(|op| match op.layouts() {
        Layouts::Named { operands: [data, ..], .. } => {
            let own = op.attrs.iter().find(|attr| attr.name == *data).map(|attr| attr.default);
            let Some(AttrDefault::Str(own)) = own else { return None };
            Some((op.name.into(), Attr::Array(vec![Attr::str(own.chars().rev().collect::<String>())])))
        }
        _ => None,
    });
    let mirrored = PassArg::Data(Attr::Map(mirrored.collect()));
    let layouts = tilewright::passes::def("ConvertLayout");
    layouts.and_then(|def| def.with([("desired_layouts".to_owned(), mirrored)])).into_iter().collect()
}

#[test]
fn passes_get_their_arguments() {
    assert_eq!(passes_with_arguments().len(), 1);
}

#[test]
fn every_pass_keeps_the_meaning() {
    let mut wrong = String::new();
    let keeps_arguments = |pass: &Arc<dyn Pass>| !faults::OF_FUNCTIONS.contains(&pass.info().name);
    for pass in all_passes().into_iter().filter(keeps_arguments).chain(passes_with_arguments()) {
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

/// Random modules alone, without the tests that are written for a pass, find the greater part of the faults.
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
