//! The explanation of a kernel: its origin, the rule that scheduled it and why others did not, and its code. For an
//! executable, its origin and its code.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use tilewright_ir::IRModule;
use tilewright_ir::pass::PassCx;
use tilewright_ir::tir::PrimFunc;
use tilewright_ir::verify::{Form, Verified};
use tilewright_llvm::Options;
use tilewright_runtime::Executable;
use tilewright_schedule::rules::{Considered, Cost, Rule, rules, schedule};
use tilewright_support::{Diagnostic, nearest};
use tilewright_vm_program::{ExecutableBytes, Image, Symbol, TargetInfo};

use crate::compile::{CompileError, CompileOptions, build_kernels, run_pipeline};
use crate::print_module;
use crate::profile::{Unscheduled, lines_of, sources};

/// A module that is compiled up to its kernels.
#[derive(Debug)]
pub struct Kernels {
    options: CompileOptions,
    module: Verified,
    before: Unscheduled,
}

/// Everything about one kernel.
#[derive(Clone, Debug)]
pub struct Explanation {
    pub name: Arc<str>,
    /// The candidate that was taken; what its rule is for and what it does.
    pub rule: Option<(&'static str, &'static str)>,
    /// The estimated cost of that candidate.
    pub cost: Option<Cost>,
    /// The candidates that were not taken.
    pub considered: Vec<Considered>,
    /// The actions of the candidate, a primitive on each line.
    pub trace: String,
    /// The function before it was scheduled, as it goes into the executable, as the code generator takes it, and its
    /// code.
    pub unscheduled: String,
    pub tensor_ir: String,
    pub low: String,
    pub llvm: String,
    pub assembly: String,
    /// `FILE:LINE TEXT` of what it was made from.
    pub sources: Vec<String>,
}

impl Kernels {
    /// The executable of the module.
    pub fn build(&self) -> Result<ExecutableBytes, CompileError> {
        build_kernels(&self.module, &self.before, &self.options)
    }

    /// Runs the passes over a module.
    pub fn of(cx: &mut PassCx<'_>, module: &IRModule, options: &CompileOptions) -> Result<Self, CompileError> {
        let before = Unscheduled::new(&options.target);
        cx.instruments.push(Box::new(before.clone()));
        let module = run_pipeline(cx, module, options);
        cx.instruments.pop();
        let module = Verified::new(module?, Form::MachineReady).map_err(CompileError::Module)?;
        Ok(Self { options: options.clone(), module, before })
    }

    /// The names of the kernels, in the module's order.
    pub fn names(&self) -> impl Iterator<Item = &Arc<str>> {
        let module = self.module.module();
        module.iter().map(|(name, _)| name).filter(|name| module.prim(name).is_some())
    }

    /// The kernel of a name, or of a number in [`Kernels::names`] from 1 on.
    pub fn find(&self, wanted: &str) -> Result<Arc<str>, String> {
        let names: Vec<&Arc<str>> = self.names().collect();
        find(wanted, &names).map(|at| names[at].clone())
    }

    /// The name of the rule that schedules a kernel.
    pub fn rule(&self, name: &str) -> Option<&'static str> {
        schedule(self.before.function(name)?.as_ref(), &self.options.target).rule
    }

    /// All about a kernel of the module.
    pub fn explain(&self, name: &Arc<str>) -> Result<Explanation, CompileError> {
        let target = &self.options.target;
        let mut explanation = self.explain_schedule(name)?;
        let low = tilewright_build::lower_kernels(&self.module, target).map_err(CompileError::Module)?;
        let low: Vec<_> = low.into_iter().filter(|low| low.symbol() == &**name).collect();
        let code = |error| CompileError::Module(tilewright_build::code_error(&error));
        explanation.llvm = tilewright_llvm::emit_llvm_ir(&low, target, &Options::default()).map_err(code)?;
        explanation.assembly = tilewright_llvm::emit_asm(&low, target, &Options::default()).map_err(code)?;
        let low = low.first().map(|low| low.function().clone());
        explanation.low = low.map_or_else(String::new, |low| text(name, &low));
        Ok(explanation)
    }

    /// As [`Kernels::explain`] without the lowered form and the code, which are empty: it takes much less time.
    pub fn explain_schedule(&self, name: &Arc<str>) -> Result<Explanation, CompileError> {
        let target = &self.options.target;
        let Some(now) = self.module.module().prim(name) else {
            let message = format!("there is no kernel `{name}`");
            return Err(CompileError::Module(Diagnostic::error("TW0601", message).into()));
        };
        let before = self.before.function(name).unwrap_or_else(|| Arc::clone(now));
        let scheduled = schedule(&before, target);
        let of_kernel = |name: &'static str| {
            let rule = rules(target).iter().find(|rule: &&Rule| rule.kernels.contains(&name));
            rule.map(|rule| (name, rule.doc))
        };
        Ok(Explanation {
            name: name.clone(),
            rule: scheduled.rule.and_then(of_kernel),
            cost: scheduled.cost,
            considered: scheduled.considered,
            trace: scheduled.trace.to_string(),
            unscheduled: text(name, &before),
            tensor_ir: text(name, now),
            low: String::new(),
            llvm: String::new(),
            assembly: String::new(),
            sources: lines_of(now),
        })
    }
}

