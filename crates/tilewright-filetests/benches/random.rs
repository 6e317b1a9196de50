//! Every graph pass on many random modules, and some of them compiled: `cargo bench -p tilewright-filetests --bench
//! random -- [MODULES] [COMPILED] [FIRST SEED]`. Prints how often each operator occurred, and for each pass how many
//! modules kept their meaning.

use std::time::Instant;

use tilewright::ir::node::walk;
use tilewright::ir::relax::{Callee, Expr, ExprKind};
use tilewright::relax_passes::all_passes;
use tilewright::support::Map;
use tilewright_filetests::random::{Sampled, keeps_meaning, operators};

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|arg| arg.parse::<u64>().ok());
    let (modules, compiled) = (numbers.next().unwrap_or(1000), numbers.next().unwrap_or(50));
    let first = numbers.next().unwrap_or(0);
    let start = Instant::now();
    let passes = all_passes();
    let mut kept: Map<&str, u64> = passes.iter().map(|pass| (pass.info().name, 0)).collect();
    let mut calls: Map<&str, u64> = operators().iter().map(|op| (op.name, 0)).collect();
    let (mut run, mut wrong, mut computed) = (0, 0, 0);
    for seed in first..first.saturating_add(modules) {
        let sampled = match Sampled::new(seed) {
            Ok(sampled) => sampled,
            Err(why) => {
                println!("seed {seed} does not run: {}", why.lines().next().unwrap_or_default());
                continue;
            }
        };
        run += 1;
        walk(&sampled.module, |expr: &Expr| {
            if let ExprKind::Call { callee: Callee::Op(op), .. } = &expr.kind {
                *calls.entry(op.name).or_default() += 1;
            }
        });
        for pass in &passes {
            match keeps_meaning(pass.as_ref(), &sampled, None) {
                Ok(()) => *kept.entry(pass.info().name).or_default() += 1,
                Err(why) => {
                    wrong += 1;
                    println!("seed {seed}, {}: {why}", pass.info().name);
                }
            }
        }
        if computed < compiled {
            computed += 1;
            if let Err(why) = sampled.is_computed_by(&sampled.module, 1e-4) {
                wrong += 1;
                println!("seed {seed}, compiled: {why}\n{}", tilewright::print_module(&sampled.module));
            }
        }
    }
    println!("\n| operator | calls |\n|---|---|");
    calls.iter().for_each(|(name, count)| println!("| {name} | {count} |"));
    println!("\n| pass | modules that kept their meaning |\n|---|---|");
    kept.iter().for_each(|(name, count)| println!("| {name} | {count} |"));
    println!("\n{run} of {modules} modules run, {computed} compiled, {wrong} faults, {:.0?}", start.elapsed());
    std::process::exit(i32::from(wrong > 0));
}
