//! Mistakes that people make who know the language from elsewhere: each has one message, which says what to write.

use super::{errors, indent, prim_errors};
use crate::parse::{NoHost, parse_file};
use tilewright_support::SourceFile;

/// One message, with these words in it.
fn one(found: &str, words: &[&str]) {
    assert_eq!(found.matches("error[").count(), 1, "{found}");
    for word in words {
        assert!(found.contains(word), "{word:?} is missing in\n{found}");
    }
}

#[test]
fn of_loops_and_blocks() {
    let params = "A: T.Buffer((16,), \"float32\"), B: T.Buffer((4, 8), \"float32\"), n: T.int32";
    let block =
        "for i, j in T.grid(4, 8):\n    with T.block(\"B\"):\n        vi, vj = T.axis.remap(\"SS\", [i, j])\n        ";
    let rows: &[(String, &[&str])] = &[
        ("while n > 0:\n    A[0] = 1.0\nelse:\n    A[1] = 1.0".into(), &["a loop has no `else`"]),
        ("async for i in range(4):\n    A[i] = 1.0".into(), &["remove `async`"]),
        ("async with T.block(\"b\"):\n    A[0] = 1.0".into(), &["remove `async`"]),
        ("for i in range(3):\n    break".into(), &["`break` is not part of a PrimFunc", "say when to go on"]),
        ("import math".into(), &["`import` is not part of a PrimFunc", "belongs outside of the function"]),
        ("raise ValueError".into(), &["`raise` is not part of a PrimFunc", "is an `assert`"]),
        (
            "for i in range(16):\n    with T.block(\"b\"):\n        vi = T.axis.spatial(16, A[i])\n        A[vi] = 1.0".into(),
            &["an axis is bound to an integer, found float32", "^^^^"],
        ),
        ("for i in range(1, 2, 3, 4):\n    A[i] = 1.0".into(), &["`range` takes 3 arguments, found 4"]),
        (format!("{block}T.reads(A[vi], by=1)\n        B[vi, vj] = A[vi]"), &["arguments are positional"]),
        (block.replace("T.block", "T.blok") + "B[vi, vj] = A[vi]", &["did you mean `T.block`?"]),
        (block.replace("\"SS\"", "\"ss\"") + "B[vi, vj] = A[vi]", &["unknown kind of axis `s`"]),
        (
            "for i, j in T.grid(4, 8):\n    with T.block(\"b\"):\n        vi, vj = T.axis.remap(\"SR\", [i, k])\n        \
             with T.init():\n            A[vi] = 0.0\n        A[vi] = A[vi] + B[vi, vj]"
                .into(),
            &["unknown name `k`"],
        ),
        ("C = T.match_buffer(c, (4,))\nA[0] = C[0]".into(), &["unknown name `c`"]),
        ("f(A)".into(), &["no module is here to hold both"]),
        ("A[0] = \"x\"".into(), &["the stored value is a text"]),
        ("A[0] = np.exp(A[1])".into(), &["unknown name `np`", "did you mean `T.exp`?"]),
        ("A[0] = exp(A[1])".into(), &["unknown name `exp`", "did you mean `T.exp`?"]),
        ("A[0] = T.maximum(A[1], 0.0)".into(), &["did you mean `T.max`?"]),
        ("A[0] = T.where(n > 0, A[1], A[2])".into(), &["`T.Select` chooses one of two values"]),
        ("A[0] = A.vlod([0])".into(), &["did you mean `vload`?"]),
        ("C = T.alloc_buffer((4,), \"flaot32\")\nC[0] = 1.0".into(), &["did you mean `float32`?"]),
        ("A[0] = T.exp(A[1], dtype=\"float16\")".into(), &["`T.exp` gives float32 here, not float16"]),
        ("for i in range(3:\n    A[i] = A[i + 1]\n    A[i] = A[0]".into(), &["`(` is never closed"]),
        ("A[(0] = 1.0\nA[1] = 2.0".into(), &["`]` does not close `(`"]),
    ];
    for (body, words) in rows {
        one(&prim_errors(params, body), words);
    }
    for (params, words) in [
        ("A: T.Buffer((\"n\", 8), \"float32\")", "name the dimension in the body: `n = T.int64()`"),
        ("A: R.Tensor((16, 8), \"float32\")", "functions of tensors are decorated with `@R.function`"),
    ] {
        one(&prim_errors(params, "A[0, 0] = 1.0"), &[words]);
    }
    one(&errors("@T.prim_func\ndef f(n: T.int32) -> 3:\n    pass\n"), &["expected the type of a scalar, or None"]);
}

