//! `tilewright compile`.

use std::fs;

use tilewright::script::parse::{NoHost, parse_module};
use tilewright::{SourceFile, ir};

use crate::{Folder, MODEL};

#[test]
fn the_script_after_the_passes_reads_back_and_compiles_to_the_same_file() {
    let folder = Folder::new("emit_script");
    let script = folder.succeed("tilewright compile model.py -o after.py --emit script && cat after.py");
    assert!(script.contains("after.py: ") && script.contains("R.builtin.alloc_tensor("), "{script}");
    folder.succeed("tilewright check after.py");
    folder.succeed("tilewright compile model.py -o a.twx && tilewright compile after.py -o b.twx");
    let read = |name: &str| folder.succeed(&format!("tilewright inspect {name}.twx --text"));
    // The origins of the two differ, and so do the names of files in the executables.
    let plain = |text: String| text.lines().filter(|line| !line.contains(".py:")).collect::<Vec<_>>().join("\n");
    assert_eq!(plain(read("a")), plain(read("b")));
}

#[test]
fn passes_by_name_replace_the_pipeline() {
    let folder = Folder::new("emit_passes");
    let script = folder.succeed("tilewright compile model.py -o - --emit script --passes LegalizeOps");
    assert!(script.contains("R.call_tir(cls.relu") && script.contains("R.dataflow()"), "{script}");
    let error = folder.fail(1, "tilewright compile model.py -o x --passes LegalizeOps");
    assert!(error.contains("default_build"), "{error}");
    assert!(!folder.path("x").exists());
    folder.succeed("tilewright compile model.py -o x --passes LegalizeOps,default_build");
}

#[test]
fn lowered_kernels_read_back_in_the_lowered_form() {
    let folder = Folder::new("emit_low");
    let text = folder.succeed("tilewright compile model.py -o - --emit low");
    let module = parse_module(&SourceFile::new("low.py", text.clone()), &NoHost).expect("the text reads back");
    assert_eq!(module.len(), 2, "{text}");
    for (name, _) in module.iter() {
        let function = module.prim(name).expect("there are only kernels");
        ir::low::LowTir::new(&**name, (**function).clone()).expect("the form is the lowered one");
    }
    assert!(text.contains("T.parallel(") && !text.contains("T.block("), "{text}");
}

#[test]
fn llvm_and_assembly_are_text_of_the_target() {
    let folder = Folder::new("emit_text");
    let llvm = folder.succeed("tilewright compile model.py -o - --emit llvm --target haswell");
    assert!(llvm.contains("target triple = \"x86_64") && llvm.contains("tilewright.kernel.scale"), "{llvm}");
    let arm = "\"llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1\"";
    let asm = folder.succeed(&format!("tilewright compile model.py -o - --emit asm --target {arm}"));
    assert!(asm.contains("tilewright.kernel.scale") && asm.contains("fmul"), "{asm}");
    assert!(!folder.succeed("tilewright compile model.py -o - --emit asm --target haswell").contains("zmm"));
}

#[test]
fn objects_are_elf_of_the_target() {
    let folder = Folder::new("emit_obj");
    for (target, machine) in [("haswell", 62), ("neoverse-v1", 183)] {
        folder.succeed(&format!("tilewright compile model.py -o m.o --emit obj --target {target}"));
        let elf = fs::read(folder.path("m.o")).expect("the object");
        assert_eq!((&elf[..4], elf[4], elf[16], elf[18]), (b"\x7fELF".as_slice(), 2, 1, machine));
    }
}

#[test]
fn an_executable_is_the_same_in_a_pipe_and_in_a_file() {
    let folder = Folder::new("emit_exe");
    let said = folder.succeed("tilewright compile model.py -o m.twx");
    assert!(said.starts_with("m.twx: ") && said.contains(" bytes for llvm "), "{said}");
    let piped = folder.shell("tilewright compile model.py -o - | cat");
    assert_eq!(piped.stdout, fs::read(folder.path("m.twx")).expect("the executable"));
    assert_eq!(piped.stderr, "");
}

#[test]
fn files_are_replaced_whole_and_links_stay_links() {
    let folder = Folder::new("replaced");
    folder.succeed("echo old > real && ln -s real link && tilewright compile model.py -o link");
    assert!(fs::symlink_metadata(folder.path("link")).is_ok_and(|link| link.is_symlink()));
    assert_eq!(fs::read(folder.path("real")).expect("the file")[..7], *b"TILEWRT");
    folder.succeed("tilewright compile model.py -o /dev/null && test -c /dev/null");
    let left = folder.succeed("ls");
    assert_eq!(left, "link\nmodel.py\nreal\n");
}

#[test]
fn the_input_is_not_overwritten() {
    let folder = Folder::new("overwrite");
    let error = folder.fail(1, "tilewright compile model.py -o ./model.py");
    assert!(error.contains("is the input"), "{error}");
    assert_eq!(fs::read_to_string(folder.path("model.py")).expect("the model"), MODEL);
}

#[test]
fn a_module_without_kernels_has_every_stage() {
    let folder = Folder::new("no_kernels");
    let text = "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((2,), \"float32\")):\n        \
                return x\n";
    fs::write(folder.path("id.py"), text).expect("the module");
    for stage in ["script", "low", "llvm", "asm", "obj", "exe"] {
        folder.succeed(&format!("tilewright compile id.py -o out --emit {stage}"));
    }
    folder.npy("x.npy", "2,", &[1.5, -2.0]);
    assert_eq!(folder.succeed("tilewright run out --input x=x.npy"), "float32[2] [1.500000, -2.000000]\n");
}
