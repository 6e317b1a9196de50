//! Profiles of runs, and timings of calls.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::error::{ErrorKind, Result};
use crate::instrument::{Action, CallKind, Event, Instrument};
use crate::machine::Function;
use crate::value::Value;

/// The profile of one run.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The whole run, without the time that taking notes took.
    pub total: Duration,
    /// The callees, those that took longest first.
    pub rows: Vec<ReportRow>,
}

/// All calls of one callee.
#[derive(Clone, PartialEq, Debug)]
pub struct ReportRow {
    pub kind: CallKind,
    pub name: String,
    pub count: usize,
    /// Time in the callee itself and in what it calls.
    pub time: Duration,
    pub shortest: Duration,
    /// Bytes of the tensors among the arguments, over all calls.
    pub bytes: u64,
}

impl Report {
    /// The part of the run's time that the row stands for.
    pub fn share(&self, row: &ReportRow) -> f64 {
        if self.total.is_zero() { 0.0 } else { row.time.as_secs_f64() / self.total.as_secs_f64() }
    }

    /// Time outside of kernels and packed functions: what the machine itself takes.
    pub fn overhead(&self) -> Duration {
        let inside = self.rows.iter().filter(|row| row.kind != CallKind::Function).map(|row| row.time).sum();
        self.total.saturating_sub(inside)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.rows.iter().map(|row| row.name.chars().count()).chain([4]).max().unwrap_or(4);
        writeln!(
            f,
            "{:<width$}  {:<8}  {:>7}  {:>12}  {:>12}  {:>6}  {:>12}",
            "name", "kind", "count", "total us", "min us", "share", "bytes"
        )?;
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        for row in &self.rows {
            let (name, kind, share) = (&row.name, row.kind.name(), 100.0 * self.share(row));
            let (time, shortest) = (micros(row.time), micros(row.shortest));
            let (count, bytes) = (row.count, row.bytes);
            writeln!(
                f,
                "{name:<width$}  {kind:<8}  {count:>7}  {time:>12.2}  {shortest:>12.2}  {share:>5.1}%  {bytes:>12}"
            )?;
        }
        let (total, overhead) = (micros(self.total), micros(self.overhead()));
        writeln!(f, "total {total:.2} us, of which {overhead:.2} us in the machine itself")
    }
}

/// Notes the calls of one run, which all happen on one thread.
#[derive(Default)]
struct Recorder {
    /// When the calls that are under way began, and what had been spent on notes by then.
    started: Vec<(Instant, Duration)>,
    rows: BTreeMap<(CallKind, String), ReportRow>,
    /// Time that was spent on notes.
    own: Duration,
}

impl Recorder {
    fn note(&mut self, event: &Event<'_>) {
        let now = Instant::now();
        match event.result {
            Some(_) => self.add(event, now),
            None => self.started.push((now, self.own)),
        }
        self.own += now.elapsed();
    }

    fn add(&mut self, event: &Event<'_>, now: Instant) {
        let Some((start, own)) = self.started.pop() else { return };
        let time = (now - start).saturating_sub(self.own - own);
        let row = self.rows.entry((event.kind, event.name.to_owned())).or_insert_with(|| ReportRow {
            kind: event.kind,
            name: event.name.to_owned(),
            count: 0,
            time: Duration::ZERO,
            shortest: Duration::MAX,
            bytes: 0,
        });
        row.count += 1;
        row.time += time;
        row.shortest = row.shortest.min(time);
        row.bytes += event.args.iter().map(bytes_of).sum::<u64>();
    }
}

fn bytes_of(value: &Value) -> u64 {
    match value {
        Value::Tensor(tensor) => tensor.num_bytes() as u64,
        _ => 0,
    }
}

/// Runs the function once, watching each call, and returns its result and the report.
pub(crate) fn profile(function: &Function, args: &[Value]) -> Result<(Value, Report)> {
    let recorder = Arc::new(Mutex::new(Recorder::default()));
    let sink = Arc::clone(&recorder);
    let instrument = Instrument::new(move |event| {
        sink.lock().unwrap_or_else(PoisonError::into_inner).note(event);
        Ok(Action::Run)
    });
    let start = Instant::now();
    let result = function.call_observed(args, Some(&instrument))?;
    let total = start.elapsed();
    let recorder = std::mem::take(&mut *recorder.lock().unwrap_or_else(PoisonError::into_inner));
    let (total, rows) = (total.saturating_sub(recorder.own), recorder.rows);
    let mut rows: Vec<_> = rows.into_values().collect();
    rows.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.name.cmp(&b.name)));
    Ok((result, Report { total, rows }))
}

/// How often to call a function to time it. The fields have bounds: [`Timing::check`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Timing {
    /// Calls of one repeat.
    pub number: usize,
    /// Times that are taken.
    pub repeat: usize,
    /// `number` grows until one repeat takes at least this long.
    pub min_repeat: Duration,
    /// The pause after every so many repeats, for the processor to cool down.
    pub cooldown: Duration,
    pub repeats_to_cooldown: usize,
}

impl Timing {
    pub const MAX_NUMBER: usize = 1_000_000_000;
    pub const MAX_REPEAT: usize = 1_000_000;
    pub const MAX_MIN_REPEAT: Duration = Duration::from_secs(3600);
    pub const MAX_COOLDOWN: Duration = Duration::from_secs(3600);

