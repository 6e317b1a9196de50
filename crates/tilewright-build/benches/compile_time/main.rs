//! How the time to compile a function grows with its size.
//!
//! ```text
//! cargo bench -p tilewright-build --bench compile_time                 every family of programs
//! cargo bench -p tilewright-build --bench compile_time -- loads exps   these families
//! cargo bench -p tilewright-build --bench compile_time -- --steps      with the time of every step of lowering
//! cargo bench -p tilewright-build --bench compile_time -- --lower      without machine code
//! cargo bench -p tilewright-build --bench compile_time -- --size 50    at this size
//! ```
//!
//! A family is a program of any size (`families.rs`); it is compiled at a tenth of its size and at its size, and the
//! table gives the times of both, their quotient, and the steps that took longest. Time that is linear has a quotient
//! of 10, but for what every function costs.

mod families;

use std::process::ExitCode;
use std::time::Instant;

use tilewright_ir::low::LowTir;
use tilewright_ir::tir::PrimFunc;
use tilewright_llvm::Source;
use tilewright_target::Target;

use families::FAMILIES;

/// Steps by name, with their seconds.
type Times = Vec<(&'static str, f64)>;

#[derive(Default)]
struct Options {
    names: Vec<String>,
    steps: bool,
    only_lower: bool,
    size: Option<usize>,
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("compile_time: {problem}");
            return ExitCode::FAILURE;
        }
    };
    println!("{:<14} {:>7} {:>9} {:>9} {:>9}  longest steps", "family", "size", "tenth", "whole", "quotient");
    for family in FAMILIES.iter().filter(|f| options.names.is_empty() || options.names.iter().any(|n| n == f.name)) {
        let size = options.size.unwrap_or(family.size);
        let [small, large] = [size / 10, size].map(|size| compile(&(family.program)(size), &options));
        match (small, large) {
            (Ok(small), Ok(large)) => report(family.name, size, &small, &large, options.steps),
            (Err(problem), _) | (_, Err(problem)) => println!("{:<14} {problem}", family.name),
        }
    }
    ExitCode::SUCCESS
}

fn options() -> Result<Options, String> {
    let mut options = Options::default();
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--steps" => options.steps = true,
            "--lower" => options.only_lower = true,
            "--size" => options.size = args.next().and_then(|size| size.parse().ok()),
            name if FAMILIES.iter().any(|family| family.name == name) => options.names.push(arg),
            _ => return Err(format!("no family `{arg}`")),
        }
    }
    Ok(options)
}

fn compile(function: &PrimFunc, options: &Options) -> Result<Times, String> {
    let mut times = Times::new();
    let target = Target::host();
    let mut current = function.clone();
    for (name, step) in tilewright_tir_passes::lowering_passes() {
        let start = Instant::now();
        current = step.run_for(&target, &current).map_err(|problems| format!("{name}: {problems}"))?;
        times.push((name, start.elapsed().as_secs_f64()));
    }
    let start = Instant::now();
    let low = LowTir::new("main", current).map_err(|problems| problems.to_string())?;
    times.push(("check", start.elapsed().as_secs_f64()));
    if options.only_lower {
        return Ok(times);
    }
    let start = Instant::now();
    let source = Source::new(&[low], &target).map_err(|error| error.to_string())?;
    times.push(("text", start.elapsed().as_secs_f64()));
    let start = Instant::now();
    source.compile(&target, &Default::default()).map_err(|error| error.to_string())?;
    times.push(("llvm", start.elapsed().as_secs_f64()));
    Ok(times)
}

fn report(name: &str, size: usize, small: &Times, large: &Times, steps: bool) {
    let total = |times: &Times| times.iter().map(|(_, seconds)| seconds).sum::<f64>();
    let (tenth, whole) = (total(small), total(large));
    let mut longest: Vec<_> = small.iter().zip(large).map(|(&(step, a), &(_, b))| (step, a, b)).collect();
    if !steps {
        longest.sort_by(|a, b| b.2.total_cmp(&a.2));
        longest.truncate(3);
    }
    let longest: Vec<String> =
        longest.iter().map(|(step, a, b)| format!("{step} {:.1} → {:.1} ms", a * 1e3, b * 1e3)).collect();
    let separator = if steps { "\n    " } else { ", " };
    let ms = |seconds: f64| format!("{:.1} ms", seconds * 1e3);
    println!(
        "{name:<14} {size:>7} {:>9} {:>9} {:>9.1}  {}",
        ms(tenth),
        ms(whole),
        whole / tenth,
        longest.join(separator)
    );
}
