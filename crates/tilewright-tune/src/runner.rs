//! Measuring in another process, which is started again where a candidate has ended it or takes too long.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tilewright_schedule::rules;

use crate::candidate::Candidate;
use crate::database::text_of_function;
use crate::inputs::buckets;
use crate::measure::{Measure, Measured};
use crate::record::Record;
use crate::task::{Task, target_text};
use crate::worker::MARK;

/// Measures candidates in a process of its own.
#[derive(Debug)]
pub struct ProcessRunner {
    /// The program and its arguments, which have to lead to [`crate::worker::serve`] on its standard streams.
    pub command: Vec<OsString>,
    /// Variables of the process's environment, besides those of this one.
    pub environment: Vec<(OsString, OsString)>,
    /// The longest time for one candidate, compiling included.
    pub limit: Duration,
    /// Times of a candidate, and the shortest duration of one.
    pub repeats: usize,
    pub least: Duration,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    requests: Option<ChildStdin>,
    answers: Receiver<String>,
}

impl ProcessRunner {
    /// With limits for kernels that take milliseconds.
    pub fn new(command: Vec<OsString>) -> Self {
        Self {
            command,
            environment: Vec::new(),
            limit: Duration::from_secs(30),
            repeats: 6,
            least: Duration::from_millis(4),
            running: None,
        }
    }

    /// The answer to a request.
    ///
    /// # Errors
    /// The process cannot be started, ended, took too long, or could not do it.
    pub fn ask(&mut self, request: &Value) -> Result<Value, String> {
        let outcome = self.exchange(request);
        if outcome.is_err() {
            self.running = None;
        }
        let answer: Value = serde_json::from_str(&outcome?).map_err(|error| error.to_string())?;
        match answer.get("error").and_then(Value::as_str) {
            Some(error) => Err(error.to_owned()),
            None => Ok(answer),
        }
    }

    fn exchange(&mut self, request: &Value) -> Result<String, String> {
        let limit = self.limit;
        if self.running.is_none() {
            self.running = Some(self.start()?);
        }
        let running = self.running.as_mut().ok_or("the measuring process is gone")?;
        let stdin = running.requests.as_mut().ok_or("the measuring process is gone")?;
        let sent = stdin.write_all(format!("{request}\n").as_bytes()).and_then(|()| stdin.flush());
        // A process that ended at once cannot be written to; the reason is its end.
        match (sent, running.answers.recv_timeout(limit)) {
            (_, Ok(answer)) => Ok(answer),
            (_, Err(RecvTimeoutError::Timeout)) => Err(format!("it took longer than {} s", limit.as_secs_f64())),
            (_, Err(RecvTimeoutError::Disconnected)) => Err(running.ending()),
        }
    }

    fn start(&self) -> Result<Running, String> {
        let (program, arguments) = self.command.split_first().ok_or("there is no command for the measuring process")?;
        let mut command = Command::new(program);
        command.args(arguments).envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let failed = |error| format!("cannot start {}: {error}", program.display());
        let mut child = command.spawn().map_err(failed)?;
        let (requests, output) = (child.stdin.take(), child.stdout.take().ok_or("the process has no output")?);
        let (answered, answers) = mpsc::channel();
        thread::spawn(move || pass_on(output, &answered));
        Ok(Running { child, requests, answers })
    }
}

/// Sends the lines of an output that are answers; what kernels print between them may be any bytes.
fn pass_on(output: impl Read, answered: &Sender<String>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    while matches!(output.read_until(b'\n', &mut line), Ok(1..)) {
        if let Some(answer) = String::from_utf8_lossy(&line).trim_end().strip_prefix(MARK)
            && answered.send(answer.to_owned()).is_err()
        {
            return;
        }
        line.clear();
    }
}

impl Running {
    /// How the process ended, a moment after it closed its output. One that lives on is left to `drop`.
    fn ending(&mut self) -> String {
        drop(self.requests.take());
        for _ in 0..100 {
            match self.child.try_wait() {
                Ok(None) => thread::sleep(Duration::from_millis(10)),
                Ok(Some(status)) => return format!("it ended the process that measured it ({status})"),
                Err(error) => return format!("it ended the process that measured it ({error})"),
            }
        }
        "it closed the output of the process that measured it".to_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.requests.take());
        // One that ended already cannot be ended; both are fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Measure for ProcessRunner {
    fn measure(&mut self, task: &Task, candidates: &[Candidate]) -> Vec<Measured> {
        // Scheduled here: the process need not know all numbers of the target.
        let function = text_of_function(&rules::schedule(&task.function, &task.target).function);
        let sizes = buckets(&task.function);
        let each = candidates.iter().map(|candidate| {
            let answer = self.ask(&json!({
                "do": "measure",
                "function": function,
                "candidate": text_of_function(&candidate.function),
                "target": target_text(&task.target),
                "sizes": sizes,
                "repeats": self.repeats,
                "seconds": self.least.as_secs_f64(),
            }))?;
            Record::runs_of(&answer)
        });
        each.collect()
    }
}
