//! The verifier: what a well-formed module is, and the named forms that passes go between.
//!
//! Every property has a code; a module that lacks it is refused with a diagnostic of that code.
//!
//! **Scalar expressions and PrimFuncs**
//!
//! | code | property |
//! |---|---|
//! | TW0501 | a scalar variable is used where it is defined: by a parameter, a symbolic dimension of one, a loop, a block axis, a `let`, a matched buffer |
//! | TW0502 | a buffer is used where it, or its data variable, is defined: by a parameter, an allocation, a matched buffer |
//! | TW0503 | an access or region has as many indices as its buffer has dimensions |
//! | TW0504 | indices are integers; the vectors among those of one access have equally many lanes |
//! | TW0505 | a stored value has the buffer's element type and as many lanes as the indices |
//! | TW0506 | an expression has the type that its operation gives for its operands' types |
//! | TW0507 | the extent of an unrolled loop is a constant |
//! | TW0508 | a loop variable is a scalar integer and no size variable, its bounds are of its type |
//! | TW0509 | a block has as many values as axes |
//! | TW0510 | an axis is a scalar integer and no size variable, its value and domain are of its type |
//! | TW0511 | conditions and predicates are bools: scalars, or lanes of a masked access |
//! | TW0513 | no variable or buffer is defined where it is defined already |
//! | TW0514 | a buffer's element has one lane; shape, strides and offset are scalar integers; strides are none or one for each dimension; axis separators ascend, and none is after the last dimension |
//! | TW0515 | a buffer parameter is passed as a handle, any other as a scalar |
//! | TW0516 | a matched buffer has the element type of its source, and no more dimensions |
//! | TW0517 | constant memory has the shape and element type of its buffer |
//! | TW0518 | a builtin is in the table, and has as many operands as its row says |
//! | TW0519 | a loop over threads names a dimension of blocks or threads ([`crate::tir::is_thread`]) |
//! | TW0533 | constant memory is not stored to |
//! | TW0534 | a text occurs only among the operands of a foreign call, and in an attribute |
//!
//! **Graph functions**
//!
//! | code | property |
//! |---|---|
//! | TW0520 | a graph variable is used after its binding, and inside the function or branch that binds it |
//! | TW0521 | a dataflow variable is bound in a dataflow block and used only there |
//! | TW0522 | a graph variable is bound once |
//! | TW0523 | a dataflow block calls nothing with side effects; nor does a function that says it is pure (and is not `relax.force_pure`), but for memory operations, calls of PrimFuncs with explicit destinations, and packed functions that get a tensor which the function has allocated |
//! | TW0524 | a function that is named exists in the module; `call_tir` names a PrimFunc |
//! | TW0525 | the arguments of a call fit the callee's parameters as they are now |
//! | TW0526 | an expression's struct info follows from the rule for it |
//! | TW0527 | a variable's struct info follows from that of the value bound to it; after `match_cast` it is the one that was checked |
//! | TW0528 | a function's `ret` follows from the struct info of its result |
//! | TW0529 | a symbolic dimension is used where a parameter or a `match_cast` has defined it |
//! | TW0530 | dimensions are scalar integers computed without memory |
//! | TW0531 | the destinations of `call_tir` and `call_dps_packed` have known shapes and dtypes |
//! | TW0532 | a call of no operator has the attributes of its kind of call and no others, see [`crate::calls`] |
//!
//! **Modules**
//!
//! | code | property |
//! |---|---|
//! | TW0540 | no two functions have the same `global_symbol` |
//!
//! **Forms**, see [`Form`]: TW0550 ([`Form::Legalized`]), TW0551 ([`Form::DestinationPassing`]), TW0552
//! ([`Form::MachineReady`]); TW0553 is that of [`crate::low::LowTir`].
//!
//! The verifier looks at a shared node once for each scope that matters to it, and its recursion is safe at any depth.

mod alone;
mod form;
mod info;
mod prim;
mod relax;
mod scalar;
mod scope;
mod settled;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use tilewright_support::{Diagnostic, Diagnostics, Map, Origins};

use crate::tir::PrimFunc;
use crate::{GlobalFunc, IRModule};

pub use alone::verify_alone;
pub(crate) use scalar::check_type;

pub use info::show;
pub use info::show_dim;
pub(crate) use info::{definable, follows};
use settled::Settled;

/// A normal form of modules. Each includes the properties of [`Form::Any`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Well-formed: see the module's documentation for the properties.
    Any,
    /// Operators and calls in destination-passing style, bindings of any expression.
    Graph,
    /// No operator that has a PrimFunc legalisation is left.
    Legalized,
    /// Destinations are explicit: no `call_tir` and no `call_dps_packed` is left, results are allocated by bindings.
    DestinationPassing,
    /// As [`Form::DestinationPassing`], with storage planned.
    MachineReady,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Any => "well-formed",
            Self::Graph => "graph",
            Self::Legalized => "legalised",
            Self::DestinationPassing => "destination-passing",
            Self::MachineReady => "machine-ready",
        })
    }
}

/// Messages after which the verifier only counts: one fault often has many symptoms.
const MOST: usize = 1000;