#[test]
fn of_macros() {
    let head = "@T.macro\ndef m(A, x):\n    A[0] = x + y\n\n";
    let text = |body: &str| {
        format!("{head}@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\"), y: T.float32):\n{}", indent(body))
    };
    one(&errors(&text("m(A, y)\nm(A, 1.0)")), &["unknown name `y`", "m(A, y)", "in this call of a macro"]);
    one(&errors(&text("A[1] = m(A, y)")), &["the call of a macro is a statement of its own"]);
    let doubled: String =
        (0..40).map(|i| format!("@T.macro\ndef d{}(A):\n    d{i}(A)\n    d{i}(A)\n\n", i + 1)).collect();
    let call = "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    d40(A)\n";
    let text = format!("@T.macro\ndef d0(A):\n    A[0] = 1.0\n\n{doubled}{call}");
    one(&errors(&text), &["more than 100000 calls of macros in one function"]);
}

#[test]
fn of_graphs() {
    let head = "@R.function\ndef main(x: R.Tensor((2, 3), \"float32\"), c: R.Tensor((), \"bool\")):\n";
    let rows: &[(&str, &[&str])] = &[
        ("with R.dataflow():\n    z = R.add(x, x)\n    R.output(z)\n    return z", &["`return` belongs at the end"]),
        (
            "with R.dataflow():\n    z = R.add(x, x)\n    R.output(zz)\nreturn zz",
            &["`zz` is no variable of this block"],
        ),
        ("with R.dataflow():\n    z = R.add(x, x)\n    R.output(z, to=1)\nreturn z", &["arguments are positional"]),
        ("with R.dataflow() as d:\n    z = R.add(x, x)\n    R.output(z)\nreturn z", &["a dataflow block has no name"]),
        (
            "for i in range(3):\n    z = R.add(x, x)\nreturn z",
            &["`for` is not part of a graph", "loops belong in a PrimFunc"],
        ),
        ("x += x\nreturn x", &["an assignment that calculates", "write it out, such as `x = R.add(x, y)`"]),
        ("if c:\n    z = R.add(x, x)\nreturn x", &["needs an `else`", "`else: y = x`"]),
        ("z = np.add(x, x)\nreturn z", &["did you mean `R.add`?"]),
        ("z = x + 1.0\nreturn z", &["write a constant: `R.const(1.0, \"float32\")`"]),
        ("z = x == x\nreturn z", &["such as `R.add(a, b)`"]),
    ];
    for (body, words) in rows {
        one(&errors(&format!("{head}{}", indent(body))), words);
    }
    let buffer = "@R.function\ndef main(x: T.Buffer((2,), \"float32\")):\n    return x\n";
    one(&errors(buffer), &["functions of buffers are decorated with `@T.prim_func`"]);
    let both = errors(&format!("{head}{}", indent("if c:\n    return x\nelse:\n    return c")));
    assert!(!both.contains("returns nothing"), "{both}");
}

#[test]
fn of_files() {
    let function = "    @T.prim_func\n    def f(A: T.Buffer((2,), \"float32\")):\n        A[0] = 0.0\n";
    let imports = "from tvm.script import ir as I, tirr as T\n";
    let found = errors(&format!("{imports}@I.ir_module\nclass M:\n{function}"));
    one(&found, &["looked for in `tvm.script.tirr`", "did you mean `tvm.script.tir`?"]);
    let uses = function.replace("A[0] = 0.0", "g(A)");
    let found = errors(&format!("@I.ir_module\nclass M:\n    @T.macro\n    def g(A):\n        A[0] = 0.0\n{uses}"));
    one(&found, &["define it above the class"]);
    let plain = SourceFile::new("t.py", format!("class M:\n{function}"));
    let warnings = parse_file(&plain, &NoHost).expect("a warning").warnings.to_string();
    assert!(warnings.contains("decorate it with `@I.ir_module`"), "{warnings}");
    let python = SourceFile::new("t.py", "class M:\n    def f(self): pass\n");
    assert!(parse_file(&python, &NoHost).expect("nothing of the script").warnings.0.is_empty());
}
