//! Programs that are nested ten thousand deep: each is read, verified, hashed, printed, read back, run and dropped.

use tilewright_interp::{Arg, InterpCx, Value};
use tilewright_ir::node::HashCx;
use tilewright_ir::verify::{Form, verify};
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_script::parse::{NoHost, parse_module};
use tilewright_script::print::{PrintOptions, print_module};
use tilewright_support::SourceFile;
use tilewright_tensor::Tensor;

const DEPTH: usize = 10_000;

/// A module of this text that has been through everything but its run.
fn survivor(text: &str) -> IRModule {
    let read = |text: &str| match parse_module(&SourceFile::new("deep.py", text), &NoHost) {
        Ok(module) => module,
        Err(found) => panic!("{}", found.0[0].message),
    };
    let module = read(text);
    if let Err(faults) = verify(&module, Form::Any) {
        panic!("{}", faults.0[0]);
    }
    let back = read(&print_module(&module, &PrintOptions { indent: 1, ..PrintOptions::default() }));
    assert_eq!(module.compare(&back), Ok(()));
    assert_eq!(HashCx::hash(&module), HashCx::hash(&back));
    back
}

/// The result of a PrimFunc with this body for two numbers.
fn run_prim(body: &str) -> Vec<f32> {
    let text = format!(
        "@I.ir_module\nclass M:\n @T.prim_func\n def main(A: T.Buffer((2,), \"float32\"), B: T.Buffer((2,), \"float32\")):\n{body}"
    );
    let module = survivor(&text);
    let Some(GlobalFunc::Prim(main)) = module.get("main") else { panic!("no PrimFunc") };
    let [x, y] = [[3.0, -2.0], [0.0, 0.0]].map(|values| Tensor::from_vec::<f32>(&[2], values.to_vec()).unwrap());
    InterpCx::default().run_prim_func(main, &[Arg::from(&x), Arg::from(&y)]).unwrap();
    y.to_vec().unwrap()
}

/// Lines, each one deeper than the one before, and a last line in them.
fn nested(line: impl Fn(usize) -> String, last: &str) -> String {
    let mut text: String = (0..DEPTH).map(|depth| format!("{}{}\n", " ".repeat(depth + 2), line(depth))).collect();
    text.push_str(&format!("{}{last}\n", " ".repeat(DEPTH + 2)));
    text
}

#[test]
fn loops() {
    let body =
        nested(|depth| format!("for i{depth} in range({}):", 1 + usize::from(depth == 5_000)), "B[i5000] = A[0]");
    assert_eq!(run_prim(&body), [3.0, 3.0]);
}

#[test]
fn branches() {
    let body = nested(|depth| format!("if A[{}] < {}:", depth % 2, depth + 4), "B[0] = A[0] + A[1]");
    assert_eq!(run_prim(&body), [1.0, 0.0]);
}

#[test]
fn operators_and_brackets() {
    let sum = format!("  B[1] = {}A[0]{}\n", "(".repeat(DEPTH), " + A[1])".repeat(DEPTH));
    assert_eq!(run_prim(&sum), [0.0, 3.0 - 2.0 * DEPTH as f32]);
    // A bracket and an operator each: twice as deep, and just below what a text may be.
    let both = DEPTH - 10;
    let right = format!("  B[0] = {}A[0]{}\n", "(A[1] + ".repeat(both), ")".repeat(both));
    assert_eq!(run_prim(&right), [3.0 - 2.0 * both as f32, 0.0]);
    let calls = format!("  B[1] = {}A[1]{}\n", "T.fabs(".repeat(DEPTH), ")".repeat(DEPTH));
    assert_eq!(run_prim(&calls), [0.0, 2.0]);
    let brackets = format!("  B[1] = {}A[1]{}\n", "(".repeat(DEPTH), ")".repeat(DEPTH));
    assert_eq!(run_prim(&brackets), [0.0, -2.0]);
}

#[test]
fn calls_of_a_graph() {
    let calls = format!("{}x{}", "R.negative(".repeat(DEPTH + 1), ")".repeat(DEPTH + 1));
    let module = survivor(&format!(
        "@I.ir_module\nclass M:\n @R.function\n def main(x: R.Tensor((2,), \"float32\")):\n  y = {calls}\n  return y\n"
    ));
    let x = Tensor::from_vec::<f32>(&[2], vec![3.0, -2.0]).unwrap();
    let y = InterpCx::default().run_function(&module, "main", &[Value::Tensor(x)]).unwrap();
    assert_eq!(y.as_tensor().unwrap().to_vec::<f32>().unwrap(), [-3.0, 2.0]);
}

#[test]
fn branches_of_a_graph() {
    let mut body = String::new();
    for depth in 0..DEPTH {
        body.push_str(&format!("{}if c:\n", " ".repeat(depth + 2)));
    }
    body.push_str(&format!("{}y = R.negative(x)\n", " ".repeat(DEPTH + 2)));
    for depth in (0..DEPTH).rev() {
        let indent = " ".repeat(depth + 2);
        body.push_str(&format!("{indent}else:\n{indent} y = x\n"));
    }
    let module = survivor(&format!(
        "@I.ir_module\nclass M:\n @R.function\n def main(c: R.Tensor((), \"bool\"), x: R.Tensor((2,), \"float32\")):\n{body}  return y\n"
    ));
    let x = Tensor::from_vec::<f32>(&[2], vec![3.0, -2.0]).unwrap();
    let c = Tensor::from_bytes(tilewright_tensor::DataType::BOOL, &[], &[1]).unwrap();
    let y = InterpCx::default().run_function(&module, "main", &[Value::Tensor(c), Value::Tensor(x)]).unwrap();
    assert_eq!(y.as_tensor().unwrap().to_vec::<f32>().unwrap(), [-3.0, 2.0]);
}
