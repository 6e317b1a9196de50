//! The metadata of an executable about its kernels, for tools: their origins and the cost of a call.
//!
//! The key is `kernel NAME`, the text has lines `operations FORMULA`, `read FORMULA`, `written FORMULA` and
//! `from FILE:LINE TEXT`. What is not known is left out.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;
use std::sync::Arc;

use tilewright_expr::node::VarId;
use tilewright_ir::IRModule;
use tilewright_ir::analysis::tir::work;
use tilewright_ir::interface::KernelInterface;
use tilewright_ir::pass::{Instrument, Pass, PassInfo};
use tilewright_ir::tir::PrimFunc;
use tilewright_runtime::Executable;
use tilewright_schedule::rules::ApplyDefaultSchedule;
use tilewright_support::Map;
use tilewright_target::Target;
use tilewright_tune::ApplyDatabase;

use super::formula;

/// How keys of the metadata that speak of a kernel begin.
pub const KERNEL: &str = "kernel ";

/// Lines of a source that a kernel names at most.
const SOURCES: usize = 8;

/// The notes about a kernel in a program's text.
#[derive(Clone, Debug, Default)]
pub(super) struct Note {
    pub(super) operations: Option<String>,
    pub(super) read: Option<String>,
    pub(super) written: Option<String>,
    pub(super) sources: Vec<String>,
}

impl Note {
    /// The note of an executable for a kernel, empty where it has none.
    pub(super) fn of(executable: &Executable, kernel: &str) -> Self {
        let mut note = Self::default();
        let text = executable.package().metadata.get(&format!("{KERNEL}{kernel}"));
        for line in text.map_or("", String::as_str).lines() {
            match line.split_once(' ') {
                Some(("operations", formula)) => note.operations = Some(formula.to_owned()),
                Some(("read", formula)) => note.read = Some(formula.to_owned()),
                Some(("written", formula)) => note.written = Some(formula.to_owned()),
                Some(("from", source)) => note.sources.push(source.to_owned()),
                _ => {}
            }
        }
        note
    }
}

/// `FILE:LINE TEXT` of what a kernel of an executable was made from.
pub(crate) fn sources(executable: &Executable, kernel: &str) -> Vec<String> {
    Note::of(executable, kernel).sources
}

/// The functions before they are scheduled: schedules compute padding at the edges of tiles.
#[derive(Clone, Debug)]
pub(crate) struct Unscheduled {
    functions: Rc<RefCell<Map<Arc<str>, Arc<PrimFunc>>>>,
    scheduling: [&'static str; 2],
}

impl Unscheduled {
    pub(crate) fn new(target: &Target) -> Self {
        let by_rules = ApplyDefaultSchedule::new(target.clone()).info().name;
        Self { functions: Rc::default(), scheduling: [ApplyDatabase::NAME, by_rules] }
    }

    pub(crate) fn function(&self, name: &str) -> Option<Arc<PrimFunc>> {
        self.functions.borrow().get(name).cloned()
    }

    /// The notes that the executable of this module has about its kernels.
    pub(crate) fn metadata(&self, module: &IRModule) -> BTreeMap<String, String> {
        let functions = self.functions.borrow();
        let described = |(name, _): (&Arc<str>, _)| {
            let function = module.prim(name)?;
            Some((format!("{KERNEL}{name}"), describe(function, functions.get(name).map(|f| &**f))))
        };
        module.iter().filter_map(described).collect()
    }
}

impl Instrument for Unscheduled {
    fn before(&mut self, info: &PassInfo, module: &IRModule) {
        // The first of those passes sees a function before any of them has scheduled it.
        if self.scheduling.contains(&info.name) {
            let mut functions = self.functions.borrow_mut();
            for (name, function) in module.iter().filter_map(|(name, _)| Some((name, module.prim(name)?))) {
                functions.entry(name.clone()).or_insert_with(|| function.clone());
            }
        }
    }
}

/// The note of a kernel, whose function may be known from before it was scheduled too.
fn describe(function: &PrimFunc, before: Option<&PrimFunc>) -> String {
    let scalars = |function: &PrimFunc| -> Vec<VarId> {
        KernelInterface::scalars_of(function).iter().map(|scalar| scalar.var.id()).collect()
    };
    let own = scalars(function);
    let (counted, scalars) = match before.map(|before| (before, scalars(before))) {
        Some((before, scalars)) if scalars.len() == own.len() => (before, scalars),
        _ => (function, own),
    };
    let mut note = String::new();
    if let Ok(work) = work(counted) {
        for (key, amount) in [("operations", work.operations), ("read", work.read), ("written", work.written)] {
            if let Some(formula) = formula::write(&amount, &scalars) {
                // Writing to a string does not fail.
                let _ = writeln!(note, "{key} {formula}");
            }
        }
    }
    for line in lines_of(function) {
        let _ = writeln!(note, "from {line}");
    }
    note
}

/// `FILE:LINE TEXT` of what a function was made from.
pub(crate) fn lines_of(function: &PrimFunc) -> Vec<String> {
    let spans = function.origins.spans().iter().take(SOURCES);
    let lines = spans.map(|span| {
        let line = span.headline();
        let text = line.file.text.get(line.start as usize..line.end as usize).unwrap_or_default();
        let words: Vec<&str> = text.split_whitespace().collect();
        let (number, _) = line.line_column();
        format!("{}:{number} {}", line.file.name, words.join(" "))
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CompileOptions, SourceFile, compile, parse_module};

    /// Operations, bytes read and bytes written of the kernels whose names begin so, for these sizes.
    fn check(body: &str, kernel: &str, scalars: &[f64], expected: [f64; 3]) {
        let text = format!("@I.ir_module\nclass Module:\n    @R.function\n    def main({body}\n        return y\n");
        let module = parse_module(&SourceFile::new("model.py", text)).expect("a module");
        let executable = compile(&module, &CompileOptions::default()).expect("an executable");
        let mut names = executable.package().metadata.keys().filter_map(|key| key.strip_prefix(KERNEL));
        let name = names.find(|name| name.contains(kernel)).expect("the kernel");
        let note = Note::of(&executable, name);
        let value = |formula: &Option<String>| formula::evaluate(formula.as_deref().expect("a formula"), scalars);
        let found = [&note.operations, &note.read, &note.written].map(|formula| value(formula).expect("a value"));
        assert_eq!(found, expected, "{note:?}");
        assert!(note.sources.iter().any(|source| source.starts_with("model.py:5 y = R.")), "{note:?}");
    }

    #[test]
    fn a_product_multiplies_and_adds_and_touches_every_tensor_once() {
        let body =
            "a: R.Tensor((\"n\", 24), \"float32\"), b: R.Tensor((24, 40), \"float32\")):\n        y = R.matmul(a, b)";
        let sums = 2.0 * 7.0 * 24.0 * 40.0;
        check(body, "matmul", &[7.0], [sums, 4.0 * (7.0 * 24.0 + 24.0 * 40.0), 4.0 * 7.0 * 40.0]);
    }

    #[test]
    fn a_look_up_reads_the_rows_that_it_looks_up() {
        let body = "a: R.Tensor((1000, 16), \"float32\"), b: R.Tensor((\"n\",), \"int64\")):\n        y = R.take(a, b, axis=0)";
        check(body, "take", &[3.0], [0.0, 3.0 * 16.0 * 4.0 + 3.0 * 8.0, 3.0 * 16.0 * 4.0]);
    }
}
