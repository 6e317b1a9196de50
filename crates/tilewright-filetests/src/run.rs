//! Run lines: the same arguments through the interpreter and through compiled code, before and after the passes.

use std::cell::OnceCell;
use std::sync::Arc;

use tilewright::ir::interface::KernelInterface;
use tilewright::ir::node::walk;
use tilewright::ir::tir::{ForKind, PrimFunc, Stmt, StmtKind};
use tilewright::runtime::device::{copy_elements, test_device};
use tilewright::runtime::program::Kind;
use tilewright::runtime::{Device, DeviceKind, Error, registry};
use tilewright::{
    CompileOptions, GlobalFunc, IRModule, Pass, Sequential, Target, Tensor, Value, VirtualMachine, pipelines,
};
use tilewright_interp::{Arg, InterpCx, Random, Value as Interpreted};

use crate::action::{Outcome, Output, perform};
use crate::compare::Plain;
use crate::data::{Argument, Spec, Values};
use crate::{Action, PassStep, TestFile};

/// Allowed by default, relative to the largest value: `a * b + c` within one expression may be contracted.
const TOLERANCE: f64 = 1e-5;
pub(crate) const COPY: &str = "test.copy";
pub(crate) const LAST: &str = "test.last";

/// The text after `# run:`.
#[derive(Clone, Debug)]
pub struct RunLine {
    /// The line itself, for reports.
    pub text: String,
    function: String,
    /// `None`: made from the signature.
    args: Option<Vec<Spec>>,
    values: Values,
    tolerance: f64,
    /// `None`: whoever can.
    only: Option<Runner>,
    /// A function of the module that says in its place what the function after the passes computes.
    reference: Option<String>,
    /// `None`: `same`.
    result: Option<Spec>,
}

/// The executor of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Runner {
    Interpreter,
    Compiled,
}

impl RunLine {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (call, result) = text.split_once("==").ok_or("a run line needs `== same` or `== VALUE`")?;
        let (call, result) = (call.trim(), result.trim());
        let end = call.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(call.len());
        let (function, rest) = call.split_at(end);
        let (args, options) = match rest.trim_start().strip_prefix('(') {
            Some(inside) => {
                let (args, options) = inside.rsplit_once(')').ok_or("a run line lacks its `)`")?;
                (Some(specs(args)?), options)
            }
            None => (None, rest),
        };
        let mut values = Values { seed: 0, special: false, dims: Vec::new() };
        let (mut tolerance, mut only, mut reference) = (TOLERANCE, None, None);
        for option in options.split_whitespace() {
            let unknown = || format!("unknown option `{option}` of a run line");
            match option.split_once('=') {
                None if option == "special" => values.special = true,
                None => return Err(unknown()),
                Some(("seed", seed)) => values.seed = seed.parse().map_err(|_| unknown())?,
                Some(("tol", value)) => tolerance = value.parse().map_err(|_| unknown())?,
                Some(("reference", name)) => reference = Some(name.to_owned()),
                Some(("only", "interpreter")) => only = Some(Runner::Interpreter),
                Some(("only", "compiled")) => only = Some(Runner::Compiled),
                Some((name, value)) => values.dims.push((name.to_owned(), value.parse().map_err(|_| unknown())?)),
            }
        }
        let result = if result == "same" { None } else { Some(Spec::parse(result)?) };
        if only.is_some() && result.is_none() {
            return Err("a run line for one alone states its result".to_owned());
        }
        Ok(Self {
            text: text.to_owned(),
            function: function.to_owned(),
            args,
            values,
            tolerance,
            only,
            reference,
            result,
        })
    }

    pub(crate) fn function(&self) -> &str {
        &self.function
    }

    pub(crate) fn is_run_by(&self, runner: Runner) -> bool {
        self.reference.is_none() && self.only.is_none_or(|only| only == runner)
    }

    fn arguments(&self, module: &IRModule) -> Result<Vec<Argument>, String> {
        let Some(specs) = &self.args else { return self.values.for_function(module, &self.function) };
        let mut random = Random::new(self.values.seed);
        specs.iter().map(|spec| spec.argument(&self.values, &mut random)).collect()
    }
}

/// Specs between commas that are in no bracket.
fn specs(text: &str) -> Result<Vec<Spec>, String> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.into_iter().filter(|part| !part.trim().is_empty()).map(Spec::parse).collect()
}

