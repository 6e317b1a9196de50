//! Large scripts: `cargo bench -p tilewright-script --bench scale -- [MEGABYTES] [PART OF A NAME]`.
//!
//! For each kind of text, at a tenth of the size and at the whole of it (10 MB unless said otherwise): how many
//! megabytes of text are parsed, verified, printed, compared and dropped in a second; how many times longer the larger
//! text takes; and the most memory that was resident while it was read. Every text is read back from its print and is
//! the same. Each time is the best of three, at both sizes: the module is read anew each time, verified, printed and
//! compared once. So what a process does only once (the first touch of its code and memory) makes neither size slower:
//! the allocator keeps what is freed, where it would give back the larger text's memory and have the system hand it out
//! anew each time. The second table has texts in which nothing is right, and how long it takes to say so.
//!
//! Each kind has a process of its own, so that none sees the memory that another one left.

mod texts;
mod wrong;

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use texts::KINDS;
use tilewright_ir::IRModule;
use tilewright_ir::verify::{Form, verify};
use tilewright_script::parse::{NoHost, parse_file, parse_module};
use tilewright_script::print::{PrintOptions, print_module};
use tilewright_support::SourceFile;
use wrong::WRONG;

/// A text of about so many bytes.
type Text = fn(usize) -> String;

/// Work on the larger text may take so many times longer than on the tenth of it.
const LINEAR: f64 = 13.0;

/// The setting under which glibc keeps what is freed.
const KEEP_MEMORY: (&str, &str) =
    ("GLIBC_TUNABLES", "glibc.malloc.mmap_threshold=4294967296:glibc.malloc.trim_threshold=17179869184");

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [only, name, size] = arguments.as_slice()
        && only == "--only"
        && let Ok(size) = size.parse()
    {
        return one(name, size);
    }
    let megabytes = arguments.iter().find_map(|argument| argument.parse::<f64>().ok()).unwrap_or(10.0);
    let size = (megabytes * 1e6) as usize;
    let wanted = arguments.iter().find(|argument| argument.parse::<f64>().is_err()).map_or("", |name| name);
    println!("{}", header());
    KINDS.iter().filter(|(name, _)| name.contains(wanted)).for_each(|(name, _)| in_a_process(name, size));
    println!("\n{:<34} {:>6} | {:>14} {:>6} | {:>7}", "wrong text", "MB", "refused MB/s", "ratio", "peak MB");
    WRONG.iter().filter(|(name, _)| name.contains(wanted)).for_each(|(name, _)| in_a_process(name, size));
}

fn header() -> String {
    let columns = ["parse MB/s", "verify MB/s", "print MB/s"].map(|name| format!("{name:>12} ratio"));
    format!(
        "{:<34} {:>6} | {} | {:>8} | {:>8} | {:>7}",
        "text",
        "MB",
        columns.join(" | "),
        "compare",
        "drop",
        "peak MB"
    )
}

fn in_a_process(name: &str, size: usize) {
    let Ok(program) = std::env::current_exe() else { return one(name, size) };
    let (setting, value) = KEEP_MEMORY;
    match Command::new(program).env(setting, value).args(["--only", name, &size.to_string()]).status() {
        Ok(status) if status.success() => {}
        other => println!("{name:<34} fails: {other:?}"),
    }
}

fn one(name: &str, size: usize) {
    let before = status("VmRSS:");
    let of = |kinds: &[(&str, Text)]| kinds.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    if let Some(text) = of(&KINDS) {
        let [small, large] = [size / 10, size].map(|size| best(&text(size), before, measure));
        row(name, &small, &large);
    } else if let Some(text) = of(&WRONG) {
        let [small, large] = [size / 10, size].map(|size| best(&text(size), before, refuse));
        let (speed, ratio) = (speed(&large, large.parse), ratio(&small, &large, |m| m.parse));
        println!("{name:<34} {:>6.1} | {speed:>14} {ratio:>6} | {:>7}", megabytes(&large), large.peak / 1_000_000);
    }
}

