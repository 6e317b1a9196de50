//! `tilewright profile`: the time of a function by kernel, compared with the machine's lower bound.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use tilewright::VirtualMachine;
use tilewright::explain::{Explanation, Kernels};
use tilewright::page::profile_page;
use tilewright::profile::{Profile, Row, profile, trace};
use tilewright::support::json::quote;

use super::call::CallArguments;
use super::run::{load, load_with_kernels};
use crate::failure::Outcome;
use crate::output::{is_stdout, print, write_text};
use crate::progress::Progress;
use crate::{Input, Tuned, is_executable};

#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// The function to call.
    #[arg(long, default_value = "main")]
    function: String,
    #[command(flatten)]
    call: CallArguments,
    /// The target, such as "llvm -mcpu=haswell"; not for a file that is compiled already.
    #[arg(long)]
    target: Option<String>,
    #[command(flatten)]
    tuned: Tuned,
    /// How often to run; times are medians.
    #[arg(long, value_name = "RUNS", default_value_t = 10)]
    runs: usize,
    /// Write one object of JSON, with times in seconds.
    #[arg(long)]
    json: bool,
    /// Write the calls of a run to a file that Perfetto (ui.perfetto.dev) and chrome://tracing show; `-` is standard
    /// output.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Write a page for a browser, with the kernels, the run, the memory and the graph; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let (path, target) = (&arguments.input.file, arguments.target.as_deref());
    let (executable, kernels) = match arguments.html.is_some() && !is_executable(path)? {
        true => {
            let (executable, kernels) = load_with_kernels(path, target, &arguments.tuned)?;
            (executable, Some(kernels))
        }
        false => (load(path, target, &arguments.tuned)?, None),
    };
    let machine = VirtualMachine::new(executable.clone(), &[])?;
    let values = arguments.call.values(machine.function(&arguments.function)?.signature())?;
    let profile = profile(&executable, &arguments.function, &values, arguments.runs)?;
    let title = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    if let Some(file) = &arguments.trace {
        write_text(file, &trace::to_json(&profile, &title))?;
    }
    if let Some(file) = &arguments.html {
        let explanations = kernels.as_ref().map_or_else(|| Ok(Vec::new()), explanations)?;
        write_text(file, &profile_page(&title, &arguments.function, &profile, &explanations, &executable))?;
    }
    if [&arguments.trace, &arguments.html].into_iter().flatten().any(|file| is_stdout(file)) {
        return Ok(());
    }
    print(&if arguments.json { json(&profile) } else { table(&profile) })
}

/// How each kernel is scheduled, and why.
pub(super) fn explanations(kernels: &Kernels) -> Outcome<Vec<Explanation>> {
    let progress = Progress::new();
    progress.step("explaining");
    let all = kernels.names().map(|name| kernels.explain_schedule(name)).collect::<Result<Vec<_>, _>>();
    progress.finish();
    Ok(all?)
}

/// The width of a kernel's name in the table; a longer one moves the rest of its line.
const NAME: usize = 32;

fn table(profile: &Profile) -> String {
    let mut text = format!("the machine: {}\n\n", profile.limits);
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "{:NAME$} {:>5} {:>10} {:>6} {:>9} {:>9} {:>9} {:>8}  source",
        "kernel", "calls", "time", "share", "MFLOP", "MB", "GFLOP/s", "of floor"
    );
    let named = |row: &Row| if row.is_kernel { row.name.clone() } else { format!("{} (packed)", row.name) };
    for row in &profile.rows {
        let bytes = row.read.zip(row.written).map(|(read, written)| read + written);
        let speed = row.operations.map(|operations| operations / row.time.as_secs_f64().max(1e-9) / 1e9);
        let floor = row.share_of_floor(&profile.limits).map(|share| 100.0 * share);
        let _ = writeln!(
            text,
            "{:NAME$} {:>5} {:>10} {:>5.1}% {:>9} {:>9} {:>9} {:>8}  {}",
            named(row),
            row.calls,
            duration(row.time),
            100.0 * share(row, profile),
            number(row.operations.map(|operations| operations / 1e6), ""),
            number(bytes.map(|bytes| bytes / 1e6), ""),
            number(speed, ""),
            number(floor, "%"),
            source(row)
        );
    }
    let inside: Duration = profile.rows.iter().map(|row| row.time).sum();
    let floors: Option<Duration> = profile.rows.iter().map(|row| row.floor(&profile.limits)).sum();
    let _ = write!(text, "\na run takes {}, its kernels {}", duration(profile.total), duration(inside));
    if let Some(floors) = floors {
        let _ = write!(text, ", their floors {}", duration(floors));
    }
    text + "\n"
}

/// The first line that a kernel was made from, and how many others there are.
fn source(row: &Row) -> String {
    match row.sources.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first, others @ ..] => format!("{first} (and {} more)", others.len()),
    }
}

/// The part of the run's time; the time of a run that is watched is a little longer.
fn share(row: &Row, profile: &Profile) -> f64 {
    row.time.as_secs_f64() / profile.total.as_secs_f64().max(1e-9)
}

fn duration(time: Duration) -> String {
    format!("{time:.1?}")
}

fn number(value: Option<f64>, unit: &str) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value >= 20.0 => format!("{value:.0}{unit}"),
        Some(value) => format!("{value:.2}{unit}"),
    }
}

fn json(profile: &Profile) -> String {
    let limits = &profile.limits;
    let levels: Vec<String> = limits.levels.iter().map(|(bytes, rate)| format!("[{bytes}, {rate:.0}]")).collect();
    let rows: Vec<String> = profile.rows.iter().map(|row| row_json(row, profile)).collect();
    format!(
        "{{\"seconds\": {}, \"threads\": {}, \"limits\": {{\"operations\": {:.0}, \"read\": [{}], \"copy\": {:.0}}}, \
         \"kernels\": [\n  {}\n]}}\n",
        profile.total.as_secs_f64(),
        limits.threads,
        limits.operations,
        levels.join(", "),
        limits.copy,
        rows.join(",\n  ")
    )
}

fn row_json(row: &Row, profile: &Profile) -> String {
    let number = |value: Option<f64>| value.map_or("null".to_owned(), |value| value.to_string());
    let sources: Vec<String> = row.sources.iter().map(|source| quote(source)).collect();
    format!(
        "{{\"name\": {}, \"kind\": \"{}\", \"calls\": {}, \"seconds\": {}, \"share\": {:.4}, \"operations\": {}, \
         \"read\": {}, \"written\": {}, \"floor\": {}, \"sources\": [{}]}}",
        quote(&row.name),
        if row.is_kernel { "kernel" } else { "packed" },
        row.calls,
        row.time.as_secs_f64(),
        share(row, profile),
        number(row.operations),
        number(row.read),
        number(row.written),
        number(row.floor(&profile.limits).map(|floor| floor.as_secs_f64())),
        sources.join(", ")
    )
}
