//! A schedule in the making.

mod parse;

use std::fmt;
use std::sync::Arc;

use tilewright_expr::node::{Path, Step};
use tilewright_ir::tir::{Expr, PrimFunc, Stmt};
use tilewright_ir::{Attr, GlobalFunc, IRModule};
use tilewright_support::{Diagnostic, Map, nearest};

use crate::build::unique::with_unique_keys;
use crate::primitive::seed::{next_seed, scattered};
use crate::primitive::{self, Call, Default, Fault, Intrinsics, Primitive, Results, TensorIntrin, Value};
use crate::registry;
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
}

/// Why a call was refused. Nothing has changed then.
#[derive(Clone, Debug)]
pub struct ScheduleError {
    /// As users call it.
    pub primitive: &'static str,
    pub message: String,
    /// The function, and the path from the module to the block or loop that is concerned.
    pub place: Option<(Arc<str>, Path)>,
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

    /// The block or loop that a handle stands for; `None` where it is gone.
    pub fn stmt(&self, rv: Rv) -> Option<Stmt> {
        match self.handles.get(rv.number)? {
            Handle::Place(name, key) => find(&self.module.prim(name)?.body, key).map(|site| site.stmt),
            Handle::Expr(_) => None,
        }
    }

    /// The function and the key of the block or loop that a handle stands for.
    pub(crate) fn place_of(&self, rv: Rv) -> Option<(&str, &Key)> {
        match self.handles.get(rv.number)? {
            Handle::Place(name, key) => Some((name, key)),
            Handle::Expr(_) => None,
        }
    }

    /// The scalar that a handle stands for.
    pub fn expr(&self, rv: Rv) -> Option<&Expr> {
        match self.handles.get(rv.number)? {
            Handle::Expr(expr) => Some(expr),
            Handle::Place(..) => None,
        }
    }

    /// Calls a primitive by its name with arguments by position and by name.
    pub fn call_with(
        &mut self,
        name: &str,
        mut positional: Vec<Arg>,
        mut named: Vec<(String, Arg)>,
    ) -> Result<Output, ScheduleError> {
        let wrong = |primitive, message| ScheduleError { primitive, message, place: None };
        let Some(primitive) = registry::by_name(name) else {
            let near = nearest(name, registry::all().map(|known| known.method));
            let hint = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
            return Err(wrong("schedule", format!("there is no primitive `{name}`{hint}")));
        };
        registry::translate(name, &mut positional, &mut named)
            .map_err(|message| wrong(primitive.method, message.to_owned()))?;
        let mut args: Vec<Option<Arg>> = match primitive.params.first() {
            Some((name, _)) if name.starts_with('*') && !matches!(positional.as_slice(), [Arg::List(_)]) => {
                vec![Some(Arg::List(positional))]
            }
            _ => positional.into_iter().map(Some).collect(),
        };
        if args.len() > primitive.params.len() {
            let message = format!("expected at most {} arguments, found {}", primitive.params.len(), args.len());
            return Err(wrong(primitive.method, message));
        }
        args.resize(primitive.params.len(), None);
        for (name, arg) in named {
            let name = primitive.param(&name);
            match primitive.params.iter().position(|(known, _)| known.trim_start_matches('*') == name) {
                Some(at) if args.get(at).is_some_and(Option::is_none) => args[at] = Some(arg),
                Some(_) => return Err(wrong(primitive.method, format!("argument `{name}` is given twice"))),
                None => return Err(wrong(primitive.method, format!("there is no argument `{name}`"))),
            }
        }
        let complete = args.into_iter().zip(primitive.params).map(|(arg, (name, default))| {
            arg.or_else(|| default_arg(*default))
                .ok_or_else(|| wrong(primitive.method, format!("argument `{name}` is missing")))
        });
        let args = complete.collect::<Result<Vec<Arg>, ScheduleError>>()?;
        self.call(primitive, args)
    }

    /// Calls a primitive with one argument for each parameter.
    pub fn call(&mut self, primitive: &'static Primitive, args: Vec<Arg>) -> Result<Output, ScheduleError> {
        let name = self.function_of(primitive, &args);
        let name = name.map_err(|message| ScheduleError { primitive: primitive.method, message, place: None })?;
        let failed = |fault: Fault| {
            let of_function = |path: Path| {
                let steps = [Step::field("functions"), Step::Key(name.clone())];
                (name.clone(), Path(steps.into_iter().chain(path.0).collect()))
            };
            ScheduleError { primitive: primitive.method, message: fault.message, place: fault.path.map(of_function) }
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
    fn function_of(&self, primitive: &Primitive, args: &[Arg]) -> Result<Arc<str>, String> {
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
                    None => return Err(format!("`{rv}` is no handle of this schedule")),
                },
                Arg::List(items) => pending.extend(items.iter().rev()),
                Arg::Expr(_) | Arg::Attr(_) => {}
            }
        }
        let several = "the module has several PrimFuncs: say with `work_on` which one is meant";
        self.working_on.clone().ok_or_else(|| several.to_owned())
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
                None => return Err(Fault::of_call(format!("`{rv}` is no handle of this schedule"))),
            },
            Arg::Expr(expr) => Value::Expr(expr.clone()),
            Arg::Attr(attr) => Value::Attr(attr.clone()),
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
                return Err(ScheduleError { primitive: instruction.primitive.method, message, place: None });
            }
            known.extend(instruction.output.rvs().iter().copied().zip(output.rvs().iter().copied()));
        }
        Ok(())
    }
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