/// The cost of one text.
#[derive(Default)]
struct Measured {
    bytes: usize,
    parse: Duration,
    verify: Duration,
    print: Duration,
    compare: Duration,
    drop: Duration,
    /// Resident while the text was read, above what was before there was any text.
    peak: u64,
}

/// The best times of three, and the peak of the first: the others find what it left to the process.
fn best(text: &str, before: u64, measure: fn(&str, u64) -> Measured) -> Measured {
    let first = measure(text, before);
    (1..3).fold(first, |best, _| {
        let again = measure(text, before);
        Measured {
            bytes: best.bytes,
            parse: best.parse.min(again.parse),
            verify: best.verify.min(again.verify),
            print: best.print.min(again.print),
            compare: best.compare.min(again.compare),
            drop: best.drop.min(again.drop),
            peak: best.peak,
        }
    })
}

fn measure(text: &str, before: u64) -> Measured {
    let file = SourceFile::new("scale.py", text);
    forget_peak();
    let (module, parse) = timed(|| read(&file));
    let peak = status("VmHWM:").saturating_sub(before);
    let (verified, verify) = timed(|| verify(&module, Form::Any));
    if let Err(faults) = verified {
        panic!("{}", faults.0[0]);
    }
    let options = PrintOptions { show_meta: true, ..PrintOptions::default() };
    let (printed, print) = timed(|| print_module(&module, &options));
    let back = read(&SourceFile::new("printed.py", printed));
    let (same, compare) = timed(|| module.compare(&back));
    assert_eq!(same, Ok(()));
    let ((), drop) = timed(|| std::mem::drop(back));
    Measured { bytes: text.len(), parse, verify, print, compare, drop, peak }
}

/// Reads a text that is wrong, and renders what is wrong with it.
fn refuse(text: &str, before: u64) -> Measured {
    let file = SourceFile::new("wrong.py", text);
    forget_peak();
    let (rendered, parse) = timed(|| parse_file(&file, &NoHost).map_err(|errors| errors.render(false)));
    let peak = status("VmHWM:").saturating_sub(before);
    assert!(rendered.is_err());
    Measured { bytes: text.len(), parse, peak, ..Measured::default() }
}

fn timed<R>(work: impl FnOnce() -> R) -> (R, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

fn read(file: &Arc<SourceFile>) -> IRModule {
    match parse_module(file, &NoHost) {
        Ok(module) => module,
        Err(diagnostics) => panic!("{}", diagnostics.0[0]),
    }
}

fn row(name: &str, small: &Measured, large: &Measured) {
    let both =
        |time: fn(&Measured) -> Duration| format!("{:>12} {:>5}", speed(large, time(large)), ratio(small, large, time));
    let columns = [both(|m| m.parse), both(|m| m.verify), both(|m| m.print)].join(" | ");
    let (compare, drop) = (speed(large, large.compare), speed(large, large.drop));
    let peak = large.peak / 1_000_000;
    println!("{name:<34} {:>6.1} | {columns} | {compare:>8} | {drop:>8} | {peak:>7}", megabytes(large));
}

fn megabytes(of: &Measured) -> f64 {
    of.bytes as f64 / 1e6
}

fn speed(of: &Measured, time: Duration) -> String {
    format!("{:.1}", megabytes(of) / time.as_secs_f64())
}

/// How many times longer ten times the text takes: a text is only about as long as it was asked to be.
fn ratio(small: &Measured, large: &Measured, time: fn(&Measured) -> Duration) -> String {
    let grown = time(large).as_secs_f64() / time(small).as_secs_f64();
    let ratio = grown * 10.0 * small.bytes as f64 / large.bytes as f64;
    format!("{ratio:.1}{}", if ratio > LINEAR { "!" } else { "" })
}

/// From here on the peak counts.
fn forget_peak() {
    // Refused where the system does not have it: the peak is then that of the whole process.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn status(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}
