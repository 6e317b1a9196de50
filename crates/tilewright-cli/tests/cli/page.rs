//! The pages of `tilewright profile --html` and `tilewright explain --html`, and `tilewright profile --trace`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

use crate::Folder;
use crate::onnx::Model;

/// A name that would be run if it got into a page as anything but text.
const HOSTILE: &str = "</script><script>document.title = 1</script><img src=x onerror=alert(1)>";

/// A module with several kernels, of which some have several candidates.
const KERNELS: &str = r#"
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 64), "float32"), w: R.Tensor((64, 32), "float32")):
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.nn.softmax(a)
            c = R.add(R.sum(b, axis=1), R.sum(a, axis=1))
            R.output(c)
        return c
"#;

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    fs::write(folder.path("a&<b>.py"), KERNELS).expect("the module");
    folder
}

fn data(page: &str) -> Json {
    let (_, rest) = page.split_once("type=\"application/json\">").expect("the data");
    let (data, _) = rest.split_once("</script>").expect("their end");
    serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}\n{data}"))
}

fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.is_file())
}

/// Opens a page in a browser that has no window: what the page is after its script, and a picture of it under the name
/// in `target/pages`. Nothing where there is no browser.
fn open(page: &Path, name: &str) -> Option<String> {
    let Some(browser) = browser() else {
        eprintln!("skipped: no Chromium is installed; the page's structure was checked without it");
        return None;
    };
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../pages");
    fs::create_dir_all(&pictures).expect("a folder for pictures");
    let profile = page.with_extension("browser");
    let run = |what: &[String]| {
        let mut command = Command::new(&browser);
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1600,1700"]);
        command.arg("--virtual-time-budget=2000").arg(format!("--user-data-dir={}", profile.display()));
        let done = command.args(what).arg(format!("file://{}", encoded(page))).output().expect("the browser runs");
        String::from_utf8_lossy(&done.stdout).into_owned()
    };
    for (scheme, setting) in [("light", "1"), ("dark", "0")] {
        let picture = pictures.join(format!("{name}-{scheme}.png"));
        let _ = fs::remove_file(&picture);
        run(&[
            format!("--blink-settings=preferredColorScheme={setting}"),
            format!("--screenshot={}", picture.display()),
        ]);
        assert!(fs::metadata(&picture).is_ok_and(|file| file.len() > 10_000), "{}", picture.display());
    }
    let dom = run(&["--dump-dom".to_owned()]);
    let _ = fs::remove_dir_all(profile);
    Some(dom)
}

fn encoded(path: &Path) -> String {
    path.display().to_string().replace('&', "%26").replace('<', "%3C").replace('>', "%3E")
}

#[test]
fn a_profile_is_a_page_that_shows_text_as_text() {
    let folder = Folder::new("page_profile");
    let mut model = Model::layers();
    model.nodes[2].1 = HOSTILE;
    model.write(&folder, "a&<b>.onnx");
    folder.succeed("tilewright profile 'a&<b>.onnx' --random 1 --runs 2 --html p.html");
    let page = fs::read_to_string(folder.path("p.html")).expect("the page");
    assert!(page.contains("<title>a&amp;&lt;b&gt;.onnx</title>"), "the title");
    let found = data(&page);
    let kernels = found["kernels"].as_array().expect("kernels");
    let source = format!("a&<b>.onnx:3 MatMul {HOSTILE}");
    let of_source = |kernel: &&Json| kernel["sources"].as_array().is_some_and(|all| all.contains(&source[..].into()));
    let product = kernels.iter().find(of_source).unwrap_or_else(|| panic!("the second product\n{found:#}"));
    // A product of 2 x 8 and 8 x 3, to which as many numbers are added.
    assert_eq!(product["operations"], 2.0 * 2.0 * 8.0 * 3.0 + 6.0, "{product:#}");
    assert!(product["rule"].is_string() && product["cost"]["terms"][0][1].is_number(), "{product:#}");
    assert!(product["tensor_ir"].as_str().is_some_and(|text| text.contains("@T.prim_func")), "{product:#}");
    let memory = &found["memory"];
    let most = memory["points"].as_array().expect("points").iter().map(|point| point[1].as_u64()).max().flatten();
    // The hidden layer.
    assert!(most == Some(2 * 8 * 4) && most <= memory["arena"].as_u64(), "{memory:#}");
    let calls = found["functions"][0]["calls"].as_array().expect("calls");
    assert_eq!(calls.len(), found["slices"].as_array().expect("slices").len());
    assert_eq!((&calls[1]["from"], &calls[1]["returned"]), (&vec![0].into(), &true.into()), "{calls:#?}");
    if let Some(dom) = open(&folder.path("p.html"), "profile") {
        assert!(!dom.contains("<img") && dom.contains("<title>a&amp;&lt;b&gt;.onnx</title>"), "{dom}");
        assert_eq!(dom.matches("<td class=\"name\"").count(), kernels.len(), "a row for each kernel");
        assert!(dom.contains("aria-sort=\"descending\"") && dom.contains("<canvas") && dom.contains("<svg"), "{dom}");
    }
}

