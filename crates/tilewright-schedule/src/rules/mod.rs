//! Rules: how PrimFuncs that nobody scheduled are scheduled, without trying anything out.
//!
//! A [`Rule`] is for one family of functions. It offers *candidates* for a function, each with an estimate of its cost
//! in cycles where it has several, or declines with the reason. For each kind of machine there is a list of rules, the
//! most special first; of the first one that has candidates the cheapest is taken. What no rule is for stays as it was
//! written. [`ApplyDefaultSchedule`] does this for a whole module; [`schedule`] for one function, and tells what was
//! compared, which candidate was taken, what it did, and why others were not.
//!
//! | to add | place |
//! |---|---|
//! | a rule | a file here, a line in the list of its kind of machine |
//! | a candidate of a rule | an `Offer::add` in the rule, its plan and cost in `plan` |
//! | what a rule needs done to loops | a primitive (`crate::primitive`) |
//!
//! Invariants: rules read the function and the target, never the operator that the function came from; what they decide
//! depends on shapes and the target's description alone, so that results are the same for any number of threads.

mod apply;
mod attention;
mod candidate;
mod contiguous_reduction;
mod contraction;
mod elementwise;
mod fallback;
mod gather;
mod gpu;
mod inline;
mod nests;
mod primitive_calls;
mod row_reduction;
mod spatial;
mod split_reduction;
mod strided_reduction;
mod transpose;
mod windows;

use std::fmt;
use std::sync::Arc;

use tilewright_expr::node::walk;
use tilewright_ir::tir::{Expr, ExprKind, ForKind, PrimFunc, Stmt, StmtKind};
use tilewright_ir::{Attr, GlobalFunc, IRModule};
use tilewright_target::{Kind, Target};

use crate::analysis::dependence::has_threads;
use crate::build::exprs::reads_memory;
use crate::default_gpu::IS_SCHEDULED;
use crate::site::{follow, search};
use crate::{Schedule, ScheduleError, Trace, plan};

pub use crate::families::graph::{AttentionTypes, GraphSpec};
pub use crate::plan::{Cost, Declined};
pub use apply::ApplyDefaultSchedule;

use candidate::{Candidate, Offer};

/// The rules of CPUs, the most special first.
pub const CPU: &[Rule] = &[
    attention::RULE,
    contraction::CONTRACTION,
    gather::GATHER,
    elementwise::ELEMENTWISE,
    windows::WINDOWS,
    row_reduction::ROW_REDUCTION,
    contiguous_reduction::CONTIGUOUS_REDUCTION,
    fallback::FALLBACK,
];

/// The rules of GPUs, the most special first. The last one is for every function.
pub const GPU: &[Rule] =
    &[gpu::contraction::CONTRACTION, gpu::rows::ROW_REDUCTION, gpu::elementwise::ELEMENTWISE, gpu::fallback::FALLBACK];

/// The function's name while rules look at it.
const MAIN: &str = "main";

/// The ways to schedule PrimFuncs of one family.
#[derive(Clone, Copy)]
pub struct Rule {
    /// As explanations name it.
    pub name: &'static str,
    /// Which functions it is for and what becomes of them, in a sentence.
    pub doc: &'static str,
    /// The names of its candidates.
    pub kernels: &'static [&'static str],
    offers: Offers,
}

/// How a rule makes its candidates.
#[derive(Clone, Copy)]
enum Offers {
    /// One, by primitives on the schedule's one function, `main`.
    One(fn(&mut Schedule, &Target) -> Result<(), Declined>),
    /// Several, by their costs.
    Several(for<'a> fn(&'a Schedule, &'a Target) -> Result<Offer<'a>, Declined>),
}

impl Rule {
    fn offer<'a>(&'a self, start: &'a Schedule, target: &'a Target) -> Result<Offer<'a>, Declined> {
        match self.offers {
            Offers::Several(offer) => offer(start, target),
            Offers::One(apply) => {
                let build = move || {
                    let mut schedule = start.clone();
                    apply(&mut schedule, target)?;
                    Ok(schedule)
                };
                let candidates = vec![Candidate::new(self.name, None, build)];
                Ok(Offer { candidates, declined: Vec::new() })
            }
        }
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl From<ScheduleError> for Declined {
    fn from(error: ScheduleError) -> Self {
        Self(error.to_string())
    }
}

/// A candidate that was looked at.
#[derive(Clone, Debug)]
pub struct Considered {
    pub name: &'static str,
    /// What it was expected to cost, if its rule has a model of that.
    pub cost: Option<Cost>,
    /// Why it was not taken.
    pub declined: String,
}

/// What became of a function.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// The function as it is now; what it was where no rule was taken.
    pub function: PrimFunc,
    /// The candidate that was taken, and what it is expected to cost.
    pub rule: Option<&'static str>,
    pub cost: Option<Cost>,
    /// What was done: applied to the function as it was, the same comes out.
    pub trace: Trace,
    /// The candidates that were not taken, of the rules up to that one.
    pub considered: Vec<Considered>,
}

impl Scheduled {
    fn unchanged(function: &PrimFunc, considered: Vec<Considered>) -> Self {
        Self { function: function.clone(), rule: None, cost: None, trace: Trace::default(), considered }
    }
}

/// The rules for a machine.
pub fn rules(target: &Target) -> &'static [Rule] {
    match target.kind() {
        Kind::Cpu => CPU,
        Kind::Gpu => GPU,
    }
}

