//! Rules: how PrimFuncs that nobody scheduled are scheduled, without trying anything out.
//!
//! A [`Rule`] is a function that calls primitives on a [`Schedule`] of one PrimFunc, or declines with the reason. For each
//! sort of machine there is a list of rules, the most special first; the first that does not decline is taken. What no rule
//! is for stays as it was written. [`ApplyDefaultSchedule`] does this for a whole module; [`schedule`] for one function, and
//! tells which rule was taken, what it did, and why the ones before it were not.
//!
//! | to add | place |
//! |---|---|
//! | a rule | a file here, a line in the list of its machine |
//! | what a rule needs done to loops | a primitive (`crate::primitive`) |
//!
//! Invariants: rules read the function and the target, never the operator that the function came from; what they decide
//! depends on shapes and the target's limits alone, so that results are the same for any number of threads.

mod accesses;
mod apply;
mod attention;
mod calls;
mod channels;
mod columns;
mod depths;
mod direct;
mod elementwise;
mod extreme;
mod fallback;
mod inline;
mod lookup;
mod moments;
mod norm;
mod parts;
mod product;
mod registers;
mod rows;
mod softmax;
mod strides;
mod tasks;
mod tiles;
mod tiling;
mod transpose;
mod windows;

use std::fmt;
use std::sync::Arc;

use tilewright_expr::node::walk;
use tilewright_ir::tir::{Expr, ExprKind, ForKind, PrimFunc, Stmt, StmtKind};
use tilewright_ir::{Attr, GlobalFunc, IRModule};
use tilewright_target::{Kind, Target};

use crate::default_gpu::IS_SCHEDULED;
use crate::facts::exprs::reads_memory;
use crate::facts::tree::{follow, search};
use crate::{Schedule, ScheduleError, Trace};

pub use apply::ApplyDefaultSchedule;

/// The rules of CPUs, the most special first.
pub const CPU: &[Rule] = &[
    attention::RULE,
    direct::DIRECT,
    channels::CHANNELS,
    product::PRODUCT,
    lookup::LOOKUP,
    elementwise::ELEMENTWISE,
    windows::WINDOWS,
    softmax::SOFTMAX,
    norm::NORM,
    moments::MOMENTS,
    extreme::EXTREME,
    rows::ROWS,
    fallback::FALLBACK,
];

/// The function's name while rules look at it.
const MAIN: &str = "main";

/// A way to schedule PrimFuncs of one kind.
#[derive(Clone, Copy)]
pub struct Rule {
    /// As explanations name it.
    pub name: &'static str,
    /// Which functions it is for and what becomes of them, in a sentence.
    pub doc: &'static str,
    /// Calls primitives on the schedule's one function, `main`.
    pub apply: fn(&mut Schedule, &Target) -> Result<(), Declined>,
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Why a rule is not for a function, in words that end the sentence "the rule was not taken: …".
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declined(pub String);

impl Declined {
    pub(crate) fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl From<ScheduleError> for Declined {
    fn from(error: ScheduleError) -> Self {
        Self(error.to_string())
    }
}

/// What became of a function.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// The function as it is now; what it was where no rule was taken.
    pub function: PrimFunc,
    pub rule: Option<&'static str>,
    /// What the rule did: applied to the function as it was, the same comes out.
    pub trace: Trace,
    /// The rules before that one, and why they were not taken.
    pub declined: Vec<(&'static str, String)>,
}

/// The rules for a machine.
pub fn rules(target: &Target) -> &'static [Rule] {
    match target.kind() {
        Kind::Cpu => CPU,
        Kind::Cuda => &[],
    }
}

/// Schedules a function by the first rule of the target's that is for it.
pub fn schedule(function: &PrimFunc, target: &Target) -> Scheduled {
    let mut declined = Vec::new();
    if let Some(reason) = written_by_hand(function) {
        declined.extend(rules(target).iter().map(|rule| (rule.name, reason.to_owned())));
        return Scheduled { function: function.clone(), rule: None, trace: Trace::default(), declined };
    }
    let mut module = IRModule::new();
    module.insert(MAIN, GlobalFunc::from(function.clone()));
    for rule in rules(target) {
        let mut schedule = Schedule::new(&module);
        match (rule.apply)(&mut schedule, target) {
            Ok(()) => {
                let Some(now) = schedule.module().prim(MAIN) else { continue };
                let mut now = PrimFunc::clone(now);
                if loses_guards(&now) {
                    declined.push((rule.name, "indices that are data would not be known to be in range".to_owned()));
                    continue;
                }
                now.attrs.insert(IS_SCHEDULED.into(), Attr::Bool(true));
                let trace = schedule.trace().clone();
                return Scheduled { function: now, rule: Some(rule.name), trace, declined };
            }
            Err(Declined(reason)) => declined.push((rule.name, reason)),
        }
    }
    Scheduled { function: function.clone(), rule: None, trace: Trace::default(), declined }
}

/// Whether the function cannot be lowered, where it could depend on the schedule: elements whose places are data are
/// accessed only where these are proved to be in range, which is harder the more loops there are.
fn loses_guards(function: &PrimFunc) -> bool {
    let is_data = |index: &Expr| reads_memory(index);
    let mut by_data = false;
    walk(&function.body, |e: &Expr| {
        by_data |= matches!(&e.kind, ExprKind::Load { indices, .. } if indices.iter().any(is_data));
    });
    walk(&function.body, |s: &Stmt| {
        by_data |= matches!(&s.kind, StmtKind::Store { indices, .. } if indices.iter().any(is_data));
    });
    by_data && tilewright_tir_passes::lower(MAIN, function).is_err()
}

/// Why a function is none for rules: it has a schedule, or a form that has none.
fn written_by_hand(function: &PrimFunc) -> Option<&'static str> {
    if function.attrs.get(IS_SCHEDULED).is_some_and(Attr::is_true) {
        return Some("the function says that it is scheduled");
    }
    if function.root_block().is_none() {
        return Some("the function has no root block: it is lowered already");
    }
    let decided = |stmt: &Stmt, way: &[usize]| match &stmt.kind {
        StmtKind::For { kind, annotations, .. } => {
            let says = *kind != ForKind::Serial || !annotations.is_empty();
            (says && !is_in_a_step(&function.body, way)).then_some(())
        }
        _ => None,
    };
    search(&function.body, decided).map(|()| "its loops say already how they run")
}

/// Whether a statement stands in a block without axes that holds no other block with axes: one step of a function, which no
/// rule looks into. Its loops are its own business; the stages around it have a schedule yet to come.
fn is_in_a_step(root: &Stmt, way: &[usize]) -> bool {
    let Some(site) = follow(root, way) else { return false };
    // The outermost one is the root block.
    let mut blocks = site.above.iter().filter(|(stmt, _)| matches!(stmt.kind, StmtKind::Block { .. }));
    let Some((step, _)) = blocks.nth(1) else { return false };
    let has_axes = |stmt: &Stmt, _: &_| match &stmt.kind {
        StmtKind::Block { block, .. } => (!block.iters.is_empty()).then_some(()),
        _ => None,
    };
    search(step, has_axes).is_none()
}

/// The module's PrimFuncs by name.
fn prims(module: &IRModule) -> Vec<(Arc<str>, Arc<PrimFunc>)> {
    let prim = |(name, function): (&Arc<str>, &GlobalFunc)| match function {
        GlobalFunc::Prim(function) => Some((name.clone(), function.clone())),
        GlobalFunc::Relax(_) => None,
    };
    module.iter().filter_map(prim).collect()
}
