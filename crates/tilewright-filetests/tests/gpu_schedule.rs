//! `DefaultGPUSchedule` on the loops that every operator becomes: random modules, legalised, mean the same on threads.

use tilewright::ir::node::walk;
use tilewright::ir::pass::PassCx;
use tilewright::ir::tir::{ForKind, PrimFunc, Stmt, StmtKind};
use tilewright::relax_passes::LegalizeOps;
use tilewright::schedule::DefaultGPUSchedule;
use tilewright::{GlobalFunc, IRModule, Pass, Target};
use tilewright_filetests::random::Sampled;

const SEEDS: std::ops::Range<u64> = 100..148;

fn run(pass: &dyn Pass, module: &IRModule) -> IRModule {
    PassCx::default().run(pass, module.clone()).unwrap_or_else(|error| panic!("{error}"))
}

fn prim_funcs(module: &IRModule) -> impl Iterator<Item = &PrimFunc> {
    module.iter().filter_map(|(_, function)| match function {
        GlobalFunc::Prim(function) => Some(&**function),
        GlobalFunc::Relax(_) => None,
    })
}

/// The numbers of the root block's statements that run on more than one thread, and on one.
fn kernels(function: &PrimFunc) -> (usize, usize) {
    let Some(root) = function.root_block() else { return (0, 0) };
    let stmts = match &root.body.kind {
        StmtKind::Seq(stmts) => stmts.clone(),
        _ => vec![root.body.clone()],
    };
    let (mut many, mut one) = (0, 0);
    for stmt in &stmts {
        let mut threads = Vec::new();
        walk(stmt, |s: &Stmt| {
            if let StmtKind::For { extent, kind: ForKind::ThreadBinding(_), .. } = &s.kind {
                threads.push(extent.as_int());
            }
        });
        assert_eq!(threads.len(), 2, "a statement is bound to blocks and to threads, once");
        match threads.iter().all(|extent| *extent == Some(1)) {
            true => one += 1,
            false => many += 1,
        }
    }
    (many, one)
}

#[test]
fn every_function_is_bound_and_means_the_same() {
    let small = DefaultGPUSchedule::new(&Target::parse("cuda -max_threads_per_block=3").unwrap()).unwrap();
    let (mut many, mut one, mut modules) = (0, 0, 0);
    for sampled in SEEDS.filter_map(|seed| Sampled::new(seed).ok()) {
        let legalized = run(&LegalizeOps::default(), &sampled.module);
        if sampled.is_meant_by(&legalized, 0.0).is_err() {
            continue;
        }
        let bound = run(&small, &legalized);
        for function in prim_funcs(&bound) {
            let (here, alone) = kernels(function);
            many += here;
            one += alone;
        }
        sampled.is_meant_by(&bound, 0.0).unwrap_or_else(|why| panic!("{why}"));
        modules += 1;
    }
    assert!(modules > 24, "{modules} modules");
    // Single elements and loops whose order matters stay on one thread.
    assert!(many > 3 * one, "{many} statements on many threads, {one} on one");
}
