//! The actions of tests on their inputs.

use std::sync::Arc;

use tilewright::ir::Attr;
use tilewright::ir::pass::{Pass, PassCx};
use tilewright::ir::tir::PrimFunc;
use tilewright::ir::verify::{Form, verify};
use tilewright::relax_passes::{BindParams, BindSymbolicVars, ParamKey};
use tilewright::schedule::{Names, Schedule};
use tilewright::script::parse::{Definition, NoHost, parse_file, parse_module};
use tilewright::script::print::{PrintOptions, print_module};
use tilewright::support::{Diagnostic, Diagnostics, SourceFile, nearest};
use tilewright::tir_passes::lower::GPU;
use tilewright::tir_passes::named::{Named, NamedOnModule, Options, named_module_pass, named_pass};
use tilewright::tir_passes::{Step, lower, lowering_passes};
use tilewright::{GlobalFunc, IRModule, Target, Tensor};
use tilewright_interp::InterpCx;

use crate::TestFile;
use crate::data::Values;
use crate::faults::Fault;

/// The text after `# test:`.
#[derive(Clone, Debug)]
pub enum Action {
    Parse,
    Print(Box<PrintOptions>),
    Opt(Vec<PassStep>),
    Lower,
    Diagnostics(Vec<PassStep>),
    Run,
}

