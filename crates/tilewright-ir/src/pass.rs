//! Passes: functions from modules to modules, the context that they run in, and instruments that watch them.

mod config;
mod declared;
mod instruments;
mod target;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use tilewright_support::{Diagnostic, Diagnostics};
use tilewright_target::Target;
use tilewright_tensor::Tensor;

use crate::tir::PrimFunc;
use crate::verify::{Form, Sound};
use crate::{Attr, Attrs, IRModule};

pub use config::{CONTEXT_OPTIONS, OptionDef, check_config};
pub use declared::{Callback, CallbackValue, ParamDef, ParamKind, PassArg, PassArgs, PassDef};
pub use instruments::{PassTime, PassTiming, Passes, Printing, When};
pub use target::{target_string, with_host};

/// The description of every pass.
#[derive(Clone, Debug)]
pub struct PassInfo {
    /// The name that users write, such as `LegalizeOps`.
    pub name: &'static str,
    /// The lowest optimisation level at which the pass runs; 0 always runs.
    pub opt_level: u8,
    /// The form that the pass takes.
    pub from: Form,
    /// The form that it leaves the module in.
    pub to: Form,
}

/// A pass.
pub trait Pass: Send + Sync {
    fn info(&self) -> PassInfo;
    /// The options that it reads.
    fn options(&self) -> &'static [OptionDef] {
        &[]
    }
    fn run(&self, cx: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError>;
}

/// A pass that could not do its work.
#[derive(Clone, Debug)]
pub struct PassError {
    /// The pass's name.
    pub pass: &'static str,
    pub diagnostics: Diagnostics,
}

impl fmt::Display for PassError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pass `{}` failed:\n{}", self.pass, self.diagnostics)
    }
}

impl std::error::Error for PassError {}

impl PassError {
    pub fn new(pass: &'static str, diagnostic: Diagnostic) -> Self {
        Self { pass, diagnostics: diagnostic.into() }
    }
}

/// Watches passes. Instruments are called in order before a pass and in reverse order after it.
pub trait Instrument {
    /// The context begins.
    fn enter(&mut self) {}
    /// The context ends.
    fn exit(&mut self) {}
    /// Whether the pass should run at all; every instrument must agree.
    fn should_run(&mut self, _info: &PassInfo, _module: &IRModule) -> bool {
        true
    }
    fn before(&mut self, _info: &PassInfo, _module: &IRModule) {}
    fn after(&mut self, _info: &PassInfo, _module: &IRModule) {}
    /// The pass has failed, or left an invalid module: called instead of [`Instrument::after`].
    fn failed(&mut self, _info: &PassInfo) {}
}

/// Runs a PrimFunc on concrete tensors at compile time: the interpreter in tests, compiled code in production.
pub trait Evaluator {
    /// Runs `function` on the arguments in order; those that it writes are written in place.
    fn run(&self, function: &PrimFunc, args: &[Tensor]) -> Result<(), String>;
}

/// Everything that a pass may use besides the module: there is no ambient state.
pub struct PassCx<'a> {
    /// 0 (only what is needed) to 3.
    pub opt_level: u8,
    /// Names of passes that are left out, and of passes that run at any level unless they are left out by name.
    pub disabled: Vec<String>,
    pub required: Vec<String>,
    /// Options by name, as `PassContext(config={…})` gives them.
    pub config: Attrs,
    pub instruments: Vec<Box<dyn Instrument + 'a>>,
    /// Warnings that passes left.
    pub diagnostics: Diagnostics,
    pub evaluator: Option<&'a dyn Evaluator>,
    /// What is compiled for, where a function does not say so itself; none is the machine that we run on
    /// ([`PassCx::target`]).
    pub target: Option<Target>,
    /// Checks the forms that passes promise, before and after each.
    pub verify: bool,
    /// Functions that the checks have found well-formed, and need not check again.
    pub sound: Sound,
}

impl fmt::Debug for PassCx<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PassCx(opt_level {}, {} instruments)", self.opt_level, self.instruments.len())
    }
}

