//! What goes wrong: the file, the place, the next step, the exit status.

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
