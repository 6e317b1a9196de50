//! The rules of GPUs on the loops that every operator becomes, and on programs aimed at rules: every function becomes
//! launches within the limits of the device, and means the same before and after the lowering of threads.

use tilewright::ir::node::walk;
use tilewright::ir::pass::PassCx;
use tilewright::ir::tir::{Block, Buffer, ForKind, PrimFunc, Scope, Stmt, StmtKind};
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

/// The lowering of threads, in the order of its steps.
const STEPS: [&str; 12] = [
    "LowerCrossThreadReduction",
    "LowerInitBlock",
    "PlanAndUpdateBufferAllocationLocation",
    "ConvertBlocksToOpaque",
    "CompactBufferAllocation",
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

fn text(function: &PrimFunc) -> String {
    let mut module = IRModule::new();
    module.insert("main", GlobalFunc::from(function.clone()));
    tilewright::print_module(&module)
}

/// Checks that what a function does is launches: loops over blocks and threads with host loops at most around them, of
/// as many threads and as much shared memory as the target allows.
fn check_launches(function: &PrimFunc, target: &Target) -> Result<(), String> {
    let (limits, _) = target.gpu().ok_or("no GPU")?;
    let body = match function.root_block() {
        Some(root) => &root.body,
        None => &function.body,
    };
    let mut kernels = Vec::new();
    launches(body, &mut kernels)?;
    let shared_at_root =
        shared_bytes(&function.root_block().map(|root| root.alloc_buffers.clone()).unwrap_or_default());
    for kernel in kernels {
        let mut extents: Vec<(String, Option<i64>)> = Vec::new();
        let mut shared = 0;
        walk(kernel, |stmt: &Stmt| match &stmt.kind {
            StmtKind::For { extent, kind: ForKind::ThreadBinding(tag), .. } if tag.starts_with("threadIdx") => {
                let own = (tag.to_string(), extent.as_int());
                if !extents.contains(&own) {
                    extents.push(own);
                }
            }
            StmtKind::Block { block: Block { alloc_buffers, .. }, .. } => shared += shared_bytes(alloc_buffers),
            StmtKind::Allocate { buffer, .. } => shared += shared_bytes(std::slice::from_ref(buffer)),
            _ => {}
        });
        let threads = extents.iter().try_fold(1, |all: i64, (_, extent)| Some(all * (*extent)?));
        let threads = threads.ok_or_else(|| format!("the number of threads is not constant: {extents:?}"))?;
        if threads > i64::from(limits.max_threads_per_block) {
            return Err(format!("{threads} threads: {extents:?}"));
        }
        let most = u64::from(limits.shared_memory_bytes);
        if shared > most || shared_at_root > most {
            return Err(format!("{shared} bytes of shared memory, {shared_at_root} of the function"));
        }
    }
    Ok(())
}

fn shared_bytes(buffers: &[Buffer]) -> u64 {
    let bytes = |buffer: &Buffer| {
        let elements: i64 = buffer.shape.iter().map(|extent| extent.as_int().unwrap_or(1)).product();
        elements.unsigned_abs() * buffer.dtype.bytes() as u64
    };
    buffers.iter().filter(|buffer| buffer.scope.plain() == Scope::Shared).map(bytes).sum()
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
        let module = cx.run(&LegalizeOps::default(), sampled.module.clone()).unwrap_or_else(|error| panic!("{error}"));
        if sampled.is_meant_by(&module, 1e-5).is_err() {
            continue;
        }
        modules += 1;
        let (mut scheduled, mut flat) = (module.clone(), module.clone());
        for (name, function) in module.iter() {
            let GlobalFunc::Prim(function) = function else { continue };
            let made = schedule(function, &target);
            let checked = check_launches(&made.function, &target).and_then(|()| lowered(&made.function));
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
        let lower = |function: &PrimFunc| check_launches(function, &target).and_then(|()| lowered(function));
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
