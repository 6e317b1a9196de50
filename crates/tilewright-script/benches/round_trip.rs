//! Random modules by the thousand: `cargo bench -p tilewright-script --bench round_trip -- [COUNT [SEED]]`.
//!
//! Each is printed, read, compared and printed again, in two widths; at the end stands how often each kind of node
//! occurred. A module that does not survive is printed, and the outcome is then a failure.

#[path = "../tests/random/mod.rs"]
mod random;
#[path = "../tests/round_trip/survive.rs"]
mod survive;

use std::process::ExitCode;
use std::time::Instant;

use random::Generator;
use tilewright_ir::analysis::kinds::Kinds;

const COUNT: u64 = 100_000;
/// Failures after which it ends.
const MOST: usize = 20;

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let count = numbers.first().copied().unwrap_or(COUNT);
    let first = numbers.get(1).copied().unwrap_or(1).wrapping_mul(1 << 32);
    let start = Instant::now();
    let mut kinds = Kinds::default();
    let mut failures = 0;
    for number in 0..count {
        let module = Generator::new(first.wrapping_add(number)).module();
        kinds.add(&module);
        if let Err(reason) = survive::whole(&module) {
            println!("module {number} does not survive: {reason}\n");
            failures += 1;
            if failures == MOST {
                break;
            }
        }
    }
    let names = Kinds::names();
    let missing = names.iter().filter(|name| kinds.times(name) == 0).count();
    for line in names.chunks(4) {
        let cells: Vec<String> = line.iter().map(|name| format!("{:>9} {name:<40}", kinds.times(name))).collect();
        println!("{}", cells.concat().trim_end());
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{count} modules in {seconds:.0} s, {failures} do not survive, {missing} kinds are missing");
    if failures == 0 && missing == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
