//! Random programs for the rules of default schedules, without end or as many as one likes: `cargo bench -p
//! tilewright-filetests --bench rules -- [FIRST SEED] [COUNT] [--family NAME]`. A program that does not hold is printed
//! as plain as it was found, with its seed; `-- SEED 1` looks at that one alone. In the end it prints how often each
//! rule was taken by the programs of each family, and it fails where a rule never was.
//!
//! The programs run in another process of the same binary, so that one which stops it is a fault like others.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Instant;

use tilewright::schedule::rules::CPU;
use tilewright::support::Map;
use tilewright_filetests::rules::{Case, FAMILIES};

/// The options of the command line.
struct Options {
    first: u64,
    count: u64,
    family: Option<String>,
    /// Whether this is the process that the programs run in.
    inside: bool,
}

impl Options {
    fn read() -> Self {
        let mut options = Self { first: 0, count: u64::MAX, family: None, inside: false };
        let (mut args, mut numbers) = (std::env::args().skip(1), 0);
        while let Some(arg) = args.next() {
            match (arg.as_str(), arg.parse::<u64>()) {
                ("--family", _) => options.family = args.next(),
                ("--inside", _) => options.inside = true,
                (_, Ok(number)) if numbers == 0 => (options.first, numbers) = (number, 1),
                (_, Ok(number)) => options.count = number,
                _ => {}
            }
        }
        options
    }

    fn seeds(&self) -> impl Iterator<Item = u64> + '_ {
        let wanted = |seed: &u64| {
            let family = FAMILIES[(*seed % FAMILIES.len() as u64) as usize].name;
            self.family.as_deref().is_none_or(|name| name == family)
        };
        (self.first..self.first.saturating_add(self.count)).filter(wanted)
    }
}

fn main() {
    let options = Options::read();
    if options.inside { inside(&options) } else { outside(&options) }
}

/// Looks at programs, and says in a line on the standard output what comes of each.
fn inside(options: &Options) {
    let mut out = std::io::stdout().lock();
    let mut say = |line: &str| {
        let _ = writeln!(out, "{line}");
        let _ = out.flush();
    };
    for seed in options.seeds() {
        say(&format!("begin {seed}"));
        let case = Case::of_seed(seed);
        match case.check() {
            Ok(checked) => {
                let ran = if checked.ran { "ran" } else { "compiled" };
                say(&format!("end {} {ran} {}", case.family.name, checked.rules.join(" ")));
            }
            Err(fault) => {
                let (case, fault) = case.shrunk(fault, |case| case.check().err());
                say(&format!("fault {}", case.family.name));
                say(&format!("{}: {}: {}\n{}", case.target, fault.step, fault.message, case.program));
                say("end");
            }
        }
    }
}

/// The statistics of a run.
#[derive(Default)]
struct Seen {
    programs: u64,
    ran: u64,
    faults: u64,
    /// By family and rule.
    taken: Map<(String, String), u64>,
}

/// Has programs looked at, and prints what comes of it.
fn outside(options: &Options) {
    let (start, mut seen) = (Instant::now(), Seen::default());
    let end = options.first.saturating_add(options.count);
    let mut next = options.first;
    while next < end {
        let Ok((mut child, output)) = started(options, next, end - next) else {
            println!("the programs' process does not start");
            std::process::exit(1);
        };
        let last = follow(output, &mut seen);
        let status = child.wait();
        match (status, last) {
            (Ok(status), _) if status.success() => break,
            (status, Some(seed)) => {
                seen.faults += 1;
                let family = FAMILIES[(seed % FAMILIES.len() as u64) as usize].name;
                println!("seed {seed}, {family}: survived: {status:?}\n{}", Case::of_seed(seed).program);
                next = seed + 1;
            }
            (status, None) => {
                println!("the programs' process ends at once: {status:?}");
                std::process::exit(1);
            }
        }
    }
    let missing = report(&seen);
    println!("\n{} programs, {} of them run, {} faults, {:.0?}", seen.programs, seen.ran, seen.faults, start.elapsed());
    std::process::exit(i32::from(seen.faults > 0 || (missing && options.family.is_none())));
}

fn started(options: &Options, first: u64, count: u64) -> std::io::Result<(Child, ChildStdout)> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args([first.to_string(), count.to_string(), "--inside".to_owned()]);
    if let Some(family) = &options.family {
        command.args(["--family", family]);
    }
    // Kernels of random programs are not cached on disk.
    let mut child = command.env("TILEWRIGHT_CACHE_DIR", "").stdout(Stdio::piped()).spawn()?;
    let output = child.stdout.take().ok_or_else(|| std::io::Error::other("there is no output"))?;
    Ok((child, output))
}

/// Reads what is said of programs; gives the seed of one that was begun and not ended.
fn follow(output: ChildStdout, seen: &mut Seen) -> Option<u64> {
    let (mut begun, mut fault) = (None, false);
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        let mut words = line.split_whitespace();
        match words.next() {
            _ if fault && line != "end" => println!("{line}"),
            Some("begin") => begun = words.next().and_then(|seed| seed.parse::<u64>().ok()),
            Some("fault") => {
                fault = true;
                seen.faults += 1;
                println!("seed {}, {}", begun.unwrap_or_default(), words.next().unwrap_or_default());
            }
            Some("end") => {
                seen.programs += 1;
                (begun, fault) = (None, false);
                let Some(family) = words.next() else { continue };
                seen.ran += u64::from(words.next() == Some("ran"));
                for rule in words {
                    *seen.taken.entry((family.to_owned(), rule.to_owned())).or_default() += 1;
                }
                if seen.programs.is_multiple_of(500) {
                    report(seen);
                }
            }
            _ => println!("{line}"),
        }
    }
    begun
}

/// Prints how often which rule was taken; true where one never was.
fn report(seen: &Seen) -> bool {
    let names = || CPU.iter().flat_map(|rule| rule.kernels).copied();
    let count = |family: &str, rule: &str| *seen.taken.get(&(family.to_owned(), rule.to_owned())).unwrap_or(&0);
    println!("\n| of {} programs | {} |", seen.programs, names().collect::<Vec<_>>().join(" | "));
    println!("|---|{}", names().map(|_| "---|").collect::<String>());
    let line = |name: &str, counts: &[u64]| {
        let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
        println!("| {name} | {} |", counts.join(" | "));
    };
    for family in FAMILIES {
        line(family.name, &names().map(|rule| count(family.name, rule)).collect::<Vec<_>>());
    }
    let all: Vec<u64> = names().map(|rule| FAMILIES.iter().map(|family| count(family.name, rule)).sum()).collect();
    line("all", &all);
    all.contains(&0)
}
