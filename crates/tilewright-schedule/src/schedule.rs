//! A schedule in the making.

mod arguments;
mod parse;
pub(crate) mod state;

use std::fmt;
use std::sync::Arc;

use tilewright_expr::node::{Path, Step};
use tilewright_ir::tir::{Expr, PrimFunc, Stmt};
use tilewright_ir::{Attr, GlobalFunc, IRModule};
use tilewright_support::{Diagnostic, Map};

use crate::build::unique::with_unique_keys;
use crate::primitive::seed::{next_seed, scattered};
use crate::primitive::{self, Call, Default, Fault, FaultKind, Intrinsics, Primitive, Results, TensorIntrin, Value};
use crate::site::{Key, find};
use crate::trace::{Arg, Instruction, Output, Rv, Sort, Trace};

pub use parse::Names;

/// A module, the handles that were given out for its blocks and loops, and what was done to it.
#[derive(Clone, Debug)]
pub struct Schedule {
    module: IRModule,
    /// The function that primitives work on which begin with a name.
    working_on: Option<Arc<str>>,
    handles: Vec<Handle>,
    trace: Trace,
    intrinsics: Intrinsics,
    /// Another number for every call.
    seed: u64,
}

/// What a handle stands for: a place in a function, or a scalar.
#[derive(Clone, Debug)]
enum Handle {
    Place(Arc<str>, Key),
    Expr(Expr),
    /// The user has given the handle back.
    Removed,
}

/// Why a call was refused. Nothing has changed then.
#[derive(Clone, Debug)]
pub struct ScheduleError {
    /// As users call it.
    pub primitive: &'static str,
    pub message: String,
    /// The function, and the path from the module to the block or loop that is concerned.
    pub place: Option<(Arc<str>, Path)>,
    pub kind: FaultKind,
}

