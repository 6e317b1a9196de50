//! Scripts of any length, one kind for each way in which a text can be long.

use std::fmt::Write;

use crate::Text;

const HEAD: &str = "@I.ir_module\nclass Module:\n";

pub(crate) const KINDS: [(&str, Text); 21] = [
    ("blocks of loops", |size| functions(size, blocks)),
    ("graphs", |size| functions(size, graph)),
    ("both levels", |size| functions(size, |out, i| if i % 2 == 0 { blocks(out, i) } else { graph(out, i) })),
    ("functions of one line", |size| functions(size, small)),
    ("one function of stores", |size| {
        prim(size, |out, i| line(out, format_args!("A[{}] = A[{}] * T.float32({i}.5) + B[i]", i % 64, i % 61)))
    }),
    ("one function of variables", |size| {
        prim(size, |out, i| line(out, format_args!("x{i}: T.float32 = A[{}] + {i}.0", i % 64)))
    }),
    ("one function of loops", |size| {
        prim(size, |out, i| {
            line(out, format_args!("for k in range({}):\n            A[k] = T.float32(1)", i % 60 + 1));
        })
    }),
    ("one function of buffers", |size| {
        prim(size, |out, i| line(out, format_args!("b{i} = T.decl_buffer((4,), \"float32\")\n        b{i}[0] = A[1]")))
    }),
    ("one function of bindings", bindings),
    ("one function of blocks of bindings", dataflow_blocks),
    ("one block of bindings", one_dataflow_block),
    ("parameters", parameters),
    ("symbolic dimensions", dimensions),
    ("calls between functions", calls),
    ("names that are alike", |size| {
        prim(size, |out, i| line(out, format_args!("with T.LetStmt(A[{}]) as x_1:\n            A[0] = x_1", i % 64)))
    }),
    ("nests a thousand deep", |size| functions(size, nest)),
    ("chains of ten thousand terms", |size| prim(size, chain)),
    ("one long string", |size| {
        let text = "all (of) this - is [text]; ".repeat(size / 27);
        format!("{HEAD}    I.module_attrs({{\"note\": \"{text}\"}})\n")
    }),
    ("one long line", one_line),
    ("one long list", |size| format!("{HEAD}    I.module_attrs({{\"list\": [{}0]}})\n", "12345, ".repeat(size / 7))),
    ("constants in the metadata", constants),
];

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = writeln!(out, "        {text}");
}

fn until(size: usize, mut out: String, mut add: impl FnMut(&mut String, usize)) -> String {
    let mut i = 0;
    while out.len() < size {
        add(&mut out, i);
        i += 1;
    }
    out
}

fn functions(size: usize, function: fn(&mut String, usize)) -> String {
    until(size, HEAD.to_owned(), function)
}

fn prim(size: usize, statement: fn(&mut String, usize)) -> String {
    let head =
        "    @T.prim_func\n    def f(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\"), i: T.int32):\n";
    until(size, format!("{HEAD}{head}"), statement)
}

fn small(out: &mut String, i: usize) {
    let _ = write!(
        out,
        "    @T.prim_func\n    def f{i}(A: T.Buffer((4,), \"float32\")):\n        A[0] = T.float32({i})\n\n"
    );
}

