//! The worker pool: who comes, who sleeps, where, and after `fork`.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tilewright_runtime::{Function, Value, available_processors, num_threads, set_affinity, set_num_threads};
use tilewright_tensor::{DataType, Tensor};

use crate::code::{Code, plain};
use crate::{HANG, THREADS, alone, ends};

fn call(main: &Function, regions: i64, tasks: i64) {
    main.call(&[Value::Int(regions), Value::Int(tasks)]).unwrap();
}

/// The processors of each worker of this process, by its number.
fn places() -> Vec<(usize, String)> {
    let mut places = Vec::new();
    for task in std::fs::read_dir("/proc/self/task").unwrap() {
        // A thread that ends meanwhile has no file any more.
        let Ok(status) = std::fs::read_to_string(task.unwrap().path().join("status")) else { continue };
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().to_owned();
        if let Some(number) = field("Name:").strip_prefix("tilewright-") {
            places.push((number.parse().unwrap(), field("Cpus_allowed_list:")));
        }
    }
    places.sort_unstable();
    places
}

/// Waits until the workers are as expected.
fn expect_places(expected: &[(usize, String)]) {
    let deadline = Instant::now() + HANG;
    while places() != expected && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(places(), expected);
}

#[test]
fn as_many_threads_come_as_there_are_tasks() {
    let _turn = THREADS.lock().unwrap();
    let meetings = plain(Code::Meetings, 0, 2);
    for threads in [2, 3, 6] {
        set_num_threads(threads);
        // Warm, and after the workers have gone to sleep: then they wake each other.
        call(&meetings, 10, threads as i64);
        for _ in 0..10 {
            std::thread::sleep(Duration::from_millis(2));
            call(&meetings, 1, threads as i64);
            call(&meetings, 2, 2);
        }
    }
    set_num_threads(0);
}

#[test]
fn workers_come_to_several_callers_at_once() {
    let _turn = THREADS.lock().unwrap();
    set_num_threads(4);
    let meetings = plain(Code::Meetings, 0, 2);
    std::thread::scope(|scope| {
        // Three callers with a meeting of two need three workers.
        for _ in 0..3 {
            scope.spawn(|| (0..50).for_each(|_| call(&meetings, 1, 2)));
        }
    });
    set_num_threads(0);
}

#[test]
fn regions_of_many_callers_stay_apart() {
    let _turn = THREADS.lock().unwrap();
    set_num_threads(3);
    // Most callers finish before their helpers, and wait or sleep until those have left.
    let main = plain(Code::Uneven, 1, 1);
    std::thread::scope(|scope| {
        for caller in 0..16 {
            let main = &main;
            scope.spawn(move || assert!((0..1000).all(|_| sums_are_right_in(main, 2 + caller % 3))));
        }
    });
    set_num_threads(0);
}

#[test]
fn idle_workers_use_no_processor() {
    if alone("pool::idle_workers_use_no_processor", &[]) {
        return;
    }
    set_num_threads(4);
    let regions = plain(Code::Regions, 0, 2);
    call(&regions, 1000, 4);
    until_workers_sleep(3);
    // The workers are there nevertheless.
    call(&plain(Code::Meetings, 0, 2), 3, 4);
}

#[test]
fn only_long_regions_wake_workers() {
    if alone("pool::only_long_regions_wake_workers", &[]) {
        return;
    }
    set_num_threads(2);
    let estimated = plain(Code::Estimated, 0, 2);
    // The worker is made, works, and goes to sleep.
    call(&plain(Code::Meetings, 0, 2), 1, 2);
    let before = until_workers_sleep(1);
    for _ in 0..20 {
        // Tasks that take longer than they say they do.
        estimated.call(&[Value::Int(20), Value::Int(1000)]).unwrap();
    }
    assert_eq!(worker_time(), before);
    let deadline = Instant::now() + HANG;
    while worker_time() == before && Instant::now() < deadline {
        estimated.call(&[Value::Int(20), Value::Int(1_000_000)]).unwrap();
    }
    assert!(worker_time() > before);
}

/// The folders of the workers of this process.
fn workers() -> Vec<std::path::PathBuf> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().map(|task| task.unwrap().path());
    tasks.filter(|task| std::fs::read_to_string(task.join("comm")).unwrap().starts_with("tilewright-")).collect()
}

/// What the workers of this process have used, in nanoseconds.
fn worker_time() -> u64 {
    let used = |task: &std::path::PathBuf| {
        let times = std::fs::read_to_string(task.join("schedstat")).unwrap();
        times.split_whitespace().next().unwrap().parse::<u64>().unwrap()
    };
    workers().iter().map(used).sum()
}

/// Waits until there are so many workers, and all of them use nothing for half a second. What they have used until
/// then.
fn until_workers_sleep(count: usize) -> u64 {
    let sleeps = |task: &std::path::PathBuf| {
        let status = std::fs::read_to_string(task.join("status")).unwrap();
        status.lines().find_map(|line| line.strip_prefix("State:")).unwrap().trim().starts_with('S')
    };
    let deadline = Instant::now() + HANG;
    loop {
        let (here, before) = (workers().len(), worker_time());
        std::thread::sleep(Duration::from_millis(500));
        if here == count && workers().iter().all(sleeps) && worker_time() == before {
            return before;
        }
        assert!(Instant::now() < deadline, "{here} workers do not go to sleep");
    }
}