#[test]
fn candidates_are_a_page() {
    let folder = folder("page_explain");
    folder.succeed("tilewright explain 'a&<b>.py' --target haswell --html p.html");
    let page = fs::read_to_string(folder.path("p.html")).expect("the page");
    let found = data(&page);
    let kernels = found["kernels"].as_array().expect("kernels");
    let considered = kernels.iter().flat_map(|kernel| kernel["considered"].as_array().expect("candidates"));
    assert!(considered.filter(|one| one["cost"]["total"].is_number()).count() > 0, "{found:#}");
    if let Some(dom) = open(&folder.path("p.html"), "explain") {
        assert_eq!(dom.matches("<td class=\"name\"").count(), kernels.len(), "a row for each kernel");
        assert!(!dom.contains("<img") && dom.contains("class=\"terms\""), "{dom}");
    }
    folder.succeed("tilewright compile 'a&<b>.py' -o m.twx");
    assert!(folder.fail(1, "tilewright explain m.twx --html p.html").contains("an executable holds none of that"));
    // A profile of an executable has what the executable knows.
    folder.succeed("tilewright profile m.twx --random 1 --dim n=4 --runs 1 --html p.html");
    let found = data(&fs::read_to_string(folder.path("p.html")).expect("the page"));
    assert!(found["kernels"][0]["scheduleless"].is_string() && found["kernels"][0]["tensor_ir"].is_null());
}

#[test]
fn a_trace_has_a_slice_for_each_call() {
    let folder = folder("page_trace");
    let text = folder.succeed("tilewright profile 'a&<b>.py' --random 1 --dim n=32 --runs 2 --trace -");
    let trace: Json = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let events = trace["traceEvents"].as_array().expect("events");
    let slices: Vec<&Json> = events.iter().filter(|event| event["ph"] == "X").collect();
    assert!(slices.len() >= 2, "{text}");
    let (mut end, mut has_product) = (0.0, false);
    for slice in slices {
        let (start, time) = (slice["ts"].as_f64().expect("a start"), slice["dur"].as_f64().expect("a time"));
        assert!(start >= end && time > 0.0, "calls of kernels follow each other: {text}");
        end = start + time;
        let args = &slice["args"];
        assert!(args["arguments"].as_str().is_some_and(|text| text.contains("float32[")), "{slice}");
        if args["FLOP"].as_f64() >= Some(2.0 * 32.0 * 64.0 * 32.0) {
            has_product = args["GFLOP/s"].is_number() && args["share of floor"].is_number();
        }
    }
    assert!(has_product, "{text}");
    assert!(events.iter().any(|event| event["ph"] == "C" && event["args"]["arena"].is_number()), "{text}");
}
