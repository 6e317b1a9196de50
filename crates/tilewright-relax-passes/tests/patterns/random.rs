//! Random graphs under rewritings that keep the meaning, and how the work grows with the graph.

use std::fmt::Write;

use tilewright_interp::Random;
use tilewright_ir::IRModule;
use tilewright_ir::relax::Expr;
use tilewright_relax_passes::pattern::{Matches, Pattern};

use super::{call, integers, means_the_same, module, op, rewritten};

/// A graph of `count` bindings over 32-bit integers, each of any two variables before it.
pub(crate) fn graph(random: &mut Random, count: usize) -> IRModule {
    let mut text =
        String::from("(v0: R.Tensor((5,), \"int32\"), v1: R.Tensor((5,), \"int32\")):\n        with R.dataflow():\n");
    for i in 2..count + 2 {
        let op = ["add", "multiply", "subtract", "maximum"][random.below(4)];
        // Mostly neighbours, so that patterns of several levels occur.
        let mut operand = || if random.below(3) > 0 { i - 1 - random.below(2) } else { random.below(i) };
        let (a, b) = (operand(), operand());
        let _ = writeln!(text, "            v{i} = R.{op}(v{a}, v{b})");
    }
    let last = count + 1;
    let _ = write!(text, "            R.output(v{last}, v{})\n        return (v{last}, v{})", last - 1, last - 1);
    module(&text)
}

/// Builds the new expression from the match.
type Make<'p> = dyn Fn(&dyn Fn(&Pattern) -> Expr) -> Expr + 'p;

#[test]
fn random_graphs_mean_the_same() {
    let mut random = Random::new(11);
    let (a, b, c) = (Pattern::wildcard(), Pattern::wildcard(), Pattern::wildcard());
    let mut changed = [0; 4];
    for round in 0..60 {
        let mut current = graph(&mut random, 12);
        let args = [integers(&[5], round), integers(&[5], round + 100)];
        let before = current.clone();
        let rules: [(Pattern, &Make<'_>); 4] = [
            (call("add", &[&a, &b]), &|x| op("add", &[&x(&b), &x(&a)])),
            (call("multiply", &[&a, &call("add", &[&b, &c])]), &|x| {
                op("add", &[&op("multiply", &[&x(&a), &x(&b)]), &op("multiply", &[&x(&a), &x(&c)])])
            }),
            (call("maximum", &[&call("maximum", &[&a, &b]), &c]), &|x| {
                op("maximum", &[&x(&a), &op("maximum", &[&x(&b), &x(&c)])])
            }),
            (call("subtract", &[&call("add", &[&a, &b]), &b]), &|x| x(&a)),
        ];
        for (i, (pattern, make)) in rules.iter().enumerate() {
            let mut rewriter = |_: &_, found: &Matches| Ok(make(&|pattern| found.get(pattern).cloned().unwrap()));
            if let Some(after) = rewritten(&current, pattern, &mut rewriter) {
                changed[i] += 1;
                means_the_same(&before, &after, &args);
                current = after;
            }
        }
    }
    assert!(changed.iter().all(|count| *count > 2), "every rule applied: {changed:?}");
}

#[test]
fn the_work_grows_with_the_graph() {
    let (a, b, c) = (Pattern::wildcard(), Pattern::wildcard(), Pattern::wildcard());
    let pattern = call("maximum", &[&call("maximum", &[&a, &b]), &c]);
    // Work is counted in bytes that are asked for, whether they are kept or not: each attempt to match asks for some,
    // each node that is made, and each walk for the set of what it has seen.
    let work = |count| {
        let (graph, mut replaced) = (graph(&mut Random::new(5), count), 0);
        let bytes = allocation_counter::measure(|| {
            let mut rewriter = |_: &_, found: &Matches| {
                replaced += 1;
                let [a, b, c] = [&a, &b, &c].map(|pattern| found.get(pattern).cloned().unwrap());
                Ok(op("maximum", &[&a, &op("maximum", &[&b, &c])]))
            };
            rewritten(&graph, &pattern, &mut rewriter).unwrap();
        });
        assert!(replaced > count / 100, "{replaced} of {count}");
        bytes.bytes_total
    };
    let (small, large) = (work(300), work(3000));
    assert!(large < small * 15, "{small} bytes for 300 bindings, {large} for 3000");
}