/// The reference: the interpreter's result before the passes; also compared with the result in the line.
fn meaning(test: &TestFile, line: &RunLine, outcome: &Outcome) -> Result<(Vec<Argument>, Plain), String> {
    let before = outcome.before.as_ref().ok_or("the text is not read")?;
    let mut args = line.arguments(before)?;
    if let Some(GlobalFunc::Relax(function)) = before.get(&line.function) {
        for (param, arg) in function.params.iter().zip(&mut args) {
            if let Some((_, tensor)) = outcome.bound.iter().find(|(name, _)| **name == *param.name) {
                *arg = Argument::Tensor(tensor.clone());
            }
        }
    }
    let result = interpret(before, &line.function, &args, Flat::No).map_err(|e| format!("{}: {e}", test.name))?;
    is_as_stated(line, before, &result)?;
    Ok((args, result))
}

/// Whether a result is what the line states, if it states one.
fn is_as_stated(line: &RunLine, module: &IRModule, result: &Plain) -> Result<(), String> {
    let Some(stated) = &line.result else { return Ok(()) };
    let Argument::Tensor(stated) = stated.argument(&line.values, &mut Random::new(0))? else {
        return Err("a result is stated as a tensor".to_owned());
    };
    let found = match (result, module.get(&line.function)) {
        (Plain::Tuple(tensors), Some(GlobalFunc::Prim(_))) => tensors.last().unwrap_or(result),
        _ => result,
    };
    Plain::Tensor(stated).agree(found, line.tolerance).map_err(|e| format!("the stated result: {e}"))
}

/// The arguments that are left after parameters were bound.
fn unbound(outcome: &Outcome, function: &str, args: &[Argument]) -> Vec<Argument> {
    let Some(GlobalFunc::Relax(function)) = outcome.before.as_ref().and_then(|m| m.get(function)) else {
        return args.to_vec();
    };
    let is_bound = |name: &str| outcome.bound.iter().any(|(bound, _)| bound == name);
    function.params.iter().zip(args).filter(|(param, _)| !is_bound(&param.name)).map(|(_, arg)| arg.clone()).collect()
}

fn after(outcome: &Outcome) -> Result<&IRModule, String> {
    match &outcome.result {
        Output::Module(module) => Ok(module),
        Output::Errors(errors) => Err(errors.to_string()),
        Output::Text(_) => outcome.before.as_ref().ok_or_else(|| "the text is not read".to_owned()),
    }
}

/// The modules of a test, each compiled on first use.
#[derive(Default)]
struct Machines {
    before: OnceCell<VirtualMachine>,
    after: OnceCell<VirtualMachine>,
}

/// Whether a run line of the test is for the device: the interpreter's are the host's.
pub(crate) fn runs_on(test: &TestFile, device: Device) -> bool {
    test.runs.iter().any(|line| device == Device::cpu() || line.is_run_by(Runner::Compiled))
}

