//! A program, scheduled and compiled, against what the interpreter makes of it before anything was done to it.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tilewright::ir::Attr;
use tilewright::ir::node::walk;
use tilewright::ir::pass::{PassCx, Sequential};
use tilewright::ir::tir::attr_names::GLOBAL_SYMBOL;
use tilewright::ir::tir::{Expr, ExprKind, PrimFunc};
use tilewright::relax_passes::{BindParams, ParamKey};
use tilewright::runtime::{Device, set_num_threads};
use tilewright::schedule::rules::{Scheduled, schedule};
use tilewright::schedule::{IS_SCHEDULED, Schedule};
use tilewright::tensor::guard::Edge;
use tilewright::{
    CompileOptions, GlobalFunc, IRModule, SourceFile, Target, Tensor, VirtualMachine, parse_module, pipelines,
};
use tilewright_interp::{InterpCx, Random};

use super::script::Program;
use super::values::{Numbers, Range, magnitudes};
use crate::compare::Plain;
use crate::data::{Argument, Values, signature};
use crate::faults::Fault as Planted;
use crate::run::{Flat, call, interpret, machine};

/// The checked properties, in the order of checking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The text is read, and the interpreter runs it: else the program is none.
    Interpreted,
    /// The passes in front of the schedules take it.
    Passes,
    /// The trace of a schedule gives the same function again.
    Replayed,
    /// To the interpreter the scheduled functions mean the same: nothing is accessed out of bounds, and no two
    /// iterations that may run at once touch the same element.
    Scheduled,
    /// It compiles, and for a machine like this one loads.
    Compiled,
    /// Machine code gives the same, with arguments at the edge of inaccessible memory.
    Run,
    /// And the same bits on any number of threads.
    Threads,
    /// Nothing stopped the process; only those see this who watch it from outside.
    Survived,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Interpreted => "interpreted",
            Self::Passes => "passes",
            Self::Replayed => "replayed",
            Self::Scheduled => "scheduled",
            Self::Compiled => "compiled",
            Self::Run => "run",
            Self::Threads => "threads",
            Self::Survived => "survived",
        })
    }
}

/// A property that does not hold.
#[derive(Clone, Debug)]
pub struct Fault {
    pub step: Step,
    pub message: String,
}

/// Statistics of a program that holds.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The rules that its functions were scheduled by.
    pub rules: Vec<&'static str>,
    /// Whether its machine code ran: it does not where the target is another sort of machine.
    pub ran: bool,
}

/// Numbers of threads.
const THREADS: [usize; 3] = [1, 2, 5];
/// A program runs with arguments at one edge of memory; the other edge is for other cases.
const EDGES: [Edge; 2] = Edge::BOTH;

/// The share of programs of which each kernel also runs alone: one in this number.
const KERNELS: u64 = 3;

/// Changes the number of threads, which is the process's: one test at a time, restored afterwards.
struct Threads {
    _alone: MutexGuard<'static, ()>,
}

impl Threads {
    fn alone() -> Self {
        static ONE: Mutex<()> = Mutex::new(());
        Self { _alone: ONE.lock().unwrap_or_else(PoisonError::into_inner) }
    }

    fn set(&self, count: usize) {
        set_num_threads(count);
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        set_num_threads(0);
    }
}

fn at(step: Step) -> impl Fn(String) -> Fault {
    move |message| Fault { step, message }
}

/// Checks the schedules alone, after which a fault is planted.
pub(super) fn check_planted(program: &Program, target: &Target, seed: u64, planted: &Planted) -> Result<(), Fault> {
    let subject = Subject::new(program, seed).map_err(at(Step::Interpreted))?;
    subject.check_schedules(target, Some(planted)).map(drop)
}

