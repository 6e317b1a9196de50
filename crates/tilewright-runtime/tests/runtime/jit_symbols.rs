//! Machine code by name: what `perf` and debuggers find.
#![cfg(target_arch = "x86_64")]

use std::io::Write as _;
#[cfg(target_os = "linux")]
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tilewright_runtime::{Value, set_debugger_symbols, set_perf_map};
use tilewright_tensor::DataType;
use tilewright_vm_program::{Kind, Param, Reg, Scalar};

#[cfg(target_os = "linux")]
use crate::alone;
use crate::code::{Code, builder, machine, over_kernel};

/// A machine with a kernel that returns its argument as its status.
fn with_a_kernel() -> tilewright_runtime::VirtualMachine {
    let mut program = builder();
    let params = vec![Param { name: "status".into(), kind: Kind::prim(DataType::I64) }];
    program.function(over_kernel("main", params, &[], Code::Status, &[Scalar::Reg(Reg(0))]));
    machine(program)
}

#[test]
fn perf_finds_kernels_in_its_map() {
    let path = format!("/tmp/perf-{}.map", std::process::id());
    set_perf_map(true);
    let machine = with_a_kernel();
    set_perf_map(false);
    machine.function("main").unwrap().call(&[Value::Int(0)]).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let _ = std::fs::remove_file(&path);
    let number = |text: &str| usize::from_str_radix(text, 16).unwrap();
    let lines: Vec<(usize, usize, &str)> = text
        .lines()
        .map(|line| {
            let mut words = line.splitn(3, ' ');
            (number(words.next().unwrap()), number(words.next().unwrap()), words.next().unwrap())
        })
        .collect();
    // Every line lies in memory that may be executed and not written.
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let executable: Vec<(usize, usize)> = maps
        .lines()
        .filter(|line| line.contains(" r-xp "))
        .filter_map(|line| line.split(' ').next()?.split_once('-'))
        .map(|(start, end)| (number(start), number(end)))
        .collect();
    for &(start, bytes, name) in &lines {
        let inside = executable.iter().any(|(from, to)| *from <= start && start + bytes <= *to);
        assert!(inside && bytes > 0, "{name} at {start:x}, {bytes} bytes");
    }
    assert!(lines.iter().any(|(_, _, name)| *name == "status"), "{text}");
    assert!(lines.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0), "{text}");
}

#[test]
#[cfg(target_os = "linux")]
fn links_and_foreign_files_under_the_name_of_the_map_are_left_alone() {
    if alone("jit_symbols::links_and_foreign_files_under_the_name_of_the_map_are_left_alone", &[]) {
        return;
    }
    let path = PathBuf::from(format!("/tmp/perf-{}.map", std::process::id()));
    let victim = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("victim-{}", std::process::id()));
    set_perf_map(true);
    let text = || std::fs::read_to_string(&victim).unwrap();
    std::fs::write(&victim, "precious").unwrap();
    std::os::unix::fs::symlink(&victim, &path).unwrap();
    with_a_kernel();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(text(), "precious", "through a symbolic link");
    if std::fs::hard_link(&victim, &path).is_ok() {
        with_a_kernel();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(text(), "precious", "through a second name");
    }
    std::fs::remove_file(&victim).unwrap();
    // A pipe that nobody reads does not stop the program.
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    with_a_kernel();
    std::fs::remove_file(&path).unwrap();
    // A file of one's own is added to, by whoever maps code into the process.
    std::fs::write(&path, "0 1 another\n").unwrap();
    with_a_kernel();
    let map = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(map.starts_with("0 1 another\n") && map.contains(" status\n"), "{map}");
}

/// What the debugger runs.
#[test]
fn a_program_to_debug() {
    if std::env::var_os("TILEWRIGHT_GDB").is_some() {
        let outcome = with_a_kernel().function("main").unwrap().call(&[Value::Int(77)]);
        assert!(outcome.is_err());
    }
}

#[test]
fn a_debugger_stops_in_a_kernel_by_its_name() {
    let gdb = Command::new("gdb").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !gdb.is_ok_and(|status| status.success()) {
        let _ = writeln!(std::io::stderr(), "SKIPPED [1] a_debugger_stops_in_a_kernel_by_its_name: no gdb");
        return;
    }
    let output = Command::new("gdb")
        .args(["-batch", "-nx", "-ex", "set breakpoint pending on", "-ex", "set debuginfod enabled off"])
        .args(["-ex", "break status", "-ex", "run", "-ex", "backtrace 2", "-ex", "kill", "--args"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "jit_symbols::a_program_to_debug", "--test-threads=1"])
        .env("TILEWRIGHT_GDB", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    if text.contains("ptrace: Operation not permitted") || text.contains("Cannot create process") {
        let _ = writeln!(std::io::stderr(), "SKIPPED [1] a_debugger_stops_in_a_kernel_by_its_name: gdb may not trace");
        return;
    }
    assert!(text.contains("in status ()"), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    // Symbols are taken back when the code goes.
    set_debugger_symbols(true);
    drop([with_a_kernel(), with_a_kernel(), with_a_kernel()]);
    set_debugger_symbols(false);
}
