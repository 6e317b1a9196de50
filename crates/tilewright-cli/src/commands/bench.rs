//! `tilewright bench`: latency and throughput of a function, compared with other runtimes that are installed.
//!
//! Every runtime has a process of its own. They take turns in rounds, so that a machine that becomes slower for a while
//! is slower for all of them.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tilewright::import::onnx as model;
use tilewright::runtime::{Function, num_threads, set_num_threads};
use tilewright::{Value, VirtualMachine};

use super::call::CallArguments;
use super::run::load;
use super::tune::duration;
use crate::failure::{Failure, Outcome};
use crate::output::print;
use crate::peers::{Absent, ENGINES, Peer, Scratch, inputs, interpreter};
use crate::progress::Progress;
use crate::{Input, Tuned, onnx};

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
    /// Threads of a call; by default one per processor.
    #[arg(long, value_name = "COUNT")]
    threads: Option<usize>,
    /// Calls at the same time when throughput is measured, each with one thread; by default as many as threads. With 0,
    /// throughput is not measured.
    #[arg(long, value_name = "COUNT")]
    streams: Option<usize>,
    /// How long to call each runtime, in all, for latency and again for throughput.
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = duration)]
    time: Duration,
    /// How often the runtimes take turns.
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Calls before the first round, which are not counted.
    #[arg(long, value_name = "CALLS", default_value_t = 3)]
    warm_up: usize,
    /// The runtimes to compare with, if installed; `none` for none.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', default_value = "onnxruntime,openvino")]
    peers: Vec<String>,
    /// The Python interpreter in which they are looked for.
    #[arg(long, value_name = "FILE")]
    python: Option<PathBuf>,
    /// Write one object of JSON, with times in seconds.
    #[arg(long)]
    json: bool,
}

/// Calls of a round at least.
const LEAST_CALLS: usize = 2;
/// Threads and streams at most.
const MOST_THREADS: usize = 1024;
/// A pause between two turns: idle threads of the last runtime go to sleep.
const BETWEEN_TURNS: Duration = Duration::from_millis(20);

/// How a runtime did.
#[derive(Debug, Default)]
struct Measured {
    name: String,
    version: String,
    /// Seconds until the model could be called.
    ready: f64,
    /// The seconds of each call, by round.
    rounds: Vec<Vec<f64>>,
    /// Calls, and the seconds that they took.
    streamed: (f64, f64),
}

impl Measured {
    /// All calls, the shortest first.
    fn sorted(&self) -> Vec<f64> {
        let mut all: Vec<f64> = self.rounds.iter().flatten().copied().collect();
        all.sort_by(f64::total_cmp);
        all
    }

    fn throughput(&self) -> Option<f64> {
        let (calls, seconds) = self.streamed;
        (calls > 0.0 && seconds > 0.0).then(|| calls / seconds)
    }
}

/// The value below which a part of the sorted numbers lies.
fn percentile(sorted: &[f64], part: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let at = (part * sorted.len() as f64).ceil() as usize;
    sorted.get(at.saturating_sub(1).min(last)).copied().unwrap_or(f64::NAN)
}

fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    percentile(&sorted, 0.5)
}

/// How long a call of a peer takes for one of this compiler's, by round: the median, the least and the most.
fn ratios(own: &Measured, peer: &Measured) -> [f64; 3] {
    let each = own.rounds.iter().zip(&peer.rounds).map(|(own, peer)| median(peer) / median(own));
    let mut each: Vec<f64> = each.collect();
    each.sort_by(f64::total_cmp);
    [0.5, 0.0, 1.0].map(|part| percentile(&each, part))
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let threads = bounded("--threads", arguments.threads, 1)?.unwrap_or_else(num_threads);
    let streams = bounded("--streams", arguments.streams, 0)?.unwrap_or(threads);
    let wanted = wanted_peers(arguments)?;
    set_num_threads(threads);
    let path = &arguments.input.file;
    let started = Instant::now();
    let executable = load(path, arguments.target.as_deref(), &arguments.tuned)?;
    let ready = started.elapsed().as_secs_f64();
    let machine = VirtualMachine::new(executable, &[])?;
    let function = machine.function(&arguments.function)?;
    let values = arguments.call.values_or_random(function.signature(), 0)?;
    let scratch = Scratch::new()?;
    let (mut peers, mut absent) = (Vec::new(), Vec::new());
    if onnx::is_onnx(path) && !wanted.is_empty() {
        let bytes = std::fs::read(path).map_err(|error| Failure::file("read", path, &error))?;
        let model = model::read(&bytes).map_err(|error| Failure::of_file(path, error))?;
        let whole = std::path::absolute(path).map_err(|error| Failure::file("find", path, &error))?;
        let request =
            json!({"do": "load", "model": whole, "threads": threads, "inputs": inputs(&model, &values, &scratch)?});
        let python = interpreter(arguments.python.as_deref());
        for engine in wanted {
            match Peer::start(engine, &python, &scratch).and_then(|peer| loaded(peer, &request, arguments.warm_up)) {
                Ok(peer) => peers.push(peer),
                Err(reason) => absent.push((engine, reason)),
            }
        }
    }
    let mut own =
        Measured { name: "tilewright".into(), version: env!("CARGO_PKG_VERSION").into(), ready, ..Measured::default() };
    let progress = Progress::new();
    let measured = measure(arguments, (threads, streams), (&function, &values), &mut own, &mut peers);
    progress.finish();
    measured?;
    let report =
        Report { own, peers: peers.into_iter().map(|(_, measured)| measured).collect(), absent, threads, streams };
    print(&if arguments.json { report.json(arguments) } else { report.table(arguments) })
}