/// Checks the schedules alone, and what `lower` makes of the scheduled functions.
pub(super) fn check_lowered(
    program: &Program,
    target: &Target,
    seed: u64,
    lower: &dyn Fn(&PrimFunc) -> Result<PrimFunc, String>,
) -> Result<Vec<&'static str>, Fault> {
    let subject = Subject::new(program, seed).map_err(at(Step::Interpreted))?;
    let (rules, scheduled) = subject.scheduled(target)?;
    subject.means(&scheduled, &rules)?;
    let mut lowered = scheduled.clone();
    for (name, function) in scheduled.iter() {
        let GlobalFunc::Prim(function) = function else { continue };
        let function = lower(function).map_err(|why| at(Step::Scheduled)(format!("`{name}`: {why}")))?;
        lowered.insert(name.clone(), GlobalFunc::from(function));
    }
    subject
        .means(&lowered, &rules)
        .map_err(|fault| Fault { message: format!("lowered, {}", fault.message), ..fault })?;
    Ok(rules)
}

/// Looks at everything, for a target, with numbers of a seed.
pub(super) fn check(program: &Program, target: &Target, seed: u64) -> Result<Checked, Fault> {
    let subject = Subject::new(program, seed).map_err(at(Step::Interpreted))?;
    let rules = subject.check_schedules(target, None)?;
    let host = Target::host();
    let runs = target.arch == host.arch && target.features.is_subset(&host.features);
    let options = CompileOptions::for_target(target.clone());
    if !runs {
        tilewright::compile(&subject.module, &options).map_err(|error| at(Step::Compiled)(error.to_string()))?;
        return Ok(Checked { rules, ran: false });
    }
    let edge = EDGES[(seed % 2) as usize];
    let compiled = machine(&subject.module, options.clone(), Device::cpu()).map_err(at(Step::Compiled))?;
    subject.check_runs(&compiled, edge)?;
    // Neighbouring programs of a family have seeds of every remainder.
    if seed.is_multiple_of(KERNELS) {
        subject.check_kernels(target, &options, &program.dims, edge)?;
    }
    Ok(Checked { rules, ran: true })
}

/// A program with arguments and its meaning.
struct Subject {
    /// With its constants.
    module: IRModule,
    args: Vec<Argument>,
    meaning: Plain,
    /// The tolerance of floats relative to the reference.
    allowed: f64,
}

impl Subject {
    fn new(program: &Program, seed: u64) -> Result<Self, String> {
        let module = parse_module(&SourceFile::new("random.py", program.text.as_str())).map_err(|e| e.to_string())?;
        let mut random = Random::new(seed);
        let (mut args, mut bound) = (Vec::new(), Vec::new());
        for (name, tensor) in tensors(program, &module, &mut random)? {
            match program.params.iter().find(|param| param.name == name) {
                Some(param) if param.constant => bound.push((ParamKey::Name(name), tensor)),
                _ => args.push(Argument::Tensor(tensor)),
            }
        }
        let bind = |bound: Vec<(ParamKey, Tensor)>| {
            if bound.is_empty() {
                return Ok(module.clone());
            }
            PassCx::default().run(&BindParams::new("main", bound), module.clone()).map_err(|error| error.to_string())
        };
        let meaning = interpret(&bind(bound.clone())?, "main", &args, Flat::No)?;
        let largest = match program.numbers {
            Numbers::Real => {
                let positive = bound.iter().map(|(key, tensor)| Ok((key.clone(), magnitudes(tensor)?)));
                let positive = bind(positive.collect::<Result<_, String>>()?)?;
                interpret(&positive, "main", &absolute(&args)?, Flat::No)?.magnitude()
            }
            _ => 0.0,
        };
        let allowed = program.allowed(largest.max(meaning.magnitude()));
        Ok(Self { module: bind(bound)?, args, meaning, allowed })
    }