/// One step from module to module.
#[derive(Clone)]
pub enum PassStep {
    /// A pass or pipeline.
    Pass(Arc<dyn Pass>),
    /// A step of the lowering, on every PrimFunc.
    Prim(&'static str, Step),
    /// A loop pass that programs ask for by name, with its options, on every PrimFunc.
    Named(&'static Named, Options),
    /// One over modules.
    NamedOnModule(&'static NamedOnModule, Options),
    /// `BindParams` of these parameters of `main`.
    Bind(Vec<String>),
    /// Calls of schedule primitives, one a line.
    Schedule(Vec<String>),
}

impl std::fmt::Debug for PassStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

const ACTIONS: [&str; 7] = ["parse", "print", "opt", "lower", "schedule", "diagnostics", "run"];
/// The names of the passes that need arguments.
pub(crate) const BIND_PARAMS: &str = "BindParams";
/// The name of a step of schedule primitives.
const SCHEDULE: &str = "Schedule";
pub(crate) const BIND_SYMBOLIC_VARS: &str = "BindSymbolicVars";

impl PassStep {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pass(pass) => pass.info().name,
            Self::Prim(name, _) => name,
            Self::Named(pass, _) => pass.name,
            Self::NamedOnModule(pass, _) => pass.name,
            Self::Bind(_) => BIND_PARAMS,
            Self::Schedule(_) => SCHEDULE,
        }
    }

    /// The step of this name.
    fn find(name: &str) -> Result<Self, String> {
        if let Some(params) = name.strip_prefix(BIND_PARAMS).and_then(|rest| rest.strip_prefix(':')) {
            return Ok(Self::Bind(params.split(',').map(str::to_owned).collect()));
        }
        if let Some(values) = name.strip_prefix(BIND_SYMBOLIC_VARS).and_then(|rest| rest.strip_prefix(':')) {
            let value = |text: &str| {
                let (name, value) = text.split_once('=')?;
                Some((name.to_owned(), value.parse().ok()?))
            };
            let values = values.split(',').map(value).collect::<Option<Vec<_>>>();
            let values =
                values.ok_or_else(|| format!("expected `{BIND_SYMBOLIC_VARS}:NAME=SIZE,…`, found `{name}`"))?;
            return Ok(Self::Pass(Arc::new(BindSymbolicVars::of_all(values))));
        }
        if let Some(pass) = name.strip_prefix("tir.") {
            let (pass, options) = pass.split_once(':').unwrap_or((pass, ""));
            let options = named_options(options)?;
            if let Some(pass) = named_module_pass(pass) {
                return Ok(Self::NamedOnModule(pass, options));
            }
            let known = named_pass(pass).ok_or_else(|| format!("there is no loop pass `{pass}`"))?;
            return Ok(Self::Named(known, options));
        }
        if let Some(&(name, step)) = lowering_passes().iter().chain(GPU.steps).find(|(known, _)| *known == name) {
            return Ok(Self::Prim(name, step));
        }
        tilewright::passes::by_name(name, &Target::host()).map(Self::Pass)
    }

    fn run(&self, module: IRModule, bound: &mut Vec<(String, Tensor)>) -> Result<IRModule, Diagnostics> {
        let interpreter = InterpCx::new(23);
        let mut cx = PassCx { evaluator: Some(&interpreter), ..PassCx::default() };
        match self {
            Self::Pass(pass) => cx.run(pass.as_ref(), module).map_err(|error| error.diagnostics),
            Self::Prim(_, step) => on_prim_funcs(module, |_, function| step.run(function)),
            Self::Named(pass, options) => on_prim_funcs(module, |_, function| (pass.run)(options, function)),
            Self::NamedOnModule(pass, options) => (pass.run)(options, &module),
            Self::Bind(params) => {
                let values = Values::for_params(&module, "main", params)?;
                let keys = values.iter().map(|(name, tensor)| (ParamKey::Name(name.clone()), tensor.clone()));
                let pass = BindParams::new("main", keys.collect::<Vec<_>>());
                bound.extend(values);
                cx.run(&pass, module).map_err(|error| error.diagnostics)
            }
            Self::Schedule(lines) => scheduled(&module, lines),
        }
    }
}

/// Options as `name=value,…`, of which a value is a number or a text.
fn named_options(text: &str) -> Result<Options, String> {
    let mut options = Options::new();
    for option in text.split(',').filter(|option| !option.is_empty()) {
        let (name, value) = option.split_once('=').ok_or_else(|| format!("expected NAME=VALUE, found `{option}`"))?;
        let value = value.parse().map_or_else(|_| Attr::Str(value.into()), Attr::Int);
        options.insert(name.into(), value);
    }
    Ok(options)
}

/// The module after calls of schedule primitives, which is well-formed.
fn scheduled(module: &IRModule, lines: &[String]) -> Result<IRModule, Diagnostics> {
    let (mut schedule, mut names) = (Schedule::new(module), Names::default());
    register_intrinsics(&mut schedule, module).map_err(|message| Diagnostic::error("", message))?;
    for line in lines {
        let note = format!("in the step `{line}`");
        let refused = |found: Diagnostics| Diagnostics(found.0.into_iter().map(|one| one.note(note.clone())).collect());
        schedule.run_line(&mut names, line).map_err(refused)?;
    }
    verify(schedule.module(), Form::Any)?;
    Ok(schedule.module().clone())
}

/// Functions `x_desc` and `x_impl` are the description and the implementation of a tensor intrinsic `x`.
fn register_intrinsics(schedule: &mut Schedule, module: &IRModule) -> Result<(), String> {
    for (name, function) in module.iter() {
        if let (Some(stem), GlobalFunc::Prim(desc)) = (name.strip_suffix("_desc"), function)
            && let Some(implementation) = module.prim(&format!("{stem}_impl"))
        {
            schedule.register_intrinsic(stem, desc, implementation)?;
        }
    }
    Ok(())
}

fn on_prim_funcs(
    mut module: IRModule,
    change: impl Fn(&str, &PrimFunc) -> Result<PrimFunc, Diagnostics>,
) -> Result<IRModule, Diagnostics> {
    let functions: Vec<_> = module.iter().map(|(name, function)| (name.clone(), function.clone())).collect();
    for (name, function) in functions {
        if let GlobalFunc::Prim(function) = function {
            let changed = change(&name, &function)?;
            module.insert(name, changed);
        }
    }
    Ok(module)
}

impl Action {
    /// The action of a test line; `lines` are the steps of a schedule.
    pub(crate) fn parse(text: &str, lines: &[String]) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let Some(kind) = words.next() else { return Err(format!("expected one of {}", ACTIONS.join(", "))) };
        let (mut steps, mut print) = (Vec::new(), PrintOptions::default());
        while let Some(option) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("`{option}` needs a value"));
            match (kind, option) {
                ("opt" | "diagnostics", "--pass") => steps.push(PassStep::find(value()?)?),
                ("print", "--meta") => print.show_meta = true,
                ("print", "--width") => {
                    let width = value()?;
                    let number = width.parse().map_err(|_| format!("`--width` needs a number, found `{width}`"))?;
                    print.width = Some(number);
                }
                _ => return Err(format!("unknown option `{option}` of `{kind}`")),
            }
        }
        if !lines.is_empty() {
            steps.push(PassStep::Schedule(lines.to_vec()));
        }
        match kind {
            "schedule" if steps.is_empty() => Err("`schedule` needs at least one line `# step: …`".to_owned()),
            "schedule" => Ok(Self::Opt(steps)),
            _ if !lines.is_empty() && kind != "diagnostics" => Err(format!("`{kind}` has no steps")),
            "parse" => Ok(Self::Parse),
            "print" => Ok(Self::Print(Box::new(print))),
            "opt" if steps.is_empty() => Err("`opt` needs at least one `--pass`".to_owned()),
            "opt" => Ok(Self::Opt(steps)),
            "lower" => Ok(Self::Lower),
            "diagnostics" => Ok(Self::Diagnostics(steps)),
            "run" => Ok(Self::Run),
            _ => Err(match nearest(kind, ACTIONS) {
                Some(near) => format!("unknown test `{kind}`: did you mean `{near}`?"),
                None => format!("unknown test `{kind}`: expected one of {}", ACTIONS.join(", ")),
            }),
        }
    }

    /// The passes that the test runs.
    pub fn steps(&self) -> &[PassStep] {
        match self {
            Self::Opt(steps) | Self::Diagnostics(steps) => steps,
            _ => &[],
        }
    }
}

