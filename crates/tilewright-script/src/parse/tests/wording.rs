//! The diagnostics' exact text, of decorators, of loops that never run, and of operators and attributes by their names
//! in the script.

use expect_test::{Expect, expect};
use tilewright_support::SourceFile;

use super::{errors, indent, prim_errors};
use crate::parse::{NoHost, parse_file};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&errors(text));
}

#[test]
fn decorators_that_are_none_of_the_script() {
    check(
        "@T.prim_funk\ndef f(A: T.Buffer((4,), \"float32\")):\n    A[0] = 1.0\n",
        expect![[r#"
            error[TW0202]: `T.prim_funk` decorates no function
             --> test.py:1:2
              |
            1 | @T.prim_funk
              |  ^^^^^^^^^^^
              |
              = help: did you mean `T.prim_func`?"#]],
    );
    check(
        "@I.ir_modul\nclass M:\n    pass\n",
        expect![[r#"
        error[TW0202]: `I.ir_modul` decorates no class
         --> test.py:1:2
          |
        1 | @I.ir_modul
          |  ^^^^^^^^^^
          |
          = help: did you mean `I.ir_module`?"#]],
    );
    check(
        "@I.ir_module\nclass M:\n    @R.jit\n    def f():\n        return 1\n",
        expect![[r#"
        error[TW0202]: `R.jit` decorates no function
         --> test.py:3:6
          |
        3 |     @R.jit
          |      ^^^^^
          |
          = help: a function of the script is decorated with `T.prim_func` or `R.function`"#]],
    );
}

#[test]
fn async_functions() {
    check(
        "@T.prim_func\nasync def f(A: T.Buffer((4,), \"float32\")):\n    A[0] = 1.0\n",
        expect![[r#"
            error[TW0104]: `f` is an async function
             --> test.py:2:11
              |
            2 | async def f(A: T.Buffer((4,), "float32")):
              |           ^
              |
              = help: remove `async`: the text of a function is compiled, never awaited"#]],
    );
    check(
        "@I.ir_module\nclass M:\n    @R.function\n    async def f():\n        return 1\n",
        expect![[r#"
        error[TW0104]: `f` is an async function
         --> test.py:4:15
          |
        4 |     async def f():
          |               ^
          |
          = help: remove `async`: the text of a function is compiled, never awaited"#]],
    );
}

#[test]
fn loops_that_never_run() {
    let check = |domain: &str, expected: Expect| {
        let text = format!(
            "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    for i in {domain}:\n        A[i] = 0.0\n"
        );
        let parsed = parse_file(&SourceFile::new("test.py", text), &NoHost).unwrap();
        assert_eq!(parsed.items.len(), 1);
        expected.assert_eq(&parsed.warnings.render(false));
    };
    check(
        "T.serial(-4)",
        expect![[r#"
        warning[TW0306]: a loop over -4 iterations never runs
         --> test.py:3:14
          |
        3 |     for i in T.serial(-4):
          |              ^^^^^^^^^^^^ expected 0 or more"#]],
    );
    check(
        "range(5, 3)",
        expect![[r#"
        warning[TW0306]: a loop over -2 iterations never runs
         --> test.py:3:14
          |
        3 |     for i in range(5, 3):
          |              ^^^^^^^^^^^ expected 0 or more"#]],
    );
    check("T.serial(0)", expect![[""]]);
}

#[test]
fn operators_and_attributes_in_the_words_of_the_script() {
    let check_prim =
        |body: &str, expected: Expect| expected.assert_eq(&prim_errors("A: T.Buffer((16,), \"float32\")", body));
    let check_relax = |body: &str, expected: Expect| {
        let head = "@R.function\ndef main(x: R.Tensor((2, 3), \"float32\")):\n";
        check(&format!("{head}{}", indent(body)), expected);
    };
    check_prim(
        "A[0] = A[0] << A[1]",
        expect![[r#"
        error[TW0303]: `<<` is not defined for float32
         --> test.py:3:12
          |
        3 |     A[0] = A[0] << A[1]
          |            ^^^^^^^^^^^^"#]],
    );
    check_relax(
        "y = R.permute_dims(x, axes=\"ab\")\nreturn y",
        expect![[r#"
            error[TW0305]: attribute `axes` of `permute_dims` must be integers or None, found the text "ab"
             --> test.py:3:9
              |
            3 |     y = R.permute_dims(x, axes="ab")
              |         ^^^^^^^^^^^^^^^-^^^^^^^^^^^^
              |                        |
              |                        a float32 tensor of shape (2, 3)"#]],
    );
    check_relax(
        "y = R.permute_dims(x, axes=[0, \"b\"])\nreturn y",
        expect![[r#"
            error[TW0305]: attribute `axes` of `permute_dims` must be integers or None, found a list of the integer 0, the text "b"
             --> test.py:3:9
              |
            3 |     y = R.permute_dims(x, axes=[0, "b"])
              |         ^^^^^^^^^^^^^^^-^^^^^^^^^^^^^^^^
              |                        |
              |                        a float32 tensor of shape (2, 3)"#]],
    );
}

#[test]
fn functions_that_stand_elsewhere_are_found() {
    let check = |value: &str, near: &str| {
        let text =
            errors(&format!("@R.function\ndef main(x: R.Tensor((2,), \"float32\")):\n    y = {value}\n    return y\n"));
        assert!(text.contains(&format!("did you mean `{near}`?")), "{text}");
    };
    check("R.relu(x)", "R.nn.relu");
    check("R.nn.matmul(x, x)", "R.matmul");
    check("R.ceildiv(x, x)", "T.ceildiv");
    let text = prim_errors("A: T.Buffer((4,), \"float32\")", "A[0] = T.permute_dims(A[1])");
    assert!(text.contains("did you mean `R.permute_dims`?"), "{text}");
}