/// All run lines of a test on a device; on the host through the interpreter, too.
pub(crate) fn check_runs(test: &TestFile, device: Device) -> Result<(), String> {
    let (outcome, machines) = (perform(test, None), Machines::default());
    let problems: Vec<String> = test
        .runs
        .iter()
        .filter_map(|line| check(test, line, &outcome, device, &machines).err().map(|e| format!("{}: {e}", line.text)))
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

fn check(
    test: &TestFile,
    line: &RunLine,
    outcome: &Outcome,
    device: Device,
    machines: &Machines,
) -> Result<(), String> {
    if let Some(reference) = &line.reference {
        let before = outcome.before.as_ref().ok_or("the text is not read")?;
        let args = line.arguments(before)?;
        let meaning = interpret(before, reference, &args, Flat::No)?;
        let found = interpret(after(outcome)?, &line.function, &args, Flat::No)?;
        return meaning.agree(&found, line.tolerance).map_err(|e| format!("not as `{reference}`: {e}"));
    }
    if !line.is_run_by(Runner::Interpreter) {
        let before = outcome.before.as_ref().ok_or("the text is not read")?;
        let args = line.arguments(before)?;
        let found = of_machine(&machines.before, before, default_build, &line.function, &args, device)?;
        return is_as_stated(line, before, &found);
    }
    let (args, meaning) = meaning(test, line, outcome)?;
    if device == Device::cpu() {
        agrees_interpreted(test, line, outcome, &args, &meaning)?;
    }
    match line.is_run_by(Runner::Compiled) {
        true => agrees_compiled(test, line, outcome, device, machines, &args, &meaning),
        false => Ok(()),
    }
}

/// The interpreter after the passes, against the meaning.
pub(crate) fn check_interpreter(test: &TestFile, line: &RunLine, outcome: &Outcome) -> Result<(), String> {
    let (args, meaning) = meaning(test, line, outcome)?;
    agrees_interpreted(test, line, outcome, &args, &meaning)
}

fn agrees_interpreted(
    test: &TestFile,
    line: &RunLine,
    outcome: &Outcome,
    args: &[Argument],
    meaning: &Plain,
) -> Result<(), String> {
    let steps = test.action.steps();
    let is_flat = matches!(test.action, Action::Lower) || steps.iter().any(|step| step.name() == "flatten_buffers");
    let flat = match (is_flat, outcome.before.as_ref().and_then(|m| m.prim(&line.function))) {
        (true, Some(before)) => Flat::Of(before),
        _ => Flat::No,
    };
    let args = unbound(outcome, &line.function, args);
    let found = interpret(after(outcome)?, &line.function, &args, flat)?;
    meaning.agree(&found, line.tolerance).map_err(|e| format!("the interpreter after the passes: {e}"))
}

/// Compiled code before and after the passes, against the meaning.
fn agrees_compiled(
    test: &TestFile,
    line: &RunLine,
    outcome: &Outcome,
    device: Device,
    machines: &Machines,
    args: &[Argument],
    meaning: &Plain,
) -> Result<(), String> {
    let before = outcome.before.as_ref().ok_or("the text is not read")?;
    let found = of_machine(&machines.before, before, default_build, &line.function, args, device)?;
    meaning.agree(&found, line.tolerance).map_err(|e| format!("compiled before the passes: {e}"))?;
    let for_gpu = after(outcome).is_ok_and(has_gpu_threads);
    let has_threads = !matches!(device.kind, DeviceKind::Cpu | DeviceKind::ExtDev);
    if !compiles_after(test, line, outcome) || (for_gpu && !has_threads) {
        return Ok(());
    }
    let args = unbound(outcome, &line.function, args);
    let found = of_machine(&machines.after, after(outcome)?, || remaining(test), &line.function, &args, device)?;
    meaning.agree(&found, line.tolerance).map_err(|e| format!("compiled after the passes: {e}"))
}

fn default_build() -> Sequential {
    pipelines::default_build(&Target::host())
}

/// Whether what the passes leave is compiled, too.
pub(crate) fn compiles_after(test: &TestFile, line: &RunLine, outcome: &Outcome) -> bool {
    let steps = test.action.steps();
    // A lowered function is in no form that the compiler takes as its input.
    let lowered = steps.iter().any(|step| matches!(step, PassStep::Prim(..)));
    !(steps.is_empty() || lowered || outcome.bound.iter().any(|_| line.args.is_some()))
}

/// Whether a PrimFunc is bound to threads of a GPU: a processor does not compile it.
pub(crate) fn has_gpu_threads(module: &IRModule) -> bool {
    let is_bound = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::For { kind: ForKind::ThreadBinding(_), .. });
    let mut found = false;
    for (_, function) in module.iter() {
        if let GlobalFunc::Prim(function) = function {
            walk(&function.body, |stmt: &Stmt| found |= is_bound(stmt));
        }
    }
    found
}

/// The build's passes that follow those that the test has run, as far as those have changed the module's form.
fn remaining(test: &TestFile) -> Sequential {
    let mut build = default_build();
    let steps = test.action.steps();
    let changes_form = |pass: &Arc<dyn Pass>| pass.info().from != pass.info().to;
    let position = |step: &PassStep| match step {
        PassStep::Pass(pass) if changes_form(pass) => {
            build.passes.iter().rposition(|p| p.info().name == step.name() && changes_form(p))
        }
        _ => None,
    };
    let done = match steps.iter().any(|step| step.name() == build.name) {
        true => build.passes.len(),
        false => steps.iter().filter_map(position).max().map_or(0, |at| at + 1),
    };
    build.passes.drain(..done);
    build
}

