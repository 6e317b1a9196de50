//! The rules of GPUs on the loops that every operator becomes, and on programs aimed at rules: every function becomes
//! launches within the limits of the device, and means the same before and after the lowering of threads.

use tilewright::ir::node::walk;
use tilewright::ir::pass::PassCx;
use tilewright::ir::tir::{ForKind, PrimFunc, Scope, Stmt, StmtKind};
use tilewright::ir::{Attr, Attrs};
use tilewright::relax_passes::LegalizeOps;
use tilewright::schedule::rules::schedule;
use tilewright::tir_passes::lower_init;
use tilewright::tir_passes::named::named_pass;
use tilewright::{GlobalFunc, IRModule, Target};
use tilewright_filetests::random::Sampled;
use tilewright_filetests::rules::{Case, FAMILIES};

/// Random modules of operators, and programs for rules of processors.
const SEEDS: std::ops::Range<u64> = 100..164;
const CASES: std::ops::Range<u64> = 0..4 * FAMILIES.len() as u64;

/// Devices of few threads have several blocks, tails and rows in parts already where tensors are small.
const TARGETS: [&str; 3] = ["cuda", "cuda -max_threads_per_block=32", "nvidia/nvidia-h100"];

/// The lowering of threads, in the order of its steps. What rules allocate is as small as it is needed already.
const STEPS: [&str; 11] = [
    "LowerCrossThreadReduction",
    "LowerInitBlock",
    "PlanAndUpdateBufferAllocationLocation",
    "ConvertBlocksToOpaque",
    "UnifyThreadBinding",
    "LowerMatchBuffer",
    "Simplify",
    "LowerOpaqueBlock",
    "FlattenBuffer",
    "ThreadSync",
    "LowerThreadAllreduce",
];

fn lowered(function: &PrimFunc) -> Result<PrimFunc, String> {
    STEPS.iter().try_fold(function.clone(), |function, step| {
        // The reduction of nothing is its identity, too.
        if *step == "LowerInitBlock" {
            return lower_init(&function).map_err(|found| found.to_string());
        }
        let options: Attrs = match *step {
            "ThreadSync" => [("storage_scope".into(), Attr::str("shared"))].into_iter().collect(),
            _ => Attrs::new(),
        };
        let pass = named_pass(step).ok_or_else(|| format!("there is no {step}"))?;
        (pass.run)(&options, &function).map_err(|found| format!("{step}: {found}\n{}", text(&function)))
    })
}

/// The function after the lowering of threads, with its launches checked before and after.
fn checked_and_lowered(function: &PrimFunc, target: &Target) -> Result<PrimFunc, String> {
    check_launches(function, target)?;
    let lowered = lowered(function)?;
    check_launches(&lowered, target)
        .and_then(|kernels| check_shared(&kernels, target))
        .map_err(|why| format!("lowered: {why}\n{}", text(&lowered)))?;
    Ok(lowered)
}

fn text(function: &PrimFunc) -> String {
    let mut module = IRModule::new();
    module.insert("main", GlobalFunc::from(function.clone()));
    tilewright::print_module(&module)
}

/// Checks that what a function does is launches: loops over blocks and threads with host loops at most around them, of
/// as many threads as the target allows. Gives the launches.
fn check_launches<'a>(function: &'a PrimFunc, target: &Target) -> Result<Vec<&'a Stmt>, String> {
    let (limits, _) = target.gpu().ok_or("no GPU")?;
    let body = function.root_block().map_or(&function.body, |root| &root.body);
    let mut kernels = Vec::new();
    launches(body, &mut kernels)?;
    for kernel in &kernels {
        let mut extents: Vec<(String, Option<i64>)> = Vec::new();
        walk(*kernel, |stmt: &Stmt| {
            if let StmtKind::For { extent, kind: ForKind::ThreadBinding(tag), .. } = &stmt.kind {
                let own = (tag.to_string(), extent.as_int());
                if tag.starts_with("threadIdx") && !extents.contains(&own) {
                    extents.push(own);
                }
            }
        });
        let threads = extents.iter().try_fold(1, |all: i64, (_, extent)| Some(all * (*extent)?));
        if threads.is_none_or(|threads| threads > i64::from(limits.max_threads_per_block)) {
            return Err(format!("too many threads, or an unknown number: {extents:?}"));
        }
    }
    Ok(kernels)
}

