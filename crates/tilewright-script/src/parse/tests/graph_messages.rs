//! The exact text of the diagnostics on graphs: shapes, dataflow, constants, symbolic dimensions.

use expect_test::expect;

use super::messages::{check, check_relax};

#[test]
fn shapes_that_do_not_fit() {
    check_relax(
        "y = R.matmul(x, w)\nreturn y",
        expect![[r#"
            error[TW0305]: `matmul` of shapes (2, 3) and (4, 3): the last dimension of the first, 3, must be the last but one of the second, 4
             --> test.py:3:21
              |
            3 |     y = R.matmul(x, w)
              |                  -  ^ a float32 tensor of shape (4, 3)
              |                  |
              |                  a float32 tensor of shape (2, 3)"#]],
    );
    check_relax(
        "y: R.Tensor((2, 4), \"float32\") = R.nn.relu(x)\nreturn y",
        expect![[r#"
        error[TW0305]: the value is not what its annotation says: expected 4 in dimension 1, found 3
         --> test.py:3:8
          |
        3 |     y: R.Tensor((2, 4), "float32") = R.nn.relu(x)
          |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^   ------------ a float32 tensor of shape (2, 3)
          |        |
          |        annotated"#]],
    );
    check_relax(
        "y = R.match_cast(x, R.Tensor((2, 4), \"float32\"))\nreturn y",
        expect![[r#"
        error[TW0305]: this cast can never succeed: expected 4 in dimension 1, found 3
         --> test.py:3:25
          |
        3 |     y = R.match_cast(x, R.Tensor((2, 4), "float32"))
          |                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^ a float32 tensor of shape (2, 3)"#]],
    );
    check(
        "@R.function\ndef f(x: R.Tensor((2,), \"float32\")) -> R.Tensor((3,), \"float32\"):\n    return x\n",
        expect![[r#"
            error[TW0305]: the result of `f` is not what its annotation says: expected 3 in dimension 0, found 2
             --> test.py:2:40
              |
            2 | def f(x: R.Tensor((2,), "float32")) -> R.Tensor((3,), "float32"):
              |                                        ^^^^^^^^^^^^^^^^^^^^^^^^^ returned is a float32 tensor of shape (2,)
            3 |     return x
              |     -------- returned here"#]],
    );
    check(
        r#"
@I.ir_module
class M:
    @T.prim_func
    def f(X: T.Buffer((4,), "float32"), Y: T.Buffer((4,), "float32")):
        Y[0] = X[0]

    @R.function
    def main(x: R.Tensor((5,), "float32"), i: R.Tensor((4,), "int8")):
        a = R.call_tir(M.f, (x,), out_sinfo=R.Tensor((4,), "float32"))
        b = R.call_tir(M.f, (i,), out_sinfo=R.Tensor((4,), "float32"))
        c = R.call_tir(M.f, (x, x), out_sinfo=R.Tensor((4,), "float32"))
        d = R.call_tir(M.main, (x,), out_sinfo=R.Tensor((4,), "float32"))
        return a
"#,
        expect![[r#"
            error[TW0305]: argument 0 of PrimFunc `f`: expected 4 in dimension 0, found 5
              --> test.py:10:30
               |
            10 |         a = R.call_tir(M.f, (x,), out_sinfo=R.Tensor((4,), "float32"))
               |                              ^ a float32 tensor of shape (5,)

            error[TW0305]: argument 0 of PrimFunc `f`: expected dtype float32, found int8
              --> test.py:11:30
               |
            11 |         b = R.call_tir(M.f, (i,), out_sinfo=R.Tensor((4,), "float32"))
               |                              ^ an int8 tensor of shape (4,)

            error[TW0305]: PrimFunc `f` takes 2 arguments, found 3
              --> test.py:12:13
               |
            12 |         c = R.call_tir(M.f, (x, x), out_sinfo=R.Tensor((4,), "float32"))
               |             ^^^^^^^^^^^^^^^^^-^^-^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
               |                              |  |
               |                              |  a float32 tensor of shape (5,)
               |                              a float32 tensor of shape (5,)

            error[TW0302]: `main` is a Relax function, not a PrimFunc
              --> test.py:13:24
               |
            13 |         d = R.call_tir(M.main, (x,), out_sinfo=R.Tensor((4,), "float32"))
               |                        ^^^^^^
               |
               = help: call it: `M.main(…)`"#]],
    );
}

#[test]
fn dataflow_variables_stay_in_their_block() {
    check_relax(
        "with R.dataflow():\n    a = R.nn.relu(x)\n    b = R.nn.relu(a)\n    R.output(b)\nc = R.add(a, b)\nreturn c",
        expect![[r#"
            error[TW0206]: `a` is visible only inside its dataflow block
             --> test.py:7:15
              |
            4 |         a = R.nn.relu(x)
              |         ---------------- bound here
            ...
            7 |     c = R.add(a, b)
              |               ^ used outside of the block
              |
              = help: give it out at the end of the block: `R.output(a)`"#]],
    );
    check_relax(
        "with R.dataflow():\n    a = R.nn.relu(x)\n    R.output(b)\nreturn a",
        expect![[r#"
        error[TW0201]: `b` is no variable of this block
         --> test.py:5:18
          |
        5 |         R.output(b)
          |                  ^
          |
          = help: did you mean `a`?

        error[TW0206]: `a` is visible only inside its dataflow block
         --> test.py:6:12
          |
        4 |         a = R.nn.relu(x)
          |         ---------------- bound here
        5 |         R.output(b)
        6 |     return a
          |            ^ used outside of the block
          |
          = help: give it out at the end of the block: `R.output(a)`"#]],
    );
}

#[test]
fn constants_without_their_values() {
    check_relax(
        "y = R.add(x, metadata[\"relax.expr.Constant\"][3])\nreturn y",
        expect![[r#"
        error[TW0205]: the values of the constant `metadata["relax.expr.Constant"][3]` are missing
         --> test.py:3:18
          |
        3 |     y = R.add(x, metadata["relax.expr.Constant"][3])
          |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ refers to the metadata of the module
          |
          = help: print the module with `show_meta=True`: its text then ends with the constants' values"#]],
    );
    check(
        "@R.function\ndef f(x: R.Tensor((2,), \"float32\")):\n    return metadata[\"relax.expr.Constant\"][0]\nmetadata = {\"relax.expr.Constant\": [{\"dtype\": \"float32\", \"shape\": [2], \"data\": \"AAAA\"}]}\n",
        expect![[r#"
            error[TW0205]: a constant's values do not fit: 3 bytes do not fill a tensor of shape [2] and type float32
             --> test.py:4:37
              |
            4 | metadata = {"relax.expr.Constant": [{"dtype": "float32", "shape": [2], "data": "AAAA"}]}
              |                                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
}

#[test]
fn symbolic_dimensions_that_nothing_defines() {
    check(
        "@R.function\ndef f(x: R.Tensor((\"batch\",), \"float32\")) -> R.Tensor((\"batsh\",), \"float32\"):\n    return x\n",
        expect![[r#"
            error[TW0201]: unknown symbolic dimension `batsh`: no parameter defines it
             --> test.py:2:56
              |
            2 | def f(x: R.Tensor(("batch",), "float32")) -> R.Tensor(("batsh",), "float32"):
              |                                                        ^^^^^^^
              |
              = help: did you mean `batch`?"#]],
    );
}