    /// Checks every function by its rule, and the meaning of the scheduled functions, after a planted fault if there is
    /// one.
    fn check_schedules(&self, target: &Target, planted: Option<&Planted>) -> Result<Vec<&'static str>, Fault> {
        let (rules, module) = self.scheduled(target)?;
        if module.iter().any(|(name, _)| module.prim(name).is_some_and(|function| is_of_machine(function))) {
            return Ok(rules);
        }
        let module = planted.map_or_else(|| module.clone(), |planted| (planted.corrupt)(&module));
        self.means(&module, &rules)?;
        Ok(rules)
    }

    /// The rules that were taken for its functions, the replay of whose traces is checked, and the scheduled functions.
    fn scheduled(&self, target: &Target) -> Result<(Vec<&'static str>, IRModule), Fault> {
        let mut module = before_schedules(target, &self.module).map_err(at(Step::Passes))?;
        let names: Vec<_> = module.iter().map(|(name, _)| name.clone()).collect();
        let mut rules = Vec::new();
        for name in names {
            let Some(function) = module.prim(&name) else { continue };
            let scheduled = schedule(function, target);
            let Some(rule) = scheduled.rule else {
                let why: Vec<String> =
                    scheduled.considered.iter().map(|seen| format!("{}: {}", seen.name, seen.declined)).collect();
                return Err(at(Step::Passes)(format!("no rule is for `{name}`: {}", why.join("; "))));
            };
            let mut alone = IRModule::new();
            alone.insert("main", GlobalFunc::Prim(function.clone()));
            replays(&alone, &scheduled).map_err(|why| at(Step::Replayed)(format!("`{name}`, {rule}: {why}")))?;
            rules.push(rule);
            module.insert(name, scheduled.function);
        }
        Ok((rules, module))
    }

    /// Checks that a module, by these rules, means the same to the interpreter.
    fn means(&self, module: &IRModule, rules: &[&str]) -> Result<(), Fault> {
        let explained = |why: String| at(Step::Scheduled)(format!("by {}: {why}", rules.join(", ")));
        let found = interpret(module, "main", &self.args, Flat::No).map_err(explained)?;
        self.meaning.agree_within(&found, self.allowed).map_err(explained)
    }

    /// Runs every kernel alone, with results at the edge of inaccessible memory too: the machine places those of a
    /// program. One whose sizes the program does not determine is left out.
    fn check_kernels(
        &self,
        target: &Target,
        options: &CompileOptions,
        dims: &[(String, i64)],
        edge: Edge,
    ) -> Result<(), Fault> {
        let module = before_schedules(target, &self.module).map_err(at(Step::Passes))?;
        let threads = Threads::alone();
        threads.set(2);
        for function in module.iter().filter_map(|(name, _)| module.prim(name)) {
            let mut scheduled = schedule(function, target).function;
            scheduled.attrs.insert(GLOBAL_SYMBOL.into(), Attr::str("main"));
            let mut alone = IRModule::new();
            alone.insert("main", GlobalFunc::from(scheduled));
            let values = Values { seed: 1, special: false, dims: dims.to_vec() };
            let Ok(args) = values.for_function(&alone, "main") else { continue };
            if args.iter().any(|arg| matches!(arg, Argument::Scalar(_))) {
                continue;
            }
            let machine = machine(&alone, options.clone(), Device::cpu()).map_err(at(Step::Compiled))?;
            let args = guarded(&args, edge).map_err(at(Step::Run))?;
            call(&machine, &alone, "main", &args).map_err(at(Step::Run))?;
        }
        Ok(())
    }

    fn check_runs(&self, machine: &VirtualMachine, edge: Edge) -> Result<(), Fault> {
        let threads = Threads::alone();
        let run = |count: usize| -> Result<Plain, String> {
            threads.set(count);
            call(machine, &self.module, "main", &guarded(&self.args, edge)?)
        };
        let found = THREADS.map(run);
        drop(threads);
        let [first, others @ ..] = found;
        let first = first.map_err(at(Step::Run))?;
        self.meaning.agree_within(&first, self.allowed).map_err(at(Step::Run))?;
        for (threads, other) in THREADS.iter().skip(1).zip(others) {
            let same = other.and_then(|other| first.same_bits(&other));
            same.map_err(|why| at(Step::Threads)(format!("{threads} threads: {why}")))?;
        }
        Ok(())
    }
}