/// Checks that lowered launches have no more shared memory than the target allows.
fn check_shared(kernels: &[&Stmt], target: &Target) -> Result<(), String> {
    let (limits, _) = target.gpu().ok_or("no GPU")?;
    for kernel in kernels {
        let mut shared = Some(0);
        walk(*kernel, |stmt: &Stmt| {
            if let StmtKind::Allocate { buffer, .. } = &stmt.kind
                && buffer.scope.plain() == Scope::Shared
            {
                let bytes =
                    buffer.shape.iter().try_fold(buffer.dtype.bytes() as i64, |n, extent| Some(n * extent.as_int()?));
                shared = shared.zip(bytes).map(|(all, bytes)| all + bytes);
            }
        });
        if shared.is_none_or(|bytes| bytes > i64::from(limits.shared_memory_bytes)) {
            return Err(format!("too much shared memory, or an unknown number of bytes: {shared:?}"));
        }
    }
    Ok(())
}

/// The launches of a statement; an error where something else is done.
fn launches<'a>(stmt: &'a Stmt, found: &mut Vec<&'a Stmt>) -> Result<(), String> {
    match &stmt.kind {
        StmtKind::For { kind: ForKind::ThreadBinding(_), .. } => found.push(stmt),
        StmtKind::Seq(stmts) => stmts.iter().try_for_each(|stmt| launches(stmt, found))?,
        StmtKind::For { kind: ForKind::Serial, body, .. }
        | StmtKind::Allocate { body, .. }
        | StmtKind::AllocateConst { body, .. } => launches(body, found)?,
        other => return Err(format!("a statement on no threads: {other:?}")),
    }
    Ok(())
}

#[test]
fn every_operator_becomes_launches_and_means_the_same() {
    let (mut modules, mut functions, mut wrong) = (0, 0, String::new());
    for (seed, sampled) in SEEDS.filter_map(|seed| Some((seed, Sampled::new(seed).ok()?))) {
        let target = Target::parse(TARGETS[seed as usize % TARGETS.len()]).unwrap();
        let mut cx = PassCx { target: Some(target.clone()), ..PassCx::default() };
        // Collectives of several workers have no loops.
        let Ok(module) = cx.run(&LegalizeOps::default(), sampled.module.clone()) else { continue };
        if sampled.is_meant_by(&module, 1e-5).is_err() {
            continue;
        }
        modules += 1;
        let (mut scheduled, mut flat) = (module.clone(), module.clone());
        for (name, function) in module.iter() {
            let GlobalFunc::Prim(function) = function else { continue };
            let made = schedule(function, &target);
            let checked = checked_and_lowered(&made.function, &target);
            match checked {
                Ok(function) => {
                    flat.insert(name.clone(), GlobalFunc::from(function));
                }
                Err(why) => {
                    wrong.push_str(&format!("{seed} {name} by {:?}: {why}\n{}\n", made.rule, text(&made.function)));
                }
            }
            scheduled.insert(name.clone(), GlobalFunc::from(made.function));
            functions += 1;
        }
        for (what, module) in [("scheduled", &scheduled), ("lowered", &flat)] {
            if let Err(why) = sampled.is_meant_by(module, 1e-5) {
                wrong.push_str(&format!("{seed} {what}: {why}\n{}\n", tilewright::print_module(module)));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(modules > 32 && functions > 200, "{modules} modules, {functions} functions");
}

#[test]
fn programs_aimed_at_rules_mean_the_same_on_threads() {
    let (mut taken, mut wrong) = (Vec::new(), String::new());
    for (number, case) in CASES.map(Case::small).enumerate() {
        let target = Target::parse(TARGETS[number % TARGETS.len()]).unwrap();
        let lower = |function: &PrimFunc| checked_and_lowered(function, &target);
        match case.check_schedules(&target, lower) {
            Ok(rules) => taken.extend(rules),
            Err(fault) => {
                let (name, program) = (case.family.name, &case.program);
                wrong.push_str(&format!("{number} {name}, {target}: {}: {}\n{program}\n", fault.step, fault.message));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let rules = tilewright::schedule::rules::GPU;
    let never: Vec<&str> =
        rules.iter().flat_map(|rule| rule.kernels).copied().filter(|kernel| !taken.contains(kernel)).collect();
    assert!(never.is_empty(), "no program is scheduled by {never:?}");
}
