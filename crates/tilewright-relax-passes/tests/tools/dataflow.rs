//! Liveness, aliases and in-place calls of dataflow blocks.

use std::collections::BTreeSet;

use tilewright_ir::analysis::dataflow::{ANY_MEMORY, InplaceCall, dataflow_alias, dataflow_inplace, dataflow_liveness};
use tilewright_ir::relax::Function;

use super::{module, relax};

fn main(body: &str) -> Function {
    let text = format!(
        "    @R.function\n    def main(x: R.Tensor((2, 3), \"float32\"), y: R.Tensor((2, 3), \"float32\")):\n        with R.dataflow():\n{body}\n            R.output(out)\n        return out"
    );
    relax(&module(&text), "main")
}

fn calls(found: &[InplaceCall]) -> Vec<(usize, Vec<usize>)> {
    found.iter().map(|call| (call.binding, call.args.clone())).collect()
}

#[test]
fn variables_live_from_their_binding_to_their_last_use() {
    let main = main(
        "            a = R.add(x, y)\n            b = R.nn.relu(a)\n            unused = R.nn.relu(x)\n            out = R.add(a, b)",
    );
    let live = dataflow_liveness(&main.body.blocks[0]);
    let of = |name: &str| *live.iter().find(|(var, _)| &*var.name == name).unwrap().1;
    assert_eq!((of("x"), of("y")), ((-1, 2), (-1, 0)));
    assert_eq!((of("a"), of("b"), of("unused"), of("out")), ((0, 3), (1, 3), (2, 2), (3, 4)));
}

#[test]
fn other_names_and_fields_are_the_same_memory() {
    let main = main(
        "            a = R.add(x, y)\n            b = a\n            p = (a, x)\n            q = p[0]\n            r = p[1]\n            out = R.add(q, r)",
    );
    let aliases = dataflow_alias(&main.body.blocks[0], &main.params);
    let of = |name: &str| aliases.memory.iter().find(|(var, _)| &*var.name == name).unwrap().1.clone();
    assert_eq!((of("x"), of("y")), (BTreeSet::from([0]), BTreeSet::from([1])));
    assert_eq!(of("a"), of("b"));
    assert_eq!((of("q"), of("r")), (of("a"), of("x")));
    assert!(of("out").is_disjoint(&of("a")) && of("p").is_disjoint(&of("a")));
    let tuple = of("p").into_iter().next().unwrap();
    assert_eq!(aliases.tuples[&tuple], [of("a"), of("x")]);
    let unknown = dataflow_alias(&main.body.blocks[0], &[]);
    let q = unknown.memory.iter().find(|(var, _)| &*var.name == "r").unwrap().1;
    assert_eq!(*q, BTreeSet::from([ANY_MEMORY]), "`x` is not among the inputs");
}

#[test]
fn dead_tensors_of_the_block_may_be_overwritten() {
    let main = main(
        "            a = R.add(x, y)\n            b = R.nn.relu(a)\n            c = R.add(b, x)\n            d = b\n            e = R.add(c, d)\n            f = R.add(e, e)\n            out = R.matmul(f, R.permute_dims(f, axes=[1, 0]))",
    );
    let main = tilewright_ir::builder::normalize_function(&mut Default::default(), &main).unwrap();
    let found = dataflow_inplace(&main.body.blocks[0], &main.params);
    // 0: inputs stay. 1: `a` dies. 2: `b` is `d` too. 4: both die. 5: `e` is both arguments.
    assert_eq!(calls(&found.exact), [(1, vec![0]), (4, vec![0, 1])]);
    assert_eq!(calls(&found.fitting), calls(&found.exact));
}

#[test]
fn an_argument_that_is_broadcast_is_too_small() {
    let text = r#"    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((1,), "float32")):
        with R.dataflow():
            a = R.nn.relu(y)
            b = R.nn.relu(x)
            out = R.add(a, b)
            R.output(out)
        return out"#;
    let main = relax(&module(text), "main");
    let found = dataflow_inplace(&main.body.blocks[0], &main.params);
    assert_eq!(calls(&found.exact), [(2, vec![1])]);
}
