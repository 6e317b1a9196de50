//! Programs in C: the example of the documentation, and one that does everything wrong, built with the system's
//! compiler as a user builds them.

use std::path::{Path, PathBuf};
use std::process::Command;

use tilewright::session::{LoadOptions, load};

const MODEL: &str = r#"
@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor(("n", 3), "float32"), y: R.Tensor((3,), "float32"), k: R.Tensor(("n",), "int64")
    ) -> R.Tuple(R.Tensor(("n", 3), "float32"), R.Tensor(("n",), "int64"), R.Tensor((3,), "float32")):
        n = T.int64()
        with R.dataflow():
            z = R.add(x, R.multiply(y, R.const([1.0, 2.0, -3.0], "float32")))
            twice = R.add(k, k)
            R.output(z, twice)
        return (z, twice, y)
"#;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("tilewright-c-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    /// The model, saved.
    fn model(&self) -> PathBuf {
        let (source, saved) = (self.0.join("model.py"), self.0.join("model.twx"));
        std::fs::write(&source, MODEL).unwrap();
        let session = load(&source, &LoadOptions { cache: None, ..LoadOptions::default() }).unwrap();
        session.machine().executable().save(&saved).unwrap();
        saved
    }

    /// Builds a program in C, runs it with the model, and gives what it prints.
    fn run(&self, program: &Path, args: &[&str]) -> (bool, String) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        // The library lies with the test, whose build has made it.
        let library = std::env::current_exe().unwrap().parent().unwrap().to_owned();
        assert!(library.join("libtilewright_c.so").exists(), "no library in {}", library.display());
        let built = self.0.join("program");
        let compiled = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()))
            .args(["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-g", "-o"])
            .arg(&built)
            .arg(program)
            .arg("-I")
            .arg(root.join("include"))
            .arg("-L")
            .arg(&library)
            .arg("-ltilewright_c")
            .output()
            .unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let output = Command::new(&built).env("LD_LIBRARY_PATH", &library).args(args).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(text).unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c/run.c")
}

#[test]
#[cfg(target_os = "linux")]
fn the_example_runs_a_model() {
    let folder = Folder::new("example");
    let model = folder.model();
    let (succeeded, text) = folder.run(&example(), &[model.to_str().unwrap(), "2"]);
    let expected = "\
input x: [n, 3], 4 bytes an element
input y: [3], 4 bytes an element
input k: [n], 8 bytes an element
output output0: [n, 3], 4 bytes an element
output output1: [n], 8 bytes an element
output output2: [3], 4 bytes an element
output0 = 2 3 -2 2 3 -2
output1 = 2 2
output2 = 1 1 1
";
    assert_eq!(text, expected);
    assert!(succeeded);
    let (succeeded, text) = folder.run(&example(), &[folder.0.join("absent.twx").to_str().unwrap()]);
    assert!(!succeeded && text.contains("absent.twx\": No such file or directory"), "{text}");
    let (succeeded, text) = folder.run(&example(), &[example().to_str().unwrap()]);
    assert!(!succeeded && text.contains("not a Tilewright executable"), "{text}");
}

#[test]
#[cfg(target_os = "linux")]
fn mistakes_are_named_and_nothing_is_stored() {
    let folder = Folder::new("wrong");
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong.c");
    let (succeeded, text) = folder.run(&program, &[folder.model().to_str().unwrap()]);
    assert!(succeeded, "{text}");
    for expected in [
        "types and sizes: `x` has the data type int32, float32 is expected; dimension 0 of `k` is 3, `n` is 2 by",
        "few inputs: the model has 3 inputs, 2 are given. The inputs are x: float32[n, 3], y: float32[3], k: int64[n]",
        "few outputs: the model has 3 outputs, 1 are given: output0: float32[n, 3], ",
        "no type: input `x` has the type 99, which is none",
        "no data: the data of input `x` is NULL",
        "no shape: the shape of input `x` is NULL",
        "negative rank: input `x` has the rank -1",
        "negative size: input `x`: ",
        "wrong output: output `output1` is int64[2], the tensor given for it is float32[2]",
        "no session: the session is NULL",
        "no path: the path is NULL",
        "empty: the executable's header is malformed: ",
        "all done\n",
    ] {
        assert!(text.contains(expected), "{expected}\nis not in\n{text}");
    }
}
