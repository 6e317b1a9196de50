//! `tilewright tune`: search for faster schedules of a module's kernels, and write what was measured into a database.

use std::ffi::OsString;
use std::fmt::Write;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tilewright::tune::{Budget, Database, Event, Gain, ProcessRunner, Search, Space, Strategy, tune};
use tilewright::{LinkedEvaluator, PassCx, tuning};

use crate::failure::{Failure, Outcome};
use crate::output::{print, say};
use crate::progress::Progress;
use crate::{Input, read_module, target};

#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// How long to search, such as 60s or 5m; compiling the module comes before that.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    budget: Duration,
    /// The database, which need not be there yet; by default the module's file with the ending `.tuned.jsonl`.
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
    /// The target, such as "llvm -mcpu=haswell", which this machine must be able to run; by default this machine.
    #[arg(long)]
    target: Option<String>,
    /// Candidates to measure at most.
    #[arg(long, value_name = "COUNT", default_value_t = usize::MAX, hide_default_value = true)]
    trials: usize,
    /// What is drawn follows from this number.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Candidates of a batch: few, so that every kernel gets its turn.
const BATCH: usize = 8;

/// A number with its unit: milliseconds, seconds, minutes or hours.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let seconds = match unit {
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("expected a time such as 60s or 5m, found `{text}`")),
    };
    let number: f64 = number.parse().map_err(|_| format!("expected a time such as 60s or 5m, found `{text}`"))?;
    Duration::try_from_secs_f64(number * seconds).map_err(|error| error.to_string())
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let target = target(arguments.target.as_deref())?;
    let module = read_module(&arguments.input.file)?;
    let path = arguments.database.clone().unwrap_or_else(|| arguments.input.file.with_extension("tuned.jsonl"));
    let wrong = |error: tilewright::tune::DatabaseError| Failure::Message(error.to_string());
    let mut database = Database::open(&path).map_err(wrong)?;
    let evaluator = LinkedEvaluator::default();
    let mut cx = PassCx { evaluator: Some(&evaluator), ..PassCx::default() };
    let progress = Progress::new();
    progress.step("reading");
    let tasks = tuning::module_tasks(&mut cx, &module, &target)?;
    let searches = tasks.iter().enumerate().map(|(at, task)| {
        let seed = arguments.seed.wrapping_add(at as u64);
        (task, Search::new(Space::of_rules(task), Strategy::Evolutionary, seed))
    });
    let begin = Instant::now();
    let is_over = || begin.elapsed() >= arguments.budget;
    let budget = Budget { trials: arguments.trials, trials_per_task: usize::MAX, batch: BATCH, is_over: &is_over };
    let mut measured = 0;
    let mut watch = |event: &Event<'_>| match event {
        Event::Batch { name, candidates, .. } => {
            progress.step(&format!("{measured} measured; {name}: {candidates} candidates"));
        }
        Event::Trial { .. } => measured += 1,
    };
    let mut runner = ProcessRunner::new(worker()?);
    let gains = tune(searches.collect(), &budget, &mut runner, &mut database, &mut watch);
    progress.finish();
    let gains = gains.map_err(wrong)?;
    print(&table(&gains))?;
    say!("{}: {} records", path.display(), database.records().len())
}

/// The command of the measuring process: this program again.
fn worker() -> Outcome<Vec<OsString>> {
    let program = std::env::current_exe();
    let program = program.map_err(|error| Failure::Message(format!("cannot find this program: {error}")))?;
    // The command line of the Python package runs in an interpreter.
    let is_python = program.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with("python"));
    let arguments: &[&str] = if is_python { &["-m", "tilewright", "tune-worker"] } else { &["tune-worker"] };
    Ok(std::iter::once(program.into_os_string()).chain(arguments.iter().map(OsString::from)).collect())
}

/// Answers the requests of a tuner.
pub(crate) fn serve() -> Outcome {
    let served = tuning::serve(io::stdin().lock(), io::stdout());
    served.map_err(|error| Failure::Message(format!("the tuner is gone: {error}")))
}

/// The width of a kernel's name; a longer one moves the rest of its line.
const NAME: usize = 40;

/// The seconds without and with tuning of a kernel that became faster; the same twice for all others.
fn times(gain: &Gain) -> Option<(f64, f64)> {
    let best = gain.best.as_ref()?;
    let after = best.seconds();
    let before = after / best.ratio()?;
    Some(if best.is_faster() { (before, after) } else { (before, before) })
}

/// What was gained, kernel by kernel and in all.
fn table(gains: &[Gain]) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "{:NAME$} {:>5} {:>6} {:>6} {:>11} {:>11} {:>6}  schedule",
        "kernel", "calls", "trials", "failed", "untuned", "tuned", "part"
    );
    let (mut before, mut after) = (0.0, 0.0);
    for gain in gains {
        let (untuned, tuned, part) = match times(gain) {
            Some((untuned, tuned)) => {
                before += untuned * gain.weight as f64;
                after += tuned * gain.weight as f64;
                (duration_text(untuned), duration_text(tuned), format!("{:.2}", tuned / untuned))
            }
            None => ("-".to_owned(), "-".to_owned(), "-".to_owned()),
        };
        let origin = match &gain.best {
            Some(best) if best.is_faster() => gain.origin,
            _ => "as without tuning",
        };
        let _ = writeln!(
            text,
            "{:NAME$} {:>5} {:>6} {:>6} {untuned:>11} {tuned:>11} {part:>6}  {origin}",
            gain.name, gain.weight, gain.trials, gain.failures
        );
    }
    if before > 0.0 {
        let (untuned, tuned) = (duration_text(before), duration_text(after));
        let _ = writeln!(text, "\nall calls take {untuned} without tuning, {tuned} with it ({:.3})", after / before);
    }
    text
}

fn duration_text(seconds: f64) -> String {
    Duration::try_from_secs_f64(seconds).map_or_else(|_| "-".to_owned(), |time| format!("{time:.1?}"))
}