fn bounded(option: &str, count: Option<usize>, least: usize) -> Outcome<Option<usize>> {
    match count {
        Some(count) if !(least..=MOST_THREADS).contains(&count) => {
            Err(Failure::Message(format!("expected {least} to {MOST_THREADS} for {option}, found {count}")))
        }
        count => Ok(count),
    }
}

fn wanted_peers(arguments: &Arguments) -> Outcome<Vec<&'static str>> {
    if arguments.peers == ["none"] {
        return Ok(Vec::new());
    }
    let known = |name: &String| {
        let found = ENGINES.iter().find(|engine| *engine == name).copied();
        found.ok_or_else(|| Failure::Message(format!("no runtime `{name}` is known, only {}", ENGINES.join(", "))))
    };
    arguments.peers.iter().map(known).collect()
}

/// Loads the model, and calls it a few times.
fn loaded(mut peer: Peer, request: &Json, warm_up: usize) -> Result<(Peer, Measured), Absent> {
    let mut request = request.clone();
    request["engine"] = json!(peer.engine);
    let answer = peer.ask(&request)?;
    peer.ask(&json!({"do": "time", "seconds": 0, "least": warm_up}))?;
    let measured = Measured {
        name: peer.engine.to_owned(),
        version: answer["version"].as_str().unwrap_or("?").to_owned(),
        ready: answer["seconds"].as_f64().unwrap_or(f64::NAN),
        ..Measured::default()
    };
    Ok((peer, measured))
}

type Called<'a> = (&'a Function, &'a [Value]);

/// Rounds of latency, then rounds of throughput.
fn measure(
    arguments: &Arguments,
    (threads, streams): (usize, usize),
    called: Called<'_>,
    own: &mut Measured,
    peers: &mut [(Peer, Measured)],
) -> Outcome {
    let (function, values) = called;
    for _ in 0..arguments.warm_up {
        function.call(values)?;
    }
    let turn = arguments.time / u32::from(arguments.rounds);
    let seconds = turn.as_secs_f64();
    let failed = |peer: &Peer, reason: Absent| Failure::Message(format!("{}: {}", peer.engine, reason.reason()));
    for _ in 0..arguments.rounds {
        own.rounds.push(time_calls(called, turn)?);
        std::thread::sleep(BETWEEN_TURNS);
        for (peer, measured) in peers.iter_mut() {
            let request = json!({"do": "time", "seconds": seconds, "least": LEAST_CALLS});
            let answer = peer.ask(&request).map_err(|reason| failed(peer, reason))?;
            let times = answer["times"].as_array().map_or(&[][..], Vec::as_slice);
            measured.rounds.push(times.iter().filter_map(Json::as_f64).collect());
            std::thread::sleep(BETWEEN_TURNS);
        }
    }
    if streams == 0 {
        return Ok(());
    }
    for _ in 0..arguments.rounds {
        set_num_threads(1);
        let (calls, took) = stream(called, streams, turn)?;
        set_num_threads(threads);
        own.streamed.0 += calls as f64;
        own.streamed.1 += took.as_secs_f64();
        for (peer, measured) in peers.iter_mut() {
            let request = json!({"do": "stream", "seconds": seconds, "streams": streams});
            let answer = peer.ask(&request).map_err(|reason| failed(peer, reason))?;
            measured.streamed.0 += answer["calls"].as_f64().unwrap_or(0.0);
            measured.streamed.1 += answer["seconds"].as_f64().unwrap_or(0.0);
        }
    }
    Ok(())
}