impl Default for PassCx<'_> {
    /// Level 2, nothing disabled, forms verified.
    fn default() -> Self {
        Self {
            opt_level: 2,
            disabled: Vec::new(),
            required: Vec::new(),
            config: Attrs::new(),
            instruments: Vec::new(),
            diagnostics: Diagnostics::default(),
            evaluator: None,
            target: None,
            verify: true,
            sound: Sound::default(),
        }
    }
}

impl PassCx<'_> {
    pub fn option(&self, name: &str) -> Option<&Attr> {
        self.config.get(name)
    }

    /// Runs one pass under the instruments; a pass that the context leaves out returns the module as it is.
    pub fn run(&mut self, pass: &dyn Pass, module: IRModule) -> Result<IRModule, PassError> {
        self.run_after(pass, module, &mut None)
    }

    /// As [`PassCx::run`]; `left` is the form in which the previous pass left the module, if known.
    fn run_after(&mut self, pass: &dyn Pass, module: IRModule, left: &mut Option<Form>) -> Result<IRModule, PassError> {
        let info = pass.info();
        let named = |names: &[String]| names.iter().any(|name| name == info.name);
        if named(&self.disabled) || (info.opt_level > self.opt_level && !named(&self.required)) {
            return Ok(module);
        }
        self.run_meant(pass, module, left)
    }

    /// As [`PassCx::run`], of a pass that is meant by itself: the context does not leave it out.
    pub fn call(&mut self, pass: &dyn Pass, module: IRModule) -> Result<IRModule, PassError> {
        self.run_meant(pass, module, &mut None)
    }

    fn run_meant(&mut self, pass: &dyn Pass, module: IRModule, left: &mut Option<Form>) -> Result<IRModule, PassError> {
        let info = pass.info();
        let wanted = self.instruments.iter_mut().map(|i| i.should_run(&info, &module)).collect::<Vec<_>>();
        if wanted.contains(&false) {
            return Ok(module);
        }
        // Every form is well-formed.
        if !left.is_some_and(|left| left == info.from || info.from == Form::Any) {
            self.check(info.name, &module, info.from)?;
        }
        for instrument in &mut self.instruments {
            instrument.before(&info, &module);
        }
        let outcome = pass.run(self, module);
        let outcome = outcome.and_then(|module| self.check(info.name, &module, info.to).map(|()| module));
        for instrument in self.instruments.iter_mut().rev() {
            match &outcome {
                Ok(module) => instrument.after(&info, module),
                Err(_) => instrument.failed(&info),
            }
        }
        *left = Some(info.to);
        outcome
    }

    /// Does some work between the instruments' `enter` and `exit`.
    pub fn entered<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.instruments.iter_mut().for_each(|instrument| instrument.enter());
        let result = work(self);
        self.instruments.iter_mut().rev().for_each(|instrument| instrument.exit());
        result
    }

    fn check(&mut self, pass: &'static str, module: &IRModule, form: Form) -> Result<(), PassError> {
        let off = self.option("ir.verify").is_some_and(|option| !option.is_true());
        if !self.verify || off {
            return Ok(());
        }
        self.sound.verify(module, form).map_err(|diagnostics| PassError { pass, diagnostics })
    }
}

/// Passes one after the other.
#[derive(Clone)]
pub struct Sequential {
    pub name: &'static str,
    pub passes: Vec<Arc<dyn Pass>>,
}

impl fmt::Debug for Sequential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.passes.iter().map(|p| p.info().name)).finish()
    }
}

impl Pass for Sequential {
    /// A sequence takes what its first pass takes and leaves what its last one leaves.
    fn info(&self) -> PassInfo {
        let from = self.passes.first().map_or(Form::Any, |p| p.info().from);
        let to = self.passes.last().map_or(Form::Any, |p| p.info().to);
        PassInfo { name: self.name, opt_level: 0, from, to }
    }

    fn run(&self, cx: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut left = None;
        self.passes.iter().try_fold(module, |module, pass| cx.run_after(pass.as_ref(), module, &mut left))
    }
}
