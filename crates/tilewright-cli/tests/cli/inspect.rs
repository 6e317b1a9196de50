//! `tilewright inspect`.

use crate::Folder;

#[test]
fn an_executable_lists_its_contents_and_requirements() {
    let folder = Folder::new("inspect");
    folder.succeed("tilewright compile model.py -o m.twx --target haswell");
    let text = folder.succeed("tilewright inspect m.twx");
    for part in [
        "m.twx: ",
        "x86_64-unknown-linux-gnu",
        " avx2 ",
        "main(x: Tensor((n, 4), float32)) -> Tensor((n, 4), float32)",
        "scale: 2 tensors, 1 scalars",
        "this machine  can run it",
        "kernel ABI",
        "\n  images ",
        "\n  constants ",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let program = folder.succeed("tilewright inspect m.twx --text");
    assert!(program.contains("function main(") && program.contains("call scale("), "{program}");
    let listing = folder.succeed("tilewright inspect m.twx --python");
    assert!(listing.contains("f.call_kernel(\"scale\""), "{listing}");
}

#[test]
fn executables_of_other_machines_can_be_looked_at() {
    let folder = Folder::new("inspect_other");
    folder.succeed("tilewright compile model.py -o m.twx --target neoverse-n1");
    let text = folder.succeed("tilewright inspect m.twx");
    assert!(text.contains("aarch64") && text.contains("neon") && text.contains("cannot run it: "), "{text}");
    let error = folder.fail(1, "tilewright run m.twx --random 1 --dim n=2");
    assert!(error.contains("aarch64") && error.contains("x86_64"), "{error}");
}

#[test]
fn packed_functions_that_are_needed_are_named() {
    let folder = Folder::new("inspect_packed");
    let text = "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((2,), \"float32\")):\n        \
                return R.call_dps_packed(\"my.function\", (x,), out_sinfo=R.Tensor((2,), \"float32\"))\n";
    std::fs::write(folder.path("packed.py"), text).expect("the module");
    folder.succeed("tilewright compile packed.py -o m.twx");
    assert!(folder.succeed("tilewright inspect m.twx").contains("my.function"));
    let error = folder.fail(1, "tilewright run m.twx --random 1");
    assert!(error.contains("my.function"), "{error}");
}
