//! `tilewright run`, on text and on executables.

use crate::Folder;

fn values(text: &str) -> Vec<f32> {
    let (_, inside) = text.split_once("] [").expect("a tensor");
    inside.trim().trim_end_matches(']').split(", ").map(|value| value.parse().expect("a number")).collect()
}

#[test]
fn text_and_executable_give_the_same_result() {
    let folder = Folder::new("run_same");
    folder.npy("x.npy", "2, 4", &[-1.0, 0.0, 1.0, f32::NAN, 3.5, -0.25, f32::INFINITY, f32::NEG_INFINITY]);
    folder.succeed("tilewright compile model.py -o m.twx");
    let from_text = folder.succeed("tilewright run model.py --input x=x.npy");
    assert_eq!(folder.succeed("tilewright run m.twx --input x=x.npy"), from_text);
    assert!(from_text.starts_with("float32[2, 4] ["), "{from_text}");
    let found = values(&from_text);
    let expected = [2.0, 0.0, 0.0, f32::NAN, 0.0, 0.5, 0.0, f32::INFINITY];
    assert!(found.iter().zip(expected).all(|(a, b)| *a == b || (a.is_nan() && b.is_nan())), "{found:?}");
}

#[test]
fn random_arguments_are_the_same_for_one_seed() {
    let folder = Folder::new("run_random");
    folder.succeed("tilewright compile model.py -o m.twx");
    let one = folder.succeed("tilewright run m.twx --random 7 --dim n=3");
    assert!(one.starts_with("float32[3, 4] ["), "{one}");
    assert_eq!(one, folder.succeed("tilewright run model.py --random 7 --dim n=3"));
    assert_ne!(one, folder.succeed("tilewright run m.twx --random 8 --dim n=3"));
    assert!(values(&one).iter().all(|value| (0.0..=2.0).contains(value)), "{one}");
}

#[test]
fn symbolic_sizes_come_from_the_arguments_that_are_given() {
    let folder = Folder::new("run_sizes");
    let text = r#"
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")):
        return R.add(x, y)
"#;
    std::fs::write(folder.path("add.py"), text).expect("the module");
    folder.npy("x.npy", "3,", &[1.0, 2.0, 3.0]);
    let found = folder.succeed("tilewright run add.py --input x=x.npy --random 1");
    assert!(found.starts_with("float32[3] ["), "{found}");
    let error = folder.fail(1, "tilewright run add.py --random 1");
    assert!(error.contains("--dim n=SIZE"), "{error}");
    let error = folder.fail(1, "tilewright run add.py --input x=x.npy --random 1 --dim n=4");
    assert!(error.contains('3') && error.contains('4'), "{error}");
}

#[test]
fn kernels_can_be_called_alone_and_timed() {
    let folder = Folder::new("run_kernel");
    folder.npy("x.npy", "1, 4", &[1.0, 2.0, 3.0, 4.0]);
    folder.succeed("tilewright compile model.py -o m.twx");
    let done = folder.shell("tilewright run m.twx --function scale --input x=x.npy --random 1 --time 5");
    assert_eq!((done.status, done.text()), (0, "None\n"), "{}", done.stderr);
    assert!(done.stderr.contains("median of 5"), "{}", done.stderr);
}

#[test]
fn numbers_and_shapes_are_written_as_they_are() {
    let folder = Folder::new("run_numbers");
    let text = r#"
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2), "float32"), s: R.Shape(["n", 2])):
        return (x, s)
"#;
    std::fs::write(folder.path("shapes.py"), text).expect("the module");
    folder.npy("x.npy", "1, 2", &[1.0, 2.0]);
    let found = folder.succeed("tilewright run shapes.py --input x=x.npy --input s=1,2");
    assert_eq!(found, "tuple of 2\n  float32[1, 2] [1.000000, 2.000000]\n  Shape[1, 2]\n");
    let error = folder.fail(1, "tilewright run shapes.py --input x=x.npy --input s=one");
    assert!(error.contains("parameter `s` takes sizes such as 2,3, found `one`"), "{error}");
}
