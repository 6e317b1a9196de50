//! `tilewright explain`: the meaning of a code, with a wrong and a right example; the schedule of a module's kernel
//! with its reasons; the machine code of an executable's kernel.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use tilewright::explain::{Compiled, Explanation, Kernels, compiled_names};
use tilewright::page::explanation_page;
use tilewright::schedule::rules::Cost;
use tilewright::support::nearest;
use tilewright::{CompileOptions, LinkedEvaluator, PassCx, codes};

use super::profile::explanations;
use crate::failure::{Failure, Outcome};
use crate::output::{print, say, write_text};
use crate::progress::Progress;
use crate::{is_executable, open_executable, read_module, target};

#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// A code such as TW0303, or a TVMScript file or an executable whose kernels to explain; without any, all codes are
    /// listed.
    #[arg(value_name = "CODE|FILE")]
    subject: Option<String>,
    /// The kernel, by its name or its number; without one, the kernels of the file are listed.
    #[arg(long, value_name = "NAME|NUMBER", requires = "subject")]
    kernel: Option<String>,
    /// The target, such as "llvm -mcpu=haswell".
    #[arg(long, requires = "subject")]
    target: Option<String>,
    /// The parts of the kernel to show, by default all; of an executable's, there is its assembly.
    #[arg(long, value_enum, value_name = "PART,…", value_delimiter = ',')]
    show: Option<Vec<Part>>,
    /// Write a page for a browser, with the candidates for the schedule of every kernel, what they were expected to
    /// cost, and the code; `-` is standard output.
    #[arg(long, value_name = "FILE", requires = "subject", conflicts_with_all = ["kernel", "show"])]
    html: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// The rule that was taken, and why those before it were not.
    Rule,
    /// The actions of the rule.
    Trace,
    /// The function before it was scheduled, as TVMScript.
    Before,
    /// The function as it goes into the executable, as TVMScript.
    Tir,
    /// The function in its lowered form, as TVMScript.
    Low,
    Llvm,
    Asm,
}

impl Part {
    const ALL: [Self; 7] = [Self::Rule, Self::Trace, Self::Before, Self::Tir, Self::Low, Self::Llvm, Self::Asm];

    fn heading(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Trace => "schedule trace",
            Self::Before => "before the schedule",
            Self::Tir => "TensorIR",
            Self::Low => "lowered",
            Self::Llvm => "LLVM IR",
            Self::Asm => "assembly",
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let Some(subject) = &arguments.subject else {
        return codes::ALL.iter().try_for_each(|page| say!("{}  {}", page.code, page.title()));
    };
    if let Some(page) = codes::page(subject) {
        return print(page.text);
    }
    let path = Path::new(subject);
    if arguments.kernel.is_some() || arguments.html.is_some() || (path.exists() && !path.is_dir()) {
        return match is_executable(path)? {
            true => explain_compiled(path, arguments),
            false => explain_kernels(path, arguments),
        };
    }
    Err(Failure::Message(unknown(subject)))
}

fn unknown(code: &str) -> String {
    if Path::new(code).is_dir() {
        return format!("{code} is a folder: give a TVMScript file, an executable or a code");
    }
    match nearest(&code.to_ascii_uppercase(), codes::ALL.iter().map(|page| page.code)) {
        Some(near) => format!("there is no code `{code}`: did you mean `{near}`?"),
        None => format!("there is no code and no file `{code}`: `tilewright explain` lists them all"),
    }
}

fn explain_kernels(path: &Path, arguments: &Arguments) -> Outcome {
    let options = CompileOptions::for_target(target(arguments.target.as_deref())?);
    let module = read_module(path)?;
    let evaluator = LinkedEvaluator::default();
    let mut cx = PassCx { evaluator: Some(&evaluator), ..PassCx::default() };
    let progress = Progress::new();
    cx.instruments.push(Box::new(progress.clone()));
    let kernels = Kernels::of(&mut cx, &module, &options);
    progress.finish();
    let kernels = kernels?;
    if let Some(file) = &arguments.html {
        let title = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let page = explanation_page(&title, &options.target.to_string(), &explanations(&kernels)?);
        return write_text(file, &page);
    }
    let Some(wanted) = &arguments.kernel else {
        return kernels
            .names()
            .enumerate()
            .try_for_each(|(at, name)| say!("{:>4}  {name}  ({})", at + 1, kernels.rule(name).unwrap_or("no rule")));
    };
    let explanation = kernels.explain(&kernels.find(wanted)?)?;
    let shown = arguments.show.as_deref().unwrap_or(&Part::ALL);
    let parts = shown.iter().map(|part| part_text(&explanation, *part));
    print(&parts.collect::<Vec<_>>().join("\n"))
}

/// An executable says less of its kernels than a module.
fn explain_compiled(path: &Path, arguments: &Arguments) -> Outcome {
    let of_module = "an executable holds none of that: give the TVMScript file that it was compiled from";
    if arguments.target.is_some() {
        return Err(Failure::of_file(path, "this is compiled already: --target is for a TVMScript file"));
    }
    if arguments.html.is_some() {
        return Err(Failure::of_file(path, format!("schedules: {of_module}")));
    }
    if let Some(part) = arguments.show.iter().flatten().find(|part| **part != Part::Asm) {
        return Err(Failure::of_file(path, format!("{}: {of_module}", part.heading())));
    }
    let executable = open_executable(path)?;
    let Some(wanted) = &arguments.kernel else {
        let names = compiled_names(&executable);
        return names.iter().enumerate().try_for_each(|(at, name)| say!("{:>4}  {name}", at + 1));
    };
    let kernel = Compiled::of(&executable, wanted)?;
    let mut parts = Vec::new();
    if arguments.show.is_none() {
        parts.push(under_heading(&kernel.name, "made from", &kernel.sources.join("\n")));
        let others: Vec<&str> =
            Part::ALL.iter().filter(|part| **part != Part::Asm).map(|part| part.heading()).collect();
        parts.push(under_heading(&kernel.name, &others.join(", "), of_module));
    }
    parts.push(under_heading(&kernel.name, Part::Asm.heading(), &kernel.assembly));
    print(&parts.join("\n"))
}

fn under_heading(name: &str, heading: &str, text: &str) -> String {
    let text = if text.trim().is_empty() { "none" } else { text.trim_end() };
    format!("==> {name}: {heading}\n{text}\n")
}

/// A part under its heading.
fn part_text(explanation: &Explanation, part: Part) -> String {
    let text = match part {
        Part::Rule => rule(explanation),
        Part::Trace => explanation.trace.clone(),
        Part::Before => explanation.unscheduled.clone(),
        Part::Tir => explanation.tensor_ir.clone(),
        Part::Low => explanation.low.clone(),
        Part::Llvm => explanation.llvm.clone(),
        Part::Asm => explanation.assembly.clone(),
    };
    under_heading(&explanation.name, part.heading(), &text)
}

/// The candidate that was taken with its cost, and a table of those that were not.
fn rule(explanation: &Explanation) -> String {
    let cost = |cost: &Option<Cost>| cost.as_ref().map_or(String::new(), ToString::to_string);
    let mut text = match explanation.rule {
        Some((name, doc)) => format!("`{name}`: {doc}\n"),
        None => "no rule: the function is as it was written\n".to_owned(),
    };
    if explanation.cost.is_some() {
        text += &format!("  {}\n", cost(&explanation.cost));
    }
    for seen in &explanation.considered {
        text += &format!("`{}` was not taken: {}\n", seen.name, seen.declined);
        if seen.cost.is_some() {
            text += &format!("  {}\n", cost(&seen.cost));
        }
    }
    text
}