#[test]
fn the_number_of_workers_follows_the_number_of_threads() {
    if alone("pool::the_number_of_workers_follows_the_number_of_threads", &[("TILEWRIGHT_NUM_THREADS", "3")]) {
        return;
    }
    let everywhere = list(&available_processors());
    let regions = plain(Code::Regions, 0, 2);
    assert_eq!(num_threads(), 3);
    for (threads, workers) in [(0, 2), (6, 5), (2, 1), (4, 3), (1, 0), (0, 2)] {
        set_num_threads(threads);
        call(&regions, 2, 4);
        let expected: Vec<_> = (1..=workers).map(|number| (number, everywhere.clone())).collect();
        expect_places(&expected);
    }
}

/// Processors as the system writes them.
fn list(processors: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for &processor in processors {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == processor => *last = processor,
            _ => parts.push((processor, processor)),
        }
    }
    let part = |&(first, last): &(usize, usize)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(",")
}

#[test]
fn workers_run_where_the_user_wants_them() {
    let available = available_processors();
    let (first, last) = (available[0], available[available.len() - 1]);
    let environment = format!("{last},{first},99999");
    if alone("pool::workers_run_where_the_user_wants_them", &[("TILEWRIGHT_AFFINITY", &environment)]) {
        return;
    }
    let regions = plain(Code::Regions, 0, 2);
    let at = |processors: &[usize]| -> Vec<_> {
        processors.iter().enumerate().map(|(index, processor)| (index + 1, processor.to_string())).collect()
    };
    // The environment names two places, of which the caller has the first.
    assert_eq!(num_threads(), 2);
    call(&regions, 2, 4);
    expect_places(&at(&[first]));
    set_num_threads(4);
    expect_places(&at(&[first, last, first]));
    set_affinity(&[first]).unwrap();
    expect_places(&at(&[first, first, first]));
    let error = set_affinity(&[first, 99_999]).unwrap_err().to_string();
    assert!(error.contains("processor 99999 is not among those that the process may use"), "{error}");
    expect_places(&at(&[first, first, first]));
    set_affinity(&[]).unwrap();
    let everywhere = list(&available);
    expect_places(&[1, 2, 3].map(|number| (number, everywhere.clone())));
    call(&plain(Code::Meetings, 0, 2), 3, 4);
}

#[test]
fn a_bound_caller_does_not_bind_the_workers() {
    if alone("pool::a_bound_caller_does_not_bind_the_workers", &[]) {
        return;
    }
    let available = available_processors();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // SAFETY: the set is plain bits, and only this thread is bound.
            unsafe {
                let mut set = std::mem::zeroed::<libc::cpu_set_t>();
                libc::CPU_SET(available[0], &mut set);
                assert_eq!(libc::sched_setaffinity(0, size_of_val(&set), &set), 0);
            }
            assert_eq!(num_threads(), available.len());
            set_num_threads(3);
            call(&plain(Code::Regions, 0, 2), 2, 4);
        });
    });
    let everywhere = list(&available);
    expect_places(&[1, 2].map(|number| (number, everywhere.clone())));
}

/// Whether `main(out, n)` of a machine of its own gives the right sums.
fn sums_are_right(tasks: i64) -> bool {
    sums_are_right_in(&plain(Code::Parallel, 1, 1), tasks)
}

fn sums_are_right_in(main: &Function, tasks: i64) -> bool {
    let out = Tensor::zeros(DataType::I64, &[tasks]).unwrap();
    main.call(&[Value::from(&out), Value::Int(tasks)]).is_ok()
        && out.as_slice::<i64>().is_ok_and(|out| out.iter().enumerate().all(|(i, &sum)| sum == 1000 * i as i64))
}

#[test]
fn forks_while_other_threads_run_regions() {
    if alone("pool::forks_while_other_threads_run_regions", &[]) {
        return;
    }
    set_num_threads(3);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let regions = plain(Code::Regions, 0, 2);
                while !done.load(Ordering::Relaxed) {
                    call(&regions, 10, 8);
                }
            });
        }
        for _ in 0..30 {
            // SAFETY: the child runs a machine of its own, whose locks nobody held, and leaves without destructors.
            match unsafe { libc::fork() } {
                0 => {
                    let right = sums_are_right(50) && sums_are_right(200);
                    // The pool is another one, with all its workers.
                    call(&plain(Code::Meetings, 0, 2), 2, 3);
                    // SAFETY: ends the process at once.
                    unsafe { libc::_exit(if right { 42 } else { 1 }) }
                }
                child => expect_end(child),
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(sums_are_right(50));
}

fn expect_end(child: libc::pid_t) {
    assert!(ends(child));
}