    /// An error that names the field unless all are in their bounds.
    pub fn check(&self) -> Result<()> {
        let wrong = |argument: &str, message: String| {
            let (function, argument) = ("time_evaluator".to_owned(), argument.to_owned());
            Err(ErrorKind::Argument { function, argument, message }.into())
        };
        let Self { number, repeat, min_repeat, cooldown, repeats_to_cooldown } = *self;
        if !(1..=Self::MAX_NUMBER).contains(&number) {
            return wrong("number", format!("expected 1 to {} calls, found {number}", Self::MAX_NUMBER));
        }
        if !(1..=Self::MAX_REPEAT).contains(&repeat) {
            return wrong("repeat", format!("expected 1 to {} times, found {repeat}", Self::MAX_REPEAT));
        }
        if min_repeat > Self::MAX_MIN_REPEAT {
            let (max, found) = (Self::MAX_MIN_REPEAT.as_millis(), min_repeat.as_millis());
            return wrong("min_repeat_ms", format!("expected {max} ms or less, found {found}"));
        }
        if cooldown > Self::MAX_COOLDOWN {
            let (max, found) = (Self::MAX_COOLDOWN.as_millis(), cooldown.as_millis());
            return wrong("cooldown_interval_ms", format!("expected {max} ms or less, found {found}"));
        }
        if repeats_to_cooldown == 0 {
            return wrong("repeats_to_cooldown", "expected 1 or more repeats, found 0".to_owned());
        }
        Ok(())
    }
}

impl Default for Timing {
    fn default() -> Self {
        Self { number: 10, repeat: 1, min_repeat: Duration::ZERO, cooldown: Duration::ZERO, repeats_to_cooldown: 1 }
    }
}

/// Seconds for one call, a number for each repeat.
#[derive(Clone, PartialEq, Debug)]
pub struct Times(pub Vec<f64>);

impl Times {
    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len().max(1) as f64
    }

    pub fn min(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    pub fn max(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }

    pub fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        match sorted.len() {
            0 => f64::NAN,
            n if n % 2 == 1 => sorted[middle],
            _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
        }
    }

    /// The standard deviation of the repeats.
    pub fn std(&self) -> f64 {
        let mean = self.mean();
        let squares: f64 = self.0.iter().map(|time| (time - mean).powi(2)).sum();
        (squares / self.0.len().max(1) as f64).sqrt()
    }
}

/// Time between two pauses.
const PAUSE_AFTER: Duration = Duration::from_millis(50);

/// Times calls of a function after one that is not counted. `pause` is called now and then between calls, while the
/// clock stands; its error ends the timing.
pub(crate) fn time(
    function: &Function,
    args: &[Value],
    timing: Timing,
    pause: &mut dyn FnMut() -> Result<()>,
) -> Result<Times> {
    timing.check()?;
    let start = Instant::now();
    function.call(args)?;
    let batch = (PAUSE_AFTER.as_nanos() / start.elapsed().as_nanos().max(1)).clamp(1, 1 << 20) as usize;
    let mut number = timing.number;
    let mut times = Vec::with_capacity(timing.repeat.min(1 << 16));
    for repeat in 1..=timing.repeat {
        loop {
            pause()?;
            let elapsed = time_calls(function, args, (number, batch), pause)?;
            if elapsed >= timing.min_repeat || number >= Timing::MAX_NUMBER {
                times.push(elapsed.as_secs_f64() / number as f64);
                break;
            }
            let wanted = timing.min_repeat.as_secs_f64() / elapsed.as_secs_f64().max(1e-9);
            number = ((number as f64 * wanted.clamp(1.5, 10.0)).ceil() as usize).min(Timing::MAX_NUMBER);
        }
        if repeat < timing.repeat && repeat % timing.repeats_to_cooldown == 0 {
            cool_down(timing.cooldown, pause)?;
        }
    }
    Ok(Times(times))
}

/// Waits, and looks for the user's wish to stop as often as between calls.
fn cool_down(mut left: Duration, pause: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    while !left.is_zero() {
        let part = left.min(PAUSE_AFTER);
        std::thread::sleep(part);
        left -= part;
        pause()?;
    }
    Ok(())
}

/// The time of `count` calls. The clock is read after each batch of them, which doubles while it takes
/// less than may pass between two pauses: mostly once, and a few times however many calls there are.
fn time_calls(
    function: &Function,
    args: &[Value],
    (mut left, mut batch): (usize, usize),
    pause: &mut dyn FnMut() -> Result<()>,
) -> Result<Duration> {
    let (mut total, mut since_pause) = (Duration::ZERO, Duration::ZERO);
    while left > 0 {
        let calls = batch.min(left);
        let start = Instant::now();
        for _ in 0..calls {
            function.call(args)?;
        }
        let elapsed = start.elapsed();
        total += elapsed;
        since_pause += elapsed;
        left -= calls;
        if elapsed < PAUSE_AFTER / 2 {
            batch *= 2;
        }
        if since_pause >= PAUSE_AFTER {
            pause()?;
            since_pause = Duration::ZERO;
        }
    }
    Ok(total)
}
