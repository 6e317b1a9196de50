//! What a parallel region costs by itself: regions one after the other, of tasks that do nothing, or of one task for
//! each thread, which wait for each other, so that every region is handed over to another thread and back.
//!
//! `cargo bench -p tilewright-runtime --bench fork_join` prints, for some numbers of threads and tasks, the time of one
//! region: the least and the median of many samples of a hundred regions, and the time of a whole call with one region
//! after a pause that is long enough for the workers to sleep.
#![cfg_attr(not(target_arch = "x86_64"), expect(unused, reason = "the kernels are machine code for x86-64"))]

#[path = "../tests/runtime/code.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod code;

use std::time::{Duration, Instant};

use tilewright_runtime::{Function, Value, set_num_threads};

use code::{Code, plain};

const REGIONS: i64 = 100;
const SAMPLES: usize = 5_000;

/// Times of one region, in order.
fn sample(main: &Function, samples: usize, regions: i64, tasks: i64, pause: Duration) -> Vec<Duration> {
    let args = [Value::Int(regions), Value::Int(tasks)];
    let mut times: Vec<_> = (0..samples)
        .map(|_| {
            std::thread::sleep(pause);
            let start = Instant::now();
            main.call(&args).unwrap();
            start.elapsed() / regions as u32
        })
        .collect();
    times.sort_unstable();
    times
}

fn row(what: &str, main: &Function, threads: usize, tasks: i64) {
    set_num_threads(threads);
    let warm = sample(main, SAMPLES, REGIONS, tasks, Duration::ZERO);
    let cold = sample(main, 200, 1, tasks, Duration::from_millis(2));
    let nanoseconds = |times: &[Duration], percent: usize| times[(times.len() - 1) * percent / 100].as_nanos();
    let (least, median, late) = (nanoseconds(&warm, 0), nanoseconds(&warm, 50), nanoseconds(&warm, 99));
    let cold = nanoseconds(&cold, 50);
    println!("{threads:7} {tasks:6} {what:8} {least:5} ns {median:5} ns {late:6} ns {cold:12} ns");
}

#[cfg(target_arch = "x86_64")]
fn main() {
    println!("threads  tasks which        min   median      99 %   after a pause");
    let empty = plain(Code::Regions, 0, 2);
    for threads in [1, 2, 3] {
        [1, 2, 8, 64].into_iter().for_each(|tasks| row("empty", &empty, threads, tasks));
    }
    let meeting = plain(Code::Meetings, 0, 2);
    row("meeting", &meeting, 2, 2);
}

#[cfg(not(target_arch = "x86_64"))]
fn main() {}