/// Checks that the module is well-formed and has the form. The diagnostics are all errors that were found.
pub fn verify(module: &IRModule, form: Form) -> Result<(), Diagnostics> {
    Sound::default().verify(module, form)
}

/// Functions found well-formed. PrimFuncs that the next module shares are not checked again: checks of a PrimFunc
/// depend on nothing else. Graph functions depend on the module; of their calls, the rules are not asked again.
#[derive(Clone, Default, Debug)]
pub struct Sound {
    /// By address, which means something because they are kept.
    prims: Map<usize, Arc<PrimFunc>>,
    calls: Settled,
}

impl Sound {
    /// As [`verify`].
    pub fn verify(&mut self, module: &IRModule, form: Form) -> Result<(), Diagnostics> {
        let mut report = Report::default();
        unique_symbols(&mut report, module);
        let mut prims = Map::default();
        for (name, function) in module.sorted() {
            report.function = name.clone();
            match function {
                GlobalFunc::Prim(function) => {
                    let address = Arc::as_ptr(function) as usize;
                    if !self.prims.contains_key(&address) {
                        prim::check(&mut report, function);
                    }
                    prims.insert(address, Arc::clone(function));
                }
                GlobalFunc::Relax(function) => {
                    relax::check(&mut report, module, function, &mut self.calls);
                    form::check(&mut report, function, form);
                }
            }
        }
        let outcome = report.finish();
        self.calls.finish(outcome.is_ok());
        outcome?;
        self.prims = prims;
        Ok(())
    }
}

fn unique_symbols(report: &mut Report, module: &IRModule) {
    let mut seen: Map<&str, (&Arc<str>, &GlobalFunc)> = Map::default();
    for (name, function) in module.sorted() {
        let Some(symbol) = function.global_symbol() else { continue };
        if let Some((other, before)) = seen.insert(symbol, (name, function)) {
            let message = format!("functions `{other}` and `{name}` have the same global symbol `{symbol}`");
            let mut diagnostic = Diagnostic::error("TW0540", message).help("give one of them a symbol of its own");
            if let Some(span) = origins(function).headline().first() {
                diagnostic = diagnostic.at(span.clone()).label("has this symbol too");
            }
            if let Some(span) = origins(before).headline().first() {
                diagnostic = diagnostic.also(span.clone(), "has the symbol");
            }
            report.add(diagnostic);
        }
    }
}

fn origins(function: &GlobalFunc) -> &Origins {
    match function {
        GlobalFunc::Prim(function) => &function.origins,
        GlobalFunc::Relax(function) => &function.origins,
    }
}

/// The problems found, and the current position of the verifier.
#[derive(Default)]
struct Report {
    found: Diagnostics,
    /// The number of further problems.
    more: usize,
    function: Arc<str>,
    /// The origins of the enclosing statements or bindings, from outside inwards.
    origins: Vec<Origins>,
    /// The enclosing statements, from outside inwards: the kind of each, and its name.
    around: Vec<(&'static str, Arc<str>)>,
    /// Whether what is around is not there: see [`verify_alone`].
    alone: bool,
}

impl Report {
    fn error(&mut self, code: &'static str, message: impl Into<String>) {
        self.add_located(Diagnostic::error(code, message));
    }

    /// An error with what to do about it.
    fn error_with_help(&mut self, code: &'static str, message: impl Into<String>, help: &str) {
        self.add_located(Diagnostic::error(code, message).help(help));
    }

    /// Adds a problem at the current origin.
    fn add_located(&mut self, mut diagnostic: Diagnostic) {
        if self.alone && alone::OF_SURROUNDINGS.contains(&diagnostic.code) {
            return;
        }
        if let Some(span) = self.origins.iter().rev().find_map(Origins::first) {
            diagnostic = diagnostic.at(span.clone());
        }
        if !self.function.is_empty() {
            let around: String = self.around.iter().map(|(what, name)| format!(", {what} `{name}`")).collect();
            diagnostic = diagnostic.note(format!("in function `{}`{around}", self.function));
        }
        self.add(diagnostic);
    }

    /// A fault that is found from two sides is one.
    fn add(&mut self, diagnostic: Diagnostic) {
        let same = |last: &Diagnostic| {
            (last.code, &last.message, &last.span) == (diagnostic.code, &diagnostic.message, &diagnostic.span)
        };
        if self.found.0.last().is_some_and(same) {
            return;
        }
        match self.found.0.len() < MOST {
            true => self.found.push(diagnostic),
            false => self.more += 1,
        }
    }

    /// All that was found, in the order of the text.
    fn finish(mut self) -> Result<(), Diagnostics> {
        self.found.sort();
        if let Some(last) = self.found.0.last_mut().filter(|_| self.more > 0) {
            last.notes.push(format!("{} more faults were found that are not listed", self.more));
        }
        if self.found.0.is_empty() { Ok(()) } else { Err(self.found) }
    }
}

/// A number of things, in words.
fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// A module that was checked; what lowering takes.
#[derive(Clone, Debug)]
pub struct Verified(IRModule);

impl Verified {
    pub fn new(module: IRModule, form: Form) -> Result<Self, Diagnostics> {
        verify(&module, form)?;
        Ok(Self(module))
    }

    pub fn module(&self) -> &IRModule {
        &self.0
    }
}