fn blocks(out: &mut String, i: usize) {
    let _ = write!(
        out,
        r#"    @T.prim_func
    def matmul{i}(x: T.handle, W: T.Buffer((T.int64(784), T.int64(128)), "float32"), z: T.handle):
        T.func_attr({{"op_pattern": 4, "tir.noalias": T.bool(True)}})
        n = T.int64()
        X = T.match_buffer(x, (n, T.int64(784)))
        Z = T.match_buffer(z, (n, T.int64(128)))
        # with T.block("root"):
        Y = T.alloc_buffer((n, T.int64(128)))
        for i, j, k in T.grid(n, T.int64(128), T.int64(784)):
            with T.block("Y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads(X[vi, vk], W[vk, vj])
                T.writes(Y[vi, vj])
                with T.init():
                    Y[vi, vj] = T.float32(0.0)
                Y[vi, vj] = Y[vi, vj] + X[vi, vk] * W[vk, vj]
        for ax0, ax1 in T.grid(n, T.int64(128)):
            with T.block("Z"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(Y[v_ax0, v_ax1])
                T.writes(Z[v_ax0, v_ax1])
                Z[v_ax0, v_ax1] = T.max(Y[v_ax0, v_ax1], T.float32(0.0)) * T.if_then_else(v_ax1 < T.int64({i}), T.exp(Y[v_ax0, v_ax1]), T.float32(1.5))

"#
    );
}

fn graph(out: &mut String, i: usize) {
    let _ = write!(
        out,
        r#"    @R.function
    def forward{i}(x: R.Tensor(("n", 784), dtype="float32"), w: R.Tensor((784, 128), dtype="float32"), b: R.Tensor((128,), dtype="float32")) -> R.Tensor(("n", 128), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((n, 128), dtype="float32") = R.matmul(x, w, out_dtype="float32")
            lv1: R.Tensor((n, 128), dtype="float32") = R.add(lv, b)
            lv2: R.Tensor((n, 128), dtype="float32") = R.nn.relu(lv1)
            lv3: R.Tensor((n, 128), dtype="float32") = R.multiply(lv2, R.const({i}.5, "float32"))
            lv4 = R.call_dps_packed("env.norm", (lv3, b), out_sinfo=R.Tensor((n, 128), dtype="float32"))
            gv: R.Tensor((n, 128), dtype="float32") = R.nn.relu(lv4)
            R.output(gv)
        return gv

"#
    );
}

fn bindings(size: usize) -> String {
    let head = "    @R.function\n    def main(x: R.Tensor((4, 8), dtype=\"float32\")) -> R.Tensor((4, 8), dtype=\"float32\"):\n";
    let text = until(size, format!("{HEAD}{head}        y0 = x\n"), |out, i| {
        line(out, format_args!("y{}: R.Tensor((4, 8), dtype=\"float32\") = R.add(y{i}, x)", i + 1));
    });
    let last = text.lines().last().and_then(|l| l.split(':').next()).unwrap_or_default().trim().to_owned();
    format!("{text}        return {last}\n")
}

fn calls(size: usize) -> String {
    let head = "    @R.function\n    def f0(x: R.Tensor((4,), dtype=\"float32\")) -> R.Tensor((4,), dtype=\"float32\"):\n        return x\n\n";
    until(size, format!("{HEAD}{head}"), |out, i| {
        let next = i + 1;
        let _ = write!(
            out,
            "    @R.function\n    def f{next}(x: R.Tensor((4,), dtype=\"float32\")) -> R.Tensor((4,), dtype=\"float32\"):\n        cls = Module\n        y: R.Tensor((4,), dtype=\"float32\") = cls.f{}(x)\n        return y\n\n",
            i / 2
        );
    })
}

fn one_dataflow_block(size: usize) -> String {
    let head = "    @R.function\n    def main(y0: R.Tensor((4, 8), dtype=\"float32\")) -> R.Tensor((4, 8), dtype=\"float32\"):\n        with R.dataflow():\n";
    let mut last = 0;
    let text = until(size, format!("{HEAD}{head}"), |out, i| {
        last = i + 1;
        line(out, format_args!("    y{last}: R.Tensor((4, 8), dtype=\"float32\") = R.add(y{i}, y{i})"));
    });
    format!("{text}            R.output(y{last})\n        return y{last}\n")
}

fn dataflow_blocks(size: usize) -> String {
    let head = "    @R.function\n    def main(y0: R.Tensor((4, 8), dtype=\"float32\")) -> R.Tensor((4, 8), dtype=\"float32\"):\n";
    let mut last = 0;
    let text = until(size, format!("{HEAD}{head}"), |out, i| {
        last = i + 1;
        line(out, format_args!("with R.dataflow():"));
        line(out, format_args!("    lv: R.Tensor((4, 8), dtype=\"float32\") = R.add(y{i}, y{i})"));
        line(out, format_args!("    y{last}: R.Tensor((4, 8), dtype=\"float32\") = R.nn.relu(lv)"));
        line(out, format_args!("    R.output(y{last})"));
    });
    format!("{text}        return y{last}\n")
}

fn parameters(size: usize) -> String {
    let mut count = 0;
    let head = until(size / 5, format!("{HEAD}    @T.prim_func\n    def f("), |out, i| {
        count = i + 1;
        let _ = write!(out, "p{i}: T.handle, ");
    });
    let mut text = head + "):\n";
    for i in 0..count {
        line(&mut text, format_args!("A{i} = T.match_buffer(p{i}, (4,), \"float32\")"));
    }
    text
}

fn dimensions(size: usize) -> String {
    let mut count = 0;
    let head = until(size / 2, format!("{HEAD}    @R.function\n    def main("), |out, i| {
        count = i + 1;
        let _ = write!(out, "x{i}: R.Tensor((\"n{i}\", 4), dtype=\"float32\"), ");
    });
    let mut text = head + ") -> R.Object:\n";
    for i in 0..count {
        line(&mut text, format_args!("n{i} = T.int64()"));
    }
    text + "        return x0\n"
}

fn nest(out: &mut String, i: usize) {
    let _ = write!(out, "    @T.prim_func\n    def f{i}(A: T.Buffer((4,), \"float32\"), c: T.bool):\n");
    for depth in 2..1_002 {
        let _ = writeln!(out, "{}if c:", "    ".repeat(depth));
    }
    let _ = write!(out, "{}A[0] = T.float32({i})\n\n", "    ".repeat(1_002));
}

fn chain(out: &mut String, i: usize) {
    line(out, format_args!("A[{}] = A[0]{}", i % 64, " + B[i]".repeat(10_000)));
}

fn one_line(size: usize) -> String {
    let text = format!("{HEAD}    @T.prim_func\n    def f(A: T.Buffer((64,), \"float32\")): ");
    until(size, text, |out, i| {
        let _ = write!(out, "A[{}] = A[{}] + T.float32({i}); ", i % 64, i % 61);
    }) + "\n"
}

fn constants(size: usize) -> String {
    let entry =
        format!("{{\"dtype\": \"float32\", \"shape\": [48], \"data\": \"{}\"}},\n", "AACAPwAAAEAAAEBA".repeat(16));
    let count = (size / (entry.len() + 110)).max(1);
    let mut body = String::new();
    let mut list = String::new();
    for i in 0..count {
        line(
            &mut body,
            format_args!("c{i}: R.Tensor((48,), dtype=\"float32\") = R.add(x, metadata[\"relax.expr.Constant\"][{i}])"),
        );
        list.push_str(&entry);
    }
    format!(
        "{HEAD}    @R.function\n    def main(x: R.Tensor((48,), dtype=\"float32\")):\n{body}        return x\n\nmetadata = {{\"relax.expr.Constant\": [\n{list}]}}\n"
    )
}
