//! Random modules are read back from their print as what they were.

#[path = "../random/mod.rs"]
mod random;
mod survive;

use random::Generator;
use tilewright_ir::analysis::kinds::Kinds;

#[test]
fn random_modules_survive_their_text() {
    for seed in 0..300 {
        let survived = survive::whole(&Generator::new(seed).module());
        if let Err(reason) = survived {
            panic!("module {seed}: {reason}");
        }
    }
}

#[test]
fn random_modules_have_every_kind_of_node() {
    let mut kinds = Kinds::default();
    (0..4_000).for_each(|seed| kinds.add(&Generator::new(seed).module()));
    let missing: Vec<String> = Kinds::names().into_iter().filter(|name| kinds.times(name) == 0).collect();
    assert_eq!(missing, Vec::<String>::new());
}