/// The result of a test.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) result: Output,
    /// Before the passes, where there is a module at all.
    pub(crate) before: Option<IRModule>,
    /// Parameters that were bound on the way.
    pub(crate) bound: Vec<(String, Tensor)>,
}

#[derive(Debug)]
pub(crate) enum Output {
    Module(IRModule),
    Text(String),
    Errors(Diagnostics),
}

/// The module of a text, or one of the functions outside of modules in it.
pub(crate) fn read(name: &str, text: &str) -> Result<IRModule, Diagnostics> {
    let file = SourceFile::new(name, text);
    let mut functions = IRModule::new();
    for item in parse_file(&file, &NoHost)?.items {
        match item.definition {
            Definition::Module(_) => return parse_module(&file, &NoHost),
            Definition::Prim(function) => functions.insert(item.name, GlobalFunc::Prim(function)),
            Definition::Relax(function) => functions.insert(item.name, GlobalFunc::Relax(function)),
        };
    }
    if functions.is_empty() { parse_module(&file, &NoHost) } else { Ok(functions) }
}

/// Performs the action of the test, with a fault planted after its pass.
pub(crate) fn perform(test: &TestFile, fault: Option<&Fault>) -> Outcome {
    let mut bound = Vec::new();
    let before = match read(&test.name, &test.input) {
        Ok(module) => module,
        Err(errors) => return Outcome { result: Output::Errors(errors), before: None, bound },
    };
    let result = match &test.action {
        Action::Parse | Action::Run => Ok(Output::Module(before.clone())),
        Action::Print(options) => Ok(Output::Text(print_module(&before, options))),
        Action::Lower => {
            let low =
                on_prim_funcs(before.clone(), |name, function| lower(name, function).map(|low| low.function().clone()));
            low.map(Output::Module)
        }
        Action::Opt(steps) | Action::Diagnostics(steps) => steps
            .iter()
            .try_fold(before.clone(), |module, step| {
                let module = step.run(module, &mut bound)?;
                Ok(match fault {
                    Some(fault) if fault.pass == step.name() => (fault.corrupt)(&module),
                    _ => module,
                })
            })
            .map(Output::Module),
    };
    Outcome { result: result.unwrap_or_else(Output::Errors), before: Some(before), bound }
}
