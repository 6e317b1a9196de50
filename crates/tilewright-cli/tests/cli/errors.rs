//! Errors of the command line: the file, the location, the next step, the exit status.

use std::fs;

use crate::{Folder, MODEL};

#[test]
fn a_wrong_command_line_ends_with_2() {
    let folder = Folder::new("usage");
    for command in [
        "tilewright",
        "tilewright nonsense",
        "tilewright compile model.py",
        "tilewright compile model.py -o x --emit nonsense",
        "tilewright compile model.py -o x --opt-level 4",
        "tilewright opt",
    ] {
        let done = folder.shell(command);
        assert_eq!(done.status, 2, "{command}\n{}", done.stderr);
        assert!(
            done.stderr.contains("Usage:") || done.stderr.contains("possible values") || done.stderr.contains("not in")
        );
    }
}

#[test]
fn wrong_text_is_shown_at_its_place() {
    let folder = Folder::new("wrong_text");
    fs::write(folder.path("wrong.py"), MODEL.replace("R.nn.relu(y)", "R.nn.rellu(y)")).expect("the module");
    for command in ["check wrong.py", "compile wrong.py -o x", "run wrong.py", "opt wrong.py"] {
        let error = folder.fail(1, &format!("tilewright {command}"));
        assert!(error.contains("wrong.py:21:") && error.contains("relu"), "{error}");
    }
}

#[test]
fn files_that_cannot_be_read_or_written_are_named() {
    let folder = Folder::new("files");
    for command in ["compile missing.py -o x", "run missing.py", "inspect missing.twx", "check missing.py"] {
        let error = folder.fail(1, &format!("tilewright {command}"));
        assert!(error.contains("cannot read missing.") && error.contains("No such file"), "{error}");
    }
    let error = folder.fail(1, "tilewright compile model.py -o missing/x");
    assert!(error.contains("cannot write missing/x"), "{error}");
    let error = folder.fail(1, "tilewright run model.py --input x=missing.npy");
    assert!(error.contains("cannot read missing.npy"), "{error}");
    fs::write(folder.path("bad.npy"), b"no array").expect("a file");
    let error = folder.fail(1, "tilewright run model.py --input x=bad.npy");
    assert!(error.contains("bad.npy: "), "{error}");
}

#[test]
fn text_that_is_not_utf8_is_shown_its_place() {
    let folder = Folder::new("encodings");
    fs::write(folder.path("latin.py"), b"x = 1\n# caf\xE9\n").expect("a file");
    let error = folder.fail(1, "tilewright check latin.py");
    assert!(error.contains("latin.py: not UTF-8 text: the byte at line 2, column 6 is invalid"), "{error}");
    fs::write(folder.path("wide.py"), b"\xFF\xFEx\0").expect("a file");
    let error = folder.fail(1, "tilewright check wide.py");
    assert!(error.contains("save it as UTF-8"), "{error}");
}

#[test]
fn full_devices_are_reported() {
    let folder = Folder::new("full");
    for command in ["compile model.py -o /dev/full", "compile model.py -o - > /dev/full", "opt model.py > /dev/full"] {
        let error = folder.fail(1, &format!("tilewright {command}"));
        assert!(error.contains("cannot write"), "{command}: {error}");
    }
}

#[test]
fn text_and_executables_are_not_mistaken_for_each_other() {
    let folder = Folder::new("mistaken");
    folder.succeed("tilewright compile model.py -o m.twx");
    let error = folder.fail(1, "tilewright compile m.twx -o x");
    assert!(error.contains("is an executable already"), "{error}");
    let error = folder.fail(1, "tilewright inspect model.py");
    assert!(error.contains("no executable") && error.contains("tilewright compile"), "{error}");
    let error = folder.fail(1, "tilewright run m.twx --target haswell");
    assert!(error.contains("compiled already"), "{error}");
}

#[test]
fn damaged_executables_are_refused() {
    let folder = Folder::new("damaged");
    folder.succeed("tilewright compile model.py -o m.twx");
    let whole = fs::read(folder.path("m.twx")).expect("the executable");
    for cut in [8, 20, whole.len() / 2, whole.len() - 1] {
        fs::write(folder.path("cut.twx"), &whole[..cut]).expect("the cut executable");
        let error = folder.fail(1, "tilewright run cut.twx --random 1 --dim n=1");
        assert!(error.contains("cut.twx: "), "{error}");
    }
}

#[test]
fn sizes_that_a_run_works_out_are_not_offered() {
    let folder = Folder::new("sizes");
    let text = r#"
@R.function
def main(x: R.Tensor(("n",), "float32")):
    k = T.int64()
    y = R.unique(x)
    z = R.match_cast(y, R.Tensor((k,), "float32"))
    return z
"#;
    fs::write(folder.path("unique.py"), text).expect("the module");
    for name in ["k", "m"] {
        let error = folder.fail(1, &format!("tilewright run unique.py --random 1 --dim {name}=3"));
        assert!(error.trim_end().ends_with(&format!("no symbolic dimension `{name}`, only n")), "{error}");
    }
    folder.succeed("tilewright run unique.py --random 1 --dim n=3");
}

#[test]
fn wrong_names_come_with_near_ones() {
    let folder = Folder::new("names");
    for (command, near) in [
        ("compile model.py -o x --target haswel", "did you mean \"haswell\"?"),
        ("compile model.py -o x --passes LegaliseOps", "did you mean `LegalizeOps`?"),
        ("run model.py --function mainn", "did you mean \"main\"?"),
        ("run model.py --input y=x.npy", "has no parameter `y`"),
        ("run model.py", "--input x="),
        ("run model.py --random 1 --dim m=2", "only n"),
        ("run model.py --random 1 --dim n=-2", "expected NAME=SIZE"),
    ] {
        let error = folder.fail(1, &format!("tilewright {command}"));
        assert!(error.contains(near), "{command}: {error}");
    }
}

