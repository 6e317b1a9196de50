//! `tilewright explain` of kernels.

use std::fs;

use crate::Folder;

#[test]
fn a_kernel_is_explained_from_its_rule_to_its_code() {
    let folder = Folder::new("explain");
    let list = folder.succeed("tilewright explain model.py");
    assert!(list.contains("  scale  (no rule)"), "its loops say already how they run: {list}");
    let (number, relu) = list.lines().find_map(|line| line.trim().split_once("  relu")).expect("a kernel for relu");
    assert!(!relu.contains("no rule"), "{list}");
    let all = folder.succeed(&format!("tilewright explain model.py --kernel {number}"));
    for part in ["rule\n`", "schedule trace\n", "TensorIR\n", "@T.prim_func", "define ", "\tret"] {
        assert!(all.contains(part), "{part}\n{all}");
    }
    let rule = folder.succeed("tilewright explain model.py --kernel scale --show rule,trace");
    assert!(rule.contains("no rule") && rule.contains("its loops say already how they run"), "{rule}");
    assert!(rule.ends_with("schedule trace\nnone\n"), "{rule}");
}

#[test]
fn a_kernel_that_stands_by_itself_is_explained_and_run() {
    let folder = Folder::new("explain_alone");
    let text = "@T.prim_func\ndef halve(A: T.Buffer((8,), \"float32\"), B: T.Buffer((8,), \"float32\")):\n    for i in \
                range(8):\n        with T.block(\"B\"):\n            vi = T.axis.spatial(8, i)\n            B[vi] = A[vi] * 0.5\n";
    fs::write(folder.path("halve.py"), text).expect("the function");
    let rule = folder.succeed("tilewright explain halve.py --kernel halve --show rule");
    assert!(rule.contains("`elementwise`"), "{rule}");
    assert_eq!(folder.succeed("tilewright run halve.py --function halve --random 1"), "None\n");
}

#[test]
fn the_walks_of_row_reductions_are_compared_by_their_costs() {
    let folder = Folder::new("explain_rows");
    let functions = [
        ("many", "512, 768", "R.nn.softmax(x, axis=-1)"),
        ("long", "8, 40000", "R.nn.softmax(x, axis=-1)"),
        ("across", "4, 64, 256", "R.nn.softmax(x, axis=1)"),
        ("few", "32, 1000", "R.argmax(x, axis=1)"),
    ];
    let function = |(name, shape, value): &(&str, &str, &str)| {
        format!("    @R.function\n    def {name}(x: R.Tensor(({shape}), \"float32\")):\n        return {value}\n")
    };
    let all: String = functions.iter().map(function).collect();
    fs::write(folder.path("rows.py"), format!("@I.ir_module\nclass Module:\n{all}")).expect("the module");
    let explain = |number: usize| {
        folder.succeed(&format!("tilewright explain rows.py --target haswell --kernel {number} --show rule"))
    };
    let list = folder.succeed("tilewright explain rows.py --target haswell");
    let found = list.lines().filter_map(|line| line.split_once('(')).map(|(_, rule)| rule.trim_end_matches(')'));
    let expected = ["rows_resident", "rows_by_pieces", "rows_side_by_side", "rows_by_pieces"];
    assert_eq!(found.collect::<Vec<_>>(), expected, "{list}");
    let many = explain(1);
    let (taken, others) = many.split_once("`rows_by_pieces` was not taken: another candidate costs less").expect(&many);
    assert!(taken.contains("cycles: read and write ") && others.contains("exponentials again "), "{many}");
    assert!(explain(2).contains("`rows_resident` was not taken: exponentials of rows do not stay"), "{}", explain(2));
    assert!(explain(3).contains("`rows_resident` was not taken: columns do not lie together"), "{}", explain(3));
    // The search in a piece does not wait for the one before: a norm of such rows has one accumulator.
    let trace = folder.succeed("tilewright explain rows.py --target haswell --kernel 4 --show trace");
    assert!(trace.contains("accumulators=4, "), "{trace}");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_once() {
    let folder = Folder::new("explain_pipe");
    assert!(folder.succeed("cat model.py | tilewright explain /dev/stdin").contains("  scale"));
    let code = folder.succeed("cat model.py | tilewright explain /dev/stdin --kernel scale --show before");
    assert!(code.contains("@T.prim_func"), "{code}");
    let run = |file: &str| format!("tilewright run {file} --random 7 --dim n=3");
    let piped = folder.succeed(&format!("cat model.py | {}", run("/dev/stdin")));
    assert_eq!(piped, folder.succeed(&run("model.py")));
}

#[test]
fn a_name_that_is_neither_a_code_nor_a_kernel_is_refused() {
    let folder = Folder::new("explain_unknown");
    assert!(folder.fail(1, "tilewright explain TW9999").contains("there is no code"));
    assert!(folder.fail(1, "tilewright explain model.txt").contains("no code and no file `model.txt`"));
    assert!(folder.fail(1, "tilewright explain model.py --kernel scael").contains("did you mean `scale`?"));
    assert!(folder.fail(1, "tilewright explain model.py --kernel 99").contains("there is no kernel 99"));
    assert!(
        folder.fail(1, "tilewright explain model.py --kernel nope").contains("there is no kernel `nope`, only scale")
    );
    assert!(folder.succeed("tilewright explain TW0303").contains("TW0303"));
}

#[test]
fn an_executable_shows_its_code_and_names_missing_parts() {
    let folder = Folder::new("explain_executable");
    folder.succeed("tilewright compile model.py -o model.twx");
    assert!(folder.succeed("tilewright explain model.twx").contains("  scale"));
    let all = folder.succeed("tilewright explain model.twx --kernel scale");
    for part in ["==> scale: made from", "give the TVMScript file", "==> scale: assembly\nscale:\n", "\tret"] {
        assert!(all.contains(part), "no {part:?} in {all}");
    }
    let code = folder.succeed("tilewright explain model.twx --kernel 1 --show asm");
    assert!(code.contains(": assembly\n") && !code.contains("made from"));
    assert!(
        folder.fail(1, "tilewright explain model.twx --kernel scale --show rule,tir").contains("rule: an executable")
    );
    let all = "tilewright explain model.twx --kernel scale --show rule,trace,before,tir,low,llvm,asm";
    assert!(folder.fail(1, all).contains("rule: an executable"), "the requested part is missing");
    assert!(folder.fail(1, "tilewright explain model.twx --kernel scael").contains("did you mean `scale`?"));
    assert!(folder.fail(1, "tilewright explain model.twx --target llvm").contains("compiled already"));
    assert!(folder.fail(1, "tilewright explain .").contains(". is a folder"));
}
