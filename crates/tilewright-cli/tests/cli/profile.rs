//! `tilewright profile`, on text and on executables.

use crate::Folder;

#[test]
fn a_profile_names_kernels_with_their_cost_and_source() {
    let folder = Folder::new("profile");
    let table = folder.succeed("tilewright profile model.py --random 1 --dim n=1000 --runs 3");
    assert!(table.starts_with("the machine: ") && table.contains(" GFLOP/s of float32"), "{table}");
    let line = table.lines().find(|line| line.starts_with("scale ")).expect("a line for the kernel");
    // One multiplication for each number, which is read and written once.
    assert!(line.contains(" 0.00 ") && line.contains(" 0.03 "), "{line}");
    assert!(line.contains("model.py:"), "{line}");
    assert!(table.contains("a run takes "), "{table}");
}

#[test]
fn an_executable_knows_the_cost_of_its_kernels() {
    let folder = Folder::new("profile_executable");
    folder.succeed("tilewright compile model.py -o m.twx");
    let json = folder.succeed("tilewright profile m.twx --random 1 --dim n=50 --runs 2 --json");
    for part in ["\"name\": \"scale\"", "\"calls\": 1", "\"operations\": 200", "\"read\": 800", "\"written\": 800"] {
        assert!(json.contains(part), "{part}\n{json}");
    }
    let inspected = folder.succeed("tilewright inspect m.twx");
    assert!(!inspected.contains("operations"), "{inspected}");
    folder.fail(1, "tilewright profile m.twx --random 1 --dim n=2 --target haswell");
}