impl Program {
    /// The tolerance of floats none of which is larger than this, relative to the rounded values.
    fn allowed(&self, largest: f64) -> f64 {
        let t = &self.tolerance;
        let exact = self.numbers != Numbers::Real;
        let summed = if exact { 0.0 } else { 2.0 * t.terms * t.sum_unit + 4.0 * t.unit };
        let rounded = if exact && t.roundings == 0.0 { 0.0 } else { (t.roundings + 2.0) * t.unit };
        (summed + rounded) * largest.max(t.scale)
    }
}

/// The function's arguments by name.
fn tensors(program: &Program, module: &IRModule, random: &mut Random) -> Result<Vec<(String, Tensor)>, String> {
    let values = Values { seed: 0, special: false, dims: program.dims.clone() };
    let mut made = Vec::new();
    for (name, info) in signature(module, "main")? {
        let dims = info.dims().ok_or("a parameter of unknown shape")?;
        let shape = dims.iter().map(|dim| values.dim(dim)).collect::<Result<Vec<_>, _>>()?;
        let dtype = info.dtype().ok_or("a parameter of unknown type")?;
        let range = program.params.iter().find(|param| param.name == name).map_or(Range::Any, |param| param.range);
        made.push((name, program.numbers.tensor(random, dtype, &shape, range, program.special)?));
    }
    Ok(made)
}

fn absolute(args: &[Argument]) -> Result<Vec<Argument>, String> {
    let absolute = |arg: &Argument| match arg {
        Argument::Tensor(tensor) => magnitudes(tensor).map(Argument::Tensor),
        Argument::Scalar(scalar) => Ok(Argument::Scalar(*scalar)),
    };
    args.iter().map(absolute).collect()
}

/// Arguments directly at the edge of inaccessible memory.
fn guarded(args: &[Argument], edge: Edge) -> Result<Vec<Argument>, String> {
    let guarded = |arg: &Argument| match arg {
        Argument::Tensor(tensor) => tensor.guarded(edge).map(Argument::Tensor).map_err(|error| error.to_string()),
        Argument::Scalar(scalar) => Ok(Argument::Scalar(*scalar)),
    };
    args.iter().map(guarded).collect()
}

/// The module when its functions are about to be scheduled.
fn before_schedules(target: &Target, module: &IRModule) -> Result<IRModule, String> {
    let Sequential { name, mut passes } = pipelines::default_build(target);
    let position = passes.iter().position(|pass| pass.info().name == "ApplyDefaultSchedule");
    passes.truncate(position.ok_or("the pipeline schedules nothing")?);
    let interpreter = InterpCx::new(29);
    let mut cx = PassCx { evaluator: Some(&interpreter), ..PassCx::default() };
    cx.run(&Sequential { name, passes }, module.clone()).map_err(|error| error.to_string())
}

/// Whether a function has instructions of the machine's own, which only compiled code has a meaning for.
fn is_of_machine(function: &PrimFunc) -> bool {
    let mut found = false;
    walk(&function.body, |expr: &Expr| found |= matches!(&expr.kind, ExprKind::Foreign { .. }));
    found
}

/// Whether the trace makes the scheduled function of the one as it was.
fn replays(before: &IRModule, scheduled: &Scheduled) -> Result<(), String> {
    let mut again = Schedule::new(before);
    again.apply(&scheduled.trace).map_err(|error| format!("{error}\n{}", scheduled.trace))?;
    let mut function =
        again.module().prim("main").map(|function| (**function).clone()).ok_or("the function is missing")?;
    function.attrs.insert(IS_SCHEDULED.into(), Attr::Bool(true));
    let module = |function| {
        let mut module = IRModule::new();
        module.insert("main", GlobalFunc::from(function));
        module
    };
    let (first, second) = (module(scheduled.function.clone()), module(function));
    first.compare(&second).map_err(|path| format!("differs at {path}\n{}", scheduled.trace))
}