/// Whether a machine has a kernel for a computation: a graph pass asks before it makes one function of its operators.
/// Formulas between the sums, which only the loops show, may still be some that the kernel declines.
pub fn can(spec: &GraphSpec, target: &Target) -> bool {
    match (target.kind(), spec) {
        (Kind::Cpu, GraphSpec::Attention(types)) => plan::cpu::attention::can(types),
        (Kind::Cpu, GraphSpec::ByteProducts) => plan::cpu::gemm::choose::multiplies_bytes(target),
        (Kind::Gpu, GraphSpec::Attention(_) | GraphSpec::ByteProducts) => false,
    }
}

/// A candidate that was built.
#[derive(Clone, Debug)]
pub struct Offered {
    pub name: &'static str,
    /// What it is expected to cost, if its rule has a model of that.
    pub cost: Option<Cost>,
    pub function: PrimFunc,
    /// What was done: applied to the function as it was, the same comes out.
    pub trace: Trace,
}

/// Every candidate of every rule of the target's that can be built for a function: the first one is what [`schedule`]
/// takes. For a function that has a schedule there are none.
pub fn candidates(function: &PrimFunc, target: &Target) -> Vec<Offered> {
    if written_by_hand(function, target).is_some() {
        return Vec::new();
    }
    let start = Schedule::new(&alone(function));
    let mut offered = Vec::new();
    for rule in rules(target) {
        let Ok(mut offer) = rule.offer(&start, target) else { continue };
        offer.candidates.sort_by(|a, b| a.cycles().total_cmp(&b.cycles()));
        for candidate in offer.candidates {
            let (name, cost) = (candidate.name, candidate.cost.clone());
            if let Ok((function, trace)) = built(candidate, target) {
                offered.push(Offered { name, cost, function, trace });
            }
        }
    }
    offered
}

/// A module with this function, as rules look at it.
fn alone(function: &PrimFunc) -> IRModule {
    let mut module = IRModule::new();
    module.insert(MAIN, GlobalFunc::from(function.clone()));
    module
}

/// Schedules a function by the cheapest candidate of the first rule of the target's that is for it.
pub fn schedule(function: &PrimFunc, target: &Target) -> Scheduled {
    let mut considered = Vec::new();
    if let Some(reason) = written_by_hand(function, target) {
        let each =
            rules(target).iter().map(|rule| Considered { name: rule.name, cost: None, declined: reason.to_owned() });
        return Scheduled::unchanged(function, each.collect());
    }
    let start = Schedule::new(&alone(function));
    for rule in rules(target) {
        let mut offer = match rule.offer(&start, target) {
            Ok(offer) => offer,
            Err(Declined(declined)) => {
                considered.push(Considered { name: rule.name, cost: None, declined });
                continue;
            }
        };
        let declined = offer.declined.drain(..);
        considered.extend(declined.map(|(name, declined)| Considered { name, cost: None, declined }));
        offer.candidates.sort_by(|a, b| a.cycles().total_cmp(&b.cycles()));
        let mut candidates = offer.candidates.into_iter();
        while let Some(candidate) = candidates.next() {
            let (name, cost) = (candidate.name, candidate.cost.clone());
            match built(candidate, target) {
                Ok((scheduled, trace)) => {
                    let dearer = |other: Candidate<'_>| Considered {
                        name: other.name,
                        cost: other.cost,
                        declined: "another candidate costs less".to_owned(),
                    };
                    considered.extend(candidates.map(dearer));
                    let cost = cost.or_else(|| Some(work(function, target)));
                    return Scheduled { function: scheduled, rule: Some(name), cost, trace, considered };
                }
                Err(Declined(declined)) => considered.push(Considered { name, cost, declined }),
            }
        }
    }
    Scheduled::unchanged(function, considered)
}

/// What any schedule of a function costs at least.
fn work(function: &PrimFunc, target: &Target) -> Cost {
    match plan::gpu::Device::of(target) {
        Ok(device) if target.kind() == Kind::Gpu => plan::gpu::work::cost(function, &device),
        _ => plan::cpu::work::cost(function, target),
    }
}

/// The function that a candidate makes, and its trace.
fn built(candidate: Candidate<'_>, target: &Target) -> Result<(PrimFunc, Trace), Declined> {
    let schedule = candidate.build()?;
    let function = schedule.module().prim(MAIN).ok_or_else(|| Declined::because("the function is gone"))?;
    let mut function = PrimFunc::clone(function);
    if target.kind() == Kind::Cpu && loses_guards(&function) {
        return Err(Declined::because("indices that are data would not be known to be in range"));
    }
    function.attrs.insert(IS_SCHEDULED.into(), Attr::Bool(true));
    Ok((function, schedule.trace().clone()))
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
fn written_by_hand(function: &PrimFunc, target: &Target) -> Option<&'static str> {
    if function.attrs.get(IS_SCHEDULED).is_some_and(Attr::is_true) {
        return Some("the function says that it is scheduled");
    }
    if target.kind() == Kind::Gpu {
        // Without threads it cannot run, whatever else its loops say.
        return has_threads(&function.body).then_some("its loops have threads already");
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

/// Whether a statement stands in a block without axes that holds no other block with axes: one step of a function,
/// which no rule looks into. Its loops are its own business; the stages around it have a schedule yet to come.
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
