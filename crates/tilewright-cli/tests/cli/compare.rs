//! `tilewright compare`.

use std::process::Command;

use serde_json::Value as Json;

use crate::Folder;
use crate::onnx::Model;

/// The layers and a copy in which one weight is wrong by a hundredth.
fn planted(name: &str) -> Folder {
    let folder = Folder::new(name);
    Model::layers().write(&folder, "layers.onnx");
    let mut wrong = Model::layers();
    wrong.weights[1].2[22] *= 1.01;
    wrong.write(&folder, "wrong.onnx");
    folder
}

#[test]
fn an_error_in_one_weight_is_found_at_its_node() {
    let folder = planted("compare_planted");
    let done = folder.shell("tilewright compare layers.onnx --against wrong.onnx --range x=1..2");
    assert_eq!(done.status, 1, "{}", done.stderr);
    let text = done.text();
    for part in [
        "layers.onnx differs from wrong.onnx\n",
        "first difference: `wide`\n  node      MatMul `second`, number 3 of 4\n",
        "elements  2 of 6 differ",
        "active (value): float32[2, 8], ",
        "w2 (weight): float32[8, 3], -0.9 to 0.9; 1 of 24 elements differ; most at [7, 1]",
        "2 of 4 values of nodes differ",
        "  y: 2 of 6 elements differ",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let done = folder.shell("tilewright compare layers.onnx --against wrong.onnx --range x=1..2 --json");
    let found: Json = serde_json::from_str(done.text()).expect("JSON");
    let first = &found["first"];
    assert_eq!((&first["name"], &first["node"]["name"]), (&"wide".into(), &"second".into()), "{found:#}");
    // Of `w2`, row 7 and column 1 is wrong: so is column 1 of the product, by a hundredth of that summand.
    assert_eq!(first["deviation"]["position"][1], 1, "{found:#}");
    let (here, there) = (&first["deviation"]["here"], &first["deviation"]["there"]);
    assert_ne!(here, there);
}

#[test]
fn equal_models_agree_and_a_tolerance_is_kept() {
    let folder = planted("compare_equal");
    let text = folder.succeed("tilewright compare layers.onnx --against layers.onnx --all");
    assert!(text.starts_with("layers.onnx agrees with layers.onnx\n") && text.contains("0 of 4 values"), "{text}");
    folder.succeed("tilewright compare layers.onnx --against wrong.onnx --tolerance 0.1");
    folder.succeed("tilewright compare layers.onnx --against wrong.onnx --absolute 1");
}

#[test]
fn a_comparison_that_fails_has_a_status_of_its_own() {
    let folder = planted("compare_cannot");
    let mut other = Model::layers();
    other.weights[2].2.push(0.0);
    other.write(&folder, "broken.onnx");
    for (arguments, message) in [
        ("none.onnx --against layers.onnx", "cannot read none.onnx"),
        ("layers.onnx --against none.onnx", "cannot read none.onnx"),
        ("layers.onnx --against broken.onnx", "`b`"),
        ("model.py --against layers.onnx", "expected a model of ONNX"),
        ("layers.onnx --against numpy", "`numpy` is no reference"),
        ("layers.onnx --against torch", "torch runs no ONNX"),
        ("layers.onnx --against onnxruntime --python ./nowhere", "does not start"),
        ("layers.onnx --against layers.onnx --tolerance=-1", "expected a number from 0 on for --tolerance"),
        ("layers.onnx", "--against"),
    ] {
        let error = folder.fail(2, &format!("tilewright compare {arguments}"));
        assert!(error.contains(message), "{arguments}: {error}");
    }
}

#[test]
fn onnxruntime_finds_the_same_values_where_it_is_installed() {
    let installed = Command::new("python3").args(["-c", "import onnxruntime"]).output();
    if !installed.is_ok_and(|done| done.status.success()) {
        eprintln!("skipped: python3 has no onnxruntime");
        return;
    }
    let folder = planted("compare_onnxruntime");
    let text = folder.succeed("tilewright compare layers.onnx --against onnxruntime --all --python python3");
    assert!(text.contains("0 of 4 values of nodes differ"), "{text}");
}