/// The index of a kernel among the names, by its name or its number from 1 on.
fn find(wanted: &str, names: &[impl AsRef<str>]) -> Result<usize, String> {
    if names.is_empty() {
        return Err("there are no kernels".to_owned());
    }
    if let Ok(number) = wanted.parse::<usize>() {
        let found = number.checked_sub(1).filter(|at| *at < names.len());
        return found.ok_or_else(|| format!("there is no kernel {number}: they are 1 to {}", names.len()));
    }
    names.iter().position(|name| name.as_ref() == wanted).ok_or_else(|| {
        match nearest(wanted, names.iter().map(AsRef::as_ref)) {
            Some(near) => format!("there is no kernel `{wanted}`: did you mean `{near}`?"),
            None => format!("there is no kernel `{wanted}`, only {}", listed(names)),
        }
    })
}

/// The first of the names, and how many more there are.
fn listed(names: &[impl AsRef<str>]) -> String {
    const MOST: usize = 8;
    let first: Vec<&str> = names.iter().take(MOST).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(MOST) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// The names of an executable's kernels, in its order.
pub fn compiled_names(executable: &Executable) -> Vec<&str> {
    let program = executable.program();
    program.kernels.iter().map(|kernel| program.kernel_name(kernel)).collect()
}

/// A kernel of an executable, which holds no form of it but machine code.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub name: String,
    /// `FILE:LINE TEXT` of what it was made from.
    pub sources: Vec<String>,
    /// Its functions, the entry first; each with its name in a line of its own.
    pub assembly: String,
}

impl Compiled {
    /// The kernel of a name, or of a number in [`compiled_names`] from 1 on.
    pub fn of(executable: &Executable, wanted: &str) -> Result<Self, String> {
        let names = compiled_names(executable);
        let at = find(wanted, &names)?;
        let (name, program) = (names[at], executable.program());
        let kernel = &program.kernels[at];
        let image = program.images.get(kernel.image as usize);
        let image = image.ok_or_else(|| format!("kernel `{name}` has no code"))?;
        let assembly = assembly(executable.target(), image, name)?;
        Ok(Self { name: name.to_owned(), sources: sources(executable, name), assembly })
    }
}

/// The functions of a kernel: those of its name, and its parts, which have the name of one of the kernels that it is
/// the code of. Each byte is shown once: an executable may say anything of where its functions are.
fn assembly(target: &TargetInfo, image: &Image, name: &str) -> Result<String, String> {
    let Some(entry) = image.symbols.iter().find(|symbol| symbol.name == name) else { return Ok(String::new()) };
    let alike = image.symbols.iter().filter(|symbol| symbol.offset == entry.offset).map(|symbol| symbol.name.as_str());
    let alike: BTreeSet<&str> = alike.collect();
    let is_part = |symbol: &&Symbol| symbol.name.split_once(':').is_some_and(|(whole, _)| alike.contains(whole));
    let mut parts: Vec<&Symbol> = image.symbols.iter().filter(is_part).collect();
    parts.sort_by_key(|symbol| symbol.offset);
    let (own, mut end) = (range(entry), 0);
    parts.retain(|symbol| {
        let part = range(symbol);
        let is_apart = end <= part.start && (part.end <= own.start || own.end <= part.start);
        end = if is_apart { part.end } else { end };
        is_apart
    });
    let mut text = String::new();
    for symbol in std::iter::once(entry).chain(parts) {
        let code = tilewright_llvm::disassemble(&image.text, range(symbol), &target.triple, &target.features);
        text += &format!("{}:\n{}", symbol.name, code.map_err(|error| error.to_string())?);
    }
    Ok(text)
}

fn range(symbol: &Symbol) -> Range<usize> {
    symbol.offset as usize..symbol.offset as usize + symbol.bytes as usize
}

/// A function as TVMScript.
fn text(name: &Arc<str>, function: &PrimFunc) -> String {
    let mut module = IRModule::new();
    module.insert(name.clone(), function.clone());
    print_module(&module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_byte_is_shown_twice() {
        let symbol = |name: &str, offset, bytes| Symbol { name: name.to_owned(), offset, bytes };
        let symbols = vec![
            symbol("f:2", 6, 2),
            symbol("f", 2, 2),
            symbol("f:across", 1, 4),
            symbol("f:same", 2, 2),
            symbol("g:1", 0, 1),
            symbol("f:1", 4, 2),
            symbol("f:inside", 5, 2),
            symbol("f:all", 0, 8),
        ];
        let image = Image { text: vec![0xc3; 8], symbols, ..Image::default() };
        let target = TargetInfo { triple: "x86_64-unknown-linux-gnu".into(), features: Vec::new() };
        let shown = assembly(&target, &image, "f").unwrap();
        let names: Vec<&str> = shown.lines().filter(|line| line.ends_with(':')).collect();
        assert_eq!((names, shown.matches("retq").count()), (vec!["f:", "f:1:", "f:2:"], 6), "{shown}");
    }
}