impl ScheduleError {
    /// `TW0706` where a condition of the primitive does not hold at a place, `TW0707` where the call itself is wrong.
    pub fn code(&self) -> &'static str {
        if self.place.is_some() { "TW0706" } else { "TW0707" }
    }

    /// The error as those of texts and passes are.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::error(self.code(), self.to_string())
    }
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` cannot be applied: {}", self.primitive, self.message)
    }
}

impl std::error::Error for ScheduleError {}

impl Schedule {
    /// A schedule of a module's PrimFuncs; primitives that begin with a name work on `main`, or the only one.
    pub fn new(module: &IRModule) -> Self {
        let mut module = module.clone();
        let names: Vec<Arc<str>> = module.iter().map(|(name, _)| name.clone()).collect();
        let mut prims = Vec::new();
        for name in names {
            if let Some(function) = module.prim(&name).map(|function| with_unique_keys(function)) {
                module.insert(name.clone(), GlobalFunc::from(function));
                prims.push(name);
            }
        }
        let main = prims.iter().find(|name| &***name == "main").cloned();
        let working_on = main.or_else(|| if prims.len() == 1 { prims.pop() } else { None });
        Self {
            module,
            working_on,
            handles: Vec::new(),
            trace: Trace::default(),
            intrinsics: Intrinsics::new(),
            seed: 1,
        }
    }

    /// What is drawn from now on follows from this number.
    pub fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    /// A number that another schedule may begin with; what this one draws from now on is another.
    pub fn fork_seed(&mut self) -> u64 {
        self.seed = next_seed(self.seed);
        scattered(self.seed)
    }

    /// Gives a computation, and what does the same, a name for `tensorize`: functions whose parameters are buffers
    /// alike.
    pub fn register_intrinsic(&mut self, name: &str, desc: &PrimFunc, implementation: &PrimFunc) -> Result<(), String> {
        let (described, given) = (desc.params.len(), implementation.params.len());
        if described != given {
            return Err(format!("`{name}`: the description has {described} parameters, the implementation {given}"));
        }
        let intrinsic = TensorIntrin { desc: desc.clone(), implementation: implementation.clone() };
        self.intrinsics.insert(name.into(), intrinsic);
        Ok(())
    }

    /// The computations that `tensorize` knows by name.
    pub fn intrinsics(&self) -> &Intrinsics {
        &self.intrinsics
    }

    /// Knows these computations by name from now on.
    pub fn set_intrinsics(&mut self, intrinsics: Intrinsics) {
        self.intrinsics = intrinsics;
    }

    /// The module as it is now.
    pub fn module(&self) -> &IRModule {
        &self.module
    }

    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The function that primitives work on which begin with a name.
    pub fn working_on(&self) -> Option<&str> {
        self.working_on.as_deref()
    }

    /// Primitives that begin with a name work on this function from now on.
    pub fn work_on(&mut self, name: &str) -> Result<(), String> {
        match self.module.prim(name) {
            Some(_) => {
                self.working_on = Some(name.into());
                Ok(())
            }
            None => Err(format!("the module has no PrimFunc `{name}`")),
        }
    }

    /// Forgets a handle: it stands for nothing from now on.
    pub fn remove(&mut self, rv: Rv) -> bool {
        match self.handles.get_mut(rv.number) {
            Some(handle) if !matches!(handle, Handle::Removed) => {
                *handle = Handle::Removed;
                true
            }
            _ => false,
        }
    }

    /// Whether the schedule has given out the handle, and has it still.
    pub fn knows(&self, rv: Rv) -> bool {
        self.handles.get(rv.number).is_some_and(|handle| !matches!(handle, Handle::Removed))
    }

    /// The block or loop that a handle stands for; `None` where it is gone.
    pub fn stmt(&self, rv: Rv) -> Option<Stmt> {
        match self.handles.get(rv.number)? {
            Handle::Place(name, key) => find(&self.module.prim(name)?.body, key).map(|site| site.stmt),
            Handle::Expr(_) | Handle::Removed => None,
        }
    }

    /// The function and the key of the block or loop that a handle stands for.
    pub(crate) fn place_of(&self, rv: Rv) -> Option<(&str, &Key)> {
        match self.handles.get(rv.number)? {
            Handle::Place(name, key) => Some((name, key)),
            Handle::Expr(_) | Handle::Removed => None,
        }
    }

    /// The scalar that a handle stands for.
    pub fn expr(&self, rv: Rv) -> Option<&Expr> {
        match self.handles.get(rv.number)? {
            Handle::Expr(expr) => Some(expr),
            Handle::Place(..) | Handle::Removed => None,
        }
    }

    /// Calls a primitive with one argument for each parameter.
    pub fn call(&mut self, primitive: &'static Primitive, args: Vec<Arg>) -> Result<Output, ScheduleError> {
        let name = self.function_of(primitive, &args);
        let name = name.map_err(|fault| ScheduleError {
            primitive: primitive.method,
            message: fault.message,
            place: None,
            kind: fault.kind,
        })?;
        let failed = |fault: Fault| {
            let of_function = |path: Path| {
                let steps = [Step::field("functions"), Step::Key(name.clone())];
                (name.clone(), Path(steps.into_iter().chain(path.0).collect()))
            };
            let (message, place) = (fault.message, fault.path.map(of_function));
            ScheduleError { primitive: primitive.method, message, place, kind: fault.kind }
        };
        let values: Vec<Value> =
            args.iter().map(|arg| self.value(&name, arg)).collect::<Result<_, _>>().map_err(&failed)?;
        let function = primitive::prim_func(&self.module, &name).map_err(&failed)?.clone();
        let seed = scattered(self.seed);
        let call = Call { function: &function, args: &values, intrinsics: &self.intrinsics, seed };
        let outcome = (primitive.run)(&call).map_err(&failed)?;
        self.seed = next_seed(self.seed);
        if let Some(changed) = outcome.function {
            self.follow_bare(&name, &function, &changed);
            for (from, to) in outcome.moved {
                self.move_handles(&name, &from, &to);
            }
            self.module.insert(name.clone(), changed);
        }
        let (mut args, mut results) = (args, outcome.results);
        if let Results::Decided(of, decision) = results {
            if let Some(last) = args.last_mut() {
                *last = Arg::Attr(decision);
            }
            results = *of;
        }
        let output = self.give_out(&name, results);
        self.trace.instructions.push(Instruction { primitive, args, output: output.clone() });
        Ok(output)
    }

    /// Which function a call works on: that of its first handle, or the one that it names.
    fn function_of(&self, primitive: &Primitive, args: &[Arg]) -> Result<Arc<str>, Fault> {
        if let Some(at) = primitive.params.iter().position(|(name, _)| *name == "func_name")
            && let Some(Arg::Attr(Attr::Str(name))) = args.get(at)
        {
            return Ok(name.clone());
        }
        let mut pending: Vec<&Arg> = args.iter().rev().collect();
        while let Some(arg) = pending.pop() {
            match arg {
                Arg::Rv(rv) => match self.handles.get(rv.number) {
                    Some(Handle::Place(name, _)) => return Ok(name.clone()),
                    Some(Handle::Expr(_)) => {}
                    Some(Handle::Removed) | None => return Err(unknown(*rv)),
                },
                Arg::List(items) => pending.extend(items.iter().rev()),
                Arg::Expr(_) | Arg::Attr(_) | Arg::Buffer(_) | Arg::Slot { .. } => {}
            }
        }
        let several = "the module has several PrimFuncs: say with `work_on` which one is meant";
        self.working_on.clone().ok_or_else(|| Fault::of_call(several))
    }

    /// An argument with its handles resolved.
    fn value(&self, function: &str, arg: &Arg) -> Result<Value, Fault> {
        Ok(match arg {
            Arg::Rv(rv) => match self.handles.get(rv.number) {
                Some(Handle::Place(name, key)) if **name == *function => Value::Site(key.clone()),
                Some(Handle::Expr(expr)) => Value::Expr(expr.clone()),
                Some(Handle::Place(name, _)) => {
                    return Err(Fault::of_call(format!("`{rv}` belongs to function `{name}`, others to `{function}`")));
                }
                Some(Handle::Removed) | None => return Err(unknown(*rv)),
            },
            Arg::Expr(expr) => Value::Expr(expr.clone()),
            Arg::Attr(attr) => Value::Attr(attr.clone()),
            Arg::Slot { write, index } => {
                let kind = Attr::str(if *write { "write" } else { "read" });
                Value::List(vec![Value::Attr(kind), Value::Attr(Attr::Int(*index))])
            }
            Arg::Buffer(buffer) => {
                let message = format!("no buffer is expected here, found `{}`", buffer.name);
                return Err(Fault::of_kind(FaultKind::Argument, message));
            }
            Arg::List(items) => {
                Value::List(items.iter().map(|item| self.value(function, item)).collect::<Result<_, _>>()?)
            }
        })
    }

    fn give_out(&mut self, function: &Arc<str>, results: Results) -> Output {
        let mut give = |key: Key| {
            let rv = Rv::of(&key, self.handles.len());
            self.handles.push(Handle::Place(function.clone(), key));
            rv
        };
        match results {
            Results::Nothing => Output::Nothing,
            Results::One(key) => Output::One(give(key)),
            Results::List(keys) => Output::List(keys.into_iter().map(give).collect()),
            Results::Decided(of, _) => self.give_out(function, *of),
            Results::Scalar(value) => Output::One(self.give_scalar(value)),
            Results::Scalars(values) => Output::List(values.into_iter().map(|value| self.give_scalar(value)).collect()),
        }
    }

    fn give_scalar(&mut self, value: Expr) -> Rv {
        self.handles.push(Handle::Expr(value));
        Rv { sort: Sort::Expr, number: self.handles.len() - 1 }
    }

    fn move_handles(&mut self, function: &str, from: &Key, to: &Key) {
        for handle in &mut self.handles {
            if let Handle::Place(name, key) = handle
                && **name == *function
                && key == from
            {
                *key = to.clone();
            }
        }
    }

    /// A block without axes is known by its number among those of its name: where there are now more or fewer, which
    /// one a handle stood for is not known any more.
    fn follow_bare(&mut self, function: &str, before: &PrimFunc, after: &PrimFunc) {
        let (before, after) = (bare_blocks(before), bare_blocks(after));
        let gone = Key::Bare("".into(), usize::MAX);
        for handle in &mut self.handles {
            if let Handle::Place(name, key) = handle
                && **name == *function
                && let Key::Bare(block, _) = &*key
                && before.get(block) != after.get(block)
            {
                *key = gone.clone();
            }
        }
    }

    /// Does again what a trace says.
    pub fn apply(&mut self, trace: &Trace) -> Result<(), ScheduleError> {
        let mut known: Map<Rv, Rv> = Map::default();
        for instruction in &trace.instructions {
            let args = instruction.args.iter().map(|arg| renamed(arg, &known)).collect();
            let output = self.call(instruction.primitive, args)?;
            if output.rvs().len() != instruction.output.rvs().len() {
                let (expected, found) = (instruction.output.rvs().len(), output.rvs().len());
                let message = format!("the trace had {expected} handles of this call, here it gives {found}");
                let (primitive, kind) = (instruction.primitive.method, FaultKind::Condition);
                return Err(ScheduleError { primitive, message, place: None, kind });
            }
            known.extend(instruction.output.rvs().iter().copied().zip(output.rvs().iter().copied()));
        }
        Ok(())
    }
}

fn unknown(rv: Rv) -> Fault {
    Fault::of_kind(FaultKind::Unknown, format!("`{rv}` is no handle of this schedule"))
}

fn renamed(arg: &Arg, known: &Map<Rv, Rv>) -> Arg {
    match arg {
        Arg::Rv(rv) => Arg::Rv(known.get(rv).copied().unwrap_or(*rv)),
        Arg::List(items) => Arg::List(items.iter().map(|item| renamed(item, known)).collect()),
        other => other.clone(),
    }
}

fn default_arg(default: Default) -> Option<Arg> {
    Some(Arg::Attr(match default {
        Default::Required => return None,
        Default::None => Attr::None,
        Default::Bool(value) => Attr::Bool(value),
        Default::Int(value) => Attr::Int(value),
        Default::Str(text) => Attr::str(text),
    }))
}

/// How many blocks without axes there are of each name.
fn bare_blocks(function: &PrimFunc) -> Map<Arc<str>, usize> {
    let mut found: Map<Arc<str>, usize> = Map::default();
    crate::site::search(&function.body, |stmt, _| {
        if let tilewright_ir::tir::StmtKind::Block { block, .. } = &stmt.kind
            && block.iters.is_empty()
        {
            *found.entry(block.name.clone()).or_insert(0) += 1;
        }
        None::<()>
    });
    found
}
