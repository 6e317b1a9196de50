//! The process runner with programs of the system in the place of the measuring process.

use std::ffi::OsString;
use std::time::Duration;

use serde_json::json;
use tilewright_tune::ProcessRunner;

fn runner(script: &str) -> ProcessRunner {
    let command = ["sh", "-c", script].into_iter().map(OsString::from).collect();
    let mut runner = ProcessRunner::new(command);
    runner.limit = Duration::from_secs(20);
    runner
}

const ANSWER: &str = "while read line; do echo chatter; echo \"tilewright-answer {\\\"n\\\": $$}\"; done";

#[test]
fn one_process_answers_several_requests() {
    let mut runner = runner(ANSWER);
    let first = runner.ask(&json!({})).expect("an answer");
    assert_eq!(runner.ask(&json!({})).expect("an answer"), first);
}

#[test]
fn a_crash_is_told_and_the_next_request_gets_another_process() {
    let script = format!("case $CRASH in 1) read line; kill -SEGV $$;; *) {ANSWER};; esac");
    let mut runner = runner(&script);
    runner.environment = vec![("CRASH".into(), "1".into())];
    let told = runner.ask(&json!({})).expect_err("the process is gone");
    assert!(told.starts_with("it ended the process that measured it (signal: 11"), "{told}");
    runner.environment.clear();
    assert!(runner.ask(&json!({})).is_ok());
}

#[test]
fn a_kernel_may_print_any_bytes() {
    let mut runner = runner("while read line; do printf '\\377\\n'; echo 'tilewright-answer {\"n\": 1}'; done");
    assert_eq!(runner.ask(&json!({})), Ok(json!({"n": 1})));
}

#[test]
fn a_process_that_closes_its_output_is_ended() {
    let mut runner = runner("exec >&-; exec sleep 1000");
    assert_eq!(runner.ask(&json!({})), Err("it closed the output of the process that measured it".to_owned()));
}

#[test]
fn a_process_that_hangs_is_ended() {
    let mut runner = runner("exec sleep 1000");
    runner.limit = Duration::from_millis(50);
    assert_eq!(runner.ask(&json!({})).expect_err("it hangs"), "it took longer than 0.05 s");
}

#[test]
fn refusals_are_errors() {
    let mut refusing = runner("while read line; do echo 'tilewright-answer {\"error\": \"no\"}'; done");
    assert_eq!(refusing.ask(&json!({})).expect_err("it refuses"), "no");
    let mut missing = ProcessRunner::new(vec!["/no/such/program".into()]);
    assert!(missing.ask(&json!({})).expect_err("there is none").starts_with("cannot start /no/such/program"));
}
