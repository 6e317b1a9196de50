//! The diagnostics' exact text.

use expect_test::{Expect, expect};

use super::{errors, prim_errors};

pub(super) fn check(text: &str, expected: Expect) {
    expected.assert_eq(&errors(text));
}

/// In a PrimFunc with buffers `A` of one dimension and `B` of two, and a scalar `n`.
fn check_prim(body: &str, expected: Expect) {
    let params = "A: T.Buffer((16,), \"float32\"), B: T.Buffer((4, 8), \"int32\"), n: T.int32";
    expected.assert_eq(&prim_errors(params, body));
}

/// In a Relax function with `x` of shape (2, 3) and `w` of shape (4, 3).
pub(super) fn check_relax(body: &str, expected: Expect) {
    let head = "@R.function\ndef main(x: R.Tensor((2, 3), \"float32\"), w: R.Tensor((4, 3), \"float32\")):\n";
    expected.assert_eq(&errors(&format!("{head}{}", super::indent(body))));
}

#[test]
fn a_syntax_error_in_a_file_with_good_functions() {
    check(
        r#"
@I.ir_module
class M:
    @T.prim_func
    def bad(A: T.Buffer((4,), "float32")):
        A[0 = 1.0

    @T.prim_func
    def good(A: T.Buffer((4,), "float32")):
        A[0, 1] = 1.0

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        y = R.call_tir(M.bad, (x,), out_sinfo=R.Tensor((4,), "float32"))
        return z

def python(: pass
"#,
        expect![[r#"
            error[TW0101]: syntax error: `[` is never closed
             --> test.py:6:10
              |
            6 |         A[0 = 1.0
              |          ^

            error[TW0304]: buffer `A` has 1 dimension, found 2 indices
              --> test.py:10:11
               |
            10 |         A[0, 1] = 1.0
               |           ^^^^ its shape is (4,)

            error[TW0201]: unknown name `z`
              --> test.py:15:16
               |
            15 |         return z
               |                ^ not found in this scope

            error[TW0101]: syntax error: expected a parameter or the end of the parameter list
              --> test.py:17:12
               |
            17 | def python(: pass
               |            ^"#]],
    );
}

#[test]
fn unknown_functions() {
    check_prim(
        "A[0] = T.maxx(A[1], 0.0)",
        expect![[r#"
            error[TW0202]: unknown function `T.maxx`
             --> test.py:3:12
              |
            3 |     A[0] = T.maxx(A[1], 0.0)
              |            ^^^^^^
              |
              = help: did you mean `T.max`?"#]],
    );
    check_prim(
        "for i in T.gird(4):\n    A[i] = 0.0",
        expect![[r#"
            error[TW0202]: `T.gird` is no range for a loop
             --> test.py:3:14
              |
            3 |     for i in T.gird(4):
              |              ^^^^^^
              |
              = help: did you mean `T.grid`?"#]],
    );
    check_relax(
        "y = R.nn.rleu(x)\nreturn y",
        expect![[r#"
            error[TW0202]: unknown function `R.nn.rleu`
             --> test.py:3:9
              |
            3 |     y = R.nn.rleu(x)
              |         ^^^^^^^^^
              |
              = help: did you mean `R.nn.relu`?"#]],
    );
}

#[test]
fn unsupported_syntax() {
    check_prim(
        "A[0] = T.vscale(A[1])",
        expect![[r#"
            error[TW0406]: `T.vscale` is not read by this version
             --> test.py:3:12
              |
            3 |     A[0] = T.vscale(A[1])
              |            ^^^^^^^^"#]],
    );
    check_relax(
        "y: R.Callable(derive_func=\"f\") = x\nreturn y",
        expect![[r#"
            error[TW0406]: derived results are not read by this version
             --> test.py:3:31
              |
            3 |     y: R.Callable(derive_func="f") = x
              |                               ^^^"#]],
    );
}

#[test]
fn unknown_names() {
    check_prim(
        "A[0] = AA[1]",
        expect![[r#"
            error[TW0201]: unknown name `AA`
             --> test.py:3:12
              |
            3 |     A[0] = AA[1]
              |            ^^ not found in this scope
              |
              = help: did you mean `A`?"#]],
    );
    check_prim(
        "for i in range(4):\n    A[i] = 0.0\nA[i] = 1.0",
        expect![[r#"
            error[TW0201]: unknown name `i`
             --> test.py:5:7
              |
            5 |     A[i] = 1.0
              |       ^ not found in this scope"#]],
    );
    check_relax(
        "y = R.nn.relu(xx)\nz = R.add(y, y)\nreturn z",
        expect![[r#"
        error[TW0201]: unknown name `xx`
         --> test.py:3:19
          |
        3 |     y = R.nn.relu(xx)
          |                   ^^ not found in this scope
          |
          = help: did you mean `x`?"#]],
    );
    check(
        "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Object):\n        y = cls.helper(x)\n        return Module.man(y)\n",
        expect![[r#"
            error[TW0201]: unknown name `cls`
             --> test.py:5:13
              |
            5 |         y = cls.helper(x)
              |             ^^^ not found in this scope
              |
              = help: write `cls = Module` first

            error[TW0204]: the module has no function `man`
             --> test.py:6:16
              |
            6 |         return Module.man(y)
              |                ^^^^^^^^^^
              |
              = help: did you mean `main`?"#]],
    );
}

#[test]
fn wrong_numbers_of_arguments() {
    check_prim(
        "A[0] = T.max(A[1])",
        expect![[r#"
        error[TW0301]: `T.max` needs the argument `b`
         --> test.py:3:12
          |
        3 |     A[0] = T.max(A[1])
          |            ^^^^^^^^^^^"#]],
    );
    check_prim(
        "A[0] = T.sqrt(A[1], A[2])",
        expect![[r#"
        error[TW0301]: `T.sqrt` takes 1 argument, found 2
         --> test.py:3:25
          |
        3 |     A[0] = T.sqrt(A[1], A[2])
          |                         ^^^^ unexpected argument"#]],
    );
    check_prim(
        "for i in T.serial(4, annotation={}):\n    A[i] = 0.0",
        expect![[r#"
        error[TW0301]: `T.serial` has no argument `annotation`
         --> test.py:3:26
          |
        3 |     for i in T.serial(4, annotation={}):
          |                          ^^^^^^^^^^^^^
          |
          = help: did you mean `annotations`?"#]],
    );
    check_relax(
        "y = R.nn.relu(x, w)\nreturn y",
        expect![[r#"
        error[TW0301]: `R.nn.relu` takes 1 argument, found 2
         --> test.py:3:22
          |
        3 |     y = R.nn.relu(x, w)
          |                      ^ unexpected argument"#]],
    );
    check_relax(
        "y = R.matmul(x, w, out_type=\"float32\")\nreturn y",
        expect![[r#"
        error[TW0301]: `R.matmul` has no argument `out_type`
         --> test.py:3:24
          |
        3 |     y = R.matmul(x, w, out_type="float32")
          |                        ^^^^^^^^^^^^^^^^^^
          |
          = help: did you mean `out_dtype`?"#]],
    );
}

#[test]
fn wrong_numbers_of_indices() {
    check_prim(
        "B[0] = 1",
        expect![[r#"
        error[TW0304]: buffer `B` has 2 dimensions, found 1 index
         --> test.py:3:7
          |
        3 |     B[0] = 1
          |       ^ its shape is (4, 8)"#]],
    );
    check_prim(
        "A[0] = A[n, n]",
        expect![[r#"
        error[TW0304]: buffer `A` has 1 dimension, found 2 indices
         --> test.py:3:14
          |
        3 |     A[0] = A[n, n]
          |              ^^^^ its shape is (16,)"#]],
    );
    check_prim(
        "with T.block(\"b\"):\n    T.reads(B[0])\n    A[0] = 1.0",
        expect![[r#"
        error[TW0304]: buffer `B` has 2 dimensions, found 1 index
         --> test.py:4:19
          |
        4 |         T.reads(B[0])
          |                   ^ its shape is (4, 8)"#]],
    );
}

#[test]
fn wrong_data_types() {
    check_prim(
        "x: T.int32 = A[0]",
        expect![[r#"
        error[TW0303]: `x` is declared as int32, its value is float32
         --> test.py:3:18
          |
        3 |     x: T.int32 = A[0]
          |                  ^^^^"#]],
    );
    check_prim(
        "A[A[0]] = 1.0",
        expect![[r#"
        error[TW0303]: an index of buffer `A` must be an integer, found float32
         --> test.py:3:7
          |
        3 |     A[A[0]] = 1.0
          |       ^^^^"#]],
    );
    check_prim(
        "A[0] = n / 2",
        expect![[r#"
        error[TW0303]: `/` of integers is ambiguous
         --> test.py:3:12
          |
        3 |     A[0] = n / 2
          |            ^^^^^
          |
          = help: say how to round: `//` rounds down, `T.truncdiv(a, b)` towards zero"#]],
    );
    check_prim(
        "if n:\n    A[0] = 1.0",
        expect![[r#"
        error[TW0303]: a condition must be a bool, found int32
         --> test.py:3:8
          |
        3 |     if n:
          |        ^"#]],
    );
    check_prim(
        "x: T.int8 = 300",
        expect![[r#"
        error[TW0306]: 300 is out of the range of int8
         --> test.py:3:17
          |
        3 |     x: T.int8 = 300
          |                 ^^^"#]],
    );
    check_prim(
        "A[0] = T.Cast(\"flaot32\", n)",
        expect![[r#"
        error[TW0303]: unknown data type "flaot32"
         --> test.py:3:19
          |
        3 |     A[0] = T.Cast("flaot32", n)
          |                   ^^^^^^^^^
          |
          = help: did you mean `float32`?"#]],
    );
    check_prim(
        "A[0] = A",
        expect![[r#"
        error[TW0302]: expected a scalar, found the buffer `A`
         --> test.py:3:12
          |
        3 |     A[0] = A
          |            ^
          |
          = help: index it: `A[…]`"#]],
    );
}

#[test]
fn wrong_axes() {
    check_prim(
        "for i, j in T.grid(4, 8):\n    with T.block(\"b\"):\n        vi, vj = T.axis.remap(\"SSR\", [i, j])\n        B[vi, vj] = 1",
        expect![[r#"
            error[TW0402]: 3 kinds for 2 loop variables
             --> test.py:5:35
              |
            5 |             vi, vj = T.axis.remap("SSR", [i, j])
              |                                   ^^^^^ one letter for each variable: `S` (spatial), `R` (reduce) or `O` (opaque)"#]],
    );
    check_prim(
        "for i in range(4):\n    with T.block(\"b\"):\n        vi = T.axis.remap(\"X\", [i])\n        A[vi] = 1.0",
        expect![[r#"
            error[TW0402]: unknown kind of axis `X`: expected `S` (spatial), `R` (reduce) or `O` (opaque)
             --> test.py:5:31
              |
            5 |             vi = T.axis.remap("X", [i])
              |                               ^^^"#]],
    );
    check_prim(
        "for i in range(4):\n    with T.block(\"b\"):\n        vi = T.axis.remap(\"S\", [i + 1])\n        A[vi] = 1.0",
        expect![[r#"
            error[TW0402]: `i + 1` is no variable of a loop
             --> test.py:5:37
              |
            5 |             vi = T.axis.remap("S", [i + 1])
              |                                     ^^^^^
              |
              = help: say the extent of the axis: `T.axis.spatial(extent, i + 1)`"#]],
    );
    check_prim(
        "vi = T.axis.spatial(4, n)",
        expect![[r#"
        error[TW0401]: `T.axis.spatial` belongs to the top of a block
         --> test.py:3:10
          |
        3 |     vi = T.axis.spatial(4, n)
          |          ^^^^^^^^^^^^^^^^^^^^
          |
          = help: put it right below `with T.block("name"):`"#]],
    );
    check_prim(
        "for i, j in T.grid(4):\n    A[i] = 0.0",
        expect![[r#"
        error[TW0301]: 2 loop variables for 1 extent
         --> test.py:3:9
          |
        3 |     for i, j in T.grid(4):
          |         ^^^^"#]],
    );
}

#[test]
fn misplaced_statements() {
    check_prim(
        "with T.init():\n    A[0] = 1.0",
        expect![[r#"
        error[TW0401]: `T.init` belongs to the top of a block
         --> test.py:3:10
          |
        3 |     with T.init():
          |          ^^^^^^^^
          |
          = help: put it right below `with T.block("name"):`"#]],
    );
    check_prim(
        "x = A[0]\nx = A[1]\nA[2] = x",
        expect![[r#"
        error[TW0203]: `x` has a value already
         --> test.py:4:5
          |
        4 |     x = A[1]
          |     ^
          |
          = note: a variable of a PrimFunc never changes
          = help: take another name, or keep what changes in a buffer"#]],
    );
    check_prim(
        "for i in range(4):\n    Mine = A\n    A = Mine",
        expect![[r#"
        error[TW0203]: `A` has a value already
         --> test.py:5:9
          |
        5 |         A = Mine
          |         ^
          |
          = note: a variable of a PrimFunc never changes
          = help: take another name, or store into elements: `A[…] = …`"#]],
    );
    check_prim(
        "import os\nreturn A",
        expect![[r#"
            error[TW0104]: `import` is not part of a PrimFunc
             --> test.py:3:5
              |
            3 |     import os
              |     ^^^^^^^^^
              |
              = help: the text is compiled, not run: code for Python belongs outside of the function

            error[TW0302]: expected a scalar, found the buffer `A`
             --> test.py:4:12
              |
            4 |     return A
              |            ^
              |
              = help: index it: `A[…]`"#]],
    );
    check_relax(
        "with R.dataflow():\n    m = R.call_packed(\"f\", x)\n    R.output(m)\nreturn m",
        expect![[r#"
        error[TW0404]: this call has side effects, in a dataflow block
         --> test.py:4:9
          |
        4 |         m = R.call_packed("f", x)
          |         ^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = help: end the block before it, and begin another one after it"#]],
    );
    check(
        "@R.function(pure=True)\ndef f(x: R.Object):\n    y = R.call_packed(\"f\", x)\n    return y\n",
        expect![[r#"
            error[TW0404]: this call has side effects, in a pure function
             --> test.py:3:5
              |
            3 |     y = R.call_packed("f", x)
              |     ^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = help: say `pure=False` in the function's decorator"#]],
    );
    check_relax(
        "y = x @ w\nreturn y",
        expect![[r#"
            error[TW0104]: values of a graph are combined by operators with names
             --> test.py:3:9
              |
            3 |     y = x @ w
              |         ^^^^^
              |
              = help: write the operator's call, such as `R.add(a, b)`"#]],
    );
    check_relax(
        "y = R.nn.relu(x)",
        expect![[r#"
        error[TW0403]: function `main` returns nothing
         --> test.py:2:5
          |
        2 | def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((4, 3), "float32")):
          |     ^^^^ its last statement has to be `return`"#]],
    );
}

#[test]
fn variables_without_a_value() {
    check_prim(
        "m = T.int64()\nA[m] = 1.0",
        expect![[r#"
        error[TW0201]: nothing gives `m` a value
         --> test.py:3:9
          |
        3 |     m = T.int64()
          |         ^^^^^^^^^ make it a dimension of a matched buffer"#]],
    );
    check_relax(
        "k = T.int64()\nreturn R.shape([k])",
        expect![[r#"
        error[TW0201]: nothing gives `k` a value
         --> test.py:3:9
          |
        3 |     k = T.int64()
          |         ^^^^^^^^^ define it by a cast, or as a dimension of a parameter"#]],
    );
    check(
        "@R.function\ndef f(x: R.Tensor((\"n * 2\",), \"float32\")):\n    return x\n",
        expect![[r#"
        error[TW0201]: no parameter says what `n` is
         --> test.py:2:6
          |
        2 | def f(x: R.Tensor(("n * 2",), "float32")):
          |      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ one dimension has to be this name alone"#]],
    );
}

#[test]
fn missing_definitions_of_a_module() {
    check(
        "@I.ir_module\nclass M:\n    x = 1\n    def f(a):\n        pass\n    @T.prim_func\n    def g(A):\n        A[0] = 1\n    @T.prim_func\n    def g(A: T.Buffer((4,))):\n        A[0] = 1\n    I.module_global_infos({\"vdevice\": [1]})\n",
        expect![[r#"
            error[TW0104]: a module holds functions
             --> test.py:3:5
              |
            3 |     x = 1
              |     ^^^^^ not a function

            error[TW0104]: `f` is no function of the script
             --> test.py:4:9
              |
            4 |     def f(a):
              |         ^
              |
              = help: decorate it with `@T.prim_func` or `@R.function`

            error[TW0301]: parameter `A` needs an annotation
             --> test.py:7:11
              |
            7 |     def g(A):
              |           ^ such as `A: T.Buffer((16,), "float32")`

            error[TW0203]: the module has two functions `g`
              --> test.py:10:9
               |
             7 |     def g(A):
               |         - the first one
            ...
            10 |     def g(A: T.Buffer((4,))):
               |         ^

            error[TW0302]: expected a global info such as `I.vdevice(…)`, found the number 1
              --> test.py:12:27
               |
            12 |     I.module_global_infos({"vdevice": [1]})
               |                           ^^^^^^^^^^^^^^^^ the number 1"#]],
    );
}

#[test]
fn one_error_does_not_cause_others() {
    check_prim(
        "x = T.unknown(1)\ny = x + 1\nfor i in range(y):\n    A[i] = x\nA[0] = AA[0]",
        expect![[r#"
            error[TW0202]: unknown function `T.unknown`
             --> test.py:3:9
              |
            3 |     x = T.unknown(1)
              |         ^^^^^^^^^

            error[TW0201]: unknown name `AA`
             --> test.py:7:12
              |
            7 |     A[0] = AA[0]
              |            ^^ not found in this scope
              |
              = help: did you mean `A`?"#]],
    );
}
