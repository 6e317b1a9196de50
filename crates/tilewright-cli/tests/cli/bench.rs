//! `tilewright bench`.

use std::fs;

use serde_json::Value as Json;

use crate::Folder;
use crate::onnx::Model;

fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A Python interpreter that has every runtime: each call takes a second, as it says.
#[cfg(unix)]
fn interpreter(folder: &Folder) {
    use std::os::unix::fs::PermissionsExt;
    let script = r#"#!/bin/sh
while read -r line; do
  case "$line" in
    *'"do":"load"'*openvino*) echo '{"missing": "openvino"}' ;;
    *'"do":"load"'*) echo "$line" > request.json; echo '{"version": "9.9", "seconds": 2}' ;;
    *'"do":"time"'*) echo '{"times": [1.0, 1.0, 1.5]}' ;;
    *'"do":"stream"'*) echo '{"calls": 6, "seconds": 2}' ;;
  esac
done
"#;
    let path = folder.path("python");
    fs::write(&path, script).expect("the script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode");
}

#[test]
fn latencies_are_percentiles_of_single_calls() {
    let folder = Folder::new("bench");
    let command = "tilewright bench model.py --dim n=64 --time 60ms --rounds 3 --threads 1";
    let found = json(&folder.succeed(&format!("{command} --json")));
    let own = &found["tilewright"];
    let number = |value: &Json| value.as_f64().unwrap_or_else(|| panic!("{found:#}"));
    let latency = |name: &str| number(&own["latency"][name]);
    assert!(latency("min") > 0.0 && latency("min") <= latency("median"), "{found:#}");
    assert!(latency("median") <= latency("p90") && latency("p90") <= latency("p99"), "{found:#}");
    assert!(number(&own["calls"]) >= 6.0 && number(&own["calls_per_second"]) > 0.0, "{found:#}");
    assert_eq!((&found["threads"], &found["streams"], &found["rounds"]), (&1.into(), &1.into(), &3.into()));
    let table = folder.succeed(&format!("{command} --streams 0"));
    assert!(table.starts_with("model.py: 1 thread, 3 rounds, ") && !table.contains("stream"), "{table}");
    folder.succeed("tilewright compile model.py -o m.twx");
    folder.succeed("tilewright bench m.twx --dim n=2 --time 10ms --rounds 1 --streams 3");
}

#[cfg(unix)]
#[test]
fn other_runtimes_take_turns_and_are_compared() {
    let folder = Folder::new("bench_peers");
    Model::layers().write(&folder, "layers.onnx");
    interpreter(&folder);
    let command = "tilewright bench layers.onnx --time 40ms --rounds 2 --python ./python --threads 2 --random 5";
    let found = json(&folder.succeed(&format!("{command} --json")));
    let peer = &found["peers"][0];
    assert_eq!((&peer["name"], &peer["version"], &peer["ready"]), (&"onnxruntime".into(), &"9.9".into(), &2.0.into()));
    // Two rounds of three calls each, of which the longest is beyond the median.
    assert_eq!((&peer["calls"], &peer["calls_per_second"]), (&6.into(), &3.0.into()), "{found:#}");
    let latency = &peer["latency"];
    assert_eq!((&latency["median"], &latency["p90"], &latency["p99"]), (&1.0.into(), &1.5.into(), &1.5.into()));
    let own = found["tilewright"]["latency"]["median"].as_f64().expect("a time");
    let ratio = |name: &str| peer["ratio"][name].as_f64().expect("a ratio");
    assert!(ratio("min") <= 1.0 / own * 1.001 && ratio("max") >= 1.0 / own * 0.999, "{found:#}");
    assert_eq!(found["absent"][0]["name"], "openvino");
    assert_eq!(found["absent"][0]["reason"], "the module `openvino` is not installed");
    let request = json(&fs::read_to_string(folder.path("request.json")).expect("a request"));
    let input = &request["inputs"][0];
    assert_eq!((&request["threads"], &input["name"], &input["dtype"]), (&2.into(), &"x".into(), &"float32".into()));
    assert_eq!(input["shape"], Json::from(vec![2, 4]));
    let file = input["file"].as_str().expect("a path");
    assert!(!std::path::Path::new(file).exists(), "temporary files go away");
    let table = folder.succeed(command);
    assert!(table.contains("onnxruntime 9.9") && table.contains("openvino                 the module"), "{table}");
}

#[test]
fn without_an_interpreter_there_is_nothing_to_compare_with() {
    let folder = Folder::new("bench_alone");
    Model::layers().write(&folder, "layers.onnx");
    let table = folder.succeed("tilewright bench layers.onnx --time 10ms --rounds 1 --python ./nowhere");
    assert!(table.contains("the interpreter ./nowhere does not start"), "{table}");
    for (options, message) in [
        ("--threads 0", "expected 1 to 1024 for --threads, found 0"),
        ("--peers onnx", "no runtime `onnx` is known"),
        ("--range x=1..1", "expected NAME=LOW..HIGH for --range, found `x=1..1`"),
        ("--range z=0..1", "no parameter `z`"),
    ] {
        let error = folder.fail(1, &format!("tilewright bench layers.onnx {options}"));
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn random_numbers_stay_in_their_range() {
    let folder = Folder::new("bench_range");
    let text = "@I.ir_module\nclass Module:\n    @R.function\n    def main(i: R.Tensor((64,), \"int64\"), x: R.Tensor((64,), \
                \"float32\")):\n        return (R.min(i), R.max(i), R.min(x), R.max(x))\n";
    fs::write(folder.path("ends.py"), text).expect("the module");
    let found = folder.succeed("tilewright run ends.py --random 3 --range i=0..3 --range x=5..6");
    let numbers: Vec<f64> = found
        .lines()
        .filter_map(|line| {
            line.split_once("] [").map(|(_, value)| value.trim_end_matches(']').parse().expect("a number"))
        })
        .collect();
    assert_eq!(numbers[..2], [0.0, 2.0], "{found}");
    assert!(numbers[2] >= 5.0 && numbers[3] <= 6.0 && numbers[3] - numbers[2] > 0.5, "{found}");
}
