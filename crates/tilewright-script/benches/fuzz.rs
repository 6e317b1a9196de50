//! Damaged scripts by the million: `cargo bench -p tilewright-script --bench fuzz -- [COUNT [SEED]]`.
//!
//! Ends with what became of them, how fast, the slowest, and the most memory that was in use. The inputs are made and
//! read in batches, each in a process of its own: one that ends for any reason, takes more than [`MEMORY`] or is busy
//! with one input for a minute is run again with every input written to a file before it is read, and the outcome is a
//! failure that names the file.

#[path = "../tests/fuzz/corpus.rs"]
mod corpus;
#[path = "../tests/fuzz/engine.rs"]
mod engine;
#[path = "../tests/random/mod.rs"]
mod random;

use std::alloc::System;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cap::Cap;
use corpus::Corpus;
use engine::Engine;

const COUNT: u64 = 10_000_000;
const BATCH: u64 = 20_000;
/// Bytes that reading a few kilobytes takes at most, the corpus included.
const MEMORY: usize = 256 << 20;
/// How much of a failure's reason is told, in characters.
const REASON: usize = 4000;
/// A batch that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(300);

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [kind, path, rest @ ..] = arguments.as_slice() {
        let numbers: Vec<u64> = rest.iter().filter_map(|argument| argument.parse().ok()).collect();
        match (kind.as_str(), numbers.as_slice()) {
            ("--batch", [seed, inputs]) => return batch(*seed, *inputs, None),
            ("--trace", [seed, inputs]) => return batch(*seed, *inputs, Some(Path::new(path))),
            ("--input", _) => return input(Path::new(path)),
            _ => {}
        }
    }
    let numbers: Vec<u64> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    all(numbers.first().copied().unwrap_or(COUNT), numbers.get(1).copied().unwrap_or(1))
}

/// Runs one batch after the other, each in a process.
fn all(count: u64, seed: u64) -> ExitCode {
    let start = Instant::now();
    let mut failures = 0;
    for (path, bytes) in Corpus::kept() {
        if let Err(reason) = engine::examine_whole(&bytes) {
            println!("{} fails: {reason}", path.display());
            failures += 1;
        }
    }
    let mut total = [0; 6];
    for number in 0..count.div_ceil(BATCH) {
        let batch_seed = seed.wrapping_mul(1_000_003).wrapping_add(number);
        let inputs = BATCH.min(count - number * BATCH);
        match run("--batch", Path::new("-"), batch_seed, inputs) {
            Ok(line) => add(&mut total, &line),
            Err(first) => {
                let path = kept(batch_seed);
                let again = run("--trace", &path, batch_seed, inputs).err();
                let reason = again.unwrap_or_else(|| format!("only once: {first}"));
                println!("batch {batch_seed} fails: {}: {reason}", path.display());
                failures += 1;
            }
        }
        if (number + 1) % 25 == 0 {
            println!("{} after {:.0} s: {}", (number + 1) * BATCH, start.elapsed().as_secs_f64(), tally(&total));
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let rate = count as f64 / seconds;
    println!("{count} inputs of seed {seed} in {seconds:.0} s, {rate:.0} a second; {}", tally(&total));
    println!("{failures} batches or kept inputs fail");
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The counters of a batch, added up; the last two are maxima.
fn add(total: &mut [u64; 6], line: &str) {
    for (at, number) in line.split_whitespace().filter_map(|word| word.parse::<u64>().ok()).take(6).enumerate() {
        total[at] = if at < 4 { total[at] + number } else { total[at].max(number) };
    }
}

fn tally([refused, read, verified, not_text, slowest, memory]: &[u64; 6]) -> String {
    format!(
        "{refused} refused, {read} read ({verified} of them well-formed), {not_text} no text; \
         slowest {slowest} µs, at most {memory} KiB in use"
    )
}

fn kept(seed: u64) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/fuzz");
    let _ = std::fs::create_dir_all(&folder);
    folder.join(format!("script-{seed}.py"))
}

/// Runs a batch in a process; the error is why it fails.
fn run(kind: &str, path: &Path, seed: u64, inputs: u64) -> Result<String, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.arg(kind).arg(path).args([seed.to_string(), inputs.to_string()]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| error.to_string())?;
    let hangs = !ends(&mut child);
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let ended = if hangs { "hangs".to_owned() } else { output.status.to_string() };
    Err(format!("{ended} {}{}", out.trim(), err.chars().take(300).collect::<String>()))
}

/// Waits; a process that hangs is ended.
fn ends(child: &mut Child) -> bool {
    let start = Instant::now();
    while matches!(child.try_wait(), Ok(None)) {
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}

/// The inputs of one batch, on a thread whose stack is large enough for the parser from the start.
fn batch(seed: u64, inputs: u64, trace: Option<&Path>) -> ExitCode {
    let trace = trace.map(Path::to_owned);
    std::panic::set_hook(Box::new(|_| {}));
    let work = move || {
        let corpus = Arc::new(Corpus::load());
        let _ = ALLOCATOR.set_limit(MEMORY);
        let mut engine = Engine::new(&corpus, seed);
        for _ in 0..inputs {
            engine.make();
            if let Some(path) = &trace {
                let _ = std::fs::write(path, engine.input());
            }
            if let Err(reason) = engine.execute() {
                // Less than a pipe holds: nobody reads it before the process has ended.
                println!("{}", reason.chars().take(REASON).collect::<String>());
                return ExitCode::FAILURE;
            }
        }
        let tally = &engine.tally;
        println!(
            "{} {} {} {} {} {}",
            tally.refused,
            tally.read,
            tally.verified,
            tally.not_text,
            tally.slowest.as_micros(),
            ALLOCATOR.max_allocated() / 1024
        );
        ExitCode::SUCCESS
    };
    let thread = std::thread::Builder::new().stack_size(80 << 20).spawn(work);
    thread.ok().and_then(|thread| thread.join().ok()).unwrap_or(ExitCode::FAILURE)
}

/// One input from a file.
fn input(path: &Path) -> ExitCode {
    match std::fs::read(path).map_err(|error| error.to_string()).and_then(|bytes| engine::examine_whole(&bytes)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            println!("{reason}");
            ExitCode::FAILURE
        }
    }
}
