//! Other runtimes that are installed in a Python interpreter, each in a process of its own.
//!
//! The process runs `worker.py`, which reads a line of JSON and answers with one. It ends when its [`Peer`] is dropped.
//! Files of tensors are in a [`Scratch`] folder.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value as Json, json};
use tilewright::import::onnx::Model;
use tilewright::{Tensor, Value};

use crate::failure::{Failure, Outcome};

/// The other runtimes, as `worker.py` knows them.
pub(crate) const ENGINES: [&str; 2] = ["onnxruntime", "openvino"];

const WORKER: &str = include_str!("../peers/worker.py");

/// A folder for the files of one command, which goes away with this value.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Outcome<Self> {
        let base = std::env::temp_dir();
        for attempt in 0..1000 {
            let path = base.join(format!("tilewright-{}-{attempt}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Failure::file("create", &path, &error)),
            }
        }
        Err(Failure::of_file(&base, "cannot create a folder for temporary files"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Outcome<PathBuf> {
        let path = self.path(name);
        fs::write(&path, bytes).map_err(|error| Failure::file("write", &path, &error))?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The interpreter to look for runtimes in: the one given, the one that this program runs in, or the first on the path.
pub(crate) fn interpreter(given: Option<&Path>) -> PathBuf {
    if let Some(path) = given {
        return path.to_owned();
    }
    let own = std::env::current_exe().ok();
    let is_python = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with("python"));
    // Within an environment, the program's own path is that of the interpreter that the environment is made of.
    let environment = std::env::var_os("VIRTUAL_ENV").map(|folder| Path::new(&folder).join("bin/python"));
    environment.filter(|path| path.exists()).or(own.filter(is_python)).unwrap_or_else(|| PathBuf::from("python3"))
}

/// Why a runtime does not take part.
#[derive(Clone, Debug)]
pub(crate) enum Absent {
    /// It is not installed.
    Missing(String),
    /// It refused the model, or its process failed.
    Failed(String),
}

impl Absent {
    pub(crate) fn reason(&self) -> &str {
        let (Self::Missing(reason) | Self::Failed(reason)) = self;
        reason
    }
}

/// A runtime in its process.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) engine: &'static str,
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// What the process writes to standard error.
    log: PathBuf,
}

impl Peer {
    pub(crate) fn start(engine: &'static str, python: &Path, scratch: &Scratch) -> Result<Self, Absent> {
        let missing = |error: &dyn std::fmt::Display| {
            Absent::Missing(format!("the interpreter {} does not start: {error}", python.display()))
        };
        let log = scratch.path(&format!("{engine}.log"));
        let errors = fs::File::create(&log).map_err(|error| missing(&error))?;
        let mut command = Command::new(python);
        command.args(["-u", "-c", WORKER]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors);
        let mut process = command.spawn().map_err(|error| missing(&error))?;
        let (Some(requests), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(missing(&"it has no pipes"));
        };
        Ok(Self { engine, process, requests, answers: BufReader::new(answers), log })
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn ask(&mut self, request: &Json) -> Result<Json, Absent> {
        let sent = writeln!(self.requests, "{request}").and_then(|()| self.requests.flush());
        let mut line = String::new();
        let read = sent.and_then(|()| self.answers.read_line(&mut line));
        let answer = match read {
            Ok(1..) => serde_json::from_str::<Json>(&line).ok(),
            _ => None,
        };
        let Some(answer) = answer else { return Err(self.died()) };
        if let Some(module) = answer["missing"].as_str() {
            return Err(Absent::Missing(format!("the module `{module}` is not installed")));
        }
        if let Some(error) = answer["error"].as_str() {
            return Err(Absent::Failed(error.to_owned()));
        }
        Ok(answer)
    }

    /// The end of what the process wrote before it ended.
    fn died(&mut self) -> Absent {
        let status = self.process.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        let log = fs::read(&self.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let last = log.trim_end().lines().last().unwrap_or("it wrote no message");
        if let Some(module) = last.strip_prefix("ModuleNotFoundError: No module named ") {
            return Absent::Missing(format!("the module {} is not installed", module.replace('\'', "`")));
        }
        Absent::Failed(format!("the process ended ({status}): {last}"))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The arguments of a call as `worker.py` reads them: files with their names in the model, types and shapes.
pub(crate) fn inputs(model: &Model<'_>, values: &[Value], scratch: &Scratch) -> Outcome<Json> {
    let held = |name: &str| model.graph.initializers.iter().any(|tensor| tensor.name == name);
    let names = model.graph.inputs.iter().map(|input| input.name).filter(|name| !held(name));
    let mut given = Vec::new();
    for (at, (name, value)) in names.zip(values).enumerate() {
        let Value::Tensor(tensor) = value else {
            return Err(Failure::Message(format!("the input `{name}` is no tensor: other runtimes are given tensors")));
        };
        let dtype = numpy_type(tensor).ok_or_else(|| {
            Failure::Message(format!("the input `{name}` has elements of type {}, which NumPy lacks", tensor.dtype()))
        })?;
        let bytes = tensor.as_bytes().map_err(|error| Failure::Message(error.to_string()))?;
        let file = scratch.write(&format!("input{at}.bin"), bytes)?;
        given.push(json!({"name": name, "file": file, "dtype": dtype, "shape": tensor.shape()}));
    }
    Ok(Json::Array(given))
}

fn numpy_type(tensor: &Tensor) -> Option<String> {
    let name = tensor.dtype().to_string();
    let plain = ["bool", "int", "uint", "float"]
        .iter()
        .any(|kind| name.strip_prefix(kind).is_some_and(|bits| bits.chars().all(|digit| digit.is_ascii_digit())));
    plain.then_some(name)
}
