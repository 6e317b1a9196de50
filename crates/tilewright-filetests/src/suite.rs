//! From files to trials.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use tilewright::ir::verify::{Form, verify};
use tilewright::runtime::Device;
use tilewright::script::print::{PrintOptions, print_module};

use crate::action::{Action, PassStep, perform, read};
use crate::faults::{self, Fault};
use crate::run::{Runner, check_interpreter, check_runs, devices, runs_on};
use crate::{TestFile, device_faults, expectation, language};

/// Runs the trials of a workspace as the test program that was called, and ends the process.
pub fn main(root: &Path) {
    let args = Arguments::from_args();
    libtest_mimic::run(&args, trials(root)).exit();
}

/// All trials: for each file its expectation and its run lines, then the planted faults.
pub fn trials(root: &Path) -> Vec<Trial> {
    let (mut trials, mut tests) = (Vec::new(), Vec::new());
    for path in discover(root) {
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let parsed = std::fs::read_to_string(&path)
            .map_err(|error| format!("{name}: {error}"))
            .and_then(|text| TestFile::parse(&name, &text));
        match parsed {
            Ok(test) => {
                let test = Arc::new(test);
                of_file(&mut trials, &test, path);
                tests.push(test);
            }
            Err(message) => trials.push(Trial::test(name, move || Err(Failed::from(message)))),
        }
    }
    let tests: Arc<[Arc<TestFile>]> = tests.into();
    of_faults(&mut trials, &tests);
    device_faults::trials(&mut trials, &tests);
    let root = root.to_owned();
    let of_language = Trial::test("the language has a test for everything", move || {
        language::check(&root, &tests).map_err(Failed::from)
    });
    // The longest of all: begun last, it would be waited for.
    trials.insert(0, of_language);
    trials
}

/// The test files under `crates/*/src`, in order of their paths.
fn discover(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let crates = std::fs::read_dir(root.join("crates")).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = crates.map(|entry| entry.path().join("src")).collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "py") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn of_file(trials: &mut Vec<Trial>, test: &Arc<TestFile>, path: PathBuf) {
    let name = test.name.clone();
    let (of_expectation, of_print) = (test.clone(), test.clone());
    trials.push(Trial::test(name.clone(), move || expect(&of_expectation, &path).map_err(Failed::from)));
    if !matches!(test.action, Action::Diagnostics(_)) {
        let title = format!("{name}: well-formed, and read back");
        trials.push(Trial::test(title, move || survives(&of_print).map_err(Failed::from)));
    }
    for &device in devices().iter().filter(|&&device| runs_on(test, device)) {
        let (of_device, is_host) = (test.clone(), device == Device::cpu());
        let title = if is_host { format!("{name}: runs") } else { format!("{name}: runs on {device}") };
        let trial = Trial::test(title, move || check_runs(&of_device, device).map_err(Failed::from));
        // The kind is shown next to the name: the reason for leaving it out.
        trials.push(match device.exists() {
            true => trial,
            false => trial.with_kind("no such device").with_ignored_flag(true),
        });
    }
}

/// Whether the module of the file's text is well-formed, and is what is read from its own print.
fn survives(test: &TestFile) -> Result<(), String> {
    let module = read(&test.name, &test.input).map_err(|errors| errors.to_string())?;
    verify(&module, Form::Any).map_err(|errors| errors.to_string())?;
    let text = print_module(&module, &PrintOptions { show_meta: true, ..PrintOptions::default() });
    let again = read(&format!("{} (printed)", test.name), &text).map_err(|e| format!("{e}\nprinted:\n{text}"))?;
    module.compare(&again).map_err(|path| format!("differs at: {path}\nprinted:\n{text}"))
}

/// Checks a file's expectation, or writes it anew.
fn expect(test: &TestFile, path: &Path) -> Result<(), String> {
    let outcome = perform(test, None);
    let checked = expectation::check(test, &outcome);
    if checked.is_ok() || std::env::var_os("UPDATE_EXPECT").is_none() {
        return checked;
    }
    match expectation::text_of(test, &outcome)? {
        Some(text) => std::fs::write(path, test.with_expectation(&text)).map_err(|error| error.to_string()),
        None => checked,
    }
}

fn of_faults(trials: &mut Vec<Trial>, tests: &Arc<[Arc<TestFile>]>) {
    for fault in faults::ALL {
        let tests = tests.clone();
        trials.push(Trial::test(format!("fault {}: {}", fault.pass, fault.name), move || caught(fault, &tests)));
    }
    for pass in faults::passes() {
        trials.push(Trial::test(format!("faults of {pass}"), move || {
            match faults::ALL.iter().any(|fault| fault.pass == pass) {
                true => Ok(()),
                false => Err(Failed::from(format!("`{pass}` has no planted fault: add one to faults::ALL"))),
            }
        }));
    }
}

/// Whether some test of the pass fails with the fault in it.
fn caught(fault: &Fault, tests: &[Arc<TestFile>]) -> Result<(), Failed> {
    let of_pass: Vec<_> = tests.iter().filter(|test| runs(test, fault.pass)).collect();
    if of_pass.is_empty() {
        return Err(format!("no textual test runs `{}`", fault.pass).into());
    }
    let fails = |test: &TestFile| {
        let outcome = perform(test, Some(fault));
        expectation::check(test, &outcome).is_err()
            || test
                .runs
                .iter()
                .filter(|line| line.is_run_by(Runner::Interpreter))
                .any(|line| check_interpreter(test, line, &outcome).is_err())
    };
    match of_pass.iter().any(|test| fails(test)) {
        true => Ok(()),
        false => Err(format!("none of the {} textual tests of `{}` notices", of_pass.len(), fault.pass).into()),
    }
}

fn runs(test: &TestFile, pass: &str) -> bool {
    test.action.steps().iter().map(PassStep::name).any(|name| name == pass)
}
