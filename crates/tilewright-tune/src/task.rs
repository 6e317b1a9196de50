//! Tasks: the kernels of a module that have no schedule yet, each once, with the number of their calls.

use std::sync::Arc;

use tilewright_expr::node::{EqCx, HashCx, walk};
use tilewright_ir::relax::{Callee, Expr, ExprKind};
use tilewright_ir::tir::{PrimFunc, attr_names};
use tilewright_ir::{Attr, GlobalFunc, IRModule};
use tilewright_schedule::IS_SCHEDULED;
use tilewright_support::Map;
use tilewright_target::Target;

/// The name of the function in the modules that are tuned.
pub(crate) const MAIN: &str = "main";

/// The attribute of the fusion pass, which says nothing about the kernel.
const OP_PATTERN: &str = "op_pattern";

/// A kernel to be tuned.
#[derive(Clone, Debug)]
pub struct Task {
    /// The name of the function in its module.
    pub name: String,
    /// The function as a [`workload`].
    pub function: Arc<PrimFunc>,
    pub target: Target,
    /// The number of calls of the kernel, or of ones like it, in its module.
    pub weight: usize,
}

impl Task {
    /// A task of one call.
    pub fn new(name: impl Into<String>, function: &PrimFunc, target: &Target) -> Self {
        Self { name: name.into(), function: Arc::new(workload(function)), target: target.clone(), weight: 1 }
    }

    /// The module that schedules of the task begin with.
    pub fn module(&self) -> IRModule {
        module_of(&self.function)
    }
}

/// A module whose one function is the workload.
pub(crate) fn module_of(function: &PrimFunc) -> IRModule {
    let mut module = IRModule::new();
    module.insert(MAIN, GlobalFunc::from(function.clone()));
    module
}

/// The function without what says nothing about its kernel: its name, its target, and how it may be fused.
pub fn workload(function: &PrimFunc) -> PrimFunc {
    let mut function = function.clone();
    for name in [attr_names::GLOBAL_SYMBOL, attr_names::TARGET, OP_PATTERN] {
        function.attrs.remove(name);
    }
    function
}

/// The structural hash of a workload, in digits.
pub(crate) fn hash_of(workload: &PrimFunc) -> String {
    format!("{:016x}", HashCx::hash(workload))
}

pub(crate) fn are_equal(a: &PrimFunc, b: &PrimFunc) -> bool {
    EqCx::compare(a, b).is_ok()
}

/// The word of [`machine_name`] before the number of cores.
const CORES: &str = " -num-cores=";

/// The target as records name it: what decides the code and the schedule of a kernel.
pub fn machine_name(target: &Target) -> String {
    format!("{target}{CORES}{}", target.limits.cores)
}

/// The machine's processor, whatever the number of its cores.
pub(crate) fn processor(machine: &str) -> &str {
    machine.split_once(CORES).map_or(machine, |(processor, _)| processor)
}

/// A text that this target is read from: that of this machine, whose caches are no options, where it is one.
pub(crate) fn target_text(target: &Target) -> String {
    let here = format!("llvm{CORES}{}", target.limits.cores);
    match Target::parse(&here) {
        Ok(host) if host == *target => here,
        _ => machine_name(target),
    }
}

/// The tasks of a module in its order: functions of one structure are one task. Functions that have a schedule are no
/// tasks.
pub fn tasks(module: &IRModule, target: &Target) -> Vec<Task> {
    let calls = calls(module);
    let mut found: Vec<Task> = Vec::new();
    let mut known: Map<String, Vec<usize>> = Map::default();
    for (name, function) in module.iter() {
        let GlobalFunc::Prim(function) = function else { continue };
        let scheduled = function.attrs.get(IS_SCHEDULED).is_some_and(Attr::is_true);
        if scheduled || function.root_block().is_none() {
            continue;
        }
        let own = function.declared_target(target).ok().flatten().unwrap_or_else(|| target.clone());
        let weight = calls.get(name).copied().unwrap_or(1);
        let task = Task { weight, ..Task::new(&**name, function, &own) };
        let alike = known.entry(hash_of(&task.function)).or_default();
        let same = |at: &&usize| {
            let other: &Task = &found[**at];
            are_equal(&other.function, &task.function) && other.target == task.target
        };
        match alike.iter().find(same).copied() {
            Some(at) => found[at].weight += weight,
            None => {
                alike.push(found.len());
                found.push(task);
            }
        }
    }
    found
}

/// How often each PrimFunc is called by the module's functions of graphs.
fn calls(module: &IRModule) -> Map<Arc<str>, usize> {
    let mut calls: Map<Arc<str>, usize> = Map::default();
    for (_, function) in module.iter() {
        let GlobalFunc::Relax(function) = function else { continue };
        walk(&**function, |expr: &Expr| {
            if let ExprKind::Call {
                callee: Callee::Tir(global) | Callee::TirInplace { function: global, .. }, ..
            } = &expr.kind
            {
                *calls.entry(global.name.clone()).or_insert(0) += 1;
            }
        });
    }
    calls
}
