//! Random modules are read back from their print as what they were.

#[path = "../random/mod.rs"]
mod random;
mod survive;

use random::Generator;
use tilewright_ir::analysis::kinds::Kinds;
use tilewright_script::parse::{NoHost, parse_module};
use tilewright_support::SourceFile;

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

/// Inferred struct infos may have more parts than a short text may represent; written out, they are read.
#[test]
fn a_split_into_many_parts_survives_its_text() {
    let text = "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((9000,), \"float32\")):\n        \
                return R.split(x, 9000)\n";
    let module = parse_module(&SourceFile::new("many.py", text), &NoHost).expect("the text is well-formed");
    survive::whole(&module).unwrap_or_else(|reason| panic!("{}", reason.chars().take(300).collect::<String>()));
}
