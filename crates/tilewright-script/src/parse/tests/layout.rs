//! The same function in every layout that Python has for it.

use tilewright_ir::node::EqCx;

use super::good;
use crate::parse::Definition;

const PLAIN: &str = "@T.prim_func
def f(A: T.Buffer((4,), \"float32\"), n: T.int32):
    A[0] = A[1] + T.float32(1)
    A[1] = A[2]
";

/// The text is read as `PLAIN` is.
fn same(text: &str) {
    let [plain, other] = [PLAIN, text].map(|text| match &good(text).items[0].definition {
        Definition::Prim(function) => function.clone(),
        _ => panic!("no PrimFunc"),
    });
    assert_eq!(EqCx::compare(&*plain, &*other), Ok(()), "{text}");
}

#[test]
fn form_feeds() {
    same(&PLAIN.replace("    A[", "\x0c    A["));
    same(&format!("\x0c\n{}\x0c\n", PLAIN.replace("\ndef", "\n\x0c\ndef").replace(" + ", "\x0c+\x0c")));
}

#[test]
fn comments_of_types() {
    same(&PLAIN.replace("\n", "  # type: ignore\n"));
    same(&PLAIN.replace(":\n", ":\n    # type: (...) -> None\n"));
}

#[test]
fn semicolons() {
    same(&PLAIN.replace("\n    A[1] = A[2]", "; A[1] = A[2];"));
    same(&PLAIN.replace(":\n    ", ": ").replace("\n    A[1] = A[2]", "; A[1] = A[2]"));
}

#[test]
fn lines_that_go_on() {
    same(&PLAIN.replace(" + ", " \\\n+ \\\n        "));
    same(&PLAIN.replace("A[1] + T.float32(1)", "(A[1]  # one\n\n  + T.float32(\n1\n))"));
    same(&PLAIN.replace("A[1] = A[2]", "A[\n1] = A[2\n  ]"));
    same(&PLAIN.replace("(A: T", "(\n        A: T").replace("T.int32)", "T.int32,\n)"));
}

#[test]
fn ends_of_lines_and_indentation() {
    same(&PLAIN.replace('\n', "\r\n"));
    same(&PLAIN.replace("    ", "\t"));
    same(&PLAIN.replace("    ", " "));
    same(PLAIN.trim_end());
}