/// The seconds of each call of a turn.
fn time_calls((function, values): Called<'_>, turn: Duration) -> Outcome<Vec<f64>> {
    let (begin, mut times) = (Instant::now(), Vec::new());
    while times.len() < LEAST_CALLS || begin.elapsed() < turn {
        let start = Instant::now();
        function.call(values)?;
        times.push(start.elapsed().as_secs_f64());
    }
    Ok(times)
}

/// Calls from several threads at once: how many, and how long they took together.
fn stream((function, values): Called<'_>, streams: usize, turn: Duration) -> Outcome<(usize, Duration)> {
    let (calls, failed, begin) = (AtomicUsize::new(0), AtomicBool::new(false), Instant::now());
    let work = || {
        while begin.elapsed() < turn && !failed.load(Ordering::Relaxed) {
            if let Err(error) = function.call(values) {
                failed.store(true, Ordering::Relaxed);
                return Err(error);
            }
            calls.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..streams).map(|_| scope.spawn(work)).collect();
        let ends = threads.into_iter().map(|thread| thread.join());
        ends.map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect::<Result<Vec<()>, _>>()
    })?;
    Ok((calls.into_inner(), begin.elapsed()))
}

/// What was measured.
struct Report {
    own: Measured,
    peers: Vec<Measured>,
    absent: Vec<(&'static str, Absent)>,
    threads: usize,
    streams: usize,
}

impl Report {
    fn table(&self, arguments: &Arguments) -> String {
        let threads = if self.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", self.threads) };
        let mut text = format!(
            "{}: {threads}, {} rounds, {} calls\n\n",
            arguments.input.file.display(),
            arguments.rounds,
            self.own.sorted().len()
        );
        let heading = match self.streams {
            0 => String::new(),
            1 => "calls/s in 1 stream".to_owned(),
            streams => format!("calls/s in {streams} streams"),
        };
        text += &format!(
            "{:<24} {:>10} {:>10} {:>10} {:>10} {:>10}  {:>19}  {heading}\n",
            "", "median", "p90", "p99", "min", "ready in", "ratio (of rounds)"
        );
        text += &row(&self.own, "1.00");
        for peer in &self.peers {
            let [middle, least, most] = ratios(&self.own, peer);
            text += &row(peer, &format!("{middle:.2} ({least:.2}-{most:.2})"));
        }
        for (name, reason) in &self.absent {
            text += &format!("{name:<24} {}\n", reason.reason());
        }
        if !self.peers.is_empty() {
            text += "\nratio: the median of a call, divided by tilewright's; above 1, tilewright is faster\n";
        }
        text
    }

    fn json(&self, arguments: &Arguments) -> String {
        let engine = |measured: &Measured| {
            let sorted = measured.sorted();
            let mean = sorted.iter().sum::<f64>() / sorted.len().max(1) as f64;
            json!({
                "name": measured.name,
                "version": measured.version,
                "ready": measured.ready,
                "calls": sorted.len(),
                "latency": {
                    "min": percentile(&sorted, 0.0), "median": percentile(&sorted, 0.5), "mean": mean,
                    "p90": percentile(&sorted, 0.9), "p99": percentile(&sorted, 0.99),
                },
                "calls_per_second": measured.throughput(),
            })
        };
        let peer = |measured: &Measured| {
            let [middle, least, most] = ratios(&self.own, measured);
            let mut all = engine(measured);
            all["ratio"] = json!({"median": middle, "min": least, "max": most});
            all
        };
        let absent = self.absent.iter().map(|(name, reason)| json!({"name": name, "reason": reason.reason()}));
        let all = json!({
            "model": arguments.input.file.display().to_string(),
            "function": arguments.function,
            "threads": self.threads,
            "streams": self.streams,
            "rounds": arguments.rounds,
            "tilewright": engine(&self.own),
            "peers": self.peers.iter().map(peer).collect::<Vec<_>>(),
            "absent": absent.collect::<Vec<_>>(),
        });
        format!("{all:#}\n")
    }
}

fn row(measured: &Measured, ratio: &str) -> String {
    let sorted = measured.sorted();
    let [median, p90, p99, min] = [0.5, 0.9, 0.99, 0.0].map(|part| time(percentile(&sorted, part)));
    let name = format!("{} {}", measured.name, measured.version);
    let streamed = measured.throughput().map_or_else(String::new, |calls| format!("{calls:.1}"));
    let ready = time(measured.ready);
    let line = format!("{name:<24} {median:>10} {p90:>10} {p99:>10} {min:>10} {ready:>10}  {ratio:>19}  {streamed}");
    line.trim_end().to_owned() + "\n"
}

fn time(seconds: f64) -> String {
    Duration::try_from_secs_f64(seconds).map_or_else(|_| "-".to_owned(), |time| format!("{time:.2?}"))
}