/// Whether a PrimFunc has the parameters of its kernel.
pub(crate) enum Flat<'a> {
    No,
    /// The PrimFunc as it was.
    Of(&'a PrimFunc),
}

pub(crate) fn interpret(module: &IRModule, name: &str, args: &[Argument], flat: Flat<'_>) -> Result<Plain, String> {
    let copy = |args: &[Interpreted]| match args {
        [Interpreted::Tensor(from), .., Interpreted::Tensor(to)] => overwrite(to, from).map(|()| Interpreted::unit()),
        _ => Err("expected two tensors".to_owned()),
    };
    let last = |args: &[Interpreted]| args.last().cloned().ok_or_else(|| "expected an argument".to_owned());
    let cx = InterpCx::new(17).with_packed(COPY, copy).with_packed(LAST, last);
    match module.get(name) {
        Some(GlobalFunc::Relax(_)) => {
            let args: Vec<_> = fresh(args)?
                .into_iter()
                .map(|arg| match arg {
                    Argument::Tensor(tensor) => Interpreted::Tensor(tensor),
                    Argument::Scalar(scalar) => Interpreted::Scalar(scalar),
                })
                .collect();
            let result = cx.run_function(module, name, &args).map_err(|error| error.to_string())?;
            Plain::of_interpreted(&result)
        }
        Some(GlobalFunc::Prim(function)) => {
            let args = fresh(args)?;
            let ordered = match flat {
                Flat::No => args.clone(),
                Flat::Of(before) => kernel_order(before, &args)?,
            };
            let ordered: Vec<_> = ordered
                .into_iter()
                .map(|arg| match arg {
                    Argument::Tensor(tensor) => Arg::Tensor(tensor),
                    Argument::Scalar(scalar) => Arg::Scalar(scalar),
                })
                .collect();
            cx.run_prim_func(function, &ordered).map_err(|error| error.to_string())?;
            Ok(tensors_of(&args))
        }
        None => Err(format!("the module has no function `{name}`")),
    }
}

/// The arguments as the kernel takes them: tensors flat, then scalars as 64 bits.
fn kernel_order(before: &PrimFunc, args: &[Argument]) -> Result<Vec<Argument>, String> {
    use tilewright::DataType;
    use tilewright::expr::semantics::Scalar;
    let interface = KernelInterface::of(before);
    let mut ordered = Vec::new();
    for tensor in &interface.tensors {
        let Some(Argument::Tensor(arg)) = args.get(tensor.param) else { return Err("expected a tensor".to_owned()) };
        let flat = arg.reshape(&[arg.num_elements() as i64]).map_err(|error| error.to_string())?;
        ordered.push(Argument::Tensor(flat));
    }
    for scalar in &interface.scalars {
        let value = match scalar.param.and_then(|param| args.get(param)) {
            Some(Argument::Scalar(value)) => *value,
            _ => {
                let dims = interface.tensors.iter().flat_map(|tensor| {
                    let shape = match args.get(tensor.param) {
                        Some(Argument::Tensor(arg)) => arg.shape().to_vec(),
                        _ => Vec::new(),
                    };
                    tensor.buffer.shape.clone().into_iter().zip(shape)
                });
                let mut dims = dims.filter(|(dim, _)| dim.as_var() == Some(&scalar.var)).map(|(_, value)| value);
                let value = dims.next().ok_or("a symbolic dimension that no shape tells")?;
                Scalar::from_int(value, DataType::I64)
            }
        };
        ordered.push(Argument::Scalar(if value.dtype().is_int() {
            Scalar::from_int(value.as_int(), DataType::I64)
        } else {
            value
        }));
    }
    Ok(ordered)
}

/// The result of the module's machine code.
pub(crate) fn compiled(
    module: &IRModule,
    pipeline: Sequential,
    name: &str,
    args: &[Argument],
    device: Device,
) -> Result<Plain, String> {
    of_machine(&OnceCell::new(), module, || pipeline, name, args, device)
}

/// The same for machine code that is made on first use.
fn of_machine(
    made: &OnceCell<VirtualMachine>,
    module: &IRModule,
    pipeline: impl FnOnce() -> Sequential,
    name: &str,
    args: &[Argument],
    device: Device,
) -> Result<Plain, String> {
    let machine = match made.get() {
        Some(machine) => machine,
        None => {
            let target = Target::parse(device.kind.name()).map_err(|error| error.to_string())?;
            let options = CompileOptions { pipeline: pipeline(), ..CompileOptions::for_target(target) };
            let machine = machine(module, options, device)?;
            made.get_or_init(|| machine)
        }
    };
    call(machine, module, name, &fresh(args)?)
}