#[test]
fn every_command_reports_as_json() {
    let folder = Folder::new("json");
    fs::write(folder.path("wrong.py"), MODEL.replace("R.nn.relu(y)", "R.nn.rellu(y)")).expect("the module");
    for command in ["check wrong.py", "compile wrong.py -o x", "run wrong.py", "opt wrong.py"] {
        let error = folder.fail(1, &format!("tilewright {command} --error-format json"));
        let text = folder.fail(1, &format!("tilewright {command}"));
        let lines: Vec<&str> = error.lines().collect();
        let [line] = lines.as_slice() else { panic!("expected one line:\n{error}") };
        for part in [
            r#"{"severity": "error", "code": "TW0202", "message": "unknown function `R.nn.rellu`", "file": "wrong.py""#,
            r#""primary": true, "start": 685, "end": 695, "line": 21, "column": 17, "end_line": 21, "end_column": 27"#,
            r#""help": "did you mean `R.nn.relu`?""#,
        ] {
            assert!(line.contains(part), "{part}\n{line}");
        }
        // The rendered text is the one that people get.
        let rendered = text.trim_end().replace('\n', "\\n").replace('"', "\\\"");
        assert!(line.ends_with(&format!("\"rendered\": \"{rendered}\"}}")), "{line}\n{rendered}");
    }
    for (command, code) in [
        ("run model.py --random 1 --dim n=1 --function mian", "\"TW0758\""),
        ("inspect missing.twx", "null"),
        ("explain TW9999", "null"),
        ("compile model.py -o x --target nonsense", "null"),
    ] {
        let error = folder.fail(1, &format!("tilewright --error-format json {command}"));
        assert!(error.starts_with(&format!("{{\"severity\": \"error\", \"code\": {code}, ")), "{error}");
    }
}

#[test]
fn every_error_of_every_file_is_a_line_of_json() {
    let folder = Folder::new("json_lines");
    fs::write(folder.path("two.py"), MODEL.replace("nn.relu(y)", "nn.rellu(zz)")).expect("the module");
    let error = folder.fail(1, "tilewright check --error-format json two.py model.py two.py");
    assert!(error.lines().all(|line| line.starts_with('{') && line.ends_with('}')), "{error}");
    assert_eq!(error.lines().count() % 2, 0, "{error}");
    let text = folder.fail(1, "tilewright check two.py model.py two.py");
    assert!(text.ends_with("2 of 3 files have errors\n"), "{text}");
}

#[test]
fn colour_is_the_users_choice() {
    let folder = Folder::new("colour");
    for (options, colored) in [("--color always", true), ("--color never", false), ("", false)] {
        let error = folder.fail(1, &format!("tilewright check missing.py {options}"));
        assert_eq!(error.contains("\u{1b}["), colored, "{options}: {error:?}");
    }
    let done = folder.shell("env -u NO_COLOR CLICOLOR_FORCE=1 tilewright check missing.py");
    assert!(done.stderr.contains("\u{1b}["), "{:?}", done.stderr);
}

#[test]
fn codes_are_explained() {
    let folder = Folder::new("explain");
    let page = folder.succeed("tilewright explain tw0303");
    assert!(page.starts_with("# TW0303: ") && page.contains("## Wrong") && page.contains("## Right"), "{page}");
    let all = folder.succeed("tilewright explain");
    assert!(all.lines().all(|line| line.starts_with("TW0")) && all.lines().count() > 80, "{all}");
    assert!(folder.fail(1, "tilewright explain TW033").contains("did you mean `TW0"));
    assert!(folder.fail(1, "tilewright explain nonsense").contains("`tilewright explain` lists them all"));
}

#[test]
fn settings_that_cannot_be_read_are_told_of_once() {
    let folder = Folder::new("settings");
    let run = "tilewright run model.py --random 1 --dim n=3";
    for (setting, expected) in [
        ("TILEWRIGHT_NUM_THREADS=many", "expected a number of threads from 1 to 1024"),
        ("TILEWRIGHT_NUM_THREADS=0", "expected a number of threads from 1 to 1024"),
        ("TILEWRIGHT_AFFINITY=0-", "expected numbers and ranges of processors such as 0-3,8"),
        ("TILEWRIGHT_CACHE_BYTES=1GB", "expected a number of bytes"),
        ("TILEWRIGHT_PERF=yes", "expected 0 or 1"),
        ("TILEWRIGHT_GDB=on", "expected 0 or 1"),
    ] {
        let done = folder.shell(&format!("{setting} {run}"));
        assert_eq!((done.status, done.stderr), (0, format!("warning: {setting} has no effect: {expected}\n")));
    }
    let done = folder.shell(&format!("TILEWRIGHT_NUM_THREADS=2 TILEWRIGHT_AFFINITY= TILEWRIGHT_GDB=0 {run}"));
    assert_eq!((done.status, done.stderr.as_str()), (0, ""));
    let text = folder.succeed("TILEWRIGHT_NUM_THREAD=2 tilewright doctor");
    assert!(text.contains("TILEWRIGHT_NUM_THREAD has no effect: did you mean TILEWRIGHT_NUM_THREADS?"), "{text}");
}
