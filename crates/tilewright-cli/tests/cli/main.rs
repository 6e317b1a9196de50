//! The program as a user meets it: shell commands in an empty folder, what they print, what they leave, how they end.

mod bench;
mod compare;
mod compile;
mod errors;
mod explain;
mod inspect;
mod onnx;
mod page;
mod profile;
mod run;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A module with a graph function, a kernel with a symbolic dimension, and a kernel in parallel.
const MODEL: &str = r#"
@I.ir_module
class Module:
    @T.prim_func
    def scale(x: T.handle, y: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n, 4), "float32")
        Y = T.match_buffer(y, (n, 4), "float32")
        for i in T.parallel(n):
            for j in range(4):
                with T.block("Y"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    Y[vi, vj] = X[vi, vj] * T.float32(-2)

    @R.function
    def main(x: R.Tensor(("n", 4), "float32")) -> R.Tensor(("n", 4), "float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.scale, (x,), out_sinfo=R.Tensor((n, 4), "float32"))
            z = R.nn.relu(y)
            R.output(z)
        return z
"#;

/// A folder of one test, with the model in `model.py`.
struct Folder(PathBuf);

/// How a command ended.
struct Done {
    status: i32,
    stdout: Vec<u8>,
    stderr: String,
}

impl Done {
    fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("standard output is text")
    }
}

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for the test");
        fs::write(path.join("model.py"), MODEL).expect("the model");
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Runs a shell command in the folder, with `tilewright` on the path.
    fn shell(&self, command: &str) -> Done {
        let program = Path::new(env!("CARGO_BIN_EXE_tilewright"));
        let folder = program.parent().expect("the program lies in a folder").display().to_string();
        let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command).current_dir(&self.0).env("PATH", path).env("NO_COLOR", "1");
        // The user's own cache of kernels is left alone.
        shell.env("TILEWRIGHT_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels"));
        let output = shell.output().expect("sh runs");
        Done {
            status: output.status.code().unwrap_or(-1),
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// As [`Folder::shell`], for a command that must succeed; gives its standard output.
    fn succeed(&self, command: &str) -> String {
        let done = self.shell(command);
        assert_eq!(done.status, 0, "{command}\n{}", done.stderr);
        done.text().to_owned()
    }

    /// As [`Folder::shell`], for a command that must fail with the status; gives its standard error.
    fn fail(&self, status: i32, command: &str) -> String {
        let done = self.shell(command);
        assert_eq!(done.status, status, "{command}\n{}", done.stderr);
        assert!(!done.stderr.contains("panicked"), "{command}\n{}", done.stderr);
        done.stderr
    }

    /// Writes a .npy file of `float32`.
    fn npy(&self, name: &str, shape: &str, values: &[f32]) {
        let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape}), }}");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        let padded = format!("{header:<117}\n");
        bytes.extend_from_slice(&(padded.len() as u16).to_le_bytes());
        bytes.extend_from_slice(padded.as_bytes());
        values.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
        fs::write(self.path(name), bytes).expect("the array");
    }
}

#[test]
fn the_doctor_finds_this_machine_well() {
    let text = Folder::new("doctor").succeed("tilewright doctor");
    for word in ["LLVM", "target", "features", "machine", "threads", "cpu(0) is there", "save, load and run"] {
        assert!(text.contains(word), "{word}\n{text}");
    }
    assert!(text.lines().filter(|line| line.ends_with(" ok")).count() >= 4, "{text}");
}

#[test]
fn the_doctor_describes_a_processor_with_the_sources_of_its_numbers() {
    let folder = Folder::new("doctor_machine");
    let text = folder.succeed("tilewright doctor --machine znver3");
    for (name, value, source) in [
        ("fma_latency_cycles", "4", "AMD 56665, optimisation guide of family 19h, Zen 3"),
        ("fma_pipes", "2", "(znver1)"),
        ("cycle_ns", "0.3", "(default)"),
        ("vector_registers", "16", "(default)"),
    ] {
        let line = text.lines().find(|line| line.split(' ').next() == Some(name)).unwrap_or_else(|| panic!("{text}"));
        assert!(line.split_whitespace().nth(1) == Some(value) && line.ends_with(source), "{line}");
    }
    assert!(folder.succeed("tilewright doctor --machine znver4").contains("of this target; 16 in znver4"));
    assert!(folder.succeed("tilewright doctor --machine").contains("[limits]"));
}

#[test]
fn the_doctor_names_the_setting_of_threads() {
    let text = Folder::new("doctor_threads").succeed("TILEWRIGHT_NUM_THREADS=3 tilewright doctor");
    assert!(text.contains("3 (TILEWRIGHT_NUM_THREADS=3)"), "{text}");
}

#[test]
fn the_doctor_names_the_kernel_cache() {
    let folder = Folder::new("doctor_cache");
    let text = folder.succeed("TILEWRIGHT_CACHE_DIR=$PWD/kernels tilewright doctor");
    assert!(text.contains("doctor_cache/kernels") && folder.path("kernels").is_dir(), "{text}");
    assert!(folder.succeed("TILEWRIGHT_CACHE_DIR= tilewright doctor").contains("in memory alone"));
}

#[test]
fn passes_and_pipelines_are_listed_without_a_file() {
    let text = Folder::new("list").succeed("tilewright opt --list");
    assert!(text.lines().any(|line| line == "LegalizeOps") && text.lines().any(|line| line == "default_build"));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = Folder::new("pipe");
    let done = folder.shell("(tilewright opt model.py; echo status $? >&2) | head -c 1");
    assert!(done.stderr.ends_with("status 0\n") && !done.stderr.contains("panicked"), "{}", done.stderr);
}