/// The module's machine code, ready to run.
pub(crate) fn machine(module: &IRModule, options: CompileOptions, device: Device) -> Result<VirtualMachine, String> {
    register();
    let executable = tilewright::compile(module, &options).map_err(|error| error.to_string())?;
    VirtualMachine::new(executable, &[device]).map_err(|error| error.to_string())
}

/// The functions of the process that tests call.
pub(crate) fn register() {
    registry::register_override(COPY, |args| match args {
        [Value::Tensor(from), .., Value::Tensor(to)] => {
            overwrite(to, from).map(|()| Value::None).map_err(tilewright::runtime::Error::callback)
        }
        _ => Err(tilewright::runtime::Error::callback("expected two tensors")),
    });
    registry::register_override(LAST, |args| {
        args.last().cloned().ok_or_else(|| tilewright::runtime::Error::callback("expected an argument"))
    });
}

/// Calls a function of the module on these arguments themselves, some of which it may write to.
pub(crate) fn call(
    machine: &VirtualMachine,
    module: &IRModule,
    name: &str,
    args: &[Argument],
) -> Result<Plain, String> {
    call_on_device(machine, module, name, args).map_err(|error| error.to_string())?
}

/// With tensors on the devices that the function's parameters name: copies of the arguments, unless that is the host.
fn call_on_device(
    machine: &VirtualMachine,
    module: &IRModule,
    name: &str,
    args: &[Argument],
) -> Result<Result<Plain, String>, Error> {
    let function = machine.function(name)?;
    let device = |at: usize| match function.signature().params.get(at).map(|param| &param.kind) {
        Some(Kind::Tensor { device, .. }) => machine.devices()[device.0 as usize],
        _ => machine.devices()[0],
    };
    let value = |(at, arg): (usize, &Argument)| match arg {
        Argument::Tensor(tensor) => device(at).copy_of(tensor).map(Value::Tensor),
        Argument::Scalar(scalar) if scalar.dtype().is_float() => Ok(Value::Float(scalar.as_float())),
        Argument::Scalar(scalar) if scalar.dtype().is_bool() => Ok(Value::Bool(scalar.as_bool())),
        Argument::Scalar(scalar) => Ok(Value::Int(scalar.as_int())),
    };
    let values: Vec<Value> = args.iter().enumerate().map(value).collect::<Result<_, Error>>()?;
    let result = function.call(&values)?;
    for (arg, value) in args.iter().zip(&values) {
        if let (Argument::Tensor(tensor), Value::Tensor(used)) = (arg, value)
            && !used.same(tensor)
        {
            copy_elements(tensor, used)?;
        }
    }
    Ok(match module.get(name) {
        Some(GlobalFunc::Prim(_)) => Ok(tensors_of(args)),
        _ => Plain::of_compiled(&Device::cpu().value_of(&result)?),
    })
}

fn overwrite(to: &Tensor, from: &Tensor) -> Result<(), String> {
    let from = from.to_contiguous().map_err(|error| error.to_string())?;
    from.as_bytes().and_then(|bytes| to.overwrite(bytes)).map_err(|error| error.to_string())
}

/// Arguments with memory of their own.
fn fresh(args: &[Argument]) -> Result<Vec<Argument>, String> {
    args.iter()
        .map(|arg| match arg {
            Argument::Tensor(tensor) => tensor.copied().map(Argument::Tensor).map_err(|error| error.to_string()),
            Argument::Scalar(scalar) => Ok(Argument::Scalar(*scalar)),
        })
        .collect()
}

fn tensors_of(args: &[Argument]) -> Plain {
    let tensor = |arg: &Argument| match arg {
        Argument::Tensor(tensor) => Some(Plain::Tensor(Tensor::clone(tensor))),
        Argument::Scalar(_) => None,
    };
    Plain::Tuple(args.iter().filter_map(tensor).collect())
}

/// The devices that run lines are run on, present or not.
pub(crate) fn devices() -> Arc<[Device]> {
    Arc::new([Device::cpu(), test_device::device(0)])
}
